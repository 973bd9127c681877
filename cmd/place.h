// A place in a text, for people: stacks as symbols, what the parser wants, what a lexeme may become.
#ifndef GCDC_CMD_PLACE_H
#define GCDC_CMD_PLACE_H

#include "artifact_view.h"
#include "base/mem.h"

#include <gcdc/show.h>

typedef VEC(uint32_t) terminal_set;

// ---- Sets of terminals, as ascending lists. n_terminals: the end of the text.
void ids_add(terminal_set *l, uint32_t id);  // each once
void ids_copy(terminal_set *to, const terminal_set *from);
// At most `max` of them as people write terminals, then "... (12 more)"; "nothing" for none.
void terminals_show(FILE *out, const struct artifact_view *v, const terminal_set *terminals, uint32_t max);
// A terminal as people write it: a literal's text in quotes, the pattern of one without a name of its own, else the
// name.
const char *terminal_show(const struct artifact_view *v, uint32_t t);

// ---- Stacks: lr_states from the bottom up, and the symbols that led from each to the next (one less).
struct place_stack {
	terminal_set at, symbols;
	bool is_cut;
};  // is_cut: more lie below
#define PLACE_MAX_STACKS 16u
#define PLACE_MAX_DEPTH 4096u
typedef VEC(struct place_stack) stack_list;
void place_release(stack_list *l);
// Those of reading i, at most PLACE_MAX_STACKS; false: there are more. Aborts without memory. Several symbols can lead
// to one lr_state: told are those of `read`, what place_read makes of the same lexing, else any.
bool place_stacks(const struct artifact_view *v, const gcdc_matcher *m, uint32_t i, const stack_list *read,
                  stack_list *out);
// Columns that are open in the reading of this number (gcdc_shown_reading), innermost first, without the 0 that always
// is. Returns the column of the blanks at the end of the text; GCDC_NONE: a tab that is refused.
uint32_t place_columns(const gcdc_matcher *m, uint32_t number, terminal_set *columns);
// The stacks that the lexemes of a text make, at most PLACE_MAX_STACKS, with the symbols that made them; not to the end
// of the text when they grow past PLACE_MAX_DEPTH.
void place_read(const struct artifact_view *v, const char *text, const gcdc_lexing *lexing, stack_list *out);
// The symbols on it, bottom first; at most `max` of the topmost, after "...". "empty" for none.
void place_stack_show(FILE *out, const struct artifact_view *v, const struct place_stack *s, uint32_t max);
// Every stack that t makes of this one, added to out; an ignored terminal makes the same. Bounded: PLACE_MAX_STACKS.
void place_push(const struct artifact_view *v, const struct place_stack *s, uint32_t t, stack_list *out);
// What t makes of all these; those where it is not viable go.
void place_push_all(const struct artifact_view *v, stack_list *stacks, uint32_t t);
// A newline is on the stacks: what the column makes goes onto them. None is left: the column is not possible. columns:
// those that are open, innermost first.
void place_push_column(const struct artifact_view *v, stack_list *stacks, const terminal_set *columns, uint32_t column);
// The same while the line can still begin at any column from `column` on: what the parser wants at each of them.
void place_wanted_line(const struct artifact_view *v, const stack_list *stacks, const terminal_set *columns,
                       uint32_t column, terminal_set *terminals);
// Is the lexeme a newline that decides columns, as far as this stack is concerned?
bool place_takes_line(const struct artifact_view *v, const struct place_stack *s, uint32_t terminal);
// The terminals that the tops of these stacks want, and n_terminals where the text may end.
void place_wanted(const struct artifact_view *v, const stack_list *l, terminal_set *terminals);

// ---- Lexemes.
// The terminals that the lexeme at this lex_state can end as, now or later.
void lex_may_become(const struct artifact_view *v, uint32_t lex_state, terminal_set *terminals);
// Those of them that the parser wants on this stack, or that are ignored. Contexts of the lexer can hold more than
// that.
void lex_wanted(const struct artifact_view *v, uint32_t lex_state, const struct place_stack *s,
                terminal_set *terminals);
// What the bytes begin with, by itself, wherever the grammar wants it: the longest lexeme and the terminals that it is.
// 0: none; then *terminals is what the bytes may become, all of them being the beginning of it.
size_t lex_found(const struct artifact_view *v, const uint8_t *bytes, size_t len, terminal_set *terminals);

#endif
