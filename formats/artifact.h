// The artifact's bytes: what the writer writes and the runtime maps. Specification: artifact.md.
// Little-endian, fixed width, no pointers; each struct below is literally the bytes in the file.
#ifndef GCDC_FORMATS_ARTIFACT_H
#define GCDC_FORMATS_ARTIFACT_H

#include <assert.h>
#include <stdint.h>

#define ARTIFACT_MAGIC "\x8fGCDC\r\n\x1a"
#define ARTIFACT_VERSION 4u
#define ARTIFACT_OLDEST_VERSION 4u
#define ARTIFACT_ALIGN 64u
#define ARTIFACT_NONE UINT32_MAX

// Limits a reader enforces, and names when it refuses. They are part of the format: a writer stays below them.
#define ARTIFACT_MAX_SECTIONS 128u
#define ARTIFACT_MAX_DECODED (1ull << 30)  // bytes of all compressed sections together, decoded
#define ARTIFACT_MAX_THREADS 64u
#define ARTIFACT_MAX_PUSHES (1u << 16)
#define ARTIFACT_MAX_CELLS (1u << 26)  // parser states x nonterminals: bounds what one terminal can reduce
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
};

struct artifact_section {
	uint32_t id;      // enum artifact_section_id, ascending in the table
	uint32_t codec;   // enum artifact_codec
	uint64_t offset;  // from the file's start, multiple of ARTIFACT_ALIGN
	uint64_t stored;  // bytes in the file
	uint64_t size;    // bytes when decoded
	uint64_t check;   // XXH3-64 of the decoded bytes
};
static_assert(sizeof(struct artifact_section) == 40, "layout");

