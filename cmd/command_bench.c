// gcdc bench: how long masks and steps take, on real texts.
//
// In:  an artifact, files. Out: percentiles of fill (the whole mask written into the caller's words) and of accept, in
// microseconds, over all positions of all texts; what opening takes; memory.
// Each text is walked as a decoder does: fill, accept, fill, ... to EOS, on one thread, REPLAYS times; a position's
// figure is the least of its replays, which takes the machine's interruptions out, and the first replay's own figures
// stand beside (an artifact just opened, nothing warm). Nothing is subtracted; the clock's overhead is reported. All
// arrays are there before the first reading.
#include <malloc.h>

#include "../lib/base/sort.h"
#include "allowed.h"
#include "bench_budget.h"
#include "bench_cuda.h"
#include "bench_clock.h"
#include "json_text.h"
#include "options.h"
#include "token_cut.h"

#define ME "bench"
#define REPLAYS_DEFAULT 5u
#define OPEN_THREADS 4u
#define OPENS_MAX 21u
#define OPENS_SECONDS 2.0

struct trace {
	const char *path;
	size_t first, n;  // positions: one a token, and one for EOS
};

enum series { FILL, ACCEPT, FILL_FIRST, ACCEPT_FIRST, SETS, COPY, N_SERIES };
static const char *const series_name[N_SERIES] = {"fill_us",         "accept_us", "fill_first_us",
                                                  "accept_first_us", "sets_us",   "copy_us"};
static const char *const series_about[N_SERIES] = {
	"fill", "accept", "fill, first replay", "accept, first replay", "mask as set ids", "copy of a row (floor)"};

struct bench {
	const char *path, *vocab;
	gcdc_artifact *artifact;
	gcdc_matcher *matcher;
	gcdc_info info;
	struct bench_clock clock;
	uint32_t replays, n_sequences;  // of them on a GPU; 0: none
	bool budgets;
	uint32_t budget_replays;
	token_list tokens;  // of all texts; EOS behind each
	VEC(struct trace) traces;
	uint32_t *ticks[N_SERIES];    // [tokens.n]
	uint32_t *mask_block, *mask;  // the mask begins at a multiple of 64 bytes, as <gcdc/runtime.h> advises
	size_t n_bytes;
	uint32_t n_refused, n_texts;
	uint64_t rss_at_start_kb;
	double open_us, open_first_us, open_shared_us, open_trusted_us, start_us;
	size_t matcher_bytes, artifact_bytes;
};

static uint64_t status_kb(const char *key)
{
	char line[256];
	unsigned long long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");
	if (!f) return 0;
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), ": %llu", &kb) == 1) break;
	fclose(f);
	return kb;
}

// ---- Opening.

