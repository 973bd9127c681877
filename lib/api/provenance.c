// Provenance: written into an artifact, read from it.
//
// In:  the files that an artifact is made from, and its options. Out: an SPDX 2.3 document in tag-value form; and from
// such a document the same again. Names are without folders, and there is no time: the same inputs give the same bytes.
// Cost: SHA-256 of the inputs, 4 ns a byte; a vocabulary compiled before (.gcdv) brings the sums of its tokenizer
// along.
#include "provenance.h"

#include <errno.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../formats/artifact.h"
#include "../base/file.h"
#include "../base/text_out.h"
#include "api.h"

static const char *const role_name[] = {[ROLE_GRAMMAR] = "Grammar", [ROLE_TOKENIZER] = "Tokenizer"};

// Without folders, and on one line.
static const char *plain_name(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = arena_printf(a, "%s", slash ? slash + 1 : path);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < 32) *c = '?';
	return name;
}

void provenance_file(enum provenance_role role, const char *path, const void *bytes, size_t len, struct arena *a,
                     provenance_list *files)
{
	struct provenance_file file = {.role = role, .name = plain_name(a, path)};
	sha256_hex(bytes, len, file.sha256);
	vec_push(files, file);
}

bool provenance_tokenizer(const char *path, struct arena *a, provenance_list *files, struct diag *d)
{
	const char *paths[VOCAB_MAX_FILES];
	char *bytes;
	size_t len;
	if (!path) {
		const char *json = vocab_default_json(&len);
		provenance_file(ROLE_TOKENIZER, "default-tokenizer.json", json, len, a, files);
		return true;
	}
	uint32_t n = vocab_files(path, a, paths);
	for (uint32_t i = 0; i < n; i++) {
		if (!file_read(paths[i], SIZE_MAX - 2, &bytes, &len)) {
			diag_error(d, (struct loc){0}, "cannot read \"%s\": %s", paths[i], strerror(errno));
			return false;
		}
		provenance_file(ROLE_TOKENIZER, paths[i], bytes, len, a, files);
		free(bytes);
	}
	return true;
}

void provenance_grammar(const source_list *sources, struct arena *a, provenance_list *files)
{
	for (uint32_t i = 0; i < sources->n; i++) {
		const struct source *s = sources->at[i];
		bool again = false;
		for (uint32_t k = 0; k < i && !again; k++) again = !strcmp(sources->at[k]->path, s->path);
		if (!again) provenance_file(ROLE_GRAMMAR, s->path, s->text, s->len, a, files);
	}
}

// The next line of *at, without its end; NULL after the last.
static const char *next_line(struct arena *a, const char **at)
{
	if (!**at) return NULL;
	const char *end = *at + strcspn(*at, "\n"), *line = arena_strndup(a, *at, (size_t)(end - *at));
	*at = *end ? end + 1 : end;
	return line;
}

static bool has_prefix(const char *text, const char *prefix, const char **rest)
{
	size_t n = strlen(prefix);
	*rest = text + n;
	return !strncmp(text, prefix, n);
}

const char *provenance_origin(struct arena *a, const provenance_list *files, const char *options)
{
	struct text_out t;
	text_open(&t);
	for (uint32_t i = 0; i < files->n; i++) fprintf(t.f, "file %s %s\n", files->at[i].sha256, files->at[i].name);
	for (const char *line; (line = next_line(a, &options));) fprintf(t.f, "option %s\n", line);
	return text_close(&t, a);
}

const char *provenance_read_origin(struct arena *a, const char *origin, provenance_list *files)
{
	struct text_out t;
	text_open(&t);
	for (const char *line, *rest; (line = next_line(a, &origin));) {
		if (has_prefix(line, "option ", &rest)) fprintf(t.f, "%s\n", rest);
		if (!has_prefix(line, "file ", &rest) || strlen(rest) < SHA256_HEX) continue;
		struct provenance_file file = {.role = ROLE_TOKENIZER, .name = plain_name(a, rest + SHA256_HEX)};
		memcpy(file.sha256, rest, SHA256_HEX - 1);
		vec_push(files, file);
	}
	return text_close(&t, a);
}

static void put_package(FILE *f, const char *name, const char *id, const char *purpose)
{
	fprintf(f,
	        "\nPackageName: %s\nSPDXID: SPDXRef-%s\nPackageDownloadLocation: NOASSERTION\nFilesAnalyzed: false\n"
	        "PrimaryPackagePurpose: %s\n",
	        name, id, purpose);
}

