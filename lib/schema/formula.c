// Conditions on arrays and objects: and, or, not over prims, hash-consed; and as decision diagrams.
//
// A formula is a small tree over prims (internal.h), equal trees being one. Each automaton orders the prims that it
// needs as it likes and makes diagrams of its formulas; fixing what is decided is a step down the diagram, so equal
// rests of conditions are equal numbers. Cost: of a conjunction in the diagram's order linear; else as diagrams may
// grow, up to SCHEMA_MAX_FORMULA nodes.
#include "../base/sort.h"
#include "internal.h"

static uint64_t prim_bit(uint32_t prim) { return UINT64_C(1) << prim % 64; }

// May it speak of one of these prims? False: it does not.
static bool may_have(const struct schema *s, formula f, uint64_t prims)
{
	return f > FORMULA_TRUE && s->formula_notes.at[f].prims & prims;
}

// A formula's words: op, then the prim or the members.
static const uint32_t *words(const struct schema *s, formula f, uint32_t *n)
{
	uint32_t len;
	const uint32_t *w = intern_get(&s->formula_names, f, &len);
	*n = len / 4;
	return w;
}

static uint32_t op_of(const struct schema *s, formula f) { return s->formula_notes.at[f].op; }

#define SHORT 16u  // members: walked again faster than looked up

// Of a new formula: the prims that it may speak of, and its form.
static void note(struct schema *s, enum formula_op op, const uint32_t *list, uint32_t n)
{
	struct formula_note x = {op == FORMULA_PRIM ? prim_bit(list[0]) : 0, 0, (uint8_t)op, op == FORMULA_PRIM, false};
	bool literals = op != FORMULA_PRIM;
	for (uint32_t i = 0; i < n && op != FORMULA_PRIM; i++) {
		x.prims |= s->formula_notes.at[list[i]].prims;
		literals = literals && s->formula_notes.at[list[i]].is_literal;
	}
	x.is_literal |= op == FORMULA_NOT && op_of(s, list[0]) == FORMULA_PRIM;
	x.is_short = literals && n <= SHORT;
	vec_push(&s->formula_notes, x);
}

// What a negation denies.
static formula member_of(const struct schema *s, formula f)
{
	uint32_t n;
	return words(s, f, &n)[1];
}

static formula intern_formula(struct schema *s, enum formula_op op, const uint32_t *list, uint32_t n)
{
	if (!s->formula_names.entries.n) {
		intern_add(&s->formula_names, (uint32_t[]){FORMULA_OR}, 4, NULL);   // false
		intern_add(&s->formula_names, (uint32_t[]){FORMULA_AND}, 4, NULL);  // true
		note(s, FORMULA_OR, NULL, 0), note(s, FORMULA_AND, NULL, 0);
	}
	bool is_new;
	vec_clear(&s->formula_words);
	vec_reserve(&s->formula_words, (uint64_t)n + 1);
	s->formula_words.at[0] = op;
	if (n) memcpy(s->formula_words.at + 1, list, n * sizeof *list);
	formula f = intern_add(&s->formula_names, s->formula_words.at, ((size_t)n + 1) * sizeof *list, &is_new);
	if (is_new) note(s, op, list, n);
	if (s->formula_names.entries.n > 20 * SCHEMA_MAX_FORMULA) work_too_large("SCHEMA_MAX_FORMULA", SCHEMA_MAX_FORMULA);
	return f;
}

formula formula_prim(struct schema *s, enum prim_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t w[4] = {kind, a, b, c};
	uint32_t number = intern_add(&s->prim_names, w, sizeof w, NULL);
	return intern_formula(s, FORMULA_PRIM, &number, 1);
}

struct prim prim_of(const struct schema *s, uint32_t number)
{
	const uint32_t *w = intern_get(&s->prim_names, number, NULL);
	return (struct prim){(enum prim_kind)w[0], w[1], w[2], w[3]};
}

