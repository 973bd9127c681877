// A step while it is made: what step_build.c finds, and step_write.c puts into words.
#ifndef GCDC_STEP_BUILD_H
#define GCDC_STEP_BUILD_H

#include "step_store.h"

#define KNOWN_MAX (1u << 16)  // known states of one step
#define DEPTH_MAX 1024u       // summaries that wait for one another; Go's 82
#define HEIGHT_MAX 128u       // of them on one another
#define FEW_ITEMS 2u          // of a group, that are pushed where they are rather than summed up
#define FEW_TERMS 8u          // of an answer, that are compared one by one
#define FEW_THRESHOLDS 24u    // that are sorted so
#define FEW_BASES 256u        // more than thresholds, that are counted
#define STEP_FUEL (1u << 18)  // parser actions, continuations and thresholds, for one step

// A known state; [0] is the frame that was read.
struct build_known {
	uint32_t below, lr_state, height;
};
struct build_threshold {
	uint32_t expression, base, set;
};  // expression: its number in the step
struct build_item {
	uint32_t pop, lhs, terminal, conts;  // conts: list of the table's
};
// Items that wait for one nonterminal: the frames to pop, it, and (terminal, continuations) of each in .groups.
struct waiting {
	uint32_t pop, lhs, group;
};
#define WAITING_WORDS ((uint32_t)sizeof(struct waiting) / 4)
struct build_term {
	uint32_t down, control, weight;
};
#define TERM_WORDS ((uint32_t)sizeof(struct build_term) / 4)
struct site_set {
	uint32_t top, set;
};

#define VECTOR(type)                                                                                                   \
	struct {                                                                                                           \
		type *at;                                                                                                      \
		uint32_t n, cap;                                                                                               \
	}
struct step_scratch {
	VECTOR(struct build_known) known;
	VECTOR(struct build_threshold) thresholds, sorted;
	VECTOR(struct build_item) items;
	VECTOR(struct waiting) waiting;
	VECTOR(struct build_term) terms;  // of the answer being made
	struct vec32 expressions;         // by their numbers in this step; [0]: none, it is always 0
	VECTOR(struct site_set) sites;
	struct vec32 tops, ways, tries, tried, key, conts, first;
	struct vec32 places;                // outcomes on [0]
	struct vec32 calls;                 // known state, summary
	struct pair_map known_of;           // (below, lr_state) -> known
	struct pair_map term_of;            // (down, question) -> terms, where they are not few
	struct pair_map expression_of;      // (expression, 0) -> its number
	struct pair_map number_of_control;  // (question, 0) -> that of the expression that asks [0] so
	struct pair_map threshold_of;       // (expression, set) -> thresholds
	struct pair_map called;             // (known, summary)
	struct step_job {
		uint32_t place, lr_state;
	} job;
	uint32_t n_taken;   // of .calls
	bool is_line;       // a newline that decides columns was pending when the tokens began
	bool puts_answers;  // what [0] answers is put into expressions; not in summaries, which leave it to be asked
	bool open;
	struct step_scratch *outer, *inner;  // of the step that waits for this one; of one that this one waits for
};

bool vector_grow(const gcdc_memory *memory, void **at, uint32_t *cap, size_t size);
#define PUSH(memory, v, ...)                                                                                           \
	(((v)->n < (v)->cap || vector_grow(memory, (void **)&(v)->at, &(v)->cap, sizeof *(v)->at))                         \
	     ? ((v)->at[(v)->n++] = (__VA_ARGS__), true)                                                                   \
	     : false)

struct step_builder {
	const struct gcdc_artifact *a;
	const gcdc_memory *memory;
	struct step_store *x;
	struct step_scratch *s;  // of the step at hand
	uint32_t fuel;
	uint32_t depth;  // steps begun
};

// Counted work; false: there is none left, and the tables do not tell.
static inline bool burn(struct step_builder *b)
{
	if (b->fuel) return b->fuel--, true;
	b->s->open = true;
	return false;
}

static inline int compare_words(const uint32_t *a, const uint32_t *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
	return 0;
}

// Continuations of a terminal: a list of the store's .conts, three words each: weight, question, set; or CUT, rest,
// set; or LINE, set, 0: a newline that decides columns is pending. Equal ones are one, so that items of many outcomes
// are the same.
enum { CUT = UINT32_MAX, END = UINT32_MAX - 1, LINE = UINT32_MAX - 2 };
#define CONT_WORDS 4u  // while they are put in order: terminal and three

// ---- Summaries: what follows once a terminal is on a top, whatever lies below it.
// SHIFTED: of continuations. GROUP: the items of a node that wait for one nonterminal, which is on the top: they go on.
// ENDS: of continuations, the tokens that end behind the terminal. They only ask the top, so it is one for all tops.
enum summary_kind { SHIFTED, GROUP, ENDS };
#define KIND_BITS 2u
// How a terminal was taken. SKIPPED: it was ignored, and changed nothing; UNPRICED: nor have its ends a price here.
enum taken { TAKEN, SKIPPED, UNPRICED };

static inline uint32_t summary_place(uint32_t list, enum summary_kind kind)
{
	return PLACE_SUMMARY | list << KIND_BITS | (uint32_t)kind;
}
static inline enum summary_kind kind_of(uint32_t place) { return place & ((1u << KIND_BITS) - 1); }

// Does a continuation do more than end, behind a terminal that was taken so?
static inline bool goes_on(const uint32_t *c, enum taken how)
{
	return c[0] == LINE ? how == TAKEN : c[0] == CUT && (how != TAKEN || !c[2]);
}

// What some of a list are, once the terminal is shifted: more than an end; to be tried.
enum { GO_ON = 1, ARE_TRIED = 2 };
static inline uint32_t conts_kinds(const uint32_t *c, uint32_t n)
{
	uint32_t kinds = 0;
	for (uint32_t i = 0; i < n; i++, c += CONT_WORDS - 1)
		kinds |= (goes_on(c, TAKEN) ? GO_ON : 0u) | (c[0] == CUT && c[2] ? ARE_TRIED : 0u);
	return kinds;
}

// step_answers.c: a set of tokens ends on [0] with `weight` tokens to come and then the question.
gcdc_status step_add_threshold(struct step_builder *b, uint32_t control, uint32_t weight, uint32_t set);
// The same of all that the body of a summary, whose words these are, says of its frame, which is this top.
gcdc_status step_add_body(struct step_builder *b, uint32_t top, uint32_t body);

// step_write.c: the step of what was found; thresholds lose those that others imply.
gcdc_status step_write(struct step_builder *b, struct step *p);

#endif
