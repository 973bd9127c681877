// Merging what behaves alike: the coarsest partition of a graph's nodes in which nodes of one class have equal labels
// and successors of equal classes, place by place.
#ifndef GCDC_BASE_REFINE_H
#define GCDC_BASE_REFINE_H

#include "mem.h"

#define REFINE_NONE UINT32_MAX  // "no successor here", equal only to itself

// A node as it is described: words that tell it apart, and its successors in order.
struct refine_node {
	VEC(uint32_t) label;
	VEC(uint32_t) successors;  // nodes, or REFINE_NONE
};

// `describe` is called once for each node 0..n-1, with *node empty. class_of[n] receives classes numbered by first
// appearance; returns their number. Cost: some edges x log n look-ups.
uint32_t refine_partition(uint32_t n, void (*describe)(void *user, uint32_t node, struct refine_node *out), void *user,
                          uint32_t *class_of);

#endif
