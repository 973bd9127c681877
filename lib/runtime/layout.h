// A bundle's catalog in an OCI image layout.
#ifndef GCDC_RUNTIME_LAYOUT_H
#define GCDC_RUNTIME_LAYOUT_H

#include "../shared/sha256.h"
#include "core/runtime_internal.h"

#define LAYOUT_NAME "oci-layout"  // says that a folder is one
#define LAYOUT_INDEX "index.json"
#define LAYOUT_BLOBS "blobs/sha256/"  // files lie under their SHA-256

// The SHA-256 of the catalog. folder: with a slash at its end.
gcdc_status layout_find_catalog(const char *folder, char sha256[SHA256_HEX], gcdc_refusal *why);

#endif
