// Symbolic stacks (partly known ones), sets of lr_states, and what one lr_state can do compared with another.
//
// In:  an automaton. Out: hash-consed stacks; residuals; simulation.
// Residuals: fixpoint over edges, (k, A) of a state is (k - 1, A) of the states below it.
// Simulation of states: the greatest relation, by exploring all pairs that a pair needs, refuting those that differ in
// a row and then those that need a refuted one. Cost: each pair once, a row each.
#include "lr_symbolic.h"
#include "../base/sort.h"
#include "../shared/search.h"

// More predecessors than there are would be sound, too.
static void find_predecessors(struct lr_facts *c)
{
	const struct lr *lr = c->lr;
	VEC(uint64_t) edges = {0};
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		VEC(uint32_t) to = {0};
		uint32_t n_cells, n;
		const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
		for (uint32_t k = 0; k < n_cells; k++) {
			const uint32_t *a = lr_actions_of(lr, &cell[k].to, &n);
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(a[i])) vec_push(&to, a[i] / 2);
		}
		cell = lr_row(&lr->go, s, &n_cells);
		for (uint32_t k = 0; k < n_cells; k++) vec_push(&to, cell[k].to);
		sort_u32(to.at, to.n);
		for (uint32_t i = 0; i < to.n; i++)
			if (i == 0 || to.at[i] != to.at[i - 1]) vec_push(&edges, (uint64_t)to.at[i] << 32 | s);
		vec_release(&to);
	}
	c->pred_at = mem_calloc(lr->n_states + 2, sizeof *c->pred_at);
	c->pred = mem_calloc(edges.n + 1, sizeof *c->pred);
	for (uint32_t i = 0; i < edges.n; i++) c->pred_at[(edges.at[i] >> 32) + 2]++;
	for (uint32_t s = 0; s < lr->n_states; s++) c->pred_at[s + 2] += c->pred_at[s + 1];
	for (uint32_t i = 0; i < edges.n; i++) c->pred[c->pred_at[(edges.at[i] >> 32) + 1]++] = (uint32_t)edges.at[i];
	vec_release(&edges);
}

static bool add_residual(struct lr_facts *c, lr_state s, uint32_t pops, uint32_t nonterminal)
{
	for (uint32_t i = 0; i < c->residuals[s].n; i += 2)
		if (c->residuals[s].at[i] == pops && c->residuals[s].at[i + 1] == nonterminal) return false;
	vec_push(&c->residuals[s], pops);
	vec_push(&c->residuals[s], nonterminal);
	return true;
}

static void find_residuals(struct lr_facts *c)
{
	const struct lr *lr = c->lr;
	VEC(uint32_t) work = {0};  // triples (state, pops, nonterminal)
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		vec_clear(&c->residuals[s]);
		uint32_t n_cells, n;
		const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
		for (uint32_t k = 0; k < n_cells; k++) {
			const uint32_t *a = lr_actions_of(lr, &cell[k].to, &n);
			for (uint32_t i = 0; i < n; i++) {
				if (!action_is_reduce(a[i])) continue;
				struct lr_production p = lr->production[a[i] / 2 - 1];
				if (p.length && add_residual(c, s, p.length, p.lhs))
					vec_push(&work, s), vec_push(&work, p.length), vec_push(&work, p.lhs);
			}
		}
	}
	while (work.n) {
		uint32_t nonterminal = vec_pop(&work), pops = vec_pop(&work), s = vec_pop(&work);
		if (pops < 2) continue;
		for (uint32_t i = c->pred_at[s]; i < c->pred_at[s + 1]; i++)
			if (add_residual(c, c->pred[i], pops - 1, nonterminal))
				vec_push(&work, c->pred[i]), vec_push(&work, pops - 1), vec_push(&work, nonterminal);
	}
	vec_release(&work);
}

void facts_init(struct lr_facts *c, const struct lr *lr)
{
	*c = (struct lr_facts){.lr = lr};
	find_predecessors(c);
	c->mark = mem_calloc(BITS_WORDS(lr->n_states), sizeof *c->mark);
	c->residuals = mem_calloc(lr->n_states, sizeof *c->residuals);
	find_residuals(c);
}

void facts_release(struct lr_facts *c)
{
	for (uint32_t s = 0; s < c->lr->n_states; s++) vec_release(&c->residuals[s]);
	free(c->residuals), free(c->pred), free(c->pred_at), free(c->mark);
	intern_release(&c->sets), intern_release(&c->gotos), intern_release(&c->pairs);
	vec_release(&c->goto_at), vec_release(&c->goto_list), vec_release(&c->pair_status);
}

const uint32_t *facts_residuals(const struct lr_facts *c, lr_state s, uint32_t *n_pairs)
{
	*n_pairs = c->residuals[s].n / 2;
	return c->residuals[s].at;
}

// --- simulation of states ---

enum pair_status { PAIR_OPEN, PAIR_HOLDS, PAIR_FAILS };
struct pair_work {
	VEC(uint32_t) todo;   // pairs to look at
	VEC(uint64_t) needs;  // (needed pair, pair)
};

