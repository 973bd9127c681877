// Which questions are sure to be answered (lib/tables/costs_total.c): one that was, and whose answer falls later, is
// looked at again.
#include <criterion/criterion.h>

#include "../../lib/tables/costs.h"

enum { STATES = 4, ASKED_LAST = 2, ASKED_NEXT = 1, ENDS = 3 };

// Below state 2 lies 3, below 3 lies 1. State 2 asks the next frame either of two questions. State 3 answers one of
// them with the text's end; for the other it asks state 1, which has no answer.
Test(costs_total, an_answer_that_falls_later_is_not_chosen)
{
	lr_state pred[] = {3, 1};
	uint32_t pred_at[STATES + 1] = {0, 0, 0, 1, 2};
	const struct lr lr = {.n_states = STATES, .pred_at = pred_at, .pred = pred};
	struct cost_list lists[] = {{COSTS_NONE, 0, 2}, {COSTS_NONE, 2, 1}, {0, 0, 0}};
	struct cost_step steps[] = {{1, ASKED_NEXT, 5}, {1, ENDS, 9}, {1, ASKED_LAST, 1}};
	struct cost_transition transitions[] = {{2, 0, 0}, {3, ASKED_NEXT, 1}, {3, ENDS, 2}};
	struct costs c = {.n_controls = 4};
	c.lists.at = lists, c.lists.n = 3;
	c.steps.at = steps, c.steps.n = 3;
	c.transitions.at = transitions, c.transitions.n = 3;
	uint32_t *chosen = costs_chosen(&c, &lr);
	cr_expect_eq(chosen[0], 9, "the cheaper question is not sure to be answered: %u", chosen[0]);
	cr_expect_eq(chosen[2], 0);
	free(chosen);
}
