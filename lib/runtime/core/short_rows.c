// Rows that have nearly all tokens, or nearly none: told from the word that most of theirs are.
//
// In:  the rows of an opened artifact.  Out: for each whether at most one word of sixteen is not all ones, or not zero,
// and those words.
// The masks inside free text and inside comments are such rows. Writing one reads a tenth of the bytes that a copy
// reads.
// Cost: when the artifact is opened, a part of a pass over its rows: most are known not to be short near their begin.
#include "runtime_internal.h"

#define WORDS_AT_ONCE 64u

static uint32_t count_other(const uint32_t *row, uint32_t n, uint32_t word)
{
	uint32_t other = 0;
	for (uint32_t i = 0; i < n; i++) other += row[i] != word;
	return other;
}

// What nearly all words of the row are, into x->rest; x->n: how many are not.
static void find_rest(const uint32_t *row, uint32_t words, struct short_row *x)
{
	const uint32_t most = words / SHORT_ROW_PART;
	uint32_t not_zero = 0, not_ones = 0;
	for (uint32_t w = 0; w < words && (not_zero <= most || not_ones <= most); w += WORDS_AT_ONCE) {
		uint32_t n = words - w < WORDS_AT_ONCE ? words - w : WORDS_AT_ONCE;
		not_zero += count_other(row + w, n, 0);
		not_ones += count_other(row + w, n, UINT32_MAX);
	}
	*x = not_zero <= most ? (struct short_row){0, not_zero, 0} : (struct short_row){0, not_ones, UINT32_MAX};
	if (x->n > most) x->n = ARTIFACT_NONE;
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
		for (uint32_t w = 0; w < words && x->n != ARTIFACT_NONE; w++)
			if (row[w] != x->rest) *to++ = (struct short_word){w, row[w]};
	}
	return GCDC_OK;
}
