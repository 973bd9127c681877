// Whole files: read at once, replaced at once.
#ifndef GCDC_BASE_FILE_H
#define GCDC_BASE_FILE_H

#include <stdbool.h>

#include "diag.h"

// Opens a regular file for reading, or NULL with *why (static, or strerror's): a FIFO would block for ever, a device
// might never end. What /dev/fd and /dev/stdin name (a shell's <(...)) is opened all the same: its writer is there.
FILE *file_open(const char *path, const char **why);

// What the bytes at the beginning of a file are, when they are of a kind that people mix up with what gcdc reads; NULL:
// none of these. "a Git LFS pointer, ...": a static text that follows "this is".
#define FILE_FOREIGN_BYTES 512u  // are enough
const char *file_foreign(const void *bytes, size_t len);

// The file's bytes, malloc'd, with a NUL behind them that does not count. False with errno set; a file of more than
// `most` bytes is EFBIG.
bool file_read(const char *path, size_t most, char **bytes, size_t *len);

// Makes `path` hold these bytes: written beside it under another name (PATH.XXXXXX), synced, renamed. Whoever looks
// sees the old file or the whole new one, also when the process is killed or the disk is full. False with a message in
// d.
bool file_replace(const char *path, const void *bytes, size_t len, struct diag *d);
// The same where the file does not hold them already; a file that does is left alone. *changed (may be NULL): it did
// not.
bool file_update(const char *path, const void *bytes, size_t len, bool *changed, struct diag *d);
// Makes `path` hold what `from` holds, in the same way: a second name of the same file where the file system has such,
// else a copy of `most` bytes at most.
bool file_publish(const char *from, const char *path, size_t most, struct diag *d);
// Is this the name that file_replace gives a temporary file for `name`? Such files are left behind by killed processes.
bool file_is_temporary(const char *entry, const char *name);

#endif
