// XGrammar's EBNF -> rules over pieces.
//
// In:  the text. Out: its rules, as XGrammar reads them. Line ends mean nothing: a name before `::=` that is first on
// its line begins a rule. Lookahead assertions `(= ...)` behind a rule are hints for XGrammar's own tables, and are
// skipped. Attributes of rules that do not change which texts there are (capture, temperature) are skipped; lazy and
// max_chars, max_tokens: bounds.c. Macros (Regex, TagDispatch, ...): macros.c. Recursive
// descent over the brackets, NOTATION_MAX_NESTING deep. Cost: linear.
#include "ebnf.h"

#include "../shared/hex.h"
#include "free_text.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

static size_t space_end(const struct cursor *p, size_t at)
{
	for (; at < p->len; at++) {
		char c = p->text[at];
		if (c == '#')
			while (at + 1 < p->len && p->text[at + 1] != '\r' && p->text[at + 1] != '\n') at++;
		else if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			break;
	}
	return at;
}

void ebnf_skip_space(struct cursor *p) { p->at = space_end(p, p->at); }

size_t ebnf_name_end(const struct cursor *p, size_t at)
{
	if (at < p->len && is_name(p->text[at]))
		while (at < p->len && (is_name(p->text[at]) || is_digit(p->text[at]))) at++;
	return at;
}

// The attributes behind a rule's name: the ']' of `[...]` that `::=` follows on its line, or 0.
static size_t attributes_end(const struct cursor *p, size_t at)
{
	if (at >= p->len || p->text[at] != '[') return 0;
	bool in_text = false;
	while (++at < p->len && p->text[at] != '\n' && (in_text || p->text[at] != ']')) in_text ^= p->text[at] == '"';
	if (at >= p->len || p->text[at] != ']') return 0;
	size_t end = at + 1;
	while (end < p->len && (p->text[end] == ' ' || p->text[end] == '\t')) end++;
	return p->len - end >= 3 && !memcmp(p->text + end, "::=", 3) ? at : 0;
}

// Does a rule begin here?
static bool rule_begins(const struct cursor *p)
{
	size_t end = ebnf_name_end(p, p->at);
	if (end == p->at) return false;
	if (attributes_end(p, end)) return true;
	end = space_end(p, end);
	return p->len - end >= 3 && !memcmp(p->text + end, "::=", 3);
}

// Branches: one case for each form of escape, and a message for each that is none.
static uint32_t read_escape(struct cursor *p, bool in_set)
{
	static const char from[] = "'\"?\\/abfnrtv0e", to[] = "'\"?\\/\a\b\f\n\r\t\v\0\x1B", more[] = "^$.*+()[]{}|-";
	size_t begin = p->at++;
	char c = peek(p);
	p->at += p->at < p->len;
	if (in_set && c && strchr(more, c)) return (uint8_t)c;
	const char *plain = c ? strchr(from, c) : NULL;
	if (plain) return (uint8_t)to[plain - from];
	uint32_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0, n = 0, value = 0;
	if (c == 'x' || digits)
		for (; (!digits || n < digits) && hex_digit(peek(p)) >= 0; p->at++, n++)
			value = value > 0x10FFFF ? value : value * 16 + (uint32_t)hex_digit(peek(p));
	if (in_set && c && strchr("dDsSwW", c))
		fail(p, begin, "classes such as \\d are not read inside a set, by XGrammar neither; write the ranges");
	else if (!n || (digits && n < digits))
		fail(p, begin, "this is no escape: \\n \\r \\t \\\\ \\\" \\xHH \\uHHHH \\UHHHHHHHH are");
	return value;
}

uint32_t ebnf_read_char(struct cursor *p, bool in_set)
{
	return peek(p) == '\\' ? read_escape(p, in_set) : utf8_point(p->text, &p->at);
}

static bool at_line_end(const struct cursor *p) { return p->at >= p->len || peek(p) == '\n' || peek(p) == '\r'; }

static uint32_t read_text_char(struct cursor *p, size_t from)
{
	if (at_line_end(p)) fail(p, from, "this string has no closing \" on its line");
	return p->failed ? 0 : ebnf_read_char(p, false);
}

static piece_id read_set(struct cursor *p, size_t from)
{
	code_ranges set = {0};
	p->at++;
	bool is_negated = peek(p) == '^';
	p->at += is_negated;
	while (!p->failed && peek(p) != ']') {
		if (at_line_end(p)) fail(p, from, "this set has no closing ] on its line");
		if (p->failed) break;
		size_t begin = p->at;
		uint32_t lo = ebnf_read_char(p, true), hi = lo;
		if (!p->failed && peek(p) == '-' && p->at + 1 < p->len && p->text[p->at + 1] != ']') {
			p->at++;
			hi = at_line_end(p) ? lo : ebnf_read_char(p, true);
			if (!p->failed && lo > hi) fail(p, begin, "this range ends before it begins");
		}
		vec_push(&set, ((struct code_range){lo, hi}));
	}
	p->at += !p->failed;
	piece_id whole = piece_set(p->r, &set, is_negated, cursor_loc(p, from, p->at));
	vec_release(&set);
	return whole;
}

