// What the files of `gcdc inspect` share: the artifact, the filters, and rows that are text or JSON.
#ifndef GCDC_CMD_INSPECT_H
#define GCDC_CMD_INSPECT_H

#include "artifact_view.h"
#include "json_text.h"
#include "options.h"

struct inspect {
	struct artifact_view view;
	const struct artifact_info *info;  // the view's

	// Filters; each table documents which it heeds.
	struct number row, lr, token, limit;
	const char *terminal_name, *text;
	uint32_t terminal;  // ARTIFACT_NONE: none given; n_terminals: $end

	// Output.
	bool is_json;
	FILE *out;
	struct json_writer json;
	uint64_t n_rows, n_shown;
	uint64_t most_bytes, at_first;  // JSON of a table in a page: about as much at most, 0: any; where it begins
	struct cells *cells;            // inspect_row.c, text only
};

// The tables. A new one is a line here and a file inspect_NAME.c with inspect_NAME(); docs/inspect.md and
// formats/inspect.schema.json say what its rows hold.
enum inspect_flags {
	TABLE_BY_LEX_STATE = 1,  // --state is a lex_state
	TABLE_FROM_START = 2,    // --html: from the first lex_state alone, since all of them take long
};
#define INSPECT_TABLES(X)                                                                                              \
	X(terminals, 0, "names, patterns, priorities")                                                                     \
	X(productions, 0, "the grammar as the parser has it")                                                              \
	X(contexts, 0, "sets of terminals that compete, and where the lexer then starts")                                  \
	X(lexer, TABLE_BY_LEX_STATE, "lexer states and their transitions by bytes")                                        \
	X(stacks, 0, "parser states: actions, choices, gotos (also: lr)")                                                  \
	X(conflicts, 0, "where the parser goes several ways at once")                                                      \
	X(transducer, TABLE_BY_LEX_STATE | TABLE_FROM_START,                                                               \
	  "what each token emits from a lexer state (--state), and where it leads")                                        \
	X(sequences, TABLE_BY_LEX_STATE | TABLE_FROM_START, "sequences of terminals that tokens emit (--state, --lr)")     \
	X(spanner, TABLE_BY_LEX_STATE | TABLE_FROM_START, "(lexer state, terminals) -> tokens: the transducer's inverse")  \
	X(always, TABLE_BY_LEX_STATE, "tokens allowed whatever lies below the top: (lexer state, parser state) -> set")    \
	X(dependent, 0, "tokens that depend on the stack below: nodes that read it")                                       \
	X(costs, TABLE_BY_LEX_STATE, "tokens that it takes to end a lexeme (--state), to finish a stack (--lr)")           \
	X(canonical, 0, "canonical tokenization: what its tables hold")                                                    \
	X(pieces, 0, "canonical: sets of states of the pre-tokenizer, tokens that may come in each")                       \
	X(classes, 0, "canonical: classes of tokens (--token)")                                                            \
	X(exceptions, 0, "canonical: tokens that never come, that are pieces as a whole; pairs (--token)")                 \
	X(automaton, 0, "canonical sequences of one regular expression (compile --regex)")                                 \
	X(sets, 0, "token sets")                                                                                           \
	X(lines, TABLE_BY_LEX_STATE, "indentation: tokens that begin with blanks, by what their column does")              \
	X(blanks, 0, "indentation: blanks with which tokens begin")                                                        \
	X(line_tops, 0, "indentation: parser states that can follow a line's column")                                      \
	X(vocabulary, 0, "tokens and their bytes (--token, --text)")                                                       \
	X(eos, 0, "tokens that end a text")                                                                                \
	X(provenance, 0, "the files that it was made from")
#define X(name, flags, about) int inspect_##name(struct inspect *x);  // an exit code
INSPECT_TABLES(X)
#undef X

struct inspect_table {
	const char *name;
	uint32_t flags;  // enum inspect_flags
	int (*run)(struct inspect *);
	const char *about;
};
#define INSPECT_MAX_TABLES 32u
extern const struct inspect_table inspect_tables[];
extern const uint32_t inspect_n_tables;

// The summary, as text or as a JSON object.
int inspect_summary(struct inspect *x);
// A table's rows as text, or as a JSON array to x->json.
int inspect_run(struct inspect *x, const struct inspect_table *table);
// An automaton for Graphviz, to x->out: lexer, stacks, dependent.
int inspect_dot(struct inspect *x, const struct inspect_table *table);
// One page with everything, to a file; x->text, cut by tokenizer (may be NULL), is an example to walk through.
int inspect_html(struct inspect *x, const char *path, const char *tokenizer);
// "walk": x->text token by token: readings, what is allowed. An exit code.
int inspect_walk(struct inspect *x, const char *tokenizer);
// "by_id" and "by_byte": how much of a mask's tokens is allowed, in COVERAGE_BUCKETS parts of the vocabulary: by id,
// and by the byte that they begin with. A hexadecimal digit each: 0 nothing, f everything.
#define COVERAGE_BUCKETS 256u
struct coverage {
	uint32_t by_id[COVERAGE_BUCKETS], by_byte[COVERAGE_BUCKETS];
};  // tokens
void coverage_add(const struct artifact_view *v, struct coverage *c, uint32_t token);
void coverage_put(struct inspect *x, const struct coverage *c, const struct coverage *all);
struct coverage coverage_all(const struct artifact_view *v);

// One row of a table: columns of text, an object in JSON. Lists hold values (key NULL) or groups.
bool row_begin(struct inspect *x);  // false: past --limit, the row is only counted
void row_end(struct inspect *x);
void row_uint(struct inspect *x, const char *key, uint64_t value);
void row_int(struct inspect *x, const char *key, int64_t value);
void row_id(struct inspect *x, const char *key, uint32_t value);  // ARTIFACT_NONE: "-", null
void row_flag(struct inspect *x, const char *key, bool value);    // text: in the column "flags" when true
void row_string(struct inspect *x, const char *key, const char *value);
void row_bytes(struct inspect *x, const char *key, const void *bytes, size_t len);
void row_list(struct inspect *x, const char *key);
void row_group(struct inspect *x);
void row_close(struct inspect *x, bool is_list);
void rows_finish(struct inspect *x);  // text: prints what is still there

// A token as text in quotes, cut after max bytes (0: never); one without text as <ID>.
void inspect_show_token(const struct inspect *x, FILE *out, uint32_t token, size_t max);
// "text" of a token.
void row_token_text(struct inspect *x, uint32_t token);
// "tokens": some tokens of a list, as {"id", "text"}.
#define INSPECT_SAMPLE 8u
void row_tokens(struct inspect *x, const char *key, const uint32_t *tokens, uint32_t n);
// "set", "count", "may_end" of a token set; with a sample of its tokens when max is not 0 (UINT32_MAX: all).
void row_set(struct inspect *x, uint32_t set, uint32_t max);
// "left: right right": a production as people write it.
void row_production(struct inspect *x, const char *key, uint32_t p);

#endif
