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
	const struct lr_cell *red = c->reductions.cell.at + c->reductions.at.at[state];
	const uint32_t n_red = c->reductions.at.at[state + 1] - c->reductions.at.at[state];
	for (uint32_t i = 0; i < n; i++) vec_push(&out->label, moves[i].by), vec_push(&out->successors, moves[i].to);
	vec_push(&out->label, REFINE_NONE);
	for (uint32_t i = 0; i < n_red; i++) vec_push(&out->label, red[i].by), vec_push(&out->label, red[i].to);
	vec_push(&out->label, is_inside(c, state) | (uint32_t)is_held(c, state) << 1);
}

void lr_table_take(struct lr_table_vec *v, struct arena *arena, struct lr_table *out)
{
	out->at = arena_array(arena, v->at.n, sizeof *out->at);
	out->cell = arena_array(arena, v->cell.n + 1, sizeof *out->cell);
	memcpy(out->at, v->at.at, v->at.n * sizeof *out->at);
	if (v->cell.n) memcpy(out->cell, v->cell.at, v->cell.n * sizeof *out->cell);
	vec_release(&v->at), vec_release(&v->cell);
}

uint32_t lr_choice(struct lr_choices *c, uint32_t *actions, uint32_t n)
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

// One canonical state's row of actions, and of gotos.
struct filling {
	const struct lr_canon *c;
	const uint32_t *class_of;
	uint32_t *shift;                  // [n_terminals + 1] where to, or 0
	uint32_t *set;                    // [n_terminals + 1] of reductions, or 0
	VEC(uint32_t) used, cell, skips;  // terminals with one of them; actions; terminals that are held or scoped
	struct lr_choices choices;
	struct lr_table_vec action, go;
	struct lr *out;
};

// A held terminal that is not behind one that holds is ignored.
static bool is_ignored_here(const struct filling *f, uint32_t s, terminal_id t)
{
	return f->c->g->terminals[t].is_held && !is_held(f->c, s);
}

// The same of a scoped one inside: no production has it there (lark_scope.c).
static bool is_skipped(const struct filling *f, uint32_t s, terminal_id t)
{
	return is_ignored_here(f, s, t) || (f->c->g->terminals[t].is_scoped && is_inside(f->c, s));
}

static void find_skips(struct filling *f)
{
	const struct grammar *g = f->c->g;
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].is_held || g->terminals[t].is_scoped) vec_push(&f->skips, t);
}

static void use(struct filling *f, terminal_id t)
{
	if (!f->shift[t] && !f->set[t]) vec_push(&f->used, t);
}

// Where a symbol leads: shifts wait for their reductions, gotos are the row.
static void fill_moves(struct filling *f, uint32_t s)
{
	const uint32_t n_terminals = f->c->g->n_terminals;
	uint32_t n;
	const struct lr_move *moves = lr_moves(f->c, s, &n);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t by = moves[i].by, to = f->class_of[moves[i].to] + 1;
		if (by < n_terminals)
			vec_push(&f->used, by), f->shift[by] = to;
		else
			vec_push(&f->go.cell, ((struct lr_cell){by - n_terminals, to}));
	}
}

