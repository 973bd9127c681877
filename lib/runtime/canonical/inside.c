// Is there a canonical way on, as far as the lexeme at hand and the top of the stack tell?
//
// In:  a place in a text whose one reading stands in a lexer state on a parser state.  Out: yes; no, whatever the
// stack; unknown. Yes: the text leads on (live.c), or may end, or goes on so behind a token that is allowed
// whatever lies below the top and stays in the lexeme. No: no token that is canonical next is one that the lexer goes
// on with, not even by ending the lexeme. Whatever else is for the search that knows the stack (search.c).
// Verdicts are kept (CANON_INSIDE of them): they hold for all stacks with that top. Cost: 20 ns for a verdict that is
// there; else 0.1 to some 10 microseconds, once.
#include "../core/runtime_internal.h"
#include "canonical.h"

#define ANY_TOP 0u        // no state of the parser
#define INSIDE_DEPTH 4u   // tokens ahead
#define INSIDE_WIDTH 96u  // tokens that may come next that are looked at
#define INSIDE_FIRST 12u  // bytes that the lexer takes
#define INSIDE_TRIES 64u  // tokens looked at, all together

struct inside {
	struct gcdc_matcher *m;
	uint32_t lr_state;  // ANY_TOP: whatever the top
	uint32_t home;      // a lexer state known to be viable on the stack, or 0
	uint32_t tries;
	uint32_t leader;  // the token behind which it was found last that something leads on
};

static const struct artifact_start *start_of(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state)
{
	if (lr_state == ANY_TOP) return NULL;
	const struct artifact_lr_state *top = &a->lr_states[lr_state];
	uint32_t base = a->start_base[(uint64_t)lex_state * a->info.n_contexts + top->context];
	return base == ARTIFACT_NONE ? NULL : &a->starts[base + top->rank];
}

// May the lexeme end here, as something that the parser can take on this top?
static bool may_cut(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state)
{
	for (uint32_t way = lex_state; way; way = a->lex_states[way].also) {
		uint32_t t = a->lex_states[way].terminal;
		if (t == ARTIFACT_NONE) continue;
		if (lr_state == ANY_TOP || a->terminals[t].flags & TERMINAL_IGNORED || artifact_action(a, lr_state, t))
			return true;
	}
	return false;
}

// Where the lexeme stands behind the token if it has not ended, or 0. *cuts: it may also have ended. *viable: the token
// may come whatever the stack, as each of its bytes may.
static uint32_t lex_walk(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state, uint32_t token,
                         bool *cuts, bool *viable)
{
	*cuts = false, *viable = true;
	for (uint32_t i = a->token_offset[token]; i < a->token_offset[token + 1] && lex_state; i++) {
		uint8_t byte = a->token_bytes[i];
		uint32_t next = a->lex_next[(uint64_t)lex_state * a->info.n_classes + a->info.class_of[byte]];
		*cuts = *cuts || (next & LEX_CUT && may_cut(a, lex_state, lr_state));
		const struct artifact_canon_chars *wide = byte < 128 ? a->canonical.wide : a->canonical.bytes;
		*viable &= wide[lex_state].word[byte / 32 % 4] >> byte % 32 & 1;
		lex_state = next & LEX_STATE_MASK;
	}
	return lex_state;
}

// The bytes that the lexer takes; INSIDE_FIRST + 1: more than so many.
static uint32_t first_bytes(const struct gcdc_artifact *a, uint32_t lex_state, uint8_t out[INSIDE_FIRST])
{
	const uint32_t *next_of = &a->lex_next[(uint64_t)lex_state * a->info.n_classes];
	uint32_t n = 0;
	for (uint32_t b = 0; b < 256; b++) {
		if (!next_of[a->info.class_of[b]]) continue;
		if (n == INSIDE_FIRST) return n + 1;
		out[n++] = (uint8_t)b;
	}
	return n;
}

// The tokens that begin otherwise go.
static gcdc_status keep_first(struct gcdc_matcher *m, const uint8_t *bytes, uint32_t n, uint32_t *row)
{
	const uint32_t *first[INSIDE_FIRST];
	for (uint32_t i = 0; i < n; i++)
		if (!(first[i] = canonical_first_row(m, bytes[i]))) return GCDC_ERR_MEMORY;
	for (uint32_t w = 0; w < m->cache->words; w++) {
		uint32_t some = 0;
		for (uint32_t i = 0; i < n; i++) some |= first[i][w];
		row[w] &= some;
	}
	return GCDC_OK;
}

gcdc_status canonical_first_look(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state,
                                 const struct canonical_place *p, const struct canonical_live *l, bool *yes)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_start *start = start_of(a, lex_state, lr_state);
	*yes = start && a->sets[start->set].flags & SET_EOS && canonical_ends(&a->canonical, p);
	if (!l || *yes) return GCDC_OK;
	*yes = canonical_live_chars(m, l, &a->canonical.wide[lex_state]);
	return start && !*yes ? canonical_live_from(m, l, start->set, start->node, false, yes) : GCDC_OK;
}

