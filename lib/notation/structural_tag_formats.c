// Formats of structural tags that hold tags or tokens.
//
// In:   {"type": "tag"}, "triggered_tags", "dispatch" and their kin on tokens.
// Out:  a piece for each. Free text in front of a tag ends where a trigger begins (free_text.c).
// Cost: linear, but for the formats inside.
#include "structural_tag_internal.h"

bool format_is_type(const cJSON *f, const char *type)
{
	const char *t = cJSON_GetStringValue(tags_get(f, "type"));
	return t && !strcmp(t, type);
}

// Does it end in free text, so that it may read up to and with the end of the tag around? A terminal is cut there then.
bool format_is_unlimited(const cJSON *f)
{
	const cJSON *inner = tags_get(f, "elements"),
				*last = cJSON_IsArray(inner) && inner->child ? inner->child->prev : NULL;
	if (format_is_type(f, "any_text") || format_is_type(f, "triggered_tags")) return true;
	if (format_is_type(f, "sequence")) return last && format_is_unlimited(last);
	bool some = false;
	for (const cJSON *e = format_is_type(f, "or") && cJSON_IsArray(inner) ? inner->child : NULL; e; e = e->next)
		some |= format_is_unlimited(e);
	return some;
}

// NO_TOKEN: none has this name.
static uint32_t named_token(const struct tags *x, const char *name)
{
	const struct control_tokens *c = x->r->control;
	for (uint32_t i = 0; name && c && i < c->n; i++)
		if (c->at[i].name && !strcmp(c->at[i].name, name)) return c->at[i].id;
	for (uint32_t t = 0; name && c && c->bytes && t < c->n_tokens; t++)
		if (c->offset[t + 1] - c->offset[t] == strlen(name) && !memcmp(c->bytes + c->offset[t], name, strlen(name)))
			return t;
	return NO_TOKEN;
}

piece_id format_token(struct tags *x, const cJSON *t)
{
	const char *name = cJSON_GetStringValue(t);
	const uint32_t named = named_token(x, name);
	const double number = cJSON_IsNumber(t) ? t->valuedouble : -1.0;
	const uint32_t id = name || number < 0 || number >= NO_TOKEN ? named : (uint32_t)number;
	const char *why = one_token_obstacle(&x->parts, id);
	if (why) return fail(x, "%s", why);
	if (token_is_whole(&x->parts, id)) return one_token(&x->parts, &id, 1);
	return tags_control(x, name ? arena_printf(&x->r->arena, "\"%s\"", name)
	                            : arena_printf(&x->r->arena, "[%.0f]", number));
}

// Its number; NO_TOKEN after an error.
static uint32_t token_id(struct tags *x, const cJSON *t)
{
	const char *name = cJSON_GetStringValue(t);
	if (named_token(x, name) != NO_TOKEN) return named_token(x, name);
	if (cJSON_IsNumber(t) && t->valuedouble >= 0 && t->valuedouble < NO_TOKEN) return (uint32_t)t->valuedouble;
	format_token(x, t);
	return NO_TOKEN;
}

static piece_id tag_end(struct tags *x, const cJSON *end, struct end_strings *ends, bool *is_empty)
{
	if (cJSON_IsObject(end)) return format_token(x, tags_get(end, "token"));
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
	tags_stops(x, *ends);
	return p;
}

// What follows the trigger of a tag, a string or a token: the rest of its begin (or all of it), content, end.
piece_id format_tag(struct tags *x, const cJSON *f, const char *trigger)
{
	const cJSON *begin = tags_get(f, "begin"), *content = tags_get(f, "content"), *end_of = tags_get(f, "end");
	const char *s = cJSON_GetStringValue(begin);
	struct end_strings ends = {0}, around = x->around;
	uint32_t end_token = x->end_token;
	bool is_empty = false;
	if (!s && !cJSON_IsObject(begin)) return fail(x, "\"begin\" must be a string, or a token");
	const char *around_trigger = x->behind_trigger;
	x->behind_trigger = s && trigger ? s + strlen(trigger) : NULL;
	piece_id first = s         ? parts_text(&x->parts, s + strlen(trigger ? trigger : ""))
	                 : trigger ? parts_empty(&x->parts)
	                           : format_token(x, tags_get(begin, "token"));
	piece_id end = tag_end(x, end_of, &ends, &is_empty);
	if (!cJSON_IsObject(content)) return fail(x, "a tag needs \"content\"");
	bool until = format_is_unlimited(content) && ends.n && !is_empty;
	x->around = ends;
	x->end_token = cJSON_IsObject(end_of) && !x->failed ? token_id(x, tags_get(end_of, "token")) : NO_TOKEN;
	piece_id inner = format_read(x, content, until ? &ends : NULL);
	x->around = around, x->end_token = end_token, x->behind_trigger = around_trigger;
	piece_id all[] = {first, inner, end};
	const uint32_t n = until ? 2 : 3;
	parts_before_tokens(&x->parts, all, n);
	return piece_seq(x->r, all, n, tags_loc(x));
}

