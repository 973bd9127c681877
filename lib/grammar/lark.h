// The Lark front end's own forms, from one stage to the next (all of it internal to lib/grammar):
//
//   text --lark_lex--> tokens --lark_parse--> statements --lark_import--> definitions
//        --lark_term--> terminals   --lark_expand--> productions --lark_scope--> productions that know whether they
//        are inside brackets --lark_reduce--> struct grammar
#ifndef GCDC_GRAMMAR_LARK_H
#define GCDC_GRAMMAR_LARK_H

#include "../base/intern.h"
#include "grammar.h"

// Limits. Each is far beyond any grammar that people write; the error that stops at one names it.
#define LARK_MAX_BYTES (16u << 20)  // of one file
#define LARK_MAX_TOKENS 1000000u    // of one file, as Lark's own lexer counts them
#define LARK_MAX_NESTING 200u       // of ( [ { in one definition
#define LARK_MAX_PARAMETERS 64u     // of a template
#define LARK_MAX_REPEAT 65535u      // in ~n..m
#define IMPORT_MAX_DEPTH 16u        // files that import files
#define IMPORT_MAX_FILES 256u       // grammars brought in by %import, counted as often as they are
#define TERM_MAX_DEPTH 600u         // of a terminal with its nested terminals put in
#define TERM_MAX_SIZE 1000000u      // the same, counted as nodes and bytes of text
#define TERM_MAX_TOTAL (64u << 20)  // the same, of all terminals together
#define TEMPLATE_MAX_INSTANCES 4096u
#define TEMPLATE_MAX_NAME 1000u        // bytes of a name such as sep{pair{A,B},COMMA}
#define EXPAND_MAX_ALTERNATIVES 1024u  // (a|b) (c|d)? is written out up to here, then gets helper rules
#define EXPAND_MAX_PRODUCTIONS 200000u
#define EXPAND_MAX_SYMBOLS 2000000u  // written while expanding
#define REDUCE_MAX_WARNINGS 20u      // useless rules reported one by one

// ---- tokens (lark_lex.c)

enum lark_token_kind {
	T_END,
	T_NEWLINE,
	T_OR,
	T_AND,
	T_RULE,
	T_TERMINAL,
	T_STRING,
	T_REGEX,
	T_NUMBER,
	T_OP,
	T_MODIFIER,
	T_COLON,
	T_COMMA,
	T_DOT,
	T_DOTDOT,
	T_TILDE,
	T_TO,
	T_LPAR,
	T_RPAR,
	T_LSQB,
	T_RSQB,
	T_LBRACE,
	T_RBRACE,
	T_IGNORE,
	T_IMPORT,
	T_DECLARE,
	T_INDENT,
	T_KEYWORDS,
	T_START,
	T_OVERRIDE,
	T_EXTEND,
	T_CONTROL,  // <name>, <[7]>
	T_NESTED,   // %json {...}: with the braces
	T_OPTIONS,  // %llguidance {...}, the same
	T_EQUALS,
	T_BAD,  // T_INDENT: with the rest of its line
};
struct token {
	enum lark_token_kind kind;
	uint32_t offset, len;
};
struct tokens {
	VEC(struct token) list;  // ends in T_END
};
// False: the text as a whole is not readable (encoding, limits). Smaller errors leave a T_BAD token behind.
bool lark_lex(const struct source *s, struct diag *d, struct tokens *out);

// One code point of valid UTF-8 text; *at moves past it.
uint32_t lark_utf8_next(const char *text, uint32_t *at);
// Appends a code point; returns the bytes written (1..4).
uint32_t lark_utf8_put(char *to, uint32_t code_point);

// ---- statements (lark_parse.c, lark_parser.h)

