// Operations on regular languages; see regex.h.
//
// In:   one or two languages of a store.
// Out:  what both have, either has, or the first alone has; the second behind the first; beginnings.
// How:  the product of the two automata, over the pairs of states that are reachable. Results are kept by operands.
// Cost: the pairs and their edges; above LANGUAGE_MAX_STATES or LANGUAGE_MAX_EDGES the work is given up.
#include "language_internal.h"

struct product {
	struct automaton_draft m;
	struct map64 number;  // pair of states, + 1 each, 0: dead
	VEC(uint64_t) pairs;
	struct term_automaton a, b;
	enum operation op;
};

#define DEAD UINT32_MAX

static bool is_lost(enum operation op, uint32_t p, uint32_t q)
{
	return op == OP_AND ? p == DEAD || q == DEAD : op == OP_OR ? p == DEAD && q == DEAD : p == DEAD;
}

static uint32_t pair_number(struct product *x, uint32_t p, uint32_t q)
{
	uint64_t key = (uint64_t)(p + 1) << 32 | (q + 1), found = map64_get(&x->number, key);
	if (found != MAP64_NONE) return (uint32_t)found;
	bool in_a = p != DEAD && term_automaton_accepts(&x->a, p), in_b = q != DEAD && term_automaton_accepts(&x->b, q);
	bool in = x->op == OP_AND ? in_a && in_b : x->op == OP_OR ? in_a || in_b : in_a && !in_b;
	uint32_t n = making_add_state(&x->m, in ? FOLLOW_ANY : FOLLOW_NEVER);
	map64_put(&x->number, key, n);
	vec_push(&x->pairs, key);
	return n;
}

// The edges of both, cut where either changes.
// Branches: two sorted lists of edges are merged, and each may have ended, begin later or cover the byte.
static void expand_pair(struct product *x, uint32_t n)
{
	uint32_t p = (uint32_t)(x->pairs.at[n] >> 32) - 1, q = (uint32_t)x->pairs.at[n] - 1, first = x->m.edges.n;
	uint32_t i = p == DEAD ? 0 : term_automaton_first(&x->a, p),
			 i_end = p == DEAD ? 0 : term_automaton_first(&x->a, p + 1);
	uint32_t j = q == DEAD ? 0 : term_automaton_first(&x->b, q),
			 j_end = q == DEAD ? 0 : term_automaton_first(&x->b, q + 1);
	for (uint32_t byte = 0; byte < 256;) {
		while (i < i_end && term_automaton_hi(&x->a, i) < byte) i++;
		while (j < j_end && term_automaton_hi(&x->b, j) < byte) j++;
		if (i == i_end && (j == j_end || x->op != OP_OR)) break;
		uint32_t end = 256, to_p = DEAD, to_q = DEAD;
		if (i < i_end && term_automaton_lo(&x->a, i) > byte) end = term_automaton_lo(&x->a, i);
		if (i < i_end && term_automaton_lo(&x->a, i) <= byte)
			to_p = term_automaton_to(&x->a, i), end = term_automaton_hi(&x->a, i) + 1u;
		uint32_t limit = 256;
		if (j < j_end && term_automaton_lo(&x->b, j) > byte) limit = term_automaton_lo(&x->b, j);
		if (j < j_end && term_automaton_lo(&x->b, j) <= byte)
			to_q = term_automaton_to(&x->b, j), limit = term_automaton_hi(&x->b, j) + 1u;
		if (limit < end) end = limit;
		if (!is_lost(x->op, to_p, to_q)) making_add_edge(&x->m, first, pair_number(x, to_p, to_q), byte, end - 1);
		byte = end;
	}
	making_set_edges(&x->m, n, first);
	making_check(&x->m);
}

// Is it a single text? Its automaton is a path then.
static bool is_one_text(const struct term_automaton *a)
{
	const uint32_t last = a->n_states - 1;
	if (!a->n_states || term_automaton_first(a, a->n_states) != last || !term_automaton_accepts(a, last)) return false;
	for (uint32_t q = 0; q < last; q++)
		if (term_automaton_first(a, q) != q || term_automaton_lo(a, q) != term_automaton_hi(a, q) ||
		    term_automaton_to(a, q) != q + 1 || term_automaton_accepts(a, q))
			return false;
	return true;
}

bool language_is_text(const struct languages *s, language a)
{
	const struct term_automaton x = language_view(s, a);
	return is_one_text(&x);
}

// Has the language the single text of the other one?
static bool has_text(const struct term_automaton *a, const struct term_automaton *text)
{
	uint32_t q = 0;
	if (!a->n_states) return false;
	for (uint32_t at = 0; at + 1 < text->n_states; at++) {
		const uint32_t byte = term_automaton_lo(text, at), end = term_automaton_first(a, q + 1);
		uint32_t e = term_automaton_first(a, q);
		while (e < end && term_automaton_hi(a, e) < byte) e++;
		if (e == end || term_automaton_lo(a, e) > byte) return false;
		q = term_automaton_to(a, e);
	}
	return term_automaton_accepts(a, q);
}

