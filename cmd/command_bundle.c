// gcdc bundle: a folder of artifacts becomes an OCI artifact, and a pulled one a folder again.
//
// In:  what `gcdc build` wrote. Out: an OCI image layout, which skopeo, oras and others push to a registry: a layer a
// file, called by its path, with both hashes; the catalog and its signature are layers, too. The files are compared
// with the catalog first. With --statement an in-toto statement (v1) with a SLSA provenance (v1) beside it.
// Cost: SHA-256 of all files; blobs are second names of the files where the file system has such.
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/provenance.h"
#include "base/file.h"
#include "build_folder.h"
#include "cli.h"
#include "folder_catalog.h"
#include "json_text.h"
#include "oci_layout.h"
#include "options.h"
#include "verify_folder.h"

#define ME "bundle"
#define STATEMENT_TYPE "https://in-toto.io/Statement/v1"
#define PREDICATE_TYPE "https://slsa.dev/provenance/v1"
#define BUILD_TYPE "urn:gcdc:build:v1"

struct arguments {
	const char *folder, *out, *tag, *statement, *builder;
	bool unpack, quiet;
};

static int told(struct diag *d, bool ok)
{
	diag_print(d, stderr);
	diag_release(d);
	return ok ? CODE_OK : CODE_IO;
}

// ---- A folder becomes a layout

static int add_item(struct folder_catalog *c, const struct catalog_item *item, struct oci_bundle *bundle)
{
	struct oci_layer layer = {.media_type = item->grammar ? MEDIA_ARTIFACT : MEDIA_VOCABULARY,
	                          .title = item->path,
	                          .file = folder_catalog_file(c, item)};
	struct stat s;
	if (stat(layer.file, &s)) return cli_error(CODE_IO, ME, "%s: %s", layer.file, strerror(errno));
	strcpy(layer.sha256, item->sha256);
	layer.size = (size_t)s.st_size;
	uint32_t n = 0;
	if (item->grammar) {
		gcdc_head head;
		gcdc_refusal why;
		if (gcdc_artifact_head(layer.file, &head, &why))
			return cli_error(CODE_DATA, ME, "%s: %s", layer.file, why.what);
		layer.annotations[n][0] = "gcdc.grammar", layer.annotations[n++][1] = item->grammar;
		layer.annotations[n][0] = "gcdc.grammar-hash";
		layer.annotations[n++][1] = arena_printf(&c->arena, "%016llx%016llx", (unsigned long long)head.grammar_hash[1],
		                                         (unsigned long long)head.grammar_hash[0]);
	}
	layer.annotations[n][0] = "gcdc.tokenizer", layer.annotations[n++][1] = item->tokenizer;
	layer.annotations[n][0] = "gcdc.vocab-hash", layer.annotations[n++][1] = item->hash;
	vec_push(&bundle->layers, layer);
	return CODE_OK;
}

static void add_text(struct folder_catalog *c, const char *name, const char *media_type, const void *bytes, size_t len,
                     struct oci_bundle *bundle)
{
	struct oci_layer layer = {.media_type = media_type,
	                          .title = name,
	                          .file = arena_printf(&c->arena, "%s/%s", c->folder, name),
	                          .size = len};
	sha256_hex(bytes, len, layer.sha256);
	vec_push(&bundle->layers, layer);
}

static int write_layout(struct folder_catalog *c, const struct arguments *a)
{
	const char *annotations[][2] = {{"gcdc.version", GCDC_VERSION},
	                                {"gcdc.artifacts", arena_printf(&c->arena, "%u", c->n_artifacts)},
	                                {NULL, NULL}};
	struct oci_bundle bundle = {.artifact_type = MEDIA_BUNDLE, .tag = a->tag, .annotations = annotations};
	char digest[SHA256_HEX];
	int code = CODE_OK;
	add_text(c, CATALOG_FILE, MEDIA_CATALOG, c->text, c->len, &bundle);
	if (c->signature) add_text(c, SIGNATURE_FILE, MEDIA_SIGNATURE, c->signature, strlen(c->signature), &bundle);
	for (uint32_t i = 0; i < c->items.n && !code; i++) code = add_item(c, &c->items.at[i], &bundle);
	if (!code) code = oci_write(ME, a->out, &bundle, digest);
	if (!code && !a->quiet) printf("%s: %u layers, sha256:%s\n", a->out, bundle.layers.n, digest);
	vec_release(&bundle.layers);
	return code;
}

// ---- The statement

// Each file that some artifact was made from, once.
static int find_dependencies(struct folder_catalog *c, struct json_writer *j)
{
	struct intern seen = {0};
	int code = CODE_OK;
	for (uint32_t i = 0; i < c->items.n && !code; i++) {
		if (!c->items.at[i].grammar) continue;
		struct provenance p;
		const char *wrong, *file = folder_catalog_file(c, &c->items.at[i]);
		const bool has = provenance_read(file, &c->arena, &p, &wrong);
		if (wrong) code = cli_error(CODE_DATA, ME, "%s: %s", file, wrong);
		for (uint32_t k = 0; has && k < p.files.n; k++) {
			const struct provenance_file *from = &p.files.at[k];
			const char *key = arena_printf(&c->arena, "%s %s", from->sha256, from->name);
			bool is_new;
			intern_add(&seen, key, strlen(key), &is_new);
			if (!is_new) continue;
			json_object(j);
			json_string_entry(j, "name", from->name);
			json_key(j, "digest");
			json_object(j);
			json_string_entry(j, "sha256", from->sha256);
			json_close(j);
			json_close(j);
		}
		if (has) vec_release(&p.files);
	}
	intern_release(&seen);
	return code;
}

