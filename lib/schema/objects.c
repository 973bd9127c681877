// Objects: conditions on entries to an automaton over keys, and that to productions.
//
// In:  a formula that must hold, formulas that have to be told apart. Out: productions of the objects.
// A state is what is left of the formulas (decision diagrams) after the entries so far, the place in the order of keys,
// and how many entries there were, as far as it matters. Keys fall into classes: each key that the conditions name, and
// what is left of the others by the patterns that match. An entry fixes what its key and its value decide: values are
// told apart only by schemas that make a difference then. So alternatives are followed together, as in the subset
// construction, and no conflict is left to the parser.
// Keys in order: Y(q) is an object up to the comma behind an entry that led to q, X(q) the same after keys were left
// out:
//     Y(q'): X(q) key ":" value ","    object: X(q) key ":" value "}"
//     X(q): Y(q) | X(p), p without its next key
// In any order: L(q'): Y(q) key ":" value    Y(q): L(q) ","    object: L(q) "}"
// Entries that lead from one state to the same other one are one nonterminal, which all states share.
// SCHEMA_ORDER_AUTO: the automaton is walked without productions first. If the schema's steps pass ORDER_MAX_STEPS,
// the keys whose presence counts have an order; if that is not enough, all named ones; at last those among them whose
// values are simple and tell alternatives apart come first. These come first with SCHEMA_ORDER_SCHEMA, too, where
// more than TOLD_MANY arrays or objects would have to be told apart at one value.
// Cost: states x classes; with named keys in order linear in the keys.
#include "../base/sort.h"
#include "internal.h"

#define ORDER_MAX_STEPS 6500u   // of a schema's automata whose keys come in any order, with SCHEMA_ORDER_AUTO
#define ORDER_FEW_STEPS 64u     // automata of so many are not counted
#define MANY_STATES 4000u       // of an object: where its keys come in any order, a warning names it
#define ORDER_MAX_UNDECIDED 6u  // arrays or objects that it may tell apart at one value
#define TOLD_MANY 62u           // the same, with the schema's order
#define FEW_VARS 8u             // conditions on a key: asked one by one
enum ordered { ORDERED_NONE, ORDERED_NEEDED, ORDERED_ALL, ORDERED_TELLING };  // keys that have an order

// An entry behind a state, and the state that it leads to.
struct step {
	uint32_t to;
	symbol pair;
};

struct state {
	uint32_t at;     // place in the order
	uint32_t count;  // entries
	const bdd *left;
	symbol list, next, after;  // L (keys in any order), Y, X
};

struct key_class {
	uint32_t key;    // of a named one, else UINT32_MAX
	language texts;  // of the others
	symbol terminal;
	u32_list vars;     // ALL prims that speak of it, ascending
	u32_list own;      // those of them that speak of no other key
	uint32_t has;      // its HAS prim's variable, or UINT32_MAX
	bool is_required;  // in any case: the condition that must hold says so until the key was there
	bool is_in_doubt;  // it is not known which conditions are about it: it does not come
};

struct machine {
	struct schema *s;
	const struct wanted *w;
	struct bdds b;
	VEC(struct key_class) classes;
	uint32_t n_ordered;       // the first so many, in this order
	bool is_dry;              // a walk without productions
	uint32_t most_undecided;  // then: at one value; behind it the walk is too large
	bool is_too_large;        // then: it has too many steps
	uint32_t n_steps;
	VEC(struct step) steps;  // behind the state at hand
	u32_list counts;         // variables of COUNT prims
	uint32_t most_count;
	struct intern state_names;
	VEC(struct state) states;
	u32_list support, excluders;  // scratch: variables that what is left may depend on
	u32_list queue;               // states whose Y is new
	u32_list after;               // states whose X is new
	symbol open, close, comma;
};

static uint32_t n_left(const struct machine *m) { return 1 + m->w->n_split; }

static struct prim prim_at(const struct machine *m, uint32_t var) { return m->b.prim.at[var]; }

static void restrict_all(struct machine *m, bdd *left, uint32_t var, bool value)
{
	left_restrict(&m->b, m->w, left, var, value);
}

// The key that a condition on the values of one key speaks of; UINT32_MAX: it is no such condition.
static uint32_t only_key(const struct schema *s, struct prim p)
{
	const struct keyset *k = p.kind == PRIM_ALL ? &s->keyset.at[p.a] : NULL;
	return k && !k->negated && k->n_keys == 1 && !k->n_patterns ? k->keys[0] : UINT32_MAX;
}

