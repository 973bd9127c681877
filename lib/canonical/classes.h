// Tokens in classes, and the lists of tokens that some state forbids.
#ifndef GCDC_CANONICAL_CLASSES_H
#define GCDC_CANONICAL_CLASSES_H

#include "merges.h"

// Needs characters, sets and steps. Fills class_of, allow, added, splits, bad, marks.
bool classes_build(const struct encoder_model *model, const struct merges *m, const struct vocab *v, struct diag *d,
                   struct canonical *out);

#endif
