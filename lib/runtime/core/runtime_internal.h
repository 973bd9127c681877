// What the runtime's files share: the opened artifact, the pool of stack frames, the matcher.
#ifndef GCDC_RUNTIME_INTERNAL_H
#define GCDC_RUNTIME_INTERNAL_H

#include "../../../formats/artifact.h"
#include "../../include/gcdc/runtime.h"
#include "../../shared/hash.h"
#include "../../shared/search.h"
#include "../../shared/section_codec.h"
#include "../../shared/utf8.h"
#include "canonical_place.h"
#include "parts.h"

#include <assert.h>
#include <string.h>

#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)
#define OUT_OF_LINE __attribute__((noinline))  // so that what calls it on a rare way needs no registers saved

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "artifacts are mapped as they are: little-endian machines only"
#endif

// Tokens that are the same up to their first quote: those of a list from `first` on, up to the next group's.
struct unique_group {
	uint32_t first, n;  // n: bytes before the quote
	uint32_t shared;    // how many of them the group before has, too
	uint32_t next;      // the first group behind this one that shares fewer
};

// Tokens by what they close, for arrays whose items differ (unique/tokens.c). IN: they begin in a string; OUT: outside.
enum unique_list_of {
	UNIQUE_PLAIN,       // with a quote and no backslash, by their bytes
	UNIQUE_IN_CLOSE,    // those of them that close brackets and hold no value behind the string, by their bytes
	UNIQUE_ESCAPED,     // with a quote and a backslash
	UNIQUE_IN_ESCAPED,  // as IN_CLOSE, with a backslash
	UNIQUE_IN_HOLDS,    // behind the string they hold a value, or a part of a number or word
	UNIQUE_OUT_HOLDS,   // the same from outside
	UNIQUE_OUT_CLOSE,   // they close brackets
	UNIQUE_OUT_PURE,    // first of all they close one, but for blanks, and hold nothing
	UNIQUE_OUT_ENDS,    // they begin with what ends a number, and hold nothing
	UNIQUE_IN_NEXT,     // behind the string they close a bracket and have a comma
	UNIQUE_OUT_NEXT,    // the same from outside
	UNIQUE_WHOLE,       // they may hold two items of an array that they open
	UNIQUE_MARKED,      // they have SHAPE_EQUAL_MARK
	UNIQUE_LISTS
};
#define UNIQUE_LOW 255u
struct unique_list {
	uint32_t *tokens, n;
	uint8_t *low;                 // [n] brackets that each closes of those open before; UNIQUE_LOW: at least
	struct unique_group *groups;  // of PLAIN and IN_CLOSE, by the bytes before the quote: in the same order
	uint32_t n_groups;
};
struct unique_tokens {
	struct unique_list list[UNIQUE_LISTS];
	uint32_t *tokens;  // blocks of all lists
	uint8_t *low;
	struct unique_group *groups;
	uint32_t longest;  // bytes of the longest token
};

// A row of which few words are not `rest`, 0 or all ones.
#define SHORT_ROW_PART 16u   // a part of the words: as much is less to do than a copy of the row
#define LISTED_ROW_PART 10u  // and less than adding it to another one; `rest` is 0
#define PASS_WORDS 5u        // words that a pass takes in the time of a listed one
struct short_word {
	uint32_t at, bits;
};
struct short_row {
	uint32_t first, n;  // of short_words; n ARTIFACT_NONE: it is not short
	uint32_t rest;
	uint32_t begin;  // of what is listed: the words before it are read from the row
};
static inline uint32_t short_row_cost(const struct short_row *x) { return x->begin / PASS_WORDS + x->n; }

#define STEPS_PARKED 4u  // tables that an artifact keeps for the families of matchers that begin next

// ---- The artifact: sections as arrays, each proved in range by artifact_open.c and artifact_validate.c.
struct gcdc_artifact {
	const struct runtime_parts *parts;  // never NULL
	struct artifact_info info;
	struct artifact_header header;
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CORE
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_VOCAB
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_CONTROL
#define SECTION(id, NAME, member, type, ...) const type *control_##member;  // NULL: the grammar names none
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_COUNTER
#define SECTION(id, NAME, member, type, ...) const type *counter_##member;  // NULL: no repetition is counted
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_UNIQUE
#define SECTION(id, NAME, member, type, ...) const type *unique_##member;  // NULL: no items are compared
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_COST
#define SECTION(id, NAME, member, type, ...) const type *cost_##member;  // NULL: no costs
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_STEP
#define SECTION(id, NAME, member, type, ...) const type *step_##member;  // NULL: masks under a budget are worked out
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_KEPT
#define SECTION(id, NAME, member, type, ...) const type *kept_##member;  // NULL: no texts have made steps
#include "../../../formats/sections.def"
	struct canonical_tables canonical;
	struct regex_tables regex;
	uint32_t start_price;         // of the empty text; 0: not known, or 0; changed atomically
	struct step_home *step_home;  // what is made of masks under a budget; NULL until then; changed atomically
	struct step_table *steps_parked[STEPS_PARKED];           // of families that have ended; changed atomically
	struct canonical_cache *canonical_parked[CANON_PARKED];  // caches of families that have ended; changed atomically

