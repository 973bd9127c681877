// Rivals from the grammar, and which lexemes they can undo from the DFAs.
//
// In:  terminals' DFAs, automaton. Out: struct coupling; nothing when no cell has a choice.
// 1. A rival of state s: a terminal that is viable in some state entered by a terminal that enters s, and not in s. (All
//    stacks of one text were entered by the same terminal. Which of those states can be met together is not asked.)
// 2. x undoes u when some lexeme of u is also one of x and x wins the tie, or when x can match more of a text of which u has
//    matched a part, while u itself matches no more of it before. Found on pairs of DFA states.
// Too much costs time at run time, never exactness. Cost: pairs of terminals x pairs of their states.
#include "coupling.h"

#include "../base/map64.h"


// A byte of each joint class is enough; classes are few, so all bytes are tried, each new pair of classes once.
struct joint_bytes {
	uint32_t n;
	uint8_t at[256];
};

static void find_joint_bytes(const struct byte_dfa *u, const struct byte_dfa *x, struct joint_bytes *out)
{
	uint32_t words = BITS_WORDS(u->n_classes * x->n_classes);
	bits *met = mem_calloc(words, sizeof *met);
	out->n = 0;
	for (int b = 0; b < 256; b++) {
		uint32_t k = u->class_of[b] * x->n_classes + x->class_of[b];
		if (!bits_test(met, k)) bits_set(met, k), out->at[out->n++] = (uint8_t)b;
	}
	free(met);
}

static bool asks_about_surroundings(const struct byte_dfa *d) { return d->follow || d->before.n_states; }

// From (a, b), u having matched there: does x match more while u does not?
static bool overtakes(const struct byte_dfa *u, const struct byte_dfa *x, const struct joint_bytes *bytes, uint32_t a,
                      uint32_t b)
{
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool found = false;
	vec_push(&work, (uint64_t)a << 32 | b);
	while (work.n && !found) {
		uint64_t pair = vec_pop(&work);
		for (uint32_t i = 0; i < bytes->n && !found; i++) {
			uint32_t to_b = dfa_step(x, (uint32_t)pair, bytes->at[i]);
			if (to_b == DFA_DEAD) continue;
			uint32_t to_a = dfa_step(u, (uint32_t)(pair >> 32), bytes->at[i]);
			if (to_a != DFA_DEAD && u->accept[to_a]) continue;  // u's own longer match rules this lexeme out as well
			found = x->accept[to_b] || x->unfailable[to_b];
			uint64_t next = (uint64_t)to_a << 32 | to_b;
			if (found || map64_get(&met, next) != MAP64_NONE) continue;
			map64_put(&met, next, 1);
			vec_push(&work, next);
		}
	}
	map64_release(&met);
	vec_release(&work);
	return found;
}

static bool undoes(const struct byte_dfa *u, const struct byte_dfa *x, bool x_wins_ties)
{
	if (!u->n_states || !x->n_states) return false;
	if (asks_about_surroundings(u) || asks_about_surroundings(x)) return true;
	struct joint_bytes bytes;
	find_joint_bytes(u, x, &bytes);
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool found = false;
	vec_push(&work, 0);
	while (work.n && !found) {
		uint64_t pair = vec_pop(&work);
		for (uint32_t i = 0; i < bytes.n && !found; i++) {
			uint32_t a = dfa_step(u, (uint32_t)(pair >> 32), bytes.at[i]), b = dfa_step(x, (uint32_t)pair, bytes.at[i]);
			uint64_t next = (uint64_t)a << 32 | b;
			if (a == DFA_DEAD || b == DFA_DEAD || map64_get(&met, next) != MAP64_NONE) continue;
			map64_put(&met, next, 1);
			vec_push(&work, next);
			found = u->accept[a] && ((x->accept[b] && x_wins_ties) || overtakes(u, x, &bytes, a, b));
		}
	}
	map64_release(&met);
	vec_release(&work);
	return found;
}

// rivals[s]: viable after a terminal that enters s, in another state.
static bits *find_rivals(const struct lr *lr, uint32_t words)
{
	bits *rivals = mem_calloc((size_t)lr->n_states * words, sizeof *rivals), *after = mem_calloc(words, sizeof *after);
	for (terminal_id t = 0; t < lr->n_terminals; t++) {
		memset(after, 0, words * sizeof *after);
		for (int pass = 0; pass < 2; pass++)
			for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
				uint32_t n, one;
				const uint32_t *a = lr_actions(lr, s, t, &n, &one);
				for (uint32_t i = 0; i < n; i++) {
					if (!ACTION_IS_SHIFT(a[i])) continue;
					const bits *own = lr->context + (size_t)lr->context_of[a[i] / 2] * words;
					bits *row = rivals + (size_t)(a[i] / 2) * words;
					for (uint32_t w = 0; w < words; w++) {
						if (pass == 0) after[w] |= own[w];
						else row[w] |= after[w] & ~own[w];
					}
				}
			}
	}
	free(after);
	return rivals;
}

void coupling_build(const struct grammar *g, const struct byte_dfa *dfa, const struct lr *lr, struct arena *arena,
                    struct coupling *out)
{
	*out = (struct coupling){.words = lr->context_words};
	if (!lr->n_choice) return;
	uint32_t n = g->n_terminals, words = out->words;
	bits *undone_by = mem_calloc((size_t)n * words, sizeof *undone_by);  // [rival] whom it undoes
	for (terminal_id u = 0; u < n; u++)
		for (terminal_id x = 0; x < n; x++)
			if (u != x && undoes(&dfa[u], &dfa[x], grammar_tie_rank(g, x) < grammar_tie_rank(g, u)))
				bits_set(undone_by + (size_t)x * words, u);
	out->undone = arena_array(arena, (size_t)lr->n_states * words, sizeof(bits));
	out->undone_in = arena_array(arena, (size_t)lr->n_contexts * words, sizeof(bits));
	bits *rivals = find_rivals(lr, words);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		const bits *row = rivals + (size_t)s * words;
		for (uint32_t x = bits_next(row, words, 0); x != UINT32_MAX; x = bits_next(row, words, x + 1))
			bits_union(out->undone + (size_t)s * words, undone_by + (size_t)x * words, words);
		bits_union(out->undone_in + (size_t)lr->context_of[s] * words, out->undone + (size_t)s * words, words);
	}
	free(rivals);
	free(undone_by);
}
