// A grammar without a lexer, written as terminals and productions: one round of scannerless.c.
//
// In:  rules over pieces, the pieces that are taken apart. Out: a draft of a grammar, and which piece each terminal is.
// Neighbours that are regular are one terminal; a piece that is taken apart is a rule over its items. Cost: linear in
// what is written, at most SCANNERLESS_MAX_SYMBOLS symbols.
#include "scannerless_internal.h"

static bool is_in(const struct rule_piece *set, uint32_t c)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (c >= set->range[i].lo && c <= set->range[i].hi) return true;
	return false;
}

void scannerless_production(struct scannerless *m, uint32_t lhs, const piece_ids *rhs, struct loc loc)
{
	m->n_symbols += rhs->n + 1;
	if (m->n_symbols > SCANNERLESS_MAX_SYMBOLS) work_too_large("SCANNERLESS_MAX_SYMBOLS", SCANNERLESS_MAX_SYMBOLS);
	uint32_t *copy = arena_array(&m->arena, rhs->n, sizeof *copy);
	if (rhs->n) memcpy(copy, rhs->at, rhs->n * sizeof *copy);
	vec_push(&m->draft.productions,
	         ((struct draft_production){.lhs = lhs & ~DRAFT_NONTERMINAL, .rhs = copy, .n_rhs = rhs->n, .loc = loc}));
}

static uint32_t add_nonterminal(struct scannerless *m, const char *name, struct loc loc)
{
	vec_push(&m->draft.nonterminals, ((struct nonterminal){.name = name, .loc = loc}));
	return (m->draft.nonterminals.n - 1) | DRAFT_NONTERMINAL;
}

static const char *made_name(struct scannerless *m) { return arena_printf(&m->arena, "%s_%u", m->owner, m->n_made++); }

// A text in quotes, a rule's name, or a number.
static const char *terminal_name(struct scannerless *m, piece_id id)
{
	const struct rule_piece *p = &m->r->pieces.at[id];
	if (p->name) return p->name;
	uint32_t n = p->kind == PIECE_SEQ ? p->n : 1;
	bool is_text = n <= 24;
	char text[3 + 24], *to = text;
	*to++ = '"';
	for (uint32_t i = 0; i < n && is_text; i++) {
		const struct rule_piece *c = p->kind == PIECE_SEQ ? &m->r->pieces.at[p->child[i]] : p;
		is_text = piece_is_char(c) && c->range[0].lo > ' ' && c->range[0].lo < 0x7F;
		if (is_text) *to++ = (char)c->range[0].lo;
	}
	*to++ = '"';
	return is_text ? arena_strndup(&m->arena, text, (size_t)(to - text)) : made_name(m);
}

uint32_t scannerless_terminal(struct scannerless *m, piece_id p)
{
	while (m->terminal.n <= p) vec_push(&m->terminal, 0);
	if (m->terminal.at[p]) return m->terminal.at[p] - 1;
	uint32_t t = m->draft.terminals.n;
	vec_push(&m->draft.terminals,
	         ((struct terminal){
				 .name = terminal_name(m, p), .pattern = piece_pattern(m->r, p), .loc = m->r->pieces.at[p].loc}));
	vec_push(&m->of_terminal, p);
	m->terminal.at[p] = t + 1;
	return t;
}

static void write_into(struct scannerless *m, piece_id p, piece_ids *out);

static void write_alternative(struct scannerless *m, uint32_t lhs, piece_id p)
{
	piece_ids rhs = {0};
	write_into(m, p, &rhs);
	scannerless_production(m, lhs, &rhs, m->r->pieces.at[p].loc);
	vec_release(&rhs);
}

// Many texts among the alternatives are one of them.
static void write_alternatives(struct scannerless *m, uint32_t lhs, piece_id p)
{
	const struct rule_piece x = m->r->pieces.at[p];
	piece_ids texts = {0};
	for (uint32_t i = 0; i < x.n; i++)
		if (m->r->pieces.at[x.child[i]].is_text) vec_push(&texts, x.child[i]);
	const piece_id all = texts.n && texts.n < x.n ? piece_alt(m->r, texts.at, texts.n, x.loc) : p;
	const bool is_one = all != p && m->r->pieces.at[all].size > PIECE_MAX_SIZE && scannerless_is_terminal(m, all);
	if (is_one) write_alternative(m, lhs, all);
	for (uint32_t i = 0; i < x.n; i++)
		if (!is_one || !m->r->pieces.at[x.child[i]].is_text) write_alternative(m, lhs, x.child[i]);
	vec_release(&texts);
}

