// Tokens of a Lark grammar -> statements.
//
// In:  the tokens of one source. Out: its statements in order, bodies as trees of struct node.
// Recursive descent over the grammar that lark/load_grammar.py gives for itself; it recurses only on brackets,
// at most LARK_MAX_NESTING deep. After an error the rest of the statement is skipped: up to a line's end that
// something like "name:" or "%word", or a name at the margin, follows. Aliases, modifiers and priorities of rules
// are read and dropped:
// they shape trees, not the language. Cost: linear.
#include "lark.h"

struct parser {
	const struct source *source;
	const struct token *at;
	struct arena *arena;
	struct diag *diag;
	const struct control_tokens *control;
	uint32_t depth;
	bool in_terminal, in_ignore;
	bool stops;  // the rule's attributes say where its text ends
	struct statements *out;
};
typedef VEC(struct node *) node_vec;
typedef VEC(struct name) name_vec;

static struct node *parse_expansions(struct parser *p);

struct node *lark_node(struct arena *a, enum node_kind kind, struct loc loc)
{
	struct node *n = arena_alloc(a, sizeof *n);
	n->kind = kind, n->loc = loc, n->param = NO_PARAM;
	return n;
}

static struct loc place(const struct parser *p, const struct token *t)
{
	return (struct loc){p->source, t->offset, t->len};
}

static struct loc upto(struct loc from, const struct parser *p)  // the end of the token before
{
	from.len = p->at[-1].offset + p->at[-1].len - from.offset;
	return from;
}

static const char *text_of(const struct parser *p, const struct token *t) { return p->source->text + t->offset; }

static const char *describe(struct parser *p, const struct token *t)
{
	if (t->kind == T_END) return "the end of the grammar";
	if (t->kind == T_NEWLINE) return t[1].kind == T_END ? "the end of the grammar" : "the end of the line";
	uint32_t len = t->len;
	if (t->kind == T_STRING || t->kind == T_REGEX) return t->kind == T_STRING ? "a string" : "a regex";
	if (len > 40) len = 40;
	return arena_printf(p->arena, "'%.*s'", (int)len, text_of(p, t));
}

static void expected(struct parser *p, const char *what)
{
	if (p->at->kind == T_BAD) return;  // reported by the lexer
	diag_error(p->diag, place(p, p->at), "expected %s, found %s", what, describe(p, p->at));
}

static bool take(struct parser *p, enum token_kind kind, const char *what)
{
	if (p->at->kind == kind) return p->at++, true;
	expected(p, what);
	return false;
}

static struct name take_name(struct parser *p)
{
	struct name n = {.is_terminal = p->at->kind == T_TERMINAL, .loc = place(p, p->at)};
	n.text = arena_strndup(p->arena, text_of(p, p->at), p->at->len);
	p->at++;
	return n;
}

static bool is_name(const struct parser *p) { return p->at->kind == T_RULE || p->at->kind == T_TERMINAL; }

static void *freeze_(struct arena *a, void *at, uint32_t n, size_t size)
{
	void *to = arena_array(a, n, size);
	if (n) memcpy(to, at, n * size);
	free(at);
	return to;
}
#define FREEZE(p, v) freeze_((p)->arena, (v).at, (v).n, sizeof *(v).at)

static bool take_number(struct parser *p, const char *what, int64_t min, int64_t max, const char *limit, int64_t *out)
{
	if (p->at->kind != T_NUMBER) return expected(p, what), false;
	const char *t = text_of(p, p->at);
	uint32_t i = *t == '-' || *t == '+';
	int64_t v = 0;
	for (; i < p->at->len; i++)
		if (v < INT64_C(1) << 40) v = v * 10 + (t[i] - '0');
	if (*t == '-') v = -v;
	if (v < min || v > max) {
		diag_error(p->diag, place(p, p->at), "the number must be from %lld to %lld%s", (long long)min, (long long)max,
		           limit);
		return false;
	}
	*out = v;
	p->at++;
	return true;
}

