// What masks cost along random texts of many artifacts: at first, and later.
//
//   fills VOCAB.gcdv [--seed S] [--texts N] [--max-tokens N] [--replays N] ARTIFACT...
//
// A text is a walk along an artifact's own masks: at each step a token of the mask, mostly the first of six drawn by
// number, since short ones come first in most vocabularies. Out, in microseconds by the clock, over all positions of
// all artifacts: the least of N replays (5); and first visits, each text in a fresh matcher, the first one of a fresh
// artifact. The clock's own time is in it. Cost: N + 2 fills a position.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/base/mem.h"
#include "../../lib/include/gcdc/runtime.h"
#include "clock.h"
#include "random.h"

#define DRAWS 6u

struct position {
	double first, least;
};

static struct {
	uint32_t seed, texts, max_tokens, replays;
	const char *vocab;
	uint64_t random;
	uint32_t *mask;
	size_t words;
	VEC(uint32_t) tokens;
	VEC(struct position) positions;
} the = {.seed = 1, .texts = 3, .max_tokens = 300, .replays = 5};

static uint32_t below(uint32_t n) { return random_below(&the.random, n); }

static gcdc_artifact *open_artifact(const char *path)
{
	gcdc_open_options o = {.vocab_path = the.vocab};
	gcdc_artifact *a = NULL;
	gcdc_refusal why;
	if (gcdc_artifact_open(path, &o, &a, &why)) fprintf(stderr, "%s: %s\n", path, why.what), exit(1);
	return a;
}

static gcdc_matcher *new_matcher(gcdc_artifact *a)
{
	gcdc_matcher *m = NULL;
	if (gcdc_matcher_new(a, NULL, &m)) fprintf(stderr, "no matcher\n"), exit(1);
	return m;
}

// The token of the mask that has `skip` others before it.
static uint32_t token_at(uint32_t skip)
{
	size_t w = 0;
	for (; skip >= (uint32_t)__builtin_popcount(the.mask[w]); w++) skip -= (uint32_t)__builtin_popcount(the.mask[w]);
	uint32_t word = the.mask[w];
	for (; skip; skip--) word &= word - 1;
	return (uint32_t)w * 32 + (uint32_t)__builtin_ctz(word);
}

static void write_text(gcdc_artifact *a)
{
	gcdc_matcher *m = new_matcher(a);
	vec_clear(&the.tokens);
	while (the.tokens.n < the.max_tokens && !gcdc_matcher_fill(m, the.mask, the.words, NULL)) {
		uint32_t n = 0;
		for (size_t w = 0; w < the.words; w++) n += (uint32_t)__builtin_popcount(the.mask[w]);
		if (!n) break;
		uint32_t token = UINT32_MAX;
		for (uint32_t draws = below(3) ? DRAWS : 1; draws; draws--) {
			const uint32_t drawn = token_at(below(n));
			if (drawn < token) token = drawn;
		}
		vec_push(&the.tokens, token);
		if (gcdc_matcher_accept(m, token)) break;
	}
	gcdc_matcher_free(m);
}

// Reading 0 is the first visit.
static void read_text(gcdc_artifact *a, uint32_t r, struct position *at)
{
	gcdc_matcher *m = new_matcher(a);
	for (uint32_t i = 0; i < the.tokens.n; i++) {
		const double begin = now();
		const gcdc_status s = gcdc_matcher_fill(m, the.mask, the.words, NULL);
		const double us = 1e3 * (now() - begin);
		if (!r)
			at[i] = (struct position){us, us};
		else if (r == 1 || us < at[i].least)
			at[i].least = us;
		if (s || gcdc_matcher_accept(m, the.tokens.at[i])) break;
	}
	gcdc_matcher_free(m);
}

static void measure(const char *path)
{
	gcdc_artifact *a = open_artifact(path);
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	the.words = (info.n_tokens + 31) / 32;
	free(the.mask);
	the.mask = mem_calloc(the.words, sizeof *the.mask);
	for (uint32_t text = 0; text < the.texts; text++) {
		write_text(a);
		if (!text) gcdc_artifact_close(a), a = open_artifact(path);
		const uint32_t from = the.positions.n;
		for (uint32_t i = 0; i < the.tokens.n; i++) vec_push(&the.positions, (struct position){0});
		for (uint32_t r = 0; r <= the.replays; r++) read_text(a, r, the.positions.at + from);
	}
	gcdc_artifact_close(a);
}

static int by_first(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

static int by_least(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	return (x->least > y->least) - (x->least < y->least);
}

static const struct position *place(double share)
{
	const uint32_t n = the.positions.n, i = (uint32_t)(share * n);
	return &the.positions.at[i < n ? i : n - 1];
}

int main(int argc, char **argv)
{
	const char *const usage = "fills VOCAB.gcdv [--seed S] [--texts N] [--max-tokens N] [--replays N] ARTIFACT...";
	uint32_t n_artifacts = 0;
	if (argc < 3) return fprintf(stderr, "usage: %s\n", usage), 2;
	the.vocab = argv[1];
	for (int i = 2; i < argc; i++) {
		uint32_t *number = !strcmp(argv[i], "--seed")         ? &the.seed
		                   : !strcmp(argv[i], "--texts")      ? &the.texts
		                   : !strcmp(argv[i], "--max-tokens") ? &the.max_tokens
		                   : !strcmp(argv[i], "--replays")    ? &the.replays
		                                                      : NULL;
		if (number && ++i < argc)
			*number = (uint32_t)strtoul(argv[i], NULL, 10);
		else if (number || !strncmp(argv[i], "--", 2))
			return fprintf(stderr, "usage: %s\n", usage), 2;
		else {
			the.random = the.seed + n_artifacts++;
			measure(argv[i]);
		}
	}
	if (!the.positions.n) return fprintf(stderr, "no positions\n"), 1;
	printf("%u artifacts, %u positions, seed %u\n", n_artifacts, the.positions.n, the.seed);
	qsort(the.positions.at, the.positions.n, sizeof *the.positions.at, by_least);
	printf("least of %u replays, us: p50 %.2f, p99 %.2f, p99.9 %.2f, most %.2f\n", the.replays, place(.5)->least,
	       place(.99)->least, place(.999)->least, place(1)->least);
	qsort(the.positions.at, the.positions.n, sizeof *the.positions.at, by_first);
	printf("first visits, us: p50 %.2f, p99 %.2f, p99.9 %.2f, most %.2f\n", place(.5)->first, place(.99)->first,
	       place(.999)->first, place(1)->first);
	vec_release(&the.tokens);
	vec_release(&the.positions);
	free(the.mask);
	return 0;
}
