// JSON for the vocabulary: cJSON, with what it leaves open closed.
//
// In:  the text of a file. Out: a cJSON tree, or an error at the place.
// Before parsing, one pass refuses what would surprise later: invalid UTF-8, control bytes (a NUL would cut a string
// short), `\u0000` (likewise), and texts of so many values that the tree would eat the memory. cJSON itself limits
// nesting to 1,000. Cost: a third of cJSON's own time, which is 5 to 10 ms a megabyte.
#define _GNU_SOURCE  // memmem
#include "hf_json.h"

#include "../base/file.h"
#include "utf8.h"

#include <errno.h>
#include <sys/stat.h>

char *vocab_read_file(const char *path, struct diag *d, size_t *len)
{
	struct loc nowhere = {0};
	const char *why;
	FILE *f = file_open(path, &why);
	struct stat st = {0};
	if (!f || fstat(fileno(f), &st)) {
		diag_error(d, nowhere, "cannot read \"%s\": %s", path, f ? strerror(errno) : why);
		if (f) fclose(f);
		return NULL;
	}
	size_t room = st.st_size > 0 ? (size_t)st.st_size + 1 : 1 << 16, n = 0;
	if (room > VOCAB_MAX_FILE + 1) room = VOCAB_MAX_FILE + 1;
	char *text = mem_alloc(room + 1);
	for (size_t got; (got = fread(text + n, 1, room - n, f)) > 0;) {
		n += got;
		if (n > VOCAB_MAX_FILE) break;
		if (n == room) text = mem_realloc(text, (room *= 2) + 1, 1);
	}
	bool failed = ferror(f);
	fclose(f);
	if (failed || n > VOCAB_MAX_FILE) {
		if (failed)
			diag_error(d, nowhere, "cannot read \"%s\": %s", path, strerror(errno));
		else
			diag_error(d, nowhere, "\"%s\" is larger than %zu MiB, the limit (VOCAB_MAX_FILE) for a vocabulary", path,
			           VOCAB_MAX_FILE >> 20);
		free(text);
		return NULL;
	}
	text[n] = 0;
	*len = n;
	return text;
}

static struct loc at(const struct source *source, size_t offset)
{
	return (struct loc){.source = source, .offset = (uint32_t)offset, .len = 1};
}

static bool is_usual(const struct source *s, struct diag *d)
{
	size_t bad = utf8_check(s->text, s->len), items = 0;
	if (bad < s->len) {
		diag_error(d, at(s, bad), "byte 0x%02X is not valid UTF-8 here; JSON must be UTF-8",
		           (unsigned char)s->text[bad]);
		return false;
	}
	for (size_t i = 0; i < s->len; i++) {
		unsigned char c = (unsigned char)s->text[i];
		items += c == ',';
		if (c >= 0x20 || c == '\n' || c == '\t' || c == '\r') continue;
		diag_error(d, at(s, i), "control byte 0x%02X is not allowed in JSON", c);
		return false;
	}
	if (items > HF_MAX_ITEMS) {
		diag_error(d, (struct loc){0}, "\"%s\" holds %zu values; the limit (HF_MAX_ITEMS) is %zu", s->path, items,
		           HF_MAX_ITEMS);
		return false;
	}
	const char *end = s->text + s->len;
	for (const char *p = s->text; (p = memmem(p, (size_t)(end - p), "\\u0000", 6)); p += 6) {
		uint32_t backslashes = 0;
		while (p - backslashes > s->text && p[-1 - (int)backslashes] == '\\') backslashes++;
		if (backslashes % 2) continue;  // an escaped backslash, then the letter u
		diag_error(d, at(s, (size_t)(p - s->text)), "\\u0000 in a string is not supported here");
		return false;
	}
	return true;
}

void hf_json_delete(void *root) { cJSON_Delete(root); }

void hf_source_forget(void *source)
{
	struct source *s = source;
	s->text = NULL, s->len = 0;
}

