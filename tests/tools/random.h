// Numbers at random from a seed: splitmix64 (Steele, Lea, Flood 2014).
#ifndef GCDC_TESTS_TOOLS_RANDOM_H
#define GCDC_TESTS_TOOLS_RANDOM_H

#include <stdint.h>

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) % n);
}

#endif
