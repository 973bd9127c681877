// The binary searches, for the compiler and the runtime.
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

// Sets i, a variable, to the last of the n > 0 numbers from i on for which `is_at_most`, an expression over i, is true;
// leaves it where there is none. Without branches: no processor foresees where a search of a stack's frames ends.
#define LAST_AT_MOST(i, n, is_at_most)                                                                                 \
	do {                                                                                                               \
		__typeof__(i) low_ = (i), n_ = (n);                                                                            \
		while (n_ > 1) {                                                                                               \
			(i) = low_ + n_ / 2;                                                                                       \
			low_ = (is_at_most) ? (i) : low_;                                                                          \
			n_ -= n_ / 2;                                                                                              \
		}                                                                                                              \
		(i) = low_;                                                                                                    \
	} while (0)

// The place of the last of the n > 0 numbers, which ascend, that is at most x; 0 where all are more.
static inline uint32_t number_at_most(const uint32_t *at, uint32_t n, uint32_t x)
{
	uint32_t i = 0;
	LAST_AT_MOST(i, n, at[i] <= x);
	return i;
}

#endif
