/* gcdc runtime: opens a compiled artifact and answers, after every token, which tokens may come next.
 *
 *     gcdc_artifact *artifact;
 *     gcdc_refusal why;
 *     if (gcdc_artifact_open("json-llama3.gcdc", NULL, &artifact, &why)) { puts(why.what); return 1; }
 *     gcdc_matcher *m;
 *     if (gcdc_matcher_new(artifact, NULL, &m)) return 1;
 *     for (;;) {
 *             gcdc_matcher_fill(m, mask, mask_words, NULL);     // 1 bits: tokens that may come next
 *             uint32_t token = sample(logits, mask);
 *             if (gcdc_matcher_accept(m, token)) break;
 *             if (gcdc_matcher_is_terminated(m)) break;         // the token was EOS
 *     }
 *     gcdc_matcher_free(m);
 *     gcdc_artifact_close(artifact);
 *
 * Words. A *token* is an entry of the model's vocabulary: an id below V and its bytes. A *mask* is ceil(V / 32)
 * words of uint32_t; token t is bit t % 32 of word t / 32, 1 = allowed; bits past V are 0. The mask is exact: a bit
 * is set exactly when the text so far, followed by that token, can still be completed, with tokens of this
 * vocabulary, to a text of the grammar. Accepting and masking are one decision: a token is accepted exactly when its
 * bit is set.
 *
 * A *reading* of the text is a state of the lexer and a stack of the parser; a text has several where it is not
 * decided yet how it is to be read. A *frame* is one parser state on a stack. A *set* is one of the artifact's token
 * sets: a mask is a union of some. A *step* is one call that accepts; rolling back takes steps back. *EOS* ids are the
 * tokens that end a text. A *family* is a matcher with all its forks. Numbers of states, sets and terminals are those
 * that gcdc inspect shows.
 *
 * These rules hold for every function that does not say otherwise:
 *
 * Threads. An artifact never changes after it is opened: any number of threads may use it at once. A family belongs
 * to one thread at a time (its matchers share memory); the caller sees to that. Clones are independent. A session
 * (gcdc_session_new) gives out matchers that many threads share.
 *
 * Errors. Functions return a gcdc_status; nothing aborts, prints, or throws. NULL for a pointer that may not be NULL
 * is GCDC_ERR_ARGUMENT, where a status is returned. Every function that allocates can return GCDC_ERR_MEMORY.
 * Accepting and masks can return GCDC_ERR_LIMIT and GCDC_ERR_STACKS (gcdc_matcher_options). Budgets and hard canonical
 * masks have errors of their own; the comments at the head of their parts name them. Opening proves every index in the
 * file to be in range, so that a matcher on an opened artifact reads no memory out of bounds, whatever the file held.
 *
 * Memory. Opening, gcdc_matcher_new, _fork and _clone allocate; accepting and masks allocate only when the text
 * nests deeper, or has more parses at once, than ever before, and for what budgets and canonical masks keep. Arrays
 * that are passed in, masks among them, belong to the caller and are not kept. Pointers that are returned belong to
 * the artifact or matcher.
 *
 * Cost. O(1), some nanoseconds. Times are of one core with 128,256 tokens; docs/measurements.md has more.
 *
 * Sources. docs/language.md defines the mask, docs/algorithm.md says how it is found.
 *
 * Depends on libc and zstd's decoder. C99 and C++. */
#ifndef GCDC_RUNTIME_H
#define GCDC_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef GCDC_API
#if defined(__GNUC__)
#define GCDC_API __attribute__((visibility("default")))
#else
#define GCDC_API
#endif
#endif
#if defined(__GNUC__)
#define GCDC_MUST_CHECK __attribute__((warn_unused_result))
#else
#define GCDC_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Stands where an id or a number is expected and there is none. */
#define GCDC_NONE UINT32_MAX

/** 0: done. Above 0: the answer is no, nothing is wrong. Below 0: an error; the matcher is as it was before the call.
 * Values are pinned; new ones may be added. */
typedef enum gcdc_status {
	GCDC_OK = 0,
	GCDC_REJECTED = 1,          /* the mask forbids it; the matcher is unchanged */
	GCDC_TERMINATED = 2,        /* EOS was accepted before: only rollback and reset go on */
	GCDC_ERR_ARGUMENT = -1,     /* a broken promise of the caller (NULL, a mask too short, ...) */
	GCDC_ERR_MEMORY = -2,       /* no memory */
	GCDC_ERR_IO = -3,           /* a file could not be opened or read */
	GCDC_ERR_FORMAT = -4,       /* not an artifact, or a damaged one */
	GCDC_ERR_VERSION = -5,      /* an artifact of a version that this runtime does not read */
	GCDC_ERR_LIMIT = -6,        /* a limit was met: the size of decoded sections, the depth of a stack */
	GCDC_ERR_VOCAB = -7,        /* the vocabulary is missing, or is not the one the artifact was compiled for */
	GCDC_ERR_ROLLBACK = -8,     /* more steps than were taken, or than are kept */
	GCDC_ERR_INTERNAL = -9,     /* the artifact's tables contradict each other: a bug in gcdc, or a forged file */
	GCDC_ERR_STACKS = -10,      /* the text has too many parses at once (gcdc_matcher_options.max_stacks) */
	GCDC_ERR_DEVICE = -11,      /* <gcdc/cuda.h>: CUDA refused; gcdc_cuda_error says why */
	GCDC_ERR_UNSUPPORTED = -12, /* this library, the matcher on the device, or the artifact has no part for it */
	GCDC_ERR_COSTS = -13,  /* the artifact has no tables of costs: compiled with --budget off, or none could be made */
	GCDC_ERR_BUDGET = -14, /* fewer tokens than the text still needs */
	/* Hard canonical mode: no canonical sequence of tokens goes on to a text of the grammar. */
	GCDC_ERR_CANONICAL = -15,
	/* Hard canonical mode: the search passed its limits before it knew whether such a sequence exists. */
	GCDC_ERR_SEARCH = -16,
	GCDC_ERR_NO_CANONICAL = -17, /* the artifact has no canonical tables: it was compiled without --canonical */
	GCDC_ERR_GRAMMAR = -18,      /* <gcdc/compile.h>: the grammar is refused; the diagnostics say why */
	GCDC_ERR_CANCELLED = -19     /* <gcdc/compile.h>: the caller cancelled the call */
} gcdc_status;

