// XGrammar's regular expressions -> pieces.
//
// In:  a pattern. Out: a piece with the texts that XGrammar 0.2 takes it for (docs/notations.md lists the dialect):
// sets are of code points, . is every one of them, ^ and $ say nothing, \d \w \s are those of ASCII, a quantifier may
// be lazy, which changes no texts. Recursive descent over groups, NOTATION_MAX_NESTING deep. Cost: linear.
#include "pattern.h"

#include "../shared/hex.h"

struct pattern_reader {
	const struct pattern *p;
	struct notation_rules *r;
	struct diag *d;
	size_t at;
	uint32_t nesting;
	bool failed;
};

#define MAX_CODE_POINT 0x10FFFFu

// The first error is told.
#define fail(x, ...)                                                                                                   \
	do {                                                                                                               \
		if (!(x)->failed) diag_error((x)->d, (x)->p->loc, __VA_ARGS__);                                                \
		(x)->failed = true;                                                                                            \
	} while (0)
#define SAID "the regular expression %s: "
#define ITS (x)->p->text

static char at_byte(const struct pattern_reader *x, size_t at) { return at < x->p->len ? x->p->text[at] : 0; }
static char next(const struct pattern_reader *x) { return at_byte(x, x->at); }
static bool is_end(const struct pattern_reader *x) { return x->at >= x->p->len; }

// ---- Characters

// n digits, or some inside { }.
static uint32_t read_hex(struct pattern_reader *x, uint32_t n)
{
	bool braces = n == 4 && next(x) == '{';
	uint32_t value = 0, k = 0;
	x->at += braces;
	for (; k < (braces ? 6 : n) && hex_digit(next(x)) >= 0; k++, x->at++)
		value = value * 16 + (uint32_t)hex_digit(next(x));
	if (braces ? !k || next(x) != '}' || value > MAX_CODE_POINT : k < n)
		fail(x, SAID "\\xHH, \\uHHHH and \\u{...} need hexadecimal digits of a character", ITS);
	x->at += braces && !x->failed;
	return value;
}

static void add(code_ranges *set, uint32_t lo, uint32_t hi) { vec_push(set, ((struct code_range){lo, hi})); }

// \d \w \s and what they leave; false: c is none of these.
static bool add_class(const struct pattern_reader *x, char c, code_ranges *set)
{
	code_ranges own = {0};
	if (c == 'd' || c == 'D')
		add(&own, '0', '9');
	else if (c == 'w' || c == 'W')
		add(&own, '0', '9'), add(&own, 'A', 'Z'), add(&own, '_', '_'), add(&own, 'a', 'z');
	else if (c == 's' || c == 'S')
		add(&own, '\t', '\r'), add(&own, ' ', ' ');
	else
		return false;
	if ((c == 's' || c == 'S') && x->p->dialect == PATTERN_FORMAT) add(&own, 0xA0, 0xA0);
	uint32_t from = 0;
	for (uint32_t i = 0; i < own.n; i++) {
		if (c >= 'a')
			add(set, own.at[i].lo, own.at[i].hi);
		else
			add(set, from, own.at[i].lo - 1);
		from = own.at[i].hi + 1;
	}
	if (c < 'a') add(set, from, MAX_CODE_POINT);
	vec_release(&own);
	return true;
}

// What stands behind a backslash for one character.
static uint32_t read_escape(struct pattern_reader *x, bool in_set)
{
	static const char from[] = "ntrfvae0", to[] = "\n\t\r\f\v\a\x1B";
	char c = next(x);
	if (is_end(x)) {
		fail(x, SAID "it ends with a backslash", ITS);
		return 0;
	}
	if ((uint8_t)c >= 0x80) return utf8_point(x->p->text, &x->at);
	x->at++;
	const char *plain = c ? strchr(from, c) : NULL;
	if (plain) return (uint8_t)to[plain - from];
	if (c == 'b' && in_set) return '\b';
	if (strchr("bBpPk123456789", c)) fail(x, SAID "\\%c is not supported, by XGrammar neither", ITS, c);
	if (c == 'x') return read_hex(x, 2);
	if (c == 'u') return read_hex(x, 4);
	if (c != 'c') return (uint8_t)c;
	c = next(x);
	if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) fail(x, SAID "\\c needs a letter", ITS);
	x->at++;
	return (uint8_t)c & 0x1Fu;
}

static uint32_t read_char(struct pattern_reader *x, bool in_set)
{
	if (next(x) != '\\') return utf8_point(x->p->text, &x->at);
	x->at++;
	return read_escape(x, in_set);
}

