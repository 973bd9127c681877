// The stack-reading automaton while it is built: nodes with edges apart, before they are merged and packed.
#ifndef GCDC_TABLES_AUTOMATON_H
#define GCDC_TABLES_AUTOMATON_H

#include "tables.h"

struct raw_node {
	uint32_t skip;
	VEC(struct table_edge) edges;  // ascending by frame once the node is finished
	bits *above;                   // [lr_states] the last frame read before this node: what may lie below follows
	bits *seen;                    // [lr_states] frames that have an edge already, or can have none
	bool queued;
};
typedef VEC(struct raw_node) raw_nodes;

// Merges nodes that behave alike (Moore), drops those that allow nothing, writes t->nodes and t->edges, renames the
// nodes of t->starts, and finds the worst cases.
void automaton_finish(raw_nodes *nodes, struct tables *t);

#endif
