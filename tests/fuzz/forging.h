// Files of sections to forge: taken apart, changed, put together again with checksums that are right.
//
// A *good* is a valid file, artifact or compiled vocabulary, as its sections. A forgery of it is made in a buffer that
// ends where the file ends. All choices come from one number, so that an input always makes the same file.
#ifndef GCDC_TESTS_FORGING_H
#define GCDC_TESTS_FORGING_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "../../formats/vocab_file.h"
#include "../../lib/base/mem.h"
#include "../../lib/shared/section_codec.h"

#define FORGING __attribute__((unused)) static
#define FORGED_SECTIONS ARTIFACT_MAX_SECTIONS
#define FORGED_EDITS 4u

struct good_section {
	uint32_t id, codec;
	uint8_t *bytes;  // decoded
	uint64_t size;
	uint8_t *stored;  // as the file has them
	uint64_t n_stored;
};

struct good {
	uint8_t header[sizeof(struct artifact_header)];
	uint32_t header_size, check_at;  // of the header; where the table's checksum stands in it
	uint32_t n;
	struct good_section at[FORGED_SECTIONS];
};

// ---- Numbers: splitmix64.
struct choices {
	uint64_t state;
};
FORGING uint64_t choose_any(struct choices *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
FORGING uint64_t choose(struct choices *c, uint64_t n) { return n ? choose_any(c) % n : 0; }

// ---- Codecs, as lib/writer has them.
// Changed sections of the codecs of rows, steps and lists are written as plain frames.
FORGING bool forging_as_frame(uint32_t codec) { return codec >= ARTIFACT_ZSTD_ROWS; }

FORGING void forging_decode_table(const uint8_t *stored, const struct artifact_section *s,
                                  const struct section_places *places, uint8_t *bytes)
{
	bool lists = s->codec == ARTIFACT_ZSTD_LISTS, near = s->codec == ARTIFACT_ZSTD_NEAR, ok = true;
	const bool steps = s->codec == ARTIFACT_ZSTD_STEPS;
	uint64_t head = lists || near || steps ? 8 : 4, size = ZSTD_getFrameContentSize(stored + head, s->stored - head);
	uint32_t width = 1, parts = 0, *words = mem_alloc(s->size + 4);
	uint8_t *raw = mem_alloc(size + 1);
	memcpy(&width, stored, 4);
	memcpy(&parts, stored + 4, steps ? 4 : 0);
	size_t n = ZSTD_decompress(raw, size, stored + head, s->stored - head);
	ASSERT(n == size);
	if (lists)
		ok = section_join_lists(words, s->size / 4, places, raw, size);
	else if (near)  // seeds have few tokens, and so no standard rows
		ok = section_join_bitmaps(words, s->size / 4, &(struct section_rows){.words = width, .places = *places}, raw,
		                          size);
	else if (steps)
		section_join_steps(words, raw, s->size / 4, width, parts);
	else
		ok = section_join_rows(words, s->size / 4, width, raw, size);
	ASSERT(ok);
	memcpy(bytes, words, s->size);
	free(words);
	free(raw);
}

FORGING bool forging_in_planes(uint32_t codec) { return codec == ARTIFACT_ZSTD_DELTA || codec == ARTIFACT_ZSTD_PLANES; }

FORGING void forging_split(const uint8_t *bytes, uint64_t size, bool delta, uint8_t *planes)
{
	uint64_t n = size / 4;
	uint32_t before = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t x, w;
		memcpy(&w, bytes + 4 * i, 4);
		x = w - before;
		if (delta) before = w;
		for (uint32_t k = 0; k < 4; k++) planes[k * n + i] = (uint8_t)(x >> 8 * k);
	}
}

FORGING void forging_join(const uint8_t *planes, uint64_t size, bool delta, uint8_t *bytes)
{
	uint64_t n = size / 4;
	uint32_t before = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t x = 0;
		for (uint32_t k = 0; k < 4; k++) x |= (uint32_t)planes[k * n + i] << 8 * k;
		if (delta) x += before, before = x;
		memcpy(bytes + 4 * i, &x, 4);
	}
}

// The decoded bytes of a stored section.
FORGING uint8_t *forging_decode(const uint8_t *stored, const struct artifact_section *s,
                                const struct section_places *places)
{
	uint8_t *bytes = mem_alloc(s->size + 1), *planes = mem_alloc(s->size + 1);
	if (s->codec == ARTIFACT_RAW) {
		if (s->size) memcpy(bytes, stored, s->size);
	} else if (forging_as_frame(s->codec)) {
		forging_decode_table(stored, s, places, bytes);
	} else {
		bool in_planes = forging_in_planes(s->codec);
		size_t n = ZSTD_decompress(in_planes ? planes : bytes, s->size, stored, s->stored);
		ASSERT(n == s->size);
		if (in_planes) forging_join(planes, s->size, s->codec == ARTIFACT_ZSTD_DELTA, bytes);
	}
	free(planes);
	return bytes;
}

