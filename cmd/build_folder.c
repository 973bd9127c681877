// The output folder: made, locked, swept; and Ninja run in it.
//
// In:  a build. Out: its folders; a lock (flock on OUTPUT/.gcdc/lock) that lives as long as any process of the build;
// Ninja's exit status.
// Every file is written under a temporary name and renamed, so that a killed build leaves at most files like
// json-tiny.gcdc.Ab12Cd behind: those whose name without the suffix is an output of this build are removed, under the
// lock.
#define _GNU_SOURCE  // pipe2
#include "build_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"

#define ME "build"

extern char **environ;

static int make_folders(const char *path)
{
	struct arena arena = {0};
	char *p = arena_strndup(&arena, path, strlen(path));
	int code = CODE_OK;
	for (char *c = p + 1; !code; c++) {
		if (*c && *c != '/') continue;
		char end = *c;
		*c = 0;
		struct stat s;
		if (mkdir(p, 0777) && (errno != EEXIST || stat(p, &s) || !S_ISDIR(s.st_mode)))
			code = cli_error(CODE_IO, ME, "cannot make the folder %s: %s", p,
			                 errno == EEXIST ? "there is a file of this name" : strerror(errno));
		*c = end;
		if (!end) break;
	}
	arena_release(&arena);
	return code;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static const char *folder_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : "";
}

static void sweep_folder(struct arena *a, const char *folder, const char *const *files, uint32_t n)
{
	DIR *dir = opendir(*folder ? folder : ".");
	if (!dir) return;
	for (struct dirent *e; (e = readdir(dir));) {
		size_t len = strlen(e->d_name);
		if (len < 8) continue;
		const char *name = arena_strndup(a, e->d_name, len - 7), *path = arena_printf(a, "%s%s", folder, name);
		if (!file_is_temporary(e->d_name, name) || !bsearch(&path, files, n, sizeof *files, by_text)) continue;
		unlink(arena_printf(a, "%s%s", folder, e->d_name));
	}
	closedir(dir);
}

static void sweep(struct build *b)
{
	struct arena arena = {0};
	VEC(const char *) files = {0};
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) {
		const char *stamp = build_stamp(b, &b->plan.artifacts.at[i]);
		vec_push(&files, b->plan.artifacts.at[i].output);
		if (stamp) vec_push(&files, stamp), vec_push(&files, build_staged(b, &b->plan.artifacts.at[i]));
	}
	for (uint32_t i = 0; i < b->plan.tokenizers.n; i++)
		if (b->vocabs[i].output) vec_push(&files, b->vocabs[i].output);
	const char *const more[] = {"steps.ninja", "build.ninja.d"};
	for (int i = 0; i < 2; i++) vec_push(&files, arena_printf(&arena, "%s/%s", b->folder, more[i]));
	vec_push(&files, arena_printf(&arena, "%s/build.ninja", b->plan.output));
	qsort(files.at, files.n, sizeof *files.at, by_text);
	const char *last = NULL;
	for (uint32_t i = 0; i < files.n; i++) {  // sorted: a folder's files mostly stand together
		const char *folder = folder_of(&arena, files.at[i]);
		if (!last || strcmp(last, folder)) sweep_folder(&arena, folder, files.at, files.n);
		last = folder;
	}
	vec_release(&files);
	arena_release(&arena);
}

// Ninja's log in the folder is of one manifest: what another one has made would be taken for leftovers and removed.
// OUTPUT/.gcdc/manifest names it, from OUTPUT where it may, so that a folder may be moved along with its manifest.
static int take_for_manifest(struct build *b)
{
	struct diag d = {0};
	char *here = realpath(".", NULL), *output = realpath(b->plan.output, NULL), *old = NULL;
	const char *path = arena_printf(&b->arena, "%s/manifest", b->folder), *name = b->manifest;
	size_t n = here ? strlen(here) : 0, len;
	bool inside = here && output && !strncmp(output, here, n) && (output[n] == '/' || !output[n]);
	if (!inside && here) name = arena_printf(&b->arena, "%s/%s", here, b->manifest);
	int code = CODE_OK;
	if (file_read(path, MANIFEST_MAX_BYTES, &old, &len) && strcmp(old, name)) {
		code = cli_error(CODE_USAGE, ME, "%s is the output of another manifest, %s, whose artifacts would be removed",
		                 b->plan.output, old);
		cli_note(ME, "give this one another folder: 'output: FOLDER' in it, or --output FOLDER");
	} else if (!old && !file_replace(path, name, strlen(name), &d)) {
		code = CODE_IO;
	}
	diag_print(&d, stderr);
	diag_release(&d);
	free(here), free(output), free(old);
	return code;
}

