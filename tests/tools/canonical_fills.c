// What masks of a canonical artifact cost, at first and later, and whether they are still the same.
//
//   canonical_fills ARTIFACT TOKENIZER.json [--samples N] [--seed S] [--max-tokens N] [--replays N] [--each]
//                   [--budget MORE] [--work N] [--slow US] [--order] [--keep MASKS] [--against MASKS]
//                   [FILE]...
//
// Traces: the encoding of each file, as far as it is accepted, and N walks along the artifact's own masks (half of the
// steps: any first byte of the mask, then any token that begins so; half: any token).  Out, in microseconds:
// "first", processor time of each fill when one fresh matcher of a fresh artifact reads all traces; with --each a new
// matcher for each trace; "later", the least of N replays (3) by the clock, in that matcher. The clocks' own time is
// taken off. --budget: each fill has the least tokens that complete its text, and so many more; that is set before the
// fill, and taken away behind it. Tokens given up by searches are counted. --work: max_work of the matchers. --slow:
// first fills that take longer are told, with the token before. The hash is of every mask and status of the first
// reading: equal hashes show equal masks. --order: the traces are read once more, the last one first, with an artifact
// opened anew; a mask that is another one then depends on what was kept of others (exit code 1). --keep: the masks of
// the first reading are written to a file, with budgets and times; --against: they are compared with such a file of the
// same traces, position by position where the budgets are the same. Cost: N + 3 fills a position.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../../lib/vocab/vocab.h"
#include "random.h"

enum { MAX_TOKENS_DEFAULT = 200, REPLAYS_DEFAULT = 3, QUICK_US = 5000 };

// What a file has of a position, before its mask.
struct kept {
	uint32_t status, budget;
	double us;
};

struct trace {
	uint32_t first, n;
};

static struct {
	const char *path;
	gcdc_artifact *artifact;
	gcdc_info info;
	struct vocab vocab;
	struct encoder *encoder;
	struct diag diag;
	VEC(uint32_t) tokens;
	VEC(struct trace) traces;
	double *first, *later, slow;  // [tokens.n] microseconds; those of first above are told
	uint32_t *mask;
	uint64_t random, hash, *masks;  // [tokens.n] hashes of the masks of the reading at hand
	uint32_t n_errors;              // fills that ended in an error
	uint32_t more;                  // tokens above the least; GCDC_NONE: no budget
	gcdc_matcher_options options;
	uint64_t n_given_up;  // of the first reading
	uint32_t n_without;   // of its positions: no budget, since no way to the end was found
	FILE *keep, *against;
	struct compared {
		uint32_t n_other, n_lost, n_more;  // positions with another budget or status; that lost tokens, have more
		uint64_t lost, more;
		uint32_t n_quick;  // that lost tokens, and took no more than QUICK_US in the file
		uint64_t quick;
	} compared;
	uint32_t *other;  // a mask of the file
} the;

static uint32_t below(uint32_t n) { return random_below(&the.random, n); }

static double microseconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// What two readings of a clock, one behind the other, differ by: the least of many.
static double clock_cost(clockid_t clock)
{
	double least = 1e9;
	for (uint32_t i = 0; i < 10000; i++) {
		double begin = microseconds(clock), took = microseconds(clock) - begin;
		if (took < least) least = took;
	}
	return least;
}

static bool open_artifact(void)
{
	gcdc_refusal why;
	if (the.artifact) gcdc_artifact_close(the.artifact);
	if (gcdc_artifact_open(the.path, NULL, &the.artifact, &why)) return fprintf(stderr, "%s\n", why.what), false;
	gcdc_artifact_info(the.artifact, &the.info);
	return true;
}

static gcdc_matcher *new_matcher(void)
{
	gcdc_matcher *m;
	if (gcdc_matcher_new(the.artifact, &the.options, &m)) fprintf(stderr, "canonical_fills: no matcher\n"), exit(1);
	return m;
}

// ---- Traces.
static void add_trace(uint32_t first) { vec_push(&the.traces, ((struct trace){first, the.tokens.n - first})); }

