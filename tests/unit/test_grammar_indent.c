// %indent, --indent and scoped ignoring in the front end: settings one by one, errors, what is inside.
// What whole grammars become is in test_grammar_golden.c.
#include <criterion/criterion.h>

#include "../support/grammar_text.h"

static const char plain[] = "start: \"a\" NL _I \"(\" \"b\" \")\" _D\nNL: \"\\n\"\n%declare _I _D\n";

struct loaded {
	struct diag d;
	struct grammar g;
	bool ok;
};

static struct loaded load(const char *text, const char *indent)
{
	struct loaded l = {0};
	l.ok = grammar_parse("<test>", text, strlen(text), &(struct grammar_options){.indent = indent}, &l.d, &l.g);
	if (l.ok) {
		const char *wrong = grammar_check(&l.g);
		cr_expect_null(wrong, "%s in: %s", wrong, text);
	}
	cr_expect_eq(l.ok, l.d.n_errors == 0);
	return l;
}

static void release(struct loaded *l)
{
	if (l->ok) grammar_release(&l->g);
	diag_release(&l->d);
}

static void expect_error(const char *text, const char *indent, const char *part)
{
	struct loaded l = load(text, indent);
	const char *said = diag_text(&l.d);
	cr_expect_not(l.ok, "loaded: %s with %s", text, indent);
	cr_expect(strstr(said, part), "expected '%s' in:\n%s", part, said);
	release(&l);
}

static terminal_id find(const struct grammar *g, const char *name)
{
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (strcmp(g->terminals[t].name, name) == 0) return t;
	cr_assert_fail("no terminal %s", name);
	return 0;
}

