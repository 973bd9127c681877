// Budgets on an artifact of real size: masks against their definition, adversarial runs, times.
//
//   budget_check ARTIFACT [--text FILE]... [--positions N] [--runs N] [--seed S] [--compare] [--time]
//
// Texts are cut into the longest tokens that are allowed; positions along them (or along random walks, without texts)
// are tried with budgets of the minimum + 0, 1, 2, 5, 10, 50: every bit of the mask must be what min_after says; with
// --compare, what pricing each group on the stack says (budget.c without step_table.h). Runs follow the masks
// from the beginning with budgets from the minimum on: at random, the costliest of some, never EOS while there is
// something else; they must end complete within the budget. --time measures fill and accept with and without.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/base/random.h"

static uint64_t random_state = 1;
static uint32_t below(uint32_t n) { return random_below(&random_state, n); }

static gcdc_artifact *artifact;
static gcdc_info info;
static uint32_t *mask, *expected, failures;
static uint64_t n_compared;
static const uint32_t *eos, *first_of;  // tokens by length, the longest first
static uint32_t n_eos;

static bool bit(const uint32_t *m, uint32_t t) { return m[t / 32] >> t % 32 & 1; }
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void check(bool ok, const char *what, uint32_t a, uint32_t b)
{
	if (ok) return;
	if (failures++ < 20) printf("FAILED: %s: %u, %u\n", what, a, b);
}
static bool is_eos(uint32_t t)
{
	for (uint32_t i = 0; i < n_eos; i++)
		if (eos[i] == t) return true;
	return false;
}

static void check_masks(gcdc_matcher *m)
{
	static const uint32_t more[] = {0, 1, 2, 5, 10, 50, 300, 1000000};
	uint32_t least;
	if (gcdc_matcher_min_tokens(m, true, &least)) {
		check(false, "no price", 0, 0);
		return;
	}
	static uint32_t *after;
	if (!after) after = malloc(info.n_tokens * sizeof *after);
	gcdc_status status = gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL);
	if (!status) status = gcdc_matcher_fill(m, expected, info.mask_words, NULL);
	for (uint32_t t = 0; t < info.n_tokens && !status; t++)
		if (bit(expected, t) && gcdc_matcher_min_after(m, t, &after[t])) after[t] = GCDC_NONE;
	for (uint32_t k = 0; k < sizeof more / sizeof *more && !status; k++) {
		uint32_t left = least + more[k], wrong = 0, which = 0;
		status = gcdc_matcher_set_budget(m, left, true, NULL);
		if (!status) status = gcdc_matcher_fill(m, mask, info.mask_words, NULL);
		for (uint32_t t = 0; t < info.n_tokens && !status; t++) {
			bool want = bit(expected, t) && after[t] != GCDC_NONE && after[t] + (is_eos(t) ? 1u : 2u) <= left;
			if (want != bit(mask, t)) wrong++, which = t;
		}
		check(!wrong, "bits of a mask are wrong; token", wrong, which);
	}
	check(!status, gcdc_status_text(status), 0, 0);
	if (gcdc_matcher_set_budget(m, least - 1, true, NULL) != GCDC_ERR_BUDGET)
		check(false, "below the minimum", least, 0);
	if (gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL)) check(false, "budget off", 0, 0);
}

// The same masks, priced group by group.
static void compare_masks(gcdc_matcher *m)
{
	static const uint32_t more[] = {0, 1, 2, 5, 10, 50, 300, 1000000};
	uint32_t least;
	gcdc_status status = gcdc_matcher_min_tokens(m, true, &least);
	for (uint32_t k = 0; k < sizeof more / sizeof *more && !status; k++) {
		status = gcdc_matcher_set_budget(m, least + more[k], true, NULL);
		if (!status) status = gcdc_matcher_fill(m, mask, info.mask_words, NULL);
		if (status) break;
		for (enum budget_by how = BUDGET_BY_MADE_STEPS; how <= BUDGET_BY_GROUPS && !status; how++) {
			budget_by(m, how);
			status = gcdc_matcher_fill(m, expected, info.mask_words, NULL);
			uint32_t wrong = 0, which = 0;
			for (uint32_t t = 0; t < info.n_tokens && !status; t++)
				if (bit(mask, t) != bit(expected, t)) wrong++, which = t;
			check(!wrong,
			      how == BUDGET_BY_GROUPS ? "bits differ from the groups'; token"
			                              : "bits differ from steps made at run time; token",
			      wrong, which);
		}
		budget_by(m, BUDGET_BY_STEPS);
		n_compared++;
	}
	check(!status, gcdc_status_text(status), 0, 0);
	if (gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL)) check(false, "budget off", 0, 0);
}

