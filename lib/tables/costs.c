// What every stack costs, by saturation in the order of weights.
//
// In:  rows (costs_rows.c), LR tables. Out: questions and their answers, for every frame that can be asked.
// A *variable* is (row, lr_state): a lexeme of this row comes, with that state on top; or (goal, lr_state): a nonterminal
// is complete on that frame. Its *facts* are ways to go on: to the end of the text, or so many frames down to a goal, each
// with its fewest tokens. A variable's facts come to others over edges: as they are, or through the frame that was pushed.
// A lexeme of the row is pushed where it can be shifted. A reduction is done before the lookahead is known: the row then
// keeps what it may be. Ignored lexemes come before reductions only, as the lexer decides by the context of the top.
// Facts are settled from the cheapest on (Dijkstra, Knuth), so each is settled once; one that another of its variable beats,
// whatever follows, is dropped. Then all is done again for the questions that the answers ask of the frames below, until
// there are no new ones.
// With columns a variable has a *room*, too: how many columns more can be opened where its top is (costs.h). An indent leads to
// one less, a dedent to one more; a frame that was pushed on keeps the room of what it was pushed from.
// Most answers are the same in all rooms. So where one indent inside another is never needed the greatest room is solved first, as if there
// was no limit; facts know what they count on (OPENS, BEGINS), and a variable whose facts do without is that of smaller rooms, too.
// Cost: facts x edges x rooms; a tenth of a second for whole languages in the aligned model.
#include "costs.h"

#include "../../formats/artifact.h"

// In place of a goal: rows are rests.
#define BEHIND_LINE (COSTS_NONE - 1)
#define BEHIND_DEDENT (COSTS_NONE - 2)
#define BEHIND_END (COSTS_NONE - 3)

#define FACT_END 0u   // way 0: the text ends, nothing below is looked at

struct way { uint32_t pop, lhs, row; };   // frames to take off, the top counted; then lhs is complete
// What a fact counts on: a column is opened; a line begins in the column that is open.
enum { OPENS = 1, BEGINS = 2 };
struct edge { uint32_t to, weight, frame, needs; };  // frame 0: facts as they are; else through that frame
struct fact { uint32_t way, weight, needs; };

struct variable {
	uint32_t row, lhs;   // lhs COSTS_NONE: no goal
	lr_state s;
	uint32_t room, needs;   // needs: of any fact
	VEC(struct edge) edges;
	VEC(struct fact) facts;   // settled
};

struct job { uint32_t var, way, needs; };
typedef VEC(struct job) job_list;

struct solver {
	struct costs *out;
	struct cost_rows *rows;
	const struct lexer *lexer;
	const struct lr *lr;
	const struct indentation *columns;
	uint32_t max_facts;
	uint32_t top_room;           // the greatest room; 0 without columns
	bool shares;                 // smaller rooms take over variables of the greatest, of these that are solved
	uint32_t n_solved;
	struct intern keys;          // {row, lhs, s, room}
	VEC(struct variable) vars;
	VEC(uint32_t) fresh;         // variables not expanded yet
	struct intern ways;          // struct way; 0: FACT_END
	struct map64 best;           // variable, way -> weight << 3 | needs << 1 | settled
	job_list *bucket;   // [COSTS_MAX_WEIGHT + 1]
	uint32_t most, least;        // highest bucket in use; lowest that something was added to
	uint64_t n_facts;
	VEC(bits) looks;             // of a state's reductions
	VEC(uint32_t) productions;
	VEC(uint32_t) inside;        // pairs of variables: behind an indent with the greatest room, and with one less (or NONE yet)
};

static uint32_t variable(struct solver *v, row_id row, uint32_t lhs, lr_state s, uint32_t room)
{
	bool is_new;
	if (v->shares && room < v->top_room) {
		uint32_t top = intern_find(&v->keys, (uint32_t[]){row, lhs, s, v->top_room}, 16);
		if (top != INTERN_NONE && top < v->n_solved && !(v->vars.at[top].needs & (room ? OPENS : OPENS | BEGINS))) return top;
	}
	uint32_t i = intern_add(&v->keys, (uint32_t[]){row, lhs, s, room}, 16, &is_new);
	if (is_new) {
		vec_push(&v->vars, ((struct variable){.row = row, .lhs = lhs, .s = s, .room = room}));
		vec_push(&v->fresh, i);
	}
	return i;
}

