// Rules over pieces -> struct grammar, in which a lexer reads exactly the texts that reading by character would.
//
// In:  rules; all notations of this folder mean: any way of cutting a text counts. Out: terminals, productions.
// The core's lexer takes the longest match, and of equal ones the first (docs/language.md). That loses nothing exactly
// when it never has a choice, so the largest regular parts are made terminals first, and then looked at: for each two
// terminals A, B that compete on some stack (A = B counts)
//   - no text is a lexeme of both (A != B), and
//   - where a lexeme of A can go on towards one of B, it goes on with a byte that nothing behind A begins with.
// If so, the next byte says at each place whether a lexeme ends there, and which one it is: every cut that a sentence
// needs is the lexer's. What breaks this is taken apart (a sequence into its items, a text into characters, a set of
// characters or control tokens into classes that the grammar does not tell apart) and the grammar is made again, until
// nothing does: single characters of disjoint classes never break it, so it ends.
// Who competes and what is behind comes from the LR(1) automaton of the grammar so made (lr.h): exact.
// Cost: a build of the automaton and DFAs of new terminals a round; rounds at most as many as pieces are deep, nearly
// always 1 to 4.
#include "../lr/lr.h"
#include "../regex/regex.h"
#include "characters.h"
#include "regular.h"

#define SCANNERLESS_MAX_SYMBOLS 4000000u  // on right sides

struct dfa_of {
	bool is_known;
	struct byte_dfa *dfa;  // NULL: it is too large
};

struct making {
	struct rules *r;
	const piece_id *whole;  // of the first n_whole rules, or PIECE_NONE
	uint32_t n_whole;
	struct arena keep;  // for all rounds
	struct regex_cache *cache;
	struct languages *languages;  // where patterns are taken apart, else NULL
	VEC(uint8_t) broken;          // [pieces] taken apart; grows
	piece_list apart;             // [pieces] of a pattern that is: what it became; grows
	VEC(struct dfa_of) known;     // [pieces] grows
	// Of this round:
	struct arena arena;
	struct grammar_draft draft;
	VEC(uint32_t) symbol;    // [pieces] the nonterminal of it, + 1; 0: none
	VEC(uint32_t) terminal;  // [pieces] the terminal of it, + 1; 0: none
	uint32_t *rule_symbol;   // [rules]
	piece_list rules_to_do;  // named, bodies not written yet
	piece_list atoms;        // one-class sets, apart
	piece_list of_terminal;  // pieces
	uint32_t n_symbols;
	uint32_t n_made;    // names
	const char *owner;  // the rule that is written
};

static bool is_terminal(struct making *m, piece_id p)
{
	const struct piece *x = &m->r->pieces.at[p];
	return (x->kind == PIECE_TERM || x->is_regular) && !(p < m->broken.n && m->broken.at[p]);
}

static void set_broken(struct making *m, piece_id p)
{
	while (m->broken.n <= p) vec_push(&m->broken, 0);
	m->broken.at[p] = 1;
}

// ---- patterns

static const struct byte_dfa *dfa_of(struct making *m, piece_id p)
{
	while (m->known.n <= p) vec_push(&m->known, ((struct dfa_of){0}));
	struct dfa_of *d = &m->known.at[p];
	if (!d->is_known) {
		struct diag unheard = {0};
		struct terminal t = {
			.name = "", .pattern = piece_pattern(m->r, p), .drops_empty = true, .loc = m->r->pieces.at[p].loc};
		struct byte_dfa *dfa = arena_alloc(&m->keep, sizeof *dfa);
		// With fewer tokens than these texts have it ends earlier; what may stand behind it is the same.
		if (term_counts_tokens(t.pattern)) t.pattern = t.pattern->children[0];
		d->is_known = true;
		if (regex_compile_cached(&t, m->cache, &m->keep, &unheard, dfa)) d->dfa = dfa;
		diag_release(&unheard);
	}
	return d->dfa;
}

// ---- classes of characters

static void collect_broken_sets(struct making *m, piece_list *out)
{
	for (piece_id p = 0; p < m->broken.n; p++)
		if (m->broken.at[p] && m->r->pieces.at[p].kind == PIECE_SET) vec_push(out, p);
}

struct edge {
	uint32_t at, set;
	bool begins;
};
static int by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->set > y->set) - (x->set < y->set);
}

