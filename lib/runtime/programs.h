// Masks under a budget, tabulated: what the pricing of groups comes to, as a function of the states read from the
// stack.
//
// A *program* belongs to a lexer state and the top's lr_state, or to a node and the lr_state of a frame that the node
// reads. It says which sets of tokens are allowed when so many tokens may still come: a set fits when base + the value
// of an expression is within them, an expression being the least of (weight + what a frame below answers to a
// question), or 0. What needs more frames read is a node: (frames to pop, nonterminal, terminal, outcome) each. *Parts*
// are unions of sets as masks take them: a row of bits or a few tokens. All of it depends on the artifact alone. It is
// made where it is first visited, and thrown away when it grows too large.
#ifndef GCDC_PROGRAMS_H
#define GCDC_PROGRAMS_H

#include "matcher_step.h"

#define PROGRAMS_MAX_BYTES (16u << 20)  // of programs and parts, for a family of matchers; then all begins anew

#define JOINED_MAX 256u  // unions of parts that come together

// Lists of words, each once; ids are 0, 1, ...
struct word_lists {
	struct word_list {
		uint32_t at, n, hash, value;
	} * list;  // at: in struct programs .words
	uint32_t n, cap;
	uint32_t *table;     // id + 1, or 0
	uint32_t table_cap;  // a power of two, or 0
};

struct program {
	uint32_t body, n_body;    // words: see program_read.c
	uint32_t tries, n_tries;  // words: sets whose tokens are to be tried
	uint32_t tried, n_tried;  // words: tokens that are
	uint32_t sites, n_sites;  // words: struct site each, with what follows it
	uint32_t node, skip;      // the node that goes on, or NONE; frames below the one read that it leaves out
	bool open;                // the tables do not tell
};

// Tokens that end in the lexer state of a newline that decides columns, on the frame read with these states on it, the
// last of them the newline's.
struct site {
	uint32_t number;          // among all that there ever were
	uint32_t height, n_sets;  // states and sets, ascending, which follow
};

// Columns that are open, is_deeper: and one more that is not known; the column of the text.
struct line_columns {
	uint32_t open, is_deeper, column;
};

struct program_part {
	uint32_t *row;              // NULL: the tokens
	uint32_t tokens, n_tokens;  // words, ascending
	uint32_t sets, n_sets;      // words: the artifact's sets that it unites
};

struct programs {
	const gcdc_memory *memory;
	struct numbers words;
	struct program *at;
	uint32_t n, cap;
	struct pairs of_place;  // (NODE + lr_state's reader, lr_state) -> program
	uint32_t line_state;    // the only lexer state with LEX_LINE, or 0
	uint32_t n_sites;
	struct pairs of_line;     // (set, 0 or 1) -> words: its groups, program_lines.c; LINE_TRIED: tokens to be tried,
							  // program_build.c
	struct numbers tried;     // tokens to be tried
	struct numbers held;      // frames with a reference, while a position is read
	struct pairs of_outcome;  // (outcome, 0) -> words: its continuations by terminal, program_build.c
	struct word_lists nodes, slots, part_keys, joins;  // items; (program, levels) -> part; ids of sets; parts -> part
	struct program_part *part;
	uint32_t n_parts, parts_cap, n_joined;
	uint32_t era;                     // counts how often all began anew
	size_t bytes_of_rows, max_bytes;  // PROGRAMS_MAX_BYTES, but in tests
	struct program_scratch *scratch;
	struct numbers todo, values, key, frames, below, tokens;  // of program_read.c
	struct pairs seen;
};
// of_place: nodes by their id; outcomes where tokens begin behind this; that of a pending newline with its bit, too.
#define LINE_TRIED 2u
#define PLACE_OUTCOME 0x80000000u
#define PLACE_LINE 0x40000000u

struct programs *programs_new(const struct gcdc_artifact *a);
void programs_free(struct programs *x);

uint32_t words_hash(const uint32_t *key, uint32_t n);
// The id of a list of words, and whether it is new; ARTIFACT_NONE: no memory.
uint32_t word_lists_add(struct programs *x, struct word_lists *t, const uint32_t *key, uint32_t n, bool *is_new);

// program_build.c: the program of a place and an lr_state, made if it is not there.
gcdc_status program_of(struct gcdc_matcher *m, uint32_t place, uint32_t lr_state, uint32_t *program);
void program_scratch_free(const gcdc_memory *memory, struct program_scratch *s);

// The parts of the groups after which `enough` tokens end the text, for a reading; and sets to be tried. *told: false
// when the tables do not tell. Tokens to be tried are added to .tried.
gcdc_status programs_read(struct gcdc_matcher *m, const struct reading *r, uint32_t column, uint32_t enough,
                          struct numbers *parts, struct numbers *tries, bool *told);
// Puts on .todo where tokens go on behind the newline that is pending and blanks: program_lines.c.
gcdc_status programs_begin_lines(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *told);
// A stack to be read from a place; is_deeper: one more column is open then than the position's, which one the token
// says.
static inline bool programs_go_on(struct programs *x, uint32_t frame, uint32_t place, uint32_t columns,
                                  uint32_t is_deeper)
{
	return numbers_push(x->memory, &x->todo, frame) && numbers_push(x->memory, &x->todo, place) &&
	       numbers_push(x->memory, &x->todo, columns) && numbers_push(x->memory, &x->todo, is_deeper);
}
gcdc_status programs_put_part(struct programs *x, uint32_t part, struct numbers *parts);  // once
// Of sets that stand in .words, ascending.
gcdc_status programs_part_of_sets(const struct gcdc_artifact *a, struct programs *x, uint32_t sets, uint32_t n,
                                  uint32_t *part);
gcdc_status programs_add_tokens(struct programs *x, uint32_t *part);  // of .tokens, which it sorts
// program_lines.c: what fits of a site, whose words these are, on a frame.
gcdc_status programs_take_site(struct gcdc_matcher *m, uint32_t site, uint32_t f, struct line_columns columns,
                               uint32_t enough, struct numbers *parts, struct numbers *tries);
// Parts that were seen together before become one.
gcdc_status programs_join(const struct gcdc_artifact *a, struct programs *x, struct numbers *parts);
// Before masks are made: begins anew if it has grown too large.
void programs_trim(struct programs *x);

#endif
