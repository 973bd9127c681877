// Gotos by nonterminals: where each of many frames goes with one.
//
// In:  an LR automaton. Out: its gotos by columns; groups of frames go down a column together.
// A column with a cell for one state of GOTO_COLUMN_ALL or more has room for all states, so a look-up is one load; the
// others are searched, from one frame to the next. Room in all: some GOTO_COLUMN_ALL words a goto.
#ifndef GCDC_TABLES_GOTO_COLUMNS_H
#define GCDC_TABLES_GOTO_COLUMNS_H

#include "../lr/lr.h"

#define GOTO_COLUMN_ALL 32u

struct goto_columns {
	uint32_t n_nonterminals;
	struct lr_table cells;  // rows of nonterminals, by states
	lr_state **all;         // [n_nonterminals] NULL, or [n_states] where each state goes, or 0
};

void goto_columns_init(struct goto_columns *x, const struct lr *lr);
void goto_columns_release(struct goto_columns *x);
// to[i] receives where frame[i] goes with nonterminal lhs, or 0, for n frames, ascending.
void goto_columns_find(const struct goto_columns *x, uint32_t lhs, const lr_state *frame, uint32_t n, lr_state *to);

#endif
