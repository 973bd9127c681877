// Budgets that are so far away that a hard mask needs no search for them.
//
// In:  a position with tokens left.  Out: yes, each token of the hard mask without a budget has a completion that fits.
// Such a token leads by known ways to a character behind which any text may follow as its own tokens (live.c): by
// itself, as the compiler has proved (ahead.c), or as a search has found, whose lengths are kept. Some text does
// follow, of no more bytes than CANON_BOUND says for the stack, and it has at most as many tokens as bytes.
// docs/how_canonical_works.md has the proof. Cost: some additions.
#include "far.h"

uint32_t far_least(const struct gcdc_matcher *m, const struct position *p)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_bound *b = &a->canonical.bound;
	const struct canonical_cache *cache = m->cache;
	uint64_t depth = 0;
	if (!b->is_there || a->info.n_lines || regex_knows(a, p) || cache->ahead.inside > FAR_MOST ||
	    cache->ahead.more == FAR_NEVER)
		return ARTIFACT_NONE;
	for (uint32_t i = 0; i < p->n; i++) {
		if (m->pool->at[p->at[i].frame].depth & FRAME_BRANCHED) return ARTIFACT_NONE;
		const uint64_t own = frame_depth(m->pool, p->at[i].frame) + 1ull;
		if (own > depth) depth = own;
	}
	// The token, or it and those that a search went on with, and a blank and a character end lexemes; tokens inside a
	// lexeme do not.
	const uint64_t steps = cache->ahead.steps ? cache->ahead.steps : 1, inside = cache->ahead.inside;
	const uint64_t more = cache->ahead.more > b->token ? cache->ahead.more : b->token;
	const uint64_t text = depth * b->frame + more + (FAR_CHARACTERS + 1ull) * b->terminal + b->lexeme;
	const uint64_t tokens = steps - 1 + (inside > FAR_AHEAD ? inside : FAR_AHEAD) + FAR_CHARACTERS + text;
	return tokens < ARTIFACT_NONE / 2 ? (uint32_t)tokens : ARTIFACT_NONE;
}

bool far_is(const struct gcdc_matcher *m, const struct position *p)
{
	const uint32_t least = far_least(m, p);
	return least != ARTIFACT_NONE && p->left > least + m->budget_counts_eos;
}
