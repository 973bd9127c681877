// Several stacks at once: reading stacks that share tops.
//
// In:  a frame, a node of the stack automaton. Out: the sets that the node finds below the frame, on any of the stacks.
// A job is a node and the frame that was read last. What a node finds below a frame never changes while the frame
// lives, so it is kept, with the frame's stamp: a new frame on old ones asks these, and nothing further down. Stacks
// that share a parse mostly find the same sets: such lists are stored once, and united once.
// Cost: links of frames that are new, bounded by max_stacks.
#include "graph_internal.h"

#define KEPT_MAX (1u << 15)  // of what nodes find below frames; then all is forgotten
#define KEPT_SETS_MAX (1u << 18)
#define FEW_SETS 16u  // compared one by one
#define FEW_LISTS 8u  // of sets, that one union remembers

static void kept_trim(struct graph *g)
{
	if (g->kept.n <= KEPT_MAX && g->kept_sets.n <= KEPT_SETS_MAX) return;
	pair_map_clear(&g->kept_of);
	g->kept.n = g->kept_sets.n = 0;
}

// The index of what is kept of a job; NONE: nothing, or of a frame that stood there before.
static uint32_t kept_find(const struct gcdc_matcher *m, const struct graph *g, struct graph_job j)
{
	const uint32_t *at = pair_map_get(&g->kept_of, j.node, j.link);
	return at && g->kept.at[*at].stamp == m->pool->cost[j.link].stamp ? *at : ARTIFACT_NONE;
}

static gcdc_status add_set(struct gcdc_matcher *m, struct graph *g, uint32_t set)
{
	const gcdc_memory *memory = &m->artifact->memory;
	bool is_new = true;
	if (g->sets.n == FEW_SETS) {
		pair_map_clear(&g->known);
		for (uint32_t i = 0; i < FEW_SETS; i++)
			if (!pair_map_add(memory, &g->known, KEY_NODE, g->sets.at[i], &is_new)) return GCDC_ERR_MEMORY;
	}
	if (g->sets.n < FEW_SETS)
		for (uint32_t i = 0; i < g->sets.n && is_new; i++) is_new = g->sets.at[i] != set;
	else if (!pair_map_add(memory, &g->known, KEY_NODE, set, &is_new))
		return GCDC_ERR_MEMORY;
	return is_new && !vec32_push(memory, &g->sets, set) ? GCDC_ERR_MEMORY : GCDC_OK;
}

// What g->found says from `first` on, into g->sets. *only: the list in which all of it is already, if that was seen;
// else NONE.
// Branches: lists seen before are passed over while there are few, then every other list and set is added until one
// fails.
static gcdc_status unite_found(struct gcdc_matcher *m, struct graph *g, uint32_t first, uint32_t *only)
{
	gcdc_status status = GCDC_OK;
	uint32_t lists[FEW_LISTS], n_lists = 0, n;
	g->sets.n = 0;
	for (uint32_t i = first; i < g->found.n && !status; i++) {
		if (!g->found.at[i].node) continue;
		const struct kept *x = &g->kept.at[g->found.at[i].kept];
		bool is_known = false;
		for (uint32_t k = 0; k < n_lists && k < FEW_LISTS && !is_known; k++)
			is_known = g->kept.at[lists[k]].first == x->first && g->kept.at[lists[k]].n == x->n;
		if (is_known) continue;
		if (n_lists < FEW_LISTS) lists[n_lists] = g->found.at[i].kept;
		n_lists++;
		for (uint32_t k = 0; k < x->n && !status; k++) status = add_set(m, g, g->kept_sets.at[x->first + k]);
	}
	n = g->sets.n;
	for (uint32_t i = first; i < g->found.n && !status; i++) status = add_set(m, g, g->found.at[i].set);
	*only = n_lists == 1 && g->sets.n == n ? lists[0] : ARTIFACT_NONE;
	return status;
}

