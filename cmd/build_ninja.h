// A build as Ninja's files.
#ifndef GCDC_CMD_BUILD_NINJA_H
#define GCDC_CMD_BUILD_NINJA_H

#include "build_steps.h"

// Writes OUTPUT/.gcdc/steps.ninja (the steps), OUTPUT/build.ninja (those, and how this file itself is made again) and
// its depfile; files that are right already are left alone. An exit code.
int build_write_ninja(struct build *b);
const char *build_ninja_file(struct build *b);

#endif