// The places in the order: single-key prims of a class whose turn is over.
static void pass_key(struct machine *m, bdd *left, const struct key_class *c, bool is_there)
{
	if (c->has != UINT32_MAX) restrict_all(m, left, c->has, is_there);
	bdds_restrict(&m->b, left, n_left(m), c->own.at, c->own.n, true);
}

static bool has_var(const u32_list *vars, uint32_t var)
{
	return vars->n && bsearch(&var, vars->at, vars->n, sizeof var, sort_compare_uint32_t);
}

// The conditions on these keys that what is left may depend on. All of them, where they are few.
static void find_live(struct machine *m, const struct key_class *c, const bdd *left, u32_list *live)
{
	const bool are_few = c->vars.n <= FEW_VARS;
	const u32_list *from = are_few ? &c->vars : &m->support;
	if (!are_few) bdd_support(&m->b, left, n_left(m), &m->support);
	for (uint32_t i = 0; i < from->n; i++)
		if (are_few || has_var(&c->vars, from->at[i])) vec_push(live, from->at[i]);
}

// The conditions that allow no value of some keys, of those that what is left may depend on.
static void find_excluders(struct machine *m, const bdd *left)
{
	bdd_support(&m->b, left, 1, &m->support);
	for (uint32_t i = 0; i < m->support.n; i++) {
		const struct prim p = prim_at(m, m->support.at[i]);
		if (p.kind == PRIM_ALL && p.b == ATOM_FALSE) vec_push(&m->excluders, m->support.at[i]);
	}
}

// Does a condition that is left allow no value of these keys?
static bool is_excluded(struct machine *m, const struct key_class *c, const bdd *left, bool *knows)
{
	const bool are_few = c->vars.n <= FEW_VARS;
	if (!are_few && !*knows) vec_clear(&m->excluders), find_excluders(m, left), *knows = true;
	const u32_list *vars = are_few ? &c->vars : &m->excluders;
	bool is_it = false;
	for (uint32_t i = 0; i < vars->n && !is_it; i++) {
		const bool speaks = are_few ? prim_at(m, vars->at[i]).b == ATOM_FALSE : has_var(&c->vars, vars->at[i]);
		is_it = speaks && bdd_refuted(&m->b, left[0], vars->at[i], false);
	}
	return is_it;
}

// The next place in the order whose key may come. So a state in one of many alternatives does not wait for the keys of
// the others.
static uint32_t next_place(struct machine *m, uint32_t at, bdd *left)
{
	const size_t size = n_left(m) * sizeof *left;
	bdd *passed = mem_alloc(size);
	bool knows = false;
	for (; at < m->n_ordered && is_excluded(m, &m->classes.at[at], left, &knows); at++) {
		memcpy(passed, left, size);
		pass_key(m, passed, &m->classes.at[at], false);
		if (!passed[0]) break;
		memcpy(left, passed, size);
	}
	free(passed);
	return at;
}

// The state at this place or behind it; `left` becomes what is left there.
static uint32_t state_number(struct machine *m, uint32_t at, uint32_t count, bdd *left)
{
	uint32_t n = n_left(m), *key = mem_alloc((n + 2) * sizeof *key);
	key[0] = next_place(m, at, left), key[1] = count;
	memcpy(key + 2, left, n * sizeof *key);
	bool is_new;
	uint32_t q = intern_add(&m->state_names, key, (n + 2) * sizeof *key, &is_new);
	free(key);
	if (is_new) {
		if (q >= SCHEMA_MAX_STATES) work_too_large("SCHEMA_MAX_STATES", SCHEMA_MAX_STATES);
		if (count >= SCHEMA_MAX_ENTRIES) {
			work_on("minProperties or maxProperties of", m->w->name, m->w->loc);
			work_too_large_for("SCHEMA_MAX_ENTRIES", SCHEMA_MAX_ENTRIES,
			                   "the parser has states for each entry that counts: lower the bound");
		}
		const uint32_t *kept = intern_get(&m->state_names, q, NULL);
		vec_push(&m->states, ((struct state){.at = kept[0], .count = count, .left = kept + 2}));
	}
	return q;
}

static symbol new_symbol(struct machine *m) { return m->is_dry ? 1 : rules_inner(m->s->rules, m->w->name, m->w->loc); }