// An unknown id below 2^16 is refused, one from 2^16 up is skipped.
enum artifact_section_id {
	SECTION_INFO = 1,           // struct artifact_info, once
	SECTION_STRINGS = 2,        // NUL-terminated names, UTF-8
	SECTION_TERMINAL = 3,       // struct artifact_terminal [n_terminals]
	SECTION_NONTERMINAL = 4,    // u32 name offset [n_nonterminals]
	SECTION_PRODUCTION = 5,     // struct artifact_production [n_productions]
	SECTION_SYMBOL = 6,         // u32 symbols of all right sides
	SECTION_LEX_NEXT = 10,      // u32 [n_lex_states * n_classes]: LEX_*
	SECTION_LEX_STATE = 11,     // struct artifact_lex_state [n_lex_states]
	SECTION_LEX_START = 12,     // u32 [n_residues * n_contexts]: lex_state, or 0 (dead)
	SECTION_CONTEXT = 13,       // u32 bitmap of terminals [n_contexts * ceil(n_terminals/32)]: which compete
	SECTION_LR_STATE = 20,      // struct artifact_lr_state [n_lr_states]
	SECTION_LR_ACTION = 21,     // u32 [n_action_rows * (n_terminals + 1)]: ACTION_*
	SECTION_LR_GOTO = 22,       // u32 [n_goto_rows * n_nonterminals]: lr_state, or 0 when there is none
	SECTION_CHOICE = 23,        // u32 [n_choice]: lists, each its length and then the actions; ACTION_CHOICE names one
	SECTION_START_BASE = 30,    // u32 [n_lex_states * n_contexts]: first row in START for this pair, or NONE
	SECTION_START = 31,         // struct artifact_start [n_starts]
	SECTION_NODE = 32,          // struct artifact_node [n_nodes]
	SECTION_EDGE_FRAME = 33,    // u16 lr_state [n_edges]
	SECTION_EDGE = 34,          // u32 index into TARGET [n_edges]
	SECTION_TARGET = 35,        // struct artifact_target [n_targets]
	SECTION_SET = 40,           // struct artifact_set [n_sets]; set 0 is empty
	SECTION_DENSE = 41,         // u32 mask rows [n_dense * mask_words]
	SECTION_SPARSE = 42,        // u32 tokens [n_sparse]
	SECTION_BLANK = 45,         // struct artifact_blank [n_blanks]: empty when lines have no columns
	SECTION_LINE_TOP = 46,      // u32 [n_lr_states]: number among the tops that can follow a line's column, or NONE;
								// empty when lines have no columns
	SECTION_EOS = 50,           // u32 token ids, ascending [n_eos]
	SECTION_TOKEN_OFFSET = 51,  // u32 [n_tokens + 1]
	SECTION_TOKEN_BYTES = 52,   // u8
	// Costs in tokens: all of these, or none.
	SECTION_COST_INFO = 70,     // struct artifact_cost_info, once
	SECTION_COST_ROW_OF = 71,   // u32 row of COST_ROW [n_lex_states]
	SECTION_COST_ROW = 72,      // u32 first of COST_EMIT [n_rows + 1], ascending
	SECTION_COST_EMIT = 73,     // struct artifact_cost_emit [n_emits]; a row's by ascending weight
	SECTION_COST_ASK_AT = 74,   // u32 first of COST_ASK [n_lr_states + 1], ascending
	SECTION_COST_ASK = 75,      // struct artifact_cost_ask [n_asks]; a state's by ascending question
	SECTION_COST_LIST = 76,     // struct artifact_cost_list [n_lists]
	SECTION_COST_STEP = 77,     // struct artifact_cost_step [n_steps]
	SECTION_COST_BLANK = 78,    // u32 tokens that spell so many blanks [n_blanks]; none when lines have no columns
	SECTION_COST_MOST = 80,     // u32 [n_lex_states]: no token from here makes the text dearer by more
	SECTION_COST_RESIDUE = 81,  // u32 residue of a rest [n_rests]; rest 0 is the whole vocabulary
	SECTION_COST_WAY_AT = 82,   // u32 first of COST_WAY [n_lex_states + 1], ascending
	SECTION_COST_WAY = 83,      // struct artifact_cost_way [n_ways]; a lexer state's by ascending rest
	SECTION_COST_OUTCOME = 84,  // struct artifact_cost_outcome [n_outcomes]
	SECTION_COST_STAY = 85,     // struct artifact_cost_stay [n_stays]
	SECTION_COST_CUT = 86,      // struct artifact_cost_cut [n_cuts]
	SECTION_COST_DEAREST = 87,  // u32 [n_lr_states]: the greatest weight of the state's answers to goals
	SECTION_COST_LINE =
		88,  // u32 rest [n_lines * n_blanks]: of the tokens that go on behind these blanks; none when lines
			 // have no columns
	SECTION_COST_NARROW = 89,  // struct artifact_cost_narrow [n_narrow], ascending; none when lines have no columns
	// Canonical tokenization (canonical.h); all of them or none.
	SECTION_CANON = 90,         // struct artifact_canon, once
	SECTION_CANON_PARTS = 91,   // struct artifact_canon_pair [n_tokens]: parts of the token's last merge, NONE: none
	SECTION_CANON_TIME = 92,    // u32 [n_tokens]: when it is whole; 0: from the start
	SECTION_CANON_PLACE = 93,   // u32 [n_tokens]: place in the order of left parts; NONE: merges never make it
	SECTION_CANON_AT = 94,      // u32 tokens by place [n_places]
	SECTION_CANON_FIRST = 95,   // u32 [n_tokens + 1] into JOIN
	SECTION_CANON_JOIN = 96,    // struct artifact_canon_join [n_joins]
	SECTION_CANON_PATCH = 97,   // struct artifact_canon_pair [n_patches], ascending: the answer is the other one
	SECTION_CANON_CLASS = 98,   // u16 [n_tokens]: class of the token
	SECTION_CANON_PAGE = 99,    // u16 [CANON_PAGES]: page of CHAR
	SECTION_CANON_CHAR = 100,   // u16 [n_pages * CANON_PAGE_SIZE]: kind of the character
	SECTION_CANON_KIND = 101,   // struct artifact_canon_kind [n_kinds]
	SECTION_CANON_STEP = 102,   // u16 [n_sets * n_groups * 3]: set after a character, by CANON_STEP_*; 0: none
	SECTION_CANON_SET = 103,    // u32 [n_sets]: enum canon_set_flags
	SECTION_CANON_ALLOW = 104,  // u8 [n_sets * n_classes]: CANON_BEGINS, CANON_GOES_ON
	SECTION_CANON_ADDED = 105,  // struct artifact_canon_node [n_added]: trie over the texts of added tokens
	SECTION_CANON_SPLIT = 106,  // struct artifact_canon_split [n_splits]: trie over what must not fill a piece
	SECTION_CANON_BAD = 107,    // u32 [n_bad]: tokens
	SECTION_CANON_JOINT = 108,  // u32 [n_left * n_right_words]: bitmaps of right numbers
	SECTION_CANON_MARK = 109,   // struct artifact_canon_list [n_left], then the list of all marks
	// With canonical tables, in artifacts only.
	SECTION_CANON_WIDE =
		110,  // struct artifact_canon_chars [n_lex_states]: may come where the lexeme stands so, whatever the stack
	SECTION_CANON_ASK_AT = 111,  // struct artifact_canon_list [n_lex_states] of CANON_ASK
	SECTION_CANON_ASK =
		112,  // u32 tokens; each list ascends: behind these not every stack surely has a canonical way on
	SECTION_CANON_NODE =
		113,  // struct artifact_canon_chars [2 * n_nodes]: may come whatever a node reads; beside it: if what was
	// read before it allowed something
	// The product of one regular expression and the tokenizer (canonical.h); all of them or none.
	SECTION_REGEX = 115,          // struct artifact_regex, once
	SECTION_REGEX_STATE = 116,    // struct artifact_regex_state [n_lex_states + 1]
	SECTION_REGEX_SUSPECT = 117,  // struct artifact_suspect [n_suspects]; a lexer state's ascending by token
	SECTION_REGEX_DEAD = 118,     // u64 keys, ascending [n_dead]
	SECTION_REGEX_ALIKE = 119,    // u16 [REGEX_ALIKE]
	// Beside 110 to 113.
	SECTION_CANON_BYTES = 125,  // struct artifact_canon_chars [n_lex_states]: as CANON_WIDE, the bytes from 128 on
	SECTION_CANON_CALM = 126,   // u8 [n_sets]: 1 where the set of states is calm: nearly all text may come in it
	SECTION_CANON_ASK_CALM =
		127,  // struct artifact_canon_list [n_lex_states] of CANON_ASK: those of ASK_AT where all ways are calm
	SECTION_PROVENANCE = 65596,  // optional: UTF-8, what the artifact was made from (SPDX); readers of masks skip it
};

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
	uint32_t n_classes;     // byte classes of the lexer
	uint32_t n_lex_states;  // state 0 is dead
	uint32_t n_residues;    // residue 0 is "nothing forbidden"
	uint32_t n_contexts;    // distinct sets of viable terminals
	uint32_t n_lr_states;   // state 0 is unused, state 1 the bottom of every stack
	uint32_t n_action_rows;
	uint32_t n_goto_rows;
	uint32_t n_starts;
	uint32_t n_nodes;  // node 0 is unused: "nothing more to read"
	uint32_t n_edges;
	uint32_t n_targets;
	uint32_t n_sets;
	uint32_t n_dense;
	uint32_t n_sparse;
	uint32_t start_lex_state;  // at the beginning of the text
	uint32_t worst_frames;     // stack frames one mask can read per thread; NONE: as deep as the stack
	uint32_t worst_sets;       // sets one mask can unite per thread; NONE: unbounded
	uint32_t max_threads;      // readings of one text alive at once (fallback of maximal munch)
	uint32_t max_pushes;       // frames that one terminal can add to a stack; NONE never
	uint32_t n_strings;        // bytes of SECTION_STRINGS
	uint32_t n_choice;         // words of SECTION_CHOICE
	uint32_t flags;            // enum artifact_info_flags; set by the writer
	// Columns of lines; all of these are 0 when there are none.
	uint32_t newline;         // terminal whose last blanks make them
	uint32_t indent, dedent;  // terminals that columns make
	uint32_t tab, tab_rule;   // columns of a tab; enum artifact_tab_rule
	uint32_t end_newline;     // 1: a text that lacks its last newline counts as if it had it
	uint32_t n_lines;         // lexer states with LEX_LINE; 0 exactly when lines have no columns
	uint32_t n_blanks;        // rows of BLANK
	uint32_t n_widths;        // its first rows, of kind BLANK_WIDTH
	uint32_t n_line_tops;
	uint32_t line_start;    // START[line_start + (line * n_blanks + row) * n_line_tops + top]
	uint8_t class_of[256];  // byte -> class
};
enum artifact_info_flags {
	INFO_ALL_BYTES = 1,  // every byte that some text of the language holds is by itself the text of a token
	INFO_CHOICES = 2,    // some action is a choice: a text can have several stacks
};
static_assert(sizeof(struct artifact_info) == 41 * 4 + 256, "layout");
enum artifact_tab_rule { ARTIFACT_TAB_STOPS, ARTIFACT_TAB_COUNTS, ARTIFACT_TAB_REFUSED };

