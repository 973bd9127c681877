// Scans of other stacks beside each lex_state, one terminal's DFA at a time.
//
// In:  lexer, LR tables, what competes beside each context, DFAs. Out: struct rivals.
// An *item* is a state of a terminal's DFA. Two relations, least fixpoints over bytes:
//   along[q]   items that another stack may be in when this one is in q, the lexeme having begun at the same place: at its begin
//              all terminals that compete beside the context; then both take the same bytes
//   ghosts[q]  items of an earlier lexeme that this stack ended and another one could have gone on with: they come from `along` and
//              `ghosts` where q's lexeme is cut before a byte with which they go on; one that has matched, or that nothing can make
//              fail, has shown that the cut was wrong, and is no more
// What stands around a lexeme is not looked at: lookbehinds may hold, lookaheads may or may not. So there are too many
// items, never too few; a lexeme that ends in spite of all of them ends so whatever the other stacks are.
// Cost: (lex_state, item) pairs x classes of bytes.
#include "rivals.h"


struct scans {
	const struct lexer *x;
	const struct lr *lr;
	const struct coupling *c;
	uint32_t n_items, words, *first;   // first item of a terminal
	terminal_id *terminal;             // [item]
	bits *along, *ghosts;              // [lex_state * words]
	struct scan { lex_state q; uint32_t item; bool is_ghost; } *work;
	uint32_t n_work, cap_work;
	uint32_t n_letters;
	uint8_t letters[256];              // a byte of each class of the lexer and all DFAs together
	struct map64 cuts;                 // lex_state, letter -> index into lists
	VEC(uint32_t) lists;
	bits *after;                       // [terminal * context_words] contexts once it is on the stack
	bits *lives_in;                    // [lex_state * context_words] contexts in which a lexeme comes there
	uint32_t context_words;
};

static void add(struct scans *s, lex_state q, uint32_t item, bool is_ghost)
{
	bits *row = (is_ghost ? s->ghosts : s->along) + (size_t)q * s->words;
	if (bits_test(row, item)) return;
	bits_set(row, item);
	if (s->n_work == s->cap_work) {
		s->cap_work = s->cap_work ? 2 * s->cap_work : 1024;
		s->work = mem_realloc(s->work, s->cap_work, sizeof *s->work);
	}
	s->work[s->n_work++] = (struct scan){q, item, is_ghost};
}

static const struct byte_dfa *dfa_of(const struct scans *s, uint32_t item, uint32_t *state)
{
	terminal_id t = s->terminal[item];
	*state = item - s->first[t];
	return &s->c->dfa[t];
}

// The item after a byte, or UINT32_MAX.
static uint32_t step(const struct scans *s, uint32_t item, uint8_t byte)
{
	uint32_t state;
	const struct byte_dfa *d = dfa_of(s, item, &state);
	uint32_t to = dfa_step(d, state, byte);
	return to == DFA_DEAD ? UINT32_MAX : s->first[s->terminal[item]] + to;
}

// A ghost that shows that its cut was wrong.
static bool is_over(const struct scans *s, uint32_t item)
{
	uint32_t state;
	const struct byte_dfa *d = dfa_of(s, item, &state);
	return dfa_follow(d, state) == FOLLOW_ANY || d->unfailable[state];
}

static void find_items(struct scans *s)
{
	uint32_t n = s->lr->n_terminals;
	s->first = mem_calloc(n + 1, sizeof *s->first);
	for (terminal_id t = 0; t < n; t++) s->first[t + 1] = s->first[t] + s->c->dfa[t].n_states;
	s->n_items = s->first[n], s->words = BITS_WORDS(s->n_items + 1);
	s->terminal = mem_calloc(s->n_items + 1, sizeof *s->terminal);
	for (terminal_id t = 0; t < n; t++)
		for (uint32_t i = s->first[t]; i < s->first[t + 1]; i++) s->terminal[i] = t;
	struct intern classes = {0};
	uint8_t *row = mem_calloc(n + 1, 1);
	for (int b = 0; b < 256; b++) {
		bool is_new;
		for (terminal_id t = 0; t < n; t++) row[t] = s->c->dfa[t].n_states ? s->c->dfa[t].class_of[b] : 0;
		row[n] = s->x->class_of[b];
		intern_add(&classes, row, n + 1, &is_new);
		if (is_new) s->letters[s->n_letters++] = (uint8_t)b;
	}
	free(row);
	intern_release(&classes);
}

