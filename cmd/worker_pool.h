// Some processes for many tasks.
#ifndef GCDC_CMD_WORKER_POOL_H
#define GCDC_CMD_WORKER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKER_ENDED (-1)  // answer of a task whose process has ended over it

struct worker_pool {
	uint32_t jobs;  // processes at once
	uint32_t n_tasks;
	// In a process of the pool, which keeps what it has opened for the tasks after this one; returns the answer, not
	// negative. What it prints is kept for `done`.
	int (*work)(void *context, uint32_t task);
	// Here, as each task is done; how: of WORKER_ENDED, in words. Returns whether further tasks shall be begun.
	bool (*done)(void *context, uint32_t task, int answer, const char *said, const char *how);
	void *context;
};

// Runs tasks 0 .. n_tasks in this order, as processes become free; returns when those that were begun are done. False
// with errno set: no process can be had.
bool worker_pool_run(struct worker_pool *pool);

#endif
