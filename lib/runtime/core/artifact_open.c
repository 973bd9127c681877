// Opens an artifact: file -> header -> sections -> tables as pointers.
//
// In:  a path or bytes, options.
// Out: struct gcdc_artifact, immutable. Checks in the order size, magic, version, flags, file size, table checksum,
//      sections (section_file.c), sizes that the counts imply, every index (artifact_validate.c), each with its own
//      refusal.
// Cost: with checks one pass over the decoded bytes; trusted and raw, O(sections).
#include "../../../formats/vocab_file.h"
#include "runtime_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *libc_resize(void *context, void *block, size_t size)
{
	(void)context;
	if (size) return realloc(block, size);
	free(block);
	return NULL;
}

const gcdc_memory *memory_or_libc(const gcdc_memory *memory)
{
	static const gcdc_memory libc_memory = {libc_resize, NULL};
	return memory ? memory : &libc_memory;
}

gcdc_status artifact_header_check(const uint8_t *bytes, size_t len, struct artifact_header *h, gcdc_refusal *why)
{
#define AT(field) offsetof(struct artifact_header, field)
	if (len < sizeof *h)
		return refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%zu bytes are too few for an artifact (its header has %zu)",
		              len, sizeof *h);
	memcpy(h, bytes, sizeof *h);
	if (!memcmp(h->magic, VOCAB_MAGIC, sizeof h->magic))
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(magic), "not a gcdc artifact but a compiled vocabulary (.gcdv)");
	if (!memcmp(h->magic, "version ", sizeof h->magic))
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(magic), "not a gcdc artifact but, it seems, a Git LFS pointer");
	if (memcmp(h->magic, ARTIFACT_MAGIC, sizeof h->magic) != 0)
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(magic),
		              "not a gcdc artifact: it does not begin with the magic number");
	if (h->version < ARTIFACT_OLDEST_VERSION || h->version > ARTIFACT_VERSION)
		return refuse(why, GCDC_ERR_VERSION, 0, AT(version),
		              "the artifact has format version %u, this runtime reads %u to %u", h->version,
		              ARTIFACT_OLDEST_VERSION, ARTIFACT_VERSION);
	if (h->flags & ~(uint32_t)ARTIFACT_HAS_VOCAB)
		return refuse(why, GCDC_ERR_VERSION, 0, AT(flags), "the artifact has unknown flags: 0x%x", h->flags);
	if (h->reserved) return refuse(why, GCDC_ERR_FORMAT, 0, AT(reserved), "a reserved field is %u, not 0", h->reserved);
	if (h->file_size != len)
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(file_size),
		              "the file has %zu bytes, its header says %llu: it was cut or added to", len,
		              (unsigned long long)h->file_size);
	if (h->n_sections > ARTIFACT_MAX_SECTIONS)
		return refuse(why, GCDC_ERR_LIMIT, 0, AT(n_sections), "%u sections are more than %u (ARTIFACT_MAX_SECTIONS)",
		              h->n_sections, ARTIFACT_MAX_SECTIONS);
	if (len < sizeof *h + h->n_sections * sizeof(struct artifact_section))
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(n_sections), "the file ends inside the table of its %u sections",
		              h->n_sections);
	if (section_file_table_check(bytes, sizeof *h, AT(table_check), h->n_sections) != h->table_check)
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(table_check),
		              "header or section table is damaged: the checksum is wrong");
	return GCDC_OK;
#undef AT
}

