// Documents that references lead to: where they are found. Nothing is ever fetched from a network.
//
// In:  a reference and the URI that it means. Out: the document, read and known under that URI. In this order: a file
// beside the one that refers to it; in the folder of schemas the file at HOST/PATH (with ".json", too), or one whose
// $id is the URI; a metaschema of drafts 4 to 2020-12, which are built in. Cost: linear in what is read; a file is read
// once, whatever URIs lead to it, the folder's files when the first URI is in none of the other places.
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../base/file.h"
#include "internal.h"

extern const char gcdc_embedded_metaschemas[] __attribute__((weak));
extern const char gcdc_embedded_metaschemas_end[] __attribute__((weak));

char *uri_decode(struct arena *arena, const char *text)
{
	char *out = arena_strndup(arena, text, strlen(text)), *to = out;
	for (const char *c = text; *c; c++) {
		unsigned v;
		if (*c == '%' && sscanf(c + 1, "%2x", &v) == 1 && c[1] && c[2])
			*to++ = (char)v, c += 2;
		else
			*to++ = *c;
	}
	*to = 0;
	return out;
}

static struct source *keep_source(struct schema *s, const char *path, const char *text, size_t size)
{
	struct source *source = arena_alloc(diag_arena(s->d), sizeof *source);
	*source = (struct source){arena_strndup(diag_arena(s->d), path, strlen(path)),
	                          arena_strndup(diag_arena(s->d), text, size), size};
	return source;
}

// Reads a document, which is known as `uri` from now on.
static bool open_document(struct schema *s, struct source *source, const char *uri)
{
	if (++s->n_files > SCHEMA_MAX_FILES) work_too_large("SCHEMA_MAX_FILES", SCHEMA_MAX_FILES);
	uint32_t number = s->resources.n;
	struct json *root;
	if (!schema_open(s, source, uri, &root)) {
		s->failed = true;
		return false;
	}
	// Its own $id may say something else.
	struct resource known = s->resources.at[number];
	known.uri = uri;
	if (!schema_find_resource(s, uri)) vec_push(&s->resources, known);
	return true;
}

// A relative $id below a folder makes a new URI of each reference to the file.
static bool open_file(struct schema *s, const char *path, const char *uri)
{
	struct stat st;
	char *text;
	size_t size;
	if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
	for (uint32_t i = 0; i < s->opened.n; i++) {
		const struct opened_file *x = &s->opened.at[i];
		if (x->device != st.st_dev || x->inode != st.st_ino) continue;
		struct resource known = s->resources.at[x->resource];
		known.uri = uri;
		vec_push(&s->resources, known);
		return true;
	}
	if (!file_read(path, SCHEMA_MAX_BYTES, &text, &size)) return false;
	struct source *source = keep_source(s, path, text, size);
	free(text);
	vec_push(&s->opened, ((struct opened_file){st.st_dev, st.st_ino, s->resources.n}));
	return open_document(s, source, uri);
}

static bool load_beside(struct schema *s, const struct resource *from, const char *reference, size_t len,
                        const char *uri)
{
	const char *path = arena_strndup(s->arena, reference, len);
	if (!len || uri_scheme_length(path) || strstr(s->resources.at[0].folder, "://")) return false;
	const char *decoded = uri_decode(s->arena, path);
	return open_file(s, *decoded == '/' ? decoded : arena_printf(s->arena, "%s%s", from->folder, decoded), uri);
}

// ---- the folder of schemas ----

static int by_path(const void *a, const void *b)
{
	const struct known_document *x = a, *y = b;
	return strcmp(x->path, y->path);
}

// The URI that a file's document gives itself; NULL: none.
static const char *own_uri(struct schema *s, const char *path)
{
	char *text;
	size_t size;
	if (!file_read(path, SCHEMA_MAX_BYTES, &text, &size)) return NULL;
	struct arena arena = {0};
	struct diag d = {0};
	struct json_store store = {.arena = &arena, .d = &d};
	const struct source source = {path, text, size};
	const struct json *root = json_read(&store, &source), *id = root ? json_get(root, "$id") : NULL;
	if (!id && root) id = json_get(root, "id");
	const char *uri = NULL;
	if (id && id->kind == JSON_STRING && id->len) uri = arena_strndup(s->arena, id->text, strcspn(id->text, "#"));
	diag_release(&d);
	arena_release(&arena);
	free(text);
	return uri;
}

static void read_folder(struct schema *s)
{
	if (s->folder_is_read) return;
	s->folder_is_read = true;
	DIR *dir = opendir(s->o->schemas);
	if (!dir) return;
	bool too_many = false;
	for (const struct dirent *e; (e = readdir(dir)) && !too_many;) {
		size_t n = strlen(e->d_name);
		if (n < 6 || strcmp(e->d_name + n - 5, ".json") != 0) continue;
		too_many = s->folder.n >= SCHEMA_MAX_FOLDER;
		const char *path = arena_printf(s->arena, "%s/%s", s->o->schemas, e->d_name);
		vec_push(&s->folder, ((struct known_document){NULL, path}));
	}
	closedir(dir);
	if (too_many) work_too_large("SCHEMA_MAX_FOLDER", SCHEMA_MAX_FOLDER);
	if (s->folder.n) qsort(s->folder.at, s->folder.n, sizeof *s->folder.at, by_path);
	for (uint32_t i = 0; i < s->folder.n; i++) s->folder.at[i].uri = own_uri(s, s->folder.at[i].path);
}

static bool load_from_folder(struct schema *s, const char *uri)
{
	const char *folder = s->o->schemas;
	if (!folder) return false;
	size_t scheme = uri_scheme_length(uri);
	const char *rest = uri + scheme;
	rest += strspn(rest, "/");
	const char *path = arena_printf(s->arena, "%s/%s", folder, uri_decode(s->arena, rest));
	if (*rest && !strstr(path, "/../") &&
	    (open_file(s, path, uri) || open_file(s, arena_printf(s->arena, "%s.json", path), uri)))
		return true;
	if (s->failed) return false;
	read_folder(s);
	for (uint32_t i = 0; i < s->folder.n; i++)
		if (s->folder.at[i].uri && strcmp(s->folder.at[i].uri, uri) == 0)
			return open_file(s, s->folder.at[i].path, uri);
	return false;
}

// ---- metaschemas ----

// The embedded text is {"URI": document, ...}; each document's $id makes it known.
static bool load_metaschema(struct schema *s, const char *uri)
{
	const char *begin = gcdc_embedded_metaschemas, *end = gcdc_embedded_metaschemas_end;
	if (!begin || s->metaschemas_are_read || !strstr(uri, "json-schema.org/draft")) return false;
	s->metaschemas_are_read = true;
	struct json *all;
	if (!schema_open_made(s, keep_source(s, "metaschemas", begin, (size_t)(end - begin)), "metaschemas:", &all))
		return false;
	return schema_find_resource(s, uri) != NULL;
}

bool documents_load(struct schema *s, const struct resource *from, const char *reference, size_t len, const char *uri)
{
	const struct resource base = *from;  // what is loaded moves the list
	return load_beside(s, &base, reference, len, uri) || (!s->failed && load_from_folder(s, uri)) ||
	       (!s->failed && load_metaschema(s, uri));
}

void documents_release(struct schema *s)
{
	vec_release(&s->opened);
	vec_release(&s->folder);
}
