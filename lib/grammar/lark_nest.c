// Grammars inside grammars: %json {...}, %lark {...}, %gbnf {...}, %ebnf {...} in a rule.
//
// In:  the text between the braces, who reads it (grammar_options.nested). Out: its terminals and productions in the
//      expansion, as a part of its own: its keywords are words of this part alone, its ignored terminals are ignored in
//      it alone (lark_blanks.c), its start is the symbol that stands in the rule.
// Names: NUMBER of the part in the rule `call` is `call.NUMBER`, of its second part `call_2.NUMBER`. A text in quotes
//      stays one, and a numbered terminal keeps its number.
// Cost: what reading it costs, then linear.
#include "lark.h"

static const char *unsupported(const struct grammar *g)
{
	if (g->indentation.on) return "%indent";
	if (g->has_scope) return "%ignore ... inside brackets";
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].is_held) return "%ignore ... unless after";
	return NULL;
}

// Is it in no production? Then it is a word that is reserved.
static void find_used(const struct grammar *g, uint8_t *used)
{
	for (uint32_t i = 0; i < g->n_productions; i++)
		for (uint32_t k = 0; k < g->productions[i].n_rhs; k++)
			if (g->productions[i].rhs[k] < g->n_terminals) used[g->productions[i].rhs[k]] = 1;
}

// What the names of the next part of this rule begin with.
static const char *part_name(struct expansion *x, const char *rule)
{
	const bool is_next = x->parts_rule && !strcmp(x->parts_rule, rule);
	x->n_rule_parts = is_next ? x->n_rule_parts + 1 : 1;
	x->parts_rule = rule;
	return is_next ? arena_printf(x->arena, "%s_%u", rule, x->n_rule_parts) : rule;
}

static const char *terminal_name(const char *part, const struct terminal *t, struct arena *terms)
{
	const bool is_text = t->name[0] == '"' || !strncmp(t->name, "__", 2);
	return arena_printf(terms, "%s%s%s", is_text ? "" : part, is_text ? "" : ".", t->name);
}

static uint32_t add(struct expansion *x, const struct grammar *g, const char *name, struct loc loc, struct arena *terms)
{
	uint32_t part = ++x->n_parts, first_terminal = x->terminals.n, first = x->nonterminals.n, most = part;
	uint8_t *used = mem_calloc((size_t)g->n_terminals + 1, 1);
	find_used(g, used);
	for (uint32_t t = 0; t < g->n_terminals; t++) {
		const struct terminal *from = &g->terminals[t];
		uint32_t of = from->part ? part + from->part : part;  // parts of the part
		if (of > most) most = of;
		vec_push(&x->terminals, ((struct x_terminal){.name = terminal_name(name, from, terms),
		                                             .pattern = term_copy(from->pattern, terms),
		                                             .priority = from->priority,
		                                             .is_imported = true,
		                                             .is_blank = from->is_blank || from->is_ignored,
		                                             .is_own_blank = from->is_ignored,
		                                             .comes_once = from->comes_once,
		                                             .drops_empty = from->drops_empty,
		                                             .is_scannerless = from->is_scannerless,
		                                             .opens_unique = from->opens_unique,
		                                             .shape = words_copy(from->shape, from->n_shape, terms),
		                                             .n_shape = from->n_shape,
		                                             .part = of,
		                                             .has_words = from->has_words,
		                                             .words_loc = loc,
		                                             .is_reserved = !used[t] && !from->is_ignored,
		                                             .is_soft = from->is_soft,
		                                             .loc = loc}));
	}
	x->n_parts = most;
	free(used);
	for (uint32_t a = 0; a < g->n_nonterminals; a++)
		vec_push(&x->nonterminals,
		         ((struct x_nonterminal){.name = arena_printf(x->arena, "%s.%s", name, g->nonterminals[a].name),
		                                 .loc = loc,
		                                 .origin = X_HELPER,
		                                 .is_imported = true,
		                                 .copy_of = first + a,
		                                 .part = a == g->start ? part : 0}));
	for (uint32_t i = 0; i < g->n_productions; i++) {
		const struct production *p = &g->productions[i];
		uint32_t *rhs = arena_array(x->arena, p->n_rhs, sizeof *rhs);
		for (uint32_t k = 0; k < p->n_rhs; k++)
			rhs[k] = p->rhs[k] < g->n_terminals ? first_terminal + p->rhs[k]
			                                    : (first + p->rhs[k] - g->n_terminals) | X_NONTERMINAL;
		vec_push(&x->productions, ((struct x_production){first + p->lhs, rhs, p->n_rhs, loc}));
	}
	return first + g->start;
}

// Messages about the part, from the first of them on, point into the file around it.
static void place_messages(const struct node *n, struct diag *d, uint32_t first)
{
	for (uint32_t i = first; i < d->messages.n; i++) {
		struct loc *loc = &d->messages.at[i].loc;
		const struct source *s = loc->source;
		if (s && s->len == n->text_len && !memcmp(s->text, n->text, s->len))
			*loc = (struct loc){n->text_loc.source, n->text_loc.offset + loc->offset, loc->len};
	}
}

uint32_t lark_nest(struct definitions *d, struct expansion *x, const struct node *n, const char *rule,
                   struct arena *terms)
{
	const struct nested_text text = {.kind = n->word,
	                                 .path = n->loc.source->path,
	                                 .text = n->text,
	                                 .len = n->text_len,
	                                 .control = d->control,
	                                 .reader = d->nested,
	                                 .depth = d->depth + 1};
	struct grammar g = {0};
	if (!d->nested) diag_error(d->diag, n->loc, "a grammar inside another is not supported here");
	if (d->depth >= NESTED_MAX_DEPTH)
		diag_error(d->diag, n->loc, "grammars nest deeper than %u (NESTED_MAX_DEPTH)", NESTED_MAX_DEPTH);
	if (!d->nested || d->depth >= NESTED_MAX_DEPTH) return X_NONE;
	const uint32_t n_messages = d->diag->messages.n;
	const bool ok = d->nested->read(&text, d->diag, &g);
	place_messages(n, d->diag, n_messages);
	if (!ok) {
		diag_note(d->diag, n->loc, "in this %%%s {...}", n->word);
		return X_NONE;
	}
	const char *why = unsupported(&g);
	uint32_t start = why ? X_NONE : add(x, &g, part_name(x, rule), n->loc, terms);
	if (why) diag_error(d->diag, n->loc, "%s is not supported in a grammar inside another", why);
	grammar_release(&g);
	return start;
}
