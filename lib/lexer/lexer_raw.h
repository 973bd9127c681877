// The lexer before minimisation; see lexer.c.
#ifndef GCDC_LEXER_LEXER_RAW_H
#define GCDC_LEXER_LEXER_RAW_H

#include "../base/intern.h"
#include "lexer.h"

// Merges lex_states and residues that behave alike, jointly; numbers them breadth-first; fills the rest of *x.
// On entry *x holds raw tables with the same meaning in `next`, `info`, `start`, `initial`.
void lexer_minimise(struct lexer *x, struct arena *arena);
// The most readings that one text can have at once; LEXER_MAX_THREADS + 1 when it is more than the limit.
uint32_t lexer_count_threads(const struct lexer *x, const struct lexer_context_map *m);

#endif
