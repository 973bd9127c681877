// One decoding loop three ways: the matcher on the device (one captured launch a step), rows packed on the host, and
// bits filled on the host. The same random numbers must draw the same tokens, to the end of every text.
//
// In:  --seed, --rounds (steps). Logits are random and change with every step; the graph is captured once. Also: argmax
// and softmax under a batch and under rows, and what packing does with NULL, ended and many-set matchers.
#include "cuda_testing.h"

#define N 6u

struct loop {
	struct subject s;
	uint32_t width;
	gcdc_matcher *m[N];
	gcdc_cuda_batch *batch;
	gcdc_cuda_stream stream;
	device_graph *graph;
	struct twin logits, temperature, top_k, top_p, random, tokens, rows, spill, mask, others;
	gcdc_cuda_sampling how;
	gcdc_cuda_logits x;
	gcdc_cuda_masks on_device, packed, filled;
};

static void loop_open(struct loop *l, const char *grammar, struct rng *rng)
{
	*l = (struct loop){0};
	subject_open(&l->s, grammar, 0);
	l->width = l->s.info.n_tokens + 5;
	bool budgets = gcdc_artifact_section(l->s.engine.artifact, SECTION_STEP_INFO, NULL);
	MUST(gcdc_cuda_batch_new(l->s.table, &(gcdc_cuda_batch_options){.n = N, .budgets = budgets}, &l->batch));
	MUST(device_stream_new(&l->stream));
	l->logits = twin_new((size_t)N * l->width * 2);
	l->temperature = twin_new(N * 4), l->top_k = twin_new(N * 4), l->top_p = twin_new(N * 4),
	l->random = twin_new(N * 4);
	l->tokens = twin_new(N * 4), l->others = twin_new(N * 4);
	l->rows = twin_new(N * sizeof(gcdc_cuda_row)), l->spill = twin_new(N * 400 * 4);
	l->mask = twin_new((size_t)N * l->s.info.mask_words * 4);
	for (uint32_t i = 0; i < N; i++) {
		MUST(gcdc_matcher_new(l->s.engine.artifact, NULL, &l->m[i]));
		if (budgets && i % 2) MUST(gcdc_matcher_set_budget(l->m[i], 10 * i, true, NULL));
		MUST(gcdc_cuda_batch_set(l->batch, i, l->m[i], l->stream));
		((float *)l->temperature.host)[i] = i == 1 ? 0 : 0.5f + (float)rng_below(rng, 100) / 50;
		((uint32_t *)l->top_k.host)[i] = i == 2 ? 20 : 0;
		((float *)l->top_p.host)[i] = i == 3 ? 0.8f : 1;
		((int32_t *)l->tokens.host)[i] = -1;
	}
	twin_push(&l->temperature), twin_push(&l->top_k), twin_push(&l->top_p), twin_push(&l->tokens);
	l->how = (gcdc_cuda_sampling){l->temperature.device, l->top_k.device, l->top_p.device, l->random.device};
	l->x = (gcdc_cuda_logits){l->logits.device, GCDC_CUDA_BF16, l->width, l->width, NULL};
	l->on_device = (gcdc_cuda_masks){.n_rows = N, .batch = l->batch, .tokens = l->tokens.device};
	l->packed = (gcdc_cuda_masks){
		.n_rows = N, .table = l->s.table, .rows = l->rows.device, .spill = l->spill.device, .spill_words = N * 400};
	l->filled = (gcdc_cuda_masks){
		.n_rows = N, .bits = l->mask.device, .words = l->s.info.mask_words, .words_stride = l->s.info.mask_words};
	MUST(device_capture_begin(l->stream));
	MUST(gcdc_cuda_sample(&l->on_device, &l->x, &l->how, l->tokens.device, l->stream));
	MUST(device_capture_end(l->stream, &l->graph));
}

static void loop_close(struct loop *l)
{
	device_graph_free(l->graph);
	device_stream_free(l->stream);
	gcdc_cuda_batch_free(l->batch);
	for (uint32_t i = 0; i < N; i++) gcdc_matcher_free(l->m[i]);
	struct twin *twins[] = {&l->logits, &l->temperature, &l->top_k, &l->top_p, &l->random,
	                        &l->tokens, &l->rows,        &l->spill, &l->mask,  &l->others};
	for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) twin_free(twins[i]);
	subject_close(&l->s);
}

// The masks of the host's matchers, as rows and as bits.
static void masks_of_host(struct loop *l)
{
	size_t used;
	MUST(gcdc_cuda_pack(l->m, N, l->rows.host, l->spill.host, N * 400, &used, NULL));
	for (uint32_t i = 0; i < N; i++)
		if (gcdc_matcher_fill(l->m[i], (uint32_t *)l->mask.host + (size_t)i * l->s.info.mask_words,
		                      l->s.info.mask_words, NULL) < 0)
			FAIL("the host has no mask");
	twin_push(&l->rows), twin_push(&l->spill), twin_push(&l->mask);
}

