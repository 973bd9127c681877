// Arrays whose items differ: the values of a text.
//
// In:  a text as a list of frames (unique.h). Out: its closed values by number, and the items of each array in it whose
// items differ.
// Values become numbers as they close (values.c): an array is the number of that without its last item, and the item's;
// an object is the list of its keys' and values' numbers in the order of the keys', the last value of a key
// counting. So values are compared exactly and without recursion, and two that are equal have one number. true, false,
// null and zeros with an exponent are known by a byte before their last one.
// Texts of one matcher share their beginnings: what is known of another text is cut to what both share, then the rest
// is read. Cost: some 10 nanoseconds a byte that is new, some 20 an item; closing an object n log n in its members.
#include "unique.h"

static bool grow(const gcdc_memory *memory, void **at, uint32_t *cap, uint32_t n, size_t size)
{
	if (n < *cap) return true;
	uint32_t more = *cap ? *cap * 2 : 32;
	void *grown = *cap > UINT32_MAX / 2 ? NULL : memory_resize(memory, *at, more, size);
	if (!grown) return false;
	*at = grown, *cap = more;
	return true;
}

static bool has_room(const gcdc_memory *memory, struct unique *u, uint64_t n)
{
	if (n <= u->scratch_cap) return true;
	uint8_t *grown = n > UINT32_MAX / 2 ? NULL : memory_resize(memory, u->scratch, (uint32_t)n * 2, 1);
	if (!grown) return false;
	u->scratch = grown, u->scratch_cap = (uint32_t)n * 2;
	return true;
}

// ---- What closes.
// The number of the value of these bytes.
static bool number_of(const gcdc_memory *memory, struct unique *u, const uint8_t *bytes, uint32_t n, uint32_t *value)
{
	const uint32_t at = u->values.n_bytes;
	uint64_t hash = VALUE_HASH;
	for (uint32_t i = 0; i < n; i++) hash = value_hash(hash, bytes[i]);
	return values_put(memory, &u->values, bytes, n) && values_close(memory, &u->values, at, hash, value);
}

// The value of an array with one item more. Nobody asks for that of the outermost.
static bool number_of_list(const gcdc_memory *memory, struct unique *u, uint32_t value, uint32_t *list)
{
	const struct here *h = &u->here;
	uint8_t bytes[9] = {'['};
	*list = h->part == GCDC_NONE ? GCDC_NONE : u->parts[h->part].list;
	if (u->levels[h->level].around == GCDC_NONE) return true;
	memcpy(bytes + 1, list, 4), memcpy(bytes + 5, &value, 4);
	return number_of(memory, u, bytes, sizeof bytes, list);
}

// A value stands where one may: it is a key, a member's value, or an item.
static bool put_value(const gcdc_memory *memory, struct unique *u, uint32_t value)
{
	struct here *h = &u->here;
	if (h->level == GCDC_NONE) return true;
	if (u->levels[h->level].kind == '{' && h->key == GCDC_NONE) {
		h->key = value;
		return true;
	}
	if (!grow(memory, (void **)&u->parts, &u->parts_cap, h->n_parts, sizeof *u->parts)) return false;
	const bool is_told = u->levels[h->level].told == h->level,
			   was_equal = h->part != GCDC_NONE && u->parts[h->part].is_equal;
	const bool is_equal = is_told && (was_equal || values_have_item(&u->values, h->level, value));
	uint32_t list = GCDC_NONE;
	if (u->levels[h->level].kind == '[' && !number_of_list(memory, u, value, &list)) return false;
	u->parts[h->n_parts] = (struct part){h->part, h->key, value, list, is_equal};
	h->part = h->n_parts++, h->key = GCDC_NONE;
	if (!is_told && u->levels[h->level].unique != h->level) return true;
	h->n_old = u->values.n;
	if (is_equal) return true;
	return values_item(memory, &u->values, h->level, value);
}

// The value of these bytes.
static bool put_bytes(const gcdc_memory *memory, struct unique *u, const uint8_t *bytes, uint32_t n)
{
	uint32_t value;
	return number_of(memory, u, bytes, n, &value) && put_value(memory, u, value);
}

static bool close_number(const gcdc_memory *memory, struct unique *u, uint32_t end)
{
	const uint32_t n = end - u->here.begin;
	if (!has_room(memory, u, 2ull * n + NUMBER_ROOM + 1)) return false;
	uint8_t *text = u->scratch, *normal = text + n;
	for (uint32_t i = 0; i < n; i++) text[i] = (uint8_t)u->state.at[u->here.begin + i];
	*normal = '0';
	u->here.scalar = 0;
	return put_bytes(memory, u, normal, 1 + number_normal(text, n, normal + 1));
}

