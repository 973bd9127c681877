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
#define COMMON_DEPTH 6u     // nodes read one behind the other for what all stacks allow
#define COMMON_VISITS 2000u // targets of nodes, all together

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
static void add_bytes(const struct gcdc_artifact *a, uint32_t word, uint32_t bits, uint64_t bytes[4])
{
	for (; bits; bits &= bits - 1) {
		uint32_t t = word * 32 + (uint32_t)__builtin_ctz(bits);
		if (a->token_offset[t] == a->token_offset[t + 1]) continue;
		uint8_t byte = a->token_bytes[a->token_offset[t]];
		bytes[byte / 64] |= 1ull << byte % 64;
	}
}

// The bytes for tokens of a set of the artifact (row NULL, b NONE), or of the common row of (a, b). NULL: no memory.
static const struct lead_bytes *lead_bytes(struct gcdc_matcher *m, uint32_t a, uint32_t b, const uint32_t *row, uint32_t set)
{
	struct lead_bytes *at = &m->cache->leads[((a * 0x9E3779B1u ^ b * 0x85EBCA77u ^ set * 0xC2B2AE3Du) >> 16) % CANON_LEADS];
	if (LIKELY(at->a == a && at->b == b && at->set == set)) return at;
	const uint32_t *sure = canonical_set_row(m, set, ROW_SURE), *either = canonical_set_row(m, set, ROW_EITHER);
	if (!sure || !either) return NULL;
	*at = (struct lead_bytes){.a = a, .b = b, .set = set};
	for (uint32_t w = 0; row && w < m->cache->words; w++) {
		add_bytes(m->artifact, w, row[w] & sure[w], at->sure);
		add_bytes(m->artifact, w, row[w] & either[w], at->either);
	}
	if (row) return at;
	for (struct set_words w = set_words(m->artifact, &m->artifact->sets[a]); set_words_next(m->artifact, &w);) {
		add_bytes(m->artifact, w.word, w.bits & sure[w.word], at->sure);
		add_bytes(m->artifact, w.word, w.bits & either[w.word], at->either);
	}
	return at;
}

struct lead {
	struct gcdc_matcher *m;
	const struct canonical_place *p;
	uint64_t blocked[4];   // first bytes that merges may join to the last token
	uint64_t live[4];      // first bytes that go on in an added token's text
};

static gcdc_status lead_begin(struct gcdc_matcher *m, const struct canonical_place *p, struct lead *l)
{
	const struct canonical_tables *c = &m->artifact->canonical;
	*l = (struct lead){.m = m, .p = p};
	for (uint32_t i = 0; i < p->n_live; i++)
		for (uint32_t x = c->added[p->live[i]].child; x; x = c->added[x].next) l->live[c->added[x].byte / 64] |= 1ull << c->added[x].byte % 64;
	return blocked_by(m, p->last, l->blocked);
}

// Does some token lead on, of the artifact's set a (b NONE), or of the common row of (a, b)?
static gcdc_status leads(const struct lead *l, uint32_t a, uint32_t b, const uint32_t *row, bool *yes)
{
	const struct canonical_tables *c = &l->m->artifact->canonical;
	*yes = false;
	for (uint32_t i = 0; i < l->p->n_ways && !*yes; i++) {
		const struct canonical_way *w = &l->p->way[i];
		if (c->splits[w->split].ends) continue;
		const struct lead_bytes *bytes = lead_bytes(l->m, a, b, row, w->set);
		if (!bytes) return GCDC_ERR_MEMORY;
		for (uint32_t k = 0; k < 4; k++) {
			uint64_t either = w->split ? 0 : bytes->either[k] & ~l->blocked[k];
			*yes |= ((bytes->sure[k] | either) & ~l->live[k]) != 0;
		}
	}
	return GCDC_OK;
}

// ---- Proofs that do not know the stack below its top.
static uint32_t lex_walk(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t token)
{
	for (uint32_t i = a->token_offset[token]; i < a->token_offset[token + 1] && lex_state; i++)
		lex_state = a->lex_next[(uint64_t)lex_state * a->info.n_classes + a->info.class_of[a->token_bytes[i]]] & LEX_STATE_MASK;
	return lex_state;
}