enum node_kind {
	N_NAME,
	N_CALL,
	N_STRING,
	N_REGEX,
	N_RANGE,
	N_BYTES,
	N_CONTROL,
	N_SEQ,
	N_ALT,
	N_REPEAT,
	N_AND,
	N_NOT,
	N_TOKENS,
	N_NESTED
};
struct node {
	enum node_kind kind;
	uint32_t flags;  // STRING, REGEX: enum term_flags
	// RANGE: code points; REPEAT: min, max; BYTES: at most hi of any; TOKENS: at most hi (TERM_TOKENS); ALT: hi is the
	// room in children, if any
	uint32_t lo, hi;
	const char *text;  // NAME, CALL: as written; STRING: unescaped; REGEX: as written; CONTROL: ids;
					   // NESTED: what is between the braces, and `word` before them
	const char *word;
	uint32_t text_len;
	bool is_terminal;        // NAME: by its case
	bool is_wrong;           // STRING: after an error in it
	uint32_t symbol;         // NAME, CALL: id of the full name, set by lark_import
	uint32_t param;          // NAME, CALL: index of the template's parameter of this name, or NO_PARAM
	struct body *body;       // NAME inside a terminal: what it stands for
	struct node **children;  // CALL: arguments
	uint32_t n_children;
	struct loc loc, text_loc;
};
#define NO_PARAM UINT32_MAX

struct name {
	const char *text;
	bool is_terminal;
	struct loc loc;
};

// A terminal as %indent and `inside` name it: by its name, or by the text that it is.
struct terminal_ref {
	const char *text;  // NULL: not given
	uint32_t text_len;
	bool is_text;
	struct loc loc;
};
struct bracket_ref {
	struct terminal_ref terminal;
	enum bracket bracket;
};
struct indent_spec {
	bool is_given;
	struct loc loc;
	struct terminal_ref newline, indent, dedent;
	VEC(struct bracket_ref) brackets;
	enum tab_rule tab_rule;
	uint32_t tab;
	bool end_newline;
};

enum statement_kind { S_RULE, S_TERMINAL, S_IGNORE, S_DECLARE, S_INDENT, S_KEYWORDS, S_START, S_IMPORT };
enum define_mode { MODE_DEFINE, MODE_OVERRIDE, MODE_EXTEND };
struct statement {
	enum statement_kind kind;
	enum define_mode mode;
	struct loc loc;
	struct name name;   // RULE, TERMINAL; IMPORT: the alias, text NULL without one
	int32_t priority;   // TERMINAL
	struct node *body;  // RULE, TERMINAL, IGNORE: N_ALT
	struct name *list;  // RULE: parameters; DECLARE: symbols; START: rules; IMPORT: what is asked for
	uint32_t n_list;
	struct name *path;  // IMPORT: the grammar's dotted name
	uint32_t n_path;
	bool is_relative;              // IMPORT: .name, beside this file
	struct bracket_ref *brackets;  // IGNORE: inside which it is ignored; none: everywhere
	uint32_t n_brackets;
	struct name *rules;  // IGNORE: inside which it is ignored
	uint32_t n_rules;
	struct terminal_ref *holders;  // IGNORE: right behind which it is not ignored
	uint32_t n_holders;
	struct loc text_loc;        // INDENT: what follows the word
	struct terminal_ref words;  // KEYWORDS: the terminal of names
	struct node **reserved;  // KEYWORDS: words that no rule uses, N_STRING; behind n_reserved of them n_soft soft ones
	uint32_t n_reserved, n_soft;
};
// A rule whose texts end with this string, `stop`.
struct text_stop {
	const char *rule;
	const struct node *text;
};
struct statements {
	VEC(struct statement) list;
	VEC(struct text_stop) stops;
};
void lark_parse(const struct source *s, const struct tokens *t, const struct control_tokens *c, struct arena *a,
                struct diag *d, struct statements *out);
struct node *lark_node(struct arena *a, enum node_kind kind, struct loc loc);

// ---- definitions (lark_import.c)

