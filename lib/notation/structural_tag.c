// XGrammar's structural tags -> rules over pieces.
//
// In:  the JSON text, in its newer form ({"type": "structural_tag", "format": ...}) or its older one ("structures" and
//      "triggers"). Out: rules whose texts are those that XGrammar takes (docs/tools.md).
// Each format becomes a piece. Free text is one regular language: with Aho and Corasick's automaton (1975) over
// triggers, excluded strings and the ends of the tag around, FREE has none of them, and UNTIL(w) the first of them at
// its end, which is w. So a terminal of free text ends where the trigger does, and nothing is left to choose. Schemas,
// regexes and EBNF are read by their own front ends and put in with names of their own (embed.c). What is not read is
// refused by name. Recursion over the document, NOTATION_MAX_NESTING deep. Cost: linear, but for the parts' own.
#include "embed.h"

#include <cjson/cJSON.h>

struct strings {
	const char *const *at;
	uint32_t n;
};

struct tags {
	struct rules *r;
	struct languages *languages;
	const char *path;  // of the format that is read
	uint32_t nesting, n_unions;
	bool failed;
	struct intern schemas;    // texts with their bounds of white space: each is read once
	piece_list schema_piece;  // of these
};

static piece_id nothing(struct tags *x)
{
	return piece_set(x->r, &(code_ranges){0}, false, (struct loc){x->r->source, 0, 0});
}

static struct loc whole(const struct tags *x) { return (struct loc){x->r->source, 0, 0}; }

#define fail(x, ...) fail_at((x), arena_printf(&(x)->r->arena, __VA_ARGS__))
static piece_id fail_at(struct tags *x, const char *what)
{
	if (!x->failed) diag_error(x->r->diag, whole(x), "%s: %s", x->path, what);
	x->failed = true;
	return nothing(x);
}

// ---- Control tokens in strings
// A special token is never text, so where a string has its name the token is meant.

// The one whose name s begins with, the longest; NULL: none.
static const struct control_token *special_at(const struct tags *x, const char *s)
{
	const struct control_tokens *c = x->r->control;
	const struct control_token *found = NULL;
	size_t longest = 0;
	for (uint32_t i = 0; c && i < c->n; i++) {
		const struct control_token *t = &c->at[i];
		if (!t->is_special || t->is_eos || !t->name || t->name[0] != *s) continue;
		size_t n = strlen(t->name);
		if (n > longest && !strncmp(t->name, s, n)) longest = n, found = t;
	}
	return found;
}

static bool has_special(const struct tags *x, const char *s)
{
	for (; *s; s++)
		if (special_at(x, s)) return true;
	return false;
}

static piece_id seq(struct tags *x, piece_id a, piece_id b) { return piece_seq(x->r, (piece_id[]){a, b}, 2, whole(x)); }
static piece_id alt(struct tags *x, piece_id a, piece_id b) { return piece_alt(x->r, (piece_id[]){a, b}, 2, whole(x)); }
static piece_id empty(struct tags *x) { return piece_seq(x->r, NULL, 0, whole(x)); }

// A rule of its own, so that what it holds is written once.
static piece_id named(struct tags *x, const char *what, piece_id body)
{
	const char *name = arena_printf(&x->r->arena, "%s_%u", what, x->n_unions++);
	uint32_t rule = rule_number(x->r, name, strlen(name), whole(x));
	x->r->rule.at[rule].body = body;
	return piece_rule(x->r, rule, whole(x));
}

// ---- Members

static const cJSON *get(const cJSON *o, const char *key) { return cJSON_GetObjectItemCaseSensitive(o, key); }

static const char *string_of(struct tags *x, const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(get(o, key));
	if (!s) fail(x, "\"%s\" must be a string", key);
	return s ? s : "";
}

static bool flag_of(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = get(o, key);
	if (v && !cJSON_IsNull(v) && !cJSON_IsBool(v)) fail(x, "\"%s\" must be true or false", key);
	return cJSON_IsTrue(v);
}

