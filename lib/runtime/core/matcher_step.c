// Moves a position over bytes: the lexer per reading, the parser where a lexeme ends.
//
// In:  a position, bytes.  Out: the position after them; no reading left: the text is not viable.
// A reading is (stack, lex_state). A byte leads it on inside the lexeme, or ends the lexeme before the byte (a cut:
// its terminal is pushed on the stack, the byte begins the next lexeme), or both: then there are two readings, and the
// text that follows kills one (docs/algorithm.md, 2). Where there are several readings each goes its own way
// (matcher_several.c); those that come to the same place become one.
// What a cut does to the stack is matcher_cut.c's.
// Cost: about a nanosecond a byte inside lexemes, some 20 a cut.
#include "matcher_step.h"

// The only reading. Takes over its reference.
static inline gcdc_status step_alone(struct gcdc_matcher *m, struct position *p, struct reading r, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t x = lex_next(a, r.lex_state, c);
	gcdc_status status = GCDC_OK;
	for (uint32_t way = x & LEX_CUT ? lex_base(a, r.lex_state) : 0; way && !status; way = a->lex_states[way].also)
		status = cut_alone(m, p, r, &a->lex_states[way], c);
	if (x & LEX_STATE_MASK && !status) {
		note_step(m, r.lexing, p->n_lexings, ARTIFACT_NONE);
		return add_reading(m, p, (struct reading){r.frame, x & LEX_STATE_MASK, p->n_lexings++, r.columns});
	}
	reading_unref(m->pool, &r);
	return status;
}

// One byte, any number of readings: p becomes what is left of it.
static gcdc_status step_class(struct gcdc_matcher *m, struct position *p, uint32_t c)
{
	struct position *next = m->next;
	next->n = next->n_lexings = 0;
	gcdc_status status = LIKELY(p->n == 1) ? step_alone(m, next, p->at[0], c) : step_several(m, next, p, c);
	if (UNLIKELY(next->n > 1) && !status) status = merge_readings(m, next);
	if (UNLIKELY(status)) position_release(m, next);
	struct reading *at = p->at;
	uint32_t cap = p->cap;
	p->at = next->at, p->cap = next->cap, p->n = next->n;
	next->at = at, next->cap = cap, next->n = 0;
	return status;
}

gcdc_status position_step_bytes(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint8_t *begin = bytes, *end = bytes + len;
	while (bytes < end && p->n) {
		if (LIKELY(p->n == 1)) {
			uint32_t q = p->at[0].lex_state, x;
			while (q < a->info.n_lex_states && bytes < end &&
			       (x = a->lex_next[(uint64_t)q * a->info.n_classes + a->info.class_of[*bytes]], (int32_t)x > 0)) {
				q = x;
				bytes++;
			}
			if (UNLIKELY(a->counter_info != NULL))
				for (; bytes < end && (x = lex_next(a, q, a->info.class_of[*bytes]), (int32_t)x > 0); bytes++) q = x;
			p->at[0].lex_state = q;
			if (bytes == end) break;
		}
		m->step_at = bytes;
		gcdc_status status = step_class(m, p, a->info.class_of[*bytes]);
		if (UNLIKELY(status)) return status;
		bytes++;
	}
	if (UNLIKELY(a->info.n_lines)) p->column = a->parts->lines->text_column(a, p->column, begin, end);
	return GCDC_OK;
}

gcdc_status position_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len)
{
	m->step_begin = bytes, m->step_column = p->column;
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status =
		LIKELY(!a->unique_info) ? position_step_bytes(m, p, bytes, len) : a->parts->unique->step(m, p, bytes, len);
	if (UNLIKELY(a->limits != NULL) && !status && p->n) {
		status = a->parts->unique->make_limits(a, p->at[0].lex_state);
		if (status) position_release(m, p);
	}
	return status;
}

static inline bool has_start(const struct gcdc_matcher *m, struct reading r)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t context = a->lr_states[m->pool->at[r.frame].lr_state].context;
	return artifact_start_base(a, lex_base(a, r.lex_state), context) != ARTIFACT_NONE;
}

void position_drop_unstarted(struct gcdc_matcher *m, struct position *p)
{
	uint32_t n = 0;
	if (LIKELY(p->n == 1 && has_start(m, p->at[0]))) return;
	for (uint32_t i = 0; i < p->n; i++) {
		if (has_start(m, p->at[i]))
			p->at[n++] = p->at[i];
		else
			reading_unref(m->pool, &p->at[i]);
	}
	p->n = n;
}
