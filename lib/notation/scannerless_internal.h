// The stages that make a grammar without a lexer one with a lexer (scannerless.c says how): what they share.
#ifndef SCANNERLESS_INTERNAL_H
#define SCANNERLESS_INTERNAL_H

#include "../regex/regex.h"
#include "characters.h"
#include "regular.h"

#define SCANNERLESS_MAX_SYMBOLS 4000000u  // on right sides

struct dfa_of {
	bool is_known;
	struct byte_dfa *dfa;  // NULL: it is too large
};

struct scannerless {
	struct notation_rules *r;
	const piece_id *whole;  // of the first n_whole rules, or PIECE_NONE
	uint32_t n_whole;
	struct arena keep;  // for all rounds
	struct regex_cache *cache;
	struct languages *languages;  // where patterns are taken apart, else NULL
	VEC(uint8_t) broken;          // [pieces] taken apart; grows
	piece_ids apart;              // [pieces] of a pattern that is: what it became; grows
	VEC(struct dfa_of) known;     // [pieces] grows
	bool splits_at_tokens;        // the whole of a token stands behind text that ends anywhere
	// Of this round:
	struct arena arena;
	struct grammar_draft draft;
	VEC(uint32_t) symbol;    // [pieces] the nonterminal of it, + 1; 0: none
	VEC(uint32_t) terminal;  // [pieces] the terminal of it, + 1; 0: none
	uint32_t *rule_symbol;   // [rules]
	piece_ids rules_to_do;   // named, bodies not written yet
	piece_ids atoms;         // one-class sets, apart
	piece_ids of_terminal;   // pieces
	uint32_t n_symbols;
	uint32_t n_made;    // names
	const char *owner;  // the rule that is written
};

// Is the piece one terminal, as far as is known? It is not once it is taken apart.
bool scannerless_is_terminal(const struct scannerless *m, piece_id p);
void scannerless_set_broken(struct scannerless *m, piece_id p);
// scannerless_write.c: rules -> m->draft, what is broken taken apart; fills in terminal, of_terminal, atoms.
void scannerless_write(struct scannerless *m);
// The terminal of a piece in m->draft, new where it was not asked for; a production there, lhs with DRAFT_NONTERMINAL.
uint32_t scannerless_terminal(struct scannerless *m, piece_id p);
void scannerless_production(struct scannerless *m, uint32_t lhs, const piece_ids *rhs, struct loc loc);
// scannerless_tokens.c: m->draft anew, so that text before the whole of a token ends where a token does.
void scannerless_split_at_tokens(struct scannerless *m);
// scannerless_apart.c: the classes of characters that belong to the same broken sets, into m->atoms.
void scannerless_make_atoms(struct scannerless *m);
// Into m->apart what a pattern or a set of tokens consists of. False: it is as small as can be.
bool scannerless_take_apart(struct scannerless *m, piece_id p);
// scannerless_choice.c: has a lexer a choice in `made`? Marks what has to be taken apart then (*changed). False
// after an error. A grammar that stays keeps its automaton, where compiling can take it as it is.
bool scannerless_look(struct scannerless *m, struct grammar *made, bool *changed);

#endif
