// JSON text (RFC 8259) to values that know where they stand.
//
// In:  a text. Out: a tree of struct json in the store's arena, or one message at the first thing that is wrong.
// Numbers stay as they are written, strings are decoded. Of equal keys the last counts, as everywhere; a warning says
// so. A byte order mark at the beginning is skipped. An explicit stack, SCHEMA_MAX_NESTING deep. Cost: linear; equal
// keys are looked for one by one in small objects, by hash in others.
#include "json.h"

#include "../base/intern.h"
#include "../shared/hex.h"
#include "../shared/utf8.h"
#include "decimal.h"
#include "schema.h"

// A list or an object whose end is not read.
struct open {
	struct json *v;
	uint32_t first;          // of its items or members
	struct intern keys;      // of its members, from FEW_MEMBERS on
	struct json_member key;  // read, its value is not
};

struct json_reader {
	struct json_store *s;
	const struct source *source;
	const char *text;
	uint32_t at, len;
	bool failed;
	VEC(struct open) open;
	VEC(struct json *) items;  // of all that is open, the outermost first
	VEC(struct json_member) members;
};

#define FEW_MEMBERS 16u

static void fail(struct json_reader *r, uint32_t at, uint32_t len, const char *what)
{
	if (r->failed) return;
	r->failed = true;
	if (at > r->len) at = r->len;
	diag_error(r->s->d, (struct loc){r->source, at, len}, "this is not JSON: %s", what);
}

static void skip_blanks(struct json_reader *r)
{
	for (; r->at < r->len; r->at++) {
		const char c = r->text[r->at];
		if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
	}
}

static uint32_t put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) return to[0] = (char)c, 1;
	if (c < 0x800) return to[0] = (char)(0xC0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
	if (c < 0x10000)
		return to[0] = (char)(0xE0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63)), to[2] = (char)(0x80 | (c & 63)), 3;
	to[0] = (char)(0xF0 | c >> 18), to[1] = (char)(0x80 | (c >> 12 & 63));
	return to[2] = (char)(0x80 | (c >> 6 & 63)), to[3] = (char)(0x80 | (c & 63)), 4;
}

// ASCII that stands for itself.
static bool is_plain(char c) { return (uint8_t)c - 0x20u < 0x60 && c != '"' && c != '\\'; }

// Where bytes that stand for themselves end. Eight at a time: a high bit marks a byte below 0x20 or above 0x7F, a quote
// or a backslash, or one behind such a byte (Bit Twiddling Hacks, "Determine if a word has a byte equal to n").
static uint32_t plain_end(const struct json_reader *r, uint32_t at)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
	for (uint64_t w; at + sizeof w <= r->len; at += (uint32_t)sizeof w) {
		memcpy(&w, r->text + at, sizeof w);
		const uint64_t quote = w ^ '"' * ones, slash = w ^ '\\' * ones;
		if ((w | (w - 0x20 * ones) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & high) break;
	}
	while (at < r->len && is_plain(r->text[at])) at++;
	return at;
}

// At the opening quote. False, and nothing is read, where some character does not stand for itself.
static bool read_plain(struct json_reader *r, const char **text, uint32_t *len, struct loc *loc)
{
	const uint32_t from = r->at, end = plain_end(r, from + 1);
	if (end >= r->len || r->text[end] != '"') return false;
	*text = arena_strndup(r->s->arena, r->text + from + 1, end - from - 1), *len = end - from - 1;
	*loc = (struct loc){r->source, from, end + 1 - from};
	r->at = end + 1;
	return true;
}

