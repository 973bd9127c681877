// Do stacks compete here, or once the lexeme at hand ends? The lists of hard mode rest on that they do not.
//
// In:  a position.  Out: whether some group of it has several readings or stacks, or ghosts, or a stack of its readings has several
// ways to take the terminal that the lexeme may end as.
// What a stack that is alone allows surely may come. Beside others a lexeme may be theirs, and ghosts may forbid what sets allow.
// Behind a token's first byte the compiler has looked (lib/compile/pack_asks.c).
// Cost: nothing for grammars without choices; else some look-ups, and pushing the terminal where one of them has a choice.
#include "matcher_step.h"

// Terminals that some stack has several ways to take: a bit each. NULL: no memory.
static const uint32_t *forks_of(struct gcdc_matcher *m)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t n = a->info.n_terminals, *row = m->cache->forks;
	if (LIKELY(row != NULL)) return row;
	row = m->cache->forks = memory_resize(&a->memory, NULL, n / 32 + 1, sizeof *row);
	if (!row) return NULL;
	memset(row, 0, (n / 32 + 1) * sizeof *row);
	for (uint32_t s = 1; s < a->info.n_lr_states; s++)
		for (uint32_t t = 0; t < n; t++)
			if (ACTION_IS_CHOICE(artifact_action(a, s, t))) row[t / 32] |= 1u << t % 32;
	return row;
}

static bool has(const uint32_t *row, uint32_t t) { return row[t / 32] >> t % 32 & 1; }

static bool push_forks(struct gcdc_matcher *m, uint32_t frame, uint32_t t)
{
	struct local_stack s = {.base = frame};
	gcdc_status status = push_one(m, &s, t);
	local_release(m->pool, &s);
	return status != GCDC_OK && status != PUSH_NONE;
}

gcdc_status canonical_competes(struct gcdc_matcher *m, const struct position *p, bool *competes)
{
	const struct gcdc_artifact *a = m->artifact;
	*competes = false;
	if (LIKELY(!a->info.n_choice)) {
		for (uint32_t i = 0; i < p->n; i++) *competes |= !p->at[i].frame;
		return GCDC_OK;
	}
	const uint32_t *forks = forks_of(m);
	if (!forks) return GCDC_ERR_MEMORY;
	for (uint32_t i = 0; i < p->n && !*competes; i++) {
		uint32_t frame = p->at[i].frame;
		*competes = group_end(p, i) != i + 1 || !frame || m->pool->at[frame].depth & FRAME_BRANCHED;
		for (uint32_t way = p->at[i].lex_state; way && !*competes; way = a->lex_states[way].also) {
			const struct artifact_lex_state *lex = &a->lex_states[way];
			if (lex->terminal == ARTIFACT_NONE) continue;
			*competes = has(forks, lex->terminal) && push_forks(m, frame, lex->terminal);
			if (takes_line(m, lex, frame)) *competes |= has(forks, a->info.newline) || has(forks, a->info.indent) || has(forks, a->info.dedent);
		}
	}
	return GCDC_OK;
}
