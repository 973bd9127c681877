// What %indent says, or the option that stands in for it.
//
// In:  a text such as `newline=_NL indent=_INDENT dedent=_DEDENT open=LPAR,"[" close=RPAR,"]" tab=8 end=newline`.
// Out: struct indent_spec; errors point into the text. Keys come in any order, each once; newline, indent and dedent
// must be there. A terminal is named, or is the string that it matches. Cost: linear.
#include "lark.h"

#define INDENT_MAX_TAB 1000u  // columns of a tab

enum key { KEY_NEWLINE, KEY_INDENT, KEY_DEDENT, KEY_OPEN, KEY_CLOSE, KEY_TAB, KEY_END, N_KEYS };
static const char *const key_names[N_KEYS] = {"newline", "indent", "dedent", "open", "close", "tab", "end"};

struct indent_reader {
	struct definitions *d;
	const struct source *source;
	uint32_t at, end;
	struct indent_spec *spec;
	struct loc seen[N_KEYS];
	uint32_t n_open, n_close;
};

static struct loc place(const struct indent_reader *r, uint32_t from)
{
	return (struct loc){r->source, from, r->at - from};
}

static int peek(const struct indent_reader *r) { return r->at < r->end ? (unsigned char)r->source->text[r->at] : -1; }

static bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_blanks(struct indent_reader *r)
{
	while (is_blank(peek(r))) r->at++;
}

