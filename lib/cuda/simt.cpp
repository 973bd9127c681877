// Fibers that run a block's threads (simt.cuh).
//
// In:  a kernel's code, a number of threads.  Out: it has run, as all of them. One fiber at a time; at a barrier it
// gives way to another one that may run, chosen at random, mostly of the same block. A fiber that waits where others
// have ended, or wait for something else, would hang a GPU or do worse: the program ends with a message. Fibers are
// begun by makecontext and switched by __builtin_longjmp, which asks nothing of the system. Cost: a switch for each
// thread and barrier, tens of nanoseconds.
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
#define MAX_BLOCK_THREADS 1024u
#define MAX_THREADS (MAX_BLOCK_THREADS * TEAM_OF_FIBERS)
#define STACK (64u << 10)

enum wait { RUNS, AT_WARP, AT_EXCHANGE, AT_BLOCK, AT_TEAM, ENDED };
static struct fiber {
	ucontext_t context;
	void *place[5];  // where it goes on, once it has begun
	bool has_begun;
	char *stack;
	enum wait wait;
	uint64_t value;
} fibers[MAX_THREADS];
static void *scheduler[5];
static uint32_t block_threads, current;
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

uint32_t simt_thread(void) { return current % block_threads; }
uint32_t simt_block(void) { return current / block_threads; }

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
void simt_sync_team(void) { wait_for(AT_TEAM); }
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

// All of the fibers from .. to wait at one barrier: they go on.
static bool release(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (fibers[i].wait != fibers[from].wait) return false;
	for (uint32_t i = from; i < to; i++) fibers[i].wait = RUNS;
	return true;
}

// Fibers of a block that may run; how many wait for the block.
static struct block {
	uint32_t ready[MAX_BLOCK_THREADS], n, at_block;
} blocks_of[TEAM_OF_FIBERS];

static void make_ready(uint32_t from, uint32_t to)
{
	struct block *b = &blocks_of[from / block_threads];
	for (uint32_t i = from; i < to; i++) b->ready[b->n++] = i;
}

static void begin(uint32_t i)
{
	struct fiber *f = &fibers[i];
	if (!f->stack) f->stack = (char *)malloc(STACK);  // kept for the next block
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->stack;
	f->context.uc_stack.ss_size = STACK;
	f->context.uc_link = nullptr;
	makecontext(&f->context, enter, 0);
	f->wait = RUNS;
	f->has_begun = false;
}

// A block that has something to run: mostly the one that ran last, so that one gets far ahead of the other.
static uint32_t choose_block(uint32_t last, uint32_t blocks, uint32_t threads)
{
	uint32_t b = random_below(64) ? last : random_below(blocks);
	for (uint32_t k = 0; k < blocks; k++, b = (b + 1) % blocks)
		if (blocks_of[b].n) return b;
	fprintf(stderr, "simt: a barrier is not reached by all threads:");
	for (uint32_t i = 0; i < threads * blocks; i += 32) fprintf(stderr, " %d", (int)fibers[i].wait);
	fprintf(stderr, " (of each warp's first)\n");
	abort();
}

void simt_run_team(uint32_t threads, uint32_t blocks, void (*body)(void *), void *context)
{
	uint32_t all = threads * blocks, b = 0, at_team = 0;
	block_threads = threads;
	run_body = body;
	run_context = context;
	for (uint32_t i = 0; i < all; i++) begin(i);
	for (uint32_t k = 0; k < blocks; k++) {
		blocks_of[k].n = blocks_of[k].at_block = 0;
		make_ready(k * threads, (k + 1) * threads);
	}
	for (uint32_t ended = 0; ended < all;) {
		b = choose_block(b, blocks, threads);
		struct block *block = &blocks_of[b];
		uint32_t k = random_below(block->n);
		current = block->ready[k];
		block->ready[k] = block->ready[--block->n];
		go_on();
		enum wait wait = fibers[current].wait;
		uint32_t warp = current / 32 * 32;
		ended += wait == ENDED;
		block->at_block += wait == AT_BLOCK;
		at_team += wait == AT_TEAM;
		if ((wait == AT_WARP || wait == AT_EXCHANGE) && release(warp, warp + 32)) make_ready(warp, warp + 32);
		if (block->at_block == threads && release(b * threads, (b + 1) * threads)) {
			block->at_block = 0;
			make_ready(b * threads, (b + 1) * threads);
		}
		if (at_team < all || !release(0, all)) continue;
		at_team = 0;
		for (uint32_t e = 0; e < blocks; e++) make_ready(e * threads, (e + 1) * threads);
	}
}
