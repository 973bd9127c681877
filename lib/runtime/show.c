// What a matcher holds, for people: its readings, all their stacks, the lexemes of a text (gcdc/show.h).
//
// In:  a matcher, or a text.  Out: readings; stacks one by one; lexings.
// Stacks are paths through the graph of frames; they are listed depth first, with the frames still to visit kept for
// each level. A text is read byte by byte with the same steps as everywhere; where a lexing becomes others,
// matcher_step.c and matcher_several.c tell a listener (note_step) by which terminal. Histories share their beginnings:
// a lexeme names the one before it. Cost: O(stacks * depth); O(bytes * readings) steps of one byte, each on a copy of
// the position.
#include "../include/gcdc/show.h"

#include "core/matcher_step.h"

bool gcdc_show_reading(const gcdc_matcher *m, uint32_t i, gcdc_shown_reading *out)
{
	if (!m || !out || i >= m->now->n) return false;
	const struct reading *r = &m->now->at[i];
	*out = (gcdc_shown_reading){.lexing = r->lexing,
	                            .lex_state = lex_base(m->artifact, r->lex_state),
	                            .lr_state = m->pool->at[r->frame].lr_state,
	                            .counted = lex_counted(m->artifact, r->lex_state)};
	return true;
}

// ---- Stacks.
struct level {
	struct below rest;
};  // frames beside the one on the path, to be visited later
struct paths {
	const struct gcdc_matcher *m;
	struct vec32 states;   // lr_states of the path
	struct level *levels;  // [cap]
	uint32_t cap;
};

static bool paths_reserve(struct paths *p, uint32_t n)
{
	if (n <= p->cap) return true;
	uint32_t cap = p->cap * 2 > n ? p->cap * 2 : n + 16;
	struct level *at = memory_resize(&p->m->artifact->memory, p->levels, cap, sizeof *at);
	if (!at) return false;
	p->levels = at;
	p->cap = cap;
	return true;
}

// Goes down from frame f, which is not on the path yet, to the bottom or to max_depth.
static gcdc_status path_down(struct paths *p, uint32_t f, uint32_t max_depth, uint32_t *last)
{
	const struct frame_pool *pool = p->m->pool;
	for (;;) {
		*last = f;
		if (!paths_reserve(p, p->states.n + 1) ||
		    !vec32_push(&p->m->artifact->memory, &p->states, pool->at[f].lr_state))
			return GCDC_ERR_MEMORY;
		struct level *level = &p->levels[p->states.n - 1];
		*level = (struct level){{0, 0}};
		if (f == FRAME_BOTTOM || p->states.n >= max_depth) return GCDC_OK;
		level->rest = frame_below(pool, f);
		f = level->rest.frame;
		below_next(pool, &level->rest);
	}
}

uint64_t gcdc_show_links(const gcdc_matcher *m) { return m ? m->pool->n_links : 0; }

gcdc_status gcdc_show_stacks(const gcdc_matcher *m, uint32_t i, gcdc_show_limits limits,
                             void (*visit)(void *, const gcdc_shown_stack *), void *context, bool *all)
{
	if (all) *all = true;
	if (!m || !visit || !limits.depth || i >= m->now->n) return GCDC_ERR_ARGUMENT;
	const struct frame_pool *pool = m->pool;
	struct paths p = {.m = m};
	gcdc_status status = GCDC_OK;
	uint32_t f = m->now->at[i].frame, n = 0;
	while (f && !status) {
		if (n++ == limits.stacks) {
			if (all) *all = false;
			break;
		}
		uint32_t last;
		status = path_down(&p, f, limits.depth, &last);
		if (status) break;
		visit(context, &(gcdc_shown_stack){p.states.at, p.states.n, last != FRAME_BOTTOM});
		f = 0;  // the deepest level that has another frame
		while (p.states.n && !f) {
			struct level *level = &p.levels[p.states.n - 1];
			f = level->rest.frame;
			if (f)
				below_next(pool, &level->rest);
			else
				p.states.n--;
		}
	}
	memory_free(&m->artifact->memory, p.states.at);
	memory_free(&m->artifact->memory, p.levels);
	return status;
}

// ---- How a text is read.
#define NO_LEXEME UINT32_MAX
struct told {
	uint32_t terminal, before;
	size_t end;
};  // before: in the list, or NO_LEXEME
struct lexing_at {
	uint32_t lexing, last;
	size_t begin;
};  // last: its newest lexeme
struct event {
	uint32_t from, to, terminal;
};

#define LIST_OF(type)                                                                                                  \
	struct {                                                                                                           \
		struct type *at;                                                                                               \
		uint32_t n, cap;                                                                                               \
	}
struct text_listener {
	struct listener base;  // first: what the steps know
	const gcdc_memory *memory;
	LIST_OF(told) told;
	LIST_OF(lexing_at) lexings, next;
	LIST_OF(event) events;
	bool no_memory;
};

// The address of one more entry of a list, or NULL.
static void *list_room(const gcdc_memory *memory, void **at, uint32_t *n, uint32_t *cap, size_t size)
{
	if (*n == *cap) {
		uint32_t more = *cap ? *cap * 2 : 16;
		void *block = more > *cap ? memory_resize(memory, *at, more, size) : NULL;
		if (!block) return NULL;
		*at = block;
		*cap = more;
	}
	return (char *)*at + size * (*n)++;
}
#define CAPACITY(memory, list) list_room(memory, (void **)&(list)->at, &(list)->n, &(list)->cap, sizeof *(list)->at)

static void listener_note(struct listener *base, uint32_t from, uint32_t to, uint32_t terminal)
{
	struct text_listener *l = (struct text_listener *)(void *)base;
	struct event *e = CAPACITY(l->memory, &l->events);
	if (e)
		*e = (struct event){from, to, terminal};
	else
		l->no_memory = true;
}

