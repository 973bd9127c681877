// LR actions on a partly known stack. See partial_stack.h.
#include "partial_stack.h"

#include "../../formats/artifact.h"

const struct partial_frame *partial_stack_push(struct arena *a, const struct partial_frame *below, lr_state s)
{
	struct partial_frame *f = arena_alloc(a, sizeof *f);
	*f = (struct partial_frame){s, below ? below->depth + 1 : 1, below};
	return f;
}

// A stack and an action on it that is still to be followed.
struct stack_way {
	const struct partial_frame *top;
	uint32_t action;
};
typedef VEC(struct stack_way) ways;

// Follows it until it shifts, reads below the known frames, or comes to a choice; those are left in `todo`, the last
// one on top.
static void follow_one(const struct lr *lr, struct arena *a, struct stack_way w, terminal_id t, ways *todo,
                       frame_steps *out)
{
	uint32_t action = w.action;
	const struct partial_frame *top = w.top;
	while (!ACTION_IS_CHOICE(action)) {
		if (action == 0 || action == ACTION_ACCEPT) return;
		if (action == ACTION_SKIP || action & 1) {
			ASSERT(action == ACTION_SKIP || lr->between_lexemes[action / 2]);  // where a terminal leads to
			const struct partial_frame *to = action == ACTION_SKIP ? top : partial_stack_push(a, top, action / 2);
			ASSERT(to == top || lr_lies_below(lr, top->state, to->state));
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
		ASSERT(to);  // a production is reduced only on what it was read on
		top = partial_stack_push(a, top, to);
		action = lr_action(lr, to, t);
	}
	const uint32_t *list = lr->choice + (action & ACTION_CHOICE_MASK);
	for (uint32_t i = list[0]; i > 0; i--) vec_push(todo, ((struct stack_way){top, list[i]}));
}

// All ways on, in the order of the choices, first ones to their end. Their number may double with every reduction.
static void follow(const struct lr *lr, struct arena *a, const struct partial_frame *top, terminal_id t,
                   uint32_t action, frame_steps *out)
{
	ways todo = {0};
	uint32_t n = 0;
	vec_push(&todo, ((struct stack_way){top, action}));
	while (todo.n) {
		if (++n > FRAMES_MAX_WAYS) {
			const struct terminal *x = t < lr->n_terminals ? &lr->grammar->terminals[t] : NULL;
			if (x) work_on("terminal", x->name, x->loc);
			work_too_large("FRAMES_MAX_WAYS", FRAMES_MAX_WAYS);
		}
		follow_one(lr, a, vec_pop(&todo), t, &todo, out);
	}
	vec_release(&todo);
}

void partial_stack_shift(const struct lr *lr, struct arena *a, const struct partial_frame *top, terminal_id t,
                         frame_steps *out)
{
	follow(lr, a, top, t, lr_action(lr, top->state, t), out);
}

void partial_stack_resume(const struct lr *lr, struct arena *a, lr_state base, uint32_t lhs, terminal_id t,
                          frame_steps *out)
{
	lr_state to = lr_goto(lr, base, lhs);
	if (to) follow(lr, a, partial_stack_push(a, partial_stack_push(a, NULL, base), to), t, lr_action(lr, to, t), out);
}
