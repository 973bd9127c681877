// bench --cuda: masks of a batch of sequences on a GPU, four ways, along the texts.
//
// In:  an artifact, texts as tokens, a number of sequences. Out: for each way percentiles over the steps, in
// microseconds by marks in the stream: bits sent and applied (what engines do today), rows of 64 bytes sent and
// applied, the matcher on the device accepting and applying, and the same drawing the next token instead; what is sent
// a row and step; upload. Sequence i goes along text i modulo their number, each beginning at another place of it.
// Logits are f32 in more buffers than the cache holds. The host's own work is not in these figures, the copies from its
// memory are.
#include "bench_cuda.h"

#include "base/mem.h"
#include "cli.h"
#include "json_text.h"

#ifndef GCDC_HAS_CUDA

int bench_cuda(const char *me, const gcdc_artifact *artifact, const struct bench_text *texts, uint32_t n_texts,
               uint32_t n_sequences, bool is_json)
{
	(void)artifact, (void)texts, (void)n_texts, (void)n_sequences, (void)is_json;
	return cli_error(CODE_NO, me, "--cuda: this gcdc was built without nvcc");
}

#else

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"

#define MAX_STEPS 512u
#define MAX_BUFFERS 64u

enum way { BITS, ROWS, STEP, SAMPLE, N_WAYS };
static const char *const way_name[N_WAYS] = {"bits_us", "rows_us", "step_us", "sample_us"};
static const char *const way_about[N_WAYS] = {"bits: send + apply", "rows: send + apply",
                                              "device: accept + mask + apply", "device: accept + mask + draw"};

struct device_side {
	const char *me;
	const gcdc_artifact *artifact;
	gcdc_info info;
	uint32_t n, width;
	gcdc_cuda_stream stream;
	device_mark *from, *to;
	gcdc_cuda_table *table;
	gcdc_cuda_batch *batch[2];  // of STEP, of SAMPLE
	gcdc_matcher **m;
	const struct bench_text *text;  // [n]
	size_t *at;                     // [n] tokens taken
	uint32_t *bits, *bits_there;
	gcdc_cuda_row *rows, *rows_there;
	uint32_t *spill, *spill_there;
	size_t spill_cap, sent, most_sent;
	int32_t *tokens, *tokens_there, *drawn_there;
	float *random_there;
	uint8_t *logits;
	size_t logits_size;
	uint32_t n_buffers, next_buffer, n_steps, n_failed;
	double upload_us, *us[N_WAYS];
};

static bool all_there(struct device_side *d)
{
	size_t words = d->info.mask_words, n = d->n, beyond = 2 * device_cache_size();
	d->bits = mem_calloc(n * words, 4);
	d->rows = mem_calloc(n, sizeof *d->rows);
	d->spill_cap = n * 256;
	d->spill = mem_calloc(d->spill_cap, 4);
	d->tokens = mem_calloc(n, sizeof *d->tokens);
	d->logits_size = n * d->width * sizeof(float);
	d->n_buffers = (uint32_t)(beyond / d->logits_size) + 2;
	if (d->n_buffers > MAX_BUFFERS) d->n_buffers = MAX_BUFFERS;
	d->logits = device_alloc(d->logits_size * d->n_buffers);
	d->bits_there = device_alloc(n * words * 4);
	d->rows_there = device_alloc(n * sizeof *d->rows);
	d->spill_there = device_alloc(d->spill_cap * 4);
	d->tokens_there = device_alloc(n * 4);
	d->drawn_there = device_alloc(n * 4);
	d->random_there = device_alloc(n * 4);
	d->from = device_mark_new();
	d->to = device_mark_new();
	for (int w = 0; w < N_WAYS; w++) d->us[w] = mem_calloc(MAX_STEPS, sizeof(double));
	return d->logits && d->bits_there && d->rows_there && d->spill_there && d->tokens_there && d->drawn_there &&
	       d->random_there && d->from && d->to;
}

// Matchers somewhere in their texts; the two batches beside them.
static gcdc_status begin(struct device_side *d)
{
	gcdc_status status = device_clear(d->logits, 0, d->logits_size * d->n_buffers, d->stream);
	if (!status) status = device_clear(d->random_there, 0, d->n * 4, d->stream);
	for (uint32_t i = 0; i < d->n && !status; i++) {
		size_t skip = d->text[i].n * (i % 7) / 8;
		status = gcdc_matcher_new(d->artifact, NULL, &d->m[i]);
		for (; d->at[i] < skip && !status; d->at[i]++)
			status = gcdc_matcher_accept(d->m[i], d->text[i].tokens[d->at[i]]);
		for (int k = 0; k < 2 && !status && d->batch[k]; k++)
			status = gcdc_cuda_batch_set(d->batch[k], i, d->m[i], d->stream);
	}
	return status;
}

