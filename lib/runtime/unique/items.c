// Arrays whose items differ: the items of a text, by value.
//
// In:  a text as a list of frames (unique.h). Out: its closed items with their values, in a hash table, and the decoded
// beginning of an open string.
// Strings are decoded, so that two spellings are one value; other items are compared as they are written. Texts of one
// matcher share their beginnings: what is known of another text is cut to what both share, then the rest is read.
// Cost: some nanoseconds a byte that is new.
#include "unique.h"

// ---- Strings.
static uint32_t put_utf8(uint32_t c, uint8_t *out)
{
	if (c < 0x80) return out[0] = (uint8_t)c, 1;
	uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (uint32_t i = n - 1; i; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3f));
	out[0] = (uint8_t)(0xf00 >> n | c);
	return n;
}

static uint32_t digit_of(uint32_t c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

// The first half of a pair, alone.
static void put_high(struct spelling *s, uint8_t *out, uint32_t *n)
{
	if (s->high) *n += put_utf8(s->high, out + *n);
	s->high = 0;
}

static void take_unit(struct spelling *s, uint8_t *out, uint32_t *n)
{
	const uint32_t unit = s->unit;
	s->escape = 0;
	if (s->high && unit >> 10 == 0x37) {
		*n += put_utf8(0x10000 + ((s->high & 0x3ffu) << 10) + (unit & 0x3ff), out + *n);
		s->high = 0;
		return;
	}
	put_high(s, out, n);
	if (unit >> 10 == 0x36)
		s->high = (uint16_t)unit;
	else
		*n += put_utf8(unit, out + *n);
}

// A byte stands behind a backslash, among digits, or neither.
bool spelling_take(struct spelling *s, uint8_t byte, uint8_t out[SPELLING_MOST], uint32_t *n)
{
	static const char written[] = "bfnrt", meant[] = "\b\f\n\r\t";
	*n = 0;
	if (s->escape > 1) {
		s->unit = (uint16_t)((uint32_t)s->unit << 4 | (digit_of(byte) & 15));
		if (++s->escape == 6) take_unit(s, out, n);
		return true;
	}
	if (s->escape) {
		s->escape = 0;
		if (byte == 'u') {
			s->escape = 2, s->unit = 0;
			return true;
		}
		put_high(s, out, n);
		const char *at = byte ? strchr(written, byte) : NULL;
		out[(*n)++] = at ? (uint8_t)meant[at - written] : byte;
		return true;
	}
	if (byte == '\\') {
		s->escape = 1;
		return true;
	}
	put_high(s, out, n);
	if (byte == '"') return false;
	out[(*n)++] = byte;
	return true;
}

// ---- The table.
static bool is_there(const struct unique *u, uint64_t hash, const uint8_t *value, uint32_t n)
{
	uint32_t k = (uint32_t)hash;
	for (const struct item *x; (x = unique_next(u, hash, &k));)
		if (x->n == n && !memcmp(u->values + x->at, value, n)) return true;
	return false;
}

static void put_slot(struct unique *u, uint32_t item)
{
	uint32_t k = (uint32_t)u->items[item].hash;
	while (u->slots[k & (u->n_slots - 1)]) k++;
	u->slots[k & (u->n_slots - 1)] = item + 1;
}

// The newest: nothing was put behind it, so its place becomes free without more.
static void drop_slot(struct unique *u, uint32_t item)
{
	uint32_t k = (uint32_t)u->items[item].hash;
	while (u->slots[k & (u->n_slots - 1)] != item + 1) k++;
	u->slots[k & (u->n_slots - 1)] = 0;
}

static bool reserve_slots(const gcdc_memory *memory, struct unique *u)
{
	if (u->n_items * 2 < u->n_slots) return true;
	uint32_t n = u->n_slots ? u->n_slots * 2 : 64;
	uint32_t *slots = n ? memory_resize(memory, u->slots, n, sizeof *slots) : NULL;
	if (!slots) return false;
	u->slots = slots, u->n_slots = n;
	memset(slots, 0, n * sizeof *slots);
	for (uint32_t i = 0; i < u->n_items; i++)
		if (!u->items[i].is_double) put_slot(u, i);
	return true;
}

// ---- Values.
static bool put_bytes(const gcdc_memory *memory, struct unique *u, const uint8_t *bytes, uint32_t n)
{
	if (u->values_cap - u->n_values < n) {
		uint32_t cap = u->values_cap ? u->values_cap * 2 : 256;
		uint8_t *values = u->values_cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, u->values, cap, 1);
		if (!values) return false;
		u->values = values, u->values_cap = cap;
	}
	for (uint32_t i = 0; i < n; i++) u->hash = value_hash(u->hash, u->values[u->n_values++] = bytes[i]);
	return true;
}

// The value of the open item begins behind those of the closed ones.
static uint32_t values_end(const struct unique *u)
{
	return u->n_items ? u->items[u->n_items - 1].at + u->items[u->n_items - 1].n : 0;
}

static bool begin_item(const gcdc_memory *memory, struct unique *u, uint32_t at)
{
	const uint8_t first = (uint8_t)u->state.at[at];
	u->open = at, u->is_string = first == '"';
	u->spelling = (struct spelling){0};
	u->n_values = values_end(u), u->hash = VALUE_HASH;
	return put_bytes(memory, u, &first, 1);
}

