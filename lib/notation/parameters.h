// Arguments as tags, one a property: the styles of a schema that are not JSON. (parameters.c)
#ifndef GCDC_NOTATION_PARAMETERS_H
#define GCDC_NOTATION_PARAMETERS_H

#include "free_text.h"

struct cJSON;
struct parameters {
	const char *style;  // "qwen_xml", ...
	const struct cJSON *schema;
	uint32_t most_blanks;  // white space in a row; UINT32_MAX: any
	bool any_order;
	struct end_strings excludes;  // of strings and names
};
// What a pattern, a format or a bound of the length says is not joined with excluded strings: the first of these
// keywords in the schema, or NULL.
const char *excludes_obstacle(const struct cJSON *schema);
bool parameters_known(const char *style);
// Its texts. False: *why says what is not supported; NULL: the error has been told.
bool parameters_read(struct parts *x, const struct parameters *p, piece_id *out, const char **why);

#endif
