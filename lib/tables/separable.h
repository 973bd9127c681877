// Where does the lexer stand in the parser's way? Nearly nowhere, and that can be proved cheaply.
#ifndef GCDC_TABLES_SEPARABLE_H
#define GCDC_TABLES_SEPARABLE_H

#include "../lexer/lexer.h"
#include "../lr/lr.h"

// safe[lex_state * n_contexts + context] = 1: a token that ends in this lex_state, in a lexeme begun in this context,
// is viable on every stack, given that every byte can be typed. 0: not known; viability.h decides exactly. malloc'd.
uint8_t *separable_build(const struct lexer *x, const struct lr *lr);

#endif