static bool position_has_lexing(const struct position *p, uint32_t lexing)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].lexing == lexing) return true;
	return false;
}

// The byte at `at` has been read, p is what is left: lexings are what the events say.
static bool listener_follow(struct text_listener *l, const struct position *p, size_t at)
{
	if (l->no_memory) return false;
	if (!l->events.n) return true;  // the one reading went on, its number stays
	l->next.n = 0;
	for (uint32_t i = 0; i < l->events.n; i++) {
		const struct event *e = &l->events.at[i];
		if (!position_has_lexing(p, e->to)) continue;
		uint32_t k = 0;
		while (k < l->lexings.n && l->lexings.at[k].lexing != e->from) k++;
		if (k == l->lexings.n) continue;
		struct lexing_at x = l->lexings.at[k];
		x.lexing = e->to;
		if (e->terminal != ARTIFACT_NONE) {
			struct told *told = CAPACITY(l->memory, &l->told);
			if (!told) return false;
			*told = (struct told){e->terminal, x.last, at};
			x.last = l->told.n - 1;
			x.begin = at;
		}
		struct lexing_at *to = CAPACITY(l->memory, &l->next);
		if (!to) return false;
		*to = x;
	}
	struct lexing_at *lexings = l->lexings.at;
	uint32_t cap = l->lexings.cap;
	l->lexings.at = l->next.at, l->lexings.n = l->next.n, l->lexings.cap = l->next.cap;
	l->next.at = lexings, l->next.n = 0, l->next.cap = cap;
	return true;
}

static gcdc_status read_text(struct gcdc_matcher *m, struct text_listener *l, const uint8_t *bytes, size_t len,
                             size_t *at)
{
	gcdc_status status = GCDC_OK;
	for (*at = 0; *at < len; ++*at) {
		status = position_copy(m, m->work, m->now);
		if (status) break;
		l->events.n = 0;
		m->listener = &l->base;
		status = position_step(m, m->work, bytes + *at, 1);
		m->listener = NULL;
		if (status || !m->work->n) break;
		if (!listener_follow(l, m->work, *at)) {
			status = GCDC_ERR_MEMORY;
			break;
		}
		struct position *t = m->now;
		m->now = m->work;
		m->work = t;
		position_release(m, m->work);
	}
	position_release(m, m->work);
	m->sets.valid = false;
	return status;
}

// The lexings as arrays, in one block behind the answer.
static gcdc_shown_text *text_of(const struct text_listener *l)
{
	size_t n = 0;
	for (uint32_t i = 0; i < l->lexings.n; i++)
		for (uint32_t k = l->lexings.at[i].last; k != NO_LEXEME; k = l->told.at[k].before) n++;
	size_t size = sizeof(gcdc_shown_text) + l->lexings.n * sizeof(gcdc_lexing) + n * sizeof(gcdc_lexeme);
	gcdc_shown_text *text = memory_resize(l->memory, NULL, 1, size);
	if (!text) return NULL;
	gcdc_lexing *lexings = (gcdc_lexing *)(void *)(text + 1);
	gcdc_lexeme *at = (gcdc_lexeme *)(void *)(lexings + l->lexings.n);
	for (uint32_t i = 0; i < l->lexings.n; i++) {
		const struct lexing_at *x = &l->lexings.at[i];
		size_t count = 0;
		for (uint32_t k = x->last; k != NO_LEXEME; k = l->told.at[k].before) count++;
		lexings[i] = (gcdc_lexing){.lexing = x->lexing, .begin = x->begin, .n = count, .lexemes = at};
		size_t to = count;
		for (uint32_t k = x->last; k != NO_LEXEME; k = l->told.at[k].before) {
			const struct told *told = &l->told.at[k];
			size_t begin = told->before == NO_LEXEME ? 0 : l->told.at[told->before].end;
			at[--to] = (gcdc_lexeme){told->terminal, begin, told->end};
		}
		at += count;
	}
	*text = (gcdc_shown_text){.n_lexings = l->lexings.n, .lexings = lexings};
	return text;
}

gcdc_status gcdc_show_text(const gcdc_artifact *a, const gcdc_matcher_options *options, const void *bytes, size_t len,
                           gcdc_shown_text **text)
{
	if (text) *text = NULL;
	if (!a || !text || (!bytes && len)) return GCDC_ERR_ARGUMENT;
	struct gcdc_matcher *m;
	gcdc_status status = gcdc_matcher_new(a, options, &m);
	if (status) return status;
	struct text_listener l = {.base = {.note = listener_note}, .memory = &a->memory};
	size_t at = 0;
	struct lexing_at *first = CAPACITY(l.memory, &l.lexings);
	if (first)
		*first = (struct lexing_at){.lexing = m->now->at[0].lexing, .last = NO_LEXEME};
	else
		status = GCDC_ERR_MEMORY;
	if (!status) status = read_text(m, &l, bytes, len, &at);
	if (!status && !(*text = text_of(&l))) status = GCDC_ERR_MEMORY;
	memory_free(l.memory, l.told.at);
	memory_free(l.memory, l.lexings.at);
	memory_free(l.memory, l.next.at);
	memory_free(l.memory, l.events.at);
	if (status) {
		gcdc_matcher_free(m);
		return status;
	}
	(*text)->at = at;
	(*text)->matcher = m;
	return GCDC_OK;
}

void gcdc_show_text_free(gcdc_shown_text *text)
{
	if (!text) return;
	const gcdc_memory *memory = &text->matcher->artifact->memory;
	gcdc_matcher_free(text->matcher);
	memory_free(memory, text);
}
