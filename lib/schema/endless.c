// Are there always infinitely many values left? Then an item can become unlike any number of others.
//
// In:  a value. Out: whether it is endless: each beginning of one of its texts, up to the byte that closes it, begins
// infinitely many. true, false, null stand beside, since their first byte tells them; zero, too.
// Strings: all states of a minimal automaton are on the way to a text. So infinitely many are left of each exactly when
// each has an edge: who can always go on comes to a cycle.
// Arrays: behind the places that conditions name items of infinitely many lengths may come.
// Objects: keys that no condition names may come, infinitely many; or, where keys stand in any order, one that no
// condition asks for and that has infinitely many values comes again, and its last value counts. Conditions that are no
// part of a conjunction may name none of these keys: then such a key changes none of them.
// Where that is not plain to see the answer is no. Cost: linear in the automata and the conditions.
#include "internal.h"

#define MOST_NESTED 4u  // schemas in each other that are looked at

// Has the automaton a cycle? States that nothing leads to are taken away, until all are gone or none is left to take.
static bool has_cycle(const struct term_automaton *a)
{
	uint32_t *n_into = mem_calloc(a->n_states, sizeof *n_into), left = a->n_states;
	u32_list free_ones = {0};
	for (uint32_t e = 0; e < a->n_edges; e++) n_into[term_automaton_to(a, e)]++;
	for (uint32_t q = 0; q < a->n_states; q++)
		if (!n_into[q]) vec_push(&free_ones, q);
	while (free_ones.n) {
		const uint32_t q = vec_pop(&free_ones);
		left--;
		for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++)
			if (!--n_into[term_automaton_to(a, e)]) vec_push(&free_ones, term_automaton_to(a, e));
	}
	free(n_into), vec_release(&free_ones);
	return left;
}

static bool always_goes_on(const struct term_automaton *a)
{
	bool goes_on = true;
	for (uint32_t q = 0; q < a->n_states && goes_on; q++)
		goes_on = term_automaton_first(a, q) < term_automaton_first(a, q + 1);
	return goes_on;
}

static bool ask_language(struct schema *s, language l, bool (*is)(const struct term_automaton *a))
{
	struct arena arena = {0};
	if (!l) return false;
	const struct term_automaton a = term_automaton_read(language_term(s->languages, l, (struct loc){0}, &arena)->text);
	bool answer = is(&a);
	arena_release(&arena);
	return answer;
}

static bool strings_are_endless(struct schema *s, struct strings x)
{
	if (x.syntax) return false;
	if (x.of == LANGUAGE_ANY) return x.most == TERM_UNBOUNDED;
	return ask_language(s, strings_language(s, x), always_goes_on);
}

static bool strings_are_infinite(struct schema *s, struct strings x)
{
	if (x.syntax) return false;
	if (x.of == LANGUAGE_ANY) return x.most == TERM_UNBOUNDED;
	return ask_language(s, strings_language(s, x), has_cycle);
}

// ---- Conditions.
// A formula's prims, and which of them hold in any case.
struct conditions {
	u32_list prims;
	struct map64 certain;
};

static void conditions_of(struct schema *s, formula f, struct conditions *c)
{
	struct map64 seen = {0};
	u32_list certain = {0};
	formula_prims(s, &f, 1, &seen, &c->prims);
	formula_positive(s, f, &certain);
	for (uint32_t i = 0; i < certain.n; i++) map64_put(&c->certain, certain.at[i], 1);
	map64_release(&seen), vec_release(&certain);
}

static void conditions_release(struct conditions *c) { vec_release(&c->prims), map64_release(&c->certain); }

static bool is_certain(const struct conditions *c, uint32_t prim) { return map64_get(&c->certain, prim) != MAP64_NONE; }

static bool is_inhabited(struct schema *s, const struct value *v, uint32_t depth);
static bool is_infinite(struct schema *s, const struct value *v, uint32_t depth);

static bool add_atom(struct schema *s, atom a, struct value *all)
{
	const struct value *one = atom_value(s, a);
	if (one) *all = value_and(s, *all, *one);
	return one;
}

// What keys may come again and again: one by its number, or those of a language that no list names.
struct keys {
	uint32_t key;      // UINT32_MAX: others
	uint32_t pattern;  // of them: the only one that they match, or UINT32_MAX
};

static bool keys_are_in(const struct schema *s, const struct keys *x, uint32_t set)
{
	const struct keyset *k = &s->keyset.at[set];
	if (x->key != UINT32_MAX) return keyset_has(s, set, x->key);
	bool in = false;
	for (uint32_t i = 0; i < k->n_patterns; i++) in |= k->patterns[i] == x->pattern;
	return in != k->negated;
}

// The values that they have. False: some condition may become another one by such a key.
static bool values_of_keys(struct schema *s, const struct conditions *c, const struct keys *x, struct value *all)
{
	bool ok = true;
	*all = value_any();
	for (uint32_t i = 0; i < c->prims.n && ok; i++) {
		const struct prim p = prim_of(s, c->prims.at[i]);
		const bool speaks = p.kind == PRIM_COUNT || (p.kind == PRIM_HAS && p.a == x->key) ||
		                    (p.kind == PRIM_ALL && keys_are_in(s, x, p.a));
		ok = !speaks || is_certain(c, c->prims.at[i]);
		if (speaks && ok && p.kind == PRIM_ALL) ok = add_atom(s, p.b, all);
	}
	return ok;
}

