// Ignored text written into productions, where it is not the same everywhere.
//
// In:  the expansion, `%ignore X inside RULE`, grammars inside this one with ignored terminals of their own.
// Out: the same language without ignored terminals: each place where some may stand has them as symbols (is_blank).
// A symbol stands at a place where the set `in` is ignored between its terminals, and `after` behind its last one.
// A terminal T becomes T and any blanks of `after`. A nonterminal is copied for each (in, after) that it meets; a rule
// of `inside` adds to `in`, a grammar inside has a set of its own. Where `in` and `after` differ the last terminal
// must be known, so such a copy has a variant that is not empty: of A: B C with an empty C, B is the last. A grammar
// inside another one has no blanks around it: those of the grammar around are there.
// Cost: copies x productions; copies are few, since sets are.
#include "../base/bitset.h"
#include "lark.h"

struct blanks {
	struct definitions *d;
	struct expansion *x;
	uint32_t n_terminals, n_nonterminals, n_productions;  // before
	struct x_production *original;
	uint32_t *order, *end;  // productions by left side
	uint8_t *nullable;
	uint32_t *twin;      // [terminals] the blank of an ignored terminal
	struct intern sets;  // bit sets of terminals; 0 is the empty one
	uint32_t words;
	uint32_t *adds;        // [nonterminals] set that `inside` adds
	uint32_t *part_set;    // [parts + 1]
	struct intern copies;  // struct copy -> the number of it
	VEC(uint32_t) copy;    // nonterminals
	VEC(uint32_t) work;    // copies to write
	struct arena arena;
};

enum copy_kind { COPY_RULE, COPY_FILLED, COPY_TERMINAL, COPY_BLANKS };  // FILLED: not empty
struct copy {
	uint32_t kind, of, in, after;
};

static uint32_t set_number(struct blanks *b, const bits *set)
{
	return intern_add(&b->sets, set, b->words * sizeof *set, NULL);
}

static const bits *set_at(const struct blanks *b, uint32_t set) { return intern_get(&b->sets, set, NULL); }

static uint32_t united(struct blanks *b, uint32_t x, uint32_t y)
{
	bits *both = arena_array(&b->arena, b->words, sizeof *both);
	for (uint32_t w = 0; w < b->words; w++) both[w] = set_at(b, x)[w] | set_at(b, y)[w];
	return set_number(b, both);
}

// ---- What is ignored where

static bool has_scopes(const struct definitions *d, const struct expansion *x)
{
	bool has_ignored = false, is_scoped = false;
	for (uint32_t t = 0; t < x->terminals.n; t++)
		has_ignored |= x->terminals.at[t].is_ignored || x->terminals.at[t].is_own_blank;
	for (uint32_t i = 0; i < d->ignored.n; i++) is_scoped |= d->ignored.at[i].n_rules != 0;
	return is_scoped || (has_ignored && (x->n_parts || d->depth));
}

// `inside` a rule: adds to what is ignored there.
static void add_to_rule(struct blanks *b, const struct ignored *one, const struct name *rule)
{
	uint32_t symbol = intern_find(&b->d->names, rule->text, strlen(rule->text));
	const struct definition *of = symbol == INTERN_NONE ? NULL : b->d->by_symbol.at[symbol];
	if (!of || of->is_terminal || of->n_params) {
		diag_error(b->d->diag, rule->loc, "%%ignore ... inside takes rules or brackets: '%s' is %s", rule->text,
		           !of               ? "not defined"
		           : of->is_terminal ? "a terminal"
		                             : "a template");
		return;
	}
	bits *set = arena_array(&b->arena, b->words, sizeof *set);
	bits_set(set, b->twin[one->definition->index]);
	b->adds[of->index] = united(b, b->adds[of->index], set_number(b, set));
}

static bool same_pattern(const struct x_terminal *x, const struct x_terminal *y)
{
	byte_vec one = {0}, other = {0};
	lark_term_bytes(x->pattern, &one), lark_term_bytes(y->pattern, &other);
	bool same = x->priority == y->priority && one.n == other.n && !memcmp(one.at, other.at, one.n);
	vec_release(&one), vec_release(&other);
	return same;
}

