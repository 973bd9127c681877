// Tokens of a Lark grammar -> statements.
//
// In:  the tokens of one source. Out: its statements in order, bodies as trees of struct node (lark_body.c).
// After an error the rest of the statement is skipped: up to a line's end that something like "name:" or "%word", or a
// name at the margin, follows. Aliases, modifiers and priorities of rules are read and dropped: they shape trees, not
// the language. Cost: linear.
#include "lark_parser.h"

const char *parser_describe(struct parser *p, const struct token *t)
{
	if (t->kind == T_END) return "the end of the grammar";
	if (t->kind == T_NEWLINE) return t[1].kind == T_END ? "the end of the grammar" : "the end of the line";
	uint32_t len = t->len;
	if (t->kind == T_STRING || t->kind == T_REGEX) return t->kind == T_STRING ? "a string" : "a regex";
	if (len > 40) len = 40;
	return arena_printf(p->arena, "'%.*s'", (int)len, parser_text(p, t));
}

void parser_expected(struct parser *p, const char *what)
{
	if (p->at->kind == T_BAD) return;  // reported by the lexer
	diag_error(p->diag, parser_place(p, p->at), "expected %s, found %s", what, parser_describe(p, p->at));
}

bool parser_take(struct parser *p, enum lark_token_kind kind, const char *what)
{
	if (p->at->kind == kind) return p->at++, true;
	parser_expected(p, what);
	return false;
}

// Past a name; the next token is one.
static struct name parser_take_name(struct parser *p)
{
	struct name n = {.is_terminal = p->at->kind == T_TERMINAL, .loc = parser_place(p, p->at)};
	n.text = arena_strndup(p->arena, parser_text(p, p->at), p->at->len);
	p->at++;
	return n;
}

bool parser_take_number(struct parser *p, const char *what, struct number_bounds bounds, int64_t *out)
{
	if (p->at->kind != T_NUMBER) return parser_expected(p, what), false;
	const char *t = parser_text(p, p->at);
	uint32_t i = *t == '-' || *t == '+';
	int64_t v = 0;
	for (; i < p->at->len; i++)
		if (v < INT64_C(1) << 40) v = v * 10 + (t[i] - '0');
	if (*t == '-') v = -v;
	if (v < bounds.min || v > bounds.max) {
		diag_error(p->diag, parser_place(p, p->at), "the number must be from %lld to %lld%s", (long long)bounds.min,
		           (long long)bounds.max, bounds.limit);
		return false;
	}
	*out = v;
	p->at++;
	return true;
}

// `inside`, `outside` and `unless`, which end what %ignore ignores (a rule's name cannot stand there).
const char *parser_scope_word(const struct parser *p)
{
	static const char *const words[] = {"inside", "outside", "unless"};
	for (int i = 0; i < 3; i++)
		if (p->at->kind == T_RULE && parser_is_word(p, p->at, words[i])) return words[i];
	return NULL;
}

static bool end_of_statement(struct parser *p, const char *what)
{
	if (p->at->kind == T_NEWLINE) return p->at++, true;
	if (p->at->kind == T_MODIFIER && *parser_text(p, p->at) == '?')
		diag_error(p->diag, parser_place(p, p->at), "'?' right before a name marks a rule: put a space after it");
	else if (p->at->kind == T_COLON)
		diag_error(p->diag, parser_place(p, p->at), "unexpected ':' (each definition begins on its own line)");
	else if (p->at->kind == T_OP || p->at->kind == T_TILDE)
		diag_error(p->diag, parser_place(p, p->at), "%s has nothing to repeat before it", parser_describe(p, p->at));
	else
		parser_expected(p, what);
	return false;
}

// What stands behind a definition's name, parameters and priority.
static bool parse_attributes_and_body(struct parser *p, struct statement *s, struct attributes *a)
{
	if (p->at->kind == T_LSQB && !lark_attributes(p, a)) return false;
	if (!parser_take(p, T_COLON, "':'")) return false;
	p->in_terminal |= a->is_text, p->stops = a->stop != NULL;
	s->body = lark_body(p);
	p->stops = false;
	if (s->body && a->is_text) lark_make_text(p, s, a);
	return s->body && end_of_statement(p, "'|', something to match, or the end of the line");
}

