// Positions: the readings of a text, with what goes along with them.
//
// In:  positions.  Out: room in them, copies, references let go. Who steps, cuts and asks stands above this file.
// Cost: linear in the readings, mostly one.
#include "runtime_internal.h"

bool position_reserve(struct gcdc_matcher *m, struct position *p, uint32_t n)
{
	if (LIKELY(n <= p->cap)) return true;
	uint32_t cap = p->cap * 2 > n ? p->cap * 2 : n;
	if (cap > m->max_readings) cap = m->max_readings;
	if (cap < n) return false;
	struct reading *at = memory_resize(&m->artifact->memory, p->at, cap, sizeof *at);
	if (!at) return false;
	p->at = at;
	p->cap = cap;
	return true;
}

void position_release(struct gcdc_matcher *m, struct position *p)
{
	for (uint32_t i = 0; i < p->n; i++) reading_unref(m->pool, &p->at[i]);
	p->n = 0;
	if (UNLIKELY(p->completion != 0)) frame_unref(m->pool, p->completion);
	p->completion = 0;
}

void position_share_completion(struct gcdc_matcher *m, struct position *to, const struct position *from)
{
	if (LIKELY(!from->completion)) return;
	frame_ref(m->pool, from->completion);
	to->completion = from->completion;
}

gcdc_status position_copy(struct gcdc_matcher *m, struct position *to, const struct position *from)
{
	if (UNLIKELY(!position_reserve(m, to, from->n))) return GCDC_ERR_MEMORY;
	to->n = from->n;
	to->terminated = from->terminated;
	to->column = from->column;
	if (m->artifact->canonical.info) to->canonical = from->canonical;
	to->left = from->left;
	to->near = from->near;
	for (uint32_t i = 0; i < from->n; i++) {
		to->at[i] = from->at[i];
		reading_ref(m->pool, &from->at[i]);
	}
	return GCDC_OK;
}

void position_start(struct gcdc_matcher *m, struct position *p)
{
	p->n = 1;
	p->terminated = p->column = 0;
	p->left = p->near = GCDC_NONE;
	p->at[0] = (struct reading){.frame = FRAME_BOTTOM,
	                            .lex_state = m->artifact->info.start_lex_state,
	                            .columns = m->artifact->info.n_lines ? FRAME_BOTTOM : 0};
	reading_ref(m->pool, &p->at[0]);
	if (m->artifact->canonical.info) m->artifact->parts->canonical->start(&m->artifact->canonical, &p->canonical);
}
