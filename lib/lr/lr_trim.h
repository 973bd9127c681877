// What is left of an automaton when actions of its choices have gone.
#ifndef GCDC_LR_LR_TRIM_H
#define GCDC_LR_LR_TRIM_H

#include "lr_prove.h"

// Leaves of each choice what the proof keeps: `action` in place, `choice` anew in arena.
void lr_drop(struct lr *lr, const struct lr_proof *proof, struct arena *arena);
// In:  action, choice, go, production and the numbers of `lr`. Out: the same fields anew in arena, without what no run
//      reaches, lr_states that behave alike merged. LR_BOTTOM stays LR_BOTTOM.
// new_state[old], for all old n_states, receives the new number, or 0. Contexts and predecessors are not touched.
void lr_trim(struct lr *lr, struct arena *arena, uint32_t *new_state);

#endif
