// Finished hard masks, kept whole.
#ifndef GCDC_RUNTIME_CANONICAL_FINISHED_H
#define GCDC_RUNTIME_CANONICAL_FINISHED_H

#include "memo_key.h"

// The number of what a position's memo says, with all else that decides its mask but for the token before: its sets,
// its ways to have cut, and the number before (of a memo of fewer frames; 0: there is none). 0: it has none.
uint32_t finished_content(struct canonical_cache *cache, uint32_t before, const struct memo_key *key,
                          const struct set_list *list, const struct memo *memo);
// A mask of what has this number, behind a last token; more: what else decides it.
struct finished_key {
	uint32_t content, last;
	uint64_t more;
};
// NULL: it is not kept.
const uint32_t *finished_find(struct canonical_cache *cache, const struct finished_key *key);
// Nothing is kept for lack of memory.
void finished_put(struct canonical_cache *cache, const struct finished_key *key, const uint32_t *mask);
void finished_free(const gcdc_memory *memory, struct finished_masks *x);

#endif
