// Literals in rules -> terminals.
//
// In:  a pattern of one leaf. Out: the terminal of equal pattern, named or anonymous, or a new anonymous one.
// Names are Lark's (PrepareAnonTerminals): a sign has a name of its own (LPAR), a word becomes upper case (IF), all
// else, and what would take a name that exists, is __ANON_n. Of several named terminals with one pattern the last
// of the main grammar counts. Cost: one look-up.
#include "lark.h"

static const char *const sign_names[][2] = {
	{".", "DOT"},      {",", "COMMA"},      {":", "COLON"},     {";", "SEMICOLON"},  {"+", "PLUS"},
	{"-", "MINUS"},    {"*", "STAR"},       {"/", "SLASH"},     {"\\", "BACKSLASH"}, {"|", "VBAR"},
	{"?", "QMARK"},    {"!", "BANG"},       {"@", "AT"},        {"#", "HASH"},       {"$", "DOLLAR"},
	{"%", "PERCENT"},  {"^", "CIRCUMFLEX"}, {"&", "AMPERSAND"}, {"_", "UNDERSCORE"}, {"<", "LESSTHAN"},
	{">", "MORETHAN"}, {"=", "EQUAL"},      {"\"", "DBLQUOTE"}, {"'", "QUOTE"},      {"`", "BACKQUOTE"},
	{"~", "TILDE"},    {"(", "LPAR"},       {")", "RPAR"},      {"{", "LBRACE"},     {"}", "RBRACE"},
	{"[", "LSQB"},     {"]", "RSQB"},       {"\n", "NEWLINE"},  {"\r\n", "CRLF"},    {"\t", "TAB"},
	{" ", "SPACE"},
};

static uint32_t pattern_id(struct anon *t, const struct term *pattern)
{
	byte_vec bytes = {0};
	lark_term_bytes(pattern, &bytes);
	bool is_new;
	uint32_t id = intern_add(&t->patterns, bytes.at, bytes.n, &is_new);
	if (is_new) vec_push(&t->terminal_of_pattern, UINT32_MAX);
	vec_release(&bytes);
	return id;
}

void lark_anon_init(struct anon *t, struct expansion *x)
{
	for (int pass = 0; pass < 2; pass++)  // imported ones first: the others overrule them
		for (uint32_t i = 0; i < x->terminals.n; i++) {
			const struct x_terminal *n = &x->terminals.at[i];
			if (n->is_imported != (pass == 0)) continue;
			intern_add(&t->names, n->name, strlen(n->name), NULL);
			if (!n->pattern || strncmp(n->name, "__IGNORE", 8) == 0) continue;
			enum term_kind kind = n->pattern->kind;
			if (kind == TERM_TEXT || kind == TERM_REGEX || kind == TERM_RANGE || kind == TERM_CONTROL) {
				uint32_t id = pattern_id(t, n->pattern);  // may move the table
				t->terminal_of_pattern.at[id] = i;
			}
		}
}

static bool is_word(const struct term *p)
{
	for (uint32_t i = 0; i < p->text_len; i++) {
		char c = p->text[i], lower = (char)(c | 32);
		bool is_letter = c == '_' || (lower >= 'a' && lower <= 'z');
		if (!is_letter && (i == 0 || c < '0' || c > '9')) return false;
	}
	return p->text_len > 0;
}

static const char *choose_name(struct anon *t, const struct term *p, struct arena *a)
{
	const char *name = NULL;
	if (p->kind == TERM_CONTROL) name = arena_strndup(a, p->loc.source->text + p->loc.offset, p->loc.len);
	if (p->kind == TERM_TEXT) {
		for (size_t i = 0; i < sizeof sign_names / sizeof *sign_names && !name; i++)
			if (strlen(sign_names[i][0]) == p->text_len && memcmp(sign_names[i][0], p->text, p->text_len) == 0)
				name = sign_names[i][1];
		if (!name && is_word(p)) {
			char *upper = arena_strndup(a, p->text, p->text_len);
			for (char *c = upper; *c; c++)
				if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
			name = upper;
		}
	}
	if (name && intern_find(&t->names, name, strlen(name)) == INTERN_NONE) return name;
	return arena_printf(a, "__ANON_%u", t->n_numbered++);
}

uint32_t lark_anon_terminal(struct anon *t, struct expansion *x, struct term *pattern, struct arena *a)
{
	uint32_t id = pattern_id(t, pattern), *known = &t->terminal_of_pattern.at[id];
	if (*known == UINT32_MAX) {
		*known = x->terminals.n;
		const char *name = choose_name(t, pattern, a);
		intern_add(&t->names, name, strlen(name), NULL);
		vec_push(&x->terminals, ((struct x_terminal){.name = name, .pattern = pattern, .loc = pattern->loc}));
	}
	return *known;
}

void lark_anon_release(struct anon *t)
{
	intern_release(&t->names);
	intern_release(&t->patterns);
	vec_release(&t->terminal_of_pattern);
}
