// Hard mode: only tokens from which some canonical sequence reaches the end of a text of the grammar.
//
// In:  a position, its mask of tokens that are canonical by themselves.  Out: the mask without dead ends.
// Nearly every token leads on whatever the stack and whichever token came before it: the compiler has proved that, and
// the file lists the others for each lexer state (CANON_UNSETTLED). They are searched for (search.c), and what
// becomes of them is kept for all positions that have the same lexer state, sets, ways to have cut, and frames on top
// of the stack (struct memo; its key is compared whole). A verdict depends on the token before only by whether merges
// leave the two apart; more ways to have cut can only help. So a memo lists tokens that are dead, tokens that are dead
// unless they stand together with the one before, and tokens to be asked for each time, because what decides lies
// deeper. Beside the lists: tokens that go on in what began before them (an added token's text, a split); they are
// asked for each time. Not looked at: that the grammar leaves nothing but text which spells an added token, or which a
// normal form changes. There the mask ends in GCDC_ERR_CANONICAL later. Cost: a memo that is there 0.1 microseconds; a
// new one 0.3 for each token of the list that the grammar allows.
#include "finished.h"
#include "verdict_cache.h"

static struct artifact_canon_list unsettled_of(const struct gcdc_artifact *a, const struct position *p, uint32_t i)
{
	const struct canonical_place *at = &p->canonical;
	bool is_restartable = true;
	for (uint32_t k = 0; k < at->n_ways; k++) is_restartable &= a->canonical.restartable[at->way[k].set];
	return (is_restartable ? a->canonical.unsettled_restartable : a->canonical.unsettled_at)[p->at[i].lex_state];
}

static bool is_asked(const struct gcdc_artifact *a, const struct position *p, uint32_t token)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct artifact_canon_list l = unsettled_of(a, p, i);
		if (number_among(&a->canonical.unsettled[l.first], l.n, token)) return true;
	}
	return false;
}

// ---- Tokens that go on in what began before them.
// Does the whole token go on in an added token's text?
static bool stays_live(const struct canonical_tables *c, const struct canonical_place *p, const uint8_t *s,
                       uint32_t len)
{
	for (uint32_t k = 0; k < p->n_live; k++) {
		uint32_t x = p->live[k];
		for (uint32_t i = 0; i < len && x; i++) {
			x = c->added[x].child;
			while (x && c->added[x].byte != s[i]) x = c->added[x].next;
		}
		if (x) return true;
	}
	return false;
}

static bool goes_on_split(const struct canonical_tables *c, const struct canonical_place *p, uint32_t token)
{
	for (uint32_t i = 0; i < p->n_ways; i++)
		if (p->way[i].split && canonical_split_child(c, p->way[i].split, token)) return true;
	return false;
}

static bool is_odd(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t token)
{
	uint32_t begin = a->token_offset[token], len = a->token_offset[token + 1] - begin;
	return stays_live(&a->canonical, p, a->token_bytes + begin, len) || goes_on_split(&a->canonical, p, token);
}

// Does a token that the grammar and canonical_step allow lead on? First by the lexeme and the top of the stack, then by
// all of it.
static gcdc_status decide(struct gcdc_matcher *m, const struct position *p, uint32_t token, bool *found)
{
	struct canonical_place after = p->canonical;
	enum canonical_verdict v = CANON_UNKNOWN;
	gcdc_status status = GCDC_OK;
	if (p->n == 1 && !artifact_is_eos(m->artifact, token) && canonical_step(m->artifact, &after, token))
		status =
			canonical_inside_behind(m, p->at[0].lex_state, m->pool->at[p->at[0].frame].lr_state, &after, token, &v);
	*found = v == CANON_ALIVE;
	if (*found) canonical_note_ahead(m->cache, token);
	if (status || v != CANON_UNKNOWN) return status;
	m->cache->n_searched++;
	return canonical_search(m, p, token, NULL, found);
}

static gcdc_status judge(struct gcdc_matcher *m, const struct position *p, uint32_t token, uint32_t *mask)
{
	bool found;
	gcdc_status status = decide(m, p, token, &found);
	if (!status && !found) row_drop(mask, token);
	return status;
}

