// What callers describe, checked, as kernels take it.
//
// In:  gcdc_cuda_masks, gcdc_cuda_logits.  Out: mask_source, logits_source; GCDC_ERR_ARGUMENT for a broken promise.
// Only host memory is looked at.
#include "device_batch.cuh"
#include "logits.cuh"
#include "table.cuh"

gcdc_status mask_source_of(const gcdc_cuda_masks *masks, struct mask_source *out, struct device_batch *batch)
{
	if (!masks || !!masks->bits + !!masks->rows + !!masks->batch != 1) return GCDC_ERR_ARGUMENT;
	memset((void *)out, 0, sizeof *out);
	out->n_rows = masks->n_rows;
	out->on = masks->on;
	if (masks->bits) {
		if (masks->words_stride < (int64_t)masks->words || masks->words > UINT32_MAX / 32) return GCDC_ERR_ARGUMENT;
		out->bits = masks->bits;
		out->words = masks->words;
		out->words_stride = masks->words_stride;
		// Every bit of the words counts.
		out->tables.mask_words = masks->words;
		out->tables.n_tokens = masks->words * 32;
		return GCDC_OK;
	}
	if (masks->batch) {
		*batch = masks->batch->device;
		if (masks->n_rows > batch->n) return GCDC_ERR_ARGUMENT;
		batch->tokens = masks->tokens;
		batch->keep_failed = masks->keep_failed;
		out->tables = masks->batch->tables;
		return GCDC_OK;
	}
	if (!masks->table || (masks->spill_words && !masks->spill)) return GCDC_ERR_ARGUMENT;
	out->rows = masks->rows;
	out->spill = masks->spill;
	out->spill_words = masks->spill_words;
	out->tables = masks->table->tables;
	return GCDC_OK;
}

gcdc_status logits_source_of(const gcdc_cuda_logits *x, struct logits_source *out)
{
	if (!x || (uint32_t)x->type > GCDC_CUDA_BF16 || x->stride < (int64_t)x->width) return GCDC_ERR_ARGUMENT;
	if (x->width && (!x->at || (uintptr_t)x->at % (x->type == GCDC_CUDA_F32 ? 4 : 2))) return GCDC_ERR_ARGUMENT;
	if (x->width > UINT32_MAX - 2 * CHUNK) return GCDC_ERR_LIMIT;
	out->at = x->at;
	out->type = (uint32_t)x->type;
	out->width = x->width;
	out->stride = x->stride;
	out->rows = x->rows;
	return GCDC_OK;
}
