// The regular expression of a step that cuts, as a program whose threads have priorities.
#ifndef GCDC_CANONICAL_PATTERN_H
#define GCDC_CANONICAL_PATTERN_H

#include "canonical.h"

#define PATTERN_MAX_ITEMS 64u      // different characters and classes of all steps
#define PATTERN_MAX_PROGRAM 4096u  // instructions of one step
#define PATTERN_MAX_DEPTH 64u

// What one character of a text is compared with: expressions that match one character.
struct pattern_items {
	uint32_t n;
	struct pattern_item {
		const char *text;
		bool fold;
		uint64_t *members;
	} at[PATTERN_MAX_ITEMS];
};

enum op { OP_ITEM, OP_EITHER, OP_ASSERT, OP_REFUTE, OP_MATCH };
struct instruction {
	enum op op;
	uint32_t item;  // OP_ITEM: reads it; OP_ASSERT: it comes next; OP_REFUTE: it does not come next
	uint32_t a, b;  // where to go on; OP_EITHER: a before b
};
struct split_pattern {
	VEC(struct instruction) code;
	uint32_t start;
};

// False: something in the expression is not understood; an error in d. Items are added to *items, texts in arena.
bool pattern_parse(const struct encoder_cut *cut, struct pattern_items *items, struct arena *arena, struct diag *d,
                   struct split_pattern *p);
void pattern_release(struct split_pattern *p);

#endif
