// Truths: which of the schemas that are told apart at a place a value is in.
//
// In:  places in a list of schemas. Out: a small number for each set of them; equal sets are one number. Alternatives
// mostly exclude one another, so a set has few places, however many there are.
// Cost: a set's size.
#include "internal.h"

static const uint32_t *places_of(const struct schema *s, truth t, uint32_t *n)
{
	*n = 0;
	if (!t) return NULL;
	const uint32_t *at = intern_get(&s->truths, t, n);
	*n /= (uint32_t)sizeof *at;
	return at;
}

bool truth_has(const struct schema *s, truth t, uint32_t place)
{
	uint32_t n;
	const uint32_t *at = places_of(s, t, &n);
	while (n && at[n - 1] > place) n--;
	return n && at[n - 1] == place;
}

truth truth_with(struct schema *s, truth t, uint32_t place)
{
	if (!s->truths.entries.n) intern_add(&s->truths, "", 0, NULL);
	uint32_t n;
	const uint32_t *at = places_of(s, t, &n);
	uint32_t *more = mem_alloc(((size_t)n + 1) * sizeof *more);
	if (n) memcpy(more, at, n * sizeof *more);
	more[n] = place;
	const truth with = intern_add(&s->truths, more, ((size_t)n + 1) * sizeof *more, NULL);
	free(more);
	return with;
}

uint32_t truth_from(const struct schema *s, truth t, uint32_t first)
{
	uint32_t n, bits = 0;
	const uint32_t *at = places_of(s, t, &n);
	for (; n && at[n - 1] >= first; n--) bits |= UINT32_C(1) << (at[n - 1] - first);
	return bits;
}
