// %keywords: words compete together.
//
// In:  terminals' DFAs, contexts as sets of viable terminals. Out: contexts as sets of terminals that compete.
// The words of a terminal N are N and the terminals all of whose texts N matches: keywords, where N matches names. Where one
// of them is viable all of them compete, so a word is lexed alike wherever it stands: `iffy` is never `if` and `fy`, and
// `class` no name. One that wins and is not viable ends the reading. Inclusion is found on pairs of DFA states; terminals
// that look around are no words. Cost: for each N, the terminals' DFA states.
#include "../base/map64.h"
#include "lexer.h"

// Does n match every text of t?
static bool includes(const struct byte_dfa *n, const struct byte_dfa *t)
{
	if (!n->n_states || !t->n_states || n->follow || t->follow || n->before.n_states || t->before.n_states) return false;
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool all = true;
	vec_push(&work, 0);
	map64_put(&met, 0, 1);
	while (work.n && all) {
		uint64_t pair = vec_pop(&work);
		for (int b = 0; b < 256 && all; b++) {
			uint32_t to = dfa_step(t, (uint32_t)pair, (uint8_t)b), in_n = dfa_step(n, (uint32_t)(pair >> 32), (uint8_t)b);
			if (to == DFA_DEAD) continue;
			all = in_n != DFA_DEAD && (n->accept[in_n] || !t->accept[to]);
			uint64_t next = (uint64_t)in_n << 32 | to;
			if (!all || map64_get(&met, next) != MAP64_NONE) continue;
			map64_put(&met, next, 1);
			vec_push(&work, next);
		}
	}
	map64_release(&met);
	vec_release(&work);
	return all;
}

bits *lexer_competing(const struct grammar *g, const struct byte_dfa *dfa, bits *viable, uint32_t n_contexts, uint32_t words,
                      struct arena *arena)
{
	bits *competing = viable, *group = mem_calloc(words + 1, sizeof *group);
	for (terminal_id n = 0; n < g->n_terminals; n++) {
		if (!g->terminals[n].has_words) continue;
		memset(group, 0, words * sizeof *group);
		bits_set(group, n);
		for (terminal_id t = 0; t < g->n_terminals; t++) {
			const struct terminal *x = &g->terminals[t];
			if (!x->is_ignored && !x->is_scoped && includes(&dfa[n], &dfa[t])) bits_set(group, t);
		}
		if (competing == viable) {
			competing = arena_array(arena, (size_t)n_contexts * words + 1, sizeof *competing);
			memcpy(competing, viable, (size_t)n_contexts * words * sizeof *competing);
		}
		for (uint32_t c = 0; c < n_contexts; c++) {
			bits *row = competing + (size_t)c * words;
			bool some = false;
			for (uint32_t w = 0; w < words; w++) some |= (viable[(size_t)c * words + w] & group[w]) != 0;
			if (some) bits_union(row, group, words);
		}
	}
	free(group);
	return competing;
}
