// Reads the frame that artifacts and compiled vocabularies share: a header, a table of sections, the sections.
//
// In:  the whole file in memory, the header's length, the ids that the caller knows.
// Out: each section decoded: a pointer into the file where it is stored as it is, else into one block that holds all
//      decompressed ones.
// Checks, in this order: number of sections; table checksum; per row id, codec, place, size; then per section decoding
// and the checksum of the decoded bytes. Nothing is read before it is known to be inside the file, nothing is
// decompressed before all sizes together are known to be below ARTIFACT_MAX_DECODED.
// Cost: one pass over the decoded bytes; trusted, O(sections) plus decompression.
#include "runtime_internal.h"
#include "gcdc/show.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <zstd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

const uint64_t artifact_ids[2] = {0
#define SECTION(id, ...) | ((id) < 64 ? ID_BIT(id) : 0)
#include "../../../formats/sections.def"
                                  ,
                                  0
#define SECTION(id, ...) | ((id) >= 64 && (id) < SECTION_IDS ? ID_BIT(id) : 0)
#include "../../../formats/sections.def"
};

#define ALIGN_UP(n) (((n) + (ARTIFACT_ALIGN - 1)) & ~(uint64_t)(ARTIFACT_ALIGN - 1))

// "section 52 without section 51" -> "section 52 (token_bytes) without section 51 (token_offset)".
static void name_sections(char *what, size_t size)
{
	char *at = what;
	while ((at = strstr(at, "section ")) != NULL) {
		char *after = NULL, rest[sizeof((gcdc_refusal *)0)->what];
		at += strlen("section ");
		const char *name = *at >= '0' && *at <= '9' ? gcdc_section_name((uint32_t)strtoul(at, &after, 10)) : NULL;
		if (!name) continue;
		memcpy(rest, after, strlen(after) + 1);
		snprintf(after, size - (size_t)(after - what), " (%s)%.180s", name, rest);
		at = after;
	}
}

gcdc_status refuse(gcdc_refusal *why, gcdc_status status, uint32_t section, uint64_t offset, const char *fmt, ...)
{
	if (why) {
		va_list args;
		va_start(args, fmt);
		why->section = section;
		why->offset = offset;
		vsnprintf(why->what, sizeof why->what, fmt, args);
		va_end(args);
		name_sections(why->what, sizeof why->what);
	}
	return status;
}

gcdc_status refuse_number(gcdc_refusal *why, uint32_t section, uint64_t offset, const char *what, uint64_t found,
                          uint64_t limit)
{
	return refuse(why, GCDC_ERR_FORMAT, section, offset, "section %u, byte %llu: %s: found %llu, the limit is %llu",
	              section, (unsigned long long)offset, what, (unsigned long long)found, (unsigned long long)limit);
}

void *memory_resize(const gcdc_memory *memory, void *block, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes == 0) return NULL;
	return memory->resize(memory->context, block, bytes);
}

void memory_free(const gcdc_memory *memory, void *block)
{
	if (block) memory->resize(memory->context, block, 0);
}

uint64_t section_file_table_check(const uint8_t *bytes, uint32_t header_size, uint32_t check_offset,
                                  uint32_t n_sections)
{
	uint8_t table[128 + ARTIFACT_MAX_SECTIONS * sizeof(struct artifact_section)];
	size_t len = header_size + (size_t)n_sections * sizeof(struct artifact_section);
	memcpy(table, bytes, len);
	memset(table + check_offset, 0, sizeof(uint64_t));
	return XXH3_64bits(table, len);
}

static struct artifact_section table_row(const struct section_file *f, uint32_t i)
{
	struct artifact_section row;
	memcpy(&row, f->bytes + f->header_size + i * sizeof row, sizeof row);
	return row;
}

bool section_file_has(const struct section_file *f, uint32_t codec)
{
	for (uint32_t i = 0; i < f->n_sections; i++)
		if (table_row(f, i).codec == codec) return true;
	return false;
}

uint64_t section_file_check(const struct section_file *f, uint32_t id)
{
	uint64_t check = 0;
	for (uint32_t i = 0; i < f->n_sections; i++)
		if (table_row(f, i).id == id) check = table_row(f, i).check;
	return check;
}

static bool in_ids(const uint64_t ids[2], uint32_t id) { return id < SECTION_IDS && ids[id / 64] & ID_BIT(id); }

