// What `gcdc compile --report` prints.
#ifndef GCDC_CMD_COMPILE_REPORT_H
#define GCDC_CMD_COMPILE_REPORT_H

#include "compile/compile.h"
#include "json_text.h"

void report_print(const struct compiled *c, FILE *out);
// As entries of an open object.
void report_json(const struct compiled *c, struct json *j);

#endif
