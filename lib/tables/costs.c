// What every stack costs: what can be asked of frames, and the answers as tables.
//
// In:  rows (costs_rows.c), LR tables. Out: questions and their answers, for every frame that can be asked.
// Questions begin with what a pending lexeme can leave on any top. Each is a variable of the solver (costs_solve.c),
// whose facts are the answer; and facts ask questions of the frames below. So all is solved again until there are no
// new ones. Where columns can be opened in one another there is an answer for each capacity, and as many capacities as
// change anything. Cost: the solver's; a tenth of a second for whole languages in the aligned model.
#include "costs_solve.h"

// --- What can be asked ----------------------------------------------------------------------------------------------

// A question to a frame: a remainder (lhs COSTS_NONE), or a goal.
struct control {
	uint32_t remainder_or_row, lhs;
};

struct asked {
	uint32_t control;
	lr_state s;
};

struct want {
	uint32_t way;
	lr_state s;
};

struct asker {
	struct solver *v;
	struct intern controls;  // struct control
	struct map64 is_asked;   // question, s
	VEC(struct asked) asked;
	VEC(uint32_t) var_of;  // [asked * capacities] variable
	VEC(uint32_t) seen;    // [asked * capacities] the last of its facts that has been followed; 0: none
	uint32_t n_whole;      // asked in smaller capacities, too
	struct map64 wanted;   // way, s: the way is taken with s on top
	VEC(struct want) todo;
};

static uint32_t variable_of(struct solver *v, struct control q, lr_state s, uint32_t capacity)
{
	return q.lhs == COSTS_NONE ? solver_resume(v, q.remainder_or_row, s, capacity)
	                           : solver_variable(v, q.remainder_or_row, q.lhs, s, capacity);
}

// Is this pair new?
static bool is_first(struct map64 *met, uint32_t a, uint32_t b)
{
	const uint64_t key = (uint64_t)a << 32 | b;
	if (map64_get(met, key) != MAP64_NONE) return false;
	map64_put(met, key, 0);
	return true;
}

static uint32_t control_number(struct asker *a, struct control q)
{
	return intern_add(&a->controls, &q, sizeof q, NULL);
}

// There is something to ask, q, whose number is k: in every capacity, or (shares) in the greatest first.
static void transition(struct asker *a, struct control q, uint32_t k, lr_state s)
{
	struct solver *v = a->v;
	if (!is_first(&a->is_asked, k, s)) return;
	vec_push(&a->asked, ((struct asked){k, s}));
	for (uint32_t capacity = 0; capacity <= v->top_capacity; capacity++) {
		uint32_t var = v->shares && capacity < v->top_capacity ? COSTS_NONE : variable_of(v, q, s, capacity);
		vec_push(&a->var_of, var);
		vec_push(&a->seen, 0);
	}
}

// All is solved that was asked: now in smaller capacities.
static void continuation_smaller(struct asker *a)
{
	struct solver *v = a->v;
	v->n_solved = v->vars.n;
	for (; a->n_whole < a->asked.n; a->n_whole++) {
		const struct asked x = a->asked.at[a->n_whole];
		struct control q;
		memcpy(&q, intern_get(&a->controls, x.control, NULL), sizeof q);
		for (uint32_t capacity = 0; capacity < v->top_capacity; capacity++)
			a->var_of.at[a->n_whole * (v->top_capacity + 1) + capacity] = variable_of(v, q, x.s, capacity);
	}
	for (uint32_t i = 0; i < v->inside.n; i += 2) {
		struct variable x = v->vars.at[v->inside.at[i]];
		if (v->inside.at[i + 1] == COSTS_NONE)
			v->inside.at[i + 1] = solver_variable(v, x.row, x.lhs, x.s, v->top_capacity - 1);
	}
}

