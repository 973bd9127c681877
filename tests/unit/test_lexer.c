// The lexer automaton against the definition: maximal munch with fallback, one context, random terminals.
#include <criterion/criterion.h>

#include "../../formats/artifact.h"
#include "../../lib/lexer/lexer_raw.h"
#include "lexer_testing.h"

static void build(struct lexer_fixture *f, const char *text)
{
	cr_assert(lexer_of(f, text, true), "%s\n%s", text, diag_text(&f->d));
	cr_assert_null(lexer_check(&f->x), "%s", lexer_check(&f->x));
}

#define MAX_LEXEMES 64
struct lexing {
	terminal_id at[MAX_LEXEMES];
	uint32_t n;
};

static bool beats(const struct grammar *g, terminal_id a, terminal_id b)
{
	const struct terminal *x = &g->terminals[a], *y = &g->terminals[b];
	if (x->priority != y->priority) return x->priority > y->priority;
	if (x->is_ignored != y->is_ignored) return y->is_ignored;
	if (x->is_literal != y->is_literal) return x->is_literal;
	return a < b;
}

static uint32_t start_of(const struct byte_dfa *a, const char *text, size_t at)
{
	if (!a->before.n_states) return 0;
	uint32_t o = 0;
	for (size_t i = 0; i < at && o != DFA_DEAD; i++)
		o = a->before.next[o * a->before.n_classes + a->before.class_of[(uint8_t)text[i]]];
	return o == DFA_DEAD ? DFA_DEAD : a->before.start[o];
}

static bool follows(const struct byte_dfa *a, uint32_t s, const char *rest, size_t len)
{
	uint32_t f = dfa_follow(a, s);
	for (size_t i = 0; i < len && f > FOLLOW_ANY && f != DFA_DEAD; i++)
		f = a->after.next[f * a->after.n_classes + a->after.class_of[(uint8_t)rest[i]]];
	return f != DFA_DEAD && (f > FOLLOW_ANY ? a->after.at_end[f] == FOLLOW_YES : f == FOLLOW_ANY);
}

// language.md, rules 1 and 2, word by word. False: no lexing.
static bool lex_by_definition(const struct lexer_fixture *f, const char *text, size_t len, struct lexing *out)
{
	out->n = 0;
	for (size_t at = 0; at < len;) {
		size_t best_len = 0;
		terminal_id best = 0;
		bool stuck_inside = false;
		for (terminal_id t = 0; t < f->g.n_terminals; t++) {
			uint32_t s = start_of(&f->dfa[t], text, at);
			bool stuck = false;
			for (size_t i = at; i < len && s != DFA_DEAD; i++) {
				s = dfa_step(&f->dfa[t], s, (uint8_t)text[i]);
				if (s == DFA_DEAD) break;
				bool matches = follows(&f->dfa[t], s, text + i + 1, len - i - 1);
				if (matches) stuck = false;
				stuck |= f->dfa[t].unfailable[s];
				if (!matches) continue;
				size_t n = i + 1 - at;
				if (n > best_len || (n == best_len && beats(&f->g, t, best))) best_len = n, best = t;
			}
			// Since its last match it got to where no text could make it fail: so it is alive, and unfinished.
			stuck_inside |= stuck;
		}
		if (stuck_inside && best_len < len - at) return false;
		if (best_len == 0 || out->n == MAX_LEXEMES) return false;
		out->at[out->n++] = best;
		at += best_len;
	}
	return true;
}

struct reading {
	lex_state q;
	struct lexing done;
};