// A place, `depth` tokens ahead, and what looking behind it has shown so far.
struct spot {
	uint32_t lex_state, depth;
	const struct canonical_place *p;
	bool is_open;  // some token was not looked at to the end
	enum canonical_verdict verdict;
};

static gcdc_status look(struct inside *x, struct spot *at);

// Behind one token, if the lexer takes it. Counts it in *n then.
static gcdc_status look_behind(struct inside *x, struct spot *at, uint32_t t, uint32_t *n)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const uint32_t *next_of = &a->lex_next[(uint64_t)at->lex_state * a->info.n_classes];
	if (a->token_offset[t] == a->token_offset[t + 1] || !next_of[a->info.class_of[a->token_bytes[a->token_offset[t]]]])
		return GCDC_OK;
	bool cuts, viable;
	uint32_t next = lex_walk(a, at->lex_state, x->lr_state, t, &cuts, &viable);
	struct canonical_place after = *at->p;
	if (!next && !cuts) return GCDC_OK;
	++*n;
	if (canonical_work(x->m->cache, CANON_WORK_INSIDE)) return GCDC_ERR_SEARCH;
	if (!canonical_step(a, &after, t)) return GCDC_OK;
	viable |= next && next == x->home;  // only what is known to be viable whatever the stack
	if (cuts || !viable || ++x->tries > INSIDE_TRIES) {
		at->is_open = true;
		return GCDC_OK;
	}
	struct spot behind = {.lex_state = next, .depth = at->depth + 1, .p = &after};
	gcdc_status status = look(x, &behind);
	at->verdict = behind.verdict;
	if (at->verdict == CANON_ALIVE) x->leader = t;
	at->is_open |= at->verdict == CANON_UNKNOWN;
	return status;
}

// Behind those of a row, one after the other.
static gcdc_status look_behind_row(struct inside *x, struct spot *at, const uint32_t *row)
{
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t w = 0; w < x->m->artifact->info.mask_words; w++)
		for (uint32_t bits = row[w]; bits; bits &= bits - 1) {
			if (at->verdict == CANON_ALIVE || status || n == INSIDE_WIDTH) goto done;
			status = look_behind(x, at, w * 32 + (uint32_t)__builtin_ctz(bits), &n);
		}
done:
	at->is_open |= n == INSIDE_WIDTH;
	return status;
}

// Behind the token that led on from a place like this. What it adds to is_open, the look at all tokens would, too.
static gcdc_status look_behind_hint(struct inside *x, struct spot *at, uint32_t hint)
{
	uint32_t n = 0, tries = x->tries;
	if (!hint) return GCDC_OK;
	gcdc_status status = look_behind(x, at, hint, &n);
	if (at->verdict != CANON_ALIVE) x->tries = tries;
	return status;
}

// Behind all tokens that may come, inside a character.
static gcdc_status look_in_character(struct inside *x, struct spot *at)
{
	const struct canonical_cache *cache = x->m->cache;
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < cache->n_inside && at->verdict != CANON_ALIVE && !status; i++)
		status = look_behind(x, at, cache->inside_tokens[i], &n);
	return status;
}

// Behind those that may come between characters and begin with one of the bytes.
static gcdc_status look_between(struct inside *x, struct spot *at, const uint8_t *bytes, uint32_t n_bytes)
{
	struct gcdc_matcher *m = x->m;
	uint32_t **row = &m->cache->inside_rows[at->depth];
	bool empty = true;
	if (!*row && !(*row = canonical_row_new(m->cache))) return GCDC_ERR_MEMORY;
	memset(*row, 0xff, m->cache->words * sizeof **row);
	if (m->artifact->info.n_tokens % 32) (*row)[m->cache->words - 1] >>= 32 - m->artifact->info.n_tokens % 32;
	gcdc_status status = canonical_work(m->cache, canonical_work_row(m->cache));
	m->cache->is_search = true;
	if (!status) status = canonical_keep(m, at->p, *row, &empty);
	m->cache->is_search = false;
	if (status || empty) return status;
	status = keep_first(m, bytes, n_bytes, *row);
	return status ? status : look_behind_row(x, at, *row);
}

