// A text over open_memstream, which allocates as libc does: a work does not know its bytes.
#include "text_out.h"

static void release(void *what)
{
	struct text_out *t = what;
	if (t->f) fclose(t->f);
	t->f = NULL;
	free(t->text);
}

void text_open(struct text_out *t)
{
	*t = (struct text_out){0};
	t->f = text_stream(&t->text, &t->len);
	work_cleanup(&t->cleanup, release, t);
}

void text_end(struct text_out *t)
{
	FILE *f = t->f;
	const bool failed = ferror(f);
	t->f = NULL;
	if (fclose(f) || failed) work_out_of_memory(t->len);
}

void text_drop(struct text_out *t)
{
	work_cleanup_end(&t->cleanup);
	free(t->text);
	t->text = NULL;
}

char *text_close(struct text_out *t, struct arena *a)
{
	text_end(t);
	char *copy = arena_strndup(a, t->text, t->len);
	text_drop(t);
	return copy;
}