// The next tokens, on the host: -1 where a text is over.
static gcdc_status advance(struct device_side *d, uint32_t *n_moving)
{
	*n_moving = 0;
	for (uint32_t i = 0; i < d->n; i++) {
		d->tokens[i] = d->at[i] < d->text[i].n ? (int32_t)d->text[i].tokens[d->at[i]++] : -1;
		if (d->tokens[i] < 0) continue;
		gcdc_status status = gcdc_matcher_accept(d->m[i], (uint32_t)d->tokens[i]);
		if (status) return status;
		++*n_moving;
	}
	return GCDC_OK;
}

static gcdc_status one_way(struct device_side *d, enum way w, size_t used)
{
	size_t words = d->info.mask_words;
	gcdc_cuda_masks masks = {.n_rows = d->n};
	gcdc_cuda_logits x = {.at = d->logits + d->logits_size * (d->next_buffer++ % d->n_buffers),
	                      .type = GCDC_CUDA_F32,
	                      .width = d->width,
	                      .stride = d->width};
	gcdc_cuda_sampling how = {.random = d->random_there};
	gcdc_status status = device_wait(d->stream);
	if (!status) status = device_mark_set(d->from, d->stream);
	if (w == BITS) {
		if (!status) status = device_write(d->bits_there, d->bits, d->n * words * 4, d->stream);
		masks.bits = d->bits_there, masks.words = (uint32_t)words, masks.words_stride = (int64_t)words;
	} else if (w == ROWS) {
		if (!status) status = device_write(d->rows_there, d->rows, d->n * sizeof *d->rows, d->stream);
		if (!status && used) status = device_write(d->spill_there, d->spill, used * 4, d->stream);
		masks.table = d->table, masks.rows = d->rows_there, masks.spill = d->spill_there, masks.spill_words = used;
	} else {
		masks.batch = d->batch[w == SAMPLE], masks.tokens = d->tokens_there;
	}
	if (status) return status;
	status = w == SAMPLE ? gcdc_cuda_sample(&masks, &x, &how, d->drawn_there, d->stream)
	                     : gcdc_cuda_apply(&masks, &x, d->stream);
	if (!status) status = device_mark_set(d->to, d->stream);
	d->us[w][d->n_steps] = status ? 0 : device_mark_us(d->from, d->to);
	return status;
}

// Branches: the steps of one round on the device follow each other, and any may fail.
static gcdc_status walk(struct device_side *d)
{
	gcdc_status status = begin(d);
	for (uint32_t n_moving; !status && d->n_steps < MAX_STEPS; d->n_steps++) {
		size_t used;
		status = advance(d, &n_moving);
		if (status || !n_moving) break;
		for (uint32_t i = 0; i < d->n && status >= 0; i++)
			status = gcdc_matcher_fill(d->m[i], d->bits + (size_t)i * d->info.mask_words, d->info.mask_words, NULL);
		if (status >= 0) status = gcdc_cuda_pack(d->m, d->n, d->rows, d->spill, d->spill_cap, &used, NULL);
		if (!status) status = device_write(d->tokens_there, d->tokens, d->n * 4, d->stream);
		if (status) break;
		size_t sent = d->n * sizeof *d->rows + used * 4;
		d->sent += sent;
		if (sent > d->most_sent) d->most_sent = sent;
		for (int w = 0; w < N_WAYS && !status; w++)
			if (w < STEP || d->batch[0]) status = one_way(d, (enum way)w, used);
	}
	if (status || !d->batch[0]) return status;
	int32_t *statuses = mem_calloc(d->n, sizeof *statuses);
	status = device_read(statuses, gcdc_cuda_batch_statuses(d->batch[0]), d->n * 4, d->stream);
	for (uint32_t i = 0; i < d->n; i++) d->n_failed += statuses[i] < 0;
	free(statuses);
	return status;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void report(const struct device_side *d, bool is_json)
{
	struct json_writer j;
	double sent = (double)d->sent / d->n / d->n_steps, most = (double)d->most_sent / d->n;
	if (is_json) {
		json_begin(&j, stdout);
		json_object(&j);
		json_string_entry(&j, "device", device_name());
	} else {
		printf("%s: %u sequences, %u steps, f32, %u logits\n%-30s %9s %9s %9s\n", device_name(), d->n, d->n_steps,
		       d->width, "us", "p50", "p99", "max");
	}
	for (int w = 0; w < N_WAYS; w++) {
		if (w >= STEP && !d->batch[0]) continue;
		double *us = d->us[w];
		qsort(us, d->n_steps, sizeof *us, by_value);
		double p50 = us[d->n_steps / 2], p99 = us[d->n_steps - 1 - d->n_steps / 100], max = us[d->n_steps - 1];
		if (is_json) {
			json_key(&j, way_name[w]);
			json_object(&j);
			json_real_entry(&j, "p50", p50);
			json_real_entry(&j, "p99", p99);
			json_real_entry(&j, "max", max);
			json_close(&j);
		} else {
			printf("%-30s %9.2f %9.2f %9.2f\n", way_about[w], p50, p99, max);
		}
	}
	const struct {
		const char *name;
		double value;
	} numbers[] = {{"bytes_a_row", sent},
	               {"bytes_a_row_most", most},
	               {"upload_us", d->upload_us},
	               {"table_bytes", (double)gcdc_cuda_table_size(d->artifact, NULL)},
	               {"sequences", d->n},
	               {"steps", d->n_steps},
	               {"sequences_failed", d->n_failed}};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (is_json)
			json_real_entry(&j, numbers[i].name, numbers[i].value);
		else
			printf("%-30s %9.1f\n", numbers[i].name, numbers[i].value);
	}
	if (!is_json) return;
	json_close(&j);
	json_end(&j);
}

