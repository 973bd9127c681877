// RFC 8259, section 2 to 7, as a deterministic machine with a stack of one bit a bracket.
//
// In: bytes. Out: whether some JSON text begins with them (json_step), and whether they are one (json_is_complete).
// Strings are valid UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF), no control characters.
// Every prefix that is not dead can be completed with single bytes. Depth is bounded by JSON_MAX_DEPTH.
#include "json.h"

#include <string.h>

void json_start(struct json *j)
{
	memset(j, 0, sizeof *j);
	j->mode = JSON_VALUE;
}

static bool is_space(uint8_t b) { return b == ' ' || b == '\t' || b == '\n' || b == '\r'; }
static bool is_digit(uint8_t b) { return b >= '0' && b <= '9'; }

static bool in_object(const struct json *j)
{
	return j->depth && (j->is_object[(j->depth - 1) / 64] >> ((j->depth - 1) % 64) & 1);
}

static bool dead(struct json *j)
{
	j->mode = JSON_DEAD;
	return false;
}

static bool to(struct json *j, enum json_mode mode)
{
	j->mode = (uint8_t)mode;
	return true;
}

static bool open_bracket(struct json *j, bool is_object)
{
	if (j->depth == JSON_MAX_DEPTH) return dead(j);
	uint64_t bit = (uint64_t)1 << (j->depth % 64);
	j->is_object[j->depth / 64] = is_object ? j->is_object[j->depth / 64] | bit : j->is_object[j->depth / 64] & ~bit;
	j->depth++;
	return to(j, is_object ? JSON_KEY_OR_CLOSE : JSON_VALUE_OR_CLOSE);
}

static bool close_bracket(struct json *j)
{
	j->depth--;
	return to(j, JSON_AFTER);
}

static bool open_string(struct json *j, bool is_key)
{
	j->is_key = is_key;
	return to(j, JSON_STRING);
}

static bool word(struct json *j, const char *rest)
{
	j->word = rest;
	return to(j, JSON_WORD);
}

static bool value(struct json *j, uint8_t b)
{
	switch (b) {
	case '{': return open_bracket(j, true);
	case '[': return open_bracket(j, false);
	case '"': return open_string(j, false);
	case '-': return to(j, JSON_MINUS);
	case '0': return to(j, JSON_ZERO);
	case 't': return word(j, "rue");
	case 'f': return word(j, "alse");
	case 'n': return word(j, "ull");
	default: return is_digit(b) ? to(j, JSON_INT) : dead(j);
	}
}

static bool after_value(struct json *j, uint8_t b)
{
	if (is_space(b)) return to(j, JSON_AFTER);
	if (!j->depth) return dead(j);
	if (b == ',') return to(j, in_object(j) ? JSON_KEY : JSON_VALUE);
	if (b == (in_object(j) ? '}' : ']')) return close_bracket(j);
	return dead(j);
}

static bool utf8(struct json *j, uint8_t left, uint8_t lo, uint8_t hi)
{
	j->utf8_left = left, j->utf8_lo = lo, j->utf8_hi = hi;
	return true;
}

static bool in_string(struct json *j, uint8_t b)
{
	if (j->utf8_left) {
		if (b < j->utf8_lo || b > j->utf8_hi) return dead(j);
		return utf8(j, (uint8_t)(j->utf8_left - 1), 0x80, 0xBF);
	}
	if (b == '"') return to(j, j->is_key ? JSON_COLON : JSON_AFTER);
	if (b == '\\') return to(j, JSON_ESCAPE);
	if (b < 0x20) return dead(j);
	if (b < 0x80) return true;
	if (b >= 0xC2 && b <= 0xDF) return utf8(j, 1, 0x80, 0xBF);
	if (b == 0xE0) return utf8(j, 2, 0xA0, 0xBF);
	if (b == 0xED) return utf8(j, 2, 0x80, 0x9F);
	if (b >= 0xE1 && b <= 0xEF) return utf8(j, 2, 0x80, 0xBF);
	if (b == 0xF0) return utf8(j, 3, 0x90, 0xBF);
	if (b >= 0xF1 && b <= 0xF3) return utf8(j, 3, 0x80, 0xBF);
	if (b == 0xF4) return utf8(j, 3, 0x80, 0x8F);
	return dead(j);
}

bool json_step(struct json *j, uint8_t b)
{
	switch ((enum json_mode)j->mode) {
	case JSON_DEAD: return false;
	case JSON_VALUE: return is_space(b) || value(j, b);
	case JSON_VALUE_OR_CLOSE: return is_space(b) || (b == ']' ? close_bracket(j) : value(j, b));
	case JSON_KEY: return is_space(b) || (b == '"' ? open_string(j, true) : dead(j));
	case JSON_KEY_OR_CLOSE:
		return is_space(b) || (b == '"' ? open_string(j, true) : b == '}' ? close_bracket(j) : dead(j));
	case JSON_COLON: return is_space(b) || (b == ':' ? to(j, JSON_VALUE) : dead(j));
	case JSON_AFTER: return after_value(j, b);
	case JSON_STRING: return in_string(j, b);
	case JSON_ESCAPE:
		if (b == 'u') return j->hex_left = 4, to(j, JSON_HEX);
		return b && strchr("\"\\/bfnrt", b) ? to(j, JSON_STRING) : dead(j);
	case JSON_HEX:
		if (!is_digit(b) && !(b >= 'a' && b <= 'f') && !(b >= 'A' && b <= 'F')) return dead(j);
		return --j->hex_left ? true : to(j, JSON_STRING);
	case JSON_MINUS: return b == '0' ? to(j, JSON_ZERO) : is_digit(b) ? to(j, JSON_INT) : dead(j);
	case JSON_ZERO: return b == '.' ? to(j, JSON_DOT) : (b | 32) == 'e' ? to(j, JSON_E) : after_value(j, b);
	case JSON_INT:
		if (is_digit(b)) return true;
		return b == '.' ? to(j, JSON_DOT) : (b | 32) == 'e' ? to(j, JSON_E) : after_value(j, b);
	case JSON_DOT: return is_digit(b) ? to(j, JSON_FRACTION) : dead(j);
	case JSON_FRACTION: return is_digit(b) ? true : (b | 32) == 'e' ? to(j, JSON_E) : after_value(j, b);
	case JSON_E: return b == '+' || b == '-' ? to(j, JSON_E_SIGN) : is_digit(b) ? to(j, JSON_EXPONENT) : dead(j);
	case JSON_E_SIGN: return is_digit(b) ? to(j, JSON_EXPONENT) : dead(j);
	case JSON_EXPONENT: return is_digit(b) ? true : after_value(j, b);
	case JSON_WORD:
		if (b != (uint8_t)*j->word) return dead(j);
		return *++j->word ? true : to(j, JSON_AFTER);
	}
	return dead(j);
}

bool json_is_complete(const struct json *j)
{
	if (j->depth) return false;
	return j->mode == JSON_AFTER || j->mode == JSON_ZERO || j->mode == JSON_INT || j->mode == JSON_FRACTION ||
	       j->mode == JSON_EXPONENT;
}
