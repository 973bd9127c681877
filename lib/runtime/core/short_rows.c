// Rows that have few tokens, or nearly all: told from the word that most of theirs are.
//
// In:  the rows of an opened artifact.  Out: for each whether few of its words are not zero, or not all ones, and which
// these are. Of a row that begins with many, since short tokens have the least numbers, these are read from the row.
// The masks inside free text and inside comments are such rows: writing one reads a tenth of the bytes that a copy
// reads. So is most often the last row of a union: adding it takes a part of a pass.
// Cost: when the artifact is opened, a part of a pass over its rows: most are known not to be short near their begin.
#include "runtime_internal.h"

#define WORDS_AT_ONCE 64u

static uint32_t count_other(const uint32_t *row, uint32_t n, uint32_t word)
{
	uint32_t other = 0;
	for (uint32_t i = 0; i < n; i++) other += row[i] != word;
	return other;
}

// What most words of the row are, into x->rest; x->n: how many from x->begin on are not. Of all places where the list
// may begin, the one that is the least to do.
static void find_rest(const uint32_t *row, uint32_t words, struct short_row *x)
{
	const uint32_t most_ones = words / SHORT_ROW_PART, most = words / LISTED_ROW_PART;
	uint32_t not_ones = 0;
	*x = (struct short_row){0};
	for (uint32_t w = 0; w < words && (short_row_cost(x) <= most || not_ones <= most_ones); w += WORDS_AT_ONCE) {
		uint32_t n = words - w < WORDS_AT_ONCE ? words - w : WORDS_AT_ONCE;
		x->n += count_other(row + w, n, 0);
		not_ones += count_other(row + w, n, UINT32_MAX);
		const struct short_row later = {.begin = w + n};
		if (short_row_cost(&later) < short_row_cost(x)) *x = later;
	}
	if (short_row_cost(x) <= most) return;
	*x = (struct short_row){.n = not_ones <= most_ones ? not_ones : ARTIFACT_NONE, .rest = UINT32_MAX};
}

gcdc_status short_rows_find(struct gcdc_artifact *a, gcdc_refusal *why)
{
	const uint32_t words = a->info.mask_words, n_rows = a->info.n_dense;
	uint32_t n = 0;
	a->short_rows = memory_resize(&a->memory, NULL, n_rows + 1ull, sizeof *a->short_rows);
	for (uint32_t i = 0; a->short_rows && i < n_rows; i++) {
		struct short_row *x = &a->short_rows[i];
		find_rest(&a->dense[(uint64_t)i * words], words, x);
		x->first = n;
		n += x->n == ARTIFACT_NONE ? 0 : x->n;
	}
	struct short_word *to = a->short_words = memory_resize(&a->memory, NULL, n + 1ull, sizeof *to);
	if (!a->short_rows || !to) return refuse(why, GCDC_ERR_MEMORY, SECTION_DENSE, 0, "no memory for short rows");
	for (uint32_t i = 0; i < n_rows; i++) {
		const struct short_row *x = &a->short_rows[i];
		const uint32_t *row = &a->dense[(uint64_t)i * words];
		for (uint32_t w = x->begin; w < words && x->n != ARTIFACT_NONE; w++)
			if (row[w] != x->rest) *to++ = (struct short_word){w, row[w]};
	}
	return GCDC_OK;
}
