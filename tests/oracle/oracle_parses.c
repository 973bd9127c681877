// Several parses of one text, each of which lexes for itself (docs/language.md, rule 1): named cases, with their masks.
//
// The masks were found by hand from the contract: each parse's terminals, its longest match, its ties, and the union.
// The oracle must say the same, and the engine.
#include <criterion/criterion.h>

#include "trap.h"

// What "-" was is open: one parse has only names behind the comma, the other only the keyword.
Test(parses, a_name_for_one_is_a_keyword_for_the_other)
{
	const char *g = "start: p \",\" NAME \"!\" | q \",\" \"if\" \"?\"\np: \"-\"\nq: \"-\"\nNAME: /[a-z]+/\n";
	const char *const *v = LIST("-,", "if", "i", "f", "!", "?", "x", "if!", "if?", ",i");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "-,", LIST("if", "i", "f", "x", "if!", "if?"));
	EXPECT(g, v, "-,if", LIST("if", "i", "f", "!", "?", "x", "if!"));
	EXPECT(g, v, "-,ifx", LIST("if", "i", "f", "!", "x", "if!"));
	EXPECT(g, v, "-,if!", LIST(EOS));
	EXPECT(g, v, "-,if?", LIST(EOS));
}

// The same text with one stack for both: the keyword wins, and `if` is never a name.
Test(parses, one_parse_has_both_and_the_keyword_wins)
{
	const char *g = "start: p \",\" NAME \"!\" | p \",\" \"if\" \"?\"\np: \"-\"\nNAME: /[a-z]+/\n";
	const char *const *v = LIST("-,", "if", "i", "f", "!", "?", "x", "if!", "if?", ",i");
	EXPECT_CONFLICTS(g, false);
	EXPECT(g, v, "-,if", LIST("if", "i", "f", "?", "x", "if!"));
	EXPECT(g, v, "-,ifx", LIST("if", "i", "f", "!", "x", "if!"));
}

// %keywords reserves for all: `if` competes where a name does, wins, and is not viable for the parse that has only
// names.
Test(parses, words_are_reserved_for_every_parse)
{
	const char *g =
		"start: p \",\" NAME \"!\" | q \",\" \"if\" \"?\"\np: \"-\"\nq: \"-\"\nNAME: /[a-z]+/\n%keywords NAME\n";
	const char *const *v = LIST("-,", "if", "i", "f", "!", "?", "x", "if!", "if?", ",i");
	EXPECT(g, v, "-,", LIST("if", "i", "f", "x", "if?"));
	EXPECT(g, v, "-,if", LIST("if", "i", "f", "?", "x", "if!"));  // ifif is no word
	EXPECT(g, v, "-,ifx", LIST("if", "i", "f", "!", "x", "if!"));
}

// The longest match of one parse is no match of the other: 1.1 is one FLOAT for the one, INT DOT INT for the other.
Test(parses, the_longest_match_is_each_ones_own)
{
	const char *g = "start: p \"c\" INT DOT INT | q \"c\" FLOAT \"f\" | q \"c\" INT DOT DOT\np: \"-\"\nq: \"-\"\n"
					"INT: /[0-9]+/\nDOT: \".\"\nFLOAT: /[0-9]+\\.[0-9]+/\n";
	const char *const *v = LIST("-c", "1", ".", "f", "1.", "..", ".1", "1f", "c1.");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "-c1", LIST("1", ".", "1.", "..", ".1"));
	EXPECT(g, v, "-c1.", LIST("1", ".", "1f"));
	EXPECT(g, v, "-c1.1", LIST("1", "f", "1f", EOS));
	EXPECT(g, v, "-c1.1f", LIST(EOS));
	EXPECT(g, v, "-c1..", LIST(EOS));
}

// Behind one minus a parse is in the run or at its last: there only `--` is viable, here only `-`.
Test(parses, a_run_is_cut_where_a_parse_has_the_longer_one)
{
	const char *g = "start: a b\na: MINUS*\nb: MINUS DEC\nMINUS: \"-\"\nDEC: \"--\"\n";
	const char *const *v = LIST("-", "---", "----");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "", LIST("-", "---", "----"));
	EXPECT(g, v, "--", LIST("-", "---", "----"));
	EXPECT(g, v, "---", LIST("-", "---", "----", EOS));
	EXPECT(g, v, "------", LIST("-", "---", "----", EOS));
}

