// `pattern`: ECMA 262's regular expressions (flag u) as languages.
//
// In:  the expression. Out: the language of the texts in which it is found, or an error that names what is not regular
// or not known. The expression is rewritten into the notation of lib/regex (docs/regex.md), which has lookarounds and
// anchors: classes become ECMA's (\d \w of ASCII, \s with its spaces, . without line ends), $ the end of the text,
// names of groups Python's, a lone bracket a literal (as engines without u take it). Texts before and behind are added
// unless the expression is anchored as a whole. Laziness makes no difference to "found".
#include "internal.h"

#include "../shared/hex.h"

typedef VEC(char) text_list;

static void put(text_list *out, const char *text)
{
	for (; *text; text++) vec_push(out, *text);
}

#define ECMA_SPACE "\\t\\n\\x0b\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
#define ECMA_WORD "A-Za-z0-9_"
#define GROUP_REFERENCE                                                                                                \
	"a reference to a group is not regular, unless the group has few texts and stands before it once"

struct ecma_reader {
	struct schema *s;
	const char *text;
	uint32_t at, len;
	text_list out;
	bool goes_on;     // any text may stand behind the expression
	const char *why;  // it is refused; NULL: it is not
};

static bool refuse(struct ecma_reader *r, const char *what)
{
	if (!r->why) r->why = what;
	return false;
}

static int peek(const struct ecma_reader *r, uint32_t ahead)
{
	return r->at + ahead < r->len ? (uint8_t)r->text[r->at + ahead] : -1;
}

static void put_code_point(struct ecma_reader *r, uint32_t cp)
{
	char text[16];
	snprintf(text, sizeof text, "\\U%08x", cp);
	put(&r->out, text);
}

// \uXXXX, \u{X}, a pair of them; at the u. False: no such thing stands here.
static bool read_unit(struct ecma_reader *r, uint32_t *cp)
{
	if (peek(r, 1) == '{') {
		uint32_t n = 2;
		while (hex_digit(peek(r, n)) >= 0 && n < 10) n++;
		if (n == 2 || peek(r, n) != '}') return false;
		*cp = (uint32_t)hex_number(r->text + r->at + 2, n - 2);
		r->at += n + 1;
		return *cp <= 0x10FFFF;
	}
	int64_t unit = r->at + 5 <= r->len ? hex_number(r->text + r->at + 1, 4) : -1;
	if (unit < 0) return false;
	*cp = (uint32_t)unit;
	r->at += 5;
	if (unit >= 0xD800 && unit < 0xDC00 && peek(r, 0) == '\\' && peek(r, 1) == 'u' && r->at + 6 <= r->len) {
		int64_t low = hex_number(r->text + r->at + 2, 4);
		if (low >= 0xDC00 && low < 0xE000)
			*cp = 0x10000 + ((*cp - 0xD800) << 10) + ((uint32_t)low - 0xDC00), r->at += 6;
	}
	return true;
}

// Long names of general categories, and the ones that PCRE2 knows.
static const char *const categories[][2] = {
	{"Cased_Letter", "LC"},
	{"Close_Punctuation", "Pe"},
	{"Combining_Mark", "M"},
	{"Connector_Punctuation", "Pc"},
	{"Control", "Cc"},
	{"Currency_Symbol", "Sc"},
	{"Dash_Punctuation", "Pd"},
	{"Decimal_Number", "Nd"},
	{"Enclosing_Mark", "Me"},
	{"Final_Punctuation", "Pf"},
	{"Format", "Cf"},
	{"Initial_Punctuation", "Pi"},
	{"Letter", "L"},
	{"Letter_Number", "Nl"},
	{"Line_Separator", "Zl"},
	{"Lowercase_Letter", "Ll"},
	{"Mark", "M"},
	{"Math_Symbol", "Sm"},
	{"Modifier_Letter", "Lm"},
	{"Modifier_Symbol", "Sk"},
	{"Nonspacing_Mark", "Mn"},
	{"Number", "N"},
	{"Open_Punctuation", "Ps"},
	{"Other", "C"},
	{"Other_Letter", "Lo"},
	{"Other_Number", "No"},
	{"Other_Punctuation", "Po"},
	{"Other_Symbol", "So"},
	{"Paragraph_Separator", "Zp"},
	{"Private_Use", "Co"},
	{"Punctuation", "P"},
	{"Separator", "Z"},
	{"Space_Separator", "Zs"},
	{"Spacing_Mark", "Mc"},
	{"Surrogate", "Cs"},
	{"Symbol", "S"},
	{"Titlecase_Letter", "Lt"},
	{"Unassigned", "Cn"},
	{"Uppercase_Letter", "Lu"},
	{"cntrl", "Cc"},
	{"digit", "Nd"},
	{"punct", "P"},
};

