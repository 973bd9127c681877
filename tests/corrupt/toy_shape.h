// A shape of items that differ (SHAPE_* in formats/artifact.h): strings of a to c, also with a d at the end; objects
// with one key of such values; with SHAPE_NUMBERS, of numbers of such texts, too.
#ifndef GCDC_TESTS_TOY_SHAPE_H
#define GCDC_TESTS_TOY_SHAPE_H

#include "../../formats/artifact.h"

#define TOY_AUTOMATON (SHAPE_HEAD + KEY_WORDS)
// clang-format off
#define TOY_SHAPE(key_flags)                                                                                           \
	SHAPE_OBJECT, TOY_AUTOMATON, 1, (key_flags), (key_flags) & SHAPE_NUMBERS ? TOY_AUTOMATON + 12 : TOY_AUTOMATON,     \
		TOY_AUTOMATON + 11, 1, 2, 2, 1, 2 << 1 | 1, 2 << 1, 0, 'a' | 'c' << 8, 1, 'd' | 'd' << 8, UINT32_MAX, 1, 'b',  \
		TOY_AUTOMATON, TOY_AUTOMATON
// clang-format on

#endif
