// Hard mode: only tokens from which some canonical sequence reaches the end of a text of the grammar.
//
// In:  a position, its mask of tokens that are canonical by themselves.  Out: the mask without dead ends.
// A token leads on when the text behind it can go on with a character before which the tokenizer cuts, or joins nothing:
// whatever text of the grammar follows, the tokens of that text, by themselves, then go on canonically, and every text
// has tokens. So one character that the grammar allows decides, and nearly always there is one:
//   ROW_SURE: the pre-tokenizer cuts before it, whatever follows;
//   ROW_EITHER: cut or not, it can be cut on, and no merge joins the last token with anything that begins with its byte.
// Proofs first use what the grammar allows whatever lies below the frames at the top; these are kept (CANON_PROOF_ROWS)
// for the lexer state, the set of states, and one frame for tokens inside a lexeme, four for others. What is left is
// searched for with the stack itself, token by token, until a proof or an end of the text. A search that comes to its limit is
// GCDC_ERR_SEARCH, never a guess.
// Not looked at: that the grammar leaves nothing but text which spells an added token, or which a normal form changes.
// There the mask ends in GCDC_ERR_CANONICAL later.
// Cost: proved tokens a few nanoseconds; a proof 0.2 microseconds; a search some microseconds a token.
#include "matcher_step.h"

#define PROOF_DEPTH 2u      // tokens ahead in a proof that does not know the stack
#define PROOF_TRIES 48u     // tokens looked at on each level of it
#define KEY_FRAMES 4u

static inline bool row_has(const uint32_t *row, uint32_t t) { return row[t / 32] >> t % 32 & 1; }
static inline void row_add(uint32_t *row, uint32_t t) { row[t / 32] |= 1u << t % 32; }

// ---- First bytes that merges may join to a token's right edge.
static gcdc_status blocked_by(struct gcdc_matcher *m, uint32_t token, uint64_t out[4])
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_tables *c = &a->canonical;
	memset(out, 0, 4 * sizeof *out);
	if (!m->cache->blocked) {
		m->cache->blocked = memory_resize(&a->memory, NULL, a->info.n_tokens, sizeof *m->cache->blocked);
		if (!m->cache->blocked) return GCDC_ERR_MEMORY;
		memset(m->cache->blocked, 0, a->info.n_tokens * sizeof *m->cache->blocked);
	}
	if (token == ARTIFACT_NONE || c->place[token] == ARTIFACT_NONE) {
		memset(out, 0xff, 4 * sizeof *out);   // nothing goes on in the piece
		return GCDC_OK;
	}
	for (uint32_t x = token; x != ARTIFACT_NONE; x = c->parts[x].right) {
		struct blocked *b = &m->cache->blocked[x];
		for (uint32_t k = c->first[x]; k < c->first[x + 1] && !b->known; k++) {
			uint32_t y = c->at[c->joins[k].begin];
			if (a->token_offset[y] == a->token_offset[y + 1]) continue;
			uint8_t byte = a->token_bytes[a->token_offset[y]];
			b->byte[byte / 64] |= 1ull << byte % 64;
		}
		b->known = 1;
		for (uint32_t i = 0; i < 4; i++) out[i] |= b->byte[i];
	}
	// A pair that the intervals have wrong may be joined, too.
	for (uint32_t i = 0; i < c->info->n_patches; i++)
		if (c->patches[i].left == token) memset(out, 0xff, 4 * sizeof *out);
	return GCDC_OK;
}

// ---- Does some token of a set surely lead on from a place?
struct lead {
	struct gcdc_matcher *m;
	const struct canonical_place *p;
	const uint32_t *sure[CANON_MAX_WAYS], *either[CANON_MAX_WAYS];
	uint64_t blocked[4];
};

static gcdc_status lead_begin(struct gcdc_matcher *m, const struct canonical_place *p, struct lead *l)
{
	const struct canonical_tables *c = &m->artifact->canonical;
	*l = (struct lead){.m = m, .p = p};
	for (uint32_t i = 0; i < p->n_ways; i++) {
		if (c->splits[p->way[i].split].ends) continue;
		l->sure[i] = canonical_set_row(m, p->way[i].set, ROW_SURE);
		l->either[i] = p->way[i].split ? l->sure[i] : canonical_set_row(m, p->way[i].set, ROW_EITHER);
		if (!l->sure[i] || !l->either[i]) return GCDC_ERR_MEMORY;
	}
	return blocked_by(m, p->last, l->blocked);
}

