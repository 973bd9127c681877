// Canonical masks and single tokens, in whatever mode: the folder's answer to the core.
//
// In:  a position, its sets.  Out: its mask as far as it is canonical; whether one token is in it.
// Soft: what may come next (mask.c), and when that is nothing the grammar's mask. Hard: of that only what can be gone
// on with to the end: by the grammar (hard.c), by one regular expression (regex.c), within a budget (budget_mask.c).
// A token is asked for by itself where that has an answer, else by the mask. Cost: as in those files.
#include "far.h"
#include "price.h"

// A budget so far away that the mask is the one without it, at least of tokens that may end few lexemes (*fewer: as
// far_fewer). Making that may find longer ways: then it is no longer so far.
static gcdc_status far_filter(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                              uint32_t *mask, struct far_fewer *fewer)
{
	struct position plain = *p;
	bool empty;
	const uint32_t next = hard_next_of_completion(m, p);
	*fewer = far_fewer(m, p);
	if (!fewer->plain) return GCDC_OK;
	plain.left = GCDC_NONE;
	gcdc_status status = canonical_hard_fill(m, &plain, list, mask, &empty);
	*fewer = status || empty ? (struct far_fewer){0, 0} : far_fewer(m, p);
	if (!fewer->plain) return status == GCDC_ERR_SEARCH ? GCDC_OK : status;  // near ones find some of the mask
	return next == ARTIFACT_NONE || row_has(mask, next) ? GCDC_OK : GCDC_ERR_INTERNAL;  // a forged file
}

// Branches: the modes, budgets near and far, one regular expression, and what is left may be nothing.
gcdc_status canonical_filter(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                             uint32_t *mask, bool *relaxed)
{
	bool empty = false;
	struct far_fewer fewer = {0, 0};
	gcdc_status status = GCDC_OK;
	*relaxed = false;
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	const bool is_hard = m->canonical_mode == GCDC_CANONICAL_HARD, searches = is_hard && !regex_knows(m->artifact, p);
	if (UNLIKELY(searches && p->left != GCDC_NONE)) {
		status = far_filter(m, p, list, mask, &fewer);
		if (status) memset(mask, 0, m->artifact->info.mask_words * sizeof *mask);
		if (status || far_is_all(fewer)) return status;
	}
	if (LIKELY(searches && p->left == GCDC_NONE))
		status = canonical_hard_fill(m, p, list, mask, &empty);
	else if (!fewer.plain)
		status = canonical_fill(m, &p->canonical, list, mask, &empty);
	if (is_hard && !empty && !status) {
		if (UNLIKELY(p->left != GCDC_NONE))
			status =
				hard_afford(m, p, fewer.plain ? &fewer : NULL, mask, &empty);  // what can be finished is no dead end
		else if (!searches)
			regex_prune(m->artifact, p, mask, &empty);
	}
	if (LIKELY(!status && !empty)) return GCDC_OK;
	if (!status && m->canonical_mode == GCDC_CANONICAL_HARD) status = GCDC_ERR_CANONICAL;
	if (status) {
		memset(mask, 0, m->artifact->info.mask_words * sizeof *mask);
		return status;
	}
	*relaxed = true;
	sets_fill(m->artifact, list, mask);
	return GCDC_OK;
}

// A step has refused the token. GCDC_ERR_INTERNAL where rows have it: the tables of a forged file contradict each
// other. Rows and steps are made of different sections, and that they agree is not proved when a file is opened.
static gcdc_status check_refused(struct gcdc_matcher *m, const struct canonical_place *p, uint32_t token)
{
	uint32_t *one = m->cache->scratch[1];
	bool empty = true;
	memset(one, 0, m->cache->words * sizeof *one);
	row_add(one, token);
	gcdc_status status = canonical_keep(m, p, one, &empty);
	return status ? status : empty ? GCDC_OK : GCDC_ERR_INTERNAL;
}

// May a canonical token of a hard mask be paid for? As the mask under the budget says.
// Branches: by a search, where prices are exact; else, or where none is found, by the mask, whose work may be cut.
static gcdc_status affords(struct gcdc_matcher *m, struct position *p, const struct set_list *list, uint32_t token,
                           bool *allowed)
{
	const struct gcdc_artifact *a = m->artifact;
	bool is_next = token == hard_next_of_completion(m, p) || artifact_is_eos(a, token), relaxed;
	bool is_sure = is_next || a->cost_info->model == COST_EXACT;
	gcdc_status status = is_sure ? hard_affords(m, p, token, allowed) : GCDC_OK;
	if (is_sure && (status || *allowed)) return status;
	// Aligned prices are no bounds from below: what a search finds depends on what is kept, and the mask is what
	// was told. Nor are exact ones, in a forged file; or the search has come to its limit, and the budget is far.
	const bool is_cut = is_sure && m->cache->prices->is_cut;
	status = canonical_filter(m, p, list, m->cache->scratch[1], &relaxed);
	bool was_told = !status && row_has(m->cache->scratch[1], token);
	*allowed = was_told && (!is_sure || is_cut);
	if (is_sure) return was_told && !is_cut ? GCDC_ERR_INTERNAL : GCDC_OK;
	// Made again, and its work has come to the limit: a mask before it may have had the token.
	if (!status && !was_told && m->cache->prices->gave_up) status = hard_affords(m, p, token, allowed);
	return status;
}

// Branches: EOS, soft and hard masks, budgets, and automata that know the answer each say it in their own way.
gcdc_status canonical_allows(struct gcdc_matcher *m, struct position *p, const struct set_list *list, uint32_t token,
                             bool *allowed)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_place after = p->canonical;
	bool is_hard = m->canonical_mode == GCDC_CANONICAL_HARD, relaxed;
	*allowed =
		artifact_is_eos(a, token) ? canonical_ends(&a->canonical, &p->canonical) : canonical_step(a, &after, token);
	if (*allowed && !is_hard) return GCDC_OK;
	if (UNLIKELY(!canonical_cache_of(m))) return GCDC_ERR_MEMORY;
	if (!*allowed && is_hard) return check_refused(m, &p->canonical, token);
	if (is_hard && UNLIKELY(p->left != GCDC_NONE) && !far_is_behind(m, p, token))
		return affords(m, p, list, token, allowed);
	if (is_hard && regex_knows(m->artifact, p)) {
		*allowed = artifact_is_eos(a, token) || regex_survives(a, p, token);
		return GCDC_OK;
	}
	gcdc_status status = GCDC_OK;
	if (is_hard) {
		status = canonical_survives(m, p, token, allowed);
		if (UNLIKELY(p->left != GCDC_NONE) && !status && !far_is_behind(m, p, token))
			return affords(m, p, list, token, allowed);
		if (status || *allowed) return status;
	}
	// What is refused is not in the mask, but for forged files: there verdicts kept for many places may contradict.
	status = canonical_filter(m, p, list, m->cache->scratch[1], &relaxed);
	bool was_told = !status && !relaxed && row_has(m->cache->scratch[1], token);
	*allowed = !is_hard && !status && relaxed;
	return was_told ? GCDC_ERR_INTERNAL : is_hard ? GCDC_OK : status;
}
