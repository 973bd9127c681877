// struct grammar -> text, for golden tests.
//
// In:   a grammar. Out: its terminals as Lark would take them, one a line with what else is known of them; its
//       productions, one a line, grouped by left side. name' is the copy of a rule for inside brackets. Cost: linear.
#include "grammar_text.h"

static void print_text(const char *text, uint32_t n, FILE *out)
{
	fputc('"', out);
	for (uint32_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else if (c == '\r')
			fputs("\\r", out);
		else if (c < 32 || c == 127)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_flags(uint32_t flags, FILE *out)
{
	static const char letters[] = "imsxua";
	for (uint32_t i = 0; i < 6; i++)
		if (flags >> i & 1) fputc(letters[i], out);
}

static void print_code_point(uint32_t c, FILE *out)
{
	if (c >= 32 && c < 127 && c != '"' && c != '\\')
		fprintf(out, "\"%c\"", (int)c);
	else
		fprintf(out, "\"\\U%08x\"", c);
}

static void print_repeat(const struct term *t, FILE *out)
{
	if (t->lo == 0 && t->hi == 1)
		fputc('?', out);
	else if (t->lo <= 1 && t->hi == TERM_UNBOUNDED)
		fputc(t->lo ? '+' : '*', out);
	else if (t->lo == t->hi)
		fprintf(out, "~%u", t->lo);
	else if (t->hi == TERM_UNBOUNDED)
		fprintf(out, "~%u..", t->lo);
	else
		fprintf(out, "~%u..%u", t->lo, t->hi);
}

// <[3,10-20]>
static void print_control(const struct term *t, FILE *out)
{
	const uint32_t *id = (const void *)t->text;
	uint32_t n = t->text_len / (uint32_t)sizeof *id;
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && id[end] == id[end - 1] + 1;) end++;
		fprintf(out, i ? ",%u" : "<[%u", id[i]);
		if (end - i > 1) fprintf(out, "-%u", id[end - 1]);
	}
	fputs("]>", out);
}

// Branches: one case for each kind of term.
static void print_term(const struct term *t, bool is_inner, FILE *out)
{
	bool is_list = t->kind == TERM_SEQ || t->kind == TERM_ALT || t->kind == TERM_AND;
	bool brackets = is_inner && (is_list || t->kind == TERM_NOT);
	if (brackets) fputc('(', out);
	switch (t->kind) {
	case TERM_TEXT: print_text(t->text, t->text_len, out), print_flags(t->flags, out); break;
	case TERM_REGEX:
		fputc('/', out);
		for (uint32_t i = 0; i < t->text_len; i++) {
			unsigned char c = (unsigned char)t->text[i];
			if (c < 32 || c == 127)
				fprintf(out, "\\x%02x", c);
			else
				fputc(c, out);
		}
		fputc('/', out), print_flags(t->flags, out);
		break;
	case TERM_RANGE: print_code_point(t->lo, out), fputs("..", out), print_code_point(t->hi, out); break;
	case TERM_REPEAT: print_term(t->children[0], true, out), print_repeat(t, out); break;
	case TERM_AUTOMATON: {
		uint32_t n;
		memcpy(&n, t->text, sizeof n);
		fprintf(out, "<automaton of %u states>", n);
		break;
	}
	case TERM_NOT: fputc('~', out), print_term(t->children[0], true, out); break;
	case TERM_CONTROL: print_control(t, out); break;
	case TERM_TOKENS: print_term(t->children[0], true, out), fprintf(out, "[max_tokens=%u]", t->hi); break;
	case TERM_SEQ:
	case TERM_ALT:
	case TERM_AND:
		for (uint32_t i = 0; i < t->n_children; i++) {
			if (i) fputs(t->kind == TERM_SEQ ? " " : t->kind == TERM_ALT ? " | " : " & ", out);
			print_term(t->children[i], t->kind != TERM_AND || t->children[i]->kind != TERM_NOT, out);
		}
	}
	if (brackets) fputc(')', out);
}

void grammar_print_pattern(const struct term *t, FILE *out) { print_term(t, false, out); }

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
			print_term(t->pattern, false, out);
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
