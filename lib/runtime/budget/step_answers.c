// What known states answer, as expressions of what the frames below them answer; and the thresholds of a step.
//
// In:  a few known states above unknown frames; a question to one of them.  Out: the least of a number and an
// expression (step_build.h): terms, each a question to a frame below with so many tokens more. Answers of known states
// rest on one another, and are found once for each step. The frame that was read, [0], is a term itself; where a step
// is made for good, what [0] answers is put in its place (ask_known), so that masks need not ask it. Cost: a look-up
// for each term.
#include "step_build.h"

#include <stdlib.h>

#include "price.h"

// ---- Answers on known states.
static int compare_term(const void *a, const void *b) { return compare_words(a, b, 2); }

static uint32_t hash_terms(const struct build_term *t, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++) h = hash_add_fold(hash_add_fold(h, t[i].control), t[i].down << 16 ^ t[i].weight);
	return (uint32_t)h;
}

// The expression of the terms, each pair of which stands there once; their least weight is taken off.
static gcdc_status find_expression(struct step_builder *b, struct build_answer *answer)
{
	struct step_scratch *s = b->s;
	struct build_term *t = s->terms.at;
	uint32_t n = s->terms.n, first = s->kept.n;
	bool is_new;
	answer->least = PRICE_NEVER, answer->expression = 0;
	if (!n) return GCDC_OK;
	qsort(t, n, sizeof *t, compare_term);
	for (uint32_t i = 0; i < n; i++) answer->least = t[i].weight < answer->least ? t[i].weight : answer->least;
	for (uint32_t i = 0; i < n; i++) t[i].weight -= answer->least;
	for (uint32_t probe = 0, hash = hash_terms(t, n);; probe++) {
		uint32_t *known = pair_map_add(b->memory, &s->expression_of, hash, probe, &is_new);
		if (!known) return GCDC_ERR_MEMORY;
		if (is_new) {
			answer->expression = *known = s->expressions.n;
			break;
		}
		const struct expression *x = &s->expressions.at[*known];
		if (x->n != n || memcmp(s->kept.at + x->first, t, n * sizeof *t) != 0) continue;
		answer->expression = *known;
		return GCDC_OK;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!PUSH(b->memory, &s->kept, t[i])) return GCDC_ERR_MEMORY;
	return PUSH(b->memory, &s->expressions, (struct expression){first, n}) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// A term of the answer at hand, once for each pair.
static bool put_term(struct step_builder *b, struct build_term t)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *known = pair_map_add(b->memory, &s->term_of, t.down, t.control, &is_new);
	if (!known) return false;
	if (is_new) {
		*known = s->terms.n;
		return PUSH(b->memory, &s->terms, t);
	}
	if (t.weight < s->terms.at[*known].weight) s->terms.at[*known].weight = t.weight;
	return true;
}

// The terms of what [0] answers to a term's question.
static bool put_steps(struct step_builder *b, struct build_term t, uint32_t *final)
{
	const struct artifact_cost_list *list = price_list(b->a, b->s->known.at[0].lr_state, t.control);
	bool ok = true;
	if (!list) return true;
	uint32_t end = price_sum(list->final, t.weight);
	if (end < *final) *final = end;
	for (uint32_t i = 0; i < list->n && ok; i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		ok = put_term(b, (struct build_term){step->pop, step->control, price_sum(step->weight, t.weight)});
	}
	return ok;
}

// The known state that a step of an answer asks; NONE: it lies below them.
static uint32_t asked_by(const struct step_scratch *s, uint32_t top, uint32_t pop)
{
	if (pop > s->known.at[top].height) return ARTIFACT_NONE;
	for (; pop; pop--) top = s->known.at[top].below;
	return top;
}

