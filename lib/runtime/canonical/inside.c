// Is there a canonical way on, as far as the lexeme at hand and the top of the stack tell?
//
// In:  a place in a text whose one reading stands in a lexer state on a parser state.  Out: yes; no, whatever the
// stack; unknown. Yes: the text leads on (live.c), or may end, or goes on so behind a token that is allowed
// whatever lies below the top and stays in the lexeme. No: no token that is canonical next is one that the lexer goes
// on with, not even by ending the lexeme. Whatever else is for the search that knows the stack (search.c).
// Verdicts are kept (CANON_INSIDE of them): they hold for all stacks with that top. Cost: 20 ns for a verdict that is
// there; else 0.1 to some 10 microseconds, once.
#include "found_cache.h"

#define ANY_TOP 0u        // no state of the parser
#define INSIDE_DEPTH 4u   // tokens ahead
#define INSIDE_WIDTH 96u  // tokens that may come next that are looked at
#define INSIDE_SOME 32u   // of them, before all that are canonical are found
#define INSIDE_FIRST 12u  // bytes that the lexer takes
#define INSIDE_RESTS 32u  // rests of a character, once no verdict but alive can be found
#define INSIDE_TRIES 64u  // tokens looked at, all together

struct inside {
	struct gcdc_matcher *m;
	uint32_t lr_state;  // ANY_TOP: whatever the top
	uint32_t home;      // a lexer state known to be viable on the stack, or 0
	uint32_t tries;
	uint32_t leader;  // the token behind which it was found last that something leads on
	uint32_t ahead;   // tokens of the way that was found last
};

static const struct artifact_start *start_of(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state)
{
	if (lr_state == ANY_TOP) return NULL;
	const struct artifact_lr_state *top = &a->lr_states[lr_state];
	const uint32_t base = artifact_start_base(a, lex_state, top->context);
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

// May the text end here on this top, as far as the lexeme tells? A last newline may be lacking.
static bool may_end_text(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state)
{
	const uint32_t *next_of = &a->lex_next[(uint64_t)lex_state * a->info.n_classes];
	bool takes_newline = a->info.end_newline && next_of[a->info.class_of['\n']];
	return a->lex_states[lex_state].flags & LEX_INITIAL || takes_newline || may_cut(a, lex_state, lr_state);
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

// May the token come whatever the stack, as it leads to a state known to be viable, or as the top says?
static bool is_viable(const struct inside *x, uint32_t lex_state, uint32_t next, uint32_t t)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct artifact_start *start = start_of(a, lex_state, x->lr_state);
	return next == x->home || (start && artifact_set_has(a, &a->sets[start->set], t));
}

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
	viable |= next && is_viable(x, at->lex_state, next, t);
	if (at->is_open && (cuts || !viable)) return GCDC_OK;  // would tell nothing more
	if (canonical_work(x->m->cache, CANON_WORK_INSIDE)) return GCDC_ERR_SEARCH;
	if (!canonical_step(a, &after, t)) return GCDC_OK;
	if (cuts || !viable || ++x->tries > INSIDE_TRIES) {
		at->is_open = true;
		return GCDC_OK;
	}
	struct spot behind = {.lex_state = next, .depth = at->depth + 1, .p = &after};
	gcdc_status status = look(x, &behind);
	at->verdict = behind.verdict;
	if (at->verdict == CANON_ALIVE) x->leader = t, x->ahead++;
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

// All that decides of a place in a lexer state. False: it is none that is kept.
static bool key_of(const struct inside *x, uint32_t lex_state, const struct canonical_place *p, struct inside_key *key)
{
	bool is_kept = canonical_place_key(lex_state, p, key);
	key->lr_state = x->lr_state, key->home = x->home;
	return is_kept;
}

// Behind all tokens that may come, inside a character.
static gcdc_status look_in_any(struct inside *x, struct spot *at)
{
	const struct canonical_cache *cache = x->m->cache;
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < cache->n_inside && at->verdict != CANON_ALIVE && !status && x->tries <= INSIDE_TRIES; i++)
		status = look_behind(x, at, cache->inside_tokens[i], &n);
	at->is_open |= x->tries > INSIDE_TRIES;
	return status;
}

