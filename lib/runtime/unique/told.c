// Arrays of which the grammar is told, when they end, whether two items are equal.
//
// In:  a position; a bracket, or the sets of its mask. Out: the position behind the bracket; the sets with what tokens
// do that end such an array.
// Where uniqueItems decides between alternatives, the grammar has two brackets that close the array: "]", and
// SHAPE_EQUAL_MARK, which no text has, where two items are equal. The matcher counts equal items in place of refusing
// them, and reads the one bracket as the other. The compiler has proved that a text can be completed either way
// (arrays.c), so nothing is masked before. What tables say of a token that ends such an array is said of "]". So a
// token that would read the mark is stepped over: then it is allowed exactly when something can follow. Lists of tokens
// are in the order of their bytes (tokens.c), so a token is stepped over from where it parts from the one before.
// Before two items are equal, tokens are tried that may make them so: they hold values, or end the open string as one
// that is known, or end a number. An item with a key, or in an array an item, that no earlier one has is unlike all.
// Cost: where items are equal, a step for each byte that a token that closes the array does not share; else some ten
// nanoseconds for each that holds a value. The number of items does not matter.
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
	uint32_t text;        // that is known; 0: there are several, or none
	bool is_moved;        // other texts have been read since
	uint32_t n_path;      // positions of u->path
	const uint8_t *last;  // the token that they are of
	uint32_t n_last;
};
typedef gcdc_status judge(struct telling *x, uint32_t token, const uint8_t *bytes, uint32_t len);

static void cut_path(struct telling *x, uint32_t n)
{
	while (x->n_path > n) position_release(x->m, &x->m->unique->path[--x->n_path]);
}

// Positions behind bytes that this token has, too; how many. It is the last one, then.
static uint32_t cut_path_to(struct telling *x, const uint8_t *bytes, uint32_t len)
{
	const uint32_t most = len < x->n_last ? len : x->n_last;
	uint32_t n = 0;
	while (n < x->n_path && n < most && bytes[n] == x->last[n]) n++;
	cut_path(x, n);
	x->last = bytes, x->n_last = len, x->is_moved = true;
	return n;
}

// What is known is the text before the tokens again.
static gcdc_status move_back(struct telling *x)
{
	const bool is_moved = x->is_moved;
	x->is_moved = false;
	return is_moved && x->text ? unique_read(x->m, x->text) : GCDC_OK;
}

// One position more behind the next byte of the token.
static gcdc_status go_on(struct telling *x, uint8_t byte)
{
	struct position *path = x->m->unique->path + x->n_path;
	gcdc_status status = position_copy(x->m, path, x->n_path ? path - 1 : x->p);
	x->n_path++;
	return status ? status : position_step(x->m, path, &byte, 1);
}

// Steps over the token, from where it parts from the one before: is it allowed?
static gcdc_status step_over(struct telling *x, uint32_t token, const uint8_t *bytes, uint32_t len)
{
	struct unique *u = x->m->unique;
	const gcdc_memory *memory = &x->m->artifact->memory;
	struct set_list *list = x->list;
	uint32_t n = cut_path_to(x, bytes, len);
	gcdc_status status = GCDC_OK;
	while (!status && n < len && n < TOLD_PATH && (!n || u->path[n - 1].n)) status = go_on(x, bytes[n++]);
	if (!status) status = position_copy(x->m, &u->after, &u->path[n - 1]);
	if (!status) status = position_step(x->m, &u->after, bytes + n, len - n);
	if (!status) status = collect_sets(x->m, &u->after, &u->sets);
	const bool is_left = u->after.n;
	position_release(x->m, &u->after);
	if (status || is_left == sets_have(x->m->artifact, list, token)) return status;
	return vec32_push(memory, is_left ? &list->extra : &list->without, token) ? GCDC_OK : GCDC_ERR_MEMORY;
}

static gcdc_status step_told(struct telling *x, uint32_t token, const uint8_t *bytes, uint32_t len)
{
	bool ends_equal = true;
	gcdc_status status = move_back(x);
	if (!status && !memchr(bytes, '[', len)) status = unique_would_tell(x->m, bytes, len, &ends_equal);
	return status || !ends_equal ? status : step_over(x, token, bytes, len);
}

// Of a token that closes enough brackets: has it such a bracket?
static gcdc_status try_token(struct telling *x, uint32_t token, judge *each)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const uint32_t from = a->token_offset[token], len = a->token_offset[token + 1] - from;
	const uint8_t *bytes = a->token_bytes + from;
	return memchr(bytes, ']', len) ? each(x, token, bytes, len) : GCDC_OK;
}

// Those of a list that close enough others.
static gcdc_status try_list(struct telling *x, enum unique_list_of which, uint32_t need, judge *each)
{
	const struct unique_list *list = &x->m->artifact->unique_tokens.list[which];
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < list->n && !status; i++)
		if (list->low[i] >= (need < UNIQUE_LOW ? need : UNIQUE_LOW)) status = try_token(x, list->tokens[i], each);
	return status;
}

