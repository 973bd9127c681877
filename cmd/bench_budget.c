// gcdc bench --budget: masks and steps under budgets, beside those without.
//
// In:  texts as tokens. Out: percentiles, in microseconds, of fill without a budget, with one so far away that nothing
// is priced, and with the least that the position needs + 0, 1, 2, 5, 10, 50; over all positions and over those where
// the budget takes tokens away, with the plain fill at the same positions and how many times as long it is beside.
// Accept is measured without and with the far budget. Each series has a matcher of its own. They take turns, text by
// text, and another one begins each text, so that what else the machine does falls on all of them; and each asks for
// the least and sets its budget, or none, before each fill, so that caches are alike: that is timed by itself, and
// voids what the matcher knows of the mask. The least of `replays` walks is a position's figure; the first walk, with
// nothing worked out yet, stands beside.
#include "bench_budget.h"

#include "../lib/base/sort.h"
#include "cli.h"
#include "json_text.h"

#define FAR_BUDGET (1u << 30)

enum { PLAIN, FAR_AWAY, FIRST_MORE };
static const uint32_t more_of[] = {0, 1, 2, 5, 10, 50};
#define N_MORE (sizeof more_of / sizeof *more_of)
#define N_SERIES (FIRST_MORE + N_MORE)

struct series {
	char name[32];
	uint32_t *fill, *fill_first, *accept, *set;  // [positions], ticks
	uint32_t *count;                             // [positions] tokens allowed
	uint8_t *bites;                              // [positions] not as many as without a budget
	gcdc_matcher *matcher;
};

struct budget_bench {
	const char *me;
	const gcdc_artifact *artifact;
	const struct bench_text *texts;
	size_t *first;  // [n_texts] a text's first position
	uint32_t n_texts, n_words;
	size_t n;  // positions
	const struct bench_clock *clock;
	uint32_t *mask, *scratch;
	uint64_t unpriced;  // tokens that masks had not because a search gave up, in hard canonical mode
	struct series series[N_SERIES];
};

struct percentiles {
	double p50, p99, max;
	size_t n;
};

// Of the positions with a figure, and that are marked where there are marks.
static struct percentiles percentiles_of(struct budget_bench *b, const uint32_t *ticks, const uint8_t *marks)
{
	struct percentiles p = {0};
	for (size_t i = 0; i < b->n; i++)
		if (ticks[i] != UINT32_MAX && (!marks || marks[i])) b->scratch[p.n++] = ticks[i];
	if (!p.n) return p;
	qsort(b->scratch, p.n, sizeof *b->scratch, sort_compare_uint32_t);
	p.p50 = b->clock->us_per_tick * b->scratch[p.n / 2];
	p.p99 = b->clock->us_per_tick * b->scratch[p.n * 99 / 100];
	p.max = b->clock->us_per_tick * b->scratch[p.n - 1];
	return p;
}

static uint32_t count_bits(const struct budget_bench *b)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < b->n_words; w++) n += (uint32_t)__builtin_popcount(b->mask[w]);
	return n;
}

static inline void keep(uint32_t *at, uint64_t ticks)
{
	if (ticks < *at) *at = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX - 1;
}

// What the position needs, and the budget of the series.
static gcdc_status set_budget(struct budget_bench *b, uint32_t which, size_t at)
{
	struct series *s = &b->series[which];
	uint32_t least;
	uint64_t t0 = bench_clock_now();
	gcdc_status status = gcdc_matcher_min_tokens(s->matcher, true, &least);
	uint32_t budget = which == PLAIN ? GCDC_NONE : which == FAR_AWAY ? FAR_BUDGET : least + more_of[which - FIRST_MORE];
	if (!status) status = gcdc_matcher_set_budget(s->matcher, budget, true, NULL);
	keep(&s->set[at], bench_clock_now() - t0);
	return status;
}