// The next rest that the lexer takes, with the verdict if it needs no look behind it. False: there is none, or *status
// says why.
static bool rests_more(struct inside *x, const struct spot *at, struct known_rests *k, gcdc_status *status)
{
	const struct gcdc_artifact *a = x->m->artifact;
	const struct canonical_cache *cache = x->m->cache;
	while (k->seen < cache->n_inside) {
		uint32_t t = cache->inside_tokens[k->seen], next;
		bool cuts, viable;
		struct canonical_place after = *at->p;
		if (k->n == k->cap) {
			uint32_t *more = memory_resize(&a->memory, k->rests, 2ull * k->cap + 8, sizeof *more);
			if (!more) return *status = GCDC_ERR_MEMORY, false;
			k->rests = more, k->cap = 2 * k->cap + 8;
		}
		k->seen++;
		if (!(next = lex_walk(a, at->lex_state, x->lr_state, t, &cuts, &viable)) && !cuts) continue;
		if (!canonical_step_as(a, &after, t, 1)) continue;
		bool is_open = cuts || !(viable || next == x->home);
		k->rests[k->n++] = t << 2 | (is_open ? CANON_UNKNOWN : CANON_NO_VERDICT);
		if (canonical_work(x->m->cache, CANON_WORK_INSIDE)) return *status = GCDC_ERR_SEARCH, false;
		return true;
	}
	return false;
}

// NULL in *out: none is kept.
static gcdc_status rests_of(struct inside *x, const struct spot *at, struct known_rests **out)
{
	struct canonical_cache *cache = x->m->cache;
	struct inside_key key;
	*out = NULL;
	if (!key_of(x, at->lex_state, at->p, &key) || x->m->artifact->info.n_tokens >> 30) return GCDC_OK;
	key.last = 0;
	if (UNLIKELY(!cache->rests)) {
		cache->rests = memory_resize(&x->m->artifact->memory, NULL, CANON_RESTS, sizeof *cache->rests);
		if (!cache->rests) return GCDC_ERR_MEMORY;
		memset(cache->rests, 0, CANON_RESTS * sizeof *cache->rests);
	}
	struct known_rests *k = &cache->rests[canonical_place_hash(&key) % CANON_RESTS];
	if (!k->stamp || memcmp(&k->key, &key, sizeof key))
		k->key = key, k->stamp = ++cache->clock, k->n = k->seen = k->ahead = 0;
	*out = k;
	return GCDC_OK;
}

// May the rest follow the token that began the character?
static bool may_end(const struct canonical_tables *c, const struct canonical_place *p, uint32_t rest)
{
	return p->last == ARTIFACT_NONE ? c->place[rest] != ARTIFACT_NONE : canonical_adjacent(c, p->last, rest);
}

// The verdict behind a rest that nothing is known of.
static gcdc_status look_behind_rest(struct inside *x, const struct spot *at, uint32_t rest,
                                    enum canonical_verdict *verdict)
{
	const struct gcdc_artifact *a = x->m->artifact;
	bool cuts, viable;
	struct canonical_place after = *at->p;
	struct spot behind = {.depth = at->depth + 1, .p = &after};
	behind.lex_state = lex_walk(a, at->lex_state, x->lr_state, rest, &cuts, &viable);
	canonical_step_as(a, &after, rest, 1);
	gcdc_status status = look(x, &behind);
	*verdict = behind.verdict;
	return status;
}

// Takes rest i of the list to the verdict on the place; what nothing is known of is looked at.
// Branches: four verdicts, each with what it tells, and a look that may run out of tries or of the list's place.
static gcdc_status add_rest(struct inside *x, struct spot *at, struct known_rests *k, uint32_t i)
{
	enum canonical_verdict v = k->rests[i] & 3;
	const uint32_t rest = k->rests[i] >> 2, before = x->tries;
	const uint64_t stamp = k->stamp;
	gcdc_status status = GCDC_OK;
	bool tells = v == CANON_NO_VERDICT || v == CANON_ALIVE || (v == CANON_UNKNOWN && !at->is_open);
	if (!tells || !may_end(&x->m->artifact->canonical, at->p, rest)) return GCDC_OK;
	if (v == CANON_NO_VERDICT && ++x->tries <= INSIDE_TRIES) {
		status = look_behind_rest(x, at, rest, &v);
		bool is_whole = v != CANON_UNKNOWN || x->tries <= INSIDE_TRIES || !before;
		if (!status && k->stamp == stamp && is_whole) k->rests[i] = rest << 2 | v;
		if (v == CANON_ALIVE && k->stamp == stamp && x->ahead > k->ahead) k->ahead = x->ahead;
	} else if (v == CANON_ALIVE) {
		x->ahead = k->ahead;
	}
	if (v == CANON_ALIVE) at->verdict = v, x->ahead++;
	// Where looks behind it needed the place of the list, the others are not looked at.
	at->is_open |= v == CANON_UNKNOWN || v == CANON_NO_VERDICT || k->stamp != stamp;
	return status;
}

