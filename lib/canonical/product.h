// The product of a DFA over bytes and a tokenizer's tables, from inside.
#ifndef GCDC_CANONICAL_PRODUCT_H
#define GCDC_CANONICAL_PRODUCT_H

#include "../base/bitset.h"
#include "../base/intern.h"
#include "place.h"

#define PRODUCT_NONE UINT32_MAX

// Tokens that lead from one state of the DFA to one other, and that do the same to any place.
struct product_group {
	uint32_t effect, to, first, n;
};  // tokens [first, first + n)
enum effect_flags { EFFECT_ADDED = 1, EFFECT_NO_PLACE = 2 };

// Where the tokens of a group lead from a node: as the first of a piece; unless merges join them to the token before.
struct product_targets {
	uint32_t begins, goes_on;
};

struct product_node {
	uint32_t lex_state, row;  // row: of the groups
	struct piece_state place;
	bool accepts;
	size_t first_target;   // of the groups of its row; SIZE_MAX: not there yet
	bits *reached, *live;  // [n_tokens + 1] by last token; the last one: none
	uint32_t n_reached, n_live;
};

// single: tokens that do not what the others of their group do, ascending; they stand in both.
struct product_row {
	uint32_t first_group, n_groups, first_single, n_singles;
};

struct product {
	const struct byte_automaton *dfa;
	struct places places;
	struct arena arena;
	uint32_t n_tokens, words;
	uint32_t *effect_of;  // [n_tokens]
	VEC(uint8_t) effect_flags;
	uint32_t n_effects;
	uint16_t *alike;           // [REGEX_N_PREFIX_CLASS]
	uint8_t *no_mark;          // [n_states] nothing that comes from here joins what is before it
	struct intern row_ids;     // state of the DFA, beginnings of added tokens
	VEC(uint32_t) row_number;  // by id of those
	VEC(struct product_row) rows;
	VEC(struct product_group) groups;
	VEC(uint32_t) tokens;
	struct {
		struct product_targets *at;
		size_t n, cap;
	} targets;
	struct intern node_ids;  // lex_state, place
	VEC(struct product_node) nodes;
	uint64_t bytes;  // of tables so far
	struct product_counts counts;
	struct {
		struct artifact_regex info;
		struct artifact_regex_state *of;
		struct artifact_candidate *candidates;
		uint64_t *dead;
	} file;
};

static inline bool product_lives(const struct product *p, uint32_t node, uint32_t last)
{
	return node != PRODUCT_NONE && p->nodes.at[node].live && bits_test(p->nodes.at[node].live, last);
}
// The last token behind a token of this group.
static inline uint32_t group_last(const struct product *p, const struct product_group *g, uint32_t token)
{
	return p->effect_flags.at[g->effect] & EFFECT_ADDED ? p->n_tokens : token;
}
// In both cases the same, whatever the token before.
static inline bool group_is_free(const struct product *p, const struct product_group *g,
                                 const struct product_targets *t)
{
	return t->begins == t->goes_on || p->effect_flags.at[g->effect] & (EFFECT_ADDED | EFFECT_NO_PLACE);
}

// Is the token one of the row's single ones?
bool row_reads_on(const struct product *p, const struct product_row *r, uint32_t token);
// Group i of a row, i < row_groups, and whether a token of it counts there.
static inline uint32_t row_groups(const struct product_row *r) { return r->n_groups + r->n_singles; }
static inline const struct product_group *row_group(const struct product *p, const struct product_row *r, uint32_t i)
{
	return &p->groups.at[i < r->n_groups ? r->first_group + i : r->first_single + i - r->n_groups];
}
static inline bool row_counts(const struct product *p, const struct product_row *r, uint32_t i, uint32_t token)
{
	return !r->n_singles || i >= r->n_groups || !row_reads_on(p, r, token);
}

// --- product_prefix_classes.c
// First bytes of a character behind which characters of the same kinds come, byte by byte, have one representative. *p
// gets its numbers: of prefixes with one byte, two bytes, three bytes left (ALIKE_AT), each code point prefix -> the
// first one like it.
void product_list_prefix_classes(struct product *p);
void product_represent(const struct product *p, struct piece_state *place);

// --- product_tokens.c
void product_list_effects(struct product *p);
// The groups of a state of the DFA, for places with these beginnings of added tokens.
uint32_t product_row_of(struct product *p, uint32_t lex_state, const struct piece_state *place);
void product_list_no_marks(struct product *p);
// What cannot matter from this state of the DFA on is forgotten, and the place put in order.
void product_forget(struct product *p, uint32_t lex_state, struct piece_state *place);

#endif
