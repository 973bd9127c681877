// Moves a position over bytes: the lexer per reading, the parser where a lexeme ends.
//
// In:  a position, bytes.  Out: the position after them; no reading left: the text is not viable.
// A reading is (stack, lex_state). A byte leads it on inside the lexeme, or ends the lexeme before the byte (a cut:
// its terminal is pushed on the stack, the byte begins the next lexeme), or both: then there are two readings, and the
// text that follows kills one (docs/algorithm.md, 2). LR pushes are simulated on a small array above the shared stack;
// frames are made only for what is left when the terminal is shifted and the byte is known to go on.
// Cost: about a nanosecond a byte inside lexemes, some 20 a cut.
#include "runtime_internal.h"

#define LOCAL_FRAMES 32

// A stack while a terminal is pushed: frames of the pool, parser states above them.
struct local_stack {
	uint32_t base;
	bool owned;       // base has a reference of ours
	uint32_t n;
	uint32_t at[LOCAL_FRAMES];
};

static void local_release(struct frame_pool *pool, struct local_stack *s)
{
	if (s->owned) frame_unref(pool, s->base);
	s->owned = false;
}

static uint32_t local_top(const struct frame_pool *pool, const struct local_stack *s)
{
	return s->n ? s->at[s->n - 1] : pool->at[s->base].lr_state;
}

// Makes frames of the local states; base is then the top.
static gcdc_status local_to_frames(struct frame_pool *pool, struct local_stack *s)
{
	if (!s->n) {
		if (!s->owned) frame_ref(pool, s->base);
		s->owned = true;
		return GCDC_OK;
	}
	if (pool->at[s->base].depth + s->n > pool->max_depth) return GCDC_ERR_LIMIT;
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

static inline bool local_pop(struct frame_pool *pool, struct local_stack *s, uint32_t length)
{
	if (LIKELY(length <= s->n)) {
		s->n -= length;
		return true;
	}
	length -= s->n;
	s->n = 0;
	if (UNLIKELY(length > pool->at[s->base].depth)) return false;
	uint32_t f = s->base;
	do f = pool->at[f].parent;
	while (--length);
	if (UNLIKELY(s->owned)) {
		frame_ref(pool, f);
		frame_unref(pool, s->base);
	}
	s->base = f;
	return true;
}

// Reductions under terminal t, then its shift. No valid artifact runs into any of the errors but those of memory.
static gcdc_status push_terminal(const struct gcdc_artifact *a, struct frame_pool *pool, struct local_stack *s,
                                 uint32_t t)
{
	const struct artifact_info *info = &a->info;
	uint64_t width = (uint64_t)info->n_terminals + 1;
	// A grammar without cycles reduces at most once per nonterminal on each frame that is there or comes.
	uint64_t fuel = ((uint64_t)pool->at[s->base].depth + info->max_pushes + 2) * ((uint64_t)info->n_nonterminals + 1);
	for (; fuel; fuel--) {
		uint32_t x = a->lr_action[a->lr_states[local_top(pool, s)].action_row * width + t];
		if (x & 1) return local_push(pool, s, x >> 1);
		if (UNLIKELY(!x)) return GCDC_ERR_INTERNAL;
		const struct artifact_production *p = &a->productions[(x >> 1) - 1];
		if (UNLIKELY(!local_pop(pool, s, p->length))) return GCDC_ERR_INTERNAL;
		uint32_t row = a->lr_states[local_top(pool, s)].goto_row;
		uint32_t to = a->lr_goto[(uint64_t)row * info->n_nonterminals + p->lhs];
		if (UNLIKELY(!to)) return GCDC_ERR_INTERNAL;
		gcdc_status status = local_push(pool, s, to);
		if (UNLIKELY(status)) return status;
	}
	return GCDC_ERR_INTERNAL;
}

// Adds a reading, with its reference, unless it is there.
static gcdc_status add(struct gcdc_matcher *m, struct position *p, uint32_t frame, uint32_t lex_state)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (UNLIKELY(p->at[i].frame == frame && p->at[i].lex_state == lex_state)) {
			frame_unref(m->pool, frame);
			return GCDC_OK;
		}
	if (UNLIKELY(p->n == m->max_readings)) {
		frame_unref(m->pool, frame);
		return GCDC_ERR_INTERNAL;
	}
	p->at[p->n++] = (struct reading){frame, lex_state};
	return GCDC_OK;
}

// The lexeme of (frame, q) ends before a byte of class c; the reading that goes on, if any, is added to p.
static gcdc_status cut(struct gcdc_matcher *m, struct position *p, uint32_t frame, uint32_t q, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_lex_state *lex = &a->lex_states[q];
	struct local_stack s;
	s.base = frame;
	s.owned = false;
	s.n = 0;
	gcdc_status status = GCDC_OK;
	if (!(a->terminals[lex->terminal].flags & TERMINAL_IGNORED)) status = push_terminal(a, m->pool, &s, lex->terminal);
	if (LIKELY(!status)) {
		uint32_t context = a->lr_states[local_top(m->pool, &s)].context;
		uint32_t fresh = a->lex_start[(uint64_t)lex->residue * a->info.n_contexts + context];
		uint32_t y = fresh ? a->lex_next[(uint64_t)fresh * a->info.n_classes + c] & LEX_STATE_MASK : 0;
		if (y && !(status = local_to_frames(m->pool, &s))) return add(m, p, s.base, y);
	}
	local_release(m->pool, &s);
	return status;
}

// One byte, any number of readings: p becomes what is left of it.
static gcdc_status step_class(struct gcdc_matcher *m, struct position *p, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	struct position *next = m->next;
	gcdc_status status = GCDC_OK;
	next->n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		struct reading r = p->at[i];
		uint32_t x = a->lex_next[(uint64_t)r.lex_state * a->info.n_classes + c];
		if (x & LEX_CUT && !status) status = cut(m, next, r.frame, r.lex_state, c);
		if (x & LEX_STATE_MASK && !status) status = add(m, next, r.frame, x & LEX_STATE_MASK);
		else frame_unref(m->pool, r.frame);
	}
	if (UNLIKELY(status)) position_release(m, next);
	p->n = next->n;
	memcpy(p->at, next->at, next->n * sizeof *p->at);
	next->n = 0;
	return status;
}

gcdc_status position_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint8_t *end = bytes + len;
	while (bytes < end && p->n) {
		if (LIKELY(p->n == 1)) {
			uint32_t q = p->at[0].lex_state, x;
			while (bytes < end && (x = a->lex_next[(uint64_t)q * a->info.n_classes + a->info.class_of[*bytes]], (int32_t)x > 0)) {
				q = x;
				bytes++;
			}
			p->at[0].lex_state = q;
			if (bytes == end) break;
		}
		gcdc_status status = step_class(m, p, a->info.class_of[*bytes]);
		if (UNLIKELY(status)) return status;
		bytes++;
	}
	return GCDC_OK;
}

void position_drop_unstarted(struct gcdc_matcher *m, struct position *p)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		struct reading r = p->at[i];
		uint32_t context = a->lr_states[m->pool->at[r.frame].lr_state].context;
		if (a->start_base[(uint64_t)r.lex_state * a->info.n_contexts + context] != ARTIFACT_NONE) p->at[n++] = r;
		else frame_unref(m->pool, r.frame);
	}
	p->n = n;
}
