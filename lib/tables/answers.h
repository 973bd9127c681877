// What the middle of a token becomes on a stack of which only the top is known.
//
// In:  a lex_state or a rest (walk.h), and the lr_state on top. Out: an *answer*: tokens that are allowed whatever lies
// below, and *items*: questions to ask of the frames below.
//   a parse  - pop so many frames, push goto(lhs), go on with the terminal, then lex the rest;
//   a doubt  - these tokens are allowed if the control (viability.h) comes out well.
// An item is keyed by what remains, never by where it came from: that is what closes the automaton. Every answer is
// computed once: (rest, lr_state), (cuts, lr_state), (item, frame below) are the keys of memo tables.
#ifndef GCDC_TABLES_ANSWERS_H
#define GCDC_TABLES_ANSWERS_H

#include "../base/map64.h"
#include "tables.h"
#include "viability.h"

typedef uint32_t item_id;
typedef uint32_t item_list;  // an interned ascending list of items; 0 is the empty one
#define ITEMS_NONE 0u
#define ITEMS_IMPOSSIBLE UINT32_MAX  // no valid stack looks so

struct answer {
	set_id tokens;
	item_list items;
};

// How sure the tokens of an answer are. Two stacks of one text compete for how it is lexed (coupling.h).
enum mode {
	MODE_EVEN = 1,   // only when no other stack is in another lex_state: the first lexeme may be undone
	MODE_ALONE = 2,  // only when the text has one stack: a later lexeme may be undone
	MODE_SPLIT = 4,  // a choice was met within the token: there are other stacks
	MODE_FIRST = 16, // the lexeme that is pending where the token begins; what is cut is in another mode
	MODE_TRY = 8,    // another stack may undo what was cut: once the terminal is taken, the tokens are to be tried
};

enum item_kind { ITEM_PARSE, ITEM_DOUBT };
struct item {
	uint32_t kind;
	uint32_t pop;                        // frames below that it does not look at
	uint32_t lhs, terminal, rest, mode;  // ITEM_PARSE
	control_id control;                  // ITEM_DOUBT; written with pop 0
	set_id tokens;                       // ITEM_DOUBT
};

// What a lex_state does with a rest, as far as the context goes.
struct inside {
	set_id allowed;        // tokens that end inside the lexeme in a lex_state that is safe
	set_id allowed_alone;  // the same when the text has one stack
	set_id maybe;          // to be tried: columns decide
	uint32_t cuts;         // interned list of cuts
	uint32_t doubtful, n_doubtful;  // into answers.stays: tokens that end where safety is not known
};

struct answers {
	const struct lexer *lexer;
	const struct lr *lr;
	struct walker *whole;      // over the vocabulary
	struct viability *viable;
	struct tokensets *sets;
	set_id end_set;            // "the text may end here"
	const struct coupling *coupling;
	uint32_t part;             // what is added to ranks for each part of a set
	const bits *blank_path;    // [trie nodes] only blanks lead to it (lines.h); NULL without columns
	uint32_t line_mode;        // of answers_line; UINT32_MAX: not known yet
	struct map64 shifted;      // set, part -> set
	VEC(set_id) tokens_of;     // [rest] all its tokens, or UINT32_MAX
	struct intern items;       // item_id -> struct item
	struct intern lists;       // item_list -> item_id[]
	struct intern cuts;        // {terminal, rest}
	struct intern cut_lists;   // cuts
	VEC(struct outcome_stay) stays;
	VEC(struct inside) insides;
	VEC(item_id) less;         // [item] the same with one frame less to pop
	struct map64 inside_of;    // outcomes, context class -> insides
	struct map64 on, cut, cut_list, below, read;  // -> tokens, items of an answer
	// answers in the making, one above the other
	VEC(set_id) set_stack;
	VEC(item_id) item_stack;
	frame_steps steps;
	struct arena scratch;
	uint32_t depth;
	uint64_t n_evaluated;      // for --stats and limits
};

void answers_init(struct answers *a, const struct lexer *lexer, const struct lr *lr, struct walker *whole,
                  const struct coupling *coupling, struct viability *viable, struct tokensets *sets, uint32_t n_ranks);
void answers_release(struct answers *a);
// Tokens begun in lex_state q with s on top.
struct answer answers_start(struct answers *a, lex_state q, lr_state s);
// Tokens that go on with `rest` behind a newline and what its column made, with s on top; or_end: the text may end there.
struct answer answers_line(struct answers *a, rest_id rest, bool or_end, lr_state s);
// The frame below is p: what the items become. ITEMS_IMPOSSIBLE when no valid stack has p there.
struct answer answers_read(struct answers *a, item_list items, lr_state p);
// The list without the n frames that none of its items looks at, which is returned in *skip.
item_list answers_skip(struct answers *a, item_list items, uint32_t *skip);
const item_id *answers_items(const struct answers *a, item_list items, uint32_t *n);

#endif
