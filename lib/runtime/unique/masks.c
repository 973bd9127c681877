// Arrays whose items differ: masks without the tokens that make two items equal.
//
// In:  a position, the sets of its mask. Out: list->without.
// A token is to be taken away where it closes an item whose value is there, or tells such a value (tokens.c). Inside a
// string that is an item, what each token adds up to its quote is looked up among the strings of the text. Inside an
// item's brackets only tokens matter that close so many, and in strings there only those whose string is known: an item
// with a new part is new. These are read on a copy of what is known of the text; those that open arrays, which may
// be such arrays themselves, are stepped over.
// In arrays of which items are not endless (shapes.c) an open item that has a part of its own differs from all others,
// so only tokens that close it and go on to the next are read. In other items the tokens of the mask are read where
// values are counted, of those that are one sign and blanks one for all; inside of endless strings those that end them
// as one that is known.
// Cost: in a string that no string of the text begins like, nothing but for tokens that hold more than its end; else a
// look-up for each beginning of tokens with quotes that strings of the text have, too. Elsewhere some hundred
// nanoseconds for each token of a list that the mask has. Where the values that are left can be counted and are fewer
// than the items so far, each token looks at the items that have the members of the open one.
#include "unique.h"

enum { SIGN_UNKNOWN, SIGN_GOES_ON, SIGN_ENDS };
struct restricting {
	struct gcdc_matcher *m;
	const struct position *p;
	struct set_list *list;
	struct unique *u;
	uint32_t text;    // that is known; 0: there are several, or none
	uint32_t n_open;  // bytes of the open string, as far as it is decoded; its kind first
	uint32_t need;    // brackets to close before an item ends; of others nothing is looked at
	uint32_t *row;    // the mask; NULL: it is in sets alone
	struct open_number number;
	uint8_t of_sign[128];  // SIGN_: of the tokens that are one sign, outside of strings
};
typedef gcdc_status judge(struct restricting *x, uint32_t token);

static const uint8_t *token_at(const struct gcdc_artifact *a, uint32_t token, uint32_t *len)
{
	*len = a->token_offset[token + 1] - a->token_offset[token];
	return a->token_bytes + a->token_offset[token];
}

static gcdc_status leave_out(struct restricting *x, uint32_t token)
{
	return vec32_push(&x->m->artifact->memory, &x->list->without, token) ? GCDC_OK : GCDC_ERR_MEMORY;
}

static bool mask_has(const struct restricting *x, uint32_t token)
{
	return x->row ? x->row[token / 32] >> token % 32 & 1 : sets_have(x->m->artifact, x->list, token);
}

// Steps over a token of the mask: is a reading left? Then what is known is the text before it again.
static gcdc_status step_token(struct restricting *x, uint32_t token)
{
	struct position *after = &x->u->after;
	if (!mask_has(x, token)) return GCDC_OK;
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	gcdc_status status = position_copy(x->m, after, x->p);
	if (!status) status = position_step(x->m, after, bytes, len);
	if (!status) position_drop_unstarted(x->m, after);
	const bool is_left = after->n;
	position_release(x->m, after);
	if (!status && x->text) status = unique_read(x->m, x->text);
	return status || is_left ? status : leave_out(x, token);
}

// Reads a token of the mask: are two items equal then?
static gcdc_status read_token(struct restricting *x, uint32_t token)
{
	if (!mask_has(x, token)) return GCDC_OK;
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	if (memchr(bytes, '[', len)) return step_token(x, token);
	bool is_double;
	gcdc_status status = unique_would_equal(x->m, bytes, len, &is_double);
	return status || !is_double ? status : leave_out(x, token);
}

// Those of a list that close enough brackets.
static gcdc_status judge_list(struct restricting *x, enum unique_list_of which, uint32_t need, judge *j)
{
	const struct unique_list *list = &x->m->artifact->unique_tokens.list[which];
	const uint32_t low = need < UNIQUE_LOW ? need : UNIQUE_LOW;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < list->n && !status; i++)
		if (list->low[i] >= low) status = j(x, list->tokens[i]);
	return status;
}

