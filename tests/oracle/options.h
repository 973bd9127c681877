// Command lines of the oracles: a table of "--name VALUE" each.
#ifndef GCDC_TESTS_OPTIONS_H
#define GCDC_TESTS_OPTIONS_H

#include "base/mem.h"

typedef VEC(const char *) text_list;

// One of the places takes what is given.
struct oracle_option {
	const char *name;  // with its dashes
	uint64_t *number;
	const char **text;
	text_list *texts;  // the option may be repeated
	bool *flag;        // it has no value
};

// False: an option is unknown, or lacks its value; the names are printed.
bool oracle_options(int argc, char **argv, const struct oracle_option *options, uint32_t n);
#define ORACLE_OPTIONS(argc, argv, ...)                                                                                \
	oracle_options(argc, argv, (const struct oracle_option[]){__VA_ARGS__},                                            \
	               sizeof((const struct oracle_option[]){__VA_ARGS__}) / sizeof(struct oracle_option))

#endif
