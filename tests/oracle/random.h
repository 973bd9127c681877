// Random Lark grammars and vocabularies that are small and nasty, in a form that can be made smaller.
#ifndef GCDC_TESTS_RANDOM_H
#define GCDC_TESTS_RANDOM_H

#include "oracle.h"

struct rng { uint64_t x; };
uint64_t rng_next(struct rng *r);
static inline uint32_t rng_below(struct rng *r, uint32_t n) { return (uint32_t)(rng_next(r) % n); }
static inline bool rng_percent(struct rng *r, uint32_t p) { return rng_below(r, 100) < p; }

// One definition of a Lark file: "head: alternative | alternative", or "%ignore NAME" (no alternatives).
struct lark_line {
	const char *head;
	struct lark_alternative {
		const char *symbols[8];
		uint32_t n_symbols;
		bool is_dropped;
	} alternatives[6];
	uint32_t n_alternatives;
	bool is_dropped;
};

struct lark {
	struct arena arena;
	VEC(struct lark_line) lines;
	const char *alphabet;  // the bytes that its terminals are about
};

void random_grammar(struct rng *r, struct lark *l);
char *lark_text(const struct lark *l, struct arena *arena);
void lark_release(struct lark *l);

struct word { uint8_t bytes[24]; uint32_t len; bool is_dropped; };
// Tokens as text; the vocabulary has two control tokens before them, the first is EOS, and one EOS after them.
struct words { VEC(struct word) at; bool has_two_eos; };
void random_words(struct rng *r, const struct lark *l, const struct grammar *g, struct words *w);
void words_vocab(const struct words *w, struct vocab *v);

#endif