static gcdc_status take_vocab(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	if (!(a->header.flags & ARTIFACT_HAS_VOCAB)) {
		if (f->at[SECTION_TOKEN_OFFSET] || f->at[SECTION_TOKEN_BYTES])
			return refuse(why, GCDC_ERR_FORMAT, SECTION_TOKEN_OFFSET, 0,
			              "the artifact holds tokens though its header says that it does not");
		return GCDC_OK;
	}
	uint64_t n_bytes = f->size[SECTION_TOKEN_BYTES];  // held against the offsets below
	const struct section_row rows[] = {
#define SECTIONS_OF SECTIONS_VOCAB
#define SECTION(id, NAME, member, type, count, ...) {id, &a->member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	gcdc_status status = section_take(a, f, rows, sizeof rows / sizeof *rows, why);
	if (!status && a->token_offset[i->n_tokens] != n_bytes)
		status = refuse_number(why, SECTION_TOKEN_BYTES, 0, "bytes, of which the offsets and the counts say otherwise",
		                       n_bytes, a->token_offset[i->n_tokens]);
	return status;
}

static gcdc_status take_core(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct artifact_info *info = NULL, *i = &a->info;
	gcdc_status status = section_take(a, f, &(struct section_row){SECTION_INFO, &info, 1, sizeof *info}, 1, why);
	if (status) return status;
	memcpy(&a->info, info, sizeof a->info);
	if (i->mask_words != BITMAP_WORDS(i->n_tokens))
		return refuse(why, GCDC_ERR_FORMAT, SECTION_INFO, offsetof(struct artifact_info, mask_words),
		              "a mask of %u words for %u tokens", i->mask_words, i->n_tokens);
	// Products of two 32-bit counts fit 64 bits; section_take() minds the last factor.
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CORE
#define SECTION(id, NAME, member, type, count, ...) {id, &a->member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

// What this runtime was linked without: costs are left where they are, all else would make other masks.
static gcdc_status check_parts(const struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct runtime_parts *has = a->parts;
	const char *what = NULL;
	uint32_t section = SECTION_INFO;
	if (!has->several && a->info.n_choice) what = "a grammar that keeps conflicts", section = SECTION_CHOICE;
	if (!has->lines && a->info.n_lines) what = "lines with indents", section = SECTION_BLANK;
	if (!has->canonical && f->at[SECTION_CANON]) what = "canonical tables", section = SECTION_CANON;
	if (!has->unique && f->at[SECTION_UNIQUES]) what = "arrays whose items differ", section = SECTION_UNIQUES;
	if (!what) return GCDC_OK;
	return refuse(why, GCDC_ERR_UNSUPPORTED, section, 0,
	              "the artifact has %s, which this runtime was linked without: link libgcdc_runtime", what);
}

// The sections of the parts that this runtime is linked with.
static gcdc_status take_parts(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct canonical_part *canonical = a->parts->canonical;
	gcdc_status status = check_parts(a, f, why);
	if (!status && canonical) status = canonical->take(a, f, why);
	if (!status && canonical) status = canonical->take_regex(a, f, why);
	if (!status && a->parts->budget) status = a->parts->budget->take(a, f, why);
	if (!status && a->parts->unique) status = a->parts->unique->take(a, f, why);
	return status;
}

static gcdc_status take_sections(struct gcdc_artifact *a, const struct section_file *f, const gcdc_open_options *o,
                                 gcdc_refusal *why)
{
	gcdc_status status = take_core(a, f, why);
	if (!status)
		status = section_file_texts(f, SECTION_UNENFORCED, o->trusted, &a->unenforced, &a->unenforced_size, why);
	if (!status) status = take_vocab(a, f, why);
	if (!status) status = take_parts(a, f, why);
	if (!status && !a->token_bytes) status = vocab_attach(a, o->vocab_path, o->trusted, why);
	if (!status) status = control_take(a, f, why);
	if (!status) status = counters_take(a, f, why);
	if (!status && a->section[SECTION_CANON] && !a->canonical.info)
		status = refuse(why, GCDC_ERR_VOCAB, SECTION_CANON, 0,
		                "the vocabulary has no canonical tables, which the artifact needs");
	return status;
}

static gcdc_status validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct canonical_part *canonical = a->parts->canonical;
	gcdc_status status = artifact_validate(a, why);
	if (!status && canonical) status = canonical->validate(a, why);
	if (!status && canonical) status = canonical->validate_regex(a, why);
	if (!status && a->parts->unique) status = a->parts->unique->validate(a, why);
	return status;
}

// What masks leave out where items are compared, and where strings may get too long.
static gcdc_status find_left_out(struct gcdc_artifact *a, gcdc_refusal *why)
{
	gcdc_status status = a->unique_info ? a->parts->unique->find_tokens(a, why) : GCDC_OK;
	return status || !a->counter_info ? status : a->parts->unique->find_limits(a, why);
}

static gcdc_status open_bytes(struct gcdc_artifact *a, const void *bytes, size_t len, const gcdc_open_options *o,
                              gcdc_refusal *why)
{
	gcdc_status status = artifact_header_check(bytes, len, &a->header, why);
	if (status) return status;
	struct section_file f = {.bytes = bytes,
	                         .len = len,
	                         .header_size = sizeof a->header,
	                         .n_sections = a->header.n_sections,
	                         .known = {artifact_ids[0], artifact_ids[1]},
	                         .wanted = {artifact_ids[0], artifact_ids[1]},
	                         .threads = o->threads};
	if (!(a->header.flags & ARTIFACT_HAS_VOCAB) &&
	    (section_file_has(&f, ARTIFACT_ZSTD_NEAR) || section_file_has(&f, ARTIFACT_ZSTD_LISTS)))
		status = vocab_rows(a, o->vocab_path, &f, why);
	if (!status) status = section_file_read(&f, o->trusted, &a->memory, why);
	a->decoded[0] = f.decoded;
	a->decoded_size = f.decoded_size;
	a->open_threads = open_threads(o->threads);
	if (!status) status = take_sections(a, &f, o, why);
	if (!status && !o->trusted) status = validate(a, why);
	if (!status && a->parts->unique) status = find_left_out(a, why);
	if (!status && !o->trusted) status = short_rows_find(a, why);  // else no row is looked at
	if (!status && a->parts->canonical) a->parts->canonical->ready(a);
	return status;
}

static gcdc_status artifact_new(const struct runtime_parts *parts, const gcdc_open_options **o,
                                struct gcdc_artifact **out, gcdc_refusal *why)
{
	static const gcdc_open_options defaults = {0};
	if (why) *why = (gcdc_refusal){.section = GCDC_NONE};
	if (!*o) *o = &defaults;
	const gcdc_memory *memory = memory_or_libc((*o)->memory);
	struct gcdc_artifact *a = memory_resize(memory, NULL, 1, sizeof *a);
	if (!a) return refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	memset(a, 0, sizeof *a);
	a->parts = parts;
	a->memory = *memory;
	a->holders = 1;
	*out = a;
	return GCDC_OK;
}

gcdc_status artifact_open_bytes(const struct runtime_parts *parts, const void *bytes, size_t len,
                                const gcdc_open_options *o, gcdc_artifact **artifact, gcdc_refusal *why)
{
	if (artifact) *artifact = NULL;
	if (!artifact || !bytes) return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "artifact or bytes is NULL");
	struct gcdc_artifact *a = NULL;
	gcdc_status status = artifact_new(parts, &o, &a, why);
	if (status) return status;
	status = open_bytes(a, bytes, len, o, why);
	if (status)
		gcdc_artifact_close(a);
	else
		*artifact = a;
	return status;
}

