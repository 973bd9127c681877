// One character of UTF-8, for those who read text byte by byte and may stop inside a character.
#ifndef GCDC_SHARED_UTF8_H
#define GCDC_SHARED_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_NONE UINT32_MAX

// Bytes of the character that begins with b; 0: none does.
static inline uint32_t utf8_size(uint8_t b)
{
	return b < 0x80 ? 1 : b >= 0xC2 && b < 0xE0 ? 2 : b >= 0xE0 && b < 0xF0 ? 3 : b >= 0xF0 && b <= 0xF4 ? 4 : 0;
}

// The code point of the `size` bytes at s, the first of which says that size; UTF8_NONE: they are no character.
static inline uint32_t utf8_get(const uint8_t *s, uint32_t size)
{
	uint32_t c = size == 1 ? s[0] : s[0] & (0x7Fu >> size);
	for (uint32_t i = 1; i < size; i++) {
		if ((s[i] & 0xC0) != 0x80) return UTF8_NONE;
		c = c << 6 | (s[i] & 63u);
	}
	if (size == 3 && (c < 0x800 || (c >= 0xD800 && c < 0xE000))) return UTF8_NONE;
	return size == 4 && (c < 0x10000 || c > 0x10FFFF) ? UTF8_NONE : c;
}

// Bytes of the whole character that the len bytes at text begin with; 0: with none.
static inline uint32_t utf8_measure(const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text;
	const uint32_t size = len ? utf8_size(s[0]) : 0;
	return size && size <= len && utf8_get(s, size) != UTF8_NONE ? size : 0;
}

#endif