// At the opening quote.
// Branches: plain characters, escapes of one letter and pairs of \\u, each of which may be broken.
static bool read_string(struct json_reader *r, const char **text, uint32_t *len, struct loc *loc)
{
	if (read_plain(r, text, len, loc)) return true;
	uint32_t from = r->at++, end = plain_end(r, r->at), n = 0;
	while (end < r->len && r->text[end] != '"') end = plain_end(r, end + (r->text[end] == '\\' ? 2 : 1));
	char *out = arena_alloc(r->s->arena, (size_t)(end < r->len ? end : r->len) - from + 8);
	for (;;) {
		const uint32_t plain = plain_end(r, r->at) - r->at;
		memcpy(out + n, r->text + r->at, plain);
		n += plain, r->at += plain;
		if (r->at >= r->len) return fail(r, from, 1, "this string does not end"), false;
		char c = r->text[r->at];
		if (c == '"') break;
		if ((uint8_t)c < 0x20)
			return fail(r, r->at, 1, "a control character in a string; write it as \\n, \\t or \\u00XX"), false;
		if (c != '\\') {
			uint32_t k = utf8_measure(r->text + r->at, r->len - r->at);
			if (!k) return fail(r, r->at, 1, "these bytes are not UTF-8"), false;
			memcpy(out + n, r->text + r->at, k);
			n += k, r->at += k;
			continue;
		}
		char e = r->at + 1 < r->len ? r->text[r->at + 1] : 0;
		static const char from_letter[] = "\"\\/bfnrt", to_letter[] = "\"\\/\b\f\n\r\t";
		const char *known = e ? strchr(from_letter, e) : NULL;
		if (known) {
			out[n++] = to_letter[known - from_letter];
			r->at += 2;
			continue;
		}
		int64_t unit = e == 'u' && r->at + 6 <= r->len ? hex_number(r->text + r->at + 2, 4) : -1;
		if (unit < 0) return fail(r, r->at, 2, "JSON has no such escape"), false;
		r->at += 6;
		uint32_t cp = (uint32_t)unit;
		if (cp >= 0xD800 && cp < 0xDC00 && r->at + 6 <= r->len && r->text[r->at] == '\\' && r->text[r->at + 1] == 'u') {
			int64_t low = hex_number(r->text + r->at + 2, 4);
			if (low >= 0xDC00 && low < 0xE000)
				cp = 0x10000 + ((cp - 0xD800) << 10) + ((uint32_t)low - 0xDC00), r->at += 6;
		}
		n += put_utf8(out + n, cp);
	}
	r->at++;
	*text = out, *len = n;
	*loc = (struct loc){r->source, from, r->at - from};
	return true;
}

static uint32_t digits(const struct json_reader *r, uint32_t at)
{
	while (at < r->len && r->text[at] >= '0' && r->text[at] <= '9') at++;
	return at;
}

static bool read_number(struct json_reader *r, struct json *v)
{
	uint32_t from = r->at, at = r->at;
	if (at < r->len && r->text[at] == '-') at++;
	uint32_t end = digits(r, at);
	if (end == at) return fail(r, from, 1, "a value was expected"), false;
	if (r->text[at] == '0' && end > at + 1) return fail(r, from, end - from, "a number does not begin with 0"), false;
	at = end;
	if (at < r->len && r->text[at] == '.') {
		end = digits(r, at + 1);
		if (end == at + 1) return fail(r, from, end - from, "digits are missing behind the point"), false;
		at = end;
	}
	if (at < r->len && (r->text[at] == 'e' || r->text[at] == 'E')) {
		uint32_t sign = at + 1 < r->len && (r->text[at + 1] == '+' || r->text[at + 1] == '-');
		end = digits(r, at + 1 + sign);
		if (end == at + 1 + sign) return fail(r, from, end - from, "digits are missing in the exponent"), false;
		at = end;
	}
	v->kind = JSON_NUMBER;
	v->text = arena_strndup(r->s->arena, r->text + from, at - from), v->len = at - from;
	v->loc = (struct loc){r->source, from, at - from};
	r->at = at;
	return true;
}

static struct json *new_value(struct json_reader *r, const struct json *up)
{
	struct json *v = arena_alloc(r->s->arena, sizeof *v);
	if (r->s->n >= SCHEMA_MAX_VALUES) work_too_large("SCHEMA_MAX_VALUES", SCHEMA_MAX_VALUES);
	v->number = r->s->n++, v->up = up;
	return v;
}

static bool read_word(struct json_reader *r, struct json *v)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
	for (size_t i = 0; i < 3; i++) {
		uint32_t n = (uint32_t)strlen(words[i].word);
		if (r->len - r->at < n || memcmp(r->text + r->at, words[i].word, n) != 0) continue;
		v->kind = words[i].kind, v->loc = (struct loc){r->source, r->at, n};
		r->at += n;
		return true;
	}
	return read_number(r, v);
}

// The member whose key is the open one's; the number of members: there is none.
static uint32_t find_key(const struct json_reader *r, struct open *o)
{
	const struct json_member *m = r->members.at + o->first;
	const uint32_t n = r->members.n - o->first;
	uint32_t i = 0;
	if (n < FEW_MEMBERS) {
		while (i < n && (m[i].key_len != o->key.key_len || memcmp(m[i].key, o->key.key, m[i].key_len) != 0)) i++;
		return i;
	}
	for (i = o->keys.entries.n; i < n; i++) intern_add(&o->keys, m[i].key, m[i].key_len, NULL);
	return intern_add(&o->keys, o->key.key, o->key.key_len, NULL);
}

