// Lexer states that count blanks share what masks begin with (shared_starts.c), and the steps of masks under budgets,
// where all of them cost the same (costs_groups.c).
#include <criterion/criterion.h>

#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

#define RULES "start: \"[\" w [start (\",\" w start)*] \"]\" w | N w\nw: W?\nN: /[a-d]+/\n"
#define BLANKS "W: / {1,30}(?! )/\n"
#define MAX_TOKENS 16u

struct found {
	uint32_t n_blanks;  // lexer states that end as W
	uint32_t n_starts;  // what their masks begin with, each once
	uint32_t n_steps;   // the same under budgets
	uint32_t n_readings;
	uint32_t n_leaving;  // of them, those that leave tokens out
};

static struct found compile(const char *text, const char *const *tokens, enum compile_costs costs)
{
	const uint8_t *bytes[MAX_TOKENS + 1] = {0};
	uint32_t len[MAX_TOKENS + 1], n = 0;
	uint8_t kind[MAX_TOKENS + 1];
	struct vocab v;
	struct grammar g;
	struct compiled c;
	struct diag d = {0};
	struct found x = {0};
	for (; tokens[n]; n++)
		bytes[n] = (const uint8_t *)tokens[n], len[n] = (uint32_t)strlen(tokens[n]), kind[n] = TOKEN_TEXT;
	bytes[n] = (const uint8_t *)"", len[n] = 0, kind[n] = TOKEN_CONTROL;
	vocab_build(&(struct vocab_tokens){n + 1, bytes, len, kind, 1, &n}, &v);
	cr_assert(grammar_parse("g.lark", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	const struct compile_options options = {.costs = costs};
	cr_assert(compile_image(&g, &v, &options, &d, &c), "%s", diag_text(&d));
	const struct artifact_image *m = &c.image;
	cr_assert(m->step_starts);
	x.n_readings = m->info.max_readings;
	for (uint32_t q = 1; q < m->info.n_lex_states; q++) {
		const struct artifact_lex_state *y = m->lex_states;
		if (y[q].terminal == ARTIFACT_NONE || strcmp(g.terminals[y[q].terminal].name, "W") != 0) continue;
		bool new_start = true, new_step = true;
		for (uint32_t p = 1; p < q; p++) {
			if (y[p].terminal != y[q].terminal) continue;
			new_start &= y[p].start_most != y[q].start_most;
			new_step &= m->step_starts[p] != m->step_starts[q];
		}
		x.n_blanks++, x.n_starts += new_start, x.n_steps += new_step, x.n_leaving += y[q].without != 0;
	}
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
	return x;
}

Test(shared_starts, blanks_have_one_start_and_one_price)
{
	const struct found x = compile(
		RULES BLANKS, (const char *const[]){"a", "b", "c", "d", "[", "]", ",", " ", "   ", " ]", "  [", " ab", NULL},
		COMPILE_COSTS_ALIGNED);
	cr_expect_eq(x.n_blanks, 30);
	cr_expect_eq(x.n_starts, 1, "%u starts", x.n_starts);
	cr_expect_eq(x.n_steps, 1, "%u tables of steps", x.n_steps);
	cr_expect_eq(x.n_leaving, 3, "behind 28 blanks and more: %u states", x.n_leaving);
}

// Behind 30 blanks "]," takes two tokens, before that one.
Test(shared_starts, a_token_that_needs_its_blank_has_a_price)
{
	const struct found x = compile(
		RULES BLANKS, (const char *const[]){"a", "b", "c", "d", "[", "]", ",", " ", " ],", NULL}, COMPILE_COSTS_EXACT);
	cr_expect_eq(x.n_blanks, 30);
	cr_expect_eq(x.n_starts, 1, "%u starts", x.n_starts);
	cr_expect_gt(x.n_steps, 1);
}

// Behind 27 blanks three more lead to the dearer state, so their price is another one.
Test(shared_starts, a_token_to_the_dearer_state_has_its_price)
{
	const struct found x =
		compile(RULES BLANKS, (const char *const[]){"a", "b", "c", "d", "[", "]", ",", " ", "   ", " ],", NULL},
	            COMPILE_COSTS_EXACT);
	cr_expect_eq(x.n_starts, 1, "%u starts", x.n_starts);
	cr_expect_gt(x.n_steps, 2, "%u tables of steps", x.n_steps);
}

// Where a text has several readings, another one may allow what this one leaves out.
Test(shared_starts, several_readings_share_nothing)
{
	const char *const tokens[] = {"1", ".", " ", "   ", " 1", NULL};
	const struct found one = compile("start: (W | I | D)+\nI: /1+/\nD: \".\"\n" BLANKS, tokens, COMPILE_COSTS_EXACT),
					   several = compile("start: (W | I | F | D)+\nI: /1+/\nF: /1+\\.1+/\nD: \".\"\n" BLANKS, tokens,
	                                     COMPILE_COSTS_EXACT);
	cr_expect(one.n_readings == 1 && one.n_starts == 1 && one.n_leaving == 3, "%u starts", one.n_starts);
	cr_expect(several.n_readings > 1 && several.n_starts == 3 && !several.n_leaving, "%u readings, %u starts",
	          several.n_readings, several.n_starts);
}
