// What it costs to finish a text in hard canonical mode: the fewest tokens of a canonical sequence.
//
// In:  a position with its canonical place.  Out: a completion, that is canonical tokens that end the text; how many it
// takes. The price of the grammar's tables counts any tokens. In the exact model it is a bound from below, so a search
// for a completion of at most n tokens leaves out what cannot end within what is left of n (A*, by deepening: Korf
// 1985). Masks under budgets, which programs make in a microsecond, list only the successors that are left; those that
// bring the end nearest are gone on with first, so mostly the first one tried is on the way. Aligned prices are bounds
// from above, mostly less than twice the least: half of one is taken for the bound, and what is found is a bound, too.
// What has been found out of a position (no completion shorter than this; one of this length, by this token) is kept,
// whatever search comes there again. Its key names the stack by a number that equal stacks have (hash consing), and is
// compared whole. A search goes on from so many positions (HARD_NODES); past that nothing is said, and is_cut is set.
// Cost: 2 to 10 microseconds for each position gone on from; mostly as many as the completion has tokens.
#include "price.h"
#include "token_classes.h"
#include "token_order.h"

#define STACKS_AT_FIRST 1024u
#define FEW 64u              // candidates that are not worth a row of canonical successors
#define STRAIGHT_ASIDE 4u    // steps of a straight search that bring the end no nearer
#define STRAIGHT_STRAYS 32u  // of those from one position
#define TRIED_A_NODE 16u     // tokens that a mask tries cost as much as a position

const uint16_t hard_work_cost[WORK_KINDS] = {
	[WORK_TOKEN] = 12,  [WORK_LEXER] = 9,    [WORK_ROW] = 2,     [WORK_APART] = 400,
	[WORK_EDGE] = 20,   [WORK_TRIED] = 60,   [WORK_FIND] = 50,   [WORK_GROUP] = 1300,
	[WORK_COMMON] = 10, [WORK_PARSER] = 660, [WORK_PROBE] = 250, [WORK_REPLAY] = 100,
	[WORK_STEP] = 150,  [WORK_NODE] = 1100,  [WORK_LAYER] = 500, [WORK_KEEP] = 5400,
};

static void hard_prices_free(const gcdc_memory *memory, struct hard_prices *x)
{
	if (!x) return;
	for (uint32_t i = 0; i < x->n_levels; i++) memory_free(memory, x->level[i].at.at);
	memory_free(memory, x->level);
	memory_free(memory, x->stack);
	memory_free(memory, x->of_frame);
	memory_free(memory, x->path.at);
	memory_free(memory, x->memos);
	memory_free(memory, x->completions);
	memory_free(memory, x->after.at);
	memory_free(memory, x->end.at);
	memory_free(memory, x->todo.at);
	memory_free(memory, x->found.at);
	memory_free(memory, x->shortest.at);
	set_list_release(memory, &x->list);
	memory_free(memory, x->mask);
	memory_free(memory, x->less);
	if (x->masks) x->free_masks(memory, x->masks);
	memory_free(memory, x);
}

// What the cache keeps of tokens for budgets. False: no memory.
static bool knows_tokens(const struct gcdc_artifact *a, struct canonical_cache *cache)
{
	if (!cache->classes) cache->classes = token_classes_new(a);
	if (!cache->order) cache->order = token_order_new(a);
	return cache->classes && cache->order;
}

