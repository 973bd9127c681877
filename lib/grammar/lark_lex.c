// Text of a Lark grammar -> tokens.
//
// In:  one source. Out: tokens that point into it, the last one T_END.
// Blanks, comments (// and #), and a backslash at the end of a line separate tokens. A run of them that holds a
// line's end becomes T_NEWLINE, or T_OR when the next thing is "|": this is what Lark's _NL, _NL_OR, COMMENT
// and BACKSLASH terminals do together (a comment swallows the line's end before it, never the one after).
// "?" straight before a lower-case name is a rule modifier, else an operator; also as in Lark.
// Cost: linear, but for a "/" that is never closed, which is looked for to the end of the text once.
#define _GNU_SOURCE  // memmem
#include "../base/file.h"
#include "../shared/utf8.h"
#include "lark.h"

struct lexer {
	const struct source *source;
	const char *text;
	uint32_t at, len;
	struct diag *diag;
	struct tokens *out;
	bool no_more_slashes;  // a search to the end of the text found no "/"
};

uint32_t lark_utf8_next(const char *text, uint32_t *at)
{
	const unsigned char *t = (const unsigned char *)text + *at;
	if (t[0] < 0x80) return *at += 1, t[0];
	if (t[0] < 0xE0) return *at += 2, (t[0] & 0x1Fu) << 6 | (t[1] & 0x3Fu);
	if (t[0] < 0xF0) return *at += 3, (t[0] & 0x0Fu) << 12 | (t[1] & 0x3Fu) << 6 | (t[2] & 0x3Fu);
	*at += 4;
	return (t[0] & 0x07u) << 18 | (t[1] & 0x3Fu) << 12 | (t[2] & 0x3Fu) << 6 | (t[3] & 0x3Fu);
}

