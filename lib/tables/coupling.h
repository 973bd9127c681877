// Where can another stack of the same text undo the end of a lexeme?
//
// Stacks of one sequence of terminals compete: a terminal that only another stack makes viable may match longer, or win a
// tie, and then the lexeme was that one (language.md, rule 1). Tables are made for one stack by itself; what another one
// could undo is marked, and the runtime tries such tokens when there is another one.
#ifndef GCDC_TABLES_COUPLING_H
#define GCDC_TABLES_COUPLING_H

#include "../lr/lr.h"
#include "../regex/regex.h"

struct coupling {
	uint32_t words;      // bits words of a set of terminals
	bits *undone;        // [n_states * words] with this state on top, lexemes of these may be undone; NULL: none anywhere
	bits *undone_in;     // [n_contexts * words] the same for all states of a context
	bits *beside_in;     // [n_contexts * words] what competes on other stacks when the top is of this context; ignored ones too
	bits *contexts_beside;  // [n_contexts * BITS_WORDS(n_contexts)] contexts of tops beside one of this context
	const struct byte_dfa *dfa;  // [n_terminals]
	// Whatever stacks a text has: once a lexeme has ended and a separator was typed, any sentence of any of them can be
	// spelled in spite of the others. Then what is viable for one stack by itself is viable together with others.
	bool settles;
};

// competing: lexer_words of the contexts; undone_by: lexer_undone_by.
void coupling_build(const struct grammar *g, const struct byte_dfa *dfa, const struct lr *lr, const bits *competing,
                    const bits *undone_by, struct arena *arena, struct coupling *out);
static inline bool coupling_undoes(const struct coupling *c, lr_state s, terminal_id t)
{
	return c->undone && bits_test(c->undone + (size_t)s * c->words, t);
}

#endif
