// What tests ask of a grammar that some front end has made.
#ifndef GCDC_GRAMMAR_TEXT_H
#define GCDC_GRAMMAR_TEXT_H

#include "grammar/grammar.h"

// Readable text of terminals and productions.
void grammar_dump(const struct grammar *g, FILE *out);
// The first broken invariant as text (static), or NULL.
const char *grammar_check(const struct grammar *g);

#endif
