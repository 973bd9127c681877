// The private spelling of a control token: what it is in the stream of bytes that lexer, walks and matcher read.
//
// A token that a grammar names (docs/language.md) has no text. So that all that works on bytes works on it, too, it is
// spelled by a byte that no UTF-8 has, and its id in four bytes, six bits in each, all beyond ASCII.
// A token of text that has that byte is in no text of any grammar; it loses its bytes where there are control tokens.
#ifndef GCDC_SHARED_CONTROL_H
#define GCDC_SHARED_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_MARK 0xFFu
#define CONTROL_LEN 5u  // bytes of a spelling

// Behind each token, where the grammar bounds how many touch a text (max_tokens): a byte that no UTF-8 has, either. A
// token that has it loses its bytes there.
#define TOKEN_END 0xFEu

static inline void control_spell(uint32_t id, uint8_t to[CONTROL_LEN])
{
	to[0] = CONTROL_MARK;
	for (uint32_t i = 1; i < CONTROL_LEN; i++) to[i] = (uint8_t)(0x80 | (id >> 6 * (CONTROL_LEN - 1 - i) & 63));
}

// Do the bytes begin with a spelling? Then whose.
static inline bool control_read(const void *bytes, size_t len, uint32_t *id)
{
	const uint8_t *s = (const uint8_t *)bytes;
	uint32_t x = 0;
	if (len < CONTROL_LEN || s[0] != CONTROL_MARK) return false;
	for (uint32_t i = 1; i < CONTROL_LEN; i++) {
		if ((s[i] & 0xC0) != 0x80) return false;
		x = x << 6 | (s[i] & 63u);
	}
	*id = x;
	return true;
}

#endif
