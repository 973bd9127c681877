// A grammar as the compiler sees it: terminals with patterns, productions over symbols, a start.
//
// In:  the text of a Lark grammar (grammar_load).
// Out: struct grammar: EBNF expanded away, templates instantiated, imports resolved, aliases dropped,
//      useless rules removed. The parser generator needs the productions, the lexer the terminals.
#ifndef GCDC_GRAMMAR_GRAMMAR_H
#define GCDC_GRAMMAR_GRAMMAR_H

#include "../base/diag.h"

typedef uint32_t terminal_id;
// A symbol is a terminal_id when < n_terminals, else n_terminals + the index of a nonterminal.
typedef uint32_t symbol_id;

// The pattern of a terminal, as written: a small tree whose leaves are texts, regexes and ranges.
enum term_kind {
	TERM_TEXT,         // text[0..text_len) literally (UTF-8, escapes already resolved, may hold NUL)
	TERM_REGEX,        // text is the body between the slashes, as written
	TERM_RANGE,        // one code point, lo..hi
	TERM_SEQ,          // children one after another (none = the empty text)
	TERM_ALT,          // one of the children
	TERM_REPEAT,       // children[0], min..max times, greedy
	TERM_AUTOMATON,    // an automaton over bytes, in text: see term_automaton_read
	TERM_STRING,       // JSON strings of lo..hi characters; text: the automaton of their values; flags: enum escapes
	TERM_AND,          // texts that all of the children match
	TERM_NOT,          // texts that children[0] does not match, the empty one among them
	TERM_CONTROL,      // one of the control tokens whose ids (u32, ascending) are in text
	TERM_TOKENS,       // texts of children[0] that at most hi tokens touch; children[1], if any, ends them uncounted.
					   // Only as all of a pattern, as the next two
	TERM_WHOLE_TOKEN,  // all of one text token: of the bytes in text (lo 1), or not of these (lo 0); each with length
	TERM_TO_TOKEN_END  // texts of children[0] that end where a token does
};
#define TERM_UNBOUNDED UINT32_MAX

enum term_flags {
	TERM_I = 1,
	TERM_M = 2,
	TERM_S = 4,
	TERM_X = 8,
	TERM_U = 16,
	TERM_A = 32,
	TERM_WHOLE = 64,  // texts that match as a whole: a lazy quantifier ends nothing. No letter means it
};

struct term {
	enum term_kind kind;
	uint32_t flags;          // TEXT, REGEX: enum term_flags
	const char *text;        // TEXT, REGEX
	uint32_t text_len;       // bytes
	uint32_t lo, hi;         // RANGE: code points; REPEAT: min, max (TERM_UNBOUNDED)
	struct term **children;  // SEQ, ALT, REPEAT, AND, NOT
	uint32_t n_children;
	struct loc loc;
	struct loc text_loc;  // REGEX: the body itself, for errors inside it
};

// The text of a TERM_AUTOMATON: a deterministic automaton over bytes, minimal, in words of the machine's order.
//
//     n_states, n_edges
//     a word a state: index of its first edge << 1 | it accepts         (and one more: n_edges << 1)
//     two words an edge: the state it leads to; lowest byte | highest byte << 8, in ascending order
//
// State 0 is the start. States are numbered breadth-first: equal languages have equal texts.
struct term_automaton {
	uint32_t n_states, n_edges;
	const uint32_t *state, *edge;
};

// Does it read the sign behind each token?
static inline bool term_reads_token_ends(const struct term *pattern)
{
	return pattern &&
	       (pattern->kind == TERM_TOKENS || pattern->kind == TERM_WHOLE_TOKEN || pattern->kind == TERM_TO_TOKEN_END);
}

// A copy of all of it, in an arena. A term nests as deep as its brackets, at most LARK_MAX_NESTING.
struct term *term_copy(const struct term *t, struct arena *a);

// The text is aligned to words.
static inline struct term_automaton term_automaton_read(const void *text)
{
	const uint32_t *w = text;
	return (struct term_automaton){w[0], w[1], w + 2, w + 2 + w[0] + 1};
}
static inline uint32_t term_automaton_words(uint32_t n_states, uint32_t n_edges)
{
	return 2 + n_states + 1 + 2 * n_edges;
}
static inline bool term_automaton_accepts(const struct term_automaton *a, uint32_t q) { return a->state[q] & 1; }
static inline uint32_t term_automaton_first(const struct term_automaton *a, uint32_t q) { return a->state[q] >> 1; }
static inline uint32_t term_automaton_to(const struct term_automaton *a, uint32_t e) { return a->edge[2 * e]; }
static inline uint8_t term_automaton_lo(const struct term_automaton *a, uint32_t e)
{
	return (uint8_t)a->edge[2 * e + 1];
}
static inline uint8_t term_automaton_hi(const struct term_automaton *a, uint32_t e)
{
	return (uint8_t)(a->edge[2 * e + 1] >> 8);
}