static void relax(struct solver *v, uint32_t var, uint32_t way, uint32_t weight, uint32_t needs)
{
	uint64_t key = (uint64_t)var << 32 | way, known = map64_get(&v->best, key);
	v->rows->capped |= weight > COSTS_MAX_WEIGHT;
	if (weight > COSTS_MAX_WEIGHT || (known != MAP64_NONE && known >> 3 < weight)) return;
	if (known != MAP64_NONE && known >> 3 == weight && (known & 1 || !((known >> 1 & 3) & ~(uint64_t)needs))) return;
	map64_put(&v->best, key, (uint64_t)weight << 3 | needs << 1);
	vec_push((&v->bucket[weight]), ((struct job){var, way, needs}));
	if (weight > v->most) v->most = weight;
	if (weight < v->least) v->least = weight;
}

static void add_edge(struct solver *v, uint32_t from, struct edge e);

// A fact goes over an edge.
static void pass(struct solver *v, struct fact f, struct edge e)
{
	uint32_t weight = f.weight + e.weight, needs = f.needs | e.needs;
	if (!e.frame || f.way == FACT_END) {
		relax(v, e.to, f.way, weight, needs);
		return;
	}
	struct way x;
	memcpy(&x, intern_get(&v->ways, f.way, NULL), sizeof x);
	if (x.pop > 1) {
		x.pop--;
		relax(v, e.to, intern_add(&v->ways, &x, sizeof x, NULL), weight, needs);
	} else if (lr_goto(v->lr, e.frame, x.lhs)) {
		add_edge(v, variable(v, x.row, x.lhs, e.frame, v->vars.at[e.to].room), (struct edge){e.to, weight, 0, needs});
	}
}

static void add_edge(struct solver *v, uint32_t from, struct edge e)
{
	v->rows->capped |= e.weight > COSTS_MAX_WEIGHT;
	if (e.weight > COSTS_MAX_WEIGHT) return;
	const struct variable *x = &v->vars.at[from];
	for (uint32_t i = 0; i < x->edges.n && i < 64; i++)
		if (x->edges.at[i].to == e.to && x->edges.at[i].frame == e.frame && x->edges.at[i].weight <= e.weight && !(x->edges.at[i].needs & ~e.needs)) return;
	vec_push(&v->vars.at[from].edges, e);
	for (uint32_t i = 0; i < v->vars.at[from].facts.n; i++) pass(v, v->vars.at[from].facts.at[i], e);
}

// The variable of a lexeme that begins with `rest` unread and s on top; COSTS_NONE: there is none.
static uint32_t resume(struct solver *v, rest_id rest, lr_state s, uint32_t room)
{
	lex_state q = v->lexer->start[walker_residue(v->rows->walker, rest) * v->lexer->n_contexts + v->lr->context_of[s]];
	if (q == LEX_DEAD) return COSTS_NONE;
	return variable(v, cost_row_of_rest(v->rows, rest, q, v->lr->context_of[s]), COSTS_NONE, s, room);
}

// A variable for a rest behind a newline that decides columns (BEHIND_LINE) or behind what such a one made
// (BEHIND_DEDENT); or for the end of the text (BEHIND_END), where a dedent comes for each open column. COSTS_NONE: not so.
static uint32_t behind(struct solver *v, rest_id rest, lr_state top, uint32_t t, uint32_t room)
{
	if (!v->columns) return COSTS_NONE;
	if (rest_is_end(rest)) return variable(v, REST_END, BEHIND_END, top, room);
	if (!walker_is_line(v->rows->walker, rest)) return COSTS_NONE;
	if (t == v->columns->newline) return variable(v, rest, BEHIND_LINE, top, room);
	return t == v->columns->dedent ? variable(v, rest, BEHIND_DEDENT, top, room) : COSTS_NONE;
}

// The rest is unread on `top`, which lies on the frame that edge e leads through (or is its frame). t has been shifted, or
// COSTS_NONE.
static void go_on(struct solver *v, rest_id rest, lr_state top, uint32_t t, struct edge e)
{
	uint32_t room = v->vars.at[e.to].room;
	if (v->columns && t == v->columns->indent) {
		if (room <= 1) return;
		e.needs |= OPENS;
		if (v->shares && room == v->top_room) {
			uint32_t from = rest_is_end(rest) ? COSTS_NONE : resume(v, rest, top, room);
			if (from != COSTS_NONE) {
				vec_push(&v->inside, from);
				vec_push(&v->inside, COSTS_NONE);
				add_edge(v, from, e);
			}
			return;
		}
		room--;
		uint32_t more = room + 1 == v->top_room ? resume(v, rest, top, room + 1) : COSTS_NONE;
		if (more != COSTS_NONE) {
			uint32_t less = resume(v, rest, top, room);
			vec_push(&v->inside, more);
			vec_push(&v->inside, less);
		}
	} else if (v->columns && t == v->columns->dedent && room < v->top_room) {
		room++;   // at least
	}
	uint32_t from = behind(v, rest, top, t, room);
	if (from == COSTS_NONE && rest_is_end(rest)) {
		if (lr_viable(v->lr, top, v->lr->n_terminals)) relax(v, e.to, FACT_END, e.weight, e.needs);
		return;
	}
	if (from == COSTS_NONE) from = resume(v, rest, top, room);
	if (from != COSTS_NONE) add_edge(v, from, e);
}

