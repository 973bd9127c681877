// Literals of a Lark grammar: a string, a regex, a range of two characters, as nodes.
//
// In:  tokens that begin one. Out: N_STRING (unescaped), N_REGEX (as written), N_RANGE. Warnings about patterns that
// match more than their authors think belong here, too. Cost: linear in the token.
#include "lark_parser.h"

#include "../shared/hex.h"

// How many digits follow \x, \u, \U; 0: another letter.
static uint32_t hex_digits(char letter) { return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0; }

// The character of an escape with digits, at s. False after an error.
static bool escaped_character(struct parser *p, const char *s, const char *end, uint32_t *out)
{
	uint32_t digits = hex_digits(s[1]);
	bool fits = end - s >= (int64_t)digits + 2;
	int64_t v = fits ? hex_number(s + 2, digits) : -1;
	struct loc loc = {p->source, (uint32_t)(s - p->source->text), fits ? digits + 2 : (uint32_t)(end - s)};
	if (v < 0)
		diag_error(p->diag, loc, "\\%c takes %u hexadecimal digits", s[1], digits);
	else if (v > 0x10FFFF)
		diag_error(p->diag, loc, "a number above 10FFFF is not a Unicode character");
	else if (v >= 0xD800 && v < 0xE000)
		diag_error(p->diag, loc, "a surrogate is not a Unicode character");
	else
		return *out = (uint32_t)v, true;
	return false;
}

// The text of a string token: \n \t \r \f \xHH \uHHHH \UHHHHHHHH \\ \" mean what they do in Python; before
// anything else a backslash stands for itself (as Lark). False after an error.
static bool unescape(struct parser *p, const struct token *t, const char **text, uint32_t *len)
{
	const char *s = parser_text(p, t) + 1, *end = parser_text(p, t) + t->len - 1;
	if (*end == 'i') end--;
	char *to = arena_alloc(p->arena, (size_t)(end - s) + 1);
	uint32_t n = 0;
	while (s < end) {
		static const char names[] = "ntrf\\\"", values[] = "\n\t\r\f\\\"";
		bool is_escape = *s == '\\' && s + 1 < end;
		const char *simple = is_escape ? strchr(names, s[1]) : NULL;
		uint32_t digits = is_escape ? hex_digits(s[1]) : 0, code_point;
		if (digits) {
			if (!escaped_character(p, s, end, &code_point)) return false;
			n += lark_utf8_put(to + n, code_point);
			s += 2 + digits;
		} else if (simple && *simple)
			to[n++] = values[simple - names], s += 2;
		else
			to[n++] = *s++;
	}
	*text = to, *len = n;
	return true;
}

static uint32_t flags_of(const char *t, uint32_t n)
{
	static const char letters[] = "imsxu";
	static const uint32_t flags[] = {TERM_I, TERM_M, TERM_S, TERM_X, TERM_U};
	uint32_t all = 0;
	for (uint32_t i = 0; i < n; i++) {
		const char *l = strchr(letters, t[i]);
		if (l) all |= flags[l - letters];
	}
	return all;
}

struct node *lark_string(struct parser *p)
{
	const struct token *t = p->at++;
	struct node *n = lark_node(p->arena, N_STRING, parser_place(p, t));
	n->text_loc = (struct loc){p->source, t->offset + 1, t->len - 2};
	if (parser_text(p, t)[t->len - 1] == 'i') n->flags = TERM_I, n->text_loc.len--;
	if (!unescape(p, t, &n->text, &n->text_len))
		n->text = "", n->is_wrong = true;
	else if (n->text_len == 0) {
		diag_error(p->diag, n->loc, "the empty string is no terminal; use (...)? or [...] for what may be left out");
		n->is_wrong = true;
	}
	return n;
}

