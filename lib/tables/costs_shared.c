// Lexer states that share their starts (shared_starts.c) share their prices, too, where that is exact.
//
// In:  rows of the exact model, which states share starts. Out: what the model keeps of the remainders behind such
// states; then, of finished rows, which states have one price whatever the parser wants.
// Behind one blank more some tokens are refused, as ` "]` with a blank in front. A price would be higher only where no
// other token does what such a token does behind its blanks. So the remainders behind the first state and behind the
// last one (whose tokens all of them have) are compared: from each state in which lexing can go on, each token of the
// larger one must end where some token of the smaller one does, or one that is as near to each end of its lexeme does;
// or cut the same terminal and leave a remainder of which
// this holds again. Tokens that only add blanks lead to states with no more ways, so the shortest text needs none. By
// induction over the tokens of a shortest text both then cost the same on every stack, and the smaller one stands for
// all. States that share are taken as one in this; so where it fails for some, or takes more than SHARED_MAX_PAIRS
// comparisons, these are told apart and all others are compared again.
// Cost: the outcomes of what the larger remainders have more, from each state where a lexeme can begin.
#include "costs.h"

#define SHARED_MAX_PAIRS 20000u

// From a lexer state: the tokens of `some` must be enough for those of `more`.
struct compared {
	lex_state from;
	remainder_id some, more;
};

struct comparing {
	struct cost_rows *r;
	lex_state *alike;   // [n_lex_states] the first state of those that cost the same, as far as is known
	struct intern met;  // struct compared
	VEC(struct compared) todo;
	node_list gone;  // scratch
};

// From each state in which lexing goes on behind the remainders.
static void compare_behind(struct comparing *x, remainder_id some, remainder_id more)
{
	const struct lexer *lexer = x->r->lexer;
	const lex_state *start = lexer->start + (size_t)walker_obligation(x->r->walker, some) * lexer->n_contexts;
	for (uint32_t c = 0; c < lexer->n_contexts; c++) {
		bool is_new = false;
		const struct compared pair = {start[c], some, more};
		if (start[c] != LEX_DEAD) intern_add(&x->met, &pair, sizeof pair, &is_new);
		if (is_new) vec_push(&x->todo, pair);
	}
}

static bool ends_alike(const struct walker *w, const struct outcome_cut *a, const struct outcome_cut *b)
{
	return a->terminal == b->terminal && !remainder_is_end(a->remainder) && !remainder_is_end(b->remainder) &&
	       walker_obligation(w, a->remainder) == walker_obligation(w, b->remainder);
}

// The emit of a row that may stand for e: the same terminal in as few tokens, the same obligation; NULL: there is none.
static const struct cost_emit *emit_for(const struct cost_rows *r, row_id row, struct cost_emit e)
{
	uint32_t n;
	const struct cost_emit *all = cost_row(r, row, &n), *found = NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (all[i].terminal != e.terminal || all[i].weight > e.weight) continue;
		if (all[i].remainder == e.remainder) return &all[i];
		if (remainder_is_end(all[i].remainder) || remainder_is_end(e.remainder) || found) continue;
		if (walker_obligation(r->walker, all[i].remainder) == walker_obligation(r->walker, e.remainder))
			found = &all[i];
	}
	return found;
}

// Does `row` end each lexeme in as few tokens as `of` does? Then what it leaves must be enough, too.
static bool row_stands_for(struct comparing *x, row_id row, row_id of)
{
	uint32_t n;
	struct cost_rows *r = x->r;
	const struct cost_emit *e = cost_row(r, of, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!emit_for(r, row, e[i])) return false;
	for (uint32_t i = 0; i < n; i++) {
		const remainder_id here = emit_for(r, row, e[i])->remainder;
		if (here != e[i].remainder) compare_behind(x, here, e[i].remainder);
	}
	return true;
}

// Does a token of `some` end in a state as good as `to`?
static bool stays_alike(struct comparing *x, const struct outcomes *some, lex_state to)
{
	const struct cost_rows *r = x->r;
	for (uint32_t i = 0; i < some->n_stays; i++)
		if (x->alike[outcomes_to(some, i)] == x->alike[to]) return true;
	for (uint32_t i = 0; i < some->n_stays; i++)
		if (row_stands_for(x, r->of_state[outcomes_to(some, i)], r->of_state[to])) return true;
	return false;
}

static bool compare_one(struct comparing *x, struct compared pair)
{
	struct walker *w = x->r->walker;
	const struct outcomes more = walker_outcomes(w, pair.from, pair.more);
	if (!more.n_stays && !more.n_cuts) return true;
	const struct outcomes some = walker_outcomes(w, pair.from, pair.some);
	for (uint32_t i = 0; i < more.n_stays; i++)
		if (!stays_alike(x, &some, outcomes_to(&more, i))) return false;
	for (uint32_t i = 0; i < more.n_cuts; i++) {
		uint32_t k = 0;
		while (k < some.n_cuts && !ends_alike(w, &some.cuts[k], &more.cuts[i])) k++;
		if (k == some.n_cuts) return false;
		compare_behind(x, some.cuts[k].remainder, more.cuts[i].remainder);
	}
	return true;
}

