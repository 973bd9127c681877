// The output folder while a build is at work in it.
#ifndef GCDC_CMD_BUILD_FOLDER_H
#define GCDC_CMD_BUILD_FOLDER_H

#include "build_steps.h"

// Makes the folders and waits until no other build works in them; *lock is a descriptor that Ninja inherits, so that a
// build whose gcdc was killed is waited for, too. Then removes what killed builds have left half-written (never under a
// final name). Returns an exit code.
int build_folder_take(struct build *b, int *lock);

struct ninja_run {
	const char *file;  // of steps
	const char *jobs;  // -j, or NULL
	bool keep_going, verbose, quiet;
	const char *const *targets;  // none: all
	uint32_t n_targets;
	const char *tool;  // -t TOOL instead of a build, or NULL
};
// Runs Ninja and waits. Returns CODE_OK, CODE_DATA (a step failed; it has said why), or CODE_IO (no Ninja) after a
// message. What it has done, by what it says: not for a tool. Names live in the arena.
struct ninja_done {
	struct arena *arena;
	word_list built;  // artifacts that were compiled
	uint32_t n_steps, n_checked, n_failed;
};
int ninja_run(const struct ninja_run *run, struct ninja_done *done);

#endif
