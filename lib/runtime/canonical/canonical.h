// Canonical tokenization at run time: where a text stands between the tokenizer's pieces, and what that lets through.
#ifndef GCDC_RUNTIME_CANONICAL_H
#define GCDC_RUNTIME_CANONICAL_H

#include "../../shared/hash.h"
#include "../core/canonical_place.h"

struct gcdc_artifact;
struct gcdc_matcher;
struct position;
struct set_list;
struct section_file;

#define CANON_CACHE_ROWS 1024u  // rows that a family of matchers keeps for what last tokens leave, V / 8 bytes each

void canonical_start(const struct canonical_tables *c, struct canonical_place *p);
// Behind bytes that are no tokens: as if the text began there, or, inside a character, with that one, whatever began
// it.
void canonical_bytes(const struct canonical_tables *c, struct canonical_place *p, const uint8_t *s, size_t len);
// One more token. False: no canonical sequence begins so; *p is then of no use.
bool canonical_step(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token);
// The same if the token before does not matter: how 0: it is the first of a piece; 1: it is that or a later one.
bool canonical_step_as(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, uint32_t how);
// May the text end here?
bool canonical_ends(const struct canonical_tables *c, const struct canonical_place *p);
uint32_t canonical_split_child(const struct canonical_tables *c, uint32_t node, uint32_t token);  // 0: none
bool canonical_adjacent(const struct canonical_tables *c, uint32_t a, uint32_t b);
// When the right edge x of a token is joined to b, if it is there until then; UINT32_MAX: never.
uint32_t canonical_join_time(const struct canonical_tables *c, uint32_t x, uint32_t b);
// May a character of this group come behind the way, as far as its border is known?
bool canonical_way_takes(const struct canonical_tables *c, const struct canonical_way *w, uint32_t group);

// Rows of bits, one a token.
static inline bool row_has(const uint32_t *row, uint32_t t) { return row[t / 32] >> t % 32 & 1; }
static inline void row_add(uint32_t *row, uint32_t t) { row[t / 32] |= 1u << t % 32; }
static inline void row_drop(uint32_t *row, uint32_t t) { row[t / 32] &= ~(1u << t % 32); }
static inline bool row_is_empty(const uint32_t *row, uint32_t words)
{
	uint32_t i = 0;
	while (i < words && !row[i]) i++;
	return i == words;
}

