// The calls about budgets and the shortest way to the end.
//
// In:  a matcher. Out: the fewest tokens to the end, those tokens, a budget that masks keep to.
// A way to the end is made token by token: from each position the first token of the mask that makes it one cheaper.
// Cost: a price of the position (price.c); to close, masks by groups and prices of tokens, for each token of the way.
#include "pricing.h"

#define SETS_AT_ONCE 64u  // of a mask by stored steps; more is rare

// So that masks by stored steps ask for no memory. What they stand in has no mask now.
static gcdc_status reserve_sets(struct gcdc_matcher *m)
{
	const gcdc_memory *memory = &m->artifact->memory;
	bool ok = true;
	if (!m->artifact->step_info || !m->pricing) return GCDC_OK;  // no pricing: the text has ended
	while (m->pricing->sets.cap < SETS_AT_ONCE && ok) ok = vec32_grow(memory, &m->pricing->sets);
	for (m->sets.n = 0; m->sets.cap < SETS_AT_ONCE && ok;) ok = set_list_push(m, &m->sets, 0);
	if (!m->sets.extra.cap && ok) ok = vec32_grow(memory, &m->sets.extra);
	m->sets.n = 0;
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// What is needed after a token of p's plain mask.
static gcdc_status price_after(struct gcdc_matcher *m, const struct position *p, uint32_t token, uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	struct position *after = &m->pricing->after;
	*price = 0;
	if (artifact_is_eos(a, token)) return GCDC_OK;
	gcdc_status status = position_copy(m, after, p);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	if (status) return status;
	position_drop_unstarted(m, after);
	status = position_price(m, after, price);
	position_release(m, after);
	return status;
}

gcdc_cost_model gcdc_artifact_costs(const gcdc_artifact *a)
{
	return a && a->cost_info ? (gcdc_cost_model)a->cost_info->model : GCDC_COSTS_NONE;
}

uint32_t gcdc_matcher_budget(const gcdc_matcher *m) { return m ? m->now->left : GCDC_NONE; }
bool gcdc_matcher_budget_counts_eos(const gcdc_matcher *m) { return m && m->budget_counts_eos; }

gcdc_status gcdc_matcher_min_tokens(gcdc_matcher *m, bool count_eos, uint32_t *n)
{
	if (n) *n = GCDC_NONE;
	if (!m || !n) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) {
		*n = 0;
		return GCDC_OK;
	}
	gcdc_status status = pricing_open(m);
	uint32_t price = PRICE_NEVER;
	if (!status)
		status = is_hard(m) ? m->artifact->parts->canonical->least_completion(m, m->now, &price)
		                    : position_price(m, m->now, &price);
	if (status) return status;
	if (price == PRICE_NEVER) return is_hard(m) ? m->artifact->parts->canonical->no_completion(m) : GCDC_ERR_BUDGET;
	*n = price + count_eos;
	return GCDC_OK;
}

gcdc_status gcdc_matcher_set_budget(gcdc_matcher *m, uint32_t tokens, bool count_eos, uint32_t *least)
{
	uint32_t n;
	if (least) *least = GCDC_NONE;
	if (!m) return GCDC_ERR_ARGUMENT;
	if (tokens != GCDC_NONE) {
		gcdc_status status = gcdc_matcher_min_tokens(m, count_eos, &n);
		if (status) return status;
		if (least) *least = n;
		if (tokens < n) return GCDC_ERR_BUDGET;
	}
	if (is_hard(m)) {
		gcdc_status status =
			m->artifact->parts->canonical->take_completion(m, m->now, tokens != GCDC_NONE && !m->now->terminated);
		if (status) return status;
	}
	m->now->left = tokens;
	m->now->near = GCDC_NONE;
	m->budget_counts_eos = count_eos;
	m->sets.valid = false;
	return tokens == GCDC_NONE ? GCDC_OK : reserve_sets(m);
}

gcdc_status gcdc_matcher_min_after(gcdc_matcher *m, uint32_t token, uint32_t *n)
{
	if (n) *n = GCDC_NONE;
	if (!m || !n) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	token = token_of(m, token);
	uint32_t left = m->now->left;
	m->now->left = GCDC_NONE;
	gcdc_status status = pricing_open(m);
	if (!status) status = position_sets(m, m->now, &m->probe);
	m->now->left = left;
	if (status) return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	if (!sets_have(m->artifact, &m->probe, token)) return GCDC_REJECTED;
	if (is_hard(m) && !m->artifact->parts->canonical->is_next(m, token)) return GCDC_REJECTED;
	status =
		is_hard(m) ? m->artifact->parts->canonical->min_after(m, m->now, token, n) : price_after(m, m->now, token, n);
	return status ? status : *n == PRICE_NEVER ? GCDC_ERR_BUDGET : GCDC_OK;
}