// t: what has been pushed, or COSTS_NONE. A newline that is pending asks when its column has been settled.
static void continuation_remainder(struct asker *a, remainder_id remainder, lr_state s, uint32_t t)
{
	uint32_t var = solver_behind(a->v, remainder, s, t, a->v->top_capacity), kind = COSTS_NONE;
	if (var != COSTS_NONE)
		kind = a->v->vars.at[var].lhs, remainder = a->v->vars.at[var].row;
	else if (remainder_is_end(remainder) || solver_resume(a->v, remainder, s, a->v->top_capacity) == COSTS_NONE)
		return;
	const struct control q = {remainder, kind};
	transition(a, q, control_number(a, q), s);
}

// What a pending lexeme can leave on any top.
static void continuation_first(struct asker *a)
{
	struct solver *v = a->v;
	struct intern seen = {0};
	for (lex_state q = 1; q < v->lexer->n_states; q++) {
		uint32_t n;
		const struct cost_emit *e = cost_row(v->rows, v->rows->of_state[q], &n);
		for (uint32_t i = 0; i < n; i++)
			if (e[i].terminal != COSTS_NONE) intern_add(&seen, &e[i], 8, NULL);
	}
	for (uint32_t k = 0; k < seen.entries.n; k++) {
		uint32_t pair[2];
		memcpy(pair, intern_get(&seen, k, NULL), sizeof pair);
		const bool is_alone = pair[0] == v->rows->pending_line || v->lexer->is_ignored[pair[0]];
		for (lr_state s = LR_BOTTOM; s < v->lr->n_states && is_alone; s++)
			continuation_remainder(a, pair[1], s, COSTS_NONE);
		for (uint32_t i = v->lr->step_at[pair[0]]; i < v->lr->step_at[pair[0] + 1] && !is_alone; i++) {
			const struct lr_step x = v->lr->step[i];
			if (x.action == ACTION_SKIP)
				continuation_remainder(a, pair[1], x.from, COSTS_NONE);
			else
				continuation_remainder(a, pair[1], x.action / 2, pair[0]);
		}
	}
	for (lr_state s = LR_BOTTOM; s < v->lr->n_states && v->columns; s++)
		continuation_remainder(a, REMAINDER_END, s, COSTS_NONE);
	intern_release(&seen);
}

// The way is taken with s on top: what is below may be any state that can lie there.
static void want(struct asker *a, uint32_t way, lr_state s)
{
	struct solver *v = a->v;
	vec_push(&a->todo, ((struct want){way, s}));
	while (a->todo.n) {
		struct want t = vec_pop(&a->todo);
		if (!is_first(&a->wanted, t.way, t.s)) continue;
		const struct way x = solver_way(v, t.way);
		const struct control goal = {x.row, x.lhs};
		const uint32_t next = x.pop > 1 ? solver_shorter(v, t.way) : 0;
		uint32_t k = INTERN_NONE;
		for (uint32_t i = v->lr->pred_at[t.s]; i < v->lr->pred_at[t.s + 1]; i++) {
			lr_state p = v->lr->pred[i];
			if (x.pop > 1)
				vec_push(&a->todo, ((struct want){next, p}));
			else if (lr_goto(v->lr, p, x.lhs)) {
				if (k == INTERN_NONE) k = control_number(a, goal);
				transition(a, goal, k, p);
			}
		}
	}
}

// The facts of a variable that have not been followed yet. Were there any?
static bool follow(struct asker *a, uint32_t place, lr_state s)
{
	const struct solver *v = a->v;
	const uint32_t var = a->var_of.at[place];
	if (var == COSTS_NONE) return false;
	bool any = false;
	for (;;) {
		uint32_t *seen = &a->seen.at[place];
		const uint32_t next = *seen ? v->transitions.at[*seen].next : v->vars.at[var].transitions.first;
		if (!next) return any;
		*seen = next;
		const uint32_t way = v->transitions.at[next].x.way;
		if (way != TRANSITION_END) want(a, way, s), any = true;
	}
}

