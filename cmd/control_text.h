// Control tokens in texts: by name for people, by their private spelling inside.
#ifndef GCDC_CMD_CONTROL_TEXT_H
#define GCDC_CMD_CONTROL_TEXT_H

#include "gcdc/runtime.h"

// The text with each name of a control token of the artifact's grammar replaced by its spelling; free() it. The longest
// name that stands at a place counts.
char *control_spelled(const gcdc_artifact *artifact, const char *text, size_t len, size_t *new_len);
// Where a place of the new text is in the old one.
size_t control_old_place(const gcdc_artifact *artifact, const char *text, size_t len, size_t place);

#endif