// A term of the answer at hand, as asked of a top: known states have answered, frames below are left to be asked.
static gcdc_status take_term(struct step_builder *b, uint32_t top, struct build_term t, uint32_t *final)
{
	struct step_scratch *s = b->s;
	uint32_t below = asked_by(s, top, t.down);
	if (below == ARTIFACT_NONE) {
		t.down -= s->known.at[top].height;
		return put_term(b, t) ? GCDC_OK : GCDC_ERR_MEMORY;
	}
	const uint32_t *known = pair_map_get(&s->answer_of, below, t.control);
	if (!known) return GCDC_ERR_INTERNAL;
	const struct build_answer x = s->answers.at[*known];
	uint32_t end = price_sum(x.final, t.weight);
	if (end < *final) *final = end;
	if (x.least == PRICE_NEVER) return GCDC_OK;
	const struct expression e = s->expressions.at[x.expression];
	for (uint32_t k = 0; k < e.n; k++) {
		struct build_term inner = s->kept.at[e.first + k];
		inner.weight = price_sum(price_sum(inner.weight, x.least), t.weight);
		if (!put_term(b, inner)) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

// The terms of a known state's answer, the answers that it rests on being known.
static gcdc_status gather_terms(struct step_builder *b, uint32_t top, uint32_t control,
                                const struct artifact_cost_list *list, struct build_answer *answer)
{
	struct step_scratch *s = b->s;
	gcdc_status status = GCDC_OK;
	s->terms.n = 0;
	pair_map_clear(&s->term_of);
	if (!top) {
		answer->expression = 0;
		return put_term(b, (struct build_term){0, control, 0}) ? find_expression(b, answer) : GCDC_ERR_MEMORY;
	}
	answer->final = list->final;
	for (uint32_t i = 0; i < list->n && !status && burn(b); i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		status = take_term(b, top, (struct build_term){step->pop, step->control, step->weight}, &answer->final);
	}
	return status ? status : find_expression(b, answer);
}

// What a known state answers, where [0] is asked as if it were a frame below: terms with down 0. Each call inside is at
// least one state down: at most HEIGHT_MAX of them.
static gcdc_status find_answer(struct step_builder *b, uint32_t top, uint32_t control, struct build_answer *answer)
{
	struct step_scratch *s = b->s;
	const uint32_t *known = pair_map_get(&s->answer_of, top, control);
	if (known) {
		*answer = s->answers.at[*known];
		return GCDC_OK;
	}
	const struct artifact_cost_list *list = price_list(b->a, s->known.at[top].lr_state, control);
	gcdc_status status = GCDC_OK;
	*answer = (struct build_answer){PRICE_NEVER, PRICE_NEVER, 0};
	for (uint32_t i = 0; top && list && i < list->n && !status && !s->open; i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		uint32_t below = asked_by(s, top, step->pop);
		struct build_answer unused;
		if (below != ARTIFACT_NONE) status = find_answer(b, below, step->control, &unused);
	}
	if (list && !status && !s->open) status = gather_terms(b, top, control, list, answer);
	if (status || s->open) return status;
	bool is_new;
	uint32_t *to = pair_map_add(b->memory, &s->answer_of, top, control, &is_new);
	if (!to || !PUSH(b->memory, &s->answers, *answer)) return GCDC_ERR_MEMORY;
	*to = s->answers.n - 1;
	return GCDC_OK;
}

// The answer with what [0] answers put in its place. Expressions are few, answers many: so each is done once.
static gcdc_status ask_known(struct step_builder *b, struct build_answer *answer)
{
	struct step_scratch *s = b->s;
	bool is_new;
	if (answer->least == PRICE_NEVER) return GCDC_OK;
	const uint32_t *known = pair_map_get(&s->answer_of, ARTIFACT_NONE, answer->expression);
	struct build_answer x = {PRICE_NEVER, PRICE_NEVER, 0};
	if (known) {
		x = s->answers.at[*known];
	} else {
		const struct expression e = s->expressions.at[answer->expression];
		s->terms.n = 0;
		pair_map_clear(&s->term_of);
		for (uint32_t i = 0; i < e.n; i++) {
			const struct build_term t = s->kept.at[e.first + i];
			if (!(t.down ? put_term(b, t) : put_steps(b, t, &x.final))) return GCDC_ERR_MEMORY;
		}
		gcdc_status status = find_expression(b, &x);
		uint32_t *to = pair_map_add(b->memory, &s->answer_of, ARTIFACT_NONE, answer->expression, &is_new);
		if (status || !to || !PUSH(b->memory, &s->answers, x)) return status ? status : GCDC_ERR_MEMORY;
		*to = s->answers.n - 1;
	}
	uint32_t final = price_sum(x.final, answer->least);
	if (final < answer->final) answer->final = final;
	answer->least = price_sum(x.least, answer->least);
	answer->expression = x.expression;
	return GCDC_OK;
}

// A threshold, unless one with a base no higher is there.
static bool put_threshold(struct step_builder *b, struct build_threshold l)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *known = pair_map_add(b->memory, &s->threshold_of, l.expression, l.set, &is_new);
	if (!known) return false;
	if (!*known) {
		*known = s->thresholds.n + 1;
		return PUSH(b->memory, &s->thresholds, l);
	}
	if (l.base < s->thresholds.at[*known - 1].base) s->thresholds.at[*known - 1].base = l.base;
	return true;
}

// A set of tokens fits at `weight` more than an answer. Where [0] is not left to be asked, its answer is put in.
static gcdc_status put_answer(struct step_builder *b, struct build_answer x, uint32_t weight, uint32_t set)
{
	bool ok = true;
	if (x.final != PRICE_NEVER) ok = put_threshold(b, (struct build_threshold){0, price_sum(x.final, weight), set});
	if (ok && x.least != PRICE_NEVER && x.least < x.final)
		ok = put_threshold(b, (struct build_threshold){x.expression, price_sum(x.least, weight), set});
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

gcdc_status step_add_threshold(struct step_builder *b, uint32_t top, uint32_t control, uint32_t weight, uint32_t set)
{
	struct step_scratch *s = b->s;
	if (control == COST_AT_END) {
		bool ends = artifact_action(b->a, s->known.at[top].lr_state, b->a->info.n_terminals) != 0;
		return !ends || put_threshold(b, (struct build_threshold){0, weight, set}) ? GCDC_OK : GCDC_ERR_MEMORY;
	}
	struct build_answer x;
	gcdc_status status = find_answer(b, top, control, &x);
	if (!status && !s->open && b->puts_answers) status = ask_known(b, &x);
	if (status || !burn(b)) return status;
	return put_answer(b, x, weight, set);
}

// What the terms of a summary's expression come to on a top. Words: (pair, weight); pairs: (down, question).
static gcdc_status terms_on(struct step_builder *b, uint32_t top, const uint32_t *pairs, const uint32_t *terms,
                            uint32_t n, struct build_answer *x)
{
	struct step_scratch *s = b->s;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !status && !s->open; i++) {
		const uint32_t *pair = pairs + 2 * terms[2 * i];
		uint32_t below = asked_by(s, top, pair[0]);
		if (below != ARTIFACT_NONE) status = find_answer(b, below, pair[1], x);
	}
	*x = (struct build_answer){PRICE_NEVER, PRICE_NEVER, 0};
	s->terms.n = 0;
	pair_map_clear(&s->term_of);
	for (uint32_t i = 0; i < n && !status && !s->open && burn(b); i++) {
		const uint32_t *pair = pairs + 2 * terms[2 * i];
		status = take_term(b, top, (struct build_term){pair[0], pair[1], terms[2 * i + 1]}, &x->final);
	}
	return status || s->open ? status : find_expression(b, x);
}

// What an expression of a summary comes to on a top; mostly it is one question to a known state.
static gcdc_status answer_on(struct step_builder *b, uint32_t top, const uint32_t *pairs, const uint32_t *w,
                             struct build_answer *x)
{
	uint32_t n = w[0], below = n == 1 ? asked_by(b->s, top, pairs[2 * w[1]]) : ARTIFACT_NONE;
	gcdc_status status;
	*x = (struct build_answer){0, PRICE_NEVER, 0};
	if (!n) return GCDC_OK;
	if (below != ARTIFACT_NONE) {
		assert(!w[2]);  // find_expression has taken the least weight off
		status = find_answer(b, below, pairs[2 * w[1] + 1], x);
	} else {
		status = terms_on(b, top, pairs, w + 1, n, x);
	}
	return !status && !b->s->open && b->puts_answers ? ask_known(b, x) : status;
}

gcdc_status step_add_body(struct step_builder *b, uint32_t top, uint32_t body)
{
	const uint32_t *w = b->x->words.at + body, *pairs = w + 1;
	w += 1 + 2 * w[0];
	gcdc_status status = GCDC_OK;
	for (uint32_t n_expressions = *w++; n_expressions && !status && !b->s->open; n_expressions--) {
		struct build_answer x;
		status = answer_on(b, top, pairs, w, &x);
		w += 1 + 2 * w[0];
		uint32_t n_bases = w[0], n_sets = w[1];
		const uint32_t *bases = w + 2, *sets = bases + 2 * n_bases;
		for (uint32_t k = 0, i = 0; k < n_bases; k++)
			for (; i < bases[2 * k + 1] && !status && burn(b); i++) status = put_answer(b, x, bases[2 * k], sets[i]);
		w = sets + n_sets;
	}
	return status;
}