static bool is_key(const char *name, size_t len, const char *key)
{
	return strlen(key) == len && !memcmp(name, key, len);
}

// \p{L}, \p{Script=Greek}, \p{General_Category=Lu}: as PCRE2 writes them. At the p.
static bool read_property(struct ecma_reader *r)
{
	char name[64], kind = r->text[r->at];
	if (peek(r, 1) != '{') return refuse(r, "\\p needs a property in braces, as \\p{L}");
	uint32_t n = 2, m = 0;
	while (peek(r, n) >= 0 && peek(r, n) != '}' && m < sizeof name - 1) name[m++] = (char)peek(r, n++);
	name[m] = 0;
	if (peek(r, n) != '}') return refuse(r, "the name of a property does not end");
	const size_t key = strcspn(name, "=");
	const char *value = name[key] ? name + key + 1 : name;
	// PCRE2 takes a script's name alone for scripts and their extensions.
	const bool is_script = name[key] && (is_key(name, key, "Script") || is_key(name, key, "sc"));
	for (size_t i = 0; i < sizeof categories / sizeof *categories && !is_script; i++)
		if (strcmp(value, categories[i][0]) == 0) value = categories[i][1];
	char text[80];
	snprintf(text, sizeof text, "\\%c{%s%s}", kind, is_script ? "sc:" : "", value);
	put(&r->out, text);
	r->at += n + 1;
	return true;
}