gcdc_status hard_prices_of(struct gcdc_matcher *m, struct hard_prices **out)
{
	gcdc_status status = prices_open(m);
	if (status) return status;
	struct canonical_cache *cache = canonical_cache_of(m);
	if (!cache) return GCDC_ERR_MEMORY;
	if (LIKELY(cache->prices != NULL)) return *out = cache->prices, GCDC_OK;
	struct hard_prices *x = memory_resize(&m->artifact->memory, NULL, 1, sizeof *x);
	if (!x) return GCDC_ERR_MEMORY;
	*x = (struct hard_prices){.work_end = UINT64_MAX};
	x->memos = memory_resize(&m->artifact->memory, NULL, HARD_MEMOS, sizeof *x->memos);
	x->completions = memory_resize(&m->artifact->memory, NULL, HARD_COMPLETIONS, sizeof *x->completions);
	if (!knows_tokens(m->artifact, cache) || !x->memos || !x->completions || !(x->mask = canonical_row_new(cache)) ||
	    !(x->less = canonical_row_new(cache))) {
		hard_prices_free(&m->artifact->memory, x);
		return GCDC_ERR_MEMORY;
	}
	memset(x->memos, 0, HARD_MEMOS * sizeof *x->memos);
	memset(x->completions, 0, HARD_COMPLETIONS * sizeof *x->completions);
	const struct gcdc_artifact *a = m->artifact;
	for (uint32_t t = 0; t < a->info.n_tokens && a->info.end_newline && !x->ends_by_newline; t++) {
		uint32_t at = a->token_offset[t];
		x->ends_by_newline = a->token_offset[t + 1] == at + 1 && a->token_bytes[at] == '\n';
	}
	cache->free_prices = hard_prices_free;
	*out = cache->prices = x;
	return GCDC_OK;
}

// ---- Numbers of stacks.
static bool stacks_grow(const gcdc_memory *memory, struct hard_prices *x)
{
	uint32_t cap = x->stacks_cap ? x->stacks_cap * 2 : STACKS_AT_FIRST;
	struct hard_stack *from = x->stack, *at = memory_resize(memory, NULL, cap, sizeof *at);
	if (!at) return false;
	uint32_t n = x->stacks_cap;
	memset(at, 0, cap * sizeof *at);
	x->stack = at, x->stacks_cap = cap;
	for (uint32_t i = 0; i < n; i++) {
		if (!from[i].id) continue;
		uint32_t k = (uint32_t)(hash_pair(from[i].parent, from[i].lr_state) >> 32);
		while (x->stack[k &= cap - 1].id) k++;
		x->stack[k] = from[i];
	}
	memory_free(memory, from);
	return true;
}

// 0: no memory.
static uint32_t stack_number(const gcdc_memory *memory, struct hard_prices *x, uint32_t parent, uint32_t lr_state)
{
	if (UNLIKELY(2 * (uint64_t)x->n_stacks >= x->stacks_cap) && !stacks_grow(memory, x)) return 0;
	uint32_t k = (uint32_t)(hash_pair(parent, lr_state) >> 32);
	for (;; k++) {
		k &= x->stacks_cap - 1;
		if (!x->stack[k].id) break;
		if (x->stack[k].parent == parent && x->stack[k].lr_state == lr_state) return x->stack[k].id;
	}
	x->stack[k].parent = parent, x->stack[k].lr_state = lr_state;
	return x->stack[k].id = ++x->n_stacks;
}

void hard_trim(struct hard_prices *x)
{
	if (LIKELY(x->n_stacks < HARD_STACKS)) return;
	memset(x->memos, 0, HARD_MEMOS * sizeof *x->memos);
	memset(x->completions, 0, HARD_COMPLETIONS * sizeof *x->completions);
	memset(x->stack, 0, x->stacks_cap * sizeof *x->stack);
	memset(x->of_frame, 0, x->of_frame_cap * sizeof *x->of_frame);
	x->n_stacks = 0;
	if (x->masks) x->forget_masks(x->masks);
}

static uint32_t number_of_stack(struct gcdc_matcher *m, struct hard_prices *x, uint32_t f)
{
	const struct frame_pool *pool = m->pool;
	uint32_t id = 0;
	if (x->of_frame_cap < pool->cap) {
		void *at = memory_resize(&m->artifact->memory, x->of_frame, pool->cap, sizeof *x->of_frame);
		if (!at) return 0;
		x->of_frame = at;
		memset(x->of_frame + x->of_frame_cap, 0, (pool->cap - x->of_frame_cap) * sizeof *x->of_frame);
		x->of_frame_cap = pool->cap;
	}
	x->path.n = 0;
	for (;; f = pool->at[f].parent) {
		if (x->of_frame[f].id && x->of_frame[f].stamp == pool->cost[f].stamp) {
			id = x->of_frame[f].id;
			break;
		}
		if (!vec32_push(&m->artifact->memory, &x->path, f)) return 0;
		if (f == FRAME_BOTTOM) break;
	}
	while (x->path.n) {
		f = x->path.at[--x->path.n];
		if (!(id = stack_number(&m->artifact->memory, x, id, pool->at[f].lr_state))) return 0;
		x->of_frame[f].id = id, x->of_frame[f].stamp = pool->cost[f].stamp;
	}
	return id;
}

