// The oracle: docs/language.md, executed slowly and obviously. It decides whether the fast code is right.
//
// It shares with the compiler only the grammar as read (struct grammar), one byte DFA per terminal (tested on its
// own against PCRE2) and the containers of lib/base. Nothing here knows of LR tables, contexts or masks.
//
//   earley.c     which terminals may follow a sequence of terminals: Earley's recogniser, sets interned
//   lexing.c     maximal munch by definition, once on a whole text and once byte by byte
//   viable.c     can tokens of the vocabulary complete this? a search over configurations
//   engine.c     the code under test, as four calls
//   random_*.c   random Lark grammars and vocabularies
//   json.c       RFC 8259 by hand
#ifndef GCDC_TESTS_ORACLE_H
#define GCDC_TESTS_ORACLE_H

#include "../../lib/base/bitset.h"
#include "../../lib/base/intern.h"
#include "../../lib/regex/regex.h"
#include "../../lib/vocab/vocab.h"

#define ORACLE_NONE UINT32_MAX

// ---- earley.c ----

struct earley_production {
	uint32_t lhs, n_rhs;
	const symbol_id *rhs;
};

struct earley_set {
	bool accepting;             // the terminals so far are a sentence
	uint32_t n_items;           // not completed ones, sorted
	const struct earley_item *items;
	const bits *viable;         // terminals that some sentence goes on with
	const uint32_t *after;      // [n_nonterminals] fewest terminals to the end, once this nonterminal is done
	uint32_t to_end;            // fewest terminals that complete a sentence
};

struct earley_item {
	uint32_t production, dot;
	uint32_t lhs;     // what a completion completes: production's lhs, or what that completes in turn
	uint32_t origin;  // set where lhs began; EARLEY_HERE: this one
};
#define EARLEY_HERE UINT32_MAX

struct earley {
	const struct grammar *grammar;
	struct arena arena;
	VEC(struct earley_production) productions;  // reduced; the last is $start: start
	bool *nullable;      // [n_nonterminals + 1]
	uint32_t *shortest;  // [n_nonterminals + 1] terminals of a shortest sentence; ORACLE_NONE: derives none
	struct intern interned;
	VEC(struct earley_set) sets;  // by interned id; set 0 is the initial one
	struct intern steps;          // (set, terminal) ->
	VEC(uint32_t) step_to;
	uint32_t n_terminals, terminal_words;
	bool is_empty;                // the grammar has no sentence
};

void earley_init(struct earley *e, const struct grammar *g);
void earley_release(struct earley *e);
// The set after one more terminal, which must be viable. Equal ids mean equal futures.
uint32_t earley_step(struct earley *e, uint32_t set, terminal_id t);
static inline bool earley_viable(const struct earley *e, uint32_t set, terminal_id t)
{
	return bits_test(e->sets.at[set].viable, t);
}

// ---- lexing.c ----

// Everything that decides what text may follow: the terminals so far, and the scan in progress.
struct config {
	uint32_t set;          // earley set after the committed terminals
	bool is_fresh;         // no byte of the next lexeme read
	uint32_t fallback;     // configuration if the longest match ended its lexeme, or CONFIG_DEAD
	uint32_t n_alive;      // competing terminals that may still match
	const struct alive { uint32_t terminal, dfa_state; } *alive;
	uint32_t *next;        // [n_alphabet] memo
	int8_t verdict;        // enum verdict
	uint32_t searched;     // budget of a search that found nothing
	uint32_t stamp, expanded, parent, parent_token;  // of the latest search
};

#define CONFIG_DEAD UINT32_MAX

enum verdict { VERDICT_UNKNOWN, VERDICT_VIABLE, VERDICT_DEAD };

struct oracle {
	const struct grammar *grammar;
	const struct vocab *vocab;
	struct arena arena;
	struct earley earley;
	struct byte_dfa *dfa;     // [n_terminals]; n_states 0: matches nothing
	uint8_t **unfailable;     // [n_terminals][dfa state]: our own computation
	uint16_t letter[256];     // byte -> place in the alphabet of the vocabulary, or n_alphabet
	uint32_t n_alphabet;
	struct intern interned;
	VEC(struct config *) configs;  // by interned id
	uint32_t stamp;
	// text tokens with distinct bytes: what the search tries
	VEC(token_id) tries;
	uint64_t n_expanded, n_exhausted, n_bounded;
};

// False: a terminal's pattern is refused (diag says why). g and v must outlive o.
bool oracle_init(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d);
void oracle_release(struct oracle *o);

// The configuration at the start of a text.
uint32_t oracle_start(struct oracle *o);
// After more bytes; CONFIG_DEAD when no text at all can follow for the lexer and parser.
uint32_t oracle_step(struct oracle *o, uint32_t config, const uint8_t *bytes, size_t len);
// May the text end here?
bool oracle_complete(struct oracle *o, uint32_t config);
// By definition, from the first byte, with none of the above but earley_step.
bool oracle_in_language(struct oracle *o, const uint8_t *text, size_t len);

// ---- viable.c ----

// Can tokens of the vocabulary complete this configuration? Looks at no more than `budget` configurations;
// VERDICT_UNKNOWN when that did not decide. VIABLE and DEAD are exact.
enum verdict oracle_viable(struct oracle *o, uint32_t config, uint32_t budget);
// The bytes of a completion of a viable configuration, in o's arena.
const uint8_t *oracle_completion(struct oracle *o, uint32_t config, size_t *len);

#endif
