/* gcdc on a GPU: masks applied where the logits are, sampling under a mask, and the matcher itself on the device.
 *
 *     gcdc_cuda_table *table;                                       // once: the artifact's rows, on the device
 *     if (gcdc_cuda_table_new(artifact, NULL, &table)) puts(gcdc_cuda_error());
 *     for (each step) {
 *             gcdc_cuda_pack(matchers, n, rows, spill, cap, &used, NULL);  // 64 bytes a sequence, on the host
 *             copy rows (and used words of spill) to the device on `stream`;
 *             gcdc_cuda_masks masks = {.n_rows = n, .table = table, .rows = device_rows, .spill = device_spill};
 *             gcdc_cuda_apply(&masks, &logits, stream);                    // not allowed: -inf
 *     }
 *
 * Three kinds of masks (gcdc_cuda_masks): bits as gcdc_matcher_fill writes them; rows of 64 bytes that name sets of
 * a table; a batch whose matchers live on the device. Each kind works with each operation: apply, argmax, softmax,
 * sample.
 *
 * Words. `device`: memory that a kernel can read and write, 4-aligned unless said otherwise. -inf: the negative
 * infinity of the logits' type. V: the artifact's number of tokens. A sequence is one text of a batch.
 *
 * Streams. All work is put on the caller's stream and nothing waits for it. The operations allocate nothing and can
 * be captured in a CUDA graph: what they are given is read when the graph runs, so put what changes from step to
 * step into device memory. The functions that create, fill and free things (table, batch) are not for capture. The
 * kernels are on the device once a table has been made; without a table, launch once before capturing.
 *
 * Threads. A table never changes: any number of threads and streams may use it. A batch belongs to one stream at a
 * time.
 *
 * Errors. As in <gcdc/runtime.h>: codes, nothing aborts or prints. GCDC_ERR_DEVICE: CUDA refused; gcdc_cuda_error
 * says why. Mistakes in device memory (a set's number past the table) make a mask smaller, never a read out of
 * bounds.
 *
 * The library is built ahead for the architectures named in docs/cuda.md, with PTX for later ones. It needs the CUDA
 * runtime (linked in) and gcdc_runtime. libgcdc_cuda_host has the same functions made of the same source for
 * machines without a GPU, over host memory: for tests. C99 and C++. */
#ifndef GCDC_CUDA_H
#define GCDC_CUDA_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A cudaStream_t; NULL: the default stream. */
typedef struct CUstream_st *gcdc_cuda_stream;

/** True when there is a device that this library can use; false also when the driver is missing. */
GCDC_API bool gcdc_cuda_available(void);
/** CUDA's message for the last call of this thread that returned GCDC_ERR_DEVICE; "" when none did. Valid until the
 * thread's next such call. */
GCDC_API const char *gcdc_cuda_error(void);

/* ---- Logits ---------------------------------------------------------------------------------------------------- */

/** The type of logits. */
typedef enum gcdc_cuda_type { GCDC_CUDA_F32 = 0, GCDC_CUDA_F16 = 1, GCDC_CUDA_BF16 = 2 } gcdc_cuda_type;

/** Rows of logits in device memory. */
typedef struct gcdc_cuda_logits {
	void *at; /* of row 0; aligned as its type */
	gcdc_cuda_type type;
	uint32_t width;      /* logits in a row: may be more than V (what lies past V is never allowed), or less */
	int64_t stride;      /* logits from one row to the next: any, at least width */
	const int32_t *rows; /* device: the row of logits for each row of masks; a negative one leaves it out, as `on` does.
	                      * NULL: row i for mask i */
} gcdc_cuda_logits;

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/** An artifact's tables in device memory, as they are in the file. */
typedef struct gcdc_cuda_table gcdc_cuda_table;

