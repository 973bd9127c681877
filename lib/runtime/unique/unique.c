// Arrays whose items differ: steps that keep their text, and masks without the tokens that make two items equal.
//
// In:  a position, bytes, or the sets of its mask. Out: the position behind them; list->without.
// A lexeme that is one of the artifact's terminals begins such an array. From there on each byte is put on a list of
// frames that the reading holds (unique.h), until the bracket closes. A reading in which two items are equal ends. The
// compiler takes only arrays whose items can always still become a value of their own, so no other reading leads
// nowhere. So a token is to be taken away only where it closes an item: by its first quote, which is looked up, or
// with more quotes, where it is tried.
// Cost: steps some 10 nanoseconds a byte, in such arrays. Masks in a string, with few items: a search among the tokens
// with quotes for each item that begins like it; with more: a look-up for each beginning of such tokens, some
// microseconds whatever the number of items. Elsewhere: tokens with three quotes, which are few.
#include "unique.h"

#define FEW_ITEMS 4u  // each is looked for among the tokens

static bool opens_unique(const struct gcdc_artifact *a, uint32_t lex_state)
{
	uint32_t t = a->lex_states[lex_base(a, lex_state)].terminal;
	return t != ARTIFACT_NONE && number_among(a->unique_terminals, a->unique_info->n_terminals, t);
}

static bool begin(struct gcdc_matcher *m)
{
	if (m->unique) return true;
	struct unique *u = memory_resize(&m->artifact->memory, NULL, 1, sizeof *u);
	if (!u) return false;
	memset(u, 0, sizeof *u);
	u->open = GCDC_NONE;
	m->unique = u;
	return true;
}

// ---- Steps.
// What stands behind one byte more; 0: the array is closed, UINT32_MAX: brackets are open in too many others.
static uint32_t behind(uint32_t before, uint8_t c)
{
	uint32_t depth = text_depth(before), place = before & TEXT_PLACE;
	if (place == TEXT_ESCAPED) {
		place = TEXT_IN;
	} else if (place == TEXT_IN) {
		place = c == '"' ? TEXT_OUT : c == '\\' ? TEXT_ESCAPED : TEXT_IN;
	} else if (c == '"') {
		place = TEXT_IN;
	} else if (c == '[' || c == '{') {
		if (++depth > TEXT_MAX_DEPTH) return UINT32_MAX;
	} else if (c == ']' || c == '}') {
		depth--;
	}
	return depth << TEXT_DEPTH_SHIFT | place | c;
}

// May an item have ended with this byte, or before it?
static bool ends_item(uint32_t before, uint32_t now)
{
	const uint8_t c = (uint8_t)now;
	if (text_depth(now) > 1 || (before & TEXT_PLACE) == TEXT_ESCAPED) return false;
	if ((before & TEXT_PLACE) == TEXT_IN) return (now & TEXT_PLACE) == TEXT_OUT;
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static gcdc_status put_byte(struct gcdc_matcher *m, struct reading *r, uint32_t what)
{
	struct frame_pool *pool = m->pool;
	if (pool->at[r->columns].depth >= pool->max_depth) return GCDC_ERR_LIMIT;
	if (!frame_reserve(pool, 1)) return GCDC_ERR_MEMORY;
	uint32_t f = frame_push(pool, r->columns, what);
	frame_unref(pool, r->columns);
	r->columns = f;
	return GCDC_OK;
}

// The reading has read a byte. *dies: two items of its array are equal.
static gcdc_status take_byte(struct gcdc_matcher *m, struct reading *r, uint8_t c, bool *dies)
{
	gcdc_status status;
	*dies = false;
	if (!r->columns) {
		if (!opens_unique(m->artifact, r->lex_state)) return GCDC_OK;
		r->columns = FRAME_BOTTOM;
		frame_ref(m->pool, FRAME_BOTTOM);
		return put_byte(m, r, 1u << TEXT_DEPTH_SHIFT | TEXT_OUT | '[');
	}
	const uint32_t before = m->pool->at[r->columns].lr_state, now = behind(before, c);
	if (now == UINT32_MAX) return GCDC_ERR_LIMIT;
	status = put_byte(m, r, now);
	if (!status && ends_item(before, now)) {
		status = begin(m) ? unique_read(m, r->columns) : GCDC_ERR_MEMORY;
		*dies = !status && m->unique->n_doubles;
	}
	if (status || text_depth(now)) return status;
	frame_unref(m->pool, r->columns);
	r->columns = 0;
	return GCDC_OK;
}

static gcdc_status take_byte_all(struct gcdc_matcher *m, struct position *p, uint8_t c)
{
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p->n; i++) {
		struct reading r = p->at[i];
		bool dies = false;
		if (!status) status = take_byte(m, &r, c, &dies);
		if (dies)
			reading_unref(m->pool, &r);
		else
			p->at[n++] = r;
	}
	p->n = n;
	if (status) position_release(m, p);
	return status;
}

static bool is_in_array(const struct position *p)
{
	bool is = false;
	for (uint32_t i = 0; i < p->n; i++) is |= p->at[i].columns != 0;
	return is;
}