// Behind a backslash, outside a class or inside one.
// Branches: one case for each letter that may follow a backslash in ECMA 262.
static bool read_escape(struct ecma_reader *r, bool in_class)
{
	int c = peek(r, 0);
	uint32_t cp;
	switch (c) {
	case -1: return refuse(r, "it ends in a backslash");
	case 'd': put(&r->out, in_class ? "0-9" : "[0-9]"), r->at++; return true;
	case 'w': put(&r->out, in_class ? ECMA_WORD : "[" ECMA_WORD "]"), r->at++; return true;
	case 's': put(&r->out, in_class ? ECMA_SPACE : "[" ECMA_SPACE "]"), r->at++; return true;
	case 'D': put(&r->out, in_class ? "\\x00-/:-\\U0010ffff" : "[^0-9]"), r->at++; return true;
	case 'W': put(&r->out, in_class ? "\\x00-/:-@\\[-\\^`{-\\U0010ffff" : "[^" ECMA_WORD "]"), r->at++; return true;
	case 'S':
		put(&r->out, in_class ? "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\u00a1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-"
		                        "\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff"
		                      : "[^" ECMA_SPACE "]"),
			r->at++;
		return true;
	case 'b': put(&r->out, in_class ? "\\x08" : "(?a:\\b)"), r->at++; return true;
	case 'B':
		if (in_class) break;
		put(&r->out, "(?a:\\B)"), r->at++;
		return true;
	case 'n':
	case 'r':
	case 't':
	case 'f': vec_push(&r->out, '\\'), vec_push(&r->out, (char)c), r->at++; return true;
	case 'v': put(&r->out, "\\x0b"), r->at++; return true;
	case '0':
		if (peek(r, 1) >= '0' && peek(r, 1) <= '9') return refuse(r, "octal escapes are not ECMA's; write \\xHH");
		put(&r->out, "\\x00"), r->at++;
		return true;
	case 'c':
		if (peek(r, 1) < 0) break;
		put_code_point(r, (uint32_t)peek(r, 1) & 31), r->at += 2;
		return true;
	case 'x':
		if (hex_digit(peek(r, 1)) < 0 || hex_digit(peek(r, 2)) < 0)
			return refuse(r, "\\x needs two hexadecimal digits");
		put_code_point(r, (uint32_t)hex_number(r->text + r->at + 1, 2)), r->at += 3;
		return true;
	case 'u':
		if (!read_unit(r, &cp)) return refuse(r, "\\u needs four hexadecimal digits, or some in braces");
		if (cp >= 0xD800 && cp < 0xE000) {
			// No text holds it. In a class it ends a range here, of which the last one before it is left.
			if (!in_class) return put(&r->out, "[^\\s\\S]"), true;
			put_code_point(r, 0xD7FF);
			return true;
		}
		put_code_point(r, cp);
		return true;
	case 'p':
	case 'P': return read_property(r);
	case 'k': return refuse(r, GROUP_REFERENCE);
	case 'A':
	case 'Z':
	case 'z':
	case 'G': return refuse(r, "ECMA has no \\A, \\Z, \\z or \\G: write ^ and $");
	default: break;
	}
	if (c >= '1' && c <= '9') {
		if (in_class) return refuse(r, "octal escapes are not ECMA's; write \\xHH");
		return refuse(r, GROUP_REFERENCE);
	}
	if (c < 0x80 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
		return refuse(r, "an escaped letter that ECMA 262 does not know");
	if (c < 0x80) vec_push(&r->out, '\\');
	vec_push(&r->out, (char)c), r->at++;
	return true;
}

// At a backslash in a class: a surrogate that is no half of a pair? Moves behind it then.
static bool skip_surrogate(struct ecma_reader *r)
{
	const uint32_t at = r->at;
	uint32_t cp = 0;
	r->at++;
	if (peek(r, 0) == 'u' && read_unit(r, &cp) && cp >= 0xD800 && cp < 0xE000) return true;
	r->at = at;
	return false;
}

// The same, where no range ends: no text holds it, nor any other of a range of such ones. A range from it on begins
// behind the last one.
static bool skip_surrogates(struct ecma_reader *r)
{
	if (!skip_surrogate(r)) return false;
	if (peek(r, 0) != '-' || peek(r, 1) == ']') return true;
	r->at++;
	if (peek(r, 0) == '\\' && skip_surrogate(r)) return true;
	r->at--;
	put_code_point(r, 0xE000);
	return true;
}

static void put_empty_class(struct ecma_reader *r, bool negated) { put(&r->out, negated ? "[\\s\\S]" : "[^\\s\\S]"); }

// Branches: what a class holds: sets, surrogates, a "-" that is literal, signs that another syntax reads otherwise.
static bool read_class(struct ecma_reader *r)
{
	r->at++;
	bool negated = peek(r, 0) == '^';
	r->at += negated;
	if (peek(r, 0) == ']') {
		put_empty_class(r, negated), r->at++;
		return true;
	}
	const uint32_t whole = (uint32_t)r->out.n;
	put(&r->out, negated ? "[^" : "[");
	const uint32_t begin = (uint32_t)r->out.n;
	bool after_set = false;  // a set was just read: a "-" behind it is literal
	while (peek(r, 0) != ']') {
		int c = peek(r, 0);
		if (c < 0) return refuse(r, "a class that [ opens does not end");
		if (c == '\\') {
			const bool ends_range = r->out.n > begin + 1 && r->out.at[r->out.n - 1] == '-';
			const size_t written = r->out.n;
			if (!ends_range && skip_surrogates(r)) {
				after_set = r->out.n == written;
				continue;
			}
			r->at++;
			after_set = peek(r, 0) > 0 && strchr("dwsDWSpP", peek(r, 0));
			if (!read_escape(r, true)) return false;
			continue;
		}
		r->at++;
		if (c == '-' && (after_set || (peek(r, 0) == '\\' && peek(r, 1) > 0 && strchr("dwsDWSpP", peek(r, 1))))) {
			put(&r->out, "\\-");
			after_set = false;
			continue;
		}
		after_set = false;
		if (strchr("[&~|#", c)) vec_push(&r->out, '\\');
		vec_push(&r->out, (char)c);
	}
	r->at++;
	if (r->out.n > begin) return vec_push(&r->out, ']'), true;
	r->out.n = whole;
	put_empty_class(r, negated);
	return true;
}

// At "(": what opens a group.
// Branches: one case for each kind of group.
static bool read_group(struct ecma_reader *r)
{
	if (peek(r, 1) != '?') {
		put(&r->out, "(?:"), r->at++;
		return true;
	}
	int c = peek(r, 2), d = peek(r, 3);
	if (c == ':' || c == '=' || c == '!') {
		put(&r->out, c == ':' ? "(?:" : c == '=' ? "(?=" : "(?!"), r->at += 3;
		return true;
	}
	if (c == 'i' && d == ':') {  // ECMA 2025
		put(&r->out, "(?i:"), r->at += 4;
		return true;
	}
	if (c == '<' && (d == '=' || d == '!')) {
		put(&r->out, d == '=' ? "(?<=" : "(?<!"), r->at += 4;
		return true;
	}
	if (c == '<' || (c == 'P' && d == '<')) {
		uint32_t n = 3;
		while (peek(r, n) >= 0 && peek(r, n) != '>') n++;
		if (peek(r, n) != '>') return refuse(r, "the name of a group does not end");
		put(&r->out, "(?:"), r->at += n + 1;
		return true;
	}
	return refuse(r, "this kind of group, (?, is not ECMA's");
}

// A quantifier {n}, {n,}, {n,m} stands here?
static bool is_repetition(const struct ecma_reader *r)
{
	uint32_t n = 1, digits = 0;
	while (peek(r, n) >= '0' && peek(r, n) <= '9') n++, digits++;
	if (!digits) return false;
	if (peek(r, n) == ',')
		for (n++; peek(r, n) >= '0' && peek(r, n) <= '9';) n++;
	return peek(r, n) == '}';
}

// At the brace of one. At the expression's end, where any text may follow, {n,m} finds what {n} finds.
static void read_repetition(struct ecma_reader *r)
{
	char *comma;
	const unsigned long long least = strtoull(r->text + r->at + 1, &comma, 10);
	const unsigned long long most = *comma == ',' ? strtoull(comma + 1, NULL, 10) : 0;
	const uint32_t end = (uint32_t)r->out.n + (uint32_t)(comma - (r->text + r->at));
	while (peek(r, 0) != '}') vec_push(&r->out, (char)peek(r, 0)), r->at++;
	r->at++;
	if (peek(r, 0) == '?') r->at++;  // lazy
	if (r->at == r->len && r->goes_on && least <= most) r->out.n = end;
	vec_push(&r->out, '}');
}

// Branches: one case for each sign of ECMA's regexes.
static bool rewrite(struct ecma_reader *r)
{
	uint32_t open = 0;
	while (r->at < r->len && !r->why) {
		int c = peek(r, 0);
		switch (c) {
		case '\\':
			r->at++;
			if (!read_escape(r, false)) return false;
			break;
		case '[':
			if (!read_class(r)) return false;
			break;
		case '(':
			open++;
			if (!read_group(r)) return false;
			break;
		case ')':
			if (!open--) return refuse(r, "a parenthesis closes that was not opened");
			vec_push(&r->out, ')'), r->at++;
			break;
		case '.': put(&r->out, "[^\\n\\r\\u2028\\u2029]"), r->at++; break;
		case '^': put(&r->out, "\\A"), r->at++; break;
		case '$': put(&r->out, "\\Z"), r->at++; break;
		case '{':
			if (!is_repetition(r)) {
				put(&r->out, "\\{"), r->at++;
				break;
			}
			read_repetition(r);
			break;
		case '}': put(&r->out, "\\}"), r->at++; break;
		case ']': put(&r->out, "\\]"), r->at++; break;
		case '*':
		case '+':
		case '?':
			vec_push(&r->out, (char)c), r->at++;
			if (peek(r, 0) == '?') r->at++;
			if (peek(r, 0) == '+') return refuse(r, "possessive quantifiers are not ECMA's");
			break;
		case '#':
		case ' ': vec_push(&r->out, '\\'), vec_push(&r->out, (char)c), r->at++; break;
		default: vec_push(&r->out, (char)c), r->at++;
		}
	}
	if (open) refuse(r, "a parenthesis that is opened does not close");
	return !r->why;
}

// Has it alternatives outside parentheses?
static bool has_alternatives(const char *text, uint32_t len)
{
	uint32_t open = 0;
	bool in_class = false;
	for (uint32_t i = 0; i < len; i++) {
		if (text[i] == '\\')
			i++;
		else if (in_class)
			in_class = text[i] != ']';
		else if (text[i] == '[')
			in_class = true;
		else if (text[i] == '(' || text[i] == ')')
			open += text[i] == '(' ? 1 : -1u;
		else if (text[i] == '|' && !open)
			return true;
	}
	return false;
}

// Branches: an anchor at either end is taken off where no alternatives share it, and messages are told without the
// regex's name.
static language language_of_pattern(struct schema *s, const char *text, uint32_t len, const char **why)
{
	struct ecma_reader r = {.s = s, .text = text, .len = len};
	bool alone = !has_alternatives(text, len), ends = false;
	if (len >= 4 && memcmp(text, "(?i)", 4) == 0) put(&r.out, "(?i)"), r.at = 4;  // Python's and Java's
	bool begins = alone && peek(&r, 0) == '^';
	if (alone && len && text[len - 1] == '$') {
		uint32_t slashes = 0;
		while (slashes + 1 < len && text[len - 2 - slashes] == '\\') slashes++;
		ends = slashes % 2 == 0;
	}
	if (begins) r.at++;
	if (ends && r.len > r.at) r.len--;
	r.goes_on = !ends;
	put(&r.out, begins ? "(?:" : "[\\s\\S]*(?:");
	language l = LANGUAGE_ERROR;
	if (rewrite(&r)) {
		put(&r.out, ends ? ")" : ")[\\s\\S]*");
		struct diag inner = {0};
		vec_push(&r.out, 0);
		struct source *source = arena_alloc(diag_arena(&inner), sizeof *source);
		*source = (struct source){"pattern", r.out.at, r.out.n - 1};
		l = language_of_regex(
			s->languages,
			&(struct regex_text){r.out.at, r.out.n - 1, 0, (struct loc){source, 0, r.out.n - 1}, "pattern"}, &inner);
		if (l == LANGUAGE_ERROR) {
			const char *told = inner.messages.n ? inner.messages.at[0].text : "not understood";
			r.why = strncmp(told, "terminal pattern: ", 18) == 0 ? told + 18 : told;
			r.why = arena_strndup(s->arena, r.why, strlen(r.why));
		}
		diag_release(&inner);
	}
	vec_release(&r.out);
	if (l == LANGUAGE_ERROR) *why = r.why;
	return l;
}

static bool has_references(const char *text, uint32_t len)
{
	bool any = false;
	for (uint32_t i = 0; i + 1 < len && !any; i++) {
		if (text[i] != '\\') continue;
		i++;
		any = (text[i] >= '1' && text[i] <= '9') || text[i] == 'k';
	}
	return any;
}

language pattern_language(struct schema *s, const char *text, uint32_t len, const char **why)
{
	const char *plain = has_references(text, len) ? pattern_without_references(s, text, len) : NULL;
	const language l =
		plain ? language_of_pattern(s, plain, (uint32_t)strlen(plain), why) : language_of_pattern(s, text, len, why);
	if (l == LANGUAGE_ERROR) *why = arena_printf(s->arena, "pattern \"%s\": %s", text, *why);
	return l;
}
