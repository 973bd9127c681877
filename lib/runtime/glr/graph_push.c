// Several stacks at once: pushing a terminal where the grammar leaves a choice.
//
// In:  tops of stacks, a terminal.  Out: the tops after it, every way of reducing taken.
// Nodes of this push are keyed by lr_state; a link leads to what lies below: a frame of the pool, or another node
// (after an empty production). A reduction of length n goes down n links by levels, each record once a level; what
// it goes to gets a link to each record that it reached. A new link to a node that was done already is gone through
// from there; once nodes stand on nodes, everything is gone through again until nothing is new, since a longer way
// may lead over the new link (right-nullable rules; Nozohoor-Farshi 1991). Then the shifts of all nodes with one
// target become one frame (Tomita 1985), and only nodes that lie below such a frame become frames.
// Cost: records visited and links made, bounded by max_stacks.
#include "graph_internal.h"

#define KEY_OUTCOME 0x40000000u  // pairs (KEY_OUTCOME | node, lr_state shifted to)

static gcdc_status queue(struct gcdc_matcher *m, struct graph *g, uint32_t node, uint32_t link)
{
	struct graph_node *x = &g->nodes.at[node];
	assert(node < g->nodes.n && link < g->links.n);
	if (x->queued) return GCDC_OK;
	if (!link) x->queued = 1;
	return PUSH(&m->artifact->memory, &g->jobs, {node, link}) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// The node of lr_state gets a link down to `to`.
// Branches: a link may be new, its node may be new, and each of five allocations may fail.
static gcdc_status add_link(struct gcdc_matcher *m, struct graph *g, uint32_t lr_state, uint32_t to)
{
	const gcdc_memory *memory = &m->artifact->memory;
	bool is_new_node, is_new;
	assert(lr_state < m->artifact->info.n_lr_states);
	if (UNLIKELY(++g->work > m->max_stacks)) return GCDC_ERR_STACKS;
	uint32_t *node = pair_map_add(memory, &g->known, KEY_NODE, lr_state, &is_new_node);
	if (!node) return GCDC_ERR_MEMORY;
	if (is_new_node) {
		*node = g->nodes.n;
		if (!PUSH(memory, &g->nodes, {.lr_state = lr_state})) return GCDC_ERR_MEMORY;
	}
	uint32_t n = *node;
	if (!pair_map_add(memory, &g->known, n, to, &is_new)) return GCDC_ERR_MEMORY;
	if (!is_new || (!(to & NODE) && graph_has_around(m, g, n, to))) return GCDC_OK;
	uint32_t link = g->links.n;
	if (!PUSH(memory, &g->links, {to, g->nodes.at[n].link})) return GCDC_ERR_MEMORY;
	g->nodes.at[n].link = link;
	if (to & NODE && !g->nodes.at[to & ~NODE].is_top) g->is_deep = true;
	if (is_new_node) return queue(m, g, n, 0);
	if (!g->is_deep) return queue(m, g, n, link);
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < g->nodes.n && !status; i++) status = queue(m, g, i, 0);
	return status;
}

static gcdc_status reduce(struct gcdc_matcher *m, struct graph *g, struct graph_job j,
                          const struct artifact_production *p)
{
	const struct gcdc_artifact *a = m->artifact;
	const gcdc_memory *memory = &a->memory;
	gcdc_status status = GCDC_OK;
	if (j.link && !p->length) return GCDC_OK;  // done with the whole node
	g->level.n = 0;
	if (!vec32_push(memory, &g->level, j.link ? g->links.at[j.link].to : j.node | NODE)) return GCDC_ERR_MEMORY;
	status = graph_descend(m, g, p->length - (j.link ? 1u : 0u));
	for (uint32_t i = 0; i < g->level.n && !status; i++) {
		const uint32_t ref = g->level.at[i], to = artifact_goto(a, graph_state_of(m, g, ref), p->lhs);
		status = to ? add_link(m, g, to, ref) : GCDC_ERR_INTERNAL;
	}
	return status;
}

static gcdc_status add_outcome(struct gcdc_matcher *m, struct graph *g, uint32_t node, uint32_t lr_state, bool is_kept)
{
	bool is_new;
	if (!pair_map_add(&m->artifact->memory, &g->known, KEY_OUTCOME | node, lr_state, &is_new)) return GCDC_ERR_MEMORY;
	if (!is_new) return GCDC_OK;
	return PUSH(&m->artifact->memory, &g->outcomes, {lr_state, node, is_kept}) ? GCDC_OK : GCDC_ERR_MEMORY;
}