bool hard_key_of(struct gcdc_matcher *m, const struct position *p, struct hard_key *key)
{
	struct hard_prices *x = m->cache->prices;
	const struct canonical_place *c = &p->canonical;
	if (p->n != 1 || !p->at[0].frame || m->pool->at[p->at[0].frame].depth & FRAME_BRANCHED || c->n_ways > MEMO_WAYS ||
	    c->n_live > 2)
		return false;
	*key = (struct hard_key){.lex_state = p->at[0].lex_state,
	                         .last = c->last,
	                         .n = c->n_ways | (uint32_t)c->n_live << 8 | (uint32_t)c->n_begun << 16 |
	                              (uint32_t)c->by_bytes << 24,
	                         .marks = c->left | (uint32_t)c->combining << 16};
	// Behind blanks the column matters only where the newline before them is pending.
	if (m->artifact->lex_states[p->at[0].lex_state].flags & LEX_LINE) key->column = p->column;
	for (uint32_t i = 0; i < c->n_ways; i++)
		key->way[i] = (uint32_t)c->way[i].set << 16 | c->way[i].pending, key->split[i] = c->way[i].split;
	for (uint32_t i = 0; i < c->n_live; i++) key->live[i] = c->live[i];
	for (uint32_t i = 0; i < c->n_begun; i++) key->begun = key->begun << 8 | c->begun[i];
	if (!(key->stack = number_of_stack(m, x, p->at[0].frame))) return false;
	return !p->at[0].columns || (key->columns = number_of_stack(m, x, p->at[0].columns));
}

uint64_t hard_hash(const struct hard_key *key)
{
	static_assert(sizeof *key % 8 == 0, "hashed by 8 bytes");
	return hash_words(key, sizeof *key / 8);
}

static struct hard_memo *memo_at(const struct hard_prices *x, const struct hard_key *key)
{
	return &x->memos[hard_hash(key) % HARD_MEMOS];
}

static bool memo_is_of(const struct hard_memo *o, const struct hard_key *key)
{
	return o->key.stack && !memcmp(&o->key, key, sizeof *key);
}

// ---- Steps.
uint32_t hard_least(const struct gcdc_artifact *a, uint32_t plain)
{
	return plain == PRICE_NEVER || !hard_halves(a) ? plain : plain / 2 + (plain & 1);
}

// The greatest plain price with such a least.
static uint64_t plain_of(const struct gcdc_artifact *a, uint32_t least)
{
	return hard_halves(a) ? 2ull * least : least;
}

static gcdc_status not_here(struct hard_prices *x, gcdc_status status)
{
	if (status != GCDC_ERR_STACKS && status != GCDC_ERR_LIMIT && status != GCDC_REJECTED) return status;
	x->is_cut |= status != GCDC_REJECTED;
	return GCDC_OK;
}

static gcdc_status step(struct gcdc_matcher *m, struct position *to, const struct position *from, uint32_t token,
                        bool is_loose, bool *goes)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	struct canonical_place place = from->canonical;
	*goes = begin != end && (is_loose ? canonical_step_as(a, &place, token, 1) : canonical_step(a, &place, token));
	if (!*goes) return m->cache->prices->by_place = true, GCDC_OK;
	gcdc_status status = position_copy(m, to, from);
	if (!status) status = position_step(m, to, a->token_bytes + begin, end - begin);
	if (!status) position_drop_unstarted(m, to);
	to->canonical = place, to->left = GCDC_NONE;
	*goes = !status && to->n;
	return not_here(m->cache->prices, status);
}

gcdc_status hard_step(struct gcdc_matcher *m, struct position *to, const struct position *from, uint32_t token,
                      bool *goes)
{
	return step(m, to, from, token, false, goes);
}

bool hard_closes(const struct gcdc_artifact *a, const struct canonical_place *p, const uint32_t *tokens, uint32_t n)
{
	struct canonical_place at = *p;
	for (uint32_t i = 0; i < n; i++)
		if (!canonical_step(a, &at, tokens[i])) return false;
	return canonical_ends(&a->canonical, &at);
}