static gcdc_status upload(struct device_side *d)
{
	double begun = cli_seconds();
	gcdc_status status = gcdc_cuda_table_new(d->artifact, NULL, &d->table);
	d->upload_us = (cli_seconds() - begun) * 1e6;
	gcdc_cuda_batch_options o = {.n = d->n};
	for (int k = 0; k < 2 && !status; k++) status = gcdc_cuda_batch_new(d->table, &o, &d->batch[k]);
	if (status != GCDC_ERR_UNSUPPORTED) return status;
	cli_note(d->me, "%s: only masks from the host are measured", gcdc_status_text(status));
	return GCDC_OK;
}

static void release(struct device_side *d)
{
	for (uint32_t i = 0; i < d->n; i++) gcdc_matcher_free(d->m[i]);
	for (int k = 0; k < 2; k++) gcdc_cuda_batch_free(d->batch[k]);
	gcdc_cuda_table_free(d->table);
	device_mark_free(d->from);
	device_mark_free(d->to);
	if (d->stream) device_stream_free(d->stream);
	void *there[] = {d->logits,       d->bits_there,  d->rows_there,  d->spill_there,
	                 d->tokens_there, d->drawn_there, d->random_there};
	for (size_t i = 0; i < sizeof there / sizeof *there; i++) device_free(there[i]);
	for (int w = 0; w < N_WAYS; w++) free(d->us[w]);
	void *here[] = {d->m, (void *)(uintptr_t)d->text, d->at, d->bits, d->rows, d->spill, d->tokens};
	for (size_t i = 0; i < sizeof here / sizeof *here; i++) free(here[i]);
}

int bench_cuda(const char *me, const gcdc_artifact *artifact, const struct bench_text *texts, uint32_t n_texts,
               uint32_t n_sequences, bool is_json)
{
	if (!gcdc_cuda_available()) return cli_error(CODE_NO, me, "--cuda: no device (%s)", gcdc_cuda_error());
	struct device_side d = {.me = me, .artifact = artifact, .n = n_sequences};
	gcdc_artifact_info(artifact, &d.info);
	d.width = d.info.n_tokens;
	struct bench_text *text = mem_calloc(d.n, sizeof *text);
	for (uint32_t i = 0; i < d.n; i++) text[i] = texts[i % n_texts];
	d.text = text;
	d.m = mem_calloc(d.n, sizeof *d.m);
	d.at = mem_calloc(d.n, sizeof *d.at);
	gcdc_status status = device_stream_new(&d.stream);
	if (!status && !all_there(&d)) status = GCDC_ERR_MEMORY;
	if (!status) status = upload(&d);
	if (!status) status = walk(&d);
	if (!status)
		report(&d, is_json);
	else
		cli_error(0, me, "--cuda: %s %s", gcdc_status_text(status), gcdc_cuda_error());
	release(&d);
	return status ? cli_status_code(status < 0 ? status : GCDC_ERR_INTERNAL) : CODE_OK;
}

#endif
