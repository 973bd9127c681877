// Regular expressions of tokenizer.json by PCRE2.
//
// In:  a pattern in Oniguruma's syntax (what HuggingFace's tokenizers uses). Out: matches, the same ones.
// The two engines agree on what tokenizers use, after a translation: properties get the characters that PCRE2's
// Unicode tables may lack (unicode_16.h), \s loses U+180E, scripts are asked for by script, not script extension.
// What is not known to agree is refused with the place: nested classes, class intersections, anchors, \w, \b,
// back references, inline flags. Matching is PCRE2's JIT; cost about 100 ns a match.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "encoder.h"
#include "unicode_16.h"

#define REGEX_MAX_PATTERN 65536u
#define REGEX_MATCH_LIMIT ((uint32_t)1 << 26)  // PCRE2's count of backtracking steps
#define REGEX_JIT_STACK ((size_t)16 << 20)     // bytes

struct hf_regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	bool jit;
	char problem[160];
};

struct translation {
	const char *p, *begin;
	text_buffer out;
	const char *problem;
	bool in_class;
};

static void put(struct translation *t, const char *s) { text_put(&t->out, s, strlen(s)); }

static bool fail(struct translation *t, const char *why)
{
	t->problem = why;
	return false;
}

// A set given as the inside of a class, where the pattern has one item.
static void put_set(struct translation *t, bool negated, const char *a, const char *b)
{
	if (!t->in_class) put(t, negated ? "[^" : "[");
	put(t, a), put(t, b);
	if (!t->in_class) put(t, "]");
}

static bool put_property(struct translation *t, bool negated, const char *name, size_t len)
{
	if (len && *name == '^') negated = !negated, name++, len--;
	if (negated && t->in_class) return fail(t, "a negated property inside a class");
	for (size_t i = 0; i < sizeof unicode_property / sizeof *unicode_property; i++) {
		if (strlen(unicode_property[i].property) != len || memcmp(unicode_property[i].property, name, len)) continue;
		put_set(t, negated, unicode_property[i].pcre, unicode_property[i].more);
		return true;
	}
	return fail(t, "a property other than L Lu Ll Lt Lm Lo M N Nd P S Han");
}

// \p{name} and \P{name}; t->p at the backslash.
static bool put_named_property(struct translation *t)
{
	bool negated = t->p[1] == 'P';
	const char *name = t->p + 3, *end = t->p[2] == '{' ? strchr(name, '}') : NULL;
	if (!end) return fail(t, "\\p without {name}");
	t->p = end + 1;
	return put_property(t, negated, name, (size_t)(end - name));
}

// How many hexadecimal digits of `digits` are the number of \xHH, \uHHHH or \x{hex}; 0: it is none of them.
static size_t hex_length(char c, const char *digits, bool braced)
{
	size_t len = strspn(digits, "0123456789abcdefABCDEF");
	if (c == 'u') return len >= 4 ? 4 : 0;
	if (braced) return len <= 6 && digits[len] == '}' ? len : 0;
	return len >= 2 && *digits <= '7' ? 2 : 0;
}

// t->p behind the c.
static bool put_number(struct translation *t, char c)
{
	bool braced = c == 'x' && *t->p == '{';
	const char *digits = t->p + braced;
	size_t len = hex_length(c, digits, braced);
	if (!len) return fail(t, "a \\x or \\u that is not \\x{hex}, \\xHH (below 80) or \\uHHHH");
	put(t, "\\x{"), text_put(&t->out, digits, len), put(t, "}");
	t->p = digits + len + braced;
	return true;
}

// Means the same in both notations?
static bool is_plain_escape(char c)
{
	bool is_letter = (c | 32) >= 'a' && (c | 32) <= 'z';
	if (is_letter) return strchr("rntfae", c);
	return c == ' ' || (c > ' ' && c < 127 && !(c >= '0' && c <= '9'));
}

static bool put_escape(struct translation *t)
{
	char c = t->p[1];
	if (c == 'p' || c == 'P') return put_named_property(t);
	if (!c) return fail(t, "a backslash with nothing behind it");
	t->p += 2;
	switch (c) {
	case 's': put_set(t, false, UNICODE_SPACE, ""); return true;
	case 'S': put_set(t, false, UNICODE_NO_SPACE, ""); return true;
	case 'd':
	case 'D': return put_property(t, c == 'D', "Nd", 2);
	case 'v': put(t, "\\x0B"); return true;
	case 'u':
	case 'x': return put_number(t, c);
	default: break;
	}
	if (is_plain_escape(c)) return text_put(&t->out, t->p - 2, 2), true;
	return fail(t, "an escape other than \\p{…} \\s \\S \\d \\D \\r \\n \\t \\f \\v \\x \\u and escaped punctuation");
}

static bool put_in_class(struct translation *t)
{
	if (*t->p == '[') return fail(t, "a class inside a class");
	if (t->p[0] == '&' && t->p[1] == '&') return fail(t, "an intersection of classes");
	if (*t->p == ']') t->in_class = false;
	text_put(&t->out, t->p++, 1);
	return true;
}

