// A folder with a catalog in it (formats/catalog.md), or a bundle: what it holds, and where.
#ifndef GCDC_CMD_FOLDER_CATALOG_H
#define GCDC_CMD_FOLDER_CATALOG_H

#include "base/intern.h"
#include "base/sha256.h"

#define CATALOG_FILE "gcdc.catalog"
#define SIGNATURE_FILE "gcdc.catalog.minisig"

#define MEDIA_BUNDLE "application/vnd.gcdc.bundle.v1"
#define MEDIA_CATALOG "application/vnd.gcdc.catalog.v1"
#define MEDIA_SIGNATURE "application/vnd.gcdc.signature.v1"
#define MEDIA_ARTIFACT "application/vnd.gcdc.artifact.v1"
#define MEDIA_VOCABULARY "application/vnd.gcdc.vocabulary.v1"

struct catalog_item {
	const char *grammar;  // NULL: a vocabulary
	const char *tokenizer, *hash, *sha256, *path;
	const char *vocab;  // path of the vocabulary that the artifact needs, or NULL
};

struct folder_catalog {
	struct arena arena;
	const char *folder;
	char *text;
	size_t len;
	bool is_layout;             // an OCI image layout: files are called by their sums
	char *signature;            // of the catalog, or NULL
	struct intern vocab_paths;  // ids: places in vocabs
	VEC(uint32_t) vocabs;       // places in items
	VEC(struct catalog_item) items;
	uint32_t n_artifacts;
};

// An exit code, after a message. In a layout each blob that its manifest names is compared with its sum, too.
int folder_catalog_open(const char *command, const char *folder, struct folder_catalog *c);
// The item's file, in the arena.
const char *folder_catalog_file(struct folder_catalog *c, const struct catalog_item *item);
// The file of the vocabulary that it needs, or NULL.
const char *folder_catalog_vocab(struct folder_catalog *c, const struct catalog_item *item);
void folder_catalog_release(struct folder_catalog *c);

#endif