int build_folder_take(struct build *b, int *lock)
{
	*lock = -1;
	int code = make_folders(b->folder);
	if (code) return code;
	const char *path = arena_printf(&b->arena, "%s/lock", b->folder);
	*lock = open(path, O_RDWR | O_CREAT, 0666);  // inherited
	if (*lock < 0) return cli_error(CODE_IO, ME, "cannot write in %s: %s", b->folder, strerror(errno));
	if (flock(*lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		cli_note(ME, "another build is at work in %s; waiting for it", b->plan.output);
		while (flock(*lock, LOCK_EX) && errno == EINTR) {
		}
	}
	code = take_for_manifest(b);
	if (!code) sweep(b);
	return code;
}

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

// "[3/8] compile json-tiny" -> "compile json-tiny"; NULL: no such line.
static const char *step_of(const char *line)
{
	int end = 0;
	return sscanf(line, "[%*u/%*u] %n", &end) == 0 && end ? line + end : NULL;
}

static void count_step(const char *step, struct ninja_done *done, word_list *names, struct arena *arena)
{
	if (!strncmp(step, "compile ", 8)) vec_push(names, arena_strndup(arena, step + 8, strcspn(step + 8, "\n")));
	done->n_checked += !strncmp(step, "check ", 6);
	done->n_steps++;
}

// Ninja's words for people: a step that failed is named and has its own message; its command line only with --verbose.
static void pass_on(FILE *from, const struct ninja_run *run, struct ninja_done *done)
{
	char *line = NULL, *last = NULL;
	size_t cap = 0;
	bool is_command = false;
	for (;;) {
		ssize_t n = getline(&line, &cap, from);
		if (n < 0 && errno == EINTR && !feof(from)) {
			clearerr(from);
			continue;
		}
		if (n < 0) break;
		const char *step = step_of(line);
		bool is_failure = !strncmp(line, "FAILED: ", 8), is_own = !strncmp(line, "ninja: ", 7);
		if (last && !is_failure) count_step(last, done, &done->built, done->arena);
		if (step || last) free(last), last = NULL;
		if (step) last = strdup(step);
		done->n_failed += is_failure;
		bool is_said = run->verbose || !(is_failure || is_command || !strcmp(line, "ninja: no work to do.\n") ||
		                                 !strncmp(line, "ninja: build stopped", 20));
		is_command = is_failure;
		if (is_said) fputs(line, is_own ? stderr : stdout), fflush(stdout);
	}
	if (last) count_step(last, done, &done->built, done->arena);
	free(last);
	free(line);
}

int ninja_run(const struct ninja_run *run, struct ninja_done *done)
{
	VEC(const char *) args = {0};
	vec_push(&args, "ninja");
	vec_push(&args, "-f"), vec_push(&args, run->file);
	if (run->quiet) vec_push(&args, "--quiet");
	if (run->verbose) vec_push(&args, "-v");
	if (run->keep_going) vec_push(&args, "-k"), vec_push(&args, "0");
	if (run->jobs) vec_push(&args, "-j"), vec_push(&args, run->jobs);
	if (run->tool) vec_push(&args, "-t"), vec_push(&args, run->tool);
	for (uint32_t i = 0; i < run->n_targets; i++) vec_push(&args, run->targets[i]);
	vec_push(&args, NULL);
	pid_t pid;
	fflush(stdout);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	int words[2] = {-1, -1};
	if (run->tool)
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	else if (pipe2(words, O_CLOEXEC))
		return cli_error(CODE_IO, ME, "cannot make a pipe: %s", strerror(errno));
	else
		posix_spawn_file_actions_adddup2(&actions, words[1], STDOUT_FILENO);
	// Control-C goes to Ninja, too, which ends its steps; then this program ends by it. (A handler does not outlive
	// exec.)
	struct sigaction action = {.sa_handler = on_interrupt}, before;
	sigaction(SIGINT, &action, &before);
	int error = posix_spawnp(&pid, "ninja", &actions, NULL, (char *const *)(uintptr_t)args.at, environ);
	posix_spawn_file_actions_destroy(&actions);
	vec_release(&args);
	if (words[1] >= 0) close(words[1]);
	if (error) {
		if (words[0] >= 0) close(words[0]);
		cli_error(CODE_IO, ME, "cannot run ninja: %s", strerror(error));
		cli_note(ME, "Ninja (1.11 or newer) runs the steps; Debian and Ubuntu have it as ninja-build, others as ninja");
		return CODE_IO;
	}
	int status = 0;
	FILE *from = words[0] >= 0 ? fdopen(words[0], "r") : NULL;
	if (from) pass_on(from, run, done);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (from) fclose(from);
	sigaction(SIGINT, &before, NULL);
	if (interrupted) raise(SIGINT);
	if (WIFSIGNALED(status)) return cli_error(CODE_INTERNAL, ME, "ninja was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status) ? CODE_DATA : CODE_OK;
}
