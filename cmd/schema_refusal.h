// Why the artifact of a schema refuses a text: the JSON pointer of the value, and what could stand there.
#ifndef GCDC_CMD_SCHEMA_REFUSAL_H
#define GCDC_CMD_SCHEMA_REFUSAL_H

#include "cli.h"

// "/arguments/unit: not one of \"celsius\", \"fahrenheit\"" for a text that is refused at this offset. The matcher is
// used, and reset. free(); NULL: nothing to say.
char *schema_refusal(const char *path, gcdc_artifact *artifact, gcdc_matcher *matcher, const char *text, size_t len,
                     size_t offset);

// Does the byte at this offset, which is refused, end or tell a value as an item equal to an earlier one, in an
// artifact that compares items? equal: both, counted from 0.
bool schema_equal_items(const gcdc_artifact *artifact, const char *text, size_t len, size_t offset, uint64_t equal[2]);

#endif
