// The one hash of small keys, for the compiler and the runtime: multiplication by 2^64 / golden ratio.
// Source: Knuth, The Art of Computer Programming 3, 6.4. The upper bits are the good ones.
#ifndef GCDC_SHARED_HASH_H
#define GCDC_SHARED_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_u64(uint64_t x) { return x * 0x9E3779B97F4A7C15u; }
static inline uint64_t hash_pair(uint32_t a, uint32_t b) { return hash_u64((uint64_t)a << 32 | b); }
// One word more.
static inline uint64_t hash_add(uint64_t hash, uint64_t word) { return hash_u64(hash ^ word); }
// The same, and the upper half takes part in the lower one.
static inline uint64_t hash_add_fold(uint64_t hash, uint64_t word)
{
	hash = hash_add(hash, word);
	return hash ^ hash >> 32;
}
// A key of n words; it may lie at any address.
static inline uint64_t hash_words(const void *key, size_t n)
{
	uint64_t hash = 0, word;
	for (size_t i = 0; i < n; i++) {
		memcpy(&word, (const char *)key + i * sizeof word, sizeof word);
		hash = hash_add_fold(hash, word);
	}
	return hash;
}

#endif
