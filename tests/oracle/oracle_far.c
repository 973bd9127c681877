// Are there texts that need more bytes than the bound of far budgets says (lib/runtime/canonical/far.c)?
//
// In:  random grammars, the built-in tokenizer for hard masks; the same grammars with single ASCII bytes as tokens.
// Out: 0, or the positions where the price in bytes behind a token, or behind it, perhaps a blank, and a character, is
// more than the bound says, or is none at all. The tables of the bound are the compiler's own; a price with single
// bytes as tokens is what oracle_budget holds against a search. Texts are walked at random, by bytes.
//
//   oracle_far [--seed N] [--grammars N]
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"
#include "classes.h"
#include "engine.h"
#include "options.h"
#include "random.h"

enum { WALKS = 4, STEPS = 24, TOKENS = 60, ASCII = 128 };

static struct {
	struct rng rng;
	struct diag d;
	struct vocab v, bytes;  // of hard masks; single bytes
	struct canonical tables;
	struct canon_section sections[CANON_SECTIONS];
	struct artifact_canon info;
	uint64_t grammar, n_grammars, n_bounds, n_positions, n_prices, n_near, n_wrong;
	const char *text;  // of the grammar
	gcdc_matcher *hard, *plain;
} the;

static gcdc_artifact *open_grammar(const struct grammar *g, const struct vocab *v, bool is_hard, uint8_t **bytes)
{
	struct compiled c;
	size_t len;
	gcdc_artifact *a = NULL;
	const struct compile_options options = {.costs = COMPILE_COSTS_ALIGNED, .canonical = is_hard ? the.sections : NULL};
	*bytes = NULL;
	if (!compile_image(g, v, &options, &the.d, &c)) return NULL;
	if (!is_hard || c.image.n_far) {
		ASSERT(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &the.d, bytes, &len));
		ASSERT(!gcdc_artifact_open_memory(*bytes, len, NULL, &a, NULL));
	}
	compile_release(&c);
	return a;
}

static void wrong(const uint8_t *s, uint32_t n, uint32_t price, uint32_t bound)
{
	printf("FAILED: seed grammar %" PRIu64 ": behind \"%.*s\" %u bytes are needed, the bound says %u\n%s", the.grammar,
	       (int)n, (const char *)s, price, bound, the.text);
	the.n_wrong++;
}

// Behind the text that stands and these bytes.
static void compare(const uint8_t *s, uint32_t n, uint32_t bound)
{
	gcdc_matcher *m;
	uint32_t price = GCDC_NONE;
	ASSERT(!gcdc_matcher_clone(the.plain, &m));
	if (!gcdc_matcher_accept_bytes(m, s, n)) {
		const gcdc_status status = gcdc_matcher_min_tokens(m, false, &price);
		the.n_prices++, the.n_near += price + 2 >= bound;
		if (status || price > bound) wrong(s, n, price, bound);
	}
	gcdc_matcher_free(m);
}

static void compare_token(uint32_t token)
{
	uint8_t s[300];
	const uint32_t at = the.v.offset[token], n = the.v.offset[token + 1] - at;
	if (!n || n > 256) return;
	for (uint32_t i = 0; i < n; i++)
		if (the.v.bytes[at + i] >= ASCII) return;
	const uint32_t bound = bound_of_far_bytes(the.hard, token);
	if (bound == GCDC_NONE) return;
	memcpy(s, the.v.bytes + at, n);
	compare(s, n, bound);
	for (uint32_t i = 0; i < 3; i++) {
		s[n] = ' ', s[n + i % 2] = (uint8_t)rng_below(&the.rng, ASCII);
		compare(s, n + 1 + i % 2, bound);
	}
}

// One byte more, which leaves the text viable. False: there is none.
static bool walk_on(void)
{
	uint32_t mask[8], n = 0, token = 0;
	if (gcdc_matcher_fill(the.plain, mask, (the.bytes.n_tokens + 31) / 32, NULL)) return false;
	for (uint32_t t = 1; t < the.bytes.n_tokens; t++)
		if (mask[t / 32] >> t % 32 & 1 && the.bytes.offset[t] < the.bytes.offset[t + 1] && !rng_below(&the.rng, ++n))
			token = t;
	if (!token) return false;
	const uint8_t *byte = the.bytes.bytes + the.bytes.offset[token];
	return !gcdc_matcher_accept_bytes(the.plain, byte, 1) && !gcdc_matcher_accept_bytes(the.hard, byte, 1);
}

static void judge(uint64_t seed)
{
	struct lark lark = {.kind = KIND_ANY};
	struct arena arena = {0};
	struct grammar g;
	uint8_t *bytes[2] = {0};
	the.rng.x = seed, the.grammar = seed;
	random_grammar(&the.rng, &lark);
	the.text = lark_text(&lark, &arena);
	if (!grammar_parse("far.lark", the.text, strlen(the.text), NULL, &the.d, &g)) {
		diag_release(&the.d), arena_release(&arena), lark_release(&lark);
		return;
	}
	gcdc_artifact *hard = open_grammar(&g, &the.v, true, &bytes[0]);
	gcdc_artifact *plain = hard ? open_grammar(&g, &the.bytes, false, &bytes[1]) : NULL;
	the.n_grammars++, the.n_bounds += plain != NULL;
	for (uint32_t i = 0; i < WALKS && plain && !the.n_wrong; i++) {
		ASSERT(!gcdc_matcher_new(hard, NULL, &the.hard) && !gcdc_matcher_new(plain, NULL, &the.plain));
		for (uint32_t k = 0; k < STEPS && !the.n_wrong; k++) {
			the.n_positions++;
			for (uint32_t t = 0; t < TOKENS && !the.n_wrong; t++) compare_token(rng_below(&the.rng, the.v.n_tokens));
			for (uint32_t t = 0; t < ASCII && !the.n_wrong; t++) compare_token(t);
			if (!walk_on()) break;
		}
		gcdc_matcher_free(the.hard), gcdc_matcher_free(the.plain);
	}
	gcdc_artifact_close(plain), gcdc_artifact_close(hard);
	free(bytes[0]), free(bytes[1]);
	grammar_release(&g), arena_release(&arena), lark_release(&lark), diag_release(&the.d);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, n = 60;
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &n})) return 2;
	struct encoder *e = NULL;
	struct words words = {0};
	ASSERT(vocab_load_default(NULL, &the.d, &the.v) && (e = encoder_load_default(&the.d)));
	ASSERT(canonical_build(e, &the.v, &the.d, &the.tables, NULL));
	canonical_sections(&the.tables, the.sections);
	the.info = the.tables.info, the.info.mode = CANON_HARD, the.sections[0].bytes = &the.info;
	for (uint32_t b = 0; b < ASCII; b++) vec_push(&words.at, ((struct word){.bytes = {(uint8_t)b}, .len = 1}));
	words_vocab(&words, &the.bytes);
	for (uint64_t i = 0; i < n && !the.n_wrong; i++) judge(seed * 1000003 + i);
	printf("seed %" PRIu64 ": %" PRIu64 " grammars, %" PRIu64 " with a bound, %" PRIu64 " positions, %" PRIu64
	       " prices, %" PRIu64 " of them within 2 of the bound; %" PRIu64 " failed\n",
	       seed, the.n_grammars, the.n_bounds, the.n_positions, the.n_prices, the.n_near, the.n_wrong);
	vec_release(&words.at);
	vocab_release(&the.bytes), canonical_release(&the.tables), encoder_free(e), vocab_release(&the.v);
	return the.n_wrong != 0 || (n && !the.n_bounds);
}