// Equal patterns are one blank: else one of them would win, and take the text from the rules of the other.
static void add_twin(struct blanks *b, uint32_t t)
{
	struct x_terminal twin = b->x->terminals.at[t];
	if (b->twin[t]) return;
	b->x->terminals.at[t].is_ignored = false;
	for (uint32_t k = b->n_terminals; k < b->x->terminals.n && twin.pattern; k++)
		if (same_pattern(&b->x->terminals.at[k], &twin)) {
			b->twin[t] = k;
			return;
		}
	twin.is_ignored = twin.has_words = twin.is_reserved = twin.is_soft = false;
	twin.is_blank = true;
	b->twin[t] = b->x->terminals.n;
	vec_push(&b->x->terminals, twin);
}

// Blanks in the order of their terminals; the set that is ignored everywhere.
static uint32_t read_sets(struct blanks *b)
{
	const struct definitions *d = b->d;
	bool *scoped = arena_array(&b->arena, b->n_terminals, sizeof *scoped);
	bits *empty = arena_array(&b->arena, b->words, sizeof *empty),
		 *base = arena_array(&b->arena, b->words, sizeof *base);
	set_number(b, empty);
	for (uint32_t i = 0; i < d->ignored.n; i++)
		if (d->ignored.at[i].n_rules) scoped[d->ignored.at[i].definition->index] = true;
	for (uint32_t t = 0; t < b->n_terminals; t++) {
		bool everywhere = b->x->terminals.at[t].is_ignored;
		if (everywhere || scoped[t]) add_twin(b, t);
		if (everywhere) bits_set(base, b->twin[t]);
	}
	for (uint32_t i = 0; i < d->ignored.n; i++)
		for (uint32_t k = 0; k < d->ignored.at[i].n_rules; k++)
			add_to_rule(b, &d->ignored.at[i], &d->ignored.at[i].rules[k]);
	for (uint32_t part = 1; part <= b->x->n_parts; part++) {
		bits *own = arena_array(&b->arena, b->words, sizeof *own);
		for (uint32_t t = 0; t < b->n_terminals; t++)
			if (b->x->terminals.at[t].is_own_blank && b->x->terminals.at[t].part == part) bits_set(own, t);
		b->part_set[part] = set_number(b, own);
	}
	return set_number(b, base);
}

static void find_nullable(struct blanks *b)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < b->n_productions; i++) {
			const struct x_production *p = &b->original[i];
			bool all = !b->nullable[p->lhs];
			for (uint32_t k = 0; k < p->n_rhs && all; k++)
				all = (p->rhs[k] & X_NONTERMINAL) && b->nullable[p->rhs[k] & ~X_NONTERMINAL];
			if (all) b->nullable[p->lhs] = 1, changed = true;
		}
	}
}

// ---- Copies

static uint32_t copy_of(struct blanks *b, enum copy_kind kind, uint32_t of, uint32_t in, uint32_t after)
{
	struct expansion *x = b->x;
	const struct copy key = {kind, of, in, after};
	bool is_new;
	uint32_t n = intern_add(&b->copies, &key, sizeof key, &is_new);
	if (!is_new) return b->copy.at[n] | X_NONTERMINAL;
	struct x_nonterminal made = {.origin = X_HELPER, .is_imported = true, .copy_of = x->nonterminals.n};
	if (kind <= COPY_FILLED) {
		made.name = x->nonterminals.at[of].name, made.loc = x->nonterminals.at[of].loc;
		made.copy_of = x->nonterminals.at[of].copy_of;
	} else if (kind == COPY_TERMINAL) {
		made.name = arena_printf(x->arena, "__%s_and_blanks", x->terminals.at[of].name);
		made.loc = x->terminals.at[of].loc;
	} else
		made.name = arena_printf(x->arena, "__blanks_%u", after);
	vec_push(&b->copy, x->nonterminals.n);
	vec_push(&b->work, n);
	vec_push(&x->nonterminals, made);
	return b->copy.at[n] | X_NONTERMINAL;
}

