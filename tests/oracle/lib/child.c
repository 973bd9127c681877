// A process of its own for one piece of work.
//
// In:  nothing; the child goes on where its parent stands. Out: the bytes that it wrote, and how it ended.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../child.h"

bool child_begin(struct child *c)
{
	int ends[2];
	fflush(NULL);
	if (pipe(ends) != 0) exit(2);
	c->id = fork();
	if (c->id < 0) exit(2);
	const bool is_child = c->id == 0;
	close(ends[is_child ? 0 : 1]);
	c->pipe = ends[is_child ? 1 : 0];
	return is_child;
}

bool child_end(struct child *c, void *result, size_t size, int *status)
{
	const ssize_t got = read(c->pipe, result, size);
	close(c->pipe);
	waitpid(c->id, status, 0);
	return got == (ssize_t)size;
}
