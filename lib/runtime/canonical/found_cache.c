// Verdicts of searches, by as much of the stack as each rests on.
//
// In:  a place that a search has come to.  Out: whether something leads on from it, where an earlier search has found
// that out on a stack with the same frames on top.
// Tokens asked for in many lexer states come to few places, and what is found there does not depend on where a search
// came from. verdict_cache.c keeps verdicts on tokens by the stack before them; this file those on the places behind
// them, and behind the tokens that a search goes on with. Keys are compared whole. Cost: some 100 ns, a look for each
// number of frames; 1.6 MB for a family of matchers.
#include "found_cache.h"

#include "../../shared/hash.h"

struct found_verdict {
	struct inside_key key;
	uint32_t n_frames, frame[FOUND_FRAMES];  // n_frames 0: free
	bool alive;
	struct canonical_ahead ahead;
};

bool canonical_place_key(uint32_t lex_state, const struct canonical_place *p, struct inside_key *key)
{
	*key = (struct inside_key){.lex_state = lex_state,
	                           .last = p->last,
	                           .n = p->n_ways | (uint32_t)p->n_live << 8 | (uint32_t)p->n_begun << 16 |
	                                (uint32_t)p->by_bytes << 24};
	if (p->n_ways > MEMO_WAYS || p->n_live > 2 || p->left || p->combining) return false;
	for (uint32_t i = 0; i < p->n_ways; i++)
		key->way[i] = (uint32_t)p->way[i].set << 16 | p->way[i].pending, key->split[i] = p->way[i].split;
	for (uint32_t i = 0; i < p->n_live; i++) key->live[i] = p->live[i];
	for (uint32_t i = 0; i < p->n_begun; i++) key->begun = key->begun << 8 | p->begun[i];
	return true;
}

uint64_t canonical_place_hash(const struct inside_key *key)
{
	static_assert(sizeof *key % 8 == 0, "hashed by 8 bytes");
	return hash_words(key, sizeof *key / 8);
}

bool found_begin(const struct gcdc_matcher *m, const struct position *p, struct found_place *at)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct reading *r = &p->at[0];
	if (p->n != 1 || !r->frame || m->pool->at[r->frame].depth & FRAME_BRANCHED) return false;
	if (a->info.n_lines && a->lex_states[r->lex_state].flags & LEX_LINE) return false;
	if (!canonical_place_key(r->lex_state, &p->canonical, &at->key)) return false;
	at->hash = canonical_place_hash(&at->key);
	at->depth = frame_depth(m->pool, r->frame) + 1, at->n_frames = 0;
	for (uint32_t f = r->frame; at->n_frames < FOUND_FRAMES; f = m->pool->at[f].parent) {
		at->frame[at->n_frames++] = m->pool->at[f].lr_state;
		if (f == FRAME_BOTTOM) break;
	}
	return true;
}

static struct found_verdict *verdict_at(const struct canonical_cache *cache, uint64_t hash)
{
	return &cache->found[hash >> 32 & (CANON_FOUND - 1)];
}

enum canonical_verdict found_get(struct gcdc_matcher *m, struct found_place *at)
{
	uint64_t hash = at->hash;
	if (!m->cache->found) return CANON_UNKNOWN;
	for (uint32_t n = 1; n <= at->n_frames; n++) {
		hash = hash_add(hash, at->frame[n - 1]);
		const struct found_verdict *x = verdict_at(m->cache, hash);
		if (x->n_frames != n || memcmp(x->frame, at->frame, n * sizeof *x->frame) ||
		    memcmp(&x->key, &at->key, sizeof x->key))
			continue;
		if (n > 1 && at->depth - n < m->pool->lowest) m->pool->lowest = at->depth - n;
		at->ahead = x->ahead;
		return x->alive ? CANON_ALIVE : CANON_DEAD;
	}
	return CANON_UNKNOWN;
}

void found_put(struct gcdc_matcher *m, const struct found_place *at, uint32_t lowest, bool alive)
{
	struct canonical_cache *cache = m->cache;
	const uint32_t n = lowest < at->depth ? at->depth - lowest : 1;
	if (n > at->n_frames) return;
	if (UNLIKELY(!cache->found)) {
		cache->found = memory_resize(cache->memory, NULL, CANON_FOUND, sizeof *cache->found);
		if (!cache->found) return;
		memset(cache->found, 0, CANON_FOUND * sizeof *cache->found);
	}
	uint64_t hash = at->hash;
	for (uint32_t i = 0; i < n; i++) hash = hash_add(hash, at->frame[i]);
	struct found_verdict *x = verdict_at(cache, hash);
	*x = (struct found_verdict){.key = at->key, .n_frames = n, .alive = alive, .ahead = at->ahead};
	memcpy(x->frame, at->frame, n * sizeof *x->frame);
}
