// Cycles and hidden left recursion, found and removed.
//
// In:  productions. Out: productions of the same language in which every sequence of reductions that reads nothing is
// finite. Method: two graphs over nonterminals: A -> B when B can stand at the left end of A (what is before it can be
// empty), and when B can be all of A. A component of the first with an edge that skips something, or of the second with
// any edge, is a loop. What is skipped there loses its empty text (as in the removal of epsilon productions, but only
// for these); unit cycles are merged. Repeated until there is no loop: each round makes nonterminals non-nullable or
// fewer. Source: Hopcroft, Motwani, Ullman, 7.1. Cost: linear, but 2^k productions for one with k such symbols
// (LOOPS_MAX_PRODUCTIONS).
#include "grammar.h"

#include "../base/bitset.h"
#include "../base/intern.h"

struct rule {
	uint32_t lhs, n, at;  // right side: symbols[at .. at + n)
	struct loc loc;
	bool inside;
};

struct unlooping {
	struct grammar *g;
	uint32_t n_nonterminals, start;
	VEC(struct nonterminal) names;
	VEC(struct rule) rules;
	VEC(symbol_id) symbols;
	bits *nullable, *optional;  // of nonterminals; `optional` lose their empty text
	uint32_t *component;        // [n_nonterminals]
	bool too_many;
};

static bool is_nullable(const struct unlooping *u, symbol_id s)
{
	return s >= u->g->n_terminals && bits_test(u->nullable, s - u->g->n_terminals);
}

static void find_nullable(struct unlooping *u)
{
	uint32_t words = BITS_WORDS(u->n_nonterminals);
	free(u->nullable), free(u->optional), free(u->component);
	u->nullable = mem_calloc(words, sizeof(bits)), u->optional = mem_calloc(words, sizeof(bits));
	u->component = mem_calloc(u->n_nonterminals, sizeof *u->component);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < u->rules.n; i++) {
			const struct rule *r = &u->rules.at[i];
			if (bits_test(u->nullable, r->lhs)) continue;
			uint32_t k = 0;
			while (k < r->n && is_nullable(u, u->symbols.at[r->at + k])) k++;
			if (k == r->n) bits_set(u->nullable, r->lhs), changed = true;
		}
	}
}

struct edge {
	uint32_t from, to, rule, place;
};
typedef VEC(struct edge) edge_list;

// Edges A -> B, B at `place` of a rule, what is before it nullable; whole: what is after it as well.
static void find_edges(const struct unlooping *u, bool whole, edge_list *out)
{
	vec_clear(out);
	for (uint32_t i = 0; i < u->rules.n; i++) {
		const struct rule *r = &u->rules.at[i];
		const symbol_id *rhs = u->symbols.at + r->at;
		uint32_t last = r->n;  // from here on everything is nullable
		while (last > 0 && is_nullable(u, rhs[last - 1])) last--;
		for (uint32_t k = 0; k < r->n; k++) {
			if (rhs[k] >= u->g->n_terminals && (!whole || last <= k + 1))
				vec_push(out, ((struct edge){r->lhs, rhs[k] - u->g->n_terminals, i, k}));
			if (!is_nullable(u, rhs[k])) break;
		}
	}
}

// Strongly connected components (Kosaraju, Sharir), with explicit stacks.
// Branches: both passes of the algorithm are one loop, which reads edges forwards, then backwards.
static void find_components(struct unlooping *u, const edge_list *edges)
{
	uint32_t n = u->n_nonterminals;
	uint32_t *at = mem_calloc(n + 2, sizeof *at), *list = mem_calloc(edges->n, sizeof *list);
	uint32_t *next = mem_calloc(n, sizeof *next), *order = mem_calloc(n, sizeof *order), n_order = 0;
	uint8_t *seen = mem_calloc(n, 1);
	VEC(uint32_t) stack = {0};
	for (uint32_t pass = 0; pass < 2; pass++) {
		memset(at, 0, (n + 2) * sizeof *at);
		memset(seen, 0, n);
		for (uint32_t i = 0; i < edges->n; i++) at[(pass ? edges->at[i].to : edges->at[i].from) + 2]++;
		for (uint32_t a = 0; a < n; a++) at[a + 2] += at[a + 1];
		for (uint32_t i = 0; i < edges->n; i++)
			list[at[(pass ? edges->at[i].to : edges->at[i].from) + 1]++] = pass ? edges->at[i].from : edges->at[i].to;
		for (uint32_t a = 0; a < n; a++) next[a] = at[a];
		for (uint32_t i = 0; i < n; i++) {
			uint32_t root = pass ? order[n - 1 - i] : i;
			if (seen[root]) continue;
			seen[root] = 1;
			vec_push(&stack, root);
			while (stack.n) {
				uint32_t a = stack.at[stack.n - 1];
				if (pass) u->component[a] = root;
				if (next[a] < at[a + 1]) {
					uint32_t b = list[next[a]++];
					if (!seen[b]) seen[b] = 1, vec_push(&stack, b);
					continue;
				}
				stack.n--;
				if (!pass) order[n_order++] = a;
			}
		}
	}
	vec_release(&stack);
	free(at), free(list), free(next), free(order), free(seen);
}

