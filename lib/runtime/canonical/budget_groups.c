// Masks under budgets in hard mode: tokens that lead to one position.
//
// In:  a mask while it is made, tokens.  Out: the group of each: its lexer state, the number of its stack, whether it
//      is too dear.
// How: probe_cache.c finds those that lead to the same place. Cost: 60 ns a token; 2 microseconds a group.
#include "budget_mask.h"

static gcdc_status group_new(const struct gcdc_matcher *m, struct hard_masks *x)
{
	if (x->n_groups == x->groups_cap) {
		uint32_t cap = x->groups_cap ? x->groups_cap * 2 : 64;
		struct hard_group *at = memory_resize(&m->artifact->memory, x->group, cap, sizeof *at);
		if (!at) return GCDC_ERR_MEMORY;
		x->group = at, x->groups_cap = cap;
	}
	x->group[x->n_groups++] = (struct hard_group){.n = ARTIFACT_NONE};
	return GCDC_OK;
}

static gcdc_status is_too_dear(struct gcdc_matcher *m, const struct position *p, uint32_t most, bool *yes)
{
	uint32_t price = PRICE_NEVER;
	gcdc_status status = p->n ? position_price(m, p, &price) : GCDC_OK;
	*yes = hard_least(m->artifact, price) > most;
	return status;
}

// x->after is where its tokens lead.
static gcdc_status group_begin(struct gcdc_matcher *m, struct hard_masks *x, struct hard_group *g)
{
	struct hard_key key;
	position_drop_unstarted(m, &x->after);
	if (x->after.n && hard_key_of(m, &x->after, &key)) g->lex_state = key.lex_state, g->stack = key.stack;
	return is_too_dear(m, &x->after, x->most, &g->is_dead);
}

gcdc_status hard_group_of(struct gcdc_matcher *m, struct hard_masks *x, uint32_t token, struct hard_group **g)
{
	struct probe_cache_entry *entry;
	gcdc_status status = probe_cache_find(m, &x->probe_cache, token, &x->after, &entry);
	hard_work(m->cache->prices, WORK_FIND, 1);
	if (status) return status;
	if (entry->value == ALIKE_UNKNOWN) {
		entry->value = x->n_groups;
		status = group_new(m, x);
		hard_work(m->cache->prices, WORK_GROUP, 1);
		*g = &x->group[entry->value];
		return status ? status : group_begin(m, x, *g);
	}
	*g = &x->group[entry->value];
	return status;
}

gcdc_status hard_group_place(struct hard_making *k, uint32_t token, uint32_t *place)
{
	struct hard_group *g = NULL;
	*place = ARTIFACT_NONE;
	gcdc_status status = hard_group_of(k->m, k->x, token, &g);
	if (status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT) return GCDC_OK;
	if (!status && g) *place = REPLAY_BASES * k->m->artifact->info.n_lex_states + (uint32_t)(g - k->x->group);
	return status;
}

gcdc_status hard_enter_token(struct hard_making *k, uint32_t token, bool *goes)
{
	const struct gcdc_artifact *a = k->m->artifact;
	struct position *after = &k->x->after;
	uint32_t begin = a->token_offset[token];
	*goes = true;
	if (after->n) return GCDC_OK;
	gcdc_status status = position_copy(k->m, after, k->p);
	if (!status) status = position_step(k->m, after, a->token_bytes + begin, a->token_offset[token + 1] - begin);
	if (!status) position_drop_unstarted(k->m, after);
	*goes = !status && after->n;
	return status;
}

bool hard_step_class(struct hard_making *k, uint32_t token, uint32_t class, uint32_t how, struct canonical_place *after)
{
	struct hard_behind *b = &k->x->behind[class];
	if (b->is[how] == BEHIND_UNKNOWN) {
		b->after[how] = k->p->canonical;
		b->is[how] = canonical_step_as(k->m->artifact, &b->after[how], token, how) ? BEHIND_PLACE : BEHIND_NONE;
	}
	if (b->is[how] == BEHIND_NONE) return false;
	return *after = b->after[how], after->last = token, true;
}