// Names until one is missing.
static void take_names(struct parser *p, struct statement *s)
{
	name_vec names = {0};
	while (parser_is_name(p)) vec_push(&names, parser_take_name(p));
	s->n_list = names.n;
	s->list = PARSER_FREEZE(p, names);
}

// {a, b}: a template's parameters.
static bool parse_parameters(struct parser *p, struct statement *s)
{
	if (p->in_terminal) {
		diag_error(p->diag, parser_place(p, p->at), "a terminal takes no parameters: only rules are templates");
		return false;
	}
	name_vec params = {0};
	bool ok;
	do {
		p->at++;
		ok = p->at->kind == T_RULE;
		if (ok)
			vec_push(&params, parser_take_name(p));
		else
			parser_expected(p, "a lower-case name for the parameter");
	} while (ok && p->at->kind == T_COMMA);
	s->n_list = params.n;
	s->list = PARSER_FREEZE(p, params);
	if (!ok || !parser_take(p, T_RBRACE, "',' or '}'")) return false;
	if (s->n_list <= LARK_MAX_PARAMETERS) return true;
	diag_error(p->diag, s->name.loc, "more than %u parameters (LARK_MAX_PARAMETERS)", LARK_MAX_PARAMETERS);
	return false;
}

static bool parse_definition(struct parser *p, struct statement *s)
{
	p->depth = 0;
	if (p->at->kind == T_MODIFIER) p->at++;
	if (!parser_is_name(p)) return parser_expected(p, "the name of a rule or terminal"), false;
	s->name = parser_take_name(p);
	s->kind = s->name.is_terminal ? S_TERMINAL : S_RULE;
	s->loc = s->name.loc;
	p->in_terminal = s->name.is_terminal;
	if (p->at->kind == T_LBRACE && !parse_parameters(p, s)) return false;
	if (p->at->kind == T_DOT) {
		p->at++;
		int64_t v;
		struct number_bounds bounds = {INT32_MIN, INT32_MAX, ""};
		if (!parser_take_number(p, "the priority, a number", bounds, &v)) return false;
		s->priority = (int32_t)v;
	}
	struct attributes a = {0};
	bool ok = parse_attributes_and_body(p, s, &a);
	vec_release(&a.exclude);
	return ok;
}

// Names with `separator` between them; `what` they are, for a message.
static bool take_separated(struct parser *p, enum lark_token_kind separator, const char *what, name_vec *out)
{
	for (;;) {
		if (!parser_is_name(p)) return parser_expected(p, what), false;
		vec_push(out, parser_take_name(p));
		if (p->at->kind != separator) return true;
		p->at++;
	}
}

// %import a.b.NAME -> OTHER: the path's last name is what is asked for.
static bool parse_import_of_one(struct parser *p, struct statement *s, const name_vec *path, const struct name *one)
{
	if (path->n == 0) {
		const char *dot = s->is_relative ? "." : "";
		diag_error(p->diag, one->loc,
		           "nothing is imported from '%s': write %%import %s%s.NAME or %%import %s%s (NAME, ...)", one->text,
		           dot, one->text, dot, one->text);
		return false;
	}
	if (p->at->kind != T_TO) return true;
	p->at++;
	if (!parser_is_name(p)) return parser_expected(p, "the new name"), false;
	s->name = parser_take_name(p);
	return true;
}

static bool parse_import(struct parser *p, struct statement *s)
{
	if (p->at->kind == T_DOT) s->is_relative = true, p->at++;
	name_vec path = {0}, names = {0};
	bool ok = take_separated(p, T_DOT, "a name", &path);
	if (ok && p->at->kind == T_LPAR) {
		p->at++;
		ok = take_separated(p, T_COMMA, "the name of a rule or terminal", &names) &&
		     parser_take(p, T_RPAR, "',' or ')'");
	} else if (ok) {
		vec_push(&names, vec_pop(&path));
		ok = parse_import_of_one(p, s, &path, &names.at[0]);
	}
	if (ok && path.n > IMPORT_MAX_DEPTH) {
		diag_error(p->diag, path.at[0].loc, "folders nest deeper than %u (IMPORT_MAX_DEPTH)", IMPORT_MAX_DEPTH);
		ok = false;
	}
	s->n_path = path.n, s->n_list = names.n;
	s->path = PARSER_FREEZE(p, path), s->list = PARSER_FREEZE(p, names);
	return ok && end_of_statement(p, "the end of the line");
}