// Words before the frame: how many a row has; of bitmaps also how many standard ones there are, of lists which, of
// steps the column of parts.
static uint32_t section_head_words(uint32_t codec)
{
	return codec < ARTIFACT_ZSTD_ROWS ? 0 : codec == ARTIFACT_ZSTD_ROWS ? 1 : 2;
}

// What stands in the frame is not as long as the section.
static bool in_numbers(uint32_t codec)
{
	return codec == ARTIFACT_ZSTD_LISTS || codec == ARTIFACT_ZSTD_NEAR || codec == ARTIFACT_ZSTD_ROWS;
}

static bool in_words(uint32_t codec) { return codec > ARTIFACT_ZSTD; }

// How many bytes a section has before they become words: a word has at most its own, that of its place, and those of
// the head of a list or row.
static uint64_t bytes_before(uint32_t codec, uint64_t size)
{
	if (!in_numbers(codec)) return size;
	return size < ARTIFACT_MAX_DECODED / 4 ? 4 * size : ARTIFACT_MAX_DECODED;
}

static bool in_place(const struct section_file *f, const struct artifact_section *s)
{
	return s->codec == ARTIFACT_RAW && (uintptr_t)f->bytes % 16 == 0;
}

// One row of the table. *end: where the section before it ended; *decoded: bytes to decompress so far.
// Branches: one refusal for each field of a row of the table of sections.
static gcdc_status check_row(struct section_file *f, uint32_t i, uint64_t *end, uint64_t *decoded, gcdc_refusal *why)
{
	struct artifact_section s = table_row(f, i);
	uint64_t at = f->header_size + i * sizeof s;
	if (i > 0 && table_row(f, i - 1).id >= s.id)
		return refuse(why, GCDC_ERR_FORMAT, s.id, at, "section %u stands behind section %u: ids must ascend", s.id,
		              table_row(f, i - 1).id);
	if (!in_ids(f->known, s.id) && s.id < 1u << 16)
		return refuse(why, GCDC_ERR_VERSION, s.id, at, "section %u is unknown to this runtime: a newer one is needed",
		              s.id);
	if (s.codec >= ARTIFACT_CODECS || s.codec == ARTIFACT_NO_CODEC)
		return refuse(why, GCDC_ERR_FORMAT, s.id, at + 4, "section %u has the unknown codec %u", s.id, s.codec);
	if (s.offset != ALIGN_UP(*end) && (s.codec == ARTIFACT_RAW || s.offset != *end))
		return refuse(why, GCDC_ERR_FORMAT, s.id, at + 8,
		              "section %u begins at %llu; what stands before it ends at %llu", s.id,
		              (unsigned long long)s.offset, (unsigned long long)*end);
	if (s.offset > f->len || s.stored > f->len - s.offset)
		return refuse(why, GCDC_ERR_FORMAT, s.id, at + 16,
		              "section %u reaches past the end of the file: %llu bytes from %llu, the file has %llu", s.id,
		              (unsigned long long)s.stored, (unsigned long long)s.offset, (unsigned long long)f->len);
	if (s.codec == ARTIFACT_RAW && s.stored != s.size)
		return refuse(why, GCDC_ERR_FORMAT, s.id, at + 24,
		              "section %u is stored raw in %llu bytes but is said to have %llu", s.id,
		              (unsigned long long)s.stored, (unsigned long long)s.size);
	if (in_words(s.codec) && s.size % 4)
		return refuse(why, GCDC_ERR_FORMAT, s.id, at + 24, "section %u is stored as 32-bit words but has %llu bytes",
		              s.id, (unsigned long long)s.size);
	if (in_ids(f->wanted, s.id) && !in_place(f, &s)) {
		if (s.size > ARTIFACT_MAX_DECODED || *decoded + s.size > ARTIFACT_MAX_DECODED)
			return refuse(why, GCDC_ERR_LIMIT, s.id, at + 24,
			              "sections decode to more than %llu bytes (ARTIFACT_MAX_DECODED)",
			              (unsigned long long)ARTIFACT_MAX_DECODED);
		*decoded = ALIGN_UP(*decoded + s.size);
	}
	for (uint64_t pad = *end; pad < s.offset; pad++)
		if (f->bytes[pad])
			return refuse(why, GCDC_ERR_FORMAT, s.id, pad, "the padding before section %u is not zero", s.id);
	*end = s.offset + s.stored;
	return GCDC_OK;
}

// What decoding needs beside the file: zstd's context, and room for the planes of the largest section that has some.
struct decoder {
	ZSTD_DCtx *zstd;
	uint8_t *planes;
};

