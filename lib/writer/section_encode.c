// A section's words, turned so that zstd finds them short.
//
// In:  words, what codec. Out: bytes: planes of the words or of their differences, column by column, lists, or rows.
// The column of parts is the one of which most rows begin where those above them end.
// A row is told from the one that it differs from in the fewest words, of equal ones the nearest: of the NEAR_ROWS
// before it and those that hashes of parts of it (row_keys) find. The first with at most FEW_CHANGES will do. A bitmap
// is told from the standard one or the one before it that it differs from least, as far as a sample of words shows. A
// list is told from the one of the SECTION_LISTS_BACK before it that it differs from least, of equal ones the nearest,
// or by itself where that is shorter. Tokens are told by the order of their bytes: what begins alike lies side by side
// there, and nearly all sets of a grammar are prefixes of a word, or what begins or goes on alike. Cost: linear; of
// lists, words times SECTION_LISTS_BACK at most, of rows, words times NEAR_ROWS and BAND_KEYS, and most comparisons end
// early; of bitmaps, 0.1 us for each pair of them.
#include "section_encode.h"

#include "../base/bitset.h"
#include "../base/work.h"

typedef VEC(uint32_t) word_list;

#define FEW_PARTS 4u  // a column is one of parts where more than a row in so many begins where those above it end

uint32_t section_head_words(enum artifact_codec codec)
{
	return codec < ARTIFACT_ZSTD_ROWS ? 0 : codec == ARTIFACT_ZSTD_ROWS ? 1 : 2;
}

uint32_t section_parts_column(const uint32_t *w, uint64_t n, uint32_t width)
{
	uint64_t most = n / width / FEW_PARTS;
	uint32_t best = width;
	for (uint32_t column = 0; column < width; column++) {
		uint32_t end = 0;
		uint64_t found = 0;
		for (uint64_t i = column; i < n; i += width) {
			const uint32_t here = section_part_end(w + i, column + 1 < width);
			found += w[i] == end;
			if (here > end) end = here;
		}
		if (found > most) most = found, best = column;
	}
	return best;
}

static uint32_t folded(uint32_t x) { return x << 1 ^ -(x >> 31); }

#define SPLIT_ROWS 64u  // that are split at once: a line of each stays in the first cache until its columns are done

// n words in rows of `width`, column by column.
static void split_words(const uint32_t *w, size_t n, uint32_t width, uint8_t *planes)
{
	uint8_t *a = planes, *b = a + n, *c = b + n, *d = c + n;
	const size_t n_rows = n / width, more = n % width, block = width == 1 ? n + 1 : SPLIT_ROWS;
	for (size_t first = 0; first * width < n; first += block)
		for (uint32_t column = 0; column < width; column++) {
			const size_t in_column = n_rows + (column < more),
						 end = in_column - first < block ? in_column : first + block;
			size_t k = column * n_rows + (column < more ? column : more) + first;
			for (size_t i = first; i < end; i++, k++) {
				const uint32_t x = w[i * width + column];
				a[k] = (uint8_t)x, b[k] = (uint8_t)(x >> 8), c[k] = (uint8_t)(x >> 16), d[k] = (uint8_t)(x >> 24);
			}
		}
}

// The words as differences to the row above; with a shape folded, and its column of parts to ends.
static const uint32_t *tell_differences(const uint32_t *w, size_t n, uint32_t width, const struct section_shape *shape,
                                        uint32_t *to)
{
	for (size_t i = 0; i < n; i++) to[i] = w[i] - (i < width ? 0 : w[i - width]);
	if (!shape) return to;
	uint32_t end = 0;
	for (size_t i = shape->parts; i < n && shape->parts < width; i += width) {
		const uint32_t here = section_part_end(w + i, shape->parts + 1 < width);
		to[i] = w[i] - end;
		if (here > end) end = here;
	}
	for (size_t i = 0; i < n; i++) to[i] = folded(to[i]);
	return to;
}

// ---- Lists

#define LIST_SKETCH 8u  // words
#define FEW_FLIPS 6u    // in which a list differs from the one before it, so that no other one is looked at

