// One expectation of a trap, judged by the oracle and by the engine.
#include <criterion/criterion.h>

#include "../engine.h"
#include "../oracle.h"
#include "../trap.h"

// Token 0 is EOS, the others are the list.
static void build_vocab(const char *const *tokens, struct vocab *v)
{
	const uint8_t *bytes[64] = {(const uint8_t *)""};
	uint32_t len[64] = {0}, n = 1, eos = 0;
	uint8_t kind[64] = {TOKEN_CONTROL};
	for (; tokens[n - 1]; n++) {
		bytes[n] = (const uint8_t *)tokens[n - 1], len[n] = (uint32_t)strlen(tokens[n - 1]);
		kind[n] = TOKEN_TEXT;
	}
	*v = (struct vocab){0};
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 1, &eos}, v);
}

static bool is_in(const char *const *list, const char *what)
{
	for (; *list; list++)
		if (strcmp(*list, what) == 0) return true;
	return false;
}

void expect_at(int line, const char *grammar, const char *const *tokens, const char *prefix, const char *const *allowed)
{
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	struct oracle o;
	struct engine e;
	gcdc_matcher *m;
	cr_assert(grammar_parse("trap.lark", grammar, strlen(grammar), NULL, &d, &g), "line %d: %s", line, diag_text(&d));
	build_vocab(tokens, &v);
	cr_assert(oracle_init(&o, &g, &v, &d), "line %d: %s", line, diag_text(&d));
	for (uint32_t i = 0; allowed[i]; i++)
		cr_assert(is_in(tokens, allowed[i]) || !strcmp(allowed[i], EOS), "line %d: '%s' is no token", line, allowed[i]);

	uint32_t config = oracle_step(&o, oracle_start(&o), (const uint8_t *)prefix, strlen(prefix));
	for (uint32_t t = 0; t < v.n_tokens; t++) {
		const char *name = t ? tokens[t - 1] : EOS;
		bool wanted = is_in(allowed, name), says;
		if (config == CONFIG_DEAD)
			says = false;
		else if (!t)
			says = oracle_complete(&o, config);
		else {
			uint32_t to = oracle_step(&o, config, v.bytes + v.offset[t], v.offset[t + 1] - v.offset[t]);
			says = oracle_viable(&o, to, 20000) == VERDICT_VIABLE;
		}
		cr_expect(says == wanted, "line %d: the oracle says %d to '%s' after '%s'", line, says, name, prefix);
	}

	enum engine_result result = engine_compile(&g, &v, &d, &e);
	cr_assert(result == ENGINE_OK, "line %d: %s", line, diag_text(&d));
	cr_assert(gcdc_matcher_new(e.artifact, NULL, &m) == GCDC_OK);
	gcdc_status status = gcdc_matcher_accept_bytes(m, prefix, strlen(prefix));
	cr_assert(status == GCDC_OK, "line %d: the prefix '%s': %s", line, prefix, gcdc_status_text(status));
	uint32_t mask[2];
	status = gcdc_matcher_fill(m, mask, 2, NULL);
	cr_assert(status == GCDC_OK, "line %d: %s", line, gcdc_status_text(status));
	for (uint32_t t = 0; t < v.n_tokens; t++) {
		const char *name = t ? tokens[t - 1] : EOS;
		cr_expect(mask_bit(mask, t) == is_in(allowed, name), "line %d: the engine says %d to '%s' after '%s'", line,
		          mask_bit(mask, t), name, prefix);
	}
	gcdc_matcher_free(m);
	engine_release(&e);
	oracle_release(&o);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
}

void expect_empty_at(int line, const char *grammar, const char *const *tokens)
{
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	struct oracle o;
	struct engine e;
	cr_assert(grammar_parse("trap.lark", grammar, strlen(grammar), NULL, &d, &g), "line %d: %s", line, diag_text(&d));
	build_vocab(tokens, &v);
	cr_assert(oracle_init(&o, &g, &v, &d));
	cr_expect(oracle_viable(&o, oracle_start(&o), 20000) != VERDICT_VIABLE, "line %d: the oracle knows a text", line);
	cr_expect(engine_compile(&g, &v, &d, &e) == ENGINE_REFUSED, "line %d: compiled", line);
	cr_expect(strstr(diag_text(&d), "no text is in this language"), "line %d: %s", line, diag_text(&d));
	engine_release(&e);
	oracle_release(&o);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
}

void expect_conflicts_at(int line, const char *grammar, bool stay)
{
	struct diag d = {0};
	struct grammar g;
	struct parses p;
	cr_assert(grammar_parse("trap.lark", grammar, strlen(grammar), NULL, &d, &g), "line %d: %s", line, diag_text(&d));
	cr_assert(parses_init(&p, &g, PARSES_STACKS, &d), "line %d: %s", line, diag_text(&d));
	cr_assert((p.lr.n_choice != 0) == stay, "line %d: conflicts stay: %d", line, !stay);
	parses_release(&p);
	grammar_release(&g);
	diag_release(&d);
}
