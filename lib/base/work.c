// Works: places in threads to jump back to, and sets of blocks to free. See work.h.
//
// Each thread that takes part has a place: where to jump back to, the blocks it allocated, what it is at. Places of one
// work are joined: a block may be freed by another thread of the work, so a set has a lock, which hardly ever waits.
// Cost: some 30 ns for a block. The clock is read every few thousand allocations.
#include "work.h"
#include "parallel.h"
#include "../shared/hash.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct owned {
	void *p;  // NULL: free
	size_t size;
};

// Open addressing; the table is libc's own memory, not counted.
struct owned_set {
	struct owned *at;
	size_t n, cap;  // cap: a power of two, or 0
	atomic_flag lock;
};

struct work {
	struct work *outer;
	const struct work_limits *limits;
	_Atomic uint64_t bytes, peak;
	_Atomic uint64_t next_look;  // ns
	uint64_t begin;              // ns
	_Atomic bool is_over;        // given up: all its threads leave
	pthread_mutex_t lock;        // of result and places
	pthread_mutex_t asking;      // of go_on
	struct work_result *result;
	struct work_place *places;  // in any thread
};

struct work_place {
	jmp_buf back;
	struct work *work;
	struct work_place *of;      // this thread's, or the one that started the thread; NULL: outermost
	struct work_place *inside;  // what `here` was before
	struct work_place *next;    // of the work's places
	struct owned_set blocks;
	struct work_cleanup *cleanups;
	uint32_t ticks;
	const char *stage, *kind, *name;
	struct loc loc;
};

#ifdef __GLIBC__
#define HERE_MODEL __attribute__((tls_model("initial-exec")))  // a word in each thread: read without a call
#else
#define HERE_MODEL
#endif
static HERE_MODEL _Thread_local struct work_place *here;
static _Atomic uint64_t n_tried, fail_from, fail_to;  // tests: allocations [from, to) fail

#define LOOK_EVERY 1024u   // ticks
#define LOOK_NS 50000000u  // at most so often is the caller asked

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// --- Sets of blocks --------------------------------------------------------------------------------------------------

static void lock(struct owned_set *s)
{
	while (atomic_flag_test_and_set_explicit(&s->lock, memory_order_acquire)) sched_yield();
}
static void unlock(struct owned_set *s) { atomic_flag_clear_explicit(&s->lock, memory_order_release); }

static size_t home_of(const struct owned_set *s, const void *p)
{
	return (size_t)(hash_u64((uintptr_t)p >> 4) >> 20) & (s->cap - 1);
}

static size_t slot_of(const struct owned_set *s, const void *p)
{
	size_t i = home_of(s, p);
	while (s->at[i].p && s->at[i].p != p) i = (i + 1) & (s->cap - 1);
	return i;
}

// Room for n more. False: there is no memory for it.
static bool make_room(struct owned_set *s, size_t n)
{
	size_t cap = s->cap ? s->cap : 4 * PARALLEL_MAX_THREADS;  // blocks that other threads put back find room
	while (2 * (s->n + n) > cap) cap *= 2;
	if (cap == s->cap) return true;
	struct owned_set old = {.at = s->at, .cap = s->cap};
	struct owned *at = work_must_fail() ? NULL : calloc(cap, sizeof *at);
	if (!at) return false;
	s->at = at, s->cap = cap;
	for (size_t i = 0; i < old.cap; i++)
		if (old.at[i].p) s->at[slot_of(s, old.at[i].p)] = old.at[i];
	free(old.at);
	return true;
}

static void put(struct owned_set *s, void *p, size_t size)
{
	s->at[slot_of(s, p)] = (struct owned){p, size};
	s->n++;
}

