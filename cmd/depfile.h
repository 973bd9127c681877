// Depfiles: what a file was made from, as Make and Ninja read it.
#ifndef GCDC_CMD_DEPFILE_H
#define GCDC_CMD_DEPFILE_H

#include <stdio.h>

void depfile_target(FILE *f, const char *path);  // "path:"
void depfile_input(FILE *f, const char *path);   // on a line of its own
void depfile_end(FILE *f);

#endif
