// Piece states: where a text stands between the tokenizer's pieces, token by token. The runtime does the same; this is
// for those who build automata.
#ifndef GCDC_CANONICAL_PLACE_H
#define GCDC_CANONICAL_PLACE_H

#include "canonical.h"

#define PLACE_MAX_WAYS 8u
#define PLACE_MAX_LIVE 8u

// Plain data with no bytes undefined: equal places are equal bytes once place_normalise has been called. The token
// before is not part of it.
struct piece_state {
	uint16_t left;  // of the last character, for normal forms
	uint8_t combining;
	uint8_t n_ways, n_live, n_begun;
	uint8_t begun[3];  // first bytes of a character
	uint8_t by_bytes;  // they are of byte tokens
	uint16_t unused;   // 0
	struct place_way {
		uint16_t set, pending;
		uint32_t split;
	} way[PLACE_MAX_WAYS];
	uint32_t live[PLACE_MAX_LIVE];  // nodes of ADDED
};

struct places {
	const struct canonical *c;
	const struct vocab *v;
	uint32_t root[256];  // children of the root of ADDED by byte, 0: none
};

void places_open(const struct canonical *c, const struct vocab *v, struct places *s);
void place_start(const struct places *s, struct piece_state *p);
// One more token. together: merges leave it and the token before apart, so it may be a later one of a piece. False: no
// canonical sequence begins so, and *p is of no use.
bool place_step(const struct places *s, struct piece_state *p, uint32_t token, bool together);
bool place_ends(const struct places *s, const struct piece_state *p);  // may the text end here?
void place_normalise(struct piece_state *p);                           // lists in order, what does not count is 0

#endif
