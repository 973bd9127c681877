// Decimal numbers as JSON writes them, exact: a sign, digits, a power of ten.
#ifndef GCDC_SCHEMA_DECIMAL_H
#define GCDC_SCHEMA_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "schema.h"

// value = (-1)^negative * 0.d1 d2 ... dn * 10^exponent; d1 and dn are not 0; zero has no digits.
struct decimal {
	bool negative;
	uint32_t n;
	int32_t exponent;
	char digit[SCHEMA_MAX_DIGITS];  // '0' .. '9'
};

// False: more than SCHEMA_MAX_DIGITS digits that count, or an exponent beyond +-100,000.
bool decimal_read(const char *text, uint32_t len, struct decimal *out);
// Has it, written without an exponent, at most SCHEMA_MAX_DIGITS digits?
bool decimal_is_short(const struct decimal *a);
int decimal_compare(const struct decimal *a, const struct decimal *b);
bool decimal_is_integer(const struct decimal *a);
// The value, when it is a whole number of 0 to `most`.
bool decimal_to_uint(const struct decimal *a, uint32_t most, uint32_t *out);

#endif
