// The book of prices: what frames answer to questions, and which frames are asked for that.
//
// In:  a frame, a question.  Out: the fewest tokens to the end of the text, once the frame is the top; a bound of them.
// The answer of a frame is the end of the text, or questions to frames below (lib/tables/costs.h). Answers depend on
// the frames below alone, so forks share them and rolling back costs nothing. A frame that is used anew has a new
// stamp, which makes its old answers void. Lexemes and columns are not here: price.c, price_capacity.c.
// Cost: a look-up; a new frame is asked a few questions, once.
#include "price_book.h"

#include "step_table.h"

#define BOOK_AT_FIRST 1024u

static struct price_book *price_book_new(const gcdc_memory *memory)
{
	struct price_book *b = memory_resize(memory, NULL, 1, sizeof *b);
	if (b) *b = (struct price_book){0};
	return b;
}

static void price_book_free(const gcdc_memory *memory, struct price_book *b)
{
	if (!b) return;
	memory_free(memory, b->at);
	memory_free(memory, b->spare);
	memory_free(memory, b->jobs.at);
	memory_free(memory, b->capacity.jobs.at);
	memory_free(memory, b->capacity.level.at);
	memory_free(memory, b->capacity.below.at);
	memory_free(memory, b->level.at);
	memory_free(memory, b->below.at);
	for (uint32_t i = 0; i < LINES_KEPT; i++) memory_free(memory, b->lines[i].targets.at);
	memory_free(memory, b);
}

static void forget_costs(struct frame_pool *pool)
{
	for (uint32_t i = 0; pool->prices && i < PUSHED_KEPT; i++)
		if (pool->prices->pushed[i].top) frame_unref(pool, pool->prices->pushed[i].top);
	price_book_free(pool->memory, pool->prices);
	step_table_leave(pool->step_table);
}

// Room for one more; answers of frames that are gone are left out. Two tables take turns, so that only more frames ask
// for more memory.
static bool make_room(struct frame_pool *pool)
{
	struct price_book *b = pool->prices, old = *b;
	uint32_t live = 0;
	for (uint32_t i = 0; i < old.cap; i++)
		live += old.at[i].frame && old.at[i].stamp == pool->cost[old.at[i].frame].stamp;
	uint32_t cap = old.cap ? old.cap : BOOK_AT_FIRST;
	while ((uint64_t)live * 4 >= cap) cap *= 2;
	bool same = cap == old.cap;
	struct price *at = same ? old.spare : memory_resize(pool->memory, NULL, cap, sizeof *at);
	struct price *spare = same ? old.at : memory_resize(pool->memory, NULL, cap, sizeof *spare);
	if (!at || !spare) {
		if (!same) memory_free(pool->memory, at), memory_free(pool->memory, spare);
		return false;
	}
	memset(at, 0, cap * sizeof *at);
	b->at = at, b->spare = spare, b->cap = cap, b->n = 0;
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct price *x = &old.at[i];
		if (!x->frame || x->stamp != pool->cost[x->frame].stamp) continue;
		*price_find(b, x->frame, x->control) = *x;
		b->n++;
	}
	if (same) return true;
	memory_free(pool->memory, old.at);
	memory_free(pool->memory, old.spare);
	return true;
}

gcdc_status prices_open(struct gcdc_matcher *m)
{
	struct frame_pool *pool = m->pool;
	if (!m->artifact->cost_info) return GCDC_ERR_COSTS;
	if (LIKELY(pool->prices != NULL)) return GCDC_OK;
	if (!pool->cost && !frame_costs_grow(pool, pool->cap)) return GCDC_ERR_MEMORY;
	pool->cost[FRAME_BOTTOM].class = 1, pool->cost[FRAME_BOTTOM].least = 0;
	pool->forget_costs = forget_costs;
	if (!pool->step_table) pool->step_table = step_table_take(m->artifact);
	if (!pool->step_table) return GCDC_ERR_MEMORY;
	pool->most = 0;
	for (uint32_t q = 0; q < m->artifact->info.n_lex_states; q++)
		if (m->artifact->cost_most[q] > pool->most) pool->most = m->artifact->cost_most[q];
	pool->prices = price_book_new(pool->memory);
	return pool->prices && make_room(pool) ? GCDC_OK : GCDC_ERR_MEMORY;
}

