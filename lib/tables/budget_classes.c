// Price classes: what the frames below a step answer, determinised, so that a mask asks nothing.
//
// In:  raw steps with their questions to frames, costs, LR tables.  Out: raw steps by class; how pushes change classes.
// A frame of a state can only be asked some questions: those of steps on it, and those that frames above it hand down.
// What it answers to them, less the least of the answers, is its *class*; the least itself goes up by a weight with
// each push. Both depend on the class below and the state pushed alone: that is weighted determinisation (Mohri 1997),
// from the bottom of the stack up. It closes where answers keep a bounded distance, as those of small languages do.
// Some answers need no frame below, since the text can end whatever lies there: these do not grow with the stack. So
// nothing is taken off as long as such states can still come: then the least price is 0, and answers are as they are.
// What a step allows on a frame of a class is one ladder over the frame's least, whatever it asks.
// Cost: for each class and each state that can lie above it, the questions of that state; limits are counted.
#include "budget_steps.h"

#include "../base/sort.h"
#include "../base/sort_records.h"
#include "../shared/search.h"

#define RANGES_AT_ONCE 64u  // of a union's tokens: work of one

struct query {
	uint32_t down, control;
};
struct ask {
	lr_state state;
	uint32_t query;  // index into its queries
};
struct query_way {
	uint32_t from, weight;  // query of the class below
};
typedef VEC(struct query_way) ways;
struct way_range {
	uint32_t first, n;
};
struct found_push {
	uint32_t below;  // a class
	struct budget_push push;
};

struct classer {
	const struct cost_index *index;
	const struct lr *lr;
	struct tokensets *sets;
	const struct raw_steps *raw;
	struct raw_steps *by_class;
	uint64_t work;
	bool failed;                    // a limit is passed
	uint32_t *above_at, *above;     // [n_states + 1] states that can lie on one
	VEC(struct query) * queries;    // [state]
	struct map64 *query_of;         // [state] (down, control) -> its index
	VEC(struct ask) asked;          // to be handed down
	struct map64 terms_of;          // (state, terms) -> index into told, their ways
	VEC(struct way_range) told;     // ranges of told_ways
	ways told_ways;                 // what terms ask frames of a state: its queries
	struct map64 value_of;          // (class, terms) -> the least answer
	bits *may_end;                  // [state] an answer of it, or of a state that can lie above, needs no frame below
	struct intern classes;          // state, 1 where nothing is taken off the answers, answers; 0: none
	number_list *of_state;          // [state] classes
	uint32_t *n_done;               // [state] of these, how many have their pushes
	VEC(struct found_push) pushes;  // in the order they were found
	// Of one pair of states:
	bool some_final;  // some answer needs no frame below
	ways ways;
	number_list way_at, finals, key;
	// Of one step:
	VEC(struct raw_part) parts;
	VEC(uint64_t) thresholds;  // base << 32 | set of tokens
	VEC(struct budget_level) levels;
	VEC(set_id) united;
	VEC(uint32_t) taken;  // [set_id] the part that it was added to last
	uint32_t n_ended;     // parts
	struct map64 made;    // raw list of parts, class -> the list by class
};

static bool burn(struct classer *x, uint64_t work) { return steps_burn(&x->work, &x->failed, work); }

// ---- What a frame can be asked.
static uint32_t query(struct classer *x, lr_state s, uint32_t down, uint32_t control)
{
	uint64_t key = (uint64_t)down << 32 | control, known = map64_get(&x->query_of[s], key);
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&x->query_of[s], key, x->queries[s].n);
	vec_push(&x->queries[s], ((struct query){down, control}));
	vec_push(&x->asked, ((struct ask){s, x->queries[s].n - 1}));
	burn(x, 1);
	return x->queries[s].n - 1;
}

static void hand_down(struct classer *x, lr_state s, uint32_t down, uint32_t control)
{
	for (uint32_t i = x->lr->pred_at[s]; i < x->lr->pred_at[s + 1] && !x->failed; i++)
		query(x, x->lr->pred[i], down, control);
}

