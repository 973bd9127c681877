// The compiler's end: tables laid out as cells.
#include <criterion/criterion.h>

#include "../../formats/artifact.h"
#include "../../lib/base/bitset.h"
#include "../../lib/compile/pack.h"
#include "../../lib/compile/set_profile.h"

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

#define RANKS 70000u

static void add_random_ranges(bits *set, uint32_t n_ranks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t from = random_below(n_ranks), most = random_below(4) ? 5 : n_ranks, left = n_ranks - from;
		bits_set_range(set, from, from + 1 + random_below(left < most ? left : most));
	}
}

static struct set_profile profile_of(const bits *set, uint32_t n_ranks)
{
	struct set_profile p = {{0}};
	for (uint32_t i = 0, end; i < n_ranks; i = end + 1) {
		for (end = i; end < n_ranks && bits_test(set, end);) end++;
		if (end > i) set_profile_add(&p, set_profile_shift(n_ranks), i, end);
	}
	return p;
}

// What keeps rows from being compared: it must never say too much; and of two sets that differ in a few ranks of one
// block, in one direction, it says all.
Test(pack, profiles_never_say_more_differences_than_there_are)
{
	static bits a[BITS_WORDS(RANKS)], b[BITS_WORDS(RANKS)];
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	uint32_t n_exact = 0;
	for (int round = 0; round < 500; round++) {
		const uint32_t n_ranks = 1 + random_below(round % 3 ? RANKS : 300), words = BITS_WORDS(n_ranks);
		memset(a, 0, sizeof a);
		add_random_ranges(a, n_ranks, random_below(40));
		memcpy(b, a, sizeof b);
		add_random_ranges(b, n_ranks, random_below(6));
		for (uint32_t i = random_below(10); i; i--) bits_reset(b, random_below(n_ranks));
		uint32_t differ = 0;
		for (uint32_t w = 0; w < words; w++) differ += (uint32_t)__builtin_popcountll(a[w] ^ b[w]);
		const struct set_profile x = profile_of(a, n_ranks), y = profile_of(b, n_ranks);
		const uint32_t apart = set_profile_apart(&x, &y);
		cr_assert(apart <= differ && apart == set_profile_apart(&y, &x), "%u of %u, round %d", apart, differ, round);
		n_exact += apart == differ && differ;
	}
	cr_assert_gt(n_exact, 100, "profiles say too little: %u", n_exact);
}
