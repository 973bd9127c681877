// Grammars without a lexer inside others: may their texts be cut by longest match?
#ifndef GCDC_COMPILE_PARTS_H
#define GCDC_COMPILE_PARTS_H

#include "../lr/lr.h"
#include "../regex/regex.h"

// Does the grammar hold a part of GBNF or EBNF?
bool has_scannerless_parts(const struct grammar *g);
// competing: [n_contexts * context_words] terminals that compete; behind: [terminal * 256] bytes with which something
// can begin behind it. False after an error: the lexer would have to choose, and texts of a part would be lost.
bool parts_are_told(const struct grammar *g, const struct lr *lr, const struct byte_dfa *dfa, const bits *competing,
                    const uint8_t *behind, struct diag *d);

#endif