/** English text of a status; static, never NULL. */
GCDC_API const char *gcdc_status_text(gcdc_status status);

/** Where memory comes from. resize(context, block, size): like realloc; block NULL: new; size 0: free it and return
 * NULL. Must give blocks aligned like malloc's; may fail by returning NULL (block is then untouched). Called from
 * whatever thread calls the runtime. */
typedef struct gcdc_memory {
	void *(*resize)(void *context, void *block, size_t size);
	void *context;
} gcdc_memory;

/* ---- Artifacts ------------------------------------------------------------------------------------------------- */

/** An open artifact. Any thread may use it. */
typedef struct gcdc_artifact gcdc_artifact;

/** How to open an artifact. All zero: the defaults. */
typedef struct gcdc_open_options {
	/** A compiled vocabulary (.gcdv), for an artifact that was compiled without one inside. Not opened when the
	 * artifact holds its vocabulary. */
	const char *vocab_path;
	/** Skips the checks of checksums and indices. The caller knows this very file to be good, as it opened it in full
	 * after the last change. A damaged file opened so is undefined behaviour. No row of tokens is looked at either, so
	 * all are copied whole, also those that have nearly all tokens: masks of free text take about .02 us more. */
	bool trusted;
	/** Where the artifact and its matchers get memory; NULL: malloc. The struct is copied. */
	const gcdc_memory *memory;
	/** How many threads open it together, the caller's among them, 4 at most; 0: the caller's alone. The others are
	 * gone when the call returns, take no signals, and ask for no memory. Two open a whole language in half the time.
	 * They may take longer than one where all processors are busy. */
	uint32_t threads;
} gcdc_open_options;

/** Why a file was refused. */
typedef struct gcdc_refusal {
	uint32_t section; /* id of the section (formats/artifact.h), 0: header or table, GCDC_NONE: the file as such */
	uint64_t offset;  /* bytes from the start of the file (uncompressed section: of its decoded bytes) */
	char what[224];   /* found, expected: one line for people, NUL-terminated */
} gcdc_refusal;

/** Opens an artifact file and checks all of it. options may be NULL; refusal may be NULL. On failure *artifact is NULL
 * and *refusal says why: GCDC_ERR_IO, GCDC_ERR_FORMAT, GCDC_ERR_VERSION; GCDC_ERR_VOCAB: options->vocab_path is missing
 * or names another vocabulary; GCDC_ERR_LIMIT: decoded sections would be too large; GCDC_ERR_UNSUPPORTED: the artifact
 * needs a part that this library was built without (libgcdc_runtime_core).
 * The file is mapped, not read: it must not be truncated or overwritten in place while open. Replacing it by renaming
 * is fine; gcdc writes that way.
 * Cost: with checks, one pass over the decoded bytes plus decompression (JSON 1.6 ms, uncompressed 0.28 ms); trusted
 * and uncompressed, a map call. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_artifact_open(const char *path, const gcdc_open_options *options,
                                                        gcdc_artifact **artifact, gcdc_refusal *refusal);
/** Opens an artifact in memory, as gcdc_artifact_open does a file: len bytes, which the caller keeps unchanged until
 * the artifact is freed. Bytes that are not 16-aligned are copied. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_artifact_open_memory(const void *bytes, size_t len,
                                                               const gcdc_open_options *options,
                                                               gcdc_artifact **artifact, gcdc_refusal *refusal);
/** Adds one holder and returns the same artifact. Each holder calls gcdc_artifact_close once. NULL is fine. Any
 * thread; an atomic count. */
GCDC_API gcdc_artifact *gcdc_artifact_retain(const gcdc_artifact *artifact);
/** Closes an artifact for one holder: the one who opened it, or called gcdc_artifact_retain. Matchers hold their
 * artifact, too; the last one to let go frees it, in any order. NULL is fine. */
GCDC_API void gcdc_artifact_close(gcdc_artifact *artifact);

/** The sizes of an artifact's tables, and which grammar and vocabulary they are of. */
typedef struct gcdc_info {
	uint32_t n_tokens;   /* V */
	uint32_t mask_words; /* ceil(V / 32) */
	uint32_t n_eos;
	uint32_t n_terminals, n_nonterminals, n_productions;
	uint32_t n_lex_states, n_contexts, n_lr_states;
	uint32_t n_rows;          /* dense mask rows */
	uint32_t n_sets;          /* token sets: a row, a list, or both */
	uint32_t max_token_len;   /* bytes */
	uint32_t worst_frames;    /* stack frames that one mask reads per reading at most; GCDC_NONE: all */
	uint32_t worst_sets;      /* sets that one mask unites per reading at most; GCDC_NONE: no bound */
	uint32_t max_readings;    /* readings that one text has at once at most, each stack counted by itself */
	uint32_t version;         /* of the format */
	uint64_t grammar_hash[2]; /* XXH3-128 */
	uint64_t vocab_hash[2];
	uint64_t file_size;    /* bytes */
	uint64_t decoded_size; /* bytes that decompression took in memory */
	bool has_choices;      /* a text can have several parses, that is several stacks */
} gcdc_info;

/** Fills in *info, the caller's, with the sizes of the artifact's tables and its hashes. */
GCDC_API void gcdc_artifact_info(const gcdc_artifact *artifact, gcdc_info *info);
/** The ids that end a text, ascending; *n of them. Valid until close. */
GCDC_API const uint32_t *gcdc_artifact_eos(const gcdc_artifact *artifact, uint32_t *n);
/** True when the artifact was compiled from a JSON Schema or from a list of tools. */
GCDC_API bool gcdc_artifact_is_schema(const gcdc_artifact *artifact);
/** Keyword i of the JSON Schema that the masks do not enforce, as "KEYWORD POINTER", for instance "uniqueItems
 * /properties/tags/uniqueItems". There are such keywords only when the artifact was compiled with --allow-unenforced
 * or --format known. NULL past the last. Valid until close. */
