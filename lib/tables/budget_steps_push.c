// Tokens on known states: pushes of the terminals that they end, and what is needed then.
//
// In:  places (a known top, an outcome), items of a node. Out: thresholds with the tokens that they allow; items
// that go below the frame. Cost: an action of the parser a way; every loop counts its work (STEPS_MAX_WORK).
#include "budget_steps_internal.h"

#include "../shared/search.h"

#include "../../formats/artifact.h"

static void add_known(struct closer *x, uint32_t below, lr_state state, number_list *list)
{
	uint64_t key = (uint64_t)below << 32 | state, known = map64_get(&x->known_of, key);
	ASSERT(lr_lies_below(x->lr, x->known.at[below].state, state));
	if (known == MAP64_NONE) {
		known = x->known.n;
		uint32_t height = x->known.at[below].height + 1;
		x->failed |= known == STEPS_MAX_KNOWN || height == STEPS_MAX_HEIGHT;
		if (x->failed) return;
		map64_put(&x->known_of, key, known);
		vec_push(&x->known, ((struct closer_known){below, state, height}));
	}
	vec_push(list, (uint32_t)known);
}

// Does the action in a known state: what is to be gone on with is put on `ways`, what is shifted on `tops`.
static void act(struct closer *x, uint32_t top, uint32_t t, uint32_t conts, uint32_t action)
{
	if (action == ACTION_SKIP) {
		vec_push(&x->tops, top);
	} else if (ACTION_IS_SHIFT(action)) {
		add_known(x, top, action >> 1, &x->tops);
	} else {
		const struct lr_production *p = &x->lr->production[(action >> 1) - 1];
		uint32_t height = x->known.at[top].height;
		if (p->length > height) {
			vec_push(&x->found, ((struct closer_item){p->length - height, p->lhs, t, conts}));
			return;
		}
		uint32_t below = closer_known_below(x, top, p->length);
		lr_state to = lr_goto(x->lr, x->known.at[below].state, p->lhs);
		ASSERT(to);  // a production is reduced only on what it was read on
		add_known(x, below, to, &x->ways);
	}
}

// Reductions under t and its shift, for what is on `ways`; `tops` are what comes out.
static void push_ways(struct closer *x, uint32_t t, uint32_t conts)
{
	vec_clear(&x->tops);
	while (x->ways.n && closer_burn(x, 1)) {
		uint32_t top = vec_pop(&x->ways), n, one;
		const uint32_t *actions = lr_actions(x->lr, x->known.at[top].state, t, &n, &one);
		for (uint32_t k = 0; k < n; k++) act(x, top, t, conts, actions[k]);
	}
	vec_clear(&x->ways);
}

// A token goes on to be lexed on a new top.
static void add_rest(struct closer *x, uint32_t top, uint32_t remainder)
{
	const struct cost_groups *g = &x->c->groups;
	uint32_t context = x->lr->context_of[x->known.at[top].state], i;
	lex_state q = x->lexer->start[(size_t)g->obligation.at[remainder] * x->lexer->n_contexts + context];
	if (q == LEX_DEAD) return;
	uint32_t end = x->way_at[q + 1];
	LOWER_BOUND(i, x->way_at[q], end, g->ways.at[i].remainder < remainder);
	x->failed |= i == end || g->ways.at[i].remainder != remainder;
	if (!x->failed) vec_push(&x->places, ((struct top_outcome){top, g->ways.at[i].outcome}));
}

static void put_threshold(struct closer *x, uint32_t expression, uint32_t base, set_id tokens)
{
	if (base != COSTS_NONE) vec_push(&x->thresholds, ((struct closer_threshold){expression, base, tokens}));
}

// What follows once a terminal is on the known states.
static void go_on(struct closer *x, uint32_t top, uint32_t conts)
{
	uint32_t n;
	const struct cont *c = intern_get(&x->conts, conts, &n);
	n /= (uint32_t)sizeof *c;
	for (uint32_t i = 0; i < n && closer_burn(x, 1); i++) {
		if (c[i].weight == CUT) {
			add_rest(x, top, c[i].control);
		} else if (c[i].control == COST_AT_END) {
			if (lr_action(x->lr, x->known.at[top].state, x->lr->n_terminals))
				put_threshold(x, 0, c[i].weight, c[i].tokens);
		} else {
			struct closer_answer a = closer_answer(x, top, c[i].control);
			put_threshold(x, 0, steps_sum(a.final, c[i].weight), c[i].tokens);
			if (a.least < a.final) put_threshold(x, a.expression, steps_sum(a.least, c[i].weight), c[i].tokens);
		}
	}
}

static void take_ending(struct closer *x, uint32_t top, struct closer_ending e)
{
	bool skipped = e.terminal == COSTS_NONE || x->lexer->is_ignored[e.terminal];
	uint32_t action = skipped ? ACTION_SKIP : lr_action(x->lr, x->known.at[top].state, e.terminal);
	if (action == ACTION_SKIP) {
		go_on(x, top, e.conts);
	} else if (action) {
		vec_push(&x->ways, top);
		push_ways(x, e.terminal, e.conts);
		for (uint32_t i = 0; i < x->tops.n && !x->failed; i++) go_on(x, x->tops.at[i], e.conts);
	}
}

void closer_take_places(struct closer *x)
{
	while (x->places.n && closer_burn(x, 1)) {
		struct top_outcome p = vec_pop(&x->places);
		for (uint32_t i = x->ending_at[p.outcome]; i < x->ending_at[p.outcome + 1] && !x->failed; i++)
			take_ending(x, p.top, x->endings.at[i]);
	}
}

void closer_take_item(struct closer *x, struct closer_item item)
{
	lr_state to = lr_goto(x->lr, x->known.at[0].state, item.lhs);
	if (!to) return;  // no text has such a stack
	add_known(x, 0, to, &x->ways);
	push_ways(x, item.terminal, item.conts);
	for (uint32_t i = 0; i < x->tops.n && !x->failed; i++) go_on(x, x->tops.at[i], item.conts);
	closer_take_places(x);
}
