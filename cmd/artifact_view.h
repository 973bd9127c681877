// An artifact's tables, read through functions: the one place in cmd/ that knows how they are encoded.
#ifndef GCDC_CMD_ARTIFACT_VIEW_H
#define GCDC_CMD_ARTIFACT_VIEW_H

#include "../formats/artifact.h"
#include "cli.h"

struct artifact_view {
	const char *path;
	gcdc_artifact *artifact;
	const struct artifact_info *info;  // counts
	uint8_t *rests;                    // [lr_state] has start rows; for artifact_view.c alone, as what follows
	const void *section[SECTION_TOKEN_BYTES + 1];  // by id; for artifact_view.c alone
};

// Opens as cli_open does; an exit code. To be closed also when it failed.
int view_open(struct artifact_view *v, const char *command, const char *path, const char *vocab_path);
// Of an artifact that is open already; not to be closed.
bool view_of(struct artifact_view *v, const char *path, gcdc_artifact *artifact);
void view_close(struct artifact_view *v);

// The file's section table; how many there are. The names are for people: "unknown" for those that only a newer gcdc
// knows.
uint32_t view_sections(const struct artifact_view *v, struct artifact_section sections[ARTIFACT_MAX_SECTIONS]);
const char *view_section_name(uint32_t id);
const char *view_codec_name(uint32_t codec);

// The first token of exactly these bytes, or GCDC_NONE.
uint32_t view_token_of(const struct artifact_view *v, const void *text, size_t len);

// Terminals; n_terminals is "$end". Symbols: terminals, then nonterminals.
const char *view_terminal_name(const struct artifact_view *v, uint32_t t);
const char *view_terminal_pattern(const struct artifact_view *v, uint32_t t);
const struct artifact_terminal *view_terminal(const struct artifact_view *v, uint32_t t);
bool view_is_ignored(const struct artifact_view *v, uint32_t t);
const char *view_nonterminal_name(const struct artifact_view *v, uint32_t nonterminal);
const char *view_symbol_name(const struct artifact_view *v, uint32_t symbol);
struct view_production {
	uint32_t left, n;
	const uint32_t *right;
};
struct view_production view_production(const struct artifact_view *v, uint32_t p);
// Sets of terminals that compete.
bool view_context_has(const struct artifact_view *v, uint32_t context, uint32_t t);

// The lexer. next: LEX_CUT and LEX_STATE_MASK; start: behind an obligation, in a context; 0: dead.
const struct artifact_lex_state *view_lex_state(const struct artifact_view *v, uint32_t q);
uint32_t view_lex_next(const struct artifact_view *v, uint32_t q, uint8_t byte);
uint32_t view_lex_start(const struct artifact_view *v, uint32_t obligation, uint32_t context);

// The parser. actions: those of a state on a terminal (one, or a conflict's) as ACTION_*, none 0: their number.
uint32_t view_context_of(const struct artifact_view *v, uint32_t lr_state);
uint32_t view_actions(const struct artifact_view *v, uint32_t lr_state, uint32_t t, const uint32_t **actions);
bool view_is_choice(const struct artifact_view *v, uint32_t lr_state, uint32_t t);
uint32_t view_goto(const struct artifact_view *v, uint32_t lr_state, uint32_t nonterminal);
// The symbol that leads from lr_state `below` to `above`, the first of several; NONE: none does.
uint32_t view_symbol_between(const struct artifact_view *v, uint32_t below, uint32_t above);

// What is allowed. False: there is no such row.
bool view_start(const struct artifact_view *v, uint32_t lex_state, uint32_t lr_state, struct artifact_start *start);
struct view_node {
	uint32_t skip, n_edges;
	struct artifact_target other;
};
struct view_node view_node(const struct artifact_view *v, uint32_t node);
struct view_edge {
	uint32_t lr_state;
	struct artifact_target to;
};
struct view_edge view_edge(const struct artifact_view *v, uint32_t node, uint32_t i);
struct artifact_set view_set(const struct artifact_view *v, uint32_t set);
bool view_set_has(const struct artifact_view *v, uint32_t set, uint32_t token);
// Calls for its tokens, ascending, until it returns false.
void view_set_tokens(const struct artifact_view *v, uint32_t set, bool (*each)(void *to, uint32_t token), void *to);

// Lines, where they have columns. line_top: number of an lr_state among the tops behind a newline, or NONE.
struct artifact_blank view_blank(const struct artifact_view *v, uint32_t row);
uint32_t view_line_top(const struct artifact_view *v, uint32_t lr_state);
struct artifact_start view_line_start(const struct artifact_view *v, uint32_t line, uint32_t row, uint32_t top);

#endif
