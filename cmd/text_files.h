// The files that --texts names: one, or all of a folder.
#ifndef GCDC_CMD_TEXT_FILES_H
#define GCDC_CMD_TEXT_FILES_H

#include "cli.h"

typedef VEC(const char *) text_file_list;
// Appends the file, or the files of the folder (not of folders in it, nor hidden ones), by their names in the order of
// bytes; the names in the arena. False: it cannot be read, errno says why.
bool text_files(const char *path, struct arena *arena, text_file_list *list);

#endif
