// What the files of answers*.c share: items, asks, and answers in the making.
#ifndef GCDC_TABLES_ANSWERS_INTERNAL_H
#define GCDC_TABLES_ANSWERS_INTERNAL_H

#include "answers.h"

static inline const struct indentation *columns(const struct answers *a) { return a->lexer->indentation; }

static inline item parse_of(uint32_t pop, uint32_t lhs, uint32_t ask_list)
{
	ASSERT(pop < 1u << 16 && lhs < 1u << 19 && ask_list < ITEM_MAX_ASKS);
	return (item)pop << ITEM_POP_SHIFT | (item)lhs << ITEM_LHS_SHIFT | ask_list;
}

static inline struct ask ask_get(const struct answers *a, uint32_t ask)
{
	struct ask x;
	memcpy(&x, intern_get(&a->asks, ask, NULL), sizeof x);
	return x;
}

static inline struct doubt doubt_get(const struct answers *a, item x)
{
	struct doubt y;
	memcpy(&y, intern_get(&a->doubts, (uint32_t)x, NULL), sizeof y);
	return y;
}

uint32_t answers_ask(struct answers *a, terminal_id t, rest_id rest);

// --- An answer in the making: sets and items above a mark of the two stacks ------------------------------------------

struct mark {
	uint32_t sets, items;
};

static inline struct mark begin(struct answers *a)
{
	a->depth++;
	return (struct mark){a->set_stack.n, a->item_stack.n};
}

static inline struct answer recall(uint64_t memo) { return (struct answer){(set_id)(memo >> 32), (item_list)memo}; }

static inline struct answer remember(struct answers *a, struct map64 *memo, uint64_t key, struct answer x)
{
	map64_put(memo, key, (uint64_t)x.tokens << 32 | x.items);
	a->n_evaluated++;
	return x;
}

static inline void add_set(struct answers *a, set_id s)
{
	if (s != SET_EMPTY) vec_push(&a->set_stack, s);
}

static inline void add_answer(struct answers *a, struct answer x)
{
	add_set(a, x.tokens);
	uint32_t n;
	const item *list = answers_items(a, x.items, &n);
	for (uint32_t i = 0; i < n; i++) vec_push(&a->item_stack, list[i]);
}

void answers_add_doubts(struct answers *a, const control_list *controls, set_id tokens);
struct answer answers_finish(struct answers *a, struct mark m);
// What is above the mark of a->gathered becomes one item for each reduction.
void answers_add_gathered(struct answers *a, uint32_t mark);

// --- Asks on a top, items on the frame below
// --------------------------------------------------------------------------

// A reduction has put s on top: all asks behind it.
struct answer answers_asks_on(struct answers *a, uint32_t asks, lr_state s);

#endif
