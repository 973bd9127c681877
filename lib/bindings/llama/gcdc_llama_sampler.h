/* gcdc as a sampler of llama.cpp: gcdc_llama_sampler.c is one file, to be compiled into a program that links libllama
 * and gcdc_runtime. example.c is such a program.
 *
 *     gcdc_matcher_new(artifact, NULL, &m);
 *     llama_sampler_chain_add(chain, gcdc_llama_sampler_init(m, n_predict));   // before top-k and its like
 *     llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
 *
 * Candidates that the grammar forbids are taken out of the list, so the samplers behind it in the chain have less to
 * do. The text ends, complete, within n_predict tokens. */
#ifndef GCDC_LLAMA_SAMPLER_H
#define GCDC_LLAMA_SAMPLER_H

#include <gcdc/runtime.h>
#include <llama.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a sampler around a matcher, which it owns from then on: llama_sampler_free frees both. budget: the tokens that
 * a text may have, EOS counted; GCDC_NONE: any number. The artifact must be of the model's tokenizer (gcdc_vocab_check;
 * gcdc_llama_matches compares the number of tokens and the EOS ids). NULL, and the matcher is still the caller's: no
 * memory; the budget is too small for any text (gcdc_matcher_min_tokens); or the artifact has no costs, which budgets
 * need. Threads: as the matcher's. */
struct llama_sampler *gcdc_llama_sampler_init(gcdc_matcher *matcher, uint32_t budget);

/** True when the artifact has as many tokens as the vocabulary, and its EOS ids end a text there, too. */
bool gcdc_llama_matches(const gcdc_artifact *artifact, const struct llama_vocab *vocab);

#ifdef __cplusplus
}
#endif

#endif
