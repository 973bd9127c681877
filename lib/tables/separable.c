// A sufficient proof of viability from the lexer alone; whole languages need no more at nearly all places.
//
// In:  lexer, LR tables. Out: lex_states that are viable on every stack.
// A *boundary* is (residue, context): a lexeme has ended, another must begin. It is safe when each terminal that is
// viable there can be lexed from it, perhaps after ignored text, in such a way that only safe boundaries follow. A
// viable prefix of a reduced grammar has a sentence that completes it, and from a safe boundary any such sentence can
// be spelled, terminal by terminal: so what leads to a safe boundary is viable, whatever the stack.
//   ends[q]   = (terminal, residue) pairs in which a lexeme now in lex_state q can end and be followed by text
//   can[r, c] = terminals lexed from (r, c) into safety, least fixpoint; through ignored lexemes can[r', c] counts
//   safe[r,c] = everything viable in c is in can[r, c], greatest fixpoint
// Cost: lex_states x classes x pairs / 64 for `ends`; boundaries x pairs for each round.
#include "separable.h"

#include "../../formats/artifact.h"
#include "../base/intern.h"

struct pair {
	uint32_t terminal, residue;
};

struct proof {
	const struct lexer *x;
	const struct lr *lr;
	struct intern pairs;  // struct pair
	uint32_t pair_words;
	bits *ends;           // [lex_state * pair_words]
	uint32_t context_words;
	bits *after;          // [terminal * context_words] contexts once it is on the stack
	bits *can;            // [boundary * lr->context_words] terminals
	uint8_t *safe;        // [boundary]; boundary = residue * n_contexts + context
};

static struct pair pair_get(const struct proof *p, uint32_t k)
{
	struct pair x;
	memcpy(&x, intern_get(&p->pairs, k, NULL), sizeof x);
	return x;
}

static void find_ends(struct proof *p)
{
	const struct lexer *x = p->x;
	uint32_t *pair_of = mem_calloc(x->n_states, sizeof *pair_of);
	for (lex_state q = 0; q < x->n_states; q++) {
		bool cuttable = false;
		for (uint32_t c = 0; c < x->n_classes; c++) cuttable |= (x->next[(size_t)q * x->n_classes + c] & LEX_CUT) != 0;
		struct pair end = {x->info[q].terminal, x->info[q].residue};
		pair_of[q] = cuttable ? intern_add(&p->pairs, &end, sizeof end, NULL) : INTERN_NONE;
	}
	p->pair_words = BITS_WORDS(p->pairs.entries.n);
	p->ends = mem_calloc((size_t)x->n_states * p->pair_words, sizeof *p->ends);
	for (lex_state q = 0; q < x->n_states; q++)
		if (pair_of[q] != INTERN_NONE) bits_set(p->ends + (size_t)q * p->pair_words, pair_of[q]);
	for (bool changed = true; changed;) {
		changed = false;
		for (lex_state q = x->n_states; q-- > 1;)
			for (uint32_t c = 0; c < x->n_classes; c++) {
				lex_state to = x->next[(size_t)q * x->n_classes + c] & LEX_STATE_MASK;
				if (to != LEX_DEAD && to != q)
					changed |= bits_union(p->ends + (size_t)q * p->pair_words, p->ends + (size_t)to * p->pair_words,
					                      p->pair_words);
			}
	}
	free(pair_of);
}

static void find_after(struct proof *p)
{
	p->context_words = BITS_WORDS(p->lr->n_contexts);
	p->after = mem_calloc((size_t)p->lr->n_terminals * p->context_words, sizeof *p->after);
	for (terminal_id t = 0; t < p->lr->n_terminals; t++)
		for (lr_state s = LR_BOTTOM; s < p->lr->n_states; s++) {
			uint32_t a = lr_action(p->lr, s, t);
			if (a & 1) bits_set(p->after + (size_t)t * p->context_words, p->lr->context_of[a / 2]);
		}
}

