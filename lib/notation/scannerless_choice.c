// Has the lexer of a grammar a choice that a reading by character would not have?
//
// In:  a grammar that scannerless_write.c wrote, its LR(1) automaton (lr.h). Out: the pieces that have to be taken
// apart, by the two rules of scannerless.c. Who competes is a context of the automaton; the bytes that can follow a
// terminal are those of the contexts that its shifts lead to. Cost: a build of the automaton, a product of the DFAs
// of each two terminals that compete.
#include "../lr/lr.h"
#include "scannerless_internal.h"

static const struct byte_dfa *dfa_of(struct scannerless *m, piece_id p)
{
	while (m->known.n <= p) vec_push(&m->known, ((struct dfa_of){0}));
	struct dfa_of *d = &m->known.at[p];
	if (!d->is_known) {
		struct diag unheard = {0};
		struct terminal t = {
			.name = "", .pattern = piece_pattern(m->r, p), .drops_empty = true, .loc = m->r->pieces.at[p].loc};
		struct byte_dfa *dfa = arena_alloc(&m->keep, sizeof *dfa);
		// With fewer tokens than these texts have it ends earlier; what may stand behind it is the same.
		if (t.pattern->kind == TERM_TOKENS) t.pattern = t.pattern->children[0];
		d->is_known = true;
		if (regex_compile_cached(&t, m->cache, &m->keep, &unheard, dfa)) d->dfa = dfa;
		if (d->dfa && m->r->has_whole_tokens && !term_reads_token_ends(t.pattern)) regex_pass_token_ends(dfa, &m->keep);
		diag_release(&unheard);
	}
	return d->dfa;
}

struct looking {
	struct scannerless *m;
	const struct grammar *g;
	const struct byte_dfa **dfa;  // [terminals]
	piece_id *piece;              // [terminals]
	uint8_t *behind;              // [terminals * 256] bytes with which something can begin behind it
	bool changed;
};

// False: it is as small as can be.
static bool take_apart(struct looking *l, terminal_id t)
{
	piece_id p = l->piece[t];
	if (p < l->m->broken.n && l->m->broken.at[p])
		for (uint32_t i = 0; i < l->m->atoms.n; i++)
			if (l->m->atoms.at[i] == p) return false;
	if (l->m->r->pieces.at[p].kind == PIECE_TERM && !scannerless_take_apart(l->m, p)) return false;
	scannerless_set_broken(l->m, p);
	return l->changed = true;
}

// Two parts of other front ends that compete, and the lexer would have to choose.
static bool cannot_tell(const struct looking *l, terminal_id a, terminal_id b)
{
	struct diag *d = l->m->r->diag;
	diag_error(d, l->g->terminals[a].loc,
	           "%s and %s may stand at one place, and where the one ends or which it is cannot be told there: this "
	           "combination is not supported. Put a text between them that neither has, or write both as one",
	           l->g->terminals[a].name, l->g->terminals[b].name);
	return false;
}

static void find_behind(struct looking *l, const struct lr *lr)
{
	uint32_t n = l->g->n_terminals;
	uint8_t *first = mem_calloc((size_t)n * 256 + 1, 1);
	uint8_t *of_context = mem_calloc((size_t)lr->n_contexts * 256 + 1, 1);
	for (terminal_id t = 0; t < n; t++)
		for (uint32_t b = 0; b < 256; b++) first[t * 256 + b] = dfa_step(l->dfa[t], 0, (uint8_t)b) != DFA_DEAD;
	for (uint32_t c = 0; c < lr->n_contexts; c++)
		for (terminal_id t = 0; t < n; t++)
			if (bits_test(lr->context + (size_t)c * lr->context_words, t))
				for (uint32_t b = 0; b < 256; b++) of_context[c * 256 + b] |= first[t * 256 + b];
	for (terminal_id t = 0; t < n; t++)
		for (uint32_t i = lr->step_at[t]; i < lr->step_at[t + 1]; i++) {
			if (!ACTION_IS_SHIFT(lr->step[i].action)) continue;
			const uint8_t *from = of_context + (size_t)lr->context_of[lr->step[i].action / 2] * 256;
			for (uint32_t b = 0; b < 256; b++) l->behind[t * 256 + b] |= from[b];
		}
	free(first), free(of_context);
}

// The DFA of each terminal; those that are too large are taken apart. False after an error.
static bool find_dfas(struct looking *l, struct arena *arena)
{
	uint32_t n = l->g->n_terminals, k = 0;
	bool ok = true;
	l->dfa = arena_array(arena, n, sizeof *l->dfa), l->piece = arena_array(arena, n, sizeof *l->piece);
	for (terminal_id t = 0; t < n; t++) {
		// lark_reduce keeps the order; patterns are the draft's
		while (l->m->draft.terminals.at[k].pattern != l->g->terminals[t].pattern) k++;
		l->piece[t] = l->m->of_terminal.at[k];
	}
	for (terminal_id t = 0; t < n; t++) l->dfa[t] = dfa_of(l->m, l->piece[t]);
	for (terminal_id t = 0; t < n; t++)
		if (!l->dfa[t] && !take_apart(l, t)) ok = cannot_tell(l, t, t);
	return ok;
}

#define BYTE_WORDS BITS_WORDS(256)

