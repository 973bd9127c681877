// What a family of matchers keeps of canonical masks: made, shared, let go; rows that depend on the tokenizer alone.
//
// In:  an artifact, its first matcher that asks.  Out: the cache, rows of tokens that may begin a piece or go on.
// The lowest file of this folder but for canonical.c and verdict_cache.c: what fills the cache stands above, and so do
// searches under budgets, which the cache frees by a pointer that they leave.
// Cost: a new cache some milliseconds; a row of a set of states one look at each token, once.
#include "far.h"
#include "finished.h"
#include "token_classes.h"
#include "verdict_cache.h"

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

// They hold numbers of the family's frames.
static void prices_free(const gcdc_memory *memory, struct canonical_cache *cache)
{
	if (cache->prices) cache->free_prices(memory, cache->prices);
	cache->prices = NULL;
}

static void probe_release(const gcdc_memory *memory, struct canonical_probe *x)
{
	memory_free(memory, x->after.at);
	set_list_release(memory, &x->sets);
	memory_free(memory, x->mask);
}

// Branches: one release for each table of the cache, of which any may be missing.
static void cache_free(const gcdc_memory *memory, struct canonical_cache *cache)
{
	for (uint32_t i = 0; i < CANON_CUTS; i++) memory_free(memory, cache->cuts[i].words);
	for (uint32_t i = 0; i < CANON_CACHE_ROWS; i++) memory_free(memory, cache->shared[i].row);
	for (uint32_t i = 0; i < 2 * cache->n_sets + CANON_UNIONS && cache->ways; i++) {
		if (cache->ways[i].start != cache->ways[i].begins) memory_free(memory, cache->ways[i].start);
		memory_free(memory, cache->ways[i].begins);
		memory_free(memory, cache->ways[i].all);
	}
	memory_free(memory, cache->ways);
	for (uint32_t k = 0; k < MEMO_LEVELS; k++) {
		for (uint32_t i = 0; i < CANON_MEMOS && cache->memos[k]; i++)
			if (cache->tags[k][i].is_made) memory_free(memory, cache->memos[k][i].words);
		memory_free(memory, cache->memos[k]);
		memory_free(memory, cache->tags[k]);
	}
	known_free(memory, cache->known);
	memory_free(memory, cache->draft);
	memory_free(memory, cache->verdicts);
	memory_free(memory, cache->found);
	for (uint32_t i = 0; i < CANON_RESTS && cache->rests; i++) memory_free(memory, cache->rests[i].rests);
	memory_free(memory, cache->rests);
	memory_free(memory, cache->takes);
	memory_free(memory, cache->pair_map);
	finished_free(memory, cache->finished);
	for (uint32_t i = 0; i < 4; i++) memory_free(memory, cache->inside_rows[i]);
	memory_free(memory, cache->readings_row);
	if (cache->reading) probe_release(memory, cache->reading);
	memory_free(memory, cache->reading);
	memory_free(memory, cache->behind);
	for (uint32_t i = 0; i < 256; i++) memory_free(memory, cache->by_first[i]);
	memory_free(memory, cache->by_first_byte);
	memory_free(memory, cache->blocked);
	for (uint32_t i = 0; i < CANON_PROBE_DEPTH && cache->tries; i++) probe_release(memory, &cache->tries[i]);
	memory_free(memory, cache->tries);
	prices_free(memory, cache);
	token_classes_free(memory, cache->classes);
	far_free(memory, cache->far);
	memory_free(memory, cache->order);
	if (cache->tokens) cache->free_tokens(memory, cache->tokens);
	for (uint32_t s = 0; s < ROW_KINDS * cache->n_sets && cache->by_set; s++) memory_free(memory, cache->by_set[s]);
	memory_free(memory, cache->by_set);
	for (uint32_t k = 0; k < cache->n_classes && cache->by_class; k++) memory_free(memory, cache->by_class[k]);
	memory_free(memory, cache->by_class);
	memory_free(memory, cache->joint);
	memory_free(memory, cache->inside);
	memory_free(memory, cache->inside_tokens);
	memory_free(memory, cache->mask);
	memory_free(memory, cache->added);
	memory_free(memory, cache->led);
	for (uint32_t i = 0; i < 2; i++) memory_free(memory, cache->scratch[i]), memory_free(memory, cache->touched[i]);
	memory_free(memory, cache);
}

static void *zeroed(const gcdc_memory *memory, size_t n, size_t size)
{
	void *at = memory_resize(memory, NULL, n, size);
	if (at) memset(at, 0, n * size);
	return at;
}

