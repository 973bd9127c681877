// Why a token, or the end, is allowed or not behind a text: facts, then words or JSON.
#ifndef GCDC_CMD_EXPLAIN_H
#define GCDC_CMD_EXPLAIN_H

#include "json_text.h"
#include "place.h"

// Why a stack cannot take the next byte, or the end.
enum stop {
	STOP_NOT,         // it can: see the others
	STOP_BEGINS,      // no lexeme is at hand, and none that is wanted begins with the byte
	STOP_UNFINISHED,  // the lexeme at hand neither goes on with it nor may end before it
	STOP_UNWANTED,    // the lexeme ends as a terminal that the parser does not want
	STOP_PARSER,      // the lexeme ends; nothing that is wanted then begins with the byte
	STOP_LONGER,      // an earlier lexeme would have been longer, so the text is not read this way
	STOP_COLUMN,      // the line begins at a column that is not possible here
	STOP_TAB,         // a tab in the blanks of a line, which the grammar refuses
	STOP_DEAD_END,    // it can be read, but no tokens of the vocabulary lead from there to the end of a text
	STOP_OPEN,        // the end: inside a lexeme that nothing but its own end can end
	STOP_LOOKAHEAD,   // the lexeme is one only where something else follows
	STOP_END,         // the end: the parser wants more
	STOP_EQUAL,       // it can be read, but makes two items equal of an array whose items differ
};
extern const char *const stop_names[];  // for --json

struct explained_stack {
	struct place_stack stack;
	uint32_t lex_state;
	enum stop stop;
	terminal_set ends_as;  // terminals that the lexeme at hand may be when it ends
	terminal_set wanted;   // what the parser wants: then, or now when no lexeme is at hand
	terminal_set columns;  // open, innermost first; lines only
	uint32_t column;       // of the line; GCDC_NONE: a tab that is refused
	bool has_column;       // the lexeme is a newline that decides columns
	bool column_is_open;   // more blanks can follow
};

struct explained_lexing {
	const gcdc_lexing *lexing;  // of the text
	terminal_set may_become;    // the lexeme at hand
	VEC(struct explained_stack) stacks;
	bool has_more;     // stacks that are left out
	bool is_unwanted;  // the lexeme at hand can become nothing that the parser wants: the text is not read so
};

// A way to read the text up to `at` that the byte there makes wrong: another lexeme is longer, or a lookahead fails.
struct given_up {
	const gcdc_shown_text *shown;
	const gcdc_lexing *lexing;  // of it
	enum stop stop;             // STOP_LONGER, STOP_LOOKAHEAD
};
#define EXPLAIN_GIVEN_UP 4u
#define EXPLAIN_LOOK_BACK 256u     // bytes before the place in which they are looked for
#define EXPLAIN_REREAD (4u << 20)  // bytes that are read anew for that: in a long text they are not looked for

enum explain_verdict {
	VERDICT_ALLOWED,
	VERDICT_FORBIDDEN,
	VERDICT_PREFIX,     // the text before the token is not viable already
	VERDICT_CONTROL,    // the token has no text
	VERDICT_CANONICAL,  // the grammar can read it, but no canonical sequence of tokens goes on with it
};
extern const char *const verdict_names[];

#define EXPLAIN_NO_TOKEN GCDC_NONE
struct explanation {
	const struct artifact_view *view;
	const char *text;  // prefix, then the token's bytes
	size_t prefix_len, len;
	uint32_t token;  // or EXPLAIN_NO_TOKEN: text that is no token
	bool is_end;     // the token is EOS
	enum explain_verdict verdict;
	char *canonical;    // why, for VERDICT_CANONICAL; else NULL
	size_t at;          // the byte that cannot follow; len: the end
	uint64_t equal[2];  // STOP_EQUAL: the items
	gcdc_shown_text *shown;
	VEC(struct explained_lexing) lexings;
	VEC(gcdc_shown_text *) looked_at;
	VEC(struct given_up) given_up;  // other ways to read the lexemes at hand, at most EXPLAIN_GIVEN_UP
	terminal_set found;             // what the bytes from `at` on are by themselves
	size_t found_len;               // 0: what they may become
};

// No token at all (len == prefix_len) explains the place: allowed when the text is viable, with what is wanted next.
// at[0 .. prefix_len) and the bytes of the token behind it are the caller's until release.
struct asked_text {
	const char *at;
	size_t prefix_len, len;
	uint32_t token;             // an id, or EXPLAIN_NO_TOKEN
	const gcdc_matcher *place;  // NULL, or behind the prefix, which may have come in other tokens than the text's own
	uint32_t last;              // then: the token before, or GCDC_NONE
};
// Returns an exit code, after a message.
int explain(struct explanation *e, const struct artifact_view *v, const char *command, const struct asked_text *text);
void explain_release(struct explanation *e);

// explain_show.c
void explain_show(FILE *out, const struct explanation *e);
void explain_readings(FILE *out, const struct explanation *e);          // without the verdict
void explain_json(struct json_writer *j, const struct explanation *e);  // one object

#endif