static void expand_behind(struct solver *v, uint32_t self)
{
	struct variable x = v->vars.at[self];
	struct edge same = {self, 0, 0, 0};
	if (x.lhs == BEHIND_END) {
		if (lr_viable(v->lr, x.s, v->lr->n_terminals)) relax(v, self, FACT_END, 0, 0);
	} else if (x.room || !v->top_room) {   // else no blanks are priced that lead to this column
		uint32_t from = resume(v, x.row, x.s, x.room);
		if (from != COSTS_NONE) add_edge(v, from, (struct edge){self, 0, 0, BEGINS});
	}
	for (uint32_t t = v->columns->dedent, k = 0; k < 2; t = v->columns->indent, k++) {
		if (k && (x.lhs != BEHIND_LINE || x.room <= 1)) break;
		add_edge(v, variable(v, cost_row_of(v->rows, (struct cost_emit){t, x.row, 0}), COSTS_NONE, x.s, x.room), same);
	}
}

// A lexeme of the variable's row ends as t on its top.
static void expand_emit(struct solver *v, uint32_t self, struct cost_emit e)
{
	lr_state s = v->vars.at[self].s;
	bool is_pending = e.terminal == v->rows->pending_line;   // no column is known: only if it is ignored
	terminal_id t = is_pending ? v->columns->newline : e.terminal;
	if (t == COSTS_NONE || v->lexer->is_ignored[t]) {
		go_on(v, e.rest, s, COSTS_NONE, (struct edge){self, e.weight, 0, 0});
		return;
	}
	uint32_t n, one;
	const uint32_t *a = lr_actions(v->lr, s, t, &n, &one);
	for (uint32_t i = 0; i < n; i++) {
		if (a[i] == ACTION_SKIP) go_on(v, e.rest, s, COSTS_NONE, (struct edge){self, e.weight, 0, 0});
		else if (ACTION_IS_SHIFT(a[i]) && !is_pending) go_on(v, e.rest, a[i] / 2, t, (struct edge){self, e.weight, s, 0});
	}
}

// The productions that s reduces, each once, and under what.
static void find_reductions(struct solver *v, lr_state s)
{
	uint32_t words = COSTS_LOOK_WORDS(v->lr->n_terminals);
	vec_clear(&v->productions);
	vec_clear(&v->looks);
	for (terminal_id t = 0; t <= v->lr->n_terminals; t++) {
		uint32_t n, one;
		const uint32_t *a = lr_actions(v->lr, s, t, &n, &one);
		for (uint32_t i = 0; i < n; i++) {
			if (a[i] >= ACTION_SKIP || a[i] & 1) continue;
			uint32_t p = a[i] / 2 - 1, k = 0;
			while (k < v->productions.n && v->productions.at[k] != p) k++;
			if (k == v->productions.n) {
				vec_push(&v->productions, p);
				for (uint32_t w = 0; w < words; w++) vec_push(&v->looks, 0);
			}
			bits_set(v->looks.at + (size_t)k * words, t == v->lr->n_terminals ? COSTS_END_BIT(words) : t);
		}
	}
}

