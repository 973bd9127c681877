// OCI image layouts, written and read.
//
// In:  files with their media types. Out: oci-layout, blobs, a manifest, index.json; and the reverse, every byte
// compared with its sum. The same files give the same manifest: there is no time in it. A bundle has the empty
// configuration of image-spec 1.1 (`{}`) and an artifactType. Cost: SHA-256 of the blobs.
#include "oci_layout.h"

#include <cJSON.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build_folder.h"
#include "cli.h"
#include "json_text.h"

#define MEDIA_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define MEDIA_INDEX "application/vnd.oci.image.index.v1+json"
#define MEDIA_EMPTY "application/vnd.oci.empty.v1+json"
#define TITLE "org.opencontainers.image.title"
#define REF_NAME "org.opencontainers.image.ref.name"
#define LAYOUT_TEXT "{\"imageLayoutVersion\":\"1.0.0\"}"
#define EMPTY_TEXT "{}"
#define MAX_BLOB ((size_t)1 << 32)

// ---- Writing

struct writing {
	const char *command, *folder;
	struct arena arena;
};

static int told(struct diag *d, bool ok)
{
	diag_print(d, stderr);
	diag_release(d);
	return ok ? CODE_OK : CODE_IO;
}

static int put_text(struct writing *w, const char *name, const char *text, size_t len)
{
	struct diag d = {0};
	return told(&d, file_update(arena_printf(&w->arena, "%s/%s", w->folder, name), text, len, NULL, &d));
}

static int put_blob(struct writing *w, const char *text, size_t len, char sha256[SHA256_HEX])
{
	sha256_hex(text, len, sha256);
	return put_text(w, arena_printf(&w->arena, OCI_BLOBS "%s", sha256), text, len);
}

static void put_descriptor(struct json_writer *j, const char *media_type, const char *sha256, size_t size)
{
	char digest[sizeof "sha256:" + SHA256_HEX];
	snprintf(digest, sizeof digest, "sha256:%s", sha256);
	json_string_entry(j, "mediaType", media_type);
	json_string_entry(j, "digest", digest);
	json_uint_entry(j, "size", size);
}

static void put_layer(struct json_writer *j, const struct oci_layer *l)
{
	json_object(j);
	put_descriptor(j, l->media_type, l->sha256, l->size);
	json_key(j, "annotations");
	json_object(j);
	json_string_entry(j, TITLE, l->title);
	for (size_t i = 0; i < 4 && l->annotations[i][0]; i++)
		json_string_entry(j, l->annotations[i][0], l->annotations[i][1]);
	json_close(j);
	json_close(j);
}

static char *manifest_text(const struct oci_bundle *bundle, const char *empty, size_t *len)
{
	char *text = NULL;
	struct json_writer j;
	FILE *f = text_stream(&text, len);
	json_begin(&j, f);
	json_object(&j);
	json_uint_entry(&j, "schemaVersion", 2);
	json_string_entry(&j, "mediaType", MEDIA_MANIFEST);
	json_string_entry(&j, "artifactType", bundle->artifact_type);
	json_key(&j, "config");
	json_object(&j);
	put_descriptor(&j, MEDIA_EMPTY, empty, strlen(EMPTY_TEXT));
	json_close(&j);
	json_key(&j, "layers");
	json_array(&j);
	for (uint32_t i = 0; i < bundle->layers.n; i++) put_layer(&j, &bundle->layers.at[i]);
	json_close(&j);
	json_key(&j, "annotations");
	json_object(&j);
	for (size_t i = 0; bundle->annotations[i][0]; i++)
		json_string_entry(&j, bundle->annotations[i][0], bundle->annotations[i][1]);
	json_close(&j);
	json_close(&j);
	json_end(&j);
	fclose(f);
	return text;
}

static int put_index(struct writing *w, const struct oci_bundle *bundle, const char *sha256, size_t size)
{
	char *text = NULL;
	size_t len;
	struct json_writer j;
	FILE *f = text_stream(&text, &len);
	json_begin(&j, f);
	json_object(&j);
	json_uint_entry(&j, "schemaVersion", 2);
	json_string_entry(&j, "mediaType", MEDIA_INDEX);
	json_key(&j, "manifests");
	json_array(&j);
	json_object(&j);
	put_descriptor(&j, MEDIA_MANIFEST, sha256, size);
	json_string_entry(&j, "artifactType", bundle->artifact_type);
	json_key(&j, "annotations");
	json_object(&j);
	json_string_entry(&j, REF_NAME, bundle->tag);
	for (int i = 0; i < 3; i++) json_close(&j);
	json_close(&j);
	json_end(&j);
	fclose(f);
	int code = put_text(w, "index.json", text, len);
	free(text);
	return code;
}

static int put_layers(struct writing *w, const struct oci_bundle *bundle)
{
	int code = CODE_OK;
	for (uint32_t i = 0; i < bundle->layers.n && !code; i++) {
		const struct oci_layer *l = &bundle->layers.at[i];
		struct diag d = {0};
		code = told(&d, file_publish(l->file, arena_printf(&w->arena, "%s/" OCI_BLOBS "%s", w->folder, l->sha256),
		                             MAX_BLOB, &d));
	}
	return code;
}

