// The encoder seen from outside: its merges, cuts, added tokens and characters, for those who reason about it.
//
// In:  an encoder. Out: struct encoder_model; sets of code points; pairs of characters that a normal form joins.
// Sets of code points are found by matching: one text of all code points, and the runs of it that an expression
// matches, so that they are what the encoder's own expressions match. Pairs that join are found by trying: every first
// character of a decomposition, and every composite, with every character that stands later in one. Cost: some 10 ms a
// set, 100 ms for the pairs.
#include "encoder.h"
#include "utf8.h"

#include <utf8proc.h>

#define HANGUL_L 0x1100u
#define HANGUL_V 0x1161u
#define HANGUL_T 0x11A8u
#define HANGUL_SYLLABLE 0xAC00u

void encoder_describe(const struct encoder *e, struct encoder_model *m)
{
	*m = (struct encoder_model){0};
	struct encoder_parts p = encoder_parts(e);
	normalizer_describe(p.normalizer, m);
	splitter_describe(p.splitter, m);
	bpe_describe(p.bpe, m);
	added_describe(p.added, m);
}

void encoder_model_release(struct encoder_model *m)
{
	vec_release(&m->merges), vec_release(&m->cuts), vec_release(&m->replaced), vec_release(&m->added);
	arena_release(&m->arena);
}

bool encoder_members(const char *item, bool fold, uint64_t *members, struct diag *d)
{
	static const struct source source = {.path = "<pre-tokenizer>", .text = "", .len = 0};
	memset(members, 0, 0x110000 / 64 * sizeof *members);
	text_buffer pattern = {0}, all = {0};
	const char *open = fold ? "(?:(?i:" : "(?:";
	text_put(&pattern, open, strlen(open)), text_put(&pattern, item, strlen(item));
	const char *close = fold ? "))+" : ")+";
	text_put(&pattern, close, strlen(close) + 1);
	struct hf_regex *r = hf_regex_compile(pattern.at, &source, d);
	vec_release(&pattern);
	if (!r) return false;
	vec_reserve(&all, (uint64_t)0x110000 * 4);
	for (uint32_t c = 0; c < 0x110000; c++)
		if (c < 0xD800 || c > 0xDFFF) all.n += utf8_put(c, all.at + all.n);
	uint32_t begin, end = 0, n;
	int found = 0;
	while (end < all.n && (found = hf_regex_next(r, all.at, all.n, end, &begin, &end)) > 0)
		for (uint32_t i = begin; i < end; i += n) {
			uint32_t c = utf8_get(all.at + i, end - i, &n);
			members[c / 64] |= (uint64_t)1 << c % 64;
		}
	bool good = end == all.n || found == 0;
	if (!good) diag_error(d, (struct loc){0}, "the regular expression \"%s\" failed: %s", item, hf_regex_problem(r));
	vec_release(&all);
	hf_regex_free(r);
	return good;
}

bool encoder_keeps(struct encoder *e, const char *text, size_t len)
{
	return normalizer_keeps(encoder_parts(e).normalizer, text, len);
}

static bool keeps_char(struct encoder *e, uint32_t c)
{
	char s[4];
	return encoder_keeps(e, s, utf8_put(c, s));
}

static bool joins(struct encoder *e, uint32_t a, uint32_t b)
{
	char s[8];
	uint32_t n = utf8_put(a, s);
	return !encoder_keeps(e, s, n + utf8_put(b, s + n));
}

enum { BEGINS_PAIR = 1, ENDS_PAIR = 2 };
typedef VEC(struct encoder_joint) joint_list;

// [0x110000] what characters may be in a pair that is composed.
static uint8_t *pair_roles(void)
{
	uint8_t *role = mem_calloc(0x110000, 1);
	utf8proc_int32_t parts[32];
	for (uint32_t c = 0xC0; c < 0x30000; c++) {
		bool is_syllable = c >= HANGUL_SYLLABLE && c < 0xD7A4, is_surrogate = c >= 0xD800 && c <= 0xDFFF;
		if (is_syllable || is_surrogate) continue;
		utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, parts, 32, UTF8PROC_DECOMPOSE, NULL);
		if (n < 2 && (n < 1 || (uint32_t)parts[0] == c)) continue;
		role[c] |= BEGINS_PAIR, role[parts[0]] |= BEGINS_PAIR;
		for (utf8proc_ssize_t i = 1; i < n && i < 32; i++) role[parts[i]] |= ENDS_PAIR;
	}
	return role;
}

static void add_joint(struct encoder *e, uint32_t a, uint32_t b, joint_list *out)
{
	if (joins(e, a, b)) vec_push(out, ((struct encoder_joint){a, b}));
}

// Hangul's syllables are composed by arithmetic, not by a table.
static void add_hangul(struct encoder *e, joint_list *out)
{
	for (uint32_t l = 0; l < 19; l++)
		for (uint32_t v = 0; v < 21; v++) {
			uint32_t syllable = HANGUL_SYLLABLE + (l * 21 + v) * 28;
			add_joint(e, HANGUL_L + l, HANGUL_V + v, out);
			if (!keeps_char(e, syllable)) continue;
			for (uint32_t t = 0; t < 27; t++) add_joint(e, syllable, HANGUL_T + t, out);
		}
}

void encoder_joints(struct encoder *e, struct encoder_joint **pairs, uint32_t *n_pairs)
{
	uint8_t *role = pair_roles();
	VEC(uint32_t) left = {0}, right = {0};
	joint_list out = {0};
	for (uint32_t c = 0; c < 0x30000; c++) {
		if (!role[c] || !keeps_char(e, c)) continue;
		if (role[c] & BEGINS_PAIR) vec_push(&left, c);
		if (role[c] & ENDS_PAIR) vec_push(&right, c);
	}
	for (uint32_t i = 0; i < left.n; i++)
		for (uint32_t k = 0; k < right.n; k++) add_joint(e, left.at[i], right.at[k], &out);
	add_hangul(e, &out);
	free(role);
	vec_release(&left), vec_release(&right);
	*pairs = out.at, *n_pairs = out.n;
}
