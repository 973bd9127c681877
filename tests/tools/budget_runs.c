// Runs under a budget that follow the masks as badly as they can, from the empty text and from inside real ones.
//
//   budget_runs ARTIFACT [--runs N] [--seed S] [--more N] [--out FILE] [--slow MS] [--text FILE]...
//
// Each run takes the minimum and 0 to --more (50) tokens, one after the other, and goes its way: "random" (half of the
// time any allowed token, half of the time any first byte, then a token that begins so: punctuation is rare among
// tokens), "costliest" (of the allowed tokens one after which most is needed: found with the masks of smaller budgets),
// "no-eos" (at random, EOS only where nothing else is allowed). With texts, every other run begins behind a piece of
// one of them. A run must end with EOS, within the budget; no mask may be empty; one token less than the minimum must
// be refused.
// --out: each run as a line of JSON, with the whole text in hexadecimal, for scripts/budget_runs to judge. Exit code 1
// if anything failed. --slow MS: masks that take longer, and those that leave out tokens as searches gave up, are
// shown. Cost: a mask for each token; for "costliest" some more.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../../lib/base/random.h"

#define MAX_TEXTS 4096u
#define MAX_TEXT (1u << 20)
#define SHOWN 20u  // failures that are told

static uint64_t random_state = 1;
static uint32_t below(uint32_t n) { return random_below(&random_state, n); }

static const char *const hows[] = {"random", "costliest", "no-eos"};

static struct {
	gcdc_artifact *artifact;
	gcdc_info info;
	const uint32_t *eos;
	uint32_t n_eos, n_failures, n_unpriced;
	uint64_t n_masks, n_given_up;      // tokens that masks left out as searches gave up
	double slow, slowest, all;         // ms of masks
	uint32_t *mask, *smaller, *first;  // first: [256] tokens of the mask that begin with a byte
	uint8_t *head;                     // [n_tokens] the first byte
	FILE *out;
} the;

static bool is_eos(uint32_t t)
{
	for (uint32_t i = 0; i < the.n_eos; i++)
		if (the.eos[i] == t) return true;
	return false;
}

static uint32_t size_of(const uint32_t *mask)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < the.info.mask_words; w++) n += (uint32_t)__builtin_popcount(mask[w]);
	return n;
}

// Any token of a mask; EOS only if there is no other.
static uint32_t any(const uint32_t *mask, bool by_byte, bool no_eos)
{
	uint32_t best = GCDC_NONE, n = 0, n_bytes = 0, byte = 0;
	if (by_byte) memset(the.first, 0, 256 * sizeof *the.first);
	for (int pass = by_byte ? 0 : 1; pass < 2; pass++) {
		for (uint32_t w = 0; w < the.info.mask_words; w++)
			for (uint32_t b = mask[w]; b; b &= b - 1) {
				uint32_t t = w * 32 + (uint32_t)__builtin_ctz(b);
				if (is_eos(t)) {
					if (best == GCDC_NONE && (no_eos || by_byte)) best = t;
					if (no_eos || by_byte) continue;
				}
				if (!pass) {
					if (!the.first[the.head[t]]++ && below(++n_bytes) == 0) byte = the.head[t];
				} else if ((!by_byte || the.head[t] == byte) && below(++n) == 0)
					best = t;
			}
	}
	return best;
}

// Of the tokens of the.mask one after which most is needed: those that the smallest budget with this mask has, and one
// less has not.
static gcdc_status costliest(gcdc_matcher *m, uint32_t *token)
{
	uint32_t left = gcdc_matcher_budget(m), least, n = size_of(the.mask), high = left;
	gcdc_status status = gcdc_matcher_min_tokens(m, true, &least);
	uint32_t low = least;  // the answer lies in low .. high
	while (!status && low < high) {
		uint32_t mid = low + (high - low) / 2;
		status = gcdc_matcher_set_budget(m, mid, true, NULL);
		if (!status) status = gcdc_matcher_fill(m, the.smaller, the.info.mask_words, NULL);
		if (size_of(the.smaller) == n)
			high = mid;
		else
			low = mid + 1;
	}
	memset(the.smaller, 0, the.info.mask_words * sizeof *the.smaller);
	if (!status && low > least) {
		status = gcdc_matcher_set_budget(m, low - 1, true, NULL);
		if (!status) status = gcdc_matcher_fill(m, the.smaller, the.info.mask_words, NULL);
	}
	for (uint32_t w = 0; w < the.info.mask_words; w++) the.smaller[w] = the.mask[w] & ~the.smaller[w];
	*token = any(the.smaller, below(2), true);
	if (*token == GCDC_NONE)
		*token = any(the.mask, below(2), true);  // hard canonical masks: what a search gave up on may come later
	gcdc_status back = gcdc_matcher_set_budget(m, left, true, NULL);
	return status ? status : back;
}