// Every pattern and name of the conditions; the names as a language.
static language names_of(struct schema *s, const struct conditions *c, u32_list *keys, u32_list *patterns)
{
	VEC(struct language_text) texts = {0};
	for (uint32_t i = 0; i < c->prims.n; i++) {
		const struct prim p = prim_of(s, c->prims.at[i]);
		if (p.kind == PRIM_HAS) vec_push(keys, p.a);
		if (p.kind != PRIM_ALL) continue;
		const struct keyset *k = &s->keyset.at[p.a];
		for (uint32_t j = 0; j < k->n_keys; j++) vec_push(keys, k->keys[j]);
		for (uint32_t j = 0; j < k->n_patterns; j++) vec_push(patterns, k->patterns[j]);
	}
	for (uint32_t i = 0; i < keys->n; i++) {
		uint32_t len;
		const char *text = intern_get(&s->keys, keys->at[i], &len);
		vec_push(&texts, ((struct language_text){text, len}));
	}
	language l = language_of_texts(s->languages, texts.at, texts.n);
	vec_release(&texts);
	return l;
}

// Keys that no list names: those of pattern number `at`, or (at == patterns.n) of none; are they endless?
static bool others_are_endless(struct schema *s, const struct conditions *c, language named, const u32_list *patterns,
                               uint32_t at, uint32_t depth)
{
	const struct keys x = {UINT32_MAX, at < patterns->n ? patterns->at[at] : UINT32_MAX};
	struct value all;
	if (!values_of_keys(s, c, &x, &all) || !is_inhabited(s, &all, depth)) return false;
	language l = at < patterns->n ? x.pattern : LANGUAGE_ANY;
	for (uint32_t i = 0; i < patterns->n; i++)
		if (patterns->at[i] != x.pattern) l = language_minus(s->languages, l, patterns->at[i]);
	return ask_language(s, language_minus(s->languages, l, named), has_cycle);
}

// Such a key comes once.
static bool is_asked_for(const struct schema *s, const struct conditions *c, uint32_t key)
{
	bool is = false;
	for (uint32_t i = 0; i < c->prims.n && !is; i++) {
		const struct prim p = prim_of(s, c->prims.at[i]);
		is = p.kind == PRIM_HAS && p.a == key;
	}
	return is;
}

static bool object_is_endless(struct schema *s, formula f, uint32_t depth)
{
	if (f <= FORMULA_TRUE || !depth) return f <= FORMULA_TRUE;  // none, or all
	struct conditions c = {0};
	u32_list keys = {0}, patterns = {0};
	conditions_of(s, f, &c);
	const language named = names_of(s, &c, &keys, &patterns);
	bool is = false;
	for (uint32_t i = patterns.n + 1; i-- && !is;) is = others_are_endless(s, &c, named, &patterns, i, depth);
	for (uint32_t i = 0; i < keys.n && !is && s->o->order == SCHEMA_ORDER_ANY; i++) {
		const struct keys x = {keys.at[i], UINT32_MAX};
		struct value all;
		is = !is_asked_for(s, &c, keys.at[i]) && values_of_keys(s, &c, &x, &all) && is_infinite(s, &all, depth);
	}
	vec_release(&keys), vec_release(&patterns), conditions_release(&c);
	return is;
}

// Items behind all places that conditions name, as many as one likes. Where they must differ, infinitely many.
static bool array_is_endless(struct schema *s, formula f, uint32_t depth)
{
	if (f <= FORMULA_TRUE || !depth) return f <= FORMULA_TRUE;  // none, or all
	struct conditions c = {0};
	struct value all = value_any();
	bool is = true, differ = false;
	conditions_of(s, f, &c);
	for (uint32_t i = 0; i < c.prims.n && is; i++) {
		const struct prim p = prim_of(s, c.prims.at[i]);
		if (p.kind == PRIM_ITEMS && p.b != UINT32_MAX) continue;
		is = is_certain(&c, c.prims.at[i]) && (p.kind != PRIM_ITEMS || add_atom(s, p.c, &all));
		differ |= p.kind == PRIM_UNIQUE;
	}
	is = is && (differ ? is_infinite(s, &all, depth) : is_inhabited(s, &all, depth));
	conditions_release(&c);
	return is;
}

// ---- Values.
// May it be empty?
static bool array_is_inhabited(struct schema *s, formula f)
{
	if (f <= FORMULA_TRUE) return f == FORMULA_TRUE;
	struct conditions c = {0};
	conditions_of(s, f, &c);
	bool is = true;
	for (uint32_t i = 0; i < c.prims.n && is; i++) {
		const enum prim_kind kind = prim_of(s, c.prims.at[i]).kind;
		is = is_certain(&c, c.prims.at[i]) && (kind == PRIM_ITEMS || kind == PRIM_UNIQUE);
	}
	conditions_release(&c);
	return is;
}

