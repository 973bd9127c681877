// An OCI image layout (image-spec 1.1): a folder of blobs called by their SHA-256, a manifest that lists them.
#ifndef GCDC_CMD_OCI_LAYOUT_H
#define GCDC_CMD_OCI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/sha256.h"

#define OCI_BLOBS "blobs/sha256/"
#define OCI_MAX_MANIFEST ((size_t)4 << 20)  // what registries take

struct oci_layer {
	const char *media_type, *title;
	const char *file;  // where its bytes are
	char sha256[SHA256_HEX];
	size_t size;
	const char *annotations[4][2];  // names and values besides the title; NULL: no more
};
struct oci_bundle {
	const char *artifact_type, *tag;
	const char *(*annotations)[2];
	VEC(struct oci_layer) layers;
};

// Writes it: blobs are second names of the files where the file system has such; index.json comes last. digest: of the
// manifest. An exit code, after a message.
int oci_write(const char *command, const char *folder, const struct oci_bundle *bundle, char digest[SHA256_HEX]);

bool oci_is_layout(const char *folder);

// A layer's bytes, malloc'd with a NUL behind them, where there is one of this media type.
struct oci_wanted {
	const char *media_type;
	char **bytes;
	size_t *len;
};
// Compares each blob that the manifest of this type names with its size and SHA-256. An exit code, after a message.
int oci_read(const char *command, const char *folder, const char *artifact_type, const struct oci_wanted *wanted,
             size_t n);

#endif
