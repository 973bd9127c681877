// What every stack costs, by saturation in the order of weights.
//
// In:  rows (costs_rows.c), LR tables; variables that are asked for. Out: their facts.
// A *variable* is (row, lr_state): a lexeme of this row comes, with that state on top; or (goal, lr_state): a
// nonterminal is complete on that frame. Its *transitions* are ways to go on: to the end of the text, or so many frames
// down to a goal, each with its fewest tokens. A variable's facts come to others over edges: as they are, or through
// the frame that was pushed. A lexeme of the row is pushed where it can be shifted. A reduction is done before the
// lookahead is known: the row then keeps what it may be. Ignored lexemes come before reductions only, as the lexer
// decides by the context of the top. Facts are settled from the cheapest on (Dijkstra, Knuth), so each is settled once;
// one that another of its variable beats, whatever follows, is dropped. With columns a variable has a *capacity*, too:
// how many columns more can be opened where its top is (costs.h). An indent leads to one less, a dedent to one more; a
// frame that was pushed on keeps the capacity of what it was pushed from. Most answers are the same in all capacities.
// So where one indent inside another is never needed the greatest capacity is solved first, as if there was no limit;
// facts know what they count on (OPENS, BEGINS), and a variable whose facts do without is that of smaller capacities,
// too. Cost: facts x edges x capacities; a tenth of a second for whole languages in the aligned model.
#include "costs_solve.h"

static uint32_t add_way(struct solver *v, struct way x)
{
	bool is_new;
	const uint32_t way = intern_add(&v->ways, &x, sizeof x, &is_new);
	if (is_new) vec_push(&v->way_of, (struct way_known){.x = x});
	return way;
}

uint32_t solver_shorter(struct solver *v, uint32_t way)
{
	uint32_t shorter = v->way_of.at[way].shorter;
	if (shorter) return shorter;
	struct way x = solver_way(v, way);
	x.pop--;
	shorter = add_way(v, x);
	return v->way_of.at[way].shorter = shorter;
}

void solver_init(struct solver *v)
{
	const struct way end = {0, 0, 0};
	vec_push(&v->buckets, (job_list){0});
	add_way(v, end);
	v->first_reduction = mem_calloc(v->lr->n_states, sizeof *v->first_reduction);
	vec_push(&v->edges, (struct edge_link){0});
	vec_push(&v->transitions, (struct transition_link){0});
}

_Static_assert(LR_MAX_STATES <= 1u << 16 && COSTS_MAX_NESTED < 1u << 15, "a key has 16 bits for each");
static uint64_t key_of(uint32_t goal, uint32_t capacity, lr_state s)
{
	return (uint64_t)goal << 32 | capacity << 16 | s;
}

static uint32_t goal_of(struct solver *v, row_id row, uint32_t lhs)
{
	return intern_add(&v->goals, (uint32_t[]){row, lhs}, 8, NULL);
}

