// One regular expression as a grammar.
//
// In:  the expression. Out: the grammar `start: /PATTERN/`, as from a file named path, so that errors have places in
// it. Terminals have no empty lexeme: where the expression matches the empty text the terminal leaves that match out,
// and the rule may be empty. To know that the terminal is compiled once more. Cost: grammar_parse twice, regex_compile.
#include "compile.h"

#include "../regex/regex.h"

// `start: /PATTERN/`, and where the text may be empty `start: /PATTERN/ |`.
static bool parse(const char *path, const char *pattern, bool may_be_empty, const struct grammar_options *o,
                  struct diag *d, struct grammar *g)
{
	VEC(char) text = {0};
	for (const char *c = "start: /"; *c; c++) vec_push(&text, *c);
	for (const char *c = pattern; *c; c++) {
		if (*c == '\\' && c[1]) {
			vec_push(&text, *c++);
			vec_push(&text, *c == '\n' ? 'n' : *c);
			continue;
		}
		if (*c == '/' || *c == '\n') vec_push(&text, '\\');
		vec_push(&text, *c == '\n' ? 'n' : *c);
	}
	for (const char *c = may_be_empty ? "/ |\n" : "/\n"; *c; c++) vec_push(&text, *c);
	bool good = grammar_parse(path, text.at, text.n, o, d, g);
	vec_release(&text);
	for (uint32_t t = 0; good && t < g->n_terminals; t++) g->terminals[t].drops_empty = true;
	return good;
}

struct asking {
	const char *path, *pattern;
	const struct grammar_options *o;
	struct diag *d;
	struct grammar *g;
	bool good;
};

// A terminal has no empty lexeme: where PATTERN matches the empty text, the rule does.
static void run(void *context)
{
	struct asking *x = context;
	struct grammar *g = x->g;
	if (!parse(x->path, x->pattern, true, x->o, x->d, g)) return;
	struct arena arena = {0};
	struct byte_dfa dfa;
	work_stage(compile_stage_name[STAGE_TERMINALS]);
	x->good = regex_compile(&g->terminals[0], &arena, x->d, &dfa);
	bool may_be_empty = x->good && dfa.dropped_empty;
	arena_release(&arena);
	if (may_be_empty) return;
	grammar_release(g);
	x->good = x->good && parse(x->path, x->pattern, false, x->o, x->d, g);
}

bool regex_grammar(const char *path, const char *pattern, const struct grammar_options *o, struct diag *d,
                   struct grammar *g)
{
	struct grammar made = {0};
	struct asking x = {path, pattern, o, d, &made, false};
	struct work_result r;
	bool done = work_run(NULL, run, &x, &r);
	if (!done) diag_given_up(d, &r, "lower the bounds of its repetitions, or simplify its alternatives");
	*g = done && x.good ? made : (struct grammar){0};
	return done && x.good;
}