// The third star is the second of two X2 for one parse; behind them MUL is alone.
Test(parses, a_tie_that_is_won_only_where_both_are_viable)
{
	const char *g = "start: r X2 MUL\nr: X2+\nX2: \"*\"\nMUL.-1: \"*\"\n";
	const char *const *v = LIST("*", "***", "*****");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "", LIST("*", "***", "*****"));
	EXPECT(g, v, "**", LIST("*", "***", "*****"));
	EXPECT(g, v, "***", LIST("*", "***", "*****", EOS));
}

// A palindrome of words. Behind NAME NAME NAME a parse that closes already has only NAME; one that opens has IF, too,
// which wins.
Test(parses, palindromes_of_names_and_keywords)
{
	const char *g = "start: s\ns: IF s IF | NAME s NAME |\nNAME: /[if]+/\nIF: \"if\"\nWS: / +/\n%ignore WS\n";
	const char *const *v = LIST("f", "if", " ", "i", " f");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "", LIST("f", "if", " ", "i", " f", EOS));
	EXPECT(g, v, "f", LIST("f", "if", " ", "i", " f"));
	EXPECT(g, v, "f if", LIST("f", "if", " ", "i", " f"));  // one stack has both: NAME IF
	EXPECT(g, v, "if if", LIST("f", "if", " ", "i", " f", EOS));
	EXPECT(g, v, "if iff", LIST("f", "if", " ", "i", " f"));
	EXPECT(g, v, "f f f if", LIST("f", "if", " ", "i", " f", EOS));  // NAME NAME NAME NAME
	EXPECT(g, v, "f f f if if f f f", LIST("f", "if", " ", "i", " f", EOS));
}

// Trap 30: a newline ends a statement for one parse and is ignored by the other.
Test(parses, t30_a_newline_ends_one_and_is_ignored_by_the_other)
{
	const char *g = "start: p NAME NL NAME \";\" | q NAME NAME \"!\"\np: \"-\"\nq: \"-\"\nNAME: /[a-z]+/\nNL: \"\\n\"\n"
					"WS: /[ \\n]/\n%ignore WS\n";
	const char *const *v = LIST("-", "a", "\n", " ", ";", "!", "\na");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "-a", LIST("a", "\n", " ", "\na"));
	EXPECT(g, v, "-a\n", LIST("a", "\n", " ", "\na"));
	EXPECT(g, v, "-a\na", LIST("a", "\n", " ", ";", "!"));
	EXPECT(g, v, "-a a", LIST("a", "\n", " ", "!"));
	EXPECT(g, v, "-a\na;", LIST("\n", " ", EOS));
	EXPECT(g, v, "-a\na!", LIST("\n", " ", EOS));
}

// The same by `unless after`: behind a NAME the newline is the grammar's, behind the keyword it is ignored. One text is
// both.
Test(parses, t30_a_newline_is_held_by_what_a_parse_has_read)
{
	const char *g =
		"start: p \",\" NAME LINE NAME | q \",\" \"if\" NAME \"!\"\np: \"-\"\nq: \"-\"\nNAME: /[a-z]+/\nLINE: \"\\n\"\n"
		"%ignore LINE unless after NAME\n";
	const char *const *v = LIST("-,", "a", "if", "\n", "!", "\na", "a!");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "-,if", LIST("a", "if", "\n", "\na", "a!"));  // ifa is a NAME, or `if` and a NAME
	EXPECT(g, v, "-,if\n", LIST("a", "if", "\n", "\na", "a!"));
	EXPECT(g, v, "-,if\na", LIST("a", "if", "!", "a!", EOS));
	EXPECT(g, v, "-,a\na", LIST("a", "if", EOS));
	EXPECT(g, v, "-,if\n\na", LIST("a", "if", "!", "a!", EOS));
}

// An open comment of one parse is two operators of the other.
Test(parses, an_open_lexeme_of_one_is_not_the_others)
{
	const char *g =
		"start: p \",\" \"/\" \"*\" \"x\" | q \",\" COMMENT\np: \"-\"\nq: \"-\"\nCOMMENT: /\\/\\*(.|\\n)*?\\*\\//\n";
	const char *const *v = LIST("-,", "/", "*", "x", "/*", "*/", ",/", "*x");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "-,/", LIST("*", "*/", "*x"));
	EXPECT(g, v, "-,/*", LIST("-,", "/", "*", "x", "/*", "*/", ",/", "*x"));
	EXPECT(g, v, "-,/*x", LIST("-,", "/", "*", "x", "/*", "*/", ",/", "*x", EOS));
	EXPECT(g, v, "-,/*x*/", LIST(EOS));
}