gcdc_status artifact_open_file(const struct runtime_parts *parts, const char *path, const gcdc_open_options *o,
                               gcdc_artifact **artifact, gcdc_refusal *why)
{
	if (artifact) *artifact = NULL;
	if (!artifact || !path) return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "artifact or path is NULL");
	struct gcdc_artifact *a = NULL;
	gcdc_status status = artifact_new(parts, &o, &a, why);
	if (status) return status;
	const void *bytes;
	size_t len;
	status = file_map(path, &bytes, &len, why);
	if (!status) {
		a->mapping[0] = (void *)(uintptr_t)bytes;
		a->mapping_len[0] = len;
		status = open_bytes(a, bytes, len, o, why);
	}
	if (status)
		gcdc_artifact_close(a);
	else
		*artifact = a;
	return status;
}

void artifact_hold(const struct gcdc_artifact *a)
{
	__atomic_fetch_add(&((struct gcdc_artifact *)(uintptr_t)a)->holders, 1, __ATOMIC_RELAXED);
}

gcdc_artifact *gcdc_artifact_retain(const gcdc_artifact *a)
{
	if (a) artifact_hold(a);
	return (gcdc_artifact *)(uintptr_t)a;
}

void gcdc_artifact_close(gcdc_artifact *a)
{
	if (a) artifact_drop(a);
}

void artifact_drop(const struct gcdc_artifact *held)
{
	struct gcdc_artifact *a = (struct gcdc_artifact *)(uintptr_t)held;
	if (__atomic_fetch_sub(&a->holders, 1, __ATOMIC_ACQ_REL) != 1) return;
	gcdc_memory memory = a->memory;
	if (a->parts->canonical) a->parts->canonical->caches_free(a);
	if (a->parts->budget) a->parts->budget->steps_free(a);
	for (int i = 0; i < 2; i++) {
		if (a->mapping[i]) munmap(a->mapping[i], a->mapping_len[i]);
		memory_free(&memory, a->decoded[i]);
	}
	memory_free(&memory, a->spelled);
	memory_free(&memory, a->short_rows);
	memory_free(&memory, a->short_words);
	memory_free(&memory, a->unique_tokens.tokens);
	memory_free(&memory, a->unique_tokens.low);
	memory_free(&memory, a->unique_tokens.groups);
	if (a->limits) a->parts->unique->free_limits(a);
	memory_free(&memory, a);
}
