// Steps of masks under a budget, closed over all that a text can meet; see budget_steps.h.
//
// In:  costs with groups, LR tables, where tokens end.  Out: struct budget_steps.
// A step is made where the top, or one frame below, is known and nothing else. Tokens of a group end somewhere: their
// terminals are pushed on the known states, a reduction that goes below them is an item of the next node. What a group
// needs is asked of the known states, down to questions to the frame itself, which budget_classes.c answers. From every
// lexer state with every top that it can have, frames below are the predecessors of the LR automaton: more pairs than
// texts meet, and none is missed.
// What known states answer is told by questions to the frame, so it is the same above every frame, and made once.
// The same as lib/runtime/budget/step_build.c, which does it for one pair where nothing is stored.
// Cost: answers on known states, each once for a frame's state; limits are counted (STEPS_MAX_*), so that the result
// does not depend on the machine.
#include "budget_steps_internal.h"

#include "../base/sort.h"
#include "../base/sort_records.h"

// Notes that the set is allowed from a base on; false where that is known of one as low.
static bool note(struct closer *x, uint64_t *seen, uint32_t base)
{
	if (*seen >> 32 == x->stamp && (uint32_t)*seen <= base) return false;
	*seen = (uint64_t)x->stamp << 32 | base;
	return true;
}

// The terms of an expression among those that parts have.
static uint32_t terms_of(struct closer *x, uint32_t expression)
{
	while (x->terms_of.n <= expression) vec_push(&x->terms_of, STEPS_NONE);
	if (x->terms_of.at[expression] == STEPS_NONE) {
		uint32_t n;
		const struct budget_term *terms = intern_get(&x->expressions, expression, &n);
		x->terms_of.at[expression] = intern_add(&x->raw->terms, terms, n, NULL);
	}
	return x->terms_of.at[expression];
}

// A part of one expression. t[0, n): base << 32 | set, ascending. Sets that are sure with less are left out.
static void add_part(struct closer *x, uint32_t expression, const uint64_t *t, uint32_t n)
{
	vec_clear(&x->levels);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t base = (uint32_t)(t[i] >> 32), tokens = (uint32_t)t[i];
		while (x->sure.n <= tokens) vec_push(&x->sure, 0), vec_push(&x->told, 0);
		uint64_t *sure = &x->sure.at[tokens];
		bool is_new = expression ? *sure >> 32 != x->stamp || (uint32_t)*sure > base : note(x, sure, base);
		uint64_t *told = &x->told.at[tokens], mark = (uint64_t)x->stamp << 32 | expression;
		if (!is_new || *told == mark) continue;
		*told = mark;
		vec_push(&x->levels, ((struct budget_level){base, tokens}));
	}
	if (!x->levels.n) return;
	const uint32_t base = x->levels.at[0].base;
	for (uint32_t i = 0; i < x->levels.n; i++) x->levels.at[i].base -= base;
	const struct raw_part part = {terms_of(x, expression), base,
	                              intern_add(&x->raw->levels, x->levels.at, x->levels.n * sizeof *x->levels.at, NULL)};
	vec_push(&x->parts, part);
}

// The parts of all that the tokens of a step do, interned.
static uint32_t make_parts(struct closer *x)
{
	vec_clear(&x->thresholds), vec_clear(&x->order), vec_clear(&x->parts);
	for (uint32_t i = 0; i < x->taken.n; i++) {
		uint32_t n;
		const struct closer_threshold *t = closer_thresholds(x, x->taken.at[i], &n);
		for (uint32_t k = 0; k < n; k++) {
			vec_push(&x->order, (uint64_t)t[k].expression << 32 | x->thresholds.n);
			vec_push(&x->thresholds, t[k]);
		}
	}
	sort_u64(x->order.at, x->order.n);
	x->stamp++;
	for (uint32_t i = 0, end; i < x->order.n; i = end) {
		const uint32_t expression = (uint32_t)(x->order.at[i] >> 32);
		for (end = i; end < x->order.n && x->order.at[end] >> 32 == expression; end++) {
			const struct closer_threshold *t = &x->thresholds.at[(uint32_t)x->order.at[end]];
			x->order.at[end] = (uint64_t)t->base << 32 | t->tokens;
		}
		sort_u64(x->order.at + i, end - i);
		add_part(x, expression, x->order.at + i, end - i);
	}
	return intern_add(&x->raw->part_lists, x->parts.at, x->parts.n * sizeof *x->parts.at, NULL);
}

