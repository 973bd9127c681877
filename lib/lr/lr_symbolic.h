// Stacks of which only the upper part is known, for proofs about all stacks at once (lr_prove.h).
//
// A place of a stack holds one lr_state or, below what was seen, a set of lr_states; a top may be "the goto on A, not
// yet looked up". Stacks are hash-consed lists from the top down, so equal stacks have equal ids.
#ifndef GCDC_LR_LR_SYMBOLIC_H
#define GCDC_LR_LR_SYMBOLIC_H

#include "lr.h"

// What proofs ask about an automaton. Sets of lr_states have ids from n_states up.
struct lr_facts {
	const struct lr *lr;
	uint32_t *pred, *pred_at;          // states below
	struct intern sets;                // sorted states of at least two members; id - n_states
	struct intern gotos;               // (set, nonterminal) -> index into goto_at
	VEC(uint32_t) goto_at, goto_list;  // n, then n pairs (goto, the members that have it)
	bits *mark;                        // work space, empty between calls
	VEC(uint32_t) * residuals;         // [n_states] pairs (pops, nonterminal): see facts_residuals
	struct intern pairs;               // (x, y): is x simulated by y? see facts_simulates
	VEC(uint8_t) pair_status;
};

void facts_init(struct lr_facts *c, const struct lr *lr);
void facts_release(struct lr_facts *c);

static inline bool action_is_reduce(uint32_t a) { return a && !(a >> 31) && !(a & 1); }

// Pairs (k, A): some run from a stack with s on top first pops s by popping k states in all, then goes on with A.
const uint32_t *facts_residuals(const struct lr_facts *c, lr_state s, uint32_t *n_pairs);
// Everything that can happen above x can happen above y, step by step, with the same pops (coinductive).
bool facts_simulates(struct lr_facts *c, lr_state x, lr_state y);

// Sets of states.
uint32_t facts_set_below(struct lr_facts *c, uint32_t set);           // all states that can lie below; NO_SET: none
uint32_t facts_set_without_bottom(struct lr_facts *c, uint32_t set);  // NO_SET when nothing remains
#define NO_SET UINT32_MAX
// The members by their goto on A: n pairs (goto, set); members without one are left out.
const uint32_t *facts_set_gotos(struct lr_facts *c, uint32_t set, uint32_t nonterminal, uint32_t *n);

// Stacks. 0 is the unknown rest at the bottom.
struct stack_node {
	uint32_t below, set, length;
};
struct stacks {
	struct intern known;
	VEC(struct stack_node) nodes;
};
#define STACK_GOTO 0x80000000u  // this | A, as the `set` of a top: the goto on A from what is below
#define STACK_NONE UINT32_MAX   // no such stack
#define STACK_MAX 32u

void stacks_init(struct stacks *k);
void stacks_release(struct stacks *k);
uint32_t stack_push(struct stacks *k, uint32_t below, uint32_t set);
uint32_t stack_pop(const struct stacks *k, uint32_t s, uint32_t n);  // n < its length
// The goto on A: STACK_NONE when there is none, one with a STACK_GOTO top when it depends on what a set holds.
uint32_t stack_goto(struct stacks *k, struct lr_facts *c, uint32_t below, uint32_t nonterminal);
// Places from the bottom up; returns their number, at most STACK_MAX.
uint32_t stack_places(const struct stacks *k, uint32_t s, uint32_t place[STACK_MAX]);
uint32_t stack_from_places(struct stacks *k, struct lr_facts *c, const uint32_t *place, uint32_t n);

static inline uint32_t stack_top(const struct stacks *k, uint32_t s) { return k->nodes.at[s].set; }
static inline uint32_t stack_length(const struct stacks *k, uint32_t s) { return k->nodes.at[s].length; }

#endif
