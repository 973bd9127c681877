// The product of a lexer and a tokenizer's canonical tables, where the grammar is one terminal.
#ifndef GCDC_COMPILE_REGEX_PRODUCT_H
#define GCDC_COMPILE_REGEX_PRODUCT_H

#include "../canonical/canonical.h"

// What it is made of: sections of an artifact, or of the image of one.
struct regex_parts {
	const struct artifact_info *info;
	const struct artifact_production *productions;
	const struct artifact_terminal *terminals;
	const struct artifact_lex_state *lex_states;
	const uint32_t *lex_next;
};
struct regex_product {
	struct byte_automaton dfa;  // states are the artifact's lexer states
	uint32_t *next;
	uint8_t *accepts;
	struct canonical c;       // views of the sections
	struct product *product;  // NULL: there is none
	const char *problem;      // why; static
};
// canonical: CANON_SECTIONS of them. They and v must outlive *out, which is to be released in any case. Cost:
// product_build's.
void regex_product_build(const struct regex_parts *parts, const struct canon_section *canonical, const struct vocab *v,
                         struct regex_product *out);
void regex_product_release(struct regex_product *r);

#endif