// What every stack allows that a set and then a node are read from: the set, and what all ways from the node have in
// common. A way on which nothing at all is allowed is no stack's: what was accepted is viable. rows: scratch, two for each
// level below. any: something was allowed before.
static void common_of(const struct gcdc_artifact *a, uint32_t set, uint32_t node, uint32_t depth, uint32_t *visits, uint32_t **rows,
                      bool any_before, uint32_t *out)
{
	uint32_t words = a->info.mask_words, n_used = 0;
	const struct artifact_set *s = &a->sets[set];
	any_before |= s->count || s->even || s->alone || s->maybe;
	memset(out, 0, words * sizeof *out);
	for (struct set_words w = set_words(a, &a->sets[set]); set_words_next(a, &w);) out[w.word] |= w.bits;
	if (!node || depth == COMMON_DEPTH) return;
	uint32_t *all = rows[2 * depth], *one = rows[2 * depth + 1], any = 1;
	const struct artifact_node *x = &a->nodes[node];
	memset(all, 0xff, words * sizeof *all);
	for (uint32_t k = 0; k <= x->n && any; k++) {
		const struct artifact_target *to = &a->targets[k < x->n ? a->edges[x->first + k] : x->other];
		if (++*visits > COMMON_VISITS) return;
		if (!any_before && !to->set && !to->next) continue;
		n_used++;
		common_of(a, to->set, to->next, depth + 1, visits, rows, any_before, one);
		any = 0;
		for (uint32_t w = 0; w < words; w++) any |= all[w] &= one[w];
	}
	for (uint32_t w = 0; w < words && n_used; w++) out[w] |= all[w];
}

// Tokens that are allowed in lex_state on lr_state whatever lies below; NULL: nothing is known of it.
static gcdc_status common_row(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, const uint32_t **row)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_lr_state *top = &a->lr_states[lr_state];
	uint32_t base = a->start_base[(uint64_t)lex_state * a->info.n_contexts + top->context];
	*row = NULL;
	if (base == ARTIFACT_NONE) return GCDC_OK;
	const struct artifact_start *start = &a->starts[base + top->rank];
	struct common_row *at = &m->cache->common[(base + top->rank) * 0x9E3779B1u >> 24];
	if (!at->row || at->start != base + top->rank) {
		uint32_t *rows[2 * COMMON_DEPTH] = {0}, visits = 0;
		bool good = at->row || (at->row = canonical_row_new(m->cache));
		for (uint32_t i = 0; i < 2 * COMMON_DEPTH && good && start->node; i++) good = (rows[i] = canonical_row_new(m->cache));
		if (good) common_of(a, start->set, start->node, 0, &visits, rows, false, at->row);
		for (uint32_t i = 0; i < 2 * COMMON_DEPTH; i++) memory_free(&a->memory, rows[i]);
		if (!good) return GCDC_ERR_MEMORY;
		at->start = base + top->rank;
	}
	*row = at->row;
	return GCDC_OK;
}

static gcdc_status prove(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, const struct canonical_place *p,
                         uint32_t depth, bool *proved);

// The same behind one more token, if it stays in the lexeme.
static gcdc_status prove_behind(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, const struct canonical_place *p,
                                uint32_t t, uint32_t depth, uint32_t *tries, bool *proved)
{
	uint32_t next = lex_walk(m->artifact, lex_state, t);
	struct canonical_place after = *p;
	if (!next || artifact_is_eos(m->artifact, t) || !canonical_step(m->artifact, &after, t)) return GCDC_OK;
	++*tries;
	return prove(m, next, lr_state, &after, depth + 1, proved);
}

// Some text goes on canonically from here, where the lexeme stands in lex_state on lr_state.
static gcdc_status prove(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, const struct canonical_place *p,
                         uint32_t depth, bool *proved)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint32_t *row;
	struct lead l;
	gcdc_status status = common_row(m, lex_state, lr_state, &row);
	*proved = false;
	if (status || !row) return status;
	if (a->info.n_eos && row_has(row, a->eos[0]) && canonical_ends(&a->canonical, p)) return *proved = true, GCDC_OK;
	if (!p->n_begun) {
		if (!(status = lead_begin(m, p, &l))) status = leads(&l, lex_state, lr_state, row, proved);
		if (status || *proved) return status;
	}
	if (depth >= PROOF_DEPTH + (p->n_begun ? 3 : 0)) return GCDC_OK;   // a character has four bytes
	uint32_t tries = p->n_begun ? PROOF_TRIES - 8 : 0;
	// Single characters first: they are the most different.
	for (uint32_t i = 0; i < m->cache->n_ascii && !p->n_begun && !status && !*proved; i++)
		if (row_has(row, m->cache->ascii[i])) status = prove_behind(m, lex_state, lr_state, p, m->cache->ascii[i], depth, &tries, proved);
	for (uint32_t w = 0; w < a->info.mask_words && tries < PROOF_TRIES && !status && !*proved; w++) {
		uint32_t bits = p->n_begun ? row[w] & m->cache->inside[w] : row[w];
		for (; bits && tries < PROOF_TRIES && !status && !*proved; bits &= bits - 1)
			status = prove_behind(m, lex_state, lr_state, p, w * 32 + (uint32_t)__builtin_ctz(bits), depth, &tries, proved);
	}
	return status;
}

