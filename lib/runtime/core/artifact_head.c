// What stands at the beginning of an artifact: enough to pick one of many, without opening it.
//
// In:  a path or bytes.  Out: struct gcdc_head.
// Header and table of sections are checked as opening does; of the sections only INFO, EOS and the two that say which
// tables there are, each a few bytes, are decoded. Nothing of the others is read.
// Cost: a map call and some microseconds, whatever the file's size.
#include "runtime_internal.h"

#include <sys/mman.h>

static bool costs_fit(const struct section_file *f, const struct artifact_cost_info *costs)
{
	return !costs || (f->size[SECTION_COST_INFO] == sizeof *costs && costs->model <= COST_EXACT);
}

static bool canon_fits(const struct section_file *f, const struct artifact_canon *canon)
{
	return !canon || (f->size[SECTION_CANON] == sizeof *canon && canon->mode <= GCDC_CANONICAL_HARD);
}

static gcdc_status head_of(const uint8_t *bytes, size_t len, gcdc_head *head, gcdc_refusal *why)
{
	struct artifact_header h;
	gcdc_status status = artifact_header_check(bytes, len, &h, why);
	if (status) return status;
	struct section_file f = {
		.bytes = bytes,
		.len = len,
		.header_size = sizeof h,
		.n_sections = h.n_sections,
		.known = {artifact_ids[0], artifact_ids[1]},
		.wanted = {ID_BIT(SECTION_INFO) | ID_BIT(SECTION_EOS), ID_BIT(SECTION_COST_INFO) | ID_BIT(SECTION_CANON)}};
	const gcdc_memory *memory = memory_or_libc(NULL);
	status = section_file_read(&f, false, memory, why);
	const struct artifact_info *info = status ? NULL : f.at[SECTION_INFO];
	const struct artifact_cost_info *costs = status ? NULL : f.at[SECTION_COST_INFO];
	const struct artifact_canon *canon = status ? NULL : f.at[SECTION_CANON];
	const bool fit = info && f.size[SECTION_INFO] == sizeof *info && costs_fit(&f, costs) && canon_fits(&f, canon);
	if (!status && !fit)
		status = refuse(why, GCDC_ERR_FORMAT, SECTION_INFO, 0,
		                "section %u is missing, or has not the size of its struct", SECTION_INFO);
	if (!status)
		*head = (gcdc_head){.version = h.version,
		                    .n_tokens = info->n_tokens,
		                    .mask_words = info->mask_words,
		                    .n_eos = info->n_eos,
		                    .costs = costs ? (gcdc_cost_model)costs->model : GCDC_COSTS_NONE,
		                    .canonical = canon ? (gcdc_canonical_mode)canon->mode : GCDC_CANONICAL_OFF,
		                    .has_vocab = h.flags & ARTIFACT_HAS_VOCAB,
		                    .has_choices = info->flags & INFO_CHOICES,
		                    .file_size = h.file_size,
		                    .grammar_hash = {h.grammar_hash[0], h.grammar_hash[1]},
		                    .vocab_hash = {h.vocab_hash[0], h.vocab_hash[1]}};
	memory_free(memory, f.decoded);
	return status;
}

gcdc_status gcdc_artifact_head_memory(const void *bytes, size_t len, gcdc_head *head, gcdc_refusal *why)
{
	if (why) *why = (gcdc_refusal){.section = GCDC_NONE};
	if (head) *head = (gcdc_head){0};
	if (!bytes || !head) return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "bytes or head is NULL");
	return head_of(bytes, len, head, why);
}

gcdc_status gcdc_artifact_head(const char *path, gcdc_head *head, gcdc_refusal *why)
{
	if (why) *why = (gcdc_refusal){.section = GCDC_NONE};
	if (head) *head = (gcdc_head){0};
	if (!path || !head) return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "path or head is NULL");
	const void *bytes;
	size_t len;
	gcdc_status status = file_map(path, &bytes, &len, why);
	if (status) return status;
	status = head_of(bytes, len, head, why);
	munmap((void *)(uintptr_t)bytes, len);
	return status;
}
