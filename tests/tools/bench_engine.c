// What calls of the runtime take in C, for scripts/bench_python to set beside Python's: bench_engine ARTIFACT TOKENS
//
// TOKENS: a file with token ids, one text of the grammar. Prints nanoseconds as JSON, each the least of some replays:
// fill and accept a token; gcdc_fill_rows of 256 matchers along the text, a row; a draft tree of 16 nodes;
// gcdc_apply_masks a row of each type.
#include <gcdc/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPLAYS 30
#define BATCH 256
#define NODES 16

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
	if (ok) return;
	fprintf(stderr, "bench_engine: %s\n", what);
	exit(1);
}

// The least of `least` and the time since `begin`, for n.
static double less(double least, double begin, size_t n)
{
	double taken = (now() - begin) / (double)n;
	return taken < least ? taken : least;
}

int main(int argc, char **argv)
{
	static uint32_t tokens[1 << 20];
	size_t n = 0;
	gcdc_artifact *a;
	gcdc_refusal why;
	gcdc_info info;
	FILE *f = argc > 2 ? fopen(argv[2], "r") : NULL;
	need(f != NULL, "usage: bench_engine ARTIFACT TOKENS");
	while (n < sizeof tokens / sizeof *tokens && fscanf(f, "%u", &tokens[n]) == 1) n++;
	fclose(f);
	need(n > NODES, "too few tokens");
	if (gcdc_artifact_open(argv[1], NULL, &a, &why)) need(false, why.what);
	gcdc_artifact_info(a, &info);
	gcdc_matcher *m, *batch[BATCH];
	need(!gcdc_matcher_new(a, NULL, &m), "no memory");
	size_t words = info.mask_words;
	uint32_t *mask = malloc(BATCH * words * sizeof *mask);
	double step = 1e18, rows = 1e18, tree = 1e18, apply[3] = {1e18, 1e18, 1e18};
	for (int r = 0; r < REPLAYS; r++) {
		gcdc_matcher_reset(m);
		double begin = now();
		for (size_t i = 0; i < n; i++)
			if (gcdc_matcher_fill(m, mask, words, NULL) || gcdc_matcher_accept(m, tokens[i]))
				need(false, "a refused token");
		step = less(step, begin, n);
	}
	gcdc_matcher_reset(m);
	for (size_t i = 0; i < BATCH; i++) {
		need(!gcdc_matcher_clone(m, &batch[i]), "no memory");
		if (gcdc_matcher_is_terminated(m) || i + 2 >= n || gcdc_matcher_accept(m, tokens[i])) gcdc_matcher_reset(m);
	}
	for (int r = 0; r < REPLAYS; r++) {
		double begin = now();
		need(!gcdc_fill_rows(batch, BATCH, &(gcdc_mask_rows){mask, words, NULL}, NULL, NULL), "a batch");
		rows = less(rows, begin, BATCH);
	}
	int64_t next[NODES], sibling[NODES], drafts[NODES];
	for (int i = 0; i < NODES; i++)
		next[i] = i + 1 < NODES ? i + 1 : -1, sibling[i] = -1, drafts[i] = i ? (int64_t)tokens[i - 1] : 0;
	gcdc_matcher_reset(m);
	for (int r = 0; r < REPLAYS * 10; r++) {
		double begin = now();
		need(!gcdc_matcher_fill_draft_tree(m, &(gcdc_draft_tree){next, sibling, drafts, NODES}, mask, words, NULL),
		     "a tree");
		tree = less(tree, begin, 1);
	}
	float *logits = calloc(info.n_tokens, sizeof *logits);
	for (int type = 0; type < 3; type++)
		for (int r = 0; r < REPLAYS * 10; r++) {
			gcdc_logits l = {logits, (gcdc_logits_type)type, info.n_tokens, info.n_tokens};
			double begin = now();
			need(!gcdc_apply_masks(&l, mask, words, words, NULL, 1), "masks");
			apply[type] = less(apply[type], begin, 1);
		}
	printf("{\"step\": %.1f, \"batch_row\": %.1f, \"tree\": %.1f, \"apply\": [%.0f, %.0f, %.0f], \"tokens\": %zu}\n",
	       step, rows, tree, apply[0], apply[1], apply[2], n);
	for (size_t i = 0; i < BATCH; i++) gcdc_matcher_free(batch[i]);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	free(mask);
	free(logits);
	return 0;
}
