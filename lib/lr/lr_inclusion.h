// "Whatever this stack accepts, one of those accepts, too", proved for all stacks that look alike.
#ifndef GCDC_LR_LR_INCLUSION_H
#define GCDC_LR_LR_INCLUSION_H

#include "lr_symbolic.h"

#define INCLUSION_MAX_DEPTH 100u   // goals one within another
#define INCLUSION_MAX_CLOSURE 32u  // stacks that the reductions under one terminal lead to
#define INCLUSION_MAX_OTHERS 8u    // stacks on the right side
#define INCLUSION_KEEP 1u          // common places remembered from one terminal to the next

struct inclusion {
	struct lr_facts *c;
	struct stacks k;
	struct intern goals;
	VEC(uint8_t) status;
	VEC(uint32_t) trail;  // goals taken as true, in order
	uint32_t depth;
	uint64_t work, limit;  // stacks looked at and compared; no proof is found past the limit
};

// Stacks over one base, ascending.
struct inclusion_stacks {
	uint32_t n, at[INCLUSION_MAX_OTHERS];
};
// All stacks that reductions under one terminal lead to, and what they shift to.
struct inclusion_closure {
	uint32_t n, stack[INCLUSION_MAX_CLOSURE];
	uint32_t lacks;  // places more that a reduction wants to know below; 0: none
	uint32_t waits;  // a stack whose top is a goto not yet looked up, or STACK_NONE
	bool accepts, overflow;
	struct inclusion_stacks shifted;
};
// What the two sides do first, when it is not all they can do.
struct inclusion_first {
	uint32_t left;
	const uint32_t *right;
	uint32_t n_right;
};
enum inclusion_answer { INCLUSION_NO, INCLUSION_YES, INCLUSION_MAYBE };
#define INCLUSION_ANY UINT32_MAX  // not one terminal but all

void inclusion_init(struct inclusion *z, struct lr_facts *c);
void inclusion_release(struct inclusion *z);
// On every stack with s on top and t (n_terminals: $end) next: is what is accepted after `action` also accepted after
// one of `others`? False: no proof was found.
bool inclusion_covers(struct inclusion *z, lr_state s, terminal_id t, uint32_t action, const uint32_t *others,
                      uint32_t n);

// The steps, for lr_growth.c.
void inclusion_add(struct inclusion_stacks *o, uint32_t s);
void inclusion_close(struct inclusion *z, struct inclusion_closure *x, const struct inclusion_stacks *o, terminal_id t,
                     const struct inclusion_first *first);
// Place `at` from the bottom of *s, where it holds the set `old`, holds `new`; below all is one place more (or NO_SET).
bool inclusion_replace(struct inclusion *z, uint32_t *s, uint32_t at, uint32_t old, uint32_t new, uint32_t extra_below);
// One place more known below. YES: there is no such stack at all; NO: too long; MAYBE: done.
enum inclusion_answer inclusion_know_more(struct inclusion *z, uint32_t *left, struct inclusion_stacks *o);
// Forgets common places at the bottom: the statement becomes one about more stacks.
bool inclusion_forget_bottom(struct inclusion *z, uint32_t *left, struct inclusion_stacks *o);

#endif
