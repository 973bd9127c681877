// The lexing transducer met with the vocabulary: from a lex_state, what every token does.
//
// In:  lexer, trie. Out: for (lex_state, rest) its outcomes, computed once, on demand.
// A *remainder* is an obligation and a set of trie nodes whose byte is still unread: what remains of tokens whose
// lexeme was cut there. The whole vocabulary is the rest REMAINDER_WHOLE.
#ifndef GCDC_TABLES_WALK_H
#define GCDC_TABLES_WALK_H

#include "../lexer/lexer.h"
#include "../base/map64.h"
#include "../vocab/vocab.h"
#include "../shared/utf8_kinds.h"
#include "tokenset.h"

typedef uint32_t remainder_id;
#define REMAINDER_END 0u  // nothing remains: the text ends
#define REMAINDER_WHOLE 1u
#define REMAINDER_LINE_END 2u  // the text ends behind a newline whose blanks make a column

struct outcome_stay {  // tokens that end inside the lexeme
	lex_state to;      // of a stay that moved: its place in outcomes.moved
	set_id tokens;
};
struct outcome_cut {  // tokens whose lexeme ends as `terminal`, and what is still to be lexed
	terminal_id terminal;
	remainder_id remainder;
};
struct outcomes {
	const struct outcome_stay *stays;
	const struct outcome_cut *cuts;
	uint32_t n_stays, n_cuts;
	uint32_t n_moved;        // of the stays, the first so many lead along a chain (lexer.h)
	const lex_state *moved;  // [place]
};

// Where stay i leads.
static inline lex_state outcomes_to(const struct outcomes *o, uint32_t i)
{
	return i < o->n_moved ? o->moved[o->stays[i].to] : o->stays[i].to;
}

struct walk_level {
	trie_node end;
	lex_state at;
};
struct walk_template;  // walk_internal.h
typedef VEC(uint32_t) node_list;

// Where a walk leaves what it finds.
struct walk_sink {
	rank_ranges *stay;       // [lex_state]; ropes may stand in place of ranges
	node_list *cut;          // [cut key] trie nodes
	VEC(lex_state) touched;  // those that are not empty
	VEC(uint32_t) touched_cuts;
	VEC(struct walk_level) levels;
	bool has_ropes;
};

// What lies under one trie node, from one lex_state: most walks come to the same places after a byte or two.
struct walk_piece {
	uint32_t what;  // lex_state; or cut key, of cuts
	uint32_t n;
	union {
		const void *list;         // struct rank_range[], or trie_node[]
		struct rank_range range;  // n is 1: most
		trie_node node;
	};
};
struct walk_fragment {
	const struct walk_piece *pieces;
	uint32_t n_stays, n_cuts;  // in this order
	bool has_ropes;
};

struct walk_first_byte {
	uint8_t byte, kind;  // kind: of the character (shared/utf8_kinds.h)
};

// Another walker over the same lexer and trie, whose outcomes are taken over instead of walked again.
struct walker_source {
	const struct walker *walker;
	const set_id *set_to;  // [its sets] what they are in this one's; NULL: the same
};

#define WALK_CLASS_WORDS 4u  // of a set of byte classes
#define WALK_BYTE_WORDS 4u   // of a set of bytes

struct walker {
	const struct lexer *lexer;
	const struct trie *trie;
	struct tokensets *sets;  // NULL: tokens are not wanted, only where they lead
	struct arena arena;
	struct intern remainders;  // rest -> {obligation, nodes...}
	struct map64 result_of;    // lex_state, rest -> index into results
	VEC(struct outcomes) results;
	struct intern cut_keys;  // (terminal, obligation)
	uint32_t *cut_key_of;    // [lex_state] or UINT32_MAX
	bits *begins;            // [cut key * WALK_CLASS_WORDS] byte classes that can begin a lexeme behind the cut
	struct walk_sink found[TRIE_ROOT_SIZES + 1];  // scratch: of a walk, of fragments in each other
	struct map64 fragment_of;                     // trie node, lex_state behind it -> fragments
	VEC(struct walk_fragment) fragments;
	struct arena fragment_arena;  // their pieces
	struct intern ropes;          // lists of ranges, and of ropes in place of ranges
	VEC(set_id) set_of_rope;      // SET_EMPTY: not known
	rank_ranges flat;             // scratch
	struct map64 template_of;     // first place of a stretch, rest -> templates
	VEC(struct walk_template *) templates;
	bits *node_bits;  // [trie nodes] scratch of templates, all 0; or NULL
	VEC(uint32_t) remainder_key;
	VEC(struct walker_source) sources;
	trie_node root_of[256];  // [byte] where all tokens with this first byte lie; 0: there are none
	bits *bytes_of;          // [byte class * WALK_BYTE_WORDS] its bytes
	bits *live;              // [lex_state * WALK_BYTE_WORDS] bytes with which it goes on; not known: none
	struct walk_first_byte first_bytes[256];  // of characters, one for each kind and byte class, by kind
	uint32_t n_first_bytes;
	uint16_t next_class[256];  // [byte] the next one of another class; 256: none
	uint32_t first_of_kind[CHARACTER_KINDS + 1];
	uint64_t *keeps;      // [lex_state] kinds of characters that stay in its class (walk_pass.c); NULL: not known yet
	lex_state *class_of;  // [lex_state] where tokens that end there are noted: itself, or the first of its class
	uint64_t steps;       // trie nodes visited and fragments' pieces, for --stats and limits
};

void walker_init(struct walker *w, const struct lexer *lexer, const struct trie *trie, struct tokensets *sets);
void walker_release(struct walker *w);
// Before the first walk: tokens that end in states of one class are one stay, in the first state.
void walker_merge_stays(struct walker *w, const lex_state *class_of);
// What `source` knows is taken from it from now on; it must stay, and only be read. The order of ids does not depend on
// it.
void walker_learn(struct walker *w, struct walker_source source);
// Valid until walker_release. Cost: trie nodes that the lexeme reaches, the first time.
struct outcomes walker_outcomes(struct walker *w, lex_state at, remainder_id remainder);
uint32_t walker_obligation(const struct walker *w, remainder_id remainder);
// Was the lexeme before the rest cut in a lex_state with LEX_LINE? Then indents or dedents may stand between them.
bool walker_is_line(const struct walker *w, remainder_id remainder);
static inline bool remainder_is_end(remainder_id remainder)
{
	return remainder == REMAINDER_END || remainder == REMAINDER_LINE_END;
}
// The trie nodes of a rest, ascending; and the rest of some.
const trie_node *walker_nodes(const struct walker *w, remainder_id remainder, uint32_t *n);
// What the rests of another walker over the same trie are here: [rests of from], malloc'd.
remainder_id *walker_copy_remainders(struct walker *w, const struct walker *from);
remainder_id walker_remainder(struct walker *w, uint32_t obligation, bool is_line, const trie_node *nodes, uint32_t n);

#endif
