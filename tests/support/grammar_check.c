// The invariants of struct grammar that every later stage relies on.
//
// In:   a grammar. Out: the first one that is broken, as text, or NULL. Cost: linear.
#include "grammar_text.h"

// Branches: one case for each kind of term, with what must hold of it.
static const char *check_term(const struct term *t, uint32_t depth)
{
	if (depth > 1000) return "a term nests too deep";
	switch (t->kind) {
	case TERM_TEXT:
		if (!t->text || t->text_len == 0) return "an empty TERM_TEXT";
		if (t->flags & ~(uint32_t)TERM_I) return "a TERM_TEXT has flags other than i";
		return NULL;
	case TERM_AUTOMATON:
	case TERM_STRING: return t->text && t->text_len >= 8 ? NULL : "an empty TERM_AUTOMATON";
	case TERM_CONTROL: return t->text && t->text_len && t->text_len % 4 == 0 ? NULL : "a TERM_CONTROL without ids";
	case TERM_REGEX: return t->text && t->text_len ? NULL : "an empty TERM_REGEX";
	case TERM_RANGE: return t->lo <= t->hi && t->hi <= 0x10FFFF ? NULL : "a TERM_RANGE is out of order";
	case TERM_REPEAT:
		if (t->n_children != 1) return "a TERM_REPEAT has not one child";
		if (t->lo > t->hi) return "a TERM_REPEAT is out of order";
		break;
	case TERM_NOT:
		if (t->n_children != 1) return "a TERM_NOT has not one child";
		break;
	case TERM_ALT:
	case TERM_AND:
		if (t->n_children == 0) return "a TERM_ALT or TERM_AND without children";
		break;
	case TERM_TOKENS:
		if (depth || !t->n_children || t->n_children > 2) return "a TERM_TOKENS inside a term, or without a text";
		break;
	case TERM_SEQ: break;
	default: return "a term of no kind";
	}
	for (uint32_t i = 0; i < t->n_children; i++) {
		const char *wrong = t->children[i] ? check_term(t->children[i], depth + 1) : "a term lacks a child";
		if (wrong) return wrong;
	}
	return NULL;
}

// Branches: one rule and one message for each thing that must hold of a terminal.
static const char *check_terminals(const struct grammar *g)
{
	for (uint32_t i = 0; i < g->n_terminals; i++) {
		const struct terminal *t = &g->terminals[i];
		if (!t->name || !*t->name) return "a terminal without a name";
		if (t->is_ignored && !t->pattern) return "an ignored terminal without a pattern";
		if (t->is_ignored && t->is_scoped) return "a terminal is ignored everywhere and inside";
		if (t->bracket != BRACKET_NONE && t->is_scoped) return "a bracket is ignored inside";
		if (!t->pattern && !(g->indentation.on && (i == g->indentation.indent || i == g->indentation.dedent)))
			return "a terminal that nothing produces";
		if (t->is_literal != (t->pattern && t->pattern->kind == TERM_TEXT)) return "is_literal is wrong";
		const char *wrong = t->pattern ? check_term(t->pattern, 0) : NULL;
		if (wrong) return wrong;
	}
	return NULL;
}

static const char *check_left_side(const struct grammar *g, uint32_t i)
{
	const struct production *p = &g->productions[i];
	if (p->lhs >= g->n_nonterminals) return "a left side is no nonterminal";
	if (i && p->lhs < p[-1].lhs) return "productions are not in order of their left sides";
	if (p->inside != g->nonterminals[p->lhs].inside || (p->inside && !g->has_scope)) return "inside is wrong";
	return p->n_rhs == 1 && p->rhs[0] == g->n_terminals + p->lhs ? "a production A: A" : NULL;
}

static const char *check_symbol(const struct grammar *g, uint32_t i, uint32_t k)
{
	uint32_t symbol = g->productions[i].rhs[k];
	if (symbol >= g->n_terminals + g->n_nonterminals) return "a right side has no symbol";
	if (symbol < g->n_terminals) {
		if (g->terminals[symbol].is_ignored) return "an ignored terminal in a production";
		return g->terminals[symbol].is_scoped && item_inside(g, i, k) ? "a terminal where it is ignored" : NULL;
	}
	if (g->has_scope && g->nonterminals[symbol - g->n_terminals].inside != item_inside(g, i, k))
		return "a rule inside where its copy must be, or the other way round";
	return NULL;
}

// Which symbols right sides have (seen), which nonterminals have productions (has).
static const char *check_productions(const struct grammar *g, uint8_t *seen, uint8_t *has)
{
	for (uint32_t i = 0; i < g->n_productions; i++) {
		const struct production *p = &g->productions[i];
		const char *wrong = check_left_side(g, i);
		if (wrong) return wrong;
		has[p->lhs] = 1;
		for (uint32_t k = 0; k < p->n_rhs; k++) {
			if ((wrong = check_symbol(g, i, k))) return wrong;
			seen[p->rhs[k]] = 1;
		}
	}
	return NULL;
}

// May a terminal stand in no production?
static bool may_be_unused(const struct terminal *t, bool has_words)
{
	return t->is_ignored || t->is_scoped || t->is_held || !t->pattern || (has_words && (t->is_literal || t->has_words));
}

static const char *check_use(const struct grammar *g, const uint8_t *seen, const uint8_t *has)
{
	bool has_words = false;
	for (uint32_t i = 0; i < g->n_terminals; i++) has_words |= g->terminals[i].has_words;
	for (uint32_t i = 0; i < g->n_terminals; i++)
		if (!seen[i] && !may_be_unused(&g->terminals[i], has_words)) return "a terminal that no production uses";
	for (uint32_t i = 0; i < g->n_nonterminals; i++)
		if (!has[i] || !seen[g->n_terminals + i]) return "a nonterminal that is defined or used nowhere";
	return NULL;
}

const char *grammar_check(const struct grammar *g)
{
	if (g->start >= g->n_nonterminals) return "the start is no nonterminal";
	for (uint32_t i = 0; i < g->n_nonterminals; i++)
		if (!g->nonterminals[i].name || !*g->nonterminals[i].name) return "a nonterminal without a name";
	const char *wrong = check_terminals(g);
	if (wrong) return wrong;
	uint8_t *seen = mem_calloc((size_t)g->n_terminals + g->n_nonterminals, 1), *has = mem_calloc(g->n_nonterminals, 1);
	seen[g->n_terminals + g->start] = 1;
	wrong = check_productions(g, seen, has);
	if (!wrong) wrong = check_use(g, seen, has);
	free(seen), free(has);
	return wrong;
}
