// Columns: what a newline's last blanks do to the stacks (formats/artifact.md, 5).
//
// In:  stacks on which a newline is taken, the column of the text there, the columns that are open.
// Out: the stacks with the newline and the indent or dedents on them, the columns then open; for masks, the sets of
// tokens that begin with blanks, by what their column would do.
// Open columns are a list, shared and counted as stacks are and made of the same records: lr_state is the column,
// FRAME_BOTTOM stands for column 0. The column of the text is a number in the position.
// Cost: one push for each indent or dedent; for a mask, one for each open column.
#include "../core/matcher_step.h"

uint32_t column_of(const struct frame_pool *pool, uint32_t columns)
{
	return columns == FRAME_BOTTOM ? 0 : pool->at[columns].lr_state;
}

uint32_t text_column(const struct gcdc_artifact *a, uint32_t column, const uint8_t *bytes, const uint8_t *end)
{
	const uint8_t *at = end;
	while (at > bytes && (at[-1] == ' ' || at[-1] == '\t')) at--;
	if (at > bytes) column = 0;
	for (; at < end && column <= ARTIFACT_MAX_COLUMN; at++) {
		if (*at == ' ')
			column++;
		else if (a->info.tab_rule == ARTIFACT_TAB_REFUSED)
			column = COLUMN_BAD;
		else if (a->info.tab_rule == ARTIFACT_TAB_COUNTS)
			column += a->info.tab;
		else
			column = (column / a->info.tab + 1) * a->info.tab;
	}
	return column;
}

bool is_line_end(const struct gcdc_matcher *m, const struct artifact_lex_state *lex, uint32_t frame)
{
	if (!(lex->flags & LEX_LINE)) return false;
	uint32_t x = artifact_action(m->artifact, m->pool->at[frame].lr_state, lex->terminal);
	return x && x != ACTION_SKIP;
}

void release_tops(struct gcdc_matcher *m, struct vec32 *tops)
{
	for (uint32_t i = 0; i < tops->n; i++) frame_unref(m->pool, tops->at[i]);
	tops->n = 0;
}

gcdc_status push_tops(struct gcdc_matcher *m, struct vec32 *tops, uint32_t t)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t n = 0;
	for (uint32_t i = 0; i < tops->n; i++) {
		if (artifact_action(a, m->pool->at[tops->at[i]].lr_state, t))
			tops->at[n++] = tops->at[i];
		else
			frame_unref(m->pool, tops->at[i]);
	}
	tops->n = n;
	if (!n) return GCDC_OK;
	enum push pushed = PUSH_FORKS;
	if (LIKELY(n == 1)) {
		struct local_stack s = {.base = tops->at[0]};
		pushed = push_one(m, &s, t);
		if (!pushed) pushed = push_of(local_to_frames(m->pool, &s));
		if (!pushed) {
			frame_unref(m->pool, tops->at[0]);
			tops->at[0] = s.base;
			return GCDC_OK;
		}
		if (pushed != PUSH_FORKS) local_release(m->pool, &s);
	}
	const uint32_t *made = NULL;
	uint32_t n_made = 0;
	gcdc_status status = push_status(pushed);
	if (pushed == PUSH_FORKS) status = graph_push(m, tops->at, n, t, &made, &n_made);
	release_tops(m, tops);
	for (uint32_t i = 0; i < n_made; i++) {
		if (!status && !vec32_push(&a->memory, tops, made[i])) status = GCDC_ERR_MEMORY;
		if (status) frame_unref(m->pool, made[i]);
	}
	if (status) release_tops(m, tops);
	return status;
}

gcdc_status take_frames(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, struct vec32 *tops)
{
	tops->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!vec32_push(&m->artifact->memory, tops, frames[i])) {
			release_tops(m, tops);
			return GCDC_ERR_MEMORY;
		}
		frame_ref(m->pool, frames[i]);
	}
	return GCDC_OK;
}

gcdc_status push_line(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, uint32_t column, struct vec32 *tops,
                      uint32_t *columns)
{
	const struct artifact_info *i = &m->artifact->info;
	struct frame_pool *pool = m->pool;
	tops->n = 0;
	if (column == COLUMN_BAD) return GCDC_OK;
	if (column > ARTIFACT_MAX_COLUMN) return GCDC_ERR_LIMIT;
	gcdc_status status = take_frames(m, frames, n, tops);
	if (!status) status = push_tops(m, tops, i->newline);
	if (status) return status;
	if (column > column_of(pool, *columns)) {
		status = push_tops(m, tops, i->indent);
		if (status || !tops->n) return status;
		if (!frame_reserve(pool, 1)) {
			release_tops(m, tops);
			return GCDC_ERR_MEMORY;
		}
		uint32_t deeper = frame_push(pool, *columns, column);
		frame_unref(pool, *columns);
		*columns = deeper;
		return GCDC_OK;
	}
	while (column < column_of(pool, *columns) && tops->n && !status) {
		status = push_tops(m, tops, i->dedent);
		uint32_t outer = pool->at[*columns].parent;
		assert(column_of(pool, outer) < column_of(pool, *columns));  // open columns ascend
		frame_ref(pool, outer);
		frame_unref(pool, *columns);
		*columns = outer;
	}
	if (column != column_of(pool, *columns)) release_tops(m, tops);
	return status;
}

