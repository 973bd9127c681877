// The steps of a build, decided and run.
#ifndef GCDC_CMD_BUILD_RUN_H
#define GCDC_CMD_BUILD_RUN_H

#include "build_steps.h"

struct build_shard {
	uint32_t i, n;  // part i of n, from 1; n 0: all
};

struct build_run {
	const char *only;  // a pattern of names, or NULL
	struct build_shard shard;
	const char *merge;  // the folder of other output folders, or NULL
	uint32_t jobs;
	bool keep_going, verbose, quiet;
};

// Under the lock of the folder, with digests made. Files that the manifest does not ask for any more go away. Returns
// an exit code; all is said.
int build_run(struct build *b, const struct build_run *run);
// "2/3" -> part 2 of 3; false: it is none.
bool build_shard_parse(const char *text, struct build_shard *shard);

#endif
