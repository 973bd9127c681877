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
static bool is_wanted(const struct section_place *p, const gcdc_cuda_table_options *o)
{
	return !(p->for_matcher && o && o->only_masks);
}

extern "C" size_t gcdc_cuda_table_size(const gcdc_artifact *artifact, const gcdc_cuda_table_options *o)
{
	size_t all = 256;  // so that no section's address is NULL or past the end
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
		memcpy((char *)t + offsetof(struct gcdc_cuda_table, tables) + places[i].place, &at, sizeof at);
		if (bytes && size) status = device_write(at, bytes, size, nullptr);
		at += aligned(size);
	}
	return status ? status : device_wait(nullptr);
}

// What the matcher wants to have at hand.
static void read_info(const gcdc_artifact *artifact, const gcdc_cuda_table_options *o, const gcdc_info *info,
                      gcdc_cuda_table *t)
{
	const struct artifact_info *i =
		(const struct artifact_info *)gcdc_artifact_section(artifact, SECTION_INFO, nullptr);
	t->n_lr_states = i->n_lr_states;
	t->max_readings = i->max_readings;
	const struct artifact_counters *counters =
		(const struct artifact_counters *)gcdc_artifact_section(artifact, SECTION_COUNTERS, nullptr);
	t->has_limits = (counters && counters->flags & COUNTERS_SHARED) || (i->flags & INFO_TOKEN_ENDS) != 0;
	t->tables.n_lex_states = i->n_lex_states;
	t->has_uniques = gcdc_artifact_section(artifact, SECTION_UNIQUES, nullptr);
	t->is_canonical = gcdc_artifact_canonical(artifact) != GCDC_CANONICAL_OFF;
	memcpy(t->hashes, info->grammar_hash, sizeof info->grammar_hash);
	memcpy(t->hashes + 2, info->vocab_hash, sizeof info->vocab_hash);
	t->tables.has_steps = gcdc_artifact_section(artifact, SECTION_STEP_INFO, nullptr) != nullptr;
	t->has_matcher = !(o && o->only_masks) && gcdc_artifact_section(artifact, SECTION_TOKEN_OFFSET, nullptr);
	t->tables.n_terminals = i->n_terminals;
	t->tables.n_nonterminals = i->n_nonterminals;
	t->tables.n_classes = i->n_classes;
	t->tables.n_contexts = i->n_contexts;
	t->tables.max_pushes = i->max_pushes;
	t->tables.n_lines = i->n_lines;
}

extern "C" gcdc_status gcdc_cuda_table_new(const gcdc_artifact *artifact, const gcdc_cuda_table_options *o,
                                           gcdc_cuda_table **table)
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
	t->tables.n_eos = info.n_eos;
	read_info(artifact, o, &info, t);
	t->is_own = !(o && o->memory);
	t->memory = t->is_own ? device_alloc(size) : o->memory;
	gcdc_status status = t->memory               ? copy_sections(artifact, o, t)
	                     : gcdc_cuda_available() ? GCDC_ERR_MEMORY
	                                             : GCDC_ERR_DEVICE;
	if (!status) status = apply_load();
	if (!status) status = sample_load();
	if (status)
		gcdc_cuda_table_free(t);
	else
		*table = t;
	return status;
}

extern "C" void gcdc_cuda_table_free(gcdc_cuda_table *t)
{
	if (!t) return;
	if (t->is_own) device_free(t->memory);
	free(t);
}