static double microseconds(const struct bench *b, uint64_t since)
{
	return (double)(bench_clock_now() - since) * b->clock.us_per_tick;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

// The median of several opens; the artifact is known to open.
static double time_opens(const struct bench *b, bool trusted, uint32_t threads)
{
	double us[OPENS_MAX], begin = cli_seconds();
	uint32_t n = 0;
	while (n < OPENS_MAX && (n < 3 || cli_seconds() - begin < OPENS_SECONDS)) {
		gcdc_artifact *artifact;
		gcdc_open_options o = {.vocab_path = b->vocab, .trusted = trusted, .threads = threads};
		uint64_t t = bench_clock_now();
		gcdc_status status = gcdc_artifact_open(b->path, &o, &artifact, NULL);
		us[n++] = microseconds(b, t);
		if (status) return 0;
		gcdc_artifact_close(artifact);
	}
	qsort(us, n, sizeof *us, compare_double);
	return us[n / 2];
}

// Counts what is allocated, block sizes as malloc rounds them.
static void *counting_resize(void *context, void *block, size_t size)
{
	size_t *bytes = context, before = malloc_usable_size(block);
	if (!size) {
		*bytes -= before;
		free(block);
		return NULL;
	}
	void *p = realloc(block, size);
	if (p) *bytes += malloc_usable_size(p) - before;
	return p;
}

static void measure_memory(struct bench *b)
{
	size_t bytes = 0;
	gcdc_memory memory = {counting_resize, &bytes};
	gcdc_open_options o = {.vocab_path = b->vocab, .memory = &memory};
	gcdc_artifact *artifact;
	gcdc_matcher *m;
	if (gcdc_artifact_open(b->path, &o, &artifact, NULL)) return;
	b->artifact_bytes = bytes;
	if (!gcdc_matcher_new(artifact, NULL, &m)) {
		// After the longest text, as large as it gets here.
		const struct trace *longest = &b->traces.at[0];
		for (uint32_t i = 1; i < b->traces.n; i++)
			if (b->traces.at[i].n > longest->n) longest = &b->traces.at[i];
		bool ok = true;
		for (size_t i = 0; ok && i + 1 < longest->n; i++)
			ok = !gcdc_matcher_fill(m, b->mask, b->info.mask_words, NULL) &&
			     !gcdc_matcher_accept(m, b->tokens.at[longest->first + i]);
		b->matcher_bytes = bytes - b->artifact_bytes;
		gcdc_matcher_free(m);
	}
	gcdc_artifact_close(artifact);
}

// ---- Replays.

static inline uint32_t narrow(uint64_t ticks) { return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks; }
static inline void keep_least(uint32_t *at, uint64_t ticks)
{
	if (ticks < *at) *at = narrow(ticks);
}

// One text once up to *at, where it stopped.
static gcdc_status replay(struct bench *b, gcdc_matcher *m, const struct trace *t, bool is_first, size_t *at)
{
	uint32_t words = b->info.mask_words;
	gcdc_matcher_reset(m);
	for (size_t i = t->first; i < t->first + t->n; i++) {
		uint32_t token = b->tokens.at[i];
		uint64_t t0 = bench_clock_now();
		gcdc_status filled = gcdc_matcher_fill(m, b->mask, words, NULL);
		uint64_t t1 = bench_clock_now();
		gcdc_status taken = filled ? filled : gcdc_matcher_accept(m, token);
		uint64_t t2 = bench_clock_now();
		*at = i;
		if (taken) return taken;
		if (!allowed_has(b->mask, token)) return GCDC_ERR_INTERNAL;
		if (is_first) b->ticks[FILL_FIRST][i] = narrow(t1 - t0), b->ticks[ACCEPT_FIRST][i] = narrow(t2 - t1);
		keep_least(&b->ticks[FILL][i], t1 - t0);
		keep_least(&b->ticks[ACCEPT][i], t2 - t1);
	}
	return GCDC_OK;
}

// The same with the mask as sets only, and with a copy of one of its rows: what writing a mask cannot be faster than.
static gcdc_status replay_sets(struct bench *b, gcdc_matcher *m, const struct trace *t)
{
	size_t bytes = (size_t)b->info.mask_words * sizeof *b->mask;
	gcdc_matcher_reset(m);
	for (size_t i = t->first; i < t->first + t->n; i++) {
		gcdc_mask_sets parts;
		const uint32_t *row = NULL;
		uint64_t t0 = bench_clock_now();
		gcdc_status status = gcdc_matcher_mask_sets(m, &parts);
		uint64_t t1 = bench_clock_now();
		if (status) return status;
		keep_least(&b->ticks[SETS][i], t1 - t0);
		gcdc_set set;
		for (uint32_t k = 0; k < parts.n_sets && !row; k++)
			if (gcdc_artifact_set(b->artifact, parts.sets[k], &set)) row = set.bits;
		if (!row) row = gcdc_artifact_row(b->artifact, 0);
		if (row) {
			t0 = bench_clock_now();
			memcpy(b->mask, row, bytes);
			__asm__ volatile("" : : "r"(b->mask) : "memory");
			t1 = bench_clock_now();
			keep_least(&b->ticks[COPY][i], t1 - t0);
		}
		status = gcdc_matcher_accept(m, b->tokens.at[i]);
		if (status) return status;
	}
	return GCDC_OK;
}

// A refused text is taken out of the figures: its positions are cut away.
static void drop_trace(struct bench *b, uint32_t i)
{
	struct trace gone = b->traces.at[i];
	size_t after = gone.first + gone.n;
	memmove(b->tokens.at + gone.first, b->tokens.at + after, (b->tokens.n - after) * sizeof *b->tokens.at);
	for (int s = 0; s < N_SERIES; s++)
		memmove(b->ticks[s] + gone.first, b->ticks[s] + after, (b->tokens.n - after) * sizeof **b->ticks);
	b->tokens.n -= (uint32_t)gone.n;
	for (uint32_t k = i; k + 1 < b->traces.n; k++) {
		b->traces.at[k] = b->traces.at[k + 1];
		b->traces.at[k].first -= gone.n;
	}
	b->traces.n--;
	b->n_refused++;
}

// Branches: the first replay drops texts that are refused; the later ones only measure.
static int run_replays(struct bench *b)
{
	uint64_t t = bench_clock_now();
	gcdc_status status = gcdc_matcher_new(b->artifact, NULL, &b->matcher);
	b->start_us = microseconds(b, t);
	if (status) return cli_status_error(ME, b->path, status);
	gcdc_matcher *m = b->matcher;
	for (uint32_t i = 0; i < b->traces.n && !status;) {
		size_t at = 0;
		status = replay(b, m, &b->traces.at[i], true, &at);
		if (status == GCDC_REJECTED) {
			size_t k = at - b->traces.at[i].first;
			cli_error(0, ME, "%s: refused at token %zu of %zu ('gcdc check' tells more); it does not count",
			          b->traces.at[i].path, k, b->traces.at[i].n);
			drop_trace(b, i);
			status = GCDC_OK;
		} else if (status) {
			cli_status_error(ME, b->traces.at[i].path, status);
		} else {
			i++;
		}
	}
	size_t at;
	for (uint32_t r = 1; r < b->replays && !status; r++)
		for (uint32_t i = 0; i < b->traces.n && !status; i++) status = replay(b, m, &b->traces.at[i], false, &at);
	for (uint32_t r = 0; r < b->replays && !status; r++)
		for (uint32_t i = 0; i < b->traces.n && !status; i++) status = replay_sets(b, m, &b->traces.at[i]);
	return status ? cli_status_code(status < 0 ? status : GCDC_ERR_INTERNAL) : CODE_OK;
}

// ---- Figures.

struct figures {
	double p50, p90, p99, p999, max, mean;
};

// Sorts `ticks`. The q-th percentile is the least figure that at least q of them do not pass.
static struct figures figures_of(const struct bench *b, uint32_t *ticks, size_t n)
{
	struct figures f = {0};
	if (!n) return f;
	qsort(ticks, n, sizeof *ticks, sort_compare_uint32_t);
	const double q[4] = {0.5, 0.9, 0.99, 0.999};
	double *to[4] = {&f.p50, &f.p90, &f.p99, &f.p999};
	for (int i = 0; i < 4; i++) {
		size_t k = (size_t)(q[i] * (double)n);
		*to[i] = b->clock.us_per_tick * ticks[k < n ? k : n - 1];
	}
	f.max = b->clock.us_per_tick * ticks[n - 1];
	for (size_t i = 0; i < n; i++) f.mean += b->clock.us_per_tick * ticks[i] / (double)n;
	return f;
}

// Positions in the first (or last) tenth of their text.
static struct figures figures_of_tenth(const struct bench *b, enum series s, bool last, uint32_t *scratch)
{
	size_t n = 0;
	for (uint32_t i = 0; i < b->traces.n; i++) {
		const struct trace *t = &b->traces.at[i];
		size_t tenth = t->n / 10;
		memcpy(scratch + n, b->ticks[s] + t->first + (last ? t->n - tenth : 0), tenth * sizeof *scratch);
		n += tenth;
	}
	return figures_of(b, scratch, n);
}

static void put_figures(struct json_writer *j, const char *key, const struct figures *f)
{
	json_key(j, key);
	json_object(j);
	json_real_entry(j, "p50", f->p50);
	json_real_entry(j, "p90", f->p90);
	json_real_entry(j, "p99", f->p99);
	json_real_entry(j, "p999", f->p999);
	json_real_entry(j, "max", f->max);
	json_real_entry(j, "mean", f->mean);
	json_close(j);
}

static void release_arrays(struct bench *b)
{
	for (int s = 0; s < N_SERIES; s++) free(b->ticks[s]), b->ticks[s] = NULL;
	vec_release(&b->tokens);
	vec_release(&b->traces);
}

static void report(struct bench *b, bool is_json)
{
	measure_memory(b);
	uint32_t *scratch = mem_calloc(b->tokens.n, sizeof *scratch);
	struct figures tenth[2][2], all[N_SERIES];
	for (int s = 0; s < 2; s++)
		for (int last = 0; last < 2; last++) tenth[s][last] = figures_of_tenth(b, s ? ACCEPT : FILL, last, scratch);
	free(scratch);
	for (int s = 0; s < N_SERIES; s++) all[s] = figures_of(b, b->ticks[s], b->tokens.n);
	// What stays is what a host has: program, artifact, matcher, one mask.
	uint32_t n_tokens = b->tokens.n;
	release_arrays(b);
	malloc_trim(0);
	uint64_t resident = status_kb("VmRSS"), anonymous = status_kb("RssAnon"), peak = status_kb("VmHWM");
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"texts", b->n_texts},
	               {"texts_refused", b->n_refused},
	               {"tokens", n_tokens},
	               {"bytes", b->n_bytes},
	               {"replays", b->replays},
	               {"resident_kb", resident},
	               {"resident_anonymous_kb", anonymous},
	               {"resident_at_start_kb", b->rss_at_start_kb},
	               {"peak_kb", peak},
	               {"file_bytes", b->info.file_size},
	               {"artifact_heap_bytes", b->artifact_bytes},
	               {"matcher_bytes", b->matcher_bytes},
	               {"mask_bytes", (uint64_t)b->info.mask_words * 4},
	               {"vocab_size", b->info.n_tokens}};
	const struct {
		const char *name;
		double value;
	} times[] = {{"open_us", b->open_us},
	             {"open_first_us", b->open_first_us},
	             {"open_shared_us", b->open_shared_us},
	             {"open_trusted_us", b->open_trusted_us},
	             {"start_us", b->start_us},
	             {"timer_us", b->clock.overhead_us}};
	if (!is_json) {
		printf("%-24s %9s %9s %9s %9s %9s %9s\n", "us", "p50", "p90", "p99", "p99.9", "max", "mean");
		for (int s = 0; s < N_SERIES; s++)
			printf("%-24s %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", series_about[s], all[s].p50, all[s].p90, all[s].p99,
			       all[s].p999, all[s].max, all[s].mean);
		for (int s = 0; s < 2; s++)
			printf("%-24s p50 %.3f, p99 %.3f; last tenth p50 %.3f, p99 %.3f\n",
			       s ? "accept, first tenth" : "fill, first tenth", tenth[s][0].p50, tenth[s][0].p99, tenth[s][1].p50,
			       tenth[s][1].p99);
		for (size_t i = 0; i < sizeof times / sizeof *times; i++)
			printf("%-24s %12.3f\n", times[i].name, times[i].value);
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
			printf("%-24s %12llu\n", numbers[i].name, (unsigned long long)numbers[i].value);
		printf("%-24s %12s\n", "clock", b->clock.name);
		return;
	}
	struct json_writer j;
	json_begin(&j, stdout);
	json_object(&j);
	for (int s = 0; s < N_SERIES; s++) put_figures(&j, series_name[s], &all[s]);
	put_figures(&j, "fill_first_tenth_us", &tenth[0][0]);
	put_figures(&j, "fill_last_tenth_us", &tenth[0][1]);
	put_figures(&j, "accept_first_tenth_us", &tenth[1][0]);
	put_figures(&j, "accept_last_tenth_us", &tenth[1][1]);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) json_real_entry(&j, times[i].name, times[i].value);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		json_uint_entry(&j, numbers[i].name, numbers[i].value);
	json_string_entry(&j, "clock", b->clock.name);
	json_close(&j);
	json_end(&j);
}

