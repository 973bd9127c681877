// Which repetitions of a grammar's terminals are counted; see counted.c.
#ifndef GCDC_COMPILE_COUNTED_H
#define GCDC_COMPILE_COUNTED_H

#include "../lexer/lexer.h"
#include "../vocab/vocab.h"

#define COUNTED_SPARE 64u  // repetitions that it must save for a counter to be worth it
#define COUNTED_KEPT 16u   // that are spelled out beyond the longest token: near the last one prices differ

// How to compile a terminal: at most `most` repetitions, counted where `place` of them are read; most 0: as it is.
struct counted_plan {
	uint32_t place, most;
	bool is_shared;                // as the regex module's
	uint32_t needs[STRING_NEEDS];  // then: as struct regex_counted has it
};
// States of a string from which on numbers share them; where prices depend on the number: from which on an artifact has
// no costs rather than all of them, and the same of a string that may not end where it is.
#define COUNTED_FREE 300u
#define COUNTED_SHARED 20000u
#define COUNTED_SHARED_FAR 400000u
// plan: [n_terminals], zeros. first: read so many at least before counting; keep: how many more are spelled out, more
// than a token can pass. True: some terminal is counted.
struct counted_room {
	uint32_t first, keep;
	const struct vocab *shared;  // NULL: no strings share their states; else those of more characters than its tokens
	uint32_t shared_states;      // begin, and of more states than these
	uint32_t begun;              // characters that a token begins with a quote, at most; 0: not known yet
	const bits *spelled;         // [terminals] those that share them from COUNTED_SHARED states on; NULL: none
};
bool counted_plan(const struct grammar *g, struct regex_cache *cache, struct counted_room room,
                  struct counted_plan *plan);
// Have strings that share their states more characters than any token can begin? Masks where one begins do not count.
bool counted_begin_short(const struct lexer *x, const struct vocab *v, const struct counted_plan *plan);
// Behind so many bytes no literal of the grammar competes.
uint32_t counted_after_literals(const struct grammar *g);

// Do states that differ in one repetition cost the same, as far as a token of `len` bytes leads from a counted state?
// row_of: [n_states], equal where what ends the lexeme, and what it costs, is; NULL: there are no costs.
bool counted_prices_hold(const struct lexer *x, const uint32_t *row_of, uint32_t len);

#endif
