// A lint: keywords that may be glued to the word behind them.
#ifndef GCDC_COMPILE_GLUED_H
#define GCDC_COMPILE_GLUED_H

#include "../lr/lr.h"
#include "../regex/regex.h"

#define GLUED_MAX_SHOWN 8u  // pairs named in the warning

// competing: [n_contexts * context_words] terminals that compete (lexer.h). One warning at most, in d.
void warn_glued(const struct grammar *g, const struct lr *lr, const struct byte_dfa *dfa, const bits *competing,
                struct diag *d);

#endif
