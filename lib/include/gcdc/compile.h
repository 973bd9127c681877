/* gcdc compile: grammars compiled inside a program, for those that come with a request.
 *
 *     gcdc_vocab *vocab;                                       // once, for all threads
 *     if (gcdc_vocab_open("models/tokenizer.json", NULL, &vocab, NULL)) return 1;
 *     gcdc_input input = {.kind = GCDC_KIND_REGEX, .text = "[0-9]{3}", .len = 8};
 *     gcdc_compile_options options = {.max_seconds = 2, .max_memory = 512 << 20};
 *     gcdc_compiled *compiled;
 *     gcdc_diagnostics *said;
 *     if (gcdc_compile(vocab, &input, &options, &compiled, &said)) puts(gcdc_diagnostics_text(said));
 *     gcdc_diagnostics_free(said);
 *     size_t len;
 *     const void *bytes = gcdc_compiled_bytes(compiled, &len); // an artifact: write it to a file, or open it:
 *     gcdc_artifact_open_memory(bytes, len, NULL, &artifact, NULL);
 *
 * Words. A *grammar* is a text that says which texts are allowed; its *kind* is the notation it is written in. An
 * *artifact* is the file, or the bytes, that <gcdc/runtime.h> opens. The artifact's bytes depend on the grammar, the
 * vocabulary and the options alone: not on the machine, the number of threads, or what was compiled before. A
 * *diagnostic* is a message for people, with its place.
 *
 * Threads. A vocabulary never changes after it is opened: any number of threads may compile with it at once. A
 * gcdc_cancel may be used by all threads. All other objects belong to one thread at a time. Threads that a call
 * starts have ended when it returns, and receive no signals.
 *
 * Errors. Functions return a gcdc_status (GCDC_ERR_GRAMMAR, _LIMIT, _CANCELLED, _VOCAB, _MEMORY, ...), and
 * diagnostics that say it in words. NULL for a pointer that may not be NULL is GCDC_ERR_ARGUMENT. Nothing aborts,
 * exits, prints, or changes the process (locale, signals, current folder): a bug that gcdc finds in itself is
 * GCDC_ERR_INTERNAL, too. Whatever the status, nothing of what a failed call used is left.
 *
 * Memory. A compilation takes tens of megabytes while it runs, with large grammars more, up to the caller's limit;
 * what it returns takes the artifact's size and the grammar's. No cache grows from call to call.
 *
 * Cost. Functions that return a field are O(1). Times are of one core with 128,000 tokens; docs/embedding.md has more.
 *
 * libgcdc needs libgcdc_runtime, PCRE2, cJSON, utf8proc and zstd. C99 and C++. */
#ifndef GCDC_COMPILE_H
#define GCDC_COMPILE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Diagnostics ----------------------------------------------------------------------------------------------- */

/** How grave a message is. */
typedef enum gcdc_severity { GCDC_ERROR = 0, GCDC_WARNING = 1, GCDC_NOTE = 2 } gcdc_severity;

/** One message. Texts are UTF-8 (bytes of the grammar that are not are shown as \xHH), NUL-terminated, never NULL. */
typedef struct gcdc_diagnostic {
	gcdc_severity severity; /* a note explains the error or warning before it, at a second place */
	const char *code;       /* for programs: a warning's name ("unused-rule"); of errors "grammar", "vocabulary",
	                         * "options", "file", "texts", "artifact", "max-seconds", "max-memory", "limit",
	                         * "cancelled", "memory", "internal". More may come */
	const char *path;       /* of the text that it is about, as given; "" when it is about none */
	uint32_t line, column;  /* from 1, columns in code points; 0: no place */
	uint64_t offset, len;   /* the same place in bytes of that text */
	const char *message;    /* found, expected; one line */
	const char *hint;       /* what to do, lines; or "" */
	const char *rendered;   /* all of it as the program prints it: place, message, the line with a caret, hint */
} gcdc_diagnostic;

/** The messages of one call, in order: warnings also where it succeeded. */
typedef struct gcdc_diagnostics gcdc_diagnostics;
/** The number of messages; NULL has none. */
GCDC_API size_t gcdc_diagnostics_count(const gcdc_diagnostics *diagnostics);
/** Fills in *diagnostic with message i, in the order in which they arose; its texts are valid until
 * gcdc_diagnostics_free. False past the last. */
GCDC_API bool gcdc_diagnostics_get(const gcdc_diagnostics *diagnostics, size_t i, gcdc_diagnostic *diagnostic);
/** All messages as the program prints them, one after another; "" when there are none. Never NULL; valid until
 * gcdc_diagnostics_free. */
