// Lists of alternatives, each a string of symbols: what lark_expand computes with. (lark_alternatives.c)
#ifndef GCDC_GRAMMAR_LARK_ALTERNATIVES_H
#define GCDC_GRAMMAR_LARK_ALTERNATIVES_H

#include "lark.h"

struct string {
	const uint32_t *at;
	uint32_t n;
};
// Distinct strings in order of first appearance.
struct alternatives {
	VEC(struct string) list;
	struct intern known;  // once there are many
	uint32_t n_known;
};
// How much may still be written.
struct budget {
	uint32_t symbols;  // written so far, with one more for each string
	bool is_exceeded, is_reported;
};

// Room for n symbols; NULL when the budget has run out.
uint32_t *string_room(struct arena *a, struct budget *b, uint32_t n);
struct string string_join(struct arena *a, struct budget *b, struct string first, struct string second);

void alternatives_add(struct alternatives *a, struct string s);
void alternatives_add_all(struct alternatives *a, const struct alternatives *from);
// True when there was an empty one.
bool alternatives_remove_empty(struct alternatives *a);
// Equal bytes mean equal lists.
void alternatives_bytes(const struct alternatives *a, uint8_t tag, byte_vec *out);
void alternatives_clear(struct alternatives *a);
void alternatives_release(struct alternatives *a);

// A sequence of factors, each a list of alternatives. Neighbours of one alternative are merged.
struct factor {
	VEC(uint32_t) symbols;
	VEC(uint32_t) ends;  // of each alternative, in symbols
};
struct factor_product {
	VEC(struct factor) factors;
	uint64_t total;  // alternatives that writing it out gives; 0: no factor yet
};
void product_add(struct factor_product *p, const struct alternatives *factor);
// The first factor varies slowest.
void product_write(const struct factor_product *p, struct arena *a, struct budget *b, struct alternatives *out);
void product_release(struct factor_product *p);

#endif
