// Some threads for one piece of work.
#ifndef GCDC_BASE_PARALLEL_H
#define GCDC_BASE_PARALLEL_H

#include <stdint.h>

#define PARALLEL_MAX_THREADS 64u

// work(context, i) once for each i below n, at the same time; the caller's thread takes i = 0. Returns when all are
// done. A thread that cannot be had is no error: its share is done by the caller. Within a work (work.h), a share that
// gives up makes the others give up, and then the caller.
void parallel_run(uint32_t n, void (*work)(void *context, uint32_t i), void *context);
// Processors that this process may use, at most PARALLEL_MAX_THREADS.
uint32_t parallel_processors(void);

#endif
