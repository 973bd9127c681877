// The lint of keywords that may be glued to the word behind them: what it names, and what it must not name.
#include <criterion/criterion.h>

#include "../../lib/compile/compile.h"

// The warnings of compiling a grammar for single bytes, to be freed.
static char *warnings(const char *text)
{
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	struct compiled c;
	uint8_t bytes[256];
	const uint8_t *at[257];
	uint32_t len[257], eos = 256;
	uint8_t kind[257];
	for (uint32_t b = 0; b < 257; b++) {
		if (b < 256) bytes[b] = (uint8_t)b;
		at[b] = bytes + (b & 255), len[b] = b < 256, kind[b] = b < 256 ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	vocab_build(&(struct vocab_tokens){257, at, len, kind, 1, &eos}, &v);
	cr_assert(compile_image(&g, &v, NULL, &d, &c), "%s\n%s", text, diag_text(&d));
	char *said = strdup(diag_text(&d));
	compile_release(&c);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
	return said;
}

static void expect(const char *text, const char *part)
{
	char *said = warnings(text);
	if (part)
		cr_expect(strstr(said, part), "expected '%s' of\n%s\nin: %s", part, text, said);
	else
		cr_expect_str_eq(said, "", "nothing was expected of\n%s\nbut: %s", text, said);
	free(said);
}

#define NAME "\nNAME: /[a-z_][a-z_0-9]*/\n%ignore \" \"\n"

Test(glued, keywords_before_names_are_named_in_one_warning)
{
	char *said = warnings("start: \"select\" NAME (\"from\" NAME)?" NAME);
	cr_expect(strstr(said, "<test>:1:8: warning: these keywords need no blank before the next word: SELECT before "
	                       "NAME, FROM before NAME. "
	                       "'selecta' is read as 'select' and 'a'"),
	          "%s", said);
	const char *first = strstr(said, "warning:");
	cr_expect_null(strstr(first + 1, "warning:"), "%s", said);
	free(said);
}

Test(glued, another_keyword_may_be_what_follows)
{
	expect("start: \"group\" \"by\" | \"(\" NAME \")\"" NAME, "'groupb' is read as 'group' and 'b'");
}
Test(glued, digits_go_on_with_a_word)
{
	expect("start: \"limit\" INT | \"(\" NAME \")\"\nINT: /[0-9]+/" NAME, "'limit0' is read");
}

Test(glued, a_long_list_is_cut)
{
	expect("start: (\"aa\" | \"bb\" | \"cc\" | \"dd\" | \"ee\" | \"ff\" | \"gg\" | \"hh\" | \"ii\" | \"jj\") NAME" NAME,
	       "HH before NAME and 2 more. ");
}

Test(glued, where_names_compete_nothing_is_glued)
{
	expect("start: NAME | \"int\" NAME" NAME, NULL);
	expect("start: \"select\" NAME \"from\" NAME\n%keywords NAME" NAME, NULL);
}

Test(glued, a_separator_that_must_stand_there_is_enough)
{
	expect("start: \"select\" WS NAME\nWS: / +/\nNAME: /[a-z]+/\n", NULL);
	expect("start: SELECT NAME\nSELECT: /select(?![a-z])/" NAME, NULL);
	expect("start: \"select\" \"(\" NAME \")\"" NAME, NULL);
}

Test(glued, prefixes_units_and_texts_are_no_keywords)
{
	expect("start: \"0x\" HEX | HEX \"e\" HEX\nHEX: /[0-9a-f]+/\n", NULL);       // no letter, one letter
	expect("start: \"true\" \"x\" | \"<\" TEXT \">\"\nTEXT: /[^<>]+/\n", NULL);  // TEXT goes on with a blank
}