gcdc_status price_keep(struct frame_pool *pool, uint32_t frame, uint32_t control, uint32_t value)
{
	struct price_book *b = pool->prices;
	if (UNLIKELY(2 * (uint64_t)b->n >= b->cap) && !make_room(pool)) return GCDC_ERR_MEMORY;
	struct price *x = price_find(b, frame, control);
	b->n += !x->frame;
	*x = (struct price){frame, pool->cost[frame].stamp, control, value};
	return GCDC_OK;
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

// What is known so far of an answer, and whether that is all.
struct partial_answer {
	uint32_t best;
	bool done;
};

// What a frame below answers to the step's control; where that is not known, it goes on the jobs.
static inline gcdc_status take_below(struct gcdc_matcher *m, uint32_t below, const struct artifact_cost_step *s,
                                     struct partial_answer *x)
{
	struct vec32 *jobs = &m->pool->prices->jobs;
	uint32_t value;
	if (LIKELY(price_known(m->pool, below, s->control, &value))) {
		value = price_sum(value, s->weight);
		if (value < x->best) x->best = value;
		return GCDC_OK;
	}
	x->done = false;
	bool ok = vec32_push(&m->artifact->memory, jobs, below) && vec32_push(&m->artifact->memory, jobs, s->control);
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Over one stack there is one frame so far down; else as many as price_go_down finds.
static inline gcdc_status take_step(struct gcdc_matcher *m, uint32_t frame, const struct artifact_cost_step *s,
                                    struct partial_answer *x)
{
	const struct frame *frames = m->pool->at;
	struct vec32 *level = &m->pool->prices->level;
	if (LIKELY(!(frames[frame].depth & FRAME_BRANCHED))) {
		for (uint32_t pop = s->pop; pop && frame; pop--) frame = frames[frame].parent;
		return LIKELY(frame != 0) ? take_below(m, frame, s, x) : GCDC_OK;
	}
	gcdc_status status = price_go_down(m, frame, s->pop, level, &m->pool->prices->below);
	for (uint32_t k = 0; k < level->n && !status; k++) status = take_below(m, level->at[k], s, x);
	return status;
}

// The answer if all that it needs is known; else what it needs goes on the jobs.
static gcdc_status answer(struct gcdc_matcher *m, uint32_t frame, uint32_t control, bool *done)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_cost_list *list = price_list(a, m->pool->at[frame].lr_state, control);
	struct partial_answer x = {list ? list->final : PRICE_NEVER, true};
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; list && i < list->n && !status; i++) {
		const struct artifact_cost_step *s = &a->cost_steps[list->first + i];
		if (s->weight >= x.best) break;
		status = take_step(m, frame, s, &x);
	}
	*done = x.done;
	return x.done && !status ? price_keep(m->pool, frame, control, x.best) : status;
}

gcdc_status price_frame(struct gcdc_matcher *m, uint32_t frame, uint32_t control, uint32_t *price)
{
	struct price_book *b = m->pool->prices;
	if (LIKELY(price_known(m->pool, frame, control, price))) return GCDC_OK;
	b->jobs.n = 0;
	bool ok = vec32_push(&m->artifact->memory, &b->jobs, frame) && vec32_push(&m->artifact->memory, &b->jobs, control);
	gcdc_status status = ok ? GCDC_OK : GCDC_ERR_MEMORY;
	while (b->jobs.n && !status) {
		uint32_t f = b->jobs.at[b->jobs.n - 2], q = b->jobs.at[b->jobs.n - 1];
		bool done = price_known(m->pool, f, q, price);
		if (!done) status = answer(m, f, q, &done);
		if (done) b->jobs.n -= 2;
	}
	if (!status && !price_known(m->pool, frame, control, price)) status = GCDC_ERR_INTERNAL;
	return status;
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