// All readings of the text, as docs/algorithm.md says; at the end exactly one may be able to end.
static bool lex_by_automaton(const struct lexer_fixture *f, const char *text, size_t len, struct lexing *out)
{
	const struct lexer *x = &f->x;
	struct reading now[LEXER_MAX_READINGS + 1] = {{.q = x->initial}}, next[LEXER_MAX_READINGS + 1];
	uint32_t n = 1;
	for (size_t i = 0; i < len; i++) {
		uint32_t m = 0;
		for (uint32_t r = 0; r < n; r++) {
			uint32_t to = lexer_next(x, now[r].q, (uint8_t)text[i]);
			if (to & LEX_STATE_MASK) {
				next[m] = now[r];
				next[m++].q = to & LEX_STATE_MASK;
			}
			for (lex_state way = now[r].q; way; way = x->info[way].also) {
				if (!(lexer_next(x, way, (uint8_t)text[i]) & LEX_CUT)) continue;
				lex_state s = x->start[x->info[way].obligation];
				uint32_t y = lexer_next(x, s, (uint8_t)text[i]) & LEX_STATE_MASK;
				if (!y) continue;
				next[m] = now[r];
				cr_assert_lt(next[m].done.n, MAX_LEXEMES);
				next[m].done.at[next[m].done.n++] = x->info[way].terminal;
				next[m++].q = y;
			}
			cr_assert_leq(m, x->max_readings, "more readings than max_readings says");
		}
		n = m;
		memcpy(now, next, n * sizeof *now);
	}
	uint32_t ends = 0;
	for (uint32_t r = 0; r < n; r++)
		for (lex_state way = now[r].q; way; way = x->info[way].also) {
			const struct lex_info *info = &x->info[way];
			if (!(info->flags & (LEX_MAY_END | LEX_INITIAL))) continue;
			ends++;
			*out = now[r].done;
			if (info->flags & LEX_MAY_END) out->at[out->n++] = info->terminal;
		}
	cr_assert_leq(ends, 1, "two readings of one finished text");
	return ends == 1;
}

static void compare(const struct lexer_fixture *f, const char *grammar, const char *text, size_t len)
{
	struct lexing a, b;
	bool x = lex_by_definition(f, text, len, &a), y = lex_by_automaton(f, text, len, &b);
	cr_assert_eq(x, y, "%s\ntext \"%.*s\": definition %s, automaton %s", grammar, (int)len, text, x ? "lexes" : "fails",
	             y ? "lexes" : "fails");
	if (!x) return;
	cr_assert(a.n == b.n && memcmp(a.at, b.at, a.n * sizeof *a.at) == 0, "%s\ntext \"%.*s\": different lexemes",
	          grammar, (int)len, text);
}

static void compare_all(const char *grammar, const char *alphabet, uint32_t max_len)
{
	struct lexer_fixture f;
	build(&f, grammar);
	size_t k = strlen(alphabet);
	for (uint32_t len = 0; len <= max_len; len++) {
		size_t count = 1;
		for (uint32_t i = 0; i < len; i++) count *= k;
		for (size_t c = 0; c < count; c++) {
			char text[32];
			size_t x = c;
			for (uint32_t i = 0; i < len; i++) text[i] = alphabet[x % k], x /= k;
			compare(&f, grammar, text, len);
		}
	}
	lexer_release(&f);
}

Test(lexer, keyword_and_name)
{
	compare_all("start: (IF | NAME)*\nIF: \"if\"\nNAME: /[ifx]+/\n%ignore \" \"", "if x", 6);
}
Test(lexer, number_falls_back) { compare_all("start: (A|B|C)*\nA: /1+/\nB: /1+\\.1+/\nC: \"..\"", "1.", 9); }
Test(lexer, number_falls_back_to_dot) { compare_all("start: (A|B|C)*\nA: /1+/\nB: /1+\\.1+/\nC: \".\"", "1.", 9); }
Test(lexer, exponent) { compare_all("start: (A|B)*\nA: /1+(e[+]?1+)?/\nB: /[e+]/", "1e+", 8); }
Test(lexer, minus_and_decrement) { compare_all("start: (A|B)*\nA: \"-\"\nB: \"--\"", "-", 12); }
Test(lexer, open_comment_is_unfinished)
{
	compare_all("start: (A|B|C)*\nA: \"/\"\nB: \"*\"\nC: /\\/\\*(.|\\n)*?\\*\\//", "/*x", 8);
}
Test(lexer, long_strings) { compare_all("start: (A|B)*\nA: /\"[^\"\\n]*\"/\nB: /\"\"\"(.|\\n)*?\"\"\"/", "\"x\n", 8); }
Test(lexer, lazy_inside_another)
{
	compare_all("start: (A|B)*\nA: (/\\n/ | L)+\nL: /<(.|\\n)*?>/\nB: /[x<]/", "<x>\n", 7);
}
Test(lexer, unbounded_look_back) { compare_all("start: (A|B)*\nA: \"a\"\nB: /a*b/", "ab", 10); }
Test(lexer, nested_look_back) { compare_all("start: (A|B|C|D)*\nA: \"a\"\nB: /ab*c/\nC: \"b\"\nD: /bb*d/", "abcd", 8); }
Test(lexer, priorities) { compare_all("start: (A|B|C)*\nA.1: /a/\nB.2: /[ab]/\nC.-1: /ab/", "ab", 8); }
Test(lexer, ignored_overlaps)
{
	compare_all("start: (A|B)*\nA: \"/\"\nB: /[a\\/]x/\n%ignore /\\/\\/[^\\n]*/\n%ignore \"a\"", "/ax\n", 7);
}

