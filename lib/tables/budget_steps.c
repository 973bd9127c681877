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
#include "budget_steps.h"

#include "../shared/search.h"

#include "../../formats/artifact.h"

// What tokens do as a terminal ends: after `weight` tokens the control is asked; or they go on (CUT) with a remainder.
enum { CUT = UINT32_MAX };
struct cont {
	uint32_t weight, control;
	set_id tokens;
};
struct lexeme_end {
	uint32_t terminal, conts;  // COSTS_NONE: the text ends without one
};
struct known {
	uint32_t below;
	lr_state state;
	uint32_t height;
};  // [0] is the frame
struct answer {
	uint32_t final, least, expression;
};  // final, or least + the expression's value; COSTS_NONE: there is none
struct threshold {
	uint32_t expression, base;
	set_id tokens;
};
struct item {
	uint32_t pop, lhs, terminal, conts;
};
struct top_outcome {
	uint32_t top, outcome;
};
typedef VEC(uint32_t) numbers;

struct closer {
	const struct costs *c;
	const struct lr *lr;
	const struct lexer *lexer;
	struct tokensets *sets;
	struct raw_steps *raw;
	bool failed;  // a limit is passed
	uint64_t work;
	struct cost_index index;
	uint32_t *way_at;     // [n_lex_states + 1]
	struct intern conts;  // struct cont[]
	VEC(struct lexeme_end) endings;
	uint32_t *ending_at;   // [n_outcomes + 1]
	struct intern items;   // struct item[]: nodes
	numbers node_items;    // [raw node] its items, or STEPS_NONE; then
	numbers node_outcome;  // its outcome
	numbers *todo;         // [state] nodes
	struct map64 asked;    // node, state: is or was in todo
	struct map64 below;    // state, frames down -> index into reached
	numbers reached;       // n, then states
	uint32_t n_steps;
	VEC(struct known) known;
	struct map64 known_of, answer_of;  // (below, state); (known, control)
	VEC(struct answer) answers;
	struct intern expressions;  // struct budget_term[]; 0: none, its value is 0
	// Of one step:
	VEC(struct threshold) thresholds;
	VEC(struct item) found;
	VEC(struct top_outcome) places;
	numbers ways, tops;
	VEC(struct budget_term) terms;
	struct map64 term_of;
	numbers parts, key;
	VEC(struct budget_level) levels;
	VEC(uint64_t) told;  // [set] stamp << 32 | base: of the part at hand; then of what is allowed without terms
	VEC(uint64_t) sure;
	uint32_t stamp;
	VEC(set_id) level_sets;
};

static bool burn(struct closer *x, uint64_t work) { return steps_burn(&x->work, &x->failed, work); }

// ---- What tokens do, by terminal.
static int compare_ending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;  // terminal, weight, control, set
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
	return 0;
}

typedef VEC(struct {
	uint32_t terminal;
	struct cont cont;
}) cont_list;

// Of sorted conts those of one price are one.
static void add_endings(struct closer *x, cont_list *list)
{
	VEC(struct cont) conts = {0};
	if (list->n) qsort(list->at, list->n, sizeof *list->at, compare_ending);
	for (uint32_t i = 0, end; i < list->n; i = end) {
		vec_clear(&conts);
		for (end = i; end < list->n && list->at[end].terminal == list->at[i].terminal;) {
			struct cont one = list->at[end].cont;
			vec_clear(&x->level_sets);
			for (uint32_t first = end;
			     end < list->n && list->at[end].terminal == list->at[first].terminal &&
			     list->at[end].cont.weight == one.weight && list->at[end].cont.control == one.control;
			     end++)
				vec_push(&x->level_sets, list->at[end].cont.tokens);
			one.tokens = tokensets_union(x->sets, x->level_sets.at, x->level_sets.n);
			vec_push(&conts, one);
		}
		uint32_t number = intern_add(&x->conts, conts.at, conts.n * sizeof *conts.at, NULL);
		vec_push(&x->endings, ((struct lexeme_end){list->at[i].terminal, number}));
	}
	vec_release(&conts);
}

