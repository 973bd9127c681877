// The compiler's end: tables laid out as cells.
#include <criterion/criterion.h>

#include "../../formats/artifact.h"
#include "../../lib/compile/pack.h"

static uint64_t state = 20261127;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

#define ROWS 80u
#define COLUMNS 300u

struct entries {
	uint32_t n_rows, n_columns;
	uint32_t at[ROWS][COLUMNS];  // 0: none
};

// Rows of a few entries, full ones, empty ones, and some that are equal.
static void fill(struct entries *x)
{
	memset(x, 0, sizeof *x);
	x->n_rows = 1 + random_below(ROWS), x->n_columns = 1 + random_below(COLUMNS);
	for (uint32_t r = 0; r < x->n_rows; r++) {
		if (r && random_below(6) == 0) {
			memcpy(x->at[r], x->at[random_below(r)], sizeof x->at[r]);
			continue;
		}
		const uint32_t one_in = random_below(5) ? 1 + random_below(60) : 1;
		for (uint32_t c = 0; c < x->n_columns && random_below(10); c++)
			if (random_below(one_in) == 0) x->at[r][c] = 1 + random_below(4);
	}
}

static struct packed_table pack(struct arena *arena, const struct entries *x, uint32_t *row_of)
{
	static uint32_t begins[ROWS + 1];
	static struct lr_cell cells[ROWS * COLUMNS];
	uint32_t n = 0;
	for (uint32_t r = 0; r < x->n_rows; r++) {
		begins[r] = n;
		for (uint32_t c = 0; c < x->n_columns; c++)
			if (x->at[r][c]) cells[n++] = (struct lr_cell){c, x->at[r][c]};
	}
	begins[x->n_rows] = n;
	return pack_table(arena, &(struct lr_table){begins, cells}, x->n_rows, x->n_columns, row_of);
}

Test(pack, each_entry_of_a_table_is_in_its_cell_and_no_other_is)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	static struct entries x;
	for (int round = 0; round < 400; round++) {
		struct arena arena = {0};
		uint32_t row_of[ROWS], wrong = 0;
		fill(&x);
		const struct packed_table t = pack(&arena, &x, row_of);
		for (uint32_t r = 0; r < x.n_rows; r++) {
			cr_assert_leq((uint64_t)row_of[r] + x.n_columns, t.n, "row %u has no room for its columns", r);
			for (uint32_t c = 0; c < x.n_columns; c++)
				wrong += artifact_cell_value(t.cells, row_of[r], c, 0) != x.at[r][c];
			for (uint32_t q = 0; q < r; q++)
				wrong += (row_of[q] == row_of[r]) != !memcmp(x.at[q], x.at[r], sizeof x.at[r]);
		}
		cr_assert_eq(wrong, 0, "round %d: %u entries are wrong", round, wrong);
		arena_release(&arena);
	}
}

// A table of one entry in ten takes less than a third of its places, one of two entries a row little more than them.
Test(pack, rows_lie_in_the_gaps_of_others)
{
	static struct entries x;
	for (uint32_t few = 0; few < 2; few++) {
		struct arena arena = {0};
		uint32_t row_of[ROWS], n = 0;
		memset(&x, 0, sizeof x);
		x.n_rows = ROWS, x.n_columns = COLUMNS;
		for (uint32_t r = 0; r < ROWS; r++)
			for (uint32_t c = 0; c < COLUMNS; c++)
				if (few ? c == r || c == 2 * r + 100 : random_below(10) == 0) x.at[r][c] = 1 + r, n++;
		const struct packed_table t = pack(&arena, &x, row_of);
		cr_expect_lt(t.n, few ? n + COLUMNS + 64 : ROWS * COLUMNS / 3, "%u cells for %u entries", t.n, n);
		arena_release(&arena);
	}
}

// Rows that find no place among the first ones do not each take a width of their own behind all others.
Test(pack, many_wide_rows_lie_in_the_gaps_of_others)
{
	enum { WIDE_ROWS = 6000, WIDTH = 15000, MOST = 60 };
	static uint32_t begins[WIDE_ROWS + 1], row_of[WIDE_ROWS];
	static struct lr_cell cells[WIDE_ROWS * MOST];
	struct arena arena = {0};
	uint32_t n = 0;
	for (uint32_t r = 0; r < WIDE_ROWS; r++, begins[r] = n)
		for (uint32_t c = random_below(WIDTH / MOST), most = 1 + random_below(MOST), k = 0; k < most && c < WIDTH;
		     k++, c += 1 + random_below(2 * WIDTH / MOST))
			cells[n++] = (struct lr_cell){c, 1 + random_below(4)};
	const struct packed_table t = pack_table(&arena, &(struct lr_table){begins, cells}, WIDE_ROWS, WIDTH, row_of);
	uint32_t wrong = 0;
	for (uint32_t r = 0; r < WIDE_ROWS; r++)
		for (uint32_t i = begins[r]; i < begins[r + 1]; i++)
			wrong += artifact_cell_value(t.cells, row_of[r], cells[i].by, 0) != cells[i].to;
	cr_expect_eq(wrong, 0, "%u entries are wrong", wrong);
	cr_expect_lt(t.n, 4 * n, "%u cells for %u entries", t.n, n);
	arena_release(&arena);
}
