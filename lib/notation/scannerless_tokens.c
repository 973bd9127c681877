// Where the whole of a token may begin: text that stands before it ends where a token does.
//
// In:  a draft as scannerless_write.c made it. Out: the same texts, where each terminal of text behind which the whole
// of a token begins ends at the sign behind its last token (TERM_TO_TOKEN_END).
// Between two symbols either a token has to begin (TOKEN: before the whole of one, before a control token, at the end
// of the text), or text goes on (OTHER). A nonterminal becomes one
// for each two places that its texts may lead from and to, a production one for each way through its right side: the
// product of a grammar and an automaton of two states (Bar-Hillel, Perles, Shamir 1961).
// Cost: linear in the draft and in what is written, at most SCANNERLESS_MAX_SYMBOLS symbols.
#include "scannerless_internal.h"

enum place { OTHER, TOKEN, N_PLACES };

// From which places a symbol leads to which: bit from * N_PLACES + to.
typedef uint8_t ways;
#define WAY(from, to) ((ways)(1u << ((from)*N_PLACES + (to))))
#define NO_TEXT (WAY(OTHER, OTHER) | WAY(TOKEN, TOKEN))

static bool leads(ways w, uint32_t from, uint32_t to) { return w & WAY(from, to); }

static ways joined(ways a, ways b)
{
	ways all = 0;
	for (uint32_t from = 0; from < N_PLACES; from++)
		for (uint32_t to = 0; to < N_PLACES; to++)
			for (uint32_t by = 0; by < N_PLACES; by++)
				if (leads(a, from, by) && leads(b, by, to)) all |= WAY(from, to);
	return all;
}

struct token_places {
	struct scannerless *m;
	struct grammar_draft old;
	ways *of;             // [nonterminals]
	uint32_t *first;      // [nonterminals + 1] into by_lhs
	uint32_t *by_lhs;     // productions
	uint32_t *made;       // [nonterminals * 4] the new one of these places, + 1
	VEC(uint32_t) to_do;  // nonterminal * 4 + from * N_PLACES + to
};

static ways ways_of(const struct token_places *x, uint32_t symbol)
{
	if (symbol & DRAFT_NONTERMINAL) return x->of[symbol & ~DRAFT_NONTERMINAL];
	const enum term_kind kind = x->old.terminals.at[symbol].pattern->kind;
	const enum place from = kind == TERM_WHOLE_TOKEN || kind == TERM_CONTROL ? TOKEN : OTHER;
	return WAY(from, OTHER) | WAY(from, TOKEN);
}

// Lists of the productions that have a nonterminal on the left, or on the right: [first[n], first[n + 1]).
static uint32_t *list_productions(const struct token_places *x, bool on_right, uint32_t *first, struct arena *arena)
{
	const uint32_t n = x->old.nonterminals.n;
	uint32_t *list = NULL;
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = x->old.productions.n; i--;) {
			const struct draft_production *p = &x->old.productions.at[i];
			for (uint32_t k = 0; k < (on_right ? p->n_rhs : 1); k++) {
				const uint32_t s = on_right ? p->rhs[k] : p->lhs | DRAFT_NONTERMINAL;
				if (!(s & DRAFT_NONTERMINAL)) continue;
				if (round)
					list[--first[s & ~DRAFT_NONTERMINAL]] = i;
				else
					first[s & ~DRAFT_NONTERMINAL]++;
			}
		}
		for (uint32_t i = 1; i <= n && !round; i++) first[i] += first[i - 1];
		if (!round) list = arena_array(arena, first[n] + 1, sizeof *list);
	}
	return list;
}

// The least solution: a production is looked at again when a symbol of its right side leads to more.
static void find_ways(struct token_places *x, struct arena *arena)
{
	const uint32_t n = x->old.nonterminals.n;
	uint32_t *first = arena_array(arena, n + 2, sizeof *first);
	memset(first, 0, (n + 2) * sizeof *first);
	const uint32_t *users = list_productions(x, true, first, arena);
	for (uint32_t i = 0; i < x->old.productions.n; i++) vec_push(&x->to_do, i);
	while (x->to_do.n) {
		const struct draft_production *p = &x->old.productions.at[vec_pop(&x->to_do)];
		ways w = NO_TEXT;
		for (uint32_t k = 0; k < p->n_rhs; k++) w = joined(w, ways_of(x, p->rhs[k]));
		if (!(w & ~x->of[p->lhs])) continue;
		x->of[p->lhs] |= w;
		for (uint32_t u = first[p->lhs]; u < first[p->lhs + 1]; u++) vec_push(&x->to_do, users[u]);
	}
}