// Branches: one case for each sign of a tokenizer's regex that PCRE2 reads in another way, or that is refused.
static bool put_outside(struct translation *t)
{
	const char *p = t->p;
	if (*p == '[') {
		t->in_class = true;
		t->p += p[1] == '^' ? 2 : 1;
		if (*t->p == ']') return fail(t, "a class that begins with ]");
	} else if (*p == '^' || *p == '$') {
		return fail(t, "an anchor");
	} else if (*p == '(' && p[1] == '*') {
		return fail(t, "a verb");
	} else if (*p == '(' && p[1] == '?') {
		static const char *const groups[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"};
		for (size_t i = 0; i < sizeof groups / sizeof *groups && t->p == p; i++)
			if (!strncmp(p, groups[i], strlen(groups[i]))) t->p += strlen(groups[i]);
		if (t->p == p) return fail(t, "a group other than (…) (?:…) (?=…) (?!…) (?<=…) (?<!…) (?>…) (?i:…)");
	} else if (*p == '{' && !(p[1] >= '0' && p[1] <= '9')) {
		return fail(t, "a { that is not a repetition; write \\{");
	} else if (*p == '}' && p[1] == '+') {
		return fail(t, "a possessive {…}+");
	} else {
		t->p++;
	}
	text_put(&t->out, p, (size_t)(t->p - p));
	return true;
}

static bool translate(struct translation *t)
{
	while (*t->p)
		if (!(*t->p == '\\' ? put_escape(t) : t->in_class ? put_in_class(t) : put_outside(t))) return false;
	return true;
}

// PCRE2's memory is the work's: freed with it when it is given up.
static void *take(PCRE2_SIZE size, void *unused)
{
	(void)unused;
	return mem_alloc(size);
}

static void give(void *block, void *unused)
{
	(void)unused;
	free(block);
}

struct hf_regex *hf_regex_compile(const char *pattern, const struct source *source, struct diag *d)
{
	struct translation t = {.p = pattern, .begin = pattern};
	int error = 0;
	PCRE2_SIZE at = 0;
	if (strlen(pattern) > REGEX_MAX_PATTERN) {
		diag_error(d, hf_place(source, "Regex"), "a regular expression is longer than %u bytes (REGEX_MAX_PATTERN)",
		           REGEX_MAX_PATTERN);
		return NULL;
	}
	if (!translate(&t)) {
		diag_error(d, hf_place(source, "Regex"),
		           "the regular expression uses %s, which is not supported (at \"%.40s\")", t.problem, t.p);
		vec_release(&t.out);
		return NULL;
	}
	pcre2_general_context *memory = pcre2_general_context_create(take, give, NULL);
	pcre2_compile_context *c = pcre2_compile_context_create(memory);
	ASSERT(c);
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)(t.out.at ? t.out.at : ""), t.out.n, PCRE2_UTF | PCRE2_UCP, &error, &at, c);
	pcre2_compile_context_free(c);
	vec_release(&t.out);
	if (!code) {
		char why[128] = "";
		pcre2_get_error_message(error, (PCRE2_UCHAR *)why, sizeof why);
		diag_error(d, hf_place(source, "Regex"), "the regular expression \"%.80s\" is wrong: %s", pattern, why);
		pcre2_general_context_free(memory);
		return NULL;
	}
	struct hf_regex *r = mem_calloc(1, sizeof *r);
	r->code = code;
	r->match = pcre2_match_data_create(1, memory);
	r->context = pcre2_match_context_create(memory);
	ASSERT(r->match && r->context);
	pcre2_set_match_limit(r->context, REGEX_MATCH_LIMIT);
	r->jit = !pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	if (r->jit && (r->stack = pcre2_jit_stack_create(64 << 10, REGEX_JIT_STACK, memory)))
		pcre2_jit_stack_assign(r->context, NULL, r->stack);
	pcre2_general_context_free(memory);
	return r;
}

int hf_regex_next(struct hf_regex *r, const char *text, uint32_t len, uint32_t from, uint32_t *begin, uint32_t *end)
{
	int n = r->jit ? pcre2_jit_match(r->code, (PCRE2_SPTR)text, len, from, 0, r->match, r->context)
	               : pcre2_match(r->code, (PCRE2_SPTR)text, len, from, PCRE2_NO_UTF_CHECK, r->match, r->context);
	if (n == PCRE2_ERROR_NOMATCH) return 0;
	if (n < 0) {
		pcre2_get_error_message(n, (PCRE2_UCHAR *)r->problem, sizeof r->problem);
		return -1;
	}
	const PCRE2_SIZE *o = pcre2_get_ovector_pointer(r->match);
	*begin = (uint32_t)o[0], *end = (uint32_t)o[1];
	return 1;
}

const char *hf_regex_problem(const struct hf_regex *r) { return r->problem; }

void hf_regex_free(struct hf_regex *r)
{
	if (!r) return;
	pcre2_code_free(r->code);
	pcre2_match_data_free(r->match);
	pcre2_match_context_free(r->context);
	pcre2_jit_stack_free(r->stack);
	free(r);
}