// What terms ask frames of a state, once for both.
static void ask_terms(struct classer *x, lr_state s, uint32_t terms)
{
	uint64_t key = (uint64_t)s << 32 | terms;
	uint32_t n;
	if (map64_get(&x->terms_of, key) != MAP64_NONE) return;
	map64_put(&x->terms_of, key, x->told.n);
	const struct budget_term *t = intern_get(&x->raw->terms, terms, &n);
	n /= (uint32_t)sizeof *t;
	vec_push(&x->told, ((struct way_range){x->told_ways.n, n}));
	for (uint32_t i = 0; i < n; i++)
		vec_push(&x->told_ways, ((struct query_way){query(x, s, t[i].down, t[i].control), t[i].weight}));
}

static void find_queries(struct classer *x)
{
	for (uint32_t i = 0; i < x->raw->edges.n && !x->failed; i++) {
		const struct raw_edge *e = &x->raw->edges.at[i];
		uint32_t n;
		const struct raw_part *parts = intern_get(&x->raw->part_lists, x->raw->each.at[e->step].parts, &n);
		for (uint32_t k = 0; k < n / sizeof *parts; k++) {
			ask_terms(x, e->frame, parts[k].terms);
		}
	}
	while (x->asked.n && !x->failed) {
		struct ask a = vec_pop(&x->asked);
		struct query q = x->queries[a.state].at[a.query];
		if (q.down) {
			hand_down(x, a.state, q.down - 1, q.control);
			continue;
		}
		const struct cost_list *list = cost_index_list(x->index, a.state, q.control);
		for (uint32_t i = 0; list && i < list->n; i++) {
			const struct cost_step *step = &x->index->costs->steps.at[list->first + i];
			hand_down(x, a.state, step->pop - 1, step->control);
		}
	}
}

// ---- Classes.
static void find_above(struct classer *x)
{
	const struct lr *lr = x->lr;
	x->above_at = mem_calloc(lr->n_states + 2, sizeof *x->above_at);
	x->above = mem_calloc(lr->pred_at[lr->n_states] + 1, sizeof *x->above);
	for (uint32_t i = 0; i < lr->pred_at[lr->n_states]; i++) x->above_at[lr->pred[i] + 2]++;
	for (lr_state s = 0; s < lr->n_states; s++) x->above_at[s + 1] += x->above_at[s];
	for (lr_state s = 0; s < lr->n_states; s++)
		for (uint32_t i = lr->pred_at[s]; i < lr->pred_at[s + 1]; i++) x->above[x->above_at[lr->pred[i] + 1]++] = s;
}

// The class of the answers in .key, behind its state; what is taken off goes to *weight.
static uint32_t class_of_key(struct classer *x, uint32_t *weight)
{
	uint32_t least = COSTS_NONE;
	bool is_new;
	for (uint32_t i = 2; i < x->key.n && !x->key.at[1]; i++) least = x->key.at[i] < least ? x->key.at[i] : least;
	for (uint32_t i = 2; i < x->key.n && least != COSTS_NONE; i++)
		if (x->key.at[i] != COSTS_NONE) x->key.at[i] -= least;
	*weight = least == COSTS_NONE ? 0 : least;
	uint32_t class = intern_add(&x->classes, x->key.at, x->key.n * sizeof *x->key.at, &is_new);
	if (is_new) vec_push(&x->of_state[x->key.at[0]], class);
	x->failed |= class > STEPS_MAX_CLASSES;
	return class;
}

