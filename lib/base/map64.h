// A map from 64-bit keys to 32-bit values: memo tables whose keys are two ids. Open addressing, no removal.
#ifndef GCDC_BASE_MAP64_H
#define GCDC_BASE_MAP64_H

#include "mem.h"

#define MAP64_NONE UINT32_MAX  // no value; cannot be stored

struct map64_entry {
	uint64_t key;
	uint32_t value;  // MAP64_NONE: free
};
struct map64 {
	struct map64_entry *at;
	uint32_t n, cap;  // cap: a power of two, or 0
};

static inline struct map64_entry *map64_slot(const struct map64 *m, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	for (uint32_t i = (uint32_t)(h >> 32) & (m->cap - 1);; i = (i + 1) & (m->cap - 1))
		if (m->at[i].value == MAP64_NONE || m->at[i].key == key) return &m->at[i];
}

static inline uint32_t map64_get(const struct map64 *m, uint64_t key)
{
	return m->cap ? map64_slot(m, key)->value : MAP64_NONE;
}

static inline void map64_put(struct map64 *m, uint64_t key, uint32_t value)
{
	if (2 * (uint64_t)m->n >= m->cap) {
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
