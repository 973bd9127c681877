// What a build has made: OUTPUT/.gcdc/built, a line a file.
#ifndef GCDC_CMD_BUILD_RECORD_H
#define GCDC_CMD_BUILD_RECORD_H

#include "base/intern.h"
#include "input_digest.h"

#define RECORD_NO_CHECKS "-"
#define RECORD_NO_SUM "-"

struct record_line {
	const char *of;     // digest of all that the file is made of
	const char *check;  // of the checks that it has passed, or RECORD_NO_CHECKS
	const char *sum;    // SHA-256 of its bytes, or RECORD_NO_SUM: Ninja's steps do not tell
	const char *path;   // from OUTPUT
	const char **more;  // of what it was made besides the files that a plan knows: schemas that it refers to
	uint32_t n_more;
};

struct record {
	struct arena arena;
	struct intern paths;
	VEC(struct record_line) lines;  // by the path's id: the last line of each
	uint32_t n_read;                // lines of the file
	bool is_torn;                   // its last line is not whole
	const char *program;            // digest of the gcdc that wrote it, "" when there is no record
	const char *version;            // its version
};

// The record of an output folder; of none an empty one. A line that is not whole does not count.
void record_read(const char *output, struct record *r);
const struct record_line *record_find(const struct record *r, const char *path);
// Writes a new one of those lines whose keep[id] is set.
bool record_write(const char *output, const struct record *r, const bool *keep, struct diag *d);
// One line more, at once or not at all: processes may do so at the same time. A name that a line cannot hold is left
// out, and its file is made again by the next build.
bool record_append(const char *output, const struct record_line *line, struct diag *d);
void record_release(struct record *r);

#endif
