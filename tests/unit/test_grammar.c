// The Lark front end: features one by one, invariants, limits, hostile input. What a grammar becomes and what errors
// say is in test_grammar_golden.c.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "../../lib/grammar/lark.h"
#include "../support/grammar_text.h"

// ---- helpers

struct loaded {
	struct diag d;
	struct grammar g;
	bool ok;
};

static struct loaded load_n(const char *text, size_t len)
{
	struct loaded l = {0};
	l.ok = grammar_parse("<test>", text, len, NULL, &l.d, &l.g);
	if (l.ok) {
		const char *wrong = grammar_check(&l.g);
		cr_expect_null(wrong, "%s in: %.200s", wrong, text);
	}
	cr_expect_eq(l.ok, l.d.n_errors == 0);
	return l;
}

static struct loaded load(const char *text) { return load_n(text, strlen(text)); }

static void release(struct loaded *l)
{
	if (l->ok) grammar_release(&l->g);
	diag_release(&l->d);
}

// Loads text, which must work, and returns its dump without the first line; the caller frees it.
static char *dump_of(const char *text)
{
	struct loaded l = load(text);
	cr_assert(l.ok, "%s\n%s", text, diag_text(&l.d));
	char *out = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);
	grammar_dump(&l.g, f);
	fclose(f);
	release(&l);
	memmove(out, strchr(out, '\n') + 1, strlen(strchr(out, '\n')));
	return out;
}

#define EXPECT_DUMP(text, expected)                                                                                    \
	do {                                                                                                               \
		char *got_ = dump_of(text);                                                                                    \
		cr_expect_str_eq(got_, expected, "%s\nbecame\n%s", text, got_);                                                \
		free(got_);                                                                                                    \
	} while (0)

// text must fail, the messages must hold part.
static void expect_error_n(const char *text, size_t len, const char *part)
{
	struct loaded l = load_n(text, len);
	cr_expect_not(l.ok, "loaded: %.200s", text);
	const char *said = diag_text(&l.d);
	cr_expect(strstr(said, part), "expected '%s' in:\n%.2000s", part, said);
	release(&l);
}
static void expect_error(const char *text, const char *part) { expect_error_n(text, strlen(text), part); }

static bool same_hash(const char *a, const char *b)
{
	struct loaded la = load(a), lb = load(b);
	cr_assert(la.ok && lb.ok);
	bool same = la.g.hash[0] == lb.g.hash[0] && la.g.hash[1] == lb.g.hash[1];
	release(&la), release(&lb);
	return same;
}

// prefix, n times part, suffix; the caller frees it.
static char *many(const char *prefix, const char *part, size_t n, const char *suffix)
{
	size_t a = strlen(prefix), b = strlen(part), c = strlen(suffix);
	char *text = mem_alloc(a + n * b + c + 1);
	memcpy(text, prefix, a);
	for (size_t i = 0; i < n; i++) memcpy(text + a + i * b, part, b);
	memcpy(text + a + n * b, suffix, c + 1);
	return text;
}

static void expect_error_many(const char *prefix, const char *part, size_t n, const char *suffix, const char *message)
{
	char *text = many(prefix, part, n, suffix);
	expect_error(text, message);
	free(text);
}

// ---- features

Test(grammar, rules_and_terminals)
{
	EXPECT_DUMP("start: A b\nb: \"x\" |\nA: /a+/i\n", "A: /a+/i\nX: \"x\"\nstart: A b\nb: X\nb:\n");
}

Test(grammar, the_start_rule_can_be_chosen)
{
	struct diag d = {0};
	struct grammar g;
	const char *text = "a: \"a\"\nb: \"b\"\n";
	struct grammar_options o = {.start = "b"};
	cr_assert(grammar_parse("<test>", text, strlen(text), &o, &d, &g));
	cr_expect_str_eq(g.nonterminals[g.start].name, "b");
	cr_expect_eq(g.n_terminals, 1);
	grammar_release(&g);
	diag_release(&d);
}