static gcdc_status act(struct gcdc_matcher *m, struct graph *g, struct graph_job j, uint32_t action)
{
	if (action == ACTION_SKIP) return j.link ? GCDC_OK : add_outcome(m, g, j.node, g->nodes.at[j.node].lr_state, true);
	if (action & 1) return j.link || action >> 31 ? GCDC_OK : add_outcome(m, g, j.node, action >> 1, false);
	return reduce(m, g, j, &m->artifact->productions[(action >> 1) - 1]);
}

static gcdc_status run(struct gcdc_matcher *m, struct graph *g, uint32_t t)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < g->jobs.n && !status; i++) {
		struct graph_job j = g->jobs.at[i];
		if (!j.link) g->nodes.at[j.node].queued = 0;
		if (UNLIKELY(++g->work > m->max_stacks)) return GCDC_ERR_STACKS;
		uint32_t x = artifact_action(a, g->nodes.at[j.node].lr_state, t);
		if (!x) continue;
		if (!ACTION_IS_CHOICE(x)) {
			status = act(m, g, j, x);
			continue;
		}
		const uint32_t *list = &a->choice[x & ACTION_CHOICE_MASK];
		for (uint32_t k = 1; k <= list[0] && !status; k++) status = act(m, g, j, list[k]);
	}
	return status;
}

// ---- Frames of what is left.
// A frame over the frames of g->parents.
static gcdc_status make_frame(struct gcdc_matcher *m, struct graph *g, uint32_t lr_state, uint32_t *out)
{
	struct frame_pool *pool = m->pool;
	const struct vec32 *p = &g->parents;
	graph_drop_within(m, g, &g->parents);
	for (uint32_t i = 0; i < p->n; i++)
		if (frame_depth(pool, p->at[i]) >= pool->max_depth) return GCDC_ERR_LIMIT;
	if (!frame_reserve(pool, p->n + 1)) return GCDC_ERR_MEMORY;
	uint32_t f = p->n == 1 ? frame_push(pool, p->at[0], lr_state) : frame_push_list(pool, p->at, p->n, lr_state);
	if (!vec32_push(&m->artifact->memory, &g->made, f)) {
		frame_unref(pool, f);
		return GCDC_ERR_MEMORY;
	}
	*out = f;
	return GCDC_OK;
}

