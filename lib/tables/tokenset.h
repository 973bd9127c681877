// Sets of tokens while compiling, hash-consed, so that a set is a number: sorted ranges of ranks or, where that takes
// fewer bytes, a bit for each rank up to the last.
#ifndef GCDC_TABLES_TOKENSET_H
#define GCDC_TABLES_TOKENSET_H

#include <assert.h>

#include "../base/bitset.h"
#include "../base/intern.h"
#include "../base/map64.h"

typedef uint32_t set_id;
#define SET_EMPTY 0u

struct rank_range {
	uint32_t from, to;  // ranks [from, to)
};
typedef VEC(struct rank_range) rank_ranges;

struct tokensets {
	struct intern sets;    // set_id -> struct rank_range[], ascending, apart; or bits[], then how many ranges they are
	struct intern unions;  // sorted set_ids -> index into union_of
	VEC(set_id) union_of;
	struct map64 pairs;              // two set_ids, the smaller one first -> their union: most are of two
	VEC(uint32_t) union_that_made;   // set_id -> index into unions, or INTERN_NONE
	rank_ranges work, spare, other;  // scratch of one union
	VEC(bits) ranks;                 // and of one by bits
	VEC(uint64_t) starts, merged;    // and of one of many lists
	VEC(uint32_t) run_ends;          // of these lists in it
};

void tokensets_init(struct tokensets *t);
void tokensets_release(struct tokensets *t);
// Any order, overlaps allowed; sorts the ranges in place.
set_id tokensets_add(struct tokensets *t, struct rank_range *ranges, uint32_t n);
// The union of sets; sorts and shortens `sets` in place. Cost: ranges, once for each combination.
set_id tokensets_union(struct tokensets *t, set_id *sets, uint32_t n);
// The sets whose union this one was made as, all with smaller ids; NULL when it was not made so.
const set_id *tokensets_parts(const struct tokensets *t, set_id s, uint32_t *n);
// Set s of another collection, with the parts it was made of. to_of: [sets of from] what the sets before s became here.
set_id tokensets_copy(struct tokensets *to, const struct tokensets *from, set_id s, const set_id *to_of);
// The set with `by` added to every rank.
set_id tokensets_shift(struct tokensets *t, set_id s, uint32_t by);
// The ranks of a set in [from, to), less `from`.
set_id tokensets_part(struct tokensets *t, set_id s, uint32_t from, uint32_t to);
// The ranks of s that `other` does not have.
set_id tokensets_without(struct tokensets *t, set_id s, set_id other);
// A set's bits, or NULL: it is a list of ranges.
static inline const bits *tokensets_bits(const struct tokensets *t, set_id s, uint32_t *n_words)
{
	uint32_t len;
	const bits *b = intern_get(&t->sets, s, &len);
	*n_words = len / (uint32_t)sizeof *b;
	return len % sizeof *b ? b : NULL;  // a number behind them
}
static inline uint32_t tokensets_n_ranges(const struct tokensets *t, set_id s)
{
	uint32_t n;
	const bits *b = tokensets_bits(t, s, &n);
	if (b) memcpy(&n, b + n, sizeof n);
	return n;
}
uint32_t tokensets_end(const struct tokensets *t, set_id s);  // behind its last rank
// The set's ranges. Those of bits are written into *buffer.
const struct rank_range *tokensets_get(const struct tokensets *t, set_id s, rank_ranges *buffer, uint32_t *n);
static_assert(sizeof(struct rank_range) == sizeof(bits), "a list's length tells it from bits");
// What the ranges r have and the ranges o have not; both ascend.
void rank_ranges_without(const struct rank_range *r, uint32_t n, const struct rank_range *o, uint32_t n_other,
                         rank_ranges *out);
// Adds a range to the end of an ascending list, joining neighbours.
static inline void rank_ranges_push(rank_ranges *v, uint32_t from, uint32_t to)
{
	if (v->n && v->at[v->n - 1].to == from)
		v->at[v->n - 1].to = to;
	else
		vec_push(v, ((struct rank_range){from, to}));
}

#endif