static void expand(struct solver *v, uint32_t self)
{
	struct variable x = v->vars.at[self];
	if (x.lhs != COSTS_NONE && x.lhs >= BEHIND_END) {
		expand_behind(v, self);
		return;
	}
	if (x.lhs != COSTS_NONE) {
		add_edge(v, variable(v, x.row, COSTS_NONE, lr_goto(v->lr, x.s, x.lhs), x.room), (struct edge){self, 0, x.s, 0});
		return;
	}
	uint32_t n, words = COSTS_LOOK_WORDS(v->lr->n_terminals);
	cost_row(v->rows, x.row, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t same;
		expand_emit(v, self, cost_row(v->rows, x.row, &same)[i]);
	}
	find_reductions(v, x.s);
	for (uint32_t k = 0; k < v->productions.n; k++) {
		struct lr_production p = v->lr->production[v->productions.at[k]];
		row_id row = cost_row_restrict(v->rows, x.row, v->looks.at + (size_t)k * words, words);
		if (!row) continue;
		if (p.length) {
			struct way way = {p.length, p.lhs, row};
			relax(v, self, intern_add(&v->ways, &way, sizeof way, NULL), 0, 0);
		} else if (lr_goto(v->lr, x.s, p.lhs)) {
			add_edge(v, variable(v, row, COSTS_NONE, lr_goto(v->lr, x.s, p.lhs), x.room), (struct edge){self, 0, x.s, 0});
		}
	}
}

static struct way way_get(const struct solver *v, uint32_t way)
{
	struct way x;
	memcpy(&x, intern_get(&v->ways, way, NULL), sizeof x);
	return x;
}

// Is there a fact that is never dearer?
static bool is_beaten(struct solver *v, uint32_t var, uint32_t way, uint32_t weight)
{
	const struct variable *x = &v->vars.at[var];
	if (way == FACT_END) return false;
	struct way mine = way_get(v, way);
	for (uint32_t i = 0; i < x->facts.n; i++) {
		struct fact f = x->facts.at[i];
		if (f.way == FACT_END) return true;   // and it came first
		struct way other = way_get(v, f.way);
		if (other.pop != mine.pop || other.lhs != mine.lhs) continue;
		uint32_t excess = cost_row_excess(v->rows, other.row, mine.row);
		if (excess != COSTS_NONE && f.weight + excess <= weight) return true;
	}
	return false;
}

static void settle(struct solver *v, struct job j, uint32_t weight)
{
	uint64_t key = (uint64_t)j.var << 32 | j.way, here = (uint64_t)weight << 3 | j.needs << 1;
	if (map64_get(&v->best, key) != here) return;   // a better one came, or it is settled
	map64_put(&v->best, key, here | 1);
	if (is_beaten(v, j.var, j.way, weight)) return;
	struct fact f = {j.way, weight, j.needs};
	vec_push(&v->vars.at[j.var].facts, f);
	v->vars.at[j.var].needs |= j.needs;
	v->n_facts++;
	for (uint32_t i = 0; i < v->vars.at[j.var].edges.n; i++) pass(v, f, v->vars.at[j.var].edges.at[i]);
}

static void expand_fresh(struct solver *v)
{
	while (v->fresh.n) {
		uint32_t var = vec_pop(&v->fresh);
		expand(v, var);
	}
}

// Until nothing is left to settle; false: too many facts.
static bool solve(struct solver *v)
{
	expand_fresh(v);
	for (uint32_t w = 0; w <= v->most;) {
		if (!v->bucket[w].n) {
			w++;
			continue;
		}
		struct job j = vec_pop(&v->bucket[w]);
		v->least = w;
		settle(v, j, w);
		expand_fresh(v);
		// A variable that is asked for only now begins anew; what it gives to older ones is not below w.
		w = v->least;
		if (v->n_facts > v->max_facts || v->vars.n > v->max_facts) return false;
	}
	v->most = 0;
	return true;
}

// --- What can be asked ----------------------------------------------------------------------------------------------

// A question to a frame: a rest (lhs COSTS_NONE), or a goal.
struct question { uint32_t rest_or_row, lhs; };

struct asker {
	struct solver *v;
	struct intern questions;   // struct question
	struct intern asked;       // {question, s}
	VEC(uint32_t) var_of;      // [asked * rooms] variable
	VEC(uint32_t) n_seen;      // [asked * rooms] of its facts, how many have been followed
	uint32_t n_whole;          // asked in smaller rooms, too
	struct intern wanted;      // {way, s}: the way is taken with s on top
};

static uint32_t variable_of(struct solver *v, struct question q, lr_state s, uint32_t room)
{
	return q.lhs == COSTS_NONE ? resume(v, q.rest_or_row, s, room) : variable(v, q.rest_or_row, q.lhs, s, room);
}

// There is something to ask: in every room, or (shares) in the greatest first.
static void ask(struct asker *a, struct question q, lr_state s)
{
	bool is_new;
	struct solver *v = a->v;
	uint32_t k = intern_add(&a->questions, &q, sizeof q, NULL);
	intern_add(&a->asked, (uint32_t[]){k, s}, 8, &is_new);
	for (uint32_t room = 0; room <= v->top_room && is_new; room++) {
		uint32_t var = v->shares && room < v->top_room ? COSTS_NONE : variable_of(v, q, s, room);
		vec_push(&a->var_of, var);
		vec_push(&a->n_seen, 0);
	}
}

