// A text that a bounded number of tokens touch (TERM_TOKENS).
//
// In:  the automata of the whole text and of what ends it, which is not counted; the most tokens.
// Out: an automaton over bytes and TOKEN_END, the sign behind each token (shared/control.h).
// A state is the whole's, the tokens that may still come, whether the one at hand has touched the text, and the states
// of every end that may have begun. As long as tokens are left, or the one at hand is counted, bytes may be text, and
// an end may begin before any of them; behind that only what has begun goes on. So it is a subset construction (Rabin
// and Scott 1959) over few sets: an end that begins is nearly always known to the whole's automaton.
// Cost: tokens x states of the whole, once without and once with a byte of the token at hand.
#include "regex_internal.h"

#include "../base/work.h"
#include "../shared/control.h"

#define TEXT_IS_OVER UINT32_MAX
enum { WHOLE, LEFT, TOUCHED, ENDS };  // words of a state; behind them the ends' states, ascending

struct token_bound {
	const struct byte_dfa *whole, *tail;  // tail->n_states 0: nothing ends the text
	uint32_t n_classes;
	uint8_t class_of[256], sample[256];
	struct intern states;
	VEC(uint32_t) key, next;  // of a state; of all, [states * n_classes]
};

static void push_end(struct token_bound *x, uint32_t state)
{
	uint32_t at = x->key.n;
	if (state == DFA_DEAD) return;
	for (uint32_t i = ENDS; i < x->key.n; i++)
		if (x->key.at[i] == state) return;
	vec_push(&x->key, state);
	for (; at > ENDS && x->key.at[at - 1] > state; at--) x->key.at[at] = x->key.at[at - 1];
	x->key.at[at] = state;
}

// The number of the state in x->key; DFA_DEAD: no text goes on from it.
static uint32_t number_of(struct token_bound *x)
{
	if (x->key.at[WHOLE] == DFA_DEAD || (x->key.at[LEFT] == TEXT_IS_OVER && x->key.n == ENDS)) return DFA_DEAD;
	if (x->states.entries.n >= TOKENS_MAX_STATES) work_too_large("TOKENS_MAX_STATES", TOKENS_MAX_STATES);
	return intern_add(&x->states, x->key.at, x->key.n * sizeof *x->key.at, NULL);
}

static uint32_t behind_byte(struct token_bound *x, const uint32_t *from, uint32_t n, uint8_t byte)
{
	uint32_t left = from[LEFT];
	bool is_text = left != TEXT_IS_OVER;
	vec_clear(&x->key);
	vec_push(&x->key, dfa_step(x->whole, from[WHOLE], byte));
	if (is_text && !from[TOUCHED]) left = left ? left - 1 : TEXT_IS_OVER;
	vec_push(&x->key, left);
	vec_push(&x->key, left != TEXT_IS_OVER);
	for (uint32_t i = ENDS; i < n; i++) push_end(x, dfa_step(x->tail, from[i], byte));
	if (is_text && x->tail->n_states) push_end(x, dfa_step(x->tail, 0, byte));
	return number_of(x);
}

static uint32_t behind_token(struct token_bound *x, const uint32_t *from, uint32_t n)
{
	vec_clear(&x->key);
	for (uint32_t i = 0; i < n; i++) vec_push(&x->key, i == TOUCHED ? 0 : from[i]);
	return number_of(x);
}

static bool is_accepting(const struct token_bound *x, const uint32_t *state, uint32_t n)
{
	bool ends = !x->tail->n_states && state[LEFT] != TEXT_IS_OVER;
	for (uint32_t i = ENDS; i < n; i++) ends |= x->tail->accept[state[i]];
	return ends && x->whole->accept[state[WHOLE]];
}

// Classes of bytes that neither automaton tells apart; the last one is TOKEN_END's.
static void find_classes(struct token_bound *x)
{
	uint16_t seen[256];
	for (uint32_t b = 0; b < 256; b++) {
		uint16_t both = (uint16_t)(x->whole->class_of[b] << 8 | (x->tail->n_states ? x->tail->class_of[b] : 0));
		uint32_t c = 0;
		while (c < x->n_classes && seen[c] != both) c++;
		if (c == x->n_classes) seen[c] = both, x->sample[c] = (uint8_t)b, x->n_classes++;
		x->class_of[b] = (uint8_t)c;
	}
	x->class_of[TOKEN_END] = (uint8_t)x->n_classes++;
}