static bool summarize_all(struct asker *a)
{
	struct solver *v = a->v;
	continuation_first(a);
	for (;;) {
		if (!solver_run(v)) return false;
		const uint32_t n = a->asked.n, capacities = v->top_capacity + 1;
		bool any = false;
		for (uint32_t i = 0; i < n * capacities; i++) any |= follow(a, i, a->asked.at[i / capacities].s);
		if (!any && a->asked.n == n) {
			bool is_whole =
				!v->shares || (a->n_whole == n && (!v->inside.n || v->inside.at[v->inside.n - 1] != COSTS_NONE));
			if (is_whole) return true;
			continuation_smaller(a);
		}
		if (v->vars.n > v->max_transitions) return false;
	}
}

// --- Out ------------------------------------------------------------------------------------------------------------

typedef VEC(struct cost_step) step_list;
// The number of a variable's list; steps: capacity to work in.
static uint32_t write_list(struct asker *a, uint32_t var, const uint32_t *number, struct intern *lists,
                           step_list *steps)
{
	struct solver *v = a->v;
	struct costs *out = v->out;
	uint32_t final = COSTS_NONE;
	vec_clear(steps);
	for (uint32_t i = v->vars.at[var].transitions.first; i; i = v->transitions.at[i].next) {
		struct transition f = v->transitions.at[i].x;
		if (f.way == TRANSITION_END) {
			final = f.weight;
			continue;
		}
		struct way w = solver_way(v, f.way);
		uint32_t q = intern_find(&a->controls, &(struct control){w.row, w.lhs}, sizeof(struct control));
		if (q != INTERN_NONE) vec_push(steps, ((struct cost_step){w.pop, number[q], f.weight}));
	}
	cost_steps_sort(steps->at, steps->n);
	// A list is known by its steps and its end together.
	vec_push(steps, ((struct cost_step){0, 0, final}));
	bool is_new;
	uint32_t list = intern_add(lists, steps->at, steps->n * sizeof *steps->at, &is_new);
	if (is_new) {
		vec_push(&out->lists, ((struct cost_list){final, out->steps.n, steps->n - 1}));
		for (uint32_t i = 0; i + 1 < steps->n; i++) vec_push(&out->steps, steps->at[i]);
	}
	return list;
}

// The least capacity that answers as the greatest does is the greatest.
static void find_capacities(struct costs *out, uint32_t top)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < out->low.n; i++)
		if (out->low.at[i].capacity && out->low.at[i].capacity + 1 > n) n = out->low.at[i].capacity + 1;
	out->top_capacity = top ? n ? n : 1 : 0;
	cost_lows_sort(out->low.at, out->low.n);
	for (uint32_t i = 1; i < out->low.n; i++) ASSERT(cost_low_compare(&out->low.at[i - 1], &out->low.at[i]) < 0);
}

static void write_out(struct asker *a)
{
	struct solver *v = a->v;
	struct costs *out = v->out;
	uint32_t n_controls = a->controls.entries.n, *number = mem_calloc(n_controls + 1, sizeof *number);
	VEC(struct control) all = {0};
	for (uint32_t k = 0; k < n_controls; k++) {
		vec_push(&all, ((struct control){0, 0}));
		memcpy(&all.at[k], intern_get(&a->controls, k, NULL), sizeof *all.at);
		if (all.at[k].lhs < BEHIND_END) continue;
		number[k] = out->n_resumes++;
		map64_put(&out->resume_of, (uint64_t)all.at[k].remainder_or_row << 32 | all.at[k].lhs, number[k]);
	}
	uint32_t next = out->n_resumes;
	for (uint32_t k = 0; k < n_controls; k++)
		if (all.at[k].lhs < BEHIND_END) number[k] = next++;
	out->n_controls = next;
	struct intern lists = {0};
	step_list steps = {0};
	uint32_t capacities = v->top_capacity + 1;
	for (uint32_t k = 0; k < a->asked.n; k++) {
		const struct asked x = a->asked.at[k];
		uint32_t list = 0;
		for (uint32_t capacity = capacities; capacity-- > 0;) {
			uint32_t here = write_list(a, a->var_of.at[k * capacities + capacity], number, &lists, &steps);
			if (capacity == v->top_capacity)
				vec_push(&out->transitions, ((struct cost_transition){x.s, number[x.control], list = here}));
			else if (here != list)
				vec_push(&out->low, ((struct cost_low){capacity, x.s, number[x.control], here}));
		}
	}
	find_capacities(out, v->top_capacity);
	cost_transitions_sort(out->transitions.at, out->transitions.n);
	for (uint32_t i = 1; i < out->transitions.n; i++)
		ASSERT(cost_transition_compare(&out->transitions.at[i - 1], &out->transitions.at[i]) < 0);
	vec_release(&steps);
	vec_release(&all);
	intern_release(&lists);
	free(number);
}

