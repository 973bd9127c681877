// JSON values that know where they stand.
#ifndef GCDC_SCHEMA_JSON_H
#define GCDC_SCHEMA_JSON_H

#include "../base/diag.h"

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json;
struct json_member {
	const char *key;  // decoded, NUL-terminated; may hold NUL
	uint32_t key_len;
	struct loc key_loc;
	struct json *value;
};
struct json {
	enum json_kind kind;
	uint32_t n;                   // ARRAY, OBJECT
	struct json **items;          // ARRAY
	struct json_member *members;  // OBJECT: of equal keys the last, at the place of the first
	const char *text;             // STRING: decoded UTF-8, a lone surrogate as three bytes. NUMBER: as written
	uint32_t len;
	struct loc loc;
	const struct json *up;  // what holds it; NULL: the document
	uint32_t number;        // in its store, from 0
};

// Every value of a store has a number.
struct json_store {
	struct arena *arena;
	struct diag *d;
	uint32_t n;
};

// The document; NULL after a message. Deterministic, without recursion; linear.
struct json *json_read(struct json_store *s, const struct source *source);

struct json *json_get(const struct json *object, const char *key);  // NULL: none, or no object
bool json_equal(const struct json *a, const struct json *b);        // as values: 1 is 1.0
bool json_is(const struct json *string, const char *text);
// "/properties/unit" of a value in its document, in the arena; "" is the document.
const char *json_pointer(const struct json *v, struct arena *arena);
// The value that a pointer leads to; NULL: none.
struct json *json_at(struct json *document, const char *pointer, size_t len);

#endif
