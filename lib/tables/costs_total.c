// Does whatever a mask allows have a price? Then a budget that is far away needs no pricing at all.
//
// In:  costs, LR tables, the pairs of lex_state and context where tokens end. Out: yes, or "not proved".
// 1. A question on a state is *sure* when its list ends the text, or has a step whose question is sure on every state
//    that can lie so far down. Greatest fixpoint: each step goes down, and stacks are finite.
// 2. In each lex_state, under each context it lives in, the lexeme can end as some terminal, with a question that is
//    sure on all states that the terminal leads to; by its row.
// What is sure here is so on any stack; costs.c knows of tables that are complete by how they were made.
// Cost: a look-up for each step of an answer, a few times; for each list of states below and each question a search on
// all of them, again when the question has fallen somewhere.
#include "costs.h"

#include "../../formats/artifact.h"
#include "../shared/search.h"

struct total {
	const struct costs *c;
	const struct lr *lr;
	uint32_t *answer_at;      // [n_states + 1] a state's transitions, ascending by control
	bool *sure;               // [transition]; what is not asked is not sure
	struct map64 below_of;    // state, pop -> index into `below`
	struct intern below;      // lists of states
	struct map64 sure_of;     // index into `below`, control -> when that was looked at << 1 | sure on all of them
	uint32_t *fallen;         // [control] how many of its questions are not sure any more: its clock
	VEC(lr_state) now, next;  // scratch
	uint32_t *seen, stamp;    // [n_states] scratch
	uint32_t *top_at;         // [n_contexts + 1] of a context
	lr_state *tops;           // the states that a lexeme begins on
	struct map64 known;       // row, context -> sure
};

static void index_answers(struct total *t)
{
	const struct costs *c = t->c;
	t->answer_at = mem_calloc(t->lr->n_states + 1, sizeof *t->answer_at);
	t->sure = mem_calloc(c->transitions.n + 1, sizeof *t->sure);
	t->seen = mem_calloc(t->lr->n_states, sizeof *t->seen);
	t->fallen = mem_calloc(c->n_controls + 1ull, sizeof *t->fallen);
	for (uint32_t i = 0; i < c->transitions.n; i++) t->answer_at[c->transitions.at[i].state + 1]++;
	for (lr_state s = 0; s < t->lr->n_states; s++) t->answer_at[s + 1] += t->answer_at[s];
}

static void release(struct total *t)
{
	map64_release(&t->known), map64_release(&t->below_of), map64_release(&t->sure_of);
	intern_release(&t->below);
	vec_release(&t->now), vec_release(&t->next);
	free(t->answer_at), free(t->sure), free(t->seen), free(t->fallen);
	free(t->top_at), free(t->tops);
}

static bool is_sure(const struct total *t, lr_state s, uint32_t control)
{
	const struct cost_transition *x = t->c->transitions.at;
	uint32_t i, end = t->answer_at[s + 1];
	LOWER_BOUND(i, t->answer_at[s], end, x[i].control < control);
	return i < end && x[i].control == control && t->sure[i];
}

// The states that can lie so far below one: their list.
static uint32_t states_below(struct total *t, lr_state s, uint32_t pop)
{
	const uint64_t key = (uint64_t)s << 32 | pop, known = map64_get(&t->below_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&t->now);
	vec_push(&t->now, s);
	for (; pop; pop--) {
		vec_clear(&t->next);
		t->stamp++;
		for (uint32_t i = 0; i < t->now.n; i++)
			for (uint32_t k = t->lr->pred_at[t->now.at[i]]; k < t->lr->pred_at[t->now.at[i] + 1]; k++) {
				const lr_state p = t->lr->pred[k];
				if (t->seen[p] != t->stamp) vec_push(&t->next, p);
				t->seen[p] = t->stamp;
			}
		vec_clear(&t->now);
		for (uint32_t i = 0; i < t->next.n; i++) vec_push(&t->now, t->next.at[i]);
	}
	const uint32_t list = intern_add(&t->below, t->now.at, t->now.n * sizeof *t->now.at, NULL);
	map64_put(&t->below_of, key, list);
	return list;
}

static bool all_are_sure(const struct total *t, uint32_t list, uint32_t control)
{
	uint32_t bytes;
	const lr_state *below = intern_get(&t->below, list, &bytes);
	const uint32_t n = bytes / (uint32_t)sizeof *below;
	for (uint32_t i = 0; i < n; i++)
		if (!is_sure(t, below[i], control)) return false;
	return n;
}

// What was not sure once stays so; what was is looked at again when the control's clock has moved.
static bool step_is_sure(struct total *t, lr_state s, const struct cost_step *x)
{
	const uint32_t list = states_below(t, s, x->pop), now = t->fallen[x->control];
	const uint64_t key = (uint64_t)list << 32 | x->control, known = map64_get(&t->sure_of, key);
	if (known != MAP64_NONE && (!(known & 1) || known >> 1 == now)) return known & 1;
	const bool sure = all_are_sure(t, list, x->control);
	map64_put(&t->sure_of, key, (uint64_t)now << 1 | sure);
	return sure;
}

