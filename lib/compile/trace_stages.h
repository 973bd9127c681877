// What each stage of the compiler tells of what it made, when somebody watches (base/trace.h).
#ifndef GCDC_COMPILE_TRACE_STAGES_H
#define GCDC_COMPILE_TRACE_STAGES_H

#include "../base/trace.h"
#include "../grammar/grammar.h"
#include "../lexer/lexer.h"
#include "../lr/lr.h"
#include "../tables/tables.h"
#include "compile.h"

// Each right behind its stage; t may be NULL, then nothing happens.
void trace_grammar(struct trace *t, const struct grammar *g);
void trace_lr(struct trace *t, const struct grammar *g, const struct lr *lr, const struct lr_report *r);
void trace_terminals(struct trace *t, const struct grammar *g, const struct byte_dfa *dfa);
void trace_lexer(struct trace *t, const struct grammar *g, const struct lexer *x);
void trace_tables(struct trace *t, const struct lexer *x, const struct lr *lr, const struct vocab *v,
                  const struct tables *tables);
void trace_costs(struct trace *t, const struct grammar *g, const struct tables *tables);
void trace_canonical(struct trace *t, const struct compiled *c);

#endif
