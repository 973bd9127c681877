// Arrays whose items differ: values by number.
//
// In:  bytes that say what a value is (unique.h). Out: its number, equal values having one (hash consing: Ershov 1958,
// Filliatre and Conchon 2006); which values are items of which array. The newest go first: so an entry of the tables,
// found by linear probing, becomes free without more. Of each string the beginnings are known by their hashes, so that
// a mask need not look for a value where no string of the text goes on so. Cost: linear in the bytes of each value.
#include "unique.h"

// ---- Tables of numbers.
static void slot_put(struct slots *t, uint64_t hash, uint32_t number)
{
	uint32_t k = (uint32_t)hash;
	while (t->at[k & (t->n - 1)]) k++;
	t->at[k & (t->n - 1)] = number + 1;
}

static void slot_drop(struct slots *t, uint64_t hash, uint32_t number)
{
	uint32_t k = (uint32_t)hash;
	while (t->at[k & (t->n - 1)] != number + 1) {
		assert(t->at[k & (t->n - 1)]);  // what was put is there
		k++;
	}
	t->at[k & (t->n - 1)] = 0;
}

// Room for one more than n. *is_new: the table is empty, all have to be put there again.
static bool slots_reserve(const gcdc_memory *memory, struct slots *t, uint32_t n, bool *is_new)
{
	*is_new = false;
	if (n < t->n / 2) return true;
	uint32_t size = t->n ? t->n * 2 : 64;
	uint32_t *at = size ? memory_resize(memory, t->at, size, sizeof *at) : NULL;
	if (!at) return false;
	t->at = at, t->n = size;
	memset(at, 0, size * sizeof *at);
	*is_new = true;
	return true;
}

// ---- Values.
bool values_put(const gcdc_memory *memory, struct values *v, const void *bytes, uint32_t n)
{
	if (v->bytes_cap - v->n_bytes < n) {
		uint64_t cap = v->bytes_cap ? v->bytes_cap * 2ull : 256;
		while (cap - v->n_bytes < n) cap *= 2;
		uint8_t *grown = cap > UINT32_MAX ? NULL : memory_resize(memory, v->bytes, (uint32_t)cap, 1);
		if (!grown) return false;
		v->bytes = grown, v->bytes_cap = (uint32_t)cap;
	}
	memcpy(v->bytes + v->n_bytes, bytes, n);
	v->n_bytes += n;
	return true;
}

bool values_close(const gcdc_memory *memory, struct values *v, uint32_t at, uint64_t hash, uint32_t *value)
{
	assert(at <= v->n_bytes);
	const uint32_t n = v->n_bytes - at;
	uint32_t k = (uint32_t)hash;
	while ((*value = values_next(v, hash, &k)) != GCDC_NONE)
		if (v->at[*value].n == n && !memcmp(v->bytes + v->at[*value].at, v->bytes + at, n)) break;
	if (*value != GCDC_NONE) return true;
	if (v->n == v->cap) {
		uint32_t cap = v->cap ? v->cap * 2 : 32;
		struct known *grown = v->cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, v->at, cap, sizeof *grown);
		if (!grown) return false;
		v->at = grown, v->cap = cap;
	}
	bool is_new;
	if (!slots_reserve(memory, &v->by_hash, v->n, &is_new)) return false;
	for (uint32_t i = 0; is_new && i < v->n; i++) slot_put(&v->by_hash, v->at[i].hash, i);
	v->at[v->n] = (struct known){hash, at, n};
	slot_put(&v->by_hash, hash, v->n);
	*value = v->n++;
	return true;
}

// ---- Items.
static uint64_t item_hash(uint32_t level, uint32_t value) { return hash_add_fold(0, (uint64_t)level << 32 | value); }

bool values_have_item(const struct values *v, uint32_t level, uint32_t value)
{
	const struct slots *t = &v->by_item;
	if (!t->n) return false;
	for (uint32_t i, k = (uint32_t)item_hash(level, value); (i = t->at[k & (t->n - 1)]); k++)
		if (v->items[i - 1].level == level && v->items[i - 1].value == value) return true;
	return false;
}

bool values_item(const gcdc_memory *memory, struct values *v, uint32_t level, uint32_t value)
{
	if (v->n_items == v->items_cap) {
		uint32_t cap = v->items_cap ? v->items_cap * 2 : 32;
		struct item *grown = v->items_cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, v->items, cap, sizeof *grown);
		if (!grown) return false;
		v->items = grown, v->items_cap = cap;
	}
	const bool is_double = values_have_item(v, level, value);
	bool is_new;
	if (!slots_reserve(memory, &v->by_item, v->n_items, &is_new)) return false;
	for (uint32_t i = 0; is_new && i < v->n_items; i++)
		if (!v->items[i].is_double) slot_put(&v->by_item, item_hash(v->items[i].level, v->items[i].value), i);
	if (!is_double) slot_put(&v->by_item, item_hash(level, value), v->n_items);
	v->items[v->n_items++] = (struct item){level, value, is_double};
	v->n_doubles += is_double;
	return true;
}

// ---- Beginnings of strings.
static bool note_beginning(const gcdc_memory *memory, struct values *v, uint64_t hash)
{
	bool is_new;
	if (values_begin_so(v, hash)) return true;
	if (v->n_begins == v->begins_cap) {
		uint32_t cap = v->begins_cap ? v->begins_cap * 2 : 64;
		uint64_t *grown = v->begins_cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, v->begins, cap, sizeof *grown);
		if (!grown) return false;
		v->begins = grown, v->begins_cap = cap;
	}
	if (!slots_reserve(memory, &v->by_begin, v->n_begins, &is_new)) return false;
	for (uint32_t i = 0; is_new && i < v->n_begins; i++) slot_put(&v->by_begin, v->begins[i], i);
	v->begins[v->n_begins] = hash;
	slot_put(&v->by_begin, hash, v->n_begins++);
	return true;
}

bool values_note_string(const gcdc_memory *memory, struct values *v, uint32_t value)
{
	uint64_t hash = VALUE_HASH;
	bool ok = true;
	for (uint32_t i = 0; i < v->at[value].n && ok; i++) {
		hash = value_hash(hash, v->bytes[v->at[value].at + i]);
		ok = note_beginning(memory, v, hash);
	}
	return ok;
}

void values_cut(struct values *v, uint32_t n, uint32_t n_items, uint32_t n_bytes, uint32_t n_begins)
{
	while (v->n_begins > n_begins) v->n_begins--, slot_drop(&v->by_begin, v->begins[v->n_begins], v->n_begins);
	while (v->n_items > n_items) {
		const struct item *x = &v->items[--v->n_items];
		v->n_doubles -= x->is_double;
		if (!x->is_double) slot_drop(&v->by_item, item_hash(x->level, x->value), v->n_items);
	}
	while (v->n > n) v->n--, slot_drop(&v->by_hash, v->at[v->n].hash, v->n);
	v->n_bytes = n_bytes;
}

void values_release(const gcdc_memory *memory, struct values *v)
{
	memory_free(memory, v->bytes);
	memory_free(memory, v->at);
	memory_free(memory, v->items);
	memory_free(memory, v->by_hash.at);
	memory_free(memory, v->by_item.at);
	memory_free(memory, v->begins);
	memory_free(memory, v->by_begin.at);
}
