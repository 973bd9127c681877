// Canonical tokenization: what callers ask for besides masks.
//
// In:  a matcher.  Out: whether a token is canonical next, tokens that must come, the place behind a prompt.
// Forced tokens: as long as the hard mask at the position has one token, and EOS is not it.
// Cost: forced tokens one hard mask each.
#include "price.h"

gcdc_status gcdc_matcher_set_canonical(gcdc_matcher *m, gcdc_canonical_mode mode)
{
	if (!m || (unsigned)mode > (unsigned)gcdc_artifact_canonical(m->artifact) || m->now->left != GCDC_NONE)
		return GCDC_ERR_ARGUMENT;
	m->canonical_mode = (uint8_t)mode;
	return GCDC_OK;
}

bool gcdc_matcher_is_canonical_next(const gcdc_matcher *m, uint32_t token)
{
	if (!m || token >= m->artifact->info.n_tokens) return false;
	const struct gcdc_artifact *a = m->artifact;
	if (!a->canonical.info) return true;
	token = token_of(m, token);
	if (m->now->terminated) return false;
	if (artifact_is_eos(a, token)) return canonical_ends(&a->canonical, &m->now->canonical);
	struct canonical_place after = m->now->canonical;
	return canonical_step(a, &after, token);
}

gcdc_status gcdc_matcher_canonical_prompt(gcdc_matcher *m, const uint32_t *tokens, size_t n)
{
	if (!m || (!tokens && n) || m->n_history || m->now->terminated || !m->artifact->canonical.info)
		return GCDC_ERR_ARGUMENT;
	const struct gcdc_artifact *a = m->artifact;
	for (size_t i = 0; i < n; i++)
		if (tokens[i] >= a->info.n_tokens) return GCDC_ERR_ARGUMENT;
	struct canonical_place *p = &m->now->canonical;
	canonical_start(&a->canonical, p);
	for (size_t i = 0; i < n; i++) {
		bool relaxed, is_text = a->token_offset[tokens[i]] != a->token_offset[tokens[i] + 1];
		if (is_text)
			canonical_advance(a, p, tokens[i], &relaxed);
		else
			canonical_start(&a->canonical, p);  // the tokenizer cuts at control tokens
		p->behind_prompt = is_text;
	}
	m->sets.valid = false;
	return GCDC_OK;
}

uint64_t gcdc_matcher_relaxations(const gcdc_matcher *m) { return m ? m->n_relaxed : 0; }

// The only token of a mask, or NONE.
static uint32_t only_token(const uint32_t *mask, uint32_t words)
{
	uint32_t token = ARTIFACT_NONE;
	for (uint32_t w = 0; w < words; w++) {
		if (!mask[w]) continue;
		if (token != ARTIFACT_NONE || mask[w] & (mask[w] - 1)) return ARTIFACT_NONE;
		token = w * 32 + (uint32_t)__builtin_ctz(mask[w]);
	}
	return token;
}

// The mask of m->work, whose sets are `list`: what stays canonical, and can be paid for.
static gcdc_status canonical_mask(struct gcdc_matcher *m, const struct set_list *list, uint32_t *mask)
{
	const struct gcdc_artifact *a = m->artifact;
	bool empty;
	sets_fill(a, list, mask);
	gcdc_status status = canonical_keep(m, &m->work->canonical, mask, &empty);
	if (status || empty) return status;
	if (is_hard(m) && m->work->left != GCDC_NONE) return hard_afford(m, m->work, NULL, mask, &empty);
	if (!regex_knows(a, m->work)) return canonical_prune(m, m->work, list, mask, &empty);
	regex_prune(a, m->work, mask, &empty);
	return GCDC_OK;
}

static gcdc_status take_forced(struct gcdc_matcher *m, uint32_t token)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	bool relaxed;
	gcdc_status status = position_step(m, m->work, a->token_bytes + begin, end - begin);
	canonical_advance(a, &m->work->canonical, token, &relaxed);
	if (m->work->left != GCDC_NONE && m->work->left) m->work->left--;
	return status ? status : hard_spend(m, m->work, token);
}

// Branches: arguments and texts that have ended are told at once, and a search that was cut is no error: what is found
// stays.
gcdc_status gcdc_matcher_forced_tokens(gcdc_matcher *m, uint32_t *tokens, size_t cap, size_t *n)
{
	if (n) *n = 0;
	if (!m || !n || (!tokens && cap)) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	if (!m->artifact->canonical.info) return forced_by_masks(m, tokens, cap, n);
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = matcher_sets(m);
	if (!status && !canonical_cache_of(m)) status = GCDC_ERR_MEMORY;
	if (!status) status = position_copy(m, m->work, m->now);
	if (status) return status;
	position_share_completion(m, m->work, m->now);
	uint32_t *mask = m->cache->mask;
	const struct set_list *list = &m->sets;
	size_t done = 0;
	while (done < cap && !status) {
		status = canonical_mask(m, list, mask);
		uint32_t token = status ? ARTIFACT_NONE : only_token(mask, a->info.mask_words);
		if (token == ARTIFACT_NONE || artifact_is_eos(a, token)) break;
		tokens[done++] = token;
		status = take_forced(m, token);
		if (!status && done < cap) status = position_sets(m, m->work, &m->probe);
		list = &m->probe;
	}
	position_release(m, m->work);
	if (status == GCDC_ERR_SEARCH) status = GCDC_OK;  // so far it is certain
	if (status) return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	*n = done;
	return GCDC_OK;
}
