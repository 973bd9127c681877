// Sections as they are stored: what comes out of the zstd frame becomes the section's words.
//
// Planes: the n lowest bytes of the words, then the n next, ..., the n highest. Steps: rows of `width` words, column by
// column, as differences. Lists: ascending lists, each as what it adds to and takes from an earlier one. Rows: each as
// the words that an earlier one has otherwise. Bitmaps: each as the runs of tokens that an earlier one has otherwise.
// Tokens are told by their places in the order of their bytes, in which most sets are a few runs
// (formats/artifact.md, 1).
#ifndef GCDC_SHARED_SECTION_CODEC_H
#define GCDC_SHARED_SECTION_CODEC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SECTION_LISTS_BACK 64u  // lists before it that a list may be told from

// Tokens by rank, the tokens that have none behind them; n 0: a token's place is its number.
struct section_places {
	const uint32_t *token_of;
	uint32_t n;
};

static inline uint32_t section_token(const struct section_places *p, uint32_t place)
{
	return place < p->n ? p->token_of[place] : place - p->n;
}

// How sections name standard rows and lists, of whose checks it is the sum; 0: none.
static inline uint32_t section_standard(uint64_t check) { return (uint32_t)check | 1; }

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

#define SECTION_MOST_FLIPS 1024u  // a list that has another base than none differs from it in no more tokens

// Shell's sort, with Knuth's gaps: at most SECTION_MOST_FLIPS numbers.
static inline void section_sort(uint32_t *x, uint32_t n)
{
	uint32_t gap = 1;
	while (gap < n / 3) gap = 3 * gap + 1;
	for (; gap; gap /= 3)
		for (uint32_t i = gap; i < n; i++) {
			const uint32_t here = x[i];
			uint32_t k = i;
			for (; k >= gap && x[k - gap] > here; k -= gap) x[k] = x[k - gap];
			x[k] = here;
		}
}

// The n tokens whose places, or numbers where they are more than SECTION_MOST_FLIPS, stand at *at; they ascend then.
static inline bool section_read_tokens(uint32_t *to, uint32_t n, const uint8_t **at, const uint8_t *end,
                                       const struct section_places *places)
{
	uint32_t place = 0, more;
	const bool sorted = !places->n || n > SECTION_MOST_FLIPS;
	for (uint32_t k = 0; k < n; k++) {
		if (!section_number(at, end, &more) || more > UINT32_MAX - place || (k && !more)) return false;
		place += more;
		to[k] = sorted ? place : section_token(places, place);
	}
	if (!sorted) section_sort(to, n);
	return true;
}

// The list `base` and the n flips, which ascend, into the `room` words at `out`; how many in *n_out. False: no room.
static inline bool section_join_flips(uint32_t *out, uint64_t room, struct section_list base, const uint32_t *flip,
                                      uint32_t n, uint64_t *n_out)
{
	uint64_t i = 0, made = 0;
	for (uint32_t k = 0;; k++) {
		const uint64_t token = k < n ? flip[k] : UINT64_MAX;
		uint64_t to = i;
		while (base.n - to >= 8 && base.at[to + 7] < token) to += 8;
		while (to < base.n && base.at[to] < token) to++;
		if (to - i > room - made) return false;
		memcpy(out + made, base.at + i, 4 * (to - i));
		made += to - i, i = to;
		if (k == n) break;
		if (i < base.n && base.at[i] == token)
			i++;
		else if (made == room)
			return false;
		else
			out[made++] = flip[k];
	}
	*n_out = made;
	return true;
}

// n words. False: the bytes are no such lists, or of another length.
static inline bool section_join_lists(uint32_t *to, uint64_t n, const struct section_places *places, const uint8_t *at,
                                      uint64_t len)
{
	struct section_list known[SECTION_LISTS_BACK];
	uint32_t flip[SECTION_MOST_FLIPS];
	const uint8_t *end = at + len;
	for (uint64_t made = 0, lists = 0;; lists++) {
		uint32_t back, flips;
		if (at == end) return made == n;
		if (!section_number(&at, end, &back) || back > lists || back > SECTION_LISTS_BACK) return false;
		struct section_list here = {to + made, 0};
		if (!section_number(&at, end, &flips) || flips > (back ? SECTION_MOST_FLIPS : n - made)) return false;
		if (!section_read_tokens(back ? flip : to + made, flips, &at, end, places)) return false;
		here.n = flips;
		if (back &&
		    !section_join_flips(to + made, n - made, known[(lists - back) % SECTION_LISTS_BACK], flip, flips, &here.n))
			return false;
		known[lists % SECTION_LISTS_BACK] = here;
		made += here.n;
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

// Standard rows of a vocabulary, of `words` words each, and the places of its tokens.
struct section_rows {
	const uint32_t *at;
	uint64_t n;
	uint32_t words;
	struct section_places places;
};

// Flips a run of tokens: 2 x how many places lie between it and *place, where the one before it ended; and 1 more, with
// its length less 2 behind, where it is longer than 1.
static inline bool section_flip_run(uint32_t *row, const struct section_rows *rows, uint32_t *place, const uint8_t **at,
                                    const uint8_t *end)
{
	uint32_t gap, more = 0;
	if (!section_number(at, end, &gap) || gap / 2 > UINT32_MAX - *place) return false;
	*place += gap / 2;
	if (gap % 2 && (!section_number(at, end, &more) || ++more == 0)) return false;
	for (uint64_t k = 0; k <= more; k++, ++*place) {
		const uint32_t token = section_token(&rows->places, *place);
		if (token / 32 >= rows->words) return false;
		row[token / 32] ^= 1u << token % 32;
	}
	return true;
}

// One row, which `before` others of the section stand before: 0 and the row; or the number of its base, and how many
// runs are flipped in that, and these. Bases are the standard rows, from 1, then the rows before it, the
// nearest first, then zeros. False: broken.
static inline bool section_join_bitmap(uint32_t *to, const struct section_rows *rows, uint64_t before,
                                       const uint8_t **at, const uint8_t *end)
{
	uint32_t number, runs, place = 0;
	const uint64_t size = 4 * (uint64_t)rows->words;
	if (!section_number(at, end, &number) || number > rows->n + before + 1) return false;
	if (!number) {
		if ((uint64_t)(end - *at) < size) return false;
		memcpy(to, *at, size);
		*at += size;
		return true;
	}
	memset(to, 0, size);
	if (number <= rows->n + before)
		memcpy(to,
		       number <= rows->n ? rows->at + (uint64_t)(number - 1) * rows->words
		                         : to - (number - rows->n) * rows->words,
		       size);
	if (!section_number(at, end, &runs)) return false;
	for (; runs; runs--)
		if (!section_flip_run(to, rows, &place, at, end)) return false;
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
