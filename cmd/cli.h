// What the subcommands share: exit codes, the command table's entry, messages.
#ifndef GCDC_CMD_CLI_H
#define GCDC_CMD_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "gcdc/runtime.h"

#ifndef GCDC_VERSION
#define GCDC_VERSION "unknown"
#endif

// docs/cli.md documents them; values are pinned.
enum exit_code {
	CODE_OK = 0,
	CODE_NO = 1,         // nothing is wrong, the answer is no: a text was refused
	CODE_USAGE = 2,      // the command line
	CODE_DATA = 65,      // grammar, tokenizer or artifact: wrong, damaged, over a limit
	CODE_INTERNAL = 70,  // gcdc is wrong, or memory ran out
	CODE_IO = 74,        // a file cannot be opened, read or written
};

struct command {
	const char *name, *summary;
	int (*run)(int argc, char **argv);  // argv[0] is the command's name; returns an exit code
};

int command_build(int argc, char **argv);
int command_bundle(int argc, char **argv);
int command_compile(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_manual(int argc, char **argv);
int command_vocab(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_check(int argc, char **argv);
int command_close(int argc, char **argv);
int command_mask(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_why(int argc, char **argv);
int command_step(int argc, char **argv);
int command_diff(int argc, char **argv);

// All commands; *n of them.
const struct command *cli_commands(uint32_t *n);

// "gcdc COMMAND: text" on stderr. cli_error returns the code, so that `return cli_error(...)` reads well.
int cli_error(int code, const char *command, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void cli_note(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// "text" and its plural: cli_plural(1, "token") is "token".
const char *cli_s(uint64_t n);
// What gcdc_matcher_unpriced says, in words, into `to`, which is returned.
#define CLI_UNPRICED 120u
const char *cli_unpriced(uint64_t n, char to[CLI_UNPRICED]);

// Can the file be read? Else a message, and false: the loaders' own messages do not tell "missing" from "wrong".
bool cli_readable(const char *command, const char *path);
// A whole file ("-": standard input) in memory, freed with free(). False after a message.
#define CLI_MAX_TEXT ((size_t)256 << 20)
bool cli_read_file(const char *command, const char *path, char **text, size_t *len);

// Opens an artifact; on failure says why and returns an exit code.
int cli_open(const char *command, const char *path, const char *vocab_path, gcdc_artifact **artifact);
// A mask, before any EOS. GCDC_OK also where no token can say that the text is complete, and nothing may follow.
gcdc_status cli_fill(gcdc_matcher *m, uint32_t *mask, size_t n_words, gcdc_fill_info *fill);
// The exit code for a status below 0.
int cli_status_code(gcdc_status status);
// Says that a call failed where it should not.
int cli_status_error(const char *command, const char *what, gcdc_status status);
// The text's end is not known: that is an answer, CODE_NO.
int cli_least_unknown(const char *command, const char *what);

double cli_seconds(void);  // a monotonic clock

#endif
