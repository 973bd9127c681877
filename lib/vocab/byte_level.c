// GPT-2's byte alphabet (`bytes_to_unicode` of its encoder.py): the printable characters of Latin-1 stand for
// themselves, the other 68 bytes for U+0100, U+0101, … in the order of the bytes.
//
// In:  a byte or a character. Out: the other.
// The printable ones are 0x21-0x7E, 0xA1-0xAC, 0xAE-0xFF; so the others are 0x00-0x20, 0x7F-0xA0, 0xAD, and both
// directions are arithmetic without a table.
#include "byte_level.h"

#include "utf8.h"

static bool is_printable(uint32_t c) { return (c >= 0x21 && c <= 0x7E) || (c >= 0xA1 && c <= 0xFF && c != 0xAD); }

uint32_t byte_level_char(uint8_t byte)
{
	if (is_printable(byte)) return byte;
	if (byte <= 0x20) return 0x100u + byte;
	return byte == 0xAD ? 0x143u : 0x121u + (byte - 0x7Fu);
}

// The byte that a character stands for, or -1.
static int byte_level_byte(uint32_t c)
{
	if (is_printable(c)) return (int)c;
	if (c < 0x100 || c >= BYTE_LEVEL_END) return -1;
	if (c <= 0x120) return (int)(c - 0x100);
	return c == 0x143 ? 0xAD : (int)(c - 0x121 + 0x7F);
}

bool byte_level_decode(const char *text, size_t len, uint8_t *out, size_t *out_len)
{
	size_t n = 0;
	for (size_t i = 0; i < len;) {
		uint32_t width, c = utf8_get(text + i, len - i, &width);
		int byte = c == UTF8_BAD ? -1 : byte_level_byte(c);
		if (byte < 0) return false;
		out[n++] = (uint8_t)byte;
		i += width;
	}
	*out_len = n;
	return true;
}
