// Partition refinement against the definition: rounds over all nodes until nothing splits.
#include <criterion/criterion.h>
#include <stdio.h>

#include "../../lib/base/intern.h"
#include "../../lib/base/refine.h"

#define MAX_NODES 60u
#define MANY_NODES 6000u  // rounds of that many are sorted by digits
#define DEGREE 3u

struct graph {
	uint32_t n, label[MANY_NODES], successor[MANY_NODES][DEGREE];
};

static uint64_t state = 20261121;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void describe(void *user, uint32_t node, struct refine_node *out)
{
	const struct graph *g = user;
	vec_push(&out->label, g->label[node]);
	for (uint32_t k = 0; k < DEGREE; k++) vec_push(&out->successors, g->successor[node][k]);
}

static uint32_t by_definition(const struct graph *g, uint32_t *class_of)
{
	uint32_t n_classes = 0;
	memset(class_of, 0, g->n * sizeof *class_of);
	for (;;) {
		struct intern rows = {0};
		static uint32_t next[MANY_NODES];
		for (uint32_t i = 0; i < g->n; i++) {
			uint32_t row[2 + DEGREE] = {class_of[i], g->label[i]};
			for (uint32_t k = 0; k < DEGREE; k++)
				row[2 + k] = g->successor[i][k] == REFINE_NONE ? REFINE_NONE : class_of[g->successor[i][k]];
			next[i] = intern_add(&rows, row, sizeof row, NULL);
		}
		uint32_t now = rows.entries.n;
		intern_release(&rows);
		memcpy(class_of, next, g->n * sizeof *class_of);
		if (now == n_classes) return now;
		n_classes = now;
	}
}

static void compare_with_definition(uint32_t n, int round)
{
	static struct graph g;
	static uint32_t a[MANY_NODES], b[MANY_NODES];
	g.n = n;
	uint32_t labels = 1 + random_below(3), near = 1 + random_below(g.n);
	for (uint32_t i = 0; i < g.n; i++) {
		g.label[i] = random_below(20) ? 0 : random_below(labels);
		for (uint32_t k = 0; k < DEGREE; k++)
			g.successor[i][k] = random_below(8) ? (i + random_below(near)) % g.n : REFINE_NONE;
	}
	cr_assert_eq(refine_partition(g.n, describe, &g, a), by_definition(&g, b), "round %d", round);
	cr_assert_arr_eq(a, b, g.n * sizeof *a, "round %d", round);
}

Test(refine, random_graphs_against_the_definition)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (int round = 0; round < 5000; round++) compare_with_definition(1 + random_below(MAX_NODES), round);
}

Test(refine, large_random_graphs_against_the_definition)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (int round = 0; round < 30; round++) compare_with_definition(1 + random_below(MANY_NODES), round);
}

Test(refine, no_nodes) { cr_expect_eq(refine_partition(0, describe, NULL, NULL), 0); }
