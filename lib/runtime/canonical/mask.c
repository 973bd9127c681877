// Canonical masks: what of a grammar's mask goes on a canonical sequence.
//
// In:  a place between tokens, a mask by the grammar.  Out: the mask without what the tokenizer would not write.
// Whether a token leads to the end is not asked here: hard.c, filter.c.
// What may come depends on the ways to have cut (their sets of states, and whether a piece may end) and on the last
// token. The ways give rows of bits: tokens that may begin a piece, and all that may come. The last token takes from
// these what merges would join to it and what cannot begin a piece: intervals of places, of the tokens that its right
// edge is made of. Nearly all are those of one short part that many tokens end with, so rows without these are shared
// (struct shared_row), and what is left is a few words (struct cut). So most masks read a row that many share, and a
// short list. Then the few tokens go that would complete an added token's text or join in a normal form. Inside a
// character, and there are few tokens then, each is tried. Cost: V / 8 bytes read for each row of the grammar, and one
// more, in one pass; a new cut 1 to 10 microseconds; new ways 200.
#include "../core/matcher_step.h"
#include "canonical.h"

// ---- Rows of the ways to have cut.
// Branches: three rows are made of those of the classes, two of which may be the same row.
static bool ways_make(const struct gcdc_artifact *a, struct canonical_cache *cache, const uint32_t *set, uint32_t n,
                      struct way_rows *x)
{
	const struct canonical_tables *c = &a->canonical;
	bool ends = false;
	if (!x->begins) x->begins = canonical_row_new(cache);
	if (!x->all) x->all = canonical_row_new(cache);
	if (!x->start) x->start = cache->n_bytes ? canonical_row_new(cache) : x->begins;
	if (!x->begins || !x->all || !x->start) return false;
	for (uint32_t i = 0; i < n; i++) ends |= !(set[i] & 1) && c->sets[set[i] >> 1] & CANON_SET_ENDS;
	memset(x->begins, 0, cache->words * sizeof *x->begins);
	if (ends) memcpy(x->begins, cache->added, cache->words * sizeof *x->begins);
	memset(x->all, 0, cache->words * sizeof *x->all);
	for (uint32_t k = 0; k < c->info->n_classes; k++) {
		const uint32_t *row = cache->by_class[k];
		bool begins = false, goes_on = false;
		for (uint32_t i = 0; i < n; i++) {
			uint8_t allow = c->allow[(size_t)(set[i] >> 1) * c->info->n_classes + k];
			begins |= allow & CANON_BEGINS && !(set[i] & 1), goes_on |= allow & CANON_GOES_ON;
		}
		for (uint32_t w = 0; w < cache->words && begins; w++) x->begins[w] |= row[w];
		for (uint32_t w = 0; w < cache->words && goes_on; w++) x->all[w] |= row[w];
	}
	for (uint32_t w = 0; w < cache->words; w++) x->all[w] = (x->all[w] & cache->joint[w]) | x->begins[w];
	if (x->start != x->begins) memcpy(x->start, x->begins, cache->words * sizeof *x->start);
	for (uint32_t i = 0; i < cache->n_bytes; i++) row_add(x->all, cache->bytes[i]), row_add(x->start, cache->bytes[i]);
	memcpy(x->set, set, n * sizeof *set);
	x->n = n;
	return true;
}

static void cut_drop(struct canonical_cache *cache, uint32_t i)
{
	cache->cut_bytes -= cache->cuts[i].n * sizeof *cache->cuts[i].words;
	memory_free(cache->memory, cache->cuts[i].words);
	cache->cuts[i] = (struct cut){0};
	cache->cut_keys[i] = 0;
}

