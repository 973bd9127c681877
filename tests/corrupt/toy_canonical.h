// Canonical tables of a tokenizer, in hard mode, as the compiler takes them.
#ifndef GCDC_TESTS_TOY_CANONICAL_H
#define GCDC_TESTS_TOY_CANONICAL_H

#include "../../lib/canonical/canonical.h"
#include "toy_image.h"

struct toy_canonical {
	struct canonical tables;
	struct artifact_canon info;
	struct canon_section sections[CANON_SECTIONS];
};

// Takes e; stays where it is, for a section points into it.
ABUSE void toy_canonical(struct toy_canonical *t, struct encoder *e, const struct vocab *v)
{
	struct diag d = {0};
	cr_assert(e && canonical_build(e, v, &d, &t->tables, NULL), "%s", diag_text(&d));
	canonical_sections(&t->tables, t->sections);
	t->info = t->tables.info;
	t->info.mode = CANON_HARD, t->sections[0].bytes = &t->info;
	encoder_free(e);
	diag_release(&d);
}

// Of the tokenizer that is built in.
ABUSE void toy_canonical_default(struct toy_canonical *t, struct vocab *v)
{
	struct diag d = {0};
	cr_assert(vocab_load_default(NULL, &d, v));
	toy_canonical(t, encoder_load_default(&d), v);
	diag_release(&d);
}

#endif
