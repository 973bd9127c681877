// Patterns, one point each: syntax, classes, folding, laziness, lookaround, unfailable, refusals, limits.
#include <criterion/criterion.h>

#include "regex_testing.h"

#define IN(r, s) in(&(r), s, sizeof(s) - 1, true, __LINE__)
#define OUT(r, s) in(&(r), s, sizeof(s) - 1, false, __LINE__)
static void in(const struct rx *r, const char *s, size_t n, bool yes, int line)
{
	cr_expect(rx_accepts(&r->dfa, s, n) == yes, "line %d: \"%s\" is %s", line, s, yes ? "missing" : "accepted");
}

static void must(struct rx *r, const char *body, uint32_t flags)
{
	rx_open(r, body, flags);
	cr_assert(r->ok, "/%s/ is refused: %s", body, diag_text(&r->d));
	const char *wrong = rx_check(&r->dfa);
	cr_expect(!wrong, "/%s/: %s", body, wrong);
}

static void must_term(struct rx *r, struct term *t)
{
	rx_compile(r, t, NULL);
	cr_assert(r->ok, "%s", diag_text(&r->d));
	const char *wrong = rx_check(&r->dfa);
	cr_expect(!wrong, "%s", wrong);
}

static void same(const char *one, const char *two, uint32_t flags)
{
	struct rx a, b;
	must(&a, one, flags), must(&b, two, flags);
	uint32_t n = a.dfa.n_states, c = a.dfa.n_classes;
	cr_assert(n == b.dfa.n_states && c == b.dfa.n_classes, "/%s/ and /%s/: %u and %u states", one, two, n,
	          b.dfa.n_states);
	cr_expect(!memcmp(a.dfa.class_of, b.dfa.class_of, 256), "/%s/ and /%s/: classes", one, two);
	cr_expect(!memcmp(a.dfa.next, b.dfa.next, (size_t)n * c * 4), "/%s/ and /%s/ differ", one, two);
	cr_expect(!memcmp(a.dfa.accept, b.dfa.accept, n));
	cr_expect(!memcmp(a.dfa.unfailable, b.dfa.unfailable, n));
	rx_close(&a), rx_close(&b);
}

// The error must hold `words` and stand at byte `offset` of the body.
static void refused(const char *body, uint32_t flags, uint32_t offset, const char *words)
{
	struct rx r;
	rx_open(&r, body, flags);
	cr_assert(!r.ok, "/%s/ is taken", body);
	cr_assert(r.d.n_errors == 1, "/%s/: %u errors", body, r.d.n_errors);
	const struct diag_message *m = &r.d.messages.at[0];
	cr_expect(strstr(m->text, words), "/%s/: \"%s\" does not say \"%s\"", body, m->text, words);
	cr_expect(m->loc.offset == offset, "/%s/: at %u, not %u", body, m->loc.offset, offset);
	diag_text(&r.d);
	rx_close(&r);
}

// Where any text may follow, only the thread that has counted furthest is kept, however many begin.
Test(regex, counted_before_any_text)
{
	struct rx r;
	must(&r, "[\\s\\S]*PR[A-Z]{32}[\\s\\S]*", 0);
	IN(r, "xPPRABCDEFGHIJKLMNOPQRSTUVWXYZPRPRPRy"), OUT(r, "PRABCDEFGHIJKLMNOPQRSTUVWXYZPRPRP");
	IN(r, "PRA-PRABCDEFGHIJKLMNOPQRSTUVWXYZPRPRPR"), OUT(r, "PRABCDEFGHIJKLMNOPQRSTUVWXYZPRPR-P");
	rx_close(&r);
	same("[\\s\\S]*P(?:ab?|P){2,7}[\\s\\S]*", "[\\s\\S]*P(?:ab?|P)(?:a|P)[\\s\\S]*", 0);
	same("[\\s\\S]*P(?:ab){2,}[\\s\\S]*", "[\\s\\S]*Pabab[\\s\\S]*", 0);
	// Texts that may be cut into parts in several ways.
	static const char *const parts[] = {"a[ab]c", "a[ab]a", "[ab]a?b", "ab?a|b", "a[ab][ab]", "aba|ab"};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char counted[80], spelled[120];
		const char *x = parts[i];
		snprintf(counted, sizeof counted, "[\\s\\S]*P?(?:%s){3,}[\\s\\S]*", x);
		snprintf(spelled, sizeof spelled, "[\\s\\S]*P?(?:%s)(?:%s)(?:%s)[\\s\\S]*", x, x, x);
		same(counted, spelled, 0);
	}
}

Test(regex, literals_and_escapes)
{
	struct rx r;
	must(&r, "a\\n\\t\\r\\f\\v\\a\\x41\\u00e9\\U0001F600\\101\\0\\.\\/\\-\\\xC3\xA9", 0);
	cr_expect(rx_accepts(&r.dfa,
	                     "a\n\t\r\f\v\aA\xC3\xA9\xF0\x9F\x98\x80"
	                     "A\0./-\xC3\xA9",
	                     21));
	rx_close(&r);
	must(&r, "\\x{1F600}", 0);
	IN(r, "\xF0\x9F\x98\x80");
	rx_close(&r);
	must(&r, "a{b{,x}{1", 0);  // braces that are no repetition
	IN(r, "a{b{,x}{1");
	rx_close(&r);
}

Test(regex, a_nul_in_a_text)
{
	struct rx r = {0};
	must_term(&r, rx_text(&r, "a\0b", 3, 0));
	cr_expect(rx_accepts(&r.dfa, "a\0b", 3));
	cr_expect_eq(r.dfa.n_states, 4);
	rx_close(&r);
}