// The same, made once for all steps that do the same.
static uint32_t find_parts(struct closer *x)
{
	uint32_t n = 0;
	bool is_new;
	sort_u32(x->taken.at, x->taken.n);
	for (uint32_t i = 0; i < x->taken.n; i++)
		if (!n || x->taken.at[n - 1] != x->taken.at[i]) x->taken.at[n++] = x->taken.at[i];
	x->taken.n = n;
	const uint32_t number = intern_add(&x->taken_lists, x->taken.at, n * sizeof *x->taken.at, &is_new);
	if (is_new) vec_push(&x->parts_of, make_parts(x));
	return x->parts_of.at[number];
}

static int compare_item(const void *a, const void *b) { return memcmp(a, b, sizeof(struct closer_item)); }
SORT_RECORDS(sort_items, struct closer_item, compare_item)

static void add_node(struct closer *x, uint32_t items, uint32_t outcome)
{
	vec_push(&x->node_items, items);
	vec_push(&x->node_outcome, outcome);
	x->raw->n_nodes++;
}

// The node of the items found, and how many frames it skips.
static void find_node(struct closer *x, struct raw_step *step)
{
	struct closer_item *at = x->found.at;
	uint32_t n = 0, pop = UINT32_MAX;
	bool is_new;
	if (!x->found.n) return;
	for (uint32_t i = 0; i < x->found.n; i++) pop = at[i].pop < pop ? at[i].pop : pop;
	for (uint32_t i = 0; i < x->found.n; i++) at[i].pop -= pop - 1;
	sort_items(at, x->found.n);
	for (uint32_t i = 0; i < x->found.n; i++)
		if (!n || compare_item(&at[n - 1], &at[i])) at[n++] = at[i];
	uint32_t items = intern_add(&x->items, at, n * sizeof *at, &is_new);
	if (is_new) add_node(x, items, STEPS_NONE);  // behind those of outcomes
	step->node = items + x->c->groups.outcomes.n, step->skip = pop - 1;
}

// The states that can lie so many frames below one: n, then they.
static uint32_t states_below(struct closer *x, lr_state s, uint32_t depth)
{
	uint64_t known = map64_get(&x->below, (uint64_t)s << 32 | depth);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t words = BITS_WORDS(x->lr->n_states);
	bits *level = mem_calloc(words, sizeof *level), *next = mem_calloc(words, sizeof *next);
	bits_set(level, s);
	for (uint32_t down = depth; down--; closer_burn(x, words)) {
		memset(next, 0, words * sizeof *next);
		for (lr_state r = bits_next(level, words, 0); r != UINT32_MAX; r = bits_next(level, words, r + 1))
			for (uint32_t i = x->lr->pred_at[r]; i < x->lr->pred_at[r + 1]; i++) bits_set(next, x->lr->pred[i]);
		bits *t = level;
		level = next, next = t;
	}
	known = x->reached.n;
	vec_push(&x->reached, 0);
	for (lr_state r = bits_next(level, words, 0); r != UINT32_MAX; r = bits_next(level, words, r + 1))
		vec_push(&x->reached, r);
	x->reached.at[known] = x->reached.n - (uint32_t)known - 1;
	map64_put(&x->below, (uint64_t)s << 32 | depth, known);
	free(level);
	free(next);
	return (uint32_t)known;
}

static void ask(struct closer *x, uint32_t node, lr_state s)
{
	uint64_t key = (uint64_t)node << 32 | s;
	if (map64_get(&x->asked, key) != MAP64_NONE) return;
	map64_put(&x->asked, key, 1);
	vec_push(&x->todo[s], node);
	x->failed |= ++x->n_steps > STEPS_MAX_STEPS;
}

