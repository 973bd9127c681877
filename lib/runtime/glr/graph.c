// Several stacks at once: pushing a terminal where the grammar leaves a choice, and reading stacks that share tops.
//
// In:  tops of stacks, a terminal.  Out: the tops after it, every way of reducing taken.
// Nodes of this push are keyed by lr_state; a link leads to what lies below: a frame of the pool, or another node
// (after an empty production). A reduction of length n goes down n links by levels, each record once a level; what
// it goes to gets a link to each record that it reached. A new link to a node that was done already is gone through
// from there; once nodes stand on nodes, everything is gone through again until nothing is new, since a longer way
// may lead over the new link (right-nullable rules; Nozohoor-Farshi 1991). Then the shifts of all nodes with one
// target become one frame (Tomita 1985), and only nodes that lie below such a frame become frames.
// A frame whose stacks are all stacks of another one that stands beside it is left out: `a JOIN b JOIN c ..` can have
// been grouped in as many ways as there are joins, and each join would add a frame to all lists (frames_within).
// The graph has no cycles: the compiler takes out the rules that would make some; a forged one is an error.
// Cost: records visited and links made, bounded by max_stacks; reading, links of frames that are new. Stacks that share
// a parse mostly find the same sets: such lists are stored once, and united once.
#include "../core/runtime_internal.h"

#define NODE 0x80000000u     // in a reference: a node of this push, else a frame
#define KEPT_MAX (1u << 15)  // of what nodes find below frames; then all is forgotten
#define KEPT_SETS_MAX (1u << 18)
#define FEW_SETS 16u             // compared one by one
#define FEW_LISTS 8u             // of sets, that one union remembers
#define WITHIN_KEPT 256u         // what is known of frames within others; a power of two
#define WITHIN_DEPTH 4u          // frames that are compared below two
#define WITHIN_PAIRS 24u         // pairs of frames, for one answer
#define WITHIN_BESIDE 8u         // frames beside it with which one is compared
#define KEY_NODE UINT32_MAX      // pairs (KEY_NODE, lr_state) -> node
#define KEY_OUTCOME 0x40000000u  // pairs (KEY_OUTCOME | node, lr_state shifted to)

struct node {
	uint32_t lr_state;
	uint32_t frame;  // that it is: at the tops given, and when made
	uint32_t link;   // newest, 0: none
	uint8_t is_top;  // a top given: what lies below it are its frame's
	uint8_t queued;  // to be gone through whole
	uint8_t mark;    // while frames are made: 1 begun, 2 done
};
struct link {
	uint32_t to, next;
};
struct job {
	uint32_t node, link;
};  // link 0: the whole node
struct within {
	uint32_t a, b, stamp_a, stamp_b;
};  // all stacks of a are stacks of b; a 0: free
struct kept {
	uint32_t stamp, first, n;
};  // sets in kept_sets that a node finds below a frame
struct found {
	uint32_t set, node, frame, kept;
};  // a frame that was read: its set, the node that goes on below it (0: none), the index of what that finds, or NONE
struct pending {
	struct job job;
	uint32_t first;
};  // first of its records in `found`, the last ones there when it is on top; NONE: not read yet
struct outcome {
	uint32_t lr_state, node;
	bool is_kept;
};  // is_kept: the node itself stays the top (ACTION_SKIP)

#define LIST_OF(type)                                                                                                  \
	struct {                                                                                                           \
		struct type *at;                                                                                               \
		uint32_t n, cap;                                                                                               \
	}
struct graph {
	LIST_OF(node) nodes;
	LIST_OF(link) links;
	LIST_OF(job) jobs;
	LIST_OF(outcome) outcomes;
	struct pair_map known;  // links, nodes, outcomes
	struct pair_map seen;   // records of a level
	struct vec32 level, below;
	struct vec32 path;  // nodes whose frames are being made
	struct vec32 parents;
	struct vec32 made;  // frames, a reference each
	struct vec32 tops;
	struct vec32 sets;
	LIST_OF(pending) pending;
	LIST_OF(found) found;
	struct pair_map kept_of;  // node of the automaton, frame -> kept
	LIST_OF(kept) kept;
	struct vec32 kept_sets;
	struct within within[WITHIN_KEPT];
	uint32_t work;
	bool is_deep;  // a node stands on a node
};

static bool grow(const gcdc_memory *memory, void *list, uint32_t size)
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
#define PUSH(memory, list, ...)                                                                                        \
	(((list)->n < (list)->cap || grow(memory, list, sizeof *(list)->at)) &&                                            \
	 ((list)->at[(list)->n++] = (__typeof__(*(list)->at))__VA_ARGS__, true))

