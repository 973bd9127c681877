// Where the pre-tokenizer may cut: an automaton over characters whose states know every way to have cut so far.
#ifndef GCDC_CANONICAL_BOUNDARY_H
#define GCDC_CANONICAL_BOUNDARY_H

#include "pattern.h"

#define BOUNDARY_MAX_STATES 20000u  // of the automaton of pieces
#define BOUNDARY_MAX_CUTS 8u

struct boundary_groups {
	const uint64_t *items;  // [g] which items the characters of group g match
	uint32_t n;
};
// Fills steps, sets, info.n_sets and start_set of *out.
bool boundary_build(const struct encoder_model *model, const struct split_pattern *patterns,
                    struct boundary_groups groups, struct diag *d, struct canonical *out, uint32_t *n_states);

#endif
