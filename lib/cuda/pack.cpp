// Packing: the mask of a matcher on the host as a row of 64 bytes.
//
// In:  matchers.  Out: rows that name sets and tokens; those that name more than fit go on in a list beside them.
// Cost: that of gcdc_matcher_mask_sets.
#include "../include/gcdc/cuda.h"

#include <string.h>

struct packer {
	uint32_t *spill;
	size_t cap, used;
};

static gcdc_status put(struct packer *p, gcdc_cuda_row *row, const uint32_t *sets, uint32_t n_sets,
                       const uint32_t *tokens, uint32_t n_tokens)
{
	size_t n = (size_t)n_sets + n_tokens;
	uint32_t *at = row->at;
	if (n > GCDC_CUDA_INLINE) {
		if (n > p->cap - p->used || p->used > UINT32_MAX - n) return GCDC_ERR_LIMIT;
		row->at[0] = (uint32_t)p->used;
		at = p->spill + p->used;
		p->used += n;
	}
	row->n_sets = n_sets;
	row->n_tokens = n_tokens;
	if (n_sets) memcpy(at, sets, n_sets * sizeof *at);
	if (n_tokens) memcpy(at + n_sets, tokens, n_tokens * sizeof *at);
	return GCDC_OK;
}

static gcdc_status pack_one(gcdc_matcher *m, struct packer *p, gcdc_cuda_row *row)
{
	memset(row, 0, sizeof *row);
	if (!m) {
		row->n_sets = GCDC_CUDA_ALL;
		return GCDC_OK;
	}
	const gcdc_artifact *a = gcdc_matcher_artifact(m);
	gcdc_mask_sets mask;
	gcdc_status status = gcdc_matcher_mask_sets(m, &mask);
	if (status == GCDC_TERMINATED) {
		uint32_t n;
		const uint32_t *eos = gcdc_artifact_eos(a, &n);
		gcdc_status packed = put(p, row, nullptr, 0, eos, n);
		return packed ? packed : status;
	}
	if (status) return status;
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	for (uint32_t i = 0; i < mask.n_sets; i++) {
		gcdc_set set;
		if (!gcdc_artifact_set(a, mask.sets[i], &set) || set.count != info.n_tokens) continue;
		row->n_sets = GCDC_CUDA_ALL;
		return GCDC_OK;
	}
	return put(p, row, mask.sets, mask.n_sets, mask.tokens, mask.n_tokens);
}

extern "C" gcdc_status gcdc_cuda_pack(gcdc_matcher *const *matchers, size_t n, gcdc_cuda_row *rows, uint32_t *spill,
                                      size_t cap, size_t *used, gcdc_status *statuses)
{
	if (used) *used = 0;
	if (n && (!matchers || !rows || (cap && !spill))) return GCDC_ERR_ARGUMENT;
	struct packer p = {spill, cap, 0};
	gcdc_status first = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		gcdc_status status = pack_one(matchers[i], &p, &rows[i]);
		if (status < 0 && !first) first = status;
		if (statuses) statuses[i] = status;
	}
	if (used) *used = p.used;
	return first;
}
