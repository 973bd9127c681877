// What the files that step share: a stack while a terminal is pushed on it, and what happens once it is there.
#ifndef GCDC_MATCHER_STEP_H
#define GCDC_MATCHER_STEP_H

#include <limits.h>

#include "runtime_internal.h"

#define LOCAL_FRAMES 32
// What pushing a terminal on one stack comes to. Below 0: an error, whose gcdc_status has that number.
enum push {
	PUSH_DONE,
	PUSH_FORKS,  // there are several ways: ask graph_push
	PUSH_NONE,   // the terminal won, but it is not viable on this stack
	PUSH_ERROR = INT_MIN
};
static inline enum push push_of(gcdc_status status) { return (enum push)status; }  // status <= 0
static inline gcdc_status push_status(enum push p) { return p > 0 ? GCDC_ERR_INTERNAL : (gcdc_status)p; }

// A stack while a terminal is pushed: frames of the pool, parser states above them.
struct local_stack {
	uint32_t base;
	bool owned;  // base has a reference of ours
	uint32_t n;
	uint32_t at[LOCAL_FRAMES];
};

static inline uint32_t local_top(const struct frame_pool *pool, const struct local_stack *s)
{
	return s->n ? s->at[s->n - 1] : pool->at[s->base].lr_state;
}

// Between probe_cache_begin and probe_cache_end tokens can be tried at p. probe_cache_find: the entry of all tokens
// that lead to the same place; its value is ALIKE_UNKNOWN when that is new: then `after` (empty before) is the place,
// for the caller to judge. Valid until the next call. On errors `after` may hold something, too.
gcdc_status probe_cache_begin(struct gcdc_matcher *m, struct probe_cache *t, const struct position *p);
gcdc_status probe_cache_find(struct gcdc_matcher *m, struct probe_cache *t, uint32_t token, struct position *after,
                             struct probe_cache_entry **entry);
void probe_cache_end(struct gcdc_matcher *m, struct probe_cache *t);
void probe_cache_free(const gcdc_memory *memory, struct probe_cache *t);

// What the tables say of p: sets whose tokens are allowed, and sets of which columns decide (open). Readings on which
// nothing is allowed leave p.
gcdc_status list_collect(struct gcdc_matcher *m, struct position *p, struct set_list *list);  // if that is put off
gcdc_status collect_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list);
// Steps over the tokens of list->open: those that are allowed go into `extra`. probe.c.
gcdc_status probe_open(struct gcdc_matcher *m, const struct position *p, struct set_list *list);
void prober_free(const gcdc_memory *memory, struct prober *x);

// A lexing becomes another one, going on (terminal NONE) or by a cut as a terminal. show.c, matcher_trace.c.
struct listener {
	void (*note)(struct listener *l, uint32_t from, uint32_t to, uint32_t terminal);
	void (*push)(struct listener *l, uint32_t frame, uint32_t terminal);  // is pushed on a frame; or NULL
};
static inline void note_step(const struct gcdc_matcher *m, uint32_t from, uint32_t to, uint32_t terminal)
{
	if (UNLIKELY(m->listener != NULL)) m->listener->note(m->listener, from, to, terminal);
}

// Pushes t (an ignored one changes nothing). On PUSH_FORKS, PUSH_NONE and errors s is the bare, unowned frame again.
enum push push_one(struct gcdc_matcher *m, struct local_stack *s, uint32_t t);
// How a lexeme ends: as a terminal, leaving an obligation; a byte of a class begins the next one. The columns that are
// open, and the number of the lexing that the reading behind it has.
struct lexeme_end {
	uint32_t terminal, obligation, byte_class, columns, lexing;
};
// The terminal is on the stack s. Adds the reading that goes on, if any. s is used up. The one place that knows what
// follows a terminal.
gcdc_status after_terminal(struct gcdc_matcher *m, struct position *p, struct local_stack *s,
                           const struct lexeme_end *e);
