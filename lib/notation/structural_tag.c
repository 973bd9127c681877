// XGrammar's structural tags -> rules over pieces.
//
// In:  the JSON text, in its newer form ({"type": "structural_tag", "format": ...}) or its older one ("structures" and
// "triggers"). Out: rules whose texts are those that XGrammar takes (docs/tools.md). Each format becomes a piece. Free
// text ends where a trigger does (free_text.c). Schemas, regexes and EBNF are read by their own front ends and put in
// with names of their own (embed.c). What is not read is refused by name. Recursion over the document,
// NOTATION_MAX_NESTING deep. Cost: linear, but for the parts' own.
#include "embed.h"
#include "free_text.h"
#include "parameters.h"
#include "pattern.h"

#include <cjson/cJSON.h>

#define NO_TOKEN UINT32_MAX

struct tags {
	struct rules *r;
	struct parts parts;
	const char *path;  // of the format that is read
	uint32_t nesting;
	struct strings around;  // the ends of the nearest tag around: no free text in it has them
	uint32_t end_token;     // that ends it, or NO_TOKEN
	bool failed;
	struct intern schemas;    // texts with their bounds of white space: each is read once
	piece_list schema_piece;  // of these
};

static struct loc whole(const struct tags *x) { return (struct loc){x->r->source, 0, 0}; }

