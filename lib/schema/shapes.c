// How many values are left? For items that are not endless: closed objects, lists, strings with a fixed end.
//
// In:  a value. Out: its shape (formats/artifact.h), by which the matcher counts the values that begin like an open
// item; how many there are.
// A string's state has as many texts as its edges' ends have, one more if it accepts, and no end of them if it leads to
// a cycle. An object has the product over its keys, which come in the schema's order, so the keys behind a place alone
// say how many objects go on from there. Values that cannot be counted (arrays), and keys that depend on each
// other, may stand before a key that always has more: with it each object has endlessly many beside it.
// A string is counted by its decoded bytes. So where its end is near there may be no characters that have several
// spellings: a part of an escape would stand for several of them. Strings that only have a length are counted by their
// characters, of which the matcher also knows those that a part of one can become. A number that is counted is written
// in one way (number.c), so that a value is a text.
// Cost: a string's edges, times its longest text.
#include "../../formats/artifact.h"
#include "../base/sort.h"
#include "internal.h"

#define NO_END UINT32_MAX

static uint64_t plus(uint64_t a, uint64_t b) { return a + b < NO_END ? a + b : NO_END; }

static uint64_t times(uint64_t a, uint64_t b) { return !a || b < NO_END / a ? a * b : NO_END; }

// ---- Strings.
static uint64_t count_from(const struct term_automaton *a, const uint32_t *count, uint32_t q)
{
	uint64_t n = term_automaton_accepts(a, q);
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++)
		n = plus(n, times(count[term_automaton_to(a, e)], term_automaton_hi(a, e) - term_automaton_lo(a, e) + 1u));
	return n;
}

// States that only lead to counted ones are counted, until nothing changes: the others lead to cycles.
static void count_texts(const struct term_automaton *a, uint32_t *count)
{
	for (uint32_t q = 0; q < a->n_states; q++) count[q] = NO_END;
	for (bool changes = true; changes;) {
		changes = false;
		for (uint32_t q = a->n_states; q--;) {
			const uint32_t n = (uint32_t)count_from(a, count, q);
			changes |= n != count[q], count[q] = n;
		}
	}
}