Test(grammar, percent_start_says_where_texts_may_start)
{
	const char *text = "%start a b\na: \"a\" b?\nb: \"b\"\nc: a\nstart: c\n";
	static const struct {
		const char *start, *name, *said;
	} cases[] = {
		{NULL, "a", "rule 'c' is left out: nothing that begins at 'a' uses it"},
		{"b", "b", "rule 'c' is left out: nothing that begins at 'b' uses it"},
		{"start", NULL, "<test>:1:8: error: no text of this grammar starts from 'start': %start allows a or b"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag d = {0};
		struct grammar g;
		struct grammar_options o = {.start = cases[i].start};
		bool ok = grammar_parse("<test>", text, strlen(text), &o, &d, &g);
		cr_expect_eq(ok, cases[i].name != NULL);
		cr_expect(strstr(diag_text(&d), cases[i].said), "%s", diag_text(&d));
		cr_expect_null(strstr(diag_text(&d), "'a' is left out"));
		if (ok) cr_expect_str_eq(g.nonterminals[g.start].name, cases[i].name);
		grammar_release(&g);
		diag_release(&d);
	}
}

Test(grammar, percent_keywords_reserves_although_no_rule_uses_names)
{
	EXPECT_DUMP("start: \"in\" \"x\"\nNAME: /[a-z]+/\n%keywords NAME \"go\"\n",
	            "NAME: /[a-z]+/\nIN: \"in\"\nX: \"x\"\nGO: \"go\"\n%keywords NAME\nstart: IN X\n");
}

Test(grammar, percent_keywords_of_an_ignored_terminal_says_that_it_reserves_nothing)
{
	struct loaded l = load("start: \"in\" \"x\"\nNAME: /[a-z]+/\n%ignore NAME\n%keywords NAME\n");
	cr_expect(l.ok);
	cr_expect(strstr(diag_text(&l.d),
	                 "<test>:4:11: warning: %keywords reserves nothing: 'NAME' is ignored, and no rule uses it"),
	          "%s", diag_text(&l.d));
	release(&l);
}

Test(grammar, a_literal_is_the_terminal_that_is_made_of_it)
{
	EXPECT_DUMP("start: \"a\" \"b\"i \"b\"\nX: \"a\"\nY: \"b\"i\n", "X: \"a\"\nY: \"b\"i\nB: \"b\"\nstart: X Y B\n");
}

Test(grammar, of_two_terminals_with_one_text_the_later_takes_the_literals_the_main_grammar_first)
{
	EXPECT_DUMP("start: \"a\"\nX: \"a\"\nY: \"a\"\n", "Y: \"a\"\nstart: Y\n");
	EXPECT_DUMP("start: \"\\n\" LF\nMINE: \"\\n\"\n%import common.LF\n",
	            "MINE: \"\\n\"\nLF: \"\\n\"\nstart: MINE LF\n");
}

Test(grammar, literals_are_marked_and_nothing_else)
{
	struct loaded l = load("start: A B C D \"e\"i\nA: \"a\"\nB: /b/\nC: \"c\" \"c\"\nD: A2\nA2: \"q\"\n");
	cr_assert(l.ok);
	const bool expected[] = {true, false, false, true, true};
	cr_assert_eq(l.g.n_terminals, 5);
	for (uint32_t i = 0; i < 5; i++)
		cr_expect_eq(l.g.terminals[i].is_literal, expected[i], "%s", l.g.terminals[i].name);
	release(&l);
}

Test(grammar, places_point_into_the_text)
{
	struct loaded l = load("start: A\n     | \"b\"\nA: \"x\" /re/i\n");
	cr_assert(l.ok);
	cr_expect_eq(l.g.productions[0].loc.offset, 7);
	cr_expect_eq(l.g.productions[1].loc.offset, 16);
	cr_expect_eq(l.g.terminals[0].loc.offset, 20);
	const struct term *re = l.g.terminals[0].pattern->children[1];
	cr_expect_eq(re->kind, TERM_REGEX);
	cr_expect_eq(re->text_loc.offset, 28);
	cr_expect_eq(re->text_loc.len, 2);
	release(&l);
}

Test(grammar, common_terminals_are_those_of_lark)
{
	static const char *const names[] = {"DIGIT",
	                                    "HEXDIGIT",
	                                    "INT",
	                                    "SIGNED_INT",
	                                    "DECIMAL",
	                                    "_EXP",
	                                    "FLOAT",
	                                    "SIGNED_FLOAT",
	                                    "NUMBER",
	                                    "SIGNED_NUMBER",
	                                    "_STRING_INNER",
	                                    "_STRING_ESC_INNER",
	                                    "ESCAPED_STRING",
	                                    "LCASE_LETTER",
	                                    "UCASE_LETTER",
	                                    "LETTER",
	                                    "WORD",
	                                    "CNAME",
	                                    "WS_INLINE",
	                                    "WS",
	                                    "CR",
	                                    "LF",
	                                    "NEWLINE",
	                                    "SH_COMMENT",
	                                    "CPP_COMMENT",
	                                    "C_COMMENT",
	                                    "SQL_COMMENT"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[200];
		snprintf(text, sizeof text, "start: %s\n%%import common.%s\n", names[i], names[i]);
		struct loaded l = load(text);
		cr_expect(l.ok, "%s", diag_text(&l.d));
		release(&l);
	}
}

Test(grammar, terminals_of_python_are_those_of_lark)
{
	static const char *const names[] = {"SLASH",        "ASYNC",      "AWAIT",       "NAME",         "COMMENT",
	                                    "_NEWLINE",     "STRING",     "LONG_STRING", "_SPECIAL_DEC", "DEC_NUMBER",
	                                    "HEX_NUMBER",   "OCT_NUMBER", "BIN_NUMBER",  "_EXP",         "DECIMAL",
	                                    "FLOAT_NUMBER", "IMAG_NUMBER"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[200];
		snprintf(text, sizeof text, "start: %s\n%%import python (%s)\n", names[i], names[i]);
		struct loaded l = load(text);
		cr_expect(l.ok, "%s", diag_text(&l.d));
		release(&l);
	}
}

// Lark's import_paths: the file there is taken before the one beside, and it may import others from there.
Test(grammar, imports_are_looked_for_in_the_import_folder_first)
{
	static const char text[] = "start: shared\n%import .shared.shared\n";
	struct grammar_options o = {.import_folder = "tests/golden/grammar/imports"};
	struct diag d = {0};
	struct grammar g;
	cr_expect(grammar_parse("tests/golden/x.lark", text, strlen(text), &o, &d, &g), "%s", diag_text(&d));
	cr_expect_eq(g.n_terminals, 2);
	grammar_release(&g);
	cr_expect_not(grammar_parse("tests/golden/x.lark", text, strlen(text), NULL, &d, &g));
	cr_expect(strstr(diag_text(&d), "cannot read tests/golden/shared.lark: No such file or directory"), "%s",
	          diag_text(&d));
	cr_expect(strstr(diag_text(&d), "--import-path FOLDER"), "%s", diag_text(&d));
	diag_release(&d);
}

Test(grammar, a_text_from_memory_has_no_files_beside_it)
{
	expect_error("start: x\n%import .grammar (x)\n", "<test> is no file");
}

Test(grammar, json_is_small)
{
	struct diag d = {0};
	struct grammar g;
	cr_assert(grammar_load("grammars/json/json.lark", NULL, &d, &g), "%s", diag_text(&d));
	cr_expect_null(grammar_check(&g));
	cr_expect_eq(g.n_terminals, 12);
	cr_expect_eq(g.n_productions, 19);
	grammar_release(&g);
	diag_release(&d);
}

Test(grammar, a_file_that_is_not_there_is_an_error)
{
	struct diag d = {0};
	struct grammar g;
	cr_expect_not(grammar_load("tests/no_such_file.lark", NULL, &d, &g));
	cr_expect_str_eq(diag_text(&d), "error: cannot read tests/no_such_file.lark: No such file or directory\n");
	cr_expect_not(grammar_load("tests", NULL, &d, &g));
	diag_release(&d);
}

Test(grammar, all_errors_of_the_text_are_reported)
{
	struct loaded l = load("start: \"\" | )\na: \"x\nb: /x\nc \"d\"\n%nothing\nd: 'e'\n");
	cr_expect_eq(l.d.n_errors, 8, "%u errors: %s", l.d.n_errors, diag_text(&l.d));
	release(&l);
}

Test(grammar, errors_beyond_the_limit_are_counted)
{
	char *text = many("start: \"a\"\n", "a: b\n", 1000, "");
	struct loaded l = load(text);
	cr_expect_eq(l.d.n_errors, 999 + 1);
	cr_expect_leq(l.d.messages.n, 2u * DIAG_MAX_ERRORS);
	release(&l);
	free(text);
}

// ---- the hash

Test(grammar, the_hash_is_of_the_language_not_of_names_and_layout)
{
	cr_expect(same_hash("start: \"a\" b*\nb: /x/\n", "// c\nstart:   \"a\" [other+]   -> alias\n\n?other.3: /x/\n"));
	cr_expect(same_hash("start: A\nA: \"a\"\n", "start: LETTER_A\nLETTER_A: \"a\"\nUNUSED: \"b\"\n"));
}

Test(grammar, the_hash_sees_everything_that_counts)
{
	static const char *const all[] = {"start: \"a\"\n",
	                                  "start: \"b\"\n",
	                                  "start: \"a\"i\n",
	                                  "start: /a/\n",
	                                  "start: /a/i\n",
	                                  "start: \"a\" \"a\"\n",
	                                  "start: A\nA.1: \"a\"\n",
	                                  "start: A\nA: \"a\"\n%ignore A\n",
	                                  "start: \"a\"?\n",
	                                  "start: \"a\"+\n",
	                                  "start: \"a\"..\"b\"\n",
	                                  "start: A\nA: \"a\"~2..3\n",
	                                  "start: A\nA: \"a\"~2..4\n",
	                                  "start: A\nA: \"a\" | \"b\"\n",
	                                  "start: A\nA: \"a\" \"b\"\n",
	                                  "start: b\nb: \"a\"\n",
	                                  "start: \"a\"\n%ignore \" \"\n",
	                                  "start: \"a\" \"b\"\n",
	                                  "start: \"b\" \"a\" \"a\"\n"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t k = 0; k < i; k++) cr_expect_not(same_hash(all[i], all[k]), "%s%s", all[i], all[k]);
}

// The value itself: it is stored in artifacts and must not change by accident.
Test(grammar, the_hash_does_not_change)
{
	struct loaded l = load("start: \"a\" b*\nb: /x/i | \"0\"..\"9\"\nA.2: \"a\"\n%ignore \" \"\n");
	cr_assert(l.ok);
	cr_expect(l.g.hash[1] == 0x2259b2ba425a3e07 && l.g.hash[0] == 0x837df816ca7916d3, "%016llx %016llx",
	          (unsigned long long)l.g.hash[1], (unsigned long long)l.g.hash[0]);
	release(&l);
}

// ---- limits

Test(grammar, nesting_has_a_limit)
{
	char *text = many("start: ", "(", 199, "\"a\"");
	char *closed = many(text, ")", 199, "\n");
	struct loaded l = load(closed);
	cr_expect(l.ok, "%s", diag_text(&l.d));
	release(&l);
	free(closed), free(text);
	expect_error_many("start: ", "(", 1000000 - 10, "", "LARK_MAX_NESTING");
	expect_error_many("start: ", "[", 201, "", "LARK_MAX_NESTING");
	expect_error_many("start: ", "x{", 201, "", "LARK_MAX_NESTING");
}

Test(grammar, text_has_a_limit)
{
	expect_error_many("start: \"a\"\n", "// 4567\n", LARK_MAX_BYTES / 8, "", "LARK_MAX_BYTES");
	expect_error_many("start: \"a\"\n", "a ", LARK_MAX_TOKENS, "\n", "LARK_MAX_TOKENS");
	char *text = many("start: \"a\"\n", "// 4567\n", LARK_MAX_BYTES / 8 - 2, "");
	struct loaded l = load(text);
	cr_expect(l.ok);
	release(&l);
	free(text);
}

Test(grammar, repeats_have_a_limit)
{
	expect_error("start: \"a\"~65536\n", "LARK_MAX_REPEAT");
	expect_error("start: \"a\"~99999999999999999999999\n", "LARK_MAX_REPEAT");
	struct loaded l = load("start: \"a\"~0..65535 (\"b\" \"c\")~65535\n");
	cr_expect(l.ok);
	cr_expect_lt(l.g.n_productions, 100u);
	release(&l);
}

Test(grammar, priorities_have_a_limit)
{
	expect_error("start: A\nA.2147483648: \"a\"\n", "the number must be");
	struct loaded l = load("start: A\nA.-2147483648: \"a\"\n");
	cr_assert(l.ok);
	cr_expect_eq(l.g.terminals[0].priority, INT32_MIN);
	release(&l);
}

Test(grammar, parameters_have_a_limit)
{
	expect_error_many("start: \"a\"\nt{x", ",x", 64, "}: x\n", "LARK_MAX_PARAMETERS");
}

Test(grammar, terminals_have_limits)
{
	expect_error_many("start: A\nA: ", "\"0123456789abcdef\"", 70000, "\n", "TERM_MAX_SIZE");
	// Ten terminals, each ten times the one before: a small text, a tree of 10^10.
	char text[2000] = "start: T0\n";
	for (int i = 0; i < 10; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "T%d: T%d T%d T%d T%d T%d T%d T%d T%d T%d T%d\n", i,
		         i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1);
	strcat(text, "T10: \"x\"\n");
	expect_error(text, "TERM_MAX_SIZE");
}

// A chain of n terminals, each the next one; forwards (the deep recursion) or backwards (nothing to recurse into).
static char *chain(uint32_t n, bool forwards, const char *extra)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	fprintf(f, "start: T0\n");
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = forwards ? k : n - 1 - k;
		fprintf(f, "T%u: T%u%s\n", i, i + 1, extra);
	}
	fprintf(f, "T%u: \"x\"\n", n);
	fclose(f);
	return text;
}

