// Which rules are regular languages. (regular.c)
#ifndef GCDC_NOTATION_REGULAR_H
#define GCDC_NOTATION_REGULAR_H

#include "pieces.h"

// [rules] a piece without references, or PIECE_NONE. Bodies of the other rules get these put in.
piece_id *regular_rules(struct notation_rules *r, struct arena *arena);

#endif
