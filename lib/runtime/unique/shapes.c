// Arrays whose items differ: is a value of its own left for an item that is not endless?
//
// In:  what is known of a text; the shapes of its arrays (formats/artifact.h), proved here when the file is opened.
// Out: whether some open item is dead: all values that begin like it are items already.
// The compiler counted how many strings go on from each state of their automaton, so the values that begin like an
// open item are a product: those of the open member, times those of the keys behind it. Items of the array that begin
// so are looked for one by one. As they differ, and are such values themselves, the item is dead when they are as many.
// Where values have no end, or are more than the items, nothing is looked for. Cost: the keys of the object; then
// linear in the array's items, in masks in those that have the open item's members.
#include "unique.h"

#define NO_END UINT32_MAX

static uint32_t plus(uint32_t a, uint32_t b) { return a < NO_END - b ? a + b : NO_END; }

static uint32_t times(uint32_t a, uint32_t b) { return (uint64_t)a * b < NO_END ? a * b : NO_END; }

// ---- Opening: the words of a section.
static bool strings_are_valid(const uint32_t *shape, uint64_t n, uint32_t at)
{
	if (!at) return true;
	if (at + 2ull > n) return false;
	if (!shape[at]) return at + 3ull <= n && shape[at + 1] <= shape[at + 2];
	const uint64_t n_states = shape[at], n_edges = shape[at + 1];
	if (at + 2 + (n_states + 1) + 2 * n_edges + n_states > n) return false;
	const uint32_t *first = shape + at + 2, *edge = first + n_states + 1;
	bool ok = first[n_states] >> 1 <= n_edges;
	for (uint64_t q = 0; q < n_states && ok; q++) ok = first[q] >> 1 <= first[q + 1] >> 1;
	for (uint64_t e = 0; e < n_edges && ok; e++) ok = edge[2 * e] < n_states;
	return ok;
}

// The strings of a record, and the numbers.
static bool texts_are_valid(const uint32_t *shape, uint64_t n, const uint32_t *record)
{
	const uint32_t at = record[SHAPE_STRINGS];
	if (!(record[SHAPE_FLAGS] & SHAPE_NUMBERS)) return strings_are_valid(shape, n, at);
	if (at + 2ull > n) return false;
	const uint32_t numbers = shape[at];
	return numbers && numbers < n && shape[numbers] && strings_are_valid(shape, n, numbers) &&
	       strings_are_valid(shape, n, shape[at + 1]);
}

static bool shape_is_valid(const uint32_t *shape, uint64_t n)
{
	if (n < SHAPE_HEAD || SHAPE_HEAD + (uint64_t)KEY_WORDS * shape[SHAPE_N_KEYS] > n) return false;
	bool ok = texts_are_valid(shape, n, shape);
	for (uint32_t i = 0; i < shape[SHAPE_N_KEYS] && ok; i++) {
		const uint32_t *key = shape + SHAPE_HEAD + (uint64_t)KEY_WORDS * i;
		ok = texts_are_valid(shape, n, key) && key[KEY_NAME] + (key[KEY_LEN] + 3ull) / 4 <= n;
	}
	return ok;
}

gcdc_status shapes_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const uint32_t n = a->unique_info->n_shape_words, n_terminals = a->unique_info->n_terminals;
	const uint32_t *words = a->unique_shapes;
	if (!n) return GCDC_OK;
	if (n < n_terminals) return refuse(why, GCDC_ERR_FORMAT, SECTION_UNIQUES, 0, "fewer words than terminals");
	for (uint32_t k = 0; k < n_terminals; k++)
		if (words[k] && (words[k] >= n || !shape_is_valid(words + words[k], n - words[k])))
			return refuse(why, GCDC_ERR_FORMAT, SECTION_UNIQUE_SHAPE, 4ull * k,
			              "the shape of terminal %u leads out of the section", k);
	return GCDC_OK;
}

// ---- Values that begin so.
struct values_of {
	const uint32_t *shape;
	uint32_t flags, strings, numbers;
};

static struct values_of values_at(const uint32_t *shape, const uint32_t *record)
{
	const uint32_t flags = record[SHAPE_FLAGS], at = record[SHAPE_STRINGS];
	if (!(flags & SHAPE_NUMBERS)) return (struct values_of){shape, flags, at, 0};
	return (struct values_of){shape, flags, shape[at + 1], shape[at]};
}

