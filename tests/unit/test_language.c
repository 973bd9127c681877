// Regular languages as values: operations against membership, one by one, of short texts.
#include <criterion/criterion.h>

#include "../../lib/base/random.h"
#include "../../lib/grammar/lark.h"
#include "../../lib/regex/regex.h"

static language regex(struct languages *s, const char *text)
{
	struct diag d = {0};
	language l =
		language_of_regex(s, &(struct regex_text){text, (uint32_t)strlen(text), 0, (struct loc){0}, "test"}, &d);
	cr_assert(l != LANGUAGE_ERROR, "%s: %s", text, diag_text(&d));
	diag_release(&d);
	return l;
}

// Calls with each text of up to four of these letters.
static void each_text(void (*look)(void *context, const char *text, size_t len), void *context)
{
	static const char *const letters[] = {"a", "b", "\"", "\\", "\n", "\xC3\xA9", "\xF0\x9F\x98\x80"};
	const uint32_t n = sizeof letters / sizeof *letters;
	for (uint32_t code = 0; code < n * n * n * n; code++) {
		char text[32] = "";
		for (uint32_t c = code, k = 0; k < 4; k++, c /= n) {
			look(context, text, strlen(text));
			strcat(text, letters[c % n]);
		}
		look(context, text, strlen(text));
	}
}

struct operations {
	struct languages *s;
	language a, b, both, either, only_a, not_a;
};

static void look_at(void *context, const char *text, size_t len)
{
	const struct operations *x = context;
	bool a = language_has(x->s, x->a, text, len), b = language_has(x->s, x->b, text, len);
	cr_assert(language_has(x->s, x->both, text, len) == (a && b), "and: %s", text);
	cr_assert(language_has(x->s, x->either, text, len) == (a || b), "or: %s", text);
	cr_assert(language_has(x->s, x->only_a, text, len) == (a && !b), "minus: %s", text);
	cr_assert(language_has(x->s, x->not_a, text, len) == !a, "not: %s", text);
}

Test(language, operations_are_what_membership_says)
{
	static const char *const patterns[] = {
		"[ab]*", "a.*|.*b", "(?!ab)[\\s\\S]*", ".{2,3}", "\\n?[^a]+", "[\\s\\S]*(?<=b)", "ab", "bb", ""};
	const uint32_t n = sizeof patterns / sizeof *patterns;
	struct languages *s = languages_new();
	for (uint32_t i = 0; i < n * n; i++) {
		struct operations x = {.s = s, .a = regex(s, patterns[i / n]), .b = regex(s, patterns[i % n])};
		x.both = language_and(s, x.a, x.b), x.either = language_or(s, x.a, x.b);
		x.only_a = language_minus(s, x.a, x.b), x.not_a = language_not(s, x.a);
		if (i % 5 == 0 || i / n >= n - 3) each_text(look_at, &x);
		// Equal languages are equal numbers (De Morgan).
		cr_assert_eq(language_not(s, x.both), language_or(s, x.not_a, language_not(s, x.b)));
		cr_assert_eq(language_minus(s, x.a, x.b), language_and(s, x.a, language_not(s, x.b)));
	}
	cr_assert(language_is_text(s, regex(s, "aba")) && language_is_text(s, LANGUAGE_EMPTY));
	cr_assert(!language_is_text(s, regex(s, "a?")) && !language_is_text(s, LANGUAGE_NOTHING));
	cr_assert(!language_is_text(s, regex(s, "[ab]")) && !language_is_text(s, regex(s, "a+")));
	cr_assert_eq(regex(s, "[\\s\\S]*"), LANGUAGE_ANY);
	cr_assert_eq(language_and(s, regex(s, "a+"), regex(s, "b+")), LANGUAGE_NOTHING);
	languages_free(s);
}

// ---- Minimal automata.
#define LETTERS 4u
#define STATES 90u
struct letters_automaton {
	uint32_t n, next[STATES][LETTERS];  // UINT32_MAX: nowhere
	bool accept[STATES];
};

// Where edges lead: anywhere; onwards, and from the last states back to them; a long loop with few ways out.
static void make_random(struct letters_automaton *a, uint64_t *random)
{
	const uint32_t shape = random_below(random, 3), tail = 1 + random_below(random, 6);
	a->n = 1 + random_below(random, shape == 0 ? 12 : STATES);
	for (uint32_t q = 0; q < a->n; q++) {
		a->accept[q] = !random_below(random, shape == 2 ? a->n : 3);
		for (uint32_t c = 0; c < LETTERS; c++) {
			uint32_t to = random_below(random, a->n);
			if (shape == 1)
				to = q + tail < a->n ? q + 1 + random_below(random, 4) : a->n - 1 - random_below(random, tail);
			if (shape == 2) to = (q + (c ? 1 : 1 + 2 * random_below(random, 2))) % a->n;
			a->next[q][c] = random_below(random, 5) && to < a->n ? to : UINT32_MAX;
		}
	}
	a->accept[a->n - 1] |= shape != 0;
}

