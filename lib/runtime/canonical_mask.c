// Canonical masks: what of a grammar's mask goes on a canonical sequence.
//
// In:  a position, its mask by the grammar.  Out: the mask without what the tokenizer would not write.
// For one set of states and one last token the answer is a row of bits, and a cache keeps such rows (CANON_CACHE_ROWS for
// a family of matchers, chosen by a hash, the newer one stays). A row is: tokens that may begin a piece, and tokens that
// may go on in one, without those that merges would join to the last token, which are intervals of places. Then the few
// tokens go that would complete an added token's text or join in a normal form. Inside a character, and there are few
// tokens then, each is tried.
// Rows are united and cut in one pass.
// Cost: V / 8 bytes read for each row and written; a new row 1 to 20 microseconds; a new set of states 100.
#include "canonical_price.h"

static inline bool row_has(const uint32_t *row, uint32_t t) { return row[t / 32] >> t % 32 & 1; }
static inline void row_add(uint32_t *row, uint32_t t) { row[t / 32] |= 1u << t % 32; }
static inline void row_drop(uint32_t *row, uint32_t t) { row[t / 32] &= ~(1u << t % 32); }

// ---- The cache.
uint32_t *canonical_row_new(const struct canonical_cache *cache)
{
	uint32_t *row = memory_resize(cache->memory, NULL, cache->words, sizeof *row);
	if (row) memset(row, 0, cache->words * sizeof *row);
	return row;
}

void canonical_cache_join(struct canonical_cache *cache)
{
	if (cache) cache->users++;
}

void canonical_cache_leave(const gcdc_memory *memory, struct canonical_cache *cache)
{
	if (!cache || --cache->users) return;
	for (uint32_t i = 0; i < CANON_CACHE_ROWS; i++) memory_free(memory, cache->rows[i].row);
	for (uint32_t k = 0; k < MEMO_LEVELS; k++) {
		for (uint32_t i = 0; i < CANON_MEMOS && cache->memos[k]; i++) memory_free(memory, cache->memos[k][i].tokens);
		memory_free(memory, cache->memos[k]);
		memory_free(memory, cache->tags[k]);
	}
	memory_free(memory, cache->draft);
	memory_free(memory, cache->verdicts);
	memory_free(memory, cache->pairs);
	memory_free(memory, cache->forks);
	for (uint32_t i = 0; i < 4; i++) memory_free(memory, cache->inside_rows[i]);
	memory_free(memory, cache->behind);
	for (uint32_t i = 0; i < 256; i++) memory_free(memory, cache->by_first[i]);
	memory_free(memory, cache->blocked);
	for (uint32_t i = 0; i < CANON_TRY_DEPTH && cache->tries; i++) {
		memory_free(memory, cache->tries[i].after.at);
		set_list_release(memory, &cache->tries[i].sets);
		memory_free(memory, cache->tries[i].mask);
	}
	memory_free(memory, cache->tries);
	hard_prices_free(memory, cache->prices);
	for (uint32_t s = 0; s < ROW_KINDS * cache->n_sets && cache->by_set; s++) memory_free(memory, cache->by_set[s]);
	memory_free(memory, cache->by_set);
	memory_free(memory, cache->inside);
	memory_free(memory, cache->inside_tokens);
	memory_free(memory, cache->mask);
	memory_free(memory, cache->added);
	for (uint32_t i = 0; i < 3; i++) memory_free(memory, cache->scratch[i]);
	memory_free(memory, cache);
}

