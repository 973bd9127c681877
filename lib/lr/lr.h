// The LR(1) automaton of a grammar, minimised by behaviour, exact in what it calls viable.
//
// In:  struct grammar (reduced: every rule is reachable and productive, as far as productions tell).
// Out: struct lr. `viable(stack)` is the set of non-error actions of the top state: LR(1) item sets are canonical,
//      so no lookahead comes from another left context (LALR rows are wrong in that sense for whole languages).
// Source: Knuth 1965 (canonical LR(1)); partition refinement for the merge.
#ifndef GCDC_LR_LR_H
#define GCDC_LR_LR_H

#include "../../formats/artifact.h"
#include "../base/bitset.h"
#include "../base/intern.h"
#include "../grammar/grammar.h"
#include "../shared/search.h"
#include "lr_report.h"

typedef uint32_t lr_state;
#define LR_BOTTOM 1u              // lr_state at the bottom of every stack; 0 is no state
#define LR_MAX_CANONICAL 400000u  // canonical states, before merging
#define LR_MAX_STATES 65535u      // after it
#define LR_MAX_CELLS 50000000u    // of the tables that are not empty; moves and reductions before merging
#define LR_MAX_WORK 1000000000u   // items closed, some ten seconds

struct lr_production {
	uint32_t lhs, length;
};

// A table of states and symbols, most of whose cells are empty: cells of state s are cell[at[s]] up to cell[at[s + 1]],
// ascending by symbol. None is 0.
struct lr_cell {
	uint32_t by, to;  // a symbol, what the table says
};
struct lr_table {
	uint32_t *at;  // [n_states + 1]
	struct lr_cell *cell;
};
static inline const struct lr_cell *lr_row(const struct lr_table *x, lr_state s, uint32_t *n)
{
	*n = x->at[s + 1] - x->at[s];
	return x->cell + x->at[s];
}
// The place of a cell in x->cell, or UINT32_MAX.
static inline uint32_t lr_find(const struct lr_table *x, lr_state s, uint32_t by)
{
	const uint32_t n = x->at[s + 1] - x->at[s];
	uint32_t i = x->at[s];
	if (!n) return UINT32_MAX;
	LAST_AT_MOST(i, n, x->cell[i].by <= by);
	return x->cell[i].by == by ? i : UINT32_MAX;
}

struct lr_step {
	lr_state from;
	uint32_t action;  // a shift, or ACTION_SKIP
};

struct lr {
	uint32_t n_states;     // including the unused state 0
	uint32_t n_terminals;  // of the grammar; symbol n_terminals of `action` is $end
	uint32_t n_nonterminals, n_productions;
	struct lr_table action;  // by terminals, coded as in formats/artifact.h
	uint32_t *choice;        // what ACTION_CHOICE(k) stands for: choice[k] actions, at choice[k + 1 ..], ascending
	uint32_t n_choice;       // numbers in `choice`
	struct lr_table go;      // by nonterminals, to lr_states
	struct lr_production *production;
	uint32_t n_contexts;     // distinct sets of viable terminals, $end and ignored ones left out
	uint32_t context_words;  // bits words a context
	bits *context;           // [n_contexts * context_words]
	uint32_t *context_of;    // [n_states]
	uint8_t
		*between_lexemes;  // [n_states] can be on top when a lexeme begins: LR_BOTTOM, and where a terminal leads to
	// What terminals do but reduce: of t step[step_at[t]] up to step[step_at[t + 1]], ascending by state.
	struct lr_step *step;
	uint32_t *step_at;         // [n_terminals + 1]
	uint32_t *pred, *pred_at;  // states below s: pred[pred_at[s] .. pred_at[s + 1])
	terminal_id needs_ignored;
	uint32_t needs_after;           // while building: a rule wants the held terminal where it is ignored
	uint32_t n_canonical;           // states before merging, for --stats
	uint64_t work;                  // steps that building took: what LR_MAX_WORK limits
	const struct grammar *grammar;  // that it was made of
};

struct lr_report;
struct lr_options {
	bool keep_all;             // no action of a choice is dropped
	bool deterministic;        // a conflict that is kept is an error
	struct lr_report *report;  // NULL: not wanted
	struct arena *report_arena;
	const struct lr *made;  // NULL, or g's automaton, without choices: it is taken
};
// Conflicts are kept: the cell becomes a choice. False with an error when a limit is passed.
// Those that lr_prove.h shows to be redundant lose actions.
bool lr_build(const struct grammar *g, const struct lr_options *o, struct arena *arena, struct diag *d, struct lr *out);

// Tables in the making, row by row.
struct lr_table_vec {
	VEC(uint32_t) at;
	VEC(struct lr_cell) cell;
};
void lr_table_take(struct lr_table_vec *v, struct arena *arena, struct lr_table *out);  // releases v

// Actions in the making: lists of them to codes; equal lists share one choice.
struct lr_choices {
	struct intern known;
	VEC(uint32_t) at;  // [known] -> index into list
	VEC(uint32_t) list;
};
uint32_t lr_choice(struct lr_choices *c, uint32_t *actions, uint32_t n);          // sorts them
void lr_choices_take(struct lr_choices *c, struct arena *arena, struct lr *out);  // into out->choice; releases c

// The first thing that is wrong with the tables, or NULL. (lr_check.c)
const char *lr_check(const struct lr *lr);

static inline uint32_t lr_action(const struct lr *lr, lr_state s, terminal_id t)
{
	const uint32_t at = lr_find(&lr->action, s, t);
	return at == UINT32_MAX ? 0 : lr->action.cell[at].to;
}
static inline lr_state lr_goto(const struct lr *lr, lr_state s, uint32_t nonterminal)
{
	const uint32_t at = lr_find(&lr->go, s, nonterminal);
	return at == UINT32_MAX ? 0 : lr->go.cell[at].to;
}
// All actions of a code: none, one, or those of a choice.
static inline const uint32_t *lr_actions_of(const struct lr *lr, const uint32_t *code, uint32_t *n)
{
	*n = *code != 0;
	if (!ACTION_IS_CHOICE(*code)) return code;
	const uint32_t *list = lr->choice + (*code & ACTION_CHOICE_MASK);
	*n = list[0];
	return list + 1;
}
// The same of a cell. `one` holds the single action.
static inline const uint32_t *lr_actions(const struct lr *lr, lr_state s, terminal_id t, uint32_t *n, uint32_t *one)
{
	*one = lr_action(lr, s, t);
	return lr_actions_of(lr, one, n);
}
// May s lie right below `top` on a stack: does some symbol lead from it there?
static inline bool lr_lies_below(const struct lr *lr, lr_state s, lr_state top)
{
	uint32_t i;
	LOWER_BOUND(i, lr->pred_at[top], lr->pred_at[top + 1], lr->pred[i] < s);
	return i < lr->pred_at[top + 1] && lr->pred[i] == s;
}
// Is t (or $end, t == n_terminals) viable when s is on top?
static inline bool lr_viable(const struct lr *lr, lr_state s, terminal_id t) { return lr_action(lr, s, t) != 0; }

#endif
