// A map from 64-bit keys to 64-bit values: memo tables whose keys, and values, are two ids. Open addressing, no
// removal.
#ifndef GCDC_BASE_MAP64_H
#define GCDC_BASE_MAP64_H

#include "mem.h"
#include "../shared/hash.h"

#define MAP64_NONE UINT64_MAX  // no value; cannot be stored

#define MAP64_LARGE (1u << 21)  // from here on, 32 MB, a map is filled to two thirds, not to a half: slower by a tenth

struct map64_entry {
	uint64_t key;
	uint64_t value;  // MAP64_NONE: free
};
struct map64 {
	struct map64_entry *at;
	uint32_t n, cap;  // cap: a power of two, or 0
};

// Keys that differ in their last bits only are neighbours: callers ask for one after the other.
static inline uint32_t map64_place(const struct map64 *m, uint64_t key)
{
	uint32_t block = (uint32_t)(hash_u64(key >> 3) >> 32);
	return (block << 3 | (uint32_t)(key & 7)) & (m->cap - 1);
}

static inline struct map64_entry *map64_slot(const struct map64 *m, uint64_t key)
{
	for (uint32_t i = map64_place(m, key);; i = (i + 1) & (m->cap - 1))
		if (m->at[i].key == key || m->at[i].value == MAP64_NONE) return &m->at[i];
}

// The key is asked for soon: its place comes from memory meanwhile.
static inline void map64_expect(const struct map64 *m, uint64_t key)
{
	if (m->cap) __builtin_prefetch(&m->at[map64_place(m, key)]);
}

static inline uint64_t map64_get(const struct map64 *m, uint64_t key)
{
	return m->cap ? map64_slot(m, key)->value : MAP64_NONE;
}

static inline void map64_put(struct map64 *m, uint64_t key, uint64_t value)
{
	const uint32_t full = m->cap < MAP64_LARGE ? m->cap / 2 : m->cap / 3 * 2;
	if (m->n >= full) {
		struct map64 old = *m;
		m->cap = old.cap ? old.cap * 2 : 256;
		m->at = mem_alloc(m->cap * sizeof *m->at);
		for (uint32_t i = 0; i < m->cap; i++) m->at[i].value = MAP64_NONE;
		for (uint32_t i = 0; i < old.cap; i++)
			if (old.at[i].value != MAP64_NONE) *map64_slot(m, old.at[i].key) = old.at[i];
		free(old.at);
	}
	struct map64_entry *e = map64_slot(m, key);
	m->n += e->value == MAP64_NONE;
	*e = (struct map64_entry){key, value};
}

static inline void map64_release(struct map64 *m)
{
	free(m->at);
	*m = (struct map64){0};
}

#endif
