// What the kernels cost, beside what must move: the figures of docs/cuda.md. scripts/measure_cuda runs it.
//
// In:  --apply (rows x types x masked tokens), --artifact FILE --text FILE... (the matcher along texts; with
//      --pack only the bytes that are sent, which needs no device; with --budgets under those), --fused, --rows N
//      (sequences of the matcher, rows of --fused), --quick (sizes for the host build, which shows that this program
//      works and nothing else).
// Out: a table. Times are microseconds by marks in the stream (CUDA events), the least of some runs of a graph of
// launches; the launches go over buffers that together are more than twice the cache. Floor: a device-to-device copy
// that moves as many bytes as must move, measured in the same way: the mask read; of the logits, pieces of 32 bytes in
// which nothing is allowed written, in which all is allowed left alone, others read and written.
#include "cuda_testing.h"

#include "../../formats/artifact.h"

#define RUNS 20
#define MAX_LAUNCHES 64u

struct measure {
	gcdc_cuda_stream stream;
	device_mark *from, *to;
	size_t beyond;  // bytes that buffers must have together
	bool is_quick, only_pack, has_budgets;
	uint32_t rows;  // 0: what each has by default
	struct rng rng;
};

typedef void launch(void *what, uint32_t k);

// Microseconds of one of n launches.
static double time_launches(struct measure *m, launch *f, void *what, uint32_t n)
{
	device_graph *graph;
	double least = INFINITY;
	MUST(device_capture_begin(m->stream));
	for (uint32_t k = 0; k < n; k++) f(what, k);
	MUST(device_capture_end(m->stream, &graph));
	for (int run = 0; run < (m->is_quick ? 2 : RUNS); run++) {
		MUST(device_mark_set(m->from, m->stream));
		MUST(device_graph_run(graph, m->stream));
		MUST(device_mark_set(m->to, m->stream));
		double us = device_mark_us(m->from, m->to);
		if (run && us < least) least = us;
	}
	device_graph_free(graph);
	return least / n;
}

// ---- Copies.
struct copies {
	struct measure *m;
	uint8_t *at;
	size_t size, room;  // of one; of all
};
static void copy_one(void *what, uint32_t k)
{
	struct copies *c = what;
	size_t half = c->room / 2, from = half > c->size ? (size_t)k * c->size % (half - c->size + 1) / 256 * 256 : 0;
	if (device_is_host()) return;  // a copy is no launch there
	MUST(device_copy(c->at + half + from, c->at + from, c->size, c->m->stream));
}
// A copy that moves so many bytes, half of them read.
static double time_copy(struct measure *m, size_t moved)
{
	struct copies c = {m, NULL, moved / 2 + 16, 0};
	c.room = 2 * (c.size > m->beyond / 2 ? 2 * c.size : m->beyond / 2 + c.size);
	c.at = device_alloc(c.room);
	if (!c.at) return NAN;
	double us = time_launches(m, copy_one, &c, 16);
	device_free(c.at);
	return us;
}

// ---- Apply.
struct applies {
	struct measure *m;
	gcdc_cuda_masks masks[MAX_LAUNCHES];
	gcdc_cuda_logits logits[MAX_LAUNCHES];
};
static void apply_one(void *what, uint32_t k)
{
	struct applies *a = what;
	MUST(gcdc_cuda_apply(&a->masks[k], &a->logits[k], a->m->stream));
}

// Bytes that must move for a row.
static size_t bytes_of_row(const uint32_t *mask, uint32_t width, uint32_t size)
{
	size_t bytes = ((width + 31) / 32) * 4, per = 32 / size;
	for (size_t k = 0; k < width; k += per) {
		bool none = true, every = true;
		for (size_t e = k; e < k + per && e < width; e++) {
			bool on = mask_bit(mask, (uint32_t)e);
			none &= !on;
			every &= on;
		}
		bytes += every ? 0 : none ? 32 : 64;
	}
	return bytes;
}