// What was stored: len bytes of numbers, and the words before them.
struct numbers {
	const uint8_t *at;
	uint64_t len;
	uint32_t width, n_standard;  // words in a row; standard rows that rows are told from
};

static gcdc_status join_numbers(const struct section_file *f, const struct artifact_section *s, uint32_t *to,
                                const struct numbers *from, gcdc_refusal *why)
{
	const uint64_t n = s->size / 4;
	struct section_rows rows = f->rows;  // and the vocabulary's places
	if (!from->n_standard) rows.n = 0, rows.words = from->width;
	if (s->codec == ARTIFACT_ZSTD_LISTS ? section_join_lists(to, n, &rows.places, from->at, from->len)
	    : s->codec == ARTIFACT_ZSTD_ROWS
	        ? section_join_rows(to, n, from->width, from->at, from->len)
	        : rows.words == from->width && section_join_bitmaps(to, n, &rows, from->at, from->len))
		return GCDC_OK;
	return refuse(why, GCDC_ERR_FORMAT, s->id, s->offset,
	              "section %u has broken lists or rows, or other standard rows are meant", s->id);
}

// Branches: one way to decode for each codec, and one refusal for each way in which a frame contradicts its row.
static gcdc_status decode(const struct section_file *f, const struct artifact_section *s, void *to,
                          const struct decoder *decoder, gcdc_refusal *why)
{
	const uint8_t *from = f->bytes + s->offset;
	if (s->codec == ARTIFACT_RAW) {
		if (s->size) memcpy(to, from, s->size);
		return GCDC_OK;
	}
	uint64_t stored = s->stored, size = s->size;
	uint32_t head[2] = {1, 0}, *w = to;
	const uint64_t head_size = section_head_words(s->codec) * sizeof *head;
	if (stored >= head_size) memcpy(head, from, head_size);
	const uint32_t width = head[0];
	const bool wide_lists = s->codec == ARTIFACT_ZSTD_LISTS && width != 1;
	if (stored < head_size || !width || wide_lists || (head_size && size / 4 % width))
		return refuse(why, GCDC_ERR_FORMAT, s->id, s->offset, "section %u has no rows of %u words", s->id, width);
	from += head_size, stored -= head_size;
	const uint32_t standard = s->codec == ARTIFACT_ZSTD_STEPS ? 0 : head[1];
	if (standard && standard != f->standard)
		return refuse(
			why, GCDC_ERR_VOCAB, s->id, s->offset,
			"section %u refers to standard rows or lists that this vocabulary does not have: make it anew with "
			"'gcdc vocab'",
			s->id);
	const bool listed = standard && s->codec == ARTIFACT_ZSTD_LISTS;
	// Exactly one frame that says its size: what follows a frame would go unseen.
	if (in_numbers(s->codec)) size = ZSTD_getFrameContentSize(from, stored);
	if (size > bytes_before(s->codec, s->size) || ZSTD_getFrameContentSize(from, stored) != size ||
	    ZSTD_findFrameCompressedSize(from, stored) != stored)
		return refuse(why, GCDC_ERR_FORMAT, s->id, s->offset,
		              "section %u is not one zstd frame of %llu bytes that decodes to %llu", s->id,
		              (unsigned long long)stored, (unsigned long long)s->size);
	size_t n = ZSTD_decompress_usingDict(decoder->zstd, in_words(s->codec) ? decoder->planes : to, size, from, stored,
	                                     listed ? f->lists : NULL, listed ? f->n_lists : 0);
	if (n != size)
		return refuse(why, GCDC_ERR_FORMAT, s->id, s->offset, "section %u cannot be decompressed: %s", s->id,
		              ZSTD_isError(n) ? ZSTD_getErrorName(n) : "it is shorter than said");
	if (in_numbers(s->codec))
		return join_numbers(f, s, w, &(struct numbers){decoder->planes, size, width, head[1]}, why);
	if (s->codec == ARTIFACT_ZSTD_STEPS)
		section_join_steps(w, decoder->planes, size / 4, width, head[1]);
	else if (in_words(s->codec))
		section_join_planes(w, decoder->planes, size / 4);
	for (uint64_t i = 1; s->codec == ARTIFACT_ZSTD_DELTA && i < size / 4; i++) w[i] += w[i - 1];
	return GCDC_OK;
}

