// A pattern as rules over single characters. (characters.c)
#ifndef GCDC_NOTATION_CHARACTERS_H
#define GCDC_NOTATION_CHARACTERS_H

#include "../regex/regex.h"
#include "pieces.h"

#define CHARACTERS_MAX_STATES 4096u  // of a pattern's automaton

// A piece with the texts of the pattern that are not empty: alternatives that are rules, new in r. PIECE_NONE: the
// pattern has control tokens in it, or more than CHARACTERS_MAX_STATES states.
piece_id characters_of(struct notation_rules *r, struct languages *s, const struct term *pattern, struct loc loc);

#endif
