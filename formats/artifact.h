// The artifact's bytes: what the writer writes and the runtime maps. Specification: artifact.md.
// Little-endian, fixed width, no pointers; each struct below is literally the bytes in the file.
#ifndef GCDC_FORMATS_ARTIFACT_H
#define GCDC_FORMATS_ARTIFACT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define ARTIFACT_MAGIC "\x8fGCDC\r\n\x1a"
#define ARTIFACT_VERSION 13u
#define ARTIFACT_OLDEST_VERSION 13u
#define ARTIFACT_ALIGN 64u
#define ARTIFACT_NONE UINT32_MAX

// Limits a reader enforces, and names when it refuses. They are part of the format: a writer stays below them.
#define ARTIFACT_MAX_SECTIONS 128u
#define ARTIFACT_MAX_DECODED (1ull << 30)  // bytes of all compressed sections together, decoded
#define ARTIFACT_MAX_READINGS 64u
#define ARTIFACT_MAX_PUSHES (1u << 16)
#define ARTIFACT_MAX_CELLS (1u << 31)  // parser states x nonterminals: bounds what one terminal can reduce
#define ARTIFACT_MAX_BLANKS (1u << 16)
#define ARTIFACT_MAX_COLUMN (1u << 24)  // no text is read whose lines begin with more columns

enum artifact_flags {
	ARTIFACT_HAS_VOCAB = 1,  // token bytes are inside; else a .gcdv must be given at open
};

struct artifact_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t flags;  // enum artifact_flags; an unknown bit is refused
	uint32_t n_sections;
	uint32_t reserved;  // 0
	uint64_t file_size;
	uint64_t grammar_hash[2];  // XXH3-128 of the grammar
	uint64_t vocab_hash[2];    // XXH3-128 of the vocabulary
	uint64_t options_hash;     // reserved for compile options that change masks; 0 now
	uint64_t table_check;      // XXH3-64 of header (this field 0) and section table
};
static_assert(sizeof(struct artifact_header) == 80, "layout");

enum artifact_codec {
	ARTIFACT_RAW = 0,          // used in place
	ARTIFACT_ZSTD = 1,         // one zstd frame with its content size
	ARTIFACT_ZSTD_DELTA = 2,   // the differences of neighbouring u32 (the first as it is), then as ZSTD_PLANES
	ARTIFACT_ZSTD_PLANES = 3,  // zstd over the bytes of the u32 by significance: all lowest bytes first, then the next
	ARTIFACT_ZSTD_ROWS = 4,    // u32 w, then: rows of w u32, each told from one before it (artifact.md, 1)
	// u32 w, c, then: rows of w u32, column by column, as differences to the row above, in column c to where the parts
	// above it end, then as ZSTD_PLANES (artifact.md, 1)
	ARTIFACT_ZSTD_STEPS = 5,
	// u32 1, u32 which standard lists, then: ascending lists of u32, each told from an earlier one (artifact.md, 1)
	ARTIFACT_ZSTD_LISTS = 6,
	ARTIFACT_NO_CODEC = 7,   // of versions before 9
	ARTIFACT_ZSTD_NEAR = 8,  // u32 w, s, then: bitmaps of w u32, each told from one of s standard rows or one before it
	ARTIFACT_CODECS = 9,
};

struct artifact_section {
	uint32_t id;      // enum artifact_section_id, ascending in the table
	uint32_t codec;   // enum artifact_codec
	uint64_t offset;  // from the file's start; of raw ones a multiple of ARTIFACT_ALIGN
	uint64_t stored;  // bytes in the file
	uint64_t size;    // bytes when decoded
	uint64_t check;   // XXH3-64 of the decoded bytes
};
static_assert(sizeof(struct artifact_section) == 40, "layout");

// SECTION_INFO = 1 and so on: sections.def says what each of them holds.
enum artifact_section_id {
#define SECTION(id, NAME, ...) SECTION_##NAME = (id),
#include "sections.def"
	SECTION_IDS = 128,  // the ids of tables are below this
};

// Words of a bitmap of n bits.
#define BITMAP_WORDS(n) (((uint64_t)(n) + 31) / 32)

#include "canonical.h"

