// What the files of `gcdc inspect` share: the artifact's tables, the filters, and rows that are text or JSON.
#ifndef GCDC_CMD_INSPECT_H
#define GCDC_CMD_INSPECT_H

#include "../formats/artifact.h"
#include "cli.h"
#include "json_text.h"
#include "options.h"

struct inspect {
	const char *path;
	gcdc_artifact *artifact;
	const struct artifact_info *info;
	const char *strings;
	const struct artifact_terminal *terminals;
	const uint32_t *nonterminals;
	const struct artifact_production *productions;
	const uint32_t *symbols;
	const uint32_t *lex_next;
	const struct artifact_lex_state *lex_states;
	const uint32_t *lex_start, *contexts;
	const struct artifact_lr_state *lr_states;
	const uint32_t *lr_action, *lr_goto, *start_base;
	const struct artifact_start *starts;
	const struct artifact_node *nodes;
	const uint16_t *edge_frames;
	const uint32_t *edges;
	const struct artifact_target *targets;
	const struct artifact_set *sets;

	// Filters; each table documents which it heeds.
	struct number row, lr, token, limit;
	const char *terminal_name, *text;
	uint32_t terminal;      // ARTIFACT_NONE: none given; n_terminals: $end

	// Output.
	bool is_json;
	struct json json;
	uint64_t n_rows, n_shown;
	bool needs_space;
};

// One row of a table: in text "key value  key value", in JSON an object. Lists hold values (key NULL) or groups.
bool row_begin(struct inspect *x);   // false: past --limit, the row is only counted
void row_end(struct inspect *x);
void row_uint(struct inspect *x, const char *key, uint64_t value);
void row_int(struct inspect *x, const char *key, int64_t value);
void row_id(struct inspect *x, const char *key, uint32_t value);      // ARTIFACT_NONE: "-", null
void row_flag(struct inspect *x, const char *key, bool value);        // text: the key alone when true
void row_string(struct inspect *x, const char *key, const char *value);
void row_bytes(struct inspect *x, const char *key, const void *bytes, size_t len);
void row_list(struct inspect *x, const char *key);
void row_group(struct inspect *x);
void row_close(struct inspect *x, bool is_list);

// "tokens": some tokens of a list, as {"id", "text"}.
#define INSPECT_SAMPLE 8u
void row_tokens(struct inspect *x, const char *key, const uint32_t *tokens, uint32_t n);
// Of a set: all of them when --state names this one set, else the first few.
void row_set_tokens(struct inspect *x, uint32_t set, uint32_t max);
bool set_has(const struct inspect *x, uint32_t set, uint32_t token);

const char *terminal_name(const struct inspect *x, uint32_t t);  // $end: n_terminals
const char *symbol_name(const struct inspect *x, uint32_t symbol);
static inline uint32_t action_of(const struct inspect *x, uint32_t lr_state, uint32_t t)
{
	return x->lr_action[(size_t)x->lr_states[lr_state].action_row * (x->info->n_terminals + 1) + t];
}
static inline uint32_t goto_of(const struct inspect *x, uint32_t lr_state, uint32_t nonterminal)
{
	return x->lr_goto[(size_t)x->lr_states[lr_state].goto_row * x->info->n_nonterminals + nonterminal];
}

// The tables: each returns an exit code.
int inspect_terminals(struct inspect *x);
int inspect_productions(struct inspect *x);
int inspect_contexts(struct inspect *x);
int inspect_lr(struct inspect *x);
int inspect_lexer(struct inspect *x);
int inspect_transducer(struct inspect *x);
int inspect_spanner(struct inspect *x);
int inspect_sequences(struct inspect *x);
int inspect_always(struct inspect *x);
int inspect_dependent(struct inspect *x);
int inspect_sets(struct inspect *x);
int inspect_vocabulary(struct inspect *x);
int inspect_eos(struct inspect *x);

#endif
