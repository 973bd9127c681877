// The known top of a stack whose lower part is unknown, and what one terminal does to it.
//
// In:  frames (immutable, shared, in an arena) and a terminal. Out: more frames, or how far below the known part the
// parser wants to look. Cost: one step for each action.
#ifndef GCDC_TABLES_FRAMES_H
#define GCDC_TABLES_FRAMES_H

#include "../lr/lr.h"

struct frame {
	lr_state state;
	uint32_t depth;             // frames known from here down, itself included
	const struct frame *below;  // NULL: unknown
};

struct frame_step {
	enum { STEP_SHIFTED, STEP_BELOW, STEP_REFUSED } kind;
	const struct frame *top;  // STEP_SHIFTED
	uint32_t pop, lhs;        // STEP_BELOW: pop so many unknown frames; on the one then seen push goto(lhs); go on
};

const struct frame *frames_push(struct arena *a, const struct frame *below, lr_state s);
// STEP_REFUSED: no valid stack has this top and this terminal.
struct frame_step frames_shift(const struct lr *lr, struct arena *a, const struct frame *top, terminal_id t);
// The frame that STEP_BELOW asked for has been read: `base`. Goes on with the same terminal.
struct frame_step frames_resume(const struct lr *lr, struct arena *a, lr_state base, uint32_t lhs, terminal_id t);

#endif
