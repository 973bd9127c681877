// Hard canonical mode under budgets, inside the runtime: searches (price.c), completions (completion.c),
// masks (budget_mask.c, budget_inner.c).
#ifndef GCDC_CANONICAL_PRICE_H
#define GCDC_CANONICAL_PRICE_H

#include "../core/matcher_step.h"
#include "canonical.h"
#include "../budget/price.h"

#define HARD_NODES 4096u          // positions gone on from, to find what a position needs
#define HARD_TOKEN_NODES 256u     // the same for one token of a mask
#define HARD_MASK_NODES 32768u    // for all tokens of a mask; with aligned tables, near the end, an eighth
#define HARD_ANY (1u << 20)       // tokens: no completion is as long
#define HARD_MEMOS 32768u         // positions of which something is known; a power of two
#define HARD_COMPLETIONS 4096u    // completions that are kept
#define HARD_COMPLETION_KEPT 26u  // tokens of one of them
#define HARD_COMMON 64u           // completions that are tried wherever one is needed
#define HARD_COMMON_FIRST 32u     // that many of them when a mask begins
#define HARD_STACKS (1u << 20)    // stacks that are numbered; then all is forgotten

// Work of one mask, counted and not timed: what is not decided when it has done CANON_AFFORD_MAX is refused. In units
// of about a nanosecond, by kinds of steps: hard_work_cost.
enum hard_work_kind {
	WORK_TOKEN,   // looked up: its pair of place and class
	WORK_LEXER,   // led through the lexer, of all tokens
	WORK_ROW,     // of a row of tokens that stay in the lexeme
	WORK_APART,   // asked whether merges leave it apart
	WORK_EDGE,    // the same of all tokens at once
	WORK_TRIED,   // tried by a mask under a plain budget
	WORK_FIND,    // looked up in the probe cache
	WORK_GROUP,   // a place that is new there
	WORK_COMMON,  // looked at for a pair
	WORK_PARSER,  // the parser asked whether it ends the text
	WORK_PROBE,   // a token by itself
	WORK_REPLAY,  // a completion tried behind it
	WORK_STEP,    // a token of a search
	WORK_NODE,    // a position of a search
	WORK_LAYER,   // a mask of its successors
	WORK_KEEP,    // those of it that are canonical
	WORK_KINDS
};
extern const uint16_t hard_work_cost[WORK_KINDS];

// All that decides what a position with one reading and one stack needs. Numbers of stacks are equal when the stacks
// are.
struct hard_key {
	uint32_t lex_state, stack, columns, column;
	uint32_t last, n, way[MEMO_WAYS], split[MEMO_WAYS], live[2], begun, marks;
};
bool hard_key_of(struct gcdc_matcher *m, const struct position *p, struct hard_key *key);  // false: not such a one
uint64_t hard_hash(const struct hard_key *key);

struct hard_masks;
struct hard_stack {
	uint32_t parent, lr_state, id;
};  // id 0: free
struct hard_completion {
	struct hard_key key;
	uint64_t used;
	uint32_t n, tokens[HARD_COMPLETION_KEPT];
};  // key without place
// A common completion: it did at some place, and is tried wherever one is needed. hits: at how many places it did,
// halved with each mask.
struct hard_common {
	uint32_t n, hits, tokens[HARD_COMPLETION_KEPT];
};
struct hard_memo {
	struct hard_key key;
	uint32_t least, most, next;
};  // a completion has `least` tokens or more, `most` or fewer; its first
struct hard_level {
	struct position at;
	struct hard_key key;
	uint32_t token;           // that led here
	uint32_t first, at_next;  // of its candidates, in todo
	uint32_t enough, before;  // tokens that may follow those listed next; that may follow those listed last
	uint32_t less, until;     // those of the layer before that one; the first token that is not listed yet; or NONE
	uint32_t hint, tried;     // a token to try first, or NONE; the one that was
	uint32_t price;           // of the tables
	uint32_t n_aside;         // steps on the way here that brought the end no nearer
	uint32_t n_strays;        // of those from here
	bool has_key, listed;
};
// Of a family, beside its canonical cache.
struct hard_prices {
	struct hard_stack *stack;
	uint32_t n_stacks, stacks_cap;
	struct {
		uint32_t stamp, id;
	} * of_frame;  // [of_frame_cap]
	uint32_t of_frame_cap;
	struct vec32 path;
	struct hard_memo *memos;              // [HARD_MEMOS]
	struct hard_completion *completions;  // [HARD_COMPLETIONS]
	struct hard_common common[HARD_COMMON];
	uint32_t n_common, common_era;  // era: another one, and common ones have other numbers
	bool without_common;            // of the search at hand: those have been tried
	uint64_t clock;
	struct position after, end;  // end: while a completion is followed
	struct hard_level *level;
	uint32_t n_levels;
	struct vec32 todo, found;  // found: the tokens of a completion
	struct vec32 shortest;     // of those that were found
	struct set_list list;
	uint32_t *mask, *less;
	uint32_t n_nodes, limit;
	bool is_straight;  // of the search at hand: steps that bring the end no nearer are few
	uint32_t aside;    // how many those may be
	bool is_loose;     // of the search at hand: merges keep nothing apart from the token before it
	uint64_t n_all_nodes, n_refused;
	uint64_t work, work_end;  // of the mask at hand; no more than that, UINT64_MAX while none is made
	bool gave_up;             // the last mask asked for was made, and came to that
	bool is_cut,
		by_place;  // of the last search: not all was looked at; what it left out may be in order at another canonical
				   // place
	bool ends_by_newline;      // one may be supplied at the end, and is a token
	struct hard_masks *masks;  // budget_mask.c, which is above: it leaves pointers to what frees and forgets them
	void (*free_masks)(const gcdc_memory *memory, struct hard_masks *x);
	void (*forget_masks)(struct hard_masks *x);
};
static inline void hard_work(struct hard_prices *x, enum hard_work_kind kind, uint64_t n)
{
	x->work += n * hard_work_cost[kind];
}
static inline bool hard_is_spent(const struct hard_prices *x) { return x->work >= x->work_end; }
// Is there so much left?
static inline bool hard_can(const struct hard_prices *x, enum hard_work_kind kind, uint64_t n)
{
	return x->work < x->work_end && n * hard_work_cost[kind] <= x->work_end - x->work;
}
gcdc_status hard_prices_of(struct gcdc_matcher *m, struct hard_prices **x);
// Forgets all when too many stacks have numbers: between two calls of the matcher's only, as keys hold those.
void hard_trim(struct hard_prices *x);

