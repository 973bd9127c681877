// Finds a bundle's catalog in an OCI image layout, as it came from a registry.
//
// In:  a folder with index.json and blobs/sha256. Out: the name of the catalog among the blobs.
// The first manifest of a bundle's type counts, and in it the first layer of a catalog's type, as for `gcdc verify`.
// Each manifest is compared with its digest. JSON is read as every reader of JSON reads it: where a name, a type or a
// digest is written with an escape the layout is refused, so that no two programs find two catalogs in it.
// Cost: linear. Nesting has at most 64 levels, nothing recurses.
#include "layout.h"

#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>

#define BUNDLE_TYPE "application/vnd.gcdc.bundle.v1"
#define CATALOG_TYPE "application/vnd.gcdc.catalog.v1"
#define MAX_TEXT ((size_t)4 << 20)  // what registries take of a manifest
#define MAX_LEVELS 64u

struct span {
	const char *at;
	size_t len;
	bool has_escape;
};

// A place in a text of JSON. Copies go on by themselves; what is wrong is told to all of them.
struct cursor {
	const char *at, *end;
	bool *is_bad;
};

static bool fail(struct cursor *c)
{
	*c->is_bad = true;
	return false;
}

// Takes `what`, if it comes next but for white space.
static bool take(struct cursor *c, char what)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
	const bool is_next = c->at < c->end && *c->at == what;
	c->at += is_next;
	return is_next;
}

static bool take_text(struct cursor *c, struct span *text)
{
	if (!take(c, '"')) return fail(c);
	*text = (struct span){.at = c->at};
	for (; c->at < c->end && *c->at != '"'; c->at++) {
		if ((unsigned char)*c->at < ' ') return fail(c);
		if (*c->at == '\\') text->has_escape = true, c->at++;
	}
	if (c->at >= c->end) return fail(c);
	text->len = (size_t)(c->at++ - text->at);
	return true;
}

// A number, true, false, null: letters that end where a value can end.
static bool skip_word(struct cursor *c)
{
	const char *begin = c->at;
	while (c->at < c->end && strchr("+-.0123456789aeflnrstuE", *c->at) && *c->at) c->at++;
	return c->at > begin || fail(c);
}

// Branches: JSON without recursion: a bit a level says whether an object or an array is open.
static bool skip_value(struct cursor *c)
{
	uint64_t is_object = 0;  // one bit a level
	unsigned level = 0;
	struct span text;
	do {
		if (is_object & 1 && (!take_text(c, &text) || !take(c, ':'))) return fail(c);
		const bool object = take(c, '{'), opens = object || take(c, '[');
		if (opens && level++ == MAX_LEVELS) return fail(c);
		if (opens)
			is_object = is_object << 1 | object;
		else if (c->at < c->end && *c->at == '"' ? !take_text(c, &text) : !skip_word(c))
			return false;
		if (opens && !take(c, object ? '}' : ']')) continue;
		if (opens) level--, is_object >>= 1;
		for (; level && !take(c, ','); level--, is_object >>= 1)
			if (!take(c, is_object & 1 ? '}' : ']')) return fail(c);
	} while (level);
	return true;
}

static bool is_same(const struct span *text, const char *other)
{
	return text->len == strlen(other) && !memcmp(text->at, other, text->len);
}

// The value of an object's first member of that name.
static bool member(struct cursor object, const char *name, struct cursor *value)
{
	struct span key;
	if (!take(&object, '{') || take(&object, '}')) return false;
	do {
		if (!take_text(&object, &key)) return false;
		if (key.has_escape || !take(&object, ':')) return fail(&object);
		*value = object;
		if (is_same(&key, name)) return true;
		if (!skip_value(&object)) return false;
	} while (take(&object, ','));
	return take(&object, '}') ? false : fail(&object);
}

// A member that is a text; none, or something else: "".
static struct span text_member(struct cursor object, const char *name)
{
	struct cursor value;
	struct span text = {0};
	if (!member(object, name, &value) || !take(&value, '"')) return text;
	value.at--;
	if (take_text(&value, &text) && text.has_escape) fail(&value);
	return text;
}

// An array's first element, then each next one.
static bool first_element(struct cursor object, const char *name, struct cursor *at)
{
	if (!member(object, name, at) || !take(at, '[')) return false;
	struct cursor end = *at;
	return !take(&end, ']');
}

