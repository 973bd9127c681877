// Grammars without a lexer inside others: may their texts be cut by longest match?
//
// In:  the parser, the terminals' DFAs, who competes in each context, what begins behind each terminal. Out: yes, or an
// error that names two terminals. In a part of GBNF or EBNF any way of cutting a text counts, and the lexer takes the
// longest match. Inside of the part that loses nothing (lib/notation/scannerless.c). Here its terminals meet those of
// the grammar around and of other parts, and the same must hold: the lexer never has a choice (dfa_clash). No
// terminal is ignored there: beside parts ignored text stands in productions (lib/grammar/lark_blanks.c). Cost: pairs
// of terminals that compete, one of them such a part's, times pairs of their states.
#include "parts.h"

static bool is_of_part(const struct terminal *t) { return t->is_scannerless && t->part; }

bool has_scannerless_parts(const struct grammar *g)
{
	bool some = false;
	for (terminal_id t = 0; t < g->n_terminals; t++) some |= is_of_part(&g->terminals[t]);
	return some;
}

static bool refuse(const struct grammar *g, terminal_id a, terminal_id b, struct diag *d)
{
	const bool is_first = is_of_part(&g->terminals[a]);
	const struct terminal *part = &g->terminals[is_first ? a : b], *other = &g->terminals[is_first ? b : a];
	const char *of = other->part == part->part ? "it" : is_of_part(other) ? "another part" : "the grammar around";
	const char *with = a == b ? "what stands behind it"
	                          : arena_printf(&d->arena, "%s of %s", grammar_show_terminal(other, &d->arena), of);
	diag_error(d, part->loc,
	           "where %s ends and %s begins cannot be told here, so texts would be lost. Put a text between them that "
	           "neither has, or write both in one part",
	           grammar_show_terminal(part, &d->arena), with);
	return false;
}

bool parts_are_told(const struct grammar *g, const struct lr *lr, const struct byte_dfa *dfa, const bits *competing,
                    const uint8_t *behind, struct diag *d)
{
	const uint32_t n = g->n_terminals, words = lr->context_words;
	bits *done = mem_calloc((size_t)n * words + 1, sizeof *done);
	bool ok = true;
	for (uint32_t c = 0; c < lr->n_contexts && ok; c++)
		for (terminal_id a = 0; a < n && ok; a++) {
			const bits *context = competing + (size_t)c * words;
			if (!bits_test(context, a)) continue;
			for (terminal_id b = a; b < n && ok; b++) {
				bool is_part = is_of_part(&g->terminals[a]) || is_of_part(&g->terminals[b]);
				if (!bits_test(context, b) || !is_part || bits_test(done + (size_t)a * words, b)) continue;
				bits_set(done + (size_t)a * words, b);
				if (dfa_clash(&dfa[a], &dfa[b], behind + a * 256, behind + b * 256)) ok = refuse(g, a, b, d);
			}
		}
	free(done);
	return ok;
}