// Scoped ignoring: what a terminal does to the scope. The innermost open bracket says whether a place is *inside*.
enum bracket {
	BRACKET_NONE,
	BRACKET_OPEN,
	BRACKET_CLOSE,  // between them scoped terminals are ignored
	BRACKET_OPEN_AGAIN,
	BRACKET_CLOSE_AGAIN  // between them they are not, whatever is around
};

struct terminal {
	const char *name;      // as in the grammar, or Lark's name for an anonymous one ("LPAR", "IF", "__ANON_3")
	struct term *pattern;  // NULL: matches no text; the indent or dedent of an indentation
	int32_t priority;
	bool is_ignored;  // %ignore; never in a production
	bool is_scoped;   // ignored inside; in productions at places outside, if at all
	bool is_literal;  // one string literal (wins ties over a regex)
	bool is_held;     // ignored, but not right behind terminals that hold; there it is in productions, if at all
	bool holds;
	bool has_words;  // %keywords: it and the terminals all of whose texts it matches compete together
	enum bracket bracket;
	bool comes_once;        // ignored, where it stands in productions: not twice in a row
	bool is_blank;          // ignored text that stands in productions: it yields in ties as ignored terminals do
	uint32_t part;          // of which grammar inside this one; 0: of none. Words are words of their part
	bool is_soft;           // a word that competes only where it is viable
	bool among_control;     // some terminal of the grammar is a control token: it may come behind any text
	bool is_scannerless;    // of a notation without a lexer: any way of cutting a text counts
	bool opens_unique;      // a bracket: the array that it begins has no two equal items, as JSON compares them
	const uint32_t *shape;  // then: how many items are possible (formats/artifact.md, UNIQUE_SHAPE); NULL: always more
	uint32_t n_shape;       // its words
	bool drops_empty;       // where its pattern matches the empty text, that match is left out; else it is an error
	struct loc loc;
};

static inline const uint32_t *words_copy(const uint32_t *words, uint32_t n, struct arena *arena)
{
	return n ? (const void *)arena_strndup(arena, (const char *)words, n * sizeof *words) : NULL;
}

struct nonterminal {
	const char *name;  // the rule's, or a derived one such as "value_star_1" for expansions
	bool inside;       // the copy of a rule for its uses inside brackets (of the same name)
	struct loc loc;
};

struct production {
	uint32_t lhs;  // index into nonterminals
	const symbol_id *rhs;
	uint32_t n_rhs;
	bool inside;     // the place before its first symbol is inside; see item_inside
	struct loc loc;  // the alternative in the rule it came from
};

// Terminals that columns make. After a newline lexeme outside brackets whose last line is blanks only, the width of
// those blanks is compared with the open columns: deeper gives `indent`, back to an open column a `dedent` for each
// one that closes. formats/grammar.md says it in full.
enum tab_rule {
	TAB_STOPS,    // to the next multiple of `tab` (Python)
	TAB_COUNTS,   // `tab` columns each (Lark's Indenter)
	TAB_REFUSED,  // such a line is not in the language
};
struct indentation {
	bool on;
	terminal_id newline, indent, dedent;
	enum tab_rule tab_rule;
	uint32_t tab;
	bool end_newline;  // a text that does not end in '\n' counts as if it did
};

struct grammar {
	struct arena arena;
	struct terminal *terminals;  // order: definition order (ties in lexing go to the earlier)
	struct nonterminal *nonterminals;
	struct production *productions;
	uint32_t n_terminals, n_nonterminals, n_productions;
	uint32_t start;  // nonterminal index
	bool has_scope;  // some production has an inside; some terminal is scoped
	struct indentation indentation;
	const char *unenforced;  // of a JSON Schema: texts that artifacts tell (section UNENFORCED); NULL: no schema
	uint32_t n_unenforced;   // bytes
	uint64_t hash[2];        // XXH3-128 of all that determines the language
	const struct lr
		*parser;  // NULL, or its automaton (lib/lr) without choices, in the arena: made to check the grammar
};

// Tokens of the tokenizer that a grammar may name: control tokens, and added tokens that are text elsewhere.
struct control_token {
	uint32_t id;
	const char *name;  // as the tokenizer spells it; NULL: not known
	bool is_eos;       // it ends a text, so no grammar names it
	bool is_special;   // never text
};
struct control_tokens {
	uint32_t n, n_tokens;            // n_tokens: ids are below
	const struct control_token *at;  // [n] ascending by id
	const char *tokenizer;           // its name, for messages
	const uint8_t *bytes;            // of all tokens; NULL: not known
	const uint32_t *offset;          // [n_tokens + 1]
};
#define CONTROL_MAX_IDS 65536u  // of one range, or one list

// A grammar inside a grammar: %json {...}, %lark {...}, %gbnf {...}, %ebnf {...}.
struct nested_text {
	const char *kind;  // the word behind the %
	const char *path;  // of the file around, for messages and folders
	const char *text;  // between the braces, len bytes
	size_t len;
	const struct control_tokens *control;
	const struct nested_reader *reader;  // for grammars inside it
	uint32_t depth;                      // of it inside others, 1 and more
};
struct nested_reader {
	// As grammar_parse. A kind that is not known is an error in d.
	bool (*read)(const struct nested_text *n, struct diag *d, struct grammar *g);
};
#define NESTED_MAX_DEPTH 8u  // grammars inside each other

