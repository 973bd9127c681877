// The tokens of a mask, for people.
#ifndef GCDC_CMD_ALLOWED_H
#define GCDC_CMD_ALLOWED_H

#include "cli.h"

struct allowed {
	const gcdc_artifact *artifact;
	const uint32_t *mask;
	uint32_t n_tokens;
	uint32_t count;   // bits of the mask: EOS ids, too
	uint32_t n_text;  // of them with bytes
	bool may_end;
	bool first[256];             // bytes that they begin with
	uint32_t by_class[256 + 1];  // how many begin with a byte of a class (allowed_class)
};

void allowed_read(struct allowed *a, const gcdc_artifact *artifact, const uint32_t *mask, bool may_end);
static inline bool allowed_has(const uint32_t *mask, uint32_t token) { return mask[token / 32] >> token % 32 & 1; }

// Bytes that people see as one kind are one class, named by its least byte: digits, upper case, lower case, white
// space, other controls, not ASCII; each punctuation mark is a class of its own.
uint8_t allowed_class(uint8_t byte);
// "0-9", "a-z", "\"" ...: a class as people read it.
struct class_label {
	char text[16];
};
struct class_label allowed_class_label(uint8_t class_byte);

// The same of one class: the shortest.
uint32_t allowed_examples_of(const struct allowed *a, uint8_t class_byte, uint32_t *tokens, uint32_t n);

// "37 tokens, such as ...; they begin with ...; the text may not end here".
void allowed_show(const struct allowed *a, FILE *out);

#endif