Test(regex, dot_matches_whole_code_points_but_newline)
{
	struct rx r;
	must(&r, ".", 0);
	IN(r, "a"), IN(r, "\xC3\xA9"), IN(r, "\xE2\x82\xAC"), IN(r, "\xF4\x8F\xBF\xBF"), IN(r, "\r");
	OUT(r, "\n"), OUT(r, "\xC3"), OUT(r, "\xA9"), OUT(r, "\xC0\x80"), OUT(r, "\xED\xA0\x80"),
		OUT(r, "\xF4\x90\x80\x80");
	OUT(r, "\xE0\x80\x80"), OUT(r, "\xF0\x80\x80\x80"), OUT(r, "ab");
	rx_close(&r);
	must(&r, ".", TERM_S);
	IN(r, "\n");
	rx_close(&r);
	same(".", "[^\\n]", 0), same("(?s).", "[\\s\\S]", 0), same("(?s:.)x", "[\\d\\D]x", 0);
	same("[^\\n]", "(?-s:.)", TERM_S);
}

Test(regex, classes)
{
	struct rx r;
	must(&r, "[]a-c^-]", 0);
	IN(r, "]"), IN(r, "b"), IN(r, "^"), IN(r, "-"), OUT(r, "d");
	rx_close(&r);
	must(&r, "[^]\\]]", 0);
	OUT(r, "]"), IN(r, "["), IN(r, "\xF0\x9F\x98\x80");
	rx_close(&r);
	must(&r, "[\\b\\-\\x41-\\x43\\1]", 0);
	IN(r, "\b"), IN(r, "-"), IN(r, "B"), IN(r, "\1");
	rx_close(&r);
	must(&r, "[\xC3\xA0-\xC3\xBF\\d_]+", 0);
	IN(r, "\xC3\xA9"
	      "9_"),
		IN(r, "\xD9\xA0"), OUT(r, "a");
	rx_close(&r);
	same("[a-cb-e]", "[a-e]", 0), same("[^\\W\\d_]", "\\p{L}|[^\\W\\p{L}\\d_]", 0);
}

Test(regex, named_classes_are_pythons)
{
	struct rx r;
	must(&r, "\\s", 0);
	IN(r, "\x1C"), IN(r, "\x1F"), IN(r, "\xC2\x85"), IN(r, "\xE3\x80\x80"), OUT(r, "\xE1\xA0\x8E"),
		OUT(r, "\xE2\x80\x8B");
	rx_close(&r);
	must(&r, "\\s", TERM_A);
	IN(r, " "), IN(r, "\v"), OUT(r, "\x1C"), OUT(r, "\xC2\xA0");
	rx_close(&r);
	must(&r, "\\w", 0);
	IN(r, "_"), IN(r, "\xC3\xA9"), IN(r, "\xD9\xA0"), IN(r, "\xC2\xB2"), OUT(r, "-"), OUT(r, "\xCC\x80");  // a mark
	rx_close(&r);
	must(&r, "(?a)\\w", 0);
	IN(r, "_"), OUT(r, "\xC3\xA9");
	rx_close(&r);
	must(&r, "\\d", 0);
	IN(r, "7"), IN(r, "\xD9\xA0"), OUT(r, "\xC2\xB2");
	rx_close(&r);
	same("\\D", "[^\\d]", 0), same("\\W", "[^\\w]", TERM_A), same("\\S", "[^\\s]", 0);
	same("\\pL", "\\p{L}", 0), same("\\P{L}", "[^\\p{L}]", 0), same("\\p{^L}", "\\P{L}", 0);
}

Test(regex, case_folding)
{
	struct rx r;
	must(&r, "ks", TERM_I);
	IN(r, "KS"), IN(r, "kS"), IN(r, "\xE2\x84\xAA\xC5\xBF"), OUT(r, "k");
	rx_close(&r);
	must(&r, "ks", TERM_I | TERM_A);
	IN(r, "KS"), OUT(r, "\xE2\x84\xAA\xC5\xBF");
	rx_close(&r);
	must(&r, "\xC3\xA9\xCF\x83", TERM_I);  // e acute, sigma
	IN(r, "\xC3\x89\xCE\xA3"), IN(r, "\xC3\xA9\xCF\x82");
	rx_close(&r);
	must(&r, "[^k]", TERM_I);
	OUT(r, "K"), OUT(r, "\xE2\x84\xAA"), IN(r, "j");
	rx_close(&r);
	must(&r, "[\xC3\xA0-\xC3\xA5]", TERM_I);
	IN(r, "\xC3\x85"), IN(r, "\xE2\x84\xAB");  // U+212B ANGSTROM SIGN
	rx_close(&r);
	must(&r, "a(?i:b)c(?-i:d)", 0);
	IN(r, "aBcd"), OUT(r, "ABcd"), OUT(r, "aBCd");
	rx_close(&r);
	struct rx t = {0};
	must_term(&t, rx_text(&t, "Sk\xC3\x89", 4, TERM_I));
	IN(t, "sK\xC3\xA9"), IN(t, "\xC5\xBFk\xC3\x89");
	rx_close(&t);
	same("(?i)select", "[sS\\u017f][eE][lL][eE][cC][tT]", 0), same("(?i:\\p{Lu})", "\\p{Lu}", 0);
}

