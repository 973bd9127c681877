// The tokens of an artifact as a vocabulary.
//
// In:   an artifact. Out: struct vocab with a trie; control tokens have no bytes. Cost: linear in the tokens' bytes.
#include "token_vocab.h"

void token_vocab_of(const gcdc_artifact *artifact, struct vocab *v)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t n_eos, n = info.n_tokens;
	const uint32_t *eos = gcdc_artifact_eos(artifact, &n_eos);
	const uint8_t **bytes = mem_calloc(n, sizeof *bytes);
	uint32_t *len = mem_calloc(n, sizeof *len);
	uint8_t *kind = mem_calloc(n, 1);
	for (uint32_t t = 0; t < n; t++) {
		bytes[t] = gcdc_artifact_token(artifact, t, &len[t]);
		kind[t] = len[t] ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, n_eos, eos}, v);
	free(bytes);
	free(len);
	free(kind);
}
