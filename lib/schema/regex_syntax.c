// `format: regex`: texts that are ECMA 262 regular expressions (flag u), as productions: groups nest.
//
// In:  nothing. Out: a nonterminal of such strings. What stands between parentheses, | and quantifiers of groups is one
// terminal, a regular language; the parser keeps which groups are open.
//     string: QUOTE choices END             choices: sequence | choices BAR sequence     sequence: nothing | items
//     items: item | items item              item: PIECE | OPEN choices CLOSE [QUANTIFIER] | LOOK choices CLOSE
// Written are all but these (each would need a comparison with what stands elsewhere): named groups, references to
// groups, \0; {n,m} whose n is above 99 and whose m has as many digits and the same first one; ranges in a class that
// begin with an escape, unless both ends are \xHH, or \uHHHH that differ in the first two digits or begin with 00;
// properties other than general categories and the commonest scripts. Characters are written as json.dumps does.
// Where other conditions stand beside: some of them as one automaton, below; where it may be denied that a text is one,
// also an automaton of all and others (value.c: strings between the two are neither taken nor denied). Cost: 2,000
// states of the terminals' automata; of that one 7 times those of a regular expression without groups.
#include <assert.h>
#include <stdio.h>

#include "rules.h"

typedef VEC(char) text_list;

// Characters that JSON may write as escapes stand for themselves in the texts below, as these bytes.
#define BACKSLASH "\1"
#define WIDE "\2"
#define CONTROL "\3"  // and the quote
#define ESCAPED CONTROL "|" WIDE
static const char *const as_json[] = {
	"", "\\\\\\\\",
	("\\\\u(?:00(?:7f|[89a-f][0-9a-f])|0[1-9a-f][0-9a-f]{2}|[1-9abcef][0-9a-f]{3}|d[0-7][0-9a-f]{2}|"
     "d[89ab][0-9a-f]{2}\\\\ud[c-f][0-9a-f]{2})"),
	"\\\\[\"bfnrt]|\\\\u00(?:0[0-7bef]|1[0-9a-f])"};
static const char *const as_text[] = {"", "\\\\", "[\\x7f-\\U0010ffff]", "[\"\\x00-\\x1f]"};
#define LITERAL "[^\"\\\\\\x00-\\x1f^$.*+?()\\[\\]{}|]|" ESCAPED
#define HEX "[0-9A-Fa-f]"
#define PROPERTY                                                                                                       \
	"(?:L[ultmoC]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?|ASCII|Any|Alphabetic|Lowercase|Uppercase|"   \
	"White_Space|ID_Start|ID_Continue|Emoji|(?:Script|sc)=(?:Latin|Greek|Cyrillic|Han|Hiragana|Katakana|Arabic|"       \
	"Hebrew|Thai|Hangul|Devanagari))"
// Behind a backslash, in a class or outside.
#define EITHER                                                                                                         \
	"[dDsSwWfnrtv/^$.*+?()\\[\\]{}|]|" BACKSLASH "|c[A-Za-z]|x" HEX "{2}|u(?:" HEX "{4}|\\{0*(?:10" HEX "{4}|" HEX     \
	"{1,5})\\})|[pP]\\{" PROPERTY "\\}"

static void put(text_list *out, const char *text)
{
	for (; *text; text++) vec_push(out, *text);
}

// In a class: a character of ASCII that stands for itself.
static void put_sign(text_list *out, int c)
{
	if (strchr("[^&~|#", c)) vec_push(out, '\\');
	vec_push(out, (char)c);
}

static bool is_sign(int c) { return !strchr("\"\\]-", c); }

// Ranges between two characters of ASCII that stand for themselves, or from one to a wide one.
static void put_plain_ranges(text_list *out)
{
	put(out, "[ !#-,.-Z\\[^-~]-(?:[\\x7f-\\U0010ffff]|" WIDE "|" BACKSLASH "u(?:00[89A-Fa-f]" HEX "|0[1-9A-Fa-f]" HEX
	         "{2}|[1-9A-Fa-f]" HEX "{3}))");
	for (int c = ' '; c <= '~'; c++) {
		if (!is_sign(c)) continue;
		put(out, "|["), put_sign(out, c), put(out, "]-[");
		for (int d = c; d <= '~'; d++)
			if (is_sign(d)) put_sign(out, d);
		put(out, "]");
	}
}

