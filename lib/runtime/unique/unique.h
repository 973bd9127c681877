// Arrays whose items differ: what its files share.
//
// A reading in such an array has the array's text, from its bracket on, as a list of frames (reading.columns), a byte
// each: so whatever keeps readings keeps it. What the text says (the items that are closed, by value) is worked out
// once for each byte and kept beside the matcher, for the reading that was looked at last.
#ifndef GCDC_UNIQUE_H
#define GCDC_UNIQUE_H

#include "../core/matcher_step.h"

// What a frame of the text holds: a byte, where JSON is behind it, brackets that are open then.
#define TEXT_BYTE 0xffu
#define TEXT_PLACE 0x300u
#define TEXT_OUT 0u           // of strings
#define TEXT_IN 0x100u        // in a string
#define TEXT_ESCAPED 0x200u   // in a string, behind a backslash
#define TEXT_DEPTH_SHIFT 10u  // one bracket: the array's own
#define TEXT_MAX_DEPTH ((1u << 20) - 1)
static inline uint32_t text_depth(uint32_t x) { return x >> TEXT_DEPTH_SHIFT; }

gcdc_status uniques_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
gcdc_status uniques_validate(const struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status unique_tokens_find(struct gcdc_artifact *a, gcdc_refusal *why);
gcdc_status unique_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len);
gcdc_status unique_restrict(struct gcdc_matcher *m, const struct position *p, struct set_list *list);
uint32_t *unique_row(struct gcdc_matcher *m);
void unique_free(struct gcdc_matcher *m);

// ---- Strings of JSON, decoded byte by byte.
struct spelling {
	uint8_t escape;  // 0: none, 1: behind a backslash, 2 to 5: behind \u and 0 to 3 digits
	uint16_t unit;   // of these digits
	uint16_t high;   // the first half of a pair, whose second one may follow; 0: none
};
#define SPELLING_MOST 8u  // bytes that one byte adds
// Adds what the byte says to out; *n. False: it is the closing quote.
bool spelling_take(struct spelling *s, uint8_t byte, uint8_t out[SPELLING_MOST], uint32_t *n);

#define VALUE_HASH 0xcbf29ce484222325u  // of no bytes (FNV-1a)
static inline uint64_t value_hash(uint64_t hash, uint8_t byte) { return (hash ^ byte) * 0x100000001b3u; }

// ---- Items: items.c.
struct item {
	uint32_t begin;      // in the text
	uint32_t closed_by;  // the byte with which it was known to be over
	uint32_t at, n;      // of its value
	uint64_t hash;
	bool is_double;  // of an earlier one
};
struct unique {
	uint32_t head;               // of the text that is known, with a reference; 0: none
	struct vec32 frames, state;  // of each byte of it: its frame, and what that holds
	struct item *items;
	uint32_t n_items, items_cap, n_doubles;
	uint8_t *values;  // of closed items, then the beginning of an open string's
	uint32_t n_values, values_cap;
	uint32_t *slots, n_slots;  // hash table of items + 1; a power of two, or 0
	uint32_t open;             // where the open item begins; GCDC_NONE: none is
	bool is_string;            // the open item; then:
	struct spelling spelling;
	uint64_t hash;
	struct vec32 fresh, alike;  // scratch
	struct position after;
	uint32_t *row;
};
// What is known becomes what the text that ends in this frame says. GCDC_ERR_MEMORY.
gcdc_status unique_read(struct gcdc_matcher *m, uint32_t head);
// The next item with this hash; NULL: there is none. *k: (uint32_t)hash at first.
static inline const struct item *unique_next(const struct unique *u, uint64_t hash, uint32_t *k)
{
	while (u->n_slots) {
		uint32_t i = u->slots[(*k)++ & (u->n_slots - 1)];
		if (!i) break;
		if (u->items[i - 1].hash == hash) return &u->items[i - 1];
	}
	return NULL;
}

#endif