// ---- The texts as tokens; the tokenizer is gone again before anything is measured.

static int read_texts(struct bench *b, const struct file_list *files, const char *tokenizer)
{
	struct token_cutter cutter;
	token_list tokens = {0};
	uint32_t n_eos;
	const uint32_t *eos = gcdc_artifact_eos(b->artifact, &n_eos);
	int code =
		token_cutter_init(&cutter, &(struct cutter_options){ME, b->artifact, b->path, tokenizer, CUT_TOKENIZER, 0});
	if (!code && !n_eos) code = cli_error(CODE_DATA, ME, "%s: has no EOS token", b->path);
	for (uint32_t i = 0; i < files->n && !code; i++) {
		char *text;
		size_t len, stuck = 0;
		if (!cli_read_file(ME, files->at[i], &text, &len)) {
			code = CODE_IO;
			break;
		}
		b->n_texts++;
		if (token_cutter_cut(&cutter, files->at[i], text, len, &tokens, &stuck)) {
			vec_push(&b->traces, ((struct trace){files->at[i], b->tokens.n, tokens.n + 1u}));
			for (uint32_t k = 0; k < tokens.n; k++) vec_push(&b->tokens, tokens.at[k]);
			vec_push(&b->tokens, eos[0]);
			b->n_bytes += len;
		} else {
			cli_error(0, ME, "%s: offset %zu: no tokens of the vocabulary spell it from here; it does not count",
			          files->at[i], stuck);
			b->n_refused++;
		}
		free(text);
	}
	vec_release(&tokens);
	token_cutter_release(&cutter);
	return code;
}

