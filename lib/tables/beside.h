// Which LR states can be the tops of two stacks of one text?
#ifndef GCDC_TABLES_BESIDE_H
#define GCDC_TABLES_BESIDE_H

#include "../lr/lr.h"

#define BESIDE_MAX_PAIRS 2000000u

// beside: [n_states * BITS_WORDS(n_states)] zeros, becomes: these two can be tops at the same time, with the same terminals
// read, of different stacks (s beside itself: two stacks with one top). Never too little. False: there are too many pairs,
// and nothing is said.
bool beside_find(const struct lr *lr, bits *beside);

#endif