static void measure_apply(struct measure *m, uint32_t n, uint32_t type, uint32_t width, uint32_t masked)
{
	uint32_t size = type ? 2 : 4, words = (width + 31) / 32;
	size_t per = (size_t)n * width * size, mask_bytes = (size_t)n * words * 4, moved = 0;
	uint32_t k = (uint32_t)(m->beyond / per) + 2;
	if (k > MAX_LAUNCHES) k = MAX_LAUNCHES;
	uint32_t *mask = mem_calloc(n * (size_t)words, 4);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *row = mask + (size_t)i * words;
		for (uint32_t t = 0; t < width; t++) row[t / 32] |= 1u << t % 32;
		for (uint32_t left = masked; left;) {
			uint32_t t = rng_below(&m->rng, width);
			left -= mask_bit(row, t);
			row[t / 32] &= ~(1u << t % 32);
		}
		moved += bytes_of_row(row, width, size);
	}
	uint8_t *logits = device_alloc(per * k), *masks = device_alloc(mask_bytes * k);
	if (!logits || !masks) {
		printf("%6u rows: not enough memory\n", n);
	} else {
		struct applies a = {.m = m};
		MUST(device_clear(logits, 0, per * k, m->stream));
		for (uint32_t i = 0; i < k; i++) {
			MUST(device_write(masks + mask_bytes * i, mask, mask_bytes, m->stream));
			a.masks[i] = (gcdc_cuda_masks){.n_rows = n,
			                               .bits = (uint32_t *)(void *)(masks + mask_bytes * i),
			                               .words = words,
			                               .words_stride = words};
			a.logits[i] = (gcdc_cuda_logits){logits + per * i, (gcdc_cuda_type)type, width, width, NULL};
		}
		double us = time_launches(m, apply_one, &a, k), floor = time_copy(m, moved);
		printf("apply  %5u rows  %s  %6u masked  %9.2f us  floor %9.2f us  x %.2f  (%zu bytes)\n", n,
		       type ? "bf16" : "f32 ", masked, us, floor, us / floor, moved);
	}
	device_free(logits);
	device_free(masks);
	free(mask);
}

// ---- The matcher along texts.
struct index {
	uint32_t *at, begin[257];
};  // tokens by first byte

static struct index index_tokens(const gcdc_artifact *a, uint32_t n_tokens)
{
	struct index x = {.at = mem_calloc(n_tokens, 4)};
	uint32_t n = 0;
	for (uint32_t b = 0; b < 256; b++) {
		x.begin[b] = n;
		for (uint32_t t = 0; t < n_tokens; t++) {
			uint32_t len;
			const uint8_t *bytes = gcdc_artifact_token(a, t, &len);
			if (len && bytes[0] == b) x.at[n++] = t;
		}
	}
	x.begin[256] = n;
	return x;
}

// The longest allowed token that the text goes on with, or -1.
static int32_t next_token(const gcdc_artifact *a, const struct index *x, gcdc_matcher *m, const uint8_t *text,
                          size_t len)
{
	int32_t best = -1;
	uint32_t best_len = 0;
	for (uint32_t i = len ? x->begin[text[0]] : 1; len && i < x->begin[text[0] + 1]; i++) {
		uint32_t size;
		const uint8_t *bytes = gcdc_artifact_token(a, x->at[i], &size);
		if (size <= best_len || size > len || memcmp(bytes, text, size) || !gcdc_matcher_allowed(m, x->at[i])) continue;
		best = (int32_t)x->at[i];
		best_len = size;
	}
	return best;
}

struct trace {
	uint32_t n, steps;
	gcdc_matcher **start;  // [n] where the sequences begin
	int32_t *tokens;       // [steps * n]
	gcdc_cuda_row *rows;   // [steps * n] the mask behind the token
	uint32_t *spill;
	size_t spill_n, spill_cap, packed, spilled, longest, idle, tried, tries, most_tries;
};

// Tokens in the sets to be tried of the mask's sets.
static size_t tries_of(const gcdc_artifact *a, gcdc_matcher *m)
{
	gcdc_mask_sets mask;
	size_t n = 0;
	const struct artifact_set *sets = gcdc_artifact_section(a, SECTION_SET, NULL);
	if (gcdc_matcher_mask_sets(m, &mask)) return 0;
	for (uint32_t i = 0; i < mask.n_sets; i++) n += sets[sets[mask.sets[i]].maybe].count;
	return n;
}