// Appends the section's bytes in its codec to `out`, which has room; how many.
FORGING uint64_t forging_encode(ZSTD_CCtx *zstd, const struct good_section *s, uint8_t *out, uint64_t room)
{
	if (s->codec == ARTIFACT_RAW) {
		if (s->size) memcpy(out, s->bytes, s->size);
		return s->size;
	}
	uint8_t *planes = NULL;
	const uint8_t *from = s->bytes;
	if (forging_in_planes(s->codec)) {
		from = planes = mem_alloc(s->size + 1);
		forging_split(s->bytes, s->size, s->codec == ARTIFACT_ZSTD_DELTA, planes);
	}
	size_t n = ZSTD_compressCCtx(zstd, out, room, from, s->size, 1);
	ASSERT(!ZSTD_isError(n));
	free(planes);
	return n;
}

// ---- A file taken apart.
// places: those of an artifact without tokens; NULL: a vocabulary.
FORGING void good_take(const uint8_t *bytes, size_t len, const struct section_places *places, struct good *g)
{
	const bool is_vocab = !places;
	uint32_t size = is_vocab ? sizeof(struct vocab_file_header) : sizeof(struct artifact_header);
	*g = (struct good){.header_size = size,
	                   .check_at = is_vocab ? offsetof(struct vocab_file_header, table_check)
	                                        : offsetof(struct artifact_header, table_check)};
	ASSERT(len >= size);
	memcpy(g->header, bytes, size);
	memcpy(&g->n, bytes + offsetof(struct artifact_header, n_sections), 4);
	for (uint32_t i = 0; i < g->n; i++) {
		struct artifact_section s;
		memcpy(&s, bytes + size + i * sizeof s, sizeof s);
		g->at[i] = (struct good_section){
			s.id, s.codec, forging_decode(bytes + s.offset, &s, places), s.size, mem_alloc(s.stored + 1), s.stored};
		if (s.stored) memcpy(g->at[i].stored, bytes + s.offset, s.stored);
	}
}

FORGING struct good_section *good_find(struct good_section *at, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (at[i].id == id) return &at[i];
	return NULL;
}

// ---- Counts that stand elsewhere in the file: a section may grow or shrink with its count.
static const struct counted {
	uint32_t id, entry, in;
	size_t at;
} counted_sections[] = {
#define COUNTS_i(field) SECTION_INFO, offsetof(struct artifact_info, field)
#define COUNTS_t(field) SECTION_COUNTERS, offsetof(struct artifact_counters, field)
#define COUNTS_u(field) SECTION_UNIQUES, offsetof(struct artifact_uniques, field)
#define COUNTS_s(field) SECTION_STEP_INFO, offsetof(struct artifact_step_info, field)
#define COUNTS_c(field) SECTION_COST_INFO, offsetof(struct artifact_cost_info, field)
#define COUNTS_x(field) SECTION_CONTROL, offsetof(struct artifact_control, field)
#define COUNTS_k(field) SECTION_CANON, offsetof(struct artifact_canon, field)
#define COUNTS_e(field) SECTION_KEPT_INFO, offsetof(struct artifact_kept_info, field)
#define COUNTS_r(field) SECTION_REGEX, offsetof(struct artifact_regex, field)
#define LIST(id, NAME, member, type, info, n, ...) {id, sizeof(type), COUNTS_##info(n)},
#include "../../formats/sections.def"
	{SECTION_COST_ROW, 4, COUNTS_c(n_rows)},  // and one more entry
	{VOCAB_SECTION_TOKEN_OF, 4, VOCAB_SECTION_INFO, offsetof(struct vocab_file_info, n_ranks)},
};
#define N_COUNTED (sizeof counted_sections / sizeof *counted_sections)

// ---- One forgery.
struct forgery {
	const struct good *good;
	struct good_section at[FORGED_SECTIONS];  // those that are not changed are the good's
	bool owned[FORGED_SECTIONS];
	bool stored_damaged;
};

