// Costs in tokens, inside the runtime: price_book.c, above it price_capacity.c, above it price.c.
#ifndef GCDC_PRICE_H
#define GCDC_PRICE_H

#include "../core/matcher_step.h"

// The book of the matcher's pool. GCDC_ERR_COSTS: the artifact has no costs.
gcdc_status prices_open(struct gcdc_matcher *m);
static inline uint32_t price_sum(uint32_t a, uint32_t b)
{
	uint64_t x = (uint64_t)a + b;
	return a == PRICE_NEVER || b == PRICE_NEVER ? PRICE_NEVER : x >= PRICE_NEVER ? PRICE_NEVER - 1 : (uint32_t)x;
}
// What a frame of this state answers; NULL: it cannot be finished so.
const struct artifact_cost_list *price_list(const struct gcdc_artifact *a, uint32_t lr_state, uint32_t control);
// What tokens do in a lexer state with a rest unread; NULL: the tables do not tell.
static inline const struct artifact_cost_way *price_way(const struct gcdc_artifact *a, uint32_t lex_state,
                                                        uint32_t remainder)
{
	uint32_t i, end = a->cost_way_at[lex_state + 1];
	LOWER_BOUND(i, a->cost_way_at[lex_state], end, a->cost_ways[i].remainder < remainder);
	return i < end && a->cost_ways[i].remainder == remainder ? &a->cost_ways[i] : NULL;
}
// What a frame answers to a question.
gcdc_status price_frame(struct gcdc_matcher *m, uint32_t frame, uint32_t control, uint32_t *price);
// The same on a frame of a text with these columns open, where the frame is the top; 0: lines have none. price_frame is
// for where there is capacity enough (price_capacity.c).
gcdc_status price_frame_in(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t control, uint32_t *price);
// How much capacity a frame has with these columns open: formats/artifact.h.
#define PRICE_NO_CAPACITY UINT32_MAX
uint32_t price_capacity(const struct gcdc_artifact *a, const struct frame_pool *pool, uint32_t columns);
// Are steps not to be believed, as what tokens cost depends on the column that they open, or on those that are open?
bool price_is_low(const struct gcdc_matcher *m, const struct position *p);
// The book (price_book.h) keeps answers under question and capacity, behind those of price_group_of.
struct capacity_work {
	struct vec32 jobs, level, below;
};  // jobs: frame, question, columns
static inline uint32_t price_key(const struct gcdc_artifact *a, uint32_t control, uint32_t capacity)
{
	const struct artifact_cost_info *c = a->cost_info;
	return capacity == c->top_capacity ? control : c->n_controls * (1 + capacity) + c->n_rows + control;
}
// list becomes the frames that lie `pop` below f; empty where the stack ends before. scratch: another list.
gcdc_status price_go_down(struct gcdc_matcher *m, uint32_t f, uint32_t pop, struct vec32 *list, struct vec32 *scratch);
// No answer of this stack to a goal is dearer; PRICE_NEVER: not known.
gcdc_status price_bound(struct gcdc_matcher *m, uint32_t frame, uint32_t *bound);
// What it takes on this stack when a lexeme of this row of COST_ROW is pending, which decides no column.
// More than `most` if it takes more than that.
gcdc_status price_group_of(struct gcdc_matcher *m, uint32_t frame, uint32_t row, uint32_t most, uint32_t *price);
// The stack with terminal t pushed, where there is one way to do so: *top with a reference of the caller's. Else as
// push_one. Pushed once and kept for a while, with what its frames were asked.
enum push price_push(struct gcdc_matcher *m, uint32_t frame, uint32_t t, uint32_t *top);
// As push_tops, by price_push where it can.
gcdc_status price_push_tops(struct gcdc_matcher *m, struct vec32 *tops, uint32_t t);
// The stack with n more states on it; kept in the same way under a number.
gcdc_status price_raise(struct gcdc_matcher *m, uint32_t frame, uint32_t number, const uint32_t *lr_states, uint32_t n,
                        uint32_t *top);
// A newline that decides columns is on a stack, and pending in a lexer state: works out what each column needs, for the
// two calls below until the next of these. is_deeper: a column more is open, which is not known. all: of each column,
// not only of any. PUSH_FORKS: there are several ways. Kept for a while.
enum push price_lines(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, bool is_deeper, uint32_t lex_state,
                      bool all);
uint32_t price_of_column(const struct gcdc_matcher *m, uint32_t lex_state, uint32_t column);
uint32_t price_of_any_column(const struct gcdc_matcher *m, uint32_t lex_state);  // no column needs more

#endif
