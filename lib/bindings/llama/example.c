// Texts of a grammar from a model of llama.cpp: example MODEL.gguf ARTIFACT.gcdc [TEXTS [TOKENS [PROMPT]]]
//
// Prints each text on a line of its own; exit code 1 if one is not a whole text of the grammar.
#include "gcdc_llama_sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool ok, const char *what)
{
	if (ok) return;
	fprintf(stderr, "example: %s\n", what);
	exit(1);
}

static void quiet(enum ggml_log_level level, const char *text, void *data)
{
	(void)data;
	if (level == GGML_LOG_LEVEL_ERROR) fputs(text, stderr);
}

struct wanted {
	const char *prompt;
	int n_predict;
	uint32_t seed;
};

// One text into *text; is it whole?
static bool generate(struct llama_model *model, const gcdc_artifact *artifact, const struct wanted *w, char *text,
                     size_t cap)
{
	const char *prompt = w->prompt;
	const int n_predict = w->n_predict;
	const struct llama_vocab *vocab = llama_model_get_vocab(model);
	struct llama_context_params params = llama_context_default_params();
	llama_token tokens[512];
	int n = llama_tokenize(vocab, prompt, (int)strlen(prompt), tokens, 512, true, false);
	params.n_ctx = (uint32_t)(n + n_predict + 8);
	params.n_threads = params.n_threads_batch = 1;
	struct llama_context *context = llama_init_from_model(model, params);
	gcdc_matcher *m, *judge;
	need(context && n > 0, "no context");
	need(!gcdc_matcher_new(artifact, NULL, &m) && !gcdc_matcher_new(artifact, NULL, &judge), "no memory");
	struct llama_sampler *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
	struct llama_sampler *sampler = gcdc_llama_sampler_init(m, (uint32_t)n_predict);
	need(sampler != NULL, "no text of the grammar has so few tokens");
	llama_sampler_chain_add(chain, sampler);
	llama_sampler_chain_add(chain, llama_sampler_init_dist(w->seed));
	size_t len = 0;
	struct llama_batch batch = llama_batch_get_one(tokens, n);
	for (int i = 0; i < n_predict; i++) {
		need(llama_decode(context, batch) == 0, "llama_decode");
		llama_token token = llama_sampler_sample(chain, context, -1);  // accepts it, too
		need(!gcdc_matcher_accept(judge, (uint32_t)token), "a token that the grammar forbids");
		if (gcdc_matcher_is_terminated(judge)) break;
		uint32_t n_bytes;
		const uint8_t *bytes = gcdc_artifact_token(artifact, (uint32_t)token, &n_bytes);
		if (len + n_bytes < cap) memcpy(text + len, bytes, n_bytes), len += n_bytes;
		batch = llama_batch_get_one(&token, 1);
	}
	text[len] = 0;
	bool whole = gcdc_matcher_is_terminated(judge);
	llama_sampler_free(chain);
	gcdc_matcher_free(judge);
	llama_free(context);
	return whole;
}

int main(int argc, char **argv)
{
	static char text[65536];
	gcdc_artifact *artifact;
	gcdc_refusal why;
	need(argc > 2, "usage: example MODEL.gguf ARTIFACT.gcdc [TEXTS [TOKENS [PROMPT]]]");
	if (gcdc_artifact_open(argv[2], NULL, &artifact, &why)) need(false, why.what);
	llama_log_set(quiet, NULL);
	llama_backend_init();
	struct llama_model *model = llama_model_load_from_file(argv[1], llama_model_default_params());
	need(model != NULL, "the model cannot be loaded");
	need(gcdc_llama_matches(artifact, llama_model_get_vocab(model)), "the artifact is for another tokenizer");
	int texts = argc > 3 ? atoi(argv[3]) : 5, tokens = argc > 4 ? atoi(argv[4]) : 60, bad = 0;
	for (int i = 0; i < texts; i++) {
		const struct wanted w = {argc > 5 ? argv[5] : "Call a tool: ", tokens, (uint32_t)i + 1};
		bad += !generate(model, artifact, &w, text, sizeof text);
		puts(text);
	}
	llama_model_free(model);
	llama_backend_free();
	gcdc_artifact_close(artifact);
	return bad > 0;
}