#define fail(x, ...) fail_at((x), arena_printf(&(x)->r->arena, __VA_ARGS__))
static piece_id fail_at(struct tags *x, const char *what)
{
	if (!x->failed) diag_error(x->r->diag, whole(x), "%s: %s", x->path, what);
	x->failed = true;
	return parts_nothing(&x->parts);
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

// What stops free text: a string of characters, or one that begins with a control token.
static struct strings stops_of(struct tags *x, struct strings s)
{
	const char *bad = free_text_obstacle(&x->parts, s);
	if (bad)
		fail(x,
		     "\"%s\" holds a control token of the tokenizer behind text: free text ends at strings of text, or at "
		     "strings that begin with a control token",
		     bad);
	return s;
}

static piece_id control(struct tags *x, const char *said)
{
	piece_id p = parts_nothing(&x->parts);
	if (!piece_control(x->r, said, strlen(said), whole(x), &p)) x->failed = true;
	return p;
}

static piece_id any_text(struct tags *x, const cJSON *f, const struct strings *ends)
{
	struct strings excludes = strings_join(&x->parts, strings_of(x, f, "excludes"), x->around);
	const struct free_most most = {count_of(x, f, "max_chars"), count_of(x, f, "max_tokens")};
	const uint32_t limit = free_text_most(&x->parts, excludes, ends ? *ends : (struct strings){0});
	if (most.chars > limit)
		return fail(
			x,
			"\"max_chars\" above %u is not supported with these strings (FREE_TEXT_MAX_STATES, %u): lower it, or "
			"bound the tokens with \"max_tokens\"",
			limit, FREE_TEXT_MAX_STATES);
	if (ends) return free_text_until(&x->parts, excludes, *ends, most);
	return free_text(&x->parts, excludes, most);
}

// ---- Formats

static piece_id format(struct tags *x, const cJSON *f, const struct strings *ends);

static bool is_type(const cJSON *f, const char *type)
{
	const char *t = cJSON_GetStringValue(get(f, "type"));
	return t && !strcmp(t, type);
}

// Does it end in free text, so that it may read up to and with the end of the tag around? A terminal is cut there then.
static bool is_unlimited(const cJSON *f)
{
	const cJSON *inner = get(f, "elements"), *last = cJSON_IsArray(inner) && inner->child ? inner->child->prev : NULL;
	if (is_type(f, "any_text") || is_type(f, "triggered_tags")) return true;
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

// Its number; NO_TOKEN after an error.
static uint32_t token_id(struct tags *x, const cJSON *t)
{
	const struct control_tokens *c = x->r->control;
	const char *name = cJSON_GetStringValue(t);
	for (uint32_t i = 0; name && c && i < c->n; i++)
		if (c->at[i].name && !strcmp(c->at[i].name, name)) return c->at[i].id;
	if (cJSON_IsNumber(t) && t->valuedouble >= 0 && t->valuedouble < NO_TOKEN) return (uint32_t)t->valuedouble;
	token(x, t);
	return NO_TOKEN;
}

static piece_id tag_end(struct tags *x, const cJSON *end, struct strings *ends, bool *is_empty)
{
	if (cJSON_IsObject(end)) return token(x, get(end, "token"));
	const cJSON *one = cJSON_IsArray(end) ? end->child : end;
	uint32_t n = cJSON_IsArray(end) ? (uint32_t)cJSON_GetArraySize(end) : 1;
	const char **at = arena_array(&x->r->arena, n, sizeof *at);
	piece_id p = parts_nothing(&x->parts);
	for (; one; one = cJSON_IsArray(end) ? one->next : NULL) {
		const char *s = cJSON_GetStringValue(one);
		if (!s) return fail(x, "\"end\" must be a string, a list of strings, or a token");
		*is_empty |= !*s;
		p = parts_alt(&x->parts, p, parts_text(&x->parts, s));
		if (*s) at[ends->n++] = s;
	}
	ends->at = at;
	stops_of(x, *ends);
	return p;
}

// What follows the trigger of a tag, a string or a token: the rest of its begin (or all of it), content, end.
static piece_id tag(struct tags *x, const cJSON *f, const char *trigger)
{
	const cJSON *begin = get(f, "begin"), *content = get(f, "content"), *end_of = get(f, "end");
	const char *s = cJSON_GetStringValue(begin);
	struct strings ends = {0}, around = x->around;
	uint32_t end_token = x->end_token;
	bool is_empty = false;
	if (!s && !cJSON_IsObject(begin)) return fail(x, "\"begin\" must be a string, or a token");
	piece_id first = s         ? parts_text(&x->parts, s + strlen(trigger ? trigger : ""))
	                 : trigger ? parts_empty(&x->parts)
	                           : token(x, get(begin, "token"));
	piece_id end = tag_end(x, end_of, &ends, &is_empty);
	if (!cJSON_IsObject(content)) return fail(x, "a tag needs \"content\"");
	bool until = is_unlimited(content) && ends.n && !is_empty;
	x->around = ends;
	x->end_token = cJSON_IsObject(end_of) && !x->failed ? token_id(x, get(end_of, "token")) : NO_TOKEN;
	piece_id inner = format(x, content, until ? &ends : NULL);
	x->around = around, x->end_token = end_token;
	return parts_seq(&x->parts, first, until ? inner : parts_seq(&x->parts, inner, end));
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
	return parts_named(&x->parts, "tags", p);
}

static piece_id triggered_tags(struct tags *x, const cJSON *f, const struct strings *ends)
{
	struct strings triggers = strings_of(x, f, "triggers");
	struct strings excludes = strings_join(&x->parts, strings_of(x, f, "excludes"), x->around);
	const cJSON *tags = list_of(x, f, "tags");
	bool least_one = flag_of(x, f, "at_least_one"), once = flag_of(x, f, "stop_after_first");
	piece_id *what = arena_array(&x->r->arena, triggers.n, sizeof *what);
	for (uint32_t i = 0; i < triggers.n; i++) what[i] = parts_nothing(&x->parts);
	for (const cJSON *t = tags ? tags->child : NULL; t && !x->failed; t = t->next) {
		const char *begin = string_of(x, t, "begin");
		uint32_t found = UINT32_MAX, n = 0;
		for (uint32_t i = 0; i < triggers.n; i++)
			if (!strncmp(begin, triggers.at[i], strlen(triggers.at[i]))) found = i, n++;
		if (n != 1)
			return fail(x, "the tag that begins with \"%s\" has %u triggers; it needs one that is its beginning", begin,
			            n);
		what[found] = parts_alt(&x->parts, what[found], tag(x, t, triggers.at[found]));
	}
	if (x->failed) return parts_nothing(&x->parts);
	for (uint32_t i = 0; i < triggers.n; i++) what[i] = parts_named(&x->parts, "trigger", what[i]);
	const struct free_dispatch d = {stops_of(x, triggers), excludes, what, !once, ends};
	if (!least_one) return free_text_dispatch(&x->parts, &d);
	piece_id first = whole_tags(x, tags);
	if (!once) return parts_seq(&x->parts, first, free_text_dispatch(&x->parts, &d));
	piece_id end = ends ? parts_nothing(&x->parts) : parts_empty(&x->parts);
	for (uint32_t i = 0; ends && i < ends->n; i++) end = parts_alt(&x->parts, end, parts_text(&x->parts, ends->at[i]));
	return parts_seq(&x->parts, first, end);
}

static piece_id dispatch_format(struct tags *x, const cJSON *f)
{
	const cJSON *rules = list_of(x, f, "rules"), *loop = get(f, "loop");
	uint32_t n = 0, all = rules ? (uint32_t)cJSON_GetArraySize(rules) : 0;
	const char **triggers = arena_array(&x->r->arena, all, sizeof *triggers);
	piece_id *what = arena_array(&x->r->arena, all, sizeof *what);
	for (const cJSON *rule = rules ? rules->child : NULL; rule && !x->failed; rule = rule->next) {
		const char *s = cJSON_IsArray(rule) && rule->child ? cJSON_GetStringValue(rule->child) : NULL;
		if (!s || !*s || !rule->child->next) return fail(x, "\"rules\" must hold pairs of a string and a format");
		triggers[n] = s;
		what[n++] = parts_named(&x->parts, "rule", format(x, rule->child->next, NULL));
	}
	const struct free_dispatch d = {stops_of(x, (struct strings){triggers, n}), strings_of(x, f, "excludes"), what,
	                                !cJSON_IsFalse(loop), NULL};
	return free_text_dispatch(&x->parts, &d);
}

// ---- Tokens

struct token_list {
	uint32_t *at, n;
};

// The tokens that free ones must not be: those of the list, and the end of the tag around.
static struct token_list excluded_tokens(struct tags *x, const cJSON *f)
{
	const cJSON *list = get(f, "exclude_tokens"), *t;
	struct token_list l = {arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *l.at), 0};
	if (list && !cJSON_IsNull(list) && !cJSON_IsArray(list)) fail(x, "\"exclude_tokens\" must be a list");
	cJSON_ArrayForEach(t, list)
	{
		uint32_t id = token_id(x, t);
		const char *why = x->failed ? NULL : free_tokens_obstacle(&x->parts, id);
		if (why) fail(x, "%s", why);
		l.at[l.n++] = id;
	}
	if (x->end_token != NO_TOKEN) l.at[l.n++] = x->end_token;
	return l;
}

static piece_id any_tokens(struct tags *x, const cJSON *f)
{
	struct token_list excluded = excluded_tokens(x, f);
	if (count_of(x, f, "max_tokens") >= 0)
		return fail(x, "\"max_tokens\" of \"any_tokens\" is not supported; \"any_text\" has it");
	return x->failed ? parts_nothing(&x->parts)
	                 : parts_named(&x->parts, "any_tokens", free_tokens(&x->parts, excluded.at, excluded.n));
}

static piece_id tokens_to(struct tags *x, const struct token_list *triggers, const piece_id *behind,
                          struct token_list excluded, bool again)
{
	const struct token_dispatch d = {triggers->at, behind, triggers->n, excluded.n, excluded.at, again};
	return x->failed ? parts_nothing(&x->parts) : free_tokens_dispatch(&x->parts, &d);
}

// The tokens of a list, each of which can be named.
static struct token_list trigger_tokens(struct tags *x, const cJSON *list)
{
	struct token_list l = {arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *l.at), 0};
	const cJSON *t;
	cJSON_ArrayForEach(t, list)
	{
		token(x, t);
		l.at[l.n++] = x->failed ? NO_TOKEN : token_id(x, t);
	}
	return l;
}

