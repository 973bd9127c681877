// What a misspelt name was perhaps meant to be.
#ifndef GCDC_BASE_GUESS_H
#define GCDC_BASE_GUESS_H

#include <stdint.h>

#define GUESS_MAX 32u  // bytes; longer names are not guessed at

// The name of names[0 .. n) that is nearest to `text`, of equals the first; NULL when none is near. Near: at most
// `most` edits away (insert, delete or replace a character, swap two neighbours), or `text` only lacks characters, at
// most half as many as it has.
const char *guess_within(uint32_t most, const char *text, const char *const *names, uint32_t n);
const char *guess_name(const char *text, const char *const *names, uint32_t n);  // at most two edits

#endif