static formula join(struct schema *s, enum formula_op op, const formula *f, uint32_t n)
{
	formula neutral = op == FORMULA_AND ? FORMULA_TRUE : FORMULA_FALSE;
	const uint32_t joined = ++s->n_joined;  // its members are marked with it
	vec_clear(&s->joined);
	for (uint32_t i = 0; i < n; i++) {
		if (f[i] == !neutral) return !neutral;
		if (f[i] == neutral) continue;
		uint32_t m = 2;
		const bool flat = op_of(s, f[i]) == op;
		const uint32_t *w = flat ? words(s, f[i], &m) : NULL;
		for (uint32_t k = 1; k < m; k++) {
			const formula x = flat ? w[k] : f[i];
			if (s->formula_notes.at[x].joined == joined) continue;
			s->formula_notes.at[x].joined = joined;
			vec_push(&s->joined, x);
		}
	}
	// x and not x.
	for (uint32_t i = 0; i < s->joined.n; i++)
		if (op_of(s, s->joined.at[i]) == FORMULA_NOT &&
		    s->formula_notes.at[member_of(s, s->joined.at[i])].joined == joined)
			return !neutral;
	if (!s->joined.n) return neutral;
	return s->joined.n == 1 ? s->joined.at[0] : intern_formula(s, op, s->joined.at, s->joined.n);
}

formula formula_and(struct schema *s, const formula *f, uint32_t n) { return join(s, FORMULA_AND, f, n); }
formula formula_or(struct schema *s, const formula *f, uint32_t n) { return join(s, FORMULA_OR, f, n); }

formula formula_not(struct schema *s, formula f)
{
	if (f <= FORMULA_TRUE) return !f;
	return op_of(s, f) == FORMULA_NOT ? member_of(s, f) : intern_formula(s, FORMULA_NOT, &f, 1);
}

formula formula_if(struct schema *s, formula c, formula then, formula otherwise)
{
	if (then == otherwise) return then;
	const formula yes[] = {c, then}, no[] = {formula_not(s, c), otherwise};
	const formula both[] = {formula_and(s, yes, 2), formula_and(s, no, 2)};
	return formula_or(s, both, 2);
}

static uint32_t unique(uint32_t *list, uint32_t n)
{
	uint32_t m = 0;
	sort_u32(list, n);
	for (uint32_t i = 0; i < n; i++)
		if (!m || list[m - 1] != list[i]) list[m++] = list[i];
	return m;
}

uint32_t keyset_of(struct schema *s, bool negated, const uint32_t *keys, uint32_t n_keys, const language *patterns,
                   uint32_t n_patterns)
{
	uint32_t *w = arena_array(s->arena, (size_t)n_keys + n_patterns + 2, sizeof *w);
	if (n_keys) memcpy(w + 2, keys, n_keys * sizeof *w);
	n_keys = unique(w + 2, n_keys);
	if (n_patterns) memcpy(w + 2 + n_keys, patterns, n_patterns * sizeof *w);
	n_patterns = unique(w + 2 + n_keys, n_patterns);
	w[0] = negated, w[1] = n_keys;
	bool is_new;
	uint32_t id = intern_add(&s->keysets, w, ((size_t)n_keys + n_patterns + 2) * sizeof *w, &is_new);
	if (is_new) vec_push(&s->keyset, ((struct keyset){negated, n_keys, n_patterns, w + 2, w + 2 + n_keys}));
	return id;
}

uint32_t key_number(struct schema *s, const char *key, uint32_t len) { return intern_add(&s->keys, key, len, NULL); }

bool keyset_has(const struct schema *s, uint32_t set, uint32_t key)
{
	const struct keyset *k = &s->keyset.at[set];
	uint32_t len;
	const char *text = intern_get(&s->keys, key, &len);
	bool in = k->n_keys && bsearch(&key, k->keys, k->n_keys, sizeof key, sort_compare_uint32_t);
	for (uint32_t i = 0; i < k->n_patterns && !in; i++) in = language_has(s->languages, k->patterns[i], text, len);
	return in != k->negated;
}

// ---- decision diagrams ----

void bdds_init(struct bdds *b, struct schema *s)
{
	*b = (struct bdds){.s = s};
	vec_push(&b->nodes, ((struct bdd_node){UINT32_MAX, 0, 0}));
	vec_push(&b->nodes, ((struct bdd_node){UINT32_MAX, 1, 1}));
}

void bdds_release(struct bdds *b)
{
	vec_release(&b->nodes), vec_release(&b->prims), vec_release(&b->prim);
	intern_release(&b->names);
	map64_release(&b->memo), map64_release(&b->of_formula), map64_release(&b->var_of), map64_release(&b->marked);
	vec_release(&b->assumed), vec_release(&b->members);
}

#define DIAGRAM_MAX 20000u   // nodes, before formulas are kept as they are
#define MEMO_MAX (1u << 20)  // answers that are kept: formulas of neighbouring states share most of their parts

