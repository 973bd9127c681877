// Command lines: one table per command says what is accepted and what --help prints.
#ifndef GCDC_CMD_OPTIONS_H
#define GCDC_CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define OPTIONS_MAX_IDS 64u

struct number {
	bool given;
	uint64_t value;
};
struct token_options {
	uint32_t at[OPTIONS_MAX_IDS], n;
	const char *names[OPTIONS_MAX_IDS];
	uint32_t n_names;
};
struct file_list {
	char **at;
	uint32_t n;
};  // points into argv

enum option_kind {
	OPTION_FLAG,    // to: bool
	OPTION_TEXT,    // to: const char *; any text
	OPTION_FILE,    // to: const char *; not empty, and no option's name
	OPTION_CHOICE,  // to: const char *; one of value's "a|b|c"
	OPTION_NUMBER,  // to: struct number; least..most
	OPTION_TOKENS,  // to: struct token_options; an id or a token's name; repeated
	OPTION_LIST,    // to: const char *; --name is "all", --name=a,b the list
};

struct option_spec {
	const char *name;  // without the dashes
	char letter;       // -x, or 0
	enum option_kind kind;
	void *to;
	const char *value;  // the value's name in --help
	const char *help;   // may hold '\n'
	uint64_t least, most;
	bool required;
};

enum positional_kind { POSITIONAL_ONE, POSITIONAL_OPTIONAL, POSITIONAL_MANY };
struct positional {
	const char *name;
	enum positional_kind kind;
	void *to;  // ONE, OPTIONAL: const char *; MANY (only the last): struct file_list
	const char *help;
};

struct usage {
	const char *command, *about;
	const struct positional *positionals;
	uint32_t n_positionals;
	const struct option_spec *options;
	uint32_t n_options;
	const char *notes;  // printed after the options; may be NULL
};
// Of a command, from its two tables.
#define USAGE(command_, about_, positionals_, options_, notes_)                                                        \
	{                                                                                                                  \
		.command = (command_), .about = (about_), .positionals = (positionals_),                                       \
		.n_positionals = (uint32_t)(sizeof(positionals_) / sizeof *(positionals_)), .options = (options_),             \
		.n_options = (uint32_t)(sizeof(options_) / sizeof *(options_)), .notes = (notes_)                              \
	}

// Lines of a table of options: name, where to, the value's name, help; after them .letter = 'x', .required = true.
#define OPTION_OF(kind_, name_, to_, value_, ...)                                                                      \
	{                                                                                                                  \
		.name = (name_), .kind = (kind_), .to = (to_), .value = (value_), .help = __VA_ARGS__                          \
	}
#define FLAG_OPTION(name_, to_, ...) OPTION_OF(OPTION_FLAG, name_, to_, NULL, __VA_ARGS__)
#define TEXT_OPTION(name_, to_, value_, ...) OPTION_OF(OPTION_TEXT, name_, to_, value_, __VA_ARGS__)
#define FILE_OPTION(name_, to_, value_, ...) OPTION_OF(OPTION_FILE, name_, to_, value_, __VA_ARGS__)
#define CHOICE_OPTION(name_, to_, value_, ...) OPTION_OF(OPTION_CHOICE, name_, to_, value_, __VA_ARGS__)
#define TOKENS_OPTION(name_, to_, value_, ...) OPTION_OF(OPTION_TOKENS, name_, to_, value_, __VA_ARGS__)
#define LIST_OPTION(name_, to_, value_, ...) OPTION_OF(OPTION_LIST, name_, to_, value_, __VA_ARGS__)
#define NUMBER_OPTION(name_, to_, value_, least_, most_, ...)                                                          \
	OPTION_OF(OPTION_NUMBER, name_, to_, value_, __VA_ARGS__, .least = (least_), .most = (most_))

// Options that several commands have.
#define VOCAB_OPTION(to_) FILE_OPTION("vocab", to_, "FILE.gcdv", "for an artifact that was compiled with --no-vocab")
#define CUTTER_OPTION(to_)                                                                                             \
	FILE_OPTION("tokenizer", to_, "FILE",                                                                              \
	            "tokenizer.json (or its folder) that cuts the texts\n(default: the built-in one, if the artifact is "  \
	            "for it;\nelse the artifact's canonical tables, or greedily)")

// Sets what the table points at (what is not given stays as it was). False: stop with *code, all is said: --help was
// printed (0), or the command line is wrong (2). Reorders argv: positionals first.
bool options_read(const struct usage *u, int argc, char **argv, int *code);
// Takes the table where --help would be printed; NULL: printed. For 'gcdc manual'.
extern void (*options_printer)(const struct usage *u);
// The options that were given, a line "--name value" or "--name" for each, but for those named in but[0 .. n);
// malloc'd. After options_read.
char *options_given(const struct usage *u, const char *const *but, uint32_t n);
// What was given for an option with one value, as a text in the arena; NULL: it was not given.
const char *options_value(const struct option_spec *o, struct arena *arena);
// The name in `names` that `text` was perhaps meant to be, or NULL.
const char *options_guess(const char *text, const char *const *names, uint32_t n);

#endif
