// Masks under a budget: what a mask leaves of its tokens when so many more may come.
//
// In:  a position with tokens left, its sets.  Out: the sets and tokens after which the text can still be finished.
// A token is allowed when the least that it takes to finish the text after it (price.c), it itself and EOS do not
// exceed what is left. Since each position has a token that makes it one cheaper, no mask is ever empty once the budget
// could be met. Masks are read from the artifact's steps (step_stored.c), from steps that are made here
// (step_read.c), or by groups of tokens that cost the same (group_mask.c). Where these say nothing, tokens are tried
// one by one. Cost: a look-up a group; a push and some prices for each terminal that a token can hold; far from the
// end of a budget the sum of two numbers.
#include "pricing.h"

// Do the tables tell all of it?
static bool is_tabulated(const struct gcdc_matcher *m, const struct position *p, uint32_t enough)
{
	const struct gcdc_artifact *a = m->artifact;
	if (a->info.end_newline && !enough && !(a->cost_info->flags & COST_SUPPLIED))
		return false;  // they know of newlines that are typed only
	return LIKELY(!a->info.n_lines) || !price_is_low(m, p);
}

// Are there columns for which no bound holds?
static bool is_deep(const struct gcdc_matcher *m, const struct position *p)
{
	const struct gcdc_artifact *a = m->artifact;
	for (uint32_t i = 0; i < p->n; i++) {
		if (!p->at[i].columns) continue;
		if (column_of(m->pool, p->at[i].columns) >= a->cost_info->deep) return true;
		if (a->lex_states[lex_base(a, p->at[i].lex_state)].flags & LEX_LINE && p->column >= a->cost_info->deep)
			return true;
	}
	return false;
}

// Has each token of the plain mask a price?
static bool is_all_priced(const struct gcdc_matcher *m, const struct position *p)
{
	const struct gcdc_artifact *a = m->artifact;
	return a->cost_info->flags & COST_TOTAL && !(UNLIKELY(a->info.n_lines) && is_deep(m, p));
}

// What fits by steps, as parts of the list; no parts where all of the plain mask does.
static gcdc_status take_steps(struct gcdc_matcher *m, const struct position *p, uint32_t enough, struct set_list *list,
                              bool *whole)
{
	struct step_table *x = m->pool->step_table;
	bool *all = &m->pricing->all_fit;
	const struct step_result to = {&m->pricing->tries, all};
	gcdc_status status = step_table_trim(x);
	list->unions_of = &x->unions, list->step_table = x, list->era = x->era;
	x->tried.n = x->fitted.n = 0;
	for (uint32_t i = 0; i < p->n && !status && *whole; i++)
		status = step_table_read(m, &p->at[i], p->column, enough, to, whole);
	return status || !*whole || *all ? status : step_table_unite(x, &list->unions);
}

static uint32_t dedents_bound(const struct gcdc_matcher *m, uint32_t columns)
{
	uint32_t each = m->artifact->cost_info->dedent, n = frame_depth(m->pool, columns);
	return each == COST_NEVER || (each && n > COST_MAX_WEIGHT) ? PRICE_NEVER : each * n;
}

// Is the budget so far away that no token can break it? A token makes the bound of a stack greater by at most as much
// as the artifact says, and itself takes one from what is left: so it is known for how many tokens this will stay so,
// and nobody looks until then.
static gcdc_status is_far(struct gcdc_matcher *m, struct position *p, uint32_t enough, bool *far)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t all = 0, step = m->pool->most;
	*far = false;
	p->near = GCDC_NONE;
	if (m->budget_by == BUDGET_BY_GROUPS || !is_all_priced(m, p)) return GCDC_OK;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t bound, more = a->cost_most[lex_base(a, p->at[i].lex_state)];
		if (more > enough) return GCDC_OK;
		gcdc_status status = price_bound(m, p->at[i].frame, &bound);
		if (UNLIKELY(a->info.n_lines)) bound = price_sum(bound, dedents_bound(m, p->at[i].columns));
		if (status || bound > enough - more) return status;
		if (bound > all) all = bound;
	}
	*far = true;
	uint32_t tokens = step == PRICE_NEVER || enough - all < step
	                      ? 0
	                      : (enough - all - step) / (step + 1);  // each takes one, and adds a step
	p->near = p->left - tokens;
	return GCDC_OK;
}