// ---- lookaround ----

#define LOOK(name, ...)                                                                                                \
	Test(lexer, name) { compare_all(__VA_ARGS__); }
LOOK(keyword_with_word_edge, "start: (A|B)*\nA: /if\\b/\nB: /[ifx]+/\n%ignore \" \"", "if x", 6)
LOOK(keyword_not_before_a_letter, "start: (A|B)*\nA: \"if\" /(?![a-z])/\nB: /[ifx]+/\n%ignore \" \"", "if x", 6)
LOOK(dot_not_before_dot, "start: (A|B)*\nA: /\\.(?!\\.)/\nB: /1+/\n%ignore \"..\"", ".1", 9)
LOOK(less_not_before_equals, "start: (A|B|C)*\nA: /<(?!=)/\nB: \"=\"\nC: \"<<\"", "<=", 9)
LOOK(positive, "start: (A|B)*\nA: /a(?=b)/\nB: \"b\"", "ab", 9)
LOOK(positive_in_one_alternative, "start: (A|B)*\nA: /a(?=b)|c/\nB: /b|aa/", "abc", 7)
LOOK(positive_far, "start: (A|B|C)*\nA: /a(?=[bc]*a)/\nB: /b/\nC: /ac?|c/", "abc", 8)
LOOK(at_the_end_of_the_text, "start: (A|B)*\nA: /ab?$/\nB: /[ab]/", "ab\n", 7)
LOOK(longer_match_refuted_by_its_lookahead, "start: (A|B|C)*\nA: /a/\nB: /ab(?!c)/\nC: /[bc]/", "abc", 8)
LOOK(refuted_by_a_lookahead_that_is_refuted, "start: (A|B|C)*\nA: /a/\nB: /ab(?!c(?!b))/\nC: /[bc]/", "abc", 8)
LOOK(one_text_two_terminals, "start: (A|B|C)*\nA: /a+(?=:)/\nB: /a+/\nC: \":\"\n%ignore \" \"", "a: ", 8)
LOOK(one_text_three_terminals, "start: (A|B|C)*\nA.2: /a+(?=b*c)/\nB.1: /a+(?=b)/\nC: /[abc]/", "abc", 8)
LOOK(lazy_with_lookahead, "start: (A|B)*\nA: /a[ab]*?b(?!b)/\nB: /[abc]/", "abc", 8)
LOOK(lazy_with_lookahead_inside_another, "start: (A|B)*\nA: (L | \"-\")+ /x?/\nL: /<[x<>]*?>(?!>)/\nB: /[x<]/", "<x>-",
     7)
LOOK(strings_of_lark,
     "start: (A|B)*\nA: /\"(?!\"\").*?(?<!\\\\)(\\\\\\\\)*?\"/\nB: /\"\"\".*?(?<!\\\\)(\\\\\\\\)*?\"\"\"/s\n%ignore "
     "\"x\"",
     "\"\\x", 8)
LOOK(behind_the_start, "start: (A|B|C)*\nA: /(?<![ab])a/\nB: /b/\nC: /(?<=[ab])a|c/", "abc", 8)
LOOK(behind_far, "start: (A|B|C)*\nA: /(?<=ba)b/\nB: /(?<!ba)b/\nC: /[ac]/", "abc", 8)
LOOK(word_edges_on_both_sides, "start: (A|B|C)*\nA: /\\ba\\b/\nB: /[ab]/\nC: / /", "ab ", 8)
LOOK(line_starts, "start: (A|B|C)*\nA: /^#[a\\n]*/m\nB: /[#a]/\nC: /\\n/", "#a\n", 8)
LOOK(unfailable_with_lookahead, "start: (A|B)*\nA: /c(a|b)*?d(?!a)/s\nB: /[abcd]/", "abcd", 6)
LOOK(open_comment_with_lookahead, "start: (A|B)*\nA: /ab(.|\\n)*?c(?=d)/\nB: /[abcd]/", "abcd", 7)