// The verdict on a place; at->is_open and at->verdict are set.
// Branches: the cheap answers first (alive at once, too deep, a hint), and the search only where none of them holds.
static gcdc_status look(struct inside *x, struct spot *at)
{
	struct gcdc_matcher *m = x->m;
	const struct canonical_place *p = at->p;
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_live l;
	gcdc_status status = p->n_begun ? GCDC_OK : canonical_live_begin(m, p, &l);
	bool yes = false;
	at->is_open = canonical_ends(&a->canonical, p);  // a stack may let the text end
	if (!status) status = canonical_first_look(m, at->lex_state, x->lr_state, p, p->n_begun ? NULL : &l, &yes);
	at->verdict = yes ? CANON_ALIVE : CANON_UNKNOWN;
	if (yes || status || at->depth == INSIDE_DEPTH || x->tries > INSIDE_TRIES) return status;
	uint8_t bytes[INSIDE_FIRST];
	uint32_t n_bytes = p->n_begun ? 0 : first_bytes(a, at->lex_state, bytes);
	if (n_bytes > INSIDE_FIRST)
		return GCDC_OK;  // one of the many ways that the lexer goes on is likely one: not found here
	uint32_t *hint = canonical_hint(m->cache, at->lex_state, x->lr_state, p);
	status = look_behind_hint(x, at, *hint);
	if (status || at->verdict == CANON_ALIVE) return status;
	status = p->n_begun ? look_in_character(x, at) : look_between(x, at, bytes, n_bytes);
	if (at->verdict == CANON_ALIVE)
		*hint = x->leader;
	else
		at->verdict = at->is_open || status ? CANON_UNKNOWN : CANON_DEAD;
	return status;
}

static gcdc_status look_first(struct inside *x, uint32_t lex_state, const struct canonical_place *p,
                              enum canonical_verdict *verdict)
{
	struct spot at = {.lex_state = lex_state, .p = p};
	gcdc_status status = look(x, &at);
	*verdict = at.verdict;
	return status;
}

static gcdc_status kept(struct inside *x, uint32_t lex_state, const struct canonical_place *p,
                        enum canonical_verdict *verdict)
{
	struct canonical_cache *cache = x->m->cache;
	struct inside_key key = {.lex_state = lex_state,
	                         .lr_state = x->lr_state,
	                         .last = p->last,
	                         .home = x->home,
	                         .n = p->n_ways | (uint32_t)p->n_live << 8 | (uint32_t)p->n_begun << 16 |
	                              (uint32_t)p->by_bytes << 24};
	if (p->n_ways > MEMO_WAYS || p->n_live > 2 || p->left || p->combining) return look_first(x, lex_state, p, verdict);
	for (uint32_t i = 0; i < p->n_ways; i++)
		key.way[i] = (uint32_t)p->way[i].set << 16 | p->way[i].pending, key.split[i] = p->way[i].split;
	for (uint32_t i = 0; i < p->n_live; i++) key.live[i] = p->live[i];
	for (uint32_t i = 0; i < p->n_begun; i++) key.begun = key.begun << 8 | p->begun[i];
	if (UNLIKELY(!cache->verdicts)) {
		cache->verdicts = memory_resize(&x->m->artifact->memory, NULL, CANON_INSIDE, sizeof *cache->verdicts);
		if (!cache->verdicts) return GCDC_ERR_MEMORY;
		memset(cache->verdicts, 0, CANON_INSIDE * sizeof *cache->verdicts);
	}
	uint64_t hash = 0, words[sizeof key / 8];
	static_assert(sizeof key % 8 == 0, "hashed by 8 bytes");
	memcpy(words, &key, sizeof key);
	for (uint32_t i = 0; i < sizeof key / 8; i++) hash = hash_add_fold(hash, words[i]);
	struct kept_verdict *at = &cache->verdicts[hash % CANON_INSIDE];
	if (LIKELY(at->verdict && !memcmp(&at->key, &key, sizeof key))) return *verdict = at->verdict, GCDC_OK;
	gcdc_status status = look_first(x, lex_state, p, verdict);
	if (!status) at->key = key, at->verdict = *verdict;
	return status;
}

static gcdc_status judge(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, uint32_t home,
                         const struct canonical_place *p, enum canonical_verdict *verdict)
{
	struct inside x = {.m = m, .lr_state = ANY_TOP, .home = p->n_begun ? home : 0};
	if (p->n_begun) {  // then what holds for every top is mostly all there is, and is kept once
		gcdc_status status = kept(&x, lex_state, p, verdict);
		if (status || *verdict != CANON_UNKNOWN) return status;
	}
	x.lr_state = lr_state, x.tries = 0;
	return kept(&x, lex_state, p, verdict);
}

gcdc_status canonical_inside(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state,
                             const struct canonical_place *p, enum canonical_verdict *verdict)
{
	return judge(m, lex_state, lr_state, 0, p, verdict);
}

gcdc_status canonical_inside_behind(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state,
                                    const struct canonical_place *p, uint32_t token, enum canonical_verdict *verdict)
{
	bool cuts, viable;
	uint32_t next = lex_walk(m->artifact, lex_state, lr_state, token, &cuts, &viable);
	*verdict = CANON_UNKNOWN;
	return next && !cuts ? judge(m, next, lr_state, lex_state, p, verdict) : GCDC_OK;
}

bool canonical_is_inside(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state, uint32_t token)
{
	bool cuts, viable;
	return lex_walk(a, lex_state, lr_state, token, &cuts, &viable) && !cuts;
}
