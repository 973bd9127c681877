// The lexer before minimisation; see lexer.c.
#ifndef GCDC_LEXER_LEXER_RAW_H
#define GCDC_LEXER_LEXER_RAW_H

#include "../base/bitset.h"
#include "../base/intern.h"
#include "lexer.h"

typedef uint32_t item_set;
#define SET_VIOLATED UINT32_MAX

// A raw lex_state. `way`: which of the ways to end it stands for; only the first reads on.
struct raw {
	uint32_t obligation, scan, initial, observed, way;
};

// A scan's item that goes on with few classes, as those of literals do.
#define THIN_CLASSES 6u
struct thin_item {
	uint8_t n;  // or one of these
	uint8_t class[THIN_CLASSES];
};
enum { THIN_NOT = THIN_CLASSES + 1, THIN_UNKNOWN };

// What a byte of each class does to an obligation's item; found when first asked for.
struct item_moves {
	bool is_known;
	bits leads_on[4], violated[4];
};

// What an obligation or a scan is made of. An *item* is a number: first come (terminal, its DFA's state), then, for
// terminals that ask what follows, two for each state of that DFA: it must hold (even), it must not (odd).
struct items {
	const struct grammar *g;
	const struct byte_dfa *dfa;
	uint32_t n_classes;
	uint8_t class_of[256];
	uint8_t sample[256];        // a byte of each class
	uint32_t n_scan;            // items of the first kind
	uint32_t *offset;           // [n_terminals + 1] first item of a terminal
	uint32_t *follow_offset;    // [n_terminals] of the second kind
	VEC(uint32_t) terminal_of;  // [items]
	uint8_t *can_go_on;         // [n_scan] some byte leads on
	bool has_follow;
	struct intern sets;        // item_set -> items ascending
	struct thin_item *thin;    // [n_scan]
	struct item_moves *moves;  // [n_scan]
	VEC(uint32_t) * spread;    // [n_classes] scratch: items_spread
	VEC(uint32_t) work;        // scratch set
	VEC(uint8_t) known;        // [item_set] is it satisfiable: enum in lexer_items.c
	VEC(uint32_t) steps_of;    // [item_set] row of `steps` + 1; 0: none
	VEC(item_set) steps;       // [row * n_classes] obligation_step, as far as it is known
};

void items_init(struct items *x, const struct grammar *g, const struct byte_dfa *dfa);
void items_release(struct items *x);
const uint32_t *items_get(const struct items *x, item_set s, uint32_t *n);
item_set items_intern(struct items *x);  // interns x->work
bool items_has(const struct items *x, item_set s, uint32_t item);
// Appends to x->work where the items of a scan are after a byte of this class.
void items_push_step(struct items *x, item_set scan, uint32_t class);
// The same for all classes at once: x->spread[class].
void items_spread(struct items *x, item_set scan);
// Is it for a class what it is for the one before? class > 0.
bool items_spread_alike(const struct items *x, uint32_t class);
// Obligations. SET_VIOLATED: no text goes on so.
// Interns x->work without the items that say nothing beside the others: what is forbidden behind SEL of SELECT is
// forbidden already if letters are. So few obligations differ.
item_set obligation_intern(struct items *x);
item_set obligation_step(struct items *x, item_set s, uint32_t class);
bool obligation_may_end(const struct items *x, item_set s);
bool obligation_satisfiable(struct items *x, item_set s);
// The item that the text from here on does (not) satisfy state f of terminal t's follow_dfa.
uint32_t follow_item(const struct items *x, terminal_id t, uint32_t f, bool must);

static inline uint32_t item_state(const struct items *x, uint32_t item)
{
	return item - x->offset[x->terminal_of.at[item]];
}
static inline uint32_t item_follow(const struct items *x, uint32_t item)
{
	return dfa_follow(&x->dfa[x->terminal_of.at[item]], item_state(x, item));
}
static inline bool item_unfailable(const struct items *x, uint32_t item)
{
	return x->dfa[x->terminal_of.at[item]].unfailable[item_state(x, item)];
}

// The DFAs, the newline's split by what stood since its last '\n', others by whether it is their last byte.
struct newline_states {
	const uint8_t *is_line;  // [states of the newline's DFA] blanks only since a '\n'; NULL: no columns
	// [terminal][its state] the last byte was '\n', and the text could end here or with one more; NULL: nowhere.
	const uint8_t **is_last;
};
const struct byte_dfa *lexer_split_lines(const struct grammar *g, const struct byte_dfa *dfa, struct arena *arena,
                                         struct newline_states *out);
// After minimisation; fills what x says of lines. False with an error when columns cannot be spelled, or not be left.
// dfa, is_line: of lexer_split_lines.
bool lexer_check_lines(const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *is_line, struct diag *d,
                       struct lexer *x);

// Merges lex_states and obligations that behave alike, jointly; numbers them breadth-first; fills the rest of *x.
// On entry *x holds raw tables with the same meaning in `next`, `info`, `start`, `initial`.
void lexer_minimise(struct lexer *x, struct arena *arena);
// Fills out->counters with raw states. (lexer_counters.c)
void lexer_find_counters(const struct items *x, const struct intern *states, struct arena *arena, struct lexer *out);
// Numbers of states with a number counted have to be below LEX_COUNTED; else it is a clash.
void lexer_limit_counters(struct lexer *x);
// The counter of a raw state + 1, or 0, by state.
uint32_t *lexer_counter_of(const struct lexer *x);
// Fills x->chains. (lexer_chains.c)
void lexer_find_chains(struct lexer *x, struct arena *arena);
// The most readings that one text can have at once. LEXER_MAX_READINGS + 1: more than this limit. UINT32_MAX: they can
// be in more than LEXER_MAX_READING_SETS sets, so the number is not known. Then cut: a terminal that ends where they
// are too many.
uint32_t lexer_count_readings(const struct lexer *x, const struct lexer_context_map *m, terminal_id *cut);

#endif