// The rows of a place's ways. Ways differ for them by their sets, and by whether the piece may end. NULL: no memory.
// Branches: one set of ways has a row of its own, several share places, and what was cut from rows that give way is
// dropped.
static const struct way_rows *ways_of(struct gcdc_matcher *m, const struct canonical_place *p)
{
	const struct artifact_canon_split *splits = m->artifact->canonical.splits;
	struct canonical_cache *cache = m->cache;
	uint32_t set[CANON_MAX_WAYS] = {0};
	uint32_t n = 0, hash = 0;
	for (uint32_t i = 0; i < p->n_ways; i++) {
		uint32_t x = (uint32_t)p->way[i].set << 1 | (splits[p->way[i].split].ends != 0);
		uint32_t k = 0;
		while (k < n && set[k] != x) k++;
		if (k == n) set[n++] = x, hash = (hash ^ x) * 0x9E3779B1u;
	}
	struct way_rows *at = &cache->ways[set[0]], *unions = &cache->ways[2 * cache->n_sets];
	for (uint32_t k = 0; k < CANON_UNION_PLACES && n > 1; k++) {  // the last of them is for what finds no place
		at = &unions[((hash >> 16) + k) % CANON_UNIONS];
		if (!at->n || (at->n == n && !memcmp(at->set, set, n * sizeof *set))) break;
	}
	if (LIKELY(at->n == n && !memcmp(at->set, set, n * sizeof *set))) return at;
	for (uint32_t i = 0; i < CANON_CUTS && at->n; i++)  // what was cut from these rows is void
		if (cache->cut_keys[i] >> 32 == (uint64_t)(at - cache->ways + 1)) cut_drop(cache, i);
	for (uint32_t i = 0; i < CANON_CACHE_ROWS && at->n; i++)
		if (cache->shared[i].ways_x >> 32 == (uint64_t)(at - cache->ways + 1))
			cache->shared[i].used = 0, cache->shared[i].stamp = ++cache->clock;
	at->n = 0;
	return ways_make(m->artifact, cache, set, n, at) ? at : NULL;
}

// ---- Cuts: what the last token takes from them.
static inline bool has_last(const struct canonical_tables *c, uint32_t last)
{
	return last != ARTIFACT_NONE && c->place[last] != ARTIFACT_NONE;
}

// A mask that loses tokens, behind a last token (or NONE); tokens of begins stay.
struct thinned {
	uint32_t last;
	const uint32_t *begins;
	uint32_t *mask;
	// NULL: the mask is there. Else it is this one, of which words are copied when they are touched first: *n are, in
	// touched, and is_touched has a bit for each.
	const uint32_t *base;
	uint32_t *touched, *is_touched, *n;
};

static inline void touch(const struct thinned *to, uint32_t t)
{
	uint32_t w = t / 32;
	if (!to->base || row_has(to->is_touched, w)) return;
	row_add(to->is_touched, w);
	to->mask[w] = to->base[w], to->touched[(*to->n)++] = w;
}

// Takes from a mask what merges with x on the left would join to a token that ends with x: those made at `from` or
// later, before `until`.
static void take_merges(const struct canonical_tables *c, const struct thinned *to, uint32_t x, uint32_t from,
                        uint32_t until)
{
	for (uint32_t k = c->first[x]; k < c->first[x + 1]; k++) {
		if (c->joins[k].time < from || c->joins[k].time >= until) continue;
		for (uint32_t i = c->joins[k].begin; i < c->joins[k].end; i++) {
			uint32_t t = c->at[i];
			bool stays = row_has(to->begins, t) || (UNLIKELY(c->info->n_patches) && canonical_adjacent(c, to->last, t));
			if (!stays) touch(to, t), row_drop(to->mask, t);
		}
	}
}

// The same of x, and of its right edge; not what the row of part and part_until has taken.
static void take_edge(const struct canonical_tables *c, const struct thinned *to, uint32_t x, uint32_t until,
                      uint32_t part, uint32_t part_until)
{
	for (; x != ARTIFACT_NONE; until = c->time[x], x = c->parts[x].right) {
		take_merges(c, to, x, x == part ? part_until : 0, until);
		if (x == part) return;
	}
}