static uint32_t read_number(struct cursor *p, size_t from)
{
	uint64_t n = 0;
	p->at += peek(p) == '+';
	if (!is_digit(peek(p))) fail(p, from, "a number of repetitions is expected here, as in {2,5}");
	for (; is_digit(peek(p)); p->at++) n = n > UINT32_MAX ? n : n * 10 + (uint32_t)(peek(p) - '0');
	if (n > NOTATION_MAX_REPEAT) fail(p, from, "a repetition goes up to %u (NOTATION_MAX_REPEAT)", NOTATION_MAX_REPEAT);
	ebnf_skip_space(p);
	return (uint32_t)n;
}

static piece_id read_bounds(struct cursor *p, size_t from, piece_id of)
{
	p->at++;
	ebnf_skip_space(p);
	uint32_t min = read_number(p, from), max = min;
	if (!p->failed && peek(p) == ',') {
		p->at++;
		ebnf_skip_space(p);
		max = TERM_UNBOUNDED;
		if (peek(p) == '-' && ebnf_name_end(p, p->at) == p->at + 2 && p->text[p->at + 1] == '1')
			p->at += 2, ebnf_skip_space(p);
		else if (peek(p) != '}')
			max = read_number(p, from);
	}
	if (!p->failed && peek(p) != '}') fail(p, from, "this repetition is not {n}, {n,} or {n,m}");
	if (!p->failed && max < min) fail(p, from, "no number of repetitions is at least %u and at most %u", min, max);
	if (p->failed) return of;
	p->at++;
	return piece_repeat(p->r, of, min, max, cursor_loc(p, from, p->at));
}

static piece_id read_alternatives(struct cursor *p);

