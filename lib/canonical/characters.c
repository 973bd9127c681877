// Code points in kinds.
//
// In:  an encoder, the items of its pre-tokenizer. Out: PAGE, CHAR, KIND, JOINT, and the items that each group matches.
// A character counts as what the normalizer makes of it. Pages of 128 code points, equal ones once. Characters that a
// normal form would change alone never stand in a canonical text; those that it would join with the one before get
// numbers, equal columns of the relation the same row. Cost: some 10 ms an item, 200 ms for a normal form.
#include "characters.h"

#include "../base/bitset.h"
#include "../base/intern.h"
#include "../base/map64.h"

#define CODE_POINTS 0x110000u

struct joints {
	uint16_t *left, *right;  // [CODE_POINTS]
};

static int by_left(const void *a, const void *b)
{
	const struct encoder_joint *x = a, *y = b;
	if (x->left != y->left) return x->left < y->left ? -1 : 1;
	return (x->right > y->right) - (x->right < y->right);
}

static void number_joints(struct encoder *e, struct canonical *out, struct joints *j)
{
	struct encoder_joint *pairs;
	uint32_t n, n_right = 1;
	encoder_joints(e, &pairs, &n);
	if (n) qsort(pairs, n, sizeof *pairs, by_left);
	for (uint32_t i = 0; i < n; i++)
		if (!j->right[pairs[i].right]) j->right[pairs[i].right] = (uint16_t)n_right++;
	uint32_t words = (n_right + 31) / 32;
	uint32_t *row = mem_calloc(words, 4);
	struct intern rows = {0};
	intern_add(&rows, row, words * 4ull, NULL);
	for (uint32_t i = 0, k; i < n; i = k) {
		memset(row, 0, words * 4ull);
		for (k = i; k < n && pairs[k].left == pairs[i].left; k++)
			row[j->right[pairs[k].right] / 32] |= 1u << j->right[pairs[k].right] % 32;
		j->left[pairs[i].left] = (uint16_t)intern_add(&rows, row, words * 4ull, NULL);
	}
	out->info.n_left = rows.entries.n, out->info.n_right_words = words;
	uint32_t *all = arena_array(&out->arena, (size_t)rows.entries.n * words, 4);
	for (uint32_t i = 0; i < rows.entries.n; i++)
		memcpy(all + (size_t)i * words, intern_get(&rows, i, NULL), words * 4ull);
	out->joints = all;
	intern_release(&rows);
	free(row), free(pairs);
}

static bool has_byte_tokens(const struct encoder_model *m, uint32_t c)
{
	uint8_t s[4];
	uint32_t n = 0;
	if (c < 0x80)
		s[n++] = (uint8_t)c;
	else if (c < 0x800)
		s[n++] = (uint8_t)(0xC0 | c >> 6);
	else if (c < 0x10000)
		s[n++] = (uint8_t)(0xE0 | c >> 12);
	else
		s[n++] = (uint8_t)(0xF0 | c >> 18);
	for (int shift = c < 0x80 ? -1 : c < 0x800 ? 0 : c < 0x10000 ? 6 : 12; shift >= 0; shift -= 6)
		s[n++] = (uint8_t)(0x80 | (c >> shift & 63));
	for (uint32_t i = 0; i < n; i++)
		if (m->byte_id[s[i]] == UINT32_MAX) return false;
	return true;
}

static bool is_kept(struct encoder *e, uint32_t c)
{
	char s[4] = {(char)c};
	uint32_t n = 1;
	if (c < 0x80) return true;
	if (c < 0x800)
		s[0] = (char)(0xC0 | c >> 6), s[1] = (char)(0x80 | (c & 63)), n = 2;
	else if (c < 0x10000)
		s[0] = (char)(0xE0 | c >> 12), s[1] = (char)(0x80 | (c >> 6 & 63)), s[2] = (char)(0x80 | (c & 63)), n = 3;
	else
		s[0] = (char)(0xF0 | c >> 18), s[1] = (char)(0x80 | (c >> 12 & 63)), s[2] = (char)(0x80 | (c >> 6 & 63)),
		s[3] = (char)(0x80 | (c & 63)), n = 4;
	return encoder_keeps(e, s, n);
}

