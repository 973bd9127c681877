// The mask of one row, word by word, whatever form it has.
//
// In:  masks as the caller gave them.  Out: a view of row i; 33 words of it at a time, for a warp: a word for each lane
// and the one behind them, which rows of logits that are not aligned need.
// A view that is one row of bits is copied; a union is made of rows and lists as it is read. Of a list only the tokens
// in these words are looked at: a 32-way search finds them.
// Cost: words moved, and for each list one or two reads more.
#ifndef GCDC_CUDA_MASK_ROWS_CUH
#define GCDC_CUDA_MASK_ROWS_CUH

#include "device_tables.cuh"
#include "launch.cuh"

struct mask_source {
	uint32_t n_rows;
	const uint8_t *on;
	const uint32_t *bits;
	uint32_t words;
	int64_t words_stride;
	const gcdc_cuda_row *rows;
	const uint32_t *spill;
	uint64_t spill_words;
	struct device_tables tables;
};

enum view_kind { VIEW_OFF, VIEW_ALL, VIEW_BITS, VIEW_UNION };
struct mask_view {
	uint32_t kind, words;
	const uint32_t *bits;     // VIEW_BITS
	const uint32_t *numbers;  // VIEW_UNION, VIEW_ALL: sets, tokens, tokens removed
	uint32_t n_sets, n_tokens, n_removed;
	uint32_t left_out;  // a set that is removed, too; 0: none
	uint32_t inlined[GCDC_CUDA_INLINE];
};

// A union of one set that is a row is that row.
DEVICE void view_simplify(const struct device_tables &a, struct mask_view &v)
{
	if (v.kind != VIEW_UNION || v.n_sets != 1 || v.n_tokens || v.n_removed || v.left_out) return;
	struct set_parts s = set_parts_of(a, v.numbers[0]);
	if (!s.row || s.n) return;
	v.kind = VIEW_BITS;
	v.bits = s.row;
}

DEVICE bool row_is_off(const struct mask_source &m, uint64_t i) { return m.on && !m.on[i]; }

// Row i of masks that are bits.
DEVICE void view_open_bits(const struct mask_source &m, uint64_t i, struct mask_view &v)
{
	v.kind = VIEW_BITS;
	v.words = m.words;
	v.bits = m.bits + (int64_t)i * m.words_stride;
}

// Row i, into shared storage; one thread calls it.
DEVICE void view_open(const struct mask_source &m, uint64_t i, struct mask_view &v)
{
	v.kind = VIEW_OFF;
	v.n_sets = v.n_tokens = v.n_removed = v.left_out = 0;
	if (row_is_off(m, i)) return;
	if (m.bits) {
		view_open_bits(m, i, v);
		return;
	}
	const gcdc_cuda_row &row = m.rows[i];
	v.words = m.tables.mask_words;
	v.kind = row.n_sets == GCDC_CUDA_ALL ? VIEW_ALL : VIEW_UNION;
	v.n_sets = v.kind == VIEW_ALL ? 0 : row.n_sets;
	v.n_tokens = row.n_tokens;
	v.n_removed = row.n_removed;
	uint64_t n = (uint64_t)v.n_sets + v.n_tokens + v.n_removed;
	v.numbers = v.inlined;
	for (uint32_t k = 0; k < GCDC_CUDA_INLINE; k++) v.inlined[k] = row.at[k];
	if (n > GCDC_CUDA_INLINE) {
		bool is_inside = row.at[0] <= m.spill_words && n <= m.spill_words - row.at[0];
		if (is_inside)
			v.numbers = m.spill + row.at[0];
		else
			v.kind = VIEW_UNION, v.n_sets = v.n_tokens = v.n_removed = 0;
	}
	view_simplify(m.tables, v);
}

// What a warp needs beside its lanes.
#define VIEW_WORDS (WARP + 1)
struct view_scratch {
	uint32_t bits[VIEW_WORDS];
};

// How many of the n ascending numbers are below `value`.
DEVICE uint32_t warp_lower_bound(const uint32_t *list, uint32_t n, uint32_t value)
{
	uint32_t low = 0, high = n;  // the answer is in low .. high
	while (high > low) {
		uint32_t step = (high - low + WARP - 1) / WARP;
		lanes<uint32_t> below;
		FOR_LANES(l)
		{
			uint32_t at = low + (l + 1) * step - 1;
			below[l] = at < high && list[at] < value;
		}
		uint32_t bits = warp_ballot(below);
		low += count_bits(bits) * step;
		high = min_of(high, low + step - 1);
	}
	return low;
}

