// How far a character of a JSON string has been read, byte by byte: the compiler counts by it, and the runtime.
#ifndef GCDC_SHARED_JSON_CHARACTER_H
#define GCDC_SHARED_JSON_CHARACTER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Between two characters, or the part of one that is still to come. HEX + n, HIGH_HEX + n: n digits; of a high
// surrogate.
enum json_character {
	JSON_BETWEEN,
	JSON_UTF8_1,
	JSON_UTF8_2,
	JSON_UTF8_3,
	JSON_ESCAPE,
	JSON_UNIT,
	JSON_UNIT_D,
	JSON_LOW_ESCAPE,
	JSON_LOW_U,
	JSON_HEX = 16,
	JSON_HIGH_HEX = 24,
	JSON_CHARACTER_STATES = 28
};

// The same behind a byte that may stand there. A quote between characters ends the string: the caller's.
// Branches: the ways in which JSON spells a character.
static inline uint32_t json_character_step(uint32_t at, uint8_t b)
{
	switch (at) {
	case JSON_BETWEEN:
		return b == '\\'  ? JSON_ESCAPE
		       : b < 0x80 ? JSON_BETWEEN
		       : b < 0xE0 ? JSON_UTF8_1
		       : b < 0xF0 ? JSON_UTF8_2
		                  : JSON_UTF8_3;
	case JSON_UTF8_1:
	case JSON_UTF8_2:
	case JSON_UTF8_3: return at - 1;
	case JSON_ESCAPE: return b == 'u' ? JSON_UNIT : JSON_BETWEEN;
	case JSON_UNIT: return b == 'd' || b == 'D' ? JSON_UNIT_D : JSON_HEX + 3;
	case JSON_UNIT_D:
		return (b >= '8' && b <= '9') || ((b | 32) >= 'a' && (b | 32) <= 'b') ? JSON_HIGH_HEX + 2 : JSON_HEX + 2;
	case JSON_LOW_ESCAPE: return JSON_LOW_U;
	case JSON_LOW_U: return JSON_HEX + 4;
	case JSON_HEX + 1: return JSON_BETWEEN;
	case JSON_HIGH_HEX + 1: return JSON_LOW_ESCAPE;
	default: return at - 1;
	}
}

// May this byte stand there? A character that begins may have any first byte.
static inline bool json_character_takes(uint32_t at, uint8_t b)
{
	const uint8_t letter = b | 32;
	if (at == JSON_BETWEEN) return true;
	if (at <= JSON_UTF8_3) return (b & 0xC0) == 0x80;
	if (at == JSON_ESCAPE) return b && strchr("\"\\/bfnrtu", b);
	if (at == JSON_LOW_ESCAPE) return b == '\\';
	if (at == JSON_LOW_U) return b == 'u';
	return (b >= '0' && b <= '9') || (letter >= 'a' && letter <= 'f');
}

#endif