// The longest beginning of a file's tokens that the artifact accepts, and one more position behind it.
static bool add_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	VEC(char) text = {0};
	uint32_t *ids, n, i = 0, first = the.tokens.n;
	if (!f) return perror(path), false;
	for (int c; (c = getc(f)) != EOF;) vec_push(&text, (char)c);
	fclose(f);
	bool good = encoder_encode(the.encoder, (struct encoder_text){text.at, text.n, false}, &ids, &n, &the.diag);
	vec_release(&text);
	if (!good) return diag_print(&the.diag, stderr), false;
	gcdc_matcher *m = new_matcher();
	while (i < n && !gcdc_matcher_accept(m, ids[i])) vec_push(&the.tokens, ids[i++]);
	if (i < n) fprintf(stderr, "%s: token %u of %u is refused; the text before it counts\n", path, i, n);
	vec_push(&the.tokens, GCDC_NONE);
	add_trace(first);
	gcdc_matcher_free(m), free(ids);
	return true;
}

static uint32_t first_byte(uint32_t t)
{
	return the.vocab.offset[t] < the.vocab.offset[t + 1] ? the.vocab.bytes[the.vocab.offset[t]] : 256;
}

// Any token of the.mask; NONE: it has none. EOS only one time in eight where there is another.
static uint32_t pick(void)
{
	uint32_t of_byte[257] = {0}, n_bytes = 0, n = 0, best = GCDC_NONE, byte = 256;
	bool by_byte = below(2);
	for (uint32_t w = 0; w < the.info.mask_words; w++)
		for (uint32_t b = the.mask[w]; b; b &= b - 1) {
			uint32_t head = first_byte(w * 32 + (uint32_t)__builtin_ctz(b));
			if (!of_byte[head]++ && head < 256 && below(++n_bytes) == 0) byte = head;
		}
	bool ends = of_byte[256] && (!n_bytes || !below(8));
	for (uint32_t w = 0; w < the.info.mask_words; w++)
		for (uint32_t b = the.mask[w]; b; b &= b - 1) {
			uint32_t t = w * 32 + (uint32_t)__builtin_ctz(b), head = first_byte(t);
			bool fits = ends ? head == 256 : by_byte ? head == byte : head < 256;
			if (fits && below(++n) == 0) best = t;
		}
	return best;
}

static void add_walk(uint32_t most)
{
	uint32_t first = the.tokens.n, t = 0;
	gcdc_matcher *m = new_matcher();
	for (uint32_t i = 0; i < most && t != GCDC_NONE; i++) {
		t = gcdc_matcher_fill(m, the.mask, the.info.mask_words, NULL) ? GCDC_NONE : pick();
		if (t != GCDC_NONE && (first_byte(t) == 256 || gcdc_matcher_accept(m, t))) t = GCDC_NONE;
		vec_push(&the.tokens, t);
	}
	add_trace(first);
	gcdc_matcher_free(m);
}

// ---- Readings.
static uint64_t mix(uint64_t hash, uint64_t x)
{
	hash = (hash ^ x) * 0xff51afd7ed558ccdu;
	return hash ^ hash >> 32;
}

static void set_budget(gcdc_matcher *m, bool is_first)
{
	uint32_t least;
	if (the.more == GCDC_NONE) return;
	if (gcdc_matcher_min_tokens(m, true, &least)) {
		the.n_without += is_first;
		return;
	}
	if (gcdc_matcher_set_budget(m, least + the.more, true, NULL))
		fprintf(stderr, "canonical_fills: no budget\n"), exit(1);
}

static void take_budget_away(gcdc_matcher *m)
{
	if (gcdc_matcher_budget(m) != GCDC_NONE && gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL)) exit(1);
}

static void keep(const struct kept *own)
{
	if (fwrite(own, sizeof *own, 1, the.keep) != 1 ||
	    fwrite(the.mask, sizeof *the.mask, the.info.mask_words, the.keep) != the.info.mask_words)
		perror("canonical_fills"), exit(1);
}

static void compare(const struct kept *own)
{
	struct kept was;
	uint64_t lost = 0, more = 0;
	if (fread(&was, sizeof was, 1, the.against) != 1 ||
	    fread(the.other, sizeof *the.other, the.info.mask_words, the.against) != the.info.mask_words)
		fprintf(stderr, "canonical_fills: the masks are of other traces\n"), exit(1);
	if (was.status != own->status || was.budget != own->budget) {
		the.compared.n_other++;
		return;
	}
	for (uint32_t w = 0; w < the.info.mask_words; w++) {
		lost += (uint32_t)__builtin_popcount(the.other[w] & ~the.mask[w]);
		more += (uint32_t)__builtin_popcount(the.mask[w] & ~the.other[w]);
	}
	the.compared.lost += lost, the.compared.n_lost += lost != 0;
	the.compared.more += more, the.compared.n_more += more != 0;
	if (lost && was.us <= QUICK_US) the.compared.n_quick++, the.compared.quick += lost;
}

