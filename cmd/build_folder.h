// The output folder while a build is at work in it.
#ifndef GCDC_CMD_BUILD_FOLDER_H
#define GCDC_CMD_BUILD_FOLDER_H

#include "build_steps.h"

// Makes the folders and waits until no other build works in them; *lock is a descriptor that the build's processes
// inherit, so that a build whose first process was killed is waited for, too. Then removes what killed builds have left
// half-written (never under a final name). Returns an exit code.
int build_folder_take(struct build *b, int *lock);
// The folder and those above it. An exit code, after a message.
int build_folder_make(const char *path);

#endif