static bool take_bracket(struct parser *p, enum bracket kind, struct bracket_ref *out)
{
	*out = (struct bracket_ref){{.loc = parser_place(p, p->at)}, kind};
	if (p->at->kind == T_TERMINAL) {
		struct name n = parser_take_name(p);
		out->terminal.text = n.text, out->terminal.text_len = (uint32_t)strlen(n.text);
	} else if (p->at->kind == T_STRING) {
		struct node *n = lark_string(p);
		if (n->is_wrong) return false;
		if (n->flags) return diag_error(p->diag, n->loc, "a bracket takes no flags"), false;
		out->terminal.text = n->text, out->terminal.text_len = n->text_len, out->terminal.is_text = true;
	} else {
		bool opens = kind == BRACKET_OPEN || kind == BRACKET_OPEN_AGAIN;
		parser_expected(p, opens ? "an opening bracket: a string or a terminal" : "the bracket that closes it");
		return false;
	}
	return true;
}

// inside call arguments
static bool parse_inner_rules(struct parser *p, struct statement *s)
{
	name_vec names = {0};
	const char *word = parser_scope_word(p);
	if (!word || *word != 'i' || p->at[1].kind != T_RULE) return true;
	p->at++;
	while (p->at->kind == T_RULE) vec_push(&names, parser_take_name(p));
	s->n_rules = names.n;
	s->rules = PARSER_FREEZE(p, names);
	return true;
}

// inside "(" ")" "[" "]" outside "{" "}"
static bool parse_brackets(struct parser *p, struct statement *s)
{
	VEC(struct bracket_ref) all = {0};
	bool ok = true;
	for (const char *word; ok && (word = parser_scope_word(p)) && *word != 'u';) {
		bool again = word[0] == 'o';
		p->at++;
		do {
			struct bracket_ref open, close;
			ok = take_bracket(p, again ? BRACKET_OPEN_AGAIN : BRACKET_OPEN, &open) &&
			     take_bracket(p, again ? BRACKET_CLOSE_AGAIN : BRACKET_CLOSE, &close);
			if (ok) vec_push(&all, open), vec_push(&all, close);
		} while (ok && p->at->kind != T_NEWLINE && !parser_scope_word(p));
	}
	s->n_brackets = all.n;
	s->brackets = PARSER_FREEZE(p, all);
	return ok;
}

// NAME "goto" "const" soft "record"
static bool parse_keywords(struct parser *p, struct statement *s)
{
	node_vec reserved = {0};
	if (p->at->kind != T_TERMINAL) return parser_expected(p, "the terminal of names"), false;
	struct name n = parser_take_name(p);
	s->words = (struct terminal_ref){.text = n.text, .text_len = (uint32_t)strlen(n.text), .loc = n.loc};
	while (p->at->kind == T_STRING) vec_push(&reserved, lark_string(p));
	s->n_reserved = reserved.n;
	if (p->at->kind == T_RULE && parser_is_word(p, p->at, "soft")) {
		p->at++;
		while (p->at->kind == T_STRING) vec_push(&reserved, lark_string(p));
	}
	s->n_soft = reserved.n - s->n_reserved;
	s->reserved = PARSER_FREEZE(p, reserved);
	return end_of_statement(p, "a word in quotes, 'soft', or the end of the line");
}

// unless after NAME ")"
static bool parse_holders(struct parser *p, struct statement *s)
{
	VEC(struct terminal_ref) all = {0};
	struct bracket_ref one;
	bool ok = true;
	if (!parser_scope_word(p)) return true;
	p->at++;
	if (p->at->kind != T_RULE || !parser_is_word(p, p->at, "after")) return parser_expected(p, "after"), false;
	p->at++;
	do {
		ok = p->at->kind == T_TERMINAL || p->at->kind == T_STRING;
		if (!ok) parser_expected(p, "a terminal: a string or a name");
		ok = ok && take_bracket(p, BRACKET_NONE, &one);
		if (ok) vec_push(&all, one.terminal);
	} while (ok && p->at->kind != T_NEWLINE && p->at->kind != T_END);
	s->n_holders = all.n;
	s->holders = PARSER_FREEZE(p, all);
	return ok;
}