GCDC_API const char *gcdc_diagnostics_text(const gcdc_diagnostics *diagnostics);
/** Frees the messages and their texts. NULL is fine. */
GCDC_API void gcdc_diagnostics_free(gcdc_diagnostics *diagnostics);

/* ---- Limits, cancelling, progress ------------------------------------------------------------------------------ */

/** Cancels calls of other threads: they return GCDC_ERR_CANCELLED within some milliseconds. One gcdc_cancel may serve
 * many calls; once used it stays cancelled. */
typedef struct gcdc_cancel gcdc_cancel;
/** Makes a gcdc_cancel that is not cancelled yet, freed with gcdc_cancel_free; NULL when there is no memory. */
GCDC_API gcdc_cancel *gcdc_cancel_new(void);
/** Cancels all calls that were given this object. From any thread, also from a signal handler. */
GCDC_API void gcdc_cancel_now(gcdc_cancel *cancel);
/** Frees a gcdc_cancel, after the calls that were given it have returned. NULL is fine. */
GCDC_API void gcdc_cancel_free(gcdc_cancel *cancel);

/** Where a call is. */
typedef struct gcdc_progress {
	const char *stage; /* "grammar", "parser", "terminals", "lexer", "tables", "pack", "texts", "write", "prove";
	                    * static */
	double seconds;    /* since the call began */
} gcdc_progress;

/* ---- Vocabularies ---------------------------------------------------------------------------------------------- */

/** A tokenizer's tokens, ready for compilations. */
typedef struct gcdc_vocab gcdc_vocab;

/** How to open a tokenizer. All zero: the defaults. The pointers are not kept after the call. */
typedef struct gcdc_vocab_options {
	const uint32_t *eos; /* n_eos ids that end a text; none: those that the tokenizer's files name */
	size_t n_eos;
	const char *const *eos_names; /* the same by name, as tokenizer.json spells them: "<|eot_id|>" */
	size_t n_eos_names;
	bool no_eos;         /* no token ends a text, whatever the files say. Else a vocabulary without any is an error */
	uint32_t vocab_size; /* width of the model's logits where it is more than the largest id + 1; 0: that */
	bool canonical;      /* make the tables of canonical tokenization (docs/canonical.md): some seconds, once */
	bool provenance;     /* note what it was made from (SHA-256 of the files), for artifacts with provenance */
	const char *config;  /* gcdc_vocab_open_memory: the text of tokenizer_config.json, config_len bytes; or NULL */
	size_t config_len;
	gcdc_cancel *cancel; /* or NULL */
	double max_seconds;  /* then GCDC_ERR_LIMIT, as in gcdc_compile_options */
	uint64_t max_memory;
} gcdc_vocab_options;

/** Opens a tokenizer: a tokenizer.json (with the files beside it that name its EOS), a folder that holds one, or a
 * compiled vocabulary (.gcdv, made by gcdc vocab). path NULL: the small tokenizer that is built in, for tests. options
 * and diagnostics may be NULL. *diagnostics gets the messages, also on success; the caller frees them. On failure
 * *vocab is NULL: GCDC_ERR_IO: a file cannot be read; GCDC_ERR_VOCAB: it is no tokenizer that gcdc knows, or names no
 * EOS; GCDC_ERR_CANONICAL: options->canonical, and a .gcdv without such tables; GCDC_ERR_LIMIT, GCDC_ERR_CANCELLED.
 * Cost: 150 ms and 50 MB from tokenizer.json, 5 ms and 2 MB from a .gcdv, which is mapped and must not be overwritten
 * in place. With glibc up to 32 MB that are freed at the heap's end stay with the process afterwards, as once any
 * block of 16 MB has been freed: compilations take a twelfth less time so. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_vocab_open(const char *path, const gcdc_vocab_options *options,
                                                     gcdc_vocab **vocab, gcdc_diagnostics **diagnostics);
/** Opens a tokenizer in memory, as gcdc_vocab_open does: len bytes of a tokenizer.json or .gcdv, which are not used
 * afterwards. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_vocab_open_memory(const void *bytes, size_t len,
                                                            const gcdc_vocab_options *options, gcdc_vocab **vocab,
                                                            gcdc_diagnostics **diagnostics);

/** What a token of a live tokenizer is. */
typedef enum gcdc_token_kind {
	GCDC_TOKEN_TEXT = 0,    /* its bytes may be generated; one of 0 bytes is never allowed */
	GCDC_TOKEN_CONTROL = 1, /* has no text; allowed as an EOS, or where the grammar names it */
	GCDC_TOKEN_UNUSED = 2   /* an id without a token */
} gcdc_token_kind;
/** A token of a live tokenizer. The bytes are the caller's. */
typedef struct gcdc_token {
	const void *bytes; /* what the token adds to the text, len bytes; read only for GCDC_TOKEN_TEXT */
	size_t len;
	gcdc_token_kind kind;
} gcdc_token;

