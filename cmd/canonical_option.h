// What --canonical asks for: the tokenizer's canonical tables, from a compiled vocabulary or from its tokenizer.json.
#ifndef GCDC_CMD_CANONICAL_OPTION_H
#define GCDC_CMD_CANONICAL_OPTION_H

#include "canonical/canonical.h"

struct canonical_option {
	struct canonical tables;     // empty when the vocabulary had them
	struct artifact_canon info;  // with the mode
	struct canon_section section[CANON_SECTIONS];
	uint32_t n;  // 0: off
	struct canonical_stats stats;
};

// "off", "soft", "hard"; -1 for anything else.
int canonical_mode(const char *text);
// Finds or makes the sections for a mode other than CANON_OFF; `given` is what --tokenizer says. An exit code; all is
// said.
int canonical_load(const char *command, const char *given, const struct vocab *v, enum canon_mode mode,
                   struct canonical_option *o);
void canonical_option_release(struct canonical_option *o);

#endif
