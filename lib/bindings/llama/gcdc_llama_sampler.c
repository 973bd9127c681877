// gcdc as a sampler of llama.cpp, over llama_sampler_i (seen with llama-cpp-python 0.3.36).
//
// In:  candidates (id, logit), mostly all of the vocabulary in order.  Out: those that the grammar allows, in their
// order. A word of the mask decides on 32 candidates at once where they stand in order, so a mask that allows little
// costs little. Cost: filling the mask, and moving the candidates that are left.
#include "gcdc_llama_sampler.h"

#include <stdlib.h>
#include <string.h>

struct state {
	gcdc_matcher *matcher;
	uint32_t *mask;
	size_t words;
	uint32_t budget;
	bool is_lost;  // took a token that its mask forbids: only EOS is left
};

static const char *name(const struct llama_sampler *s)
{
	(void)s;
	return "gcdc";
}

static void take(struct llama_sampler *s, llama_token token)
{
	struct state *x = s->ctx;
	if (!gcdc_matcher_is_terminated(x->matcher) && gcdc_matcher_accept(x->matcher, (uint32_t)token)) x->is_lost = true;
}

static void fill(struct state *x)
{
	if (!x->is_lost && gcdc_matcher_fill(x->matcher, x->mask, x->words, NULL) >= 0) return;
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(gcdc_matcher_artifact(x->matcher), &n);
	memset(x->mask, 0, x->words * sizeof *x->mask);
	for (uint32_t i = 0; i < n; i++) x->mask[eos[i] / 32] |= 1u << eos[i] % 32;
}

static bool in_order(const llama_token_data *d, size_t word)
{
	return d[0].id == (llama_token)(word * 32) && d[31].id == (llama_token)(word * 32 + 31);
}

static void apply(struct llama_sampler *s, llama_token_data_array *list)
{
	struct state *x = s->ctx;
	llama_token_data *d = list->data;
	size_t n = 0, i = 0;
	fill(x);
	while (i < list->size) {
		size_t word = (size_t)d[i].id / 32;
		if (list->size - i >= 32 && word < x->words && in_order(d + i, word)) {
			for (uint32_t bits = x->mask[word]; bits; bits &= bits - 1) d[n++] = d[i + (size_t)__builtin_ctz(bits)];
			i += 32;
			continue;
		}
		if (word < x->words && x->mask[word] >> d[i].id % 32 & 1) d[n++] = d[i];
		i++;
	}
	for (size_t w = 0; !n && w < x->words; w++)  // all were cut before: the first that is allowed
		if (x->mask[w] && list->size)
			d[n++] = (llama_token_data){(llama_token)(w * 32 + (size_t)__builtin_ctz(x->mask[w])), 0, 0};
	list->size = n;
	list->selected = -1;
}

static void reset(struct llama_sampler *s)
{
	struct state *x = s->ctx;
	gcdc_matcher_reset(x->matcher);
	x->is_lost = x->budget != GCDC_NONE && gcdc_matcher_set_budget(x->matcher, x->budget, true, NULL);
}

static void release(struct llama_sampler *s)
{
	struct state *x = s->ctx;
	gcdc_matcher_free(x->matcher);
	free(x->mask);
	free(x);
}

static struct llama_sampler *clone(const struct llama_sampler *s);

static void copy_state(const struct llama_sampler *from, struct llama_sampler *to)
{
	struct state *a = from->ctx, *b = to->ctx;
	b->is_lost = a->is_lost || gcdc_matcher_copy(b->matcher, a->matcher);
}

static struct llama_sampler_i functions = {.name = name,
                                           .accept = take,
                                           .apply = apply,
                                           .reset = reset,
                                           .clone = clone,
                                           .free = release,
                                           .copy_state = copy_state};

// Takes the matcher as it is.
static struct llama_sampler *sampler_around(gcdc_matcher *m, uint32_t budget, bool is_lost)
{
	gcdc_info info;
	gcdc_artifact_info(gcdc_matcher_artifact(m), &info);
	struct state *x = malloc(sizeof *x);
	uint32_t *mask = malloc(info.mask_words * sizeof *mask);
	struct llama_sampler *s = x && mask ? llama_sampler_init(&functions, x) : NULL;
	if (s) {
		*x = (struct state){m, mask, info.mask_words, budget, is_lost};
	} else {
		free(x);
		free(mask);
	}
	return s;
}

struct llama_sampler *gcdc_llama_sampler_init(gcdc_matcher *m, uint32_t budget)
{
	if (!m || (budget != GCDC_NONE && gcdc_matcher_set_budget(m, budget, true, NULL))) return NULL;
	return sampler_around(m, budget, false);
}

static struct llama_sampler *clone(const struct llama_sampler *s)
{
	struct state *x = s->ctx;
	gcdc_matcher *m;
	if (gcdc_matcher_clone(x->matcher, &m)) return NULL;
	struct llama_sampler *c = sampler_around(m, x->budget, x->is_lost);
	if (!c) gcdc_matcher_free(m);
	return c;
}

bool gcdc_llama_matches(const gcdc_artifact *artifact, const struct llama_vocab *vocab)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(artifact, &n);
	bool good = info.n_tokens == (uint32_t)llama_vocab_n_tokens(vocab);
	for (uint32_t i = 0; i < n && good; i++) good = llama_vocab_is_eog(vocab, (llama_token)eos[i]);
	return good;
}