static const uint32_t *key_at(const uint32_t *shape, uint32_t i) { return shape + SHAPE_HEAD + KEY_WORDS * (size_t)i; }

// Strings that only have a length? Then its bounds.
static const uint32_t *lengths_of(const struct values_of *x)
{
	const uint32_t *a = x->strings ? x->shape + x->strings : NULL;
	return a && !a[0] ? a + 1 : NULL;
}

// Behind so many characters.
static uint32_t count_from_length(const uint32_t *bounds, uint32_t n)
{
	if (n > bounds[1]) return 0;
	if (bounds[1] - n > 1) return NO_END;
	return (bounds[1] - n) * SHAPE_CHARACTERS + (n >= bounds[0]);
}

static uint32_t count_lengths(const uint32_t *bounds, const struct spelling *s, const uint8_t *bytes, uint32_t n)
{
	uint32_t n_whole;
	if (bounds[1] > 2 && n < bounds[1] - 2) return NO_END;  // at most as many characters
	const uint32_t begun = characters_begun(s, bytes, n, &n_whole);
	return begun ? times(begun, count_from_length(bounds, n_whole + 1)) : count_from_length(bounds, n_whole);
}

// Behind one byte more; GCDC_NONE: no text goes on so.
static uint32_t shape_step(const uint32_t *a, uint32_t q, uint8_t byte)
{
	const uint32_t *first = a + 2, *edge = first + a[0] + 1, end = first[q + 1] >> 1;
	uint32_t e = first[q] >> 1;
	while (e < end && (byte < (uint8_t)edge[2 * e + 1] || byte > (uint8_t)(edge[2 * e + 1] >> 8))) e++;
	return e < end ? edge[2 * e] : GCDC_NONE;
}

static uint32_t shape_count(const uint32_t *a, uint32_t q)
{
	const uint32_t *edge = a + 2 + a[0] + 1;
	return q == GCDC_NONE ? 0 : (edge + 2 * (size_t)a[1])[q];
}

static uint32_t count_strings(const struct values_of *x, const uint8_t *bytes, uint32_t n)
{
	static const struct spelling plain = {0};
	if (lengths_of(x)) return count_lengths(lengths_of(x), &plain, bytes, n);
	const uint32_t *a = x->shape + x->strings;
	uint32_t q = 0;
	for (uint32_t i = 0; i < n && q != GCDC_NONE; i++) q = shape_step(a, q, bytes[i]);
	return shape_count(a, q);
}

// Of a number: the state behind what is open of it.
static uint32_t number_state(const struct unique *u, const uint32_t *a)
{
	uint32_t q = 0;
	for (uint32_t i = u->here.begin; u->here.scalar && i < u->state.n && q != GCDC_NONE; i++)
		q = shape_step(a, q, (uint8_t)u->state.at[i]);
	return q;
}

static uint32_t count_all(const struct values_of *x)
{
	if (x->flags & SHAPE_ENDLESS) return NO_END;
	if (x->flags & SHAPE_OTHER) return 1;
	const uint32_t n_simple = x->flags / SHAPE_SIMPLE % (SHAPE_NUMBERS / SHAPE_SIMPLE);
	const uint32_t n = x->numbers ? plus(n_simple, shape_count(x->shape + x->numbers, 0)) : n_simple;
	return x->strings ? plus(n, count_strings(x, NULL, 0)) : n;
}

// Of an open value. Other strings and numbers than those listed are endless; of a part of an escape nothing is counted
// where there is an automaton, and the compiler has seen to it that it need not be.
static uint32_t count_open(const struct values_of *x, const struct unique *u, bool is_scalar)
{
	const struct here *h = &u->here;
	if (x->flags & SHAPE_OTHER) return 1;
	if (is_scalar && h->scalar == '0' && x->numbers) {
		const uint32_t *numbers = x->shape + x->numbers;
		return shape_count(numbers, number_state(u, numbers));
	}
	if (!is_scalar || h->scalar != '"' || !x->strings) return NO_END;
	const uint8_t *bytes = u->values.bytes + h->written + 1;
	const uint32_t n = u->values.n_bytes - h->written - 1, *bounds = lengths_of(x);
	if (bounds) return count_lengths(bounds, &h->spelling, bytes, n);
	return is_within_escape(&h->spelling) ? NO_END : count_strings(x, bytes, n);
}

