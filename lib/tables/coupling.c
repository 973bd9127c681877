// Rivals from the grammar, and which lexemes they can undo from the DFAs.
//
// In:  terminals' DFAs, automaton. Out: struct coupling; nothing when no cell has a choice.
// 1. A rival of state s: a terminal that competes in some state that can be a top beside s (beside.c), and not in s. Where there
//    are too many such pairs, in some state entered by a terminal that enters s: all stacks of a text were entered by the same one.
// 2. Which terminals can undo which: lexer_undo.c.
// 3. Separators are bytes that are by themselves lexemes of an ignored terminal. The grammar settles when each terminal
//    viable in a context with rivals has a lexeme that neither its context nor the rivals match with a better rank, nor go
//    on with, at least not over some separator. Then lexeme, separator, lexeme, ... spells any sentence, and at most the lexeme that is
//    pending when it begins can turn out otherwise: as a terminal of another stack, from which all is the same.
// Too much costs time at run time, never exactness. Cost: states x terminals.
#include "coupling.h"

#include "../base/intern.h"
#include "beside.h"

static bool asks_about_surroundings(const struct byte_dfa *d) { return d->follow || d->before.n_states; }

// [n_states * words] what competes in states that can be tops beside a state.
static void find_beside_by_entry(const struct lr *lr, const bits *competing, uint32_t words, bits *beside)
{
	bits *after = mem_calloc(words, sizeof *after);
	for (terminal_id t = 0; t < lr->n_terminals; t++) {
		memset(after, 0, words * sizeof *after);
		for (int pass = 0; pass < 2; pass++)
			for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
				uint32_t n, one;
				const uint32_t *a = lr_actions(lr, s, t, &n, &one);
				for (uint32_t i = 0; i < n; i++) {
					if (!ACTION_IS_SHIFT(a[i])) continue;
					if (pass == 0) bits_union(after, competing + (size_t)lr->context_of[a[i] / 2] * words, words);
					else bits_union(beside + (size_t)(a[i] / 2) * words, after, words);
				}
			}
	}
	free(after);
}

// contexts: [n_contexts * BITS_WORDS(n_contexts)] of tops beside one of a context.
static bits *find_beside(const struct lr *lr, const bits *competing, uint32_t words, bits *contexts)
{
	uint32_t state_words = BITS_WORDS(lr->n_states), context_words = BITS_WORDS(lr->n_contexts);
	bits *beside = mem_calloc((size_t)lr->n_states * words, sizeof *beside);
	bits *pairs = mem_calloc((size_t)lr->n_states * state_words, sizeof *pairs);
	bool known = beside_find(lr, pairs);
	for (lr_state s = LR_BOTTOM; s < lr->n_states && known; s++) {
		const bits *others = pairs + (size_t)s * state_words;
		for (lr_state x = bits_next(others, state_words, 0); x != UINT32_MAX; x = bits_next(others, state_words, x + 1))
			if (x != s) {
				bits_union(beside + (size_t)s * words, competing + (size_t)lr->context_of[x] * words, words);
				bits_set(contexts + (size_t)lr->context_of[s] * context_words, lr->context_of[x]);
			}
	}
	if (!known) {
		find_beside_by_entry(lr, competing, words, beside);
		memset(contexts, 0xff, (size_t)lr->n_contexts * context_words * sizeof *contexts);
	}
	free(pairs);
	return beside;
}

#define SHORT_LEXEMES 400u  // of a terminal, tried
#define SHORT_LENGTH 3u

struct spelling {
	const struct grammar *g;
	const struct byte_dfa *dfa;
	uint32_t n_separators, n_letters;
	uint8_t separators[256];
	uint8_t letters[256];  // a byte of each class of all DFAs together
};

static void find_letters(struct spelling *p)
{
	struct intern classes = {0};
	uint8_t *row = mem_calloc(p->g->n_terminals + 1, 1);
	for (int b = 0; b < 256; b++) {
		bool is_new, separates = false;
		for (terminal_id t = 0; t < p->g->n_terminals; t++) {
			const struct byte_dfa *d = &p->dfa[t];
			row[t] = d->n_states ? d->class_of[b] : 0;
			uint32_t to = d->n_states && p->g->terminals[t].is_ignored ? dfa_step(d, 0, (uint8_t)b) : DFA_DEAD;
			separates |= to != DFA_DEAD && d->accept[to] && !asks_about_surroundings(d);
		}
		intern_add(&classes, row, p->g->n_terminals, &is_new);
		if (is_new) p->letters[p->n_letters++] = (uint8_t)b;
		if (separates) p->separators[p->n_separators++] = (uint8_t)b;
	}
	free(row);
	intern_release(&classes);
}

// Where x stands after a text, or DFA_DEAD.
static uint32_t after_text(const struct byte_dfa *x, const uint8_t *text, uint32_t n)
{
	uint32_t s = x->n_states ? 0 : DFA_DEAD;
	for (uint32_t i = 0; i < n && s != DFA_DEAD; i++) s = dfa_step(x, s, text[i]);
	return s;
}