static bool token_leads(const struct lead *l, uint32_t t)
{
	const struct gcdc_artifact *a = l->m->artifact;
	const struct canonical_tables *c = &a->canonical;
	if (a->token_offset[t] == a->token_offset[t + 1]) return false;
	uint8_t byte = a->token_bytes[a->token_offset[t]];
	for (uint32_t i = 0; i < l->p->n_live; i++)
		for (uint32_t x = c->added[l->p->live[i]].child; x; x = c->added[x].next)
			if (c->added[x].byte == byte) return false;
	bool is_free = !(l->blocked[byte / 64] >> byte % 64 & 1);
	for (uint32_t i = 0; i < l->p->n_ways; i++) {
		if (!l->sure[i]) continue;
		if (row_has(l->sure[i], t) || (is_free && row_has(l->either[i], t))) return true;
	}
	return false;
}

static bool set_leads(const struct lead *l, const struct artifact_set *s)
{
	for (struct set_words w = set_words(l->m->artifact, s); set_words_next(l->m->artifact, &w);) {
		uint32_t bits = 0;
		for (uint32_t i = 0; i < l->p->n_ways; i++)
			if (l->sure[i]) bits |= w.bits & (l->sure[i][w.word] | l->either[i][w.word]);
		for (; bits; bits &= bits - 1)
			if (token_leads(l, w.word * 32 + (uint32_t)__builtin_ctz(bits))) return true;
	}
	return false;
}

// ---- Proofs that do not know the stack below its top.
static uint32_t lex_walk(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t token)
{
	for (uint32_t i = a->token_offset[token]; i < a->token_offset[token + 1] && lex_state; i++)
		lex_state = a->lex_next[(uint64_t)lex_state * a->info.n_classes + a->info.class_of[a->token_bytes[i]]] & LEX_STATE_MASK;
	return lex_state;
}

static const struct artifact_set *start_set(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state)
{
	const struct artifact_lr_state *top = &a->lr_states[lr_state];
	uint32_t base = a->start_base[(uint64_t)lex_state * a->info.n_contexts + top->context];
	return base == ARTIFACT_NONE ? NULL : &a->sets[a->starts[base + top->rank].set];
}

// Some text goes on canonically from here, where the lexeme stands in lex_state on lr_state.
static gcdc_status prove(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, const struct canonical_place *p,
                         uint32_t depth, bool *proved)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_set *s = start_set(a, lex_state, lr_state);
	struct lead l;
	*proved = false;
	if (!s || !s->count) return GCDC_OK;
	if (s->flags & SET_EOS && canonical_ends(&a->canonical, p)) return *proved = true, GCDC_OK;
	if (!p->n_begun) {
		gcdc_status status = lead_begin(m, p, &l);
		if (status) return status;
		if (set_leads(&l, s)) return *proved = true, GCDC_OK;
	}
	if (depth == PROOF_DEPTH) return GCDC_OK;
	uint32_t tries = 0;
	gcdc_status status = GCDC_OK;
	for (struct set_words w = set_words(a, s); set_words_next(a, &w) && tries < PROOF_TRIES && !status && !*proved;) {
		uint32_t bits = p->n_begun ? w.bits & m->cache->inside[w.word] : w.bits;
		for (; bits && tries < PROOF_TRIES && !status && !*proved; bits &= bits - 1) {
			uint32_t t = w.word * 32 + (uint32_t)__builtin_ctz(bits), next = lex_walk(a, lex_state, t);
			struct canonical_place after = *p;
			if (!next || artifact_is_eos(a, t) || !canonical_step(a, &after, t)) continue;
			tries++;
			status = prove(m, next, lr_state, &after, depth + 1, proved);
		}
	}
	return status;
}

// ---- The search that knows the stack.
static gcdc_status try_room(struct gcdc_matcher *m)
{
	const gcdc_memory *memory = &m->artifact->memory;
	if (m->cache->tries) return GCDC_OK;
	m->cache->tries = memory_resize(memory, NULL, CANON_TRY_DEPTH, sizeof *m->cache->tries);
	if (!m->cache->tries) return GCDC_ERR_MEMORY;
	memset(m->cache->tries, 0, CANON_TRY_DEPTH * sizeof *m->cache->tries);
	return GCDC_OK;
}