// Branches: two lists of tokens need a verdict of their own: those that go on an added token, and those that go on a
// split.
static gcdc_status judge_odd(struct gcdc_matcher *m, const struct position *p, uint32_t *mask)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_tables *c = &a->canonical;
	const struct canonical_place *at = &p->canonical;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < at->n_live; i++)
		for (uint32_t x = c->added[at->live[i]].child; x && !status; x = c->added[x].next) {
			const uint32_t *row = canonical_first_row(m, c->added[x].byte);
			if (!row) return GCDC_ERR_MEMORY;
			for (uint32_t w = 0; w < a->info.mask_words && !status; w++)
				for (uint32_t bits = mask[w] & row[w]; bits && !status; bits &= bits - 1) {
					uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits), begin = a->token_offset[t];
					if (stays_live(c, at, a->token_bytes + begin, a->token_offset[t + 1] - begin))
						status = judge(m, p, t, mask);
				}
		}
	for (uint32_t i = 0; i < at->n_ways; i++)
		for (uint32_t k = 0; at->way[i].split && k < c->splits[at->way[i].split].n && !status; k++) {
			uint32_t t = c->splits[c->splits[at->way[i].split].child + k].token;
			if (t < a->info.n_tokens && row_has(mask, t)) status = judge(m, p, t, mask);
		}
	return status;
}

// ---- Memos.
static inline uint32_t key_top(const struct memo_key *key) { return key->word[key->n_head]; }

// Is the verdict the same for all stacks with the key's frames?
static bool is_shallow(const struct gcdc_matcher *m, const struct position *p, const struct memo_key *key)
{
	uint32_t depth = frame_depth(m->pool, p->at[0].frame) + 1,
			 known = depth > key->n_frames ? depth - key->n_frames : 0;
	return m->cache->least >= known && (key->by_columns || !m->cache->read_lines);
}

static void put(struct memo *x, uint32_t *draft, uint32_t t, enum memo_part part)
{
	// Three stacks in one array: dead from the left, together behind them, always from the right, turned at the end.
	if (part == MEMO_DEAD)
		draft[x->n_together + x->n_dead] = draft[x->n_dead], draft[x->n_dead++] = t;
	else if (part == MEMO_TOGETHER)
		draft[x->n_dead + x->n_together++] = t;
	else
		draft[MEMO_TOKENS - ++x->n_always] = t;
}

// What is asked of a memo: at a position, with its sets, under a key of a level, these tokens.
struct question {
	const struct position *p;
	const struct set_list *list;
	const struct memo_key *key;
	enum memo_level level;
	const uint32_t *tokens;
	uint32_t n;
};

// A token asked for: in two ways, and what that rests on.
struct asked {
	enum canonical_verdict v[2];  // as the first of a piece; as that or a later token
	bool may[2];
	bool is_inside;            // the lexer surely goes on in the same lexeme
	bool is_shallow;           // it is so for all stacks with the key's frames
	bool is_open, read_lines;  // not found within the limits
	uint32_t n_frames;
};

// By the lexeme and the top of the stack; what they leave open, and all else, is for the search, but not for MEMO_NEAR.
static gcdc_status verdict_of(struct gcdc_matcher *m, const struct question *q, uint32_t t,
                              const struct canonical_place *after, struct asked *x, enum canonical_verdict *v)
{
	const struct canonical_cache *cache = m->cache;
	*v = CANON_UNKNOWN;
	gcdc_status status = GCDC_OK;
	if (x->is_inside) status = canonical_inside_behind(m, q->p->at[0].lex_state, key_top(q->key), after, t, v);
	if (*v == CANON_ALIVE && !status) canonical_note_ahead(m->cache, t);
	if (q->level == MEMO_NEAR) x->is_open |= *v == CANON_UNKNOWN;
	if (status || *v != CANON_UNKNOWN || q->level == MEMO_NEAR) return status;
	bool found;
	uint32_t depth = frame_depth(m->pool, q->p->at[0].frame) + 1;
	status = canonical_search(m, q->p, t, after, &found);
	*v = found ? CANON_ALIVE : CANON_DEAD;
	x->is_open |= status == GCDC_ERR_SEARCH;
	x->is_shallow &= is_shallow(m, q->p, q->key);
	x->read_lines |= cache->read_lines;
	if (cache->least < depth && depth - cache->least > x->n_frames) x->n_frames = depth - cache->least;
	return status == GCDC_ERR_SEARCH && cache->work < cache->work_most ? GCDC_OK : status;
}

