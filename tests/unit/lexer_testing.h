// A lexer of one context in which all terminals compete: the parser plays no part.
#ifndef GCDC_TESTS_LEXER_TESTING_H
#define GCDC_TESTS_LEXER_TESTING_H

#include <criterion/criterion.h>

#include "../../lib/lexer/lexer.h"

struct lexer_fixture {
	struct grammar g;
	struct arena arena;
	struct diag d;
	struct byte_dfa *dfa;
	struct lexer x;
	bits context[4], after[256];
};

// The context follows each terminal, or nothing does. False after an error, such as a limit.
static inline bool lexer_of(struct lexer_fixture *f, const char *text, bool follows)
{
	*f = (struct lexer_fixture){0};
	cr_assert(grammar_parse("test.lark", text, strlen(text), NULL, &f->d, &f->g), "%s\n%s", text, diag_text(&f->d));
	f->dfa = arena_array(&f->arena, f->g.n_terminals, sizeof *f->dfa);
	for (terminal_id t = 0; t < f->g.n_terminals; t++) {
		if (!regex_compile(&f->g.terminals[t], &f->arena, &f->d, &f->dfa[t])) return false;
		if (!f->g.terminals[t].is_ignored) bits_set(f->context, t);
		f->after[t] = follows;
	}
	struct lexer_context_map m = {.n_contexts = 1,
	                              .context_words = BITS_WORDS(f->g.n_terminals),
	                              .context = f->context,
	                              .after_words = 1,
	                              .after = f->after,
	                              .takes_also = true};
	return lexer_build(&f->g, f->dfa, &m, &f->arena, &f->d, &f->x);
}

static inline void lexer_release(struct lexer_fixture *f)
{
	arena_release(&f->arena);
	grammar_release(&f->g);
	diag_release(&f->d);
}

#endif