// The sets that one simple stack allows, one after the other.
struct stack_walk {
	uint32_t set, node, frame;
	uint32_t least;   // depth of the deepest frame that was read
	bool is_unsure;   // a set has tokens that are to be tried
};

// False: there are several stacks, or columns.
static bool walk_begin(const struct gcdc_matcher *m, const struct position *p, struct stack_walk *w)
{
	const struct gcdc_artifact *a = m->artifact;
	*w = (struct stack_walk){0};
	if (p->n != 1 || !p->at[0].frame || m->pool->at[p->at[0].frame].depth & FRAME_BRANCHED || a->info.n_lines) return false;
	const struct artifact_lr_state *top = &a->lr_states[m->pool->at[p->at[0].frame].lr_state];
	uint32_t base = a->start_base[(uint64_t)p->at[0].lex_state * a->info.n_contexts + top->context];
	w->frame = p->at[0].frame, w->least = frame_depth(m->pool, w->frame);
	if (base == ARTIFACT_NONE) return true;
	w->set = a->starts[base + top->rank].set, w->node = a->starts[base + top->rank].node;
	w->is_unsure = a->sets[w->set].even | a->sets[w->set].alone | a->sets[w->set].maybe;
	return true;
}

static bool walk_next(const struct gcdc_matcher *m, struct stack_walk *w)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_node *n = &a->nodes[w->node];
	if (!w->node || n->skip >= frame_depth(m->pool, w->frame)) return false;
	for (uint32_t k = 0; k <= n->skip; k++) w->frame = m->pool->at[w->frame].parent;
	w->least = frame_depth(m->pool, w->frame);
	const struct artifact_target *to = artifact_target_of(a, n, m->pool->at[w->frame].lr_state);
	w->set = to->set, w->node = to->next;
	w->is_unsure |= a->sets[w->set].even | a->sets[w->set].alone | a->sets[w->set].maybe;
	return true;
}

// The deepest frame that led from one stack to the other: the first that both have.
static uint32_t common_depth(const struct gcdc_matcher *m, uint32_t f, uint32_t g)
{
	while (f != g) {
		if (frame_depth(m->pool, g) > frame_depth(m->pool, f)) g = m->pool->at[g].parent;
		else f = m->pool->at[f].parent;
	}
	return frame_depth(m->pool, f);
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
	gcdc_status status = GCDC_OK;
	uint32_t least;
	*found = false;
	if (!at->mask && !(at->mask = canonical_row_new(m->cache))) return GCDC_ERR_MEMORY;
	struct stack_walk walk;
	bool simple = walk_begin(m, &at->after, &walk);
	while (simple && walk_next(m, &walk)) continue;
	least = simple && !walk.is_unsure ? walk.least : 0;
	if (least) {
		uint32_t common = common_depth(m, at->after.at[0].frame, m->cache->from);
		if (common < least) least = common;
	}
	if (least < m->cache->least) m->cache->least = least;
	status = position_sets(m, &at->after, &at->sets);
	if (status) return status == GCDC_REJECTED ? GCDC_OK : status;
	if (at->sets.may_end && canonical_ends(&a->canonical, p)) return *found = true, GCDC_OK;
	if (!p->n_begun) {
		struct lead l;
		if ((status = lead_begin(m, p, &l))) return status;
		for (uint32_t i = 0; i < at->sets.n && !*found && !status; i++) status = leads(&l, at->sets.at[i], ARTIFACT_NONE, NULL, found);
		if (status || *found) return status;
	}
	if (depth + 1 == CANON_TRY_DEPTH) return m->cache->is_cut = true, GCDC_OK;
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
	if (m->cache->n_tries == CANON_TRY_MAX) return m->cache->is_cut = true, GCDC_OK;
	m->cache->n_tries++;
	gcdc_status status = position_copy(m, after, from);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	if (!status && after->n && canonical_step(a, &after->canonical, token)) status = search_on(m, depth, found);
	position_release(m, after);
	return status;
}

