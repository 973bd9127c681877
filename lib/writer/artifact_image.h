// An artifact before it is a file: the sections of formats/artifact.h as plain arrays. The compiler fills it,
// the writer encodes it.
#ifndef GCDC_WRITER_ARTIFACT_IMAGE_H
#define GCDC_WRITER_ARTIFACT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../formats/artifact.h"
#include "../base/diag.h"

// Every array is borrowed and has the length that info's counts say (formats/artifact.h names them; in short,
// behind each field). A section of length 0 may be NULL. The counts in info are the caller's to fill, all of them.
struct artifact_image {
	struct artifact_info info;
	uint64_t grammar_hash[2], vocab_hash[2], options_hash;

	const char *strings;                            // n_strings bytes; the last one is NUL
	const struct artifact_terminal *terminals;      // n_terminals
	const uint32_t *nonterminals;                   // n_nonterminals: name offsets
	const struct artifact_production *productions;  // n_productions
	const uint32_t *symbols;                        // n_symbols

	const uint32_t *lex_next;                     // n_lex_states * n_classes
	const struct artifact_lex_state *lex_states;  // n_lex_states
	const uint32_t *lex_start;                    // n_residues * n_contexts
	const uint32_t *contexts;                     // n_contexts * ceil(n_terminals / 32)

	const struct artifact_lr_state *lr_states;  // n_lr_states
	const uint32_t *lr_action;                  // n_action_rows * (n_terminals + 1)
	const uint32_t *lr_goto;                    // n_goto_rows * n_nonterminals
	const uint32_t *choice;                     // n_choice

	const uint32_t *start_base;             // n_lex_states * n_contexts
	const struct artifact_start *starts;    // n_starts
	const struct artifact_node *nodes;      // n_nodes
	const uint16_t *edge_frames;            // n_edges; node.first + node.n <= n_edges for every node
	const uint32_t *edges;                  // n_edges
	const struct artifact_target *targets;  // n_targets

	const struct artifact_blank *blanks;  // n_blanks
	const uint32_t *line_tops;            // n_lr_states when there are lines (n_lines), else 0

	const struct artifact_set *sets;  // n_sets
	const uint32_t *dense;            // n_dense * mask_words
	const uint32_t *sparse;           // n_sparse
	const uint32_t *eos;              // n_eos

	uint32_t n_canonical;                   // CANON_SECTIONS, or 0
	const struct canon_section *canonical;  // ascending ids; without a vocabulary inside only the first is written
	const struct artifact_canon_chars *canon_wide;                    // n_lex_states; these seven with n_canonical only
	const struct artifact_canon_chars *canon_bytes;                   // n_lex_states
	const struct artifact_canon_list *canon_ask_at, *canon_ask_calm;  // n_lex_states
	const uint8_t *canon_calm;                                        // n_canon_sets
	uint32_t n_canon_sets;
	const struct artifact_canon_chars *canon_nodes;  // 2 * n_nodes
	const uint32_t *canon_asks;                      // n_canon_asks
	uint32_t n_canon_asks;
	uint32_t n_regex;                   // REGEX_SECTIONS, or 0
	const struct canon_section *regex;  // ascending ids
	// Costs in tokens; model 0: there are none.
	struct artifact_cost_info cost_info;
	const uint32_t *cost_row_of;                        // n_lex_states
	const uint32_t *cost_rows;                          // n_rows + 1
	const struct artifact_cost_emit *cost_emits;        // n_emits
	const uint32_t *cost_ask_at;                        // n_lr_states + 1
	const struct artifact_cost_ask *cost_asks;          // n_asks
	const struct artifact_cost_list *cost_lists;        // n_lists
	const struct artifact_cost_step *cost_steps;        // n_steps
	const uint32_t *cost_blanks;                        // n_blanks
	const uint32_t *cost_most;                          // n_lex_states
	const uint32_t *cost_residues;                      // n_rests
	const uint32_t *cost_way_at;                        // n_lex_states + 1
	const struct artifact_cost_way *cost_ways;          // n_ways
	const struct artifact_cost_outcome *cost_outcomes;  // n_outcomes
	const struct artifact_cost_stay *cost_stays;        // n_stays
	const struct artifact_cost_cut *cost_cuts;          // n_cuts
	const uint32_t *cost_dearest;                       // n_lr_states
	const uint32_t *cost_lines;                         // n_lines * n_blanks
	const struct artifact_cost_narrow *cost_narrow;     // cost_info.n_narrow

	const uint32_t *token_offset;  // n_tokens + 1
	const uint8_t *token_bytes;    // token_offset[n_tokens] bytes

	const char *provenance;  // SECTION_PROVENANCE, or NULL: none
};

struct artifact_write_options {
	bool raw;       // no compression: larger file, opened in place
	bool no_vocab;  // leave TOKEN_OFFSET and TOKEN_BYTES out: a .gcdv is needed at open
	int level;      // zstd level; 0: ARTIFACT_DEFAULT_LEVEL, or ARTIFACT_LARGE_LEVEL
};
#define ARTIFACT_DEFAULT_LEVEL 1  // 3 saves 8 % of the file and costs three times as long
#define ARTIFACT_LARGE_LEVEL                                                                                           \
	3  // for tables of ARTIFACT_LARGE_BYTES: whole languages, which take seconds to compile anyway
#define ARTIFACT_LARGE_BYTES ((uint64_t)16 << 20)

// The file's bytes, malloc'd. The same image and options always give the same bytes (of one zstd version).
// False with a message in d when the image breaks a rule of the format (artifact_check).
bool artifact_encode(const struct artifact_image *image, const struct artifact_write_options *o, struct diag *d,
                     uint8_t **bytes, size_t *len);
// The same into a file: written beside it under another name, synced, renamed, so that path always holds a whole
// artifact, the old or the new. options may be NULL: the defaults.
bool artifact_write(const struct artifact_image *image, const char *path, const struct artifact_write_options *o,
                    struct diag *d);
// The version of zstd that compresses, such as "1.5.4"; static. The bytes depend on it.
const char *artifact_zstd_version(void);
// The first rule of the format that the image breaks, as text (static), or NULL.
const char *artifact_check(const struct artifact_image *image);

#endif