// Tokens that begin with one thing, which decides: `sign` stands for all.
static gcdc_status judge_alike(struct restricting *x, enum unique_list_of which, uint8_t sign)
{
	const struct unique_list *list = &x->m->artifact->unique_tokens.list[which];
	bool is_double;
	gcdc_status status = unique_would_equal(x->m, &sign, 1, &is_double);
	for (uint32_t i = 0; i < list->n && !status && is_double; i++)
		if (sets_have(x->m->artifact, x->list, list->tokens[i])) status = leave_out(x, list->tokens[i]);
	return status;
}

// ---- Inside a string.
static bool begins_as_open(const struct restricting *x, const struct known *value)
{
	const uint8_t *bytes = x->u->values.bytes;
	return value->n >= x->n_open && !memcmp(bytes + value->at, bytes + x->u->here.written, x->n_open);
}

// Does some string of the text begin like it?
static bool goes_on(const struct restricting *x) { return values_begin_so(&x->u->values, x->u->here.hash); }

// The string that the bytes make of the open one up to their first quote, if it is a value of the text; GCDC_NONE.
static uint32_t closed_value(const struct restricting *x, const uint8_t *bytes, uint32_t len)
{
	const struct values *v = &x->u->values;
	struct spelling s = x->u->here.spelling;
	uint64_t hash = x->u->here.hash;
	uint8_t out[SPELLING_MOST];
	uint32_t n, more = 0, value;
	bool inside = true;
	for (uint32_t i = 0; i < len && inside; i++) {
		inside = spelling_take(&s, bytes[i], out, &n);
		for (uint32_t k = 0; k < n; k++) hash = value_hash(hash, out[k]);
		if (n && !values_begin_so(v, hash)) return GCDC_NONE;
		more += n;
	}
	for (uint32_t k = (uint32_t)hash; !inside && (value = values_next(v, hash, &k)) != GCDC_NONE;) {
		if (v->at[value].n != x->n_open + more || !begins_as_open(x, &v->at[value])) continue;
		const uint8_t *rest = v->bytes + v->at[value].at + x->n_open;
		bool is_same = inside = true;
		s = x->u->here.spelling;
		for (uint32_t i = 0; inside; i++, rest += n) {
			inside = spelling_take(&s, bytes[i], out, &n);
			is_same &= !memcmp(rest, out, n);
		}
		if (is_same) return value;
	}
	return GCDC_NONE;
}

// The open string is an item; one that is there?
static bool is_item(const struct restricting *x, uint32_t value)
{
	return value != GCDC_NONE && values_have_item(&x->u->values, x->u->here.level, value);
}

static gcdc_status close_item(struct restricting *x, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	if (!is_item(x, closed_value(x, bytes, len)) || !sets_have(x->m->artifact, x->list, token)) return GCDC_OK;
	return leave_out(x, token);
}

// The tokens of a list without backslashes whose string is a value of the text.
static gcdc_status judge_groups(struct restricting *x, enum unique_list_of which, judge *j)
{
	const uint32_t low = x->need < UNIQUE_LOW ? x->need : UNIQUE_LOW;
	struct known_groups w;
	gcdc_status status = GCDC_OK;
	known_groups_begin(&w, x->m->artifact, x->u, which);
	while (!status && known_groups_next(&w))
		for (uint32_t i = w.first; i < w.end && !status; i++)
			if (w.list->low[i] >= low) status = j(x, w.list->tokens[i]);
	return status;
}

// In a string that is an item. Behind a part of an escape bytes say something else: all tokens are decoded, and behind
// a backslash read, since its quote is another one.
static gcdc_status restrict_item_string(struct restricting *x)
{
	const struct spelling *s = &x->u->here.spelling;
	const bool is_plain = !s->escape && !s->high;
	judge *j = s->escape == 1 ? read_token : close_item;
	gcdc_status status = GCDC_OK;
	if (s->escape == 1 || goes_on(x)) status = judge_list(x, UNIQUE_ESCAPED, 0, j);
	if (!status && !is_plain) status = judge_list(x, UNIQUE_PLAIN, 0, j);
	if (!status && is_plain) status = judge_groups(x, UNIQUE_PLAIN, close_item);
	return status ? status : judge_list(x, UNIQUE_IN_HOLDS, 0, read_token);
}

