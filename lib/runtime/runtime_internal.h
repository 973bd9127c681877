// What the runtime's files share: the opened artifact, the pool of stack frames, the matcher.
#ifndef GCDC_RUNTIME_INTERNAL_H
#define GCDC_RUNTIME_INTERNAL_H

#include "../../formats/artifact.h"
#include "../include/gcdc/runtime.h"

#include <string.h>

#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)
#define STATUS_WORDS(n) (((uint64_t)(n) + 31) / 32)

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "artifacts are mapped as they are: little-endian machines only"
#endif

// ---- The artifact: sections as arrays, each proved in range by artifact_open.c and artifact_validate.c.
struct gcdc_artifact {
	struct artifact_info info;
	struct artifact_header header;
	const char *strings;
	const struct artifact_terminal *terminals;
	const uint32_t *nonterminals;
	const struct artifact_production *productions;
	const uint32_t *symbols;
	const uint32_t *lex_next;
	const struct artifact_lex_state *lex_states;
	const uint32_t *lex_start;
	const uint32_t *contexts;
	const struct artifact_lr_state *lr_states;
	const uint32_t *lr_action;
	const uint32_t *lr_goto;
	const uint32_t *start_base;
	const struct artifact_start *starts;
	const struct artifact_node *nodes;
	const struct artifact_edge *edges;
	const struct artifact_set *sets;
	const uint32_t *dense;
	const struct artifact_sparse *sparse;
	const uint32_t *eos;
	const uint32_t *token_offset;
	const uint8_t *token_bytes;

	const void *section[SECTION_TOKEN_BYTES + 1];  // by id; NULL: absent
	uint64_t section_size[SECTION_TOKEN_BYTES + 1];
	gcdc_memory memory;
	void *mapping[2];        // the artifact's, a separate vocabulary's
	size_t mapping_len[2];
	void *decoded[2];        // of compressed sections; as allocated
	uint64_t decoded_size;
};

// resize() of the memory, with an overflow check; NULL on failure.
void *memory_resize(const gcdc_memory *memory, void *block, size_t n, size_t size);
void memory_free(const gcdc_memory *memory, void *block);

