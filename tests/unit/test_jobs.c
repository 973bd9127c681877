// Jobs that threads share while an artifact is opened: each is done once; of those that fail the first one counts.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"

#include "packed_text.h"

#include <pthread.h>
#include <signal.h>

#define MOST 500u

struct context {
	uint32_t done[MOST], by[OPEN_MAX_THREADS];
	bool fails[MOST];
};

static gcdc_status job(void *context, uint32_t i, uint32_t worker, gcdc_refusal *why)
{
	struct context *x = context;
	__atomic_fetch_add(&x->done[i], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&x->by[worker], 1, __ATOMIC_RELAXED);
	return x->fails[i] ? refuse(why, i % 2 ? GCDC_ERR_FORMAT : GCDC_ERR_LIMIT, i, 3 * i, "job %u", i) : GCDC_OK;
}

Test(jobs, each_is_done_once_by_a_worker_that_there_is)
{
	for (uint32_t threads = 1; threads <= OPEN_MAX_THREADS; threads++)
		for (uint32_t n = 0; n < MOST; n = n < 6 ? n + 1 : n * 2) {
			struct context x = {0};
			uint32_t by = 0;
			cr_assert_eq(jobs_run(threads, n, job, &x, NULL), GCDC_OK);
			for (uint32_t i = 0; i < MOST; i++) cr_assert_eq(x.done[i], i < n, "job %u of %u", i, n);
			for (uint32_t i = 0; i < threads; i++) by += x.by[i];
			cr_assert_eq(by, n);
		}
}

Test(jobs, the_first_that_fails_counts_and_all_before_it_are_done)
{
	for (uint32_t round = 0; round < 400; round++) {
		struct context x = {0};
		gcdc_refusal why = {.section = 77};
		const uint32_t n = 1 + round, first = round * 7919u % n;
		for (uint32_t i = first; i < n; i += 1 + (i + round) % 5) x.fails[i] = true;
		const gcdc_status status = jobs_run(1 + round % OPEN_MAX_THREADS, n, job, &x, &why);
		cr_assert_eq(status, first % 2 ? GCDC_ERR_FORMAT : GCDC_ERR_LIMIT);
		cr_assert(why.section == first && why.offset == 3ull * first && atoi(why.what + 4) == (int)first, "%s",
		          why.what);
		for (uint32_t i = 0; i <= first; i++) cr_assert_eq(x.done[i], 1);
		cr_assert_eq(jobs_run(2, n, job, &x, NULL), status);  // nobody asks why
	}
}

// Four begin together; the fifth job fails first, then the second, then the rest.
struct race {
	uint32_t begun, failed[5];
};

static void wait_for(const uint32_t *x, uint32_t least)
{
	const struct timespec little = {0, 50000};
	while (__atomic_load_n(x, __ATOMIC_ACQUIRE) < least) nanosleep(&little, NULL);
}

static gcdc_status job_of_race(void *race, uint32_t i, uint32_t worker, gcdc_refusal *why)
{
	struct race *x = race;
	const struct timespec while_it_is_told = {0, 1000000};
	(void)worker;
	__atomic_fetch_add(&x->begun, 1, __ATOMIC_RELEASE);
	wait_for(&x->begun, 4);
	if (i == 0) return GCDC_OK;
	if (i < 4) {
		wait_for(&x->failed[i == 1 ? 4 : 1], 1);
		nanosleep(&while_it_is_told, NULL);
	}
	__atomic_store_n(&x->failed[i], 1, __ATOMIC_RELEASE);
	return refuse(why, GCDC_ERR_FORMAT, i, 0, "job %u", i);
}

Test(jobs, a_later_job_may_fail_earlier, .timeout = 60)
{
	for (uint32_t round = 0; round < 20; round++) {
		struct race x = {0};
		gcdc_refusal why;
		cr_assert_eq(jobs_run(4, 5, job_of_race, &x, &why), GCDC_ERR_FORMAT);
		cr_expect_eq(why.section, 1, "%s", why.what);
	}
}

static gcdc_status look_at_signals(void *blocked, uint32_t i, uint32_t worker, gcdc_refusal *why)
{
	(void)i, (void)why;
	sigset_t now;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	if (sigismember(&now, SIGUSR1)) __atomic_fetch_or((uint32_t *)blocked, 1u << worker, __ATOMIC_RELAXED);
	struct timespec while_others_begin = {0, 2000000};
	nanosleep(&while_others_begin, NULL);
	return GCDC_OK;
}

Test(jobs, other_threads_take_no_signals)
{
	uint32_t blocked = 0;
	sigset_t now;
	cr_assert_eq(jobs_run(OPEN_MAX_THREADS, 40, look_at_signals, &blocked, NULL), GCDC_OK);
	cr_expect_eq(blocked, (1u << OPEN_MAX_THREADS) - 2, "%x", blocked);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	cr_expect(!sigismember(&now, SIGUSR1));
}

Test(jobs, the_caller_opens_alone_unless_it_asks)
{
	cr_expect_eq(open_threads(0), 1);
	cr_expect_eq(open_threads(1), 1);
	cr_expect_eq(open_threads(3), 3);
	cr_expect_eq(open_threads(1000), OPEN_MAX_THREADS);
}

Test(jobs, an_artifact_is_the_same_however_many_threads_open_it)
{
	static const char text[] =
		"start: (NAME \"=\" value \";\")*\nvalue: NAME | STRING | \"(\" value (\",\" value)* \")\"\n"
		"NAME: /[a-z]+/\nSTRING: /\"[^\"]*\"/\n%ignore / +/\n";
	size_t len;
	uint8_t *bytes = packed_text(text, COMPILE_COSTS_OFF, false, &len);
	gcdc_artifact *a[OPEN_MAX_THREADS];
	for (uint32_t k = 0; k < OPEN_MAX_THREADS; k++)
		cr_assert_eq(gcdc_artifact_open_memory(bytes, len, &(gcdc_open_options){.threads = k + 1}, &a[k], NULL),
		             GCDC_OK);
	uint32_t n = 0;
	for (uint32_t k = 1; k < OPEN_MAX_THREADS; k++)
		for (uint32_t id = 0; id < SECTION_IDS; id++) {
			cr_assert(!a[0]->section[id] == !a[k]->section[id] && a[0]->section_size[id] == a[k]->section_size[id]);
			if (!a[0]->section[id]) continue;
			cr_expect(!memcmp(a[0]->section[id], a[k]->section[id], a[0]->section_size[id]), "section %u", id);
			n++;
		}
	cr_expect_gt(n, 60);
	for (uint32_t k = 0; k < OPEN_MAX_THREADS; k++) gcdc_artifact_close(a[k]);
	free(bytes);
}
