/* gcdc show: the contents of a matcher and the way a text was read, for tools that explain. Decoders do not need it.
 *
 * Words. A *reading* is one way to read the text so far: a state of the lexer (lex_state) and a stack of states of the
 * parser (lr_state), or several stacks that share a top. Readings that cut the text into the same terminals are one
 * *lexing*, and have its number. gcdc inspect shows both kinds of states.
 *
 * Threads, errors and memory are as in runtime.h. Nothing here is fast. */
#ifndef GCDC_SHOW_H
#define GCDC_SHOW_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A reading, without its stacks. */
typedef struct gcdc_shown_reading {
	uint32_t lexing;
	uint32_t lex_state;
	uint32_t lr_state; /* the top of its stacks */
	uint32_t counted;  /* repetitions read so far, where the lex_state stands for many numbers of them; else 0 */
} gcdc_shown_reading;

/** The name of a section of the file ("token_bytes"); static. NULL when no section has this id. */
GCDC_API const char *gcdc_section_name(uint32_t id);

/** Fills in *reading with reading i of the matcher, 0, 1, ...: the number that gcdc_matcher_reading and
 * gcdc_matcher_columns take. False past the last one. */
GCDC_API bool gcdc_show_reading(const gcdc_matcher *matcher, uint32_t i, gcdc_shown_reading *reading);

/** One stack, from the top down; lr_states is valid during the call only. */
typedef struct gcdc_shown_stack {
	const uint32_t *lr_states;
	uint32_t n;  /* entries of lr_states: the whole stack, or as many as were asked for */
	bool is_cut; /* true: more frames lie below */
} gcdc_shown_stack;

/** How many stacks to visit, and how many frames of each, from the top down. */
typedef struct gcdc_show_limits {
	uint32_t stacks, depth; /* depth is at least 1 */
} gcdc_show_limits;

/** Visits the stacks of reading i, at most limits.stacks of them, each down to limits.depth frames. Stacks that differ
 * only below that come as one. *all (may be NULL) becomes true when none was left out. context is handed to visit.
 * GCDC_ERR_MEMORY. Cost: O(stacks * depth). */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_show_stacks(const gcdc_matcher *matcher, uint32_t i, gcdc_show_limits limits,
                                                      void (*visit)(void *context, const gcdc_shown_stack *stack),
                                                      void *context, bool *all);

/** The work that graphs of stacks have made in this family of matchers so far, in links that were gone over or made
 * (gcdc_matcher_options.max_stacks bounds what one terminal may). 0 where a text has one parse. */
GCDC_API uint64_t gcdc_show_links(const gcdc_matcher *matcher);

/** What masks under a budget have made so far, for all matchers of an artifact: steps, some of them summaries
 * (docs/GLOSSARY.md), which the artifact may hold to begin with. The pointers are valid during the call only. */
typedef struct gcdc_shown_steps {
	uint32_t n_made;      /* steps there are */
	uint64_t bytes;       /* that they take */
	uint32_t n_summaries; /* among the steps below */
	/* The first of them as sections of an artifact (formats/artifact.h): struct artifact_kept_info, struct
	 * artifact_kept_step [info.n_steps], info.n_words words. */
	const void *info, *steps;
	const uint32_t *words;
} gcdc_shown_steps;
/** Calls `take` with the first `most` steps that matchers of this artifact have made, fewer where these would pass a
 * limit of the format; most = 0: with the counts alone. context is handed to it. Another thread that makes a step waits
 * meanwhile. GCDC_ERR_COSTS: the artifact has no tables for budgets. GCDC_ERR_MEMORY. Cost: O(bytes); O(1) with most
 * = 0. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_show_steps(const gcdc_artifact *artifact, uint32_t most,
                                                     void (*take)(void *context, const gcdc_shown_steps *steps),
                                                     void *context);

/** A lexeme of a text: its bytes [begin, end), read as this terminal. */
typedef struct gcdc_lexeme {
	uint32_t terminal;
	size_t begin, end;
} gcdc_lexeme;

/** One lexing of a text: its lexemes, ignored ones too. Bytes from `begin` on are the lexeme that has not ended yet.
 * Indents and dedents have no text and are not listed. */
typedef struct gcdc_lexing {
	uint32_t lexing; /* as in gcdc_shown_reading; where readings have come together, one of theirs */
	size_t begin;
	size_t n;
	const gcdc_lexeme *lexemes;
} gcdc_lexing;

/** How a text was read from its beginning, byte by byte, by lexer and parser alone. Whether some token of the
 * vocabulary goes on is not asked. */
typedef struct gcdc_shown_text {
	size_t at; /* bytes that were read; below len: no reading is left behind byte `at` */
	/** Behind `at` bytes. Only for the functions of this header, gcdc_matcher_reading, _columns and _reset. */
	gcdc_matcher *matcher;
	size_t n_lexings;
	const gcdc_lexing *lexings; /* by number */
} gcdc_shown_text;

/** Reads len bytes of text from its beginning. options as in gcdc_matcher_new. *text is freed with gcdc_show_text_free.
 * GCDC_OK, also when the text cannot be read to its end; errors as gcdc_matcher_accept_bytes. Cost: microseconds a
 * byte; memory for each lexeme. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_show_text(const gcdc_artifact *artifact, const gcdc_matcher_options *options,
                                                    const void *bytes, size_t len, gcdc_shown_text **text);
/** Frees the text's reading, its matcher included. NULL is fine. */
GCDC_API void gcdc_show_text_free(gcdc_shown_text *text);

/** A walk along one sequence of tokens that begins a canonical one, whatever the grammar says. It needs an artifact
 * that was compiled with --canonical. Walks of one artifact are independent. */
typedef struct gcdc_canonical_walk gcdc_canonical_walk;
/** Makes a walk with an empty sequence. GCDC_ERR_ARGUMENT: the artifact has no canonical tables. The artifact must
 * outlive the walk. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_canonical_walk_new(const gcdc_artifact *artifact, gcdc_canonical_walk **walk);
/** Frees a walk. NULL is fine. */
GCDC_API void gcdc_canonical_walk_free(gcdc_canonical_walk *walk);
/** Adds one token to a walk. GCDC_REJECTED, and nothing changed: no canonical sequence begins so. Cost: 0.1
 * microseconds. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_canonical_walk_push(gcdc_canonical_walk *walk, uint32_t token);
/** Takes the last token of a walk back; does nothing for an empty sequence. */
GCDC_API void gcdc_canonical_walk_pop(gcdc_canonical_walk *walk);
/** True when the sequence of a walk is canonical as it is: a text may end here. */
GCDC_API bool gcdc_canonical_walk_may_end(const gcdc_canonical_walk *walk);

#ifdef __cplusplus
}
#endif

#endif
