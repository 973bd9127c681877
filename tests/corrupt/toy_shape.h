// A shape of items that differ (SHAPE_* in formats/artifact.h): strings of a to c, also with a d at the end; objects
// with one key of such values.
#ifndef GCDC_TESTS_TOY_SHAPE_H
#define GCDC_TESTS_TOY_SHAPE_H

#include "../../formats/artifact.h"

// clang-format off
#define TOY_SHAPE(key_flags)                                                                                           \
	SHAPE_OBJECT, SHAPE_HEAD + KEY_WORDS, 1, (key_flags), SHAPE_HEAD + KEY_WORDS, SHAPE_HEAD + KEY_WORDS + 11, 1, 2,   \
		2, 1, 2 << 1 | 1, 2 << 1, 0, 'a' | 'c' << 8, 1, 'd' | 'd' << 8, UINT32_MAX, 1, 'b'
// clang-format on

#endif
