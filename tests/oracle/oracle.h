// The oracle: docs/language.md, executed slowly and obviously. It decides whether the fast code is right.
//
// It shares with the compiler only the grammar as read (struct grammar), one byte DFA per terminal that does not look
// around (tested on its own against PCRE2), the containers of lib/base and, where the contract names it, the LR(1)
// automaton: where conflicts are kept, it says which parses there are (oracle_self.c compares it with Earley). Nothing
// here knows of contexts or masks.
//
//   earley.c     which terminals may follow a sequence of terminals: Earley's recogniser, sets interned
//   parses.c     what a parse is: an Earley set, or a stack of the automaton (those that do alike by one number)
//   pattern.c    terminals that look around: our own reader of patterns, as a program over code points
//   looking.c    what must be true of the rest of the text, as formulas that are stepped
//   place.c      between two lexemes: a parse, open columns, open brackets
//   lexing.c     maximal munch byte by byte, all readings of all parses at once
//   definition.c maximal munch on a whole text, by the words of the contract
//   hint.c       a completion by whole lexemes, where every byte is a token
//   viable.c     can tokens of the vocabulary complete this? a search over configurations
//   reach.c      the same, and with how many, for stacks: reachability in a pushdown system, to the end
//   engine.c     the code under test, as four calls
//   random_*.c   random Lark grammars and vocabularies
//   json.c       RFC 8259 by hand
#ifndef GCDC_TESTS_ORACLE_H
#define GCDC_TESTS_ORACLE_H

#include "../../lib/base/bitset.h"
#include "../../lib/base/intern.h"
#include "../../lib/lr/lr.h"
#include "../../lib/regex/regex.h"
#include "../../lib/vocab/vocab.h"
#include "lib/pattern.h"

#define ORACLE_NONE UINT32_MAX

// ---- earley.c ----

struct earley_production {
	uint32_t lhs, n_rhs;
	const symbol_id *rhs;
	const uint32_t *rest;  // [n_rhs + 1] fewest terminals from this dot to the end
};

struct earley_set {
	bool accepting;    // the terminals so far are a sentence
	uint32_t n_items;  // not completed ones, by the symbol after the dot
	const struct earley_item *items;
	const bits *viable;     // terminals that some sentence goes on with
	const uint32_t *after;  // [n_nonterminals] fewest terminals to the end, once this nonterminal is done
	uint32_t to_end;        // fewest terminals that complete a sentence
};

struct earley_item {
	uint32_t production, dot;
	uint32_t lhs;     // what a completion completes: production's lhs, or what that completes in turn
	uint32_t origin;  // set where lhs began; EARLEY_HERE: this one
};
#define EARLEY_HERE UINT32_MAX

struct earley {
	struct arena arena;
	VEC(struct earley_production) productions;  // reduced, by left side; the last is $start: start
	uint32_t *first_of;                         // [n_nonterminals + 2] into productions
	bool *nullable;                             // [n_nonterminals + 1]
	uint32_t *shortest;  // [n_nonterminals + 1] terminals of a shortest sentence; ORACLE_NONE: derives none
	struct intern interned;
	VEC(struct earley_set) sets;  // by interned id; set 0 is the initial one
	struct intern steps;          // (set, terminal) ->
	VEC(uint32_t) step_to;
	uint32_t n_terminals, n_nonterminals, terminal_words;
	bool is_empty;  // the grammar has no sentence
	uint64_t work;  // items added so far, equal ones too
};

void earley_init(struct earley *e, const struct grammar *g);
void earley_release(struct earley *e);
// The set after one more terminal, which must be viable. Equal ids mean equal futures.
uint32_t earley_step(struct earley *e, uint32_t set, terminal_id t);
static inline bool earley_viable(const struct earley *e, uint32_t set, terminal_id t)
{
	return bits_test(e->sets.at[set].viable, t);
}

// ---- parses.c ----