// \d and \s mean more than many authors think, here as in Python. Beside \D and \S, and in [^...], that is what is
// wanted.
static void warn_wide_class(struct parser *p, const struct node *n)
{
	bool negated = false;
	for (uint32_t i = 0; i + 1 < n->text_len; i++) {
		if (n->text[i] == '[' && n->text[i + 1] == '^')
			negated = true;
		else if (n->text[i] == ']')
			negated = false;
		if (n->text[i] != '\\') continue;
		char c = n->text[++i];
		if ((c != 'd' && c != 's') || negated || strstr(n->text, c == 'd' ? "\\D" : "\\S")) continue;
		struct loc at = {n->text_loc.source, n->text_loc.offset + i - 1, 2};
		if (c == 'd')
			diag_warning(p->diag, at,
			             "\\d matches the digits of all scripts; where only 0 to 9 are meant write [0-9] [wide-class]");
		else
			diag_warning(
				p->diag, at,
				"\\s matches the white space of all scripts (no-break spaces, U+2028, ...); where only that of "
				"ASCII is meant write [ \\t\\n\\r\\f] [wide-class]");
		return;
	}
}

// A regex that matches every text, beside a string or another regex: by maximal munch it swallows what that should tell
// apart.
static void warn_matches_all(struct parser *p, const struct node *n, bool dot_is_all)
{
	static const char *const all[] = {"[\\s\\S]", "[\\S\\s]", "[\\d\\D]", "[\\w\\W]", "(.|\\n)", "(?s:.)"};
	const char *text = n->text;
	size_t before = n->text_loc.offset - 1, len = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all && !len; i++)
		if (!strncmp(text, all[i], strlen(all[i]))) len = strlen(all[i]);
	if (!len && dot_is_all && text[0] == '.') len = 1;
	if (!len || (strcmp(text + len, "+") && strcmp(text + len, "*"))) return;
	const char *rest = p->source->text + before + n->text_len + 2;
	size_t after = p->source->len - (size_t)(rest - p->source->text);
	bool is_alone = !memchr(p->source->text, '"', before) && !memchr(p->source->text, '/', before) &&
	                !memchr(rest, '"', after) && !memchr(rest, '/', after);
	if (!is_alone)
		diag_warning(
			p->diag, n->loc,
			"this matches every text: where it may come nothing is constrained, and the longest match never ends "
			"before the text does; say what it may not hold, such as [^\\n] [matches-all]");
}

static struct node *parse_regex(struct parser *p)
{
	const struct token *t = p->at++;
	struct node *n = lark_node(p->arena, N_REGEX, parser_place(p, t));
	uint32_t end = t->len - 1;
	while (parser_text(p, t)[end] != '/') end--;
	n->text_loc = (struct loc){p->source, t->offset + 1, end - 1};
	n->text = arena_strndup(p->arena, parser_text(p, t) + 1, end - 1), n->text_len = end - 1;
	n->flags = flags_of(parser_text(p, t) + end + 1, t->len - end - 1);
	if (memchr(parser_text(p, t) + end + 1, 'l', t->len - end - 1))
		diag_error(p->diag, n->loc, "the flag l (locale) is for bytes, a grammar is for Unicode text: leave it out");
	if (!p->stops) warn_matches_all(p, n, memchr(parser_text(p, t) + end + 1, 's', t->len - end - 1) != NULL);
	if (p->source->path[0] != '<' && !memchr(parser_text(p, t) + end + 1, 'a', t->len - end - 1)) warn_wide_class(p, n);
	return n;
}

static bool one_code_point(struct parser *p, const struct node *s, uint32_t *out)
{
	uint32_t at = 0;
	if (s->is_wrong) return false;
	if (s->flags) {
		diag_error(p->diag, s->loc, "a range's ends take no flags");
		return false;
	}
	*out = lark_utf8_next(s->text, &at);
	if (at == s->text_len) return true;
	diag_error(p->diag, s->loc, "a range's end is one character");
	return false;
}

struct node *lark_literal(struct parser *p)
{
	if (p->at->kind == T_REGEX) return parse_regex(p);
	struct node *from = lark_string(p);
	if (p->at->kind != T_DOTDOT) return from;
	p->at++;
	if (p->at->kind != T_STRING) return parser_expected(p, "the string that ends the range"), NULL;
	struct node *to = lark_string(p);
	struct node *n = lark_node(p->arena, N_RANGE, parser_upto(from->loc, p));
	bool are_characters = one_code_point(p, from, &n->lo);
	are_characters = one_code_point(p, to, &n->hi) && are_characters;
	if (are_characters && n->lo > n->hi)
		diag_error(p->diag, n->loc, "the range is empty: U+%04X comes after U+%04X", n->lo, n->hi);
	return n;
}
