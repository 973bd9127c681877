// Inside a character: may any that begins with these bytes come there?
//
// In:  a place inside a character.  Out: false when each character that begins with its bytes is one that the tokenizer
// never has there.
// Behind two blanks no letter may begin a piece, and all characters that begin with F0 A0 are letters. A search would
// try each token of their other bytes, and behind each of these again. Here the kinds of the characters between the
// least and the greatest code point that begins so are united once, and each way to have cut is asked for one of
// them. What tokens there are is not looked at, so the answer is exact only when it is no. Cost: 20 ns; bytes that are
// new some 100 ns to 50 microseconds, once (BEGUN_KEPT of them are kept).
#include "../core/runtime_internal.h"
#include "canonical.h"

// The kinds of characters between two code points, of those with these flags: within a page, or of whole pages, of
// which equal ones mostly follow one another.
static void unite_groups(const struct canonical_tables *c, uint32_t from, uint32_t to, uint32_t flags,
                         uint64_t groups[BEGUN_WORDS])
{
	uint32_t before = UINT32_MAX;
	for (uint32_t at = from, end; at < to; at = end) {
		const uint32_t page = c->pages[at / CANON_PAGE_SIZE];
		end = to - at < CANON_PAGE_SIZE ? to : at + CANON_PAGE_SIZE;
		for (uint32_t ch = at; ch < end && page != before; ch++) {
			const struct artifact_canon_kind *k = &c->kinds[c->chars[page * CANON_PAGE_SIZE + ch % CANON_PAGE_SIZE]];
			if (k->flags == flags) groups[k->group / 64] |= 1ull << k->group % 64;
		}
		before = page;
	}
}

static const struct begun_groups *groups_of(struct gcdc_matcher *m, const struct canonical_place *p)
{
	const uint32_t size = utf8_size(p->begun[0]), shift = 6 * (size - p->n_begun);
	uint32_t first = p->begun[0] & (0x7Fu >> size), key = p->begun[0];  // at most 244, 128 to 191: the sizes differ
	for (uint32_t i = 1; i < p->n_begun; i++) first = first << 6 | (p->begun[i] & 63u), key = key << 8 | p->begun[i];
	key |= p->by_bytes ? 1u << 31 : 0;
	struct begun_groups *at = &m->cache->begun[hash_u64(key) >> 40 & (BEGUN_KEPT - 1)];
	if (LIKELY(at->key == key)) return at;
	const uint32_t from = first << shift, to = (first + 1) << shift;
	*at = (struct begun_groups){.key = key};
	unite_groups(&m->artifact->canonical, from, to < 0x110000 ? to : 0x110000, p->by_bytes ? CANON_KIND_UNKNOWN : 0,
	             at->groups);
	return at;
}

bool canonical_may_end_character(struct gcdc_matcher *m, const struct canonical_place *p)
{
	const struct canonical_tables *c = &m->artifact->canonical;
	if (c->info->n_groups > BEGUN_WORDS * 64) return true;
	const struct begun_groups *g = groups_of(m, p);
	for (uint32_t i = 0; i < p->n_ways; i++)
		for (uint32_t w = 0; w < BEGUN_WORDS; w++)
			for (uint64_t bits = g->groups[w]; bits; bits &= bits - 1)
				if (canonical_way_takes(c, &p->way[i], w * 64 + (uint32_t)__builtin_ctzll(bits))) return true;
	return false;
}
