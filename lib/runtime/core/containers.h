// Lists of numbers and maps from pairs of numbers, in the memory that the caller gives: containers.c.
//
// False, or NULL: there is no memory. Cost: a few nanoseconds an entry.
#ifndef GCDC_RUNTIME_CONTAINERS_H
#define GCDC_RUNTIME_CONTAINERS_H

#include "../../include/gcdc/runtime.h"
#include "../../shared/hash.h"
#include "branch_hints.h"

// ---- Lists that grow. False: no memory.
struct vec32 {
	uint32_t *at;
	uint32_t n, cap;
};
bool vec32_grow(const gcdc_memory *memory, struct vec32 *x);
static inline bool vec32_push(const gcdc_memory *memory, struct vec32 *x, uint32_t value)
{
	if (UNLIKELY(x->n == x->cap) && !vec32_grow(memory, x)) return false;
	x->at[x->n++] = value;
	return true;
}
// So many more at once: their place, which is the caller's to fill in.
static inline uint32_t *vec32_more(const gcdc_memory *memory, struct vec32 *x, uint32_t more)
{
	while (UNLIKELY(x->cap - x->n < more))
		if (!vec32_grow(memory, x)) return NULL;
	x->n += more;
	return x->at + x->n - more;
}
void vec32_sort(struct vec32 *x);  // ascending, each once

// Pairs of numbers, each with a value; emptied in one step.
struct pair_map {
	struct pair {
		uint32_t a, b, era, value;
	} * at;
	uint32_t n, cap, era;  // cap: a power of two, or 0
};
void pair_map_clear(struct pair_map *p);
static inline struct pair *pair_map_find(const struct pair_map *p, uint32_t a, uint32_t b)
{
	uint64_t hash = hash_pair(a, b);
	for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
		struct pair *x = &p->at[i & (p->cap - 1)];
		if (x->era != p->era || (x->a == a && x->b == b)) return x;
	}
}
bool pair_map_grow(const gcdc_memory *memory, struct pair_map *p);
// The place of (a, b)'s value; *is_new: it was not there, the value is yours to set. NULL: no memory.
uint32_t *pair_map_add(const gcdc_memory *memory, struct pair_map *p, uint32_t a, uint32_t b, bool *is_new);
// The same, where it is asked for a thousand times and more.
static inline uint32_t *pair_map_put(const gcdc_memory *memory, struct pair_map *p, uint32_t a, uint32_t b,
                                     bool *is_new)
{
	if (UNLIKELY(p->n >= p->cap / 2) && !pair_map_grow(memory, p)) return NULL;
	struct pair *x = pair_map_find(p, a, b);
	*is_new = x->era != p->era;
	if (*is_new) *x = (struct pair){a, b, p->era, 0}, p->n++;
	return &x->value;
}
const uint32_t *pair_map_get(const struct pair_map *p, uint32_t a, uint32_t b);  // NULL: it is not there

#endif