// Bytes with which an array can begin: its bracket, or the blanks of an indent behind it.
static bool may_begin(uint8_t c) { return c == '[' || c == ' ' || c == '\n'; }

gcdc_status unique_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len)
{
	const uint8_t *end = bytes + len, *to;
	gcdc_status status = GCDC_OK;
	for (; bytes < end && p->n && !status; bytes = to) {
		to = bytes + 1;
		if (!is_in_array(p))
			while (to < end && !may_begin(to[-1])) to++;
		status = position_step_bytes(m, p, bytes, (size_t)(to - bytes));
		if (!status) status = take_byte_all(m, p, to[-1]);
	}
	return status;
}

// ---- Masks.
struct restricting {
	struct gcdc_matcher *m;
	const struct position *p;
	struct set_list *list;
	struct unique *u;
	const uint8_t *open;  // the value of the open string, as far as it is decoded: n_open bytes
	uint32_t n_open;
};

static const uint8_t *token_at(const struct gcdc_artifact *a, uint32_t token, uint32_t *len)
{
	*len = a->token_offset[token + 1] - a->token_offset[token];
	return a->token_bytes + a->token_offset[token];
}

static gcdc_status leave_out(struct restricting *x, uint32_t token)
{
	return vec32_push(&x->m->artifact->memory, &x->list->without, token) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Steps over an allowed token: is a reading left?
static gcdc_status try_token(struct restricting *x, uint32_t token)
{
	struct position *after = &x->u->after;
	if (!sets_have(x->m->artifact, x->list, token)) return GCDC_OK;
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	gcdc_status status = position_copy(x->m, after, x->p);
	if (!status) status = position_step(x->m, after, bytes, len);
	if (!status) position_drop_unstarted(x->m, after);
	const bool is_left = after->n;
	position_release(x->m, after);
	return status || is_left ? status : leave_out(x, token);
}

static gcdc_status try_tokens(struct restricting *x, const uint32_t *tokens, uint32_t n)
{
	gcdc_status status = GCDC_OK;
	struct vec32 *without = &x->list->without;
	const uint32_t known = without->n;
	for (uint32_t i = 0; i < n && !status; i++) {
		bool is_known = false;
		for (uint32_t k = 0; k < known && !is_known; k++) is_known = without->at[k] == tokens[i];
		if (!is_known) status = try_token(x, tokens[i]);
	}
	return status;
}

// What a token adds to the open string up to its first quote; false: it has none.
struct closing {
	uint64_t hash;
	uint32_t n;
	bool is_same;  // as the bytes it was compared with
};
static bool read_closing(const struct restricting *x, uint32_t token, const uint8_t *same, struct closing *c)
{
	uint32_t len, n;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	struct spelling s = x->u->spelling;
	uint8_t out[SPELLING_MOST];
	bool inside = true;
	*c = (struct closing){x->u->hash, 0, true};
	for (uint32_t i = 0; i < len && inside; i++) {
		inside = spelling_take(&s, bytes[i], out, &n);
		for (uint32_t k = 0; k < n; k++) c->hash = value_hash(c->hash, out[k]);
		if (same) c->is_same &= !memcmp(same + c->n, out, n);
		c->n += n;
	}
	return !inside;
}

static bool begins_as_open(const struct restricting *x, const struct item *item)
{
	return item->n >= x->n_open && !memcmp(x->u->values + item->at, x->open, x->n_open);
}

// Does the first quote of a token close the open string as one that is there?
static bool closes_double(const struct restricting *x, uint32_t token)
{
	const struct unique *u = x->u;
	struct closing c;
	if (!read_closing(x, token, NULL, &c)) return false;
	uint32_t k = (uint32_t)c.hash;
	for (const struct item *item; (item = unique_next(u, c.hash, &k));) {
		if (item->n != x->n_open + c.n || !begins_as_open(x, item)) continue;
		struct closing again;
		read_closing(x, token, u->values + item->at + x->n_open, &again);
		if (again.is_same) return true;
	}
	return false;
}

static gcdc_status close_tokens(struct restricting *x, const uint32_t *tokens, uint32_t n)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !status; i++)
		if (closes_double(x, tokens[i]) && sets_have(x->m->artifact, x->list, tokens[i]))
			status = leave_out(x, tokens[i]);
	return status;
}

// An item's rest and its quote, before a token in the order of bytes (<0), at its beginning (0), behind it.
static int compare_rest(const struct gcdc_artifact *a, uint32_t token, const uint8_t *rest, uint32_t n)
{
	uint32_t len;
	const uint8_t *bytes = token_at(a, token, &len);
	int order = memcmp(rest, bytes, n < len ? n : len);
	if (order || len <= n) return order ? order : 1;
	return (bytes[n] < '"') - (bytes[n] > '"');
}

