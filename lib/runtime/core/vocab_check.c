// Is a live tokenizer the one that an artifact was compiled for?
//
// In:  an artifact, the bytes of each id of a tokenizer.  Out: how many ids differ, and the first of them.
// Cost: one comparison of all token bytes.
#include "runtime_internal.h"

static const uint8_t *artifact_vocab_token(const struct gcdc_artifact *a, uint32_t token, uint32_t *len)
{
	if (token >= a->info.n_tokens) return NULL;
	*len = a->vocab_offset[token + 1] - a->vocab_offset[token];
	return a->vocab_bytes + a->vocab_offset[token];
}

gcdc_status gcdc_vocab_check(const gcdc_artifact *a, const uint8_t *bytes, const uint64_t *offsets, size_t n,
                             uint32_t *differ, size_t cap, size_t *n_differ)
{
	if (n_differ) *n_differ = 0;
	if (!a || !offsets || !n_differ || n > UINT32_MAX || (!differ && cap)) return GCDC_ERR_ARGUMENT;
	for (size_t t = 0; t < n; t++)
		if (offsets[t + 1] < offsets[t]) return GCDC_ERR_ARGUMENT;
	if (!bytes && offsets[n] != offsets[0]) return GCDC_ERR_ARGUMENT;
	size_t all = n > a->info.n_tokens ? n : a->info.n_tokens, found = 0;
	for (size_t t = 0; t < all; t++) {
		uint32_t len = 0;
		const uint8_t *ours = artifact_vocab_token(a, (uint32_t)t, &len);
		uint64_t theirs = t < n ? offsets[t + 1] - offsets[t] : 0;
		if (theirs == len && (!len || !memcmp(ours, bytes + offsets[t], len))) continue;
		if (found < cap) differ[found] = (uint32_t)t;
		found++;
	}
	*n_differ = found;
	return found ? GCDC_ERR_VOCAB : GCDC_OK;
}
