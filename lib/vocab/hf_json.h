// tokenizer.json and its neighbours as trees, with errors that name the place.
#ifndef GCDC_VOCAB_HF_JSON_H
#define GCDC_VOCAB_HF_JSON_H

#include <cjson/cJSON.h>

#include "internal.h"

#define HF_MAX_ITEMS ((size_t)20000000)  // values in one JSON text; each costs some 100 bytes of memory

// NULL with an error in diag when the text is not one JSON object in valid UTF-8. source outlives diag's messages.
void hf_json_delete(void *root);      // for work_cleanup, while a tree is there that is cJSON's own memory
void hf_source_forget(void *source);  // the same for a source whose text is freed with the work
cJSON *hf_json_parse(const struct source *source, struct diag *d);

// The first place in the file where this key (or string) is written; the file's start when it is not found.
struct loc hf_place(const struct source *source, const char *key);
// Where the member of this name of the whole object is; no place when it is not there. For names that may be tokens,
// too.
struct loc hf_root_place(const struct source *s, const char *key);

// Members of an object; NULL and false when missing. null counts as missing.
cJSON *hf_member(const cJSON *object, const char *key);
const char *hf_string(const cJSON *object, const char *key);
bool hf_flag(const cJSON *object, const char *key, bool otherwise);
// Is `value` an integer in 0 .. max?
bool hf_integer(const cJSON *value, uint32_t max, uint32_t *out);
// "an object", "a string", … for messages.
const char *hf_type_name(const cJSON *value);

#endif
