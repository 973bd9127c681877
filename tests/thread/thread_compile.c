// The compiler on one thread and on several: the same bytes. Run under ThreadSanitizer, too.
// The grammar has conflicts, indentation, keywords beside names, and more lex_states than builders get at a time.
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
	    !artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, &bytes, len)) {
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

int main(void)
{
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	if (!grammar_parse("threads.lark", grammar_text, sizeof grammar_text - 1, NULL, &d, &g) ||
	    !vocab_load_default(NULL, &d, &v)) {
		fprintf(stderr, "%s\n", diag_text(&d));
		return 1;
	}
	size_t len;
	uint8_t *bytes = compile_with(&g, &v, 1, &len);
	for (uint32_t threads = 2; threads <= 5; threads++) {
		size_t n;
		uint8_t *same = compile_with(&g, &v, threads, &n);
		if (n != len || memcmp(same, bytes, len) != 0) {
			fprintf(stderr, "%u threads give another artifact than one\n", threads);
			return 1;
		}
		free(same);
	}
	free(bytes);
	vocab_release(&v);
	grammar_release(&g);
	diag_release(&d);
	return 0;
}