// A lexeme of a grammar's terminal ends so: are all boundaries that may follow safe?
static bool leads_to_safety(const struct proof *p, struct pair end)
{
	const bits *after = p->after + (size_t)end.terminal * p->context_words;
	for (uint32_t c = bits_next(after, p->context_words, 0); c != UINT32_MAX; c = bits_next(after, p->context_words, c + 1))
		if (!p->safe[(size_t)end.residue * p->x->n_contexts + c]) return false;
	return true;
}

static void find_can(struct proof *p)
{
	const struct lexer *x = p->x;
	uint32_t words = p->lr->context_words, n_boundaries = x->n_residues * x->n_contexts;
	uint8_t *good = mem_calloc(p->pairs.entries.n, 1);
	for (uint32_t k = 0; k < p->pairs.entries.n; k++)
		good[k] = !x->is_ignored[pair_get(p, k).terminal] && leads_to_safety(p, pair_get(p, k));
	memset(p->can, 0, (size_t)n_boundaries * words * sizeof *p->can);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t at = 0; at < n_boundaries; at++) {
			const bits *ends = p->ends + (size_t)x->start[at] * p->pair_words;
			bits *row = p->can + (size_t)at * words;
			for (uint32_t k = bits_next(ends, p->pair_words, 0); k != UINT32_MAX;
			     k = bits_next(ends, p->pair_words, k + 1)) {
				struct pair end = pair_get(p, k);
				uint32_t then = end.residue * x->n_contexts + at % x->n_contexts;
				if (x->is_ignored[end.terminal]) changed |= bits_union(row, p->can + (size_t)then * words, words);
				else if (good[k] && !bits_test(row, end.terminal)) bits_set(row, end.terminal), changed = true;
			}
		}
	}
	free(good);
}

// Drops boundaries that cannot serve all that is viable there; true when there were some.
static bool drop_unsafe(struct proof *p)
{
	uint32_t words = p->lr->context_words, n_contexts = p->x->n_contexts;
	bool changed = false;
	for (uint32_t at = 0; at < p->x->n_residues * n_contexts; at++) {
		const bits *can = p->can + (size_t)at * words, *wanted = p->lr->context + (size_t)(at % n_contexts) * words;
		for (uint32_t w = 0; w < words && p->safe[at]; w++)
			if (wanted[w] & ~can[w]) p->safe[at] = 0, changed = true;
	}
	return changed;
}

static uint8_t *find_safe_states(const struct proof *p)
{
	const struct lexer *x = p->x;
	uint8_t *safe = mem_calloc((size_t)x->n_states * x->n_contexts, 1);
	for (uint32_t k = 0; k < p->pairs.entries.n; k++) {
		struct pair end = pair_get(p, k);
		bool is_ignored = x->is_ignored[end.terminal], good = !is_ignored && leads_to_safety(p, end);
		for (lex_state q = 1; q < x->n_states; q++) {
			if (!bits_test(p->ends + (size_t)q * p->pair_words, k)) continue;
			for (uint32_t c = 0; c < x->n_contexts; c++)
				safe[(size_t)q * x->n_contexts + c] |=
				    is_ignored ? p->safe[(size_t)end.residue * x->n_contexts + c]
				               : good && bits_test(p->lr->context + (size_t)c * p->lr->context_words, end.terminal);
		}
	}
	return safe;
}

uint8_t *separable_build(const struct lexer *x, const struct lr *lr)
{
	struct proof p = {.x = x, .lr = lr};
	size_t n_boundaries = (size_t)x->n_residues * x->n_contexts;
	find_ends(&p);
	find_after(&p);
	p.can = mem_calloc(n_boundaries * lr->context_words, sizeof *p.can);
	p.safe = mem_calloc(n_boundaries, 1);
	memset(p.safe, 1, n_boundaries);
	do find_can(&p);
	while (drop_unsafe(&p));
	uint8_t *safe = find_safe_states(&p);
	intern_release(&p.pairs);
	free(p.ends);
	free(p.after);
	free(p.can);
	free(p.safe);
	return safe;
}