// All is solved that was asked: now in smaller rooms.
static void ask_smaller(struct asker *a)
{
	struct solver *v = a->v;
	v->n_solved = v->vars.n;
	for (; a->n_whole < a->asked.entries.n; a->n_whole++) {
		uint32_t key[2];
		struct question q;
		memcpy(key, intern_get(&a->asked, a->n_whole, NULL), sizeof key);
		memcpy(&q, intern_get(&a->questions, key[0], NULL), sizeof q);
		for (uint32_t room = 0; room < v->top_room; room++) a->var_of.at[a->n_whole * (v->top_room + 1) + room] = variable_of(v, q, key[1], room);
	}
	for (uint32_t i = 0; i < v->inside.n; i += 2) {
		struct variable x = v->vars.at[v->inside.at[i]];
		if (v->inside.at[i + 1] == COSTS_NONE) v->inside.at[i + 1] = variable(v, x.row, x.lhs, x.s, v->top_room - 1);
	}
}

// t: what has been pushed, or COSTS_NONE. A newline that is pending asks when its column has been settled.
static void ask_rest(struct asker *a, rest_id rest, lr_state s, uint32_t t)
{
	uint32_t var = behind(a->v, rest, s, t, a->v->top_room), kind = COSTS_NONE;
	if (var != COSTS_NONE) kind = a->v->vars.at[var].lhs, rest = a->v->vars.at[var].row;
	else if (rest_is_end(rest) || resume(a->v, rest, s, a->v->top_room) == COSTS_NONE) return;
	ask(a, (struct question){rest, kind}, s);
}

// What a pending lexeme can leave on any top.
static void ask_first(struct asker *a)
{
	struct solver *v = a->v;
	struct intern seen = {0};
	const row_id *rows[] = {v->rows->of_state, v->rows->among, v->rows->beside};
	for (uint32_t k = 0; k < 3 && rows[k]; k++)
		for (lex_state q = 1; q < v->lexer->n_states; q++) {
			uint32_t n;
			const struct cost_emit *e = cost_row(v->rows, rows[k][q], &n);
			for (uint32_t i = 0; i < n; i++)
				if (e[i].terminal != COSTS_NONE) intern_add(&seen, &e[i], 8, NULL);
		}
	for (uint32_t k = 0; k < seen.entries.n; k++) {
		uint32_t pair[2];
		memcpy(pair, intern_get(&seen, k, NULL), sizeof pair);
		bool is_pending = pair[0] == v->rows->pending_line;
		for (lr_state s = LR_BOTTOM; s < v->lr->n_states; s++) {
			if (is_pending || v->lexer->is_ignored[pair[0]]) {
				ask_rest(a, pair[1], s, COSTS_NONE);
				continue;
			}
			uint32_t m, one;
			const uint32_t *x = lr_actions(v->lr, s, pair[0], &m, &one);
			for (uint32_t i = 0; i < m; i++) {
				if (x[i] == ACTION_SKIP) ask_rest(a, pair[1], s, COSTS_NONE);
				else if (ACTION_IS_SHIFT(x[i])) ask_rest(a, pair[1], x[i] / 2, pair[0]);
			}
		}
	}
	for (lr_state s = LR_BOTTOM; s < v->lr->n_states && v->columns; s++) ask_rest(a, REST_END, s, COSTS_NONE);
	intern_release(&seen);
}

struct want { uint32_t way; lr_state s; };

// The way is taken with s on top: what is below may be any state that can lie there.
static void want(struct asker *a, uint32_t way, lr_state s)
{
	VEC(struct want) todo = {0};
	vec_push(&todo, ((struct want){way, s}));
	struct solver *v = a->v;
	while (todo.n) {
		struct want t = vec_pop(&todo);
		bool is_new;
		intern_add(&a->wanted, (uint32_t[]){t.way, t.s}, 8, &is_new);
		if (!is_new) continue;
		struct way x = way_get(v, t.way), less = {x.pop - 1, x.lhs, x.row};
		uint32_t next = x.pop > 1 ? intern_add(&v->ways, &less, sizeof less, NULL) : 0;
		for (uint32_t i = v->lr->pred_at[t.s]; i < v->lr->pred_at[t.s + 1]; i++) {
			lr_state p = v->lr->pred[i];
			if (x.pop > 1) vec_push(&todo, ((struct want){next, p}));
			else if (lr_goto(v->lr, p, x.lhs)) ask(a, (struct question){x.row, x.lhs}, p);
		}
	}
	vec_release(&todo);
}

