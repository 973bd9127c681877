// The graph of the stacks of one text: its memory, and going down in it.
//
// In:  references: frames of the pool, or nodes of the push at hand. Out: what lies below them, each once.
// Stacks that share a top share a frame (Tomita 1985); what lies below is gone through by levels. The graph has no
// cycles: the compiler takes out the rules that would make some; a forged one is an error.
// Cost: records visited, bounded by max_stacks.
#include "graph_internal.h"

bool graph_list_grow(const gcdc_memory *memory, void *list, uint32_t size)
{
	struct {
		void *at;
		uint32_t n, cap;
	} x;
	memcpy(&x, list, sizeof x);
	uint32_t cap = x.cap ? x.cap * 2 : 16;
	void *at = memory_resize(memory, x.at, cap, size);
	if (!at) return false;
	x.at = at, x.cap = cap;
	memcpy(list, &x, sizeof x);
	return true;
}

void graph_free(const gcdc_memory *memory, struct graph *g)
{
	if (!g) return;
	void *blocks[] = {g->nodes.at, g->links.at,   g->jobs.at,  g->outcomes.at, g->known.at, g->seen.at,
	                  g->level.at, g->below.at,   g->path.at,  g->parents.at,  g->made.at,  g->tops.at,
	                  g->sets.at,  g->pending.at, g->found.at, g->kept_of.at,  g->kept.at,  g->kept_sets.at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(memory, blocks[i]);
	memory_free(memory, g);
}

struct graph *graph_of(struct gcdc_matcher *m)
{
	if (LIKELY(m->graph != NULL)) return m->graph;
	struct graph *g = memory_resize(&m->artifact->memory, NULL, 1, sizeof *g);
	if (g) *g = (struct graph){0};
	return m->graph = g;
}

uint32_t graph_state_of(const struct gcdc_matcher *m, const struct graph *g, uint32_t ref)
{
	assert(ref & NODE ? (ref & ~NODE) < g->nodes.n : ref < m->pool->n && m->pool->at[ref].refs);
	return ref & NODE ? g->nodes.at[ref & ~NODE].lr_state : m->pool->at[ref].lr_state;
}

static gcdc_status add_below(struct gcdc_matcher *m, struct graph *g, uint32_t ref)
{
	bool is_new;
	const gcdc_memory *memory = &m->artifact->memory;
	if (UNLIKELY(++g->work > m->max_stacks)) return GCDC_ERR_STACKS;
	if (!pair_map_add(memory, &g->seen, 0, ref, &is_new)) return GCDC_ERR_MEMORY;
	return is_new && !vec32_push(memory, &g->below, ref) ? GCDC_ERR_MEMORY : GCDC_OK;
}

static gcdc_status add_parents(struct gcdc_matcher *m, struct graph *g, uint32_t f)
{
	gcdc_status status = GCDC_OK;
	if (UNLIKELY(f == FRAME_BOTTOM)) return GCDC_ERR_INTERNAL;
	for (struct below b = frame_below(m->pool, f); b.frame && !status; below_next(m->pool, &b))
		status = add_below(m, g, b.frame);
	return status;
}

// The parents of the only frame of a level, each of which its list has once.
static gcdc_status take_parents(struct gcdc_matcher *m, struct graph *g, uint32_t f)
{
	if (UNLIKELY(f == FRAME_BOTTOM)) return GCDC_ERR_INTERNAL;
	for (struct below b = frame_below(m->pool, f); b.frame; below_next(m->pool, &b)) {
		if (UNLIKELY(++g->work > m->max_stacks)) return GCDC_ERR_STACKS;
		if (!vec32_push(&m->artifact->memory, &g->below, b.frame)) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

// Branches: runs of frames with one parent are passed in a loop of their own, as most stacks have nothing else.
gcdc_status graph_descend(struct gcdc_matcher *m, struct graph *g, uint32_t steps)
{
	const struct frame *frames = m->pool->at;
	for (; steps; steps--) {
		if (LIKELY(g->level.n == 1 && !(g->level.at[0] & NODE))) {
			uint32_t f = g->level.at[0];
			for (; steps && f != FRAME_BOTTOM && !(frames[f].parent & FRAME_LIST); steps--) f = frames[f].parent;
			g->level.at[0] = f;
			if (!steps) return GCDC_OK;
		}
		g->below.n = 0;
		gcdc_status status = GCDC_OK;
		bool is_one = g->level.n == 1 && !(g->level.at[0] & NODE);
		if (is_one) status = take_parents(m, g, g->level.at[0]);
		if (!is_one) pair_map_clear(&g->seen);
		for (uint32_t i = 0; i < g->level.n && !status && !is_one; i++) {
			uint32_t ref = g->level.at[i];
			const struct graph_node *x = ref & NODE ? &g->nodes.at[ref & ~NODE] : NULL;
			if (!x || x->is_top) {
				status = add_parents(m, g, x ? x->frame : ref);
				continue;
			}
			for (uint32_t l = x->link; l && !status; l = g->links.at[l].next)
				status = add_below(m, g, g->links.at[l].to);
		}
		if (UNLIKELY(status)) return status;
		struct vec32 t = g->level;
		g->level = g->below;
		g->below = t;
	}
	return GCDC_OK;
}