static struct canonical_cache *cache_new(const struct gcdc_artifact *a)
{
	const struct canonical_tables *c = &a->canonical;
	struct canonical_cache *cache = memory_resize(&a->memory, NULL, 1, sizeof *cache);
	if (!cache) return NULL;
	memset(cache, 0, sizeof *cache);
	cache->users = 1, cache->memory = &a->memory, cache->words = a->info.mask_words, cache->n_sets = c->info->n_sets;
	cache->by_set = memory_resize(&a->memory, NULL, ROW_KINDS * (size_t)cache->n_sets, sizeof *cache->by_set);
	if (cache->by_set) memset(cache->by_set, 0, ROW_KINDS * (size_t)cache->n_sets * sizeof *cache->by_set);
	bool good = cache->by_set && (cache->inside = canonical_row_new(cache)) && (cache->mask = canonical_row_new(cache)) &&
	            (cache->added = canonical_row_new(cache));
	for (uint32_t i = 0; i < 3 && good; i++) good = (cache->scratch[i] = canonical_row_new(cache));
	good = good && (cache->behind = memory_resize(&a->memory, NULL, cache->n_sets, sizeof *cache->behind));
	if (!good) {
		canonical_cache_leave(&a->memory, cache);
		return NULL;
	}
	for (uint32_t i = 0; i < a->info.n_eos; i++) row_add(cache->added, a->eos[i]);
	for (uint32_t k = 0; k < cache->n_sets; k++) {
		canonical_chars_behind(c, k, CANON_STEP_BEGIN, cache->behind[k].sure);
		canonical_chars_behind(c, k, CANON_STEP_EITHER, cache->behind[k].either);
	}
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		uint32_t class = c->class_of[t];
		if (class == CANON_CLASS_INSIDE || class == CANON_CLASS_BYTE) row_add(cache->inside, t), cache->n_inside++;
		if (class == CANON_CLASS_BYTE && cache->n_bytes < 256) cache->bytes[cache->n_bytes++] = t;
		if (class == CANON_CLASS_ADDED) row_add(cache->added, t);
	}
	cache->inside_tokens = memory_resize(&a->memory, NULL, cache->n_inside + 1ull, sizeof *cache->inside_tokens);
	if (!cache->inside_tokens) {
		canonical_cache_leave(&a->memory, cache);
		return NULL;
	}
	for (uint32_t len = 4, n = 0; len--;)   // long ones first: they end a character
		for (uint32_t t = 0; t < a->info.n_tokens; t++) {
			uint32_t size = a->token_offset[t + 1] - a->token_offset[t];
			if (row_has(cache->inside, t) && (size < 3 ? size : 3) == len) cache->inside_tokens[n++] = t;
		}
	return cache;
}

struct canonical_cache *canonical_cache_of(struct gcdc_matcher *m)
{
	if (UNLIKELY(!m->cache)) m->cache = cache_new(m->artifact);
	return m->cache;
}

const uint32_t *canonical_set_row(struct gcdc_matcher *m, uint32_t set, enum canonical_row_kind kind)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_tables *c = &a->canonical;
	uint32_t **at = &m->cache->by_set[ROW_KINDS * set + kind];
	if (LIKELY(*at != NULL)) return *at;
	uint32_t *row = canonical_row_new(m->cache);
	if (!row) return NULL;
	const uint8_t *allow = &c->allow[(size_t)set * c->info->n_classes];
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		uint32_t class = c->class_of[t];
		bool has = kind == ROW_BEGINS ? allow[class] & CANON_BEGINS
		         : kind == ROW_GOES_ON ? allow[class] & CANON_GOES_ON && c->place[t] != ARTIFACT_NONE
		                               : canonical_surely_leads(a, set, t, kind == ROW_SURE ? CANON_STEP_BEGIN : CANON_STEP_EITHER);
		if (has) row_add(row, t);
	}
	return *at = row;
}

// ---- Rows of a set and a last token.
// Takes away what merges would join to the last token.
static void drop_joined(const struct canonical_tables *c, uint32_t last, uint32_t *row)
{
	uint32_t until = UINT32_MAX;
	for (uint32_t x = last; x != ARTIFACT_NONE; until = c->time[x], x = c->parts[x].right)
		for (uint32_t k = c->first[x]; k < c->first[x + 1]; k++) {
			if (c->joins[k].time >= until) continue;
			for (uint32_t i = c->joins[k].begin; i < c->joins[k].end; i++) row_drop(row, c->at[i]);
		}
}

static void patch_row(const struct canonical_tables *c, uint32_t last, const uint32_t *goes_on, uint32_t *row)
{
	for (uint32_t i = 0; i < c->info->n_patches; i++) {
		uint32_t t = c->patches[i].right;
		if (c->patches[i].left != last || !row_has(goes_on, t)) continue;
		if (canonical_adjacent(c, last, t)) row_add(row, t);
		else row_drop(row, t);
	}
}

