// Verdicts on tokens asked for, kept by as much of the stack as each rests on.
#ifndef GCDC_RUNTIME_CANONICAL_KNOWN_H
#define GCDC_RUNTIME_CANONICAL_KNOWN_H

#include "../core/matcher_step.h"
#include "canonical.h"

#define KNOWN_NODES 16384u  // that a family of matchers keeps; a power of two
#define KNOWN_PLACES 8u     // that one may be in, by its hash: the one not used for longest makes room
#define KNOWN_DEPTHS 12u
#define KNOWN_HEAD (2 + 2 * MEMO_WAYS + 3)
#define KNOWN_KEY (2 + KNOWN_HEAD + MEMO_COLUMNS + 1 + MEMO_STACK)

struct known_node {
	uint64_t hash, used;
	uint32_t *words;
};  // used 0: free
struct known_nodes {
	struct known_node at[KNOWN_NODES];
	uint64_t clock;
};

// KNOWN_TOGETHER: dead unless together with the token before.
enum known_verdict { KNOWN_NOTHING, KNOWN_ALIVE, KNOWN_DEAD, KNOWN_TOGETHER };

// What is known at a position, while a memo of it is made.
struct known_position {
	const gcdc_memory *memory;
	struct known_nodes *nodes;
	uint32_t n_unsettled, n_head, n_columns, n_frames;  // n_unsettled 0: nothing can be
	bool has_columns, by_columns;                       // columns can be told; they always count here
	uint32_t head[KNOWN_HEAD], columns[MEMO_COLUMNS + 1], frame[MEMO_STACK];
	uint32_t verdict[MEMO_TOKENS / 16], deeper[MEMO_TOKENS / 16];
};

// p has one reading. n_unsettled: tokens of the list of its lexer state. n_frames, columns: what a verdict may rest on
// to be told.
gcdc_status known_begin(struct gcdc_matcher *m, const struct position *p, uint32_t n_unsettled, uint32_t n_frames,
                        bool columns, struct known_position *k);
static inline enum known_verdict known_of(const struct known_position *k, uint32_t i)
{
	return k->n_unsettled ? k->verdict[i / 16] >> 2 * (i % 16) & 3 : KNOWN_NOTHING;
}
// There is a verdict, which rests on more.
static inline bool known_deeper(const struct known_position *k, uint32_t i)
{
	return k->n_unsettled && k->deeper[i / 16] >> 2 * (i % 16) & 3;
}
// The verdict on token i of the list rests on so many frames, and perhaps on columns.
void known_put(struct known_position *k, uint32_t i, uint32_t n_frames, bool read_lines, enum known_verdict verdict);
void known_free(const gcdc_memory *memory, struct known_nodes *x);

#endif