static void find_sure(struct total *t)
{
	const struct costs *c = t->c;
	index_answers(t);
	for (uint32_t i = 0; i < c->transitions.n; i++) t->sure[i] = true;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < c->transitions.n; i++) {
			const struct cost_transition *a = &c->transitions.at[i];
			const struct cost_list *l = &c->lists.at[a->list];
			bool sure = l->final != COSTS_NONE || !t->sure[i];
			for (uint32_t k = 0; k < l->n && !sure; k++) sure = step_is_sure(t, a->state, &c->steps.at[l->first + k]);
			if (!sure) t->sure[i] = false, t->fallen[a->control]++, changed = true;
		}
	}
}

static void find_tops(struct total *t)
{
	const struct lr *lr = t->lr;
	t->top_at = mem_calloc(lr->n_contexts + 2, sizeof *t->top_at);
	t->tops = mem_calloc(lr->n_states + 1, sizeof *t->tops);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		if (lr->between_lexemes[s]) t->top_at[lr->context_of[s] + 2]++;
	for (uint32_t k = 0; k < lr->n_contexts; k++) t->top_at[k + 1] += t->top_at[k];
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		if (lr->between_lexemes[s]) t->tops[t->top_at[lr->context_of[s] + 1]++] = s;
}

// The text can go on from this top. control: COSTS_NONE: the text is to end.
static bool top_is_sure(const struct total *t, lr_state top, uint32_t control)
{
	return control == COSTS_NONE ? lr_viable(t->lr, top, t->lr->n_terminals) : is_sure(t, top, control);
}

// Is the question sure wherever the emission leads to from a top of this context?
// Branches: an emission is ignored, a pending line, or shifted, and ends the text or goes on in a control.
static bool emit_is_sure(const struct total *t, struct cost_emit e, uint32_t context)
{
	const struct costs *c = t->c;
	const struct lr *lr = t->lr;
	bool stays =
		e.terminal == COSTS_NONE || (e.terminal != c->rows.pending_line && c->rows.lexer->is_ignored[e.terminal]);
	if (e.terminal == c->rows.pending_line) return false;
	if (!stays && !bits_test(lr->context + (size_t)context * lr->context_words, e.terminal)) return false;
	uint32_t control = remainder_is_end(e.remainder) && !c->rows.lexer->indentation ? COSTS_NONE : costs_control(c, e);
	if (control == COSTS_NONE && (!remainder_is_end(e.remainder) || c->rows.lexer->indentation)) return false;
	for (uint32_t i = t->top_at[context]; i < t->top_at[context + 1] && stays; i++)
		if (!top_is_sure(t, t->tops[i], control)) return false;
	for (uint32_t i = stays ? 0 : lr->step_at[e.terminal]; !stays && i < lr->step_at[e.terminal + 1]; i++) {
		const struct lr_step step = lr->step[i];
		const bool skips = step.action == ACTION_SKIP;
		if (skips && (!lr->between_lexemes[step.from] || lr->context_of[step.from] != context)) continue;
		if (!top_is_sure(t, skips ? step.from : step.action / 2, control)) return false;
	}
	return true;
}

static bool row_is_sure(struct total *t, row_id row, uint32_t context)
{
	uint64_t key = (uint64_t)row << 32 | context, before = map64_get(&t->known, key);
	if (before != MAP64_NONE) return before;
	uint32_t n;
	const struct cost_emit *e = cost_row(&t->c->rows, row, &n);
	bool sure = false;
	for (uint32_t i = 0; i < n && !sure; i++) sure = emit_is_sure(t, e[i], context);
	map64_put(&t->known, key, sure);
	return sure;
}

uint32_t *costs_chosen(const struct costs *c, const struct lr *lr)
{
	struct total t = {.c = c, .lr = lr};
	find_sure(&t);
	uint32_t *chosen = mem_calloc(c->transitions.n + 1, sizeof *chosen);
	for (uint32_t i = 0; i < c->transitions.n; i++) {
		const struct cost_list *l = &c->lists.at[c->transitions.at[i].list];
		uint32_t most = 0, least = l->final;
		for (uint32_t k = 0; k < l->n; k++) {
			const struct cost_step *x = &c->steps.at[l->first + k];
			if (x->weight > most) most = x->weight;
			if (x->weight < least && step_is_sure(&t, c->transitions.at[i].state, x)) least = x->weight;
		}
		chosen[i] = least == COSTS_NONE ? most : least;
	}
	release(&t);
	return chosen;
}

bool costs_are_total(const struct costs *c, const struct lr *lr, const struct live_pairs *live)
{
	struct total t = {.c = c, .lr = lr};
	find_sure(&t);
	find_tops(&t);
	const struct lexer *x = c->rows.lexer;
	bool ok = true;
	for (lex_state q = 1; q < x->n_states && ok; q++)
		for (uint32_t i = live->at[q]; i < live->at[q + 1] && ok; i++)
			ok = row_is_sure(&t, c->rows.of_state[q], live->pair.at[i].context);
	release(&t);
	return ok;
}