static uint8_t flags_of(struct encoder *e, const struct encoder_model *m, uint32_t c, uint32_t read_as)
{
	if (m->has_form && !is_kept(e, c)) return CANON_KIND_NEVER;
	for (uint32_t i = 0; i < m->replaced.n; i++)
		if (m->replaced.at[i].right == c && m->replaced.at[i].left != c) return CANON_KIND_NEVER;
	if (m->byte_level || m->char_id[read_as]) return 0;
	return m->byte_fallback && has_byte_tokens(m, read_as) ? CANON_KIND_UNKNOWN : CANON_KIND_NEVER;
}

// Branches: each code point gets its kind and its page in one walk, and the tables that come of it are frozen one by
// one.
bool characters_build(struct encoder *e, const struct encoder_model *m, struct pattern_items *items, struct diag *d,
                      struct canonical *out, const uint64_t **group_items)
{
	for (uint32_t i = 0; i < items->n; i++) {
		items->at[i].members = mem_calloc(CODE_POINTS / 64, 8);
		if (!encoder_members(items->at[i].text, items->at[i].fold, items->at[i].members, d)) return false;
	}
	struct joints j = {mem_calloc(CODE_POINTS, 2), mem_calloc(CODE_POINTS, 2)};
	out->info.n_left = 1, out->info.n_right_words = 1;
	out->joints = arena_array(&out->arena, 1, 4);
	if (m->has_form) number_joints(e, out, &j);
	struct intern kinds = {0}, pages = {0}, groups = {0};
	uint16_t page[CANON_PAGE_SIZE], *page_of = arena_array(&out->arena, CANON_PAGES, 2);
	const struct artifact_canon_kind never = {.flags = CANON_KIND_NEVER};
	intern_add(&kinds, &never, sizeof never, NULL);
	for (uint32_t c = 0; c < CODE_POINTS; c++) {
		uint32_t read_as = c;
		uint64_t matched = 0;
		for (uint32_t i = 0; i < m->replaced.n; i++)
			if (m->replaced.at[i].left == c) read_as = m->replaced.at[i].right;
		for (uint32_t i = 0; i < items->n; i++) matched |= (uint64_t)bits_test(items->at[i].members, read_as) << i;
		struct artifact_canon_kind k = never;
		if (c < 0xD800 || c > 0xDFFF) {
			memset(&k, 0, sizeof k);
			k.group = (uint16_t)intern_add(&groups, &matched, sizeof matched, NULL);
			k.left = j.left[c], k.right = j.right[c];
			k.combining = m->has_form ? encoder_combining(c) : 0;
			k.flags = flags_of(e, m, c, read_as);
		}
		page[c % CANON_PAGE_SIZE] = (uint16_t)intern_add(&kinds, &k, sizeof k, NULL);
		if (c % CANON_PAGE_SIZE == CANON_PAGE_SIZE - 1)
			page_of[c / CANON_PAGE_SIZE] = (uint16_t)intern_add(&pages, page, sizeof page, NULL);
	}
	free(j.left), free(j.right);
	bool good = groups.entries.n <= CHARACTERS_MAX_GROUPS && kinds.entries.n < 65536;
	if (!good)
		diag_error(d, (struct loc){0},
		           "the pre-tokenizer tells more than %u groups of characters apart (CHARACTERS_MAX_GROUPS); "
		           "canonical tokenization cannot be modelled for this tokenizer",
		           CHARACTERS_MAX_GROUPS);
	uint64_t *of_group = arena_array(&out->arena, groups.entries.n, 8);
	for (uint32_t i = 0; i < groups.entries.n; i++) memcpy(&of_group[i], intern_get(&groups, i, NULL), 8);
	struct artifact_canon_kind *all_kinds = arena_array(&out->arena, kinds.entries.n, sizeof *all_kinds);
	for (uint32_t i = 0; i < kinds.entries.n; i++)
		memcpy(&all_kinds[i], intern_get(&kinds, i, NULL), sizeof *all_kinds);
	uint16_t *chars = arena_array(&out->arena, (size_t)pages.entries.n * CANON_PAGE_SIZE, 2);
	for (uint32_t i = 0; i < pages.entries.n; i++)
		memcpy(chars + (size_t)i * CANON_PAGE_SIZE, intern_get(&pages, i, NULL), sizeof page);
	out->info.n_groups = groups.entries.n, out->info.n_kinds = kinds.entries.n, out->info.n_pages = pages.entries.n;
	out->pages = page_of, out->chars = chars, out->kinds = all_kinds;
	*group_items = of_group;
	intern_release(&kinds), intern_release(&pages), intern_release(&groups);
	return good;
}
