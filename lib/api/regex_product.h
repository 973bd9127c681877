// The product of an artifact's lexer and its tokenizer's canonical tables, where its grammar is one terminal.
#ifndef GCDC_API_REGEX_PRODUCT_H
#define GCDC_API_REGEX_PRODUCT_H

#include "../canonical/canonical.h"
#include "../include/gcdc/runtime.h"

struct regex_product {
	struct byte_automaton dfa;  // states are the artifact's lexer states
	uint32_t *next;
	uint8_t *accepts;
	struct canonical c;       // the artifact's sections
	struct vocab vocab;       // its tokens, when none was given
	struct product *product;  // NULL: there is none
	const char *problem;      // why; static
};
// v: the artifact's vocabulary, or NULL. To be released in any case, before the artifact is closed.
void regex_product_open(const gcdc_artifact *a, const struct vocab *v, struct regex_product *out);
void regex_product_release(struct regex_product *r);

#endif