static uint32_t variable_of_goal(struct solver *v, uint32_t goal, row_id row, uint32_t lhs, lr_state s,
                                 uint32_t capacity)
{
	if (v->shares && capacity < v->top_capacity) {
		uint64_t top = map64_get(&v->var_of, key_of(goal, v->top_capacity, s));
		if (top < v->n_solved && !(v->vars.at[top].needs & (capacity ? OPENS : OPENS | BEGINS))) return (uint32_t)top;
	}
	const uint64_t key = key_of(goal, capacity, s), known = map64_get(&v->var_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	const uint32_t i = v->vars.n;
	map64_put(&v->var_of, key, i);
	vec_push(&v->vars, ((struct variable){.row = row, .lhs = lhs, .s = s, .capacity = capacity}));
	vec_push(&v->fresh, i);
	return i;
}

uint32_t solver_variable(struct solver *v, row_id row, uint32_t lhs, lr_state s, uint32_t capacity)
{
	return variable_of_goal(v, goal_of(v, row, lhs), row, lhs, s, capacity);
}

// Of the goal that a way leads to.
static uint32_t variable_of_way(struct solver *v, uint32_t way, lr_state s, uint32_t capacity)
{
	struct way_known *x = &v->way_of.at[way];
	if (!x->goal) x->goal = 1 + goal_of(v, x->x.row, x->x.lhs);
	return variable_of_goal(v, x->goal - 1, x->x.row, x->x.lhs, s, capacity);
}

static void relax(struct solver *v, uint32_t var, uint32_t way, uint32_t weight, uint32_t needs)
{
	uint64_t key = (uint64_t)var << 32 | way, known = map64_get(&v->best, key);
	v->rows->capped |= weight > COSTS_MAX_WEIGHT;
	if (weight > COSTS_MAX_WEIGHT || (known != MAP64_NONE && known >> 3 < weight)) return;
	if (known != MAP64_NONE && known >> 3 == weight && (known & 1 || !((known >> 1 & 3) & ~(uint64_t)needs))) return;
	map64_put(&v->best, key, (uint64_t)weight << 3 | needs << 1);
	while (v->buckets.n <= weight) vec_push(&v->buckets, (job_list){0});
	vec_push((&v->buckets.at[weight]), ((struct job){var, way, needs}));
	if (weight > v->most) v->most = weight;
	if (weight < v->least) v->least = weight;
}

static void add_edge(struct solver *v, uint32_t from, struct edge e);

// A fact goes over an edge.
static void pass(struct solver *v, struct transition f, struct edge e)
{
	uint32_t weight = f.weight + e.weight, needs = f.needs | e.needs;
	if (!e.frame || f.way == TRANSITION_END) {
		relax(v, e.to, f.way, weight, needs);
		return;
	}
	const struct way x = solver_way(v, f.way);
	if (x.pop > 1)
		relax(v, e.to, solver_shorter(v, f.way), weight, needs);
	else if (lr_goto(v->lr, e.frame, x.lhs))
		add_edge(v, variable_of_way(v, f.way, e.frame, v->vars.at[e.to].capacity),
		         (struct edge){e.to, weight, 0, needs});
}

#define LOOK_BACK 8u  // edges that a new one is compared with: most of those that say no more are among them

static void add_edge(struct solver *v, uint32_t from, struct edge e)
{
	v->rows->capped |= e.weight > COSTS_MAX_WEIGHT;
	if (e.weight > COSTS_MAX_WEIGHT) return;
	struct link_list *edges = &v->vars.at[from].edges;
	for (uint32_t i = edges->first, n = 0; i && n < LOOK_BACK; i = v->edges.at[i].next, n++) {
		const struct edge x = v->edges.at[i].x;
		if (x.to == e.to && x.frame == e.frame && x.weight <= e.weight && !(x.needs & ~e.needs)) return;
	}
	vec_push(&v->edges, (struct edge_link){.x = e});
	const uint32_t last = v->edges.n - 1;
	*(edges->first ? &v->edges.at[edges->last].next : &edges->first) = last;
	edges->last = last;
	for (uint32_t i = v->vars.at[from].transitions.first; i; i = v->transitions.at[i].next)
		pass(v, v->transitions.at[i].x, e);
}

uint32_t solver_resume(struct solver *v, remainder_id remainder, lr_state s, uint32_t capacity)
{
	lex_state q =
		v->lexer->start[walker_obligation(v->rows->walker, remainder) * v->lexer->n_contexts + v->lr->context_of[s]];
	if (q == LEX_DEAD) return COSTS_NONE;
	return solver_variable(v, cost_row_of_remainder(v->rows, remainder, q), COSTS_NONE, s, capacity);
}

uint32_t solver_behind(struct solver *v, remainder_id remainder, lr_state top, uint32_t t, uint32_t capacity)
{
	if (!v->columns) return COSTS_NONE;
	if (remainder_is_end(remainder)) return solver_variable(v, REMAINDER_END, BEHIND_END, top, capacity);
	if (!walker_is_line(v->rows->walker, remainder)) return COSTS_NONE;
	if (t == v->columns->newline) return solver_variable(v, remainder, BEHIND_LINE, top, capacity);
	return t == v->columns->dedent ? solver_variable(v, remainder, BEHIND_DEDENT, top, capacity) : COSTS_NONE;
}

// The remainder is unread on `top`, which lies on the frame that edge e leads through (or is its frame). t has been
// shifted, or COSTS_NONE.
// Branches: indents, dedents and all other terminals change the capacity in their own way, and the text may end.
static void go_on(struct solver *v, remainder_id remainder, lr_state top, uint32_t t, struct edge e)
{
	uint32_t capacity = v->vars.at[e.to].capacity;
	if (v->columns && t == v->columns->indent) {
		if (capacity <= 1) return;
		e.needs |= OPENS;
		if (v->shares && capacity == v->top_capacity) {
			uint32_t from = remainder_is_end(remainder) ? COSTS_NONE : solver_resume(v, remainder, top, capacity);
			if (from != COSTS_NONE) {
				vec_push(&v->inside, from);
				vec_push(&v->inside, COSTS_NONE);
				add_edge(v, from, e);
			}
			return;
		}
		capacity--;
		uint32_t more = capacity + 1 == v->top_capacity ? solver_resume(v, remainder, top, capacity + 1) : COSTS_NONE;
		if (more != COSTS_NONE) {
			uint32_t less = solver_resume(v, remainder, top, capacity);
			vec_push(&v->inside, more);
			vec_push(&v->inside, less);
		}
	} else if (v->columns && t == v->columns->dedent && capacity < v->top_capacity) {
		capacity++;  // at least
	}
	uint32_t from = solver_behind(v, remainder, top, t, capacity);
	if (from == COSTS_NONE && remainder_is_end(remainder)) {
		if (lr_viable(v->lr, top, v->lr->n_terminals)) relax(v, e.to, TRANSITION_END, e.weight, e.needs);
		return;
	}
	if (from == COSTS_NONE) from = solver_resume(v, remainder, top, capacity);
	if (from != COSTS_NONE) add_edge(v, from, e);
}

static void expand_behind(struct solver *v, uint32_t self)
{
	struct variable x = v->vars.at[self];
	struct edge same = {self, 0, 0, 0};
	if (x.lhs == BEHIND_END) {
		if (lr_viable(v->lr, x.s, v->lr->n_terminals)) relax(v, self, TRANSITION_END, 0, 0);
	} else if (x.capacity || !v->top_capacity) {  // else no blanks are priced that lead to this column
		uint32_t from = solver_resume(v, x.row, x.s, x.capacity);
		if (from != COSTS_NONE) add_edge(v, from, (struct edge){self, 0, 0, BEGINS});
	}
	for (uint32_t t = v->columns->dedent, k = 0; k < 2; t = v->columns->indent, k++) {
		if (k && (x.lhs != BEHIND_LINE || x.capacity <= 1)) break;
		add_edge(v,
		         solver_variable(v, cost_row_of(v->rows, (struct cost_emit){t, x.row, 0}), COSTS_NONE, x.s, x.capacity),
		         same);
	}
}

// A lexeme of the variable's row ends as t on its top.
static void expand_emit(struct solver *v, uint32_t self, struct cost_emit e)
{
	lr_state s = v->vars.at[self].s;
	bool is_pending = e.terminal == v->rows->pending_line;  // no column is known: only if it is ignored
	terminal_id t = is_pending ? v->columns->newline : e.terminal;
	if (t == COSTS_NONE || v->lexer->is_ignored[t]) {
		go_on(v, e.remainder, s, COSTS_NONE, (struct edge){self, e.weight, 0, 0});
		return;
	}
	uint32_t n, one;
	if (!bits_test(v->lr->context + (size_t)v->lr->context_of[s] * v->lr->context_words, t)) return;  // as most
	const uint32_t *a = lr_actions(v->lr, s, t, &n, &one);
	for (uint32_t i = 0; i < n; i++) {
		if (a[i] == ACTION_SKIP)
			go_on(v, e.remainder, s, COSTS_NONE, (struct edge){self, e.weight, 0, 0});
		else if (ACTION_IS_SHIFT(a[i]) && !is_pending)
			go_on(v, e.remainder, a[i] / 2, t, (struct edge){self, e.weight, s, 0});
	}
}

// The productions that s reduces, each once, and under what: found when s is first on top of a variable.
static uint32_t reductions_of(struct solver *v, lr_state s)
{
	if (v->first_reduction[s]) return v->first_reduction[s] - 1;
	uint32_t words = COSTS_LOOK_WORDS(v->lr->n_terminals), n_cells, n;
	const struct lr_cell *cell = lr_row(&v->lr->action, s, &n_cells);
	const uint32_t first = v->reductions.n;
	vec_clear(&v->looks);
	for (uint32_t c = 0; c < n_cells; c++) {
		const uint32_t *a = lr_actions_of(v->lr, &cell[c].to, &n);
		const terminal_id t = cell[c].by;
		for (uint32_t i = 0; i < n; i++) {
			if (a[i] >= ACTION_SKIP || a[i] & 1) continue;
			uint32_t p = a[i] / 2, k = first;
			while (k < v->reductions.n && v->reductions.at[k].production != p) k++;
			if (k == v->reductions.n) {
				vec_push(&v->reductions, ((struct state_reduction){.production = p}));
				for (uint32_t w = 0; w < words; w++) vec_push(&v->looks, 0);
			}
			bits_set(v->looks.at + (size_t)(k - first) * words, t == v->lr->n_terminals ? COSTS_END_BIT(words) : t);
		}
	}
	for (uint32_t k = first; k < v->reductions.n; k++)
		v->reductions.at[k].look = cost_rows_look(v->rows, v->looks.at + (size_t)(k - first) * words, words);
	vec_push(&v->reductions, (struct state_reduction){0});
	v->first_reduction[s] = first + 1;
	return first;
}

static void expand(struct solver *v, uint32_t self)
{
	struct variable x = v->vars.at[self];
	if (x.lhs != COSTS_NONE && x.lhs >= BEHIND_END) {
		expand_behind(v, self);
		return;
	}
	if (x.lhs != COSTS_NONE) {
		add_edge(v, solver_variable(v, x.row, COSTS_NONE, lr_goto(v->lr, x.s, x.lhs), x.capacity),
		         (struct edge){self, 0, x.s, 0});
		return;
	}
	uint32_t n;
	const struct cost_emit *e = cost_row(v->rows, x.row, &n);  // stays where it is when rows are added
	for (uint32_t i = 0; i < n; i++) expand_emit(v, self, e[i]);
	for (uint32_t k = reductions_of(v, x.s); v->reductions.at[k].production; k++) {
		const struct lr_production p = v->lr->production[v->reductions.at[k].production - 1];
		const row_id row = cost_row_restrict(v->rows, x.row, v->reductions.at[k].look);
		if (!row) continue;
		if (p.length) {
			relax(v, self, add_way(v, (struct way){p.length, p.lhs, row}), 0, 0);
		} else if (lr_goto(v->lr, x.s, p.lhs)) {
			add_edge(v, solver_variable(v, row, COSTS_NONE, lr_goto(v->lr, x.s, p.lhs), x.capacity),
			         (struct edge){self, 0, x.s, 0});
		}
	}
}

// Is there a fact that is never dearer?
static bool is_beaten(struct solver *v, uint32_t var, uint32_t way, uint32_t weight)
{
	if (way == TRANSITION_END) return false;
	struct way mine = solver_way(v, way);
	for (uint32_t i = v->vars.at[var].transitions.first; i; i = v->transitions.at[i].next) {
		struct transition f = v->transitions.at[i].x;
		if (f.way == TRANSITION_END) return true;  // and it came first
		struct way other = solver_way(v, f.way);
		if (other.pop != mine.pop || other.lhs != mine.lhs) continue;
		uint32_t excess = cost_row_excess(v->rows, other.row, mine.row);
		if (excess != COSTS_NONE && f.weight + excess <= weight) return true;
	}
	return false;
}

static void settle(struct solver *v, struct job j, uint32_t weight)
{
	uint64_t key = (uint64_t)j.var << 32 | j.way, here = (uint64_t)weight << 3 | j.needs << 1;
	if (map64_get(&v->best, key) != here) return;  // a better one came, or it is settled
	map64_put(&v->best, key, here | 1);
	if (is_beaten(v, j.var, j.way, weight)) return;
	const struct transition f = {j.way, weight, j.needs};
	struct link_list *list = &v->vars.at[j.var].transitions;
	vec_push(&v->transitions, (struct transition_link){.x = f});
	const uint32_t last = v->transitions.n - 1;
	*(list->first ? &v->transitions.at[list->last].next : &list->first) = last;
	list->last = last;
	v->vars.at[j.var].needs |= j.needs;
	v->n_transitions++;
	for (uint32_t i = v->vars.at[j.var].edges.first, next; i; i = next) {
		next = v->edges.at[i].next;
		if (next) map64_expect(&v->best, (uint64_t)v->edges.at[next].x.to << 32 | f.way);
		pass(v, f, v->edges.at[i].x);
	}
}

static void expand_fresh(struct solver *v)
{
	while (v->fresh.n) {
		uint32_t var = vec_pop(&v->fresh);
		expand(v, var);
	}
}

bool solver_run(struct solver *v)
{
	expand_fresh(v);
	for (uint32_t w = 0; w <= v->most;) {
		if (!v->buckets.at[w].n) {
			w++;
			continue;
		}
		struct job j = vec_pop(&v->buckets.at[w]);
		v->least = w;
		settle(v, j, w);
		expand_fresh(v);
		// A variable that is asked for only now begins anew; what it gives to older ones is not below w.
		w = v->least;
		if (v->n_transitions > v->max_transitions || v->vars.n > v->max_transitions) return false;
	}
	v->most = 0;
	return true;
}

bool solver_has_capacity(struct solver *v)
{
	for (uint32_t i = 0; i < v->inside.n; i += 2) {
		uint32_t less = v->inside.at[i + 1];
		const struct variable *more = &v->vars.at[v->inside.at[i]];
		for (uint32_t k = more->transitions.first; k; k = v->transitions.at[k].next) {
			struct transition f = v->transitions.at[k].x;
			uint64_t known = map64_get(&v->best, (uint64_t)less << 32 | f.way);
			if ((known == MAP64_NONE || known >> 3 > f.weight) && !is_beaten(v, less, f.way, f.weight)) return false;
		}
	}
	return true;
}

void solver_release(struct solver *v)
{
	for (uint32_t w = 0; w < v->buckets.n; w++) vec_release(&v->buckets.at[w]);
	vec_release(&v->buckets);
	vec_release(&v->vars);
	vec_release(&v->fresh);
	vec_release(&v->looks);
	vec_release(&v->reductions);
	free(v->first_reduction);
	vec_release(&v->inside);
	vec_release(&v->edges);
	vec_release(&v->transitions);
	intern_release(&v->goals);
	map64_release(&v->var_of);
	intern_release(&v->ways);
	vec_release(&v->way_of);
	map64_release(&v->best);
}
