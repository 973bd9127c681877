// Which rules are regular languages. (regular.c)
#ifndef GCDC_NOTATION_REGULAR_H
#define GCDC_NOTATION_REGULAR_H

#include "pieces.h"

// [rules] a piece without references, or PIECE_NONE. Bodies of the other rules get these put in.
piece_id *regular_rules(struct notation_rules *r, struct arena *arena);
// The body of a rule that names no rule but itself, and that at the end of alternatives only, without its name;
// PIECE_NONE where that is not so.
piece_id without_itself(struct notation_rules *r, piece_id body, uint32_t rule);

#endif
