// Budgets: what a mask leaves of its tokens when so many more may come; the shortest way to the end.
//
// In:  a position with tokens left, its sets.  Out: the sets and tokens after which the text can still be finished.
// A token is allowed when the least that it takes to finish the text after it (price.c), it itself and EOS do not
// exceed what is left. Since each position has a token that makes it one cheaper, no mask is ever empty once the budget
// could be met. Masks are made of groups of tokens that cost the same (lib/tables/costs_groups.c): each is priced once
// on each stack where it ends, and pushes are kept with their prices (price.c). Where that says nothing, tokens are
// tried one by one. Cost: a look-up a group; a push and some prices for each terminal that a token can hold; far from
// the end of a budget the sum of two numbers.
#include "price.h"
#include "step_table.h"

struct pricing {
	struct position after;
	struct set_list list;
	struct vec32 sets, tries;  // groups that fit, and those whose tokens are to be tried
	struct pair_map seen;      // what is in these two
	bool all_fit;              // no group was left out, and none is to be tried
	struct vec32 allowed;
	struct probe_cache probe_cache;  // tokens that are tried
	struct vec32 todo;               // struct outcome_place, three numbers each
	struct set_list within;          // of a closing: what leaves enough, and as a mask
	uint32_t *row;
};

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

static gcdc_status pricing_open(struct gcdc_matcher *m)
{
	gcdc_status status = prices_open(m);
	if (status || m->pricing) return status;
	m->pricing = memory_resize(&m->artifact->memory, NULL, 1, sizeof *m->pricing);
	if (!m->pricing) return GCDC_ERR_MEMORY;
	*m->pricing = (struct pricing){0};
	return GCDC_OK;
}

#define SETS_AT_ONCE 64u  // of a mask by stored steps; more is rare

