// Of llama.cpp's llama.h (llama-cpp-python 0.3.36) what lib/bindings/llama uses, for its test: no libllama is needed.
#ifndef LLAMA_H
#define LLAMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t llama_token;
typedef struct llama_token_data {
	llama_token id;
	float logit;
	float p;
} llama_token_data;
typedef struct llama_token_data_array {
	llama_token_data *data;
	size_t size;
	int64_t selected;
	bool sorted;
} llama_token_data_array;

typedef void *llama_sampler_context_t;
struct llama_sampler;
struct llama_sampler_i {
	const char *(*name)(const struct llama_sampler *);
	void (*accept)(struct llama_sampler *, llama_token);
	void (*apply)(struct llama_sampler *, llama_token_data_array *);
	void (*reset)(struct llama_sampler *);
	struct llama_sampler *(*clone)(const struct llama_sampler *);
	void (*free)(struct llama_sampler *);
	void (*copy_state)(const struct llama_sampler *, struct llama_sampler *);
};
struct llama_sampler {
	struct llama_sampler_i *iface;
	llama_sampler_context_t ctx;
};
struct llama_vocab {
	int32_t n;
	llama_token eog;
};
struct llama_sampler *llama_sampler_init(struct llama_sampler_i *iface, llama_sampler_context_t ctx);
int32_t llama_vocab_n_tokens(const struct llama_vocab *vocab);
bool llama_vocab_is_eog(const struct llama_vocab *vocab, llama_token token);

#endif