/** Makes a vocabulary of a live tokenizer: token i of the n has id i. tokens are not used afterwards; the rest is as in
 * gcdc_vocab_open. Its hash is that of a tokenizer.json with the same bytes, kinds and EOS. GCDC_ERR_CANONICAL with
 * options->canonical, GCDC_ERR_ARGUMENT with options->provenance: both need the tokenizer's files. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_vocab_from_tokens(const gcdc_token *tokens, size_t n,
                                                            const gcdc_vocab_options *options, gcdc_vocab **vocab,
                                                            gcdc_diagnostics **diagnostics);
/** Frees the vocabulary, after all calls that use it. Artifacts compiled with it do not need it. NULL is fine. */
GCDC_API void gcdc_vocab_close(gcdc_vocab *vocab);

/** V, the number of ids. */
GCDC_API uint32_t gcdc_vocab_size(const gcdc_vocab *vocab);
/** The ids that end a text, ascending; *n of them. Valid until gcdc_vocab_close. */
GCDC_API const uint32_t *gcdc_vocab_eos(const gcdc_vocab *vocab, uint32_t *n);
/** The bytes of a token, *len of them, as gcdc_artifact_token gives them. Valid until gcdc_vocab_close. */
GCDC_API const uint8_t *gcdc_vocab_token(const gcdc_vocab *vocab, uint32_t token, uint32_t *len);
/** Finds the id of a control or added token by its name, as the tokenizer spells it ("<|eot_id|>"): *token; of several
 * the least. It is what gcdc_matcher_set_stop_tokens takes. GCDC_ERR_VOCAB, and *token unchanged: there is no such
 * token, or names are not known (a live tokenizer has none, nor has a .gcdv made before they were kept). Cost: O(added
 * tokens). */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_vocab_find(const gcdc_vocab *vocab, const char *name, uint32_t *token);
/** Calls gcdc_matcher_set_stop_tokens with the ids of n names, as gcdc_vocab_find finds them. GCDC_ERR_VOCAB, and
 * nothing changed: the matcher's artifact is for another vocabulary, or a name is not there. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_set_stop_names(gcdc_matcher *matcher, const gcdc_vocab *vocab,
                                                                 const char *const *names, size_t n);
/** Fills in the hash of the vocabulary: gcdc_info.vocab_hash of artifacts that are compiled with it. */
GCDC_API void gcdc_vocab_hash(const gcdc_vocab *vocab, uint64_t hash[2]);
/** A name of the vocabulary for messages, from its path ("llama3"); "" when it has no path. Valid until
 * gcdc_vocab_close. */
GCDC_API const char *gcdc_vocab_name(const gcdc_vocab *vocab);
/** Writes a compiled vocabulary (.gcdv), atomically. It is opened faster than tokenizer.json, and is what artifacts
 * without their tokens inside need (gcdc_open_options.vocab_path). diagnostics as in gcdc_vocab_open. GCDC_ERR_IO: the
 * file cannot be written. Cost: 0.3 s, since rows that most artifacts share are found by compiling four schemas. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_vocab_write(const gcdc_vocab *vocab, const char *path,
                                                      gcdc_diagnostics **diagnostics);

/* ---- Compiling ------------------------------------------------------------------------------------------------- */

/** The notation of a text. Values are pinned; a kind that this build has no front end for is GCDC_ERR_UNSUPPORTED. */
typedef enum gcdc_kind {
	GCDC_KIND_AUTO = 0, /* by the ending of path: .lark, .schema.json, .gbnf, ... */
	GCDC_KIND_LARK = 1,
	GCDC_KIND_REGEX = 2,
	GCDC_KIND_JSON_SCHEMA = 3,
	GCDC_KIND_GBNF = 4,          /* llama.cpp's */
	GCDC_KIND_EBNF = 5,          /* XGrammar's */
	GCDC_KIND_CHOICE = 6,        /* a JSON array of strings: a text is one of them */
	GCDC_KIND_TOOLS = 7,         /* a list of tools (name, parameters): a text calls one of them */
	GCDC_KIND_STRUCTURAL_TAG = 8 /* XGrammar's, as vLLM and SGLang send them */
} gcdc_kind;