struct bytes {
	uint8_t *at;
	size_t n, cap;
};
static void add(struct bytes *to, const uint8_t *bytes, size_t n)
{
	if (to->n + n > to->cap) {
		to->cap = 2 * (to->n + n) + 64;
		to->at = realloc(to->at, to->cap);
		if (!to->at) exit(2);
	}
	if (n) memcpy(to->at + to->n, bytes, n);
	to->n += n;
}

static void show(const struct bytes *text, size_t from, size_t prefix)
{
	for (size_t i = from; i < text->n; i++) {
		if (i == prefix) printf(" || ");
		if (text->at[i] >= 32 && text->at[i] < 127 && text->at[i] != '\\')
			putchar(text->at[i]);
		else
			printf("\\x%02x", text->at[i]);
	}
	putchar('\n');
}

static void fail(const char *what, const char *how, uint32_t budget, uint32_t taken, const struct bytes *text,
                 size_t prefix)
{
	if (the.n_failures++ >= SHOWN) return;
	printf("FAILED: %s (%s, budget %u, %u taken, a prefix of %zu bytes): ", what, how, budget, taken, prefix);
	show(text, prefix > 200 ? prefix - 200 : 0, prefix);
}

static gcdc_status fill(gcdc_matcher *m, const struct bytes *text, size_t prefix)
{
	uint64_t before = gcdc_matcher_unpriced(m);
	clock_t begin = clock();
	gcdc_status status = gcdc_matcher_fill(m, the.mask, the.info.mask_words, NULL);
	double ms = (double)(clock() - begin) * 1e3 / CLOCKS_PER_SEC;
	uint64_t given_up = gcdc_matcher_unpriced(m) - before;
	the.n_masks++, the.all += ms;
	if (ms > the.slowest) the.slowest = ms;
	if (the.slow > 0 && (ms > the.slow || given_up)) {
		printf("%.1f ms, %llu given up, %u left: ", ms, (unsigned long long)given_up, gcdc_matcher_budget(m));
		show(text, text->n > 100 ? text->n - 100 : 0, prefix);
	}
	return status;
}

static bool add_token(struct bytes *text, uint32_t t)
{
	uint32_t n;
	const uint8_t *bytes = gcdc_artifact_token(the.artifact, t, &n);
	if (is_eos(t)) return true;
	add(text, bytes, n);
	return false;
}

static bool is_viable(const struct bytes *text, size_t n)
{
	gcdc_matcher *m;
	if (gcdc_matcher_new(the.artifact, NULL, &m)) exit(2);
	bool viable = gcdc_matcher_accept_bytes(m, text->at, n) == GCDC_OK;
	gcdc_matcher_free(m);
	return viable;
}

// A text that the grammar refuses is taken up to there.
static void cut_to_viable(struct bytes *text)
{
	size_t low = 0, high = text->n;
	if (is_viable(text, high)) return;
	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;
		if (is_viable(text, mid))
			low = mid;
		else
			high = mid;
	}
	text->n = low;
}

// false: the prefix is not viable, or has no price (a line that begins deeper than is priced).
static bool run(const struct bytes *prefix, uint32_t more, uint32_t how)
{
	static struct bytes text;
	gcdc_matcher *m;
	uint32_t least = 0, taken = 0, budget, token = GCDC_NONE;
	bool ended = false;
	if (gcdc_matcher_new(the.artifact, NULL, &m)) exit(2);
	text.n = 0;
	add(&text, prefix->at, prefix->n);
	gcdc_status status = gcdc_matcher_accept_bytes(m, prefix->at, prefix->n);
	if (!status) status = gcdc_matcher_min_tokens(m, true, &least);
	if (prefix->n && (status == GCDC_REJECTED || status == GCDC_ERR_BUDGET || status == GCDC_ERR_CANONICAL)) {
		the.n_unpriced += status != GCDC_REJECTED;
		gcdc_matcher_free(m);
		return false;
	}
	budget = least + more;
	if (!status && gcdc_matcher_set_budget(m, least - 1, true, NULL) != GCDC_ERR_BUDGET)
		fail("a budget below the minimum is taken", hows[how], budget, 0, &text, prefix->n);
	if (!status) status = gcdc_matcher_set_budget(m, budget, true, NULL);
	while (!status && !gcdc_matcher_is_terminated(m)) {
		status = fill(m, &text, prefix->n);
		if (status) break;
		if (how == 1)
			status = costliest(m, &token);
		else
			token = any(the.mask, below(2), how == 2);
		if (status) break;
		if (token == GCDC_NONE) {
			fail("an empty mask", hows[how], budget, taken, &text, prefix->n);
			break;
		}
		status = gcdc_matcher_accept(m, token);
		taken++;
		if (!status) ended = add_token(&text, token);
		if (taken > budget) break;
	}
	the.n_given_up += gcdc_matcher_unpriced(m);
	if (status)
		fail(gcdc_status_text(status), hows[how], budget, taken, &text, prefix->n);
	else if (!ended || !gcdc_matcher_is_terminated(m))
		fail("no end", hows[how], budget, taken, &text, prefix->n);
	else if (taken > budget)
		fail("more tokens than the budget", hows[how], budget, taken, &text, prefix->n);
	else if (the.out) {
		fprintf(the.out, "{\"how\": \"%s\", \"least\": %u, \"budget\": %u, \"taken\": %u, \"prefix\": %zu, \"hex\": \"",
		        hows[how], least, budget, taken, prefix->n);
		for (size_t i = 0; i < text.n; i++) fprintf(the.out, "%02x", text.at[i]);
		fputs("\"}\n", the.out);
	}
	gcdc_matcher_free(m);
	return true;
}

