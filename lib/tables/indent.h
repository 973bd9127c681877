// Tokens that begin with blanks behind a pending newline: what their columns can be.
//
// In:  lexer, LR tables, the walk of the vocabulary. Out: struct lines: for each lex_state that ends a line and each
// *row* of blanks the rest of the tokens that go on behind those blanks, and the lr_states that can be on top once the
// newline is taken and its column has made indents or dedents. The tables have a start for each (lex_state, row, top):
// row number and top are what the runtime knows when it has compared columns.
#ifndef GCDC_TABLES_LINES_H
#define GCDC_TABLES_LINES_H

#include "tables.h"
#include "walk.h"

// Rows: first widths, ascending, from 0; then for each of them "so many columns or more"; then blanks with a tab in
// them that leads to the next tab stop.
struct lines {
	bits *blank_path;  // [trie nodes] only blanks lead to the node, its own byte left out; NULL: no columns
	struct line_tables *out;
	VEC(lex_state) states;
	VEC(lr_state) tops;
	VEC(uint8_t) made;             // [top] how one comes there: LINE_*
	VEC(remainder_id) remainders;  // [state * rows + row]
};
enum { LINE_SAME = 1, LINE_DEEPER = 2 };  // behind the newline itself or a dedent; behind an indent

void lines_build(const struct lexer *x, const struct lr *lr, struct walker *whole, struct line_tables *out,
                 struct lines *l);
void lines_release(struct lines *l);
// Is the row used with this top?
bool lines_use(const struct lines *l, uint32_t row, uint32_t top);

#endif
