// Canonical tokenization: which sequences of tokens are what the tokenizer makes of a text.
//
// In:  a tokenizer's encoder and its vocabulary. Out: struct canonical, tables for the runtime (formats/canonical.h).
// The theory is in docs/canonical.md.
#ifndef GCDC_CANONICAL_CANONICAL_H
#define GCDC_CANONICAL_CANONICAL_H

#include "../../formats/artifact.h"
#include "../vocab/vocab.h"

// The arrays of formats/canonical.h, with the lengths that info says.
struct canonical {
	struct arena arena;
	uint32_t n_tokens;
	struct artifact_canon info;
	const struct artifact_canon_pair *parts;         // [n_tokens]
	const uint32_t *time, *place;                    // [n_tokens]
	const uint32_t *at;                              // [n_places]
	const uint32_t *first;                           // [n_tokens + 1]
	const struct artifact_canon_join *joins;
	const struct artifact_canon_pair *patches;
	const uint16_t *class_of;                        // [n_tokens]
	const uint16_t *pages, *chars;
	const struct artifact_canon_kind *kinds;
	const uint16_t *steps;
	const uint32_t *sets;
	const uint8_t *allow;
	const struct artifact_canon_node *added;
	const struct artifact_canon_split *splits;
	const uint32_t *bad;
	const uint32_t *joints;
	const struct artifact_canon_list *marks;
};

struct canonical_stats {
	uint32_t n_otherwise;   // tokens that merges never make
	uint32_t n_irregular;   // tokens whose ranks do not ascend
	uint32_t n_unreachable; // text tokens that no text gives
	uint32_t n_states;      // of the automaton of pieces
	double seconds;
};

// False: the tokenizer has something that cannot be modelled; an error in d says what. stats may be NULL.
bool canonical_build(struct encoder *e, const struct vocab *v, struct diag *d, struct canonical *c,
                     struct canonical_stats *stats);
void canonical_release(struct canonical *c);
// The sections of a file, in the order of their ids; returns CANON_SECTIONS. The bytes are c's.
uint32_t canonical_sections(const struct canonical *c, struct canon_section out[CANON_SECTIONS]);
// The reverse: tables that are the sections' bytes.
void canonical_view(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens, struct canonical *c);
// May b come after a inside a piece? By the table alone; both have a place.
bool canonical_pair(const struct canonical *c, uint32_t a, uint32_t b);

// ---- Which characters surely go on canonically behind a token, whichever token came before it (leads.c).
// Sets of ASCII characters: bit c % 64 of word c / 64.
#define LEADS_WORDS 2u
enum leads_class { LEADS_NEVER, LEADS_ASK, LEADS_PLAIN };  // no canonical token; nothing is known; from here on: struct lead_class

// A way in which a text stands behind a token: sure: characters before which the tokenizer cuts, whatever follows them;
// either: characters that are in order whether it cuts or not.
struct lead_way { uint64_t sure[LEADS_WORDS], either[LEADS_WORDS]; };
struct lead_class {
	uint32_t first_way, n_ways;      // of way_list; none of them may be without a lead
	uint64_t blocked[LEADS_WORDS];   // characters with which begins what merges may join to the token
	uint64_t live[LEADS_WORDS];      // characters that go on in an added token's text
};

// A token that ends inside a character: sets of the automaton of pieces with what is known of the border before that character.
struct lead_begun { uint32_t token, first, n; };
struct lead_set { uint16_t set, how; };

struct leads {
	const struct canonical *c;
	const struct vocab *v;
	uint32_t *class_of;              // [n_tokens] enum leads_class
	VEC(struct lead_class) classes;  // [0] and [1] are unused
	VEC(struct lead_way) ways;
	VEC(uint32_t) way_list;
	VEC(struct lead_begun) begun;    // ascending by token; their class is LEADS_ASK
	VEC(struct lead_set) begun_sets;
	VEC(uint32_t) inside;            // tokens that are bytes inside a character and nothing else
};

void leads_build(const struct canonical *c, const struct vocab *v, struct leads *x);
void leads_release(struct leads *x);
// Does one of these characters lead on behind every token of the class, however the text was cut before?
bool leads_on(const struct leads *x, uint32_t class, const uint64_t chars[LEADS_WORDS]);
// The same behind `token`, which ends inside a character, and then `rest`, an inside token that ends the character.
bool leads_through(const struct leads *x, const struct lead_begun *token, uint32_t rest, const uint64_t chars[LEADS_WORDS]);

#endif