// On a GPU, or under budgets.
static int run_other(struct bench *b, bool is_json)
{
	struct bench_text *texts = mem_calloc(b->traces.n, sizeof *texts);
	for (uint32_t i = 0; i < b->traces.n; i++)
		texts[i] = (struct bench_text){b->tokens.at + b->traces.at[i].first, b->traces.at[i].n};
	const struct budget_job job = {ME, b->artifact, texts, b->traces.n, b->budget_replays, &b->clock, is_json};
	int code =
		b->budgets ? bench_budget(&job) : bench_cuda(ME, b->artifact, texts, b->traces.n, b->n_sequences, is_json);
	free(texts);
	return code;
}

static int run(struct bench *b, const struct file_list *files, const char *tokenizer, bool is_json)
{
	b->rss_at_start_kb = status_kb("VmRSS");
	int code = cli_open(ME, b->path, b->vocab, &b->artifact);
	if (!code) code = read_texts(b, files, tokenizer);
	gcdc_artifact_close(b->artifact);
	b->artifact = NULL;
	if (code) return code;
	for (int s = 0; s < N_SERIES; s++) {
		b->ticks[s] = mem_calloc(b->tokens.n, sizeof **b->ticks);
		if (s != FILL_FIRST && s != ACCEPT_FIRST) memset(b->ticks[s], 0xFF, b->tokens.n * sizeof **b->ticks);
	}
	b->clock = bench_clock_init();
	uint64_t t = bench_clock_now();
	gcdc_open_options o = {.vocab_path = b->vocab};
	gcdc_status status = gcdc_artifact_open(b->path, &o, &b->artifact, NULL);
	b->open_first_us = microseconds(b, t);
	if (status) return cli_status_error(ME, b->path, status);
	gcdc_artifact_info(b->artifact, &b->info);
	b->mask_block = mem_calloc(b->info.mask_words + 16, sizeof *b->mask);
	b->mask = b->mask_block + (64 - (uintptr_t)b->mask_block % 64) % 64 / sizeof *b->mask;
	code = run_replays(b);
	if (!code && !b->traces.n) code = cli_error(CODE_NO, ME, "no text was accepted: there is nothing to measure");
	bool other = b->n_sequences || b->budgets;
	if (!code && other) code = run_other(b, is_json);
	if (code || other) return code;
	b->open_us = time_opens(b, false, 1);
	b->open_shared_us = time_opens(b, false, OPEN_THREADS);
	b->open_trusted_us = time_opens(b, true, 1);
	report(b, is_json);
	return b->n_refused ? CODE_NO : CODE_OK;
}

