// Stacks of the parser: frames in a pool, counted (frame_pool.c).
//
// Cost: a push is a write and a count; a release is one step, however deep the stack is.
#ifndef GCDC_RUNTIME_FRAME_POOL_H
#define GCDC_RUNTIME_FRAME_POOL_H

#include <assert.h>

#include "../../include/gcdc/runtime.h"
#include "branch_hints.h"

// ---- Stacks: immutable frames in a pool that a family of matchers shares.
// Invariant: frame 1 is the bottom (lr_state 1, depth 0) and is never released; frame 0 is not used.
// Where the grammar leaves a choice, several stacks share a top: `parent` of that frame then is FRAME_LIST | the
// first cell of a list of the frames below. A cell is a record of the same pool: parent = a frame, lr_state =
// FRAME_CELL | the next cell (0: the last). So the stacks form a graph without cycles, by counts.
struct frame {
	uint32_t parent;
	uint32_t lr_state;
	uint32_t refs;
	uint32_t
		depth;  // frames below, at most; FRAME_BRANCHED: one of them or this one has a list. Free: the next free one
};
#define FRAME_LIST 0x80000000u
#define FRAME_CELL 0x80000000u
#define FRAME_BRANCHED 0x80000000u

// A released frame goes to the free list with its parent still referenced; the parent is let go when the frame is
// used again (Weizenbaum 1963). So releasing a stack of any depth is one step, and so is every later use.
struct frame_pool {
	struct frame *at;
	uint32_t n, cap;  // used at least once, allocated
	uint32_t free, n_free;
	uint32_t users;  // matchers
	uint32_t max_depth;
	uint64_t n_links;  // of graphs of stacks that were gone over or made so far
	uint32_t lowest;   // depth of the deepest frame read since this was set; 0 where stacks share frames
	const gcdc_memory *memory;
	void (*forget_costs)(struct frame_pool *p);  // frees what follows; NULL until a budget is asked for
	struct price_book *prices;                   // NULL until a budget is asked for
	struct step_table *step_table;               // with prices
	uint32_t most;                               // with prices: the greatest number of COST_MOST
	struct frame_cost {
		uint32_t stamp, bound, class, least;
	} * cost;  // [cap] with prices
};
// stamp: changes when a frame is used anew. bound: no answer of the stack is dearer (price_bound). class, least: of
// steps that are stored (step_stored.c); class 0: not known.
#define BOUND_UNKNOWN (UINT32_MAX - 1)
#define FRAME_BOTTOM 1u
#define FRAMES_AT_FIRST 256u
#define FRAMES_MAX (1u << 28)
#ifdef NDEBUG
#define FRAMES_ARE_COUNTED 0
#else
#define FRAMES_ARE_COUNTED 1  // the last matcher gives all its frames back, and no reference may be left or lacking
#endif

struct frame_pool *frame_pool_new(const gcdc_memory *memory, uint32_t max_depth);
void frame_pool_leave(struct frame_pool *p);  // frees it when nobody is left
bool frame_pool_grow(struct frame_pool *p, uint32_t room);
bool frame_costs_grow(struct frame_pool *p, uint32_t cap);  // room for costs of cap frames, new ones unknown

// The runtime asserts what opening has proved of the file, and what its lists keep; debug builds check it.
static inline void frame_ref(struct frame_pool *p, uint32_t f)
{
	assert(f < p->n && p->at[f].refs > 0);
	p->at[f].refs++;
}
static inline void frame_unref(struct frame_pool *p, uint32_t f)
{
	struct frame *x = &p->at[f];
	assert(f < p->n && x->refs > 0);
	if (--x->refs == 0) {
		x->depth = p->free;
		p->free = f;
		p->n_free++;
	}
}
// Lets go of what a record named: a cell, or a frame with or without a list.
static inline void frame_let_go(struct frame_pool *p, const struct frame *x)
{
	if (UNLIKELY(x->lr_state & FRAME_CELL) && x->lr_state != FRAME_CELL) frame_unref(p, x->lr_state & ~FRAME_CELL);
	frame_unref(p, x->parent & ~FRAME_LIST);
}
// Room for n records to come; false: no memory.
static inline bool frame_reserve(struct frame_pool *p, uint32_t n)
{
	return LIKELY(p->n_free >= n || p->cap - p->n >= n - p->n_free) || frame_pool_grow(p, n);
}
// A record that nobody uses. After frame_reserve.
static inline uint32_t frame_take(struct frame_pool *p)
{
	uint32_t f = p->free;
	assert(f || p->n < p->cap);
	if (!f) return p->n++;
	if (UNLIKELY(p->cost != NULL)) p->cost[f] = (struct frame_cost){p->cost[f].stamp + 1, BOUND_UNKNOWN, 0, 0};
	p->free = p->at[f].depth;
	p->n_free--;
	frame_let_go(p, &p->at[f]);
	return f;
}
// A frame on top of parent, which it takes a reference to; has one itself. After frame_reserve.
static inline uint32_t frame_push(struct frame_pool *p, uint32_t parent, uint32_t lr_state)
{
	frame_ref(p, parent);
	uint32_t f = frame_take(p);
	p->at[f] = (struct frame){parent, lr_state, 1, p->at[parent].depth + 1};  // FRAME_BRANCHED goes along
	return f;
}
// A frame over n > 1 frames; takes a reference to each. After frame_reserve of n + 1 records.
uint32_t frame_push_list(struct frame_pool *p, const uint32_t *parents, uint32_t n, uint32_t lr_state);

// The frames below f, one after the other: for (struct below b = frame_below(p, f); b.frame; below_next(p, &b)).
struct below {
	uint32_t frame, rest;
};
static inline void below_next(const struct frame_pool *p, struct below *b)
{
	if (LIKELY(!b->rest)) {
		b->frame = 0;
		return;
	}
	const struct frame *cell = &p->at[b->rest];
	b->frame = cell->parent;
	b->rest = cell->lr_state & ~FRAME_CELL;
}
static inline struct below frame_below(const struct frame_pool *p, uint32_t f)
{
	uint32_t parent = p->at[f].parent;
	if (LIKELY(!(parent & FRAME_LIST))) return (struct below){parent, 0};
	struct below b = {0, parent & ~FRAME_LIST};
	below_next(p, &b);
	return b;
}
// A frame below a top has been read.
static inline void frame_note(struct frame_pool *p, uint32_t f)
{
	if (p->at[f].depth < p->lowest) p->lowest = p->at[f].depth;
}
static inline uint32_t frame_depth(const struct frame_pool *p, uint32_t f) { return p->at[f].depth & ~FRAME_BRANCHED; }

#endif