struct list {
	const uint32_t *at;
	uint32_t n;
	bits sketch[LIST_SKETCH];  // of each bit, does an odd number of them fall there?
	bits rough;                // the same in one word
};

static struct list list_of(const uint32_t *at, uint32_t n)
{
	struct list x = {at, n, {0}, 0};
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t place = at[i] * 0x9e3779b1u >> 23;
		x.sketch[place / 64] ^= (bits)1 << place % 64;
	}
	for (uint32_t w = 0; w < LIST_SKETCH; w++) x.rough ^= x.sketch[w];
	return x;
}

// Two lists differ in no fewer numbers.
static uint32_t least_differences(const struct list *x, const struct list *y)
{
	const uint32_t rough = bits_of_word(x->rough ^ y->rough), size = x->n > y->n ? x->n - y->n : y->n - x->n;
	return rough > size ? rough : size;
}

static uint32_t sketch_differences(const struct list *x, const struct list *y)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < LIST_SKETCH; w++) n += bits_of_word(x->sketch[w] ^ y->sketch[w]);
	return n;
}

// How many are in one of the two only; counted until `enough`.
static uint32_t differences(const struct list *x, const struct list *y, uint32_t enough)
{
	uint32_t found = 0, i = 0, k = 0;
	while (found < enough) {
		while (i < x->n && k < y->n && x->at[i] == y->at[k]) i++, k++;
		if (i == x->n || k == y->n) break;
		uint32_t a = x->at[i], b = y->at[k];
		i += a <= b, k += b <= a;
		found += a != b;
	}
	return found + x->n - i + y->n - k;
}

static void put_number(byte_list *out, uint32_t x)
{
	for (; x >= 128; x >>= 7) vec_push(out, (uint8_t)(x | 128));
	vec_push(out, (uint8_t)x);
}

// The tokens that are in one of the two only, ascending.
static void list_flips(const struct list *x, const struct list *y, word_list *flips)
{
	vec_clear(flips);
	for (uint32_t i = 0, k = 0;;) {
		while (i < x->n && k < y->n && x->at[i] == y->at[k]) i++, k++;
		if (i == x->n && k == y->n) return;
		const bool first = k == y->n || (i < x->n && x->at[i] <= y->at[k]),
				   second = i == x->n || (k < y->n && y->at[k] <= x->at[i]);
		vec_push(flips, first ? x->at[i] : y->at[k]);
		i += first, k += second;
	}
}

// Few tokens by their places, many by their numbers.
static void put_tokens(byte_list *out, uint32_t *token, uint32_t n, const uint32_t *place_of)
{
	if (place_of && n <= SECTION_MOST_FLIPS) {
		for (uint32_t k = 0; k < n; k++) token[k] = place_of[token[k]];
		section_sort(token, n);
	}
	for (uint32_t k = 0; k < n; k++) put_number(out, token[k] - (k ? token[k - 1] : 0));
}

// From which list another is told: the one so many before it, and the numbers in which they differ; 0: none.
struct told {
	uint32_t back, flips;
};

// The list before it, where that is near, as along a chain: then no other is looked at.
static bool is_near_last(const struct list *x, const struct list *last, struct told *told)
{
	const uint32_t here = differences(x, last, FEW_FLIPS + 1);
	*told = (struct told){1, here};
	return here <= FEW_FLIPS && here < x->n;
}

// The nearest of the last lists, and what differs in the fewest numbers is compared first: then sketches tell of most
// others that they are no better.
static struct told nearest_list(const struct list *x, const struct list *known, uint32_t lists)
{
	const uint32_t n = lists < SECTION_LISTS_BACK ? lists : SECTION_LISTS_BACK;
	struct told best = {0, x->n};
	uint32_t least[SECTION_LISTS_BACK + 1], likely = 0;
	if (x->n <= 1) return best;
	least[0] = UINT32_MAX;
	for (uint32_t k = 1; k <= n; k++) {
		least[k] = least_differences(x, &known[(lists - k) % SECTION_LISTS_BACK]);
		if (least[k] < least[likely]) likely = k;
	}
	for (uint32_t i = 0; i <= n; i++) {
		const uint32_t k = i ? i : likely, limit = best.flips + (k < best.back);
		if (i && best.flips <= least[likely]) break;  // no other differs in fewer, nor a nearer one in as many
		const struct list *y = &known[(lists - k) % SECTION_LISTS_BACK];
		if (!k || least[k] >= limit || sketch_differences(x, y) >= limit) continue;
		const uint32_t here = differences(x, y, limit);
		if (here < limit) best = (struct told){k, here};
	}
	return best;
}

