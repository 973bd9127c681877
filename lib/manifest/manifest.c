// gcdc.yaml -> struct plan.
//
// In:  the manifest's text. Out: an artifact for each grammar with each tokenizer, but for those that `exclude` names.
// What holds for an artifact is put together in this order, later over earlier: the manifest's `options` and `checks`,
// the tokenizer's, the grammar's, then each entry of `overrides` that names it. Limits and options are replaced, texts
// to check are added. All mistakes are reported, each at its place. docs/build.md has the notation. Cost: grammars x
// tokenizers x (overrides + exclude).
#include "manifest.h"

#include "../base/text_out.h"
#include "manifest_internal.h"

typedef VEC(const char *) pattern_list;
struct rule {
	pattern_list grammars, tokenizers;  // none: all
	struct entry_extra extra;
	const char *output;
	struct loc loc;
	bool used;
};
typedef VEC(struct rule) rule_list;

static void take_pattern(struct manifest_reader *r, const char *text, struct loc loc, void *context)
{
	(void)r, (void)loc;
	pattern_list *to = context;
	vec_push(to, text);
}

// Branches: one check for each key of a rule, as errors of all keys are told at once.
static bool read_rules(struct manifest_reader *r, struct manifest_value v, const char *what, bool is_override,
                       rule_list *rules)
{
	static const char *const keys[] = {"grammar", "tokenizer", "options", "checks", "output"};
	if (!is_list(v)) {
		diag_error(r->diag, value_loc(r, v), "%s must be a list (- grammar: ...), this is %s", what, value_kind(v));
		return false;
	}
	bool ok = true;
	for (uint32_t i = 0; i < list_length(v); i++) {
		struct manifest_value entry = list_item(r, v, i), x;
		struct rule rule = {.loc = value_loc(r, entry)};
		if (!map_keys(r, entry, is_override ? "an override" : "an exclusion", keys, is_override ? 5 : 2)) ok = false;
		if (!is_map(entry)) continue;
		if ((x = map_get(r, entry, "grammar")).node &&
		    !value_each(r, x, "grammar", false, take_pattern, &rule.grammars))
			ok = false;
		if ((x = map_get(r, entry, "tokenizer")).node &&
		    !value_each(r, x, "tokenizer", false, take_pattern, &rule.tokenizers))
			ok = false;
		if (is_override) {
			if ((x = map_get(r, entry, "options")).node && !options_parse(r, x, rule.extra.options)) ok = false;
			if ((x = map_get(r, entry, "checks")).node && !checks_parse(r, x, &rule.extra.checks)) ok = false;
			if ((x = map_get(r, entry, "output")).node && !(rule.output = value_text(r, x, "output", false)))
				ok = false;
		}
		vec_push(rules, rule);
	}
	return ok;
}

static bool in_patterns(const pattern_list *patterns, const char *name)
{
	for (uint32_t i = 0; i < patterns->n; i++)
		if (glob_name(patterns->at[i], name)) return true;
	return patterns->n == 0;
}

static bool rule_names(struct rule *rule, const struct plan_grammar *g, const struct plan_tokenizer *t)
{
	bool names = in_patterns(&rule->grammars, g->name) && in_patterns(&rule->tokenizers, t->name);
	rule->used |= names;
	return names;
}

static bool all_used(struct manifest_reader *r, const rule_list *rules, const char *what)
{
	bool ok = true;
	for (uint32_t i = 0; i < rules->n; i++)
		if (!rules->at[i].used) {
			diag_error(r->diag, rules->at[i].loc, "this %s names no artifact: no grammar and tokenizer have such names",
			           what);
			ok = false;
		}
	return ok;
}

static void rules_release(rule_list *rules)
{
	for (uint32_t i = 0; i < rules->n; i++) {
		vec_release(&rules->at[i].grammars), vec_release(&rules->at[i].tokenizers);
		vec_release(&rules->at[i].extra.checks.texts);
	}
	vec_release(rules);
}