Test(regex, quantifiers)
{
	struct rx r;
	must(&r, "xa{2,3}", 0);
	OUT(r, "xa"), IN(r, "xaa"), IN(r, "xaaa"), OUT(r, "xaaaa");
	rx_close(&r);
	same("xa{,3}", "xa?a?a?", 0), same("xa{,}", "xa*", 0), same("a{2,}", "aaa*", 0), same("a{3}", "aaa", 0);
	same("(?:a|b)+c{0}d{1}", "[ab][ab]*d", 0), same("x(a*)*", "xa*", 0), same("x(a*|b*)+", "x[ab]*", 0);
	same("xa*?b", "xa*b", 0);  // fails unless laziness stops nothing here: b ends it at once
	same("x(?:){5}(a?){3}", "xa{0,3}", 0), same("x{2}{3", "x{2}\\{3", 0);
}

Test(regex, groups_comments_and_verbose)
{
	struct rx r;
	must(&r, " a b # comment ) [ \n [ ] c \\  (?P<name> d | e ) + ", TERM_X);
	IN(r, "ab c d"), IN(r, "ab c eded"), OUT(r, "abc d");
	rx_close(&r);
	same("(?x) a +", "a+", 0), same("a(?#comment)b(?#[)+(?#c)", "ab+", 0), same("(?<n>a)(?P<m>b)", "ab", 0);
	same("xa|xb|x", "x(?:a|b|)", 0);
}

Test(regex, equal_languages_give_equal_bytes)
{
	same("if|in|int", "i(?:f|n|nt)", 0), same("(a|b)*abb", "[ab]*a(b)b", 0), same("ab|ac|ad", "a[b-d]", 0);
	same("(0|(1(01*0)*1))+", "(?:(?:1(?:01*0)*1)|0)(?:0|1(01*0)*1)*", 0);
	same("[\\u0000-\\U0010ffff]", "(?s).", 0);
}

// Ranges join blocks whose UTF-8 shares bytes at different positions.
Test(regex, utf8_edges)
{
	struct rx r;
	must(&r, "[\\x7f-\\x80\\u07ff-\\u0800\\ud7ff\\ue000\\uffff-\\U00010000\\U0010ffff]", 0);
	IN(r, "\x7F"), IN(r, "\xC2\x80"), IN(r, "\xDF\xBF"), IN(r, "\xE0\xA0\x80"), IN(r, "\xED\x9F\xBF");
	IN(r, "\xEE\x80\x80"), IN(r, "\xEF\xBF\xBF"), IN(r, "\xF0\x90\x80\x80"), IN(r, "\xF4\x8F\xBF\xBF");
	OUT(r, "\xE0\xA0\x81"), OUT(r, "\xDF\xBE");
	rx_close(&r);
	struct rx t = {0};
	struct term *range = rx_term(&t, TERM_RANGE);
	range->lo = 0, range->hi = 0x10FFFF;
	must_term(&t, range);
	cr_expect_eq(t.dfa.n_states, 9);  // start, 1..3 left, E0, ED, F0, F4, end
	rx_close(&t);
}

Test(regex, term_trees)
{
	struct rx r = {0};
	struct term *digit = rx_term(&r, TERM_RANGE);
	digit->lo = '0', digit->hi = '9';
	must_term(&r, rx_seq(&r, rx_alt(&r, rx_text(&r, "-", 1, 0), rx_seq(&r)), rx_repeat(&r, digit, 1, TERM_UNBOUNDED),
	                     rx_repeat(&r, rx_seq(&r, rx_text(&r, ".", 1, 0), rx_repeat(&r, digit, 2, 3)), 0, 1)));
	IN(r, "-12.345"), IN(r, "0"), OUT(r, "-"), OUT(r, "1.2"), OUT(r, "1.2345");
	rx_close(&r);
}

Test(regex, lazy_comment_stops_at_its_first_match)
{
	struct rx r;
	must(&r, "/\\*[\\s\\S]*?\\*/", 0);
	IN(r, "/**/"), IN(r, "/* a * / */"), IN(r, "/***/"), OUT(r, "/* */ */"), OUT(r, "/*/");
	uint32_t end = rx_walk(&r.dfa, "/**/", 4);
	for (uint32_t c = 0; c < r.dfa.n_classes; c++) cr_expect_eq(r.dfa.next[end * r.dfa.n_classes + c], DFA_DEAD);
	rx_close(&r);
	same("/\\*[\\s\\S]*?\\*/", "/\\*([^*]|\\*+[^*/])*\\*+/", 0);
}

Test(regex, lazy_alternatives_are_judged_one_by_one)
{
	struct rx r;
	must(&r, "a.*?b|c+|d+?", 0);
	IN(r, "axb"), OUT(r, "axbb"), IN(r, "ccc"), IN(r, "d"), OUT(r, "dd");
	rx_close(&r);
	must(&r, "(?:(?:a.*?b)|(a[xb]+))", 0);  // the greedy one goes on after the lazy one has stopped
	IN(r, "axb"), IN(r, "axbb"), IN(r, "azb"), OUT(r, "azbb"), IN(r, "abx");
	rx_close(&r);
	must(&r, "p(?:a.*?c|b.*c)", 0);  // disagreeing alternatives inside are multiplied out
	IN(r, "paxc"), OUT(r, "paxcc"), IN(r, "pbxcc");
	rx_close(&r);
	must(&r, "x.*?(a|b*c)", 0);  // .*?a is lazy, .*?b*c is not
	IN(r, "xqa"), OUT(r, "xqaa"), IN(r, "xac"), IN(r, "xcbcbbc");
	rx_close(&r);
	must(&r, "p(ab|a.*?c){1}", 0);
	IN(r, "pab"), IN(r, "pabc"), OUT(r, "pabcc");
	rx_close(&r);
	must(&r, "x.*?(ab|c){2}", 0);
	IN(r, "xqcab"), OUT(r, "xqcabc"), OUT(r, "xccc");
	rx_close(&r);
	same("a(b|c*?)(d|e+)(f|g+)", "a(b|c*)(d|e+)(f|g+)", 0);
	same("a{2}?b", "aab", 0);  // a fixed repetition is not lazy
	same("x(a|b*?)(c|d)", "x(?:a(c|d)|b*(?:c|d))", 0);
}

