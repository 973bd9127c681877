// The graph of the stacks of one text: what its files share. graph.c has it and goes down in it, graph_within.c
// compares frames, graph_push.c pushes a terminal, graph_read.c reads stacks.
#ifndef GRAPH_INTERNAL_H
#define GRAPH_INTERNAL_H

#include "../core/runtime_internal.h"

#define NODE 0x80000000u     // in a reference: a node of this push, else a frame
#define WITHIN_KEPT 256u     // what is known of frames within others; a power of two
#define WITHIN_BESIDE 8u     // frames beside it with which one is compared
#define KEY_NODE UINT32_MAX  // pairs (KEY_NODE, lr_state) -> node

struct graph_node {
	uint32_t lr_state;
	uint32_t frame;  // that it is: at the tops given, and when made
	uint32_t link;   // newest, 0: none
	uint8_t is_top;  // a top given: what lies below it are its frame's
	uint8_t queued;  // to be gone through whole
	uint8_t mark;    // while frames are made: 1 begun, 2 done
};
struct link {
	uint32_t to, next;
};
struct graph_job {
	uint32_t node, link;
};  // link 0: the whole node
struct within {
	uint32_t a, b, stamp_a, stamp_b;
};  // all stacks of a are stacks of b; a 0: free
struct kept {
	uint32_t stamp, first, n;
};  // sets in kept_sets that a node finds below a frame
struct found {
	uint32_t set, node, frame, kept;
};  // a frame that was read: its set, the node that goes on below it (0: none), the index of what that finds, or NONE
struct pending {
	struct graph_job job;
	uint32_t first;
};  // first of its records in `found`, the last ones there when it is on top; NONE: not read yet
struct outcome {
	uint32_t lr_state, node;
	bool is_kept;
};  // is_kept: the node itself stays the top (ACTION_SKIP)

#define LIST_OF(type)                                                                                                  \
	struct {                                                                                                           \
		struct type *at;                                                                                               \
		uint32_t n, cap;                                                                                               \
	}
struct graph {
	LIST_OF(graph_node) nodes;
	LIST_OF(link) links;
	LIST_OF(graph_job) jobs;
	LIST_OF(outcome) outcomes;
	struct pair_map known;  // links, nodes, outcomes
	struct pair_map seen;   // records of a level
	struct vec32 level, below;
	struct vec32 path;  // nodes whose frames are being made
	struct vec32 parents;
	struct vec32 made;  // frames, a reference each
	struct vec32 tops;
	struct vec32 sets;
	LIST_OF(pending) pending;
	LIST_OF(found) found;
	struct pair_map kept_of;  // node of the automaton, frame -> kept
	LIST_OF(kept) kept;
	struct vec32 kept_sets;
	struct within within[WITHIN_KEPT];
	uint32_t work;
	bool is_deep;  // a node stands on a node
};

bool graph_list_grow(const gcdc_memory *memory, void *list, uint32_t size);
#define PUSH(memory, list, ...)                                                                                        \
	(((list)->n < (list)->cap || graph_list_grow(memory, list, sizeof *(list)->at)) &&                                 \
	 ((list)->at[(list)->n++] = (__typeof__(*(list)->at))__VA_ARGS__, true))

// The matcher's graph, made if it has none; NULL: no memory.
struct graph *graph_of(struct gcdc_matcher *m);
// Of a frame or a node.
uint32_t graph_state_of(const struct gcdc_matcher *m, const struct graph *g, uint32_t ref);
// g->level becomes what lies `steps` below it.
gcdc_status graph_descend(struct gcdc_matcher *m, struct graph *g, uint32_t steps);
// Leaves out of a list of frames, each there once, those that are within another one.
void graph_drop_within(const struct gcdc_matcher *m, struct graph *g, struct vec32 *frames);
// Is there already a link of the node to a frame that this one is within?
bool graph_has_around(const struct gcdc_matcher *m, struct graph *g, uint32_t node, uint32_t to);

#endif
