// An artifact before it is a file: the sections of formats/artifact.h as plain arrays. The compiler fills it,
// the writer encodes it.
#ifndef GCDC_WRITER_ARTIFACT_IMAGE_H
#define GCDC_WRITER_ARTIFACT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../formats/artifact.h"
#include "../base/diag.h"

// Every array is borrowed and has the length that formats/sections.def says. A section of length 0 may be NULL. The
// counts in info and cost_info are the caller's to fill, all of them. `sets` and `sparse` have all sets and all that
// they list, also those of `less`, which the file does not hold.
struct artifact_image {
	struct artifact_info info;
	struct artifact_cost_info cost_info;    // model 0: there are no costs
	struct artifact_step_info step_info;    // n_nodes 0: masks under a budget are worked out at run time
	struct artifact_kept_info kept_info;    // n_steps 0: no texts have made any
	struct artifact_control control_info;   // n_tokens 0: the grammar names none
	struct artifact_counters counter_info;  // n_counters 0: nothing is counted
	struct artifact_uniques unique_info;    // n_terminals 0: no items are compared
	uint64_t grammar_hash[2], vocab_hash[2], options_hash;

#define HEAD(...)
#define SECTIONS_OF SECTIONS_CORE
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../formats/sections.def"
#define SECTIONS_OF SECTIONS_VOCAB
#define SECTION(id, NAME, member, type, ...) const type *member;
#include "../../formats/sections.def"
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CONTROL
#define SECTION(id, NAME, member, type, ...) const type *control_##member;
#include "../../formats/sections.def"
#define HEAD(...)
#define SECTIONS_OF SECTIONS_COUNTER
#define SECTION(id, NAME, member, type, ...) const type *counter_##member;
#include "../../formats/sections.def"
#define HEAD(...)
#define SECTIONS_OF SECTIONS_UNIQUE
#define SECTION(id, NAME, member, type, ...) const type *unique_##member;
#include "../../formats/sections.def"
#define HEAD(...)
#define SECTIONS_OF SECTIONS_COST
#define SECTION(id, NAME, member, type, ...) const type *cost_##member;
#include "../../formats/sections.def"
#define HEAD(...)
#define SECTIONS_OF SECTIONS_STEP
#define SECTION(id, NAME, member, type, ...) const type *step_##member;
#include "../../formats/sections.def"
#define HEAD(...)
#define SECTIONS_OF SECTIONS_KEPT
#define SECTION(id, NAME, member, type, ...) const type *kept_##member;
#include "../../formats/sections.def"
#define SECTIONS_OF SECTIONS_LEXEMES
#define SECTION(id, NAME, member, type, ...) const type *canon_##member;  // with n_canonical only
#include "../../formats/sections.def"
#define SECTIONS_OF SECTIONS_NOTE
#define SECTION(id, NAME, member, type, ...) const type *member;  // NULL: none
#include "../../formats/sections.def"
#define SECTIONS_OF SECTIONS_SCHEMA
#define SECTION(id, NAME, member, type, ...) const type *member;  // NULL: no JSON Schema
#include "../../formats/sections.def"
	uint32_t n_unenforced;  // bytes
#define SECTIONS_OF SECTIONS_FAR
#define SECTION(id, NAME, member, type, ...) const type *canon_##member;  // NULL: none
#include "../../formats/sections.def"
	uint32_t n_far;  // bytes

	uint32_t n_canon_unsettled;
	uint32_t n_canonical;                   // CANON_SECTIONS, or 0
	const struct canon_section *canonical;  // ascending ids; without a vocabulary inside only the first is written
	uint32_t n_regex;                       // REGEX_SECTIONS, or 0
	const struct canon_section *regex;      // ascending ids
};

struct artifact_write_options {
	bool raw;       // no compression: larger file, opened in place
	bool no_vocab;  // leave TOKEN_OFFSET and TOKEN_BYTES out: a .gcdv is needed at open
	// With no_vocab: the rank of each token, n_ranks and its number for one that has none (vocab.h).
	const uint32_t *place_of;
	uint32_t n_ranks;
	// The vocabulary's standard rows, each of mask_words: with no_vocab, DENSE is told from them. NULL: none.
	const uint32_t *rows;
	uint32_t n_rows;
	// What artifact_lists made of standard lists: with no_vocab, zstd knows it before SPARSE. NULL: none.
	const uint8_t *lists;
	uint32_t n_lists;
	uint64_t standard_check;  // the sum of the checks that the .gcdv has of both
	bool checked;             // the image keeps the rules: artifact_encode has looked at it before
	int level;                // zstd level; 0: ARTIFACT_DEFAULT_LEVEL, or ARTIFACT_SMALL_LEVEL
	uint32_t threads;         // that may work at the same time; 0: one. The bytes are the same for any number
};
#define ARTIFACT_DEFAULT_LEVEL 1  // of the vocabulary's bytes 3 saves 8 % and costs three times as long
#define ARTIFACT_SMALL_LEVEL 3    // without them, and for whole languages, which take seconds to compile anyway
#define ARTIFACT_LARGE_BYTES ((uint64_t)16 << 20)

// The file's bytes, malloc'd. The same image and options always give the same bytes (of one zstd version).
// False with a message in d when the image breaks a rule of the format (artifact_check).
bool artifact_encode(const struct artifact_image *image, const struct artifact_write_options *o, struct diag *d,
                     uint8_t **bytes, size_t *len);
// SPARSE as its codec has it before zstd, tokens told by place_of: *n bytes, malloc'd.
uint8_t *artifact_lists(const struct artifact_image *image, const uint32_t *place_of, uint64_t *n);
// The version of zstd that compresses, such as "1.5.4"; static. The bytes depend on it.
const char *artifact_zstd_version(void);
// The first rule of the format that the image breaks, as text (static), or NULL.
const char *artifact_check(const struct artifact_image *image);

#endif