static const cJSON *list_of(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = get(o, key);
	if (!cJSON_IsArray(v)) fail(x, "\"%s\" must be a list", key);
	return cJSON_IsArray(v) ? v : NULL;
}

// -1: not given.
static int64_t count_of(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = get(o, key);
	if (!v || cJSON_IsNull(v)) return -1;
	if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= 2147483647.0 &&
	    v->valuedouble == (double)(int64_t)v->valuedouble)
		return (int64_t)v->valuedouble;
	fail(x, "\"%s\" must be a whole number from 0 on", key);
	return -1;
}

// The strings of a list; a list that is not there has none.
static struct strings strings_of(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = get(o, key), *item;
	struct strings s = {0};
	if (!v || cJSON_IsNull(v)) return s;
	if (!cJSON_IsArray(v)) return fail(x, "\"%s\" must be a list of strings", key), s;
	const char **at = arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(v), sizeof *at);
	cJSON_ArrayForEach(item, v)
	{
		const char *text = cJSON_GetStringValue(item);
		if (!text || !*text)
			fail(x, "\"%s\" must hold strings that are not empty", key);
		else
			at[s.n++] = text;
	}
	s.at = at;
	return s;
}

static struct strings join(struct tags *x, struct strings a, struct strings b)
{
	const char **at = arena_array(&x->r->arena, (size_t)a.n + b.n, sizeof *at);
	if (a.n) memcpy(at, a.at, a.n * sizeof *at);
	if (b.n) memcpy(at + a.n, b.at, b.n * sizeof *at);
	return (struct strings){at, a.n + b.n};
}

// What stops free text: a string of characters, or one that begins with a control token.
static struct strings stops_of(struct tags *x, struct strings s)
{
	for (uint32_t i = 0; i < s.n; i++)
		if (has_special(x, s.at[i]) && !special_at(x, s.at[i]))
			fail(x,
			     "\"%s\" holds a control token of the tokenizer behind text: free text ends at strings of text, or at "
			     "strings that begin with a control token",
			     s.at[i]);
	return s;
}

static piece_id control(struct tags *x, const char *said)
{
	piece_id p;
	if (!piece_control(x->r, said, strlen(said), whole(x), &p)) x->failed = true;
	return x->failed ? nothing(x) : p;
}

// Characters and control tokens.
static piece_id text(struct tags *x, const char *s)
{
	piece_id p = empty(x);
	const char *from = s;
	while (*s) {
		const struct control_token *t = special_at(x, s);
		if (!t) {
			s++;
			continue;
		}
		p = seq(x, p, piece_text(x->r, from, (size_t)(s - from), whole(x)));
		p = seq(x, p, control(x, arena_printf(&x->r->arena, "[%u]", t->id)));
		from = s += strlen(t->name);
	}
	return seq(x, p, piece_text(x->r, from, (size_t)(s - from), whole(x)));
}

// ---- Free text

// Aho and Corasick's automaton: state 0 is the start; ends[q]: some string ends in q.
struct searching {
	VEC(uint32_t) next;  // [states * 256]
	VEC(uint32_t) fail;
	VEC(uint8_t) ends;
};

static uint32_t add_state(struct searching *s)
{
	for (int b = 0; b < 256; b++) vec_push(&s->next, UINT32_MAX);
	vec_push(&s->fail, 0);
	vec_push(&s->ends, 0);
	return s->fail.n - 1;
}

