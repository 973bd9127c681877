// Completions in hard canonical mode under budgets: found, kept, carried along, spent.
//
// In:  a position; a token that was accepted.  Out: a completion behind it, canonical tokens that end the text within
// its budget. A completion that was found is kept by lexer state and stack; whether it does at another canonical place
// is proved by some steps of the tokenizer's automaton, so most positions need no search. The one that a position
// carries is a list of frames, each a token, the next on top: shared by forks, and kept for rolling back like stacks.
// Accepting its next token pops it; another token gets one of its own, or is refused. Cost: 0.1 microseconds for each
// token of a kept completion; else a search (price.c).
#include "far.h"
#include "price.h"

static gcdc_status prices_of(struct gcdc_matcher *m, struct hard_prices **prices)
{
	gcdc_status status = hard_prices_of(m, prices);
	if (!status) hard_trim(*prices);
	return status;
}

// Those kept for a position, whatever its canonical place: four places, the one not used for longest makes room.
static struct hard_completion *completions_at(struct gcdc_matcher *m, const struct position *p, struct hard_key *key)
{
	struct hard_key all;
	if (!hard_key_of(m, p, &all)) return NULL;
	*key =
		(struct hard_key){.lex_state = all.lex_state, .stack = all.stack, .columns = all.columns, .column = all.column};
	return &m->cache->prices->completions[hard_hash(key) % HARD_COMPLETIONS & ~3u];
}

static gcdc_status tokens_become(const gcdc_memory *memory, struct vec32 *to, const uint32_t *tokens, uint32_t n)
{
	to->n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!vec32_push(memory, to, tokens[i])) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}

// Keeps what was found.
static void keep_found(struct hard_prices *prices, struct hard_completion *at, const struct hard_key *key)
{
	struct hard_completion *oldest = at;
	if (!at || prices->found.n > HARD_COMPLETION_KEPT) return;
	for (uint32_t i = 1; i < 4; i++)
		if (at[i].used < oldest->used) oldest = &at[i];
	oldest->key = *key, oldest->used = ++prices->clock, oldest->n = prices->found.n;
	if (oldest->n) memcpy(oldest->tokens, prices->found.at, oldest->n * sizeof *oldest->tokens);
}

gcdc_status hard_ends_behind(struct gcdc_matcher *m, const struct position *p, const uint32_t *tokens, uint32_t n,
                             bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	struct position *at = &m->cache->prices->end;
	*ends = false;
	hard_work(m->cache->prices, WORK_PARSER, 1);
	gcdc_status status = position_copy(m, at, p);
	if (status) return status;
	at->left = GCDC_NONE;
	for (uint32_t i = 0; i < n && at->n && !status; i++) {
		const uint32_t begin = a->token_offset[tokens[i]], end = a->token_offset[tokens[i] + 1];
		status = position_step(m, at, a->token_bytes + begin, end - begin);
		if (!status) position_drop_unstarted(m, at);
	}
	if (at->n && !status) status = position_ends(m, at, ends);
	position_release(m, at);
	const bool is_none = status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT || status == GCDC_REJECTED;
	return is_none ? GCDC_OK : status;
}

// A completion that did elsewhere, if one does behind p.
static gcdc_status try_common(struct gcdc_matcher *m, const struct position *p, uint32_t most, bool *found)
{
	struct hard_prices *x = m->cache->prices;
	gcdc_status status = GCDC_OK;
	*found = false;
	for (uint32_t i = 0; i < x->n_common && !status && !*found && !x->without_common && !hard_is_spent(x); i++) {
		struct hard_common *c = &x->common[i];
		hard_work(x, WORK_REPLAY, 1);
		if (c->n > most || !hard_closes(m->artifact, &p->canonical, c->tokens, c->n)) continue;
		status = hard_ends_behind(m, p, c->tokens, c->n, found);
		if (!*found || status) continue;
		c->hits++;
		status = tokens_become(&m->artifact->memory, &x->found, c->tokens, c->n);
	}
	return status;
}

// The same with whatever is kept, for whichever place. A mask may have allowed a token by any of them.
static gcdc_status try_kept(struct gcdc_matcher *m, const struct position *p, uint32_t most, bool *found)
{
	struct hard_prices *x = m->cache->prices;
	gcdc_status status = GCDC_OK;
	*found = false;
	for (uint32_t i = 0; i < HARD_COMPLETIONS && !status && !*found; i++) {
		const struct hard_completion *c = &x->completions[i];
		if (!c->used || c->n > most || !hard_closes(m->artifact, &p->canonical, c->tokens, c->n)) continue;
		status = hard_ends_behind(m, p, c->tokens, c->n, found);
		if (*found && !status) status = tokens_become(&m->artifact->memory, &x->found, c->tokens, c->n);
	}
	return status;
}