const char *provenance_write(struct arena *a, const provenance_list *files, const char *options, const char *zstd)
{
	struct text_out body, all;
	uint32_t number[2] = {0};
	text_open(&all), text_open(&body);
	FILE *f = body.f;
	put_package(f, "artifact", "Artifact", "FILE");
	fprintf(f, "PackageVersion: %u\nPackageComment: <text>%s</text>\n", ARTIFACT_VERSION, options);
	put_package(f, "gcdc", "gcdc", "APPLICATION");
	fprintf(f, "PackageVersion: %s\n", GCDC_VERSION);
	put_package(f, "zstd", "zstd", "LIBRARY");
	fprintf(f, "PackageVersion: %s\n", zstd);
	for (uint32_t i = 0; i < files->n; i++) {
		const struct provenance_file *x = &files->at[i];
		const char *id = arena_printf(a, "%s-%u", role_name[x->role], ++number[x->role]);
		put_package(f, x->name, id, "SOURCE");
		fprintf(f, "PackageFileName: ./%s\nPackageChecksum: SHA256: %s\n", x->name, x->sha256);
	}
	fputs("\nRelationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Artifact\n"
	      "Relationship: SPDXRef-gcdc BUILD_TOOL_OF SPDXRef-Artifact\n"
	      "Relationship: SPDXRef-zstd BUILD_DEPENDENCY_OF SPDXRef-Artifact\n",
	      f);
	for (int role = 0; role < 2; role++)
		for (uint32_t i = 1; i <= number[role]; i++)
			fprintf(f, "Relationship: SPDXRef-Artifact GENERATED_FROM SPDXRef-%s-%u\n", role_name[role], i);
	const char *packages = text_close(&body, a) + 1;  // without the first empty line
	char sum[SHA256_HEX];
	sha256_hex(packages, strlen(packages), sum);
	fprintf(all.f,
	        "SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: gcdc-artifact\n"
	        "DocumentNamespace: urn:sha256:%s\nCreator: Tool: gcdc-%s\nCreated: 1970-01-01T00:00:00Z\n\n%s",
	        sum, GCDC_VERSION, packages);
	return text_close(&all, a);
}

// ---- reading

// The section's bytes in the file, checked.
static const char *find_section(struct arena *a, const char *bytes, size_t len, const char **wrong)
{
	struct artifact_header h;
	struct artifact_section s = {0};
	*wrong = NULL;
	if (len < sizeof h) return NULL;
	memcpy(&h, bytes, sizeof h);
	for (uint32_t i = 0; i < h.n_sections && sizeof h + (i + 1) * sizeof s <= len; i++) {
		memcpy(&s, bytes + sizeof h + i * sizeof s, sizeof s);
		if (s.id == SECTION_PROVENANCE) break;
	}
	if (s.id != SECTION_PROVENANCE) return NULL;
	if (s.codec != ARTIFACT_RAW || s.stored != s.size || s.offset > len || s.stored > len - s.offset ||
	    memchr(bytes + s.offset, 0, s.size))
		*wrong = "the provenance section is not a text";
	else if (XXH3_64bits(bytes + s.offset, s.size) != s.check)
		*wrong = "the provenance section is damaged: its checksum is wrong";
	else
		return arena_strndup(a, bytes + s.offset, s.size);
	return NULL;
}

// Branches: one line of the SPDX text for each fact that is kept.
bool provenance_read(const char *path, struct arena *a, struct provenance *p, const char **wrong)
{
	char *bytes;
	size_t len;
	*p = (struct provenance){.options = ""};
	*wrong = NULL;
	if (!file_read(path, SIZE_MAX - 2, &bytes, &len)) {
		*wrong = arena_printf(a, "cannot be read: %s", strerror(errno));
		return false;
	}
	p->text = find_section(a, bytes, len, wrong);
	free(bytes);
	if (!p->text) return false;
	const char *name = "", *id = "", *at = p->text, *rest;
	for (const char *line; (line = next_line(a, &at));) {
		if (has_prefix(line, "PackageName: ", &rest))
			name = rest;
		else if (has_prefix(line, "SPDXID: SPDXRef-", &rest))
			id = rest;
		else if (has_prefix(line, "PackageVersion: ", &rest) && !strcmp(id, "gcdc"))
			p->version = rest;
		else if (has_prefix(line, "PackageVersion: ", &rest) && !strcmp(id, "zstd"))
			p->zstd = rest;
		else if (has_prefix(line, "PackageComment: <text>", &rest) && !strcmp(id, "Artifact")) {
			const char *begin = strstr(p->text, "PackageComment: <text>") + strlen("PackageComment: <text>");
			const char *end = strstr(begin, "</text>");
			if (end) p->options = arena_strndup(a, begin, (size_t)(end - begin)), at = end;
		} else if (has_prefix(line, "PackageChecksum: SHA256: ", &rest) && strlen(rest) == SHA256_HEX - 1) {
			struct provenance_file file = {.role = *id == 'G' ? ROLE_GRAMMAR : ROLE_TOKENIZER, .name = name};
			memcpy(file.sha256, rest, SHA256_HEX);
			vec_push(&p->files, file);
		}
	}
	return true;
}

const char *provenance_option(struct arena *a, const char *options, const char *name, const char **from)
{
	const char *at = from && *from ? *from : options, *prefix = arena_printf(a, "--%s ", name), *value;
	for (const char *line; (line = next_line(a, &at));)
		if (has_prefix(line, prefix, &value)) {
			if (from) *from = at;
			return value;
		}
	return NULL;
}
