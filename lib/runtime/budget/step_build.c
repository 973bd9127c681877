// Makes steps: pricing where only the upper union of a stack is known.
//
// In:  an artifact with tables of costs; a lexer state with the state of the top, or a node with the state of the frame
// that it reads.  Out: the step for them (step_table.h). The same as pricing group by group on a stack
// (budget.c), except that the stack is a few known states above unknown frames. Terminals are pushed on the
// known states; a reduction that goes below them is an item of the next node. Questions are answered on the known
// states, down to questions to frames below, which are the terms of expressions. A group with several ways to end is
// allowed by any of them, so each is a threshold of its own: nothing waits for what a deeper frame says. Cost:
// terminals of the groups x known states, once for each place visited. Bounded by STEP_FUEL and KNOWN_MAX.
#include "step_build.h"

#include <stdlib.h>

#include "price.h"

static bool burn(struct builder *b)
{
	if (b->s->fuel) return b->s->fuel--, true;
	b->s->open = true;
	return false;
}

// ---- Answers on known states.
static int compare_term(const void *a, const void *b) { return compare_words(a, b, 2); }

static uint32_t hash_terms(const struct term *t, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++) h = hash_add_fold(hash_add_fold(h, t[i].control), t[i].down << 16 ^ t[i].weight);
	return (uint32_t)h;
}

