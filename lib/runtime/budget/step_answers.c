// What known states answer, as expressions of what the frames below them answer; and the thresholds of a step.
//
// In:  a few known states above unknown frames; an expression of what the topmost answers.  Out: the least of a number
// and an expression of what the frame below answers: terms, each a question to a frame so far down with so many tokens
// more. An expression goes down one known state at a time: each term that asks this state becomes what the state
// answers. What comes of (expression, state) is of the artifact alone, so the store keeps it for all steps (.lowered).
// The frame that was read, [0], is a term itself; where a step is made for good, it is gone through, too, so that masks
// need not ask it. Cost: a look-up for each expression and known state; a new one takes a look-up for each term.
#include "step_build.h"

#include <stdlib.h>

#include "price.h"

// ---- Expressions: their terms are lists of the store's, in order, the least weight being 0. [0] has none.
static int compare_term(const void *a, const void *b) { return compare_words(a, b, 2); }

static void sort_terms(struct build_term *t, uint32_t n)
{
	if (n > FEW_TERMS) {
		qsort(t, n, sizeof *t, compare_term);
		return;
	}
	for (uint32_t i = 1, k; i < n; i++) {
		const struct build_term x = t[i];
		for (k = i; k && compare_term(&x, &t[k - 1]) < 0; k--) t[k] = t[k - 1];
		t[k] = x;
	}
}

// That of the terms at hand, each pair of which stands there once.
static gcdc_status find_expression(struct step_builder *b, struct build_answer *answer)
{
	struct build_term *t = b->s->terms.at;
	uint32_t n = b->s->terms.n;
	bool is_new;
	answer->least = PRICE_NEVER, answer->expression = 0;
	if (!n) return GCDC_OK;
	sort_terms(t, n);
	for (uint32_t i = 0; i < n; i++) answer->least = t[i].weight < answer->least ? t[i].weight : answer->least;
	for (uint32_t i = 0; i < n; i++) t[i].weight -= answer->least;
	uint32_t list = word_lists_add(b->memory, &b->x->expressions, (const uint32_t *)t, n * TERM_WORDS, &is_new);
	answer->expression = list + 1;
	return list != ARTIFACT_NONE ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Those of .terms into the map, which takes over.
static bool map_terms(struct step_builder *b)
{
	struct step_scratch *s = b->s;
	bool is_new;
	pair_map_clear(&s->term_of);
	for (uint32_t i = 0; i < s->terms.n; i++) {
		uint32_t *known = pair_map_put(b->memory, &s->term_of, s->terms.at[i].down, s->terms.at[i].control, &is_new);
		if (!known) return false;
		*known = i;
	}
	return true;
}

// A term of the answer at hand, once for each pair. A few are compared, more are looked up.
static bool put_term(struct step_builder *b, struct build_term t)
{
	struct step_scratch *s = b->s;
	uint32_t n = s->terms.n;
	bool is_new;
	for (uint32_t i = 0; i < n && n <= FEW_TERMS; i++) {
		struct build_term *x = &s->terms.at[i];
		if (x->down != t.down || x->control != t.control) continue;
		if (t.weight < x->weight) x->weight = t.weight;
		return true;
	}
	if (n < FEW_TERMS) return PUSH(b->memory, &s->terms, t);
	if (n == FEW_TERMS && !map_terms(b)) return false;
	uint32_t *known = pair_map_put(b->memory, &s->term_of, t.down, t.control, &is_new);
	if (!known) return false;
	if (is_new) {
		*known = n;
		return PUSH(b->memory, &s->terms, t);
	}
	if (t.weight < s->terms.at[*known].weight) s->terms.at[*known].weight = t.weight;
	return true;
}

// ---- Answers on known states.
// A term, one state further down: what asks that state becomes what it answers.
static bool lower_term(struct step_builder *b, struct build_term t, uint32_t lr_state, uint32_t *final)
{
	if (t.down) return put_term(b, (struct build_term){t.down - 1, t.control, t.weight});
	if (t.control == COST_AT_END) {
		bool ends = artifact_action(b->a, lr_state, b->a->info.n_terminals) != 0;
		if (ends && t.weight < *final) *final = t.weight;
		return true;
	}
	const struct artifact_cost_list *list = price_list(b->a, lr_state, t.control);
	bool ok = true;
	if (!list) return true;
	uint32_t end = price_sum(list->final, t.weight);
	if (end < *final) *final = end;
	for (uint32_t i = 0; i < list->n && ok && burn(b); i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		assert(step->pop);
		ok = put_term(b, (struct build_term){step->pop - 1, step->control, price_sum(step->weight, t.weight)});
	}
	return ok;
}

static gcdc_status lower_anew(struct step_builder *b, uint32_t expression, uint32_t lr_state, struct build_answer *x)
{
	const struct stored_words *l = &b->x->expressions.list[expression - 1];
	*x = (struct build_answer){.final = PRICE_NEVER};
	b->s->terms.n = 0;
	for (uint32_t i = 0; i < l->n; i += TERM_WORDS) {
		struct build_term t;
		memcpy(&t, b->x->words.at + l->at + i, sizeof t);
		if (!lower_term(b, t, lr_state, &x->final)) return GCDC_ERR_MEMORY;
	}
	return find_expression(b, x);
}

// What an expression over a frame of this state comes to, over the frame below it.
static gcdc_status lower(struct step_builder *b, uint32_t expression, uint32_t lr_state, struct build_answer *x)
{
	struct step_store *store = b->x;
	bool is_new;
	uint32_t *known = pair_map_put(b->memory, &store->lowered_of, expression, lr_state, &is_new);
	if (!known) return GCDC_ERR_MEMORY;
	if (*known) {
		*x = store->lowered[*known - 1];
		return GCDC_OK;
	}
	gcdc_status status = lower_anew(b, expression, lr_state, x);
	if (status || b->s->open) return status;
	if (store->n_lowered == store->lowered_cap &&
	    !vector_grow(b->memory, (void **)&store->lowered, &store->lowered_cap, sizeof *store->lowered))
		return GCDC_ERR_MEMORY;
	store->lowered[store->n_lowered] = *x;
	*known = ++store->n_lowered;
	return GCDC_OK;
}

// What an expression over a known state comes to over [0], or over the frame below it.
static gcdc_status answer_on(struct step_builder *b, uint32_t top, uint32_t expression, struct build_answer *x)
{
	const struct build_known *known = b->s->known.at;
	gcdc_status status = GCDC_OK;
	*x = (struct build_answer){expression ? PRICE_NEVER : 0, expression ? 0 : PRICE_NEVER, expression};
	while (x->expression && (top || b->s->puts_answers) && !status && burn(b)) {
		struct build_answer below = {PRICE_NEVER, PRICE_NEVER, 0};
		status = lower(b, x->expression, known[top].lr_state, &below);
		uint32_t end = price_sum(x->least, below.final);
		if (end < x->final) x->final = end;
		x->least = price_sum(x->least, below.least);
		x->expression = below.expression;
		if (!top) break;
		top = known[top].below;
	}
	return status;
}

// A threshold, unless one with a base no higher is there.
static bool put_threshold(struct step_builder *b, struct build_threshold l)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *known = pair_map_put(b->memory, &s->threshold_of, l.expression, l.set, &is_new);
	if (!known) return false;
	if (!*known) {
		*known = s->thresholds.n + 1;
		return PUSH(b->memory, &s->thresholds, l);
	}
	if (l.base < s->thresholds.at[*known - 1].base) s->thresholds.at[*known - 1].base = l.base;
	return true;
}