// In another string, inside an item's brackets. No bracket closes behind a key.
static gcdc_status restrict_inner_string(struct restricting *x)
{
	const struct here *h = &x->u->here;
	if (h->spelling.escape == 1) {
		gcdc_status status = judge_list(x, UNIQUE_PLAIN, 0, read_token);
		return status ? status : judge_list(x, UNIQUE_ESCAPED, 0, read_token);
	}
	gcdc_status status = judge_list(x, UNIQUE_IN_HOLDS, x->need, read_token);
	if (status || (x->u->levels[h->level].kind == '{' && h->key == GCDC_NONE)) return status;
	if (!h->spelling.escape && !h->spelling.high)
		status = judge_groups(x, UNIQUE_IN_CLOSE, read_token);
	else
		status = judge_list(x, UNIQUE_IN_CLOSE, x->need, read_token);
	return status ? status : judge_list(x, UNIQUE_IN_ESCAPED, x->need, read_token);
}

// ---- Outside of strings.
static gcdc_status restrict_outside(struct restricting *x, bool is_direct)
{
	gcdc_status status = is_direct ? judge_list(x, UNIQUE_OUT_HOLDS, 0, read_token) : GCDC_OK;
	if (is_direct && x->u->here.scalar == '0' && !status) status = judge_alike(x, UNIQUE_OUT_ENDS, ',');
	if (!x->need || status) return status;
	status = judge_list(x, UNIQUE_OUT_CLOSE, x->need, read_token);
	return status || x->need > 1 ? status : judge_alike(x, UNIQUE_OUT_PURE, x->u->levels[x->u->here.level].kind + 2);
}

// ---- Where some items are not endless.
static bool has_shape(const struct unique *u)
{
	uint32_t l = u->here.level;
	while (l != GCDC_NONE && !u->levels[l].shape) l = u->levels[l].around;
	return l != GCDC_NONE;
}

// Has the open item a part that no earlier one has? Then no other begins like it: keys come once, in order.
static bool item_is_new(const struct unique *u)
{
	const struct here *h = &u->here;
	uint32_t part = h->part;
	for (uint32_t l = h->level; !u->levels[l].shape; part = u->levels[l].part, l = u->levels[l].around)
		for (uint32_t p = part; p != GCDC_NONE; p = u->parts[p].before)
			if (u->parts[p].value >= h->n_old) return true;
	return false;
}

static gcdc_status take_row(struct restricting *x)
{
	if (x->row) return GCDC_OK;
	x->row = unique_row(x->m);
	if (x->row) sets_fill(x->m->artifact, x->list, x->row);
	return x->row ? GCDC_OK : GCDC_ERR_MEMORY;
}

// All tokens of the mask.
static gcdc_status judge_all(struct restricting *x, judge *j)
{
	const struct gcdc_artifact *a = x->m->artifact;
	gcdc_status status = take_row(x);
	for (uint32_t w = 0; w < a->info.mask_words && !status; w++)
		for (uint32_t bits = x->row[w]; bits && !status; bits &= bits - 1) {
			const uint32_t token = w * 32 + (uint32_t)__builtin_ctz(bits);
			if (token < a->info.n_tokens && a->token_offset[token + 1] > a->token_offset[token]) status = j(x, token);
		}
	return status;
}

#define SIGN_KEY 1u  // a comma and a quote

static uint32_t skip_blanks(const uint8_t *bytes, uint32_t len, uint32_t i)
{
	while (i < len && is_blank(bytes[i])) i++;
	return i;
}

// Outside of strings: the sign that a token is, but for blanks around it; ' ': blanks; 0: more.
static uint32_t sign_of(const uint8_t *bytes, uint32_t len)
{
	static const uint8_t signs[] = {',', ':', '{', '}', ']'};
	uint32_t i = skip_blanks(bytes, len, 0);
	if (i == len) return ' ';
	const uint8_t sign = bytes[i++];
	if (sign == '"') return i == len ? sign : 0;
	if (!memchr(signs, sign, sizeof signs)) return 0;
	i = skip_blanks(bytes, len, i);
	if (i == len) return sign;
	return sign == ',' && bytes[i] == '"' && i + 1 == len ? SIGN_KEY : 0;
}