static gcdc_status search(struct gcdc_matcher *m, const struct position *from, uint32_t token, uint32_t depth, bool *found);

// Does the position of try `depth` lead to an end?
static gcdc_status search_on(struct gcdc_matcher *m, uint32_t depth, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_try *at = &m->cache->tries[depth];
	const struct canonical_place *p = &at->after.canonical;
	gcdc_status status = position_sets(m, &at->after, &at->sets);
	*found = false;
	if (status) return status == GCDC_REJECTED ? GCDC_OK : status;
	if (at->sets.may_end && canonical_ends(&a->canonical, p)) return *found = true, GCDC_OK;
	if (!p->n_begun) {
		struct lead l;
		if ((status = lead_begin(m, p, &l))) return status;
		for (uint32_t i = 0; i < at->sets.n && !*found; i++) *found = set_leads(&l, &a->sets[at->sets.at[i]]);
		for (uint32_t i = 0; i < at->sets.extra.n && !*found; i++) *found = token_leads(&l, at->sets.extra.at[i]);
		if (*found) return GCDC_OK;
	}
	if (depth + 1 == CANON_TRY_DEPTH) return GCDC_ERR_SEARCH;
	if (!at->mask && !(at->mask = canonical_row_new(m->cache))) return GCDC_ERR_MEMORY;
	sets_fill(a, &at->sets, at->mask);
	bool empty;
	status = canonical_keep(m, p, at->mask, &empty);
	for (uint32_t w = 0; w < a->info.mask_words && !empty && !status && !*found; w++)
		for (uint32_t bits = at->mask[w]; bits && !status && !*found; bits &= bits - 1)
			status = search(m, &at->after, w * 32 + (uint32_t)__builtin_ctz(bits), depth + 1, found);
	return status;
}

static gcdc_status search(struct gcdc_matcher *m, const struct position *from, uint32_t token, uint32_t depth, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct position *after = &m->cache->tries[depth].after;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	*found = artifact_is_eos(a, token);
	if (*found || begin == end) return GCDC_OK;
	if (++m->cache->n_tries > CANON_TRY_MAX) return GCDC_ERR_SEARCH;
	gcdc_status status = position_copy(m, after, from);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	if (!status && after->n && canonical_step(a, &after->canonical, token)) status = search_on(m, depth, found);
	position_release(m, after);
	return status;
}

// ---- Pruning.
static struct proof_row *proof_of(struct gcdc_matcher *m, const struct proof_key *key)
{
	uint64_t hash = 0;
	uint32_t words[sizeof *key / 4];
	memcpy(words, key, sizeof *key);
	for (uint32_t i = 0; i < sizeof *key / 4; i++) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
	struct proof_row *row = &m->cache->proofs[(hash >> 32) % CANON_PROOF_ROWS];
	if (row->proved && row->open && !memcmp(&row->key, key, sizeof *key)) return row;
	if (!row->proved) row->proved = canonical_row_new(m->cache);
	if (!row->open) row->open = canonical_row_new(m->cache);
	if (!row->proved || !row->open) return NULL;
	memset(row->proved, 0, m->cache->words * sizeof *row->proved);
	memset(row->open, 0, m->cache->words * sizeof *row->open);
	row->key = *key;
	return row;
}

struct pruning {
	struct gcdc_matcher *m;
	const struct position *p;
	const struct set_list *list;
	struct proof_row *inside, *across;   // NULL: the position has no simple key
	uint32_t lr_state;
};

static gcdc_status pruning_begin(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, struct pruning *x)
{
	const struct canonical_place *c = &p->canonical;
	*x = (struct pruning){m, p, list, NULL, NULL, 0};
	if (!canonical_cache_of(m)) return GCDC_ERR_MEMORY;
	gcdc_status status = try_room(m);
	m->cache->n_tries = 0;
	if (status || p->n != 1 || c->n_ways != 1 || c->way[0].split || c->n_begun || c->n_live || c->left || c->combining) return status;
	uint32_t f = p->at[0].frame;
	if (m->pool->at[f].depth & FRAME_BRANCHED) return GCDC_OK;
	struct proof_key key = {.set = c->way[0].set, .lex_state = p->at[0].lex_state};
	for (; key.n_frames < KEY_FRAMES; f = m->pool->at[f].parent) {
		key.lr_state[key.n_frames++] = m->pool->at[f].lr_state;
		if (f == FRAME_BOTTOM) break;
	}
	x->lr_state = key.lr_state[0];
	if (!m->artifact->info.n_lines && !(x->across = proof_of(m, &key))) return GCDC_ERR_MEMORY;
	key = (struct proof_key){.set = key.set, .lex_state = key.lex_state, .n_frames = 1, .lr_state = {key.lr_state[0]}};
	x->inside = proof_of(m, &key);
	if (x->across == x->inside) x->across = NULL;
	return x->inside ? GCDC_OK : GCDC_ERR_MEMORY;
}