static bool allocate(const struct gcdc_artifact *a, struct canonical_cache *cache)
{
	uint32_t **rows[] = {&cache->inside,     &cache->mask,       &cache->added,      &cache->joint,     &cache->led,
	                     &cache->scratch[0], &cache->scratch[1], &cache->touched[0], &cache->touched[1]};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!(*rows[i] = canonical_row_new(cache))) return false;
	cache->by_set = zeroed(&a->memory, ROW_KINDS * (size_t)cache->n_sets, sizeof *cache->by_set);
	cache->ways = zeroed(&a->memory, 2 * cache->n_sets + CANON_UNIONS, sizeof *cache->ways);
	cache->behind = memory_resize(&a->memory, NULL, cache->n_sets, sizeof *cache->behind);
	cache->by_class = zeroed(&a->memory, cache->n_classes, sizeof *cache->by_class);
	bool good = cache->by_set && cache->ways && cache->behind && cache->by_class;
	for (uint32_t k = 0; k < cache->n_classes && good; k++) good = (cache->by_class[k] = canonical_row_new(cache));
	return good;
}

// Tokens inside characters, long ones first: they end a character.
static bool list_inside(const struct gcdc_artifact *a, struct canonical_cache *cache)
{
	cache->inside_tokens = memory_resize(&a->memory, NULL, cache->n_inside + 1ull, sizeof *cache->inside_tokens);
	if (!cache->inside_tokens) return false;
	for (uint32_t len = 4, n = 0; len--;)
		for (uint32_t w = 0; w < cache->words; w++)
			for (uint32_t bits = cache->inside[w]; bits; bits &= bits - 1) {
				uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits), size = a->token_offset[t + 1] - a->token_offset[t];
				if ((size < 3 ? size : 3) == len) cache->inside_tokens[n++] = t;
			}
	return true;
}

// Tokens by their first byte; of one ASCII character alone.
static bool list_first(const struct gcdc_artifact *a, struct canonical_cache *cache)
{
	cache->by_first_byte = memory_resize(&a->memory, NULL, a->info.n_tokens + 1ull, sizeof *cache->by_first_byte);
	if (!cache->by_first_byte) return false;
	memset(cache->char_token, 0xff, sizeof cache->char_token);
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		uint32_t begin = a->token_offset[t], size = a->token_offset[t + 1] - begin;
		if (!size) continue;
		cache->first_at[a->token_bytes[begin] + 1]++;
		if (size == 1 && a->token_bytes[begin] < 128) cache->char_token[a->token_bytes[begin]] = t;
	}
	uint32_t next[256];
	for (uint32_t b = 0; b < 256; b++) cache->first_at[b + 1] += next[b] = cache->first_at[b];
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		uint32_t begin = a->token_offset[t];
		if (begin != a->token_offset[t + 1]) cache->by_first_byte[next[a->token_bytes[begin]]++] = t;
	}
	return true;
}

static struct canonical_cache *cache_new(const struct gcdc_artifact *a)
{
	const struct canonical_tables *c = &a->canonical;
	struct canonical_cache *cache = memory_resize(&a->memory, NULL, 1, sizeof *cache);
	if (!cache) return NULL;
	memset(cache, 0, sizeof *cache);
	cache->users = 1;
	cache->many = CANON_MANY, cache->n_memos = CANON_MEMOS, cache->memo_bytes_most = CANON_MEMO_BYTES;
	cache->memory = &a->memory, cache->words = a->info.mask_words, cache->n_sets = c->info->n_sets,
	cache->n_classes = c->info->n_classes;
	if (!allocate(a, cache)) {
		cache_free(&a->memory, cache);
		return NULL;
	}
	for (uint32_t i = 0; i < a->info.n_eos; i++) row_add(cache->added, a->eos[i]);
	for (uint32_t k = 0; k < cache->n_sets; k++) {
		struct canonical_chars begins, either;
		canonical_chars(c, k, CANON_STEP_BEGIN, true, &begins), canonical_chars(c, k, CANON_STEP_EITHER, true, &either);
		memcpy(cache->behind[k].sure, begins.sure, sizeof begins.sure);
		memcpy(cache->behind[k].either, either.sure, sizeof either.sure);
	}
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		uint32_t class = c->class_of[t];
		row_add(cache->by_class[class], t);
		if (c->place[t] != ARTIFACT_NONE) row_add(cache->joint, t);
		if (class == CANON_CLASS_INSIDE || class == CANON_CLASS_BYTE) row_add(cache->inside, t), cache->n_inside++;
		if (class == CANON_CLASS_BYTE && cache->n_bytes < 256) cache->bytes[cache->n_bytes++] = t;
		if (class == CANON_CLASS_ADDED) row_add(cache->added, t);
	}
	if (list_inside(a, cache) && list_first(a, cache)) return cache;
	cache_free(&a->memory, cache);
	return NULL;
}