// As read_token, outside of strings: of tokens with one sign the first is read for all; parts of a number of which
// enough are left need no look.
static gcdc_status read_sign(struct restricting *x, uint32_t token)
{
	if (!mask_has(x, token)) return GCDC_OK;
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	const uint32_t sign = sign_of(bytes, len);
	if (!sign && unique_number_goes_on(x->u, &x->number, bytes, len)) return GCDC_OK;
	if (!sign) return read_token(x, token);
	if (!x->of_sign[sign]) {
		bool is_double;
		gcdc_status status = unique_would_equal(x->m, bytes, len, &is_double);
		if (status) return status;
		x->of_sign[sign] = is_double ? SIGN_ENDS : SIGN_GOES_ON;
	}
	return x->of_sign[sign] == SIGN_ENDS ? leave_out(x, token) : GCDC_OK;
}

// Tokens that close an item inside of a string and open an object behind it.
static gcdc_status read_opening(struct restricting *x, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	return memchr(bytes, '{', len) ? read_token(x, token) : GCDC_OK;
}

// In a string that is endless: tokens that end it as one that is known, or go on to another value or object.
static gcdc_status restrict_endless_string(struct restricting *x)
{
	const struct spelling *s = &x->u->here.spelling;
	const bool is_plain = !s->escape && !s->high;
	gcdc_status status = judge_list(x, UNIQUE_ESCAPED, 0, read_token);
	if (status || !is_plain) return status ? status : judge_list(x, UNIQUE_PLAIN, 0, read_token);
	status = judge_groups(x, UNIQUE_PLAIN, read_token);
	if (!status) status = judge_list(x, UNIQUE_IN_HOLDS, 0, read_token);
	return status ? status : judge_list(x, UNIQUE_IN_CLOSE, 0, read_opening);
}

// Of a token with quotes: is one an escape's, and none the string's end? Not where it ends as a string that is known.
static bool is_escaped_on(const struct restricting *x, const uint8_t *bytes, uint32_t len)
{
	return memchr(bytes, '\\', len) && closed_value(x, bytes, len) == GCDC_NONE;
}

// Tokens that do not end the string, and behind which some string of the text still begins like it. escapes: those with
// an escaped quote, too.
static gcdc_status read_on(struct restricting *x, bool escapes)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct values *v = &x->u->values;
	bool is_next[256];
	for (uint32_t c = 0; c < 256; c++) is_next[c] = values_begin_so(v, value_hash(x->u->here.hash, (uint8_t)c));
	is_next['\\'] = true;  // an escape may stand for a byte
	gcdc_status status = GCDC_OK;
	for (uint32_t w = 0; w < a->info.mask_words && !status; w++)
		for (uint32_t bits = x->row[w]; bits && !status; bits &= bits - 1) {
			const uint32_t token = w * 32 + (uint32_t)__builtin_ctz(bits);
			uint32_t len;
			if (token >= a->info.n_tokens) continue;
			const uint8_t *bytes = token_at(a, token, &len);
			if (!len || !is_next[*bytes]) continue;
			if (!memchr(bytes, '"', len) || (escapes && is_escaped_on(x, bytes, len))) status = read_token(x, token);
		}
	return status;
}

// In a string that is an item and has an end: tokens that go on like some string, by their first byte; all that end it.
static gcdc_status restrict_counted_string(struct restricting *x)
{
	gcdc_status status = read_on(x, false);
	if (!status) status = judge_list(x, UNIQUE_PLAIN, 0, read_token);
	return status ? status : judge_list(x, UNIQUE_ESCAPED, 0, read_token);
}

static gcdc_status read_known(struct restricting *x, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = token_at(x->m->artifact, token, &len);
	return closed_value(x, bytes, len) == GCDC_NONE ? GCDC_OK : read_token(x, token);
}

// In a string inside of an item, of which some string of the text goes on like the open one: tokens that end it as one
// that is known, or may; all that go on to the next item.
static gcdc_status restrict_member_string(struct restricting *x, bool counts)
{
	gcdc_status status = judge_list(x, UNIQUE_ESCAPED, 0, read_known);
	if (!status) status = judge_groups(x, UNIQUE_PLAIN, read_token);
	if (!status) status = judge_list(x, UNIQUE_IN_NEXT, 0, read_token);
	return status || !counts ? status : read_on(x, true);
}

