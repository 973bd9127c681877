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
// Cost: 2,000 states of the terminals' automata.
#include <stdio.h>

#include "rules.h"

typedef VEC(char) text_list;

// Characters of the regex as JSON has them: a backslash is two.
#define BACKSLASH "\\\\\\\\"
#define WIDE                                                                                                           \
	"\\\\u(?:00(?:7f|[89a-f][0-9a-f])|0[1-9a-f][0-9a-f]{2}|[1-9abcef][0-9a-f]{3}|d[0-7][0-9a-f]{2}|"                   \
	"d[89ab][0-9a-f]{2}\\\\ud[c-f][0-9a-f]{2})"
#define ESCAPED "\\\\[\"bfnrt]|\\\\u00(?:0[0-7bef]|1[0-9a-f])|" WIDE
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

static void put_class(text_list *out)
{
	put(out, "\\[\\^?-?(?:[^\"\\\\\\x00-\\x1f\\]\\-]|" ESCAPED "|" BACKSLASH "(?:" EITHER "|[b-])|");
	put_plain_ranges(out);
	put_escaped_ranges(out, BACKSLASH "x", "", 1);
	put_escaped_ranges(out, BACKSLASH "u", HEX "{2}", 2);
	put_escaped_ranges(out, BACKSLASH "u00", "", 1);
	put_escaped_ranges(out, BACKSLASH "u04", "", 0);
	put(out, ")*-?\\]");
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

enum part { PART_PIECE, PART_OPEN, PART_LOOK, PART_CLOSE, PART_BAR, PART_QUANTIFIER, PART_QUOTE, PART_END, N_PARTS };

static symbol part_symbol(struct rules *r, enum part part)
{
	static const char *const names[] = {"part of a regex",       "\"(\"", "\"(?=\"",       "\")\"", "\"|\"",
	                                    "quantifier of a group", "regex", "end of a regex"};
	text_list t = {0};
	switch (part) {
	case PART_PIECE:
		put(&t, "(?:[\\^$]|" BACKSLASH "[bB]|(?:\\.|" LITERAL "|" BACKSLASH "(?:" EITHER ")|");
		put_class(&t), put(&t, ")(?:"), put_quantifier(&t), put(&t, ")?)+");
		break;
	case PART_OPEN: put(&t, "\\((?:\\?:)?"); break;
	case PART_LOOK: put(&t, "\\(\\?<?[=!]"); break;
	case PART_CLOSE: put(&t, "\\)"); break;
	case PART_BAR: put(&t, "\\|"); break;
	case PART_QUANTIFIER: put_quantifier(&t); break;
	default: put(&t, "\""); break;
	}
	vec_push(&t, 0);
	symbol x = rules_part(r, names[part], t.at, part != PART_END);
	vec_release(&t);
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