// The classes of characters that belong to the same broken sets, as pieces: sweep over the ranges' edges.
static void make_atoms(struct making *m)
{
	piece_list sets = {0};
	vec_clear(&m->atoms);
	collect_broken_sets(m, &sets);
	VEC(struct edge) edges = {0};
	for (uint32_t i = 0; i < sets.n; i++) {
		const struct piece *p = &m->r->pieces.at[sets.at[i]];
		for (uint32_t k = 0; k < p->n; k++) {
			vec_push(&edges, ((struct edge){p->range[k].lo, i, true}));
			vec_push(&edges, ((struct edge){p->range[k].hi + 1, i, false}));
		}
	}
	if (edges.n) qsort(edges.at, edges.n, sizeof *edges.at, by_place);
	uint32_t words = BITS_WORDS(sets.n);
	bits *in = mem_calloc((size_t)words + 1, sizeof *in);
	struct intern classes = {0};
	VEC(code_ranges) members = {0};
	for (uint32_t i = 0, k; i < edges.n; i = k) {
		for (k = i; k < edges.n && edges.at[k].at == edges.at[i].at; k++)
			if (edges.at[k].begins)
				bits_set(in, edges.at[k].set);
			else
				bits_reset(in, edges.at[k].set);
		// a set whose ranges touch is one range, so no set both ends and begins here
		if (k == edges.n || !bits_count(in, words)) continue;
		bool is_new;
		uint32_t c = intern_add(&classes, in, words * sizeof *in, &is_new);
		if (is_new) vec_push(&members, ((code_ranges){0}));
		vec_push(&members.at[c], ((struct code_range){edges.at[i].at, edges.at[k].at - 1}));
	}
	for (uint32_t c = 0; c < members.n; c++) {
		piece_id atom = piece_set(m->r, &members.at[c], false, m->r->pieces.at[sets.at[0]].loc);
		vec_push(&m->atoms, atom);
		vec_release(&members.at[c]);
	}
	vec_release(&members), vec_release(&edges), vec_release(&sets);
	intern_release(&classes);
	free(in);
}

static bool is_in(const struct piece *set, uint32_t c)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (c >= set->range[i].lo && c <= set->range[i].hi) return true;
	return false;
}

// ---- productions

static void add_production(struct making *m, uint32_t lhs, const piece_list *rhs, struct loc loc)
{
	m->n_symbols += rhs->n + 1;
	if (m->n_symbols > SCANNERLESS_MAX_SYMBOLS) work_too_large("SCANNERLESS_MAX_SYMBOLS", SCANNERLESS_MAX_SYMBOLS);
	uint32_t *copy = arena_array(&m->arena, rhs->n, sizeof *copy);
	if (rhs->n) memcpy(copy, rhs->at, rhs->n * sizeof *copy);
	vec_push(&m->draft.productions,
	         ((struct draft_production){.lhs = lhs & ~DRAFT_NONTERMINAL, .rhs = copy, .n_rhs = rhs->n, .loc = loc}));
}

static uint32_t add_nonterminal(struct making *m, const char *name, struct loc loc)
{
	vec_push(&m->draft.nonterminals, ((struct nonterminal){.name = name, .loc = loc}));
	return (m->draft.nonterminals.n - 1) | DRAFT_NONTERMINAL;
}

static const char *made_name(struct making *m) { return arena_printf(&m->arena, "%s_%u", m->owner, m->n_made++); }

// A text in quotes, a rule's name, or a number.
static const char *terminal_name(struct making *m, piece_id id)
{
	const struct piece *p = &m->r->pieces.at[id];
	if (p->name) return p->name;
	uint32_t n = p->kind == PIECE_SEQ ? p->n : 1;
	bool is_text = n <= 24;
	char text[3 + 24], *to = text;
	*to++ = '"';
	for (uint32_t i = 0; i < n && is_text; i++) {
		const struct piece *c = p->kind == PIECE_SEQ ? &m->r->pieces.at[p->child[i]] : p;
		is_text = piece_is_char(c) && c->range[0].lo > ' ' && c->range[0].lo < 0x7F;
		if (is_text) *to++ = (char)c->range[0].lo;
	}
	*to++ = '"';
	return is_text ? arena_strndup(&m->arena, text, (size_t)(to - text)) : made_name(m);
}

