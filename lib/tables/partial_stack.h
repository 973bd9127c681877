// Partial stacks: the known top of a stack whose lower part is unknown, and what one terminal does to it.
//
// In:  frames (immutable, shared, in an arena) and a terminal. Out: more frames, or how far below the known part the
// parser wants to look; for each way that a conflict leaves open. Cost: one step for each action.
#ifndef GCDC_TABLES_FRAMES_H
#define GCDC_TABLES_FRAMES_H

#include "../lr/lr.h"

struct partial_frame {
	lr_state state;
	uint32_t depth;                     // frames known from here down, itself included
	const struct partial_frame *below;  // NULL: unknown
};

// One way to go on. A choice of the parser gives several; a terminal that no valid stack takes here gives none.
struct frame_step {
	enum { STEP_SHIFTED, STEP_BELOW } kind;
	const struct partial_frame *top;  // STEP_SHIFTED (or ignored there: then the top as it was)
	uint32_t pop, lhs;  // STEP_BELOW: pop so many unknown frames; on the one then seen push goto(lhs); go on
};
typedef VEC(struct frame_step) frame_steps;

#define FRAMES_MAX_WAYS (1u << 20)  // for one terminal on one stack; more is an error that names the terminal

const struct partial_frame *partial_stack_push(struct arena *a, const struct partial_frame *below, lr_state s);
// Adds every way to take the terminal to `out`.
void partial_stack_shift(const struct lr *lr, struct arena *a, const struct partial_frame *top, terminal_id t,
                         frame_steps *out);
// The frame that STEP_BELOW asked for has been read: `base`. Goes on with the same terminal.
void partial_stack_resume(const struct lr *lr, struct arena *a, lr_state base, uint32_t lhs, terminal_id t,
                          frame_steps *out);

#endif