// ---- The search.
static gcdc_status levels_reserve(struct gcdc_matcher *m, struct hard_prices *x, uint32_t n)
{
	if (LIKELY(n <= x->n_levels)) return GCDC_OK;
	struct hard_level *level = memory_resize(&m->artifact->memory, x->level, 2ull * n, sizeof *level);
	if (!level) return GCDC_ERR_MEMORY;
	memset(level + x->n_levels, 0, (2ull * n - x->n_levels) * sizeof *level);
	x->level = level, x->n_levels = 2 * n;
	return GCDC_OK;
}

// Does a straight search leave out the position of level d? It brings the end no nearer, as others before it did.
static bool is_astray(struct hard_prices *x, uint32_t d)
{
	struct hard_level *l = &x->level[d];
	l->n_aside = d ? x->level[d - 1].n_aside : 0, l->n_strays = 0;
	if (!x->is_straight || !d || l->price < x->level[d - 1].price) return false;
	return ++l->n_aside > x->aside || ++x->level[d - 1].n_strays > STRAIGHT_STRAYS;
}

enum entry { ENTRY_DONE, ENTRY_FAILS, ENTRY_OPEN };
// What is known of the position of level d before its tokens are looked at; `left` more may come.
// Branches: it may end the text, cost too much, be known to fail, pass a limit or lead astray, or not be looked at.
static gcdc_status enter(struct gcdc_matcher *m, struct hard_prices *x, uint32_t d, uint32_t left, enum entry *e)
{
	const struct gcdc_artifact *a = m->artifact;
	struct hard_level *l = &x->level[d];
	bool ends;
	uint32_t price;
	*e = ENTRY_FAILS;
	gcdc_status status = position_ends(m, &l->at, &ends);
	if (status) return not_here(x, status);
	if (ends && canonical_ends(&a->canonical, &l->at.canonical)) return *e = ENTRY_DONE, GCDC_OK;
	x->by_place |= ends;
	if (!left) return GCDC_OK;
	status = position_price(m, &l->at, &price);
	l->price = price, price = hard_least(a, price);
	if (status || price > left) return not_here(x, status);
	if (x->is_straight) price = l->price;
	l->hint = l->tried = ARTIFACT_NONE, l->first = l->at_next = x->todo.n, l->enough = price ? price - 1 : 0,
	l->listed = false, l->until = ARTIFACT_NONE;
	l->has_key = !(x->is_loose && !d) && hard_key_of(m, &l->at, &l->key);
	if (l->has_key) {
		const struct hard_memo *o = memo_at(x, &l->key);
		bool is_known = memo_is_of(o, &l->key);
		if (is_known && o->least > left) return x->by_place = true, GCDC_OK;
		if (is_known) l->hint = o->next;
	}
	if (x->n_nodes >= x->limit || is_astray(x, d)) return x->is_cut = true, GCDC_OK;
	x->n_nodes++, x->n_all_nodes++;
	hard_work(x, WORK_NODE, 1);
	return *e = ENTRY_OPEN, GCDC_OK;
}

gcdc_status hard_fill(struct gcdc_matcher *m, struct position *p, uint32_t enough, uint32_t *mask, bool *any)
{
	const struct gcdc_artifact *a = m->artifact;
	struct hard_prices *x = m->cache->prices;
	const uint64_t begin = m->n_tried;
	gcdc_status status = position_sets(m, p, &x->list);
	if (!status) {
		uint64_t left = (x->is_straight ? enough : plain_of(a, enough)) + m->budget_counts_eos + 1;
		p->left = left < GCDC_NONE ? (uint32_t)left : GCDC_NONE - 1;
		status = budget_restrict(m, p, &x->list);
		p->left = p->near = GCDC_NONE;
	}
	*any = !status;
	hard_work(x, WORK_LAYER, 1), hard_work(x, WORK_TRIED, m->n_tried - begin);
	if (!status) sets_fill(a, &x->list, mask);
	for (uint32_t i = 0; i < a->info.n_eos && !status; i++) mask[a->eos[i] / 32] &= ~(1u << a->eos[i] % 32);
	return not_here(x, status);
}

