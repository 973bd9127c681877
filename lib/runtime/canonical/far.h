// Budgets far away, in hard canonical mode.
#ifndef GCDC_RUNTIME_CANONICAL_FAR_H
#define GCDC_RUNTIME_CANONICAL_FAR_H

#include "../core/matcher_step.h"
#include "canonical.h"

#define FAR_AHEAD 3u       // tokens inside a lexeme that the compiler looks ahead (AHEAD_DEPTH)
#define FAR_CHARACTERS 8u  // bytes of a blank and a character
#define FAR_MOST 1000u     // tokens inside a lexeme: more than a search finds

// So many tokens end the text behind any token of the hard mask, EOS not counted. NONE: that is not known.
uint32_t far_least(const struct gcdc_matcher *m, const struct position *p);
// Is the mask under p's budget the mask without one?
bool far_is(const struct gcdc_matcher *m, const struct position *p);

#endif