// Is this text certainly one lexeme of u, with a separator behind it, when all of `rivals` and the ignored ones compete?
static bool is_clear(const struct spelling *p, terminal_id u, const bits *rivals, const uint8_t *text, uint32_t n)
{
	bool separable[256], some = true;  // without a separator: when u alone can go on
	for (uint32_t i = 0; i < p->n_separators; i++) separable[i] = true;
	for (terminal_id x = 0; x < p->g->n_terminals; x++) {
		if (!bits_test(rivals, x) && !p->g->terminals[x].is_ignored) continue;
		const struct byte_dfa *d = &p->dfa[x];
		uint32_t s = after_text(d, text, n);
		if (s == DFA_DEAD) continue;
		if (asks_about_surroundings(d) || (x != u && d->accept[s] && grammar_tie_rank(p->g, x) < grammar_tie_rank(p->g, u)))
			return false;
		some &= x == u;
		for (uint32_t i = 0; i < p->n_separators; i++) separable[i] &= dfa_step(d, s, p->separators[i]) == DFA_DEAD;
	}
	for (uint32_t i = 0; i < p->n_separators; i++) some |= separable[i];
	return some;
}

// Some short lexeme of u is clear. Breadth-first over letters.
static bool has_clear_lexeme(const struct spelling *p, terminal_id u, const bits *rivals)
{
	const struct byte_dfa *d = &p->dfa[u];
	if (!d->n_states) return true;  // made, not lexed
	struct { uint8_t text[SHORT_LENGTH * 8]; uint32_t n, state; } *queue = mem_calloc(SHORT_LEXEMES, sizeof *queue);
	uint32_t n = 1;
	bool found = false;
	for (uint32_t i = 0; i < n && !found; i++) {
		found = i && d->accept[queue[i].state] && is_clear(p, u, rivals, queue[i].text, queue[i].n);
		if (queue[i].n == sizeof queue[i].text) continue;
		for (uint32_t k = 0; k < p->n_letters && n < SHORT_LEXEMES; k++) {
			uint32_t to = dfa_step(d, queue[i].state, p->letters[k]);
			if (to == DFA_DEAD) continue;
			queue[n] = queue[i];
			queue[n].text[queue[n].n++] = p->letters[k];
			queue[n++].state = to;
		}
	}
	free(queue);
	return found;
}

// rivals: [n_states * words].
static bool settles(const struct grammar *g, const struct byte_dfa *dfa, const struct lr *lr, const bits *competing, const bits *rivals)
{
	struct spelling p = {.g = g, .dfa = dfa};
	find_letters(&p);
	uint32_t words = lr->context_words;
	bits *together = mem_calloc((size_t)lr->n_contexts * words, sizeof *together);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		bits_union(together + (size_t)lr->context_of[s] * words, rivals + (size_t)s * words, words);
	bool all = p.n_separators > 0;
	for (uint32_t c = 0; c < lr->n_contexts && all; c++) {
		bits *row = together + (size_t)c * words;
		if (bits_count(row, words) == 0) continue;
		const bits *own = lr->context + (size_t)c * words;
		bits_union(row, competing + (size_t)c * words, words);
		for (terminal_id u = bits_next(own, words, 0); u != UINT32_MAX && all; u = bits_next(own, words, u + 1))
			all = has_clear_lexeme(&p, u, row);
	}
	free(together);
	return all;
}

void coupling_build(const struct grammar *g, const struct byte_dfa *dfa, const struct lr *lr, const bits *competing,
                    const bits *undone_by, struct arena *arena, struct coupling *out)
{
	*out = (struct coupling){.words = lr->context_words};
	if (!lr->n_choice) return;
	uint32_t words = out->words;
	out->undone = arena_array(arena, (size_t)lr->n_states * words, sizeof(bits));
	out->undone_in = arena_array(arena, (size_t)lr->n_contexts * words, sizeof(bits));
	out->contexts_beside = arena_array(arena, (size_t)lr->n_contexts * BITS_WORDS(lr->n_contexts), sizeof(bits));
	bits *rivals = find_beside(lr, competing, words, out->contexts_beside);
	out->beside_in = arena_array(arena, (size_t)lr->n_contexts * words, sizeof(bits));
	out->dfa = dfa;
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		bits *row = rivals + (size_t)s * words, *all = out->beside_in + (size_t)lr->context_of[s] * words;
		bool any = bits_union(all, row, words) || bits_count(row, words);
		for (terminal_id t = 0; t < lr->n_terminals && any; t++)
			if (g->terminals[t].is_ignored) bits_set(all, t);
		const bits *own = competing + (size_t)lr->context_of[s] * words;
		for (uint32_t w = 0; w < words; w++) row[w] &= ~own[w];
	}
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		const bits *row = rivals + (size_t)s * words;
		for (uint32_t x = bits_next(row, words, 0); x != UINT32_MAX; x = bits_next(row, words, x + 1))
			bits_union(out->undone + (size_t)s * words, undone_by + (size_t)x * words, words);
	}
	if (bits_count(out->undone, lr->n_states * words) == 0) out->undone = NULL;  // no lexeme of any stack can be undone
	else out->settles = settles(g, dfa, lr, competing, rivals);
	for (lr_state s = LR_BOTTOM; s < lr->n_states && out->undone; s++)
		bits_union(out->undone_in + (size_t)lr->context_of[s] * words, out->undone + (size_t)s * words, words);
	free(rivals);
}
