// Prices where columns run out: what frames answer that lie in columns near the deepest that is priced.
//
// In:  a frame, the columns that are open there, a question.  Out: the fewest tokens to the end of the text. Blanks are
// priced up to a column; so there is a deepest column that can be opened, and a statement that must have an indented
// block cannot be counted on there. How many columns more can be opened where a frame is the top is its *indent
// capacity* (formats/artifact.h). From top_capacity on, answers are those of COST_TRANSITION, and the frames below have
// as much capacity; with less, COST_LOW is asked, and each frame below has the capacity of its own column: an indent
// between two frames is where the column changes. A completion that counts on a capacity never opens more columns than
// it has, so each token on its way leaves a frame in a column that has capacity enough for the rest of it. Two columns
// deeper than priced have no capacity at all: nothing is known to end such a text. Cost: as price.c; only frames in the
// last few columns come here. Answers are kept in the same book, under question and capacity.
#include "price_book.h"

uint32_t price_capacity(const struct gcdc_artifact *a, const struct frame_pool *pool, uint32_t columns)
{
	const struct artifact_cost_info *c = a->cost_info;
	if (!columns) return c->top_capacity;  // lines have no columns
	uint32_t deepest = c->n_blanks - 1, column = column_of(pool, columns);
	if (column > deepest) return column_of(pool, pool->at[columns].parent) > deepest ? PRICE_NO_CAPACITY : 0;
	return deepest - column < c->top_capacity ? 1 + deepest - column : c->top_capacity;
}

static const struct artifact_cost_list *list_in(const struct gcdc_artifact *a, uint32_t capacity, uint32_t lr_state,
                                                uint32_t control)
{
	const struct artifact_cost_low *x = a->cost_low;
	uint32_t i, n = a->cost_info->n_low;
	LOWER_BOUND(i, 0, n, low_compare(&x[i], capacity, lr_state, control) < 0);
	if (i < n && !low_compare(&x[i], capacity, lr_state, control)) return &a->cost_lists[x[i].list];
	return price_list(a, lr_state, control);
}

// Is terminal t what stands between a frame of this state and the one above it?
static bool leads(const struct gcdc_artifact *a, uint32_t below, uint32_t t, uint32_t above)
{
	uint32_t action = artifact_action(a, below, t), n = 1;
	const uint32_t *list = &action;
	if (ACTION_IS_CHOICE(action)) list = &a->choice[action & ACTION_CHOICE_MASK], n = *list++;
	for (uint32_t i = 0; i < n; i++)
		if (list[i] < ACTION_SKIP && ACTION_IS_SHIFT(list[i]) && list[i] >> 1 == above) return true;
	return false;
}

// The columns that are open where the frame `pop` below f is the top. Dedents on the way close what indents farther
// down opened.
static uint32_t columns_below(const struct gcdc_matcher *m, uint32_t f, uint32_t pop, uint32_t columns)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t closed = 0;
	while (pop--) {
		uint32_t below = frame_below(m->pool, f).frame, top = m->pool->at[f].lr_state;
		if (!below) return columns;
		if (leads(a, m->pool->at[below].lr_state, a->info.dedent, top))
			closed++;
		else if (leads(a, m->pool->at[below].lr_state, a->info.indent, top) && !(closed && closed--) &&
		         columns != FRAME_BOTTOM)
			columns = m->pool->at[columns].parent;
		f = below;
	}
	return columns;
}

// The answer if all that it needs is known; else what it needs goes on the jobs.
// Branches: frames below may be known, unknown with plenty of capacity, or unknown with little: only these wait as
// jobs.
static gcdc_status answer_in(struct gcdc_matcher *m, uint32_t frame, uint32_t control, uint32_t columns, bool *done)
{
	const struct gcdc_artifact *a = m->artifact;
	struct capacity_work *w = &m->pool->prices->capacity;
	uint32_t capacity = price_capacity(a, m->pool, columns);
	const struct artifact_cost_list *list =
		capacity == PRICE_NO_CAPACITY ? NULL : list_in(a, capacity, m->pool->at[frame].lr_state, control);
	uint32_t best = list ? list->final : PRICE_NEVER;
	*done = true;
	for (uint32_t i = 0; list && i < list->n; i++) {
		const struct artifact_cost_step *s = &a->cost_steps[list->first + i];
		if (s->weight >= best) break;
		gcdc_status status = price_go_down(m, frame, s->pop, &w->level, &w->below);
		uint32_t outer = columns_below(m, frame, s->pop, columns);
		bool low = price_capacity(a, m->pool, outer) != a->cost_info->top_capacity;
		for (uint32_t k = 0; k < w->level.n && !status; k++) {
			uint32_t value, f = w->level.at[k];
			if (!low) {
				status = price_frame(m, f, s->control, &value);
			} else if (!price_known(m->pool, f, price_key(a, s->control, price_capacity(a, m->pool, outer)), &value)) {
				const uint32_t job[] = {f, s->control, outer};
				for (int j = 0; j < 3 && !status; j++)
					if (!vec32_push(&a->memory, &w->jobs, job[j])) status = GCDC_ERR_MEMORY;
				*done = false;
				continue;
			}
			value = price_sum(value, s->weight);
			if (!status && value < best) best = value;
		}
		if (status) return status;
	}
	return *done ? price_keep(m->pool, frame, price_key(a, control, capacity), best) : GCDC_OK;
}

gcdc_status price_frame_in(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t control, uint32_t *price)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t capacity = price_capacity(a, m->pool, columns);
	if (LIKELY(capacity == a->cost_info->top_capacity)) return price_frame(m, frame, control, price);
	*price = PRICE_NEVER;
	if (capacity == PRICE_NO_CAPACITY) return GCDC_OK;
	if (price_known(m->pool, frame, price_key(a, control, capacity), price)) return GCDC_OK;
	struct capacity_work *w = &m->pool->prices->capacity;
	const uint32_t first[] = {frame, control, columns};
	gcdc_status status = GCDC_OK;
	w->jobs.n = 0;
	for (int j = 0; j < 3 && !status; j++)
		if (!vec32_push(&a->memory, &w->jobs, first[j])) status = GCDC_ERR_MEMORY;
	while (w->jobs.n && !status) {
		const uint32_t *job = &w->jobs.at[w->jobs.n - 3], f = job[0], q = job[1], c = job[2];
		bool done = price_known(m->pool, f, price_key(a, q, price_capacity(a, m->pool, c)), price);
		if (!done) status = answer_in(m, f, q, c, &done);
		if (done) w->jobs.n -= 3;
	}
	if (!status && !price_known(m->pool, frame, price_key(a, control, capacity), price)) status = GCDC_ERR_INTERNAL;
	return status;
}

bool price_is_low(const struct gcdc_matcher *m, const struct position *p)
{
	const struct gcdc_artifact *a = m->artifact;
	for (uint32_t k = 0; k < p->n; k++) {
		if (!p->at[k].columns) continue;
		if (price_capacity(a, m->pool, p->at[k].columns) != a->cost_info->top_capacity) return true;
		if (!(a->lex_states[lex_base(a, p->at[k].lex_state)].flags & LEX_LINE) || p->column > ARTIFACT_MAX_COLUMN)
			continue;
		// Tokens with blanks and more may open a column here: in one mask they have one price, that of a frame with
		// capacity.
		uint64_t deepest = (uint64_t)p->column + a->cost_info->opens;
		if (deepest + a->cost_info->top_capacity > a->cost_info->n_blanks) return true;
	}
	return false;
}
