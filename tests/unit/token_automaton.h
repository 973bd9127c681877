// Automata over tokens, written out: another way to the language of a product, for tests of it.
#ifndef GCDC_TESTS_TOKEN_AUTOMATON_H
#define GCDC_TESTS_TOKEN_AUTOMATON_H

#include "../../lib/canonical/canonical.h"

// The language of a product (canonical.h) step by step, for tokenizers that do nothing but merges, each pair's ranks
// above those of its parts
// and no token by two merges: DirectMerge. An automaton written out.
struct token_automaton {
	struct arena arena;
	uint32_t n_states, start, n_edges;
	const uint32_t *first;  // [n_states + 1] into edges
	const struct token_edge {
		uint32_t token, to;
	} * edges;  // of a state ascending by token
	const uint8_t *accepts;
};
#define AUTOMATON_MAX_STATES 2000000u
#define AUTOMATON_MAX_EDGES 20000000u
// letters: the language over first symbols (tokens). merges: ascending by rank. False: a limit is passed.
bool direct_merge(const struct token_automaton *letters, const struct encoder_merge *merges, uint32_t n_merges,
                  struct token_automaton *out);
// The product written out. False: a limit is passed.
bool product_write_out(const struct product *p, struct token_automaton *out);
// The smallest automaton of the same language, numbered breadth-first: equal languages give equal automata.
void automaton_minimise(const struct token_automaton *a, struct token_automaton *out);
bool automaton_equal(const struct token_automaton *a, const struct token_automaton *b);
void automaton_release(struct token_automaton *a);

#endif
