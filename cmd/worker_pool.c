// Tasks for processes that are forked once and then asked for one task after the other.
//
// In:  a function, a number of tasks. Out: its answers, and what it has printed, as they come.
// A process is forked from this one with all that is in memory, so that nothing is read twice. A pair of sockets
// carries the task's number there and the answer back; what the process prints goes into a file without a name that
// both hold, so that the last words of one that ends over its task are there, too. Such a process is replaced. When
// this process is killed its workers see the end of their socket after the task that they are at, and end.
// Cost of a task: two messages.
#define _GNU_SOURCE  // memfd_create
#include "worker_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/work.h"

struct worker {
	pid_t pid;
	int fd, said;  // its socket, what it prints; pid 0: none
	bool is_busy;
	uint32_t task;
};

struct running {
	struct worker_pool *pool;
	struct worker *workers;
	struct pollfd *polled;
	uint32_t n, next;  // workers; the task to begin next
	bool goes_on;
};

// ---- In the worker

struct serving {
	struct worker_pool *pool;
	int fd;
};

static void serve(void *context)
{
	struct serving *s = context;
	uint32_t task;
	while (read(s->fd, &task, sizeof task) == (ssize_t)sizeof task) {
		int answer = s->pool->work(s->pool->context, task);
		fflush(stdout), fflush(stderr);
		if (write(s->fd, &answer, sizeof answer) != (ssize_t)sizeof answer) return;
	}
}

static _Noreturn void be_worker(struct running *r, int fd, int said)
{
	struct work_result why;
	for (uint32_t i = 0; i < r->n; i++)  // else the others would not see the end of theirs
		if (r->workers[i].pid) close(r->workers[i].fd), close(r->workers[i].said);
	signal(SIGPIPE, SIG_DFL);
	dup2(said, STDOUT_FILENO), dup2(said, STDERR_FILENO);
	if (!work_run(NULL, serve, &(struct serving){r->pool, fd}, &why)) fputs("out of memory\n", stderr);
	fflush(stdout), fflush(stderr);
	_exit(why.end == WORK_DONE ? 0 : 70);
}

// ---- Here

static bool start(struct running *r, struct worker *w)
{
	int ends[2], said = memfd_create("said", MFD_CLOEXEC);
	if (said < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		if (said >= 0) close(said);
		return false;
	}
	fflush(stdout), fflush(stderr);
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		be_worker(r, ends[1], said);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]), close(said);
		return false;
	}
	*w = (struct worker){.pid = pid, .fd = ends[0], .said = said};
	return true;
}

static void stop(struct worker *w, int *status)
{
	close(w->fd), close(w->said);
	while (waitpid(w->pid, status, 0) < 0 && errno == EINTR) {
	}
	*w = (struct worker){0};
}

// What the worker has printed since it was asked last; malloc'd.
static char *take_said(const struct worker *w)
{
	off_t len = lseek(w->said, 0, SEEK_END);
	char *text = mem_calloc(1, (size_t)(len > 0 ? len : 0) + 1);
	if (len > 0 && pread(w->said, text, (size_t)len, 0) < 0) *text = 0;
	(void)!ftruncate(w->said, 0);
	lseek(w->said, 0, SEEK_SET);
	return text;
}

static void answered(struct running *r, struct worker *w)
{
	int answer = WORKER_ENDED, status = 0;
	char how[64] = "";
	const uint32_t task = w->task;
	ssize_t n = read(w->fd, &answer, sizeof answer);
	if (n < 0 && errno == EINTR) return;
	char *said = take_said(w);
	w->is_busy = false;
	if (n != (ssize_t)sizeof answer) {
		answer = WORKER_ENDED;
		stop(w, &status);
		if (WIFSIGNALED(status))
			snprintf(how, sizeof how, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(status));
	}
	if (!r->pool->done(r->pool->context, task, answer, said, how)) r->goes_on = false;
	free(said);
}

// Gives each idle worker a task; false with errno: a worker cannot be had, and there is no other.
static bool give(struct running *r)
{
	uint32_t n_busy = 0;
	for (uint32_t i = 0; i < r->n; i++) n_busy += r->workers[i].is_busy;
	for (uint32_t i = 0; i < r->n && r->goes_on && r->next < r->pool->n_tasks; i++) {
		struct worker *w = &r->workers[i];
		if (w->is_busy) continue;
		if (!w->pid && !start(r, w)) {
			if (!n_busy && i + 1 == r->n) return false;
			continue;
		}
		w->task = r->next++;
		w->is_busy = true, n_busy++;
		(void)!write(w->fd, &w->task, sizeof w->task);  // one that has ended is seen when it is read
	}
	return true;
}

static bool wait_for_answers(struct running *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		bool is_busy = r->workers[i].is_busy;
		r->polled[i] = (struct pollfd){.fd = is_busy ? r->workers[i].fd : -1, .events = POLLIN};
		n += is_busy;
	}
	if (!n) return false;
	if (poll(r->polled, r->n, -1) < 0) return true;  // interrupted
	for (uint32_t i = 0; i < r->n; i++)
		if (r->polled[i].revents) answered(r, &r->workers[i]);
	return true;
}

bool worker_pool_run(struct worker_pool *pool)
{
	struct running r = {.pool = pool, .goes_on = true, .n = pool->jobs < pool->n_tasks ? pool->jobs : pool->n_tasks};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	bool ok = true;
	int status;
	sigaction(SIGPIPE, &ignore, &before);
	r.workers = mem_calloc(r.n, sizeof *r.workers);
	r.polled = mem_calloc(r.n, sizeof *r.polled);
	while ((ok = give(&r)) && wait_for_answers(&r)) {
	}
	int error = errno;
	for (uint32_t i = 0; i < r.n; i++)
		if (r.workers[i].pid) stop(&r.workers[i], &status);
	sigaction(SIGPIPE, &before, NULL);
	free(r.workers);
	free(r.polled);
	errno = error;
	return ok;
}
