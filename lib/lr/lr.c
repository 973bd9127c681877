// The LR automaton: canonical states that behave alike become one, and their tables.
//
// In:   productions; lr_canonical.c makes the canonical states of them.
// Out:  action and goto tables, contexts, predecessors.
// 1. Conflicts are kept: a cell may hold a shift and several reductions (a choice).
// 2. Partition refinement (base/refine.h): states with equal rows up to equivalence become one. Two productions with
//    the same left side and length do the same to a stack, so they count as equal.
// 3. Actions of a choice that a proof shows to be redundant are dropped (lr_prove.h).
// Cost: n log n of the canonical states' moves; JSON takes well under a millisecond.
#include "lr_items.h"

#include "../../formats/artifact.h"
#include "../base/sort.h"
#include "../base/refine.h"
#include "../base/work.h"
#include "lr_growth.h"
#include "lr_trim.h"

// Is this state inside brackets, where scoped terminals are ignored? All kernel items agree (item_inside).
static bool is_inside(const struct lr_canon *c, uint32_t state)
{
	uint64_t item;
	memcpy(&item, intern_get(&c->states, state, NULL), sizeof item);
	uint32_t p = c->production_of[item];
	return p < c->g->n_productions && item_inside(c->g, p, (uint32_t)item - c->item_at[p]);
}

// Is the state right behind a terminal that holds, where held terminals are not ignored?
static bool is_held(const struct lr_canon *c, uint32_t state)
{
	uint64_t item;
	memcpy(&item, intern_get(&c->states, state, NULL), sizeof item);
	uint32_t p = c->production_of[item], dot = (uint32_t)item - c->item_at[p];
	if (p >= c->g->n_productions || !dot) return false;
	symbol_id before = c->g->productions[p].rhs[dot - 1];
	// Behind a nonterminal: in the middle of reductions, its last terminal is not asked any more.
	return before >= c->g->n_terminals || c->g->terminals[before].holds;
}

static void describe(void *user, uint32_t state, struct refine_node *out)
{
	const struct lr_canon *c = user;
	uint32_t n;
	const struct lr_move *moves = lr_moves(c, state, &n);
	const uint32_t *red = c->reductions.at + (size_t)state * (c->g->n_terminals + 1);
	for (uint32_t i = 0; i < n; i++) vec_push(&out->label, moves[i].by), vec_push(&out->successors, moves[i].to);
	vec_push(&out->label, REFINE_NONE);
	for (uint32_t t = 0; t <= c->g->n_terminals; t++)
		if (red[t]) vec_push(&out->label, t), vec_push(&out->label, red[t]);
	vec_push(&out->label, is_inside(c, state) | (uint32_t)is_held(c, state) << 1);
}

uint32_t lr_cell(struct lr_choices *c, uint32_t *actions, uint32_t n)
{
	if (n <= 1) return n ? actions[0] : 0;
	sort_u32(actions, n);
	bool is_new;
	uint32_t k = intern_add(&c->known, actions, n * sizeof *actions, &is_new);
	if (is_new) {
		vec_push(&c->at, c->list.n);
		vec_push(&c->list, n);
		for (uint32_t i = 0; i < n; i++) vec_push(&c->list, actions[i]);
	}
	return ACTION_CHOICE(c->at.at[k]);
}

void lr_choices_take(struct lr_choices *c, struct arena *arena, struct lr *out)
{
	out->n_choice = c->list.n;
	out->choice = arena_array(arena, c->list.n + 1, sizeof *out->choice);
	if (c->list.n) memcpy(out->choice, c->list.at, c->list.n * sizeof *c->list.at);
	intern_release(&c->known);
	vec_release(&c->at);
	vec_release(&c->list);
}