Test(regex, lazy_before_what_cannot_fail)
{
	struct rx r;
	same("\"[a-z\"]*?\"i?", "\"[a-z]*\"i?", 0);
	same("\"[a-z\"]*?\"(i|j*)", "\"[a-z]*\"(i|j*)", 0);
	same("(?:\\n|<[a-z>]*?>|[x-z]+)+", "(?:\\n|<[a-z]*>|[x-z])+", 0);
	same("\"[a-z\"]*?\";+", "\"[a-z\"]*?\";;*", 0);
	same("\"[a-z\"]*?\";+", "\"(?:[a-z]|\"+[a-z])*\"+;+", 0);
	same("(?:<[a-z<>]*?>){2,}z?", "(?:(?:<[a-z<>]*?>){2})(?:<[a-z<]*>)*z?", 0);
	same("a+?b*", "ab*", 0);
	same("x[a-z]*?(a|b*)", "x(a|b*)", 0);
	same("(?:a[abc]*?b|c(?:d[def]*?e)?)f?", "(?:a[ac]*b|c(?:d[df]*e)?)f?", 0);
	must(&r, "/(\\\\/|[^/])*?/[ims]*", 0);  // alternatives have an order: \/ before \ and then the end
	IN(r, "/a\\/b/i"), OUT(r, "/a/b/"), IN(r, "/a\\/"), OUT(r, "/a\\/b/c/");
	rx_close(&r);
	same("a+b*?c?", "a+c?", 0);  // greedy before lazy: as long as it can be
	// What comes after can fail: a later match is one, too, as for Python's re.
	same("\"[a-z\"]*?\" *;", "\"[a-z\"]*\" *;", 0);
	same("a[a-z]*?b?(?=;|$)c?", "a[a-z]*b?(?=;|$)c?", 0);
	must(&r, "(?:\\n|\".*?(?<!\\\\)(\\\\\\\\)*?\")+", 0);
	IN(r, "\"a\""), IN(r, "\"\\\"\"\n\"\""), OUT(r, "\"a\"b\""), OUT(r, "\"\\\"");
	rx_close(&r);
	must(&r, "(?:<[a-z<>]*?>(?!>)|-)+z?", 0);  // a match that waits for what follows
	IN(r, "<a>>"), IN(r, "<a>-<>z"), OUT(r, "<a>b>"), IN(r, "<a>><b>");
	rx_close(&r);
	same("(?:<[a-z<>]*?>(?![>z])|-)+z?",
	     "(?:<(?:[a-z<]|>(?=[>z]))*>(?![>z])|-)*(?:<(?:[a-z<]|>(?=[>z]))*>(?![>z])|-z?)", 0);
}

// LONG_STRING of syncode's Python inside its _NL; Lark's STRING, whose inner terminals match nothing by themselves.
Test(regex, lazy_terminal_inside_another)
{
	static const char comment_body[] = "#.*(\\n[\\t ]*)+", line_body[] = "(\\r?\\n[\\t ]*)+";
	static const char long_body[] = "[ubf]?r?(\"\"\"(?<!\\\\).*?\"\"\"|'''(?<!\\\\).*?''')";
	struct rx r = {0};
	struct term *longs = rx_regex(&r, long_body, sizeof long_body - 1, TERM_I | TERM_S);
	struct term *comment = rx_alt(&r, rx_regex(&r, comment_body, sizeof comment_body - 1, 0), longs);
	struct term *line = rx_regex(&r, line_body, sizeof line_body - 1, 0);
	must_term(&r, rx_repeat(&r, rx_alt(&r, line, comment), 1, TERM_UNBOUNDED));
	IN(r, "\n"), IN(r, "\"\"\"a\"\"\""), IN(r, "\n # a\n\"\"\"a\"\"\"\n"), IN(r, "\"\"\"\"\"\"'''\"'''");
	OUT(r, "\"\"\"a\"\"\"x\"\"\"b\"\"\"");
	uint32_t end = rx_walk(&r.dfa, "\"\"\"a\"\"\"", 7);
	cr_expect(!r.dfa.unfailable[end]);
	cr_expect_eq(rx_walk(&r.dfa, "\"\"\"a\"\"\"x", 8), DFA_DEAD);
	rx_close(&r);
	r = (struct rx){0};
	struct term *quote = rx_text(&r, "\"", 1, 0), *i = rx_text(&r, "i", 1, 0);
	struct term *inner = rx_seq(&r, rx_regex(&r, ".*?", 3, 0), rx_regex(&r, "(?<!\\\\)(\\\\\\\\)*?", 15, 0));
	must_term(&r, rx_seq(&r, rx_seq(&r, quote, inner, quote), rx_repeat(&r, i, 0, 1)));
	IN(r, "\"\""), IN(r, "\"a\""), IN(r, "\"\\\"\"i"), OUT(r, "\"a\"b\""), OUT(r, "\"a\"i\"");
	rx_close(&r);
}

