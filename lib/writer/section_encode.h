// A section's words as bytes that zstd finds short. What they become again: lib/shared/section_codec.h.
#ifndef GCDC_WRITER_SECTION_ENCODE_H
#define GCDC_WRITER_SECTION_ENCODE_H

#include "../../formats/artifact.h"
#include "../base/bitset.h"
#include "../base/mem.h"
#include "../shared/section_codec.h"

typedef VEC(uint8_t) byte_list;

// Words that stand before the frame: how many a row has; how many standard rows there are, which standard lists, or the
// column of parts.
uint32_t section_head_words(enum artifact_codec codec);
// The column of n words in rows of `width` that is told from ends; `width`: none.
uint32_t section_parts_column(const uint32_t *w, uint64_t n, uint32_t width);
// The places of tokens that section_places has: their ranks, then n_ranks and their numbers.
struct token_places {
	const uint32_t *place_of;  // [tokens]; NULL: their numbers
	uint32_t n_ranks;
};
struct section_shape {
	uint32_t width;                     // words in a row
	uint32_t parts;                     // of ZSTD_STEPS: the column that is told from ends
	const bits *begins;                 // of ZSTD_LISTS: [words] where a list begins
	const struct token_places *places;  // of ZSTD_LISTS
};
// What goes into the frame of a section of *size bytes; then *size is its length. Valid as long as `scratch` and
// `bytes` are.
const void *section_encode(enum artifact_codec codec, const void *bytes, uint64_t *size,
                           const struct section_shape *shape, byte_list *scratch);

// n bitmaps told from standard ones and from each other, for ZSTD_NEAR; *size is the length.
const void *section_encode_bitmaps(const uint32_t *rows, uint32_t n, const struct section_rows *standard,
                                   const struct token_places *places, uint64_t *size, byte_list *scratch);

#endif