static void put_lists(const uint32_t *w, uint32_t n, const struct section_shape *shape, byte_list *out)
{
	static const struct list none;
	struct list known[SECTION_LISTS_BACK];
	word_list flips = {0};
	uint32_t lists = 0;
	for (uint32_t from = 0, to; from < n; from = to, lists++) {
		for (to = from + 1; to < n && !bits_test(shape->begins, to) && w[to] > w[to - 1];) to++;
		const struct list x = list_of(w + from, to - from);
		struct told told;
		if (!lists || !is_near_last(&x, &known[(lists - 1) % SECTION_LISTS_BACK], &told))
			told = nearest_list(&x, known, lists);
		if (told.flips > SECTION_MOST_FLIPS) told.back = 0;
		list_flips(told.back ? &known[(lists - told.back) % SECTION_LISTS_BACK] : &none, &x, &flips);
		put_number(out, told.back);
		put_number(out, flips.n);
		put_tokens(out, flips.at, flips.n, shape->places->place_of);
		known[lists % SECTION_LISTS_BACK] = x;
	}
	vec_release(&flips);
}

// ---- Rows

#define NEAR_ROWS 16u     // rows before it that a row is always compared with
#define FEW_CHANGES 2u    // in which a row differs from one before it, so that no other one is looked at
#define CHANGE_BLOCK 32u  // words that are compared at once
#define BANDS 16u         // of columns: c, c + BANDS, ...
#define MIN_SLOTS 1024u
#define MAX_SLOTS (1u << 20)
#define BAND_KEYS 46u  // keys of a row: a hash of all bands but one, or of half of them

// Words in which they differ, counted until `enough`.
static uint32_t changes(const uint32_t *a, const uint32_t *b, uint32_t width, uint32_t enough)
{
	uint32_t n = 0, i = 0;
	for (; i + CHANGE_BLOCK <= width && n < enough; i += CHANGE_BLOCK)
		for (uint32_t k = 0; k < CHANGE_BLOCK; k++) n += a[i + k] != b[i + k];
	for (; i < width; i++) n += a[i] != b[i];
	return n;
}

// Rows by what they have in common: of each key the last row that has it.
struct known_rows {
	const uint32_t *at;
	uint32_t width, slots;
	uint32_t *last;  // [slots] row + 1
};

static uint32_t row_slot(const struct known_rows *r, uint32_t key, uint64_t hash)
{
	return (uint32_t)((hash + key) * 0x9e3779b97f4a7c15u >> 32) & (r->slots - 1);
}