GCDC_API const char *gcdc_artifact_unenforced(const gcdc_artifact *artifact, uint32_t i);
/** The bytes of a token, *len of them, not NUL-terminated. Control tokens and ids that are not used have 0 bytes. NULL
 * for an id that is not below V. Valid until close. */
GCDC_API const uint8_t *gcdc_artifact_token(const gcdc_artifact *artifact, uint32_t token, uint32_t *len);
/** Control token i of those that the grammar names (docs/language.md). Returns its name as the tokenizer spells it, ""
 * when the name is not known, NULL past the last. *token (may be NULL) becomes its id. Valid until close. Such a token
 * has no text: where bytes are accepted or returned, 5 bytes that no text has stand for it (gcdc_control_bytes), and
 * gcdc_artifact_token returns these. */
GCDC_API const char *gcdc_artifact_control(const gcdc_artifact *artifact, uint32_t i, uint32_t *token);
/** Writes the 5 bytes that stand for a control token: 0xFF, then its id, six bits a byte. Returns 5. */
GCDC_API size_t gcdc_control_bytes(uint32_t token, uint8_t bytes[5]);
/** The words of a mask row, whose number is below gcdc_info.n_rows: mask_words of them, in the mapping, 4-aligned. NULL
 * when there is no such row. Valid until close. */
GCDC_API const uint32_t *gcdc_artifact_row(const gcdc_artifact *artifact, uint32_t row);
/** The decoded bytes of a section of the file (formats/artifact.h), for inspection and for copying tables to a
 * device; NULL when the artifact has none. Valid until close. */
GCDC_API const void *gcdc_artifact_section(const gcdc_artifact *artifact, uint32_t id, size_t *size);

/* ---- Which artifact, which tokenizer ---------------------------------------------------------------------------- */

/** The costs in tokens that an artifact has: none, with a bound from above, exact (docs/budget.md). */
typedef enum gcdc_cost_model { GCDC_COSTS_NONE = 0, GCDC_COSTS_ALIGNED = 1, GCDC_COSTS_EXACT = 2 } gcdc_cost_model;
/** What canonical masks of an artifact or a matcher allow (docs/canonical.md). */
typedef enum gcdc_canonical_mode { GCDC_CANONICAL_OFF, GCDC_CANONICAL_SOFT, GCDC_CANONICAL_HARD } gcdc_canonical_mode;

/** The beginning of a file: enough to choose one of many. */
typedef struct gcdc_head {
	uint32_t version;    /* of the format */
	uint32_t n_tokens;   /* V */
	uint32_t mask_words; /* ceil(V / 32) */
	uint32_t n_eos;
	gcdc_cost_model costs;         /* what budgets need */
	gcdc_canonical_mode canonical; /* the mode of a new matcher */
	bool has_vocab;                /* false: a .gcdv is needed to open it */
	bool has_choices;
	uint64_t file_size;       /* bytes */
	uint64_t grammar_hash[2]; /* XXH3-128 */
	uint64_t vocab_hash[2];
} gcdc_head;

/** Reads the head of a file without opening it. Header and table of sections are checked; its tables are not looked
 * at. On failure *head is 0 and *refusal (may be NULL) says why: GCDC_ERR_IO, GCDC_ERR_FORMAT, GCDC_ERR_VERSION. Cost:
 * some microseconds, whatever the file's size. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_artifact_head(const char *path, gcdc_head *head, gcdc_refusal *refusal);
/** Reads the head of a whole file in memory, as gcdc_artifact_head does: len bytes, which are not used afterwards. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_artifact_head_memory(const void *bytes, size_t len, gcdc_head *head,
                                                               gcdc_refusal *refusal);

/** The tokens of a live tokenizer: token t of n is bytes[offsets[t] .. offsets[t + 1]). Control tokens and ids that are
 * not used have 0 bytes, and so have ids from n on. The arrays are the caller's. */
typedef struct gcdc_token_texts {
	const uint8_t *bytes;    /* NULL: all tokens are empty */
	const uint64_t *offsets; /* n + 1 of them */
	size_t n;
} gcdc_token_texts;

/** Compares a live tokenizer with the tokens of the artifact. *n_differ becomes the number of ids that differ,
 * differ[0 .. cap) the first of them. GCDC_OK: none differs; GCDC_ERR_VOCAB: some do; GCDC_ERR_ARGUMENT: offsets
 * descend. Cost: about a millisecond; the bytes of all tokens are compared. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_vocab_check(const gcdc_artifact *artifact, const gcdc_token_texts *tokens,
                                                      uint32_t *differ, size_t cap, size_t *n_differ);

/* ---- Matchers -------------------------------------------------------------------------------------------------- */

/** A place in one text: created at the text's beginning, moved by accepting. */
typedef struct gcdc_matcher gcdc_matcher;

/** The limits of a matcher. All zero: the defaults. */
typedef struct gcdc_matcher_options {
	/** Accepted steps that can be taken back; older ones are forgotten. 0: GCDC_DEFAULT_ROLLBACK; at most
	 * GCDC_MAX_ROLLBACK. */
	uint32_t max_rollback;
	/** Frames of the parser's stack, that is how deep the text nests, 16 bytes each. Past it accepting returns
	 * GCDC_ERR_LIMIT. 0: GCDC_DEFAULT_DEPTH. It also bounds the bytes of an array of a JSON Schema whose items are
	 * compared (uniqueItems, docs/json-schema.md). */
	uint32_t max_depth;
	/** A bound of the work for one terminal, where a text can have several parses (gcdc_info.has_choices). The stacks
	 * of all parses share frames, so they are a graph; the bound is the number of links between frames that one
	 * terminal may follow or make. A text may have a 64th of this number of readings at once (64, where that is more).
	 * Past either, accepting and masks return GCDC_ERR_STACKS, never a wrong mask. Where a mask under a budget, or
	 * gcdc_matcher_close, tries tokens one by one, all of them together may use 256 times as many links. 0:
	 * GCDC_DEFAULT_STACKS, some milliseconds of work; at most GCDC_MAX_STACKS. */
	uint32_t max_stacks;
	/** A bound of the work for one mask in hard canonical mode, in units of about a nanosecond. Work is counted, not
	 * timed: the same calls give the same masks. Past it a mask without a budget is GCDC_ERR_SEARCH. One under a budget
	 * leaves out the tokens that are not decided by then; gcdc_matcher_unpriced counts them, and the next token of the
	 * completion is never among them. So it says how long the slowest masks may take, and how many tokens they may lack
	 * (docs/canonical.md). 0: GCDC_DEFAULT_WORK; at most GCDC_MAX_WORK. */
	uint32_t max_work;
} gcdc_matcher_options;
#define GCDC_DEFAULT_ROLLBACK 256u
#define GCDC_DEFAULT_DEPTH (1u << 20)
#define GCDC_MAX_ROLLBACK (1u << 20)
#define GCDC_DEFAULT_STACKS (1u << 16)
#define GCDC_MAX_STACKS (1u << 28)
#define GCDC_DEFAULT_WORK 60000000u
#define GCDC_MAX_WORK 4000000000u

