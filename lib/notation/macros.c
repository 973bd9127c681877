// The macros of XGrammar's EBNF: Regex("..."), Substring("...", ...), TagDispatch(("...", rule), ...), Token(7), ...
//
// In:  the text behind a macro's name. Out: the piece that the call stands for. Arguments are strings, numbers, true
// and false, names of rules, and lists of these in brackets; `name=` before one gives it a name. Token, ExcludeToken
// and TokenTagDispatch name control tokens (docs/language.md), and text tokens as a whole. Lists nest
// NOTATION_MAX_NESTING deep. Cost: linear; Substring: texts with equal endings in it, together.
#include <inttypes.h>

#include "ebnf.h"
#include "free_text.h"
#include "pattern.h"

#define SUBSTRING_MAX_PLACES (16u << 20)  // of equal texts in a Substring, together

enum value_kind { VALUE_TEXT, VALUE_NUMBER, VALUE_BOOL, VALUE_NAME, VALUE_LIST };
struct value {
	enum value_kind kind;
	const char *named;  // `named=` before it, or NULL
	const char *text;   // TEXT, NAME
	size_t len;
	uint64_t number;  // NUMBER, BOOL
	struct value *item;
	uint32_t n;
	size_t from;
};
typedef VEC(struct value) values;

// ---- Arguments

static void read_string(struct cursor *p, struct value *v)
{
	VEC(char) bytes = {0};
	p->at++;
	while (!p->failed && peek(p) != '"') {
		if (p->at >= p->len || peek(p) == '\n' || peek(p) == '\r')
			fail(p, v->from, "this string has no closing \" on its line");
		char utf8[4];
		size_t begin = p->at;
		uint32_t c = p->failed ? 0 : ebnf_read_char(p, false);
		if (is_no_character(c)) fail(p, begin, "U+%04X is no character, and strings of macros hold characters", c);
		uint32_t n = p->failed ? 0 : utf8_write(utf8, c);
		for (uint32_t i = 0; i < n; i++) vec_push(&bytes, utf8[i]);
	}
	p->at += !p->failed;
	v->kind = VALUE_TEXT;
	v->len = bytes.n;
	v->text = arena_strndup(&p->r->arena, bytes.n ? bytes.at : "", bytes.n);
	vec_release(&bytes);
}

static void read_values(struct cursor *p, bool in_list, values *out);