static gcdc_status settle(struct gcdc_matcher *m, const struct question *q, uint32_t t, struct asked *x)
{
	*x = (struct asked){{CANON_DEAD, CANON_DEAD}, .is_shallow = true, .n_frames = 1};
	gcdc_status status = GCDC_OK;
	x->is_inside = canonical_is_inside(m->artifact, q->p->at[0].lex_state, key_top(q->key), t);
	x->is_open = q->level == MEMO_NEAR && !x->is_inside;
	// More ways can only help.
	for (uint32_t how = 0; how < 2 && !status && !x->is_open && x->v[0] != CANON_ALIVE; how++) {
		struct canonical_place after = q->p->canonical;
		x->may[how] = canonical_step_as(m->artifact, &after, t, how);
		if (x->may[how]) status = verdict_of(m, q, t, &after, x, &x->v[how]);
	}
	return status;
}

// What becomes of the token, of the stacks for which that is so.
static enum known_verdict verdict_on(const struct asked *x)
{
	enum canonical_verdict first = x->may[0] ? x->v[0] : x->v[1];
	if (first == CANON_ALIVE || (!x->may[0] && !x->may[1])) return KNOWN_ALIVE;  // or never canonical here
	return x->v[1] == CANON_ALIVE ? KNOWN_TOGETHER : KNOWN_DEAD;
}

// One token of a memo that is made; its verdict comes from those of other stacks (known), or is found out.
static gcdc_status memo_add(struct gcdc_matcher *m, const struct question *plain, struct known_position *known,
                            uint32_t at, uint32_t t, struct memo *x)
{
	enum known_verdict v = known_of(known, at);
	struct asked asked = {.is_shallow = true};
	if (v == KNOWN_ALIVE) return GCDC_OK;
	if (plain->level != MEMO_NEAR && !sets_have(m->artifact, plain->list, t)) return GCDC_OK;
	if (!v && known_deeper(known, at)) {
		asked.is_shallow = false;
	} else if (!v) {
		gcdc_status status = settle(m, plain, t, &asked);
		if (status) return status;
		v = verdict_on(&asked);
		if (!asked.is_open) known_put(known, at, asked.n_frames, asked.read_lines, v);
	}
	if (asked.is_open || !asked.is_shallow)
		put(x, m->cache->draft, t, MEMO_ALWAYS);
	else if (v != KNOWN_ALIVE)
		put(x, m->cache->draft, t, v == KNOWN_DEAD ? MEMO_DEAD : MEMO_TOGETHER);
	return GCDC_OK;
}

static void memo_drop(struct canonical_cache *cache, enum memo_level level, uint32_t i)
{
	struct memo *x = &cache->memos[level][i];
	cache->memo_bytes -= memo_bytes(x);
	memory_free(cache->memory, x->words);
	x->words = NULL;
	cache->tags[level][i].used = 0;
}

// No more than so many bytes are kept: of some memos the one that is not used for longest goes. Those of the mask at
// hand were used last.
static void memos_limit(struct canonical_cache *cache)
{
	while (cache->memo_bytes > cache->memo_bytes_most) {
		uint32_t oldest = UINT32_MAX;
		uint64_t used = UINT64_MAX;
		for (uint32_t looked = 0; looked < CANON_PLACES;) {
			const uint32_t level = cache->memo_hand / CANON_MEMOS, i = cache->memo_hand % CANON_MEMOS;
			if (cache->tags[level] && cache->tags[level][i].is_made && cache->memos[level][i].words) {
				if (cache->tags[level][i].used < used) oldest = cache->memo_hand, used = cache->tags[level][i].used;
				looked++;
			}
			cache->memo_hand = (cache->memo_hand + 1) % (MEMO_LEVELS * CANON_MEMOS);
		}
		memo_drop(cache, oldest / CANON_MEMOS, oldest % CANON_MEMOS);
	}
}

