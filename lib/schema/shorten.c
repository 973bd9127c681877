// Shorter grammars: steps of arrays and objects that are needed in one place only.
//
// In:  productions, which of them are live, which nonterminals are inner ones. Out: the same texts from fewer of both.
// An inner nonterminal that occurs once, as a production of its own (X: Y), is X: its productions become X's. A pair
// (key ":" value) that occurs once is written where it occurs. What no text needs is not counted.
// Cost: linear in the productions.
#include "internal.h"

static bool has_rule_symbol(const struct rule_set *x, uint32_t rule, uint32_t k, uint32_t *nonterminal)
{
	symbol y = x->symbols->at[x->rules[rule].first + k];
	*nonterminal = y >> 1;
	return y & 1;
}

// Productions by left side: rules[by[first[a] ..]].
static uint32_t *rules_by_lhs(const struct rule_set *x, uint32_t *first)
{
	uint32_t n = x->n_nonterminals, *by = mem_calloc((size_t)x->n_rules + 1, sizeof *by);
	memset(first, 0, ((size_t)n + 2) * sizeof *first);
	for (uint32_t i = 0; i < x->n_rules; i++) first[(x->rules[i].lhs >> 1) + 2]++;
	for (uint32_t a = 0; a < n; a++) first[a + 1] += first[a];
	for (uint32_t i = 0; i < x->n_rules; i++) by[first[(x->rules[i].lhs >> 1) + 1]++] = i;
	return by;
}

// How often each nonterminal occurs in what the start reaches, and in which production last.
static void count_uses(const struct rule_set *x, uint32_t *uses, uint32_t *last)
{
	uint32_t *first = mem_alloc(((size_t)x->n_nonterminals + 2) * sizeof *first), *by = rules_by_lhs(x, first), a;
	uint8_t *seen = mem_calloc((size_t)x->n_nonterminals + 1, 1);
	u32_list queue = {0};
	seen[x->start >> 1] = 1;
	vec_push(&queue, x->start >> 1);
	for (uint32_t i = 0; i < queue.n; i++)
		for (uint32_t k = first[queue.at[i]]; k < first[queue.at[i] + 1]; k++) {
			if (!x->live[by[k]]) continue;
			for (uint32_t j = 0; j < x->rules[by[k]].n; j++) {
				if (!has_rule_symbol(x, by[k], j, &a)) continue;
				uses[a]++, last[a] = by[k];
				if (!seen[a]) vec_push(&queue, a);
				seen[a] = 1;
			}
		}
	for (uint32_t i = 0; i < x->n_rules; i++) x->live[i] = x->live[i] && seen[x->rules[i].lhs >> 1];
	vec_release(&queue);
	free(first), free(by), free(seen);
}

static void merge_steps(struct rule_set *x, const uint32_t *uses, const uint32_t *last)
{
	uint32_t n = x->n_nonterminals, *into = mem_alloc(((size_t)n + 1) * sizeof *into);
	for (uint32_t a = 0; a < n; a++) {
		const struct rule *r = &x->rules[last[a]];
		into[a] = a;
		if (x->inner[a] != INNER_STEP || uses[a] != 1 || r->n != 1 || r->lhs >> 1 == a) continue;
		into[a] = r->lhs >> 1;
		x->live[last[a]] = 0;
	}
	for (uint32_t i = 0; i < x->n_rules; i++) {
		uint32_t a = x->rules[i].lhs >> 1, hops = 0;
		while (into[a] != a && hops++ < n) a = into[a];
		x->rules[i].lhs = a * 2 + 1;
	}
	free(into);
}

// The pair's production in place of the pair.
static void write_pair(struct rule_set *x, uint32_t rule, uint32_t pair)
{
	struct rule r = x->rules[rule], p = x->rules[pair];
	uint32_t first = x->symbols->n;
	for (uint32_t k = 0; k < r.n; k++) {
		symbol y = x->symbols->at[r.first + k];
		for (uint32_t j = 0; y == p.lhs && j < p.n; j++) {
			symbol z = x->symbols->at[p.first + j];
			vec_push(x->symbols, z);
		}
		if (y != p.lhs) vec_push(x->symbols, y);
	}
	x->rules[rule].first = first, x->rules[rule].n = x->symbols->n - first;
	x->live[pair] = 0;
}

void rules_shorten(struct rule_set *x)
{
	uint32_t n = x->n_nonterminals;
	uint32_t *uses = mem_calloc((size_t)n + 1, sizeof *uses), *last = mem_calloc((size_t)n + 1, sizeof *last);
	count_uses(x, uses, last);
	for (uint32_t i = 0, end = x->n_rules; i < end; i++) {
		uint32_t a = x->rules[i].lhs >> 1;
		if (x->live[i] && x->inner[a] == INNER_PAIR && uses[a] == 1) write_pair(x, last[a], i);
	}
	merge_steps(x, uses, last);
	free(uses), free(last);
}