static void same_tokens(const struct loop *l, const char *what, uint64_t step)
{
	const int32_t *a = l->tokens.host, *b = l->others.host;
	for (uint32_t i = 0; i < N; i++)
		CHECK(a[i] == b[i], "step %llu, sequence %u: %s draw %d, the batch %d", (unsigned long long)step, i, what, b[i],
		      a[i]);
}

static uint32_t decode(const char *grammar, struct rng *rng, uint64_t steps)
{
	struct loop l;
	uint32_t ended = 0;
	loop_open(&l, grammar, rng);
	for (uint64_t step = 0; step < steps && !failures; step++) {
		for (size_t k = 0; k < (size_t)N * l.width; k++)  // bf16 of 0 to 12; EOS is liked
			((uint16_t *)l.logits.host)[k] = (uint16_t)(0x3e00 + rng_below(rng, 0x340));
		for (uint32_t i = 0; i < N; i++) {
			uint32_t n;
			const uint32_t *eos = gcdc_artifact_eos(l.s.engine.artifact, &n);
			((uint16_t *)l.logits.host)[(size_t)i * l.width + eos[0]] = 0x4180;
			((float *)l.random.host)[i] = (float)rng_below(rng, 1 << 24) * 0x1p-24f;
		}
		twin_push(&l.logits), twin_push(&l.random);
		MUST(device_graph_run(l.graph, l.stream));
		MUST(device_wait(l.stream));
		twin_pull(&l.tokens);
		masks_of_host(&l);
		MUST(gcdc_cuda_sample(&l.packed, &l.x, &l.how, l.others.device, NULL));
		twin_pull(&l.others);
		same_tokens(&l, "rows", step);
		MUST(gcdc_cuda_sample(&l.filled, &l.x, &l.how, l.others.device, NULL));
		twin_pull(&l.others);
		same_tokens(&l, "bits", step);
		for (uint32_t i = 0; i < N; i++) {
			gcdc_status status = gcdc_matcher_accept(l.m[i], ((uint32_t *)l.tokens.host)[i]);
			CHECK(status == GCDC_OK || status == GCDC_TERMINATED, "the host refuses what was drawn: %s",
			      gcdc_status_text(status));
			ended += status == GCDC_TERMINATED;
		}
	}
	// The other operations under the batch, which steps once more, and under the host's rows.
	for (uint32_t i = 0; i < N; i++) ((int32_t *)l.others.host)[i] = -1;
	twin_push(&l.others);
	l.on_device.tokens = NULL;
	gcdc_cuda_masks stepped = l.on_device;
	stepped.tokens = l.tokens.device;
	struct twin p = twin_new((size_t)N * l.width * 4), q = twin_new((size_t)N * l.width * 4), best = twin_new(N * 4);
	MUST(gcdc_cuda_softmax(&stepped, &l.x, &l.how, p.device, l.width, NULL));
	masks_of_host(&l);
	MUST(gcdc_cuda_softmax(&l.packed, &l.x, &l.how, q.device, l.width, NULL));
	twin_pull(&p), twin_pull(&q);
	CHECK(!memcmp(p.host, q.host, p.size), "softmax under the batch and under rows differ");
	MUST(gcdc_cuda_argmax(&l.on_device, &l.x, l.tokens.device, NULL));
	MUST(gcdc_cuda_argmax(&l.packed, &l.x, l.others.device, NULL));
	twin_pull(&l.tokens), twin_pull(&l.others);
	same_tokens(&l, "argmax under rows", steps);
	twin_free(&p), twin_free(&q), twin_free(&best);
	loop_close(&l);
	return ended;
}

// A graph would copy from memory that is gone when it is run.
static void setting_is_not_captured(void)
{
	struct subject s;
	gcdc_cuda_batch *batch;
	gcdc_cuda_stream stream;
	device_graph *graph;
	gcdc_matcher *m;
	subject_open(&s, "tests/oracle/grammars/minic.lark", 0);
	MUST(gcdc_cuda_batch_new(s.table, &(gcdc_cuda_batch_options){.n = 1}, &batch));
	MUST(device_stream_new(&stream));
	MUST(gcdc_matcher_new(s.engine.artifact, NULL, &m));
	MUST(device_capture_begin(stream));
	gcdc_status status = gcdc_cuda_batch_set(batch, 0, m, stream);
	CHECK(status == GCDC_ERR_ARGUMENT, "setting a sequence on a stream that is captured: %s", gcdc_status_text(status));
	MUST(device_capture_end(stream, &graph));
	MUST(gcdc_cuda_batch_set(batch, 0, m, stream));
	device_graph_free(graph);
	gcdc_matcher_free(m);
	device_stream_free(stream);
	gcdc_cuda_batch_free(batch);
	subject_close(&s);
}