	uint32_t holders;  // of the artifact: who opened or retained it, and its matchers; changed atomically
	const void *section[SECTION_IDS];  // by id; NULL: absent
	uint64_t section_size[SECTION_IDS];
	gcdc_memory memory;
	void *mapping[2];  // the artifact's, a separate vocabulary's
	size_t mapping_len[2];
	void *decoded[2];  // of compressed sections; as allocated
	void *less_sets;   // all sets and what they list, where some are told from others (less_sets.c), or NULL
	void *spelled;     // the tokens with control tokens spelled (control.c), or NULL; as allocated
	const uint32_t *vocab_offset;  // token_offset and token_bytes as the vocabulary has them
	const uint8_t *vocab_bytes;
	uint64_t decoded_size;
	uint32_t open_threads;               // that open it, at most
	struct unique_tokens unique_tokens;  // found when it is opened
	struct counted_limits *limits;       // so are these; NULL: no counters share their states
	struct short_row *short_rows;        // [n_dense] and these; NULL: none is known
	struct short_word *short_words;
	const char *unenforced;  // of a JSON Schema, in the file: texts with a NUL behind each; NULL: no schema
	uint64_t unenforced_size;
};

void artifact_hold(const struct gcdc_artifact *a);  // one more holder, one fewer; the last one's leave frees it
void artifact_drop(const struct gcdc_artifact *a);

// resize() of the memory, with an overflow check; NULL on failure.
void *memory_resize(const gcdc_memory *memory, void *block, size_t n, size_t size);
void memory_free(const gcdc_memory *memory, void *block);