// The key and the draft become the memo's words.
static gcdc_status memo_keep(struct gcdc_matcher *m, const struct memo_key *key, struct memo *x)
{
	struct canonical_cache *cache = m->cache;
	const uint32_t *draft = cache->draft, n_dropped = x->n_dead + x->n_together;
	if (n_dropped + x->n_always + 1 >= MEMO_TOKENS) return GCDC_ERR_LIMIT;
	x->n_key = key->n;
	x->words = memory_resize(cache->memory, NULL, key->n + n_dropped + x->n_always, sizeof *x->words);
	if (!x->words) return GCDC_ERR_MEMORY;
	memcpy(x->words, key->word, key->n * sizeof *x->words);
	memcpy(x->words + key->n, draft, n_dropped * sizeof *draft);
	memcpy(x->words + key->n + n_dropped, draft + MEMO_TOKENS - x->n_always, x->n_always * sizeof *draft);
	cache->memo_bytes += memo_bytes(x);
	return GCDC_OK;
}

// Asks for tokens, whichever comes before them: but for MEMO_NEAR only for those that the position's sets have.
static gcdc_status memo_make(struct gcdc_matcher *m, const struct question *q, struct memo *x)
{
	const struct gcdc_artifact *a = m->artifact;
	struct position plain = *q->p;
	struct question plainly = *q;
	const struct artifact_canon_list all = unsettled_of(a, q->p, 0);
	struct known_position known = {0};
	gcdc_status status = GCDC_OK;
	if (q->level != MEMO_NEAR) status = known_begin(m, q->p, all.n, q->key->n_frames, q->key->by_columns, &known);
	plain.canonical.last = ARTIFACT_NONE, plain.canonical.n_live = 0;
	plain.canonical.left = 0, plain.canonical.combining = 0;
	plainly.p = &plain;
	x->n_dead = x->n_together = x->n_always = 0;
	for (uint32_t k = 0; k < q->n && !status && x->n_dead + x->n_together + x->n_always + 1 < MEMO_TOKENS; k++) {
		uint32_t at = known.n_unsettled ? number_at_most(a->canonical.unsettled + all.first, all.n, q->tokens[k]) : 0;
		status = memo_add(m, &plainly, &known, at, q->tokens[k], x);
	}
	return status ? status : memo_keep(m, q->key, x);
}

// The memory that memos of a level need, once.
static gcdc_status memos_reserve(struct gcdc_matcher *m, enum memo_level level)
{
	struct canonical_cache *cache = m->cache;
	const gcdc_memory *memory = &m->artifact->memory;
	if (!cache->draft && !(cache->draft = memory_resize(memory, NULL, MEMO_TOKENS, sizeof *cache->draft)))
		return GCDC_ERR_MEMORY;
	if (!cache->pair_map) {
		if (!(cache->pair_map = memory_resize(memory, NULL, CANON_PAIRS, sizeof *cache->pair_map)))
			return GCDC_ERR_MEMORY;
		memset(cache->pair_map, 0, CANON_PAIRS * sizeof *cache->pair_map);
	}
	if (!cache->tags[level]) cache->tags[level] = memory_resize(memory, NULL, CANON_MEMOS, sizeof **cache->tags);
	if (!cache->tags[level]) return GCDC_ERR_MEMORY;
	memset(cache->tags[level], 0, CANON_MEMOS * sizeof **cache->tags);
	cache->memos[level] = memory_resize(memory, NULL, CANON_MEMOS, sizeof **cache->memos);
	if (!cache->memos[level]) return GCDC_ERR_MEMORY;
	return GCDC_OK;  // megabytes that few requests use: each memo is cleared when it is made first
}