/** Makes a matcher at the beginning of a text. options may be NULL. It holds the artifact until it is freed with
 * gcdc_matcher_free. GCDC_ERR_ARGUMENT: an option is above its maximum. Cost: a few microseconds and some 15 KB. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_new(const gcdc_artifact *artifact,
                                                      const gcdc_matcher_options *options, gcdc_matcher **matcher);
/** Frees a matcher; its forks stay usable. NULL is fine. */
GCDC_API void gcdc_matcher_free(gcdc_matcher *matcher);
/** Goes back to the beginning of a text, without a budget. Nothing can be rolled back afterwards; the mode of canonical
 * masks and the stop tokens stay. */
GCDC_API void gcdc_matcher_reset(gcdc_matcher *matcher);
/** Makes a second matcher at the same place, with the same steps to roll back. It shares the stacks with the first, so
 * its cost does not depend on the text (some microseconds), and both belong to the same thread from now on. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_fork(gcdc_matcher *matcher, gcdc_matcher **fork);
/** Makes a second matcher at the same place that shares nothing: the clone may go to another thread. Cost: O(frames of
 * the stacks), which are copied. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_clone(const gcdc_matcher *matcher, gcdc_matcher **clone);
/** Puts a matcher where another one is, as a clone of it: `to` gets the place, steps, budget, mode and stop tokens of
 * `from`. Where both are of one family the stacks stay shared, and the cost is that of a fork; else stacks are copied,
 * and `to` leaves its own family. GCDC_ERR_ARGUMENT, and nothing changed, unless both were made for one artifact with
 * the same options. On GCDC_ERR_MEMORY `to` is as it was, or at its beginning. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_copy(gcdc_matcher *to, const gcdc_matcher *from);
/** The artifact that the matcher was made for; valid as long as the matcher. */
GCDC_API const gcdc_artifact *gcdc_matcher_artifact(const gcdc_matcher *matcher);

/** Makes n more tokens end the text as the file's EOS ids do: their bits are set exactly where the text may end, and
 * accepting one terminates. They replace those of the last call; n 0 takes them away. Forks, clones and copies have
 * them; rolling back does not change them. GCDC_ERR_ARGUMENT, and nothing changed: an id past V, or one that the
 * grammar uses as text; GCDC_ERR_UNSUPPORTED: the artifact has no EOS id (it was compiled with --no-eos).
 * Cost: some ten microseconds, a look at every set for each token. So set them on one matcher and fork it. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_set_stop_tokens(gcdc_matcher *matcher, const uint32_t *tokens,
                                                                  size_t n);
/** The stop tokens that were set and are not EOS ids of the file, ascending; *n of them. Valid until they are set
 * again. */
GCDC_API const uint32_t *gcdc_matcher_stop_tokens(const gcdc_matcher *matcher, uint32_t *n);

/** Accepts one token: the text goes on with it. GCDC_REJECTED, and nothing changed, when its bit in the mask is 0; an
 * id past V is rejected, too. An EOS id is accepted exactly where the text may end; the matcher is then terminated, and
 * further tokens are GCDC_TERMINATED. One step for rollback. Cost: O(bytes of the token); JSON 0.11 microseconds at
 * p50. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_accept(gcdc_matcher *matcher, uint32_t token);
/** Accepts n tokens, one after the other; *accepted becomes the number of those that were taken. GCDC_OK: all of
 * them, or all up to the one that ended the text (those behind it are ignored). Otherwise the status of the first
 * that was not taken. Each token taken is one step: rolling back *accepted steps undoes the call. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_accept_tokens(gcdc_matcher *matcher, const uint32_t *tokens, size_t n,
                                                                size_t *accepted);
/** Accepts text that did not come from tokens (a prompt's prefix, a forced text). GCDC_OK when the text so far
 * followed by it can still be completed, else GCDC_REJECTED and nothing changed. Only its end is judged: inside, it may
 * pass places where no token of the vocabulary begins. Canonical sequences begin anew behind it; where the bytes end
 * inside a character, canonical tokens go on in this character. One step for rollback; len 0 is a step, too. Cost:
 * O(len), and the search for a mask at its end. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_accept_bytes(gcdc_matcher *matcher, const void *bytes, size_t len);
/** Takes back the last n accepting calls, termination included. GCDC_ERR_ROLLBACK, and nothing changed, when there
 * are not so many. O(n). */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_rollback(gcdc_matcher *matcher, uint32_t n);
/** The number of steps that gcdc_matcher_rollback could take back now. */
GCDC_API uint32_t gcdc_matcher_steps(const gcdc_matcher *matcher);

/** What a mask is made of. */
typedef struct gcdc_fill_info {
	bool needs_apply;  /* false: every token is allowed, the mask need not be applied */
	bool may_end;      /* EOS is allowed */
	uint32_t n_sets;   /* token sets that were united */
	uint32_t n_tokens; /* tokens allowed besides those of the sets (see gcdc_mask_sets) */
	uint32_t row;      /* number of the row (gcdc_artifact_row) that is exactly this mask, or GCDC_NONE */
} gcdc_fill_info;