// ---- Pruning.
static struct proof_row *proof_of(struct gcdc_matcher *m, uint32_t kind, const struct proof_key *key)
{
	uint64_t hash = 0;
	uint32_t words[sizeof *key / 4];
	memcpy(words, key, sizeof *key);
	for (uint32_t i = 0; i < sizeof *key / 4; i++) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
	// Eight places that it may be in; the one not used for longest makes room.
	struct proof_row *row = NULL, *places = &m->cache->proofs[kind][(hash >> 32) % CANON_PROOF_ROWS & ~7u];
	for (uint32_t i = 0; i < 8; i++) {
		struct proof_row *at = &places[i];
		if (at->proved && at->open && !memcmp(&at->key, key, sizeof *key)) return at->used = ++m->cache->clock, at;
		if (!row || at->used < row->used) row = at;
	}
	row->used = ++m->cache->clock;
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
	struct canonical_place plain;        // one of the place's ways, and nothing else of it: what rows are for
	bool is_plain;                       // the place is that
	uint32_t split;                      // of the way, when it is not
	uint32_t known;                      // frames from this depth up are in the key of `across`
	uint32_t lr_state;
};

static gcdc_status pruning_begin(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, struct pruning *x)
{
	const struct canonical_place *c = &p->canonical;
	*x = (struct pruning){.m = m, .p = p, .list = list};
	if (!canonical_cache_of(m)) return GCDC_ERR_MEMORY;
	gcdc_status status = try_room(m);
	if (status || p->n != 1 || c->n_begun) return status;
	uint32_t way = 0;
	while (way < c->n_ways && c->way[way].split) way++;
	for (uint32_t i = 0; i < c->n_ways && way == c->n_ways; i++)
		if (!m->artifact->canonical.splits[c->way[i].split].ends) way = i;
	if (way == c->n_ways) return GCDC_OK;
	x->plain = (struct canonical_place){.last = c->last, .n_ways = 1, .way = {{.set = c->way[way].set}}};
	x->split = c->way[way].split;
	x->is_plain = c->n_ways == 1 && !x->split && !c->n_live && !c->left && !c->combining;
	uint32_t f = p->at[0].frame;
	if (m->pool->at[f].depth & FRAME_BRANCHED) return GCDC_OK;
	struct proof_key key = {.set = c->way[way].set, .lex_state = p->at[0].lex_state};
	for (; key.n_frames < KEY_FRAMES; f = m->pool->at[f].parent) {
		key.lr_state[key.n_frames++] = m->pool->at[f].lr_state;
		if (f == FRAME_BOTTOM) break;
	}
	x->lr_state = key.lr_state[0];
	uint32_t depth = frame_depth(m->pool, p->at[0].frame) + 1;
	x->known = depth > KEY_FRAMES ? depth - KEY_FRAMES : 0;
	if (!m->artifact->info.n_lines && !(x->across = proof_of(m, 1, &key))) return GCDC_ERR_MEMORY;
	key = (struct proof_key){.set = key.set, .lex_state = key.lex_state, .n_frames = 1, .lr_state = {key.lr_state[0]}};
	x->inside = proof_of(m, 0, &key);
	return x->inside ? GCDC_OK : GCDC_ERR_MEMORY;
}

// The places after a token, whichever came before it: as the first of a piece only, and as either.
static gcdc_status prove_places(const struct pruning *x, uint32_t t, uint32_t lex_state, uint32_t lr_state, bool *proved)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct canonical_place *before = &x->plain;
	gcdc_status status = GCDC_OK;
	*proved = true;
	for (uint32_t how = 0; how < 2 && *proved && !status; how++) {
		struct canonical_place p = *before;
		if (!canonical_step_as(a, &p, t, how)) continue;
		status = prove(x->m, lex_state, lr_state, &p, 0, proved);
	}
	return status;
}

