// What it costs, in tokens, to finish a text from a position.
//
// In:  a position, the artifact's tables of costs.  Out: the fewest tokens to the end of the text.
// The pending lexeme can end in some ways, each in so many tokens (a row of COST_EMIT). Its terminal is pushed, and the
// top is asked what is still to come; the answer of a frame is the end of the text, or questions to frames below
// (lib/tables/costs.h). Answers of frames are kept in a book beside the pool of frames: they depend on the frames
// below alone, so forks share them and rolling back costs nothing. A frame that is used anew has a new stamp, which
// makes its old answers void. Cost: for each way to end a push and a look-up; a new frame is asked a few questions,
// once.
#include "../core/matcher_step.h"
#include "price.h"
#include "step_table.h"

#define BOOK_AT_FIRST 256u
#define PUSHED_KEPT 2048u
#define RAISED 0x80000000u  // not a terminal but a number of price_raise

struct price {
	uint32_t frame, stamp, control, value;
};  // frame 0: free

struct price_book {
	struct price *at;
	uint32_t n, cap;                // cap: a power of two, or 0
	struct vec32 jobs;              // frame, question
	struct capacity_work capacity;  // of price_capacity.c
	struct vec32 level, below;
	struct vec32 targets;  // of price_lines: column, price, may it end; for each that is open
	uint32_t deeper[COST_MAX_CAPACITY + 1],
		open;  // the prices of a column deeper than the one open, by its capacity; that one
	bool deeper_ends;
	// Stacks with a terminal pushed that masks asked for: tops with a reference each, so they live until they are
	// replaced.
	struct pushed {
		uint32_t frame, stamp, terminal, top;
	} pushed[PUSHED_KEPT];
};

struct price_book *price_book_new(const gcdc_memory *memory)
{
	struct price_book *b = memory_resize(memory, NULL, 1, sizeof *b);
	if (b) *b = (struct price_book){0};
	return b;
}

void price_book_free(const gcdc_memory *memory, struct price_book *b)
{
	if (!b) return;
	memory_free(memory, b->at);
	memory_free(memory, b->jobs.at);
	memory_free(memory, b->capacity.jobs.at);
	memory_free(memory, b->capacity.level.at);
	memory_free(memory, b->capacity.below.at);
	memory_free(memory, b->level.at);
	memory_free(memory, b->below.at);
	memory_free(memory, b->targets.at);
	memory_free(memory, b);
}

static void forget_costs(struct frame_pool *pool)
{
	price_book_free(pool->memory, pool->prices);
	step_table_free(pool->step_table);
}

gcdc_status prices_open(struct gcdc_matcher *m)
{
	struct frame_pool *pool = m->pool;
	if (!m->artifact->cost_info) return GCDC_ERR_COSTS;
	if (LIKELY(pool->prices != NULL)) return GCDC_OK;
	if (!pool->cost && !frame_costs_grow(pool, pool->cap)) return GCDC_ERR_MEMORY;
	pool->forget_costs = forget_costs;
	if (!pool->step_table) pool->step_table = step_table_new(m->artifact);
	if (!pool->step_table) return GCDC_ERR_MEMORY;
	pool->most = 0;
	for (uint32_t q = 0; q < m->artifact->info.n_lex_states; q++)
		if (m->artifact->cost_most[q] > pool->most) pool->most = m->artifact->cost_most[q];
	pool->prices = price_book_new(pool->memory);
	return pool->prices ? GCDC_OK : GCDC_ERR_MEMORY;
}

static uint32_t place_of(const struct price_book *b, uint32_t frame, uint32_t control)
{
	return (uint32_t)(hash_pair(frame, control) >> 32) & (b->cap - 1);
}

// The place of the answer, or the free one where it would stand.
static struct price *find(const struct price_book *b, uint32_t frame, uint32_t control)
{
	for (uint32_t i = place_of(b, frame, control);; i = (i + 1) & (b->cap - 1)) {
		struct price *x = &b->at[i];
		if (!x->frame || (x->frame == frame && x->control == control)) return x;
	}
}

static bool look_up(const struct frame_pool *pool, uint32_t frame, uint32_t control, uint32_t *value)
{
	const struct price_book *b = pool->prices;
	if (UNLIKELY(!b->cap)) return false;
	const struct price *x = find(b, frame, control);
	if (!x->frame || x->stamp != pool->cost[frame].stamp) return false;
	*value = x->value;
	return true;
}

