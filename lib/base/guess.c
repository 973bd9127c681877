// The nearest of some names, by edit distance.
//
// In:  a text, names. Out: one of the names, or NULL.
// Levenshtein's distance by rows (Wagner and Fischer 1974), one row kept. Cost: product of the lengths, which are below
// GUESS_MAX; longer names are not guessed at.
#include "guess.h"

#include <stddef.h>
#include <string.h>

static uint32_t edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n > GUESS_MAX || m > GUESS_MAX) return UINT32_MAX;
	uint32_t row[GUESS_MAX + 1];
	for (uint32_t j = 0; j <= m; j++) row[j] = j;
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t diagonal = row[0];
		row[0] = i;
		for (uint32_t j = 1; j <= m; j++) {
			uint32_t best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best) best = row[j] + 1;
			if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

const char *guess_name(const char *text, const char *const *names, uint32_t n)
{
	const char *best = NULL;
	uint32_t least = 3;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t distance = edit_distance(text, names[i]);
		if (distance < least && distance < strlen(names[i])) least = distance, best = names[i];
	}
	return best;
}