static bool close_item(const gcdc_memory *memory, struct unique *u, uint32_t closed_by)
{
	if (u->n_items == u->items_cap) {
		uint32_t cap = u->items_cap ? u->items_cap * 2 : 32;
		struct item *items = u->items_cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, u->items, cap, sizeof *items);
		if (!items) return false;
		u->items = items, u->items_cap = cap;
	}
	const uint32_t at = values_end(u), n = u->n_values - at;
	const bool is_double = is_there(u, u->hash, u->values + at, n);
	if (!reserve_slots(memory, u)) return false;
	u->items[u->n_items++] = (struct item){u->open, closed_by, at, n, u->hash, is_double};
	u->n_doubles += is_double;
	if (!is_double) put_slot(u, u->n_items - 1);
	u->open = GCDC_NONE;
	return true;
}

static bool is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Byte i goes on with the open item, or ends it.
static bool go_on(const gcdc_memory *memory, struct unique *u, uint32_t i)
{
	const uint32_t before = u->state.at[i - 1], now = u->state.at[i];
	uint8_t byte = (uint8_t)now, out[SPELLING_MOST];
	if (u->is_string) {
		uint32_t n;
		bool inside = spelling_take(&u->spelling, byte, out, &n);
		return put_bytes(memory, u, out, n) && (inside || close_item(memory, u, i));
	}
	const bool is_outside = text_depth(before) == 1 && (before & TEXT_PLACE) == TEXT_OUT;
	if (is_outside && (byte == ',' || byte == ']' || is_blank(byte))) return close_item(memory, u, i);
	if (!put_bytes(memory, u, &byte, 1)) return false;
	return text_depth(before) != 2 || text_depth(now) != 1 || close_item(memory, u, i);
}

static bool read_byte(const gcdc_memory *memory, struct unique *u, uint32_t i)
{
	const uint8_t byte = (uint8_t)u->state.at[i];
	if (!i) return true;
	if (u->open != GCDC_NONE) return go_on(memory, u, i);
	return is_blank(byte) || byte == ',' || !text_depth(u->state.at[i]) || begin_item(memory, u, i);
}

// ---- The text.
// What is known is cut to n bytes.
static bool cut_to(const gcdc_memory *memory, struct unique *u, uint32_t n)
{
	uint32_t open = u->open;
	bool again = n < u->frames.n;
	while (u->n_items && u->items[u->n_items - 1].closed_by >= n) {
		const struct item *x = &u->items[u->n_items - 1];
		open = x->begin;
		u->n_doubles -= x->is_double;
		if (!x->is_double) drop_slot(u, u->n_items - 1);
		u->n_items--;
	}
	u->frames.n = u->state.n = n;
	if (!again) return true;
	u->open = GCDC_NONE;
	if (open == GCDC_NONE || open >= n) return true;
	bool ok = begin_item(memory, u, open);
	for (uint32_t i = open + 1; i < n && ok; i++) ok = go_on(memory, u, i);
	return ok;
}

static gcdc_status read_from(struct gcdc_matcher *m, struct unique *u, uint32_t head)
{
	const gcdc_memory *memory = &m->artifact->memory;
	const struct frame *at = m->pool->at;
	struct vec32 *fresh = &u->fresh;
	fresh->n = 0;
	uint32_t f = head;
	for (; f != FRAME_BOTTOM; f = at[f].parent) {
		uint32_t i = at[f].depth - 1;
		if (i < u->frames.n && u->frames.at[i] == f) break;
		if (!vec32_push(memory, fresh, f)) return GCDC_ERR_MEMORY;
	}
	if (!cut_to(memory, u, at[f].depth)) return GCDC_ERR_MEMORY;
	while (fresh->n) {
		f = fresh->at[--fresh->n];
		if (!vec32_push(memory, &u->frames, f) || !vec32_push(memory, &u->state, at[f].lr_state))
			return GCDC_ERR_MEMORY;
		if (!read_byte(memory, u, u->frames.n - 1)) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

static void forget(struct gcdc_matcher *m, struct unique *u)
{
	if (u->head) frame_unref(m->pool, u->head);
	u->head = 0, u->frames.n = u->state.n = 0, u->open = GCDC_NONE;
	u->n_items = u->n_doubles = u->n_values = 0;
	if (u->n_slots) memset(u->slots, 0, u->n_slots * sizeof *u->slots);
}

gcdc_status unique_read(struct gcdc_matcher *m, uint32_t head)
{
	struct unique *u = m->unique;
	if (u->head == head) return GCDC_OK;
	gcdc_status status = read_from(m, u, head);
	if (status) {
		forget(m, u);
		return status;
	}
	frame_ref(m->pool, head);
	if (u->head) frame_unref(m->pool, u->head);
	u->head = head;
	return GCDC_OK;
}

void unique_free(struct gcdc_matcher *m)
{
	struct unique *u = m->unique;
	const gcdc_memory *memory = &m->artifact->memory;
	if (!u) return;
	if (u->head) frame_unref(m->pool, u->head);
	memory_free(memory, u->frames.at);
	memory_free(memory, u->state.at);
	memory_free(memory, u->items);
	memory_free(memory, u->values);
	memory_free(memory, u->slots);
	memory_free(memory, u->fresh.at);
	memory_free(memory, u->alike.at);
	memory_free(memory, u->after.at);
	memory_free(memory, u->row);
	memory_free(memory, u);
	m->unique = NULL;
}
