// Lists of a step while it is made: room, and numbers in order.
//
// In:  the lists of struct step_scratch.  Out: more room in one, twice as much; numbers ascending, each once, by radix
// exchange (Hildebrandt, Isbitz 1959), in place. Cost: a copy; a pass for each bit in which numbers differ.
#include "step_build.h"

#define FEW_NUMBERS 16u  // inserted one by one

bool vector_grow(const gcdc_memory *memory, void **at, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 32;
	void *p = more < *cap ? NULL : memory_resize(memory, *at, more, size);
	if (!p) return false;
	*at = p, *cap = more;
	return true;
}

static void insert_each(uint32_t *at, uint32_t n)
{
	for (uint32_t i = 1, k; i < n; i++) {
		uint32_t x = at[i];
		for (k = i; k && at[k - 1] > x; k--) at[k] = at[k - 1];
		at[k] = x;
	}
}

// Those without the bit go before those with it, then each half by the next bit.
static void sort_by_bits(uint32_t *at, uint32_t n, uint32_t differ)
{
	struct range {
		uint32_t from, end, bit;
	} todo[34] = {{0, n, 1u << (31 - __builtin_clz(differ))}};
	for (uint32_t depth = 1; depth;) {
		const struct range r = todo[--depth];
		if (r.end - r.from <= FEW_NUMBERS) {
			insert_each(at + r.from, r.end - r.from);
			continue;
		}
		uint32_t mid = r.from;
		for (uint32_t i = r.from; i < r.end; i++) {
			uint32_t x = at[i];
			at[i] = at[mid], at[mid] = x;
			mid += !(x & r.bit);
		}
		if (r.bit == 1) continue;
		todo[depth++] = (struct range){r.from, mid, r.bit >> 1};
		todo[depth++] = (struct range){mid, r.end, r.bit >> 1};
	}
}

void step_sort(struct vec32 *x)
{
	uint32_t sorted = 1, n = 1, differ = 0;
	if (x->n < 2) return;
	while (sorted < x->n && x->at[sorted - 1] < x->at[sorted]) sorted++;
	if (sorted == x->n) return;  // mostly one list of a file
	for (uint32_t i = 0; i < x->n; i++) differ |= x->at[i] ^ x->at[0];
	if (differ) sort_by_bits(x->at, x->n, differ);
	for (uint32_t i = 1; i < x->n; i++)
		if (x->at[i] != x->at[n - 1]) x->at[n++] = x->at[i];
	x->n = n;
}
