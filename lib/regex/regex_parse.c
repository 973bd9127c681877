// Regex text to syntax tree.
//
// In:  a regex body that PCRE2 has accepted. Out: the tree of its language, or a refusal that says what cannot
//      be done and what to write instead.
// Recursive descent; parentheses nest at most REGEX_MAX_NESTING deep. Groups leave no node of their own. The
// parser does not rely on PCRE2 for safety: the two disagree on details (white space under flag x), and then
// Python's reading counts. Cost: linear, plus the Unicode classes used.
#include "regex_internal.h"

static struct re_node *parse_alternatives(struct re_parser *p);

struct loc re_here(const struct re_parser *p, uint32_t from)
{
	return (struct loc){p->base.source, p->base.offset + from, p->at > from ? p->at - from : 0};
}

static struct re_node *refuse(struct re_parser *p, uint32_t from, const char *why)
{
	re_error(p->c, re_here(p, from), "%s", why);
	return NULL;
}

static char peek(const struct re_parser *p, uint32_t ahead)
{
	return p->at + ahead < p->len ? p->text[p->at + ahead] : 0;
}

static bool starts_with(const struct re_parser *p, const char *s)
{
	size_t n = strlen(s);
	return p->len - p->at >= n && !memcmp(p->text + p->at, s, n);
}

// What stands for nothing: (?#...) and, under flag x, white space and # comments.
static void skip_ignored(struct re_parser *p)
{
	bool verbose = p->flags & TERM_X;
	while (p->at < p->len) {
		char ch = p->text[p->at];
		if (verbose && (ch == ' ' || (ch >= '\t' && ch <= '\r'))) {
			p->at++;
		} else if (verbose && ch == '#') {
			while (p->at < p->len && p->text[p->at] != '\n') p->at++;
		} else if (starts_with(p, "(?#")) {
			const char *end = memchr(p->text + p->at, ')', p->len - p->at);
			if (!end) break;
			p->at = (uint32_t)(end - p->text) + 1;
		} else {
			break;
		}
	}
}

// {n} {n,} {n,m} {,m} {,} at p->at; anything else is a literal brace. Returns its length or 0.
static uint32_t read_bounds(const struct re_parser *p, uint32_t *min, uint32_t *max)
{
	uint32_t at = p->at + 1, value[2] = {0, 0}, digits[2] = {0, 0}, k = 0;
	for (; at < p->len; at++) {
		char ch = p->text[at];
		if (ch >= '0' && ch <= '9') {
			digits[k]++;
			if (value[k] <= 65535) value[k] = value[k] * 10 + (uint32_t)(ch - '0');
		} else if (ch == ',' && k == 0) {
			k = 1;
		} else {
			break;
		}
	}
	if (at >= p->len || p->text[at] != '}' || (k == 0 && !digits[0])) return 0;
	*min = value[0];
	*max = k == 0 ? value[0] : digits[1] ? value[1] : TERM_UNBOUNDED;
	return at + 1 - p->at;
}

static bool at_quantifier(const struct re_parser *p)
{
	uint32_t min, max;
	char ch = peek(p, 0);
	return ch == '*' || ch == '+' || ch == '?' || (ch == '{' && read_bounds(p, &min, &max));
}

// Branches: the four quantifiers, lazy or not, and one refusal for each wrong form.
static struct re_node *parse_quantifier(struct re_parser *p, struct re_node *atom, uint32_t atom_at)
{
	skip_ignored(p);
	if (p->at >= p->len || !at_quantifier(p)) return atom;
	uint32_t from = p->at, min = 0, max = TERM_UNBOUNDED;
	char ch = p->text[p->at];
	if (ch == '{')
		p->at += read_bounds(p, &min, &max);
	else
		p->at++;
	if (ch == '+') min = 1;
	if (ch == '?') max = 1;
	if (max != TERM_UNBOUNDED && (min > max || max > 65535))
		return refuse(p, from,
		              min > max ? "the bounds of this repetition are out of order" : "a repetition goes up to 65535");
	if (max == TERM_UNBOUNDED && min > 65535) return refuse(p, from, "a repetition goes up to 65535");
	bool lazy = peek(p, 0) == '?';
	if (lazy)
		p->at++;
	else if (peek(p, 0) == '+')
		return p->at++, refuse(p, from,
		                       "possessive quantifiers forbid backtracking, which a set of texts cannot "
		                       "express; drop the second +");
	skip_ignored(p);
	if (p->at < p->len && at_quantifier(p))
		return p->at++, refuse(p, from, "a quantifier follows a quantifier; put the inner one in (?:...)");
	return re_new_repeat(p->c, atom, min, max, lazy && !(p->flags & TERM_WHOLE), re_here(p, atom_at));
}