// What no row knows of: pairs that intervals have wrong, byte tokens.
static void take_odd(const struct gcdc_artifact *a, const struct canonical_cache *cache,
                     const struct canonical_place *p, const struct thinned *to)
{
	const struct canonical_tables *c = &a->canonical;
	for (uint32_t i = 0; i < c->info->n_patches && has_last(c, p->last); i++) {
		uint32_t t = c->patches[i].right;
		if (c->patches[i].left == p->last && !row_has(to->begins, t) && !canonical_adjacent(c, p->last, t))
			touch(to, t), row_drop(to->mask, t);
	}
	for (uint32_t i = 0; i < cache->n_bytes; i++) {
		touch(to, cache->bytes[i]);
		bool stays = !row_has(to->mask, cache->bytes[i]);
		for (uint32_t k = 0; k < p->n_ways && !stays; k++) {
			struct canonical_place one = {.last = p->last, .n_ways = 1, .way = {p->way[k]}};
			stays = canonical_step(a, &one, cache->bytes[i]);
		}
		if (!stays) row_drop(to->mask, cache->bytes[i]);
	}
}

// Tokens share their right parts: from which one on of the last token's right edge is a row shared? What stands before
// joins few. *until: for it, rounded down to a power of two, so that few differ. NONE: all join few.
static uint32_t shared_part(const struct canonical_tables *c, uint32_t last, uint32_t *until)
{
	uint32_t n = 0;
	*until = UINT32_MAX;
	if (UNLIKELY(c->info->n_patches)) return ARTIFACT_NONE;
	for (uint32_t x = last; x != ARTIFACT_NONE; *until = c->time[x], x = c->parts[x].right)
		for (uint32_t k = c->first[x]; k < c->first[x + 1]; k++) {
			if (c->joins[k].time < *until) n += c->joins[k].end - c->joins[k].begin;
			if (n <= CUT_TOKENS) continue;
			uint32_t bits = !*until ? 0 : 31 - (uint32_t)__builtin_clz(*until);
			*until = *until == UINT32_MAX ? *until : *until >> bits << bits;
			return x;
		}
	return ARTIFACT_NONE;
}

// The ways' row without what the right edge joins from x on. x NONE: the ways' row itself.
static gcdc_status shared_row(struct gcdc_matcher *m, const struct way_rows *ways, uint32_t x, uint32_t until,
                              struct shared_row **out)
{
	struct canonical_cache *cache = m->cache;
	uint64_t ways_x = (uint64_t)(ways - cache->ways + 1) << 32 | x, hash = hash_add(ways_x, (uint64_t)until << 20);
	struct shared_row *places = &cache->shared[(hash >> 40) % CANON_CACHE_ROWS & ~(CANON_PLACES - 1)], *at = places;
	for (uint32_t i = 0; i < CANON_PLACES; i++) {
		if (places[i].used && places[i].ways_x == ways_x && places[i].until == until) return *out = &places[i], GCDC_OK;
		if (places[i].used < at->used) at = &places[i];
	}
	if (!at->row && !(at->row = canonical_row_new(cache))) return GCDC_ERR_MEMORY;
	at->ways_x = ways_x, at->until = until, at->stamp = ++cache->clock;
	memcpy(at->row, ways->all, cache->words * sizeof *at->row);
	const struct thinned to = {.last = ARTIFACT_NONE, .begins = ways->begins, .mask = at->row};
	take_edge(&m->artifact->canonical, &to, x, until, ARTIFACT_NONE, 0);
	*out = at;
	return GCDC_OK;
}

// Room for so many bytes more: of some cuts the one that is not used for longest goes, until there is.
static void cuts_limit(struct canonical_cache *cache, size_t bytes)
{
	while (cache->cut_bytes && cache->cut_bytes + bytes > CANON_CUT_BYTES) {
		uint32_t oldest = UINT32_MAX;
		for (uint32_t i = 0; i < CANON_PLACES; i++, cache->hand = (cache->hand + 1) % CANON_CUTS) {
			if (!cache->cut_keys[cache->hand]) continue;
			if (oldest == UINT32_MAX || cache->cuts[cache->hand].used < cache->cuts[oldest].used) oldest = cache->hand;
		}
		if (oldest != UINT32_MAX) cut_drop(cache, oldest);
	}
}

