// Sections as they are stored: what comes out of the zstd frame becomes the section's words.
//
// Planes: the n lowest bytes of the words, then the n next, ..., the n highest. Steps: rows of `width` words, column by
// column, as differences. Lists: ascending lists, each as what it adds to and takes from an earlier one. Rows: each as
// the words that an earlier one has otherwise (formats/artifact.md, 1).
#ifndef GCDC_SHARED_SECTION_CODEC_H
#define GCDC_SHARED_SECTION_CODEC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SECTION_LISTS_BACK 64u  // lists before it that a list may be told from

// How sections name standard lists, of which it is the check; 0: none.
static inline uint32_t section_lists_check(uint64_t check) { return (uint32_t)check | 1; }

static inline void section_join_planes(uint32_t *restrict to, const uint8_t *restrict planes, uint64_t n)
{
	const uint8_t *a = planes, *b = a + n, *c = b + n, *d = c + n;
	for (uint64_t i = 0; i < n; i++)
		to[i] = (uint32_t)a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24;
}

// Each number becomes the sum of `sum` and all up to it; the last one is returned.
static inline uint32_t section_add_up(uint32_t *x, uint32_t n, uint32_t sum)
{
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4) {
		x[i] = sum += x[i];
		x[i + 1] = sum += x[i + 1];
		x[i + 2] = sum += x[i + 2];
		x[i + 3] = sum += x[i + 3];
	}
	for (; i < n; i++) x[i] = sum += x[i];
	return sum;
}

// n words, each `step` words behind the one before.
static inline void section_spread(uint32_t *to, uint64_t step, const uint32_t *x, uint32_t n)
{
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4, to += 4 * step) {
		to[0] = x[i];
		to[step] = x[i + 1];
		to[2 * step] = x[i + 2];
		to[3 * step] = x[i + 3];
	}
	for (; i < n; i++, to += step) *to = x[i];
}

#define SECTION_BLOCK 256u  // words that are joined at once

// Where a part of another table ends that begins at *first, with as many entries as the word behind says, or one.
static inline uint32_t section_part_end(const uint32_t *first, bool has_count)
{
	return *first + (has_count ? first[1] : 1);
}

// A column of parts of another table: each is told from the greatest end of those above it.
static inline void section_join_parts(uint32_t *at, uint64_t rows, uint32_t width, bool has_count)
{
	uint32_t end = 0;
	for (; rows; rows--, at += width) {
		*at += end;
		const uint32_t here = section_part_end(at, has_count);
		if (here > end) end = here;
	}
}

static inline uint32_t section_unfolded(uint32_t x) { return x >> 1 ^ -(x & 1); }

// n words in rows of `width`, which divides n. Each is told as its difference to the one above, in column `parts` to an
// end, which is folded: 2 x, or -2 x - 1 below 0. Planes are joined a block at a time, which vectorises; then its words
// go to their rows.
static inline void section_join_steps(uint32_t *restrict to, const uint8_t *restrict planes, uint64_t n, uint32_t width,
                                      uint32_t parts)
{
	const uint8_t *a = planes, *b = a + n, *c = b + n, *d = c + n;
	const uint64_t rows = n / width;
	uint32_t block[SECTION_BLOCK];
	for (uint32_t column = 0; column < width; column++) {
		uint32_t above = 0, *at = to + column;
		for (uint64_t left = rows; left;) {
			const uint32_t m = left < SECTION_BLOCK ? (uint32_t)left : SECTION_BLOCK;
			for (uint32_t j = 0; j < m; j++)
				block[j] = section_unfolded((uint32_t)a[j] | (uint32_t)b[j] << 8 | (uint32_t)c[j] << 16 |
				                            (uint32_t)d[j] << 24);
			if (column != parts) above = section_add_up(block, m, above);
			section_spread(at, width, block, m);
			at += (uint64_t)m * width, a += m, b += m, c += m, d += m, left -= m;
		}
	}
	if (parts < width) section_join_parts(to + parts, rows, width, parts + 1 < width);
}

// A number in 7 bits a byte, the lowest first; each byte but the last has the highest bit. False: there is none.
static inline bool section_number(const uint8_t **at, const uint8_t *end, uint32_t *x)
{
	*x = 0;
	for (uint32_t shift = 0; *at < end && shift < 35; shift += 7) {
		uint8_t b = *(*at)++;
		if (shift == 28 && b > 15) return false;
		*x |= (uint32_t)(b & 127) << shift;
		if (b < 128) return true;
	}
	return false;
}

struct section_list {
	const uint32_t *at;
	uint64_t n;
};

