// The one binary search, for the compiler and the runtime.
#ifndef GCDC_SHARED_SEARCH_H
#define GCDC_SHARED_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

// Sets i, a variable, to the first number of [from, to) for which `is_before`, an expression over i, is false; to `to`
// where there is none. is_before must be true up to there and false from there on. O(log n) evaluations.
//
//     uint32_t k;
//     LOWER_BOUND(k, 0, n, at[k] < x);
//     return k < n && at[k] == x;
#define LOWER_BOUND(i, from, to, is_before)                                                                            \
	do {                                                                                                               \
		__typeof__(i) low_ = (from), high_ = (to);                                                                     \
		while (low_ < high_) {                                                                                         \
			(i) = low_ + (high_ - low_) / 2;                                                                           \
			if (is_before)                                                                                             \
				low_ = (i) + 1;                                                                                        \
			else                                                                                                       \
				high_ = (i);                                                                                           \
		}                                                                                                              \
		(i) = low_;                                                                                                    \
	} while (0)

// Is x one of the n numbers at `at`, which ascend?
static inline bool number_among(const uint32_t *at, uint32_t n, uint32_t x)
{
	uint32_t i;
	LOWER_BOUND(i, 0, n, at[i] < x);
	return i < n && at[i] == x;
}

#endif
