// Where lexer states lead, byte by byte, each state once; and sets that spread back along these steps.
#ifndef GCDC_TABLES_LEX_EDGES_H
#define GCDC_TABLES_LEX_EDGES_H

#include "../lexer/lexer.h"

struct lex_edges {
	uint32_t *first;  // [n_states + 1] into to
	VEC(lex_state) to;
};

// Other than to the state itself and to the dead state. Cost: states x classes.
void lex_edges_find(const struct lexer *x, struct lex_edges *e);
void lex_edges_release(struct lex_edges *e);
// rows: [lex_state * words]. What is in the row of a state that one leads to is in its own row, too. also: so is what
// is in the row of its other ways to end.
void lex_edges_spread_back(const struct lexer *x, const struct lex_edges *e, bool also, bits *rows, uint32_t words);

#endif
