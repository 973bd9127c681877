// Standard rows and lists of a vocabulary: sets of tokens that artifacts of many grammars have.
#ifndef GCDC_API_STANDARD_ROWS_H
#define GCDC_API_STANDARD_ROWS_H

#include "../vocab/vocab.h"

// Gives the vocabulary rows and lists, in the arena, where it has none; none for a vocabulary of few tokens, or where
// what they are made from does not compile.
void standard_rows(struct vocab *v, struct arena *arena);

#endif
