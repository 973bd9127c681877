// What it costs, in tokens, to finish a text: tables for any parser stack and any pending lexeme.
//
// In:  lexer, LR tables, the walker over the vocabulary. Out: struct costs. A *row* says in how many tokens the pending
// lexeme can end, and as what: (terminal, remainder, tokens). A *control* is put to a frame of the stack: "a lexeme has
// just ended here, `remainder` is unread" (a RESUME), or "this nonterminal is complete here, then comes a lexeme of
// this row" (a GOAL). Its answer, a *list*, is the fewest tokens to the end of the text if the frames below need not be
// looked at, and steps: so many frames down, this question, so many tokens more. So a stack is priced by going down it,
// and what a frame answers depends on the frames below it alone.
//
// Models. *exact*: remainders are what remains of tokens, so tokens that span terminals count as they are. *aligned*:
// only tokens that end where lexemes end are used; an upper bound that some tokens reach. *joined*: an aligned one that
// knows the tokens, too, in which a blank, a mark, or both stand before another lexeme (" FROM", ");", " ('").
//
// A text with several parses needs the least that one of them needs.
//
// Source: weighted pre* of a pushdown system (Reps, Schwoon, Jha, Melski 2005) with Knuth's order of settling (1977);
// what is a lookahead in LR(1) is left open here: a reduction is done before its lookahead is known, and the row keeps
// what it may be. docs/how_budgets_work.md.
#ifndef GCDC_TABLES_COSTS_H
#define GCDC_TABLES_COSTS_H

#include "../base/map64.h"
#include "../lexer/lexer.h"
#include "../lr/lr.h"
#include "live_pairs.h"
#include "shared_starts.h"
#include "walk.h"

enum cost_model { COSTS_OFF, COSTS_ALIGNED, COSTS_EXACT, COSTS_JOINED };

#define COSTS_NONE UINT32_MAX                // no terminal; no such row; infinite
#define COSTS_MAX_WEIGHT 60000u              // tokens that one lexeme, or one rule, may need; more is infinite
#define COSTS_EXACT_MAX_TRANSITIONS 200000u  // past it the exact model is given up
#define COSTS_EXACT_MAX_ALIGNED                                                                                        \
	4000u  // aligned facts, past which it is not tried: exact ones are about a hundred times as many
#define COSTS_JOINED_MAX_TRANSITIONS 3000000u  // the same of the joined model
#define COSTS_JOINED_MAX_ALIGNED 200000u       // joined ones are five to fifteen times as many
#define COSTS_MAX_TRANSITIONS 30000000u

#define COSTS_MAX_COLUMN 80u  // lines whose blanks are priced; deeper ones have no price
#define COSTS_MAX_NESTED 8u   // indents in one another that a price counts on: a power of two

typedef uint32_t row_id;

struct cost_emit {
	uint32_t terminal;       // COSTS_NONE: the text ends without a pending lexeme
	remainder_id remainder;  // REMAINDER_END: the text ends behind it
	uint32_t weight;         // tokens
};

// Rows, interned. Row 0 is empty.
// Which of a list of remainders hold all of another one, by place; rows that differ in weights only share it.
struct cost_nested {
	uint32_t outer, inner;
};
struct cost_nesting {
	uint32_t first, n;  // of `nested`
	bool is_dense;      // more than are worth keeping: nothing is kept
};