/** How to make a table. All zero: the defaults. */
typedef struct gcdc_cuda_table_options {
	/** Leave out what only a matcher on the device needs (gcdc_cuda_batch). */
	bool only_masks;
	/** Device memory for the tables, 256-aligned, size bytes: the caller's, until gcdc_cuda_table_free. NULL:
	 * cudaMalloc. */
	void *memory;
	size_t size;
} gcdc_cuda_table_options;

/** The bytes of device memory that a table takes. options may be NULL. */
GCDC_API size_t gcdc_cuda_table_size(const gcdc_artifact *artifact, const gcdc_cuda_table_options *options);
/** Copies the tables to the current device, loads the kernels there, and waits for both. options may be NULL. The
 * artifact may be closed afterwards. GCDC_ERR_DEVICE; GCDC_ERR_ARGUMENT: the options' memory is too small or not
 * aligned. Cost: a copy of gcdc_cuda_table_size bytes. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_table_new(const gcdc_artifact *artifact,
                                                         const gcdc_cuda_table_options *options,
                                                         gcdc_cuda_table **table);
/** Frees the table, after the work that uses it is done. NULL is fine. */
GCDC_API void gcdc_cuda_table_free(gcdc_cuda_table *table);

/* ---- Rows: a mask in 64 bytes ---------------------------------------------------------------------------------- */

/** A mask as a row: the union of n_sets sets of the table and of n_tokens tokens, without n_removed tokens. Their
 * numbers stand in `at`, in this order, when there are at most GCDC_CUDA_INLINE; else at[0] is the place in `spill`
 * where they stand. Tokens ascend. n_sets GCDC_CUDA_ALL: all tokens are allowed, no sets are listed. */
#define GCDC_CUDA_INLINE 13u
#define GCDC_CUDA_ALL UINT32_MAX
typedef struct gcdc_cuda_row {
	uint32_t n_sets, n_tokens, n_removed;
	uint32_t at[GCDC_CUDA_INLINE];
} gcdc_cuda_row;

/** Writes the masks of n matchers as rows, all in host memory. A NULL matcher gives a row that allows all. Rows that
 * do not fit into 64 bytes go on in spill[0 .. cap); *used (may be NULL) of it is then in use. On an error the row
 * allows nothing; the first is returned, statuses (may be NULL) has each one's. GCDC_ERR_LIMIT: spill is too short.
 * A terminated matcher's row allows its EOS ids; its status is GCDC_TERMINATED, which is not an error and not
 * returned. So is that of a complete text that nothing may follow, where the vocabulary has no EOS: its row allows
 * nothing.
 * Cost: that of gcdc_matcher_mask_sets, under 0.1 microseconds for most texts. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_pack(gcdc_matcher *const *matchers, size_t n, gcdc_cuda_row *rows,
                                                    uint32_t *spill, size_t cap, size_t *used, gcdc_status *statuses);

/* ---- Batches: matchers on the device --------------------------------------------------------------------------- */

/** n sequences whose matchers are in device memory: an operation under a batch accepts a token for each and works
 * under the masks behind them, in one launch. The masks are those of gcdc_matcher_fill, every bit. Artifacts of all
 * kinds can be used, with choices (gcdc_info.has_choices) and indentation too, that meet four conditions: they were
 * compiled without --canonical; their lexer keeps no more than GCDC_CUDA_MAX_READINGS readings of a text
 * (gcdc_info.max_readings); their parser has fewer than 65,536 states; and no mask leaves tokens out by number: of
 * JSON Schemas those with uniqueItems, and with strings whose maxLength is counted by number (docs/json-schema.md;
 * with exact costs, GCDC_COSTS_ALL_EXACT, few are), of other grammars those with max_tokens. Others are
 * GCDC_ERR_UNSUPPORTED.
 *
 * A sequence has bounds: the depth given here; GCDC_CUDA_MAX_READINGS readings at once, half as many more within a
 * token (a stack is one reading here, so where the grammar leaves choices each parse of the text so far is one); 64
 * copies of stacks that one terminal makes; some 64 sets in a mask; 256 tokens in it that had to be tried (one
 * reading may come to 3 there, and none may need another token tried); 100 open columns; 128 frames that one token
 * pushes. A step that would pass one changes nothing and leaves GCDC_ERR_LIMIT in the sequence's status, for good:
 * the host's matcher goes on with it (gcdc_cuda_masks.keep_failed), perhaps until gcdc_cuda_batch_set takes it back. */