Test(regex, lazy_through_the_term_tree)
{
	// Lark's common.lark: _STRING_INNER: /.*?/ ; _STRING_ESC_INNER: _STRING_INNER /(?<!\\)(\\\\)*?/ ;
	// ESCAPED_STRING : "\"" _STRING_ESC_INNER "\""
	struct rx r = {0}, plain;
	struct term *inner = rx_seq(&r, rx_regex(&r, ".*?", 3, 0), rx_regex(&r, "(?<!\\\\)(\\\\\\\\)*?", 15, 0));
	must_term(&r, rx_seq(&r, rx_text(&r, "\"", 1, 0), inner, rx_text(&r, "\"", 1, 0)));
	IN(r, "\"\""), IN(r, "\"a\""), IN(r, "\"\\\"\""), IN(r, "\"\\\\\""), OUT(r, "\"\\\""), OUT(r, "\"\\\\\"\"");
	OUT(r, "\"a\"\""), OUT(r, "\"a\nb\""), IN(r, "\"\\\\\\\"\xC3\xA9\"");
	must(&plain, "\"([^\"\\\\\\n]|\\\\[^\\n])*\"", 0);
	cr_expect_eq(r.dfa.n_states, plain.dfa.n_states);
	cr_expect(!memcmp(r.dfa.next, plain.dfa.next, (size_t)r.dfa.n_states * r.dfa.n_classes * 4));
	rx_close(&plain);
	rx_close(&r);
}

Test(regex, lookbehind)
{
	struct rx r;
	must(&r, "[ab]+(?<=ab)", 0);
	IN(r, "ab"), IN(r, "bbab"), OUT(r, "aba"), OUT(r, "b");
	rx_close(&r);
	must(&r, "[ab]+(?<!ab)c", 0);
	IN(r, "bac"), IN(r, "bc"), OUT(r, "abc");
	rx_close(&r);
	must(&r,
	     "(?<!x)a(?<=\xC3\xA9"
	     "a|a)b",
	     0);  // nothing stands before the lexeme
	IN(r, "ab");
	rx_close(&r);
	must(&r, "(?:a|(?<=a)b|(?<=b)c)+", 0);
	IN(r, "abca"), IN(r, "aabc"), OUT(r, "bc"), OUT(r, "acb");
	rx_close(&r);
}

Test(regex, lookahead_inside_the_lexeme)
{
	struct rx r;
	same("/\\*(?:(?!\\*/)[\\s\\S])*\\*/", "/\\*[\\s\\S]*?\\*/", 0);
	same("(?!if\\.)[a-z]+\\.", "(?!if\\.)(?=[a-z])[a-z]+\\.", 0);
	must(&r, "(?!if\\.)[a-z]+\\.", 0);
	IN(r, "i."), IN(r, "iff."), OUT(r, "if.");
	cr_expect_eq(r.d.messages.n, 0);
	rx_close(&r);
	must(&r, "(?=.*\\d)[a-z0-9]{3}", TERM_A);
	IN(r, "a1b"), IN(r, "ab1"), OUT(r, "abc");
	rx_close(&r);
}

// All lexemes within the text, from any place: "0-2 3-5".
static void pieces(const char *body, uint32_t flags, const char *text, const char *want)
{
	struct rx r;
	must(&r, body, flags);
	char got[500] = "";
	size_t n = strlen(text);
	for (size_t from = 0; from < n; from++)
		for (size_t to = from + 1; to <= n; to++)
			if (rx_matches(&r.dfa, text, from, to, n))
				snprintf(got + strlen(got), 20, "%s%zu-%zu", *got ? " " : "", from, to);
	cr_expect_str_eq(got, want, "/%s/ in \"%s\": %s, not %s", body, text, got, want);
	rx_close(&r);
}

// Each `$` was a lookahead of its own, and each subset of them another thing that may be owed.
Test(regex, the_same_anchor_again_costs_nothing)
{
	char ends[] = "u$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$";
	same(ends, "u$", 0), same(ends, "u$", TERM_M);
	same("(?:u(?=\\n\\Z)(?=\\n\\Z)|v)", "(?:u(?=\\n\\Z)|v)", 0);
}

Test(regex, lookahead_past_the_lexeme)
{
	pieces("\"(?!\"\").*?(?<!\\\\)(\\\\\\\\)*?\"", TERM_I, "\"\"", "0-2");  // Lark's python.lark
	pieces("\"(?!\"\").*?(?<!\\\\)(\\\\\\\\)*?\"", TERM_I, "\"\"\"a\"", "1-3 2-5");
	pieces("0+(?![1-9])", 0, "00100", "0-1 3-4 3-5 4-5");
	pieces("a(?=b)|c", 0, "abacab", "0-1 3-4 4-5"), pieces("a(?=b)", 0, "aba", "0-1");
	pieces("a(?!b(?!c))", 0, "a", "0-1"), pieces("a(?!b(?!c))", 0, "abab", ""),
		pieces("a(?!b(?!c))", 0, "abcab", "0-1");
	pieces("a(?=[ab]*c)", 0, "aababcab", "0-1 1-2 3-4"), pieces("a(?=b)(?!bc)", 0, "ababc", "0-1");
	pieces("[ab](?=b)|a", 0, "aba", "0-1 2-3"), pieces("(?=ab)a", 0, "abaa", "0-1");
	pieces("<(?!=)", 0, "<=<", "2-3"), pieces("(?!(?:if|in)\\b)[a-z]+", 0, "if", "1-2");
	pieces("(?!if\\b)[if]+\\b", 0, "iff", "0-3 1-3 2-3");
	pieces("a.*?b(?!b)", 0, "abbb", "0-4"), pieces("a.*?b(?=b)", 0, "abbbb", "0-2");
	same("a(?=b|[^b])(?:b|)", "a(?:b|(?=[\\s\\S]))|ab", 0), same("a(?=b)(?!b)|c", "c", 0),
		same("a(?=b|\\Z)|a(?!b)", "a", 0);
	same("ab?(?=\\w|\\W|$)", "ab?", 0);  // any text follows
}

