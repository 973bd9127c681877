// The output folder: made, locked, swept.
//
// In:  a build. Out: its folders; a lock (flock on OUTPUT/.gcdc/lock) that lives as long as any process of the build.
// Every file is written under a temporary name and renamed, so that a killed build leaves at most files like
// json-tiny.gcdc.Ab12Cd behind: those whose name without the suffix is an output of this build are removed, under the
// lock.
#include "build_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"

#define ME "build"

int build_folder_make(const char *path)
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
		if (b->vocabs[i].output) {
			vec_push(&files, b->vocabs[i].output);
			if (build_vocab_beside(b, i)) vec_push(&files, build_vocab_beside(b, i));
		}
	const char *const more[] = {"steps.ninja", "build.ninja.d", "built", "manifest"};
	for (int i = 0; i < 4; i++) vec_push(&files, arena_printf(&arena, "%s/%s", b->folder, more[i]));
	const char *const beside[] = {"build.ninja", "gcdc.catalog"};
	for (int i = 0; i < 2; i++) vec_push(&files, arena_printf(&arena, "%s/%s", b->plan.output, beside[i]));
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

// The record in the folder is of one manifest: what another one has made would be taken for leftovers and removed.
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
	int code = build_folder_make(b->folder);
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