gcdc_status refuse(gcdc_refusal *why, gcdc_status status, uint32_t section, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

// Finds the rows that are short. When the artifact has been read and checked.
gcdc_status less_sets_make(struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status short_rows_find(struct gcdc_artifact *a, gcdc_refusal *why);

// One file of sections (an artifact or a compiled vocabulary), table and bytes checked, sections found by id.
#define ID_BIT(id) (1ull << (id) % 64)
struct section_file {
	const uint8_t *bytes;
	size_t len;
	uint32_t header_size;  // the table follows it
	uint32_t n_sections;
	uint64_t known[2];            // bitmap of ids: those that need not be refused
	uint64_t wanted[2];           // those to decode
	const void *at[SECTION_IDS];  // decoded; NULL: absent, never so for a section of size 0
	uint64_t size[SECTION_IDS];
	struct section_rows rows;  // the vocabulary's standard rows
	const void *lists;         // its standard lists
	uint64_t n_lists;          // bytes
	uint32_t lists_check;      // 0: none
	void *decoded;             // as allocated; the caller's to free, also on failure
	uint64_t decoded_size;
	uint32_t threads;  // to decode with, as asked for (gcdc_open_options)
};
// Jobs that the threads that open an artifact share: jobs.c. worker: below the number of threads.
#define OPEN_MAX_THREADS 4u
typedef gcdc_status job_fn(void *context, uint32_t i, uint32_t worker, gcdc_refusal *why);
gcdc_status jobs_run(uint32_t threads, uint32_t n, job_fn *job, void *context, gcdc_refusal *why);
uint32_t open_threads(uint32_t asked);  // 1 to OPEN_MAX_THREADS
// Checks table and padding, decodes, compares checksums (unless trusted).
// A section that masks do not need, stored as it is: texts, a NUL behind each. *text NULL: there is none.
gcdc_status section_file_texts(const struct section_file *f, uint32_t id, bool trusted, const char **text,
                               uint64_t *size, gcdc_refusal *why);
gcdc_status section_file_read(struct section_file *f, bool trusted, const gcdc_memory *memory, gcdc_refusal *why);
// Is a section stored by this codec?
bool section_file_has(const struct section_file *f, uint32_t codec);
// The checksum of a section that is there.
uint64_t section_file_check(const struct section_file *f, uint32_t id);
// A section as an array of n entries of `size` bytes.
struct section_row {
	uint32_t id;
	void *out;  // any pointer to const
	uint64_t n, size;
};
// Takes the sections: *out, and a->section. Refuses the first that is missing or has another size.
gcdc_status section_take(struct gcdc_artifact *a, const struct section_file *f, const struct section_row *rows,
                         size_t n, gcdc_refusal *why);
// The first section of a group, with its counts. *rows->out is NULL where neither it nor another of the group is there.
gcdc_status section_take_head(struct gcdc_artifact *a, const struct section_file *f, const struct section_row *head,
                              gcdc_refusal *why);
// header_size bytes with 8 zeros at check_offset, then the table.
uint64_t section_file_table_check(const uint8_t *bytes, uint32_t header_size, uint32_t check_offset,
                                  uint32_t n_sections);
// Every index of every section, so that nothing later needs a bounds check. O(bytes).
gcdc_status artifact_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status kept_counts_validate(const struct gcdc_artifact *a, gcdc_refusal *why);  // of kept_info
gcdc_status kept_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status costs_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status artifact_validate_costs(const struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status costs_counts_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status section_bounds_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
// Counts, each with its bounds: "number of sets: found 0, expected 1 to 4294967295".
struct count_rule {
	size_t at;  // in the section
	uint64_t found, least, most;
	const char *what;
};
gcdc_status counts_validate(const struct count_rule *rules, size_t n, uint32_t section, gcdc_refusal *why);
// "section 3, byte 20: name: found 21, the limit is 20".
gcdc_status refuse_number(gcdc_refusal *why, uint32_t section, uint64_t offset, const char *what, uint64_t found,
                          uint64_t limit);
// Takes tokens from a .gcdv.
// The standard rows and lists of the vocabulary, for an artifact that is told from them; the file stays mapped.
gcdc_status vocab_rows(struct gcdc_artifact *a, const char *path, struct section_file *f, gcdc_refusal *why);
gcdc_status vocab_attach(struct gcdc_artifact *a, const char *path, bool trusted, gcdc_refusal *why);
// Takes the control tokens that the grammar names, and spells them; tokens are there already.
gcdc_status control_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
// offset ascends from 0 to size, no token is longer than max_len.
gcdc_status token_offsets_validate(const uint32_t *offset, uint32_t n, uint64_t size, uint32_t max_len,
                                   gcdc_refusal *why);
// Header and room for the table of sections.
gcdc_status artifact_header_check(const uint8_t *bytes, size_t len, struct artifact_header *h, gcdc_refusal *why);
extern const uint64_t artifact_ids[2];                         // bitmap of the sections that readers of masks know
const gcdc_memory *memory_or_libc(const gcdc_memory *memory);  // NULL: malloc's
gcdc_status file_map(const char *path, const void **bytes, size_t *len, gcdc_refusal *why);

// ---- Stacks: immutable frames in a pool that a family of matchers shares.
// Invariant: frame 1 is the bottom (lr_state 1, depth 0) and is never released; frame 0 is not used.
// Where the grammar leaves a choice, several stacks share a top: `parent` of that frame then is FRAME_LIST | the
// first cell of a list of the frames below. A cell is a record of the same pool: parent = a frame, lr_state =
// FRAME_CELL | the next cell (0: the last). So the stacks form a graph without cycles, by counts.
struct frame {
	uint32_t parent;
	uint32_t lr_state;
	uint32_t refs;
	uint32_t
		depth;  // frames below, at most; FRAME_BRANCHED: one of them or this one has a list. Free: the next free one
};
#define FRAME_LIST 0x80000000u
#define FRAME_CELL 0x80000000u
#define FRAME_BRANCHED 0x80000000u

// A released frame goes to the free list with its parent still referenced; the parent is let go when the frame is
// used again (Weizenbaum 1963). So releasing a stack of any depth is one step, and so is every later use.
struct frame_pool {
	struct frame *at;
	uint32_t n, cap;  // used at least once, allocated
	uint32_t free, n_free;
	uint32_t users;  // matchers
	uint32_t max_depth;
	uint64_t n_links;  // of graphs of stacks that were gone over or made so far
	uint32_t lowest;   // depth of the deepest frame read since this was set; 0 where stacks share frames
	const gcdc_memory *memory;
	void (*forget_costs)(struct frame_pool *p);  // frees what follows; NULL until a budget is asked for
	struct price_book *prices;                   // NULL until a budget is asked for
	struct step_table *step_table;               // with prices
	uint32_t most;                               // with prices: the greatest number of COST_MOST
	struct frame_cost {
		uint32_t stamp, bound, class, least;
	} * cost;  // [cap] with prices
};
// stamp: changes when a frame is used anew. bound: no answer of the stack is dearer (price_bound). class, least: of
// steps that are stored (step_stored.c); class 0: not known.
#define BOUND_UNKNOWN (UINT32_MAX - 1)
#define FRAME_BOTTOM 1u
#define FRAMES_AT_FIRST 256u
#define FRAMES_MAX (1u << 28)
#ifdef NDEBUG
#define FRAMES_ARE_COUNTED 0
#else
#define FRAMES_ARE_COUNTED 1  // the last matcher gives all its frames back, and no reference may be left or lacking
#endif

struct frame_pool *frame_pool_new(const gcdc_memory *memory, uint32_t max_depth);
void frame_pool_leave(struct frame_pool *p);  // frees it when nobody is left
bool frame_pool_grow(struct frame_pool *p, uint32_t room);
bool frame_costs_grow(struct frame_pool *p, uint32_t cap);  // room for costs of cap frames, new ones unknown

// Does an entry come before that of (capacity, lr_state, question), <0, or is it that, 0?
static inline int low_compare(const struct artifact_cost_low *x, uint32_t capacity, uint32_t lr_state, uint32_t control)
{
	if (x->capacity != capacity) return x->capacity < capacity ? -1 : 1;
	if (x->lr_state != lr_state) return x->lr_state < lr_state ? -1 : 1;
	return (x->control > control) - (x->control < control);
}

// The runtime asserts what opening has proved of the file, and what its lists keep; debug builds check it.
static inline void frame_ref(struct frame_pool *p, uint32_t f)
{
	assert(f < p->n && p->at[f].refs > 0);
	p->at[f].refs++;
}
static inline void frame_unref(struct frame_pool *p, uint32_t f)
{
	struct frame *x = &p->at[f];
	assert(f < p->n && x->refs > 0);
	if (--x->refs == 0) {
		x->depth = p->free;
		p->free = f;
		p->n_free++;
	}
}
// Lets go of what a record named: a cell, or a frame with or without a list.
static inline void frame_let_go(struct frame_pool *p, const struct frame *x)
{
	if (UNLIKELY(x->lr_state & FRAME_CELL) && x->lr_state != FRAME_CELL) frame_unref(p, x->lr_state & ~FRAME_CELL);
	frame_unref(p, x->parent & ~FRAME_LIST);
}
// Room for n records to come; false: no memory.
static inline bool frame_reserve(struct frame_pool *p, uint32_t n)
{
	return LIKELY(p->n_free >= n || p->cap - p->n >= n - p->n_free) || frame_pool_grow(p, n);
}
// A record that nobody uses. After frame_reserve.
static inline uint32_t frame_take(struct frame_pool *p)
{
	uint32_t f = p->free;
	assert(f || p->n < p->cap);
	if (!f) return p->n++;
	if (UNLIKELY(p->cost != NULL)) p->cost[f] = (struct frame_cost){p->cost[f].stamp + 1, BOUND_UNKNOWN, 0, 0};
	p->free = p->at[f].depth;
	p->n_free--;
	frame_let_go(p, &p->at[f]);
	return f;
}
// A frame on top of parent, which it takes a reference to; has one itself. After frame_reserve.
static inline uint32_t frame_push(struct frame_pool *p, uint32_t parent, uint32_t lr_state)
{
	frame_ref(p, parent);
	uint32_t f = frame_take(p);
	p->at[f] = (struct frame){parent, lr_state, 1, p->at[parent].depth + 1};  // FRAME_BRANCHED goes along
	return f;
}
// A frame over n > 1 frames; takes a reference to each. After frame_reserve of n + 1 records.
uint32_t frame_push_list(struct frame_pool *p, const uint32_t *parents, uint32_t n, uint32_t lr_state);

// The frames below f, one after the other: for (struct below b = frame_below(p, f); b.frame; below_next(p, &b)).
struct below {
	uint32_t frame, rest;
};
static inline void below_next(const struct frame_pool *p, struct below *b)
{
	if (LIKELY(!b->rest)) {
		b->frame = 0;
		return;
	}
	const struct frame *cell = &p->at[b->rest];
	b->frame = cell->parent;
	b->rest = cell->lr_state & ~FRAME_CELL;
}
static inline struct below frame_below(const struct frame_pool *p, uint32_t f)
{
	uint32_t parent = p->at[f].parent;
	if (LIKELY(!(parent & FRAME_LIST))) return (struct below){parent, 0};
	struct below b = {0, parent & ~FRAME_LIST};
	below_next(p, &b);
	return b;
}
// A frame below a top has been read.
static inline void frame_note(struct frame_pool *p, uint32_t f)
{
	if (p->at[f].depth < p->lowest) p->lowest = p->at[f].depth;
}
static inline uint32_t frame_depth(const struct frame_pool *p, uint32_t f) { return p->at[f].depth & ~FRAME_BRANCHED; }

// ---- Lists that grow. False: no memory.
struct vec32 {
	uint32_t *at;
	uint32_t n, cap;
};
bool vec32_grow(const gcdc_memory *memory, struct vec32 *x);
static inline bool vec32_push(const gcdc_memory *memory, struct vec32 *x, uint32_t value)
{
	if (UNLIKELY(x->n == x->cap) && !vec32_grow(memory, x)) return false;
	x->at[x->n++] = value;
	return true;
}
// So many more at once: their place, which is the caller's to fill in.
static inline uint32_t *vec32_more(const gcdc_memory *memory, struct vec32 *x, uint32_t more)
{
	while (UNLIKELY(x->cap - x->n < more))
		if (!vec32_grow(memory, x)) return NULL;
	x->n += more;
	return x->at + x->n - more;
}
void vec32_sort(struct vec32 *x);  // ascending, each once

// Which tokens need more characters than may come (unique/counted_limits.c, counted_tables.c).
#define LIMIT_TOKENS 256u  // that a limit names, to be taken out one by one; more: with a row
#define NOT_COUNTED UINT32_MAX
// Of a class: by how many characters may come, from as many as the nearest end takes up to `most` - 1.
struct counted_rows {
	uint32_t most, n_rows;
	uint32_t *list;    // where the tokens begin that need more; the first n_rows have rows instead
	uint32_t *tokens;  // the limits' lists, the last one's first
	uint32_t *rows;    // [n_rows * mask_words] the tokens that do not
};
// States in which each token needs as many characters.
struct counted_class {
	uint32_t least;             // characters to the nearest end
	uint32_t served_by;         // the class whose rows say what may come
	struct counted_rows *rows;  // made at the first step to where they limit
};
// Made before the first step.
struct counted_tables {
	uint32_t n, reach;   // classes; with so many characters left and more nothing is limited
	uint32_t *class_of;  // [place in COUNTED]
	struct counted_class *classes;
	uint32_t *step;  // [n * 256] what a byte does: counted_tables.c
};
struct counted_limits {
	uint8_t *kind;    // [place in COUNTED] enum json_character
	uint32_t *place;  // [lex_state] in COUNTED, or NOT_COUNTED: no shared counter has it
	uint32_t *end;    // [place in COUNTED] characters to the nearest end of the string
	struct counted_tables *tables;
};

// Pairs of numbers, each with a value; emptied in one step.
struct pair_map {
	struct pair {
		uint32_t a, b, era, value;
	} * at;
	uint32_t n, cap, era;  // cap: a power of two, or 0
};
void pair_map_clear(struct pair_map *p);
static inline struct pair *pair_map_find(const struct pair_map *p, uint32_t a, uint32_t b)
{
	uint64_t hash = hash_pair(a, b);
	for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
		struct pair *x = &p->at[i & (p->cap - 1)];
		if (x->era != p->era || (x->a == a && x->b == b)) return x;
	}
}
bool pair_map_grow(const gcdc_memory *memory, struct pair_map *p);
// The place of (a, b)'s value; *is_new: it was not there, the value is yours to set. NULL: no memory.
uint32_t *pair_map_add(const gcdc_memory *memory, struct pair_map *p, uint32_t a, uint32_t b, bool *is_new);
// The same, where it is asked for a thousand times and more.
static inline uint32_t *pair_map_put(const gcdc_memory *memory, struct pair_map *p, uint32_t a, uint32_t b,
                                     bool *is_new)
{
	if (UNLIKELY(p->n >= p->cap / 2) && !pair_map_grow(memory, p)) return NULL;
	struct pair *x = pair_map_find(p, a, b);
	*is_new = x->era != p->era;
	if (*is_new) *x = (struct pair){a, b, p->era, 0}, p->n++;
	return &x->value;
}
const uint32_t *pair_map_get(const struct pair_map *p, uint32_t a, uint32_t b);  // NULL: it is not there

// ---- Positions in a text.
// A reading is one stack (or several with one top) and what the lexer makes of the lexeme at hand. There are several
// where the text still decides where a lexeme ended, and where the grammar leaves a choice; each goes its own way.
struct reading {
	uint32_t frame;
	uint32_t lex_state;
	uint32_t lexing;   // number of how it came here, for people only (show.c)
	uint32_t columns;  // open columns (columns.c), or the text of an array whose items differ (unique/); 0: neither
};
static inline void reading_ref(struct frame_pool *p, const struct reading *r)
{
	frame_ref(p, r->frame);
	if (UNLIKELY(r->columns != 0)) frame_ref(p, r->columns);
}
static inline void reading_unref(struct frame_pool *p, const struct reading *r)
{
	frame_unref(p, r->frame);
	if (UNLIKELY(r->columns != 0)) frame_unref(p, r->columns);
}

#define COLUMN_BAD UINT32_MAX  // a tab that is refused

// Owns the references of its readings.
struct position {
	struct reading *at;
	uint32_t n, cap;
	uint32_t n_lexings;  // while it is built: numbers given
	uint32_t terminated;
	uint32_t column;                   // of blanks at the end of the text, behind a newline
	struct canonical_place canonical;  // not used when the artifact has no such tables
	uint32_t left;                     // tokens of the budget; GCDC_NONE: there is none
	uint32_t near;        // here and after whatever tokens: with no fewer left than this none can break the budget.
						  // GCDC_NONE: not known
	uint32_t completion;  // hard canonical mode under a budget: a way to the end; else 0. Frames of tokens, the next on
						  // top, FRAME_BOTTOM: none left
};
// A position that was: log[at ..], a ring. What its `near` was is found again.
struct past {
	uint32_t at, n : 31, terminated : 1, column, left, completion;
};

// Unions of the artifact's sets, made once: a row of bits, or a few tokens. Numbers stand in one list of words.
struct set_union {
	uint32_t *row;              // NULL: the tokens
	uint32_t tokens, n_tokens;  // words, ascending
	uint32_t sets, n_sets;      // words: the artifact's sets that it unites
	bool shares_row;            // it is the row of one before
};
struct set_unions {
	struct vec32 words;
	struct set_union *at;
	uint32_t n, cap;
};

// The sets of the mask at a position.
struct set_list {
	uint32_t *at;  // sets whose tokens are all allowed
	uint32_t n, cap;
	struct vec32 extra;  // tokens that are allowed besides, ascending
	struct vec32 open;   // sets of tokens of which columns decide
	// Under a budget instead of `at`: unions of the step table, as of its era (budget/step_table.h).
	struct vec32 unions;  // into unions_of
	const struct set_unions *unions_of;
	const struct step_table *step_table;
	uint32_t era;
	// Tokens of them that are not allowed, ascending: an item would be equal to another, a string too long.
	struct vec32 without;
	const uint32_t *keep;              // all that are not in this row are not allowed, either; NULL: none
	const struct artifact_set *alone;  // the set that is the mask, and nothing besides; NULL: there is more to it
	bool valid;                        // belongs to the position as it is
	bool ends;                         // one of the sets of `open` says that the text may end, and so it is
	bool may_end;
	bool all;      // a set of all tokens is among them
	bool is_lazy;  // the plain mask is not collected yet: masks under budgets mostly do without
};

struct canonical_probe {
	struct position after;
	struct set_list sets;
	uint32_t *mask;
};

// Tokens tried at one position, those that are alike once: probe_cache.c.
enum { ALIKE_UNKNOWN = UINT32_MAX };
struct probe_cache_entry {
	uint32_t hash;
	uint32_t place, byte;  // from where, and before which byte; place NONE: free
	uint32_t lex_states;   // of the readings there
	uint32_t column;       // there; 0 for grammars without columns
	uint32_t value;        // the place behind the byte; at a token's end the caller's verdict
};
struct probe_cache {
	struct probe_cache_entry *at;
	uint32_t n, cap;  // cap: a power of two, or 0
	struct vec32 lex_states;
	struct position *place;  // [0] where the tokens begin
	uint32_t n_places, places_cap;
};

struct graph;   // graph.c
struct unique;  // unique/
struct prober;  // probe.c
struct session_lane;
struct listener;  // matcher_step.h

#define NO_ENDS 128u      // a power of two
#define LINKS_TRIED 256u  // times max_stacks: links of the graph of stacks for all tokens that one call tries
struct gcdc_matcher {
	const struct gcdc_artifact *artifact;
	struct frame_pool *pool;
	struct session_lane *lane;           // lane.h; NULL: of no session
	struct position *now, *work, *next;  // here; being built; the step after it
	struct position room[3];             // theirs
	struct position ending;              // here behind a newline that the text lacks; empty but while it is tried
	uint64_t *no_end;       // [NO_ENDS] lexer states with tops of the stack where no text ends, whatever lies below;
							// 0: none. NULL where no newline is supplied
	struct set_list sets;   // of now
	struct set_list probe;  // of other positions
	uint32_t max_readings, max_stacks, max_rollback, max_depth;
	uint64_t most_links;                  // up to which pool->n_links may grow now; UINT64_MAX: there is no bound
	uint32_t n_history, history_at;       // entries; where the next goes
	struct past *history;                 // [max_rollback] ring: the positions before each step
	struct canonical_place *places;       // [max_rollback] ring beside it, or NULL
	struct canonical_cache *cache;        // NULL until a canonical mask is asked for
	uint64_t n_lines_read;                // times that open columns were looked at
	uint64_t n_tried;                     // tokens that masks under budgets have tried one by one
	uint64_t n_relaxed;                   // tokens accepted that were not canonical
	struct reading *log;                  // [log_cap] ring: their readings
	uint32_t log_cap, log_end;            // a power of two; where the next goes, modulo log_cap
	struct graph *graph;                  // NULL until a choice is met
	struct vec32 frames;                  // stacks on which a terminal is pushed at once
	struct vec32 cuts;                    // matcher_several.c: lexemes that end before a byte
	struct vec32 tops, tops_inside;       // stacks behind a newline, with references while they are used
	const uint8_t *step_begin, *step_at;  // bytes of a step, where it is
	uint32_t step_column;                 // column before them
	struct listener *listener;            // told what becomes of lexings; NULL but while a text is shown or traced
	gcdc_trace_fn *trace;                 // matcher_trace.c; NULL: nobody watches
	void *trace_user;
	struct prober *prober;     // scratch of probe.c; NULL until a token is tried
	struct vec32 tree;         // levels of a draft tree, and their readings
	struct vec32 stops;        // ids that end the text beside the file's EOS ids, ascending
	struct vec32 stops_extra;  // scratch of stops_add: tokens of a mask and `stops`, ascending
	struct unique *unique;     // what is known of an array's items; NULL until they are compared
	uint32_t *row;             // of a mask with tokens left out; NULL until one is asked for
	struct pricing *pricing;   // scratch of budget.c; NULL until a budget is asked for
	uint8_t canonical_mode;    // of its masks: gcdc_canonical_mode, the artifact's at most
	bool budget_counts_eos;
	uint8_t budget_by;  // enum budget_by
};

bool position_reserve(struct gcdc_matcher *m, struct position *p, uint32_t n);
void position_release(struct gcdc_matcher *m, struct position *p);  // n = 0
// to, which has no closing, gets from's; copies do not have it.
void position_share_completion(struct gcdc_matcher *m, struct position *to, const struct position *from);
gcdc_status position_copy(struct gcdc_matcher *m, struct position *to, const struct position *from);  // to is empty
void position_start(struct gcdc_matcher *m, struct position *p);  // p, which is empty, is where all texts begin

// Inline: a mask asks it for each token in which a set differs from its row.
static inline bool artifact_set_has(const struct gcdc_artifact *a, const struct artifact_set *s, uint32_t token)
{
	assert(token < a->info.n_tokens);
	uint32_t word = token / 32, bit = token % 32;
	bool in_row = s->dense != ARTIFACT_NONE && a->dense[(uint64_t)s->dense * a->info.mask_words + word] >> bit & 1;
	const uint32_t *at = &a->sparse[s->at];
	if (!s->n) return in_row;
	return in_row ^ (at[number_at_most(at, s->n, token)] == token);
}

// Moves a position over bytes. GCDC_OK with n == 0: no reading is left. On an error the position is empty.
gcdc_status position_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len);
// The same without a look at the items of arrays: matcher_step.c. m->step_begin is set.
gcdc_status position_step_bytes(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len);
// The same while somebody watches; token: GCDC_NONE for bytes. matcher_trace.c.
gcdc_status position_step_traced(struct gcdc_matcher *m, struct position *p, uint32_t token, const uint8_t *bytes,
                                 size_t len);
void trace_mask(struct gcdc_matcher *m);  // tells what m->sets unites
// May the text end here?
gcdc_status position_ends(struct gcdc_matcher *m, const struct position *p, bool *ends);
// Drops readings that have no row of start entries: nothing can follow them.
void position_drop_unstarted(struct gcdc_matcher *m, struct position *p);
// The sets of p's mask, into list; drops readings that nothing can follow. GCDC_REJECTED: none is left, the mask is
// empty, the text not viable.
gcdc_status position_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list);
bool set_list_push(struct gcdc_matcher *m, struct set_list *list, uint32_t set);  // false: no memory
void set_list_release(const gcdc_memory *memory, struct set_list *list);
bool sets_have(const struct gcdc_artifact *a, const struct set_list *list, uint32_t token);
// Is EOS among them? For sets of an opened artifact.
bool sets_may_end(const struct gcdc_artifact *a, const struct set_list *list);
void sets_fill(const struct gcdc_artifact *a, const struct set_list *list, uint32_t *mask);
// The mask of sets with tokens left out, in a row of the matcher's until the next call; NULL: none is left out.
gcdc_status sets_row(struct gcdc_matcher *m, const struct set_list *list, uint32_t **row);
// As sets_fill, of what is in the row `keep`, in one pass.
void sets_fill_kept(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep, uint32_t *mask);
// Puts sets and tokens in the place of parts and of the list's own mask.
gcdc_status sets_flatten(const struct gcdc_artifact *a, struct set_list *list);
bool artifact_is_eos(const struct gcdc_artifact *a, uint32_t token);
void mask_keep(uint32_t *mask, const uint32_t *row, uint32_t words);          // what the row has, too
void mask_eos(const struct gcdc_matcher *m, uint32_t *mask, size_t n_words);  // all that ends a text, nothing else

