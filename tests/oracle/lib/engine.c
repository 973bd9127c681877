// Compile, encode, open: the whole way from a grammar to a matcher without a file.
#include "../engine.h"

#include "../../../lib/compile/compile.h"
#include "../../../lib/include/gcdc/show.h"
#include "../../../lib/runtime/core/parts.h"
#include "base/random.h"
#include "../../../lib/writer/artifact_image.h"

enum engine_sure engine_sure;
uint32_t engine_costs, engine_max_column, engine_texts;
bool engine_keep_groups;

// Each set hands its tokens to a set of tokens to be stepped over.
static void unsure_sets(struct compiled *c)
{
	const struct artifact_set *old = c->image.sets;
	uint32_t n = c->image.info.n_sets;
	struct artifact_set *sets = arena_array(&c->arena, 2 * (size_t)n, sizeof *sets);
	for (uint32_t k = 0; k < n; k++) {
		sets[k] = sets[n + k] = old[k];  // n + k: what old sets to try are now
		if (old[k].maybe) sets[k].maybe = n + old[k].maybe;
		if (!old[k].count || sets[k].maybe) continue;  // where that is taken it stays sure
		sets[k].maybe = n + k;
		sets[k].dense = ARTIFACT_NONE;
		sets[k].at = sets[k].n = sets[k].flags = sets[k].count = 0;
	}
	c->image.sets = sets, c->image.info.n_sets = 2 * n;
}

// ---- Texts.
#define TEXT_TOKENS 10

static void walk_text(gcdc_matcher *m, const gcdc_info *info, uint32_t *mask, uint64_t *random)
{
	gcdc_matcher_reset(m);
	for (uint32_t i = 0, least; i < TEXT_TOKENS; i++) {
		if (gcdc_matcher_min_tokens(m, true, &least)) return;
		if (gcdc_matcher_set_budget(m, least + 1 + random_below(random, 4), true, NULL)) return;
		if (gcdc_matcher_fill(m, mask, info->mask_words, NULL)) return;
		uint32_t token = random_below(random, info->n_tokens), n = 0;
		for (; n < info->n_tokens && !mask_bit(mask, token); n++) token = (token + 1) % info->n_tokens;
		if (n == info->n_tokens || gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL)) return;
		if (gcdc_matcher_accept(m, token) || gcdc_matcher_is_terminated(m)) return;
	}
}

static void take_steps(void *to, const gcdc_shown_steps *s)
{
	struct compiled *c = to;
	struct artifact_image *m = &c->image;
	memcpy(&m->kept_info, s->info, sizeof m->kept_info);
	struct artifact_kept_step *steps = arena_array(&c->arena, m->kept_info.n_steps + 1, sizeof *steps);
	uint32_t *words = arena_array(&c->arena, m->kept_info.n_words + 1, sizeof *words);
	if (m->kept_info.n_steps) memcpy(steps, s->steps, m->kept_info.n_steps * sizeof *steps);
	if (m->kept_info.n_words) memcpy(words, s->words, m->kept_info.n_words * sizeof *words);
	m->kept_steps = steps, m->kept_words = words;
}

// What walking texts with the artifact of these bytes makes becomes a part of the image.
static bool keep_steps(struct compiled *c, const struct engine *e)
{
	gcdc_artifact *a;
	gcdc_matcher *m;
	gcdc_info info;
	uint64_t random = e->len;
	if (gcdc_artifact_open_memory(e->bytes, e->len, NULL, &a, NULL)) return false;
	bool ok = gcdc_matcher_new(a, NULL, &m) == GCDC_OK;
	gcdc_artifact_info(a, &info);
	uint32_t *mask = mem_calloc(info.mask_words, sizeof *mask);
	if (ok) budget_by(m, BUDGET_BY_MADE_STEPS);
	for (uint32_t i = 0; i < engine_texts && ok; i++) walk_text(m, &info, mask, &random);
	if (ok) ok = gcdc_show_steps(a, UINT32_MAX, take_steps, c) == GCDC_OK;
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	free(mask);
	return ok;
}

enum engine_result engine_compile(const struct grammar *g, const struct vocab *v, struct diag *d, struct engine *e)
{
	*e = (struct engine){0};
	struct compile_options options = {
		.costs = (enum compile_costs)engine_costs, .keep_groups = engine_keep_groups, .max_column = engine_max_column};
	struct compiled compiled;
	if (!compile_image(g, v, &options, d, &compiled)) return ENGINE_REFUSED;
	if (engine_sure) unsure_sets(&compiled);
	struct artifact_write_options how = {.raw = true};
	e->is_total = compiled.image.cost_info.flags & COST_TOTAL;
	bool is_encoded = artifact_encode(&compiled.image, &how, d, &e->bytes, &e->len);
	if (is_encoded && engine_texts && compiled.image.cost_info.model) {
		is_encoded = keep_steps(&compiled, e);
		free(e->bytes), e->bytes = NULL;
		e->n_kept = compiled.image.kept_info.n_steps;
		is_encoded = is_encoded && artifact_encode(&compiled.image, &how, d, &e->bytes, &e->len);
	}
	compile_release(&compiled);
	if (!is_encoded) return ENGINE_BROKEN;
	gcdc_refusal why;
	gcdc_status status = gcdc_artifact_open_memory(e->bytes, e->len, NULL, &e->artifact, &why);
	if (status == GCDC_OK) return ENGINE_OK;
	diag_error(d, (struct loc){0}, "the artifact does not open: %s: %s", gcdc_status_text(status), why.what);
	return ENGINE_BROKEN;
}

void engine_release(struct engine *e)
{
	gcdc_artifact_close(e->artifact);
	free(e->bytes);
	*e = (struct engine){0};
}
