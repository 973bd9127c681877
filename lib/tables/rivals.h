// What other stacks of the same text may be scanning, for each lex_state.
//
// In:  lexer, LR tables, what competes beside each context (coupling.h), terminals' DFAs.
// Out: where a lexeme can end whatever the other stacks are.
#ifndef GCDC_TABLES_RIVALS_H
#define GCDC_TABLES_RIVALS_H

#include "../lexer/lexer.h"
#include "../base/intern.h"
#include "../base/map64.h"
#include "coupling.h"

// What is in a reading's way: other stacks with the same lexeme; or also ghosts, that is lexemes which other stacks began earlier.
enum in_the_way { STACKS, STACKS_AND_GHOSTS };

// Sets of bytes, a bit each. [2]: by what is in the way.
struct rivals {
	const struct lexer *x;
	const struct coupling *c;
	struct intern sets;    // of lex_states, ascending, that other stacks may be in; 0: empty
	struct map64 next;     // set, byte -> set

	uint64_t (*quiet[2])[4];  // [lex_state] when the lexeme ends before such a byte, nothing of another stack goes on
	uint64_t (*alone[2])[4];  // [lex_state] after such a byte of the lexeme other stacks are in the same lex_state, or dead; no ghost lives
	uint8_t *stuck[2];        // [lex_state] something of another stack may be in a lexeme that no text makes fail
	uint64_t (*laid)[4];   // [lex_state] once such a byte has come, no ghost of an earlier lexeme lives
	uint32_t *best;        // [lex_state] the best rank of what the lexeme is on another stack when it ends here; or UINT32_MAX
};

void rivals_build(const struct lexer *x, const struct lr *lr, const struct coupling *c, struct rivals *out);
void rivals_release(struct rivals *r);

// What other stacks may be in when this one begins a lexeme in a context, and after one more byte of it.
uint32_t rivals_start(struct rivals *r, uint32_t context);
uint32_t rivals_step(struct rivals *r, uint32_t set, uint8_t byte);
// Are all of them in q?
bool rivals_are_in(const struct rivals *r, uint32_t set, lex_state q);

static inline bool rivals_has(const uint64_t set[4], uint8_t byte) { return set[byte / 64] >> (byte % 64) & 1; }

#endif
