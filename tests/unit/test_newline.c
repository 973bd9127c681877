// The terminal that ends lines must run over blank lines: which ones are taken, and what is said of the others.
#include <criterion/criterion.h>

#include "../../lib/compile/compile.h"

// The messages of compiling a grammar for single bytes; *ok: it compiled.
static char *compile_text(const char *text, bool *ok)
{
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	struct compiled c;
	uint8_t bytes[256], kind[257];
	const uint8_t *at[257];
	uint32_t len[257], eos = 256;
	for (uint32_t b = 0; b < 257; b++) {
		if (b < 256) bytes[b] = (uint8_t)b;
		at[b] = bytes + (b & 255), len[b] = b < 256, kind[b] = b < 256 ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	vocab_build(&(struct vocab_tokens){257, at, len, kind, 1, &eos}, &v);
	*ok = compile_image(&g, &v, NULL, &d, &c);
	char *said = strdup(diag_text(&d));
	if (*ok) compile_release(&c);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
	return said;
}

// Of a grammar of blocks whose newline terminal is this.
static void expect(const char *newline, const char *part)
{
	bool ok;
	char text[1000];
	snprintf(text, sizeof text,
	         "start: stmt*\nstmt: NAME _NL | NAME \":\" _NL _I stmt+ _D\nNAME: /[a-z]+/\n%s\n"
	         "%%indent newline=_NL indent=_I dedent=_D\n",
	         newline);
	char *said = compile_text(text, &ok);
	cr_expect_eq(ok, !part, "%s: %s", newline, said);
	if (part) cr_expect(strstr(said, part), "%s: expected '%s' in: %s", newline, part, said);
	free(said);
}

Test(newline, one_that_stops_at_a_blank_line_is_refused_with_a_text_and_what_to_write)
{
	expect("_NL: /\\n */", "<test>:4:1: error: the newline terminal '_NL' must run over blank lines, but behind '\\n' "
	                       "it takes no further '\\n': "
	                       "a column that no open one equals could not be left. Write /(\\r?\\n[\\t ]*)+/, or with "
	                       "comments /(\\r?\\n[\\t ]*|#[^\\n]*)+/");
	expect("_NL: /\\r?\\n[\\t ]*/", "behind '\\n' it takes");
	expect("_NL: /;\\n[ ]*/", "behind ';\\n' it takes");
}

Test(newline, one_that_takes_only_three_lines_is_refused)
{
	expect("_NL: /(\\n *){1,3}/", "behind '\\n\\n\\n' it takes");
}
Test(newline, blanks_that_cannot_follow_a_further_line_are_refused) { expect("_NL: /\\n *\\n*/", "_NL"); }

Test(newline, those_that_run_over_blank_lines_are_taken)
{
	expect("_NL: /(\\r?\\n[\\t ]*)+/", NULL);
	expect("_NL: /(\\r\\n[\\t ]*)+/", NULL);
	expect("_NL: /( *\\n)+ */", NULL);
	expect("_NL: ( /\\r?\\n[\\t ]*/ | COMMENT )+\nCOMMENT: /#[^\\n]*/", NULL);
	expect("_NL: /(#[^\\n]*)?\\r?\\n([ \\t\\f]*(#[^\\n]*)?\\r?\\n)*[ \\t]*/", NULL);
	expect("_NL: /(\\n *#[^\\n]*)*(\\n *)+/", NULL);
}

// The keyword takes all that NAME matches, so the only text is the empty one.
Test(newline, one_that_no_text_reaches_is_no_error)
{
	bool ok;
	char *said = compile_text("start: (NAME _NL)*\nNAME: /a/\n_NL: /(\\n *)+/\n%keywords NAME \"a\"\n"
	                          "%indent newline=_NL indent=_I dedent=_D end=newline\n",
	                          &ok);
	cr_expect(ok, "%s", said);
	cr_expect(strstr(said, "no text of the grammar has a '_NL': there are no lines, and no columns [no-indent]"), "%s",
	          said);
	free(said);
	expect("_NL: /;/", "never ends in '\\n' and blanks");
}
