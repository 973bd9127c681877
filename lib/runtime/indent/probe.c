// Open sets: tokens of which columns decide are probed, one by one.
//
// In:  a position, sets of tokens of which the tables do not tell whether it allows them.  Out: those that it does.
// The tables do not know the columns that are open. So a token with a whole newline in it and more behind is stepped
// over, and the position behind it must allow something: the tables tell, since behind a newline any column can still
// be spelled (the compiler refuses newlines of which that is not so). The end of a text that lacks its last newline is
// asked directly. Tokens that come to the same place are judged once (probe_cache.c). Cost: a token costs about as
// much as accepting it and collecting the sets of a mask.
#include "../core/matcher_step.h"

struct prober {
	struct probe_cache probe_cache;
	struct position after;
	struct set_list sets;
	struct vec32 tokens;
};

void prober_free(const gcdc_memory *memory, struct prober *x)
{
	if (!x) return;
	probe_cache_free(memory, &x->probe_cache);
	set_list_release(memory, &x->sets);
	memory_free(memory, x->after.at);
	memory_free(memory, x->tokens.at);
	memory_free(memory, x);
}

static bool is_sure(const struct gcdc_artifact *a, const struct set_list *list, uint32_t token)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (artifact_set_has(a, &a->sets[list->at[i]], token)) return true;
	return false;
}

// The tokens of the sets that are not sure already: ascending, EOS left out. *eos: it is among them.
static gcdc_status list_tokens(const struct gcdc_artifact *a, const struct set_list *list, struct vec32 *tokens,
                               bool *eos)
{
	*eos = false;
	tokens->n = 0;
	for (uint32_t i = 0; i < list->open.n; i++) {
		const struct artifact_set *s = &a->sets[list->open.at[i]];
		*eos |= s->flags & SET_EOS;
		if (s->flags & SET_EOS && s->count == a->info.n_eos) continue;
		for (struct set_words w = set_words(a, s); set_words_next(a, &w);)
			for (uint32_t bits = w.bits; bits; bits &= bits - 1)
				if (!vec32_push(&a->memory, tokens, w.word * 32 + (uint32_t)__builtin_ctz(bits)))
					return GCDC_ERR_MEMORY;
	}
	if (list->open.n > 1) vec32_sort(tokens);
	uint32_t n = 0;
	for (uint32_t i = 0; i < tokens->n; i++)
		if (!artifact_is_eos(a, tokens->at[i]) && !is_sure(a, list, tokens->at[i])) tokens->at[n++] = tokens->at[i];
	tokens->n = n;
	*eos &= !sets_may_end(a, list);
	return GCDC_OK;
}

static gcdc_status probe_token(struct gcdc_matcher *m, struct prober *x, uint32_t token, bool *allowed)
{
	const struct gcdc_artifact *a = m->artifact;
	struct probe_cache_entry *entry;
	*allowed = false;
	if (a->token_offset[token] == a->token_offset[token + 1]) return GCDC_OK;
	gcdc_status status = probe_cache_find(m, &x->probe_cache, token, &x->after, &entry);
	if (!status && entry->value == ALIKE_UNKNOWN) {
		status = collect_sets(m, &x->after, &x->sets);
		entry->value = x->after.n != 0;
	}
	*allowed = !status && entry->value == 1;
	position_release(m, &x->after);
	return status;
}

// Branches: EOS and tokens are probed apart, and an error ends either without leaving the cache open.
gcdc_status probe_open(struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	if (!m->prober) {
		m->prober = memory_resize(&a->memory, NULL, 1, sizeof *m->prober);
		if (!m->prober) return GCDC_ERR_MEMORY;
		*m->prober = (struct prober){0};
	}
	struct prober *x = m->prober;
	bool eos, allowed;
	gcdc_status status = list_tokens(a, list, &x->tokens, &eos);
	if (!status && eos) status = position_ends(m, p, &eos);
	list->ends = eos && !status;
	for (uint32_t i = 0; i < a->info.n_eos && eos && !status; i++)
		if (!vec32_push(&a->memory, &list->extra, a->eos[i])) status = GCDC_ERR_MEMORY;
	if (!x->tokens.n || status) return status;
	status = probe_cache_begin(m, &x->probe_cache, p);
	for (uint32_t i = 0; i < x->tokens.n && !status; i++) {
		status = probe_token(m, x, x->tokens.at[i], &allowed);
		if (!status && allowed && !vec32_push(&a->memory, &list->extra, x->tokens.at[i])) status = GCDC_ERR_MEMORY;
	}
	probe_cache_end(m, &x->probe_cache);
	vec32_sort(&list->extra);
	return status;
}
