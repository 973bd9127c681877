// OUTPUT/gcdc.catalog: what the folder holds, for those who open it.
#ifndef GCDC_CMD_BUILD_CATALOG_H
#define GCDC_CMD_BUILD_CATALOG_H

#include "build_steps.h"

#define CATALOG_NAME "gcdc.catalog"

// Writes it anew where it is another one: all artifacts of the plan whose files the record knows. An exit code.
int build_catalog(struct build *b);
// SHA-256 of a file's bytes, in the arena; NULL with errno set.
const char *build_sum(struct build *b, const char *path);

#endif
