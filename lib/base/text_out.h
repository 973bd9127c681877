// A text that is written as a file is, and copied into an arena when it is whole.
//
// In:  what is printed to its stream.  Out: a NUL-terminated copy. A work that is given up in between leaves nothing of
// it. Texts that are open at once are closed in the reverse order. Cost: the text is copied once.
#ifndef GCDC_BASE_TEXT_OUT_H
#define GCDC_BASE_TEXT_OUT_H

#include "mem.h"
#include "work.h"

struct text_out {
	FILE *f;
	char *text;  // once it has ended: len bytes and a NUL
	size_t len;
	struct work_cleanup cleanup;
};

void text_open(struct text_out *t);                     // t stays where it is until it is closed or dropped
void text_end(struct text_out *t);                      // nothing more is written: t->text can be read
void text_drop(struct text_out *t);                     // behind text_end: frees t->text
char *text_close(struct text_out *t, struct arena *a);  // all three, with a copy
#endif