static bool is_name_byte(int c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Marks a byte as the place of an error even at the end of the text.
static struct loc here(const struct indent_reader *r)
{
	uint32_t at = r->at > 0 && r->at >= r->source->len ? r->at - 1 : r->at;
	return (struct loc){r->source, at, 1};
}

static bool read_string(struct indent_reader *r, struct terminal_ref *out)
{
	uint32_t begin = r->at++, n = 0;
	char *text = arena_alloc(r->d->arena, r->end - begin + 1);
	for (int c; c = peek(r), c != '"'; r->at++) {
		if (c == -1) {
			diag_error(r->d->diag, place(r, begin), "string is not closed: expected \"");
			return false;
		}
		if (c == '\\' && r->at + 1 < r->end) {
			static const char names[] = "ntrf\\\"", values[] = "\n\t\r\f\\\"";
			char next = r->source->text[r->at + 1];
			const char *known = next ? strchr(names, next) : NULL;
			if (known) c = (uint8_t)values[known - names], r->at++;
		}
		text[n++] = (char)c;
	}
	r->at++;
	*out = (struct terminal_ref){text, n, true, place(r, begin)};
	if (n == 0) diag_error(r->d->diag, out->loc, "the empty string is no terminal");
	return n > 0;
}

static bool read_terminal(struct indent_reader *r, struct terminal_ref *out)
{
	uint32_t begin = r->at;
	if (peek(r) == '"') return read_string(r, out);
	while (is_name_byte(peek(r))) r->at++;
	if (r->at == begin) {
		diag_error(r->d->diag, here(r), "expected a terminal's name or a string");
		return false;
	}
	*out = (struct terminal_ref){arena_strndup(r->d->arena, r->source->text + begin, r->at - begin), r->at - begin,
	                             false, place(r, begin)};
	return true;
}

static bool read_brackets(struct indent_reader *r, enum bracket kind, uint32_t *n)
{
	// An empty list is how a table of settings says that there are none.
	if (peek(r) == -1 || is_blank(peek(r))) return true;
	for (;;) {
		struct bracket_ref b = {.bracket = kind};
		if (!read_terminal(r, &b.terminal)) return false;
		vec_push(&r->spec->brackets, b);
		++*n;
		if (peek(r) != ',') return true;
		r->at++;
		skip_blanks(r);
	}
}

static bool read_word(struct indent_reader *r, const char *word)
{
	size_t n = strlen(word);
	if (r->end - r->at < n || memcmp(r->source->text + r->at, word, n) != 0) return false;
	if (r->at + n < r->end && is_name_byte((unsigned char)r->source->text[r->at + n])) return false;
	r->at += (uint32_t)n;
	return true;
}

static bool read_tab(struct indent_reader *r)
{
	uint32_t begin = r->at;
	if (read_word(r, "refuse")) return r->spec->tab_rule = TAB_REFUSED, true;
	r->spec->tab_rule = peek(r) == '+' ? r->at++, TAB_COUNTS : TAB_STOPS;
	uint32_t v = 0;
	for (int c; c = peek(r), c >= '0' && c <= '9'; r->at++)
		if (v <= INDENT_MAX_TAB) v = v * 10 + (uint32_t)(c - '0');
	if (v >= 1 && v <= INDENT_MAX_TAB) return r->spec->tab = v, true;
	if (r->at == begin) r->at++;
	diag_error(r->d->diag, place(r, begin),
	           "tab is 8 (to the next multiple of 8), +8 (counts 8), or refuse; the number "
	           "from 1 to %u (INDENT_MAX_TAB)",
	           INDENT_MAX_TAB);
	return false;
}

static bool read_value(struct indent_reader *r, enum key key)
{
	switch (key) {
	case KEY_NEWLINE: return read_terminal(r, &r->spec->newline);
	case KEY_INDENT: return read_terminal(r, &r->spec->indent);
	case KEY_DEDENT: return read_terminal(r, &r->spec->dedent);
	case KEY_OPEN: return read_brackets(r, BRACKET_OPEN, &r->n_open);
	case KEY_CLOSE: return read_brackets(r, BRACKET_CLOSE, &r->n_close);
	case KEY_TAB: return read_tab(r);
	case KEY_END:
		if (read_word(r, "newline")) return r->spec->end_newline = true;
		if (read_word(r, "text")) return true;
		diag_error(r->d->diag, here(r), "end is newline (a missing last one is supplied) or text");
		return false;
	case N_KEYS: break;
	}
	return false;
}

// One key=value.
static bool read_setting(struct indent_reader *r)
{
	uint32_t begin = r->at;
	enum key key = N_KEYS;
	for (enum key k = 0; k < N_KEYS && key == N_KEYS; k++)
		if (read_word(r, key_names[k])) key = k;
	if (key == N_KEYS) {
		while (is_name_byte(peek(r))) r->at++;
		diag_error(r->d->diag, r->at > begin ? place(r, begin) : here(r),
		           "expected newline=, indent=, dedent=, open=, close=, tab= or end=");
		return false;
	}
	struct loc loc = place(r, begin);
	if (r->seen[key].source) {
		diag_error(r->d->diag, loc, "%s is given twice", key_names[key]);
		diag_note(r->d->diag, r->seen[key], "the first one is here");
		return false;
	}
	r->seen[key] = loc;
	if (peek(r) != '=') {
		diag_error(r->d->diag, loc, "%s needs a value: %s=...", key_names[key], key_names[key]);
		return false;
	}
	r->at++;
	if (!read_value(r, key)) return false;
	if (peek(r) == -1 || is_blank(peek(r))) return true;
	diag_error(r->d->diag, here(r), "expected a blank between this setting and the next");
	return false;
}

static void check_complete(struct indent_reader *r, struct loc whole)
{
	struct diag *d = r->d->diag;
	for (enum key k = KEY_NEWLINE; k <= KEY_DEDENT; k++)
		if (!r->seen[k].source)
			diag_error(d, whole,
			           "%s= is missing: the settings are newline=, indent=, dedent=, and perhaps open=, close=, "
			           "tab=, end=",
			           key_names[k]);
	if (r->n_open != r->n_close)
		diag_error(d, r->seen[r->n_open ? KEY_OPEN : KEY_CLOSE], "%u terminals open brackets, but %u close them",
		           r->n_open, r->n_close);
}

static void read_all(struct indent_reader *r)
{
	struct loc whole = {r->source, r->at, r->end - r->at};
	if (whole.len == 0) whole = here(r);
	r->spec->is_given = true, r->spec->loc = whole, r->spec->tab_rule = TAB_STOPS, r->spec->tab = 8;
	for (skip_blanks(r); r->at < r->end; skip_blanks(r))
		if (!read_setting(r)) return;
	check_complete(r, whole);
}

void lark_indent_option(struct definitions *d, const struct source *option)
{
	if (option->len > LARK_MAX_BYTES) {
		diag_error(d->diag, (struct loc){0}, "%s: more than %u bytes (LARK_MAX_BYTES)", option->path, LARK_MAX_BYTES);
		return;
	}
	read_all(&(struct indent_reader){.d = d, .source = option, .end = (uint32_t)option->len, .spec = &d->indent});
}

void lark_indent(struct definitions *d, struct loc text)
{
	if (d->indent.is_given) {
		diag_error(d->diag, text, "indentation is declared twice");
		diag_note(d->diag, d->indent.loc, "the first time here");
		return;
	}
	read_all(&(struct indent_reader){
		.d = d, .source = text.source, .at = text.offset, .end = text.offset + text.len, .spec = &d->indent});
}