static void search_for(const struct tags *x, struct searching *s, struct strings texts)
{
	add_state(s);
	for (uint32_t i = 0; i < texts.n; i++) {
		uint32_t q = 0;
		if (has_special(x, texts.at[i])) continue;  // no text has it
		for (const char *c = texts.at[i]; *c; c++) {
			uint32_t to = s->next.at[q * 256 + (uint8_t)*c];
			if (to == UINT32_MAX) to = add_state(s), s->next.at[q * 256 + (uint8_t)*c] = to;
			q = to;
		}
		s->ends.at[q] = 1;
	}
	VEC(uint32_t) queue = {0};
	vec_push(&queue, 0);
	for (uint32_t k = 0; k < queue.n; k++) {
		uint32_t q = queue.at[k], f = s->fail.at[q];
		s->ends.at[q] |= s->ends.at[f];
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t *to = &s->next.at[q * 256 + b];
			uint32_t other = q ? s->next.at[f * 256 + b] : 0;
			if (*to == UINT32_MAX) {
				*to = other;
				continue;
			}
			s->fail.at[*to] = q ? other : 0;
			vec_push(&queue, *to);
		}
	}
	vec_release(&queue);
}

// Does `text` end in state q, reached by what leads there? Only then q is the end of it: the longest suffix decides.
static bool *states_of(const struct searching *s, const char *text, struct arena *a)
{
	uint32_t n = s->fail.n, target = 0;
	bool *is = arena_array(a, n, sizeof *is);
	for (const char *c = text; *c; c++) target = s->next.at[target * 256 + (uint8_t)*c];
	for (uint32_t q = 0; q < n; q++)
		for (uint32_t f = q;; f = s->fail.at[f]) {
			if (f == target) is[q] = true;
			if (!f || is[q]) break;
		}
	return is;
}

// Texts that have none of `all`; with `until` (one of them): those that have the first at their end, which is it.
static language free_text(struct tags *x, struct strings all, const char *until)
{
	struct searching s = {0};
	struct arena arena = {0};
	search_for(x, &s, all);
	uint32_t n = s.fail.n;
	bool *accept = arena_array(&arena, n, sizeof *accept), *is = until ? states_of(&s, until, &arena) : NULL;
	VEC(struct language_edge) edges = {0};
	for (uint32_t q = 0; q < n; q++) {
		accept[q] = until ? is[q] && s.ends.at[q] : !s.ends.at[q];
		for (uint32_t b = 0; b < 256 && !s.ends.at[q]; b++) {
			uint32_t to = s.next.at[q * 256 + b];
			struct language_edge *last = edges.n ? &edges.at[edges.n - 1] : NULL;
			if (!until && s.ends.at[to]) continue;
			if (last && last->from == q && last->to == to && last->hi + 1u == b)
				last->hi = (uint8_t)b;
			else
				vec_push(&edges, ((struct language_edge){q, to, (uint8_t)b, (uint8_t)b}));
		}
	}
	language l = language_of_automaton(x->languages, n, accept, edges.at, edges.n);
	vec_release(&edges), vec_release(&s.next), vec_release(&s.fail), vec_release(&s.ends);
	arena_release(&arena);
	return language_and(x->languages, l, LANGUAGE_ANY);
}

static piece_id text_piece(struct tags *x, language l)
{
	if (l == LANGUAGE_NOTHING) return nothing(x);
	if (l == LANGUAGE_EMPTY) return empty(x);
	struct term *t = language_term(x->languages, l, whole(x), &x->r->arena);
	return piece_term(x->r, t, language_has(x->languages, l, "", 0), whole(x));
}

static uint32_t code_points(const char *text)
{
	uint32_t n = 0;
	for (; *text; text++) n += ((uint8_t)*text & 0xC0) != 0x80;
	return n;
}

// Up to and with the first of ends, without `excludes`; at most `most` characters before it (-1: any number).
static piece_id until_ends(struct tags *x, struct strings all, struct strings ends, int64_t most)
{
	language l = LANGUAGE_NOTHING, free = free_text(x, all, NULL);
	piece_id p = nothing(x);
	if (most >= 0) free = language_and(x->languages, free, language_of_lengths(x->languages, 0, (uint32_t)most));
	for (uint32_t i = 0; i < ends.n; i++) {
		if (special_at(x, ends.at[i])) {
			p = alt(x, p, seq(x, text_piece(x, free), text(x, ends.at[i])));
			continue;
		}
		language one = free_text(x, all, ends.at[i]);
		if (most >= 0)
			one = language_and(x->languages, one,
			                   language_of_lengths(x->languages, 0, (uint32_t)most + code_points(ends.at[i])));
		l = language_or(x->languages, l, one);
	}
	return alt(x, p, text_piece(x, l));
}