static void put_in(struct json_reader *r, struct json *v)
{
	struct open *o = &r->open.at[r->open.n - 1];
	if (o->v->kind == JSON_ARRAY) {
		vec_push(&r->items, v);
		return;
	}
	const uint32_t at = o->first + find_key(r, o);
	o->key.value = v;
	if (at == r->members.n) {
		vec_push(&r->members, o->key);
		return;
	}
	diag_warning(r->s->d, o->key.key_loc, "the key \"%s\" comes twice; the last counts [schema-key]", o->key.key);
	r->members.at[at].value = v;
}

static void close_value(struct json_reader *r)
{
	struct open o = vec_pop(&r->open);
	struct json *v = o.v;
	v->loc = (struct loc){r->source, v->loc.offset, r->at - v->loc.offset};
	if (v->kind == JSON_ARRAY) {
		v->n = r->items.n - o.first;
		v->items = arena_copy(r->s->arena, r->items.at + o.first, v->n * sizeof *v->items);
		r->items.n = o.first;
	} else {
		v->n = r->members.n - o.first;
		v->members = arena_copy(r->s->arena, r->members.at + o.first, v->n * sizeof *v->members);
		r->members.n = o.first;
	}
	intern_release(&o.keys);
}

// The key and its colon; the place is behind them.
static bool read_key(struct json_reader *r)
{
	struct open *o = &r->open.at[r->open.n - 1];
	if (r->at >= r->len || r->text[r->at] != '"') return fail(r, r->at, 1, "a key in quotes was expected"), false;
	if (!read_string(r, &o->key.key, &o->key.key_len, &o->key.key_loc)) return false;
	skip_blanks(r);
	if (r->at >= r->len || r->text[r->at] != ':') return fail(r, r->at, 1, "\":\" was expected"), false;
	r->at++;
	return true;
}

// At the begin of a list or object, which is opened. *expects_value: behind it.
static bool open_value(struct json_reader *r, struct json *v, bool *expects_value)
{
	const char c = r->text[r->at], close = c == '{' ? '}' : ']';
	v->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
	v->loc = (struct loc){r->source, r->at++, 1};
	if (r->open.n) put_in(r, v);
	if (r->open.n == SCHEMA_MAX_NESTING) {
		diag_error(r->s->d, v->loc, "nested deeper than SCHEMA_MAX_NESTING (%u)", SCHEMA_MAX_NESTING);
		r->failed = true;
		return false;
	}
	vec_push(&r->open, ((struct open){.v = v, .first = c == '{' ? r->members.n : r->items.n}));
	skip_blanks(r);
	const bool is_empty = r->at < r->len && r->text[r->at] == close;  // closed as what is behind the last entry
	*expects_value = !is_empty && (c == '[' || read_key(r));
	return true;
}

// Where a value is expected. False: none can be read.
static bool read_value(struct json_reader *r, struct json **root, bool *expects_value)
{
	if (r->at >= r->len) return fail(r, r->at, 0, "a value was expected, the text ends"), false;
	const char c = r->text[r->at];
	struct json *v = new_value(r, r->open.n ? r->open.at[r->open.n - 1].v : NULL);
	if (!*root) *root = v;
	if (c == '{' || c == '[') return open_value(r, v, expects_value);
	if (c == '"') {
		v->kind = JSON_STRING;
		if (!read_string(r, &v->text, &v->len, &v->loc)) return false;
	} else if (!read_word(r, v)) {
		return false;
	}
	if (r->open.n) put_in(r, v);
	*expects_value = false;
	return true;
}

// Behind a value: a comma, or the end of what holds it. False: the text is whole, or wrong.
static bool read_behind(struct json_reader *r, bool *expects_value)
{
	if (!r->open.n) {
		if (r->at < r->len) fail(r, r->at, 1, "text stands behind the end of the value");
		return false;
	}
	const char c = r->at < r->len ? r->text[r->at] : 0;
	const bool is_object = r->open.at[r->open.n - 1].v->kind == JSON_OBJECT;
	if (c == (is_object ? '}' : ']')) {
		r->at++;
		close_value(r);
		return true;
	}
	if (c != ',') {
		fail(r, r->at, 1, is_object ? "\",\" or \"}\" was expected" : "\",\" or \"]\" was expected");
		return false;
	}
	r->at++;
	skip_blanks(r);
	*expects_value = !is_object || read_key(r);
	return true;
}