// ---- Stop tokens of the caller: stop_tokens.c. Where the text may end, each is what the file's first EOS id is.
uint32_t stop_as_eos(const struct gcdc_matcher *m, uint32_t token);  // that id for a stop token, else the token itself
static inline uint32_t token_of(const struct gcdc_matcher *m, uint32_t token)
{
	return UNLIKELY(m->stops.n) ? stop_as_eos(m, token) : token;
}
bool stops_fill(const struct gcdc_matcher *m, uint32_t *mask);       // their bits, where EOS has its own; did it?
gcdc_status stops_add(struct gcdc_matcher *m, gcdc_mask_sets *out);  // the same for a mask in sets
bool stops_copy(struct gcdc_matcher *to, const struct gcdc_matcher *from);  // false: no memory
// A position's sets: its text is complete, nothing may follow, and the vocabulary has no token that says so.
bool sets_are_over(const struct gcdc_matcher *m, const struct set_list *list);
// Rows of masks for n drafts, one behind the other, and the row before them; behind a refused one the last row again.
// GCDC_TERMINATED: as filling the first row says it.
gcdc_status draft_chain(struct gcdc_matcher *m, const uint32_t *drafts, size_t n, uint32_t *masks, size_t stride,
                        size_t *accepted);
// gcdc_matcher_forced_tokens without canonical tables.
gcdc_status forced_by_masks(struct gcdc_matcher *m, uint32_t *tokens, size_t cap, size_t *n);

