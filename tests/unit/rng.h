// Numbers by lot, the same for one seed everywhere.
#ifndef GCDC_TESTS_UNIT_RNG_H
#define GCDC_TESTS_UNIT_RNG_H

#include <stdint.h>

struct rng {
	uint64_t x;
};

// Below n.
static inline uint32_t pick(struct rng *r, uint32_t n)
{
	r->x = r->x * 6364136223846793005u + 1442695040888963407u;
	uint64_t z = (r->x ^ r->x >> 29) * 0x9E3779B97F4A7C15u;
	return (uint32_t)((z >> 32) % n);
}

#endif
