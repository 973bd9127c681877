// The lexer of a whole grammar: contextual maximal munch as one automaton over bytes.
//
// In:  each terminal's DFA (regex.h), the contexts (which terminals compete) and which contexts can follow a
//      terminal.
// Out: struct lexer. A lex_state is (obligation, scan, what stood before): what must not match any more, what the
//      pending lexeme may become, and for lookbehind the observer's state; see docs/algorithm.md, section 2. Minimised;
//      state 0 is dead.
#ifndef GCDC_LEXER_LEXER_H
#define GCDC_LEXER_LEXER_H

#include "../base/bitset.h"
#include "../regex/regex.h"

typedef uint32_t lex_state;
#define LEX_DEAD 0u
#define LEXER_MAX_STATES 200000u
#define LEXER_MAX_READINGS 16u          // of one text at once
#define LEXER_MAX_READING_SETS 100000u  // sets of lex_states that they can be in
#define LEXER_MAX_STARTS (1u << 28)     // pairs of an obligation and a context

struct lexer_context_map {
	uint32_t n_contexts, context_words;
	const bits *context;  // [n_contexts * context_words] terminals that compete, ignored ones left out
	uint32_t after_words;
	const bits *after;  // [n_terminals * after_words] contexts possible once the terminal is on the stack;
						// for ignored terminals: all
	uint32_t initial;   // the context of the empty stack
	bool takes_also;    // the caller minds lex_info.also; else a lexer that needs it is refused
};

// Where a terminal's lookahead decides between two that match the same text, a lexeme can end in several ways: `also`
// leads to a lex_state for the same text that ends as another terminal. It cannot be entered by a byte. LEX_CUT in the
// row of the first says that some way may be cut; cutting all of them then is right (what is wrong is dead in its start
// state). Of all ways the text that follows allows one.
struct lex_info {
	terminal_id terminal;  // UINT32_MAX: the lexeme cannot end here
	uint32_t obligation;   // row of `start` when it does
	uint32_t flags;        // enum lex_state_flags of formats/artifact.h
	lex_state also;        // LEX_DEAD: none
};

// States that repeat one another along a bounded repetition (lexer_chains.c). Along a stretch of places from first[p]
// on, the states at p, p + 1, ... do alike: see `run`. Moving from p by i means the state at p + i.
#define CHAIN_MOVES 0x80000000u
#define CHAIN_MIN 4u  // places; a shorter stretch is none
struct lexer_chains {
	uint32_t n;          // places; 0: there are no chains, and the pointers may be NULL
	uint32_t *place;     // [lex_state] or UINT32_MAX
	lex_state *members;  // [place]
	uint32_t *first;     // [place] where its stretch begins; UINT32_MAX: it is in none
	uint32_t *
		run;  // [place * n_classes] for how many places on the class is cut alike and leads to the same state, or (with
			  // CHAIN_MOVES) to the one that moved by as many
};

// Repetitions that are counted (regex.h, struct dfa_counter). While fewer than `more` have been counted, a step from a
// counted state to `to` leads to `from` instead, and counts one. Then it is what the automaton with all of them does.
struct lexer_counter {
	lex_state from, to;
	uint32_t more;
	uint32_t terminal;  // whose counters lead to each other's `to`
};
struct lexer_counted {
	lex_state state;
	uint32_t counter;
};
struct lexer_counters {
	uint32_t n, n_states;
	struct lexer_counter *counter;  // [n]
	struct lexer_counted *state;    // [n_states], ascending; the states before minimisation: in any order
	bool shares;                    // some have `from` = `to`: their states are the same for all numbers
	bool is_far;                    // and some of these, between characters, are no end of a string
	bool clash;  // a counted repetition is read beside something else: its terminal must be spelled out
};

struct lexer {
	uint32_t n_classes;
	uint8_t class_of[256];
	uint32_t n_states;       // 0 is dead
	uint32_t *next;          // [n_states * n_classes], coded as in formats/artifact.h (LEX_CUT)
	struct lex_info *info;   // [n_states]
	uint32_t n_obligations;  // row 0: nothing is forbidden, at the start of the text
	uint8_t *may_end;        // [n_obligations] the text may end with it, as far as lookahead is concerned
	uint32_t n_contexts;
	lex_state *start;  // [n_obligations * n_contexts], LEX_DEAD when none
	lex_state initial;
	const uint8_t *is_ignored;              // [n_terminals]
	const uint32_t *rank;                   // [n_terminals] tie order, all different: the lower wins
	uint32_t max_readings;                  // readings of one text alive at once
	const struct indentation *indentation;  // NULL: lines have no columns
	uint8_t is_blank[256];  // with columns: in lex_states with LEX_LINE these bytes lead back there, and nowhere else
	bool lines_repeat;      // from each of those a '\n' in the same lexeme leads back there, at column 0
	struct lexer_chains chains;
	struct lexer_counters counters;
	uint32_t n_raw_states;  // before minimisation, for --stats
};

// Which terminals compete where those of a context are viable: they, and with %keywords all words where one is.
// [n_contexts * words]; `viable` itself where there are no such words. (lexer_keywords.c)
bits *lexer_words(const struct grammar *g, const struct byte_dfa *dfa, bits *viable, uint32_t n_contexts,
                  uint32_t words, struct arena *arena);
// [x * BITS_WORDS(n_terminals)] the terminals that x can preempt. can_follow: [terminal * 256] bytes with which
// something can begin behind it, 0 or 1. (lexer_preemption.c)
bits *lexer_preempted_by(const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *can_follow,
                         struct arena *arena);
// The same contexts with whatever may compete there and make no difference, so that few are left. (lexer_keywords.c)
struct lexer_contexts {
	const bits *competing;  // [context * words] the terminals that compete there
	uint32_t n, words;
};
bits *lexer_widened(const struct grammar *g, const struct byte_dfa *dfa, struct lexer_contexts c,
                    const bits *preempted_by, struct arena *arena);
// False with an error when a limit is passed.
bool lexer_build(const struct grammar *g, const struct byte_dfa *dfa, const struct lexer_context_map *m,
                 struct arena *arena, struct diag *d, struct lexer *out);
const char *lexer_check(const struct lexer *x);

// The next way in which a lexeme can end where it can end as *way; NULL: none.
static inline const struct lex_info *lexer_also(const struct lexer *x, const struct lex_info *way)
{
	return way->also == LEX_DEAD ? NULL : &x->info[way->also];
}

static inline uint32_t lexer_next(const struct lexer *x, lex_state q, uint8_t byte)
{
	return x->next[(size_t)q * x->n_classes + x->class_of[byte]];
}

#endif
