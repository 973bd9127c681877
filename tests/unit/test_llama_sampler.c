// The sampler of lib/bindings/llama on a hand-made artifact: what is left of candidates is what the matcher allows.
#include <criterion/criterion.h>

#include "../../lib/bindings/llama/gcdc_llama_sampler.c"
#include "../corrupt/tiny_artifact.h"

#undef free  // of base/mem.h

struct llama_sampler *llama_sampler_init(struct llama_sampler_i *iface, llama_sampler_context_t ctx)
{
	struct llama_sampler *s = malloc(sizeof *s);
	*s = (struct llama_sampler){iface, ctx};
	return s;
}
int32_t llama_vocab_n_tokens(const struct llama_vocab *vocab) { return vocab->n; }
bool llama_vocab_is_eog(const struct llama_vocab *vocab, llama_token token) { return token == vocab->eog; }

static void sampler_free(struct llama_sampler *s)
{
	s->iface->free(s);
	free(s);
}

// The candidates of a sampler among n ids from `first` on in steps of `step`: those that the judge allows, in order.
static void check_list(struct llama_sampler *s, gcdc_matcher *judge, int first, int n, int step)
{
	llama_token_data data[128];
	llama_token_data_array list = {data, (size_t)n, 5, false};
	for (int i = 0; i < n; i++) data[i] = (llama_token_data){first + i * step, (float)i, 0};
	s->iface->apply(s, &list);
	size_t k = 0;
	for (int i = 0; i < n; i++) {
		if (!gcdc_matcher_allowed(judge, (uint32_t)(first + i * step))) continue;
		cr_assert(k < list.size && data[k].id == first + i * step && data[k].logit == (float)i);
		k++;
	}
	if (k) cr_assert_eq(list.size, k);
	if (!k) cr_assert(list.size == 1 && gcdc_matcher_allowed(judge, (uint32_t)data[0].id));
}

static void check_all(struct llama_sampler *s, gcdc_matcher *judge)
{
	check_list(s, judge, 0, 70, 1);    // the whole vocabulary
	check_list(s, judge, 0, 100, 1);   // of a model whose logits are wider
	check_list(s, judge, 69, 70, -1);  // sorted otherwise
	check_list(s, judge, 3, 20, 3);    // some of it
	check_list(s, judge, 24, 1, 1);    // a token that is never allowed
}

Test(llama_sampler, candidates_that_are_left_are_those_of_the_mask)
{
	struct tiny *tiny = tiny_parens();
	size_t len;
	uint8_t *bytes = tiny_encode(tiny, NULL, &len);
	gcdc_artifact *a;
	gcdc_matcher *m, *judge;
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL), GCDC_OK);
	cr_assert(!gcdc_matcher_new(a, NULL, &m) && !gcdc_matcher_new(a, NULL, &judge));
	cr_assert_null(gcdc_llama_sampler_init(m, 4));  // it has no costs
	struct llama_sampler *s = gcdc_llama_sampler_init(m, GCDC_NONE), *c;
	cr_assert_str_eq(s->iface->name(s), "gcdc");
	const llama_token path[] = {0, 0, 3, 1, 1};
	for (int i = 0; i < 5; i++) {
		check_all(s, judge);
		s->iface->accept(s, path[i]);
		cr_assert_eq(gcdc_matcher_accept(judge, (uint32_t)path[i]), GCDC_OK);
		c = s->iface->clone(s);
		check_all(c, judge);
		sampler_free(c);
	}
	c = s->iface->clone(s);
	c->iface->reset(c);
	s->iface->copy_state(s, c);
	check_all(c, judge);
	c->iface->accept(c, 0);  // forbidden: nothing but the end is left
	llama_token_data data[70];
	llama_token_data_array list = {data, 70, -1, false};
	for (int i = 0; i < 70; i++) data[i] = (llama_token_data){i, 0, 0};
	c->iface->apply(c, &list);
	cr_assert(list.size == 2 && data[0].id == 40 && data[1].id == 69);
	c->iface->reset(c);
	gcdc_matcher_reset(judge);
	check_all(c, judge);
	s->iface->accept(s, 40);
	cr_assert_eq(gcdc_matcher_accept_bytes(judge, "((1))", 5), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(judge, 40), GCDC_OK);
	check_all(s, judge);
	cr_assert(gcdc_llama_matches(a, &(struct llama_vocab){70, 40}) == false);  // 69 is an end, too
	cr_assert_not(gcdc_llama_matches(a, &(struct llama_vocab){71, 40}));
	sampler_free(c);
	sampler_free(s);
	gcdc_matcher_free(judge);
	gcdc_artifact_close(a);
	free(bytes);
	tiny_free(tiny);
}