// Room for one more; answers of frames that are gone are left out.
static bool make_room(struct frame_pool *pool)
{
	struct price_book *b = pool->prices, old = *b;
	uint32_t live = 0;
	for (uint32_t i = 0; i < old.cap; i++)
		live += old.at[i].frame && old.at[i].stamp == pool->cost[old.at[i].frame].stamp;
	uint32_t cap = old.cap ? old.cap : BOOK_AT_FIRST;
	while ((uint64_t)live * 4 >= cap) cap *= 2;
	struct price *at = memory_resize(pool->memory, NULL, cap, sizeof *at);
	if (!at) return false;
	memset(at, 0, cap * sizeof *at);
	b->at = at, b->cap = cap, b->n = 0;
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct price *x = &old.at[i];
		if (!x->frame || x->stamp != pool->cost[x->frame].stamp) continue;
		*find(b, x->frame, x->control) = *x;
		b->n++;
	}
	memory_free(pool->memory, old.at);
	return true;
}

static gcdc_status keep(struct frame_pool *pool, uint32_t frame, uint32_t control, uint32_t value)
{
	struct price_book *b = pool->prices;
	if (UNLIKELY(2 * (uint64_t)b->n >= b->cap) && !make_room(pool)) return GCDC_ERR_MEMORY;
	struct price *x = find(b, frame, control);
	b->n += !x->frame;
	*x = (struct price){frame, pool->cost[frame].stamp, control, value};
	return GCDC_OK;
}

struct capacity_work *price_capacity_work(const struct frame_pool *pool) { return &pool->prices->capacity; }
bool price_known(const struct frame_pool *pool, uint32_t frame, uint32_t key, uint32_t *value)
{
	return look_up(pool, frame, key, value);
}
gcdc_status price_keep(struct frame_pool *pool, uint32_t frame, uint32_t key, uint32_t value)
{
	return keep(pool, frame, key, value);
}

const struct artifact_cost_list *price_list(const struct gcdc_artifact *a, uint32_t lr_state, uint32_t control)
{
	uint32_t i, end = a->cost_transition_at[lr_state + 1];
	LOWER_BOUND(i, a->cost_transition_at[lr_state], end, a->cost_transitions[i].control < control);
	return i < end && a->cost_transitions[i].control == control ? &a->cost_lists[a->cost_transitions[i].list] : NULL;
}

static gcdc_status add_frame(struct gcdc_matcher *m, struct vec32 *list, uint32_t f)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == f) return GCDC_OK;
	if (list->n > m->max_stacks) return GCDC_ERR_STACKS;
	return vec32_push(&m->artifact->memory, list, f) ? GCDC_OK : GCDC_ERR_MEMORY;
}

gcdc_status price_go_down(struct gcdc_matcher *m, uint32_t f, uint32_t pop, struct vec32 *list, struct vec32 *scratch)
{
	const struct frame *frames = m->pool->at;
	gcdc_status status = GCDC_OK;
	for (; pop && f && !(frames[f].parent & FRAME_LIST); pop--) f = frames[f].parent;
	list->n = 0;
	if (f) status = add_frame(m, list, f);
	for (; pop && list->n && !status; pop--) {
		scratch->n = 0;
		for (uint32_t i = 0; i < list->n && !status; i++)
			for (struct below x = frame_below(m->pool, list->at[i]); x.frame && !status; below_next(m->pool, &x))
				status = add_frame(m, scratch, x.frame);
		struct vec32 t = *list;
		*list = *scratch, *scratch = t;
	}
	return status;
}

// The answer if all that it needs is known; else what it needs goes on the jobs.
static gcdc_status answer(struct gcdc_matcher *m, uint32_t frame, uint32_t control, bool *done)
{
	const struct gcdc_artifact *a = m->artifact;
	struct price_book *b = m->pool->prices;
	const struct artifact_cost_list *list = price_list(a, m->pool->at[frame].lr_state, control);
	uint32_t best = list ? list->final : PRICE_NEVER;
	*done = true;
	for (uint32_t i = 0; list && i < list->n; i++) {
		const struct artifact_cost_step *s = &a->cost_steps[list->first + i];
		if (s->weight >= best) break;
		gcdc_status status = price_go_down(m, frame, s->pop, &b->level, &b->below);
		if (status) return status;
		for (uint32_t k = 0; k < b->level.n; k++) {
			uint32_t value;
			if (look_up(m->pool, b->level.at[k], s->control, &value)) {
				value = price_sum(value, s->weight);
				if (value < best) best = value;
				continue;
			}
			*done = false;
			if (!vec32_push(&a->memory, &b->jobs, b->level.at[k]) || !vec32_push(&a->memory, &b->jobs, s->control))
				return GCDC_ERR_MEMORY;
		}
	}
	return *done ? keep(m->pool, frame, control, best) : GCDC_OK;
}

