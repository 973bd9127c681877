// Can this still become a text? Exact, for lexer and parser together.
//
// In:  lexer, LR tables, and the trie of what can be typed (single bytes when the vocabulary has them all, else the
//      vocabulary itself).
// Out: for a lex_state on a partly known stack: always, never, or it depends on frames further down, and then what to
//      ask of them: *controls*, each "pop so many frames, then ...".
// Source: pre* of a pushdown system by saturation (Bouajjani, Esparza, Maler 1997), on demand.
#ifndef GCDC_TABLES_VIABILITY_H
#define GCDC_TABLES_VIABILITY_H

#include "../base/map64.h"
#include "partial_stack.h"
#include "separable.h"
#include "walk.h"

typedef uint32_t control_id;
typedef VEC(control_id) control_list;

enum verdict { VIABLE_NEVER, VIABLE_ALWAYS, VIABLE_DEPENDS, VIABLE_IMPOSSIBLE };

struct via_variable {
	control_list value;    // each once
	uint32_t n_spread;     // the first of them have been told on
	bool always, is_told;  // it is viable whatever lies below; that has been told on
	bool queued, is_evaluated;
	VEC(uint32_t) supersets;  // variables that hold all that this one does
	VEC(uint32_t) readings;   // variables of kind READ: this one, a frame further down
};

#define VIABILITY_MAX_WORK 40000000u  // controls read by one builder, ten seconds or so; more is an error

struct viability {
	const struct lr *lr;
	const struct lexer *lexer;
	struct walker *walker;
	struct safe_states safe;  // viable on every stack; looked for by bytes only
	bits *ends;               // [lex_state * lr->context_words] terminals that a lexeme there can become
	bits *ignored;            // terminals
	terminal_id *only_end;    // [lex_state] the one that is in ends; UINT32_MAX: several, or the text may end there
	// By bytes, a lexeme in some lex_state ends in one of the ways that it leads to. NULL otherwise:
	lex_state *alike;  // [lex_state] the first one that leads to the same ways
	bits *reach;       // [lex_state * reach_words] them
	uint32_t reach_words;
	VEC(lex_state) sample;  // [way] a lex_state that ends so
	struct arena arena;
	struct intern controls;  // {pop, lhs, terminal, rest}
	struct intern keys;      // variables {kind, what, lr_state}
	struct intern edges;     // (variable, superset) pairs already known
	struct map64 has;        // variable, control -> 1
	VEC(struct via_variable) variables;
	VEC(uint32_t) queue;
	struct intern claims;  // (control, lr_state) -> index into claim
	VEC(uint8_t) claim;    // does every stack below decide for viable?
	uint64_t n_read;       // controls read from solved variables, for VIABILITY_MAX_WORK
};

// by_bytes: the walker's trie is that of single bytes.
void viability_init(struct viability *v, const struct lr *lr, const struct lexer *lexer, struct walker *walker,
                    bool by_bytes);
void viability_release(struct viability *v);
// Viable on every stack whose top has this context, as far as separable.h can tell.
bool viability_is_safe(const struct viability *v, lex_state at, uint32_t context);
// A lexeme in this lex_state, begun in this context, can become no terminal that is viable there or ignored.
bool viability_is_hopeless(const struct viability *v, lex_state at, uint32_t context);
// Of what a lexeme can become from lex_state `at` on: is it viable in both contexts, or in neither? Then nothing there
// is hopeless in one of them alone.
bool viability_ends_alike(const struct viability *v, lex_state at, uint32_t context, uint32_t other);
// Tokens that end in lex_states with the same one of these are viable on the same stacks (if begun in one context).
lex_state viability_equivalent(const struct viability *v, lex_state at);
// A token ended in lex_state `at` on these frames. Fills `remainder` when the answer is VIABLE_DEPENDS.
enum verdict viability_decide(struct viability *v, lex_state at, const struct partial_frame *top,
                              control_list *remainder);
// The next frame below is s: what becomes of one control. VIABLE_IMPOSSIBLE: no valid stack looks so.
enum verdict viability_read(struct viability *v, control_id c, lr_state s, control_list *remainder);
// Passes over n frames that the control does not look at (n <= its pop count).
control_id viability_skip(struct viability *v, control_id c, uint32_t n);
uint32_t viability_pop(const struct viability *v, control_id c);
// Control c of another one. remainder_to: [rests of its walker] what they are in v's.
control_id viability_copy(struct viability *v, const struct viability *from, control_id c,
                          const remainder_id *remainder_to);

#endif
