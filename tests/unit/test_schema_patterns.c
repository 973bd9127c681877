// Patterns: which texts they take where they are written otherwise (lib/schema/group_references.c, pattern_counted.c).
#include <criterion/criterion.h>
#include <stdio.h>

#include "gcdc/compile.h"

struct opened {
	gcdc_compiled *compiled;
	gcdc_artifact *artifact;
};

// Of {"pattern": ...}; the pattern is in JSON's spelling.
static struct opened compile(const char *pattern)
{
	static char schema[1000];
	snprintf(schema, sizeof schema, "{\"type\": \"string\", \"pattern\": \"%s\"}", pattern);
	const gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA, .text = schema, .len = strlen(schema)};
	gcdc_vocab *v;
	gcdc_diagnostics *d;
	struct opened x;
	size_t len;
	cr_assert_eq(gcdc_vocab_open(NULL, NULL, &v, NULL), GCDC_OK);
	cr_assert_eq(gcdc_compile(v, &in, &(gcdc_compile_options){.costs = GCDC_COSTS_OFF}, &x.compiled, &d), GCDC_OK, "%s",
	             gcdc_diagnostics_text(d));
	const void *bytes = gcdc_compiled_bytes(x.compiled, &len);
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &x.artifact, NULL), GCDC_OK);
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
	return x;
}

static void release(struct opened x)
{
	gcdc_artifact_close(x.artifact);
	gcdc_compiled_free(x.compiled);
}

// Is the text, in JSON's spelling without quotes, taken?
static bool takes(gcdc_artifact *a, const char *text)
{
	char quoted[1000];
	gcdc_matcher *m;
	snprintf(quoted, sizeof quoted, "\"%s\"", text);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	const bool ok = gcdc_matcher_accept_bytes(m, quoted, strlen(quoted)) == GCDC_OK && gcdc_matcher_is_completed(m);
	gcdc_matcher_free(m);
	return ok;
}

struct pattern {
	const char *pattern, *taken[6], *refused[6];
};

static void check(const struct pattern *x)
{
	const struct opened a = compile(x->pattern);
	for (uint32_t i = 0; i < 6 && x->taken[i]; i++)
		cr_expect(takes(a.artifact, x->taken[i]), "%s: %s", x->pattern, x->taken[i]);
	for (uint32_t i = 0; i < 6 && x->refused[i]; i++)
		cr_expect(!takes(a.artifact, x->refused[i]), "%s: %s", x->pattern, x->refused[i]);
	release(a);
}

Test(schema_patterns, references_to_groups_of_few_texts)
{
	static const struct pattern cases[] = {
		{"^(['#])[a-z]*\\\\1$", {"'ab'", "##", "''"}, {"'ab#", "'", "ab", "'a''"}},
		{"^(?<q>['#])x\\\\k<q>$", {"'x'", "#x#"}, {"'x#", "x"}},
		{"(a|bc)-\\\\1", {"a-a", "xbc-bcx", "aa-ab"}, {"a-b", "bc-a", "a-"}},
		// A group that is left out is the empty text; one that is not is its text.
		{"^(a)?b\\\\1$", {"b", "aba"}, {"ab", "ba"}},
		{"^(?:(a)|(b))\\\\1\\\\2$", {"aa", "bb"}, {"a", "b", "ab", "aab", "aabb"}},
		{"^(?:x(a|b)|c)d\\\\1$", {"xada", "xbdb", "cd"}, {"xad", "xadb", "cda"}},
		// Each round of a repetition has its own text.
		{"^(?:(a|b)\\\\1)+$", {"aa", "aabb", "bbbbaa"}, {"ab", "aab", "abab"}},
		{"^(a|b)(?:c\\\\1)*$", {"a", "aca", "bcbcb"}, {"acb", "bcbca"}},
		// Two groups, one sequence in another.
		{"^(-?)(\\\\d\\\\1\\\\d(T\\\\d(:?)\\\\d(\\\\4\\\\d)?)?)$",
	     {"-1-2", "12", "-1-2T3:4:5", "12T34", "12T345", "12T3:4"},
	     {"-12", "1-2", "12T34:5", "12T3:45", "-1-2T3:45"}},
		// ISO 8601 as many schemas have it.
		{"^(\\\\d{4})((-?)((0[1-9]|1[0-2])(\\\\3([12]\\\\d|0[1-9]|3[01]))?))$",
	     {"2020-01-31", "20200131", "202012", "2020-12"},
	     {"2020-0131", "202001-31", "2020-13", "2020"}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

// By ECMA 262: a script is not its extensions, as PCRE2 takes its name alone; letters are not all that is alphabetic.
Test(schema_patterns, properties_of_characters)
{
	static const struct pattern cases[] = {
		{"^\\\\p{Alphabetic}$", {"a", "Ⅷ", "\\u0345"}, {"1"}},
		{"^\\\\p{Script=Greek}$", {"α"}, {"a", "\\u0345"}},
		{"^[\\\\P{sc=Greek}]$", {"a", "\\u0345"}, {"α"}},
		{"^\\\\p{Script_Extensions=Greek}$", {"α", "\\u0345"}, {"a"}},
		{"^\\\\p{Dash_Punctuation}\\\\p{gc=Currency_Symbol}$", {"-$"}, {"-+", "$$"}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

// The bound of a repetition, in patterns that would take too many states for each character, or for all of them.
Test(schema_patterns, bounds_of_repetitions_are_counted)
{
	static const struct {
		const char *pattern, *before, *repeated, *behind;
		uint32_t least, most;  // times
	} cases[] = {
		{"^[\\\\p{L}\\\\p{N}_.:/=+\\\\-@]{1,256}$", "", "a", "", 1, 256},
		{"^(?:[\\\\p{L}\\\\p{Nd}]{3}[\\\\p{L}_]{0,200}!)$", "abc", "a", "!", 0, 200},
		{"^[^\\\\x00]{2,300}?$", "", "a", "", 2, 300},
		{"^\\\\w{2}.{1,20}\\\\.x$", "a1", "-", ".x", 1, 20},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct opened a = compile(cases[i].pattern);
		for (uint32_t n = 0; n <= cases[i].most + 2; n++) {
			char text[400];
			size_t len = (size_t)snprintf(text, sizeof text, "%s", cases[i].before);
			for (uint32_t k = 0; k < n; k++)
				len += (size_t)snprintf(text + len, sizeof text - len, "%s", cases[i].repeated);
			snprintf(text + len, sizeof text - len, "%s", cases[i].behind);
			const bool want = cases[i].least <= n && n <= cases[i].most;
			cr_expect_eq(takes(a.artifact, text), want, "%s: %u times", cases[i].pattern, n);
		}
		release(a);
	}
	// One character is one, however many bytes it has; what is no such repetition is as it was.
	static const struct pattern others[] = {
		{"^[é\\\\u20ac]{3,40}$", {"é€é", "€€€€"}, {"é€", "", "ééa"}},
		{"^a{2,40}b{1,2}$", {"aab", "aaabb"}, {"ab", "aabbb", "aa"}},
		{"^a{2,40}|b$", {"aa", "b", "xb", "aac"}, {"a", "c"}},
		{"^(ab){2,40}$", {"abab"}, {"ab", "aba"}},
		{"^[]{0,40}$", {""}, {"a"}},
		{"^\\\\ud83d\\\\ude00{17,40}$",
	     {"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\u"
	      "de00"
	      "\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\u"
	      "de00"
	      "\\ud83d\\ude00"},
	     {"\\ud83d\\ude00"}},
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) check(&others[i]);
}
