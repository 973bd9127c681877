// The checks of one artifact.
#ifndef GCDC_CMD_BUILD_CHECK_H
#define GCDC_CMD_BUILD_CHECK_H

#include "build_steps.h"

// Is the artifact as the manifest wants it? Each check that fails is an error at its place in the manifest. Returns
// CODE_OK, CODE_NO, or another code after a message. path: the artifact's file; vocab: a .gcdv, or NULL.
int build_check(const struct plan_artifact *a, const char *path, const char *vocab);

#endif
