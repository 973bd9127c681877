// Can the number of stacks that one text keeps alive grow with its length?
#ifndef GCDC_LR_LR_GROWTH_H
#define GCDC_LR_LR_GROWTH_H

#include "lr.h"

#define GROWTH_MAX_SETS 4000u    // sets of stacks looked at, then the answer is yes
#define GROWTH_MAX_WORK 400000u  // stacks looked at

// False only when it is proved that at most *most stacks (at least 1) are ever alive at once.
bool lr_may_grow(const struct lr *lr, uint32_t *most);

#endif