static bool next_element(struct cursor *at)
{
	if (!skip_value(at)) return false;
	return take(at, ',') || (take(at, ']') ? false : fail(at));
}

static bool take_digest(struct cursor descriptor, char sha256[SHA256_HEX])
{
	const struct span text = text_member(descriptor, "digest");
	if (*descriptor.is_bad || text.len != 7 + SHA256_HEX - 1 || memcmp(text.at, "sha256:", 7) != 0)
		return fail(&descriptor);
	memcpy(sha256, text.at + 7, SHA256_HEX - 1);
	sha256[SHA256_HEX - 1] = 0;
	return strspn(sha256, "0123456789abcdef") == SHA256_HEX - 1 || fail(&descriptor);
}

// ---- Files

struct mapped {
	char path[PATH_MAX];
	const void *bytes;
	size_t len;
};

static gcdc_status map_text(const char *folder, const char *where, const char *name, struct mapped *m,
                            gcdc_refusal *why)
{
	const int n = snprintf(m->path, sizeof m->path, "%s%s%s", folder, where, name);
	if (n < 0 || (size_t)n >= sizeof m->path)
		return refuse(why, GCDC_ERR_IO, GCDC_NONE, 0, "%.120s: the path is too long", folder);
	gcdc_status status = file_map(m->path, &m->bytes, &m->len, why);
	if (status || m->len <= MAX_TEXT) return status;
	munmap((void *)(uintptr_t)m->bytes, m->len);
	return refuse(why, GCDC_ERR_LIMIT, GCDC_NONE, 0, "%.120s: %zu bytes are more than 4 MiB", m->path, m->len);
}

static gcdc_status odd(const struct mapped *m, gcdc_refusal *why)
{
	return refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.160s: not JSON as an OCI layout has it there", m->path);
}

// The catalog's digest in one manifest; "" where it is of another type.
static gcdc_status read_manifest(const char *folder, const char *digest, char sha256[SHA256_HEX], gcdc_refusal *why)
{
	struct mapped m;
	gcdc_status status = map_text(folder, LAYOUT_BLOBS, digest, &m, why);
	if (status) return status;
	bool is_bad = false;
	char is[SHA256_HEX];
	struct cursor layer, manifest = {m.bytes, (const char *)m.bytes + m.len, &is_bad};
	*sha256 = 0;
	sha256_hex_of(m.bytes, m.len, is);
	if (strcmp(is, digest) != 0) {
		status = refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.140s: other bytes than its name says", m.path);
	} else {
		const struct span type = text_member(manifest, "artifactType");
		bool more = is_same(&type, BUNDLE_TYPE) && first_element(manifest, "layers", &layer);
		for (; more && !is_bad && !*sha256; more = next_element(&layer)) {
			const struct span of = text_member(layer, "mediaType");
			if (is_same(&of, CATALOG_TYPE)) take_digest(layer, sha256);
		}
		if (is_bad) status = odd(&m, why);
		if (!status && is_same(&type, BUNDLE_TYPE) && !*sha256)
			status = refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.140s: no layer " CATALOG_TYPE, m.path);
	}
	munmap((void *)(uintptr_t)m.bytes, m.len);
	return status;
}

gcdc_status layout_find_catalog(const char *folder, char sha256[SHA256_HEX], gcdc_refusal *why)
{
	struct mapped m;
	gcdc_status status = map_text(folder, "", LAYOUT_INDEX, &m, why);
	if (status) return status;
	bool is_bad = false;
	char digest[SHA256_HEX];
	struct cursor descriptor, index = {m.bytes, (const char *)m.bytes + m.len, &is_bad};
	*sha256 = 0;
	bool more = first_element(index, "manifests", &descriptor);
	for (; more && !status && !*sha256; more = next_element(&descriptor))
		if (take_digest(descriptor, digest)) status = read_manifest(folder, digest, sha256, why);
	if (!status && is_bad) status = odd(&m, why);
	if (!status && !*sha256)
		status = refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.140s: no manifest of the type " BUNDLE_TYPE, m.path);
	munmap((void *)(uintptr_t)m.bytes, m.len);
	return status;
}