static gcdc_status make_row(struct gcdc_matcher *m, const struct canonical_way *w, uint32_t last, uint32_t *row)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_tables *c = &a->canonical;
	uint32_t words = a->info.mask_words;
	const uint32_t *begins = canonical_set_row(m, w->set, ROW_BEGINS), *goes_on = canonical_set_row(m, w->set, ROW_GOES_ON);
	if (!begins || !goes_on) return GCDC_ERR_MEMORY;
	bool has_last = last != ARTIFACT_NONE && c->place[last] != ARTIFACT_NONE, may_begin = !c->splits[w->split].ends;
	if (has_last) {
		memcpy(row, goes_on, words * sizeof *row);
		drop_joined(c, last, row);
		if (UNLIKELY(c->info->n_patches)) patch_row(c, last, goes_on, row);
	} else {
		memset(row, 0, words * sizeof *row);
	}
	for (uint32_t i = 0; i < words && may_begin; i++) row[i] |= begins[i];
	bool ends = may_begin && c->sets[w->set] & CANON_SET_ENDS;
	for (uint32_t i = 0; i < words && ends; i++) row[i] |= m->cache->added[i];
	for (uint32_t i = 0; i < m->cache->n_bytes; i++) {
		struct canonical_place p = {.last = last, .n_ways = 1, .way = {*w}};
		if (canonical_step(a, &p, m->cache->bytes[i])) row_add(row, m->cache->bytes[i]);
	}
	return GCDC_OK;
}

// A row depends on the way by its set, and by whether the piece may end here.
static gcdc_status cached_row(struct gcdc_matcher *m, const struct canonical_way *w, uint32_t last, const uint32_t **row)
{
	struct canonical_cache *cache = m->cache;
	uint32_t set = (uint32_t)w->set << 1 | (m->artifact->canonical.splits[w->split].ends != 0);
	uint64_t key = ((uint64_t)set << 32 | last) * 0x9E3779B97F4A7C15u;
	struct cached_row *at = NULL, *places = &cache->rows[(key >> 40) % CANON_CACHE_ROWS & ~(CANON_PLACES - 1)];
	for (uint32_t i = 0; i < CANON_PLACES; i++) {
		if (places[i].used && places[i].set == set && places[i].last == last) {
			places[i].used = ++cache->clock;
			return *row = places[i].row, GCDC_OK;
		}
		if (!at || places[i].used < at->used) at = &places[i];
	}
	if (cache->is_search) {
		*row = cache->scratch[1];
		return make_row(m, w, last, cache->scratch[1]);
	}
	if (!at->row && !(at->row = canonical_row_new(cache))) return GCDC_ERR_MEMORY;
	at->used = 0;   // an error leaves nothing behind
	gcdc_status status = make_row(m, w, last, at->row);
	if (status) return status;
	at->set = set, at->last = last, at->used = ++cache->clock;
	*row = at->row;
	return GCDC_OK;
}

// The row of all ways.
static gcdc_status place_row(struct gcdc_matcher *m, const struct canonical_place *p, const uint32_t **row)
{
	if (LIKELY(p->n_ways == 1)) return cached_row(m, &p->way[0], p->last, row);
	const struct artifact_canon_split *splits = m->artifact->canonical.splits;
	uint32_t *all = m->cache->scratch[0], words = m->artifact->info.mask_words, n = 0;
	for (uint32_t i = 0; i < p->n_ways; i++) {
		bool is_new = true;
		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = p->way[k].set != p->way[i].set || splits[p->way[k].split].ends != splits[p->way[i].split].ends;
		if (!is_new) continue;
		const uint32_t *one;
		gcdc_status status = cached_row(m, &p->way[i], p->last, &one);
		if (status) return status;
		bool is_first = !n++;
		if (is_first) *row = one;   // it may be the only one
		if (is_first && one != m->cache->scratch[1]) continue;
		if (*row != all) memcpy(all, *row, words * sizeof *all);
		for (uint32_t k = 0; k < words && !is_first; k++) all[k] |= one[k];
		*row = all;
	}
	return GCDC_OK;
}

// ---- The filter.
static void try_each(const struct gcdc_matcher *m, const struct canonical_place *p, uint32_t *mask)
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