// Sequences at places drawn in the texts, each some steps on.
static bool trace_make(struct measure *m, const gcdc_artifact *a, char **paths, uint32_t n_paths, struct trace *t)
{
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	struct index index = index_tokens(a, info.n_tokens);
	t->start = mem_calloc(t->n, sizeof *t->start);
	t->tokens = mem_calloc((size_t)t->n * t->steps, sizeof *t->tokens);
	t->rows = mem_calloc((size_t)t->n * t->steps, sizeof *t->rows);
	t->spill_cap = (size_t)t->n * t->steps * 64;
	t->spill = mem_calloc(t->spill_cap, 4);
	bool ok = true;
	for (uint32_t i = 0; i < t->n && ok; i++) {
		FILE *f = fopen(paths[i % n_paths], "rb");
		uint8_t *text = mem_calloc(1 << 15, 1);
		size_t len = f ? fread(text, 1, 1 << 15, f) : 0;
		if (f) fclose(f);
		size_t at = i < n_paths ? 0 : rng_below(&m->rng, (uint32_t)len / 2 + 1);
		gcdc_matcher *x, *walk;
		MUST(gcdc_matcher_new(a, NULL, &x));
		while (at && gcdc_matcher_accept_bytes(x, text, at)) at--;  // places inside characters
		MUST(gcdc_matcher_clone(x, &walk));
		t->start[i] = x;
		for (uint32_t s = 0; s < t->steps; s++) {
			int32_t token = next_token(a, &index, walk, text + at, len - at);
			uint32_t size = 0;
			size_t used;
			size_t place = (size_t)s * t->n + i;
			if (token >= 0) {
				gcdc_artifact_token(a, (uint32_t)token, &size);
				MUST(gcdc_matcher_accept(walk, (uint32_t)token));
			}
			t->tokens[place] = token;
			at += size;
			MUST(gcdc_cuda_pack(&walk, 1, &t->rows[place], t->spill + t->spill_n, t->spill_cap - t->spill_n, &used,
			                    NULL));
			if (used) t->rows[place].at[0] += (uint32_t)t->spill_n;
			t->spill_n += used;
			t->packed++;
			t->spilled += used > 0;
			t->idle += token < 0;
			size_t tries = tries_of(a, walk);
			t->tried += tries > 0;
			t->tries += tries;
			if (tries > t->most_tries) t->most_tries = tries;
			if (used > t->longest) t->longest = used;
		}
		gcdc_matcher_free(walk);
		free(text);
	}
	free(index.at);
	return ok;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void measure_matcher(struct measure *m, const char *path, char **texts, uint32_t n_texts)
{
	gcdc_artifact *a;
	gcdc_refusal why;
	gcdc_info info;
	gcdc_cuda_table *table;
	gcdc_cuda_batch *batch;
	struct trace t = {.n = m->rows ? m->rows : m->is_quick ? 16 : 256, .steps = m->is_quick ? 16 : 64};
	if (gcdc_artifact_open(path, NULL, &a, &why)) {
		printf("%s: %s\n", path, why.what);
		exit(1);
	}
	gcdc_artifact_info(a, &info);
	if (!trace_make(m, a, texts, n_texts, &t)) exit(1);
	printf("%s: %zu masks (%zu steps at a text's end): %zu beyond 64 bytes (at most %zu), on average %.2f bytes a row "
	       "and step;\n"
	       "  %zu masks with tokens that have to be tried, %zu all in all, at most %zu\n",
	       path, t.packed, t.idle, t.spilled, 64 + 4 * t.longest, 64 + 4 * (double)t.spill_n / (double)t.packed,
	       t.tried, t.tries, t.most_tries);
	if (m->only_pack) return;
	MUST(gcdc_cuda_table_new(a, NULL, &table));
	MUST(gcdc_cuda_batch_new(table, &(gcdc_cuda_batch_options){.n = t.n, .budgets = m->has_budgets}, &batch));
	for (uint32_t i = 0; i < t.n && m->has_budgets; i++) {
		uint32_t least;
		MUST(gcdc_matcher_min_tokens(t.start[i], true, &least));
		MUST(gcdc_matcher_set_budget(t.start[i], least + 2 * t.steps, true, NULL));
	}
	struct twin tokens = twin_new(sizeof *t.tokens * t.n * t.steps), rows = twin_new(sizeof *t.rows * t.n * t.steps);
	struct twin spill = twin_new(t.spill_n * 4 + 4);
	memcpy(tokens.host, t.tokens, tokens.size), memcpy(rows.host, t.rows, rows.size),
		memcpy(spill.host, t.spill, t.spill_n * 4);
	twin_push(&tokens), twin_push(&rows), twin_push(&spill);
	for (uint32_t type = 0; type < 3; type += 2) {
		uint32_t size = type ? 2 : 4;
		size_t per = (size_t)t.n * info.n_tokens * size;
		uint32_t k = (uint32_t)(m->beyond / per) + 2;
		if (k > MAX_LAUNCHES) k = MAX_LAUNCHES;
		uint8_t *logits = device_alloc(per * k);
		if (!logits) continue;
		MUST(device_clear(logits, 0, per * k, m->stream));
		double *us[2], sum[2] = {0};
		us[0] = mem_calloc(t.steps, sizeof(double)), us[1] = mem_calloc(t.steps, sizeof(double));
		// Each step alone between two marks: apply behind the host's rows, then accept + mask + apply, over other
		// buffers.
		for (int run = 0; run < (m->is_quick ? 1 : 5); run++) {
			for (uint32_t i = 0; i < t.n; i++) MUST(gcdc_cuda_batch_set(batch, i, t.start[i], m->stream));
			for (uint32_t s = 0; s < t.steps; s++) {
				gcdc_cuda_logits x = {logits + per * (2 * s % k), (gcdc_cuda_type)type, info.n_tokens, info.n_tokens,
				                      NULL};
				gcdc_cuda_masks packed = {.n_rows = t.n,
				                          .table = table,
				                          .rows = (gcdc_cuda_row *)rows.device + (size_t)s * t.n,
				                          .spill = spill.device,
				                          .spill_words = t.spill_n};
				gcdc_cuda_masks stepped = {
					.n_rows = t.n, .batch = batch, .tokens = (int32_t *)tokens.device + (size_t)s * t.n};
				for (int w = 0; w < 2; w++) {
					MUST(device_wait(m->stream));
					MUST(device_mark_set(m->from, m->stream));
					MUST(gcdc_cuda_apply(w ? &stepped : &packed, &x, m->stream));
					MUST(device_mark_set(m->to, m->stream));
					double one = device_mark_us(m->from, m->to);
					if (!run || one < us[w][s]) us[w][s] = one;
					x.at = logits + per * ((2 * s + 1) % k);
				}
			}
		}
		int32_t *statuses = mem_calloc(t.n, sizeof *statuses);
		MUST(device_read(statuses, gcdc_cuda_batch_statuses(batch), t.n * sizeof *statuses, m->stream));
		uint32_t failed = 0;
		for (uint32_t i = 0; i < t.n; i++) failed += statuses[i] != GCDC_OK;
		free(statuses);
		for (int w = 0; w < 2; w++) {
			for (uint32_t s = 0; s < t.steps; s++) sum[w] += us[w][s] / t.steps;
			qsort(us[w], t.steps, sizeof(double), by_value);
		}
		printf("step   %5u sequences%s  %s  accept + mask + apply %8.2f us (p50 %.2f, most %.2f)  apply alone %8.2f us "
		       "(p50 %.2f)  x %.2f"
		       "  %u sequences failed\n",
		       t.n, m->has_budgets ? ", budgets" : "", type ? "bf16" : "f32 ", sum[1], us[1][t.steps / 2],
		       us[1][t.steps - 1], sum[0], us[0][t.steps / 2], sum[1] / sum[0], failed);
		free(us[0]), free(us[1]);
		device_free(logits);
	}
	for (uint32_t i = 0; i < t.n; i++) gcdc_matcher_free(t.start[i]);
	free(t.start), free(t.tokens), free(t.rows), free(t.spill);
	twin_free(&tokens), twin_free(&rows), twin_free(&spill);
	gcdc_cuda_batch_free(batch);
	gcdc_cuda_table_free(table);
	gcdc_artifact_close(a);
}

// ---- Fused operations.
struct fused {
	struct applies a;
	gcdc_cuda_sampling how;
	int32_t *tokens;
	float *out;
	int operation;
};
static void fused_one(void *what, uint32_t k)
{
	struct fused *f = what;
	const gcdc_cuda_masks *masks = &f->a.masks[k];
	const gcdc_cuda_logits *x = &f->a.logits[k];
	if (f->operation == 0)
		MUST(gcdc_cuda_argmax(masks, x, f->tokens, f->a.m->stream));
	else if (f->operation == 1)
		MUST(gcdc_cuda_softmax(masks, x, &f->how, f->out, x->width, f->a.m->stream));
	else
		MUST(gcdc_cuda_sample(masks, x, &f->how, f->tokens, f->a.m->stream));
}

static void measure_fused(struct measure *m, uint32_t n, uint32_t width)
{
	static const char *const names[] = {"argmax", "softmax", "sample", "sample, top-k 50, top-p 0.9"};
	uint32_t words = (width + 31) / 32;
	size_t per = (size_t)n * width * 2;
	uint32_t k = (uint32_t)(m->beyond / per) + 2;
	if (k > MAX_LAUNCHES) k = MAX_LAUNCHES;
	struct twin logits = twin_new(per * k), mask = twin_new((size_t)n * words * 4), numbers = twin_new(n * 16);
	for (size_t i = 0; i < per / 2; i++)
		((uint16_t *)logits.host)[i] = (uint16_t)(rng_below(&m->rng, 2) << 15 | (0x3f00 + rng_below(&m->rng, 0x220)));
	for (uint32_t i = 1; i < k; i++) memcpy((uint8_t *)logits.host + per * i, logits.host, per);
	for (size_t i = 0; i < (size_t)n * words; i++)
		((uint32_t *)mask.host)[i] = (uint32_t)rng_next(&m->rng) | (uint32_t)rng_next(&m->rng);
	for (uint32_t i = 0; i < n; i++) {
		((float *)numbers.host)[i] = 0.8f;
		((uint32_t *)numbers.host)[n + i] = 50;
		((float *)numbers.host)[2 * n + i] = 0.9f;
		((float *)numbers.host)[3 * n + i] = 0.5f;
	}
	twin_push(&logits), twin_push(&mask), twin_push(&numbers);
	struct fused f = {.a = {.m = m}, .tokens = device_alloc(n * 4), .out = device_alloc((size_t)n * width * 4)};
	float *at = numbers.device;
	for (uint32_t i = 0; i < k; i++) {
		f.a.masks[i] = (gcdc_cuda_masks){.n_rows = n, .bits = mask.device, .words = words, .words_stride = words};
		f.a.logits[i] = (gcdc_cuda_logits){(uint8_t *)logits.device + per * i, GCDC_CUDA_BF16, width, width, NULL};
	}
	for (int o = 0; o < 4; o++) {
		f.operation = o;
		f.how = (gcdc_cuda_sampling){at, o == 3 ? (uint32_t *)(void *)(at + n) : NULL, o == 3 ? at + 2 * n : NULL,
		                             at + 3 * n};
		double us = time_launches(m, fused_one, &f, k);
		printf("fused  %5u rows  bf16  %-28s %9.2f us  (reading the logits: %zu bytes)\n", n, names[o], us, per);
	}
	device_free(f.tokens);
	device_free(f.out);
	twin_free(&logits), twin_free(&mask), twin_free(&numbers);
}

int main(int argc, char **argv)
{
	struct testing t = testing_begin(0, NULL, 0);
	struct measure m = {.from = device_mark_new(), .to = device_mark_new(), .rng = {t.seed}};
	bool apply = false, fused = false;
	char *artifact = NULL, *texts[512];
	uint32_t n_texts = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--apply"))
			apply = true;
		else if (!strcmp(argv[i], "--fused"))
			fused = true;
		else if (!strcmp(argv[i], "--quick"))
			m.is_quick = true;
		else if (!strcmp(argv[i], "--pack"))
			m.only_pack = true;
		else if (!strcmp(argv[i], "--budgets"))
			m.has_budgets = true;
		else if (!strcmp(argv[i], "--rows") && i + 1 < argc)
			m.rows = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--artifact") && i + 1 < argc)
			artifact = argv[++i];
		else if (!strcmp(argv[i], "--text") && i + 1 < argc && n_texts < 512)
			texts[n_texts++] = argv[++i];
		else
			return printf("usage: measure [--quick] [--pack] [--apply] [--fused] [--rows N] [--artifact FILE --text "
			              "FILE...]\n"),
			       2;
	}
	MUST(device_stream_new(&m.stream));
	m.beyond = m.is_quick ? 1 << 16 : 2 * device_cache_size() + (1 << 20);
	printf("%s, cache %zu MiB, buffers of %zu MiB\n", device_name(), device_cache_size() >> 20, m.beyond >> 20);
	if (device_is_host()) printf("the host build: these figures are none\n");
	uint32_t width = m.is_quick ? 3000 : 128256;
	const uint32_t masked[] = {1, m.is_quick ? 1500 : 64000, m.is_quick ? 2900 : 127000};
	for (uint32_t n = 64; apply && n <= (m.is_quick ? 64 : 4096); n *= 64)
		for (uint32_t type = 0; type < 3; type += 2)
			for (int k = 0; k < 3; k++) measure_apply(&m, m.is_quick ? 3 : n, type, width, masked[k]);
	if (fused) measure_fused(&m, m.rows ? m.rows : m.is_quick ? 2 : 64, width);
	if (artifact && n_texts) measure_matcher(&m, artifact, texts, n_texts);
	device_mark_free(m.from);
	device_mark_free(m.to);
	device_stream_free(m.stream);
	return failures != 0;
}
