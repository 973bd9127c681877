// Closing the steps of masks under a budget over all that a text can meet: what the stages share.
// budget_steps_endings.c says what tokens do, budget_steps_answers.c what known states answer, budget_steps_push.c
// pushes, budget_steps.c makes a step of that.
#ifndef BUDGET_STEPS_INTERNAL_H
#define BUDGET_STEPS_INTERNAL_H

#include "budget_steps.h"

// What tokens do as a terminal ends: after `weight` tokens the control is asked; or they go on (CUT) with a remainder.
enum { CUT = UINT32_MAX };
struct cont {
	uint32_t weight, control;
	set_id tokens;
};
struct closer_ending {
	uint32_t terminal, conts;  // COSTS_NONE: the text ends without one
};
struct closer_known {
	uint32_t below;
	lr_state state;
	uint32_t height;
};  // [0] is the frame
struct closer_answer {
	uint32_t final, least, expression;
};  // final, or least + the expression's value; COSTS_NONE: there is none
struct closer_threshold {
	uint32_t expression, base;
	set_id tokens;
};
struct closer_item {
	uint32_t pop, lhs, terminal, conts;
};
struct top_outcome {
	uint32_t top, outcome;
};
// A terminal pushed on a known state: what it comes to, and the reductions that go below the frame.
struct closer_push {
	uint32_t first_top, n_tops;    // of pushed_tops
	uint32_t first_item, n_items;  // of pushed_items; their conts are not said
	uint32_t work;
};
// Tokens that end on a known state, by conts: their thresholds, and where the others go on.
struct closer_way {
	uint32_t thresholds;             // a list, interned
	uint32_t first_place, n_places;  // of way_places
};

struct closer {
	const struct costs *c;
	const struct lr *lr;
	const struct lexer *lexer;
	struct tokensets *sets;
	struct raw_steps *raw;
	bool failed;  // a limit is passed
	uint64_t work;
	struct cost_index index;
	uint32_t *way_at;     // [n_lex_states + 1]
	struct intern conts;  // struct cont[]
	VEC(struct closer_ending) endings;
	uint32_t *ending_at;       // [n_outcomes + 1]
	struct map64 fitting_of;   // outcome, context -> index into fitting
	number_list fitting;       // n, then indices into endings
	struct intern items;       // struct closer_item[]: nodes
	number_list node_items;    // [raw node] its items, or STEPS_NONE; then
	number_list node_outcome;  // its outcome
	number_list *todo;         // [state] nodes
	struct map64 asked;        // node, state: is or was in todo
	struct map64 below;        // state, frames down -> index into reached
	number_list reached;       // n, then states
	uint32_t n_steps;
	VEC(struct closer_known) known;
	struct map64 known_of, answer_of;  // (below, state); (known, control)
	VEC(struct closer_answer) answers;
	struct intern expressions;  // struct budget_term[]; 0: none, its value is 0
	struct map64 push_of;       // frame's state, known, terminal -> index into pushes
	VEC(struct closer_push) pushes;
	number_list pushed_tops;
	VEC(struct closer_item) pushed_items;
	struct map64 way_of;  // known (0: of the frame's state), conts -> index into ways
	VEC(struct closer_way) ways;
	struct intern threshold_lists;                // struct closer_threshold[], those of ways; 0: none
	VEC(struct closer_threshold) way_thresholds;  // of one way
	VEC(struct top_outcome) way_places;
	struct intern taken_lists;  // uint32_t[], ascending: all thresholds of a step
	number_list parts_of;       // beside it: parts, interned
	number_list terms_of;       // [expression] index into the raw steps' terms, or STEPS_NONE
	// Of one step:
	number_list taken;  // of threshold_lists
	VEC(struct closer_item) found;
	VEC(struct top_outcome) places;
	number_list todo_tops;
	VEC(uint64_t) order;  // expression << 32 | index into thresholds; of one expression, base << 32 | set
	VEC(struct closer_threshold) thresholds;
	VEC(struct budget_term) terms;
	struct map64 term_of;
	VEC(struct raw_part) parts;
	VEC(struct budget_level) levels;
	VEC(uint64_t) told;  // [set] stamp << 32 | base: of the part at hand; then of what is allowed without terms
	VEC(uint64_t) sure;
	uint32_t stamp;
	VEC(set_id) level_sets;
};

static inline const struct closer_threshold *closer_thresholds(const struct closer *x, uint32_t list, uint32_t *n)
{
	const struct closer_threshold *t = intern_get(&x->threshold_lists, list, n);
	*n /= (uint32_t)sizeof *t;
	return t;
}

static inline bool closer_burn(struct closer *x, uint64_t work) { return steps_burn(&x->work, &x->failed, work); }

// What the tokens of each outcome do, by terminal: x->endings, ending_at, conts.
void closer_find_endings(struct closer *x);
// The known state so many down; STEPS_NONE: it lies below them.
uint32_t closer_known_below(const struct closer *x, uint32_t top, uint32_t pop);
// What a control needs on a known state. Of the frame itself it is a term with down 0.
struct closer_answer closer_answer(struct closer *x, uint32_t top, uint32_t control);
// What tokens come to at x->places, as x->taken and x->found.
void closer_take_places(struct closer *x);
// The same of an item of a node whose pop ends on the frame.
void closer_take_item(struct closer *x, struct closer_item item);

#endif
