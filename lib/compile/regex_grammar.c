// One regular expression as a grammar.
//
// In:  the expression. Out: the grammar `start: /PATTERN/`, as from a file named --regex, so that errors have places in it.
// Terminals have no empty lexeme: where the expression matches the empty text the terminal leaves that match out, and the rule
// may be empty. To know that the terminal is compiled once more. Cost: grammar_parse twice, regex_compile.
#include "compile.h"

#include <stdio.h>

#include "../regex/regex.h"

// `start: /PATTERN/`, and where the text may be empty `start: /PATTERN/ |`.
static bool parse(const char *pattern, bool may_be_empty, const struct grammar_options *o, struct diag *d, struct grammar *g)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	ASSERT(f);
	fputs("start: /", f);
	for (const char *c = pattern; *c; c++) {
		if (*c == '\\' && c[1]) {
			fputc(*c++, f);
			if (*c != '\n') fputc(*c, f);
			else fputc('n', f);
		} else if (*c == '/') fputs("\\/", f);
		else if (*c == '\n') fputs("\\n", f);
		else fputc(*c, f);
	}
	fputs(may_be_empty ? "/ |\n" : "/\n", f);
	fclose(f);
	bool good = grammar_parse("--regex", text, len, o, d, g);
	free(text);
	for (uint32_t t = 0; good && t < g->n_terminals; t++) g->terminals[t].drops_empty = true;
	return good;
}

// A terminal has no empty lexeme: where PATTERN matches the empty text, the rule does.
bool regex_grammar(const char *pattern, const struct grammar_options *o, struct diag *d, struct grammar *g)
{
	if (!parse(pattern, true, o, d, g)) return false;
	struct arena arena = {0};
	struct byte_dfa dfa;
	bool good = regex_compile(&g->terminals[0], &arena, d, &dfa), may_be_empty = good && dfa.dropped_empty;
	arena_release(&arena);
	if (may_be_empty) return true;
	grammar_release(g);
	return good && parse(pattern, false, o, d, g);
}
