// Masks under budgets in hard mode: all tokens that merges leave apart from one behind them.
//
// In:  the token behind.  Out: a row, kept; of single tokens until many have been asked for.
// How: as canonical_adjacent, for all tokens at once: in how short a time each right edge joins the token is found once
//      for each edge, not for each token that has it. Cost: 20 ns a token; 100 where they are asked for one by one.
#include "budget_mask.h"

#define SINGLES 16384u  // tokens asked for one by one before all are

bool hard_rows_clear(const struct canonical_cache *cache, uint32_t **a, uint32_t **b)
{
	if (!*a && !(*a = canonical_row_new(cache))) return false;
	if (!*b && !(*b = canonical_row_new(cache))) return false;
	memset(*a, 0, cache->words * sizeof **a);
	memset(*b, 0, cache->words * sizeof **b);
	return true;
}

// Branches: times by edges, edges by tokens, then what is no token by itself, and pairs that are listed.
void hard_apart_row(const struct gcdc_artifact *a, uint32_t right, uint32_t *time, uint32_t *row)
{
	const struct canonical_tables *c = &a->canonical;
	const uint32_t n = a->info.n_tokens;
	memset(row, 0, a->info.mask_words * sizeof *row);
	for (uint32_t x = 0; x < n && c->place[right] != ARTIFACT_NONE; x++) time[x] = canonical_join_time(c, x, right);
	for (uint32_t t = 0; t < n && c->place[right] != ARTIFACT_NONE; t++) {
		bool good = time[t] == UINT32_MAX;
		// The right edge of the right part has been looked at where that has a smaller number: but for the part itself.
		for (uint32_t x = t, y = c->parts[t].right; y != ARTIFACT_NONE && good; x = y, y = c->parts[x].right) {
			good = time[y] >= c->time[x];
			if (good && y < t && row_has(row, y)) break;
		}
		if (good) row_add(row, t);
	}
	for (uint32_t t = 0; t < n; t++)
		if (c->place[t] == ARTIFACT_NONE) row_drop(row, t);
	for (uint32_t i = 0; i < c->info->n_patches; i++)
		if (c->patches[i].right == right && c->place[right] != ARTIFACT_NONE &&
		    c->place[c->patches[i].left] != ARTIFACT_NONE)
			row[c->patches[i].left / 32] ^= 1u << c->patches[i].left % 32;
}

bool hard_is_apart(struct gcdc_matcher *m, struct hard_masks *x, uint32_t token, uint32_t right)
{
	const struct gcdc_artifact *a = m->artifact;
	struct apart *at = &x->kept->apart_from[hash_pair(right, 0) >> 40 & (APART_ROWS - 1)];
	if (UNLIKELY(at->right != right + 1)) {
		at->right = at->n = 0;
		if (!hard_rows_clear(m->cache, &at->known, &at->yes)) return canonical_adjacent(&a->canonical, token, right);
		at->right = right + 1;
	}
	if (LIKELY(row_has(at->known, token))) return row_has(at->yes, token);
	hard_work(m->cache->prices, WORK_APART, 1);
	if (++at->n >= SINGLES && hard_can(m->cache->prices, WORK_EDGE, a->info.n_tokens)) {
		if (!x->kept->join_time)
			x->kept->join_time = memory_resize(&a->memory, NULL, a->info.n_tokens + 1ull, sizeof *x->kept->join_time);
		if (x->kept->join_time) {
			hard_work(m->cache->prices, WORK_EDGE, a->info.n_tokens);
			memset(at->known, 0xff, a->info.mask_words * sizeof *at->known);
			hard_apart_row(a, right, x->kept->join_time, at->yes);
			return row_has(at->yes, token);
		}
	}
	row_add(at->known, token);
	if (canonical_adjacent(&a->canonical, token, right)) row_add(at->yes, token);
	return row_has(at->yes, token);
}