// Halves of the bands are such that of rows that differ in up to three bands some half without these is a key.
static void row_keys(const struct known_rows *r, const uint32_t *row, uint32_t slot[BAND_KEYS])
{
	uint64_t band[BANDS] = {0}, all = 0;
	for (uint32_t c = 0; c < r->width; c++) {
		const uint64_t x = (row[c] + (c + 1) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
		band[c % BANDS] += x ^ x >> 32;
	}
	for (uint32_t b = 0; b < BANDS; b++) all += band[b];
	for (uint32_t k = 0; k < BANDS; k++) slot[k] = row_slot(r, k, all - band[k]);
	for (uint32_t step = 1; step < BANDS; step *= 2)  // Hadamard: one half's bands less the other's
		for (uint32_t b = 0; b < BANDS; b++) {
			const uint64_t x = band[b], y = band[b ^ step];
			if (!(b & step)) band[b] = x + y, band[b + step] = x - y;
		}
	for (uint32_t k = 1; k < BANDS; k++) {
		slot[BANDS + 2 * k - 2] = row_slot(r, BANDS + 2 * k, all - band[k]);
		slot[BANDS + 2 * k - 1] = row_slot(r, BANDS + 2 * k + 1, all + band[k]);
	}
}

struct row_base {
	uint32_t back, changed;  // back 0: zeros
};

static void try_row(const struct known_rows *r, uint32_t i, uint32_t back, struct row_base *best)
{
	const uint32_t *row = r->at + (size_t)i * r->width;
	const uint32_t here = changes(row, row - (size_t)back * r->width, r->width, best->changed);
	if (here < best->changed) *best = (struct row_base){back, here};
}

static struct row_base nearest_row(struct known_rows *r, uint32_t i)
{
	struct row_base best = {0};
	uint32_t slot[BAND_KEYS];
	for (uint32_t k = 0; k < r->width; k++) best.changed += r->at[(size_t)i * r->width + k] != 0;
	if (best.changed <= FEW_CHANGES) return best;
	for (uint32_t back = 1; back <= NEAR_ROWS && back <= i && best.changed > FEW_CHANGES; back++)
		try_row(r, i, back, &best);
	row_keys(r, r->at + (size_t)i * r->width, slot);
	for (uint32_t k = 0; k < BAND_KEYS; k++) {
		const uint32_t back = i + 1 - r->last[slot[k]];
		if (r->last[slot[k]] && back > NEAR_ROWS && best.changed > FEW_CHANGES) try_row(r, i, back, &best);
		r->last[slot[k]] = i + 1;
	}
	return best;
}

// What section_join_rows reads.
static void put_rows(const uint32_t *rows, uint32_t n, uint32_t width, byte_list *out)
{
	byte_list stream[4] = {{0}};
	uint32_t *zeros = mem_calloc(width, sizeof *zeros);
	struct known_rows known = {.at = rows, .width = width, .slots = MIN_SLOTS};
	while (known.slots < n * (BAND_KEYS / 2) && known.slots < MAX_SLOTS) known.slots *= 2;
	known.last = mem_calloc(known.slots, sizeof *known.last);
	for (uint32_t i = 0; i < n; i++) {
		const struct row_base x = nearest_row(&known, i);
		const uint32_t *row = rows + (size_t)i * width, *base = x.back ? row - (size_t)x.back * width : zeros;
		uint32_t low = i, column = 0;
		put_number(&stream[0], x.back);
		put_number(&stream[1], x.changed);
		for (uint32_t k = 0; k < width; k++) {
			if (row[k] == base[k]) continue;
			const uint32_t high = 32 - SECTION_LOW_BITS,
						   difference = folded((uint32_t)((int32_t)((row[k] - low) << high) >> high));
			put_number(&stream[2], k - column);
			put_number(&stream[3], difference << high | row[k] >> SECTION_LOW_BITS);
			low = row[k], column = k + 1;
		}
	}
	for (uint32_t k = 0; k < 4; k++) {
		vec_reserve(out, (uint64_t)out->n + stream[k].n);
		if (stream[k].n) memcpy(out->at + out->n, stream[k].at, stream[k].n);
		out->n += stream[k].n;
		vec_release(&stream[k]);
	}
	free(known.last), free(zeros);
}

const void *section_encode(enum artifact_codec codec, const void *bytes, uint64_t *size,
                           const struct section_shape *shape, byte_list *scratch)
{
	if (codec == ARTIFACT_RAW || codec == ARTIFACT_ZSTD) return bytes;
	vec_clear(scratch);
	if (codec == ARTIFACT_ZSTD_LISTS) {
		put_lists(bytes, (uint32_t)(*size / 4), shape, scratch);
		*size = scratch->n;
		return scratch->at;
	}
	if (codec == ARTIFACT_ZSTD_ROWS) {
		put_rows(bytes, (uint32_t)(*size / 4 / shape->width), shape->width, scratch);
		*size = scratch->n;
		return scratch->at;
	}
	const size_t n = *size / 4;
	const uint32_t width = section_head_words(codec) ? shape->width : 1, *w = bytes;
	const bool steps = codec == ARTIFACT_ZSTD_STEPS;
	vec_reserve(scratch, 2 * *size);
	if (steps || codec == ARTIFACT_ZSTD_DELTA)
		w = tell_differences(w, n, width, steps ? shape : NULL, (uint32_t *)(scratch->at + *size));
	split_words(w, n, width, scratch->at);
	return scratch->at;
}

// ---- Bitmaps

#define MAX_ROW_FLIPS 8000u  // of a row that is told from another one: beyond it a row does as well by itself
#define MAX_ROWS_BACK 2048u  // rows before it that a row may be told from
#define ROW_SKETCH 64u       // words of a row by which rows are compared first
#define MAX_TRIED 6u         // rows of the nearest sketches that are compared as a whole
#define SURE_FLIPS 128u      // of a row that is told from its base without a look at zeros
#define RAW_PART 2u          // runs of more than this part of a row's bytes are no shorter for zstd than the row
#define ROW_BLOCK 128u
#define SKETCH_BLOCK 16u

static uint32_t count_bits(const uint32_t *a, const uint32_t *b, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < words; i++) n += bits_of(a[i] ^ b[i]);
	return n;
}