enum parses_are {
	PARSES_AS_CONTRACT,  // stacks where the automaton keeps conflicts, else Earley sets
	PARSES_EARLEY,       // no automaton is built
	PARSES_STACKS,       // always: must be the same where there is one parse
	PARSES_LONE,         // each stack by itself: must be the same, and may take 2 to the length of the text
};

struct parse_results {
	uint32_t first, n;
	bool is_cut;
};  // parses.results[first .. first + n); is_cut: not all

struct parses {
	enum parses_are are;  // PARSES_EARLEY or PARSES_STACKS
	bool is_lone;
	uint32_t n_terminals, start;
	struct earley earley;
	struct arena arena;
	struct grammar plain;  // what lr was made of
	struct lr lr;
	struct intern piles;
	struct intern steps;  // (parse, terminal) ->
	VEC(struct parse_results) step_to;
	VEC(uint32_t) results;
};

// False (PARSES_STACKS only): the automaton passes a limit.
bool parses_init(struct parses *p, const struct grammar *g, enum parses_are wanted, struct diag *d);
void parses_release(struct parses *p);
// Does some sentence go on with t? t == n_terminals: may it end (stacks only)?
bool parse_viable(const struct parses *p, uint32_t parse, terminal_id t);
// All parses after one more terminal; none when it is not viable.
struct parse_results parse_shift(struct parses *p, uint32_t parse, terminal_id t);
bool parse_accepts(struct parses *p, uint32_t parse);
// About how many terminals are missing: only which way to search first.
uint32_t parse_to_end(const struct parses *p, uint32_t parse);

bool stack_viable(const struct parses *p, lr_state s, terminal_id t);
lr_state parse_top(const struct parses *p, uint32_t parse);
uint32_t parse_bottom(struct parses *p, lr_state s);             // a stack of one state
uint32_t parse_unite(struct parses *p, uint32_t a, uint32_t b);  // same tops
void parse_pop(const struct parses *p, uint32_t parse, uint32_t pops, struct intern *to);
bool parse_is_several(const struct parses *p, uint32_t parse);

// ---- looking.c ----

// A statement about the rest of the text, interned.
typedef uint32_t formula;
#define F_FALSE 0u
#define F_TRUE 1u
#define SCAN_NONE UINT32_MAX

// Where a step has come to: the byte just read, the code point it finished (or PATTERN_NONE), what can be seen behind.
struct moment {
	uint8_t byte;
	uint32_t cp, view;
};

struct oracle;
void looking_init(struct oracle *o);
formula f_not(struct oracle *o, formula x);
formula f_and(struct oracle *o, const formula *kids, uint32_t n);
formula f_or(struct oracle *o, const formula *kids, uint32_t n);
formula f_and2(struct oracle *o, formula a, formula b);
formula f_or2(struct oracle *o, formula a, formula b);
// t, whose scan is at q (a DFA state, or a scan), matches a longer piece than so far. _now: the text may well end here;
// without: it has gone on, and what cannot fail any more counts as a match.
formula f_scan_now(struct oracle *o, terminal_id t, uint32_t q);
formula f_scan(struct oracle *o, terminal_id t, uint32_t q, uint32_t view);
formula formula_step(struct oracle *o, formula f, const struct moment *now);
bool formula_at_end(const struct oracle *o, formula f);
uint32_t view_start(struct oracle *o);
uint32_t view_step(struct oracle *o, uint32_t view, uint32_t cp);
uint32_t scan_begin(struct oracle *o, terminal_id t, uint32_t view);  // SCAN_NONE: t cannot match here
uint32_t scan_step(struct oracle *o, uint32_t scan, const struct moment *now, formula *match);

// ---- lexing.c ----

// Everything that decides what text may follow: a set of readings, of which the rest of the text makes one true.
struct alive {
	uint32_t terminal, at;
};  // at: DFA state, or scan

