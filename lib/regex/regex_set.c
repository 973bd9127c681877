// Sets of code points, and the interning that several stages need.
//
// In:  ranges in any order. Out: sorted disjoint ranges without surrogates (no valid UTF-8 text holds one).
// Equal sets get one number per terminal, so that each set's byte automaton is built once.
// Cost: O(n log n) in the ranges.
#include "regex_internal.h"

void cp_add(cp_ranges *r, uint32_t lo, uint32_t hi) { vec_push(r, ((struct cp_range){lo, hi})); }

void cp_add_set(cp_ranges *r, struct cp_set s)
{
	for (uint32_t i = 0; i < s.n; i++) vec_push(r, s.at[i]);
}

static int by_lo(const void *a, const void *b)
{
	const struct cp_range *x = a, *y = b;
	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

// Ranges sorted and joined in place; returns how many remain.
static uint32_t join(struct cp_range *at, uint32_t n)
{
	if (!n) return 0;
	qsort(at, n, sizeof *at, by_lo);
	uint32_t out = 0;
	for (uint32_t i = 1; i < n; i++) {
		if (at[i].lo <= at[out].hi + 1) {
			if (at[i].hi > at[out].hi) at[out].hi = at[i].hi;
		} else {
			at[++out] = at[i];
		}
	}
	return out + 1;
}

struct cp_set cp_finish(struct arena *a, cp_ranges *r)
{
	uint32_t n = join(r->at, r->n);
	struct cp_set s = {arena_array(a, (size_t)n + 1, sizeof *s.at), 0};
	for (uint32_t i = 0; i < n; i++) {
		struct cp_range x = r->at[i];
		if (x.hi > MAX_CODE_POINT) x.hi = MAX_CODE_POINT;
		if (x.lo > x.hi) continue;
		if (x.lo < 0xD800 && x.hi >= 0xD800) {
			s.at[s.n++] = (struct cp_range){x.lo, 0xD7FF};
			x.lo = 0xE000;
		} else if (x.lo >= 0xD800 && x.lo <= 0xDFFF) {
			x.lo = 0xE000;
		}
		if (x.lo <= x.hi) s.at[s.n++] = x;
	}
	vec_clear(r);
	return s;
}

struct cp_set cp_complement(struct arena *a, struct cp_set s)
{
	cp_ranges r = {0};
	uint32_t next = 0;
	for (uint32_t i = 0; i < s.n; i++) {
		if (s.at[i].lo > next) cp_add(&r, next, s.at[i].lo - 1);
		next = s.at[i].hi + 1;
	}
	if (next <= MAX_CODE_POINT) cp_add(&r, next, MAX_CODE_POINT);
	struct cp_set out = cp_finish(a, &r);
	vec_release(&r);
	return out;
}

uint64_t re_hash(const void *bytes, size_t len)
{
	// FNV-1a by 4-byte steps where it can: keys here are short arrays of numbers.
	const uint8_t *p = bytes;
	uint64_t h = 0xCBF29CE484222325u;
	for (; len >= 4; p += 4, len -= 4) {
		uint32_t x;
		memcpy(&x, p, 4);
		h = (h ^ x) * 0x100000001B3u;
		h ^= h >> 29;
	}
	for (; len; p++, len--) h = (h ^ *p) * 0x100000001B3u;
	return h ^ h >> 32;
}

static void grow(struct re_index *ix)
{
	uint32_t cap = ix->cap ? ix->cap * 2 : 64;
	uint32_t *slot = mem_calloc(cap, sizeof *slot);
	uint64_t *hash = mem_calloc(cap, sizeof *hash);
	for (uint32_t i = 0; i < ix->cap; i++) {
		if (!ix->slot[i]) continue;
		uint32_t j = (uint32_t)ix->hash[i] & (cap - 1);
		while (slot[j]) j = (j + 1) & (cap - 1);
		slot[j] = ix->slot[i], hash[j] = ix->hash[i];
	}
	free(ix->slot), free(ix->hash);
	ix->slot = slot, ix->hash = hash, ix->cap = cap;
}

uint32_t re_index_get(struct re_index *ix, uint64_t hash, re_same *same, const void *side, uint32_t fresh)
{
	if (ix->n * 2 >= ix->cap) grow(ix);
	uint32_t i = (uint32_t)hash & (ix->cap - 1);
	for (; ix->slot[i]; i = (i + 1) & (ix->cap - 1))
		if (ix->hash[i] == hash && same(side, ix->slot[i] - 1)) return ix->slot[i] - 1;
	ix->slot[i] = fresh + 1, ix->hash[i] = hash, ix->n++;
	return UINT32_MAX;
}

void re_index_release(struct re_index *ix)
{
	free(ix->slot), free(ix->hash);
	*ix = (struct re_index){0};
}

struct set_side {
	const struct re_ctx *c;
	struct cp_set s;
};

static bool same_set(const void *side, uint32_t number)
{
	const struct set_side *k = side;
	const struct cp_set *other = &k->c->sets.at[number].cps;
	return other->n == k->s.n && !memcmp(other->at, k->s.at, k->s.n * sizeof *k->s.at);
}

uint32_t re_set_intern(struct re_ctx *c, struct cp_set s)
{
	struct set_side side = {c, s};
	uint32_t fresh = c->sets.n;
	uint32_t found = re_index_get(&c->set_index, re_hash(s.at, s.n * sizeof *s.at), same_set, &side, fresh);
	if (found != UINT32_MAX) return found;
	vec_push(&c->sets, ((struct re_set){.cps = s}));
	return fresh;
}
