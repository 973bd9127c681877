// Where tokens can end: pairs of a lex_state and the context that its lexeme began in.
//
// Of all pairs of a large schema one in four hundred is live, so each lex_state has a list of its contexts.
#ifndef GCDC_TABLES_LIVE_PAIRS_H
#define GCDC_TABLES_LIVE_PAIRS_H

#include "../shared/search.h"
#include "viability.h"

#define LIVE_NO_START UINT32_MAX

struct live_pair {
	uint32_t context;
	uint32_t start;  // row of the tables' starts; plus the number of the lr_state within its context (tables.h)
};
struct live_pairs {
	uint32_t *at;                // [n_lex_states + 1] of lex_state q: pair.at[at[q]] up to pair.at[at[q + 1]]
	VEC(struct live_pair) pair;  // ascending by context
};

// Live are pairs in which a lexeme that can come about is of use. Their starts are 0.
void live_pairs_find(const struct lexer *x, const struct lr *lr, const struct viability *viable,
                     struct live_pairs *out);
void live_pairs_release(struct live_pairs *p);

// LIVE_NO_START: the pair is not live.
static inline uint32_t live_pairs_start(const struct live_pairs *p, lex_state q, uint32_t context)
{
	const uint32_t n = p->at[q + 1] - p->at[q];
	uint32_t i = p->at[q];
	if (!n) return LIVE_NO_START;
	LAST_AT_MOST(i, n, p->pair.at[i].context <= context);
	return p->pair.at[i].context == context ? p->pair.at[i].start : LIVE_NO_START;
}

#endif
