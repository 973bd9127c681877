// A set of ranks in 128 bytes, from which two sets are seen to differ in at least so many ranks.
//
// In:  the ranges of a set.  Out: how many of its ranks fall into each of 128 blocks of neighbours, modulo 256.
// A rank that one of two sets has and the other has not changes one block by one. So the sets differ in at least as
// many ranks as their blocks are apart, each block taken the shorter way around 256.
// Cost: a range, the blocks that it reaches; a comparison, 128 bytes in the machine's registers.
#ifndef GCDC_COMPILE_SET_PROFILE_H
#define GCDC_COMPILE_SET_PROFILE_H

#include <stdint.h>

#define PROFILE_BLOCKS 128u

struct set_profile {
	uint8_t at[PROFILE_BLOCKS];
};

// Blocks have 1 << shift ranks.
static inline uint32_t set_profile_shift(uint32_t n_ranks)
{
	uint32_t shift = 0;
	while (n_ranks >> shift >= PROFILE_BLOCKS) shift++;
	return shift;
}

// The ranks from .. to - 1, at least one.
static inline void set_profile_add(struct set_profile *p, uint32_t shift, uint32_t from, uint32_t to)
{
	const uint32_t first = from >> shift, last = (to - 1) >> shift;
	if (first == last) {
		p->at[first] = (uint8_t)(p->at[first] + (to - from));
		return;
	}
	p->at[first] = (uint8_t)(p->at[first] + ((first + 1) << shift) - from);
	for (uint32_t b = first + 1; b < last; b++) p->at[b] = (uint8_t)(p->at[b] + (1u << shift));
	p->at[last] = (uint8_t)(p->at[last] + to - (last << shift));
}

// The ranks in which they differ are at least so many.
static inline uint32_t set_profile_apart(const struct set_profile *a, const struct set_profile *b)
{
	uint32_t apart = 0;
	for (uint32_t i = 0; i < PROFILE_BLOCKS; i++) {
		const uint8_t up = (uint8_t)(a->at[i] - b->at[i]), down = (uint8_t)(b->at[i] - a->at[i]);
		apart += up < down ? up : down;
	}
	return apart;
}

#endif
