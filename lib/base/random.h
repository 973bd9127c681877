// Random numbers that a seed decides.
//
// In:  a state of 64 bits, any. Out: the next number of its stream. Steele, Lea, Flood 2014: splitmix64.
#ifndef GCDC_BASE_RANDOM_H
#define GCDC_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *x)
{
	uint64_t z = *x += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}
// Below n.
static inline uint32_t random_below(uint64_t *x, uint32_t n) { return (uint32_t)((random_next(x) >> 32) * n >> 32); }

#endif
