// Open-addressing table over xxHash, ids in order of first appearance: no result depends on the hash.
#include "intern.h"

#include "work.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHECK_EVERY 16u  // what is there already costs little

static uint32_t hash_of(const void *bytes, size_t len) { return (uint32_t)XXH3_64bits(bytes, len); }

// The slot that holds these bytes, or the free one where they belong.
static uint32_t slot_of(const struct intern *t, const void *bytes, size_t len, uint32_t hash)
{
	for (uint32_t i = hash & (t->n_slots - 1);; i = (i + 1) & (t->n_slots - 1)) {
		if (!t->slot[i]) return i;
		if (t->slot[i] >> 32 != hash) continue;
		const struct intern_entry *e = &t->entries.at[(uint32_t)t->slot[i] - 1];
		if (e->len == len && (len == 0 || memcmp(e->bytes, bytes, len) == 0)) return i;
	}
}

static void grow(struct intern *t)
{
	t->n_slots = t->n_slots ? t->n_slots * 2 : 64;
	free(t->slot);
	t->slot = mem_calloc(t->n_slots, sizeof *t->slot);
	for (uint32_t id = 0; id < t->entries.n; id++) {
		uint32_t i = t->entries.at[id].hash & (t->n_slots - 1);
		while (t->slot[i]) i = (i + 1) & (t->n_slots - 1);
		t->slot[i] = (uint64_t)t->entries.at[id].hash << 32 | (id + 1);
	}
}

uint32_t intern_add(struct intern *t, const void *bytes, size_t len, bool *is_new)
{
	ASSERT(len <= UINT32_MAX);
	if (++t->n_asked % CHECK_EVERY == 0) work_check();
	if (2 * (uint64_t)t->entries.n >= t->n_slots) grow(t);
	uint32_t hash = hash_of(bytes, len), i = slot_of(t, bytes, len, hash);
	if (is_new) *is_new = !t->slot[i];
	if (!t->slot[i]) {
		void *copy = arena_copy(&t->arena, bytes, len);
		vec_push(&t->entries, ((struct intern_entry){copy, (uint32_t)len, hash}));
		t->slot[i] = (uint64_t)hash << 32 | t->entries.n;
	}
	return (uint32_t)t->slot[i] - 1;
}

uint32_t intern_find(const struct intern *t, const void *bytes, size_t len)
{
	if (!t->n_slots) return INTERN_NONE;
	uint32_t i = slot_of(t, bytes, len, hash_of(bytes, len));
	return t->slot[i] ? (uint32_t)t->slot[i] - 1 : INTERN_NONE;
}

void intern_release(struct intern *t)
{
	free(t->slot);
	vec_release(&t->entries);
	arena_release(&t->arena);
	*t = (struct intern){0};
}
