// Milliseconds of a clock that only goes forward.
#ifndef GCDC_TESTS_TOOLS_CLOCK_H
#define GCDC_TESTS_TOOLS_CLOCK_H

#include <time.h>

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif
