// Every bit of a mask of real size against the oracle: one walk over the tokens in order of bytes.
//
// In:  a configuration of the oracle and a matcher, both after the same text. Out: differences, counted and told.
// What tokens have in common is stepped once; most of what they reach was reached before (configurations are interned,
// verdicts kept). Cost: 0.1 to 1 s a position for whole languages.
#include "../pair.h"

#include <stdio.h>
#include <time.h>

#define BUDGET_FOR_1 300000  // where the engine says there is a completion
#define MAX_CONFIGS 400000   // then the oracle starts anew
#define MAX_SETS 60000

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
	vocab_build(&(struct vocab_tokens){n, at, len, NULL, 0, NULL}, bytes);
	return true;
}

bool pair_open(struct pair *p, const char *grammar, const struct grammar_options *o, const char *tokenizer,
               uint64_t seed, bool with_engine)
{
	*p = (struct pair){.grammar_name = grammar, .vocab_name = tokenizer, .rng = {seed}};
	bool ok = grammar_load(grammar, o, &p->diag, &p->grammar) && vocab_load(tokenizer, NULL, &p->diag, &p->vocab);
	if (ok && !byte_vocab(&p->vocab, &p->bytes)) {
		diag_error(&p->diag, (struct loc){0}, "%s: some byte is no token", tokenizer);
		ok = false;
	}
	ok = ok && oracle_init(&p->oracle, &p->grammar, &p->bytes, &p->diag);
	if (ok && with_engine) {
		struct timespec from, to;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		enum engine_result result = engine_compile(&p->grammar, &p->vocab, &p->diag, &p->engine);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		p->compile_seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
		p->is_refused = result == ENGINE_REFUSED;
		ok = result == ENGINE_OK;
	}
	if (!ok) {
		p->failures++;
		return false;
	}
	p->is_ready = true;
	p->mask_words = (p->vocab.n_tokens + 31) / 32;
	p->mask = mem_calloc(p->mask_words, sizeof *p->mask);
	p->expected = mem_calloc(p->mask_words, sizeof *p->expected);
	p->path = mem_calloc(p->vocab.max_token_len + 1, sizeof *p->path);
	return true;
}

void pair_release(struct pair *p)
{
	free(p->mask);
	free(p->expected);
	free(p->path);
	engine_release(&p->engine);
	if (p->oracle.grammar) oracle_release(&p->oracle);
	vocab_release(&p->bytes);
	vocab_release(&p->vocab);
	grammar_release(&p->grammar);
	diag_release(&p->diag);
}

bool pair_trim(struct pair *p)
{
	if (p->oracle.configs.n < MAX_CONFIGS && p->oracle.parses.earley.sets.n < MAX_SETS) return false;
	enum parses_are are = p->oracle.parses.are;  // as found before: without conflicts no automaton is built again
	oracle_release(&p->oracle);
	bool ok = oracle_init_as(&p->oracle, &p->grammar, &p->bytes, are, &p->diag);
	ASSERT(ok);
	return true;
}

static void print_end(const uint8_t *text, uint32_t len)
{
	uint32_t from = len > 70 ? len - 70 : 0;
	printf("%s\"", from ? "..." : "");
	for (uint32_t i = from; i < len; i++)
		if (text[i] >= 32 && text[i] < 127)
			putchar(text[i]);
		else
			printf("\\x%02X", text[i]);
	printf("\" (%u bytes)\n", len);
}

void pair_fail(struct pair *p, const uint8_t *text, uint32_t len, const char *what)
{
	if (++p->failures > 10) return;
	printf("%s, %s: %s after ", p->grammar_name, p->vocab_name, what);
	print_end(text, len);
	fflush(stdout);
}

void pair_expect(struct pair *p, uint32_t config)
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
			p->path[i + 1] =
				p->path[i] == CONFIG_DEAD ? CONFIG_DEAD : oracle_step(&p->oracle, p->path[i], bytes + i, 1);
		enum verdict verdict =
			oracle_viable(&p->oracle, p->path[len], mask_bit(p->mask, t) ? BUDGET_FOR_1 : PAIR_BUDGET);
		if (verdict == VERDICT_VIABLE) p->expected[t / 32] |= 1u << (t % 32);
		p->unknown += verdict == VERDICT_UNKNOWN;
		n_known = len;
		before = t;
	}
	if (oracle_complete(&p->oracle, config))
		for (uint32_t i = 0; i < v->n_eos; i++) p->expected[v->eos[i] / 32] |= 1u << (v->eos[i] % 32);
}

void pair_compare(struct pair *p, gcdc_matcher *m, uint32_t config, const uint8_t *text, uint32_t len)
{
	gcdc_status status = gcdc_matcher_fill(m, p->mask, p->mask_words, NULL);
	p->positions++;
	p->bits += p->mask_words * 32;
	if (status) {
		pair_fail(p, text, len, gcdc_status_text(status));
		return;
	}
	pair_expect(p, config);
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
	pair_fail(p, text, len, what);
}

bool pair_read_file(const char *path, uint8_t **bytes, uint32_t *len)
{
	FILE *f = fopen(path, "rb");
	*bytes = NULL, *len = 0;
	if (!f) return false;
	VEC(uint8_t) all = {0};
	for (int c; (c = getc(f)) != EOF;) vec_push(&all, (uint8_t)c);
	fclose(f);
	*bytes = all.at, *len = all.n;
	return true;
}
