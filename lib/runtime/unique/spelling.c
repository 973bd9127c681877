// Arrays whose items differ: strings and numbers by value.
//
// In:  a string of JSON byte by byte, the text of a number. Out: decoded bytes; one text for each number.
// Strings: escapes become UTF-8, a pair of escaped surrogates one character; one alone stays as it is, in three bytes.
// Numbers: sign, digits without zeros at either end, the power of ten of the last one. Powers have any number of
// digits; the digits' place is added to them as to a decimal text. Back again: a decimal, byte by byte. Cost: linear.
#include "unique.h"

// ---- Strings.
static uint32_t put_utf8(uint32_t c, uint8_t *out)
{
	if (c < 0x80) return out[0] = (uint8_t)c, 1;
	uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (uint32_t i = n - 1; i; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3f));
	out[0] = (uint8_t)(0xf00 >> n | c);
	return n;
}

static uint32_t digit_of(uint32_t c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

// The first half of a pair, alone.
static void put_high(struct spelling *s, uint8_t *out, uint32_t *n)
{
	if (s->high) *n += put_utf8(s->high, out + *n);
	s->high = 0;
}

static void take_unit(struct spelling *s, uint8_t *out, uint32_t *n)
{
	const uint32_t unit = s->unit;
	s->escape = 0;
	if (s->high && unit >> 10 == 0x37) {
		*n += put_utf8(0x10000 + ((s->high & 0x3ffu) << 10) + (unit & 0x3ff), out + *n);
		s->high = 0;
		return;
	}
	put_high(s, out, n);
	if (unit >> 10 == 0x36)
		s->high = (uint16_t)unit;
	else
		*n += put_utf8(unit, out + *n);
}

// A byte stands behind a backslash, among digits, or neither.
bool spelling_take(struct spelling *s, uint8_t byte, uint8_t out[SPELLING_MOST], uint32_t *n)
{
	static const char written[] = "bfnrt", meant[] = "\b\f\n\r\t";
	*n = 0;
	if (s->escape > 1) {
		s->unit = (uint16_t)((uint32_t)s->unit << 4 | (digit_of(byte) & 15));
		if (++s->escape == 6) take_unit(s, out, n);
		return true;
	}
	if (s->escape) {
		s->escape = 0;
		if (byte == 'u') {
			s->escape = 2, s->unit = 0;
			return true;
		}
		put_high(s, out, n);
		const char *at = byte ? strchr(written, byte) : NULL;
		out[(*n)++] = at ? (uint8_t)meant[at - written] : byte;
		return true;
	}
	if (byte == '\\') {
		s->escape = 1;
		return true;
	}
	put_high(s, out, n);
	if (byte == '"') return false;
	out[(*n)++] = byte;
	return true;
}

// ---- Characters that are begun.
static uint32_t utf8_length(uint8_t lead) { return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

static uint32_t overlap(uint32_t lo, uint32_t hi, uint32_t from, uint32_t to)
{
	if (lo < from) lo = from;
	if (hi > to) hi = to;
	return lo <= hi ? hi - lo + 1 : 0;
}

// Of n bytes of a character of `length` bytes. What may follow the first byte depends on it.
static uint32_t n_behind_bytes(const uint8_t *bytes, uint32_t n, uint32_t length)
{
	const uint32_t left = length - n, all = 1u << 6 * left, part = all / 64;
	if (n > 1) return all;
	switch (*bytes) {
	case 0xe0:
	case 0xed: return 32 * part;  // without what is shorter; without surrogates
	case 0xf0: return 48 * part;
	case 0xf4: return 16 * part;
	default: return all;
	}
}

// The UTF-16 units that the digits so far can become, as their first and last one.
static void units_behind(const struct spelling *s, uint32_t *lo, uint32_t *hi)
{
	const uint32_t digits = s->escape > 1 ? s->escape - 2 : 0, bits = 4 * (4 - digits);
	*lo = digits ? (uint32_t)s->unit << bits : 0, *hi = *lo + (1u << bits) - 1;
}

static uint32_t n_behind_escape(const struct spelling *s)
{
	uint32_t lo, hi;
	units_behind(s, &lo, &hi);
	if (s->high) return overlap(lo, hi, 0xdc00, 0xdfff);
	return hi - lo + 1 - overlap(lo, hi, 0xd800, 0xdfff) + 1024 * overlap(lo, hi, 0xd800, 0xdbff);
}

uint32_t characters_begun(const struct spelling *s, const uint8_t *bytes, uint32_t n, uint32_t *n_whole)
{
	uint32_t last = n;
	*n_whole = 0;
	for (uint32_t i = 0; i < n; i++)
		if ((bytes[i] & 0xc0) != 0x80) last = i, ++*n_whole;
	if (is_within_escape(s)) return n_behind_escape(s);
	const uint32_t length = last < n ? utf8_length(bytes[last]) : 0;
	if (n - last >= length) return 0;
	--*n_whole;
	return n_behind_bytes(bytes + last, n - last, length);
}

bool escape_fits(const struct spelling *s, const uint8_t *bytes, uint32_t n)
{
	const uint32_t length = n ? utf8_length(*bytes) : 5;
	if (length > n) return false;
	uint32_t c = length == 1 ? *bytes : *bytes & (0x7fu >> length), lo, hi;
	for (uint32_t i = 1; i < length; i++) c = c << 6 | (bytes[i] & 0x3f);
	units_behind(s, &lo, &hi);
	const uint32_t high = 0xd7c0 + (c >> 10), first = c < 0x10000 ? c : high;  // of the two units of a pair
	if (!s->high) return first >= lo && first <= hi;
	return c >= 0x10000 && high == s->high && overlap(0xdc00 | (c & 0x3ff), 0xdc00 | (c & 0x3ff), lo, hi);
}

// ---- Numbers.
static uint32_t skip_digits(const uint8_t *text, uint32_t n, uint32_t i)
{
	while (i < n && is_digit(text[i])) i++;
	return i;
}

static uint32_t put_decimal(uint64_t x, uint8_t *out)
{
	uint8_t digits[20];
	uint32_t n = 0;
	do digits[n++] = (uint8_t)('0' + x % 10);
	while (x /= 10);
	for (uint32_t i = 0; i < n; i++) out[i] = digits[n - 1 - i];
	return n;
}

// Of a forged file's numbers other bytes may stand among the digits.
static int64_t power_digit(uint8_t c) { return (uint8_t)(c - '0') % 10; }

#define SMALL_DIGITS 18u  // of a power that a word holds

// A power, as written in n digits, with `more` added: its sign and digits.
static uint32_t put_power(const uint8_t *text, uint32_t n, bool is_negative, int64_t more, uint8_t *out)
{
	while (n && *text == '0') text++, n--;
	if (n <= SMALL_DIGITS) {
		int64_t x = 0;
		for (uint32_t i = 0; i < n; i++) x = x * 10 + power_digit(text[i]);
		x = (is_negative ? -x : x) + more;
		*out = '-';
		return x < 0 ? 1 + put_decimal((uint64_t)-x, out + 1) : put_decimal((uint64_t)x, out);
	}
	// So large that its sign stays: the rest is carried from digit to digit.
	uint32_t at = is_negative;
	*out = '-';
	int64_t carry = is_negative ? -more : more;
	uint8_t *digits = out + at + 1;  // room for one more before them
	for (uint32_t i = n; i--;) {
		int64_t sum = power_digit(text[i]) + carry, digit = (sum % 10 + 10) % 10;
		digits[i] = (uint8_t)('0' + digit);
		carry = (sum - digit) / 10;
	}
	digits[-1] = (uint8_t)('0' + carry);
	n++;
	uint32_t zeros = 0;
	while (zeros + 1 < n && out[at + zeros] == '0') zeros++;
	memmove(out + at, out + at + zeros, n - zeros);
	return at + n - zeros;
}

uint32_t number_normal(const uint8_t *text, uint32_t n, uint8_t *out)
{
	const bool is_negative = n && *text == '-';
	const uint32_t whole = skip_digits(text, n, is_negative);
	const uint32_t end = whole < n && text[whole] == '.' ? skip_digits(text, n, whole + 1) : whole;
	uint32_t k = 0;
	if (is_negative) out[k++] = '-';
	const uint32_t first = k;
	for (uint32_t i = is_negative; i < end; i++)
		if (text[i] != '.' && (k > first || text[i] != '0')) out[k++] = text[i];
	if (k == first) return *out = '0', 1;
	int64_t power = end > whole ? -(int64_t)(end - whole - 1) : 0;
	while (out[k - 1] == '0') k--, power++;
	out[k++] = 'e';
	uint32_t i = end < n;  // behind the e
	i += end;
	const bool is_down = i < n && text[i] == '-';
	if (i < n && !is_digit(text[i])) i++;
	return k + put_power(text + i, n - i, is_down, power, out + k);
}

struct decimal_text decimal_of_normal(const uint8_t *normal, uint32_t n)
{
	struct decimal_text d = {.digits = normal, .is_negative = n && *normal == '-'};
	d.digits += d.is_negative;
	const uint8_t *end = normal + n, *at = d.digits;
	while (at < end && is_digit(*at)) at++;
	d.n = (uint32_t)(at - d.digits);
	const bool is_down = end - at > 1 && at[1] == '-';
	if (at < end) at += is_down + 1;
	for (; at < end && d.power < DECIMAL_FAR; at++) d.power = d.power * 10 + power_digit(*at);
	if (is_down) d.power = -d.power;
	return d;
}

uint8_t decimal_byte(const struct decimal_text *d, uint32_t i)
{
	if (d->is_negative && !i) return '-';
	int64_t at = (int64_t)i - d->is_negative;  // among the digits
	const int64_t whole = d->n + d->power;     // so many of them stand before the point
	if (whole <= 0) at += whole - 2;           // 0. and zeros
	if (at == (whole > 0 ? whole : whole - 1) && whole < d->n) return '.';
	if (at < 0) return '0';
	at -= whole > 0 && at > whole && whole < d->n;
	if (at < d->n) return d->digits[at];
	return at < whole ? '0' : 0;
}
