// A grammar compiled for the built-in tokenizer, as the bytes of an artifact.
#ifndef GCDC_PACKED_TEXT_H
#define GCDC_PACKED_TEXT_H

#include <criterion/criterion.h>

#include "compile/compile.h"
#include "writer/artifact_image.h"

// raw: sections are stored as they are. The caller frees the bytes.
static inline uint8_t *packed_text(const char *text, enum compile_costs costs, bool raw, size_t *len)
{
	struct grammar g;
	struct vocab v;
	struct compiled c;
	struct diag d = {0};
	uint8_t *bytes;
	cr_assert(vocab_load_default(NULL, &d, &v));
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(compile_image(&g, &v, &(struct compile_options){.costs = costs}, &d, &c), "%s", diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = raw}, &d, &bytes, len));
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
	return bytes;
}

#endif