static piece_id read_group(struct cursor *p, size_t from)
{
	if (++p->nesting > NOTATION_MAX_NESTING)
		fail(p, from, "groups nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	p->at++;
	ebnf_skip_space(p);
	piece_id whole = 0;
	if (!p->failed && peek(p) == ')')
		whole = piece_seq(p->r, NULL, 0, cursor_loc(p, from, p->at));
	else if (!p->failed)
		whole = read_alternatives(p);
	if (!p->failed && peek(p) != ')') fail(p, p->at, "the group that begins with this '(' needs its ')' here");
	p->at += !p->failed;
	p->nesting--;
	return whole;
}

static piece_id read_name(struct cursor *p)
{
	size_t from = p->at;
	piece_id macro;
	p->at = ebnf_name_end(p, from);
	struct loc loc = cursor_loc(p, from, p->at);
	size_t len = p->at - from;
	if (ebnf_macro(p, from, &macro)) return macro;
	if ((len == 4 && !memcmp(p->text + from, "true", 4)) || (len == 5 && !memcmp(p->text + from, "false", 5)))
		fail(p, from, "true and false are no rules; a text stands in quotes");
	return p->failed ? 0 : piece_rule(p->r, rule_number(p->r, p->text + from, len, loc), loc);
}

static piece_id read_element(struct cursor *p)
{
	size_t from = p->at;
	char c = peek(p);
	piece_id item = 0;
	if (c == '"')
		item = cursor_read_text(p, from, read_text_char);
	else if (c == '[')
		item = read_set(p, from);
	else if (c == '(')
		item = read_group(p, from);
	else if (is_name(c))
		item = read_name(p);
	else
		fail(p, from,
		     p->at >= p->len ? "the grammar ends where a part of a rule is expected"
		                     : "a string, a set, a group or a rule's name is expected here (\"\" is the empty text)");
	ebnf_skip_space(p);
	if (p->failed) return 0;
	from = p->at, c = peek(p);
	if (c == '*' || c == '+' || c == '?') {
		p->at++;
		item = piece_repeat(p->r, item, c == '+', c == '?' ? 1 : TERM_UNBOUNDED, cursor_loc(p, from, p->at));
	} else if (c == '{')
		item = read_bounds(p, from, item);
	ebnf_skip_space(p);
	return item;
}

static piece_id read_sequence(struct cursor *p)
{
	piece_ids items = {0};
	size_t from = p->at;
	do {
		piece_id item = read_element(p);
		vec_push(&items, item);
	} while (!p->failed && p->at < p->len && peek(p) != '|' && peek(p) != ')' &&
	         !(peek(p) == '(' && p->at + 1 < p->len && p->text[p->at + 1] == '=') && !rule_begins(p));
	struct parts parts = {.r = p->r, .loc = cursor_loc(p, from, p->at)};
	if (!p->failed) parts_before_tokens(&parts, items.at, items.n);
	piece_id whole = p->failed ? 0 : piece_seq(p->r, items.at, items.n, parts.loc);
	vec_release(&items);
	return whole;
}

static piece_id read_alternatives(struct cursor *p)
{
	piece_ids list = {0};
	size_t from = p->at;
	for (;;) {
		piece_id one = read_sequence(p);
		if (p->failed) break;
		vec_push(&list, one);
		if (peek(p) != '|') break;
		p->at++;
		ebnf_skip_space(p);
	}
	piece_id whole = p->failed ? 0 : piece_alt(p->r, list.at, list.n, cursor_loc(p, from, p->at));
	vec_release(&list);
	return whole;
}

// What an attribute says of the rule; those that change no texts say nothing.
// Branches: a value is passed, then one case for each attribute.
static void read_attribute(struct cursor *p, struct notation_rule *rule, size_t from, size_t len)
{
	static const char *const skipped[] = {"capture",
	                                      "temperature",
	                                      "stop_capture",
	                                      "capture_hidden_suffix_bytes",
	                                      "capture_hidden_stop_bytes",
	                                      "capture_hidden_body_rule_id",
	                                      "capture_hidden_marker_rule_id"};
	const char *name = arena_strndup(&p->r->arena, p->text + from, len);
	ebnf_skip_space(p);
	bool has_value = peek(p) == '=';
	p->at += has_value;
	ebnf_skip_space(p);
	size_t value = p->at;
	uint64_t n = 0;
	if (peek(p) == '"')
		for (p->at++; p->at < p->len && peek(p) != '"'; p->at++) continue;
	for (; p->at < p->len && !strchr(",]", peek(p)); p->at++)
		if (is_digit(peek(p)) && n <= UINT32_MAX) n = n * 10 + (uint32_t)(peek(p) - '0');
	for (uint32_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
		if (!strcmp(name, skipped[i])) return;
	if (!strcmp(name, "lazy") && !has_value) {
		rule->is_lazy = true;
	} else if (!strcmp(name, "max_chars") && is_digit(p->text[value])) {
		rule->has_most = true, rule->most_chars = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	} else if (!strcmp(name, "max_tokens") && is_digit(p->text[value])) {
		rule->has_tokens = true, rule->most_tokens = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	} else {
		p->at = from + len;
		fail(p, from, "the attribute %s changes which texts are accepted, and is not supported", name);
	}
}

static void read_attributes(struct cursor *p, uint32_t rule, size_t end)
{
	struct notation_rule read = p->r->rule.at[rule];
	while (!p->failed && p->at < end) {
		p->at++;
		ebnf_skip_space(p);
		size_t from = p->at;
		p->at = ebnf_name_end(p, from);
		if (p->at == from)
			fail(p, from,
			     "a rule's attribute is expected here: max_chars=9, max_tokens=9, lazy, capture, temperature=0.5");
		else
			read_attribute(p, &read, from, p->at - from);
	}
	p->r->rule.at[rule] = read;
	p->at = end + 1;
}

// Branches: name, attributes, body and lookahead follow each other, and the first that is wrong is told.
static void read_rule(struct cursor *p)
{
	size_t from = p->at;
	if (!rule_begins(p)) {
		fail(p, from, "a rule is expected here: its name, then '::='");
		return;
	}
	for (size_t back = from; back > p->begin && p->text[back - 1] != '\n' && p->text[back - 1] != '\r'; back--)
		if (p->text[back - 1] != ' ' && p->text[back - 1] != '\t') {
			fail(p, from, "a rule begins on a line of its own");
			return;
		}
	p->at = ebnf_name_end(p, from);
	struct loc loc = cursor_loc(p, from, p->at);
	uint32_t rule = rule_number(p->r, p->text + from, p->at - from, loc);
	size_t end = attributes_end(p, p->at);
	if (end) read_attributes(p, rule, end);
	ebnf_skip_space(p);
	p->at += 3;
	ebnf_skip_space(p);
	piece_id body = p->failed ? 0 : read_alternatives(p);
	if (!p->failed && peek(p) == '(') {
		p->at += 2;
		ebnf_skip_space(p);
		read_alternatives(p);
		if (!p->failed && peek(p) != ')') fail(p, p->at, "the lookahead that begins with '(=' needs its ')' here");
		p->at += !p->failed;
		ebnf_skip_space(p);
	}
	if (!p->failed && p->r->rule.at[rule].body != PIECE_NONE)
		fail(p, from, "rule '%s' is defined twice", p->r->rule.at[rule].name);
	if (!p->failed) p->r->rule.at[rule].body = body, p->r->rule.at[rule].loc = loc;
}

bool ebnf_read(struct notation_rules *r, const char *start)
{
	struct cursor p = cursor_begin(r);
	ebnf_skip_space(&p);
	while (p.at < p.len && !p.failed) read_rule(&p);
	return !p.failed && pieces_finish(r, start ? start : "root") && rules_bound(r);
}
