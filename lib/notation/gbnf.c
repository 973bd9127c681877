// GBNF, llama.cpp's notation of grammars -> rules over pieces.
//
// In:  the text. Out: its rules, as llama.cpp reads them (its grammars/README.md and its parser's behaviour): a rule
// that is defined again replaces the one before; a bound above 2,000 is no bound; `root` is the start.
// Recursive descent over the brackets, NOTATION_MAX_NESTING deep. Cost: linear.
// What is more: left recursion, and repetitions as large as the limits of the compiler allow. Tokens (<[7]>, <name>)
// are control tokens; !<name> is refused by name.
#include "cursor.h"

#define GBNF_MAX_REPEAT 2000u  // llama.cpp's MAX_REPETITION_THRESHOLD

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

static void skip_space(struct cursor *p, bool newlines)
{
	for (; p->at < p->len; p->at++) {
		char c = p->text[p->at];
		if (c == '#')
			while (p->at + 1 < p->len && p->text[p->at + 1] != '\r' && p->text[p->at + 1] != '\n') p->at++;
		else if (c != ' ' && c != '\t' && !(newlines && (c == '\r' || c == '\n')))
			return;
	}
}

static uint32_t read_hex(struct cursor *p, size_t from, uint32_t digits)
{
	uint32_t value = 0;
	for (uint32_t i = 0; i < digits; i++, p->at++) {
		char c = peek(p);
		uint32_t d = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
		             : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
		             : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
		                                    : 16;
		if (d == 16) {
			fail(p, from, "this escape needs %u hexadecimal digits", digits);
			return 0;
		}
		value = value << 4 | d;
	}
	return value;
}

static uint32_t read_char(struct cursor *p)
{
	size_t from = p->at;
	if (p->at >= p->len) {
		fail(p, p->at, "the grammar ends inside a literal or a set");
		return 0;
	}
	if (peek(p) != '\\') return utf8_point(p->text, &p->at);
	p->at++;
	char c = peek(p);
	p->at += p->at < p->len;
	switch (c) {
	case 'x': return read_hex(p, from, 2);
	case 'u': return read_hex(p, from, 4);
	case 'U': return read_hex(p, from, 8);
	case 't': return '\t';
	case 'r': return '\r';
	case 'n': return '\n';
	case '\\':
	case '"':
	case '[':
	case ']':
	case '-': return (uint8_t)c;
	default:
		fail(p, from, "this escape is not one of \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\xHH \\uHHHH \\UHHHHHHHH");
		return 0;
	}
}

static uint32_t read_text_char(struct cursor *p, size_t from)
{
	(void)from;
	return read_char(p);
}

// A set without members is nothing that has to be there, as in llama.cpp.
static piece_id read_set(struct cursor *p, size_t from)
{
	code_ranges set = {0};
	p->at++;
	bool is_negated = peek(p) == '^';
	p->at += is_negated;
	while (!p->failed && peek(p) != ']') {
		size_t begin = p->at;
		uint32_t lo = read_char(p), hi = lo;
		if (!p->failed && peek(p) == '-' && p->at + 1 < p->len && p->text[p->at + 1] != ']') {
			p->at++;
			hi = read_char(p);
			if (!p->failed && lo > hi)
				diag_warning(p->r->diag, cursor_loc(p, begin, p->at),
				             "this range is empty: it ends before it begins "
				             "[empty-range]");
		}
		if (lo <= hi) vec_push(&set, ((struct code_range){lo, hi}));
	}
	bool is_empty = p->at == from + 1 + is_negated;
	p->at += !p->failed;
	piece_id whole = is_empty ? piece_seq(p->r, NULL, 0, cursor_loc(p, from, p->at))
	                          : piece_set(p->r, &set, is_negated, cursor_loc(p, from, p->at));
	vec_release(&set);
	return whole;
}