FORGING struct good_section *forgery_own(struct forgery *f, uint32_t i)
{
	struct good_section *s = &f->at[i];
	if (f->owned[i]) return s;
	uint8_t *bytes = mem_alloc(s->size + 1);
	if (s->size) memcpy(bytes, s->bytes, s->size);
	s->bytes = bytes;
	f->owned[i] = true;
	return s;
}

static uint64_t odd_number(struct choices *c, const struct good_section *s, const struct good_section *counts)
{
	static const uint64_t odd[] = {0,          1,          2,           3,           7,          31,
	                               32,         63,         64,          0x7f,        0x80,       0xff,
	                               0x100,      0x7fff,     0x8000,      0xfffe,      0xffff,     0x10000,
	                               0x7ffffffe, 0x7fffffff, 0x80000000u, 0xfffffffeu, 0xffffffffu};
	uint64_t r = choose(c, 8);
	uint32_t x = 0;
	if (r < 4) return odd[choose(c, sizeof odd / sizeof *odd)];
	if (r < 6 && counts && counts->size >= 4) {  // a count of the file, or one less
		memcpy(&x, counts->bytes + choose(c, counts->size / 4) * 4, 4);
		return x - choose(c, 2);
	}
	if (s->size >= 4) memcpy(&x, s->bytes + choose(c, s->size / 4) * 4, 4);  // another word of the section
	return x + choose(c, 3) - 1;
}

static void put_number(struct good_section *s, struct choices *c, uint64_t value, uint32_t width)
{
	if (s->size < width) return;
	memcpy(s->bytes + choose(c, s->size / width) * width, &value, width);  // little-endian
}

static void swap_runs(struct good_section *s, struct choices *c, uint64_t n)
{
	uint8_t t[64];
	if (n > sizeof t || s->size < 2 * n) return;
	uint8_t *a = s->bytes + choose(c, s->size / n) * n, *b = s->bytes + choose(c, s->size / n) * n;
	memcpy(t, a, n), memmove(a, b, n), memcpy(b, t, n);
}

static void resize_section(struct forgery *f, struct choices *c, const struct counted *x, bool shorter)
{
	struct good_section *s = good_find(f->at, f->good->n, x->id);
	if (!s) return;
	s = forgery_own(f, (uint32_t)(s - f->at));
	if (shorter) {
		s->size -= s->size < x->entry ? 0 : x->entry;
		return;
	}
	uint8_t *bytes = mem_alloc(s->size + x->entry + 1);
	memcpy(bytes, s->bytes, s->size);
	for (uint32_t k = 0; k < x->entry; k++)
		bytes[s->size + k] = s->size ? bytes[choose(c, s->size / x->entry) * x->entry + k] : 0;
	free(s->bytes);
	s->bytes = bytes, s->size += x->entry;
}

// A section one entry longer or shorter, its count with it, and the other sections that have that count.
static void grow_or_shrink(struct forgery *f, struct choices *c)
{
	const struct counted *x = &counted_sections[choose(c, N_COUNTED)];
	struct good_section *s = good_find(f->at, f->good->n, x->id), *in = good_find(f->at, f->good->n, x->in);
	if (!s || !in || in->size < x->at + 4) return;
	in = forgery_own(f, (uint32_t)(in - f->at));
	bool shorter = choose(c, 2) && s->size >= x->entry;
	for (size_t k = 0; k < N_COUNTED; k++)
		if (counted_sections[k].in == x->in && counted_sections[k].at == x->at)
			resize_section(f, c, &counted_sections[k], shorter);
	uint32_t count;
	memcpy(&count, in->bytes + x->at, 4);
	count += shorter ? UINT32_MAX : 1;
	memcpy(in->bytes + x->at, &count, 4);
}

static void forge_section(struct forgery *f, struct choices *c, uint32_t i)
{
	struct good_section *s = forgery_own(f, i), *counts = NULL;
	if (!s->size) return;
	static const uint32_t infos[] = {SECTION_INFO, SECTION_COST_INFO, SECTION_CANON};
	counts = good_find(f->at, f->good->n, infos[choose(c, 3)]);
	static const uint32_t entries[] = {4, 8, 12, 16, 20, 24, 32};
	uint64_t at = choose(c, s->size), n = 1 + choose(c, s->size - at < 64 ? s->size - at : 64);
	switch (choose(c, 10)) {
	case 0: s->bytes[at] ^= (uint8_t)(1u << choose(c, 8)); break;
	case 1: s->bytes[at] = (uint8_t)choose_any(c); break;
	case 2:
	case 3:
	case 4: put_number(s, c, odd_number(c, s, counts), 4); break;
	case 5: put_number(s, c, odd_number(c, s, counts), choose(c, 2) ? 2 : 8); break;
	case 6: swap_runs(s, c, entries[choose(c, sizeof entries / sizeof *entries)]); break;
	case 7: memmove(s->bytes + choose(c, s->size - n + 1), s->bytes + at, n); break;
	case 8: memset(s->bytes + at, choose(c, 2) ? 0 : (int)choose(c, 256), n); break;
	case 9:  // all words of a column alike
		for (uint64_t entry = entries[choose(c, 7)], k = choose(c, entry / 4) * 4, value = odd_number(c, s, counts);
		     k + 4 <= s->size; k += entry)
			memcpy(s->bytes + k, &value, 4);
		break;
	}
}