static bdd make(struct bdds *b, uint32_t var, bdd no, bdd yes)
{
	if (no == yes) return no;
	bool is_new;
	const uint32_t key[3] = {var, no, yes};
	uint32_t id = intern_add(&b->names, key, sizeof key, &is_new) + 2;
	if (is_new) {
		vec_push(&b->nodes, ((struct bdd_node){var, no, yes}));
		if (b->is_starting && b->nodes.n > DIAGRAM_MAX) b->is_too_large = true;
		if (b->nodes.n > SCHEMA_MAX_FORMULA) work_too_large("SCHEMA_MAX_FORMULA", SCHEMA_MAX_FORMULA);
	}
	return id;
}

// The last three: with a variable and its value.
enum { BDD_AND, BDD_OR, BDD_NOT, BDD_RESTRICT, BDD_REFUTED, BDD_DEPENDS };

// Branches: the cases that need no walk of the diagram come first, one for each operation.
static bdd apply(struct bdds *b, uint32_t op, bdd f, bdd g)
{
	if (b->is_too_large) return 0;
	if (op == BDD_NOT) {
		if (f <= 1) return !f;
	} else {
		bdd strong = op == BDD_OR, weak = !strong;
		if (f == strong || g == strong) return strong;
		if (f == weak || f == g) return g;
		if (g == weak) return f;
		if (f > g) {
			bdd t = f;
			f = g, g = t;
		}
	}
	uint64_t key = (uint64_t)op << 60 | (uint64_t)f << 30 | g, known = map64_get(&b->memo, key);
	if (known != MAP64_NONE) return (bdd)known;
	struct bdd_node x = b->nodes.at[f], y = op == BDD_NOT ? x : b->nodes.at[g];
	uint32_t var = x.var < y.var ? x.var : y.var;
	bdd no = apply(b, op, x.var == var ? x.no : f, y.var == var ? y.no : g);
	bdd yes = apply(b, op, x.var == var ? x.yes : f, y.var == var ? y.yes : g);
	bdd out = make(b, var, no, yes);
	map64_put(&b->memo, key, out);
	return out;
}

// Members by their first variable, the last first: so a conjunction grows at its top.
struct member {
	uint32_t var;
	bdd f;
};
static int latest_first(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return (x->var < y->var) - (x->var > y->var);
}

static bdd bdd_of(struct bdds *b, formula f)
{
	if (f <= FORMULA_TRUE) return f;
	uint64_t known = map64_get(&b->of_formula, f);
	if (known != MAP64_NONE) return (bdd)known;
	uint32_t n;
	const uint32_t *w = words(b->s, f, &n);
	bdd out;
	if (w[0] == FORMULA_PRIM) {
		uint64_t var = map64_get(&b->var_of, w[1]);
		ASSERT(var != MAP64_NONE);
		out = make(b, (uint32_t)var, 0, 1);
	} else if (w[0] == FORMULA_NOT) {
		out = apply(b, BDD_NOT, bdd_of(b, w[1]), 0);
	} else {
		struct member *m = mem_alloc(n * sizeof *m);
		for (uint32_t i = 1; i < n; i++) {
			m[i - 1].f = bdd_of(b, w[i]);
			m[i - 1].var = b->nodes.at[m[i - 1].f].var;
		}
		qsort(m, n - 1, sizeof *m, latest_first);
		out = w[0] == FORMULA_AND;
		for (uint32_t i = 0; i + 1 < n; i++) out = apply(b, w[0] == FORMULA_AND ? BDD_AND : BDD_OR, out, m[i].f);
		free(m);
	}
	map64_put(&b->of_formula, f, out);
	return out;
}

// A prim that is known, as a word.
static uint64_t known_prim(uint32_t number, bool value) { return (uint64_t)number << 1 | value; }

static uint64_t question(uint32_t op, bdd f, uint32_t var, bool value)
{
	return (uint64_t)op << 60 | (uint64_t)f << 30 | known_prim(var, value);
}

static bdd restrict_in(struct bdds *b, bdd f, uint32_t var, bool value)
{
	struct bdd_node x = b->nodes.at[f];
	if (f <= 1 || x.var > var) return f;
	if (x.var == var) return value ? x.yes : x.no;
	const uint64_t key = question(BDD_RESTRICT, f, var, value), known = map64_get(&b->memo, key);
	if (known != MAP64_NONE) return (bdd)known;
	bdd no = restrict_in(b, x.no, var, value), yes = restrict_in(b, x.yes, var, value);
	bdd out = make(b, x.var, no, yes);
	map64_put(&b->memo, key, out);
	return out;
}

