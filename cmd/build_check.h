// The checks of one artifact.
#ifndef GCDC_CMD_BUILD_CHECK_H
#define GCDC_CMD_BUILD_CHECK_H

#include "build_steps.h"
#include "gcdc/runtime.h"

// Is the artifact as the manifest wants it? Each check that fails is an error at its place in the manifest. Returns
// CODE_OK, CODE_NO, or another code after a message. path: of the artifact, for messages.
int build_check(const struct plan_artifact *a, const gcdc_artifact *artifact, const char *path);

#endif
