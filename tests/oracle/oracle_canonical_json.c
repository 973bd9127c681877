// Budgets in hard canonical mode on JSON with a real tokenizer, against brute force.
//
//   oracle_canonical_json [--positions N] [--seed S] [--tokenizer FILE.json]     by default the tokenizer inside gcdc,
//   N = 6
//
// The brute force knows nothing of masks: RFC 8259 by hand (lib/json.c) and the encoder. At a position, that is behind
// some tokens of a text's encoding, it tries all tokens and all pairs of tokens: which complete the text, and are what
// the encoder makes of it? From that:
//   the fewest tokens, as far as they are 0, 1, 2, or more; with a budget of 2 the mask, bit by bit; the completion
//   offered is canonical and completes the text; runs under the least + 0, 3, 20 end complete, canonical and within it.
// Under the least + 0 to 4 no token is refused that by itself, by a search of its own, leaves enough.
// Behind bytes that end inside a character, at all such places of the texts: the tokens that the encoder goes on with
// there are in the mask, without and with a budget, and such runs end complete and within it. Tokenizers that put
// something before a text (metaspace) are not for this test. Cost: some 0.1 s for a position.
#include <stdio.h>

#include "options.h"
#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"
#include "engine.h"
#include "lib/json.h"
#include "random.h"

#define MAX_PREFIX 40u
#define MAX_RUN 120u

typedef VEC(uint32_t) id_list;
static struct {
	struct vocab v;
	struct encoder *e;
	gcdc_artifact *artifact;
	struct diag d;
	struct rng rng;
	uint64_t positions, masks, runs, failures;
	uint32_t *mask, *want;
	uint8_t *bytes;
} the;

static const uint8_t *token_text(uint32_t t, uint32_t *len)
{
	*len = the.v.offset[t + 1] - the.v.offset[t];
	return the.v.bytes + the.v.offset[t];
}

static bool json_take(struct json *j, uint32_t t)
{
	uint32_t len;
	const uint8_t *s = token_text(t, &len);
	for (uint32_t i = 0; i < len; i++)
		if (!json_step(j, s[i])) return false;
	return len && the.v.kind[t] == TOKEN_TEXT;
}

// Are the tokens what the encoder makes of their text?
static bool is_canonical(const id_list *ids)
{
	VEC(char) text = {0};
	uint32_t *got, n;
	for (uint32_t i = 0; i < ids->n; i++) {
		uint32_t len;
		const uint8_t *s = token_text(ids->at[i], &len);
		for (uint32_t k = 0; k < len; k++) vec_push(&text, (char)s[k]);
	}
	bool same = encoder_encode(the.e, (struct encoder_text){text.n ? text.at : "", text.n, true}, &got, &n, &the.d);
	same = same && n == ids->n && (!n || !memcmp(got, ids->at, n * sizeof *got));
	free(got);
	vec_release(&text);
	return same;
}

static void fail(const char *what, const id_list *ids, uint64_t a, uint64_t b)
{
	if (the.failures++ > 10) return;
	printf("%s: %lu, not %lu, behind", what, (unsigned long)a, (unsigned long)b);
	for (uint32_t i = 0; i < ids->n; i++) {
		uint32_t len;
		const uint8_t *s = token_text(ids->at[i], &len);
		printf(" \"%.*s\"", (int)len, (const char *)s);
	}
	putchar('\n');
}

