// What holds of a parser's tables, whatever the grammar.
//
// In:  the tables, the grammar. Out: the first thing that is wrong, or NULL.
// Besides ranges: where a production is reduced, its symbols lead to the frames that are popped, and the state below
// has a goto. So a terminal that leads to a wrong state is found. States that behave alike are one, and so are
// productions with one left side and length; each symbol of a frame stands there in one of these.
// Cost: linear in the tables, and CHECK_MAX_STEPS steps down stacks: of a large parser not all stacks are read.
#include "../base/map64.h"
#include "lr.h"

#define CHECK_MAX_STEPS 300000u
#define NONE UINT32_MAX

struct lead {
	uint32_t symbol, next;
};
struct checking {
	const struct lr *lr;
	VEC(lr_state) now, below;  // states that may lie at one depth of a stack
	bits *is_below;            // [n_states] all 0 in between
	uint32_t *lead_of;         // [n_states] the first symbol that leads there, in leads; LR_BOTTOM has NONE
	VEC(struct lead) leads;
	uint32_t *next_like;  // [n_productions] the next one with the same left side and length, or NONE
	uint32_t n_steps;
};

static void put_lead(struct checking *c, lr_state to, uint32_t symbol)
{
	for (uint32_t i = c->lead_of[to]; i != NONE; i = c->leads.at[i].next)
		if (c->leads.at[i].symbol == symbol) return;
	vec_push(&c->leads, ((struct lead){symbol, c->lead_of[to]}));
	c->lead_of[to] = c->leads.n - 1;
}

static void find_leads(struct checking *c)
{
	const struct lr *lr = c->lr;
	memset(c->lead_of, 0xFF, lr->n_states * sizeof *c->lead_of);
	for (uint32_t k = 0; k < lr->action.at[lr->n_states]; k++) {
		uint32_t n;
		const uint32_t *a = lr_actions_of(lr, &lr->action.cell[k].to, &n);
		for (uint32_t i = 0; i < n; i++)
			if (ACTION_IS_SHIFT(a[i])) put_lead(c, a[i] / 2, lr->action.cell[k].by);
	}
	for (uint32_t k = 0; k < lr->go.at[lr->n_states]; k++)
		put_lead(c, lr->go.cell[k].to, lr->n_terminals + lr->go.cell[k].by);
}

static void find_alike(struct checking *c)
{
	struct map64 last = {0};
	for (uint32_t p = c->lr->n_productions; p-- > 0;) {
		const struct lr_production x = c->lr->production[p];
		const uint64_t key = (uint64_t)x.lhs << 32 | x.length, next = map64_get(&last, key);
		c->next_like[p] = next == MAP64_NONE ? NONE : (uint32_t)next;
		map64_put(&last, key, p);
	}
	map64_release(&last);
}

// Has some production like p the symbol at this place?
static bool has_symbol(struct checking *c, uint32_t p, uint32_t place, uint32_t symbol)
{
	for (; p != NONE; p = c->next_like[p], c->n_steps++)
		if (c->lr->grammar->productions[p].rhs[place] == symbol) return true;
	return false;
}

// Do only such symbols lead to s?
static bool may_stand(struct checking *c, uint32_t p, uint32_t place, lr_state s)
{
	bool may = s != LR_BOTTOM;
	for (uint32_t i = c->lead_of[s]; i != NONE && may; i = c->leads.at[i].next)
		may = has_symbol(c, p, place, c->leads.at[i].symbol);
	return may;
}

static void go_down(struct checking *c)
{
	const struct lr *lr = c->lr;
	vec_clear(&c->below);
	for (uint32_t k = 0; k < c->now.n; k++) {
		const uint32_t first = lr->pred_at[c->now.at[k]], end = lr->pred_at[c->now.at[k] + 1];
		for (uint32_t i = first; i < end; i++) {
			if (bits_test(c->is_below, lr->pred[i])) continue;
			bits_set(c->is_below, lr->pred[i]);
			vec_push(&c->below, lr->pred[i]);
		}
		c->n_steps += end - first + 1;
	}
	for (uint32_t k = 0; k < c->below.n; k++) bits_reset(c->is_below, c->below.at[k]);
	vec_clear(&c->now);
	for (uint32_t k = 0; k < c->below.n; k++) vec_push(&c->now, c->below.at[k]);
}