Test(regex, lookbehind_before_the_lexeme)
{
	pieces("(?<![A-Za-z0-9_])abs", 0, "abs", "0-3"), pieces("(?<![A-Za-z0-9_])a", 0, "aa a.a", "0-1 3-4 5-6");
	pieces("(?<=x)y", 0, "yxyy", "2-3"), pieces("(?<=ab)c|b", 0, "abcbc", "1-2 2-3 3-4");
	pieces("(?<!a)(?<!b)c", 0, "acbcc", "4-5");
	pieces("(?<=a)b+", 0, "abb", "1-2 1-3"), pieces("(?<=\u00e9)a", 0,
	                                                "a\xC3\xA9"
	                                                "a",
	                                                "3-4");
	pieces("(?<!\\\\)(\\\\\\\\)*\"", 0, "\"\\\"", "0-1"), pieces("(?!(?<=a)b)[ab]", 0, "abb", "0-1 2-3");
	struct rx r;
	must(&r, "\"[^\"\\n]*(?<!\\\\)(\\\\\\\\)*\"", 0);  // what stood before the quote does not matter
	cr_expect_eq(r.dfa.before.n_states, 0);
	rx_close(&r);
}

Test(regex, word_edges)
{
	pieces("\\bif\\b", 0, "if iff if_ if", "0-2 11-13"), pieces("if\\b", 0, "if\xC3\xA9 if\xC3\x97", "5-7");
	pieces("\\ba", TERM_A,
	       "\xC3\xA9"
	       "a",
	       "2-3"),
		pieces("\\ba", 0,
	           "\xC3\xA9"
	           "a",
	           ""),
		pieces("a\\B", 0, "a ab", "2-3");
	pieces("\\B-\\B", 0, "--a-", "0-1"), pieces("a\\b.", 0, "ab a-", "3-5"), pieces("\\B[ab]", 0, "ab", "1-2");
}

Test(regex, anchors)
{
	pieces("^a", 0, "aa\na", "0-1"), pieces("^a", TERM_M, "aa\na", "0-1 3-4"), pieces("\\Aa", TERM_M, "aa\na", "0-1");
	pieces("a$", 0, "aa\naa", "4-5"), pieces("a$", 0, "aa\n", "1-2"), pieces("a$", 0, "a\n\n", "");
	pieces("a$", TERM_M, "a\n\n", "0-1");
	pieces("a\\Z", 0, "aa", "1-2"), pieces("a\\Z", 0, "a\n", ""), pieces("a(?=b|$)", 0, "abaa", "0-1 3-4");
	pieces("(?m:^)#.*", 0, "#a\n#", "0-1 0-2 3-4"), pieces("a\\n^", TERM_M, "a\n", "0-2");
}

Test(regex, lark_python_strings)
{
	struct rx r;
	must(&r, "([ubf]?r?|r[ubf])(\"\"\".*?(?<!\\\\)(\\\\\\\\)*?\"\"\"|'''.*?(?<!\\\\)(\\\\\\\\)*?''')", TERM_I | TERM_S);
	IN(r, "\"\"\"\"\"\""), IN(r, "Rb'''a''b\\''''"), IN(r, "\"\"\"a\n\\\"\"\"\""), OUT(r, "'''a''''''");
	rx_close(&r);
	must(&r, "([ubf]?r?|r[ubf])(\"(?!\"\").*?(?<!\\\\)(\\\\\\\\)*?\"|'(?!'').*?(?<!\\\\)(\\\\\\\\)*?')", TERM_I);
	IN(r, "bR'a\\'b'"), IN(r, "''"), OUT(r, "''''"), OUT(r, "'a''");
	rx_close(&r);
}

static void unfailable(const struct rx *r, const char *s, bool yes)
{
	uint32_t q = rx_walk(&r->dfa, s, strlen(s));
	cr_assert(q != DFA_DEAD, "dead after %s", s);
	cr_expect(r->dfa.unfailable[q] == yes, "after \"%s\": unfailable is %d", s, !yes);
}

Test(regex, unfailable)
{
	struct rx r;
	must(&r, "/\\*[\\s\\S]*?\\*/", 0);
	unfailable(&r, "/", false), unfailable(&r, "/*", true), unfailable(&r, "/* *", true);
	unfailable(&r, "/*\xC3", true), unfailable(&r, "/*\xED", true);
	unfailable(&r, "/**/", false);  // what follows is another lexeme's
	unfailable(&r, "", false);
	rx_close(&r);
	must(&r, "\"\"\"(?:[^\"\\\\]|\\\\.|\"{1,2}(?:[^\"\\\\]|\\\\.))*\"\"\"", TERM_S);
	unfailable(&r, "\"\"\"", true), unfailable(&r, "\"\"", false);
	unfailable(&r, "\"\"\"a\\", true);
	rx_close(&r);
	must(&r, "#[^\\n]*", 0);
	unfailable(&r, "#", false), unfailable(&r, "#abc", false);
	rx_close(&r);
	must(&r, "#[^\\n]*\\n", 0);
	unfailable(&r, "#", true), unfailable(&r, "#\xE2\x82", true);
	rx_close(&r);
	must(&r, "\"[^\"\\n]*\"", 0);
	unfailable(&r, "\"a", false);
	rx_close(&r);
	must(&r, "#[\\s\\S]*", 0);
	unfailable(&r, "#", true), unfailable(&r, "", false);
	rx_close(&r);
	must(&r, "#[^\\x{10FFFF}]*!", 0);  // fails only inside a four-byte sequence
	unfailable(&r, "#", false);
	rx_close(&r);
}

