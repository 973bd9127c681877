// The step table: masks under a budget as a function of the states read from the stack.
//
// A *step* belongs to a lexer state and the top's lr_state, or to a node and the lr_state of a frame that the node
// reads. It says which sets of tokens are allowed when so many tokens may still come: a set fits when base + the value
// of an expression is within them, an expression being the least of (weight + what a frame below answers to a
// question), or 0. What needs more frames read is a node: frames to pop, a nonterminal, items that wait for it; each.
// *Set unions* are united as masks take them: a row of bits or a few tokens. All of it depends on the artifact alone.
// It is made where it is first visited, for all matchers of the artifact (step_store.h).
#ifndef GCDC_STEP_TABLE_H
#define GCDC_STEP_TABLE_H

#include "step_store.h"

#define STEP_UNIONS_MAX_BYTES (16u << 20)  // of a family of matchers: then they begin anew, and steps stay

#define JOINED_MAX 192u  // unions of unions that come together

// Of .fitted, n words each behind their number n: a step's number and how many thresholds of each of its expressions
// fit; or where in the steps' words a site stands that fits as a whole; or a union.
#define FITTED_SITE 0x80000000u
#define FITTED_UNION 0x40000000u

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

// Of a family of matchers: the unions that its masks took, and what a mask is worked out in. Steps are the artifact's.
struct step_table {
	const struct gcdc_artifact *artifact;
	const gcdc_memory *memory;
	struct step_store *store;  // held
	struct set_unions unions;
	struct pair_map of_row;   // hash of a row, in two halves -> the union that has it
	struct pair_map of_line;  // (set, 0 or 1) -> line_words: its groups, step_lines.c
	struct vec32 line_words;
	struct vec32 tried;                   // tokens to be tried
	struct vec32 held;                    // frames with a reference, while a position is read
	struct word_lists slots, union_keys;  // (step, thresholds) -> union; ids of sets
	struct word_lists masks;              // what .fitted says -> words: how many unions it comes to, these
	struct word_lists token_lists;        // tokens -> the union of them
	struct word_lists columns;            // what decides of a site -> the union that fits: step_lines.c
	struct vec32 marked;                  // a bit for each set, all 0: step_read.c
	struct vec32 spread;                  // by part: n_spread as it was when the part was met last
	uint32_t n_spread;
	uint32_t n_joined;
	uint32_t era;                                      // counts how often all unions began anew
	size_t bytes_of_rows, max_bytes, max_union_bytes;  // STEP_STORE_MAX_BYTES and STEP_UNIONS_MAX_BYTES, but in tests
	struct vec32 fitted;                               // of the steps read: above
	struct vec32 todo, values, key, frames, below, tokens;  // of step_read.c
	struct pair_map seen;
	struct found_step found[STEPS_FOUND];
};

// step_table.c: unions, and the room of it all.
struct step_table *step_table_take(const struct gcdc_artifact *a);  // one that a family has left, or a new one
void step_table_leave(struct step_table *x);

struct step_result {
	struct vec32 *tries;  // sets to be tried
	bool *all;            // false where some tokens do not fit, or are to be tried
};
// The groups after which `enough` tokens end the text, for a reading: added to .fitted. *told: false when the tables do
// not tell. Tokens to be tried are added to .tried.
gcdc_status step_table_read(struct gcdc_matcher *m, const struct reading *r, uint32_t column, uint32_t enough,
                            struct step_result to, bool *told);
gcdc_status step_table_unite(struct step_table *x, struct vec32 *unions);  // what .fitted says, as unions
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
// Of sets that stand in the steps' words, ascending.
gcdc_status step_table_union_of_sets(const struct gcdc_artifact *a, struct step_table *x, const uint32_t *sets,
                                     uint32_t n, uint32_t *union_id);
gcdc_status step_table_union_of_tokens(struct step_table *x, uint32_t *union_id);  // of .tokens, which it sorts
// step_lines.c: what fits on a frame of the site that stands here in the steps' words: added to .fitted.
gcdc_status step_table_take_site(struct gcdc_matcher *m, uint32_t at, uint32_t f, struct line_columns columns,
                                 uint32_t enough, struct step_result to);
// Before masks are made: unions begin anew if they have grown too large, and so do steps.
gcdc_status step_table_trim(struct step_table *x);

#endif
