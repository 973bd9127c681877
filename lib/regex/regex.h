// One terminal's pattern as a minimal DFA over bytes.
//
// In:  struct term (literals, regexes in the subset that Python's re and PCRE2 share, ranges, repetition).
// Out: struct byte_dfa: minimal, trimmed, numbered breadth-first from the start: equal languages give equal bytes.
#ifndef GCDC_REGEX_REGEX_H
#define GCDC_REGEX_REGEX_H

#include "../grammar/grammar.h"

#define DFA_DEAD UINT32_MAX

// What must follow a lexeme that ends in some state (trailing lookahead): a DFA over all of the text that follows, to
// its end. It is fed bytes until it says NEVER or ANY.
#define FOLLOW_NEVER 0u  // no text does
#define FOLLOW_ANY 1u    // every text does
struct follow_dfa {
	uint32_t n_states;  // FOLLOW_NEVER and FOLLOW_ANY included; 0: nothing is asked anywhere
	uint32_t n_classes;
	uint8_t class_of[256];
	uint32_t *next;   // [n_states * n_classes] -> state, or DFA_DEAD where no valid UTF-8 goes on
	uint8_t *at_end;  // [n_states] the text may end here: FOLLOW_NO, FOLLOW_YES, or FOLLOW_INSIDE a code point
};
enum { FOLLOW_NO, FOLLOW_YES, FOLLOW_INSIDE };

// What stood before a lexeme (lookbehind at its start, \b): a DFA over all of the text so far, from the text's start.
struct observer_dfa {
	uint32_t n_states;  // start is state 0; 0: nothing is asked
	uint32_t n_classes;
	uint8_t class_of[256];
	uint32_t *next;   // [n_states * n_classes] -> state, or DFA_DEAD after bytes that are no UTF-8
	uint32_t *start;  // [n_states] the terminal's state for a lexeme that begins here, or DFA_DEAD
};

// A repetition that the lexer counts: the automaton has `more` of them fewer than the pattern. In the states that are
// counted `place` of them are read; the next one leads from a pair's `from` to some pair's `to`. Strings beside a
// pattern (TERM_STRING) have a pair for each state of the pattern; others have one.
struct dfa_counted_pair {
	uint32_t from, to;
};
struct dfa_counter {
	uint32_t more;
	uint32_t n_pairs;
	struct dfa_counted_pair *pair;
	uint32_t *counted;  // [n_states] number of a pair + 1; 0: not counted
	bool is_shared;     // all numbers share the states: see re_string_share
	bool is_far;        // and some of them, between characters, are no end of the string
};

struct byte_dfa {
	uint32_t n_states;  // start is state 0 (but see `before`); every state can reach an accepting one
	uint32_t n_classes;
	uint8_t class_of[256];  // byte -> class; bytes of one class act alike in every state
	uint32_t *next;         // [n_states * n_classes] -> state or DFA_DEAD
	uint8_t *accept;        // [n_states] 0 / 1
	// [n_states] 1: no valid UTF-8 text that follows can make the lexeme fail: on every one it either matches or
	// is still alive (an open comment). Greatest fixpoint; see docs/language.md, rule 2.
	uint8_t *unfailable;
	uint32_t *follow;  // [n_states] state of `after`: what must follow for the match to count; NULL: nothing anywhere
	struct follow_dfa after;
	struct observer_dfa before;
	struct dfa_counter *counter;  // NULL: all is spelled out
	bool dropped_empty;           // terminal.drops_empty: the empty text, as all of a text, would have matched
};

// The DFA of one terminal, allocated in `arena`. A pattern whose last quantifier is lazy stops at its first
// match: its accepting states have no way out (top-level alternatives are judged one by one).
// Errors (bad syntax as PCRE2 sees it, unsupported construct, matches the empty text, too many states, matches
// nothing at all) go to diag with the place inside the regex; false then.
bool regex_compile(const struct terminal *t, struct arena *arena, struct diag *d, struct byte_dfa *out);

// The same, for many terminals: Unicode classes (\w, \p{L}) cost 10 ms when first asked for, and the cache keeps
// them. One thread at a time per cache; it may go before the DFAs do.
struct regex_cache;
struct regex_cache *regex_cache_new(void);
void regex_cache_free(struct regex_cache *k);
bool regex_compile_cached(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                          struct byte_dfa *out);

