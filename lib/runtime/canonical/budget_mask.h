// Masks under budgets in hard canonical mode: all that a family of matchers keeps of them, and a mask while it is made.
#ifndef GCDC_CANONICAL_BUDGET_MASK_H
#define GCDC_CANONICAL_BUDGET_MASK_H

#include "price.h"

#define VERDICTS 128u  // pairs of rows
#define COLUMNS 64u    // pairs of rows
#define INNER 32u      // lexer states
#define INNER_TO 4u    // rows of one
#define TOLD 8u        // masks
#define CLOSES 4096u   // pairs of a closing and a class of tokens; a power of two

// joint: yes only together with the token before. What is known to be no, is so up to `most`.
struct verdicts {
	struct hard_key key;
	uint64_t used;
	uint32_t slack, most, *known, *yes, *joint;
	bool has_joint;
};
struct column {
	struct hard_key key;
	struct canonical_place behind;
	uint64_t used;
	uint32_t token, *known, *yes;
};
struct inner {
	uint64_t used;
	uint32_t lex_state, n, to[INNER_TO], *row[INNER_TO];
};
struct hard_group {
	uint32_t first, n;
	bool is_dead;
};  // n NONE: no closing yet
// Where tokens of a class lead, as the first of a piece and as a later one.
struct hard_behind {
	struct canonical_place after[2];
	enum { BEHIND_UNKNOWN, BEHIND_NONE, BEHIND_PLACE } is[2];
};
// Does a closing end the text behind tokens of a class? Bit 0: as the first of a piece; bit 1: if merges leave the two
// apart. stamp: the mask that it is of.
struct hard_does {
	uint32_t closing, class, stamp;
	uint8_t bits;
};

// A mask as it was told last: the same position has the same one, whatever has been found out since.
struct told {
	struct hard_key key;
	uint64_t used;
	uint32_t left, eos, next, *row;
};

struct hard_masks {
	struct verdicts verdicts[VERDICTS];
	struct told told[TOLD];
	struct column columns[COLUMNS];
	struct inner inner[INNER];
	uint64_t clock;
	struct probe_cache probe_cache;
	struct position here, after;
	struct hard_group *group;
	uint32_t n_groups, groups_cap;
	struct hard_behind *behind;  // [TOKEN_CLASSES]
	struct hard_does *does;      // [CLOSES]
	uint32_t does_stamp;         // of the mask at hand
	uint32_t most;               // tokens that may follow, of the mask at hand
	struct vec32 tokens;         // of the groups' closings
	struct vec32 ends;           // lexer states while a row is made
	uint32_t *count;             // tokens that lead to each
	uint32_t *remainder;
};

// A mask while it is made: for a position, whose key is kept (v NULL: it is not), of tokens after which `near` may
// follow as far as is kept (x->most: at all). remainder: those of the mask of which it is not known yet.
struct hard_making {
	struct gcdc_matcher *m;
	struct hard_masks *x;
	const struct position *p;
	const struct hard_key *key;
	struct verdicts *v;
	uint32_t near;
	uint32_t *mask, *remainder;
};

// budget_inner.c
// Two rows, empty. False: no memory.
bool hard_rows_clear(const struct canonical_cache *cache, uint32_t **a, uint32_t **b);
bool hard_place_same(const struct canonical_place *a, const struct canonical_place *b);
// The place behind a token that is canonical behind p; false: it is not.
bool hard_step_first(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t token,
                     struct canonical_place *after);
// Rows of tokens that stay in the lexeme: the remainder loses those that fit, the mask those that the grammar has no
// closing for.
gcdc_status hard_take_inner(struct hard_making *k);

#endif
