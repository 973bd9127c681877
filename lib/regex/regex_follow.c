// What must follow: obligations of lookaheads, as formulas.
//
// In:  the automata of the lookaheads' bodies. Out: numbers of formulas: FOLLOW_NEVER, FOLLOW_ANY, "lookahead k, now at
//      place s of its automaton, will match" or that it will not, and conjunctions and disjunctions of formulas.
// A thread of the NFA carries a formula: what it still owes. Within the lexeme it is stepped along with the bytes and
// the thread dies when it becomes NEVER; where the lexeme ends it becomes what must follow. A body's automaton may
// itself accept with a formula: lookaheads nest. Formulas are kept flat, sorted, without doubles and interned, so those
// that one formula can step to are finitely many (derivatives modulo associativity, commutativity, idempotence:
// Brzozowski 1964). Their depth does not depend on the input: each stage that combines them adds one level, and
// stepping adds none. Cost: a step visits the formula's leaves.
#include "regex_internal.h"

enum follow_op { F_NEVER, F_ANY, F_WILL, F_WILL_NOT, F_BOTH, F_EITHER };
typedef VEC(uint32_t) follow_list;

static const uint32_t *words_of(const struct re_ctx *c, uint32_t f, uint32_t *n)
{
	const uint32_t *w = intern_get(&c->follow, f, n);
	*n /= (uint32_t)sizeof *w;
	return w;
}

void follow_init(struct re_ctx *c)
{
	for (uint32_t op = F_NEVER; op <= F_ANY; op++) {
		uint32_t f = intern_add(&c->follow, &op, sizeof op, NULL);
		ASSERT(f == op && F_NEVER == FOLLOW_NEVER && F_ANY == FOLLOW_ANY);
	}
}

// Appends f, or the members of f when it is itself of this kind.
static void gather(struct re_ctx *c, enum follow_op op, uint32_t f, follow_list *l)
{
	uint32_t n;
	const uint32_t *w = words_of(c, f, &n);
	if (w[0] != op) {
		vec_push(l, f);
		return;
	}
	for (uint32_t i = 1; i < n; i++) vec_push(l, w[i]);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// l: a word left for the operator, then members. Releases l.
static uint32_t join(struct re_ctx *c, enum follow_op op, follow_list *l)
{
	uint32_t neutral = op == F_BOTH ? FOLLOW_ANY : FOLLOW_NEVER, n = 1;
	bool decided = false;
	c->work += l->n;  // all that are sorted, also those that are there twice
	qsort(l->at + 1, l->n - 1, sizeof *l->at, by_number);
	for (uint32_t i = 1; i < l->n; i++) {
		uint32_t f = l->at[i];
		decided |= f == !neutral;
		if (f != neutral && (n == 1 || l->at[n - 1] != f)) l->at[n++] = f;
	}
	l->at[0] = op;
	uint32_t f = decided  ? !neutral
	             : n == 1 ? neutral
	             : n == 2 ? l->at[1]
	                      : intern_add(&c->follow, l->at, n * sizeof *l->at, NULL);
	vec_release(l);
	return f;
}

static uint32_t join_two(struct re_ctx *c, enum follow_op op, uint32_t f, uint32_t g)
{
	uint32_t neutral = op == F_BOTH ? FOLLOW_ANY : FOLLOW_NEVER;
	if (f == neutral || f == g) return g;
	if (g == neutral) return f;
	if (f == !neutral || g == !neutral) return !neutral;
	follow_list l = {0};
	vec_push(&l, op);
	gather(c, op, f, &l);
	gather(c, op, g, &l);
	return join(c, op, &l);
}

uint32_t follow_both(struct re_ctx *c, uint32_t f, uint32_t g) { return join_two(c, F_BOTH, f, g); }

uint32_t follow_either(struct re_ctx *c, const uint32_t *of, uint32_t n)
{
	follow_list l = {0};
	vec_push(&l, F_EITHER);
	for (uint32_t i = 0; i < n; i++) gather(c, F_EITHER, of[i], &l);
	return join(c, F_EITHER, &l);
}

uint32_t follow_not(struct re_ctx *c, uint32_t f)
{
	uint32_t n;
	const uint32_t *w = words_of(c, f, &n);
	if (f <= FOLLOW_ANY) return !f;
	if (w[0] == F_WILL || w[0] == F_WILL_NOT) {
		uint32_t other[] = {w[0] == F_WILL ? F_WILL_NOT : F_WILL, w[1], w[2]};
		return intern_add(&c->follow, other, sizeof other, NULL);
	}
	enum follow_op op = w[0] == F_BOTH ? F_EITHER : F_BOTH;
	follow_list l = {0};
	vec_push(&l, op);
	for (uint32_t i = 1; i < n; i++) gather(c, op, follow_not(c, w[i]), &l);
	return join(c, op, &l);
}

// The body of lookahead `look` has got to state s: it ends here, or later.
static uint32_t place(struct re_ctx *c, uint32_t look, uint32_t s)
{
	const struct sparse_dfa *a = c->looks.at[look].dfa;
	if (s == DFA_DEAD) return FOLLOW_NEVER;
	if (a->accept[s] == FOLLOW_ANY || !a->edges_of[s].n) return a->accept[s];
	uint32_t later[] = {F_WILL, look, s};
	return join_two(c, F_EITHER, a->accept[s], intern_add(&c->follow, later, sizeof later, NULL));
}

uint32_t follow_begin(struct re_ctx *c, uint32_t look, bool negative, uint32_t observed)
{
	const struct sparse_dfa *a = c->looks.at[look].dfa;
	uint32_t f = a->n_states && observed != DFA_DEAD ? place(c, look, a->starts[observed]) : FOLLOW_NEVER;
	return negative ? follow_not(c, f) : f;
}

uint32_t follow_step(struct re_ctx *c, uint32_t f, uint8_t byte)
{
	uint32_t n;
	const uint32_t *w = words_of(c, f, &n);
	c->work++;
	if (f <= FOLLOW_ANY) return f;
	if (w[0] == F_WILL || w[0] == F_WILL_NOT) {
		uint32_t g = place(c, w[1], sparse_step(c->looks.at[w[1]].dfa, w[2], byte));
		return w[0] == F_WILL ? g : follow_not(c, g);
	}
	enum follow_op op = w[0];
	follow_list l = {0};
	vec_push(&l, op);
	for (uint32_t i = 1; i < n; i++) gather(c, op, follow_step(c, w[i], byte), &l);
	return join(c, op, &l);
}

bool follow_at_end(const struct re_ctx *c, uint32_t f)
{
	uint32_t n;
	const uint32_t *w = words_of(c, f, &n);
	if (w[0] < F_BOTH) return w[0] == F_ANY || w[0] == F_WILL_NOT;
	for (uint32_t i = 1; i < n; i++)
		if (follow_at_end(c, w[i]) != (w[0] == F_BOTH)) return w[0] == F_EITHER;
	return w[0] == F_BOTH;
}

void follow_bounds(const struct re_ctx *c, bits bounds[5])
{
	for (uint32_t i = 0; i < c->looks.n; i++)
		if (c->looks.at[i].dfa && !c->looks.at[i].behind) dfa_bounds(c->looks.at[i].dfa, bounds);
}
