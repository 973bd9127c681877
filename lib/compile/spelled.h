// A lint: terminals that the vocabulary cannot spell.
#ifndef GCDC_COMPILE_SPELLED_H
#define GCDC_COMPILE_SPELLED_H

#include "../regex/regex.h"
#include "../vocab/vocab.h"

#define SPELLED_MAX_SHOWN 8u  // terminals named in the warning

// Terminals no text of which is made of bytes that some token has. One warning at most, in d.
void warn_unspelled(const struct grammar *g, const struct byte_dfa *dfa, const struct vocab *v, struct diag *d);

#endif