// ---- Sessions: lane.c. One matcher more in a lane; a thread's turn with its family; the turn's end, for good when a
// matcher of it is gone.
void lane_join(struct session_lane *lane);
void lane_enter(struct session_lane *lane);
void lane_leave(struct session_lane *lane, bool for_good);

// Pushes terminal t on n stacks at once, whatever choices that meets: *tops has *n_tops new frames with distinct
// lr_states, a reference each; valid until the next push.
gcdc_status graph_push(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, uint32_t t, const uint32_t **tops,
                       uint32_t *n_tops);
// Reads the stacks below f from a node on: every set once, into `sets`.
gcdc_status graph_read(struct gcdc_matcher *m, uint32_t f, uint32_t node, const struct vec32 **sets);
void graph_free(const gcdc_memory *memory, struct graph *g);

// ---- Costs in tokens: price.c, budget.c.
#define PRICE_NEVER UINT32_MAX
// The answers of frames that were asked for, with the stamps they are valid for. Shared by all that share the frames.
struct price_book;
// The fewest tokens to the end of the text from a position, EOS not counted; PRICE_NEVER: the tables know of none.
gcdc_status position_price(struct gcdc_matcher *m, const struct position *p, uint32_t *price);
// Leaves of list, the sets of p's mask, what p->left allows. GCDC_REJECTED: nothing. Sets p->near.
gcdc_status budget_restrict(struct gcdc_matcher *m, struct position *p, struct set_list *list);
// Is it not known that no token can break the budget, which there is?
bool budget_is_near(const struct gcdc_matcher *m, const struct position *p);
void pricing_free(const gcdc_memory *memory, struct pricing *x);
void steps_free(struct gcdc_artifact *a);  // with the artifact: step_table.c
bool step_table_is_of(const struct step_table *x, uint32_t era);

