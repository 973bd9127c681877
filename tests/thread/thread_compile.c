// The compiler on one thread and on several: the same bytes. Run under ThreadSanitizer, too.
// The first grammar has conflicts, indentation, keywords beside names, and more lex_states than builders get at a time.
// Builders of the second one find thousands of nodes that others have claimed, and frames above them that only they
// know. Its sections are compressed by several threads, too.
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/compile/compile.h"

static const char grammar_text[] = "start: line+\n"
								   "line: statement _NL | head _NL _INDENT line+ _DEDENT\n"
								   "head: \"if\" e \":\" | \"while\" e \":\" | \"for\" NAME \"in\" e \":\" | \"def\" "
								   "NAME \"(\" [NAME (\",\" NAME)*] \")\" \":\"\n"
								   "statement: \"return\" e | \"break\" | \"continue\" | \"import\" NAME (\".\" NAME)* "
								   "| NAME \"=\" e | \"print\" e | \"pass\"\n"
								   "e: e \"+\" e | e \"*\" e | \"-\" e | e e | \"(\" e \")\" | NAME | NUMBER | STRING "
								   "| \"not\" e | \"lambda\" NAME \":\" e\n"
								   "NAME: /[a-z_][a-z_0-9]*/\n"
								   "NUMBER: /[0-9]+(\\.[0-9]+)?/\n"
								   "STRING: /\"([^\"\\\\\\n]|\\\\.)*\"/\n"
								   "_NL: /(\\r?\\n[ ]*)+/\n"
								   "%declare _INDENT _DEDENT\n"
								   "%indent newline=_NL indent=_INDENT dedent=_DEDENT\n"
								   "%ignore / +/\n"
								   "%ignore /#[^\\n]*/\n";

static uint8_t *compile_with(const struct grammar *g, const struct vocab *v, uint32_t threads, size_t *len)
{
	struct diag d = {0};
	struct compiled c;
	uint8_t *bytes = NULL;
	struct compile_options o = {.threads = threads, .costs = COMPILE_COSTS_EXACT};
	if (!compile_image(g, v, &o, &d, &c) ||
	    !artifact_encode(&c.image, &(struct artifact_write_options){.threads = threads}, &d, &bytes, len)) {
		fprintf(stderr, "%s\n", diag_text(&d));
		exit(1);
	}
	if (c.image.info.n_lex_states < 100) {
		fprintf(stderr, "only %u lex_states: nothing to share out\n", c.image.info.n_lex_states);
		exit(1);
	}
	compile_release(&c);
	diag_release(&d);
	return bytes;
}

static bool are_same(const struct grammar *g, const struct vocab *v, uint32_t most_threads)
{
	size_t len;
	uint8_t *bytes = compile_with(g, v, 1, &len);
	bool ok = true;
	for (uint32_t threads = 2; threads <= most_threads && ok; threads++) {
		size_t n;
		uint8_t *same = compile_with(g, v, threads, &n);
		ok = n == len && !memcmp(same, bytes, len);
		if (!ok) fprintf(stderr, "%u threads give another artifact than one\n", threads);
		free(same);
	}
	free(bytes);
	return ok;
}

int main(void)
{
	struct diag d = {0};
	struct grammar g, whole;
	struct vocab v;
	if (!grammar_parse("threads.lark", grammar_text, sizeof grammar_text - 1, NULL, &d, &g) ||
	    !grammar_load("grammars/go/go.lark", NULL, &d, &whole) || !vocab_load_default(NULL, &d, &v)) {
		fprintf(stderr, "%s\n", diag_text(&d));
		return 1;
	}
	const bool ok = are_same(&g, &v, 5) && are_same(&whole, &v, 3);
	vocab_release(&v);
	grammar_release(&g);
	grammar_release(&whole);
	diag_release(&d);
	return !ok;
}
