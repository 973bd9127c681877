// Grammars in which a parser could reduce for ever without reading anything.
#ifndef GCDC_GRAMMAR_GRAMMAR_LOOPS_H
#define GCDC_GRAMMAR_GRAMMAR_LOOPS_H

#include "grammar.h"

#define LOOPS_MAX_PRODUCTIONS 60000u // of a rewritten grammar

// Is some nonterminal derived from itself alone (A =>+ A), or at the left end behind something that is empty (hidden
// left recursion)? Exactly then an LR parser with all its choices has endless sequences of reductions under one
// terminal.
bool grammar_has_loops(const struct grammar *g);
// Rewrites g so that it has none and the language is the same: what can be empty in such places is written out as
// present or absent, nonterminals that derive each other become one. Everything else stays as it is. *changed says
// whether there was something to do. False with an error when LOOPS_MAX_PRODUCTIONS is passed.
bool grammar_remove_loops(struct grammar *g, struct diag *d, bool *changed);

#endif
