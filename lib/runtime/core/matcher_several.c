// Several readings: each parse of a text lexes for itself (docs/language.md, rule 1).
//
// In:  the readings of a position, a byte.  Out: the readings behind it.
// Lexemes that end as one terminal, with one obligation, and leave the same columns are pushed together, since what the
// stacks below share is then gone through once (graph_push.c). Readings that come to one lexer state and one state
// on top of the stack become one: its frame stands on all that theirs stood on (Tomita 1985). So there are never more
// readings than pairs of a lexer state and a top, for each list of open columns. Cost: readings x (a look-up and a
// comparison with the others) a byte; a cut as in matcher_cut.c and graph_push.c.
#include "matcher_step.h"

// Open columns are lists; equal ones need not be the same records.
static bool same_columns(const struct frame_pool *pool, uint32_t a, uint32_t b)
{
	for (; a != b; a = pool->at[a].parent, b = pool->at[b].parent) {
		if (!a || !b || a == FRAME_BOTTOM || b == FRAME_BOTTOM) return false;
		if (pool->at[a].lr_state != pool->at[b].lr_state || pool->at[a].depth != pool->at[b].depth) return false;
	}
	return true;
}

// ---- Readings that come to the same place.
static gcdc_status add_parents(struct gcdc_matcher *m, uint32_t frame, struct vec32 *parents)
{
	for (struct below b = frame_below(m->pool, frame); b.frame; below_next(m->pool, &b))
		if (!vec32_push(&m->artifact->memory, parents, b.frame)) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}

// *frame, a reference of the caller's, becomes one that stands on all that it and `other` stand on.
static gcdc_status unite_frames(struct gcdc_matcher *m, uint32_t *frame, uint32_t other)
{
	struct frame_pool *pool = m->pool;
	struct vec32 *parents = &m->frames;
	if (*frame == other) return GCDC_OK;
	parents->n = 0;
	gcdc_status status = add_parents(m, *frame, parents);
	if (!status) status = add_parents(m, other, parents);
	if (status) return status;
	vec32_sort(parents);
	if (parents->n > m->max_stacks) return GCDC_ERR_STACKS;
	if (!frame_reserve(pool, parents->n + 1)) return GCDC_ERR_MEMORY;
	uint32_t lr_state = pool->at[*frame].lr_state;
	uint32_t both = parents->n == 1 ? frame_push(pool, parents->at[0], lr_state)
	                                : frame_push_list(pool, parents->at, parents->n, lr_state);
	frame_unref(pool, *frame);
	*frame = both;
	return GCDC_OK;
}

gcdc_status merge_readings(struct gcdc_matcher *m, struct position *p)
{
	const struct frame_pool *pool = m->pool;
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	if (!m->artifact->parts->several) return GCDC_OK;  // each stack keeps a reading of its own
	for (uint32_t i = 0; i < p->n; i++) {
		struct reading r = p->at[i];
		uint32_t lr_state = pool->at[r.frame].lr_state, k = 0;
		for (; k < n && !status; k++) {
			const struct reading *x = &p->at[k];
			if (x->lex_state == r.lex_state && pool->at[x->frame].lr_state == lr_state &&
			    same_columns(pool, x->columns, r.columns))
				break;
		}
		if (LIKELY(k == n || status)) {
			p->at[n++] = r;
			continue;
		}
		status = unite_frames(m, &p->at[k].frame, r.frame);
		reading_unref(m->pool, &r);
	}
	p->n = n;
	return status;
}

// ---- One byte.
// Pushes the terminal on the stacks of some readings, whose lexemes all end so.
static gcdc_status push_stacks(struct gcdc_matcher *m, struct position *p, const struct vec32 *frames,
                               const struct lexeme_end *e)
{
	uint32_t from = p->n;
	gcdc_status status = GCDC_OK;
	bool forks = false;
	for (uint32_t i = 0; i < frames->n && !status && !forks; i++) {
		struct local_stack s = {.base = frames->at[i]};
		enum push pushed = push_one(m, &s, e->terminal);
		forks = pushed == PUSH_FORKS;
		if (!forks) status = pushed ? push_status(pushed) : after_terminal(m, p, &s, e);
	}
	// Stacks that come to one lr_state are gone through together.
	for (uint32_t i = from; i < p->n && !status && m->artifact->parts->several; i++)
		for (uint32_t k = from; k < i; k++)
			if (m->pool->at[p->at[i].frame].lr_state == m->pool->at[p->at[k].frame].lr_state) forks = true;
	if (LIKELY(!forks || status)) return status;
	for (uint32_t i = from; i < p->n; i++) reading_unref(m->pool, &p->at[i]);
	p->n = from;
	return after_push(m, p, frames->at, frames->n, e);
}

