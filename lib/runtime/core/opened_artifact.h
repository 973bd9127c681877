// An opened artifact: its sections as arrays, how they are read and proved, and single entries of its tables.
//
// What the readers of masks look up here has been proved in range when the file was opened; debug builds check it.
#ifndef GCDC_RUNTIME_OPENED_ARTIFACT_H
#define GCDC_RUNTIME_OPENED_ARTIFACT_H

#include <assert.h>
#include <string.h>

#include "../../../formats/artifact.h"
#include "../../include/gcdc/runtime.h"
#include "../../shared/search.h"
#include "../../shared/section_codec.h"
#include "branch_hints.h"
#include "canonical_place.h"
#include "parts.h"

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
	void *decoded[2];              // of compressed sections; as allocated
	void *spelled;                 // the tokens with control tokens spelled (control.c), or NULL; as allocated
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
	uint32_t standard;         // section_standard of the two; 0: no vocabulary
	void *decoded;             // as allocated; the caller's to free, also on failure
	uint64_t decoded_size;
	uint32_t threads;  // to decode with, as asked for (gcdc_open_options)
};
// Jobs that the threads that open an artifact share: jobs.c. worker: below the number of threads.
#define OPEN_MAX_THREADS 4u
typedef gcdc_status job_fn(void *context, uint32_t i, uint32_t worker, gcdc_refusal *why);
gcdc_status jobs_run(uint32_t threads, uint32_t n, job_fn *job, void *context, gcdc_refusal *why);
uint32_t open_threads(uint32_t asked);  // 1 to OPEN_MAX_THREADS
// A section that masks do not need, stored as it is: texts, a NUL behind each. *text NULL: there is none.
gcdc_status section_file_texts(const struct section_file *f, uint32_t id, bool trusted, const char **text,
                               uint64_t *size, gcdc_refusal *why);
// Checks table and padding, decodes, compares checksums (unless trusted).
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
// The standard rows and lists of the vocabulary, for an artifact that is told from them; the file stays mapped.
gcdc_status vocab_rows(struct gcdc_artifact *a, const char *path, struct section_file *f, gcdc_refusal *why);
// Takes tokens from a .gcdv.
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

// Does an entry come before that of (capacity, lr_state, question), <0, or is it that, 0?
static inline int low_compare(const struct artifact_cost_low *x, uint32_t capacity, uint32_t lr_state, uint32_t control)
{
	if (x->capacity != capacity) return x->capacity < capacity ? -1 : 1;
	if (x->lr_state != lr_state) return x->lr_state < lr_state ? -1 : 1;
	return (x->control > control) - (x->control < control);
}

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

#endif
