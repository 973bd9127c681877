// RFC 8259 by hand, byte by byte: the oracle of oracle_json.c.
#ifndef GCDC_TESTS_JSON_H
#define GCDC_TESTS_JSON_H

#include <stdbool.h>
#include <stdint.h>

#define JSON_MAX_DEPTH 1024

enum json_mode {
	JSON_DEAD,
	JSON_VALUE,           // a value must come
	JSON_VALUE_OR_CLOSE,  // after [
	JSON_KEY,             // after , in an object
	JSON_KEY_OR_CLOSE,    // after {
	JSON_COLON,
	JSON_AFTER,  // a value is complete
	JSON_STRING,
	JSON_ESCAPE,
	JSON_HEX,
	JSON_MINUS,
	JSON_ZERO,
	JSON_INT,
	JSON_DOT,
	JSON_FRACTION,
	JSON_E,
	JSON_E_SIGN,
	JSON_EXPONENT,
	JSON_WORD,  // inside true, false, null
};

struct json {
	uint8_t mode;
	bool is_key;  // the string is
	uint8_t hex_left;
	uint8_t utf8_left, utf8_lo, utf8_hi;  // continuation bytes to come; bounds of the next
	const char *word;                     // what must still come
	uint16_t depth;
	uint64_t is_object[JSON_MAX_DEPTH / 64];  // bit i: the i-th open bracket is {
};

void json_start(struct json *j);
// False: no JSON text begins like this.
bool json_step(struct json *j, uint8_t b);
bool json_is_complete(const struct json *j);

#endif