// What lies below a node, as frames, into g->parents; its nodes have been made.
static gcdc_status gather_below(struct gcdc_matcher *m, struct graph *g, const struct graph_node *x)
{
	const gcdc_memory *memory = &m->artifact->memory;
	if (x->is_top) {
		for (struct below b = frame_below(m->pool, x->frame); b.frame; below_next(m->pool, &b))
			if (!vec32_push(memory, &g->parents, b.frame)) return GCDC_ERR_MEMORY;
		return GCDC_OK;
	}
	for (uint32_t l = x->link; l; l = g->links.at[l].next) {
		uint32_t to = g->links.at[l].to;
		if (!vec32_push(memory, &g->parents, to & NODE ? g->nodes.at[to & ~NODE].frame : to)) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

// The frame of a node and of the nodes below it, those first.
static gcdc_status make_node(struct gcdc_matcher *m, struct graph *g, uint32_t node)
{
	const gcdc_memory *memory = &m->artifact->memory;
	g->path.n = 0;
	if (!vec32_push(memory, &g->path, node)) return GCDC_ERR_MEMORY;
	while (g->path.n) {
		struct graph_node *x = &g->nodes.at[g->path.at[g->path.n - 1]];
		if (x->mark == 0 && !x->frame) {
			x->mark = 1;
			for (uint32_t l = x->link; l; l = g->links.at[l].next) {
				uint32_t to = g->links.at[l].to;
				if (!(to & NODE) || g->nodes.at[to & ~NODE].frame) continue;
				if (g->nodes.at[to & ~NODE].mark == 1) return GCDC_ERR_INTERNAL;  // a cycle
				if (!vec32_push(memory, &g->path, to & ~NODE)) return GCDC_ERR_MEMORY;
			}
			continue;
		}
		g->path.n--;
		if (x->frame) continue;
		x->mark = 2;
		g->parents.n = 0;
		gcdc_status status = gather_below(m, g, x);
		if (!status) status = make_frame(m, g, x->lr_state, &x->frame);
		if (status) return status;
	}
	return GCDC_OK;
}

// The top with this lr_state, from all outcomes that have it, the first of which is at `first`.
// Branches: a top that was there already is kept, others are made from parents of two kinds, and each step may fail.
static gcdc_status make_top(struct gcdc_matcher *m, struct graph *g, uint32_t first)
{
	const gcdc_memory *memory = &m->artifact->memory;
	uint32_t lr_state = g->outcomes.at[first].lr_state, n = 0, top;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = first; i < g->outcomes.n && !status; i++)
		if (g->outcomes.at[i].lr_state == lr_state) {
			n++;
			status = make_node(m, g, g->outcomes.at[i].node);
		}
	if (status) return status;
	if (n == 1 && g->outcomes.at[first].is_kept) {
		top = g->nodes.at[g->outcomes.at[first].node].frame;
		frame_ref(m->pool, top);
		if (!vec32_push(memory, &g->made, top)) {
			frame_unref(m->pool, top);
			return GCDC_ERR_MEMORY;
		}
	} else {
		g->parents.n = 0;
		for (uint32_t i = first; i < g->outcomes.n && !status; i++) {
			const struct outcome *o = &g->outcomes.at[i];
			if (o->lr_state != lr_state) continue;
			const struct graph_node *x = &g->nodes.at[o->node];
			if (o->is_kept)
				status = gather_below(m, g, x);
			else if (!vec32_push(memory, &g->parents, x->frame))
				status = GCDC_ERR_MEMORY;
		}
		if (status) return status;
		vec32_sort(&g->parents);
		status = make_frame(m, g, lr_state, &top);
	}
	if (status) return status;
	return vec32_push(memory, &g->tops, top) ? GCDC_OK : GCDC_ERR_MEMORY;
}

static gcdc_status begin(struct gcdc_matcher *m, struct graph *g, const uint32_t *frames, uint32_t n)
{
	const gcdc_memory *memory = &m->artifact->memory;
	g->nodes.n = g->links.n = g->jobs.n = g->outcomes.n = g->made.n = g->tops.n = g->work = 0;
	g->is_deep = false;
	pair_map_clear(&g->known);
	if (!PUSH(memory, &g->links, {0, 0})) return GCDC_ERR_MEMORY;  // link 0 is none
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_node top = {.lr_state = m->pool->at[frames[i]].lr_state, .frame = frames[i], .is_top = 1};
		if (!PUSH(memory, &g->nodes, top) || queue(m, g, i, 0)) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

// Branches: frames that were made are given back on every way out, so errors are carried along instead of returned.
gcdc_status graph_push(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, uint32_t t, const uint32_t **tops,
                       uint32_t *n_tops)
{
	struct graph *g = graph_of(m);
	m->pool->lowest = 0;
	*n_tops = 0;
	if (!g) return GCDC_ERR_MEMORY;
	if (UNLIKELY(!m->pool->cost) && !frame_costs_grow(m->pool, m->pool->cap)) return GCDC_ERR_MEMORY;
	gcdc_status status = begin(m, g, frames, n);
	if (!status) status = run(m, g, t);
	m->pool->n_links += g->work;
	if (m->pool->n_links > m->most_links) status = GCDC_ERR_STACKS;
	if (!status && !g->outcomes.n) status = GCDC_ERR_INTERNAL;
	for (uint32_t i = 0; i < g->outcomes.n && !status; i++) {
		bool is_first = true;
		for (uint32_t k = 0; k < g->tops.n && is_first; k++)
			is_first = m->pool->at[g->tops.at[k]].lr_state != g->outcomes.at[i].lr_state;
		if (is_first) status = g->tops.n < m->max_readings ? make_top(m, g, i) : GCDC_ERR_STACKS;
	}
	for (uint32_t i = 0; i < g->tops.n && !status; i++) frame_ref(m->pool, g->tops.at[i]);
	for (uint32_t i = 0; i < g->made.n; i++) frame_unref(m->pool, g->made.at[i]);
	if (UNLIKELY(status)) return status;
	*tops = g->tops.at;
	*n_tops = g->tops.n;
	return GCDC_OK;
}
