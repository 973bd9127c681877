// An artifact's sections on the device: the one place that reads them.
//
// In:  addresses of sections copied verbatim (formats/artifact.h).  Out: what a number stands for: rows, sets, tokens.
// The functions are those of lib/runtime on the same bytes. The runtime has proved every index inside the sections to be
// in range when it opened the file; numbers that come from elsewhere are checked by whoever brings them.
#ifndef GCDC_CUDA_DEVICE_TABLES_CUH
#define GCDC_CUDA_DEVICE_TABLES_CUH

#include "../../formats/artifact.h"
#include "device.cuh"

struct device_tables {
	uint32_t n_tokens, mask_words, n_sets;
	const struct artifact_set *sets;
	const uint32_t *dense, *sparse;
};

// Which sections a table holds, and where their addresses go.
struct section_place {
	uint32_t id;
	bool for_matcher;
	size_t place;   // in struct device_tables
};
#define SECTION_PLACES                                                    \
	{SECTION_SET, false, offsetof(struct device_tables, sets)},       \
	{SECTION_DENSE, false, offsetof(struct device_tables, dense)},    \
	{SECTION_SPARSE, false, offsetof(struct device_tables, sparse)}

// A set: the tokens of a row (NULL: none), with the bits of the tokens in a list turned round.
struct set_parts {
	const uint32_t *row, *list;
	uint32_t n;
};
DEVICE struct set_parts set_parts_of(const struct device_tables &a, uint32_t set)
{
	struct artifact_set s = a.sets[set < a.n_sets ? set : 0];
	const uint32_t *row = s.dense == ARTIFACT_NONE ? nullptr : a.dense + (uint64_t)s.dense * a.mask_words;
	return {row, a.sparse + s.at, s.n};
}

#endif