static bool refuted_in(struct bdds *b, bdd f, uint32_t var, bool value)
{
	const struct bdd_node x = b->nodes.at[f];
	if (f <= 1 || x.var > var) return !f;
	if (x.var == var) return !(value ? x.yes : x.no);
	const uint64_t key = question(BDD_REFUTED, f, var, value), known = map64_get(&b->memo, key);
	if (known != MAP64_NONE) return known;
	const bool is = refuted_in(b, x.no, var, value) && refuted_in(b, x.yes, var, value);
	map64_put(&b->memo, key, is);
	return is;
}

static bool depends_in(struct bdds *b, bdd f, uint32_t var)
{
	const struct bdd_node x = b->nodes.at[f];
	if (f <= 1 || x.var >= var) return f > 1 && x.var == var;
	const uint64_t key = question(BDD_DEPENDS, f, var, false), known = map64_get(&b->memo, key);
	if (known != MAP64_NONE) return known;
	const bool does = depends_in(b, x.no, var) || depends_in(b, x.yes, var);
	map64_put(&b->memo, key, does);
	return does;
}

void bdds_start(struct bdds *b, const formula *f, uint32_t n, bdd *out)
{
	b->is_starting = true;
	for (uint32_t i = 0; i < n && !b->is_too_large; i++) out[i] = bdd_of(b, f[i]);
	b->is_starting = false;
	b->is_lazy = b->is_too_large;
	if (b->is_lazy) memcpy(out, f, n * sizeof *out);
	map64_release(&b->memo);
}

// The members of a conjunction or union that have become what lies above `first`, joined; taken away from there.
static formula join_members(struct bdds *b, enum formula_op op, uint32_t first)
{
	const formula out = join(b->s, op, b->members.at + first, b->members.n - first);
	b->members.n = first;
	return out;
}

// The formula when a prim is known.
static formula assume(struct bdds *b, formula f, uint32_t prim, bool value)
{
	if (!may_have(b->s, f, prim_bit(prim))) return f;
	const uint64_t key = (uint64_t)f << 32 | known_prim(prim, value), known = map64_get(&b->memo, key);
	if (known != MAP64_NONE) return (formula)known;
	uint32_t n;
	const uint32_t *w = words(b->s, f, &n);
	formula out = f;
	if (w[0] == FORMULA_PRIM) {
		if (w[1] == prim) out = value ? FORMULA_TRUE : FORMULA_FALSE;
	} else if (w[0] == FORMULA_NOT) {
		out = formula_not(b->s, assume(b, w[1], prim, value));
	} else {
		const uint32_t first = b->members.n;
		const formula decides = w[0] == FORMULA_OR;
		bool same = true;
		for (uint32_t i = 1; i < n && out != decides; i++) {
			const formula then = assume(b, w[i], prim, value);
			same &= then == w[i];
			if (then == decides) out = then;
			vec_push(&b->members, then);
		}
		if (!same && out != decides) out = join_members(b, w[0], first);
		b->members.n = first;
	}
	map64_put(&b->memo, key, out);
	if (b->s->formula_names.entries.n % 256 == 0) work_check();
	return out;
}

// The formula when several prims are known, marked in `assumed`: one walk of it.
static formula assume_marked(struct bdds *b, formula f)
{
	if (!may_have(b->s, f, b->assumed_bits)) return f;
	uint32_t n;
	const uint32_t *w = words(b->s, f, &n);
	if (w[0] == FORMULA_PRIM) {
		const uint8_t known = w[1] < b->assumed.n ? b->assumed.at[w[1]] : ASSUMED_NOTHING;
		return known == ASSUMED_NOTHING ? f : known == ASSUMED_TRUE;
	}
	if (w[0] == FORMULA_NOT) return formula_not(b->s, assume_marked(b, w[1]));
	const bool is_kept = !b->s->formula_notes.at[f].is_short;
	const uint64_t done = is_kept ? map64_get(&b->marked, f) : MAP64_NONE;
	if (done != MAP64_NONE) return (formula)done;
	const uint32_t first = b->members.n;
	const formula decides = w[0] == FORMULA_OR;
	formula out = f;
	bool same = true;
	for (uint32_t i = 1; i < n && out != decides; i++) {
		const formula then = assume_marked(b, w[i]);
		same &= then == w[i];
		if (then == decides) out = then;
		vec_push(&b->members, then);
	}
	if (!same && out != decides) out = join_members(b, w[0], first);
	b->members.n = first;
	if (is_kept) map64_put(&b->marked, f, out);
	if (b->s->formula_names.entries.n % 256 == 0) work_check();
	return out;
}

