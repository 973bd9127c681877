// The algebra of what schemas take: type by type, closed under and, or, not.
//
// In:  values (internal.h). Out: values. Simple types are bits, strings and numbers regular languages, arrays and
// objects formulas. Lengths of strings stay beside the language as long as they can, so that a terminal can count.
#include "internal.h"

struct value value_any(void)
{
	return (struct value){.simple = SIMPLE_ALL,
	                      .strings = {LANGUAGE_ANY, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0},
	                      .numbers = LANGUAGE_ANY,
	                      .array = FORMULA_TRUE,
	                      .object = FORMULA_TRUE};
}

struct value value_none(void)
{
	return (struct value){.strings = {LANGUAGE_NOTHING, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0},
	                      .numbers = LANGUAGE_NOTHING};
}

static struct strings tidy(struct strings a)
{
	if (a.syntax == SYNTAX_BETWEEN) return a;
	if (!a.of || a.least > a.most) return (struct strings){LANGUAGE_NOTHING, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	return a;
}

static struct strings between(language of, language upper)
{
	return (struct strings){of, 0, TERM_UNBOUNDED, of == upper ? SYNTAX_NONE : SYNTAX_BETWEEN, of == upper ? 0 : upper};
}

static bool is_none(struct strings a) { return !strings_may_be_some(a); }

static language upper_language(struct schema *s, struct strings a)
{
	return a.syntax == SYNTAX_BETWEEN ? a.upper : strings_language(s, a);
}

// A shorter one is made as one automaton.
bool strings_are_counted(struct schema *s, struct strings a)
{
	struct string_count at;
	if (s->o->counts_parts || !a.of || a.of == LANGUAGE_ANY || a.syntax || a.most == TERM_UNBOUNDED) return false;
	if (a.most > SCHEMA_MAX_COUNTED || a.least > a.most) return false;
	const struct string_bounds bounds = {a.least, a.most, s->o->all_escapes ? ESCAPES_ALL : ESCAPES_WRITTEN};
	const uint64_t shared = a.most < SCHEMA_MIN_SHARED ? 0 : language_shares(s->languages, a.of, &bounds, NULL);
	if (shared * a.most >= SCHEMA_SHARED_STATES) return true;
	if (a.most < SCHEMA_MIN_COUNTED) return false;
	return language_counts(s->languages, a.of, a.least, &at) && at.place + at.reach + SCHEMA_MIN_COUNTED <= a.most;
}

struct strings strings_regular(struct schema *s, struct strings a)
{
	if (a.syntax != SYNTAX_REGEX) return a;
	a.of = language_and(s->languages, a.of, regex_syntax_nested(s)), a.syntax = SYNTAX_NONE;
	if (!format_is_denied(s, DENIED_REGEX)) return tidy(a);
	const struct strings others = {regex_syntax_upper(s), a.least, a.most, SYNTAX_NONE, 0};
	return between(strings_language(s, a), strings_language(s, others));
}

struct strings strings_certain(struct strings a)
{
	return a.syntax == SYNTAX_BETWEEN ? (struct strings){a.of, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0} : a;
}

bool strings_may_be_some(struct strings a) { return a.of || (a.syntax == SYNTAX_BETWEEN && a.upper); }

static struct strings settle_bounds(struct schema *s, struct strings a)
{
	if (strings_are_counted(s, a)) return a;
	if (!strings_fit(s, a)) a.of = without_long_leap_seconds(s, a.of);
	return (struct strings){strings_language(s, a), 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
}

struct strings strings_settled(struct schema *s, struct strings a)
{
	if (a.of == LANGUAGE_ANY || a.syntax || !strings_have_bounds(a)) return a;
	const uint32_t key[] = {a.of, a.least, a.most}, known = intern_find(&s->bounded, key, sizeof key);
	if (known != INTERN_NONE) return s->settled.at[known];
	const struct strings settled = settle_bounds(s, a);
	intern_add(&s->bounded, key, sizeof key, NULL);
	vec_push(&s->settled, settled);
	return settled;
}

bool strings_fit(struct schema *s, struct strings a)
{
	uint64_t size = 0;
	if (strings_have_bounds(a)) language_longest(s, a.of, a.most != TERM_UNBOUNDED ? a.most : a.least, &size);
	return size <= SCHEMA_MAX_BESIDE;
}

bool strings_are_some(struct schema *s, struct strings a) { return strings_settled(s, a).of != LANGUAGE_NOTHING; }

language strings_language(struct schema *s, struct strings a)
{
	if (!strings_have_bounds(a)) return a.of;
	return language_and(s->languages, a.of, language_of_lengths(s->languages, a.least, a.most));
}

// What is known of a language's states: characters to the nearest beginning, and to the farthest.
struct distances {
	uint32_t *before, *shortest, *longest;  // before: steps into the state whose sources are not settled
	uint32_t *steps;                        // from the state
	u32_list reached, settled;
};

// Breadth first.
static void reach(struct languages *ls, language l, struct distances *d)
{
	language_steps steps = {0};
	vec_push(&d->reached, 0);
	for (uint32_t i = 0; i < d->reached.n; i++) {
		const uint32_t q = d->reached.at[i];
		language_steps_from(ls, l, q, &steps);
		d->steps[q] = steps.n;
		for (uint32_t k = 0; k < steps.n; k++) {
			const uint32_t to = steps.at[k].to;
			if (!d->before[to]++ && to) d->shortest[to] = d->shortest[q] + 1, vec_push(&d->reached, to);
		}
		vec_clear(&steps);
	}
	vec_release(&steps);
}

// In the order in which all that leads to a state stands before it; those on a cycle, and behind it, are in none.
static void settle(struct languages *ls, language l, struct distances *d)
{
	language_steps steps = {0};
	if (!d->before[0]) vec_push(&d->settled, 0);
	for (uint32_t i = 0; i < d->settled.n; i++) {
		const uint32_t q = d->settled.at[i];
		language_steps_from(ls, l, q, &steps);
		for (uint32_t k = 0; k < steps.n; k++) {
			const uint32_t to = steps.at[k].to;
			if (d->longest[to] <= d->longest[q]) d->longest[to] = d->longest[q] + 1;
			if (!--d->before[to]) vec_push(&d->settled, to);
		}
		vec_clear(&steps);
	}
	vec_release(&steps);
}

uint32_t language_longest(struct schema *s, language l, uint32_t bound, uint64_t *size)
{
	const size_t n = (size_t)language_states(s->languages, l) + 1;
	struct distances d = {.before = mem_calloc(n, sizeof *d.before),
	                      .shortest = mem_calloc(n, sizeof *d.shortest),
	                      .longest = mem_calloc(n, sizeof *d.longest),
	                      .steps = mem_calloc(n, sizeof *d.steps)};
	reach(s->languages, l, &d);
	settle(s->languages, l, &d);
	uint32_t most = d.settled.n == d.reached.n ? 0 : TERM_UNBOUNDED;
	*size = 0;
	for (uint32_t i = 0; i < d.reached.n; i++) {
		const uint32_t q = d.reached.at[i], to = d.before[q] || d.longest[q] > bound ? bound : d.longest[q];
		if (d.shortest[q] <= to) *size += (uint64_t)(to - d.shortest[q] + 1) * (d.steps[q] + 1);
		if (most < d.longest[q]) most = d.longest[q];
	}
	vec_release(&d.reached), vec_release(&d.settled);
	free(d.before), free(d.shortest), free(d.longest), free(d.steps);
	return most;
}

// Some of what a is certainly, and all that it may be, of these lengths: fewer, and more, where all would take too many
// states.
static struct strings between_lengths(struct schema *s, struct strings a, uint32_t least, uint32_t most)
{
	struct strings of = {a.of, least, most, SYNTAX_NONE, 0}, upper = {a.upper, least, most, SYNTAX_NONE, 0};
	if (!strings_fit(s, of)) of.of = without_long_leap_seconds(s, of.of);
	return between(strings_language(s, of), strings_fit(s, upper) ? strings_language(s, upper) : a.upper);
}

// One of the two has two languages.
static struct strings between_both(struct schema *s, struct strings a, struct strings b)
{
	if (a.syntax != SYNTAX_BETWEEN) {
		const struct strings other = a;
		a = b, b = other;
	}
	if (b.of == LANGUAGE_ANY && !b.syntax) return between_lengths(s, a, b.least, b.most);
	return between(language_and(s->languages, strings_language(s, a), strings_language(s, b)),
	               language_and(s->languages, upper_language(s, a), upper_language(s, b)));
}

struct strings strings_and(struct schema *s, struct strings a, struct strings b)
{
	if (is_none(a) || is_none(b)) return tidy((struct strings){0});
	if (b.of != LANGUAGE_ANY || b.syntax == SYNTAX_BETWEEN) a = strings_regular(s, a);
	if (a.of != LANGUAGE_ANY || a.syntax == SYNTAX_BETWEEN) b = strings_regular(s, b);
	if (a.syntax == SYNTAX_BETWEEN || b.syntax == SYNTAX_BETWEEN) return between_both(s, a, b);
	a.syntax |= b.syntax;
	a.of = language_and(s->languages, a.of, b.of);
	if (b.least > a.least) a.least = b.least;
	if (b.most < a.most) a.most = b.most;
	return tidy(a.least > 1 || a.most != TERM_UNBOUNDED ? strings_regular(s, a) : a);
}

static bool is_all(struct strings a)
{
	return a.of == LANGUAGE_ANY && !a.least && a.most == TERM_UNBOUNDED && !a.syntax;
}

static bool are_same(struct strings a, struct strings b)
{
	return a.of == b.of && a.least == b.least && a.most == b.most && a.syntax == b.syntax && a.upper == b.upper;
}

// At most two characters, whatever they are? Then a union with some of them stays so: such strings are counted
// (shapes.c).
static bool is_short(struct strings a) { return a.of == LANGUAGE_ANY && a.most <= 2; }

static struct strings languages_or(struct schema *s, struct strings a, struct strings b)
{
	const language x = strings_language(s, a), y = strings_language(s, b), both = language_or(s->languages, x, y);
	if (both == x && is_short(a)) return a;
	if (both == y && is_short(b)) return b;
	return tidy((struct strings){both, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0});
}

static struct strings strings_or(struct schema *s, struct strings a, struct strings b)
{
	if (is_none(a)) return b;
	if (is_none(b) || are_same(a, b) || is_all(a)) return a;
	if (is_all(b)) return b;
	a = strings_regular(s, a), b = strings_regular(s, b);
	if (a.syntax || b.syntax)
		return between(language_or(s->languages, strings_language(s, a), strings_language(s, b)),
		               language_or(s->languages, upper_language(s, a), upper_language(s, b)));
	if (a.of == b.of) {
		// Bounds that touch are one pair of bounds.
		struct strings lo = a.least <= b.least ? a : b, hi = a.least <= b.least ? b : a;
		if (lo.most == TERM_UNBOUNDED || hi.least <= lo.most + 1) {
			if (hi.most > lo.most) lo.most = hi.most;
			return lo;
		}
	}
	return languages_or(s, a, b);
}

static struct strings strings_not(struct schema *s, struct strings a)
{
	if (is_none(a)) return (struct strings){LANGUAGE_ANY, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	a = strings_regular(s, a);
	if (a.syntax) return between(language_not(s->languages, a.upper), language_not(s->languages, a.of));
	if (a.of == LANGUAGE_ANY && !a.least)
		return a.most == TERM_UNBOUNDED ? (struct strings){LANGUAGE_NOTHING, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0}
		                                : (struct strings){LANGUAGE_ANY, a.most + 1, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	if (a.of == LANGUAGE_ANY && a.most == TERM_UNBOUNDED)
		return (struct strings){LANGUAGE_ANY, 0, a.least - 1, SYNTAX_NONE, 0};
	return tidy(
		(struct strings){language_not(s->languages, strings_language(s, a)), 0, TERM_UNBOUNDED, SYNTAX_NONE, 0});
}

static uint32_t order_number(struct schema *s, const uint32_t *keys, uint32_t n)
{
	if (!s->orders.entries.n) intern_add(&s->orders, "", 0, NULL);
	return intern_add(&s->orders, keys, n * sizeof *keys, NULL);
}

uint32_t order_of(struct schema *s, const uint32_t *keys, uint32_t n) { return order_number(s, keys, n); }

uint32_t order_join(struct schema *s, uint32_t a, uint32_t b)
{
	if (!b || a == b) return a;
	if (!a) return b;
	uint32_t la, lb;
	const uint32_t *x = intern_get(&s->orders, a, &la), *y = intern_get(&s->orders, b, &lb);
	uint32_t *joined = mem_alloc((size_t)la + lb), n = la / 4;
	struct map64 seen = {0};
	memcpy(joined, x, la);
	for (uint32_t i = 0; i < n; i++) map64_put(&seen, x[i], 1);
	for (uint32_t i = 0; i < lb / 4; i++)
		if (map64_get(&seen, y[i]) == MAP64_NONE) joined[n++] = y[i];
	uint32_t out = order_number(s, joined, n);
	map64_release(&seen);
	free(joined);
	return out;
}

struct value value_and(struct schema *s, struct value a, struct value b)
{
	struct value v = {.simple = a.simple & b.simple, .strings = strings_and(s, a.strings, b.strings)};
	struct numbers n =
		numbers_and(s, (struct numbers){a.numbers, a.numbers_plain}, (struct numbers){b.numbers, b.numbers_plain});
	v.numbers = n.of, v.numbers_plain = n.is_plain;
	v.array = formula_and(s, (formula[]){a.array, b.array}, 2);
	v.object = formula_and(s, (formula[]){a.object, b.object}, 2);
	v.order = order_join(s, a.order, b.order);
	return v;
}

struct value value_or(struct schema *s, struct value a, struct value b)
{
	struct value v = {.simple = a.simple | b.simple, .strings = strings_or(s, a.strings, b.strings)};
	struct numbers n =
		numbers_or(s, (struct numbers){a.numbers, a.numbers_plain}, (struct numbers){b.numbers, b.numbers_plain});
	v.numbers = n.of, v.numbers_plain = n.is_plain;
	v.array = formula_or(s, (formula[]){a.array, b.array}, 2);
	v.object = formula_or(s, (formula[]){a.object, b.object}, 2);
	v.order = order_join(s, a.order, b.order);
	return v;
}

// The orders one after the other, each key once. Equal neighbours are one.
static uint32_t orders_joined(struct schema *s, const struct value *of, uint32_t n)
{
	u32_list keys = {0};
	struct map64 seen = {0};
	uint32_t first = 0, last = 0, len;
	bool are_same = true;
	for (uint32_t i = 0; i < n; i++) {
		if (!of[i].order || of[i].order == last) continue;
		are_same = !last;
		last = of[i].order;
		if (!first) first = last;
		const uint32_t *at = intern_get(&s->orders, last, &len);
		for (uint32_t k = 0; k < len / 4; k++)
			if (map64_get(&seen, at[k]) == MAP64_NONE) map64_put(&seen, at[k], 1), vec_push(&keys, at[k]);
	}
	const uint32_t out = are_same ? first : order_number(s, keys.at, keys.n);
	vec_release(&keys), map64_release(&seen);
	return out;
}

struct value value_any_of(struct schema *s, const struct value *of, uint32_t n)
{
	struct value v = value_none();
	formula *f = mem_alloc(((size_t)n + 1) * sizeof *f);
	for (uint32_t i = 0; i < n; i++) {
		const struct numbers all = {v.numbers, v.numbers_plain}, more = {of[i].numbers, of[i].numbers_plain};
		const struct numbers both = numbers_or(s, all, more);
		v.simple |= of[i].simple, v.strings = strings_or(s, v.strings, of[i].strings);
		v.numbers = both.of, v.numbers_plain = both.is_plain;
	}
	for (uint32_t i = 0; i < n; i++) f[i] = of[i].array;
	v.array = formula_or(s, f, n);
	for (uint32_t i = 0; i < n; i++) f[i] = of[i].object;
	v.object = formula_or(s, f, n);
	v.order = orders_joined(s, of, n);
	free(f);
	return v;
}

struct value value_not(struct schema *s, struct value a)
{
	struct value v = {.simple = SIMPLE_ALL & ~a.simple, .strings = strings_not(s, a.strings), .order = a.order};
	struct numbers n = numbers_not(s, (struct numbers){a.numbers, a.numbers_plain});
	v.numbers = n.of, v.numbers_plain = n.is_plain;
	v.array = formula_not(s, a.array), v.object = formula_not(s, a.object);
	return v;
}

bool too_many_digits(struct schema *s, const struct json *number)
{
	schema_error(s, number, "a number with more digits than SCHEMA_MAX_DIGITS (%u)", SCHEMA_MAX_DIGITS);
	return false;
}

// Exactly this value.
struct value value_of_json(struct schema *s, const struct json *j)
{
	struct value v = value_none();
	struct decimal d;
	switch (j->kind) {
	case JSON_NULL: v.simple = SIMPLE_NULL; break;
	case JSON_TRUE: v.simple = SIMPLE_TRUE; break;
	case JSON_FALSE: v.simple = SIMPLE_FALSE; break;
	case JSON_STRING: {
		const struct language_text text = {j->text, j->len};
		v.strings.of = language_of_texts(s->languages, &text, 1);
		break;
	}
	case JSON_NUMBER:
		if (decimal_read(j->text, j->len, &d) && decimal_is_short(&d))
			v.numbers = numbers_equal(s, &d).of;
		else
			too_many_digits(s, j);
		break;
	case JSON_ARRAY: {
		formula *f = mem_alloc(((size_t)j->n + 2) * sizeof *f);
		for (uint32_t i = 0; i < j->n; i++) f[i] = formula_prim(s, PRIM_ITEMS, i, i + 1, atom_const(s, j->items[i]));
		f[j->n] = formula_not(s, formula_prim(s, PRIM_LENGTH, j->n + 1, 0, 0));
		uint32_t n = j->n + 1;
		if (j->n) f[n++] = formula_prim(s, PRIM_LENGTH, j->n, 0, 0);
		v.array = formula_and(s, f, n);
		free(f);
		break;
	}
	case JSON_OBJECT: {
		formula *f = mem_alloc((2 * (size_t)j->n + 1) * sizeof *f);
		uint32_t *keys = mem_alloc(((size_t)j->n + 1) * sizeof *keys);
		for (uint32_t i = 0; i < j->n; i++) {
			keys[i] = key_number(s, j->members[i].key, j->members[i].key_len);
			uint32_t one = keyset_of(s, false, &keys[i], 1, NULL, 0);
			f[2 * i] = formula_prim(s, PRIM_ALL, one, atom_const(s, j->members[i].value), 0);
			f[2 * i + 1] = formula_prim(s, PRIM_HAS, keys[i], 0, 0);
		}
		f[2 * j->n] = formula_prim(s, PRIM_ALL, keyset_of(s, true, keys, j->n, NULL, 0), ATOM_FALSE, 0);
		v.object = formula_and(s, f, 2 * j->n + 1);
		v.order = order_of(s, keys, j->n);
		free(f), free(keys);
		break;
	}
	}
	return v;
}