static void sift_down(uint64_t *at, uint32_t i, uint32_t n)
{
	const uint64_t x = at[i];
	for (uint32_t k; (k = 2 * i + 1) < n; at[i] = at[k], i = k) {
		k += k + 1 < n && at[k] < at[k + 1];
		if (at[k] <= x) break;
	}
	at[i] = x;
}

static void sort_words(uint64_t *at, uint32_t n)
{
	for (uint32_t i = n / 2; i--;) sift_down(at, i, n);
	for (uint32_t end = n; end > 1;) {
		const uint64_t last = at[--end];
		at[end] = at[0], at[0] = last;
		sift_down(at, 0, end);
	}
}

// An object's members by key, behind one byte: its kind. Of members with one key the last counts.
static uint32_t write_members(const struct unique *u, uint32_t part, uint32_t n, uint32_t *out)
{
	uint64_t *sorted = (uint64_t *)u->scratch;
	for (uint32_t i = 0, p = part; i < n; i++, p = u->parts[p].before) sorted[i] = (uint64_t)u->parts[p].key << 32 | p;
	sort_words(sorted, n);
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 < n && sorted[i] >> 32 == sorted[i + 1] >> 32) continue;
		const struct part *x = &u->parts[(uint32_t)sorted[i]];
		out[k++] = x->key, out[k++] = x->value;
	}
	return k;
}

static bool close_object(const gcdc_memory *memory, struct unique *u, uint32_t part)
{
	uint32_t n = 0;
	for (uint32_t p = part; p != GCDC_NONE; p = u->parts[p].before) n++;
	if (!has_room(memory, u, 16ull * n + 16)) return false;
	uint32_t *out = (uint32_t *)u->scratch + 2 * (uint64_t)n + 1;  // behind what is sorted
	uint8_t *kind = (uint8_t *)out - 1;
	*kind = '{';
	return put_bytes(memory, u, kind, 1 + 4 * write_members(u, part, n, out));
}

static bool close_level(const gcdc_memory *memory, struct unique *u)
{
	struct here *h = &u->here;
	const struct level *x = &u->levels[h->level];
	const uint32_t part = h->part;
	u->ends_equal |= x->told == h->level && part != GCDC_NONE && u->parts[part].is_equal;
	h->part = x->part, h->key = x->key, h->level = x->around;
	if (h->level == GCDC_NONE) return true;
	if (x->kind == '{') return close_object(memory, u, part);
	if (part == GCDC_NONE) return put_bytes(memory, u, (const uint8_t *)"[", 1);
	return put_value(memory, u, u->parts[part].list);
}

static bool open_level(const gcdc_memory *memory, struct unique *u, uint8_t kind)
{
	struct here *h = &u->here;
	if (!grow(memory, (void **)&u->levels, &u->levels_cap, h->n_levels, sizeof *u->levels)) return false;
	const struct level *around = h->level == GCDC_NONE ? NULL : &u->levels[h->level];
	u->levels[h->n_levels] = (struct level){.around = h->level,
	                                        .part = h->part,
	                                        .key = h->key,
	                                        .depth = around ? around->depth + 1 : 1,
	                                        .unique = around ? around->unique : GCDC_NONE,
	                                        .told = around ? around->told : GCDC_NONE,
	                                        .kind = kind};
	h->level = h->n_levels++, h->part = h->key = GCDC_NONE;
	return true;
}

// ---- Byte by byte.
static bool begin_string(const gcdc_memory *memory, struct unique *u)
{
	u->here.scalar = '"', u->here.spelling = (struct spelling){0};
	u->here.written = u->values.n_bytes, u->here.hash = value_hash(VALUE_HASH, '"');
	return values_put(memory, &u->values, "\"", 1);
}

static bool go_on_string(const gcdc_memory *memory, struct unique *u, uint8_t byte)
{
	struct here *h = &u->here;
	uint8_t out[SPELLING_MOST];
	uint32_t n, value;
	const bool inside = spelling_take(&h->spelling, byte, out, &n);
	for (uint32_t i = 0; i < n; i++) h->hash = value_hash(h->hash, out[i]);
	if (!values_put(memory, &u->values, out, n)) return false;
	if (inside) return true;
	h->scalar = 0;
	const uint32_t n_known = u->values.n;
	if (!values_close(memory, &u->values, h->written, h->hash, &value)) return false;
	if (value == n_known && !u->is_trial && !values_note_string(memory, &u->values, value)) return false;
	return put_value(memory, u, value);
}

