// A sort for records of one type, with its comparison inside: libc's calls a function for each.
//
// In:  records, a comparison as qsort takes it.  Out: the records in order, equal ones as they were.
// Runs of a few are put in order by insertion; then two neighbours become one until there is one (merge sort, bottom
// up). Neighbours that are in order as they stand are only copied, so what was sorted piece by piece costs little.
// Cost: n log n comparisons at most; room for n records beyond RUN.
#ifndef GCDC_BASE_SORT_RECORDS_H
#define GCDC_BASE_SORT_RECORDS_H

#include "mem.h"

#define SORT_RUN 12u

#define SORT_RECORDS(name, type, compare)                                                                              \
	static inline void name##_run(type *at, uint32_t n)                                                                \
	{                                                                                                                  \
		for (uint32_t i = 1; i < n; i++) {                                                                             \
			const type x = at[i];                                                                                      \
			uint32_t k = i;                                                                                            \
			for (; k && compare(&at[k - 1], &x) > 0; k--) at[k] = at[k - 1];                                           \
			at[k] = x;                                                                                                 \
		}                                                                                                              \
	}                                                                                                                  \
	static inline void name##_merge(const type *a, uint32_t n, uint32_t n_first, type *to)                             \
	{                                                                                                                  \
		uint32_t i = 0, k = n_first;                                                                                   \
		if (n_first < n && compare(&a[n_first - 1], &a[n_first]) > 0)                                                  \
			while (i < n_first && k < n) *to++ = compare(&a[k], &a[i]) < 0 ? a[k++] : a[i++];                          \
		memcpy(to, a + i, (n_first - i) * sizeof *to);                                                                 \
		memcpy(to + (n_first - i), a + k, (n - k) * sizeof *to);                                                       \
	}                                                                                                                  \
	static inline void name(type *at, uint32_t n)                                                                      \
	{                                                                                                                  \
		for (uint32_t i = 0; i < n; i += SORT_RUN) name##_run(at + i, n - i < SORT_RUN ? n - i : SORT_RUN);            \
		if (n <= SORT_RUN) return;                                                                                     \
		type *from = at, *to = mem_alloc(n * sizeof *to), *spare = to;                                                 \
		for (uint64_t run = SORT_RUN; run < n; run *= 2) {                                                             \
			for (uint64_t i = 0; i < n; i += 2 * run) {                                                                \
				const uint32_t left = (uint32_t)(n - i), both = left < 2 * run ? left : (uint32_t)(2 * run);           \
				name##_merge(from + i, both, both < run ? both : (uint32_t)run, to + i);                               \
			}                                                                                                          \
			type *x = from;                                                                                            \
			from = to, to = x;                                                                                         \
		}                                                                                                              \
		if (from != at) memcpy(at, from, n * sizeof *at);                                                              \
		free(spare);                                                                                                   \
	}

#endif
