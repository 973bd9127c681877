// XGrammar's EBNF: what its rules and its macros share. (ebnf.c, macros.c)
#ifndef GCDC_NOTATION_EBNF_H
#define GCDC_NOTATION_EBNF_H

#include "cursor.h"

void ebnf_skip_space(struct cursor *p);
// Behind the name that begins at `at`; `at`: none does.
size_t ebnf_name_end(const struct cursor *p, size_t at);
// A character or an escape.
uint32_t ebnf_read_char(struct cursor *p, bool in_set);
// Is the name from `from` up to the cursor a macro's? Then the call is read.
bool ebnf_macro(struct cursor *p, size_t from, piece_id *out);

#endif