static piece_id any_text(struct tags *x, const cJSON *f, const struct strings *ends)
{
	struct strings excludes = strings_of(x, f, "excludes");
	int64_t most = count_of(x, f, "max_chars");
	if (most > 100000) return fail(x, "\"max_chars\" above 100000 is not supported");
	if (count_of(x, f, "max_tokens") >= 0) return fail(x, "\"max_tokens\" is not supported: a bound in tokens");
	if (ends) return until_ends(x, join(x, excludes, *ends), *ends, most);
	language l = free_text(x, excludes, NULL);
	if (most >= 0) l = language_and(x->languages, l, language_of_lengths(x->languages, 0, (uint32_t)most));
	return text_piece(x, l);
}

// ---- Formats

static piece_id format(struct tags *x, const cJSON *f, const struct strings *ends);

static bool is_type(const cJSON *f, const char *type)
{
	const char *t = cJSON_GetStringValue(get(f, "type"));
	return t && !strcmp(t, type);
}

// May it go on without end, so that the tag around must say where it ends?
static bool is_unlimited(const cJSON *f)
{
	const cJSON *inner = get(f, "elements"), *last = cJSON_IsArray(inner) && inner->child ? inner->child->prev : NULL;
	if (is_type(f, "any_text")) return true;
	if (is_type(f, "triggered_tags")) return !cJSON_IsTrue(get(f, "stop_after_first"));
	if (is_type(f, "dispatch")) return !cJSON_IsFalse(get(f, "loop"));
	if (is_type(f, "sequence")) return last && is_unlimited(last);
	bool some = false;
	for (const cJSON *e = is_type(f, "or") && cJSON_IsArray(inner) ? inner->child : NULL; e; e = e->next)
		some |= is_unlimited(e);
	return some;
}

static piece_id token(struct tags *x, const cJSON *t)
{
	const char *name = cJSON_GetStringValue(t);
	return control(x, name ? arena_printf(&x->r->arena, "\"%s\"", name)
	                       : arena_printf(&x->r->arena, "[%.0f]", cJSON_IsNumber(t) ? t->valuedouble : -1.0));
}

static piece_id tag_end(struct tags *x, const cJSON *end, struct strings *ends, bool *is_empty)
{
	if (cJSON_IsObject(end)) return token(x, get(end, "token"));
	const cJSON *one = cJSON_IsArray(end) ? end->child : end;
	uint32_t n = cJSON_IsArray(end) ? (uint32_t)cJSON_GetArraySize(end) : 1;
	const char **at = arena_array(&x->r->arena, n, sizeof *at);
	piece_id p = nothing(x);
	for (; one; one = cJSON_IsArray(end) ? one->next : NULL) {
		const char *s = cJSON_GetStringValue(one);
		if (!s) return fail(x, "\"end\" must be a string, a list of strings, or a token");
		*is_empty |= !*s;
		p = alt(x, p, text(x, s));
		if (*s) at[ends->n++] = s;
	}
	ends->at = at;
	stops_of(x, *ends);
	return p;
}

// What follows the trigger of a tag: the rest of its begin (or all of it), content, end.
static piece_id tag(struct tags *x, const cJSON *f, const char *trigger)
{
	const cJSON *begin = get(f, "begin"), *content = get(f, "content");
	const char *s = cJSON_GetStringValue(begin);
	struct strings ends = {0};
	bool is_empty = false;
	if (!s && !(cJSON_IsObject(begin) && !trigger))
		return fail(x, "\"begin\" must be a string%s", trigger ? "" : ", or a token");
	piece_id first = s ? text(x, s + strlen(trigger ? trigger : "")) : token(x, get(begin, "token"));
	piece_id end = tag_end(x, get(f, "end"), &ends, &is_empty);
	if (!cJSON_IsObject(content)) return fail(x, "a tag needs \"content\"");
	bool until = is_unlimited(content) && ends.n;
	if (until && is_empty) return fail(x, "an empty \"end\" beside others behind text without end is not supported");
	piece_id inner = format(x, content, until ? &ends : NULL);
	return seq(x, first, until ? inner : seq(x, inner, end));
}