void hard_sort_common(struct hard_prices *x)
{
	for (uint32_t i = 1; i < x->n_common; i++) {
		const struct hard_common c = x->common[i];
		uint32_t k = i;
		for (; k && x->common[k - 1].hits < c.hits; k--) x->common[k] = x->common[k - 1];
		x->common[k] = c;
	}
	if (x->n_common > HARD_COMMON_FIRST) x->n_common = HARD_COMMON_FIRST;
	for (uint32_t i = 0; i < x->n_common; i++) x->common[i].hits -= x->common[i].hits / 2;
	x->common_era++;
}

static void add_common(struct hard_prices *x)
{
	const uint32_t n = x->found.n;
	if (n > HARD_COMPLETION_KEPT) return;
	for (uint32_t i = 0; i < x->n_common; i++)
		if (x->common[i].n == n && !memcmp(x->common[i].tokens, x->found.at, n * sizeof *x->found.at)) return;
	if (x->n_common == HARD_COMMON) hard_sort_common(x);
	struct hard_common *c = &x->common[x->n_common++];
	c->n = n, c->hits = 1;
	if (n) memcpy(c->tokens, x->found.at, n * sizeof *c->tokens);
}

// Branches: a kept completion, then a straight one, near ones with few tokens to spare, any: each search may fail or be
// cut.
gcdc_status hard_find_completion(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                                 bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct hard_prices *prices = m->cache->prices;
	struct hard_key key;
	struct hard_completion *at = completions_at(m, p, &key);
	prices->is_cut = false;
	for (uint32_t i = 0; i < 4 && at; i++) {
		if (!at[i].used || at[i].n > most || memcmp(&at[i].key, &key, sizeof key) ||
		    !hard_closes(a, &p->canonical, at[i].tokens, at[i].n))
			continue;
		at[i].used = ++prices->clock, *found = true;
		return tokens_become(&a->memory, &prices->found, at[i].tokens, at[i].n);
	}
	uint32_t price, used = 0;
	gcdc_status status = try_common(m, p, most, found);
	if (*found) keep_found(prices, at, &key);
	if (*found || status) return status;
	status = position_price(m, p, &price);
	if (status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT) status = GCDC_OK, price = PRICE_NEVER;
	// By aligned prices a search knows too little of what is near, and goes astray in lexemes; so does any with more
	// tokens to spare.
	if (!status && a->cost_info->model != COST_EXACT && price <= most) {
		status = hard_close_straight(m, p, most, nodes < HARD_TOKEN_NODES ? nodes / 2 : HARD_TOKEN_NODES / 2, found);
		used += prices->n_nodes;
	}
	static const uint32_t more[] = {0, 1, 3};
	for (uint32_t i = 0; i < 3 && !status && !*found; i++) {
		if (price == PRICE_NEVER || (uint64_t)price + more[i] >= most) break;
		status = hard_close(m, p, price + more[i], nodes / 4, found);
		used += prices->n_nodes;
	}
	if (!status && !*found) status = hard_close(m, p, most, nodes > used ? nodes - used : 0, found);
	if (!status && *found) keep_found(prices, at, &key), add_common(prices);
	return status;
}

// Takes what a budget of one token less would find, where a search was cut: so that budget is refused.
static gcdc_status shorten(struct gcdc_matcher *m, const struct position *p, uint32_t *n)
{
	const gcdc_memory *memory = &m->artifact->memory;
	struct hard_prices *prices = m->cache->prices;
	bool is_shorter = true;
	gcdc_status status = GCDC_OK;
	if (!prices->is_cut || *n == PRICE_NEVER || !*n) return GCDC_OK;
	while (is_shorter && *n && !status) {
		status = tokens_become(memory, &prices->shortest, prices->found.at, prices->found.n);
		if (!status) status = hard_find_completion(m, p, *n - 1, HARD_TOKEN_NODES, &is_shorter);
		if (!status && is_shorter) *n = prices->found.n;
	}
	prices->is_cut = true;
	if (status || is_shorter) return status;
	return tokens_become(memory, &prices->found, prices->shortest.at, prices->shortest.n);
}

// Where the search for the shortest one has found none: as masks find one, so that what they allow has one here, too.
static gcdc_status find_any(struct gcdc_matcher *m, const struct position *p, uint32_t *n)
{
	bool found;
	gcdc_status status = try_kept(m, p, HARD_ANY, &found);
	if (!status && !found) status = hard_find_completion(m, p, HARD_ANY, HARD_NODES, &found);
	if (!status && found) *n = m->cache->prices->found.n;
	m->cache->prices->is_cut = true;
	return status;
}

