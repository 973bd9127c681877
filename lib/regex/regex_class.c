// Character classes and escapes of a regex.
//
// In:  the text at a '[' or a '\'. Out: a node for one code point of a set.
// The meaning is that of Python's re for str patterns: \d is Nd, \s is str.isspace, \w is letters, numbers and
// '_', all ASCII under flag a; flag i closes literals and ranges (not the named classes) under simple case
// folding. What Python and PCRE2 read differently is refused with the spelling that both read alike.
#include "regex_internal.h"

#include "../shared/hex.h"

static const struct cp_range DIGIT_ASCII[] = {{'0', '9'}};
static const struct cp_range SPACE_ASCII[] = {{'\t', '\r'}, {' ', ' '}};
static const struct cp_range WORD_ASCII[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
// str.isspace: Unicode's White_Space and the four separators U+001C-U+001F.
static const struct cp_range SPACE_PYTHON[] = {
	{'\t', '\r'},     {0x1C, ' '},      {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
	{0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
};
#define TABLE(t) ((struct cp_set){(struct cp_range *)(uintptr_t)(t), sizeof(t) / sizeof *(t)})

// \d \s \w and their complements.
static bool named_set(struct re_parser *p, char letter, struct cp_set *out)
{
	bool ascii = p->flags & TERM_A, ok = true;
	char error[128];
	switch (letter | 32) {
	case 's': *out = ascii ? TABLE(SPACE_ASCII) : TABLE(SPACE_PYTHON); break;
	case 'd':
		if (ascii)
			*out = TABLE(DIGIT_ASCII);
		else
			ok = unicode_class(p->c->cache, "\\p{Nd}", out, error);
		break;
	default:
		if (ascii)
			*out = TABLE(WORD_ASCII);
		else
			ok = unicode_class(p->c->cache, "\\p{L}\\p{N}_", out, error);
	}
	ASSERT(ok);
	if (letter < 'a') *out = cp_complement(&p->c->scratch, *out);
	return true;
}

struct cp_set re_word_set(struct re_parser *p)
{
	struct cp_set s;
	named_set(p, 'w', &s);
	return s;
}

// After "\p" or "\P": a letter or {...}.
static bool property_set(struct re_parser *p, uint32_t from, struct cp_set *out)
{
	uint32_t end = p->at;
	if (end < p->len && p->text[end] == '{')
		while (end < p->len && p->text[end] != '}') end++;
	if (end >= p->len || end - from > 100) {
		re_error(p->c, re_here(p, from), "this Unicode property is not finished: \\p{Lu} has a name in braces");
		return false;
	}
	p->at = end + 1;
	char body[128], error[128];
	memcpy(body, p->text + from, p->at - from);
	body[p->at - from] = 0;
	if (unicode_class(p->c->cache, body, out, error)) return true;
	re_error(p->c, re_here(p, from), "bad regex: %s", error);
	return false;
}

static bool hex_digits(struct re_parser *p, uint32_t n, uint32_t *cp)
{
	*cp = 0;
	for (uint32_t i = 0; i < n; i++, p->at++) {
		int digit = p->at < p->len ? hex_digit(p->text[p->at]) : -1;
		if (digit < 0) return false;
		*cp = *cp << 4 | (uint32_t)digit;
	}
	return true;
}

static bool is_octal(const struct re_parser *p, uint32_t at)
{
	return at < p->len && p->text[at] >= '0' && p->text[at] <= '7';
}

enum escape { ESC_ERROR, ESC_CHAR, ESC_SET, ESC_ANCHOR };

static enum escape refuse(struct re_parser *p, uint32_t from, const char *why)
{
	re_error(p->c, re_here(p, from), "%s", why);
	return ESC_ERROR;
}

static enum escape digit_escape(struct re_parser *p, uint32_t from, bool in_class, uint32_t *cp)
{
	uint32_t first = p->at - 1;
	bool octal = p->text[first] == '0' || (in_class && is_octal(p, first)) ||
	             (is_octal(p, first) && is_octal(p, first + 1) && is_octal(p, first + 2));
	if (!octal)
		return refuse(p, from,
		              in_class ? "a class cannot hold a reference to a group; write the character itself"
		                       : "references to groups (\\1) are not regular: no automaton can remember what a group "
		                         "matched; write an alternative for each text that the group is to match");
	*cp = (uint32_t)(p->text[first] - '0');
	for (uint32_t i = 0; i < 2 && is_octal(p, p->at); i++) *cp = *cp * 8 + (uint32_t)(p->text[p->at++] - '0');
	if (*cp > 0377) return refuse(p, from, "an octal escape goes up to \\377; write \\uHHHH");
	return ESC_CHAR;
}

// Behind \x, \u or \U.
// Branches: \x, \x{}, \u and \U differ in their digits and in what is said of wrong ones.
static enum escape hex_escape(struct re_parser *p, char ch, uint32_t from, uint32_t *cp)
{
	if (ch == 'x' && p->at < p->len && p->text[p->at] == '{') {
		uint32_t n = ++p->at;
		while (n < p->len && p->text[n] != '}') n++;
		if (n == p->at || n - p->at > 6 || !hex_digits(p, n - p->at, cp) || p->at >= p->len)
			return refuse(p, from, "\\x{...} takes one to six hexadecimal digits");
		p->at++;
	} else if (!hex_digits(p, ch == 'x' ? 2 : ch == 'u' ? 4 : 8, cp)) {
		return refuse(p, from,
		              ch == 'x'   ? "\\x takes exactly two hexadecimal digits"
		              : ch == 'u' ? "\\u takes exactly four hexadecimal digits"
		                          : "\\U takes exactly eight hexadecimal digits");
	}
	if (*cp > MAX_CODE_POINT || (*cp >= 0xD800 && *cp <= 0xDFFF))
		return refuse(p, from, "this is not a Unicode code point that a text can hold");
	return ESC_CHAR;
}

// Any other letter, digit or character behind a backslash.
static enum escape plain_escape(struct re_parser *p, char ch, uint32_t from, bool in_class, uint32_t *cp)
{
	if (ch >= '0' && ch <= '9') return digit_escape(p, from, in_class, cp);
	if ((ch | 32) >= 'a' && (ch | 32) <= 'z') {
		re_error(p->c, re_here(p, from), "the escape \\%c is not one that Python and PCRE2 share", ch);
		return ESC_ERROR;
	}
	p->at--;
	uint32_t n = utf8_decode(p->text + p->at, p->len - p->at, cp);
	if (!n) return refuse(p, from, "this is not valid UTF-8");
	p->at += n;
	return ESC_CHAR;
}

// At a backslash. Leaves p after the escape.
// Branches: one case for each letter that may follow a backslash.
static enum escape read_escape(struct re_parser *p, bool in_class, uint32_t *cp, struct cp_set *set)
{
	static const char control[] = "n\nt\tr\rf\fv\va\a";  // a letter, and the character that it means
	uint32_t from = p->at++;
	if (p->at >= p->len) return refuse(p, from, "a backslash ends the regex; write \\\\ for the character itself");
	char ch = p->text[p->at++];
	for (const char *c = control; *c; c += 2)
		if (ch == *c) return *cp = (uint32_t)c[1], ESC_CHAR;
	if (ch && strchr("dDsSwW", ch)) return named_set(p, ch, set) ? ESC_SET : ESC_ERROR;
	if (ch && strchr("xuU", ch)) return hex_escape(p, ch, from, cp);
	switch (ch) {
	case 'p':
	case 'P': return property_set(p, from, set) ? ESC_SET : ESC_ERROR;
	case 'b':
		if (in_class) return *cp = '\b', ESC_CHAR;
		return ESC_ANCHOR;
	case 'B':
	case 'A':
	case 'Z':
		if (in_class) return refuse(p, from, "a class holds characters; an anchor belongs outside of it");
		return ESC_ANCHOR;
	case 'z':
	case 'G':
		return refuse(p, from,
		              "this anchor is not one that Python and PCRE2 share; \\A is the start of the text, \\Z its end");
	case 'N': return refuse(p, from, "\\N is not supported; write \\uHHHH for a character, [^\\n] for any but newline");
	default: return plain_escape(p, ch, from, in_class, cp);
	}
}

static struct cp_set folded(struct re_parser *p, cp_ranges *r)
{
	struct cp_set s = cp_finish(&p->c->scratch, r);
	if (p->flags & TERM_I) s = unicode_fold(p->c->cache, &p->c->scratch, s, p->flags & TERM_A);
	return s;
}

struct re_node *re_literal(struct re_parser *p, uint32_t cp, uint32_t from)
{
	struct cp_range one = {cp, cp};
	struct cp_set s = {&one, 1};
	// Interned sets must outlive this frame, and only a new one needs a copy; folding makes its own.
	bool letter = cp >= 0x80 || ((cp | 32) >= 'a' && (cp | 32) <= 'z');
	if ((p->flags & TERM_I) && letter) {
		s = unicode_fold(p->c->cache, &p->c->scratch, s, p->flags & TERM_A);
	} else {
		s.at = arena_alloc(&p->c->scratch, sizeof one);
		s.at[0] = one;
	}
	return re_new_set(p->c, s, re_here(p, from));
}

struct re_node *re_parse_escape(struct re_parser *p)
{
	uint32_t from = p->at, cp = 0;
	struct cp_set s;
	switch (read_escape(p, false, &cp, &s)) {
	case ESC_CHAR: return re_literal(p, cp, from);
	case ESC_SET: return re_new_set(p->c, s, re_here(p, from));
	case ESC_ANCHOR: return re_anchor(p, p->text[from + 1], from);
	default: return NULL;
	}
}

// One member of a class: a code point or a set.
static enum escape class_member(struct re_parser *p, uint32_t *cp, struct cp_set *set)
{
	uint32_t from = p->at;
	char ch = p->text[p->at], next = p->at + 1 < p->len ? p->text[p->at + 1] : 0;
	if (ch == '\\') return read_escape(p, true, cp, set);
	if (ch == '[' && (next == ':' || next == '.' || next == '=')) {
		p->at += 2;
		return refuse(p, from,
		              "POSIX classes such as [:alpha:] mean something else in Python; write \\w, \\d, \\s, "
		              "\\p{L} or a range, or \\[ for the character");
	}
	uint32_t n = utf8_decode(p->text + p->at, p->len - p->at, cp);
	if (!n) return refuse(p, from, "this is not valid UTF-8");
	p->at += n;
	return ESC_CHAR;
}

// Branches: a member is a character, a set or the begin of a range, each of which may be refused.
struct re_node *re_parse_class(struct re_parser *p)
{
	uint32_t from = p->at++;
	bool negated = p->at < p->len && p->text[p->at] == '^';
	if (negated) p->at++;
	cp_ranges literals = {0}, sets = {0};
	bool ok = true;
	for (bool first = true; ok; first = false) {
		if (p->at >= p->len) {
			re_error(p->c, re_here(p, from), "this class has no closing ]");
			ok = false;
			break;
		}
		if (p->text[p->at] == ']' && !first) break;
		uint32_t member = p->at, lo, hi;
		struct cp_set s;
		enum escape kind = class_member(p, &lo, &s);
		if (kind == ESC_ERROR) {
			ok = false;
			break;
		}
		bool range = p->at + 1 < p->len && p->text[p->at] == '-' && p->text[p->at + 1] != ']';
		if (kind == ESC_SET) cp_add_set(&sets, s);
		if (!range) {
			if (kind == ESC_CHAR) cp_add(&literals, lo, lo);
			continue;
		}
		p->at++;
		enum escape end = kind == ESC_SET ? ESC_SET : class_member(p, &hi, &s);
		if (end == ESC_ERROR) {
			ok = false;
		} else if (end == ESC_SET) {
			re_error(p->c, re_here(p, member),
			         "a range runs between two characters; write - last in the class, or \\-");
			ok = false;
		} else if (hi < lo) {
			re_error(p->c, re_here(p, member), "this range is empty: its end comes before its start");
			ok = false;
		} else {
			cp_add(&literals, lo, hi);
		}
	}
	struct re_node *node = NULL;
	if (ok) {
		p->at++;
		struct cp_set s = folded(p, &literals);
		if (sets.n) {
			cp_add_set(&sets, s);
			s = cp_finish(&p->c->scratch, &sets);
		}
		if (negated) s = cp_complement(&p->c->scratch, s);
		node = re_new_set(p->c, s, re_here(p, from));
	}
	vec_release(&literals);
	vec_release(&sets);
	return node;
}