// All tags as alternatives, from their beginning on.
static piece_id whole_tags(struct tags *x, const cJSON *tags)
{
	piece_list all = {0};
	for (const cJSON *t = tags ? tags->child : NULL; t; t = t->next) {
		piece_id p = tag(x, t, NULL);
		vec_push(&all, p);
	}
	piece_id p = piece_alt(x->r, all.at, all.n, whole(x));
	vec_release(&all);
	return named(x, "tags", p);
}

// Free text and what its triggers lead to; what[i] is behind trigger i.
static piece_id dispatch(struct tags *x, struct strings triggers, const piece_id *what, struct strings excludes,
                         bool loop, const struct strings *ends)
{
	struct strings all = join(x, stops_of(x, triggers), excludes);
	piece_id free = text_piece(x, free_text(x, ends ? join(x, all, *ends) : all, NULL));
	if (ends) all = join(x, all, *ends);
	piece_list ways = {0};
	for (uint32_t i = 0; i < triggers.n; i++) {
		piece_id p = special_at(x, triggers.at[i]) ? seq(x, free, text(x, triggers.at[i]))
		                                           : text_piece(x, free_text(x, all, triggers.at[i]));
		p = seq(x, p, what[i]);
		vec_push(&ways, p);
	}
	piece_id one = piece_alt(x->r, ways.at, ways.n, whole(x));
	vec_release(&ways);
	piece_id tail = ends ? until_ends(x, all, *ends, -1) : text_piece(x, free_text(x, all, NULL));
	if (loop) return seq(x, named(x, "dispatch", piece_repeat(x->r, one, 0, TERM_UNBOUNDED, whole(x))), tail);
	piece_id end = empty(x);
	if (ends) end = nothing(x);
	for (uint32_t i = 0; ends && i < ends->n; i++) end = alt(x, end, text(x, ends->at[i]));
	return alt(x, seq(x, one, end), tail);
}

static piece_id triggered_tags(struct tags *x, const cJSON *f, const struct strings *ends)
{
	struct strings triggers = strings_of(x, f, "triggers"), excludes = strings_of(x, f, "excludes");
	const cJSON *tags = list_of(x, f, "tags");
	bool least_one = flag_of(x, f, "at_least_one"), once = flag_of(x, f, "stop_after_first");
	piece_id *what = arena_array(&x->r->arena, triggers.n, sizeof *what);
	for (uint32_t i = 0; i < triggers.n; i++) what[i] = nothing(x);
	for (const cJSON *t = tags ? tags->child : NULL; t && !x->failed; t = t->next) {
		const char *begin = string_of(x, t, "begin");
		uint32_t found = UINT32_MAX, n = 0;
		for (uint32_t i = 0; i < triggers.n; i++)
			if (!strncmp(begin, triggers.at[i], strlen(triggers.at[i]))) found = i, n++;
		if (n != 1)
			return fail(x, "the tag that begins with \"%s\" has %u triggers; it needs one that is its beginning", begin,
			            n);
		what[found] = alt(x, what[found], tag(x, t, triggers.at[found]));
	}
	if (x->failed) return nothing(x);
	for (uint32_t i = 0; i < triggers.n; i++) what[i] = named(x, "trigger", what[i]);
	if (!least_one) return dispatch(x, triggers, what, excludes, !once, ends);
	piece_id first = whole_tags(x, tags);
	if (!once) return seq(x, first, dispatch(x, triggers, what, excludes, true, ends));
	piece_id end = ends ? nothing(x) : empty(x);
	for (uint32_t i = 0; ends && i < ends->n; i++) end = alt(x, end, text(x, ends->at[i]));
	return seq(x, first, end);
}

