// What may_come.c and unsettled.c share: which characters may come behind a start.
#ifndef GCDC_CANONICAL_UNSETTLED_H
#define GCDC_CANONICAL_UNSETTLED_H

#include "../base/bitset.h"
#include "../base/intern.h"
#include "canonical.h"

struct start_chars {
	struct intern sets;  // struct artifact_canon_chars
	uint32_t *of
		[2];  // [n_starts] number in `sets`: characters that may come whatever lies below; [1]: where a line is pending
};
// Rows of START that a base has, by context. The caller frees it.
uint32_t *start_rows(const struct grammar_tables *m);
// wide, nodes and bytes of *out. The caller releases starts: its sets and both lists.
void find_may_come(const struct grammar_tables *m, struct start_chars *starts, struct arena *arena,
                   struct unsettled_tables *out);

#endif