struct cost_rows {
	const struct lexer *lexer;
	struct walker *walker;
	enum cost_model model;
	uint32_t pending_line;  // a terminal that is none: the newline that is pending, whose column is not known here
	bool supplied;          // a newline is supplied where the text ends without: that costs no token
	bits *by_number;        // [terminals] strings whose prices depend on how many characters may come; or NULL
	uint32_t max_column;    // at most COSTS_MAX_COLUMN
	uint32_t blank_tokens[COSTS_MAX_COLUMN + 1];  // tokens that spell so many blanks; with columns only
	uint8_t *keeps;                               // [trie nodes] what aligned models keep of remainders: 1 + depth
	struct intern rows;                           // row_id -> struct cost_emit[], ascending by (terminal, remainder)
	row_id *of_state;                             // [n_lex_states]
	struct intern remainder_keys;                 // remainder, lex_state where its lexing begins
	VEC(row_id) of_remainder;                     // [remainder_key]
	struct map64 aligned;                         // remainder -> the remainder of its nodes that the model keeps
	struct map64 contains;                        // remainder, remainder -> does the first hold all of the second?
	struct intern nesting_keys;                   // remainders of long rows -> nestings
	VEC(struct cost_nesting) nestings;
	VEC(struct cost_nested) nested;
	VEC(uint8_t) beaten;      // scratch
	struct map64 restricted;  // row, set of looks -> row
	struct map64 excess;      // row, row -> how much more the first can cost
	struct intern looks;      // sets of lookaheads
	bool capped;              // something was left out for COSTS_MAX_WEIGHT
	VEC(struct cost_emit) work;
};

struct cost_step {
	uint32_t pop;  // frames down, 1: the next one
	uint32_t control;
	uint32_t weight;
};
struct cost_list {
	uint32_t final;     // COSTS_NONE: no end without the frames below
	uint32_t first, n;  // steps
};
struct cost_transition {
	lr_state state;
	uint32_t control, list;
};

// With columns a frame has a capacity: 1 and how many columns more can be opened where it is the top, before lines are
// deeper than max_column; 0 where they are already, in a column that no deeper one is outside of. What a frame answers
// may depend on its capacity. From top_capacity on all answer as `transitions` says; below it, as it stands here, if it
// is another answer.
struct cost_low {
	uint32_t capacity;
	lr_state state;
	uint32_t control, list;
};

// What the tokens of a mask do, for masks under a budget: in a lex_state, with a remainder unread, tokens end inside a
// lexeme (stays), or the lexeme ends as a terminal and a remainder is left (cuts). The walker's outcomes, told by rows.
struct cost_stay {
	row_id row;     // COSTS_NONE: tokens to be tried, since their columns decide
	set_id tokens;  // a row of SET after pack_sets
};
struct cost_cut {
	uint32_t terminal, remainder;  // its number in `remainders`
	set_id tokens;                 // not empty: tokens to be tried instead
};
struct cost_outcome {
	uint32_t first_stay, n_stays, first_cut, n_cuts;
};
struct cost_way {
	lex_state from;
	uint32_t remainder, outcome;
};
struct cost_groups {
	VEC(uint32_t) obligation;  // [remainder]; remainder 0 is the whole vocabulary
	VEC(uint32_t)
	line_remainders;  // [line * rows of blanks + row] the remainder of tokens that go on behind them (indent.h)
	VEC(struct cost_way) ways;  // ascending by (from, remainder)
	VEC(struct cost_outcome) outcomes;
	VEC(struct cost_stay) stays;
	VEC(struct cost_cut) cuts;
	uint32_t *dearest;  // [n_lr_states] no answer to a goal adds more to what the frames below answer
	uint32_t *most;   // [n_lex_states] after a token from here no more is needed than this and what the frames' dearest
					  // answers come to; COSTS_NONE: no bound
	uint32_t dedent;  // to be added for each open column; COSTS_NONE: no bound
	uint32_t opens;   // the widest blanks of a line that a token opens
	uint32_t deep;    // only in lines that begin before this column
};

struct costs {
	enum cost_model model;  // COSTS_OFF: there are none; a joined one is COSTS_ALIGNED
	bool gave_up_exact;
	bool is_far;    // the exact model, in which what needs more than COSTS_MAX_WEIGHT has no price: ALIGNED
	bool is_total;  // whatever a mask allows has a price
	struct cost_rows rows;
	uint32_t n_controls;
	uint32_t n_resumes;      // questions below this are RESUME; then come goals
	struct map64 resume_of;  // remainder, what stands before it -> question
	struct cost_groups groups;
	VEC(struct cost_list) lists;
	VEC(struct cost_step) steps;
	VEC(struct cost_transition) transitions;  // ascending by (state, question)
	uint32_t top_capacity;                    // 0 without columns
	VEC(struct cost_low) low;                 // ascending by (capacity, state, question)
	uint64_t n_transitions;                   // for --stats
};