// Marks what must lose its empty text. True when there is a loop.
// Branches: loops are found with optional symbols and without, then emptiness is taken back until nothing changes.
static bool find_loops(struct unlooping *u)
{
	edge_list edges = {0};
	bool found = false;
	for (int whole = 0; whole < 2; whole++) {
		find_edges(u, whole, &edges);
		find_components(u, &edges);
		for (uint32_t i = 0; i < edges.n; i++) {
			const struct edge *e = &edges.at[i];
			if (u->component[e->from] != u->component[e->to] || (!whole && e->place == 0)) continue;
			found = true;
			const struct rule *r = &u->rules.at[e->rule];
			for (uint32_t k = 0; k < (whole ? r->n : e->place); k++)
				if (k != e->place) bits_set(u->optional, u->symbols.at[r->at + k] - u->g->n_terminals);
		}
	}
	vec_release(&edges);
	// An optional nonterminal is empty by way of others: they lose their empty text, too.
	for (bool changed = found; changed;) {
		changed = false;
		for (uint32_t i = 0; i < u->rules.n; i++) {
			const struct rule *r = &u->rules.at[i];
			if (!bits_test(u->optional, r->lhs)) continue;
			uint32_t k = 0;
			while (k < r->n && is_nullable(u, u->symbols.at[r->at + k])) k++;
			for (; k == r->n && k > 0; k--) {
				uint32_t a = u->symbols.at[r->at + k - 1] - u->g->n_terminals;
				if (!bits_test(u->optional, a)) bits_set(u->optional, a), changed = true;
				if (k == 1) break;
			}
		}
	}
	return found;
}

// Copies rules into fresh lists, without doubles and A: A.
struct rewriting {
	VEC(struct rule) rules;
	VEC(symbol_id) symbols;
	struct intern known;
	VEC(uint32_t) key;
};

// key: the left side, then the right side.
static void add_rule(struct unlooping *u, struct rewriting *w, const struct rule *from)
{
	uint32_t n = w->key.n - 1;
	bool is_new;
	if (n == 1 && w->key.at[1] == u->g->n_terminals + w->key.at[0]) return;
	intern_add(&w->known, w->key.at, w->key.n * sizeof *w->key.at, &is_new);
	if (!is_new) return;
	if (w->rules.n == LOOPS_MAX_PRODUCTIONS) u->too_many = true;
	if (u->too_many) return;
	vec_push(&w->rules, ((struct rule){w->key.at[0], n, w->symbols.n, from->loc, from->inside}));
	for (uint32_t i = 1; i <= n; i++) vec_push(&w->symbols, w->key.at[i]);
}

static void take_rules(struct unlooping *u, struct rewriting *w)
{
	vec_release(&u->rules), vec_release(&u->symbols), vec_release(&w->key);
	memcpy(&u->rules, &w->rules, sizeof w->rules);
	memcpy(&u->symbols, &w->symbols, sizeof w->symbols);
	intern_release(&w->known);
}

