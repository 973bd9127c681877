// Bit sets as arrays of 64-bit words; the caller owns the words and knows their number.
#ifndef GCDC_BASE_BITSET_H
#define GCDC_BASE_BITSET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t bits;
#define BITS_WORDS(n) (((uint32_t)(n) + 63) / 64)

static inline bool bits_test(const bits *b, uint32_t i) { return b[i / 64] >> (i % 64) & 1; }
static inline void bits_set(bits *b, uint32_t i) { b[i / 64] |= (bits)1 << (i % 64); }
static inline void bits_reset(bits *b, uint32_t i) { b[i / 64] &= ~((bits)1 << (i % 64)); }
// Bits from .. to - 1, at least one.
static inline void bits_set_range(bits *b, uint32_t from, uint32_t to)
{
	const uint32_t first = from / 64, last = (to - 1) / 64;
	const bits head = ~(bits)0 << (from % 64), tail = ~(bits)0 >> (63 - (to - 1) % 64);
	if (first == last) {
		b[first] |= head & tail;
		return;
	}
	b[first] |= head;
	for (uint32_t w = first + 1; w < last; w++) b[w] = ~(bits)0;
	b[last] |= tail;
}
// into |= from; true when into grew.
static inline bool bits_union(bits *into, const bits *from, uint32_t words)
{
	bits grew = 0;
	for (uint32_t w = 0; w < words; w++) grew |= from[w] & ~into[w], into[w] |= from[w];
	return grew != 0;
}
static inline uint32_t bits_count(const bits *b, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcountll(b[w]);
	return n;
}
// Iterate: for (uint32_t i = bits_next(b, words, 0); i != UINT32_MAX; i = bits_next(b, words, i + 1))
static inline uint32_t bits_next(const bits *b, uint32_t words, uint32_t from)
{
	for (uint32_t w = from / 64; w < words; w++) {
		bits x = b[w];
		if (w == from / 64) x &= ~(bits)0 << (from % 64);
		if (x) return w * 64 + (uint32_t)__builtin_ctzll(x);
	}
	return UINT32_MAX;
}

// How many bits of a word are set. Without a jump or a call, so that several words are counted at once.
static inline uint32_t bits_of(uint32_t x)
{
	x -= x >> 1 & 0x55555555u;
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	x += x >> 8;
	return (x + (x >> 16)) & 63;
}
static inline uint32_t bits_of_word(bits x)
{
	x -= x >> 1 & 0x5555555555555555u;
	x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	x += x >> 8;
	x += x >> 16;
	return (uint32_t)(x + (x >> 32)) & 127;
}

#endif
