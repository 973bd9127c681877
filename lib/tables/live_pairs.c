// Where tokens can end: see live_pairs.h.
//
// In:  lexer, parser's contexts, viability. Out: for each lex_state the contexts in which it is live.
// A search along the lexer's steps from each lexeme's beginning, for each context by itself. A pair is gone on from
// once. What is met is a bit for each pair; the lists are made of these bits at the end.
// Cost: live pairs x the states that one leads to; lex_states x contexts / 64 to list them.
#include "live_pairs.h"

// Where lex_states lead, each once: to[first[q] .. first[q + 1]).
struct successors {
	uint32_t *first;
	VEC(lex_state) to;
};

static struct successors successors_of(const struct lexer *x)
{
	struct successors s = {.first = mem_calloc((size_t)x->n_states + 2, sizeof *s.first)};
	lex_state *met = mem_calloc(x->n_states, sizeof *met);  // [lex_state] the last one that leads there
	for (lex_state q = 1; q < x->n_states; q++) {
		s.first[q] = s.to.n;
		for (uint32_t k = 0; k < x->n_classes; k++) {
			const lex_state to = x->next[(size_t)q * x->n_classes + k] & LEX_STATE_MASK;
			if (to == LEX_DEAD || met[to] == q) continue;
			met[to] = q;
			vec_push(&s.to, to);
		}
		s.first[q + 1] = s.to.n;
	}
	free(met);
	return s;
}

// [lex_state * words] the contexts in which it is live. A lexeme that only begins has read nothing: its pair is live
// where bytes lead back to it.
static bits *find_live(const struct lexer *x, const struct lr *lr, const struct viability *viable, uint32_t words)
{
	const size_t n_contexts = x->n_contexts, first = x->initial * n_contexts + lr->context_of[LR_BOTTOM];
	bits *live = mem_calloc((size_t)x->n_states * words, sizeof *live);
	struct successors next = successors_of(x);
	VEC(uint64_t) work = {0};
	for (uint32_t r = 0; r < x->n_obligations; r++)
		for (uint32_t c = 0; c < n_contexts; c++)
			if (x->start[r * n_contexts + c]) vec_push(&work, x->start[r * n_contexts + c] * n_contexts + c);
	bits_set(live + (size_t)x->initial * words, lr->context_of[LR_BOTTOM]);
	vec_push(&work, first);
	while (work.n) {
		const uint64_t pair = vec_pop(&work);
		const lex_state q = (lex_state)(pair / n_contexts);
		const uint32_t c = (uint32_t)(pair % n_contexts);
		for (uint32_t k = next.first[q]; k < next.first[q + 1]; k++) {
			const lex_state to = next.to.at[k];
			bits *row = live + (size_t)to * words;
			if (bits_test(row, c) || viability_is_hopeless(viable, to, c)) continue;
			bits_set(row, c);
			vec_push(&work, to * n_contexts + c);
		}
	}
	free(next.first);
	vec_release(&next.to);
	vec_release(&work);
	return live;
}

void live_pairs_find(const struct lexer *x, const struct lr *lr, const struct viability *viable, struct live_pairs *out)
{
	const uint32_t words = BITS_WORDS(x->n_contexts);
	bits *live = find_live(x, lr, viable, words);
	*out = (struct live_pairs){.at = mem_calloc((size_t)x->n_states + 1, sizeof *out->at)};
	for (lex_state q = 0; q < x->n_states; q++) {
		const bits *row = live + (size_t)q * words;
		for (uint32_t c = bits_next(row, words, 0); c != UINT32_MAX; c = bits_next(row, words, c + 1))
			vec_push(&out->pair, ((struct live_pair){c, 0}));
		out->at[q + 1] = out->pair.n;
	}
	free(live);
}

void live_pairs_release(struct live_pairs *p)
{
	free(p->at);
	vec_release(&p->pair);
	*p = (struct live_pairs){0};
}