// The number that this step has for an expression.
static uint32_t *number_of(struct step_builder *b, uint32_t expression)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *known = pair_map_put(b->memory, &s->expression_of, expression, 0, &is_new);
	if (!known || !is_new) return known;
	*known = s->expressions.n;
	return vec32_push(b->memory, &s->expressions, expression) ? known : NULL;
}

// A set of tokens fits at `weight` more than an answer, whose expression has this number.
static bool put_answer(struct step_builder *b, const struct build_answer *x, uint32_t number, uint32_t weight,
                       uint32_t set)
{
	bool ok = true;
	if (x->final != PRICE_NEVER) ok = put_threshold(b, (struct build_threshold){0, price_sum(x->final, weight), set});
	if (ok && x->least < x->final)
		ok = put_threshold(b, (struct build_threshold){number, price_sum(x->least, weight), set});
	return ok;
}

gcdc_status step_add_threshold(struct step_builder *b, uint32_t control, uint32_t weight, uint32_t set)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *number = pair_map_put(b->memory, &s->number_of_control, control, 0, &is_new);
	if (!number) return GCDC_ERR_MEMORY;
	if (is_new) {
		struct build_answer x;
		s->terms.n = 0;
		if (!put_term(b, (struct build_term){0, control, 0}) || find_expression(b, &x)) return GCDC_ERR_MEMORY;
		const uint32_t *known = number_of(b, x.expression);
		if (!known) return GCDC_ERR_MEMORY;
		*number = *known;
	}
	return put_threshold(b, (struct build_threshold){*number, weight, set}) ? GCDC_OK : GCDC_ERR_MEMORY;
}

gcdc_status step_add_body(struct step_builder *b, uint32_t top, uint32_t body)
{
	gcdc_status status = GCDC_OK;
	const uint32_t *n_expressions = b->x->words.at + body;
	uint32_t at = body + 1;
	for (uint32_t n = *n_expressions; n && !status && !b->s->open; n--) {
		struct build_answer x;
		status = answer_on(b, top, b->x->words.at[at], &x);  // more words, which may move
		const uint32_t none = 0, *number = status ? NULL : x.least < x.final ? number_of(b, x.expression) : &none;
		if (!number) return status ? status : GCDC_ERR_MEMORY;
		const uint32_t *w = b->x->words.at + at + 1;
		uint32_t n_bases = w[0], n_sets = w[1];
		const uint32_t *bases = w + 2, *sets = bases + 2 * n_bases;
		bool ok = true;
		for (uint32_t k = 0, i = 0; k < n_bases; k++)
			for (; i < bases[2 * k + 1] && ok && burn(b); i++) ok = put_answer(b, &x, *number, bases[2 * k], sets[i]);
		if (!ok) return GCDC_ERR_MEMORY;
		at += 3 + 2 * n_bases + n_sets;
	}
	return status;
}
