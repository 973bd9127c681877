// Which terminals can undo a lexeme of another one?
//
// In:  terminals' DFAs, the bytes that can follow each terminal. Out: for each terminal x the terminals u that it
// undoes. x undoes u when some lexeme of u is also one of x and x wins the tie, or when x can match more of a text of
// which u has matched a part, while u itself matches no more of it before, and something can begin with what stands
// behind u. (`==` does not undo `=` when no text has an `=` behind an `=`.) Found on pairs of DFA states. What stands
// before and behind is not looked at: lookbehinds may hold, lookaheads may or may not. So where it says no, it makes no
// difference for u's lexemes whether x competes. Cost: pairs of terminals x pairs of their states.
#include "../base/map64.h"
#include "lexer.h"

// A byte of each joint class is enough.
struct joint_bytes {
	uint32_t n;
	uint8_t at[256];
};

static void find_joint_bytes(const struct byte_dfa *u, const struct byte_dfa *x, const uint8_t *can_follow,
                             struct joint_bytes *out)
{
	uint32_t words = BITS_WORDS(2 * u->n_classes * x->n_classes);
	bits *met = mem_calloc(words, sizeof *met);
	out->n = 0;
	for (int b = 0; b < 256; b++) {
		uint32_t k = 2 * (u->class_of[b] * x->n_classes + x->class_of[b]) + can_follow[b];
		if (!bits_test(met, k)) bits_set(met, k), out->at[out->n++] = (uint8_t)b;
	}
	free(met);
}

static bool may_match(const struct byte_dfa *d, uint32_t state) { return dfa_follow(d, state) != FOLLOW_NEVER; }
static bool must_match(const struct byte_dfa *d, uint32_t state) { return dfa_follow(d, state) == FOLLOW_ANY; }

// From (a, b), u having matched there: does x match more while u does not? The first byte must be one that can follow.
static bool overtakes(const struct byte_dfa *u, const struct byte_dfa *x, const struct joint_bytes *bytes, uint32_t a,
                      uint32_t b, const uint8_t *can_follow)
{
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool found = false;
	vec_push(&work, (uint64_t)a << 32 | b);
	for (bool is_first = true; work.n && !found; is_first = false) {
		uint64_t pair = vec_pop(&work);
		for (uint32_t i = 0; i < bytes->n && !found; i++) {
			uint32_t to_b = dfa_step(x, (uint32_t)pair, bytes->at[i]);
			if (to_b == DFA_DEAD || (is_first && !can_follow[bytes->at[i]])) continue;
			uint32_t to_a = dfa_step(u, (uint32_t)(pair >> 32), bytes->at[i]);
			if (to_a != DFA_DEAD && must_match(u, to_a))
				continue;  // u's own longer match rules this lexeme out as well
			found = may_match(x, to_b) || x->unfailable[to_b];
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

static bool undoes(const struct byte_dfa *u, const struct byte_dfa *x, bool x_wins_ties, const uint8_t *can_follow)
{
	if (!u->n_states || !x->n_states) return false;
	struct joint_bytes bytes;
	find_joint_bytes(u, x, can_follow, &bytes);
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool found = false;
	for (uint32_t i = 0; i < (u->before.n_states ? u->before.n_states : 1); i++)
		for (uint32_t k = 0; k < (x->before.n_states ? x->before.n_states : 1); k++) {
			uint64_t pair = (uint64_t)(u->before.n_states ? u->before.start[i] : 0) << 32 |
			                (x->before.n_states ? x->before.start[k] : 0);
			if (pair >> 32 == DFA_DEAD || (uint32_t)pair == DFA_DEAD || map64_get(&met, pair) != MAP64_NONE) continue;
			map64_put(&met, pair, 1);
			vec_push(&work, pair);
		}
	while (work.n && !found) {
		uint64_t pair = vec_pop(&work);
		for (uint32_t i = 0; i < bytes.n && !found; i++) {
			uint32_t a = dfa_step(u, (uint32_t)(pair >> 32), bytes.at[i]), b = dfa_step(x, (uint32_t)pair, bytes.at[i]);
			uint64_t next = (uint64_t)a << 32 | b;
			if (a == DFA_DEAD || b == DFA_DEAD || map64_get(&met, next) != MAP64_NONE) continue;
			map64_put(&met, next, 1);
			vec_push(&work, next);
			found = may_match(u, a) && ((may_match(x, b) && x_wins_ties) || overtakes(u, x, &bytes, a, b, can_follow));
		}
	}
	map64_release(&met);
	vec_release(&work);
	return found;
}

bits *lexer_undone_by(const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *can_follow,
                      struct arena *arena)
{
	uint32_t n = g->n_terminals, words = BITS_WORDS(n);
	bits *undone_by = arena_array(arena, (size_t)n * words + 1, sizeof *undone_by);
	uint32_t *rank = mem_calloc(n + 1, sizeof *rank);
	for (terminal_id t = 0; t < n; t++) rank[t] = grammar_tie_rank(g, t);
	for (terminal_id u = 0; u < n; u++)
		for (terminal_id x = 0; x < n; x++)
			if (u != x && undoes(&dfa[u], &dfa[x], rank[x] < rank[u], can_follow + 256 * (size_t)u))
				bits_set(undone_by + (size_t)x * words, u);
	free(rank);
	return undone_by;
}