// Where a node leads that reads this frame.
static inline const struct artifact_target *artifact_target_of(const struct gcdc_artifact *a,
                                                               const struct artifact_node *x, uint32_t lr_state)
{
	assert((uint64_t)x->first + x->n <= a->info.n_edges && x->other < a->info.n_targets);
	if (!x->n) return &a->targets[x->other];
	uint32_t first = x->first;
	LAST_AT_MOST(first, x->n, a->edge_frames[first] <= lr_state);
	return &a->targets[a->edge_frames[first] == lr_state ? a->edges[first] : x->other];
}

// The words of a set, ascending: for (struct set_words w = set_words(a, set); set_words_next(a, &w);) w.word, w.bits
struct set_words {
	const uint32_t *row, *token, *end;  // token: the next one of the list
	uint32_t next, word, bits;
};
static inline struct set_words set_words(const struct gcdc_artifact *a, const struct artifact_set *s)
{
	return (struct set_words){s->dense == ARTIFACT_NONE ? NULL : &a->dense[(uint64_t)s->dense * a->info.mask_words],
	                          a->sparse + s->at,
	                          a->sparse + s->at + s->n,
	                          0,
	                          0,
	                          0};
}
static inline bool set_words_next(const struct gcdc_artifact *a, struct set_words *w)
{
	do {
		if (!w->row && w->token == w->end) return false;
		w->word = w->row ? w->next : *w->token / 32;
		if (w->word >= a->info.mask_words) return false;
		w->bits = w->row ? w->row[w->word] : 0;
		for (; w->token < w->end && *w->token / 32 == w->word; w->token++) w->bits ^= 1u << *w->token % 32;
		assert(w->token == w->end || *w->token / 32 > w->word);
		w->next = w->word + 1;
	} while (!w->bits);
	return true;
}

