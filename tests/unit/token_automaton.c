// Automata over tokens, written out: a product's, the smallest one of a language, and whether two are the same.
//
// In:  struct product, or struct token_automaton. Out: the automaton, or its minimal form, numbered breadth-first.
// Two languages of token sequences are equal exactly when their minimal automata are equal, number by number.
// Cost: edges x log states.
#include "token_automaton.h"

#include "../../lib/base/intern.h"
#include "../../lib/base/refine.h"
#include "../../lib/canonical/product.h"

static void describe(void *user, uint32_t s, struct refine_node *out)
{
	const struct token_automaton *a = user;
	vec_push(&out->label, a->accepts[s]);
	for (uint32_t k = a->first[s]; k < a->first[s + 1]; k++) {
		vec_push(&out->label, a->edges[k].token);
		vec_push(&out->successors, a->edges[k].to);
	}
}

// What the start leads to and what leads to an end, keep[s]; false: nothing.
static bool find_relevant(const struct token_automaton *a, uint8_t *keep)
{
	VEC(uint32_t) todo = {0};
	uint32_t n = a->n_states;
	uint8_t *reached = mem_calloc(n + 1ull, 1);
	vec_push(&todo, a->start);
	reached[a->start] = 1;
	while (todo.n) {
		uint32_t s = vec_pop(&todo);
		for (uint32_t k = a->first[s]; k < a->first[s + 1]; k++)
			if (!reached[a->edges[k].to]) reached[a->edges[k].to] = 1, vec_push(&todo, a->edges[k].to);
	}
	// Backward over turned edges.
	uint32_t *at = mem_calloc(n + 2ull, sizeof *at), *from = mem_alloc((a->n_edges + 1ull) * sizeof *from);
	for (uint32_t k = 0; k < a->n_edges; k++) at[a->edges[k].to + 2]++;
	for (uint32_t s = 0; s < n; s++) at[s + 2] += at[s + 1];
	for (uint32_t s = 0; s < n; s++)
		for (uint32_t k = a->first[s]; k < a->first[s + 1]; k++) from[at[a->edges[k].to + 1]++] = s;
	memset(keep, 0, n);
	for (uint32_t s = 0; s < n; s++)
		if (reached[s] && a->accepts[s]) keep[s] = 1, vec_push(&todo, s);
	while (todo.n) {
		uint32_t s = vec_pop(&todo);
		for (uint32_t k = at[s]; k < at[s + 1]; k++)
			if (reached[from[k]] && !keep[from[k]]) keep[from[k]] = 1, vec_push(&todo, from[k]);
	}
	free(reached), free(at), free(from);
	vec_release(&todo);
	return keep[a->start];
}

void automaton_minimise(const struct token_automaton *given, struct token_automaton *out)
{
	uint32_t n = given->n_states, *first = mem_calloc(n + 1ull, 4), n_edges = 0, n_out = 0;
	uint8_t *keep = mem_calloc(n + 1ull, 1);
	struct token_edge *edges = mem_alloc((given->n_edges + 1ull) * sizeof *edges);
	*out = (struct token_automaton){0};
	bool any = find_relevant(given, keep);
	for (uint32_t s = 0; s < n; s++) {  // edges to and from what is not relevant go
		first[s] = n_edges;
		for (uint32_t k = given->first[s]; k < given->first[s + 1] && keep[s]; k++)
			if (keep[given->edges[k].to]) edges[n_edges++] = given->edges[k];
	}
	first[n] = n_edges;
	const struct token_automaton a = {.n_states = n,
	                                  .start = given->start,
	                                  .n_edges = n_edges,
	                                  .first = first,
	                                  .edges = edges,
	                                  .accepts = given->accepts};
	uint32_t *class = mem_alloc((n + 1ull) * sizeof *class), *number = mem_alloc((n + 1ull) * sizeof *number),
			 *order = mem_alloc((n + 1ull) * sizeof *order);
	uint32_t n_classes = any ? refine_partition(n, describe, (void *)(uintptr_t)&a, class) : 0;
	memset(number, 0xff, (n + 1ull) * sizeof *number);
	if (any) number[class[a.start]] = 0, order[n_out++] = a.start;
	for (uint32_t i = 0; i < n_out; i++)
		for (uint32_t k = first[order[i]]; k < first[order[i] + 1]; k++) {
			uint32_t c = class[edges[k].to];
			if (number[c] == UINT32_MAX) number[c] = n_out, order[n_out++] = edges[k].to;
		}
	ASSERT(n_out <= n_classes + !any);
	uint32_t *out_first = arena_array(&out->arena, n_out + 1ull, 4), sum = 0;
	uint8_t *accepts = arena_array(&out->arena, n_out, 1);
	for (uint32_t i = 0; i < n_out; i++) sum += first[order[i] + 1] - first[order[i]];
	struct token_edge *out_edges = arena_array(&out->arena, sum, sizeof *out_edges);
	out->n_states = n_out, out->n_edges = sum, out->first = out_first, out->edges = out_edges, out->accepts = accepts;
	sum = 0;
	for (uint32_t i = 0; i < n_out; i++) {
		out_first[i] = sum, accepts[i] = a.accepts[order[i]];
		for (uint32_t k = first[order[i]]; k < first[order[i] + 1]; k++)
			out_edges[sum++] = (struct token_edge){edges[k].token, number[class[edges[k].to]]};
	}
	out_first[n_out] = sum;
	free(first), free(keep), free(edges), free(class), free(number), free(order);
}