// The same for n stacks on which the terminal is still to be pushed, in whatever ways there are.
gcdc_status after_push(struct gcdc_matcher *m, struct position *p, const uint32_t *frames, uint32_t n,
                       const struct lexeme_end *e);
// Adds a reading, taking over its references.
gcdc_status add_reading(struct gcdc_matcher *m, struct position *p, struct reading r);
// What s is, as a frame with a reference, s.base. On errors s is to be released.
gcdc_status local_to_frames(struct frame_pool *pool, struct local_stack *s);
void local_release(struct frame_pool *pool, struct local_stack *s);

// ---- Columns: columns.c, line_end.c.
// The column behind bytes that end in a lexer state with LEX_LINE.
uint32_t text_column(const struct gcdc_artifact *a, uint32_t column, const uint8_t *bytes, const uint8_t *end);
// An open column.
uint32_t column_of(const struct frame_pool *pool, uint32_t columns);
// Tops with a reference each: of some frames; as t makes of them, those where it is not viable dropped; let go.
gcdc_status take_frames(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, struct vec32 *tops);
gcdc_status push_tops(struct gcdc_matcher *m, struct vec32 *tops, uint32_t t);
void release_tops(struct gcdc_matcher *m, struct vec32 *tops);
// Would the lexeme of this lexer state, ended, be a newline that decides columns?
bool is_line_end(const struct gcdc_matcher *m, const struct artifact_lex_state *lex, uint32_t frame);
static inline bool takes_line(const struct gcdc_matcher *m, const struct artifact_lex_state *lex, uint32_t frame)
{
	return UNLIKELY(lex->flags & LEX_LINE) && m->artifact->parts->lines->takes_line(m, lex, frame);
}
// Is the last byte of the text a '\n' (as far as that matters)? Then no newline is lacking.
static inline bool ends_in_newline(const struct artifact_lex_state *lex, uint32_t column)
{
	return lex->flags & LEX_NEWLINE || (lex->flags & LEX_LINE && !column);
}
// As after_push with the newline, at m->step_at, and with what the column makes.
gcdc_status cut_line(struct gcdc_matcher *m, struct position *p, const uint32_t *frames, uint32_t n,
                     const struct lexeme_end *e);
// Newline, and what the column makes. *columns, a reference of ours, becomes the columns open then. No tops: the column
// is not possible here.
gcdc_status push_line(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, uint32_t column, struct vec32 *tops,
                      uint32_t *columns);
// The last lexeme of a text, ended as a terminal (NONE: there is none). is_line: it is a newline that decides columns.
// The columns that are open, and the one that the text has come to.
struct text_end {
	uint32_t terminal;
	bool is_line;
	uint32_t columns, column;
};
// May the text end so on these stacks?
gcdc_status line_ends(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, const struct text_end *e, bool *ends);
// May the text end at the only reading, as it is or with the newline that it lacks? *known: that was simple enough.
gcdc_status line_ends_alone(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *ends, bool *known);
// With a newline of that number pending: every start that a token can go on from behind blanks, with the top it is for.
struct line_reader {
	uint32_t line;
	gcdc_status (*take)(void *to, uint32_t top, const struct artifact_start *start, bool forks);
	void *to;
	gcdc_status (*push)(struct gcdc_matcher *m, struct vec32 *tops, uint32_t t);  // NULL: push_tops
	uint32_t columns;  // while `take` is called: those open then; is_deeper: and one more
	bool is_deeper;
};
gcdc_status lines_read(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t column,
                       struct line_reader *r);

// ---- Several readings: matcher_several.c.
// One byte for the readings of p, whose references are used up. What goes on is added to `to`.
gcdc_status step_several(struct gcdc_matcher *m, struct position *to, struct position *p, uint32_t c);
// Readings that have come to one lexer state, one top and the same columns become one.
gcdc_status merge_readings(struct gcdc_matcher *m, struct position *p);
// The lexeme of r ends before a byte of class c, as lex says; what goes on is added to p.
gcdc_status cut_alone(struct gcdc_matcher *m, struct position *p, struct reading r,
                      const struct artifact_lex_state *lex, uint32_t c);

#endif
