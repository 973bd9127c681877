// Are there always infinitely many values left? Then an item can become unlike any number of others.
//
// In:  a value. Out: whether it is endless: each beginning of one of its texts, up to the byte that closes it, begins
// infinitely many. true, false, null stand beside, since their first byte tells them; zero, too.
// Strings: all states of a minimal automaton are on the way to a text. So infinitely many are left of each exactly when
// each has an edge: who can always go on comes to a cycle.
// Arrays: behind the places that conditions name, each of which some value may stand at, items may come, as many as one
// likes.
// Objects: keys that no condition names may come, infinitely many; or, where keys stand in any order, one that no
// condition asks for and that has infinitely many values comes again, and its last value counts; conditions that are no
// part of a conjunction may not name it, then. More keys and items are no change where what holds of all of them goes
// on to hold; what only stands in the way of the whole may end. Of a union each member is endless.
// Where that is not plain to see the answer is no. Cost: linear in the automata and the conditions.
#include "internal.h"

#define MOST_NESTED 8u     // schemas in each other that are looked at
#define MOST_PARTS 60u     // of a union that are looked at one by one
#define MOST_INHABITED 8u  // for one value: of each object it is kept

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
	if (x.syntax == SYNTAX_REGEX && x.of == LANGUAGE_ANY && x.most == TERM_UNBOUNDED) return true;  // behind each a|
	x = strings_certain(x);
	if (x.syntax || x.most != TERM_UNBOUNDED) return false;
	return x.of == LANGUAGE_ANY || ask_language(s, strings_language(s, x), always_goes_on);
}

static bool strings_are_infinite(struct schema *s, struct strings x)
{
	x = strings_certain(x);
	if (x.syntax || x.most != TERM_UNBOUNDED) return false;
	return x.of == LANGUAGE_ANY || ask_language(s, strings_language(s, x), has_cycle);
}

static bool numbers_are_infinite(struct schema *s, language l)
{
	return l == LANGUAGE_ANY || ask_language(s, numbers_spelled(s, l), has_cycle);
}

// ---- Conditions.
// A formula's prims, which of them hold in any case, and whether they help or hinder it.
struct conditions {
	u32_list prims;
	struct map64 certain, signs;
};

static void conditions_of(struct schema *s, formula f, struct conditions *c)
{
	struct map64 seen = {0};
	u32_list certain = {0};
	formula_prims(s, &f, 1, &seen, &c->prims);
	formula_positive(s, f, &certain);
	for (uint32_t i = 0; i < certain.n; i++) map64_put(&c->certain, certain.at[i], 1);
	formula_signs(s, f, &c->signs);
	map64_release(&seen), vec_release(&certain);
}

static void conditions_release(struct conditions *c)
{
	vec_release(&c->prims), map64_release(&c->certain), map64_release(&c->signs);
}

static bool helps(const struct conditions *c, uint32_t prim) { return map64_get(&c->signs, prim) & FORMULA_HELPS; }

// Where it holds it goes on to hold, or does no harm when it begins to.
static bool may_begin(const struct conditions *c, uint32_t prim)
{
	return !(map64_get(&c->signs, prim) & FORMULA_HINDERS) || map64_get(&c->certain, prim) != MAP64_NONE;
}

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
		const bool speaks = p.kind == PRIM_COUNT || (p.kind == PRIM_ALL && keys_are_in(s, x, p.a));
		ok = !speaks || is_certain(c, c->prims.at[i]);
		if (speaks && ok && p.kind == PRIM_ALL) ok = add_atom(s, p.b, all);
	}
	return ok;
}

