// The solver of costs: variables, their facts and edges. costs_solve.c says what they are; costs.c asks it.
#ifndef GCDC_TABLES_COSTS_SOLVE_H
#define GCDC_TABLES_COSTS_SOLVE_H

#include "../base/sort_records.h"
#include "costs.h"

// In place of a goal: rows are remainders.
#define BEHIND_LINE (COSTS_NONE - 1)
#define BEHIND_DEDENT (COSTS_NONE - 2)
#define BEHIND_END (COSTS_NONE - 3)

#define TRANSITION_END 0u  // way 0: the text ends, nothing below is looked at

struct way {
	uint32_t pop, lhs, row;
};  // frames to take off, the top counted; then lhs is complete
struct way_known {
	struct way x;
	uint32_t shorter;  // the way with a frame less to take off; 0: not asked yet
	uint32_t goal;     // 1 + its place in goals; 0: not asked yet
};
// What a fact counts on: a column is opened; a line begins in the column that is open.
enum { OPENS = 1, BEGINS = 2 };
struct edge {
	uint32_t to, weight, frame, needs;
};  // frame 0: facts as they are; else through that frame
struct transition {
	uint32_t way, weight, needs;
};

// Most variables have a few edges and facts: lists of one array each take a third of what an array for each takes.
struct edge_link {
	struct edge x;
	uint32_t next;
};
struct transition_link {
	struct transition x;
	uint32_t next;
};
struct link_list {
	uint32_t first, last;  // 0: none
};

struct variable {
	uint32_t row, lhs;  // lhs COSTS_NONE: no goal
	lr_state s;
	uint32_t capacity, needs;             // needs: of any fact
	struct link_list edges, transitions;  // in the order in which they came; transitions are settled
};

// A production that a state reduces, and under what (cost_rows.looks); 0 is behind a state's last one.
struct state_reduction {
	uint32_t production;  // 1 + it
	uint32_t look;
};

struct job {
	uint32_t var, way, needs;
};
typedef VEC(struct job) job_list;

struct solver {
	struct costs *out;
	struct cost_rows *rows;
	const struct lexer *lexer;
	const struct lr *lr;
	const struct indentation *columns;
	uint32_t max_transitions;
	uint32_t top_capacity;  // the greatest capacity; 0 without columns
	bool shares;            // smaller capacities take over variables of the greatest, of these that are solved
	uint32_t n_solved;
	struct intern goals;  // {row, lhs}
	struct map64 var_of;  // goal, capacity, s -> variable
	VEC(struct variable) vars;
	VEC(struct edge_link) edges;              // [0] unused
	VEC(struct transition_link) transitions;  // [0] unused
	VEC(uint32_t) fresh;                      // variables not expanded yet
	struct intern ways;                       // struct way; 0: TRANSITION_END
	VEC(struct way_known) way_of;             // [way]
	struct map64 best;                        // variable, way -> weight << 3 | needs << 1 | settled
	VEC(job_list) buckets;                    // by weight, up to the greatest so far
	uint32_t most, least;                     // highest bucket in use; lowest that something was added to
	uint64_t n_transitions;
	VEC(struct state_reduction) reductions;  // state by state
	uint32_t *first_reduction;               // [lr_state] 1 + place of its first one; 0: not looked at yet
	VEC(bits) looks;                         // scratch: of a state's reductions
	VEC(uint32_t)
	inside;  // pairs of variables: behind an indent with the greatest capacity, and with one less (or NONE yet)
};

// .out, .rows, .lexer, .lr, .columns, .top_capacity, .shares and .max_transitions are set, all else is 0.
void solver_init(struct solver *v);
// The variable of a row, or of a goal, with s on top.
uint32_t solver_variable(struct solver *v, row_id row, uint32_t lhs, lr_state s, uint32_t capacity);
// The variable of a lexeme that begins with `remainder` unread and s on top; COSTS_NONE: there is none.
uint32_t solver_resume(struct solver *v, remainder_id remainder, lr_state s, uint32_t capacity);
// A variable for a remainder behind a newline that decides columns (BEHIND_LINE) or behind what such a one made
// (BEHIND_DEDENT); or for the end of the text (BEHIND_END), where a dedent comes for each open column. COSTS_NONE: not
// so.
uint32_t solver_behind(struct solver *v, remainder_id remainder, lr_state top, uint32_t t, uint32_t capacity);
// Until nothing is left to settle; false: too many facts.
bool solver_run(struct solver *v);
static inline struct way solver_way(const struct solver *v, uint32_t way) { return v->way_of.at[way].x; }
// The way with a frame less to take off, where there are several.
uint32_t solver_shorter(struct solver *v, uint32_t way);
// Does one capacity less do, wherever an indent leads from the greatest? Then more capacities than these would not
// change any answer.
bool solver_has_capacity(struct solver *v);
void solver_release(struct solver *v);

// costs_merge.c: what is asked and answered alike becomes one.
void costs_merge(struct costs *c);

// In the order in which costs hold them: steps by price.
static inline int cost_step_compare(const void *a, const void *b)
{
	const struct cost_step *x = a, *y = b;
	if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
	if (x->pop != y->pop) return x->pop < y->pop ? -1 : 1;
	return (x->control > y->control) - (x->control < y->control);
}
static inline int cost_transition_compare(const void *a, const void *b)
{
	const struct cost_transition *x = a, *y = b;
	if (x->state != y->state) return x->state < y->state ? -1 : 1;
	return (x->control > y->control) - (x->control < y->control);
}
static inline int cost_low_compare(const void *a, const void *b)
{
	const struct cost_low *x = a, *y = b;
	if (x->capacity != y->capacity) return x->capacity < y->capacity ? -1 : 1;
	if (x->state != y->state) return x->state < y->state ? -1 : 1;
	return (x->control > y->control) - (x->control < y->control);
}
SORT_RECORDS(cost_steps_sort, struct cost_step, cost_step_compare)
SORT_RECORDS(cost_transitions_sort, struct cost_transition, cost_transition_compare)
SORT_RECORDS(cost_lows_sort, struct cost_low, cost_low_compare)

#endif