int oci_write(const char *command, const char *folder, const struct oci_bundle *bundle, char digest[SHA256_HEX])
{
	struct writing w = {.command = command, .folder = folder};
	char empty[SHA256_HEX], *manifest = NULL;
	size_t len = 0;
	int code = build_folder_make(arena_printf(&w.arena, "%s/" OCI_BLOBS, folder));
	if (!code) code = put_layers(&w, bundle);
	if (!code) code = put_blob(&w, EMPTY_TEXT, strlen(EMPTY_TEXT), empty);
	if (!code) manifest = manifest_text(bundle, empty, &len);
	if (!code && len > OCI_MAX_MANIFEST) {
		code = cli_error(CODE_DATA, command,
		                 "the manifest of %u layers has %zu bytes; registries take %zu (OCI_MAX_MANIFEST)",
		                 bundle->layers.n, len, OCI_MAX_MANIFEST);
		cli_note(command,
		         "build parts into folders of their own, and bundle each: gcdc build --only '*-TOKENIZER' -o FOLDER");
	}
	if (!code) code = put_blob(&w, manifest, len, digest);
	if (!code) code = put_text(&w, "oci-layout", LAYOUT_TEXT, strlen(LAYOUT_TEXT));
	if (!code) code = put_index(&w, bundle, digest, len);
	free(manifest);
	arena_release(&w.arena);
	return code;
}

// ---- Reading

struct layout_reader {
	const char *command, *folder, *type;
	const struct oci_wanted *wanted;
	size_t n_wanted;
	struct arena arena;
};

bool oci_is_layout(const char *folder)
{
	struct arena arena = {0};
	const bool is_there = !access(arena_printf(&arena, "%s/oci-layout", folder), F_OK);
	arena_release(&arena);
	return is_there;
}

static const char *text_of(const cJSON *object, const char *name)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
	return cJSON_IsString(value) ? value->valuestring : "";
}

// The blob of a descriptor, compared with what it says; malloc'd. An exit code, after a message.
static int read_blob(struct layout_reader *r, const cJSON *descriptor, char **bytes, size_t *len)
{
	const char *digest = text_of(descriptor, "digest"), *hex = digest + 7;
	const cJSON *size = cJSON_GetObjectItemCaseSensitive(descriptor, "size");
	char is[SHA256_HEX];
	if (strncmp(digest, "sha256:", 7) != 0 || strlen(hex) != SHA256_HEX - 1 ||
	    strspn(hex, "0123456789abcdef") != SHA256_HEX - 1 || !cJSON_IsNumber(size))
		return cli_error(CODE_DATA, r->command, "%s: a descriptor without a SHA-256 or a size", r->folder);
	const char *path = arena_printf(&r->arena, "%s/" OCI_BLOBS "%s", r->folder, hex);
	if (!file_read(path, MAX_BLOB, bytes, len)) return cli_error(CODE_IO, r->command, "%s: %s", path, strerror(errno));
	sha256_hex(*bytes, *len, is);
	if (!strcmp(is, hex) && (double)*len == size->valuedouble) return CODE_OK;
	free(*bytes);
	*bytes = NULL;
	return cli_error(CODE_DATA, r->command, "%s: other bytes than its name says: their SHA-256 is %s", path, is);
}

static int read_layer(struct layout_reader *r, const cJSON *layer)
{
	char *bytes;
	size_t len;
	int code = read_blob(r, layer, &bytes, &len);
	for (size_t i = 0; i < r->n_wanted && !code; i++) {
		if (strcmp(r->wanted[i].media_type, text_of(layer, "mediaType")) != 0 || *r->wanted[i].bytes) continue;
		*r->wanted[i].bytes = bytes, *r->wanted[i].len = len;
		return CODE_OK;
	}
	if (!code) free(bytes);
	return code;
}

static int read_manifest(struct layout_reader *r, const cJSON *descriptor, bool *is_ours)
{
	char *bytes;
	size_t len;
	const cJSON *layer;
	int code = read_blob(r, descriptor, &bytes, &len);
	if (code) return code;
	cJSON *manifest = cJSON_ParseWithLength(bytes, len);
	free(bytes);
	*is_ours = !strcmp(text_of(manifest, "artifactType"), r->type);
	if (*is_ours)
		cJSON_ArrayForEach(
			layer, cJSON_GetObjectItemCaseSensitive(manifest, "layers")) if ((code = read_layer(r, layer))) break;
	cJSON_Delete(manifest);
	return code;
}

int oci_read(const char *command, const char *folder, const char *artifact_type, const struct oci_wanted *wanted,
             size_t n)
{
	struct layout_reader r = {
		.command = command, .folder = folder, .type = artifact_type, .wanted = wanted, .n_wanted = n};
	const char *path = arena_printf(&r.arena, "%s/index.json", folder);
	char *text = NULL;
	size_t len;
	bool is_ours = false;
	const cJSON *descriptor;
	int code = CODE_OK;
	if (!file_read(path, OCI_MAX_MANIFEST, &text, &len))
		code = cli_error(CODE_IO, command, "%s: %s", path, strerror(errno));
	cJSON *index = code ? NULL : cJSON_ParseWithLength(text, len);
	if (!code)
		cJSON_ArrayForEach(
			descriptor, cJSON_GetObjectItemCaseSensitive(
							index, "manifests")) if (is_ours || (code = read_manifest(&r, descriptor, &is_ours))) break;
	if (!code && !is_ours) code = cli_error(CODE_DATA, command, "%s: no manifest of the type %s", path, artifact_type);
	cJSON_Delete(index);
	free(text);
	arena_release(&r.arena);
	return code;
}
