// Canonical tokenization: the bytes of its sections, the same in artifacts and in compiled vocabularies.
// Specification: canonical.md. Included by artifact.h.
#ifndef GCDC_FORMATS_CANONICAL_H
#define GCDC_FORMATS_CANONICAL_H

#include <assert.h>
#include <stdint.h>

#define CANON_PAGE_SIZE 128u
#define CANON_PAGES (0x110000u / CANON_PAGE_SIZE)
#define CANON_MAX_SETS 4096u

enum canon_mode { CANON_OFF, CANON_SOFT, CANON_HARD };
enum canon_flags {
	CANON_WHOLE_PIECES = 1,  // a piece that is a token is that token, whatever merges make of it (ignore_merges)
	CANON_FALLBACK = 2,      // characters of no token are spelled by byte tokens
	CANON_FORM = 4,          // texts are brought into a normal form
	CANON_PREFIX = 8,        // the tokenizer puts a character before every text; a place here is one inside a text
};

struct artifact_canon {
	uint32_t mode;   // enum canon_mode; CANON_OFF in a compiled vocabulary
	uint32_t flags;  // enum canon_flags
	uint32_t n_places, n_joins, n_patches;
	uint32_t n_classes;  // the first ones: enum canon_class
	uint32_t n_pages, n_kinds, n_groups, n_sets;
	uint32_t n_added;   // nodes; node 0 is the root
	uint32_t n_splits;  // nodes; node 0 is the root
	uint32_t n_bad;
	uint32_t n_left;  // rows of JOINT and MARK; row 0 joins nothing
	uint32_t n_right_words;
	uint32_t n_marks;  // tokens of BAD, from first_mark on, that begin with a character that may join or has a class
	uint32_t first_mark;
	uint32_t start_set;    // nothing of a piece is read yet
	uint32_t reserved[2];  // 0
};
static_assert(sizeof(struct artifact_canon) == 80, "layout");

// Tokens (CLASS). From CANON_CLASS_PLAIN on, ALLOW says in which sets a token of the class may come.
enum canon_class { CANON_CLASS_NEVER, CANON_CLASS_ADDED, CANON_CLASS_INSIDE, CANON_CLASS_BYTE, CANON_CLASS_PLAIN };
enum canon_allow { CANON_BEGINS = 1, CANON_GOES_ON = 2 };  // as the first token of a piece; as a later one
enum canon_step { CANON_STEP_BEGIN, CANON_STEP_ON, CANON_STEP_EITHER, CANON_STEPS };
enum canon_set_flags {
	CANON_SET_ENDS = 1,  // the text may end here
	CANON_SET_SURE = 2,  // whatever characters follow, they can be cut into pieces
};
enum canon_kind_flags {
	CANON_KIND_NEVER = 1,    // a text with this character is none that the tokenizer gives back
	CANON_KIND_UNKNOWN = 2,  // CANON_FALLBACK: no token; spelled by byte tokens
};

// A character. left, right: numbers in JOINT, 0: none.
struct artifact_canon_kind {
	uint16_t group, left, right;
	uint8_t combining, flags;
};
static_assert(sizeof(struct artifact_canon_kind) == 8, "layout");
// With a token that has the left part on its right edge: what must not follow, places [begin, end), if time is below
// the time at which that part has vanished into a larger one. Ascending by begin for each left part.
struct artifact_canon_join {
	uint32_t begin, end, time;
};
struct artifact_canon_pair {
	uint32_t left, right;
};
// Children of a node are the list that begins with `child` and goes on with `next`; 0: none.
struct artifact_canon_node {
	uint32_t child, next;
	uint32_t bad, n_bad;  // BAD: tokens that complete an added token from here
	uint8_t byte, ends;   // ends: this is the text of an added token
	uint16_t reserved;    // 0
};
static_assert(sizeof(struct artifact_canon_node) == 20, "layout");
// Children are nodes [child, child + n), ascending by token.
struct artifact_canon_split {
	uint32_t token, child, n, ends;
};
struct artifact_canon_list {
	uint32_t first, n;
};  // of BAD, or of UNSETTLED
struct artifact_canon_chars {
	uint32_t word[4];
};  // ASCII characters: bit c % 32 of word c / 32

// A grammar that is one terminal, in hard mode (sections REGEX): the dead ends of the product of its lexer and the
// tokenizer.
struct artifact_regex {
	uint32_t n_candidates, n_dead;
	uint64_t seed;       // of the keys
	uint64_t n_reached;  // states of the product that the start leads to; n_dead of them lead to no end
	uint32_t n_nodes;    // their pairs of lexer state and place
	uint32_t reserved;   // 0
};
static_assert(sizeof(struct artifact_regex) == 32, "layout");
enum regex_flags { REGEX_NO_MARK = 1 };  // what comes next, or ends here, joins nothing before it
struct artifact_regex_state {
	uint32_t first, flags;
};  // first: of CANDIDATE
struct artifact_candidate {
	uint32_t token, lex_state;
};  // where the token leads
// First bytes of a character, as a code point without its last 6, 12 or 18 bits (PREFIX_CLASS: from
// REGEX_PREFIX_CLASS_6, _12, _18 on): the least such number behind which, byte by byte, characters of the same kinds
// come.
#define REGEX_PREFIX_CLASS_6 0u
#define REGEX_PREFIX_CLASS_12 (0x110000u >> 6)
#define REGEX_PREFIX_CLASS_18 (REGEX_PREFIX_CLASS_12 + (0x110000u >> 12))
#define REGEX_N_PREFIX_CLASS (REGEX_PREFIX_CLASS_18 + 5u)

// A section of these groups on its way into a file.
enum {
	CANON_SECTIONS = 0
#define SECTIONS_OF SECTIONS_CANON
#define SECTION(...) +1
#include "sections.def"
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(...) +1
#include "sections.def"
};
enum {
	REGEX_SECTIONS = 0
#define SECTIONS_OF SECTIONS_REGEX
#define SECTION(...) +1
#include "sections.def"
};
struct canon_section {
	uint32_t id;
	const void *bytes;
	uint64_t size;
};

#endif
