// Nonterminals that derive the same in the same way: rules_merge against the definition, rounds over all of them.
#include <criterion/criterion.h>

#include "../../lib/schema/internal.h"
#include "rng.h"

#define MAX_NONTERMINALS 40u
#define MAX_RHS 4u
#define MAX_RULES 6u
#define N_TERMINALS 3u

static void add(struct grammar *g, uint32_t lhs, const symbol_id *rhs, uint32_t n)
{
	symbol_id *kept = arena_array(&g->arena, n + 1, sizeof *kept);
	if (n) memcpy(kept, rhs, n * sizeof *rhs);
	g->productions[g->n_productions++] = (struct production){.lhs = lhs, .rhs = kept, .n_rhs = n};
}

// The first `n_own` are made by lot; each of the others copies one before it, naming copies here and there.
static void make(struct rng *r, uint32_t round, uint32_t n_own, uint32_t n, struct grammar *g)
{
	uint32_t copy_of[MAX_NONTERMINALS];
	*g = (struct grammar){.n_terminals = N_TERMINALS, .n_nonterminals = n};
	g->nonterminals = arena_array(&g->arena, n, sizeof *g->nonterminals);
	g->productions = arena_array(&g->arena, (size_t)n * MAX_RULES, sizeof *g->productions);
	uint32_t first[MAX_NONTERMINALS + 1] = {0};
	for (uint32_t a = 0; a < n; a++) {
		copy_of[a] = a < n_own ? a : pick(r, a);
		g->nonterminals[a].name = "x";
		first[a] = g->n_productions;
		const uint32_t from = first[copy_of[a]],
					   n_rules = a < n_own ? 1 + pick(r, MAX_RULES) : first[copy_of[a] + 1] - from;
		for (uint32_t k = 0; k < n_rules; k++) {
			symbol_id rhs[MAX_RHS];
			const bool is_pair = round % 2;  // many of one shape, so that their classes alone tell them apart
			uint32_t len = is_pair ? 2 : pick(r, MAX_RHS + 1);
			for (uint32_t i = 0; i < len; i++)
				rhs[i] = (is_pair ? !i : pick(r, 2)) ? is_pair ? 0 : pick(r, N_TERMINALS) : N_TERMINALS + pick(r, n);
			if (is_pair && !pick(r, 6)) len = 1, rhs[0] = pick(r, N_TERMINALS);
			if (a >= n_own) {
				const struct production *p = &g->productions[from + k];
				len = p->n_rhs;
				for (uint32_t i = 0; i < len; i++) {
					rhs[i] = p->rhs[i];  // or itself, where what it copies names itself
					if (rhs[i] == N_TERMINALS + copy_of[a] && pick(r, 2)) rhs[i] = N_TERMINALS + a;
				}
			}
			add(g, a, rhs, len);
		}
		first[a + 1] = g->n_productions;
	}
	uint32_t kept = 0;
	for (uint32_t a = 0; a < n; a++) {
		const uint32_t from = kept, n_rules = first[a + 1] - first[a];
		memmove(g->productions + kept, g->productions + first[a], n_rules * sizeof *g->productions);
		kept = from + rules_sort_productions(g->productions + from, n_rules);
	}
	g->n_productions = kept;
}

static bool same_text(const struct grammar *g, const struct production *x, const struct production *y,
                      const uint32_t *class_of)
{
	bool same = x->n_rhs == y->n_rhs;
	for (uint32_t i = 0; i < x->n_rhs && same; i++) {
		const symbol_id a = x->rhs[i], b = y->rhs[i];
		same = a < g->n_terminals || b < g->n_terminals ? a == b
		                                                : class_of[a - g->n_terminals] == class_of[b - g->n_terminals];
	}
	return same;
}

// Has each production of a its like among those of b?
static bool covers(const struct grammar *g, uint32_t a, uint32_t b, const uint32_t *class_of)
{
	bool all = true;
	for (uint32_t p = 0; p < g->n_productions; p++) {
		bool found = g->productions[p].lhs != a;
		for (uint32_t q = 0; q < g->n_productions && !found; q++)
			found = g->productions[q].lhs == b && same_text(g, &g->productions[p], &g->productions[q], class_of);
		all &= found;
	}
	return all;
}

