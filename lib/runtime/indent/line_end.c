// The end of a text whose lines have columns.
//
// In:  stacks, how the pending lexeme ends, the columns that are open.  Out: is the text complete?
// Each open column needs a dedent. With `end=newline` a last newline may be lacking. That is asked for nearly every
// mask, so for one stack it is decided on a small array above it: the lexeme's terminal, the newline, the dedents.
// Cost: a push for each of these.
#include "../core/matcher_step.h"

static bool some_end(const struct gcdc_matcher *m, const struct vec32 *tops)
{
	for (uint32_t i = 0; i < tops->n; i++)
		if (artifact_action(m->artifact, m->pool->at[tops->at[i]].lr_state, m->artifact->info.n_terminals)) return true;
	return false;
}

gcdc_status line_ends(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, const struct text_end *e, bool *ends)
{
	struct vec32 *tops = &m->tops;
	gcdc_status status;
	m->n_lines_read++;
	if (e->is_line) {
		uint32_t columns = e->columns;
		frame_ref(m->pool, columns);
		status = push_line(m, frames, n, e->column, tops, &columns);
		frame_unref(m->pool, columns);
	} else {
		status = take_frames(m, frames, n, tops);
		uint32_t t = e->terminal;
		bool is_ignored = t == ARTIFACT_NONE || m->artifact->terminals[t].flags & TERMINAL_IGNORED;
		if (!status && !is_ignored) status = push_tops(m, tops, t);
	}
	// In a valid file each dedent has an indent on the stack; in a forged one there may be no end of them.
	uint32_t fuel = m->artifact->info.n_lr_states;
	for (uint32_t i = 0; i < tops->n; i++) fuel += frame_depth(m->pool, tops->at[i]);
	while (tops->n && !status && !*ends && fuel--) {
		*ends = some_end(m, tops);
		if (!*ends) status = push_tops(m, tops, m->artifact->info.dedent);
	}
	release_tops(m, tops);
	return status;
}

// ---- One stack, one way to end: decided without frames.
static bool has_action(const struct gcdc_matcher *m, const struct local_stack *s, uint32_t t)
{
	return artifact_action(m->artifact, local_top(m->pool, s), t) != 0;
}

// Does the sentence end here, or behind dedents?
static enum push dedents_end(struct gcdc_matcher *m, struct local_stack *s, bool *ends)
{
	const struct artifact_info *i = &m->artifact->info;
	uint32_t fuel = i->n_lr_states + frame_depth(m->pool, s->base) + s->n;
	while (!(*ends = has_action(m, s, i->n_terminals)) && has_action(m, s, i->dedent) && fuel--) {
		enum push pushed = push_one(m, s, i->dedent);
		if (pushed) return pushed;
	}
	return PUSH_DONE;
}

// Newline, and what the column makes, as push_line does it.
static enum push put_line(struct gcdc_matcher *m, struct local_stack *s, uint32_t columns, uint32_t column)
{
	const struct artifact_info *i = &m->artifact->info;
	if (column > ARTIFACT_MAX_COLUMN) return PUSH_FORKS;
	enum push pushed = push_one(m, s, i->newline);
	if (pushed) return pushed;
	m->n_lines_read++;
	if (column > column_of(m->pool, columns)) return push_one(m, s, i->indent);
	for (; column < column_of(m->pool, columns) && !pushed; columns = m->pool->at[columns].parent)
		pushed = push_one(m, s, i->dedent);
	return pushed || column == column_of(m->pool, columns) ? pushed : PUSH_NONE;
}

// Does the text end with the lexeme of this lexer state, on top of s?
static enum push lexeme_ends(struct gcdc_matcher *m, struct local_stack *s, uint32_t lex_state, uint32_t columns,
                             uint32_t column, bool *ends)
{
	const struct artifact_lex_state *lex = &m->artifact->lex_states[lex_state];
	if (lex->also || lex->flags & LEX_INITIAL) return PUSH_FORKS;
	if (lex->terminal == ARTIFACT_NONE || !(lex->flags & LEX_MAY_END)) return PUSH_NONE;
	uint32_t action = artifact_action(m->artifact, local_top(m->pool, s), lex->terminal);
	bool is_line = lex->flags & LEX_LINE && action && action != ACTION_SKIP;
	enum push pushed = is_line ? put_line(m, s, columns, column) : push_one(m, s, lex->terminal);
	return pushed ? pushed : dedents_end(m, s, ends);
}

// The lexeme ends as it is, or before a newline that begins the next one.
static enum push ends_before_newline(struct gcdc_matcher *m, struct local_stack *s,
                                     const struct artifact_lex_state *lex, uint32_t columns, bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	enum push pushed = push_one(m, s, lex->terminal);
	if (pushed) return pushed;
	if (lex->flags & LEX_MAY_END) {
		if ((*ends = has_action(m, s, a->info.n_terminals))) return PUSH_DONE;
		if (has_action(m, s, a->info.dedent)) return PUSH_FORKS;
	}
	uint32_t context = a->lr_states[local_top(m->pool, s)].context, c = a->info.class_of['\n'];
	uint32_t fresh = a->lex_start[(uint64_t)lex->obligation * a->info.n_contexts + context];
	uint32_t next = fresh ? a->lex_next[(uint64_t)fresh * a->info.n_classes + c] & LEX_STATE_MASK : 0;
	return next ? lexeme_ends(m, s, next, columns, 0, ends) : PUSH_NONE;
}

enum way { AS_IT_IS, LONGER, BEFORE_NEWLINE };
static enum push way_ends(struct gcdc_matcher *m, const struct reading *r, uint32_t column, uint32_t longer,
                          enum way way, bool *ends)
{
	struct local_stack s;
	s.base = r->frame, s.owned = false, s.n = 0;
	enum push pushed = way == AS_IT_IS ? lexeme_ends(m, &s, r->lex_state, r->columns, column, ends)
	                   : way == LONGER
	                       ? lexeme_ends(m, &s, longer, r->columns, 0, ends)
	                       : ends_before_newline(m, &s, &m->artifact->lex_states[r->lex_state], r->columns, ends);
	local_release(m->pool, &s);
	*ends &= pushed == PUSH_DONE;
	return pushed == PUSH_NONE ? PUSH_DONE : pushed;
}

gcdc_status line_ends_alone(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *ends, bool *known)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_lex_state *lex = &a->lex_states[r->lex_state];
	uint32_t x = 0;  // what the newline that is lacking leads to
	if (!ends_in_newline(lex, column))
		x = a->lex_next[(uint64_t)r->lex_state * a->info.n_classes + a->info.class_of['\n']];
	bool cuts = x & LEX_CUT && lex->terminal != ARTIFACT_NONE;
	*ends = *known = false;
	if (m->listener || lex->also || lex->flags & LEX_INITIAL || m->pool->at[r->frame].depth & FRAME_BRANCHED ||
	    (cuts && lex->flags & LEX_LINE))
		return GCDC_OK;
	enum push pushed = way_ends(m, r, column, 0, cuts ? BEFORE_NEWLINE : AS_IT_IS, ends);
	if (!pushed && !*ends && x & LEX_STATE_MASK) pushed = way_ends(m, r, column, x & LEX_STATE_MASK, LONGER, ends);
	*known = !pushed;
	return pushed < 0 ? push_status(pushed) : GCDC_OK;
}
