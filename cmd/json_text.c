// JSON, written piece by piece to a stream.
//
// In:  values in order. Out: text. Commas and nesting are kept here, so that no caller can write anything but JSON.
// Strings are escaped by RFC 8259; bytes that are not UTF-8 become U+FFFD, one for each maximal broken piece.
#include "json_text.h"

#include <string.h>

#include "base/mem.h"
#include "base/text_show.h"

void json_begin(struct json_writer *j, FILE *out) { *j = (struct json_writer){.out = out}; }

void json_end(struct json_writer *j)
{
	ASSERT(!j->depth && !j->after_key);
	fputc('\n', j->out);
}

// Before a value or a key: the comma, and the line break at the outer level.
static void next_entry(struct json_writer *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth) return;
	if (j->has_entry[j->depth - 1]) fputs(j->depth == 1 ? "," : ", ", j->out);
	if (j->depth == 1) fputs("\n  ", j->out);
	j->has_entry[j->depth - 1] = true;
}

static void open_value(struct json_writer *j, char open, char close)
{
	next_entry(j);
	ASSERT(j->depth < JSON_MAX_DEPTH);
	fputc(open, j->out);
	j->has_entry[j->depth] = false;
	j->close[j->depth++] = close;
}

void json_object(struct json_writer *j) { open_value(j, '{', '}'); }
void json_array(struct json_writer *j) { open_value(j, '[', ']'); }

void json_close(struct json_writer *j)
{
	ASSERT(j->depth && !j->after_key);
	j->depth--;
	if (!j->depth && j->has_entry[0]) fputc('\n', j->out);
	fputc(j->close[j->depth], j->out);
}

static void put_string(struct json_writer *j, const uint8_t *bytes, size_t len)
{
	fputc('"', j->out);
	for (size_t i = 0; i < len;) {
		uint32_t code;
		size_t n = text_code_point(bytes + i, len - i, &code);
		if (code == TEXT_BROKEN)
			fputs("\xEF\xBF\xBD", j->out);
		else if (code == '"' || code == '\\')
			fprintf(j->out, "\\%c", (char)code);
		else if (code == '\n')
			fputs("\\n", j->out);
		else if (code == '\t')
			fputs("\\t", j->out);
		else if (code == '\r')
			fputs("\\r", j->out);
		else if (code < 0x20 || code == 0x7F || code == 0x2028 || code == 0x2029)
			fprintf(j->out, "\\u%04x", code);
		else
			fwrite(bytes + i, 1, n, j->out);
		i += n;
	}
	fputc('"', j->out);
}

void json_key(struct json_writer *j, const char *key)
{
	ASSERT(j->depth && j->close[j->depth - 1] == '}' && !j->after_key);
	next_entry(j);
	put_string(j, (const uint8_t *)key, strlen(key));
	fputs(": ", j->out);
	j->after_key = true;
}

void json_uint(struct json_writer *j, uint64_t value)
{
	next_entry(j);
	fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_int(struct json_writer *j, int64_t value)
{
	next_entry(j);
	fprintf(j->out, "%lld", (long long)value);
}

// With three decimal places.
static void json_real(struct json_writer *j, double value)
{
	next_entry(j);
	fprintf(j->out, "%.3f", value);
}

static void json_bool(struct json_writer *j, bool value)
{
	next_entry(j);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json_writer *j)
{
	next_entry(j);
	fputs("null", j->out);
}

void json_bytes(struct json_writer *j, const void *bytes, size_t len)
{
	next_entry(j);
	put_string(j, bytes, len);
}

void json_string(struct json_writer *j, const char *text) { json_bytes(j, text, strlen(text)); }

void json_text_entry(struct json_writer *j, const char *key, const void *bytes, size_t len)
{
	json_key(j, key);
	json_bytes(j, bytes, len);
	if (text_is_utf8(bytes, len)) return;
	char hex_key[64];
	snprintf(hex_key, sizeof hex_key, "%s_hex", strcmp(key, "text") ? key : "bytes");
	json_key(j, hex_key);
	next_entry(j);
	fputc('"', j->out);
	for (size_t i = 0; i < len; i++) fprintf(j->out, "%02x", ((const uint8_t *)bytes)[i]);
	fputc('"', j->out);
}

void json_uint_entry(struct json_writer *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_uint(j, value);
}

void json_real_entry(struct json_writer *j, const char *key, double value)
{
	json_key(j, key);
	json_real(j, value);
}

void json_bool_entry(struct json_writer *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

void json_string_entry(struct json_writer *j, const char *key, const char *value)
{
	json_key(j, key);
	json_string(j, value);
}