/** The name of a kind, "lark", "regex", ...; static, NULL for a kind that this build has no front end for. */
GCDC_API const char *gcdc_kind_name(gcdc_kind kind);
/** The kind of a name; GCDC_KIND_AUTO when no kind has it. */
GCDC_API gcdc_kind gcdc_kind_named(const char *name);
/** Kind i of those that this build reads, 0, 1, ...; GCDC_KIND_AUTO past the last. */
GCDC_API gcdc_kind gcdc_kind_at(size_t i);

/** The kind by the ending of a path; GCDC_KIND_AUTO when no kind has it. */
GCDC_API gcdc_kind gcdc_kind_of_path(const char *path);
/** The name of setting i of a kind; static, NULL past the last. */
GCDC_API const char *gcdc_kind_setting(gcdc_kind kind, size_t i);

/** An option of one kind of grammar, by the name that the program's option has: Lark's are "start", "indent" and
 * "import-path" (gcdc compile --help). An unknown name is an error. */
typedef struct gcdc_setting {
	const char *name, *value;
} gcdc_setting;

/** A grammar. The pointers are not kept after the call. */
typedef struct gcdc_input {
	gcdc_kind kind;
	const char *path; /* its name in messages, and the file from which its references to other files start. NULL: it
	                   * has no name, and may refer to no file */
	const char *text; /* len bytes of UTF-8; NULL: the contents of the file at path */
	size_t len;
	const gcdc_setting *settings;
	size_t n_settings;
} gcdc_input;

/** Which tables for token budgets to make (docs/budget.md). */
typedef enum gcdc_costs {
	GCDC_COSTS_BEST = 0,         /* exact, or aligned where exact ones would be too large, or strings have a bound */
	GCDC_COSTS_ONLY_ALIGNED = 1, /* smaller, an upper bound */
	GCDC_COSTS_OFF = 2,          /* no budgets */
	GCDC_COSTS_ALL_EXACT = 3     /* as GCDC_COSTS_BEST, but exact in strings with a bound, too: larger */
} gcdc_costs;

/** A text of the language: see gcdc_compile_options.texts. The pointers are not kept after the call. */
typedef struct gcdc_text {
	const char *path; /* its name in messages, or NULL */
	const char *text; /* len bytes */
	size_t len;
} gcdc_text;

/** How to compile. All zero: the defaults. */
typedef struct gcdc_compile_options {
	double max_seconds;  /* the call then returns GCDC_ERR_LIMIT; 0: GCDC_DEFAULT_SECONDS */
	uint64_t max_memory; /* bytes of the compiler's own structures at one time, then GCDC_ERR_LIMIT; 0:
	                      * GCDC_DEFAULT_MEMORY */
	uint32_t threads;    /* threads that may work at the same time; 0: one. The bytes are the same for any number */
	gcdc_cancel *cancel; /* or NULL */
	/** Called as each stage begins and some twenty times a second, by one thread at a time, which may be any that
	 * works on this call; false cancels. Or NULL. */
	bool (*progress)(const gcdc_progress *progress, void *user);
	void *user;

	gcdc_costs costs;                /* tables for token budgets */
	gcdc_canonical_mode canonical;   /* the vocabulary must have its tables (gcdc_vocab_options.canonical) */
	bool deterministic;              /* a grammar under which a text may have several parses is an error */
	const char *warnings_are_errors; /* "all", or the names of some ("unused-rule,no-indent"); or NULL */

	bool no_vocab;   /* leave the tokens' bytes out: opening needs the .gcdv (gcdc_open_options.vocab_path) */
	bool raw;        /* no compression: opened without copying */
	int level;       /* of zstd, 1 to 19; 0: the default */
	bool no_proof;   /* leave out the walk that proves that masks and matcher agree: a few milliseconds */
	bool provenance; /* put in the SHA-256 of all files that the artifact is made from (gcdc verify), as SPDX */
	const char *provenance_options; /* options for it as lines, "--start file\n"; or NULL */
	bool conflicts;                 /* keep the conflicts for gcdc_compiled_conflict */

	/** Texts of the language, such as its tests. What masks under a budget need where these texts lead is worked out
	 * once, by the compiler, and kept in the artifact: first visits of such places then take less (docs/budget.md).
	 * Masks are the same with and without. One that the grammar does not take is an error with its place. */
	const gcdc_text *texts;
	size_t n_texts;
	uint64_t texts_limit; /* bytes by which this may make the artifact larger; 0: half of what it has without */

	/** The stages whose results are to be told, for watching the compiler work (docs/debugging.md):
	 * "lexer,tables:starts=20"; "all" is every stage; NULL: none. An unknown name is GCDC_ERR_ARGUMENT, and the
	 * diagnostics list those that there are. trace_line gets each line of text (no line feed; valid during the call),
	 * from the thread that compiles. The wording may change with any version. CPU seconds in them are the whole
	 * process's. Cost: none without; with it, making the lines. */
	const char *trace;
	void (*trace_line)(const char *stage, const char *line, void *user);
} gcdc_compile_options;
#define GCDC_DEFAULT_SECONDS 600.0
#define GCDC_DEFAULT_MEMORY ((uint64_t)4 << 30)