// A class of the hexadecimal digits least .. most.
static void put_digits(text_list *out, uint32_t least, uint32_t most)
{
	put(out, "[");
	for (uint32_t i = least; i <= most; i++) {
		vec_push(out, "0123456789abcdef"[i]);
		if (i > 9) vec_push(out, "0123456789ABCDEF"[i]);
	}
	put(out, "]");
}

// Ranges between two escapes of the form `before`, two digits, `after`: by their first digits, or by the second ones
// where both first ones are the same, at most `most_same`.
static void put_escaped_ranges(text_list *out, const char *before, const char *after, uint32_t most_same)
{
	put(out, "|"), put(out, before), put(out, "(?:");
	for (uint32_t i = 0; i < 16; i++) {
		if (i) put(out, "|");
		put_digits(out, i, i), put(out, "(?:");
		if (i < 15) {
			put(out, HEX), put(out, after), put(out, "-"), put(out, before);
			put_digits(out, i + 1, 15), put(out, HEX), put(out, after);
		}
		for (uint32_t k = 0; k < 15 && i <= most_same; k++) {
			put(out, "|"), put_digits(out, k, k), put(out, after), put(out, "-"), put(out, before);
			put_digits(out, i, i), put_digits(out, k + 1, 15), put(out, after);
		}
		put(out, i < 15 ? ")" : "[^\\s\\S])");
	}
	put(out, ")");
}

// What stands in a class: a character, or a range.
static void put_member(text_list *out, bool escaped_ranges)
{
	put(out, "[^\"\\\\\\x00-\\x1f\\]\\-]|" ESCAPED "|" BACKSLASH "(?:" EITHER "|[b-])|");
	put_plain_ranges(out);
	if (!escaped_ranges) return;
	put_escaped_ranges(out, BACKSLASH "x", "", 1);
	put_escaped_ranges(out, BACKSLASH "u", HEX "{2}", 2);
	put_escaped_ranges(out, BACKSLASH "u00", "", 1);
	put_escaped_ranges(out, BACKSLASH "u04", "", 0);
}

static void put_quantifier(text_list *out)
{
	char text[96];
	put(out, "(?:[*+?]|\\{(?:[0-9]+,?|[0-9],[1-9][0-9]+|[1-9][0-9],[1-9][0-9]{2,}|[1-9][0-9]{2},[1-9][0-9]{3,}");
	for (int a = '0'; a <= '9'; a++) {
		snprintf(text, sizeof text, "|%c,[%c-9]", a, a);
		put(out, text);
		if (a > '0' && a < '9') {
			snprintf(text, sizeof text, "|%c(?:[0-9],[%c-9][0-9]|[0-9]{2},[%c-9][0-9]{2})", a, a + 1, a + 1);
			put(out, text);
		}
		for (int b = '0'; b <= '9' && a > '0'; b++) {
			snprintf(text, sizeof text, "|%c%c,%c[%c-9]", a, b, a, b);
			put(out, text);
		}
	}
	put(out, ")\\})\\??");
}

// The text with its marks replaced.
static void put_as(text_list *out, const char *const *as, const text_list *text)
{
	for (uint32_t i = 0; i < text->n; i++) {
		const uint8_t c = (uint8_t)text->at[i];
		if (c && c <= 3)
			put(out, as[c]);
		else
			vec_push(out, (char)c);
	}
}

// ---- Parts made of parts ----
// Members of classes and quantifiers are automata before they are repeated: else each state of the whole would hold a
// thread for each of their alternatives.
struct parts {
	struct schema *s;
	const char *const *as;  // how characters are written
	struct arena arena;
};