static uint32_t symbol_at(struct blanks *b, uint32_t symbol, uint32_t in, uint32_t after, bool is_filled)
{
	uint32_t of = symbol & ~X_NONTERMINAL;
	if (!(symbol & X_NONTERMINAL)) return after ? copy_of(b, COPY_TERMINAL, of, 0, after) : symbol;
	uint32_t part = b->x->nonterminals.at[of].part;
	if (part)
		in = b->part_set[part];
	else if (b->adds[of])
		in = united(b, in, b->adds[of]);
	return copy_of(b, is_filled ? COPY_FILLED : COPY_RULE, of, in, after);
}

static void add_production(struct blanks *b, uint32_t lhs, const uint32_t *rhs, uint32_t n, struct loc loc)
{
	uint32_t *copy = arena_array(b->x->arena, n, sizeof *copy);
	if (n) memcpy(copy, rhs, n * sizeof *copy);
	if (b->x->productions.n >= EXPAND_MAX_PRODUCTIONS) work_too_large("EXPAND_MAX_PRODUCTIONS", EXPAND_MAX_PRODUCTIONS);
	vec_push(&b->x->productions, ((struct x_production){lhs, copy, n, loc}));
}

// Alternatives whose last symbol that is not empty is known.
static void write_filled(struct blanks *b, uint32_t lhs, const struct x_production *p, const struct copy *c)
{
	VEC(uint32_t) rhs = {0};
	for (uint32_t n = p->n_rhs; n; n--) {
		uint32_t last = p->rhs[n - 1];
		vec_clear(&rhs);
		for (uint32_t k = 0; k + 1 < n; k++) {
			uint32_t s = symbol_at(b, p->rhs[k], c->in, c->in, false);
			vec_push(&rhs, s);
		}
		uint32_t s = symbol_at(b, last, c->in, c->after, true);
		vec_push(&rhs, s);
		add_production(b, lhs, rhs.at, n, p->loc);
		if (!(last & X_NONTERMINAL) || !b->nullable[last & ~X_NONTERMINAL]) break;
	}
	vec_release(&rhs);
}

static void write_rule(struct blanks *b, uint32_t lhs, const struct copy *c)
{
	bool is_plain = c->kind == COPY_RULE && c->in == c->after;
	if (c->kind == COPY_RULE && !is_plain && b->nullable[c->of])
		add_production(b, lhs, NULL, 0, b->x->nonterminals.at[c->of].loc);
	for (uint32_t i = c->of ? b->end[c->of - 1] : 0; i < b->end[c->of]; i++) {
		const struct x_production *p = &b->original[b->order[i]];
		VEC(uint32_t) rhs = {0};
		for (uint32_t k = 0; k < p->n_rhs && is_plain; k++) {
			uint32_t s = symbol_at(b, p->rhs[k], c->in, c->in, false);
			vec_push(&rhs, s);
		}
		if (is_plain)
			add_production(b, lhs, rhs.at, p->n_rhs, p->loc);
		else
			write_filled(b, lhs, p, c);
		vec_release(&rhs);
	}
}

static void write_copy(struct blanks *b, uint32_t n)
{
	struct copy c;
	uint32_t lhs = b->copy.at[n];
	memcpy(&c, intern_get(&b->copies, n, NULL), sizeof c);
	const struct loc loc = b->x->nonterminals.at[lhs].loc;
	if (c.kind <= COPY_FILLED) {
		write_rule(b, lhs, &c);
	} else if (c.kind == COPY_TERMINAL) {
		uint32_t rhs[2] = {c.of, copy_of(b, COPY_BLANKS, 0, 0, c.after)};
		add_production(b, lhs, rhs, 1, loc);
		add_production(b, lhs, rhs, 2, loc);
	} else {
		for (uint32_t t = bits_next(set_at(b, c.after), b->words, 0); t != UINT32_MAX;
		     t = bits_next(set_at(b, c.after), b->words, t + 1)) {
			add_production(b, lhs, (uint32_t[]){t}, 1, loc);
			if (!b->x->terminals.at[t].comes_once) add_production(b, lhs, (uint32_t[]){lhs | X_NONTERMINAL, t}, 2, loc);
		}
	}
}