// The mask of the tokens after which `less` are enough, as groups tell it; empty where none is. p has no budget.
static gcdc_status mask_within(struct gcdc_matcher *m, struct position *p, uint32_t less, const uint32_t **mask)
{
	struct pricing *x = m->pricing;
	const uint32_t words = m->artifact->info.mask_words;
	if (!x->row) x->row = memory_resize(&m->artifact->memory, NULL, words, sizeof *x->row);
	if (!x->row) return GCDC_ERR_MEMORY;
	*mask = x->row;
	p->left = price_sum(less, 1 + m->budget_counts_eos), p->near = GCDC_NONE;
	gcdc_status status = position_sets(m, p, &x->within);
	p->left = p->near = GCDC_NONE;
	if (!status)
		sets_fill(m->artifact, &x->within, x->row);
	else if (status == GCDC_REJECTED)
		memset(x->row, 0, words * sizeof *x->row), status = GCDC_OK;
	return status;
}

// The first token of the list, of those in the mask, after which `less` are enough. GCDC_NONE: there is none.
static gcdc_status first_within(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                                const uint32_t *mask, uint32_t less, uint32_t *token)
{
	gcdc_status status = GCDC_OK;
	*token = GCDC_NONE;
	links_bound(m);
	for (struct each e = each_of(list); *token == GCDC_NONE && !status && each_next(m->artifact, &e);) {
		uint32_t after;
		if (!(mask[e.token / 32] >> e.token % 32 & 1) || artifact_is_eos(m->artifact, e.token)) continue;
		status = price_after(m, p, e.token, &after);
		if (!status && after <= less) *token = e.token;
	}
	links_unbound(m);
	return status;
}

// A token of p's plain mask after which `less` are enough; GCDC_ERR_INTERNAL: there is none.
static gcdc_status cheaper_token(struct gcdc_matcher *m, struct position *p, uint32_t less, uint32_t *token)
{
	const uint32_t *mask;
	gcdc_status status = mask_within(m, p, less, &mask);
	if (!status) status = position_sets(m, p, &m->probe);
	if (!status) status = first_within(m, p, &m->probe, mask, less, token);
	if (status || *token != GCDC_NONE) return status;
	// The aligned model knows of fewer tokens by groups than one by one.
	memset(m->pricing->row, 0xff, m->artifact->info.mask_words * sizeof *mask);
	status = first_within(m, p, &m->probe, mask, less, token);
	return status || *token != GCDC_NONE ? status : GCDC_ERR_INTERNAL;
}

// Branches: hard canonical completions are copied, others are made token by token, and the room may end before either.
gcdc_status gcdc_matcher_close(gcdc_matcher *m, uint32_t *tokens, size_t cap, size_t *n)
{
	const struct gcdc_artifact *a = m ? m->artifact : NULL;
	uint32_t price = 0, token = 0;
	if (n) *n = 0;
	if (!m || !n || (!tokens && cap)) return GCDC_ERR_ARGUMENT;
	gcdc_status status = gcdc_matcher_min_tokens(m, false, &price);
	if (status) return status;
	if (is_hard(m)) {
		*n = price;
		if (price && cap)
			memcpy(tokens, a->parts->canonical->completion_tokens(m), (price < cap ? price : cap) * sizeof *tokens);
		return GCDC_OK;
	}
	status = position_copy(m, m->work, m->now);
	m->work->left = GCDC_NONE;
	for (size_t i = 0; i < cap && price && !status; i++) {
		*n = i + 1;
		status = cheaper_token(m, m->work, price - 1, &token);
		if (status) break;
		tokens[i] = token;
		uint32_t begin = a->token_offset[token];
		status = position_step(m, m->work, a->token_bytes + begin, a->token_offset[token + 1] - begin);
		if (!status) status = position_price(m, m->work, &price);
	}
	position_release(m, m->work);
	*n += price;  // those that there was no room for
	return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
}