// An ignored terminal competes for every parse, but the grammar's own wins the tie only where it is viable.
Test(parses, ignored_for_one_and_a_terminal_of_the_other)
{
	const char *g = "start: x C D | y C B\nx: C\ny: C\nD: \"d\"\nB: \"b\"\nC: \"c\"\nWS: \"d\"\n%ignore WS\n";
	const char *const *v = LIST("c", "d", "b", "dd", "db", "ccdb");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "", LIST("c", "d", "dd", "ccdb"));
	EXPECT(g, v, "cc", LIST("d", "b", "dd", "db"));
	EXPECT(g, v, "ccd", LIST("d", "b", "dd", "db", EOS));
	EXPECT(g, v, "ccdd", LIST("d", "b", "dd", "db", EOS));
}

// As in SQL: behind two names `left` is a third column for one parse, and joins tables for the other.
Test(parses, a_join_is_a_column_where_no_table_stands)
{
	const char *g = "start: column NAME NAME \";\" | table alias \"left\" \"join\" table \";\"\ncolumn: NAME\ntable: "
					"NAME\nalias: NAME\n"
					"NAME: /[a-z]+/\n%ignore \" \"\n";
	const char *const *v = LIST("a", "left", " left", "join", " join", " ", ";", " a;");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "a b", LIST("a", "left", " left", "join", " join", " ", " a;"));
	EXPECT(g, v, "a b left", LIST("a", "left", "join", " join", " ", ";"));
	EXPECT(g, v, "a b left ", LIST("join", " join", " ", ";"));
	EXPECT(g, v, "a b left join", LIST("a", "left", " left", "join", " join", " ", " a;"));
	EXPECT(g, v, "a b leftx", LIST("a", "left", "join", " ", ";"));
}

// Behind `1.` one parse goes back to INT and reads on, another waits for a digit, both for what they have themselves.
Test(parses, going_back_to_the_longest_prefix_is_each_ones_own)
{
	const char *g = "start: p \"c\" INT \"..\" INT | q \"c\" NUM \".\" NAME\np: \"(\"\nq: \"(\"\nINT: /[0-9]+/\n"
					"NUM: /[0-9]+(\\.[0-9]+)?/\nNAME: /[a-z]+/\n";
	const char *const *v = LIST("(c", "1", ".", "..", "a", ".a", ".1", "1.");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "(c1", LIST("1", ".", "..", ".a", ".1", "1."));
	EXPECT(g, v, "(c1.", LIST("1", ".", "a", ".1", "1."));
	EXPECT(g, v, "(c1.1", LIST("1", ".", ".a", "1."));
	EXPECT(g, v, "(c1..", LIST("1"));
	EXPECT(g, v, "(c1.1.", LIST("a"));
}

// A token was allowed and accepted, and then there was no mask. Outermost, `aa` is all; behind a pair of line ends
// stand a start and r1, a start and `a`, perhaps with a b before it.
Test(parses, what_was_allowed_goes_on)
{
	const char *g = "start:T0|T2 r2\nr1:(T1)? start\"a\"\nr2:start r1 T2?\nT0:\"aa\"\nT1.2:\"b\"\nT2:\"\\n\\n\"\n";
	const char *const *v = LIST("a", "b", "\n", "aa", "aaa", "\n\n", "aab", "a\n");
	EXPECT_CONFLICTS(g, true);
	EXPECT(g, v, "", LIST("aa", "a", "\n", "\n\n"));
	EXPECT(g, v, "aa", LIST(EOS));
	EXPECT(g, v, "\n\naa", LIST("a", "b", "\n", "aa", "aaa", "\n\n"));
	EXPECT(g, v, "\n\naaaa", LIST("a", "a\n"));
	EXPECT(g, v, "\n\naaaaa", LIST("\n", "\n\n", EOS));
}