static void find_endings(struct closer *x)
{
	const struct cost_groups *g = &x->c->groups;
	cont_list list = {0};
	x->ending_at = mem_calloc(g->outcomes.n + 1, sizeof *x->ending_at);
	for (uint32_t o = 0; o < g->outcomes.n; o++) {
		const struct cost_outcome *outcome = &g->outcomes.at[o];
		vec_clear(&list);
		for (uint32_t i = 0; i < outcome->n_stays; i++) {
			const struct cost_stay *stay = &g->stays.at[outcome->first_stay + i];
			uint32_t n = 0;
			const struct cost_emit *e = stay->row == COSTS_NONE ? NULL : cost_row(&x->c->rows, stay->row, &n);
			x->failed |= stay->row == COSTS_NONE;
			for (uint32_t k = 0; k < n; k++) {
				bool ends = remainder_is_end(e[k].remainder);
				uint32_t control = ends ? COST_AT_END : costs_control(x->c, e[k]);
				if (!ends && control == COSTS_NONE) continue;
				vec_push(&list, ((__typeof__(*list.at)){e[k].terminal, {e[k].weight, control, stay->tokens}}));
			}
		}
		for (uint32_t i = 0; i < outcome->n_cuts; i++) {
			const struct cost_cut *cut = &g->cuts.at[outcome->first_cut + i];
			x->failed |= cut->tokens != SET_EMPTY;
			vec_push(&list, ((__typeof__(*list.at)){cut->terminal, {CUT, cut->remainder, SET_EMPTY}}));
		}
		add_endings(x, &list);
		x->ending_at[o + 1] = x->endings.n;
	}
	vec_release(&list);
}

// ---- Answers on known states.
static void begin_terms(struct closer *x)
{
	vec_clear(&x->terms);
	if (x->term_of.n) map64_release(&x->term_of);
}

#define FEW_TERMS 16u  // looked through one by one

// Each pair once, with its least weight.
static void put_term(struct closer *x, struct budget_term t)
{
	uint64_t key = (uint64_t)t.down << 32 | t.control;
	uint32_t i = 0;
	if (x->terms.n < FEW_TERMS) {
		while (i < x->terms.n && (x->terms.at[i].down != t.down || x->terms.at[i].control != t.control)) i++;
	} else {
		for (uint32_t k = 0; !x->term_of.n && k < x->terms.n; k++)
			map64_put(&x->term_of, (uint64_t)x->terms.at[k].down << 32 | x->terms.at[k].control, k);
		uint64_t known = map64_get(&x->term_of, key);
		i = known == MAP64_NONE ? x->terms.n : (uint32_t)known;
		if (known == MAP64_NONE) map64_put(&x->term_of, key, i);
	}
	if (i == x->terms.n)
		vec_push(&x->terms, t);
	else if (t.weight < x->terms.at[i].weight)
		x->terms.at[i].weight = t.weight;
}

static int compare_term(const void *a, const void *b)
{
	const struct budget_term *x = a, *y = b;
	if (x->down != y->down) return x->down < y->down ? -1 : 1;
	return (x->control > y->control) - (x->control < y->control);
}

// The terms as an expression, whose least weight is taken off.
static void end_terms(struct closer *x, struct answer *answer)
{
	struct budget_term *t = x->terms.at;
	uint32_t n = x->terms.n, least = COSTS_NONE;
	burn(x, 1 + n);
	if (!n) return;
	if (n > 1) qsort(t, n, sizeof *t, compare_term);
	for (uint32_t i = 0; i < n; i++) least = t[i].weight < least ? t[i].weight : least;
	for (uint32_t i = 0; i < n; i++) t[i].weight -= least;
	answer->least = least;
	answer->expression = intern_add(&x->expressions, t, n * sizeof *t, NULL);
}

// The known state so many down; STEPS_NONE: it lies below them.
static uint32_t known_below(const struct closer *x, uint32_t top, uint32_t pop)
{
	if (pop > x->known.at[top].height) return STEPS_NONE;
	for (; pop; pop--) top = x->known.at[top].below;
	return top;
}

static struct answer known_answer(const struct closer *x, uint32_t top, uint32_t control)
{
	return x->answers.at[map64_get(&x->answer_of, (uint64_t)top << 32 | control)];
}

