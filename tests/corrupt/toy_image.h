// Artifacts to damage: what the compiler makes of a grammar and a few tokens.
#ifndef GCDC_TESTS_TOY_IMAGE_H
#define GCDC_TESTS_TOY_IMAGE_H

#include <criterion/criterion.h>

#include "artifact_abuse.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

// Token 0 is EOS, without text.
ABUSE void toy_vocab(const char *const *tokens, uint32_t n, struct vocab *v)
{
	enum { MOST = 64 };
	const uint8_t *bytes[MOST];
	uint32_t lens[MOST], eos = 0;
	uint8_t kind[MOST];
	cr_assert(n <= MOST);
	for (uint32_t t = 0; t < n; t++) {
		bytes[t] = (const uint8_t *)tokens[t], lens[t] = (uint32_t)strlen(tokens[t]);
		kind[t] = t ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	vocab_build(&(struct vocab_tokens){n, bytes, lens, kind, 1, &eos}, v);
}
#define TOY_VOCAB(tokens, v) toy_vocab(tokens, sizeof tokens / sizeof *(tokens), v)

ABUSE void toy_compile(const char *grammar, const struct vocab *v, const struct compile_options *options,
                       struct compiled *c)
{
	struct diag d = {0};
	struct grammar g;
	cr_assert(grammar_parse("toy.lark", grammar, strlen(grammar), NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(compile_image(&g, v, options, &d, c), "%s", diag_text(&d));
	grammar_release(&g);
	diag_release(&d);
}

// The file, to be freed; releases c.
ABUSE uint8_t *toy_encode(struct compiled *c, bool raw, size_t *len)
{
	struct diag d = {0};
	uint8_t *out;
	cr_assert(artifact_encode(&c->image, &(struct artifact_write_options){.raw = raw}, &d, &out, len), "%s",
	          diag_text(&d));
	compile_release(c);
	diag_release(&d);
	return out;
}

#endif