// ---- Objects that begin so.
static bool has_name(const uint32_t *shape, const uint32_t *key, const uint8_t *bytes, uint32_t n, bool whole)
{
	return (whole ? key[KEY_LEN] == n : key[KEY_LEN] >= n) && !memcmp(shape + key[KEY_NAME], bytes, n);
}

// Of a key by its number; n_keys: none.
static uint32_t key_place(const uint32_t *shape, const struct unique *u, uint32_t value)
{
	const struct known *k = &u->values.at[value];
	uint32_t i = 0;
	while (i < shape[SHAPE_N_KEYS] &&
	       !has_name(shape, key_at(shape, i), u->values.bytes + k->at + 1, k->n ? k->n - 1 : 0, true))
		i++;
	return i;
}

// An open object that is an item.
struct open_object {
	const uint32_t *shape;
	const struct unique *u;
	uint32_t level;
	uint32_t part, n_parts;  // its members
	uint32_t next;           // the place of the first key that may come
	uint32_t key;            // whose value is to come, or is open; n_keys: none
	bool is_scalar;          // the value is no array or object
	bool must_come;          // a key, behind a comma or in its quotes
	const uint8_t *name;     // of it so far
	uint32_t n_name;
};

// How many go on from keys i on; those in which one that begins like the open key comes next.
static uint32_t count_behind(const struct open_object *x, uint32_t from, uint32_t *begun)
{
	uint32_t n = 1;
	*begun = 0;
	for (uint32_t i = x->shape[SHAPE_N_KEYS]; i-- > from;) {
		const uint32_t *key = key_at(x->shape, i);
		const struct values_of values = values_at(x->shape, key);
		const uint32_t with = times(count_all(&values), n);
		const bool is_required = key[KEY_FLAGS] & SHAPE_REQUIRED;
		if (is_required) *begun = 0;
		if (has_name(x->shape, key, x->name, x->n_name, false)) *begun = plus(*begun, with);
		n = is_required ? with : plus(with, n);
	}
	return n;
}

static uint32_t count_objects(const struct open_object *x)
{
	uint32_t begun;
	if (x->key < x->shape[SHAPE_N_KEYS]) {
		const struct values_of values = values_at(x->shape, key_at(x->shape, x->key));
		const uint32_t n =
			x->is_scalar && !x->u->here.scalar ? count_all(&values) : count_open(&values, x->u, x->is_scalar);
		return times(n, count_behind(x, x->key + 1, &begun));
	}
	const uint32_t n = count_behind(x, x->next, &begun);
	return x->must_come ? begun : n;
}

// Entry i of an object's bytes: a key's number, or the value's behind it.
static uint32_t word_at(const struct unique *u, const struct known *object, uint32_t i)
{
	uint32_t word;
	memcpy(&word, u->values.bytes + object->at + 1 + 4 * (size_t)i, sizeof word);
	return word;
}

// The first of an object's keys that the open one does not have.
struct next_key {
	uint32_t place;  // n_keys: one that the shape has not; UINT32_MAX: there is none
	uint32_t value;
};

// False: some member of the open one is not in it.
static bool find_next(const struct open_object *x, const struct known *v, struct next_key *next)
{
	const struct unique *u = x->u;
	uint32_t n_same = 0;
	*next = (struct next_key){UINT32_MAX, 0};
	for (uint32_t i = 0; i + 1 < v->n / 4; i += 2) {
		const uint32_t key = word_at(u, v, i), value = word_at(u, v, i + 1);
		uint32_t p = x->part;
		while (p != GCDC_NONE && u->parts[p].key != key) p = u->parts[p].before;
		if (p != GCDC_NONE && u->parts[p].value != value) return false;
		n_same += p != GCDC_NONE;
		if (p != GCDC_NONE) continue;
		const uint32_t place = key_place(x->shape, u, key);
		if (place < next->place) *next = (struct next_key){place, value};
	}
	return n_same == x->n_parts;
}

static bool string_begins_like(const struct unique *u, uint32_t value)
{
	const struct known *v = &u->values.at[value];
	const uint32_t n = u->values.n_bytes - u->here.written;
	if (v->n < n || memcmp(u->values.bytes + v->at, u->values.bytes + u->here.written, n) != 0) return false;
	const struct spelling *s = &u->here.spelling;
	return !is_within_escape(s) || escape_fits(s, u->values.bytes + v->at + n, v->n - n);
}

