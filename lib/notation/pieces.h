// A scannerless grammar as its front ends hand it over: rules over pieces, and pieces are hash-consed.
//
// A piece is a set of code points, a reference to a rule, or a sequence, choice or repetition of pieces. Equal pieces
// have equal numbers, so that what is found out about one is found out once.
#ifndef GCDC_NOTATION_PIECES_H
#define GCDC_NOTATION_PIECES_H

#include "../base/intern.h"
#include "../regex/regex.h"
#include "notation.h"

typedef uint32_t piece_id;

enum piece_kind { PIECE_SET, PIECE_TERM, PIECE_RULE, PIECE_SEQ, PIECE_ALT, PIECE_REPEAT };
struct code_range {
	uint32_t lo, hi;
};
typedef VEC(struct code_range) code_ranges;
typedef VEC(piece_id) piece_ids;

struct rule_piece {
	enum piece_kind kind;
	uint32_t n;                      // SET: ranges; SEQ, ALT: children; REPEAT: 1
	const struct code_range *range;  // SET: ascending, apart, without surrogates; none: matches nothing
	const piece_id *child;           // SEQ without any: the empty text; ALT has two or more
	uint32_t min, max;               // REPEAT; max may be TERM_UNBOUNDED
	uint32_t rule;                   // RULE
	const struct term *term;         // TERM: a pattern of another front end, which stays one terminal
	uint32_t depth;                  // of pieces inside each other
	uint32_t size;                   // pieces with repetitions written out, at most PIECE_MAX_SIZE
	bool is_text;                    // a single one
	bool is_regular;                 // no RULE in it, neither deep nor large, but for many texts
	bool is_nullable;                // of one without RULE; TERM: it matches the empty text, too
	bool begins_with_token;          // some text begins with the whole of a token (of rules: those of parts_named)
	const char *name;                // the rule that it is all of, or NULL
	struct loc loc;                  // where it first stood
};
#define PIECE_MAX_SIZE 50000u  // of what may become a terminal
#define PIECE_MAX_DEPTH 150u

struct notation_rule {
	const char *name;
	piece_id body;  // PIECE_NONE: not defined yet
	struct loc loc;
	bool is_lazy, has_most, has_tokens;  // EBNF's attributes
	bool begins_with_token;              // as its body does, where that was known before it was named
	uint32_t most_chars, most_tokens;    // max_chars, max_tokens
};
#define PIECE_NONE UINT32_MAX

struct notation_rules {
	struct arena arena;
	struct intern known;  // keys of pieces
	VEC(struct rule_piece) pieces;
	struct intern names;  // of rules, in order of first appearance
	VEC(struct notation_rule) rule;
	uint32_t start;
	struct diag *diag;
	const struct source *source;
	const struct control_tokens *control;  // that may be named, or NULL
	struct languages *languages;           // rules_languages
	bool has_whole_tokens;                 // some terminal is the whole of a token: all of them read where tokens end
};
// The store of the languages of its patterns; made when it is first asked for.
struct languages *rules_languages(struct notation_rules *r);

// Sets are sorted and joined here; surrogates go. What cannot match makes what needs it unmatchable. A sequence in a
// sequence stays one: where the whole cannot be a terminal it may.
piece_id piece_set(struct notation_rules *r, code_ranges *set, bool is_negated, struct loc loc);
piece_id piece_char(struct notation_rules *r, uint32_t code_point, struct loc loc);
piece_id piece_rule(struct notation_rules *r, uint32_t rule, struct loc loc);
piece_id piece_seq(struct notation_rules *r, const piece_id *child, uint32_t n, struct loc loc);
piece_id piece_alt(struct notation_rules *r, const piece_id *child, uint32_t n, struct loc loc);
piece_id piece_repeat(struct notation_rules *r, piece_id of, uint32_t min, uint32_t max, struct loc loc);
// A sequence, choice or repetition as `like`, of as many other pieces.
piece_id piece_like(struct notation_rules *r, const struct rule_piece *like, const piece_id *child);
// A pattern as a whole; its texts are in the arena.
piece_id piece_term(struct notation_rules *r, const struct term *t, bool is_nullable, struct loc loc);
// Names a pattern that has no name yet.
piece_id piece_called(struct notation_rules *r, piece_id p, const char *name);
// A control token as `<` and `>` hold it (control_parse). False after an error.
bool piece_control(struct notation_rules *r, const char *text, size_t len, struct loc loc, piece_id *out);
// Of the code points of UTF-8 text.
piece_id piece_text(struct notation_rules *r, const char *text, size_t len, struct loc loc);
bool piece_is_nothing(const struct notation_rules *r, piece_id p);  // matches no text
bool piece_is_empty(const struct notation_rules *r, piece_id p);    // matches the empty text alone, by its form
// Is it a set of one character?
static inline bool piece_is_char(const struct rule_piece *p)
{
	return p->kind == PIECE_SET && p->n == 1 && p->range[0].lo == p->range[0].hi;
}
// Is it alternatives each of which is a text, or a few characters? Any number of them may become a terminal.
#define PIECE_MAX_FEW 256u
bool piece_is_texts(const struct notation_rules *r, const struct rule_piece *p);
// Texts as one pattern, which is their automaton. (piece_pattern.c)
struct term *texts_pattern(struct notation_rules *r, const language_texts *texts, struct loc loc);
// A piece without references as one pattern, in the arena. (piece_pattern.c)
struct term *piece_pattern(struct notation_rules *r, piece_id p);
// Its texts but the empty one, each of which ends where a token does.
piece_id piece_to_token_end(struct notation_rules *r, piece_id p);
// A rule's number by its name, new when it was not seen.
uint32_t rule_number(struct notation_rules *r, const char *name, size_t len, struct loc loc);
// Is every rule defined that is named? Sets r->start. False after errors, with the nearest names.
bool pieces_finish(struct notation_rules *r, const char *start);
void pieces_release(struct notation_rules *r);

// The notations: text -> rules. False after errors. (gbnf.c, ebnf.c, choice.c,
// structural_tag.c)
bool gbnf_read(struct notation_rules *r, const char *start);
bool ebnf_read(struct notation_rules *r, const char *start);
// Puts the rules in that have bounds, as patterns. (bounds.c)
bool rules_bound(struct notation_rules *r);
bool choice_read(struct notation_rules *r);
bool structural_tag_read(struct notation_rules *r);
struct cJSON;
bool structural_tag_of(struct notation_rules *r, const struct cJSON *document);
// A list of tools, as the document of a structural tag. (tools.c)
bool tools_read(struct notation_rules *r, const struct tool_options *o);

// Rules -> grammar. (scannerless.c)
bool scannerless_grammar(struct notation_rules *r, struct grammar *g);

// One code point of valid UTF-8; *at moves past it.
uint32_t utf8_point(const char *text, size_t *at);
// The bytes of a code point, at most 4; how many.
uint32_t utf8_write(char *to, uint32_t code_point);
// The first byte that is no UTF-8, or len.
size_t utf8_invalid(const char *text, size_t len);

#endif