static language language_of(struct languages *s, const struct letters_automaton *a)
{
	struct language_edge edges[STATES * LETTERS];
	uint32_t n = 0;
	for (uint32_t q = 0; q < a->n; q++)
		for (uint32_t c = 0; c < LETTERS; c++)
			if (a->next[q][c] != UINT32_MAX)
				edges[n++] = (struct language_edge){q, a->next[q][c], (uint8_t)('a' + c), (uint8_t)('a' + c)};
	return language_of_automaton(s, a->n, a->accept, edges, n);
}

// How many states are needed, by the table of all pairs: those that some text tells apart.
static uint32_t count_needed(const struct letters_automaton *a)
{
	static bool apart[STATES + 1][STATES + 1];
	const uint32_t dead = a->n;
	bool met[STATES] = {true};
	uint32_t n = 0;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t q = 0; q < a->n; q++)
			for (uint32_t c = 0; c < LETTERS && met[q]; c++)
				if (a->next[q][c] != UINT32_MAX && !met[a->next[q][c]]) met[a->next[q][c]] = more = true;
	}
	for (uint32_t p = 0; p <= a->n; p++)
		for (uint32_t q = 0; q <= a->n; q++) apart[p][q] = (p < dead && a->accept[p]) != (q < dead && a->accept[q]);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t p = 0; p <= a->n; p++)
			for (uint32_t q = 0; q <= a->n; q++)
				for (uint32_t c = 0; c < LETTERS && !apart[p][q]; c++) {
					const uint32_t x = p == dead || a->next[p][c] == UINT32_MAX ? dead : a->next[p][c],
								   y = q == dead || a->next[q][c] == UINT32_MAX ? dead : a->next[q][c];
					if (apart[x][y]) apart[p][q] = more = true;
				}
	}
	for (uint32_t q = 0; q < a->n; q++) {
		bool is_first = met[q] && apart[q][dead];
		for (uint32_t p = 0; p < q; p++) is_first &= !met[p] || apart[p][q];
		n += is_first;
	}
	return n;
}

// The same automaton with other numbers; the first state stays the first.
static void renumber(const struct letters_automaton *a, struct letters_automaton *b, uint64_t *random)
{
	uint32_t number[STATES];
	for (uint32_t q = 0; q < a->n; q++) number[q] = q;
	for (uint32_t q = a->n - 1; q > 1; q--) {
		const uint32_t other = 1 + random_below(random, q), x = number[q];
		number[q] = number[other], number[other] = x;
	}
	b->n = a->n;
	for (uint32_t q = 0; q < a->n; q++) {
		b->accept[number[q]] = a->accept[q];
		for (uint32_t c = 0; c < LETTERS; c++)
			b->next[number[q]][c] = a->next[q][c] == UINT32_MAX ? UINT32_MAX : number[a->next[q][c]];
	}
}

Test(language, automata_are_as_small_as_pairs_of_states_say)
{
	struct arena arena = {0};
	uint64_t random = 20261130;
	for (uint32_t i = 0; i < 3000; i++) {
		struct languages *s = languages_new();
		struct letters_automaton a, b;
		make_random(&a, &random), renumber(&a, &b, &random);
		const language l = language_of(s, &a);
		const struct term_automaton x = term_automaton_read(language_term(s, l, (struct loc){0}, &arena)->text);
		cr_assert_eq(x.n_states, count_needed(&a), "%u: %u states, of %u %u are needed", i, x.n_states, a.n,
		             count_needed(&a));
		cr_assert_eq(language_of(s, &b), l, "%u: other numbers make another language", i);
		languages_free(s), arena_release(&arena);
	}
}