static const char *check_reduction(struct checking *c, lr_state s, uint32_t p)
{
	const struct lr *lr = c->lr;
	vec_clear(&c->now);
	vec_push(&c->now, s);
	for (uint32_t place = lr->production[p].length; place-- > 0; go_down(c))
		for (uint32_t k = 0; k < c->now.n; k++) {
			if (c->n_steps > CHECK_MAX_STEPS) return NULL;
			if (!may_stand(c, p, place, c->now.at[k])) return "a production is reduced on frames of other symbols";
		}
	for (uint32_t k = 0; k < c->now.n; k++)
		if (!lr_goto(lr, c->now.at[k], lr->production[p].lhs))
			return "a production is reduced on a state without a goto for it";
	return NULL;
}

// A text is accepted on the start symbol alone.
static const char *check_end(const struct checking *c, lr_state s)
{
	const struct lr *lr = c->lr;
	const bool is_alone = lr->pred_at[s + 1] == lr->pred_at[s] + 1 && lr->pred[lr->pred_at[s]] == LR_BOTTOM;
	const struct lead lead = s == LR_BOTTOM ? (struct lead){0} : c->leads.at[c->lead_of[s]];
	if (is_alone && lead.next == NONE && lead.symbol == lr->n_terminals + lr->grammar->start) return NULL;
	return "a text is accepted on other symbols than the start";
}

static const char *check_stacks(const struct lr *lr)
{
	struct checking c = {.lr = lr};
	const char *why = NULL;
	c.is_below = mem_calloc(BITS_WORDS(lr->n_states), sizeof *c.is_below);
	c.lead_of = mem_calloc(lr->n_states, sizeof *c.lead_of);
	c.next_like = mem_calloc((size_t)lr->n_productions + 1, sizeof *c.next_like);
	find_leads(&c);
	find_alike(&c);
	for (lr_state s = LR_BOTTOM; s < lr->n_states && !why; s++)
		for (uint32_t k = lr->action.at[s], last = 0; k < lr->action.at[s + 1] && !why; k++) {
			uint32_t n;
			const uint32_t *a = lr_actions_of(lr, &lr->action.cell[k].to, &n);
			for (uint32_t i = 0; i < n && !why && c.n_steps <= CHECK_MAX_STEPS; i++) {
				if (a[i] == last || a[i] == ACTION_SKIP || ACTION_IS_SHIFT(a[i])) continue;
				last = a[i];
				why = a[i] == ACTION_ACCEPT ? check_end(&c, s) : check_reduction(&c, s, a[i] / 2 - 1);
			}
		}
	free(c.is_below), free(c.lead_of), free(c.next_like);
	vec_release(&c.now), vec_release(&c.below), vec_release(&c.leads);
	return why;
}

static const char *check_action(const struct lr *lr, terminal_id t, uint32_t action)
{
	if (action == ACTION_ACCEPT || action == ACTION_SKIP) return NULL;
	const bool is_shift = ACTION_IS_SHIFT(action);
	if (is_shift ? action / 2 >= lr->n_states : action / 2 - 1 >= lr->n_productions) return "action out of range";
	return is_shift && t == lr->n_terminals ? "$end is shifted" : NULL;
}

// Cells ascend, and none is empty.
static const char *check_rows(const struct lr_table *x, uint32_t n_states, uint32_t n_symbols)
{
	for (lr_state s = LR_BOTTOM; s < n_states; s++)
		for (uint32_t k = x->at[s]; k < x->at[s + 1]; k++) {
			if (k > x->at[s] && x->cell[k].by <= x->cell[k - 1].by) return "cells out of order";
			if (x->cell[k].by >= n_symbols) return "symbol out of range";
			if (!x->cell[k].to) return "a cell is empty";
		}
	return NULL;
}

static const char *check_state(const struct lr *lr, lr_state s)
{
	const char *why = NULL;
	for (uint32_t k = lr->action.at[s]; k < lr->action.at[s + 1] && !why; k++) {
		uint32_t n;
		const uint32_t *a = lr_actions_of(lr, &lr->action.cell[k].to, &n);
		for (uint32_t i = 0; i < n && !why; i++) why = check_action(lr, lr->action.cell[k].by, a[i]);
	}
	for (uint32_t k = lr->go.at[s]; k < lr->go.at[s + 1]; k++)
		if (lr->go.cell[k].to >= lr->n_states) return "goto out of range";
	if ((lr->pred_at[s + 1] > lr->pred_at[s]) == (s == LR_BOTTOM))
		return "a state cannot be reached, or the bottom can";
	return why;
}

const char *lr_check(const struct lr *lr)
{
	const char *why = check_rows(&lr->action, lr->n_states, lr->n_terminals + 1);
	if (!why) why = check_rows(&lr->go, lr->n_states, lr->n_nonterminals);
	for (lr_state s = LR_BOTTOM; s < lr->n_states && !why; s++) why = check_state(lr, s);
	return why ? why : check_stacks(lr);
}
