// What `gcdc compile --report` prints.
#ifndef GCDC_CMD_COMPILE_REPORT_H
#define GCDC_CMD_COMPILE_REPORT_H

#include "gcdc/compile.h"
#include "json_text.h"

// The figure of this name; 0 where there is none.
uint64_t figure_count(const gcdc_compiled *c, const char *name);
double figure_seconds(const gcdc_compiled *c, const char *name);
void report_print(const gcdc_compiled *c, FILE *out);
// As entries of an open object.
void report_json(const gcdc_compiled *c, struct json_writer *j);

#endif