// Pages of 2 MB for a large block, where the system has them: fewer to be made now, fewer to be looked up in masks.
// Only a hint, about whole pages of the block, which are all written.
static void use_large_pages(void *block, uint64_t size)
{
#ifdef MADV_HUGEPAGE
	const uintptr_t page = 4096, large = 1u << 21, from = ((uintptr_t)block + page - 1) & ~(page - 1);
	if (block && size >= 2 * large)
		madvise((void *)from, ((uintptr_t)block + size - from) & ~(page - 1), MADV_HUGEPAGE);
#else
	(void)block, (void)size;
#endif
}

// Sections that are read at the same time.
struct decoding {
	struct section_file *f;
	bool trusted;
	uint32_t n, threads;
	uint32_t order[ARTIFACT_MAX_SECTIONS];  // rows of the table, those with the most bytes first
	uint64_t
		place[ARTIFACT_MAX_SECTIONS];  // by row: where its bytes go in the block; IN_PLACE: they stay where they are
	uint8_t *block;
	struct decoder decoder[OPEN_MAX_THREADS];
};
#define IN_PLACE UINT64_MAX

// A section's number of bytes is about what it takes.
static void decoding_order(struct decoding *x)
{
	uint64_t place = 0;
	for (uint32_t i = 0; i < x->f->n_sections; i++) {
		const struct artifact_section s = table_row(x->f, i);
		if (!in_ids(x->f->wanted, s.id)) continue;
		uint32_t k = x->n++;
		for (; k && table_row(x->f, x->order[k - 1]).size < s.size; k--) x->order[k] = x->order[k - 1];
		x->order[k] = i;
		x->place[i] = in_place(x->f, &s) ? IN_PLACE : place;
		if (x->place[i] != IN_PLACE) place += ALIGN_UP(s.size);
	}
}

// Bytes that a section has before they become words: as its frame says, if it says the truth (decode).
static uint64_t planes_of(const struct section_file *f, const struct artifact_section *s)
{
	const uint64_t head = section_head_words(s->codec) * sizeof(uint32_t), most = bytes_before(s->codec, s->size);
	if (!in_words(s->codec) || s->stored < head) return 0;
	if (!in_numbers(s->codec)) return most;
	const uint64_t size = ZSTD_getFrameContentSize(f->bytes + s->offset + head, s->stored - head);
	return size < most ? size : most;
}

static gcdc_status decoders_init(struct decoding *x, const gcdc_memory *memory, gcdc_refusal *why)
{
	uint64_t planes = 0;
	bool zstd = false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct artifact_section s = table_row(x->f, x->order[i]);
		const uint64_t before = planes_of(x->f, &s);
		if (before > planes) planes = before;
		zstd |= s.codec != ARTIFACT_RAW;
	}
	for (uint32_t i = 0; i < x->threads; i++) {
		struct decoder *d = &x->decoder[i];
		if ((zstd && !(d->zstd = ZSTD_createDCtx())) ||
		    (planes && !(d->planes = memory_resize(memory, NULL, 1, planes))))
			return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory to decompress sections");
		use_large_pages(d->planes, planes);
	}
	return GCDC_OK;
}

static gcdc_status read_section(void *decoding, uint32_t i, uint32_t worker, gcdc_refusal *why)
{
	const struct decoding *x = decoding;
	struct section_file *f = x->f;
	const uint32_t row = x->order[i];
	const struct artifact_section s = table_row(f, row);
	const void *at = f->bytes + s.offset;
	if (x->block && x->place[row] != IN_PLACE) {
		uint8_t *to = x->block + x->place[row];
		gcdc_status status = decode(f, &s, to, &x->decoder[worker], why);
		if (status) return status;
		at = to;
	}
	if (!x->trusted && XXH3_64bits(at, s.size) != s.check)
		return refuse(why, GCDC_ERR_FORMAT, s.id, s.offset, "section %u is damaged: its checksum is wrong", s.id);
	f->at[s.id] = at;
	f->size[s.id] = s.size;
	return GCDC_OK;
}

