// Canonical tokenization at run time: where a text stands between the tokenizer's pieces, and what that lets through.
#ifndef GCDC_RUNTIME_CANONICAL_H
#define GCDC_RUNTIME_CANONICAL_H

#include "../../formats/artifact.h"
#include "../include/gcdc/runtime.h"

struct gcdc_artifact;
struct gcdc_matcher;
struct position;
struct set_list;
struct section_file;

// The sections, as formats/canonical.h has them.
struct canonical_tables {
	const struct artifact_canon *info;   // NULL: none
	const struct artifact_canon_pair *parts;
	const uint32_t *time, *place, *at, *first;
	const struct artifact_canon_join *joins;
	const struct artifact_canon_pair *patches;
	const uint16_t *class_of, *pages, *chars;
	const struct artifact_canon_kind *kinds;
	const uint16_t *steps;
	const uint32_t *sets;
	const uint8_t *allow;
	const struct artifact_canon_node *added;
	const struct artifact_canon_split *splits;
	const uint32_t *bad, *joints;
	const struct artifact_canon_list *marks;
	uint32_t added_root[256];            // children of the root by byte, 0: none
};

// Where the grammar is one regular expression: its dead ends.
struct regex_tables {
	const struct artifact_regex *info;   // NULL: none
	const struct artifact_regex_state *of;
	const struct artifact_suspect *suspects;
	const uint64_t *dead;
	const uint16_t *alike;
};

#define CANON_MAX_WAYS 8u    // sets of states side by side; more than one only where tokens exist that merges do not make
#define CANON_MAX_LIVE 8u    // beginnings of added tokens at the end of the text
#define CANON_CACHE_ROWS 512u // masks that a family of matchers keeps, V / 8 bytes each

// Where a text stands. Plain data: copied as it is.
struct canonical_place {
	uint32_t last;                       // token before, or NONE: a piece begins here for sure
	uint16_t left;                       // of the last character, for normal forms
	uint8_t combining;
	uint8_t n_ways, n_live, n_begun;
	uint8_t begun[3];                    // first bytes of a character
	uint8_t by_bytes;                    // they are of byte tokens
	uint8_t behind_prompt;               // the sequence did not begin with the grammar's text
	struct canonical_way { uint16_t set, pending; uint32_t split; } way[CANON_MAX_WAYS];
	uint32_t live[CANON_MAX_LIVE];       // nodes of ADDED
};

void canonical_start(const struct canonical_tables *c, struct canonical_place *p);
// One more token. False: no canonical sequence begins so; *p is then of no use.
bool canonical_step(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token);
// The same if the token before does not matter: how 0: it is the first of a piece; 1: it is that or a later one.
bool canonical_step_as(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, uint32_t how);
// After a token that is not canonical here: as if the text began with it, or, if it cannot, behind it.
void canonical_restart(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token);
// May the text end here?
bool canonical_ends(const struct canonical_tables *c, const struct canonical_place *p);
uint32_t canonical_split_child(const struct canonical_tables *c, uint32_t node, uint32_t token);   // 0: none
bool canonical_adjacent(const struct canonical_tables *c, uint32_t a, uint32_t b);

