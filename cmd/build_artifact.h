// One artifact of a build, from its words to its place.
#ifndef GCDC_CMD_BUILD_ARTIFACT_H
#define GCDC_CMD_BUILD_ARTIFACT_H

#include "build_steps.h"
#include "gcdc/compile.h"

// A step's answer: an exit code, and whether compiling went well (its checks may have failed).
#define STEP_COMPILED 0x100u

// What a process that works for the build keeps from one step to the next.
struct build_bench {
	struct build *build;
	uint32_t threads;     // a compilation may use
	gcdc_vocab **vocabs;  // [plan.tokenizers.n]; NULL: not opened yet
};

int build_make_vocab(struct build_bench *bench, uint32_t tokenizer);
// Does the artifact's action; what is wrong is said on stderr. When all went well the file is in its place, and the
// record says so.
int build_make_artifact(struct build_bench *bench, uint32_t artifact);

#endif