static void add_rule(const struct machine *m, symbol lhs, const symbol *rhs, uint32_t n)
{
	if (!m->is_dry) rules_add(m->s->rules, lhs, rhs, n);
}

static symbol next_symbol(struct machine *m, uint32_t q)
{
	if (!m->states.at[q].next) {
		m->states.at[q].next = new_symbol(m);
		vec_push(&m->queue, q);
	}
	return m->states.at[q].next;
}

static symbol after_symbol(struct machine *m, uint32_t q)
{
	if (!m->states.at[q].after) {
		m->states.at[q].after = new_symbol(m);
		vec_push(&m->after, q);
	}
	return m->states.at[q].after;
}

static bool prim_at_end(const void *user, struct prim p)
{
	const struct state *q = user;
	return p.kind == PRIM_ALL || (p.kind == PRIM_COUNT && q->count >= p.a);
}

// The truth when the object ends here; false: it may not.
static bool truth_at_end(const struct machine *m, const struct state *q, truth *out)
{
	return left_truth(&m->b, m->w, q->left, prim_at_end, q, out);
}

// The productions of an entry behind `from` that leads to state q.
static void add_step(struct machine *m, symbol from, symbol pair, uint32_t q)
{
	struct rules *r = m->s->rules;
	truth t;
	if (m->is_dry) {
		next_symbol(m, q);
		m->n_steps++;
		if (m->s->o->order == SCHEMA_ORDER_AUTO)
			m->is_too_large |= m->n_steps > ORDER_FEW_STEPS && m->s->n_order_steps + m->n_steps > ORDER_MAX_STEPS;
		return;
	}
	if (m->n_ordered) {
		const symbol more[] = {from, pair, m->comma}, end[] = {from, pair, m->close};
		rules_add(r, next_symbol(m, q), more, 3);
		if (truth_at_end(m, &m->states.at[q], &t)) rules_add(r, m->w->result(m->w->user, t), end, 3);
		return;
	}
	// Where many entries lead to one state, a list that ends there is one nonterminal.
	bool is_new = !m->states.at[q].list;
	if (is_new) m->states.at[q].list = new_symbol(m);
	const symbol list = m->states.at[q].list, rhs[] = {from, pair}, more[] = {list, m->comma}, end[] = {list, m->close};
	rules_add(r, list, rhs, 2);
	if (!is_new) return;
	if (truth_at_end(m, &m->states.at[q], &t)) rules_add(r, m->w->result(m->w->user, t), end, 2);
	rules_add(r, next_symbol(m, q), more, 2);
}