// Rows of a family of matchers.
#define CANON_PROOF_ROWS 256u // pairs of rows for the proofs of hard mode
#define CANON_TRY_DEPTH 24u   // tokens ahead that a search for an end looks at
#define CANON_TRY_MAX 4096u   // places that it looks at, for one token
// Tokens that may begin a piece in a set of states; that may go on in one; whose first character surely begins one, whatever
// follows it; whose first character is in order whether it begins one or goes on, whatever follows it.
enum canonical_row_kind { ROW_BEGINS, ROW_GOES_ON, ROW_SURE, ROW_EITHER, ROW_KINDS };
#define CANON_COMMON_ROWS 256u // rows of what is allowed whatever the stack
#define CANON_LEADS 2048u       // sets of first bytes
struct canonical_try;
struct canonical_cache {
	uint32_t users;
	const gcdc_memory *memory;
	uint32_t words, n_sets;
	uint32_t **by_set;              // [ROW_KINDS * n_sets] rows by enum canonical_row_kind, NULL: not made yet
	uint32_t *inside;               // row: tokens that begin inside a character, or are byte tokens
	uint32_t *added;                // row: added tokens that are text, and EOS
	uint32_t n_bytes, bytes[256];   // byte tokens
	uint32_t n_ascii, ascii[128];   // tokens that are one ASCII character
	uint32_t *scratch[3], *mask;     // mask: the caller's, until the next call
	struct cached_row { uint32_t set, last, *row; } rows[CANON_CACHE_ROWS];
	// Tokens that surely lead on, whatever lies below these frames and whichever token came before. open: one frame: those
	// not proved so; several: those that are dead ends.
	struct proof_row { struct proof_key { uint32_t set, lex_state, n_frames, lr_state[6]; } key; uint32_t *proved, *open; uint64_t used; } proofs[2][CANON_PROOF_ROWS];
	struct common_row { uint32_t start, *row; } common[CANON_COMMON_ROWS];
	struct blocked { uint64_t known, byte[4]; } *blocked;   // [n_tokens] first bytes that may be joined to a right edge
	struct canonical_try *tries;                            // [CANON_TRY_DEPTH]
	uint32_t *by_first[256];                                // rows: tokens that begin with this byte, NULL: not made yet
	// First bytes of the tokens of ROW_SURE and ROW_EITHER of a set of states that are in a set of the artifact (b NONE), or in
	// the common row of a lexer state on a parser state.
	struct lead_bytes { uint32_t a, b, set; uint64_t sure[4], either[4]; } leads[CANON_LEADS];
	uint32_t n_tries;
	uint64_t clock;
	bool is_cut;                                            // the search at hand left something out
	uint32_t from, least;                                   // the stack it began with; depth of the deepest frame it read
};
void canonical_cache_leave(const gcdc_memory *memory, struct canonical_cache *cache);
void canonical_cache_join(struct canonical_cache *cache);
struct canonical_cache *canonical_cache_of(struct gcdc_matcher *m);   // NULL: no memory
uint32_t *canonical_row_new(const struct canonical_cache *cache);
const uint32_t *canonical_set_row(struct gcdc_matcher *m, uint32_t set, enum canonical_row_kind kind);   // NULL: no memory

// mask keeps what canonical sequences go on with from p, if only by one token; EOS, too.
gcdc_status canonical_keep(struct gcdc_matcher *m, const struct canonical_place *p, uint32_t *mask, bool *empty);
// The same for a position whose sets are in list, and whose mask this is. CANON_HARD: only what can be gone on with to
// the end; GCDC_ERR_CANONICAL when there is nothing. CANON_SOFT: when nothing is left the mask stays, *relaxed says so.
gcdc_status canonical_filter(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t *mask,
                             bool *relaxed);
// Is the token, which the grammar allows at p, in the filtered mask?
gcdc_status canonical_allows(struct gcdc_matcher *m, struct position *p, const struct set_list *list, uint32_t token,
                             bool *allowed);
// The row of a way and a last token; NULL: no memory.
const uint32_t *canonical_way_row(struct gcdc_matcher *m, const struct canonical_way *w, uint32_t last);
// Dead ends go. canonical_survives: of one token, for which canonical_step says yes.
gcdc_status canonical_prune(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t *mask, bool *empty);
gcdc_status canonical_survives(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t token,
                               bool *survives);
bool canonical_begins_with_mark(const struct gcdc_artifact *a, uint32_t token);   // one that may join what is before it
// Is the token's first character, by this enum canon_step, in order whatever follows it, and does it join nothing before it?
bool canonical_surely_leads(const struct gcdc_artifact *a, uint32_t set, uint32_t token, uint32_t how);
// The place after a token that canonical_allows has let through. *relaxed: it is not canonical.
void canonical_advance(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, bool *relaxed);

// One regular expression, canonical_regex.c. knows: the tables say all about the position, and nothing is to be searched for.
gcdc_status regex_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status regex_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
bool regex_knows(const struct gcdc_artifact *a, const struct position *p);
void regex_prune(const struct gcdc_artifact *a, const struct position *p, uint32_t *mask, bool *empty);
bool regex_survives(const struct gcdc_artifact *a, const struct position *p, uint32_t token);

gcdc_status canonical_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
// The same sections in a compiled vocabulary; the mode stays the artifact's.
gcdc_status canonical_attach(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status canonical_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
void canonical_ready(struct gcdc_artifact *a);   // after both

#endif