struct reading {
	uint32_t parse;     // after the terminals that are decided
	uint32_t is_fresh;  // no byte of the next lexeme read
	uint32_t has_line;  // with an indentation: the lexeme so far may be a newline's and holds a line's end
	uint32_t columns;   // open columns of an indentation, as a list
	uint32_t scopes;    // open brackets of scoped ignoring, as a list
	uint32_t held;      // the last terminal holds: `unless after`
	formula f;          // what the rest must be like
	uint32_t n_alive;   // competing terminals that may still match
	struct alive alive[];
};

struct config {
	uint32_t pending, view, column;  // bytes of an unfinished code point; lookbehinds; blanks since the last line's end
	uint32_t n_readings;
	const uint32_t *readings;                        // one struct reading after the other
	bool is_cut;                                     // there are more parses; those were left out
	bool has_newline;                                // the last byte was a '\n', where one is supplied at the end
	uint32_t to_end;                                 // fewest lexemes that complete a sentence, about
	uint32_t *next;                                  // [n_alphabet] memo
	uint32_t *alone;                                 // memo: configurations of one reading each
	int8_t verdict;                                  // enum verdict
	bool has_cost;                                   // reach.c:
	uint32_t cost;                                   // fewest tokens to a complete text
	uint32_t searched;                               // budget of a search that found nothing
	uint32_t stamp, expanded, parent, parent_token;  // of the latest search
};

#define CONFIG_DEAD UINT32_MAX

enum verdict { VERDICT_UNKNOWN, VERDICT_VIABLE, VERDICT_DEAD };

struct hint {
	const uint8_t *bytes;
	uint32_t len;
};
struct scan_result {
	uint32_t scan;
	formula match;
};

struct oracle {
	const struct grammar *grammar;
	const struct vocab *vocab;
	struct arena arena;
	struct parses parses;
	struct program program;  // terminals that look around
	struct byte_dfa *dfa;    // [n_terminals], the others; n_states 0: matches nothing
	uint8_t **unfailable;    // [n_terminals][dfa state]: our own computation
	bool **has_way_out;      // [n_terminals][dfa state]
	struct intern formulas, place_sets, views, scans, judged, lists, view_steps, scan_steps, widths, hinted;
	VEC(bool) judgements;             // by id in judged: is this scan unfailable?
	VEC(uint32_t) view_to;            // by id in view_steps
	VEC(struct scan_result) scan_to;  // by id in scan_steps
	VEC(bool) width_of;               // by id in widths
	VEC(struct hint) hints;           // by id in hinted
	struct byte_dfa *word_dfa;        // [n_terminals] for %keywords: which texts does another terminal match, too?
	struct intern words;              // pairs of terminals
	VEC(bool) is_word;                // by id in words
	bool is_raw;
	void **judges, *judge_match;  // definition.c: PCRE2's codes and room for matches
	uint16_t letter[256];         // byte -> place in the alphabet of the vocabulary, or n_alphabet
	uint32_t n_alphabet;
	struct intern interned;
	VEC(struct config *) configs;  // by interned id
	uint32_t stamp;
	bool was_partial;   // the latest search left configurations out because they were too large
	bool by_bytes;      // the tokens are the 256 bytes
	bool is_byte[256];  // is this byte a token by itself?
	// text tokens with distinct bytes: what the search tries
	VEC(token_id) tries;
	uint64_t n_expanded, n_exhausted, n_bounded;
	uint64_t n_given_up;   // scans whose failing was not decided: then nothing here is sure
	struct reach *reach;   // stacks without columns and brackets
	uint64_t n_cut;        // configurations with more parses than are followed
	uint64_t n_unreached;  // verdicts that were too much work for reach.c
};

// False: a terminal's pattern is refused (diag says why). g and v must outlive o.
bool oracle_init(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d);
// The same with what parses are said (PARSES_STACKS: false when the automaton passes a limit).
bool oracle_init_as(struct oracle *o, const struct grammar *g, const struct vocab *v, enum parses_are are,
                    struct diag *d);