typedef struct gcdc_cuda_batch gcdc_cuda_batch;
#define GCDC_CUDA_MAX_READINGS 8u
#define GCDC_CUDA_DEFAULT_DEPTH 1024u

/** The size of a batch, and its memory. */
typedef struct gcdc_cuda_batch_options {
	uint32_t n;         /* sequences */
	uint32_t max_depth; /* frames of a stack, at most 65000. 0: GCDC_CUDA_DEFAULT_DEPTH */
	/** Device memory, 256-aligned, size bytes. NULL: cudaMalloc. */
	void *memory;
	size_t size;
	/** Matchers may have a token budget, which each token accepted makes smaller. The artifact must hold its masks
	 * under budgets (docs/budget.md: JSON Schemas and small languages do). */
	bool budgets;
} gcdc_cuda_batch_options;

/** The bytes of device memory that a batch takes: 21 KB a sequence with the default depth, with budgets 87. */
GCDC_API size_t gcdc_cuda_batch_size(const gcdc_cuda_batch_options *options);
/** Makes a batch of options->n sequences. Until gcdc_cuda_batch_set sets a sequence its status is GCDC_ERR_ARGUMENT.
 * The table must outlive the batch. GCDC_ERR_UNSUPPORTED: the artifact is not one of those named above, or budgets are
 * asked for and it does not hold its masks under them;
 * GCDC_ERR_ARGUMENT: the table was made with only_masks, or the options are out of range; GCDC_ERR_DEVICE. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_batch_new(const gcdc_cuda_table *table,
                                                         const gcdc_cuda_batch_options *options,
                                                         gcdc_cuda_batch **batch);
/** Frees the batch, after the work that uses it is done. NULL is fine. */
GCDC_API void gcdc_cuda_batch_free(gcdc_cuda_batch *batch);
/** Puts sequence i where the host's matcher is: at the beginning of a text when the matcher is new. The matcher must
 * be one of the table's artifact. Done in the stream's order. The sequence's status becomes GCDC_OK or
 * GCDC_TERMINATED, GCDC_ERR_LIMIT when the matcher is past a bound, GCDC_ERR_UNSUPPORTED when it has a budget
 * and the batch was made without `budgets`, or when it has stop tokens (gcdc_matcher_set_stop_tokens).
 * GCDC_ERR_ARGUMENT, and nothing changed, on a stream that is being captured. Cost: some copies of under 2 KB. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_batch_set(gcdc_cuda_batch *batch, uint32_t i, gcdc_matcher *matcher,
                                                         gcdc_cuda_stream stream);
/** The n statuses of the latest step, as gcdc_status, in device memory; valid as long as the batch: GCDC_OK;
 * GCDC_REJECTED: the token is not allowed, nothing changed; GCDC_TERMINATED: EOS was accepted before, or the
 * vocabulary has no EOS, the text is complete with the token, and nothing may follow (the row allows nothing); below
 * 0: the sequence has left the device. */
GCDC_API const int32_t *gcdc_cuda_batch_statuses(const gcdc_cuda_batch *batch);

/* ---- Masks: what an operation works under ---------------------------------------------------------------------- */

