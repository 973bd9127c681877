// Canonical tokenization: which sequences of tokens are what the tokenizer makes of a text.
//
// In:  a tokenizer's encoder and its vocabulary. Out: struct canonical, tables for the runtime (formats/canonical.h).
// The theory is in docs/canonical.md.
#ifndef GCDC_CANONICAL_CANONICAL_H
#define GCDC_CANONICAL_CANONICAL_H

#include "../../formats/artifact.h"
#include "../vocab/vocab.h"

// The arrays of formats/canonical.h, with the lengths that info says.
struct canonical {
	struct arena arena;
	uint32_t n_tokens;
	struct artifact_canon info;
	const struct artifact_canon_pair *parts;         // [n_tokens]
	const uint32_t *time, *place;                    // [n_tokens]
	const uint32_t *at;                              // [n_places]
	const uint32_t *first;                           // [n_tokens + 1]
	const struct artifact_canon_join *joins;
	const struct artifact_canon_pair *patches;
	const uint16_t *class_of;                        // [n_tokens]
	const uint16_t *pages, *chars;
	const struct artifact_canon_kind *kinds;
	const uint16_t *steps;
	const uint32_t *sets;
	const uint8_t *allow;
	const struct artifact_canon_node *added;
	const struct artifact_canon_split *splits;
	const uint32_t *bad;
	const uint32_t *joints;
	const struct artifact_canon_list *marks;
};

struct canonical_stats {
	uint32_t n_otherwise;   // tokens that merges never make
	uint32_t n_irregular;   // tokens whose ranks do not ascend
	uint32_t n_unreachable; // text tokens that no text gives
	uint32_t n_states;      // of the automaton of pieces
	double seconds;
};

// False: the tokenizer has something that cannot be modelled; an error in d says what. stats may be NULL.
bool canonical_build(struct encoder *e, const struct vocab *v, struct diag *d, struct canonical *c,
                     struct canonical_stats *stats);
void canonical_release(struct canonical *c);
// The sections of a file, in the order of their ids; returns CANON_SECTIONS. The bytes are c's.
uint32_t canonical_sections(const struct canonical *c, struct canon_section out[CANON_SECTIONS]);
// May b come after a inside a piece? By the table alone; both have a place.
bool canonical_pair(const struct canonical *c, uint32_t a, uint32_t b);

#endif
