// Lexer states that have the starts of another one, less some tokens (shared_starts.c).
#ifndef GCDC_TABLES_SHARED_STARTS_H
#define GCDC_TABLES_SHARED_STARTS_H

#include "tokenset.h"
#include "walk.h"

struct shared_starts {
	lex_state *of;               // [n_lex_states] whose starts a state has, mostly its own; NULL: each has its own
	set_id *without;             // [n_lex_states] tokens that its masks leave out of what these allow
	VEC(lex_state) members;      // group by group: a state that others share, then these
	VEC(uint32_t) first_member;  // [group]
};

static inline lex_state shared_starts_of(const struct shared_starts *x, lex_state q) { return x->of ? x->of[q] : q; }
// The members of a group; how many.
const lex_state *shared_starts_group(const struct shared_starts *x, uint32_t group, uint32_t *n);
void shared_starts_release(struct shared_starts *x);
// What `all`, which ascends, has beside `some`, into *gone. False: it lacks some.
bool nodes_beside(const trie_node *all, uint32_t n_all, const trie_node *some, uint32_t n, node_list *gone);

#endif
