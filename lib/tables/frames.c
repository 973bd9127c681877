// LR actions on a partly known stack. See frames.h.
#include "frames.h"

#include "../../formats/artifact.h"

const struct frame *frames_push(struct arena *a, const struct frame *below, lr_state s)
{
	struct frame *f = arena_alloc(a, sizeof *f);
	*f = (struct frame){s, below ? below->depth + 1 : 1, below};
	return f;
}

struct frame_step frames_shift(const struct lr *lr, struct arena *a, const struct frame *top, terminal_id t)
{
	for (;;) {
		uint32_t x = lr_action(lr, top->state, t);
		if (x == 0 || x == ACTION_ACCEPT) return (struct frame_step){.kind = STEP_REFUSED};
		if (x & 1) return (struct frame_step){.kind = STEP_SHIFTED, .top = frames_push(a, top, x / 2)};
		struct lr_production p = lr->production[x / 2 - 1];
		if (p.length >= top->depth)
			return (struct frame_step){.kind = STEP_BELOW, .pop = p.length - top->depth, .lhs = p.lhs};
		for (uint32_t i = 0; i < p.length; i++) top = top->below;
		lr_state to = lr_goto(lr, top->state, p.lhs);
		if (!to) return (struct frame_step){.kind = STEP_REFUSED};
		top = frames_push(a, top, to);
	}
}

struct frame_step frames_resume(const struct lr *lr, struct arena *a, lr_state base, uint32_t lhs, terminal_id t)
{
	lr_state to = lr_goto(lr, base, lhs);
	if (!to) return (struct frame_step){.kind = STEP_REFUSED};
	return frames_shift(lr, a, frames_push(a, frames_push(a, NULL, base), to), t);
}