// The lexer state whose rows are those of q, which may have a number of repetitions counted (counters.c).
static inline uint32_t lex_base(const struct gcdc_artifact *a, uint32_t q)
{
	if (LIKELY(q < a->info.n_lex_states)) return q;
	assert(a->counter_info);
	return a->counter_states[(q - a->info.n_lex_states) % a->counter_info->n_states].lex_state;
}
// How many repetitions have been counted at q.
static inline uint32_t lex_counted(const struct gcdc_artifact *a, uint32_t q)
{
	return q < a->info.n_lex_states ? 0 : (q - a->info.n_lex_states) / a->counter_info->n_states + 1;
}
// Where q leads by a byte of class c: LEX_CUT and a state, which may have a number counted.
uint32_t lex_counted_next(const struct gcdc_artifact *a, uint32_t q, uint32_t c);
static inline uint32_t lex_next(const struct gcdc_artifact *a, uint32_t q, uint32_t c)
{
	assert(c < a->info.n_classes);
	if (UNLIKELY(q >= a->info.n_lex_states)) return lex_counted_next(a, q, c);
	uint32_t x = a->lex_next[(uint64_t)q * a->info.n_classes + c];
	return UNLIKELY(x & LEX_COUNTED) ? lex_counted_next(a, q, c) : x;
}
// Do its states count characters by number alone (unique/counted_limits.c)?
static inline bool counter_is_shared(const struct artifact_counter *k) { return k->from == k->to; }
gcdc_status counters_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status counters_validate(const struct gcdc_artifact *a, gcdc_refusal *why);