// All tags as alternatives, from their beginning on.
piece_id format_tags(struct tags *x, const cJSON *tags)
{
	piece_ids all = {0};
	for (const cJSON *t = tags ? tags->child : NULL; t; t = t->next) {
		piece_id p = format_tag(x, t, NULL);
		vec_push(&all, p);
	}
	piece_id p = piece_alt(x->r, all.at, all.n, tags_loc(x));
	vec_release(&all);
	return parts_named(&x->parts, "tags", p);
}

piece_id format_triggered_tags(struct tags *x, const cJSON *f, const struct end_strings *ends)
{
	struct end_strings triggers = tags_strings(x, f, "triggers");
	struct end_strings excludes = strings_join(&x->parts, tags_strings(x, f, "excludes"), x->around);
	const cJSON *tags = tags_list(x, f, "tags");
	bool least_one = tags_flag(x, f, "at_least_one"), once = tags_flag(x, f, "stop_after_first");
	piece_id *what = arena_array(&x->r->arena, triggers.n, sizeof *what);
	for (uint32_t i = 0; i < triggers.n; i++) what[i] = parts_nothing(&x->parts);
	for (const cJSON *t = tags ? tags->child : NULL; t && !x->failed; t = t->next) {
		const char *begin = tags_string(x, t, "begin");
		uint32_t found = UINT32_MAX, n = 0;
		for (uint32_t i = 0; i < triggers.n; i++)
			if (!strncmp(begin, triggers.at[i], strlen(triggers.at[i]))) found = i, n++;
		if (n != 1)
			return fail(x, "the tag that begins with \"%s\" has %u triggers; it needs one that is its beginning", begin,
			            n);
		what[found] = parts_alt(&x->parts, what[found], format_tag(x, t, triggers.at[found]));
	}
	if (x->failed) return parts_nothing(&x->parts);
	for (uint32_t i = 0; i < triggers.n; i++) what[i] = parts_named(&x->parts, "trigger", what[i]);
	const struct free_dispatch d = {tags_stops(x, triggers), excludes, what, !once, ends};
	if (!least_one) return free_text_dispatch(&x->parts, &d);
	piece_id first = format_tags(x, tags);
	if (!once) return parts_seq(&x->parts, first, free_text_dispatch(&x->parts, &d));
	piece_id end = ends ? parts_nothing(&x->parts) : parts_empty(&x->parts);
	for (uint32_t i = 0; ends && i < ends->n; i++) end = parts_alt(&x->parts, end, parts_text(&x->parts, ends->at[i]));
	return parts_seq(&x->parts, first, end);
}

piece_id format_dispatch(struct tags *x, const cJSON *f)
{
	const cJSON *rules = tags_list(x, f, "rules"), *loop = tags_get(f, "loop");
	uint32_t n = 0, all = rules ? (uint32_t)cJSON_GetArraySize(rules) : 0;
	const char **triggers = arena_array(&x->r->arena, all, sizeof *triggers);
	piece_id *what = arena_array(&x->r->arena, all, sizeof *what);
	for (const cJSON *rule = rules ? rules->child : NULL; rule && !x->failed; rule = rule->next) {
		const char *s = cJSON_IsArray(rule) && rule->child ? cJSON_GetStringValue(rule->child) : NULL;
		if (!s || !*s || !rule->child->next) return fail(x, "\"rules\" must hold pairs of a string and a format");
		triggers[n] = s;
		what[n++] = parts_named(&x->parts, "rule", format_read(x, rule->child->next, NULL));
	}
	const struct free_dispatch d = {tags_stops(x, (struct end_strings){triggers, n}), tags_strings(x, f, "excludes"),
	                                what, !cJSON_IsFalse(loop), NULL};
	return free_text_dispatch(&x->parts, &d);
}

struct token_list {
	uint32_t *at, n;
};

// The tokens that free ones must not be: those of the list, and the end of the tag around.
static struct token_list excluded_tokens(struct tags *x, const cJSON *f)
{
	const cJSON *list = tags_get(f, "exclude_tokens"), *t;
	struct token_list l = {arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *l.at), 0};
	if (list && !cJSON_IsNull(list) && !cJSON_IsArray(list)) fail(x, "\"exclude_tokens\" must be a list");
	cJSON_ArrayForEach(t, list)
	{
		uint32_t id = token_id(x, t);
		const char *why = x->failed ? NULL : free_token_obstacle(&x->parts, id);
		if (why) fail(x, "%s", why);
		l.at[l.n++] = id;
	}
	if (x->end_token != NO_TOKEN) l.at[l.n++] = x->end_token;
	return l;
}