// The memo under the question's key, made where there is none: the oldest of some gives way. *out NULL: there can be
// none.
static gcdc_status memo_of(struct gcdc_matcher *m, const struct question *q, const struct memo **out)
{
	struct canonical_cache *cache = m->cache;
	const struct memo_key *key = q->key;
	const size_t size = key->n * sizeof *key->word;
	const uint64_t hash = memo_key_hash(key);
	*out = NULL;
	gcdc_status status = UNLIKELY(!cache->memos[q->level]) ? memos_reserve(m, q->level) : GCDC_OK;
	if (status) return status;
	const uint32_t first = (uint32_t)hash & (cache->n_memos - 1) & ~(MEMO_PLACES - 1), tag = (uint32_t)(hash >> 32);
	struct memo *x = NULL, *places = &cache->memos[q->level][first];
	struct memo_tag *tags = &cache->tags[q->level][first], *at = NULL;
	for (uint32_t i = 0; i < MEMO_PLACES; i++) {
		if (tags[i].used && tags[i].hash == tag && places[i].n_key == key->n &&
		    !memcmp(places[i].words, key->word, size)) {
			tags[i].used = ++cache->clock;
			return *out = &places[i], GCDC_OK;
		}
		if (!at || tags[i].used < at->used) at = &tags[i], x = &places[i];
	}
	if (!at->is_made) memset(x, 0, sizeof *x), at->is_made = true;
	memo_drop(cache, q->level, (uint32_t)(x - cache->memos[q->level]));  // an error leaves nothing behind
	*x = (struct memo){0};
	status = memo_make(m, q, x);
	if (status) return status == GCDC_ERR_LIMIT ? GCDC_OK : status;
	*at = (struct memo_tag){.hash = tag, .is_made = true, .used = ++cache->clock};
	*out = x;
	memos_limit(cache);
	return GCDC_OK;
}

// ---- Masks.

static gcdc_status judge_all(struct gcdc_matcher *m, const struct position *p, const uint32_t *tokens, uint32_t n,
                             uint32_t *mask);
// Each token of the lists by itself.
static gcdc_status judge_asked(struct gcdc_matcher *m, const struct position *p, uint32_t *mask)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p->n; i++) {
		struct artifact_canon_list unsettled = unsettled_of(a, p, i);
		if (!status) status = judge_all(m, p, a->canonical.unsettled + unsettled.first, unsettled.n, mask);
	}
	return status;
}

// canonical_adjacent, remembered. The cache is there.
static bool are_adjacent(struct gcdc_matcher *m, uint32_t left, uint32_t right)
{
	struct known_pair *at = &m->cache->pair_map[hash_pair(left, right) >> 40 & (CANON_PAIRS - 1)];
	if (UNLIKELY(at->left != left + 1 || at->right >> 1 != right))
		*at = (struct known_pair){left + 1, right << 1 | canonical_adjacent(&m->artifact->canonical, left, right)};
	return at->right & 1;
}

// A memo's tokens that begin with a mark, or go on in what began before, are asked for by themselves.
static gcdc_status drop_odd_by_memo(struct gcdc_matcher *m, const struct position *p, const struct memo *x,
                                    uint32_t *mask)
{
	const struct canonical_place *at = &p->canonical;
	const uint32_t *t = memo_tokens(x);
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < x->n_dead + x->n_together && !status; i++) {
		if (!row_has(mask, t[i])) continue;
		bool is_plain = !canonical_begins_with_mark(m->artifact, t[i]) && !is_odd(m->artifact, at, t[i]);
		if (!is_plain)
			status = judge(m, p, t[i], mask);
		else if (i < x->n_dead || at->last == ARTIFACT_NONE || !are_adjacent(m, at->last, t[i]))
			row_drop(mask, t[i]);
	}
	return status;
}

static gcdc_status drop_by_memo(struct gcdc_matcher *m, const struct position *p, const struct memo *x, uint32_t *mask)
{
	const struct canonical_place *at = &p->canonical;
	const uint32_t *t = memo_tokens(x);
	if (UNLIKELY(at->n_live || at->left || at->combining)) return drop_odd_by_memo(m, p, x, mask);
	for (uint32_t i = 0; i < x->n_dead; i++) row_drop(mask, t[i]);
	for (uint32_t i = x->n_dead; i < x->n_dead + x->n_together; i++)
		if (row_has(mask, t[i]) && (at->last == ARTIFACT_NONE || !are_adjacent(m, at->last, t[i])))
			row_drop(mask, t[i]);
	return GCDC_OK;
}

