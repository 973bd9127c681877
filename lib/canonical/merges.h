// What merges do to one token by itself, and to two that stand side by side: *adjacent* are those that they leave
// apart.
#ifndef GCDC_CANONICAL_MERGES_H
#define GCDC_CANONICAL_MERGES_H

#include "canonical.h"

#define MERGES_NONE UINT32_MAX
#define MERGES_MAX_SYMBOLS 4096u  // of one token's spelling

// The merges of one token by itself, step by step: what stands at its edges, and the rank of the merge that comes next
// (NONE: no more).
struct merge_step {
	uint32_t rank, left, right;
};

struct merges {
	struct arena arena;
	uint32_t n_tokens;
	struct slot {
		uint64_t pair;
		uint32_t rank, id;
	} * slots;  // open addressing; id NONE: free
	uint32_t mask;
	uint32_t *first;  // [n_tokens + 1] into steps
	VEC(struct merge_step) steps;
	uint32_t *left, *right;  // [n_tokens] parts of the last merge, NONE: a first symbol or no token of merges
	uint32_t *time;          // [n_tokens] highest rank + 1 on the way, 0: a first symbol
	uint8_t *kind;           // [n_tokens] enum merged_kind
	VEC(uint32_t) parts;     // of tokens that merges do not give back: what they give
	uint32_t *first_part;    // [n_tokens + 1] into parts
	uint32_t n_irregular;
};
enum merged_kind {
	MERGED_NO,         // has no symbols
	MERGED_OTHERWISE,  // its text becomes other tokens
	MERGED_REGULAR,    // its text becomes this token, with ascending ranks
	MERGED_IRREGULAR,  // with ranks that do not ascend
};

// symbols[at[t] .. at[t + 1]): the first symbols of token t; none: it has no part in this.
void merges_build(const struct encoder_merge *merge, uint32_t n_merges, uint32_t n_tokens, const uint32_t *symbols,
                  const uint32_t *at, struct merges *m);
void merges_release(struct merges *m);
// Do the texts of a and b, one after the other, become these two tokens? Both are MERGED_REGULAR or _IRREGULAR. Exact
// for any ranks. O(length).
bool merges_pair(const struct merges *m, uint32_t a, uint32_t b);
// The table of intervals and its patches. out's arena takes the arrays.
void merges_table(const struct merges *m, struct canonical *out);

#endif