static bool parse_ignore(struct parser *p, struct statement *s)
{
	p->at++, s->kind = S_IGNORE;
	p->in_terminal = p->in_ignore = true;
	s->body = lark_body(p);
	p->in_ignore = false;
	return s->body && parse_inner_rules(p, s) && parse_brackets(p, s) && parse_holders(p, s) &&
	       end_of_statement(p, "a terminal, a string, a regex, or the end of the line");
}

// %llguidance {...}: without any option it says nothing.
static bool parse_options(struct parser *p)
{
	const struct token *t = p->at++;
	const char *text = parser_text(p, t), *open = memchr(text, '{', t->len);
	for (const char *c = open + 1; c + 1 < text + t->len; c++) {
		if (strchr(" \t\r\n", *c)) continue;
		uint32_t len = (uint32_t)strcspn(c, ":}\n");
		diag_error(p->diag, (struct loc){p->source, (uint32_t)(c - p->source->text), len},
		           "the option %.*s of %%llguidance is not supported: only %%llguidance {} is read, and says nothing",
		           (int)len, c);
		break;
	}
	return false;
}

// Branches: one case for each kind of statement.
static bool parse_statement(struct parser *p, struct statement *s)
{
	*s = (struct statement){.loc = parser_place(p, p->at)};
	enum lark_token_kind kind = p->at->kind;
	p->depth = 0;
	switch (kind) {
	case T_RULE:
	case T_TERMINAL:
	case T_MODIFIER: return parse_definition(p, s);
	case T_OVERRIDE:
	case T_EXTEND:
		p->at++;
		s->mode = kind == T_OVERRIDE ? MODE_OVERRIDE : MODE_EXTEND;
		return parse_definition(p, s);
	case T_IGNORE: return parse_ignore(p, s);
	case T_OPTIONS: return parse_options(p);
	case T_INDENT:
		s->kind = S_INDENT;
		s->text_loc = (struct loc){p->source, p->at->offset + 7, p->at->len - 7};  // after "%indent"
		p->at++;
		return end_of_statement(p, "the end of the line");
	case T_DECLARE:
		p->at++, s->kind = S_DECLARE;
		take_names(p, s);
		if (!s->n_list) return parser_expected(p, "a terminal's name"), false;
		return end_of_statement(p, "a terminal's name or the end of the line");
	case T_START:
		p->at++, s->kind = S_START;
		take_names(p, s);
		if (!s->n_list) return parser_expected(p, "the name of a rule that a text may start from"), false;
		return end_of_statement(p, "a rule's name or the end of the line");
	case T_KEYWORDS: p->at++, s->kind = S_KEYWORDS; return parse_keywords(p, s);
	case T_IMPORT: p->at++, s->kind = S_IMPORT; return parse_import(p, s);
	default: parser_expected(p, "a definition (name: ...) or a statement (%ignore, %import, ...)"); return false;
	}
}

// Whether a line that begins so looks like a statement's first, or nothing follows.
static bool may_begin_statement(const struct parser *p, const struct token *t)
{
	if (t->kind == T_END || t->kind == T_MODIFIER || (t->kind >= T_IGNORE && t->kind <= T_EXTEND)) return true;
	if (t->kind != T_RULE && t->kind != T_TERMINAL) return false;
	bool is_at_margin = t->offset == 0 || p->source->text[t->offset - 1] == '\n';
	return is_at_margin || t[1].kind == T_COLON || t[1].kind == T_DOT || t[1].kind == T_LBRACE;
}

static void skip_statement(struct parser *p)
{
	do {
		while (p->at->kind != T_NEWLINE && p->at->kind != T_END) p->at++;
		while (p->at->kind == T_NEWLINE) p->at++;
	} while (!may_begin_statement(p, p->at));
}

// What is wrong inside a literal is reported and the rest of its statement read all the same.
void lark_parse(const struct source *s, const struct tokens *t, const struct control_tokens *c, struct arena *a,
                struct diag *d, struct statements *out)
{
	struct parser p = {.source = s, .at = t->list.at, .arena = a, .diag = d, .control = c, .out = out};
	for (;;) {
		while (p.at->kind == T_NEWLINE) p.at++;
		if (p.at->kind == T_END) break;
		struct statement one;
		if (parse_statement(&p, &one))
			vec_push(&out->list, one);
		else
			skip_statement(&p);
	}
	lark_check_stops(&p);
}