// The places after a token, whichever came before it: as the first of a piece only, and as either.
static gcdc_status prove_places(const struct pruning *x, uint32_t t, uint32_t lex_state, uint32_t lr_state, bool *proved)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct canonical_place *before = &x->p->canonical;
	gcdc_status status = GCDC_OK;
	*proved = true;
	for (uint32_t how = 0; how < 2 && *proved && !status; how++) {
		struct canonical_place p = *before;
		if (!canonical_step_as(a, &p, t, how)) continue;
		status = prove(x->m, lex_state, lr_state, &p, 0, proved);
	}
	return status;
}

// Tokens that end a lexeme: by the stack as it is; kept when no frame below the key's was read.
static gcdc_status prove_across(struct pruning *x, uint32_t t, bool *proved)
{
	struct gcdc_matcher *m = x->m;
	const struct gcdc_artifact *a = m->artifact;
	struct position *after = &m->cache->tries[0].after;
	uint32_t begin = a->token_offset[t], end = a->token_offset[t + 1];
	*proved = false;
	gcdc_status status = position_copy(m, after, x->p);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	if (!status && after->n == 1 && after->at[0].frame && !(m->pool->at[after->at[0].frame].depth & FRAME_BRANCHED)) {
		uint32_t top = after->at[0].frame, f = x->p->at[0].frame, depth = 0;
		status = prove_places(x, t, after->at[0].lex_state, m->pool->at[top].lr_state, proved);
		if (*proved && x->across) {   // the first frame that both stacks have
			uint32_t g = top;
			while (g != f && depth < KEY_FRAMES) {
				if (frame_depth(m->pool, g) > frame_depth(m->pool, f)) g = m->pool->at[g].parent;
				else f = m->pool->at[f].parent, depth++;
			}
			if (depth < KEY_FRAMES) row_add(x->across->proved, t);
		}
	}
	position_release(m, after);
	return status;
}

static gcdc_status judge(struct pruning *x, uint32_t t, bool *good)
{
	struct gcdc_matcher *m = x->m;
	const struct gcdc_artifact *a = m->artifact;
	*good = true;
	if (artifact_is_eos(a, t)) return GCDC_OK;
	if (x->inside) {
		if (row_has(x->inside->proved, t) || (x->across && row_has(x->across->proved, t))) return GCDC_OK;
		gcdc_status status = GCDC_OK;
		if (!row_has(x->inside->open, t)) {
			uint32_t lex_state = lex_walk(a, x->p->at[0].lex_state, t);
			*good = false;
			if (lex_state) status = prove_places(x, t, lex_state, x->lr_state, good);
			row_add(*good ? x->inside->proved : x->inside->open, t);
			if (status || *good) return status;
		}
		if (!x->across || !row_has(x->across->open, t)) {
			status = prove_across(x, t, good);
			if (status || *good) return status;
			if (x->across) row_add(x->across->open, t);
		}
	}
	return search(m, x->p, t, 0, good);
}

gcdc_status canonical_survives(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t token,
                               bool *survives)
{
	struct pruning x;
	gcdc_status status = pruning_begin(m, p, list, &x);
	return status ? status : judge(&x, token, survives);
}

gcdc_status canonical_prune(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t *mask, bool *empty)
{
	struct pruning x;
	gcdc_status status = pruning_begin(m, p, list, &x);
	uint32_t any = 0;
	for (uint32_t w = 0; w < m->artifact->info.mask_words && !status; w++) {
		uint32_t bits = mask[w];
		if (x.inside) bits &= ~x.inside->proved[w];
		if (x.across) bits &= ~x.across->proved[w];
		for (; bits && !status; bits &= bits - 1) {
			bool good;
			status = judge(&x, w * 32 + (uint32_t)__builtin_ctz(bits), &good);
			if (!good) mask[w] &= ~(bits & -bits);
		}
		any |= mask[w];
	}
	*empty = !any;
	return status;
}