// What a terminal's name stands for. %override gives the definition another body, and those terminals of
// an imported file that were built on the old one keep it; %extend changes the body itself (both as Lark).
struct body {
	struct node *root;
	const char *name;
	struct loc loc;
	struct term *term;     // built on demand by lark_term
	uint32_t depth, size;  // of term, see TERM_MAX_DEPTH and TERM_MAX_SIZE
	uint8_t progress;      // 0 not begun, 1 under construction, 2 done, 3 failed
};
struct definition {
	const char *name;  // full name: a__b for b imported along from a
	uint32_t symbol;
	bool is_terminal;
	bool is_declared;  // %declare: no body
	bool is_broken;    // stands in for something that failed to import
	bool is_imported;
	bool is_needed, is_requested;  // scratch of lark_import
	const void *owner;             // scratch of lark_import
	struct loc import_loc;         // is_imported: the %import that brought it
	struct body *body;
	struct name *params;
	uint32_t n_params;
	int32_t priority;
	struct loc loc;
	uint32_t index;  // scratch of lark_expand: nonterminal or terminal number
};
struct ignored {
	uint32_t symbol;
	struct definition *definition;
	const struct bracket_ref *brackets;  // none: ignored everywhere
	uint32_t n_brackets;
	const struct name *rules;  // the same, between the first and the last terminal of these
	uint32_t n_rules;
	const struct terminal_ref *holders;  // right behind these it is not
	uint32_t n_holders;
	struct loc loc;
};
struct keywords {
	struct terminal_ref words;
	struct node **reserved;
	uint32_t n_reserved, n_soft;
};
struct definitions {
	struct arena *arena;
	struct diag *diag;
	struct intern names;
	VEC(struct definition *) by_symbol;  // NULL: not defined
	VEC(struct definition *) list;       // in order
	VEC(struct ignored) ignored;
	struct indent_spec indent;
	source_list *sources;       // every file that was read, or NULL: not wanted
	const char *import_folder;  // where %import looks first, or NULL
	const struct control_tokens *control;
	const struct nested_reader *nested;
	uint32_t depth;
	VEC(struct keywords) keywords;
	VEC(struct name) starts;  // %start: the rules that a text may start from, the one meant first in front
	uint32_t n_files;
	bool has_gaps;  // some text could not be read: a name may be undefined for that reason
};
// Reads all imported files, and checks that every name is defined. Errors in d->diag.
void lark_import(struct definitions *d, const struct source *s);
void lark_definitions_release(struct definitions *d);
// A file's text, in the diag's arena; NULL when it cannot be read.
void lark_add_source(source_list *list, const struct source *s);
struct source *lark_source(struct diag *d, const char *path, const char **why);
// A symbol's full name, a copy in d->arena.
const char *definitions_name(const struct definitions *d, uint32_t symbol);
// The defined rule or terminal that a name was perhaps meant to be, or NULL.
const struct definition *lark_nearest(const struct definitions *d, const char *name);
// Visits every NAME and CALL of a tree.
void lark_each_name(struct node *n, void (*visit)(struct node *, void *), void *context);
// What %indent says, in whose place the option --indent may stand. (lark_indent.c)
void lark_indent_option(struct definitions *d, const struct source *option);
void lark_indent(struct definitions *d, struct loc text);
// Marks uses of params, reports names that are not defined. (lark_resolve.c)
void lark_resolve_rules(struct definitions *d);
void lark_resolve_terminals(struct definitions *d, struct definition *const *list, uint32_t n);
// The text of a built-in grammar, or NULL.
const char *lark_library(const char *name);

// ---- terminals (lark_term.c)

// The patterns of all definitions, nested terminals put in; shared, not copied. False after an error.
bool lark_all_terms(const struct definitions *d, struct arena *a);
// The same for a literal in a rule.
struct term *lark_term_leaf(const struct node *n, struct arena *a);
// Equal bytes mean equal patterns.
typedef VEC(uint8_t) byte_vec;
void lark_term_bytes(const struct term *t, byte_vec *out);

// ---- productions (lark_expand.c)