static gcdc_status judge_all(struct gcdc_matcher *m, const struct position *p, const uint32_t *tokens, uint32_t n,
                             uint32_t *mask)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !status; i++)
		if (row_has(mask, tokens[i])) status = judge(m, p, tokens[i], mask);
	return status;
}

// What memos say of a position's tokens, those of few frames first. *x: none of it, where no memo can be made.
static gcdc_status lists_of(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                            struct canonical_lists *x)
{
	const struct gcdc_artifact *a = m->artifact;
	struct memo_key key;
	gcdc_status status = GCDC_OK;
	*x = (struct canonical_lists){0};
	if (!memo_key_begin(p, &key)) return GCDC_OK;
	struct artifact_canon_list unsettled = unsettled_of(a, p, 0);
	x->rest = a->canonical.unsettled + unsettled.first, x->n_rest = unsettled.n;
	// MEMO_FAR has what MEMO_NEAR has, and is asked instead of it where there can be one.
	bool is_far = memo_key_deepen(m, p, list, MEMO_FAR, &key), is_known = is_far;
	for (enum memo_level level = is_far ? MEMO_FAR : MEMO_NEAR; level < MEMO_LEVELS && x->n_rest && !status; level++) {
		const struct memo *memo;
		if (level == MEMO_FAR ? !is_far : !memo_key_deepen(m, p, list, level, &key)) continue;
		const struct question q = {p, list, &key, level, x->rest, x->n_rest};
		status = memo_of(m, &q, &memo);
		if (status || !memo) continue;
		is_known &= level != MEMO_NEAR;
		if (is_known) x->content = finished_content(m->cache, x->content, &key, list, memo);
		is_known &= x->content != 0;
		x->memo[x->n++] = memo;
		x->rest = memo_tokens(memo) + memo->n_dead + memo->n_together, x->n_rest = memo->n_always;
	}
	if (!is_known || x->n_rest) x->content = 0;
	x->is_there = true;
	return status;
}

static gcdc_status drop_by_lists(struct gcdc_matcher *m, const struct position *p, const struct canonical_lists *x,
                                 uint32_t *mask)
{
	gcdc_status status = GCDC_OK;
	if (!x->is_there) return judge_asked(m, p, mask);
	for (uint32_t i = 0; i < x->n && !status; i++) status = drop_by_memo(m, p, x->memo[i], mask);
	return status ? status : judge_all(m, p, x->rest, x->n_rest, mask);
}

static gcdc_status drop_asked(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                              uint32_t *mask)
{
	struct canonical_lists lists;
	gcdc_status status = lists_of(m, p, list, &lists);
	return status ? status : drop_by_lists(m, p, &lists, mask);
}

// Into own: of a mask what the position's reading i, were it the only one, has left.
static gcdc_status drop_of_reading(struct gcdc_matcher *m, const struct position *p, uint32_t i, const uint32_t *mask,
                                   uint32_t *own)
{
	struct set_list *list = &m->cache->reading->sets;
	struct reading reading = p->at[i];
	struct position one = *p;
	one.at = &reading, one.n = one.cap = 1, one.completion = 0;
	reading_ref(m->pool, &reading);
	gcdc_status status = position_sets(m, &one, list);
	if (status)
		memset(own, 0, m->cache->words * sizeof *own);
	else
		sets_fill_kept(m->artifact, list, mask, own);
	if (!status) status = drop_asked(m, &one, list, own);
	position_release(m, &one);
	return status == GCDC_REJECTED ? GCDC_OK : status;
}