/** Writes the mask of the tokens that may come next into mask[0 .. n_words); words past mask_words become 0. info may
 * be NULL. Moves nothing: filling twice gives the same. GCDC_TERMINATED on a terminated matcher, with a mask of the EOS
 * ids alone (engines go on sampling finished rows of a batch). GCDC_ERR_ARGUMENT, and nothing written, when n_words is
 * less than mask_words; on any other error the mask is all 0. With GCDC_OK it never is: where a vocabulary has no EOS,
 * the text is complete and nothing may follow, the answer is GCDC_TERMINATED and all 0.
 * Cost: writing ceil(V / 8) bytes; JSON 0.39 microseconds at p50. A mask that begins at a multiple of 64 bytes is
 * written some 8 % faster. Source: docs/algorithm.md, 3. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_fill(gcdc_matcher *matcher, uint32_t *mask, size_t n_words,
                                                       gcdc_fill_info *info);

/** One token set: n tokens, or those of a row (when row is not GCDC_NONE) with the bits of n tokens flipped. */
typedef struct gcdc_set {
	uint32_t row;
	uint32_t n;
	uint32_t count;         /* tokens in it */
	bool may_end;           /* it holds the EOS ids */
	const uint32_t *bits;   /* mask_words words, or NULL */
	const uint32_t *tokens; /* n ids, ascending; n is small where there is a row */
} gcdc_set;

/** The mask without writing it: the union of some sets and some single tokens, less the tokens of `without`. */
typedef struct gcdc_mask_sets {
	const uint32_t *sets; /* ids for gcdc_artifact_set, none twice */
	uint32_t n_sets;
	uint32_t n_tokens;
	/** n_tokens ids that are allowed besides, ascending, in none of the sets: stop tokens, and those that columns of
	 * lines decide on. Mostly none. */
	const uint32_t *tokens;
	/** mask_words words that are exactly the mask, or NULL. With canonical masks, and where items of an array are
	 * compared, there is only this. */
	const uint32_t *row;
	/** A set of tokens that are not allowed, though one of the others has them: where blanks are counted, those with
	 * too many. Mostly 0, the empty set. `row` is NULL then. */
	uint32_t without;
} gcdc_mask_sets;

/** Finds the mask without writing it. *mask is the caller's; its pointers are valid until the next call with this
 * matcher. Status as gcdc_matcher_fill; GCDC_TERMINATED gives no sets. Cost: under 0.1 microseconds for most texts. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_mask_sets(gcdc_matcher *matcher, gcdc_mask_sets *mask);
/** Fills in *set with the token set of this id; its pointers are valid until close. False past the last set. */
GCDC_API bool gcdc_artifact_set(const gcdc_artifact *artifact, uint32_t id, gcdc_set *set);

/** The token's bit in the mask, found without writing the mask. False also where gcdc_matcher_fill returns an error.
 * Cost: as gcdc_matcher_mask_sets, and a look at each set. */
GCDC_API bool gcdc_matcher_allowed(gcdc_matcher *matcher, uint32_t token);
/** True when the text may end here: EOS is allowed, or was accepted. False also where gcdc_matcher_fill returns an
 * error. Cost: as gcdc_matcher_mask_sets. */
GCDC_API bool gcdc_matcher_is_completed(gcdc_matcher *matcher);
/** True when EOS was accepted. */
GCDC_API bool gcdc_matcher_is_terminated(const gcdc_matcher *matcher);

/** Finds the bytes that every continuation begins with: up to cap of them, and their number in *n. Stops where the
 * text may end, where several bytes go on, and after cap bytes. Moves nothing. GCDC_TERMINATED on a terminated matcher.
 * Cost: a microsecond a byte. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_forced_bytes(gcdc_matcher *matcher, uint8_t *bytes, size_t cap,
                                                               size_t *n);
/** Counts how many of the n tokens, from the first on, would be accepted one after another: *accepted. Moves nothing.
 * GCDC_TERMINATED on a terminated matcher. Cost: as accepting them. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_validate(gcdc_matcher *matcher, const uint32_t *tokens, size_t n,
                                                           size_t *accepted);

/** A tree of n draft tokens (speculative decoding). Node 0 is the root, whose token has been accepted already.
 * tokens[i] is the token of node i, next_token[i] its first child, next_sibling[i] its next sibling; -1: none. The
 * arrays are the caller's. */
typedef struct gcdc_draft_tree {
	const int64_t *next_token, *next_sibling, *tokens;
	size_t n;
} gcdc_draft_tree;

/** Writes the masks of a tree of draft tokens. Row i (masks + i * stride words, stride >= mask_words) becomes the mask
 * after node i; that of the root is the matcher's. The row of a node whose token its parent's mask forbids is left
 * alone, and so are those below it; reached[i] (reached may be NULL) says which rows were written. Moves nothing.
 * GCDC_ERR_ARGUMENT for links that are not a tree. Cost: a mask and a step for each node. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_fill_draft_tree(gcdc_matcher *matcher, const gcdc_draft_tree *tree,
                                                                  uint32_t *masks, size_t stride, uint8_t *reached);
/** An older form of gcdc_matcher_fill_draft_tree, with the tree's arrays as parameters: it stays for programs that
 * were written for it. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_traverse_draft_tree(gcdc_matcher *matcher, const int64_t *next_token,
                                                                      const int64_t *next_sibling,
                                                                      const int64_t *tokens, size_t n, uint32_t *masks,
                                                                      size_t stride, uint8_t *reached);

/* ---- Budgets: never cut off ------------------------------------------------------------------------------------
 * With a budget of N tokens, every way to go on that follows the masks ends in a complete text within N tokens, and
 * no mask is empty. The artifact must have tables of costs (gcdc compile --budget). Costs are exact, or a bound from
 * above that some tokens reach (gcdc_artifact_costs). Use: docs/budget.md. Source: docs/how_budgets_work.md.
 *
 * The budget counts tokens that gcdc_matcher_accept takes. Forks, clones and drafts inherit it; rolling back gives
 * tokens back; text accepted as bytes is free but must leave enough. Masks, accepting, sets, drafts and forced bytes
 * all keep it.
 *
 * Where the compiler could not make masks under budgets, they are worked out where they are first met, and kept for
 * all forks of a matcher: at most 48 MiB. So forks of a matcher that is kept begin warm, and so do matchers of a
 * session; matchers made anew do not.
 *
 * With hard canonical masks costs count canonical sequences: a token is allowed when one that fits has been found
 * behind it. Each position carries the sequence that it was entered with, whose next token is always allowed, so the
 * promise holds whatever the limits of searches. A token that a search gives up on is refused
 * (gcdc_matcher_unpriced). */