// What a list comes to, all that it asks of known states being known.
static struct answer gather(struct closer *x, uint32_t top, const struct cost_list *list)
{
	struct answer answer = {list->final, COSTS_NONE, 0};
	begin_terms(x);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct cost_step *step = &x->c->steps.at[list->first + i];
		uint32_t below = known_below(x, top, step->pop), n;
		if (below == STEPS_NONE) {
			put_term(x, (struct budget_term){step->pop - x->known.at[top].height, step->control, step->weight});
			continue;
		}
		struct answer one = known_answer(x, below, step->control);
		uint32_t final = steps_sum(one.final, step->weight);
		if (final < answer.final) answer.final = final;
		if (one.least == COSTS_NONE) continue;
		const struct budget_term *t = intern_get(&x->expressions, one.expression, &n);
		n /= (uint32_t)sizeof *t;
		burn(x, n);
		for (uint32_t k = 0; k < n; k++)
			put_term(x, (struct budget_term){t[k].down, t[k].control,
			                                 steps_sum(steps_sum(t[k].weight, one.least), step->weight)});
	}
	end_terms(x, &answer);
	return answer;
}

// Of the frame itself it is a term with down 0. Each call inside is at least one state down: at most STEPS_MAX_HEIGHT.
static struct answer find_answer(struct closer *x, uint32_t top, uint32_t control)
{
	uint64_t key = (uint64_t)top << 32 | control, known = map64_get(&x->answer_of, key);
	if (known != MAP64_NONE) return x->answers.at[known];
	const struct cost_list *list = top ? cost_index_list(&x->index, x->known.at[top].state, control) : NULL;
	struct answer answer = {COSTS_NONE, COSTS_NONE, 0};
	if (!top) {
		begin_terms(x);
		put_term(x, (struct budget_term){0, control, 0});
		end_terms(x, &answer);
	} else if (list && burn(x, 1)) {
		for (uint32_t i = 0; i < list->n; i++) {
			const struct cost_step *step = &x->c->steps.at[list->first + i];
			uint32_t below = known_below(x, top, step->pop);
			if (below != STEPS_NONE) find_answer(x, below, step->control);
		}
		answer = gather(x, top, list);
	}
	map64_put(&x->answer_of, key, x->answers.n);
	vec_push(&x->answers, answer);
	return answer;
}

// ---- Pushing.
static void add_known(struct closer *x, uint32_t below, lr_state state, numbers *list)
{
	uint64_t key = (uint64_t)below << 32 | state, known = map64_get(&x->known_of, key);
	if (known == MAP64_NONE) {
		known = x->known.n;
		uint32_t height = x->known.at[below].height + 1;
		x->failed |= known == STEPS_MAX_KNOWN || height == STEPS_MAX_HEIGHT;
		if (x->failed) return;
		map64_put(&x->known_of, key, known);
		vec_push(&x->known, ((struct known){below, state, height}));
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
			vec_push(&x->found, ((struct item){p->length - height, p->lhs, t, conts}));
			return;
		}
		uint32_t below = known_below(x, top, p->length);
		lr_state to = lr_goto(x->lr, x->known.at[below].state, p->lhs);
		if (to) add_known(x, below, to, &x->ways);
	}
}