struct artifact_info {
	uint32_t n_tokens;    // V
	uint32_t mask_words;  // ceil(V / 32)
	uint32_t n_eos;
	uint32_t max_token_len;  // bytes
	uint32_t n_terminals;    // grammar's and ignored ones; $end is terminal number n_terminals
	uint32_t n_nonterminals;
	uint32_t n_productions;
	uint32_t n_symbols;
	uint32_t n_classes;      // byte classes of the lexer
	uint32_t n_lex_states;   // state 0 is dead
	uint32_t n_obligations;  // obligation 0 is "nothing forbidden"
	uint32_t n_contexts;     // distinct sets of viable terminals
	uint32_t n_lr_states;    // state 0 is unused, state 1 the bottom of every stack
	uint32_t n_action_cells;
	uint32_t n_goto_cells;
	uint32_t n_start_cells;
	uint32_t n_live;  // rows of LIVE
	uint32_t n_starts;
	uint32_t n_nodes;  // node 0 is unused: "nothing more to read"
	uint32_t n_edges;
	uint32_t n_targets;
	uint32_t n_sets;
	uint32_t n_dense;
	uint32_t n_sparse;         // tokens listed by all sets
	uint32_t start_lex_state;  // at the beginning of the text
	uint32_t worst_frames;     // stack frames one mask can read per reading; NONE: as deep as the stack
	uint32_t worst_sets;       // sets one mask can unite per reading; NONE: unbounded
	uint32_t max_readings;     // readings of one text alive at once (fallback of maximal munch)
	uint32_t max_pushes;       // frames that one terminal can add to a stack; NONE never
	uint32_t n_strings;        // bytes of SECTION_STRINGS
	uint32_t n_choice;         // words of SECTION_CHOICE
	uint32_t flags;            // enum artifact_info_flags; set by the writer
	// Columns of lines; all of these are 0 when there are none.
	uint32_t newline;         // terminal whose last blanks make them
	uint32_t indent, dedent;  // terminals that columns make
	uint32_t tab, tab_rule;   // columns of a tab; enum artifact_tab_rule
	uint32_t end_newline;     // 1: a text that does not end in '\n' counts as if it did
	uint32_t n_lines;         // lexer states with LEX_LINE; 0 exactly when lines have no columns
	uint32_t n_blanks;        // rows of BLANK
	uint32_t n_widths;        // its first rows, of kind BLANK_WIDTH
	uint32_t n_line_tops;
	uint32_t line_start;    // START[line_start + (line * n_blanks + row) * n_line_tops + top]
	uint8_t class_of[256];  // byte -> class
};
enum artifact_info_flags {
	INFO_ALL_BYTES = 1,   // every byte that some text of the language holds is by itself the text of a token
	INFO_CHOICES = 2,     // some action is a choice: a text can have several stacks
	INFO_TOKEN_ENDS = 4,  // lexer states count tokens: each is spelled with one more byte, TOKEN_END
};
static_assert(sizeof(struct artifact_info) == 43 * 4 + 256, "layout");
enum artifact_tab_rule { ARTIFACT_TAB_STOPS, ARTIFACT_TAB_COUNTS, ARTIFACT_TAB_REFUSED };

// Blanks with which a token begins. BLANK first has n_widths rows of kind WIDTH, ascending, the first of width 0; then
// one of kind OR_MORE for each; then rows of kind TAB.
struct artifact_blank {
	uint32_t kind;    // enum artifact_blank_kind
	uint32_t spaces;  // columns
	uint32_t rest;    // TAB: a tab to the next stop stands behind `spaces`, then so many columns
};
enum artifact_blank_kind { ARTIFACT_BLANK_WIDTH, ARTIFACT_BLANK_OR_MORE, ARTIFACT_BLANK_TAB };

enum artifact_terminal_flags { TERMINAL_IGNORED = 1, TERMINAL_LITERAL = 2, TERMINAL_DECLARED = 4, TERMINAL_FLAGS = 7 };
struct artifact_terminal {
	uint32_t name;  // offset into STRINGS
	uint32_t flags;
	int32_t priority;
	uint32_t pattern;  // offset into STRINGS: the pattern as readable text
	uint32_t rank;     // tie order of lexemes of one length, all different: the lower wins
};