bool automaton_equal(const struct token_automaton *a, const struct token_automaton *b)
{
	return a->n_states == b->n_states && a->n_edges == b->n_edges && a->start == b->start &&
	       !memcmp(a->first, b->first, (a->n_states + 1ull) * sizeof *a->first) &&
	       (!a->n_states || !memcmp(a->accepts, b->accepts, a->n_states)) &&
	       (!a->n_edges || !memcmp(a->edges, b->edges, a->n_edges * sizeof *a->edges));
}

void automaton_release(struct token_automaton *a)
{
	arena_release(&a->arena);
	*a = (struct token_automaton){0};
}

// --- written out -----------------------------------------------------------------------------------------------------
// A state of a product: a node, and the last token (ARTIFACT_NONE: none yet).
struct product_at {
	uint32_t node, last;
};

// Would merges leave the two apart? False where one has no place of its own in a piece.
static bool are_adjacent(const struct canonical *c, uint32_t a, uint32_t b)
{
	return c->place[a] != ARTIFACT_NONE && c->place[b] != ARTIFACT_NONE && canonical_pair(c, a, b);
}

// The tokens that go on, with the state that each leads to: calls for each, ascending only within one state of the DFA
// reached. As in the paper's Algorithm 6 a token goes on when the DFA has it, the pair with the last token does, and
// the state that it leads to is relevant.
static void product_each(const struct product *p, struct product_at at,
                         void (*each)(void *to, uint32_t token, struct product_at next), void *to)
{
	const struct product_node *n = &p->nodes.at[at.node];
	const struct product_row row = p->rows.at[n->row];
	for (uint32_t i = 0; i < row_groups(&row); i++) {
		const struct product_group *g = row_group(p, &row, i);
		const struct product_targets *t = &p->targets.at[n->first_target + i];
		bool is_free = group_is_free(p, g, t);
		for (uint32_t k = g->first; k < g->first + g->n; k++) {
			uint32_t token = p->tokens.at[k], last = group_last(p, g, token);
			if (!row_counts(p, &row, i, token)) continue;
			bool together = !is_free && at.last != ARTIFACT_NONE && are_adjacent(p->places.c, at.last, token);
			uint32_t node = together ? t->goes_on : t->begins;
			if (product_lives(p, node, last))
				each(to, token, (struct product_at){node, last == p->n_tokens ? ARTIFACT_NONE : last});
		}
	}
}

struct writer {
	struct intern states;  // struct product_at
	VEC(struct token_edge) edges;
	VEC(uint32_t) first;
};

static void put_edge(void *to, uint32_t token, struct product_at next)
{
	struct writer *w = to;
	if (w->edges.n < AUTOMATON_MAX_EDGES)
		vec_push(&w->edges, ((struct token_edge){token, intern_add(&w->states, &next, sizeof next, NULL)}));
}

static int by_token(const void *a, const void *b)
{
	const struct token_edge *x = a, *y = b;
	return (x->token > y->token) - (x->token < y->token);
}

bool product_write_out(const struct product *p, struct token_automaton *out)
{
	struct writer w = {0};
	const struct product_at start = {0, ARTIFACT_NONE};
	*out = (struct token_automaton){0};
	intern_add(&w.states, &start, sizeof start, NULL);
	for (uint32_t s = 0; s < w.states.entries.n && w.states.entries.n <= AUTOMATON_MAX_STATES; s++) {
		struct product_at at;
		memcpy(&at, intern_get(&w.states, s, NULL), sizeof at);
		vec_push(&w.first, w.edges.n);
		product_each(p, at, put_edge, &w);
		uint32_t n = w.edges.n - w.first.at[s];
		if (n) qsort(w.edges.at + w.first.at[s], n, sizeof *w.edges.at, by_token);
	}
	bool good = w.states.entries.n <= AUTOMATON_MAX_STATES && w.edges.n < AUTOMATON_MAX_EDGES;
	if (good) {
		uint32_t n = w.states.entries.n, *first = arena_array(&out->arena, n + 1ull, 4);
		uint8_t *accepts = arena_array(&out->arena, n, 1);
		struct token_edge *edges = arena_array(&out->arena, w.edges.n, sizeof *edges);
		memcpy(first, w.first.at, n * 4ull);
		first[n] = w.edges.n;
		if (w.edges.n) memcpy(edges, w.edges.at, w.edges.n * sizeof *edges);
		for (uint32_t s = 0; s < n; s++) {
			struct product_at at;
			memcpy(&at, intern_get(&w.states, s, NULL), sizeof at);
			accepts[s] = p->nodes.at[at.node].accepts;
		}
		out->n_states = n, out->n_edges = w.edges.n, out->first = first, out->edges = edges, out->accepts = accepts;
	}
	intern_release(&w.states);
	vec_release(&w.edges), vec_release(&w.first);
	return good;
}