// Symbols until the numbering is final: a terminal's index, or one of these bits and an index.
#define X_NONTERMINAL 0x80000000u
#define X_TEMPLATE_NAME 0x40000000u  // only as a template's argument: the name's id
#define X_NONE UINT32_MAX
struct x_terminal {
	const char *name;
	struct term *pattern;
	int32_t priority;
	bool is_imported, is_ignored;
	bool is_scoped;       // ignored inside
	bool is_held, holds;  // ignored unless after those that hold
	bool is_blank;        // ignored text in productions (lark_blanks.c)
	bool is_own_blank;    // ignored in its part
	bool comes_once;      // not twice in a row; one that is the only blank of its part
	bool opens_unique;
	const uint32_t *shape;
	uint32_t n_shape;
	bool drops_empty;      // of a part: its empty match is left out
	bool is_scannerless;   // of a part
	uint32_t part;         // which grammar inside
	bool is_made;          // an indentation's indent or dedent
	bool has_words;        // %keywords names it
	struct loc words_loc;  // and where
	bool is_reserved;      // a word that no rule needs to use
	bool is_soft;          // %keywords: a word only where it is viable
	enum bracket bracket;
	struct loc loc;
};
enum x_origin { X_RULE, X_TEMPLATE, X_HELPER };
struct x_nonterminal {
	const char *name;
	struct loc loc;
	enum x_origin origin;
	bool is_imported;
	uint32_t copy_of;  // inside: the nonterminal that this is the copy of
	bool inside;
	uint32_t part;  // the start of this grammar inside; 0: none
};
struct x_production {
	uint32_t lhs;
	const uint32_t *rhs;
	uint32_t n_rhs;
	struct loc loc;
};
struct expansion {
	VEC(struct x_terminal) terminals;
	VEC(struct x_nonterminal) nonterminals;
	VEC(struct x_production) productions;
	uint32_t start, n_parts;
	const char *parts_rule;          // that holds the last grammar inside; NULL: none was read
	uint32_t n_rule_parts;           // how many of them this rule holds
	VEC(uint32_t) starts;            // %start: nonterminals that another compilation may start from
	struct indentation indentation;  // by numbers of this expansion
	struct arena *arena;
};
// start: NULL for the first that %start names, or `start`.
bool lark_expand(struct definitions *d, const char *start, struct arena *a, struct expansion *out);
void lark_expansion_release(struct expansion *x);

// The anonymous terminal of a literal in a rule: an existing terminal of the same pattern, or a new one with
// Lark's name for it. (lark_anon.c)
struct anon {
	struct intern names, patterns;
	VEC(uint32_t) terminal_of_pattern;
	uint32_t n_numbered;
};
void lark_anon_init(struct anon *t, struct expansion *x);
uint32_t lark_anon_terminal(struct anon *t, struct expansion *x, struct term *pattern, struct arena *a);
void lark_anon_release(struct anon *t);

// ---- scopes (lark_scope.c)

// Finds the terminals that %indent, %keywords and `inside` name; splits nonterminals into those used inside and
// outside.
bool lark_scope(struct definitions *d, struct expansion *x);

// ---- ignored text written out (lark_blanks.c)

// Where rules or grammars inside have ignored terminals of their own: writes ignored text into the productions.
bool lark_blanks(struct definitions *d, struct expansion *x);

// ---- grammars inside (lark_nest.c)

// Reads it and adds its symbols to the expansion, named after the rule it stands in. Its start, or X_NONE after an
// error. `terms` keeps its patterns.
uint32_t lark_nest(struct definitions *d, struct expansion *x, const struct node *n, const char *rule,
                   struct arena *terms);

// ---- sets of control tokens (lark_control.c)

// Control tokens as a rule wants them, whatever is ignored?
bool lark_is_control_set(const struct x_terminal *t);
// Takes such sets apart where two of one priority share some tokens and not all: a token is read as each of them.
// `terms` keeps the patterns.
void lark_part_control(struct expansion *x, struct arena *terms);

// ---- the grammar (lark_reduce.c)

// Drops what no sentence needs, numbers what is left, fills *g (whose arena may be the one the rest is in).
bool lark_reduce(const struct expansion *x, struct diag *d, struct grammar *g);

#endif