// The closing `a` of one parse leaves only T0 viable, so the next one is a T0: a text of three.
Test(parses, a_text_of_one_letter)
{
	const char *g = "T0:\"a\"..\"c\"\nstart:[r3\"a\"]T0\nr3:\"a\"|(r3)+r3\n";
	const char *const *v = LIST("a", "aa", "aaa");
	EXPECT(g, v, "", LIST("a", "aa", "aaa"));
	EXPECT(g, v, "aa", LIST("a", "aa", "aaa"));
	EXPECT(g, v, "aaa", LIST("a", "aa", "aaa", EOS));
}

// Each star is one of two items until the text ends: 2 to the 60 parses, which do alike.
Test(parses, many_parses_of_a_long_run)
{
	const char *g = "start: s\ns: x s | y s NAME | SLASH\nx: STAR\ny: STAR\nNAME: /a+/\nSLASH: \"/\"\nSTAR: \"*\"\n"
					"COMMENT: /\\/\\*[\\s\\S]*?\\*\\//\n%ignore COMMENT\n";
	const char *const *v = LIST("****", "/", "/a", "a");
	char text[70] = {0};
	EXPECT_CONFLICTS(g, true);
	memset(text, '*', 60);
	EXPECT(g, v, text, LIST("****", "/", "/a"));
	text[60] = '/';
	EXPECT(g, v, text, LIST("****", "/", "a", EOS));  // a comment may follow
	text[61] = 'a';
	EXPECT(g, v, text, LIST("/", "a", EOS));
}

// A newline that may be lacking at the end, where no newline fits: the place behind "\n:b" is no place.
Test(parses, a_last_newline_that_does_not_fit)
{
	const char *g = "start: s+\ns: NL IN DE\nNL: /(\\r?\\n[ \\t]*)+/\n"
					"%indent newline=NL indent=IN dedent=DE tab=4 end=newline\nWS: \":b\"\n%ignore WS\n";
	const char *const *v = LIST("b", ":", " ", "\n", "\r", "\t", "\n:b", "\n :b");
	EXPECT(g, v, "", LIST(":", "\n", "\r", "\n :b"));
	EXPECT(g, v, "\n", LIST(" ", "\n", "\r", "\t", "\n :b"));
}

// None is supplied behind a text that ends in one: a joined line, a comment that ends its line, is not the last thing.
Test(parses, a_text_that_ends_in_a_newline_gets_no_other_one)
{
	const char *g = "start: s+\ns: A NL | A \":\" NL IN s+ DE\nA: /a+/\nNL: /(\\n[ ]*)+/\nJOINED: /;\\n[ ]*/\n"
					"%ignore JOINED\n%indent newline=NL indent=IN dedent=DE tab=4 end=newline\n";
	const char *const *v = LIST("a", ":", " ", "\n", ";", ";\n", ";\n ", "\n ");
	EXPECT(g, v, "a", LIST("a", ":", "\n", ";", ";\n", ";\n ", "\n ", EOS));
	EXPECT(g, v, "a;", LIST("\n", "\n "));
	EXPECT(g, v, "a;\n", LIST(":", " ", "\n", ";", ";\n", ";\n ", "\n "));
	EXPECT(g, v, "a;\n ", LIST(":", " ", "\n", ";", ";\n", ";\n ", "\n ", EOS));
	EXPECT(g, v, "a;\n\n", LIST("a", " ", "\n", ";", ";\n", ";\n ", "\n ", EOS));
	EXPECT(g, v, "a\n;\n", LIST("a", " ", ";", ";\n", ";\n ", EOS));
}

// %keywords with a terminal that no rule uses.
Test(parses, words_of_a_terminal_that_no_rule_uses)
{
	const char *g = "start: \"in\" \"x\"\nNAME: /[a-z]+/\n%keywords NAME\n%ignore \" \"\n";
	const char *const *v = LIST("in", "i", "n", "x", " ", "inx", " x", "in x");
	EXPECT(g, v, "", LIST("in", "i", " ", "in x"));
	EXPECT(g, v, "i", LIST("n"));
	EXPECT(g, v, "in", LIST(" ", " x"));
	EXPECT(g, v, "in ", LIST("x", " ", " x"));
	g = "start: \"b\" \"a\" | \"c\"\nNAME: /[a-z]+/\n%keywords NAME \"ba\"\n%ignore \" \"\n";
	v = LIST("a", "b", "c", " ", "ba", " a");
	EXPECT(g, v, "", LIST("b", "c", " "));
	EXPECT(g, v, "b", LIST(" ", " a"));
	EXPECT(g, v, "b ", LIST("a", " ", " a"));
}
