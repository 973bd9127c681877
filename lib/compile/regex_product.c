// A lexer and canonical tables, multiplied (lib/canonical, CartesianMerge).
//
// In:  sections of an artifact, or of an image. Out: the product, or why there is none.
// Only where the grammar is one terminal, which the text is as a whole, perhaps also the empty text: then the lexer's
// automaton is the language's. A lexer that looks at what follows, or counts columns, is none. Cost: product_build's.
#include "regex_product.h"

// Is the text one lexeme, or *may_be_empty nothing?
static bool is_one_terminal(const struct regex_parts *x, bool *may_be_empty)
{
	*may_be_empty = false;
	if (x->info->n_terminals != 1 || x->terminals[0].flags & TERMINAL_IGNORED || x->info->n_lines) return false;
	for (uint32_t i = 0; i < x->info->n_productions; i++) {
		if (x->productions[i].length > 1) return false;
		*may_be_empty |= !x->productions[i].length;  // all rules are useful, and lead to nothing else
	}
	return true;
}

static bool take_lexer(const struct regex_parts *x, bool may_be_empty, struct regex_product *out)
{
	const struct artifact_lex_state *q = x->lex_states;
	uint32_t n = x->info->n_lex_states, start = x->info->start_lex_state;
	out->next = mem_alloc(n * 256ull * sizeof *out->next), out->accepts = mem_calloc(n + 1ull, 1);
	for (uint32_t s = 0; s < n; s++) {
		if (q[s].also || q[s].flags & LEX_LINE) return false;
		out->accepts[s] = q[s].terminal != ARTIFACT_NONE && q[s].flags & LEX_MAY_END;
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = x->lex_next[(size_t)s * x->info->n_classes + x->info->class_of[b]] & LEX_STATE_MASK;
			out->next[s * 256ull + b] = to ? to : ARTIFACT_NONE;
		}
	}
	out->accepts[start] |= may_be_empty;
	out->dfa = (struct byte_automaton){n, start, out->next, out->accepts};
	return true;
}

void regex_product_build(const struct regex_parts *parts, const struct canon_section *canonical, const struct vocab *v,
                         struct regex_product *out)
{
	bool may_be_empty;
	*out = (struct regex_product){0};
	if (!is_one_terminal(parts, &may_be_empty))
		out->problem = "the grammar is not one regular expression (gcdc compile --regex)";
	else if (!take_lexer(parts, may_be_empty, out))
		out->problem = "the regular expression looks at what comes behind it";
	if (out->problem) return;
	canonical_view(canonical, v->n_tokens, &out->c);
	out->product = product_build(&out->dfa, v, &out->c, &out->problem);
}

void regex_product_release(struct regex_product *r)
{
	product_free(r->product);
	free(r->next), free(r->accepts);
	*r = (struct regex_product){0};
}