static struct term *make_term(struct parts *p, struct term x)
{
	struct term *t = arena_alloc(&p->arena, sizeof *t);
	return *t = x, t;
}

static struct term *join(struct parts *p, enum term_kind kind, struct term *a, struct term *b, struct term *c)
{
	struct term **children = arena_array(&p->arena, 3, sizeof *children);
	children[0] = a, children[1] = b, children[2] = c;
	return make_term(p, (struct term){.kind = kind, .children = children, .n_children = c ? 3 : 2});
}

static struct term *repeat(struct parts *p, struct term *x, uint32_t least, uint32_t most)
{
	struct term **child = arena_alloc(&p->arena, sizeof *child);
	*child = x;
	return make_term(p,
	                 (struct term){.kind = TERM_REPEAT, .children = child, .n_children = 1, .lo = least, .hi = most});
}

static struct term *automaton(struct parts *p, language l)
{
	return language_term(p->s->languages, l, (struct loc){0}, &p->arena);
}

// The automaton of a pattern, which is emptied.
static struct term *pattern(struct parts *p, text_list *marked)
{
	text_list text = {0};
	put_as(&text, p->as, marked);
	const struct regex_text regex = {text.at, text.n, TERM_A, (struct loc){0}, "regex"};
	const language l = language_of_regex(p->s->languages, &regex, p->s->d);
	ASSERT(l != LANGUAGE_ERROR);
	vec_release(&text), vec_clear(marked);
	return automaton(p, l);
}

// A character, a class or an anchor, with its quantifier.
static struct term *piece(struct parts *p, bool escaped_ranges)
{
	text_list t = {0};
	put(&t, "[\\^$]|" BACKSLASH "[bB]");
	struct term *anchor = pattern(p, &t);
	put(&t, "\\.|" LITERAL "|" BACKSLASH "(?:" EITHER ")");
	struct term *one = pattern(p, &t);
	put(&t, "\\[\\^?-?");
	struct term *opens = pattern(p, &t);
	put_member(&t, escaped_ranges);
	struct term *members = repeat(p, pattern(p, &t), 0, TERM_UNBOUNDED);
	put(&t, "-?\\]");
	struct term *class = join(p, TERM_SEQ, opens, members, pattern(p, &t));
	put_quantifier(&t);
	struct term *quantifier = repeat(p, pattern(p, &t), 0, 1);
	vec_release(&t);
	return join(p, TERM_ALT, anchor, join(p, TERM_SEQ, join(p, TERM_ALT, one, class, NULL), quantifier, NULL), NULL);
}

static language of_term(struct parts *p, const struct term *x)
{
	const language l = language_of_term(p->s->languages, x, "regex", p->s->d);
	ASSERT(l != LANGUAGE_ERROR);
	arena_release(&p->arena);
	return l;
}

// ---- Some of them as one automaton ----
// Without groups they are a regular language. Each group that is open is a copy of its automaton: '(' leads from where
// a part may begin into a copy, ')' back behind a part. Copies of groups stand in each other, SCHEMA_MAX_NESTED_GROUPS;
// lookaround has copies of its own and stands outermost, so a copy's number says where its ')' leads.
#define DEPTH SCHEMA_MAX_NESTED_GROUPS
#define N_COPIES (1 + 2 * DEPTH)  // the outermost one, those of groups, those of lookaround
#define LOOK (1 + DEPTH)
static_assert(DEPTH > 1, "a group in another one");
struct nested {
	struct term_automaton flat;
	uint32_t behind;  // a state of it: a quantifier may follow
	VEC(struct language_edge) edges;
};
struct extra {
	uint8_t byte;
	uint32_t to;
};

static void add_extra(struct nested *x, uint32_t from, struct extra e)
{
	vec_push(&x->edges, ((struct language_edge){from, e.to, e.byte, e.byte}));
}

static uint32_t in_copy(const struct nested *x, uint32_t copy, uint32_t q) { return copy * x->flat.n_states + q; }

