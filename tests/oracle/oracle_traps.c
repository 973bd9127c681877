// Traps that published implementations fell into, each as a named test: small grammar, vocabulary, prefix, and what is
// allowed after it by docs/language.md. The oracle must say the same: the expectation itself is checked, too.
#include <criterion/criterion.h>
#include <stdio.h>

#include "engine.h"
#include "trap.h"

// ---- lexer and parser ----

Test(traps, t01_reductions_wait_for_the_lexeme)
{
	const char *g = "start: \"p\" sum \"==\" N | \"p\" sum \"+\" N \"=\" N\nsum: sum \"+\" t | t\nt: N\nN: /1+/\n";
	const char *const *v = LIST("p", "1", "+", "=", "==", "=1", "==1", "+1");
	EXPECT(g, v, "p1+1", LIST("1", "+", "=", "==", "=1", "==1", "+1"));
	EXPECT(g, v, "p1+1=", LIST("=", "1", "=1"));
	EXPECT(g, v, "p1+1==", LIST("1"));
	EXPECT(g, v, "p1+1=1", LIST("1", EOS));
	EXPECT(g, v, "p1", LIST("1", "+", "==", "=", "==1", "+1"));
	EXPECT(g, v, "p1=", LIST("=", "=1"));
}

Test(traps, t02_lazy_comment_stops_at_its_first_match)
{
	const char *g = "start: \"a\" \"a\"\nCOMMENT: /\\/\\*[\\s\\S]*?\\*\\//\n%ignore COMMENT\n";
	const char *const *v = LIST("a", "/*", "*/", "/", "*", "x", "*/a");
	EXPECT(g, v, "", LIST("a", "/*", "/"));
	EXPECT(g, v, "/*x", LIST("a", "/*", "*/", "/", "*", "x", "*/a"));
	EXPECT(g, v, "/*x*", LIST("a", "*/", "/", "*", "x", "*/a"));
	EXPECT(g, v, "/*x*/", LIST("a", "/*", "/"));
	EXPECT(g, v, "/*x*/aa", LIST("/*", "/", EOS));
	EXPECT(g, v, "a/*a*/a/*", LIST("a", "/*", "*/", "/", "*", "x"));
}

Test(traps, t03_partial_lexeme_is_not_a_shorter_one)
{
	EXPECT("start: \"a\"\nC: /\\/\\*[\\s\\S]*?\\*\\//\n%ignore C\n", LIST("a", "/", "*"), "a/**", LIST("a", "/", "*"));
	EXPECT("start: NUM\nNUM: /1(e1)?/\n", LIST("1", "e", "e1"), "1", LIST("e", "e1", EOS));
	EXPECT("start: NUM\nNUM: /1(e1)?/\n", LIST("1", "e", "e1"), "1e", LIST("1"));
	const char *dots = "start: \"a\" (DOT | ELLIPSIS) \"a\"\nDOT: \".\"\nELLIPSIS: \"...\"\n";
	const char *const *v = LIST("a", ".", "..", "...", ".a", "..a");
	EXPECT(dots, v, "a", LIST(".", "..", "...", ".a"));
	EXPECT(dots, v, "a.", LIST("a", ".", "..", "..a"));
	EXPECT(dots, v, "a..", LIST(".", ".a"));
	const char *strings = "start: STR | LONG\nSTR: /\"[^\"]*\"/\nLONG: /\"\"\"[\\s\\S]*?\"\"\"/\n";
	v = LIST("\"", "\"\"", "\"\"\"", "a");
	EXPECT(strings, v, "\"\"", LIST("\"", "\"\"", "\"\"\"", EOS));
	EXPECT(strings, v, "\"\"\"", LIST("\"", "\"\"", "\"\"\"", "a"));
	EXPECT(strings, v, "\"\"\"\"", LIST("\"", "\"\"", "a"));
	EXPECT(strings, v, "\"a\"", LIST(EOS));
}

Test(traps, t04_no_empty_mask_after_a_dot)
{
	const char *g = "start: \"[\" NUM \"]\"\nNUM: /[0-9]+(\\.[0-9]+)?/\n";
	const char *const *v = LIST("[", "1", ".", "]", ".]", ".1]", "1]");
	EXPECT(g, v, "[1", LIST("1", ".", "]", ".1]", "1]"));
	EXPECT(g, v, "[1.", LIST("1", "1]"));
	EXPECT(g, v, "[1.1", LIST("1", "]", "1]"));
}

