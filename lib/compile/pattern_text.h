// A terminal's pattern as one readable line, for `inspect`.
#ifndef GCDC_COMPILE_PATTERN_TEXT_H
#define GCDC_COMPILE_PATTERN_TEXT_H

#include "../grammar/grammar.h"

// malloc'd; "" for NULL; long patterns are cut at PATTERN_TEXT_MAX bytes.
#define PATTERN_TEXT_MAX 400u
char *pattern_text(const struct term *t);

#endif