// Bits in which they differ, counted until `enough`, a block at a time.
static uint32_t row_flips(const uint32_t *a, const uint32_t *b, uint32_t words, uint32_t block, uint32_t enough)
{
	uint32_t n = 0;
	for (uint32_t from = 0; from < words && n < enough; from += block)
		n += count_bits(a + from, b + from, words - from < block ? words - from : block);
	return n;
}

// Places of tokens; none is set between two rows.
struct row_places {
	const struct token_places *of;
	bits *set;
	uint32_t words;
	byte_list runs;
};

// What a row has otherwise than its base, or than zeros: runs of places, as section_join_bitmap reads them.
static void put_runs(byte_list *out, const uint32_t *row, const uint32_t *base, uint32_t words, struct row_places *x)
{
	const uint32_t *place_of = x->of->place_of;
	uint32_t n = 0, end = 0, first = x->words, last = 0;
	for (uint32_t i = 0; i < words; i++)
		for (uint32_t w = row[i] ^ (base ? base[i] : 0); w; w &= w - 1) {
			const uint32_t token = i * 32 + (uint32_t)__builtin_ctz(w), place = place_of ? place_of[token] : token;
			bits_set(x->set, place);
			if (place / 64 < first) first = place / 64;
			if (place / 64 >= last) last = place / 64 + 1;
		}
	vec_clear(&x->runs);
	for (uint32_t at = bits_next(x->set, last, first * 64); at != UINT32_MAX; at = bits_next(x->set, last, end), n++) {
		const uint32_t gap = at - end;
		for (end = at; end / 64 < last && bits_test(x->set, end); end++) continue;
		put_number(&x->runs, gap << 1 | (end - at > 1));
		if (end - at > 1) put_number(&x->runs, end - at - 2);
	}
	if (last) memset(x->set + first, 0, (last - first) * sizeof *x->set);
	put_number(out, n);
	vec_reserve(out, (uint64_t)out->n + x->runs.n);
	if (x->runs.n) memcpy(out->at + out->n, x->runs.at, x->runs.n);
	out->n += x->runs.n;
}

// Rows that others are told from: standard ones, then the section's.
struct bases {
	const struct section_rows *standard;
	const uint32_t *rows;
	uint32_t sketch;     // words of one
	uint32_t *sketches;  // of all of them
	uint32_t tried[MAX_TRIED], apart[MAX_TRIED], n_tried;
};

static const uint32_t *base_row(const struct bases *b, uint64_t i)
{
	const uint64_t n = b->standard->n, words = b->standard->words;
	return i < n ? b->standard->at + i * words : b->rows + (i - n) * words;
}

static void make_sketch(struct bases *b, uint64_t i)
{
	const uint32_t *row = base_row(b, i), words = b->standard->words;
	for (uint32_t k = 0; k < b->sketch; k++) b->sketches[i * b->sketch + k] = row[(uint64_t)k * words / b->sketch];
}