// What a family of matchers keeps. Rows of a set of states: tokens whose first character surely begins a piece,
// whatever follows it; whose first character is in order whether it begins one or goes on.
enum canonical_row_kind { ROW_SURE, ROW_EITHER, ROW_KINDS };
#define CANON_CUTS 16384u            // what last tokens take from rows; a power of two
#define CUT_PLACES 8u                // that one may be in, by its hash
#define CANON_CUT_BYTES (16u << 20)  // of all words
#define CUT_TOKENS 600u              // joined more than so many, and a row is shared
#define CANON_UNIONS 32u             // rows of several ways side by side; a power of two
#define CANON_UNION_PLACES 4u
// Rows of ways to have cut, set * 2 + (no piece may end here): tokens that may begin a piece; these and all byte tokens
// (the same where there are none); all that may come behind some token.
struct way_rows {
	uint32_t n, set[CANON_MAX_WAYS], *begins, *start, *all;
};
struct shared_row {
	uint64_t ways_x;
	uint32_t until, *row;
	uint64_t used, stamp;
};  // stamp: of what it is now
struct cut {
	struct shared_row *shared;
	uint64_t stamp, used;
	uint32_t n;
	struct cut_word {
		uint32_t word, stays;
	} * words;
};                             // NULL: all
#define CANON_PLACES 16u       // that a row may be in, by its hash: the one not used for longest makes room
#define CANON_PROBE_DEPTH 24u  // tokens ahead that a search for an end looks at
#define CANON_PROBE_MAX 4096u  // places that it looks at, for one token
// Work of one mask (gcdc_matcher_options.max_work) is counted in units of about 1 ns: of a mask under a budget as
// hard_work_cost (price.h) says; that of searches in steps of 20 units. Measured fills of SQL, Go and Java need less
// than GCDC_DEFAULT_WORK; with a third of it some lose tokens.
#define CANON_WORK_UNIT 20u
#define CANON_WORK_MAX (GCDC_DEFAULT_WORK / CANON_WORK_UNIT)
#define CANON_MANY 4096u
#define CANON_WORK_TRY 32u       // a place
#define CANON_WORK_INSIDE 2u     // a token that a lexeme may go on with
#define CANON_WORK_ROW_PART 24u  // a row: its words by this
#define CANON_HINTS 1024u        // tokens that led on; a power of two
#define CANON_LIVE 8192u         // first bytes of sets of tokens
#define CANON_BLOCKED 8192u      // tokens whose merges are known; a power of two
#define CANON_PAIRS 65536u       // pairs of tokens of which it is known whether merges leave them apart; a power of two
#define CANON_MEMOS 32768u       // positions whose dead ends are known, of each level; a power of two
#define CANON_MEMO_BYTES (16u << 20)  // of their keys and tokens; then of some the one not used for longest gives way
#define MEMO_TOKENS 4096u             // tokens of one of them, at most
#define MEMO_FRAMES 6u                // of the second level
#define MEMO_STACK 56u                // of the third: mostly whole stacks
#define MEMO_PLACES 8u                // that a memo may be in, by its hash
#define MEMO_SETS 12u
#define MEMO_EXTRA 8u
#define MEMO_WAYS 4u
#define MEMO_COLUMNS 8u
enum memo_part { MEMO_DEAD, MEMO_TOGETHER, MEMO_ALWAYS };
// All that decides what becomes of the tokens asked for, but for the token before and what lies below the frames.
struct memo_key {
	uint32_t n, n_head, n_frames;  // words; that all levels have; frames, from n_head on
	bool by_columns;
	uint32_t word[7 + 2 * MEMO_WAYS + MEMO_STACK + MEMO_SETS + MEMO_EXTRA + MEMO_COLUMNS];
};
enum memo_level { MEMO_NEAR, MEMO_FAR, MEMO_WHOLE, MEMO_LEVELS };  // the top of the stack; some frames; many
struct memo {
	// The key's words; tokens: dead ends; dead unless together with the token before; to be asked for each time.
	uint32_t *words;
	uint32_t n_key, n_dead, n_together, n_always;
	uint32_t content, before, era;  // finished_content, of an era; 0: not asked for yet
};
static inline const uint32_t *memo_tokens(const struct memo *x) { return x->words + x->n_key; }
static inline uint32_t memo_bytes(const struct memo *x)
{
	return x->words ? (x->n_key + x->n_dead + x->n_together + x->n_always) * (uint32_t)sizeof *x->words : 0;
}
// What memos say of a position's tokens. rest: to be asked for each time. content: finished_content of all, 0: that is
// not all. is_there: not all is to be asked for.
struct canonical_lists {
	const struct memo *memo[MEMO_LEVELS];
	uint32_t n, content, n_rest;
	const uint32_t *rest;
	bool is_there;
};
struct memo_tag {
	uint32_t hash;
	bool is_made;  // the memo has been cleared
	uint64_t used;
};  // used 0: free. Beside the memos, so that they lie together
// What the lexeme and the top of the stack tell of a place; kept verdicts.
enum canonical_verdict { CANON_NO_VERDICT, CANON_UNKNOWN, CANON_ALIVE, CANON_DEAD };
#define CANON_INSIDE 32768u
#define CANON_FOUND 16384u  // verdicts of searches; a power of two
struct inside_key {
	uint32_t lex_state, lr_state, last, n, way[MEMO_WAYS], split[MEMO_WAYS], live[2], begun, home;
};
struct kept_verdict {
	struct inside_key key;
	uint32_t ahead;  // tokens of the way that was found
	enum canonical_verdict verdict;
};
// Rests that may end a character in a lexer state, whichever token began it: token * 4 + enum canonical_verdict of what
// lies behind. They differ for the tokens that began it only by which of them merges leave apart.
#define CANON_RESTS 512u
// Tokens that the lexer takes in a state in which few bytes may come: by themselves, where they are few.
#define CANON_TAKES 1024u   // such states; a power of two
#define TAKES_MOST 48u      // tokens of one
#define TAKES_LOOKED 8192u  // tokens with these first bytes
struct lexer_takes {
	uint32_t lex_state, n;  // lex_state 0: free; n TAKES_MOST + 1: too many
	uint32_t token[TAKES_MOST];
};
struct known_rests {
	struct inside_key key;          // last: CANON_NO_VERDICT
	uint64_t stamp;                 // 0: free; of what it is now
	uint32_t n, cap, seen, *rests;  // seen: of the tokens that may come inside characters
	uint32_t ahead;                 // tokens behind those that lead on, at most
};
#define BEGUN_KEPT 512u  // first bytes of characters whose kinds are known; a power of two
#define BEGUN_WORDS 4u   // kinds by 64
struct canonical_probe;
struct found_verdict;
struct finished_masks;
struct hard_prices;
struct hard_tokens;
struct far_tables;
struct canonical_cache {
	uint32_t users;
	const gcdc_memory *memory;
	uint32_t words, n_sets, n_classes;
	uint32_t **by_set;                  // [ROW_KINDS * n_sets] rows by enum canonical_row_kind, NULL: not made yet
	uint32_t *inside;                   // row: tokens that begin inside a character, or are byte tokens
	uint32_t *inside_tokens, n_inside;  // the same as a list
	uint32_t *added;                    // row: added tokens that are text, and EOS
	uint32_t **by_class;                // [n_classes] rows of tokens
	uint32_t *joint;                    // row: tokens that merges make
	uint32_t n_bytes, bytes[256];       // byte tokens
	uint32_t *scratch[2], *mask;        // mask: the caller's, until the next call
	uint32_t *touched[2];               // words of a row that a new cut changes; a bit for each
	struct way_rows *ways;              // [2 * n_sets] of one way; [CANON_UNIONS] of several
	uint64_t cut_keys[CANON_CUTS];      // ways and last token, 0: free. Beside the cuts, so that they lie together
	struct cut cuts[CANON_CUTS];
	struct shared_row shared[CANON_CACHE_ROWS];
	size_t cut_bytes;
	uint32_t hand;  // where the next cut may go
	// Tokens by their first byte, ascending: [first_at[b], first_at[b + 1]); rows of them, NULL: not made yet.
	uint32_t *by_first_byte, first_at[257], *by_first[256];
	struct behind {
		uint64_t sure[2], either[2];
	} * behind;  // [n_sets] ASCII characters that lead on
	struct blocked {
		uint32_t token;
		uint64_t byte[4];
	} * blocked;  // [CANON_BLOCKED] first bytes that may be joined to a right edge
	// First bytes of the tokens of ROW_SURE and ROW_EITHER of a set of states that are in a set of tokens.
	struct lead_bytes {
		uint32_t tokens, set;
		uint64_t sure[4], either[4];
	} leads[CANON_LIVE];
	// ASCII characters that are tokens by themselves, NONE: there is none; those of them that a set of tokens has.
	uint32_t char_token[128];
	struct set_chars {
		uint32_t tokens;  // 0: free
		struct artifact_canon_chars chars;
	} set_chars[CANON_LIVE];
	struct memo *memos[MEMO_LEVELS];  // [CANON_MEMOS]
	uint32_t n_memos;                 // of them that are used: all; fewer in tests, a power of two
	// Of all levels; CANON_MEMO_BYTES, less in tests; where the next one may go, level by level.
	uint32_t memo_bytes, memo_bytes_most, memo_hand;
	struct memo_tag *tags[MEMO_LEVELS];
	struct finished_masks *finished;  // finished.c; NULL until a memo is numbered
	struct known_nodes *known;        // verdict_cache.c; NULL until a memo is made
	uint32_t *draft;                  // [MEMO_TOKENS]
	struct kept_verdict *verdicts;    // [CANON_INSIDE], those that verdict_is_made has
	uint32_t verdict_is_made[CANON_INSIDE / 32];
	struct found_verdict *found;  // [CANON_FOUND] found_cache.c; NULL until a search has ended
	struct known_rests *rests;    // [CANON_RESTS]
	struct begun_groups {
		uint32_t key;  // 0: free
		uint64_t groups[BEGUN_WORDS];
	} begun[BEGUN_KEPT];        // kinds of characters that begin with some bytes
	struct lexer_takes *takes;  // [CANON_TAKES]
	struct known_pair {
		uint32_t left, right;
	} * pair_map;                 // [CANON_PAIRS] left + 1, right * 2 + the answer
	uint32_t hints[CANON_HINTS];  // by lexer state, top of the stack and place; 0: none
	uint32_t *inside_rows[4];
	struct canonical_probe *reading;  // of a position with several: one of them by itself
	uint32_t *readings_row;           // what those looked at have left
	uint64_t clock;
	struct canonical_probe *tries;  // [CANON_PROBE_DEPTH]
	uint32_t n_tries;
	uint32_t work, work_most;  // of the searches of the mask at hand, in steps; less in tests
	uint32_t afford_most;      // of one under a budget, in units; less in tests
	// Ways that searches have found: tokens, from the one asked for on, and lexemes that those behind it may end; then
	// tokens inside a lexeme. The greatest of all, of tokens in `led`; those of the way found last.
	struct canonical_ahead {
		uint32_t steps, ends, inside;
	} ahead, found_ahead;
	uint32_t inside_most;     // of ways of one token
	uint32_t *led;            // row: tokens that have led on by longer ones
	struct far_tables *far;   // far.c; NULL until it is asked for
	uint32_t n_searched;      // tokens of the mask at hand that no memo, lexeme or top of the stack told of
	uint32_t many;            // tokens, for which it is worth while to look at the whole vocabulary; less in tests
	bool is_search;           // rows made now are not worth keeping
	bool is_cut, read_lines;  // the search at hand left something out; it read columns
	uint32_t least;           // depth of the deepest frame it read
	struct token_classes *classes;  // token_classes.c, under budgets; NULL until one is asked for
	struct token_ordered *order;    // [n_tokens] by their bytes; as classes
	struct hard_prices *prices;     // the same
	struct hard_tokens *tokens;     // as classes
	void (*free_tokens)(const gcdc_memory *memory, struct hard_tokens *x);
	void (*free_prices)(const gcdc_memory *memory, struct hard_prices *x);  // with prices, whose file is above
};
// cache.c
void canonical_cache_leave(const struct gcdc_artifact *a, struct canonical_cache *cache);
void canonical_caches_free(struct gcdc_artifact *a);  // those that are parked
void canonical_cache_join(struct canonical_cache *cache);
struct canonical_cache *canonical_cache_of(struct gcdc_matcher *m);  // NULL: no memory
uint32_t *canonical_mask_row(struct gcdc_matcher *m);  // the family's, until the next call; NULL: no memory
uint32_t *canonical_row_new(const struct canonical_cache *cache);
const uint32_t *canonical_set_row(struct gcdc_matcher *m, uint32_t set,
                                  enum canonical_row_kind kind);  // NULL: no memory