// Where one of two languages is a single text, that the other has it tells nearly all. LANGUAGE_ERROR: it does not.
static language with_one_text(enum operation op, language a, language b, const struct product *x)
{
	const bool a_is = is_one_text(&x->a), b_is = !a_is && is_one_text(&x->b);
	if (!a_is && !b_is) return LANGUAGE_ERROR;
	const bool has = a_is ? has_text(&x->b, &x->a) : has_text(&x->a, &x->b);
	if (op == OP_AND) return !has ? LANGUAGE_NOTHING : a_is ? a : b;
	if (op == OP_OR) return !has ? LANGUAGE_ERROR : a_is ? b : a;
	if (a_is) return has ? LANGUAGE_NOTHING : a;
	return has ? LANGUAGE_ERROR : a;
}

language language_product(struct languages *s, enum operation op, language a, language b)
{
	uint64_t key = (uint64_t)op << 60 | (uint64_t)a << 30 | b, known = map64_get(&s->memo, key);
	if (known != MAP64_NONE) return (language)known;
	struct product x = {.a = language_view(s, a), .b = language_view(s, b), .op = op};
	const language told = a != LANGUAGE_ANY ? with_one_text(op, a, b, &x) : LANGUAGE_ERROR;
	if (told != LANGUAGE_ERROR) return told;
	uint32_t p = x.a.n_states ? 0 : DEAD, q = x.b.n_states ? 0 : DEAD;
	if (!is_lost(op, p, q)) pair_number(&x, p, q);
	for (uint32_t n = 0; n < x.pairs.n; n++) expand_pair(&x, n);
	map64_release(&x.number);
	vec_release(&x.pairs);
	language l = making_finish(s, &x.m);
	map64_put(&s->memo, key, l);
	return l;
}

language language_and(struct languages *s, language a, language b)
{
	if (a == b || b == LANGUAGE_ANY) return a;
	if (a == LANGUAGE_ANY) return b;
	if (!a || !b) return LANGUAGE_NOTHING;
	return a < b ? language_product(s, OP_AND, a, b) : language_product(s, OP_AND, b, a);
}

language language_or(struct languages *s, language a, language b)
{
	if (a == b || !b) return a;
	if (!a) return b;
	if (a == LANGUAGE_ANY || b == LANGUAGE_ANY) return LANGUAGE_ANY;
	return a < b ? language_product(s, OP_OR, a, b) : language_product(s, OP_OR, b, a);
}

language language_minus(struct languages *s, language a, language b)
{
	if (!a || a == b || b == LANGUAGE_ANY) return LANGUAGE_NOTHING;
	return b ? language_product(s, OP_MINUS, a, b) : a;
}

language language_not(struct languages *s, language a) { return language_minus(s, LANGUAGE_ANY, a); }

static void copy_states(struct automaton_draft *m, const struct term_automaton *a, uint32_t shift, uint32_t end,
                        uint32_t to)
{
	for (uint32_t q = 0; q < a->n_states; q++) {
		uint32_t first = m->edges.n;
		making_add_state(m, end == UINT32_MAX && term_automaton_accepts(a, q) ? FOLLOW_ANY : FOLLOW_NEVER);
		for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
			uint32_t next = term_automaton_to(a, e);
			making_add_edge(m, first, next == end ? to : next + shift, term_automaton_lo(a, e),
			                term_automaton_hi(a, e));
		}
		making_set_edges(m, q + shift, first);
	}
}

language language_then(struct languages *s, language a, language b)
{
	if (!a || !b) return LANGUAGE_NOTHING;
	if (a == LANGUAGE_EMPTY) return b;
	struct term_automaton x = language_view(s, a), y = language_view(s, b);
	uint32_t end = UINT32_MAX;  // minimal, it has one state that accepts and leads nowhere
	for (uint32_t q = 0; q < x.n_states; q++) {
		if (!term_automaton_accepts(&x, q)) continue;
		ASSERT(end == UINT32_MAX && term_automaton_first(&x, q) == term_automaton_first(&x, q + 1));
		end = q;
	}
	struct automaton_draft m = {0};
	copy_states(&m, &x, 0, end, x.n_states);
	copy_states(&m, &y, x.n_states, UINT32_MAX, 0);
	return making_finish(s, &m);
}

// a's states, those that accept without edges, or all accepting.
static language cut(struct languages *s, language a, bool is_first)
{
	struct term_automaton x = language_view(s, a);
	struct automaton_draft m = {0};
	for (uint32_t q = 0; q < x.n_states; q++) {
		uint32_t first = m.edges.n;
		bool accepts = term_automaton_accepts(&x, q), ends = is_first && accepts;
		making_add_state(&m, accepts || !is_first ? FOLLOW_ANY : FOLLOW_NEVER);
		for (uint32_t e = term_automaton_first(&x, q); !ends && e < term_automaton_first(&x, q + 1); e++)
			making_add_edge(&m, first, term_automaton_to(&x, e), term_automaton_lo(&x, e), term_automaton_hi(&x, e));
		making_set_edges(&m, q, first);
	}
	return making_finish(s, &m);
}

language language_first(struct languages *s, language a) { return cut(s, a, true); }

language language_beginnings(struct languages *s, language a)
{
	language l = cut(s, a, false);
	return l == LANGUAGE_NOTHING || l == LANGUAGE_ANY ? l : language_product(s, OP_AND, LANGUAGE_ANY, l);
}
