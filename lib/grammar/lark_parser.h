// What the files that parse a Lark grammar share: the parser's place among the tokens, and steps past one token.
//
//   lark_parse.c       statements, and the loop over them
//   lark_body.c        what stands behind a name: alternatives, sequences, operators
//   lark_literal.c     strings, regular expressions, ranges
//   lark_attributes.c  name[stop="x", max_chars=9]
//   lark_stops.c       stops that come twice
#ifndef GCDC_GRAMMAR_LARK_PARSER_H
#define GCDC_GRAMMAR_LARK_PARSER_H

#include "lark.h"

struct parser {
	const struct source *source;
	const struct token *at;
	struct arena *arena;
	struct diag *diag;
	const struct control_tokens *control;
	uint32_t depth;
	bool in_terminal, in_ignore;
	bool stops;  // the rule's attributes say where its text ends
	struct statements *out;
};
typedef VEC(struct node *) node_vec;
typedef VEC(struct name) name_vec;

// Where a token is.
static inline struct loc parser_place(const struct parser *p, const struct token *t)
{
	return (struct loc){p->source, t->offset, t->len};
}

// From there to the end of the token before.
static inline struct loc parser_upto(struct loc from, const struct parser *p)
{
	from.len = p->at[-1].offset + p->at[-1].len - from.offset;
	return from;
}

static inline const char *parser_text(const struct parser *p, const struct token *t)
{
	return p->source->text + t->offset;
}

static inline bool parser_is_name(const struct parser *p) { return p->at->kind == T_RULE || p->at->kind == T_TERMINAL; }

static inline bool parser_is_word(const struct parser *p, const struct token *t, const char *word)
{
	return t->len == strlen(word) && memcmp(parser_text(p, t), word, t->len) == 0;
}

// Moves a growing list into the arena.
static inline void *parser_freeze(struct arena *a, void *at, uint32_t n, size_t size)
{
	void *to = arena_array(a, n, size);
	if (n) memcpy(to, at, n * size);
	free(at);
	return to;
}
#define PARSER_FREEZE(p, v) parser_freeze((p)->arena, (v).at, (v).n, sizeof *(v).at)

// What the token is, for a message.
const char *parser_describe(struct parser *p, const struct token *t);
// "expected ..., found ...", at the next token.
void parser_expected(struct parser *p, const char *what);
// Past a token of this kind; false after an error.
bool parser_take(struct parser *p, enum lark_token_kind kind, const char *what);
struct number_bounds {
	int64_t min, max;
	const char *limit;  // the constant that sets them, as " (NAME)", or ""
};
// Past a number; `what` it is, for a message. False after an error.
bool parser_take_number(struct parser *p, const char *what, struct number_bounds bounds, int64_t *out);
// `inside`, `outside` and `unless`, which end what %ignore ignores (no rule's name can stand there); NULL: none.
const char *parser_scope_word(const struct parser *p);

// A node with these children.
struct node *lark_parent(struct parser *p, enum node_kind kind, struct loc loc, struct node *const *child, uint32_t n);

// ---- lark_literal.c
// A string: the next token is one. After an error inside it is_wrong.
struct node *lark_string(struct parser *p);
// A string, a range of two, or a regex: the next token begins one. NULL after an error that leaves no node.
struct node *lark_literal(struct parser *p);

// ---- lark_body.c
// Alternatives, always N_ALT, so that %extend has a place to add to. NULL after an error.
struct node *lark_body(struct parser *p);

// ---- lark_attributes.c
struct attributes {
	struct node *stop;                          // the text goes on to the first of these, and with it
	node_vec exclude;                           // it has none of these before
	uint32_t max_chars, max_bytes, max_tokens;  // of the text without what stops it; UINT32_MAX: any number
	bool is_text, is_lazy;                      // the rule is one terminal
	bool is_hidden;                             // `stop`, which llguidance hides; not `suffix`
};
// From [ to ]; the caller releases a->exclude. False after an error.
bool lark_attributes(struct parser *p, struct attributes *a);
// The rule becomes a terminal of its own, added to the statements, and its body the terminal's name.
void lark_make_text(struct parser *p, struct statement *s, const struct attributes *a);

// ---- lark_stops.c
// Once all statements are there: an error where a text's stop follows it again.
void lark_check_stops(struct parser *p);

#endif
