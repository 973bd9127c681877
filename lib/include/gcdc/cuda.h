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
 * Three kinds of masks (gcdc_cuda_masks): bits as gcdc_matcher_fill writes them; rows of 64 bytes that name sets of a
 * table; a batch whose matchers live on the device. Each kind works with each operation: apply, argmax, softmax, sample.
 *
 * Words. `device` memory: what a kernel can read and write, 4-aligned unless said otherwise. -inf: the negative infinity
 * of the logits' type. V: the artifact's number of tokens.
 *
 * Streams. All work is put on the caller's stream and nothing waits for it. The operations allocate nothing and can be
 * captured in a CUDA graph: what they are given is read when the graph runs, so put what changes from step to step into
 * device memory. The functions that create, fill and free things (table, batch) are not for capture.
 *
 * Threads. A table never changes; a batch belongs to one stream at a time.
 *
 * Errors. As in <gcdc/runtime.h>: codes, nothing aborts or prints. GCDC_ERR_DEVICE: CUDA refused; gcdc_cuda_error says
 * why. Mistakes in device memory (a set's number past the table) make a mask smaller, never a read out of bounds.
 *
 * The library is built ahead for the architectures named in docs/cuda.md, with PTX for later ones. It needs the CUDA
 * runtime (linked in) and gcdc_runtime. libgcdc_cuda_host has the same functions made of the same source for machines
 * without a GPU, over host memory: for tests. C99 and C++. */
#ifndef GCDC_CUDA_H
#define GCDC_CUDA_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** cudaStream_t. */
typedef struct CUstream_st *gcdc_cuda_stream;

/** Is there a device that this library can use? Also false when the driver is missing. */
GCDC_API bool gcdc_cuda_available(void);
/** What CUDA said when a call of this thread last returned GCDC_ERR_DEVICE; "" when none did. */
GCDC_API const char *gcdc_cuda_error(void);

/* ---- Logits ---------------------------------------------------------------------------------------------------- */

typedef enum gcdc_cuda_type { GCDC_CUDA_F32 = 0, GCDC_CUDA_F16 = 1, GCDC_CUDA_BF16 = 2 } gcdc_cuda_type;

/** Rows of logits in device memory. */
typedef struct gcdc_cuda_logits {
	void *at;            /* of row 0; aligned as its type */
	gcdc_cuda_type type;
	uint32_t width;      /* logits in a row: may be more than V (what lies past V is never allowed), or less */
	int64_t stride;      /* logits from one row to the next: any, at least width */
	const int32_t *rows; /* device: the row of logits for each row of masks; a negative one leaves it out, as `on` does.
	                      * NULL: row i for mask i */
} gcdc_cuda_logits;

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/** An artifact's tables in device memory, as they are in the file. */
typedef struct gcdc_cuda_table gcdc_cuda_table;

typedef struct gcdc_cuda_table_options {
	/** Leave out what only a matcher on the device needs (gcdc_cuda_batch). */
	bool only_masks;
	/** Device memory for the tables, 256-aligned, size bytes: the caller's, until gcdc_cuda_table_free. NULL: cudaMalloc. */
	void *memory;
	size_t size;
} gcdc_cuda_table_options;

/** Device memory that a table takes. options may be NULL. */
GCDC_API size_t gcdc_cuda_table_size(const gcdc_artifact *artifact, const gcdc_cuda_table_options *options);
/** Copies the tables to the current device, and waits. The artifact may be closed afterwards. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_table_new(const gcdc_artifact *artifact,
                                                         const gcdc_cuda_table_options *options,
                                                         gcdc_cuda_table **table);
/** After the work that uses it is done. NULL is fine. */
GCDC_API void gcdc_cuda_table_free(gcdc_cuda_table *table);

/* ---- Rows: a mask in 64 bytes ---------------------------------------------------------------------------------- */

/** The mask is (the union of n_sets sets of the table, and n_tokens tokens) without n_removed tokens. Their numbers
 * stand in `at`, in this order, when there are at most GCDC_CUDA_INLINE; else at[0] is the place in `spill` where they
 * stand. Tokens ascend. n_sets GCDC_CUDA_ALL: all tokens are allowed, no sets are listed. */
#define GCDC_CUDA_INLINE 13u
#define GCDC_CUDA_ALL UINT32_MAX
typedef struct gcdc_cuda_row {
	uint32_t n_sets, n_tokens, n_removed;
	uint32_t at[GCDC_CUDA_INLINE];
} gcdc_cuda_row;

/** The masks of n matchers as rows, in host memory. A NULL matcher gives a row that allows all. Rows that do not fit
 * into 64 bytes go on in spill[0 .. cap); *used (may be NULL) of it is then in use. On an error the row allows nothing;
 * the first is returned, statuses (may be NULL) has each one's. GCDC_ERR_LIMIT: spill is too short. A terminated
 * matcher's row allows its EOS ids; its status is GCDC_TERMINATED, which is not an error and not returned.
 * Cost: that of gcdc_matcher_mask_sets, under 0.1 microseconds for most texts. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_pack(gcdc_matcher *const *matchers, size_t n, gcdc_cuda_row *rows,
                                                    uint32_t *spill, size_t cap, size_t *used, gcdc_status *statuses);

/* ---- Masks: what an operation works under ---------------------------------------------------------------------- */

/** Exactly one of bits, rows and batch is given. */
typedef struct gcdc_cuda_masks {
	uint32_t n_rows;
	/** device, n_rows bytes: 0 leaves the row out, its logits and results stay as they are. NULL: all are on. */
	const uint8_t *on;

	/** device: bits as gcdc_matcher_fill writes them, words_stride words from row to row. */
	const uint32_t *bits;
	uint32_t words;       /* in a row */
	int64_t words_stride;

	const gcdc_cuda_table *table;
	const gcdc_cuda_row *rows;  /* device, 16-aligned: n_rows of them */
	const uint32_t *spill;      /* device, or NULL */
	size_t spill_words;         /* numbers that may be read there */
} gcdc_cuda_masks;

/* ---- Operations ------------------------------------------------------------------------------------------------ */

/** logits that are not allowed become -inf, in place; the others are not touched.
 * Cost: what must move, about: 32 logits at once are left alone where all are allowed, written without being read where
 * none is, and read and written else. */
GCDC_API GCDC_MUST_CHECK gcdc_status gcdc_cuda_apply(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                                     gcdc_cuda_stream stream);

#ifdef __cplusplus
}
#endif

#endif
