// Hash-consing: equal byte strings get equal small ids, in order of first appearance.
#ifndef GCDC_BASE_INTERN_H
#define GCDC_BASE_INTERN_H

#include <stdbool.h>

#include "mem.h"

#define INTERN_NONE UINT32_MAX

struct intern_entry {
	const void *bytes;  // in the arena, 16-aligned
	uint32_t len;
	uint32_t hash;
};

struct intern {
	struct arena arena;
	VEC(struct intern_entry) entries;  // by id
	uint64_t *slot;                    // open addressing: hash << 32 | (id + 1), 0 = free
	uint32_t n_slots, n_asked;
};

// The id of these bytes, added when new (*is_new says so; may be NULL). Amortised O(len).
uint32_t intern_add(struct intern *t, const void *bytes, size_t len, bool *is_new);
// The id, or INTERN_NONE.
uint32_t intern_find(const struct intern *t, const void *bytes, size_t len);
void intern_release(struct intern *t);

// The bytes of an id: no zero byte stands behind them.
static inline const void *intern_get(const struct intern *t, uint32_t id, uint32_t *len)
{
	if (len) *len = t->entries.at[id].len;
	return t->entries.at[id].bytes;
}

#endif