Test(traps, t04_fallback_is_exact)
{
	const char *g = "start: x (RANGE x)?\nx: INT | FLOAT\nINT: /[0-9]+/\nFLOAT: /[0-9]+\\.[0-9]+/\nRANGE: \"..\"\n";
	const char *const *v = LIST("1", ".", "..", ".1", "..1");
	EXPECT(g, v, "1", LIST("1", ".", "..", ".1", "..1", EOS));
	EXPECT(g, v, "1.", LIST("1", ".", ".1"));
	EXPECT(g, v, "1..", LIST("1"));
	EXPECT(g, v, "1.1", LIST("1", ".", "..", "..1", EOS));
	EXPECT(g, v, "1..1", LIST("1", ".", ".1", EOS));
	EXPECT(g, v, "1..1.", LIST("1"));
}

Test(traps, t04_fallback_at_the_end_of_the_text)
{
	const char *g = "start: INT DOT | FLOAT\nINT: /[0-9]+/\nFLOAT: /[0-9]+\\.[0-9]+/\nDOT: \".\"\n";
	EXPECT(g, LIST("1", "."), "1.", LIST("1", EOS));
	EXPECT(g, LIST("1", "."), "1.1", LIST("1", EOS));
}

Test(traps, t05_keyword_and_identifier)
{
	const char *g = "start: IF NAME | NAME \"=\" NAME\nIF: \"if\"\nNAME: /[a-z]+/\nWS: \" \"\n%ignore WS\n";
	const char *const *v = LIST("if", "i", "f", "=", " ", " =", "=a", "if ", "ff");
	EXPECT(g, v, "", LIST("if", "i", "f", " ", "if ", "ff"));
	EXPECT(g, v, "if", LIST("if", "i", "f", " ", "if ", "ff"));
	EXPECT(g, v, "iff", LIST("if", "i", "f", "=", " ", " =", "=a", "if ", "ff"));
	EXPECT(g, v, "i", LIST("if", "i", "f", "=", " ", " =", "=a", "if ", "ff"));
	EXPECT(g, v, "if ", LIST("if", "i", "f", " ", "if ", "ff"));
	// After IF only NAME is viable: `if` is one there.
	EXPECT(g, v, "if if", LIST("if", "i", "f", " ", "if ", "ff", EOS));
}

Test(traps, t06_ignored_terminals_everywhere)
{
	const char *g = "start: \"(\" \")\" \"{\" \"}\"\nWS: /[ \\n]+/\n%ignore WS\n";
	const char *const *v = LIST("(", ")", "{", " ", "\n", ") {", "() {\n}", " (", ") }", "}", "} ");
	EXPECT(g, v, "", LIST("(", " ", "\n", "() {\n}", " ("));
	EXPECT(g, v, " \n ", LIST("(", " ", "\n", "() {\n}", " ("));
	EXPECT(g, v, "(", LIST(")", " ", "\n", ") {"));
	EXPECT(g, v, "( ){ } \n", LIST(" ", "\n", EOS));
}

Test(traps, t06_ignored_begins_like_a_real_terminal)
{
	const char *g = "start: \"a\" (\"/\" \"a\")*\nCOMMENT: /\\/\\*[\\s\\S]*?\\*\\//\n%ignore COMMENT\n";
	const char *const *v = LIST("a", "/", "*", "/*", "*/", "*/a");
	EXPECT(g, v, "a", LIST("/", "/*", EOS));
	EXPECT(g, v, "a/", LIST("a", "/", "*", "/*", "*/", "*/a"));
	// `a//*` : the slash is a terminal, a comment begins.
	EXPECT(g, v, "a//", LIST("*", "*/", "*/a"));
	EXPECT(g, v, "a/*", LIST("a", "/", "*", "/*", "*/"));
	EXPECT(g, v, "a/*a*/", LIST("/", "/*", EOS));
}

Test(traps, t06_ignored_overlaps_a_real_terminal)
{
	const char *g = "start: \"a\" NL \"a\"\nNL: /\\n/\nWS: /[ \\n]+/\n%ignore WS\n";
	const char *const *v = LIST("a", "\n", " ", "\na");
	// One newline is NL (a tie goes to the grammar's terminal), two are a longer WS, after which no NL can come.
	EXPECT(g, v, "a", LIST("\n", "\na"));
	EXPECT(g, v, "a\n", LIST("a"));
	EXPECT(g, v, "a\na", LIST("\n", " ", EOS));
	EXPECT(g, v, "", LIST("a", "\n", " ", "\na"));
}

