// Masks on logits in the CPU's memory.
//
// In:  rows of logits (float, half, bfloat16), masks.  Out: forbidden logits are minus infinity.
// A word of 32 bits is nothing, everything or a mixture; most are one of the first two, so a word costs a comparison,
// or a store of 32 values, or 32 choices side by side: each lane picks its bit. Vectors are the compiler's own; on
// x86-64 the same code is compiled a second time for AVX2, which is taken where the machine has it. Cost: what is
// written is as much as the forbidden logits have bytes.
#include "../../include/gcdc/runtime.h"

#include <string.h>

#define INFINITE_F32 0xff800000u
#define INFINITE_F16 0xfc00u
#define INFINITE_BF16 0xff80u

typedef uint32_t lanes_32 __attribute__((vector_size(32)));
typedef uint16_t lanes_16 __attribute__((vector_size(32)));

// 32 logits: those whose bit is 0 become `low`.
static inline __attribute__((always_inline)) void mix_32(uint32_t *at, uint32_t bits, uint32_t low)
{
	const lanes_32 bit = {1, 2, 4, 8, 16, 32, 64, 128};
	for (int k = 0; k < 4; k++) {
		lanes_32 x, mine = (bits >> 8 * k & bit) != 0;
		memcpy(&x, at + 8 * k, sizeof x);
		x = (x & mine) | (low & ~mine);
		memcpy(at + 8 * k, &x, sizeof x);
	}
}

static inline __attribute__((always_inline)) void mix_16(uint16_t *at, uint32_t bits, uint16_t low)
{
	const lanes_16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
	for (int k = 0; k < 2; k++) {
		lanes_16 x, mine = ((uint16_t)(bits >> 16 * k) & bit) != 0;
		memcpy(&x, at + 16 * k, sizeof x);
		x = (x & mine) | (low & ~mine);
		memcpy(at + 16 * k, &x, sizeof x);
	}
}

static inline __attribute__((always_inline)) void row_32(uint32_t *at, size_t width, const uint32_t *mask, size_t words)
{
	size_t whole = width / 32 < words ? width / 32 : words, w = 0;
	for (; w < whole; w++) {
		uint32_t *x = at + w * 32;
		if (mask[w] == UINT32_MAX) continue;
		if (mask[w])
			mix_32(x, mask[w], INFINITE_F32);
		else
			for (int i = 0; i < 32; i++) x[i] = INFINITE_F32;
	}
	for (size_t i = w * 32; i < width; i++)
		if (i / 32 >= words || !(mask[i / 32] >> i % 32 & 1)) at[i] = INFINITE_F32;
}

static inline __attribute__((always_inline)) void row_16(uint16_t *at, size_t width, const uint32_t *mask, size_t words,
                                                         uint16_t low)
{
	size_t whole = width / 32 < words ? width / 32 : words, w = 0;
	for (; w < whole; w++) {
		uint16_t *x = at + w * 32;
		if (mask[w] == UINT32_MAX) continue;
		if (mask[w])
			mix_16(x, mask[w], low);
		else
			for (int i = 0; i < 32; i++) x[i] = low;
	}
	for (size_t i = w * 32; i < width; i++)
		if (i / 32 >= words || !(mask[i / 32] >> i % 32 & 1)) at[i] = low;
}

static inline __attribute__((always_inline)) void any_row(const gcdc_logits *l, size_t row, const uint32_t *mask,
                                                          size_t words)
{
	size_t first = row * l->stride;
	if (l->type == GCDC_LOGITS_F32)
		row_32((uint32_t *)l->at + first, l->width, mask, words);
	else
		row_16((uint16_t *)l->at + first, l->width, mask, words,
		       l->type == GCDC_LOGITS_F16 ? INFINITE_F16 : INFINITE_BF16);
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void apply_avx2(const gcdc_logits *l, size_t row, const uint32_t *mask,
                                                       size_t words)
{
	any_row(l, row, mask, words);
}
#endif

static void apply_plain(const gcdc_logits *l, size_t row, const uint32_t *mask, size_t words)
{
	any_row(l, row, mask, words);
}

static bool has_avx2(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

gcdc_status gcdc_apply_masks(const gcdc_logits *logits, const uint32_t *masks, size_t mask_words, size_t mask_stride,
                             const int64_t *rows, size_t n)
{
	if (!logits || (n && (!logits->at || !masks)) || (unsigned)logits->type > GCDC_LOGITS_BF16 ||
	    logits->stride < logits->width || mask_stride < mask_words)
		return GCDC_ERR_ARGUMENT;
	bool wide = has_avx2();
	for (size_t i = 0; i < n; i++) {
		if (rows && rows[i] < 0) continue;
		size_t row = rows ? (size_t)rows[i] : i;
		const uint32_t *mask = masks + i * mask_stride;
#if defined(__x86_64__)
		if (wide) {
			apply_avx2(logits, row, mask, mask_words);
			continue;
		}
#endif
		(void)wide;
		apply_plain(logits, row, mask, mask_words);
	}
	return GCDC_OK;
}
