// A folder's catalog, read for bundle and verify.
//
// In:  a folder that `gcdc build` wrote or that was pulled from a registry, or an OCI image layout. Out: what is in it.
// In a layout the catalog is the layer of that media type (lib/runtime/layout.c finds the same one). Cost: linear; for
// a layout the SHA-256 of its blobs.
#include "folder_catalog.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"
#include "oci_layout.h"
#include "shared/catalog_text.h"

#define MAX_CATALOG ((size_t)1 << 30)
#define MAX_SIGNATURE 65536u
#define N_ARTIFACT 7u
#define N_VOCABULARY 5u

// A line's fields; how many, 0 when there are too many or an empty one.
static uint32_t fields_of(char *line, const char *fields[N_ARTIFACT])
{
	uint32_t n = 0;
	for (char *at = line; at; n++) {
		if (n == N_ARTIFACT || !*at || *at == '\t') return 0;
		fields[n] = at;
		at = strchr(at, '\t');
		if (at) *at++ = 0;
	}
	return n;
}

static bool take_line(struct folder_catalog *c, char *line)
{
	const char *f[N_ARTIFACT];
	const uint32_t n = fields_of(line, f);
	const bool is_artifact = n == N_ARTIFACT && !strcmp(f[0], "artifact");
	if (!is_artifact && (n != N_VOCABULARY || strcmp(f[0], "vocabulary") != 0)) return false;
	const char *const *rest = f + (is_artifact ? 2 : 1);
	const struct catalog_item item = {.grammar = is_artifact ? f[1] : NULL,
	                                  .tokenizer = rest[0],
	                                  .hash = rest[1],
	                                  .sha256 = rest[2],
	                                  .path = rest[3],
	                                  .vocab = is_artifact && strcmp(f[6], "-") ? f[6] : NULL};
	if (!catalog_is_hex(item.hash, 32) || !catalog_is_hex(item.sha256, SHA256_HEX - 1) || !catalog_is_path(item.path))
		return false;
	bool is_new = true;
	if (!is_artifact) intern_add(&c->vocab_paths, item.path, strlen(item.path), &is_new);
	if (!is_artifact) vec_push(&c->vocabs, c->items.n);
	vec_push(&c->items, item);
	c->n_artifacts += is_artifact;
	return is_new;
}

static int bad_line(const char *command, struct folder_catalog *c, size_t line)
{
	return cli_error(CODE_DATA, command,
	                 "%s/" CATALOG_FILE ":%zu: this is not what a catalog has there (formats/catalog.md)", c->folder,
	                 line);
}

static int parse(const char *command, struct folder_catalog *c)
{
	char *text = arena_strndup(&c->arena, c->text, c->len), *end;
	static const char first[] = "gcdc catalog 1\n";
	size_t line = 1;
	int at = 0;
	uint32_t told;
	if (strlen(text) != c->len || strncmp(text, first, strlen(first)) != 0) return bad_line(command, c, line);
	for (text += strlen(first); (end = strchr(text, '\n')); text = end + 1) {
		*end = 0, line++;
		if (sscanf(text, "end\t%u%n", &told, &at) == 1 && !text[at] && told == c->items.n && !end[1]) break;
		if (!take_line(c, text)) return bad_line(command, c, line);
	}
	if (!end) return bad_line(command, c, line + 1);
	for (uint32_t i = 0; i < c->items.n; i++) {
		const char *vocab = c->items.at[i].vocab;
		if (vocab && intern_find(&c->vocab_paths, vocab, strlen(vocab)) == INTERN_NONE)
			return cli_error(CODE_DATA, command, "%s/" CATALOG_FILE ": %s needs %s, which has no line", c->folder,
			                 c->items.at[i].path, vocab);
	}
	return CODE_OK;
}

int folder_catalog_open(const char *command, const char *folder, struct folder_catalog *c)
{
	*c = (struct folder_catalog){.folder = folder};
	const char *path = arena_printf(&c->arena, "%s/" CATALOG_FILE, folder),
			   *signature = arena_printf(&c->arena, "%s/" SIGNATURE_FILE, folder);
	size_t len;
	c->is_layout = oci_is_layout(folder);
	if (c->is_layout) {
		const struct oci_wanted wanted[] = {{MEDIA_CATALOG, &c->text, &c->len}, {MEDIA_SIGNATURE, &c->signature, &len}};
		int code = oci_read(command, folder, MEDIA_BUNDLE, wanted, 2);
		if (code) return code;
		if (!c->text) return cli_error(CODE_DATA, command, "%s: its manifest has no layer %s", folder, MEDIA_CATALOG);
	} else if (!file_read(path, MAX_CATALOG, &c->text, &c->len)) {
		int code = cli_error(CODE_IO, command, "%s: %s", path, strerror(errno));
		if (errno == ENOENT) cli_note(command, "'gcdc build' writes one into its output folder");
		return code;
	} else if (!access(signature, F_OK) && !file_read(signature, MAX_SIGNATURE, &c->signature, &len)) {
		return cli_error(CODE_IO, command, "%s: %s", signature, strerror(errno));
	}
	return parse(command, c);
}

const char *folder_catalog_file(struct folder_catalog *c, const struct catalog_item *item)
{
	return c->is_layout ? arena_printf(&c->arena, "%s/" OCI_BLOBS "%s", c->folder, item->sha256)
	                    : arena_printf(&c->arena, "%s/%s", c->folder, item->path);
}

const char *folder_catalog_vocab(struct folder_catalog *c, const struct catalog_item *item)
{
	if (!item->vocab) return NULL;
	const uint32_t id = intern_find(&c->vocab_paths, item->vocab, strlen(item->vocab));
	return folder_catalog_file(c, &c->items.at[c->vocabs.at[id]]);
}

void folder_catalog_release(struct folder_catalog *c)
{
	intern_release(&c->vocab_paths);
	vec_release(&c->vocabs);
	vec_release(&c->items);
	free(c->text);
	free(c->signature);
	arena_release(&c->arena);
}
