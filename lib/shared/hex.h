// The value of a hexadecimal digit, and of several.
#ifndef GCDC_SHARED_HEX_H
#define GCDC_SHARED_HEX_H

#include <stdint.h>

// -1: c is none.
static inline int hex_digit(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

// Of the n digits at s, 8 at most; -1: one of them is none.
static inline int64_t hex_number(const char *s, uint32_t n)
{
	int64_t v = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (hex_digit(s[i]) < 0) return -1;
		v = v << 4 | hex_digit(s[i]);
	}
	return v;
}

#endif
