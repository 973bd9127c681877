// tokenizer.json's "decoder" section as a function from one token's text to its bytes.
#ifndef GCDC_VOCAB_HF_DECODER_H
#define GCDC_VOCAB_HF_DECODER_H

#include "hf_json.h"

#define HF_MAX_DECODER_STEPS 16u

struct hf_decoder_step {
	enum { STEP_REPLACE, STEP_BYTE_FALLBACK, STEP_STRIP, STEP_WORD_PIECE } what;
	const char *from, *to;  // REPLACE; WORD_PIECE: from is the prefix inside words; into the JSON tree
	uint32_t from_len, to_len;
	uint32_t n_start, n_stop;  // STRIP: how many of character `from` at most
	bool cleans_up;            // WORD_PIECE
};

struct hf_decoder {
	bool byte_level;
	uint32_t n_steps;
	struct hf_decoder_step step[HF_MAX_DECODER_STEPS];
};

// False with an error when the section is of a kind whose tokens have no bytes of their own.
bool hf_decoder_parse(const cJSON *root, const struct source *source, struct diag *d, struct hf_decoder *decoder);

// What the token contributes in the middle of a text. Replaces the content of *out. False: longer than
// VOCAB_MAX_TOKEN_LEN.
struct hf_text {
	uint8_t *at;
	uint32_t n, cap;
};  // a VEC with a name
struct hf_bytes {
	struct hf_text bytes, spare;
};
bool hf_decoder_bytes(const struct hf_decoder *decoder, const char *text, size_t len, struct hf_bytes *out);

#endif
