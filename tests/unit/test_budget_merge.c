// Steps made small (lib/tables/budget_steps_merge.c): nodes are one as soon as all that follows them is equal, however
// many nodes away it differs.
#include <criterion/criterion.h>

#include "../../lib/tables/budget_steps.h"

enum { LENGTH = 5, N_PATHS = 3 };

static void add_edge(struct raw_steps *raw, uint32_t from, uint32_t frame, uint32_t node, uint32_t skip)
{
	const struct raw_step step = {0, node, skip};
	vec_push(&raw->edges, ((struct raw_edge){frame, intern_add(&raw->steps, &step, sizeof step, NULL)}));
	vec_push(&raw->edge_node, from);
}

// The node that frame 1 leads to; STEPS_NONE: it reads no more, and *skip is the step's.
static uint32_t follow(const struct budget_steps *s, uint32_t node, uint32_t *skip)
{
	const struct budget_node *x = &s->nodes.at[node];
	uint32_t step = x->other;
	for (uint32_t i = x->first; i < x->first + x->n; i++)
		if (s->edges.at[i].class == 1) step = s->edges.at[i].step;
	*skip = s->steps.at[step].skip;
	return s->steps.at[step].node;
}

// Paths of nodes that differ in the last step at most.
Test(budget_merge, paths_that_end_alike_are_one)
{
	struct raw_steps raw = {.n_nodes = LENGTH * N_PATHS};
	struct budget_steps out = {0};
	const struct budget_level level = {1, 0};
	const struct raw_part part = {0, 0, intern_add(&raw.levels, &level, sizeof level, NULL)};
	uint32_t *start = mem_alloc(N_PATHS * sizeof *start), skip;
	intern_add(&raw.part_lists, &part, sizeof part, NULL);
	for (uint32_t path = 0; path < N_PATHS; path++) {
		start[path] = path * LENGTH;
		for (uint32_t node = start[path]; node < start[path] + LENGTH; node++) {
			const bool is_last = node + 1 == start[path] + LENGTH;
			add_edge(&raw, node, 1, is_last ? STEPS_NONE : node + 1, is_last && path == 2 ? 8 : 9);
			add_edge(&raw, node, 2, STEPS_NONE, 7);
			add_edge(&raw, node, 3, STEPS_NONE, 7);
		}
	}
	budget_steps_merge(&raw, N_PATHS, start, &out);
	cr_expect(start[0] == start[1] && start[0] != start[2]);
	cr_expect_eq(out.nodes.n, 2 * LENGTH);
	for (uint32_t path = 1; path < N_PATHS; path++) {
		uint32_t node = start[path], n = 0;
		for (; node != STEPS_NONE; n++) node = follow(&out, node, &skip);
		cr_expect(n == LENGTH && skip == (path == 2 ? 8 : 9), "%u nodes, %u", n, skip);
	}
	budget_steps_release(&out);
	intern_release(&raw.levels), intern_release(&raw.part_lists), intern_release(&raw.steps);
	vec_release(&raw.edges), vec_release(&raw.edge_node);
}