gcdc_status price_frame(struct gcdc_matcher *m, uint32_t frame, uint32_t control, uint32_t *price)
{
	struct price_book *b = m->pool->prices;
	if (LIKELY(look_up(m->pool, frame, control, price))) return GCDC_OK;
	b->jobs.n = 0;
	bool ok = vec32_push(&m->artifact->memory, &b->jobs, frame) && vec32_push(&m->artifact->memory, &b->jobs, control);
	gcdc_status status = ok ? GCDC_OK : GCDC_ERR_MEMORY;
	while (b->jobs.n && !status) {
		uint32_t f = b->jobs.at[b->jobs.n - 2], q = b->jobs.at[b->jobs.n - 1];
		bool done = look_up(m->pool, f, q, price);
		if (!done) status = answer(m, f, q, &done);
		if (done) b->jobs.n -= 2;
	}
	if (!status && !look_up(m->pool, frame, control, price)) status = GCDC_ERR_INTERNAL;
	return status;
}

enum push price_push(struct gcdc_matcher *m, uint32_t frame, uint32_t t, uint32_t *top)
{
	struct frame_pool *pool = m->pool;
	struct pushed *x = &pool->prices->pushed[(frame * 31 + t) & (PUSHED_KEPT - 1)];
	if (x->top && x->frame == frame && x->terminal == t && x->stamp == pool->cost[frame].stamp) {
		*top = x->top;
		frame_ref(pool, x->top);
		return PUSH_DONE;
	}
	struct local_stack s;
	s.base = frame;
	s.owned = false;
	s.n = 0;
	enum push pushed = push_one(m, &s, t);
	if (!pushed) pushed = push_of(local_to_frames(pool, &s));
	if (pushed) {
		local_release(pool, &s);
		return pushed;
	}
	*top = s.base;
	if (x->top) frame_unref(pool, x->top);
	*x = (struct pushed){frame, pool->cost[frame].stamp, t, s.base};
	frame_ref(pool, s.base);
	return PUSH_DONE;
}

gcdc_status price_raise(struct gcdc_matcher *m, uint32_t frame, uint32_t number, const uint32_t *lr_states, uint32_t n,
                        uint32_t *top)
{
	struct frame_pool *pool = m->pool;
	uint32_t key = RAISED | number;
	struct pushed *x = &pool->prices->pushed[(frame * 31 + number) & (PUSHED_KEPT - 1)];
	if (n && x->top && x->frame == frame && x->terminal == key && x->stamp == pool->cost[frame].stamp) {
		*top = x->top;
		frame_ref(pool, x->top);
		return GCDC_OK;
	}
	if (frame_depth(pool, frame) + n > pool->max_depth) return GCDC_ERR_LIMIT;
	if (!frame_reserve(pool, n)) return GCDC_ERR_MEMORY;
	*top = frame;
	frame_ref(pool, frame);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f = frame_push(pool, *top, lr_states[i]);
		frame_unref(pool, *top);
		*top = f;
	}
	if (!n) return GCDC_OK;
	if (x->top) frame_unref(pool, x->top);
	*x = (struct pushed){frame, pool->cost[frame].stamp, key, *top};
	frame_ref(pool, *top);
	return GCDC_OK;
}

