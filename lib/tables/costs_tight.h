// Of states whose characters are counted by number alone: tokens that are allowed whatever the number is.
#ifndef GCDC_TABLES_COSTS_TIGHT_H
#define GCDC_TABLES_COSTS_TIGHT_H

#include "walk.h"

struct tight_list {
	VEC(lex_state) states;
	VEC(struct outcome_cut) cuts;
	uint32_t first;
};
struct tight_span {
	bool is_counted;
	uint32_t first_state, n_states, first_cut, n_cuts;  // in the list
};
struct tight_tokens {
	struct tight_span *of;  // [lex_state]; NULL: no counter shares its states
	struct tight_list list;
};
// False: there are none. The caller releases it in any case.
bool tight_find(const struct lexer *lexer, struct walker *w, struct tight_tokens *out);
void tight_release(struct tight_tokens *x);

#endif
