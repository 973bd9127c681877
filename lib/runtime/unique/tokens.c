// Arrays whose items differ: the terminals they begin with, and the tokens that can make two of their items equal.
//
// In:  an artifact's sections and tokens. Out: lists of tokens by where they begin and what they close (struct
// unique_tokens).
// A value becomes equal to another when it closes: a string with its quote, an array or object with its bracket, a
// number before the sign behind it; words, and zeros with an exponent, with the byte that tells them. So of the tokens
// that can be JSON, or end as such an array does and go on with other text, those are listed that close a string or a
// bracket, hold a value, or begin with what ends a number.
// Cost: once for each artifact with such arrays, two passes over the bytes of its tokens and sorting some thousands.
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
	// Files without shapes have the section not, or empty.
	const bool has_shapes = u->n_shape_words || f->at[SECTION_UNIQUE_SHAPE];
	return section_take(a, f, rows, sizeof rows / sizeof *rows - !has_shapes, why);
}

gcdc_status uniques_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_uniques *u = a->unique_info;
	if (!u) return GCDC_OK;
	if (!u->n_terminals || u->any_kind > UNIQUE_KIND_TELLS || u->reserved)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_UNIQUES, 0, "uniques: a count or a reserved field is wrong");
	for (uint32_t k = 1; k < u->n_terminals; k++)
		if (a->unique_terminals[k] <= a->unique_terminals[k - 1])
			return refuse_number(why, SECTION_UNIQUE, 4ull * k, "terminals ascend", a->unique_terminals[k],
			                     a->unique_terminals[k - 1]);
	return shapes_validate(a, why);
}

// ---- What a token does, from inside of a string or from outside.
struct effect {
	bool is_json;    // it can be a part of JSON, or that and other text behind a bracket
	bool holds;      // a value, or part of a number or word: from within a string, behind its end
	bool is_pure;    // blanks, then a bracket that closes
	uint32_t low;    // brackets that it closes of those that were open before, at most UNIQUE_LOW
	uint32_t quote;  // bytes before the first quote; as many as there are: none
};

// Is this a part of true, false or null, or the e of a number?
static bool is_word(const uint8_t *at, uint32_t n)
{
	static const char *const words[] = {"true", "false", "null"};
	if (n == 1 && (*at | 0x20) == 'e') return true;
	for (uint32_t w = 0; w < 3; w++)
		for (const char *from = words[w]; *from && strlen(from) >= n; from++)
			if (!memcmp(from, at, n)) return true;
	return false;
}

static uint32_t skip_letters(const uint8_t *at, uint32_t n, uint32_t i)
{
	while (i < n && (at[i] | 0x20) >= 'a' && (at[i] | 0x20) <= 'z') i++;
	return i;
}

// The end of the string that byte i is in, its quote included; 0: it does not end. Control characters: *is_json false.
static uint32_t skip_string(const uint8_t *at, uint32_t n, uint32_t i, bool *is_json)
{
	for (; i < n && at[i] != '"'; i += at[i] == '\\' ? 2 : 1) *is_json &= at[i] >= ' ';
	return i < n ? i + 1 : 0;
}

// What stands before a byte, outside of strings: a sign, VALUE behind a string or a bracket that closed, PART behind a
// part of a number or word; 0: nothing is known.
enum { PART = 'n', VALUE = 'v' };

static bool may_follow(uint8_t last, uint8_t c)
{
	switch (last) {
	case '{': return c == '"' || c == '}';
	case '[': return !strchr(",:}.+", c);
	case ',':
	case ':': return !strchr(",:]}.+", c);
	case VALUE: return strchr(",:]}", c) != NULL;
	case PART: return !strchr("\"[{:", c);
	default: return true;
	}
}

static uint32_t skip_sign(const uint8_t *at, uint32_t i, int32_t *depth, struct effect *e)
{
	const uint8_t c = at[i];
	const bool closes = c == ']' || c == '}';
	*depth += (c == '[' || c == '{') - closes;
	e->holds |= (closes && *depth >= -(int32_t)e->low) || is_digit(c) || c == '-' || c == '+' || c == '.';
	if (-*depth > (int32_t)e->low && e->low < UNIQUE_LOW) e->low++;
	return i + 1;
}

