// What the runtime's files share: positions in a text, the sets of their masks, the matcher.
//
// The artifact that they read is opened_artifact.h, their stacks are frame_pool.h, their lists containers.h.
#ifndef GCDC_RUNTIME_INTERNAL_H
#define GCDC_RUNTIME_INTERNAL_H

#include "../../../formats/artifact.h"
#include "../../include/gcdc/runtime.h"
#include "../../shared/hash.h"
#include "../../shared/search.h"
#include "../../shared/section_codec.h"
#include "../../shared/utf8.h"
#include "branch_hints.h"
#include "canonical_place.h"
#include "containers.h"
#include "frame_pool.h"
#include "opened_artifact.h"
#include "parts.h"

#include <assert.h>
#include <string.h>

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
	uint32_t left_out;                 // a set of those that are not allowed, either; 0: none
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
	uint32_t max_readings, max_stacks, max_rollback, max_depth, max_work;
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
// to, which has no completion, gets from's; copies do not have it.
void position_share_completion(struct gcdc_matcher *m, struct position *to, const struct position *from);
gcdc_status position_copy(struct gcdc_matcher *m, struct position *to, const struct position *from);  // to is empty
void position_start(struct gcdc_matcher *m, struct position *p);  // p, which is empty, is where all texts begin

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