static uint32_t terminal_of(struct making *m, piece_id p)
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

static void write_into(struct making *m, piece_id p, piece_list *out);

static void write_alternative(struct making *m, uint32_t lhs, piece_id p)
{
	piece_list rhs = {0};
	write_into(m, p, &rhs);
	add_production(m, lhs, &rhs, m->r->pieces.at[p].loc);
	vec_release(&rhs);
}

// Of what is taken apart, too.
static piece_id apart_repeat(struct making *m, piece_id of, uint32_t min, uint32_t max, struct loc loc)
{
	piece_id p = piece_repeat(m->r, of, min, max, loc);
	if (m->r->pieces.at[p].kind == PIECE_REPEAT && m->r->pieces.at[p].is_regular) set_broken(m, p);
	return p;
}

static uint32_t symbol_of(struct making *m, piece_id p);

// x{0,most}, from the shortest up, so that no nesting is as deep as `most`.
static piece_id ladder(struct making *m, piece_id of, uint32_t most, struct loc loc)
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
static void write_repeat(struct making *m, uint32_t lhs, const struct piece *x)
{
	piece_list rhs = {0};
	piece_id of = x->child[0];
	if (x->max == TERM_UNBOUNDED && x->min == 1) {
		write_into(m, of, &rhs);
		add_production(m, lhs, &rhs, x->loc);
		vec_clear(&rhs);
		vec_push(&rhs, lhs);
		write_into(m, of, &rhs);
		add_production(m, lhs, &rhs, x->loc);
	} else if (x->min > 0) {
		for (uint32_t i = 0; i < x->min - (x->max == TERM_UNBOUNDED); i++) write_into(m, of, &rhs);
		piece_id rest =
			x->max == TERM_UNBOUNDED ? apart_repeat(m, of, 1, x->max, x->loc) : ladder(m, of, x->max - x->min, x->loc);
		write_into(m, rest, &rhs);
		add_production(m, lhs, &rhs, x->loc);
	} else {
		add_production(m, lhs, &rhs, x->loc);
		if (x->max == TERM_UNBOUNDED)
			write_into(m, apart_repeat(m, of, 1, x->max, x->loc), &rhs);
		else {
			write_into(m, of, &rhs);
			write_into(m, ladder(m, of, x->max - 1, x->loc), &rhs);
		}
		add_production(m, lhs, &rhs, x->loc);
	}
	vec_release(&rhs);
}

static void write_set(struct making *m, uint32_t lhs, const struct piece *x)
{
	piece_list rhs = {0};
	for (uint32_t i = 0; i < m->atoms.n; i++) {
		if (!is_in(x, m->r->pieces.at[m->atoms.at[i]].range[0].lo)) continue;
		vec_clear(&rhs);
		vec_push(&rhs, terminal_of(m, m->atoms.at[i]));
		add_production(m, lhs, &rhs, x->loc);
	}
	vec_release(&rhs);
}

// A pattern that is taken apart: alternatives that are rules.
static void write_pattern(struct making *m, uint32_t lhs, piece_id p)
{
	const struct piece x = m->r->pieces.at[m->apart.at[p]];
	if (m->r->pieces.at[p].is_nullable) add_production(m, lhs, &(piece_list){0}, x.loc);
	if (x.kind != PIECE_ALT) write_alternative(m, lhs, m->apart.at[p]);
	for (uint32_t i = 0; x.kind == PIECE_ALT && i < x.n; i++) write_alternative(m, lhs, x.child[i]);
}