// One text once.
static gcdc_status walk(struct budget_bench *b, uint32_t which, uint32_t text, bool is_first)
{
	struct series *s = &b->series[which];
	gcdc_matcher *m = s->matcher;
	gcdc_matcher_reset(m);
	gcdc_status status = GCDC_OK;
	size_t at = b->first[text];
	for (size_t k = 0; k < b->texts[text].n && !status; k++, at++) {
		status = set_budget(b, which, at);
		if (status) return status;
		uint64_t t0 = bench_clock_now();
		status = gcdc_matcher_fill(m, b->mask, b->n_words, NULL);
		uint64_t t1 = bench_clock_now();
		if (status) return status;
		keep(&s->fill[at], t1 - t0);
		if (is_first) {
			keep(&s->fill_first[at], t1 - t0);
			s->count[at] = count_bits(b);
		}
		if (which >= FIRST_MORE) status = gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL);
		if (which >= FIRST_MORE && !status)
			status = gcdc_matcher_fill(m, b->mask, b->n_words, NULL);  // not part of accept
		t0 = bench_clock_now();
		if (!status) status = gcdc_matcher_accept(m, b->texts[text].tokens[k]);
		t1 = bench_clock_now();
		keep(&s->accept[at], t1 - t0);
	}
	return status;
}

static gcdc_status run_all(struct budget_bench *b, uint32_t replays)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < N_SERIES && !status; i++)
		status = gcdc_matcher_new(b->artifact, NULL, &b->series[i].matcher);
	for (uint32_t r = 0; r < replays && !status; r++)
		for (uint32_t text = 0; text < b->n_texts; text++)
			for (uint32_t i = 0; i < N_SERIES && !status; i++)
				status = walk(b, (uint32_t)((text + i) % N_SERIES), text, r == 0);
	for (uint32_t i = 0; i < N_SERIES; i++) {
		b->unpriced += gcdc_matcher_unpriced(b->series[i].matcher);
		for (size_t at = 0; at < b->n; at++)
			b->series[i].bites[at] = b->series[i].count[at] != b->series[PLAIN].count[at];
	}
	return status;
}

static void put(struct json_writer *j, const char *key, const struct percentiles *p)
{
	json_key(j, key);
	json_object(j);
	json_uint_entry(j, "positions", p->n);
	json_real_entry(j, "p50", p->p50);
	json_real_entry(j, "p99", p->p99);
	json_real_entry(j, "max", p->max);
	json_close(j);
}

// A line of the table: fill and first visits, each beside the plain ones; accept; asking for the least and setting the
// budget.
enum timed { FILL, FILL_THAT_BITES, ACCEPT, SET };
struct line {
	char name[64];
	enum timed of;
	struct percentiles all, first, plain, plain_first;
};

static const uint32_t *ticks_of(const struct series *s, enum timed of)
{
	return of == ACCEPT ? s->accept : of == SET ? s->set : s->fill;
}

static struct line line_of(struct budget_bench *b, const struct series *s, enum timed of)
{
	static const char *const name[] = {"fill", "fill", "accept", "set"};
	struct line x = {.of = of};
	const struct series *plain = &b->series[PLAIN];
	const uint8_t *marks = of == FILL_THAT_BITES ? s->bites : NULL;
	snprintf(x.name, sizeof x.name, "%s, %s%s", name[of], s->name, marks ? ", bites" : "");
	x.all = percentiles_of(b, ticks_of(s, of), marks);
	x.first = percentiles_of(b, s->fill_first, marks);
	x.plain = percentiles_of(b, ticks_of(plain, of), marks);
	x.plain_first = percentiles_of(b, plain->fill_first, marks);
	return x;
}

static void put_line(struct json_writer *j, const struct line *x)
{
	json_key(j, x->name);
	json_object(j);
	put(j, "us", &x->all);
	put(j, "plain_us", &x->plain);
	if (x->of <= FILL_THAT_BITES) put(j, "first_us", &x->first), put(j, "plain_first_us", &x->plain_first);
	json_close(j);
}

static double times(double x, double plain) { return plain > 0 ? x / plain : 0; }