// The same without lib/regex: all terminals through pattern.c.
bool oracle_init_own(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d);
void oracle_release(struct oracle *o);

// The configuration at the start of a text.
uint32_t oracle_start(struct oracle *o);
// After more bytes; CONFIG_DEAD when no text at all can follow for the lexer and parser.
uint32_t oracle_step(struct oracle *o, uint32_t config, const uint8_t *bytes, size_t len);
// May the text end here?
bool oracle_complete(struct oracle *o, uint32_t config);

// The order of ties: does a win over b, both having matched the same text? b may be ORACLE_NONE.
bool oracle_wins(const struct oracle *o, terminal_id a, terminal_id b);

// Where a parse stands between two lexemes.
struct place {
	uint32_t parse, columns, scopes, held;
};
struct places {
	VEC(struct place) at;
	bool is_cut;
};
struct place oracle_place_start(struct oracle *o);
// Does t compete here, and is it then dropped?
bool oracle_place_competes(struct oracle *o, const struct place *p, terminal_id t);
bool oracle_place_ignores(struct oracle *o, const struct place *p, terminal_id t);
// All places after a lexeme, appended; `column` says what stands after its last line's end.
void oracle_place_after(struct oracle *o, struct place p, terminal_id t, uint32_t column, struct places *to);
// May the text end here?
bool oracle_place_accepts(struct oracle *o, struct place p);

#define COLUMN_TEXT UINT32_MAX           // more than blanks, or there is no line's end
#define COLUMN_REFUSED (UINT32_MAX - 1)  // blanks that the grammar does not allow
uint32_t column_after(const struct oracle *o, uint32_t column, uint8_t byte);

// One byte more of a lexeme, whatever the parse: for a configuration of one reading, without columns. The configuration
// where the lexeme goes on (CONFIG_DEAD: it does not) and the terminals that it may be if it ended here, each with what
// must be true of the rest; `after` is the configuration's pending, view and held, for config_fresh.
struct ending {
	terminal_id t;
	formula f;
};
typedef VEC(struct ending) endings;
struct lexeme_end {
	uint32_t pending, view;
};
uint32_t config_lex(struct oracle *o, uint32_t config, uint8_t byte, endings *ends, struct lexeme_end *after);
// One of one reading, with nothing below the top of its stack.
uint32_t config_on_top(struct oracle *o, uint32_t config);
// A configuration between two lexemes, of one place.
uint32_t config_fresh(struct oracle *o, struct place p, struct lexeme_end at, formula f);

// ---- definition.c ----

// By definition, from the first byte, with none of the above but earley_step and places; PCRE2 judges terminals that
// look around. -1: such a terminal is written in a way that this does not judge.
int oracle_in_language(struct oracle *o, const uint8_t *text, size_t len);
void definition_release(struct oracle *o);

// ---- viable.c ----

// Can tokens of the vocabulary complete this configuration? Looks at no more than `budget` configurations;
// VERDICT_UNKNOWN when that did not decide. VIABLE and DEAD are exact.
enum verdict oracle_viable(struct oracle *o, uint32_t config, uint32_t budget);
// The configurations of one reading each that are this one together: viable exactly when one of them is.
const uint32_t *config_alone(struct oracle *o, uint32_t config);
// reach.c: is a verdict found by reachability? Then with the fewest tokens (ORACLE_NONE: none complete it); false: it
// was too much work.
bool oracle_reaches(const struct oracle *o);
bool oracle_cost(struct oracle *o, uint32_t config, uint32_t *cost);
void reach_release(struct oracle *o);
// hint.c: looks for one quickly, by whole lexemes, spelled in tokens of one byte. False says nothing.
bool oracle_hint(struct oracle *o, uint32_t config);
// The bytes of a completion of a viable configuration, in o's arena.
const uint8_t *oracle_completion(struct oracle *o, uint32_t config, size_t *len);

#endif
