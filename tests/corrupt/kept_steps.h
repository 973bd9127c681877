// Artifacts with the steps of texts: a walk under budgets, and what it made as a part of the image.
#ifndef GCDC_TESTS_KEPT_STEPS_H
#define GCDC_TESTS_KEPT_STEPS_H

#include <stdlib.h>

#include "../../lib/compile/compile.h"
#include "../../lib/include/gcdc/show.h"
#include "../../lib/runtime/core/parts.h"
#include "../../lib/writer/artifact_image.h"

#define KEPT __attribute__((unused)) static

// Texts of a few tokens, each the first that is allowed from some id on; masks a little above the least. Nothing that
// the artifact says is believed. The hash of the masks.
KEPT uint64_t kept_walk(const gcdc_artifact *a, uint32_t n_texts)
{
	gcdc_matcher *m;
	gcdc_info info;
	uint64_t hash = 0;
	gcdc_artifact_info(a, &info);
	if (gcdc_matcher_new(a, &(gcdc_matcher_options){.max_depth = 200, .max_stacks = 2000}, &m)) return 0;
	budget_by(m, BUDGET_BY_MADE_STEPS);
	uint32_t *mask = calloc(info.mask_words + 1, sizeof *mask);
	for (uint32_t text = 0; text < n_texts && mask; text++) {
		gcdc_matcher_reset(m);
		for (uint32_t i = 0, least; i < 8; i++) {
			if (gcdc_matcher_min_tokens(m, true, &least)) break;
			if (gcdc_matcher_set_budget(m, least + 1 + i % 3, true, NULL)) break;
			if (gcdc_matcher_fill(m, mask, info.mask_words, NULL)) break;
			uint32_t token = (text * 7 + i * 13) % info.n_tokens, n = 0;
			for (uint32_t w = 0; w < info.mask_words; w++) hash = (hash ^ mask[w]) * 0x9E3779B97F4A7C15u;
			for (; n < info.n_tokens && !(mask[token / 32] >> token % 32 & 1); n++) token = (token + 1) % info.n_tokens;
			if (gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL) || gcdc_matcher_accept(m, token)) break;
			if (gcdc_matcher_is_terminated(m)) break;
		}
	}
	free(mask);
	gcdc_matcher_free(m);
	return hash;
}

KEPT void kept_take(void *compiled, const gcdc_shown_steps *s)
{
	struct compiled *c = compiled;
	struct artifact_image *m = &c->image;
	memcpy(&m->kept_info, s->info, sizeof m->kept_info);
	struct artifact_kept_step *steps = arena_array(&c->arena, m->kept_info.n_steps + 1, sizeof *steps);
	uint32_t *words = arena_array(&c->arena, m->kept_info.n_words + 1, sizeof *words);
	if (m->kept_info.n_steps) memcpy(steps, s->steps, m->kept_info.n_steps * sizeof *steps);
	if (m->kept_info.n_words) memcpy(words, s->words, m->kept_info.n_words * sizeof *words);
	m->kept_steps = steps, m->kept_words = words;
}

// The image with the steps of so many texts; *hash (may be NULL): of their masks without.
KEPT bool kept_add(struct compiled *c, uint32_t n_texts, uint64_t *hash)
{
	struct diag d = {0};
	gcdc_artifact *a = NULL;
	uint8_t *bytes = NULL;
	size_t len;
	bool ok = artifact_encode(&c->image, &(struct artifact_write_options){.raw = true}, &d, &bytes, &len) &&
	          gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL) == GCDC_OK;
	uint64_t masks = ok ? kept_walk(a, n_texts) : 0;
	if (hash) *hash = masks;
	ok = ok && gcdc_show_steps(a, UINT32_MAX, kept_take, c) == GCDC_OK;
	gcdc_artifact_close(a);
	free(bytes);
	diag_release(&d);
	return ok;
}

#endif