// Values that such a key may have behind any others: what holds goes on to hold, unless it only hinders; more entries
// do no harm. False: there are none.
static bool values_of_more(struct schema *s, const struct conditions *c, const struct keys *x, struct value *all)
{
	bool ok = true;
	*all = value_any();
	for (uint32_t i = 0; i < c->prims.n && ok; i++) {
		const uint32_t prim = c->prims.at[i];
		const struct prim p = prim_of(s, prim);
		if (p.kind == PRIM_COUNT) ok = may_begin(c, prim);
		if (p.kind == PRIM_ALL && helps(c, prim) && keys_are_in(s, x, p.a)) ok = add_atom(s, p.b, all);
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
	if (!values_of_more(s, c, &x, &all) || !is_inhabited(s, &all, depth)) return false;
	language l = at < patterns->n ? x.pattern : LANGUAGE_ANY;
	for (uint32_t i = 0; i < patterns->n; i++)
		if (patterns->at[i] != x.pattern) l = language_minus(s->languages, l, patterns->at[i]);
	return ask_language(s, language_minus(s->languages, l, named), has_cycle);
}

// Such a key comes once. *certainly: it is required, or nothing asks for it.
static bool is_asked_for(const struct schema *s, const struct conditions *c, uint32_t key, bool *certainly)
{
	bool is = false;
	*certainly = true;
	for (uint32_t i = 0; i < c->prims.n; i++) {
		const struct prim p = prim_of(s, c->prims.at[i]);
		if (p.kind != PRIM_HAS || p.a != key) continue;
		is = true, *certainly = is_certain(c, c->prims.at[i]);
	}
	return is;
}

static bool objects_are_endless(struct schema *s, formula f, uint32_t depth)
{
	struct conditions c = {0};
	u32_list keys = {0}, patterns = {0};
	conditions_of(s, f, &c);
	const language named = names_of(s, &c, &keys, &patterns);
	bool is = false;
	for (uint32_t i = patterns.n + 1; i-- && !is;) is = others_are_endless(s, &c, named, &patterns, i, depth);
	for (uint32_t i = 0; i < keys.n && !is && s->o->order == SCHEMA_ORDER_ANY; i++) {
		const struct keys x = {keys.at[i], UINT32_MAX};
		struct value all;
		bool certainly;
		is = !is_asked_for(s, &c, keys.at[i], &certainly) && values_of_keys(s, &c, &x, &all) &&
		     is_infinite(s, &all, depth);
	}
	vec_release(&keys), vec_release(&patterns), conditions_release(&c);
	return is;
}

// Is there a value for each of the places that conditions name? Where items must differ: always another one.
static bool places_may_be_passed(struct schema *s, const struct conditions *c, bool differ, uint32_t depth)
{
	bool may = true;
	for (uint32_t i = 0; i < c->prims.n && may; i++) {
		const struct prim p = prim_of(s, c->prims.at[i]);
		struct value all = value_any();
		if (p.kind != PRIM_ITEMS || p.b == UINT32_MAX) continue;
		for (uint32_t k = 0; k < c->prims.n && may; k++) {
			const struct prim q = prim_of(s, c->prims.at[k]);
			if (q.kind == PRIM_ITEMS && q.a < p.b && p.a < q.b && helps(c, c->prims.at[k]))
				may = add_atom(s, q.c, &all);
		}
		may = may && (differ ? is_infinite(s, &all, depth) : is_inhabited(s, &all, depth));
	}
	return may;
}

// Items behind all places that conditions name, as many as one likes. Where they must differ, infinitely many.
static bool arrays_are_endless(struct schema *s, formula f, uint32_t depth)
{
	struct conditions c = {0};
	struct value all = value_any();
	bool is = true, differ = false;
	conditions_of(s, f, &c);
	for (uint32_t i = 0; i < c.prims.n && is; i++) {
		const uint32_t prim = c.prims.at[i];
		const struct prim p = prim_of(s, prim);
		const bool is_rest = p.kind == PRIM_ITEMS && p.b == UINT32_MAX;
		if (p.kind == PRIM_LENGTH || p.kind == PRIM_CONTAINS) is = may_begin(&c, prim);
		if (is_rest && helps(&c, prim)) is = add_atom(s, p.c, &all);
		differ |= p.kind == PRIM_UNIQUE && helps(&c, prim);
	}
	is = is && (differ ? is_infinite(s, &all, depth) : is_inhabited(s, &all, depth)) &&
	     places_may_be_passed(s, &c, differ, depth);
	conditions_release(&c);
	return is;
}

// All of them, or those of each member of a union: a beginning of one is a beginning of a member's.
static bool formula_is_endless(struct schema *s, formula f, uint32_t depth,
                               bool (*are)(struct schema *, formula, uint32_t))
{
	u32_list todo = {0};
	bool is = true;
	vec_push(&todo, f);
	for (uint32_t i = 0; i < todo.n && is; i++) {
		const formula x = todo.at[i];
		if (x <= FORMULA_TRUE) continue;  // none, or all
		is = depth && (are(s, x, depth) || (todo.n <= MOST_PARTS && formula_parts(s, x, &todo)));
	}
	vec_release(&todo);
	return is;
}

static bool object_is_endless(struct schema *s, formula f, uint32_t depth)
{
	return formula_is_endless(s, f, depth, objects_are_endless);
}

static bool array_is_endless(struct schema *s, formula f, uint32_t depth)
{
	return formula_is_endless(s, f, depth, arrays_are_endless);
}

// ---- Values.
// The place of a key in the list, or where it would be.
static uint32_t place_of(const uint32_t *order, uint32_t n, uint32_t key)
{
	uint32_t i = 0;
	while (i < n && order[i] != key) i++;
	return i;
}

// An array of so many items, each in all schemas of items. CONTAINS: of none.
static bool is_true_of_items(const void *user, struct prim p)
{
	const uint32_t *n = user;
	return p.kind == PRIM_ITEMS || p.kind == PRIM_UNIQUE || (p.kind == PRIM_LENGTH && *n >= p.a);
}

// The fewest items, the values that all of them may have, whether they differ. False: that is not known.
static bool fewest_items(struct schema *s, formula f, uint32_t *n, struct value *all, bool *differ)
{
	struct conditions c = {0};
	bool knows = true;
	*all = value_any(), *differ = false, *n = 0;
	conditions_of(s, f, &c);
	for (uint32_t i = 0; i < c.prims.n && knows; i++) {
		const struct prim p = prim_of(s, c.prims.at[i]);
		const bool is_known = is_certain(&c, c.prims.at[i]);
		if (p.kind == PRIM_LENGTH && is_known && p.a > *n) *n = p.a;
		if (p.kind == PRIM_ITEMS) knows = is_known && add_atom(s, p.c, all);
		if (p.kind == PRIM_CONTAINS) knows = false;
		*differ |= p.kind == PRIM_UNIQUE;
	}
	conditions_release(&c);
	return knows;
}

// Is the empty one, or one of as many items as there must be, certainly one of them?
static bool array_is_inhabited(struct schema *s, formula f, uint32_t depth)
{
	if (f <= FORMULA_TRUE || !depth) return f == FORMULA_TRUE;
	uint32_t n = 0;
	struct value all;
	bool differ;
	if (formula_value(s, f, is_true_of_items, &n)) return true;
	if (!fewest_items(s, f, &n, &all, &differ) || !formula_value(s, f, is_true_of_items, &n)) return false;
	if (!differ || n <= 1) return is_inhabited(s, &all, depth);
	return is_infinite(s, &all, depth < MOST_NESTED ? depth : MOST_NESTED);
}

// An object with some keys, each with a value that it may have. No uncertain condition speaks of these values.
static bool is_true_of_keys(const void *user, struct prim p)
{
	const u32_list *keys = user;
	if (p.kind == PRIM_HAS) return place_of(keys->at, keys->n, p.a) < keys->n;
	return p.kind != PRIM_COUNT || keys->n >= p.a;
}

// An answer about a formula that is looked at so deep is kept: schemas may ask for each other.
enum question { IS_INHABITED, IS_INFINITE, N_QUESTIONS };
typedef bool answer(struct schema *s, formula f, uint32_t depth);

static bool answer_once(struct schema *s, enum question q, formula f, uint32_t depth, answer *find)
{
	const uint64_t key = ((uint64_t)f * N_QUESTIONS + q) * MOST_INHABITED + depth - 1,
				   known = map64_get(&s->answers, key);
	if (known != MAP64_NONE) return known;
	const bool is = find(s, f, depth);
	map64_put(&s->answers, key, is);
	return is;
}

// Is the object with all keys that some condition asks for, and that certainly have a value, one of them? Or that with
// the keys that each must have and one more?
static bool has_witness(struct schema *s, formula f, uint32_t depth)
{
	struct conditions c = {0};
	u32_list keys = {0}, others = {0};
	conditions_of(s, f, &c);
	for (uint32_t i = 0; i < c.prims.n; i++) {
		const struct prim p = prim_of(s, c.prims.at[i]);
		const struct keys x = {p.a, UINT32_MAX};
		struct value all;
		if (p.kind == PRIM_HAS && values_of_keys(s, &c, &x, &all) && is_inhabited(s, &all, depth))
			vec_push(is_certain(&c, c.prims.at[i]) ? &keys : &others, p.a);
	}
	const uint32_t n = keys.n;
	for (uint32_t i = 0; i < others.n; i++) vec_push(&keys, others.at[i]);
	bool is = formula_value(s, f, is_true_of_keys, &keys);
	for (uint32_t i = 0; i < others.n && !is; i++) {
		keys.n = n;
		vec_push(&keys, others.at[i]);
		is = formula_value(s, f, is_true_of_keys, &keys);
	}
	vec_release(&keys), vec_release(&others), conditions_release(&c);
	return is;
}

static bool object_is_inhabited(struct schema *s, formula f, uint32_t depth)
{
	if (f <= FORMULA_TRUE || !depth) return f == FORMULA_TRUE;
	return answer_once(s, IS_INHABITED, f, depth, has_witness);
}

// Has some key that nothing ties to others infinitely many values?
static bool has_infinite_key(struct schema *s, formula f, uint32_t depth)
{
	struct conditions c = {0};
	u32_list keys = {0}, patterns = {0};
	bool has = false, certainly;
	conditions_of(s, f, &c);
	names_of(s, &c, &keys, &patterns);
	for (uint32_t i = 0; i < keys.n && !has; i++) {
		const struct keys x = {keys.at[i], UINT32_MAX};
		struct value all;
		is_asked_for(s, &c, keys.at[i], &certainly);
		has = certainly && values_of_keys(s, &c, &x, &all) && is_infinite(s, &all, depth);
	}
	vec_release(&keys), vec_release(&patterns), conditions_release(&c);
	return has;
}

static bool object_is_infinite(struct schema *s, formula f, uint32_t depth)
{
	if (f <= FORMULA_TRUE || !depth) return f == FORMULA_TRUE;
	return object_is_inhabited(s, f, depth) &&
	       (object_is_endless(s, f, depth) || answer_once(s, IS_INFINITE, f, depth, has_infinite_key));
}

// Certainly some value?
static bool is_inhabited(struct schema *s, const struct value *v, uint32_t depth)
{
	if (!depth) return false;
	const struct strings x = strings_certain(v->strings);
	return v->simple || v->numbers || (!x.syntax && strings_are_some(s, x)) ||
	       array_is_inhabited(s, v->array, depth - 1) || object_is_inhabited(s, v->object, depth - 1);
}

// Certainly infinitely many?
static bool is_infinite(struct schema *s, const struct value *v, uint32_t depth)
{
	if (!depth) return false;
	return (v->strings.of && strings_are_infinite(s, v->strings)) ||
	       (v->numbers && numbers_are_infinite(s, v->numbers)) ||
	       (array_is_inhabited(s, v->array, depth - 1) && array_is_endless(s, v->array, depth - 1)) ||
	       object_is_infinite(s, v->object, depth - 1);
}

bool value_is_endless(struct schema *s, const struct value *v)
{
	const bool has_any = v->strings.of || v->numbers || v->array || v->object;
	return has_any && (!v->strings.of || strings_are_endless(s, v->strings)) &&
	       (!v->numbers || v->numbers == LANGUAGE_ANY) && array_is_endless(s, v->array, MOST_NESTED) &&
	       object_is_endless(s, v->object, MOST_NESTED);
}

bool value_is_inhabited(struct schema *s, const struct value *v) { return is_inhabited(s, v, MOST_INHABITED); }

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

static bool count_entries(struct schema *s, const struct conditions *c)
{
	bool do_so = false;
	for (uint32_t i = 0; i < c->prims.n && !do_so; i++) do_so = prim_of(s, c->prims.at[i]).kind == PRIM_COUNT;
	return do_so;
}

// A key that some condition names. False: it is required and cannot come, or it may come in no known place.
static bool add_closed_key(struct schema *s, const struct conditions *c, uint32_t key, bool is_placed,
                           closed_key_list *out)
{
	const struct keys x = {key, UINT32_MAX};
	struct closed_key k = {.key = key};
	bool is_settled;
	k.is_required = is_asked_for(s, c, key, &is_settled);
	k.is_free = is_settled && values_of_keys(s, c, &x, &k.value);
	if (k.is_free && is_none(&k.value)) return !k.is_required;
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
	bool ok = others_are_none(s, &c, &patterns) && !count_entries(s, &c);
	for (uint32_t i = 0; i < len / 4 && ok; i++)
		if (place_of(keys.at, keys.n, order[i]) < keys.n) ok = add_closed_key(s, &c, order[i], true, out);
	for (uint32_t i = 0; i < keys.n && ok; i++)
		if (place_of(order, len / 4, keys.at[i]) == len / 4) ok = add_closed_key(s, &c, keys.at[i], false, out);
	vec_release(&keys), vec_release(&patterns), conditions_release(&c);
	return ok;
}