static piece_id dispatch_format(struct tags *x, const cJSON *f, const struct strings *ends)
{
	const cJSON *rules = list_of(x, f, "rules"), *loop = get(f, "loop");
	uint32_t n = 0, all = rules ? (uint32_t)cJSON_GetArraySize(rules) : 0;
	const char **triggers = arena_array(&x->r->arena, all, sizeof *triggers);
	piece_id *what = arena_array(&x->r->arena, all, sizeof *what);
	for (const cJSON *rule = rules ? rules->child : NULL; rule && !x->failed; rule = rule->next) {
		const char *s = cJSON_IsArray(rule) && rule->child ? cJSON_GetStringValue(rule->child) : NULL;
		if (!s || !*s || !rule->child->next) return fail(x, "\"rules\" must hold pairs of a string and a format");
		triggers[n] = s;
		what[n++] = named(x, "rule", format(x, rule->child->next, NULL));
	}
	return dispatch(x, (struct strings){triggers, n}, what, strings_of(x, f, "excludes"), !cJSON_IsFalse(loop), ends);
}

static piece_id tags_with_separator(struct tags *x, const cJSON *f)
{
	const char *separator = string_of(x, f, "separator");
	bool least_one = flag_of(x, f, "at_least_one"), once = flag_of(x, f, "stop_after_first");
	piece_id one = whole_tags(x, list_of(x, f, "tags")), p = one;
	if (!once) p = seq(x, one, piece_repeat(x->r, seq(x, text(x, separator), one), 0, TERM_UNBOUNDED, whole(x)));
	return least_one ? p : alt(x, p, empty(x));
}

static piece_id json_schema(struct tags *x, const cJSON *f, const cJSON *schema)
{
	const char *style = cJSON_GetStringValue(get(f, "style"));
	if (style && strcmp(style, "json") != 0)
		return fail(x, "the style \"%s\" is not supported: only \"json\" is", style);
	if (flag_of(x, f, "any_order")) return fail(x, "\"any_order\" is not supported");
	if (strings_of(x, f, "excludes").n) return fail(x, "\"excludes\" of a schema is not supported");
	int64_t most = count_of(x, f, "max_whitespace_cnt");
	if (!cJSON_IsObject(schema) && !cJSON_IsBool(schema)) return fail(x, "\"json_schema\" must be a schema");
	char *s = cJSON_PrintUnformatted(schema);
	if (!s) work_out_of_memory(0);
	const struct embedding e = {.name = arena_printf(&x->r->arena, "schema_%u", x->n_unions++),
	                            .text = arena_strndup(&x->r->arena, s, strlen(s)),
	                            .most_blanks = most < 0 ? UINT32_MAX : (uint32_t)most};
	cJSON_free(s);
	const char *key = arena_printf(&x->r->arena, "%u %s", e.most_blanks, e.text);
	bool is_new;
	piece_id p = nothing(x);
	uint32_t n = intern_add(&x->schemas, key, strlen(key), &is_new);
	if (!is_new) return x->schema_piece.at[n];
	if (!embed_schema(x->r, x->languages, &e, &p)) x->failed = true;
	vec_push(&x->schema_piece, p);
	return x->failed ? nothing(x) : p;
}

static piece_id regex(struct tags *x, const cJSON *f)
{
	const char *pattern = string_of(x, f, "pattern");
	if (x->failed) return nothing(x);
	language l = language_of_regex(x->languages, pattern, (uint32_t)strlen(pattern), 0, whole(x), "regex", x->r->diag);
	if (l == LANGUAGE_ERROR) x->failed = true;
	return x->failed ? nothing(x) : text_piece(x, l);
}

static piece_id grammar(struct tags *x, const cJSON *f)
{
	const struct embedding e = {.name = arena_printf(&x->r->arena, "grammar_%u", x->n_unions++),
	                            .text = string_of(x, f, "grammar")};
	piece_id p;
	if (!x->failed && !embed_ebnf(x->r, &e, &p)) x->failed = true;
	return x->failed ? nothing(x) : p;
}