// Among the nearest sketches, of equal ones the first.
static void try_sketch(struct bases *b, uint32_t i, uint32_t apart)
{
	uint32_t k = b->n_tried;
	if (k == MAX_TRIED && apart >= b->apart[k - 1]) return;
	if (k == MAX_TRIED)
		k--;
	else
		b->n_tried++;
	for (; k && b->apart[k - 1] > apart; k--) b->apart[k] = b->apart[k - 1], b->tried[k] = b->tried[k - 1];
	b->apart[k] = apart, b->tried[k] = i;
}

// The base of base i that differs from it in few bits; NULL where none is near. *number: as it is told.
static const uint32_t *nearest(struct bases *b, uint32_t i, uint32_t *number, uint32_t *flips)
{
	const uint32_t n = (uint32_t)b->standard->n, words = b->standard->words;
	const uint32_t *row = base_row(b, i), *sketch = b->sketches + (size_t)i * b->sketch, *base = NULL;
	b->n_tried = 0;
	for (uint32_t k = 0; k < i; k++) {
		if (k == n && i - n > MAX_ROWS_BACK) k = i - MAX_ROWS_BACK;
		const uint32_t enough = b->n_tried < MAX_TRIED ? UINT32_MAX : b->apart[MAX_TRIED - 1];
		try_sketch(b, k, row_flips(sketch, b->sketches + (size_t)k * b->sketch, b->sketch, SKETCH_BLOCK, enough));
	}
	*flips = (words * 2 < MAX_ROW_FLIPS ? words * 2 : MAX_ROW_FLIPS) + 1, *number = 0;
	for (uint32_t t = 0; t < b->n_tried; t++) {
		const uint32_t k = b->tried[t], *x = base_row(b, k), here = row_flips(row, x, words, ROW_BLOCK, *flips);
		if (here < *flips) *flips = here, *number = k < n ? k + 1 : n + i - k, base = x;
	}
	return base;
}

// Row i of the section, told from what is near, from zeros, or by itself, whichever is shortest.
static void put_bitmap(byte_list *out, struct bases *b, uint32_t i, struct row_places *places)
{
	const uint32_t words = b->standard->words, before = (uint32_t)b->standard->n, begin = out->n;
	const uint32_t *row = b->rows + (size_t)i * words;
	uint32_t number, flips;
	const uint32_t *base = nearest(b, before + i, &number, &flips);
	if (base) {
		put_number(out, number);
		put_runs(out, row, base, words, places);
		if (flips <= SURE_FLIPS) return;
	}
	const uint32_t end = out->n, most = base ? end - begin : words * 4 / RAW_PART;
	put_number(out, before + i + 1);
	put_runs(out, row, NULL, words, places);
	const uint32_t size = out->n - end;
	if (base && size >= most) {
		out->n = end;
		return;
	}
	if (base) memmove(out->at + begin, out->at + end, size);
	out->n = begin + size;
	if (base || size <= most) return;
	out->n = begin;
	put_number(out, 0);
	vec_reserve(out, (uint64_t)out->n + 4 * (uint64_t)words);
	memcpy(out->at + out->n, row, 4 * (uint64_t)words);
	out->n += 4 * words;
}

const void *section_encode_bitmaps(const uint32_t *rows, uint32_t n, const struct section_rows *standard,
                                   const struct token_places *of, uint64_t *size, byte_list *scratch)
{
	const uint32_t words = standard->words, before = (uint32_t)standard->n;
	struct bases b = {.standard = standard, .rows = rows, .sketch = words < ROW_SKETCH ? words : ROW_SKETCH};
	struct row_places places = {.of = of, .words = BITS_WORDS(of->n_ranks + words * 32)};
	b.sketches = mem_calloc((size_t)(before + n) * b.sketch + 1, sizeof *b.sketches);
	places.set = mem_calloc(places.words + 1, sizeof *places.set);
	for (uint32_t i = 0; i < before + n; i++) make_sketch(&b, i);
	vec_clear(scratch);
	for (uint32_t i = 0; i < n; i++) {
		work_check();
		put_bitmap(scratch, &b, i, &places);
	}
	vec_release(&places.runs);
	free(places.set), free(b.sketches);
	*size = scratch->n;
	return scratch->at;
}