uint32_t lark_utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) return to[0] = (char)c, 1;
	if (c < 0x800) return to[0] = (char)(0xC0 | c >> 6), to[1] = (char)(0x80 | (c & 0x3F)), 2;
	if (c < 0x10000) {
		to[0] = (char)(0xE0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 0x3F)), to[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	to[0] = (char)(0xF0 | c >> 18), to[1] = (char)(0x80 | (c >> 12 & 0x3F));
	to[2] = (char)(0x80 | (c >> 6 & 0x3F)), to[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

static int peek(const struct lexer *x, uint32_t ahead)
{
	return (uint64_t)x->at + ahead < x->len ? (unsigned char)x->text[x->at + ahead] : -1;
}

static int peek_at(const struct lexer *x, uint32_t at) { return at < x->len ? (unsigned char)x->text[at] : -1; }

static struct loc place(const struct lexer *x, uint32_t offset, uint32_t len)
{
	return (struct loc){x->source, offset, len};
}

static bool is_lower(int c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static void to_line_end(struct lexer *x)
{
	while (x->at < x->len && x->text[x->at] != '\n') x->at++;
}

// True when the blanks, comments and continuations that were skipped end a line.
static bool skip_blanks(struct lexer *x)
{
	bool newline = false;
	for (;;) {
		int c = peek(x, 0);
		if (c == '\n')
			newline = true, x->at++;
		else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v')
			x->at++;
		else if (c == '#' || (c == '/' && peek(x, 1) == '/'))
			to_line_end(x);
		else if (c == '\\') {
			uint32_t n = 1;
			while (peek(x, n) == ' ' || peek(x, n) == '\r') n++;
			if (peek(x, n) != '\n') return newline;
			x->at += n + 1;
		} else
			return newline;
	}
}

static void push(struct lexer *x, enum lark_token_kind kind, uint32_t offset)
{
	vec_push(&x->out->list, ((struct token){kind, offset, x->at - offset}));
}

static void lex_string(struct lexer *x)
{
	uint32_t begin = x->at++;
	for (;; x->at++) {
		int c = peek(x, 0);
		if (c == '\\' && (peek(x, 1) == '"' || peek(x, 1) == '\\'))
			x->at++;
		else if (c == '"')
			break;
		else if (c == -1 || c == '\n') {
			uint32_t len = x->at - begin;
			diag_error(x->diag, place(x, begin, len), "string is not closed on its line: expected \"");
			push(x, T_BAD, begin);
			return;
		}
	}
	x->at++;
	if (peek(x, 0) == 'i') x->at++;
	push(x, T_STRING, begin);
}

// Branches: escapes, the end of the line and the flag x decide where a regex ends, and a broken one is told once.
static void lex_regex(struct lexer *x)
{
	uint32_t begin = x->at++, line_end = 0;  // line_end: of the first line, when the body goes on after it
	bool closed = false;
	for (; !x->no_more_slashes && x->at < x->len; x->at++) {
		char c = x->text[x->at];
		if (c == '\\' && (peek(x, 1) == '/' || peek(x, 1) == '\\'))
			x->at++;
		else if (c == '/') {
			closed = true;
			break;
		} else if (c == '\n' && !line_end)
			line_end = x->at;
	}
	bool verbose = false;
	if (closed) {
		x->at++;
		for (int c; (c = peek(x, 0)) != -1 && strchr("imslux", c); x->at++) verbose |= c == 'x';
	} else
		x->no_more_slashes = true;
	if (!closed || (line_end && !verbose)) {
		x->at = begin;
		to_line_end(x);
		diag_error(x->diag, place(x, begin, x->at - begin),
		           closed ? "regex is not closed on its line: expected / (only with the flag x may it go on)"
		                  : "regex is not closed: expected /");
		push(x, T_BAD, begin);
		return;
	}
	push(x, T_REGEX, begin);
}

// Branches: underscores, cases and digits decide what a name is, or why it is none.
static void lex_name(struct lexer *x)
{
	uint32_t begin = x->at;
	while (peek(x, 0) == '_') x->at++;
	uint32_t underscores = x->at - begin;
	bool upper = is_upper(peek(x, 0));
	for (int c; c = peek(x, 0), c == '_' || is_digit(c) || (upper ? is_upper(c) : is_lower(c));) x->at++;
	int c = peek(x, 0);
	bool is_mixed = is_lower(c) || is_upper(c), is_letter = is_lower(peek_at(x, begin + underscores)) || upper;
	if (!is_mixed && is_letter && underscores < 2) {
		push(x, upper ? T_TERMINAL : T_RULE, begin);
		return;
	}
	while (c = peek(x, 0), c == '_' || is_digit(c) || is_upper(c) || is_lower(c)) x->at++;
	diag_error(x->diag, place(x, begin, x->at - begin),
	           is_mixed ? "a name mixes cases: rules are all lower case, terminals all upper case"
	                    : "a name begins with a letter, or with one _ and a letter");
	push(x, T_BAD, begin);
}

// To the end of the line, or to a comment, whichever comes first; strings are passed over.
static void to_comment(struct lexer *x)
{
	bool in_string = false;
	for (int c; c = peek(x, 0), c != -1 && c != '\n'; x->at++) {
		if (c == '"')
			in_string = !in_string;
		else if (in_string && c == '\\' && peek(x, 1) != '\n' && peek(x, 1) != -1)
			x->at++;
		else if (!in_string && (c == '#' || (c == '/' && peek(x, 1) == '/')))
			return;
	}
}

// Past one string, regex, class or comment in braces, or past one sign.
// Branches: three notations, each with its own quotes, classes and comments.
static void pass_piece(struct lexer *x, bool is_json, bool is_lark)
{
	int c = peek(x, 0), end = 0;
	bool is_comment = !is_json && (c == '#' || (is_lark && c == '/' && peek(x, 1) == '/'));
	if (c == '"')
		end = '"';
	else if (is_comment)
		end = '\n';
	else if (is_lark && c == '/')
		end = '/';
	else if (!is_json && !is_lark && c == '[')
		end = ']';
	x->at++;
	for (; end && (c = peek(x, 0)) != -1 && c != end; x->at++)
		if (c == '\\' && !is_comment && peek(x, 1) != -1) x->at++;
	if (end && !is_comment && peek(x, 0) == end) x->at++;
}

// %json {...}: to the brace that closes the first one. False: it is no such word.
static bool lex_nested(struct lexer *x, uint32_t begin)
{
	static const char *const words[] = {"json", "lark", "gbnf", "ebnf", "regex", "llguidance"};
	uint32_t len = x->at - begin - 1, which = 0, depth = 0, end = x->at;
	while (which < 6 && (strlen(words[which]) != len || memcmp(words[which], x->text + begin + 1, len) != 0)) which++;
	if (which == 6) return false;
	while (peek(x, 0) == ' ' || peek(x, 0) == '\t') x->at++;
	if (peek(x, 0) != '{') {
		diag_error(x->diag, place(x, begin, end - begin), "expected { behind %%%s", words[which]);
		push(x, T_BAD, begin);
		return true;
	}
	do {
		int c = peek(x, 0);
		if (c == -1) {
			diag_error(x->diag, place(x, begin, end - begin), "the { behind %%%s is not closed: expected }",
			           words[which]);
			push(x, T_BAD, begin);
			return true;
		}
		depth += c == '{', depth -= c == '}';
		pass_piece(x, which == 0 || which >= 4, which == 1);
	} while (depth);
	push(x, which == 5 ? T_OPTIONS : T_NESTED, begin);
	return true;
}

static void lex_directive(struct lexer *x)
{
	static const struct {
		const char *word;
		enum lark_token_kind kind;
	} directives[] = {
		{"ignore", T_IGNORE},     {"import", T_IMPORT}, {"declare", T_DECLARE},   {"indent", T_INDENT},
		{"keywords", T_KEYWORDS}, {"start", T_START},   {"override", T_OVERRIDE}, {"extend", T_EXTEND},
	};
	uint32_t begin = x->at++;
	while (is_lower(peek(x, 0))) x->at++;
	if (lex_nested(x, begin)) return;
	for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
		if (strlen(directives[i].word) == x->at - begin - 1 &&
		    memcmp(directives[i].word, x->text + begin + 1, x->at - begin - 1) == 0) {
			if (directives[i].kind == T_INDENT) to_comment(x);
			push(x, directives[i].kind, begin);
			return;
		}
	diag_error(x->diag, place(x, begin, x->at - begin),
	           "unknown statement: expected %%ignore, %%import, %%declare, %%indent, %%keywords, %%start, %%override "
	           "or %%extend");
	push(x, T_BAD, begin);
}

// <|name|>, <name>, <"any name">, <[7,10-12]>: to the first > of the line; a name without quotes has no blanks.
static void lex_control(struct lexer *x)
{
	uint32_t begin = x->at++;
	bool quoted = peek(x, 0) == '"';
	for (int c; c = peek(x, 0), c > ' ' || quoted; x->at++) {
		if (c == -1 || c == '\n') break;
		if (c != '>' || (quoted && (x->at == begin + 2 || x->text[x->at - 1] != '"'))) continue;
		x->at++;
		push(x, T_CONTROL, begin);
		return;
	}
	diag_error(x->diag, place(x, begin, x->at - begin),
	           "a control token is written <name>, <\"name\"> or <[7]>: expected > on the same line");
	push(x, T_BAD, begin);
}

// Signs, and what is not one.
// Branches: one case for each sign, and a message of its own for signs that other notations have.
static void lex_sign(struct lexer *x)
{
	uint32_t begin = x->at;
	int c = peek(x, 0), next = peek(x, 1);
	if (is_digit(c) || ((c == '+' || c == '-') && is_digit(next))) {
		x->at++;
		while (is_digit(peek(x, 0))) x->at++;
		push(x, T_NUMBER, begin);
		return;
	}
	if (c == '!' || c == '?') {
		uint32_t n = (c == '!' ? next == '?' : next == '!') ? 2 : 1;
		if (is_lower(peek(x, n)) || peek(x, n) == '_') {
			x->at += n;
			push(x, T_MODIFIER, begin);
			return;
		}
	}
	if ((c == '-' && next == '>') || (c == '.' && next == '.')) {
		x->at += 2;
		push(x, c == '-' ? T_TO : T_DOTDOT, begin);
		return;
	}
	static const char signs[] = ":,.~()[]{}|&+*?=";
	static const enum lark_token_kind kinds[] = {T_COLON,  T_COMMA,  T_DOT, T_TILDE, T_LPAR, T_RPAR, T_LSQB, T_RSQB,
	                                             T_LBRACE, T_RBRACE, T_OR,  T_AND,   T_OP,   T_OP,   T_OP,   T_EQUALS};
	const char *sign = strchr(signs, c);
	if (c != 0 && sign) {
		x->at++;
		push(x, kinds[sign - signs], begin);
		return;
	}
	x->at += utf8_measure(x->text + x->at, x->len - x->at);
	if (c < 32 || c == 127)
		diag_error(x->diag, place(x, begin, 1), "unexpected control character \\x%02X", (unsigned)c);
	else if (c == '@')
		diag_error(x->diag, place(x, begin, 1),
		           "@name, a grammar of a list, is not supported: write it here, %%lark {...} or %%json {...}");
	else if (c == '\'')
		diag_error(x->diag, place(x, begin, 1), "unexpected ': strings are written in double quotes");
	else
		diag_error(x->diag, place(x, begin, x->at - begin), "unexpected %.*s", (int)(x->at - begin), x->text + begin);
	push(x, T_BAD, begin);
}

// The place of a word in the text; or the length.
static size_t find_word(const struct source *s, const char *word)
{
	const char *at = memmem(s->text, s->len, word, strlen(word));
	return at ? (size_t)(at - s->text) : s->len;
}

// The place of the first "name ::=" that begins a line, as rules of GBNF and EBNF do and none of Lark's outside of
// parts in these notations; or the length. Linear.
// Branches: a line is looked at as indent, name, blanks and "::=", each of which may be missing.
static size_t find_gbnf(const struct source *s)
{
	const size_t gbnf = find_word(s, "%gbnf"), ebnf = find_word(s, "%ebnf");
	const size_t most = gbnf < ebnf ? gbnf : ebnf;
	for (size_t at = 0; at < most;) {
		const char *end = memchr(s->text + at, '\n', s->len - at);
		size_t stop = end ? (size_t)(end - s->text) : s->len, i = at;
		while (i < stop && (s->text[i] == ' ' || s->text[i] == '\t')) i++;
		size_t name = i;
		while (i < stop && (is_lower(s->text[i]) || is_upper(s->text[i]) || strchr("_-0123456789", s->text[i]))) i++;
		size_t named = i;
		while (i < stop && (s->text[i] == ' ' || s->text[i] == '\t')) i++;
		if (named > name && i + 3 <= stop && !memcmp(s->text + i, "::=", 3)) return i < most ? i : s->len;
		at = stop + 1;
	}
	return s->len;
}

static bool is_foreign(const struct source *s, struct diag *d)
{
	const char *what = file_foreign(s->text, s->len);
	if (what) diag_error(d, (struct loc){0}, "%s is no grammar: this is %s", s->path, what);
	size_t at = what ? s->len : find_gbnf(s);
	if (at < s->len) {
		diag_error(d, (struct loc){s, (uint32_t)at, 3},
		           "this looks like GBNF (llama.cpp's notation) or EBNF: a rule of a Lark grammar is "
		           "written \"name: ...\"");
		diag_note(d, (struct loc){0},
		          "formats/grammar.md has the notation: rules have small letters, terminals capital ones, "
		          "[a-z] is the regex /[a-z]/, and the rule of whole texts is start");
	}
	return what || at < s->len;
}

static bool is_readable(const struct source *s, struct diag *d)
{
	if (s->len > LARK_MAX_BYTES) {
		diag_error(d, (struct loc){0}, "%s: the grammar has %zu bytes; the limit is %u (LARK_MAX_BYTES)", s->path,
		           s->len, LARK_MAX_BYTES);
		return false;
	}
	if (is_foreign(s, d)) return false;
	for (uint32_t at = 0; at < s->len;) {
		uint32_t n = utf8_measure(s->text + at, s->len - at);
		if (n == 0) {
			diag_error(d, (struct loc){s, at, 1}, "byte \\x%02X is not UTF-8: a grammar is UTF-8 text",
			           (unsigned char)s->text[at]);
			return false;
		}
		if (s->text[at] == 0) {
			diag_error(d, (struct loc){s, at, 1}, "a NUL byte: write \\x00 for it in a string or regex");
			return false;
		}
		at += n;
	}
	return true;
}

// Branches: one case for each sign that begins a token.
bool lark_lex(const struct source *s, struct diag *d, struct tokens *out)
{
	if (!is_readable(s, d)) return false;
	struct lexer x = {.source = s, .text = s->text, .len = (uint32_t)s->len, .diag = d, .out = out};
	if (x.len >= 3 && memcmp(x.text, "\xEF\xBB\xBF", 3) == 0) x.at = 3;  // byte order mark
	for (;;) {
		uint32_t begin = x.at;
		bool newline = skip_blanks(&x);
		int c = peek(&x, 0);
		if (newline && c != '|') push(&x, T_NEWLINE, begin);
		if (c == -1) break;
		if (out->list.n >= LARK_MAX_TOKENS) {
			diag_error(d, place(&x, x.at, 1), "the grammar has more than %u tokens (LARK_MAX_TOKENS)", LARK_MAX_TOKENS);
			return false;
		}
		if (c == '"')
			lex_string(&x);
		else if (c == '/')
			lex_regex(&x);
		else if (is_lower(c) || is_upper(c) || c == '_')
			lex_name(&x);
		else if (c == '%')
			lex_directive(&x);
		else if (c == '<')
			lex_control(&x);
		else
			lex_sign(&x);
	}
	push(&x, T_NEWLINE, x.at);
	push(&x, T_END, x.at);
	return true;
}
