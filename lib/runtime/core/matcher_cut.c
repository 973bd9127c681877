// A lexeme ends: its terminal is pushed on a stack, and the next lexeme begins.
//
// In:  a reading, a byte's class before which its lexeme ends.  Out: the readings that go on.
// LR pushes are simulated on a small array above the shared stack; frames are made only for what is left when the
// terminal is shifted and the byte is known to go on. A choice of the grammar leads to the graph (glr/graph_push.c).
// One reading and several (matcher_step.c, matcher_several.c) cut in this way; neither is known here.
// Cost: some 20 nanoseconds a cut.
#include "matcher_step.h"

void local_release(struct frame_pool *pool, struct local_stack *s)
{
	if (s->owned) frame_unref(pool, s->base);
	s->owned = false;
}

// Makes frames of the local states; base is then the top.
gcdc_status local_to_frames(struct frame_pool *pool, struct local_stack *s)
{
	if (!s->n) {
		if (!s->owned) frame_ref(pool, s->base);
		s->owned = true;
		return GCDC_OK;
	}
	if (frame_depth(pool, s->base) + s->n > pool->max_depth) return GCDC_ERR_LIMIT;
	if (!frame_reserve(pool, s->n)) return GCDC_ERR_MEMORY;
	uint32_t base = s->base;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t f = frame_push(pool, base, s->at[i]);
		if (i > 0 || s->owned) frame_unref(pool, base);
		base = f;
	}
	s->base = base;
	s->owned = true;
	s->n = 0;
	return GCDC_OK;
}

static inline gcdc_status local_push(struct frame_pool *pool, struct local_stack *s, uint32_t lr_state)
{
	if (UNLIKELY(s->n == LOCAL_FRAMES)) {
		gcdc_status status = local_to_frames(pool, s);
		if (status) return status;
	}
	s->at[s->n++] = lr_state;
	return GCDC_OK;
}

static inline enum push local_pop(struct frame_pool *pool, struct local_stack *s, uint32_t length)
{
	if (LIKELY(length <= s->n)) {
		s->n -= length;
		return PUSH_DONE;
	}
	length -= s->n;
	s->n = 0;
	uint32_t f = s->base;
	if (UNLIKELY(length > pool->at[f].depth)) return push_of(GCDC_ERR_INTERNAL);  // FRAME_BRANCHED passes
	do {
		f = pool->at[f].parent;
		if (UNLIKELY(f & FRAME_LIST)) return PUSH_FORKS;
		if (UNLIKELY(!f)) return push_of(GCDC_ERR_INTERNAL);
	} while (--length);
	frame_note(pool, f);
	if (UNLIKELY(s->owned)) {
		frame_ref(pool, f);
		frame_unref(pool, s->base);
	}
	s->base = f;
	return PUSH_DONE;
}

// Reductions under terminal t, then its shift, as long as there is one way; PUSH_FORKS where there are several,
// PUSH_NONE where there is none (with %keywords words compete that are not viable). No valid artifact runs into any of
// the errors but those of memory.
static enum push push_terminal(const struct gcdc_artifact *a, struct frame_pool *pool, struct local_stack *s,
                               uint32_t t)
{
	const struct artifact_info *info = &a->info;
	assert(t < info->n_terminals);
	assert(s->base < pool->n && pool->at[s->base].refs > 0);
	// A grammar without cycles reduces at most once per nonterminal on each frame that is there or comes.
	uint64_t fuel =
		((uint64_t)frame_depth(pool, s->base) + info->max_pushes + 2) * ((uint64_t)info->n_nonterminals + 1);
	for (const uint64_t all = fuel; fuel; fuel--) {
		assert(local_top(pool, s) < info->n_lr_states);
		uint32_t x = artifact_action(a, local_top(pool, s), t);
		if (UNLIKELY(x >> 31)) return x == ACTION_SKIP ? PUSH_DONE : PUSH_FORKS;
		if (x & 1) return push_of(local_push(pool, s, x >> 1));
		if (UNLIKELY(!x)) return fuel == all ? PUSH_NONE : push_of(GCDC_ERR_INTERNAL);
		const struct artifact_production *p = &a->productions[(x >> 1) - 1];
		enum push popped = local_pop(pool, s, p->length);
		if (UNLIKELY(popped)) return popped;
		const uint32_t to = artifact_goto(a, local_top(pool, s), p->lhs);
		if (UNLIKELY(!to)) return push_of(GCDC_ERR_INTERNAL);
		assert(to < info->n_lr_states);
		gcdc_status status = local_push(pool, s, to);
		if (UNLIKELY(status)) return push_of(status);
	}
	return push_of(GCDC_ERR_INTERNAL);
}

