// The lint of terminals that the vocabulary cannot spell: what it names, and what it must not name.
#include <criterion/criterion.h>

#include "../../lib/compile/compile.h"

// What compiling a grammar for the tokens "a", "b", "cd" says, warnings of these names being errors; to be freed.
static char *said(const char *text, const char *errors, bool *good)
{
	static const char *const tokens[] = {"", "a", "b", "cd"};
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	struct compiled c;
	const uint8_t *at[4];
	uint32_t len[4], eos = 0;
	const uint8_t kind[4] = {TOKEN_CONTROL, TOKEN_TEXT, TOKEN_TEXT, TOKEN_TEXT};
	for (uint32_t t = 0; t < 4; t++) at[t] = (const uint8_t *)tokens[t], len[t] = (uint32_t)strlen(tokens[t]);
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	vocab_build(&(struct vocab_tokens){4, at, len, kind, 1, &eos}, &v);
	cr_assert(compile_image(&g, &v, NULL, &d, &c), "%s\n%s", text, diag_text(&d));
	*good = !errors || diag_warnings_are_errors(&d, errors);
	char *all = strdup(diag_text(&d));
	compile_release(&c);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
	return all;
}

static void expect(const char *text, const char *part)
{
	bool good;
	char *all = said(text, NULL, &good);
	if (part)
		cr_expect(strstr(all, part), "expected '%s' of\n%s\nin: %s", part, text, all);
	else
		cr_expect_str_eq(all, "", "nothing was expected of\n%s\nbut: %s", text, all);
	free(all);
}

Test(spelled, terminals_without_a_text_are_named)
{
	expect("start: A | EURO | DIGITS\nA: \"a\"\nEURO: \"\xe2\x82\xac\"\nDIGITS: /[0-9]+/\n",
	       "<test>:3:1: warning: no tokens of the vocabulary spell any text of EURO, DIGITS: ");
}

Test(spelled, one_text_is_enough)
{
	expect("start: X+\nX: /[0-9]+|[a-z]/\n", NULL);
	expect("start: \"acdb\"\n", NULL);
}

Test(spelled, names_of_warnings_are_known)
{
	bool good;
	const char *text = "start: \"a\" | \"x\"\n";
	char *all = said(text, "unspelled", &good);
	cr_expect_not(good);
	cr_expect(strstr(all, "error: no tokens of the vocabulary spell"), "%s", all);
	free(all);
	all = said(text, "unused-rule", &good);
	cr_expect(good, "%s", all);
	free(all);
	all = said(text, "unused-rule,unspeled", &good);
	cr_expect_not(good);
	cr_expect(strstr(all, "error: no warning is called 'unspeled'"), "%s", all);
	free(all);
}