// Takes it out, and moves up those behind it that stood there for want of its place.
static bool take(struct owned_set *s, const void *p, size_t *size)
{
	if (!s->cap) return false;
	size_t hole = slot_of(s, p), mask = s->cap - 1;
	if (!s->at[hole].p) return false;
	*size = s->at[hole].size;
	s->n--;
	for (size_t i = (hole + 1) & mask; s->at[i].p; i = (i + 1) & mask) {
		if (((i - home_of(s, s->at[i].p)) & mask) < ((i - hole) & mask)) continue;
		s->at[hole] = s->at[i];
		hole = i;
	}
	s->at[hole].p = NULL;
	return true;
}

// --- Accounts
// ----------------------------------------------------------------------------------------------------------

static void add_bytes(struct work *w, uint64_t size)
{
	for (; w; w = w->outer) {
		uint64_t now = atomic_fetch_add_explicit(&w->bytes, size, memory_order_relaxed) + size;
		uint64_t peak = atomic_load_explicit(&w->peak, memory_order_relaxed);
		while (now > peak && !atomic_compare_exchange_weak(&w->peak, &peak, now)) {
		}
	}
}

static void take_bytes(struct work *w, uint64_t size)
{
	for (; w; w = w->outer) atomic_fetch_sub_explicit(&w->bytes, size, memory_order_relaxed);
}

// --- Giving up
// ---------------------------------------------------------------------------------------------------------

static void copy_name(char to[WORK_NAME], const char *from)
{
	size_t n = from ? strlen(from) : 0;
	if (n >= WORK_NAME) n = WORK_NAME - 1;
	while (from && n && n == WORK_NAME - 1 && ((unsigned char)from[n] & 0xC0) == 0x80) n--;  // between code points
	if (n) memcpy(to, from, n);
	to[n] = 0;
}

static _Noreturn void leave(void)
{
	struct work_place *p = here;
	while (p->cleanups) {
		struct work_cleanup *c = p->cleanups;
		p->cleanups = c->before;
		c->release(c->what);
	}
	longjmp(p->back, 1);
}

// The first thread that has a reason says it.
static _Noreturn void give_up(struct work_result why)
{
	struct work_place *p = here;
	struct work *w = p->work;
	pthread_mutex_lock(&w->lock);
	if (w->result->end == WORK_DONE) {
		copy_name(why.stage, p->stage), copy_name(why.kind, p->kind), copy_name(why.name, p->name);
		why.loc = p->loc;
		*w->result = why;
	}
	pthread_mutex_unlock(&w->lock);
	atomic_store(&w->is_over, true);
	leave();
}

void work_give_up_too(void)
{
	if (here && atomic_load(&here->work->is_over)) leave();
}

void work_too_large(const char *limit, uint64_t value) { work_too_large_for(limit, value, NULL); }

void work_too_large_for(const char *limit, uint64_t value, const char *advice)
{
	if (here)
		give_up((struct work_result){.end = WORK_TOO_LARGE, .limit = limit, .max_bytes = value, .advice = advice});
	fprintf(stderr, "gcdc: limit %s\n", limit);
	abort();
}

void work_out_of_memory(size_t size)
{
	if (here) give_up((struct work_result){.end = WORK_NO_MEMORY, .max_bytes = size});
	fprintf(stderr, "gcdc: out of memory (asked for %zu bytes)\n", size);  // outside of all works: the caller's own
	abort();
}

void work_bug(const char *file, int line, const char *condition)
{
	for (struct work *w = here ? here->work : NULL; w; w = w->outer)
		if (w->limits && w->limits->outlives_bugs)
			give_up((struct work_result){
				.end = WORK_BUG, .limit = condition, .file = file, .max_bytes = line > 0 ? (uint64_t)line : 0});
}

void work_fail(void) { give_up((struct work_result){.end = WORK_FAILED}); }

void work_cancel(void) { give_up((struct work_result){.end = WORK_CANCELLED}); }