// Behind the '(' that leads to a copy, behind "(?", behind "(?<".
static uint32_t behind_open(const struct nested *x, uint32_t copy) { return in_copy(x, N_COPIES, copy); }
static uint32_t behind_sign(const struct nested *x, uint32_t copy) { return in_copy(x, N_COPIES, N_COPIES + copy); }
static uint32_t behind_less(const struct nested *x) { return in_copy(x, N_COPIES, 2 * N_COPIES); }

// Of a state of a copy, or (is_open) of the one before its first.
static void add_state(struct nested *x, uint32_t copy, uint32_t q, bool is_open)
{
	const struct term_automaton *a = &x->flat;
	const bool is_deepest = copy == DEPTH || copy + 1 == N_COPIES;
	const uint32_t from = is_open ? behind_open(x, copy) : in_copy(x, copy, q);
	struct extra extra[3];
	uint32_t n = 0, k = 0;
	if (term_automaton_accepts(a, q)) {
		if (!is_deepest) extra[n++] = (struct extra){'(', behind_open(x, copy + 1)};
		if (copy) {
			const uint32_t around = copy == LOOK || copy == 1 ? 0 : copy - 1;
			extra[n++] = (struct extra){')', in_copy(x, around, copy == LOOK ? 0 : x->behind)};
		}
	}
	if (is_open) extra[n++] = (struct extra){'?', behind_sign(x, copy)};
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		const uint8_t lo = (uint8_t)term_automaton_lo(a, e), hi = (uint8_t)term_automaton_hi(a, e);
		while (k < n && extra[k].byte < lo) add_extra(x, from, extra[k++]);
		vec_push(&x->edges, ((struct language_edge){from, in_copy(x, copy, term_automaton_to(a, e)), lo, hi}));
	}
	while (k < n) add_extra(x, from, extra[k++]);
}

static void add_signs(struct nested *x)
{
	const uint32_t look = in_copy(x, LOOK, 0);
	for (uint32_t copy = 0; copy < N_COPIES; copy++) {
		const uint32_t from = behind_sign(x, copy);
		if (copy == 1) add_extra(x, from, (struct extra){'!', look});
		add_extra(x, from, (struct extra){':', in_copy(x, copy, 0)});
		if (copy == 1) add_extra(x, from, (struct extra){'<', behind_less(x)});
		if (copy == 1) add_extra(x, from, (struct extra){'=', look});
	}
	add_extra(x, behind_less(x), (struct extra){'!', look});
	add_extra(x, behind_less(x), (struct extra){'=', look});
}

// The state behind this character, from the first one.
static uint32_t state_behind(const struct term_automaton *a, uint8_t c)
{
	uint32_t e = 0;
	while (term_automaton_lo(a, e) > c || term_automaton_hi(a, e) < c) e++;
	return term_automaton_to(a, e);
}

static language flat_regex(struct schema *s)
{
	struct parts p = {.s = s, .as = as_text};
	text_list bar = {0};
	put(&bar, "\\|");
	struct term *either = join(&p, TERM_ALT, pattern(&p, &bar), piece(&p, false), NULL);
	vec_release(&bar);
	return of_term(&p, repeat(&p, either, 0, TERM_UNBOUNDED));
}

language regex_syntax_nested(struct schema *s)
{
	if (s->nested_regex) return s->nested_regex;
	struct arena arena = {0};
	struct nested x = {
		.flat = term_automaton_read(language_term(s->languages, flat_regex(s), (struct loc){0}, &arena)->text)};
	const uint32_t n = behind_less(&x) + 1;
	bool *accept = arena_array(&arena, n, sizeof *accept);
	x.behind = state_behind(&x.flat, 'a');
	for (uint32_t i = 0; i < n; i++) accept[i] = i < x.flat.n_states && term_automaton_accepts(&x.flat, i);
	for (uint32_t copy = 0; copy < N_COPIES; copy++)
		for (uint32_t q = 0; q < x.flat.n_states; q++) add_state(&x, copy, q, false);
	for (uint32_t copy = 0; copy < N_COPIES; copy++) add_state(&x, copy, 0, true);
	add_signs(&x);
	s->nested_regex = language_of_automaton(s->languages, n, accept, x.edges.at, x.edges.n);
	vec_release(&x.edges), arena_release(&arena);
	return s->nested_regex;
}