/** The model of the artifact's costs; GCDC_COSTS_NONE: it has none, and no budget can be set. */
GCDC_API gcdc_cost_model gcdc_artifact_costs(const gcdc_artifact *artifact);

/** Sets the token budget: from now on `tokens` more may be accepted, the EOS token counted among them or not. GCDC_NONE
 * takes the budget away. *least (may be NULL) becomes what gcdc_matcher_min_tokens says. GCDC_ERR_BUDGET, and nothing
 * changed, when tokens is below that; GCDC_ERR_COSTS without costs; GCDC_ERR_SEARCH and GCDC_ERR_CANONICAL as
 * gcdc_matcher_min_tokens. Not a step for rollback; steps before it keep what they had. Cost: that of
 * gcdc_matcher_min_tokens. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_set_budget(gcdc_matcher *matcher, uint32_t tokens, bool count_eos,
                                                             uint32_t *least);
/** The number of tokens of the budget that are left; GCDC_NONE: there is no budget. */
GCDC_API uint32_t gcdc_matcher_budget(const gcdc_matcher *matcher);
/** Is the EOS token one of them? As gcdc_matcher_set_budget was told; without a budget it says nothing. */
GCDC_API bool gcdc_matcher_budget_counts_eos(const gcdc_matcher *matcher);
/** Finds the fewest tokens that complete the text from here: *n; with count_eos the EOS token is one more. 0 on a
 * terminated matcher. GCDC_ERR_COSTS: the artifact has no costs. GCDC_ERR_BUDGET, and *n GCDC_NONE: the tables know of
 * no way (not in the exact model). In hard canonical mode GCDC_ERR_CANONICAL when there is none, GCDC_ERR_SEARCH when
 * none was found within the limits of the search. Cost: microseconds; in hard canonical mode milliseconds. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_min_tokens(gcdc_matcher *matcher, bool count_eos, uint32_t *n);
/** Finds the fewest tokens that complete the text after one more token, which is not counted: *n. 0 for EOS. A mask
 * without a budget must allow the token, else GCDC_REJECTED; other errors as gcdc_matcher_min_tokens. Moves nothing. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_min_after(gcdc_matcher *matcher, uint32_t token, uint32_t *n);
/** Writes tokens that complete the text, without EOS: up to cap of them; *n becomes the number of all. They are as
 * many as gcdc_matcher_min_tokens says, or fewer in the aligned model. Errors as there. Moves nothing. Cost: about that
 * many masks under a budget that takes tokens away. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_close(gcdc_matcher *matcher, uint32_t *tokens, size_t cap, size_t *n);

/** Shows reading i of the text, from 0 to n - 1: its lexer state, and its stack of parser states from the top down, up
 * to cap of them; *depth becomes the number that there are. Of stacks that share a top, the first (<gcdc/show.h> has
 * all of them). Each result may be NULL. Returns n, the number of readings. For debugging, and for setting up a matcher
 * on a device. Cost: O(depth). */
GCDC_API uint32_t gcdc_matcher_reading(const gcdc_matcher *matcher, uint32_t i, uint32_t *lex_state,
                                       uint32_t *lr_states, uint32_t cap, uint32_t *depth);

/** Shows the columns of the open blocks in reading i, for grammars with indentation: from the innermost out to 0, up to
 * cap of them. Returns how many there are, 0 without indentation. *column (may be NULL) becomes the column of the
 * blanks at the end of the text. */
GCDC_API uint32_t gcdc_matcher_columns(const gcdc_matcher *matcher, uint32_t i, uint32_t *columns, uint32_t cap,
                                       uint32_t *column);

/* ---- Canonical tokenization: artifacts compiled with --canonical -------------------------------------------------
 * A sequence of tokens is canonical when the tokenizer makes it of its text. Use: docs/canonical.md. Source:
 * docs/how_canonical_works.md (after Berglund and van der Merwe, 2023).
 *
 * In soft mode the mask is what both the grammar and canonical sequences allow, or the grammar's where they have
 * nothing in common. A token accepted there is a relaxation, and the sequence counts as beginning anew with it. In
 * hard mode only canonical sequences that can be completed are allowed; where there is none, filling returns
 * GCDC_ERR_CANONICAL. gcdc_matcher_accept_bytes begins anew behind the bytes. */

/** The mode that the artifact was compiled for, which a new matcher has. */
GCDC_API gcdc_canonical_mode gcdc_artifact_canonical(const gcdc_artifact *artifact);
/** Sets the mode of this matcher's masks from here on, and of its later forks and clones: the artifact's or a lower one
 * (off is below soft, soft below hard). So one artifact serves requests of all modes, and a search may look ahead with
 * soft masks, which cost a fraction of hard ones. GCDC_CANONICAL_OFF: the grammar's masks; relaxations are counted as
 * in soft mode. A matcher that goes on from soft to hard may stand where no canonical sequence goes on
 * (GCDC_ERR_CANONICAL). GCDC_ERR_ARGUMENT, and nothing changed: a mode beyond the artifact's, or under a budget. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_set_canonical(gcdc_matcher *matcher, gcdc_canonical_mode mode);
/** True when the tokens since the beginning, with this one, still begin a canonical sequence, whatever the grammar
 * says. For an EOS id: when a canonical sequence may end here. True for every token when the artifact has no canonical
 * tables; the matcher's mode does not matter. Cost: 0.1 microseconds. */
