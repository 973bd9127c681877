/* gcdc show: the contents of a matcher and the way a text was read, for tools that explain. Decoders do not need it.
 *
 * Words. A *reading* is one way to read the text so far: a lex_state and a stack of lr_states, or several stacks that
 * share a top. Readings with the same terminals up to the same places are one *lexing*, and have its number.
 *
 * Threads, errors and memory are as in runtime.h. Nothing here is fast. */
#ifndef GCDC_SHOW_H
#define GCDC_SHOW_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gcdc_shown_reading {
	uint32_t lexing;
	uint32_t lex_state;
	uint32_t lr_state; /* the top of its stacks */
	uint32_t counted;  /* repetitions read so far, where the lex_state stands for many numbers of them; else 0 */
} gcdc_shown_reading;

/** The name of a section of the file ("token_bytes"); static. NULL when no section has this id. */
GCDC_API const char *gcdc_section_name(uint32_t id);

/** Reading i of the matcher, 0, 1, ...; the number is that of gcdc_matcher_reading and gcdc_matcher_columns, too.
 * False past the last one. O(1). */
GCDC_API bool gcdc_show_reading(const gcdc_matcher *matcher, uint32_t i, gcdc_shown_reading *reading);

/** One stack, from the top down; lr_states is valid during the call only. */
typedef struct gcdc_shown_stack {
	const uint32_t *lr_states;
	uint32_t n;  /* of them are there: all, or as many as were asked for */
	bool is_cut; /* more lie below */
} gcdc_shown_stack;

/** How many stacks to visit, and how many frames of each, from the top down. */
typedef struct gcdc_show_limits {
	uint32_t stacks, depth; /* depth is at least 1 */
} gcdc_show_limits;

/** Visits every stack of reading i, at most limits.stacks of them, each down to limits.depth frames: stacks that
 * differ only below that come as one. *all is true when none was left out; may be NULL. GCDC_ERR_MEMORY. O(stacks *
 * depth). */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_show_stacks(const gcdc_matcher *matcher, uint32_t i, gcdc_show_limits limits,
                                                      void (*visit)(void *context, const gcdc_shown_stack *stack),
                                                      void *context, bool *all);

/** A lexeme of a text: bytes begin .. end of it, as this terminal. */
typedef struct gcdc_lexeme {
	uint32_t terminal;
	size_t begin, end;
} gcdc_lexeme;

/** One lexing of a text: its lexemes, ignored ones too; bytes from `begin` on are the lexeme at hand. Terminals that
 * columns make (indents) have no text and are not listed. */
typedef struct gcdc_lexing {
	uint32_t lexing; /* as in gcdc_shown_reading; where readings have come together, one of theirs */
	size_t begin;
	size_t n;
	const gcdc_lexeme *lexemes;
} gcdc_lexing;

/** How a text was read from its beginning, byte by byte, asking lexer and parser alone: not whether some token of the
 * vocabulary goes on. */
typedef struct gcdc_shown_text {
	size_t at; /* bytes that were read; below len: no reading is left behind byte `at` */
	gcdc_matcher
		*matcher; /* behind `at` bytes; for the functions of this header, gcdc_matcher_reading, _columns and _reset */
	size_t n_lexings;
	const gcdc_lexing *lexings; /* by number */
} gcdc_shown_text;

/** Reads len bytes of text. options as in gcdc_matcher_new. *text is freed with gcdc_show_text_free.
 * GCDC_OK, also when the text cannot be read to its end; errors as gcdc_matcher_accept_bytes.
 * Microseconds a byte; memory for each lexeme. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_show_text(const gcdc_artifact *artifact, const gcdc_matcher_options *options,
                                                    const void *bytes, size_t len, gcdc_shown_text **text);
/** NULL is fine. */
GCDC_API void gcdc_show_text_free(gcdc_shown_text *text);

/** A walk along one sequence of tokens that begins a canonical one, whatever the grammar says, by the tables of an
 * artifact that was compiled with --canonical. Walks of one artifact are independent. */
typedef struct gcdc_canonical_walk gcdc_canonical_walk;
/** Begins with an empty sequence. GCDC_ERR_ARGUMENT: the artifact has no canonical tables. The artifact must outlive
 * the walk. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_canonical_walk_new(const gcdc_artifact *artifact, gcdc_canonical_walk **walk);
/** NULL is fine. */
GCDC_API void gcdc_canonical_walk_free(gcdc_canonical_walk *walk);
/** Adds one token. GCDC_REJECTED, and nothing changed: no canonical sequence begins so. 0.1 microseconds. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_canonical_walk_push(gcdc_canonical_walk *walk, uint32_t token);
/** Takes the last token back. */
GCDC_API void gcdc_canonical_walk_pop(gcdc_canonical_walk *walk);
/** True when the sequence itself is canonical: a text may end here. */
GCDC_API bool gcdc_canonical_walk_may_end(const gcdc_canonical_walk *walk);

#ifdef __cplusplus
}
#endif

#endif