// What has been found is one state, however many beginnings are on their way again. A lookahead says the same in
// another way.
Test(language, any_text_behind_a_pattern)
{
	static const char *const patterns[] = {
		"a",     "(?:a|bc){2,5}", "[a-c]{1,9}\\.[a-z]{2,3}", "\\b[a-c]+(?<=c)", "(?:[^a]b?){0,3}", "\\p{L}{2}.|\\n",
		"(?i:k)"};
	struct languages *s = languages_new();
	for (uint32_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		char whole[128], ahead[128];
		snprintf(whole, sizeof whole, "[\\s\\S]*(?:%s)[\\s\\S]*", patterns[i]);
		snprintf(ahead, sizeof ahead, "(?=[\\s\\S]*(?:%s))[\\s\\S]*", patterns[i]);
		cr_assert_eq(regex(s, whole), regex(s, ahead), "%s", patterns[i]);
	}
	// One character at least: not any text, where the pattern also ends elsewhere.
	cr_assert_eq(regex(s, "a(?:[\\s\\S]+|\\Z)"), regex(s, "a[\\s\\S]*"));
	cr_assert_eq(regex(s, "(?:[\\s\\S]+|b?(?!b)[\\s\\S]*)"), LANGUAGE_ANY);
	// Nearly any text.
	cr_assert_neq(regex(s, "a(?:\\x00|[^\\x00]*)"), regex(s, "a[^\\x00]*"));
	// 256 numbers of characters, two places of www., seven places behind a point: within REGEX_MAX_WORK.
	cr_assert_neq(regex(s, "[\\s\\S]*(?:https?:\\/\\/(www\\.)?[-a-zA-Z0-9@:%._\\+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b"
	                       "([-a-zA-Z0-9()@:%_\\+.~#?&//=]*))[\\s\\S]*"),
	              LANGUAGE_NOTHING);
	languages_free(s);
}

// Where a repetition may begin anew at each character, not all copies are followed: that would pass REGEX_MAX_WORK.
Test(language, a_repetition_that_may_begin_anywhere_has_one_thread)
{
	struct languages *s = languages_new();
	cr_assert_eq(regex(s, "[\\s\\S]*[a-z]{1,5000}="), regex(s, "[\\s\\S]*[a-z]="));
	cr_assert_eq(regex(s, "[\\s\\S]*(?:ab?){0,5000}="), regex(s, "[\\s\\S]*="));
	cr_assert_eq(regex(s, "[\\s\\S]*[a-z]{3,5000}="), regex(s, "[\\s\\S]*[a-z]{3}="));
	cr_assert_neq(regex(s, "(?:a{1,3}|ba{0,2})c"), regex(s, "(?:a{1,3}|ba{0,3})c"));
	languages_free(s);
}

Test(language, texts_and_lengths)
{
	struct languages *s = languages_new();
	const struct language_text texts[] = {{"b", 1}, {"ab", 2}, {"", 0}, {"ab", 2}};
	language l = language_of_texts(s, texts, 4);
	cr_assert_eq(l, regex(s, "(ab|b)?"));
	struct arena arena = {0};
	language_texts list = {0};
	cr_assert(language_list(s, l, 3, &arena, &list));
	cr_assert_eq(list.n, 3);
	cr_assert_str_eq(list.at[0].text, "");
	cr_assert_str_eq(list.at[1].text, "ab");
	cr_assert_str_eq(list.at[2].text, "b");
	vec_clear(&list);
	cr_assert_not(language_list(s, l, 2, &arena, &list));
	vec_clear(&list);
	cr_assert_not(language_list(s, regex(s, "a*"), 1000, &arena, &list));
	cr_assert_eq(language_of_lengths(s, 2, 3), regex(s, "[\\s\\S]{2,3}"));
	cr_assert_eq(language_of_lengths(s, 1, TERM_UNBOUNDED), regex(s, "[\\s\\S]+"));
	vec_release(&list);
	arena_release(&arena);
	languages_free(s);
}

Test(language, what_an_automaton_accepts_is_utf8)
{
	struct languages *s = languages_new();
	// Bytes without '<'.
	const struct language_edge edges[] = {{0, 0, 0, '<' - 1}, {0, 0, '<' + 1, 255}};
	const bool accept[] = {true};
	language l = language_of_automaton(s, 1, accept, edges, 2);
	cr_assert_eq(l, regex(s, "[^<]*"));
	cr_assert_not(language_has(s, l, "a\xFF", 2));
	cr_assert(language_has(s, l, "\xE4\xBD\xA0", 3));
	language_steps steps = {0};
	language_steps_from(s, l, 0, &steps);
	cr_assert_eq(steps.at[steps.n - 1].hi, 0x10FFFF);
	vec_release(&steps);
	languages_free(s);
}