static piece_id elements(struct tags *x, const cJSON *f, bool is_or, const struct strings *ends)
{
	const cJSON *all = list_of(x, f, "elements");
	piece_list parts = {0};
	if (all && !all->child) return fail(x, "\"elements\" is empty");
	for (const cJSON *e = all ? all->child : NULL; e && !x->failed; e = e->next) {
		bool takes = ends && is_unlimited(e) && (is_or || !e->next);
		piece_id p = format(x, e, takes ? ends : NULL);
		// An alternative that ends by itself: the tag's end comes behind it.
		if (ends && is_or && !takes) {
			piece_id end = nothing(x);
			for (uint32_t i = 0; i < ends->n; i++) end = alt(x, end, text(x, ends->at[i]));
			p = seq(x, p, end);
		}
		vec_push(&parts, p);
	}
	piece_id p = is_or ? piece_alt(x->r, parts.at, parts.n, whole(x)) : piece_seq(x->r, parts.at, parts.n, whole(x));
	vec_release(&parts);
	return p;
}

static piece_id repeated(struct tags *x, const cJSON *f, int64_t least, int64_t most)
{
	if (least < 0 || least > NOTATION_MAX_REPEAT || most > NOTATION_MAX_REPEAT || (most >= 0 && most < least))
		return fail(x, "\"min\" and \"max\" must be 0 to %u, in this order; -1 is no bound", NOTATION_MAX_REPEAT);
	piece_id p = format(x, get(f, "content"), NULL);
	return piece_repeat(x->r, named(x, "repeated", p), (uint32_t)least, most < 0 ? TERM_UNBOUNDED : (uint32_t)most,
	                    whole(x));
}

static piece_id repeat(struct tags *x, const cJSON *f)
{
	const cJSON *least = get(f, "min"), *most = get(f, "max");
	if (!cJSON_IsNumber(least) || !cJSON_IsNumber(most))
		return fail(x, "\"repeat\" needs the numbers \"min\" and \"max\"");
	return repeated(x, f, (int64_t)least->valuedouble, (int64_t)most->valuedouble);
}

enum type {
	CONST_STRING,
	JSON_SCHEMA,
	ANY_TEXT,
	GRAMMAR,
	REGEX,
	SEQUENCE,
	OR,
	TAG,
	TRIGGERED,
	SEPARATED,
	OPTIONAL,
	PLUS,
	STAR,
	REPEAT,
	DISPATCH,
	TOKEN,
	N_TYPES
};
static const char *const type_name[N_TYPES] = {
	"const_string",   "json_schema",         "any_text", "grammar", "regex", "sequence", "or",       "tag",
	"triggered_tags", "tags_with_separator", "optional", "plus",    "star",  "repeat",   "dispatch", "token"};

// Branches: one case for each format of structural tags.
static piece_id one_format(struct tags *x, const cJSON *f, enum type type, const struct strings *ends)
{
	switch (type) {
	case CONST_STRING: return text(x, string_of(x, f, "value"));
	case JSON_SCHEMA: return json_schema(x, f, get(f, "json_schema"));
	case ANY_TEXT: return any_text(x, f, ends);
	case GRAMMAR: return grammar(x, f);
	case REGEX: return regex(x, f);
	case SEQUENCE: return elements(x, f, false, ends);
	case OR: return elements(x, f, true, ends);
	case TAG: return tag(x, f, NULL);
	case TRIGGERED: return triggered_tags(x, f, ends);
	case SEPARATED: return tags_with_separator(x, f);
	case OPTIONAL: return repeated(x, f, 0, 1);
	case PLUS: return repeated(x, f, 1, -1);
	case STAR: return repeated(x, f, 0, -1);
	case REPEAT: return repeat(x, f);
	case DISPATCH: return dispatch_format(x, f, ends);
	case TOKEN: return token(x, get(f, "token"));
	default: return fail(x, "the format \"%s\" is not supported", cJSON_GetStringValue(get(f, "type")));
	}
}