Test(grammar, chains_of_terminals_have_a_limit)
{
	for (int forwards = 0; forwards < 2; forwards++)
		for (int extra = 0; extra < 2; extra++) {
			char *text = chain(100000, forwards, extra ? " \"y\"" : "");
			expect_error(text, "TERM_MAX_DEPTH");
			free(text);
			text = chain(200, forwards, extra ? " \"y\"" : "");
			struct loaded l = load(text);
			cr_expect(l.ok, "%s", diag_text(&l.d));
			release(&l);
			free(text);
		}
}

Test(grammar, a_long_cycle_of_terminals_is_found)
{
	char *text = chain(100, true, "");
	char *cycle = many(text, "", 0, "");
	strcpy(strstr(cycle, "T100: "), "");
	char *whole = many(cycle, "T100: T0\n", 1, "");
	expect_error(whole, "contains itself");
	free(text), free(cycle), free(whole);
}

Test(grammar, templates_have_limits)
{
	expect_error("start: t{\"a\"}\nt{x}: t{u{x}} \"b\" | x\nu{x}: x x\n", "TEMPLATE_MAX_NAME");
	expect_error("start: t{\"a\"}\nt{x}: t{u{x,x}} | x\nu{x,y}: x y\n", "TEMPLATE_MAX_NAME");
	// Binary counting: 2^16 different arguments, each name short enough.
	expect_error("start: t{A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A}\n"
	             "t{a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p}: t{b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,A} | "
	             "t{b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,B} | a\n"
	             "A: \"a\"\nB: \"b\"\n",
	             "TEMPLATE_MAX_INSTANCES");
}

