// Are there always infinitely many strings left? Then an item can become unlike any number of others.
//
// In:  strings of a schema. Out: whether each beginning of one, closing quote excluded, begins infinitely many.
// All states of a minimal automaton are on the way to a text. So infinitely many are left of each exactly when each has
// an edge: who can always go on comes to a cycle. Cost: linear in the automaton.
#include "internal.h"

bool strings_are_endless(struct schema *s, struct strings x)
{
	struct arena arena = {0};
	if (x.syntax) return false;
	if (x.of == LANGUAGE_ANY) return x.most == TERM_UNBOUNDED;
	const language all = strings_language(s, x);
	bool ok = all != 0;
	if (ok) {
		const struct term *t = language_term(s->languages, all, (struct loc){0}, &arena);
		const struct term_automaton a = term_automaton_read(t->text);
		for (uint32_t q = 0; q < a.n_states && ok; q++)
			ok = term_automaton_first(&a, q) < term_automaton_first(&a, q + 1);
	}
	arena_release(&arena);
	return ok;
}
