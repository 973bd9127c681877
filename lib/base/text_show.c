// Bytes as people read them: quoted, escaped, cut.
//
// In:  bytes, valid UTF-8 or not. Out: text on a stream. Broken UTF-8 is taken in the maximal pieces that the Unicode
// Standard (chapter 3, table 3-7) would replace by one U+FFFD.
#include "text_show.h"

#include "../shared/control.h"

size_t text_code_point(const uint8_t *bytes, size_t len, uint32_t *code)
{
	uint8_t b = bytes[0];
	*code = TEXT_BROKEN;
	if (b < 0x80) {
		*code = b;
		return 1;
	}
	if (b < 0xC2 || b > 0xF4) return 1;
	size_t n = b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
	// The second byte's range depends on the first: no overlong forms, no surrogates, nothing past U+10FFFF.
	uint8_t low = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80, high = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF;
	uint32_t c = b & (0xFFu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if (i >= len || bytes[i] < low || bytes[i] > high) return i;
		c = c << 6 | (bytes[i] & 0x3Fu);
		low = 0x80, high = 0xBF;
	}
	*code = c;
	return n;
}

bool text_is_utf8(const void *bytes, size_t len)
{
	const uint8_t *b = bytes;
	for (size_t i = 0; i < len;) {
		uint32_t code;
		i += text_code_point(b + i, len - i, &code);
		if (code == TEXT_BROKEN) return false;
	}
	return true;
}

// Controls, and characters that change how the line around them is shown, or that show nothing.
// Branches: one range of code points for each kind of character that shows nothing.
static bool is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
	       (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
	       (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE000 && c <= 0xF8FF) || c >= 0xE0000;
}

// A control token; bytes taken, 0: it is none.
static size_t show_control(FILE *out, const uint8_t *bytes, size_t len)
{
	uint32_t id;
	if (!control_read(bytes, len, &id)) return 0;
	fprintf(out, "\\[%02u]", id);
	return CONTROL_LEN;
}

// Branches: one way to write for each kind of character.
void text_show(FILE *out, const void *bytes, size_t len, size_t max)
{
	const uint8_t *b = bytes;
	fputc('"', out);
	size_t i = 0;
	while (i < len && (!max || i < max)) {
		uint32_t code;
		size_t n = show_control(out, b + i, len - i);
		if (n) {
			i += n;
			continue;
		}
		n = text_code_point(b + i, len - i, &code);
		if (code == TEXT_BROKEN)
			for (size_t k = 0; k < n; k++) fprintf(out, "\\x%02X", b[i + k]);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (char)code);
		else if (code == '\n')
			fputs("\\n", out);
		else if (code == '\t')
			fputs("\\t", out);
		else if (code == '\r')
			fputs("\\r", out);
		else if (code < 0x80 && is_hidden(code))
			fprintf(out, "\\x%02X", code);
		else if (is_hidden(code))
			fprintf(out, "\\u{%X}", code);
		else
			fwrite(b + i, 1, n, out);
		i += n;
	}
	fputc('"', out);
	if (i < len) fputs("...", out);
}

static void show_byte(FILE *out, uint32_t b)
{
	if (b == '\n')
		fputs("\\n", out);
	else if (b == '\t')
		fputs("\\t", out);
	else if (b == '\r')
		fputs("\\r", out);
	else if (b == ' ')
		fputs("space", out);
	else if (b == '-')
		fputs("\\-", out);
	else if (b < 0x20 || b >= 0x7F)
		fprintf(out, "\\x%02X", b);
	else
		fputc((int)b, out);
}

// Ranges do not run across kinds.
static uint32_t byte_kind(uint32_t b)
{
	if (b >= '0' && b <= '9') return 0;
	if (b >= 'A' && b <= 'Z') return 1;
	if (b >= 'a' && b <= 'z') return 2;
	if (b >= 0x80) return 3;
	return b == ' ' ? 4 : b < 0x20 || b == 0x7F ? 5 : 6;
}

void text_show_byte_set(FILE *out, const bool set[256])
{
	uint32_t n = 0;
	for (uint32_t b = 0; b < 256; b++) n += set[b];
	if (n == 256) {
		fputs("any byte", out);
		return;
	}
	const char *separator = "";
	for (uint32_t b = 0; b < 256; b++) {
		if (!set[b]) continue;
		if (b == CONTROL_MARK && !set[b - 1]) {
			fprintf(out, "%scontrol tokens", separator);
			continue;
		}
		uint32_t end = b;
		while (end < 255 && set[end + 1] && byte_kind(end + 1) == byte_kind(b)) end++;
		fputs(separator, out);
		separator = " ";
		show_byte(out, b);
		if (end > b + 1)
			fputc('-', out), show_byte(out, end);
		else if (end == b + 1)
			fputc(' ', out), show_byte(out, end);
		b = end;
	}
}