// Nothing says which it is before the next byte: so much is refused where nobody minds `also`.
Test(lexer, two_terminals_for_one_text_are_refused_where_not_minded)
{
	struct lexer_fixture f = {0};
	const char *text = "start: (A|B|C)*\nA: /a+(?=:)/\nB: /a+/\nC: \":\"";
	cr_assert(grammar_parse("test.lark", text, strlen(text), NULL, &f.d, &f.g));
	f.dfa = arena_array(&f.arena, f.g.n_terminals, sizeof *f.dfa);
	for (terminal_id t = 0; t < f.g.n_terminals; t++) {
		cr_assert(regex_compile(&f.g.terminals[t], &f.arena, &f.d, &f.dfa[t]));
		bits_set(f.context, t), f.after[t] = 1;
	}
	struct lexer_context_map m = {
		.n_contexts = 1, .context_words = 1, .context = f.context, .after_words = 1, .after = f.after};
	cr_expect(!lexer_build(&f.g, f.dfa, &m, &f.arena, &f.d, &f.x));
	cr_expect(strstr(diag_text(&f.d), "terminals A and B can match the same text"), "%s", diag_text(&f.d));
	lexer_release(&f);
}

static uint64_t state = 20261121;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void random_regex(char *out, uint32_t depth)
{
	static const char *const atom[] = {"a", "b", "c", "[ab]", "[^a]", "ab", "ca"};
	char x[200], y[200];
	switch (depth ? random_below(6) : 0) {
	case 1: random_regex(x, depth - 1), random_regex(y, depth - 1), snprintf(out, 200, "%.90s%.90s", x, y); break;
	case 2: random_regex(x, depth - 1), random_regex(y, depth - 1), snprintf(out, 200, "(%.90s|%.90s)", x, y); break;
	case 3: random_regex(x, depth - 1), snprintf(out, 200, "(%.180s)+", x); break;
	case 4: random_regex(x, depth - 1), snprintf(out, 200, "%.90s(%.90s)*", atom[random_below(7)], x); break;
	case 5: random_regex(x, depth - 1), snprintf(out, 200, "%.90s(%.90s)?", atom[random_below(7)], x); break;
	default: snprintf(out, 200, "%s", atom[random_below(7)]);
	}
}

static void add_lookaround(char *regex)
{
	static const char *const behind[] = {"(?<!a)", "(?<=b)", "(?<![bc])", "\\b", "^", "(?<!ab)"};
	static const char *const ahead[] = {"(?!a)", "(?=b)", "(?![bc])", "\\b", "$", "(?!b(?!c))", "(?=a*c)", "(?!a*b)"};
	char inner[200];
	snprintf(inner, sizeof inner, "%.150s", regex);
	snprintf(regex, 200, "%s(?:%s)%s", random_below(3) ? "" : behind[random_below(6)], inner,
	         random_below(2) ? ahead[random_below(8)] : "");
}

static void random_lexers(int rounds, bool lookaround)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	uint32_t n_also = 0, n_obliged = 0;
	for (int round = 0; round < rounds; round++) {
		char grammar[2000] = "start: (T0", regex[200];
		uint32_t n = 2 + random_below(3);
		for (uint32_t i = 1; i < n; i++) sprintf(grammar + strlen(grammar), "|T%u", i);
		strcat(grammar, ")*\n");
		for (uint32_t i = 0; i < n; i++) {
			random_regex(regex, lookaround ? 2 : 3);
			if (lookaround && random_below(2)) add_lookaround(regex);
			sprintf(grammar + strlen(grammar), "T%u%s: /%s/\n", i, random_below(4) ? "" : ".1", regex);
		}
		if (random_below(3) == 0) strcat(grammar, "%ignore /c+/\n");
		struct lexer_fixture f;
		build(&f, grammar);
		for (lex_state q = 0; q < f.x.n_states; q++) n_also += f.x.info[q].also != LEX_DEAD;
		for (uint32_t r = 0; r < f.x.n_obligations; r++) n_obliged += !f.x.may_end[r];
		for (int i = 0; i < 300; i++) {
			char text[16];
			size_t len = random_below(14);
			for (size_t j = 0; j < len; j++) text[j] = (lookaround ? "abc\n" : "abc")[random_below(lookaround ? 4 : 3)];
			compare(&f, grammar, text, len);
		}
		lexer_release(&f);
	}
	if (lookaround)
		cr_expect(n_also > 20 && n_obliged > 20, "%u with also, %u obligations that may not end", n_also, n_obliged);
}

