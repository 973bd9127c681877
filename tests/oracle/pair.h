// A grammar of real size with a real vocabulary, both sides built; every bit of a mask against the oracle.
//
// The vocabulary holds every byte as a token, so a continuation of tokens exists exactly when one of bytes does: the
// oracle searches for completions with the 256 bytes, and steps each token's bytes, sharing what tokens have in common.
#ifndef GCDC_TESTS_PAIR_H
#define GCDC_TESTS_PAIR_H

#include "engine.h"
#include "random.h"

struct pair {
	const char *grammar_name, *vocab_name;
	struct grammar grammar;
	struct vocab vocab, bytes;  // bytes: the tokens that are one byte
	struct oracle oracle;
	struct engine engine;
	struct diag diag;
	struct rng rng;
	uint32_t *mask, *expected, mask_words;
	uint32_t *path;  // configurations along a token
	double compile_seconds;
	bool is_ready;    // both sides stand
	bool is_refused;  // the compiler says no; diag says why
	uint64_t positions, bits, unknown, failures;
};

// Without the engine only the oracle stands. False: p->failures says so, and diag why. Release it in any case.
bool pair_open(struct pair *p, const char *grammar, const struct grammar_options *o, const char *tokenizer,
               uint64_t seed, bool with_engine);
void pair_release(struct pair *p);
// The oracle grows with every text; this starts it anew when it has grown too much (then true, configurations are
// void).
bool pair_trim(struct pair *p);
// Compares the mask of m with the oracle's at config, reached by text. p->expected is the right one afterwards.
void pair_compare(struct pair *p, gcdc_matcher *m, uint32_t config, const uint8_t *text, uint32_t len);
// p->expected after config, alone.
void pair_expect(struct pair *p, uint32_t config);
void pair_fail(struct pair *p, const uint8_t *text, uint32_t len, const char *what);
bool pair_read_file(const char *path, uint8_t **bytes, uint32_t *len);

#define PAIR_BUDGET 3000  // configurations before a 0 is called undecided

#endif
