// Lists of numbers and sets of pairs, for what the runtime works out on the way.
//
// In:  numbers.  Out: growing arrays; a hash set of pairs (open addressing, linear probes) that is emptied by
//      counting up its era, so that a large one costs nothing when it is next used for something small.
// Cost: amortised O(1) for each number; sorting O(n log n).
#include "runtime_internal.h"

#include <stdlib.h>

#define VEC32_AT_FIRST 32u
#define FEW_NUMBERS 16u  // sorted in place
#define PAIR_MAP_AT_FIRST 64u

bool vec32_grow(const gcdc_memory *memory, struct vec32 *x)
{
	uint32_t cap = x->cap ? x->cap * 2 : VEC32_AT_FIRST;
	uint32_t *at = x->cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, x->at, cap, sizeof *at);
	if (!at) return false;
	x->at = at;
	x->cap = cap;
	return true;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

void vec32_sort(struct vec32 *x)
{
	if (x->n < 2) return;
	uint32_t sorted = 1;
	while (sorted < x->n && x->at[sorted - 1] < x->at[sorted]) sorted++;
	if (sorted == x->n) return;  // mostly one list of a file
	if (x->n > FEW_NUMBERS) {
		qsort(x->at, x->n, sizeof *x->at, compare);
	} else {
		for (uint32_t i = 1, k; i < x->n; i++) {
			uint32_t y = x->at[i];
			for (k = i; k && x->at[k - 1] > y; k--) x->at[k] = x->at[k - 1];
			x->at[k] = y;
		}
	}
	uint32_t n = 1;
	for (uint32_t i = 1; i < x->n; i++)
		if (x->at[i] != x->at[n - 1]) x->at[n++] = x->at[i];
	x->n = n;
}

void pair_map_clear(struct pair_map *p)
{
	p->n = 0;
	if (++p->era) return;
	for (uint32_t i = 0; i < p->cap; i++) p->at[i].era = 0;
	p->era = 1;
}

bool pair_map_grow(const gcdc_memory *memory, struct pair_map *p)
{
	struct pair_map larger = {.cap = p->cap ? p->cap * 2 : PAIR_MAP_AT_FIRST, .n = p->n, .era = 1};
	if (larger.cap < p->cap) return false;
	larger.at = memory_resize(memory, NULL, larger.cap, sizeof *larger.at);
	if (!larger.at) return false;
	memset(larger.at, 0, larger.cap * sizeof *larger.at);
	for (uint32_t i = 0; i < p->cap; i++) {
		if (p->at[i].era != p->era) continue;
		struct pair *x = pair_map_find(&larger, p->at[i].a, p->at[i].b);
		*x = p->at[i];
		x->era = larger.era;
	}
	memory_free(memory, p->at);
	*p = larger;
	return true;
}

uint32_t *pair_map_add(const gcdc_memory *memory, struct pair_map *p, uint32_t a, uint32_t b, bool *is_new)
{
	return pair_map_put(memory, p, a, b, is_new);
}

const uint32_t *pair_map_get(const struct pair_map *p, uint32_t a, uint32_t b)
{
	if (!p->cap) return NULL;
	const struct pair *x = pair_map_find(p, a, b);
	return x->era == p->era ? &x->value : NULL;
}