static uint32_t pick(gcdc_matcher *m, uint32_t how)
{
	uint32_t best = GCDC_NONE, cost = 0, seen = 0, n = 0;
	for (uint32_t w = 0; w < info.mask_words; w++) n += (uint32_t)__builtin_popcount(mask[w]);
	for (uint32_t w = 0; w < info.mask_words; w++)
		for (uint32_t b = mask[w]; b; b &= b - 1) {
			uint32_t t = w * 32 + (uint32_t)__builtin_ctz(b), x = 0;
			seen++;
			if (how == 1) {  // the costliest of about 60
				if (n > 60 && below(n) >= 60) continue;
				if (gcdc_matcher_min_after(m, t, &x)) continue;
				if (best == GCDC_NONE || x > cost) best = t, cost = x;
			} else if (how == 2 && is_eos(t)) {
				if (best == GCDC_NONE) best = t;
			} else if (best == GCDC_NONE || (how == 2 && is_eos(best)) || below(seen) == 0)
				best = t;
		}
	return best == GCDC_NONE && n ? pick(m, 0) : best;
}

static void run(uint32_t more, uint32_t how)
{
	gcdc_matcher *m;
	uint32_t least, taken = 0, path[1000], n_path = 0;
	if (gcdc_matcher_new(artifact, NULL, &m)) return;
	gcdc_status status = gcdc_matcher_min_tokens(m, true, &least);
	uint32_t budget = least + more;
	if (!status) status = gcdc_matcher_set_budget(m, budget, true, NULL);
	while (!status && !gcdc_matcher_is_terminated(m)) {
		status = gcdc_matcher_fill(m, mask, info.mask_words, NULL);
		uint32_t t = status ? GCDC_NONE : pick(m, how);
		check(status || t != GCDC_NONE, "an empty mask", taken, budget);
		if (t == GCDC_NONE) break;
		status = gcdc_matcher_accept(m, t);
		if (n_path < 1000) path[n_path++] = t;
		taken++;
	}
	if (status) {
		uint32_t price = 0, len;
		printf("run: %s after %u of %u:", gcdc_status_text(status), taken, budget);
		for (uint32_t i = 0; i < n_path; i++) {
			const uint8_t *bytes = gcdc_artifact_token(artifact, path[i], &len);
			printf(" [%.*s]", (int)len, (const char *)bytes);
		}
		if (gcdc_matcher_min_tokens(m, true, &price)) price = 99999;
		printf(" costs %u\n", price);
	}
	check(!status && gcdc_matcher_is_terminated(m) && taken <= budget, "a run", taken, budget);
	gcdc_matcher_free(m);
}