// One DFA state after two UTF-8 positions: E0, which allows A0..BF, and E1, which allows 80..BF.
Test(regex, unfailable_minds_every_utf8_position)
{
	struct rx r;
	must(&r, "[\\u0800-\\u0fff]", 0);
	unfailable(&r, "\xE0", true), unfailable(&r, "\xE0\xA0", true);
	rx_close(&r);
	must(&r, "[\\u0800-\\u0fff\\u1800-\\u1fff]", 0);
	cr_expect_eq(rx_walk(&r.dfa, "\xE0", 1), rx_walk(&r.dfa, "\xE1", 1));
	unfailable(&r, "\xE0", false);
	rx_close(&r);
}

Test(regex, what_cannot_be_done_is_refused_with_its_place)
{
	refused("ab(c", 0, 4, "missing closing parenthesis");
	refused("a[z-b]", 0, 4, "range out of order");
	refused("\\u00e9\\u00e9(", 0, 13, "missing closing parenthesis");
	refused("x{,3}(?<", 0, 8, "");
	refused("a\\z", 0, 1, "this anchor is not one"), refused("a\\G", 0, 1, "this anchor is not one");
	refused("a(?<=^)", 0, 5, "an anchor inside a lookbehind"),
		refused("a(?<!\\b)", 0, 5, "an anchor inside a lookbehind");
	refused("a(?<=a(?=b))b", 0, 6, "a lookaround inside a lookbehind"),
		refused("(?<!(?<=a))b", 0, 4, "a lookaround inside");
	refused("(a)\\1", 0, 3, "write an alternative for each text"),
		refused("(?P<n>a)(?P=n)", 0, 8, "write an alternative for each text");
	refused("(?>a)", 0, 0, "atomic"), refused("a*+", 0, 1, "possessive"), refused("(a)(?R)?", 0, 3, "recursion");
	refused("(a)(?1)", 0, 3, "recursion"), refused("(a)?(?(1)b|c)", 0, 4, "conditionals");
	refused("a{2}{3}", 0, 6, "quantifier"), refused("[[:alpha:]]", 0, 1, "POSIX");
	refused("\\N{DIGIT ONE}", 0, 2, ""), refused("\\Na", 0, 0, "\\N"), refused("a(?i)b", 0, 1, "belong at its start");
	refused("\\hb", 0, 0, "\\h"), refused("\\Qa\\E", 0, 0, "\\Q"), refused("\\x4", 0, 0, "\\x takes exactly two");
	refused("\\400", 0, 0, "octal"), refused("(*FAIL)", 0, 0, "verbs"), refused("[a-\\d]", 0, 5, "");
	refused("(?|a|b)", 0, 0, "branch reset");
	refused("\\p{Nonsense}", 0, 12, "unknown property"), refused("a", TERM_A | TERM_U, 0, "exclude");
	refused("\\ud800x", 0, 7, ""), refused("\xFF", 0, 0, ""), refused("(?'n'a)", 0, 0, "(?P<name>");
	refused("[\\s-a]", 0, 3, "");
}

Test(regex, the_empty_text_and_no_text_are_errors)
{
	refused("a*", 0, 0, "matches the empty text"), refused("", 0, 0, "matches the empty text");
	refused("a|", 0, 0, "matches the empty text"), refused("(?:a{0})", 0, 0, "matches the empty text");
	refused("a??", 0, 0, "matches the empty text"), refused("[^\\s\\S]", 0, 0, "matches no text");
	refused("a[^\\w\\W]b", 0, 0, "matches no text"), refused("(?!a)a", 0, 0, "matches no text");
	refused("a$b", 0, 0, "matches no text"), refused("x*(?=y)x", 0, 0, "matches no text");
	refused("a\\bb", 0, 0, "matches no text"), refused("(?=a)", 0, 0, "matches the empty text");
	refused("\\b", 0, 0, "matches the empty text"), refused("(?<=a)b?", 0, 0, "matches the empty text");
	struct rx r = {0};
	rx_compile(&r, rx_alt(&r), NULL);
	cr_expect(!r.ok);
	rx_close(&r);
}