struct artifact_production {
	uint32_t lhs;      // nonterminal
	uint32_t length;   // symbols on the right
	uint32_t symbols;  // first index into SYMBOL (terminals < n_terminals, then nonterminals)
	uint32_t reserved;
};

// next(lex_state, class): 0 = dead, else a state; the top bit says that the lexeme may also end *before* this
// byte (the obligation allows it). Both can hold at once: then the text has two readings.
// LEX_COUNTED (with LEX_CUT, which then says nothing): the step counts one more of a bounded repetition. While fewer
// than its counter's `more` have been counted it leads to the `from` of the counter whose `to` stands here, one with
// the same `more`; then to the state that stands here.
#define LEX_CUT 0x80000000u
#define LEX_COUNTED 0x40000000u
#define LEX_STATE_MASK 0x3fffffffu

struct artifact_lex_state {
	uint32_t terminal;    // what the lexeme is when it ends here, or NONE
	uint32_t obligation;  // what then must not match in the text that follows: row of LEX_START
	uint32_t flags;       // enum lex_state_flags
	uint32_t line;        // LEX_LINE: number among those; else 0
	uint32_t also;        // a lexer state for the same text that ends as another terminal, of higher rank; 0: none
	// Where masks begin: see artifact_start_base_of.
	uint32_t start_row;   // its row of START_BASE, by contexts
	uint32_t start_most;  // the first row in START for most contexts, or NONE
	uint32_t live;        // its row of LIVE: the contexts in which it can be where a token ends
	uint32_t without;     // set of tokens that its masks leave out of what these starts allow; 0: none
};
enum lex_state_flags {
	LEX_MAY_END = 1,     // the text may end here, as far as the lexer is concerned (after `terminal`)
	LEX_INITIAL = 2,     // nothing read yet: the text may end without a pending lexeme
	LEX_UNFAILABLE = 4,  // the scan holds something that nothing can make fail: no cut here is right
	LEX_LINE = 8,        // `terminal` is the newline, and only blanks stand behind its last '\n': they make a column
	LEX_NEWLINE = 16,    // with end_newline: the last byte is a '\n' of another lexeme, so none is supplied
};

struct artifact_lr_state {
	uint32_t context;  // set of viable terminals
	uint32_t
		rank;  // number among the states of its context that a terminal leads to, and the bottom; 0 for all others,
			   // which are on top only amid reductions: no start row is theirs
	uint32_t action_row;  // its row of LR_ACTION, by terminals, the last for the end of the text
	uint32_t goto_row;    // its row of LR_GOTO, by nonterminals
	uint32_t reduction;   // ACTION_* for the terminals of its context that have no cell: a reduction, or 0
};

// A table of which most entries are empty: rows lie in one another, each in the gaps of the others, and a row is the
// cell where it begins. Its entry in a column is in the cell so many behind it, if that cell says the same column;
// otherwise there is none. No two different rows begin at one cell, and each has room for all columns.
struct artifact_cell {
	uint32_t column;  // NONE: the cell is free
	uint32_t value;
};
static inline uint32_t artifact_cell_value(const struct artifact_cell *cells, uint32_t row, uint32_t column,
                                           uint32_t none)
{
	const struct artifact_cell *x = &cells[(uint64_t)row + column];
	return x->column == column ? x->value : none;
}
static inline bool artifact_bit(const uint32_t *bitmaps, uint32_t row, uint32_t n_columns, uint32_t column)
{
	return bitmaps[(uint64_t)row * BITMAP_WORDS(n_columns) + column / 32] >> column % 32 & 1;
}
// The first row in START of a lexer state in a context: its cell's, else what most contexts have, where it is live.
static inline uint32_t artifact_start_base_of(const struct artifact_lex_state *x,
                                              const struct artifact_cell *start_base, const uint32_t *live,
                                              uint32_t n_contexts, uint32_t context)
{
	const struct artifact_cell *cell = &start_base[(uint64_t)x->start_row + context];
	if (cell->column == context) return cell->value;
	return artifact_bit(live, x->live, n_contexts, context) ? x->start_most : ARTIFACT_NONE;
}
// What a parser state does with terminal t, or (t == n_terminals) at the end of the text.
static inline uint32_t artifact_action_of(const struct artifact_lr_state *x, const struct artifact_cell *lr_action,
                                          const uint32_t *contexts, uint32_t n_terminals, uint32_t t)
{
	const struct artifact_cell *cell = &lr_action[(uint64_t)x->action_row + t];
	if (cell->column == t) return cell->value;
	return x->reduction && t < n_terminals && artifact_bit(contexts, x->context, n_terminals, t) ? x->reduction : 0;
}