Test(traps, t07_priorities)
{
	const char *const *v = LIST("a", "b", "x", "y");
	EXPECT("start: A \"x\" | B \"y\"\nA.1: /[ab]/\nB.2: /a/\n", v, "a", LIST("y"));
	EXPECT("start: A \"x\" | B \"y\"\nA.2: /[ab]/\nB.1: \"a\"\n", v, "a", LIST("x"));
	EXPECT("start: A \"x\" | B \"y\"\nA.-1: \"a\"\nB: /a/\n", v, "a", LIST("y"));
	EXPECT("start: A \"x\" | B \"y\"\nA: /a/\nB: \"a\"\n", v, "a", LIST("y"));
	EXPECT("start: A \"x\" | B \"y\"\nA: /a/\nB: /[ac]/\n", v, "a", LIST("x"));
	EXPECT("start: A \"x\" | B \"y\"\nB: /[ac]/\nA: /a/\n", v, "a", LIST("y"));
	// Length comes before priority.
	EXPECT("start: A \"x\" | B \"y\"\nA.5: /a/\nB: /ab/\n", v, "ab", LIST("y"));
}

Test(traps, t07_flags_and_characters)
{
	EXPECT("start: \"if\"i \"x\"\n", LIST("i", "I", "f", "F", "x", "X"), "I", LIST("f", "F"));
	EXPECT("start: /a.b/\n", LIST("a", "b", "\n", "\r"), "a", LIST("a", "b", "\r"));
	EXPECT("start: /a.b/s\n", LIST("a", "b", "\n"), "a", LIST("a", "b", "\n"));
	EXPECT("start: /[a-b]x/i\n", LIST("A", "b", "x", "X", "C"), "", LIST("A", "b"));
	EXPECT("start: \"\xC3\xA9\" \"x\"\n", LIST("\xC3", "\xA9", "\xC3\xA9", "x", "\xA9x"), "\xC3",
	       LIST("\xA9", "\xA9x"));
}

Test(traps, t08_a_token_of_many_terminals)
{
	char open[65] = {0}, close[66] = {0}, ones[201] = {0}, prefix[80] = {0};
	memset(open, '(', 64);
	memset(close, ')', 65);
	memset(ones, '1', 200);
	snprintf(prefix, sizeof prefix, "%sx", open);
	EXPECT("start: \"(\" start \")\" | \"x\"\n", LIST("(", ")", "x", close, close + 1, open), prefix,
	       LIST(")", close + 1));
	EXPECT("start: \"(\" start \")\" | \"x\"\n", LIST("(", ")", "x", close, close + 1, open), "(((",
	       LIST("(", "x", open));
	EXPECT("start: DIGIT+ \"x\"\nDIGIT: /[0-9]/\n", LIST("1", ones, "x", "1x1"), "1", LIST("1", ones, "x"));
}

Test(traps, t10_first_sets_under_recursion)
{
	const char *g = "start: a \"x\"\na: b \"c\" |\nb: d a \"e\"\nd: \"d\" |  \"f\" a \"g\"\n";
	const char *const *v = LIST("x", "c", "d", "e", "f", "g");
	EXPECT(g, v, "", LIST("x", "d", "f"));
	EXPECT(g, v, "d", LIST("d", "f", "e"));
	EXPECT(g, v, "f", LIST("d", "f", "g"));
	EXPECT(g, v, "fg", LIST("d", "f", "e"));
	EXPECT(g, v, "de", LIST("c"));
	EXPECT(g, v, "dec", LIST("x"));
}

Test(traps, t11_nullable_tails)
{
	const char *g = "start: a \"r\"\na: \"p\" b c d\nb: \"b\"\nc: | \"q\"\nd: | \"s\"\n";
	EXPECT(g, LIST("p", "b", "q", "r", "s"), "pb", LIST("q", "r", "s"));
	EXPECT(g, LIST("p", "b", "q", "r", "s"), "pbq", LIST("r", "s"));
}