// Behind this byte, or the word or string that begins with it. *last: what stands before, and then behind.
static uint32_t skip_part(const uint8_t *at, uint32_t n, uint32_t i, uint8_t *last, int32_t *depth, struct effect *e)
{
	const uint32_t end = skip_letters(at, n, i);
	if (is_blank(at[i])) {
		*last = *last == PART ? VALUE : *last;
		return i + 1;
	}
	e->is_json = may_follow(*last, at[i]);
	if (end > i) {
		e->is_json &= is_word(at + i, end - i), e->holds |= e->is_json, *last = PART;
		return end;
	}
	if (at[i] == '"') {
		const uint32_t behind = skip_string(at, n, i + 1, &e->is_json);
		e->holds |= behind != 0, *last = VALUE;
		return behind ? behind : n;
	}
	e->is_json &= at[i] < 0x80 && at[i] && strchr("[]{},:0123456789+-.", at[i]) != NULL;
	*last = at[i] == ']' || at[i] == '}' ? VALUE : strchr("[{,:", at[i]) ? at[i] : PART;
	return e->is_json ? skip_sign(at, i, depth, e) : n;
}

static bool begins_with_close(const uint8_t *at, uint32_t n)
{
	uint32_t i = 0;
	while (i < n && is_blank(at[i])) i++;
	return i < n && (at[i] == ']' || at[i] == '}');
}

static struct effect effect_of(const uint8_t *at, uint32_t n, bool is_inside)
{
	struct effect e = {.is_json = true};
	const uint8_t *quote = n ? memchr(at, '"', n) : NULL;
	uint32_t i = is_inside ? skip_string(at, n, 0, &e.is_json) : 0;
	uint8_t last = is_inside ? VALUE : 0;
	int32_t depth = 0;
	e.quote = quote ? (uint32_t)(quote - at) : n;
	if (is_inside && !i) e.is_json = false;  // it changes nothing
	while (i < n && e.is_json) i = skip_part(at, n, i, &last, &depth, &e);
	e.is_json |= e.low > 0;  // behind the array that it closes there may be other text
	e.is_pure = !is_inside && !e.holds && e.low == 1 && begins_with_close(at, n);
	return e;
}

// Does a second item of the array begin whose bracket is byte i?
static bool has_second(const uint8_t *at, uint32_t n, uint32_t i)
{
	struct effect e = {.is_json = true};
	uint8_t last = 0;
	int32_t depth = 0;
	bool is_comma = false, has = false;
	do {
		const bool is_blank_here = is_blank(at[i]);
		i = skip_part(at, n, i, &last, &depth, &e);
		has = is_comma && !is_blank_here && e.is_json;
		is_comma = is_comma ? is_blank_here : depth == 1 && last == ',';
	} while (i < n && e.is_json && depth > 0 && !has);
	return has;
}

