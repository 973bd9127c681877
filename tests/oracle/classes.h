// Are tokens of a class what they are said to be?
#ifndef ORACLE_CLASSES_H
#define ORACLE_CLASSES_H

#include "../../lib/include/gcdc/runtime.h"

// Behind random tokens each token of a class does to the place what the first one of its class does. NULL, or what is
// wrong, with *token. *n grows by the steps that were compared.
const char *classes_differ(const gcdc_artifact *a, uint64_t seed, uint64_t *n, uint32_t *token);
// Masks of few tokens, too, are made as those of many.
void take_few_for_many(gcdc_matcher *m);
// The same of rows of tokens that merges leave apart from one behind them: one more than the token in question.
const char *pairs_differ(const gcdc_artifact *a, uint32_t *left, uint32_t *right);

// far_least of a token where the matcher stands.
uint32_t bound_of_far_budgets(gcdc_matcher *m, uint32_t token);
// The same in bytes, behind the token, a blank and a character, where no search has been made.
uint32_t bound_of_far_bytes(gcdc_matcher *m, uint32_t token);

#endif