// How the questions of a state are answered by those of a frame below it.
static void plan(struct classer *x, lr_state below, lr_state s)
{
	vec_clear(&x->ways), vec_clear(&x->way_at), vec_clear(&x->finals);
	x->some_final = false;
	for (uint32_t i = 0; i < x->queries[s].n; i++) {
		struct query q = x->queries[s].at[i];
		vec_push(&x->way_at, x->ways.n);
		if (q.down) {
			vec_push(&x->finals, COSTS_NONE);
			vec_push(&x->ways, ((struct query_way){query(x, below, q.down - 1, q.control), 0}));
			continue;
		}
		const struct cost_list *list = cost_index_list(x->index, s, q.control);
		vec_push(&x->finals, list ? list->final : COSTS_NONE);
		x->some_final |= list && list->final != COSTS_NONE;
		for (uint32_t k = 0; list && k < list->n; k++) {
			const struct cost_step *step = &x->index->costs->steps.at[list->first + k];
			vec_push(&x->ways, ((struct query_way){query(x, below, step->pop - 1, step->control), step->weight}));
		}
		// An end that does not rest on the frames below has no distance from what they answer.
	}
	vec_push(&x->way_at, x->ways.n);
}

static void push_on(struct classer *x, uint32_t class, lr_state s)
{
	const uint32_t *below = intern_get(&x->classes, class, NULL), *answers = below + 2;
	uint32_t weight;
	vec_clear(&x->key);
	vec_push(&x->key, s);
	vec_push(&x->key, below[1] && bits_test(x->may_end, s));
	x->failed |= x->some_final && !below[1];
	for (uint32_t i = 0; i < x->finals.n; i++) {
		uint32_t best = x->finals.at[i];
		for (uint32_t k = x->way_at.at[i]; k < x->way_at.at[i + 1]; k++) {
			uint32_t one = steps_sum(answers[x->ways.at[k].from], x->ways.at[k].weight);
			if (one < best) best = one;
		}
		vec_push(&x->key, best);
	}
	uint32_t to = class_of_key(x, &weight);
	vec_push(&x->pushes, ((struct found_push){class, {s, to, weight}}));
}

static void find_may_end(struct classer *x)
{
	x->may_end = mem_calloc(BITS_WORDS(x->lr->n_states), sizeof *x->may_end);
	number_list todo = {0};
	for (lr_state s = 0; s < x->lr->n_states; s++)
		for (uint32_t i = 0; i < x->queries[s].n && !bits_test(x->may_end, s); i++) {
			struct query q = x->queries[s].at[i];
			const struct cost_list *list = q.down ? NULL : cost_index_list(x->index, s, q.control);
			if (!list || list->final == COSTS_NONE) continue;
			bits_set(x->may_end, s);
			vec_push(&todo, s);
		}
	while (todo.n) {
		lr_state s = vec_pop(&todo);
		for (uint32_t i = x->lr->pred_at[s]; i < x->lr->pred_at[s + 1]; i++) {
			lr_state p = x->lr->pred[i];
			if (bits_test(x->may_end, p)) continue;
			bits_set(x->may_end, p);
			vec_push(&todo, p);
		}
	}
	vec_release(&todo);
}

static void find_classes(struct classer *x)
{
	uint32_t weight;
	intern_add(&x->classes, NULL, 0, NULL);
	vec_push(&x->key, LR_BOTTOM);
	vec_push(&x->key, 1);
	for (uint32_t i = 0; i < x->queries[LR_BOTTOM].n; i++) {
		struct query q = x->queries[LR_BOTTOM].at[i];
		const struct cost_list *list = q.down ? NULL : cost_index_list(x->index, LR_BOTTOM, q.control);
		vec_push(&x->key, list ? list->final : COSTS_NONE);
	}
	class_of_key(x, &weight);
	for (bool some = true; some && !x->failed;) {
		some = false;
		for (lr_state s = 0; s < x->lr->n_states && !x->failed; s++) {
			uint32_t from = x->n_done[s], to = x->of_state[s].n;
			if (from == to) continue;
			x->n_done[s] = to, some = true;
			for (uint32_t i = x->above_at[s]; i < x->above_at[s + 1] && !x->failed; i++) {
				plan(x, s, x->above[i]);
				for (uint32_t k = from; k < to && burn(x, 1 + x->ways.n / 8); k++)
					push_on(x, x->of_state[s].at[k], x->above[i]);
			}
		}
	}
}

