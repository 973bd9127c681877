// From the compiler's tables to the artifact's arrays; see pack.c and pack_sets.c.
#ifndef GCDC_COMPILE_PACK_H
#define GCDC_COMPILE_PACK_H

#include "../base/intern.h"
#include "../canonical/canonical.h"
#include "../grammar/grammar.h"
#include "../lexer/lexer.h"
#include "../lr/lr.h"
#include "../tables/tables.h"
#include "compile.h"

// A table's rows, laid into one another: see pack_table.c. row_of: [n_rows] becomes where each begins.
struct packed_table {
	const struct artifact_cell *cells;
	uint32_t n;
};
struct packed_table pack_table(struct arena *arena, const struct lr_table *table, uint32_t n_rows, uint32_t width,
                               uint32_t *row_of);
void pack_names(const struct grammar *g, struct compiled *out);
void pack_lexer(const struct lexer *x, const struct lr *lr, struct compiled *out);
void pack_lr(const struct lr *lr, const struct tables *t, struct compiled *out);
void pack_lines(const struct tables *t, struct compiled *out);  // after pack_starts
void pack_automaton(const struct tables *t, struct compiled *out);
void pack_starts(struct tables *t, const struct lr *lr, struct compiled *out);  // before pack_lines
// set_ids in starts and edges become rows of SET, in the order in which they are first named.
// The result does not depend on the number of threads.
void pack_sets(struct tables *t, const struct lexer *x, const struct lr *lr, const struct vocab *v, uint32_t n_threads,
               struct compiled *out);
// Nothing when there are none.
void pack_costs(const struct costs *c, const struct lexer *lexer, const struct lr *lr, struct compiled *out);
// After pack_sets; nothing when there are none.
void pack_steps(const struct budget_steps *b, uint32_t n_lex_states, struct compiled *out);
void pack_vocab(const struct vocab *v, struct compiled *out);
// Are these control tokens, which the grammar names, cuts in any text of the tokenizer, as canonical modes take them to
// be? False: an error says which is not, and why.
bool canonical_control(const struct canon_section *tables, const struct vocab *v, const struct grammar *g,
                       const control_ids *ids, struct diag *d);
// What hard mode knows beforehand; after all of the others, and with image.canonical.
void pack_canonical(const struct vocab *v, struct compiled *out);
// What a canonical ending costs at most; nothing where that is not known. After pack_lexer.
void pack_bound(const struct lexer *x, const struct lr *lr, const struct tables *t, const struct vocab *v,
                struct compiled *out);

#endif