static void read_list(struct cursor *p, struct value *v)
{
	if (++p->nesting > NOTATION_MAX_NESTING)
		fail(p, v->from, "lists nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	values items = {0};
	read_values(p, true, &items);
	v->kind = VALUE_LIST, v->n = items.n;
	v->item = arena_array(&p->r->arena, items.n, sizeof *v->item);
	if (items.n) memcpy(v->item, items.at, items.n * sizeof *v->item);
	vec_release(&items);
	p->nesting--;
}

static bool is_word(const struct value *v, const char *word)
{
	return v->len == strlen(word) && !memcmp(v->text, word, v->len);
}

static void read_value(struct cursor *p, struct value *v)
{
	char c = peek(p);
	size_t end = ebnf_name_end(p, p->at);
	if (c == '"') {
		read_string(p, v);
	} else if (c == '(') {
		read_list(p, v);
	} else if (c >= '0' && c <= '9') {
		v->kind = VALUE_NUMBER;
		for (; peek(p) >= '0' && peek(p) <= '9'; p->at++)
			v->number = v->number > UINT32_MAX ? v->number : v->number * 10 + (uint32_t)(peek(p) - '0');
	} else if (end > p->at) {
		v->kind = VALUE_NAME, v->text = p->text + p->at, v->len = end - p->at;
		p->at = end;
		if (is_word(v, "true") || is_word(v, "false")) v->kind = VALUE_BOOL, v->number = is_word(v, "true");
	} else
		fail(p, v->from, "a string, a number, true, false, a rule's name or a list in brackets is expected here");
	ebnf_skip_space(p);
}

// From the '(' to behind the ')'.
static void read_values(struct cursor *p, bool in_list, values *out)
{
	size_t from = p->at++;
	ebnf_skip_space(p);
	while (!p->failed && peek(p) != ')') {
		struct value v = {.from = p->at};
		read_value(p, &v);
		if (!p->failed && !in_list && v.kind == VALUE_NAME && peek(p) == '=') {
			const char *name = arena_strndup(&p->r->arena, v.text, v.len);
			p->at++;
			ebnf_skip_space(p);
			v = (struct value){.from = p->at};
			read_value(p, &v);
			v.named = name;
		}
		vec_push(out, v);
		if (p->failed || peek(p) == ')') break;
		if (peek(p) != ',') fail(p, p->at, "',' or ')' is expected here");
		p->at++;
		ebnf_skip_space(p);
		if (!p->failed && peek(p) == ')' && !in_list) fail(p, p->at, "an argument is expected behind ','");
	}
	if (!p->failed && p->at >= p->len) fail(p, from, "this '(' needs its ')'");
	p->at += !p->failed;
}

// The argument of this name, NULL: there is none. Of another kind: an error.
static const struct value *named(struct cursor *p, const values *all, const char *name, enum value_kind kind)
{
	const struct value *found = NULL;
	for (uint32_t i = 0; i < all->n; i++)
		if (all->at[i].named && !strcmp(all->at[i].named, name)) found = &all->at[i];
	if (found && found->kind != kind)
		fail(p, found->from, "%s must be %s", name,
		     kind == VALUE_BOOL   ? "true or false"
		     : kind == VALUE_TEXT ? "a string"
		                          : "a list in brackets");
	return p->failed ? NULL : found;
}

// Arguments without a name must be `kind`, those with one of `names`.
static void check_arguments(struct cursor *p, const values *all, enum value_kind kind, const char *names)
{
	static const char *const kind_name[] = {"a string", "a number of a token", "", "", "a pair in brackets"};
	for (uint32_t i = 0; i < all->n; i++) {
		const struct value *v = &all->at[i];
		if (!v->named && v->kind != kind) fail(p, v->from, "%s is expected here", kind_name[kind]);
		if (v->named && !strstr(names, arena_printf(&p->r->arena, " %s ", v->named)))
			fail(p, v->from, "there is no argument %s here%s%s", v->named, *names ? "; there are" : "", names);
	}
}

// ---- Macros

static piece_id regex_macro(struct cursor *p, const values *all)
{
	check_arguments(p, all, VALUE_TEXT, " json_string flags ");
	const struct value *json = named(p, all, "json_string", VALUE_BOOL), *flags = named(p, all, "flags", VALUE_TEXT);
	struct pattern pattern = {
		.dialect = PATTERN_MACRO, .in_json_string = json && json->number, .dot_ends_lines = flags != NULL};
	const struct value *text = NULL;
	for (uint32_t i = 0; i < all->n; i++)
		if (!all->at[i].named) {
			if (text) fail(p, all->at[i].from, "Regex takes one string");
			text = &all->at[i];
		}
	if (!text) fail(p, p->at - 1, "Regex needs a string");
	for (const char *f = flags ? flags->text : ""; *f && !p->failed; f++) {
		if (*f == 'i')
			pattern.folds = true;
		else if (*f == 's')
			pattern.dot_ends_lines = false;
		else if (*f != 'u')
			fail(p, flags->from, "the flag '%c' is not supported: i, s and u are", *f);
	}
	piece_id out = 0;
	if (p->failed) return 0;
	pattern.text = text->text, pattern.len = text->len, pattern.loc = cursor_loc(p, text->from, text->from + 1);
	if (!pattern_read(p->r, &pattern, p->r->diag, &out)) p->failed = true;
	return out;
}

// Places in the chunks, one behind another; a set of them is a state, places where a chunk ends make it accept.
struct substring {
	const char *text;
	uint32_t len, n_places;
	const bool *ends;  // [len + 1]
	struct intern sets;
	VEC(struct language_edge) edges;
};

static uint32_t state_of(struct substring *x, const uint32_t *places, uint32_t n)
{
	bool is_new;
	uint32_t q = intern_add(&x->sets, places, n * sizeof *places, &is_new);
	if (is_new) x->n_places += n;
	if (x->n_places > SUBSTRING_MAX_PLACES) work_too_large("SUBSTRING_MAX_PLACES", SUBSTRING_MAX_PLACES);
	return q;
}

static void add_edges(struct substring *x, uint32_t state)
{
	uint32_t size;
	const void *set = intern_get(&x->sets, state, &size);
	uint32_t n = (uint32_t)(size / sizeof(uint32_t)), *places = mem_alloc(size + 1), *to = mem_alloc(size + 1);
	memcpy(places, set, size);
	for (uint32_t b = 1; b < 256; b++) {
		uint32_t k = 0;
		for (uint32_t i = 0; i < n; i++)
			if (places[i] < x->len && (uint8_t)x->text[places[i]] == b) to[k++] = places[i] + 1;
		if (!k) continue;
		uint32_t next = state_of(x, to, k);
		vec_push(&x->edges, ((struct language_edge){state, next, (uint8_t)b, (uint8_t)b}));
	}
	free(places), free(to);
}

// All runs of chunks: the subset construction (Rabin and Scott 1959) over places, from all of them.
static piece_id substring_macro(struct cursor *p, const values *all)
{
	check_arguments(p, all, VALUE_TEXT, "");
	VEC(char) text = {0};
	for (uint32_t i = 0; i < all->n && !p->failed; i++)
		for (size_t k = 0; k < all->at[i].len; k++) vec_push(&text, all->at[i].text[k]);
	bool *ends = mem_calloc(text.n + 1, sizeof *ends);
	ends[0] = true;
	for (uint32_t i = 0, at = 0; i < all->n && !p->failed; i++) ends[at += (uint32_t)all->at[i].len] = true;
	struct substring x = {.text = text.at, .len = text.n, .ends = ends};
	VEC(uint32_t) start = {0};
	for (uint32_t i = 0; i <= text.n; i++)
		if (ends[i]) vec_push(&start, i);
	state_of(&x, start.at, start.n);
	for (uint32_t q = 0; q < x.sets.entries.n; q++) add_edges(&x, q);
	bool *accept = mem_calloc(x.sets.entries.n, sizeof *accept);
	for (uint32_t q = 0; q < x.sets.entries.n; q++) {
		uint32_t size;
		const uint32_t *places = intern_get(&x.sets, q, &size);
		for (uint32_t i = 0; i < size / sizeof *places; i++) accept[q] |= ends[places[i]];
	}
	struct parts parts = {.r = p->r, .loc = cursor_loc(p, p->at - 1, p->at)};
	language l = language_of_automaton(rules_languages(p->r), x.sets.entries.n, accept, x.edges.at, x.edges.n);
	free(ends), free(accept);
	vec_release(&start), vec_release(&text), vec_release(&x.edges);
	intern_release(&x.sets);
	return parts_language(&parts, l);
}

// Its number; an error where it cannot be named.
static uint32_t token_named(struct cursor *p, const struct parts *parts, const struct value *v)
{
	const char *said = arena_printf(&p->r->arena, "[%" PRIu64 "]", v->number);
	const uint32_t id = v->number > UINT32_MAX ? UINT32_MAX : (uint32_t)v->number;
	const char *why = one_token_obstacle(parts, id);
	piece_id unused;
	if (why) fail(p, v->from, "%s", why);
	if (!p->failed && !token_is_whole(parts, id) &&
	    !piece_control(p->r, said, strlen(said), cursor_loc(p, v->from, v->from + 1), &unused))
		p->failed = true;
	return id;
}

static piece_id token_macro(struct cursor *p, const values *all)
{
	check_arguments(p, all, VALUE_NUMBER, "");
	if (!all->n) fail(p, p->at - 1, "Token needs the number of a token");
	struct parts parts = {.r = p->r, .loc = cursor_loc(p, all->n ? all->at[0].from : p->at, p->at)};
	uint32_t *ids = arena_array(&p->r->arena, all->n, sizeof *ids);
	for (uint32_t i = 0; i < all->n && !p->failed; i++) ids[i] = token_named(p, &parts, &all->at[i]);
	return p->failed ? 0 : one_token(&parts, ids, all->n);
}

static piece_id exclude_token_macro(struct cursor *p, const values *all)
{
	check_arguments(p, all, VALUE_NUMBER, "");
	struct parts parts = {.r = p->r, .loc = cursor_loc(p, all->n ? all->at[0].from : p->at, p->at)};
	uint32_t *ids = arena_array(&p->r->arena, all->n, sizeof *ids);
	for (uint32_t i = 0; i < all->n && !p->failed; i++) {
		ids[i] = all->at[i].number > UINT32_MAX ? UINT32_MAX : (uint32_t)all->at[i].number;
		const char *why = free_token_obstacle(&parts, ids[i]);
		if (why) fail(p, all->at[i].from, "%s", why);
	}
	return p->failed ? 0 : free_token(&parts, ids, all->n);
}

static struct end_strings texts_of(struct cursor *p, const struct value *list)
{
	uint32_t n = list ? list->n : 0;
	const char **at = arena_array(&p->r->arena, n, sizeof *at);
	for (uint32_t i = 0; i < n; i++) {
		if (list->item[i].kind != VALUE_TEXT || !list->item[i].len)
			fail(p, list->item[i].from, "a string that is not empty is expected here");
		at[i] = list->item[i].text;
	}
	return (struct end_strings){at, n};
}

static piece_id tag_dispatch_macro(struct cursor *p, const values *all)
{
	check_arguments(p, all, VALUE_LIST, " loop_after_dispatch excludes ");
	const struct value *loop = named(p, all, "loop_after_dispatch", VALUE_BOOL);
	struct free_dispatch d = {.again = !loop || loop->number,
	                          .excludes = texts_of(p, named(p, all, "excludes", VALUE_LIST))};
	const char **triggers = arena_array(&p->r->arena, all->n, sizeof *triggers);
	piece_id *behind = arena_array(&p->r->arena, all->n, sizeof *behind);
	for (uint32_t i = 0; i < all->n && !p->failed; i++) {
		const struct value *v = &all->at[i], *rule = v->n == 2 ? &v->item[1] : NULL;
		if (v->named) continue;
		if (!rule || v->item[0].kind != VALUE_TEXT || !v->item[0].len || rule->kind != VALUE_NAME) {
			fail(p, v->from, "a pair is expected here: (\"trigger\", rule)");
			break;
		}
		struct loc loc = cursor_loc(p, rule->from, rule->from + rule->len);
		triggers[d.triggers.n] = v->item[0].text;
		behind[d.triggers.n++] = piece_rule(p->r, rule_number(p->r, rule->text, rule->len, loc), loc);
		for (uint32_t k = 0; k < d.excludes.n; k++)
			if (!strncmp(v->item[0].text, d.excludes.at[k], strlen(d.excludes.at[k])))
				fail(p, v->from, "the trigger begins with the excluded string \"%s\"", d.excludes.at[k]);
	}
	d.triggers.at = triggers, d.behind = behind;
	struct parts parts = {.r = p->r,
	                      .loc = cursor_loc(p, p->at - 1, p->at),
	                      .prefix = arena_printf(&p->r->arena, "TagDispatch:%zu:", p->at)};
	return p->failed ? 0 : free_text_dispatch(&parts, &d);
}

// The number of a token that is a trigger, or excluded.
static uint32_t token_of(struct cursor *p, const struct parts *parts, const struct value *v, bool is_trigger)
{
	if (v->kind != VALUE_NUMBER || v->number > UINT32_MAX) {
		fail(p, v->from, "the number of a token is expected here");
		return 0;
	}
	if (is_trigger) return token_named(p, parts, v);
	const char *why = free_token_obstacle(parts, (uint32_t)v->number);
	if (why) fail(p, v->from, "%s", why);
	return (uint32_t)v->number;
}

static piece_id token_dispatch_macro(struct cursor *p, const values *all)
{
	check_arguments(p, all, VALUE_LIST, " loop_after_dispatch excludes ");
	const struct value *loop = named(p, all, "loop_after_dispatch", VALUE_BOOL);
	const struct value *excludes = named(p, all, "excludes", VALUE_LIST);
	struct parts parts = {.r = p->r,
	                      .loc = cursor_loc(p, p->at - 1, p->at),
	                      .prefix = arena_printf(&p->r->arena, "TokenTagDispatch:%zu:", p->at)};
	struct token_dispatch d = {.again = !loop || loop->number, .n_excluded = excludes ? excludes->n : 0};
	uint32_t *trigger = arena_array(&p->r->arena, all->n, sizeof *trigger);
	uint32_t *excluded = arena_array(&p->r->arena, d.n_excluded, sizeof *excluded);
	piece_id *behind = arena_array(&p->r->arena, all->n, sizeof *behind);
	for (uint32_t i = 0; i < d.n_excluded && !p->failed; i++)
		excluded[i] = token_of(p, &parts, &excludes->item[i], false);
	for (uint32_t i = 0; i < all->n && !p->failed; i++) {
		const struct value *v = &all->at[i], *rule = v->n == 2 ? &v->item[1] : NULL;
		if (v->named) continue;
		if (!rule || rule->kind != VALUE_NAME) {
			fail(p, v->from, "a pair is expected here: (number of a token, rule)");
			break;
		}
		struct loc loc = cursor_loc(p, rule->from, rule->from + rule->len);
		trigger[d.n] = token_of(p, &parts, &v->item[0], true);
		behind[d.n++] = piece_rule(p->r, rule_number(p->r, rule->text, rule->len, loc), loc);
	}
	for (uint32_t i = 0; i < d.n; i++)
		for (uint32_t k = 0; k < d.n_excluded; k++)
			if (trigger[i] == excluded[k]) fail(p, excludes->from, "the trigger %u is excluded, too", trigger[i]);
	d.trigger = trigger, d.excluded = excluded, d.behind = behind;
	return p->failed ? 0 : free_tokens_dispatch(&parts, &d);
}

bool ebnf_macro(struct cursor *p, size_t from, piece_id *out)
{
	static const struct {
		const char *name;
		piece_id (*read)(struct cursor *p, const values *all);
	} macro[] = {
		{"Regex", regex_macro}, {"Substring", substring_macro},        {"TagDispatch", tag_dispatch_macro},
		{"Token", token_macro}, {"ExcludeToken", exclude_token_macro}, {"TokenTagDispatch", token_dispatch_macro}};
	size_t len = p->at - from;
	uint32_t i = 0, n = sizeof macro / sizeof *macro;
	while (i < n && !(len == strlen(macro[i].name) && !memcmp(p->text + from, macro[i].name, len))) i++;
	if (i == n) return false;
	values all = {0};
	*out = 0;
	ebnf_skip_space(p);
	if (peek(p) != '(') fail(p, from, "%s needs arguments in brackets", macro[i].name);
	if (!p->failed) read_values(p, false, &all);
	if (!p->failed) *out = macro[i].read(p, &all);
	vec_release(&all);
	return true;
}