// "{grammar}-{tokenizer}.gcdc" with the names put in; NULL after an error.
static const char *expand_name(struct manifest_reader *r, const char *pattern, struct loc loc, const char *grammar,
                               const char *tokenizer)
{
	struct text_out text;
	text_open(&text);
	FILE *f = text.f;
	bool ok = true;
	for (const char *c = pattern; *c && ok;) {
		if (!strncmp(c, "{grammar}", 9))
			fputs(grammar, f), c += 9;
		else if (!strncmp(c, "{tokenizer}", 11))
			fputs(tokenizer, f), c += 11;
		else if (*c == '{' || *c == '}' || *c == '\n')
			ok = false;
		else
			fputc(*c++, f);
	}
	const char *name = text_close(&text, r->arena);
	if (ok) return name;
	diag_error(r->diag, loc, "'%s' is no name of a file; {grammar} and {tokenizer} stand for names in it", pattern);
	return NULL;
}

struct top {
	const char *name_pattern;
	struct loc name_loc;
	struct entry_extra defaults;
	extra_list grammars, tokenizers;
	rule_list overrides, exclude;
};

static bool add_artifact(struct manifest_reader *r, struct top *t, uint32_t g, uint32_t k)
{
	struct plan *p = r->plan;
	const struct plan_grammar *grammar = &p->grammars.at[g];
	const struct plan_tokenizer *tokenizer = &p->tokenizers.at[k];
	bool excluded = false;
	for (uint32_t i = 0; i < t->exclude.n; i++) excluded |= rule_names(&t->exclude.at[i], grammar, tokenizer);
	if (excluded) return true;
	if (p->artifacts.n == MANIFEST_MAX_ARTIFACTS) {
		diag_error(r->diag, grammar->loc, "more than %u artifacts (MANIFEST_MAX_ARTIFACTS)", MANIFEST_MAX_ARTIFACTS);
		return false;
	}
	struct plan_artifact a = {.grammar = g, .tokenizer = k};
	a.name = arena_printf(r->arena, "%s-%s", grammar->name, tokenizer->name);
	const struct entry_extra *extras[] = {&t->defaults, &t->tokenizers.at[k], &t->grammars.at[g]};
	for (int i = 0; i < 3; i++) options_over(a.options, extras[i]->options), checks_over(&a.checks, &extras[i]->checks);
	const char *pattern = t->name_pattern;
	struct loc loc = t->name_loc;
	for (uint32_t i = 0; i < t->overrides.n; i++) {
		struct rule *rule = &t->overrides.at[i];
		if (!rule_names(rule, grammar, tokenizer)) continue;
		options_over(a.options, rule->extra.options), checks_over(&a.checks, &rule->extra.checks);
		if (rule->output) pattern = rule->output, loc = rule->loc;
	}
	const char *file = expand_name(r, pattern, loc, grammar->name, tokenizer->name);
	a.output = file ? arena_printf(r->arena, "%s/%s", p->output, file) : "";
	vec_push(&p->artifacts, a);
	return file != NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct plan_artifact *const *)a)->name, (*(const struct plan_artifact *const *)b)->name);
}

static int by_output(const void *a, const void *b)
{
	return strcmp((*(const struct plan_artifact *const *)a)->output, (*(const struct plan_artifact *const *)b)->output);
}

static bool all_different(struct manifest_reader *r)
{
	struct plan *p = r->plan;
	const struct plan_artifact **order = arena_array(r->arena, p->artifacts.n, sizeof *order);
	for (uint32_t i = 0; i < p->artifacts.n; i++) order[i] = &p->artifacts.at[i];
	qsort(order, p->artifacts.n, sizeof *order, by_name);
	for (uint32_t i = 1; i < p->artifacts.n; i++)
		if (!strcmp(order[i]->name, order[i - 1]->name)) {
			diag_error(r->diag, p->grammars.at[order[i]->grammar].loc, "two artifacts are called '%s'", order[i]->name);
			diag_note(r->diag, p->grammars.at[order[i - 1]->grammar].loc,
			          "the other one is of this grammar; give it another 'name'");
			return false;
		}
	qsort(order, p->artifacts.n, sizeof *order, by_output);
	for (uint32_t i = 1; i < p->artifacts.n; i++)
		if (!strcmp(order[i]->output, order[i - 1]->output)) {
			diag_error(r->diag, p->grammars.at[order[i]->grammar].loc, "%s and %s would be the same file, %s",
			           order[i - 1]->name, order[i]->name, order[i]->output);
			diag_note(r->diag, (struct loc){0},
			          "a name with both {grammar} and {tokenizer} in it is different for each");
			return false;
		}
	return true;
}

