// Lexer states in which a token may end without a difference to the parser.
#ifndef GCDC_TABLES_STAY_CLASSES_H
#define GCDC_TABLES_STAY_CLASSES_H

#include "viability.h"

// [lex_state] the first one of its class, malloc'd. By bytes only, and without columns.
lex_state *stay_classes_find(const struct viability *v);

#endif
