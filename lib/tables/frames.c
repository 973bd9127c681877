// LR actions on a partly known stack. See frames.h.
#include "frames.h"

#include "../../formats/artifact.h"

const struct frame *frames_push(struct arena *a, const struct frame *below, lr_state s)
{
	struct frame *f = arena_alloc(a, sizeof *f);
	*f = (struct frame){s, below ? below->depth + 1 : 1, below};
	return f;
}

// The last action of a choice is followed in the loop, the others by recursion: as deep as reductions with choices
// under one terminal, which lr_loops.c makes finite.
static void follow(const struct lr *lr, struct arena *a, const struct frame *top, terminal_id t, uint32_t action,
                   frame_steps *out)
{
	for (;;) {
		if (ACTION_IS_CHOICE(action)) {
			const uint32_t *list = lr->choice + (action & ACTION_CHOICE_MASK);
			for (uint32_t i = 1; i < list[0]; i++) follow(lr, a, top, t, list[i], out);
			action = list[list[0]];
		}
		if (action == 0 || action == ACTION_ACCEPT) return;
		if (action == ACTION_SKIP || action & 1) {
			const struct frame *to = action == ACTION_SKIP ? top : frames_push(a, top, action / 2);
			vec_push(out, ((struct frame_step){.kind = STEP_SHIFTED, .top = to}));
			return;
		}
		struct lr_production p = lr->production[action / 2 - 1];
		if (p.length >= top->depth) {
			vec_push(out, ((struct frame_step){.kind = STEP_BELOW, .pop = p.length - top->depth, .lhs = p.lhs}));
			return;
		}
		for (uint32_t i = 0; i < p.length; i++) top = top->below;
		lr_state to = lr_goto(lr, top->state, p.lhs);
		if (!to) return;
		top = frames_push(a, top, to);
		action = lr_action(lr, to, t);
	}
}

void frames_shift(const struct lr *lr, struct arena *a, const struct frame *top, terminal_id t, frame_steps *out)
{
	follow(lr, a, top, t, lr_action(lr, top->state, t), out);
}

void frames_resume(const struct lr *lr, struct arena *a, lr_state base, uint32_t lhs, terminal_id t, frame_steps *out)
{
	lr_state to = lr_goto(lr, base, lhs);
	if (to) follow(lr, a, frames_push(a, frames_push(a, NULL, base), to), t, lr_action(lr, to, t), out);
}
