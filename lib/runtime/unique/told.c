// Arrays of which the grammar is told, when they end, whether two items are equal.
//
// In:  a position; a bracket, or the sets of its mask. Out: the position behind the bracket; the sets with what tokens
// do that end such an array.
// Where uniqueItems decides between alternatives, the grammar has two brackets that close the array: "]", and
// SHAPE_EQUAL_MARK, which no text has, where two items are equal. The matcher counts equal items in place of refusing
// them, and reads the one bracket as the other. The compiler has proved that a text can be completed either way
// (arrays.c), so nothing is masked before. What tables say of a token that ends such an array is said of "]". So a
// token that would read the mark is stepped over: then it is allowed exactly when something can follow.
// Cost: some hundred nanoseconds for each token that closes the array, if items are equal then; else some ten.
#include "unique.h"

void unique_sort(struct vec32 *tokens)
{
	uint32_t n = 0;
	vec32_sort(tokens);
	for (uint32_t i = 0; i < tokens->n; i++)
		if (!n || tokens->at[i] != tokens->at[n - 1]) tokens->at[n++] = tokens->at[i];
	tokens->n = n;
}

// ---- Steps.
uint8_t *told_bytes(struct gcdc_matcher *m, const uint8_t *bytes, size_t len)
{
	struct unique *u = unique_begin(m) ? m->unique : NULL;
	if (!u) return NULL;
	if (len > u->marked_cap) {
		uint8_t *grown = len > UINT32_MAX / 2 ? NULL : memory_resize(&m->artifact->memory, u->marked, len * 2, 1);
		if (!grown) return NULL;
		u->marked = grown, u->marked_cap = (uint32_t)len * 2;
	}
	m->step_begin = u->marked;
	return memcpy(u->marked, bytes, len);
}

// The readings that read a mark go over into `other`.
static gcdc_status part_readings(struct gcdc_matcher *m, struct position *p, struct position *other)
{
	uint32_t n = 0;
	gcdc_status status = position_reserve(m, other, p->n) ? GCDC_OK : GCDC_ERR_MEMORY;
	other->n_lexings = p->n_lexings;
	for (uint32_t i = 0; i < p->n; i++) {
		bool ends_equal = false;
		if (!status && p->at[i].columns) status = unique_read(m, p->at[i].columns);
		if (!status && p->at[i].columns) status = unique_would_tell(m, (const uint8_t *)"]", 1, &ends_equal);
		if (ends_equal)
			other->at[other->n++] = p->at[i];
		else
			p->at[n++] = p->at[i];
	}
	p->n = n;
	return status;
}

gcdc_status told_step(struct gcdc_matcher *m, struct position *p, uint8_t *bracket)
{
	struct position *other = &m->unique->other;
	gcdc_status status = part_readings(m, p, other);
	if (!status && p->n) status = position_step_bytes(m, p, bracket, 1);
	*bracket = SHAPE_EQUAL_MARK;
	if (!status && other->n) status = position_step_bytes(m, other, bracket, 1);
	if (!status && !position_reserve(m, p, p->n + other->n)) status = GCDC_ERR_MEMORY;
	for (uint32_t i = 0; i < other->n && !status; i++) {
		p->at[p->n] = other->at[i];
		p->at[p->n++].lexing += p->n_lexings;
	}
	if (!status) p->n_lexings += other->n_lexings, other->n = 0;
	if (status) position_release(m, p), position_release(m, other);
	return status;
}

// ---- Masks.
struct telling {
	struct gcdc_matcher *m;
	const struct position *p;
	struct set_list *list;
	uint32_t text;  // that is known; 0: there are several, or none
};
typedef gcdc_status judge(struct telling *x, uint32_t token, const uint8_t *bytes, uint32_t len);

