// The value that more than half of a list has, if there is one; else any of its values (Boyer, Moore: MJRTY, 1991).
//
// In:  values, one at a time. Out: `most`; as long as there are none, as it was set. Cost: one comparison a value.
#ifndef GCDC_BASE_MAJORITY_H
#define GCDC_BASE_MAJORITY_H

#include <stdint.h>

struct majority {
	uint32_t most, votes;
};

static inline void majority_vote(struct majority *m, uint32_t x)
{
	if (!m->votes) m->most = x;
	if (x == m->most)
		m->votes++;
	else
		m->votes--;
}
#endif
