// Random vocabularies over what a grammar is about: its bytes, pieces of its sentences, and noise.
//
// In:  a grammar. Out: words (droppable one by one) and the vocabulary of them: token 0 is EOS, token 1 a control
// token, then the words, then perhaps a second EOS. Some single bytes are missing in a third of the vocabularies:
// then a prefix can be alive for lexer and parser and yet have no completion.
#include "../random.h"

#define MAX_SENTENCE 60

// Appends a random text that the terminal matches: a walk through its DFA that prefers to end early.
static void random_lexeme(struct rng *r, const struct byte_dfa *a, const uint8_t *letters, uint32_t n_letters,
                          uint8_t *out, uint32_t *len)
{
	uint32_t s = 0;
	if (!a->n_states) return;
	for (uint32_t tries = 0; *len < MAX_SENTENCE && tries < 200; tries++) {
		if (a->accept[s] && rng_percent(r, 50)) return;
		uint8_t b = letters[rng_below(r, n_letters)];
		if (dfa_step(a, s, b) == DFA_DEAD) continue;
		s = dfa_step(a, s, b);
		out[(*len)++] = b;
	}
}

// Appends a sentence of the grammar, leaning towards short productions; gives up at MAX_SENTENCE.
static void random_sentence(struct rng *r, const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *letters,
                            uint32_t n_letters, uint8_t *out, uint32_t *len)
{
	VEC(symbol_id) stack = {0};
	vec_push(&stack, g->n_terminals + g->start);
	for (uint32_t steps = 0; stack.n && steps < 200 && stack.n < 50; steps++) {
		symbol_id s = vec_pop(&stack);
		if (s < g->n_terminals) {
			random_lexeme(r, &dfa[s], letters, n_letters, out, len);
			for (uint32_t t = 0; t < g->n_terminals; t++)
				if (g->terminals[t].is_ignored && rng_percent(r, 15))
					random_lexeme(r, &dfa[t], letters, n_letters, out, len);
			continue;
		}
		const struct production *pick = NULL;
		uint32_t seen = 0;
		for (uint32_t p = 0; p < g->n_productions; p++) {
			const struct production *q = &g->productions[p];
			if (q->lhs != s - g->n_terminals) continue;
			seen++;
			bool shorter = pick && q->n_rhs < pick->n_rhs;
			if (!pick || (steps > 40 ? shorter : rng_below(r, seen) == 0)) pick = q;
		}
		if (!pick) break;
		for (uint32_t i = pick->n_rhs; i-- > 0;) vec_push(&stack, pick->rhs[i]);
	}
	vec_release(&stack);
}

static void add_word(struct words *w, const uint8_t *bytes, uint32_t len)
{
	struct word x = {.len = len};
	if (!len || len > sizeof x.bytes) return;
	memcpy(x.bytes, bytes, len);
	vec_push(&w->at, x);
}

void random_words(struct rng *r, const struct lark *l, const struct grammar *g, struct words *w)
{
	*w = (struct words){.has_two_eos = rng_percent(r, 20)};
	const uint8_t *letters = (const uint8_t *)l->alphabet;
	uint32_t n_letters = (uint32_t)strlen(l->alphabet);
	struct arena arena = {0};
	struct byte_dfa *dfa = arena_array(&arena, g->n_terminals, sizeof *dfa);
	struct diag d = {0};
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].pattern && !regex_compile(&g->terminals[t], &arena, &d, &dfa[t])) dfa[t].n_states = 0;
	diag_release(&d);

	bool lacks = rng_percent(r, 33) && !kind_is_indent(l->kind);
	for (uint32_t i = 0; i < n_letters; i++)
		if (!lacks || !rng_percent(r, 30)) add_word(w, &letters[i], 1);
	for (uint32_t pieces = 3 + rng_below(r, 20); pieces; pieces--) {
		uint8_t text[MAX_SENTENCE + 8];
		uint32_t len = 0;
		if (rng_percent(r, 70))
			random_sentence(r, g, dfa, letters, n_letters, text, &len);
		else
			for (uint32_t n = 1 + rng_below(r, 5); n; n--) text[len++] = letters[rng_below(r, n_letters)];
		if (!len) continue;
		uint32_t from = rng_below(r, len), n = 1 + rng_below(r, rng_percent(r, 20) ? 20 : 5);
		add_word(w, text + from, n < len - from ? n : len - from);
	}
	for (uint32_t more = l->kind == KIND_BLANKS ? 3 + rng_below(r, 8) : 0; more; more--) {
		uint8_t text[24];
		uint32_t len = 1 + rng_below(r, 12);
		memset(text, ' ', len);
		for (uint32_t n = rng_below(r, 4); n; n--) text[len++] = letters[rng_below(r, n_letters)];
		add_word(w, text, len);
	}
	if (w->at.n && rng_percent(r, 20)) {
		struct word twin = w->at.at[rng_below(r, w->at.n)];
		vec_push(&w->at, twin);
	}
	if (rng_percent(r, 10)) add_word(w, (const uint8_t *)"\xFF", 1);
	if (!w->at.n) add_word(w, letters, 1);
	arena_release(&arena);
}

void words_vocab(const struct words *w, struct vocab *v)
{
	const uint8_t **bytes = mem_calloc(w->at.n + 3, sizeof *bytes);
	uint32_t *len = mem_calloc(w->at.n + 3, sizeof *len), n = 2, eos[2] = {0};
	uint8_t *kind = mem_calloc(w->at.n + 3, 1);
	kind[0] = kind[1] = TOKEN_CONTROL;
	bytes[0] = bytes[1] = (const uint8_t *)"";
	for (uint32_t i = 0; i < w->at.n; i++) {
		if (w->at.at[i].is_dropped) continue;
		bytes[n] = w->at.at[i].bytes, len[n] = w->at.at[i].len, kind[n++] = TOKEN_TEXT;
	}
	if (w->has_two_eos) eos[1] = n, bytes[n] = (const uint8_t *)"", kind[n++] = TOKEN_CONTROL;
	*v = (struct vocab){0};
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, w->has_two_eos ? 2 : 1, eos}, v);
	free(bytes);
	free(len);
	free(kind);
}