static int put_statement(struct folder_catalog *c, const struct arguments *a, struct json_writer *j)
{
	json_object(j);
	json_string_entry(j, "_type", STATEMENT_TYPE);
	json_key(j, "subject");
	json_array(j);
	for (uint32_t i = 0; i < c->items.n; i++) {
		json_object(j);
		json_string_entry(j, "name", c->items.at[i].path);
		json_key(j, "digest");
		json_object(j);
		json_string_entry(j, "sha256", c->items.at[i].sha256);
		json_close(j);
		json_close(j);
	}
	json_close(j);
	json_string_entry(j, "predicateType", PREDICATE_TYPE);
	json_key(j, "predicate");
	json_object(j);
	json_key(j, "buildDefinition");
	json_object(j);
	json_string_entry(j, "buildType", BUILD_TYPE);
	json_key(j, "externalParameters");
	json_object(j);
	json_uint_entry(j, "artifacts", c->n_artifacts);
	json_close(j);
	json_key(j, "resolvedDependencies");
	json_array(j);
	int code = find_dependencies(c, j);
	json_close(j);
	json_close(j);
	json_key(j, "runDetails");
	json_object(j);
	json_key(j, "builder");
	json_object(j);
	json_string_entry(j, "id", a->builder);
	json_key(j, "version");
	json_object(j);
	json_string_entry(j, "gcdc", GCDC_VERSION);
	for (int i = 0; i < 5; i++) json_close(j);
	return code;
}

static int write_statement(struct folder_catalog *c, const struct arguments *a)
{
	char *text = NULL;
	size_t len;
	struct json_writer j;
	struct diag d = {0};
	FILE *f = text_stream(&text, &len);
	json_begin(&j, f);
	int code = put_statement(c, a, &j);
	json_end(&j);
	fclose(f);
	if (!code) code = told(&d, file_replace(a->statement, text, len, &d));
	free(text);
	return code;
}

static int make_bundle(const struct arguments *a)
{
	struct folder_catalog c;
	int code = verify_folder(ME, a->folder, NULL, true);
	if (code) return code;
	code = folder_catalog_open(ME, a->folder, &c);
	if (!code && c.is_layout)
		code = cli_error(CODE_USAGE, ME, "%s is a bundle; --unpack makes a folder of it", a->folder);
	if (!code) code = write_layout(&c, a);
	if (!code && a->statement) code = write_statement(&c, a);
	folder_catalog_release(&c);
	return code;
}

// ---- A layout becomes a folder

static int put_file(struct folder_catalog *c, const struct arguments *a, const struct catalog_item *item)
{
	struct diag d = {0};
	const char *path = arena_printf(&c->arena, "%s/%s", a->out, item->path);
	int code = build_folder_make(arena_strndup(&c->arena, path, (size_t)(strrchr(path, '/') - path)));
	return code ? code : told(&d, file_publish(folder_catalog_file(c, item), path, UINT32_MAX, &d));
}

static int unpack(const struct arguments *a)
{
	struct folder_catalog c;
	struct diag d = {0};
	int code = verify_folder(ME, a->folder, NULL, true);
	if (code) return code;
	code = folder_catalog_open(ME, a->folder, &c);
	if (!code) code = build_folder_make(a->out);
	for (uint32_t i = 0; i < c.items.n && !code; i++) code = put_file(&c, a, &c.items.at[i]);
	// The catalog comes last: who looks at the folder before finds the old one, or none.
	if (!code && c.signature)
		code = told(&d, file_replace(arena_printf(&c.arena, "%s/" SIGNATURE_FILE, a->out), c.signature,
		                             strlen(c.signature), &d));
	if (!code) code = told(&d, file_replace(arena_printf(&c.arena, "%s/" CATALOG_FILE, a->out), c.text, c.len, &d));
	if (!code && !a->quiet) printf("%s: %u files\n", a->out, c.items.n);
	folder_catalog_release(&c);
	return code;
}

int command_bundle(int argc, char **argv)
{
	struct arguments a = {.tag = "latest", .builder = "urn:gcdc:unnamed-builder"};
	const struct positional positionals[] = {
		{"FOLDER", POSITIONAL_ONE, &a.folder, "what 'gcdc build' wrote; with --unpack: a bundle"},
	};
	const struct option_spec options[] = {
		FILE_OPTION("output", &a.out, "OUT", "the folder to write: an OCI image layout", .letter = 'o',
	                .required = true),
		TEXT_OPTION("tag", &a.tag, "TAG", "its name in the layout (latest)"),
		FILE_OPTION("statement", &a.statement, "FILE",
	                "write an in-toto statement with SLSA provenance:\neach file, and what all were made from"),
		TEXT_OPTION("builder", &a.builder, "URI", "with --statement: who builds, as a URI"),
		FLAG_OPTION("unpack", &a.unpack, "the reverse: a folder of artifacts from a bundle"),
		FLAG_OPTION("quiet", &a.quiet, "only what is wrong", .letter = 'q'),
	};
	const struct usage usage =
		USAGE(ME, "Makes an OCI artifact of a folder of artifacts, for a registry.", positionals, options,
	          "The same files give the same bundle. Push it with skopeo or oras: docs/deploy.md.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	return a.unpack ? unpack(&a) : make_bundle(&a);
}
