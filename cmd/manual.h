// Manual pages and shell completions, from the tables that --help prints.
#ifndef GCDC_CMD_MANUAL_H
#define GCDC_CMD_MANUAL_H

#include "cli.h"
#include "options.h"

// gcdc.1 (u and c NULL), or the page of a command, in man(7).
void manual_page(FILE *out, const struct command *c, const struct usage *u, const struct command *all, uint32_t n);

// A shell's completions are a head, a part for each command, and an end.
enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH, N_SHELLS };
extern const char *const shell_name[N_SHELLS];
void completion_begin(FILE *out, enum shell shell, const struct command *all, uint32_t n);
void completion_command(FILE *out, enum shell shell, const struct command *c, const struct usage *u);
void completion_end(FILE *out, enum shell shell);

#endif
