// A section's words, turned so that zstd finds them short.
//
// In:  words, what codec. Out: bytes: planes of the words or of their differences, column by column, or lists.
// A list is told from the one of the SECTION_LISTS_BACK before it that it differs from least, of equal ones the
// nearest, or by itself where that is shorter. Cost: linear; of lists, words times SECTION_LISTS_BACK at most, and most
// comparisons end early.
#include "section_encode.h"

#include "../base/bitset.h"

bool section_has_width(enum artifact_codec codec)
{
	return codec == ARTIFACT_ZSTD_COLUMNS || codec == ARTIFACT_ZSTD_STEPS;
}

// n words in rows of `width`; delta: as differences, to the row above where there are columns.
static void split_words(const uint32_t *w, size_t n, uint32_t width, bool delta, uint8_t *planes)
{
	uint8_t *a = planes, *b = a + n, *c = b + n, *d = c + n;
	size_t k = 0;
	for (uint32_t column = 0; column < width; column++) {
		uint32_t before = 0;
		for (size_t i = column; i < n; i += width, k++) {
			uint32_t x = w[i] - before;
			if (delta) before = w[i];
			a[k] = (uint8_t)x, b[k] = (uint8_t)(x >> 8), c[k] = (uint8_t)(x >> 16), d[k] = (uint8_t)(x >> 24);
		}
	}
}

// ---- Lists

struct list {
	const uint32_t *at;
	uint32_t n;
};

// How many are in one of the two only; counted until `enough`.
static uint32_t differences(struct list x, struct list y, uint32_t enough)
{
	uint32_t found = 0, i = 0, k = 0;
	while (i < x.n && k < y.n && found < enough) {
		uint32_t a = x.at[i], b = y.at[k];
		i += a <= b, k += b <= a;
		found += a != b;
	}
	return found + x.n - i + y.n - k;
}

static void put_number(byte_list *out, uint32_t x)
{
	for (; x >= 128; x >>= 7) vec_push(out, (uint8_t)(x | 128));
	vec_push(out, (uint8_t)x);
}

// The numbers that are in one of the two only, as differences.
static void put_flips(byte_list *out, struct list x, struct list y)
{
	uint32_t before = 0;
	for (uint32_t i = 0, k = 0; i < x.n || k < y.n;) {
		bool first = k == y.n || (i < x.n && x.at[i] <= y.at[k]), second = i == x.n || (k < y.n && y.at[k] <= x.at[i]);
		uint32_t token = first ? x.at[i] : y.at[k];
		i += first, k += second;
		if (first && second) continue;
		put_number(out, token - before);
		before = token;
	}
}

static void put_lists(const uint32_t *w, uint32_t n, const bits *begins, byte_list *out)
{
	struct list known[SECTION_LISTS_BACK];
	uint32_t lists = 0;
	for (uint32_t from = 0, to; from < n; from = to, lists++) {
		for (to = from + 1; to < n && !bits_test(begins, to) && w[to] > w[to - 1];) to++;
		struct list x = {w + from, to - from}, base = {0};
		uint32_t best = x.n, back = 0;
		for (uint32_t k = 1; k <= lists && k <= SECTION_LISTS_BACK && best > 1; k++) {
			struct list y = known[(lists - k) % SECTION_LISTS_BACK];
			if ((x.n > y.n ? x.n - y.n : y.n - x.n) >= best) continue;
			uint32_t here = differences(x, y, best);
			if (here < best) best = here, back = k, base = y;
		}
		put_number(out, back);
		put_number(out, best);
		put_flips(out, base, x);
		known[lists % SECTION_LISTS_BACK] = x;
	}
}

const void *section_encode(enum artifact_codec codec, const void *bytes, uint64_t *size, uint32_t width,
                           const bits *begins, byte_list *scratch)
{
	if (codec == ARTIFACT_RAW || codec == ARTIFACT_ZSTD) return bytes;
	vec_clear(scratch);
	if (codec == ARTIFACT_ZSTD_LISTS) {
		put_lists(bytes, (uint32_t)(*size / 4), begins, scratch);
		*size = scratch->n;
		return scratch->at;
	}
	vec_reserve(scratch, *size);
	if (section_has_width(codec))
		split_words(bytes, *size / 4, width, codec == ARTIFACT_ZSTD_STEPS, scratch->at);
	else
		split_words(bytes, *size / 4, 1, codec == ARTIFACT_ZSTD_DELTA, scratch->at);
	return scratch->at;
}

// ---- Rows

#define MAX_ROW_FLIPS 600u  // of a row that is told from a standard one: beyond it zstd does as well by itself

static uint32_t count_bits(const uint32_t *row, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < words; i++) n += bits_of(row[i]);
	return n;
}

#define ROW_BLOCK 128u

// Bits in which they differ, counted until `enough`.
static uint32_t row_flips(const uint32_t *a, const uint32_t *b, uint32_t words, uint32_t enough)
{
	uint32_t n = 0;
	for (uint32_t from = 0; from < words && n < enough; from += ROW_BLOCK) {
		uint32_t to = words - from < ROW_BLOCK ? words : from + ROW_BLOCK;
		for (uint32_t i = from; i < to; i++) n += bits_of(a[i] ^ b[i]);
	}
	return n;
}

static void put_row(byte_list *out, const uint32_t *row, uint32_t words, const uint32_t *standard, uint32_t flips)
{
	uint32_t before = 0;
	if (!standard) {
		vec_reserve(out, (uint64_t)out->n + 4 * (uint64_t)words);
		memcpy(out->at + out->n, row, 4 * (uint64_t)words);
		out->n += 4 * words;
		return;
	}
	put_number(out, flips);
	for (uint32_t i = 0; i < words; i++)
		for (uint32_t x = row[i] ^ standard[i]; x; x &= x - 1) {
			uint32_t bit = i * 32 + (uint32_t)__builtin_ctz(x);
			put_number(out, bit - before);
			before = bit;
		}
}

// The standard row that differs from the row in fewest bits, of equal ones the first; NULL where none is near.
static const uint32_t *nearest(const uint32_t *row, const struct section_rows *standard, const uint32_t *count,
                               uint32_t *number, uint32_t *flips)
{
	const uint32_t words = standard->words, here = count_bits(row, words);
	const uint32_t *base = NULL;
	*flips = MAX_ROW_FLIPS + 1, *number = 0;
	for (uint32_t k = 0; k < standard->n && *flips; k++) {
		const uint32_t *x = standard->at + (size_t)k * words;
		if ((here > count[k] ? here - count[k] : count[k] - here) >= *flips) continue;
		uint32_t n = row_flips(row, x, words, *flips);
		if (n < *flips) *flips = n, *number = k + 1, base = x;
	}
	return base;
}

const void *section_encode_rows(const uint32_t *rows, uint32_t n, const struct section_rows *standard, uint64_t *size,
                                byte_list *scratch)
{
	const uint32_t words = standard->words;
	uint32_t *count = mem_calloc(standard->n + 1, sizeof *count), number, flips;
	for (uint32_t k = 0; k < standard->n; k++) count[k] = count_bits(standard->at + (size_t)k * words, words);
	vec_clear(scratch);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *row = rows + (size_t)i * words, *base = nearest(row, standard, count, &number, &flips);
		put_number(scratch, number);
		put_row(scratch, row, words, base, flips);
	}
	free(count);
	*size = scratch->n;
	return scratch->at;
}
