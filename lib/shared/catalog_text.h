// What gcdc.catalog's fields may hold (formats/catalog.md), for those who read it: the runtime and the program.
#ifndef GCDC_SHARED_CATALOG_TEXT_H
#define GCDC_SHARED_CATALOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Is the text n hex digits?
static inline bool catalog_is_hex(const char *text, size_t n)
{
	return strlen(text) == n && strspn(text, "0123456789abcdef") == n;
}

// Is it a path inside the folder: no empty part, no . and no ..?
static inline bool catalog_is_path(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		const size_t n = strcspn(part, "/");
		if (!n || (n == 1 && *part == '.') || (n == 2 && part[0] == '.' && part[1] == '.')) return false;
	}
	return true;
}

#endif