static void look(void)
{
	uint64_t now = now_ns();
	for (struct work *w = here->work; w; w = w->outer) {
		if (atomic_load(&w->is_over)) {
			atomic_store(&here->work->is_over, true);
			leave();
		}
		double seconds = (double)(now - w->begin) * 1e-9, most = w->limits ? w->limits->max_seconds : 0;
		if (most > 0 && seconds > most) give_up((struct work_result){.end = WORK_MAX_SECONDS, .max_seconds = most});
		if (!w->limits || !w->limits->go_on || now < atomic_load(&w->next_look)) continue;
		if (pthread_mutex_trylock(&w->asking)) continue;
		atomic_store(&w->next_look, now + LOOK_NS);
		bool goes_on = w->limits->go_on(w->limits->user);
		pthread_mutex_unlock(&w->asking);
		if (!goes_on) work_cancel();
	}
}

void work_look(void)
{
	if (here) look();
}

void work_check(void)
{
	if (here && ++here->ticks % LOOK_EVERY == 0) look();
}

void work_expect(size_t size)
{
	if (!here) return;
	work_check();
	for (struct work *w = here->work; w; w = w->outer) {
		uint64_t most = w->limits ? w->limits->max_bytes : 0;
		if (most && (size > most || atomic_load_explicit(&w->bytes, memory_order_relaxed) > most - size))
			give_up((struct work_result){.end = WORK_MAX_MEMORY, .max_bytes = most});
	}
}

bool work_own(struct work_place *at, void *p, size_t size)
{
	if (!at) return true;
	lock(&at->blocks);
	const bool has_room = make_room(&at->blocks, 1);
	if (has_room) put(&at->blocks, p, size);
	unlock(&at->blocks);
	if (has_room) add_bytes(at->work, size);
	return has_room;
}

void work_put_back(struct work_place *at, void *p, size_t size, size_t before)
{
	if (!at) return;
	lock(&at->blocks);
	put(&at->blocks, p, size);
	unlock(&at->blocks);
	if (size > before) add_bytes(at->work, size - before);
	if (size < before) take_bytes(at->work, before - size);
}

static bool take_from(struct work_place *at, void *p, size_t *size)
{
	lock(&at->blocks);
	bool had = take(&at->blocks, p, size);
	unlock(&at->blocks);
	return had;
}

// Nearly always it is this place's own. Else another thread's, or of a work around.
struct work_place *work_take(void *p, size_t *size)
{
	if (!here || !p) return NULL;
	if (take_from(here, p, size)) return here;
	struct work_place *owner = NULL;
	for (struct work *w = here->work; w && !owner; w = w->outer) {
		pthread_mutex_lock(&w->lock);
		for (struct work_place *at = w->places; at && !owner; at = at->next)
			if (take_from(at, p, size)) owner = at;
		pthread_mutex_unlock(&w->lock);
	}
	return owner;
}

void work_disown(void *p)
{
	size_t size;
	struct work_place *owner = work_take(p, &size);
	if (owner) take_bytes(owner->work, size);
}

// --- Places
// ------------------------------------------------------------------------------------------------------------

struct work_place *work_here(void) { return here; }

void work_free_left(struct work_left *left)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < left->n; i++) {
		bytes += left->at[i].p ? left->at[i].size : 0;
		free(left->at[i].p);
	}
	take_bytes(left->of, bytes);
	free(left->at);
	*left = (struct work_left){0};
}

// What is left goes to the place around; false: there is no memory for that.
static bool pass_blocks(struct work_place *p)
{
	struct work_place *to = p->of;
	if (!to) return true;
	lock(&to->blocks);
	bool has_room = make_room(&to->blocks, p->blocks.n);
	for (size_t i = 0; i < p->blocks.cap && has_room; i++)
		if (p->blocks.at[i].p) put(&to->blocks, p->blocks.at[i].p, p->blocks.at[i].size);
	unlock(&to->blocks);
	return has_room;
}

