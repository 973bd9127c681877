// What the files of summaries*.c share: items, continuations, and summaries in the making.
#ifndef GCDC_TABLES_SUMMARIES_INTERNAL_H
#define GCDC_TABLES_SUMMARIES_INTERNAL_H

#include "summaries.h"

static inline const struct indentation *columns(const struct summaries *a) { return a->lexer->indentation; }

static inline pending_item parse_of(uint32_t pop, uint32_t lhs, uint32_t continuation_list)
{
	ASSERT(pop < 1u << 16 && lhs < 1u << 19 && continuation_list < ITEM_MAX_CONTINUATIONS);
	return (pending_item)pop << ITEM_POP_SHIFT | (pending_item)lhs << ITEM_LHS_SHIFT | continuation_list;
}

static inline struct continuation continuation_get(const struct summaries *a, uint32_t continuation)
{
	struct continuation x;
	memcpy(&x, intern_get(&a->continuations, continuation, NULL), sizeof x);
	return x;
}

static inline pending_item condition_of(uint32_t pop, uint32_t control, set_id tokens)
{
	return (pending_item)pop << ITEM_POP_SHIFT | ITEM_CONDITION | (pending_item)control << ITEM_CONTROL_SHIFT | tokens;
}
static inline uint32_t condition_control(pending_item x)
{
	return (uint32_t)(x >> ITEM_CONTROL_SHIFT) & (CONDITIONS_MAX_CONTROLS - 1);
}
static inline set_id condition_tokens(pending_item x) { return (set_id)x & (CONDITIONS_MAX_SETS - 1); }

uint32_t summaries_continuation(struct summaries *a, terminal_id t, remainder_id remainder);

// --- An answer in the making: sets and items above a mark of the two stacks ------------------------------------------

struct mark {
	uint32_t sets, items;
	uint64_t answer;  // a number of its own
};

static inline struct mark begin(struct summaries *a)
{
	a->depth++;
	return (struct mark){a->set_stack.n, a->item_stack.n, ++a->n_answers};
}

static inline struct summary recall(uint64_t memo) { return (struct summary){(set_id)(memo >> 32), (item_list)memo}; }

static inline struct summary remember(struct summaries *a, struct map64 *memo, uint64_t key, struct summary x)
{
	map64_put(memo, key, (uint64_t)x.tokens << 32 | x.items);
	a->n_evaluated++;
	return x;
}

static inline void add_set(struct summaries *a, set_id s)
{
	if (s != SET_EMPTY) vec_push(&a->set_stack, s);
}

static inline void add_summary(struct summaries *a, struct summary x)
{
	add_set(a, x.tokens);
	uint32_t n;
	const pending_item *list = summaries_items(a, x.items, &n);
	for (uint32_t i = 0; i < n; i++) vec_push(&a->item_stack, list[i]);
}

// These tokens are allowed if one of the controls comes out well.
void summaries_add_conditions(struct summaries *a, const control_list *controls, set_id tokens);
// What becomes of a condition on frame p. False when no valid stack has p there.
bool summaries_condition_on(struct summaries *a, struct mark m, pending_item condition, lr_state p);
struct summary summaries_finish(struct summaries *a, struct mark m);
// What is above the mark of a->gathered becomes one item for each reduction.
void summaries_add_gathered(struct summaries *a, uint32_t mark);

// --- Asks on a top, items on the frame below
// --------------------------------------------------------------------------

#endif