// Branches: one check for each key of a manifest, as errors of all keys are told at once.
static bool read_top(struct manifest_reader *r, const struct manifest_options_given *given, struct top *t)
{
	static const char *const keys[] = {"output",     "name",     "options",   "checks",
	                                   "tokenizers", "grammars", "overrides", "exclude"};
	struct manifest_value root = reader_root(r), v;
	struct loc begin = {r->source, 0, 1};
	if (!root.node) {
		diag_error(r->diag, begin, "the manifest is empty; it needs at least 'grammars: [FILE.lark]'");
		return false;
	}
	bool ok = map_keys(r, root, "a manifest", keys, sizeof keys / sizeof *keys);
	if (!is_map(root)) return false;
	t->name_pattern = "{grammar}-{tokenizer}.gcdc", t->name_loc = begin;
	r->plan->output = "build";
	if ((v = map_get(r, root, "output")).node && !(r->plan->output = value_text(r, v, "output", false))) ok = false;
	if (given->output) r->plan->output = given->output;
	if ((v = map_get(r, root, "name")).node) {
		t->name_loc = value_loc(r, v);
		if (!(t->name_pattern = value_text(r, v, "name", false))) ok = false;
	}
	if ((v = map_get(r, root, "options")).node && !options_parse(r, v, t->defaults.options)) ok = false;
	if ((v = map_get(r, root, "checks")).node && !checks_parse(r, v, &t->defaults.checks)) ok = false;
	if ((v = map_get(r, root, "tokenizers")).node) {
		if (!entries_tokenizers(r, v, &t->tokenizers)) ok = false;
	} else {
		vec_push(&r->plan->tokenizers, ((struct plan_tokenizer){.name = "default", .loc = begin}));
		vec_push(&t->tokenizers, ((struct entry_extra){0}));
	}
	if ((v = map_get(r, root, "grammars")).node) {
		if (!entries_grammars(r, v, &t->grammars)) ok = false;
	} else {
		diag_error(r->diag, begin, "the manifest names no 'grammars'");
		ok = false;
	}
	if ((v = map_get(r, root, "overrides")).node && !read_rules(r, v, "overrides", true, &t->overrides)) ok = false;
	if ((v = map_get(r, root, "exclude")).node && !read_rules(r, v, "exclude", false, &t->exclude)) ok = false;
	return ok;
}

bool manifest_plan(const struct source *source, const struct manifest_options_given *given, struct diag *d,
                   struct plan *p)
{
	*p = (struct plan){0};
	struct manifest_reader r = {.source = source, .arena = &p->arena, .diag = d, .plan = p};
	struct top t = {0};
	if (source->len > MANIFEST_MAX_BYTES) {
		diag_error(d, (struct loc){0}, "%s: %zu bytes are more than %u (MANIFEST_MAX_BYTES)", source->path, source->len,
		           MANIFEST_MAX_BYTES);
		return false;
	}
	bool ok = reader_open(&r);
	if (ok) {
		ok = read_top(&r, given, &t);
		for (uint32_t g = 0; g < p->grammars.n && ok; g++)
			for (uint32_t k = 0; k < p->tokenizers.n && ok; k++) ok = add_artifact(&r, &t, g, k);
		const bool excludes = !ok || all_used(&r, &t.exclude, "exclusion");  // both are told
		ok = ok && all_used(&r, &t.overrides, "override") && excludes;
		if (ok && !p->artifacts.n) {
			diag_error(d, (struct loc){source, 0, 1}, "everything is excluded: there is nothing to build");
			ok = false;
		}
		if (ok) ok = all_different(&r);
		reader_close(&r);
	}
	vec_release(&r.line);
	extra_release(&t.grammars), extra_release(&t.tokenizers);
	vec_release(&t.defaults.checks.texts);
	rules_release(&t.overrides), rules_release(&t.exclude);
	if (!ok) plan_release(p);
	return ok;
}

void plan_release(struct plan *p)
{
	for (uint32_t i = 0; i < p->artifacts.n; i++) vec_release(&p->artifacts.at[i].checks.texts);
	vec_release(&p->tokenizers), vec_release(&p->grammars), vec_release(&p->artifacts), vec_release(&p->folders);
	arena_release(&p->arena);
	*p = (struct plan){0};
}
