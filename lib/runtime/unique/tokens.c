// Arrays whose items differ: the terminals they begin with, and the tokens that can make two of their items equal.
//
// In:  an artifact's sections and tokens. Out: lists of tokens by the quotes in them (struct unique_tokens).
// A string becomes equal to another with its closing quote; so a token without a quote changes nothing, one with one or
// two quotes can close the string that it begins in, one with more a string that it holds as a whole.
// Cost: once for each artifact that has such arrays, a pass over the bytes of its tokens and sorting some thousands.
#include "unique.h"

#include <stdlib.h>

gcdc_status uniques_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct section_row head = {SECTION_UNIQUES, &a->unique_info, 1, sizeof *a->unique_info};
	gcdc_status status = section_take_head(a, f, &head, why);
	const struct artifact_uniques *u = a->unique_info;
	if (status || !u) return status;
	if (a->info.n_lines || a->info.end_newline || a->info.n_choice || a->cost_info || f->at[SECTION_CANON] ||
	    a->info.flags & INFO_TOKEN_ENDS)
		return refuse(
			why, GCDC_ERR_FORMAT, SECTION_UNIQUES, 0,
			"items are compared beside columns of lines, conflicts, costs, canonical tables or counted tokens");
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_UNIQUE
#define SECTION(id, NAME, member, type, count, ...) {id, &a->unique_##member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

gcdc_status uniques_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_uniques *u = a->unique_info;
	if (!u) return GCDC_OK;
	if (!u->n_terminals || u->reserved[0] || u->reserved[1] || u->reserved[2])
		return refuse(why, GCDC_ERR_FORMAT, SECTION_UNIQUES, 0, "uniques: a count or a reserved field is wrong");
	for (uint32_t k = 1; k < u->n_terminals; k++)
		if (a->unique_terminals[k] <= a->unique_terminals[k - 1])
			return refuse_number(why, SECTION_UNIQUE, 4ull * k, "terminals ascend", a->unique_terminals[k],
			                     a->unique_terminals[k - 1]);
	return GCDC_OK;
}

// The quotes in a token, those behind its first bracket.
static uint32_t count_quotes(const uint8_t *at, const uint8_t *end, uint32_t *behind)
{
	uint32_t n = 0;
	const uint8_t *bracket = at < end ? memchr(at, '[', (size_t)(end - at)) : NULL;
	*behind = 0;
	for (; at < end && (at = memchr(at, '"', (size_t)(end - at))); at++) n++, *behind += bracket && at > bracket;
	return n;
}

static bool is_before(const struct gcdc_artifact *a, uint32_t x, uint32_t y)
{
	uint32_t n = a->token_offset[x + 1] - a->token_offset[x], k = a->token_offset[y + 1] - a->token_offset[y];
	int order = memcmp(a->token_bytes + a->token_offset[x], a->token_bytes + a->token_offset[y], n < k ? n : k);
	return order ? order < 0 : n < k;
}

// By their bytes: heap sort, since qsort hands nothing on to its comparison.
static void sort_tokens(const struct gcdc_artifact *a, uint32_t *at, uint32_t n)
{
	for (uint32_t left = n / 2, end = n; end > 1;) {
		uint32_t x;
		if (left) {
			x = at[--left];
		} else {
			x = at[--end];
			at[end] = at[0];
		}
		uint32_t i = left, k;
		for (; (k = 2 * i + 1) < end; i = k) {
			if (k + 1 < end && is_before(a, at[k], at[k + 1])) k++;
			if (!is_before(a, x, at[k])) break;
			at[i] = at[k];
		}
		at[i] = x;
	}
}

// How many of each list there are; with `take`, they are put there.
static void list_tokens(const struct gcdc_artifact *a, struct unique_tokens *x, bool take)
{
	const uint32_t n_three = x->n_three;
	x->n_plain = x->n_escaped = x->n_several = x->n_whole = x->n_three = 0;
	for (uint32_t t = 0, n_two = n_three; t < a->info.n_tokens; t++) {
		const uint8_t *at = a->token_bytes + a->token_offset[t], *end = a->token_bytes + a->token_offset[t + 1];
		uint32_t behind, n = count_quotes(at, end, &behind);
		if (!n) continue;
		const bool escaped = memchr(at, '\\', (size_t)(end - at));
		if (take) {
			*(escaped ? &x->escaped[x->n_escaped] : &x->plain[x->n_plain]) = t;
			if (n > 1) x->several[n > 2 ? x->n_three : n_two++] = t;
			if (behind > 3) x->whole[x->n_whole] = t;
		}
		*(escaped ? &x->n_escaped : &x->n_plain) += 1;
		x->n_several += n > 1, x->n_three += n > 2, x->n_whole += behind > 3;
	}
}

static uint32_t before_quote(const struct gcdc_artifact *a, uint32_t t, const uint8_t **bytes)
{
	const uint8_t *at = a->token_bytes + a->token_offset[t], *end = a->token_bytes + a->token_offset[t + 1];
	*bytes = at;
	return (uint32_t)((const uint8_t *)memchr(at, '"', (size_t)(end - at)) - at);
}

// Groups of the plain tokens, and one more behind the last.
static void group_tokens(const struct gcdc_artifact *a, struct unique_tokens *x)
{
	const uint8_t *bytes, *last = NULL;
	uint32_t n_last = 0;
	x->n_groups = 0;
	for (uint32_t i = 0; i < x->n_plain; i++) {
		uint32_t n = before_quote(a, x->plain[i], &bytes), shared = 0;
		while (shared < n && shared < n_last && bytes[shared] == last[shared]) shared++;
		if (i && shared == n && shared == n_last) continue;
		x->groups[x->n_groups++] = (struct unique_group){i, n, shared};
		last = bytes, n_last = n;
	}
	x->groups[x->n_groups] = (struct unique_group){x->n_plain, 0, 0};
}

gcdc_status unique_tokens_find(struct gcdc_artifact *a, gcdc_refusal *why)
{
	struct unique_tokens *x = &a->unique_tokens;
	list_tokens(a, x, false);
	uint64_t n = (uint64_t)x->n_plain + x->n_escaped + x->n_several + x->n_whole;
	x->plain = memory_resize(&a->memory, NULL, n + 1, sizeof *x->plain);
	if (!x->plain) return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory for the tokens with quotes");
	x->escaped = x->plain + x->n_plain, x->several = x->escaped + x->n_escaped, x->whole = x->several + x->n_several;
	list_tokens(a, x, true);
	sort_tokens(a, x->plain, x->n_plain);
	x->groups = memory_resize(&a->memory, NULL, (uint64_t)x->n_plain + 1, sizeof *x->groups);
	if (!x->groups) return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory for the tokens with quotes");
	group_tokens(a, x);
	return GCDC_OK;
}
