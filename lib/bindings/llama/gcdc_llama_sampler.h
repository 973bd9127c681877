/* gcdc as a sampler of llama.cpp: gcdc_llama_sampler.c is one file, to be compiled into a program that links libllama
 * and gcdc_runtime. example.c is such a program.
 *
 *     gcdc_matcher_new(artifact, NULL, &m);
 *     llama_sampler_chain_add(chain, gcdc_llama_sampler_init(m, n_predict));   // before top-k and its like
 *     llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
 *
 * Candidates that the grammar forbids are taken out of the list, so that what comes behind it in the chain has less to
 * do. The text ends, complete, within n_predict tokens. */
#ifndef GCDC_LLAMA_SAMPLER_H
#define GCDC_LLAMA_SAMPLER_H

#include <gcdc/runtime.h>
#include <llama.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sampler around a matcher, which it takes (llama_sampler_free frees it). budget: tokens that a text may have, EOS
 * counted; GCDC_NONE: any number. The artifact must be of the model's tokenizer (gcdc_vocab_check; gcdc_llama_matches
 * looks at the number of tokens and the EOS ids). NULL, the matcher still being the caller's: no memory, or the budget
 * is too small for any text (gcdc_matcher_min_tokens) or cannot be kept (the artifact has no costs). */
struct llama_sampler *gcdc_llama_sampler_init(gcdc_matcher *matcher, uint32_t budget);

/**  */
/** Has the artifact as many tokens as the vocabulary, and do its EOS ids end a text there, too? */
bool gcdc_llama_matches(const gcdc_artifact *artifact, const struct llama_vocab *vocab);

#ifdef __cplusplus
}
#endif

#endif
