// Lists the files of a folder of texts.
//
// In:  a path. Out: files, in an order that does not depend on the file system. Cost: O(n log n) of the folder's names.
#include "text_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool text_files(const char *path, struct arena *arena, text_file_list *list)
{
	struct stat s;
	if (stat(path, &s)) return false;
	if (!S_ISDIR(s.st_mode)) {
		vec_push(list, arena_printf(arena, "%s", path));
		return true;
	}
	DIR *dir = opendir(path);
	const uint32_t first = list->n;
	if (!dir) return false;
	for (const struct dirent *e; (errno = 0, e = readdir(dir));) {
		const char *file = arena_printf(arena, "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.' && !stat(file, &s) && S_ISREG(s.st_mode)) vec_push(list, file);
	}
	const int problem = errno;
	closedir(dir);
	if (list->n > first) qsort(list->at + first, list->n - first, sizeof *list->at, compare_names);
	errno = problem;
	return !problem;
}