// want: tokens after which at most one more completes the text. Returns the fewest tokens, 3 for more than two.
static uint32_t brute_force(const struct json *here, id_list *ids)
{
	uint32_t least = 3;
	memset(the.want, 0, (the.v.n_tokens + 31) / 32 * sizeof *the.want);
	for (uint32_t t = 0; t < the.v.n_tokens; t++) {
		struct json j = *here;
		bool starts[256], fits = false;
		if (!json_take(&j, t)) continue;
		vec_push(ids, t);
		fits = json_is_complete(&j) && is_canonical(ids);
		if (fits) least = 1;
		for (uint32_t b = 0; b < 256 && !fits; b++) {
			struct json k = j;
			starts[b] = json_step(&k, (uint8_t)b);
		}
		for (uint32_t u = 0; u < the.v.n_tokens && !fits; u++) {
			uint32_t len;
			const uint8_t *s = token_text(u, &len);
			if (!len || !starts[s[0]]) continue;
			struct json k = j;
			if (!json_take(&k, u) || !json_is_complete(&k)) continue;
			vec_push(ids, u);
			fits = is_canonical(ids);
			ids->n--;
			if (fits && least > 2) least = 2;
		}
		ids->n--;
		if (fits) the.want[t / 32] |= 1u << t % 32;
	}
	return json_is_complete(here) && is_canonical(ids) ? 0 : least;
}

static void check_completion(gcdc_matcher *m, const struct json *here, id_list *ids, uint32_t n)
{
	uint32_t tokens[2 * MAX_PREFIX], before = ids->n;
	size_t found;
	struct json j = *here;
	gcdc_status status = gcdc_matcher_close(m, tokens, 2 * MAX_PREFIX, &found);
	bool good = !status && found == n;
	for (uint32_t i = 0; i < found && good; i++) {
		good = json_take(&j, tokens[i]);
		vec_push(ids, tokens[i]);
	}
	if (!good || !json_is_complete(&j) || !is_canonical(ids)) fail("the completion", ids, found, n);
	ids->n = before;
}

// behind_bytes: ids are not what led here.
static void run(gcdc_matcher *m, const struct json *here, id_list *ids, uint32_t budget, bool behind_bytes)
{
	struct json j = *here;
	uint32_t before = ids->n, words = (the.v.n_tokens + 31) / 32, taken = 0;
	gcdc_status status = gcdc_matcher_set_budget(m, budget, true, NULL);
	while (!status && !gcdc_matcher_is_terminated(m) && taken <= budget) {
		uint32_t n = 0, token = 0;
		status = gcdc_matcher_fill(m, the.mask, words, NULL);
		for (uint32_t t = 0; t < the.v.n_tokens; t++)
			if (mask_bit(the.mask, t) && !rng_below(&the.rng, ++n)) token = t;
		if (status || !n) break;
		status = gcdc_matcher_accept(m, token);
		taken++;
		if (status || token == the.v.eos[0]) continue;
		if (!json_take(&j, token)) break;  // fails below
		vec_push(ids, token);
	}
	bool good = !status && gcdc_matcher_is_terminated(m) && taken <= budget && json_is_complete(&j) &&
	            (behind_bytes || is_canonical(ids));
	if (!good) fail(gcdc_status_text(status), ids, taken, budget);
	ids->n = before;
	if (gcdc_matcher_rollback(m, taken)) fail("rollback", ids, taken, 0);
	the.runs++;
}

// No token is refused that by itself leaves enough: masks refuse many by one search.
static void check_refused(gcdc_matcher *m, const id_list *ids, uint32_t budget)
{
	uint64_t before = gcdc_matcher_unpriced(m);
	gcdc_status status = gcdc_matcher_set_budget(m, budget, false, NULL);
	if (!status) status = gcdc_matcher_fill(m, the.mask, (the.v.n_tokens + 31) / 32, NULL);
	if (status) fail(gcdc_status_text(status), ids, budget, 0);
	if (status || gcdc_matcher_unpriced(m) != before) return;
	for (uint32_t t = 0; t < the.v.n_tokens; t++) {
		uint32_t n;
		if (mask_bit(the.mask, t) || !gcdc_matcher_is_canonical_next(m, t) || gcdc_matcher_min_after(m, t, &n))
			continue;
		if (n < budget) fail("a refused token needs few", ids, t, n);
	}
}

