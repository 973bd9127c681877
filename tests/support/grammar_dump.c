// struct grammar -> text, for golden tests.
//
// In:   a grammar. Out: its terminals as Lark would take them, one a line with what else is known of them; its
//       productions, one a line, grouped by left side. name' is the copy of a rule for inside brackets. Cost: linear.
#include "grammar_text.h"

static void print_all(const struct grammar *g, const char *label, enum bracket b, FILE *out)
{
	bool any = false;
	for (uint32_t i = 0; i < g->n_terminals; i++) {
		if (g->terminals[i].bracket != b || (b == BRACKET_NONE && !g->terminals[i].is_scoped)) continue;
		fprintf(out, "%s %s", any ? "" : label, g->terminals[i].name);
		any = true;
	}
	if (any) fputc('\n', out);
}

static void print_scope(const struct grammar *g, FILE *out)
{
	const struct indentation *i = &g->indentation;
	if (g->has_scope) {
		print_all(g, "ignored inside:", BRACKET_NONE, out);
		print_all(g, "inside:", BRACKET_OPEN, out), print_all(g, "to:", BRACKET_CLOSE, out);
		print_all(g, "outside:", BRACKET_OPEN_AGAIN, out), print_all(g, "to:", BRACKET_CLOSE_AGAIN, out);
	}
	for (uint32_t t = 0; t < g->n_terminals; t++) {
		if (!g->terminals[t].is_held) continue;
		fprintf(out, "%%ignore %s unless after", g->terminals[t].name);
		for (uint32_t u = 0; u < g->n_terminals; u++)
			if (g->terminals[u].holds) fprintf(out, " %s", g->terminals[u].name);
		fputc('\n', out);
	}
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].has_words) fprintf(out, "%%keywords %s\n", g->terminals[t].name);
	if (!i->on) return;
	fprintf(out, "%%indent newline=%s indent=%s dedent=%s tab=", g->terminals[i->newline].name,
	        g->terminals[i->indent].name, g->terminals[i->dedent].name);
	if (i->tab_rule == TAB_REFUSED)
		fputs("refuse", out);
	else
		fprintf(out, "%s%u", i->tab_rule == TAB_COUNTS ? "+" : "", i->tab);
	fprintf(out, " end=%s\n", i->end_newline ? "newline" : "text");
}

// "name", or "name'" of a copy.
static void print_symbol(const struct grammar *g, symbol_id s, FILE *out)
{
	bool inside = s >= g->n_terminals && g->nonterminals[s - g->n_terminals].inside;
	fprintf(out, "%s%s", grammar_symbol_name(g, s), inside ? "'" : "");
}

void grammar_dump(const struct grammar *g, FILE *out)
{
	fprintf(out, "terminals %u, nonterminals %u, productions %u, start %s\n", g->n_terminals, g->n_nonterminals,
	        g->n_productions, g->n_nonterminals ? g->nonterminals[g->start].name : "-");
	for (uint32_t i = 0; i < g->n_terminals; i++) {
		const struct terminal *t = &g->terminals[i];
		fprintf(out, "%s%s", t->is_ignored ? "%ignore " : "", t->name);
		if (t->priority) fprintf(out, ".%d", t->priority);
		fputs(": ", out);
		if (t->pattern)
			grammar_print_pattern(t->pattern, out);
		else
			fputs("%declare", out);
		fputc('\n', out);
	}
	print_scope(g, out);
	for (uint32_t i = 0; i < g->n_productions; i++) {
		const struct production *p = &g->productions[i];
		print_symbol(g, g->n_terminals + p->lhs, out);
		fputc(':', out);
		for (uint32_t k = 0; k < p->n_rhs; k++) fputc(' ', out), print_symbol(g, p->rhs[k], out);
		fputc('\n', out);
	}
}
