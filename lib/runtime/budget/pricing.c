// What masks under a budget are made in: memory that a matcher keeps, and a walk over the tokens of a list of sets.
#include "pricing.h"

void pricing_free(const gcdc_memory *memory, struct pricing *x)
{
	if (!x) return;
	memory_free(memory, x->after.at);
	set_list_release(memory, &x->list);
	set_list_release(memory, &x->within);
	memory_free(memory, x->row);
	memory_free(memory, x->sets.at);
	memory_free(memory, x->tries.at);
	memory_free(memory, x->allowed.at);
	memory_free(memory, x->todo.at);
	memory_free(memory, x->seen.at);
	probe_cache_free(memory, &x->probe_cache);
	memory_free(memory, x);
}

gcdc_status pricing_open(struct gcdc_matcher *m)
{
	gcdc_status status = prices_open(m);
	if (status || m->pricing) return status;
	m->pricing = memory_resize(&m->artifact->memory, NULL, 1, sizeof *m->pricing);
	if (!m->pricing) return GCDC_ERR_MEMORY;
	*m->pricing = (struct pricing){0};
	return GCDC_OK;
}

struct each each_of(const struct set_list *list) { return (struct each){.list = list}; }

static bool next_listed(const struct gcdc_artifact *a, struct each *e)
{
	for (;;) {
		if (e->is_open && e->words.bits) {
			e->token = e->words.word * 32 + (uint32_t)__builtin_ctz(e->words.bits);
			e->words.bits &= e->words.bits - 1;
			return true;
		}
		if (e->is_open && set_words_next(a, &e->words)) continue;
		e->is_open = e->set < e->list->n;
		if (e->is_open) {
			e->words = set_words(a, &a->sets[e->list->at[e->set++]]);
			continue;
		}
		if (e->extra == e->list->extra.n) return false;
		e->token = e->list->extra.at[e->extra++];
		return true;
	}
}

bool each_next(const struct gcdc_artifact *a, struct each *e)
{
	const struct artifact_set *left_out = &a->sets[e->list->left_out];
	bool any = next_listed(a, e);
	while (any && left_out->count && artifact_set_has(a, left_out, e->token)) any = next_listed(a, e);
	return any;
}
