// What a runtime may have besides its core: five parts, each behind a table of functions.
//
// The core opens artifacts, keeps stacks, steps the lexer and the parser, and makes masks. It names no function of the
// parts below; it finds them in the opened artifact. A part that is not there is NULL, and opening refuses by name an
// artifact that needs it. library.c is the runtime with all of them, library_core.c the one with none.
// Parts may use the core; the core does not use parts (a test: package.runtime_core).
#ifndef GCDC_RUNTIME_PARTS_H
#define GCDC_RUNTIME_PARTS_H

#include "../../../formats/artifact.h"
#include "../../include/gcdc/runtime.h"

struct artifact_lex_state;
struct lexeme_end;
struct text_end;
struct canonical_cache;
struct canonical_place;
struct canonical_tables;
struct graph;
struct line_reader;
struct vec32;
struct position;
struct pricing;
struct reading;
struct step_table;
struct section_file;
struct set_list;
struct prober;

// Several stacks of one text: grammars that keep conflicts. glr/graph_*.c.
struct several_part {
	gcdc_status (*push)(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, uint32_t t, const uint32_t **tops,
	                    uint32_t *n_tops);
	gcdc_status (*read)(struct gcdc_matcher *m, uint32_t f, uint32_t node, const struct vec32 **sets);
	void (*free)(const gcdc_memory *memory, struct graph *g);
};

// Lines whose columns make indents and dedents. columns.c, line_end.c, probe.c.
struct lines_part {
	bool (*takes_line)(const struct gcdc_matcher *m, const struct artifact_lex_state *lex, uint32_t frame);
	gcdc_status (*cut)(struct gcdc_matcher *m, struct position *p, const uint32_t *frames, uint32_t n,
	                   const struct lexeme_end *e);
	gcdc_status (*ends)(struct gcdc_matcher *m, const uint32_t *frames, uint32_t n, const struct text_end *e,
	                    bool *ends);
	gcdc_status (*ends_alone)(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *ends,
	                          bool *known);
	gcdc_status (*read)(struct gcdc_matcher *m, uint32_t frame, uint32_t columns, uint32_t column,
	                    struct line_reader *r);
	uint32_t (*text_column)(const struct gcdc_artifact *a, uint32_t column, const uint8_t *bytes, const uint8_t *end);
	gcdc_status (*probe_open)(struct gcdc_matcher *m, const struct position *p, struct set_list *list);
	void (*free)(const gcdc_memory *memory, struct prober *x);
};

