// The tables that turn (lex_state, stack) into a mask: always-accepted rows, and an automaton that reads the stack.
//
// In:  lexer, LR tables, vocabulary. Out: struct tables.
// For a lex_state and the top of the stack, `start` gives the tokens that are allowed whatever lies below (the
// always-accepted table A) and a node for those that depend on it (the context-dependent table D). A node skips some
// frames, reads one, and its edge for that frame gives more tokens and the next node.
// Source: GreatGramma's tables (Algorithm 5) resolved offline by subset construction over stack suffixes.
#ifndef GCDC_TABLES_TABLES_H
#define GCDC_TABLES_TABLES_H

#include "../lexer/lexer.h"
#include "../lr/lr.h"
#include "../vocab/vocab.h"
#include "budget_steps.h"
#include "costs.h"
#include "live_pairs.h"
#include "shared_starts.h"
#include "tokenset.h"

#define TABLES_MAX_STARTS 200000000u        // pairs of a lex_state and a top, 8 bytes each
#define TABLES_MAX_NODES 500000u            // of the stack-reading automaton, before merging
#define TABLES_MAX_STEPS 5000000000u        // trie nodes walked, a minute or so
#define TABLES_MAX_BYTES ((size_t)4 << 30)  // of what remains of tokens, and of their groups

// A set of tokens has two parts: tokens that are allowed; tokens of which the columns of the text decide, which the
// runtime steps over. The ranks of the second part are shifted by PART_MAYBE * (n_ranks + 1).
enum { PART_SURE, PART_MAYBE, N_PARTS };

struct table_edge {
	lr_state frame;
	set_id tokens;
	uint32_t next;  // node, 0: nothing more to read
};
struct table_node {
	uint32_t skip;                 // frames to pass over before the one that is read
	uint32_t first_edge, n_edges;  // into `edges`, ascending by frame
	set_id tokens;                 // on all other frames that can lie there
	uint32_t next;
};
struct table_start {
	set_id tokens;
	uint32_t node;
};

// Starts behind a newline that decides columns: line (the lex_states with LEX_LINE, numbered), row of blanks, top once
// the column has made its indents and dedents.
struct line_tables {
	const struct indentation *columns;  // NULL: none
	uint32_t *state_of;                 // [n_lex_states] number of the line, or UINT32_MAX
	uint32_t *top_of;                   // [n_lr_states] number of the top, or UINT32_MAX
	uint32_t n_states, n_tops, n_widths;
	VEC(struct artifact_blank) rows;
	uint32_t first_start;  // starts[first_start + (line * rows + row) * n_tops + top]
};

struct tables {
	struct tokensets sets;   // in parts; in each of them rank n_ranks stands for "the text may end here"
	struct live_pairs live;  // where starts are
	VEC(struct table_start) starts;
	struct shared_starts shared;
	struct line_tables lines;
	VEC(struct table_node) nodes;  // 0 is unused
	VEC(struct table_edge) edges;
	uint32_t *rank_in_context;          // [n_lr_states] 0 for those that do not rest
	uint32_t worst_frames, worst_sets;  // UINT32_MAX: unbounded
	uint32_t n_raw_nodes;
	uint64_t walk_steps;
	struct costs costs;
	struct budget_steps budget_steps;
	double costs_seconds;  // of CPU that pricing took
};

struct tables_options {
	uint32_t n_threads;
	enum cost_model costs;
	bool joins;           // cost_inputs
	bool is_schema;       // the grammar is made of a JSON Schema
	bool may_share;       // lexer states may have the starts of others, less some tokens
	uint32_t max_column;  // lines up to this column are priced; 0: COSTS_MAX_COLUMN
};
// False with errors: the language is empty, or a limit is passed. Equal for any number of threads.
bool tables_build(const struct lexer *lexer, const struct lr *lr, const struct vocab *vocab,
                  const struct tables_options *o, struct diag *d, struct tables *out);
void tables_release(struct tables *t);

#endif
