// Dropping actions, dead gotos and unreachable lr_states, then merging by behaviour again.
//
// In:  tables, and what stays of each choice. Out: smaller tables.
// A goto is alive when a live reduction can pop down to it: saturation over live edges, until nothing more comes alive.
// Merging: partition refinement (base/refine.h), as in lr.c.
// Cost: rounds x live states x the states that one right side below them can reach; milliseconds.
#include "lr_trim.h"

#include "../base/refine.h"

#define MAX_KEPT 32u  // a choice of more actions is never shortened

void lr_drop(struct lr *lr, const struct lr_proof *proof, struct arena *arena)
{
	struct lr_choices choices = {0};
	for (uint32_t c = 0; c < proof->n_cells; c++) {
		const struct lr_cell_proof *cell = &proof->cell[c];
		VEC(uint32_t) kept = {0};
		for (uint32_t i = 0; i < cell->n; i++)
			if (cell->n > MAX_KEPT || cell->keep >> i & 1) vec_push(&kept, cell->action[i]);
		ASSERT(kept.n);
		lr->action.cell[lr_find(&lr->action, cell->s, cell->t)].to = lr_choice(&choices, kept.at, kept.n);
		vec_release(&kept);
	}
	lr_choices_take(&choices, arena, lr);
}

struct trimming {
	struct lr *lr;
	bits *live;             // states
	bits *live_goto;        // [cells of lr->go]
	uint32_t *stamp, now;   // [n_states] seen in the search `now`
	VEC(lr_state) * below;  // [n_states] by live edges
	VEC(lr_state) order;    // live states, LR_BOTTOM first
	VEC(lr_state) front, next;
	uint32_t *place;  // [n_states] in `order`
};

static void reach(struct trimming *w, lr_state from, lr_state to)
{
	for (uint32_t i = 0; i < w->below[to].n; i++)
		if (w->below[to].at[i] == from) return;
	vec_push(&w->below[to], from);
	if (bits_test(w->live, to)) return;
	bits_set(w->live, to);
	vec_push(&w->order, to);
}

static void shift_edges(struct trimming *w, lr_state s)
{
	uint32_t n_cells, n;
	const struct lr_cell *cell = lr_row(&w->lr->action, s, &n_cells);
	for (uint32_t k = 0; k < n_cells; k++) {
		const uint32_t *a = lr_actions_of(w->lr, &cell[k].to, &n);
		for (uint32_t i = 0; i < n; i++)
			if (ACTION_IS_SHIFT(a[i])) reach(w, s, a[i] / 2);
	}
}

// What lies `length` states below s, in front.
static void go_down(struct trimming *w, lr_state s, uint32_t length)
{
	vec_clear(&w->front);
	vec_push(&w->front, s);
	for (; length; length--) {
		vec_clear(&w->next);
		w->now++;
		for (uint32_t i = 0; i < w->front.n; i++) {
			lr_state x = w->front.at[i];
			for (uint32_t k = 0; k < w->below[x].n; k++) {
				lr_state y = w->below[x].at[k];
				if (w->stamp[y] == w->now) continue;
				w->stamp[y] = w->now;
				vec_push(&w->next, y);
			}
		}
		vec_clear(&w->front);
		for (uint32_t i = 0; i < w->next.n; i++) vec_push(&w->front, w->next.at[i]);
	}
}

static bool reduce_edges(struct trimming *w, lr_state s)
{
	struct lr *lr = w->lr;
	bool grew = false;
	uint32_t last = 0, n_cells, n;
	const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
	for (uint32_t c = 0; c < n_cells; c++) {
		const uint32_t *a = lr_actions_of(lr, &cell[c].to, &n);
		for (uint32_t i = 0; i < n; i++) {
			if (a[i] >> 31 || a[i] & 1 || (n == 1 && a[i] == last)) continue;
			last = a[i];
			struct lr_production p = lr->production[a[i] / 2 - 1];
			go_down(w, s, p.length);
			for (uint32_t k = 0; k < w->front.n; k++) {
				const uint32_t at = lr_find(&lr->go, w->front.at[k], p.lhs);
				if (at == UINT32_MAX || bits_test(w->live_goto, at)) continue;
				bits_set(w->live_goto, at);
				reach(w, w->front.at[k], lr->go.cell[at].to);
				grew = true;
			}
		}
	}
	return grew;
}

static void find_live(struct trimming *w)
{
	bits_set(w->live, LR_BOTTOM);
	vec_push(&w->order, LR_BOTTOM);
	uint32_t shifted = 0;
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t i = 0; i < w->order.n; i++) {
			for (; shifted < w->order.n; shifted++) shift_edges(w, w->order.at[shifted]);
			grew |= reduce_edges(w, w->order.at[i]);
		}
	}
}