gcdc_status refuse(gcdc_refusal *why, gcdc_status status, uint32_t section, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

// One file of sections (an artifact or a compiled vocabulary), table and bytes checked, sections found by id.
#define SECTION_FILE_IDS 128u
#define ID_BIT(id) (1ull << (id) % 64)
struct section_file {
	const uint8_t *bytes;
	size_t len;
	uint32_t header_size;        // the table follows it
	uint32_t n_sections;
	uint64_t known[2];           // bitmap of ids: those that need not be refused
	uint64_t wanted[2];          // those to decode
	const void *at[SECTION_FILE_IDS];  // decoded; NULL: absent, never so for a section of size 0
	uint64_t size[SECTION_FILE_IDS];
	void *decoded;               // as allocated; the caller's to free, also on failure
	uint64_t decoded_size;
};
// Checks table and padding, decodes, compares checksums (unless trusted).
gcdc_status section_file_read(struct section_file *f, bool trusted, const gcdc_memory *memory, gcdc_refusal *why);
// header_size bytes with 8 zeros at check_offset, then the table.
uint64_t section_file_table_check(const uint8_t *bytes, uint32_t header_size, uint32_t check_offset,
                                  uint32_t n_sections);
// Every index of every section, so that nothing later needs a bounds check. O(bytes).
gcdc_status artifact_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
// Takes tokens from a .gcdv.
gcdc_status vocab_attach(struct gcdc_artifact *a, const char *path, bool trusted, gcdc_refusal *why);
// offset ascends from 0 to size, no token is longer than max_len.
gcdc_status token_offsets_validate(const uint32_t *offset, uint32_t n, uint64_t size, uint32_t max_len,
                                   gcdc_refusal *why);
gcdc_status file_map(const char *path, const void **bytes, size_t *len, gcdc_refusal *why);

// ---- Stacks: immutable frames in a pool that a family of matchers shares.
// Invariant: frame 1 is the bottom (lr_state 1, depth 0) and is never released; frame 0 is not used.
struct frame {
	uint32_t parent;
	uint32_t lr_state;
	uint32_t refs;
	uint32_t depth;   // frames below; of a free frame: the next free one
};

// A released frame goes to the free list with its parent still referenced; the parent is let go when the frame is
// used again (Weizenbaum 1963). So releasing a stack of any depth is one step, and so is every later use.
struct frame_pool {
	struct frame *at;
	uint32_t n, cap;     // used at least once, allocated
	uint32_t free, n_free;
	uint32_t users;      // matchers
	uint32_t max_depth;
	const gcdc_memory *memory;
};
#define FRAME_BOTTOM 1u
#define FRAMES_AT_FIRST 256u
#define FRAMES_MAX (1u << 28)

struct frame_pool *frame_pool_new(const gcdc_memory *memory, uint32_t max_depth);
void frame_pool_leave(struct frame_pool *p);   // frees it when nobody is left
bool frame_pool_grow(struct frame_pool *p, uint32_t room);

static inline void frame_ref(struct frame_pool *p, uint32_t f) { p->at[f].refs++; }
static inline void frame_unref(struct frame_pool *p, uint32_t f)
{
	struct frame *x = &p->at[f];
	if (--x->refs == 0) {
		x->depth = p->free;
		p->free = f;
		p->n_free++;
	}
}
// Room for n frames to come; false: no memory.
static inline bool frame_reserve(struct frame_pool *p, uint32_t n)
{
	return LIKELY(p->n_free >= n || p->cap - p->n >= n - p->n_free) || frame_pool_grow(p, n);
}
// A frame on top of parent, which it takes a reference to; has one itself. After frame_reserve.
static inline uint32_t frame_push(struct frame_pool *p, uint32_t parent, uint32_t lr_state)
{
	uint32_t f = p->free;
	frame_ref(p, parent);
	if (f) {
		p->free = p->at[f].depth;
		p->n_free--;
		frame_unref(p, p->at[f].parent);
	} else {
		f = p->n++;
	}
	p->at[f] = (struct frame){parent, lr_state, 1, p->at[parent].depth + 1};
	return f;
}

// ---- Positions in a text.
struct reading {
	uint32_t frame;
	uint32_t lex_state;
};
// Owns a reference per reading. Capacity: gcdc_matcher.max_readings.
struct position {
	uint32_t n;
	uint32_t terminated;
	struct reading at[];
};

// The sets of the mask at a position.
struct set_list {
	uint32_t *at;
	uint32_t n, cap;
	bool valid;      // belongs to the position as it is
	bool may_end;
	bool all;        // a set of all tokens is among them
};

struct gcdc_matcher {
	const struct gcdc_artifact *artifact;
	struct frame_pool *pool;
	struct position *now, *work, *next;  // here; being built; the step after it
	struct set_list sets;                // of now
	struct set_list probe;               // of other positions
	uint32_t max_readings, max_rollback, max_depth;
	uint32_t n_history, history_at;      // entries; where the next goes
	size_t stride;                       // bytes of a position
	uint8_t *history;                    // ring of max_rollback positions: those before each step
	uint8_t *tree;                       // positions along a path of a draft tree, and its work list
	size_t tree_size;
};

static inline struct position *history_entry(const struct gcdc_matcher *m, uint32_t i)
{
	return (struct position *)(void *)(m->history + (size_t)i * m->stride);
}

void position_release(struct gcdc_matcher *m, struct position *p);   // n = 0
void position_copy(struct gcdc_matcher *m, struct position *to, const struct position *from);  // to is empty
void position_start(struct gcdc_matcher *m, struct position *p);     // p is empty

// Moves a position over bytes. GCDC_OK with n == 0: no reading is left. On an error the position is empty.
gcdc_status position_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len);
// Drops readings that have no row of start entries: nothing can follow them.
void position_drop_unstarted(struct gcdc_matcher *m, struct position *p);
// The sets of p's mask, into list; drops readings that nothing can follow. GCDC_REJECTED: none is left, the mask is
// empty, the text not viable.
gcdc_status position_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list);
bool sets_have(const struct gcdc_artifact *a, const struct set_list *list, uint32_t token);
void sets_fill(const struct gcdc_artifact *a, const struct set_list *list, uint32_t *mask);
bool artifact_is_eos(const struct gcdc_artifact *a, uint32_t token);
void mask_eos(const struct gcdc_artifact *a, uint32_t *mask, size_t n_words);

static inline gcdc_status matcher_sets(struct gcdc_matcher *m)
{
	if (LIKELY(m->sets.valid)) return GCDC_OK;
	gcdc_status status = position_sets(m, m->now, &m->sets);
	return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;   // what was accepted is viable
}

#endif
