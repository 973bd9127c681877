// The pool of stack frames: growth and life. Pushing and releasing are inline in runtime_internal.h.
//
// A stack is a frame; the frame names the one below it. Frames never change while something refers to them, so stacks
// share their lower parts, and copying a stack is one count. A frame may stand on several (runtime_internal.h): then
// it stands for as many stacks. Cost: pushing and releasing O(1) whatever the depth, O(frames below) with several;
// growing doubles the block, amortised O(1).
#include "matcher_step.h"

struct frame_pool *frame_pool_new(const gcdc_memory *memory, uint32_t max_depth)
{
	struct frame_pool *p = memory_resize(memory, NULL, 1, sizeof *p);
	if (!p) return NULL;
	*p = (struct frame_pool){.users = 1, .max_depth = max_depth, .memory = memory};
	p->at = memory_resize(memory, NULL, FRAMES_AT_FIRST, sizeof *p->at);
	if (!p->at) {
		memory_free(memory, p);
		return NULL;
	}
	p->cap = FRAMES_AT_FIRST;
	p->at[0] = (struct frame){0};
	p->at[FRAME_BOTTOM] = (struct frame){.lr_state = 1, .refs = 1};
	p->n = FRAME_BOTTOM + 1;
	return p;
}

#ifndef NDEBUG
// No stack is left: each reference is one that a record has, used or free. Takes them all away.
static bool references_agree(struct frame_pool *p)
{
	for (uint32_t f = FRAME_BOTTOM + 1; f < p->n; f++) {
		const struct frame *x = &p->at[f];
		if (x->lr_state & FRAME_CELL && x->lr_state != FRAME_CELL) p->at[x->lr_state & ~FRAME_CELL].refs--;
		p->at[x->parent & ~FRAME_LIST].refs--;
	}
	uint32_t f = FRAME_BOTTOM + 1;
	while (f < p->n && !p->at[f].refs) f++;
	return f == p->n && p->at[FRAME_BOTTOM].refs == 1;
}
#endif

void frame_pool_leave(struct frame_pool *p)
{
	if (--p->users) return;
	if (p->forget_costs) p->forget_costs(p);
	assert(references_agree(p));
	const gcdc_memory *memory = p->memory;
	memory_free(memory, p->at);
	memory_free(memory, p->cost);
	memory_free(memory, p);
}

bool frame_costs_grow(struct frame_pool *p, uint32_t cap)
{
	uint32_t known = p->cost ? p->cap : 0;
	struct frame_cost *cost = memory_resize(p->memory, p->cost, cap, sizeof *cost);
	if (!cost) return false;
	for (uint32_t f = known; f < cap; f++) cost[f] = (struct frame_cost){0, BOUND_UNKNOWN, 0, 0};
	p->cost = cost;
	return true;
}

bool frame_pool_grow(struct frame_pool *p, uint32_t room)
{
	uint64_t want = (uint64_t)p->n + room, cap = (uint64_t)p->cap * 2;
	if (cap < want) cap = want;
	if (cap > FRAMES_MAX) return false;
	if (p->cost && !frame_costs_grow(p, (uint32_t)cap)) return false;
	struct frame *at = memory_resize(p->memory, p->at, (size_t)cap, sizeof *at);
	if (!at) return false;
	p->at = at;
	p->cap = (uint32_t)cap;
	return true;
}

uint32_t frame_push_list(struct frame_pool *p, const uint32_t *parents, uint32_t n, uint32_t lr_state)
{
	uint32_t next = 0, depth = 0;
	for (uint32_t i = n; i-- > 0;) {
		frame_ref(p, parents[i]);
		uint32_t cell = frame_take(p);  // what it lets go cannot be `next`, which has a reference
		p->at[cell] = (struct frame){.parent = parents[i], .lr_state = FRAME_CELL | next, .refs = 1};
		next = cell;
		if (frame_depth(p, parents[i]) > depth) depth = frame_depth(p, parents[i]);
	}
	uint32_t f = frame_take(p);
	p->at[f] = (struct frame){FRAME_LIST | next, lr_state, 1, (depth + 1) | FRAME_BRANCHED};
	return f;
}
