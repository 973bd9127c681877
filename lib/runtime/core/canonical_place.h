// What the core keeps for canonical masks: the sections that they read, and where a text stands for the tokenizer.
// Only lib/runtime/canonical looks into either.
#ifndef GCDC_RUNTIME_CANONICAL_PLACE_H
#define GCDC_RUNTIME_CANONICAL_PLACE_H

#include "../../../formats/artifact.h"
#include "../../include/gcdc/runtime.h"

// The sections of canonical tokenization (formats/sections.def).
struct canonical_tables {
	const struct artifact_canon *info;  // NULL: none
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_LEXEMES
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../../formats/sections.def"
	uint32_t added_root[256];  // children of the root by byte, 0: none
	const char *far;           // CANON_FAR, or NULL
	uint64_t n_far;
};

// Where the grammar is one regular expression: its dead ends.
struct regex_tables {
#define SECTIONS_OF SECTIONS_REGEX
#define SECTION(id, NAME, member, type, ...) const type *member;  // info NULL: none
#include "../../../formats/sections.def"
};

#define CANON_PARKED 4u    // caches that an artifact keeps for the families of matchers that begin next
#define CANON_MAX_WAYS 8u  // sets of states side by side; more than one only where tokens exist that merges do not make
#define CANON_MAX_LIVE 8u  // beginnings of added tokens at the end of the text

// Where a text stands. Plain data: copied as it is.
struct canonical_place {
	uint32_t last;  // token before, or NONE: a piece begins here for sure (or bytes have begun a character)
	uint16_t left;  // of the last character, for normal forms
	uint8_t combining;
	uint8_t n_ways, n_live, n_begun;
	uint8_t begun[3];       // first bytes of a character
	uint8_t by_bytes;       // they are of byte tokens
	uint8_t behind_prompt;  // the sequence did not begin with the grammar's text
	struct canonical_way {
		uint16_t set, pending;
		uint32_t split;
	} way[CANON_MAX_WAYS];
	uint32_t live[CANON_MAX_LIVE];  // nodes of ADDED
};

#endif