// Of what is taken apart, too.
static piece_id apart_repeat(struct scannerless *m, piece_id of, uint32_t min, uint32_t max, struct loc loc)
{
	piece_id p = piece_repeat(m->r, of, min, max, loc);
	if (m->r->pieces.at[p].kind == PIECE_REPEAT && m->r->pieces.at[p].is_regular) scannerless_set_broken(m, p);
	return p;
}

static uint32_t symbol_of(struct scannerless *m, piece_id p);

// x{0,most}, from the shortest up, so that no nesting is as deep as `most`.
static piece_id ladder(struct scannerless *m, piece_id of, uint32_t most, struct loc loc)
{
	for (uint32_t k = most ? most - 1 : 0; k < most; k++) {
		piece_id p = apart_repeat(m, of, 0, k + 1, loc);
		if (p < m->symbol.n && m->symbol.at[p]) return p;
	}
	piece_id p = apart_repeat(m, of, 0, 0, loc);
	for (uint32_t k = 1; k <= most; k++) {
		p = apart_repeat(m, of, 0, k, loc);
		if (k < most) symbol_of(m, p);
	}
	return p;
}

// x{n,m}: what has to be there, then one that may be there and another n-1 of these behind it; x+ from the left.
static void write_repeat(struct scannerless *m, uint32_t lhs, const struct rule_piece *x)
{
	piece_ids rhs = {0};
	piece_id of = x->child[0];
	if (x->max == TERM_UNBOUNDED && x->min == 1) {
		write_into(m, of, &rhs);
		scannerless_production(m, lhs, &rhs, x->loc);
		vec_clear(&rhs);
		vec_push(&rhs, lhs);
		write_into(m, of, &rhs);
		scannerless_production(m, lhs, &rhs, x->loc);
	} else if (x->min > 0) {
		for (uint32_t i = 0; i < x->min - (x->max == TERM_UNBOUNDED); i++) write_into(m, of, &rhs);
		piece_id rest =
			x->max == TERM_UNBOUNDED ? apart_repeat(m, of, 1, x->max, x->loc) : ladder(m, of, x->max - x->min, x->loc);
		write_into(m, rest, &rhs);
		scannerless_production(m, lhs, &rhs, x->loc);
	} else {
		scannerless_production(m, lhs, &rhs, x->loc);
		if (x->max == TERM_UNBOUNDED)
			write_into(m, apart_repeat(m, of, 1, x->max, x->loc), &rhs);
		else {
			write_into(m, of, &rhs);
			write_into(m, ladder(m, of, x->max - 1, x->loc), &rhs);
		}
		scannerless_production(m, lhs, &rhs, x->loc);
	}
	vec_release(&rhs);
}

static void write_set(struct scannerless *m, uint32_t lhs, const struct rule_piece *x)
{
	piece_ids rhs = {0};
	for (uint32_t i = 0; i < m->atoms.n; i++) {
		if (!is_in(x, m->r->pieces.at[m->atoms.at[i]].range[0].lo)) continue;
		vec_clear(&rhs);
		vec_push(&rhs, scannerless_terminal(m, m->atoms.at[i]));
		scannerless_production(m, lhs, &rhs, x->loc);
	}
	vec_release(&rhs);
}

// A pattern that is taken apart: alternatives that are rules.
static void write_pattern(struct scannerless *m, uint32_t lhs, piece_id p)
{
	const struct rule_piece x = m->r->pieces.at[m->apart.at[p]];
	if (m->r->pieces.at[p].is_nullable) scannerless_production(m, lhs, &(piece_ids){0}, x.loc);
	if (x.kind != PIECE_ALT) write_alternative(m, lhs, m->apart.at[p]);
	for (uint32_t i = 0; x.kind == PIECE_ALT && i < x.n; i++) write_alternative(m, lhs, x.child[i]);
}