Test(language, spelled_in_json)
{
	static const struct {
		const char *value, *text;
		bool written, all;
	} cases[] = {
		{"a", "\"a\"", true, true},
		{"a", "\"\\u0061\"", false, true},
		{"\"", "\"\\\"\"", true, true},
		{"\"", "\"\"\"", false, false},
		{"\\", "\"\\\\\"", true, true},
		{"/", "\"\\/\"", false, true},
		{"\n", "\"\\n\"", true, true},
		{"\n", "\"\\u000a\"", false, true},
		{"\n", "\"\n\"", false, false},
		{"\x01", "\"\\u0001\"", true, true},
		{"\x7F", "\"\\u007f\"", true, true},
		{"\x7F", "\"\x7F\"", true, true},
		{"\xC3\xA9", "\"\xC3\xA9\"", true, true},
		{"\xC3\xA9", "\"\\u00e9\"", true, true},
		{"\xC3\xA9", "\"\\u00E9\"", false, true},
		{"\xF0\x9F\x98\x80", "\"\\ud83d\\ude00\"", true, true},
		{"\xF0\x9F\x98\x80", "\"\\ud83d\\ude01\"", false, false},
	};
	struct languages *s = languages_new();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct language_text value = {cases[i].value, strlen(cases[i].value)};
		language l = language_of_texts(s, &value, 1);
		bool written = language_has(s, language_spelled(s, l, ESCAPES_WRITTEN), cases[i].text, strlen(cases[i].text));
		bool all = language_has(s, language_spelled(s, l, ESCAPES_ALL), cases[i].text, strlen(cases[i].text));
		cr_assert(written == cases[i].written && all == cases[i].all, "%s", cases[i].text);
	}
	languages_free(s);
}

// ---- & and ~ in terminals

struct terminal_texts {
	struct byte_dfa dfa;
	struct languages *s;
	language expected;
	const char *pattern;
};

static void match_one(void *context, const char *text, size_t len)
{
	const struct terminal_texts *x = context;
	uint32_t q = 0;
	for (size_t i = 0; i < len; i++) q = dfa_step(&x->dfa, q, (uint8_t)text[i]);
	bool matches = q != DFA_DEAD && x->dfa.accept[q];
	cr_assert_eq(matches, language_has(x->s, x->expected, text, len), "%s: '%s'", x->pattern, text);
}

// A terminal's automaton, text by text, against the language that the operators make of the operands'.
static void check_terminal(struct languages *s, const char *pattern, language expected)
{
	char text[200];
	snprintf(text, sizeof text, "start: A\nA: %s\nB: /a+b?/\n", pattern);
	struct diag d = {0};
	struct grammar g;
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &d, &g), "%s: %s", pattern, diag_text(&d));
	struct arena arena = {0};
	struct terminal_texts x = {.s = s, .expected = expected, .pattern = pattern};
	cr_assert(regex_compile(&g.terminals[0], &arena, &d, &x.dfa), "%s: %s", pattern, diag_text(&d));
	each_text(match_one, &x);
	arena_release(&arena);
	grammar_release(&g);
	diag_release(&d);
}

Test(language, terminals_of_operators_match_what_their_operands_say)
{
	struct languages *s = languages_new();
	language a = regex(s, "[ab]+"), b = regex(s, "[\\s\\S]*bb[\\s\\S]*"), name = regex(s, "a+b?");
	check_terminal(s, "/[ab]+/ & ~/(?s:.*)bb(?s:.*)/", language_minus(s, a, b));
	check_terminal(s, "/(?s:.)+/ & ~B", language_minus(s, regex(s, "[\\s\\S]+"), name));
	check_terminal(s, "/[ab]+/ & /(?s:.*)bb(?s:.*)/ | \"\\n\"", language_or(s, language_and(s, a, b), regex(s, "\\n")));
	check_terminal(s, "\"\\n\"? (/[ab]+/ & ~(B | \"b\"))", regex(s, "\\n?(?!(a+b?|b)$)[ab]+"));
	check_terminal(s, "/[ab]+/ & ~(~B)", language_and(s, a, name));
	languages_free(s);
}

Test(language, operators_belong_to_terminals)
{
	static const char *const wrong[] = {"start: \"a\" & \"b\"\n", "start: ~\"a\"\n", "start: A\nA: \"a\" &\n",
	                                    "start: A\nA: ~~\"a\"\n", "start: A\nA: \"a\" & ~\"b\" \"c\"\n"};
	for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct diag d = {0};
		struct grammar g;
		cr_assert(!grammar_parse("<test>", wrong[i], strlen(wrong[i]), NULL, &d, &g), "%s", wrong[i]);
		cr_assert(d.n_errors == 1, "%s: %s", wrong[i], diag_text(&d));
		diag_release(&d);
	}
}