// mask.c: mask keeps what canonical sequences go on with from p, if only by one token; EOS, too. *empty: nothing.
gcdc_status canonical_keep(struct gcdc_matcher *m, const struct canonical_place *p, uint32_t *mask, bool *empty);
// sets_fill and canonical_keep in one pass.
gcdc_status canonical_fill(struct gcdc_matcher *m, const struct canonical_place *p, const struct set_list *list,
                           uint32_t *mask, bool *empty);
// filter.c: writes the mask of a position whose sets are in list, as far as it is canonical. Hard: only what can be
// gone on with to the end; GCDC_ERR_CANONICAL when there is nothing. Soft: when nothing is left the mask stays,
// *relaxed says so.
gcdc_status canonical_filter(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                             uint32_t *mask, bool *relaxed);
// Is the token, which the grammar allows at p, in the filtered mask?
gcdc_status canonical_allows(struct gcdc_matcher *m, struct position *p, const struct set_list *list, uint32_t token,
                             bool *allowed);
// Dead ends go. canonical_survives: of one token, for which canonical_step says yes.
gcdc_status canonical_prune(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                            uint32_t *mask, bool *empty);
// canonical_fill and canonical_prune.
gcdc_status canonical_hard_fill(struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                                uint32_t *mask, bool *empty);
// canonical_is_unsettled: is there a doubt?
bool canonical_is_unsettled(const struct gcdc_matcher *m, const struct position *p, uint32_t token);
gcdc_status canonical_survives(struct gcdc_matcher *m, const struct position *p, uint32_t token, bool *survives);
// Counts work of the searches for one mask. GCDC_ERR_SEARCH: there is no more.
static inline gcdc_status canonical_work(struct canonical_cache *cache, uint32_t work)
{
	cache->work = work < cache->work_most - cache->work ? cache->work + work : cache->work_most;
	return cache->work == cache->work_most ? GCDC_ERR_SEARCH : GCDC_OK;
}
// The token that led on last where the lexer, the stack's top and the tokenizer stood so: likely it does again, so it
// is looked at first. Any number does no harm.
static inline uint32_t *canonical_hint(struct canonical_cache *cache, uint32_t lex_state, uint32_t lr_state,
                                       const struct canonical_place *p)
{
	uint64_t hash = hash_pair(lex_state, lr_state);
	if (p->n_ways) hash = hash_add(hash, (uint64_t)p->way[0].set << 32 | p->way[0].pending);
	for (uint32_t i = 0; i < p->n_begun; i++) hash = hash_add(hash, p->begun[i]);
	return &cache->hints[hash >> 40 & (CANON_HINTS - 1)];
}
// A token leads on by the way that was found last.
static inline void canonical_note_ahead(struct canonical_cache *cache, uint32_t token)
{
	struct canonical_ahead *most = &cache->ahead;
	const struct canonical_ahead *own = &cache->found_ahead;
	if (own->steps <= 1 && own->inside > cache->inside_most) cache->inside_most = own->inside;
	if (own->steps <= 1) return;
	row_add(cache->led, token);
	if (own->steps > most->steps) most->steps = own->steps;
	if (own->ends > most->ends) most->ends = own->ends;
	if (own->inside > most->inside) most->inside = own->inside;
}
static inline uint32_t canonical_work_row(const struct canonical_cache *cache)
{
	return cache->words / CANON_WORK_ROW_PART + 1;
}
// begun.c: p is inside a character. False: no character that begins so may come there.
bool canonical_may_end_character(struct gcdc_matcher *m, const struct canonical_place *p);
// Is there a canonical way on behind a token that the grammar allows at p? behind: the place behind it; NULL: as
// canonical_step has it. GCDC_ERR_SEARCH: not found within the limits. m->cache->least and .read_lines then say what
// the answer rests on.
gcdc_status canonical_search(struct gcdc_matcher *m, const struct position *p, uint32_t token,
                             const struct canonical_place *behind, bool *found);
