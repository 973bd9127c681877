// Ascending order for short lists of numbers, which most are: by insertion, those of some hundred with gaps (Shell's
// sort, Ciura's gaps), without a call for each comparison. One text for both widths.
#ifndef GCDC_BASE_SORT_H
#define GCDC_BASE_SORT_H

#include <stdint.h>
#include <stdlib.h>

#define SORT_SHORT 24u
#define SORT_MIDDLE 1000u  // longer ones: qsort

static inline int sort_compare_uint32_t(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static inline int sort_compare_uint64_t(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

#define SORT_NUMBERS(name, type)                                                                                       \
	static inline void name(type *list, uint32_t n)                                                                    \
	{                                                                                                                  \
		static const uint32_t gaps[] = {301, 132, 57, 23, 10, 4};                                                      \
		uint32_t n_sorted = 1;                                                                                         \
		while (n_sorted < n && list[n_sorted - 1] <= list[n_sorted]) n_sorted++;                                       \
		if (n_sorted >= n) return; /* many come so */                                                                  \
		if (n > SORT_MIDDLE) {                                                                                         \
			qsort(list, n, sizeof *list, sort_compare_##type);                                                         \
			return;                                                                                                    \
		}                                                                                                              \
		for (uint32_t k = 0; n > SORT_SHORT && k < sizeof gaps / sizeof *gaps; k++)                                    \
			for (uint32_t gap = gaps[k], i = gap; i < n; i++) {                                                        \
				type x = list[i];                                                                                      \
				uint32_t at = i;                                                                                       \
				for (; at >= gap && list[at - gap] > x; at -= gap) list[at] = list[at - gap];                          \
				list[at] = x;                                                                                          \
			}                                                                                                          \
		for (uint32_t i = 1; i < n; i++) {                                                                             \
			type x = list[i];                                                                                          \
			uint32_t at = i;                                                                                           \
			for (; at && list[at - 1] > x; at--) list[at] = list[at - 1];                                              \
			list[at] = x;                                                                                              \
		}                                                                                                              \
	}
SORT_NUMBERS(sort_u32, uint32_t)
SORT_NUMBERS(sort_u64, uint64_t)
#undef SORT_NUMBERS

#endif
