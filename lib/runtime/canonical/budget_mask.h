// Masks under budgets in hard canonical mode: all that a family of matchers keeps of them, and a mask while it is made.
#ifndef GCDC_CANONICAL_BUDGET_MASK_H
#define GCDC_CANONICAL_BUDGET_MASK_H

#include "price.h"

#define VERDICTS 128u  // pairs of rows
#define COLUMNS 64u    // pairs of rows
#define INNER 32u      // lexer states
#define ENDS_KEPT 32u  // the same
#define INNER_TO 4u    // rows of one
#define TOLD_READINGS 8u
#define TOLD 8u       // masks
#define CLOSES 4096u  // pairs of a completion and a class of tokens; a power of two

// joint: yes only together with the token before. What is known to be no, is so up to `most`.
struct verdicts {
	struct hard_key key;
	uint64_t used;
	uint32_t slack, most, *known, *yes, *joint;
	bool has_joint;
};
struct column {
	struct hard_key key;
	struct canonical_place behind;
	uint64_t used;
	uint32_t token, *known, *yes;
};
struct inner {
	uint64_t used;
	uint32_t lex_state, n, to[INNER_TO], *row[INNER_TO];
};
// Where tokens lead from a lexer state if they end no lexeme but such as are ignored, behind each of which the lexer
// goes on in this context (NONE: if they end none); or 0.
struct ends {
	uint64_t used;
	uint32_t lex_state, context;
	bool asks;     // the context matters
	uint16_t *to;  // [n_tokens]
};
// Of the completions that a lexer state has been asked for, those that do; its price. Of an era, as what follows.
struct replay_lexeme {
	uint64_t known, yes;
	uint32_t era, price;
	bool has_price;
};
struct hard_group {
	uint32_t first, n;
	uint32_t lex_state, stack;  // stack 0: none that has a number
	struct replay_lexeme closes;
	bool is_dead;
};  // n NONE: no completion yet
// Where tokens of a class lead, as the first of a piece and as a later one.
struct hard_behind {
	struct canonical_place after[2];
	enum { BEHIND_UNKNOWN, BEHIND_NONE, BEHIND_PLACE } is[2];
};
// Does a completion end the text behind tokens of a class? Bit 0: as the first of a piece; bit 1: if merges leave the
// two apart. stamp: the mask that it is of.
struct hard_does {
	uint32_t completion, class, stamp;
	uint8_t bits;
};

// budget_replay.c
#define REPLAY_ENDS 8192u   // ways for a completion to end a lexeme; a power of two
#define REPLAY_PAIRS 8192u  // lexer states and classes; a power of two
#define REPLAY_SOME 6u      // completions that do for some tokens of a pair
#define REPLAY_UNKNOWN UINT8_MAX
struct replay_end {
	uint32_t completion, era, stack, at, next, terminal, obligation, flags, line, also;
};
struct replay_known {
	struct replay_end end;
	bool yes;
};
struct replay_pair {
	uint32_t era, place, class,
		begun;               // begun: bytes of the character that its tokens end inside of; of NO_CLASS the one
	uint32_t n_seen, nodes;  // completions that have been looked at; of a search that was cut
	bool is_sure;            // one does for all tokens
	uint8_t n_some, some[REPLAY_SOME];  // these do for some: number << 2 | how
};
// Where tokens lead from: the position itself; where its lexeme has ended.
#define REPLAY_BASES 2u
struct replay_base {
	struct position at;  // its canonical place does not count
	uint32_t lex_state, context;
	const uint16_t *ends;  // of struct ends; NULL: it is not worth while
	bool is_there;
};
struct replay {
	struct replay_base base[REPLAY_BASES];
	struct replay_known *ends;      // [REPLAY_ENDS]
	struct replay_lexeme *lexemes;  // [REPLAY_BASES * n_lex_states]
	struct replay_pair *pairs;      // [REPLAY_PAIRS]
	uint8_t *does;                  // [TOKEN_CLASSES * HARD_COMMON]
	uint32_t era;                   // of those
	bool ends_lexeme[256];          // bytes before which the second base begins
};

// Tokens that merges leave apart from one behind them, as far as that is known.
#define APART_ROWS 32u  // a power of two
struct apart {
	uint32_t right, n, *known, *yes;  // right: the token + 1, 0: free; n: tokens asked for
};

// What depends on tokens and lexer alone: kept as long as the cache, for the families that take it over.
struct hard_tokens {
	struct inner inner[INNER];
	struct ends ends[ENDS_KEPT];
	struct apart apart_from[APART_ROWS];
	uint32_t *join_time;  // [n_tokens] while a row of those is made; NULL until then
	uint64_t clock;
};

// A mask as it was told last: the same position has the same one, whatever has been found out since. Positions without
// a key are told by their readings, whose frames are the same as long as their stamps are.
struct told_reading {
	uint32_t lex_state, frame, stamp, columns, columns_stamp;
};
struct told {
	struct hard_key key;
	uint32_t n, column;  // readings; 0: the key tells
	struct told_reading reading[TOLD_READINGS];
	struct canonical_place place;
	uint64_t used;
	uint32_t left, eos, next, *row;
};