// Has the open number, up to byte i, no digit but zeros? Then it stays zero, whatever its exponent.
static bool is_zero(const struct unique *u, uint32_t i)
{
	uint32_t k = u->here.begin;
	while (k < i && strchr("-0.", (uint8_t)u->state.at[k])) k++;
	return k == i;
}

// A number or a word goes on with byte i. *ends: it does not. A value that is known is put before its end.
static bool go_on_scalar(const gcdc_memory *memory, struct unique *u, uint32_t i, bool *ends)
{
	const uint8_t byte = (uint8_t)u->state.at[i];
	*ends = is_blank(byte) || byte == ',' || byte == ']' || byte == '}';
	if (u->here.scalar == 't') {
		if (*ends) u->here.scalar = 0;
		return true;
	}
	if (*ends) return close_number(memory, u, i);
	if ((byte | 0x20) != 'e' || !is_zero(u, i)) return true;
	u->here.scalar = 't';
	return put_bytes(memory, u, (const uint8_t *)"00", 2);
}

static bool begin_scalar(const gcdc_memory *memory, struct unique *u, uint32_t i)
{
	const uint8_t byte = (uint8_t)u->state.at[i];
	u->here.begin = i, u->here.scalar = byte == '-' || is_digit(byte) ? '0' : 't';
	return u->here.scalar == '0' || put_bytes(memory, u, &byte, 1);
}

static bool read_sign(const gcdc_memory *memory, struct unique *u, uint32_t i)
{
	const uint8_t byte = (uint8_t)u->state.at[i];
	if (is_blank(byte)) return true;
	u->here.is_comma = byte == ',';
	if (byte == ',' || byte == ':') return true;
	if (byte == '"') return begin_string(memory, u);
	if (byte == '[' || byte == '{') return open_level(memory, u, byte);
	if (byte == ']' || byte == '}') return u->here.level == GCDC_NONE || close_level(memory, u);
	return begin_scalar(memory, u, i);
}

static bool read_byte(const gcdc_memory *memory, struct unique *u, uint32_t i)
{
	const uint32_t now = u->state.at[i];
	bool ends = true;
	if ((now & TEXT_PLACE) == TEXT_SHAPE) {
		u->here.shape = now >> TEXT_DEPTH_SHIFT;
		return true;
	}
	if (u->here.scalar == '"') return go_on_string(memory, u, (uint8_t)now);
	if (u->here.scalar && !go_on_scalar(memory, u, i, &ends)) return false;
	if (ends && !read_sign(memory, u, i)) return false;
	if (u->here.level == GCDC_NONE) return true;
	struct level *x = &u->levels[u->here.level];
	if (now & TEXT_UNIQUE)
		x->unique = u->here.level, x->shape = u->here.shape;
	else if (u->here.shape)
		x->told = u->here.level;
	u->here.shape = 0;
	return true;
}

// ---- The text.
static const struct here nothing = {.level = GCDC_NONE, .part = GCDC_NONE, .key = GCDC_NONE};

static void put_counts(struct unique *u)
{
	const struct values *v = &u->values;
	u->here.n_values = v->n, u->here.n_items = v->n_items, u->here.n_bytes = v->n_bytes;
	u->here.n_begins = v->n_begins;
}

static void go_back(struct unique *u, const struct here *to)
{
	values_cut(&u->values, to->n_values, to->n_items, to->n_bytes, to->n_begins);
	u->here = *to;
}

// The bytes whose state is there, up to n, are read.
static bool read_to(const gcdc_memory *memory, struct unique *u, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < n; i++) {
		if (i % MARK_BYTES == 0) {
			if (!grow(memory, (void **)&u->marks, &u->marks_cap, i / MARK_BYTES, sizeof *u->marks)) return false;
			put_counts(u);
			u->marks[i / MARK_BYTES] = u->here;
		}
		if (!read_byte(memory, u, i)) return false;
	}
	return true;
}

