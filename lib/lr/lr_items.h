// Canonical LR(1) item sets, shared by the construction and the conflict report.
#ifndef GCDC_LR_LR_ITEMS_H
#define GCDC_LR_LR_ITEMS_H

#include "../base/intern.h"
#include "lr.h"

// Items [A -> alpha . beta] are numbered: the production's first item + the place of the dot. A kernel is an array of
// (item, lookahead set), ascending by item; it is what identifies a canonical state.
struct lr_canon {
	const struct grammar *g;
	uint32_t n_items;         // all (production, dot) pairs; the augmented production comes last
	uint32_t *item_at;        // [n_productions + 2] production -> its first item
	uint32_t *production_of;  // [n_items]
	uint32_t words;           // bits words of a set over terminals and $end
	bits *first_rest;         // [n_items * words] FIRST of what follows the dot
	uint8_t *nullable_rest;   // [n_items] what follows the dot can be empty
	uint32_t *by_lhs, *by_lhs_at;  // productions of each nonterminal
	struct intern states;     // kernel bytes -> canonical state
	VEC(uint32_t) reached_from;   // [state] the state it was first reached from
	VEC(uint32_t) reached_by;     // [state] by which symbol
	VEC(uint32_t) transitions;    // [state * n_symbols] -> state + 1, or 0
	VEC(uint32_t) reductions;     // [state * (n_terminals + 1)] -> production + 1, or 0
	struct intern reported;       // conflicts already told
	uint32_t n_symbols;
	uint64_t work;                // items looked at by closures
	uint32_t n_conflicts;
};

// A conflict in `state` under terminal t (n_terminals = $end) between a shift or a production and production p.
void lr_report_conflict(struct lr_canon *c, uint32_t state, terminal_id t, uint32_t shift_item, uint32_t p,
                        uint32_t q, struct diag *d);

#endif