Test(grammar, expansion_has_limits)
{
	// Alternatives in nested groups: ((a|b)(c|d))~n ... stays small by helpers.
	char *text = many("start: ", "(\"a\" | \"b\" | \"c\"?) ", 5000, "\n");
	struct loaded l = load(text);
	cr_expect(l.ok, "%s", diag_text(&l.d));
	release(&l);
	free(text);
	// A long alternative, many times.
	char *inner = many("start: (", "\"a\" ", 10000, ")");
	char *outer = many(inner, " (\"b\" | \"c\")", 10, "\n");
	expect_error(outer, "EXPAND_MAX_SYMBOLS");
	free(inner), free(outer);
}

Test(grammar, productions_have_a_limit)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	fprintf(f, "start: a0\n");
	for (int i = 0; i < 250; i++)
		fprintf(f,
		        "a%d: \"x%d\" (\"a\"|\"b\") (\"a\"|\"b\") (\"a\"|\"b\") (\"a\"|\"b\") (\"a\"|\"b\") (\"a\"|\"b\") "
		        "(\"a\"|\"b\") (\"a\"|\"b\") (\"a\"|\"b\") (\"a\"|\"b\")\n",
		        i, i);
	fclose(f);
	struct loaded l = load(text);
	cr_expect_not(l.ok);
	const char *said = diag_text(&l.d);
	cr_expect(strstr(said, "EXPAND_MAX_PRODUCTIONS") || strstr(said, "EXPAND_MAX_SYMBOLS"), "%s", said);
	release(&l);
	free(text);
}