// Inside a character: what is known to lead on first. What lies behind a rest is asked once for all that began so.
static gcdc_status look_in_character(struct inside *x, struct spot *at)
{
	struct known_rests *k;
	gcdc_status status = rests_of(x, at, &k);
	if (status) return status;
	if (!k) return look_in_any(x, at);
	const uint64_t stamp = k->stamp;
	for (uint32_t i = 0; i < k->n && at->verdict != CANON_ALIVE; i++)
		if ((k->rests[i] & 3) == CANON_ALIVE) status = add_rest(x, at, k, i);
	for (uint32_t i = 0; !status && at->verdict != CANON_ALIVE && k->stamp == stamp; i++) {
		if (at->is_open && (x->tries > INSIDE_TRIES || i >= INSIDE_RESTS)) break;
		if (i == k->n && !rests_more(x, at, k, &status)) break;
		status = add_rest(x, at, k, i);
	}
	return status;
}

// Tokens that the lexer takes, which begin with one of the bytes. NULL in *out: they are many.
static gcdc_status takes_of(struct inside *x, uint32_t lex_state, const uint8_t *bytes, uint32_t n_bytes,
                            const struct lexer_takes **out)
{
	const struct gcdc_artifact *a = x->m->artifact;
	struct canonical_cache *cache = x->m->cache;
	bool cuts, viable;
	*out = NULL;
	if (UNLIKELY(!cache->takes)) {
		cache->takes = memory_resize(&a->memory, NULL, CANON_TAKES, sizeof *cache->takes);
		if (!cache->takes) return GCDC_ERR_MEMORY;
		memset(cache->takes, 0, CANON_TAKES * sizeof *cache->takes);
	}
	struct lexer_takes *at = &cache->takes[lex_state % CANON_TAKES];
	if (at->lex_state != lex_state) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < n_bytes; i++) n += cache->first_at[bytes[i] + 1] - cache->first_at[bytes[i]];
		at->lex_state = lex_state, at->n = n > TAKES_LOOKED ? TAKES_MOST + 1 : 0;
		for (uint32_t i = 0; i < n_bytes && at->n <= TAKES_MOST; i++)
			for (uint32_t k = cache->first_at[bytes[i]]; k < cache->first_at[bytes[i] + 1] && at->n <= TAKES_MOST;
			     k++) {
				uint32_t t = cache->by_first_byte[k];
				if (!lex_walk(a, lex_state, ANY_TOP, t, &cuts, &viable) && !cuts) continue;
				if (at->n < TAKES_MOST) at->token[at->n] = t;
				at->n++;
			}
	}
	if (at->n <= TAKES_MOST) *out = at;
	return GCDC_OK;
}

// Behind the first tokens that the lexer takes and that begin with one of the bytes: mostly one of them leads on. What
// they add to is_open, the look at all tokens would, too.
static gcdc_status look_behind_some(struct inside *x, struct spot *at, const uint8_t *bytes, uint32_t n_bytes)
{
	const struct canonical_cache *cache = x->m->cache;
	uint32_t n = 0, tries = x->tries;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n_bytes; i++)
		for (uint32_t k = cache->first_at[bytes[i]]; k < cache->first_at[bytes[i] + 1]; k++) {
			if (at->verdict == CANON_ALIVE || status || n == INSIDE_SOME) goto done;
			status = look_behind(x, at, cache->by_first_byte[k], &n);
		}
done:
	if (at->verdict != CANON_ALIVE) x->tries = tries;
	return status;
}

// Behind all that are canonical and begin with one of the bytes.
static gcdc_status look_behind_all(struct inside *x, struct spot *at, const uint8_t *bytes, uint32_t n_bytes)
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

