// Room for a step while it is made.
//
// In:  the lists of struct step_scratch.  Out: more room in one, twice as much; all of it freed. Cost: a copy.
#include "step_build.h"

bool vector_grow(const gcdc_memory *memory, void **at, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 32;
	void *p = more < *cap ? NULL : memory_resize(memory, *at, more, size);
	if (!p) return false;
	*at = p, *cap = more;
	return true;
}

void step_scratch_free(const gcdc_memory *memory, struct step_scratch *s)
{
	if (!s) return;
	void *blocks[] = {s->known.at,        s->answers.at,  s->thresholds.at, s->sorted.at,  s->items.at,
	                  s->places.at,       s->calls.at,    s->waiting.at,    s->called.at,  s->terms.at,
	                  s->expressions.at,  s->kept.at,     s->tops.at,       s->ways.at,    s->tries.at,
	                  s->tried.at,        s->sites.at,    s->key.at,        s->conts.at,   s->first.at,
	                  s->threshold_of.at, s->known_of.at, s->answer_of.at,  s->term_of.at, s->expression_of.at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(memory, blocks[i]);
	memory_free(memory, s);
}