// Blocks count who has read a sequence. What a launch that broke off has counted is forgotten when the sequence is set.
static void a_count_that_was_left_is_forgotten(void)
{
	struct subject s;
	gcdc_cuda_batch *batch;
	gcdc_matcher *m;
	subject_open(&s, "tests/oracle/grammars/minic.lark", 0);
	gcdc_cuda_batch_options o = {.n = 1};
	o.size = gcdc_cuda_batch_size(&o), o.memory = device_alloc(o.size);
	MUST(gcdc_cuda_batch_new(s.table, &o, &batch));
	MUST(gcdc_matcher_new(s.engine.artifact, NULL, &m));
	const uint32_t left = 1, words = s.info.mask_words;
	MUST(device_write((char *)o.memory + 256, &left, sizeof left, NULL));  // behind the statuses
	MUST(gcdc_cuda_batch_set(batch, 0, m, NULL));
	struct twin mask = twin_new(words * 4), token = twin_new(4), logits = twin_new(s.info.n_tokens * 4),
				best = twin_new(4);
	uint32_t *before = malloc(words * 4), *after = mask.host, t = 0, only_before = 0;
	MUST(gcdc_matcher_fill(m, before, words, NULL));
	for (; t < s.info.n_tokens && !only_before; t++) {  // a token that takes others out of the mask
		if (gcdc_matcher_accept(m, t)) continue;
		if (gcdc_matcher_fill(m, after, words, NULL) == GCDC_OK)
			for (uint32_t k = 0; k < words; k++) only_before |= before[k] & ~after[k];
		if (!only_before) MUST(gcdc_matcher_rollback(m, 1));
	}
	*(uint32_t *)token.host = t - 1;
	twin_push(&token), twin_push(&logits);
	const gcdc_cuda_masks masks = {.n_rows = 1, .batch = batch, .tokens = token.device};
	const gcdc_cuda_logits x = {logits.device, GCDC_CUDA_F32, s.info.n_tokens, s.info.n_tokens, NULL};
	MUST(gcdc_cuda_argmax(&masks, &x, best.device, NULL));  // takes the token
	for (uint32_t k = 0; k < s.info.n_tokens; k++)          // what came before the step is liked most
		((float *)logits.host)[k] = (before[k / 32] & ~after[k / 32]) >> k % 32 & 1;
	twin_push(&logits);
	const gcdc_cuda_masks behind = {.n_rows = 1, .batch = batch};
	MUST(gcdc_cuda_argmax(&behind, &x, best.device, NULL));
	twin_pull(&best);
	uint32_t found = *(uint32_t *)best.host;
	CHECK(only_before && after[found / 32] >> found % 32 & 1, "the step was not taken: token %u", found);
	free(before);
	struct twin *twins[] = {&mask, &token, &logits, &best};
	for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) twin_free(twins[i]);
	gcdc_matcher_free(m);
	gcdc_cuda_batch_free(batch);
	device_free(o.memory);
	subject_close(&s);
}

static void packing(void)
{
	struct subject s;
	subject_open(&s, "tests/oracle/grammars/minic.lark", 0);
	gcdc_matcher *m[2] = {NULL, NULL};
	gcdc_cuda_row rows[2];
	gcdc_status statuses[2];
	uint32_t spill[64], n;
	size_t used = 99;
	MUST(gcdc_matcher_new(s.engine.artifact, NULL, &m[1]));
	MUST(gcdc_cuda_pack(m, 2, rows, NULL, 0, &used, statuses));
	CHECK(rows[0].n_sets == GCDC_CUDA_ALL && !rows[0].n_tokens && statuses[0] == GCDC_OK, "NULL allows all");
	CHECK(rows[1].n_sets >= 1 && used == 0, "the first mask has sets");
	while (!gcdc_matcher_is_completed(m[1])) MUST(gcdc_matcher_accept_bytes(m[1], "int f();", 8));
	const uint32_t *eos = gcdc_artifact_eos(s.engine.artifact, &n);
	MUST(gcdc_matcher_accept(m[1], eos[0]));
	MUST(gcdc_cuda_pack(m, 2, rows, spill, 64, &used, statuses));
	CHECK(statuses[1] == GCDC_TERMINATED && rows[1].n_sets == 0 && rows[1].n_tokens == n && rows[1].at[0] == eos[0],
	      "ended: EOS");
	CHECK(gcdc_cuda_pack(NULL, 1, rows, NULL, 0, NULL, NULL) == GCDC_ERR_ARGUMENT, "NULL");
	gcdc_matcher_free(m[1]);
	subject_close(&s);
}

int main(int argc, char **argv)
{
	struct testing t = testing_begin(argc, argv, 60);
	struct rng rng = {t.seed};
	engine_costs = 2;  // JSON under budgets
	uint32_t ended = decode("grammars/json/json.lark", &rng, t.rounds);
	engine_costs = 0;
	ended += decode("tests/oracle/grammars/minic.lark", &rng, t.rounds / 2);
	CHECK(ended > 0, "no text ended");
	setting_is_not_captured();
	a_count_that_was_left_is_forgotten();
	packing();
	return testing_end("one loop three ways");
}