static void describe(void *user, uint32_t node, struct refine_node *out)
{
	const struct trimming *w = user;
	const struct lr *lr = w->lr;
	lr_state s = w->order.at[node];
	uint32_t n_cells, n;
	const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
	for (uint32_t k = 0; k < n_cells; k++) {
		uint32_t shift = REFINE_NONE;
		const uint32_t *a = lr_actions_of(lr, &cell[k].to, &n);
		vec_push(&out->label, cell[k].by);
		vec_push(&out->label, n);
		for (uint32_t i = 0; i < n; i++)
			if (ACTION_IS_SHIFT(a[i]))
				shift = w->place[a[i] / 2];
			else
				vec_push(&out->label, a[i]);
		vec_push(&out->successors, shift);
	}
	vec_push(&out->label, REFINE_NONE);
	for (uint32_t at = lr->go.at[s]; at < lr->go.at[s + 1]; at++) {
		if (!bits_test(w->live_goto, at)) continue;
		vec_push(&out->label, lr->go.cell[at].by);
		vec_push(&out->successors, w->place[lr->go.cell[at].to]);
	}
}

static void write_tables(struct trimming *w, const uint32_t *class_of, uint32_t n_classes, struct arena *arena,
                         uint32_t *new_state)
{
	struct lr *lr = w->lr;
	struct lr_choices choices = {0};
	struct lr_table_vec action = {0}, go = {0};
	VEC(uint32_t) list = {0};
	uint32_t n_cells, n;
	for (uint32_t i = 0; i < w->order.n; i++) new_state[w->order.at[i]] = class_of[i] + 1;
	for (lr_state s = 0; s <= LR_BOTTOM; s++) vec_push(&action.at, 0), vec_push(&go.at, 0);
	for (uint32_t i = 0; i < w->order.n; i++) {
		lr_state s = w->order.at[i];
		if (class_of[i] + 2 != action.at.n) continue;  // all of a class have one row, and classes come in order
		const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
		for (uint32_t c = 0; c < n_cells; c++) {
			const uint32_t *a = lr_actions_of(lr, &cell[c].to, &n);
			vec_clear(&list);
			for (uint32_t k = 0; k < n; k++)
				vec_push(&list, ACTION_IS_SHIFT(a[k]) ? ACTION_SHIFT(new_state[a[k] / 2]) : a[k]);
			vec_push(&action.cell, ((struct lr_cell){cell[c].by, lr_choice(&choices, list.at, list.n)}));
		}
		for (uint32_t at = lr->go.at[s]; at < lr->go.at[s + 1]; at++)
			if (bits_test(w->live_goto, at))
				vec_push(&go.cell, ((struct lr_cell){lr->go.cell[at].by, new_state[lr->go.cell[at].to]}));
		vec_push(&action.at, action.cell.n), vec_push(&go.at, go.cell.n);
	}
	ASSERT(action.at.n == n_classes + 2);
	vec_release(&list);
	lr_choices_take(&choices, arena, lr);
	lr_table_take(&action, arena, &lr->action), lr_table_take(&go, arena, &lr->go);
	lr->n_states = n_classes + 1;
}

void lr_trim(struct lr *lr, struct arena *arena, uint32_t *new_state)
{
	uint32_t n = lr->n_states;
	struct trimming w = {.lr = lr};
	w.live = mem_calloc(BITS_WORDS(n), sizeof *w.live);
	w.live_goto = mem_calloc(BITS_WORDS(lr->go.at[n]) + 1, sizeof *w.live_goto);
	w.stamp = mem_calloc(n, sizeof *w.stamp), w.place = mem_calloc(n, sizeof *w.place);
	w.below = mem_calloc(n, sizeof *w.below);
	memset(new_state, 0, n * sizeof *new_state);
	find_live(&w);
	for (uint32_t i = 0; i < w.order.n; i++) w.place[w.order.at[i]] = i;
	uint32_t *class_of = mem_calloc(w.order.n, sizeof *class_of);
	uint32_t n_classes = refine_partition(w.order.n, describe, &w, class_of);
	write_tables(&w, class_of, n_classes, arena, new_state);
	free(class_of);
	for (uint32_t s = 0; s < n; s++) vec_release(&w.below[s]);
	free(w.live), free(w.live_goto), free(w.stamp), free(w.place), free(w.below);
	vec_release(&w.order), vec_release(&w.front), vec_release(&w.next);
}