// Two values and more in brackets that it opens?
static bool holds_items(const uint8_t *at, uint32_t n)
{
	bool holds = false;
	for (uint32_t i = 0; i < n && !holds; i++) holds = at[i] == '[' && has_second(at, n, i);
	return holds;
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

// Digits and signs of a number: no value ends with them or before them, and none is told by them.
static bool is_digits(const uint8_t *at, uint32_t n)
{
	uint32_t i = 0;
	while (i < n && (is_digit(at[i]) || at[i] == '.' || at[i] == '-' || at[i] == '+')) i++;
	return i == n;
}

// From byte i on: a bracket that closes, and a comma behind it.
static bool goes_on_to_next(const uint8_t *at, uint32_t n, uint32_t i)
{
	while (i < n && at[i] != ']' && at[i] != '}') i++;
	return i < n && memchr(at + i, ',', n - i);
}

static void put_token(struct unique_list *list, uint32_t token, bool take)
{
	if (take) list->tokens[list->n] = token;
	list->n++;
}

// A token in the lists that it belongs to. Branches: one for each list.
static void list_token(struct unique_tokens *x, uint32_t t, const uint8_t *at, uint32_t n, bool take)
{
	const struct effect in = effect_of(at, n, true), out = effect_of(at, n, false);
	const bool has_backslash = n && memchr(at, '\\', n);
	struct unique_list *list = x->list;
	if (in.quote < n) put_token(&list[has_backslash ? UNIQUE_ESCAPED : UNIQUE_PLAIN], t, take);
	if (in.is_json && in.holds)
		put_token(&list[UNIQUE_IN_HOLDS], t, take);
	else if (in.is_json && in.low)
		put_token(&list[has_backslash ? UNIQUE_IN_ESCAPED : UNIQUE_IN_CLOSE], t, take);
	if (out.is_json && out.holds && !is_digits(at, n)) put_token(&list[UNIQUE_OUT_HOLDS], t, take);
	if (out.is_json && out.low) put_token(&list[out.is_pure ? UNIQUE_OUT_PURE : UNIQUE_OUT_CLOSE], t, take);
	if (out.is_json && !out.holds && n && (is_blank(*at) || strchr(",]}", *at)))
		put_token(&list[UNIQUE_OUT_ENDS], t, take);
	if (in.is_json && goes_on_to_next(at, n, in.quote)) put_token(&list[UNIQUE_IN_NEXT], t, take);
	if (out.is_json && goes_on_to_next(at, n, 0)) put_token(&list[UNIQUE_OUT_NEXT], t, take);
	if (holds_items(at, n)) put_token(&list[UNIQUE_WHOLE], t, take);
	if (n && memchr(at, SHAPE_EQUAL_MARK, n)) put_token(&list[UNIQUE_MARKED], t, take);
}

// How many of each list there are; with `take`, they are put there.
static void list_tokens(const struct gcdc_artifact *a, struct unique_tokens *x, bool take)
{
	for (uint32_t k = 0; k < UNIQUE_LISTS; k++) x->list[k].n = 0;
	for (uint32_t t = 0; t < a->info.n_tokens; t++)
		list_token(x, t, a->token_bytes + a->token_offset[t], a->token_offset[t + 1] - a->token_offset[t], take);
}

static uint32_t before_quote(const struct gcdc_artifact *a, uint32_t t, const uint8_t **bytes)
{
	const uint8_t *at = a->token_bytes + a->token_offset[t], *end = a->token_bytes + a->token_offset[t + 1];
	*bytes = at;
	return (uint32_t)((const uint8_t *)memchr(at, '"', (size_t)(end - at)) - at);
}

// Groups of the tokens of a sorted list, and one more behind the last.
static void group_tokens(const struct gcdc_artifact *a, struct unique_list *x)
{
	const uint8_t *bytes, *last = NULL;
	uint32_t n_last = 0;
	x->n_groups = 0;
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t n = before_quote(a, x->tokens[i], &bytes), shared = 0;
		while (shared < n && shared < n_last && bytes[shared] == last[shared]) shared++;
		if (i && shared == n && shared == n_last) continue;
		x->groups[x->n_groups++] = (struct unique_group){i, n, shared, 0};
		last = bytes, n_last = n;
	}
	x->groups[x->n_groups] = (struct unique_group){x->n, 0, 0, x->n_groups};
	for (uint32_t g = x->n_groups; g--;) {
		uint32_t k = g + 1;
		while (k < x->n_groups && x->groups[k].shared >= x->groups[g].shared) k = x->groups[k].next;
		x->groups[g].next = k;
	}
}

// Room for the lists; they are parts of the first one's blocks.
static bool reserve_lists(const gcdc_memory *memory, struct unique_tokens *x)
{
	uint64_t n = 0;
	for (uint32_t k = 0; k < UNIQUE_LISTS; k++) n += x->list[k].n;
	x->tokens = memory_resize(memory, NULL, n + 1, sizeof *x->tokens);
	x->low = memory_resize(memory, NULL, n + 1, 1);
	x->groups = memory_resize(memory, NULL, (uint64_t)x->list[UNIQUE_PLAIN].n + x->list[UNIQUE_IN_CLOSE].n + 2,
	                          sizeof *x->groups);
	if (!x->tokens || !x->low || !x->groups) return false;
	n = 0;
	for (uint32_t k = 0; k < UNIQUE_LISTS; n += x->list[k++].n)
		x->list[k].tokens = x->tokens + n, x->list[k].low = x->low + n;
	x->list[UNIQUE_PLAIN].groups = x->groups;
	x->list[UNIQUE_IN_CLOSE].groups = x->groups + x->list[UNIQUE_PLAIN].n + 1;
	return true;
}

gcdc_status unique_tokens_find(struct gcdc_artifact *a, gcdc_refusal *why)
{
	struct unique_tokens *x = &a->unique_tokens;
	for (uint32_t t = 0; t < a->info.n_tokens; t++)
		if (a->token_offset[t + 1] - a->token_offset[t] > x->longest)
			x->longest = a->token_offset[t + 1] - a->token_offset[t];
	list_tokens(a, x, false);
	if (!reserve_lists(&a->memory, x)) return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory for lists of tokens");
	list_tokens(a, x, true);
	for (uint32_t k = 0; k < UNIQUE_LISTS; k++) {
		struct unique_list *list = &x->list[k];
		const bool is_inside = k <= UNIQUE_IN_HOLDS || k == UNIQUE_IN_NEXT;
		sort_tokens(a, list->tokens, list->n);
		if (k <= UNIQUE_IN_CLOSE) group_tokens(a, list);
		for (uint32_t i = 0; i < list->n; i++) {
			const uint32_t t = list->tokens[i], from = a->token_offset[t];
			list->low[i] = (uint8_t)effect_of(a->token_bytes + from, a->token_offset[t + 1] - from, is_inside).low;
		}
	}
	return GCDC_OK;
}
