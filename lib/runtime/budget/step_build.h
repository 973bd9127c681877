// A step while it is made: what step_build.c finds, and step_write.c puts into words.
#ifndef GCDC_STEP_BUILD_H
#define GCDC_STEP_BUILD_H

#include "step_table.h"

#define KNOWN_MAX (1u << 16)  // known states of one step
#define HEIGHT_MAX 128u       // of them on one another
#define FEW_BASES 256u        // more than thresholds, that are counted
#define STEP_FUEL (1u << 18)  // parser actions, continuations and thresholds, for one step

// A known state; [0] is the frame that was read.
struct known {
	uint32_t below, lr_state, height;
};
struct answer {
	uint32_t final, least, expression;
};  // final, least + the expression's value; NEVER: there is none
struct threshold {
	uint32_t expression, base, set;
};
struct item {
	uint32_t pop, lhs, terminal, conts;  // conts: list of the table's
};
struct place {
	uint32_t top, outcome, depth;
};
struct term {
	uint32_t down, control, weight;
};
struct expression {
	uint32_t first, n;
};
struct site_set {
	uint32_t top, set;
};

#define VECTOR(type)                                                                                                   \
	struct {                                                                                                           \
		type *at;                                                                                                      \
		uint32_t n, cap;                                                                                               \
	}
struct step_scratch {
	VECTOR(struct known) known;
	VECTOR(struct answer) answers;
	VECTOR(struct threshold) thresholds, sorted;
	VECTOR(struct item) items;
	VECTOR(struct place) places;
	VECTOR(struct term) terms;              // of the answer being made
	VECTOR(struct expression) expressions;  // [0]: none, it is always 0
	VECTOR(struct term) kept;               // their terms
	VECTOR(struct site_set) sites;
	struct vec32 tops, ways, tries, tried, key, conts, first;
	struct pair_map known_of;       // (below, lr_state) -> known
	struct pair_map answer_of;      // (known, question) -> answers
	struct pair_map term_of;        // (down, question) -> terms
	struct pair_map expression_of;  // (hash, 0, 1, ...) -> expressions
	struct pair_map threshold_of;   // (expression, set) -> thresholds
	uint32_t fuel;
	bool open;
};

bool vector_grow(const gcdc_memory *memory, void **at, uint32_t *cap, size_t size);
#define PUSH(memory, v, ...)                                                                                           \
	(((v)->n < (v)->cap || vector_grow(memory, (void **)&(v)->at, &(v)->cap, sizeof *(v)->at))                         \
	     ? ((v)->at[(v)->n++] = (__VA_ARGS__), true)                                                                   \
	     : false)

struct builder {
	struct gcdc_matcher *m;
	const struct gcdc_artifact *a;
	const gcdc_memory *memory;
	struct step_table *x;
	struct step_scratch *s;
	bool is_line;  // a newline that decides columns was pending when the tokens began
};

static inline int compare_words(const uint32_t *a, const uint32_t *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
	return 0;
}

// step_write.c: the step of what was found; thresholds lose those that others imply.
gcdc_status step_write(struct builder *b, struct step *p);

#endif
