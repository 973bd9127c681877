// Does whatever a mask allows have a price? Then a budget that is far away needs no pricing at all.
//
// In:  costs, LR tables, the pairs of lex_state and context where tokens end. Out: yes, or "not proved".
// 1. A question on a state is *sure* when its list ends the text, or has a step whose question is sure on every state
// that can
//    lie so far down. Greatest fixpoint: each step goes down, and stacks are finite.
// 2. In each lex_state, under each context it lives in, the lexeme can end as some terminal, with a question that is
// sure on
//    all states that the terminal leads to; by its row.
// What is sure here is so on any stack; costs.c knows of tables that are complete by how they were made.
// Cost: questions x the states below, in bit sets.
#include "costs.h"

#include "../../formats/artifact.h"

struct total {
	const struct costs *c;
	const struct lr *lr;
	uint32_t words;
	bits *sure;             // [question * words] states; those that are not asked are not sure
	bits *tops;             // [context * words] states
	bits *targets, *skips;  // [terminal * words] states that it is shifted to; in which it is ignored
	bits *ends;             // [words] states in which the text may end
	struct map64 below_of;  // state, pop -> index
	VEC(bits) below;
	struct map64 known;  // row, context -> sure
};

static const bits *states_below(struct total *t, lr_state s, uint32_t pop)
{
	uint64_t key = (uint64_t)s << 32 | pop, known = map64_get(&t->below_of, key);
	if (known != MAP64_NONE) return t->below.at + (size_t)known * t->words;
	bits *now = mem_calloc(t->words, sizeof *now), *next = mem_calloc(t->words, sizeof *next);
	bits_set(now, s);
	for (; pop; pop--) {
		memset(next, 0, t->words * sizeof *next);
		for (lr_state x = bits_next(now, t->words, 0); x != UINT32_MAX; x = bits_next(now, t->words, x + 1))
			for (uint32_t k = t->lr->pred_at[x]; k < t->lr->pred_at[x + 1]; k++) bits_set(next, t->lr->pred[k]);
		memcpy(now, next, t->words * sizeof *now);
	}
	uint32_t index = t->below.n / t->words;
	for (uint32_t w = 0; w < t->words; w++) vec_push(&t->below, now[w]);
	map64_put(&t->below_of, key, index);
	free(now);
	free(next);
	return t->below.at + (size_t)index * t->words;
}

static bool step_is_sure(struct total *t, lr_state s, const struct cost_step *x)
{
	const bits *below = states_below(t, s, x->pop), *sure = t->sure + (size_t)x->control * t->words;
	bits any = 0, wrong = 0;
	for (uint32_t w = 0; w < t->words; w++) any |= below[w], wrong |= below[w] & ~sure[w];
	return any && !wrong;
}

static void find_sure(struct total *t)
{
	const struct costs *c = t->c;
	for (uint32_t i = 0; i < c->transitions.n; i++)
		bits_set(t->sure + (size_t)c->transitions.at[i].control * t->words, c->transitions.at[i].state);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < c->transitions.n; i++) {
			const struct cost_transition *a = &c->transitions.at[i];
			bits *row = t->sure + (size_t)a->control * t->words;
			const struct cost_list *l = &c->lists.at[a->list];
			bool sure = l->final != COSTS_NONE || !bits_test(row, a->state);
			for (uint32_t k = 0; k < l->n && !sure; k++) sure = step_is_sure(t, a->state, &c->steps.at[l->first + k]);
			if (!sure) bits_reset(row, a->state), changed = true;
		}
	}
}

// Where terminals lead to, once for all questions.
static void find_places(struct total *t)
{
	const struct lr *lr = t->lr;
	t->tops = mem_calloc((size_t)lr->n_contexts * t->words, sizeof *t->tops);
	t->targets = mem_calloc((size_t)lr->n_terminals * t->words + 1, sizeof *t->targets);
	t->skips = mem_calloc((size_t)lr->n_terminals * t->words + 1, sizeof *t->skips);
	t->ends = mem_calloc(t->words, sizeof *t->ends);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		if (lr->between_lexemes[s]) bits_set(t->tops + (size_t)lr->context_of[s] * t->words, s);
		if (lr_viable(lr, s, lr->n_terminals)) bits_set(t->ends, s);
	}
	for (terminal_id x = 0; x < lr->n_terminals; x++)
		for (uint32_t i = lr->step_at[x]; i < lr->step_at[x + 1]; i++) {
			const struct lr_step step = lr->step[i];
			if (step.action == ACTION_SKIP)
				bits_set(t->skips + (size_t)x * t->words, step.from);
			else
				bits_set(t->targets + (size_t)x * t->words, step.action / 2);
		}
}

// Is the question sure wherever the emission leads to from a top of this context?
// Branches: an emission is ignored, a pending line, or shifted, and ends the text or goes on in a control.
static bool emit_is_sure(const struct total *t, struct cost_emit e, uint32_t context)
{
	const struct costs *c = t->c;
	bool stays =
		e.terminal == COSTS_NONE || (e.terminal != c->rows.pending_line && c->rows.lexer->is_ignored[e.terminal]);
	if (e.terminal == c->rows.pending_line) return false;
	if (!stays && !bits_test(t->lr->context + (size_t)context * t->lr->context_words, e.terminal)) return false;
	uint32_t control = remainder_is_end(e.remainder) && !c->rows.lexer->indentation ? COSTS_NONE : costs_control(c, e);
	if (control == COSTS_NONE && (!remainder_is_end(e.remainder) || c->rows.lexer->indentation)) return false;
	const bits *sure =
		control == COSTS_NONE ? t->ends : t->sure + (size_t)control * t->words;  // COSTS_NONE: the text is to end
	const bits *tops = t->tops + (size_t)context * t->words;
	bits wrong = 0;
	for (uint32_t w = 0; w < t->words && stays; w++) wrong |= tops[w] & ~sure[w];
	if (stays) return !wrong;
	const bits *targets = t->targets + (size_t)e.terminal * t->words, *skips = t->skips + (size_t)e.terminal * t->words;
	for (uint32_t w = 0; w < t->words; w++) wrong |= (targets[w] | (tops[w] & skips[w])) & ~sure[w];
	return !wrong;
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
	struct total t = {.c = c, .lr = lr, .words = BITS_WORDS(lr->n_states)};
	t.sure = mem_calloc((size_t)c->n_controls * t.words + 1, sizeof *t.sure);
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
	map64_release(&t.below_of);
	vec_release(&t.below);
	free(t.sure);
	return chosen;
}

bool costs_are_total(const struct costs *c, const struct lr *lr, const struct live_pairs *live)
{
	struct total t = {.c = c, .lr = lr, .words = BITS_WORDS(lr->n_states)};
	t.sure = mem_calloc((size_t)c->n_controls * t.words + 1, sizeof *t.sure);
	find_sure(&t);
	find_places(&t);
	const struct lexer *x = c->rows.lexer;
	bool ok = true;
	for (lex_state q = 1; q < x->n_states && ok; q++)
		for (uint32_t i = live->at[q]; i < live->at[q + 1] && ok; i++)
			ok = row_is_sure(&t, c->rows.of_state[q], live->pair.at[i].context);
	map64_release(&t.known);
	map64_release(&t.below_of);
	vec_release(&t.below);
	free(t.sure);
	free(t.tops);
	free(t.targets);
	free(t.skips);
	free(t.ends);
	return ok;
}