// Does something that the position's stack allows lead on from the token's places? *known: the stack is simple.
static gcdc_status leads_by_stack(const struct pruning *x, uint32_t t, const struct position *after, uint32_t *least, bool *known,
                                  bool *proved)
{
	const struct gcdc_artifact *a = x->m->artifact;
	struct stack_walk w;
	*proved = true, *least = UINT32_MAX;
	for (uint32_t how = 0; how < 2 && *proved; how++) {
		struct canonical_place p = x->plain;
		struct lead l;
		if (!(*known = walk_begin(x->m, after, &w))) return *proved = false, GCDC_OK;
		if (!canonical_step_as(a, &p, t, how)) continue;
		if (p.n_begun) return *proved = false, GCDC_OK;
		gcdc_status status = lead_begin(x->m, &p, &l);
		if (status) return status;
		bool ends = canonical_ends(&a->canonical, &p);
		*proved = false;
		do {
			*proved = ends && a->sets[w.set].flags & SET_EOS;
			if (!*proved) status = leads(&l, w.set, ARTIFACT_NONE, NULL, proved);
		} while (!status && !*proved && walk_next(x->m, &w));
		if (status) return status;
		if (w.least < *least) *least = w.least;
		if (!(*known = !w.is_unsure)) return *proved = false, GCDC_OK;
	}
	return GCDC_OK;
}

// By the stack as it is; kept when no frame below the key's was read.
static gcdc_status prove_across(struct pruning *x, uint32_t t, bool *proved)
{
	struct gcdc_matcher *m = x->m;
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_try *try = &m->cache->tries[0];
	uint32_t least;
	struct position *after = &try->after;
	uint32_t begin = a->token_offset[t], end = a->token_offset[t + 1];
	*proved = false;
	bool known = false;
	gcdc_status status = position_copy(m, after, x->p);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	if (!status) status = leads_by_stack(x, t, after, &least, &known, proved);
	if (!status && known) {
		uint32_t top = after->at[0].frame, common = common_depth(m, x->p->at[0].frame, top);
		if (!status && !*proved) {
			status = prove_places(x, t, after->at[0].lex_state, m->pool->at[top].lr_state, proved);
			least = frame_depth(m->pool, top);
		}
		if (common < least) least = common;
		if (*proved && least >= frame_depth(m->pool, x->p->at[0].frame)) row_add(x->inside->proved, t);
		else if (*proved && x->across && least >= x->known) row_add(x->across->proved, t);
	}
	position_release(m, after);
	return status;
}

// Is the place after the token one that the plain place leads to?
static bool acts_plain(const struct pruning *x, uint32_t t)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct canonical_place *p = &x->p->canonical;
	if (a->token_offset[t] == a->token_offset[t + 1]) return false;
	uint8_t byte = a->token_bytes[a->token_offset[t]];
	for (uint32_t i = 0; i < p->n_live; i++)
		for (uint32_t n = a->canonical.added[p->live[i]].child; n; n = a->canonical.added[n].next)
			if (a->canonical.added[n].byte == byte) return false;
	if ((p->left || p->combining) && canonical_begins_with_mark(a, t)) return false;
	if (x->split && canonical_split_child(&a->canonical, x->split, t)) return false;
	struct canonical_place after = x->plain;
	return canonical_step(a, &after, t);
}

// A search's answer holds for these frames, whichever token came before, if that did not decide: more ways to have cut can
// only help.
static gcdc_status keep_result(struct pruning *x, uint32_t t, bool good)
{
	const struct gcdc_artifact *a = x->m->artifact;
	struct canonical_place p = x->plain;
	bool may_begin = canonical_step_as(a, &p, t, 0);
	bool together = x->plain.last != ARTIFACT_NONE && canonical_adjacent(&a->canonical, x->plain.last, t);
	if (!good && (!may_begin || together)) row_add(x->across->open, t);
	if (good && may_begin && together) {   // once more, as the first of a piece alone
		struct position alone = *x->p;
		alone.canonical.last = ARTIFACT_NONE;
		gcdc_status status = search(x->m, &alone, t, 0, &good);
		if (status) return status;
		good = good && x->m->cache->least >= x->known;
	}
	if (good) row_add(x->across->proved, t);
	return GCDC_OK;
}