typedef VEC(const struct source *) source_list;
struct grammar_options {
	const char *start;          // NULL: the first that %start names, or "start"
	const char *indent;         // NULL, or what %indent would say: "newline=_NL indent=_INDENT dedent=_DEDENT ..."
	const char *import_folder;  // NULL, or where %import looks first (Lark's import_paths)
	const struct control_tokens *control;  // NULL: no tokenizer is known, and no token has a name
	const struct tool_options *tools;      // NULL, or the form of a list of tools (lib/notation)
	const struct nested_reader *nested;    // NULL: grammars inside grammars are refused
	uint32_t depth;                        // of this grammar inside others
	source_list *sources;  // NULL, or where to append the files read: the grammar's, then each imported one as
						   // often as it is read, in this order. They belong to the diag; also on false
};

// Reads a Lark grammar from a file, or from memory (path names it in messages; %import of a file beside it
// resolves against path's folder). On false, diag holds at least one error and *g is empty.
bool grammar_load(const char *path, const struct grammar_options *o, struct diag *d, struct grammar *g);
bool grammar_parse(const char *path, const char *text, size_t len, const struct grammar_options *o, struct diag *d,
                   struct grammar *g);
// Appends the files that reading the grammar would read, and reads no more of them than that takes. Never fails: what
// cannot be read, or is no grammar, is grammar_load's to report.
void grammar_files(const char *path, struct diag *d, source_list *sources);
void grammar_release(struct grammar *g);

// A grammar that another front end made, before what no sentence needs is dropped. Symbols of right sides: a
// terminal's index, or DRAFT_NONTERMINAL | a nonterminal's index.
#define DRAFT_NONTERMINAL 0x80000000u
struct draft_production {
	uint32_t lhs;
	const uint32_t *rhs;
	uint32_t n_rhs;
	struct loc loc;
};
struct grammar_draft {
	VEC(struct terminal) terminals;  // name, pattern, priority, is_ignored, loc; the rest is worked out
	VEC(struct nonterminal) nonterminals;
	VEC(struct draft_production) productions;
	uint32_t start;
};
// The draft's useful part, numbered and hashed as a Lark grammar is (lark_reduce.c). g->arena may hold what the draft
// points to. A language without texts is an error. Cost: linear.
bool grammar_of_draft(const struct grammar_draft *draft, struct diag *d, struct grammar *g);
void grammar_draft_release(struct grammar_draft *draft);
// The ids of the control tokens that its terminals name, ascending, each once, appended to ids.
typedef VEC(uint32_t) control_ids;
void grammar_control(const struct grammar *g, control_ids *ids);
// What is written between `<` and `>`: a token's name, or [7], [3,10-20]; appends the ids, ascending. A name may stand
// in double quotes. False after an error, with the nearest names. c may be NULL.
bool control_parse(const struct control_tokens *c, const char *text, size_t len, struct loc loc, struct diag *d,
                   control_ids *ids);
// A pattern in Lark's notation, on one line.
void grammar_print_pattern(const struct term *t, FILE *out);
// A terminal for messages: its name; one whose name is only a number (__ANON_3) is shown by its pattern, cut where
// it is long. A text of the terminal or of the arena.
const char *grammar_show_terminal(const struct terminal *t, struct arena *a);
// The place of a terminal for messages: of its definition, or of the first alternative that has it.
struct loc grammar_terminal_loc(const struct grammar *g, terminal_id t);
// The same of the first terminal that is a set of control tokens with this one.
struct loc grammar_control_loc(const struct grammar *g, uint32_t token);
// Sets g->hash from all else; who builds a grammar without Lark text calls it last.
void grammar_set_hash(struct grammar *g);
// Is the place before symbol `dot` of a production's right side (dot == n_rhs: after it) inside brackets? All items of
// an LR state agree, since every right side is balanced.
// Which terminal wins when two match the same lexeme: the lower rank. Higher priority, grammar over ignored, literal
// over regex, earlier; all ranks differ.
uint32_t grammar_tie_rank(const struct grammar *g, terminal_id t);
bool item_inside(const struct grammar *g, uint32_t production, uint32_t dot);
// "NAME" of any symbol.
const char *grammar_symbol_name(const struct grammar *g, symbol_id s);

// The error of whoever finds, with tables or masks, that the grammar has no text at all.
void grammar_refuse_empty(struct diag *d);

#define LOOPS_MAX_PRODUCTIONS 60000u  // of a rewritten grammar

// Is some nonterminal derived from itself alone (A =>+ A), or at the left end behind something that is empty (hidden
// left recursion)? Exactly then an LR parser with all its choices has endless sequences of reductions under one
// terminal.
bool grammar_has_loops(const struct grammar *g);
// Rewrites g so that it has none and the language is the same: what can be empty in such places is written out as
// present or absent, nonterminals that derive each other become one. Everything else stays as it is. *changed says
// whether there was something to do. False with an error when LOOPS_MAX_PRODUCTIONS is passed.
bool grammar_remove_loops(struct grammar *g, struct diag *d, bool *changed);

#endif
