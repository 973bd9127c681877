// Unicode's classes and case pairs, as PCRE2 knows them.
//
// In:  the body of a class such as \p{Lu}. Out: all code points that match it, as sorted ranges.
// PCRE2 gives no table, so it is asked: all code points are written as UTF-8, 2,048 at a time, and the runs
// that [body]++ matches are read off. That costs about 7 ms a class (with PCRE2's JIT, 40 ms without), so
// answers are kept in a cache, and patterns that need no Unicode class never ask.
// Simple case folding works the same way over the 2,900 code points that have another case; ASCII sets need
// only the two pairs that reach out of ASCII: k with U+212A and s with U+017F.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "regex_internal.h"

struct answer {
	char *body;
	struct cp_set set;
};

struct regex_cache {
	struct arena arena;
	VEC(struct answer) answers;
};

struct regex_cache *regex_cache_new(void) { return mem_calloc(1, sizeof(struct regex_cache)); }

void regex_cache_free(struct regex_cache *k)
{
	if (!k) return;
	vec_release(&k->answers);
	arena_release(&k->arena);
	free(k);
}

#define BLOCK 2048u
#define FOLD_RANGES 64u

static void release_code(void *code) { pcre2_code_free(code); }
static void release_match(void *match) { pcre2_match_data_free(match); }

// The members of `among` that [body] matches.
static bool ask(const char *body, bool caseless, struct cp_set among, cp_ranges *out, char error[128])
{
	size_t len = strlen(body);
	char *pattern = mem_alloc(len + 5);
	snprintf(pattern, len + 5, "[%s]++", body);
	int code;
	size_t offset;
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_START_OPTIMIZE | (caseless ? PCRE2_CASELESS : 0);
	pcre2_code *re = pcre2_compile((PCRE2_SPTR)pattern, len + 4, options, &code, &offset, NULL);
	free(pattern);
	if (!re) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)error, 128);
		return false;
	}
	// Without JIT it is only slower. A few dozen code points are not worth a JIT compilation.
	if (among.n && among.at[among.n - 1].hi > 0xFFFF) pcre2_jit_compile(re, PCRE2_JIT_COMPLETE);
	struct work_cleanup free_code, free_match;
	work_cleanup(&free_code, release_code, re);
	pcre2_match_data *m = pcre2_match_data_create(1, NULL);
	if (!m) work_out_of_memory(0);
	work_cleanup(&free_match, release_match, m);
	uint8_t *subject = mem_alloc(BLOCK * 4);
	for (uint32_t r = 0; r < among.n; r++) {
		for (uint32_t lo = among.at[r].lo; lo <= among.at[r].hi; lo += BLOCK) {
			uint32_t hi = among.at[r].hi - lo < BLOCK ? among.at[r].hi : lo + BLOCK - 1;
			size_t n = 0, at = 0;
			for (uint32_t cp = lo; cp <= hi; cp++) n += utf8_encode(cp, subject + n);
			uint32_t cp = lo;  // the code point at `at`
			while (at < n && pcre2_match(re, subject, n, at, PCRE2_NO_UTF_CHECK, m, NULL) > 0) {
				const size_t *v = pcre2_get_ovector_pointer(m);
				for (; at < v[0]; at++) cp += (subject[at] & 0xC0) != 0x80;
				uint32_t first = cp;
				for (; at < v[1]; at++) cp += (subject[at] & 0xC0) != 0x80;
				cp_add(out, first, cp - 1);
			}
		}
	}
	work_cleanup_end(&free_match);
	work_cleanup_end(&free_code);
	free(subject);
	pcre2_match_data_free(m);
	pcre2_code_free(re);
	return true;
}

bool unicode_class(struct regex_cache *k, const char *body, struct cp_set *out, char error[128])
{
	for (uint32_t i = 0; i < k->answers.n; i++)
		if (!strcmp(k->answers.at[i].body, body)) return *out = k->answers.at[i].set, true;
	struct cp_range scalars[] = {{0, 0xD7FF}, {0xE000, MAX_CODE_POINT}};
	cp_ranges r = {0};
	bool ok = ask(body, false, (struct cp_set){scalars, 2}, &r, error);
	if (ok) {
		*out = cp_finish(&k->arena, &r);
		char *copy = arena_strndup(&k->arena, body, strlen(body));
		vec_push(&k->answers, ((struct answer){copy, *out}));
	}
	vec_release(&r);
	return ok;
}

static void add_other_case(cp_ranges *r, uint32_t lo, uint32_t hi, uint32_t from, uint32_t to, int32_t shift)
{
	if (lo < from) lo = from;
	if (hi > to) hi = to;
	if (lo <= hi) cp_add(r, (uint32_t)((int32_t)lo + shift), (uint32_t)((int32_t)hi + shift));
}

// All of s, and the other case of its ASCII letters.
static void fold_ascii(struct cp_set s, cp_ranges *r, bool ascii_only)
{
	for (uint32_t i = 0; i < s.n; i++) {
		uint32_t lo = s.at[i].lo, hi = s.at[i].hi;
		cp_add(r, lo, hi);
		add_other_case(r, lo, hi, 'A', 'Z', 32);
		add_other_case(r, lo, hi, 'a', 'z', -32);
		if (ascii_only) continue;
		if ((lo <= 'k' && hi >= 'k') || (lo <= 'K' && hi >= 'K')) cp_add(r, 0x212A, 0x212A);
		if ((lo <= 's' && hi >= 's') || (lo <= 'S' && hi >= 'S')) cp_add(r, 0x17F, 0x17F);
	}
}

struct cp_set unicode_fold(struct regex_cache *k, struct arena *a, struct cp_set s, bool ascii_only)
{
	cp_ranges r = {0};
	fold_ascii(s, &r, ascii_only);
	bool all_ascii = !s.n || s.at[s.n - 1].hi < 0x80;
	bool everything = s.n && s.at[0].lo <= 0x41 && s.at[s.n - 1].hi == MAX_CODE_POINT && s.n == 2;
	struct cp_set cased;
	char error[128];
	if (!ascii_only && !all_ascii && !everything && unicode_class(k, "\\p{CWCM}\\p{CWCF}", &cased, error)) {
		// A few ranges at a time: PCRE2 limits the size of one class.
		char body[FOLD_RANGES * 24 + 1];
		for (uint32_t i = 0; i < s.n;) {
			size_t len = 0;
			for (uint32_t end = i + FOLD_RANGES; i < s.n && i < end; i++)
				len += (size_t)snprintf(body + len, sizeof body - len, "\\x{%X}-\\x{%X}", s.at[i].lo, s.at[i].hi);
			bool ok = ask(body, true, cased, &r, error);
			ASSERT(ok);
		}
	}
	struct cp_set out = cp_finish(a, &r);
	vec_release(&r);
	return out;
}
