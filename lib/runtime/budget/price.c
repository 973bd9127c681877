// Completion costs: how many tokens a text needs at least from a position to its end.
//
// In:  a position, the artifact's tables of costs.  Out: the fewest tokens to the end of the text.
// The pending lexeme can end in some ways, each in so many tokens (a row of COST_EMIT). Its terminal is pushed, and the
// top is asked what is still to come (price_book.c, price_capacity.c). Cost: for each way to end a push and a look-up.
#include "price_book.h"

#define RAISED 0x80000000u  // not a terminal but a number of price_raise

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
// Branches: a line goes on in its block, opens one at two widths, or closes any number; each step may fail.
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
static gcdc_status price_deeper(struct gcdc_matcher *m, uint32_t row, uint32_t inside, uint32_t columns, bool is_deeper)
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
			status = price_decided(m, row, inside, deeper, &pool->prices->line->deeper[capacity]);
		frame_unref(pool, deeper);
		before = capacity;
		if (!pool->prices->line->all && !is_deeper) break;
	}
	if (is_deeper) frame_unref(pool, open);
	return status;
}

// As the end of the text makes dedents, each target ends if one that is farther out does. top: behind all dedents,
// where the text may end by itself; 0: it may not.
static enum push mark_ends(struct gcdc_matcher *m, uint32_t top)
{
	struct priced_lines *b = m->pool->prices->line;
	enum push pushed = PUSH_DONE;
	bool ends = false;
	if (top && !has_end(m->artifact, m->pool->at[top].lr_state)) {
		frame_ref(m->pool, top);
		pushed = ends_here(m, top, &ends);
	}
	for (uint32_t i = b->targets.n; i; i -= 3) b->targets.at[i - 1] = ends |= b->targets.at[i - 1] != 0;
	return pushed;
}

// Branches: the columns of a line open a block, stay, or close any number; each push may fork, and frames are given
// back.
static enum push price_lines_anew(struct gcdc_matcher *m, struct priced_lines *x)
{
	const struct gcdc_artifact *a = m->artifact;
	struct frame_pool *pool = m->pool;
	uint32_t row = a->cost_row_of[lex_base(a, x->lex_state)], top = x->frame, columns = x->columns, value;
	bool may_end = a->lex_states[lex_base(a, x->lex_state)].flags & LEX_MAY_END, is_deeper = x->is_deeper;
	enum push pushed = PUSH_DONE;
	for (uint32_t capacity = 0; capacity <= a->cost_info->top_capacity; capacity++) x->deeper[capacity] = PRICE_NEVER;
	x->targets.n = 0, x->deeper_ends = false,
	x->open = is_deeper ? COLUMN_BAD - 2 : column_of(pool, columns);  // -2: no blanks lead there, or deeper
	frame_ref(pool, top);
	if (artifact_action(a, pool->at[top].lr_state, a->info.indent)) {
		uint32_t inside = top;
		frame_ref(pool, top);
		pushed = push_on(m, &inside, a->info.indent);
		if (!pushed && inside) pushed = push_of(price_deeper(m, row, inside, columns, is_deeper));
		if (!pushed && inside && may_end)
			pushed = ends_here(m, inside, &x->deeper_ends);
		else if (inside)
			frame_unref(pool, inside);
	}
	for (uint32_t column = x->open; !pushed && top; column = column_of(pool, columns)) {
		pushed = push_of(price_decided(m, row, top, columns, &value));
		const uint32_t target[] = {column, value, may_end && has_end(a, pool->at[top].lr_state)};
		for (int i = 0; i < 3 && !pushed; i++)
			if (!vec32_push(&a->memory, &x->targets, target[i])) pushed = push_of(GCDC_ERR_MEMORY);
		if (pushed || (columns == FRAME_BOTTOM && !is_deeper)) break;
		if (!is_deeper) columns = pool->at[columns].parent;
		is_deeper = false;
		pushed = push_on(m, &top, a->info.dedent);
	}
	if (!pushed) pushed = mark_ends(m, may_end ? top : 0);
	if (top) frame_unref(pool, top);
	return pushed;
}