// Tokens without backslashes that go on with this item's rest.
static gcdc_status close_as(struct restricting *x, const struct item *item)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct unique_tokens *t = &a->unique_tokens;
	const uint8_t *rest = x->u->values + item->at + x->n_open;
	const uint32_t n = item->n - x->n_open;
	uint32_t i;
	LOWER_BOUND(i, 0, t->n_plain, compare_rest(a, t->plain[i], rest, n) > 0);
	gcdc_status status = GCDC_OK;
	for (; i < t->n_plain && !status && !compare_rest(a, t->plain[i], rest, n); i++)
		status = close_tokens(x, &t->plain[i], 1);
	return status;
}

#define KEPT_HASHES 64u

// The same by all tokens without backslashes, whatever the number of items: those that are the same up to their quote
// are looked up once, and hashes go on from the bytes that the group before has, too.
static gcdc_status close_groups(struct restricting *x)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct unique_tokens *t = &a->unique_tokens;
	uint64_t hash[KEPT_HASHES] = {x->u->hash};  // [i]: behind i bytes
	gcdc_status status = GCDC_OK;
	for (uint32_t g = 0; g < t->n_groups && !status; g++) {
		const struct unique_group *group = &t->groups[g];
		const uint8_t *bytes = a->token_bytes + a->token_offset[t->plain[group->first]];
		uint32_t i = group->shared < KEPT_HASHES ? group->shared : KEPT_HASHES - 1;
		uint64_t now = hash[i];
		for (; i < group->n; i++) {
			now = value_hash(now, bytes[i]);
			if (i + 1 < KEPT_HASHES) hash[i + 1] = now;
		}
		uint32_t k = (uint32_t)now;
		for (const struct item *item; !status && (item = unique_next(x->u, now, &k));) {
			const uint8_t *rest = x->u->values + item->at + x->n_open;
			if (item->n != x->n_open + group->n || !begins_as_open(x, item) || memcmp(rest, bytes, group->n)) continue;
			status = close_tokens(x, t->plain + group->first, group[1].first - group->first);
		}
	}
	return status;
}

// Strings that begin as the open one does, as far as it is decoded.
static gcdc_status list_alike(struct restricting *x)
{
	struct unique *u = x->u;
	u->alike.n = 0;
	for (uint32_t i = 0; i < u->n_items; i++)
		if (begins_as_open(x, &u->items[i]) && !vec32_push(&x->m->artifact->memory, &u->alike, i))
			return GCDC_ERR_MEMORY;
	return GCDC_OK;
}

// In a string that is an item, with few others: those that begin like it.
static gcdc_status restrict_by_items(struct restricting *x)
{
	const struct unique_tokens *t = &x->m->artifact->unique_tokens;
	const struct unique *u = x->u;
	gcdc_status status = list_alike(x);
	if (u->alike.n && !status) status = close_tokens(x, t->escaped, t->n_escaped);
	for (uint32_t i = 0; i < u->alike.n && !status; i++) status = close_as(x, &u->items[u->alike.at[i]]);
	return status;
}

// In a string that is an item. Behind a part of an escape bytes say something else: all tokens are decoded.
static gcdc_status restrict_string(struct restricting *x)
{
	const struct unique_tokens *t = &x->m->artifact->unique_tokens;
	const struct unique *u = x->u;
	const uint32_t begin = u->n_items ? u->items[u->n_items - 1].at + u->items[u->n_items - 1].n : 0;
	const bool is_plain = !u->spelling.escape && !u->spelling.high;
	gcdc_status status = GCDC_OK;
	x->open = u->values + begin, x->n_open = u->n_values - begin;
	if (is_plain && u->n_items <= FEW_ITEMS) {
		status = restrict_by_items(x);
	} else {
		status = close_tokens(x, t->escaped, t->n_escaped);
		if (!status) status = is_plain ? close_groups(x) : close_tokens(x, t->plain, t->n_plain);
	}
	return status ? status : try_tokens(x, t->several, t->n_three);
}

gcdc_status unique_restrict(struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	const struct unique_tokens *t = &m->artifact->unique_tokens;
	if (!begin(m)) return GCDC_ERR_MEMORY;
	struct restricting x = {m, p, list, m->unique, NULL, 0};
	gcdc_status status = GCDC_OK;
	const uint32_t text = p->n == 1 ? p->at[0].columns : 0;
	if (text && !(status = unique_read(m, text)) && x.u->open != GCDC_NONE && x.u->is_string) {
		status = restrict_string(&x);
	} else if (!status) {
		if (is_in_array(p))
			status = try_tokens(&x, t->several, t->n_several);
		else
			status = try_tokens(&x, t->whole, t->n_whole);
		if (p->n > 1 && is_in_array(p) && !status) status = try_tokens(&x, t->plain, t->n_plain);
		if (p->n > 1 && is_in_array(p) && !status) status = try_tokens(&x, t->escaped, t->n_escaped);
	}
	vec32_sort(&list->without);
	return status;
}

uint32_t *unique_row(struct gcdc_matcher *m)
{
	if (!begin(m)) return NULL;
	if (!m->unique->row)
		m->unique->row = memory_resize(&m->artifact->memory, NULL, m->artifact->info.mask_words, sizeof(uint32_t));
	return m->unique->row;
}