static bool answer_all(struct asker *a)
{
	struct solver *v = a->v;
	ask_first(a);
	for (;;) {
		if (!solve(v)) return false;
		uint32_t n = a->asked.entries.n;
		bool any = false;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t key[2];
			memcpy(key, intern_get(&a->asked, k, NULL), sizeof key);
			for (uint32_t i = k * (v->top_room + 1); i < (k + 1) * (v->top_room + 1); i++)
				for (; a->var_of.at[i] != COSTS_NONE && a->n_seen.at[i] < v->vars.at[a->var_of.at[i]].facts.n; a->n_seen.at[i]++) {
					uint32_t way = v->vars.at[a->var_of.at[i]].facts.at[a->n_seen.at[i]].way;
					if (way != FACT_END) want(a, way, key[1]), any = true;
				}
		}
		if (!any && a->asked.entries.n == n) {
			bool is_whole = !v->shares || (a->n_whole == n && (!v->inside.n || v->inside.at[v->inside.n - 1] != COSTS_NONE));
			if (is_whole) return true;
			ask_smaller(a);
		}
		if (v->vars.n > v->max_facts) return false;
	}
}

// --- Out ------------------------------------------------------------------------------------------------------------

static int compare_ask(const void *a, const void *b)
{
	const struct cost_ask *x = a, *y = b;
	if (x->state != y->state) return x->state < y->state ? -1 : 1;
	return (x->question > y->question) - (x->question < y->question);
}

static int compare_narrow(const void *a, const void *b)
{
	const struct cost_narrow *x = a, *y = b;
	if (x->room != y->room) return x->room < y->room ? -1 : 1;
	if (x->state != y->state) return x->state < y->state ? -1 : 1;
	return (x->question > y->question) - (x->question < y->question);
}

typedef VEC(struct cost_step) step_list;
static int compare_step(const void *a, const void *b)
{
	const struct cost_step *x = a, *y = b;
	if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
	if (x->pop != y->pop) return x->pop < y->pop ? -1 : 1;
	return (x->question > y->question) - (x->question < y->question);
}

// The number of a variable's list; steps: room to work in.
static uint32_t write_list(struct asker *a, uint32_t var, const uint32_t *number, struct intern *lists, step_list *steps)
{
	struct solver *v = a->v;
	struct costs *out = v->out;
	const struct variable *x = &v->vars.at[var];
	uint32_t final = COSTS_NONE;
	vec_clear(steps);
	for (uint32_t i = 0; i < x->facts.n; i++) {
		struct fact f = x->facts.at[i];
		if (f.way == FACT_END) {
			final = f.weight;
			continue;
		}
		struct way w = way_get(v, f.way);
		uint32_t q = intern_find(&a->questions, &(struct question){w.row, w.lhs}, sizeof(struct question));
		if (q != INTERN_NONE) vec_push(steps, ((struct cost_step){w.pop, number[q], f.weight}));
	}
	if (steps->n) qsort(steps->at, steps->n, sizeof *steps->at, compare_step);
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

// The least room that answers as the greatest does is the greatest.
static void find_rooms(struct costs *out, uint32_t top)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < out->narrow.n; i++)
		if (out->narrow.at[i].room && out->narrow.at[i].room + 1 > n) n = out->narrow.at[i].room + 1;
	out->top_room = top ? n ? n : 1 : 0;
	if (out->narrow.n) qsort(out->narrow.at, out->narrow.n, sizeof *out->narrow.at, compare_narrow);
}