// Branches: a cell is a shift, reductions, or a skip of what is ignored here or held, and may hold several actions.
static void fill_tables(const struct lr_canon *c, const uint32_t *class_of, uint32_t n_classes, struct arena *arena,
                        struct lr *out)
{
	const struct grammar *g = c->g;
	uint32_t n = c->states.entries.n, *to = mem_alloc((size_t)c->n_symbols * sizeof *to);
	*out = (struct lr){.n_states = n_classes + 1,
	                   .n_terminals = g->n_terminals,
	                   .n_nonterminals = g->n_nonterminals,
	                   .n_productions = g->n_productions,
	                   .n_canonical = n,
	                   .needs_ignored = UINT32_MAX};
	out->action = arena_array(arena, (size_t)out->n_states * (g->n_terminals + 1), sizeof *out->action);
	out->go = arena_array(arena, (size_t)out->n_states * g->n_nonterminals + 1, sizeof *out->go);
	out->production = arena_array(arena, g->n_productions + 1, sizeof *out->production);
	for (uint32_t p = 0; p < g->n_productions; p++)
		out->production[p] = (struct lr_production){g->productions[p].lhs, g->productions[p].n_rhs};
	struct lr_choices choices = {0};
	VEC(uint32_t) cell = {0};
	// Classes are numbered by first appearance and canonical state 0 is the start: it becomes LR_BOTTOM.
	for (uint32_t s = 0; s < n; s++) {
		uint32_t *action = out->action + (size_t)(class_of[s] + 1) * (g->n_terminals + 1);
		uint32_t *go = out->go + (size_t)(class_of[s] + 1) * g->n_nonterminals;
		uint32_t n_moves;
		const struct lr_move *moves = lr_moves(c, s, &n_moves);
		memset(to, 0, c->n_symbols * sizeof *to);
		for (uint32_t i = 0; i < n_moves; i++) to[moves[i].by] = class_of[moves[i].to] + 1;
		bool inside = is_inside(c, s), held = is_held(c, s);
		for (uint32_t t = 0; t <= g->n_terminals; t++) {
			uint32_t n_red;
			const uint32_t *red = lr_reductions(c, s, t, &n_red);
			vec_clear(&cell);
			for (uint32_t i = 0; i < n_red; i++)
				vec_push(&cell, red[i] == g->n_productions ? ACTION_ACCEPT : ACTION_REDUCE(red[i]));
			if (t < g->n_terminals && to[t]) vec_push(&cell, ACTION_SHIFT(to[t]));
			action[t] = lr_cell(&choices, cell.at, cell.n);
			if (!held && t < g->n_terminals && g->terminals[t].is_held) {
				if (action[t] && out->needs_ignored == UINT32_MAX) out->needs_ignored = t, out->needs_after = s;
				action[t] = ACTION_SKIP;
			}
			// No production has it here (lark_scope.c), so nothing else is in the cell.
			if (inside && t < g->n_terminals && g->terminals[t].is_scoped) action[t] = ACTION_SKIP;
		}
		memcpy(go, to + g->n_terminals, g->n_nonterminals * sizeof *go);
	}
	free(to);
	vec_release(&cell);
	lr_choices_take(&choices, arena, out);
}

static void find_contexts(struct arena *arena, struct lr *lr)
{
	struct intern sets = {0};
	lr->context_words = BITS_WORDS(lr->n_terminals);
	lr->context_of = arena_array(arena, lr->n_states, sizeof *lr->context_of);
	bits *row = mem_calloc(lr->context_words + 1, sizeof *row);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		memset(row, 0, lr->context_words * sizeof *row);
		for (terminal_id t = 0; t < lr->n_terminals; t++)
			if (lr_viable(lr, s, t)) bits_set(row, t);
		lr->context_of[s] = intern_add(&sets, row, lr->context_words * sizeof *row, NULL);
	}
	lr->n_contexts = sets.entries.n;
	lr->context = arena_array(arena, (size_t)lr->n_contexts * lr->context_words + 1, sizeof *lr->context);
	for (uint32_t i = 0; i < lr->n_contexts; i++)
		memcpy(lr->context + (size_t)i * lr->context_words, intern_get(&sets, i, NULL),
		       lr->context_words * sizeof *row);
	free(row);
	intern_release(&sets);
}

// All others are on top only amid reductions, when the next terminal is known.
static void find_between_lexemes(struct arena *arena, struct lr *lr)
{
	lr->between_lexemes = arena_array(arena, lr->n_states, sizeof *lr->between_lexemes);
	lr->between_lexemes[LR_BOTTOM] = 1;
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		for (terminal_id t = 0; t < lr->n_terminals; t++) {
			uint32_t n, one;
			const uint32_t *a = lr_actions(lr, s, t, &n, &one);
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(a[i])) lr->between_lexemes[a[i] / 2] = 1;
		}
}

