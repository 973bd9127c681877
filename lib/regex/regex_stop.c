// Lexemes that end at their first match: what a lazy quantifier asks of its part of a terminal.
//
// In:  the part's DFA. Out: the same without what comes after a match. Where the match depends on what follows, the
// part goes on exactly when the match did not count: states become pairs of (state, formula that the text from here on
// must satisfy), and a way out of an accepting state adds the negation of what the match asked for.
// Cost: nothing without such matches; else one step of a formula per arc.
#include "regex_internal.h"

struct product {
	struct re_ctx *c;
	const struct sparse_dfa *a;
	struct intern pairs;  // (state of a, formula)
	VEC(uint32_t) accept;
	VEC(struct re_span) edges_of;
	VEC(struct byte_edge) edges;
};

static uint32_t pair(struct product *p, uint32_t q, uint32_t f)
{
	bool is_new;
	uint32_t id = intern_add(&p->pairs, (uint32_t[]){q, f}, 8, &is_new);
	if (is_new) vec_push(&p->accept, follow_both(p->c, p->a->accept[q], f));
	return id;
}

static void expand(struct product *p, uint32_t id)
{
	uint32_t key[2], first_edge = p->edges.n;
	memcpy(key, intern_get(&p->pairs, id, NULL), sizeof key);
	uint32_t on = follow_both(p->c, key[1], follow_not(p->c, p->a->accept[key[0]]));
	struct re_span of = p->a->edges_of[key[0]];
	bits bounds[5] = {0};
	follow_bounds(p->c, bounds);
	for (uint32_t i = 0; i < of.n && on != FOLLOW_NEVER; i++) {
		struct byte_edge e = p->a->edges[of.first + i];
		for (uint32_t lo = e.lo, next; lo <= e.hi; lo = next) {
			next = bits_next(bounds, 5, lo + 1);
			if (next > e.hi + 1u) next = e.hi + 1u;
			uint32_t f = follow_step(p->c, on, (uint8_t)lo);
			if (f == FOLLOW_NEVER) continue;
			vec_push(&p->edges, ((struct byte_edge){pair(p, e.to, f), (uint8_t)lo, (uint8_t)(next - 1)}));
		}
	}
	vec_push(&p->edges_of, ((struct re_span){first_edge, p->edges.n - first_edge}));
}

static void *copy(struct arena *a, const void *from, size_t n, size_t size)
{
	void *to = arena_array(a, n + 1, size);
	if (n) memcpy(to, from, n * size);
	return to;
}

static bool build(struct re_ctx *c, struct sparse_dfa *a)
{
	struct product p = {.c = c, .a = a};
	uint32_t *starts = arena_array(&c->scratch, a->n_starts, sizeof *starts);
	bool ok = true;
	for (uint32_t v = 0; v < a->n_starts; v++)
		starts[v] = a->starts[v] == DFA_DEAD ? DFA_DEAD : pair(&p, a->starts[v], FOLLOW_ANY);
	for (uint32_t id = 0; id < p.pairs.entries.n && ok; id++) {
		expand(&p, id);
		ok = re_within_work(c, p.edges.n);
		if (p.pairs.entries.n > REGEX_MAX_DFA) {
			re_error(c, c->whole,
			         "a lazy quantifier before a lookahead makes more than REGEX_MAX_DFA (%u) states: "
			         "write the lookahead with fewer cases",
			         REGEX_MAX_DFA);
			ok = false;
		}
	}
	if (ok) {
		a->n_states = p.pairs.entries.n, a->n_edges = p.edges.n;
		a->edges_of = copy(&c->scratch, p.edges_of.at, p.edges_of.n, sizeof *a->edges_of);
		a->edges = copy(&c->scratch, p.edges.at, p.edges.n, sizeof *a->edges);
		a->accept = copy(&c->scratch, p.accept.at, p.accept.n, sizeof *a->accept);
		a->starts = starts;
	}
	intern_release(&p.pairs);
	vec_release(&p.accept);
	vec_release(&p.edges_of);
	vec_release(&p.edges);
	return ok;
}

bool dfa_stop_at_first_match(struct re_ctx *c, struct sparse_dfa *a)
{
	bool asks = false;
	for (uint32_t s = 0; s < a->n_states; s++) {
		if (a->accept[s] == FOLLOW_ANY) a->edges_of[s].n = 0;
		asks |= a->accept[s] > FOLLOW_ANY;
	}
	return !asks || build(c, a);
}