static void write_out(struct asker *a)
{
	struct solver *v = a->v;
	struct costs *out = v->out;
	uint32_t n_questions = a->questions.entries.n, *number = mem_calloc(n_questions + 1, sizeof *number);
	VEC(struct question) all = {0};
	for (uint32_t k = 0; k < n_questions; k++) {
		vec_push(&all, ((struct question){0, 0}));
		memcpy(&all.at[k], intern_get(&a->questions, k, NULL), sizeof *all.at);
		if (all.at[k].lhs < BEHIND_END) continue;
		number[k] = out->n_resumes++;
		map64_put(&out->resume_of, (uint64_t)all.at[k].rest_or_row << 32 | all.at[k].lhs, number[k]);
	}
	uint32_t next = out->n_resumes;
	for (uint32_t k = 0; k < n_questions; k++)
		if (all.at[k].lhs < BEHIND_END) number[k] = next++;
	out->n_questions = next;
	struct intern lists = {0};
	step_list steps = {0};
	uint32_t rooms = v->top_room + 1;
	for (uint32_t k = 0; k < a->asked.entries.n; k++) {
		uint32_t key[2], list = 0;
		memcpy(key, intern_get(&a->asked, k, NULL), sizeof key);
		for (uint32_t room = rooms; room-- > 0;) {
			uint32_t here = write_list(a, a->var_of.at[k * rooms + room], number, &lists, &steps);
			if (room == v->top_room) vec_push(&out->asks, ((struct cost_ask){key[1], number[key[0]], list = here}));
			else if (here != list) vec_push(&out->narrow, ((struct cost_narrow){room, key[1], number[key[0]], here}));
		}
	}
	find_rooms(out, v->top_room);
	if (out->asks.n) qsort(out->asks.at, out->asks.n, sizeof *out->asks.at, compare_ask);
	vec_release(&steps);
	vec_release(&all);
	intern_release(&lists);
	free(number);
}

static void solver_release(struct solver *v)
{
	for (uint32_t i = 0; i < v->vars.n; i++) {
		vec_release(&v->vars.at[i].edges);
		vec_release(&v->vars.at[i].facts);
	}
	for (uint32_t w = 0; w <= COSTS_MAX_WEIGHT; w++) vec_release(&v->bucket[w]);
	free(v->bucket);
	vec_release(&v->vars);
	vec_release(&v->fresh);
	vec_release(&v->looks);
	vec_release(&v->productions);
	vec_release(&v->inside);
	intern_release(&v->keys);
	intern_release(&v->ways);
	map64_release(&v->best);
}

// Does one room less do, wherever an indent leads from the greatest? Then more rooms than these would not change any answer.
static bool has_room(struct solver *v)
{
	for (uint32_t i = 0; i < v->inside.n; i += 2) {
		uint32_t less = v->inside.at[i + 1];
		const struct variable *more = &v->vars.at[v->inside.at[i]];
		for (uint32_t k = 0; k < more->facts.n; k++) {
			struct fact f = more->facts.at[k];
			uint64_t known = map64_get(&v->best, (uint64_t)less << 32 | f.way);
			if ((known == MAP64_NONE || known >> 3 > f.weight) && !is_beaten(v, less, f.way, f.weight)) return false;
		}
	}
	return true;
}

// With this many columns that can be opened in one another. *enough: more would not change anything.
static bool build_nested(enum cost_model model, const struct cost_inputs *in, uint32_t nested, struct costs *out, bool *enough)
{
	const struct lexer *lexer = in->lexer;
	struct solver v = {.out = out, .rows = &out->rows, .lexer = lexer, .lr = in->lr, .columns = lexer->indentation,
	                   .top_room = lexer->indentation ? nested + 1 : 0, .shares = lexer->indentation && nested == 1,
	                   .max_facts = model == COSTS_EXACT ? COSTS_EXACT_MAX_FACTS : COSTS_MAX_FACTS};
	v.bucket = mem_calloc(COSTS_MAX_WEIGHT + 1, sizeof *v.bucket);
	struct way end = {0, 0, 0};
	intern_add(&v.ways, &end, sizeof end, NULL);
	struct asker a = {.v = &v};
	bool ok = answer_all(&a);
	*enough = ok && has_room(&v);
	if (ok && (*enough || nested == COSTS_MAX_NESTED)) write_out(&a);
	out->n_facts = v.n_facts;
	intern_release(&a.questions);
	intern_release(&a.asked);
	intern_release(&a.wanted);
	vec_release(&a.var_of);
	vec_release(&a.n_seen);
	solver_release(&v);
	return ok;
}

static bool build(enum cost_model model, const struct cost_inputs *in, struct rivals *rivals, struct walker *w, struct costs *out)
{
	cost_rows_init(&out->rows, in->lexer, in->lr->n_terminals, w, model == COSTS_EXACT, rivals, in->max_column);
	bool enough = false, ok = true;
	for (uint32_t nested = 1; ok && !enough && nested <= COSTS_MAX_NESTED; nested *= 2) ok = build_nested(model, in, nested, out, &enough);
	out->rows.capped |= !enough;   // what needs more has no price
	out->model = ok ? model : COSTS_OFF;
	if (!ok) costs_release(out);
	return ok;
}