static void check(id_list *ids)
{
	static const uint32_t more[] = {0, 3, 20};
	struct json here;
	gcdc_matcher *m;
	uint32_t n = 0;
	json_start(&here);
	ASSERT(gcdc_matcher_new(the.artifact, NULL, &m) == GCDC_OK);
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < ids->n && !status; i++) {
		status = gcdc_matcher_accept(m, ids->at[i]);
		if (!json_take(&here, ids->at[i])) status = GCDC_REJECTED;
	}
	if (!status) status = gcdc_matcher_min_tokens(m, false, &n);
	if (status) fail(gcdc_status_text(status), ids, 0, 0);
	uint32_t least = brute_force(&here, ids);
	if (!status && (n < 3 ? n : 3) != least) fail("the fewest tokens", ids, n, least);
	if (!status && n && gcdc_matcher_set_budget(m, n - 1, false, NULL) != GCDC_ERR_BUDGET)
		fail("below the minimum", ids, n - 1, n);
	if (!status) check_completion(m, &here, ids, n);
	if (!status && least <= 2 && gcdc_matcher_set_budget(m, 2, false, NULL) == GCDC_OK) {
		if (gcdc_matcher_fill(m, the.mask, (the.v.n_tokens + 31) / 32, NULL)) fail("no mask", ids, 0, 0);
		for (uint32_t t = 0; t < the.v.n_tokens; t++)
			if (t != the.v.eos[0] && mask_bit(the.mask, t) != mask_bit(the.want, t))
				fail("a bit of the mask", ids, t, mask_bit(the.want, t));
		the.masks++;
	}
	for (uint32_t i = 0; i < 5 && !status; i++) check_refused(m, ids, n + i);
	for (uint32_t i = 0; i < 3 && !status; i++) run(m, &here, ids, n + 1 + more[i], false);
	gcdc_matcher_free(m);
	the.positions++;
}

// Behind the first `cut` bytes, which end inside a character, after a step of the bytes from `second` on. t: the
// encoder's next token, or NONE.
static void check_inside(const char *text, uint32_t second, uint32_t cut, uint32_t t)
{
	struct json here;
	gcdc_matcher *m;
	id_list ids = {0};
	uint32_t n = 0, words = (the.v.n_tokens + 31) / 32;
	json_start(&here);
	for (uint32_t i = 0; i < cut; i++) ASSERT(json_step(&here, (uint8_t)text[i]));
	ASSERT(gcdc_matcher_new(the.artifact, NULL, &m) == GCDC_OK);
	gcdc_status status = gcdc_matcher_accept_bytes(m, text, second);
	if (!status) status = gcdc_matcher_accept_bytes(m, text + second, cut - second);
	if (!status) status = gcdc_matcher_fill(m, the.mask, words, NULL);
	if (!status && t != ARTIFACT_NONE && !mask_bit(the.mask, t))
		fail("inside a character, the encoder's token", &ids, t, cut);
	if (!status) status = gcdc_matcher_min_tokens(m, false, &n);
	if (!status) status = gcdc_matcher_set_budget(m, n + 40, true, NULL);
	if (!status) status = gcdc_matcher_fill(m, the.mask, words, NULL);
	if (!status && t != ARTIFACT_NONE && !mask_bit(the.mask, t))
		fail("inside a character, the encoder's token under a budget", &ids, t, cut);
	if (status) fail(gcdc_status_text(status), &ids, cut, second);
	for (uint32_t i = 0; i < 3 && !status; i++) run(m, &here, &ids, n + 1 + 4 * i, true);
	gcdc_matcher_free(m);
	vec_release(&ids);
	the.positions++;
}

static void check_insides(const char *text)
{
	uint32_t *got, n;
	ASSERT(encoder_encode(the.e, (struct encoder_text){text, strlen(text), true}, &got, &n, &the.d));
	for (uint32_t cut = 1; text[cut]; cut++) {
		uint32_t at = 0, i = 0, len = 0;
		if (((uint8_t)text[cut] & 0xC0) != 0x80) continue;
		for (; i < n && at < cut; i++, at += len) token_text(got[i], &len);
		for (uint32_t second = cut - 2; second <= cut; second++)
			check_inside(text, second, cut, at == cut && i < n ? got[i] : ARTIFACT_NONE);
	}
	free(got);
}