// costs_groups.c, after the rest of *c is done.
struct cost_inputs;
void cost_groups_build(struct costs *c, const struct cost_inputs *in, struct walker *w);
void cost_groups_release(struct cost_groups *g);
// Of groups only what bounds say remains; masks are told by steps then (budget_steps.h).
void cost_groups_drop(struct cost_groups *g);
// costs_most.c: g->dearest, most, dedent and deep.
void cost_groups_bound(struct costs *c, const struct lr *lr, const struct trie *trie);

// What a text needs at most, where the model's tokens are bytes: for each frame; beside those for the top, when up to
// so many terminals are still pushed, and then something pends. One more needs `terminal` more than the most of all.
#define COST_BYTE_ENDS 7u
struct cost_byte_bounds {
	uint32_t *frame, *need[COST_BYTE_ENDS + 1];  // [lr_state]
	uint32_t terminal;
};
// False: there is no bound. The caller releases it.
bool costs_byte_bounds(const struct costs *c, const struct lr *lr, struct cost_byte_bounds *out);
void cost_byte_bounds_release(struct cost_byte_bounds *b);

// costs_total.c
bool costs_are_total(const struct costs *c, const struct lr *lr, const struct live_pairs *live);
// [asks] what a frame adds at most to what the frames below answer, where there is an answer at all. The caller frees
// it.
uint32_t *costs_chosen(const struct costs *c, const struct lr *lr);

void cost_rows_init(struct cost_rows *r, const struct lexer *lexer, uint32_t n_terminals, struct walker *w,
                    enum cost_model model, uint32_t max_column);
void cost_rows_release(struct cost_rows *r);
const struct cost_emit *cost_row(const struct cost_rows *r, row_id row, uint32_t *n);
// Of a lexeme that begins in lex_state q, with `remainder` unread, a token being begun.
row_id cost_row_of_remainder(struct cost_rows *r, remainder_id remainder, lex_state q);
// The row of one thing.
row_id cost_row_of(struct cost_rows *r, struct cost_emit e);
#define COSTS_LOOK_WORDS(n_terminals) BITS_WORDS((n_terminals) + 1)
#define COSTS_END_BIT(words) ((words)*64 - 1)  // of a look: $end
// Without ignored terminals, and with those terminals (and $end) only that are in the set `look`.
row_id cost_row_restrict(struct cost_rows *r, row_id row, uint32_t look);
// The number of such a set, of so many words.
uint32_t cost_rows_look(struct cost_rows *r, const bits *look, uint32_t words);
// The least x such that what `a` costs is at most x more than what `b` costs, whatever follows; COSTS_NONE: none.
uint32_t cost_row_excess(struct cost_rows *r, row_id a, row_id b);

struct cost_inputs {
	const struct lexer *lexer;
	const struct lr *lr;
	const struct trie *trie;
	const struct walker_source *known;  // walks of the vocabulary that need not be made again
	uint32_t n_known;
	bool by_bytes;  // the vocabulary can spell every byte that the lexer reads: viability is by bytes
	bool joins;     // where it would be aligned, a joined model is made, if it is not too large
	const struct live_pairs *live;
	const struct shared_starts *shared;  // or NULL
	uint32_t max_column;                 // COSTS_MAX_COLUMN, or less
};

// Makes the model asked for, and the aligned one when the exact one passes its limit, or is sure to. Never fails:
// out->model says what there is. Writes nothing but *out, so that the tables can be made small beside it.
void costs_build(enum cost_model wanted, const struct cost_inputs *in, struct costs *out);
// The aligned model alone, of whatever tokens in->trie has. False: it passes its limit. is_total is proved, or false.
bool costs_build_aligned(const struct cost_inputs *in, struct costs *out);
// Then the groups of tokens, which are added to sets.
void costs_build_groups(const struct cost_inputs *in, struct tokensets *sets, struct costs *out);
void costs_release(struct costs *c);
// The question for a lexeme that ended as e says, its terminal pushed; COSTS_NONE: no stack can go on from there.
uint32_t costs_control(const struct costs *c, struct cost_emit e);

#endif
