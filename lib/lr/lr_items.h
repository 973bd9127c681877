// Canonical LR(1) item sets, shared by the construction and the conflict report.
#ifndef GCDC_LR_LR_ITEMS_H
#define GCDC_LR_LR_ITEMS_H

#include "../base/intern.h"
#include "lr_prove.h"
#include "lr_report.h"

// Items [A -> alpha . beta] are numbered: the production's first item + the place of the dot. A kernel is an array of
// (item, lookahead set), ascending by item; it is what identifies a canonical state.
struct lr_move {
	uint32_t by, to;  // a symbol, a canonical state
};
struct lr_canon {
	const struct grammar *g;
	uint32_t n_items;                // all (production, dot) pairs; the augmented production comes last
	uint32_t *item_at;               // [n_productions + 2] production -> its first item
	uint32_t *production_of;         // [n_items]
	uint32_t words;                  // bits words of a set over terminals and $end
	bits *first_rest;                // [n_items * words] FIRST of what follows the dot
	uint8_t *nullable_rest;          // [n_items] what follows the dot can be empty
	uint32_t *by_lhs, *by_lhs_at;    // productions of each nonterminal
	uint32_t *heads, *heads_at;      // their first items that stand before a nonterminal
	uint32_t *passes, *passes_at;    // of these, those whose rest behind that can be empty
	uint32_t *flow, *flow_place;     // nonterminals in an order in which passes lead onwards, but for cycles; and back
	struct intern states;            // kernel bytes -> canonical state
	VEC(uint32_t) reached_from;      // [state] the state it was first reached from
	VEC(uint32_t) reached_by;        // [state] by which symbol
	VEC(struct lr_move) moves;       // of all states, one after the other, ascending by symbol
	VEC(uint32_t) moves_at;          // [state] its first one
	uint32_t *same_as;               // [n_productions + 1] the first production with this left side and length
	struct intern reduction_sets;    // sorted lists of such first productions; 0 is the empty list
	struct lr_table_vec reductions;  // of states, by terminals, to indices into reduction_sets
	uint32_t n_symbols;
	uint64_t work;  // items looked at by closures and sorted, reductions moved
};

// Makes the canonical states of c->g, all else of c being 0 (lr_canonical.c). Numbers of items lie in the arena. False
// with an error at a limit.
bool lr_canon_build(struct lr_canon *c, struct arena *arena, struct diag *d);
void lr_canon_release(struct lr_canon *c);
// The error of a grammar with so many states, which names the limit.
void lr_too_large(struct diag *d, uint32_t n_states, uint32_t n_symbols, const char *limit);

static inline const struct lr_move *lr_moves(const struct lr_canon *c, uint32_t state, uint32_t *n)
{
	uint32_t end = state + 1 < c->moves_at.n ? c->moves_at.at[state + 1] : c->moves.n;
	*n = end - c->moves_at.at[state];
	return *n ? c->moves.at + c->moves_at.at[state] : NULL;
}

static inline const uint32_t *lr_reduction_set(const struct lr_canon *c, uint32_t set, uint32_t *n)
{
	const uint32_t *list = intern_get(&c->reduction_sets, set, n);
	*n /= (uint32_t)sizeof *list;
	return list;
}
// The productions that state reduces under t.
static inline const uint32_t *lr_reductions(const struct lr_canon *c, uint32_t state, terminal_id t, uint32_t *n)
{
	const struct lr_table x = {c->reductions.at.at, c->reductions.cell.at};
	const uint32_t at = lr_find(&x, state, t);
	return lr_reduction_set(c, at == UINT32_MAX ? 0 : x.cell[at].to, n);
}
// All conflicts, once each. class_of: canonical state -> lr_state - 1.
void lr_report_conflicts(const struct lr_canon *c, const uint32_t *class_of, const struct lr_proof *proof,
                         struct arena *arena, struct lr_report *out);

#endif
