// Does a text surely go on canonically from a place? The question that hard mode asks of everything that it finds.
//
// In:  a place, and what the grammar allows there.  Out: yes, or nothing is known.
// The text goes on when a character may come before which the tokenizer cuts, or that is in order cut or not and that
// no merge joins to the last token: whatever text of the grammar follows, the tokens of that text, by themselves, then
// go on canonically, and every text has tokens. What may come in a lexer state whatever the stack is known from the
// file (CANON_WIDE); what a set of the artifact has is found once (CANON_LIVE). First bytes stand for characters;
// beyond ASCII a byte counts when some token with a good first character begins with it. Cost: a few nanoseconds; a
// token's merges 0.1 microseconds the first time (CANON_BLOCKED of them are kept).
#include "../core/runtime_internal.h"
#include "canonical.h"

#define LIVE_LOOKS 64u  // tokens of a set, before it is read whole

// ---- First bytes that merges may join to a token's right edge.
// Of the merges with x itself on the left. Tokens share their right parts, and the short ones have most merges.
static const struct blocked *joined_by(struct gcdc_matcher *m, uint32_t x)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_tables *c = &a->canonical;
	struct blocked *b = &m->cache->blocked[x * 0x9E3779B1u >> 16 & (CANON_BLOCKED - 1)];
	if (LIKELY(b->token == x + 1)) return b;
	*b = (struct blocked){.token = x + 1};
	for (uint32_t k = c->first[x]; k < c->first[x + 1]; k++) {
		uint32_t y = c->at[c->joins[k].begin];
		if (a->token_offset[y] == a->token_offset[y + 1]) continue;
		uint8_t byte = a->token_bytes[a->token_offset[y]];
		b->byte[byte / 64] |= 1ull << byte % 64;
	}
	return b;
}

static gcdc_status blocked_by(struct gcdc_matcher *m, uint32_t token, uint64_t out[4])
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_tables *c = &a->canonical;
	if (token == ARTIFACT_NONE || c->place[token] == ARTIFACT_NONE) {
		memset(out, 0xff, 4 * sizeof *out);  // nothing goes on in the piece
		return GCDC_OK;
	}
	if (UNLIKELY(!m->cache->blocked)) {
		m->cache->blocked = memory_resize(&a->memory, NULL, CANON_BLOCKED, sizeof *m->cache->blocked);
		if (!m->cache->blocked) return GCDC_ERR_MEMORY;
		memset(m->cache->blocked, 0, CANON_BLOCKED * sizeof *m->cache->blocked);
	}
	memset(out, 0, 4 * sizeof *out);
	for (uint32_t x = token; x != ARTIFACT_NONE; x = c->parts[x].right) {
		if (c->first[x] == c->first[x + 1]) continue;  // most: the places are for those that join something
		const struct blocked *b = joined_by(m, x);
		for (uint32_t k = 0; k < 4; k++) out[k] |= b->byte[k];
	}
	// A pair that the intervals have wrong may be joined, too.
	for (uint32_t i = 0; i < c->info->n_patches; i++)
		if (c->patches[i].left == token) memset(out, 0xff, 4 * sizeof *out);
	return GCDC_OK;
}

gcdc_status canonical_live_begin(struct gcdc_matcher *m, const struct canonical_place *p, struct canonical_live *l)
{
	const struct canonical_tables *c = &m->artifact->canonical;
	*l = (struct canonical_live){.p = p};
	for (uint32_t i = 0; i < p->n_live; i++)
		for (uint32_t x = c->added[p->live[i]].child; x; x = c->added[x].next)
			l->live[c->added[x].byte / 64] |= 1ull << c->added[x].byte % 64;
	return blocked_by(m, p->last, l->blocked);
}

static bool way_leads(const struct canonical_tables *c, const struct canonical_live *l, const struct canonical_way *w,
                      const uint64_t sure[4], const uint64_t either[4])
{
	if (c->splits[w->split].ends) return false;
	uint64_t any = 0;
	for (uint32_t k = 0; k < 4; k++) any |= (sure[k] | (w->split ? 0 : either[k] & ~l->blocked[k])) & ~l->live[k];
	return any;
}

bool canonical_live_chars(struct gcdc_matcher *m, const struct canonical_live *l,
                          const struct artifact_canon_chars *some)
{
	const struct gcdc_artifact *a = m->artifact;
	bool yes = false;
	uint64_t chars[2];
	memcpy(chars, some->word, sizeof chars);
	for (uint32_t i = 0; i < l->p->n_ways && !yes; i++) {
		const struct behind *b = &m->cache->behind[l->p->way[i].set];
		uint64_t sure[4] = {b->sure[0] & chars[0], b->sure[1] & chars[1]},
				 either[4] = {b->either[0] & chars[0], b->either[1] & chars[1]};
		yes = way_leads(&a->canonical, l, &l->p->way[i], sure, either);
	}
	return yes;
}

const uint32_t *canonical_first_row(struct gcdc_matcher *m, uint8_t byte)
{
	const struct canonical_cache *cache = m->cache;
	uint32_t **row = &m->cache->by_first[byte];
	if (*row || !(*row = canonical_row_new(cache))) return *row;
	for (uint32_t i = cache->first_at[byte]; i < cache->first_at[byte + 1]; i++) row_add(*row, cache->by_first_byte[i]);
	return *row;
}

