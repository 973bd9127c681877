// Control tokens by name, id and range.
//
// In:  what a notation writes between < and >, the tokens of the tokenizer that may be named.
// Out: ids, or an error that says what is wrong, with the nearest names.
// Which tokens may be named is the tokenizer's to say: special ones and other added ones. Those that end a text are the
// end of the language, not a part of it. Cost: a walk over the names; O(ids).
#include "grammar.h"

#include "../base/guess.h"

static const struct control_token *by_id(const struct control_tokens *c, uint32_t id)
{
	uint32_t low = 0, high = c->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->at[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n && c->at[low].id == id ? &c->at[low] : NULL;
}

// Why the token may not be named, or NULL; `is_alone`: not in a range, which leaves such tokens out.
static const char *obstacle(const struct control_tokens *c, uint32_t id, bool is_alone, struct arena *a)
{
	if (!c) return NULL;
	if (id >= c->n_tokens)
		return arena_printf(a, "the tokenizer %s has no token %u: its ids are 0 to %u", c->tokenizer, id,
		                    c->n_tokens - 1);
	if (!is_alone) return NULL;
	const struct control_token *t = by_id(c, id);
	if (!t)
		return arena_printf(a,
		                    "token %u of %s is text, or not used: only special tokens and added tokens may be named. "
		                    "Write its text as a string",
		                    id, c->tokenizer);
	if (!t->is_eos) return NULL;
	return arena_printf(a,
	                    "token %u, %s, ends the text (EOS): it comes behind whole texts by itself, and no rule names "
	                    "it. If it stands inside texts, say what ends them with --eos",
	                    id, t->name ? t->name : "without a name");
}

static bool add_id(const struct control_tokens *c, uint32_t id, bool is_alone, struct loc loc, struct diag *d,
                   control_ids *ids)
{
	const char *why = obstacle(c, id, is_alone, &d->arena);
	if (!why && ids->n >= CONTROL_MAX_IDS)
		why = arena_printf(&d->arena, "more than %u tokens at once (CONTROL_MAX_IDS)", CONTROL_MAX_IDS);
	if (why) {
		diag_error(d, loc, "%s", why);
		return false;
	}
	const struct control_token *t = c ? by_id(c, id) : NULL;
	if (!c || (t && !t->is_eos)) vec_push(ids, id);
	return true;
}

static bool read_number(const char *text, size_t len, size_t *at, uint32_t *value)
{
	uint64_t x = 0;
	size_t begin = *at;
	while (*at < len && text[*at] >= '0' && text[*at] <= '9' && x < 1u << 30)
		x = x * 10 + (uint64_t)(text[(*at)++] - '0');
	*value = (uint32_t)x;
	return *at > begin && x < 1u << 22;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void sort_ids(control_ids *ids)
{
	uint32_t kept = 0;
	if (ids->n) qsort(ids->at, ids->n, sizeof *ids->at, by_number);
	for (uint32_t i = 0; i < ids->n; i++)
		if (!kept || ids->at[kept - 1] != ids->at[i]) ids->at[kept++] = ids->at[i];
	ids->n = kept;
}

// 7 or 10-20, and the sign behind it: a comma, or the bracket that ends all.
static bool read_range(const char *text, size_t len, size_t *at, uint32_t *from, uint32_t *to)
{
	if (!read_number(text, len, at, from)) return false;
	*to = *from;
	if (*at < len && text[*at] == '-') {
		++*at;
		if (!read_number(text, len, at, to) || *to < *from) return false;
	}
	return *at < len && (text[*at] == ',' || (text[*at] == ']' && *at + 1 == len));
}

// [3,10-20]: of a range those that may be named.
static bool read_ids(const struct control_tokens *c, const char *text, size_t len, struct loc loc, struct diag *d,
                     control_ids *ids)
{
	bool ok = true;
	for (size_t at = 1; ok && at < len; at++) {
		uint32_t from, to;
		if (!read_range(text, len, &at, &from, &to)) {
			diag_error(d, loc, "ids of control tokens are written <[7]>, <[3,10-20]>");
			return false;
		}
		if (to - from >= CONTROL_MAX_IDS) {
			diag_error(d, loc, "a range of more than %u tokens (CONTROL_MAX_IDS)", CONTROL_MAX_IDS);
			return false;
		}
		for (uint32_t id = from; ok && id <= to; id++) ok = add_id(c, id, from == to, loc, d, ids);
	}
	sort_ids(ids);
	if (ok && !ids->n)
		diag_error(d, loc, "no token in %.*s may be named: they are text, end texts, or are not used", (int)len, text);
	return ok && ids->n;
}

// Some names, for who has guessed none of them.
static void note_names(const char *const *names, uint32_t n, struct diag *d)
{
	const char *some = "";
	for (uint32_t i = 0; i < n && i < 8; i++) some = arena_printf(&d->arena, "%s%s%s", some, i ? ", " : "", names[i]);
	diag_note(d, (struct loc){0}, "%s%s%s", n ? "it has " : "it has no special or added tokens", some,
	          n > 8 ? ", ..." : "");
}

static void not_found(const struct control_tokens *c, const char *name, struct loc loc, struct diag *d)
{
	VEC(const char *) names = {0};
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].name) vec_push(&names, c->at[i].name);
	const char *near = guess_name(name, names.at, names.n);
	if (!names.n && c->n) {
		diag_error(d, loc,
		           "the control token %s: the tokenizer %s is given without the names of its tokens; write the id, "
		           "<[%u]>, or give its tokenizer.json",
		           name, c->tokenizer, c->at[0].id);
	} else {
		diag_error(d, loc, "the tokenizer %s has no control token %s%s%s%s", c->tokenizer, name,
		           near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		if (!near) note_names(names.at, names.n, d);
	}
	vec_release(&names);
}

static bool is_id_list(const char *text, size_t len)
{
	return len > 1 && text[0] == '[' && ((text[1] >= '0' && text[1] <= '9') || text[1] == ']');
}

bool control_parse(const struct control_tokens *c, const char *text, size_t len, struct loc loc, struct diag *d,
                   control_ids *ids)
{
	if (is_id_list(text, len)) return read_ids(c, text, len, loc, d, ids);
	bool quoted = len >= 2 && text[0] == '"' && text[len - 1] == '"';
	// Without quotes < and > are of the name.
	const char *name = arena_strndup(&d->arena, quoted ? text + 1 : text - 1, quoted ? len - 2 : len + 2);
	if (!c) {
		diag_error(d, loc, "the control token %s: no tokenizer is known here that has names; write its id, <[7]>",
		           name);
		return false;
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].name && !strcmp(c->at[i].name, name)) return add_id(c, c->at[i].id, true, loc, d, ids);
	not_found(c, name, loc, d);
	return false;
}

// ---- What a grammar names

static void collect(const struct term *t, control_ids *ids)
{
	for (uint32_t i = 0; i < t->n_children; i++) collect(t->children[i], ids);
	if (t->kind != TERM_CONTROL) return;
	const uint32_t *own = (const void *)t->text;
	for (uint32_t i = 0; i < t->text_len / sizeof *own; i++) vec_push(ids, own[i]);
}

void grammar_control(const struct grammar *g, control_ids *ids)
{
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].pattern) collect(g->terminals[t].pattern, ids);
	sort_ids(ids);
}

static bool has_control(const struct term *t, uint32_t token)
{
	control_ids ids = {0};
	collect(t, &ids);
	bool found = false;
	for (uint32_t i = 0; i < ids.n; i++) found |= ids.at[i] == token;
	vec_release(&ids);
	return found;
}

struct loc grammar_control_loc(const struct grammar *g, uint32_t token)
{
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].pattern && has_control(g->terminals[t].pattern, token)) return grammar_terminal_loc(g, t);
	return (struct loc){0};
}
