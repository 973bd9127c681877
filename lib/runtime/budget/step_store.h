// Steps as they are kept: one store for an artifact, which all its matchers read on any thread.
//
// A store only grows. Whoever misses a step makes it, in a turn (step_build.c), and then shows it: words first, the
// step's number last. Readers take no lock. A block that was shown and outgrown stays until the store goes, since
// others may read it. A store that has grown too large is replaced by an empty one: each family of matchers goes over
// to that between two masks, and the last one frees the old store.
#ifndef GCDC_STEP_STORE_H
#define GCDC_STEP_STORE_H

#include "../core/matcher_step.h"

#include <pthread.h>

// Of words, steps and lists in use. Blocks have room for twice as much, and outgrown ones are as large together.
#define STEP_STORE_MAX_BYTES (32u << 20)

// Lists of words, each once; ids are 0, 1, ...
struct word_lists {
	struct stored_words {
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
	uint32_t number;          // among all that the artifact ever had
	uint32_t height, n_sets;  // states and sets, ascending, which follow
};

// The least of `final` and least + the expression's value; NEVER: there is none.
struct build_answer {
	uint32_t final, least, expression;
};

// What a step is found by, of those that are shown.
struct shown_step {
	uint32_t place, lr_state, number;  // number: + 1; 0: none
};
struct shown_steps {
	uint32_t n, cap;  // cap: a power of two
	struct shown_step at[];
};

struct step_store {
	gcdc_memory memory;       // what it gave goes with the store, if not before
	const gcdc_memory *from;  // the artifact's
	struct store_block {
		struct store_block *next, *before;
		size_t size;
	} * blocks;
	size_t bytes;      // in use; changed atomically
	uint32_t holders;  // families, and the artifact while it is the newest; under the home's lock
	// What readers see; stored once it is whole.
	const uint32_t *shown_words;
	const struct step *shown_at;
	const struct stored_words *shown_parts;
	struct shown_steps *shown;
	// What follows is of whoever makes a step.
	pthread_mutex_t turn;
	bool is_begun;       // with what the artifact holds
	struct vec32 words;  // of steps
	struct step *at;
	uint32_t n, cap;
	uint32_t line_state;         // the only lexer state with LEX_LINE, or 0
	uint32_t *n_sites;           // of the home
	struct pair_map of_place;    // (NODE + lr_state's reader, lr_state) -> step
	struct pair_map of_line;     // set -> words: its tokens to be tried, step_build.c
	struct pair_map of_outcome;  // (outcome, 0) -> words: its continuations by terminal, step_build.c
	struct word_lists nodes, conts, groups,
		parts;  // struct waiting; continuations; (terminal, continuations), step_build.c; sets, and parts, SET_PART
	struct word_lists expressions;  // terms; an expression is its number and 1, or 0: there are none
	struct pair_map lowered_of;     // (expression, lr_state) -> + 1: what it comes to below such a frame
	struct build_answer *lowered;
	uint32_t n_lowered, lowered_cap;
	struct step_scratch *scratch;  // of the outermost step, or NULL
};
// of_place: nodes by their id; outcomes where tokens begin behind this; that of a pending newline with its bit, too.
#define PLACE_OUTCOME 0x80000000u
#define PLACE_LINE 0x40000000u
#define PLACE_SUMMARY 0x40000000u  // without PLACE_OUTCOME: a list and its kind, step_build.c
#define STEP_BEGUN UINT32_MAX      // of .of_place: waits for others
// Of a threshold's set: a list of sets and of such lists, in .parts.
#define SET_PART 0x80000000u

static inline bool is_summary(uint32_t place) { return (place & (PLACE_OUTCOME | PLACE_SUMMARY)) == PLACE_SUMMARY; }

// The only lexer state with LEX_LINE, or 0.
uint32_t step_line_state(const struct gcdc_artifact *a);
// The artifact's newest store, made when first asked for, with one holder more. NULL: no memory.
struct step_store *step_store_take(const struct gcdc_artifact *a);
void step_store_leave(const struct gcdc_artifact *a, struct step_store *s);
// *s, which is too large, becomes the artifact's newest.
gcdc_status step_store_renew(const struct gcdc_artifact *a, struct step_store **s);
// With the artifact, when no matcher is left.
void step_home_free(struct gcdc_artifact *a);

// In a turn: readers find the step.
bool step_store_show(struct step_store *s, uint32_t place, uint32_t lr_state, uint32_t number);

static inline size_t step_store_bytes(const struct step_store *s)
{
	return __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
}

static inline const uint32_t *step_words(const struct step_store *s)
{
	return __atomic_load_n(&s->shown_words, __ATOMIC_ACQUIRE);
}
static inline const struct step *step_at_number(const struct step_store *s, uint32_t number)
{
	return __atomic_load_n(&s->shown_at, __ATOMIC_ACQUIRE) + number;
}

// The number of a step that is shown; ARTIFACT_NONE: there is none yet.
static inline uint32_t step_store_find(const struct step_store *s, uint32_t place, uint32_t lr_state)
{
	const struct shown_steps *x = __atomic_load_n(&s->shown, __ATOMIC_ACQUIRE);
	for (uint32_t i = (uint32_t)(hash_pair(place, lr_state) >> 32);; i++) {
		const struct shown_step *p = &x->at[i & (x->cap - 1)];
		uint32_t number = __atomic_load_n(&p->number, __ATOMIC_ACQUIRE);
		if (!number) return ARTIFACT_NONE;
		if (p->place == place && p->lr_state == lr_state) return number - 1;
	}
}

// step_build.c: the step of a place and an lr_state, made if it is not there. In no turn.
gcdc_status step_of(const struct gcdc_artifact *a, struct step_store *x, uint32_t place, uint32_t lr_state,
                    uint32_t *step);

// kept_load.c: a store that nobody has read yet begins with the steps that the artifact holds. Without memory for them
// it begins with nothing. In a turn.
void step_load_kept(const struct gcdc_artifact *a, struct step_store *s);

// step_scratch.c: as vec32_sort, for lists of hundreds.
void step_sort(struct vec32 *x);
// The id of a list of words, and whether it is new; ARTIFACT_NONE: no memory.
uint32_t word_lists_add(const gcdc_memory *memory, struct word_lists *t, const uint32_t *key, uint32_t n, bool *is_new);
// The next id is that of n words that stand in .words, from `at` on; whether there are equal ones is not asked.
bool word_lists_put(const gcdc_memory *memory, struct word_lists *t, uint32_t at, uint32_t n);

#endif