Test(grammar, many_rules_are_quick, .timeout = 60)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	fprintf(f, "start: a0\n");
	for (int i = 0; i < 50000; i++) fprintf(f, "a%d: \"x%d\" a%d? B%d\nB%d: /b%d/\n", i, i, i + 1, i, i, i);
	fprintf(f, "a50000: \"end\"\n");
	fclose(f);
	struct loaded l = load(text);
	cr_expect(l.ok, "%s", diag_text(&l.d));
	cr_expect_eq(l.g.n_productions, 1 + 100000 + 1);
	release(&l);
	free(text);
}

Test(grammar, useless_rules_are_not_all_listed)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	fprintf(f, "start: \"a\"\n");
	for (int i = 0; i < 1000; i++) fprintf(f, "a%d: \"x\"\n", i);
	fclose(f);
	struct loaded l = load(text);
	cr_expect(l.ok);
	cr_expect_eq(l.d.messages.n, REDUCE_MAX_WARNINGS + 1);
	cr_expect(strstr(diag_text(&l.d), "980 more rules"));
	release(&l);
	free(text);
}

Test(grammar, many_extends_are_quick, .timeout = 60)
{
	char *text = many("start: \"a\"\n", "%extend start: \"b\"\n", 50000, "");
	struct loaded l = load(text);
	cr_expect(l.ok);
	cr_expect_eq(l.g.n_productions, 2);
	release(&l);
	free(text);
}