// Steps over the token: is it allowed? Then what is known is the text before it again.
static gcdc_status step_over(struct telling *x, uint32_t token, const uint8_t *bytes, uint32_t len)
{
	struct unique *u = x->m->unique;
	const gcdc_memory *memory = &x->m->artifact->memory;
	struct set_list *list = x->list;
	gcdc_status status = position_copy(x->m, &u->after, x->p);
	if (!status) status = position_step(x->m, &u->after, bytes, len);
	if (!status) status = collect_sets(x->m, &u->after, &u->sets);
	const bool is_left = u->after.n;
	position_release(x->m, &u->after);
	if (!status && x->text) status = unique_read(x->m, x->text);
	if (status || is_left == sets_have(x->m->artifact, list, token)) return status;
	return vec32_push(memory, is_left ? &list->extra : &list->without, token) ? GCDC_OK : GCDC_ERR_MEMORY;
}

static gcdc_status step_told(struct telling *x, uint32_t token, const uint8_t *bytes, uint32_t len)
{
	bool ends_equal = true;
	gcdc_status status = memchr(bytes, '[', len) ? GCDC_OK : unique_would_tell(x->m, bytes, len, &ends_equal);
	return status || !ends_equal ? status : step_over(x, token, bytes, len);
}

// Those of a list that have such a bracket, and close enough others.
static gcdc_status try_list(struct telling *x, enum unique_list_of which, uint32_t need, judge *each)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct unique_list *list = &a->unique_tokens.list[which];
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < list->n && !status; i++) {
		const uint32_t token = list->tokens[i], from = a->token_offset[token], len = a->token_offset[token + 1] - from;
		if (list->low[i] >= (need < UNIQUE_LOW ? need : UNIQUE_LOW) && memchr(a->token_bytes + from, ']', len))
			status = each(x, token, a->token_bytes + from, len);
	}
	return status;
}

static gcdc_status try_lists(struct telling *x, const enum unique_list_of *lists, uint32_t n, uint32_t need,
                             judge *each)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t k = 0; k < n && !status; k++) status = try_list(x, lists[k], need, each);
	return status;
}

static gcdc_status restrict_told(struct telling *x)
{
	static const enum unique_list_of inside[] = {UNIQUE_IN_HOLDS, UNIQUE_IN_CLOSE, UNIQUE_IN_ESCAPED},
									 behind_backslash[] = {UNIQUE_PLAIN, UNIQUE_ESCAPED},
									 outside[] = {UNIQUE_OUT_HOLDS, UNIQUE_OUT_CLOSE, UNIQUE_OUT_PURE};
	const struct unique *u = x->m->unique;
	const struct here *h = &u->here;
	const uint32_t told = h->level == GCDC_NONE ? GCDC_NONE : u->levels[h->level].told;
	if (told == GCDC_NONE) return GCDC_OK;
	const uint32_t need = u->levels[h->level].depth - u->levels[told].depth + 1;
	if (h->scalar != '"') return try_lists(x, outside, 3, need, step_told);
	if (h->spelling.escape == 1) return try_lists(x, behind_backslash, 2, 0, step_told);
	return try_lists(x, inside, 3, need, step_told);
}

gcdc_status told_restrict(struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	struct telling x = {.m = m, .p = p, .list = list};
	const struct unique_list *marked = &a->unique_tokens.list[UNIQUE_MARKED];
	bool is_in = false;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p->n; i++) is_in |= p->at[i].columns != 0;
	if (p->n == 1 && is_in) {
		x.text = p->at[0].columns;
		status = unique_read(m, x.text);
		if (!status) status = restrict_told(&x);
	} else if (is_in) {
		for (uint32_t k = 0; k < UNIQUE_LISTS && !status; k++) status = try_list(&x, k, 0, step_over);
	}
	if (!status) status = try_list(&x, UNIQUE_WHOLE, 0, step_over);
	for (uint32_t i = 0; i < marked->n && !status; i++)
		if (sets_have(a, list, marked->tokens[i]) && !vec32_push(&a->memory, &list->without, marked->tokens[i]))
			status = GCDC_ERR_MEMORY;
	unique_sort(&list->without), unique_sort(&list->extra);
	return status;
}