// A stack's bound is its top's and the greatest of the stacks below.
gcdc_status price_bound(struct gcdc_matcher *m, uint32_t frame, uint32_t *bound)
{
	struct frame_pool *pool = m->pool;
	struct vec32 *jobs = &pool->prices->jobs;
	if (LIKELY(pool->cost[frame].bound != BOUND_UNKNOWN)) {
		*bound = pool->cost[frame].bound;
		return GCDC_OK;
	}
	jobs->n = 0;
	if (!vec32_push(&m->artifact->memory, jobs, frame)) return GCDC_ERR_MEMORY;
	while (jobs->n) {
		uint32_t f = jobs->at[jobs->n - 1], n = jobs->n, most = m->artifact->cost_dearest[pool->at[f].lr_state],
				 below = 0;
		for (struct below b = frame_below(pool, f); b.frame; below_next(pool, &b)) {
			uint32_t x = pool->cost[b.frame].bound;
			if (x == BOUND_UNKNOWN && !vec32_push(&m->artifact->memory, jobs, b.frame)) return GCDC_ERR_MEMORY;
			if (x > below) below = x;
		}
		if (jobs->n > n) continue;
		jobs->n--;
		pool->cost[f].bound = below >= BOUND_UNKNOWN - 1 - most ? PRICE_NEVER : below + most;
	}
	*bound = pool->cost[frame].bound;
	return GCDC_OK;
}

// ---- Pending lexemes.
static bool has_end(const struct gcdc_artifact *a, uint32_t lr_state)
{
	return artifact_action(a, lr_state, a->info.n_terminals) != 0;
}

// What is asked of a top once the lexeme has ended.
static gcdc_status price_top(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t control,
                             uint32_t *price)
{
	if (control != COST_AT_END) return price_frame_in(m, frame, columns, control, price);
	*price = has_end(m->artifact, m->pool->at[frame].lr_state) ? 0 : PRICE_NEVER;
	return GCDC_OK;
}

// The lexeme ends as terminal t, which is no newline that has decided a column, on the stacks below frame.
static gcdc_status price_shifted(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t t, uint32_t control,
                                 uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	*price = PRICE_NEVER;
	if (a->terminals[t].flags & TERMINAL_IGNORED) return price_top(m, frame, columns, control, price);
	uint32_t action = artifact_action(a, m->pool->at[frame].lr_state, t);
	if (!action) return GCDC_OK;
	// A newline that decides columns and that is ignored here has an entry of its own, as pending.
	if (UNLIKELY(a->info.n_lines && t == a->info.newline && action == ACTION_SKIP)) return GCDC_OK;
	struct local_stack s;
	s.base = frame;
	s.owned = false;
	s.n = 0;
	gcdc_status status = GCDC_OK;
	enum push pushed = push_one(m, &s, t);
	if (LIKELY(!pushed)) {
		if (control == COST_AT_END) {
			*price = has_end(a, local_top(m->pool, &s)) ? 0 : PRICE_NEVER;
		} else {
			status = local_to_frames(m->pool, &s);
			if (!status) status = price_frame_in(m, s.base, columns, control, price);
		}
		local_release(m->pool, &s);
		return status;
	}
	if (pushed != PUSH_FORKS) return push_status(pushed);
	const uint32_t *tops;
	uint32_t n_tops;
	status = graph_push(m, &frame, 1, t, &tops, &n_tops);
	for (uint32_t i = 0; i < n_tops; i++) {
		uint32_t value = PRICE_NEVER;
		if (!status) status = price_top(m, tops[i], columns, control, &value);
		if (value < *price) *price = value;
	}
	for (uint32_t i = 0; i < n_tops; i++) frame_unref(m->pool, tops[i]);
	return status;
}

// ---- Columns.
static uint32_t blanks(const struct gcdc_artifact *a, uint32_t n)
{
	return n < a->cost_info->n_blanks ? a->cost_blanks[n] : PRICE_NEVER;
}

// Tokens that bring a pending newline from a column to another: blanks, perhaps after one more newline.
static uint32_t to_column(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t from, uint32_t to)
{
	uint32_t on = from <= to ? blanks(a, to - from) : PRICE_NEVER;
	uint32_t c = a->info.class_of['\n'],
			 next = a->lex_next[(uint64_t)lex_state * a->info.n_classes + c] & LEX_STATE_MASK;
	uint32_t again = a->lex_states[next].flags & LEX_LINE ? price_sum(blanks(a, to), 1) : PRICE_NEVER;
	return on < again ? on : again;
}

static gcdc_status price_tops(struct gcdc_matcher *m, const struct vec32 *tops, uint32_t columns, uint32_t control,
                              uint32_t more, uint32_t *price)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < tops->n && !status && more != PRICE_NEVER; i++) {
		uint32_t value;
		status = price_top(m, tops->at[i], columns, control, &value);
		value = price_sum(value, more);
		if (!status && value < *price) *price = value;
	}
	return status;
}

