// Sets of bytes: with which terminals begin.
#ifndef GCDC_LEXER_BYTE_SET_H
#define GCDC_LEXER_BYTE_SET_H

#include "../base/bitset.h"
#include "lexer.h"

struct byte_set {
	bits at[4];
};

// Adds the bytes by which d goes on from a state.
static inline void byte_set_add_steps(struct byte_set *s, const struct byte_dfa *d, uint32_t state)
{
	for (uint32_t b = 0; b < 256; b++)
		if (dfa_step(d, state, (uint8_t)b) != DFA_DEAD) bits_set(s->at, b);
}

static inline bool byte_sets_meet(const struct byte_set *a, const struct byte_set *b)
{
	return ((a->at[0] & b->at[0]) | (a->at[1] & b->at[1]) | (a->at[2] & b->at[2]) | (a->at[3] & b->at[3])) != 0;
}

#endif