// Keeps g->sets for a job: as the list `like`, where they are all of it.
static gcdc_status keep(struct gcdc_matcher *m, struct graph *g, struct graph_job j, uint32_t like)
{
	const gcdc_memory *memory = &m->artifact->memory;
	struct kept x = {m->pool->cost[j.link].stamp, g->kept_sets.n, g->sets.n};
	bool is_new;
	uint32_t *at = pair_map_add(memory, &g->kept_of, j.node, j.link, &is_new);
	if (!at) return GCDC_ERR_MEMORY;
	*at = g->kept.n;
	if (like != ARTIFACT_NONE) x.first = g->kept.at[like].first;
	if (!PUSH(memory, &g->kept, x)) return GCDC_ERR_MEMORY;
	for (uint32_t i = 0; i < g->sets.n && like == ARTIFACT_NONE; i++)
		if (!vec32_push(memory, &g->kept_sets, g->sets.at[i])) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}

// Reads the frames that the job's node asks for, onto the end of g->found.
static gcdc_status read_frames(struct gcdc_matcher *m, struct graph *g, struct graph_job j)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_node *n = &a->nodes[j.node];
	g->level.n = 0;
	if (!vec32_push(&a->memory, &g->level, j.link)) return GCDC_ERR_MEMORY;
	if (UNLIKELY(n->skip >= frame_depth(m->pool, j.link))) return GCDC_ERR_INTERNAL;
	gcdc_status status = graph_descend(m, g, n->skip + 1);
	for (uint32_t i = 0; i < g->level.n && !status; i++) {
		uint32_t frame = g->level.at[i];
		const struct artifact_target *e = artifact_target_of(a, n, m->pool->at[frame].lr_state);
		if (!PUSH(&a->memory, &g->found, {e->set, e->next, frame, ARTIFACT_NONE})) status = GCDC_ERR_MEMORY;
	}
	return status;
}

// Looks up what is kept below the frames from `first` on; what is not becomes a job. *is_whole: all is.
static gcdc_status look_up(struct gcdc_matcher *m, struct graph *g, uint32_t first, bool *is_whole)
{
	*is_whole = true;
	for (uint32_t i = first; i < g->found.n; i++) {
		struct found *x = &g->found.at[i];
		const struct graph_job below = {x->node, x->frame};
		if (!x->node || x->kept != ARTIFACT_NONE) continue;
		if ((x->kept = kept_find(m, g, below)) != ARTIFACT_NONE) continue;
		*is_whole = false;
		if (!PUSH(&m->artifact->memory, &g->pending, {below, ARTIFACT_NONE})) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

// The job on top: done, or others have to be done before it. Each reads its frames once.
static gcdc_status advance(struct gcdc_matcher *m, struct graph *g)
{
	uint32_t at = g->pending.n - 1, first = g->pending.at[at].first, only;
	const struct graph_job j = g->pending.at[at].job;
	gcdc_status status = GCDC_OK;
	bool is_whole = false;
	if (first == ARTIFACT_NONE) {
		if (kept_find(m, g, j) != ARTIFACT_NONE) {  // two jobs waited for it
			g->pending.n--;
			return GCDC_OK;
		}
		g->pending.at[at].first = first = g->found.n;
		status = read_frames(m, g, j);
	}
	if (!status) status = look_up(m, g, first, &is_whole);
	if (status || !is_whole) return status;
	status = unite_found(m, g, first, &only);
	if (!status) status = keep(m, g, j, only);
	g->found.n = first;
	g->pending.n--;
	return status;
}

gcdc_status graph_read(struct gcdc_matcher *m, uint32_t f, uint32_t node, const struct vec32 **sets)
{
	const gcdc_memory *memory = &m->artifact->memory;
	struct graph *g = graph_of(m);
	if (!g) return GCDC_ERR_MEMORY;
	if (UNLIKELY(!m->pool->cost) && !frame_costs_grow(m->pool, m->pool->cap)) return GCDC_ERR_MEMORY;
	*sets = &g->sets;
	m->pool->lowest = 0;
	g->sets.n = g->pending.n = g->found.n = g->work = 0;
	kept_trim(g);
	const struct graph_job first = {node, f};
	gcdc_status status = PUSH(memory, &g->pending, {first, ARTIFACT_NONE}) ? GCDC_OK : GCDC_ERR_MEMORY;
	while (g->pending.n && !status) status = advance(m, g);
	if (status) return status;
	const struct kept *x = &g->kept.at[kept_find(m, g, first)];  // g->sets may be of another job
	g->sets.n = 0;
	for (uint32_t i = 0; i < x->n; i++)
		if (!vec32_push(memory, &g->sets, g->kept_sets.at[x->first + i])) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}