Test(lexer, random_lexers_against_the_definition, .timeout = 300) { random_lexers(400, false); }
Test(lexer, random_lexers_with_lookaround, .timeout = 300) { random_lexers(1500, true); }

static bool competes(const bits *rows, const struct grammar *g, uint32_t row, const char *name)
{
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (!strcmp(g->terminals[t].name, name)) return bits_test(rows + row, t);
	cr_assert(false, "no terminal %s", name);
	return false;
}

// Keys in order: A, B, then "any other key". Each context has the keys whose turn may still come.
Test(lexer, contexts_of_keys_in_order_are_one)
{
	struct lexer_fixture f;
	build(&f,
	      "start: (A|B|OTHER|TEXT|LONG)*\nA: \"\\\"a\\\"\"\nB: \"\\\"b\\\"\"\nOTHER: /\"([c-z][a-z]*|[ab][a-z]+)\"/\n"
	      "TEXT: /\"[a-z]*\"/\nLONG: /\"[a-z]{3,}\"/");
	static const char *const rows[][4] = {{"A", "B", "OTHER"}, {"B", "OTHER"}, {"OTHER"}, {"TEXT"}, {"LONG"}};
	bits competing[5] = {0};
	uint8_t can_follow[5 * 256];
	memset(can_follow, 1, sizeof can_follow);
	for (uint32_t c = 0; c < 5; c++)
		for (uint32_t i = 0; rows[c][i]; i++)
			for (terminal_id t = 0; t < f.g.n_terminals; t++)
				if (!strcmp(f.g.terminals[t].name, rows[c][i])) bits_set(&competing[c], t);
	const bits *preempted_by = lexer_preempted_by(&f.g, f.dfa, can_follow, &f.arena);
	const bits *wide = lexer_widened(&f.g, f.dfa, (struct lexer_contexts){competing, 5, 1}, preempted_by, &f.arena);
	cr_expect_eq(wide[0], competing[0]);
	cr_expect_eq(wide[1], wide[0], "A wins nothing from B and OTHER");
	cr_expect_eq(wide[2], wide[0]);
	cr_expect(!competes(wide, &f.g, 3, "A"), "a text would become a key");
	cr_expect(!competes(wide, &f.g, 4, "A"), "states would be multiplied: they never meet");
	lexer_release(&f);
}

static bool dfa_takes(const struct byte_dfa *d, const char *text, uint32_t from, uint32_t to)
{
	uint32_t s = 0;
	for (uint32_t i = from; i < to; i++) s = dfa_step(d, s, (uint8_t)text[i]);
	return s != DFA_DEAD && dfa_follow(d, s) != FOLLOW_NEVER;
}

// By all texts of up to seven of four bytes: a common one where x wins, or one of x that goes on behind u's last match.
static bool preempts_by_texts(const struct byte_dfa *u, const struct byte_dfa *x, bool x_wins)
{
	char text[7];
	for (uint32_t n = 1; n <= sizeof text; n++)
		for (uint32_t k = 0; k < 1u << 2 * n; k++) {
			for (uint32_t i = 0; i < n; i++) text[i] = "\"\\ab"[k >> 2 * i & 3];
			if (!dfa_takes(x, text, 0, n)) continue;
			uint32_t last = n;  // u's longest match
			while (last && !dfa_takes(u, text, 0, last)) last--;
			if (last && (last < n || x_wins)) return true;
		}
	return false;
}