/** A compiled grammar: the artifact's bytes, sources, figures and conflicts. */
typedef struct gcdc_compiled gcdc_compiled;

/** Compiles a grammar into an artifact. options and diagnostics may be NULL. *diagnostics gets the messages, also on
 * success, where they are warnings; the caller frees them. It is NULL only when there is no memory for them. On failure
 * *compiled is NULL.
 * GCDC_ERR_GRAMMAR: the text is refused. GCDC_ERR_LIMIT: one of the options', or one of the compiler's own, which
 * the message names. GCDC_ERR_CANCELLED. GCDC_ERR_IO: a file cannot be read. GCDC_ERR_UNSUPPORTED: no front end for
 * this kind. GCDC_ERR_CANONICAL: the vocabulary has no such tables. GCDC_ERR_ARGUMENT: a setting that the kind does
 * not have, a broken promise.
 * Cost: a regular expression 10 ms, JSON 50 ms, a programming language seconds. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_compile(const gcdc_vocab *vocab, const gcdc_input *input,
                                                  const gcdc_compile_options *options, gcdc_compiled **compiled,
                                                  gcdc_diagnostics **diagnostics);
/** Frees a compiled grammar, with the bytes and texts that it has given out. NULL is fine. */
GCDC_API void gcdc_compiled_free(gcdc_compiled *compiled);

/** The artifact, *len bytes, 16-aligned. Valid until gcdc_compiled_free. gcdc_artifact_open_memory does not copy them:
 * keep them until its artifact is freed. */
GCDC_API const void *gcdc_compiled_bytes(const gcdc_compiled *compiled, size_t *len);
/** Writes the artifact to a file, atomically: whoever looks sees the old file or the whole new one. diagnostics as in
 * gcdc_compile. GCDC_ERR_IO: the file cannot be written. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_compiled_write(const gcdc_compiled *compiled, const char *path,
                                                         gcdc_diagnostics **diagnostics);

/** A file that the compiler read. Texts are valid until gcdc_compiled_free. */
typedef struct gcdc_source {
	const char *path;
	const char *text;
	size_t len;
} gcdc_source;
/** Fills in *source with file i, in the order of reading; the grammar itself is number 0. False past the last. */
GCDC_API bool gcdc_compiled_source(const gcdc_compiled *compiled, size_t i, gcdc_source *source);

/** A figure: how long a stage took, how large a table is. A time and a count may have one name. */
typedef struct gcdc_figure {
	const char *name; /* "tables", "lex_states"; static */
	bool is_seconds;
	double seconds;
	uint64_t count;
	bool is_detail; /* gcdc compile --stats leaves it out */
} gcdc_figure;
/** Fills in *figure with figure i; false past the last. The list is always the same. */
GCDC_API bool gcdc_compiled_figure(const gcdc_compiled *compiled, size_t i, gcdc_figure *figure);

/** One of the ways to go on at a conflict, where a text can have several parses. Texts are valid until
 * gcdc_compiled_free. */
typedef struct gcdc_conflict_way {
	bool goes_on;     /* true: with the terminal; false: a rule is finished */
	bool kept;        /* false: proved to be never needed */
	const char *rule; /* the rule as a text, its place marked */
	const char *path; /* of the rule; "" when there is no place */
	uint32_t line, column;
} gcdc_conflict_way;
/** A conflict: the terminal before which there are several ways, and a shortest text that leads there. */
typedef struct gcdc_conflict {
	const char *terminal, *example;
	uint32_t n_states, n_kept; /* parser states that have the conflict; those of them in which it is kept */
	uint32_t n_ways;
	const gcdc_conflict_way *ways;
} gcdc_conflict;
/** Fills in *conflict with conflict i; false past the last, and where options.conflicts was not set. */
GCDC_API bool gcdc_compiled_conflict(const gcdc_compiled *compiled, size_t i, gcdc_conflict *conflict);

#ifdef __cplusplus
}
#endif

#endif