// Does the text surely go on from p, not inside a character? By characters that may come there; by a set of tokens that
// the grammar allows there.
struct canonical_live {
	const struct canonical_place *p;
	uint64_t blocked[4];  // first bytes that merges may join to the last token
	uint64_t live[4];     // first bytes that go on in an added token's text
};
gcdc_status canonical_live_begin(struct gcdc_matcher *m, const struct canonical_place *p, struct canonical_live *l);
bool canonical_live_chars(struct gcdc_matcher *m, const struct canonical_live *l,
                          const struct artifact_canon_chars *some);
// By a set and what a node reads below it, whatever that is; before: something was allowed before.
gcdc_status canonical_live_from(struct gcdc_matcher *m, const struct canonical_live *l, uint32_t tokens, uint32_t node,
                                bool before, bool *yes);
gcdc_status canonical_live_set(struct gcdc_matcher *m, const struct canonical_live *l, uint32_t tokens, bool *yes);
// What the lexer state and the top of the stack (0: whatever it is) have for sure: does it lead on from p, or may the
// text end? l: as begun for p, NULL inside a character.
gcdc_status canonical_first_look(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state,
                                 const struct canonical_place *p, const struct canonical_live *l, bool *yes);
gcdc_status canonical_inside(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state,
                             const struct canonical_place *p, enum canonical_verdict *verdict);
