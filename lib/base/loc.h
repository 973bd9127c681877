// Places in the texts that the user wrote.
#ifndef GCDC_BASE_LOC_H
#define GCDC_BASE_LOC_H

#include <stddef.h>
#include <stdint.h>

// A text that messages point into. Lives at least as long as the diag.
struct source {
	const char *path;  // as the user gave it, or "<regex>" and the like
	const char *text;  // may hold NUL bytes
	size_t len;
};

// A place in a source: bytes [offset, offset + len). source may be NULL: no place is known.
struct loc {
	const struct source *source;
	uint32_t offset, len;
};

#endif
