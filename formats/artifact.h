// The artifact's bytes: what the writer writes and the runtime maps. Specification: artifact.md.
// Little-endian, fixed width, no pointers; each struct below is literally the bytes in the file.
#ifndef GCDC_FORMATS_ARTIFACT_H
#define GCDC_FORMATS_ARTIFACT_H

#include <assert.h>
#include <stdint.h>

#define ARTIFACT_MAGIC "\x8fGCDC\r\n\x1a"
#define ARTIFACT_VERSION 1u
#define ARTIFACT_OLDEST_VERSION 1u
#define ARTIFACT_ALIGN 64u
#define ARTIFACT_NONE UINT32_MAX

// Limits a reader enforces, and names when it refuses. They are part of the format: a writer stays below them.
#define ARTIFACT_MAX_SECTIONS 64u
#define ARTIFACT_MAX_DECODED (1ull << 30)  // bytes of all compressed sections together, decoded
#define ARTIFACT_MAX_THREADS 64u
#define ARTIFACT_MAX_PUSHES (1u << 16)

enum artifact_flags {
	ARTIFACT_HAS_VOCAB = 1,  // token bytes are inside; else a .gcdv must be given at open
};

struct artifact_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t flags;            // enum artifact_flags; an unknown bit is refused
	uint32_t n_sections;
	uint32_t reserved;         // 0
	uint64_t file_size;
	uint64_t grammar_hash[2];  // XXH3-128 of the grammar
	uint64_t vocab_hash[2];    // XXH3-128 of the vocabulary
	uint64_t options_hash;     // reserved for compile options that change masks; 0 now
	uint64_t table_check;      // XXH3-64 of header (this field 0) and section table
};
static_assert(sizeof(struct artifact_header) == 80, "layout");

enum artifact_codec {
	ARTIFACT_RAW = 0,         // used in place
	ARTIFACT_ZSTD = 1,        // one zstd frame with its content size
	ARTIFACT_ZSTD_DELTA = 2,  // the differences of neighbouring u32 (the first as it is), then as ZSTD_PLANES
	ARTIFACT_ZSTD_PLANES = 3, // zstd over the bytes of the u32 by significance: all lowest bytes first, then the next
};

struct artifact_section {
	uint32_t id;       // enum artifact_section_id, ascending in the table
	uint32_t codec;    // enum artifact_codec
	uint64_t offset;   // from the file's start, multiple of ARTIFACT_ALIGN
	uint64_t stored;   // bytes in the file
	uint64_t size;     // bytes when decoded
	uint64_t check;    // XXH3-64 of the decoded bytes
};
static_assert(sizeof(struct artifact_section) == 40, "layout");

// An unknown id below 2^16 is refused, one from 2^16 up is skipped.
enum artifact_section_id {
	SECTION_INFO = 1,          // struct artifact_info, once
	SECTION_STRINGS = 2,       // NUL-terminated names, UTF-8
	SECTION_TERMINAL = 3,      // struct artifact_terminal [n_terminals]
	SECTION_NONTERMINAL = 4,   // u32 name offset [n_nonterminals]
	SECTION_PRODUCTION = 5,    // struct artifact_production [n_productions]
	SECTION_SYMBOL = 6,        // u32 symbols of all right sides
	SECTION_LEX_NEXT = 10,     // u32 [n_lex_states * n_classes]: LEX_*
	SECTION_LEX_STATE = 11,    // struct artifact_lex_state [n_lex_states]
	SECTION_LEX_START = 12,    // u32 [n_residues * n_contexts]: lex_state, or 0 (dead)
	SECTION_CONTEXT = 13,      // u32 bitmap of terminals [n_contexts * ceil(n_terminals/32)]: which compete
	SECTION_LR_STATE = 20,     // struct artifact_lr_state [n_lr_states]
	SECTION_LR_ACTION = 21,    // u32 [n_action_rows * (n_terminals + 1)]: ACTION_*
	SECTION_LR_GOTO = 22,      // u32 [n_goto_rows * n_nonterminals]: lr_state, or 0 when there is none
	SECTION_START_BASE = 30,   // u32 [n_lex_states * n_contexts]: first row in START for this pair, or NONE
	SECTION_START = 31,        // struct artifact_start [n_starts]
	SECTION_NODE = 32,         // struct artifact_node [n_nodes]
	SECTION_EDGE = 33,         // struct artifact_edge [n_edges]
	SECTION_SET = 40,          // struct artifact_set [n_sets]; set 0 is empty
	SECTION_DENSE = 41,        // u32 mask rows [n_dense * mask_words]
	SECTION_SPARSE = 42,       // struct artifact_sparse [n_sparse]
	SECTION_EOS = 50,          // u32 token ids, ascending [n_eos]
	SECTION_TOKEN_OFFSET = 51, // u32 [n_tokens + 1]
	SECTION_TOKEN_BYTES = 52,  // u8
};