static uint32_t read_number(struct cursor *p, size_t from)
{
	uint64_t n = 0;
	if (peek(p) < '0' || peek(p) > '9') fail(p, from, "a number of repetitions is expected here, as in {2,5}");
	for (; peek(p) >= '0' && peek(p) <= '9'; p->at++) n = n > UINT32_MAX ? n : n * 10 + (uint32_t)(peek(p) - '0');
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

// *is_never: {0}, behind which no operator has anything to repeat.
static piece_id read_bounds(struct cursor *p, size_t from, bool nested, piece_id of, bool *is_never)
{
	skip_space(p, nested);
	uint32_t min = read_number(p, from), max = min;
	skip_space(p, nested);
	if (peek(p) == ',') {
		p->at++;
		skip_space(p, nested);
		max = TERM_UNBOUNDED;
		if (peek(p) >= '0' && peek(p) <= '9') {
			max = read_number(p, from);
			if (max > GBNF_MAX_REPEAT) {
				diag_warning(p->r->diag, cursor_loc(p, from, p->at),
				             "llama.cpp takes a bound above %u for none, so this repetition has no end [no-bound]",
				             GBNF_MAX_REPEAT);
				max = TERM_UNBOUNDED;
			}
			skip_space(p, nested);
		}
	}
	if (!p->failed && peek(p) != '}') fail(p, from, "this repetition is not {n}, {n,} or {n,m}");
	if (!p->failed && min > GBNF_MAX_REPEAT)
		fail(p, from, "a repetition of at least %u is more than llama.cpp takes (%u)", min, GBNF_MAX_REPEAT);
	if (!p->failed && max < min) fail(p, from, "no number of repetitions is at least %u and at most %u", min, max);
	if (p->failed) return of;
	p->at++;
	*is_never = !max;
	return piece_repeat(p->r, of, min, max, cursor_loc(p, from, p->at));
}

static piece_id read_alternatives(struct cursor *p, bool nested);

static piece_id read_group(struct cursor *p, size_t from)
{
	if (++p->nesting > NOTATION_MAX_NESTING)
		fail(p, from, "groups nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	p->at++;
	skip_space(p, true);
	piece_id whole = p->failed ? 0 : read_alternatives(p, true);
	if (!p->failed && peek(p) != ')') fail(p, p->at, "the group that begins with this '(' needs its ')' here");
	p->at += !p->failed;
	p->nesting--;
	return whole;
}

static piece_id read_name(struct cursor *p)
{
	size_t from = p->at;
	while (is_word(peek(p))) p->at++;
	struct loc loc = cursor_loc(p, from, p->at);
	return piece_rule(p->r, rule_number(p->r, p->text + from, p->at - from, loc), loc);
}

// <name>, <[7]>
static piece_id read_token(struct cursor *p)
{
	size_t from = p->at;
	piece_id item = 0;
	while (p->at < p->len && p->text[p->at] != '>' && p->text[p->at] != '\n') p->at++;
	if (peek(p) != '>') {
		fail(p, from, "a token is written <name> or <[7]>: expected > on the same line");
		return 0;
	}
	p->at++;
	if (!piece_control(p->r, p->text + from + 1, p->at - from - 2, cursor_loc(p, from, p->at), &item)) p->failed = true;
	return item;
}

// Branches: one case for each sign that begins an item or repeats one.
static piece_id read_sequence(struct cursor *p, bool nested)
{
	piece_ids items = {0};
	bool may_repeat = false;  // there is something that an operator could mean
	size_t from = p->at;
	while (!p->failed) {
		size_t begin = p->at;
		char c = peek(p);
		if (c == '*' || c == '+' || c == '?' || c == '{') {
			p->at++;
			if (!may_repeat) {
				fail(p, begin, "'%c' has nothing before it to repeat", c);
				break;
			}
			piece_id *last = &items.at[items.n - 1], of = *last;
			bool is_never = false;
			of = c == '{'
			         ? read_bounds(p, begin, nested, of, &is_never)
			         : piece_repeat(p->r, of, c == '+', c == '?' ? 1 : TERM_UNBOUNDED, cursor_loc(p, begin, p->at));
			*last = of;
			may_repeat = !is_never;
			skip_space(p, nested);
			continue;
		}
		piece_id item;
		if (c == '"')
			item = cursor_read_text(p, begin, read_text_char);
		else if (c == '[')
			item = read_set(p, begin);
		else if (c == '(')
			item = read_group(p, begin);
		else if (c == '.')
			p->at++, item = piece_set(p->r, &(code_ranges){0}, true, cursor_loc(p, begin, p->at));
		else if (is_word(c))
			item = read_name(p);
		else if (c == '<')
			item = read_token(p);
		else {
			if (c == '!') fail(p, begin, "!<name>, any token but one, is not supported");
			break;
		}
		if (p->failed) break;
		may_repeat = c == '(' || !piece_is_empty(p->r, item);
		vec_push(&items, item);
		skip_space(p, nested);
	}
	piece_id whole = p->failed ? 0 : piece_seq(p->r, items.at, items.n, cursor_loc(p, from, p->at));
	vec_release(&items);
	return whole;
}

static piece_id read_alternatives(struct cursor *p, bool nested)
{
	piece_ids list = {0};
	size_t from = p->at;
	for (;;) {
		piece_id one = read_sequence(p, nested);
		if (p->failed) break;
		vec_push(&list, one);
		if (peek(p) != '|') break;
		p->at++;
		skip_space(p, true);
	}
	piece_id whole = p->failed ? 0 : piece_alt(p->r, list.at, list.n, cursor_loc(p, from, p->at));
	vec_release(&list);
	return whole;
}

static void read_rule(struct cursor *p)
{
	size_t from = p->at;
	while (is_word(peek(p))) p->at++;
	if (p->at == from) {
		fail(p, from, "a rule's name is expected here (letters, digits and '-')");
		return;
	}
	struct loc loc = cursor_loc(p, from, p->at);
	uint32_t rule = rule_number(p->r, p->text + from, p->at - from, loc);
	skip_space(p, false);
	if (p->len - p->at < 3 || memcmp(p->text + p->at, "::=", 3) != 0) {
		fail(p, p->at, "'::=' is expected here, behind the name of rule '%s'", p->r->rule.at[rule].name);
		return;
	}
	p->at += 3;
	skip_space(p, true);
	piece_id body = read_alternatives(p, false);
	if (p->failed) return;
	if (p->at < p->len && peek(p) != '\r' && peek(p) != '\n') {
		fail(p, p->at, "rule '%s' cannot go on with this; a line's end, or the next part of the rule, is expected",
		     p->r->rule.at[rule].name);
		return;
	}
	if (p->r->rule.at[rule].body != PIECE_NONE)
		diag_warning(p->r->diag, loc,
		             "rule '%s' is defined again; the definition before is dropped, as llama.cpp does "
		             "[redefined-rule]",
		             p->r->rule.at[rule].name);
	p->r->rule.at[rule].body = body, p->r->rule.at[rule].loc = loc;
	skip_space(p, true);
}

bool gbnf_read(struct notation_rules *r, const char *start)
{
	struct cursor p = cursor_begin(r);
	skip_space(&p, true);
	while (p.at < p.len && !p.failed) read_rule(&p);
	return !p.failed && pieces_finish(r, start ? start : "root");
}
