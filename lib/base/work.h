// A piece of work that may be given up: from anywhere inside it, in any of its threads, with all its memory freed.
//
// What mem.h hands out inside a work is known to the work. When memory runs out, a limit of the caller's is passed or
// the caller does not want it any more, the work is given up: its threads end, what it allocated is freed, and work_run
// says why. So no function between needs a way to return failure. A work within a work keeps the limits of both. What
// must outlive a work that is given up (diagnostics) is allocated with mem_keep, or in an arena that is `kept`. What
// has a release of its own (a FILE, a library's object) while something else may be allocated: work_cleanup.
#ifndef GCDC_BASE_WORK_H
#define GCDC_BASE_WORK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loc.h"

enum work_end {
	WORK_DONE,
	WORK_NO_MEMORY,
	WORK_MAX_MEMORY,
	WORK_MAX_SECONDS,
	WORK_CANCELLED,
	WORK_TOO_LARGE,
	WORK_BUG,
	WORK_FAILED
};

struct work_limits {
	uint64_t max_bytes;  // of what mem.h hands out, at one time; 0: none
	double max_seconds;  // 0: none
	bool (*go_on)(
		void *user);  // asked some ten times a second, by one thread at a time, any of them; false: give up. Or NULL
	void *user;
	bool outlives_bugs;  // an ASSERT that fails inside gives the work up (WORK_BUG); else it ends the process
};

#define WORK_NAME 80u
struct work_result {
	enum work_end end;
	uint64_t max_bytes;  // MAX_MEMORY, MAX_SECONDS: the limit that was passed. TOO_LARGE: the limit. BUG: the line
	double max_seconds;
	const char *limit;      // TOO_LARGE: its name. BUG: what does not hold
	const char *file;       // BUG
	char stage[WORK_NAME];  // where it was, as work_stage and work_on said; or empty
	char kind[WORK_NAME], name[WORK_NAME];
	const char *advice;   // TOO_LARGE: what to do, where that is known; or NULL
	struct loc loc;       // of what it was working on, if it has a place
	uint64_t peak_bytes;  // always
};

// Runs it; false: it was given up, nothing of what it allocated is left, and *r says why. limits may be NULL.
bool work_run(const struct work_limits *limits, void (*run)(void *context), void *context, struct work_result *r);

// Where the work is, for the message: texts that last as long as the work. NULL: nothing in particular.
void work_stage(const char *stage);
void work_on(const char *kind, const char *name, struct loc loc);
// Has the work to be given up? Loops that may take long and allocate nothing ask now and then; what allocates has
// asked.
void work_check(void);
void work_look(void);  // the same, at once: the clock is read, the caller may be asked
// Counted work passes a limit, of this name.
_Noreturn void work_too_large(const char *limit, uint64_t value);
_Noreturn void work_too_large_for(const char *limit, uint64_t value, const char *advice);  // which is known better here
_Noreturn void work_out_of_memory(size_t size);
_Noreturn void work_cancel(void);  // inside a work only
// What was to be done cannot be, which has been said: nothing of it is wanted. Inside a work only.
_Noreturn void work_fail(void);
// A promise of the program is broken. Returns where no work around outlives that.
void work_bug(const char *file, int line, const char *condition);

// Released, latest first, when the work is given up before work_cleanup_end.
struct work_cleanup {
	void (*release)(void *what);
	void *what;
	struct work_cleanup *before;
};
void work_cleanup(struct work_cleanup *c, void (*release)(void *what), void *what);
void work_cleanup_end(struct work_cleanup *c);

// For mem.c and parallel.c.
struct work_place;
void work_expect(size_t size);  // before an allocation; may give up
// It was had; at: the place that it belongs to. False: there is no memory to note it.
bool work_own(struct work_place *at, void *p, size_t size);
void work_disown(void *p);  // before it is freed
// Before it is had anew: whose it was, NULL: no place's. Its bytes stay counted, and its place stays free for what
// comes of it.
struct work_place *work_take(void *p, size_t *size);
void work_put_back(struct work_place *at, void *p, size_t size, size_t before);
struct work_place *work_here(void);
// Blocks that a place had when it was given up: others that run beside it may still read them.
struct work_left {
	struct work *of;
	struct owned *at;
	size_t n;
};
// Runs it in another place of the caller's work (usually another thread); false: that was given up. Then *left is to be
// freed when all that runs beside it has ended.
bool work_beside(struct work_place *of, void (*run)(void *context), void *context, struct work_left *left);
void work_free_left(struct work_left *left);
void work_give_up_too(void);  // after one of those was given up
// For tests: of the allocations from now on, number n (from 0) and those behind it, `times` in all, fail; 0: none.
// Returns how many there were since the call before this one, if that asked for any.
uint64_t work_fail_at(uint64_t n, uint64_t times);
bool work_must_fail(void);

#endif