// action(lr_state, terminal): 0 = not viable; even: reduce production x/2 - 1; odd: shift to state x/2;
// for $end, ACTION_ACCEPT.
// ACTION_SKIP: the terminal is ignored in this state. ACTION_CHOICE(k): a conflict; the actions stand in CHOICE.
#define ACTION_CHOICE_MASK 0x7fffffffu
#define ACTION_CHOICE(k) (0x80000000u | (uint32_t)(k))
#define ACTION_SKIP 0xfffffffeu
#define ACTION_IS_CHOICE(x) ((x) >> 31 && (x) < ACTION_SKIP)
#define ACTION_IS_SHIFT(x) (!((x) >> 31) && ((x)&1))
#define ACTION_SHIFT(s) ((uint32_t)(s) << 1 | 1u)
#define ACTION_REDUCE(p) (((uint32_t)(p) + 1u) << 1)
#define ACTION_ACCEPT UINT32_MAX

struct artifact_start {
	uint32_t set, node;
};  // allowed whatever lies below; what to read next (0: nothing)
// Go down 1 + skip frames, to lr_state s. The node's frames, EDGE_FRAME[first .. first + n), ascend; where one of them
// is s, the EDGE beside it names the target, else `other` does. A base in START_BASE leaves capacity for every rank of
// its context.
struct artifact_node {
	uint32_t first, n, skip, other;
};
struct artifact_target {
	uint32_t set, next;
};
struct artifact_set {
	uint32_t dense;  // row of DENSE, or NONE
	uint32_t at, n;  // tokens SPARSE[at .. at + n), ascending: the set; or, with a row, where the set differs from it
	uint32_t flags;  // enum set_flags
	uint32_t count;  // tokens in it; 0 exactly when there is neither a row nor an entry
	uint32_t maybe;  // set of tokens of which columns decide, to be stepped over; 0: none. What that set names does not
					 // count
};
#define ARTIFACT_MAX_FLIPS 256u  // tokens of a set that has a row: their bits are flipped in a copy of it
enum set_flags { SET_EOS = 1 };  // the text may end here (the EOS ids are in the set, too)

// How many tokens it takes to finish a text. A question to a frame of the stack is answered by the list that
// COST_TRANSITION has for its state (none: it cannot be finished so): COST_NEVER or the tokens to the end of the text,
// and steps, each an answer's way over a frame below. The least of all is what it takes.
#define COST_NEVER UINT32_MAX
#define COST_MAX_WEIGHT 60000u
#define COST_MAX_POP (1u << 16)
#define COST_MAX_CAPACITY 64u
#define COST_MAX_OUTCOMES (1u << 30)
#define COST_AT_END UINT32_MAX  // instead of a question, where lines have no columns: the text ends behind this lexeme
// Control tokens that the grammar names: in the bytes that lexemes are made of they have a private spelling
// (lib/shared/control.h) in place of their text.
struct artifact_control {
	uint32_t n_tokens, n_names;  // of CONTROL_TOKEN, of CONTROL_NAME
	uint32_t reserved[2];        // 0
};
static_assert(sizeof(struct artifact_control) == 16, "layout");

// Repetitions that are counted. A reading's lexer state with a number of them counted, 1 or more, is n_lex_states +
// (number - 1) * n_states + place of the state in COUNTED.
// With COUNTERS_SHARED some counters have `from` = `to`. They count the characters of JSON strings from the opening
// quote on, up to `more`. Their states and sets are those of strings without a bound: masks leave out the tokens whose
// characters, and those to the nearest end behind them, are more than are left, and no step leads to where that is so.
// COUNTERS_FAR: some of these states, between characters, are no end. Readers that do not know the flag look for no
// nearest ends, and refuse it.
struct artifact_counters {
	uint32_t n_counters, n_states;  // of COUNTER, of COUNTED
	uint32_t flags;                 // enum counters_flags
	uint32_t reserved;              // 0
};
enum counters_flags { COUNTERS_SHARED = 1, COUNTERS_FAR = 2 };
#define COUNTERS_MAX_TOKEN 256u  // bytes of a token, with COUNTERS_SHARED
#define COUNTERS_MAX_FAR 4096u   // characters to the nearest end, with COUNTERS_SHARED
static_assert(sizeof(struct artifact_counters) == 16, "layout");
struct artifact_counter {     // ascending by `to`
	uint32_t from, to, more;  // `to` is where one more leads when `more` have been counted
};
struct artifact_counted {
	uint32_t lex_state, counter;  // ascending by lex_state
};