// With this many columns that can be opened in one another. *enough: more would not change anything.
static bool build_nested(enum cost_model model, const struct cost_inputs *in, uint32_t nested, struct costs *out,
                         bool *enough)
{
	const struct lexer *lexer = in->lexer;
	struct solver v = {.out = out,
	                   .rows = &out->rows,
	                   .lexer = lexer,
	                   .lr = in->lr,
	                   .columns = lexer->indentation,
	                   .top_capacity = lexer->indentation ? nested + 1 : 0,
	                   .shares = lexer->indentation && nested == 1,
	                   .max_transitions = model == COSTS_EXACT    ? COSTS_EXACT_MAX_TRANSITIONS
	                                      : model == COSTS_JOINED ? COSTS_JOINED_MAX_TRANSITIONS
	                                                              : COSTS_MAX_TRANSITIONS};
	solver_init(&v);
	struct asker a = {.v = &v};
	bool ok = summarize_all(&a);
	*enough = ok && solver_has_capacity(&v);
	if (ok && (*enough || nested == COSTS_MAX_NESTED)) write_out(&a);
	out->n_transitions = v.n_transitions;
	intern_release(&a.controls);
	map64_release(&a.is_asked);
	map64_release(&a.wanted);
	vec_release(&a.todo);
	vec_release(&a.asked);
	vec_release(&a.var_of);
	vec_release(&a.seen);
	solver_release(&v);
	return ok;
}

static bool build(enum cost_model model, const struct cost_inputs *in, struct walker *w, struct costs *out)
{
	cost_rows_init(&out->rows, in->lexer, in->lr->n_terminals, w, model, in->max_column);
	bool enough = false, ok = true;
	for (uint32_t nested = 1; ok && !enough && nested <= COSTS_MAX_NESTED; nested *= 2)
		ok = build_nested(model, in, nested, out, &enough);
	out->rows.capped |= !enough;  // what needs more has no price
	out->model = !ok ? COSTS_OFF : model == COSTS_JOINED ? COSTS_ALIGNED : model;
	if (!ok) costs_release(out);
	return ok;
}

// Is there a price wherever the text is viable, by how the tables are made? Where single bytes decide what is viable,
// tokens of single bytes spell every way to the end, and they end where lexemes end: the aligned model has them, too.
// Else tokens decide, and the exact model has all of those. Columns have a limit, that the runtime looks at; and a text
// that ends with an indented line of blanks alone is not in the tables.
static bool is_complete(const struct costs *c, const struct cost_inputs *in)
{
	const struct lr *lr = in->lr;
	if (c->rows.capped) return false;
	for (lr_state s = LR_BOTTOM; s < lr->n_states && in->lexer->indentation;
	     s++) {  // a line to come ends the text at its begin
		uint32_t n, one;
		const uint32_t *a = lr_actions(lr, s, in->lexer->indentation->indent, &n, &one);
		for (uint32_t i = 0; i < n; i++)
			if (!ACTION_IS_SHIFT(a[i]) || a[i] == ACTION_SKIP)
				continue;
			else if (lr_viable(lr, a[i] / 2, lr->n_terminals) ||
			         lr_viable(lr, a[i] / 2, in->lexer->indentation->dedent))
				return false;
	}
	return in->by_bytes || c->model == COSTS_EXACT;
}