FORGING void forge(const struct good *g, struct choices *c, struct forgery *f)
{
	*f = (struct forgery){.good = g};
	memcpy(f->at, g->at, g->n * sizeof *g->at);
	for (uint64_t edits = 1 + choose(c, FORGED_EDITS), last = choose(c, g->n); edits; edits--) {
		if (choose(c, 4) || f->at[last].size == 0) last = choose(c, g->n);  // else the same once more
		if (choose(c, 16))
			forge_section(f, c, (uint32_t)last);
		else
			grow_or_shrink(f, c);
	}
}

FORGING void forgery_release(struct forgery *f)
{
	for (uint32_t i = 0; i < f->good->n; i++)
		if (f->owned[i]) free(f->at[i].bytes);
}

static void damage_frame(struct good_section *s, struct choices *c, uint8_t *stored, uint64_t n)
{
	if (n && s->codec != ARTIFACT_RAW && !choose(c, 300)) stored[choose(c, n)] ^= (uint8_t)(1u << choose(c, 8));
}

// The file, to be freed: 64-aligned, so that sections are used in place, or not at all aligned. Now and then a field of
// the header, of the table, or a bit of a compressed section is changed, too.
FORGING uint8_t *forgery_file(struct forgery *f, struct choices *c, ZSTD_CCtx *zstd, size_t *len, uint8_t **block)
{
	const struct good *g = f->good;
	uint64_t at = g->header_size + g->n * sizeof(struct artifact_section), room = at;
	for (uint32_t i = 0; i < g->n; i++) room += ZSTD_compressBound(f->at[i].size) + f->at[i].n_stored + ARTIFACT_ALIGN;
	uint8_t *all = mem_calloc(room, 1);
	struct artifact_section table[FORGED_SECTIONS];
	for (uint32_t i = 0; i < g->n; i++) {
		struct good_section *s = &f->at[i];
		at = (at + ARTIFACT_ALIGN - 1) & ~(uint64_t)(ARTIFACT_ALIGN - 1);
		uint64_t n = s->n_stored;
		bool no_words = forging_in_planes(s->codec) && s->size % 4;
		if (f->owned[i] && (no_words || forging_as_frame(s->codec))) s->codec = ARTIFACT_ZSTD;
		if (f->owned[i])
			n = forging_encode(zstd, s, all + at, room - at);
		else if (n)
			memcpy(all + at, s->stored, n);
		damage_frame(s, c, all + at, n);
		table[i] = (struct artifact_section){s->id, s->codec, at, n, s->size, XXH3_64bits(s->bytes, s->size)};
		at += n;
	}
	uint32_t size = g->header_size;
	memcpy(all, g->header, size);
	memcpy(all + offsetof(struct artifact_header, file_size), &at, 8);
	memcpy(all + size, table, g->n * sizeof *table);
	if (!choose(c, 64)) {
		struct good_section head = {.bytes = all, .size = size + g->n * sizeof *table};
		for (uint64_t n = 1 + choose(c, 2); n; n--)
			put_number(&head, c, odd_number(c, &head, NULL), choose(c, 2) ? 8 : 4);
	}
	uint32_t n_sections;
	memcpy(&n_sections, all + offsetof(struct artifact_header, n_sections), 4);
	uint64_t check = 0;
	memcpy(all + g->check_at, &check, 8);
	if (n_sections <= FORGED_SECTIONS && size + n_sections * sizeof *table <= at)
		check = XXH3_64bits(all, size + n_sections * sizeof *table);
	memcpy(all + g->check_at, &check, 8);
	size_t shift = choose(c, 8) ? 0 : 1 + choose(c, 15);
	*block = mem_alloc(at + shift + 64);
	uint8_t *to = *block + (-(uintptr_t)*block & 63) + shift;
	memcpy(to, all, at);
	free(all);
	*len = at;
	return to;
}

#endif
