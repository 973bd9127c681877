// Gotos by columns: a counting sort of the rows' cells, and a search that goes on from where the last one ended.
#include "goto_columns.h"

#include "../base/mem.h"

void goto_columns_init(struct goto_columns *x, const struct lr *lr)
{
	const uint32_t n_cells = lr->go.at[lr->n_states], n_lhs = lr->n_nonterminals;
	uint32_t n, *at = mem_calloc((size_t)n_lhs + 2, sizeof *at);
	*x = (struct goto_columns){.n_nonterminals = n_lhs, .cells.at = at};
	x->cells.cell = mem_alloc(((size_t)n_cells + 1) * sizeof *x->cells.cell);
	x->all = mem_calloc((size_t)n_lhs + 1, sizeof *x->all);
	for (uint32_t i = 0; i < n_cells; i++) at[lr->go.cell[i].by + 2]++;
	for (uint32_t lhs = 0; lhs < n_lhs; lhs++) {
		if (at[lhs + 2] >= lr->n_states / GOTO_COLUMN_ALL) x->all[lhs] = mem_calloc(lr->n_states, sizeof **x->all);
		at[lhs + 2] += at[lhs + 1];
	}
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		const struct lr_cell *row = lr_row(&lr->go, s, &n);
		for (uint32_t i = 0; i < n; i++) {
			x->cells.cell[at[row[i].by + 1]++] = (struct lr_cell){s, row[i].to};
			if (x->all[row[i].by]) x->all[row[i].by][s] = row[i].to;
		}
	}
}

void goto_columns_release(struct goto_columns *x)
{
	for (uint32_t lhs = 0; x->all && lhs < x->n_nonterminals; lhs++) free(x->all[lhs]);
	free(x->all), free(x->cells.at), free(x->cells.cell);
}

// From place `at` on, the first cell whose state is not below s: most frames have a cell, so it is near.
static uint32_t seek(const struct lr_cell *column, uint32_t n, uint32_t at, lr_state s)
{
	uint32_t step = 1;
	for (; at + step < n && column[at + step].by < s; step *= 2) at += step;
	const uint32_t end = at + step < n ? at + step : n;
	LOWER_BOUND(at, at, end, column[at].by < s);
	return at;
}

void goto_columns_find(const struct goto_columns *x, uint32_t lhs, const lr_state *frame, uint32_t n, lr_state *to)
{
	uint32_t n_cells, at = 0;
	const struct lr_cell *column = lr_row(&x->cells, lhs, &n_cells);
	const lr_state *all = x->all[lhs];
	for (uint32_t i = 0; i < n && all; i++) to[i] = all[frame[i]];
	for (uint32_t i = 0; i < n && !all; i++) {
		ASSERT(!i || frame[i] > frame[i - 1]);
		if (at < n_cells && column[at].by < frame[i]) at = seek(column, n_cells, at, frame[i]);
		to[i] = at < n_cells && column[at].by == frame[i] ? column[at].to : 0;
	}
}