static void find_predecessors(struct arena *arena, struct lr *lr)
{
	uint32_t words = BITS_WORDS(lr->n_states);
	bits *below = mem_calloc((size_t)lr->n_states * words, sizeof *below);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		for (terminal_id t = 0; t < lr->n_terminals; t++) {
			uint32_t n, one;
			const uint32_t *a = lr_actions(lr, s, t, &n, &one);
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(a[i])) bits_set(below + (size_t)(a[i] / 2) * words, s);
		}
		for (uint32_t a = 0; a < lr->n_nonterminals; a++)
			if (lr_goto(lr, s, a)) bits_set(below + (size_t)lr_goto(lr, s, a) * words, s);
	}
	lr->pred_at = arena_array(arena, lr->n_states + 1, sizeof *lr->pred_at);
	for (lr_state s = 0; s < lr->n_states; s++)
		lr->pred_at[s + 1] = lr->pred_at[s] + bits_count(below + (size_t)s * words, words);
	lr->pred = arena_array(arena, lr->pred_at[lr->n_states] + 1, sizeof *lr->pred);
	for (lr_state s = 0; s < lr->n_states; s++) {
		const bits *row = below + (size_t)s * words;
		uint32_t at = lr->pred_at[s];
		for (uint32_t p = bits_next(row, words, 0); p != UINT32_MAX; p = bits_next(row, words, p + 1))
			lr->pred[at++] = p;
	}
	free(below);
}

static void report_none(const struct lr *lr, struct lr_report *report)
{
	*report = (struct lr_report){0};
	report->may_grow = lr_may_grow(lr, &report->most_stacks);
}

// Conflicts: proved away where that can be, told, or refused.
// Branches: conflicts are proved away, told, refused or kept, as three options say.
static bool settle_conflicts(const struct lr_canon *c, const uint32_t *class_of, const struct lr_options *o,
                             struct arena *arena, struct diag *d, struct lr *out)
{
	struct arena scratch = {0};
	struct lr_proof proof = {0};
	struct lr_report report = {0};
	if (!out->n_choice) {
		if (o->report) report_none(out, o->report);
		return true;
	}
	// The proofs need that no text has infinitely many runs.
	if (!o->keep_all && !grammar_has_loops(c->g))
		lr_prove(out, &scratch, &proof);
	else
		lr_prove_nothing(out, &scratch, &proof);
	if (o->report || o->deterministic)
		lr_report_conflicts(c, class_of, &proof, o->report ? o->report_arena : &scratch, &report);
	for (uint32_t i = 0; i < report.n_conflicts && o->deterministic; i++)
		if (report.conflicts[i].n_kept) lr_conflict_refuse(&report.conflicts[i], d);
	bool ok = !o->deterministic || !report.n_kept;
	if (ok && proof.n_dropped) {
		struct lr cut = *out;  // what is only in between goes to the scratch arena
		lr_drop(&cut, &proof, &scratch);
		lr_trim(&cut, arena, arena_array(&scratch, cut.n_states, sizeof(uint32_t)));
		*out = cut;
	}
	if (o->report) {
		report.may_grow = ok && lr_may_grow(out, &report.most_stacks);
		*o->report = report;
	}
	arena_release(&scratch);
	return ok;
}

// Does no rule need a terminal in a place where it is ignored?
static bool is_read_where_needed(const struct lr_canon *c, struct diag *d, const struct lr *lr)
{
	if (lr->needs_ignored == UINT32_MAX) return true;
	const struct terminal *t = &c->g->terminals[lr->needs_ignored];
	bool first = lr->needs_after == 0;
	diag_error(d, t->loc,
	           "a rule needs %s %s%s, but it is ignored there: name the terminal before it behind '%%ignore ... unless "
	           "after'",
	           t->name, first ? "at the beginning" : "right behind ",
	           first ? "" : grammar_symbol_name(c->g, c->reached_by.at[lr->needs_after]));
	return false;
}

bool lr_build(const struct grammar *g, const struct lr_options *o, struct arena *arena, struct diag *d, struct lr *out)
{
	struct lr_canon c = {.g = g};
	struct arena scratch = {0};
	if (o->made) {
		*out = *o->made;
		out->grammar = g;
		if (o->report) report_none(out, o->report);
		return true;
	}
	uint32_t *classes = NULL;
	bool ok = lr_canon_build(&c, &scratch, d);
	if (ok) {
		classes = arena_array(&scratch, c.states.entries.n, sizeof *classes);
		uint32_t n = refine_partition(c.states.entries.n, describe, &c, classes);
		ok = (uint64_t)n * c.n_symbols <= LR_MAX_CELLS;
		if (!ok) lr_too_large(d, n, c.n_symbols, "LR_MAX_CELLS");
		if (ok) fill_tables(&c, classes, n, arena, out);
	}
	ok = ok && is_read_where_needed(&c, d, out) && settle_conflicts(&c, classes, o, arena, d, out);
	if (ok) {
		out->grammar = g;
		out->work = c.work;
		find_contexts(arena, out);
		find_between_lexemes(arena, out);
		find_predecessors(arena, out);
	}
	lr_canon_release(&c);
	arena_release(&scratch);
	return ok;
}
