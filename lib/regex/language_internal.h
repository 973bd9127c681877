// Automata in the making, and how those of a store are read: what the files language*.c share.
#ifndef GCDC_LANGUAGE_INTERNAL_H
#define GCDC_LANGUAGE_INTERNAL_H

#include "../base/map64.h"
#include "regex_internal.h"

struct languages {
	struct intern automata;
	struct regex_cache *cache;
	struct map64 memo;      // operation << 60 | a << 30 | b -> language
	struct intern regexes;  // flags, text
	VEC(language) of_regex;
};

enum operation { OP_AND, OP_OR, OP_MINUS, OP_SPELLED, OP_LENGTHS };  // the last one's operands are no languages

// An automaton in the making: edges of a state are added together, in ascending order.
struct automaton_draft {
	VEC(struct re_span) edges_of;
	VEC(struct byte_edge) edges;
	VEC(uint32_t) accept;
};

// Adds a state that accepts (FOLLOW_ANY) or does not (FOLLOW_NEVER). Gives the work up above LANGUAGE_MAX_STATES.
uint32_t making_add_state(struct automaton_draft *m, uint32_t accept);
// Adds an edge to the state whose edges begin at `first`; the last edge grows where both make one range.
void making_add_edge(struct automaton_draft *m, uint32_t first, uint32_t to, uint32_t lo, uint32_t hi);
// State q has the edges from `first` on.
void making_set_edges(struct automaton_draft *m, uint32_t q, uint32_t first);
// Gives the work up above LANGUAGE_MAX_STATES or LANGUAGE_MAX_EDGES.
void making_check(const struct automaton_draft *m);
// The language of the automaton, whose start is state 0. Releases m.
language making_finish(struct languages *s, struct automaton_draft *m);

// The automaton of a language, readable until the next language is made.
struct term_automaton language_view(const struct languages *s, language a);

// The pairs of a's and b's states that are reachable (language_operations.c).
language language_product(struct languages *s, enum operation op, language a, language b);

// Code points lo..hi that lead from a place between code points to a state, + 1.
struct lead {
	uint32_t lo, hi, to;
};
typedef VEC(struct lead) leads;

// Adds to the end; the last one grows where both make one range.
void leads_add(leads *l, uint32_t lo, uint32_t hi, uint32_t to);
// The code points of one byte that lead on from state q; out is emptied first.
void leads_ascii(const struct term_automaton *a, uint32_t q, leads *out);
// Those of more bytes, added to out.
void leads_wide(const struct term_automaton *a, uint32_t q, leads *out);

#endif