static piece_id token_triggered_tags(struct tags *x, const cJSON *f)
{
	struct token_list triggers = trigger_tokens(x, list_of(x, f, "trigger_tokens"));
	const cJSON *tags = list_of(x, f, "tags");
	bool least_one = flag_of(x, f, "at_least_one"), once = flag_of(x, f, "stop_after_first");
	piece_id *behind = arena_array(&x->r->arena, triggers.n, sizeof *behind);
	for (uint32_t i = 0; i < triggers.n; i++) behind[i] = parts_nothing(&x->parts);
	for (const cJSON *t = tags ? tags->child : NULL; t && !x->failed; t = t->next) {
		const cJSON *begin = get(t, "begin");
		if (!cJSON_IsObject(begin)) return fail(x, "a tag here must begin with a token");
		uint32_t id = token_id(x, get(begin, "token")), i = 0;
		while (i < triggers.n && triggers.at[i] != id) i++;
		if (i == triggers.n) return fail(x, "a tag begins with token %u, which is no trigger", id);
		behind[i] = parts_alt(&x->parts, behind[i], tag(x, t, ""));
	}
	if (x->failed) return parts_nothing(&x->parts);
	for (uint32_t i = 0; i < triggers.n; i++) behind[i] = parts_named(&x->parts, "trigger", behind[i]);
	piece_id first = least_one ? whole_tags(x, tags) : parts_empty(&x->parts);
	if (least_one && once) return first;
	return parts_seq(&x->parts, first, tokens_to(x, &triggers, behind, excluded_tokens(x, f), !once));
}

