// Where does the lexer stand in the parser's way? Nearly nowhere, and that can be proved cheaply.
#ifndef GCDC_TABLES_SEPARABLE_H
#define GCDC_TABLES_SEPARABLE_H

#include "lex_edges.h"
#include "../lr/lr.h"

// Bit `context` of a lex_state's row: a token that ends in this lex_state, in a lexeme begun in this context, is viable
// on every stack, given that every byte can be typed. 0: not known; viability.h decides exactly. Lex_states from which
// lexemes end alike have one row: argo-workflows' 52,108 have 700.
struct safe_states {
	uint32_t words;
	uint32_t *row_of;  // [lex_state]; NULL: not looked for
	bits *row;         // [row * words]
};
void separable_build(const struct lexer *x, const struct lr *lr, const struct lex_edges *edges,
                     struct safe_states *out);
void safe_states_release(struct safe_states *s);

#endif