static void read_trace(gcdc_matcher *m, const struct trace *t, clockid_t clock, double cost, double *us, bool is_first)
{
	gcdc_matcher_reset(m);
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		set_budget(m, is_first);
		double begin = microseconds(clock);
		gcdc_status status = gcdc_matcher_fill(m, the.mask, the.info.mask_words, NULL);
		double took = microseconds(clock) - begin - cost;
		if (is_first || took < us[i]) us[i] = took > 0 ? took : 0;
		the.masks[i] = mix(0, (uint64_t)status);
		for (uint32_t w = 0; w < the.info.mask_words && is_first && !status; w++)
			the.masks[i] = mix(the.masks[i], the.mask[w]);
		the.hash = mix(the.hash, the.masks[i]);
		the.n_errors += is_first && status;
		if (is_first && status) memset(the.mask, 0, the.info.mask_words * sizeof *the.mask);
		const struct kept own = {(uint32_t)status, gcdc_matcher_budget(m), us[i]};
		if (is_first && the.keep) keep(&own);
		if (is_first && the.against) compare(&own);
		take_budget_away(m);
		if (the.tokens.at[i] != GCDC_NONE && gcdc_matcher_accept(m, the.tokens.at[i])) break;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void show(const char *what, const double *us)
{
	uint32_t n = the.tokens.n;
	double *sorted = malloc(n * sizeof *sorted), sum = 0;
	if (!sorted) exit(1);
	memcpy(sorted, us, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, ascending);
	for (uint32_t i = 0; i < n; i++) sum += sorted[i];
	printf("%s: mean %.2f p50 %.2f p99 %.1f p99.9 %.1f max %.0f\n", what, sum / n, sorted[n / 2],
	       sorted[(uint64_t)n * 99 / 100], sorted[(uint64_t)n * 999 / 1000], sorted[n - 1]);
	free(sorted);
}

static void show_slow(void)
{
	for (uint32_t i = 0; i < the.tokens.n; i++) {
		uint32_t t = i ? the.tokens.at[i - 1] : GCDC_NONE;
		if (the.first[i] < the.slow) continue;
		printf("position %u: %.0f", i, the.first[i]);
		if (t != GCDC_NONE)
			printf(" behind \"%.*s\"", (int)(the.vocab.offset[t + 1] - the.vocab.offset[t]),
			       (const char *)the.vocab.bytes + the.vocab.offset[t]);
		printf("\n");
	}
}

static void show_compared(void)
{
	const struct compared *c = &the.compared;
	printf("against: %u positions with another budget or status; %llu tokens lost at %u, %llu more at %u\n", c->n_other,
	       (unsigned long long)c->lost, c->n_lost, (unsigned long long)c->more, c->n_more);
	printf("of those %llu lost at %u where the fill took at most %d us\n", (unsigned long long)c->quick, c->n_quick,
	       QUICK_US);
}

// Behind the first reading.
static void end_files(void)
{
	if (the.against) show_compared(), fclose(the.against);
	if (the.keep && fclose(the.keep)) perror("canonical_fills"), exit(1);
	the.keep = the.against = NULL;
}

// The first reading in the opposite order: how many masks are others?
static uint32_t differ_backwards(const uint64_t *masks)
{
	uint32_t n = 0;
	if (!open_artifact()) exit(1);
	gcdc_matcher *m = new_matcher();
	for (uint32_t i = the.traces.n; i--;) read_trace(m, &the.traces.at[i], CLOCK_THREAD_CPUTIME_ID, 0, the.later, true);
	gcdc_matcher_free(m);
	for (uint32_t i = 0; i < the.tokens.n; i++)
		if (the.masks[i] != masks[i] && !n++) printf("the mask at position %u is another one\n", i);
	printf("read in the opposite order: %u masks differ\n", n);
	return n;
}

// False: masks depend on the order.
static bool measure(uint32_t replays, bool each, bool order)
{
	double cost = clock_cost(CLOCK_THREAD_CPUTIME_ID);
	uint64_t *masks = calloc(the.tokens.n, sizeof *masks);
	the.first = calloc(the.tokens.n, sizeof *the.first), the.later = calloc(the.tokens.n, sizeof *the.later);
	the.masks = calloc(the.tokens.n, sizeof *the.masks);
	if (!the.first || !the.later || !the.masks || !masks || !open_artifact()) exit(1);
	gcdc_matcher *m = new_matcher();
	for (uint32_t i = 0; i < the.traces.n; i++) {
		if (each) the.n_given_up += gcdc_matcher_unpriced(m), gcdc_matcher_free(m), m = new_matcher();
		read_trace(m, &the.traces.at[i], CLOCK_THREAD_CPUTIME_ID, cost, the.first, true);
	}
	end_files();
	const uint64_t hash = the.hash;
	memcpy(masks, the.masks, the.tokens.n * sizeof *masks);
	the.n_given_up += gcdc_matcher_unpriced(m);
	cost = clock_cost(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < the.tokens.n; i++) the.later[i] = 1e12;
	for (uint32_t r = 0; r <= replays; r++)  // one more: it follows the first reading of the last trace only
		for (uint32_t i = 0; i < the.traces.n; i++)
			read_trace(m, &the.traces.at[i], CLOCK_MONOTONIC, cost, the.later, false);
	printf("%u positions of %u traces, %u errors, hash %016llx\n", the.tokens.n, the.traces.n, the.n_errors,
	       (unsigned long long)hash);
	if (the.more != GCDC_NONE)
		printf("least + %u: %llu tokens given up, %u positions without a budget\n", the.more,
		       (unsigned long long)the.n_given_up, the.n_without);
	if (the.slow > 0) show_slow();
	show("first", the.first);
	show("later", the.later);
	gcdc_matcher_free(m);
	const bool same = !order || !differ_backwards(masks);
	free(masks);
	return same;
}

static FILE *open_file(const char *path, const char *how)
{
	FILE *f = fopen(path, how);
	if (!f) perror(path), exit(1);
	return f;
}

int main(int argc, char **argv)
{
	uint32_t samples = 0, most = MAX_TOKENS_DEFAULT, replays = REPLAYS_DEFAULT;
	bool each = false, order = false;
	if (argc < 3) return fprintf(stderr, "canonical_fills ARTIFACT TOKENIZER.json [options] [FILE]...\n"), 2;
	the.path = argv[1], the.random = 1, the.more = GCDC_NONE;
	if (!vocab_load(argv[2], NULL, &the.diag, &the.vocab) || !(the.encoder = encoder_load(argv[2], &the.diag)))
		return diag_print(&the.diag, stderr), 1;
	if (!open_artifact() || !(the.mask = calloc(the.info.mask_words, sizeof *the.mask)) ||
	    !(the.other = calloc(the.info.mask_words, sizeof *the.other)))
		return 1;
	for (int i = 3; i < argc; i++) {
		uint32_t *number = !strcmp(argv[i], "--samples")      ? &samples
		                   : !strcmp(argv[i], "--max-tokens") ? &most
		                   : !strcmp(argv[i], "--replays")    ? &replays
		                   : !strcmp(argv[i], "--budget")     ? &the.more
		                   : !strcmp(argv[i], "--work")       ? &the.options.max_work
		                                                      : NULL;
		if (number && i + 1 < argc)
			*number = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			the.random = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--slow") && i + 1 < argc)
			the.slow = strtod(argv[++i], NULL);
		else if (!strcmp(argv[i], "--keep") && i + 1 < argc)
			the.keep = open_file(argv[++i], "wb");
		else if (!strcmp(argv[i], "--against") && i + 1 < argc)
			the.against = open_file(argv[++i], "rb");
		else if (!strcmp(argv[i], "--each"))
			each = true;
		else if (!strcmp(argv[i], "--order"))
			order = true;
		else if (!add_file(argv[i]))
			return 1;
	}
	for (uint32_t i = 0; i < samples; i++) add_walk(most);
	if (!the.tokens.n) return fprintf(stderr, "canonical_fills: no texts, no samples\n"), 2;
	const bool same = measure(replays, each, order);
	gcdc_artifact_close(the.artifact);
	encoder_free(the.encoder), vocab_release(&the.vocab), diag_release(&the.diag);
	vec_release(&the.tokens), vec_release(&the.traces);
	free(the.first), free(the.later), free(the.masks), free(the.mask), free(the.other);
	return same ? 0 : 1;
}
