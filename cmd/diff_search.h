// Shortest texts that one artifact allows and another does not.
#ifndef GCDC_CMD_DIFF_SEARCH_H
#define GCDC_CMD_DIFF_SEARCH_H

#include "artifact_view.h"
#include "base/mem.h"

struct diff_text {
	bool only_first;  // the first artifact allows it, else the second
	bool is_end;      // both can read it, but for one of them it is a whole text
	size_t prefix;    // bytes that both can read; the next one only one of them
	char *text;       // NUL-terminated copy behind len bytes; a whole text of the one that allows it
	size_t len;
	bool is_whole;  // false: no whole text was found within the bounds, `text` ends behind the byte
};

struct diff_bounds {
	uint64_t places;  // pairs of matchers looked at
	uint64_t bytes;   // of a text
	uint64_t texts;   // for each of the two
};

struct diff_result {
	VEC(struct diff_text) texts;  // by where they part, shortest first
	uint64_t n_places;
	size_t longest;    // bytes of the longest text looked at
	bool is_complete;  // every place was looked at: nothing else differs
};

// Breadth first over pairs of matchers, one byte after the other; only one of the bytes that are alike to both lexers
// is tried. Returns an exit code, after a message.
int diff_search(struct diff_result *r, const char *command, const struct artifact_view *a,
                const struct artifact_view *b, const struct diff_bounds *bounds);
void diff_result_release(struct diff_result *r);

#endif