// Blanks with which a token begins. BLANK first has n_widths rows of kind WIDTH, ascending, the first of width 0; then
// one of kind OR_MORE for each; then rows of kind TAB.
struct artifact_blank {
	uint32_t kind;    // enum artifact_blank_kind
	uint32_t spaces;  // columns
	uint32_t rest;    // TAB: a tab to the next stop stands behind `spaces`, then so many columns
};
enum artifact_blank_kind { ARTIFACT_BLANK_WIDTH, ARTIFACT_BLANK_OR_MORE, ARTIFACT_BLANK_TAB };

enum artifact_terminal_flags { TERMINAL_IGNORED = 1, TERMINAL_LITERAL = 2, TERMINAL_DECLARED = 4 };
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
// byte (the residue allows it). Both can hold at once: then the text has two readings.
#define LEX_CUT 0x80000000u
#define LEX_STATE_MASK 0x7fffffffu

struct artifact_lex_state {
	uint32_t terminal;  // what the lexeme is when it ends here, or NONE
	uint32_t residue;   // what then must not match in the text that follows: row of LEX_START
	uint32_t flags;     // enum lex_state_flags
	uint32_t line;      // LEX_LINE: number among those; else 0
	uint32_t also;      // a lexer state for the same text that ends as another terminal, of higher rank; 0: none
};
enum lex_state_flags {
	LEX_MAY_END = 1,     // the text may end here, as far as the lexer is concerned (after `terminal`)
	LEX_INITIAL = 2,     // nothing read yet: the text may end without a pending lexeme
	LEX_UNFAILABLE = 4,  // the scan holds something that nothing can make fail: no cut here is right
	LEX_LINE = 8,        // `terminal` is the newline, and only blanks stand behind its last '\n': they make a column
};

