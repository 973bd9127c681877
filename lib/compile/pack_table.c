// Tables of which most entries are empty, their rows laid into one another's gaps.
//
// In:  rows of cells, ascending by column. Out: one list of cells, and for each row the cell where it begins (struct
//      artifact_cell). Equal rows are one.
// First fit, the rows with the most cells first, 64 places at once: bits say which cells are taken. Source: Tarjan and
// Yao, Storing a sparse table, 1979; as yacc lays out its tables. Where a row finds no place soon, the next ones of its
// size begin their search farther on. Cost: for each row its cells, times PLACE_WORDS at most, and for each size (by
// powers of two) one pass over the list; the list has few cells more than the rows have.
#include "pack.h"

#include "../base/bitset.h"
#include "../../formats/artifact.h"

#define PLACE_WORDS 256u  // of 64 places, that are tried for a row before the search moves on

struct layout {
	struct intern rows;
	bits *taken, *begins;  // [words] cells that a row has, cells where one begins
	uint32_t n_words;
	uint32_t first;  // words before it are full, or have hardly room for rows of this size
	uint32_t size;   // of the rows at hand: the power of two
	uint32_t end;    // behind the last cell that is taken, and the last place where a row begins
};

static void make_room(struct layout *x, uint64_t cell)
{
	const uint64_t want = cell / 64 + 2;
	if (want <= x->n_words) return;
	const uint64_t n = want + want / 2;
	x->taken = mem_realloc(x->taken, n, sizeof *x->taken), x->begins = mem_realloc(x->begins, n, sizeof *x->begins);
	memset(x->taken + x->n_words, 0, (n - x->n_words) * sizeof *x->taken);
	memset(x->begins + x->n_words, 0, (n - x->n_words) * sizeof *x->begins);
	x->n_words = (uint32_t)n;
}

// Of 64 cells from `at` on, those that are taken.
static bits taken_at(const struct layout *x, uint64_t at)
{
	const bits *w = x->taken + at / 64;
	return at % 64 ? w[0] >> at % 64 | w[1] << (64 - at % 64) : w[0];
}

static uint32_t find_place(struct layout *x, const struct lr_cell *cell, uint32_t n, uint32_t width)
{
	const uint32_t size = n ? 32 - (uint32_t)__builtin_clz(n) : 0;
	if (size != x->size) x->size = size, x->first = 0;
	while (x->first < x->end / 64 && x->taken[x->first] == ~(bits)0) x->first++;
	for (uint32_t w = x->first, tried = 0;; w++, tried++) {
		if (tried == PLACE_WORDS) x->first += PLACE_WORDS / 2, tried = 0;
		make_room(x, (uint64_t)w * 64 + 64 + width);
		bits free = ~x->begins[w];
		for (uint32_t i = 0; i < n && free; i++) free &= ~taken_at(x, (uint64_t)w * 64 + cell[i].by);
		if (free) return w * 64 + (uint32_t)__builtin_ctzll(free);
	}
}

static uint32_t place_row(struct layout *x, const struct lr_cell *cell, uint32_t n, uint32_t width)
{
	const uint32_t row = find_place(x, cell, n, width), end = row + (n ? cell[n - 1].by : 0) + 1;
	for (uint32_t i = 0; i < n; i++) bits_set(x->taken, row + cell[i].by);
	bits_set(x->begins, row);
	if (end > x->end) x->end = end;
	return row;
}

// Rows by how many cells they have, the most first; of equal ones in the order in which they came.
static uint32_t *by_size(const struct layout *x)
{
	const uint32_t n = x->rows.entries.n;
	uint32_t len, *order = mem_alloc(((size_t)n + 1) * sizeof *order), most = 0;
	for (uint32_t i = 0; i < n; i++) {
		intern_get(&x->rows, i, &len);
		if (len > most) most = len;
	}
	uint32_t *at = mem_calloc((size_t)most + 2, sizeof *at);
	for (uint32_t i = 0; i < n; i++) intern_get(&x->rows, i, &len), at[most - len + 1]++;
	for (uint32_t k = 0; k <= most; k++) at[k + 1] += at[k];
	for (uint32_t i = 0; i < n; i++) intern_get(&x->rows, i, &len), order[at[most - len]++] = i;
	free(at);
	return order;
}

struct packed_table pack_table(struct arena *arena, const struct lr_table *table, uint32_t n_rows, uint32_t width,
                               uint32_t *row_of)
{
	struct layout x = {0};
	uint32_t n;
	for (uint32_t r = 0; r < n_rows; r++) {
		const struct lr_cell *cell = lr_row(table, r, &n);
		row_of[r] = intern_add(&x.rows, cell, n * sizeof *cell, NULL);
	}
	uint32_t *order = by_size(&x), *begin = mem_alloc(((size_t)x.rows.entries.n + 1) * sizeof *begin), last = 0;
	for (uint32_t k = 0; k < x.rows.entries.n; k++) {
		const struct lr_cell *cell = intern_get(&x.rows, order[k], &n);
		begin[order[k]] = place_row(&x, cell, n / (uint32_t)sizeof *cell, width);
		if (begin[order[k]] > last) last = begin[order[k]];
	}
	const uint32_t n_cells = x.end > last + width ? x.end : last + width;
	struct artifact_cell *cells = arena_array(arena, n_cells, sizeof *cells);
	for (uint32_t i = 0; i < n_cells; i++) cells[i].column = ARTIFACT_NONE;
	for (uint32_t i = 0; i < x.rows.entries.n; i++) {
		const struct lr_cell *cell = intern_get(&x.rows, i, &n);
		for (uint32_t k = 0; k < n / sizeof *cell; k++)
			cells[begin[i] + cell[k].by] = (struct artifact_cell){cell[k].by, cell[k].to};
	}
	for (uint32_t r = 0; r < n_rows; r++) row_of[r] = begin[row_of[r]];
	intern_release(&x.rows);
	free(order), free(begin), free(x.taken), free(x.begins);
	return (struct packed_table){cells, n_cells};
}
