// Compile, encode, open: the whole way from a grammar to a matcher without a file.
#include "../engine.h"

#include "../../../lib/compile/compile.h"
#include "../../../lib/writer/artifact_image.h"
#include "../../corrupt/kept_steps.h"

enum engine_sure engine_sure;
uint32_t engine_costs, engine_max_column, engine_texts;
bool engine_keep_groups, engine_joined_costs;

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
	struct artifact_lex_state *lex = (struct artifact_lex_state *)(uintptr_t)c->image.lex_states;
	for (uint32_t q = 0; q < c->image.info.n_lex_states; q++)
		if (lex[q].without) lex[q].without += n;  // these stay sure
}

enum engine_result engine_compile(const struct grammar *g, const struct vocab *v, struct diag *d, struct engine *e)
{
	*e = (struct engine){0};
	struct compile_options options = {.costs = (enum compile_costs)engine_costs,
	                                  .joined_costs = engine_joined_costs,
	                                  .keep_groups = engine_keep_groups,
	                                  .max_column = engine_max_column};
	struct compiled compiled;
	if (!compile_image(g, v, &options, d, &compiled)) return ENGINE_REFUSED;
	if (engine_sure) unsure_sets(&compiled);
	struct artifact_write_options how = {.raw = true};
	e->is_total = compiled.image.cost_info.flags & COST_TOTAL;
	bool is_encoded = !engine_texts || !compiled.image.cost_info.model || kept_add(&compiled, engine_texts, NULL);
	e->n_kept = compiled.image.kept_info.n_steps;
	is_encoded = is_encoded && artifact_encode(&compiled.image, &how, d, &e->bytes, &e->len);
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
