// The LR(1) automaton of a grammar, minimised by behaviour, exact in what it calls viable.
//
// In:  struct grammar (reduced: every rule is reachable and productive, as far as productions tell).
// Out: struct lr. `viable(stack)` is the set of non-error actions of the top state: LR(1) item sets are canonical,
//      so no lookahead comes from another left context (LALR rows are wrong in that sense for whole languages).
// Source: Knuth 1965 (canonical LR(1)); partition refinement for the merge.
#ifndef GCDC_LR_LR_H
#define GCDC_LR_LR_H

#include "../base/bitset.h"
#include "../grammar/grammar.h"

typedef uint32_t lr_state;
#define LR_BOTTOM 1u         // lr_state at the bottom of every stack; 0 is no state
#define LR_MAX_STATES 60000u         // canonical states, before merging
#define LR_MAX_CELLS 50000000u       // states x symbols
#define LR_MAX_WORK 1000000000u      // items closed, some ten seconds

struct lr_production {
	uint32_t lhs, length;
};

struct lr {
	uint32_t n_states;             // including the unused state 0
	uint32_t n_terminals;          // of the grammar; column n_terminals of `action` is $end
	uint32_t n_nonterminals, n_productions;
	uint32_t *action;              // [n_states * (n_terminals + 1)], coded as in formats/artifact.h
	uint32_t *go;                  // [n_states * n_nonterminals] -> lr_state or 0
	struct lr_production *production;
	uint32_t n_contexts;           // distinct sets of viable terminals, $end and ignored ones left out
	uint32_t context_words;        // bits words a context
	bits *context;                 // [n_contexts * context_words]
	uint32_t *context_of;          // [n_states]
	uint32_t *pred, *pred_at;      // states below s: pred[pred_at[s] .. pred_at[s + 1])
	uint32_t n_canonical;          // states before merging, for --stats
};

// Each conflict is an error in `d` with the rules and an example; false then, and when LR_MAX_STATES is passed.
bool lr_build(const struct grammar *g, struct arena *arena, struct diag *d, struct lr *out);
const char *lr_check(const struct lr *lr);

static inline uint32_t lr_action(const struct lr *lr, lr_state s, terminal_id t)
{
	return lr->action[(size_t)s * (lr->n_terminals + 1) + t];
}
static inline lr_state lr_goto(const struct lr *lr, lr_state s, uint32_t nonterminal)
{
	return lr->go[(size_t)s * lr->n_nonterminals + nonterminal];
}
// Is t (or $end, t == n_terminals) viable when s is on top?
static inline bool lr_viable(const struct lr *lr, lr_state s, terminal_id t) { return lr_action(lr, s, t) != 0; }

#endif