bool budget_is_near(const struct gcdc_matcher *m, const struct position *p)
{
	return p->left < p->near || (m->artifact->info.n_lines && is_deep(m, p));
}

// Do `enough` tokens end the text after this one? Told once for all that come to the same place.
static gcdc_status fits_alike(struct gcdc_matcher *m, uint32_t token, uint32_t enough, bool *fits)
{
	struct position *after = &m->pricing->after;
	struct probe_cache_entry *entry;
	gcdc_status status = probe_cache_find(m, &m->pricing->probe_cache, token, after, &entry);
	if (!status && entry->value == ALIKE_UNKNOWN) {
		uint32_t price;
		position_drop_unstarted(m, after);
		status = position_price(m, after, &price);
		entry->value = price <= enough;
	}
	position_release(m, after);
	*fits = !status && entry->value == 1;
	return status;
}

// The tokens to try that fit, into kept.
static gcdc_status probe_tokens(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                                uint32_t enough, struct vec32 *kept)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = probe_cache_begin(m, &m->pricing->probe_cache, p);
	links_bound(m);
	for (struct each e = each_of(list); !status && each_next(a, &e);) {
		bool fits = false;
		if (artifact_is_eos(a, e.token)) continue;
		m->n_tried++;
		status = fits_alike(m, e.token, enough, &fits);
		if (!status && fits && !vec32_push(&a->memory, kept, e.token)) status = GCDC_ERR_MEMORY;
	}
	probe_cache_end(m, &m->pricing->probe_cache);
	links_unbound(m);
	return status;
}

// list keeps the sets that fit.
static gcdc_status keep_sets(struct gcdc_matcher *m, struct set_list *list)
{
	const struct vec32 *sets = &m->pricing->sets;
	gcdc_status status = GCDC_OK;
	list->n = 0;
	for (uint32_t i = 0; i < sets->n && !status; i++)
		if (!set_list_push(m, list, sets->at[i])) status = GCDC_ERR_MEMORY;
	return status;
}

// list becomes what the artifact's steps tell.
static gcdc_status restrict_by_stored(struct gcdc_matcher *m, const struct position *p, struct set_list *list,
                                      uint32_t enough, bool *unchanged)
{
	gcdc_status status = GCDC_OK;
	m->pricing->sets.n = 0;
	*unchanged = m->artifact->cost_info->flags & COST_TOTAL;
	for (uint32_t i = 0; i < p->n && !status; i++)
		status = step_stored_read(m, &p->at[i], enough, &m->pricing->sets, unchanged);
	if (status || *unchanged) return status;
	list->extra.n = 0;
	return keep_sets(m, list);
}

// The same with the parts of pricing's list.
static void keep_unions(struct gcdc_matcher *m, struct set_list *list)
{
	struct set_list *from = &m->pricing->list;
	struct vec32 t = list->unions;
	list->unions = from->unions, from->unions = t;
	list->unions_of = from->unions_of, list->step_table = from->step_table, list->era = from->era;
	list->n = 0;
}