// The set, as the options have it: both cases of letters, without what a JSON string cannot hold.
static piece_id set_piece(struct pattern_reader *x, code_ranges *set, bool is_negated)
{
	for (uint32_t i = 0, n = set->n; x->p->folds && i < n; i++)
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t a = k ? 'A' : 'a', lo = set->at[i].lo > a ? set->at[i].lo : a;
			uint32_t hi = set->at[i].hi < a + 25 ? set->at[i].hi : a + 25;
			if (lo <= hi) add(set, lo ^ 32u, hi ^ 32u);
		}
	piece_id p = piece_set(x->r, set, is_negated, x->p->loc);
	vec_release(set);
	if (!x->p->in_json_string) return p;
	static const struct code_range allowed[] = {{' ', '!'}, {'#', '['}, {']', MAX_CODE_POINT}};
	code_ranges kept = {0};
	for (uint32_t i = 0; i < x->r->pieces.at[p].n; i++)
		for (uint32_t k = 0; k < 3; k++) {
			struct code_range c = x->r->pieces.at[p].range[i];
			uint32_t lo = c.lo > allowed[k].lo ? c.lo : allowed[k].lo, hi = c.hi < allowed[k].hi ? c.hi : allowed[k].hi;
			if (lo <= hi) add(&kept, lo, hi);
		}
	p = piece_set(x->r, &kept, false, x->p->loc);
	vec_release(&kept);
	return p;
}

static piece_id char_piece(struct pattern_reader *x, uint32_t c)
{
	code_ranges set = {0};
	add(&set, c, c);
	return set_piece(x, &set, false);
}

// Branches: a member is a character, an escape, a range or a class, and each may be wrong.
static piece_id read_set(struct pattern_reader *x)
{
	code_ranges set = {0};
	x->at++;
	bool is_negated = next(x) == '^';
	x->at += is_negated;
	if (next(x) == ']' && !(is_negated && x->p->dialect == PATTERN_FORMAT)) fail(x, SAID "an empty set", ITS);
	while (!x->failed && !is_end(x) && next(x) != ']') {
		if (next(x) == '\\' && add_class(x, at_byte(x, x->at + 1), &set)) {
			x->at += 2;
			continue;
		}
		uint32_t lo = read_char(x, true), hi = lo;
		if (next(x) == '-' && at_byte(x, x->at + 1) != ']') {
			x->at++;
			if (next(x) == '\\' && strchr("dDwWsS", at_byte(x, x->at + 1)))
				fail(x, SAID "a range cannot end with \\%c", ITS, at_byte(x, x->at + 1));
			hi = x->failed ? lo : read_char(x, true);
			if (!x->failed && hi < lo) fail(x, SAID "a range ends before it begins", ITS);
		}
		add(&set, lo, hi);
	}
	if (!x->failed && is_end(x)) fail(x, SAID "[ needs its ]", ITS);
	x->at++;
	return set_piece(x, &set, is_negated);
}

// ---- Structure

static piece_id read_alternatives(struct pattern_reader *x);

// What follows (? of a group, up to its contents; true: it was skipped as a whole.
static bool read_modifier(struct pattern_reader *x)
{
	size_t name = x->at + (next(x) == 'P' && x->p->dialect == PATTERN_MACRO);
	if (next(x) == ':') {
		x->at++;
	} else if (at_byte(x, name) == '<' && at_byte(x, name + 1) != '=' && at_byte(x, name + 1) != '!') {
		while (x->at < x->p->len && next(x) != '>') x->at++;
		x->at++;
	} else if ((next(x) == '=' || next(x) == '!') && x->p->dialect == PATTERN_MACRO) {
		diag_warning(x->d, x->p->loc, SAID "XGrammar ignores what it looks ahead for, (?%c...), and so it is here", ITS,
		             next(x));
		x->at++;
		read_alternatives(x);
		return true;
	} else
		fail(x, SAID "groups are (...), (?:...) and (?<name>...)", ITS);
	return false;
}

static piece_id read_group(struct pattern_reader *x)
{
	if (++x->nesting > NOTATION_MAX_NESTING)
		fail(x, SAID "groups nest deeper than %u (NOTATION_MAX_NESTING)", ITS, NOTATION_MAX_NESTING);
	x->at++;
	bool is_skipped = false;
	if (next(x) == '?') x->at++, is_skipped = read_modifier(x);
	piece_id p = piece_seq(x->r, NULL, 0, x->p->loc);
	if (!x->failed && !is_skipped) p = read_alternatives(x);
	if (!x->failed && next(x) != ')') fail(x, SAID "( needs its )", ITS);
	x->at++;
	x->nesting--;
	return p;
}