static piece_id token_dispatch(struct tags *x, const cJSON *f)
{
	const cJSON *rules = list_of(x, f, "rules");
	struct token_list triggers = {arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(rules), sizeof(uint32_t)), 0};
	piece_id *behind = arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(rules), sizeof *behind);
	for (const cJSON *rule = rules ? rules->child : NULL; rule && !x->failed; rule = rule->next) {
		if (!cJSON_IsArray(rule) || !rule->child || !rule->child->next)
			return fail(x, "\"rules\" must hold pairs of a token and a format");
		token(x, rule->child);
		if (x->failed) break;
		triggers.at[triggers.n] = token_id(x, rule->child);
		behind[triggers.n++] = parts_named(&x->parts, "rule", format(x, rule->child->next, NULL));
	}
	return tokens_to(x, &triggers, behind, excluded_tokens(x, f), !cJSON_IsFalse(get(f, "loop")));
}

static piece_id tags_with_separator(struct tags *x, const cJSON *f)
{
	const char *separator = string_of(x, f, "separator");
	bool least_one = flag_of(x, f, "at_least_one"), once = flag_of(x, f, "stop_after_first");
	piece_id one = whole_tags(x, list_of(x, f, "tags")), p = one;
	if (!once)
		p = parts_seq(&x->parts, one,
		              piece_repeat(x->r, parts_seq(&x->parts, parts_text(&x->parts, separator), one), 0, TERM_UNBOUNDED,
		                           whole(x)));
	return least_one ? p : parts_alt(&x->parts, p, parts_empty(&x->parts));
}

static piece_id parameters(struct tags *x, const struct parameters *p)
{
	const char *why = NULL;
	piece_id out;
	if (!parameters_known(p->style)) return fail(x, "the style \"%s\" is not supported", p->style);
	if (parameters_read(&x->parts, p, &out, &why)) return out;
	if (why) fail(x, "%s", why);
	x->failed = true;
	return parts_nothing(&x->parts);
}

static piece_id json_schema(struct tags *x, const cJSON *f, const cJSON *schema, const char *style)
{
	const char *said = cJSON_GetStringValue(get(f, "style"));
	if (said) style = said;
	bool any_order = flag_of(x, f, "any_order");
	if (strings_of(x, f, "excludes").n) return fail(x, "\"excludes\" of a schema is not supported");
	int64_t most = count_of(x, f, "max_whitespace_cnt");
	if (!cJSON_IsObject(schema) && !cJSON_IsBool(schema)) return fail(x, "\"json_schema\" must be a schema");
	if (x->failed) return parts_nothing(&x->parts);
	uint32_t most_blanks = most < 0 ? UINT32_MAX : (uint32_t)most;
	if (strcmp(style, "json") != 0) return parameters(x, &(struct parameters){style, schema, most_blanks, any_order});
	if (any_order) return fail(x, "\"any_order\" is not supported for JSON");
	char *s = cJSON_PrintUnformatted(schema);
	if (!s) work_out_of_memory(0);
	const struct embedding e = {.name = arena_printf(&x->r->arena, "schema_%u", x->parts.n_named++),
	                            .text = arena_strndup(&x->r->arena, s, strlen(s)),
	                            .most_blanks = most_blanks};
	cJSON_free(s);
	const char *key = arena_printf(&x->r->arena, "%u %s", e.most_blanks, e.text);
	bool is_new;
	piece_id p = parts_nothing(&x->parts);
	uint32_t n = intern_add(&x->schemas, key, strlen(key), &is_new);
	if (!is_new) return x->schema_piece.at[n];
	if (!embed_schema(x->r, rules_languages(x->r), &e, &p)) x->failed = true;
	vec_push(&x->schema_piece, p);
	return x->failed ? parts_nothing(&x->parts) : p;
}