// Are half of the prices taken for bounds? Aligned ones are mostly below twice the least; joined ones mostly are it.
static inline bool hard_halves(const struct gcdc_artifact *a)
{
	return a->cost_info->model != COST_EXACT && !(a->cost_info->flags & COST_JOINED);
}
// The fewest tokens that any completion can have: of a plain price. PRICE_NEVER stays.
uint32_t hard_least(const struct gcdc_artifact *a, uint32_t plain);
// Is there a completion of at most `most` tokens? Its tokens are x->found. x->is_cut: not found within `nodes`. Neither
// that nor x->by_place: the grammar has none, whatever the canonical place.
gcdc_status hard_close(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes, bool *found);
// The same by steps that mostly bring the end nearer. It finds some completion in a few dozen nodes where the other one
// is lost among the tokens that a lexeme goes on with; not found says nothing (x->is_cut).
gcdc_status hard_close_straight(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                                bool *found);
// The same whichever token is before p, if only the ways of p are as after it: none found then is none for any.
gcdc_status hard_close_loose(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                             bool *found);
// The shortest one, or, where a search was cut, a short one, never longer than the one p carries. PRICE_NEVER: there is
// none, of whatever length, or (x->is_cut) none was found.
gcdc_status hard_shortest(struct gcdc_matcher *m, const struct position *p, uint32_t *n);
// The same or a shorter one that was kept, so that it is never longer when asked again: with aligned prices, or where a
// search is cut, what is found depends on what is known.
gcdc_status hard_least_completion(struct gcdc_matcher *m, const struct position *p, uint32_t *n);
// The tokens of the last one that was found; why there was none.
const uint32_t *hard_completion_tokens(const struct gcdc_matcher *m);
gcdc_status hard_no_completion(const struct gcdc_matcher *m);
// `to`, which is empty, becomes the position after a token, its canonical place, too, without budget. Errors that mean
// "not here" are none.
gcdc_status hard_step(struct gcdc_matcher *m, struct position *to, const struct position *from, uint32_t token,
                      bool *goes);
// The tokens after which, by the plain prices, `enough` may do, into mask, EOS left out. p loses readings on which
// nothing may follow.
gcdc_status hard_fill(struct gcdc_matcher *m, struct position *p, uint32_t enough, uint32_t *mask, bool *any);
// Are the tokens a canonical way to an end behind p?
bool hard_closes(const struct gcdc_artifact *a, const struct canonical_place *p, const uint32_t *tokens, uint32_t n);

// ---- completion.c
// The next token of the completion that p carries, or NONE.
static inline uint32_t hard_next_of_completion(const struct gcdc_matcher *m, const struct position *p)
{
	return p->completion && p->completion != FRAME_BOTTOM ? m->pool->at[p->completion].lr_state : ARTIFACT_NONE;
}
// A completion of at most `most` tokens behind p: one that is kept, or a new one. As hard_close.
gcdc_status hard_find_completion(struct gcdc_matcher *m, const struct position *p, uint32_t most, uint32_t nodes,
                                 bool *found);
// The common ones that did most come first; the last ones make room.
void hard_sort_common(struct hard_prices *x);
// Does the text end behind p and these tokens, for the grammar?
gcdc_status hard_ends_behind(struct gcdc_matcher *m, const struct position *p, const uint32_t *tokens, uint32_t n,
                             bool *ends);
// p gets the completion that was found last, if it is to have one.
gcdc_status hard_take_completion(struct gcdc_matcher *m, struct position *p, bool has_one);
// A completion within p's budget, whatever p had. GCDC_REJECTED: there is none.
gcdc_status hard_begin(struct gcdc_matcher *m, struct position *p);
// The token was the last step of p, which still has the completion from before it: the new one. p->left: after the
// token.
gcdc_status hard_spend(struct gcdc_matcher *m, struct position *p, uint32_t token);
// Is the token, canonical next, allowed by p's budget?
gcdc_status hard_affords(struct gcdc_matcher *m, const struct position *p, uint32_t token, bool *yes);
// What p needs behind a token.
gcdc_status hard_min_after(struct gcdc_matcher *m, const struct position *p, uint32_t token, uint32_t *n);

// ---- budget_mask.c
// mask, tokens that are canonical next, keeps those after which p's budget suffices. fewer: NULL, or of some the budget
// is far away, and mask is the hard mask without one.
struct far_fewer;
gcdc_status hard_afford(struct gcdc_matcher *m, const struct position *p, const struct far_fewer *fewer, uint32_t *mask,
                        bool *empty);

#endif