// A cell is a shift, reductions, or a skip of what is ignored here or held, and may hold several actions.
static void fill_actions(struct filling *f, uint32_t s)
{
	const struct lr_canon *c = f->c;
	const struct lr_table reductions = {c->reductions.at.at, c->reductions.cell.at};
	uint32_t n;
	const struct lr_cell *red = lr_row(&reductions, s, &n);
	for (uint32_t i = 0; i < n; i++) use(f, red[i].by), f->set[red[i].by] = red[i].to;
	for (uint32_t i = 0; i < f->skips.n; i++)
		if (is_skipped(f, s, f->skips.at[i])) use(f, f->skips.at[i]);
	sort_u32(f->used.at, f->used.n);
	for (uint32_t i = 0; i < f->used.n; i++) {
		const terminal_id t = f->used.at[i];
		const uint32_t *list = lr_reduction_set(c, f->set[t], &n);
		vec_clear(&f->cell);
		for (uint32_t k = 0; k < n; k++)
			vec_push(&f->cell, list[k] == c->g->n_productions ? ACTION_ACCEPT : ACTION_REDUCE(list[k]));
		if (f->shift[t]) vec_push(&f->cell, ACTION_SHIFT(f->shift[t]));
		uint32_t action = lr_choice(&f->choices, f->cell.at, f->cell.n);
		f->shift[t] = f->set[t] = 0;
		if (t < c->g->n_terminals && is_skipped(f, s, t)) {
			if (action && is_ignored_here(f, s, t) && f->out->needs_ignored == UINT32_MAX)
				f->out->needs_ignored = t, f->out->needs_after = s;
			action = ACTION_SKIP;
		}
		vec_push(&f->action.cell, ((struct lr_cell){t, action}));
	}
	vec_clear(&f->used);
}

static void fill_tables(const struct lr_canon *c, const uint32_t *class_of, uint32_t n_classes, struct arena *arena,
                        struct lr *out)
{
	const struct grammar *g = c->g;
	*out = (struct lr){.n_states = n_classes + 1,
	                   .n_terminals = g->n_terminals,
	                   .n_nonterminals = g->n_nonterminals,
	                   .n_productions = g->n_productions,
	                   .n_canonical = c->states.entries.n,
	                   .needs_ignored = UINT32_MAX};
	out->production = arena_array(arena, g->n_productions + 1, sizeof *out->production);
	for (uint32_t p = 0; p < g->n_productions; p++)
		out->production[p] = (struct lr_production){g->productions[p].lhs, g->productions[p].n_rhs};
	struct filling f = {.c = c, .class_of = class_of, .out = out};
	f.shift = mem_calloc((size_t)g->n_terminals + 1, sizeof *f.shift);
	f.set = mem_calloc((size_t)g->n_terminals + 1, sizeof *f.set);
	find_skips(&f);
	for (lr_state s = 0; s <= LR_BOTTOM; s++) vec_push(&f.action.at, 0), vec_push(&f.go.at, 0);
	// Classes are numbered by first appearance and canonical state 0 is the start: it becomes LR_BOTTOM.
	for (uint32_t s = 0; s < c->states.entries.n; s++) {
		if (class_of[s] + 2 != f.action.at.n) continue;  // all of a class have one row
		fill_moves(&f, s);
		fill_actions(&f, s);
		vec_push(&f.action.at, f.action.cell.n), vec_push(&f.go.at, f.go.cell.n);
	}
	lr_table_take(&f.action, arena, &out->action);
	lr_table_take(&f.go, arena, &out->go);
	lr_choices_take(&f.choices, arena, out);
	free(f.shift), free(f.set);
	vec_release(&f.used), vec_release(&f.cell), vec_release(&f.skips);
}

static void find_contexts(struct arena *arena, struct lr *lr)
{
	struct intern sets = {0};
	lr->context_words = BITS_WORDS(lr->n_terminals);
	lr->context_of = arena_array(arena, lr->n_states, sizeof *lr->context_of);
	bits *row = mem_calloc(lr->context_words + 1, sizeof *row);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		memset(row, 0, lr->context_words * sizeof *row);
		uint32_t n;
		const struct lr_cell *cell = lr_row(&lr->action, s, &n);
		for (uint32_t i = 0; i < n; i++)
			if (cell[i].by < lr->n_terminals) bits_set(row, cell[i].by);
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

// By terminals.
static void find_steps(struct arena *arena, struct lr *lr)
{
	VEC(struct lr_step) steps = {0};  // by states
	VEC(terminal_id) by = {0};
	uint32_t n, n_actions, *place = mem_calloc((size_t)lr->n_terminals + 1, sizeof *place);
	lr->step_at = arena_array(arena, (size_t)lr->n_terminals + 1, sizeof *lr->step_at);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		const struct lr_cell *cell = lr_row(&lr->action, s, &n);
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t *a = lr_actions_of(lr, &cell[i].to, &n_actions);
			for (uint32_t k = 0; k < n_actions; k++) {
				if (!ACTION_IS_SHIFT(a[k]) && a[k] != ACTION_SKIP) continue;
				vec_push(&steps, ((struct lr_step){s, a[k]}));
				vec_push(&by, cell[i].by);
				lr->step_at[cell[i].by + 1]++;
			}
		}
	}
	for (terminal_id t = 0; t < lr->n_terminals; t++) lr->step_at[t + 1] += lr->step_at[t];
	memcpy(place, lr->step_at, ((size_t)lr->n_terminals + 1) * sizeof *place);
	lr->step = arena_array(arena, steps.n + 1, sizeof *lr->step);
	for (uint32_t i = 0; i < steps.n; i++) lr->step[place[by.at[i]]++] = steps.at[i];
	vec_release(&steps), vec_release(&by);
	free(place);
}