enum push push_one(struct gcdc_matcher *m, struct local_stack *s, uint32_t t)
{
	if (m->artifact->terminals[t].flags & TERMINAL_IGNORED) return PUSH_DONE;
	uint32_t frame = s->base;
	if (UNLIKELY(m->listener != NULL) && m->listener->push) m->listener->push(m->listener, frame, t);
	enum push pushed = push_terminal(m->artifact, m->pool, s, t);
	if (UNLIKELY(pushed)) {
		local_release(m->pool, s);
		*s = (struct local_stack){.base = frame};
	}
	return pushed;
}

gcdc_status add_reading(struct gcdc_matcher *m, struct position *p, struct reading r)
{
	if (UNLIKELY(p->n == p->cap)) {
		gcdc_status status = p->n >= m->max_readings            ? GCDC_ERR_STACKS
		                     : position_reserve(m, p, p->n + 1) ? GCDC_OK
		                                                        : GCDC_ERR_MEMORY;
		if (status) {
			reading_unref(m->pool, &r);
			return status;
		}
	}
	p->at[p->n++] = r;
	return GCDC_OK;
}

gcdc_status after_terminal(struct gcdc_matcher *m, struct position *p, struct local_stack *s,
                           const struct lexeme_end *e)
{
	const struct gcdc_artifact *a = m->artifact;
	assert(local_top(m->pool, s) < a->info.n_lr_states);
	uint32_t context = a->lr_states[local_top(m->pool, s)].context;
	assert(e->obligation < a->info.n_obligations && e->byte_class < a->info.n_classes);
	uint32_t fresh = a->lex_start[(uint64_t)e->obligation * a->info.n_contexts + context];
	uint32_t y = fresh ? a->lex_next[(uint64_t)fresh * a->info.n_classes + e->byte_class] & LEX_STATE_MASK : 0;
	gcdc_status status = GCDC_OK;
	if (y && !(status = local_to_frames(m->pool, s))) {
		if (UNLIKELY(e->columns)) frame_ref(m->pool, e->columns);
		return add_reading(m, p, (struct reading){s->base, y, e->lexing, e->columns});
	}
	local_release(m->pool, s);
	return status;
}

gcdc_status after_push(struct gcdc_matcher *m, struct position *p, const uint32_t *frames, uint32_t n,
                       const struct lexeme_end *e)
{
	const uint32_t *tops;
	uint32_t n_tops;
	gcdc_status status = m->artifact->parts->several->push(m, frames, n, e->terminal, &tops, &n_tops);
	for (uint32_t i = 0; i < n_tops; i++) {
		struct local_stack s = {.base = tops[i], .owned = true};
		if (!status)
			status = after_terminal(m, p, &s, e);
		else
			local_release(m->pool, &s);
	}
	return status;
}

// The lexeme of a reading ends before a byte of class c, in one way.
gcdc_status cut_alone(struct gcdc_matcher *m, struct position *p, struct reading r,
                      const struct artifact_lex_state *lex, uint32_t c)
{
	const struct lexeme_end e = {lex->terminal, lex->obligation, c, r.columns, p->n_lexings++};
	note_step(m, r.lexing, e.lexing, lex->terminal);
	if (UNLIKELY(lex->flags & LEX_LINE) && takes_line(m, lex, r.frame))
		return m->artifact->parts->lines->cut(m, p, &r.frame, 1, &e);
	struct local_stack s;
	s.base = r.frame;
	s.owned = false;
	s.n = 0;
	enum push pushed = push_one(m, &s, lex->terminal);
	if (LIKELY(!pushed)) return after_terminal(m, p, &s, &e);
	if (pushed == PUSH_NONE) return GCDC_OK;  // a word that is not viable
	if (pushed != PUSH_FORKS) return push_status(pushed);
	return after_push(m, p, &r.frame, 1, &e);
}