Test(grammar_indent, settings)
{
	static const struct {
		const char *rest;
		enum tab_rule rule;
		uint32_t tab;
		bool end_newline, has_scope;
	} cases[] = {
		{"", TAB_STOPS, 8, false, false},
		{"tab=4", TAB_STOPS, 4, false, false},
		{"tab=+8", TAB_COUNTS, 8, false, false},
		{"tab=refuse", TAB_REFUSED, 8, false, false},
		{"end=newline", TAB_STOPS, 8, true, false},
		{"end=text tab=+1000", TAB_COUNTS, 1000, false, false},
		{"open=LPAR close=RPAR", TAB_STOPS, 8, false, true},
		{"open=\"(\" close=\")\"", TAB_STOPS, 8, false, true},
		{"  open= close=\t", TAB_STOPS, 8, false, false},
		{"close=\")\", \"a\" open=LPAR,B", TAB_STOPS, 8, false, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char option[200];
		snprintf(option, sizeof option, "newline=NL dedent=_D indent=_I %s", cases[i].rest);
		struct loaded l =
			load(i == 9 ? "start: \"b\" \"a\" NL\nNL: \"\\n\"\nX: \"(\" \")\"\nu: \"(\" \")\"\n" : plain, option);
		cr_assert(l.ok, "%s\n%s", option, diag_text(&l.d));
		const struct indentation *x = &l.g.indentation;
		cr_expect(x->on && x->tab_rule == cases[i].rule && x->tab == cases[i].tab, "%s", option);
		cr_expect(x->end_newline == cases[i].end_newline && l.g.has_scope == cases[i].has_scope, "%s", option);
		cr_expect_eq(x->newline, find(&l.g, "NL"));
		cr_expect_eq(x->indent, find(&l.g, "_I"));
		cr_expect_eq(x->dedent, find(&l.g, "_D"));
		cr_expect_eq(l.g.terminals[x->newline].is_scoped, cases[i].has_scope);
		release(&l);
	}
}

Test(grammar_indent, settings_that_are_wrong)
{
	static const char *const cases[][2] = {
		{"", "newline= is missing"},
		{"newline=NL indent=_I", "dedent= is missing"},
		{"newline=NL indent=_I dedent=_D tab=0", "--indent:1:36: error: tab is 8"},
		{"newline=NL indent=_I dedent=_D tab=1001", "INDENT_MAX_TAB"},
		{"newline=NL indent=_I dedent=_D tab=99999999999999999999", "INDENT_MAX_TAB"},
		{"newline=NL indent=_I dedent=_D tab=", "tab is 8"},
		{"newline=NL indent=_I dedent=_D newline=NL", "newline is given twice"},
		{"newline=NL, indent=_I", "expected a blank"},
		{"newlines=NL", "1:1: error: expected newline="},
		{"newline NL", "newline needs a value"},
		{"newline=", "1:8: error: expected a terminal's name"},
		{"newline=NL indent=_I dedent=_D end=eof", "end is newline"},
		{"newline=NL indent=_I dedent=_D open=LPAR", "1 terminals open brackets, but 0 close them"},
		{"newline=NL indent=_I dedent=_D open=LPAR close=RPAR,", "expected a terminal's name"},
		{"newline=NL indent=_I dedent=_D open=\"( close=RPAR", "string is not closed"},
		{"newline=NL indent=_I dedent=_D open=\"\" close=RPAR", "the empty string is no terminal"},
		{"newline=NL indent=_I dedent=_D open=LPAR close=RSQB", "the grammar has no terminal 'RSQB'"},
		{"newline=NL indent=_I dedent=_D open=\"(\" close=\"]\"", "no terminal of the grammar is this string"},
		{"newline=NL indent=_I dedent=_I", "indent and dedent are one terminal"},
		{"newline=NL indent=NL dedent=_D", "terminal 'NL' has a pattern"},
		{"newline=_I indent=_I dedent=_D", "has no pattern"},
		{"newline=NL indent=_I dedent=_D open=LPAR close=LPAR", "cannot be two kinds of bracket"},
		{"newline=NL indent=_I dedent=_D open=NL close=RPAR", "'NL' cannot be a bracket: it is ignored"},
		{"newline=NL indent=_I dedent=_D open=_I close=RPAR", "'_I' cannot be a bracket: it has no pattern"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_error(plain, cases[i][0], cases[i][1]);
	expect_error("start: \"a\" NL\nNL: \"\\n\"\n%indent newline=NL indent=_I dedent=_D\n",
	             "newline=NL indent=_I dedent=_D", "indentation is declared twice");
}

Test(grammar_indent, the_directive_and_the_option_say_the_same)
{
	static const char settings[] = "newline=NL indent=_I dedent=_D open=LPAR close=RPAR tab=+3 end=newline";
	char text[400];
	snprintf(text, sizeof text, "%s%%indent %s  # comment\n", plain, settings);
	struct loaded a = load(plain, settings), b = load(text, NULL), c = load(text, NULL);
	cr_assert(a.ok && b.ok && c.ok, "%s%s", diag_text(&a.d), diag_text(&b.d));
	cr_expect_arr_eq(a.g.hash, b.g.hash, sizeof a.g.hash);
	release(&a), release(&b), release(&c);
}

Test(grammar_indent, the_hash_sees_each_setting)
{
	static const char *const all[] = {"", "tab=4", "tab=+8", "tab=refuse", "end=newline", "open=LPAR close=RPAR"};
	struct loaded l[6];
	for (size_t i = 0; i < 6; i++) {
		char option[200];
		snprintf(option, sizeof option, "newline=NL dedent=_D indent=_I %s", all[i]);
		l[i] = load(plain, option);
		cr_assert(l[i].ok);
		for (size_t k = 0; k < i; k++)
			cr_expect(memcmp(l[i].g.hash, l[k].g.hash, sizeof l[i].g.hash) != 0, "%s, %s", all[i], all[k]);
	}
	for (size_t i = 0; i < 6; i++) release(&l[i]);
}

// Each place of each production against a count of brackets.
Test(grammar_indent, item_inside_follows_the_brackets)
{
	struct loaded l =
		load("start: \"x\" \"(\" \"[\" \"y\" \"]\" \"{\" \"z\" \"(\" a \")\" \"}\" a \")\" a\na: \"w\"\nNL: \"\\n\"\n"
	         "%ignore NL inside \"(\" \")\" \"[\" \"]\" outside \"{\" \"}\"\n",
	         NULL);
	cr_assert(l.ok, "%s", diag_text(&l.d));
	//                              x  (  [  y  ]  {  z  (  a  )  }  a  )  a
	static const bool expected[] = {0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0};
	for (uint32_t p = 0; p < l.g.n_productions; p++) {
		if (l.g.productions[p].n_rhs != 14) {
			for (uint32_t dot = 0; dot < 2; dot++) cr_expect_eq(item_inside(&l.g, p, dot), l.g.productions[p].inside);
			continue;
		}
		for (uint32_t dot = 0; dot < 15; dot++) cr_expect_eq(item_inside(&l.g, p, dot), expected[dot], "dot %u", dot);
	}
	cr_expect_eq(l.g.n_productions, 3, "start, a, a'");
	release(&l);
}

Test(grammar_indent, without_scopes_nothing_is_inside)
{
	struct loaded l = load("start: \"(\" start \")\" | \"x\"\n", NULL);
	cr_assert(l.ok);
	for (uint32_t p = 0; p < l.g.n_productions; p++)
		for (uint32_t dot = 0; dot <= l.g.productions[p].n_rhs; dot++) cr_expect_not(item_inside(&l.g, p, dot));
	release(&l);
}

// A language that is empty only because newlines are ignored inside brackets.
Test(grammar_indent, what_needs_a_newline_inside_brackets_never_ends)
{
	static const char text[] = "start: \"(\" b \")\"\nb: \"x\" NL\nNL: \"\\n\"\n";
	struct loaded l = load(text, NULL);
	cr_expect(l.ok);
	release(&l);
	expect_error("start: \"(\" b \")\"\nb: \"x\" NL\nNL: \"\\n\"\n%ignore NL inside \"(\" \")\"\n", NULL,
	             "the language is empty");
}

Test(grammar_indent, what_needs_an_indent_inside_brackets_never_ends)
{
	static const char settings[] = "newline=NL indent=_I dedent=_D open=LPAR close=RPAR";
	expect_error("start: \"(\" a \")\" NL\na: \"a\" b\nb: _I \"b\" _D\nNL: \"\\n\"\n%declare _I _D\n", settings,
	             "the language is empty");
}

// Of brackets inside one another the innermost one decides, in the alternative and in what it uses.
Test(grammar_indent, the_innermost_bracket_decides)
{
	static const struct {
		const char *rules;
		bool is_empty;
	} cases[] = {
		{"start: \"(\" \"{\" NL \"}\" \")\"\n", false},
		{"start: \"{\" \"(\" NL \")\" \"}\"\n", true},
		{"start: \"(\" \"{\" \"}\" NL \")\"\n", true},
		{"start: \"(\" \"{\" a \"}\" \")\"\na: NL\n", false},
		{"start: \"{\" \"(\" a \")\" \"}\"\na: NL\n", true},
		{"start: \"(\" \"{\" \"}\" a \")\"\na: NL\n", true},
		{"start: \"(\" \"{\" \"(\" \")\" a \"}\" \")\"\na: \"{\" NL \"}\" b\nb: NL\n", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[300];
		snprintf(text, sizeof text, "%sNL: \"\\n\"\n%%ignore NL inside \"(\" \")\" outside \"{\" \"}\"\n",
		         cases[i].rules);
		struct loaded l = load(text, NULL);
		cr_expect_eq(l.ok, !cases[i].is_empty, "%s", text);
		cr_expect(cases[i].is_empty ? strstr(diag_text(&l.d), "the language is empty") != NULL : !l.d.messages.n,
		          "%s%s", text, diag_text(&l.d));
		release(&l);
	}
}

Test(grammar_indent, only_alternatives_that_are_used_must_be_balanced)
{
	struct loaded l = load("start: \"(\" \"x\" \")\"\nunused: \"(\"\n%ignore \" \" inside \"(\" \")\"\n", NULL);
	cr_expect(l.ok, "%s", diag_text(&l.d));
	release(&l);
	expect_error("start: \"x\" \")\" \"(\"\n%ignore \" \" inside \"(\" \")\"\n", NULL, "not balanced");
	expect_error("start: \"(\" \"{\" \")\" \"}\"\n%ignore \" \" inside \"(\" \")\" outside \"{\" \"}\"\n", NULL,
	             "not balanced");
	expect_error("start: \"[\" a \"]\"\na: \"(\" | \"(\" \")\"\n%ignore \" \" inside \"(\" \")\" \"[\" \"]\"\n", NULL,
	             "not balanced");
}

Test(grammar_indent, indents_must_be_balanced)
{
	static const char settings[] = "newline=NL indent=_I dedent=_D open=LPAR close=RPAR";
	expect_error("start: \"a\" NL _I \"(\" \")\" NL\nNL: \"\\n\"\n%declare _I _D\n", settings,
	             "an indent without its dedent");
	expect_error("start: \"(\" \")\" NL _D start _I |\nNL: \"\\n\"\n%declare _I _D\n", settings,
	             "an indent without its dedent");
	struct loaded l = load(
		"start: (\"(\" \")\" NL _I start _D)* \"(\" a \")\"\na: \"a\" | \"b\" _I NL\nNL: \"\\n\"\n%declare _I _D\n",
		settings);
	cr_expect(l.ok, "only inside brackets, where there are none\n%s", diag_text(&l.d));
	release(&l);
}

// Rules that only brackets use are not reported as unused; the number of copies does not depend on depth.
Test(grammar_indent, copies_are_not_reported)
{
	struct loaded l =
		load("start: \"x\" NL | \"(\" a \")\" NL\na: b | \"(\" a \")\"\nb: \"y\" c*\nc: \"z\"\nNL: \"\\n\"\n"
	         "%ignore NL inside \"(\" \")\"\n",
	         NULL);
	cr_assert(l.ok);
	cr_expect_eq(l.d.messages.n, 0, "%s", diag_text(&l.d));
	uint32_t n = 0;
	for (uint32_t a = 0; a < l.g.n_nonterminals; a++) n += l.g.nonterminals[a].inside;
	cr_expect_eq(n, l.g.n_nonterminals - 1);
	release(&l);
}