// All but those that begin with a quantifier, and those that end within an escape.
language regex_syntax_upper(struct schema *s)
{
	static const char none[] = "[*+?][\\s\\S]*|(?:[^\\\\]|\\\\[\\s\\S])*\\\\";
	const language l = language_of_regex(
		s->languages, &(struct regex_text){none, sizeof none - 1, TERM_A, (struct loc){0}, "no regex"}, s->d);
	ASSERT(l != LANGUAGE_ERROR);
	return language_not(s->languages, l);
}

enum part { PART_PIECE, PART_OPEN, PART_LOOK, PART_CLOSE, PART_BAR, PART_QUANTIFIER, PART_QUOTE, PART_END, N_PARTS };

static symbol part_symbol(struct rules *r, enum part part)
{
	static const char *const names[] = {"part of a regex",       "\"(\"", "\"(?=\"",       "\")\"", "\"|\"",
	                                    "quantifier of a group", "regex", "end of a regex"};
	text_list t = {0};
	struct parts p = {.s = r->s, .as = as_json};
	switch (part) {
	case PART_PIECE:
		return rules_language_part(r, names[part], of_term(&p, repeat(&p, piece(&p, true), 1, TERM_UNBOUNDED)));
	case PART_OPEN: put(&t, "\\((?:\\?:)?"); break;
	case PART_LOOK: put(&t, "\\(\\?<?[=!]"); break;
	case PART_CLOSE: put(&t, "\\)"); break;
	case PART_BAR: put(&t, "\\|"); break;
	case PART_QUANTIFIER: put_quantifier(&t); break;
	default: put(&t, "\""); break;
	}
	text_list text = {0};
	put_as(&text, as_json, &t), vec_push(&text, 0);
	symbol x = rules_part(r, names[part], text.at, part != PART_END);
	vec_release(&t), vec_release(&text);
	return x;
}

static symbol nonterminal(struct rules *r) { return rules_nonterminal(r, "regex", (struct loc){0}); }

static void add(struct rules *r, symbol lhs, symbol a, symbol b, symbol c, symbol d)
{
	const symbol rhs[] = {a, b, c, d};
	uint32_t n = 0;
	while (n < 4 && rhs[n] != NO_SYMBOL) n++;
	rules_add(r, lhs, rhs, n);
}

symbol regex_syntax_symbol(struct rules *r, bool may_be_empty)
{
	if (!r->regex_text) {
		symbol p[N_PARTS], none = NO_SYMBOL;
		for (uint32_t i = 0; i < N_PARTS; i++) p[i] = part_symbol(r, i);
		symbol choices = nonterminal(r), sequence = nonterminal(r), items = nonterminal(r), item = nonterminal(r);
		symbol some = nonterminal(r);
		add(r, choices, sequence, none, none, none), add(r, choices, choices, p[PART_BAR], sequence, none);
		add(r, sequence, none, none, none, none), add(r, sequence, items, none, none, none);
		add(r, items, item, none, none, none), add(r, items, items, item, none, none);
		add(r, item, p[PART_PIECE], none, none, none);
		add(r, item, p[PART_OPEN], choices, p[PART_CLOSE], none);
		add(r, item, p[PART_OPEN], choices, p[PART_CLOSE], p[PART_QUANTIFIER]);
		add(r, item, p[PART_LOOK], choices, p[PART_CLOSE], none);
		add(r, some, items, none, none, none), add(r, some, choices, p[PART_BAR], sequence, none);
		r->regex_text = nonterminal(r), r->regex_some = nonterminal(r);
		add(r, r->regex_text, p[PART_QUOTE], choices, p[PART_END], none);
		add(r, r->regex_some, p[PART_QUOTE], some, p[PART_END], none);
	}
	return may_be_empty ? r->regex_text : r->regex_some;
}
