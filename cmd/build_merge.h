// Output folders of several builds become one.
#ifndef GCDC_CMD_BUILD_MERGE_H
#define GCDC_CMD_BUILD_MERGE_H

#include "build_steps.h"

// For each selected artifact that is not up to date: which file in the folders below `folder` is it? Sets its action to
// ACTION_TAKE. An artifact that none of them has is an error, and an output folder that another gcdc has made. Nothing
// is written. Returns an exit code.
int build_merge(struct build *b, const char *folder, const bool *selected);

#endif
