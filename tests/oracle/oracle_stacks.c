// Several stacks at once: ambiguous grammars by hand, every text of a few tokens, against the oracle.
//
// At each position: every bit of the mask; the mask as sets and tokens; what the probing calls say; accepting each
// token, allowed or not; rolling back. Twice: with the tables as compiled, and with tables that are sure of less, so
// that the runtime has to try tokens (engine.h). Forks and clones are compared on the way.
#include <criterion/criterion.h>

#include "engine.h"
#include "oracle.h"

#define BUDGET 20000
#define LIST(...)                                                                                                      \
	(const char *const[]) { __VA_ARGS__, NULL }

struct side {
	struct diag d;
	struct grammar g;
	struct vocab v;
	struct oracle o;
	struct engine e;
	gcdc_matcher *m;
	uint64_t positions, most_readings;
};

static void side_open(struct side *s, const char *grammar, const char *const *tokens)
{
	const uint8_t *bytes[40] = {(const uint8_t *)""};
	uint32_t len[40] = {0}, n = 1, eos = 0;
	uint8_t kind[40] = {TOKEN_CONTROL};
	*s = (struct side){0};
	for (; tokens[n - 1]; n++) {
		bytes[n] = (const uint8_t *)tokens[n - 1], len[n] = (uint32_t)strlen(tokens[n - 1]);
		kind[n] = TOKEN_TEXT;
	}
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 1, &eos}, &s->v);
	cr_assert(grammar_parse("stacks.lark", grammar, strlen(grammar), NULL, &s->d, &s->g), "%s", diag_text(&s->d));
	cr_assert(oracle_init(&s->o, &s->g, &s->v, &s->d), "%s", diag_text(&s->d));
	cr_assert_eq(engine_compile(&s->g, &s->v, &s->d, &s->e), ENGINE_OK, "%s", diag_text(&s->d));
	cr_assert_eq(gcdc_matcher_new(s->e.artifact, NULL, &s->m), GCDC_OK);
}

static void side_close(struct side *s)
{
	gcdc_matcher_free(s->m);
	engine_release(&s->e);
	oracle_release(&s->o);
	vocab_release(&s->v);
	grammar_release(&s->g);
	diag_release(&s->d);
}

static uint32_t oracle_after(struct side *s, uint32_t config, uint32_t t)
{
	return oracle_step(&s->o, config, s->v.bytes + s->v.offset[t], s->v.offset[t + 1] - s->v.offset[t]);
}

static bool oracle_allows(struct side *s, uint32_t config, uint32_t t)
{
	if (!t) return oracle_complete(&s->o, config);
	return oracle_viable(&s->o, oracle_after(s, config, t), BUDGET) == VERDICT_VIABLE;
}

// The mask of m, every bit as the oracle has it, and the same by every other call.
static void check_mask(struct side *s, gcdc_matcher *m, uint32_t config, const char *text, uint32_t *mask)
{
	gcdc_fill_info fill;
	gcdc_mask_sets parts;
	uint32_t united[2] = {0};
	cr_assert_eq(gcdc_matcher_fill(m, mask, 2, &fill), GCDC_OK, "after '%s'", text);
	cr_assert_eq(gcdc_matcher_mask_sets(m, &parts), GCDC_OK);
	cr_assert_eq(parts.n_tokens, fill.n_tokens);
	for (uint32_t i = 0; i < parts.n_sets; i++) {
		gcdc_set set;
		uint32_t one[2] = {0};
		cr_assert(gcdc_artifact_set(s->e.artifact, parts.sets[i], &set));
		if (set.bits) memcpy(one, set.bits, 4 * ((s->v.n_tokens + 31) / 32));
		for (uint32_t k = 0; k < set.n; k++) one[set.tokens[k] / 32] ^= 1u << set.tokens[k] % 32;
		united[0] |= one[0], united[1] |= one[1];
	}
	for (uint32_t i = 0; i < parts.n_tokens; i++) {
		cr_assert(i == 0 || parts.tokens[i] > parts.tokens[i - 1]);
		cr_assert_not(mask_bit(united, parts.tokens[i]), "token %u is in a set, too", parts.tokens[i]);
	}
	for (uint32_t i = 0; i < parts.n_tokens; i++) united[parts.tokens[i] / 32] |= 1u << parts.tokens[i] % 32;
	cr_assert_arr_eq(mask, united, sizeof united);
	if (parts.row) cr_assert_arr_eq(mask, parts.row, 4 * ((s->v.n_tokens + 31) / 32));
	for (uint32_t t = 0; t < s->v.n_tokens; t++) {
		bool wanted = oracle_allows(s, config, t);
		cr_assert_eq(mask_bit(mask, t), wanted, "token %u after '%s': the oracle says %d (sure %d)", t, text, wanted,
		             engine_sure);
		cr_assert_eq(gcdc_matcher_allowed(m, t), wanted);
	}
	cr_assert_eq(fill.may_end, mask_bit(mask, 0));
	cr_assert_eq(gcdc_matcher_is_completed(m), mask_bit(mask, 0));
	s->positions++;
}

