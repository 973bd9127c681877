// An artifact with hard canonical masks, for the built-in tokenizer: what tests of them open before and close behind.
#ifndef GCDC_TESTS_UNIT_HARD_TESTING_H
#define GCDC_TESTS_UNIT_HARD_TESTING_H

#include <criterion/criterion.h>

#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"
#include "gcdc/runtime.h"

static struct vocab v;
static struct encoder *e;
static struct canonical tables;
static struct diag d;
static uint8_t *bytes;
static gcdc_artifact *artifact;

static void open_with(const char *text, enum compile_costs costs)
{
	struct grammar g;
	struct compiled c;
	struct canon_section sections[CANON_SECTIONS];
	struct artifact_canon info;
	size_t len;
	gcdc_refusal why;
	cr_assert(vocab_load_default(NULL, &d, &v) && (e = encoder_load_default(&d)));
	cr_assert(canonical_build(e, &v, &d, &tables, NULL));
	cr_assert(grammar_parse("hard.lark", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	canonical_sections(&tables, sections);
	info = tables.info, info.mode = CANON_HARD, sections[0].bytes = &info;
	struct compile_options options = {.canonical = sections, .costs = costs};
	cr_assert(compile_image(&g, &v, &options, &d, &c), "%s", diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, &bytes, &len));
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &artifact, &why), GCDC_OK, "%s", why.what);
	compile_release(&c);
	grammar_release(&g);
}

static void teardown(void)
{
	gcdc_artifact_close(artifact);
	free(bytes);
	canonical_release(&tables);
	encoder_free(e);
	vocab_release(&v);
	diag_release(&d);
}

#endif