// list keeps the sets and tokens that fit.
// Branches: three ways to find what fits (stored steps, steps made here, groups), and what none decides is tried token
// by token.
static gcdc_status restrict_list(struct gcdc_matcher *m, struct position *p, struct set_list *list, uint32_t enough,
                                 bool *unchanged)
{
	struct pricing *x = m->pricing;
	struct vec32 *kept = &x->list.extra, *unions = &x->list.unions;
	bool whole, by_groups = m->budget_by == BUDGET_BY_GROUPS;
	if (m->artifact->step_info && m->budget_by == BUDGET_BY_STEPS)
		return restrict_by_stored(m, p, list, enough, unchanged);
	kept->n = unions->n = 0;
	x->sets.n = x->tries.n = x->todo.n = 0;
	x->all_fit = by_groups || is_all_priced(m, p);
	pair_map_clear(&x->seen);
	whole = is_tabulated(m, p, enough);
	gcdc_status status = by_groups ? group_mask(m, p, enough, &whole) : take_steps(m, p, enough, &x->list, &whole);
	if (status) return status;
	const struct vec32 *tried = &m->pool->step_table->tried;
	if (whole && x->all_fit && !x->tries.n) {  // the plain mask, but for EOS
		*unchanged = true;
		return GCDC_OK;
	}
	if (whole && !by_groups && !x->tries.n && !tried->n) {
		keep_unions(m, list);
		list->extra.n = 0;
		return GCDC_OK;
	}
	status = list_collect(m, p, list);
	if (status) return status;
	if (!whole) {
		status = probe_tokens(m, p, list, enough, kept);
		list->n = 0;
	} else {
		// What is to be tried must be allowed at all.
		struct vec32 *allowed = &x->allowed;
		allowed->n = 0;
		struct set_list open = {.at = x->tries.at, .n = x->tries.n};
		for (struct each e = each_of(&open); each_next(m->artifact, &e) && !status;)
			if (sets_have(m->artifact, list, e.token) && !vec32_push(&m->artifact->memory, allowed, e.token))
				status = GCDC_ERR_MEMORY;
		for (uint32_t i = 0; i < tried->n && !status && !by_groups; i++)
			if (sets_have(m->artifact, list, tried->at[i]) && !vec32_push(&m->artifact->memory, allowed, tried->at[i]))
				status = GCDC_ERR_MEMORY;
		vec32_sort(allowed);
		if (!status) status = probe_tokens(m, p, &(struct set_list){.extra = *allowed}, enough, kept);
		if (!status && by_groups)
			status = keep_sets(m, list);
		else if (!status)
			keep_unions(m, list);
	}
	vec32_sort(kept);
	struct vec32 t = list->extra;
	list->extra = *kept, *kept = t;
	return status;
}

// Does the plain mask hold EOS?
static gcdc_status may_end_here(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                                bool *may_end)
{
	if (list->is_lazy) return position_ends(m, p, may_end);
	*may_end = sets_may_end(m->artifact, list);
	return GCDC_OK;
}

// Branches: EOS is kept or dropped apart from all other tokens, and a budget far away ends early.
gcdc_status budget_restrict(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t eos = m->budget_counts_eos;
	bool far = false, unchanged = false;
	gcdc_status status = pricing_open(m);
	if (!status && p->left > eos) status = is_far(m, p, p->left - eos - 1, &far);
	if (status) return status;
	if (far) return list_collect(m, p, list);
	bool may_end = false;
	if (p->left >= eos) status = may_end_here(m, p, list, &may_end);
	if (status) return status;
	if (p->left > eos) {
		status = restrict_list(m, p, list, p->left - eos - 1, &unchanged);
		if (status) return status;
		if (unchanged) return list_collect(m, p, list);
	} else {
		list->n = list->extra.n = 0;
	}
	for (uint32_t i = 0; may_end && i < a->info.n_eos && !status; i++)
		if (!vec32_push(&a->memory, &list->extra, a->eos[i])) status = GCDC_ERR_MEMORY;
	vec32_sort(&list->extra);
	if (status) return status;
	if (list->n || list->extra.n || list->unions.n) return GCDC_OK;
	return GCDC_REJECTED;
}

void budget_by(struct gcdc_matcher *m, enum budget_by how)
{
	m->budget_by = (uint8_t)how;
	m->now->near = GCDC_NONE;
	m->sets.valid = false;
}

bool step_table_is_of(const struct step_table *x, uint32_t era) { return x->era == era; }