// The bytes that each terminal begins with: BYTE_WORDS a terminal. Where it matches the empty text, all.
static bits *first_bytes(const struct looking *l)
{
	bits *first = mem_calloc((size_t)l->g->n_terminals * BYTE_WORDS + 1, sizeof *first);
	for (terminal_id t = 0; t < l->g->n_terminals; t++)
		for (uint32_t b = 0; b < 256; b++) {
			const struct byte_dfa *d = l->dfa[t];
			if (d->n_states && (d->accept[0] || dfa_step(d, 0, (uint8_t)b) != DFA_DEAD))
				bits_set(first + (size_t)t * BYTE_WORDS, b);
		}
	return first;
}

// May two terminals clash? They do not where no text begins both.
static bool begin_alike(const bits *first, terminal_id a, terminal_id b)
{
	bits both = 0;
	for (uint32_t i = 0; i < BYTE_WORDS; i++)
		both |= first[(size_t)a * BYTE_WORDS + i] & first[(size_t)b * BYTE_WORDS + i];
	return both;
}

// Takes apart what competes and clashes. False after an error.
static bool part_rivals(struct looking *l, const struct lr *lr)
{
	uint32_t n = l->g->n_terminals, words = BITS_WORDS(n);
	bool ok = true;
	bits *done = mem_calloc((size_t)n * words + 1, sizeof *done), *first = first_bytes(l);
	for (uint32_t c = 0; c < lr->n_contexts; c++) {
		const bits *context = lr->context + (size_t)c * lr->context_words;
		for (uint32_t a = bits_next(context, words, 0); a != UINT32_MAX; a = bits_next(context, words, a + 1))
			for (uint32_t b = a; b != UINT32_MAX; b = bits_next(context, words, b + 1)) {
				if (bits_test(done + (size_t)a * words, b)) continue;
				bits_set(done + (size_t)a * words, b);
				const uint8_t *behind_a = l->behind + a * 256, *behind_b = l->behind + b * 256;
				if (!begin_alike(first, a, b) || !dfa_clash(l->dfa[a], l->dfa[b], behind_a, behind_b)) continue;
				bool apart = take_apart(l, a);
				if (!take_apart(l, b) && !apart) ok = cannot_tell(l, a, b);
			}
	}
	free(done), free(first);
	return ok;
}

static bool ends_at_token(const struct term *t)
{
	return t->kind == TERM_WHOLE_TOKEN || t->kind == TERM_TO_TOKEN_END || t->kind == TERM_CONTROL;
}

// A whole token that may come next in a state, or n_terminals.
static terminal_id whole_token_in(const struct looking *l, const struct lr *lr, lr_state s)
{
	const bits *context = lr->context + (size_t)lr->context_of[s] * lr->context_words;
	terminal_id t = 0;
	while (t < l->g->n_terminals && (l->g->terminals[t].pattern->kind != TERM_WHOLE_TOKEN || !bits_test(context, t)))
		t++;
	return t;
}

static bool told_inside(const struct looking *l, terminal_id whole, terminal_id before)
{
	diag_error(l->m->r->diag, l->g->terminals[whole].loc,
	           "the whole of a token may stand behind %s, a text of so many tokens that may end inside one: this "
	           "combination is not supported. Put a control token between them, or a text without max_tokens",
	           l->g->terminals[before].name);
	return false;
}

// May a whole token stand behind text that ends inside a token? Then all that text is split. False after an error.
static bool whole_tokens_begin(struct looking *l, const struct lr *lr)
{
	const uint32_t n = l->g->n_terminals;
	for (lr_state s = LR_BOTTOM; s < lr->n_states && l->m->r->has_whole_tokens; s++)
		for (terminal_id t = 0; t < n; t++) {
			uint32_t n_actions, one;
			const uint32_t *a = lr_actions(lr, s, t, &n_actions, &one);
			if (ends_at_token(l->g->terminals[t].pattern)) continue;
			for (uint32_t i = 0; i < n_actions; i++) {
				terminal_id whole = ACTION_IS_SHIFT(a[i]) ? whole_token_in(l, lr, a[i] / 2) : n;
				if (whole == n) continue;
				if (l->m->splits_at_tokens) return told_inside(l, whole, t);
				return l->m->splits_at_tokens = l->changed = true;
			}
		}
	return true;
}

bool scannerless_look(struct scannerless *m, struct grammar *made, bool *changed)
{
	struct arena arena = {0}, automaton = {0};
	struct grammar plain = *made;
	plain.arena = (struct arena){0};
	bool had_loops;
	struct lr *lr = arena_alloc(&automaton, sizeof *lr);
	bool ok = grammar_remove_loops(&plain, m->r->diag, &had_loops) &&
	          lr_build(&plain, &(struct lr_options){.keep_all = true}, &automaton, m->r->diag, lr);
	struct looking l = {.m = m, .g = &plain};
	ok = ok && find_dfas(&l, &arena);
	if (ok && !l.changed) {
		l.behind = arena_array(&arena, (size_t)plain.n_terminals * 256 + 1, 1);
		find_behind(&l, lr);
		ok = part_rivals(&l, lr) && (l.changed || whole_tokens_begin(&l, lr));
	}
	*changed = l.changed;
	if (ok && !l.changed && !had_loops && !lr->n_choice) {
		lr->grammar = NULL;
		made->parser = lr;
		arena_join(&made->arena, &automaton);
	}
	arena_release(&automaton);
	arena_release(&arena);
	arena_release(&plain.arena);
	return ok;
}
