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

static bool is_sound(const gcdc_token_texts *tokens)
{
	if (!tokens || !tokens->offsets || tokens->n > UINT32_MAX) return false;
	for (size_t t = 0; t < tokens->n; t++)
		if (tokens->offsets[t + 1] < tokens->offsets[t]) return false;
	return tokens->bytes || tokens->offsets[tokens->n] == tokens->offsets[0];
}

gcdc_status gcdc_vocab_check(const gcdc_artifact *a, const gcdc_token_texts *tokens, uint32_t *differ, size_t cap,
                             size_t *n_differ)
{
	if (n_differ) *n_differ = 0;
	if (!a || !n_differ || (!differ && cap) || !is_sound(tokens)) return GCDC_ERR_ARGUMENT;
	const uint64_t *offsets = tokens->offsets;
	const size_t n = tokens->n;
	size_t all = n > a->info.n_tokens ? n : a->info.n_tokens, found = 0;
	for (size_t t = 0; t < all; t++) {
		uint32_t len = 0;
		const uint8_t *ours = artifact_vocab_token(a, (uint32_t)t, &len);
		uint64_t theirs = t < n ? offsets[t + 1] - offsets[t] : 0;
		if (theirs == len && (!len || !memcmp(ours, tokens->bytes + offsets[t], len))) continue;
		if (found++ < cap) differ[found - 1] = (uint32_t)t;
	}
	*n_differ = found;
	return found ? GCDC_ERR_VOCAB : GCDC_OK;
}