Test(regex, bombs_end_in_an_error, .timeout = 60)
{
	refused("(a{1000}){1000}", 0, 0, "REGEX_MAX_NFA (200000)");
	refused("x((a{300}){300}){9}", 0, 1, "REGEX_MAX_NFA (200000)");
	refused("(a|b|ab)*c{1,65000}d{1,65000}e{1,65000}", 0, 0, "REGEX_MAX_DFA (180000)");
	refused("(a|b)*a(a|b){30}", 0, 0, "REGEX_MAX_DFA (180000)");
	refused("x(a?){30000}", 0, 0, "REGEX_MAX_WORK");
	refused("x((?:){60000}){60000}", 0, 1, "REGEX_MAX_NFA");
	refused("((((((x{20}){20}){20}){20}){20}){20}){20}", 0, 2, "REGEX_MAX_NFA");
	refused("(?:(?!(?:a|b)*a(?:a|b){16}d)[a-d])*x", 0, 0, "REGEX_MAX");
	char lazy[4096] = "x*?y";  // each level asks for its first part's cases again and again
	for (int i = 0; i < 12; i++) {
		char inner[4096];
		snprintf(inner, sizeof inner, "%.3900s", lazy);
		snprintf(lazy, sizeof lazy, "(?:(?:%.3900s|a+|b)(?:c|d*?|e+)(?:f|g*?|h+))", inner);
	}
	struct rx nested;
	rx_open(&nested, lazy, 0);  // a limit or none
	cr_expect(nested.ok || strstr(diag_text(&nested.d), "REGEX_MAX"));
	rx_close(&nested);
	refused("a(?=(?:a|b)*a(?:a|b){18}c)", 0, 0, "REGEX_MAX"),
		refused("a*?b(?!(?:a|b)*a(?:a|b){16}c)", 0, 0, "REGEX_MAX");
	refused("x(?:a*?|b|c+){60000}", 0, 1, "REGEX_MAX_LAZY");
	static const char *const nests[][2] = {
		{"(", "){2,}"}, {"(a.*?", ")+"}, {"(a.*?b|c", ")*x"}, {"(?:a|b*?c", "d){2}"}};
	for (int k = 0; k < 4; k++) {
		char text[200 * 12] = "";
		for (int i = 0; i < 100; i++) strcat(text, nests[k][0]);
		strcat(text, "a*?b");
		for (int i = 0; i < 100; i++) strcat(text, nests[k][1]);
		rx_open(&nested, text, 0);  // a limit or none
		cr_expect(nested.ok || strstr(diag_text(&nested.d), "REGEX_MAX"));
		rx_close(&nested);
	}
	char deep[2 * 400 + 2];
	memset(deep, '(', 400), deep[400] = 'a', memset(deep + 401, ')', 400), deep[801] = 0;
	refused(deep, 0, 251, "");
	struct rx r = {0};
	struct term *t = rx_text(&r, "a", 1, 0);
	for (int i = 0; i < 100000; i++) t = rx_list(&r, TERM_SEQ, 1, &t);
	rx_compile(&r, t, NULL);
	cr_expect(!r.ok);
	cr_expect(strstr(diag_text(&r.d), "REGEX_MAX_TERM_DEPTH"));
	rx_close(&r);
}

// PCRE2's "too large" is about its own code size, not about the syntax.
Test(regex, larger_than_pcre2_can_compile)
{
	struct rx r;
	must(&r, "(abc?d){1,5000}", 0);
	IN(r, "abdabcd");
	rx_close(&r);
}

Test(regex, a_cache_changes_nothing)
{
	struct regex_cache *k = regex_cache_new();
	struct rx a, b, fresh;
	rx_open_n(&a, "\\w+", 3, 0, k), rx_open_n(&b, "\\w+", 3, 0, k);
	rx_open(&fresh, "\\w+", 0);
	cr_assert(a.ok && b.ok && fresh.ok);
	regex_cache_free(k);
	size_t bytes = (size_t)fresh.dfa.n_states * fresh.dfa.n_classes * 4;
	cr_expect(a.dfa.n_states == fresh.dfa.n_states && b.dfa.n_states == fresh.dfa.n_states);
	cr_expect(!memcmp(a.dfa.next, fresh.dfa.next, bytes) && !memcmp(b.dfa.next, fresh.dfa.next, bytes));
	rx_close(&a), rx_close(&b), rx_close(&fresh);
}

// The empty match alone goes: the automaton is that of the expression which has everything else.
Test(regex, the_empty_match_is_dropped)
{
	static const char *const pairs[][2] = {{"a*", "a+"},
	                                       {"((\\.\\.\\.)+|\\r\\n)*", "((\\.\\.\\.)+|\\r\\n)+"},
	                                       {"x?", "x"},
	                                       {"(ab|c)*d?", "(ab|c)+d?|d"},
	                                       {"a|", "a"},
	                                       {"(?=a)a*", "a+"},
	                                       {"a*(?!b)", "a+(?!b)"},
	                                       {"a+", "a+"},
	                                       {"[\\s\\S]*", "[\\s\\S]+"}};
	static const bool empty[] = {true, true, true, true, true, false, true, false, true};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct rx a = {.drops_empty = true}, b;
		a.source = (struct source){"<regex>", pairs[i][0], strlen(pairs[i][0])};
		rx_compile(&a, rx_regex(&a, pairs[i][0], a.source.len, 0), NULL);
		rx_open(&b, pairs[i][1], 0);
		cr_assert(a.ok && b.ok, "/%s/", pairs[i][0]);
		cr_expect_eq(a.dfa.dropped_empty, empty[i], "/%s/", pairs[i][0]);
		cr_expect_null(rx_check(&a.dfa), "/%s/: %s", pairs[i][0], rx_check(&a.dfa));
		size_t bytes = (size_t)b.dfa.n_states * b.dfa.n_classes * 4;
		cr_assert(a.dfa.n_states == b.dfa.n_states && a.dfa.n_classes == b.dfa.n_classes, "/%s/", pairs[i][0]);
		cr_expect(!memcmp(a.dfa.next, b.dfa.next, bytes) && !memcmp(a.dfa.accept, b.dfa.accept, b.dfa.n_states), "/%s/",
		          pairs[i][0]);
		rx_close(&a), rx_close(&b);
	}
}
