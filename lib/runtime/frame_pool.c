// The pool of stack frames: growth and life. Pushing and releasing are inline in runtime_internal.h.
//
// A stack is a frame; the frame names the one below it. Frames never change while something refers to them, so stacks
// share their lower parts, and copying a stack is one count. Cost: pushing and releasing O(1) whatever the depth;
// growing doubles the block, amortised O(1).
#include "runtime_internal.h"

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

void frame_pool_leave(struct frame_pool *p)
{
	if (--p->users) return;
	const gcdc_memory *memory = p->memory;
	memory_free(memory, p->at);
	memory_free(memory, p);
}

bool frame_pool_grow(struct frame_pool *p, uint32_t room)
{
	uint64_t want = (uint64_t)p->n + room, cap = (uint64_t)p->cap * 2;
	if (cap < want) cap = want;
	if (cap > FRAMES_MAX) return false;
	struct frame *at = memory_resize(p->memory, p->at, (size_t)cap, sizeof *at);
	if (!at) return false;
	p->at = at;
	p->cap = (uint32_t)cap;
	return true;
}
