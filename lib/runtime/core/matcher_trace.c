// Watching a matcher: what a step does to its readings, and what a mask unites.
//
// In:  a matcher with a caller's function; a step's bytes, or the sets of a mask.  Out: calls of that function.
// The step is the one of matcher_step.c, with a listener. Which rules a terminal finishes the listener works out a
// second time, on the stack as it stands before the push. Cost: nothing for matchers that nobody watches; else that of
// the step, twice, and of the calls.
#include "matcher_step.h"

#define NOTHING                                                                                                        \
	.token = GCDC_NONE, .terminal = GCDC_NONE, .production = GCDC_NONE, .lex_state = GCDC_NONE, .lr_state = GCDC_NONE, \
	.set = GCDC_NONE

struct tracer {
	struct listener base;  // first: what the steps know
	struct gcdc_matcher *m;
};

static void tell(const struct gcdc_matcher *m, gcdc_trace_event e) { m->trace(&e, m->trace_user); }

static void tell_parser(const struct gcdc_matcher *m, gcdc_trace_kind kind, uint32_t terminal, uint32_t production,
                        uint32_t lr_state)
{
	gcdc_trace_event e = {.kind = kind, NOTHING};
	e.terminal = terminal;
	e.production = production;
	e.lr_state = lr_state;
	tell(m, e);
}

static void note_lexeme(struct listener *base, uint32_t from, uint32_t to, uint32_t terminal)
{
	const struct gcdc_matcher *m = ((struct tracer *)(void *)base)->m;
	(void)from, (void)to;
	if (terminal == ARTIFACT_NONE) return;
	gcdc_trace_event e = {.kind = GCDC_TRACE_LEXEME, NOTHING};
	e.terminal = terminal;
	e.at = (size_t)(m->step_at - m->step_begin);
	tell(m, e);
}

// A stack in thought: states above a frame.
struct thought {
	uint32_t frame, n;
	uint32_t above[LOCAL_FRAMES];
};

// False: there are several stacks below, or more states than are kept in mind.
static bool pop(const struct frame_pool *pool, struct thought *s, uint32_t length)
{
	uint32_t here = length < s->n ? length : s->n;
	s->n -= here;
	for (length -= here; length; length--) {
		s->frame = pool->at[s->frame].parent;
		if (s->frame & FRAME_LIST || !s->frame) return false;
	}
	return s->n < LOCAL_FRAMES;
}

static void note_push(struct listener *base, uint32_t frame, uint32_t terminal)
{
	const struct gcdc_matcher *m = ((struct tracer *)(void *)base)->m;
	const struct gcdc_artifact *a = m->artifact;
	struct thought s = {.frame = frame};
	for (;;) {
		uint32_t top = s.n ? s.above[s.n - 1] : m->pool->at[s.frame].lr_state;
		uint32_t action = artifact_action(a, top, terminal);
		if (action == ACTION_SKIP) return;
		if (!action) {
			tell_parser(m, GCDC_TRACE_STOP, terminal, GCDC_NONE, top);
			return;
		}
		if (ACTION_IS_SHIFT(action)) {
			tell_parser(m, GCDC_TRACE_SHIFT, terminal, GCDC_NONE, action >> 1);
			return;
		}
		const struct artifact_production *p = action >> 31 ? NULL : &a->productions[(action >> 1) - 1];
		if (!p || !pop(m->pool, &s, p->length)) {
			tell_parser(m, GCDC_TRACE_FORK, terminal, GCDC_NONE, top);
			return;
		}
		uint32_t below = s.n ? s.above[s.n - 1] : m->pool->at[s.frame].lr_state;
		const uint32_t to = artifact_goto(a, below, p->lhs);
		tell_parser(m, GCDC_TRACE_REDUCE, terminal, (action >> 1) - 1, to);
		s.above[s.n++] = to;
	}
}

static void tell_readings(const struct gcdc_matcher *m, const struct position *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct frame *top = &m->pool->at[p->at[i].frame];
		gcdc_trace_event e = {.kind = GCDC_TRACE_READING, NOTHING};
		e.lex_state = lex_base(m->artifact, p->at[i].lex_state);
		e.lr_state = top->lr_state;
		e.depth = frame_depth(m->pool, p->at[i].frame);
		tell(m, e);
	}
}

gcdc_status position_step_traced(struct gcdc_matcher *m, struct position *p, uint32_t token, const uint8_t *bytes,
                                 size_t len)
{
	struct tracer x = {.base = {note_lexeme, note_push}, .m = m};
	gcdc_trace_event e = {.kind = GCDC_TRACE_STEP, NOTHING};
	e.token = token;
	e.bytes = bytes;
	e.len = len;
	tell(m, e);
	m->listener = &x.base;
	gcdc_status status = position_step(m, p, bytes, len);
	m->listener = NULL;
	if (status) return status;
	position_drop_unstarted(m, p);
	tell_readings(m, p);
	return GCDC_OK;
}

void trace_mask(struct gcdc_matcher *m)
{
	const struct set_list *list = &m->sets;
	const struct gcdc_artifact *a = m->artifact;
	tell_readings(m, m->now);
	for (uint32_t i = 0; i < list->n; i++) {
		gcdc_trace_event e = {.kind = GCDC_TRACE_SET, NOTHING};
		e.set = list->at[i];
		e.n = a->sets[list->at[i]].count;
		tell(m, e);
	}
	if (list->left_out) {
		gcdc_trace_event e = {.kind = GCDC_TRACE_WITHOUT, NOTHING};
		e.set = list->left_out;
		e.n = a->sets[list->left_out].count;
		tell(m, e);
	}
	uint32_t n = list->extra.n;
	for (uint32_t i = 0; i < list->unions.n; i++) n += list->unions_of->at[list->unions.at[i]].n_tokens;
	gcdc_trace_event e = {.kind = GCDC_TRACE_TOKENS, NOTHING};
	e.n = n;
	if (n) tell(m, e);
}

void gcdc_matcher_set_trace(gcdc_matcher *m, gcdc_trace_fn *tell_, void *user)
{
	if (!m) return;
	m->trace = tell_;
	m->trace_user = user;
}