cJSON *hf_json_parse(const struct source *s, struct diag *d)
{
	if (!is_usual(s, d)) return NULL;
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(s->text, s->len, &end, false);
	size_t stop = end ? (size_t)(end - s->text) : 0;
	if (!root) {
		// cJSON's place is at most the last byte.
		size_t end_of_text = s->len;
		while (end_of_text && strchr(" \t\r\n", s->text[end_of_text - 1])) end_of_text--;
		if (stop + 1 >= end_of_text)
			diag_error(d, at(s, end_of_text),
			           "the JSON text ends too early (or is not valid at its end); is the file complete?");
		else
			diag_error(d, at(s, stop), "not valid JSON here (or nested deeper than %d)", CJSON_NESTING_LIMIT);
		return NULL;
	}
	while (stop < s->len && strchr(" \t\r\n", s->text[stop])) stop++;
	if (stop < s->len) {
		cJSON_Delete(root);
		diag_error(d, at(s, stop), "something follows the end of the JSON value");
		return NULL;
	}
	if (!cJSON_IsObject(root)) {
		const char *name = hf_type_name(root);  // static
		cJSON_Delete(root);
		diag_error(d, at(s, 0), "expected a JSON object, found %s", name);
		return NULL;
	}
	return root;
}

// Behind a string that begins at text[i]: valid JSON.
static size_t behind_string(const struct source *s, size_t i)
{
	for (i++; i < s->len && s->text[i] != '"'; i++) i += s->text[i] == '\\';
	return i + 1;
}

struct loc hf_root_place(const struct source *s, const char *key)
{
	size_t len = strlen(key), depth = 0;
	for (size_t i = 0; i < s->len;) {
		char c = s->text[i];
		if (c != '"') {
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			i++;
			continue;
		}
		size_t end = behind_string(s, i), next = end;
		while (next < s->len && strchr(" \t\r\n", s->text[next])) next++;
		if (depth == 1 && next < s->len && s->text[next] == ':' && end == i + len + 2 &&
		    !memcmp(s->text + i + 1, key, len))
			return (struct loc){.source = s, .offset = (uint32_t)i, .len = (uint32_t)len + 2};
		i = end;
	}
	return (struct loc){.source = NULL};
}

struct loc hf_place(const struct source *s, const char *key)
{
	size_t len = strlen(key);
	const char *end = s->text + s->len;
	for (const char *p = s->text; len && (p = memmem(p, (size_t)(end - p), key, len)); p++)
		if (p > s->text && p[-1] == '"' && p + len < end && p[len] == '"')
			return (struct loc){.source = s, .offset = (uint32_t)(p - 1 - s->text), .len = (uint32_t)len + 2};
	return at(s, 0);
}

cJSON *hf_member(const cJSON *object, const char *key)
{
	cJSON *m = cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
	return cJSON_IsNull(m) ? NULL : m;
}

const char *hf_string(const cJSON *object, const char *key) { return cJSON_GetStringValue(hf_member(object, key)); }

bool hf_flag(const cJSON *object, const char *key, bool otherwise)
{
	const cJSON *m = hf_member(object, key);
	return cJSON_IsBool(m) ? cJSON_IsTrue(m) : otherwise;
}

bool hf_integer(const cJSON *value, uint32_t max, uint32_t *out)
{
	if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= max)) return false;
	*out = (uint32_t)value->valuedouble;
	return (double)*out >= value->valuedouble;
}

const char *hf_type_name(const cJSON *value)
{
	return !value || cJSON_IsInvalid(value) ? "nothing"
	       : cJSON_IsNull(value)            ? "null"
	       : cJSON_IsBool(value)            ? "a truth value"
	       : cJSON_IsNumber(value)          ? "a number"
	       : cJSON_IsString(value)          ? "a string"
	       : cJSON_IsArray(value)           ? "an array"
	                                        : "an object";
}
