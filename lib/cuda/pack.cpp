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

// Room for n numbers of the row.
static gcdc_status reserve(struct packer *p, gcdc_cuda_row *row, size_t n, uint32_t **at)
{
	*at = row->at;
	if (n <= GCDC_CUDA_INLINE) return GCDC_OK;
	if (n > p->cap - p->used || p->used > UINT32_MAX - n) return GCDC_ERR_LIMIT;
	row->at[0] = (uint32_t)p->used;
	*at = p->spill + p->used;
	p->used += n;
	return GCDC_OK;
}

static gcdc_status put(struct packer *p, gcdc_cuda_row *row, const uint32_t *sets, uint32_t n_sets,
                       const uint32_t *tokens, uint32_t n_tokens)
{
	uint32_t *at;
	gcdc_status status = reserve(p, row, (size_t)n_sets + n_tokens, &at);
	if (status) return status;
	row->n_sets = n_sets;
	row->n_tokens = n_tokens;
	if (n_sets) memcpy(at, sets, n_sets * sizeof *at);
	if (n_tokens) memcpy(at + n_sets, tokens, n_tokens * sizeof *at);
	return GCDC_OK;
}

// The tokens of a row that differ from a list, which ascends; how many. to: NULL, or room.
static uint32_t list_row(const uint32_t *mask, uint32_t n_tokens, const uint32_t *flips, uint32_t n, uint32_t *to)
{
	uint32_t found = 0;
	for (uint32_t t = 0, k = 0; t < n_tokens; t++) {
		bool flip = k < n && flips[k] == t;
		k += flip;
		if ((mask[t / 32] >> t % 32 & 1) == flip) continue;
		if (to) to[found] = t;
		found++;
	}
	return found;
}

// A mask that no sets name: its tokens, one by one.
static gcdc_status put_row(struct packer *p, gcdc_cuda_row *row, const uint32_t *mask, uint32_t n_tokens)
{
	uint32_t *at;
	gcdc_status status = reserve(p, row, list_row(mask, n_tokens, nullptr, 0, nullptr), &at);
	if (!status) row->n_tokens = list_row(mask, n_tokens, nullptr, 0, at);
	return status;
}

// Sets, less the tokens of one.
static gcdc_status put_without(struct packer *p, gcdc_cuda_row *row, const gcdc_artifact *a, const gcdc_mask_sets *mask,
                               uint32_t n_tokens)
{
	gcdc_set set;
	uint32_t *at;
	if (!gcdc_artifact_set(a, mask->without, &set)) return GCDC_ERR_INTERNAL;
	const size_t n = (size_t)mask->n_sets + mask->n_tokens;
	gcdc_status status = reserve(p, row, n + set.count, &at);
	if (status) return status;
	row->n_sets = mask->n_sets, row->n_tokens = mask->n_tokens, row->n_removed = set.count;
	if (mask->n_sets) memcpy(at, mask->sets, mask->n_sets * sizeof *at);
	if (mask->n_tokens) memcpy(at + mask->n_sets, mask->tokens, mask->n_tokens * sizeof *at);
	if (set.row == GCDC_NONE)
		memcpy(at + n, set.tokens, set.n * sizeof *at);
	else
		list_row(gcdc_artifact_row(a, set.row), n_tokens, set.tokens, set.n, at + n);
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
	if (mask.without) return put_without(p, row, a, &mask, info.n_tokens);
	for (uint32_t i = 0; i < mask.n_sets; i++) {
		gcdc_set set;
		if (!gcdc_artifact_set(a, mask.sets[i], &set) || set.count != info.n_tokens) continue;
		row->n_sets = GCDC_CUDA_ALL;
		return GCDC_OK;
	}
	if (!mask.n_sets && !mask.n_tokens && mask.row) return put_row(p, row, mask.row, info.n_tokens);
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
