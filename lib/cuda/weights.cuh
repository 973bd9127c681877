// Weights of tokens: softmax in integers.
//
// In:  a logit, the largest logit, log2(e) / temperature.  Out: the distance in octaves as a fixed-point number, and
// the weight 2^40 * 2^-distance as an integer. Sums of integers do not depend on their order, so neither does anything
// that is made of them. The power is a polynomial, the same operations on every machine.
#ifndef GCDC_CUDA_WEIGHTS_CUH
#define GCDC_CUDA_WEIGHTS_CUH

#include "device.cuh"

#define WEIGHT_BITS 40
#define OCTAVES 41.0f  // farther away: no weight

struct weigher {
	float most, scale;  // the largest logit; log2(e) / temperature, 0: only the largest has weight
};

DEVICE struct weigher weigher_of(float most, float temperature)
{
	return {most, temperature > 0 ? float_div(1.44269504f, temperature) : 0};
}

// How many octaves below the largest; OCTAVES or more: no weight.
DEVICE float octaves_of(const struct weigher &w, float x)
{
	if (x == w.most) return 0;
	if (w.scale == 0) return OCTAVES;
	float y = float_mul(float_sub(w.most, x), w.scale);
	return y < OCTAVES ? y : OCTAVES;
}

// Equal distances tie. 2^-26 octaves.
DEVICE uint32_t distance_of(float octaves) { return (uint32_t)float_mul(octaves, 0x1p26f); }

// 2^(40 - octaves), cut off. octaves < OCTAVES.
DEVICE uint64_t weight_of(float octaves)
{
	float whole = floorf(octaves),
		  f = float_sub(0.5f, float_sub(octaves, whole));  // 2^-(part) = 2^-0.5 * 2^f, |f| <= 0.5
	float p = 1.07853115e-5f;                              // 2^-0.5 * ln(2)^k / k!, k = 7 .. 0
	p = float_fma(p, f, 1.08919408e-4f);
	p = float_fma(p, f, 9.42824938e-4f);
	p = float_fma(p, f, 6.80104431e-3f);
	p = float_fma(p, f, 3.92473316e-2f);
	p = float_fma(p, f, 1.69865792e-1f);
	p = float_fma(p, f, 4.90129072e-1f);
	p = float_fma(p, f, 7.07106781e-1f);
	uint32_t mantissa = (uint32_t)float_mul(p, 0x1p24f);  // in 2^23 .. 2^24
	int32_t shift = WEIGHT_BITS - 24 - (int32_t)whole;
	return shift >= 0 ? (uint64_t)mantissa << shift : (uint64_t)mantissa >> -shift;
}

// part of a sum, part in [0, 1] in steps of 2^-32, rounded down.
DEVICE uint64_t part_of(uint64_t sum, float part)
{
	if (!(part > 0)) return 0;
	uint64_t p = part < 1 ? (uint64_t)float_mul(part, 0x1p32f) : 1ull << 32;
	uint64_t high = sum >> 32, low = sum & 0xffffffffu;
	return high * p + (low * p >> 32);
}

#endif
