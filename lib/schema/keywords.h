// What the files of keywords share: a schema in its document, helpers, and a function for each keyword.
#ifndef GCDC_SCHEMA_KEYWORDS_H
#define GCDC_SCHEMA_KEYWORDS_H

#include "internal.h"

// A schema that is being evaluated.
struct context {
	struct schema *s;
	struct json *node;
	uint32_t resource, scope;
	enum draft draft;
	bool is_lenient, is_draft_3, is_openapi_3, no_validation;
	bool is_dropped;  // the keyword at hand: what it says is wrong, and may stay unenforced
};

// keywords.c: what all of them use
atom child_atom(struct context *x, struct json *node);
// A keyword with a value that its draft does not have. False: it says nothing, after an error unless x->is_dropped.
bool keyword_wrong(struct context *x, const struct json *at, const char *keyword, const char *expected);
bool keyword_count(struct context *x, const struct json *v, const char *keyword, uint32_t *out);
bool keyword_number(struct context *x, const struct json *v, const char *keyword, struct decimal *out);
struct value value_of_numbers(struct numbers n);
struct value value_of_object(formula f);
struct value value_of_array(formula f);
formula all_of_keys(struct context *x, uint32_t set, atom a);
formula has_key(struct context *x, uint32_t key);
formula items_from(struct context *x, uint32_t from, uint32_t to, atom a);
formula length_at_least(struct context *x, uint32_t n);
bool pattern_of_key(struct context *x, const struct json_member *m, language *out);
struct context context_of(struct schema *s, struct json *node, uint32_t scope);
bool schema_evaluate(struct schema *s, struct json *node, uint32_t scope, struct value *out);

// keywords_simple.c: false after an error
bool types_value(struct context *x, const struct json *t, struct value *out);
bool enum_value(struct context *x, const struct json *list, struct value *out);
bool bound_value(struct context *x, const struct json *v, const char *keyword, enum number_bound kind,
                 struct value *out);
bool exclusive_value(struct context *x, const struct json *v, bool is_least, struct value *out);
bool multiple_value(struct context *x, const struct json *v, struct value *out);
bool length_value(struct context *x, const struct json *v, bool least, struct value *out);

// keywords_objects.c
bool properties_value(struct context *x, const struct json *p, struct value *out);
uint32_t properties_ordered(struct context *x);
bool pattern_properties_value(struct context *x, const struct json *p, struct value *out);
bool other_keys(struct context *x, uint32_t *set);
bool additional_value(struct context *x, struct json *v, struct value *out);
bool names_value(struct context *x, struct json *v, struct value *out);
// Draft 3: what `extends` and `disallow` say.
bool extends_value(struct context *x, struct json *v, struct value *out);
bool disallow_value(struct context *x, const struct json *v, struct value *out);
bool required_value(struct context *x, const struct json *v, struct value *out);
bool count_value(struct context *x, const struct json *v, bool least, struct value *out);
bool dependent_value(struct context *x, const struct json *v, const char *keyword, struct value *out);

// keywords_arrays.c
bool items_count_value(struct context *x, const struct json *v, bool least, struct value *out);
uint32_t prefix_length(const struct context *x);
bool tuple_value(struct context *x, const struct json *list, struct value *out);
bool items_value(struct context *x, struct json *v, struct value *out);
bool contains_value(struct context *x, struct json *v, struct value *out);
bool unique_value(struct context *x, const struct json *v, struct value *out);

// keywords_in_place.c
bool value_in_place(struct context *x, struct json *node, struct value *out);
bool list_value(struct context *x, const struct json *list, const char *keyword, struct value *out);
bool if_value(struct context *x, struct json *condition, struct value *out);
bool reference_value(struct context *x, const struct json *reference, const char *keyword, struct value *out);

// listed_atoms.c: the values that a schema lists, or more than it has, added as atoms; false: they are not listed.
bool listed_atoms(struct schema *s, atom a, u32_list *out);

// unevaluated.c
bool unevaluated_value(struct context *x, struct json *v, bool keys, struct value *out);

#endif
