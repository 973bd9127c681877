// What a manifest asks for, shown: `gcdc build --list`.
#ifndef GCDC_CMD_BUILD_LIST_H
#define GCDC_CMD_BUILD_LIST_H

#include "build_steps.h"

// A line an artifact: name, file, options.
void build_list(struct build *b);
// The plan as JSON, for other build systems: docs/build.md.
void build_list_json(struct build *b);

#endif
