// Free text with triggers, as structural tags and EBNF have it: pieces, and control tokens in strings. (free_text.c)
#ifndef GCDC_NOTATION_FREE_TEXT_H
#define GCDC_NOTATION_FREE_TEXT_H

#include "pieces.h"

struct end_strings {
	const char *const *at;
	uint32_t n;
};

// Makes pieces for a front end.
struct parts {
	struct notation_rules *r;
	bool names_tokens;   // the name of a special token in a string means the token
	const char *prefix;  // of the names of its rules; NULL: none
	uint32_t n_named;
	struct loc loc;
};

piece_id parts_nothing(struct parts *x);
piece_id parts_empty(struct parts *x);
piece_id parts_seq(struct parts *x, piece_id a, piece_id b);
piece_id parts_alt(struct parts *x, piece_id a, piece_id b);
// A rule of its own, so that what it holds is written once; its name begins with `what`.
piece_id parts_named(struct parts *x, const char *what, piece_id body);
// Characters and control tokens of a string.
piece_id parts_text(struct parts *x, const char *s);
// The texts of a language.
piece_id parts_language(struct parts *x, language l);

struct end_strings strings_join(struct parts *x, struct end_strings a, struct end_strings b);
// One that holds a special token behind text, which free text cannot end at; NULL: none does.
const char *free_text_obstacle(const struct parts *x, struct end_strings s);

struct free_most {
	int64_t chars, tokens;  // -1: any number
};
// The most characters that free text can be bound to, with these excluded strings and ends: how many are read the
// lexer knows by its states.
#define FREE_TEXT_MAX_STATES 200000u
uint32_t free_text_most(const struct parts *x, struct end_strings excludes, struct end_strings ends);
#define FREE_ANY ((struct free_most){-1, -1})
// Text without these strings; those with special tokens in them no text has.
language free_text_language(struct parts *x, struct end_strings excludes);
// Free text without `excludes`, of so much.
piece_id free_text(struct parts *x, struct end_strings excludes, struct free_most most);
// The same up to and with the first of `ends`, which are among `excludes` and not counted.
piece_id free_text_until(struct parts *x, struct end_strings excludes, struct end_strings ends, struct free_most most);

struct free_dispatch {
	struct end_strings triggers, excludes;
	const piece_id *behind;          // [triggers]
	bool again;                      // free text follows what is behind a trigger
	const struct end_strings *ends;  // of the tag around, which are read, too; or NULL
};
// Free text, and what its triggers lead to.
piece_id free_text_dispatch(struct parts *x, const struct free_dispatch *d);

// Why a token cannot be left out of free tokens, or NULL: the text of a token may be cut in other ways.
const char *free_tokens_obstacle(const struct parts *x, uint32_t id);
// The same for the whole of one token, which may be text.
const char *free_token_obstacle(const struct parts *x, uint32_t id);
// Is it text, and no special token?
bool token_is_text(const struct parts *x, uint32_t id);
// Is it text, and no added token, so that it can be named as a whole alone?
bool token_is_whole(const struct parts *x, uint32_t id);
// One token, text or special, but these. Patterns before it are made to end where a token does by parts_before_tokens.
piece_id free_token(struct parts *x, const uint32_t *excluded, uint32_t n);
// One of these: text as a whole, others as control tokens. What cannot be named so has an obstacle, or piece_control
// says it.
piece_id one_token(struct parts *x, const uint32_t *ids, uint32_t n);
const char *one_token_obstacle(const struct parts *x, uint32_t id);
// The same texts, ended where a token ends, where this is one pattern or its last part is; else as it is.
piece_id parts_to_token_end(struct parts *x, piece_id p);
// So for those of a sequence behind which a whole token may begin.
void parts_before_tokens(struct parts *x, piece_id *sequence, uint32_t n);
// Any text, and any special tokens without these (which have no obstacle, or are named elsewhere in the grammar).
piece_id free_tokens(struct parts *x, const uint32_t *excluded, uint32_t n);
struct token_dispatch {
	const uint32_t *trigger;
	const piece_id *behind;  // [n]
	uint32_t n, n_excluded;
	const uint32_t *excluded;  // the triggers may be among them, and need not
	bool again;
};
// Free tokens, and what the trigger tokens lead to. Where some of these tokens are text, each token is told as a whole.
piece_id free_tokens_dispatch(struct parts *x, const struct token_dispatch *d);

#endif