struct artifact_info {
	uint32_t n_tokens;        // V
	uint32_t mask_words;      // ceil(V / 32)
	uint32_t n_eos;
	uint32_t max_token_len;   // bytes
	uint32_t n_terminals;     // grammar's and ignored ones; $end is terminal number n_terminals
	uint32_t n_nonterminals;
	uint32_t n_productions;
	uint32_t n_symbols;
	uint32_t n_classes;       // byte classes of the lexer
	uint32_t n_lex_states;    // state 0 is dead
	uint32_t n_residues;      // residue 0 is "nothing forbidden"
	uint32_t n_contexts;      // distinct sets of viable terminals
	uint32_t n_lr_states;     // state 0 is unused, state 1 the bottom of every stack
	uint32_t n_action_rows;
	uint32_t n_goto_rows;
	uint32_t n_starts;
	uint32_t n_nodes;         // node 0 is unused: "nothing more to read"
	uint32_t n_edges;
	uint32_t n_sets;
	uint32_t n_dense;
	uint32_t n_sparse;
	uint32_t start_lex_state; // at the beginning of the text
	uint32_t worst_frames;    // stack frames one mask can read per thread; NONE: as deep as the stack
	uint32_t worst_sets;      // sets one mask can unite per thread; NONE: unbounded
	uint32_t max_threads;     // readings of one text alive at once (fallback of maximal munch)
	uint32_t max_pushes;      // frames that one terminal can add to a stack; NONE never
	uint32_t n_strings;       // bytes of SECTION_STRINGS
	uint32_t flags;           // enum artifact_info_flags; set by the writer
	uint8_t class_of[256];    // byte -> class
};
enum artifact_info_flags {
	INFO_ALL_BYTES = 1,  // every byte that some text of the language holds is by itself the text of a token
};
static_assert(sizeof(struct artifact_info) == 28 * 4 + 256, "layout");

enum artifact_terminal_flags { TERMINAL_IGNORED = 1, TERMINAL_LITERAL = 2, TERMINAL_DECLARED = 4 };
struct artifact_terminal {
	uint32_t name;      // offset into STRINGS
	uint32_t flags;
	int32_t priority;
	uint32_t pattern;   // offset into STRINGS: the pattern as readable text
};

struct artifact_production {
	uint32_t lhs;     // nonterminal
	uint32_t length;  // symbols on the right
	uint32_t symbols; // first index into SYMBOL (terminals < n_terminals, then nonterminals)
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
	uint32_t reserved;
};
enum lex_state_flags {
	LEX_MAY_END = 1,   // the text may end here, as far as the lexer is concerned (after `terminal`)
	LEX_INITIAL = 2,   // nothing read yet: the text may end without a pending lexeme
};

struct artifact_lr_state {
	uint32_t context;     // set of viable terminals
	uint32_t rank;        // number of this state among those of its context
	uint32_t action_row;
	uint32_t goto_row;
};

// action(lr_state, terminal): 0 = not viable; even: reduce production x/2 - 1; odd: shift to state x/2;
// for $end, ACTION_ACCEPT.
#define ACTION_SHIFT(s) ((uint32_t)(s) << 1 | 1u)
#define ACTION_REDUCE(p) (((uint32_t)(p) + 1u) << 1)
#define ACTION_ACCEPT UINT32_MAX

struct artifact_start { uint32_t set, node; };          // allowed whatever lies below; what to read next (0: nothing)
// Go down 1 + skip frames, to lr_state s: edge[base + s]. EDGE is long enough for every s: base + n_lr_states <=
// n_edges (entries nobody owns have owner 0). Likewise a base in START_BASE leaves room for every rank of its context.
struct artifact_node { uint32_t base, skip; };
struct artifact_edge { uint32_t owner, set, next; };    // owner: the node this entry belongs to
struct artifact_set {
	uint32_t dense;   // row of DENSE, or NONE
	uint32_t at, n;   // entries of SPARSE, united with the row; words ascending, bits not 0
	uint32_t flags;   // enum set_flags
	uint32_t count;   // tokens in it; 0 exactly when there is neither a row nor an entry
};
enum set_flags { SET_EOS = 1 };  // the text may end here (the EOS ids are in the set, too)
struct artifact_sparse { uint32_t word, bits; };

#endif
