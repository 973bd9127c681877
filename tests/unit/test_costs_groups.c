// Groups of tokens for masks under a budget (lib/tables/costs_groups.c), in a grammar where a terminal is shifted in
// some contexts and ignored in others. A token is in the mask when it is in the plain one and what its text needs fits.
#include <criterion/criterion.h>

#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"
#include "gcdc/runtime.h"

static const char grammar[] = "start: (stmt NL)+\n"
							  "stmt: NAME \"=\" expr\n"
							  "expr: NAME | \"[\" [expr (\",\" expr)*] \"]\" | \"{\" (stmt NL)+ \"}\"\n"
							  "NAME: /[a-z]+/\nNL: /\\n+/\n"
							  "%ignore NL inside \"[\" \"]\" outside \"{\" \"}\"\n%ignore /[ \\t]+/\n";

static const char *const longer[] = {"\n]", ",\n", "\n}", "]\n", "\n\n", "[\n", "{a", "a\n", "\na", "=[", "}]", "]]"};
enum { BYTES = 256, LONGER = sizeof longer / sizeof *longer, TOKENS = BYTES + LONGER + 1, WORDS = (TOKENS + 31) / 32 };

static bool has(const uint32_t *mask, uint32_t token) { return mask[token / 32] >> token % 32 & 1; }

static void compile_with_budgets(uint8_t **bytes, size_t *len)
{
	static uint8_t byte[BYTES];
	const uint8_t *text[TOKENS];
	uint32_t n[TOKENS] = {0};
	uint8_t kind[TOKENS];
	memset(kind, TOKEN_TEXT, sizeof kind);
	for (uint32_t b = 0; b < BYTES; b++) byte[b] = (uint8_t)b, text[b] = &byte[b], n[b] = 1;
	for (uint32_t i = 0; i < LONGER; i++)
		text[BYTES + i] = (const uint8_t *)longer[i], n[BYTES + i] = (uint32_t)strlen(longer[i]);
	const uint32_t eos = TOKENS - 1;
	text[eos] = byte, kind[eos] = TOKEN_CONTROL;
	struct vocab v;
	struct grammar g;
	struct diag d = {0};
	struct compiled c;
	vocab_build(&(struct vocab_tokens){TOKENS, text, n, kind, 1, &eos}, &v);
	cr_assert(grammar_parse("g.lark", grammar, strlen(grammar), NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(compile_image(&g, &v, &(struct compile_options){.costs = COMPILE_COSTS_EXACT}, &d, &c), "%s",
	          diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, bytes, len));
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
}

// The mask with so many tokens left, against prices. Returns how many tokens of the plain mask it lacks.
static uint32_t check_mask(gcdc_matcher *m, const uint32_t *plain, uint32_t left, const char *text)
{
	uint32_t mask[WORDS], lacks = 0;
	cr_assert_eq(gcdc_matcher_set_budget(m, left, false, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(m, mask, WORDS, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_set_budget(m, GCDC_NONE, false, NULL), GCDC_OK);
	for (uint32_t t = 0; t < TOKENS - 1; t++) {
		uint32_t needs = 0;
		if (has(plain, t)) cr_assert_eq(gcdc_matcher_min_after(m, t, &needs), GCDC_OK);
		cr_expect_eq(has(mask, t), has(plain, t) && needs < left, "token %u behind %s, %u left", t, text, left);
		lacks += has(plain, t) && !has(mask, t);
	}
	return lacks;
}

Test(costs_groups, masks_under_budgets_have_what_prices_allow)
{
	static const char *const texts[] = {"",      "a=[",         "a=[\n",  "a=[b,\n",   "a=[{b=c\n", "a=[{b=[\nc",
	                                    "a={b=", "a=[{b=[c]\n", "a=[\n[", "a=b\nc=[d", "a=[b\n"};
	uint8_t *bytes;
	size_t len;
	gcdc_artifact *a;
	gcdc_matcher *m;
	uint32_t plain[WORDS], least, lacks = 0;
	compile_with_budgets(&bytes, &len);
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		gcdc_matcher_reset(m);
		cr_assert_eq(gcdc_matcher_accept_bytes(m, texts[i], strlen(texts[i])), GCDC_OK, "%s", texts[i]);
		cr_assert_eq(gcdc_matcher_fill(m, plain, WORDS, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_min_tokens(m, false, &least), GCDC_OK);
		for (uint32_t more = 0; more < 5; more++) lacks += check_mask(m, plain, least + more, texts[i]);
	}
	cr_expect_gt(lacks, 100, "no budget was near: %u", lacks);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	free(bytes);
}