static int by_target(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	if (x->to != y->to) return x->to < y->to ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

// The steps that were found behind `from`: those to one state together.
static void add_steps(struct machine *m, symbol from)
{
	symbol_list same = {0};
	if (m->steps.n) qsort(m->steps.at, m->steps.n, sizeof *m->steps.at, by_target);
	for (uint32_t i = 0; i < m->steps.n; i++) {
		const struct step x = m->steps.at[i];
		vec_push(&same, x.pair);
		if (i + 1 < m->steps.n && m->steps.at[i + 1].to == x.to) continue;
		symbol entry = m->is_dry || same.n == 1 ? x.pair : rules_any_of(m->s->rules, same.at, same.n);
		add_step(m, from, entry, x.to);
		vec_clear(&same);
	}
	vec_release(&same);
	vec_clear(&m->steps);
}

// Would a walk in any order tell too much apart at this value?
static bool is_too_wide(struct machine *m, const struct entry *e)
{
	if (!m->is_dry || !e->split.n) return false;
	const struct place place = entry_place(e);
	const uint32_t n = place_undecided(m->s, &place);
	m->is_too_large |= n > m->most_undecided;
	return m->is_too_large && n != UINT32_MAX;
}

// What these conditions on a key say of the value. False: no such entry may come.
static bool sort_atoms(struct machine *m, const u32_list *vars, struct entry *e, bdd *left)
{
	u32_list none = {0};  // conditions that no value satisfies
	for (uint32_t i = 0; i < vars->n; i++)
		if (prim_at(m, vars->at[i]).b == ATOM_FALSE) vec_push(&none, vars->at[i]);
	bdds_restrict(&m->b, left, n_left(m), none.at, none.n, false);
	vec_release(&none);
	if (!left[0]) return false;
	for (uint32_t i = 0; i < vars->n; i++) {
		const uint32_t var = vars->at[i];
		const atom a = prim_at(m, var).b;
		if (a != ATOM_FALSE && left_depends(&m->b, m->w, left, var))
			entry_atom(e, a, bdd_refuted(&m->b, left[0], var, false));
	}
	entry_settle(e);
	return true;
}

// What is left behind an entry whose value, of which these conditions speak, has this truth. *count: entries, with it.
// False: it may not come.
static bool restrict_by_entry(struct machine *m, const u32_list *vars, const struct entry *e, truth t, bdd *left,
                              uint32_t *count)
{
	u32_list fail = {0};
	for (uint32_t i = 0; i < vars->n; i++)
		if (!entry_is_in(m->s, e, prim_at(m, vars->at[i]).b, t)) vec_push(&fail, vars->at[i]);
	bdds_restrict(&m->b, left, n_left(m), fail.at, fail.n, false);
	vec_release(&fail);
	if (*count == m->most_count) return left[0];
	++*count;
	for (uint32_t i = 0; i < m->counts.n; i++)
		if (prim_at(m, m->counts.at[i]).a <= *count) restrict_all(m, left, m->counts.at[i], true);
	return left[0];
}

// All texts that are regular expressions, as one automaton?
static bool is_regex(const struct machine *m, const struct key_class *c)
{
	return c->key == UINT32_MAX && c->texts && c->texts == m->s->nested_regex;
}

static symbol terminal_of(struct machine *m, struct key_class *c)
{
	if (!c->terminal && is_regex(m, c)) c->terminal = rules_nonterminal(m->s->rules, "regex", m->w->loc) + 1;
	if (!c->terminal) {
		uint32_t len = 0;
		const char *text = c->key == UINT32_MAX ? NULL : intern_get(&m->s->keys, c->key, &len);
		const struct strings x = {c->texts, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
		c->terminal = (text ? rules_key(m->s->rules, text, len) : rules_strings(m->s->rules, x, "another key")) + 1;
	}
	return c->terminal - 1;
}

// Steps behind `from`: the values with these truths, each to its state.
static bool put_steps(struct machine *m, struct key_class *c, const struct entry *e, const u32_list *asked,
                      const u32_list *to, symbol from)
{
	struct place place = entry_place(e);
	symbol_list pairs = {0};
	bool ok = true;
	place.asked = asked;
	for (uint32_t i = 0; i < to->n && ok; i++) {
		const symbol value = m->is_dry ? 1 : place_symbol(m->s, &place, asked->at[i]);
		ok = value != NO_SYMBOL;
		if (ok) vec_push(&pairs, m->is_dry ? 1 : rules_pair(m->s->rules, terminal_of(m, c), value));
		if (ok) vec_push(&m->steps, ((struct step){to->at[i], pairs.at[i]}));
	}
	if (ok && !m->is_dry) told_apart_note(m->s, &place, from, pairs.at, pairs.n);
	vec_release(&pairs);
	return ok;
}

// Entries of class c from state q: steps of what comes of each kind of value.
static bool find_entries(struct machine *m, uint32_t q, uint32_t number, bool ordered)
{
	struct key_class *c = &m->classes.at[number];
	const uint32_t n = n_left(m), at = m->states.at[q].at + ordered;
	if (c->is_in_doubt) return true;
	if (c->is_required && !left_depends(&m->b, m->w, m->states.at[q].left, c->has)) return true;  // it was there
	bdd *left = mem_alloc(2 * n * sizeof *left), *base = left + n;
	memcpy(base, m->states.at[q].left, n * sizeof *base);
	struct entry e = {0};
	u32_list asked = {0}, to = {0}, live = {0};
	find_live(m, c, base, &live);
	bool may_come = sort_atoms(m, &live, &e, base) && !is_too_wide(m, &e), ok = !may_come || entry_truths(m->s, &e);
	for (uint32_t t = 0; t < e.truths.n && ok; t++) {
		uint32_t count = m->states.at[q].count;
		memcpy(left, base, n * sizeof *left);
		if (!restrict_by_entry(m, &live, &e, e.truths.at[t], left, &count)) continue;
		if (ordered)
			pass_key(m, left, c, true);
		else if (c->has != UINT32_MAX)
			restrict_all(m, left, c->has, true);
		if (!left[0]) continue;
		vec_push(&asked, e.truths.at[t]), vec_push(&to, state_number(m, at, count, left));
	}
	if (ok) ok = put_steps(m, c, &e, &asked, &to, ordered ? m->states.at[q].after : m->states.at[q].next);
	vec_release(&asked), vec_release(&to), vec_release(&live);
	free(left);
	entry_release(&e);
	return ok;
}

// ---- classes of keys, order of variables ----

static void add_class(struct machine *m, struct map64 *known, uint32_t key)
{
	if (map64_get(known, key) != MAP64_NONE) return;
	map64_put(known, key, m->classes.n);
	vec_push(&m->classes, ((struct key_class){.key = key, .has = UINT32_MAX}));
}

// Keys that no condition names, by the patterns that match them.
static void add_others(struct machine *m, const u32_list *patterns)
{
	struct schema *s = m->s;
	language unknown = LANGUAGE_NOTHING;
	for (uint32_t i = 0; i < s->doubts.n; i++)
		for (uint32_t k = 0; k < patterns->n; k++)
			if (patterns->at[k] == s->doubts.at[i].of)
				unknown = language_or(s->languages, unknown, s->doubts.at[i].unknown);
	VEC(struct language_text) texts = {0};
	for (uint32_t i = 0; i < m->classes.n; i++) {
		uint32_t len;
		const char *text = intern_get(&s->keys, m->classes.at[i].key, &len);
		vec_push(&texts, ((struct language_text){text, len}));
	}
	language named = language_or(s->languages, language_of_texts(s->languages, texts.at, texts.n), unknown);
	for (uint32_t i = 0; i < texts.n; i++)
		m->classes.at[i].is_in_doubt = language_has(s->languages, unknown, texts.at[i].text, texts.at[i].len);
	vec_release(&texts);
	uint32_t first = m->classes.n;
	vec_push(&m->classes,
	         ((struct key_class){.key = UINT32_MAX, .texts = language_not(s->languages, named), .has = UINT32_MAX}));
	for (uint32_t k = 0; k < patterns->n; k++)
		for (uint32_t i = first, n = m->classes.n; i < n; i++) {
			language all = m->classes.at[i].texts, in = language_and(s->languages, all, patterns->at[k]);
			language out = language_minus(s->languages, all, patterns->at[k]);
			m->classes.at[i].texts = out ? out : in;
			if (in && out)
				vec_push(&m->classes, ((struct key_class){.key = UINT32_MAX, .texts = in, .has = UINT32_MAX}));
			if (m->classes.n - first > SCHEMA_MAX_CLASSES) work_too_large("SCHEMA_MAX_CLASSES", SCHEMA_MAX_CLASSES);
		}
	if (m->classes.n > first && !m->classes.at[first].texts) m->classes.n = first;
}

static bool class_in(const struct machine *m, const struct key_class *c, uint32_t set)
{
	if (c->key != UINT32_MAX) return keyset_has(m->s, set, c->key);
	const struct keyset *k = &m->s->keyset.at[set];
	bool in = false;  // others are in no list of names; of each pattern they are all or none
	for (uint32_t i = 0; i < k->n_patterns && !in; i++)
		in = language_and(m->s->languages, c->texts, k->patterns[i]) != LANGUAGE_NOTHING;
	return in != k->negated;
}

// Keys that a prim names, of these: those of the order that stands in the schema come first, then as they are met.
static void add_named(struct machine *m, const u32_list *prims, const struct map64 *these, struct map64 *known)
{
	struct schema *s = m->s;
	uint32_t len = 0;
	const uint32_t *order = m->w->order ? intern_get(&s->orders, m->w->order, &len) : NULL;
	for (uint32_t i = 0; i < len / 4; i++)
		if (map64_get(these, order[i]) != MAP64_NONE) add_class(m, known, order[i]);
	for (uint32_t i = 0; i < prims->n; i++) {
		struct prim p = prim_of(s, prims->at[i]);
		if (p.kind == PRIM_HAS && map64_get(these, p.a) != MAP64_NONE) add_class(m, known, p.a);
		if (p.kind != PRIM_ALL) continue;
		const struct keyset *k = &s->keyset.at[p.a];
		for (uint32_t j = 0; j < k->n_keys; j++)
			if (map64_get(these, k->keys[j]) != MAP64_NONE) add_class(m, known, k->keys[j]);
	}
}

// The keys and patterns that the prims name, each once; the keys whose presence counts also in `needed`.
static void find_named(struct schema *s, const u32_list *prims, struct map64 *named, struct map64 *needed,
                       u32_list *patterns)
{
	for (uint32_t i = 0; i < prims->n; i++) {
		struct prim p = prim_of(s, prims->at[i]);
		if (p.kind == PRIM_HAS) map64_put(named, p.a, 1), map64_put(needed, p.a, 1);
		if (p.kind != PRIM_ALL) continue;
		const struct keyset *k = &s->keyset.at[p.a];
		for (uint32_t j = 0; j < k->n_keys; j++) map64_put(named, k->keys[j], 1);
		for (uint32_t j = 0; j < k->n_patterns; j++) {
			uint32_t at = 0;
			while (at < patterns->n && patterns->at[at] != k->patterns[j]) at++;
			if (at == patterns->n) vec_push(patterns, k->patterns[j]);
		}
	}
}

// Variables of what holds in any case: sets of many keys, then key by key, then counts. Behind them those of
// alternatives, each alternative's together: a union of conjunctions is as small as they are, then.
static void number_variables(struct machine *m, const u32_list *prims, const struct map64 *known)
{
	struct schema *s = m->s;
	struct map64 certain = {0};
	ranked_list ranked = {0};
	formula_literals(s, m->w->must, &certain);
	for (uint32_t i = 0; i < prims->n; i++) {
		struct prim p = prim_of(s, prims->at[i]);
		uint64_t rank = UINT64_MAX;
		if (p.kind == PRIM_HAS) rank = 2 * map64_get(known, p.a) + 2;
		if (p.kind == PRIM_ALL) {
			const uint32_t key = only_key(s, p);
			rank = key == UINT32_MAX ? 0 : 2 * map64_get(known, key) + 1;
		}
		if (map64_get(&certain, prims->at[i]) == MAP64_NONE) rank = ((uint64_t)1 << 40) + i;
		vec_push(&ranked, ((struct ranked){rank, prims->at[i]}));
	}
	bdds_number(&m->b, &ranked);
	map64_release(&certain);
	vec_release(&ranked);
}

// The keys of which alternatives say different things, all of them about simple values: what comes behind such a key
// need not be told apart. False after an error.
static bool find_telling(struct schema *s, const u32_list *prims, struct map64 *telling)
{
	struct map64 first = {0}, nested = {0};  // the schema of a key that was met first; keys with arrays or objects
	u32_list several = {0};                  // keys with different schemas
	bool ok = true;
	for (uint32_t i = 0; i < prims->n && ok; i++) {
		const struct prim p = prim_of(s, prims->at[i]);
		const uint32_t key = only_key(s, p);
		if (key == UINT32_MAX) continue;
		const struct value *v = atom_value(s, p.b);
		ok = v != NULL;
		if (ok && (v->array > FORMULA_TRUE || v->object > FORMULA_TRUE)) map64_put(&nested, key, 1);
		if (map64_get(&first, key) == MAP64_NONE) map64_put(&first, key, p.b);
		if (map64_get(&first, key) != p.b) vec_push(&several, key);
	}
	for (uint32_t i = 0; i < several.n; i++)
		if (map64_get(&nested, several.at[i]) == MAP64_NONE) map64_put(telling, several.at[i], 1);
	map64_release(&first), map64_release(&nested);
	vec_release(&several);
	return ok;
}

// The keys that a condition on values speaks of.
static void add_to_classes(struct machine *m, uint32_t var, struct prim p, const struct map64 *known)
{
	const uint32_t key = only_key(m->s, p);
	if (key != UINT32_MAX) {
		struct key_class *c = &m->classes.at[map64_get(known, key)];
		vec_push(&c->vars, var), vec_push(&c->own, var);
		return;
	}
	for (uint32_t i = 0; i < m->classes.n; i++)
		if (class_in(m, &m->classes.at[i], p.a)) vec_push(&m->classes.at[i].vars, var);
}

// False after an error.
static bool prepare(struct machine *m, enum ordered ordered)
{
	struct map64 known = {0}, named = {0}, needed = {0}, required = {0}, telling = {0};
	u32_list prims = {0}, patterns = {0}, positive = {0};
	wanted_prims(m->s, m->w, &prims);
	formula_positive(m->s, m->w->must, &positive);
	for (uint32_t i = 0; i < positive.n; i++) map64_put(&required, positive.at[i], 1);
	find_named(m->s, &prims, &named, &needed, &patterns);
	const bool ok = ordered != ORDERED_TELLING || find_telling(m->s, &prims, &telling);
	if (ordered == ORDERED_TELLING) add_named(m, &prims, &telling, &known);
	if (ordered == ORDERED_NEEDED) add_named(m, &prims, &needed, &known);
	m->n_ordered = m->classes.n;
	add_named(m, &prims, &named, &known);
	if (ordered >= ORDERED_ALL) m->n_ordered = m->classes.n;
	number_variables(m, &prims, &known);
	add_others(m, &patterns);
	for (uint32_t var = 0; var < m->b.prims.n; var++) {
		struct prim p = prim_at(m, var);
		if (p.kind == PRIM_COUNT) {
			vec_push(&m->counts, var);
			if (p.a > m->most_count) m->most_count = p.a;
		} else if (p.kind == PRIM_HAS) {
			struct key_class *c = &m->classes.at[map64_get(&known, p.a)];
			c->has = var, c->is_required = map64_get(&required, m->b.prims.at[var]) != MAP64_NONE;
		} else {
			add_to_classes(m, var, p, &known);
		}
	}
	map64_release(&known), map64_release(&named), map64_release(&needed), map64_release(&required);
	map64_release(&telling);
	vec_release(&prims), vec_release(&patterns), vec_release(&positive);
	return ok;
}

// X(q), without its next key.
static void leave_out(struct machine *m, uint32_t q, symbol from)
{
	const uint32_t at = m->states.at[q].at;
	bdd *left = mem_alloc(n_left(m) * sizeof *left);
	memcpy(left, m->states.at[q].left, n_left(m) * sizeof *left);
	pass_key(m, left, &m->classes.at[at], false);
	if (left[0]) {
		uint32_t to = state_number(m, at + 1, m->states.at[q].count, left);
		if (m->states.at[to].at < m->n_ordered) add_rule(m, after_symbol(m, to), &from, 1);
	}
	free(left);
}

static void look_at_size(struct machine *m)
{
	m->is_too_large |= m->is_dry && (m->b.nodes.n > SCHEMA_MAX_FORMULA / 4 || m->states.n > SCHEMA_MAX_STATES / 2);
}

static bool explore(struct machine *m)
{
	bool ok = true;
	for (uint32_t i = 0, j = 0; ok && !m->is_too_large && (i < m->queue.n || j < m->after.n); look_at_size(m)) {
		if (j < m->after.n) {
			uint32_t q = m->after.at[j++], at = m->states.at[q].at;
			if (at >= m->n_ordered) continue;
			symbol from = m->states.at[q].after;
			ok = find_entries(m, q, at, true);
			add_steps(m, from);
			if (ok) leave_out(m, q, from);
			continue;
		}
		uint32_t q = m->queue.at[i++];
		symbol from = m->states.at[q].next;
		for (uint32_t c = m->n_ordered; c < m->classes.n && ok && !m->is_too_large; c++)
			ok = find_entries(m, q, c, false);
		add_steps(m, from);
		if (m->states.at[q].at < m->n_ordered) add_rule(m, after_symbol(m, q), &from, 1);
	}
	return ok;
}

// Keys that are regular expressions: where no others come, they are read as strings are, and groups nest at will.
static void write_regex_keys(struct machine *m)
{
	const struct key_class *regex = NULL;
	bool alone = true;
	for (uint32_t i = 0; i < m->classes.n; i++) {
		const struct key_class *c = &m->classes.at[i];
		if (c->terminal && is_regex(m, c)) regex = c;
		alone &= !c->terminal || is_regex(m, c);
	}
	if (!regex) return;
	const struct strings all = {LANGUAGE_ANY, 0, TERM_UNBOUNDED, SYNTAX_REGEX, 0},
						 some = {regex->texts, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	const symbol key = rules_strings(m->s->rules, alone ? all : some, "another key");
	rules_add(m->s->rules, regex->terminal - 1, &key, 1);
}

static void machine_release(struct machine *m)
{
	for (uint32_t i = 0; i < m->classes.n; i++) vec_release(&m->classes.at[i].vars), vec_release(&m->classes.at[i].own);
	vec_release(&m->classes), vec_release(&m->counts), vec_release(&m->states), vec_release(&m->queue),
		vec_release(&m->after), vec_release(&m->steps), vec_release(&m->support), vec_release(&m->excluders);
	intern_release(&m->state_names);
	bdds_release(&m->b);
}

// With these keys in order: all productions, or (dry) whether there are few enough steps.
static bool build(struct schema *s, const struct wanted *w, enum ordered ordered, bool is_dry, bool *is_small)
{
	const bool is_auto = s->o->order == SCHEMA_ORDER_AUTO;
	struct machine m = {.s = s, .w = w, .is_dry = is_dry};
	m.most_undecided = is_auto ? ORDER_MAX_UNDECIDED : TOLD_MANY;
	bdds_init(&m.b, s);
	bool ok = prepare(&m, ordered);
	m.open = rules_sign(s->rules, '{'), m.close = rules_sign(s->rules, '}');
	m.comma = rules_sign(s->rules, ',');
	bdd *left = mem_alloc(n_left(&m) * sizeof *left);
	left_begin(&m.b, w, left);
	if (ok && left[0]) {
		uint32_t q = state_number(&m, 0, 0, left);
		truth t;
		add_rule(&m, next_symbol(&m, q), &m.open, 1);
		if (!is_dry && truth_at_end(&m, &m.states.at[q], &t)) rules_add_empty(s->rules, w->result(w->user, t), true);
		ok = explore(&m);
		if (ok) write_regex_keys(&m);
	}
	*is_small = !m.is_too_large;
	if (!is_dry && !s->settles && ordered == ORDERED_NONE && m.states.n >= MANY_STATES)
		schema_warning(
			s, w->loc,
			"%s: keys in any order take %u sets of keys that are there; where that is too many, --order auto "
			"has required keys in the schema's order [schema-order]",
			w->name, m.states.n);
	if (is_dry && *is_small && m.n_steps > ORDER_FEW_STEPS) s->n_order_steps += m.n_steps;
	free(left);
	machine_release(&m);
	return ok;
}

// Do many conditions speak of the values of one key, each of another schema, and tells another key them apart?
static bool may_tell_first(struct schema *s, const struct wanted *w)
{
	struct map64 n = {0};
	u32_list prims = {0};
	bool many = false;
	wanted_prims(s, w, &prims);
	for (uint32_t i = 0; i < prims.n && prims.n > TOLD_MANY && !many; i++) {
		const uint32_t key = only_key(s, prim_of(s, prims.at[i]));
		if (key == UINT32_MAX) continue;
		const uint64_t known = map64_get(&n, key);
		many = known == TOLD_MANY;
		map64_put(&n, key, known == MAP64_NONE ? 1 : known + 1);
	}
	struct map64 telling = {0};
	many = many && find_telling(s, &prims, &telling) && telling.n;
	map64_release(&n), map64_release(&telling), vec_release(&prims);
	return many;
}

// Which keys come in an order? False after an error.
static bool choose_order(struct schema *s, const struct wanted *w, uint32_t *ordered)
{
	const bool may_order = s->o->order == SCHEMA_ORDER_AUTO, in_schema_order = s->o->order == SCHEMA_ORDER_SCHEMA;
	*ordered = in_schema_order || w->in_order ? ORDERED_ALL : ORDERED_NONE;
	bool is_small = w->in_order || (!may_order && !(in_schema_order && may_tell_first(s, w))), ok = true;
	while (!is_small && *ordered < ORDERED_TELLING && ok) {
		ok = build(s, w, *ordered, true, &is_small);
		*ordered += !is_small;
	}
	return ok;
}

static void warn_of_order(struct schema *s, const struct wanted *w, uint32_t ordered)
{
	static const char *const kept[] = {"", "that are required come in the schema's order", "come in the schema's order",
	                                   "come in the schema's order, those first whose values tell alternatives apart"};
	const bool may_order = s->o->order == SCHEMA_ORDER_AUTO;
	const char *why = may_order ? "too many sets of keys have to be told apart"
	                            : "too many alternatives have to be told apart at one value";
	if (!ordered || s->settles || (!may_order && ordered != ORDERED_TELLING)) return;
	// Objects of one place may be made several times, as different things have to be told apart: it is named once.
	bool is_new;
	const char *place = arena_printf(s->arena, "order %p:%u %s", (const void *)w->loc.source, w->loc.offset, w->name);
	intern_add(&s->said, place, strlen(place), &is_new);
	if (!is_new) return;
	if (w->in_order) why = "values left are counted for uniqueItems";
	schema_warning(s, w->loc, "%s: %s: keys %s [schema-order]", w->name, why,
	               w->in_order ? "come in one order" : kept[ordered]);
}

bool objects_build(struct schema *s, const struct wanted *w)
{
	uint32_t ordered;
	bool is_small;
	if (!choose_order(s, w, &ordered)) return false;
	warn_of_order(s, w, ordered);
	return build(s, w, ordered, false, &is_small);
}
