// PCRE2 as the judge of syntax.
//
// In:  a regex body in Python's spelling. Out: nothing, or PCRE2's complaint at its place in the body.
// Four spellings are Python's own and are rewritten before PCRE2 sees them; a list of (position in the
// rewritten text, position in the body) leads its offsets back: \uHHHH, \UHHHHHHHH -> \x{H..}; {,n} -> {0,n};
// the inline flag letters a and u, which PCRE2 10.42 does not know, go. Rewriting ignores context (a class, a
// comment): there, too, the results are valid exactly when the originals are.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "regex_internal.h"

struct rewrite_place {
	uint32_t to, from;  // from here on, offset in the rewritten text and in the body
};
struct rewrite {
	VEC(char) text;
	VEC(struct rewrite_place) places;
};

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static void put(struct rewrite *w, const char *s, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) vec_push(&w->text, s[i]);
}

static void resume(struct rewrite *w, uint32_t from)
{
	vec_push(&w->places, ((struct rewrite_place){w->text.n, from}));
}

// At s[i] == '\\': \u or \U with its digits? Returns the length of the whole escape.
static uint32_t long_escape(const char *s, uint32_t i, uint32_t len)
{
	uint32_t digits = i + 1 < len && s[i + 1] == 'u' ? 4 : i + 1 < len && s[i + 1] == 'U' ? 8 : 0;
	if (!digits || i + 2 + digits > len) return 0;
	for (uint32_t k = 0; k < digits; k++)
		if (!is_hex(s[i + 2 + k])) return 0;
	return 2 + digits;
}

// At "(?" + letters + ")" or ":": the number of bytes up to the closing sign, or 0.
static uint32_t inline_flags(const char *s, uint32_t i, uint32_t len)
{
	uint32_t j = i + 2;
	while (j < len && (s[j] == '-' || (s[j] >= 'a' && s[j] <= 'z'))) j++;
	return j < len && j > i + 2 && (s[j] == ')' || s[j] == ':') ? j - i : 0;
}

static bool needs_rewrite(const char *s, uint32_t len)
{
	for (uint32_t i = 0; i + 1 < len; i++) {
		if (s[i] == '\\' && (s[i + 1] == 'u' || s[i + 1] == 'U')) return true;
		if (s[i] == '{' && s[i + 1] == ',') return true;
		if (s[i] == '(' && s[i + 1] == '?' && inline_flags(s, i, len)) return true;
	}
	return false;
}

// Branches: one case for each construct that PCRE2 writes in another way than Python.
static void rewrite(struct rewrite *w, const char *s, uint32_t len)
{
	resume(w, 0);
	for (uint32_t i = 0, n; i < len; i++) {
		if (s[i] == '\\' && (n = long_escape(s, i, len))) {
			put(w, "\\x{", 3), put(w, s + i + 2, n - 2), put(w, "}", 1);
			i += n - 1;
			resume(w, i + 1);
		} else if (s[i] == '\\' && i + 1 < len) {
			put(w, s + i, 2), i++;
		} else if (s[i] == '{' && i + 1 < len && s[i + 1] == ',') {
			uint32_t j = i + 2;
			while (j < len && s[j] >= '0' && s[j] <= '9') j++;
			put(w, "{", 1);
			if (j < len && s[j] == '}') put(w, "0", 1), resume(w, i + 1);
		} else if (s[i] == '(' && i + 1 < len && s[i + 1] == '?' && (n = inline_flags(s, i, len))) {
			put(w, "(?", 2);
			for (uint32_t k = i + 2; k < i + n; k++)
				if (s[k] != 'a' && s[k] != 'u') put(w, s + k, 1);
			i += n - 1;
			resume(w, i + 1);
		} else {
			put(w, s + i, 1);
		}
	}
}

static uint32_t original(const struct rewrite *w, size_t offset)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < w->places.n && w->places.at[i].to <= offset; i++)
		at = w->places.at[i].from + ((uint32_t)offset - w->places.at[i].to);
	return at;
}

bool re_judge(struct re_ctx *c, const char *text, uint32_t len, uint32_t flags, struct loc text_loc)
{
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE |
	                   PCRE2_NO_DOTSTAR_ANCHOR | PCRE2_NEVER_BACKSLASH_C;
	if (flags & TERM_I) options |= PCRE2_CASELESS;
	if (flags & TERM_M) options |= PCRE2_MULTILINE;
	if (flags & TERM_S) options |= PCRE2_DOTALL;
	if (flags & TERM_X) options |= PCRE2_EXTENDED;
	struct rewrite w = {0};
	const char *judged = text ? text : "";
	size_t judged_len = len;
	bool rewritten = needs_rewrite(judged, len);
	if (rewritten) rewrite(&w, text, len), judged = w.text.at, judged_len = w.text.n;
	int code;
	size_t offset;
	pcre2_code *re = pcre2_compile((PCRE2_SPTR)judged, judged_len, options, &code, &offset, NULL);
	if (re) pcre2_code_free(re);
	// "Regular expression is too large" comes after the syntax was found good; our own limits decide then.
	bool ok = re || code == PCRE2_ERROR_PATTERN_TOO_LARGE;
	if (!ok) {
		char message[128];
		pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof message);
		uint32_t at = rewritten ? original(&w, offset) : (uint32_t)offset;
		if (at > len) at = len;
		re_error(c, (struct loc){text_loc.source, text_loc.offset + at, 0}, "bad regex: %s", message);
	}
	vec_release(&w.text);
	vec_release(&w.places);
	return ok;
}