static uint32_t read_count(struct pattern_reader *x)
{
	uint64_t n = 0;
	while (next(x) == ' ') x->at++;
	if (next(x) < '0' || next(x) > '9') fail(x, SAID "repetitions are {n}, {n,} and {n,m}", ITS);
	for (; next(x) >= '0' && next(x) <= '9'; x->at++) n = n > UINT32_MAX ? n : n * 10 + (uint32_t)(next(x) - '0');
	if (n > NOTATION_MAX_REPEAT)
		fail(x, SAID "a repetition goes up to %u (NOTATION_MAX_REPEAT)", ITS, NOTATION_MAX_REPEAT);
	while (next(x) == ' ') x->at++;
	return (uint32_t)n;
}

static bool is_quantifier(char c) { return c && strchr("*+?{", c); }

// The quantifiers behind p.
// Branches: the four quantifiers, one behind the other, with their bounds and the forms that are refused.
static piece_id read_quantifiers(struct pattern_reader *x, piece_id p)
{
	for (;;) {
		while (next(x) == '^' || next(x) == '$') x->at++;
		char c = next(x);
		if (x->failed || !is_quantifier(c)) return p;
		x->at++;
		uint32_t min = c == '+', max = c == '?' ? 1 : TERM_UNBOUNDED;
		if (c == '{') {
			min = max = read_count(x);
			if (!x->failed && next(x) == ',') {
				x->at++;
				while (next(x) == ' ') x->at++;
				max = next(x) == '}' ? TERM_UNBOUNDED : read_count(x);
			}
			if (!x->failed && (next(x) != '}' || max < min)) fail(x, SAID "repetitions are {n}, {n,} and {n,m}", ITS);
			x->at++;
		}
		if (next(x) == '?') x->at++;
		if (!x->failed) p = piece_repeat(x->r, p, min, max, x->p->loc);
	}
}

static piece_id read_atom(struct pattern_reader *x)
{
	char c = next(x);
	code_ranges set = {0};
	if (c == '(') return read_group(x);
	if (c == '[') return read_set(x);
	if (c == '.') {
		x->at++;
		if (x->p->dot_ends_lines) add(&set, '\n', '\n');
		return set_piece(x, &set, true);
	}
	if (c == '\\' && add_class(x, at_byte(x, x->at + 1), &set)) {
		x->at += 2;
		return set_piece(x, &set, false);
	}
	if (is_quantifier(c)) fail(x, SAID "nothing to repeat stands before %c", ITS, c);
	if (c == ']' && x->p->dialect == PATTERN_MACRO) fail(x, SAID "] needs its [, or a backslash", ITS);
	return x->failed ? piece_seq(x->r, NULL, 0, x->p->loc) : char_piece(x, read_char(x, false));
}

static piece_id read_sequence(struct pattern_reader *x)
{
	piece_ids parts = {0};
	while (!x->failed && !is_end(x) && next(x) != '|' && next(x) != ')') {
		if (next(x) == '^' || next(x) == '$') {
			x->at++;
			continue;
		}
		piece_id p = read_quantifiers(x, read_atom(x));
		vec_push(&parts, p);
	}
	piece_id p = piece_seq(x->r, parts.at, parts.n, x->p->loc);
	vec_release(&parts);
	return p;
}

static piece_id read_alternatives(struct pattern_reader *x)
{
	piece_ids ways = {0};
	for (;; x->at++) {
		piece_id p = read_sequence(x);
		vec_push(&ways, p);
		if (x->failed || next(x) != '|') break;
	}
	piece_id p = piece_alt(x->r, ways.at, ways.n, x->p->loc);
	vec_release(&ways);
	return p;
}

bool pattern_read(struct notation_rules *r, const struct pattern *p, struct diag *d, piece_id *out)
{
	struct pattern own = *p;
	struct pattern_reader reading = {.p = &own, .r = r, .d = d}, *x = &reading;
	if (p->dialect == PATTERN_MACRO && p->len >= 4 && !memcmp(p->text, "(?i)", 4)) own.folds = true, x->at = 4;
	*out = read_alternatives(x);
	if (memchr(own.text, 0, own.len)) fail(x, SAID "U+0000 is in no text", ITS);
	if (!x->failed && !is_end(x)) fail(x, SAID ") needs its (", ITS);
	return !x->failed;
}
