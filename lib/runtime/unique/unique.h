// Arrays whose items differ: what its files share.
//
// A reading in such an array has the array's text, from its bracket on, as a list of frames (reading.columns), a byte
// each: so whatever keeps readings keeps it. What the text says (the values that are closed, the items of each array)
// is worked out once for each byte and kept beside the matcher, for the reading that was looked at last.
#ifndef GCDC_UNIQUE_H
#define GCDC_UNIQUE_H

#include "../core/matcher_step.h"

// What a frame of the text holds: a byte, where JSON is behind it, brackets that are open then.
#define TEXT_BYTE 0xffu
#define TEXT_PLACE 0x300u
#define TEXT_OUT 0u          // of strings
#define TEXT_IN 0x100u       // in a string
#define TEXT_ESCAPED 0x200u  // in a string, behind a backslash
#define TEXT_SHAPE                                                                                                     \
	0x300u  // no byte: the shape of the array whose bracket ends with the next one, above TEXT_DEPTH_SHIFT
#define TEXT_UNIQUE 0x400u    // items of the array that is open here, innermost, differ
#define TEXT_DEPTH_SHIFT 11u  // one bracket: the array's own
#define TEXT_MAX_DEPTH ((1u << 20) - 1)
static inline uint32_t text_depth(uint32_t x) { return x >> TEXT_DEPTH_SHIFT; }
// What stands behind one byte more; 0: the array is closed, UINT32_MAX: brackets are open in too many others.
uint32_t text_behind(uint32_t before, uint8_t c);

gcdc_status uniques_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status uniques_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status unique_tokens_find(struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status unique_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len);
gcdc_status unique_restrict(struct gcdc_matcher *m, const struct position *p, struct set_list *list);
uint32_t *unique_row(struct gcdc_matcher *m);
// counted_limits.c, counted_tables.c: as struct unique_part says.
gcdc_status counted_limits_find(struct gcdc_artifact *a, gcdc_refusal *why);
void counted_limits_free(struct gcdc_artifact *a);
gcdc_status counted_limits_make(const struct gcdc_artifact *a, uint32_t lex_state);
const struct counted_tables *counted_tables_of(const struct gcdc_artifact *a);  // made if need be; NULL: no memory
const struct counted_rows *counted_rows_of(const struct gcdc_artifact *a, const struct counted_tables *x,
                                           uint32_t class);
void counted_tables_free(const struct gcdc_artifact *a, struct counted_tables *x);
gcdc_status counted_limits_take(const struct gcdc_artifact *a, uint32_t lex_state, struct set_list *list);
void unique_free(struct gcdc_matcher *m);
bool unique_begin(struct gcdc_matcher *m);  // m->unique is there; false: no memory

static inline bool is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
static inline bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

// ---- Strings of JSON, decoded byte by byte: spelling.c.
struct spelling {
	uint8_t escape;  // 0: none, 1: behind a backslash, 2 to 5: behind \u and 0 to 3 digits
	uint16_t unit;   // of these digits
	uint16_t high;   // the first half of a pair, whose second one may follow; 0: none
};
#define SPELLING_MOST 8u  // bytes that one byte adds
// Adds what the byte says to out; *n. False: it is the closing quote.
bool spelling_take(struct spelling *s, uint8_t byte, uint8_t out[SPELLING_MOST], uint32_t *n);
static inline bool is_within_escape(const struct spelling *s) { return s->escape || s->high; }
// A string so far, decoded: how many characters are whole, and how many the one can become that is begun, in bytes or
// as an escape; 0: none is begun. Linear in the bytes.
uint32_t characters_begun(const struct spelling *s, const uint8_t *bytes, uint32_t n, uint32_t *n_whole);
// Behind a part of an escape: can it become the character with which these bytes begin?
bool escape_fits(const struct spelling *s, const uint8_t *bytes, uint32_t n);

// ---- Numbers of JSON as one text for each value: spelling.c. out: n + NUMBER_ROOM bytes. Returns how many there are.
#define NUMBER_ROOM 32u
uint32_t number_normal(const uint8_t *text, uint32_t n, uint8_t *out);
// Such a text as a decimal without needless zeros, byte by byte.
struct decimal_text {
	const uint8_t *digits;
	uint32_t n;
	bool is_negative;
	int64_t power;  // of the last digit; beyond DECIMAL_FAR the decimal is longer than any text
};
#define DECIMAL_FAR ((int64_t)1 << 40)
struct decimal_text decimal_of_normal(const uint8_t *normal, uint32_t n);
uint8_t decimal_byte(const struct decimal_text *d, uint32_t i);  // 0: behind its end