// What is known is cut to n bytes.
static bool cut_to(const gcdc_memory *memory, struct unique *u, uint32_t n)
{
	if (n == u->frames.n) return true;
	const uint32_t mark = n / MARK_BYTES;
	go_back(u, &u->marks[mark]);
	u->frames.n = u->state.n = n;
	return read_to(memory, u, mark * MARK_BYTES, n);
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
	const uint32_t known = u->frames.n;
	while (fresh->n) {
		f = fresh->at[--fresh->n];
		if (!vec32_push(memory, &u->frames, f) || !vec32_push(memory, &u->state, at[f].lr_state))
			return GCDC_ERR_MEMORY;
	}
	return read_to(memory, u, known, u->frames.n) ? GCDC_OK : GCDC_ERR_MEMORY;
}

static void forget(struct gcdc_matcher *m, struct unique *u)
{
	if (u->head) frame_unref(m->pool, u->head);
	u->head = 0, u->frames.n = u->state.n = 0;
	go_back(u, &nothing);
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

uint32_t text_behind(uint32_t before, uint8_t c)
{
	uint32_t depth = text_depth(before), place = before & TEXT_PLACE;
	if (place == TEXT_ESCAPED) {
		place = TEXT_IN;
	} else if (place == TEXT_IN) {
		place = c == '"' ? TEXT_OUT : c == '\\' ? TEXT_ESCAPED : TEXT_IN;
	} else if (c == '"') {
		place = TEXT_IN;
	} else if (c == '[' || c == '{') {
		if (++depth > TEXT_MAX_DEPTH) return UINT32_MAX;
	} else if (c == ']' || c == '}') {
		depth--;
	}
	return depth << TEXT_DEPTH_SHIFT | place | c;
}

// Reads the token, tells what became of it, and forgets it.
static gcdc_status try_bytes(struct gcdc_matcher *m, const uint8_t *bytes, uint32_t n, bool *is_double,
                             bool *ends_equal)
{
	struct unique *u = m->unique;
	const gcdc_memory *memory = &m->artifact->memory;
	const uint32_t known = u->state.n;
	bool ok = true;
	put_counts(u);
	const struct here before = u->here;
	u->is_trial = true, u->ends_equal = false;
	for (uint32_t i = 0; i < n && ok && !u->values.n_doubles && text_depth(u->state.at[u->state.n - 1]); i++) {
		const uint32_t now = text_behind(u->state.at[u->state.n - 1], bytes[i]);
		if (now == UINT32_MAX) break;  // the step will say so
		ok = vec32_push(memory, &u->state, now) && read_byte(memory, u, u->state.n - 1);
	}
	*ends_equal = u->ends_equal;
	*is_double =
		u->values.n_doubles || (ok && m->artifact->unique_info->n_shape_words && unique_is_dead(m->artifact, u));
	go_back(u, &before);
	u->state.n = known, u->is_trial = false;
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

gcdc_status unique_would_equal(struct gcdc_matcher *m, const uint8_t *bytes, uint32_t n, bool *is_double)
{
	bool ends_equal;
	return try_bytes(m, bytes, n, is_double, &ends_equal);
}

gcdc_status unique_would_tell(struct gcdc_matcher *m, const uint8_t *bytes, uint32_t n, bool *ends_equal)
{
	bool is_double;
	return try_bytes(m, bytes, n, &is_double, ends_equal);
}

bool unique_begin(struct gcdc_matcher *m)
{
	if (m->unique) return true;
	struct unique *u = memory_resize(&m->artifact->memory, NULL, 1, sizeof *u);
	if (!u) return false;
	memset(u, 0, sizeof *u);
	u->here = nothing, u->alike_level = GCDC_NONE;
	m->unique = u;
	return true;
}

void unique_free(struct gcdc_matcher *m)
{
	struct unique *u = m->unique;
	const gcdc_memory *memory = &m->artifact->memory;
	if (!u) return;
	if (u->head) frame_unref(m->pool, u->head);
	memory_free(memory, u->frames.at);
	memory_free(memory, u->state.at);
	values_release(memory, &u->values);
	memory_free(memory, u->levels);
	memory_free(memory, u->parts);
	memory_free(memory, u->marks);
	memory_free(memory, u->scratch);
	memory_free(memory, u->alike.at);
	memory_free(memory, u->fresh.at);
	memory_free(memory, u->after.at);
	memory_free(memory, u->other.at);
	for (uint32_t i = 0; i < TOLD_PATH; i++) memory_free(memory, u->path[i].at);
	set_list_release(memory, &u->sets);
	memory_free(memory, u->marked);
	memory_free(memory, u->row);
	memory_free(memory, u);
	m->unique = NULL;
}