// What XGrammar refuses is read as the regexes of Lark grammars are (docs/regex.md).
static piece_id regex(struct tags *x, const cJSON *f)
{
	const char *text = string_of(x, f, "pattern");
	const struct pattern pattern = {.text = text, .len = strlen(text), .loc = whole(x)};
	struct diag unheard = {0};
	piece_id p = parts_nothing(&x->parts);
	bool ok = x->failed || pattern_read(x->r, &pattern, &unheard, &p);
	diag_release(&unheard);
	if (ok) return p;
	const struct regex_text whole_text = {text, (uint32_t)pattern.len, 0, whole(x), "regex"};
	language l = language_of_regex(rules_languages(x->r), &whole_text, x->r->diag);
	if (l == LANGUAGE_ERROR) x->failed = true;
	return x->failed ? p : parts_language(&x->parts, l);
}

static piece_id grammar(struct tags *x, const cJSON *f)
{
	const struct embedding e = {.name = arena_printf(&x->r->arena, "grammar_%u", x->parts.n_named++),
	                            .text = string_of(x, f, "grammar")};
	piece_id p;
	if (!x->failed && !embed_ebnf(x->r, &e, &p)) x->failed = true;
	return x->failed ? parts_nothing(&x->parts) : p;
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
			piece_id end = parts_nothing(&x->parts);
			for (uint32_t i = 0; i < ends->n; i++) end = parts_alt(&x->parts, end, parts_text(&x->parts, ends->at[i]));
			p = parts_seq(&x->parts, p, end);
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
	return piece_repeat(x->r, parts_named(&x->parts, "repeated", p), (uint32_t)least,
	                    most < 0 ? TERM_UNBOUNDED : (uint32_t)most, whole(x));
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
	ANY_TOKENS,
	TOKEN_TRIGGERED,
	TOKEN_DISPATCH,
	QWEN_XML,
	N_TYPES
};
static const char *const type_name[N_TYPES] = {"const_string",
                                               "json_schema",
                                               "any_text",
                                               "grammar",
                                               "regex",
                                               "sequence",
                                               "or",
                                               "tag",
                                               "triggered_tags",
                                               "tags_with_separator",
                                               "optional",
                                               "plus",
                                               "star",
                                               "repeat",
                                               "dispatch",
                                               "token",
                                               "any_tokens",
                                               "token_triggered_tags",
                                               "token_dispatch",
                                               "qwen_xml_parameter"};

// Branches: one case for each format of structural tags.
static piece_id one_format(struct tags *x, const cJSON *f, enum type type, const struct strings *ends)
{
	switch (type) {
	case CONST_STRING: return parts_text(&x->parts, string_of(x, f, "value"));
	case JSON_SCHEMA: return json_schema(x, f, get(f, "json_schema"), "json");
	case QWEN_XML: return json_schema(x, f, get(f, "json_schema"), "qwen_xml");
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
	case DISPATCH: return dispatch_format(x, f);
	case TOKEN: return token(x, get(f, "token"));
	case ANY_TOKENS: return any_tokens(x, f);
	case TOKEN_TRIGGERED: return token_triggered_tags(x, f);
	case TOKEN_DISPATCH: return token_dispatch(x, f);
	default: return fail(x, "the format \"%s\" is not supported", cJSON_GetStringValue(get(f, "type")));
	}
}

// ends: of the tag around; a format without end reads up to and with them.
static piece_id format(struct tags *x, const cJSON *f, const struct strings *ends)
{
	const char *type = cJSON_GetStringValue(get(f, "type")), *path = x->path;
	if (x->failed) return parts_nothing(&x->parts);
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
	struct tags x = {.r = r, .path = "structural_tag", .end_token = NO_TOKEN};
	x.parts = (struct parts){.r = r, .names_tokens = true, .loc = whole(&x)};
	if (get(root, "type") && !is_type(root, "structural_tag"))
		fail(&x, "the \"type\" of the document must be \"structural_tag\"");
	piece_id body = get(root, "format") ? format(&x, get(root, "format"), NULL) : older_form(&x, root);
	uint32_t rule = rule_number(r, "structural_tag", strlen("structural_tag"), whole(&x));
	r->rule.at[rule].body = body;
	intern_release(&x.schemas), vec_release(&x.schema_piece);
	return !x.failed && pieces_finish(r, "structural_tag");
}
