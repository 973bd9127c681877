// A vocabulary from HuggingFace's tokenizer.json and the two files beside it.
#ifndef GCDC_VOCAB_HF_VOCAB_H
#define GCDC_VOCAB_HF_VOCAB_H

#include "hf_json.h"

struct hf_input {
	const struct source *source;      // tokenizer.json
	const char *config, *generation;  // tokenizer_config.json, generation_config.json; or NULL
	size_t config_len, generation_len;
};

// False with an error in d; v is then empty. v holds nothing of the texts.
bool hf_vocab_parse(const struct hf_input *in, const struct vocab_options *o, struct diag *d, struct vocab *v);

#endif