gcdc_status section_file_read(struct section_file *f, bool trusted, const gcdc_memory *memory, gcdc_refusal *why)
{
	uint64_t end = f->header_size + f->n_sections * sizeof(struct artifact_section), decoded = 0;
	for (uint32_t i = 0; i < f->n_sections; i++) {
		gcdc_status status = check_row(f, i, &end, &decoded, why);
		if (status) return status;
	}
	if (end != f->len)
		return refuse(why, GCDC_ERR_FORMAT, 0, end, "%llu bytes follow the last section",
		              (unsigned long long)(f->len - end));
	f->decoded_size = decoded;
	if (decoded && !(f->decoded = memory_resize(memory, NULL, 1, decoded + 2 * ARTIFACT_ALIGN)))
		return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory for %llu decoded bytes", (unsigned long long)decoded);
	use_large_pages(f->decoded, decoded);
	struct decoding x = {.f = f, .trusted = trusted, .threads = open_threads(f->threads)};
	if (f->decoded) x.block = (uint8_t *)f->decoded + (-(uintptr_t)f->decoded & (ARTIFACT_ALIGN - 1));
	decoding_order(&x);
	gcdc_status status = decoders_init(&x, memory, why);
	if (!status) status = jobs_run(x.threads, x.n, read_section, &x, why);
	for (uint32_t i = 0; i < x.threads; i++) {
		ZSTD_freeDCtx(x.decoder[i].zstd);
		memory_free(memory, x.decoder[i].planes);
	}
	return status;
}

static gcdc_status take_one(struct gcdc_artifact *a, const struct section_file *f, const struct section_row *x,
                            gcdc_refusal *why)
{
	uint64_t want;
	if (!f->at[x->id]) return refuse(why, GCDC_ERR_FORMAT, x->id, 0, "section %u is missing", x->id);
	if (__builtin_mul_overflow(x->n, x->size, &want) || f->size[x->id] != want)
		return refuse(why, GCDC_ERR_FORMAT, x->id, 0, "section %u has %llu bytes; the counts say %llu entries of %llu",
		              x->id, (unsigned long long)f->size[x->id], (unsigned long long)x->n, (unsigned long long)x->size);
	memcpy(x->out, &f->at[x->id], sizeof f->at[x->id]);
	a->section[x->id] = f->at[x->id];
	a->section_size[x->id] = want;
	return GCDC_OK;
}

gcdc_status section_take(struct gcdc_artifact *a, const struct section_file *f, const struct section_row *rows,
                         size_t n, gcdc_refusal *why)
{
	gcdc_status status = GCDC_OK;
	for (size_t k = 0; k < n && !status; k++) status = take_one(a, f, &rows[k], why);
	return status;
}

// The section with the counts by which another one is taken; 0: INFO's, which is always there.
static const uint8_t head_of[SECTION_IDS] = {
#define SECTIONS_OF SECTIONS_CONTROL
#define SECTION(id, ...) [id] = SECTION_CONTROL,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_STEP
#define SECTION(id, ...) [id] = SECTION_STEP_INFO,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_COUNTER
#define SECTION(id, ...) [id] = SECTION_COUNTERS,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_UNIQUE
#define SECTION(id, ...) [id] = SECTION_UNIQUES,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_COST
#define SECTION(id, ...) [id] = SECTION_COST_INFO,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_KEPT
#define SECTION(id, ...) [id] = SECTION_KEPT_INFO,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, ...) [id] = SECTION_CANON,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_LEXEMES
#define SECTION(id, ...) [id] = SECTION_CANON,
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_REGEX
#define SECTION(id, ...) [id] = SECTION_REGEX,
#include "../../../formats/sections.def"
};

gcdc_status section_take_head(struct gcdc_artifact *a, const struct section_file *f, const struct section_row *head,
                              gcdc_refusal *why)
{
	if (f->at[head->id]) return take_one(a, f, head, why);
	for (uint32_t id = 0; id < SECTION_IDS; id++)
		if (f->at[id] && head_of[id] == head->id)
			return refuse(why, GCDC_ERR_FORMAT, id, 0, "section %u without section %u", id, head->id);
	return GCDC_OK;
}

gcdc_status section_file_texts(const struct section_file *f, uint32_t id, bool trusted, const char **text,
                               uint64_t *size, gcdc_refusal *why)
{
	*text = NULL, *size = 0;
	for (uint32_t i = 0; i < f->n_sections; i++) {
		struct artifact_section s = table_row(f, i);
		if (s.id != id) continue;
		const char *at = (const char *)f->bytes + s.offset;
		if (s.codec != ARTIFACT_RAW || (s.size && at[s.size - 1]))
			return refuse(why, GCDC_ERR_FORMAT, id, s.offset, "section %u is no list of texts", id);
		if (!trusted && XXH3_64bits(at, s.size) != s.check)
			return refuse(why, GCDC_ERR_FORMAT, id, s.offset, "section %u is damaged: its checksum is wrong", id);
		*text = at, *size = s.size;
	}
	return GCDC_OK;
}
