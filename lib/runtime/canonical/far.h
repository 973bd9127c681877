// Budgets far away, in hard canonical mode.
#ifndef GCDC_RUNTIME_CANONICAL_FAR_H
#define GCDC_RUNTIME_CANONICAL_FAR_H

#include "../core/matcher_step.h"
#include "canonical.h"

#define FAR_AHEAD 3u       // tokens inside a lexeme that the compiler looks ahead (AHEAD_DEPTH)
#define FAR_CHARACTERS 5u  // bytes of a blank and a character
#define FAR_MOST 1000u     // tokens inside a lexeme: more than a search finds

// What CANON_FAR says.
struct far_tables {
	uint32_t terminal;                    // a lexeme more needs so much more
	uint32_t characters;                  // lexemes that a blank and a character may end
	uint32_t more_needs[FAR_MORE_NEEDS];  // whatever the state, where more may end than kinds tell
	uint32_t frame;                       // the same of frames
	uint32_t ends, ends_most;             // lexemes that tokens may end: those in no row; any
	uint32_t n_kinds;
	struct far_kind {
		uint32_t frame, need[FAR_NEEDS];
	} * kinds;                 // [n_kinds]
	uint32_t *of_state;        // [n_lr_states] a kind
	uint32_t *more[FAR_ENDS];  // rows: tokens that may end more than `ends` + so many
	uint32_t n_last;
	struct far_token {
		uint32_t token, ends;
	} * last;  // [n_last] those of the last one, ascending
};

// Reads the numbers; to NULL: looks at them only. False: they are not as they should be, or there is no memory.
bool far_read(const struct gcdc_artifact *a, const uint8_t *bytes, uint64_t size, struct far_tables *to);
void far_free(const gcdc_memory *memory, struct far_tables *x);
// The cache's; NULL: there are none.
const struct far_tables *far_tables_of(struct gcdc_matcher *m);
uint32_t far_ends_of(const struct far_tables *x, uint32_t token);

// So many tokens end the text behind a token of the hard mask, EOS not counted. NONE: that is not known.
uint32_t far_least(struct gcdc_matcher *m, const struct position *p, uint32_t token);
// Tokens that may end fewer lexemes than this are in the mask under p's budget if they are in the mask without one:
// those that lead on by themselves; those of which a search has found that others lead on. FAR_ALL: all are.
#define FAR_ALL UINT32_MAX
struct far_fewer {
	uint32_t plain, led;
};
struct far_fewer far_fewer(struct gcdc_matcher *m, const struct position *p);
// Is the mask under p's budget the mask without one? Of all tokens; of this one.
static inline bool far_is_all(struct far_fewer x) { return x.plain == FAR_ALL && x.led == FAR_ALL; }
static inline bool far_is(struct gcdc_matcher *m, const struct position *p) { return far_is_all(far_fewer(m, p)); }
bool far_is_behind(struct gcdc_matcher *m, const struct position *p, uint32_t token);
// The row's tokens of which that is not known, into near.
void far_near(const struct gcdc_matcher *m, struct far_fewer x, const uint32_t *row, uint32_t *near);

#endif
