// Tables: an artifact's sections, copied to the device as they are.
//
// In:  an opened artifact.  Out: one block of device memory with the sections one after the other, 256-aligned.
// Cost: a copy over the bus, once.
#include "table.cuh"

#include "cuda.h"

#include <stddef.h>
#include <stdlib.h>

static const struct section_place places[] = {SECTION_PLACES};
#define N_PLACES (sizeof places / sizeof *places)

static size_t aligned(size_t size) { return (size + 255) / 256 * 256; }
static bool is_wanted(const struct section_place *p, const gcdc_cuda_table_options *o) { return !(p->for_matcher && o && o->only_masks); }

extern "C" size_t gcdc_cuda_table_size(const gcdc_artifact *artifact, const gcdc_cuda_table_options *o)
{
	size_t all = 256;   // so that no section's address is NULL or past the end
	for (size_t i = 0; artifact && i < N_PLACES; i++) {
		size_t size = 0;
		gcdc_artifact_section(artifact, places[i].id, &size);
		if (is_wanted(&places[i], o)) all += aligned(size);
	}
	return all;
}

static gcdc_status copy_sections(const gcdc_artifact *artifact, const gcdc_cuda_table_options *o, gcdc_cuda_table *t)
{
	char *at = (char *)t->memory;
	gcdc_status status = GCDC_OK;
	for (size_t i = 0; i < N_PLACES && !status; i++) {
		if (!is_wanted(&places[i], o)) continue;
		size_t size = 0;
		const void *bytes = gcdc_artifact_section(artifact, places[i].id, &size);
		memcpy((char *)&t->tables + places[i].place, &at, sizeof at);
		if (bytes && size) status = device_write(at, bytes, size, nullptr);
		at += aligned(size);
	}
	return status ? status : device_wait(nullptr);
}

extern "C" gcdc_status gcdc_cuda_table_new(const gcdc_artifact *artifact, const gcdc_cuda_table_options *o, gcdc_cuda_table **table)
{
	if (table) *table = nullptr;
	if (!artifact || !table) return GCDC_ERR_ARGUMENT;
	size_t size = gcdc_cuda_table_size(artifact, o);
	if (o && o->memory && (o->size < size || (uintptr_t)o->memory % 256)) return GCDC_ERR_ARGUMENT;
	gcdc_cuda_table *t = (gcdc_cuda_table *)calloc(1, sizeof *t);
	if (!t) return GCDC_ERR_MEMORY;
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	t->tables.n_tokens = info.n_tokens;
	t->tables.mask_words = info.mask_words;
	t->tables.n_sets = info.n_sets;
	t->is_own = !(o && o->memory);
	t->memory = t->is_own ? device_alloc(size) : o->memory;
	gcdc_status status = t->memory ? copy_sections(artifact, o, t) : gcdc_cuda_available() ? GCDC_ERR_MEMORY : GCDC_ERR_DEVICE;
	if (status) gcdc_cuda_table_free(t);
	else *table = t;
	return status;
}

extern "C" void gcdc_cuda_table_free(gcdc_cuda_table *t)
{
	if (!t) return;
	if (t->is_own) device_free(t->memory);
	free(t);
}