static uint32_t by_definition(const struct grammar *g, uint32_t *class_of)
{
	uint32_t n = 1, last = 0;
	memset(class_of, 0, g->n_nonterminals * sizeof *class_of);
	while (n != last) {
		uint32_t next[MAX_NONTERMINALS];
		last = n, n = 0;
		for (uint32_t a = 0; a < g->n_nonterminals; a++) {
			uint32_t b = 0;
			while (b < a && !(class_of[a] == class_of[b] && covers(g, a, b, class_of) && covers(g, b, a, class_of)))
				b++;
			next[a] = b < a ? next[b] : n++;
		}
		memcpy(class_of, next, g->n_nonterminals * sizeof *class_of);
	}
	return n;
}

// The grammar that the definition makes: productions of the first of each class, named by classes.
static void expect_merged(struct grammar *g, const struct grammar *merged, const uint32_t *class_of, uint32_t n)
{
	uint32_t at = 0, seen = 0;
	cr_assert_eq(merged->n_nonterminals, n);
	for (uint32_t a = 0; a < g->n_nonterminals; a++) {
		struct production list[MAX_RULES];
		uint32_t k = 0;
		if (class_of[a] != seen) continue;
		for (uint32_t p = 0; p < g->n_productions; p++) {
			const struct production *x = &g->productions[p];
			if (x->lhs != a) continue;
			symbol_id *rhs = arena_array(&g->arena, (size_t)x->n_rhs + 1, sizeof *rhs);
			for (uint32_t i = 0; i < x->n_rhs; i++)
				rhs[i] = x->rhs[i] < g->n_terminals ? x->rhs[i] : g->n_terminals + class_of[x->rhs[i] - g->n_terminals];
			if (x->n_rhs != 1 || rhs[0] != g->n_terminals + seen)
				list[k++] = (struct production){.lhs = seen, .rhs = rhs, .n_rhs = x->n_rhs};
		}
		const uint32_t n_kept = rules_sort_productions(list, k);
		for (uint32_t i = 0; i < n_kept; i++, at++) {
			const struct production *x = &merged->productions[at];
			cr_assert(x->lhs == seen && x->n_rhs == list[i].n_rhs);
			cr_assert(!x->n_rhs || memcmp(x->rhs, list[i].rhs, x->n_rhs * sizeof *x->rhs) == 0);
		}
		seen++;
	}
	cr_assert_eq(at, merged->n_productions);
}

Test(merge, classes_are_those_of_the_definition)
{
	const uint32_t seed = 20261129;
	struct rng r = {seed};
	uint32_t n_merged = 0;
	for (uint32_t round = 0; round < 2000; round++) {
		struct grammar g, merged;
		uint32_t class_of[MAX_NONTERMINALS];
		const uint32_t n_own = 1 + pick(&r, 8), n = n_own + pick(&r, MAX_NONTERMINALS - n_own);
		make(&r, round, n_own, n, &g);
		merged = g;
		merged.nonterminals = arena_copy(&g.arena, g.nonterminals, n * sizeof *g.nonterminals);
		merged.productions = arena_copy(&g.arena, g.productions, g.n_productions * sizeof *g.productions);
		const uint32_t n_classes = by_definition(&g, class_of);
		merged.arena = (struct arena){0};
		rules_merge(&merged);
		expect_merged(&g, &merged, class_of, n_classes);
		cr_assert_eq(merged.start, 0, "seed %u, round %u", seed, round);
		n_merged += n - n_classes;
		arena_release(&merged.arena);
		arena_release(&g.arena);
	}
	cr_assert_gt(n_merged, 5000);
}

// A chain of n, and one that names each of it, which is looked at again whenever one of these moves; two of both.
static void make_chain(struct grammar *g, uint32_t n)
{
	*g = (struct grammar){.n_terminals = 1, .n_nonterminals = 2 * n + 2};
	g->nonterminals = arena_array(&g->arena, g->n_nonterminals, sizeof *g->nonterminals);
	g->productions = arena_array(&g->arena, 4 * (size_t)n + 2, sizeof *g->productions);
	for (uint32_t a = 0; a < g->n_nonterminals; a++) {
		const uint32_t at = a % (n + 1), first = a - at;
		for (uint32_t k = 1; k <= n && !at; k++) add(g, a, &(symbol_id){1 + first + k}, 1);
		if (at) add(g, a, (symbol_id[]){0, 1 + a + 1}, at < n ? 2 : 1);
	}
}

Test(merge, too_much_work_merges_nothing)
{
	struct grammar few, many;
	make_chain(&few, 100), make_chain(&many, 2000);
	rules_merge(&few), rules_merge(&many);
	cr_assert_eq(few.n_nonterminals, 101);
	cr_assert_eq(many.n_nonterminals, 4002);
	cr_assert_eq(many.n_productions, 8000);
	arena_release(&few.arena), arena_release(&many.arena);
}
