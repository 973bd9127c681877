// What a build step is made of, as one number: this program and the files that it reads.
#ifndef GCDC_CMD_INPUT_DIGEST_H
#define GCDC_CMD_INPUT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct input_digest {
	void *hash;
};  // an XXH3 state
#define DIGEST_HEX 33u

void digest_begin(struct input_digest *d);                                 // with this program
void digest_bytes(struct input_digest *d, const void *bytes, size_t len);  // and their number
void digest_text(struct input_digest *d, const char *text);
// The same, read here. False with errno set; then its name counts, and that it cannot be read.
bool digest_file(struct input_digest *d, const char *path);
void digest_end(struct input_digest *d, char hex[DIGEST_HEX]);

// Of a grammar's files, in the order in which they are read, each once.
struct source;
void digest_sources(const struct source *const *sources, uint32_t n, char hex[DIGEST_HEX]);
// The same of files, read here.
void digest_files(const char *const *paths, uint32_t n, char hex[DIGEST_HEX]);
// A file is read once in a process; from now on once more.
void digest_forget(void);
// Of this program.
void digest_program(char hex[DIGEST_HEX]);
// Of a tokenizer's files; path NULL: the one that is built in.
void digest_tokenizer(const char *path, char hex[DIGEST_HEX]);

// --expect DIGEST: false after a message when the inputs are not those that the build was planned with.
bool digest_is_expected(const char *command, const char *what, const char *expected, const char *hex);

#endif