// Reductions under t and its shift, for what is on `ways`; `tops` are what comes out.
static void push_ways(struct closer *x, uint32_t t, uint32_t conts)
{
	vec_clear(&x->tops);
	while (x->ways.n && burn(x, 1)) {
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
	if (base != COSTS_NONE) vec_push(&x->thresholds, ((struct threshold){expression, base, tokens}));
}

// What follows once a terminal is on the known states.
static void go_on(struct closer *x, uint32_t top, uint32_t conts)
{
	uint32_t n;
	const struct cont *c = intern_get(&x->conts, conts, &n);
	n /= (uint32_t)sizeof *c;
	for (uint32_t i = 0; i < n && burn(x, 1); i++) {
		if (c[i].weight == CUT) {
			add_rest(x, top, c[i].control);
		} else if (c[i].control == COST_AT_END) {
			if (lr_action(x->lr, x->known.at[top].state, x->lr->n_terminals))
				put_threshold(x, 0, c[i].weight, c[i].tokens);
		} else {
			struct answer a = find_answer(x, top, c[i].control);
			put_threshold(x, 0, steps_sum(a.final, c[i].weight), c[i].tokens);
			if (a.least < a.final) put_threshold(x, a.expression, steps_sum(a.least, c[i].weight), c[i].tokens);
		}
	}
}

static void take_ending(struct closer *x, uint32_t top, struct lexeme_end e)
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

static void take_places(struct closer *x)
{
	while (x->places.n && burn(x, 1)) {
		struct top_outcome p = vec_pop(&x->places);
		for (uint32_t i = x->ending_at[p.outcome]; i < x->ending_at[p.outcome + 1] && !x->failed; i++)
			take_ending(x, p.top, x->endings.at[i]);
	}
}

// An item of a node whose pop ends on the frame.
static void take_item(struct closer *x, struct item item)
{
	lr_state to = lr_goto(x->lr, x->known.at[0].state, item.lhs);
	if (!to) return;  // no text has such a stack
	add_known(x, 0, to, &x->ways);
	push_ways(x, item.terminal, item.conts);
	for (uint32_t i = 0; i < x->tops.n && !x->failed; i++) go_on(x, x->tops.at[i], item.conts);
	take_places(x);
}

// ---- A step of what was found.
static int compare_threshold(const void *a, const void *b)
{
	const struct threshold *x = a, *y = b;
	if (x->expression != y->expression) return x->expression < y->expression ? -1 : 1;
	if (x->base != y->base) return x->base < y->base ? -1 : 1;
	return (x->tokens > y->tokens) - (x->tokens < y->tokens);
}

// Notes that the set is allowed from a base on; false where that is known of one as low.
static bool note(struct closer *x, uint64_t *seen, uint32_t base)
{
	if (*seen >> 32 == x->stamp && (uint32_t)*seen <= base) return false;
	*seen = (uint64_t)x->stamp << 32 | base;
	return true;
}

// thresholds[from, to) are of one expression. Sets that are sure with less are left out.
static void add_part(struct closer *x, uint32_t from, uint32_t to)
{
	const struct threshold *t = x->thresholds.at;
	set_id all = SET_EMPTY;
	uint32_t n_before = 0;
	vec_clear(&x->levels);
	vec_clear(&x->level_sets);
	for (uint32_t i = from; i < to; i++) {
		while (x->sure.n <= t[i].tokens) vec_push(&x->sure, 0), vec_push(&x->told, 0);
		uint64_t *sure = &x->sure.at[t[i].tokens];
		bool is_new =
			t[i].expression ? *sure >> 32 != x->stamp || (uint32_t)*sure > t[i].base : note(x, sure, t[i].base);
		uint64_t *told = &x->told.at[t[i].tokens], mark = (uint64_t)x->stamp << 32 | t[i].expression;
		if (is_new && *told != mark) vec_push(&x->level_sets, t[i].tokens), *told = mark;
		if (i + 1 < to && t[i + 1].base == t[i].base) continue;
		if (x->level_sets.n == n_before) continue;
		n_before = 1;
		set_id more = tokensets_union(x->sets, x->level_sets.at, x->level_sets.n);
		vec_clear(&x->level_sets);
		vec_push(&x->level_sets, more);
		if (more != all) vec_push(&x->levels, ((struct budget_level){t[i].base, more}));
		all = more;
	}
	if (!x->levels.n) return;
	uint32_t base = x->levels.at[0].base, n;
	for (uint32_t i = 0; i < x->levels.n; i++) x->levels.at[i].base -= base;
	const struct budget_term *terms = intern_get(&x->expressions, t[from].expression, &n);
	const struct raw_part part = {intern_add(&x->raw->terms, terms, n, NULL), base,
	                              intern_add(&x->raw->levels, x->levels.at, x->levels.n * sizeof *x->levels.at, NULL)};
	vec_push(&x->parts, intern_add(&x->raw->parts, &part, sizeof part, NULL));
}

static int compare_item(const void *a, const void *b) { return memcmp(a, b, sizeof(struct item)); }

static void add_node(struct closer *x, uint32_t items, uint32_t outcome)
{
	vec_push(&x->node_items, items);
	vec_push(&x->node_outcome, outcome);
	x->raw->n_nodes++;
}

// The node of the items found, and how many frames it skips.
static void find_node(struct closer *x, struct raw_step *step)
{
	struct item *at = x->found.at;
	uint32_t n = 0, pop = UINT32_MAX;
	bool is_new;
	if (!x->found.n) return;
	for (uint32_t i = 0; i < x->found.n; i++) pop = at[i].pop < pop ? at[i].pop : pop;
	for (uint32_t i = 0; i < x->found.n; i++) at[i].pop -= pop - 1;
	qsort(at, x->found.n, sizeof *at, compare_item);
	for (uint32_t i = 0; i < x->found.n; i++)
		if (!n || compare_item(&at[n - 1], &at[i])) at[n++] = at[i];
	uint32_t items = intern_add(&x->items, at, n * sizeof *at, &is_new);
	if (is_new) add_node(x, items, STEPS_NONE);  // behind those of outcomes
	step->node = items + x->c->groups.outcomes.n, step->skip = pop - 1;
}

// The states that can lie so many frames below one: n, then they.
static uint32_t states_below(struct closer *x, lr_state s, uint32_t down)
{
	uint64_t known = map64_get(&x->below, (uint64_t)s << 32 | down);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t words = BITS_WORDS(x->lr->n_states);
	bits *level = mem_calloc(words, sizeof *level), *next = mem_calloc(words, sizeof *next);
	bits_set(level, s);
	for (; down--; burn(x, words)) {
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
	vec_clear(&x->thresholds), vec_clear(&x->found), vec_clear(&x->parts);
	if (x->node_outcome.at[node] != STEPS_NONE) {
		vec_push(&x->places, ((struct top_outcome){0, x->node_outcome.at[node]}));
		take_places(x);
	} else {
		uint32_t n;
		const struct item *items = intern_get(&x->items, x->node_items.at[node], &n);
		for (uint32_t i = 0; i < n / sizeof *items && !x->failed; i++) {
			struct item item = items[i];
			if (--item.pop)
				vec_push(&x->found, item);
			else
				take_item(x, item);
		}
	}
	if (x->failed) return;
	burn(x, x->thresholds.n);
	if (x->thresholds.n) qsort(x->thresholds.at, x->thresholds.n, sizeof *x->thresholds.at, compare_threshold);
	x->stamp++;
	for (uint32_t i = 0, end; i < x->thresholds.n; i = end) {
		for (end = i; end < x->thresholds.n && x->thresholds.at[end].expression == x->thresholds.at[i].expression;)
			end++;
		add_part(x, i, end);
	}
	struct raw_step step = {0, STEPS_NONE, 0};
	find_node(x, &step);
	step.parts = intern_add(&x->raw->part_lists, x->parts.at, x->parts.n * sizeof *x->parts.at, NULL);
	vec_push(&x->raw->edges, ((struct raw_edge){s, intern_add(&x->raw->steps, &step, sizeof step, NULL)}));
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

static void ask_starts(struct closer *x, const uint32_t *start_base, uint32_t no_start, uint32_t *start)
{
	const struct cost_groups *g = &x->c->groups;
	uint32_t n_starts = 0;
	for (uint32_t o = 0; o < g->outcomes.n; o++) add_node(x, STEPS_NONE, o);
	for (lex_state q = 0; q < x->lexer->n_states; q++) {
		start[q] = STEPS_NONE;
		uint32_t i = x->way_at[q];
		if (i == x->way_at[q + 1] || g->ways.at[i].remainder) continue;
		start[q] = g->ways.at[i].outcome;
		for (lr_state s = LR_BOTTOM; s < x->lr->n_states && n_starts <= STEPS_MAX_STARTS; s++)
			if (x->lr->between_lexemes[s] &&
			    start_base[(size_t)q * x->lexer->n_contexts + x->lr->context_of[s]] != no_start)
				ask(x, start[q], s), n_starts++;
	}
	x->failed |= n_starts > STEPS_MAX_STARTS;
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
	vec_release(&x->thresholds), vec_release(&x->found), vec_release(&x->places), vec_release(&x->ways);
	vec_release(&x->tops), vec_release(&x->parts), vec_release(&x->levels), vec_release(&x->level_sets);
	vec_release(&x->told), vec_release(&x->sure);
}

static void raw_steps_release(struct raw_steps *raw)
{
	intern_release(&raw->terms), intern_release(&raw->levels), intern_release(&raw->parts);
	intern_release(&raw->part_lists), intern_release(&raw->steps);
	vec_release(&raw->edges), vec_release(&raw->edge_node);
}

void budget_steps_build(const struct costs *c, const struct lr *lr, const uint32_t *start_base, uint32_t no_start,
                        struct tokensets *sets, struct budget_steps *out)
{
	struct raw_steps raw = {0};
	struct closer x = {.c = c, .lr = lr, .lexer = c->rows.lexer, .sets = sets, .raw = &raw};
	*out = (struct budget_steps){0};
	if (c->model == COSTS_OFF || x.lexer->indentation) return;
	uint32_t *start = mem_calloc(x.lexer->n_states, sizeof *start);
	x.todo = mem_calloc(lr->n_states, sizeof *x.todo);
	vec_push(&x.known, ((struct known){0}));
	intern_add(&x.expressions, NULL, 0, NULL);
	index_tables(&x);
	ask_starts(&x, start_base, no_start, start);
	if (!x.failed) find_endings(&x);
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