// ---- Caches whose family has ended, for the next one to begin with. A slot of the artifact is emptied or filled in
// one step, so threads need no lock, and a cache is one family's at a time.
static struct canonical_cache **parked_of(const struct gcdc_artifact *a)
{
	return ((struct gcdc_artifact *)(uintptr_t)a)->canonical_parked;
}

static struct canonical_cache *cache_take(const struct gcdc_artifact *a)
{
	struct canonical_cache **slot = parked_of(a), *cache = NULL;
	for (uint32_t i = 0; i < CANON_PARKED && !cache; i++) cache = __atomic_exchange_n(&slot[i], NULL, __ATOMIC_ACQUIRE);
	if (cache) cache->users = 1;
	return cache;
}

void canonical_cache_leave(const struct gcdc_artifact *a, struct canonical_cache *cache)
{
	struct canonical_cache **slot = parked_of(a);
	if (!cache || --cache->users) return;
	prices_free(&a->memory, cache);
	cache->many = CANON_MANY, cache->n_memos = CANON_MEMOS, cache->memo_bytes_most = CANON_MEMO_BYTES;
	for (uint32_t i = 0; i < CANON_PARKED; i++) {
		struct canonical_cache *none = NULL;
		if (__atomic_compare_exchange_n(&slot[i], &none, cache, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
	}
	cache_free(&a->memory, cache);
}

void canonical_caches_free(struct gcdc_artifact *a)
{
	for (struct canonical_cache *cache; (cache = cache_take(a));) cache_free(&a->memory, cache);
}

struct canonical_cache *canonical_cache_of(struct gcdc_matcher *m)
{
	if (LIKELY(m->cache != NULL)) return m->cache;
	m->cache = cache_take(m->artifact);
	if (!m->cache) m->cache = cache_new(m->artifact);
	if (m->cache) m->cache->work_most = m->max_work / CANON_WORK_UNIT, m->cache->afford_most = m->max_work;
	return m->cache;
}

static bool has_char(const uint64_t chars[2], uint8_t ch) { return chars[ch / 64] >> ch % 64 & 1; }

// The tokens that begin with an ASCII character of which what follows decides: mostly the second character does.
static void add_open(const struct gcdc_artifact *a, const struct canonical_cache *cache, uint32_t set, uint32_t how,
                     uint8_t first, uint32_t *row)
{
	struct canonical_chars second;
	canonical_chars(&a->canonical, canonical_set_behind(&a->canonical, set, first, how), CANON_STEP_EITHER, false,
	                &second);
	for (uint32_t i = cache->first_at[first]; i < cache->first_at[first + 1]; i++) {
		const uint32_t t = cache->by_first_byte[i], at = a->token_offset[t] + 1;
		if (at == a->token_offset[t + 1]) continue;
		const uint8_t ch = a->token_bytes[at];
		const bool is_open = ch >= 128 || has_char(second.open, ch);
		if (is_open ? canonical_surely_live(a, set, t, how) : has_char(second.sure, ch)) row_add(row, t);
	}
}

const uint32_t *canonical_set_row(struct gcdc_matcher *m, uint32_t set, enum canonical_row_kind kind)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t **at = &m->cache->by_set[ROW_KINDS * set + kind];
	if (LIKELY(*at != NULL)) return *at;
	uint32_t *row = canonical_row_new(m->cache);
	if (!row) return NULL;
	const struct canonical_cache *cache = m->cache;
	const uint32_t how = kind == ROW_SURE ? CANON_STEP_BEGIN : CANON_STEP_EITHER;
	struct canonical_chars first;
	canonical_chars(&a->canonical, set, how, true, &first);
	for (uint32_t b = 0; b < 256; b++) {  // most are settled by their first character
		if (b < 128 && has_char(first.open, (uint8_t)b)) add_open(a, cache, set, how, (uint8_t)b, row);
		const bool is_sure = b < 128 && has_char(first.sure, (uint8_t)b);
		for (uint32_t i = cache->first_at[b]; i < cache->first_at[b + 1] && (is_sure || b >= 128); i++) {
			uint32_t t = cache->by_first_byte[i];
			if (is_sure || canonical_surely_live(a, set, t, how)) row_add(row, t);
		}
	}
	return *at = row;
}

uint32_t *canonical_mask_row(struct gcdc_matcher *m)
{
	struct canonical_cache *cache = canonical_cache_of(m);
	return cache ? cache->mask : NULL;
}