/** Exactly one of bits, rows and batch is given. */
typedef struct gcdc_cuda_masks {
	uint32_t n_rows;
	/** device, n_rows bytes: 0 leaves the row out, its logits and results stay as they are. NULL: all are on. */
	const uint8_t *on;

	/** device: bits as gcdc_matcher_fill writes them, words_stride words from row to row. */
	const uint32_t *bits;
	uint32_t words; /* in a row */
	int64_t words_stride;

	const gcdc_cuda_table *table;
	const gcdc_cuda_row *rows; /* device, 16-aligned: n_rows of them */
	const uint32_t *spill;     /* device, or NULL */
	size_t spill_words;        /* numbers that may be read there */

	/** Mask i is that of sequence i; n_rows is at most the batch's n. Rows that are left out do not step. A terminated
	 * sequence allows its EOS ids. */
	gcdc_cuda_batch *batch;
	const int32_t *tokens; /* device: accepted first, one a sequence; a negative one: none. NULL: none for all */
	/** Sequences whose status is below 0 allow nothing, so that a caller who does not look never samples past the
	 * grammar. true: gcdc_cuda_apply leaves their logits as they are, for a mask from the host. */
	bool keep_failed;
} gcdc_cuda_masks;

/* ---- Operations ------------------------------------------------------------------------------------------------ */

/* Errors of each operation: GCDC_ERR_ARGUMENT: masks, logits or results break a promise made above; GCDC_ERR_LIMIT:
 * rows are too wide; GCDC_ERR_DEVICE: the launch failed. Then nothing has been put on the stream. */

/** Sets the logits that are not allowed to -inf, in place; the others are not touched.
 * Cost: about that of the memory that must move. 32 logits at once are left alone where all are allowed, written
 * without being read where none is, and read and written otherwise. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_apply(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                                     gcdc_cuda_stream stream);

/* ---- Fused operations: the mask, and what the sampler would do next, in one reading of the logits from memory -----
 * A block does a row, again from the cache where it needs more than one look. The logits are not changed. Results
 * are by row of masks; those of rows left out stay as they are. A NaN counts as -inf. No work space is needed. Rows
 * are at most GCDC_CUDA_MAX_WIDTH wide.
 *
 * Exactness. With x the largest allowed logit, token t has the integer weight w(t) = 2^40 * 2^((logit(t) - x) *
 * log2(e) / temperature), computed in single precision and cut off; what is 2^-41 of the best or less has none. Sums
 * of weights are exact. So results depend on the logits and the numbers given alone: not on the device, the order of
 * work or the other rows; and the host build gives the same bits. */
#define GCDC_CUDA_MAX_WIDTH (1u << 20)

/** Writes to tokens[i] (device) the allowed token with the largest logit, the lowest id of those; -1 where none is
 * allowed. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_argmax(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                                      int32_t *tokens, gcdc_cuda_stream stream);

/** How a token is drawn. All arrays are device, one number a row of masks, and NULL where the default is meant. */
typedef struct gcdc_cuda_sampling {
	const float *temperature; /* 0 or less: as argmax. NULL: 1 */
	const uint32_t *top_k;    /* the k heaviest tokens, with those that tie with the last; 0 or NULL: all */
	const float *top_p;       /* of these the fewest, heaviest first, that weigh at least p of them together, with those
	                            * that tie with the last; NULL or from 1 up: all */
	const float *random;      /* uniform in [0, 1), the caller's */
} gcdc_cuda_sampling;
/* Tokens tie when the exponents of their weights agree to 2^-26. */

/** Writes the probabilities of the logits under the masks (device, f32): row i, stride numbers from row to row, gets
 * w(t) / the sum of all weights for each of the `width` logits: 0 for those not allowed, 0 for all where none is. Only
 * the temperature of `sampling` counts, which may be NULL; a temperature of 0 or less gives all to those with the
 * largest logit. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_softmax(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                                       const gcdc_cuda_sampling *sampling, float *probabilities,
                                                       int64_t stride, gcdc_cuda_stream stream);

/** Draws a token for each row into tokens[i] (device): with W the weight of all tokens that are left, the first
 * token, by id, at which the sum of weights up to it passes W * random. -1 where none is allowed. tokens may be the
 * array that masks->tokens is: then one launch is a whole step of a decoding loop. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_sample(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                                      const gcdc_cuda_sampling *sampling, int32_t *tokens,
                                                      gcdc_cuda_stream stream);

#ifdef __cplusplus
}
#endif

#endif