// Arrays whose items differ: each begins with one of these terminals, which are brackets. The rest is read as JSON.
struct artifact_uniques {
	uint32_t n_terminals;  // of UNIQUE, ascending
	uint32_t any_kind;  // 3: some shapes tell; 2: some list numbers; 1: of any kind; 0: strings, as in the first files
	uint32_t n_shape_words;  // of UNIQUE_SHAPE; 0: items are endless everywhere
	uint32_t reserved;       // 0
};
static_assert(sizeof(struct artifact_uniques) == 16, "layout");

// A shape says how many values the items of an array can have: words, of which the places below are counted from its
// first one. Behind its head stand n_keys records, the keys of an object in their order. `strings`: an automaton over
// the decoded bytes of the strings that it lists, or 0: { n_states, n_edges, first[n_states + 1] (first edge << 1 |
// accepts), edges (state, least | greatest byte << 8), count[n_states] of the texts from there; UINT32_MAX: no end };
// or { 0, least, most }: all strings of so many characters, each written in any way of JSON. With SHAPE_NUMBERS its
// place is that of two words: an automaton over the texts of numbers, each value having one, a decimal without needless
// zeros; and `strings`.
#define SHAPE_CHARACTERS 0x10f800u  // of Unicode, without surrogates
enum { SHAPE_FLAGS, SHAPE_STRINGS, SHAPE_N_KEYS, SHAPE_HEAD };
enum { KEY_FLAGS, KEY_STRINGS, KEY_NAME, KEY_LEN, KEY_WORDS };
enum shape_flag {
	SHAPE_ENDLESS = 1,   // all but the strings and numbers that are listed: there are always more
	SHAPE_OBJECT = 2,    // of items: objects of these keys
	SHAPE_REQUIRED = 4,  // of keys
	SHAPE_OTHER = 8,     // of keys: some values; then a later key has always more
	SHAPE_SIMPLE = 16,   // so many of true, false, null, as a factor
	SHAPE_NUMBERS = 64,  // numbers are listed
	SHAPE_TELLS = 128    // items may be equal: then the bracket that closes the array is read as SHAPE_EQUAL_MARK
};
#define UNIQUE_KIND_TELLS 3u
#define SHAPE_EQUAL_MARK 0x01u  // a byte that no JSON text has