// The list `base` and the flips, which ascend, into the `room` words at `out`; how many in *n. False: broken.
// Branches: each number read may be broken, and entries between two flips are copied eight at a time, then one by one.
static inline bool section_join_list(uint32_t *out, uint64_t room, const uint8_t **at, const uint8_t *end,
                                     struct section_list base, uint64_t *n)
{
	uint32_t flips, token = 0, more;
	uint64_t i = 0, made = 0;
	if (!section_number(at, end, &flips)) return false;
	for (uint32_t k = 0; k < flips; k++) {
		if (!section_number(at, end, &more) || more > UINT32_MAX - token || (k && !more)) return false;
		token += more;
		for (; base.n - i >= 8 && room - made >= 8 && base.at[i + 7] < token; i += 8, made += 8)
			memcpy(out + made, base.at + i, 8 * sizeof *out);
		while (i < base.n && made < room && base.at[i] < token) out[made++] = base.at[i++];
		bool taken = i < base.n && base.at[i] == token;
		if (!taken && made == room) return false;
		i += taken;
		if (!taken) out[made++] = token;
	}
	if (base.n - i > room - made) return false;
	if (i < base.n) memcpy(out + made, base.at + i, 4 * (base.n - i));
	*n = made + (base.n - i);
	return true;
}

// n words. False: the bytes are no such lists, or of another length.
static inline bool section_join_lists(uint32_t *to, uint64_t n, const uint8_t *at, uint64_t len)
{
	struct section_list known[SECTION_LISTS_BACK], base;
	const uint8_t *end = at + len;
	for (uint64_t made = 0, lists = 0;; lists++) {
		uint32_t back;
		if (at == end) return made == n;
		if (!section_number(&at, end, &back) || back > lists || back > SECTION_LISTS_BACK) return false;
		base = (struct section_list){0};
		if (back) base = known[(lists - back) % SECTION_LISTS_BACK];
		struct section_list *here = &known[lists % SECTION_LISTS_BACK];
		here->at = to + made;
		if (!section_join_list(to + made, n - made, &at, end, base, &here->n)) return false;
		made += here->n;
	}
}

#define SECTION_LOW_BITS 30u  // of a word of a row that are told as a difference; the others are told as they are

// Rows of `width` words, n in all, as four streams of numbers, one behind the other. Bases: of each row 0, or how many
// rows before it its base is; without one it is told from zeros. Counts: how many of its words are others than the
// base's. Columns of these: how many columns lie between it and the one before. Words: the low bits' difference to the
// word told before in the row, first to the row's number, folded, and the high bits below them. False: broken.
static inline bool section_join_rows(uint32_t *to, uint64_t n, uint32_t width, const uint8_t *at, uint64_t len)
{
	const uint8_t *stream[4], *end = at + len;
	const uint32_t rows = (uint32_t)(n / width);
	uint64_t numbers = rows, sum = 0;
	uint32_t back, changed, more, x;
	for (uint32_t k = 0; k < 3; k++, numbers = k < 2 ? rows : sum) {
		stream[k] = at, sum = 0;
		for (; numbers; numbers--, sum += x)
			if (!section_number(&at, end, &x)) return false;
	}
	stream[3] = at;
	for (uint32_t row = 0; row < rows; row++, to += width) {
		uint32_t low = row;
		section_number(&stream[0], end, &back);
		section_number(&stream[1], end, &changed);
		if (back > row) return false;
		memset(to, 0, 4 * (uint64_t)width);
		if (back) memcpy(to, to - (uint64_t)back * width, 4 * (uint64_t)width);
		for (uint64_t column = 0; changed; changed--, column++) {
			section_number(&stream[2], end, &more);
			if (!section_number(&stream[3], end, &x) || more >= width - column) return false;
			column += more;
			low += section_unfolded(x >> 2);
			to[column] = (low & ((1u << SECTION_LOW_BITS) - 1)) | x << SECTION_LOW_BITS;
		}
	}
	return stream[3] == end;
}

// Standard rows of a vocabulary, of `words` words each.
struct section_rows {
	const uint32_t *at;
	uint64_t n;
	uint32_t words;
};

// One row, which `before` others of the section stand before: 0 and the row; or the number of its base, and the bits
// that are flipped in that, the first as it is, then differences. Bases are the standard rows, from 1, then the rows
// before it, the nearest first. False: broken.
static inline bool section_join_bitmap(uint32_t *to, const struct section_rows *rows, uint64_t before,
                                       const uint8_t **at, const uint8_t *end)
{
	uint32_t number, flips, bit = 0, more;
	const uint64_t size = 4 * (uint64_t)rows->words;
	if (!section_number(at, end, &number) || number > rows->n + before) return false;
	if (!number) {
		if ((uint64_t)(end - *at) < size) return false;
		memcpy(to, *at, size);
		*at += size;
		return true;
	}
	const uint32_t *base =
		number <= rows->n ? rows->at + (uint64_t)(number - 1) * rows->words : to - (number - rows->n) * rows->words;
	memcpy(to, base, size);
	if (!section_number(at, end, &flips)) return false;
	for (uint32_t k = 0; k < flips; k++) {
		if (!section_number(at, end, &more) || more > UINT32_MAX - bit) return false;
		bit += more;
		if (bit / 32 >= rows->words) return false;
		to[bit / 32] ^= 1u << bit % 32;
	}
	return true;
}

// n words, a multiple of a row's. False: the bytes are no such rows, or of another number.
static inline bool section_join_bitmaps(uint32_t *to, uint64_t n, const struct section_rows *rows, const uint8_t *at,
                                        uint64_t len)
{
	const uint8_t *end = at + len;
	for (uint64_t i = 0, before = 0; i < n; i += rows->words, before++)
		if (!section_join_bitmap(to + i, rows, before, &at, end)) return false;
	return at == end;
}

#endif