// A bounded repetition in a terminal, of which the number read so far is known after any text (regex_count.c), or the
// characters of a string beside a pattern (regex_string.c).
#define STRING_NEEDS 64u
struct regex_counted {
	uint32_t least, most;  // a string: counting can begin behind `least`
	bool is_string;
	uint32_t reach;     // a string: characters to its end that differ from one state of the pattern to another
	uint32_t n_shared;  // states that all numbers can share, as in a string of JSON; 0: they cannot
	uint32_t needs[STRING_NEEDS];  // then: characters of a text that has so many and ends as soon as it may, at most
	uint32_t *kind, n_kind;        // words that are equal where what is repeated and what stands around it are
};
// Has the terminal one with at least so many optional ones? Says nothing of errors.
bool regex_find_counted(const struct terminal *t, struct regex_cache *cache, uint32_t least_more, struct arena *arena,
                        struct regex_counted *out);
// As regex_compile_cached, with at most `most` of those; out->counter: where `place` of them are read. The counter is
// NULL where the automaton is not as it was expected to be.
struct regex_count {
	uint32_t place, most;
	bool is_shared;  // a string of JSON: without a bound; the counter says how many characters it may have
};
bool regex_compile_counted(const struct terminal *t, struct regex_cache *cache, struct regex_count count,
                           struct arena *arena, struct diag *d, struct byte_dfa *out);

// Is there a text at which a lexer would have to choose between a lexeme of x and one of y (the same one: between a
// shorter and a longer)? It has not where no text is a lexeme of both, and where one of the one goes on towards one of
// the other only with bytes that nothing behind it begins with. behind_x, behind_y: [256], 0 or 1. Lookarounds are not
// looked at. (regex_clash.c)
#define CLASH_MAX_PAIRS 1000000u  // of states, walked together; more: yes
bool dfa_clash(const struct byte_dfa *x, const struct byte_dfa *y, const uint8_t *behind_x, const uint8_t *behind_y);

#define TOKENS_MAX_STATES 200000u  // of a text with max_tokens
// Where some terminal of the grammar counts tokens: the others pass the sign behind each token (TOKEN_END) wherever
// they are but at their start. Not for automata that look around.
void regex_pass_token_ends(struct byte_dfa *dfa, struct arena *arena);

static inline uint32_t dfa_step(const struct byte_dfa *a, uint32_t state, uint8_t byte)
{
	return state == DFA_DEAD ? DFA_DEAD : a->next[state * a->n_classes + a->class_of[byte]];
}

// FOLLOW_NEVER where the lexeme cannot end.
static inline uint32_t dfa_follow(const struct byte_dfa *a, uint32_t state)
{
	return a->follow ? a->follow[state] : a->accept[state];
}

// ---- regular languages as values (language*.c) ----
//
// Regular languages as values: sets of texts that can be compared, intersected, united and complemented.
//
// In:  texts, regexes. Out: a language is a small number; equal languages of one store are equal numbers.
// Each is kept as its minimal automaton over UTF-8 bytes (regex_min.c), interned. Operations are products of two
// automata (Rabin and Scott 1959), minimised; a store remembers their results. Cost: states of one x states of the
// other, reachable pairs only. One thread at a time per store.
typedef uint32_t language;
#define LANGUAGE_NOTHING 0u  // no text
#define LANGUAGE_ANY 1u      // every text: valid UTF-8, the empty one included
#define LANGUAGE_EMPTY 2u    // the empty text alone
#define LANGUAGE_ERROR UINT32_MAX

#define LANGUAGE_MAX_STATES 400000u    // of one operation, before minimisation: the work is given up (work.h)
#define LANGUAGE_MAX_EDGES (8u << 20)  // the same

struct languages;
struct languages *languages_new(void);
void languages_free(struct languages *s);

