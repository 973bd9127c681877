// Grammars inside grammars.
//
// In:  a JSON Schema or EBNF as text. Out: rules in the surrounding set, named after the part, and the piece of the
//      part's start.
// A schema's grammar has terminals of its own lexer, with white space ignored between them. Here nothing is: each
// terminal of JSON is one piece that is not taken apart, and white space stands behind each but the last of the value.
// So every nonterminal is there twice: within the value, and as its end. What may be empty is left out before the end.
// Cost: linear in the grammar.
#include "embed.h"

#include "../schema/schema.h"

static struct source *source_of(struct notation_rules *r, const struct embedding *e)
{
	struct arena *a = diag_arena(r->diag);
	struct source *s = arena_alloc(a, sizeof *s);
	*s = (struct source){arena_strndup(a, e->name, strlen(e->name)), arena_strndup(a, e->text, strlen(e->text)),
	                     strlen(e->text)};
	return s;
}

// ---- JSON Schema

struct schema_part {
	struct notation_rules *r;
	const struct grammar *g;
	struct loc loc;
	piece_id *terminal, blanks;
	uint32_t *inside, *last;  // rules by nonterminal
	uint8_t *may_be_empty;
};

static void find_empty(struct schema_part *x)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < x->g->n_productions; i++) {
			const struct production *p = &x->g->productions[i];
			bool all = !x->may_be_empty[p->lhs];
			for (uint32_t k = 0; k < p->n_rhs && all; k++)
				all = p->rhs[k] >= x->g->n_terminals && x->may_be_empty[p->rhs[k] - x->g->n_terminals];
			if (all) x->may_be_empty[p->lhs] = 1, changed = true;
		}
	}
}

static piece_id symbol_piece(struct schema_part *x, symbol_id s, bool is_last)
{
	if (s >= x->g->n_terminals) return piece_rule(x->r, (is_last ? x->last : x->inside)[s - x->g->n_terminals], x->loc);
	return is_last ? x->terminal[s] : piece_seq(x->r, (piece_id[]){x->terminal[s], x->blanks}, 2, x->loc);
}

// The first n symbols; the last of them ends the value.
static piece_id production_piece(struct schema_part *x, const struct production *p, uint32_t n, bool ends)
{
	piece_ids parts = {0};
	for (uint32_t k = 0; k < n; k++) {
		piece_id s = symbol_piece(x, p->rhs[k], ends && k + 1 == n);
		vec_push(&parts, s);
	}
	piece_id all = piece_seq(x->r, parts.at, parts.n, x->loc);
	vec_release(&parts);
	return all;
}

static void write_productions(struct schema_part *x)
{
	for (uint32_t i = 0; i < x->g->n_productions; i++) {
		const struct production *p = &x->g->productions[i];
		piece_id *inside = &x->r->rule.at[x->inside[p->lhs]].body, *last = &x->r->rule.at[x->last[p->lhs]].body;
		*inside = piece_alt(x->r, (piece_id[]){*inside, production_piece(x, p, p->n_rhs, false)}, 2, x->loc);
		for (uint32_t n = p->n_rhs; n; n--) {
			*last = piece_alt(x->r, (piece_id[]){*last, production_piece(x, p, n, true)}, 2, x->loc);
			symbol_id s = p->rhs[n - 1];
			if (s < x->g->n_terminals || !x->may_be_empty[s - x->g->n_terminals]) break;
		}
	}
}

// The texts of a language in quotes.
static language in_quotes(struct notation_rules *r, language of, struct loc loc)
{
	struct languages *s = rules_languages(r);
	piece_id quote = piece_char(r, '"', loc);
	piece_id inside = piece_term(r, language_term(s, of, loc, &r->arena), language_has(s, of, "", 0), loc);
	piece_id whole = piece_seq(r, (piece_id[]){quote, inside, quote}, 3, loc);
	return language_of_term(s, piece_pattern(r, whole), "string", r->diag);
}

// A terminal whose texts are strings has those of e->strings; others are as they are.
static piece_id terminal_piece(struct notation_rules *r, const struct terminal *t, const struct embedding *e,
                               struct loc loc)
{
	if (e->strings == LANGUAGE_NOTHING) return piece_term(r, term_copy(t->pattern, &r->arena), false, loc);
	struct languages *s = rules_languages(r);
	language l = language_of_term(s, t->pattern, t->name, r->diag);
	if (l != LANGUAGE_ERROR && language_minus(s, l, in_quotes(r, LANGUAGE_ANY, loc)) == LANGUAGE_NOTHING)
		l = language_and(s, l, in_quotes(r, e->strings, loc));
	if (l == LANGUAGE_ERROR || l == LANGUAGE_NOTHING) return piece_set(r, &(code_ranges){0}, false, loc);
	return piece_term(r, language_term(s, l, loc, &r->arena), false, loc);
}

// As the schema calls it, behind the part's name; a text in quotes, and what several parts have, alone.
static piece_id called(struct notation_rules *r, piece_id p, const char *part, const char *name)
{
	name = arena_printf(&r->arena, "%s", name);
	const char *whole = *name == '"' ? name : arena_printf(&r->arena, "%s.%s", part, name);
	const char *known = r->pieces.at[p].name;
	if (known && strcmp(known, whole) != 0) r->pieces.at[p].name = name;
	return piece_called(r, p, whole);
}

