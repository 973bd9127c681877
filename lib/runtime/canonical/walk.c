// Canonical sequences by themselves: what the tokenizer would make of a text, whatever the grammar says of it.
//
// In:  tokens, one after the other.  Out: does the sequence still begin a canonical one; may it end here?
// The place behind each token is kept, so the last tokens can be taken back: a search for the canonical tokens of a
// text tries those that fit, and goes back where none goes on (gcdc/show.h). Cost: 0.1 microseconds and some 150 bytes
// a token.
#include "../../include/gcdc/show.h"

#include "../core/runtime_internal.h"
#include "canonical.h"

#define AT_FIRST 64u

struct gcdc_canonical_walk {
	const struct gcdc_artifact *artifact;
	struct canonical_place *at;  // [n + 1] behind each token
	uint32_t n, cap;
};

gcdc_status gcdc_canonical_walk_new(const gcdc_artifact *artifact, gcdc_canonical_walk **walk)
{
	if (walk) *walk = NULL;
	if (!artifact || !walk || !artifact->canonical.info) return GCDC_ERR_ARGUMENT;
	struct gcdc_canonical_walk *w = memory_resize(&artifact->memory, NULL, 1, sizeof *w);
	if (!w) return GCDC_ERR_MEMORY;
	*w = (struct gcdc_canonical_walk){.artifact = artifact, .cap = AT_FIRST};
	w->at = memory_resize(&artifact->memory, NULL, w->cap, sizeof *w->at);
	if (!w->at) return gcdc_canonical_walk_free(w), GCDC_ERR_MEMORY;
	canonical_start(&artifact->canonical, w->at);
	*walk = w;
	return GCDC_OK;
}

void gcdc_canonical_walk_free(gcdc_canonical_walk *walk)
{
	if (!walk) return;
	memory_free(&walk->artifact->memory, walk->at);
	memory_free(&walk->artifact->memory, walk);
}

gcdc_status gcdc_canonical_walk_push(gcdc_canonical_walk *walk, uint32_t token)
{
	if (!walk || token >= walk->artifact->info.n_tokens) return GCDC_ERR_ARGUMENT;
	struct canonical_place after = walk->at[walk->n];
	if (!canonical_step(walk->artifact, &after, token)) return GCDC_REJECTED;
	if (walk->n + 1 == walk->cap) {
		if (walk->cap > UINT32_MAX / 2) return GCDC_ERR_LIMIT;
		void *at = memory_resize(&walk->artifact->memory, walk->at, 2ull * walk->cap, sizeof *walk->at);
		if (!at) return GCDC_ERR_MEMORY;
		walk->at = at, walk->cap *= 2;
	}
	walk->at[++walk->n] = after;
	return GCDC_OK;
}

void gcdc_canonical_walk_pop(gcdc_canonical_walk *walk)
{
	if (walk && walk->n) walk->n--;
}

bool gcdc_canonical_walk_may_end(const gcdc_canonical_walk *walk)
{
	return walk && canonical_ends(&walk->artifact->canonical, &walk->at[walk->n]);
}