// The same behind a token that the grammar allows in lex_state; p: the place behind it.
gcdc_status canonical_inside_behind(struct gcdc_matcher *m, uint32_t lex_state, uint32_t lr_state,
                                    const struct canonical_place *p, uint32_t token, enum canonical_verdict *verdict);
// Can the lexer be sure to go on in the same lexeme? If not, canonical_inside_behind tells nothing.
bool canonical_is_inside(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t lr_state, uint32_t token);
const uint32_t *canonical_first_row(struct gcdc_matcher *m,
                                    uint8_t byte);  // tokens that begin with it; NULL: no memory
bool canonical_begins_with_mark(const struct gcdc_artifact *a, uint32_t token);  // one that may join what is before it
// Are the token's first characters, by this enum canon_step, in order whatever follows them, and do they join nothing
// before?
bool canonical_surely_live(const struct gcdc_artifact *a, uint32_t set, uint32_t token, uint32_t how);
// The ASCII characters of which that can be said, and those of which what follows decides. first: they must join
// nothing before.
struct canonical_chars {
	uint64_t sure[2], open[2];
};
void canonical_chars(const struct canonical_tables *c, uint32_t set, uint32_t how, bool first,
                     struct canonical_chars *out);
// Behind one of them; 0: it may not come.
uint32_t canonical_set_behind(const struct canonical_tables *c, uint32_t set, uint32_t ch, uint32_t how);
// The place after a token that canonical_allows has let through. *relaxed: it is not canonical.
void canonical_advance(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, bool *relaxed);

// One regular expression, regex.c. knows: the tables say all about the position, and nothing is to be
// searched for.
gcdc_status regex_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status regex_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
bool regex_knows(const struct gcdc_artifact *a, const struct position *p);
void regex_prune(const struct gcdc_artifact *a, const struct position *p, uint32_t *mask, bool *empty);
bool regex_survives(const struct gcdc_artifact *a, const struct position *p, uint32_t token);

gcdc_status canonical_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
// The same sections in a compiled vocabulary; the mode stays the artifact's.
gcdc_status canonical_attach(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status canonical_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
void canonical_ready(struct gcdc_artifact *a);  // after both

#endif
