// Tokens on known states: pushes of the terminals that they end, and what is needed then.
//
// In:  places (a known top, an outcome), items of a node. Out: ways, with their thresholds and the tokens that these
// allow; items that go below the frame. A terminal is pushed on a known state once for each state of the frame below
// all; what follows it there is the same above every frame. Cost: an action of the parser a push; every loop counts
// its work (STEPS_MAX_WORK).
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

// Does the action in a known state: what is to be gone on with is put on `todo_tops`, what is shifted on `pushed_tops`.
static void act(struct closer *x, uint32_t top, uint32_t t, uint32_t action)
{
	if (action == ACTION_SKIP) {
		vec_push(&x->pushed_tops, top);
	} else if (ACTION_IS_SHIFT(action)) {
		add_known(x, top, action >> 1, &x->pushed_tops);
	} else {
		const struct lr_production *p = &x->lr->production[(action >> 1) - 1];
		uint32_t height = x->known.at[top].height;
		if (p->length > height) {
			vec_push(&x->pushed_items, ((struct closer_item){p->length - height, p->lhs, t, 0}));
			return;
		}
		uint32_t below = closer_known_below(x, top, p->length);
		lr_state to = lr_goto(x->lr, x->known.at[below].state, p->lhs);
		ASSERT(to);  // a production is reduced only on what it was read on
		add_known(x, below, to, &x->todo_tops);
	}
}

// Reductions under t on a known state, and its shift: once for a frame's state.
static struct closer_push push(struct closer *x, uint32_t top, uint32_t t)
{
	uint64_t key = ((uint64_t)x->known.at[0].state * x->lr->n_terminals + t) * STEPS_MAX_KNOWN + top;
	uint64_t known = map64_get(&x->push_of, key);
	if (known != MAP64_NONE) {
		closer_burn(x, x->pushes.at[known].work);
		return x->pushes.at[known];
	}
	struct closer_push made = {x->pushed_tops.n, 0, x->pushed_items.n, 0, 0};
	vec_push(&x->todo_tops, top);
	while (x->todo_tops.n && closer_burn(x, 1)) {
		uint32_t at = vec_pop(&x->todo_tops), n, one;
		const uint32_t *actions = lr_actions(x->lr, x->known.at[at].state, t, &n, &one);
		for (uint32_t k = 0; k < n; k++) act(x, at, t, actions[k]);
		made.work++;
	}
	vec_clear(&x->todo_tops);
	made.n_tops = x->pushed_tops.n - made.first_top, made.n_items = x->pushed_items.n - made.first_item;
	map64_put(&x->push_of, key, x->pushes.n);
	vec_push(&x->pushes, made);
	return made;
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
	if (!x->failed) vec_push(&x->way_places, ((struct top_outcome){top, g->ways.at[i].outcome}));
}

static void put_threshold(struct closer *x, uint32_t expression, uint32_t base, set_id tokens)
{
	if (base != COSTS_NONE) vec_push(&x->way_thresholds, ((struct closer_threshold){expression, base, tokens}));
}

static struct closer_way make_way(struct closer *x, uint32_t top, uint32_t conts)
{
	struct closer_way way = {0, x->way_places.n, 0};
	uint32_t n;
	const struct cont *c = intern_get(&x->conts, conts, &n);
	n /= (uint32_t)sizeof *c;
	vec_clear(&x->way_thresholds);
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
	way.thresholds =
		intern_add(&x->threshold_lists, x->way_thresholds.at, x->way_thresholds.n * sizeof *x->way_thresholds.at, NULL);
	way.n_places = x->way_places.n - way.first_place;
	return way;
}

// What follows once a terminal is on the known states: once for a known state, and for each state of a frame.
static void go_on(struct closer *x, uint32_t top, uint32_t conts)
{
	uint64_t key = (uint64_t)conts << 32 | (top ? top : STEPS_MAX_KNOWN + x->known.at[0].state);
	uint64_t known = map64_get(&x->way_of, key);
	if (known == MAP64_NONE) {
		struct closer_way made = make_way(x, top, conts);
		known = x->ways.n;
		map64_put(&x->way_of, key, known);
		vec_push(&x->ways, made);
	}
	const struct closer_way *way = &x->ways.at[known];
	uint32_t n_thresholds;
	closer_thresholds(x, way->thresholds, &n_thresholds);
	closer_burn(x, 1 + n_thresholds);
	if (way->thresholds) vec_push(&x->taken, way->thresholds);
	for (uint32_t i = 0; i < way->n_places; i++) vec_push(&x->places, x->way_places.at[way->first_place + i]);
}

// A terminal is pushed, and its tokens go on.
static void take_push(struct closer *x, uint32_t top, uint32_t t, uint32_t conts)
{
	const struct closer_push p = push(x, top, t);
	for (uint32_t i = 0; i < p.n_items; i++) {
		struct closer_item item = x->pushed_items.at[p.first_item + i];
		item.conts = conts;
		vec_push(&x->found, item);
	}
	for (uint32_t i = 0; i < p.n_tops && !x->failed; i++) go_on(x, x->pushed_tops.at[p.first_top + i], conts);
}

static void take_ending(struct closer *x, uint32_t top, struct closer_ending e)
{
	bool skipped = e.terminal == COSTS_NONE || x->lexer->is_ignored[e.terminal];
	uint32_t action = skipped ? ACTION_SKIP : lr_action(x->lr, x->known.at[top].state, e.terminal);
	if (action == ACTION_SKIP)
		go_on(x, top, e.conts);
	else if (action)
		take_push(x, top, e.terminal, e.conts);
}

// The endings of an outcome that a state can take, once for a context: n, then indices into endings.
static uint32_t fitting(struct closer *x, struct top_outcome p)
{
	const lr_state s = x->known.at[p.top].state;
	const uint32_t context = x->lr->context_of[s], at = x->fitting.n;
	const bits *viable = x->lr->context + (size_t)context * x->lr->context_words;
	const uint64_t key = (uint64_t)p.outcome << 32 | context, known = map64_get(&x->fitting_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&x->fitting_of, key, at);
	vec_push(&x->fitting, 0);
	for (uint32_t i = x->ending_at[p.outcome]; i < x->ending_at[p.outcome + 1]; i++) {
		const uint32_t t = x->endings.at[i].terminal;
		if (t == COSTS_NONE || x->lexer->is_ignored[t] || bits_test(viable, t))
			vec_push(&x->fitting, i);
		else
			ASSERT(!lr_action(x->lr, s, t));
	}
	x->fitting.at[at] = x->fitting.n - at - 1;
	closer_burn(x, 1 + x->fitting.at[at]);
	return at;
}

void closer_take_places(struct closer *x)
{
	while (x->places.n && closer_burn(x, 1)) {
		const struct top_outcome p = vec_pop(&x->places);
		const uint32_t at = fitting(x, p), n = x->fitting.at[at];
		for (uint32_t i = 1; i <= n && !x->failed; i++) take_ending(x, p.top, x->endings.at[x->fitting.at[at + i]]);
	}
}

void closer_take_item(struct closer *x, struct closer_item item)
{
	lr_state to = lr_goto(x->lr, x->known.at[0].state, item.lhs);
	if (!to) return;  // no text has such a stack
	add_known(x, 0, to, &x->todo_tops);
	if (x->failed) return;
	take_push(x, vec_pop(&x->todo_tops), item.terminal, item.conts);
	closer_take_places(x);
}
