// A section's words as bytes that zstd finds short. What they become again: lib/shared/section_codec.h.
#ifndef GCDC_WRITER_SECTION_ENCODE_H
#define GCDC_WRITER_SECTION_ENCODE_H

#include "../../formats/artifact.h"
#include "../base/bitset.h"
#include "../base/mem.h"
#include "../shared/section_codec.h"

typedef VEC(uint8_t) byte_list;

// Words that stand before the frame: how many a row has, how many standard rows there are.
uint32_t section_head_words(enum artifact_codec codec);
// What goes into the frame of a section of *size bytes; then *size is its length. width: words in a row; begins:
// [words] where a list begins, needed for ZSTD_LISTS only. Valid as long as `scratch` and `bytes` are.
const void *section_encode(enum artifact_codec codec, const void *bytes, uint64_t *size, uint32_t width,
                           const bits *begins, byte_list *scratch);

// n rows told from standard ones and from each other, for ZSTD_NEAR; *size is the length.
const void *section_encode_rows(const uint32_t *rows, uint32_t n, const struct section_rows *standard, uint64_t *size,
                                byte_list *scratch);

#endif