// A text with several readings needs one that leads on, and each by itself has memos.
static gcdc_status drop_by_reading(struct gcdc_matcher *m, const struct position *p, uint32_t *mask)
{
	struct canonical_cache *cache = m->cache;
	if (UNLIKELY(!cache->reading)) {
		cache->reading = memory_resize(cache->memory, NULL, 1, sizeof *cache->reading);
		if (!cache->reading) return GCDC_ERR_MEMORY;
		memset(cache->reading, 0, sizeof *cache->reading);
	}
	if (!cache->reading->mask && !(cache->reading->mask = canonical_row_new(cache))) return GCDC_ERR_MEMORY;
	if (!cache->readings_row && !(cache->readings_row = canonical_row_new(cache))) return GCDC_ERR_MEMORY;
	uint32_t *left = cache->readings_row, *own = cache->reading->mask;
	memset(left, 0, cache->words * sizeof *left);
	for (uint32_t i = 0; i < p->n; i++) {
		gcdc_status status = drop_of_reading(m, p, i, mask, own);
		if (status) return status;
		for (uint32_t w = 0; w < cache->words; w++) left[w] |= own[w];
	}
	memcpy(mask, left, cache->words * sizeof *mask);
	return GCDC_OK;
}

static bool has_split(const struct canonical_place *at)
{
	bool yes = false;
	for (uint32_t i = 0; i < at->n_ways; i++) yes |= at->way[i].split != 0;
	return yes;
}

gcdc_status canonical_prune(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                            uint32_t *mask, bool *empty)
{
	if (!canonical_cache_of(m)) return GCDC_ERR_MEMORY;
	m->cache->work = 0;
	gcdc_status status = p->n > 1 ? drop_by_reading(m, p, mask) : drop_asked(m, p, list, mask);
	if (UNLIKELY(p->canonical.n_live || has_split(&p->canonical)) && !status) status = judge_odd(m, p, mask);
	*empty = row_is_empty(mask, m->artifact->info.mask_words);
	return status;
}

// What decides of tokens that go on a split, beside what they are: the lexeme and the top of the stack, or more, which
// is searched for.
static uint64_t alone_of(const struct gcdc_matcher *m, const struct position *p)
{
	if (LIKELY(!has_split(&p->canonical))) return 0;
	return (uint64_t)p->at[0].lex_state << 32 | m->pool->at[p->at[0].frame].lr_state;
}

// Branches: the mask is kept, can be kept, or more decides it than memos do; and there may be nothing left.
gcdc_status canonical_hard_fill(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                                uint32_t *mask, bool *empty)
{
	const struct canonical_place *at = &p->canonical;
	struct canonical_lists lists;
	if (UNLIKELY(p->n > 1 || at->n_live || at->left || at->combining)) {
		gcdc_status status = canonical_fill(m, at, list, mask, empty);
		return status || *empty ? status : canonical_prune(m, p, list, mask, empty);
	}
	m->cache->work = m->cache->n_searched = 0;
	gcdc_status searched = lists_of(m, p, list, &lists);
	const struct finished_key key = {lists.content, at->last, alone_of(m, p)};
	const uint32_t *row = lists.content ? finished_find(m->cache, &key) : NULL;
	*empty = false;
	if (row) return memcpy(mask, row, m->cache->words * sizeof *mask), GCDC_OK;
	gcdc_status status = canonical_fill(m, at, list, mask, empty);
	if (!status && !*empty) status = searched ? searched : drop_by_lists(m, p, &lists, mask);
	if (UNLIKELY(has_split(at)) && !status && !*empty) status = judge_odd(m, p, mask);
	if (status || *empty) return status;
	*empty = row_is_empty(mask, m->artifact->info.mask_words);
	if (lists.content && !m->cache->n_searched && !*empty) finished_put(m->cache, &key, mask);
	return GCDC_OK;
}

bool canonical_is_unsettled(const struct gcdc_matcher *m, const struct position *p, uint32_t token)
{
	return is_asked(m->artifact, p, token) || is_odd(m->artifact, &p->canonical, token);
}

gcdc_status canonical_survives(struct gcdc_matcher *m, const struct position *p, uint32_t token, bool *survives)
{
	*survives = true;
	if (artifact_is_eos(m->artifact, token)) return GCDC_OK;
	if (!canonical_cache_of(m)) return GCDC_ERR_MEMORY;
	m->cache->work = 0;
	if (!canonical_is_unsettled(m, p, token)) return GCDC_OK;
	return decide(m, p, token, survives);
}
