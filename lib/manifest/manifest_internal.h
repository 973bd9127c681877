// Shared by the files of this module: a manifest's nodes with their places, patterns of files.
#ifndef GCDC_MANIFEST_INTERNAL_H
#define GCDC_MANIFEST_INTERNAL_H

#include <yaml.h>

#include "manifest.h"

struct manifest_reader {
	yaml_document_t document;
	const struct source *source;
	struct arena *arena;  // the plan's
	struct diag *diag;
	VEC(uint32_t) line;  // offset of each line's first byte
	struct plan *plan;
};

// A value of the document, or none of it (node NULL).
struct manifest_value {
	yaml_node_t *node;
};

// ---- manifest_yaml.c: the document's nodes, typed
bool reader_open(struct manifest_reader *r);
void reader_close(struct manifest_reader *r);
struct manifest_value reader_root(struct manifest_reader *r);
struct loc value_loc(const struct manifest_reader *r, struct manifest_value v);
// "a list", "a text", ...: what was found.
const char *value_kind(struct manifest_value v);
bool is_map(struct manifest_value v);
bool is_list(struct manifest_value v);
uint32_t list_length(struct manifest_value v);
struct manifest_value list_item(struct manifest_reader *r, struct manifest_value v, uint32_t i);
// The value of a key, or none.
struct manifest_value map_get(struct manifest_reader *r, struct manifest_value map, const char *key);
// Is `map` (a part called `what`) a mapping whose keys are all in keys[0 .. n), none twice? Else errors.
bool map_keys(struct manifest_reader *r, struct manifest_value map, const char *what, const char *const *keys,
              uint32_t n);
// The scalar's text in the arena; NULL with an error when it is none, or (not may_be_empty) empty. `what` is the key.
const char *value_text(struct manifest_reader *r, struct manifest_value v, const char *what, bool may_be_empty);
bool value_flag(struct manifest_reader *r, struct manifest_value v, const char *what, bool *flag);
bool value_number(struct manifest_reader *r, struct manifest_value v, const char *what, uint64_t least, uint64_t most,
                  uint64_t *number);
// "4 MB", "512 KiB", "65536".
bool value_size(struct manifest_reader *r, struct manifest_value v, const char *what, uint64_t *bytes);
// One text, or a list of texts: calls take for each of them. False after an error.
bool value_each(struct manifest_reader *r, struct manifest_value v, const char *what, bool may_be_empty,
                void (*take)(struct manifest_reader *r, const char *text, struct loc loc, void *context),
                void *context);

// ---- manifest_options.c, manifest_checks.c
// Of a mapping `options:`, over what `values` holds already.
bool options_parse(struct manifest_reader *r, struct manifest_value v, struct option_value *values);
// Of a mapping `checks:`: texts are added, limits replaced.
bool checks_parse(struct manifest_reader *r, struct manifest_value v, struct plan_checks *checks);
// All of `from` over `to`: texts added, limits and options replaced.
void checks_over(struct plan_checks *to, const struct plan_checks *from);
void options_over(struct option_value *to, const struct option_value *from);

// ---- manifest_glob.c
typedef VEC(const char *) path_list;
bool glob_is_pattern(const char *text);
// Appends the files that match, sorted: * ? [...] within a name, ** for any number of folders. False with an error at
// loc when there are none. The folders looked into are added to `folders`.
bool glob_files(struct manifest_reader *r, const char *pattern, struct loc loc, path_list *out);
// Does a name match one of a pattern's kind (* ? [...])?
bool glob_name(const char *pattern, const char *name);

// ---- manifest_entries.c: the lists of grammars and tokenizers
struct entry_extra {  // what an entry says for the artifacts that come of it
	struct option_value options[MANIFEST_MAX_OPTIONS];
	struct plan_checks checks;
};
typedef VEC(struct entry_extra) extra_list;
bool entries_grammars(struct manifest_reader *r, struct manifest_value v, extra_list *extra);
bool entries_tokenizers(struct manifest_reader *r, struct manifest_value v, extra_list *extra);
void extra_release(extra_list *extra);

#endif
