// Keys of what is kept for positions in hard mode.
#ifndef GCDC_RUNTIME_CANONICAL_MEMO_KEY_H
#define GCDC_RUNTIME_CANONICAL_MEMO_KEY_H

#include "../core/matcher_step.h"
#include "canonical.h"

// What a position's keys have in common. False: the position is none that is kept.
bool memo_key_begin(const struct position *p, struct memo_key *key);
// The rest, from n_head on. False: there is no such key.
bool memo_key_deepen(const struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                     enum memo_level level, struct memo_key *key);
uint64_t memo_key_hash(const struct memo_key *key);
// Are two keys the same?
static inline bool memo_key_same(const struct memo_key *a, const struct memo_key *b)
{
	return a->n == b->n && !memcmp(a->word, b->word, a->n * sizeof *a->word);
}

#endif
