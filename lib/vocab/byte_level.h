// GPT-2's byte alphabet: each byte is written as one printable character.
#ifndef GCDC_VOCAB_BYTE_LEVEL_H
#define GCDC_VOCAB_BYTE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BYTE_LEVEL_END 0x144u  // the alphabet's code points are below this

// The character that stands for a byte.
uint32_t byte_level_char(uint8_t byte);
// Translates a whole token; false when a character is not in the alphabet. out has room for len bytes.
bool byte_level_decode(const char *text, size_t len, uint8_t *out, size_t *out_len);

#endif