static uint32_t pair_id(struct lr_facts *c, struct pair_work *w, lr_state x, lr_state y)
{
	bool is_new;
	uint32_t id = intern_add(&c->pairs, (uint32_t[]){x, y}, 8, &is_new);
	if (is_new) {
		vec_push(&c->pair_status, PAIR_OPEN);
		vec_push(&w->todo, id);
	}
	return id;
}

static bool pair_needs(struct lr_facts *c, struct pair_work *w, uint32_t pair, lr_state x, lr_state y)
{
	if (x == y) return true;
	uint32_t id = pair_id(c, w, x, y);
	if (c->pair_status.at[id] == PAIR_FAILS) return false;
	if (c->pair_status.at[id] == PAIR_OPEN) vec_push(&w->needs, (uint64_t)id << 32 | pair);
	return true;
}

// Does row y have all symbols of row x?
static bool has_symbols(const struct lr_cell *x, uint32_t n_x, const struct lr_cell *y, uint32_t n_y)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n_x; i++, k++) {
		while (k < n_y && y[k].by < x[i].by) k++;
		if (k == n_y || y[k].by != x[i].by) return false;
	}
	return true;
}

static bool cells_agree(struct lr_facts *c, struct pair_work *w, uint32_t pair, uint32_t x, uint32_t y)
{
	uint32_t n, m;
	const uint32_t *a = lr_actions_of(c->lr, &x, &n), *b = lr_actions_of(c->lr, &y, &m);
	for (uint32_t i = 0; i < n && x != y; i++) {
		uint32_t k = 0;
		while (k < m && (ACTION_IS_SHIFT(a[i]) ? !ACTION_IS_SHIFT(b[k]) : b[k] != a[i])) k++;
		if (k == m) return false;
		if (ACTION_IS_SHIFT(a[i]) && !pair_needs(c, w, pair, a[i] / 2, b[k] / 2)) return false;
	}
	return true;
}

// In their cells, in every action of a cell, and in their gotos.
static bool rows_agree(struct lr_facts *c, struct pair_work *w, uint32_t pair, lr_state x, lr_state y)
{
	uint32_t n_x, n_y;
	const struct lr_cell *a = lr_row(&c->lr->action, x, &n_x), *b = lr_row(&c->lr->action, y, &n_y);
	if (!has_symbols(a, n_x, b, n_y)) return false;
	for (uint32_t i = 0, k = 0; i < n_x; i++) {
		while (b[k].by < a[i].by) k++;
		if (!cells_agree(c, w, pair, a[i].to, b[k].to)) return false;
	}
	a = lr_row(&c->lr->go, x, &n_x), b = lr_row(&c->lr->go, y, &n_y);
	for (uint32_t i = 0, k = 0; i < n_x; i++) {
		while (k < n_y && b[k].by < a[i].by) k++;
		if (k == n_y || b[k].by != a[i].by || !pair_needs(c, w, pair, a[i].to, b[k].to)) return false;
	}
	return true;
}

bool facts_simulates(struct lr_facts *c, lr_state x, lr_state y)
{
	if (x == y) return true;
	struct pair_work w = {0};
	uint32_t root = pair_id(c, &w, x, y), first = root;
	if (w.todo.n) {
		VEC(uint32_t) failed = {0};
		while (w.todo.n) {
			uint32_t id = vec_pop(&w.todo);
			const uint32_t *p = intern_get(&c->pairs, id, NULL);
			if (rows_agree(c, &w, id, p[0], p[1])) continue;
			c->pair_status.at[id] = PAIR_FAILS;
			vec_push(&failed, id);
		}
		sort_u64(w.needs.at, w.needs.n);
		while (failed.n) {
			uint64_t id = vec_pop(&failed);
			uint32_t i;
			LOWER_BOUND(i, 0, w.needs.n, w.needs.at[i] >> 32 < id);
			for (; i < w.needs.n && w.needs.at[i] >> 32 == id; i++) {
				uint32_t up = (uint32_t)w.needs.at[i];
				if (c->pair_status.at[up] == PAIR_FAILS) continue;
				c->pair_status.at[up] = PAIR_FAILS;
				vec_push(&failed, up);
			}
		}
		for (uint32_t id = first; id < c->pair_status.n; id++)
			if (c->pair_status.at[id] == PAIR_OPEN) c->pair_status.at[id] = PAIR_HOLDS;
		vec_release(&failed);
	}
	vec_release(&w.todo);
	vec_release(&w.needs);
	return c->pair_status.at[root] == PAIR_HOLDS;
}

// --- sets of states ---

static const uint32_t *members(const struct lr_facts *c, const uint32_t *set, uint32_t *n)
{
	if (*set < c->lr->n_states) return *n = 1, set;
	const uint32_t *list = intern_get(&c->sets, *set - c->lr->n_states, n);
	*n /= (uint32_t)sizeof *list;
	return list;
}

