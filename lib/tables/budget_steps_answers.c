// What a control needs on states that are known, told by questions to the frame below them.
//
// In:  the transitions of costs, a known state. Out: a number, or a least number and an expression over the frame:
// pairs (frames down, control), each with a weight. It is the same above every frame, and made once for a frame's
// state.
// Cost: each known state and control once, with the terms of what lies below.
#include "budget_steps_internal.h"
#include "../base/sort_records.h"

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
SORT_RECORDS(sort_terms, struct budget_term, compare_term)

// The terms as an expression, whose least weight is taken off.
static void end_terms(struct closer *x, struct closer_answer *answer)
{
	struct budget_term *t = x->terms.at;
	uint32_t n = x->terms.n, least = COSTS_NONE;
	closer_burn(x, 1 + n);
	if (!n) return;
	sort_terms(t, n);
	for (uint32_t i = 0; i < n; i++) least = t[i].weight < least ? t[i].weight : least;
	for (uint32_t i = 0; i < n; i++) t[i].weight -= least;
	answer->least = least;
	answer->expression = intern_add(&x->expressions, t, n * sizeof *t, NULL);
}

uint32_t closer_known_below(const struct closer *x, uint32_t top, uint32_t pop)
{
	if (pop > x->known.at[top].height) return STEPS_NONE;
	for (; pop; pop--) top = x->known.at[top].below;
	return top;
}

static struct closer_answer known_answer(const struct closer *x, uint32_t top, uint32_t control)
{
	return x->answers.at[map64_get(&x->answer_of, (uint64_t)top << 32 | control)];
}

// What a list comes to, all that it asks of known states being known.
static struct closer_answer gather(struct closer *x, uint32_t top, const struct cost_list *list)
{
	struct closer_answer answer = {list->final, COSTS_NONE, 0};
	begin_terms(x);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct cost_step *step = &x->c->steps.at[list->first + i];
		uint32_t below = closer_known_below(x, top, step->pop), n;
		if (below == STEPS_NONE) {
			put_term(x, (struct budget_term){step->pop - x->known.at[top].height, step->control, step->weight});
			continue;
		}
		struct closer_answer one = known_answer(x, below, step->control);
		uint32_t final = steps_sum(one.final, step->weight);
		if (final < answer.final) answer.final = final;
		if (one.least == COSTS_NONE) continue;
		const struct budget_term *t = intern_get(&x->expressions, one.expression, &n);
		n /= (uint32_t)sizeof *t;
		closer_burn(x, n);
		for (uint32_t k = 0; k < n; k++)
			put_term(x, (struct budget_term){t[k].down, t[k].control,
			                                 steps_sum(steps_sum(t[k].weight, one.least), step->weight)});
	}
	end_terms(x, &answer);
	return answer;
}

// Each call inside is at least one state down: at most STEPS_MAX_HEIGHT.
struct closer_answer closer_answer(struct closer *x, uint32_t top, uint32_t control)
{
	uint64_t key = (uint64_t)top << 32 | control, known = map64_get(&x->answer_of, key);
	if (known != MAP64_NONE) return x->answers.at[known];
	const struct cost_list *list = top ? cost_index_list(&x->index, x->known.at[top].state, control) : NULL;
	struct closer_answer answer = {COSTS_NONE, COSTS_NONE, 0};
	if (!top) {
		begin_terms(x);
		put_term(x, (struct budget_term){0, control, 0});
		end_terms(x, &answer);
	} else if (list && closer_burn(x, 1)) {
		for (uint32_t i = 0; i < list->n; i++) {
			const struct cost_step *step = &x->c->steps.at[list->first + i];
			uint32_t below = closer_known_below(x, top, step->pop);
			if (below != STEPS_NONE) closer_answer(x, below, step->control);
		}
		answer = gather(x, top, list);
	}
	map64_put(&x->answer_of, key, x->answers.n);
	vec_push(&x->answers, answer);
	return answer;
}