static void find_after(struct scans *s)
{
	const struct lr *lr = s->lr;
	s->context_words = BITS_WORDS(lr->n_contexts);
	s->after = mem_calloc((size_t)lr->n_terminals * s->context_words + 1, sizeof *s->after);
	for (terminal_id t = 0; t < lr->n_terminals; t++)
		for (lr_state p = LR_BOTTOM; p < lr->n_states; p++) {
			uint32_t n, one;
			const uint32_t *a = lr_actions(lr, p, t, &n, &one);
			bits *row = s->after + (size_t)t * s->context_words;
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(a[i]) || (a[i] == ACTION_SKIP && lr->rests[p])) bits_set(row, lr->context_of[a[i] == ACTION_SKIP ? p : a[i] / 2]);
		}
}

static void find_lives_in(struct scans *s)
{
	const struct lexer *x = s->x;
	VEC(lex_state) work = {0};
	s->lives_in = mem_calloc((size_t)x->n_states * s->context_words + 1, sizeof *s->lives_in);
	for (uint32_t c = 0; c < x->n_contexts; c++) {
		for (uint32_t r = 0; r < x->n_residues; r++) vec_push(&work, x->start[(size_t)r * x->n_contexts + c]);
		while (work.n) {
			lex_state q = vec_pop(&work);
			if (!q || bits_test(s->lives_in + (size_t)q * s->context_words, c)) continue;
			bits_set(s->lives_in + (size_t)q * s->context_words, c);
			for (uint32_t k = 0; k < x->n_classes; k++) vec_push(&work, x->next[(size_t)q * x->n_classes + k] & LEX_STATE_MASK);
		}
	}
	vec_release(&work);
}