// So that masks by stored steps ask for no memory. What they stand in has no mask now.
static gcdc_status reserve_sets(struct gcdc_matcher *m)
{
	const gcdc_memory *memory = &m->artifact->memory;
	bool ok = true;
	if (!m->artifact->step_info || !m->pricing) return GCDC_OK;  // no pricing: the text has ended
	while (m->pricing->sets.cap < SETS_AT_ONCE && ok) ok = vec32_grow(memory, &m->pricing->sets);
	for (m->sets.n = 0; m->sets.cap < SETS_AT_ONCE && ok;) ok = set_list_push(m, &m->sets, 0);
	if (!m->sets.extra.cap && ok) ok = vec32_grow(memory, &m->sets.extra);
	m->sets.n = 0;
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// What is needed after a token of p's plain mask.
static gcdc_status price_after(struct gcdc_matcher *m, const struct position *p, uint32_t token, uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	struct position *after = &m->pricing->after;
	*price = 0;
	if (artifact_is_eos(a, token)) return GCDC_OK;
	gcdc_status status = position_copy(m, after, p);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	if (status) return status;
	position_drop_unstarted(m, after);
	status = position_price(m, after, price);
	position_release(m, after);
	return status;
}

// Every token of a list, one after the other: for (struct each e = each_of(list); each_next(a, &e);) e.token
struct each {
	const struct set_list *list;
	uint32_t set, extra, token;
	struct set_words words;
	bool is_open;
};
static struct each each_of(const struct set_list *list) { return (struct each){.list = list}; }
static bool each_next(const struct gcdc_artifact *a, struct each *e)
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

// ---- Masks by groups of tokens that cost the same.
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

// Do the tables tell all of it?
static bool is_tabulated(const struct gcdc_matcher *m, const struct position *p, uint32_t enough)
{
	const struct gcdc_artifact *a = m->artifact;
	if (a->info.end_newline && !enough && !(a->cost_info->flags & COST_SUPPLIED))
		return false;  // they know of newlines that are typed only
	return LIKELY(!a->info.n_lines) || !price_is_low(m, p);
}

// The groups after which `enough` tokens end the text, as sets. *whole: false where the tables do not tell.
static gcdc_status take_groups(struct gcdc_matcher *m, const struct position *p, uint32_t enough, bool *whole)
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

// The same by programs, as parts of the list.
static gcdc_status take_steps(struct gcdc_matcher *m, const struct position *p, uint32_t enough, struct set_list *list,
                              bool *whole)
{
	struct step_table *x = m->pool->step_table;
	const struct step_result to = {&list->unions, &m->pricing->tries};
	gcdc_status status = step_table_trim(x);
	list->unions_of = &x->unions, list->step_table = x, list->era = x->era;
	x->tried.n = 0;
	for (uint32_t i = 0; i < p->n && !status && *whole; i++)
		status = step_table_read(m, &p->at[i], p->column, enough, to, whole);
	if (!status && *whole) return step_table_join(m->artifact, x, &list->unions);
	list->unions.n = 0;
	return status;
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
	if (!(a->cost_info->flags & COST_TOTAL) || m->budget_by == BUDGET_BY_GROUPS) return GCDC_OK;
	if (UNLIKELY(a->info.n_lines) && is_deep(m, p)) return GCDC_OK;
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
	for (struct each e = each_of(list); !status && each_next(a, &e);) {
		bool fits = false;
		if (artifact_is_eos(a, e.token)) continue;
		m->n_tried++;
		status = fits_alike(m, e.token, enough, &fits);
		if (!status && fits && !vec32_push(&a->memory, kept, e.token)) status = GCDC_ERR_MEMORY;
	}
	probe_cache_end(m, &m->pricing->probe_cache);
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
static gcdc_status restrict_list(struct gcdc_matcher *m, const struct position *p, struct set_list *list,
                                 uint32_t enough, bool *unchanged)
{
	struct pricing *x = m->pricing;
	struct vec32 *kept = &x->list.extra, *unions = &x->list.unions;
	bool whole, by_groups = m->budget_by == BUDGET_BY_GROUPS;
	if (m->artifact->step_info && m->budget_by == BUDGET_BY_STEPS)
		return restrict_by_stored(m, p, list, enough, unchanged);
	kept->n = unions->n = 0;
	x->sets.n = x->tries.n = x->todo.n = 0;
	x->all_fit = by_groups;
	pair_map_clear(&x->seen);
	whole = is_tabulated(m, p, enough);
	gcdc_status status = by_groups ? take_groups(m, p, enough, &whole) : take_steps(m, p, enough, &x->list, &whole);
	if (status) return status;
	const struct vec32 *tried = &m->pool->step_table->tried;
	if (whole && x->all_fit && !x->tries.n) {  // the plain mask, but for EOS
		*unchanged = true;
		return GCDC_OK;
	}
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

// Branches: EOS is kept or dropped apart from all other tokens, and a budget far away ends early.
gcdc_status budget_restrict(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t eos = m->budget_counts_eos;
	bool far = false, unchanged = false;
	gcdc_status status = pricing_open(m);
	if (!status && p->left > eos) status = is_far(m, p, p->left - eos - 1, &far);
	if (status || far) return status;
	bool may_end = p->left >= eos && sets_may_end(a, list);
	if (p->left > eos) {
		status = restrict_list(m, p, list, p->left - eos - 1, &unchanged);
		if (unchanged || status) return status;
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

// ---- The calls.
gcdc_cost_model gcdc_artifact_costs(const gcdc_artifact *a)
{
	return a && a->cost_info ? (gcdc_cost_model)a->cost_info->model : GCDC_COSTS_NONE;
}

uint32_t gcdc_matcher_budget(const gcdc_matcher *m) { return m ? m->now->left : GCDC_NONE; }

gcdc_status gcdc_matcher_min_tokens(gcdc_matcher *m, bool count_eos, uint32_t *n)
{
	if (n) *n = GCDC_NONE;
	if (!m || !n) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) {
		*n = 0;
		return GCDC_OK;
	}
	gcdc_status status = pricing_open(m);
	uint32_t price = PRICE_NEVER;
	if (!status)
		status = is_hard(m) ? m->artifact->parts->canonical->least_completion(m, m->now, &price)
		                    : position_price(m, m->now, &price);
	if (status) return status;
	if (price == PRICE_NEVER) return is_hard(m) ? m->artifact->parts->canonical->no_completion(m) : GCDC_ERR_BUDGET;
	*n = price + count_eos;
	return GCDC_OK;
}

gcdc_status gcdc_matcher_set_budget(gcdc_matcher *m, uint32_t tokens, bool count_eos, uint32_t *least)
{
	uint32_t n;
	if (least) *least = GCDC_NONE;
	if (!m) return GCDC_ERR_ARGUMENT;
	if (tokens != GCDC_NONE) {
		gcdc_status status = gcdc_matcher_min_tokens(m, count_eos, &n);
		if (status) return status;
		if (least) *least = n;
		if (tokens < n) return GCDC_ERR_BUDGET;
	}
	if (is_hard(m)) {
		gcdc_status status =
			m->artifact->parts->canonical->take_completion(m, m->now, tokens != GCDC_NONE && !m->now->terminated);
		if (status) return status;
	}
	m->now->left = tokens;
	m->now->near = GCDC_NONE;
	m->budget_counts_eos = count_eos;
	m->sets.valid = false;
	return tokens == GCDC_NONE ? GCDC_OK : reserve_sets(m);
}

gcdc_status gcdc_matcher_min_after(gcdc_matcher *m, uint32_t token, uint32_t *n)
{
	if (n) *n = GCDC_NONE;
	if (!m || !n) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	token = token_of(m, token);
	uint32_t left = m->now->left;
	m->now->left = GCDC_NONE;
	gcdc_status status = pricing_open(m);
	if (!status) status = position_sets(m, m->now, &m->probe);
	m->now->left = left;
	if (status) return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	if (!sets_have(m->artifact, &m->probe, token)) return GCDC_REJECTED;
	if (is_hard(m) && !m->artifact->parts->canonical->is_next(m, token)) return GCDC_REJECTED;
	status =
		is_hard(m) ? m->artifact->parts->canonical->min_after(m, m->now, token, n) : price_after(m, m->now, token, n);
	return status ? status : *n == PRICE_NEVER ? GCDC_ERR_BUDGET : GCDC_OK;
}

// The mask of the tokens after which `less` are enough, as groups tell it; empty where none is. p has no budget.
static gcdc_status mask_within(struct gcdc_matcher *m, struct position *p, uint32_t less, const uint32_t **mask)
{
	struct pricing *x = m->pricing;
	const uint32_t words = m->artifact->info.mask_words;
	if (!x->row) x->row = memory_resize(&m->artifact->memory, NULL, words, sizeof *x->row);
	if (!x->row) return GCDC_ERR_MEMORY;
	*mask = x->row;
	p->left = price_sum(less, 1 + m->budget_counts_eos), p->near = GCDC_NONE;
	gcdc_status status = position_sets(m, p, &x->within);
	p->left = p->near = GCDC_NONE;
	if (!status)
		sets_fill(m->artifact, &x->within, x->row);
	else if (status == GCDC_REJECTED)
		memset(x->row, 0, words * sizeof *x->row), status = GCDC_OK;
	return status;
}

// The first token of the list, of those in the mask, after which `less` are enough. GCDC_NONE: there is none.
static gcdc_status first_within(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                                const uint32_t *mask, uint32_t less, uint32_t *token)
{
	*token = GCDC_NONE;
	for (struct each e = each_of(list); *token == GCDC_NONE && each_next(m->artifact, &e);) {
		uint32_t after;
		if (artifact_is_eos(m->artifact, e.token) || !(mask[e.token / 32] >> e.token % 32 & 1)) continue;
		gcdc_status status = price_after(m, p, e.token, &after);
		if (status) return status;
		if (after <= less) *token = e.token;
	}
	return GCDC_OK;
}

// A token of p's plain mask after which `less` are enough; GCDC_ERR_INTERNAL: there is none.
static gcdc_status cheaper_token(struct gcdc_matcher *m, struct position *p, uint32_t less, uint32_t *token)
{
	const uint32_t *mask;
	gcdc_status status = mask_within(m, p, less, &mask);
	if (!status) status = position_sets(m, p, &m->probe);
	if (!status) status = first_within(m, p, &m->probe, mask, less, token);
	if (status || *token != GCDC_NONE) return status;
	// The aligned model knows of fewer tokens by groups than one by one.
	memset(m->pricing->row, 0xff, m->artifact->info.mask_words * sizeof *mask);
	status = first_within(m, p, &m->probe, mask, less, token);
	return status || *token != GCDC_NONE ? status : GCDC_ERR_INTERNAL;
}

// Branches: hard canonical completions are copied, others are made token by token, and the room may end before either.
gcdc_status gcdc_matcher_close(gcdc_matcher *m, uint32_t *tokens, size_t cap, size_t *n)
{
	const struct gcdc_artifact *a = m ? m->artifact : NULL;
	uint32_t price = 0, token = 0;
	if (n) *n = 0;
	if (!m || !n || (!tokens && cap)) return GCDC_ERR_ARGUMENT;
	gcdc_status status = gcdc_matcher_min_tokens(m, false, &price);
	if (status) return status;
	if (is_hard(m)) {
		*n = price;
		if (price && cap)
			memcpy(tokens, a->parts->canonical->completion_tokens(m), (price < cap ? price : cap) * sizeof *tokens);
		return GCDC_OK;
	}
	status = position_copy(m, m->work, m->now);
	m->work->left = GCDC_NONE;
	for (size_t i = 0; i < cap && price && !status; i++) {
		*n = i + 1;
		status = cheaper_token(m, m->work, price - 1, &token);
		if (status) break;
		tokens[i] = token;
		uint32_t begin = a->token_offset[token];
		status = position_step(m, m->work, a->token_bytes + begin, a->token_offset[token + 1] - begin);
		if (!status) status = position_price(m, m->work, &price);
	}
	position_release(m, m->work);
	*n += price;  // those that there was no room for
	return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
}