static void explore(struct side *s, uint32_t config, char *text, int depth)
{
	uint32_t mask[2], again[2], rows[2][2], readings = gcdc_matcher_reading(s->m, 0, NULL, NULL, 0, NULL);
	size_t len = strlen(text), accepted;
	check_mask(s, s->m, config, text, mask);
	if (readings > s->most_readings) s->most_readings = readings;
	if (!depth) return;
	gcdc_matcher *fork, *clone;
	cr_assert_eq(gcdc_matcher_fork(s->m, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_clone(s->m, &clone), GCDC_OK);
	for (uint32_t t = 1; t < s->v.n_tokens; t++) {
		bool allowed = mask_bit(mask, t);
		cr_assert_eq(gcdc_matcher_validate(s->m, &t, 1, &accepted), GCDC_OK);
		cr_assert_eq(accepted, allowed);
		cr_assert_eq(gcdc_matcher_accept(s->m, t), allowed ? GCDC_OK : GCDC_REJECTED, "token %u after '%s'", t, text);
		if (!allowed) continue;
		memcpy(text + len, s->v.bytes + s->v.offset[t], s->v.offset[t + 1] - s->v.offset[t]);
		text[len + s->v.offset[t + 1] - s->v.offset[t]] = 0;
		explore(s, oracle_after(s, config, t), text, depth - 1);
		cr_assert_eq(gcdc_matcher_fill(s->m, again, 2, NULL), GCDC_OK);
		const int64_t next[] = {1, -1}, sibling[] = {-1, -1}, tokens[] = {-1, t};
		cr_assert_eq(
			gcdc_matcher_fill_draft_tree(clone, &(gcdc_draft_tree){next, sibling, tokens, 2}, rows[0], 2, NULL),
			GCDC_OK);
		cr_assert_arr_eq(rows[0], mask, sizeof mask);
		cr_assert_arr_eq(rows[1], again, sizeof again);
		for (int k = 0; k < 2; k++) {
			gcdc_matcher *other = k ? fork : clone;
			cr_assert_eq(gcdc_matcher_accept_bytes(other, text + len, strlen(text + len)), GCDC_OK);
			cr_assert_eq(gcdc_matcher_fill(other, rows[0], 2, NULL), GCDC_OK);
			cr_assert_arr_eq(rows[0], again, sizeof again);
			cr_assert_eq(gcdc_matcher_rollback(other, 1), GCDC_OK);
		}
		text[len] = 0;
		cr_assert_eq(gcdc_matcher_rollback(s->m, 1), GCDC_OK);
	}
	gcdc_matcher_free(fork);
	gcdc_matcher_free(clone);
	cr_assert_eq(gcdc_matcher_fill(s->m, again, 2, NULL), GCDC_OK);
	cr_assert_arr_eq(mask, again, sizeof mask);
}

// All texts of up to `depth` tokens, with all tables; at some time at least so many readings must live.
static void compare(const char *grammar, const char *const *tokens, int depth, uint32_t readings)
{
	for (int sure = SURE_AS_COMPILED; sure <= SURE_OF_NOTHING; sure++) {
		struct side s;
		char text[200] = "";
		engine_sure = (enum engine_sure)sure;
		side_open(&s, grammar, tokens);
		explore(&s, oracle_start(&s.o), text, depth);
		cr_expect_geq(s.most_readings, readings, "never more than %u readings", (unsigned)s.most_readings);
		cr_expect_gt(s.positions, 10);
		side_close(&s);
		engine_sure = SURE_AS_COMPILED;
	}
}

Test(stacks, sums) { compare("start: e\ne: e \"+\" e | \"a\"\n", LIST("a", "+", "a+", "+a", "+a+", "x"), 6, 1); }

// Of n joins any may still wait for its condition: there are more groupings than can be counted. But what each join
// adds is within what was there: a step is the same work at the hundredth as at the third, and counts the same against
// max_stacks.
Test(stacks, many_joins_need_no_more_than_a_few)
{
	struct side s;
	const gcdc_matcher_options options = {.max_stacks = 60};
	side_open(&s, "start: e\ne: e \"j\" e | e \"j\" e \"o\" | \"a\"\n", LIST("a", "j", "o"));
	gcdc_matcher *m;
	uint32_t mask;
	cr_assert_eq(gcdc_matcher_new(s.e.artifact, &options, &m), GCDC_OK);
	for (uint32_t i = 0; i < 400; i++) {
		cr_assert_eq(gcdc_matcher_fill(m, &mask, 1, NULL), GCDC_OK, "join %u", i / 2);
		cr_assert_eq(mask, i % 2 == 0 ? 1u << 1 : i == 1 ? 1u | 1u << 2 : 1u | 1u << 2 | 1u << 3);
		cr_assert_eq(gcdc_matcher_accept(m, 1 + i % 2), GCDC_OK, "join %u", i / 2);
	}
	gcdc_matcher_free(m);
	side_close(&s);
}

Test(stacks, dangling_else)
{
	compare("start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\"\n", LIST("i", "e", "x", "ix", "xe", "ixe", "ii"), 5, 1);
}

Test(stacks, palindromes)
{
	const char *grammar = "start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" | \"a\" | \"b\" |\n";
	compare(grammar, LIST("a", "b", "ab", "ba", "aba"), 5, 2);
}

Test(stacks, right_nullable_rules)
{
	compare("start: s\ns: \"a\" s b c | \"a\"\nb: \"b\" |\nc: \"c\" |\n", LIST("a", "b", "c", "ab", "bc", "aa", "abc"),
	        5, 1);
	compare("start: s\ns: a s b | \"x\"\na: \"a\" |\nb: \"b\" |\n", LIST("a", "b", "x", "ax", "xb", "bb"), 5, 1);
}

Test(stacks, hidden_left_recursion)
{
	compare("start: s\ns: b s \"c\" | \"a\"\nb: \"b\" |\n", LIST("a", "b", "c", "ac", "cc", "ba"), 5, 1);
}

// What "a" was is open while "c" is read: two stacks, of which one goes on with "=", the other with "==" or "=!".
Test(stacks, stacks_compete_for_the_lexeme)
{
	const char *grammar =
		"start: x | y\nx: p \"c\" \"=\" \"n\"\ny: q \"c\" \"==\" \"n\" | q \"c\" \"=!\"\np: \"a\"\nq: \"a\"\n";
	compare(grammar, LIST("a", "c", "ac", "=", "==", "=n", "==n", "n", "c=", "=!", "!"), 5, 2);
}

// The longest match is each one's own: a number with a point is INT DOT INT for the stack that wants it.
Test(stacks, each_stack_is_cut_for_itself)
{
	const char *grammar =
		"start: x | y\nx: INT DOT INT\ny: FLOAT \"f\"\nINT: /[0-9]+/\nDOT: \".\"\nFLOAT: /[0-9]+\\.[0-9]+/\n";
	compare(grammar, LIST("1", ".", "f", "1.", ".1", "1.1", "1f", "f1"), 4, 1);
	grammar = "start: p \"c\" INT DOT INT | q \"c\" FLOAT \"f\" | q \"c\" INT DOT DOT\np: \"-\"\nq: \"-\"\nINT: "
			  "/[0-9]+/\nDOT: \".\"\nFLOAT: /[0-9]+\\.[0-9]+/\n";
	compare(grammar, LIST("-c", "1", ".", "f", "1.", "..", ".1", "1f", "c1."), 5, 2);
}

// The same text is a keyword on one stack and a name on the other.
Test(stacks, ties_are_decided_on_each_stack)
{
	const char *grammar = "start: p \",\" NAME \"!\" | q \",\" \"if\" \"?\"\np: \"-\"\nq: \"-\"\nNAME: /[a-z]+/\n";
	compare(grammar, LIST("-,", "if", "i", "f", "!", "?", "x", "if!", "if?", ",i"), 5, 2);
}

// An unclosed comment that only one stack opens.
Test(stacks, an_open_lexeme_of_one_stack_is_not_the_others)
{
	const char *grammar =
		"start: p \",\" \"/\" \"*\" \"x\" | q \",\" COMMENT\np: \"-\"\nq: \"-\"\nCOMMENT: /\\/\\*(.|\\n)*?\\*\\//\n";
	compare(grammar, LIST("-,", "/", "*", "x", "/*", "*/", ",/", "*x"), 5, 2);
}

// Behind "(" and behind "[" the same bytes meet the same lex_states, but not the same stacks.
Test(stacks, tried_tokens_go_on_from_their_own_place)
{
	compare("start: u e | v f\nu: \"k\"\nv: \"k\"\n"
	        "e: NAME | \"(\" e \")\" | \"[\" e \"]\"\nf: WORD | \"(\" f \")\" | \"[\" f \"]\"\n"
	        "NAME: /[a-z]+/\nWORD: /[a-z]+[0-9]*/\n",
	        LIST("k", "(a)", "[a)", "(a]", "[a]", "(", "[", "a", "1", ")", "]", "(a1)", "[a1)", "[b)", "(b)"), 3, 2);
}

Test(stacks, ignored_text_between)
{
	const char *grammar = "start: e\ne: e e | \"a\" | \"(\" e \")\"\n%ignore / +/\n";
	compare(grammar, LIST("a", " ", "(", ")", "a ", "a)", "(a"), 4, 1);
}

// A star is X2 where both are viable, and MUL behind the last X2, where it is alone.
Test(stacks, a_star_is_what_is_viable)
{
	const char *grammar = "start: r2 X2 MUL | \"b\" start\nr2: r3\nr3: X2+ | X1\nX2: \"*\"\nX1: \"a\"\nMUL.-1: \"*\"\n";
	compare(grammar, LIST("*", "a", "b", "**", "a*", "ba", "***", "a**", "*a"), 4, 1);
}

// Past the bound there is an error, and the matcher stays where it was.
Test(stacks, too_many_parses_are_an_error)
{
	struct side s;
	side_open(&s, "start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" | \"a\" | \"b\" |\n", LIST("a", "b"));
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(s.e.artifact, &(gcdc_matcher_options){.max_stacks = 300}, &m), GCDC_OK);
	gcdc_status status = GCDC_OK;
	uint32_t mask[1], n = 0;
	for (; n < 2000 && !status; n++) status = gcdc_matcher_accept(m, 1);
	cr_assert_eq(status, GCDC_ERR_STACKS, "%s after %u", gcdc_status_text(status), n);
	cr_assert_gt(n, 20);
	cr_assert_eq(gcdc_matcher_rollback(m, 3), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(m, mask, 1, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(m, 1), GCDC_OK);
	gcdc_matcher_free(m);
	cr_assert_eq(gcdc_matcher_new(s.e.artifact, NULL, &m), GCDC_OK);
	for (n = 0; n < 300; n++) cr_assert_eq(gcdc_matcher_accept(m, 1 + n % 2), GCDC_OK, "after %u", n);
	gcdc_matcher_free(m);
	side_close(&s);
}

// Many more steps than are kept, with several stacks: the frames that nobody needs are used again.
Test(stacks, memory_stays_where_the_graph_does)
{
	struct side s;
	side_open(&s, "start: l\nl: l x | x\nx: \"(\" s \")\"\ns: \"a\" s \"a\" | \"a\" |\n", LIST("(", "a", ")"));
	for (int i = 0; i < 20000; i++) {
		const char *text = i % 2 ? "(aaaa)" : "(aaaaaaa)";
		cr_assert_eq(gcdc_matcher_accept_bytes(s.m, text, strlen(text)), GCDC_OK);
	}
	cr_assert(gcdc_matcher_is_completed(s.m));
	gcdc_matcher *clone;
	cr_assert_eq(gcdc_matcher_clone(s.m, &clone), GCDC_OK);
	cr_assert_eq(gcdc_matcher_rollback(clone, 256), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(clone, "(aa", 3), GCDC_OK);
	gcdc_matcher_reset(s.m);
	gcdc_matcher_free(clone);
	side_close(&s);
}
