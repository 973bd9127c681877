// gcdc verify of a folder of artifacts, or of a bundle.
#ifndef GCDC_CMD_VERIFY_FOLDER_H
#define GCDC_CMD_VERIFY_FOLDER_H

#include <stdbool.h>

// Each file's bytes against the catalog's sums, each artifact opened with all checks, and the catalog's signature by
// `key` (NULL: not asked for). An exit code; what is wrong is said as by `command`.
int verify_folder(const char *command, const char *folder, const char *key, bool quiet);

#endif
