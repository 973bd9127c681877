// The book of prices: what frames answered, kept beside their pool.
#ifndef GCDC_PRICE_BOOK_H
#define GCDC_PRICE_BOOK_H

#include "price.h"

#define PUSHED_KEPT 2048u
#define LINES_KEPT 64u
#define PRICED_KEPT 64u

struct price {
	uint32_t frame, stamp, control, value;
};  // frame 0: free

struct price_book {
	struct price *at;
	uint32_t n, cap;                // cap: a power of two, or 0
	struct price *spare;            // as many, not used; or NULL
	struct vec32 jobs;              // frame, question
	struct capacity_work capacity;  // of price_capacity.c
	struct vec32 level, below;
	struct priced_lines {
		uint32_t frame, stamp, columns, stamp_of_columns, lex_state;  // of what; frame 0: of none
		bool is_deeper, deeper_ends, all;
		uint32_t deeper[COST_MAX_CAPACITY + 1],
			open;                // the prices of a column deeper than the one open, by its capacity; that one
		struct vec32 targets;    // column, price, may it end; for each that is open
	} lines[LINES_KEPT], *line;  // of price_lines; the last one
	// Stacks with a terminal pushed that masks asked for: tops with a reference each, so they live until they are
	// replaced.
	struct pushed {
		uint32_t frame, stamp, terminal, top;
	} pushed[PUSHED_KEPT];
	// What texts with one reading still need, as of these; frame 0: free.
	struct priced {
		uint32_t frame, stamp, lex_state, columns, stamp_of_columns, column, price;
	} priced[PRICED_KEPT];
};

static inline uint32_t price_place(const struct price_book *b, uint32_t frame, uint32_t control)
{
	return (uint32_t)(hash_pair(frame, control) >> 32) & (b->cap - 1);
}

// The place of the answer, or the free one where it would stand.
static inline struct price *price_find(const struct price_book *b, uint32_t frame, uint32_t control)
{
	for (uint32_t i = price_place(b, frame, control);; i = (i + 1) & (b->cap - 1)) {
		struct price *x = &b->at[i];
		if (!x->frame || (x->frame == frame && x->control == control)) return x;
	}
}

// The answer that is kept, if it is still valid.
static inline bool price_known(const struct frame_pool *pool, uint32_t frame, uint32_t control, uint32_t *value)
{
	const struct price_book *b = pool->prices;
	if (UNLIKELY(!b->cap)) return false;
	const struct price *x = price_find(b, frame, control);
	if (!x->frame || x->stamp != pool->cost[frame].stamp) return false;
	*value = x->value;
	return true;
}
// Keeps it.
gcdc_status price_keep(struct frame_pool *pool, uint32_t frame, uint32_t key, uint32_t value);

#endif
