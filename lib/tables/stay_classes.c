// Which lexer states need not be told apart where a token ends inside a lexeme.
//
// In:  what viability knows of each. Out: classes. Summaries ask of such a state whether it is hopeless in a context
// (its terminals), whether it is safe (its row), and on which stacks it is viable (`alike`): where all three are the
// same, tokens that end there are one stay. So a walk inside a string finds one set for its hundred states, not a
// hundred. States of chains (lexer.h) move along and stay what they are. Prices tell states apart that are one here.
// Cost: a look-up for each state.
#include "stay_classes.h"

#include "../../formats/artifact.h"

lex_state *stay_classes_find(const struct viability *v)
{
	const struct lexer *x = v->lexer;
	const struct lexer_chains *h = &x->chains;
	const uint32_t words = v->lr->context_words;
	struct intern ends = {0}, classes = {0};
	VEC(lex_state) first = {0};
	lex_state *class_of = mem_calloc(x->n_states, sizeof *class_of);
	for (lex_state q = 1; q < x->n_states; q++) {
		const bool in_chain = h->n && h->place[q] != UINT32_MAX;
		const uint32_t key[] = {intern_add(&ends, v->ends + (size_t)q * words, words * sizeof *v->ends, NULL),
		                        v->safe.row_of ? v->safe.row_of[q] : 0, viability_equivalent(v, q),
		                        x->info[q].flags & LEX_INITIAL, in_chain ? q : LEX_DEAD};
		bool is_new;
		const uint32_t class = intern_add(&classes, key, sizeof key, &is_new);
		if (is_new) vec_push(&first, q);
		class_of[q] = first.at[class];
	}
	intern_release(&ends), intern_release(&classes);
	vec_release(&first);
	return class_of;
}