Test(traps, viability_does_not_depend_on_merged_states)
{
	// LALR(1) merges the two states after x; the terminals that compete there differ.
	const char *g = "start: \"a\" e C C | \"b\" e D\ne: \"x\"\nC: \"c\"\nD: /c+/\n";
	const char *const *v = LIST("a", "b", "x", "c", "cc", "ccc");
	EXPECT(g, v, "ax", LIST("c", "cc"));
	EXPECT(g, v, "axc", LIST("c"));
	EXPECT(g, v, "bx", LIST("c", "cc", "ccc"));
	EXPECT(g, v, "bxc", LIST("c", "cc", "ccc", EOS));
}

Test(traps, t26_nested_repetition_under_an_option)
{
	const char *g = "start: \"a\" b?\nb: c+\nc: \"x\" \"y\"\n";
	EXPECT(g, LIST("a", "x", "y", "axy", "yx", "xyxy"), "a", LIST("x", "xyxy", EOS));
	EXPECT(g, LIST("a", "x", "y", "axy", "yx", "xyxy"), "ax", LIST("y", "yx"));
	EXPECT(g, LIST("a", "x", "y", "axy", "yx", "xyxy"), "axy", LIST("x", "xyxy", EOS));
	EXPECT(g, LIST("a", "x", "y", "axy", "yx", "xyxy"), "", LIST("a", "axy"));
}

// ---- the end of the text ----

Test(traps, t12_nullable_start)
{
	const char *g = "start: (INT NAME)*\nINT: \"int\"\nNAME: /[a-z]+/\nWS: \" \"\n%ignore WS\n";
	const char *const *v = LIST("int", "i", "n", "t", " ", "in");
	EXPECT(g, v, "", LIST("int", "i", " ", "in", EOS));
	EXPECT(g, v, "int f", LIST("int", "i", "n", "t", " ", "in", EOS));
	EXPECT(g, v, "int f ", LIST("int", "i", " ", "in", EOS));
	EXPECT(g, v, "int f in", LIST("t"));
}

Test(traps, t13_the_end_after_ignored_text)
{
	const char *g = "start: \"a\"\nWS: /[ \\n]+/\nC: /#[^\\n]*/\n%ignore WS\n%ignore C\n";
	const char *const *v = LIST("a", " ", "\n", "#", "x");
	EXPECT(g, v, "a ", LIST(" ", "\n", "#", EOS));
	EXPECT(g, v, "a #", LIST("a", " ", "\n", "#", "x", EOS));
	EXPECT(g, v, "#", LIST("a", " ", "\n", "#", "x"));
	// A comment that must be closed is unfinished, even where the text before it is whole.
	EXPECT("start: \"a\" \"/\"?\nC: /\\/\\*[\\s\\S]*?\\*\\//\n%ignore C\n", LIST("a", "/", "*"), "a/*",
	       LIST("a", "/", "*"));
	EXPECT("start: \"a\" \"/\"?\nC: /\\/\\*[\\s\\S]*?\\*\\//\n%ignore C\n", LIST("a", "/", "*"), "a/",
	       LIST("/", "*", EOS));
}

