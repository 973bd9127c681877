// Frames all of whose stacks are stacks of another one that stands beside them.
//
// In:  frames. Out: those that are not within another one. `a JOIN b JOIN c ..` can have been grouped in as many
// ways as there are joins, and each join would add a frame to all lists.
// Cost: at most WITHIN_PAIRS pairs of frames an answer; answers that are yes are kept with the frames' stamps.
#include "graph_internal.h"

#define WITHIN_DEPTH 4u   // frames that are compared below two
#define WITHIN_PAIRS 24u  // pairs of frames, for one answer

static struct within *within_of(struct graph *g, uint32_t a, uint32_t b)
{
	return &g->within[(a * 31 + b) & (WITHIN_KEPT - 1)];
}

// Is every stack of a one of b? Yes is kept and sure; no may be that it would take more than WITHIN_PAIRS to know, or
// WITHIN_DEPTH: what is kept of the frames below is what makes that enough.
static bool is_within(const struct gcdc_matcher *m, struct graph *g, uint32_t a, uint32_t b, uint32_t depth,
                      uint32_t *pair_map)
{
	const struct frame_pool *pool = m->pool;
	if (a == b) return true;
	if (pool->at[a].lr_state != pool->at[b].lr_state || a == FRAME_BOTTOM || b == FRAME_BOTTOM) return false;
	const struct within key = {a, b, pool->cost[a].stamp, pool->cost[b].stamp};
	if (!memcmp(within_of(g, a, b), &key, sizeof key)) return true;
	if (!depth) return false;
	for (struct below x = frame_below(pool, a); x.frame; below_next(pool, &x)) {
		bool found = false;
		for (struct below y = frame_below(pool, b); y.frame && !found; below_next(pool, &y)) {
			if (!*pair_map) return false;
			--*pair_map;
			found = is_within(m, g, x.frame, y.frame, depth - 1, pair_map);
		}
		if (!found) return false;
	}
	*within_of(g, a, b) = key;
	return true;
}

static bool frame_within(const struct gcdc_matcher *m, struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t pair_map = WITHIN_PAIRS;
	return is_within(m, g, a, b, WITHIN_DEPTH, &pair_map);
}

void graph_drop_within(const struct gcdc_matcher *m, struct graph *g, struct vec32 *frames)
{
	if (frames->n > WITHIN_BESIDE) return;
	for (uint32_t i = frames->n; i--;) {
		bool is_found = false;
		for (uint32_t k = 0; k < frames->n && !is_found; k++)
			is_found = k != i && frame_within(m, g, frames->at[i], frames->at[k]);
		if (is_found) frames->at[i] = frames->at[--frames->n];
	}
	vec32_sort(frames);
}

bool graph_has_around(const struct gcdc_matcher *m, struct graph *g, uint32_t node, uint32_t to)
{
	uint32_t l = g->nodes.at[node].link;
	for (uint32_t n = 0; l && n < WITHIN_BESIDE; n++, l = g->links.at[l].next)
		if (!(g->links.at[l].to & NODE) && frame_within(m, g, to, g->links.at[l].to)) return true;
	return false;
}