// Branches: a line for each kind of place.
static gcdc_status restrict_shaped(struct restricting *x)
{
	static const enum unique_list_of outside[] = {UNIQUE_OUT_HOLDS, UNIQUE_OUT_CLOSE, UNIQUE_OUT_PURE, UNIQUE_OUT_ENDS};
	const struct unique *u = x->u;
	const struct here *h = &u->here;
	gcdc_status status = take_row(x);
	if (status) return status;
	const bool is_string = h->scalar == '"', is_plain = !h->spelling.escape && !h->spelling.high;
	const bool counts = unique_byte_counts(x->m->artifact, u), is_direct = u->levels[h->level].unique == h->level;
	// In an item of this array, and in no such array inside of it.
	const bool is_inside = !is_direct && u->levels[u->levels[h->level].unique].shape && (!is_string || is_plain);
	x->u->alike_level = GCDC_NONE;
	if (is_inside && (item_is_new(u) || (is_string && !goes_on(x))))
		return judge_list(x, is_string ? UNIQUE_IN_NEXT : UNIQUE_OUT_NEXT, 0, read_token);
	if (!unique_note_alike(&x->m->artifact->memory, x->u)) return GCDC_ERR_MEMORY;
	if (is_string && is_inside) return restrict_member_string(x, counts);
	if (is_string && !counts) return restrict_endless_string(x);
	if (is_string && u->levels[h->level].kind == '[' && is_plain) return restrict_counted_string(x);
	x->number = unique_open_number(x->m->artifact, u);
	if (counts) return judge_all(x, is_string ? read_token : read_sign);
	for (uint32_t k = 0; k < 4 && !status; k++) status = judge_list(x, outside[k], 0, read_sign);
	return status;
}

// ---- All.
// With one text. How many brackets have to close before an item of some array ends? 0: none ends with brackets.
static gcdc_status restrict_text(struct restricting *x)
{
	const struct unique *u = x->u;
	const struct here *h = &u->here;
	const struct level *levels = u->levels;
	if (h->level == GCDC_NONE) return GCDC_ERR_INTERNAL;
	if (levels[h->level].unique == GCDC_NONE) return GCDC_OK;  // it is only told
	x->n_open = h->scalar == '"' ? u->values.n_bytes - h->written : 0;
	if (x->m->artifact->unique_info->n_shape_words && has_shape(u)) return restrict_shaped(x);
	uint32_t unique = levels[h->level].unique;
	const bool is_direct = unique == h->level;
	if (is_direct) unique = levels[unique].around == GCDC_NONE ? GCDC_NONE : levels[levels[unique].around].unique;
	x->need = unique == GCDC_NONE ? 0 : levels[h->level].depth - levels[unique].depth;
	if (h->scalar != '"') return restrict_outside(x, is_direct);
	if (!is_direct) return restrict_inner_string(x);
	const uint32_t need = x->need;
	x->need = 0;
	gcdc_status status = restrict_item_string(x);
	if (!status && need) status = judge_list(x, UNIQUE_IN_CLOSE, need, read_token);
	return status || !need ? status : judge_list(x, UNIQUE_IN_ESCAPED, need, read_token);
}

gcdc_status unique_restrict(struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	if (!unique_begin(m)) return GCDC_ERR_MEMORY;
	struct restricting x = {.m = m, .p = p, .list = list, .u = m->unique};
	bool is_in = false;
	for (uint32_t i = 0; i < p->n; i++) is_in |= p->at[i].columns != 0;
	gcdc_status status = unique_tells(m->artifact) ? told_restrict(m, p, list) : GCDC_OK;
	if (status) return status;
	if (p->n == 1 && is_in) {
		x.text = p->at[0].columns;
		status = unique_read(m, x.text);
		if (!status) status = restrict_text(&x);
	} else if (is_in && m->artifact->unique_info->n_shape_words) {
		status = judge_all(&x, step_token);
	} else if (is_in) {
		for (uint32_t k = 0; k < UNIQUE_LISTS && !status; k++) status = judge_list(&x, k, 0, step_token);
	}
	if (!status) status = judge_list(&x, UNIQUE_WHOLE, 0, step_token);
	unique_sort(&list->without);
	return status;
}

uint32_t *unique_row(struct gcdc_matcher *m)
{
	if (!unique_begin(m)) return NULL;
	if (!m->unique->row)
		m->unique->row = memory_resize(&m->artifact->memory, NULL, m->artifact->info.mask_words, sizeof(uint32_t));
	return m->unique->row;
}
