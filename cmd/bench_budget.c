// gcdc bench --budget: masks and steps under budgets, beside those without.
//
// In:  texts as tokens. Out: percentiles, in microseconds, of fill without a budget, with one so far away that nothing
// is priced, and with the least that the position needs + 0, 1, 2, 5, 10, 50; over all positions and over those where
// the budget takes tokens away, with the plain fill at the same positions beside. Accept is measured without and with
// the far budget. Each series has a matcher of its own, walks all texts `replays` times, and keeps the least of a
// position; the first walk, with nothing worked out yet, stands beside. Setting the budget is not timed, and voids what
// the matcher knows of the mask.
#include "bench_budget.h"

#include "cli.h"
#include "json_text.h"

#define FAR_BUDGET (1u << 30)

enum { PLAIN, FAR_AWAY, FIRST_MORE };
static const uint32_t more_of[] = {0, 1, 2, 5, 10, 50};
#define N_MORE (sizeof more_of / sizeof *more_of)
#define N_SERIES (FIRST_MORE + N_MORE)

struct series {
	char name[32];
	uint32_t *fill, *fill_first, *accept;  // [positions], ticks
	uint8_t *bites;                        // [positions] other than the plain mask
};

struct budget_bench {
	const char *me;
	const gcdc_artifact *artifact;
	const struct bench_text *texts;
	uint32_t n_texts, n_words;
	size_t n;  // positions
	const struct bench_clock *clock;
	uint32_t *mask, *plain_count, *scratch;
	uint64_t unpriced;  // tokens that masks had not because a search gave up, in hard canonical mode
	struct series series[N_SERIES];
};

struct percentiles {
	double p50, p99, max;
	size_t n;
};

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

// Of the positions with a figure, and that are marked where there are marks.
static struct percentiles percentiles_of(struct budget_bench *b, const uint32_t *ticks, const uint8_t *marks)
{
	struct percentiles p = {0};
	for (size_t i = 0; i < b->n; i++)
		if (ticks[i] != UINT32_MAX && (!marks || marks[i])) b->scratch[p.n++] = ticks[i];
	if (!p.n) return p;
	qsort(b->scratch, p.n, sizeof *b->scratch, compare_u32);
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

// Branches: the series differ in which budget they set around the one call that is timed.
static gcdc_status walk(struct budget_bench *b, gcdc_matcher *m, uint32_t which, bool is_first)
{
	struct series *s = &b->series[which];
	size_t at = 0;
	for (uint32_t i = 0; i < b->n_texts; i++) {
		gcdc_matcher_reset(m);
		gcdc_status status = which == FAR_AWAY ? gcdc_matcher_set_budget(m, FAR_BUDGET, true, NULL) : GCDC_OK;
		for (size_t k = 0; k < b->texts[i].n && !status; k++, at++) {
			uint32_t least, token = b->texts[i].tokens[k];
			if (which >= FIRST_MORE) {
				status = gcdc_matcher_min_tokens(m, true, &least);
				if (!status) status = gcdc_matcher_set_budget(m, least + more_of[which - FIRST_MORE], true, NULL);
				if (status) return status;
			}
			uint64_t t0 = bench_clock_now();
			status = gcdc_matcher_fill(m, b->mask, b->n_words, NULL);
			uint64_t t1 = bench_clock_now();
			if (status) return status;
			keep(&s->fill[at], t1 - t0);
			if (is_first) {
				keep(&s->fill_first[at], t1 - t0);
				uint32_t count = count_bits(b);
				if (which == PLAIN) b->plain_count[at] = count;
				s->bites[at] = count != b->plain_count[at];
			}
			if (which >= FIRST_MORE) status = gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL);
			if (which >= FIRST_MORE && !status)
				status = gcdc_matcher_fill(m, b->mask, b->n_words, NULL);  // not part of accept
			t0 = bench_clock_now();
			if (!status) status = gcdc_matcher_accept(m, token);
			t1 = bench_clock_now();
			keep(&s->accept[at], t1 - t0);
		}
		if (status) return status;
	}
	return GCDC_OK;
}

static gcdc_status run_series(struct budget_bench *b, uint32_t which, uint32_t replays)
{
	gcdc_matcher *m;
	gcdc_status status = gcdc_matcher_new(b->artifact, NULL, &m);
	for (uint32_t r = 0; r < replays && !status; r++) status = walk(b, m, which, r == 0);
	b->unpriced += gcdc_matcher_unpriced(m);
	gcdc_matcher_free(m);
	return status;
}

