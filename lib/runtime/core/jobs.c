// Jobs that some threads share while an artifact is opened.
//
// In:  n jobs, which may run in any order and at the same time.  Out: GCDC_OK, or what the first one said that failed.
// The caller's thread works, too. A thread that cannot be had is no error: the others do its share. Jobs take no memory
// of the caller's: it would be asked for it by a thread that it does not know. Signals go to the caller's threads.
// Cost: some 50 microseconds a thread.
#include "runtime_internal.h"

#include <pthread.h>
#include <signal.h>

struct jobs {
	job_fn *job;
	void *context;
	uint32_t n;
	uint32_t next;    // atomic: the first that nobody has begun
	uint32_t failed;  // atomic: the least number of a job that failed; n: none
};
struct worker {
	struct jobs *jobs;
	uint32_t number;
	uint32_t at;  // the job that failed
	gcdc_status status;
	gcdc_refusal why;
	pthread_t thread;
};

static void lower(uint32_t *least, uint32_t x)
{
	uint32_t is = __atomic_load_n(least, __ATOMIC_RELAXED);
	while (x < is && !__atomic_compare_exchange_n(least, &is, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
}

// Numbers ascend, so what follows a worker's first failure is not needed: all jobs before it are done by somebody.
static void *work(void *worker)
{
	struct worker *w = worker;
	struct jobs *x = w->jobs;
	while (!w->status) {
		const uint32_t i = __atomic_fetch_add(&x->next, 1, __ATOMIC_RELAXED);
		if (i >= x->n || i > __atomic_load_n(&x->failed, __ATOMIC_RELAXED)) break;
		w->status = x->job(x->context, i, w->number, &w->why);
		w->at = i;
		if (w->status) lower(&x->failed, i);
	}
	return NULL;
}

// How many workers there are besides the caller.
static uint32_t begin(struct worker *workers, uint32_t n)
{
	sigset_t all, before;
	uint32_t begun = 0;
	if (!n) return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (begun < n && !pthread_create(&workers[begun].thread, NULL, work, &workers[begun])) begun++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return begun;
}

gcdc_status jobs_run(uint32_t threads, uint32_t n, job_fn *job, void *context, gcdc_refusal *why)
{
	struct jobs x = {job, context, n, 0, n};
	struct worker workers[OPEN_MAX_THREADS];
	threads = threads < n ? threads : n;
	assert(threads <= OPEN_MAX_THREADS);
	for (uint32_t i = 0; i < OPEN_MAX_THREADS; i++)
		workers[i] = (struct worker){.jobs = &x, .number = i, .why = {.section = GCDC_NONE}};
	const uint32_t begun = threads > 1 ? begin(workers + 1, threads - 1) : 0;
	work(&workers[0]);
	for (uint32_t i = 1; i <= begun; i++) pthread_join(workers[i].thread, NULL);
	for (uint32_t i = 0; i <= begun; i++)
		if (workers[i].status && workers[i].at == x.failed) {
			if (why) *why = workers[i].why;
			return workers[i].status;
		}
	return GCDC_OK;
}

uint32_t open_threads(uint32_t asked)
{
	const uint32_t most = asked < OPEN_MAX_THREADS ? asked : OPEN_MAX_THREADS;
	return most ? most : 1;
}