static gcdc_status cut_make(struct gcdc_matcher *m, const struct canonical_place *p, const struct way_rows *ways,
                            struct cut *x)
{
	struct canonical_cache *cache = m->cache;
	const struct canonical_tables *c = &m->artifact->canonical;
	bool last = has_last(c, p->last);
	uint32_t until = 0, part = last ? shared_part(c, p->last, &until) : ARTIFACT_NONE, n_touched = 0, n = 0;
	struct shared_row *shared = NULL;
	gcdc_status status = part == ARTIFACT_NONE ? GCDC_OK : shared_row(m, ways, part, until, &shared);
	if (status) return status;
	const struct thinned to = {.last = p->last,
	                           .begins = ways->begins,
	                           .mask = cache->scratch[0],
	                           .base = shared ? shared->row
	                                   : last ? ways->all
	                                          : ways->start,
	                           .touched = cache->touched[0],
	                           .is_touched = cache->touched[1],
	                           .n = &n_touched};
	memset(to.is_touched, 0, (cache->words + 31) / 32 * sizeof *to.is_touched);
	if (last) take_edge(c, &to, p->last, UINT32_MAX, part, until);
	take_odd(m->artifact, cache, p, &to);
	for (uint32_t i = 0; i < n_touched; i++)
		if (to.mask[to.touched[i]] != to.base[to.touched[i]]) to.touched[n++] = to.touched[i];
	cuts_limit(cache, n * sizeof *x->words);
	struct cut made = {.n = n, .shared = shared, .stamp = shared ? shared->stamp : 0};
	if (!(made.words = memory_resize(cache->memory, NULL, n + 1ull, sizeof *made.words))) return GCDC_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++) made.words[i] = (struct cut_word){to.touched[i], to.mask[to.touched[i]]};
	cache->cut_bytes += n * sizeof *made.words;
	*x = made;
	return GCDC_OK;
}

// NULL in *cut: none is kept, and none is to be.
static gcdc_status cut_of(struct gcdc_matcher *m, const struct canonical_place *p, const struct way_rows *ways,
                          const struct cut **cut)
{
	struct canonical_cache *cache = m->cache;
	uint64_t key = (uint64_t)(ways - cache->ways + 1) << 32 | p->last;
	uint32_t first = (uint32_t)(hash_u64(key) >> 40) % CANON_CUTS & ~(CUT_PLACES - 1), at = first;
	struct cut *x = NULL;
	for (uint32_t i = first; i < first + CUT_PLACES && !x; i++) {
		if (cache->cut_keys[i] == key)
			x = &cache->cuts[at = i];
		else if (cache->cuts[i].used < cache->cuts[at].used)
			at = i;
	}
	*cut = NULL;
	if (UNLIKELY(!x || (x->shared && x->shared->stamp != x->stamp))) {
		if (cache->is_search) return GCDC_OK;
		cut_drop(cache, at);
		x = &cache->cuts[at];
		gcdc_status status = cut_make(m, p, ways, x);
		if (status) return status;
		cache->cut_keys[at] = key;
	}
	x->used = ++cache->clock;
	if (x->shared) x->shared->used = cache->clock;
	*cut = x;
	return GCDC_OK;
}

// What is kept at a place, not inside a character: what `row` has, of that what the cut says; NULL: without what the
// last token joins.
struct kept_row {
	const uint32_t *row;
	const struct way_rows *ways;
	const struct cut *cut;
	bool takes;
};

static gcdc_status kept_row(struct gcdc_matcher *m, const struct canonical_place *p, struct kept_row *k)
{
	bool last = has_last(&m->artifact->canonical, p->last);
	*k = (struct kept_row){.ways = ways_of(m, p)};
	if (UNLIKELY(!k->ways)) return GCDC_ERR_MEMORY;
	k->takes = last || m->cache->n_bytes;
	gcdc_status status = k->takes ? cut_of(m, p, k->ways, &k->cut) : GCDC_OK;
	k->row = k->cut && k->cut->shared ? k->cut->shared->row : last ? k->ways->all : k->ways->start;
	return status;
}

