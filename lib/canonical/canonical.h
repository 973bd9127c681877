// Canonical tokenization: which sequences of tokens are what the tokenizer makes of a text.
//
// In:  a tokenizer's encoder and its vocabulary. Out: struct canonical, tables for the runtime (formats/canonical.h).
// The theory is in docs/how_canonical_works.md.
#ifndef GCDC_CANONICAL_CANONICAL_H
#define GCDC_CANONICAL_CANONICAL_H

#include "../../formats/artifact.h"
#include "../vocab/vocab.h"

// The tables of the group TOKENIZER (formats/sections.def), with the lengths that it says.
struct canonical {
	struct arena arena;
	uint32_t n_tokens;
	struct artifact_canon info;
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../formats/sections.def"
};

struct canonical_stats {
	uint32_t n_otherwise;    // tokens that merges never make
	uint32_t n_irregular;    // tokens whose ranks do not ascend
	uint32_t n_unreachable;  // text tokens that no text gives
	uint32_t n_states;       // of the automaton of pieces
	double seconds;
};

// False: the tokenizer has something that cannot be modelled; an error in d says what. stats may be NULL.
bool canonical_build(struct encoder *e, const struct vocab *v, struct diag *d, struct canonical *c,
                     struct canonical_stats *stats);
void canonical_release(struct canonical *c);
// The sections of a file, in the order of their ids; returns CANON_SECTIONS. The bytes are c's.
uint32_t canonical_sections(const struct canonical *c, struct canon_section out[CANON_SECTIONS]);
// The first rule of formats/artifact.md that sections of a file break, as text (static), or NULL.
const char *canonical_check(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens);
// The reverse of canonical_sections: tables that are the sections' bytes, which are checked.
void canonical_view(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens, struct canonical *c);
// May b come after a inside a piece? By the table alone; both have a place.
bool canonical_pair(const struct canonical *c, uint32_t a, uint32_t b);

// ---- Which characters surely go on canonically behind a token, whichever token came before it (live.c).
// Sets of first bytes of characters: bit b % 64 of word b / 64. A byte beyond ASCII stands for all characters that it
// begins. LIVE_END: the text may end.
#define LIVE_WORDS 4u
#define LIVE_END 255u  // begins no character
enum live_class {
	LIVE_NEVER,
	LIVE_UNSETTLED,
	LIVE_PLAIN
};  // no canonical token; nothing is known; from here on: struct live_class_of

// A way in which a text stands behind a token: sure: characters before which the tokenizer cuts, whatever follows them;
// either: characters that are in order whether it cuts or not.
// What surely goes on behind a way to have cut: a character; a blank and then this character.
struct live_chars {
	uint64_t sure[LIVE_WORDS], either[LIVE_WORDS];
};
struct live_way {
	struct live_chars one, blank;
};
struct live_class_of {
	uint32_t first_way, n_ways;    // of way_list; none of them may be without a lead
	uint64_t blocked[LIVE_WORDS];  // characters with which begins what merges may join to the token
	uint64_t live[LIVE_WORDS];     // characters that go on in an added token's text
};

// A token that ends inside a character: sets of the automaton of pieces with what is known of the border before that
// character.
struct live_begun {
	uint32_t token, missing, first, n;  // missing: bytes of the character
	bool is_split;                      // it may begin a text that must not fill a piece
};
struct live_set {
	uint16_t set, how;
};

struct token_leads {
	const struct canonical *c;
	const struct vocab *v;
	uint32_t *class_of;                 // [n_tokens] enum live_class
	VEC(struct live_class_of) classes;  // [0] and [1] are unused
	VEC(struct live_way) ways;
	VEC(uint32_t) way_list;
	VEC(struct live_begun) begun;  // ascending by token; their class is LIVE_UNSETTLED
	VEC(struct live_set) begun_sets;
	// Sets behind whole tokens: [n_tokens] list in spellings; of tokens with a class.
	uint32_t *spelling_of;
	VEC(struct artifact_canon_list) spellings;  // of spelling_sets
	VEC(struct live_set) spelling_sets;
	VEC(uint32_t) inside;          // tokens that are bytes inside a character and nothing else
	struct live_way *behind;       // [n_sets]
	uint64_t some[2][LIVE_WORDS];  // what leads on behind some set; [1]: behind a blank
	uint32_t added_root[256];      // of texts of added tokens: nodes by the first byte, 0: none
	// [n_tokens] characters with which begins what merges join to the token itself, not to its right parts
	struct live_joined {
		uint64_t chars[LIVE_WORDS];
		bool is_known;
	} * joined;
};

// Is the set restartable: does a letter surely come in it, or behind a blank?
bool live_restartable(const struct canonical *c, uint32_t set);
// only_restartable: classes are made by what comes behind the tokens in restartable sets.
void live_build(const struct canonical *c, const struct vocab *v, bool only_restartable, struct token_leads *x);
void live_release(struct token_leads *x);
// Does one of these characters lead on behind every token of the class, however the text was cut before? Or a blank
// with one of those that may come behind it?
bool live_on(const struct token_leads *x, uint32_t class, const uint64_t chars[LIVE_WORDS],
             const uint64_t behind_blank[LIVE_WORDS]);
