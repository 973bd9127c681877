// Do stacks compete here, or once the lexeme at hand ends? The lists of hard mode rest on that they do not.
//
// In:  a position.  Out: whether some group of it has several readings or stacks, or ghosts, or a stack of its readings has several
// ways to take the terminal that the lexeme may end as.
// What a stack that is alone allows surely may come. Beside others a lexeme may be theirs, and ghosts may forbid what sets allow.
// Behind a token's first byte the compiler has looked (lib/compile/pack_asks.c).
// Where they do, each token of the mask is asked for. Tokens that come to the same place of the grammar (matcher_alike.c) share the
// sets that are allowed there, which is the dear part; what these have nearly always leads on, else there is the search.
// Cost: nothing for grammars without choices; else some look-ups, and pushing the terminal where one of them has a choice. Where
// stacks compete half a microsecond a token, and the sets of each place.
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

// ---- Where they compete.
struct crowd {
	struct alike alike;
	struct position after;
	struct set_list sets;
	struct numbers lists;   // of each place: how many sets, and these; an entry's value is where that begins
};

void canonical_crowd_free(const gcdc_memory *memory, struct crowd *x)
{
	if (!x) return;
	alike_free(memory, &x->alike);
	set_list_release(memory, &x->sets);
	memory_free(memory, x->after.at);
	memory_free(memory, x->lists.at);
	memory_free(memory, x);
}

// The place behind a token that nobody has come to.
static gcdc_status list_place(struct gcdc_matcher *m, struct crowd *x, struct alike_entry *entry)
{
	const gcdc_memory *memory = &m->artifact->memory;
	x->after.left = GCDC_NONE;
	gcdc_status status = x->after.n ? position_sets(m, &x->after, &x->sets) : GCDC_REJECTED;
	uint32_t n = status ? 0 : x->sets.n;   // what stands in the way of looking is the search's to tell
	entry->value = x->lists.n;
	bool good = status != GCDC_ERR_MEMORY && numbers_push(memory, &x->lists, n);
	for (uint32_t i = 0; i < n && good; i++) good = numbers_push(memory, &x->lists, x->sets.at[i]);
	return good ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Do the sets behind the token lead on?
static gcdc_status sets_lead(struct gcdc_matcher *m, struct crowd *x, const struct canonical_place *after, uint32_t token, bool *found)
{
	struct alike_entry *entry;
	struct canonical_lead lead;
	gcdc_status status = alike_find(m, &x->alike, token, &x->after, &entry);
	if (!status && entry->value == ALIKE_UNKNOWN) status = list_place(m, x, entry);
	position_release(m, &x->after);
	if (!status) status = canonical_lead_begin(m, after, &lead);
	for (uint32_t i = 0; !status && i < x->lists.at[entry->value] && !*found; i++)
		status = canonical_leads_set(m, &lead, x->lists.at[entry->value + 1 + i], found);
	return status;
}

gcdc_status canonical_prune_crowd(struct gcdc_matcher *m, const struct position *p, uint32_t *mask)
{
	const struct gcdc_artifact *a = m->artifact;
	struct crowd *x = m->cache->crowd;
	if (!x) {
		x = m->cache->crowd = memory_resize(&a->memory, NULL, 1, sizeof *x);
		if (!x) return GCDC_ERR_MEMORY;
		*x = (struct crowd){0};
	}
	x->lists.n = 0;
	gcdc_status status = alike_begin(m, &x->alike, p);
	for (uint32_t w = 0; w < a->info.mask_words && !status; w++)
		for (uint32_t bits = mask[w]; bits && !status; bits &= bits - 1) {
			uint32_t token = w * 32 + (uint32_t)__builtin_ctz(bits);
			struct canonical_place after = p->canonical;
			bool found = false;
			if (artifact_is_eos(a, token)) continue;
			bool is_whole = canonical_step(a, &after, token) && !after.n_begun;
			if (is_whole) status = sets_lead(m, x, &after, token, &found);
			if (!status && !found) status = canonical_decide(m, p, token, &found);
			if (!status && !found) mask[w] &= ~(bits & -bits);
		}
	alike_end(m, &x->alike);
	return status;
}