// Is there a price wherever the text is viable, by how the tables are made? Where single bytes decide what is viable, tokens of
// single bytes spell every way to the end, and they end where lexemes end: the aligned model has them, too. Else tokens decide,
// and the exact model has all of those. Not so where only what no other stack can undo is counted on. Columns have a limit, that the runtime looks at; and a text that
// ends with an indented line of blanks alone is not in the tables.
static bool is_complete(const struct costs *c, const struct cost_inputs *in)
{
	const struct lr *lr = in->lr;
	if (c->rows.capped || in->coupling->undone) return false;
	for (lr_state s = LR_BOTTOM; s < lr->n_states && in->lexer->indentation; s++) {   // a line to come ends the text at its begin
		uint32_t n, one;
		const uint32_t *a = lr_actions(lr, s, in->lexer->indentation->indent, &n, &one);
		for (uint32_t i = 0; i < n; i++)
			if (!ACTION_IS_SHIFT(a[i]) || a[i] == ACTION_SKIP) continue;
			else if (lr_viable(lr, a[i] / 2, lr->n_terminals) || lr_viable(lr, a[i] / 2, in->lexer->indentation->dedent)) return false;
	}
	return in->by_bytes || c->model == COSTS_EXACT;
}

// One model. False: it passes its limit.
static bool build_as(enum cost_model model, const struct cost_inputs *in, struct rivals *rivals, struct costs *out)
{
	struct walker w;
	walker_init(&w, in->lexer, in->trie, NULL);
	for (uint32_t i = 0; i < in->n_known; i++) walker_learn(&w, in->known[i]);
	bool ok = build(model, in, rivals, &w, out);
	if (ok) out->is_total = is_complete(out, in) || costs_are_total(out, in->lr, in->start_base, in->no_start);
	walker_release(&w);
	out->rows.walker = NULL, out->rows.rivals = NULL;
	return ok;
}

// The aligned model is small where the exact one is worth trying, and tells whether it is.
static bool build_best(enum cost_model wanted, const struct cost_inputs *in, struct costs *out)
{
	bool ok = build_as(COSTS_ALIGNED, in, NULL, out);
	if (wanted != COSTS_EXACT || in->lexer->indentation || !ok || out->n_facts > COSTS_EXACT_MAX_ALIGNED) return ok;
	struct costs exact = {0};
	if (!build_as(COSTS_EXACT, in, NULL, &exact)) return true;
	costs_release(out);
	*out = exact;
	return true;
}

void costs_build(enum cost_model wanted, const struct cost_inputs *in, struct costs *out)
{
	*out = (struct costs){0};
	if (wanted == COSTS_OFF) return;
	if (in->coupling->undone) {   // tokens that span terminals are not counted on: what comes behind the first is not known
		struct rivals rivals;
		rivals_build(in->lexer, in->lr, in->coupling, &rivals);
		build_as(COSTS_ALIGNED, in, &rivals, out);
		rivals_release(&rivals);
	} else {
		build_best(wanted, in, out);
	}
	out->gave_up_exact = wanted == COSTS_EXACT && out->model != COSTS_EXACT;
}

void costs_build_groups(const struct cost_inputs *in, struct tokensets *sets, struct costs *out)
{
	if (out->model == COSTS_OFF) return;
	struct walker w;
	walker_init(&w, in->lexer, in->trie, sets);
	for (uint32_t i = 0; i < in->n_known; i++) walker_learn(&w, in->known[i]);
	cost_groups_build(out, in->lr, &w, in->start_base, in->no_start);
	walker_release(&w);
}

uint32_t costs_question(const struct costs *c, struct cost_emit e)
{
	const struct indentation *columns = c->rows.lexer->indentation;
	uint32_t kind = COSTS_NONE;
	rest_id rest = e.rest;
	if (rest_is_end(rest)) rest = REST_END, kind = BEHIND_END;
	else if (columns && e.terminal == columns->newline && map64_get(&c->resume_of, (uint64_t)rest << 32 | BEHIND_LINE) != MAP64_NONE)
		kind = BEHIND_LINE;
	uint64_t known = map64_get(&c->resume_of, (uint64_t)rest << 32 | kind);
	return known == MAP64_NONE ? COSTS_NONE : (uint32_t)known;
}

void costs_release(struct costs *c)
{
	cost_rows_release(&c->rows);
	cost_groups_release(&c->groups);
	map64_release(&c->resume_of);
	vec_release(&c->lists);
	vec_release(&c->steps);
	vec_release(&c->asks);
	vec_release(&c->narrow);
	*c = (struct costs){0};
}
