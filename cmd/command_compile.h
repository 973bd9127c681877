// gcdc compile inside of a build: the same words, a vocabulary that is open already, and the artifact not yet written.
#ifndef GCDC_CMD_COMMAND_COMPILE_H
#define GCDC_CMD_COMMAND_COMPILE_H

#include "gcdc/compile.h"
#include "input_digest.h"

struct compile_use {
	const gcdc_vocab *vocab;                             // what --tokenizer names
	int (*take)(const gcdc_compiled *c, void *context);  // instead of writing OUT; returns an exit code
	void *context;
};
// use NULL: as command_compile.
int command_compile_with(int argc, char **argv, const struct compile_use *use);
// Of the first `most` files that were read, as digest_sources.
void compiled_digest(const gcdc_compiled *c, size_t most, char digest[DIGEST_HEX]);

#endif