// The tokens of a line mostly end on the same stacks as those of the mask before.
enum push price_lines(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, bool is_deeper, uint32_t lex_state,
                      bool all)
{
	struct frame_pool *pool = m->pool;
	struct price_book *b = pool->prices;
	struct priced_lines *x = b->line = &b->lines[hash_pair(frame, columns) >> 32 & (LINES_KEPT - 1)];
	uint32_t stamp = pool->cost[frame].stamp, of_columns = pool->cost[columns].stamp;
	if (x->frame == frame && x->columns == columns && x->lex_state == lex_state && x->is_deeper == is_deeper &&
	    x->stamp == stamp && x->stamp_of_columns == of_columns && x->all >= all)
		return PUSH_DONE;
	x->frame = frame, x->columns = columns, x->lex_state = lex_state, x->is_deeper = is_deeper;
	x->stamp = stamp, x->stamp_of_columns = of_columns, x->all = all;
	enum push pushed = price_lines_anew(m, x);
	if (pushed) x->frame = 0;
	return pushed;
}

// Of a column that is deeper than the one open, blanks lead there from this one.
static uint32_t price_inside(const struct gcdc_matcher *m, uint32_t lex_state, uint32_t column, uint32_t target)
{
	const struct artifact_cost_info *c = m->artifact->cost_info;
	const struct priced_lines *b = m->pool->prices->line;
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
	const struct priced_lines *b = m->pool->prices->line;
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
			else if (action && a->lex_states[lex_base(a, r.lex_state)].flags & LEX_LINE && e->weight)
				status = price_line(m, r, column, e, price);
		} else {
			status = price_shifted(m, r.frame, r.columns, e->terminal, e->control, &value);
		}
		value = price_sum(value, e->weight);
		if (!status && value < *price) *price = value;
	}
	return status;
}

// A lexeme is pending, in a text whose last blanks make this column. Lowers *price to what that takes, if it is less.
static gcdc_status price_lexeme(struct gcdc_matcher *m, struct reading r, uint32_t column, uint32_t *price)
{
	return price_row(m, r, m->artifact->cost_row_of[lex_base(m->artifact, r.lex_state)], column, PRICE_NEVER, price);
}

gcdc_status price_group_of(struct gcdc_matcher *m, uint32_t frame, uint32_t row, uint32_t most, uint32_t *price)
{
	uint32_t control = m->artifact->cost_info->n_controls + row;  // rows are kept behind the questions
	if (LIKELY(price_known(m->pool, frame, control, price))) return GCDC_OK;
	*price = PRICE_NEVER;
	gcdc_status status = price_row(m, (struct reading){.frame = frame}, row, 0, most, price);
	return status || *price > most ? status : price_keep(m->pool, frame, control, *price);
}

static gcdc_status price_anew(struct gcdc_matcher *m, const struct position *p, uint32_t *price)
{
	bool ends;
	*price = PRICE_NEVER;
	gcdc_status status = position_ends(m, p, &ends);
	if (!status && ends) *price = 0;
	for (uint32_t i = 0; i < p->n && !status && *price; i++) status = price_lexeme(m, p->at[i], p->column, price);
	return status;
}

// Where all texts begin; each family of matchers asks it.
static bool is_start(const struct gcdc_artifact *a, const struct priced *x)
{
	return x->frame == FRAME_BOTTOM && x->lex_state == a->info.start_lex_state && !x->column &&
	       x->columns == (a->info.n_lines ? FRAME_BOTTOM : 0);
}

static bool is_as_of(const struct priced *x, const struct priced *key)
{
	return x->frame == key->frame && x->stamp == key->stamp && x->lex_state == key->lex_state &&
	       x->columns == key->columns && x->stamp_of_columns == key->stamp_of_columns && x->column == key->column;
}

// A budget is mostly set where the least number of tokens has just been asked for.
gcdc_status position_price(struct gcdc_matcher *m, const struct position *p, uint32_t *price)
{
	if (p->n != 1) return price_anew(m, p, price);
	const struct gcdc_artifact *a = m->artifact;
	const struct frame_cost *cost = m->pool->cost;
	const struct reading *r = p->at;
	struct priced key = {r->frame, cost[r->frame].stamp, r->lex_state, r->columns, cost[r->columns].stamp, p->column,
	                     0};
	struct priced *x = &m->pool->prices->priced[r->frame % PRICED_KEPT];
	uint32_t *start_price = is_start(a, &key) ? &((struct gcdc_artifact *)(uintptr_t)a)->start_price : NULL;
	if (start_price && (*price = __atomic_load_n(start_price, __ATOMIC_RELAXED))) return GCDC_OK;
	if (is_as_of(x, &key)) {
		*price = x->price;
		return GCDC_OK;
	}
	gcdc_status status = price_anew(m, p, price);
	if (status) return status;
	if (start_price) __atomic_store_n(start_price, *price, __ATOMIC_RELAXED);
	key.price = *price;
	*x = key;
	return GCDC_OK;
}