// A newline is pending that will decide columns: each that it can, with what it costs to get there.
static gcdc_status price_line(struct gcdc_matcher *m, struct reading r, uint32_t column,
                              const struct artifact_cost_emit *e, uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	struct frame_pool *pool = m->pool;
	uint32_t columns = r.columns, open = column_of(pool, columns);
	gcdc_status status = take_frames(m, &r.frame, 1, &m->tops);
	if (!status) status = push_tops(m, &m->tops, a->info.newline);
	if (!status)
		status = price_tops(m, &m->tops, columns, e->control,
		                    price_sum(to_column(a, r.lex_state, column, open), e->weight), price);
	if (!status) status = take_frames(m, m->tops.at, m->tops.n, &m->tops_inside);
	if (!status) {
		struct vec32 outside = m->tops;
		m->tops = m->tops_inside, m->tops_inside = outside;
		status = push_tops(m, &m->tops, a->info.indent);
		// As deep as it is, or one column in: there is most capacity.
		for (uint32_t k = 0, deeper = open + 1; k < 2 && !status && m->tops.n; k++, deeper = column) {
			if (k && (column <= open + 1 || column > ARTIFACT_MAX_COLUMN)) break;
			if (!frame_reserve(pool, 1)) status = GCDC_ERR_MEMORY;
			if (status) break;
			uint32_t inside = frame_push(pool, columns, deeper);
			status = price_tops(m, &m->tops, inside, e->control,
			                    price_sum(to_column(a, r.lex_state, column, deeper), e->weight), price);
			frame_unref(pool, inside);
		}
		release_tops(m, &m->tops);
		outside = m->tops_inside;
		m->tops_inside = m->tops, m->tops = outside;
	}
	while (!status && m->tops.n && columns != FRAME_BOTTOM) {
		columns = pool->at[columns].parent;
		status = push_tops(m, &m->tops, a->info.dedent);
		uint32_t more = to_column(a, r.lex_state, column, column_of(pool, columns));
		if (!status) status = price_tops(m, &m->tops, columns, e->control, price_sum(more, e->weight), price);
	}
	release_tops(m, &m->tops);
	return status;
}

// What the emissions of a row that a newline's column is asked for need on this top.
static gcdc_status price_decided(struct gcdc_matcher *m, uint32_t row, uint32_t top, uint32_t columns, uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = GCDC_OK;
	*price = PRICE_NEVER;
	for (uint32_t i = a->cost_rows[row]; i < a->cost_rows[row + 1] && !status; i++) {
		const struct artifact_cost_emit *e = &a->cost_emits[i];
		uint32_t value;
		if (e->terminal != a->info.n_terminals || !e->weight) continue;
		status = price_top(m, top, columns, e->control, &value);
		value = price_sum(value, e->weight);
		if (!status && value < *price) *price = value;
	}
	return status;
}

// One more terminal on a top, where it is viable; else *top is 0. Lets go of the old one.
static enum push push_on(struct gcdc_matcher *m, uint32_t *top, uint32_t t)
{
	uint32_t old = *top;
	enum push pushed = PUSH_DONE;
	*top = 0;
	if (artifact_action(m->artifact, m->pool->at[old].lr_state, t)) pushed = price_push(m, old, t, top);
	frame_unref(m->pool, old);
	return pushed == PUSH_NONE ? PUSH_DONE : pushed;
}

gcdc_status price_push_tops(struct gcdc_matcher *m, struct vec32 *tops, uint32_t t)
{
	uint32_t top;
	if (tops->n != 1 || !artifact_action(m->artifact, m->pool->at[tops->at[0]].lr_state, t))
		return push_tops(m, tops, t);
	enum push pushed = price_push(m, tops->at[0], t, &top);
	if (pushed == PUSH_FORKS || pushed == PUSH_NONE) return push_tops(m, tops, t);
	frame_unref(m->pool, tops->at[0]);
	tops->n = 0;
	if (!pushed) tops->at[tops->n++] = top;
	return push_status(pushed);
}

// Does the text end on this top, perhaps after dedents? Lets go of the top. In a valid file each dedent has an indent
// on the stack; in a forged one there may be no end of them.
static enum push ends_here(struct gcdc_matcher *m, uint32_t top, bool *ends)
{
	enum push pushed = PUSH_DONE;
	uint32_t fuel = frame_depth(m->pool, top) + m->artifact->info.n_lr_states;
	*ends = false;
	while (top && !pushed && fuel-- && !(*ends = has_end(m->artifact, m->pool->at[top].lr_state)))
		pushed = push_on(m, &top, m->artifact->info.dedent);
	if (top) frame_unref(m->pool, top);
	return pushed;
}

