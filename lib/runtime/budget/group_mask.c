// Masks under a budget by groups of tokens that cost the same.
//
// In:  a position, how many tokens may come. Out: sets of tokens that fit, and sets whose tokens are to be tried.
// A group (lib/tables/costs_groups.c) is priced once on each stack where its tokens end; a lexeme that ends inside of
// them is pushed, and its outcomes are gone on with there. Pushes are kept with their prices (price.c).
// Cost: a look-up a group, a push for each terminal that a token can hold; at most max_stacks places.
#include "pricing.h"

// Places to go on from: a stack, an outcome. Frames have a reference each.
struct outcome_place {
	uint32_t frame, outcome, depth;
};

static gcdc_status add_set(struct gcdc_matcher *m, struct vec32 *list, uint32_t set)
{
	bool is_new;
	if (!pair_map_add(&m->artifact->memory, &m->pricing->seen, list == &m->pricing->tries, set, &is_new))
		return GCDC_ERR_MEMORY;
	return !is_new || vec32_push(&m->artifact->memory, list, set) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Takes over the frame. *open: the tables do not tell what follows.
static gcdc_status add_place(struct gcdc_matcher *m, uint32_t frame, uint32_t remainder, uint32_t depth, bool *open)
{
	const struct gcdc_artifact *a = m->artifact;
	struct vec32 *todo = &m->pricing->todo;
	uint32_t context = a->lr_states[m->pool->at[frame].lr_state].context;
	uint32_t q = a->lex_start[(uint64_t)a->cost_obligations[remainder] * a->info.n_contexts + context];
	const struct artifact_cost_way *way = q ? price_way(a, q, remainder) : NULL;
	gcdc_status status = depth > a->info.max_token_len ? GCDC_ERR_INTERNAL : GCDC_OK;
	bool ok = !status && way && vec32_push(&a->memory, todo, frame) && vec32_push(&a->memory, todo, way->outcome) &&
	          vec32_push(&a->memory, todo, depth);
	if (ok) return GCDC_OK;
	*open |= q && !way;
	if (way && !status) status = GCDC_ERR_MEMORY, todo->n -= todo->n % 3;
	frame_unref(m->pool, frame);
	return status;
}

// The lexeme ends so on this stack: the places after it. *open: the tables do not tell.
static gcdc_status take_cut(struct gcdc_matcher *m, uint32_t frame, const struct artifact_cost_cut *cut, uint32_t depth,
                            bool *open)
{
	const struct gcdc_artifact *a = m->artifact;
	bool is_ignored = a->terminals[cut->terminal].flags & TERMINAL_IGNORED;
	uint32_t action = is_ignored ? ACTION_SKIP : artifact_action(a, m->pool->at[frame].lr_state, cut->terminal);
	if (!action) return GCDC_OK;
	if (action == ACTION_SKIP) {
		frame_ref(m->pool, frame);
		return add_place(m, frame, cut->remainder, depth, open);
	}
	if (cut->set) return add_set(m, &m->pricing->tries, cut->set);
	uint32_t top;
	enum push pushed = price_push(m, frame, cut->terminal, &top);
	if (!pushed) return add_place(m, top, cut->remainder, depth, open);
	if (pushed != PUSH_FORKS) return push_status(pushed);
	const uint32_t *tops;
	uint32_t n_tops;
	gcdc_status status = graph_push(m, &frame, 1, cut->terminal, &tops, &n_tops);
	for (uint32_t i = 0; i < n_tops; i++) {
		if (!status)
			status = add_place(m, tops[i], cut->remainder, depth, open);
		else
			frame_unref(m->pool, tops[i]);
	}
	return status;
}

static gcdc_status take_outcome(struct gcdc_matcher *m, struct outcome_place x, uint32_t enough, bool *open)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_cost_outcome *o = &a->cost_outcomes[x.outcome];
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < o->n_stays && !status; i++) {
		const struct artifact_cost_stay *stay = &a->cost_stays[o->first_stay + i];
		if (stay->row == ARTIFACT_NONE) {
			status = add_set(m, &m->pricing->tries, stay->set);
			continue;
		}
		uint32_t price = PRICE_NEVER;
		status = price_group_of(m, x.frame, stay->row, enough, &price);
		m->pricing->all_fit &= price <= enough;
		if (!status && price <= enough) status = add_set(m, &m->pricing->sets, stay->set);
	}
	for (uint32_t i = 0; i < o->n_cuts && !status && !*open; i++)
		status = take_cut(m, x.frame, &a->cost_cuts[o->first_cut + i], x.depth + 1, open);
	return status;
}

gcdc_status group_mask(struct gcdc_matcher *m, const struct position *p, uint32_t enough, bool *whole)
{
	const struct gcdc_artifact *a = m->artifact;
	struct pricing *x = m->pricing;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p->n && !status && *whole; i++) {
		const struct artifact_cost_way *way = price_way(a, lex_base(a, p->at[i].lex_state), 0);
		if (!way) continue;
		frame_ref(m->pool, p->at[i].frame);
		bool ok = vec32_push(&a->memory, &x->todo, p->at[i].frame) && vec32_push(&a->memory, &x->todo, way->outcome) &&
		          vec32_push(&a->memory, &x->todo, 0);
		if (!ok) status = GCDC_ERR_MEMORY;
	}
	for (uint32_t visits = 0; x->todo.n;) {
		if (++visits > m->max_stacks && !status) status = GCDC_ERR_STACKS;
		x->todo.n -= 3;
		struct outcome_place here = {x->todo.at[x->todo.n], x->todo.at[x->todo.n + 1], x->todo.at[x->todo.n + 2]};
		bool open = false;
		if (!status && *whole) status = take_outcome(m, here, enough, &open);
		*whole &= !open;
		frame_unref(m->pool, here.frame);
	}
	return status;
}