int command_bench(int argc, char **argv)
{
	struct bench b = {0};
	struct file_list files = {0};
	const char *tokenizer = NULL;
	struct number replays = {.value = REPLAYS_DEFAULT}, sequences = {0};
	bool is_json = false;
	const struct positional positionals[] = {
		{"ARTIFACT", POSITIONAL_ONE, &b.path, "what 'gcdc compile' wrote"},
		{"FILE", POSITIONAL_MANY, &files, "texts of the language"},
	};
	const struct option_spec options[] = {
		CUTTER_OPTION(&tokenizer),
		NUMBER_OPTION("replays", &replays, "N", 1, 1000, "each position's figure is the least of N (5)"),
		VOCAB_OPTION(&b.vocab),
		NUMBER_OPTION("cuda", &sequences, "N", 1, 4096, "on a GPU instead, a batch of N sequences"),
		FLAG_OPTION("budget", &b.budgets,
	                "under token budgets, beside masks without: far away, and\nthe least + 0, 1, 2, 5, 10, 50 at each "
	                "position"),
		FLAG_OPTION("json", &is_json, "one JSON object"),
	};
	const struct usage usage =
		USAGE(ME, "Measures masks and steps along texts, on one thread.", positionals, options,
	          "All times in microseconds; nothing is subtracted (timer_us is the clock's own cost). resident_kb is\n"
	          "the process with the artifact open and one matcher, after the replays.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	b.replays = (uint32_t)replays.value;
	b.n_sequences = (uint32_t)sequences.value;
	b.budget_replays = b.replays;
	if (b.n_sequences && b.budgets) return cli_error(CODE_USAGE, ME, "--cuda and --budget exclude each other");
	if (b.n_sequences || b.budgets) b.replays = 1;  // to know that the texts are accepted
	code = run(&b, &files, tokenizer, is_json);
	gcdc_matcher_free(b.matcher);
	gcdc_artifact_close(b.artifact);
	release_arrays(&b);
	free(b.mask_block);
	return code;
}