// Has each required key a value, and is nothing else asked for?
static bool object_is_inhabited(struct schema *s, formula f, uint32_t depth)
{
	if (f <= FORMULA_TRUE || !depth) return f == FORMULA_TRUE;
	struct conditions c = {0};
	conditions_of(s, f, &c);
	bool is = true;
	for (uint32_t i = 0; i < c.prims.n && is; i++) {
		const struct prim p = prim_of(s, c.prims.at[i]);
		const struct keys x = {p.a, UINT32_MAX};
		struct value all;
		is = is_certain(&c, c.prims.at[i]) && p.kind != PRIM_COUNT;
		if (p.kind == PRIM_HAS) is = is && values_of_keys(s, &c, &x, &all) && is_inhabited(s, &all, depth);
	}
	conditions_release(&c);
	return is;
}

// Certainly some value?
static bool is_inhabited(struct schema *s, const struct value *v, uint32_t depth)
{
	if (!depth) return false;
	const struct strings x = v->strings;
	return v->simple || v->numbers || (x.of == LANGUAGE_ANY && !x.syntax) ||
	       (x.of && !x.syntax && strings_language(s, x)) || array_is_inhabited(s, v->array) ||
	       object_is_inhabited(s, v->object, depth - 1);
}

// Certainly infinitely many?
static bool is_infinite(struct schema *s, const struct value *v, uint32_t depth)
{
	if (!depth) return false;
	return (v->strings.of && strings_are_infinite(s, v->strings)) || v->numbers == LANGUAGE_ANY ||
	       (array_is_inhabited(s, v->array) && array_is_endless(s, v->array, depth - 1)) ||
	       (object_is_inhabited(s, v->object, depth - 1) && object_is_endless(s, v->object, depth - 1));
}

bool value_is_endless(struct schema *s, const struct value *v)
{
	const bool has_any = v->strings.of || v->numbers || v->array || v->object;
	return has_any && (!v->strings.of || strings_are_endless(s, v->strings)) &&
	       (!v->numbers || v->numbers == LANGUAGE_ANY) && array_is_endless(s, v->array, MOST_NESTED) &&
	       object_is_endless(s, v->object, MOST_NESTED);
}

bool value_is_inhabited(struct schema *s, const struct value *v) { return is_inhabited(s, v, MOST_NESTED); }

// ---- Closed objects.
static bool is_none(const struct value *v)
{
	return !v->simple && !v->strings.of && !v->numbers && v->array == FORMULA_FALSE && v->object == FORMULA_FALSE;
}

static bool others_are_none(struct schema *s, const struct conditions *c, const u32_list *patterns)
{
	bool are = true;
	for (uint32_t i = 0; i <= patterns->n && are; i++) {
		const struct keys x = {UINT32_MAX, i < patterns->n ? patterns->at[i] : UINT32_MAX};
		struct value all;
		are = values_of_keys(s, c, &x, &all) && is_none(&all);
	}
	return are;
}

// The place of a key in the list, or where it would be.
static uint32_t place_of(const uint32_t *order, uint32_t n, uint32_t key)
{
	uint32_t i = 0;
	while (i < n && order[i] != key) i++;
	return i;
}

static bool are_plain(struct schema *s, const struct conditions *c)
{
	bool are = true;
	for (uint32_t i = 0; i < c->prims.n && are; i++) {
		const enum prim_kind kind = prim_of(s, c->prims.at[i]).kind;
		are = is_certain(c, c->prims.at[i]) && (kind == PRIM_ALL || kind == PRIM_HAS);
	}
	return are;
}

// A key that some condition names. False: it is required and cannot come, or it may come in no known place.
static bool add_closed_key(struct schema *s, const struct conditions *c, uint32_t key, bool is_placed,
                           closed_key_list *out)
{
	const struct keys x = {key, UINT32_MAX};
	struct closed_key k = {.key = key, .is_required = is_asked_for(s, c, key)};
	if (!values_of_keys(s, c, &x, &k.value)) return false;
	if (is_none(&k.value)) return !k.is_required;
	vec_push(out, k);
	return is_placed;
}

bool closed_keys(struct schema *s, const struct value *v, closed_key_list *out)
{
	struct conditions c = {0};
	u32_list keys = {0}, patterns = {0};
	uint32_t len = 0;
	const uint32_t *order = v->order ? intern_get(&s->orders, v->order, &len) : NULL;
	conditions_of(s, v->object, &c);
	names_of(s, &c, &keys, &patterns);
	bool ok = others_are_none(s, &c, &patterns) && are_plain(s, &c);
	for (uint32_t i = 0; i < len / 4 && ok; i++)
		if (place_of(keys.at, keys.n, order[i]) < keys.n) ok = add_closed_key(s, &c, order[i], true, out);
	for (uint32_t i = 0; i < keys.n && ok; i++)
		if (place_of(order, len / 4, keys.at[i]) == len / 4) ok = add_closed_key(s, &c, keys.at[i], false, out);
	vec_release(&keys), vec_release(&patterns), conditions_release(&c);
	return ok;
}
