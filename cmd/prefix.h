// --prefix, --prefix-escaped, --prefix-file: the text so far, as several commands take it.
#ifndef GCDC_CMD_PREFIX_H
#define GCDC_CMD_PREFIX_H

#include "options.h"

#include <stddef.h>

struct prefix_options {
	const char *text, *escaped, *file;
};
#define PREFIX_OPTIONS(p)                                                                                              \
	TEXT_OPTION("prefix", &(p).text, "TEXT", "the text so far (default: none)"),                                       \
		TEXT_OPTION("prefix-escaped", &(p).escaped, "TEXT",                                                            \
	                "the same with \\n \\t \\r \\0 \\\\ \\\" \\' \\xHH \\[ID]"),                                       \
		FILE_OPTION("prefix-file", &(p).file, "FILE", "the text so far is a file's")

// The text, malloc'd and NUL-terminated, also on failure. Returns an exit code, after a message.
int prefix_read(const struct prefix_options *p, const char *command, char **text, size_t *len);
// What messages call it.
static inline const char *prefix_name(const struct prefix_options *p) { return p->file ? p->file : "<prefix>"; }
// \n \t \r \0 \\ \" \', \xHH and \[ID] (a control token's spelling) into out (strlen(text) bytes at most), or
// NULL: the escape that is none.
const char *prefix_unescape(const char *text, char *out, size_t *len);
// How to write them, for messages.
#define PREFIX_ESCAPES "there are \\n \\t \\r \\0 \\\\ \\\" \\' \\xHH, and \\[012] for control token 12"

#endif