void graph_free(const gcdc_memory *memory, struct graph *g)
{
	if (!g) return;
	void *blocks[] = {g->nodes.at, g->links.at,   g->jobs.at,  g->outcomes.at, g->known.at, g->seen.at,
	                  g->level.at, g->below.at,   g->path.at,  g->parents.at,  g->made.at,  g->tops.at,
	                  g->sets.at,  g->pending.at, g->found.at, g->kept_of.at,  g->kept.at,  g->kept_sets.at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(memory, blocks[i]);
	memory_free(memory, g);
}

static struct graph *graph_of(struct gcdc_matcher *m)
{
	if (LIKELY(m->graph != NULL)) return m->graph;
	struct graph *g = memory_resize(&m->artifact->memory, NULL, 1, sizeof *g);
	if (g) *g = (struct graph){0};
	return m->graph = g;
}

static uint32_t state_of(const struct gcdc_matcher *m, const struct graph *g, uint32_t ref)
{
	assert(ref & NODE ? (ref & ~NODE) < g->nodes.n : ref < m->pool->n && m->pool->at[ref].refs);
	return ref & NODE ? g->nodes.at[ref & ~NODE].lr_state : m->pool->at[ref].lr_state;
}

// ---- Frames within others.
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

// Leaves out of a list of frames, each there once, those that are within another one.
static void drop_within(const struct gcdc_matcher *m, struct graph *g, struct vec32 *frames)
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

// Is there already a link of the node to a frame that this one is within?
static bool has_around(const struct gcdc_matcher *m, struct graph *g, uint32_t node, uint32_t to)
{
	uint32_t l = g->nodes.at[node].link;
	for (uint32_t n = 0; l && n < WITHIN_BESIDE; n++, l = g->links.at[l].next)
		if (!(g->links.at[l].to & NODE) && frame_within(m, g, to, g->links.at[l].to)) return true;
	return false;
}

// ---- Going down.
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

// level becomes what lies `steps` below it.
// Branches: runs of frames with one parent are passed in a loop of their own, as most stacks have nothing else.
static gcdc_status descend(struct gcdc_matcher *m, struct graph *g, uint32_t steps)
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
			const struct node *x = ref & NODE ? &g->nodes.at[ref & ~NODE] : NULL;
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

// ---- One push.
static gcdc_status queue(struct gcdc_matcher *m, struct graph *g, uint32_t node, uint32_t link)
{
	struct node *x = &g->nodes.at[node];
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
	if (!is_new || (!(to & NODE) && has_around(m, g, n, to))) return GCDC_OK;
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

static gcdc_status reduce(struct gcdc_matcher *m, struct graph *g, struct job j, const struct artifact_production *p)
{
	const struct gcdc_artifact *a = m->artifact;
	const gcdc_memory *memory = &a->memory;
	gcdc_status status = GCDC_OK;
	if (j.link && !p->length) return GCDC_OK;  // done with the whole node
	g->level.n = 0;
	if (!vec32_push(memory, &g->level, j.link ? g->links.at[j.link].to : j.node | NODE)) return GCDC_ERR_MEMORY;
	status = descend(m, g, p->length - (j.link ? 1u : 0u));
	for (uint32_t i = 0; i < g->level.n && !status; i++) {
		uint32_t ref = g->level.at[i], row = a->lr_states[state_of(m, g, ref)].goto_row;
		uint32_t to = a->lr_goto[(uint64_t)row * a->info.n_nonterminals + p->lhs];
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

static gcdc_status act(struct gcdc_matcher *m, struct graph *g, struct job j, uint32_t action)
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
		struct job j = g->jobs.at[i];
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
	drop_within(m, g, &g->parents);
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
static gcdc_status gather_below(struct gcdc_matcher *m, struct graph *g, const struct node *x)
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
		struct node *x = &g->nodes.at[g->path.at[g->path.n - 1]];
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
			const struct node *x = &g->nodes.at[o->node];
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
		const struct node top = {.lr_state = m->pool->at[frames[i]].lr_state, .frame = frames[i], .is_top = 1};
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

// ---- Reading stacks. A job is (node of the automaton, frame that was read last).
// What a node finds below a frame never changes while the frame lives, so it is kept, with the frame's stamp: a new
// frame on old ones asks these, and nothing further down.
static void kept_trim(struct graph *g)
{
	if (g->kept.n <= KEPT_MAX && g->kept_sets.n <= KEPT_SETS_MAX) return;
	pair_map_clear(&g->kept_of);
	g->kept.n = g->kept_sets.n = 0;
}

// The index of what is kept of a job; NONE: nothing, or of a frame that stood there before.
static uint32_t kept_find(const struct gcdc_matcher *m, const struct graph *g, struct job j)
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
static gcdc_status keep(struct gcdc_matcher *m, struct graph *g, struct job j, uint32_t like)
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
static gcdc_status read_frames(struct gcdc_matcher *m, struct graph *g, struct job j)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_node *n = &a->nodes[j.node];
	g->level.n = 0;
	if (!vec32_push(&a->memory, &g->level, j.link)) return GCDC_ERR_MEMORY;
	if (UNLIKELY(n->skip >= frame_depth(m->pool, j.link))) return GCDC_ERR_INTERNAL;
	gcdc_status status = descend(m, g, n->skip + 1);
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
		const struct job below = {x->node, x->frame};
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
	const struct job j = g->pending.at[at].job;
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
	const struct job first = {node, f};
	gcdc_status status = PUSH(memory, &g->pending, {first, ARTIFACT_NONE}) ? GCDC_OK : GCDC_ERR_MEMORY;
	while (g->pending.n && !status) status = advance(m, g);
	if (status) return status;
	const struct kept *x = &g->kept.at[kept_find(m, g, first)];  // g->sets may be of another job
	g->sets.n = 0;
	for (uint32_t i = 0; i < x->n; i++)
		if (!vec32_push(memory, &g->sets, g->kept_sets.at[x->first + i])) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}