struct evaluation {
	const struct schema *s;
	bool (*truth_of)(const void *user, struct prim p);
	const void *user;
	struct map64 memo;
};

static bool evaluate(struct evaluation *e, formula f)
{
	if (f <= FORMULA_TRUE) return f;
	uint64_t known = map64_get(&e->memo, f);
	if (known != MAP64_NONE) return known;
	uint32_t n;
	const uint32_t *w = words(e->s, f, &n);
	bool out = w[0] == FORMULA_AND;
	if (w[0] == FORMULA_PRIM)
		out = e->truth_of(e->user, prim_of(e->s, w[1]));
	else if (w[0] == FORMULA_NOT)
		out = !evaluate(e, w[1]);
	else
		for (uint32_t i = 1; i < n && out == (w[0] == FORMULA_AND); i++) out = evaluate(e, w[i]);
	map64_put(&e->memo, f, out);
	return out;
}

bool formula_value(const struct schema *s, formula f, bool (*truth_of)(const void *user, struct prim p),
                   const void *user)
{
	struct evaluation e = {.s = s, .truth_of = truth_of, .user = user};
	bool value = evaluate(&e, f);
	map64_release(&e.memo);
	return value;
}

bool bdd_value(const struct bdds *b, bdd f, bool (*truth_of)(const void *user, struct prim p), const void *user)
{
	if (b->is_lazy) return formula_value(b->s, f, truth_of, user);
	while (f > 1) {
		struct bdd_node n = b->nodes.at[f];
		f = truth_of(user, b->prim.at[n.var]) ? n.yes : n.no;
	}
	return f;
}

bdd bdd_restrict(struct bdds *b, bdd f, uint32_t var, bool value)
{
	if (b->memo.n > MEMO_MAX) map64_release(&b->memo);
	return b->is_lazy ? assume(b, f, b->prims.at[var], value) : restrict_in(b, f, var, value);
}

// Does it certainly not speak of the prim? Looks at few of its parts.
static bool lacks(const struct schema *s, formula f, uint32_t prim)
{
	uint32_t n;
	if (!may_have(s, f, prim_bit(prim))) return true;
	const struct formula_note x = s->formula_notes.at[f];
	const uint32_t *w = words(s, f, &n);
	if (x.op == FORMULA_PRIM) return w[1] != prim;
	if (!x.is_short && !x.is_literal) return false;
	for (uint32_t i = 1; i < n; i++)
		if (!lacks(s, w[i], prim)) return false;
	return true;
}

bool bdd_refuted(struct bdds *b, bdd f, uint32_t var, bool value)
{
	const uint32_t prim = b->prims.at[var];
	uint32_t n;
	if (!b->is_lazy) return refuted_in(b, f, var, value);
	if (f <= FORMULA_TRUE || op_of(b->s, f) != FORMULA_OR) return !bdd_restrict(b, f, var, value);
	// Of a union one member that stays is enough.
	const uint32_t *w = words(b->s, f, &n);
	for (uint32_t i = 1; i < n; i++)
		if (!may_have(b->s, w[i], prim_bit(prim)) || bdd_restrict(b, w[i], var, value)) return false;
	return true;
}

// The place of the one member of a conjunction or union that may speak of the prim; 0: none, UINT32_MAX: several.
static uint32_t only_member(const struct schema *s, const uint32_t *w, uint32_t n, uint32_t prim)
{
	uint32_t at = 0;
	for (uint32_t i = 1; i < n && at != UINT32_MAX; i++)
		if (!lacks(s, w[i], prim)) at = at ? UINT32_MAX : i;
	return at;
}

// Could x, as a member instead of the one at this place, come to more than itself beside the others: is it one of them,
// or what one of them denies, or several?
static bool meets_others(const struct schema *s, const uint32_t *w, uint32_t n, uint32_t at, formula x)
{
	if (x <= FORMULA_TRUE) return false;
	if (op_of(s, x) == w[0]) return true;
	const uint32_t denied[] = {FORMULA_NOT, x};
	const formula other =
		op_of(s, x) == FORMULA_NOT ? member_of(s, x) : intern_find(&s->formula_names, denied, sizeof denied);
	bool meets = false;
	for (uint32_t i = 1; i < n; i++) meets |= i != at && (w[i] == x || w[i] == other);
	return meets;
}