enum artifact_cost_model { COST_ALIGNED = 1, COST_EXACT = 2 };
struct artifact_cost_info {
	uint32_t model;  // enum artifact_cost_model
	uint32_t n_rows, n_emits;
	uint32_t n_resumes;  // questions below this: "a lexeme has just ended, here on top", as COST_EMIT names them
	uint32_t n_controls;
	uint32_t n_transitions, n_lists, n_steps;
	uint32_t most;  // the greatest weight of COST_EMIT, COST_LIST and COST_STEP
	uint32_t n_blanks;
	uint32_t n_remainders, n_ways, n_outcomes, n_stays, n_cuts;
	uint32_t flags;  // enum artifact_cost_flags
	// With columns: what each open one adds to the bound of a stack (COST_NEVER: no bound); bounds are for columns
	// below this.
	uint32_t dedent, deep;
	// With columns (none: 0): lines below column n_blanks are priced. A frame has a capacity: 1 and how many columns
	// more can be opened where it is the top, top_capacity if there are more; 0 where it is in the only open column
	// that is too deep. Below top_capacity COST_LOW has the answers that are others than those in COST_TRANSITION.
	uint32_t top_capacity, n_low;
	uint32_t opens;  // the widest blanks of a line that a token opens, with something in it
};
enum artifact_cost_flags {
	COST_TOTAL = 1,     // whatever a mask allows has a price; with columns: as long as they are below `deep`
	COST_SUPPLIED = 2,  // the last newline that is supplied is priced: it takes no token
	COST_JOINED = 4,    // COST_ALIGNED, with the tokens in which a blank or a mark stands before another lexeme
};
struct artifact_cost_emit {
	// That the pending lexeme can end as. NONE: there is none, and the text ends. n_terminals: the newline, which is
	// pending with a column that the tables do not know; the question is then for what that column makes.
	uint32_t terminal;
	uint32_t control;  // to be asked once the terminal is on the stack (an ignored one changes nothing)
	uint32_t weight;   // tokens until then
};
struct artifact_cost_transition {
	uint32_t control, list;
};
struct artifact_cost_low {
	uint32_t capacity, lr_state, control, list;
};  // ascending by the first three
struct artifact_cost_list {
	uint32_t final, first, n;
};
struct artifact_cost_step {
	uint32_t pop, control, weight;
};  // pop >= 1 frames down, ask this; weight tokens more
// What the tokens of a mask do, in groups of one price: in a lexer state, with a remainder of them unread, some end
// inside the lexeme, others after it ended as a terminal.
struct artifact_cost_way {
	uint32_t remainder, outcome;
};
struct artifact_cost_outcome {
	uint32_t first_stay, n_stays, first_cut, n_cuts;
};
struct artifact_cost_stay {
	uint32_t row, set;
};  // row of COST_ROW; NONE: their columns decide, each is to be tried
struct artifact_cost_cut {
	uint32_t terminal, remainder, set;
};  // set: tokens to be tried instead when the terminal is shifted; or 0
static_assert(sizeof(struct artifact_cost_info) == 84, "layout");

// Masks under a budget, where the compiler has made all that they need: a step says what is allowed as far as the stack
// is read. The last level of a part's ladder with base + level.base <= the tokens that may follow is allowed; `above`:
// once the frame's least price is taken off those. A frame is told by its class, which the class of the frame below and
// its own state give; its least price is that one's and a weight. The bottom is of class 1, and its least price is 0.
struct artifact_step_info {
	uint32_t n_nodes, n_edges, n_steps, n_parts, n_classes, n_pushes, n_ladders, n_levels;
};
struct artifact_step_node {
	uint32_t first, n;  // edges, ascending by class
	uint32_t other;     // step where no edge names the class
};
struct artifact_mask_step {
	uint32_t first_part, n_parts;
	uint32_t node, skip;  // what to read next, 1 + skip frames down; NONE: nothing
};
struct artifact_step_part {
	uint32_t above, base, ladder;
};
struct artifact_step_class {
	uint32_t first, n;  // pushes, ascending by state
};
struct artifact_step_push {
	uint32_t lr_state, to, weight;  // a frame of this state above: its class
};
struct artifact_step_ladder {
	uint32_t first, n;
};
struct artifact_step_level {
	uint32_t base, set;
};
static_assert(sizeof(struct artifact_step_info) == 32, "layout");

// CANON_FAR (artifact.md, 7): needs of a parser state, one for each number of lexemes that may end; then so many of
// whatever state; lists of tokens that may end more lexemes than most do.
#define FAR_NEEDS 3u
#define FAR_MORE_NEEDS 4u
#define FAR_ENDS 5u

// Steps that masks under a budget made while the compiler walked texts (artifact.md, 6): what the runtime begins with
// instead of nothing. KEPT_WORD has the lists first, in this order, each its length and then so many words; then the
// words of KEPT_STEP's rows, each behind the one before. Lists are told by their number in their own list.
struct artifact_kept_info {
	uint32_t n_steps, n_words;
	uint32_t n_continuations, n_groups, n_nodes, n_parts, n_expressions;
	uint32_t reserved;  // 0
};
static_assert(sizeof(struct artifact_kept_info) == 32, "layout");
struct artifact_kept_step {
	uint32_t place, lr_state;
	uint32_t n_body, n_tries, n_tried, n_sites;  // words; but n_sites, which says how many
	uint32_t node, skip;
};
#define KEPT_MAX_WORDS (1u << 21)
#define KEPT_MAX_STEPS (1u << 17)
#define KEPT_MAX_LISTS (1u << 16)  // of each of the five

#endif
