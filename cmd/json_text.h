// JSON, written piece by piece: always valid, one line for each entry of the outermost value.
#ifndef GCDC_CMD_JSON_TEXT_H
#define GCDC_CMD_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_MAX_DEPTH 16

struct json_writer {
	FILE *out;
	int depth;
	bool has_entry[JSON_MAX_DEPTH];
	char close[JSON_MAX_DEPTH];
	bool after_key;
};

void json_begin(struct json_writer *j, FILE *out);
void json_end(struct json_writer *j);  // a newline; everything must be closed
void json_object(struct json_writer *j);
void json_array(struct json_writer *j);
void json_close(struct json_writer *j);
void json_key(struct json_writer *j, const char *key);
void json_uint(struct json_writer *j, uint64_t value);
void json_int(struct json_writer *j, int64_t value);
void json_null(struct json_writer *j);
void json_string(struct json_writer *j, const char *text);
// Any bytes: what is not UTF-8 becomes U+FFFD.
void json_bytes(struct json_writer *j, const void *bytes, size_t len);
// An entry `key` of an object; with "KEY_hex" beside it ("bytes_hex" for "text") when the bytes are not UTF-8.
void json_text_entry(struct json_writer *j, const char *key, const void *bytes, size_t len);

// Shorthands for entries of an object.
void json_uint_entry(struct json_writer *j, const char *key, uint64_t value);
void json_real_entry(struct json_writer *j, const char *key, double value);
void json_bool_entry(struct json_writer *j, const char *key, bool value);
void json_string_entry(struct json_writer *j, const char *key, const char *value);

#endif