bool bdd_depends(struct bdds *b, bdd f, uint32_t var)
{
	const uint32_t prim = b->prims.at[var];
	uint32_t n = 0, at = UINT32_MAX;
	const uint32_t *w = NULL;
	if (!b->is_lazy) return depends_in(b, f, var);
	if (lacks(b->s, f, prim)) return false;
	// One member of many that becomes something else makes the whole something else.
	if (op_of(b->s, f) == FORMULA_OR || op_of(b->s, f) == FORMULA_AND)
		w = words(b->s, f, &n), at = only_member(b->s, w, n, prim);
	if (!at) return false;
	if (at != UINT32_MAX) {
		const formula no = assume(b, w[at], prim, false), yes = assume(b, w[at], prim, true);
		if (no == yes) return false;
		if (!meets_others(b->s, w, n, at, no) && !meets_others(b->s, w, n, at, yes)) return true;
	}
	return bdd_restrict(b, f, var, false) != bdd_restrict(b, f, var, true);
}

// A diagram when several variables are known, marked in `assumed`, the last of them `last`: one walk of it.
static bdd restrict_marked(struct bdds *b, bdd f, uint32_t last)
{
	const struct bdd_node x = b->nodes.at[f];
	if (f <= 1 || x.var > last) return f;
	const uint64_t done = map64_get(&b->marked, f);
	if (done != MAP64_NONE) return (bdd)done;
	const uint8_t known = b->assumed.at[x.var];
	bdd out;
	if (known != ASSUMED_NOTHING) {
		out = restrict_marked(b, known == ASSUMED_TRUE ? x.yes : x.no, last);
	} else {
		const bdd no = restrict_marked(b, x.no, last), yes = restrict_marked(b, x.yes, last);
		out = make(b, x.var, no, yes);
	}
	map64_put(&b->marked, f, out);
	return out;
}

#define FEW_VARS 6u  // are restricted one after the other: what each leaves is kept

void bdds_restrict(struct bdds *b, bdd *f, uint32_t n, const uint32_t *vars, uint32_t n_vars, bool value)
{
	uint32_t last = 0;
	if (!b->is_lazy && n_vars < FEW_VARS) {
		for (uint32_t k = 0; k < n_vars; k++)
			for (uint32_t i = 0; i < n; i++) f[i] = bdd_restrict(b, f[i], vars[k], value);
		return;
	}
	for (uint32_t k = 0; k < n_vars; k++) {
		const uint32_t at = b->is_lazy ? b->prims.at[vars[k]] : vars[k];
		while (b->assumed.n <= at || b->assumed.n < b->prims.n) vec_push(&b->assumed, ASSUMED_NOTHING);
		b->assumed.at[at] = value ? ASSUMED_TRUE : ASSUMED_FALSE;
		b->assumed_bits |= prim_bit(at);
		if (vars[k] > last) last = vars[k];
	}
	for (uint32_t i = 0; i < n; i++) f[i] = b->is_lazy ? assume_marked(b, f[i]) : restrict_marked(b, f[i], last);
	map64_release(&b->marked);
	b->assumed_bits = 0;
	for (uint32_t k = 0; k < n_vars; k++) b->assumed.at[b->is_lazy ? b->prims.at[vars[k]] : vars[k]] = ASSUMED_NOTHING;
}

void bdd_support(const struct bdds *b, const bdd *f, uint32_t n, u32_list *vars)
{
	struct map64 seen = {0};
	u32_list stack = {0};
	vec_clear(vars);
	if (b->is_lazy) {
		formula_prims(b->s, f, n, &seen, &stack);
		for (uint32_t i = 0; i < stack.n; i++) vec_push(vars, (uint32_t)map64_get(&b->var_of, stack.at[i]));
		stack.n = 0;
	}
	for (uint32_t i = 0; i < n && !b->is_lazy; i++) vec_push(&stack, f[i]);
	while (stack.n) {
		bdd x = vec_pop(&stack);
		if (x <= 1 || map64_get(&seen, x) != MAP64_NONE) continue;
		map64_put(&seen, x, 1);
		vec_push(vars, b->nodes.at[x].var);
		vec_push(&stack, b->nodes.at[x].no);
		vec_push(&stack, b->nodes.at[x].yes);
	}
	vars->n = unique(vars->at, vars->n);
	map64_release(&seen);
	vec_release(&stack);
}