static bool number_begins_like(const struct unique *u, uint32_t value)
{
	const struct known *v = &u->values.at[value];
	const uint8_t *bytes = u->values.bytes + v->at;
	if (*bytes != '0') return false;
	const struct decimal_text d = decimal_of_normal(bytes + 1, v->n - 1);
	uint32_t i = u->here.begin;
	while (i < u->state.n && decimal_byte(&d, i - u->here.begin) == (uint8_t)u->state.at[i]) i++;
	return i == u->state.n;
}

// Does this value begin like the open string or number? Before one is open, each does.
static bool scalar_begins_like(const struct unique *u, uint32_t value)
{
	if (u->here.scalar == '"') return string_begins_like(u, value);
	return u->here.scalar != '0' || number_begins_like(u, value);
}

// Is this value an object that begins like the open one?
static bool begins_like(const struct open_object *x, uint32_t value)
{
	const struct known *v = &x->u->values.at[value];
	struct next_key next;
	if (x->u->values.bytes[v->at] != '{' || v->n / 8 < x->n_parts || !find_next(x, v, &next) || next.place < x->next)
		return false;
	const uint32_t n_keys = x->shape[SHAPE_N_KEYS];
	if (x->key < n_keys) return next.place == x->key && (!x->is_scalar || scalar_begins_like(x->u, next.value));
	return !x->must_come ||
	       (next.place < n_keys && has_name(x->shape, key_at(x->shape, next.place), x->name, x->n_name, false));
}

// ---- Items.
// Are so many items of the level used that begin like the open one? object: NULL: it is a scalar, or not begun.
static bool all_are_used(const struct unique *u, uint32_t level, uint32_t n, const struct open_object *object)
{
	const struct values *v = &u->values;
	if (n > v->n_items) return false;
	const bool are_noted = object && u->is_trial && u->alike_level == object->level;
	const uint32_t n_looked_at = are_noted ? u->alike.n : v->n_items;
	for (uint32_t k = 0; k < n_looked_at && n; k++) {
		const uint32_t i = are_noted ? u->alike.at[k] : k;
		if (v->items[i].level != level) continue;
		n -= object ? begins_like(object, v->items[i].value) : scalar_begins_like(u, v->items[i].value);
	}
	return !n;
}

// Does the value have all members of an open object?
static bool has_members(const struct unique *u, uint32_t value, uint32_t part)
{
	const struct known *v = &u->values.at[value];
	bool has = u->values.bytes[v->at] == '{';
	for (; part != GCDC_NONE && has; part = u->parts[part].before) {
		has = false;
		for (uint32_t i = 0; i + 1 < v->n / 4 && !has; i += 2)
			has = word_at(u, v, i) == u->parts[part].key && word_at(u, v, i + 1) == u->parts[part].value;
	}
	return has;
}

bool unique_note_alike(const gcdc_memory *memory, struct unique *u)
{
	const struct here *h = &u->here;
	uint32_t l = h->level, part = h->part, child = GCDC_NONE;
	u->alike.n = 0, u->alike_level = GCDC_NONE;
	for (; l != GCDC_NONE && !u->levels[l].shape; l = u->levels[l].around)
		part = child == GCDC_NONE ? h->part : u->levels[child].part, child = l;
	if (l == GCDC_NONE || child == GCDC_NONE) return true;
	for (uint32_t i = 0; i < u->values.n_items; i++)
		if (u->values.items[i].level == l && has_members(u, u->values.items[i].value, part) &&
		    !vec32_push(memory, &u->alike, i))
			return false;
	u->alike_level = child;
	return true;
}

// child: the object's level; inner: the level that is open in it.
static bool object_is_dead(const struct unique *u, const uint32_t *shape, uint32_t child, uint32_t inner)
{
	const struct here *h = &u->here;
	const bool is_innermost = inner == GCDC_NONE;
	const uint32_t key = is_innermost ? h->key : u->levels[inner].key;
	struct open_object x = {.shape = shape,
	                        .u = u,
	                        .level = child,
	                        .part = is_innermost ? h->part : u->levels[inner].part,
	                        .key = shape[SHAPE_N_KEYS],
	                        .is_scalar = is_innermost,
	                        .name = (const uint8_t *)""};
	for (uint32_t p = x.part; p != GCDC_NONE; p = u->parts[p].before, x.n_parts++)
		if (u->parts[p].value >= h->n_old) return false;  // no item has it
	if (x.part != GCDC_NONE) x.next = key_place(shape, u, u->parts[x.part].key) + 1;
	if (key != GCDC_NONE) {
		x.key = key_place(shape, u, key);
	} else if (is_innermost && h->scalar == '"') {
		x.must_come = true;
		x.name = u->values.bytes + h->written + 1, x.n_name = u->values.n_bytes - h->written - 1;
	} else {
		x.must_come = h->is_comma;
	}
	return all_are_used(u, u->levels[child].around, count_objects(&x), &x);
}

