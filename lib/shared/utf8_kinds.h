// Kinds of UTF-8 characters, by their first byte: what lies below a node of the trie is told in them.
//
// A walk of the trie passes over a subtree when all characters there keep the lexer's state (tables/walk_pass.c).
// Characters that lexers seldom tell apart are of one kind, so that kinds are bits of a word.
#ifndef GCDC_SHARED_UTF8_KINDS_H
#define GCDC_SHARED_UTF8_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#define CHARACTER_KINDS 50u       // of whole characters
#define CHARACTER_FIRST_LONG 43u  // kinds from here on have several bytes
#define CHARACTER_BROKEN 54u      // a byte that begins none, or a token that ends inside of one; the largest kind

// Of a kind of several bytes: those behind the first, and the range of the second; all others are 80..BF.
struct character_shape {
	uint32_t more, low, high;
};
static inline struct character_shape character_shape(uint32_t kind)
{
	static const struct character_shape shapes[CHARACTER_KINDS - CHARACTER_FIRST_LONG] = {
		{1, 0x80, 0xBF}, {2, 0xA0, 0xBF}, {2, 0x80, 0xBF}, {2, 0x80, 0x9F},
		{3, 0x90, 0xBF}, {3, 0x80, 0xBF}, {3, 0x80, 0x8F}};
	return shapes[kind - CHARACTER_FIRST_LONG];
}

static inline uint32_t character_kind_ascii(uint8_t b)
{
	if (b < 0x20) return b == '\t' ? 1 : b == '\n' ? 2 : b == '\r' ? 3 : 0;
	if (b < 0x30) return b == ' ' ? 4 : 11u + (b - 0x21u);
	if (b < 0x41) return b <= '9' ? 6 : 26u + (b - 0x3Au);
	if (b < 0x61) return b <= 'F' ? 7 : b <= 'Z' ? 8 : 33u + (b - 0x5Bu);
	return b <= 'f' ? 9 : b <= 'z' ? 10 : b == 0x7F ? 5 : 39u + (b - 0x7Bu);
}

static inline bool utf8_continues(uint8_t b) { return (b & 0xC0) == 0x80; }

static inline uint32_t character_kind(uint8_t b)
{
	if (b < 0x80) return character_kind_ascii(b);
	if (b < 0xC2 || b > 0xF4) return CHARACTER_BROKEN;
	if (b < 0xE0) return 43;
	if (b < 0xF0) return b == 0xE0 ? 44 : b == 0xED ? 46 : 45;
	return b == 0xF0 ? 47 : b == 0xF4 ? 49 : 48;
}

#endif