void formula_literals(const struct schema *s, formula f, struct map64 *prims)
{
	if (f <= FORMULA_TRUE) return;
	uint32_t n, m;
	const uint32_t *w = words(s, f, &n);
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t *x = w[0] == FORMULA_AND ? words(s, w[i], &m) : w;
		if (x[0] == FORMULA_NOT) x = words(s, x[1], &m);
		if (x[0] == FORMULA_PRIM) map64_put(prims, x[1], 1);
		if (w[0] != FORMULA_AND) break;
	}
}

void formula_positive(const struct schema *s, formula f, void *to)
{
	u32_list *list = to;
	if (f <= FORMULA_TRUE) return;
	uint32_t n, m;
	const uint32_t *w = words(s, f, &n);
	if (w[0] == FORMULA_PRIM) vec_push(list, w[1]);
	for (uint32_t i = 1; w[0] == FORMULA_AND && i < n; i++) {
		const uint32_t *x = words(s, w[i], &m);
		if (x[0] == FORMULA_PRIM) vec_push(list, x[1]);
	}
}

void formula_prims(const struct schema *s, const formula *f, uint32_t n, struct map64 *seen, void *to)
{
	u32_list *list = to, stack = {0};
	for (uint32_t i = n; i-- > 0;) vec_push(&stack, f[i]);
	while (stack.n) {
		formula x = vec_pop(&stack);
		if (x <= FORMULA_TRUE || map64_get(seen, x) != MAP64_NONE) continue;
		map64_put(seen, x, 1);
		uint32_t m;
		const uint32_t *w = words(s, x, &m);
		if (w[0] == FORMULA_PRIM)
			vec_push(list, w[1]);
		else
			for (uint32_t i = m; i-- > 1;) vec_push(&stack, w[i]);
	}
	vec_release(&stack);
}

// Whether what a prim says holds it up (FORMULA_HELPS), or stands in its way (FORMULA_HINDERS), or both.
void formula_signs(const struct schema *s, formula f, struct map64 *signs)
{
	u32_list stack = {0};
	struct map64 seen = {0};
	vec_push(&stack, f * 2);
	while (stack.n) {
		const uint32_t x = vec_pop(&stack), negated = x & 1;
		if (x / 2 <= FORMULA_TRUE || map64_get(&seen, x) != MAP64_NONE) continue;
		map64_put(&seen, x, 1);
		uint32_t m;
		const uint32_t *w = words(s, x / 2, &m);
		if (w[0] == FORMULA_PRIM) {
			const uint64_t known = map64_get(signs, w[1]), sign = negated ? FORMULA_HINDERS : FORMULA_HELPS;
			map64_put(signs, w[1], known == MAP64_NONE ? sign : known | sign);
			continue;
		}
		for (uint32_t i = 1; i < m; i++) vec_push(&stack, w[i] * 2 + (negated ^ (w[0] == FORMULA_NOT)));
	}
	vec_release(&stack), map64_release(&seen);
}

// The members of a union, or those of the first union in a conjunction, each with all the rest. False: there is none.
bool formula_parts(struct schema *s, formula f, void *to)
{
	u32_list *list = to, all = {0};
	uint32_t n, m, at = 0;
	if (f <= FORMULA_TRUE) return false;
	const uint32_t *w = words(s, f, &n), *x = w;
	const enum formula_op op = (enum formula_op)w[0];
	for (uint32_t i = 1; i < n; i++) vec_push(&all, w[i]);
	if (op == FORMULA_AND)
		while (at < all.n && words(s, all.at[at], &m)[0] != FORMULA_OR) at++;
	const bool has = op == FORMULA_OR || (op == FORMULA_AND && at < all.n);
	u32_list members = {0};
	if (has) {
		x = words(s, op == FORMULA_OR ? f : all.at[at], &m);
		for (uint32_t i = 1; i < m; i++) vec_push(&members, x[i]);
	}
	for (uint32_t i = 0; i < members.n; i++) {
		if (op == FORMULA_AND) all.at[at] = members.at[i];
		vec_push(list, op == FORMULA_OR ? members.at[i] : formula_and(s, all.at, all.n));
	}
	vec_release(&all), vec_release(&members);
	return has;
}