static void enter(struct work_place *p)
{
	atomic_flag_clear(&p->blocks.lock);
	p->inside = here;
	pthread_mutex_lock(&p->work->lock);
	p->next = p->work->places, p->work->places = p;
	pthread_mutex_unlock(&p->work->lock);
	here = p;
}

// True: it ran to its end, and what it left belongs to the place around.
static bool run_in(struct work_place *p, void (*run)(void *context), void *context, struct work_left *left)
{
	volatile bool is_done = false;
	enter(p);
	if (setjmp(p->back) == 0) {
		run(context);
		is_done = true;
	}
	here = p->inside;
	pthread_mutex_lock(&p->work->lock);  // nobody looks for a block while blocks move
	struct work_place **at = &p->work->places;
	while (*at != p) at = &(*at)->next;
	*at = p->next;
	bool ok = is_done && pass_blocks(p);
	pthread_mutex_unlock(&p->work->lock);
	if (ok)
		free(p->blocks.at);
	else
		*left = (struct work_left){p->work, p->blocks.at, p->blocks.cap};
	return ok;
}

static void inherit(struct work_place *p, const struct work_place *of)
{
	if (of) p->stage = of->stage, p->kind = of->kind, p->name = of->name, p->loc = of->loc;
}

bool work_run(const struct work_limits *limits, void (*run)(void *context), void *context, struct work_result *r)
{
	*r = (struct work_result){0};
	struct work w = {.outer = here ? here->work : NULL, .limits = limits, .begin = now_ns(), .result = r};
	pthread_mutex_init(&w.lock, NULL);
	pthread_mutex_init(&w.asking, NULL);
	struct work_place p = {.work = &w, .of = here};
	inherit(&p, here);
	struct work_left left = {0};
	const bool is_done = run_in(&p, run, context, &left);
	work_free_left(&left);
	if (!is_done && r->end == WORK_DONE) r->end = WORK_NO_MEMORY;  // for what it left
	r->peak_bytes = atomic_load(&w.peak);
	pthread_mutex_destroy(&w.lock);
	pthread_mutex_destroy(&w.asking);
	if (is_done) return true;
	for (const struct work *o = w.outer; o; o = o->outer)
		if (atomic_load(&o->is_over)) leave();  // and so is what it was a part of
	return false;
}

bool work_beside(struct work_place *of, void (*run)(void *context), void *context, struct work_left *left)
{
	if (!of) {
		run(context);
		return true;
	}
	struct work_place p = {.work = of->work, .of = of};
	inherit(&p, of);
	if (run_in(&p, run, context, left)) return true;
	pthread_mutex_lock(&p.work->lock);
	if (p.work->result->end == WORK_DONE) p.work->result->end = WORK_NO_MEMORY;
	pthread_mutex_unlock(&p.work->lock);
	atomic_store(&p.work->is_over, true);
	return false;
}

void work_stage(const char *stage)
{
	if (here) here->stage = stage, here->kind = here->name = NULL, here->loc = (struct loc){0};
}

void work_on(const char *kind, const char *name, struct loc loc)
{
	if (here) here->kind = kind, here->name = name, here->loc = loc;
}

void work_cleanup(struct work_cleanup *c, void (*release)(void *what), void *what)
{
	*c = (struct work_cleanup){release, what, here ? here->cleanups : NULL};
	if (here) here->cleanups = c;
}

void work_cleanup_end(struct work_cleanup *c)
{
	if (here) here->cleanups = c->before;
}

uint64_t work_fail_at(uint64_t n, uint64_t times)
{
	atomic_store(&fail_from, n);
	atomic_store(&fail_to, n + times);
	return atomic_exchange(&n_tried, 0);
}

bool work_must_fail(void)
{
	uint64_t to = atomic_load_explicit(&fail_to, memory_order_relaxed);
	if (!to) return false;
	uint64_t n = atomic_fetch_add_explicit(&n_tried, 1, memory_order_relaxed);
	return n >= atomic_load_explicit(&fail_from, memory_order_relaxed) && n < to;
}