static void make_step(struct closer *x, uint32_t node, lr_state s)
{
	vec_clear(&x->taken), vec_clear(&x->found);
	if (x->node_outcome.at[node] != STEPS_NONE) {
		vec_push(&x->places, ((struct top_outcome){0, x->node_outcome.at[node]}));
		closer_take_places(x);
	} else {
		uint32_t n;
		const struct closer_item *items = intern_get(&x->items, x->node_items.at[node], &n);
		for (uint32_t i = 0; i < n / sizeof *items && !x->failed; i++) {
			struct closer_item item = items[i];
			if (--item.pop)
				vec_push(&x->found, item);
			else
				closer_take_item(x, item);
		}
	}
	if (x->failed) return;
	struct raw_step step = {find_parts(x), STEPS_NONE, 0};
	find_node(x, &step);
	vec_push(&x->raw->edges, ((struct raw_edge){s, x->raw->each.n}));
	vec_push(&x->raw->each, step);
	vec_push(&x->raw->edge_node, node);
	if (step.node == STEPS_NONE) return;
	uint32_t at = states_below(x, s, step.skip + 1);
	for (uint32_t i = 1; i <= x->reached.at[at]; i++) ask(x, step.node, x->reached.at[at + i]);
}

// All steps of one state that are asked for so far.
static void make_steps(struct closer *x, lr_state s)
{
	x->known.at[0].state = s;
	while (x->todo[s].n && !x->failed) make_step(x, vec_pop(&x->todo[s]), s);
}

// The states that a lexeme can begin on, by context: at[c] up to at[c + 1].
static void list_tops(const struct lr *lr, uint32_t n_contexts, uint32_t *at, lr_state *tops)
{
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		if (lr->between_lexemes[s]) at[lr->context_of[s] + 2]++;
	for (uint32_t c = 0; c < n_contexts; c++) at[c + 1] += at[c];
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		if (lr->between_lexemes[s]) tops[at[lr->context_of[s] + 1]++] = s;
}

static void ask_starts(struct closer *x, const struct live_pairs *live, uint32_t *start)
{
	const struct cost_groups *g = &x->c->groups;
	uint32_t n_starts = 0, *top_at = mem_calloc(x->lexer->n_contexts + 2, sizeof *top_at);
	lr_state *tops = mem_calloc(x->lr->n_states + 1, sizeof *tops);
	list_tops(x->lr, x->lexer->n_contexts, top_at, tops);
	for (uint32_t o = 0; o < g->outcomes.n; o++) add_node(x, STEPS_NONE, o);
	for (lex_state q = 0; q < x->lexer->n_states; q++) {
		start[q] = STEPS_NONE;
		uint32_t i = x->way_at[q];
		if (i == x->way_at[q + 1] || g->ways.at[i].remainder) continue;
		start[q] = g->ways.at[i].outcome;
		for (uint32_t p = live->at[q]; p < live->at[q + 1]; p++) {
			const uint32_t context = live->pair.at[p].context;
			for (uint32_t k = top_at[context]; k < top_at[context + 1] && n_starts <= STEPS_MAX_STARTS; k++)
				ask(x, start[q], tops[k]), n_starts++;
		}
	}
	x->failed |= n_starts > STEPS_MAX_STARTS;
	free(top_at);
	free(tops);
}

static void index_tables(struct closer *x)
{
	const struct cost_groups *g = &x->c->groups;
	uint32_t *transition_at = mem_calloc(x->lr->n_states + 1, sizeof *transition_at);
	x->way_at = mem_calloc(x->lexer->n_states + 1, sizeof *x->way_at);
	for (uint32_t i = 0; i < x->c->transitions.n; i++) transition_at[x->c->transitions.at[i].state + 1]++;
	for (lr_state s = 0; s < x->lr->n_states; s++) transition_at[s + 1] += transition_at[s];
	x->index = (struct cost_index){x->c, transition_at};
	for (uint32_t i = 0; i < g->ways.n; i++) x->way_at[g->ways.at[i].from + 1]++;
	for (lex_state q = 0; q < x->lexer->n_states; q++) x->way_at[q + 1] += x->way_at[q];
}