// The item that is open in this level, or must come there.
static bool item_is_dead(const struct unique *u, const uint32_t *shape, uint32_t level, uint32_t child, uint32_t inner)
{
	const struct values_of values = values_at(shape, shape);
	if (child != GCDC_NONE)
		return u->levels[child].kind == '{' && values.flags & SHAPE_OBJECT && object_is_dead(u, shape, child, inner);
	if (u->here.scalar == '"' || u->here.scalar == '0')
		return all_are_used(u, level, count_open(&values, u, true), NULL);
	if (u->here.scalar || !u->here.is_comma) return false;
	uint32_t n = count_all(&values), begun;
	const struct open_object none = {.shape = shape, .name = (const uint8_t *)""};
	if (values.flags & SHAPE_OBJECT) n = plus(n, count_behind(&none, 0, &begun));
	return all_are_used(u, level, n, NULL);
}

bool unique_is_dead(const struct gcdc_artifact *a, const struct unique *u)
{
	uint32_t child = GCDC_NONE, inner = GCDC_NONE;
	bool is = false;
	for (uint32_t l = u->here.level; l != GCDC_NONE && !is; inner = child, child = l, l = u->levels[l].around)
		if (u->levels[l].shape) is = item_is_dead(u, a->unique_shapes + u->levels[l].shape, l, child, inner);
	return is;
}

// May a token change how many go on from the open string of such values? Where all characters of a token still leave
// some to come, the length does not count.
static bool string_counts(const struct gcdc_artifact *a, const struct unique *u, const struct values_of *x)
{
	const uint32_t *bounds = lengths_of(x);
	const uint64_t n = u->values.n_bytes - u->here.written;
	return bounds ? n + a->unique_tokens.longest + 4 > bounds[1] : x->strings;
}

// The values of the scalar that is open or may come: of an item, or of a key of one. False: of neither. shape: NULL: a
// key may come.
static bool find_values(const struct gcdc_artifact *a, const struct unique *u, struct values_of *values)
{
	const struct here *h = &u->here;
	const struct level *x = &u->levels[h->level];
	*values = (struct values_of){0};
	if (x->shape) {
		*values = values_at(a->unique_shapes + x->shape, a->unique_shapes + x->shape);
		return true;
	}
	if (x->around == GCDC_NONE || !u->levels[x->around].shape || x->kind != '{') return false;
	const uint32_t *shape = a->unique_shapes + u->levels[x->around].shape;
	if (!(shape[SHAPE_FLAGS] & SHAPE_OBJECT)) return false;
	const uint32_t place = h->key == GCDC_NONE ? shape[SHAPE_N_KEYS] : key_place(shape, u, h->key);
	if (place < shape[SHAPE_N_KEYS]) *values = values_at(shape, key_at(shape, place));
	return true;
}

bool unique_byte_counts(const struct gcdc_artifact *a, const struct unique *u)
{
	struct values_of values;
	const bool is_string = u->here.scalar == '"';
	if (!find_values(a, u, &values)) return false;
	if (!values.shape || (u->levels[u->here.level].shape && !is_string)) return true;
	return is_string ? string_counts(a, u, &values) : values.strings || values.numbers;
}

struct open_number unique_open_number(const struct gcdc_artifact *a, const struct unique *u)
{
	struct values_of values;
	struct open_number x = {NULL, GCDC_NONE};
	if ((u->here.scalar && u->here.scalar != '0') || !find_values(a, u, &values) || !values.numbers) return x;
	x.automaton = values.shape + values.numbers;
	x.state = number_state(u, x.automaton);
	return x;
}

bool unique_number_goes_on(const struct unique *u, const struct open_number *x, const uint8_t *bytes, uint32_t n)
{
	uint32_t i = 0, q = x->state;
	if (!x->automaton) return false;
	while (i < n && is_blank(bytes[i])) i++;
	if (i == n) return false;
	while (i < n && q != GCDC_NONE) q = shape_step(x->automaton, q, bytes[i++]);
	return shape_count(x->automaton, q) > u->values.n_items;
}
