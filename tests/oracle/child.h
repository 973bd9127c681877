// A process of its own for one piece of work, so that what ends it badly is told, not met.
#ifndef ORACLE_CHILD_H
#define ORACLE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
	int pipe;  // in the child to write its result to, in the parent to read it from
	pid_t id;
};
// True in the child. Ends the program when there is no process or pipe to have.
bool child_begin(struct child *c);
// Waits for it. True: it wrote all of its result; *status is waitpid's.
bool child_end(struct child *c, void *result, size_t size, int *status);

#endif