// Tokens of a mask from `from` on, some more than `most` at most. *until: the first that is left out, or NONE.
static gcdc_status push_some(const struct gcdc_artifact *a, const uint32_t *mask, uint32_t from, uint32_t most,
                             struct vec32 *to, uint32_t *until)
{
	const uint32_t first = to->n;
	*until = ARTIFACT_NONE;
	for (uint32_t w = from / 32; w < a->info.mask_words; w++) {
		if (LIKELY(!mask[w])) continue;
		if (to->n - first > most) return *until = w * 32, GCDC_OK;
		uint32_t *at = vec32_more(&a->memory, to, 32);
		if (!at) return GCDC_ERR_MEMORY;
		for (uint32_t bits = mask[w]; bits; bits &= bits - 1) *at++ = w * 32 + (uint32_t)__builtin_ctz(bits);
		to->n = (uint32_t)(at - to->at);
	}
	return GCDC_OK;
}

// Where a last newline may be supplied, masks of the last token try all tokens: those that could end the text with one
// of their own are as good a list, as it is the same newline.
static uint32_t at_least(const struct hard_prices *x, uint32_t enough)
{
	return enough || !x->ends_by_newline ? enough : 1;
}

// The mask of the layer at hand; *any: the position may be looked at.
static gcdc_status layer_mask(struct gcdc_matcher *m, struct hard_prices *x, struct hard_level *l, bool *any)
{
	bool any_less = false;
	gcdc_status status = hard_fill(m, &l->at, at_least(x, l->before), x->mask, any);
	if (!status && *any && l->less != ARTIFACT_NONE)
		status = hard_fill(m, &l->at, at_least(x, l->less), x->less, &any_less);
	for (uint32_t w = 0; w < m->artifact->info.mask_words && any_less && !status; w++) x->mask[w] &= ~x->less[w];
	return status;
}

// Some `most` tokens of a layer with many, whose mask is at hand. Mostly one of the first does.
static gcdc_status list_more(struct gcdc_matcher *m, struct hard_prices *x, struct hard_level *l, uint32_t most)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = GCDC_OK;
	bool empty;
	if (!x->is_loose || l != x->level) {
		m->cache->is_search = x->by_place = true;
		hard_work(x, WORK_KEEP, 1);
		status = canonical_keep(m, &l->at.canonical, x->mask, &empty);
		m->cache->is_search = false;
	}
	return status ? status : push_some(a, x->mask, l->until, most, &x->todo, &l->until);
}

// Layers become thicker: the first ones order the tokens, the last one has all that `left` leaves.
static gcdc_status list_layer(struct gcdc_matcher *m, struct hard_prices *x, struct hard_level *l, uint32_t left)
{
	bool any;
	uint64_t begin = m->n_tried;
	const uint64_t all = x->is_straight ? plain_of(m->artifact, left - 1) : left - 1;
	uint32_t next = l->enough + (l->listed ? 2 * (l->enough - l->before) : 1);
	l->less = l->listed ? l->before : ARTIFACT_NONE, l->before = l->enough;
	l->enough = l->enough < all && next > all ? (uint32_t)all : next;
	gcdc_status status = layer_mask(m, x, l, &any);
	uint64_t work = (m->n_tried - begin) / TRIED_A_NODE;
	x->n_nodes += work < x->limit ? (uint32_t)work : x->limit, x->n_all_nodes += work;
	l->first = l->at_next = x->todo.n, l->listed = true, l->until = ARTIFACT_NONE;
	if (!any || status) return status;
	status = push_some(m->artifact, x->mask, 0, FEW, &x->todo, &l->until);
	if (status || x->todo.n - l->first <= FEW) return status;
	x->todo.n = l->first, l->until = 0;
	return list_more(m, x, l, FEW);
}

