// The masks of random walks through an artifact, as one line a walk: linked once with the runtime's core and once with
// the whole runtime, it must print the same (tests/runtime_core/run).
//
//     mask_walk ARTIFACT WALKS TOKENS
//
// A line: how the walk went on and a hash of all its masks. An artifact that is refused gives one line with the reason.
#include <gcdc/runtime.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 1;

static uint32_t draw(uint32_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (uint32_t)(seed % n);
}

// An allowed token, mostly a short one: long ones end walks soon.
static uint32_t choose(const gcdc_artifact *a, const uint32_t *mask, uint32_t n_tokens)
{
	uint32_t best = GCDC_NONE, best_len = UINT32_MAX, start = draw(n_tokens), found = 0, most = 1 + draw(3);
	for (uint32_t i = 0; i < n_tokens && found < most; i++) {
		uint32_t t = (start + i) % n_tokens, len;
		if (!(mask[t / 32] >> t % 32 & 1)) continue;
		gcdc_artifact_token(a, t, &len);
		found++;
		if (best == GCDC_NONE || len < best_len) best = t, best_len = len;
	}
	return best;
}

static int walk(const gcdc_artifact *a, uint32_t tokens, uint32_t *mask, const gcdc_info *info)
{
	gcdc_matcher *m = NULL, *fork = NULL;
	uint64_t hash = 1469598103934665603u;
	uint32_t n = 0;
	gcdc_status status = gcdc_matcher_new(a, NULL, &m);
	for (; n < tokens && !status && !gcdc_matcher_is_terminated(m); n++) {
		status = gcdc_matcher_fill(m, mask, info->mask_words, NULL);
		for (uint32_t w = 0; w < info->mask_words; w++) hash = (hash ^ mask[w]) * 1099511628211u;
		if (status) break;
		if (n == tokens / 2) {  // goes on in a fork
			status = gcdc_matcher_fork(m, &fork);
			if (status) break;
			gcdc_matcher_free(m);
			m = fork;
		}
		status = gcdc_matcher_accept(m, choose(a, mask, info->n_tokens));
		if (!status && n % 7 == 6) status = gcdc_matcher_rollback(m, 1 + draw(3));
	}
	printf("%" PRIu32 " tokens, %s, %016" PRIx64 "\n", n, gcdc_status_text(status), hash);
	gcdc_matcher_free(m);
	return status < 0;
}

int main(int argc, char **argv)
{
	gcdc_artifact *a;
	gcdc_refusal why;
	if (argc != 4) return 2;
	if (gcdc_artifact_open(argv[1], NULL, &a, &why)) {
		puts(why.what);
		return 1;
	}
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	uint32_t *mask = calloc(info.mask_words, sizeof *mask);
	int failed = !mask;
	for (int i = 0; i < atoi(argv[2]) && !failed; i++) failed = walk(a, (uint32_t)atoi(argv[3]), mask, &info);
	free(mask);
	gcdc_artifact_close(a);
	return failed;
}