struct artifact_lr_state {
	uint32_t context;  // set of viable terminals
	uint32_t
		rank;  // number among the states of its context that a terminal leads to, and the bottom; 0 for all others,
			   // which are on top only amid reductions: no start row is theirs
	uint32_t action_row;
	uint32_t goto_row;
};

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
// is s, the EDGE beside it names the target, else `other` does. A base in START_BASE leaves room for every rank of its
// context.
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

// How many tokens it takes to finish a text. A question to a frame of the stack is answered by the list that COST_ASK
// has for its state (none: it cannot be finished so): COST_NEVER or the tokens to the end of the text, and steps, each
// an answer's way over a frame below. The least of all is what it takes.
#define COST_NEVER UINT32_MAX
#define COST_MAX_WEIGHT 60000u
#define COST_MAX_POP (1u << 16)
#define COST_MAX_ROOM 64u
#define COST_MAX_OUTCOMES (1u << 30)
#define COST_AT_END UINT32_MAX  // instead of a question, where lines have no columns: the text ends behind this lexeme
enum artifact_cost_model { COST_ALIGNED = 1, COST_EXACT = 2 };
struct artifact_cost_info {
	uint32_t model;  // enum artifact_cost_model
	uint32_t n_rows, n_emits;
	uint32_t n_resumes;  // questions below this: "a lexeme has just ended, here on top", as COST_EMIT names them
	uint32_t n_questions;
	uint32_t n_asks, n_lists, n_steps;
	uint32_t most;  // the greatest weight of COST_EMIT, COST_LIST and COST_STEP
	uint32_t n_blanks;
	uint32_t n_rests, n_ways, n_outcomes, n_stays, n_cuts;
	uint32_t flags;  // enum artifact_cost_flags
	// With columns: what each open one adds to the bound of a stack (COST_NEVER: no bound); bounds are for columns
	// below this.
	uint32_t dedent, deep;
	// With columns (none: 0): lines below column n_blanks are priced. A frame has a room: 1 and how many columns more
	// can be opened where it is the top, top_room if there are more; 0 where it is in the only open column that is too
	// deep. Below top_room COST_NARROW has the answers that are others than those in COST_ASK.
	uint32_t top_room, n_narrow;
	uint32_t opens;  // the widest blanks of a line that a token opens, with something in it
};
enum artifact_cost_flags {
	COST_TOTAL = 1,     // whatever a mask allows has a price; with columns: as long as they are below `deep`
	COST_SUPPLIED = 2,  // the last newline that is supplied is priced: it takes no token
};
struct artifact_cost_emit {
	// That the pending lexeme can end as. NONE: there is none, and the text ends. n_terminals: the newline, which is
	// pending with a column that the tables do not know; the question is then for what that column makes.
	uint32_t terminal;
	uint32_t question;  // to be asked once the terminal is on the stack (an ignored one changes nothing)
	uint32_t weight;    // tokens until then
};
struct artifact_cost_ask {
	uint32_t question, list;
};
struct artifact_cost_narrow {
	uint32_t room, lr_state, question, list;
};  // ascending by the first three
struct artifact_cost_list {
	uint32_t final, first, n;
};
struct artifact_cost_step {
	uint32_t pop, question, weight;
};  // pop >= 1 frames down, ask this; weight tokens more
// What the tokens of a mask do, in groups of one price: in a lexer state, with a rest of them unread, some end inside
// the lexeme, others after it ended as a terminal.
struct artifact_cost_way {
	uint32_t rest, outcome;
};
struct artifact_cost_outcome {
	uint32_t first_stay, n_stays, first_cut, n_cuts;
};
struct artifact_cost_stay {
	uint32_t row, set;
};  // row of COST_ROW; NONE: their columns decide, each is to be tried
struct artifact_cost_cut {
	uint32_t terminal, rest, set;
};  // set: tokens to be tried instead when the terminal is shifted; or 0
static_assert(sizeof(struct artifact_cost_info) == 84, "layout");

#endif