static bool is_empty(const uint32_t *mask, uint32_t words)
{
	uint32_t i = 0;
	while (i < words && !mask[i]) i++;
	return i == words;
}

// What is left to do with a mask that has nothing but tokens of the place's row.
static void keep_rest(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t *mask, bool *empty)
{
	*empty = is_empty(mask, a->info.mask_words);
	if (LIKELY(!p->n_live && !p->left && !p->combining) || *empty) return;
	drop_special(a, p, mask);
	*empty = is_empty(mask, a->info.mask_words);
}

gcdc_status canonical_keep(struct gcdc_matcher *m, const struct canonical_place *p, uint32_t *mask, bool *empty)
{
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	if (UNLIKELY(p->n_begun)) {
		try_each(m, p, mask);
		*empty = is_empty(mask, m->cache->words);
		return GCDC_OK;
	}
	const uint32_t *row;
	gcdc_status status = place_row(m, p, &row);
	if (UNLIKELY(status)) return status;
	mask_keep(mask, row, m->cache->words);
	keep_rest(m->artifact, p, mask, empty);
	return GCDC_OK;
}

// sets_fill and canonical_keep in one pass.
static gcdc_status fill_kept(struct gcdc_matcher *m, const struct canonical_place *p, const struct set_list *list, uint32_t *mask, bool *empty)
{
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	if (UNLIKELY(p->n_begun)) {
		sets_fill(m->artifact, list, mask);
		return canonical_keep(m, p, mask, empty);
	}
	const uint32_t *row;
	gcdc_status status = place_row(m, p, &row);
	if (UNLIKELY(status)) return status;
	sets_fill_kept(m->artifact, list, row, mask);
	keep_rest(m->artifact, p, mask, empty);
	return GCDC_OK;
}

gcdc_status canonical_filter(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t *mask,
                             bool *relaxed)
{
	bool empty = false;
	*relaxed = false;
	gcdc_status status = fill_kept(m, &p->canonical, list, mask, &empty);
	if (m->canonical_mode == GCDC_CANONICAL_HARD && !empty && !status) {
		if (UNLIKELY(p->left != GCDC_NONE)) status = hard_afford(m, p, mask, &empty);   // what can be finished is no dead end
		else if (regex_knows(m->artifact, p)) regex_prune(m->artifact, p, mask, &empty);
		else status = canonical_prune(m, p, list, mask, &empty);
	}
	if (LIKELY(!status && !empty)) return GCDC_OK;
	if (!status && m->canonical_mode == GCDC_CANONICAL_HARD) status = GCDC_ERR_CANONICAL;
	if (status) {
		memset(mask, 0, m->artifact->info.mask_words * sizeof *mask);
		return status;
	}
	*relaxed = true;
	sets_fill(m->artifact, list, mask);
	return GCDC_OK;
}

gcdc_status canonical_allows(struct gcdc_matcher *m, struct position *p, const struct set_list *list, uint32_t token, bool *allowed)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_place after = p->canonical;
	bool is_hard = m->canonical_mode == GCDC_CANONICAL_HARD, relaxed;
	*allowed = artifact_is_eos(a, token) ? canonical_ends(&a->canonical, &p->canonical) : canonical_step(a, &after, token);
	if (*allowed != is_hard) return GCDC_OK;   // hard: no; soft: yes
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	if (is_hard && UNLIKELY(p->left != GCDC_NONE)) {
		bool is_next = token == hard_next_of_closing(m, p) || artifact_is_eos(a, token);
		if (is_next || a->cost_info->model == COST_EXACT) return hard_affords(m, p, token, allowed);
		// Aligned prices are no bounds from below: what a search finds depends on what is kept, and the mask is what was told.
		gcdc_status status = canonical_filter(m, p, list, m->cache->scratch[2], &relaxed);
		*allowed = !status && m->cache->scratch[2][token / 32] >> token % 32 & 1;
		return status;
	}
	if (is_hard && regex_knows(m->artifact, p)) {
		*allowed = artifact_is_eos(a, token) || regex_survives(a, p, token);
		return GCDC_OK;
	}
	if (is_hard) return canonical_survives(m, p, token, allowed);
	gcdc_status status = canonical_filter(m, p, list, m->cache->scratch[2], &relaxed);
	*allowed = !status && relaxed;
	return status;
}