static void print_line(const struct line *x)
{
	printf("%-26s %9zu | %6.3f %7.3f %6.2f %5.2f %9.3f | %6.3f %7.3f", x->name, x->all.n, x->all.p50, x->all.p99,
	       times(x->all.p50, x->plain.p50), times(x->all.p99, x->plain.p99), x->all.max, x->plain.p50, x->plain.p99);
	if (x->of <= FILL_THAT_BITES)
		printf(" | %7.3f %8.3f | %7.3f %8.3f", x->first.p50, x->first.p99, x->plain_first.p50, x->plain_first.p99);
	putchar('\n');
}

static void report(struct budget_bench *b, bool is_json)
{
	struct json_writer j;
	if (is_json) {
		json_begin(&j, stdout);
		json_object(&j);
	} else {
		printf(
			"%-26s %9s | %6s %7s %12s %9s | %14s | %16s | %16s\n%-26s %9s | %6s %7s %6s %5s %9s | %6s %7s | %7s %8s | "
			"%7s %8s\n",
			"", "", "", "", "times plain", "", "plain", "first visits", "plain", "us", "positions", "p50", "p99", "p50",
			"p99", "max", "p50", "p99", "p50", "p99", "p50", "p99");
	}
	for (enum timed of = FILL; of <= SET; of++) {
		for (uint32_t i = of == FILL_THAT_BITES ? FIRST_MORE : 0; i < (of >= ACCEPT ? FIRST_MORE : N_SERIES); i++) {
			struct line x = line_of(b, &b->series[i], of);
			if (is_json)
				put_line(&j, &x);
			else
				print_line(&x);
		}
	}
	if (is_json) {
		if (gcdc_artifact_canonical(b->artifact) == GCDC_CANONICAL_HARD) json_uint_entry(&j, "unpriced", b->unpriced);
		json_close(&j);
		json_end(&j);
	} else if (b->unpriced) {
		puts(cli_unpriced(b->unpriced, (char[CLI_UNPRICED]){0}));
	}
}

static void series_init(struct series *s, uint32_t which, size_t n)
{
	if (which < FIRST_MORE)
		snprintf(s->name, sizeof s->name, "%s", which == PLAIN ? "no budget" : "budget far away");
	else
		snprintf(s->name, sizeof s->name, "minimum + %u", more_of[which - FIRST_MORE]);
	uint32_t **arrays[] = {&s->fill, &s->fill_first, &s->accept, &s->set, &s->count};
	for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
		*arrays[k] = mem_calloc(n + 1, sizeof **arrays[k]);
		memset(*arrays[k], 0xFF, n * sizeof **arrays[k]);
	}
	s->bites = mem_calloc(n + 1, 1);
}

static void series_release(struct series *s)
{
	gcdc_matcher_free(s->matcher);
	free(s->fill);
	free(s->fill_first);
	free(s->accept);
	free(s->set);
	free(s->count);
	free(s->bites);
}

int bench_budget(const struct budget_job *job)
{
	struct budget_bench b = {.me = job->command,
	                         .artifact = job->artifact,
	                         .texts = job->texts,
	                         .n_texts = job->n_texts,
	                         .clock = job->clock};
	gcdc_info info;
	gcdc_artifact_info(job->artifact, &info);
	b.n_words = info.mask_words;
	b.first = mem_calloc(job->n_texts + 1, sizeof *b.first);
	for (uint32_t i = 0; i < job->n_texts; i++) b.first[i] = b.n, b.n += job->texts[i].n;
	b.mask = mem_calloc(b.n_words, sizeof *b.mask);
	b.scratch = mem_calloc(b.n + 1, sizeof *b.scratch);
	for (uint32_t i = 0; i < N_SERIES; i++) series_init(&b.series[i], i, b.n);
	gcdc_status status = run_all(&b, job->replays);
	if (!status) report(&b, job->is_json);
	for (uint32_t i = 0; i < N_SERIES; i++) series_release(&b.series[i]);
	free(b.first);
	free(b.mask);
	free(b.scratch);
	return status ? cli_status_error(job->command, "under a budget", status) : CODE_OK;
}