// Are its free tokens told one by one? Where text is excluded or tokens are counted; else text is free as it comes.
static bool is_by_token(const struct tags *x, const cJSON *f)
{
	const cJSON *t;
	bool some = cJSON_IsNumber(tags_get(f, "max_tokens")) || token_is_whole(&x->parts, x->end_token);
	cJSON_ArrayForEach(t, tags_get(f, "exclude_tokens"))
	{
		if (cJSON_IsNumber(t)) some |= token_is_text(&x->parts, (uint32_t)t->valuedouble);
		if (cJSON_IsString(t)) some |= token_is_text(&x->parts, named_token(x, t->valuestring));
	}
	return some;
}

piece_id format_exclude_token(struct tags *x, const cJSON *f)
{
	struct token_list excluded = excluded_tokens(x, f);
	return x->failed ? parts_nothing(&x->parts) : free_token(&x->parts, excluded.at, excluded.n);
}

// As many of them as may be.
static piece_id tokens_free(struct tags *x, const cJSON *f, struct token_list excluded)
{
	const int64_t most = tags_count(x, f, "max_tokens");
	if (x->failed) return parts_nothing(&x->parts);
	if (!is_by_token(x, f)) return free_tokens(&x->parts, excluded.at, excluded.n);
	if (most > NOTATION_MAX_REPEAT)
		return fail(x, "\"max_tokens\" of \"any_tokens\" above %u is not supported (NOTATION_MAX_REPEAT)",
		            NOTATION_MAX_REPEAT);
	piece_id one = parts_named(&x->parts, "token", free_token(&x->parts, excluded.at, excluded.n));
	return piece_repeat(x->r, one, 0, most < 0 ? TERM_UNBOUNDED : (uint32_t)most, tags_loc(x));
}

piece_id format_any_tokens(struct tags *x, const cJSON *f)
{
	return parts_named(&x->parts, "any_tokens", tokens_free(x, f, excluded_tokens(x, f)));
}

static piece_id tokens_to(struct tags *x, const struct token_list *triggers, const piece_id *behind,
                          struct token_list excluded, bool again)
{
	for (uint32_t i = 0; i < excluded.n && !x->failed; i++) {
		const char *why = excluded.at[i] == x->end_token ? NULL : free_token_obstacle(&x->parts, excluded.at[i]);
		if (why) fail(x, "%s", why);
	}
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
		format_token(x, t);
		l.at[l.n++] = x->failed ? NO_TOKEN : token_id(x, t);
	}
	return l;
}

piece_id format_token_triggered_tags(struct tags *x, const cJSON *f)
{
	struct token_list triggers = trigger_tokens(x, tags_list(x, f, "trigger_tokens"));
	const cJSON *tags = tags_list(x, f, "tags");
	bool least_one = tags_flag(x, f, "at_least_one"), once = tags_flag(x, f, "stop_after_first");
	piece_id *behind = arena_array(&x->r->arena, triggers.n, sizeof *behind);
	for (uint32_t i = 0; i < triggers.n; i++) behind[i] = parts_nothing(&x->parts);
	for (const cJSON *t = tags ? tags->child : NULL; t && !x->failed; t = t->next) {
		const cJSON *begin = tags_get(t, "begin");
		if (!cJSON_IsObject(begin)) return fail(x, "a tag here must begin with a token");
		uint32_t id = token_id(x, tags_get(begin, "token")), i = 0;
		while (i < triggers.n && triggers.at[i] != id) i++;
		if (i == triggers.n) return fail(x, "a tag begins with token %u, which is no trigger", id);
		behind[i] = parts_alt(&x->parts, behind[i], format_tag(x, t, ""));
	}
	if (x->failed) return parts_nothing(&x->parts);
	for (uint32_t i = 0; i < triggers.n; i++) behind[i] = parts_named(&x->parts, "trigger", behind[i]);
	piece_id first = least_one ? format_tags(x, tags) : parts_empty(&x->parts);
	if (least_one && once) return first;
	return parts_seq(&x->parts, first, tokens_to(x, &triggers, behind, excluded_tokens(x, f), !once));
}

piece_id format_token_dispatch(struct tags *x, const cJSON *f)
{
	const cJSON *rules = tags_list(x, f, "rules");
	struct token_list triggers = {arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(rules), sizeof(uint32_t)), 0};
	piece_id *behind = arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(rules), sizeof *behind);
	for (const cJSON *rule = rules ? rules->child : NULL; rule && !x->failed; rule = rule->next) {
		if (!cJSON_IsArray(rule) || !rule->child || !rule->child->next)
			return fail(x, "\"rules\" must hold pairs of a token and a format");
		format_token(x, rule->child);
		if (x->failed) break;
		triggers.at[triggers.n] = token_id(x, rule->child);
		behind[triggers.n++] = parts_named(&x->parts, "rule", format_read(x, rule->child->next, NULL));
	}
	return tokens_to(x, &triggers, behind, excluded_tokens(x, f), !cJSON_IsFalse(tags_get(f, "loop")));
}