// Each optional symbol present or absent; optional left sides lose their empty production.
// Branches: each subset of the optional symbols of a rule becomes a rule, and the start keeps its empty text in a rule
// of its own.
static void write_out(struct unlooping *u)
{
	struct rewriting w = {0};
	VEC(uint32_t) places = {0};
	for (uint32_t i = 0; i < u->rules.n && !u->too_many; i++) {
		const struct rule *r = &u->rules.at[i];
		vec_clear(&places);
		for (uint32_t k = 0; k < r->n; k++) {
			symbol_id s = u->symbols.at[r->at + k];
			if (s >= u->g->n_terminals && bits_test(u->optional, s - u->g->n_terminals)) vec_push(&places, k);
		}
		if (places.n > 20) u->too_many = true;
		for (uint32_t absent = 0; absent < 1u << places.n && !u->too_many; absent++) {
			vec_clear(&w.key);
			vec_push(&w.key, r->lhs);
			for (uint32_t k = 0, p = 0; k < r->n; k++)
				if (p == places.n || places.at[p] != k || !(absent >> p++ & 1))
					vec_push(&w.key, u->symbols.at[r->at + k]);
			if (w.key.n > 1 || !bits_test(u->optional, r->lhs)) add_rule(u, &w, r);
		}
	}
	if (bits_test(u->optional, u->start) && !u->too_many) {
		const struct rule from = {.loc = u->names.at[u->start].loc};
		struct nonterminal name = u->names.at[u->start];
		vec_clear(&w.key);
		vec_push(&w.key, u->n_nonterminals);
		add_rule(u, &w, &from);
		vec_push(&w.key, u->g->n_terminals + u->start);
		add_rule(u, &w, &from);
		name.name = arena_printf(&u->g->arena, "%s_or_nothing", name.name);
		vec_push(&u->names, name);
		u->start = u->n_nonterminals++;
	}
	vec_release(&places);
	take_rules(u, &w);
}

// Nonterminals that derive each other by productions of one symbol become the first of them.
static void merge_units(struct unlooping *u)
{
	edge_list units = {0};
	for (uint32_t i = 0; i < u->rules.n; i++) {
		const struct rule *r = &u->rules.at[i];
		if (r->n == 1 && u->symbols.at[r->at] >= u->g->n_terminals)
			vec_push(&units, ((struct edge){r->lhs, u->symbols.at[r->at] - u->g->n_terminals, i, 0}));
	}
	free(u->component);
	u->component = mem_calloc(u->n_nonterminals, sizeof *u->component);
	find_components(u, &units);
	vec_release(&units);
	uint32_t *first = mem_calloc(u->n_nonterminals, sizeof *first);
	for (uint32_t a = u->n_nonterminals; a-- > 0;) first[u->component[a]] = a;
	struct rewriting w = {0};
	for (uint32_t i = 0; i < u->rules.n; i++) {
		const struct rule *r = &u->rules.at[i];
		vec_clear(&w.key);
		vec_push(&w.key, first[u->component[r->lhs]]);
		for (uint32_t k = 0; k < r->n; k++) {
			symbol_id s = u->symbols.at[r->at + k], t = u->g->n_terminals;
			vec_push(&w.key, s < t ? s : t + first[u->component[s - t]]);
		}
		add_rule(u, &w, r);
	}
	u->start = first[u->component[u->start]];
	free(first);
	take_rules(u, &w);
}

static bool all_in(const struct unlooping *u, const struct rule *r, const bits *set)
{
	for (uint32_t k = 0; k < r->n; k++) {
		symbol_id s = u->symbols.at[r->at + k];
		if (s >= u->g->n_terminals && !bits_test(set, s - u->g->n_terminals)) return false;
	}
	return true;
}

// What was nothing but empty has no text any more; then some is not reached any more.
static void remove_useless(struct unlooping *u)
{
	uint32_t words = BITS_WORDS(u->n_nonterminals);
	bits *productive = mem_calloc(words, sizeof *productive), *reached = mem_calloc(words, sizeof *reached);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < u->rules.n; i++) {
			const struct rule *r = &u->rules.at[i];
			if (bits_test(productive, r->lhs) || !all_in(u, r, productive)) continue;
			bits_set(productive, r->lhs);
			changed = true;
		}
	}
	bits_set(reached, u->start);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < u->rules.n; i++) {
			const struct rule *r = &u->rules.at[i];
			if (!bits_test(reached, r->lhs) || !all_in(u, r, productive)) continue;
			for (uint32_t k = 0; k < r->n; k++) {
				symbol_id s = u->symbols.at[r->at + k];
				if (s < u->g->n_terminals || bits_test(reached, s - u->g->n_terminals)) continue;
				bits_set(reached, s - u->g->n_terminals);
				changed = true;
			}
		}
	}
	uint32_t n = 0;
	for (uint32_t i = 0; i < u->rules.n; i++)
		if (bits_test(reached, u->rules.at[i].lhs) && all_in(u, &u->rules.at[i], productive))
			u->rules.at[n++] = u->rules.at[i];
	u->rules.n = n;
	free(productive), free(reached);
}