static uint32_t symbol_of(struct scannerless *m, piece_id p)
{
	while (m->symbol.n <= p) vec_push(&m->symbol, 0);
	const struct rule_piece x = m->r->pieces.at[p];
	if (x.kind == PIECE_RULE) {
		if (!m->rule_symbol[x.rule]) {
			m->rule_symbol[x.rule] = add_nonterminal(m, m->r->rule.at[x.rule].name, m->r->rule.at[x.rule].loc);
			vec_push(&m->rules_to_do, x.rule);
		}
		return m->rule_symbol[x.rule];
	}
	if (scannerless_is_terminal(m, p) && !x.is_nullable) return scannerless_terminal(m, p);
	if (m->symbol.at[p]) return m->symbol.at[p] - 1;
	uint32_t lhs = add_nonterminal(m, x.name ? x.name : made_name(m), x.loc);
	m->symbol.at[p] = lhs + 1;
	if (scannerless_is_terminal(m, p)) {
		// the terminal has no empty lexeme (drops_empty)
		piece_ids rhs = {0};
		scannerless_production(m, lhs, &rhs, x.loc);
		uint32_t t = scannerless_terminal(m, p);
		vec_push(&rhs, t);
		scannerless_production(m, lhs, &rhs, x.loc);
		vec_release(&rhs);
		return lhs;
	}
	if (x.kind == PIECE_SET)
		write_set(m, lhs, &x);
	else if (x.kind == PIECE_TERM)
		write_pattern(m, lhs, p);
	else if (x.kind == PIECE_REPEAT)
		write_repeat(m, lhs, &x);
	else if (x.kind == PIECE_SEQ)
		write_alternative(m, lhs, p);
	else
		write_alternatives(m, lhs, p);
	return lhs;
}

// Appends what stands for p. Neighbours in a sequence that are regular become one terminal, where that is allowed.
static void write_into(struct scannerless *m, piece_id p, piece_ids *out)
{
	const struct rule_piece x = m->r->pieces.at[p];
	if (piece_is_empty(m->r, p)) return;
	if (x.kind != PIECE_SEQ || scannerless_is_terminal(m, p)) {
		vec_push(out, symbol_of(m, p));
		return;
	}
	for (uint32_t i = 0, k; i < x.n; i = k) {
		for (k = i; k < x.n && scannerless_is_terminal(m, x.child[k]) && m->r->pieces.at[x.child[k]].is_regular; k++)
			continue;
		if (k - i > 1 && k - i < x.n) {
			piece_id run = piece_seq(m->r, x.child + i, k - i, m->r->pieces.at[x.child[i]].loc);
			if (scannerless_is_terminal(m, run)) {
				vec_push(out, symbol_of(m, run));
				continue;
			}
		}
		k = i + 1;
		write_into(m, x.child[i], out);
	}
}

static void write_rule(struct scannerless *m, uint32_t rule)
{
	uint32_t lhs = m->rule_symbol[rule];
	bool is_whole = rule < m->n_whole && m->whole[rule] != PIECE_NONE;
	piece_id body = is_whole ? m->whole[rule] : m->r->rule.at[rule].body;
	const struct rule_piece x = m->r->pieces.at[body];
	m->owner = m->r->rule.at[rule].name;
	if (x.kind == PIECE_ALT && !scannerless_is_terminal(m, body))
		write_alternatives(m, lhs, body);
	else if (!piece_is_nothing(m->r, body))
		write_alternative(m, lhs, body);
}

void scannerless_write(struct scannerless *m)
{
	scannerless_make_atoms(m);
	for (uint32_t i = 0; i < m->symbol.n; i++) m->symbol.at[i] = 0;
	for (uint32_t i = 0; i < m->terminal.n; i++) m->terminal.at[i] = 0;
	vec_clear(&m->of_terminal);
	m->n_symbols = m->n_made = 0;
	m->rule_symbol = arena_array(&m->arena, m->r->rule.n, sizeof *m->rule_symbol);
	m->rule_symbol[m->r->start] = add_nonterminal(m, m->r->rule.at[m->r->start].name, m->r->rule.at[m->r->start].loc);
	vec_push(&m->rules_to_do, m->r->start);
	while (m->rules_to_do.n) {
		uint32_t rule = vec_pop(&m->rules_to_do);
		write_rule(m, rule);
	}
}