// Whole texts from a rule: blanks may stand before it.
static uint32_t root(struct blanks *b, uint32_t rule, uint32_t base)
{
	struct x_nonterminal made = b->x->nonterminals.at[rule];
	uint32_t lhs = b->x->nonterminals.n, around = b->d->depth ? 0 : base;
	made.origin = X_HELPER, made.part = 0;
	vec_push(&b->x->nonterminals, made);
	uint32_t rhs[2] = {0, symbol_at(b, rule | X_NONTERMINAL, base, around, false)};
	add_production(b, lhs, rhs + 1, 1, made.loc);
	if (!around) return lhs;
	rhs[0] = copy_of(b, COPY_BLANKS, 0, 0, around);
	add_production(b, lhs, rhs, 2, made.loc);
	return lhs;
}

static void write_all(struct blanks *b)
{
	struct expansion *x = b->x;
	uint32_t base = read_sets(b);
	if (b->d->diag->n_errors) return;
	find_nullable(b);
	for (uint32_t i = 0; i < b->n_productions; i++) b->end[b->original[i].lhs]++;
	for (uint32_t a = 0, sum = 0; a < b->n_nonterminals; a++) {
		uint32_t count = b->end[a];
		b->end[a] = sum, sum += count;
	}
	for (uint32_t i = 0; i < b->n_productions; i++) b->order[b->end[b->original[i].lhs]++] = i;
	vec_clear(&x->productions);
	x->start = root(b, x->start, base);
	for (uint32_t i = 0; i < x->starts.n; i++) x->starts.at[i] = root(b, x->starts.at[i], base);
	while (b->work.n) write_copy(b, vec_pop(&b->work));
}

static bool stands_alone(const struct definitions *d, const struct expansion *x)
{
	const char *beside = x->indentation.on ? "%indent" : NULL;
	for (uint32_t t = 0; t < x->terminals.n; t++)
		if (x->terminals.at[t].is_held || x->terminals.at[t].is_scoped)
			beside = "'%ignore ... inside' brackets, or 'unless after'";
	if (beside)
		diag_error(d->diag, (struct loc){0},
		           "%s cannot stand beside grammars inside this one, or text that is ignored inside rules", beside);
	return !beside;
}

bool lark_blanks(struct definitions *d, struct expansion *x)
{
	uint32_t errors = d->diag->n_errors;
	if (x->n_parts && !stands_alone(d, x)) return false;
	if (!has_scopes(d, x)) return true;
	if (!stands_alone(d, x)) return false;
	struct blanks b = {.d = d, .x = x};
	b.n_terminals = x->terminals.n, b.n_nonterminals = x->nonterminals.n, b.n_productions = x->productions.n;
	b.words = BITS_WORDS(2 * b.n_terminals);
	b.original = arena_array(&b.arena, b.n_productions, sizeof *b.original);
	if (b.n_productions) memcpy(b.original, x->productions.at, b.n_productions * sizeof *b.original);
	b.order = arena_array(&b.arena, b.n_productions, sizeof *b.order);
	b.end = arena_array(&b.arena, b.n_nonterminals, sizeof *b.end);
	b.nullable = arena_array(&b.arena, b.n_nonterminals, 1);
	b.twin = arena_array(&b.arena, b.n_terminals, sizeof *b.twin);
	b.adds = arena_array(&b.arena, b.n_nonterminals, sizeof *b.adds);
	b.part_set = arena_array(&b.arena, x->n_parts + 1, sizeof *b.part_set);
	write_all(&b);
	intern_release(&b.sets), intern_release(&b.copies);
	vec_release(&b.copy), vec_release(&b.work);
	arena_release(&b.arena);
	return d->diag->n_errors == errors;
}
