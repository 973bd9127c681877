// May the text end here?
//
// In:  a position.  Out: whether some reading's lexeme may end here, as a terminal behind which the sentence is
// complete. With `end=newline` a text that does not end in '\n' counts as if it did. Cost: a push for each way in
// which a pending lexeme may end; most positions are known from their lexer state and top.
#include "matcher_step.h"

static bool has_end(const struct gcdc_artifact *a, uint32_t lr_state)
{
	return artifact_action(a, lr_state, a->info.n_terminals) != 0;
}

// Is the text complete when the reading's lexeme ends so?
static gcdc_status ends_as(struct gcdc_matcher *m, const struct reading *r, const struct artifact_lex_state *lex,
                           uint32_t column, bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	if (UNLIKELY(a->info.n_lines)) {
		const struct text_end end = {lex->terminal, takes_line(m, lex, r->frame), r->columns, column};
		return a->parts->lines->ends(m, &r->frame, 1, &end, ends);
	}
	struct local_stack s = {.base = r->frame};
	enum push pushed = push_one(m, &s, lex->terminal);
	if (LIKELY(!pushed)) {
		*ends = has_end(a, local_top(m->pool, &s));
		local_release(m->pool, &s);
		return GCDC_OK;
	}
	if (pushed == PUSH_NONE) return GCDC_OK;
	if (pushed != PUSH_FORKS) return push_status(pushed);
	const uint32_t *tops;
	uint32_t n_tops;
	gcdc_status status = m->artifact->parts->several->push(m, &r->frame, 1, lex->terminal, &tops, &n_tops);
	for (uint32_t k = 0; k < n_tops; k++) {
		*ends |= has_end(a, m->pool->at[tops[k]].lr_state);
		frame_unref(m->pool, tops[k]);
	}
	return status;
}

static gcdc_status ends_so(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = GCDC_OK;
	*ends = false;
	for (uint32_t i = 0; i < p->n && !*ends && !status; i++) {
		const struct reading *r = &p->at[i];
		for (uint32_t way = lex_base(a, r->lex_state); way && !*ends && !status; way = a->lex_states[way].also) {
			const struct artifact_lex_state *lex = &a->lex_states[way];
			if (lex->terminal != ARTIFACT_NONE && lex->flags & LEX_MAY_END)
				status = ends_as(m, r, lex, p->column, ends);
		}
		*ends |=
			a->lex_states[lex_base(a, r->lex_state)].flags & LEX_INITIAL && has_end(a, m->pool->at[r->frame].lr_state);
	}
	return status;
}

// Does the text end in a '\n', as far as that matters?
static bool has_newline(const struct gcdc_matcher *m, const struct position *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (ends_in_newline(&m->artifact->lex_states[lex_base(m->artifact, p->at[i].lex_state)], p->column))
			return true;
	return false;
}

// A last newline may be lacking: would the text end with it?
static gcdc_status ends_with_newline(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	struct position *after = &m->ending;
	gcdc_status status = position_copy(m, after, p);
	if (!status) status = position_step(m, after, (const uint8_t *)"\n", 1);
	if (!status) status = ends_so(m, after, ends);
	position_release(m, after);
	return status;
}

// With `end=newline`.
static gcdc_status ends_anyhow(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	bool known = false;
	gcdc_status status = p->n == 1 ? m->artifact->parts->lines->ends_alone(m, p->at, p->column, ends, &known) : GCDC_OK;
	if (known || status) return status;
	status = ends_so(m, p, ends);
	return status || *ends || has_newline(m, p) ? status : ends_with_newline(m, p, ends);
}

gcdc_status position_ends(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	if (!m->artifact->info.end_newline) return ends_so(m, p, ends);
	// Most lexer states on most tops are in the middle of something, whatever lies below: that is asked for each mask.
	const struct reading *r = p->at;
	uint32_t lowest = m->pool->lowest;
	uint64_t lines = m->n_lines_read, key = 0, *known = NULL;
	if (p->n == 1 && !(m->pool->at[r->frame].depth & FRAME_BRANCHED) &&
	    !(m->artifact->lex_states[lex_base(m->artifact, r->lex_state)].flags & LEX_LINE)) {
		key = (uint64_t)r->lex_state << 32 | m->pool->at[r->frame].lr_state;
		known = &m->no_end[hash_u64(key) >> 40 & (NO_ENDS - 1)];
		if (key == *known) return *ends = false, GCDC_OK;
	}
	m->pool->lowest = UINT32_MAX;
	gcdc_status status = ends_anyhow(m, p, ends);
	if (key && !status && !*ends && m->pool->lowest >= frame_depth(m->pool, r->frame) && m->n_lines_read == lines)
		*known = key;
	if (lowest < m->pool->lowest) m->pool->lowest = lowest;
	return status;
}