static void put(struct json *j, const char *key, const struct percentiles *p)
{
	json_key(j, key);
	json_object(j);
	json_uint_entry(j, "positions", p->n);
	json_real_entry(j, "p50", p->p50);
	json_real_entry(j, "p99", p->p99);
	json_real_entry(j, "max", p->max);
	json_close(j);
}

// Branches: each row stands in JSON or in a table, and rows of masks that bite are left out where there are none.
static void report(struct budget_bench *b, bool is_json)
{
	struct json j;
	const struct series *plain = &b->series[PLAIN];
	if (is_json) {
		json_begin(&j, stdout);
		json_object(&j);
	} else {
		printf("%-28s %9s | %8s %9s | %8s %9s | %8s %9s | %9s\n", "us", "positions", "p50", "p99", "1st p50", "1st p99",
		       "plain p50", "plain p99", "max");
	}
	for (uint32_t i = 0; i < 2 * N_SERIES + 2; i++) {
		bool is_accept = i >= 2 * N_SERIES, bites = i >= N_SERIES && !is_accept;
		const struct series *s = &b->series[is_accept ? i - 2 * N_SERIES : i % N_SERIES];
		if (bites && i % N_SERIES < FIRST_MORE) continue;
		const uint8_t *marks = bites ? s->bites : NULL;
		char name[64];
		snprintf(name, sizeof name, "%s, %s%s", is_accept ? "accept" : "fill", s->name, bites ? ", bites" : "");
		struct percentiles all = percentiles_of(b, is_accept ? s->accept : s->fill, marks);
		struct percentiles first = percentiles_of(b, s->fill_first, marks);
		struct percentiles beside = percentiles_of(b, is_accept ? plain->accept : plain->fill, marks);
		if (is_json) {
			json_key(&j, name);
			json_object(&j);
			put(&j, "us", &all);
			if (!is_accept) put(&j, "first_us", &first);
			put(&j, "plain_us", &beside);
			json_close(&j);
		} else if (is_accept) {
			printf("%-28s %9zu | %8.3f %9.3f | %8s %9s | %8.3f %9.3f | %9.3f\n", name, all.n, all.p50, all.p99, "", "",
			       beside.p50, beside.p99, all.max);
		} else {
			printf("%-28s %9zu | %8.3f %9.3f | %8.3f %9.3f | %8.3f %9.3f | %9.3f\n", name, all.n, all.p50, all.p99,
			       first.p50, first.p99, beside.p50, beside.p99, all.max);
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

int bench_budget(const char *me, const gcdc_artifact *artifact, const struct bench_text *texts, uint32_t n_texts,
                 const struct bench_clock *clock, uint32_t replays, bool is_json)
{
	struct budget_bench b = {.me = me, .artifact = artifact, .texts = texts, .n_texts = n_texts, .clock = clock};
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	b.n_words = info.mask_words;
	for (uint32_t i = 0; i < n_texts; i++) b.n += texts[i].n;
	b.mask = mem_calloc(b.n_words, sizeof *b.mask);
	b.plain_count = mem_calloc(b.n + 1, sizeof *b.plain_count);
	b.scratch = mem_calloc(b.n + 1, sizeof *b.scratch);
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < N_SERIES; i++) {
		struct series *s = &b.series[i];
		if (i < FIRST_MORE)
			snprintf(s->name, sizeof s->name, "%s", i == PLAIN ? "no budget" : "budget far away");
		else
			snprintf(s->name, sizeof s->name, "minimum + %u", more_of[i - FIRST_MORE]);
		uint32_t **ticks[] = {&s->fill, &s->fill_first, &s->accept};
		for (int k = 0; k < 3; k++) {
			*ticks[k] = mem_calloc(b.n + 1, sizeof **ticks[k]);
			memset(*ticks[k], 0xFF, b.n * sizeof **ticks[k]);
		}
		s->bites = mem_calloc(b.n + 1, 1);
		if (!status) status = run_series(&b, i, replays);
	}
	if (!status) report(&b, is_json);
	for (uint32_t i = 0; i < N_SERIES; i++) {
		free(b.series[i].fill);
		free(b.series[i].fill_first);
		free(b.series[i].accept);
		free(b.series[i].bites);
	}
	free(b.mask);
	free(b.plain_count);
	free(b.scratch);
	return status ? cli_status_error(me, "under a budget", status) : CODE_OK;
}