static void release(struct closer *x)
{
	map64_release(&x->known_of), map64_release(&x->answer_of);
	intern_release(&x->expressions);
	map64_release(&x->asked), map64_release(&x->below), map64_release(&x->term_of);
	intern_release(&x->conts), intern_release(&x->items);
	for (lr_state s = 0; s < x->lr->n_states; s++) vec_release(&x->todo[s]);
	void *blocks[] = {x->todo, x->index.transition_at, x->way_at, x->ending_at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
	vec_release(&x->known), vec_release(&x->answers), vec_release(&x->endings);
	vec_release(&x->node_items), vec_release(&x->node_outcome), vec_release(&x->reached), vec_release(&x->terms);
	map64_release(&x->fitting_of), vec_release(&x->fitting);
	map64_release(&x->push_of), map64_release(&x->way_of);
	intern_release(&x->threshold_lists), intern_release(&x->taken_lists);
	vec_release(&x->pushes), vec_release(&x->pushed_tops), vec_release(&x->pushed_items);
	vec_release(&x->ways), vec_release(&x->way_thresholds), vec_release(&x->way_places), vec_release(&x->parts_of);
	vec_release(&x->taken), vec_release(&x->found), vec_release(&x->places), vec_release(&x->todo_tops);
	vec_release(&x->order), vec_release(&x->thresholds);
	vec_release(&x->terms_of), vec_release(&x->parts), vec_release(&x->levels), vec_release(&x->level_sets);
	vec_release(&x->told), vec_release(&x->sure);
}

static void raw_steps_release(struct raw_steps *raw)
{
	intern_release(&raw->terms), intern_release(&raw->levels);
	intern_release(&raw->part_lists), intern_release(&raw->steps);
	vec_release(&raw->each);
	vec_release(&raw->edges), vec_release(&raw->edge_node);
}

void budget_steps_build(const struct costs *c, const struct lr *lr, const struct live_pairs *live,
                        struct tokensets *sets, struct budget_steps *out)
{
	struct raw_steps raw = {0};
	struct closer x = {.c = c, .lr = lr, .lexer = c->rows.lexer, .sets = sets, .raw = &raw};
	*out = (struct budget_steps){0};
	if (c->model == COSTS_OFF || x.lexer->indentation) return;
	uint32_t *start = mem_calloc(x.lexer->n_states, sizeof *start);
	x.todo = mem_calloc(lr->n_states, sizeof *x.todo);
	vec_push(&x.known, ((struct closer_known){0}));
	intern_add(&x.expressions, NULL, 0, NULL);
	intern_add(&x.threshold_lists, NULL, 0, NULL);
	index_tables(&x);
	ask_starts(&x, live, start);
	if (!x.failed) closer_find_endings(&x);
	for (bool some = true; some && !x.failed;) {
		some = false;
		for (lr_state s = 0; s < lr->n_states && !x.failed; s++)
			if (x.todo[s].n) make_steps(&x, s), some = true;
	}
	struct raw_steps by_class = {0};
	if (!x.failed && budget_classes_build(&x.index, lr, &raw, sets, &by_class, out)) {
		budget_steps_merge(&by_class, x.lexer->n_states, start, out);
	} else {
		free(start);
		budget_steps_release(out);
	}
	release(&x);
	raw_steps_release(&raw);
	raw_steps_release(&by_class);
}

void budget_steps_release(struct budget_steps *s)
{
	free(s->start);
	vec_release(&s->nodes), vec_release(&s->edges), vec_release(&s->steps);
	vec_release(&s->parts), vec_release(&s->classes), vec_release(&s->pushes);
	vec_release(&s->ladders), vec_release(&s->levels);
	*s = (struct budget_steps){0};
}
