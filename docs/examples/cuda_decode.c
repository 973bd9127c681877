// A decoding loop on the device: a batch of toy sequences under one captured graph.
//
//     cuda_decode ARTIFACT [SEQUENCES [STEPS]]
//
// The model is a toy: its logits are random, the same at every step. Everything else is as in an engine: the tables are
// uploaded once; each sequence's matcher lives in device memory; one launch a step accepts the token drawn last, masks
// the logits and draws the next, and that launch is captured once and replayed. The host only brings random numbers and
// reads tokens and statuses; here it also checks each token with a matcher of its own. Memory, streams and graphs are
// reached through lib/cuda/cuda.h, whose functions are CUDA's under other names, so that the example runs with the host
// build, too. An engine calls cudaMalloc, cudaStreamBeginCapture and cudaGraphLaunch itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "gcdc/cuda.h"

#define TRY(call)                                                                                                      \
	do {                                                                                                               \
		gcdc_status status_ = (call);                                                                                  \
		if (status_) {                                                                                                 \
			fprintf(stderr, "%s: %s %s\n", #call, gcdc_status_text(status_), gcdc_cuda_error());                       \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)

// What the host holds of a sequence.
struct sequence {
	gcdc_matcher *matcher;  // checks what the device does
	char text[4096];
	size_t len;
	bool is_done;
};

static float next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (float)(*state >> 40) * 0x1p-24f;
}

// Takes the token that the device drew. False: host and device disagree.
static bool take(struct sequence *s, const gcdc_artifact *artifact, int32_t token)
{
	if (s->is_done) return true;
	if (token < 0 || gcdc_matcher_accept(s->matcher, (uint32_t)token)) return false;
	uint32_t n;
	const uint8_t *bytes = gcdc_artifact_token(artifact, (uint32_t)token, &n);
	s->is_done = gcdc_matcher_is_terminated(s->matcher);
	if (s->len + n < sizeof s->text) memcpy(s->text + s->len, bytes, n), s->len += n;
	return true;
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 2 ? (uint32_t)atoi(argv[2]) : 4, steps = argc > 3 ? (uint32_t)atoi(argv[3]) : 60;
	if (argc < 2 || !n || n > 4096) {
		fprintf(stderr, "usage: cuda_decode ARTIFACT [SEQUENCES [STEPS]]\n");
		return 2;
	}
	if (!gcdc_cuda_available()) {
		printf("no device: skipped\n");
		return 77;
	}
	gcdc_artifact *artifact;
	gcdc_refusal why;
	if (gcdc_artifact_open(argv[1], NULL, &artifact, &why)) {
		fprintf(stderr, "%s: %s\n", argv[1], why.what);
		return 1;
	}
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t width = (info.n_tokens + 63) / 64 * 64;  // models pad their logits

	// Once: tables, matchers, buffers. All memory is there before the loop begins.
	gcdc_cuda_table *table;
	gcdc_cuda_batch *batch;
	gcdc_cuda_stream stream;
	TRY(gcdc_cuda_table_new(artifact, NULL, &table));
	TRY(gcdc_cuda_batch_new(table, &(gcdc_cuda_batch_options){.n = n}, &batch));
	TRY(device_stream_new(&stream));
	float *logits = device_alloc((size_t)n * width * sizeof *logits), *random = device_alloc(n * sizeof *random);
	int32_t *tokens = device_alloc(n * sizeof *tokens), *drawn = malloc(n * sizeof *drawn),
			*statuses = malloc(n * sizeof *statuses);
	float *host_logits = malloc((size_t)n * width * sizeof *host_logits),
		  *host_random = malloc(n * sizeof *host_random);
	struct sequence *sequences = calloc(n, sizeof *sequences);
	if (!logits || !random || !tokens || !drawn || !statuses || !host_logits || !host_random || !sequences) return 1;
	uint64_t state = 1;
	for (size_t i = 0; i < (size_t)n * width; i++) {
		uint32_t len;
		const uint8_t *text = gcdc_artifact_token(artifact, (uint32_t)(i % width), &len);
		bool is_blank = text && len && strchr(" \t\n\r", text[0]);
		host_logits[i] = 8 * next_random(&state) - (is_blank ? 8 : 0);  // or there would be little else to see
	}
	TRY(device_write(logits, host_logits, (size_t)n * width * sizeof *logits, stream));
	for (uint32_t i = 0; i < n; i++) {
		TRY(gcdc_matcher_new(artifact, NULL, &sequences[i].matcher));
		TRY(gcdc_cuda_batch_set(batch, i, sequences[i].matcher, stream));  // at the beginning of a text
		drawn[i] = -1;                                                     // no token to accept yet
	}
	TRY(device_write(tokens, drawn, n * sizeof *tokens, stream));

	// Once: the step. `tokens` is read (accepted) and written (drawn) by the same launch.
	device_graph *step;
	gcdc_cuda_masks masks = {.n_rows = n, .batch = batch, .tokens = tokens};
	gcdc_cuda_logits rows = {.at = logits, .type = GCDC_CUDA_F32, .width = width, .stride = width};
	gcdc_cuda_sampling how = {.random = random};
	TRY(device_capture_begin(stream));
	// An engine's forward pass, which reads `tokens` and writes `logits`, is captured here.
	TRY(gcdc_cuda_sample(&masks, &rows, &how, tokens, stream));
	TRY(device_capture_end(stream, &step));

	bool ok = true;
	for (uint32_t k = 0; k < steps && ok; k++) {
		for (uint32_t i = 0; i < n; i++) host_random[i] = next_random(&state);
		TRY(device_write(random, host_random, n * sizeof *random, stream));
		TRY(device_graph_run(step, stream));
		TRY(device_read(drawn, tokens, n * sizeof *drawn, stream));
		TRY(device_read(statuses, gcdc_cuda_batch_statuses(batch), n * sizeof *statuses, stream));
		for (uint32_t i = 0; i < n && ok; i++) {
			// Below 0: past a bound of the device. The host's matcher could go on; here it does not happen.
			ok = statuses[i] >= 0 && take(&sequences[i], artifact, drawn[i]);
			if (!ok) fprintf(stderr, "step %u, sequence %u: token %d, status %d\n", k, i, drawn[i], statuses[i]);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		printf("%u: %.*s%s\n", i, (int)sequences[i].len, sequences[i].text, sequences[i].is_done ? "" : " ...");
	printf("%u steps of %u sequences: %s\n", steps, n, ok ? "the host's matchers agree" : "WRONG");

	device_graph_free(step);
	for (uint32_t i = 0; i < n; i++) gcdc_matcher_free(sequences[i].matcher);
	gcdc_cuda_batch_free(batch);
	gcdc_cuda_table_free(table);
	gcdc_artifact_close(artifact);
	device_stream_free(stream);
	device_free(logits), device_free(random), device_free(tokens);
	free(drawn), free(statuses), free(host_logits), free(host_random), free(sequences);
	return ok ? 0 : 1;
}