// At the letters of "(?ims-x:" or "(?ims)". Changes p->flags and stops at ')' or ':'.
static bool parse_flags(struct re_parser *p, uint32_t from)
{
	static const char letters[] = "imsxua";
	static const uint32_t bit[] = {TERM_I, TERM_M, TERM_S, TERM_X, TERM_U, TERM_A};
	bool off = false;
	for (; p->at < p->len && p->text[p->at] != ')' && p->text[p->at] != ':'; p->at++) {
		char ch = p->text[p->at];
		const char *known = ch ? strchr(letters, ch) : NULL;
		if (ch == '-' && !off) {
			off = true;
			continue;
		}
		if (!known || (off && (ch == 'a' || ch == 'u'))) {
			p->at++;
			refuse(p, from, "unknown inline flags; the flags are i m s x u a, and -i -m -s -x to switch one off");
			return false;
		}
		if (off)
			p->flags &= ~bit[known - letters];
		else
			p->flags |= bit[known - letters];
		if (ch == 'a') p->flags &= ~(uint32_t)TERM_U;
		if (ch == 'u') p->flags &= ~(uint32_t)TERM_A;
	}
	return true;
}

static struct re_node *finish_group(struct re_parser *p, uint32_t from)
{
	struct re_node *body = parse_alternatives(p);
	if (!body) return NULL;
	if (p->at >= p->len) return refuse(p, from, "this group has no closing )");
	p->at++;
	return body;
}

static struct re_node *parse_look(struct re_parser *p, uint32_t from, bool behind, bool negative)
{
	if (p->in_behind) {
		while (p->at < p->len && p->text[p->at] != ')') p->at++;
		return refuse(p, from,
		              "a lookaround inside a lookbehind is not supported; write its cases as alternatives outside");
	}
	p->in_behind = behind;
	struct re_node *body = finish_group(p, from);
	p->in_behind = false;
	return body ? re_new_look(p->c, body, behind, negative, re_here(p, from)) : NULL;
}

// Groups that no automaton can do. NULL when the group is not one of them.
static const char *refused_group(const struct re_parser *p)
{
	static const struct {
		const char *start, *why;
	} refused[] = {
		{"(?>", "atomic groups forbid backtracking, which a set of texts cannot express; use (?:...)"},
		{"(?P=", "references to groups are not regular: no automaton can remember what a group matched; "
	             "write an alternative for each text that the group is to match"},
		{"(?P>", "recursion is not regular; write a rule of the grammar"},
		{"(?&", "recursion is not regular; write a rule of the grammar"},
		{"(?R", "recursion is not regular; write a rule of the grammar"},
		{"(?(", "conditionals depend on what a group matched, which is not regular; write the cases as alternatives"},
		{"(?|", "branch reset groups are not shared by Python and PCRE2; use (?:...)"},
		{"(?'", "write (?P<name>...) or (?:...): Python does not know this spelling"},
		{"(?C", "callouts have no meaning in a grammar"},
		{"(?^", "(?^...) is not shared by Python and PCRE2; name the flags to switch off, as in (?-i:...)"},
		{"(*", "verbs such as (*FAIL) are not shared by Python and PCRE2"},
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (starts_with(p, refused[i].start)) return refused[i].why;
	char ch = peek(p, 1) == '?' ? peek(p, 2) : 0, next = peek(p, 3);
	bool number = (ch >= '0' && ch <= '9') || ((ch == '+' || ch == '-') && next >= '0' && next <= '9');
	return number ? "recursion is not regular; write a rule of the grammar" : NULL;
}

static struct re_node *parse_group_inner(struct re_parser *p)
{
	uint32_t from = p->at, flags = p->flags;
	const char *why = refused_group(p);
	if (why) {
		p->at += 3 < p->len - p->at ? 3 : p->len - p->at;
		return refuse(p, from, why);
	}
	static const struct {
		const char *start;
		bool behind, negative;
	} looks[] = {{"(?=", false, false}, {"(?!", false, true}, {"(?<=", true, false}, {"(?<!", true, true}};
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		if (!starts_with(p, looks[i].start)) continue;
		p->at += (uint32_t)strlen(looks[i].start);
		return parse_look(p, from, looks[i].behind, looks[i].negative);
	}
	if (peek(p, 1) != '?') {
		p->at++;
		return finish_group(p, from);
	}
	if (starts_with(p, "(?P<") || starts_with(p, "(?<")) {
		while (p->at < p->len && p->text[p->at] != '>') p->at++;
		if (p->at < p->len) p->at++;
		return finish_group(p, from);
	}
	p->at += 2;
	if (!parse_flags(p, from)) return NULL;
	if (peek(p, 0) != ':') {
		p->at += p->at < p->len;
		return refuse(p, from, "flags for the whole regex belong at its start; for a part, write (?i:...)");
	}
	p->at++;
	struct re_node *body = finish_group(p, from);
	p->flags = flags;
	return body;
}

