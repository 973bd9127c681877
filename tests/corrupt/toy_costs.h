// A small grammar with tables of costs, for tests of the sections that masks under a budget read.
#ifndef GCDC_TESTS_TOY_COSTS_H
#define GCDC_TESTS_TOY_COSTS_H

#include "toy_image.h"

// Nesting, a choice, a separator, tokens that span terminals; with columns if asked for.
static void compile_with_costs(bool columns, struct vocab *v, struct compiled *c)
{
	static const char plain[] =
		"start: \"[\" list? \"]\" | NAME\nlist: start (\",\" start)*\nNAME: /[a-z]+/\n%ignore / +/\n";
	static const char lines[] = "start: s+\ns: NAME NL | NAME \":\" NL IN s+ DE\nNAME: /[a-z]+/\nNL: /(\\n *)+/\n"
								"%indent newline=NL indent=IN dedent=DE tab=8\n%ignore / +/\n";
	static const char *const tokens[] = {"",    "[",  "]", "a", "b", ",", " ", "]]", "[a", "],", "ab", "\n", "\n ", ":",
	                                     ":\n", "  ", "c", "d", "e", "f", "g", "h",  "i",  "j",  "k",  "l",  "m",   "n",
	                                     "o",   "p",  "q", "r", "s", "t", "u", "v",  "w",  "x",  "y",  "z"};
	TOY_VOCAB(tokens, v);
	toy_compile(columns ? lines : plain, v,
	            &(struct compile_options){.costs = COMPILE_COSTS_EXACT, .keep_groups = true}, c);
}

#endif