static bool open_all(const char *tokenizer)
{
	struct canonical tables;
	struct canon_section sections[CANON_SECTIONS];
	struct artifact_canon info;
	struct grammar g;
	struct compiled c;
	uint8_t *bytes;
	size_t len;
	gcdc_refusal why = {0};
	bool ok = tokenizer ? vocab_load(tokenizer, NULL, &the.d, &the.v) : vocab_load_default(NULL, &the.d, &the.v);
	if (ok) ok = (the.e = tokenizer ? encoder_load(tokenizer, &the.d) : encoder_load_default(&the.d)) != NULL;
	if (!ok || !canonical_build(the.e, &the.v, &the.d, &tables, NULL) ||
	    !grammar_load("grammars/json/json.lark", NULL, &the.d, &g))
		return false;
	canonical_sections(&tables, sections);
	info = tables.info, info.mode = CANON_HARD, sections[0].bytes = &info;
	struct compile_options options = {.canonical = sections, .costs = COMPILE_COSTS_EXACT};
	ok = compile_image(&g, &the.v, &options, &the.d, &c) &&
	     artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &the.d, &bytes, &len);
	if (ok && gcdc_artifact_open_memory(bytes, len, NULL, &the.artifact, &why)) printf("%s\n", why.what), ok = false;
	compile_release(&c);
	canonical_release(&tables);
	grammar_release(&g);
	if (ok) the.bytes = bytes;  // the artifact reads them
	return ok;
}

int main(int argc, char **argv)
{
	static const char *const texts[] = {"{\"name\": \"Jane\", \"tags\": [\"a\", \"b c\"], \"n\": 12}",
	                                    "[[[[1, 2]], {\"k\":{\"x\":null}}]]",
	                                    "[{\"id\": 1, \"tags\": [\"a\"]}, true]",
	                                    "\"some words, and \\u00e9\"",
	                                    "{\"a\": [1.5e3, 2, {\"b\": [true, \"caf\xc3\xa9\"]}]}",
	                                    "{\n  \"x\": {\n    \"y\": []\n  }\n}",
	                                    "-12.5"};
	uint64_t positions = 6, seed = 7;
	const char *tokenizer = NULL;
	if (!ORACLE_OPTIONS(argc, argv, {"--positions", .number = &positions}, {"--seed", .number = &seed},
	                    {"--tokenizer", .text = &tokenizer}))
		return 2;
	the.rng = (struct rng){seed};
	if (!open_all(tokenizer)) return diag_print(&the.d, stdout), 1;
	the.mask = mem_calloc((the.v.n_tokens + 31) / 32, 4), the.want = mem_calloc((the.v.n_tokens + 31) / 32, 4);
	static const char *const wide[] = {"[\"\xc3\xa9\xe1\x9a\xa0\"]", "[\"\xe6\xbc\xa2\xf0\x9f\x98\x80\"]"};
	for (uint32_t i = 0; i < 2; i++) check_insides(wide[i]);
	positions += the.positions;
	while (the.positions < positions && the.failures < 5) {
		const char *text = texts[rng_below(&the.rng, sizeof texts / sizeof *texts)];
		uint32_t *got, n;
		ASSERT(encoder_encode(the.e, (struct encoder_text){text, strlen(text), true}, &got, &n, &the.d));
		id_list ids = {0};
		for (uint32_t i = 0, size = rng_below(&the.rng, n < MAX_PREFIX ? n + 1 : MAX_PREFIX); i < size; i++)
			vec_push(&ids, got[i]);
		free(got);
		check(&ids);
		vec_release(&ids);
	}
	printf("seed %lu: %lu positions, %lu masks, %lu runs, %lu failures\n", (unsigned long)seed,
	       (unsigned long)the.positions, (unsigned long)the.masks, (unsigned long)the.runs,
	       (unsigned long)the.failures);
	gcdc_artifact_close(the.artifact);
	encoder_free(the.e);
	vocab_release(&the.v);
	diag_release(&the.d);
	free(the.mask), free(the.want), free(the.bytes);
	return the.failures != 0;
}