// A lexeme that ends before the byte: of this reading, in this way. way 0: it is done.
struct end {
	uint32_t reading, way;
};

static struct end *ends_of(struct gcdc_matcher *m) { return (struct end *)(void *)m->cuts.at; }

static gcdc_status list_cuts(struct gcdc_matcher *m, const struct position *p, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	m->cuts.n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t q = p->at[i].lex_state;
		if (!(lex_next(a, q, c) & LEX_CUT)) continue;
		for (uint32_t way = lex_base(a, q); way; way = a->lex_states[way].also) {
			uint32_t t = a->lex_states[way].terminal;
			bool is_ignored = a->terminals[t].flags & TERMINAL_IGNORED;
			if (!is_ignored && !artifact_action(a, m->pool->at[p->at[i].frame].lr_state, t))
				continue;  // a word that is not viable
			if (!vec32_push(&a->memory, &m->cuts, i) || !vec32_push(&a->memory, &m->cuts, way)) return GCDC_ERR_MEMORY;
		}
	}
	return GCDC_OK;
}

// Cut k, with all later ones that are pushed together with it.
static gcdc_status take_cuts(struct gcdc_matcher *m, struct position *to, const struct position *p, uint32_t k,
                             uint32_t n, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	struct end *cuts = ends_of(m);
	const struct reading r = p->at[cuts[k].reading];
	const struct artifact_lex_state *lex = &a->lex_states[cuts[k].way];
	bool is_line = takes_line(m, lex, r.frame);
	if (a->terminals[lex->terminal].flags & TERMINAL_IGNORED) return cut_alone(m, to, r, lex, c);
	m->frames.n = 0;
	for (uint32_t i = k; i < n; i++) {
		const struct reading *x = &p->at[cuts[i].reading];
		const struct artifact_lex_state *y = &a->lex_states[cuts[i].way];
		if (!cuts[i].way || y->terminal != lex->terminal || y->obligation != lex->obligation) continue;
		if (takes_line(m, y, x->frame) != is_line || !same_columns(m->pool, x->columns, r.columns)) continue;
		if (!vec32_push(&a->memory, &m->frames, x->frame)) return GCDC_ERR_MEMORY;
		if (i > k) cuts[i].way = 0;
	}
	if (LIKELY(m->frames.n == 1)) return cut_alone(m, to, r, lex, c);
	const struct lexeme_end e = {lex->terminal, lex->obligation, c, r.columns, to->n_lexings++};
	note_step(m, r.lexing, e.lexing, lex->terminal);
	if (is_line) return a->parts->lines->cut(m, to, m->frames.at, m->frames.n, &e);
	return push_stacks(m, to, &m->frames, &e);
}

gcdc_status step_several(struct gcdc_matcher *m, struct position *to, struct position *p, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = list_cuts(m, p, c);
	uint32_t n = m->cuts.n / 2;
	for (uint32_t k = 0; k < n && !status; k++)
		if (ends_of(m)[k].way) status = take_cuts(m, to, p, k, n, c);
	for (uint32_t i = 0; i < p->n; i++) {
		struct reading r = p->at[i];
		uint32_t next = lex_next(a, r.lex_state, c) & LEX_STATE_MASK;
		if (next && !status) {
			note_step(m, r.lexing, to->n_lexings, ARTIFACT_NONE);
			status = add_reading(m, to, (struct reading){r.frame, next, to->n_lexings++, r.columns});
		} else {
			reading_unref(m->pool, &r);
		}
	}
	return status;
}
