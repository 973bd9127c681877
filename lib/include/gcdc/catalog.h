/* gcdc catalog: many artifacts in one folder, by the grammar's name and the tokenizer's hash, changed while servers
 * run.
 *
 *     gcdc_catalog *catalog;
 *     gcdc_refusal why;
 *     if (gcdc_catalog_open("/srv/grammars/current", NULL, &catalog, &why)) { puts(why.what); return 1; }
 *     gcdc_artifact *artifact;                                       // at each request:
 *     if (gcdc_catalog_get(catalog, "invoice", vocab_hash, &artifact, &why)) { puts(why.what); return 1; }
 *     gcdc_matcher *m;
 *     if (gcdc_matcher_new(artifact, NULL, &m)) return 1;
 *     gcdc_artifact_close(artifact);                                 // the matcher holds it
 *     ...
 *     gcdc_catalog_refresh(catalog, NULL, &why);                     // now and then, from any thread
 *
 * The folder is one that `gcdc build` wrote, or an OCI image layout that `gcdc bundle` made of it, as it came from a
 * registry. A catalog in it names each artifact, the SHA-256 of its bytes and its vocabulary (formats/catalog.md).
 *
 * Files are opened in the folder that the path meant at the last refresh, links resolved. So where a link is moved to
 * another folder, artifacts of one catalog are never of two builds. The SHA-256 of each opened file is compared: an
 * artifact that is handed out, and its vocabulary, have the bytes that the catalog names. The author of the catalog is
 * not checked here: `gcdc verify --key` compares it with a signature.
 *
 * Threads. Any number of threads may use a catalog at once. While one opens an artifact the others do not wait.
 *
 * Errors and memory are as in <gcdc/runtime.h>. Depends on libc, zstd's decoder and POSIX threads. */
#ifndef GCDC_CATALOG_H
#define GCDC_CATALOG_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The names of a folder's artifacts, and those of them that are open. */
typedef struct gcdc_catalog gcdc_catalog;

/** Reads a folder's catalog; opens no artifact. memory says where the catalog and its artifacts get memory; it is
 * copied; NULL: malloc. refusal may be NULL. On failure *catalog is NULL: GCDC_ERR_IO, GCDC_ERR_FORMAT (no catalog, or
 * a damaged one), GCDC_ERR_VERSION, GCDC_ERR_MEMORY. Cost: reading the file, some milliseconds for 30,000 artifacts. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_catalog_open(const char *folder, const gcdc_memory *memory,
                                                       gcdc_catalog **catalog, gcdc_refusal *refusal);
/** Frees the catalog, after all calls that use it. Artifacts that it has handed out stay open. NULL is fine. */
GCDC_API void gcdc_catalog_close(gcdc_catalog *catalog);

/** Gives the artifact of a grammar for a tokenizer, which is named by its hash (gcdc_vocab_hash, gcdc_info.vocab_hash).
 * The caller holds it, too, and lets go of it with gcdc_artifact_close. The first call opens it, with all checks; later
 * ones look it up, until a refresh finds another one in its place. Opened artifacts stay in memory until then, or until
 * gcdc_catalog_trim.
 * GCDC_REJECTED: the catalog has no such artifact. GCDC_ERR_VOCAB: the file is for another tokenizer than the catalog
 * says. GCDC_ERR_FORMAT: it has other bytes. Otherwise as gcdc_artifact_open. On failure *artifact is NULL.
 * Cost of opening: as gcdc_artifact_open, and 4 ns a byte; a .gcdv's bytes count once as long as an artifact with it
 * is open. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_catalog_get(gcdc_catalog *catalog, const char *grammar,
                                                      const uint64_t vocab_hash[2], gcdc_artifact **artifact,
                                                      gcdc_refusal *refusal);

/** Reads the folder's catalog again if there is another one now; *changed (may be NULL) says so. From then on
 * gcdc_catalog_get hands out the new artifacts; those that have not changed stay open. Artifacts handed out before,
 * and their matchers, keep the old bytes. Refreshes of several threads go one after another: after each, the
 * artifacts that the folder held when it was called, or newer ones, are handed out. Errors as gcdc_catalog_open. On
 * failure the catalog is as it was. Cost with nothing new: two system calls. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_catalog_refresh(gcdc_catalog *catalog, bool *changed, gcdc_refusal *refusal);
/** Lets go of all opened artifacts; those that a caller or a matcher holds stay in memory. */
GCDC_API void gcdc_catalog_trim(gcdc_catalog *catalog);

/** The number of artifacts that the catalog names. */
GCDC_API size_t gcdc_catalog_count(gcdc_catalog *catalog);

/** An artifact that the catalog names. */
typedef struct gcdc_catalog_entry {
	char grammar[128], tokenizer[128]; /* names; longer ones are cut */
	uint64_t vocab_hash[2];
	char sha256[65]; /* of the file's bytes */
} gcdc_catalog_entry;
/** Fills in *entry with artifact i, in the order of grammar, then of the tokenizer's hash. False past the last. */
GCDC_API bool gcdc_catalog_at(gcdc_catalog *catalog, size_t i, gcdc_catalog_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