static struct re_node *parse_group(struct re_parser *p)
{
	uint32_t from = p->at;
	if (starts_with(p, "(?#")) return refuse(p, from, "this comment has no closing )");
	if (++p->depth > REGEX_MAX_NESTING) {
		re_error(p->c, re_here(p, from), "parentheses nest deeper than REGEX_MAX_NESTING (%d)", REGEX_MAX_NESTING);
		return NULL;
	}
	struct re_node *n = parse_group_inner(p);
	p->depth--;
	return n;
}

static struct re_node *parse_atom(struct re_parser *p)
{
	uint32_t from = p->at;
	switch (p->text[p->at]) {
	case '(': return parse_group(p);
	case '[': return re_parse_class(p);
	case '\\': return re_parse_escape(p);
	case '.': {
		p->at++;
		struct cp_range newline = {'\n', '\n'};
		struct cp_set none = {&newline, p->flags & TERM_S ? 0 : 1};
		return re_new_set(p->c, cp_complement(&p->c->scratch, none), re_here(p, from));
	}
	case '^':
	case '$': p->at++; return re_anchor(p, p->text[from], from);
	case '*':
	case '+':
	case '?': p->at++; return refuse(p, from, "there is nothing to repeat before this quantifier");
	case '{':
		if (at_quantifier(p)) return p->at++, refuse(p, from, "there is nothing to repeat before this quantifier");
		break;
	default: break;
	}
	uint32_t cp, n = utf8_decode(p->text + p->at, p->len - p->at, &cp);
	if (!n) return refuse(p, from, "this is not valid UTF-8");
	p->at += n;
	return re_literal(p, cp, from);
}

typedef VEC(struct re_node *) node_list;

static struct re_node *parse_sequence(struct re_parser *p)
{
	node_list kids = {0};
	uint32_t from = p->at;
	bool ok = true;
	for (skip_ignored(p); p->at < p->len && p->text[p->at] != '|' && p->text[p->at] != ')'; skip_ignored(p)) {
		uint32_t atom_at = p->at;
		struct re_node *n = parse_atom(p);
		if (n) n = parse_quantifier(p, n, atom_at);
		if (!n) {
			ok = false;
			break;
		}
		if (n->kind != RE_EMPTY) vec_push(&kids, n);
	}
	struct re_node *out = ok ? re_new_list(p->c, RE_SEQ, kids.at, kids.n, re_here(p, from)) : NULL;
	vec_release(&kids);
	return out;
}

static struct re_node *parse_alternatives(struct re_parser *p)
{
	node_list kids = {0};
	uint32_t from = p->at;
	bool ok = true;
	for (;;) {
		struct re_node *n = parse_sequence(p);
		if (!n) {
			ok = false;
			break;
		}
		vec_push(&kids, n);
		if (p->at >= p->len || p->text[p->at] != '|') break;
		p->at++;
	}
	struct re_node *out = ok ? re_new_list(p->c, RE_ALT, kids.at, kids.n, re_here(p, from)) : NULL;
	vec_release(&kids);
	return out;
}

struct re_node *re_parse(struct re_ctx *c, const char *text, uint32_t len, uint32_t flags, struct loc text_loc)
{
	struct re_parser p = {.c = c, .text = text, .len = len, .flags = flags, .base = text_loc};
	if ((flags & TERM_A) && (flags & TERM_U)) return refuse(&p, 0, "the flags a and u exclude each other");
	// (?i) and the like at the start hold for all.
	for (skip_ignored(&p); starts_with(&p, "(?"); skip_ignored(&p)) {
		uint32_t end = p.at + 2;
		while (end < len && text[end] >= 'a' && text[end] <= 'z') end++;
		if (end >= len || text[end] != ')' || end == p.at + 2) break;
		uint32_t from = p.at;
		p.at += 2;
		if (!parse_flags(&p, from)) return NULL;
		p.at++;
	}
	struct re_node *n = parse_alternatives(&p);
	if (n && p.at < len) return p.at++, refuse(&p, p.at - 1, "this ) closes no group");
	return n;
}
