// The pipeline: grammar x vocabulary -> artifact image.
//
// In:  struct grammar, struct vocab. Out: struct compiled, whose image the writer turns into a file.
#ifndef GCDC_COMPILE_COMPILE_H
#define GCDC_COMPILE_COMPILE_H

#include "../grammar/grammar.h"
#include "../lr/lr.h"
#include "../vocab/vocab.h"
#include "../writer/artifact_image.h"
#include "regex_product.h"

enum compile_stage { STAGE_PARSER, STAGE_TERMINALS, STAGE_LEXER, STAGE_TABLES, STAGE_PACK, N_STAGES };
extern const char *const compile_stage_name[N_STAGES];

enum compile_costs { COMPILE_COSTS_OFF, COMPILE_COSTS_ALIGNED, COMPILE_COSTS_EXACT };  // as enum cost_model

// What compiling may take. Passing one is an error that says where. Equal input gives an equal answer on any machine
// only as long as none of them is passed.
#define COMPILE_MAX_SECONDS 600.0
#define COMPILE_MAX_BYTES ((uint64_t)4 << 30)  // of its own structures, at one time
#define COMPILE_ANY_SECONDS 1e18
#define COMPILE_ANY_BYTES UINT64_MAX

struct trace;

struct compile_options {
	// Called as each stage begins and some ten times a second from then on, by one thread at a time, which may be any
	// of the compiler's. False: give up; that is an error, "cancelled". NULL: not wanted.
	bool (*progress)(enum compile_stage stage, void *user);
	void *user;
	bool deterministic;                     // a conflict that cannot be proved away is an error
	const struct canon_section *canonical;  // CANON_SECTIONS of them, or NULL: off. They must outlive the image
	uint32_t threads;          // that may work at the same time; 0: one. The image is the same for any number
	enum compile_costs costs;  // tables for token budgets
	bool spell_priced;         // with costs: characters of strings are spelled out, not counted by number alone
	double max_seconds;        // 0: COMPILE_MAX_SECONDS
	uint64_t max_bytes;        // 0: COMPILE_MAX_BYTES
	struct trace *trace;       // base/trace.h; its stage at hand is the grammar's reading. Or NULL
	bool joined_costs;         // as hard canonical modes have them (lib/tables/costs.h): for tests
	bool keep_groups;          // of tokens, though masks under a budget are tables: for tests, which make masks of them
	bool spell_out;            // no repetition is counted: for tests, which compare masks
	uint32_t share_from;  // states of strings from which their numbers share them; 0: the compiler's own. For tests
	uint32_t max_column;  // lines up to this column have a price; 0: as many as can be (COSTS_MAX_COLUMN). For tests
};

struct compile_stats {
	double seconds[N_STAGES];
	uint32_t canonical_states, lex_raw_states, raw_nodes;
	uint64_t walk_steps, cost_solved, peak_bytes;
	bool costs_far;            // some text needs more tokens than a price may have
	bool gave_up_exact_costs;  // they would have been too large: aligned ones are there instead, if any
};

struct compiled {
	struct arena arena;
	struct artifact_image image;
	struct compile_stats stats;
	struct lr_report report;  // conflicts; texts are in the arena, places in the grammar's sources
	bool had_loops;           // the grammar was rewritten (grammar_loops.c)
	// Hard canonical mode, and a grammar of one terminal: its dead ends, which are sections of the image; else why not.
	struct regex_product product;
	struct canon_section regex[REGEX_SECTIONS];
};

// On false `d` holds at least one error and *out is empty, and nothing else is left: also when memory runs out, or a
// limit of the options is passed (base/work.h; d->given_up says which). The vocabulary must outlive *out; the grammar
// need not.
bool compile_image(const struct grammar *g, const struct vocab *v, const struct compile_options *o, struct diag *d,
                   struct compiled *out);
void compile_release(struct compiled *c);

// A pattern (of gcdc compile --regex) as a grammar of one terminal, which is the whole text. As grammar_parse.
bool regex_grammar(const char *path, const char *pattern, const struct grammar_options *o, struct diag *d,
                   struct grammar *g);

#endif