// list: ascending, no doubles.
static uint32_t set_of(struct lr_facts *c, const uint32_t *list, uint32_t n)
{
	if (n == 0) return NO_SET;
	if (n == 1) return list[0];
	return c->lr->n_states + intern_add(&c->sets, list, n * sizeof *list, NULL);
}

uint32_t facts_set_below(struct lr_facts *c, uint32_t set)
{
	uint32_t n, words = BITS_WORDS(c->lr->n_states);
	const uint32_t *list = members(c, &set, &n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = c->pred_at[list[i]]; k < c->pred_at[list[i] + 1]; k++) bits_set(c->mark, c->pred[k]);
	VEC(uint32_t) below = {0};
	for (uint32_t s = bits_next(c->mark, words, 0); s != UINT32_MAX; s = bits_next(c->mark, words, s + 1))
		vec_push(&below, s);
	memset(c->mark, 0, words * sizeof *c->mark);
	uint32_t id = set_of(c, below.at, below.n);
	vec_release(&below);
	return id;
}

uint32_t facts_set_without_bottom(struct lr_facts *c, uint32_t set)
{
	uint32_t n;
	const uint32_t *list = members(c, &set, &n);
	// Sets are sorted and no lr_state is below LR_BOTTOM.
	return list[0] == LR_BOTTOM ? set_of(c, list + 1, n - 1) : set;
}

const uint32_t *facts_set_gotos(struct lr_facts *c, uint32_t set, uint32_t nonterminal, uint32_t *n_pairs)
{
	bool is_new;
	uint32_t id = intern_add(&c->gotos, (uint32_t[]){set, nonterminal}, 8, &is_new);
	if (is_new) {
		uint32_t n;
		const uint32_t *list = members(c, &set, &n);
		VEC(uint64_t) sorted = {0};
		for (uint32_t i = 0; i < n; i++) {
			uint32_t to = lr_goto(c->lr, list[i], nonterminal);
			if (to) vec_push(&sorted, (uint64_t)to << 32 | list[i]);
		}
		sort_u64(sorted.at, sorted.n);
		vec_push(&c->goto_at, c->goto_list.n);
		uint32_t count_at = c->goto_list.n;
		vec_push(&c->goto_list, 0);
		VEC(uint32_t) group = {0};
		for (uint32_t i = 0; i < sorted.n; i++) {
			vec_push(&group, (uint32_t)sorted.at[i]);
			if (i + 1 < sorted.n && sorted.at[i] >> 32 == sorted.at[i + 1] >> 32) continue;
			vec_push(&c->goto_list, (uint32_t)(sorted.at[i] >> 32));
			vec_push(&c->goto_list, set_of(c, group.at, group.n));
			c->goto_list.at[count_at]++;
			vec_clear(&group);
		}
		vec_release(&sorted);
		vec_release(&group);
	}
	const uint32_t *entry = c->goto_list.at + c->goto_at.at[id];
	*n_pairs = entry[0];
	return entry + 1;
}

// --- stacks ---

void stacks_init(struct stacks *k)
{
	*k = (struct stacks){0};
	intern_add(&k->known, (uint32_t[]){UINT32_MAX, UINT32_MAX}, 8, NULL);
	vec_push(&k->nodes, ((struct stack_node){0, NO_SET, 0}));
}

void stacks_release(struct stacks *k)
{
	intern_release(&k->known);
	vec_release(&k->nodes);
}

uint32_t stack_push(struct stacks *k, uint32_t below, uint32_t set)
{
	bool is_new;
	uint32_t id = intern_add(&k->known, (uint32_t[]){below, set}, 8, &is_new);
	if (is_new) vec_push(&k->nodes, ((struct stack_node){below, set, k->nodes.at[below].length + 1}));
	return id;
}

uint32_t stack_pop(const struct stacks *k, uint32_t s, uint32_t n)
{
	while (n--) s = k->nodes.at[s].below;
	return s;
}

uint32_t stack_goto(struct stacks *k, struct lr_facts *c, uint32_t below, uint32_t nonterminal)
{
	uint32_t n;
	const uint32_t *pair = facts_set_gotos(c, stack_top(k, below), nonterminal, &n);
	if (n == 0) return STACK_NONE;
	return stack_push(k, below, n == 1 ? pair[0] : STACK_GOTO | nonterminal);
}

uint32_t stack_places(const struct stacks *k, uint32_t s, uint32_t place[STACK_MAX])
{
	uint32_t n = stack_length(k, s);
	ASSERT(n <= STACK_MAX);
	for (uint32_t i = n; i-- > 0; s = k->nodes.at[s].below) place[i] = k->nodes.at[s].set;
	return n;
}

uint32_t stack_from_places(struct stacks *k, struct lr_facts *c, const uint32_t *place, uint32_t n)
{
	uint32_t s = 0;
	for (uint32_t i = 0; i < n && s != STACK_NONE; i++)
		s = place[i] & STACK_GOTO ? stack_goto(k, c, s, place[i] & ~STACK_GOTO) : stack_push(k, s, place[i]);
	return s;
}
