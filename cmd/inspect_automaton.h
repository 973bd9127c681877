// The automaton of canonical sequences, for those who draw it.
#ifndef GCDC_CMD_INSPECT_AUTOMATON_H
#define GCDC_CMD_INSPECT_AUTOMATON_H

#include "compile/compile.h"
#include "inspect.h"

// Calls for each relevant node; when `node` says true, for each node that tokens lead to from there: how many, and the
// first of them (at most INSPECT_SAMPLE).
void inspect_automaton_edges(struct inspect *x,
                             bool (*node)(struct inspect *, uint32_t, const struct product_node_view *),
                             void (*edge)(struct inspect *, uint32_t from, uint32_t to, uint32_t n,
                                          const uint32_t *tokens));

#endif
