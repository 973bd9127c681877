// Standard rows of a vocabulary: bitmaps of tokens that artifacts of many grammars have.
#ifndef GCDC_API_STANDARD_ROWS_H
#define GCDC_API_STANDARD_ROWS_H

#include "../vocab/vocab.h"

// *n rows, in the arena; none for a vocabulary of few tokens, or where what they are made from does not compile.
const uint32_t *standard_rows(const struct vocab *v, struct arena *arena, uint32_t *n);

#endif
