// One random text that an artifact allows.
#ifndef GCDC_CMD_SAMPLE_WALK_H
#define GCDC_CMD_SAMPLE_WALK_H

#include "cli.h"

typedef VEC(uint32_t) sampled_tokens;

struct sampler {
	const gcdc_artifact *artifact;
	gcdc_info info;
	const uint8_t *class_of;             // [n_tokens] class (allowed_class) of the first byte of a token that has one
	const uint32_t *by_class, *by_byte;  // tokens with text: by class and id; by first byte, length and id
	uint32_t class_begin[257], byte_begin[257];  // where a class and a byte begin in these
	const uint8_t *may_be_whole;                 // [lex_states] the lexeme may end there
	uint32_t *mask;
	gcdc_matcher *matcher;  // for one text after the other; NULL before the first run
	uint64_t random;
	struct arena arena;
};

void sampler_init(struct sampler *s, const gcdc_artifact *artifact);
void sampler_release(struct sampler *s);

// Appends tokens of a text, EOS not included, at most max_tokens of them with it; *complete says that it ends.
// GCDC_ERR_INTERNAL: an empty mask was met after these tokens.
gcdc_status sampler_run(struct sampler *s, uint64_t seed, uint32_t max_tokens, sampled_tokens *tokens, bool *complete);

// A random walk that keeps a budget of so many tokens, EOS counted: always a whole text. *least: what the shortest
// needs; GCDC_ERR_BUDGET when that is more.
gcdc_status sampler_run_budget(struct sampler *s, uint64_t seed, uint32_t budget, uint32_t *least,
                               sampled_tokens *tokens);

#endif
