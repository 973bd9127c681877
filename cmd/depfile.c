// A rule without commands: TARGET: INPUT INPUT ...
//
// In:  paths. Out: the text that gcc -MD would write: '$' doubled, blanks and '#' with a backslash.
#include "depfile.h"

#include <string.h>

static void put_path(FILE *f, const char *path)
{
	for (const char *c = path; *c; c++) {
		if (strchr(" #", *c)) fputc('\\', f);
		if (*c == '$') fputc('$', f);
		fputc(*c, f);
	}
}

void depfile_target(FILE *f, const char *path)
{
	put_path(f, path);
	fputc(':', f);
}

void depfile_input(FILE *f, const char *path)
{
	fputs(" \\\n ", f);
	put_path(f, path);
}

void depfile_end(FILE *f) { fputc('\n', f); }
