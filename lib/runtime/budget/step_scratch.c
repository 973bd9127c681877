// Room for a step while it is made.
//
// In:  the lists of struct step_scratch.  Out: more room in one, twice as much. Cost: a copy.
#include "step_build.h"

bool vector_grow(const gcdc_memory *memory, void **at, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 32;
	void *p = more < *cap ? NULL : memory_resize(memory, *at, more, size);
	if (!p) return false;
	*at = p, *cap = more;
	return true;
}
