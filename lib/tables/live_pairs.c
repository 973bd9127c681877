// Where tokens can end: see live_pairs.h.
//
// In:  lexer, parser's contexts, viability. Out: for each lex_state the contexts in which it is live.
// A search along the lexer's steps from each lexeme's beginning, for all contexts at once: a bit for each pair. Where a
// lexeme can become nothing that a context has, it is not gone on. The lists are made of these bits at the end.
// Cost: steps x contexts / 64, once for each time that a state meets more contexts: a few times.
#include "live_pairs.h"

#include "../../formats/artifact.h"

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

// What of contexts can be of use: where some terminal that a lexeme can become is viable or ignored (viability.h).
struct useful {
	uint32_t words;
	bits *of_terminal;   // [terminal * words] contexts
	uint32_t *row_of;    // [lex_state]
	struct intern ends;  // sets of terminals -> rows
	VEC(bits) row;       // [row * words]
};

static void useful_release(struct useful *u)
{
	free(u->of_terminal), free(u->row_of);
	intern_release(&u->ends);
	vec_release(&u->row);
}

static struct useful find_useful(const struct lexer *x, const struct lr *lr, const struct viability *viable,
                                 uint32_t words)
{
	const uint32_t n = lr->n_terminals, n_words = lr->context_words;
	struct useful u = {.words = words,
	                   .of_terminal = mem_calloc((size_t)n * words + 1, sizeof *u.of_terminal),
	                   .row_of = mem_calloc(x->n_states, sizeof *u.row_of)};
	for (uint32_t c = 0; c < x->n_contexts; c++)
		for (uint32_t k = 0; k < n_words; k++)
			for (bits left = lr->context[(size_t)c * n_words + k] | viable->ignored[k]; left; left &= left - 1) {
				const uint32_t t = k * 64 + (uint32_t)__builtin_ctzll(left);
				if (t < n) bits_set(u.of_terminal + (size_t)t * words, c);
			}
	for (lex_state q = 1; q < x->n_states; q++) {
		bool is_new;
		const bits *ends = viable->ends + (size_t)q * n_words;
		u.row_of[q] = intern_add(&u.ends, ends, n_words * sizeof *ends, &is_new);
		if (!is_new) continue;
		for (uint32_t k = 0; k < words; k++) vec_push(&u.row, 0);
		for (uint32_t t = bits_next(ends, n_words, 0); t < n; t = bits_next(ends, n_words, t + 1))
			bits_union(u.row.at + (size_t)u.row_of[q] * words, u.of_terminal + (size_t)t * words, words);
	}
	return u;
}

// Contexts in which lexemes are in each lex_state.
struct search {
	const struct lexer *x;
	uint32_t words;
	bits *live, *from;  // [lex_state * words] live; and those with lexemes that only begin there
	uint8_t *waits;     // [lex_state] from has grown since it was gone on from
	VEC(lex_state) work;
};

static void wait_for(struct search *s, lex_state q)
{
	if (!s->waits[q]) s->waits[q] = 1, vec_push(&s->work, q);
}

// From q to a state that it leads to.
static void go_on(struct search *s, const struct useful *u, lex_state q, lex_state to)
{
	const uint32_t words = s->words;
	const bool all = (s->x->info[to].flags & LEX_INITIAL) != 0;
	const bits *useful = u->row.at + (size_t)u->row_of[to] * words, *here = s->from + (size_t)q * words;
	bits *live = s->live + (size_t)to * words, *from = s->from + (size_t)to * words, grew = 0;
	for (uint32_t k = 0; k < words; k++) {
		const bits x = here[k] & (all ? ~(bits)0 : useful[k]);
		live[k] |= x;
		grew |= x & ~from[k], from[k] |= x;
	}
	if (grew) wait_for(s, to);
}

// [lex_state * words] the contexts in which it is live. A lexeme that only begins has read nothing: its pair is live
// where bytes lead back to it.
static bits *find_live(const struct lexer *x, const struct lr *lr, const struct viability *viable, uint32_t words)
{
	struct search s = {.x = x,
	                   .words = words,
	                   .live = mem_calloc((size_t)x->n_states * words, sizeof *s.live),
	                   .from = mem_calloc((size_t)x->n_states * words, sizeof *s.from),
	                   .waits = mem_calloc(x->n_states, 1)};
	struct successors next = successors_of(x);
	struct useful u = find_useful(x, lr, viable, words);
	for (uint32_t r = 0; r < x->n_obligations; r++)
		for (uint32_t c = 0; c < x->n_contexts; c++) {
			const lex_state q = x->start[(size_t)r * x->n_contexts + c];
			if (q) bits_set(s.from + (size_t)q * words, c), wait_for(&s, q);
		}
	const uint32_t first = lr->context_of[LR_BOTTOM];
	bits_set(s.live + (size_t)x->initial * words, first), bits_set(s.from + (size_t)x->initial * words, first);
	wait_for(&s, x->initial);
	for (uint32_t i = 0; i < s.work.n; i++) {
		const lex_state q = s.work.at[i];
		s.waits[q] = 0;
		for (uint32_t k = next.first[q]; k < next.first[q + 1]; k++) go_on(&s, &u, q, next.to.at[k]);
	}
	useful_release(&u);
	free(next.first);
	vec_release(&next.to);
	vec_release(&s.work);
	free(s.waits), free(s.from);
	return s.live;
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