// The next token to try, or NONE.
static gcdc_status next_token(struct gcdc_matcher *m, struct hard_prices *x, struct hard_level *l, uint32_t left,
                              uint32_t *token)
{
	gcdc_status status = GCDC_OK;
	*token = ARTIFACT_NONE;
	if (l->hint != ARTIFACT_NONE) {
		*token = l->tried = l->hint;
		l->hint = ARTIFACT_NONE;
		return GCDC_OK;
	}
	while (!status) {
		if (l->at_next < x->todo.n) {
			*token = x->todo.at[l->at_next++];
			if (*token != l->tried) return GCDC_OK;
			continue;
		}
		*token = ARTIFACT_NONE;
		if (l->until != ARTIFACT_NONE) {
			bool any;
			const uint32_t n = x->todo.n - l->first;
			x->todo.n = l->at_next = l->first;
			status = layer_mask(m, x, l, &any);
			if (!status && !any) status = GCDC_ERR_INTERNAL;  // there were some
			if (!status) status = list_more(m, x, l, 4 * n);
			continue;
		}
		if (l->enough >= (x->is_straight ? plain_of(m->artifact, left) : left))
			return GCDC_OK;  // one is the token itself
		if (x->is_straight && l->listed && (l->n_aside == x->aside || l->n_strays > STRAIGHT_STRAYS))
			return x->is_cut = true, GCDC_OK;
		x->todo.n = l->first;
		status = list_layer(m, x, l, left);
	}
	return status;
}

// Facts about the positions of levels: the completion is found ones of depth n; level d has none of `left` tokens.
static void note_found(struct hard_prices *x, uint32_t n)
{
	for (uint32_t d = 0; d < n; d++) {
		if (!x->level[d].has_key) continue;
		struct hard_memo *o = memo_at(x, &x->level[d].key);
		bool is_known = memo_is_of(o, &x->level[d].key);
		if (is_known && o->most <= n - d) continue;
		*o = (struct hard_memo){x->level[d].key, is_known ? o->least : 0, n - d, x->level[d + 1].token};
	}
}

static void note_failed(struct hard_prices *x, const struct hard_level *l, uint32_t left)
{
	if (!l->has_key || x->is_cut) return;
	struct hard_memo *o = memo_at(x, &l->key);
	if (!memo_is_of(o, &l->key)) *o = (struct hard_memo){l->key, 0, PRICE_NEVER, ARTIFACT_NONE};
	if (o->least <= left) o->least = left + 1;
}

// A search that is under way: levels 0 to `depth` are entered.
struct completion_search {
	struct hard_prices *x;
	uint32_t most, depth, n;  // n: the tokens of what was found
	bool is_loose, is_open, found;
};

// One token more behind the deepest level; where it has no more, a level back.
static gcdc_status close_on(struct gcdc_matcher *m, struct completion_search *c)
{
	struct hard_prices *x = c->x;
	const uint32_t d = c->depth;
	uint32_t token;
	bool goes;
	enum entry e = ENTRY_FAILS;
	gcdc_status status = next_token(m, x, &x->level[d], c->most - d, &token);
	if (status) return status;
	if (token == ARTIFACT_NONE) {
		note_failed(x, &x->level[d], c->most - d);
		x->todo.n = x->level[d].first;
		position_release(m, &x->level[d].at);
		c->is_open = d != 0;
		c->depth -= d != 0;
		return GCDC_OK;
	}
	status = levels_reserve(m, x, d + 2);
	if (status) return status;
	struct hard_level *to = &x->level[d + 1];
	to->token = token;
	hard_work(x, WORK_STEP, 1);
	status = step(m, &to->at, &x->level[d].at, token, c->is_loose && !d, &goes);
	if (x->is_straight) {  // most of its steps lead nowhere
		x->n_nodes++, x->n_all_nodes++;
		x->is_cut |= x->n_nodes >= x->limit;
	}
	if (!status && goes) status = enter(m, x, d + 1, c->most - d - 1, &e);
	if (!status && e == ENTRY_OPEN) return c->depth++, GCDC_OK;
	position_release(m, &to->at);
	if (!status && e == ENTRY_DONE) c->found = true, c->n = d + 1;
	return status;
}

