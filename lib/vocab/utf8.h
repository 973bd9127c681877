// UTF-8, one code point at a time; no tables, no allocation.
#ifndef GCDC_VOCAB_UTF8_H
#define GCDC_VOCAB_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_BAD UINT32_MAX

// The code point at s (len > 0 bytes are there) and its length; UTF8_BAD with length 1 where it is not valid UTF-8
// (overlong, surrogate, above U+10FFFF, cut off).
// Branches: one condition for each way in which bytes are not UTF-8, on a path that all texts of a compilation take.
static inline uint32_t utf8_get(const char *s, size_t len, uint32_t *n)
{
	const unsigned char *u = (const unsigned char *)s;
	*n = 1;
	if (u[0] < 0x80) return u[0];
	uint32_t want = u[0] >= 0xC2 && u[0] <= 0xDF   ? 2u
	                : (u[0] & 0xF0) == 0xE0        ? 3u
	                : u[0] >= 0xF0 && u[0] <= 0xF4 ? 4u
	                                               : 0u;
	if (!want || want > len) return UTF8_BAD;
	uint32_t c = u[0] & (0x7Fu >> want);
	for (uint32_t i = 1; i < want; i++) {
		if ((u[i] & 0xC0) != 0x80) return UTF8_BAD;
		c = c << 6 | (u[i] & 0x3Fu);
	}
	if ((want == 3 && (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))) || (want == 4 && (c < 0x10000 || c > 0x10FFFF)))
		return UTF8_BAD;
	*n = want;
	return c;
}

// Length of the character that starts with this byte of valid UTF-8.
static inline uint32_t utf8_len(char c)
{
	unsigned char u = (unsigned char)c;
	return u < 0x80 ? 1 : u < 0xE0 ? 2 : u < 0xF0 ? 3 : 4;
}

// Writes c (a valid code point), returns its length.
static inline uint32_t utf8_put(uint32_t c, char *s)
{
	if (c < 0x80) return s[0] = (char)c, 1;
	if (c < 0x800) return s[0] = (char)(0xC0 | c >> 6), s[1] = (char)(0x80 | (c & 63)), 2;
	if (c < 0x10000)
		return s[0] = (char)(0xE0 | c >> 12), s[1] = (char)(0x80 | (c >> 6 & 63)), s[2] = (char)(0x80 | (c & 63)), 3;
	s[0] = (char)(0xF0 | c >> 18), s[1] = (char)(0x80 | (c >> 12 & 63));
	s[2] = (char)(0x80 | (c >> 6 & 63)), s[3] = (char)(0x80 | (c & 63));
	return 4;
}

// Offset of the first byte that is not valid UTF-8, or len.
static inline size_t utf8_check(const char *s, size_t len)
{
	size_t i = 0;
	while (i < len) {
		uint64_t word;
		while (i + 8 <= len && (__builtin_memcpy(&word, s + i, 8), !(word & 0x8080808080808080u))) i += 8;
		if (i == len) break;
		uint32_t n;
		if (utf8_get(s + i, len - i, &n) == UTF8_BAD) return i;
		i += n;
	}
	return len;
}

#endif
