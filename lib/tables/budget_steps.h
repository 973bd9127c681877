// Masks under a budget as tables: what the runtime else works out where it is first visited.
//
// In:  costs with their groups, LR tables.  Out: struct budget_steps, for grammars where it closes within limits.
// A *step* belongs to a lexer state and the top of the stack, or to a node and the state of a frame that it reads.
// Its *parts* say which tokens are allowed when so many more may come: a part has a *value*, the least of its terms
// (what a frame so many below answers to a control, and a weight; 0 without terms), and a *ladder* of levels: the last
// with base + level <= what remains once the value is taken off is allowed. What needs more frames read is a node.
#ifndef GCDC_TABLES_BUDGET_STEPS_H
#define GCDC_TABLES_BUDGET_STEPS_H

#include "costs.h"

#define STEPS_MAX_STARTS 200000u    // pairs of a lexer state and a top
#define STEPS_MAX_STEPS 300000u     // before equal ones are one
#define STEPS_MAX_WORK 20000000u    // answers, terms and thresholds looked at: about half a second
#define STEPS_MAX_KNOWN (1u << 20)  // stacks of known states above a frame
#define STEPS_MAX_HEIGHT 128u       // known states on one another
#define STEPS_NONE UINT32_MAX

struct budget_term {
	uint32_t down, control, weight;
};
struct budget_level {
	uint32_t base;  // ascending
	set_id tokens;  // of this level and those before it; a row of SET after pack_sets
};
struct budget_part {
	uint32_t value, base, ladder;  // value STEPS_NONE: 0
};
struct budget_value {
	uint32_t down, first, n;  // of the frame so many below, and those below that: terms, by weight
};
struct budget_ladder {
	uint32_t first, n;
};
struct budget_step {
	uint32_t first_part, n_parts;
	uint32_t node, skip;  // what to read next, 1 + skip frames down; STEPS_NONE: nothing
};
struct budget_edge {
	lr_state frame;
	uint32_t step;
};
struct budget_node {
	uint32_t first, n, other;  // edges, ascending by frame; the step on all other frames that can lie there
};

struct budget_steps {
	uint32_t *start;  // [n_lex_states] node that reads the top, or STEPS_NONE; NULL: there are no steps
	VEC(struct budget_node) nodes;
	VEC(struct budget_edge) edges;
	VEC(struct budget_step) steps;  // 0: nothing is allowed
	VEC(struct budget_part) parts;
	VEC(struct budget_value) values;
	VEC(struct budget_term) terms;
	VEC(struct budget_ladder) ladders;
	VEC(struct budget_level) levels;
};

// Sets of levels are added to `sets`. Leaves *out empty where a limit is passed, and where columns decide.
void budget_steps_build(const struct costs *c, const struct lr *lr, const uint32_t *start_base, uint32_t no_start,
                        struct tokensets *sets, struct budget_steps *out);
void budget_steps_release(struct budget_steps *s);

// budget_steps_merge.c: steps as they are made, and what is left of them.
struct raw_step {
	uint32_t parts;       // a list of numbers of parts, interned
	uint32_t node, skip;  // of raw_steps.nodes, or STEPS_NONE
};
struct raw_edge {
	uint32_t frame, step;
};
struct raw_part {
	uint32_t terms, base, levels;  // lists, interned
};
struct raw_steps {
	struct intern terms;       // struct budget_term[]
	struct intern levels;      // struct budget_level[]
	struct intern parts;       // struct raw_part
	struct intern part_lists;  // uint32_t[]: numbers of parts
	struct intern steps;       // struct raw_step
	uint32_t n_nodes;
	VEC(struct raw_edge) edges;  // of all nodes, as they came
	VEC(uint32_t) edge_node;     // beside it
};
// start: [n_lex_states] raw nodes, which become nodes.
void budget_steps_merge(struct raw_steps *raw, uint32_t n_lex_states, uint32_t *start, struct budget_steps *out);

#endif