// ends: of the tag around; a format without end reads up to and with them.
static piece_id format(struct tags *x, const cJSON *f, const struct strings *ends)
{
	const char *type = cJSON_GetStringValue(get(f, "type")), *path = x->path;
	if (x->failed) return nothing(x);
	if (!type) return fail(x, "a format needs a \"type\"");
	if (x->nesting >= NOTATION_MAX_NESTING)
		return fail(x, "formats nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	uint32_t t = 0;
	while (t < N_TYPES && strcmp(type_name[t], type) != 0) t++;
	x->path = arena_printf(&x->r->arena, "%s.%.40s", path, type);
	x->nesting++;
	piece_id p = one_format(x, f, (enum type)t, ends);
	x->nesting--;
	x->path = path;
	return p;
}

// {"structures": [{"begin", "schema", "end"}], "triggers": [...]}
static piece_id older_form(struct tags *x, const cJSON *root)
{
	const cJSON *structures = list_of(x, root, "structures");
	cJSON *f = cJSON_CreateObject(), *tags = cJSON_AddArrayToObject(f, "tags");
	cJSON_AddStringToObject(f, "type", "triggered_tags");
	cJSON_AddItemToObject(f, "triggers", cJSON_Duplicate(get(root, "triggers"), true));
	for (const cJSON *s = structures ? structures->child : NULL; s; s = s->next) {
		cJSON *t = cJSON_CreateObject(), *content = cJSON_CreateObject();
		const char *schema = cJSON_GetStringValue(get(s, "schema"));
		cJSON_AddStringToObject(content, "type", "json_schema");
		cJSON_AddItemToObject(content, "json_schema",
		                      schema ? cJSON_Parse(schema) : cJSON_Duplicate(get(s, "schema"), true));
		cJSON_AddItemToObject(t, "begin", cJSON_Duplicate(get(s, "begin"), true));
		cJSON_AddItemToObject(t, "content", content);
		cJSON_AddItemToObject(t, "end", cJSON_Duplicate(get(s, "end"), true));
		cJSON_AddItemToArray(tags, t);
	}
	piece_id p = format(x, f, NULL);
	cJSON_Delete(f);
	return p;
}

static void delete_document(void *document) { cJSON_Delete(document); }

static void free_languages(void *languages) { languages_free(languages); }

bool structural_tag_read(struct rules *r)
{
	const char *stopped = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(r->source->text, r->source->len + 1, &stopped, true);
	if (!cJSON_IsObject(root)) {
		diag_error(r->diag, (struct loc){r->source, (uint32_t)(!root && stopped ? stopped - r->source->text : 0), 1},
		           "a structural tag is a JSON object: {\"type\": \"structural_tag\", \"format\": {...}}");
		cJSON_Delete(root);
		return false;
	}
	struct work_cleanup c;
	work_cleanup(&c, delete_document, root);
	bool ok = structural_tag_of(r, root);
	work_cleanup_end(&c);
	cJSON_Delete(root);
	return ok;
}

bool structural_tag_of(struct rules *r, const cJSON *root)
{
	struct tags x = {.r = r, .path = "structural_tag"};
	struct work_cleanup l;
	x.languages = languages_new();
	work_cleanup(&l, free_languages, x.languages);
	if (!is_type(root, "structural_tag")) fail(&x, "the \"type\" of the document must be \"structural_tag\"");
	piece_id body = get(root, "format") ? format(&x, get(root, "format"), NULL) : older_form(&x, root);
	uint32_t rule = rule_number(r, "structural_tag", strlen("structural_tag"), whole(&x));
	r->rule.at[rule].body = body;
	work_cleanup_end(&l);
	languages_free(x.languages);
	intern_release(&x.schemas), vec_release(&x.schema_piece);
	return !x.failed && pieces_finish(r, "structural_tag");
}