gcdc_status cut_line(struct gcdc_matcher *m, struct position *p, const uint32_t *frames, uint32_t n,
                     const struct lexeme_end *e)
{
	struct vec32 *tops = &m->tops;
	struct lexeme_end behind = *e;
	uint32_t column = text_column(m->artifact, m->step_column, m->step_begin, m->step_at);
	m->n_lines_read++;
	frame_ref(m->pool, behind.columns);
	gcdc_status status = push_line(m, frames, n, column, tops, &behind.columns);
	for (uint32_t i = 0; i < tops->n; i++) {
		struct local_stack s = {.base = tops->at[i], .owned = true};
		if (!status)
			status = after_terminal(m, p, &s, &behind);
		else
			local_release(m->pool, &s);
	}
	tops->n = 0;
	frame_unref(m->pool, behind.columns);
	return status;
}

// ---- Masks while a newline is pending.
// The starts of row `row` on all tops.
static gcdc_status take_row(struct gcdc_matcher *m, struct line_reader *r, uint32_t row)
{
	const struct artifact_info *i = &m->artifact->info;
	gcdc_status status = GCDC_OK;
	for (uint32_t k = 0; k < m->tops.n && !status; k++) {
		uint32_t top = m->artifact->line_tops[m->pool->at[m->tops.at[k]].lr_state];
		if (top == ARTIFACT_NONE) return GCDC_ERR_INTERNAL;
		uint64_t at = i->line_start + ((uint64_t)r->line * i->n_blanks + row) * i->n_line_tops + top;
		status = r->take(r->to, m->tops.at[k], &m->artifact->starts[at], m->tops.n > 1);
	}
	return status;
}

// Whether blanks of which one is a tab lead from `column` to exactly `target`; or (deeper) to more than it. A tab leads
// to the next column that is a multiple: most often that is known without a division.
static bool tab_leads(const struct artifact_info *i, const struct artifact_blank *b, uint32_t column, uint32_t target,
                      bool deeper)
{
	const uint64_t at = (uint64_t)column + b->spaces, to = (uint64_t)target - b->rest, tab = i->tab;
	if (b->rest > target || at >= to) return deeper;
	return at + tab >= to && (deeper ? (at / tab + 1) * tab > to : to % tab == 0);
}

// Tokens whose blanks lead from `column` to exactly `target`; or (deeper) to more than it.
static gcdc_status take_rows(struct gcdc_matcher *m, struct line_reader *r, uint32_t column, uint32_t target,
                             bool deeper)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_info *i = &a->info;
	gcdc_status status = GCDC_OK;
	r->is_deeper = deeper;
	uint32_t least = deeper ? target + 1 : target;
	if (deeper && column > target) least = column;
	for (uint32_t k = 0; k < i->n_widths && !status && column <= least; k++) {
		uint32_t width = least - column;
		if (deeper ? a->blanks[k].spaces < width : a->blanks[k].spaces != width) continue;
		status = take_row(m, r, deeper ? k + i->n_widths : k);
		break;
	}
	if (!deeper && target < i->tab) return status;  // a tab leads farther
	for (uint32_t k = 2 * i->n_widths; k < i->n_blanks && !status; k++)
		if (tab_leads(i, &a->blanks[k], column, target, deeper)) status = take_row(m, r, k);
	return status;
}

// Branches: a line goes on in its block, opens one, or closes any number; each of the three may fail.
gcdc_status lines_read(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t column, struct line_reader *r)
{
	const struct artifact_info *i = &m->artifact->info;
	struct frame_pool *pool = m->pool;
	gcdc_status (*push)(struct gcdc_matcher *, struct vec32 *, uint32_t) = r->push ? r->push : push_tops;
	if (column > ARTIFACT_MAX_COLUMN) return GCDC_OK;
	m->n_lines_read++;
	gcdc_status status = take_frames(m, &frame, 1, &m->tops);
	if (!status) status = push(m, &m->tops, i->newline);
	if (status || !m->tops.n) return status;
	uint32_t target = column_of(pool, columns);
	r->columns = columns;
	if (column <= target) status = take_rows(m, r, column, target, false);
	bool can_indent = false;
	for (uint32_t k = 0; k < m->tops.n; k++)
		can_indent |= artifact_action(m->artifact, pool->at[m->tops.at[k]].lr_state, i->indent) != 0;
	if (can_indent && !status) {
		struct vec32 same = m->tops;
		m->tops = m->tops_inside;
		m->tops_inside = same;
		status = take_frames(m, same.at, same.n, &m->tops);
		if (!status) status = push(m, &m->tops, i->indent);
		if (!status) status = take_rows(m, r, column, target, true);
		release_tops(m, &m->tops);
		same = m->tops;
		m->tops = m->tops_inside;
		m->tops_inside = same;
	}
	while (!status && m->tops.n && columns != FRAME_BOTTOM) {
		columns = r->columns = pool->at[columns].parent;
		target = column_of(pool, columns);
		if (column > target) break;
		status = push(m, &m->tops, i->dedent);
		if (!status) status = take_rows(m, r, column, target, false);
	}
	release_tops(m, &m->tops);
	return status;
}