static gcdc_status try_lists(struct telling *x, const enum unique_list_of *lists, uint32_t n, uint32_t need,
                             judge *each)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t k = 0; k < n && !status; k++) status = try_list(x, lists[k], need, each);
	return status;
}

static const enum unique_list_of inside[] = {UNIQUE_IN_HOLDS, UNIQUE_IN_ESCAPED, UNIQUE_IN_CLOSE},
								 behind_backslash[] = {UNIQUE_PLAIN, UNIQUE_ESCAPED},
								 outside[] = {UNIQUE_OUT_HOLDS, UNIQUE_OUT_CLOSE, UNIQUE_OUT_PURE};

// Brackets that have to close before this level does.
static uint32_t need_of(const struct unique *u, uint32_t level)
{
	return u->levels[u->here.level].depth - u->levels[level].depth + 1;
}

// The innermost array around of which it is told, and that has equal items: whatever closes it reads a mark.
static uint32_t find_equal(const struct unique *u)
{
	uint32_t inner = GCDC_NONE;
	for (uint32_t l = u->here.level; l != GCDC_NONE; inner = l, l = u->levels[l].around) {
		const uint32_t part = inner == GCDC_NONE ? u->here.part : u->levels[inner].part;
		if (u->levels[l].told == l && part != GCDC_NONE && u->parts[part].is_equal) return l;
	}
	return GCDC_NONE;
}

// Has the item that is open in this level a part that no earlier one has, and that stays? Of a key the last value
// counts.
static bool item_differs(const struct unique *u, uint32_t level)
{
	uint32_t part = u->here.part;
	for (uint32_t l = u->here.level; l != level; part = u->levels[l].part, l = u->levels[l].around)
		for (uint32_t p = part; p != GCDC_NONE; p = u->parts[p].before)
			if ((u->levels[l].kind == '[' ? u->parts[p].value : u->parts[p].key) >= u->here.n_old) return true;
	return false;
}

// In a string: an item that it ends is equal to another only if it is known.
static gcdc_status try_string(struct telling *x, uint32_t need)
{
	const struct spelling *s = &x->m->unique->here.spelling;
	const bool is_plain = !s->escape && !s->high;
	struct known_groups w;
	gcdc_status status = try_lists(x, inside, is_plain ? 2 : 3, need, step_told);
	if (!status) status = move_back(x);
	if (status || !is_plain) return status;
	known_groups_begin(&w, x->m->artifact, x->m->unique, UNIQUE_IN_CLOSE);
	while (!status && known_groups_next(&w))
		for (uint32_t i = w.first; i < w.end && !status; i++) {
			if (w.list->low[i] < (need < UNIQUE_LOW ? need : UNIQUE_LOW)) continue;
			status = try_token(x, w.list->tokens[i], step_told);
			if (!status) status = move_back(x);
		}
	return status;
}

// Outside of strings. is_inner: the array stands in another of which it is told. A number that is open ends with each
// of these tokens: as one bracket tells.
static gcdc_status try_outside(struct telling *x, uint32_t need, bool is_inner)
{
	bool ends_equal = false;
	gcdc_status status = try_list(x, UNIQUE_OUT_HOLDS, need, step_told);
	if (status || need > 1) return status ? status : try_list(x, UNIQUE_OUT_CLOSE, need, step_told);
	status = move_back(x);
	if (!status) status = unique_would_tell(x->m, (const uint8_t *)"]", 1, &ends_equal);
	if (status || (!ends_equal && !is_inner)) return status;
	return try_lists(x, outside + 1, 2, ends_equal ? 1 : 2, step_told);
}

static gcdc_status restrict_told(struct telling *x)
{
	const struct unique *u = x->m->unique;
	const struct here *h = &u->here;
	const uint32_t told = h->level == GCDC_NONE ? GCDC_NONE : u->levels[h->level].told, equal = find_equal(u);
	const bool is_string = h->scalar == '"';
	gcdc_status status = GCDC_OK;
	if (told == GCDC_NONE) return GCDC_OK;
	if (is_string && h->spelling.escape == 1) return try_lists(x, behind_backslash, 2, 0, step_told);
	if (equal != GCDC_NONE) status = try_lists(x, is_string ? inside : outside, 3, need_of(u, equal), step_over);
	if (!status) status = move_back(x);
	if (status || equal == told) return status;
	const uint32_t need = need_of(u, told), around = u->levels[told].around;
	if (item_differs(u, told)) return try_list(x, is_string ? UNIQUE_IN_HOLDS : UNIQUE_OUT_HOLDS, need, step_told);
	if (is_string) return try_string(x, need);
	return try_outside(x, need, around != GCDC_NONE && u->levels[around].told != GCDC_NONE);
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
	cut_path(&x, 0);
	if (!status) status = move_back(&x);
	for (uint32_t i = 0; i < marked->n && !status; i++)
		if (sets_have(a, list, marked->tokens[i]) && !vec32_push(&a->memory, &list->without, marked->tokens[i]))
			status = GCDC_ERR_MEMORY;
	unique_sort(&list->without), unique_sort(&list->extra);
	return status;
}