struct hard_masks {
	struct verdicts verdicts[VERDICTS];
	struct told told[TOLD];
	struct column columns[COLUMNS];
	struct hard_tokens *kept;  // the cache's
	uint64_t clock;
	struct replay replay;
	struct probe_cache probe_cache;
	struct position here, after;
	struct hard_group *group;
	uint32_t n_groups, groups_cap;
	struct hard_behind *behind;  // [TOKEN_CLASSES]
	struct hard_does *does;      // [CLOSES]
	uint32_t does_stamp;         // of the mask at hand
	uint32_t most;               // tokens that may follow, of the mask at hand
	struct vec32 tokens;         // of the groups' completions
	uint32_t *count;             // tokens that lead to each
	uint32_t *remainder, *apart, *near;
};

// A mask while it is made: for a position, whose key is kept (v NULL: it is not), of tokens after which `near` may
// follow as far as is kept (x->most: at all). remainder: those of the mask of which it is not known yet.
struct hard_making {
	struct gcdc_matcher *m;
	struct hard_masks *x;
	const struct position *p;
	const struct hard_key *key;
	struct verdicts *v;
	uint32_t near;
	uint32_t *mask, *remainder;
	bool has_groups;  // tokens can be asked for their group
};

// budget_inner.c
// Two rows, empty. False: no memory.
bool hard_rows_clear(const struct canonical_cache *cache, uint32_t **a, uint32_t **b);
bool hard_place_same(const struct canonical_place *a, const struct canonical_place *b);
// The place behind a token that is canonical behind p; false: it is not.
bool hard_step_first(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t token,
                     struct canonical_place *after);
// Rows of tokens that stay in the lexeme: the remainder loses those that fit, the mask those that the grammar has no
// completion for.
gcdc_status hard_take_inner(struct hard_making *k);
// x->after becomes where a token that stays in the lexeme leads.
gcdc_status hard_enter_row(struct gcdc_matcher *m, struct hard_masks *x, const struct position *p, uint32_t lex_state,
                           const struct canonical_place *place);

// Are there so many tokens that it is worth while to look at the whole vocabulary?
bool hard_has_many(const struct hard_making *k);

// budget_ends.c
// Where the token leaves the lexer if it ends no lexeme but such as are ignored, behind each of which the lexer goes on
// in this context (NONE: if it ends none); else 0.
uint32_t hard_stays(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t context, uint32_t token);
// The state that the lexer begins with; 0: there is none.
static inline uint32_t hard_lex_start(const struct gcdc_artifact *a, uint32_t obligation, uint32_t context)
{
	return a->lex_start[(uint64_t)obligation * a->info.n_contexts + context];
}
// The same of all tokens; NULL where lexer states have longer numbers.
gcdc_status hard_ends_of(struct gcdc_matcher *m, struct hard_masks *x, uint32_t lex_state, uint32_t context,
                         const uint16_t **out);

// budget_apart.c
bool hard_is_apart(struct gcdc_matcher *m, struct hard_masks *x, uint32_t token, uint32_t right);
// All of them. time: [n_tokens], for the function to use.
void hard_apart_row(const struct gcdc_artifact *a, uint32_t right, uint32_t *time, uint32_t *row);

// budget_groups.c
// The tokens of a group have their position in common: the first is in x->after.
gcdc_status hard_group_of(struct gcdc_matcher *m, struct hard_masks *x, uint32_t token, struct hard_group **g);
// x->after becomes the position behind the token, if it is empty. *goes: some text leads on.
gcdc_status hard_enter_token(struct hard_making *k, uint32_t token, bool *goes);
// The token's group as a place of budget_replay.c, or NONE; x->after may be the position behind it.
gcdc_status hard_group_place(struct hard_making *k, uint32_t token, uint32_t *place);

// budget_replay.c
bool hard_replay_new(const struct gcdc_matcher *m, struct replay *x);  // false: no memory
void hard_replay_free(const gcdc_memory *memory, struct replay *x);
gcdc_status hard_replay_begin(struct hard_making *k);
void hard_replay_end(struct hard_making *k);
// The remainder loses tokens behind which a completion does that is at hand. is_plain: of k's place.
gcdc_status hard_replay(struct hard_making *k, bool is_plain);
// The same for one token. *pair: what is known of such; all completions at hand have been tried. NULL: it is of none.
gcdc_status hard_replay_token(struct hard_making *k, uint32_t token, bool is_plain, bool *yes,
                              struct replay_pair **pair);
// Is it known of all tokens where they lead that end at most the position's lexeme? Else each is led through the lexer.
bool hard_replay_has_places(const struct hard_making *k);
// Is it known already that one does, for all tokens like this? Of those that end at most the position's lexeme.
bool hard_replay_is_sure(const struct hard_making *k, uint32_t token, bool is_plain);
// Of a token that was told: a search was cut.
gcdc_status hard_replay_failed(struct hard_making *k, uint32_t token, bool is_plain, uint32_t nodes);
// Do prices promise no completion that is short enough, behind a token of the pair?
gcdc_status hard_replay_dear(struct hard_making *k, const struct replay_pair *pair, uint32_t token, bool *yes);
// *after: the place behind the token, found once for its class. False: it is not canonical so.
bool hard_step_class(struct hard_making *k, uint32_t token, uint32_t class, uint32_t how,
                     struct canonical_place *after);

#endif