// One model. False: it passes its limit.
static bool build_as(enum cost_model model, const struct cost_inputs *in, struct costs *out)
{
	struct walker w;
	walker_init(&w, in->lexer, in->trie, NULL);
	for (uint32_t i = 0; i < in->n_known; i++) walker_learn(&w, in->known[i]);
	bool ok = build(model, in, &w, out);
	if (ok) out->is_total = is_complete(out, in) || costs_are_total(out, in->lr, in->live);
	walker_release(&w);
	out->rows.walker = NULL;
	return ok;
}

// *out becomes another model, unless that passes its limit.
static bool build_instead(enum cost_model model, const struct cost_inputs *in, struct costs *out)
{
	struct costs other = {0};
	if (!build_as(model, in, &other)) return false;
	costs_release(out);
	*out = other;
	return true;
}

// The aligned model is small where the exact one is worth trying, and tells whether it is, or a joined one.
static void build_best(enum cost_model wanted, const struct cost_inputs *in, struct costs *out)
{
	bool ok = build_as(COSTS_ALIGNED, in, out);
	bool lacks_some = ok && !out->is_total && !in->by_bytes;  // some text ends only by tokens that span terminals
	if (in->lexer->indentation || !ok) return;
	const bool may_be_exact = (wanted == COSTS_EXACT || lacks_some) && out->n_transitions <= COSTS_EXACT_MAX_ALIGNED;
	if (may_be_exact && build_instead(COSTS_EXACT, in, out)) return;
	if (in->joins && out->n_transitions <= COSTS_JOINED_MAX_ALIGNED) build_instead(COSTS_JOINED, in, out);
}

void costs_build(enum cost_model wanted, const struct cost_inputs *in, struct costs *out)
{
	*out = (struct costs){0};
	if (wanted == COSTS_OFF) return;
	build_best(wanted, in, out);
	costs_merge(out);
	out->is_far = out->model == COSTS_EXACT && out->rows.capped;                       // ways are left out
	if (out->model == COSTS_EXACT && out->rows.by_number) out->model = COSTS_ALIGNED;  // costs_tight.c: a bound
	if (out->is_far) out->model = COSTS_ALIGNED;
	out->gave_up_exact = wanted == COSTS_EXACT && out->model != COSTS_EXACT;
}

bool costs_build_aligned(const struct cost_inputs *in, struct costs *out)
{
	*out = (struct costs){0};
	return build_as(COSTS_ALIGNED, in, out);
}

void costs_build_groups(const struct cost_inputs *in, struct tokensets *sets, struct costs *out)
{
	if (out->model == COSTS_OFF) return;
	struct walker w;
	walker_init(&w, in->lexer, in->trie, sets);
	for (uint32_t i = 0; i < in->n_known; i++) walker_learn(&w, in->known[i]);
	cost_groups_build(out, in, &w);
	walker_release(&w);
}

uint32_t costs_control(const struct costs *c, struct cost_emit e)
{
	const struct indentation *columns = c->rows.lexer->indentation;
	uint32_t kind = COSTS_NONE;
	remainder_id remainder = e.remainder;
	if (remainder_is_end(remainder))
		remainder = REMAINDER_END, kind = BEHIND_END;
	else if (columns && e.terminal == columns->newline &&
	         map64_get(&c->resume_of, (uint64_t)remainder << 32 | BEHIND_LINE) != MAP64_NONE)
		kind = BEHIND_LINE;
	uint64_t known = map64_get(&c->resume_of, (uint64_t)remainder << 32 | kind);
	return known == MAP64_NONE ? COSTS_NONE : (uint32_t)known;
}

void costs_release(struct costs *c)
{
	cost_rows_release(&c->rows);
	cost_groups_release(&c->groups);
	map64_release(&c->resume_of);
	vec_release(&c->lists);
	vec_release(&c->steps);
	vec_release(&c->transitions);
	vec_release(&c->low);
	*c = (struct costs){0};
}