// ---- Steps on classes.
// The thresholds of a part: `value` is what its least answer is.
static void put_thresholds(struct classer *x, const struct raw_part *part, uint32_t value)
{
	uint32_t n;
	const struct budget_level *l = intern_get(&x->raw->levels, part->levels, &n);
	for (uint32_t i = 0; i < n / sizeof *l; i++)
		vec_push(&x->thresholds, (uint64_t)steps_sum(steps_sum(value, part->base), l[i].base) << 32 | l[i].tokens);
}

// Is it new to the part?
static bool take_set(struct classer *x, set_id s)
{
	while (x->taken.n <= s) vec_push(&x->taken, 0);
	const bool is_new = x->taken.at[s] != x->n_ended;
	x->taken.at[s] = x->n_ended;
	return is_new;
}

// All thresholds as one part.
static void end_part(struct classer *x, bool above)
{
	const uint64_t *t = x->thresholds.at;
	set_id all = SET_EMPTY;
	burn(x, 1 + x->thresholds.n);
	vec_clear(&x->levels);
	x->n_ended++;
	sort_u64(x->thresholds.at, x->thresholds.n);
	for (uint32_t i = 0, end; i < x->thresholds.n && t[i] >> 32 != COSTS_NONE; i = end) {
		vec_clear(&x->united);
		vec_push(&x->united, all);
		for (end = i; end < x->thresholds.n && t[end] >> 32 == t[i] >> 32; end++)
			if (take_set(x, (set_id)t[end])) vec_push(&x->united, (set_id)t[end]);
		set_id more = tokensets_union(x->sets, x->united.at, x->united.n);
		if (more != all) vec_push(&x->levels, ((struct budget_level){(uint32_t)(t[i] >> 32), more}));
		all = more;
		burn(x, tokensets_n_ranges(x->sets, more) / RANGES_AT_ONCE);
	}
	vec_clear(&x->thresholds);
	if (!x->levels.n) return;
	uint32_t base = x->levels.at[0].base;
	for (uint32_t i = 0; i < x->levels.n; i++) x->levels.at[i].base -= base;
	const struct raw_part part = {
		above, base, intern_add(&x->by_class->levels, x->levels.at, x->levels.n * sizeof *x->levels.at, NULL)};
	vec_push(&x->parts, part);
}

// The least of what frames of a class answer to terms; 0 if there are none.
static uint32_t least_answer(struct classer *x, uint32_t terms, uint32_t class)
{
	const uint32_t *of_class = intern_get(&x->classes, class, NULL), *answers = of_class + 2;
	const struct way_range told = x->told.at[map64_get(&x->terms_of, (uint64_t)of_class[0] << 32 | terms)];
	uint64_t key = (uint64_t) class << 32 | terms, known = map64_get(&x->value_of, key);
	uint32_t least = told.n ? COSTS_NONE : 0;
	if (!burn(x, told.n)) return least;
	if (known != MAP64_NONE) return (uint32_t)known;
	for (uint32_t i = told.first; i < told.first + told.n; i++) {
		const struct query_way way = x->told_ways.at[i];
		uint32_t one = steps_sum(answers[way.from], way.weight);
		if (one < least) least = one;
	}
	map64_put(&x->value_of, key, least);
	return least;
}

