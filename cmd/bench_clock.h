// A clock for tens of nanoseconds.
#ifndef GCDC_CMD_BENCH_CLOCK_H
#define GCDC_CMD_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

struct bench_clock {
	double us_per_tick;
	double overhead_us;  // between two readings with nothing between them: the least of many
	const char *name;
};
extern int bench_clock_is_tsc;

static inline uint64_t bench_clock_now(void)
{
#if defined(__x86_64__)
	if (bench_clock_is_tsc) {
		unsigned aux;
		uint64_t t = __rdtscp(&aux);  // waits for what is before it
		_mm_lfence();                 // and what is after it waits
		return t;
	}
#endif
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Chooses the clock and measures it; takes 20 ms.
struct bench_clock bench_clock_init(void);

#endif