// ---- Values by number, equal ones having one: values.c. A value is a list of bytes: its kind (the first byte of JSON
// that it can have, '0' for numbers), then a string's decoded bytes, a number's normal text, the numbers of an array
// without its last item (GCDC_NONE: it has none) and of this item, of an object's keys and values in the order of the
// keys' numbers.
#define VALUE_HASH 0xcbf29ce484222325u  // of no bytes (FNV-1a)
static inline uint64_t value_hash(uint64_t hash, uint8_t byte) { return (hash ^ byte) * 0x100000001b3u; }
struct slots {
	uint32_t *at, n;  // numbers + 1 by hash; n: a power of two, or 0
};
struct known {
	uint64_t hash;
	uint32_t at, n;  // in bytes
};
struct item {
	uint32_t level, value;
	bool is_double;  // of an earlier one
};
struct values {
	uint8_t *bytes;  // of the values; what is written of one stays, though it is known
	uint32_t n_bytes, bytes_cap;
	struct known *at;
	uint32_t n, cap;
	struct item *items;  // of all arrays whose items differ
	uint32_t n_items, items_cap, n_doubles;
	struct slots by_hash, by_item;
	uint64_t *begins;  // hashes of the beginnings of strings, each once
	uint32_t n_begins, begins_cap;
	struct slots by_begin;
};
bool values_put(const gcdc_memory *memory, struct values *v, const void *bytes, uint32_t n);  // at the end of bytes
// The next value with this hash, GCDC_NONE: there is none. *k: (uint32_t)hash at first.
static inline uint32_t values_next(const struct values *v, uint64_t hash, uint32_t *k)
{
	while (v->by_hash.n) {
		uint32_t i = v->by_hash.at[(*k)++ & (v->by_hash.n - 1)];
		if (!i) break;
		if (v->at[i - 1].hash == hash) return i - 1;
	}
	return GCDC_NONE;
}
// Does some string of the text begin with bytes of this hash? True also where only the hash is the same.
static inline bool values_begin_so(const struct values *v, uint64_t hash)
{
	const struct slots *t = &v->by_begin;
	uint32_t i = 0;
	for (uint32_t k = (uint32_t)hash; t->n && (i = t->at[k & (t->n - 1)]) && v->begins[i - 1] != hash;) k++;
	return i;
}
// The beginnings of this value, which is a string, are noted. False: no memory.
bool values_note_string(const gcdc_memory *memory, struct values *v, uint32_t value);
// The value of the bytes from `at` to the end. This and the next: false: no memory.
bool values_close(const gcdc_memory *memory, struct values *v, uint32_t at, uint64_t hash, uint32_t *value);
bool values_item(const gcdc_memory *memory, struct values *v, uint32_t level, uint32_t value);
bool values_have_item(const struct values *v, uint32_t level, uint32_t value);
// The newest go, until there are so many.
void values_cut(struct values *v, uint32_t n, uint32_t n_items, uint32_t n_bytes, uint32_t n_begins);
void values_release(const gcdc_memory *memory, struct values *v);

// ---- The text, read: items.c. Arrays and objects that have been open are numbered; their parts are lists, newest
// first. Nothing of that changes, so what was known at an earlier place is known again when the newer is dropped.
struct level {
	uint32_t around, part, key;  // the level around it, and what was open there
	uint32_t depth, unique;      // the innermost level whose items differ: this one, or around it; GCDC_NONE
	uint32_t shape;              // where it begins among the artifact's words; 0: none
	uint32_t told;               // the innermost of which it is told whether items are equal: likewise
	uint8_t kind;
};
struct part {
	uint32_t before, key, value;  // key: GCDC_NONE in arrays
	uint32_t list;                // in arrays: the value of all items so far; GCDC_NONE: of the outermost one
	bool is_equal;                // where it is told: this one, or one before it, is equal to an earlier one
};
struct here {
	uint32_t level, part;  // the innermost that is open, its newest part; GCDC_NONE
	uint32_t key;          // whose value is to come; GCDC_NONE
	uint32_t n_levels, n_parts, n_values, n_items, n_bytes, n_begins;
	uint32_t n_old;  // values when the newest item closed: those behind them are in no item
	uint32_t begin;  // of the scalar that is open, in the text
	uint32_t shape;  // of an array whose bracket is not whole yet
	bool is_comma;   // the last byte outside of scalars that is not blank
	uint8_t scalar;  // '"', '0': a number; 't': one whose value is known; 0: none is open
	struct spelling spelling;
	uint32_t written;  // where the open string begins in values.bytes
	uint64_t hash;     // of it
};
#define MARK_BYTES 64u
#define TOLD_PATH 12u
struct unique {
	uint32_t head;               // of the text that is known, with a reference; 0: none
	struct vec32 frames, state;  // of each byte of it: its frame, and what that holds
	struct values values;
	struct vec32 alike;    // items that have the members of an open object; shapes.c
	uint32_t alike_level;  // its level; GCDC_NONE: they are not known
	bool is_trial;         // what is read now is forgotten at once: beginnings are not noted
	bool ends_equal;       // an array has closed of which it is told, and has equal items
	struct level *levels;
	struct part *parts;
	uint32_t levels_cap, parts_cap;
	struct here here;
	struct here *marks;  // [k] behind k * MARK_BYTES bytes
	uint32_t marks_cap;
	uint8_t *scratch;
	uint32_t scratch_cap;
	struct vec32 fresh;
	struct position after, other;
	struct position path[TOLD_PATH];  // [i]: behind i + 1 bytes of the token that was stepped over last
	struct set_list sets;             // of `after`
	uint8_t *marked;                  // bytes of a step, some brackets as SHAPE_EQUAL_MARK
	uint32_t marked_cap;
	uint32_t *row;
};
// What is known becomes what the text that ends in this frame says. GCDC_ERR_MEMORY.
gcdc_status unique_read(struct gcdc_matcher *m, uint32_t head);
// Would this token make two items equal? It opens no array, or none whose items differ. GCDC_ERR_MEMORY.
gcdc_status unique_would_equal(struct gcdc_matcher *m, const uint8_t *bytes, uint32_t n, bool *is_double);

// Would it close an array of which it is told, with equal items? As before.
gcdc_status unique_would_tell(struct gcdc_matcher *m, const uint8_t *bytes, uint32_t n, bool *ends_equal);

// ---- Tokens that end the open string as one of the text: groups.c.
#define KEPT_HASHES 64u
struct known_groups {
	const struct gcdc_artifact *a;
	const struct values *v;
	const struct unique_list *list;
	uint32_t g, first, end;      // of the list: those of the group at hand
	uint64_t hash[KEPT_HASHES];  // [i]: behind i bytes
};
void known_groups_begin(struct known_groups *w, const struct gcdc_artifact *a, const struct unique *u,
                        enum unique_list_of which);
bool known_groups_next(struct known_groups *w);  // false: there are no more

void unique_sort(struct vec32 *tokens);  // each once

// ---- Arrays of which it is told whether items are equal: told.c.
static inline bool unique_tells(const struct gcdc_artifact *a) { return a->unique_info->any_kind == UNIQUE_KIND_TELLS; }
// The bytes of a step in which brackets may become marks; NULL: no memory.
uint8_t *told_bytes(struct gcdc_matcher *m, const uint8_t *bytes, size_t len);
// A step over a bracket, which readings of an array with equal items read as a mark.
gcdc_status told_step(struct gcdc_matcher *m, struct position *p, uint8_t *bracket);
// Tokens that read such a mark: those that are allowed are added, others taken away. list: all else of the mask.
gcdc_status told_restrict(struct gcdc_matcher *m, const struct position *p, struct set_list *list);

// ---- Items that are not endless: shapes.c.
gcdc_status shapes_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
// Are all values that begin like some open item, or like one that must come, items already? The artifact has shapes.
bool unique_is_dead(const struct gcdc_artifact *a, const struct unique *u);
// Notes the items that have the members of the open object, so that each token need not look at all. False: no memory.
bool unique_note_alike(const gcdc_memory *memory, struct unique *u);
// Does the next byte change how many are left? Not inside of values that are endless, or in which nothing is counted.
bool unique_byte_counts(const struct gcdc_artifact *a, const struct unique *u);
// A number that is open, or may come, where numbers are counted.
struct open_number {
	const uint32_t *automaton;  // of its texts; NULL: none are counted
	uint32_t state;
};
struct open_number unique_open_number(const struct gcdc_artifact *a, const struct unique *u);
// Is the token a part of such a number that more values have behind it than there are items?
bool unique_number_goes_on(const struct unique *u, const struct open_number *x, const uint8_t *bytes, uint32_t n);

#endif