static bool is_written_plainly(uint32_t byte) { return byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\'; }

// Is each character before an end that can be counted written in one way?
static bool ends_are_plain(const struct term_automaton *a, const uint32_t *count)
{
	for (uint32_t e = 0; e < a->n_edges; e++)
		for (uint32_t c = term_automaton_lo(a, e);
		     count[term_automaton_to(a, e)] < NO_END && c <= term_automaton_hi(a, e); c++)
			if (!is_written_plainly(c)) return false;
	return true;
}

// Strings of so many characters, whatever these are.
static uint64_t add_lengths(struct strings x, word_list *out)
{
	vec_push(out, 0), vec_push(out, x.least), vec_push(out, x.most);
	return x.most > 1 ? NO_END : x.most * SHAPE_CHARACTERS + !x.least;
}

// Appends the automaton. *n: how many texts. False: it is too large, or characters of an end are written in many ways.
static bool add_automaton(struct schema *s, language l, word_list *out, uint64_t *n)
{
	struct arena arena = {0};
	*n = 0;
	const struct term *text = language_term(s->languages, l, (struct loc){0}, &arena);
	const struct term_automaton a = term_automaton_read(text->text);
	bool ok = a.n_edges <= SCHEMA_MAX_SHAPE;
	if (ok) {
		uint32_t *count = arena_array(&arena, a.n_states, sizeof *count);
		const uint32_t *words = (const void *)text->text;
		count_texts(&a, count);
		ok = ends_are_plain(&a, count), *n = count[0];
		for (uint32_t i = 0; ok && i < term_automaton_words(a.n_states, a.n_edges); i++) vec_push(out, words[i]);
		for (uint32_t q = 0; ok && q < a.n_states; q++) vec_push(out, count[q]);
	}
	arena_release(&arena);
	return ok;
}

// *n: how many strings. False: they cannot be counted.
static bool add_strings(struct schema *s, struct strings x, word_list *out, uint64_t *n)
{
	x = strings_certain(x);
	if (x.of == LANGUAGE_ANY && !x.syntax) {
		*n = add_lengths(x, out);
		return true;
	}
	if (strings_have_bounds(x) && (!strings_fit(s, x) || x.most > SCHEMA_MIN_COUNTED)) x = strings_settled(s, x);
	if (!x.syntax && strings_fit(s, x)) x = (struct strings){strings_language(s, x), 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	return x.of && !x.syntax && !s->o->all_escapes && !strings_have_bounds(x) && add_automaton(s, x.of, out, n);
}

// The numbers, and the place of the strings behind theirs.
static bool add_numbers(struct schema *s, const struct value *v, uint32_t record, word_list *out, uint64_t *n)
{
	const uint32_t pair = out->n;
	vec_push(out, pair + 2), vec_push(out, 0);
	out->at[record + SHAPE_FLAGS] |= SHAPE_NUMBERS, out->at[record + SHAPE_STRINGS] = pair;
	return add_automaton(s, numbers_spelled(s, v->numbers), out, n);
}

// ---- Values: flags and, behind all records, strings and numbers. *n: how many. False: they cannot be counted.
static bool add_values(struct schema *s, const struct value *v, uint32_t record, word_list *out, uint64_t *n)
{
	struct value rest = *v, strings = value_none();
	const bool has_numbers = v->numbers && v->numbers != LANGUAGE_ANY;
	strings.strings = v->strings;
	rest.strings = (struct strings){LANGUAGE_NOTHING, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	if (has_numbers) rest.numbers = LANGUAGE_NOTHING;
	const bool has_rest = rest.numbers || v->array != FORMULA_FALSE || v->object != FORMULA_FALSE;
	const uint32_t n_simple = (uint32_t)__builtin_popcount(v->simple);
	if (has_rest && !value_is_endless(s, &rest)) return false;
	uint64_t n_more = 0;
	*n = has_rest ? NO_END : n_simple;
	out->at[record + SHAPE_FLAGS] |= n_simple * SHAPE_SIMPLE | (has_rest ? SHAPE_ENDLESS : 0u);
	if (has_numbers && !add_numbers(s, v, record, out, &n_more)) return false;
	*n = plus(*n, n_more);
	if (!v->strings.of) return true;
	if (value_is_endless(s, &strings)) {
		out->at[record + SHAPE_FLAGS] |= SHAPE_ENDLESS, *n = NO_END;
		return true;
	}
	out->at[has_numbers ? out->at[record + SHAPE_STRINGS] + 1 : record + SHAPE_STRINGS] = out->n;
	if (!add_strings(s, v->strings, out, &n_more)) return false;
	*n = plus(*n, n_more);
	return true;
}

// Counted numbers are written in one way: a schema that says so of an item's, of those of some of its keys.
static atom spelling_of(struct schema *s, const closed_key_list *keys, const word_list *shape)
{
	u32_list counted = {0};
	for (uint32_t i = 0; i < keys->n && shape->at[SHAPE_N_KEYS]; i++)
		if (shape->at[SHAPE_HEAD + i * KEY_WORDS] & SHAPE_NUMBERS) vec_push(&counted, keys->at[i].key);
	sort_u32(counted.at, counted.n);
	const atom a = atom_spelled(s, shape->at[SHAPE_FLAGS] & SHAPE_NUMBERS, counted.at, counted.n);
	vec_release(&counted);
	return a;
}

static void add_name(struct schema *s, uint32_t key, uint32_t record, word_list *out)
{
	uint32_t len;
	const char *name = intern_get(&s->keys, key, &len);
	out->at[record + KEY_NAME] = out->n, out->at[record + KEY_LEN] = len;
	for (uint32_t i = 0; i < len; i += 4) {
		uint32_t word = 0;
		memcpy(&word, name + i, len - i < 4 ? len - i : 4);
		vec_push(out, word);
	}
}

static bool is_plain_name(struct schema *s, uint32_t key)
{
	uint32_t len, i = 0;
	const char *name = intern_get(&s->keys, key, &len);
	while (i < len && is_written_plainly((uint8_t)name[i])) i++;
	return i == len;
}

// The keys of a closed object, behind the head. 0: they cannot be counted.
static uint64_t add_keys(struct schema *s, const closed_key_list *keys, word_list *out)
{
	uint64_t n = 1;  // objects from here on
	out->at[SHAPE_N_KEYS] = keys->n;
	for (uint32_t i = 0; i < keys->n * KEY_WORDS; i++) vec_push(out, 0);
	for (uint32_t i = keys->n; i-- && n;) {
		const struct closed_key *k = &keys->at[i];
		const uint32_t record = SHAPE_HEAD + i * KEY_WORDS;
		uint64_t n_values;
		if (!is_plain_name(s, k->key)) return 0;
		add_name(s, k->key, record, out);
		if (!k->is_free) {
			if (n < NO_END) return 0;
			out->at[record] = SHAPE_OTHER;
			continue;
		}
		if (value_is_endless(s, &k->value)) {
			out->at[record] = SHAPE_ENDLESS, n_values = NO_END;
		} else if (!add_values(s, &k->value, record, out, &n_values)) {
			if (n < NO_END || (k->is_required && !value_is_inhabited(s, &k->value))) return 0;
			out->at[record] = SHAPE_OTHER, out->at[record + KEY_STRINGS] = 0, n_values = 1;
		}
		out->at[record] |= k->is_required ? SHAPE_REQUIRED : 0u;
		n = plus(times(n, n_values), k->is_required ? 0 : n);
	}
	return n;
}

static bool are_free(const closed_key_list *keys)
{
	bool are = true;
	for (uint32_t i = 0; i < keys->n; i++) are &= keys->at[i].is_free;
	return are;
}

static uint64_t shape_in_order(struct schema *s, const struct value *v, word_list *out, atom *spelled)
{
	struct value rest = *v, object = value_none();
	closed_key_list keys = {0};
	uint64_t n_objects = 0, n = 0;
	object.object = v->object;
	const bool is_object = v->object != FORMULA_FALSE && !value_is_endless(s, &object);
	vec_clear(out);
	for (uint32_t i = 0; i < SHAPE_HEAD; i++) vec_push(out, 0);
	if (is_object) {
		rest.object = FORMULA_FALSE;
		out->at[SHAPE_FLAGS] = SHAPE_OBJECT;
		if (s->o->order != SCHEMA_ORDER_ANY && closed_keys(s, v, &keys) &&
		    (are_free(&keys) || value_is_inhabited(s, &object)))
			n_objects = add_keys(s, &keys, out);
	}
	const bool ok = (n_objects || !is_object) && add_values(s, &rest, 0, out, &n);
	if (ok) *spelled = spelling_of(s, &keys, out);
	vec_release(&keys);
	return ok ? plus(n, n_objects) : 0;
}

// The order with key number `last` of the list behind all others.
static uint32_t moved_last(struct schema *s, uint32_t order, uint32_t last)
{
	uint32_t len, n = 0;
	const uint32_t *keys = intern_get(&s->orders, order, &len);
	uint32_t *moved = mem_alloc(len);
	for (uint32_t i = 0; i < len / 4; i++)
		if (i != last) moved[n++] = keys[i];
	moved[n++] = keys[last];
	const uint32_t to = order_of(s, moved, n);
	free(moved);
	return to;
}

// One key may come last: with infinitely many values it makes up for those before it. The order in which it does; 0:
// none helps. *n: how many values.
static uint32_t order_that_counts(struct schema *s, const struct value *v, word_list *out, atom *spelled, uint64_t *n)
{
	struct value moved = *v;
	uint32_t len = 0;
	if (v->order) intern_get(&s->orders, v->order, &len);
	for (uint32_t i = len / 4; i-- > 0;) {
		moved.order = moved_last(s, v->order, i);
		*n = shape_in_order(s, &moved, out, spelled);
		if (*n) return moved.order;
	}
	return 0;
}

// Where the order may be chosen, it is one that counts.
uint64_t shape_of(struct schema *s, const struct value *v, word_list *out, atom *spelled, uint32_t *order)
{
	uint64_t n = shape_in_order(s, v, out, spelled);
	const bool may_order = s->o->order == SCHEMA_ORDER_AUTO && v->order && out->at[SHAPE_FLAGS] & SHAPE_OBJECT;
	*order = may_order ? v->order : 0;
	if (may_order && !n) *order = order_that_counts(s, v, out, spelled, &n);
	return n;
}

uint32_t shape_wants_last(struct schema *s, const struct value *v)
{
	word_list shape = {0};
	atom spelled = ATOM_TRUE;
	uint64_t n = 0;
	uint32_t key = UINT32_MAX, len;
	const uint32_t order = s->o->order == SCHEMA_ORDER_SCHEMA ? order_that_counts(s, v, &shape, &spelled, &n) : 0;
	if (order) {
		const uint32_t *keys = intern_get(&s->orders, order, &len);
		key = keys[len / 4 - 1];
	}
	vec_release(&shape);
	return key;
}