static void begin(struct unlooping *u, const struct grammar *g)
{
	u->n_nonterminals = g->n_nonterminals, u->start = g->start;
	for (uint32_t i = 0; i < g->n_productions; i++) {
		const struct production *p = &g->productions[i];
		vec_push(&u->rules, ((struct rule){p->lhs, p->n_rhs, u->symbols.n, p->loc, p->inside}));
		for (uint32_t k = 0; k < p->n_rhs; k++) vec_push(&u->symbols, p->rhs[k]);
	}
	for (uint32_t a = 0; a < g->n_nonterminals; a++) vec_push(&u->names, g->nonterminals[a]);
}

static void end(struct unlooping *u)
{
	vec_release(&u->rules), vec_release(&u->symbols), vec_release(&u->names);
	free(u->nullable), free(u->optional), free(u->component);
}

// Productions by left side, nonterminals without any left out.
static void write_grammar(struct unlooping *u, struct grammar *g)
{
	uint32_t *number = mem_calloc(u->n_nonterminals, sizeof *number),
			 *count = mem_calloc(u->n_nonterminals + 1, sizeof *count);
	for (uint32_t i = 0; i < u->rules.n; i++) count[u->rules.at[i].lhs + 1]++;
	g->nonterminals = arena_array(&g->arena, u->n_nonterminals, sizeof *g->nonterminals);
	g->n_nonterminals = 0;
	for (uint32_t a = 0; a < u->n_nonterminals; a++) {
		if (count[a + 1]) {
			number[a] = g->n_nonterminals;
			g->nonterminals[g->n_nonterminals++] = u->names.at[a];
		}
		count[a + 1] += count[a];
	}
	g->start = number[u->start];
	g->n_productions = u->rules.n;
	g->productions = arena_array(&g->arena, u->rules.n, sizeof *g->productions);
	for (uint32_t i = 0; i < u->rules.n; i++) {
		const struct rule *r = &u->rules.at[i];
		symbol_id *rhs = arena_array(&g->arena, r->n + 1, sizeof *rhs);
		for (uint32_t k = 0; k < r->n; k++) {
			symbol_id s = u->symbols.at[r->at + k], t = g->n_terminals;
			rhs[k] = s < t ? s : t + number[s - t];
		}
		g->productions[count[r->lhs]++] =
			(struct production){.lhs = number[r->lhs], .rhs = rhs, .n_rhs = r->n, .loc = r->loc, .inside = r->inside};
	}
	free(number), free(count);
}

bool grammar_has_loops(const struct grammar *g)
{
	struct unlooping u = {.g = (struct grammar *)(uintptr_t)g};
	begin(&u, g);
	find_nullable(&u);
	bool found = find_loops(&u);
	end(&u);
	return found;
}

bool grammar_remove_loops(struct grammar *g, struct diag *d, bool *changed)
{
	struct unlooping u = {.g = g};
	*changed = false;
	begin(&u, g);
	while (find_nullable(&u), !u.too_many && find_loops(&u)) {
		*changed = true;
		write_out(&u);
		if (u.too_many) break;
		merge_units(&u);
		remove_useless(&u);
	}
	if (u.too_many)
		diag_error(d, g->nonterminals[g->start].loc,
		           "the grammar has rules that contain only themselves, or that begin with "
		           "themselves behind something empty, and writing those out needs more than %u productions (limit "
		           "LOOPS_MAX_PRODUCTIONS)",
		           LOOPS_MAX_PRODUCTIONS);
	else if (*changed)
		write_grammar(&u, g);
	end(&u);
	return !u.too_many;
}