static void read_text(const char *path, struct bytes *to)
{
	FILE *in = fopen(path, "rb");
	if (!in) {
		perror(path);
		exit(2);
	}
	static uint8_t all[MAX_TEXT];
	add(to, all, fread(all, 1, sizeof all, in));
	fclose(in);
}

int main(int argc, char **argv)
{
	static struct bytes texts[MAX_TEXTS];
	uint32_t n_texts = 0, runs = 1000, most = 50, n_prefixes = 0;
	if (argc < 2) return 2;
	for (int i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--text") && n_texts < MAX_TEXTS)
			read_text(argv[i + 1], &texts[n_texts++]);
		else if (!strcmp(argv[i], "--runs"))
			runs = (uint32_t)atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--more"))
			most = (uint32_t)atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			random_state = strtoull(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--slow"))
			the.slow = atof(argv[i + 1]);
		else if (!strcmp(argv[i], "--out"))
			the.out = fopen(argv[i + 1], "w");
		else
			return 2;
	}
	gcdc_refusal why;
	if (gcdc_artifact_open(argv[1], NULL, &the.artifact, &why)) {
		printf("%s\n", why.what);
		return 2;
	}
	gcdc_artifact_info(the.artifact, &the.info);
	the.eos = gcdc_artifact_eos(the.artifact, &the.n_eos);
	the.mask = calloc(the.info.mask_words, 8), the.first = calloc(256, sizeof *the.first),
	the.head = calloc(the.info.n_tokens + 1, 1);
	if (!the.mask || !the.first || !the.head || !the.n_eos) return 2;
	the.smaller = the.mask + the.info.mask_words;
	for (uint32_t t = 0; t < the.info.n_tokens; t++) {
		uint32_t n;
		const uint8_t *bytes = gcdc_artifact_token(the.artifact, t, &n);
		if (n) the.head[t] = bytes[0];
	}
	for (uint32_t i = 0; i < n_texts; i++) cut_to_viable(&texts[i]);
	clock_t begin = clock();
	for (uint32_t i = 0; i < runs && the.n_failures < 1000; i++) {
		struct bytes prefix = {0};
		bool done = false;
		for (uint32_t tries = 0; n_texts && i / 3 % 2 && !done && tries < 20; tries++) {
			prefix = texts[below(n_texts)];
			prefix.n = below((uint32_t)prefix.n + 1);
			if (!prefix.n) continue;
			done = run(&prefix, i / 6 % (most + 1), i % 3);
		}
		n_prefixes += done;
		prefix.n = 0;
		if (!done) run(&prefix, i / 6 % (most + 1), i % 3);
	}
	if (the.out && fclose(the.out)) return 2;
	printf("%u runs, %u of them from inside a text (%u drawn had no price), %u failed, %.1f s\n", runs, n_prefixes,
	       the.n_unpriced, the.n_failures, (double)(clock() - begin) / CLOCKS_PER_SEC);
	printf("%llu masks, %.2f ms on average, %.0f ms at most\n", (unsigned long long)the.n_masks,
	       the.all / (double)(the.n_masks | !the.n_masks), the.slowest);
	if (the.n_given_up)
		printf("%llu masks left out %llu tokens as searches gave up\n", (unsigned long long)the.n_masks,
		       (unsigned long long)the.n_given_up);
	gcdc_artifact_close(the.artifact);
	return the.n_failures != 0;
}