static uint32_t nonterminal_of(struct token_places *x, uint32_t n, uint32_t from, uint32_t to)
{
	uint32_t *made = &x->made[n * 4 + from * N_PLACES + to];
	if (*made) return (*made - 1) | DRAFT_NONTERMINAL;
	vec_push(&x->m->draft.nonterminals, x->old.nonterminals.at[n]);
	vec_push(&x->to_do, n * 4 + from * N_PLACES + to);
	*made = x->m->draft.nonterminals.n;
	return (*made - 1) | DRAFT_NONTERMINAL;
}

static uint32_t terminal_before(struct token_places *x, uint32_t t, uint32_t to)
{
	const struct term *pattern = x->old.terminals.at[t].pattern;
	if (to != TOKEN || pattern->kind == TERM_CONTROL || term_reads_token_ends(pattern)) return t;
	return scannerless_terminal(x->m, piece_to_token_end(x->m->r, x->m->of_terminal.at[t]));
}

// The production by one way through its right side: place[i] is before symbol i.
static void write_way(struct token_places *x, uint32_t lhs, const struct draft_production *p, const uint8_t *place)
{
	piece_ids rhs = {0};
	for (uint32_t i = 0; i < p->n_rhs; i++) {
		const uint32_t s = p->rhs[i];
		vec_push(&rhs, s & DRAFT_NONTERMINAL ? nonterminal_of(x, s & ~DRAFT_NONTERMINAL, place[i], place[i + 1])
		                                     : terminal_before(x, s, place[i + 1]));
	}
	scannerless_production(x->m, lhs, &rhs, p->loc);
	vec_release(&rhs);
}

// All ways of a production from one place to another.
static void write_ways(struct token_places *x, uint32_t lhs, const struct draft_production *p, uint32_t from,
                       uint32_t to)
{
	const uint32_t n = p->n_rhs;
	ways *rest = mem_calloc(n + 1, sizeof *rest);  // of the symbols from i on
	uint8_t *place = mem_calloc(n + 1, 1), *next = mem_calloc(n + 1, 1);
	rest[n] = NO_TEXT;
	for (uint32_t i = n; i--;) rest[i] = joined(ways_of(x, p->rhs[i]), rest[i + 1]);
	place[0] = (uint8_t)from;
	uint32_t at = 0;
	bool more = leads(rest[0], from, to);
	while (more) {
		if (at == n) {
			write_way(x, lhs, p, place);
			more = at--;
			continue;
		}
		uint8_t k = next[at];
		while (k < N_PLACES && !(leads(ways_of(x, p->rhs[at]), place[at], k) && leads(rest[at + 1], k, to))) k++;
		if (k == N_PLACES) {
			more = at--;
			continue;
		}
		place[at + 1] = k, next[at] = k + 1u;
		next[++at] = OTHER;
	}
	free(rest), free(place), free(next);
}

void scannerless_split_at_tokens(struct scannerless *m)
{
	struct arena arena = {0};
	struct token_places x = {.m = m, .old = m->draft};
	const uint32_t n = x.old.nonterminals.n;
	m->draft = (struct grammar_draft){.start = 0};
	for (uint32_t t = 0; t < x.old.terminals.n; t++) vec_push(&m->draft.terminals, x.old.terminals.at[t]);
	x.of = arena_array(&arena, n, sizeof *x.of), x.made = arena_array(&arena, (size_t)n * 4, sizeof *x.made);
	x.first = arena_array(&arena, n + 2, sizeof *x.first);
	memset(x.of, 0, n * sizeof *x.of), memset(x.made, 0, (size_t)n * 4 * sizeof *x.made);
	memset(x.first, 0, (n + 2) * sizeof *x.first);
	find_ways(&x, &arena);
	x.by_lhs = list_productions(&x, false, x.first, &arena);
	vec_push(&m->draft.nonterminals, x.old.nonterminals.at[x.old.start]);
	for (uint32_t from = 0; from < N_PLACES; from++)
		if (leads(x.of[x.old.start], from, TOKEN)) {
			piece_ids whole = {0};
			vec_push(&whole, nonterminal_of(&x, x.old.start, from, TOKEN));
			scannerless_production(m, DRAFT_NONTERMINAL, &whole, x.old.nonterminals.at[x.old.start].loc);
			vec_release(&whole);
		}
	while (x.to_do.n) {
		work_check();
		const uint32_t job = vec_pop(&x.to_do), of = job / 4, lhs = (x.made[job] - 1) | DRAFT_NONTERMINAL;
		for (uint32_t i = x.first[of]; i < x.first[of + 1]; i++)
			write_ways(&x, lhs, &x.old.productions.at[x.by_lhs[i]], job / N_PLACES % N_PLACES, job % N_PLACES);
	}
	grammar_draft_release(&x.old);
	vec_release(&x.to_do);
	arena_release(&arena);
}
