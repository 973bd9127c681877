// The options of a manifest: names, kinds, values; and as words of `gcdc compile`'s command line.
//
// In:  a mapping `options:`. Out: option_value[n_manifest_options].
// To let a manifest set one more option of `gcdc compile`, add its line to the table: it is parsed, its default and its
// overrides work, it is part of what decides whether an artifact is built anew, and is passed on as --NAME [VALUE].
#include "manifest_internal.h"

#include <assert.h>

const struct manifest_option manifest_options[] = {
	{.name = "start", .kind = MANIFEST_TEXT},
	{.name = "indent", .kind = MANIFEST_TEXT},
	{.name = "from", .kind = MANIFEST_CHOICE, .choices = "lark|json-schema|tools|gbnf|ebnf|choice|structural-tag"},
	{.name = "pointer", .kind = MANIFEST_TEXT},
	{.name = "order", .kind = MANIFEST_CHOICE, .choices = "schema|any|auto"},
	{.name = "space", .kind = MANIFEST_CHOICE, .choices = "any|compact|dumps|indented"},
	{.name = "indentation", .kind = MANIFEST_NUMBER, .least = 0, .most = 16},
	{.name = "blanks", .kind = MANIFEST_NUMBER, .least = 0, .most = 1000},
	{.name = "additional", .kind = MANIFEST_CHOICE, .choices = "open|closed"},
	{.name = "escapes", .kind = MANIFEST_CHOICE, .choices = "written|all"},
	{.name = "format", .kind = MANIFEST_CHOICE, .choices = "assert|known|annotation"},
	{.name = "schemas", .kind = MANIFEST_TEXT},
	{.name = "allow-unenforced", .kind = MANIFEST_TEXT},
	{.name = "unique", .kind = MANIFEST_CHOICE, .choices = "exact|everywhere"},
	{.name = "profile", .kind = MANIFEST_CHOICE, .choices = "openai|anthropic"},
	{.name = "preset", .kind = MANIFEST_TEXT},
	{.name = "choice", .kind = MANIFEST_TEXT},
	{.name = "reasoning", .kind = MANIFEST_CHOICE, .choices = "none|optional|required|opened"},
	{.name = "deterministic", .kind = MANIFEST_FLAG},
	{.name = "raw", .kind = MANIFEST_FLAG},
	{.name = "level", .kind = MANIFEST_NUMBER, .least = 1, .most = 19},
	{.name = "no-vocab", .kind = MANIFEST_FLAG},
	{.name = "budget", .kind = MANIFEST_CHOICE, .choices = "exact|aligned|off"},
	{.name = "texts", .kind = MANIFEST_TEXT},
	{.name = "texts-limit", .kind = MANIFEST_NUMBER, .least = 1, .most = 1u << 20},
	{.name = "werror", .kind = MANIFEST_TEXT},  // "all", or warnings' names
	{.name = "canonical", .kind = MANIFEST_CHOICE, .choices = "off|soft|hard"},
	{.name = "max-seconds", .kind = MANIFEST_NUMBER, .least = 1, .most = 1000000000},
	{.name = "max-memory", .kind = MANIFEST_NUMBER, .least = 1, .most = 1u << 30},
};
const uint32_t n_manifest_options = sizeof manifest_options / sizeof *manifest_options;
static_assert(sizeof manifest_options / sizeof *manifest_options <= MANIFEST_MAX_OPTIONS, "room for values");

// A text without a line's end in it; those at its end (a YAML block has one) are dropped.
static const char *one_line(struct manifest_reader *r, struct manifest_value v, const char *what)
{
	const char *text = value_text(r, v, what, false);
	size_t n = text ? strlen(text) : 0;
	while (n && text[n - 1] == '\n') n--;
	if (!text || !memchr(text, '\n', n)) return text ? arena_strndup(r->arena, text, n) : NULL;
	diag_error(r->diag, value_loc(r, v), "%s must be one line", what);
	return NULL;
}

// One of "a|b|c".
static const char *one_of(struct manifest_reader *r, struct manifest_value v, const char *what, const char *choices)
{
	const char *text = value_text(r, v, what, false);
	size_t n = text ? strlen(text) : 0;
	for (const char *c = choices; text; c++) {
		size_t len = strcspn(c, "|");
		if (len == n && !memcmp(c, text, n)) return text;
		c += len;
		if (!*c) break;
	}
	if (text) diag_error(r->diag, value_loc(r, v), "%s must be one of %s", what, choices);
	return NULL;
}

bool options_parse(struct manifest_reader *r, struct manifest_value v, struct option_value *values)
{
	const char *names[MANIFEST_MAX_OPTIONS];
	for (uint32_t i = 0; i < n_manifest_options; i++) names[i] = manifest_options[i].name;
	bool ok = map_keys(r, v, "options", names, n_manifest_options);
	for (uint32_t i = 0; i < n_manifest_options && is_map(v); i++) {
		const struct manifest_option *o = &manifest_options[i];
		struct manifest_value given = map_get(r, v, o->name);
		if (!given.node) continue;
		struct option_value x = {.given = true};
		bool good = false;
		switch (o->kind) {
		case MANIFEST_FLAG: good = value_flag(r, given, o->name, &x.flag); break;
		case MANIFEST_NUMBER: good = value_number(r, given, o->name, o->least, o->most, &x.number); break;
		case MANIFEST_CHOICE: good = (x.text = one_of(r, given, o->name, o->choices)) != NULL; break;
		case MANIFEST_TEXT: good = (x.text = one_line(r, given, o->name)) != NULL; break;
		}
		if (good)
			values[i] = x;
		else
			ok = false;
	}
	return ok;
}

void options_over(struct option_value *to, const struct option_value *from)
{
	for (uint32_t i = 0; i < n_manifest_options; i++)
		if (from[i].given) to[i] = from[i];
}

void plan_option_words(struct arena *a, const struct option_value *values, option_words *words)
{
	for (uint32_t i = 0; i < n_manifest_options; i++) {
		const struct option_value *v = &values[i];
		const struct manifest_option *o = &manifest_options[i];
		if (!v->given || (o->kind == MANIFEST_FLAG && !v->flag)) continue;
		if (o->kind == MANIFEST_TEXT) {
			vec_push(words, arena_printf(a, "--%s=%s", o->name, v->text));
			continue;
		}
		vec_push(words, arena_printf(a, "--%s", o->name));
		if (o->kind == MANIFEST_NUMBER)
			vec_push(words, arena_printf(a, "%llu", (unsigned long long)v->number));
		else if (o->kind != MANIFEST_FLAG)
			vec_push(words, v->text);
	}
}