GCDC_API bool gcdc_matcher_is_canonical_next(const gcdc_matcher *matcher, uint32_t token);
/** Sets the tokens that stand before the text: the n tokens of a prompt, from a place on where the tokenizer surely
 * cuts (the prompt's beginning, or behind a control token). Only before the first step, else GCDC_ERR_ARGUMENT. Where
 * the tokens are not canonical, only those behind that place count. Undone by gcdc_matcher_reset. Cost: 0.1
 * microseconds a token. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_canonical_prompt(gcdc_matcher *matcher, const uint32_t *tokens,
                                                                   size_t n);
/** Finds the tokens that every canonical sequence goes on with: up to cap of them, and their number in *n. They are the
 * same whatever text follows, and are searched for in soft mode as in hard mode. Without canonical tables: the tokens
 * that are alone in their masks, one after the other. These are far fewer, since most bytes can be spelled in several
 * ways. None where the text may end. Moves nothing. GCDC_TERMINATED on a terminated matcher. Cost: a mask for each
 * token. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_matcher_forced_tokens(gcdc_matcher *matcher, uint32_t *tokens, size_t cap,
                                                                size_t *n);
/** The number of relaxations since the beginning: tokens accepted in soft mode that were not canonical. Rolling back
 * does not take them back. */
GCDC_API uint64_t gcdc_matcher_relaxations(const gcdc_matcher *matcher);
/** The number of tokens that masks of this family have refused because a search, or all work of the mask, passed its
 * limit, in hard mode under budgets. No completion that fits was found, and no proof that there is none. */
GCDC_API uint64_t gcdc_matcher_unpriced(const gcdc_matcher *matcher);

/* ---- Watching a matcher (docs/debugging.md) --------------------------------------------------------------------- */

/** The kind of an event. Values are pinned; new ones may be added: leave those that you do not know alone. */
typedef enum gcdc_trace_kind {
	GCDC_TRACE_STEP = 0,    /* a token (or bytes: token is GCDC_NONE) is read from here on: token, bytes, len */
	GCDC_TRACE_LEXEME = 1,  /* a lexeme ends before byte `at` of the step: terminal */
	GCDC_TRACE_REDUCE = 2,  /* then, under that terminal, a rule is finished: terminal, production; lr_state: the top */
	GCDC_TRACE_SHIFT = 3,   /* a terminal, or the indent or dedent of a column, is pushed: terminal, lr_state */
	GCDC_TRACE_FORK = 4,    /* the grammar keeps a conflict: several ways from lr_state, not told one by one */
	GCDC_TRACE_STOP = 5,    /* lr_state has no action on the terminal: this reading ends */
	GCDC_TRACE_READING = 6, /* a reading of the text so far: lex_state, lr_state (top of its stack), depth */
	GCDC_TRACE_SET = 7,     /* a mask unites this token set: set, n tokens */
	GCDC_TRACE_TOKENS = 8,  /* a mask has n tokens besides: those that columns decided on, or budgets' own sets */
	GCDC_TRACE_WITHOUT = 9  /* a mask leaves out the n tokens of this set: too many blanks */
} gcdc_trace_kind;

/** One event. Fields that its kind does not name are GCDC_NONE, NULL or 0. Numbers are those of gcdc inspect. */
typedef struct gcdc_trace_event {
	gcdc_trace_kind kind;
	uint32_t token;
	const uint8_t *bytes; /* len of them */
	size_t len, at;
	uint32_t terminal, production, lex_state, lr_state, depth;
	uint32_t set, n;
} gcdc_trace_event;

typedef void gcdc_trace_fn(const gcdc_trace_event *event, void *user);

/** Sets a function that is called with the events of this matcher; NULL: none any more. Accepting a token (or bytes)
 * tells STEP, then LEXEME, REDUCE, SHIFT, FORK and STOP as they happen, then a READING for each reading that is left. A
 * reading that goes on and is not among them has ended. gcdc_matcher_fill tells a READING each, then the SETs and
 * TOKENS that it unites (before canonical masks take tokens away). A refused token, an EOS and other functions tell
 * nothing. The event and what it points to are valid during the call.
 * Threads: the thread that uses the matcher makes the calls; `tell` must not call functions on this matcher or its
 * forks. Forks, clones and copies are not watched. Cost: when not set, one comparison a call and one a lexeme, too
 * little to measure; when set, about twice the time of accepting, and that of `tell`. */
GCDC_API void gcdc_matcher_set_trace(gcdc_matcher *matcher, gcdc_trace_fn *tell, void *user);

/* ---- Batches: one call, many matchers ---------------------------------------------------------------------------
 * The caller may split a batch over threads, as long as a family of forks stays on one thread. Matchers of a session
 * may be split in any way. */

/** Where the masks of a batch go: rows of `stride` words (at least mask_words), one behind the other, at `at`. Row
 * rows[i] is matchers[i]'s; rows NULL: row i. The memory is the caller's. */
typedef struct gcdc_mask_rows {
	uint32_t *at;
	size_t stride;
	const uint32_t *rows;
} gcdc_mask_rows;

/** Fills the masks of n matchers: matchers[i] fills its row, as gcdc_matcher_fill does; a NULL matcher leaves its row
 * alone. statuses (may be NULL) gets each one's status, needs_apply (may be NULL) its flag. Returns GCDC_OK, or the
 * first error below 0; the others are done all the same. Cost: as n calls of gcdc_matcher_fill. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_fill_rows(gcdc_matcher *const *matchers, size_t n,
                                                    const gcdc_mask_rows *masks, gcdc_status *statuses,
                                                    bool *needs_apply);
/** An older form of gcdc_fill_rows, with the members of gcdc_mask_rows as parameters: it stays for programs that were
 * written for it. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_fill_batch(gcdc_matcher *const *matchers, size_t n, const uint32_t *rows,
                                                     uint32_t *masks, size_t stride, gcdc_status *statuses,
                                                     bool *needs_apply);

/** Chains of draft tokens, a chain a matcher: matchers[i] has tokens[first[i] .. first[i + 1]). first has n + 1
 * entries and ascends; tokens may be NULL where all chains are empty. The arrays are the caller's. */
typedef struct gcdc_draft_chains {
	const uint32_t *tokens;
	const size_t *first;
} gcdc_draft_chains;