// What one has beside the other, into x->gone. False: it lacks some of that.
static bool find_gone(struct comparing *x, remainder_id some, remainder_id all)
{
	uint32_t n, n_all;
	const trie_node *a = walker_nodes(x->r->walker, some, &n), *b = walker_nodes(x->r->walker, all, &n_all);
	return nodes_beside(b, n_all, a, n, &x->gone);
}

// Is each text as short behind `some` as behind `all`?
static bool are_enough(struct comparing *x, remainder_id some, remainder_id all)
{
	if (!find_gone(x, some, all)) return false;
	if (!x->gone.n) return true;
	const uint32_t obligation = walker_obligation(x->r->walker, some);
	compare_behind(x, some, walker_remainder(x->r->walker, obligation, false, x->gone.at, x->gone.n));
	bool enough = true;
	while (x->todo.n && enough) enough = compare_one(x, vec_pop(&x->todo)) && x->met.entries.n <= SHARED_MAX_PAIRS;
	return enough;
}

// What pends behind the only cut of a state; COSTS_NONE: it has more, or none.
static remainder_id behind(struct comparing *x, lex_state q)
{
	const struct outcomes o = walker_outcomes(x->r->walker, q, REMAINDER_WHOLE);
	return o.n_cuts == 1 && !remainder_is_end(o.cuts[0].remainder) ? o.cuts[0].remainder : COSTS_NONE;
}

// Tokens that stay inside of the lexeme lead to states that share, and remainders lie in one another.
static bool lie_in_one_another(struct comparing *x, const lex_state *q, uint32_t n)
{
	const remainder_id last = behind(x, q[n - 1]);
	bool ok = last != COSTS_NONE;
	for (uint32_t i = 0; i < n && ok; i++) {
		const remainder_id here = behind(x, q[i]);
		const struct outcomes o = walker_outcomes(x->r->walker, q[i], REMAINDER_WHOLE);
		ok = here != COSTS_NONE && find_gone(x, last, here);
		for (uint32_t k = 0; k < o.n_stays && ok; k++) ok = x->alike[outcomes_to(&o, k)] == q[0];
	}
	return ok;
}

// States q[0, n) have the starts of q[0]. Do they cost the same, if all that are taken as one do?
static bool cost_the_same(struct comparing *x, const lex_state *q, uint32_t n)
{
	intern_release(&x->met);
	x->met = (struct intern){0};
	vec_clear(&x->todo);
	return lie_in_one_another(x, q, n) && are_enough(x, behind(x, q[n - 1]), behind(x, q[0]));
}

void cost_rows_share(struct cost_rows *r, const struct shared_starts *shared)
{
	const uint32_t n_states = r->lexer->n_states, n_groups = shared->first_member.n;
	struct comparing x = {.r = r, .alike = mem_alloc(n_states * sizeof *x.alike)};
	memcpy(x.alike, shared->of, n_states * sizeof *x.alike);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t g = 0, n; g < n_groups; g++) {
			const lex_state *q = shared_starts_group(shared, g, &n);
			if (x.alike[q[1]] != q[0] || cost_the_same(&x, q, n)) continue;
			for (uint32_t i = 1; i < n; i++) x.alike[q[i]] = q[i];
			again = true;
		}
	}
	for (uint32_t g = 0, n; g < n_groups; g++) {
		const lex_state *q = shared_starts_group(shared, g, &n);
		for (uint32_t i = 0; i < n && x.alike[q[1]] == q[0]; i++)
			if (map64_get(&r->aligned, behind(&x, q[i])) == MAP64_NONE)
				map64_put(&r->aligned, behind(&x, q[i]), behind(&x, q[n - 1]));
	}
	intern_release(&x.met);
	vec_release(&x.todo), vec_release(&x.gone);
	free(x.alike);
}

// Has q the first state's row, and all states that tokens from it stay in?
static bool is_like(const struct cost_rows *r, lex_state q, lex_state first)
{
	const struct outcomes o = walker_outcomes(r->walker, q, REMAINDER_WHOLE);
	bool like = r->of_state[q] == r->of_state[first];
	for (uint32_t i = 0; i < o.n_stays && like; i++) like = r->of_state[outcomes_to(&o, i)] == r->of_state[first];
	return like;
}

void cost_rows_find_like(struct cost_rows *r, const struct shared_starts *shared)
{
	r->like = mem_alloc(r->lexer->n_states * sizeof *r->like);
	for (lex_state q = 0; q < r->lexer->n_states; q++) r->like[q] = q;
	for (uint32_t g = 0; g < shared->first_member.n; g++) {
		uint32_t n;
		const lex_state *q = shared_starts_group(shared, g, &n);
		bool alike = true;
		for (uint32_t i = 0; i < n && alike; i++) alike = is_like(r, q[i], q[0]);
		for (uint32_t i = 1; i < n && alike; i++) r->like[q[i]] = q[0];
	}
}