Test(grammar, many_imports_are_quick, .timeout = 60)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	for (int i = 0; i < 100000; i++) fprintf(f, "%%import .x%d.Y%d\n", i, i);
	fclose(f);
	expect_error(text, "<test> is no file");
	free(text);
	text = many("start: INT\n", "%import common.INT\n%import common (WS, NUMBER)\n", 20000, "");
	struct loaded l = load(text);
	cr_expect(l.ok);
	release(&l);
	free(text);
}

Test(grammar, many_slashes_are_quick, .timeout = 60)
{
	expect_error_many("start: ", "/a\n", 300000, "", "regex is not closed");
}

// Files of levels that import the next level's, n_per_level of each; loads the first.
static void expect_error_files(int levels, int n_per_level, const char *part)
{
	char folder[] = "/tmp/gcdc-grammar-XXXXXX", path[100];
	cr_assert_not_null(mkdtemp(folder));
	for (int i = 0; i <= levels; i++)
		for (int k = 0; k < n_per_level; k++) {
			snprintf(path, sizeof path, "%s/f%d_%d.lark", folder, i, k);
			FILE *f = fopen(path, "w");
			for (int m = 0; i < levels && m < n_per_level; m++)
				fprintf(f, "%%import .f%d_%d.start -> s%d\n", i + 1, m, m);
			fprintf(f, i < levels ? "start: s0\n" : "start: \"a\"\n");
			fclose(f);
		}
	snprintf(path, sizeof path, "%s/f0_0.lark", folder);
	struct diag d = {0};
	struct grammar g;
	bool ok = grammar_load(path, NULL, &d, &g);
	const char *said = diag_text(&d);
	if (part)
		cr_expect(!ok && strstr(said, part), "expected '%s' in:\n%.2000s", part, said);
	else
		cr_expect(ok, "%s", said);
	if (ok) grammar_release(&g);
	diag_release(&d);
	for (int i = 0; i <= levels; i++)
		for (int k = 0; k < n_per_level; k++) {
			snprintf(path, sizeof path, "%s/f%d_%d.lark", folder, i, k);
			remove(path);
		}
	remove(folder);
}