// Columns deeper than the one open, by how much capacity they leave: the first, or all. is_deeper: that one is not
// known, but leaves capacity.
static gcdc_status price_deeper(struct gcdc_matcher *m, uint32_t row, uint32_t inside, uint32_t columns, bool is_deeper,
                                bool all)
{
	struct frame_pool *pool = m->pool;
	const struct artifact_cost_info *c = m->artifact->cost_info;
	uint32_t before = PRICE_NO_CAPACITY, open = columns;
	gcdc_status status = GCDC_OK;
	if (!frame_reserve(pool, 2)) return GCDC_ERR_MEMORY;
	if (is_deeper) open = frame_push(pool, columns, column_of(pool, columns) + 1);
	// Rooms get fewer, one a column in the end; what has none has no price.
	for (uint32_t first = column_of(pool, open) + 1, column = first; column <= c->n_blanks && !status; column++) {
		if (!frame_reserve(pool, 1)) status = GCDC_ERR_MEMORY;
		if (status) break;
		if (column > first && column + c->top_capacity <= c->n_blanks) column = c->n_blanks - c->top_capacity + 1;
		uint32_t deeper = frame_push(pool, open, column), capacity = price_capacity(m->artifact, pool, deeper);
		if (capacity != before && capacity != PRICE_NO_CAPACITY)
			status = price_decided(m, row, inside, deeper, &pool->prices->deeper[capacity]);
		frame_unref(pool, deeper);
		before = capacity;
		if (!all && !is_deeper) break;
	}
	if (is_deeper) frame_unref(pool, open);
	return status;
}

enum push price_lines(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, bool is_deeper, uint32_t lex_state,
                      bool all)
{
	const struct gcdc_artifact *a = m->artifact;
	struct frame_pool *pool = m->pool;
	struct price_book *b = pool->prices;
	uint32_t row = a->cost_row_of[lex_state], top = frame, value;
	bool may_end = a->lex_states[lex_state].flags & LEX_MAY_END;
	enum push pushed = PUSH_DONE;
	for (uint32_t capacity = 0; capacity <= a->cost_info->top_capacity; capacity++) b->deeper[capacity] = PRICE_NEVER;
	b->targets.n = 0, b->deeper_ends = false,
	b->open = is_deeper ? COLUMN_BAD - 2 : column_of(pool, columns);  // -2: no blanks lead there, or deeper
	frame_ref(pool, top);
	if (artifact_action(a, pool->at[top].lr_state, a->info.indent)) {
		uint32_t inside = top;
		frame_ref(pool, top);
		pushed = push_on(m, &inside, a->info.indent);
		if (!pushed && inside) pushed = push_of(price_deeper(m, row, inside, columns, is_deeper, all));
		if (!pushed && inside && may_end)
			pushed = ends_here(m, inside, &b->deeper_ends);
		else if (inside)
			frame_unref(pool, inside);
	}
	for (uint32_t column = b->open; !pushed && top; column = column_of(pool, columns)) {
		pushed = push_of(price_decided(m, row, top, columns, &value));
		const uint32_t target[] = {column, value, may_end && has_end(a, pool->at[top].lr_state)};
		for (int i = 0; i < 3 && !pushed; i++)
			if (!vec32_push(&a->memory, &b->targets, target[i])) pushed = push_of(GCDC_ERR_MEMORY);
		if (pushed || (columns == FRAME_BOTTOM && !is_deeper)) break;
		if (!is_deeper) columns = pool->at[columns].parent;
		is_deeper = false;
		pushed = push_on(m, &top, a->info.dedent);
	}
	bool ends = false;  // as the end of the text makes dedents, each of these ends if one that is farther out does
	if (top && !pushed && may_end && !has_end(a, pool->at[top].lr_state)) {
		frame_ref(pool, top);
		pushed = ends_here(m, top, &ends);
	}
	for (uint32_t i = b->targets.n; i; i -= 3) b->targets.at[i - 1] = ends |= b->targets.at[i - 1] != 0;
	if (top) frame_unref(pool, top);
	return pushed;
}

