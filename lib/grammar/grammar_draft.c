// A grammar made by another front end than Lark's -> struct grammar.
//
// In:  terminals with patterns, productions. Out: *g, by lark_reduce. Cost: linear.
#include "lark.h"

_Static_assert(DRAFT_NONTERMINAL == X_NONTERMINAL, "one coding of symbols");

bool grammar_of_draft(const struct grammar_draft *draft, struct diag *d, struct grammar *g)
{
	struct expansion x = {.start = draft->start, .arena = &g->arena};
	for (uint32_t i = 0; i < draft->terminals.n; i++) {
		const struct terminal *t = &draft->terminals.at[i];
		vec_push(&x.terminals, ((struct x_terminal){.name = t->name,
		                                            .pattern = t->pattern,
		                                            .priority = t->priority,
		                                            .is_ignored = t->is_ignored,
		                                            .loc = t->loc}));
	}
	for (uint32_t i = 0; i < draft->nonterminals.n; i++) {
		const struct nonterminal *n = &draft->nonterminals.at[i];
		vec_push(&x.nonterminals,
		         ((struct x_nonterminal){.name = n->name, .loc = n->loc, .origin = X_HELPER, .copy_of = i}));
	}
	for (uint32_t i = 0; i < draft->productions.n; i++) {
		const struct draft_production *p = &draft->productions.at[i];
		vec_push(&x.productions,
		         ((struct x_production){.lhs = p->lhs, .rhs = p->rhs, .n_rhs = p->n_rhs, .loc = p->loc}));
	}
	bool ok = lark_reduce(&x, d, g);
	lark_expansion_release(&x);
	return ok;
}

void grammar_draft_release(struct grammar_draft *draft)
{
	vec_release(&draft->terminals), vec_release(&draft->nonterminals), vec_release(&draft->productions);
}