Test(grammar, imports_have_limits)
{
	expect_error_files(16, 1, NULL);
	expect_error_files(17, 1, "IMPORT_MAX_DEPTH");
	expect_error_files(10, 2, "IMPORT_MAX_FILES");
}

// ---- hostile text

Test(grammar, text_must_be_utf8)
{
	static const char *const bad[] = {"\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x80\x80",
	                                  "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
	                                  "\xFF",         "\xE2\x82",         "\xF0\x9F\x98"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[50];
		snprintf(text, sizeof text, "start: \"%s\"\n", bad[i]);
		expect_error(text, "not UTF-8");
		snprintf(text, sizeof text, "start: \"%s", bad[i]);
		expect_error(text, "not UTF-8");
	}
	struct loaded l =
		load("start: \"\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"\n");
	cr_expect(l.ok);
	release(&l);
}

Test(grammar, nul_bytes_are_refused) { expect_error_n("start: \"a\0b\"\n", 13, "a NUL byte"); }

Test(grammar, empty_and_cut_texts)
{
	expect_error("", "no rule 'start'");
	expect_error("\xEF\xBB\xBF", "no rule 'start'");
	static const char whole[] = "start{a, b}.3: (\"x\\n\"i..\"z\" | [/re/i]~2..3)* -> alias\n%import .a.b (C, "
								"d)\n%override A.-1: \"b\"\n%declare A B";
	for (size_t n = 0; n < sizeof whole; n++) {
		struct loaded l = load_n(whole, n);
		cr_expect_not(l.ok);
		release(&l);
	}
}

Test(grammar, control_characters_are_shown_as_numbers) { expect_error("start: \"a\" \x07\n", "\\x07"); }

// ---- what repetitions cost

static uint32_t n_productions_of(const char *text)
{
	struct loaded l = load(text);
	cr_assert(l.ok, "%s\n%s", text, diag_text(&l.d));
	uint32_t n = l.g.n_productions;
	release(&l);
	return n;
}

static bool same_language(const char *one, const char *other)
{
	struct loaded a = load(one), b = load(other);
	cr_assert(a.ok && b.ok, "%s%s", one, other);
	bool same = a.g.hash[0] == b.g.hash[0] && a.g.hash[1] == b.g.hash[1];
	release(&a), release(&b);
	return same;
}

Test(grammar, nested_bounded_repetitions_are_one_where_no_number_is_left_out)
{
	cr_assert(same_language("start: ((\"a\"~2..3)~2..9)~2\n", "start: \"a\"~8..54\n"));
	cr_assert(same_language("start: (\"a\"~5)~3 \"b\"\n", "start: \"a\"~15 \"b\"\n"));
	cr_assert(same_language("start: (((\"a\"?)~0..15)~0..16)~0..17\n", "start: \"a\"~0..4080\n"));
	cr_assert(!same_language("start: (\"a\"~2)~5..7\n", "start: \"a\"~10..14\n"), "odd numbers are left out");
	cr_assert(!same_language("start: (\"a\"~3..4)~1..9\n", "start: \"a\"~3..36\n"), "5 is left out");
	cr_assert(!same_language("start: (\"a\"~2..9)~0..9 \"b\"\n", "start: \"a\"~0..81 \"b\"\n"), "1 is left out");
	cr_assert_lt(n_productions_of("start: ((((\"a\"?)~0..99)~0..99)~0..99)~0..99\n"), 100);
}

Test(grammar, a_broken_list_behind_unless_after_leaks_nothing)
{
	expect_error("start: \"a\"\n%ignore \" \" unless after \"a\" \"b\" )\n", "a terminal: a string or a name");
}