// Costs in tokens, and masks under a budget. take_costs.c, validate_costs.c, budget.c, price*.c, step_*.c.
struct budget_part {
	gcdc_status (*take)(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
	gcdc_status (*validate_counts)(const struct gcdc_artifact *a, gcdc_refusal *why);
	gcdc_status (*validate)(const struct gcdc_artifact *a, gcdc_refusal *why);
	bool (*is_near)(const struct gcdc_matcher *m, const struct position *p);
	gcdc_status (*restrict_sets)(struct gcdc_matcher *m, struct position *p, struct set_list *list);
	bool (*step_table_is_of)(const struct step_table *x, uint32_t era);
	void (*steps_free)(struct gcdc_artifact *a);
	void (*free)(const gcdc_memory *memory, struct pricing *x);
	gcdc_status (*begin_completion)(struct gcdc_matcher *m, struct position *p);  // completion.c
	gcdc_status (*spend_completion)(struct gcdc_matcher *m, struct position *p, uint32_t token);
};

// Canonical tokenization. canonical*.c.
struct canonical_part {
	gcdc_status (*take)(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
	gcdc_status (*take_regex)(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
	gcdc_status (*attach)(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
	gcdc_status (*validate)(const struct gcdc_artifact *a, gcdc_refusal *why);
	gcdc_status (*validate_regex)(const struct gcdc_artifact *a, gcdc_refusal *why);
	void (*ready)(struct gcdc_artifact *a);
	void (*start)(const struct canonical_tables *c, struct canonical_place *p);
	void (*bytes)(const struct canonical_tables *c, struct canonical_place *p, const uint8_t *s, size_t len);
	void (*advance)(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, bool *relaxed);
	gcdc_status (*allows)(struct gcdc_matcher *m, struct position *p, const struct set_list *list, uint32_t token,
	                      bool *allowed);
	bool (*is_next)(const struct gcdc_matcher *m, uint32_t token);  // is it canonical behind the text?
	gcdc_status (*filter)(struct gcdc_matcher *m, const struct position *p, const struct set_list *list, uint32_t *mask,
	                      bool *relaxed);
	// Hard masks under a budget: the shortest completion; behind a token; the one found becomes the way to go.
	gcdc_status (*least_completion)(struct gcdc_matcher *m, const struct position *p, uint32_t *n);
	gcdc_status (*min_after)(struct gcdc_matcher *m, const struct position *p, uint32_t token, uint32_t *n);
	gcdc_status (*take_completion)(struct gcdc_matcher *m, struct position *p, bool has_one);
	const uint32_t *(*completion_tokens)(const struct gcdc_matcher *m);  // of the last least_completion that found one
	gcdc_status (*no_completion)(const struct gcdc_matcher *m);          // why the last one found none
	uint32_t *(*mask_row)(struct gcdc_matcher *m);  // a row of the family's, until the next call; NULL: no memory
	void (*cache_join)(struct canonical_cache *cache);
	void (*cache_leave)(const struct gcdc_artifact *a, struct canonical_cache *cache);  // the artifact may keep it
	void (*caches_free)(struct gcdc_artifact *a);
};

// Arrays whose items differ. unique/.
struct unique_part {
	gcdc_status (*take)(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why);
	gcdc_status (*validate)(const struct gcdc_artifact *a, gcdc_refusal *why);
	// Finds the tokens that masks have to look at, once all tokens are there.
	gcdc_status (*find_tokens)(struct gcdc_artifact *a, gcdc_refusal *why);
	gcdc_status (*step)(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len);
	// list->without: the tokens of p's mask with which an item becomes equal to an earlier one.
	gcdc_status (*restrict_sets)(struct gcdc_matcher *m, const struct position *p, struct set_list *list);
	// Counters that share their states: finds a->limits, once the artifact is read and checked; makes what the next
	// one needs, behind a step; leaves out the tokens that need more characters than may come at a lexer state.
	gcdc_status (*find_limits)(struct gcdc_artifact *a, gcdc_refusal *why);
	gcdc_status (*make_limits)(const struct gcdc_artifact *a, uint32_t lex_state);
	gcdc_status (*take_limits)(const struct gcdc_artifact *a, uint32_t lex_state, struct set_list *list);
	void (*free_limits)(struct gcdc_artifact *a);
	void (*free)(struct gcdc_matcher *m);  // before the matcher leaves its pool
};

// How masks under a budget are made. For tests: by steps made at run time though the artifact has some; always by
// groups on the stack.
enum budget_by { BUDGET_BY_STEPS, BUDGET_BY_MADE_STEPS, BUDGET_BY_GROUPS };
void budget_by(struct gcdc_matcher *m, enum budget_by how);

struct runtime_parts {
	const struct several_part *several;
	const struct lines_part *lines;
	const struct budget_part *budget;
	const struct canonical_part *canonical;
	const struct unique_part *unique;
};

// gcdc_artifact_open and gcdc_artifact_open_memory for a runtime with these parts.
gcdc_status artifact_open_file(const struct runtime_parts *parts, const char *path, const gcdc_open_options *o,
                               gcdc_artifact **artifact, gcdc_refusal *why);
gcdc_status artifact_open_bytes(const struct runtime_parts *parts, const void *bytes, size_t len,
                                const gcdc_open_options *o, gcdc_artifact **artifact, gcdc_refusal *why);

#endif
