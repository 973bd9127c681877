// Patterns of file names, as a manifest uses them.
//
// In:  a pattern: parts between slashes, * ? [...] within a part (POSIX fnmatch; a leading dot must be written), a part
// ** for any number of folders. Out: the regular files that match, sorted by bytes, none twice.
// The order does not depend on the locale nor on the folder's own. Cost: each folder on the way is read once, for ** as
// often as it can be reached; MANIFEST_MAX_FOLDERS bounds it. Folders behind symbolic links are not entered by **.
#include "manifest_internal.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

bool glob_is_pattern(const char *text) { return strpbrk(text, "*?[") != NULL; }
bool glob_name(const char *pattern, const char *name) { return fnmatch(pattern, name, FNM_PERIOD) == 0; }

struct glob_search {
	struct manifest_reader *r;
	path_list *out;
	uint32_t n_folders;
	bool too_many;
};

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_kind(const char *path, mode_t kind, bool follow)
{
	struct stat s;
	return (follow ? stat(path, &s) : lstat(path, &s)) == 0 && (s.st_mode & S_IFMT) == kind;
}

// The names in a folder that a part matches, sorted, in the arena.
static void list_folder(struct glob_search *s, const char *folder, const char *part, path_list *names)
{
	if (++s->n_folders > MANIFEST_MAX_FOLDERS) s->too_many = true;
	DIR *dir = s->too_many ? NULL : opendir(*folder ? folder : ".");
	if (!dir) return;
	vec_push(&s->r->plan->folders, arena_printf(s->r->arena, "%s", *folder ? folder : "."));
	for (struct dirent *e; (e = readdir(dir));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && glob_name(part, e->d_name))
			vec_push(names, arena_printf(s->r->arena, "%s", e->d_name));
	closedir(dir);
	if (names->n) qsort(names->at, names->n, sizeof *names->at, by_bytes);
}

static const char *join(struct glob_search *s, const char *folder, const char *name)
{
	size_t n = strlen(folder);
	return arena_printf(s->r->arena, "%s%s%s", folder, n && folder[n - 1] != '/' ? "/" : "", name);
}

// Recursion is as deep as the pattern has parts, and with ** as the folders nest (PATH_MAX bounds that).
static void search(struct glob_search *s, const char *folder, const char *rest)
{
	const char *slash = strchr(rest, '/');
	const char *part = arena_strndup(s->r->arena, rest, slash ? (size_t)(slash - rest) : strlen(rest));
	const char *after = slash ? slash + 1 : NULL;
	if (s->too_many) return;
	if (!strcmp(part, "**") && after) {
		search(s, folder, after);
		path_list names = {0};
		list_folder(s, folder, "*", &names);
		for (uint32_t i = 0; i < names.n; i++) {
			const char *path = join(s, folder, names.at[i]);
			if (is_kind(path, S_IFDIR, false)) search(s, path, rest);
		}
		vec_release(&names);
	} else if (!glob_is_pattern(part)) {
		const char *path = join(s, folder, part);
		if (after)
			search(s, path, after);
		else if (is_kind(path, S_IFREG, true))
			vec_push(s->out, path);
	} else {
		path_list names = {0};
		list_folder(s, folder, part, &names);
		for (uint32_t i = 0; i < names.n; i++) {
			const char *path = join(s, folder, names.at[i]);
			if (after ? is_kind(path, S_IFDIR, true) : is_kind(path, S_IFREG, true)) {
				if (after)
					search(s, path, after);
				else
					vec_push(s->out, path);
			}
		}
		vec_release(&names);
	}
}

bool glob_files(struct manifest_reader *r, const char *pattern, struct loc loc, path_list *out)
{
	uint32_t first = out->n;
	struct glob_search s = {.r = r, .out = out};
	search(&s, *pattern == '/' ? "/" : "", *pattern == '/' ? pattern + 1 : pattern);
	if (s.too_many) {
		diag_error(r->diag, loc, "'%s' leads into more than %u folders (MANIFEST_MAX_FOLDERS)", pattern,
		           MANIFEST_MAX_FOLDERS);
		return false;
	}
	if (out->n == first) {
		if (glob_is_pattern(pattern))
			diag_error(r->diag, loc, "no file matches '%s'", pattern);
		else
			diag_error(r->diag, loc, "there is no file '%s'", pattern);
		return false;
	}
	qsort(out->at + first, out->n - first, sizeof *out->at, by_bytes);
	uint32_t n = first;
	for (uint32_t i = first; i < out->n; i++)
		if (n == first || strcmp(out->at[i], out->at[n - 1])) out->at[n++] = out->at[i];
	out->n = n;
	return true;
}
