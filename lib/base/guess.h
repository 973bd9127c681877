// What a misspelt name was perhaps meant to be.
#ifndef GCDC_BASE_GUESS_H
#define GCDC_BASE_GUESS_H

#include <stdint.h>

#define GUESS_MAX 32u  // bytes; longer names are not guessed at

// The name of names[0 .. n) that is at most two edits (insert, delete, replace a character) away from `text`, the
// nearest and then the first; NULL when there is none.
const char *guess_name(const char *text, const char *const *names, uint32_t n);

#endif
