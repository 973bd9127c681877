// Provable conflict removal: leaves actions out of choices without changing what any stack accepts.
//
// Let L(x) be the texts (sequences of terminals, $end last) that some run of the automaton M, with all its choices,
// accepts from stack x; L(x, a) those of runs that begin with action a.
//
// Claim. Order the actions of each cell. Call action a of cell (s, t) redundant when for every stack x with s on top
// each text of L(x, a) that begins with t is in L(x, b) for some b before a. If no text has infinitely many runs, all
// redundant actions of all cells can go at once, and L(x) stays what it was for every x.
//   Proof. Take a text of L(x) and, of its finitely many runs from x, the least in lexicographic order (two runs first
// differ at the same stack under the same terminal, so in one cell). If it used a redundant action at a stack y, the
// rest of the text would have a run from y that begins with an action before it: a smaller run. So the least run uses
// none. Every proof is about M itself, where nothing is left out: no proof rests on what another one dropped. And an
// action may be dropped because of one that is itself redundant. Finitely many runs: no sequence of reductions under
// one terminal is infinite, which holds when the grammar is neither cyclic nor hidden left-recursive (grammar_loops.c).
//
// Inclusion (lr_inclusion.c): a goal says, of two symbolic stacks u and V over a common unknown base, for all
// bases that make them stacks of M: L(base u) is within the union of L(base v), v of V; "under t" restricts it to texts
// that begin with t. Its own goals are about what runs of the left side go on with after at least one action, so
// induction over the length of the left run proves all goals of a closed set at once. Rules:
//   same     u is one of V.
//   pointwise u and v are as long, and each state of v simulates that of u (facts_simulates): v does the same, step by
//   step. step     for every t, each stack to which reductions under t and the shift of t take u is covered by those to
//   which they
//            take V; a stack met on u's way that is also on V's way needs no more. Acceptance likewise, $end is a
//            terminal.
//   top      v's top simulates u's. Each run of u accepts with that top still there (so does v), or pops it at some
//   point
//            together with k - 1 states below and goes on with a nonterminal A: v can have popped as much by the same
//            terminals. So compare u without k states and goto A with v without k states and goto A, for all (k, A).
//   forget   places at the bottom that u and V share become unknown: a statement about more stacks.
//   split    an unknown state is one of those that can lie there; one case for each goto that matters.
// L equal for all stacks, all viable sets stay right: the row of a top tells which texts go on, and the stacks that
// remain are some of those there were.
#ifndef GCDC_LR_LR_PROVE_H
#define GCDC_LR_LR_PROVE_H

#include "lr.h"

#define PROVE_MAX_WORK                                                                                                 \
	20000000u  // stacks looked at and compared over all proofs, some seconds; what is open then is kept
#define PROVE_MAX_WORK_EACH 20000u  // for one action of one cell

// A cell that holds a choice, before any was removed.
struct lr_cell_proof {
	lr_state s;
	terminal_id t;
	uint32_t n, keep;        // actions; bit i: the i-th stays
	const uint32_t *action;  // into lr->choice
};
struct lr_proof {
	struct lr_cell_proof *cell;  // by s, then t
	uint32_t n_cells;
	uint32_t n_dropped;  // actions
	uint64_t work;       // stacks looked at and compared
	uint32_t limits;     // cells for which a limit ended the search
};

void lr_prove(const struct lr *lr, struct arena *arena, struct lr_proof *out);
// All choices, nothing dropped.
void lr_prove_nothing(const struct lr *lr, struct arena *arena, struct lr_proof *out);
static inline uint32_t lr_all_actions(uint32_t n) { return n >= 32 ? UINT32_MAX : (1u << n) - 1; }

#endif