// Of two that are in quotes neither goes on where the other ends; what only looks so does.
Test(lexer, texts_in_quotes_preempt_by_ties_alone)
{
	static const char grammar[] = "start: (A|AB|ANY|ESC|OPEN|ON|TWO|HALF|BARE)*\nA: \"\\\"a\\\"\"\nAB: \"\\\"ab\\\"\"\n"
								  "ANY: /\"([^\"\\\\]|\\\\[\"\\\\a])*\"/\nESC: /\"a\\\\\"b?\"/\nOPEN: /\"a/\n"
								  "ON: /\"a\"b/\nTWO: /(\"[ab]\"){1,2}/\nHALF: /\"a\\\\\"/\nBARE: /[ab]+/";
	struct lexer_fixture f;
	build(&f, grammar);
	uint32_t n = f.g.n_terminals, n_true = 0;
	uint8_t *can_follow = malloc(n * 256);
	memset(can_follow, 1, n * 256);
	const bits *found = lexer_preempted_by(&f.g, f.dfa, can_follow, &f.arena);
	for (terminal_id u = 0; u < n; u++)
		for (terminal_id x = 0; x < n; x++) {
			if (u == x) continue;
			bool expected =
				preempts_by_texts(&f.dfa[u], &f.dfa[x], grammar_tie_rank(&f.g, x) < grammar_tie_rank(&f.g, u));
			n_true += expected;
			cr_expect_eq(bits_test(found + (size_t)x * BITS_WORDS(n), u), expected, "%s preempts %s: %d expected",
			             f.g.terminals[x].name, f.g.terminals[u].name, expected);
		}
	cr_expect(n_true > 10 && n_true < n * (n - 1) / 2, "%u", n_true);
	free(can_follow);
	lexer_release(&f);
}

// Behind state 1 a lexeme may end or go on, on one class of bytes: one reading goes round a ring of n states, the other
// round one of m, so that they are in n * m pairs of states where these have no common divisor.
static uint32_t readings_on_rings(uint32_t n, uint32_t m, terminal_id *cut)
{
	enum { START = 1, BEGINS = 2, RINGS = 3 };
	uint32_t *next = calloc(RINGS + n + m, sizeof *next);
	struct lex_info *info = calloc(RINGS + n + m, sizeof *info);
	for (uint32_t s = 0; s < RINGS + n + m; s++) info[s].terminal = s == START ? 1 : UINT32_MAX;
	next[START] = RINGS | LEX_CUT, next[BEGINS] = RINGS + n;
	for (uint32_t i = 0; i < n; i++) next[RINGS + i] = RINGS + (i + 1) % n;
	for (uint32_t i = 0; i < m; i++) next[RINGS + n + i] = RINGS + n + (i + 1) % m;
	lex_state start[] = {BEGINS};
	const bits after[] = {1, 1};
	const struct lexer x = {.n_classes = 1,
	                        .n_states = RINGS + n + m,
	                        .next = next,
	                        .info = info,
	                        .n_obligations = 1,
	                        .n_contexts = 1,
	                        .start = start};
	const uint32_t most =
		lexer_count_readings(&x, &(struct lexer_context_map){.n_contexts = 1, .after_words = 1, .after = after}, cut);
	free(next), free(info);
	return most;
}

Test(lexer, a_number_of_readings_is_not_known_past_the_limit_of_their_sets)
{
	terminal_id cut = 0;
	cr_expect_eq(readings_on_rings(3, 5, &cut), 2);
	cr_expect_eq(readings_on_rings(311, 313, &cut), 2, "97,343 sets");
	cut = 0;
	cr_expect_eq(readings_on_rings(313, 331, &cut), UINT32_MAX, "103,603 sets");
	cr_expect_eq(cut, 1);
}

// Behind each prefix of a keyword a name could go on with letters, and so could the keyword: the name's alone counts.
Test(lexer, keywords_leave_no_obligation_beside_the_name_s)
{
	struct lexer_fixture f;
	build(&f, "start: (N|\"begin\"|\"become\"|\"between\"|\"=\")*\nN: /[a-z]+/");
	// Without, each prefix of a keyword leaves an obligation of its own, with a start state: 29.
	cr_expect_eq(f.x.n_raw_states, 1 + 19, "%u", f.x.n_raw_states - 1);
	lexer_release(&f);
}