// States from which a text ends, found backwards in rounds; what leads to the others is dead. The order of numbers
// stays.
static void keep_live(struct token_bound *x, struct arena *arena, struct byte_dfa *out)
{
	const uint32_t n = x->states.entries.n, width = x->n_classes;
	uint32_t *number = mem_calloc(n, sizeof *number), n_live = 0;
	uint8_t *live = mem_calloc(n, 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t q = n; q-- > 0;) {
			uint32_t size;
			const uint32_t *state = intern_get(&x->states, q, &size);
			bool is_live = live[q] || is_accepting(x, state, size / (uint32_t)sizeof *state);
			for (uint32_t c = 0; c < width && !is_live; c++) {
				uint32_t to = x->next.at[(size_t)q * width + c];
				is_live = to != DFA_DEAD && live[to];
			}
			changed |= is_live && !live[q];
			live[q] = is_live;
		}
		work_check();
	}
	for (uint32_t q = 0; q < n; q++) number[q] = live[q] ? n_live++ : DFA_DEAD;
	*out = (struct byte_dfa){.n_states = live[0] ? n_live : 0, .n_classes = width};
	memcpy(out->class_of, x->class_of, sizeof out->class_of);
	out->next = arena_array(arena, (size_t)n_live * width + 1, sizeof *out->next);
	out->accept = arena_array(arena, (size_t)n_live + 1, 1),
	out->unfailable = arena_array(arena, (size_t)n_live + 1, 1);
	memset(out->unfailable, 0, n_live);
	for (uint32_t q = 0; q < n; q++) {
		uint32_t size;
		const uint32_t *state = intern_get(&x->states, q, &size);
		if (!live[q]) continue;
		out->accept[number[q]] = is_accepting(x, state, size / (uint32_t)sizeof *state);
		for (uint32_t c = 0; c < width; c++) {
			uint32_t to = x->next.at[(size_t)q * width + c];
			out->next[(size_t)number[q] * width + c] = to == DFA_DEAD ? DFA_DEAD : number[to];
		}
	}
	free(number), free(live);
}

// The sign does not stand before a text's first byte.
static void bound_tokens(struct token_bound *x, const struct term *t, struct arena *arena, struct byte_dfa *out)
{
	find_classes(x);
	vec_push(&x->key, 0), vec_push(&x->key, t->hi), vec_push(&x->key, 0);
	number_of(x);
	for (uint32_t q = 0; q < x->states.entries.n; q++) {
		uint32_t size;
		const uint32_t *at = intern_get(&x->states, q, &size);
		uint32_t n = size / (uint32_t)sizeof *at, *from = mem_alloc(size);
		memcpy(from, at, size);
		for (uint32_t c = 0; c + 1 < x->n_classes; c++) {
			uint32_t to = behind_byte(x, from, n, x->sample[c]);
			vec_push(&x->next, to);
		}
		uint32_t to = q ? behind_token(x, from, n) : DFA_DEAD;
		vec_push(&x->next, to);
		free(from);
		if (q % 1024 == 0) work_check();
	}
	keep_live(x, arena, out);
}

bool re_compile_tokens(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                       struct byte_dfa *out)
{
	const struct term *bound = t->pattern;
	struct arena scratch = {0};
	struct byte_dfa whole, tail = {0};
	struct terminal part = *t;
	part.pattern = bound->children[0];
	bool ok = regex_compile_cached(&part, cache, &scratch, d, &whole);
	part.pattern = bound->children[bound->n_children - 1], part.drops_empty = false;
	if (ok && bound->n_children == 2) ok = regex_compile_cached(&part, cache, &scratch, d, &tail);
	if (ok && (whole.after.n_states || whole.before.n_states || tail.after.n_states || tail.before.n_states)) {
		diag_error(d, t->loc, "terminal %s: a text with max_tokens cannot look at what stands before or behind it",
		           grammar_show_terminal(t, diag_arena(d)));
		ok = false;
	}
	if (ok) {
		struct token_bound x = {.whole = &whole, .tail = &tail};
		bound_tokens(&x, bound, arena, out);
		out->dropped_empty = whole.dropped_empty;
		intern_release(&x.states);
		vec_release(&x.key), vec_release(&x.next);
		ok = out->n_states != 0;
		if (!ok)
			diag_error(d, t->loc, "terminal %s: no text of it has so few tokens (max_tokens=%u)",
			           grammar_show_terminal(t, diag_arena(d)), bound->hi);
	}
	arena_release(&scratch);
	return ok;
}

void regex_pass_token_ends(struct byte_dfa *dfa, struct arena *arena)
{
	const uint32_t n = dfa->n_states, from = dfa->n_classes, to = from + 1;
	bool is_met = false;  // the start, again
	for (uint64_t i = 0; i < (uint64_t)n * from; i++) is_met |= dfa->next[i] == 0;
	uint32_t n_after = n + is_met;
	uint32_t *next = arena_array(arena, (size_t)n_after * to, sizeof *next);
	uint8_t *accept = arena_array(arena, n_after, 1), *unfailable = arena_array(arena, n_after, 1);
	for (uint32_t q = 0; q < n_after; q++) {
		uint32_t like = q == n ? 0 : q;
		for (uint32_t c = 0; c < from; c++) {
			uint32_t x = dfa->next[(size_t)like * from + c];
			next[(size_t)q * to + c] = x == 0 ? n : x;
		}
		next[(size_t)q * to + from] = q ? q : DFA_DEAD;
		accept[q] = dfa->accept[like], unfailable[q] = dfa->unfailable[like];
	}
	dfa->n_states = n_after, dfa->n_classes = to, dfa->next = next;
	dfa->accept = accept, dfa->unfailable = unfailable;
	dfa->class_of[TOKEN_END] = (uint8_t)from;
}
