// What stepping and groups share: a stack while a terminal is pushed on it, and what happens once it is there.
#ifndef GCDC_MATCHER_STEP_H
#define GCDC_MATCHER_STEP_H

#include "runtime_internal.h"

#define LOCAL_FRAMES 32
#define PUSH_FORKS ((gcdc_status)100)   // inside only: there are several ways, ask graph_push

// A stack while a terminal is pushed: frames of the pool, parser states above them.
struct local_stack {
	uint32_t base;
	bool owned;       // base has a reference of ours
	uint32_t n;
	uint32_t at[LOCAL_FRAMES];
};

static inline uint32_t local_top(const struct frame_pool *pool, const struct local_stack *s)
{
	return s->n ? s->at[s->n - 1] : pool->at[s->base].lr_state;
}

// Would a scan in this state show that an earlier cut was wrong?
static inline bool scan_fires(const struct gcdc_artifact *a, uint32_t lex_state)
{
	const struct artifact_lex_state *x = &a->lex_states[lex_state];
	return lex_state && (x->terminal != ARTIFACT_NONE || x->flags & LEX_UNFAILABLE);
}

// Pushes t (an ignored one changes nothing). On PUSH_FORKS and errors s is the bare, unowned frame again.
gcdc_status push_one(struct gcdc_matcher *m, struct local_stack *s, uint32_t t);
// A terminal is on the stack s, leaving this residue; a byte of class c begins the next lexeme. Adds the reading that
// goes on, if any. s is used up. The one place that knows what follows a terminal.
gcdc_status after_terminal(struct gcdc_matcher *m, struct position *p, struct local_stack *s, uint32_t residue,
                           uint32_t c, uint32_t group);
// The same for n stacks on which t is still to be pushed, in whatever ways there are.
gcdc_status after_push(struct gcdc_matcher *m, struct position *p, const uint32_t *frames, uint32_t n, uint32_t t,
                       uint32_t residue, uint32_t c, uint32_t group);
// Adds a reading (frame 0: a ghost), taking over the reference.
gcdc_status add_reading(struct gcdc_matcher *m, struct position *p, uint32_t frame, uint32_t lex_state, uint32_t group);
// One byte for a group of several readings; their references are used up. What goes on is added to p.
gcdc_status step_group(struct gcdc_matcher *m, struct position *p, const struct reading *r, uint32_t n, uint32_t c);

#endif