// Behind those that may come between characters and begin with one of the bytes.
static gcdc_status look_between(struct inside *x, struct spot *at, const uint8_t *bytes, uint32_t n_bytes)
{
	const struct lexer_takes *few;
	gcdc_status status = takes_of(x, at->lex_state, bytes, n_bytes, &few);
	uint32_t n = 0;
	for (uint32_t i = 0; few && i < few->n && at->verdict != CANON_ALIVE && !status; i++)
		status = look_behind(x, at, few->token[i], &n);
	if (few || status) return status;
	status = look_behind_some(x, at, bytes, n_bytes);
	// What is open can only be found to be alive, and a search with the stack is quicker at that.
	return status || at->is_open || at->verdict == CANON_ALIVE ? status : look_behind_all(x, at, bytes, n_bytes);
}

// The verdict on a place; at->is_open and at->verdict are set.
// Branches: the cheap answers first (alive at once, too deep, a hint), and the search only where none of them holds.
static gcdc_status look(struct inside *x, struct spot *at)
{
	struct gcdc_matcher *m = x->m;
	const struct canonical_place *p = at->p;
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_live l;
	if (p->n_begun && !canonical_may_end_character(m, p)) return at->verdict = CANON_DEAD, GCDC_OK;
	gcdc_status status = p->n_begun ? GCDC_OK : canonical_live_begin(m, p, &l);
	bool yes = false;
	// A stack may let the text end.
	at->is_open = canonical_ends(&a->canonical, p) && may_end_text(a, at->lex_state, x->lr_state);
	if (!status) status = canonical_first_look(m, at->lex_state, x->lr_state, p, p->n_begun ? NULL : &l, &yes);
	at->verdict = yes ? CANON_ALIVE : CANON_UNKNOWN;
	x->ahead = 0;
	if (yes || status || at->depth == INSIDE_DEPTH || x->tries > INSIDE_TRIES) return status;
	uint8_t bytes[INSIDE_FIRST];
	uint32_t n_bytes = p->n_begun ? 0 : first_bytes(a, at->lex_state, bytes);
	if (n_bytes > INSIDE_FIRST)
		return GCDC_OK;  // one of the many ways that the lexer goes on is likely one: not found here
	uint32_t *hint = canonical_hint(m->cache, at->lex_state, x->lr_state, p);
	status = p->n_begun ? look_in_character(x, at) : look_behind_hint(x, at, *hint);
	if (status || at->verdict == CANON_ALIVE) return status;
	if (!p->n_begun) status = look_between(x, at, bytes, n_bytes);
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
	struct inside_key key;
	if (!key_of(x, lex_state, p, &key)) return look_first(x, lex_state, p, verdict);
	if (UNLIKELY(!cache->verdicts)) {
		cache->verdicts = memory_resize(&x->m->artifact->memory, NULL, CANON_INSIDE, sizeof *cache->verdicts);
		if (!cache->verdicts) return GCDC_ERR_MEMORY;
	}
	uint32_t place = canonical_place_hash(&key) % CANON_INSIDE;
	struct kept_verdict *at = &cache->verdicts[place];
	if (LIKELY(row_has(cache->verdict_is_made, place) && !memcmp(&at->key, &key, sizeof key)))
		return x->ahead = at->ahead, *verdict = at->verdict, GCDC_OK;
	gcdc_status status = look_first(x, lex_state, p, verdict);
	if (!status) row_add(cache->verdict_is_made, place), at->key = key, at->verdict = *verdict, at->ahead = x->ahead;
	return status;
}

static gcdc_status judge(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state, uint32_t home,
                         const struct canonical_place *p, enum canonical_verdict *verdict)
{
	struct inside x = {.m = m, .lr_state = ANY_TOP, .home = p->n_begun ? home : 0};
	// What holds for every top is mostly all there is, and is kept once.
	gcdc_status status = kept(&x, lex_state, p, verdict);
	if (!status && *verdict == CANON_UNKNOWN) {
		x.lr_state = lr_state, x.tries = 0;
		status = kept(&x, lex_state, p, verdict);
	}
	m->cache->found_ahead = (struct canonical_ahead){.steps = 1, .inside = x.ahead};
	return status;
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