static gcdc_status judge(struct pruning *x, uint32_t t, bool *good)
{
	struct gcdc_matcher *m = x->m;
	const struct gcdc_artifact *a = m->artifact;
	*good = true;
	if (artifact_is_eos(a, t)) return GCDC_OK;
	bool is_plain = x->inside && (x->is_plain || acts_plain(x, t));
	gcdc_status status = GCDC_OK;
	if (is_plain) {
		if (row_has(x->inside->proved, t) || (x->across && row_has(x->across->proved, t))) return GCDC_OK;
		if (!row_has(x->inside->open, t)) {
			uint32_t lex_state = lex_walk(a, x->p->at[0].lex_state, t);
			*good = false;
			if (lex_state) status = prove_places(x, t, lex_state, x->lr_state, good);
			row_add(*good ? x->inside->proved : x->inside->open, t);
			if (status || *good) return status;
		}
		if (x->across && row_has(x->across->open, t)) return *good = false, GCDC_OK;
		status = prove_across(x, t, good);
		if (status || *good) return status;
	}
	struct canonical_cache *cache = m->cache;
	cache->n_tries = 0, cache->is_cut = false, cache->least = UINT32_MAX, cache->from = x->p->at[0].frame ? x->p->at[0].frame : FRAME_BOTTOM;
	status = search(m, x->p, t, 0, good);
	if (!status && !*good && cache->is_cut) status = GCDC_ERR_SEARCH;
	if (!status && is_plain && x->across && cache->least >= x->known) status = keep_result(x, t, *good);
	return status;
}

gcdc_status canonical_survives(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t token,
                               bool *survives)
{
	struct pruning x;
	gcdc_status status = pruning_begin(m, p, list, &x);
	return status ? status : judge(&x, token, survives);
}

static const uint32_t *first_byte_row(struct gcdc_matcher *m, uint8_t byte)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t **row = &m->cache->by_first[byte];
	if (*row || !(*row = canonical_row_new(m->cache))) return *row;
	for (uint32_t t = 0; t < a->info.n_tokens; t++)
		if (a->token_offset[t] != a->token_offset[t + 1] && a->token_bytes[a->token_offset[t]] == byte) row_add(*row, t);
	return *row;
}

// Tokens for which the plain place's proofs hold (acts_plain), or NULL: all; into a scratch row.
static gcdc_status plain_tokens(const struct pruning *x, const uint32_t **tokens)
{
	struct gcdc_matcher *m = x->m;
	const struct canonical_tables *c = &m->artifact->canonical;
	const struct canonical_place *p = &x->p->canonical;
	uint32_t *row = m->cache->scratch[2], words = m->cache->words;
	*tokens = NULL;
	if (x->is_plain || !x->inside) return GCDC_OK;
	const uint32_t *way = canonical_way_row(m, &x->plain.way[0], p->last);
	if (!way) return GCDC_ERR_MEMORY;
	memcpy(row, way, words * sizeof *row);
	for (uint32_t i = 0; i < p->n_live; i++)
		for (uint32_t n = c->added[p->live[i]].child; n; n = c->added[n].next) {
			const uint32_t *first = first_byte_row(m, c->added[n].byte);
			if (!first) return GCDC_ERR_MEMORY;
			for (uint32_t w = 0; w < words; w++) row[w] &= ~first[w];
		}
	for (uint32_t i = 0; i < c->info->n_marks && (p->left || p->combining); i++) {
		uint32_t t = c->bad[c->info->first_mark + i];
		row[t / 32] &= ~(1u << t % 32);
	}
	for (uint32_t i = 0; i < c->splits[x->split].n && x->split; i++) {
		uint32_t t = c->splits[c->splits[x->split].child + i].token;
		if (t < m->artifact->info.n_tokens) row[t / 32] &= ~(1u << t % 32);
	}
	*tokens = row;
	return GCDC_OK;
}

gcdc_status canonical_prune(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t *mask, bool *empty)
{
	struct pruning x;
	const uint32_t *plain = NULL;
	gcdc_status status = pruning_begin(m, p, list, &x);
	uint32_t any = 0;
	if (!status) status = plain_tokens(&x, &plain);
	for (uint32_t w = 0; w < m->artifact->info.mask_words && !status; w++) {
		uint32_t bits = mask[w];
		uint32_t proved = x.inside ? x.inside->proved[w] | (x.across ? x.across->proved[w] : 0) : 0;
		bits &= ~(plain ? proved & plain[w] : proved);
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
