// A set told from another one by the tokens that are gone (formats/artifact.h, struct artifact_less).
//
// What its row lacks or has beside it changes for just these tokens, and so does a list. Cost: both lists.
#ifndef GCDC_SHARED_SET_LESS_H
#define GCDC_SHARED_SET_LESS_H

#include <stdint.h>
#include <string.h>

// The numbers that are in one of two ascending lists only, ascending, into `to`, which has room for both; how many.
static inline uint32_t set_less_list(uint32_t *to, const uint32_t *a, uint32_t n_a, const uint32_t *gone, uint32_t n)
{
	uint32_t i = 0, made = 0;
	for (uint32_t k = 0; k < n; k++) {
		while (i < n_a && a[i] < gone[k]) to[made++] = a[i++];
		if (i < n_a && a[i] == gone[k])
			i++;
		else
			to[made++] = gone[k];
	}
	if (i < n_a) memcpy(to + made, a + i, (n_a - i) * sizeof *to);
	return made + n_a - i;
}

#endif