// ---- Sets of the artifact.
static void add_bytes(const struct gcdc_artifact *a, uint32_t word, uint32_t bits, uint64_t bytes[4])
{
	for (; bits; bits &= bits - 1) {
		uint32_t t = word * 32 + (uint32_t)__builtin_ctz(bits);
		if (a->token_offset[t] == a->token_offset[t + 1]) continue;
		uint8_t byte = a->token_bytes[a->token_offset[t]];
		bytes[byte / 64] |= 1ull << byte % 64;
	}
}

static struct lead_bytes *lead_place(struct gcdc_matcher *m, uint32_t tokens, uint32_t set)
{
	return &m->cache->leads[((tokens * 0x9E3779B1u ^ set * 0xC2B2AE3Du) >> 16) % CANON_LIVE];
}

// Does one of a set's tokens surely begin a piece behind this way? Mostly one of the first does: the row of the set of
// states is made where none of LIVE_LOOKS does, and the first bytes of all tokens where none at all does.
static gcdc_status some_begins(struct gcdc_matcher *m, const struct canonical_live *l, const struct canonical_way *way,
                               uint32_t tokens, bool *yes)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint32_t *sure = m->cache->by_set[ROW_KINDS * way->set + ROW_SURE];
	uint32_t left = LIVE_LOOKS;
	if (a->canonical.splits[way->split].ends) return GCDC_OK;
	for (struct set_words w = set_words(a, &a->sets[tokens]); !*yes && set_words_next(a, &w);)
		for (uint32_t bits = sure ? w.bits & sure[w.word] : w.bits; bits && !*yes; bits &= bits - 1) {
			if (!sure && !left--) {
				if (!(sure = canonical_set_row(m, way->set, ROW_SURE))) return GCDC_ERR_MEMORY;
				bits &= sure[w.word];
				if (!bits) break;
			}
			const uint32_t t = w.word * 32 + (uint32_t)__builtin_ctz(bits), at = a->token_offset[t];
			if (at == a->token_offset[t + 1] || l->live[a->token_bytes[at] / 64] >> a->token_bytes[at] % 64 & 1)
				continue;
			*yes = sure || canonical_surely_live(a, way->set, t, CANON_STEP_BEGIN);
		}
	return GCDC_OK;
}

// The first bytes of a set's tokens that are good behind this set of states; NULL: no memory.
static const struct lead_bytes *lead_bytes(struct gcdc_matcher *m, uint32_t tokens, uint32_t set)
{
	struct lead_bytes *at = lead_place(m, tokens, set);
	if (LIKELY(at->tokens == tokens && at->set == set)) return at;
	const uint32_t *sure = canonical_set_row(m, set, ROW_SURE), *either = canonical_set_row(m, set, ROW_EITHER);
	if (!sure || !either) return NULL;
	*at = (struct lead_bytes){.tokens = tokens, .set = set};
	for (struct set_words w = set_words(m->artifact, &m->artifact->sets[tokens]); set_words_next(m->artifact, &w);) {
		add_bytes(m->artifact, w.word, w.bits & sure[w.word], at->sure);
		add_bytes(m->artifact, w.word, w.bits & either[w.word], at->either);
	}
	return at;
}

// The characters of a set that are tokens by themselves: a look at 128 tokens, where lead_bytes looks at all.
static const struct artifact_canon_chars *set_chars(struct gcdc_matcher *m, uint32_t tokens)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_cache *cache = m->cache;
	struct set_chars *at = &cache->set_chars[(tokens * 0x9E3779B1u >> 16) % CANON_LIVE];
	if (LIKELY(at->tokens == tokens)) return &at->chars;
	*at = (struct set_chars){.tokens = tokens};
	for (uint32_t ch = 0; ch < 128; ch++) {
		uint32_t t = cache->char_token[ch];
		if (t != ARTIFACT_NONE && artifact_set_has(a, &a->sets[tokens], t)) at->chars.word[ch / 32] |= 1u << ch % 32;
	}
	return &at->chars;
}

gcdc_status canonical_live_set(struct gcdc_matcher *m, const struct canonical_live *l, uint32_t tokens, bool *yes)
{
	*yes = tokens && canonical_live_chars(m, l, set_chars(m, tokens));
	if (*yes || !tokens) return GCDC_OK;
	for (uint32_t i = 0; i < l->p->n_ways && !*yes; i++) {
		const struct lead_bytes *known = lead_place(m, tokens, l->p->way[i].set);
		gcdc_status status = GCDC_OK;
		if (known->tokens != tokens || known->set != l->p->way[i].set)
			status = some_begins(m, l, &l->p->way[i], tokens, yes);
		if (status || *yes) return status;
		const struct lead_bytes *bytes = lead_bytes(m, tokens, l->p->way[i].set);
		if (!bytes) return GCDC_ERR_MEMORY;
		*yes = way_leads(&m->artifact->canonical, l, &l->p->way[i], bytes->sure, bytes->either);
	}
	return GCDC_OK;
}

gcdc_status canonical_live_from(struct gcdc_matcher *m, const struct canonical_live *l, uint32_t tokens, uint32_t node,
                                bool before, bool *yes)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_set *s = &a->sets[tokens];
	before |= s->count || s->maybe;
	gcdc_status status = canonical_live_set(m, l, tokens, yes);
	if (!status && !*yes && node) *yes = canonical_live_chars(m, l, &a->canonical.nodes[2 * node + before]);
	return status;
}