// The parts of a step on frames of a class, as one or two: what rests on the frame's least price, and what does not.
static uint32_t parts_on(struct classer *x, uint32_t list, uint32_t class)
{
	const uint64_t key = (uint64_t)list << 32 | class, known = map64_get(&x->made, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	const bool is_whole = ((const uint32_t *)intern_get(&x->classes, class, NULL))[1];
	uint32_t n;
	const struct raw_part *parts = intern_get(&x->raw->part_lists, list, &n);
	n /= (uint32_t)sizeof *parts;
	vec_clear(&x->parts);
	for (uint32_t above = 0; above < 2; above++) {
		for (uint32_t i = 0; i < n; i++) {
			const struct raw_part *part = &parts[i];
			uint32_t n_terms;
			intern_get(&x->raw->terms, part->terms, &n_terms);
			const bool rests = n_terms && !is_whole;
			if (rests == above) put_thresholds(x, part, least_answer(x, part->terms, class));
		}
		end_part(x, above);
	}
	const uint32_t made = intern_add(&x->by_class->part_lists, x->parts.at, x->parts.n * sizeof *x->parts.at, NULL);
	map64_put(&x->made, key, made);
	return made;
}

static void make_steps(struct classer *x)
{
	x->by_class->n_nodes = x->raw->n_nodes;
	for (uint32_t i = 0; i < x->raw->edges.n; i++) {
		const struct raw_edge e = x->raw->edges.at[i];
		const struct raw_step raw = x->raw->each.at[e.step];
		for (uint32_t k = 0; k < x->of_state[e.frame].n && burn(x, 1); k++) {
			const uint32_t class = x->of_state[e.frame].at[k];
			const struct raw_step step = {parts_on(x, raw.parts, class), raw.node, raw.skip};
			const uint32_t made = intern_add(&x->by_class->steps, &step, sizeof step, NULL);
			vec_push(&x->by_class->edges, ((struct raw_edge){class, made}));
			vec_push(&x->by_class->edge_node, x->raw->edge_node.at[i]);
			x->failed |= x->by_class->edges.n > STEPS_MAX_EDGES;
		}
	}
}

static int compare_push(const void *a, const void *b)
{
	const struct found_push *x = a, *y = b;
	if (x->below != y->below) return x->below < y->below ? -1 : 1;
	return (x->push.state > y->push.state) - (x->push.state < y->push.state);
}
SORT_RECORDS(sort_pushes, struct found_push, compare_push)

static void put_classes(struct classer *x, struct budget_steps *out)
{
	sort_pushes(x->pushes.at, x->pushes.n);
	for (uint32_t c = 0, i = 0; c < x->classes.entries.n; c++) {
		struct budget_class class = {i, 0};
		for (; i < x->pushes.n && x->pushes.at[i].below == c; i++) vec_push(&out->pushes, x->pushes.at[i].push);
		class.n = i - class.first;
		vec_push(&out->classes, class);
	}
}

static void release(struct classer *x)
{
	for (lr_state s = 0; s < x->lr->n_states; s++) {
		vec_release(&x->queries[s]), vec_release(&x->of_state[s]);
		map64_release(&x->query_of[s]);
	}
	map64_release(&x->made);
	map64_release(&x->terms_of), map64_release(&x->value_of);
	vec_release(&x->told), vec_release(&x->told_ways);
	intern_release(&x->classes);
	void *blocks[] = {x->above_at, x->above, x->queries, x->query_of, x->of_state, x->n_done, x->may_end};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
	vec_release(&x->asked), vec_release(&x->pushes), vec_release(&x->ways), vec_release(&x->way_at);
	vec_release(&x->finals), vec_release(&x->key), vec_release(&x->parts), vec_release(&x->thresholds);
	vec_release(&x->levels), vec_release(&x->united), vec_release(&x->taken);
}

bool budget_classes_build(const struct cost_index *index, const struct lr *lr, const struct raw_steps *raw,
                          struct tokensets *sets, struct raw_steps *by_class, struct budget_steps *out)
{
	struct classer x = {.index = index, .lr = lr, .sets = sets, .raw = raw, .by_class = by_class};
	x.queries = mem_calloc(lr->n_states, sizeof *x.queries);
	x.query_of = mem_calloc(lr->n_states, sizeof *x.query_of);
	x.of_state = mem_calloc(lr->n_states, sizeof *x.of_state);
	x.n_done = mem_calloc(lr->n_states, sizeof *x.n_done);
	find_queries(&x);
	if (!x.failed) find_above(&x), find_may_end(&x), find_classes(&x);
	if (!x.failed) make_steps(&x);
	if (!x.failed) put_classes(&x, out);
	bool ok = !x.failed;
	release(&x);
	return ok;
}