// Branches: the first level is entered, the search runs, and its levels are given back whatever came of it.
static gcdc_status close_from(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                              bool is_loose, bool *found)
{
	struct hard_prices *x;
	enum entry e = ENTRY_FAILS;
	*found = false;
	gcdc_status status = hard_prices_of(m, &x);
	if (!status) status = levels_reserve(m, x, 1);
	if (!status) status = position_copy(m, &x->level[0].at, p);
	if (status) return status;
	x->level[0].at.left = GCDC_NONE;
	x->todo.n = x->found.n = x->n_nodes = 0, x->limit = nodes, x->is_cut = x->by_place = false, x->is_loose = is_loose;
	status = enter(m, x, 0, most, &e);
	struct completion_search c = {.x = x, .most = most, .is_loose = is_loose};
	c.is_open = !status && e == ENTRY_OPEN;
	c.found = !status && e == ENTRY_DONE;
	while (c.is_open && !c.found && !status && !(x->is_cut && x->n_nodes >= x->limit)) {
		status = close_on(m, &c);
		if (hard_is_spent(x)) x->is_cut = true, x->limit = 0;
	}
	for (uint32_t i = 1; i <= c.n && !status; i++)
		if (!vec32_push(&m->artifact->memory, &x->found, x->level[i].token)) status = GCDC_ERR_MEMORY;
	if (c.found && !is_loose) note_found(x, c.n);
	for (uint32_t i = 0; i <= c.depth; i++) position_release(m, &x->level[i].at);
	*found = c.found && !status;
	return status;
}

gcdc_status hard_close(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes, bool *found)
{
	return close_from(m, p, most, nodes, false, found);
}

gcdc_status hard_close_straight(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                                bool *found)
{
	struct hard_prices *x;
	gcdc_status status = hard_prices_of(m, &x);
	*found = false;
	if (status) return status;
	x->is_straight = true;
	uint32_t used = 0;
	for (x->aside = 0; x->aside <= STRAIGHT_ASIDE && !*found && !status && used < nodes; x->aside++) {
		status = close_from(m, p, most, nodes - used, false, found);
		used += x->n_nodes;
		if (!*found && !x->is_cut) break;
	}
	x->n_nodes = used;
	x->is_straight = false;
	return status;
}

gcdc_status hard_close_loose(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                             bool *found)
{
	return close_from(m, p, most, nodes, true, found);
}

// Searches with ever more tokens to spend, from `price` on. Not found and x->is_cut false: there is none at all.
// Branches: each search may find, fail or be cut; there may be none at all; a straight one comes last.
static gcdc_status search_nearer(struct gcdc_matcher *m, const struct position *p, uint32_t price, bool *found)
{
	struct hard_prices *x = m->cache->prices;
	gcdc_status status = GCDC_OK;
	uint32_t nodes = 0, most = price;
	bool was_cut = false;
	*found = false;
	// Once a search was cut the next may find something sooner, as more is allowed.
	while (!*found && !status && nodes < HARD_NODES * 4) {
		if (most == price + 3 && !was_cut) {  // is there any?
			status = hard_close(m, p, HARD_ANY, HARD_TOKEN_NODES, found);
			if (status || (!*found && !x->is_cut)) return status;
		}
		status = hard_close(m, p, most, HARD_NODES, found);
		nodes += x->n_nodes + 1, was_cut |= x->is_cut;
		if (*found || most >= HARD_ANY) break;
		most += was_cut ? most / 2 + 1 : 1;
		if (most > HARD_ANY) most = HARD_ANY;
	}
	if (!*found && !status && was_cut) status = hard_close_straight(m, p, HARD_ANY, HARD_NODES, found);
	x->is_cut = was_cut || !*found;
	return status;
}

gcdc_status hard_shortest(struct gcdc_matcher *m, const struct position *p, uint32_t *n)
{
	struct hard_prices *x;
	uint32_t price;
	*n = PRICE_NEVER;
	gcdc_status status = hard_prices_of(m, &x);
	if (status) return status;
	x->is_cut = false, x->found.n = 0;
	status = position_price(m, p, &price);
	price = hard_least(m->artifact, price);
	if (status || price == PRICE_NEVER) return not_here(x, status);
	bool found;
	status = search_nearer(m, p, price, &found);
	if (status || (!found && !x->is_cut)) return status;
	if (found) *n = x->found.n;
	uint32_t carried = p->completion ? frame_depth(m->pool, p->completion) : PRICE_NEVER;
	if (status || carried >= *n) return status;
	x->found.n = 0, *n = carried;
	for (uint32_t f = p->completion; f != FRAME_BOTTOM; f = m->pool->at[f].parent)
		if (!vec32_push(&m->artifact->memory, &x->found, m->pool->at[f].lr_state)) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}
