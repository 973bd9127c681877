// A program while it is made: what program_build.c finds, and program_write.c puts into words.
#ifndef GCDC_PROGRAM_BUILD_H
#define GCDC_PROGRAM_BUILD_H

#include "programs.h"

#define KNOWN_MAX (1u << 16)     // known states of one program
#define HEIGHT_MAX 128u          // of them on one another
#define FEW_BASES 256u           // more than levels, that are counted
#define PROGRAM_FUEL (1u << 18)  // steps of a parser, continuations and levels, for one program

// A known state; [0] is the frame that was read.
struct known {
	uint32_t below, lr_state, height;
};
struct answer {
	uint32_t final, least, expression;
};  // final, least + the expression's value; NEVER: there is none
struct level {
	uint32_t expression, base, set;
};
struct item {
	uint32_t pop, lhs, terminal, outcome;
};
struct place {
	uint32_t top, outcome, depth;
};
struct term {
	uint32_t down, question, weight;
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
struct program_scratch {
	VECTOR(struct known) known;
	VECTOR(struct answer) answers;
	VECTOR(struct level) levels, sorted;
	VECTOR(struct item) items;
	VECTOR(struct place) places;
	VECTOR(struct term) terms;              // of answers being made, one on the other; then of expressions
	VECTOR(struct expression) expressions;  // [0]: none, it is always 0
	VECTOR(struct term) kept;               // their terms
	VECTOR(struct site_set) sites;
	struct numbers tops, ways, tries, tried, key, conts, first;
	struct pairs known_of;   // (below, lr_state) -> known
	struct pairs answer_of;  // (known, question) -> answers
	struct pairs level_of;   // (expression, set) -> levels
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
	struct programs *x;
	struct program_scratch *s;
	bool is_line;  // a newline that decides columns was pending when the tokens began
};

static inline int compare_words(const uint32_t *a, const uint32_t *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
	return 0;
}

// program_write.c: the program of what was found; levels lose those that others imply.
gcdc_status program_write(struct builder *b, struct program *p);

#endif
