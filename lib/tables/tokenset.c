// Hash-consed range lists and memoised unions. See tokenset.h.
#include "tokenset.h"

#include "../base/sort.h"

void tokensets_init(struct tokensets *t)
{
	*t = (struct tokensets){0};
	intern_add(&t->sets, NULL, 0, NULL);  // SET_EMPTY
}

void tokensets_release(struct tokensets *t)
{
	intern_release(&t->sets);
	intern_release(&t->unions);
	vec_release(&t->union_of);
	map64_release(&t->pairs);
	vec_release(&t->union_that_made);
	vec_release(&t->work);
	vec_release(&t->spare), vec_release(&t->other);
	vec_release(&t->ranks);
	vec_release(&t->starts), vec_release(&t->merged), vec_release(&t->run_ends);
}

static int compare_range(const void *a, const void *b)
{
	const struct rank_range *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static void ranges_of_bits(const bits *b, uint32_t n_words, rank_ranges *out)
{
	bits before = 0;  // the last bit of the word before
	vec_clear(out);
	for (uint32_t w = 0; w < n_words; w++) {
		const bits x = b[w];
		if (x == (bits)0 - before) continue;  // as the bit before: most words
		bits edges = x ^ (x << 1 | before);
		for (; edges; edges &= edges - 1) {
			uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(edges);
			if (x >> (at % 64) & 1)
				vec_push(out, ((struct rank_range){at, at}));
			else
				out->at[out->n - 1].to = at;
		}
		before = x >> 63;
	}
	if (before) out->at[out->n - 1].to = n_words * 64;
}

const struct rank_range *tokensets_get(const struct tokensets *t, set_id s, rank_ranges *buffer, uint32_t *n)
{
	const bits *b = tokensets_bits(t, s, n);
	if (!b) return intern_get(&t->sets, s, NULL);
	ranges_of_bits(b, *n, buffer);
	*n = buffer->n;
	return buffer->at;
}

// t->ranks := so many words of no bits, and one more for the number of ranges.
static void clear_ranks(struct tokensets *t, uint32_t n_words)
{
	while (t->ranks.n <= n_words) vec_push(&t->ranks, 0);
	memset(t->ranks.at, 0, n_words * sizeof *t->ranks.at);
}

static bool ascend_apart(const struct rank_range *r, uint32_t n)
{
	bool touch = false;  // no jump: several are compared at once
	for (uint32_t i = 1; i < n; i++) touch |= r[i - 1].to >= r[i].from;
	return !touch;
}

// Ranges that ascend, apart.
static set_id add_ranges(struct tokensets *t, const struct rank_range *r, uint32_t n, bool *is_new)
{
	const uint32_t n_words = n ? BITS_WORDS(r[n - 1].to) : 0;
	if (n <= n_words) return intern_add(&t->sets, r, n * sizeof *r, is_new);
	clear_ranks(t, n_words);
	for (uint32_t i = 0; i < n; i++) bits_set_range(t->ranks.at, r[i].from, r[i].to);
	memcpy(t->ranks.at + n_words, &n, sizeof n);
	return intern_add(&t->sets, t->ranks.at, n_words * sizeof(bits) + sizeof n, is_new);
}

// How many ranges begin at the ranks from .. to.
static uint32_t count_begins(const bits *b, uint32_t from, uint32_t to)
{
	const uint32_t last = to / 64;
	uint32_t n = 0;
	for (uint32_t w = from / 64; w <= last; w++) {
		bits begins = b[w] & ~(b[w] << 1 | (w ? b[w - 1] >> 63 : 0));
		if (w == from / 64) begins &= ~(bits)0 << (from % 64);
		if (w == last) begins &= ~(bits)0 >> (63 - to % 64);
		if (begins) n += bits_of_word(begins);
	}
	return n;
}

// The set of t->ranks, which are n ranges, and of which the last word is not 0.
static set_id add_counted(struct tokensets *t, uint32_t n_words, uint32_t n, bool *is_new)
{
	ASSERT(!n_words || t->ranks.at[n_words - 1]);
	memcpy(t->ranks.at + n_words, &n, sizeof n);
	return intern_add(&t->sets, t->ranks.at, n_words * sizeof(bits) + sizeof n, is_new);
}

// The same, whatever they are.
static set_id add_ranks(struct tokensets *t, uint32_t n_words, bool *is_new)
{
	ranges_of_bits(t->ranks.at, n_words, &t->work);
	const uint32_t n = t->work.n;
	if (n <= n_words) return intern_add(&t->sets, t->work.at, n * sizeof *t->work.at, is_new);
	return add_counted(t, n_words, n, is_new);
}

set_id tokensets_add(struct tokensets *t, struct rank_range *r, uint32_t n)
{
	if (!ascend_apart(r, n)) {
		qsort(r, n, sizeof *r, compare_range);
		uint32_t kept = 0;
		for (uint32_t i = 1; i < n; i++) {
			if (r[i].from > r[kept].to)
				r[++kept] = r[i];
			else if (r[i].to > r[kept].to)
				r[kept].to = r[i].to;
		}
		n = kept + 1;
	}
	return add_ranges(t, r, n, NULL);
}

static void append(rank_ranges *v, struct rank_range r)
{
	if (v->n && v->at[v->n - 1].to >= r.from) {
		if (r.to > v->at[v->n - 1].to) v->at[v->n - 1].to = r.to;
	} else {
		vec_push(v, r);
	}
}

// *out := the union of two lists; both ascend, so one pass does it. The second is mostly much the shorter: what of the
// first lies between two of its ranges is copied as it is.
static void merge(const struct rank_range *a, uint32_t n, const struct rank_range *b, uint32_t m, rank_ranges *out)
{
	uint32_t i = 0;
	vec_clear(out);
	vec_reserve(out, (uint64_t)n + m);
	for (uint32_t j = 0; j <= m; j++) {
		uint32_t k = i;
		while (k < n && (j == m || a[k].to < b[j].from)) k++;
		while (i < k && out->n && out->at[out->n - 1].to >= a[i].from) append(out, a[i++]);
		if (i < k) memcpy(out->at + out->n, a + i, (k - i) * sizeof *a);
		out->n += k - i, i = k;
		if (j == m) break;
		if (i < n && a[i].from <= b[j].from) append(out, a[i++]);
		append(out, b[j]);
	}
}

#define FEW_LISTS 8u  // that are merged one after the other

// t->work := the union of a few lists, the longest last.
static void merge_few(struct tokensets *t, const set_id *sets, uint32_t n_sets)
{
	set_id order[FEW_LISTS];
	uint32_t n;
	for (uint32_t i = 0; i < n_sets; i++) {
		uint32_t at = i;
		n = tokensets_n_ranges(t, sets[i]);
		for (; at && tokensets_n_ranges(t, order[at - 1]) > n; at--) order[at] = order[at - 1];
		order[at] = sets[i];
	}
	vec_clear(&t->work);
	for (uint32_t i = 0; i < n_sets; i++) {
		const struct rank_range *r = tokensets_get(t, order[i], &t->other, &n);
		if (n > t->work.n)
			merge(r, n, t->work.at, t->work.n, &t->spare);
		else
			merge(t->work.at, t->work.n, r, n, &t->spare);
		const rank_ranges made = t->spare;
		t->spare = t->work, t->work = made;
	}
}

// Two runs of ascending numbers behind one another become one, by way of *to, which has room for both.
static void merge_runs(uint64_t *at, uint32_t n, uint32_t n_first, uint64_t *to)
{
	uint32_t i = 0, k = n_first, m = 0;
	while (i < n_first && k < n) {
		const bool second = at[k] < at[i];
		to[m++] = second ? at[k] : at[i];
		i += !second, k += second;
	}
	memmove(at + m, at + i, (n_first - i) * sizeof *at);  // what is left of the second run stands in its place
	memcpy(at, to, m * sizeof *at);
}

// t->work := the union of sets, by way of all their ranges in order: two neighbours become one until there is one.
static void merge_many(struct tokensets *t, const set_id *sets, uint32_t n_sets)
{
	vec_clear(&t->starts), vec_clear(&t->run_ends);
	for (uint32_t i = 0; i < n_sets; i++) {
		uint32_t n;
		const struct rank_range *r = tokensets_get(t, sets[i], &t->spare, &n);
		for (uint32_t k = 0; k < n; k++) vec_push(&t->starts, (uint64_t)r[k].from << 32 | r[k].to);
		vec_push(&t->run_ends, t->starts.n);
	}
	vec_reserve(&t->merged, t->starts.n);
	uint32_t *end = t->run_ends.at;
	for (uint32_t n = t->run_ends.n, m; n > 1; n = m) {
		m = 0;
		for (uint32_t i = 0; i < n; i += 2) {
			const uint32_t from = m ? end[m - 1] : 0, last = i + 1 < n ? end[i + 1] : end[i];
			if (i + 1 < n) merge_runs(t->starts.at + from, last - from, end[i] - from, t->merged.at);
			end[m++] = last;
		}
	}
	vec_clear(&t->work);
	for (uint32_t i = 0; i < t->starts.n; i++)
		append(&t->work, (struct rank_range){(uint32_t)(t->starts.at[i] >> 32), (uint32_t)t->starts.at[i]});
}

#define MANY_RANGES 400u  // from which on a union goes through a bit for each rank, up to the last

uint32_t tokensets_end(const struct tokensets *t, set_id s)
{
	uint32_t n;
	const bits *b = tokensets_bits(t, s, &n);
	if (b) return n * 64 - (uint32_t)__builtin_clzll(b[n - 1]);
	const struct rank_range *r = intern_get(&t->sets, s, NULL);
	return n ? r[n - 1].to : 0;
}

// t->ranks |= a range. Returns how many ranges there are more, as a difference: there may be fewer.
static uint32_t add_range(struct tokensets *t, uint32_t n_words, struct rank_range r)
{
	const uint32_t to = r.to < n_words * 64 ? r.to : n_words * 64 - 1;  // where ranges begin otherwise then
	const uint32_t before = count_begins(t->ranks.at, r.from, to);
	bits_set_range(t->ranks.at, r.from, r.to);
	return count_begins(t->ranks.at, r.from, to) - before;
}

// t->ranks |= the set.
static void add_bits(struct tokensets *t, set_id s)
{
	uint32_t n;
	const bits *b = tokensets_bits(t, s, &n);
	const struct rank_range *r = intern_get(&t->sets, s, NULL);
	bits *restrict ranks = t->ranks.at;
	for (uint32_t k = 0; b && k < n; k++) ranks[k] |= b[k];
	for (uint32_t k = 0; !b && k < n; k++) bits_set_range(ranks, r[k].from, r[k].to);
}

static set_id unite_bits(struct tokensets *t, const set_id *sets, uint32_t n_sets, uint32_t n_words, bool *is_new)
{
	uint32_t first = 0, n = 0, n_ranges = 0, n_more = 0;  // one of bits, to begin with, if there is one
	const bits *b = NULL;
	while (first < n_sets && !(b = tokensets_bits(t, sets[first], &n))) first++;
	if (!b) n = 0;
	vec_reserve(&t->ranks, (uint64_t)n_words + 1);
	t->ranks.n = n_words + 1;
	if (n) memcpy(t->ranks.at, b, n * sizeof *b);
	memset(t->ranks.at + n, 0, (n_words - n) * sizeof *b);
	if (b) memcpy(&n_ranges, b + n, sizeof n_ranges);
	for (uint32_t i = 0; i < n_sets; i++)
		if (i != first) n_more += tokensets_n_ranges(t, sets[i]);
	const bool counts = b && n_more <= n_words / 8;
	for (uint32_t i = 0; i < n_sets; i++) {
		if (i == first) continue;
		if (!counts) {
			add_bits(t, sets[i]);
			continue;
		}
		const struct rank_range *r = tokensets_get(t, sets[i], &t->spare, &n);
		for (uint32_t k = 0; k < n; k++) n_ranges += add_range(t, n_words, r[k]);
	}
	return counts && n_ranges > n_words ? add_counted(t, n_words, n_ranges, is_new) : add_ranks(t, n_words, is_new);
}

// Set s was new when union u made it.
static void made_by(struct tokensets *t, set_id s, uint32_t u)
{
	while (t->union_that_made.n < s) vec_push(&t->union_that_made, INTERN_NONE);
	vec_push(&t->union_that_made, u);
}

static set_id unite(struct tokensets *t, const set_id *sets, uint32_t kept)
{
	bool is_new, all_lists = true;
	uint32_t u = intern_add(&t->unions, sets, kept * sizeof *sets, &is_new), n_words = 0, n_ranges = 0;
	if (!is_new) return t->union_of.at[u];
	for (uint32_t i = 0; i < kept; i++) {
		uint32_t n, end = tokensets_end(t, sets[i]);
		if (BITS_WORDS(end) > n_words) n_words = BITS_WORDS(end);
		all_lists &= !tokensets_bits(t, sets[i], &n);
		n_ranges += tokensets_n_ranges(t, sets[i]);
	}
	set_id s;
	if (n_ranges < MANY_RANGES || (all_lists && kept <= FEW_LISTS)) {
		if (kept <= FEW_LISTS)
			merge_few(t, sets, kept);
		else
			merge_many(t, sets, kept);
		ASSERT(ascend_apart(t->work.at, t->work.n));
		s = add_ranges(t, t->work.at, t->work.n, &is_new);
	} else {
		s = unite_bits(t, sets, kept, n_words, &is_new);
	}
	if (is_new) made_by(t, s, u);
	vec_push(&t->union_of, s);
	return s;
}

set_id tokensets_union(struct tokensets *t, set_id *sets, uint32_t n)
{
	uint32_t kept = 0;
	sort_u32(sets, n);
	for (uint32_t i = 0; i < n; i++)
		if (sets[i] != SET_EMPTY && (!kept || sets[kept - 1] != sets[i])) sets[kept++] = sets[i];
	if (kept == 0) return SET_EMPTY;
	if (kept == 1) return sets[0];
	if (kept > 2) return unite(t, sets, kept);
	uint64_t pair = (uint64_t)sets[0] << 32 | sets[1], known = map64_get(&t->pairs, pair);
	if (known != MAP64_NONE) return (set_id)known;
	set_id s = unite(t, sets, kept);
	map64_put(&t->pairs, pair, s);
	return s;
}

set_id tokensets_copy(struct tokensets *to, const struct tokensets *from, set_id s, const set_id *to_of)
{
	uint32_t len, n_parts;
	bool is_new, is_new_union;
	const void *bytes = intern_get(&from->sets, s, &len);
	set_id copy = intern_add(&to->sets, bytes, len, &is_new);
	const set_id *parts = tokensets_parts(from, s, &n_parts);
	if (!is_new || !parts) return copy;
	set_id *mine = mem_alloc(n_parts * sizeof *mine);
	for (uint32_t i = 0; i < n_parts; i++) mine[i] = to_of[parts[i]];
	sort_u32(mine, n_parts);
	uint32_t u = intern_add(&to->unions, mine, n_parts * sizeof *mine, &is_new_union);
	ASSERT(is_new_union);
	vec_push(&to->union_of, copy);
	made_by(to, copy, u);
	free(mine);
	return copy;
}

const set_id *tokensets_parts(const struct tokensets *t, set_id s, uint32_t *n)
{
	*n = 0;
	if (s >= t->union_that_made.n || t->union_that_made.at[s] == INTERN_NONE) return NULL;
	const set_id *parts = intern_get(&t->unions, t->union_that_made.at[s], n);
	*n /= (uint32_t)sizeof *parts;
	return parts;
}

set_id tokensets_shift(struct tokensets *t, set_id s, uint32_t by)
{
	uint32_t n;
	const struct rank_range *r = tokensets_get(t, s, &t->spare, &n);
	vec_clear(&t->work);
	for (uint32_t i = 0; i < n; i++) vec_push(&t->work, ((struct rank_range){r[i].from + by, r[i].to + by}));
	return tokensets_add(t, t->work.at, n);
}

set_id tokensets_part(struct tokensets *t, set_id s, uint32_t from, uint32_t to)
{
	uint32_t n;
	const struct rank_range *r = tokensets_get(t, s, &t->spare, &n);
	vec_clear(&t->work);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = r[i].from > from ? r[i].from : from, b = r[i].to < to ? r[i].to : to;
		if (a < b) vec_push(&t->work, ((struct rank_range){a - from, b - from}));
	}
	return tokensets_add(t, t->work.at, t->work.n);
}

void rank_ranges_without(const struct rank_range *r, uint32_t n, const struct rank_range *o, uint32_t n_other,
                         rank_ranges *out)
{
	uint32_t k = 0;
	vec_clear(out);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = r[i].from;
		while (k < n_other && o[k].to <= at) k++;
		for (uint32_t j = k; j < n_other && o[j].from < r[i].to; j++) {
			if (at < o[j].from) vec_push(out, ((struct rank_range){at, o[j].from}));
			at = o[j].to;
		}
		if (at < r[i].to) vec_push(out, ((struct rank_range){at, r[i].to}));
	}
}

set_id tokensets_without(struct tokensets *t, set_id s, set_id other)
{
	uint32_t n, n_other;
	rank_ranges others = {0};
	const struct rank_range *r = tokensets_get(t, s, &t->spare, &n), *o = tokensets_get(t, other, &others, &n_other);
	rank_ranges_without(r, n, o, n_other, &t->work);
	vec_release(&others);
	return tokensets_add(t, t->work.at, t->work.n);
}
