// Fibers that run a block's threads (simt.cuh).
//
// In:  a kernel's code, a number of threads.  Out: it has run, as all of them. One fiber at a time; at a barrier it
// gives way to another one that may run, chosen at random. A fiber that waits where others have ended, or wait for
// something else, would hang a GPU or do worse: the program ends with a message. Fibers are begun by makecontext and
// switched by __builtin_longjmp, which asks nothing of the system. Cost: a switch for each thread and barrier, tens of
// nanoseconds.
#include "simt.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

// A switch changes any register: nothing may be assumed of what these functions leave alone.
#ifdef __clang__
#define SWITCHES __attribute__((noinline))
#else
#define SWITCHES __attribute__((noipa))
#endif
#define MAX_THREADS 1024u
#define STACK (64u << 10)

enum wait { RUNS, AT_WARP, AT_EXCHANGE, AT_BLOCK, ENDED };
static struct fiber {
	ucontext_t context;
	void *place[5];  // where it goes on, once it has begun
	bool has_begun;
	char *stack;
	enum wait wait;
	uint64_t value;
} fibers[MAX_THREADS];
static void *scheduler[5];
static uint32_t n_fibers, current;
static void (*run_body)(void *);
static void *run_context;
static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state % n);
}

uint32_t simt_thread(void) { return current; }

// Jumps, never from a function that is jumped to.
static SWITCHES void to_scheduler(void) { __builtin_longjmp(scheduler, 1); }
static SWITCHES void to_fiber(struct fiber *f)
{
	if (f->has_begun) __builtin_longjmp(f->place, 1);
	f->has_begun = true;
	setcontext(&f->context);
}

static SWITCHES void wait_for(enum wait wait)
{
	struct fiber *f = &fibers[current];
	f->wait = wait;
	if (!__builtin_setjmp(f->place)) to_scheduler();
}
void simt_sync_warp(void) { wait_for(AT_WARP); }
void simt_sync_block(void) { wait_for(AT_BLOCK); }
uint64_t simt_exchange(uint64_t value, uint32_t from)
{
	uint32_t warp = current / 32 * 32;
	fibers[current].value = value;
	wait_for(AT_EXCHANGE);
	uint64_t got = fibers[warp + from].value;
	wait_for(AT_EXCHANGE);  // until all have read
	return got;
}
uint32_t simt_ballot(bool value)
{
	uint32_t warp = current / 32 * 32, bits = 0;
	fibers[current].value = value;
	wait_for(AT_EXCHANGE);
	for (uint32_t l = 0; l < 32; l++) bits |= (uint32_t)(fibers[warp + l].value != 0) << l;
	wait_for(AT_EXCHANGE);
	return bits;
}

static void enter(void)
{
	run_body(run_context);
	fibers[current].wait = ENDED;
	to_scheduler();
}

// Runs the current fiber until it waits.
static SWITCHES void go_on(void)
{
	if (!__builtin_setjmp(scheduler)) to_fiber(&fibers[current]);
}

// All of the fibers from .. to wait likewise: they go on.
static bool release(uint32_t from, uint32_t to, bool is_block)
{
	enum wait wait = fibers[from].wait;
	if (wait == RUNS || wait == ENDED || (wait == AT_BLOCK) != is_block) return false;
	for (uint32_t i = from; i < to; i++)
		if (fibers[i].wait != wait) return false;
	for (uint32_t i = from; i < to; i++) fibers[i].wait = RUNS;
	return true;
}

void simt_run(uint32_t threads, void (*body)(void *), void *context)
{
	uint32_t ready[MAX_THREADS], n = 0;
	n_fibers = threads;
	run_body = body;
	run_context = context;
	for (uint32_t i = 0; i < threads; i++) {
		struct fiber *f = &fibers[i];
		if (!f->stack) f->stack = (char *)malloc(STACK);  // kept for the next block
		getcontext(&f->context);
		f->context.uc_stack.ss_sp = f->stack;
		f->context.uc_stack.ss_size = STACK;
		f->context.uc_link = nullptr;
		makecontext(&f->context, enter, 0);
		f->wait = RUNS;
		f->has_begun = false;
		ready[n++] = i;
	}
	for (uint32_t ended = 0; ended < threads;) {
		if (!n) {
			fprintf(stderr, "simt: a barrier is not reached by all threads:");
			for (uint32_t i = 0; i < threads; i += 32) fprintf(stderr, " %d", (int)fibers[i].wait);
			fprintf(stderr, " (of each warp's first)\n");
			abort();
		}
		uint32_t k = random_below(n);
		current = ready[k];
		ready[k] = ready[--n];
		go_on();
		if (fibers[current].wait == ENDED) ended++;
		uint32_t warp = current / 32 * 32;
		if (release(warp, warp + 32, false)) {
			for (uint32_t i = warp; i < warp + 32; i++) ready[n++] = i;
		} else if (!n && release(0, threads, true)) {
			for (uint32_t i = 0; i < threads; i++) ready[n++] = i;
		}
	}
}