struct json *json_read(struct json_store *s, const struct source *source)
{
	struct json_reader r = {.s = s, .source = source, .text = source->text, .len = (uint32_t)source->len};
	struct json *root = NULL;
	if (source->len > SCHEMA_MAX_BYTES) {
		diag_error(s->d, (struct loc){source, 0, 0}, "longer than SCHEMA_MAX_BYTES (%u)", SCHEMA_MAX_BYTES);
		return NULL;
	}
	if (r.len >= 3 && memcmp(r.text, "\xEF\xBB\xBF", 3) == 0) r.at = 3;
	bool expects_value = true, goes_on = true;
	while (goes_on && !r.failed) {
		skip_blanks(&r);
		if (expects_value)
			goes_on = read_value(&r, &root, &expects_value);
		else
			goes_on = read_behind(&r, &expects_value);
	}
	while (r.open.n) intern_release(&vec_pop(&r.open).keys);
	vec_release(&r.open), vec_release(&r.items), vec_release(&r.members);
	return r.failed ? NULL : root;
}

static struct json *json_get_n(const struct json *v, const char *key, size_t len)
{
	for (uint32_t i = 0; v && v->kind == JSON_OBJECT && i < v->n; i++)
		if (v->members[i].key_len == len && memcmp(v->members[i].key, key, len) == 0) return v->members[i].value;
	return NULL;
}

struct json *json_get(const struct json *v, const char *key) { return json_get_n(v, key, strlen(key)); }

bool json_is(const struct json *v, const char *text)
{
	return v && v->kind == JSON_STRING && v->len == strlen(text) && memcmp(v->text, text, v->len) == 0;
}

// Branches: one case for each kind of value.
bool json_equal(const struct json *a, const struct json *b)
{
	if (a->kind != b->kind) return false;
	switch (a->kind) {
	case JSON_NUMBER: {
		struct decimal x, y;
		bool known = decimal_read(a->text, a->len, &x) && decimal_read(b->text, b->len, &y);
		if (!known) return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
		return decimal_compare(&x, &y) == 0;
	}
	case JSON_STRING: return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
	case JSON_ARRAY:
		if (a->n != b->n) return false;
		for (uint32_t i = 0; i < a->n; i++)
			if (!json_equal(a->items[i], b->items[i])) return false;
		return true;
	case JSON_OBJECT:
		if (a->n != b->n) return false;
		for (uint32_t i = 0; i < a->n; i++) {
			const struct json *other = json_get_n(b, a->members[i].key, a->members[i].key_len);
			if (!other || !json_equal(a->members[i].value, other)) return false;
		}
		return true;
	default: return true;
	}
}

typedef VEC(char) text_list;

// The step that leads to the value, from its end to its slash.
static void put_step_backwards(const struct json *v, text_list *out)
{
	uint32_t i = 0;
	if (v->up->kind == JSON_ARRAY) {
		while (v->up->items[i] != v) i++;
		do vec_push(out, (char)('0' + i % 10));
		while (i /= 10);
	} else {
		const struct json_member *m = v->up->members;
		while (m->value != v) m++;
		for (i = m->key_len; i-- > 0;) {
			const char c = m->key[i];
			const bool is_escaped = c == '~' || c == '/';
			vec_push(out, is_escaped ? (c == '~' ? '0' : '1') : c);
			if (is_escaped) vec_push(out, '~');
		}
	}
	vec_push(out, '/');
}

const char *json_pointer(const struct json *v, struct arena *arena)
{
	text_list text = {0};
	for (; v->up; v = v->up) put_step_backwards(v, &text);
	char *out = arena_alloc(arena, (size_t)text.n + 1);
	for (uint32_t i = 0; i < text.n; i++) out[i] = text.at[text.n - 1 - i];
	vec_release(&text);
	return out;
}

// Branches: a pointer's steps are unescaped, then lead into a list or an object.
struct json *json_at(struct json *v, const char *pointer, size_t len)
{
	size_t at = 0;
	char *key = mem_alloc(len + 1);
	while (v && at < len) {
		size_t n = 0;
		if (pointer[at++] != '/') v = NULL;
		while (at < len && pointer[at] != '/') {
			if (pointer[at] == '~' && at + 1 < len && (pointer[at + 1] == '0' || pointer[at + 1] == '1'))
				key[n++] = pointer[at + 1] == '0' ? '~' : '/', at += 2;
			else
				key[n++] = pointer[at++];
		}
		if (v && v->kind == JSON_ARRAY) {
			key[n] = 0;
			unsigned long i = n && n < 9 ? strtoul(key, NULL, 10) : UINT32_MAX;
			v = i < v->n ? v->items[i] : NULL;
		} else if (v) {
			v = json_get_n(v, key, n);
		}
	}
	free(key);
	return v;
}