// The same behind `token`, which ends inside a character, and then `rest`, an inside token that ends the character.
bool live_through(const struct token_leads *x, const struct live_begun *token, uint32_t rest,
                  const uint64_t chars[LIVE_WORDS]);
// The token, if it ends inside a character and something is known of it, or NULL.
const struct live_begun *live_begun_of(const struct token_leads *x, uint32_t token);

// ---- One way to have cut a text, and its last token, gone on with.
struct live_place {
	uint32_t token, split;  // split: node of the texts that must not fill a piece, or 0
	uint16_t set;
};
// Those behind a token, however the text was cut before: CANON_MAX_SETS at most. NONE: they are not known.
uint32_t live_places(const struct token_leads *x, uint32_t token, struct live_place *to);
// Does one of these characters lead on from there, or a blank with one of those that may come behind it?
bool live_place_leads(const struct token_leads *x, const struct live_place *at, const uint64_t chars[LIVE_WORDS],
                      const uint64_t behind_blank[LIVE_WORDS]);
// May the token, whole characters of which the first is ASCII, come there? False: not, or not known.
bool live_then(const struct token_leads *x, const struct live_place *from, uint32_t token, struct live_place *to);
// Places behind a token that ends the character which another one begins, one for each of its sets; .set 0: it may not
// come there. 0: it ends none, or nothing is known.
uint32_t live_rest(const struct token_leads *x, const struct live_begun *begun, uint32_t rest, struct live_place *to);

// --- One regular language -----------------------------------------------------------------------------------------
// Its texts as a DFA over bytes: texts are those that lead from start to a state that accepts.
struct byte_automaton {
	uint32_t n_states, start;
	const uint32_t *next;    // [n_states * 256] or ARTIFACT_NONE
	const uint8_t *accepts;  // [n_states] 0 / 1
};

// The automaton of exactly the canonical sequences of the language's texts, as a product that is not written out: a
// state of it is a node (state of the DFA and place between the tokenizer's pieces) with the token that came last. All
// states are relevant: a sequence leads there from the start, and another one to the end of a text.
#define PRODUCT_MAX_NODES 20000u
#define PRODUCT_MAX_BYTES (1ull << 29)  // of all tables
#define PRODUCT_MAX_WORK 20000000ull    // tokens tried from places, and what costs as much; some seconds
struct product;
struct product_counts {
	uint32_t nodes, lex_states;  // nodes with a state; states of the DFA that they have
	uint64_t reached, states;    // reachable from the start; those of them that are relevant
	uint64_t dead, candidates;   // states that lead nowhere; (state of the DFA, token) that may lead to one
	double seconds;
};

// CartesianMerge. NULL: no text has a canonical sequence, or a limit is passed; *problem says what, a static text. dfa,
// v and c must outlive the product.
struct product *product_build(const struct byte_automaton *dfa, const struct vocab *v, const struct canonical *c,
                              const char **problem);
void product_free(struct product *p);
struct product_counts product_count(const struct product *p);
// A node, for people. begins and goes_on: tokens that lead on as the first of a piece; as a later one, unless merges
// join them to the last one. lasts: relevant states; dropped: reachable ones that are not.
struct product_node_view {
	uint32_t lex_state, n_lasts, n_dropped, n_begins, n_goes_on, n_sets;
	uint16_t set[8];
	bool ends, inside;
};
uint32_t product_nodes(const struct product *p);  // numbers below this; those without a relevant state have n_lasts 0
struct product_node_view product_node(const struct product *p, uint32_t node);
// Its tokens of one of these kinds and where they lead, as far as some state there is relevant.
enum product_edge { PRODUCT_BEGINS, PRODUCT_GOES_ON };
void product_edges(const struct product *p, uint32_t node, enum product_edge kind,
                   void (*each)(void *to, uint32_t token, uint32_t node), void *to_user);
// The sections REGEX of an artifact: what a matcher needs to leave out dead ends. The bytes are the product's.
uint32_t product_sections(struct product *p, struct canon_section out[REGEX_SECTIONS]);

// ---- Tokens of which hard masks must ask (unsettled.c), and which bytes may come at all (may_come.c).
// A grammar's tables, as formats/sections.def has them.
struct grammar_tables {
	struct artifact_info info;
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CORE
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../formats/sections.def"
	const uint32_t *token_offset;
	const uint8_t *token_bytes;
};
// Contents of the sections of the group LEXEMES, by lexer state, state of the tokenizer, or node.
struct unsettled_tables {
	const struct artifact_canon_chars *wide, *bytes, *nodes;
	const uint8_t *restartable;
	const struct artifact_canon_list *at[2];  // [1]: in restartable states only
	const uint32_t *all;                      // tokens of those lists, n of them
	uint32_t n;
};
// In the arena. Cost: lexer states x nodes of the trie that they reach.
void unsettled_build(const struct grammar_tables *m, const struct vocab *v, const struct canonical *tables,
                     struct arena *arena, struct unsettled_tables *out);

#endif