static inline uint32_t artifact_action(const struct gcdc_artifact *a, uint32_t lr_state, uint32_t t)
{
	assert(lr_state < a->info.n_lr_states && t <= a->info.n_terminals);  // n_terminals: the text's end
	return artifact_action_of(&a->lr_states[lr_state], a->lr_action, a->contexts, a->info.n_terminals, t);
}
// The state behind a nonterminal on top of lr_state; 0: there is none.
static inline uint32_t artifact_goto(const struct gcdc_artifact *a, uint32_t lr_state, uint32_t nonterminal)
{
	assert(lr_state < a->info.n_lr_states && nonterminal < a->info.n_nonterminals);
	return artifact_cell_value(a->lr_goto, a->lr_states[lr_state].goto_row, nonterminal, 0);
}
// The first row in START of a lexer state in a context, or NONE.
static inline uint32_t artifact_start_base(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t context)
{
	assert(lex_state < a->info.n_lex_states && context < a->info.n_contexts);
	return artifact_start_base_of(&a->lex_states[lex_state], a->start_base, a->live, a->info.n_contexts, context);
}

static inline bool is_hard(const struct gcdc_matcher *m) { return m->canonical_mode == GCDC_CANONICAL_HARD; }

// From here on tokens are tried one by one, each on any number of stacks: all of them together are bounded.
static inline void links_bound(struct gcdc_matcher *m)
{
	m->most_links = m->pool->n_links + (uint64_t)m->max_stacks * LINKS_TRIED;
}
static inline void links_unbound(struct gcdc_matcher *m) { m->most_links = UINT64_MAX; }

static inline gcdc_status matcher_sets(struct gcdc_matcher *m)
{
	if (LIKELY(m->sets.valid) &&
	    (LIKELY(!m->sets.unions.n) || m->artifact->parts->budget->step_table_is_of(m->sets.step_table, m->sets.era)))
		return GCDC_OK;
	gcdc_status status = position_sets(m, m->now, &m->sets);
	return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;  // what was accepted is viable
}

#endif
