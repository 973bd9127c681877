// Threads are started for each piece of work: some twenty microseconds, for work of many milliseconds.
#define _GNU_SOURCE  // sched_getaffinity
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "work.h"

struct share {
	void (*work)(void *context, uint32_t i);
	void *context;
	uint32_t i;
	struct work_place *of;
	bool given_up;
	struct work_left left;
};

static void run_share(void *share)
{
	const struct share *x = share;
	x->work(x->context, x->i);
}

static void *run(void *share)
{
	struct share *x = share;
	x->given_up = !work_beside(x->of, run_share, x, &x->left);
	return NULL;
}

void parallel_run(uint32_t n, void (*work)(void *context, uint32_t i), void *context)
{
	pthread_t thread[PARALLEL_MAX_THREADS];
	struct share share[PARALLEL_MAX_THREADS];
	bool started[PARALLEL_MAX_THREADS] = {0};
	if (n > PARALLEL_MAX_THREADS) n = PARALLEL_MAX_THREADS;
	for (uint32_t i = 0; i < n; i++) share[i] = (struct share){work, context, i, work_here(), false, {0}};
	for (uint32_t i = 1; i < n; i++) started[i] = pthread_create(&thread[i], NULL, run, &share[i]) == 0;
	bool given_up = false;
	for (uint32_t i = 0; i < n; i++) {
		if (started[i])
			pthread_join(thread[i], NULL);
		else
			run(&share[i]);
		given_up |= share[i].given_up;
	}
	for (uint32_t i = 0; i < n; i++) work_free_left(&share[i].left);
	if (given_up) work_give_up_too();
}

uint32_t parallel_processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set)) return 1;
	uint32_t n = (uint32_t)CPU_COUNT(&set);
	return n < 1 ? 1 : n > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : n;
}