static uint32_t symbol_of(struct making *m, piece_id p)
{
	while (m->symbol.n <= p) vec_push(&m->symbol, 0);
	const struct piece x = m->r->pieces.at[p];
	if (x.kind == PIECE_RULE) {
		if (!m->rule_symbol[x.rule]) {
			m->rule_symbol[x.rule] = add_nonterminal(m, m->r->rule.at[x.rule].name, m->r->rule.at[x.rule].loc);
			vec_push(&m->rules_to_do, x.rule);
		}
		return m->rule_symbol[x.rule];
	}
	if (is_terminal(m, p) && !x.is_nullable) return terminal_of(m, p);
	if (m->symbol.at[p]) return m->symbol.at[p] - 1;
	uint32_t lhs = add_nonterminal(m, made_name(m), x.loc);
	m->symbol.at[p] = lhs + 1;
	if (is_terminal(m, p)) {
		// the terminal has no empty lexeme (drops_empty)
		piece_list rhs = {0};
		add_production(m, lhs, &rhs, x.loc);
		uint32_t t = terminal_of(m, p);
		vec_push(&rhs, t);
		add_production(m, lhs, &rhs, x.loc);
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
		for (uint32_t i = 0; i < x.n; i++) write_alternative(m, lhs, x.child[i]);
	return lhs;
}

// Appends what stands for p. Neighbours in a sequence that are regular become one terminal, where that is allowed.
static void write_into(struct making *m, piece_id p, piece_list *out)
{
	const struct piece x = m->r->pieces.at[p];
	if (piece_is_empty(m->r, p)) return;
	if (x.kind != PIECE_SEQ || is_terminal(m, p)) {
		vec_push(out, symbol_of(m, p));
		return;
	}
	for (uint32_t i = 0, k; i < x.n; i = k) {
		for (k = i; k < x.n && is_terminal(m, x.child[k]) && m->r->pieces.at[x.child[k]].is_regular; k++) continue;
		if (k - i > 1 && k - i < x.n) {
			piece_id run = piece_seq(m->r, x.child + i, k - i, m->r->pieces.at[x.child[i]].loc);
			if (is_terminal(m, run)) {
				vec_push(out, symbol_of(m, run));
				continue;
			}
		}
		k = i + 1;
		write_into(m, x.child[i], out);
	}
}

static void write_rule(struct making *m, uint32_t rule)
{
	uint32_t lhs = m->rule_symbol[rule];
	bool is_whole = rule < m->n_whole && m->whole[rule] != PIECE_NONE;
	piece_id body = is_whole ? m->whole[rule] : m->r->rule.at[rule].body;
	const struct piece x = m->r->pieces.at[body];
	m->owner = m->r->rule.at[rule].name;
	if (x.kind == PIECE_ALT && !is_terminal(m, body))
		for (uint32_t i = 0; i < x.n; i++) write_alternative(m, lhs, x.child[i]);
	else if (!piece_is_nothing(m->r, body))
		write_alternative(m, lhs, body);
}

static void write_grammar(struct making *m)
{
	make_atoms(m);
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

// ---- does the lexer have a choice?

struct looking {
	struct making *m;
	const struct grammar *g;
	const struct byte_dfa **dfa;  // [terminals]
	piece_id *piece;              // [terminals]
	uint8_t *behind;              // [terminals * 256] bytes with which something can begin behind it
	bool changed;
};

static uint32_t control_id(const struct term *t, uint32_t i)
{
	uint32_t id;
	memcpy(&id, t->text + (size_t)4 * i, sizeof id);
	return id;
}

static bool has_id(const struct term *t, uint32_t id)
{
	uint32_t lo = 0, hi = t->text_len / 4;
	while (lo < hi) {
		uint32_t middle = (lo + hi) / 2;
		if (control_id(t, middle) < id)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < t->text_len / 4 && control_id(t, lo) == id;
}

static bool is_control(const struct piece *p) { return p->kind == PIECE_TERM && p->term->kind == TERM_CONTROL; }

// Those of a set of control tokens that are of one class, as a piece.
static piece_id control_class(struct making *m, piece_id p, const uint32_t *class_of, uint32_t class)
{
	const struct term *t = m->r->pieces.at[p].term;
	VEC(char) ids = {0};
	for (uint32_t i = 0; i < t->text_len / 4; i++) {
		if (class_of[i] != class) continue;
		const char *id = arena_printf(&m->keep, "%c%u", ids.n ? ',' : '[', control_id(t, i));
		for (; *id; id++) vec_push(&ids, *id);
	}
	vec_push(&ids, ']');
	piece_id one = p;
	piece_control(m->r, ids.at, ids.n, m->r->pieces.at[p].loc, &one);
	vec_release(&ids);
	return one;
}

// A set of control tokens as classes of them: those that the same of the grammar's other sets have. PIECE_NONE: it is
// one class.
static piece_id control_apart(struct making *m, piece_id p)
{
	const struct term *t = m->r->pieces.at[p].term;
	uint32_t n = t->text_len / 4, *class_of = mem_calloc((size_t)n + 1, sizeof *class_of);
	struct intern classes = {0};
	piece_list sets = {0}, parts = {0};
	for (piece_id q = 0; q < m->r->pieces.n; q++)
		if (is_control(&m->r->pieces.at[q])) vec_push(&sets, q);
	uint32_t words = BITS_WORDS(sets.n);
	bits *in = mem_calloc(words, sizeof *in);
	for (uint32_t i = 0; i < n; i++) {
		memset(in, 0, words * sizeof *in);
		for (uint32_t k = 0; k < sets.n; k++)
			if (has_id(m->r->pieces.at[sets.at[k]].term, control_id(t, i))) bits_set(in, k);
		class_of[i] = intern_add(&classes, in, words * sizeof *in, NULL);
	}
	for (uint32_t c = 0; c < classes.entries.n && classes.entries.n > 1; c++) {
		piece_id one = control_class(m, p, class_of, c);
		vec_push(&parts, one);
	}
	piece_id whole = parts.n ? piece_alt(m->r, parts.at, parts.n, m->r->pieces.at[p].loc) : PIECE_NONE;
	vec_release(&sets), vec_release(&parts);
	intern_release(&classes);
	free(class_of), free(in);
	return whole;
}

static bool take_pattern_apart(struct making *m, piece_id p)
{
	if (!m->languages) m->languages = languages_new();
	const struct piece from = m->r->pieces.at[p];
	piece_id is = is_control(&from) ? control_apart(m, p) : characters_of(m->r, m->languages, from.term, from.loc);
	while (m->apart.n <= p) vec_push(&m->apart, PIECE_NONE);
	m->apart.at[p] = is;
	return is != PIECE_NONE;
}

// False: it is as small as can be.
static bool take_apart(struct looking *l, terminal_id t)
{
	piece_id p = l->piece[t];
	if (p < l->m->broken.n && l->m->broken.at[p])
		for (uint32_t i = 0; i < l->m->atoms.n; i++)
			if (l->m->atoms.at[i] == p) return false;
	if (l->m->r->pieces.at[p].kind == PIECE_TERM && !take_pattern_apart(l->m, p)) return false;
	set_broken(l->m, p);
	return l->changed = true;
}

// Two parts of other front ends that compete, and the lexer would have to choose.
static bool cannot_tell(const struct looking *l, terminal_id a, terminal_id b)
{
	struct diag *d = l->m->r->diag;
	diag_error(d, l->g->terminals[a].loc,
	           "%s and %s may stand at one place, and where the one ends or which it is cannot be told there: this "
	           "combination is not supported. Put a text between them that neither has, or write both as one",
	           l->g->terminals[a].name, l->g->terminals[b].name);
	return false;
}

static void find_behind(struct looking *l, const struct lr *lr)
{
	uint32_t n = l->g->n_terminals;
	uint8_t *first = mem_calloc((size_t)n * 256 + 1, 1);
	uint8_t *of_context = mem_calloc((size_t)lr->n_contexts * 256 + 1, 1);
	for (terminal_id t = 0; t < n; t++)
		for (uint32_t b = 0; b < 256; b++) first[t * 256 + b] = dfa_step(l->dfa[t], 0, (uint8_t)b) != DFA_DEAD;
	for (uint32_t c = 0; c < lr->n_contexts; c++)
		for (terminal_id t = 0; t < n; t++)
			if (bits_test(lr->context + (size_t)c * lr->context_words, t))
				for (uint32_t b = 0; b < 256; b++) of_context[c * 256 + b] |= first[t * 256 + b];
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		for (terminal_id t = 0; t < n; t++) {
			uint32_t n_actions, one;
			const uint32_t *a = lr_actions(lr, s, t, &n_actions, &one);
			for (uint32_t i = 0; i < n_actions; i++) {
				if (!ACTION_IS_SHIFT(a[i])) continue;
				const uint8_t *from = of_context + (size_t)lr->context_of[a[i] / 2] * 256;
				for (uint32_t b = 0; b < 256; b++) l->behind[t * 256 + b] |= from[b];
			}
		}
	free(first), free(of_context);
}

// The DFA of each terminal; those that are too large are taken apart. False after an error.
static bool find_dfas(struct looking *l, struct arena *arena)
{
	uint32_t n = l->g->n_terminals, k = 0;
	bool ok = true;
	l->dfa = arena_array(arena, n, sizeof *l->dfa), l->piece = arena_array(arena, n, sizeof *l->piece);
	for (terminal_id t = 0; t < n; t++) {
		// lark_reduce keeps the order; patterns are the draft's
		while (l->m->draft.terminals.at[k].pattern != l->g->terminals[t].pattern) k++;
		l->piece[t] = l->m->of_terminal.at[k];
	}
	for (terminal_id t = 0; t < n; t++) l->dfa[t] = dfa_of(l->m, l->piece[t]);
	for (terminal_id t = 0; t < n; t++)
		if (!l->dfa[t] && !take_apart(l, t)) ok = cannot_tell(l, t, t);
	return ok;
}

// Takes apart what competes and clashes. False after an error.
static bool part_rivals(struct looking *l, const struct lr *lr)
{
	uint32_t n = l->g->n_terminals, words = BITS_WORDS(n);
	bool ok = true;
	bits *done = mem_calloc((size_t)n * words + 1, sizeof *done);
	for (uint32_t c = 0; c < lr->n_contexts; c++) {
		const bits *context = lr->context + (size_t)c * lr->context_words;
		for (uint32_t a = bits_next(context, words, 0); a != UINT32_MAX; a = bits_next(context, words, a + 1))
			for (uint32_t b = a; b != UINT32_MAX; b = bits_next(context, words, b + 1)) {
				if (bits_test(done + (size_t)a * words, b)) continue;
				bits_set(done + (size_t)a * words, b);
				const uint8_t *behind_a = l->behind + a * 256, *behind_b = l->behind + b * 256;
				if (!dfa_clash(l->dfa[a], l->dfa[b], behind_a, behind_b)) continue;
				bool apart = take_apart(l, a);
				if (!take_apart(l, b) && !apart) ok = cannot_tell(l, a, b);
			}
	}
	free(done);
	return ok;
}

// Marks what has to be taken apart. False after an error. A grammar that stays keeps its automaton, where compiling can
// take it as it is.
static bool look(struct making *m, struct grammar *made, bool *changed)
{
	struct arena arena = {0}, automaton = {0};
	struct grammar plain = *made;
	plain.arena = (struct arena){0};
	bool had_loops;
	struct lr *lr = arena_alloc(&automaton, sizeof *lr);
	bool ok = grammar_remove_loops(&plain, m->r->diag, &had_loops) &&
	          lr_build(&plain, &(struct lr_options){.keep_all = true}, &automaton, m->r->diag, lr);
	struct looking l = {.m = m, .g = &plain};
	ok = ok && find_dfas(&l, &arena);
	if (ok && !l.changed) {
		l.behind = arena_array(&arena, (size_t)plain.n_terminals * 256 + 1, 1);
		find_behind(&l, lr);
		ok = part_rivals(&l, lr);
	}
	*changed = l.changed;
	if (ok && !l.changed && !had_loops && !lr->n_choice) {
		lr->grammar = NULL;
		made->parser = lr;
		arena_join(&made->arena, &automaton);
	}
	arena_release(&automaton);
	arena_release(&arena);
	arena_release(&plain.arena);
	return ok;
}

bool scannerless_grammar(struct rules *r, struct grammar *g)
{
	struct making m = {.r = r, .cache = regex_cache_new()};
	m.n_whole = r->rule.n;
	m.whole = regular_rules(r, &m.keep);
	bool ok = true, changed = true;
	while (ok && changed) {
		work_check();
		write_grammar(&m);
		struct grammar made = {0};
		ok = grammar_of_draft(&m.draft, r->diag, &made) && look(&m, &made, &changed);
		if (ok && !changed) {
			*g = made;
			for (uint32_t t = 0; t < g->n_terminals; t++) {
				g->terminals[t].pattern = term_copy(g->terminals[t].pattern, &g->arena);
				g->terminals[t].drops_empty = g->terminals[t].is_scannerless = true;
			}
		} else
			grammar_release(&made);
		grammar_draft_release(&m.draft);
		arena_release(&m.arena);
	}
	regex_cache_free(m.cache);
	languages_free(m.languages);
	arena_release(&m.keep);
	vec_release(&m.broken), vec_release(&m.apart), vec_release(&m.known), vec_release(&m.symbol),
		vec_release(&m.terminal);
	vec_release(&m.rules_to_do), vec_release(&m.atoms), vec_release(&m.of_terminal);
	return ok;
}
