// lib/manifest: what holds for an artifact. (Broken manifests, and what a build does: tests/build/run.)
#include <criterion/criterion.h>

#include "manifest/manifest.h"

static struct diag diag;

static bool plan(const char *text, struct plan *p)
{
	static struct source source;
	source = (struct source){"m.yaml", text, strlen(text)};
	diag_release(&diag);
	return manifest_plan(&source, &(struct manifest_options_given){NULL}, &diag, p);
}

static const struct plan_artifact *find(const struct plan *p, const char *name)
{
	for (uint32_t i = 0; i < p->artifacts.n; i++)
		if (!strcmp(p->artifacts.at[i].name, name)) return &p->artifacts.at[i];
	return NULL;
}

static char *words_of(struct plan *p, const char *name)
{
	const struct plan_artifact *a = find(p, name);
	cr_assert_not_null(a, "no artifact %s", name);
	option_words words = {0};
	plan_option_words(&p->arena, a->options, &words);
	char *all = arena_strndup(&p->arena, "", 0);
	for (uint32_t i = 0; i < words.n; i++) all = arena_printf(&p->arena, "%s%s%s", all, i ? " " : "", words.at[i]);
	vec_release(&words);
	return all;
}

#define TWO_BY_TWO                                                                                                     \
	"tokenizers:\n"                                                                                                    \
	"  - {file: builtin, options: {level: 2, raw: true}, checks: {refuse: t}}\n"                                       \
	"  - tests/cli/data/tiny\n"                                                                                        \
	"grammars:\n"                                                                                                      \
	"  - grammars/js*/*.lark\n"                                                                                        \
	"  - {file: tests/cli/data/list.lark, name: l, options: {level: 3, start: item}, checks: {accept: g, max-size: 2 " \
	"kB}}\n"                                                                                                           \
	"options: {level: 1, deterministic: true}\n"                                                                       \
	"checks: {accept: [a, b], max-size: 1 MiB, worst-sets: 7}\n"

Test(manifest, later_parts_go_before_earlier_ones)
{
	struct plan p;
	cr_assert(
		plan(TWO_BY_TWO
	         "overrides:\n  - {grammar: l, tokenizer: t*, options: {deterministic: false, level: 9, budget: off}}\n",
	         &p),
		"%s", diag_text(&diag));
	cr_assert_eq(p.artifacts.n, 4);
	cr_assert_str_eq(words_of(&p, "json-default"), "--deterministic --raw --level 2");
	cr_assert_str_eq(words_of(&p, "json-tiny"), "--deterministic --level 1");
	cr_assert_str_eq(words_of(&p, "l-default"), "--start=item --deterministic --raw --level 3");
	cr_assert_str_eq(words_of(&p, "l-tiny"), "--start=item --level 9 --budget off");
	plan_release(&p);
	diag_release(&diag);
}

Test(manifest, texts_add_up_and_limits_are_replaced)
{
	struct plan p;
	cr_assert(plan(TWO_BY_TWO, &p), "%s", diag_text(&diag));
	const struct plan_checks *c = &find(&p, "l-default")->checks;
	const char *const texts[] = {"a", "b", "t", "g"};
	cr_assert_eq(c->texts.n, 4);
	for (int i = 0; i < 4; i++) {
		cr_assert_str_eq(c->texts.at[i].text, texts[i]);
		cr_assert_eq(c->texts.at[i].accept, i != 2);
	}
	cr_assert_eq(c->limits[LIMIT_SIZE].most, 2000);
	cr_assert_eq(c->limits[LIMIT_SETS].most, 7);
	cr_assert(!c->limits[LIMIT_FRAMES].given);
	cr_assert_eq(find(&p, "json-tiny")->checks.limits[LIMIT_SIZE].most, 1 << 20);
	plan_release(&p);
	diag_release(&diag);
}

Test(manifest, files_and_names)
{
	struct plan p;
	cr_assert(plan(TWO_BY_TWO
	               "output: o\nname: '{tokenizer}/{grammar}.x'\nexclude: [{grammar: json, tokenizer: tiny}]\n",
	               &p),
	          "%s", diag_text(&diag));
	cr_assert_eq(p.artifacts.n, 3);
	cr_assert_null(find(&p, "json-tiny"));
	cr_assert_str_eq(find(&p, "l-tiny")->output, "o/tiny/l.x");
	cr_assert_null(p.tokenizers.at[0].file);
	cr_assert_str_eq(p.tokenizers.at[1].file, "tests/cli/data/tiny/tokenizer.json");
	plan_release(&p);
	diag_release(&diag);
}

Test(manifest, the_least_that_there_is)
{
	struct plan p;
	cr_assert(plan("grammars: [grammars/json/json.lark]", &p), "%s", diag_text(&diag));
	cr_assert_eq(p.artifacts.n, 1);
	cr_assert_str_eq(p.artifacts.at[0].output, "build/json-default.gcdc");
	plan_release(&p);
	diag_release(&diag);
}

Test(manifest, its_size_is_limited)
{
	struct plan p;
	struct source source = {"m.yaml", "", MANIFEST_MAX_BYTES + 1};
	cr_assert(!manifest_plan(&source, &(struct manifest_options_given){NULL}, &diag, &p));
	cr_assert(strstr(diag_text(&diag), "MANIFEST_MAX_BYTES"));
	diag_release(&diag);
}

Test(manifest, a_pattern_finds_files_in_the_order_of_their_bytes)
{
	struct plan p;
	cr_assert(
		plan("grammars: [grammars/json/json.lark]\nchecks: {accept-files: 'tests/cli/data/**/tokenizer*.json'}", &p),
		"%s", diag_text(&diag));
	const char *const files[] = {"tests/cli/data/spaced/tokenizer.json", "tests/cli/data/spaced/tokenizer_config.json",
	                             "tests/cli/data/tiny/tokenizer.json", "tests/cli/data/tiny/tokenizer_config.json"};
	cr_assert_geq(p.artifacts.at[0].checks.texts.n, 4);
	for (uint32_t i = 0, k = 0; i < p.artifacts.at[0].checks.texts.n; i++) {
		const char *file = p.artifacts.at[0].checks.texts.at[i].file;
		cr_assert(!i || strcmp(p.artifacts.at[0].checks.texts.at[i - 1].file, file) < 0, "%s", file);
		if (k < 4 && !strcmp(file, files[k])) k++;
		cr_assert(i + 1 < p.artifacts.at[0].checks.texts.n || k == 4);
	}
	plan_release(&p);
	diag_release(&diag);
}