DEVICE bool warp_set_has(const struct device_tables &a, uint32_t set, uint32_t token)
{
	struct set_parts s = set_parts_of(a, set);
	uint32_t at = warp_lower_bound(s.list, s.n, token);
	bool in_row = s.row && s.row[token / 32] >> token % 32 & 1;
	return in_row != (at < s.n && s.list[at] == token);
}

// The tokens of an ascending list that are in words word0 .. word0 + 32, as bits in scratch. False: there are none, and
// scratch is as it was.
DEVICE bool warp_list_bits(const uint32_t *list, uint32_t n, uint32_t word0, struct view_scratch &scratch)
{
	if (!n) return false;
	uint32_t from = warp_lower_bound(list, n, word0 * 32), first = word0 * 32, end = first + VIEW_WORDS * 32;
	if (from == n || list[from] >= end) return false;
	sync_warp();
	FOR_LANES(l)
	{
		scratch.bits[l] = 0;
		if (!l) scratch.bits[WARP] = 0;
	}
	sync_warp();
	for (uint32_t k = from; k < n; k += WARP) {
		lanes<uint32_t> is_past;
		FOR_LANES(l)
		{
			uint32_t token = k + l < n ? list[k + l] : end;
			is_past[l] = token >= end;
			if (token < end && token >= first) atomic_or(&scratch.bits[token / 32 - word0], 1u << token % 32);
		}
		if (warp_ballot(is_past)) break;
	}
	sync_warp();
	return true;
}

DEVICE uint32_t word_of_all(const struct device_tables &a, uint32_t word)
{
	if (word >= a.mask_words) return 0;
	uint32_t rest = a.n_tokens - word * 32;
	return rest >= 32 ? ~0u : (1u << rest) - 1;
}

// Words word0 + lane of the view; *next: word word0 + 32, when it is asked for. Words past the mask are 0.
DEVICE void warp_words(const struct mask_view &v, const struct device_tables &a, uint32_t word0, bool with_next,
                       lanes<uint32_t> &out, uint32_t &next, struct view_scratch &scratch)
{
	next = 0;
	uint32_t words = v.words;
	bool has_next = with_next && word0 + WARP < words;
	if (v.kind == VIEW_BITS) {
		FOR_LANES(l) out[l] = word0 + l < words ? v.bits[word0 + l] : 0;
		if (has_next) next = v.bits[word0 + WARP];
		return;
	}
	FOR_LANES(l) out[l] = v.kind == VIEW_ALL ? word_of_all(a, word0 + l) : 0;
	if (has_next && v.kind == VIEW_ALL) next = word_of_all(a, word0 + WARP);
	for (uint32_t i = 0; i < v.n_sets; i++) {
		struct set_parts s = set_parts_of(a, v.numbers[i]);
		bool has_list = warp_list_bits(s.list, s.n, word0, scratch);
		FOR_LANES(l)
		{
			uint32_t x = s.row && word0 + l < words ? s.row[word0 + l] : 0;
			out[l] |= has_list ? x ^ scratch.bits[l] : x;
		}
		if (has_next) next |= (s.row ? s.row[word0 + WARP] : 0) ^ (has_list ? scratch.bits[WARP] : 0);
	}
	if (warp_list_bits(v.numbers + v.n_sets, v.n_tokens, word0, scratch)) {
		FOR_LANES(l) out[l] |= scratch.bits[l];
		if (has_next) next |= scratch.bits[WARP];
	}
	if (warp_list_bits(v.numbers + v.n_sets + v.n_tokens, v.n_removed, word0, scratch)) {
		FOR_LANES(l) out[l] &= ~scratch.bits[l];
		if (has_next) next &= ~scratch.bits[WARP];
	}
	if (v.left_out) {
		struct set_parts s = set_parts_of(a, v.left_out);
		bool has_list = warp_list_bits(s.list, s.n, word0, scratch);
		FOR_LANES(l)
		{
			uint32_t x = s.row && word0 + l < words ? s.row[word0 + l] : 0;
			out[l] &= ~(has_list ? x ^ scratch.bits[l] : x);
		}
		if (has_next) next &= ~((s.row ? s.row[word0 + WARP] : 0) ^ (has_list ? scratch.bits[WARP] : 0));
	}
	// A list may name tokens past V.
	FOR_LANES(l) out[l] &= word_of_all(a, word0 + l);
	if (has_next) next &= word_of_all(a, word0 + WARP);
}

// From the caller's description; what is wrong with it is GCDC_ERR_ARGUMENT. *batch is only set when there is one.
struct device_batch;
gcdc_status mask_source_of(const gcdc_cuda_masks *masks, struct mask_source *out, struct device_batch *batch);

#endif
