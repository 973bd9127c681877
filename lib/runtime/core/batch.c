// Several tokens and several matchers in one call.
//
// In:  matchers, tokens, chains of drafts.  Out: masks, how many tokens were taken. The matcher's uppermost file.
// Rows behind the first refused draft of a chain repeat the last row: an engine samples from all of them, and throws
// those away.
// Cost: as many masks and steps as there are rows written, and a copy for each repeated row.
#include "runtime_internal.h"

gcdc_status gcdc_matcher_accept_tokens(gcdc_matcher *m, const uint32_t *tokens, size_t n, size_t *accepted)
{
	if (accepted) *accepted = 0;
	if (!m || !accepted || (!tokens && n)) return GCDC_ERR_ARGUMENT;
	if (n && m->now->terminated) return GCDC_TERMINATED;
	for (size_t i = 0; i < n && !m->now->terminated; i++) {
		gcdc_status status = gcdc_matcher_accept(m, tokens[i]);
		if (status) return status;
		*accepted = i + 1;
	}
	return GCDC_OK;
}

static bool are_chains(const gcdc_draft_chains *d, size_t n)
{
	if (!d || !d->first) return false;
	for (size_t i = 0; i < n; i++)
		if (d->first[i + 1] < d->first[i] || (d->first[i + 1] > d->first[i] && !d->tokens)) return false;
	return true;
}

// Branches: all arguments are checked before any row is written, and three lists of results may be missing.
gcdc_status gcdc_fill_drafts_batch(gcdc_matcher *const *matchers, size_t n, const gcdc_draft_chains *drafts,
                                   const gcdc_mask_rows *masks, gcdc_status *statuses, uint32_t *accepted)
{
	if (!n) return GCDC_OK;
	if (!matchers || !masks || !masks->at || !are_chains(drafts, n)) return GCDC_ERR_ARGUMENT;
	const size_t *first = drafts->first;
	for (size_t i = 0; i < n; i++)
		if (matchers[i] && masks->stride < matchers[i]->artifact->info.mask_words) return GCDC_ERR_ARGUMENT;
	gcdc_status found = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		size_t good = 0, n_drafts = first[i + 1] - first[i];
		gcdc_status status = GCDC_OK;
		gcdc_matcher_enter(matchers[i]);
		if (matchers[i])
			status = draft_chain(matchers[i], n_drafts ? drafts->tokens + first[i] : NULL, n_drafts,
			                     masks->at + (first[i] + i) * masks->stride, masks->stride, &good);
		gcdc_matcher_leave(matchers[i]);
		if (status < 0 && !found) found = status;
		if (statuses) statuses[i] = status;
		if (accepted) accepted[i] = (uint32_t)good;
	}
	return found;
}

gcdc_status gcdc_fill_rows(gcdc_matcher *const *matchers, size_t n, const gcdc_mask_rows *masks, gcdc_status *statuses,
                           bool *needs_apply)
{
	if (!n) return GCDC_OK;
	if (!matchers || !masks || !masks->at) return GCDC_ERR_ARGUMENT;
	gcdc_status first = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		gcdc_fill_info info = {.needs_apply = false};
		gcdc_status status = GCDC_OK;
		if (matchers[i]) {
			// Words past the mask, when rows are longer, are part of the row.
			gcdc_matcher_enter(matchers[i]);
			status = gcdc_matcher_fill(matchers[i], masks->at + (masks->rows ? masks->rows[i] : i) * masks->stride,
			                           masks->stride, &info);
			gcdc_matcher_leave(matchers[i]);
			if (status < 0 && !first) first = status;
		}
		if (statuses) statuses[i] = status;
		if (needs_apply) needs_apply[i] = info.needs_apply;
	}
	return first;
}

gcdc_status gcdc_fill_batch(gcdc_matcher *const *matchers, size_t n, const uint32_t *rows, uint32_t *masks,
                            size_t stride, gcdc_status *statuses, bool *needs_apply)
{
	return gcdc_fill_rows(matchers, n, &(gcdc_mask_rows){masks, stride, rows}, statuses, needs_apply);
}

gcdc_status gcdc_accept_batch(gcdc_matcher *const *matchers, const uint32_t *tokens, size_t n, gcdc_status *statuses)
{
	if (n && (!matchers || !tokens)) return GCDC_ERR_ARGUMENT;
	gcdc_status first = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		gcdc_matcher_enter(matchers[i]);
		gcdc_status status = matchers[i] ? gcdc_matcher_accept(matchers[i], tokens[i]) : GCDC_OK;
		gcdc_matcher_leave(matchers[i]);
		if (status && !first) first = status;
		if (statuses) statuses[i] = status;
	}
	return first;
}

gcdc_status gcdc_set_stop_tokens_batch(gcdc_matcher *const *matchers, size_t n, const uint32_t *tokens, size_t n_tokens,
                                       gcdc_status *statuses)
{
	if ((n && !matchers) || (n_tokens && !tokens)) return GCDC_ERR_ARGUMENT;
	gcdc_status first = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		gcdc_matcher_enter(matchers[i]);
		gcdc_status status = matchers[i] ? gcdc_matcher_set_stop_tokens(matchers[i], tokens, n_tokens) : GCDC_OK;
		gcdc_matcher_leave(matchers[i]);
		if (status && !first) first = status;
		if (statuses) statuses[i] = status;
	}
	return first;
}