static int by_length(const void *a, const void *b)
{
	uint32_t x, y;
	gcdc_artifact_token(artifact, *(const uint32_t *)a, &x);
	gcdc_artifact_token(artifact, *(const uint32_t *)b, &y);
	return x != y ? (x < y) - (x > y)
	              : (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

// The longest token of `text` that is allowed.
static uint32_t next_token(gcdc_matcher *m, const char *text, size_t len)
{
	(void)m;
	for (uint32_t i = 0; i < info.n_tokens; i++) {
		uint32_t n;
		const uint8_t *bytes = gcdc_artifact_token(artifact, first_of[i], &n);
		if (!n) break;
		if (n > len || bytes[0] != (uint8_t)text[0] || memcmp(bytes, text, n) != 0 || !bit(mask, first_of[i])) continue;
		return first_of[i];
	}
	return GCDC_NONE;
}

struct times {
	double at[200000];
	uint32_t n;
};
static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
static void show(const char *name, struct times *t)
{
	if (!t->n) return;
	qsort(t->at, t->n, sizeof *t->at, by_time);
	printf("%-34s p50 %8.2f p99 %8.2f max %8.2f us (%u)\n", name, t->at[t->n / 2] * 1e6, t->at[t->n * 99 / 100] * 1e6,
	       t->at[t->n - 1] * 1e6, t->n);
}

int main(int argc, char **argv)
{
	const char *texts[64];
	uint32_t n_texts = 0, positions = 100, runs = 0;
	bool timed = false, compares = false;
	if (argc < 2) return 2;
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--time"))
			timed = true;
		else if (!strcmp(argv[i], "--compare"))
			compares = true;
		else if (i + 1 >= argc)
			return 2;
		else if (!strcmp(argv[i], "--text") && n_texts < 64)
			texts[n_texts++] = argv[++i];
		else if (!strcmp(argv[i], "--positions"))
			positions = (uint32_t)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--runs"))
			runs = (uint32_t)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--seed"))
			random_state = strtoull(argv[++i], NULL, 10);
		else
			return 2;
	}
	gcdc_refusal why;
	if (gcdc_artifact_open(argv[1], NULL, &artifact, &why)) {
		printf("%s\n", why.what);
		return 1;
	}
	if (compares && artifact->step_info && !artifact->cost_info->n_ways) {
		puts("the compiler made this artifact's masks and left out what others are made of: the oracle compares those");
		compares = false;
	}
	gcdc_artifact_info(artifact, &info);
	eos = gcdc_artifact_eos(artifact, &n_eos);
	mask = calloc(info.mask_words, 4), expected = calloc(info.mask_words, 4);
	uint32_t *order = malloc(info.n_tokens * sizeof *order), checked = 0;
	for (uint32_t t = 0; t < info.n_tokens; t++) order[t] = t;
	qsort(order, info.n_tokens, sizeof *order, by_length);
	first_of = order;
	static struct times first, plain, far, near[3], accept_plain, accept_far, accept_near;
	static const uint32_t budgets[] = {0, 5, 20};
	for (uint32_t f = 0; f < n_texts; f++) {
		FILE *in = fopen(texts[f], "rb");
		if (!in) return 1;
		static char text[1 << 20];
		size_t len = fread(text, 1, sizeof text, in), at = 0;
		fclose(in);
		gcdc_matcher *m;
		if (gcdc_matcher_new(artifact, NULL, &m)) return 1;
		uint32_t step = 0;
		while (at < len) {
			double t0 = now();
			if (gcdc_matcher_fill(m, mask, info.mask_words, NULL)) break;
			double t1 = now();
			if (plain.n < 200000) plain.at[plain.n++] = t1 - t0;
			uint32_t t = next_token(m, text + at, len - at), n, least;
			if (t == GCDC_NONE) {
				printf("%s: no token at %zu\n", texts[f], at);
				break;
			}
			if (timed) {
				for (uint32_t k = 0; k < 4; k++) {
					if (gcdc_matcher_min_tokens(m, true, &least)) break;
					if (gcdc_matcher_set_budget(m, k == 3 ? 1000000 : least + budgets[k], true, NULL)) break;
					double best = 1;
					for (int i = 0; i < 3; i++) {  // setting the budget again voids what is known of the mask
						if (gcdc_matcher_set_budget(m, k == 3 ? 1000000 : least + budgets[k], true, NULL)) return 1;
						t0 = now();
						if (gcdc_matcher_fill(m, mask, info.mask_words, NULL)) return 1;
						t1 = now();
						if (i == 0 || t1 - t0 < best) best = t1 - t0;
						if (!k && i == 0 && first.n < 200000) first.at[first.n++] = t1 - t0;
					}
					t0 = 0, t1 = best;
					struct times *to = k == 3 ? &far : &near[k];
					if (to->n < 200000) to->at[to->n++] = t1 - t0;
				}
				bool ok = gcdc_matcher_accept(m, t) == GCDC_OK && gcdc_matcher_rollback(m, 1) == GCDC_OK;  // warm
				ok = ok && gcdc_matcher_fill(m, mask, info.mask_words, NULL) == GCDC_OK;
				t0 = now();
				ok = ok && gcdc_matcher_accept(m, t) == GCDC_OK;
				t1 = now();
				if (ok && accept_far.n < 200000) accept_far.at[accept_far.n++] = t1 - t0;
				if (ok && gcdc_matcher_rollback(m, 1)) return 1;
				if (gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL)) return 1;
			}
			if (!timed && checked < positions && (step++ % 7 == 0))
				compares ? compare_masks(m) : check_masks(m), checked++;
			if (gcdc_matcher_accept(m, t) || gcdc_matcher_rollback(m, 1)) break;
			if (gcdc_matcher_fill(m, mask, info.mask_words, NULL)) break;
			t0 = now();
			if (gcdc_matcher_accept(m, t)) break;
			t1 = now();
			if (accept_plain.n < 200000) accept_plain.at[accept_plain.n++] = t1 - t0;
			gcdc_artifact_token(artifact, t, &n);
			at += n;
		}
		gcdc_matcher_free(m);
	}
	while (!timed && checked < positions && !n_texts) {  // along random walks
		gcdc_matcher *m;
		if (gcdc_matcher_new(artifact, NULL, &m)) return 1;
		for (uint32_t i = 0; i < 60 && checked < positions; i++) {
			if (gcdc_matcher_fill(m, mask, info.mask_words, NULL)) break;
			uint32_t t = pick(m, 2);
			if (t == GCDC_NONE || is_eos(t) || gcdc_matcher_accept(m, t)) break;
			if (i % 5 == 4) compares ? compare_masks(m) : check_masks(m), checked++;
		}
		gcdc_matcher_free(m);
	}
	for (uint32_t i = 0; i < runs && failures < 20; i++) run(i / 3 % 51, i % 3);
	if (timed) {
		show("fill, no budget", &plain);
		show("fill, budget far away", &far);
		show("fill, budget = minimum", &near[0]);
		show("fill, budget = minimum, the first", &first);
		show("fill, budget = minimum + 5", &near[1]);
		show("fill, budget = minimum + 20", &near[2]);
		show("accept, no budget", &accept_plain);
		show("accept, budget far away", &accept_far);
		show("accept", &accept_near);
	}
	if (compares) printf("%lu masks as the groups' say\n", (unsigned long)n_compared);
	printf("%u positions, %u runs, %u failures\n", checked, runs, failures);
	gcdc_artifact_close(artifact);
	return failures != 0;
}
