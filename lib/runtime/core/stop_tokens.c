// Stop tokens of the caller, beside the EOS ids of the file.
//
// In:  a matcher, ids that an engine or a request stops at.
// Out: masks with their bits where the text may end; accepting one is accepting EOS.
// A stop token is read as the file's first EOS id, so there is one decision about ends, whatever mode the masks have.
// Ids that the grammar uses as text are refused: their bit would have two meanings.
// Cost: setting them looks at every set of the artifact once an id; forks, clones and copies only copy the list.
#include "runtime_internal.h"

static bool stops_have(const struct gcdc_matcher *m, uint32_t token)
{
	return number_among(m->stops.at, m->stops.n, token);
}

uint32_t stop_as_eos(const struct gcdc_matcher *m, uint32_t token)
{
	return stops_have(m, token) ? m->artifact->eos[0] : token;
}

bool stops_fill(const struct gcdc_matcher *m, uint32_t *mask)
{
	uint32_t eos = m->artifact->eos[0];
	if (!(mask[eos / 32] >> eos % 32 & 1)) return false;
	for (uint32_t i = 0; i < m->stops.n; i++) mask[m->stops.at[i] / 32] |= 1u << m->stops.at[i] % 32;
	return true;
}

gcdc_status stops_add(struct gcdc_matcher *m, gcdc_mask_sets *out)
{
	const gcdc_memory *memory = &m->artifact->memory;
	struct vec32 *all = &m->stops_extra;
	all->n = 0;
	bool ok = true;
	for (uint32_t i = 0; i < out->n_tokens && ok; i++) ok = vec32_push(memory, all, out->tokens[i]);
	for (uint32_t i = 0; i < m->stops.n && ok; i++) ok = vec32_push(memory, all, m->stops.at[i]);
	if (!ok) return GCDC_ERR_MEMORY;
	vec32_sort(all);
	out->tokens = all->at;
	out->n_tokens = all->n;
	out->row = NULL;
	return GCDC_OK;
}

bool stops_copy(struct gcdc_matcher *to, const struct gcdc_matcher *from)
{
	uint32_t n = 0;
	while (n < from->stops.n) {
		if (n == to->stops.cap && !vec32_grow(&to->artifact->memory, &to->stops)) return false;
		to->stops.at[n] = from->stops.at[n];
		n++;
	}
	to->stops.n = n;
	return true;
}

static bool is_text(const struct gcdc_artifact *a, uint32_t token)
{
	for (uint32_t i = 0; i < a->info.n_sets; i++)
		if (a->sets[i].count && artifact_set_has(a, &a->sets[i], token)) return true;
	return false;
}

gcdc_status gcdc_matcher_set_stop_tokens(gcdc_matcher *m, const uint32_t *tokens, size_t n)
{
	if (!m || (!tokens && n)) return GCDC_ERR_ARGUMENT;
	const struct gcdc_artifact *a = m->artifact;
	if (n && !a->info.n_eos) return GCDC_ERR_UNSUPPORTED;
	struct vec32 stops = {0};
	gcdc_status status = GCDC_OK;
	for (size_t i = 0; i < n && !status; i++) {
		if (tokens[i] < a->info.n_tokens && artifact_is_eos(a, tokens[i])) continue;
		if (tokens[i] >= a->info.n_tokens || is_text(a, tokens[i]))
			status = GCDC_ERR_ARGUMENT;
		else if (!vec32_push(&a->memory, &stops, tokens[i]))
			status = GCDC_ERR_MEMORY;
	}
	if (status) {
		memory_free(&a->memory, stops.at);
		return status;
	}
	vec32_sort(&stops);
	memory_free(&a->memory, m->stops.at);
	m->stops = stops;
	return GCDC_OK;
}

const uint32_t *gcdc_matcher_stop_tokens(const gcdc_matcher *m, uint32_t *n)
{
	if (n) *n = m ? m->stops.n : 0;
	return m ? m->stops.at : NULL;
}