// Index into s->lists of where the cut of q before a byte leads, the byte read.
static uint32_t cut_of(struct scans *s, lex_state q, uint8_t byte)
{
	uint64_t key = (uint64_t)q << 8 | byte, known = map64_get(&s->cuts, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	const struct lexer *x = s->x;
	uint32_t at = s->lists.n;
	vec_push(&s->lists, 0);
	for (const struct lex_info *way = &x->info[q]; way && lexer_next(x, q, byte) & LEX_CUT; way = lexer_also(x, way)) {
		if (way->terminal == UINT32_MAX) continue;
		const bits *after = x->is_ignored[way->terminal] ? s->lives_in + (size_t)q * s->context_words   // the top stays
		                                                 : s->after + (size_t)way->terminal * s->context_words;
		for (uint32_t c = bits_next(after, s->context_words, 0); c != UINT32_MAX; c = bits_next(after, s->context_words, c + 1)) {
			lex_state start = x->start[(size_t)way->residue * x->n_contexts + c];
			lex_state to = start ? lexer_next(x, start, byte) & LEX_STATE_MASK : 0;
			bool is_there = !to;
			for (uint32_t i = at + 1; i < s->lists.n && !is_there; i++) is_there = s->lists.at[i] == to;
			if (!is_there) vec_push(&s->lists, to);
		}
	}
	s->lists.at[at] = s->lists.n - at - 1;
	map64_put(&s->cuts, key, at);
	return at;
}

static void run(struct scans *s)
{
	const struct lexer *x = s->x;
	for (uint32_t r = 0; r < x->n_residues; r++)
		for (uint32_t c = 0; c < x->n_contexts; c++) {
			lex_state q = x->start[(size_t)r * x->n_contexts + c];
			const bits *beside = s->c->beside_in + (size_t)c * s->c->words;
			for (uint32_t t = q ? bits_next(beside, s->c->words, 0) : UINT32_MAX; t != UINT32_MAX; t = bits_next(beside, s->c->words, t + 1)) {
				const struct byte_dfa *d = &s->c->dfa[t];
				if (!d->before.n_states && d->n_states) add(s, q, s->first[t], false);
				for (uint32_t i = 0; i < d->before.n_states; i++)
					if (d->before.start[i] != DFA_DEAD) add(s, q, s->first[t] + d->before.start[i], false);
			}
		}
	while (s->n_work) {
		struct scan w = s->work[--s->n_work];
		for (uint32_t i = 0; i < s->n_letters; i++) {
			uint8_t byte = s->letters[i];
			uint32_t to = step(s, w.item, byte), next = lexer_next(x, w.q, byte);
			if (to == UINT32_MAX) continue;
			bool gone = is_over(s, to);
			if (next & LEX_STATE_MASK && !(w.is_ghost && gone)) add(s, next & LEX_STATE_MASK, to, w.is_ghost);
			if (!(next & LEX_CUT) || gone) continue;
			uint32_t list = cut_of(s, w.q, byte);
			for (uint32_t k = 1; k <= s->lists.at[list]; k++) add(s, s->lists.at[list + k], to, true);
		}
	}
}

// Pairs of lex_states that two stacks can be in with one lexeme: they begin in contexts beside each other, behind whatever residues,
// and both take the same bytes.
struct lex_pairs {
	const struct lexer *x;
	uint32_t words;
	bits *of;              // [lex_state * words]
	VEC(lex_state) work;   // two each
};

static void add_lex_pair(struct lex_pairs *p, lex_state a, lex_state b)
{
	if (!a || !b || bits_test(p->of + (size_t)a * p->words, b)) return;
	bits_set(p->of + (size_t)a * p->words, b);
	bits_set(p->of + (size_t)b * p->words, a);
	vec_push(&p->work, a);
	vec_push(&p->work, b);
}

static void find_lex_pairs(struct lex_pairs *p, const struct coupling *c)
{
	const struct lexer *x = p->x;
	uint32_t words = BITS_WORDS(x->n_contexts);
	for (uint32_t i = 0; i < x->n_contexts; i++)
		for (uint32_t k = 0; k < x->n_contexts; k++)
			for (uint32_t r = 0; bits_test(c->contexts_beside + (size_t)i * words, k) && r < x->n_residues * x->n_residues; r++)
				add_lex_pair(p, x->start[(size_t)(r / x->n_residues) * x->n_contexts + i], x->start[(size_t)(r % x->n_residues) * x->n_contexts + k]);
	while (p->work.n) {
		lex_state b = vec_pop(&p->work), a = vec_pop(&p->work);
		for (uint32_t k = 0; k < x->n_classes; k++)
			add_lex_pair(p, x->next[(size_t)a * x->n_classes + k] & LEX_STATE_MASK, x->next[(size_t)b * x->n_classes + k] & LEX_STATE_MASK);
	}
}

// r->alone.
static void find_alone(struct rivals *r)
{
	const struct lexer *x = r->x;
	struct lex_pairs p = {.x = x, .words = BITS_WORDS(x->n_states)};
	p.of = mem_calloc((size_t)x->n_states * p.words, sizeof *p.of);
	find_lex_pairs(&p, r->c);
	for (lex_state q = 1; q < x->n_states; q++) {
		const bits *others = p.of + (size_t)q * p.words;
		memset(r->alone[STACKS][q], 0xff, sizeof r->alone[STACKS][q]);
		for (lex_state o = bits_next(others, p.words, 0); o != UINT32_MAX; o = bits_next(others, p.words, o + 1))
			for (uint32_t b = 0; b < 256; b++) {
				lex_state to = lexer_next(x, o, (uint8_t)b) & LEX_STATE_MASK;
				if (to && to != (lexer_next(x, q, (uint8_t)b) & LEX_STATE_MASK)) r->alone[STACKS][q][b / 64] &= ~((uint64_t)1 << b % 64);
			}
		for (uint32_t w = 0; w < 4; w++) r->alone[STACKS_AND_GHOSTS][q][w] = r->alone[STACKS][q][w] & r->laid[q][w];
	}
	free(p.of);
	vec_release(&p.work);
}

void rivals_build(const struct lexer *x, const struct lr *lr, const struct coupling *c, struct rivals *out)
{
	struct scans s = {.x = x, .lr = lr, .c = c};
	find_items(&s);
	find_after(&s);
	find_lives_in(&s);
	s.along = mem_calloc((size_t)x->n_states * s.words, sizeof *s.along);
	s.ghosts = mem_calloc((size_t)x->n_states * s.words, sizeof *s.ghosts);
	run(&s);
	*out = (struct rivals){.x = x, .c = c, .laid = mem_calloc(x->n_states, sizeof *out->laid), .best = mem_calloc(x->n_states, sizeof *out->best)};
	for (int k = 0; k < 2; k++) {
		out->quiet[k] = mem_calloc(x->n_states, sizeof *out->quiet[k]);
		out->alone[k] = mem_calloc(x->n_states, sizeof *out->alone[k]);
		out->stuck[k] = mem_calloc(x->n_states, 1);
	}
	for (lex_state q = 0; q < x->n_states; q++) {
		const bits *along = s.along + (size_t)q * s.words, *ghosts = s.ghosts + (size_t)q * s.words;
		for (int k = 0; k < 2; k++) memset(out->quiet[k][q], 0xff, sizeof out->quiet[k][q]);
		memset(out->laid[q], 0xff, sizeof out->laid[q]);
		out->best[q] = UINT32_MAX;
		for (int is_ghost = 0; is_ghost < 2; is_ghost++) {
			const bits *row = is_ghost ? ghosts : along;
			for (uint32_t i = bits_next(row, s.words, 0); i != UINT32_MAX; i = bits_next(row, s.words, i + 1)) {
				uint32_t state;
				const struct byte_dfa *d = dfa_of(&s, i, &state);
				if (!is_ghost && dfa_follow(d, state) != FOLLOW_NEVER && x->rank[s.terminal[i]] < out->best[q]) out->best[q] = x->rank[s.terminal[i]];
				for (int k = is_ghost; k < 2; k++) out->stuck[k][q] |= d->unfailable[state];
				for (uint32_t b = 0; b < 256; b++) {
					if (dfa_step(d, state, (uint8_t)b) == DFA_DEAD) continue;
					for (int k = is_ghost; k < 2; k++) out->quiet[k][q][b / 64] &= ~((uint64_t)1 << b % 64);
					if (is_ghost) out->laid[q][b / 64] &= ~((uint64_t)1 << b % 64);
				}
			}
		}
	}
	free(s.along);
	free(s.ghosts);
	free(s.first);
	free(s.terminal);
	free(s.work);
	free(s.after);
	free(s.lives_in);
	map64_release(&s.cuts);
	vec_release(&s.lists);
	find_alone(out);
}

static uint32_t add_set(struct rivals *r, bits *states)
{
	uint32_t words = BITS_WORDS(r->x->n_states);
	VEC(lex_state) list = {0};
	for (lex_state q = bits_next(states, words, 1); q != UINT32_MAX; q = bits_next(states, words, q + 1)) vec_push(&list, q);
	intern_add(&r->sets, NULL, 0, NULL);   // the empty one first
	uint32_t id = intern_add(&r->sets, list.at, list.n * sizeof *list.at, NULL);
	vec_release(&list);
	free(states);
	return id;
}

uint32_t rivals_start(struct rivals *r, uint32_t context)
{
	const struct lexer *x = r->x;
	uint32_t words = BITS_WORDS(x->n_contexts);
	const bits *beside = r->c->contexts_beside + (size_t)context * words;
	bits *states = mem_calloc(BITS_WORDS(x->n_states), sizeof *states);
	for (uint32_t c = 0; c < x->n_contexts; c++)
		for (uint32_t k = 0; bits_test(beside, c) && k < x->n_residues; k++) bits_set(states, x->start[(size_t)k * x->n_contexts + c]);
	return add_set(r, states);
}

uint32_t rivals_step(struct rivals *r, uint32_t set, uint8_t byte)
{
	uint64_t key = (uint64_t)set << 8 | byte, known = map64_get(&r->next, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	bits *states = mem_calloc(BITS_WORDS(r->x->n_states), sizeof *states);
	uint32_t n;
	const lex_state *at = intern_get(&r->sets, set, &n);
	for (uint32_t i = 0; i < n / sizeof *at; i++) bits_set(states, lexer_next(r->x, at[i], byte) & LEX_STATE_MASK);
	uint32_t to = add_set(r, states);
	map64_put(&r->next, key, to);
	return to;
}

bool rivals_are_in(const struct rivals *r, uint32_t set, lex_state q)
{
	uint32_t n;
	const lex_state *at = intern_get(&r->sets, set, &n);
	return n == 0 || (n == sizeof *at && at[0] == q);
}

void rivals_release(struct rivals *r)
{
	intern_release(&r->sets);
	map64_release(&r->next);
	for (int k = 0; k < 2; k++) {
		free(r->quiet[k]);
		free(r->alone[k]);
		free(r->stuck[k]);
	}
	free(r->laid);
	free(r->best);
	*r = (struct rivals){0};
}
