// Decimal numbers, exact; see decimal.h. Cost: linear in their digits.
#include "decimal.h"

#include <string.h>

// Branches: the digits of a number in one pass: sign, zeros before and behind, the point, the exponent.
bool decimal_read(const char *text, uint32_t len, struct decimal *out)
{
	*out = (struct decimal){0};
	uint32_t at = 0, n = 0, zeros = 0;
	int64_t point = 0, exponent = 0;
	bool behind = false;
	if (at < len && text[at] == '-') out->negative = true, at++;
	for (; at < len && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); at++) {
		if (text[at] == '.') {
			behind = true;
			continue;
		}
		if (!n && text[at] == '0') {
			point -= behind;  // leading zeros behind the point
			continue;
		}
		point += !behind;
		if (text[at] == '0') {
			zeros++;  // perhaps at the end
			continue;
		}
		if (n + zeros + 1 > SCHEMA_MAX_DIGITS) return false;
		while (zeros) out->digit[n++] = '0', zeros--;
		out->digit[n++] = text[at];
	}
	if (at < len && (text[at] == 'e' || text[at] == 'E')) {
		bool negative = at + 1 < len && text[at + 1] == '-';
		bool sign = at + 1 < len && (text[at + 1] == '-' || text[at + 1] == '+');
		at += sign ? 2 : 1;
		for (; at < len && exponent < 1000000; at++) exponent = exponent * 10 + (text[at] - '0');
		if (negative) exponent = -exponent;
	}
	out->n = n;
	if (!n) {
		out->negative = false;
		return true;
	}
	exponent += point;
	if (exponent > 100000 || exponent < -100000) return false;
	out->exponent = (int32_t)exponent;
	return true;
}

bool decimal_is_short(const struct decimal *a)
{
	const int64_t whole = a->exponent > 0 ? a->exponent : 1, rest = (int64_t)a->n - a->exponent;
	return !a->n || whole + (rest > 0 ? rest : 0) <= SCHEMA_MAX_DIGITS;
}

static int compare_size(const struct decimal *a, const struct decimal *b)
{
	if (!a->n || !b->n) return (a->n > 0) - (b->n > 0);
	if (a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
	for (uint32_t i = 0; i < a->n || i < b->n; i++) {
		char x = i < a->n ? a->digit[i] : '0', y = i < b->n ? b->digit[i] : '0';
		if (x != y) return x < y ? -1 : 1;
	}
	return 0;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
	if (a->negative != b->negative) return a->negative ? -1 : 1;
	return a->negative ? -compare_size(a, b) : compare_size(a, b);
}

bool decimal_is_integer(const struct decimal *a) { return !a->n || (int64_t)a->exponent >= (int64_t)a->n; }

bool decimal_to_uint(const struct decimal *a, uint32_t most, uint32_t *out)
{
	*out = 0;
	if (!a->n) return true;
	if (a->negative || !decimal_is_integer(a) || a->exponent > 10) return false;
	uint64_t v = 0;
	for (int32_t i = 0; i < a->exponent; i++) v = v * 10 + (uint32_t)((uint32_t)i < a->n ? a->digit[i] - '0' : 0);
	*out = (uint32_t)v;
	return v <= most;
}
