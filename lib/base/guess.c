// The nearest of some names, by edit distance.
//
// In:  a text, names. Out: one of the names, or NULL.
// Optimal string alignment: Levenshtein's distance where two neighbours that changed places are one edit (Damerau
// 1964), by rows (Wagner and Fischer 1974), three of which are kept. Cost: product of the lengths, which are below
// GUESS_MAX; longer names are not guessed at.
#include "guess.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n > GUESS_MAX || m > GUESS_MAX) return UINT32_MAX;
	uint32_t rows[3][GUESS_MAX + 1];
	for (uint32_t j = 0; j <= m; j++) rows[0][j] = j;
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t *row = rows[i % 3];
		const uint32_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (uint32_t j = 1; j <= m; j++) {
			row[j] = least_of(above[j - 1] + (a[i - 1] != b[j - 1]), least_of(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least_of(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

const char *guess_within(uint32_t most, const char *text, const char *const *names, uint32_t n)
{
	const char *best = NULL;
	uint32_t least = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t distance = edit_distance(text, names[i]);
		bool only_lacks = strlen(text) + distance == strlen(names[i]) && distance <= strlen(text) / 2;
		if (distance < least && distance < strlen(names[i]) && (distance <= most || only_lacks))
			least = distance, best = names[i];
	}
	return best;
}

const char *guess_name(const char *text, const char *const *names, uint32_t n)
{
	return guess_within(2, text, names, n);
}