// The expression of the terms, each pair of which stands there once; their least weight is taken off.
static gcdc_status find_expression(struct builder *b, struct answer *answer)
{
	struct step_scratch *s = b->s;
	struct term *t = s->terms.at;
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
static bool put_term(struct builder *b, struct term t)
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
static bool put_steps(struct builder *b, struct term t, uint32_t *final)
{
	const struct artifact_cost_list *list = price_list(b->a, b->s->known.at[0].lr_state, t.control);
	bool ok = true;
	if (!list) return true;
	uint32_t end = price_sum(list->final, t.weight);
	if (end < *final) *final = end;
	for (uint32_t i = 0; i < list->n && ok; i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		ok = put_term(b, (struct term){step->pop, step->control, price_sum(step->weight, t.weight)});
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

// The terms of a known state's answer, the answers that it rests on being known.
static gcdc_status gather_terms(struct builder *b, uint32_t top, uint32_t control,
                                const struct artifact_cost_list *list, struct answer *answer)
{
	struct step_scratch *s = b->s;
	s->terms.n = 0;
	pair_map_clear(&s->term_of);
	if (!top) {
		answer->expression = 0;
		return put_term(b, (struct term){0, control, 0}) ? find_expression(b, answer) : GCDC_ERR_MEMORY;
	}
	answer->final = list->final;
	for (uint32_t i = 0; i < list->n && burn(b); i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		uint32_t below = asked_by(s, top, step->pop);
		if (below == ARTIFACT_NONE) {
			uint32_t down = step->pop - s->known.at[top].height;
			if (!put_term(b, (struct term){down, step->control, step->weight})) return GCDC_ERR_MEMORY;
			continue;
		}
		const uint32_t *known = pair_map_get(&s->answer_of, below, step->control);
		if (!known) return GCDC_ERR_INTERNAL;
		const struct answer x = s->answers.at[*known];
		uint32_t final = price_sum(x.final, step->weight);
		if (final < answer->final) answer->final = final;
		if (x.least == PRICE_NEVER) continue;
		const struct expression e = s->expressions.at[x.expression];
		for (uint32_t k = 0; k < e.n; k++) {
			struct term t = s->kept.at[e.first + k];
			t.weight = price_sum(price_sum(t.weight, x.least), step->weight);
			if (!put_term(b, t)) return GCDC_ERR_MEMORY;
		}
	}
	return find_expression(b, answer);
}

// What a known state answers, where [0] is asked as if it were a frame below: terms with down 0. Each call inside is at
// least one state down: at most HEIGHT_MAX of them.
static gcdc_status find_answer(struct builder *b, uint32_t top, uint32_t control, struct answer *answer)
{
	struct step_scratch *s = b->s;
	const uint32_t *known = pair_map_get(&s->answer_of, top, control);
	if (known) {
		*answer = s->answers.at[*known];
		return GCDC_OK;
	}
	const struct artifact_cost_list *list = price_list(b->a, s->known.at[top].lr_state, control);
	gcdc_status status = GCDC_OK;
	*answer = (struct answer){PRICE_NEVER, PRICE_NEVER, 0};
	for (uint32_t i = 0; top && list && i < list->n && !status && !s->open; i++) {
		const struct artifact_cost_step *step = &b->a->cost_steps[list->first + i];
		uint32_t below = asked_by(s, top, step->pop);
		struct answer unused;
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
static gcdc_status ask_known(struct builder *b, struct answer *answer)
{
	struct step_scratch *s = b->s;
	bool is_new;
	if (answer->least == PRICE_NEVER) return GCDC_OK;
	const uint32_t *known = pair_map_get(&s->answer_of, ARTIFACT_NONE, answer->expression);
	struct answer x = {PRICE_NEVER, PRICE_NEVER, 0};
	if (known) {
		x = s->answers.at[*known];
	} else {
		const struct expression e = s->expressions.at[answer->expression];
		s->terms.n = 0;
		pair_map_clear(&s->term_of);
		for (uint32_t i = 0; i < e.n; i++) {
			const struct term t = s->kept.at[e.first + i];
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
static bool put_threshold(struct builder *b, struct threshold l)
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

// A set of tokens ends on this top with `weight` tokens to come and then the question.
static gcdc_status add_threshold(struct builder *b, uint32_t top, uint32_t control, uint32_t weight, uint32_t set)
{
	struct step_scratch *s = b->s;
	if (control == COST_AT_END) {
		bool ends = artifact_action(b->a, s->known.at[top].lr_state, b->a->info.n_terminals) != 0;
		return !ends || put_threshold(b, (struct threshold){0, weight, set}) ? GCDC_OK : GCDC_ERR_MEMORY;
	}
	struct answer x;
	gcdc_status status = find_answer(b, top, control, &x);
	if (!status && !s->open) status = ask_known(b, &x);
	if (status || !burn(b)) return status;
	bool ok = true;
	if (x.final != PRICE_NEVER) ok = put_threshold(b, (struct threshold){0, price_sum(x.final, weight), set});
	if (ok && x.least != PRICE_NEVER && x.least < x.final)
		ok = put_threshold(b, (struct threshold){x.expression, price_sum(x.least, weight), set});
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// ---- Continuations of an outcome, by terminal: in .words (terminal, list) each, ended by END. The list, in .conts of
// the table, has three words each: weight, question, set; or CUT, rest, set; or LINE, set, 0: a newline that decides
// columns is pending. Equal ones are one, so that items of many outcomes are the same.
enum { CUT = UINT32_MAX, END = UINT32_MAX - 1, LINE = UINT32_MAX - 2 };
#define CONT_WORDS 4u  // while they are put in order: terminal and three

static inline const uint32_t *conts_at(const struct builder *b, uint32_t list, uint32_t *n)
{
	const struct word_list *l = &b->x->conts.list[list];
	*n = l->n / (CONT_WORDS - 1);
	return b->x->unions.words.at + l->at;
}

// Those in .conts go to .words, by terminal; within one in their order.
// Branches: a counting sort whose every push may fail.
static bool write_conts(struct builder *b, uint32_t *at)
{
	struct vec32 *c = &b->s->conts, *words = &b->x->unions.words, *first = &b->s->first, *key = &b->s->key;
	uint32_t n_terminals = b->a->info.n_terminals + 1,
			 n = c->n / CONT_WORDS;  // one more: the pending newline; then NONE
	bool ok = true, is_new;
	first->n = 0;
	for (uint32_t t = 0; t < n_terminals + 2 && ok; t++) ok = vec32_push(b->memory, first, 0);
#define OF(i) (c->at[(i)*CONT_WORDS] < n_terminals ? c->at[(i)*CONT_WORDS] : n_terminals)
	for (uint32_t i = 0; i < n && ok; i++) first->at[OF(i) + 1]++;
	for (uint32_t t = 1; t < n_terminals + 2 && ok; t++) first->at[t] += first->at[t - 1];
	key->n = 0;  // those in order, then (terminal, list)
	for (uint32_t i = 0; i < (CONT_WORDS - 1) * n && ok; i++) ok = vec32_push(b->memory, key, 0);
	for (uint32_t i = 0; i < n && ok; i++)
		memcpy(key->at + (CONT_WORDS - 1) * first->at[OF(i)]++, c->at + i * CONT_WORDS + 1,
		       (CONT_WORDS - 1) * sizeof *c->at);
#undef OF
	uint32_t pairs = key->n;
	for (uint32_t t = 0, from = 0; t <= n_terminals && ok; from = first->at[t++]) {
		if (first->at[t] == from) continue;
		uint32_t list = word_lists_add(b->x, &b->x->conts, key->at + (CONT_WORDS - 1) * from,
		                               (CONT_WORDS - 1) * (first->at[t] - from), &is_new);
		ok = list != ARTIFACT_NONE && vec32_push(b->memory, key, t < n_terminals ? t : ARTIFACT_NONE) &&
		     vec32_push(b->memory, key, list);
	}
	*at = words->n;
	for (uint32_t i = pairs; i < key->n && ok; i++) ok = vec32_push(b->memory, words, key->at[i]);
	return ok && vec32_push(b->memory, words, END);
}

// Branches: three kinds of continuations (a pending line, emissions of a row, cuts), and every push may fail.
static gcdc_status conts_of(struct builder *b, uint32_t outcome, uint32_t *at)
{
	bool is_new;
	uint32_t *known = pair_map_add(b->memory, &b->x->of_outcome, outcome, 0, &is_new);
	if (!known) return GCDC_ERR_MEMORY;
	*at = *known;
	if (!is_new && *known) return GCDC_OK;
	if (!b->x->unions.words.n && !vec32_push(b->memory, &b->x->unions.words, 0))
		return GCDC_ERR_MEMORY;  // 0: not known
	const struct artifact_cost_outcome *o = &b->a->cost_outcomes[outcome];
	struct vec32 *c = &b->s->conts;
	bool ok = true;
	c->n = 0;
	for (uint32_t i = 0; i < o->n_stays && ok; i++) {
		const struct artifact_cost_stay *stay = &b->a->cost_stays[o->first_stay + i];
		uint32_t row = stay->row;
		if (row == ARTIFACT_NONE) {
			if (!b->x->line_state) continue;
			const uint32_t cont[CONT_WORDS] = {b->a->info.newline, LINE, stay->set, 0};
			for (uint32_t w = 0; w < CONT_WORDS && ok; w++) ok = vec32_push(b->memory, c, cont[w]);
			row = b->a->cost_row_of[b->x->line_state];
		}
		for (uint32_t k = b->a->cost_rows[row]; k < b->a->cost_rows[row + 1] && ok; k++) {
			const struct artifact_cost_emit *e = &b->a->cost_emits[k];
			const uint32_t cont[CONT_WORDS] = {e->terminal, e->weight, e->control, stay->set};
			for (uint32_t w = 0; w < CONT_WORDS && ok; w++) ok = vec32_push(b->memory, c, cont[w]);
		}
	}
	for (uint32_t i = 0; i < o->n_cuts && ok; i++) {
		const struct artifact_cost_cut *cut = &b->a->cost_cuts[o->first_cut + i];
		const uint32_t cont[CONT_WORDS] = {cut->terminal, CUT, cut->remainder, cut->set};
		for (uint32_t w = 0; w < CONT_WORDS && ok; w++) ok = vec32_push(b->memory, c, cont[w]);
	}
	if (!ok || !write_conts(b, at)) return GCDC_ERR_MEMORY;
	*known = *at;
	return GCDC_OK;
}

// ---- Pushing.
// The stack with a state more, on a list.
static gcdc_status add_known(struct builder *b, uint32_t below, uint32_t lr_state, struct vec32 *list)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *known = pair_map_add(b->memory, &s->known_of, below, lr_state, &is_new),
			 height = s->known.at[below].height + 1;
	if (!known) return GCDC_ERR_MEMORY;
	if (is_new && (s->known.n == KNOWN_MAX || height == HEIGHT_MAX)) {
		s->open = true;
		return GCDC_OK;
	}
	if (is_new) *known = s->known.n;
	if (!vec32_push(b->memory, list, *known)) return GCDC_ERR_MEMORY;
	return !is_new || PUSH(b->memory, &s->known, (struct known){below, lr_state, height}) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Does the action in a known state; ones to be gone on with are put on `ways`, shifted ones on `tops`.
static gcdc_status act(struct builder *b, uint32_t top, uint32_t t, uint32_t conts, uint32_t action)
{
	struct step_scratch *s = b->s;
	const struct artifact_info *info = &b->a->info;
	uint32_t below = top, lhs = 0, to = 0;
	struct vec32 *list = &s->tops;
	if (action == ACTION_SKIP) return vec32_push(b->memory, list, top) ? GCDC_OK : GCDC_ERR_MEMORY;
	if (ACTION_IS_SHIFT(action)) {
		to = action >> 1;
	} else {
		const struct artifact_production *p = &b->a->productions[(action >> 1) - 1];
		lhs = p->lhs;
		if (p->length > s->known.at[top].height)
			return PUSH(b->memory, &s->items, (struct item){p->length - s->known.at[top].height, lhs, t, conts})
			           ? GCDC_OK
			           : GCDC_ERR_MEMORY;
		for (uint32_t k = p->length; k; k--) below = s->known.at[below].below;
		uint32_t row = b->a->lr_states[s->known.at[below].lr_state].goto_row;
		to = b->a->lr_goto[(uint64_t)row * info->n_nonterminals + lhs];
		if (!to) return GCDC_ERR_INTERNAL;
		list = &s->ways;
	}
	return add_known(b, below, to, list);
}

// Reductions under t and its shift, for what is on `ways`; `tops` are what comes out.
static gcdc_status push_ways(struct builder *b, uint32_t t, uint32_t conts)
{
	struct step_scratch *s = b->s;
	gcdc_status status = GCDC_OK;
	s->tops.n = 0;
	while (s->ways.n && !status && burn(b)) {
		uint32_t top = s->ways.at[--s->ways.n];
		uint32_t action = artifact_action(b->a, s->known.at[top].lr_state, t);
		if (!action) continue;
		if (!ACTION_IS_CHOICE(action)) {
			status = act(b, top, t, conts, action);
			continue;
		}
		const uint32_t *list = &b->a->choice[action & ACTION_CHOICE_MASK];
		for (uint32_t k = 1; k <= list[0] && !status; k++) status = act(b, top, t, conts, list[k]);
	}
	s->ways.n = 0;
	return status;
}

// A token goes on to be lexed on a new top.
static gcdc_status add_rest(struct builder *b, uint32_t top, uint32_t remainder, uint32_t depth)
{
	const struct gcdc_artifact *a = b->a;
	uint32_t context = a->lr_states[b->s->known.at[top].lr_state].context;
	uint32_t q = a->lex_start[(uint64_t)a->cost_obligations[remainder] * a->info.n_contexts + context];
	if (!q) return GCDC_OK;
	const struct artifact_cost_way *way = price_way(a, q, remainder);
	if (!way)
		b->s->open = true;
	else if (depth > a->info.max_token_len)
		return GCDC_ERR_INTERNAL;
	else if (!PUSH(b->memory, &b->s->places, (struct place){top, way->outcome, depth}))
		return GCDC_ERR_MEMORY;
	return GCDC_OK;
}

// What follows once a terminal is on the known states. conts: n of them. skipped: it was ignored, and changed nothing.
static gcdc_status go_on(struct builder *b, uint32_t top, uint32_t conts, uint32_t depth, bool skipped, bool has_prices)
{
	uint32_t n;
	const uint32_t *c = conts_at(b, conts, &n);
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !status && !b->s->open; i++, c += CONT_WORDS - 1) {
		if (c[0] == LINE) {
			if (!skipped && !PUSH(b->memory, &b->s->sites, (struct site_set){top, c[1]})) return GCDC_ERR_MEMORY;
		} else if (c[0] != CUT) {
			if (has_prices) status = add_threshold(b, top, c[1], c[0], c[2]);
		} else if (skipped || !c[2]) {
			status = add_rest(b, top, c[1], depth + 1);
		}
	}
	return status;
}

// Of tokens that go on behind a pending newline: does this one end it elsewhere than behind its blanks? Those are not
// in the rows of blanks.
static bool ends_later(const struct gcdc_artifact *a, uint32_t line_state, uint32_t token)
{
	const uint32_t *next = a->lex_next + (uint64_t)line_state * a->info.n_classes;
	uint32_t q = line_state;
	bool in_blanks = true;
	for (uint32_t at = a->token_offset[token]; at < a->token_offset[token + 1] && q; at++) {
		uint8_t byte = a->token_bytes[at];
		bool is_blank = byte == ' ' || byte == '\t';
		uint32_t x = q == line_state ? next[a->info.class_of[byte]]
		                             : a->lex_next[(uint64_t)q * a->info.n_classes + a->info.class_of[byte]];
		if (q == line_state && x & LEX_CUT && (is_blank || !in_blanks)) return true;
		in_blanks &= is_blank;
		q = x & LEX_STATE_MASK;
	}
	return false;
}

// Found once for each set.
static bool probe_newlines(struct builder *b, uint32_t set)
{
	const struct gcdc_artifact *a = b->a;
	struct vec32 *words = &b->x->unions.words;
	bool is_new;
	uint32_t *known = pair_map_add(b->memory, &b->x->of_line, set, LINE_TRIED, &is_new);
	if (!known) return false;
	uint32_t at = *known;
	if (is_new || !at) {
		at = words->n;
		if (!vec32_push(b->memory, words, 0)) return false;
		for (struct set_words w = set_words(a, &a->sets[set]); set_words_next(a, &w);)
			for (uint32_t bits = w.bits; bits; bits &= bits - 1) {
				uint32_t token = w.word * 32 + (uint32_t)__builtin_ctz(bits);
				if (ends_later(a, b->x->line_state, token) && !vec32_push(b->memory, words, token)) return false;
			}
		words->at[at] = words->n - at - 1;
		*known = at;
	}
	for (uint32_t i = 1; i <= words->at[at]; i++)
		if (!vec32_push(b->memory, &b->s->tried, words->at[at + i])) return false;
	return true;
}

// Branches: a terminal is ignored, refused, decided by columns or shifted, and its token remainders are to be tried.
static gcdc_status take_terminal(struct builder *b, struct place p, uint32_t t, uint32_t conts)
{
	const struct gcdc_artifact *a = b->a;
	struct step_scratch *s = b->s;
	uint32_t lr_state = s->known.at[p.top].lr_state;
	bool is_line = t == a->info.n_terminals, is_newline = a->info.n_lines && t == a->info.newline;
	if (t == ARTIFACT_NONE) return go_on(b, p.top, conts, p.depth, true, true);
	bool is_ignored = a->terminals[is_line ? a->info.newline : t].flags & TERMINAL_IGNORED;
	uint32_t action = is_ignored ? ACTION_SKIP : artifact_action(a, lr_state, is_line ? a->info.newline : t);
	if (!action || (is_line && action != ACTION_SKIP)) return GCDC_OK;  // what columns decide is in sets to be tried
	if (action == ACTION_SKIP)  // a newline that is ignored where it could decide columns has a price as pending
		return go_on(b, p.top, conts, p.depth, true, is_ignored || !is_newline);
	bool is_read = b->is_line && !p.top && !p.depth;  // by columns, step_lines.c
	for (uint32_t i = 0, n = 1; i < n; i++) {
		const uint32_t *c = conts_at(b, conts, &n) + (CONT_WORDS - 1) * i;
		if (c[0] != CUT || !c[2]) continue;
		if (is_read ? !probe_newlines(b, c[2]) : !vec32_push(b->memory, &s->tries, c[2])) return GCDC_ERR_MEMORY;
	}
	if (!vec32_push(b->memory, &s->ways, p.top)) return GCDC_ERR_MEMORY;
	gcdc_status status = push_ways(b, t, conts);
	for (uint32_t i = 0; i < s->tops.n && !status && !s->open; i++)
		status = go_on(b, s->tops.at[i], conts, p.depth, false, true);
	return status;
}

static gcdc_status take_places(struct builder *b)
{
	struct step_scratch *s = b->s;
	gcdc_status status = GCDC_OK;
	while (s->places.n && !status && !s->open && burn(b)) {
		struct place p = s->places.at[--s->places.n];
		const struct artifact_cost_outcome *o = &b->a->cost_outcomes[p.outcome];
		for (uint32_t i = 0; i < o->n_stays; i++) {
			const struct artifact_cost_stay *stay = &b->a->cost_stays[o->first_stay + i];
			if (stay->row == ARTIFACT_NONE && !b->x->line_state && !vec32_push(b->memory, &s->tries, stay->set))
				return GCDC_ERR_MEMORY;
		}
		uint32_t at;
		status = conts_of(b, p.outcome, &at);
		for (; !status && b->x->unions.words.at[at] != END; at += 2)
			status = take_terminal(b, p, b->x->unions.words.at[at], b->x->unions.words.at[at + 1]);
	}
	s->places.n = 0;
	return status;
}

// An item of a node whose pop ends on the frame that was read.
static gcdc_status take_item(struct builder *b, struct item item)
{
	struct step_scratch *s = b->s;
	const struct gcdc_artifact *a = b->a;
	uint32_t row = a->lr_states[s->known.at[0].lr_state].goto_row;
	uint32_t to = a->lr_goto[(uint64_t)row * a->info.n_nonterminals + item.lhs];
	if (!to) return GCDC_ERR_INTERNAL;
	gcdc_status status = add_known(b, 0, to, &s->ways);
	if (!status) status = push_ways(b, item.terminal, item.conts);
	// How many lexemes the token had before is not known here; places of a step are bounded by its fuel.
	for (uint32_t i = 0; i < s->tops.n && !status && !s->open; i++)
		status = go_on(b, s->tops.at[i], item.conts, 0, false, true);
	return status ? status : take_places(b);
}

static gcdc_status build(struct builder *b, uint32_t place, uint32_t lr_state, struct step *p)
{
	struct step_scratch *s = b->s;
	s->known.n = s->answers.n = s->thresholds.n = s->items.n = s->places.n = s->terms.n = s->expressions.n = s->kept.n =
		0;
	s->tops.n = s->ways.n = s->tries.n = s->tried.n = s->sites.n = 0;
	b->is_line = (place & (PLACE_OUTCOME | PLACE_LINE)) == (PLACE_OUTCOME | PLACE_LINE);
	pair_map_clear(&s->known_of), pair_map_clear(&s->answer_of), pair_map_clear(&s->expression_of);
	pair_map_clear(&s->threshold_of);
	s->fuel = STEP_FUEL;
	s->open = false;
	bool ok = PUSH(b->memory, &s->known, (struct known){0, lr_state, 0}) &&
	          PUSH(b->memory, &s->expressions, (struct expression){0, 0});
	gcdc_status status = ok ? GCDC_OK : GCDC_ERR_MEMORY;
	if (place & PLACE_OUTCOME) {
		ok = ok && PUSH(b->memory, &s->places, (struct place){0, place & ~(PLACE_OUTCOME | PLACE_LINE), 0});
		status = ok ? take_places(b) : GCDC_ERR_MEMORY;
	} else {
		for (uint32_t i = 0; i < b->x->nodes.list[place].n && !status && !s->open; i += 4) {
			struct item item;
			memcpy(&item, b->x->unions.words.at + b->x->nodes.list[place].at + i, sizeof item);
			item.pop--;
			if (!item.pop)
				status = take_item(b, item);
			else if (!PUSH(b->memory, &s->items, item))
				status = GCDC_ERR_MEMORY;
		}
	}
	return status ? status : step_write(b, p);
}

gcdc_status step_of(struct gcdc_matcher *m, uint32_t place, uint32_t lr_state, uint32_t *step)
{
	struct step_table *x = m->pool->step_table;
	bool is_new;
	uint32_t *known = pair_map_add(x->memory, &x->of_place, place, lr_state, &is_new);
	if (UNLIKELY(!known)) return GCDC_ERR_MEMORY;
	if (LIKELY(!is_new && *known)) {
		*step = *known - 1;
		return GCDC_OK;
	}
	if (!x->scratch) {
		x->scratch = memory_resize(x->memory, NULL, 1, sizeof *x->scratch);
		if (!x->scratch) return GCDC_ERR_MEMORY;
		memset(x->scratch, 0, sizeof *x->scratch);
	}
	struct builder b = {m, m->artifact, x->memory, x, x->scratch, false};
	struct step p;
	gcdc_status status = build(&b, place, lr_state, &p);
	if (status) return status;
	if (!PUSH(x->memory, x, p)) return GCDC_ERR_MEMORY;
	*known = x->n;
	*step = x->n - 1;
	return GCDC_OK;
}
