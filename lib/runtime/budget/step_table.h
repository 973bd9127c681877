// The step table: masks under a budget as a function of the states read from the stack.
//
// A *step* belongs to a lexer state and the top's lr_state, or to a node and the lr_state of a frame that the node
// reads. It says which sets of tokens are allowed when so many tokens may still come: a set fits when base + the value
// of an expression is within them, an expression being the least of (weight + what a frame below answers to a
// question), or 0. What needs more frames read is a node: frames to pop, a nonterminal, items that wait for it; each.
// *Set unions* are united as masks take them: a row of bits or a few tokens. All of it depends on the artifact alone.
// It is made where it is first visited, and thrown away when it grows too large.
#ifndef GCDC_STEP_TABLE_H
#define GCDC_STEP_TABLE_H

#include "../core/matcher_step.h"

// Of steps, for a family of matchers: then all begins anew. Of unions: then they do, and steps stay.
#define STEP_TABLE_MAX_BYTES (32u << 20)
#define STEP_UNIONS_MAX_BYTES (16u << 20)

#define JOINED_MAX 256u  // unions of unions that come together

// Lists of words, each once; ids are 0, 1, ...
struct word_lists {
	struct word_list {
		uint32_t at, n, hash, value;
	} * list;  // at: in .words
	uint32_t n, cap;
	struct vec32 *words;  // where the words stand
	uint32_t *table;      // id + 1, or 0
	uint32_t table_cap;   // a power of two, or 0
};

struct step {
	uint32_t body, n_body;    // words: see step_read.c
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

// Of steps that are stored: that of a node and a class, as found before.
#define STEPS_FOUND 256u
struct found_step {
	uint32_t node, class;  // node NONE: none
	struct artifact_mask_step step;
};

struct step_table {
	const gcdc_memory *memory;
	struct set_unions unions;
	struct vec32 words;  // of steps
	struct step *at;
	uint32_t n, cap;
	struct pair_map of_place;  // (NODE + lr_state's reader, lr_state) -> step
	uint32_t line_state;       // the only lexer state with LEX_LINE, or 0
	uint32_t n_sites;
	struct pair_map of_line;     // (set, 0 or 1) -> words: its groups, step_lines.c; LINE_TRIED: tokens to be tried,
								 // step_build.c
	struct vec32 tried;          // tokens to be tried
	struct vec32 held;           // frames with a reference, while a position is read
	struct pair_map of_outcome;  // (outcome, 0) -> words: its continuations by terminal, step_build.c
	struct word_lists nodes, conts, groups,
		parts;  // struct waiting; continuations; (terminal, continuations), step_build.c; sets, and parts, SET_PART
	struct word_lists slots, union_keys, joins;  // (step, thresholds) -> union; ids of sets; unions -> union
	struct vec32 jobs;                           // (place, lr_state) to be made: step_build.c
	struct vec32 marked;                         // a bit for each set, all 0: step_read.c
	uint32_t n_spread;                           // a part that was met the last time has this as its value
	uint32_t n_joined;
	uint32_t era;                                      // counts how often all began anew
	size_t bytes_of_rows, max_bytes, max_union_bytes;  // STEP_TABLE_MAX_BYTES and STEP_UNIONS_MAX_BYTES, but in tests
	struct step_scratch *scratch;
	struct vec32 todo, values, key, frames, below, tokens;  // of step_read.c
	struct pair_map seen;
	struct found_step found[STEPS_FOUND];
};
// of_place: nodes by their id; outcomes where tokens begin behind this; that of a pending newline with its bit, too.
#define LINE_TRIED 2u
#define PLACE_OUTCOME 0x80000000u
#define PLACE_LINE 0x40000000u
#define PLACE_SUMMARY 0x40000000u  // without PLACE_OUTCOME: a list and its kind, step_build.c
#define STEP_BEGUN UINT32_MAX      // of .of_place: waits for others, .jobs
// Of a threshold's set: a list of sets and of such lists, in .parts.
#define SET_PART 0x80000000u

static inline bool is_summary(uint32_t place) { return (place & (PLACE_OUTCOME | PLACE_SUMMARY)) == PLACE_SUMMARY; }

// step_table.c: lists of words and unions, and the room of it all.
struct step_table *step_table_new(const struct gcdc_artifact *a);
void step_table_free(struct step_table *x);

// The id of a list of words, and whether it is new; ARTIFACT_NONE: no memory.
uint32_t word_lists_add(struct step_table *x, struct word_lists *t, const uint32_t *key, uint32_t n, bool *is_new);

// step_build.c: the step of a place and an lr_state, made if it is not there.
gcdc_status step_of(struct gcdc_matcher *m, uint32_t place, uint32_t lr_state, uint32_t *step);
void step_scratch_free(const gcdc_memory *memory, struct step_scratch *s);  // step_scratch.c

struct step_result {
	struct vec32 *unions, *tries;  // of the groups that fit; sets to be tried
};
// The groups after which `enough` tokens end the text, for a reading. *told: false when the tables do not tell. Tokens
// to be tried are added to .tried.
gcdc_status step_table_read(struct gcdc_matcher *m, const struct reading *r, uint32_t column, uint32_t enough,
                            struct step_result to, bool *told);
// step_stored.c: the artifact's sets after which `enough` tokens end the text, by the steps that it holds; each once.
// *all: false where some set does not fit.
gcdc_status step_stored_read(struct gcdc_matcher *m, const struct reading *r, uint32_t enough, struct vec32 *sets,
                             bool *all);
// Puts on .todo where tokens go on behind the newline that is pending and blanks: step_lines.c.
gcdc_status step_table_begin_lines(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *told);
// A stack to be read from a place; is_deeper: one more column is open then than the position's, which one the token
// says.
static inline bool step_table_go_on(struct step_table *x, uint32_t frame, uint32_t place, uint32_t columns,
                                    uint32_t is_deeper)
{
	return vec32_push(x->memory, &x->todo, frame) && vec32_push(x->memory, &x->todo, place) &&
	       vec32_push(x->memory, &x->todo, columns) && vec32_push(x->memory, &x->todo, is_deeper);
}
gcdc_status step_table_put_union(struct step_table *x, uint32_t union_id, struct vec32 *unions);  // once
// Of sets: ascending, each once.
gcdc_status step_table_union_of(const struct gcdc_artifact *a, struct step_table *x, const struct vec32 *sets,
                                uint32_t *union_id);
// Of sets that stand in .words, ascending.
gcdc_status step_table_union_of_sets(const struct gcdc_artifact *a, struct step_table *x, uint32_t sets, uint32_t n,
                                     uint32_t *union_id);
gcdc_status step_table_add_tokens(struct step_table *x, uint32_t *union_id);  // of .tokens, which it sorts
// step_lines.c: what fits of a site, whose words these are, on a frame.
gcdc_status step_table_take_site(struct gcdc_matcher *m, uint32_t site, uint32_t f, struct line_columns columns,
                                 uint32_t enough, struct step_result to);
// Parts that were seen together before become one.
gcdc_status step_table_join(const struct gcdc_artifact *a, struct step_table *x, struct vec32 *unions);
// Before masks are made: begins anew if it has grown too large.
void step_table_trim(struct step_table *x);

#endif
