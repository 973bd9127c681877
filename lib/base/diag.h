// What is wrong with the user's input, said for people: text, file, line, column, the line with a caret,
// and notes that point at second places. Messages accumulate; a stage reports all it finds, the
// driver stops at the stage's end.
#ifndef GCDC_BASE_DIAG_H
#define GCDC_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "loc.h"
#include "mem.h"
#include "work.h"

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag_message {
	enum diag_level level;
	struct loc loc;
	char *text;
};

struct diag {
	struct arena arena;
	VEC(struct diag_message) messages;
	uint32_t n_errors;       // errors beyond DIAG_MAX_ERRORS are counted but not kept
	enum work_end given_up;  // why the work was that was given up last
};

#define DIAG_MAX_ERRORS 50

void diag_error(struct diag *d, struct loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *d, struct loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
// A warning's text ends with its name: "... [unused-rule]". Those that `names` lists ("unused-rule,no-indent", or
// "all") become errors. False when some did.
bool diag_warnings_are_errors(struct diag *d, const char *names);
// Explains the message before it.
void diag_note(struct diag *d, struct loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// Texts that messages point into are put here: messages stay when the work that says them is given up.
struct arena *diag_arena(struct diag *d);
// A work was given up (work.h): what it was doing where, what stopped it, and `advice`: what else to do than to raise
// the limit.
void diag_given_up(struct diag *d, const struct work_result *r, const char *advice);

// "path:line:col: error: text", the source line (shortened around the place when long; bytes that are not
// printable shown as \xHH), and a caret line.
void diag_print(const struct diag *d, FILE *out);
void diag_print_message(const struct diag_message *m, FILE *out);  // one of them
// The same as one NUL-terminated string in the diag's arena.
char *diag_text(struct diag *d);
void diag_release(struct diag *d);

// 1-based line and column (in code points) of an offset.
void source_position(const struct source *s, uint32_t offset, uint32_t *line, uint32_t *column);

#endif