// The value of hex digits, or -1.
static int64_t hex(const char *t, uint32_t n)
{
	int64_t v = 0;
	for (uint32_t i = 0; i < n; i++) {
		int c = (unsigned char)t[i], lower = c | 32;
		if (c >= '0' && c <= '9')
			v = v * 16 + (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			v = v * 16 + (lower - 'a' + 10);
		else
			return -1;
	}
	return v;
}

// The text of a string token: \n \t \r \f \xHH \uHHHH \UHHHHHHHH \\ \" mean what they do in Python; before
// anything else a backslash stands for itself (as Lark). False after an error.
static bool unescape(struct parser *p, const struct token *t, const char **text, uint32_t *len)
{
	const char *s = text_of(p, t) + 1, *end = text_of(p, t) + t->len - 1;
	if (*end == 'i') end--;
	char *to = arena_alloc(p->arena, (size_t)(end - s) + 1);
	uint32_t n = 0;
	while (s < end) {
		if (*s != '\\' || s + 1 == end) {
			to[n++] = *s++;
			continue;
		}
		char c = s[1];
		static const char names[] = "ntrf", values[] = "\n\t\r\f";
		const char *simple = strchr(names, c);
		uint32_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
		if (digits) {
			int64_t v = end - s >= (int64_t)digits + 2 ? hex(s + 2, digits) : -1;
			uint32_t shown = (uint32_t)(end - s < (int64_t)digits + 2 ? end - s : (int64_t)digits + 2);
			struct loc loc = {p->source, (uint32_t)(s - p->source->text), shown};
			if (v < 0) {
				diag_error(p->diag, loc, "\\%c takes %u hexadecimal digits", c, digits);
				return false;
			}
			if (v > 0x10FFFF || (v >= 0xD800 && v < 0xE000)) {
				diag_error(p->diag, loc, "%s is not a Unicode character",
				           v > 0x10FFFF ? "a number above 10FFFF" : "a surrogate");
				return false;
			}
			n += lark_utf8_put(to + n, (uint32_t)v);
			s += 2 + digits;
		} else if (simple)
			to[n++] = values[simple - names], s += 2;
		else if (c == '\\' || c == '"')
			to[n++] = c, s += 2;
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

static struct node *parse_string(struct parser *p)
{
	const struct token *t = p->at++;
	struct node *n = lark_node(p->arena, N_STRING, place(p, t));
	n->text_loc = (struct loc){p->source, t->offset + 1, t->len - 2};
	if (text_of(p, t)[t->len - 1] == 'i') n->flags = TERM_I, n->text_loc.len--;
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
	struct node *n = lark_node(p->arena, N_REGEX, place(p, t));
	uint32_t end = t->len - 1;
	while (text_of(p, t)[end] != '/') end--;
	n->text_loc = (struct loc){p->source, t->offset + 1, end - 1};
	n->text = arena_strndup(p->arena, text_of(p, t) + 1, end - 1), n->text_len = end - 1;
	n->flags = flags_of(text_of(p, t) + end + 1, t->len - end - 1);
	if (memchr(text_of(p, t) + end + 1, 'l', t->len - end - 1))
		diag_error(p->diag, n->loc, "the flag l (locale) is for bytes, a grammar is for Unicode text: leave it out");
	if (!p->stops) warn_matches_all(p, n, memchr(text_of(p, t) + end + 1, 's', t->len - end - 1) != NULL);
	if (p->source->path[0] != '<' && !memchr(text_of(p, t) + end + 1, 'a', t->len - end - 1)) warn_wide_class(p, n);
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

static struct node *parse_literal(struct parser *p)
{
	if (p->at->kind == T_REGEX) return parse_regex(p);
	struct node *from = parse_string(p);
	if (p->at->kind != T_DOTDOT) return from;
	p->at++;
	if (p->at->kind != T_STRING) return expected(p, "the string that ends the range"), NULL;
	struct node *to = parse_string(p);
	struct node *n = lark_node(p->arena, N_RANGE, upto(from->loc, p));
	bool are_characters = one_code_point(p, from, &n->lo);
	are_characters = one_code_point(p, to, &n->hi) && are_characters;
	if (are_characters && n->lo > n->hi)
		diag_error(p->diag, n->loc, "the range is empty: U+%04X comes after U+%04X", n->lo, n->hi);
	return n;
}

static bool enter(struct parser *p, const struct token *open)
{
	if (p->depth++ < LARK_MAX_NESTING) return true;
	diag_error(p->diag, place(p, open), "brackets nest deeper than %u (LARK_MAX_NESTING)", LARK_MAX_NESTING);
	return false;
}

// <|python_tag|>
static struct node *parse_control(struct parser *p)
{
	const struct token *t = p->at++;
	struct node *n = lark_node(p->arena, N_CONTROL, place(p, t));
	control_ids ids = {0};
	n->is_wrong = !control_parse(p->control, text_of(p, t) + 1, t->len - 2, n->loc, p->diag, &ids);
	if (n->is_wrong) vec_clear(&ids), vec_push(&ids, 0);
	n->text_len = ids.n * (uint32_t)sizeof *ids.at;
	n->text = memcpy(arena_array(p->arena, ids.n, sizeof *ids.at), ids.at, n->text_len);
	vec_release(&ids);
	return n;
}

// %json {...}
static struct node *parse_nested(struct parser *p)
{
	const struct token *t = p->at++;
	const char *text = text_of(p, t), *open = memchr(text, '{', t->len);
	uint32_t word = (uint32_t)strcspn(text + 1, " \t{"), at = (uint32_t)(open - text) + 1;
	struct node *n = lark_node(p->arena, N_NESTED, (struct loc){p->source, t->offset, word + 1});
	n->word = arena_strndup(p->arena, text + 1, word);
	n->text_loc = (struct loc){p->source, t->offset + at, t->len - at - 1};
	n->text = text + at, n->text_len = t->len - at - 1;
	if (!strcmp(n->word, "json")) n->text--, n->text_len += 2, n->text_loc.offset--;  // the braces are the schema's
	if (!p->in_terminal) return n;
	diag_error(p->diag, n->loc, "a grammar inside stands in rules, a terminal's texts are regular");
	return NULL;
}

static struct node *parse_value(struct parser *p)
{
	if (p->at->kind == T_NESTED) return parse_nested(p);
	if (p->at->kind == T_CONTROL) return parse_control(p);
	if (p->at->kind == T_STRING || p->at->kind == T_REGEX) return parse_literal(p);
	if (!is_name(p)) return expected(p, "a rule, a terminal, a string or a regex"), NULL;
	const struct token *name = p->at++;
	struct node *n = lark_node(p->arena, N_NAME, place(p, name));
	n->text = arena_strndup(p->arena, text_of(p, name), name->len), n->text_len = name->len;
	n->is_terminal = name->kind == T_TERMINAL;
	if (p->at->kind != T_LBRACE) return n;
	if (n->is_terminal) {
		diag_error(p->diag, place(p, p->at), "a terminal takes no arguments: only rules are templates");
		return NULL;
	}
	const struct token *open = p->at++;
	if (!enter(p, open)) return NULL;
	node_vec args = {0};
	bool ok;
	do {
		struct node *arg = parse_value(p);
		ok = arg != NULL;
		if (ok) vec_push(&args, arg);
	} while (ok && p->at->kind == T_COMMA && p->at++);
	ok = ok && take(p, T_RBRACE, "',' or '}'");
	n->n_children = args.n;
	n->children = FREEZE(p, args);
	n->kind = N_CALL, n->loc = upto(n->loc, p);
	p->depth--;
	return ok ? n : NULL;
}

static struct node *parse_atom(struct parser *p)
{
	const struct token *open = p->at;
	if (open->kind != T_LPAR && open->kind != T_LSQB) return parse_value(p);
	p->at++;
	if (!enter(p, open)) return NULL;
	struct node *n = parse_expansions(p);
	p->depth--;
	if (!n) return NULL;
	if (p->at->kind != (open->kind == T_LPAR ? T_RPAR : T_RSQB)) {
		if (p->at->kind == T_NEWLINE)
			diag_error(p->diag, place(p, open),
			           "'%c' is not closed on its line; only a line that begins with | goes on", *text_of(p, open));
		else
			expected(p, open->kind == T_LPAR ? "')', '|' or something to match" : "']', '|' or something to match");
		return NULL;
	}
	p->at++;
	if (open->kind == T_LPAR) return n;
	struct node *optional = lark_node(p->arena, N_REPEAT, upto(place(p, open), p));
	optional->lo = 0, optional->hi = 1;
	optional->children = arena_array(p->arena, 1, sizeof(struct node *));
	optional->children[0] = n, optional->n_children = 1;
	return optional;
}

static struct node *parse_expr(struct parser *p)
{
	const struct token *first = p->at;
	struct node *n = parse_atom(p);
	if (!n) return NULL;
	int64_t min, max;
	if (p->at->kind == T_OP) {
		char op = *text_of(p, p->at++);
		min = op == '+', max = op == '?' ? 1 : TERM_UNBOUNDED;
	} else if (p->at->kind == T_TILDE) {
		p->at++;
		const char *limit = " (LARK_MAX_REPEAT)";
		if (!take_number(p, "the number of repetitions", 0, LARK_MAX_REPEAT, limit, &min)) return NULL;
		max = min;
		if (p->at->kind == T_DOTDOT) {
			p->at++;
			if (!take_number(p, "the largest number of repetitions", 0, LARK_MAX_REPEAT, limit, &max)) return NULL;
			if (max < min) {
				diag_error(p->diag, place(p, p->at - 1), "repeat from %d to %d: the second must not be smaller",
				           (int)min, (int)max);
				return NULL;
			}
		}
	} else
		return n;
	struct node *repeat = lark_node(p->arena, N_REPEAT, upto(place(p, first), p));
	repeat->lo = (uint32_t)min, repeat->hi = (uint32_t)max;
	repeat->children = arena_array(p->arena, 1, sizeof(struct node *));
	repeat->children[0] = n, repeat->n_children = 1;
	if (p->at->kind == T_OP || p->at->kind == T_TILDE) {
		diag_error(p->diag, place(p, p->at), "an operator cannot follow another: put the first in parentheses");
		return NULL;
	}
	return repeat;
}

static bool begins_expr(enum token_kind k)
{
	return k == T_LPAR || k == T_LSQB || k == T_STRING || k == T_REGEX || k == T_RULE || k == T_TERMINAL ||
	       k == T_CONTROL || k == T_NESTED;
}

// `inside`, `outside` and `unless`, which end what %ignore ignores (a rule's name cannot stand there).
static const char *scope_word(const struct parser *p)
{
	static const char *const words[] = {"inside", "outside", "unless"};
	for (int i = 0; i < 3; i++)
		if (p->at->kind == T_RULE && p->at->len == strlen(words[i]) &&
		    memcmp(text_of(p, p->at), words[i], p->at->len) == 0)
			return words[i];
	return NULL;
}

// An operand of &, or of | where there is no &.
static struct node *parse_sequence(struct parser *p)
{
	struct node *seq = lark_node(p->arena, N_SEQ, place(p, p->at));
	node_vec parts = {0};
	bool ok = true;
	while (ok && begins_expr(p->at->kind) && !(p->in_ignore && p->depth == 0 && scope_word(p))) {
		struct node *part = parse_expr(p);
		ok = part != NULL;
		if (ok) vec_push(&parts, part);
	}
	if (parts.n)
		seq->loc = upto(seq->loc, p);
	else
		seq->loc.len = 1;
	seq->n_children = parts.n;
	seq->children = FREEZE(p, parts);
	return !ok ? NULL : seq->n_children == 1 ? seq->children[0] : seq;
}

static bool only_in_terminals(struct parser *p)
{
	if (p->in_terminal) return true;
	diag_error(p->diag, place(p, p->at),
	           "%s belongs to terminals, whose texts are regular: write it in a terminal's definition and use its name",
	           describe(p, p->at));
	return false;
}

// ~x: the texts that x does not match.
static struct node *parse_operand(struct parser *p)
{
	if (p->at->kind != T_TILDE) return parse_sequence(p);
	if (!only_in_terminals(p)) return NULL;
	struct node *not = lark_node(p->arena, N_NOT, place(p, p->at++));
	if (p->at->kind == T_TILDE) {
		diag_error(p->diag, place(p, p->at), "an operator cannot follow another: put the second in parentheses");
		return NULL;
	}
	struct node *child = parse_expr(p);
	if (!child) return NULL;
	if (begins_expr(p->at->kind)) {
		diag_error(p->diag, place(p, p->at),
		           "~ stands before one pattern, and nothing beside it: put ~ and the pattern in parentheses");
		return NULL;
	}
	not ->children = arena_array(p->arena, 1, sizeof(struct node *));
	not ->children[0] = child, not ->n_children = 1, not ->loc = upto(not ->loc, p);
	return not ;
}

static struct node *parse_alternative(struct parser *p)
{
	struct loc loc = place(p, p->at);
	node_vec operands = {0};
	struct node *both;
	bool ok;
	do {
		struct node *operand = parse_operand(p);
		ok = operand != NULL;
		if (ok) vec_push(&operands, operand);
		ok = ok && (p->at->kind != T_AND || only_in_terminals(p));
		if (ok && (p->at->kind == T_AND || operands.n > 1) && operand->kind == N_SEQ && !operand->n_children)
			expected(p, "a pattern beside '&'"), ok = false;
	} while (ok && p->at->kind == T_AND && p->at++);
	if (operands.n == 1) {
		both = operands.at[0];
		vec_release(&operands);
	} else {
		both = lark_node(p->arena, N_AND, loc);
		if (ok) both->loc = upto(loc, p);
		both->n_children = operands.n;
		both->children = FREEZE(p, operands);
	}
	if (!ok) return NULL;
	if (p->at->kind == T_TO) {
		const struct token *to = p->at++;
		if (p->in_terminal) {
			diag_error(p->diag, place(p, to), "a terminal has no aliases (-> belongs to rules)");
			return NULL;
		}
		if (!take(p, T_RULE, "a lower-case name for the alias")) return NULL;
	}
	return both;
}

// Always N_ALT, so that %extend has a place to add to.
static struct node *parse_expansions(struct parser *p)
{
	struct node *alt = lark_node(p->arena, N_ALT, place(p, p->at));
	node_vec choices = {0};
	bool ok;
	do {
		struct node *choice = parse_alternative(p);
		ok = choice != NULL;
		if (ok) vec_push(&choices, choice);
	} while (ok && p->at->kind == T_OR && p->at++);
	alt->n_children = choices.n;
	alt->children = FREEZE(p, choices);
	if (ok && p->at[-1].offset >= alt->loc.offset) alt->loc = upto(alt->loc, p);
	return ok ? alt : NULL;
}

static bool end_of_statement(struct parser *p, const char *what)
{
	if (p->at->kind == T_NEWLINE) return p->at++, true;
	if (p->at->kind == T_MODIFIER && *text_of(p, p->at) == '?')
		diag_error(p->diag, place(p, p->at), "'?' right before a name marks a rule: put a space after it");
	else if (p->at->kind == T_COLON)
		diag_error(p->diag, place(p, p->at), "unexpected ':' (each definition begins on its own line)");
	else if (p->at->kind == T_OP || p->at->kind == T_TILDE)
		diag_error(p->diag, place(p, p->at), "%s has nothing to repeat before it", describe(p, p->at));
	else
		expected(p, what);
	return false;
}

// ---- Attributes of rules, as llguidance writes them: name[stop="x", max_chars=9]: ...

struct attributes {
	struct node *stop;   // the text goes on to the first of these, and with it
	node_vec exclude;    // it has none of these before
	uint32_t max_chars;  // of the text without what stops it; UINT32_MAX: any number
	bool is_text;        // the rule is one terminal
};

static bool refuse_attribute(struct parser *p, const struct token *name, const char *what)
{
	diag_error(p->diag, place(p, name), "the attribute %.*s is not supported: %s", (int)name->len, text_of(p, name),
	           what);
	return false;
}

static bool is_word(const struct parser *p, const struct token *t, const char *word)
{
	return t->len == strlen(word) && memcmp(text_of(p, t), word, t->len) == 0;
}

// Past a value that changes no text: a string, or a number with its fraction.
static void pass_value(struct parser *p)
{
	if (p->at->kind != T_EQUALS) return;
	do p->at++;
	while (p->at->kind == T_STRING || p->at->kind == T_NUMBER || p->at->kind == T_DOT);
}

static bool parse_attribute(struct parser *p, struct attributes *a)
{
	const struct token *name = p->at++;
	if (is_word(p, name, "capture") || is_word(p, name, "temperature")) return pass_value(p), true;
	if (is_word(p, name, "max_tokens"))
		return refuse_attribute(p, name,
		                        "the mask depends on the text, not on how it was cut into tokens. Bound the "
		                        "characters with max_chars, or the whole text with a budget");
	if (is_word(p, name, "lazy"))
		return refuse_attribute(p, name,
		                        "say with stop=\"...\" what ends the text, or write a terminal whose regex "
		                        "ends in a lazy quantifier");
	bool stops = is_word(p, name, "stop") || is_word(p, name, "suffix"), excludes = is_word(p, name, "exclude");
	if (!stops && !excludes && !is_word(p, name, "max_chars"))
		return refuse_attribute(p, name, "there are stop, suffix, exclude, max_chars, capture and temperature");
	a->is_text = true;
	if (!take(p, T_EQUALS, "'='")) return false;
	if (!stops && !excludes) {
		int64_t most;
		if (!take_number(p, "the number of characters", 1, LARK_MAX_REPEAT, " (LARK_MAX_REPEAT)", &most)) return false;
		a->max_chars = (uint32_t)most;
		return true;
	}
	if (p->at->kind != T_STRING && p->at->kind != T_REGEX) return expected(p, "a string or a regex"), false;
	if (stops && a->stop)
		return refuse_attribute(p, name, "one text has one stop; write a regex that matches each of them");
	struct node *value = parse_literal(p);
	if (stops)
		a->stop = value;
	else
		vec_push(&a->exclude, value);
	return value && !value->is_wrong;
}

static bool parse_attributes(struct parser *p, struct attributes *a)
{
	bool ok = !p->in_terminal;
	a->max_chars = UINT32_MAX;
	if (!ok) diag_error(p->diag, place(p, p->at), "attributes belong to rules; a terminal has none");
	do {
		p->at++;
		if (p->at->kind != T_RULE) expected(p, "the name of an attribute"), ok = false;
		ok = ok && parse_attribute(p, a);
	} while (ok && p->at->kind == T_COMMA);
	return ok && take(p, T_RSQB, "',' or ']'");
}

static struct node *with_children(struct parser *p, enum node_kind kind, struct loc loc, struct node *const *child,
                                  uint32_t n)
{
	struct node *made = lark_node(p->arena, kind, loc);
	made->children = arena_array(p->arena, n, sizeof(struct node *));
	memcpy(made->children, child, n * sizeof *child);
	made->n_children = n;
	return made;
}

// Any text of least to most characters.
static struct node *any_text(struct parser *p, struct loc loc, uint32_t least, uint32_t most)
{
	struct node *one = lark_node(p->arena, N_REGEX, loc);
	one->text = "(?s:.)", one->text_len = 6, one->text_loc = loc;
	struct node *all = with_children(p, N_REPEAT, loc, &one, 1);
	all->lo = least, all->hi = most;
	return all;
}

// Texts of `a` that are not before, `what`, behind.
static struct node *without(struct parser *p, struct node *a, struct node *what, uint32_t least_behind)
{
	struct loc loc = what->loc;
	struct node *parts[] = {any_text(p, loc, 0, TERM_UNBOUNDED), what, any_text(p, loc, least_behind, TERM_UNBOUNDED)};
	struct node *has = with_children(p, N_SEQ, loc, parts, 3);
	return with_children(p, N_AND, loc, (struct node *[]){a, with_children(p, N_NOT, loc, &has, 1)}, 2);
}

// The rule is a terminal of its own: the body's texts within the bounds, then what stops them, of which nothing stands
// before the end.
static void make_text(struct parser *p, struct statement *s, struct attributes *a)
{
	struct node *text = s->body;
	struct loc loc = s->body->loc;
	for (uint32_t i = 0; i < a->exclude.n; i++) text = without(p, text, a->exclude.at[i], 0);
	if (a->max_chars != UINT32_MAX)
		text = with_children(p, N_AND, loc, (struct node *[]){text, any_text(p, loc, 0, a->max_chars)}, 2);
	if (a->stop) text = without(p, with_children(p, N_SEQ, loc, (struct node *[]){text, a->stop}, 2), a->stop, 1);
	struct statement made = {.kind = S_TERMINAL, .mode = s->mode, .loc = s->loc, .name = s->name};
	made.name.text = arena_printf(p->arena, "__TEXT_%s", s->name.text), made.name.is_terminal = true;
	made.body = with_children(p, N_ALT, loc, &text, 1);
	vec_push(&p->out->list, made);
	struct node *name = lark_node(p->arena, N_NAME, s->name.loc);
	name->text = made.name.text, name->text_len = (uint32_t)strlen(name->text), name->is_terminal = true;
	s->body = with_children(p, N_ALT, loc, &name, 1);
}

// What stands behind a definition's name, parameters and priority.
static bool parse_attributes_and_body(struct parser *p, struct statement *s, struct attributes *a)
{
	if (p->at->kind == T_LSQB && !parse_attributes(p, a)) return false;
	if (!take(p, T_COLON, "':'")) return false;
	p->in_terminal |= a->is_text, p->stops = a->stop != NULL;
	s->body = parse_expansions(p);
	p->stops = false;
	if (s->body && a->is_text) make_text(p, s, a);
	return s->body && end_of_statement(p, "'|', something to match, or the end of the line");
}

static bool parse_definition(struct parser *p, struct statement *s)
{
	p->depth = 0;
	if (p->at->kind == T_MODIFIER) p->at++;
	if (!is_name(p)) return expected(p, "the name of a rule or terminal"), false;
	s->name = take_name(p);
	s->kind = s->name.is_terminal ? S_TERMINAL : S_RULE;
	s->loc = s->name.loc;
	p->in_terminal = s->name.is_terminal;
	if (p->at->kind == T_LBRACE) {
		if (p->in_terminal) {
			diag_error(p->diag, place(p, p->at), "a terminal takes no parameters: only rules are templates");
			return false;
		}
		p->at++;
		name_vec params = {0};
		bool ok;
		do {
			ok = p->at->kind == T_RULE;
			if (ok)
				vec_push(&params, take_name(p));
			else
				expected(p, "a lower-case name for the parameter");
		} while (ok && p->at->kind == T_COMMA && p->at++);
		s->n_list = params.n;
		s->list = FREEZE(p, params);
		if (!ok || !take(p, T_RBRACE, "',' or '}'")) return false;
		if (s->n_list > LARK_MAX_PARAMETERS) {
			diag_error(p->diag, s->name.loc, "more than %u parameters (LARK_MAX_PARAMETERS)", LARK_MAX_PARAMETERS);
			return false;
		}
	}
	if (p->at->kind == T_DOT) {
		p->at++;
		int64_t v;
		if (!take_number(p, "the priority, a number", INT32_MIN, INT32_MAX, "", &v)) return false;
		s->priority = (int32_t)v;
	}
	struct attributes a = {0};
	bool ok = parse_attributes_and_body(p, s, &a);
	vec_release(&a.exclude);
	return ok;
}

static bool parse_import(struct parser *p, struct statement *s)
{
	if (p->at->kind == T_DOT) s->is_relative = true, p->at++;
	name_vec path = {0}, names = {0};
	bool ok;
	do {
		ok = is_name(p);
		if (ok)
			vec_push(&path, take_name(p));
		else
			expected(p, "a name");
	} while (ok && p->at->kind == T_DOT && p->at++);
	if (ok && p->at->kind == T_LPAR) {
		p->at++;
		do {
			ok = is_name(p);
			if (ok)
				vec_push(&names, take_name(p));
			else
				expected(p, "the name of a rule or terminal");
		} while (ok && p->at->kind == T_COMMA && p->at++);
		ok = ok && take(p, T_RPAR, "',' or ')'");
	} else if (ok) {
		vec_push(&names, vec_pop(&path));
		if (path.n == 0) {
			diag_error(p->diag, names.at[0].loc,
			           "nothing is imported from '%s': write %%import %s%s.NAME or %%import %s%s (NAME, ...)",
			           names.at[0].text, s->is_relative ? "." : "", names.at[0].text, s->is_relative ? "." : "",
			           names.at[0].text);
			ok = false;
		} else if (p->at->kind == T_TO) {
			p->at++;
			ok = is_name(p);
			if (ok)
				s->name = take_name(p);
			else
				expected(p, "the new name");
		}
	}
	if (ok && path.n > IMPORT_MAX_DEPTH) {
		diag_error(p->diag, path.at[0].loc, "folders nest deeper than %u (IMPORT_MAX_DEPTH)", IMPORT_MAX_DEPTH);
		ok = false;
	}
	s->n_path = path.n, s->n_list = names.n;
	s->path = FREEZE(p, path), s->list = FREEZE(p, names);
	return ok && end_of_statement(p, "the end of the line");
}

static bool take_bracket(struct parser *p, enum bracket kind, struct bracket_ref *out)
{
	*out = (struct bracket_ref){{.loc = place(p, p->at)}, kind};
	if (p->at->kind == T_TERMINAL) {
		struct name n = take_name(p);
		out->terminal.text = n.text, out->terminal.text_len = (uint32_t)strlen(n.text);
	} else if (p->at->kind == T_STRING) {
		struct node *n = parse_string(p);
		if (n->is_wrong) return false;
		if (n->flags) return diag_error(p->diag, n->loc, "a bracket takes no flags"), false;
		out->terminal.text = n->text, out->terminal.text_len = n->text_len, out->terminal.is_text = true;
	} else
		return expected(p, kind == BRACKET_OPEN || kind == BRACKET_OPEN_AGAIN
		                       ? "an opening bracket: a string or a terminal"
		                       : "the bracket that closes it"),
		       false;
	return true;
}

// inside call arguments
static bool parse_inner_rules(struct parser *p, struct statement *s)
{
	name_vec names = {0};
	const char *word = scope_word(p);
	if (!word || *word != 'i' || p->at[1].kind != T_RULE) return true;
	p->at++;
	while (p->at->kind == T_RULE) vec_push(&names, take_name(p));
	s->n_rules = names.n;
	s->rules = FREEZE(p, names);
	return true;
}

// inside "(" ")" "[" "]" outside "{" "}"
static bool parse_brackets(struct parser *p, struct statement *s)
{
	VEC(struct bracket_ref) all = {0};
	bool ok = true;
	for (const char *word; ok && (word = scope_word(p)) && *word != 'u';) {
		bool again = word[0] == 'o';
		p->at++;
		do {
			struct bracket_ref open, close;
			ok = take_bracket(p, again ? BRACKET_OPEN_AGAIN : BRACKET_OPEN, &open) &&
			     take_bracket(p, again ? BRACKET_CLOSE_AGAIN : BRACKET_CLOSE, &close);
			if (ok) vec_push(&all, open), vec_push(&all, close);
		} while (ok && p->at->kind != T_NEWLINE && !scope_word(p));
	}
	s->n_brackets = all.n;
	s->brackets = FREEZE(p, all);
	return ok;
}

// NAME "goto" "const" soft "record"
static bool parse_keywords(struct parser *p, struct statement *s)
{
	node_vec reserved = {0};
	if (p->at->kind != T_TERMINAL) return expected(p, "the terminal of names"), false;
	struct name n = take_name(p);
	s->words = (struct terminal_ref){.text = n.text, .text_len = (uint32_t)strlen(n.text), .loc = n.loc};
	while (p->at->kind == T_STRING) vec_push(&reserved, parse_string(p));
	s->n_reserved = reserved.n;
	if (p->at->kind == T_RULE && p->at->len == 4 && memcmp(text_of(p, p->at), "soft", 4) == 0) {
		p->at++;
		while (p->at->kind == T_STRING) vec_push(&reserved, parse_string(p));
	}
	s->n_soft = reserved.n - s->n_reserved;
	s->reserved = FREEZE(p, reserved);
	return end_of_statement(p, "a word in quotes, 'soft', or the end of the line");
}

// unless after NAME ")"
static bool parse_holders(struct parser *p, struct statement *s)
{
	VEC(struct terminal_ref) all = {0};
	struct bracket_ref one;
	bool ok = true;
	if (!scope_word(p)) return true;
	p->at++;
	if (p->at->kind != T_RULE || p->at->len != 5 || memcmp(text_of(p, p->at), "after", 5) != 0)
		return expected(p, "after"), false;
	p->at++;
	do {
		ok = p->at->kind == T_TERMINAL || p->at->kind == T_STRING;
		if (!ok) expected(p, "a terminal: a string or a name");
		ok = ok && take_bracket(p, BRACKET_NONE, &one);
		if (ok) vec_push(&all, one.terminal);
	} while (ok && p->at->kind != T_NEWLINE && p->at->kind != T_END);
	s->n_holders = all.n;
	s->holders = FREEZE(p, all);
	return ok;
}

// %llguidance {...}: without any option it says nothing.
static bool parse_options(struct parser *p)
{
	const struct token *t = p->at++;
	const char *text = text_of(p, t), *open = memchr(text, '{', t->len);
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

static bool parse_statement(struct parser *p, struct statement *s)
{
	*s = (struct statement){.loc = place(p, p->at)};
	enum token_kind kind = p->at->kind;
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
	case T_IGNORE:
		p->at++, p->in_terminal = true, s->kind = S_IGNORE;
		p->in_ignore = true;
		s->body = parse_expansions(p);
		p->in_ignore = false;
		return s->body && parse_inner_rules(p, s) && parse_brackets(p, s) && parse_holders(p, s) &&
		       end_of_statement(p, "a terminal, a string, a regex, or the end of the line");
	case T_OPTIONS: return parse_options(p);
	case T_INDENT:
		s->kind = S_INDENT;
		s->text_loc = (struct loc){p->source, p->at->offset + 7, p->at->len - 7};  // after "%indent"
		p->at++;
		return end_of_statement(p, "the end of the line");
	case T_DECLARE: {
		p->at++, s->kind = S_DECLARE;
		name_vec names = {0};
		while (is_name(p)) vec_push(&names, take_name(p));
		s->n_list = names.n;
		s->list = FREEZE(p, names);
		if (!s->n_list) return expected(p, "a terminal's name"), false;
		return end_of_statement(p, "a terminal's name or the end of the line");
	}
	case T_START: {
		p->at++, s->kind = S_START;
		name_vec names = {0};
		while (is_name(p)) vec_push(&names, take_name(p));
		s->n_list = names.n;
		s->list = FREEZE(p, names);
		if (!s->n_list) return expected(p, "the name of a rule that a text may start from"), false;
		return end_of_statement(p, "a rule's name or the end of the line");
	}
	case T_KEYWORDS: p->at++, s->kind = S_KEYWORDS; return parse_keywords(p, s);
	case T_IMPORT: p->at++, s->kind = S_IMPORT; return parse_import(p, s);
	default: expected(p, "a definition (name: ...) or a statement (%ignore, %import, ...)"); return false;
	}
}

// To the beginning of something that looks like a statement.
static void skip_statement(struct parser *p)
{
	for (;;) {
		while (p->at->kind != T_NEWLINE && p->at->kind != T_END) p->at++;
		while (p->at->kind == T_NEWLINE) p->at++;
		const struct token *t = p->at;
		if (t->kind == T_END || (t->kind >= T_IGNORE && t->kind <= T_EXTEND)) return;
		if (t->kind == T_MODIFIER) return;
		bool is_at_margin = t->offset == 0 || p->source->text[t->offset - 1] == '\n';
		if ((t->kind == T_RULE || t->kind == T_TERMINAL) &&
		    (is_at_margin || t[1].kind == T_COLON || t[1].kind == T_DOT || t[1].kind == T_LBRACE))
			return;
	}
}

// What is wrong inside a literal is reported and the rest of its statement read all the same.
void lark_parse(const struct source *s, const struct tokens *t, const struct control_tokens *c, struct arena *a,
                struct diag *d, struct statements *out)
{
	struct parser p = {.source = s, .at = t->list.at, .arena = a, .diag = d, .control = c, .out = out};
	for (;;) {
		while (p.at->kind == T_NEWLINE) p.at++;
		if (p.at->kind == T_END) return;
		struct statement one;
		if (parse_statement(&p, &one))
			vec_push(&out->list, one);
		else
			skip_statement(&p);
	}
}