// Exactly these texts; they must be valid UTF-8.
struct language_text {
	const char *text;
	size_t len;
};
language language_of_texts(struct languages *s, const struct language_text *texts, uint32_t n);
// The texts that the regex (docs/regex.md) matches as a whole; lookarounds and anchors see that text and nothing else.
// LANGUAGE_ERROR after a message in d, whose place is `loc` or, when text lies in its source, inside. A store reads a
// regex once.
struct regex_text {
	const char *at;
	uint32_t len, flags;
	struct loc loc;
	const char *name;  // in messages
};
language language_of_regex(struct languages *s, const struct regex_text *x, struct diag *d);
// The same of a terminal's pattern, with TERM_AND and TERM_NOT. It recurses as deep as these two nest (TERM_MAX_DEPTH).
language language_of_term(struct languages *s, const struct term *pattern, const char *name, struct diag *d);
// What a deterministic automaton over bytes accepts and is valid UTF-8; its start is state 0. Edges in the order of
// `from`, then `lo`.
struct language_edge {
	uint32_t from, to;
	uint8_t lo, hi;
};
language language_of_automaton(struct languages *s, uint32_t n_states, const bool *accept,
                               const struct language_edge *edges, uint32_t n_edges);
// Texts of `least` to `most` (TERM_UNBOUNDED: any) code points.
language language_of_lengths(struct languages *s, uint32_t least, uint32_t most);

language language_and(struct languages *s, language a, language b);
language language_or(struct languages *s, language a, language b);
language language_minus(struct languages *s, language a, language b);
language language_not(struct languages *s, language a);  // ANY minus a
// Texts of a none of whose beginnings is one; what texts of a begin with.
language language_first(struct languages *s, language a);
language language_beginnings(struct languages *s, language a);
// A text of a, then one of b. No text of a may begin another one.
language language_then(struct languages *s, language a, language b);

// The inside of JSON strings whose values are a's, in quotes. ESCAPES_WRITTEN: each character as json.dumps writes it,
// with ensure_ascii or without. ESCAPES_ALL: in any way that JSON has.
enum escapes { ESCAPES_WRITTEN, ESCAPES_ALL };
language language_spelled(struct languages *s, language a, enum escapes escapes);

bool language_has(const struct languages *s, language a, const char *text, size_t len);
// Is it a single text?
bool language_is_text(const struct languages *s, language a);
uint32_t language_states(const struct languages *s, language a);
// Has it more than `most` texts? If not they are appended, in the order of their bytes.
typedef VEC(struct language_text) language_texts;
bool language_list(const struct languages *s, language a, uint32_t most, struct arena *arena, language_texts *out);
// The characters lo..hi that lead from a state between characters to another one, appended; ascending where they have
// as many bytes. State 0 is the start.
struct language_step {
	uint32_t lo, hi, to;
};
typedef VEC(struct language_step) language_steps;
void language_steps_from(const struct languages *s, language a, uint32_t state, language_steps *out);
bool language_ends_in(const struct languages *s, language a, uint32_t state);
// A TERM_AUTOMATON that matches it, in the arena.
struct term *language_term(const struct languages *s, language a, struct loc loc, struct arena *arena);

// ---- JSON strings of so many characters beside a pattern (regex_string.c) ----
#define STRING_MAX_STATES 4000u  // of the values' automaton, where characters are counted
#define STRING_MAX_REACH 1024u   // characters from a state to its nearest end, or to the end of its longest text
#define STRING_MAX_PLACE 1024u   // characters behind the least number until the same states come again
#define STRING_MAX_LEAST 6000u
struct string_count {
	uint32_t place, reach;
};
struct string_bounds {
	uint32_t least, most;
	enum escapes escapes;
};
// Can the strings of this language with so many characters be read by the states of those without a bound, beside a
// number? They can where the nearest end is never too far. The states that this takes, or 0: no. needs: as struct
// regex_counted has it, or NULL. Cost: as language_counts, and the strings spelled.
#define STRING_MAX_FAR 4000u
uint32_t language_shares(struct languages *s, language of, const struct string_bounds *bounds,
                         uint32_t needs[STRING_NEEDS]);
// May the texts of a TERM_STRING end anywhere from some number of characters on, within its bound?
bool regex_string_ends_early(const struct term *t);
// Can the lexer count the characters of texts of this language, which have `least` at least? Where counting can begin,
// and how far the automaton's distances reach. Cost: characters up to the place x the automaton.
bool language_counts(const struct languages *s, language of, uint32_t least, struct string_count *out);
// A TERM_STRING: the JSON strings whose values are texts of the language and have so many characters. In the arena.
struct term *language_string_term(const struct languages *s, language of, struct string_bounds bounds, struct loc loc,
                                  struct arena *arena);

#endif