static inline void take_cut(struct gcdc_matcher *m, const struct canonical_place *p, const struct kept_row *k,
                            uint32_t *mask)
{
	const struct canonical_tables *c = &m->artifact->canonical;
	if (LIKELY(k->cut != NULL)) {
		for (uint32_t i = 0; i < k->cut->n; i++) mask[k->cut->words[i].word] &= k->cut->words[i].stays;
	} else if (k->takes) {
		const struct thinned to = {.last = p->last, .begins = k->ways->begins, .mask = mask};
		if (has_last(c, p->last)) take_edge(c, &to, p->last, UINT32_MAX, ARTIFACT_NONE, 0);
		take_odd(m->artifact, m->cache, p, &to);
	}
}

// ---- What is left of a mask.
static void probe_each(const struct gcdc_matcher *m, const struct canonical_place *p, uint32_t *mask)
{
	const uint32_t *row = m->cache->inside;
	for (uint32_t w = 0; w < m->cache->words; w++) mask[w] &= row[w];
	for (uint32_t i = 0; i < m->cache->n_inside; i++) {
		uint32_t t = m->cache->inside_tokens[i];
		struct canonical_place after = *p;
		if (row_has(mask, t) && !canonical_step(m->artifact, &after, t)) row_drop(mask, t);
	}
}

static void drop_list(const struct canonical_tables *c, uint32_t first, uint32_t n, uint32_t *mask)
{
	for (uint32_t i = 0; i < n; i++) row_drop(mask, c->bad[first + i]);
}

static void drop_special(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t *mask)
{
	const struct canonical_tables *c = &a->canonical;
	for (uint32_t i = 0; i < p->n_live; i++) drop_list(c, c->added[p->live[i]].bad, c->added[p->live[i]].n_bad, mask);
	if (!p->combining) {
		if (p->left) drop_list(c, c->marks[p->left].first, c->marks[p->left].n, mask);
		return;
	}
	for (uint32_t i = 0; i < c->info->n_marks; i++) {
		uint32_t t = c->bad[c->info->first_mark + i];
		struct canonical_place after = *p;
		if (row_has(mask, t) && !canonical_step(a, &after, t)) row_drop(mask, t);
	}
}

// What is left to do with a mask that has nothing but tokens of the place's row.
static void keep_rest(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t *mask, bool *empty)
{
	*empty = row_is_empty(mask, a->info.mask_words);
	if (LIKELY(!p->n_live && !p->left && !p->combining) || *empty) return;
	drop_special(a, p, mask);
	*empty = row_is_empty(mask, a->info.mask_words);
}

gcdc_status canonical_keep(struct gcdc_matcher *m, const struct canonical_place *p, uint32_t *mask, bool *empty)
{
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	if (UNLIKELY(p->n_begun)) {
		probe_each(m, p, mask);
		*empty = row_is_empty(mask, m->cache->words);
		return GCDC_OK;
	}
	struct kept_row k;
	gcdc_status status = kept_row(m, p, &k);
	if (UNLIKELY(status)) return status;
	mask_keep(mask, k.row, m->cache->words);
	take_cut(m, p, &k, mask);
	keep_rest(m->artifact, p, mask, empty);
	return GCDC_OK;
}

gcdc_status canonical_fill(struct gcdc_matcher *m, const struct canonical_place *p, const struct set_list *list,
                           uint32_t *mask, bool *empty)
{
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	if (UNLIKELY(p->n_begun)) {
		sets_fill(m->artifact, list, mask);
		return canonical_keep(m, p, mask, empty);
	}
	struct kept_row k;
	gcdc_status status = kept_row(m, p, &k);
	if (UNLIKELY(status)) return status;
	sets_fill_kept(m->artifact, list, k.row, mask);
	take_cut(m, p, &k, mask);
	keep_rest(m->artifact, p, mask, empty);
	return GCDC_OK;
}