gcdc_status hard_least_completion(struct gcdc_matcher *m, const struct position *p, uint32_t *n)
{
	struct hard_key key = {0};
	gcdc_status status = hard_shortest(m, p, n);
	if (!status && *n == PRICE_NEVER && m->cache->prices->is_cut) status = find_any(m, p, n);
	if (!status) status = shorten(m, p, n);
	if (status) return status;
	struct hard_prices *prices = m->cache->prices;
	struct hard_completion *at = completions_at(m, p, &key), *best = NULL;
	for (uint32_t i = 0; i < 4 && at; i++) {
		if (!at[i].used || at[i].n >= *n || memcmp(&at[i].key, &key, sizeof key) ||
		    !hard_closes(m->artifact, &p->canonical, at[i].tokens, at[i].n))
			continue;
		best = &at[i], *n = best->n;
	}
	if (best) {
		best->used = ++prices->clock;
		return tokens_become(&m->artifact->memory, &prices->found, best->tokens, best->n);
	}
	if (*n != PRICE_NEVER) keep_found(prices, at, &key);
	return GCDC_OK;
}

gcdc_status hard_take_completion(struct gcdc_matcher *m, struct position *p, bool has_one)
{
	struct frame_pool *pool = m->pool;
	const struct vec32 *found = has_one ? &m->cache->prices->found : NULL;
	uint32_t top = has_one ? FRAME_BOTTOM : 0;
	if (has_one && !frame_reserve(pool, found->n)) return GCDC_ERR_MEMORY;
	if (has_one) frame_ref(pool, top);
	for (uint32_t i = has_one ? found->n : 0; i; i--) {
		uint32_t f = frame_push(pool, top, found->at[i - 1]);
		frame_unref(pool, top);
		top = f;
	}
	if (p->completion) frame_unref(pool, p->completion);
	p->completion = top;
	return GCDC_OK;
}

gcdc_status hard_begin(struct gcdc_matcher *m, struct position *p)
{
	struct hard_prices *prices;
	uint32_t eos = m->budget_counts_eos;
	bool found = false;
	gcdc_status status = prices_of(m, &prices);
	if (!status && p->left >= eos) status = hard_find_completion(m, p, p->left - eos, HARD_TOKEN_NODES, &found);
	bool is_cut = prices->is_cut;
	if (!status && !found && is_cut) status = try_kept(m, p, p->left - eos, &found);
	if (!status && !found && is_cut) status = hard_find_completion(m, p, p->left - eos, HARD_NODES * 64, &found);
	if (status) return status;
	// One is there, and is not needed yet.
	if (!found && prices->is_cut && far_is(m, p)) return hard_take_completion(m, p, false);
	return found ? hard_take_completion(m, p, true) : prices->is_cut ? GCDC_ERR_SEARCH : GCDC_REJECTED;
}

gcdc_status hard_spend(struct gcdc_matcher *m, struct position *p, uint32_t token)
{
	struct frame_pool *pool = m->pool;
	const bool is_open = m->canonical_mode == GCDC_CANONICAL_HARD && p->left != GCDC_NONE;
	if (LIKELY(!p->completion && !is_open)) return GCDC_OK;
	if (artifact_is_eos(m->artifact, token)) return hard_take_completion(m, p, false);
	if (token == hard_next_of_completion(m, p)) {
		uint32_t rest = pool->at[p->completion].parent;
		frame_ref(pool, rest);
		frame_unref(pool, p->completion);
		p->completion = rest;
		return GCDC_OK;
	}
	gcdc_status status = hard_begin(m, p);
	return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;  // it was allowed
}

// ---- One token.
gcdc_status hard_affords(struct gcdc_matcher *m, const struct position *p, uint32_t token, bool *yes)
{
	struct hard_prices *prices;
	uint32_t eos = m->budget_counts_eos;
	gcdc_status status = prices_of(m, &prices);
	*yes = artifact_is_eos(m->artifact, token) ? p->left >= eos : token == hard_next_of_completion(m, p);
	if (status || *yes || p->left <= eos || artifact_is_eos(m->artifact, token)) return status;
	status = hard_step(m, &prices->after, p, token, yes);
	if (!status && *yes) status = hard_find_completion(m, &prices->after, p->left - eos - 1, HARD_TOKEN_NODES, yes);
	position_release(m, &prices->after);
	return status;
}

gcdc_status hard_min_after(struct gcdc_matcher *m, const struct position *p, uint32_t token, uint32_t *n)
{
	struct hard_prices *prices;
	bool goes;
	*n = 0;
	if (artifact_is_eos(m->artifact, token)) return GCDC_OK;
	gcdc_status status = prices_of(m, &prices);
	if (!status) status = hard_step(m, &prices->after, p, token, &goes);
	if (status) return status;
	*n = PRICE_NEVER;
	if (goes) status = hard_least_completion(m, &prices->after, n);
	position_release(m, &prices->after);
	return !status && *n == PRICE_NEVER && prices->is_cut ? GCDC_ERR_SEARCH : status;
}

const uint32_t *hard_completion_tokens(const struct gcdc_matcher *m) { return m->cache->prices->found.at; }

gcdc_status hard_no_completion(const struct gcdc_matcher *m)
{
	return m->cache->prices->is_cut ? GCDC_ERR_SEARCH : GCDC_ERR_CANONICAL;
}