static void put_schema(struct notation_rules *r, const struct grammar *g, const struct embedding *e, struct loc loc,
                       piece_id *out)
{
	struct arena *a = &r->arena;
	struct schema_part x = {.r = r, .g = g, .loc = loc};
	x.terminal = arena_array(a, g->n_terminals, sizeof *x.terminal);
	x.inside = arena_array(a, g->n_nonterminals, sizeof *x.inside);
	x.last = arena_array(a, g->n_nonterminals, sizeof *x.last);
	x.may_be_empty = arena_array(a, g->n_nonterminals, 1);
	for (uint32_t t = 0; t < g->n_terminals; t++)
		if (!g->terminals[t].is_ignored)
			x.terminal[t] = called(r, terminal_piece(r, &g->terminals[t], e, loc), e->name, g->terminals[t].name);
	struct term *blank = arena_alloc(a, sizeof *blank);
	const char *pattern =
		e->most_blanks == UINT32_MAX ? "[ \\t\\n\\r]+" : arena_printf(a, "[ \\t\\n\\r]{1,%u}", e->most_blanks);
	*blank = (struct term){
		.kind = TERM_REGEX, .text = pattern, .text_len = (uint32_t)strlen(pattern), .loc = loc, .text_loc = loc};
	const piece_id blanks = called(r, piece_term(r, blank, false, loc), e->name, "WS");
	x.blanks = piece_repeat(r, blanks, 0, e->most_blanks ? 1 : 0, loc);
	if (e->most_blanks) r->pieces.at[x.blanks].name = "blanks";
	piece_id none = piece_set(r, &(code_ranges){0}, false, loc);
	for (uint32_t i = 0; i < g->n_nonterminals; i++) {
		const char *inside = arena_printf(a, "%s.%s_%u", e->name, g->nonterminals[i].name, i);
		const char *last = arena_printf(a, "%s_last", inside);
		x.inside[i] = rule_number(r, inside, strlen(inside), loc), x.last[i] = rule_number(r, last, strlen(last), loc);
		r->rule.at[x.inside[i]].body = r->rule.at[x.last[i]].body = none;
	}
	find_empty(&x);
	write_productions(&x);
	*out = piece_rule(r, x.last[g->start], loc);
}

bool embed_schema(struct notation_rules *r, struct languages *s, const struct embedding *e, piece_id *out)
{
	const struct schema_options o = {.space = SCHEMA_SPACE_ANY,
	                                 .closed = true,
	                                 .whole_strings = true,
	                                 .languages = s,
	                                 .order = e->any_order ? SCHEMA_ORDER_ANY : SCHEMA_ORDER_SCHEMA};
	struct grammar g;
	if (!schema_parse(e->name, e->text, strlen(e->text), &o, r->diag, &g)) {
		diag_note(r->diag, (struct loc){0}, "%s is no file: it is a schema in %s, as one line", e->name,
		          r->source->path);
		return false;
	}
	put_schema(r, &g, e, (struct loc){r->source, 0, 0}, out);
	grammar_release(&g);
	return true;
}

// ---- EBNF

struct copying {
	struct notation_rules *to;
	const struct notation_rules *from;
	const char *name;
	piece_id *copy;  // [pieces], PIECE_NONE: not yet
};

static piece_id copied(struct copying *x, piece_id p)
{
	if (x->copy[p] != PIECE_NONE) return x->copy[p];
	const struct rule_piece *from = &x->from->pieces.at[p];
	piece_id made;
	if (from->kind == PIECE_SET) {
		code_ranges set = {0};
		for (uint32_t i = 0; i < from->n; i++) vec_push(&set, from->range[i]);
		made = piece_set(x->to, &set, false, from->loc);
		vec_release(&set);
	} else if (from->kind == PIECE_TERM) {
		made = piece_term(x->to, term_copy(from->term, &x->to->arena), from->is_nullable, from->loc);
		x->to->pieces.at[made].name = from->name ? arena_strndup(&x->to->arena, from->name, strlen(from->name)) : NULL;
	} else if (from->kind == PIECE_RULE) {
		const char *name = arena_printf(&x->to->arena, "%s.%s", x->name, x->from->rule.at[from->rule].name);
		made = piece_rule(x->to, rule_number(x->to, name, strlen(name), from->loc), from->loc);
	} else {
		piece_ids parts = {0};
		for (uint32_t i = 0; i < from->n; i++) {
			piece_id c = copied(x, from->child[i]);
			vec_push(&parts, c);
		}
		made = piece_like(x->to, from, parts.at);
		vec_release(&parts);
	}
	return x->copy[p] = made;
}

bool embed_ebnf(struct notation_rules *r, const struct embedding *e, piece_id *out)
{
	struct notation_rules part = {.diag = r->diag, .source = source_of(r, e), .control = r->control};
	bool ok = ebnf_read(&part, NULL);
	if (ok) {
		struct copying x = {.to = r, .from = &part, .name = e->name};
		x.copy = arena_array(&r->arena, part.pieces.n, sizeof *x.copy);
		for (uint32_t p = 0; p < part.pieces.n; p++) x.copy[p] = PIECE_NONE;
		uint32_t *number = arena_array(&r->arena, part.rule.n, sizeof *number);
		r->has_whole_tokens |= part.has_whole_tokens;
		for (uint32_t i = 0; i < part.rule.n; i++) {
			const char *name = arena_printf(&r->arena, "%s.%s", e->name, part.rule.at[i].name);
			number[i] = rule_number(r, name, strlen(name), part.rule.at[i].loc);
			r->rule.at[number[i]].begins_with_token = part.pieces.at[part.rule.at[i].body].begins_with_token;
		}
		for (uint32_t i = 0; i < part.rule.n; i++) {
			const uint32_t rule = number[i];
			piece_id body = copied(&x, part.rule.at[i].body);
			r->rule.at[rule].body = body;
			if (i == part.start) *out = piece_rule(r, rule, part.rule.at[i].loc);
		}
	}
	pieces_release(&part);
	return ok;
}