// Of a column that is deeper than the one open, blanks lead there from this one.
static uint32_t price_inside(const struct gcdc_matcher *m, uint32_t lex_state, uint32_t column, uint32_t target)
{
	const struct artifact_cost_info *c = m->artifact->cost_info;
	const struct price_book *b = m->pool->prices;
	uint32_t capacity = c->top_capacity;
	if (target >= c->n_blanks)
		capacity = b->open >= c->n_blanks ? PRICE_NO_CAPACITY : 0;
	else if (c->n_blanks - target < capacity)
		capacity = c->n_blanks - target;
	return capacity == PRICE_NO_CAPACITY
	           ? PRICE_NEVER
	           : price_sum(b->deeper[capacity], to_column(m->artifact, lex_state, column, target));
}

uint32_t price_of_column(const struct gcdc_matcher *m, uint32_t lex_state, uint32_t column)
{
	const struct price_book *b = m->pool->prices;
	bool is_deeper = column > b->open && column <= ARTIFACT_MAX_COLUMN;
	if (is_deeper && b->deeper_ends) return 0;
	uint32_t price = price_inside(m, lex_state, column, b->open + 1);
	if (is_deeper && column > b->open + 1) {
		uint32_t here = price_inside(m, lex_state, column, column);
		if (here < price) price = here;
	}
	for (uint32_t i = 0; i < b->targets.n; i += 3) {
		if (b->targets.at[i + 2] && b->targets.at[i] == column) return 0;
		uint32_t x = price_sum(b->targets.at[i + 1], to_column(m->artifact, lex_state, column, b->targets.at[i]));
		if (x < price) price = x;
	}
	return price;
}

// A column from where no blanks lead anywhere: only one more newline does.
uint32_t price_of_any_column(const struct gcdc_matcher *m, uint32_t lex_state)
{
	return price_of_column(m, lex_state, COLUMN_BAD);
}

// What takes more than `most` is not looked for.
static gcdc_status price_row(struct gcdc_matcher *m, struct reading r, uint32_t row, uint32_t column, uint32_t most,
                             uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = a->cost_rows[row]; i < a->cost_rows[row + 1] && !status; i++) {
		const struct artifact_cost_emit *e = &a->cost_emits[i];
		if (e->weight >= *price || e->weight > most) break;
		uint32_t value = PRICE_NEVER;
		if (e->terminal == ARTIFACT_NONE) {
			status = price_top(m, r.frame, r.columns, e->control, &value);
		} else if (UNLIKELY(e->terminal == a->info.n_terminals)) {
			uint32_t action = artifact_action(a, m->pool->at[r.frame].lr_state, a->info.newline);
			bool is_ignored = a->terminals[a->info.newline].flags & TERMINAL_IGNORED || action == ACTION_SKIP;
			if (is_ignored)
				status = price_top(m, r.frame, r.columns, e->control, &value);
			else if (action && a->lex_states[r.lex_state].flags & LEX_LINE && e->weight)
				status = price_line(m, r, column, e, price);
		} else {
			status = price_shifted(m, r.frame, r.columns, e->terminal, e->control, &value);
		}
		value = price_sum(value, e->weight);
		if (!status && value < *price) *price = value;
	}
	return status;
}

gcdc_status price_lexeme(struct gcdc_matcher *m, struct reading r, uint32_t column, uint32_t *price)
{
	return price_row(m, r, m->artifact->cost_row_of[r.lex_state], column, PRICE_NEVER, price);
}

gcdc_status price_group_of(struct gcdc_matcher *m, uint32_t frame, uint32_t row, uint32_t most, uint32_t *price)
{
	uint32_t control = m->artifact->cost_info->n_controls + row;  // rows are kept behind the questions
	if (LIKELY(look_up(m->pool, frame, control, price))) return GCDC_OK;
	*price = PRICE_NEVER;
	gcdc_status status = price_row(m, (struct reading){.frame = frame}, row, 0, most, price);
	return status || *price > most ? status : keep(m->pool, frame, control, *price);
}

gcdc_status position_price(struct gcdc_matcher *m, const struct position *p, uint32_t *price)
{
	bool ends;
	*price = PRICE_NEVER;
	gcdc_status status = position_ends(m, p, &ends);
	if (!status && ends) *price = 0;
	for (uint32_t i = 0; i < p->n && !status && *price; i++) status = price_lexeme(m, p->at[i], p->column, price);
	return status;
}
