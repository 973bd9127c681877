// A text as tokens of an artifact's vocabulary: as the model's tokenizer cuts it, or any other way.
#ifndef GCDC_CMD_TOKEN_CUT_H
#define GCDC_CMD_TOKEN_CUT_H

#include "base/random.h"
#include "cli.h"
#include "token_vocab.h"

enum cut_mode {
	CUT_TOKENIZER,  // by the model's tokenizer, or the artifact's canonical tables; greedily where there is neither
	CUT_GREEDY,     // always the longest token that leaves a rest that can be cut
	CUT_BYTES,      // tokens of one byte; a byte that is no token is CUT_BYTE | byte
	CUT_RANDOM,     // at each place any of the tokens that fit
};
#define CUT_BYTE 0x80000000u

struct token_cutter {
	const char *command;
	const gcdc_artifact *artifact;
	enum cut_mode mode;
	uint64_t random;
	struct encoder *encoder;  // NULL: none
	struct vocab vocab;       // the artifact's tokens with a trie
	bool has_all_bytes;       // each byte is a token
	bool is_quiet;
};

struct cutter_options {
	const char *command;  // for messages
	const gcdc_artifact *artifact;
	const char *path;       // the artifact's, for messages
	const char *tokenizer;  // what --tokenizer says; NULL: the built-in one when the artifact was compiled with it
	enum cut_mode mode;
	uint64_t seed;
};
// A tokenizer with other tokens than the artifact's is an error. Returns an exit code.
int token_cutter_init(struct token_cutter *c, const struct cutter_options *o);
void token_cutter_release(struct token_cutter *c);
// False when no tokens give this text: *stuck is the first offset that none reach past.
bool token_cutter_cut(struct token_cutter *c, const char *path, const char *text, size_t len, token_list *out,
                      size_t *stuck);
// The bytes of an entry of a token_list.
const uint8_t *token_cutter_bytes(const struct token_cutter *c, uint32_t token, uint8_t *byte, uint32_t *len);

#endif
