// Names -> what they stand for, and errors for those that stand for nothing.
//
// In:  definitions whose name nodes carry full names. Out: in terminals, node->body; in rules, node->param.
// Terminals are resolved when their own file has been read, so that a later %override in an importing file does
// not reach into them (Lark substitutes them at that moment); rules when all files have been read.
// Cost: linear.
#include "lark.h"

#include <strings.h>

#include "../base/guess.h"

#define HINT_MAX_NAMES 5000u  // a hint is looked for among so many names only
#define HINT_SHORT 5u         // in a shorter name there is one edit, else two

const struct definition *lark_nearest(const struct definitions *d, const char *name)
{
	if (d->names.entries.n > HINT_MAX_NAMES) return NULL;
	VEC(const char *) names = {0};
	VEC(const struct definition *) of = {0};
	const struct definition *nearest = NULL;
	for (uint32_t i = 0; i < d->by_symbol.n && !nearest; i++) {
		const struct definition *other = d->by_symbol.at[i];
		if (!other || !other->body) continue;
		if (strcasecmp(name, other->name) == 0) nearest = other;
		vec_push(&names, other->name), vec_push(&of, other);
	}
	uint32_t most = strlen(name) < HINT_SHORT ? 1 : 2;
	const char *guess = nearest || strlen(name) < 3 ? NULL : guess_within(most, name, names.at, names.n);
	for (uint32_t i = 0; i < names.n && guess && !nearest; i++)
		if (names.at[i] == guess) nearest = of.at[i];
	vec_release(&names), vec_release(&of);
	return nearest;
}

// A terminal of Lark's library that was not imported.
static bool in_library(const char *name)
{
	char line[GUESS_MAX + 3];
	if (strlen(name) > GUESS_MAX) return false;
	snprintf(line, sizeof line, "\n%s:", name);
	return strstr(lark_library("common"), line) != NULL;
}

static void undefined(struct definitions *d, const struct node *n)
{
	if (d->has_gaps) return;
	const char *name = definitions_name(d, n->symbol);
	diag_error(d->diag, n->loc, "%s '%s' is not defined", n->is_terminal ? "terminal" : "rule", n->text);
	if (d->diag->n_errors > DIAG_MAX_ERRORS) return;
	const struct definition *other = lark_nearest(d, name);
	if (n->is_terminal && in_library(n->text))
		diag_note(d->diag, (struct loc){0}, "%%import common.%s brings it in", n->text);
	else if (other)
		diag_note(d->diag, other->loc, "did you mean '%s'?", other->name);
}

struct resolving {
	struct definitions *d;
	const struct definition *in;
};

static void resolve_in_terminal(struct node *n, void *context)
{
	struct resolving *c = context;
	if (n->body) return;
	const struct definition *to = c->d->by_symbol.at[n->symbol];
	if (!n->is_terminal || (to && !to->is_terminal)) {
		diag_error(c->d->diag, n->loc, "'%s' is a rule: a terminal is made of strings, regexes and terminals", n->text);
		return;
	}
	if (!to) {
		undefined(c->d, n);
		return;
	}
	n->body = to->body;
	if (to->is_declared) {
		diag_error(c->d->diag, n->loc, "terminal '%s' has no pattern, so no other terminal can contain it", n->text);
		diag_note(c->d->diag, to->loc, "%%declare promises that no text matches it");
	}
}

void lark_resolve_terminals(struct definitions *d, struct definition *const *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i]->is_terminal && list[i]->body)
			lark_each_name(list[i]->body->root, resolve_in_terminal, &(struct resolving){d, list[i]});
}

static void resolve_in_rule(struct node *n, void *context)
{
	struct resolving *c = context;
	for (uint32_t i = 0; i < c->in->n_params && n->param == NO_PARAM; i++)
		if (strcmp(c->in->params[i].text, n->text) == 0) n->param = i;
	const struct definition *to = c->d->by_symbol.at[n->symbol];
	if (n->param != NO_PARAM || (to && to->is_broken)) return;
	if (!to) {
		undefined(c->d, n);
		return;
	}
	if (n->kind == N_CALL && to->n_params != n->n_children) {
		if (to->n_params == 0)
			diag_error(c->d->diag, n->loc, "rule '%s' is no template: it takes no arguments", n->text);
		else
			diag_error(c->d->diag, n->loc, "template '%s' takes %u arguments, not %u", n->text, to->n_params,
			           n->n_children);
		diag_note(c->d->diag, to->loc, "defined here");
	}
}

static void check_parameters(struct definitions *d, const struct definition *in)
{
	for (uint32_t i = 0; i < in->n_params; i++) {
		const struct name *p = &in->params[i];
		uint32_t id = intern_find(&d->names, p->text, strlen(p->text));
		if (!in->is_imported && id != INTERN_NONE && d->by_symbol.at[id]) {
			diag_error(d->diag, p->loc, "parameter '%s' is a rule's name, too", p->text);
			diag_note(d->diag, d->by_symbol.at[id]->loc, "the rule is here");
		}
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(in->params[k].text, p->text) == 0) {
				diag_error(d->diag, p->loc, "parameter '%s' is given twice", p->text);
				diag_note(d->diag, in->params[k].loc, "the first one is here");
				break;
			}
	}
}

void lark_resolve_rules(struct definitions *d)
{
	for (uint32_t i = 0; i < d->list.n; i++) {
		struct definition *in = d->list.at[i];
		if (in->is_terminal || !in->body) continue;
		check_parameters(d, in);
		lark_each_name(in->body->root, resolve_in_rule, &(struct resolving){d, in});
	}
}