/** Fills masks for chains of drafts (speculative decoding). matchers[i] has one row more than drafts, its rows behind
 * those of the matchers before it: from row first[i] + i on (masks->rows is not looked at). Its first row is its mask,
 * each further one the mask behind one more draft. Behind the first draft that its mask forbids, or that ended the
 * text, the last row is repeated; accepted[i] (may be NULL) becomes the number of drafts before that. A NULL matcher
 * leaves its rows alone. Moves nothing. statuses (may be NULL) and the status returned are as in gcdc_fill_rows; so
 * is the row behind a draft with which the text is complete, where nothing may follow and the vocabulary has no EOS:
 * all 0. Cost: a mask and a step for each draft. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_fill_drafts_batch(gcdc_matcher *const *matchers, size_t n,
                                                            const gcdc_draft_chains *drafts,
                                                            const gcdc_mask_rows *masks, gcdc_status *statuses,
                                                            uint32_t *accepted);
/** Accepts a token for each of n matchers: matchers[i] takes tokens[i], as gcdc_matcher_accept does; a NULL matcher is
 * left out. statuses (may be NULL) gets each one's status. Returns the first that is not GCDC_OK; all are done. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_accept_batch(gcdc_matcher *const *matchers, const uint32_t *tokens, size_t n,
                                                       gcdc_status *statuses);
/** Calls gcdc_matcher_set_stop_tokens for each matcher: the n_tokens tokens end all their texts. A NULL matcher is left
 * out. statuses (may be NULL) gets each one's status. Returns the first that is not GCDC_OK; all are done. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_set_stop_tokens_batch(gcdc_matcher *const *matchers, size_t n,
                                                                const uint32_t *tokens, size_t n_tokens,
                                                                gcdc_status *statuses);

/* ---- Sessions: what masks work out, shared by threads -----------------------------------------------------------
 * Plain masks are in the artifact. Canonical masks, and masks under a budget where the compiler could not make them,
 * are worked out where they are first met, and kept. The artifact keeps the tables of masks under a budget, for all of
 * its matchers on all threads. A family keeps unions of sets and all results for canonical masks; the artifact takes
 * over those of four families that have ended. So many requests at a time keep as many copies. A session has a fixed
 * number of families, its *lanes*, for any number of matchers, and any thread may use any of them:
 *
 *     gcdc_session_matcher(session, &m);      // a request begins, on whatever thread
 *     gcdc_fill_rows(batch, n, ...);         // batches take the turns they need
 *     gcdc_matcher_enter(m);                  // around all other calls on m
 *     gcdc_matcher_set_budget(m, 60, true, NULL);
 *     gcdc_matcher_leave(m);
 *     gcdc_matcher_free(m);
 *
 * A lane is one thread's at a time: a call waits only while another thread is inside a call on a matcher of the same
 * lane, that is for one fill or one accept. With twice as many lanes as threads that is rare. What is kept is at most
 * one family's, times the lanes. Masks are those of forks of one matcher. */

/** A fixed number of families for any number of matchers, on any threads. */
typedef struct gcdc_session gcdc_session;
#define GCDC_DEFAULT_LANES 8u
#define GCDC_MAX_LANES (1u << 16)

/** Makes a session for matchers of these options (NULL: the defaults). lanes 0: GCDC_DEFAULT_LANES; at most
 * GCDC_MAX_LANES. It holds the artifact. Cost: a lane that never had a matcher takes 64 bytes or so. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_session_new(const gcdc_artifact *artifact,
                                                      const gcdc_matcher_options *options, uint32_t lanes,
                                                      gcdc_session **session);
/** Gives a session up: it is freed with its last matcher. NULL is fine. Any thread. */
GCDC_API void gcdc_session_free(gcdc_session *session);
/** Makes a matcher at the beginning of a text, in the lane that has the fewest. Any thread. gcdc_matcher_free gives it
 * back, on any thread, but not between enter and leave. Its forks are of its lane; clones are of no session. A matcher
 * that gcdc_matcher_copy overwrites from another lane keeps its lane's turns, but no longer what is kept there. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_session_matcher(gcdc_session *session, gcdc_matcher **matcher);
/** The lane of a matcher, below the session's number of lanes; GCDC_NONE: it is of no session. */
GCDC_API uint32_t gcdc_matcher_lane(const gcdc_matcher *matcher);
/** Takes the matcher's lane for this thread until gcdc_matcher_leave: waits until no other thread is there. May be
 * nested. Does nothing for NULL and for matchers of no session. A thread that needs two lanes at once
 * (gcdc_matcher_copy) enters the one with the lower number first. */
GCDC_API void gcdc_matcher_enter(const gcdc_matcher *matcher);
/** Gives the lane back, once for each gcdc_matcher_enter. */
GCDC_API void gcdc_matcher_leave(const gcdc_matcher *matcher);

/* ---- Masks on logits in the CPU's memory (those of a GPU: gcdc/cuda.h) ------------------------------------------- */

typedef enum gcdc_logits_type { GCDC_LOGITS_F32 = 0, GCDC_LOGITS_F16 = 1, GCDC_LOGITS_BF16 = 2 } gcdc_logits_type;

/** Rows of logits. */
typedef struct gcdc_logits {
	void *at; /* of row 0; aligned as its type */
	gcdc_logits_type type;
	size_t width;  /* logits in a row: may be more than V (what lies past the mask is never allowed), or less */
	size_t stride; /* logits from one row to the next, at least width */
} gcdc_logits;

/** Applies n masks: logits whose bit is 0 become minus infinity, the others stay. Mask i (masks + i * mask_stride
 * words, mask_words of them) is that of row rows[i]; rows NULL: of row i; a negative row is left out.
 * GCDC_ERR_ARGUMENT, and nothing changed: an unknown type, NULL, rows of logits that overlap, a mask longer than its
 * stride. Threads: different rows may be done by different threads. Cost: the masks are read, and the logits that are
 * forbidden written once; no allocation. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_apply_masks(const gcdc_logits *logits, const uint32_t *masks,
                                                      size_t mask_words, size_t mask_stride, const int64_t *rows,
                                                      size_t n);

#ifdef __cplusplus
}
#endif

#endif
