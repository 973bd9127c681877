// The time stamp counter where it ticks evenly, else the system's clock.
//
// In:  nothing. Out: ticks per microsecond, calibrated against CLOCK_MONOTONIC, and what one reading costs.
#include "bench_clock.h"

int bench_clock_is_tsc;

static uint64_t system_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int has_even_tsc(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & 1u << 8)) return 0;  // invariant
	return __get_cpuid(0x80000001u, &a, &b, &c, &d) && (d & 1u << 27) != 0;     // rdtscp
#else
	return 0;
#endif
}

struct bench_clock bench_clock_init(void)
{
	struct bench_clock c = {.us_per_tick = 1e-3, .name = "CLOCK_MONOTONIC"};
	bench_clock_is_tsc = has_even_tsc();
	if (bench_clock_is_tsc) {
		uint64_t begin = system_now(), ticks = bench_clock_now(), now;
		do now = system_now();
		while (now - begin < 20000000u);
		c.us_per_tick = 1e-3 * (double)(now - begin) / (double)(bench_clock_now() - ticks);
		c.name = "rdtscp";
	}
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < 2000; i++) {
		uint64_t t = bench_clock_now(), d = bench_clock_now() - t;
		if (d < least) least = d;
	}
	c.overhead_us = (double)least * c.us_per_tick;
	return c;
}
