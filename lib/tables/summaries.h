// What the middle of a token does on a stack of which only the top is known.
//
// In:  a lex_state or a remainder (walk.h), and the lr_state on top. Out: a *summary*: tokens that are allowed whatever
// lies below, and *items*: questions to the frames below.
//   a parse     - pop so many frames, push goto(lhs), then go on with these *continuations*: terminals, and the
//                 remainder behind each;
//   a condition - these tokens are allowed if the control (viability.h) comes out well.
// An item's key is its remainders, never its origin: so the automaton is finite. Continuations behind one reduction are
// one item, since the frame below decides for all of them by its goto; and so are the tokens that one control decides.
// Each answer is computed once. The keys of the memo tables are (remainder, lr_state), (cuts, lr_state),
// (continuations, lr_state), (items, frame below), (control, frame below).
#ifndef GCDC_TABLES_SUMMARIES_H
#define GCDC_TABLES_SUMMARIES_H

#include "../base/map64.h"
#include "frame_sets.h"
#include "goto_columns.h"
#include "tables.h"
#include "viability.h"

typedef uint64_t pending_item;  // ITEM_*; ascending, the nearest come first
typedef uint32_t item_list;  // an interned ascending list of items, one for each (pop, lhs) or (pop, control); 0: empty
#define ITEMS_NONE 0u
#define CONTINUATIONS_NONE 0u
#define ITEMS_IMPOSSIBLE UINT32_MAX  // no valid stack looks so

struct summary {
	set_id tokens;
	item_list items;
};

// The answers of one list of items on many frames: groups of frames with one answer each.
struct summary_group {
	struct summary x;
	uint32_t first, n;  // into `frames`
};
struct summary_reading {
	frame_list frames;
	VEC(struct summary_group) groups;
	VEC(lr_state) spare, to;  // scratch, as what follows
	VEC(uint32_t) bounds, slots, number_of;
	VEC(lr_state) places;  // beside bounds
	VEC(struct summary_group) answers;
};

// An item in 64 bits: frames below that it does not look at (16), is it a condition (1), and
//   of a parse: lhs (19), list of continuations (28);   of a condition: number of the control (23), set of tokens (24).
// A production is shorter than LR_MAX_STATES, and there are fewer nonterminals than states: both fit.
#define ITEM_POP_SHIFT 48
#define ITEM_CONDITION ((pending_item)1 << 47)
#define ITEM_LHS_SHIFT 28
#define ITEM_MAX_CONTINUATIONS (1u << 28)
#define ITEM_CONTROL_SHIFT 24
#define CONDITIONS_MAX_CONTROLS (1u << 23)  // that decide on tokens, of one builder; more is an error
#define CONDITIONS_MAX_SETS (1u << 24)      // of tokens, of one builder that has conditions; more is an error
static inline uint32_t item_pop(pending_item x) { return (uint32_t)(x >> ITEM_POP_SHIFT); }
// Of a parse: the nonterminal, and the list of what follows it.
static inline uint32_t item_lhs(pending_item x) { return (uint32_t)(x >> ITEM_LHS_SHIFT) & ((1u << 19) - 1); }
static inline uint32_t item_continuations(pending_item x) { return (uint32_t)x & (ITEM_MAX_CONTINUATIONS - 1); }
// Items that differ only in the bits below ask the same.
static inline uint32_t item_what_shift(pending_item x)
{
	return x & ITEM_CONDITION ? ITEM_CONTROL_SHIFT : ITEM_LHS_SHIFT;
}

struct continuation {
	uint32_t terminal, remainder;
};
// What becomes of a control on a frame.
struct control_read {
	enum verdict verdict;
	uint32_t first, n;  // into `conditions`
};
struct condition {
	pending_item what;  // without a set
	uint32_t number;
};

// What a lex_state does with a rest, as far as the context goes.
struct inside {
	set_id allowed;                       // tokens that end inside the lexeme in a lex_state that is safe
	set_id maybe;                         // columns decide: the runtime steps over them
	uint32_t cuts;                        // list of continuations
	uint32_t conditional, n_conditional;  // into answers.stays: tokens that end where safety is not known
	uint32_t alike;                       // the same for all that are equal
};

struct summaries {
	const struct lexer *lexer;
	const struct lr *lr;
	struct walker *whole;  // over the vocabulary
	struct viability *viable;
	struct tokensets *sets;
	set_id end_set;                        // "the text may end here"
	uint32_t part;                         // what is added to ranks for PART_MAYBE
	const struct goto_columns *go_by_lhs;  // groups of frames go down its columns
	const bits *blank_path;                // [trie nodes] only blanks lead to it (indent.h); NULL without columns
	struct map64 shifted;                  // set -> the set in PART_MAYBE
	VEC(set_id) tokens_of;                 // [rest] all its tokens, or UINT32_MAX
	struct intern continuations;           // struct continuation
	struct intern continuation_lists;      // ascending; CONTINUATIONS_NONE is the empty list
	struct intern continuation_unions;     // ascending continuation_lists -> index into continuation_union_of
	VEC(uint32_t) continuation_union_of;
	struct intern controls;    // that decide on tokens: as if nothing were to be popped before them
	struct map64 controls_on;  // number of a control, frame -> index into controls_read
	VEC(struct control_read) controls_read;
	VEC(struct condition) conditions;
	struct intern condition_numbers;  // items without their sets
	VEC(uint64_t) told;               // [number of a condition] the answer it was last told to, and with which set
	uint64_t n_answers;               // begun
	struct intern lists;              // item_list -> pending_item[]
	VEC(struct outcome_stay) stays;
	VEC(struct inside) insides;
	struct map64 inside_of;  // lex_state, or rest, and context -> insides
	uint64_t last_key;       // of inside_of, asked for last
	struct inside last;
	uint64_t start_key;  // the same of the whole vocabulary, which has no place in inside_of where no column decides
	struct inside start;
	uint64_t outcomes_key;  // lex_state and rest whose outcomes these are
	struct outcomes outcomes;
	struct intern looks;  // outcomes and what the context decides of each -> index into look_inside
	VEC(uint32_t) look_inside;
	uint32_t last_look, last_context;
	bool last_lines;
	VEC(uint32_t) safe_rows;  // of viable->safe: those of where the outcomes lead, each once; where there are any
	VEC(uint32_t) look_key;   // scratch
	struct intern alike;      // insides by what they hold; with columns also pairs of them
	struct map64 kind_of;     // all that summaries_start looks at but the top -> kinds
	uint32_t n_kinds;
	struct map64 on, cut_list, continuation, continuation_list, read;  // -> tokens, items of an answer
	// answers in the making, one above the other
	VEC(set_id) set_stack;
	VEC(pending_item) item_stack;
	VEC(uint32_t) same;  // what the items that ask the same have
	uint32_t *place;     // [n_lr_states] scratch of grouping, all 0
	VEC(uint32_t) gathered_list;
	VEC(pending_item) shorter;   // scratch of summaries_skip
	VEC(uint64_t) skipped;       // [item_list] skip << 32 | what summaries_skip leaves; UINT64_MAX: not asked yet
	VEC(pending_item) gathered;  // parses of one continuation each, with it in place of the list
	VEC(uint32_t) actions;       // of the parser, under the continuations of lists that are being answered
	frame_steps steps;
	struct arena scratch;
	uint32_t depth;
	uint64_t n_evaluated;  // for --stats and limits
};

// .lexer, .lr, .whole, .viable and .sets are set, all else is 0. n_ranks: of the vocabulary.
void summaries_init(struct summaries *a, uint32_t n_ranks);
void summaries_release(struct summaries *a);
// Nothing will be asked any more: drops what only makes that fast.
void summaries_forget(struct summaries *a);
// What tokens begun in lex_state q do with s on top, where that is all: no text ends here, and nothing is left to
// columns or to conditions. NULL otherwise. Valid until the next question.
const struct inside *summaries_plain(struct summaries *a, lex_state q, lr_state s);
// That, with s on top. False: the answer holds conditions.
bool summaries_plain_on(struct summaries *a, const struct inside *x, lr_state s, struct summary *answer);
// What is cut as t, and the rest of these cuts.
void summaries_part(struct summaries *a, uint32_t cuts, terminal_id t, struct inside *those, struct inside *others);
// The terminal of a continuation.
terminal_id summaries_terminal(const struct summaries *a, uint32_t continuation);
// Tokens begun in lex_state q with s on top. Tops of one context had best come one after the other.
struct summary summaries_start(struct summaries *a, lex_state q, lr_state s);
// lex_states with one kind in a context have the same answers there on all tops.
uint32_t summaries_kind(struct summaries *a, lex_state q, uint32_t context);
// Tokens that go on with `remainder` behind a newline and what its column made, with s on top; or_end: the text may end
// there.
struct summary summaries_line(struct summaries *a, remainder_id remainder, bool or_end, lr_state s);
// The frame below is one of r->frames: what the items become on each, ITEMS_IMPOSSIBLE when no valid stack has it
// there. Reorders the frames, and fills r->groups, an answer each. Not kept: callers ask once.
void summaries_read_all(struct summaries *a, item_list items, struct summary_reading *r);
void reading_release(struct summary_reading *r);
// The same for one frame, kept: where few lists are asked often.
struct summary summaries_read_on(struct summaries *a, item_list items, lr_state p);
// A reduction has put s on top: all continuations behind it.
struct summary summaries_continue_on(struct summaries *a, uint32_t continuations, lr_state s);
// The list without the n frames that none of its items looks at, which is returned in *skip.
item_list summaries_skip(struct summaries *a, item_list items, uint32_t *skip);
// The list of these continuations, which are sorted in place.
uint32_t summaries_continuations(struct summaries *a, uint32_t *continuations, uint32_t n);
// A list of items of another one with what it names renamed: [lists of continuations], [sets] and [controls] of from.
struct item_names {
	const uint32_t *continuation_list, *set, *control;
};
item_list summaries_copy_items(struct summaries *a, const struct summaries *from, item_list items,
                               const struct item_names *to);
// The number of a control as items have it; one with nothing to pop.
uint32_t summaries_control(struct summaries *a, control_id control);
const pending_item *summaries_items(const struct summaries *a, item_list items, uint32_t *n);

#endif
