// How much dearer a token can make a text (lib/tables/costs_most.c): no bound where longest paths still grow after
// MAX_ROUNDS.
#include <criterion/criterion.h>
#include <stdio.h>

#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

// Is there a bound in each lexer state? A lexeme goes up so many levels, one reduction after the other.
static bool is_bounded(uint32_t levels)
{
	static char text[40000];
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	uint8_t byte[256];
	const uint8_t *bytes[256];
	uint32_t len[256], n = (uint32_t)sprintf(text, "start: l0\n");
	for (uint32_t b = 0; b < 256; b++) byte[b] = (uint8_t)b, bytes[b] = &byte[b], len[b] = 1;
	for (uint32_t i = levels; i-- > 0;)
		n +=
			(uint32_t)sprintf(text + n, "l%u: l%u \"%c%c\" | l%u\n", i, i + 1, letters[i % 26], letters[i / 26], i + 1);
	n += (uint32_t)sprintf(text + n, "l%u: \"1\"\n", levels);
	struct vocab v;
	struct grammar g;
	struct diag d = {0};
	struct compiled c;
	bool all = true;
	vocab_build(&(struct vocab_tokens){256, bytes, len, NULL, 0, NULL}, &v);
	cr_assert(grammar_parse("g.lark", text, n, NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(compile_image(&g, &v, &(struct compile_options){.costs = COMPILE_COSTS_ALIGNED}, &d, &c), "%s",
	          diag_text(&d));
	for (uint32_t q = 1; q < c.image.info.n_lex_states; q++) all &= c.image.cost_most[q] != ARTIFACT_NONE;
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
	return all;
}

Test(costs_most, what_grows_for_too_long_has_no_bound)
{
	cr_expect(is_bounded(20));
	cr_expect(!is_bounded(210));
}