// All others are on top only amid reductions, when the next terminal is known.
static void find_between_lexemes(struct arena *arena, struct lr *lr)
{
	lr->between_lexemes = arena_array(arena, lr->n_states, sizeof *lr->between_lexemes);
	lr->between_lexemes[LR_BOTTOM] = 1;
	for (uint32_t i = 0; i < lr->step_at[lr->n_terminals]; i++)
		if (ACTION_IS_SHIFT(lr->step[i].action)) lr->between_lexemes[lr->step[i].action / 2] = 1;
}

// State `below` can lie below `to`. last: [n_states] the last one that was added there.
typedef VEC(uint64_t) edge_list;
static void add_below(struct lr *lr, uint32_t *last, edge_list *edges, lr_state below, lr_state to)
{
	if (last[to] == below) return;
	last[to] = below;
	lr->pred_at[to + 1]++;
	vec_push(edges, (uint64_t)to << 32 | below);
}

static void find_predecessors(struct arena *arena, struct lr *lr)
{
	edge_list edges = {0};  // above << 32 | below, ascending by the one below
	uint32_t n, n_actions, *last = mem_calloc(lr->n_states, sizeof *last);
	lr->pred_at = arena_array(arena, lr->n_states + 1, sizeof *lr->pred_at);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		const struct lr_cell *cell = lr_row(&lr->action, s, &n);
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t *a = lr_actions_of(lr, &cell[i].to, &n_actions);
			for (uint32_t k = 0; k < n_actions; k++)
				if (ACTION_IS_SHIFT(a[k])) add_below(lr, last, &edges, s, a[k] / 2);
		}
		cell = lr_row(&lr->go, s, &n);
		for (uint32_t i = 0; i < n; i++) add_below(lr, last, &edges, s, cell[i].to);
	}
	for (lr_state s = 0; s < lr->n_states; s++) lr->pred_at[s + 1] += lr->pred_at[s];
	lr->pred = arena_array(arena, edges.n + 1, sizeof *lr->pred);
	memcpy(last, lr->pred_at, lr->n_states * sizeof *last);
	for (uint32_t i = 0; i < edges.n; i++) lr->pred[last[edges.at[i] >> 32]++] = (uint32_t)edges.at[i];
	free(last);
	vec_release(&edges);
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
		const bool few = n < LR_MAX_STATES;
		ok = few && (uint64_t)(n + 1) * g->n_nonterminals <= ARTIFACT_MAX_CELLS;
		if (!ok) lr_too_large(d, n, c.n_symbols, few ? "ARTIFACT_MAX_CELLS" : "LR_MAX_STATES");
		if (ok) fill_tables(&c, classes, n, arena, out);
	}
	ok = ok && is_read_where_needed(&c, d, out) && settle_conflicts(&c, classes, o, arena, d, out);
	if (ok) {
		out->grammar = g;
		out->work = c.work;
		find_contexts(arena, out);
		find_steps(arena, out);
		find_between_lexemes(arena, out);
		find_predecessors(arena, out);
	}
	lr_canon_release(&c);
	arena_release(&scratch);
	return ok;
}
