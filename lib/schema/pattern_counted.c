// The bound of a pattern's repetition as lengths of strings: ^[a-z][a-z0-9]{0,62}$ is ^[a-z][a-z0-9]*$ of at most 63
// characters. Lengths beside a pattern can be counted while a text is written (value.c); a bound inside takes states
// for each character.
//
// In:  a pattern. Out: an equal one without the bound, and the lengths. Patterns that are anchored at both ends, of
// signs that each stand for one character: all of them come a fixed number of times but one.
// Cost: linear in the pattern.
#include "../shared/hex.h"
#include "internal.h"

// The bytes of the escape at `text`; 0: it is not known to stand for one character.
// Branches: one case for each kind of escape in ECMA 262.
static uint32_t escape_bytes(const char *text, uint32_t len)
{
	if (len < 2) return 0;
	const char c = text[1];
	const char *end;
	int64_t unit;
	switch (c) {
	case 'd':
	case 'D':
	case 'w':
	case 'W':
	case 's':
	case 'S':
	case 'n':
	case 'r':
	case 't':
	case 'f':
	case 'v': return 2;
	case 'p':
	case 'P': end = memchr(text, '}', len); return end ? (uint32_t)(end - text) + 1 : 0;
	case 'x': return len >= 4 && hex_number(text + 2, 2) >= 0 ? 4 : 0;
	case 'u':
		unit = len >= 6 ? hex_number(text + 2, 4) : -1;
		return unit >= 0 && (unit < 0xD800 || unit > 0xDFFF) ? 6 : 0;  // two surrogates are one character
	default: return c > ' ' && c < 0x7f && (c < '0' || c > '9') && ((c | 32) < 'a' || (c | 32) > 'z') ? 2 : 0;
	}
}

// Behind the bracket that closes the class at `text`; 0: none does.
static uint32_t class_bytes(const char *text, uint32_t len)
{
	uint32_t n = 1;
	while (n < len && text[n] != ']') n += text[n] == '\\' ? 2 : 1;
	return n < len ? n + 1 : 0;
}

// The bytes of a sign that stands for one character, whatever character that is; 0: another one is there.
static uint32_t sign_bytes(const char *text, uint32_t len)
{
	const uint8_t c = (uint8_t)*text;
	if (c == '\\') return escape_bytes(text, len);
	if (c == '[') return class_bytes(text, len);
	if (strchr("()|^$*+?{}]", c)) return 0;
	const uint32_t n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	return n <= len ? n : 0;
}

// The bytes of {n} or {n,m}, with a lazy one's "?"; 0: it is something else.
static uint32_t repetition_bytes(const char *text, uint32_t len, uint32_t *least, uint32_t *most)
{
	uint32_t at = 1, n_digits[2] = {0}, value[2] = {0};
	for (uint32_t i = 0; i < 2; i++) {
		for (; at < len && text[at] >= '0' && text[at] <= '9' && n_digits[i] < 8; at++, n_digits[i]++)
			value[i] = 10 * value[i] + (uint32_t)(text[at] - '0');
		if (!n_digits[i] || at >= len) return 0;
		if (!i && text[at] == '}') value[1] = value[0], i = 1;
		if (!i && text[at++] != ',') return 0;
	}
	*least = value[0], *most = value[1];
	if (text[at] != '}' || *least > *most) return 0;
	return at + 1 + (at + 1 < len && text[at + 1] == '?');
}

// Branches: anchors and parentheses around the signs, each sign with its number of times, the one bound.
const char *pattern_counted(struct schema *s, const char *text, uint32_t len, uint32_t *least, uint32_t *most)
{
	uint32_t end = len, at = 1, bound = 0, behind = 0;
	if (len < 2 || *text != '^' || text[--end] != '$') return NULL;
	if (text[at] == '(' && end > at + 1 && text[end - 1] == ')') at += strncmp(text + at, "(?:", 3) == 0 ? 3 : 1, end--;
	const uint32_t begin = at;
	*least = *most = 0;
	while (at < end) {
		uint32_t from = 1, to = 1;
		const uint32_t sign = sign_bytes(text + at, end - at);
		at += sign;
		if (!sign || *most > SCHEMA_MAX_COUNTED) return NULL;
		const uint32_t n = at < end && text[at] == '{' ? repetition_bytes(text + at, end - at, &from, &to) : 0;
		if (from < to && bound) return NULL;
		if (from < to) bound = at, behind = at + n;
		at += n;
		*least += from, *most += to;
	}
	if (at != end || !bound || *most < SCHEMA_MIN_SHARED || *most > SCHEMA_MAX_COUNTED) return NULL;
	return arena_printf(s->arena, "^%.*s*%.*s$", (int)(bound - begin), text + begin, (int)(end - behind),
	                    text + behind);
}
