// Bytes as people read them.
#ifndef GCDC_BASE_TEXT_SHOW_H
#define GCDC_BASE_TEXT_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_BROKEN UINT32_MAX

// The code point at the beginning of bytes and how many bytes it takes (1 at least, len > 0); TEXT_BROKEN when they
// are not UTF-8: then the bytes that one replacement character stands for.
size_t text_code_point(const uint8_t *bytes, size_t len, uint32_t *code);
bool text_is_utf8(const void *bytes, size_t len);

// In double quotes, with \n \t \r \" \\, \xHH for bytes that are not UTF-8 and \u{HHHH} for what does not show; a
// control token as \[ID], two digits at least.
// Cut after `max` bytes of the input (0: never), with "..." behind the quote.
void text_show(FILE *out, const void *bytes, size_t len, size_t max);

// A set of bytes as ranges: "a-z", "0-9", " ", \n, \x80-\xFF.
void text_show_byte_set(FILE *out, const bool set[256]);

#endif