Test(traps, t13_several_eos_and_nothing_after_it)
{
	const uint8_t *bytes[4] = {(const uint8_t *)"", (const uint8_t *)"a", (const uint8_t *)"", (const uint8_t *)""};
	uint32_t len[4] = {0, 1, 0, 0}, eos[2] = {0, 2};
	uint8_t kind[4] = {TOKEN_CONTROL, TOKEN_TEXT, TOKEN_CONTROL, TOKEN_CONTROL};
	struct vocab v = {0};
	struct grammar g;
	struct diag d = {0};
	struct engine e;
	gcdc_matcher *m;
	const char *text = "start: \"a\"*\n";
	vocab_build(&(struct vocab_tokens){4, bytes, len, kind, 2, eos}, &v);
	cr_assert(grammar_parse("trap.lark", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(engine_compile(&g, &v, &d, &e) == ENGINE_OK, "%s", diag_text(&d));
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t mask;
		cr_assert(gcdc_matcher_new(e.artifact, NULL, &m) == GCDC_OK);
		cr_expect(gcdc_matcher_fill(m, &mask, 1, NULL) == GCDC_OK);
		cr_expect(mask == 7, "mask %x", mask);
		cr_expect(gcdc_matcher_accept(m, 3) == GCDC_REJECTED);
		cr_expect(gcdc_matcher_accept(m, 4) == GCDC_REJECTED);
		cr_expect(gcdc_matcher_accept(m, eos[i]) == GCDC_OK);
		cr_expect(gcdc_matcher_is_terminated(m));
		for (uint32_t t = 0; t < 4; t++) cr_expect(gcdc_matcher_accept(m, t) == GCDC_TERMINATED);
		cr_expect(gcdc_matcher_rollback(m, 1) == GCDC_OK);
		cr_expect(gcdc_matcher_fill(m, &mask, 1, NULL) == GCDC_OK && mask == 7, "mask %x", mask);
		gcdc_matcher_free(m);
	}
	engine_release(&e);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
}

// ---- bytes and vocabularies ----

Test(traps, t14_tokens_that_are_not_utf8)
{
	const char *const *v = LIST("\xC3", "\xA9", "\xBC", "a", "\xE2", "\x82", "\xAC", "\xE2\x82",
	                            "\xAC"
	                            "b",
	                            "b", "\xC0", "\xFF", "\xF0", "\x9F", "\xED", "\xA0", "\x80");
	EXPECT("start: /[^a]/ \"b\"\n", v, "", LIST("\xC3", "\xE2", "\xE2\x82", "b", "\xF0", "\xED"));
	EXPECT("start: /[^a]/ \"b\"\n", v, "\xE2", LIST("\xA9", "\xBC", "\x82", "\xAC", "\x9F", "\xA0", "\x80"));
	EXPECT("start: /[^a]/ \"b\"\n", v, "\xE2\x82",
	       LIST("\xA9", "\xBC", "\x82", "\xAC",
	            "\xAC"
	            "b",
	            "\x9F", "\xA0", "\x80"));
	EXPECT("start: /[^a]/ \"b\"\n", v, "\xED", LIST("\x82", "\x9F", "\x80"));
	EXPECT("start: /[^a]/ \"b\"\n", v, "\xF0", LIST("\xA9", "\xBC", "\xAC", "\x9F", "\xA0"));
	// [é-ü] is C3 A9..BC; the character need not be whole in any token.
	EXPECT("start: /[\xC3\xA9-\xC3\xBC]/ \"b\"\n", v, "\xC3",
	       LIST("\xA9", "\xBC", "\xAC",
	            "\xAC"
	            "b"));
}

Test(traps, t15_duplicates_both_or_neither)
{
	EXPECT("start: \"a\" \"b\"\n", LIST("a", "b", "a", "b", "ab", "ab"), "", LIST("a", "ab"));
	EXPECT("start: \"a\" \"b\"\n", LIST("a", "b", "a", "b", "ab", "ab"), "a", LIST("b"));
}

Test(traps, t16_a_token_of_1024_bytes)
{
	static char as[1025], bs[1025];
	memset(as, 'a', 1024);
	memset(bs, 'a', 1023);
	bs[1023] = 'b';
	EXPECT("start: /a+/ \"b\"\n", LIST("a", "b", as, bs), "a", LIST("a", "b", as, bs));
	EXPECT("start: /a/ \"b\"\n", LIST("a", "b", as, bs), "", LIST("a"));
}

// ---- languages that cannot finish ----

Test(traps, t23_empty_languages)
{
	const char *const *v = LIST("a", "b", "x", " ");
	EXPECT_EMPTY("start: NAME \"x\"\nNAME: /[a-z]+/\n", v);
	EXPECT_EMPTY("start: A B\nA: /a+/\nB: /a/\n", v);
	EXPECT_EMPTY("start: \"c\"\n", v);
	EXPECT("start: NAME \"x\"\nNAME: /[a-w]+/\n", v, "a", LIST("a", "b", "x"));
	EXPECT("start: NAME \"x\"\nNAME: /[a-z]+/\nWS: \" \"\n%ignore WS\n", v, "a", LIST("a", "b", "x", " "));
	EXPECT("start: NAME \"x\"\nNAME: /[a-z]+/\nWS: \" \"\n%ignore WS\n", v, "ax", LIST("a", "b", "x", " "));
	EXPECT("start: NAME \"x\"\nNAME: /[a-z]+/\nWS: \" \"\n%ignore WS\n", v, "a x", LIST(" ", EOS));
}

Test(traps, t23_dead_ends_inside_a_language)
{
	const char *python = "start: \"(\" \"a\" \")\"\nHASH: /#[^\\n]*/\nNL: /\\n/\n%ignore HASH\n%ignore NL\n";
	EXPECT(python, LIST("(", "a", ")", "#", "#x"), "(", LIST("a"));
	EXPECT(python, LIST("(", "a", ")", "#", "#x", "\n"), "(", LIST("a", "#", "#x", "\n"));
	EXPECT(python, LIST("(", "a", ")", "#", "#x"), "(a)", LIST("#", "#x", EOS));
	const char *strings = "start: \"a\" STR? \"a\"\nSTR: /\"[^\"]*\"/\n";
	EXPECT(strings, LIST("a", "\"b", "b"), "a", LIST("a"));
	EXPECT(strings, LIST("a", "\"b", "b\""), "a", LIST("a", "\"b"));
	// The bracket that could close it is not in the vocabulary.
	EXPECT("start: \"(\" start \")\" | \"x\"\n", LIST("(", "x"), "", LIST("x"));
	EXPECT("start: \"(\" start \")\" | \"x\"\n", LIST("(", "x", "x)"), "(", LIST("x)"));
}

Test(traps, t24_terminals_that_compete)
{
	const char *g =
		"start: s+\ns: INT NAME \";\" | NAME \"=\" NAME \";\"\nINT: \"int\"\nNAME: /[a-z]+/\nWS: \" \"\n%ignore WS\n";
	const char *const *v = LIST("int", "x", "=", ";", " ", " x", "x;", "=x;");
	EXPECT(g, v, "int", LIST("int", "x", " ", " x"));
	EXPECT(g, v, "intx", LIST("int", "x", "=", " ", "=x;"));
	EXPECT(g, v, "int x", LIST("int", "x", ";", " ", "x;"));
	EXPECT(g, v, "x=x;int", LIST("int", "x", " ", " x"));
}

// %keywords: a word is lexed alike wherever it stands.
Test(traps, words_compete_together)
{
	const char *g = "start: e \";\"\ne: NAME | e \".\" NAME | e \"in\" e\nNAME: /[a-z]+/\nWS: \" \"\n%ignore "
					"WS\n%keywords NAME \"go\"\n";
	const char *const *v = LIST("in", "x", ".", ";", " ", "go", "gox", " x", " inx", " in ");
	EXPECT(g, v, "x", LIST("in", "x", ".", ";", " ", "go", "gox", " in "));
	EXPECT(g, v, "x.", LIST("in", "x", " ", "go", "gox", " x", " inx"));
	EXPECT(g, v, "x in", LIST(" ", " x", " inx"));
	EXPECT(g, v, "x.in", LIST("in", "x", "go", "gox"));
	EXPECT(g, v, "x.go", LIST("in", "x", "go", "gox"));
}

// %keywords reserves although no rule uses the terminal of names, nor the words behind it.
Test(traps, words_compete_where_no_rule_uses_names)
{
	const char *in = "start: \"in\" \"x\"\nNAME: /[a-z]+/\n%keywords NAME\n%ignore \" \"\n";
	EXPECT(in, LIST("in", "x", " ", "i", "n", "inx", " x"), "", LIST("in", " ", "i"));
	EXPECT(in, LIST("in", "x", " ", "i", "n", "inx", " x"), "in", LIST(" ", " x"));
	EXPECT(in, LIST("in", "x", " ", "i", "n", "inx", " x"), "in x", LIST(" ", EOS));
	const char *ba = "start: \"b\" \"a\" | \"c\"\nNAME: /[a-z]+/\n%keywords NAME \"ba\"\n%ignore \" \"\n";
	EXPECT(ba, LIST("a", "b", "c", "ba", "b a", " "), "", LIST("b", "c", "b a", " "));
	EXPECT(ba, LIST("a", "b", "c", "ba", "b a", " "), "b", LIST(" "));
}

// Ignored, unless after a name or a closing bracket.
Test(traps, ignored_unless_after)
{
	const char *g = "start: s+\ns: e \"\\n\"\ne: NAME | NAME \"(\" e (\",\" e)* \")\"\nNAME: /[a-z]+/\nLINE: "
					"\"\\n\"\n%ignore LINE unless after NAME \")\"\n";
	const char *const *v = LIST("a", "(", ")", ",", "\n", "\n\n", ")\n", "(\n");
	EXPECT(g, v, "a", LIST("a", "(", "\n", "\n\n", "(\n"));
	EXPECT(g, v, "a\n", LIST("a", "\n", "\n\n", EOS));
	EXPECT(g, v, "a(a", LIST("a", "(", ")", ",", ")\n", "(\n"));
	EXPECT(g, v, "a(a,", LIST("a", "\n", "\n\n"));
}

Test(traps, t31_runs_of_competing_prefixes)
{
	char run[121] = {0};
	memset(run, '-', 120);
	const char *g = "start: (\"-\" | \"--\")+ \"a\"\n";
	EXPECT(g, LIST("-", "--", "------", run, "a", "-a"), "-----", LIST("-", "--", "------", run, "a", "-a"));
}

// ---- lookahead past lexemes ----

// Lexemes that end in the same way do not also end in the other ways that one of them has.
Test(traps, a_run_that_nothing_can_follow)
{
	const char *g = "start: B A* AA\nA: /a+(?=b)/\nB: /b/\nAA: /a/\n";
	EXPECT(g, LIST("a", "b"), "b", LIST("a"));
	EXPECT(g, LIST("a", "b"), "ba", LIST(EOS));
}

Test(traps, what_follows_decides_between_two_terminals)
{
	const char *g = "start: (LABEL \":\" | NAME \";\")+\nLABEL: /[a-z]+(?=:)/\nNAME: /[a-z]+/\n";
	const char *const *v = LIST("a", ":", ";", "a:", "a;", "::", ";a:a");
	EXPECT(g, v, "a", LIST("a", ":", ";", "a:", "a;", ";a:a"));
	EXPECT(g, v, "a:", LIST("a", "a:", "a;", EOS));
}

Test(traps, no_end_where_a_lookahead_waits)
{
	const char *g = "start: (A B)* A?\nA: /a(?=b)/\nB: /b/\n";
	const char *const *v = LIST("a", "b", "ab", "ba", "bab");
	EXPECT(g, v, "", LIST("a", "ab", EOS));
	EXPECT(g, v, "a", LIST("b", "ba", "bab"));
	EXPECT(g, v, "ab", LIST("a", "ab", EOS));
}

Test(traps, what_follows_decides_between_stacks)
{
	const char *g =
		"start: (declaration | shift) \";\"\ndeclaration: type NAME\ntype: NAME [\"<\" type (\",\" type)* close]\n"
		"close: \">\" | FIRST\nshift: less (FIRST \">\" less)*\nless: NAME (\"<\" NAME)*\nNAME: /[a-z]+/\n"
		"FIRST.1: />(?=>)/\n%ignore \" \"\n";
	const char *const *v = LIST("a", "<", ">", ";", " ", ">>", "> ", "> >", ">a");
	EXPECT(g, v, "a<b<c", LIST("a", "<", ">", ";", " ", ">>", "> ", "> >"));
	EXPECT(g, v, "a<b<c>", LIST(">", " ", "> ", ">a"));
	EXPECT(g, v, "a<b<c> ", LIST(">", " ", "> ", ">a"));
	EXPECT(g, v, "a<b<c>>", LIST("a", " "));
	EXPECT(g, v, "a<b", LIST("a", "<", ">", ";", " ", ">>", "> ", ">a"));
}

// Where its words are paired, a parse has E alone; where one is open, another has W, which is as long and comes first.
Test(traps, what_follows_decides_for_each_parse)
{
	const char *g = "start: s E?\ns: W s W |\nW: /[ae]+(?![ae])/\nE: /e(?!e)/\n%ignore \" \"\n";
	const char *const *v = LIST("a", "e", " ", "e ", " e");
	EXPECT(g, v, "a a e", LIST("a", "e", " ", "e ", " e", EOS));
	EXPECT(g, v, "a a e ", LIST("a", "e", " ", "e ", " e", EOS));
	EXPECT(g, v, "a e", LIST("a", "e", " ", "e ", " e", EOS));
}

// Behind "#a" a number can follow, but no word and nothing ignored; behind "##!" all can. Tokens spell every byte.
Test(traps, ignored_text_ends_in_some_contexts)
{
	const char *g = "start: N W N W N\nN: /1/\nW: /a+/\n%ignore /#[a#]*/\n%ignore \"##!\"\n";
	const char *const *v = LIST("1", "a", "#", "!", "#a", "#!", "##", "a1");
	EXPECT(g, v, "", LIST("1", "#", "#a", "##"));
	EXPECT(g, v, "##", LIST("1", "a", "#", "!", "#a", "##", "a1"));
	EXPECT(g, v, "1", LIST("a", "#", "##", "a1"));
	EXPECT(g, v, "1##", LIST("!"));
	EXPECT(g, v, "1a##", LIST("1", "a", "#", "!", "#a", "##", "a1"));
}
