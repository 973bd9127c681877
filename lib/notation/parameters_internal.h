// What the files of styles of tags share. (parameters.c, parameters_values.c)
#ifndef GCDC_NOTATION_PARAMETERS_INTERNAL_H
#define GCDC_NOTATION_PARAMETERS_INTERNAL_H

#include <cjson/cJSON.h>

#include "../base/map64.h"
#include "embed.h"
#include "parameters.h"

// What stands between a property's name and its value.
enum says {
	SAYS_NOTHING,
	SAYS_STRING,  // `true">` or `false">`: is it one?
	SAYS_TYPE,    // JSON's name of its type
	SAYS_FORM,    // `raw">`, `json">`, `dict">` or `list">`
};
struct style {
	const char *name, *open, *behind_name, *before_value, *close;
	enum says says;
	bool has_tags_inside;  // objects and lists in values are tags, too
	bool closes_by_name;   // behind close `</NAME>`
};

// A value that a property may have.
struct value_case {
	piece_id piece;
	bool is_string;
	const char *type;  // NULL: of any
};
typedef VEC(struct value_case) value_cases;

struct writing {
	struct parts *x;
	const struct parameters *p;
	const struct style *style;
	piece_id space, any_name, unquoted;
	uint32_t nesting;
	struct map64 seen;     // schemas that are among the alternatives of the value at hand
	language allowed;      // what strings and names may be; LANGUAGE_NOTHING: anything
	struct map64 written;  // rules of the objects and lists inside, by schema and kind
	const char *why;
	bool failed;
};

static inline const cJSON *get(const cJSON *o, const char *key) { return cJSON_GetObjectItemCaseSensitive(o, key); }

static inline piece_id text(struct writing *w, const char *s) { return parts_text(w->x, s); }

static inline bool is_m3(const struct writing *w) { return w->style->closes_by_name; }

// The first cause counts.
#define fail(w, ...) parameters_fail((w), arena_printf(&(w)->x->r->arena, __VA_ARGS__))
void parameters_fail(struct writing *w, const char *why);

// ---- Values: parameters_values.c
#define N_TYPES 7u
extern const char *const parameters_types[N_TYPES];  // JSON's names
// Has it a keyword that is none of these (the last is NULL) and no annotation? Then its name.
const char *parameters_further(const cJSON *schema, const char *const *known);
// A schema without its one reference, or its allOf of one. NULL after a failure.
const cJSON *parameters_resolved(struct writing *w, const cJSON *schema);
uint32_t parameters_bound(struct writing *w, const cJSON *schema, const char *key, uint32_t otherwise);
// May strings and names hold this?
bool parameters_allowed(const struct writing *w, const char *said);
piece_id parameters_literal_text(struct writing *w, const cJSON *value);
// The cases of a schema's value go to the list.
void parameters_add_cases(struct writing *w, const cJSON *schema, value_cases *to);

// ---- Objects and lists inside, where these are tags: parameters.c
piece_id parameters_inside(struct writing *w, const cJSON *schema, const char *type);
piece_id parameters_literal_inside(struct writing *w, const cJSON *value);

#endif
