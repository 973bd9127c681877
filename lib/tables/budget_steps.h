// Masks under a budget as tables: what the runtime else works out where it is first visited.
//
// In:  costs with their groups, LR tables.  Out: struct budget_steps, for grammars where it closes within limits. A
// *step* belongs to a lexer state and the top of the stack, or to a node and a frame that it reads. Its *parts* say
// which tokens are allowed when so many more may come: a part has a *ladder* of levels; the last with base + level <=
// that is allowed, where the part says so once the frame's least price is added. What needs more frames read is a node.
// Frames are told by their *price class*: their state, and what they answer to questions, less the least of the
// answers, which is the frame's *least price*. It grows by a weight with each push.
#ifndef GCDC_TABLES_BUDGET_STEPS_H
#define GCDC_TABLES_BUDGET_STEPS_H

#include "../shared/search.h"
#include "costs.h"

#define STEPS_MAX_STARTS 200000u    // pairs of a lexer state and a top
#define STEPS_MAX_STEPS 300000u     // before equal ones are one
#define STEPS_MAX_WORK 20000000u    // answers, terms and thresholds looked at: about half a second
#define STEPS_MAX_KNOWN (1u << 20)  // stacks of known states above a frame
#define STEPS_MAX_HEIGHT 128u       // known states on one another
#define STEPS_MAX_CLASSES 20000u    // of frames, by what they answer
#define STEPS_MAX_EDGES 4000000u    // from nodes, by class, before equal nodes are one
#define STEPS_NONE UINT32_MAX

// Counts work; false, and failed, once there is too much.
static inline bool steps_burn(uint64_t *work, bool *failed, uint64_t more)
{
	*work += more;
	*failed |= *work > STEPS_MAX_WORK;
	return !*failed;
}

// Of two prices, each of which may be infinite; finite ones stay finite.
static inline uint32_t steps_sum(uint32_t a, uint32_t b)
{
	uint64_t s = (uint64_t)a + b;
	return a == COSTS_NONE || b == COSTS_NONE ? COSTS_NONE : s >= COSTS_NONE ? COSTS_NONE - 1 : (uint32_t)s;
}

typedef VEC(uint32_t) number_list;
struct budget_level {
	uint32_t base;  // ascending
	set_id tokens;  // of this level and those before it; a row of SET after pack_sets
};
struct budget_step_part {
	uint32_t above, base, ladder;  // above 1: base counts from the frame's least price
};
struct budget_ladder {
	uint32_t first, n;
};
struct budget_step {
	uint32_t first_part, n_parts;
	uint32_t node, skip;  // what to read next, 1 + skip frames down; STEPS_NONE: nothing
};
struct budget_edge {
	uint32_t class, step;
};
struct budget_node {
	uint32_t first, n, other;  // edges, ascending by class; the step on all other frames that can lie there
};
// A frame of this state on one of the class: its class, and how much more its least price is.
struct budget_push {
	lr_state state;
	uint32_t class, weight;
};
struct budget_class {
	uint32_t first, n;  // pushes, ascending by state
};

struct budget_steps {
	uint32_t *start;  // [n_lex_states] node that reads the top, or STEPS_NONE; NULL: there are no steps
	VEC(struct budget_node) nodes;
	VEC(struct budget_edge) edges;
	VEC(struct budget_step) steps;  // 0: nothing is allowed
	VEC(struct budget_step_part) parts;
	VEC(struct budget_class) classes;  // 0: of no frame; 1: of the bottom, whose least price is 0
	VEC(struct budget_push) pushes;
	VEC(struct budget_ladder) ladders;
	VEC(struct budget_level) levels;
};

// Sets of levels are added to `sets`. Leaves *out empty where a limit is passed, and where columns decide.
void budget_steps_build(const struct costs *c, const struct lr *lr, const struct live_pairs *live,
                        struct tokensets *sets, struct budget_steps *out);
void budget_steps_release(struct budget_steps *s);

// The answers of costs by state.
struct cost_index {
	const struct costs *costs;
	uint32_t *transition_at;  // [n_states + 1]
};
static inline const struct cost_list *cost_index_list(const struct cost_index *x, lr_state s, uint32_t control)
{
	const struct cost_transition *t = x->costs->transitions.at;
	uint32_t i, end = x->transition_at[s + 1];
	LOWER_BOUND(i, x->transition_at[s], end, t[i].control < control);
	return i < end && t[i].control == control ? &x->costs->lists.at[t[i].list] : NULL;
}

// Steps as they are made: with questions, by state (budget_steps.c); or without, by class (budget_classes.c).
struct budget_term {
	uint32_t down, control, weight;  // what the frame so many below answers to a control, and a weight
};
struct raw_step {
	uint32_t parts;       // a list, interned
	uint32_t node, skip;  // of raw_steps.nodes, or STEPS_NONE
};
struct raw_edge {
	uint32_t frame, step;  // state, index into `each`; or class, interned step
};
struct raw_part {
	uint32_t terms, base, levels;  // lists, interned; the least of the terms is added. By class: 0 or 1, as `above`
};
struct raw_steps {
	struct intern terms;        // struct budget_term[]
	struct intern levels;       // struct budget_level[]; by state each set stands at its own base, not united
	struct intern part_lists;   // struct raw_part[]
	struct intern steps;        // struct raw_step, by class
	VEC(struct raw_step) each;  // by state: of each edge
	uint32_t n_nodes;
	VEC(struct raw_edge) edges;  // of all nodes, as they came
	VEC(uint32_t) edge_node;     // beside it
};
// budget_classes.c: the steps by class, the classes into *out. False: a limit is passed, *by_class is not whole.
bool budget_classes_build(const struct cost_index *index, const struct lr *lr, const struct raw_steps *raw,
                          struct tokensets *sets, struct raw_steps *by_class, struct budget_steps *out);

// budget_steps_merge.c. start: [n_lex_states] raw nodes, which become nodes.
void budget_steps_merge(struct raw_steps *raw, uint32_t n_lex_states, uint32_t *start, struct budget_steps *out);

#endif
