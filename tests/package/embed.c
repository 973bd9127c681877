// The smallest program that embeds the runtime: README's example, built and run by tests/package/run.
//
//   embed ARTIFACT TOKEN...     accepts the tokens one by one, prints how many may follow each time
#include <gcdc/runtime.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	gcdc_artifact *artifact;
	gcdc_refusal why;
	if (argc < 2) return 2;
	if (gcdc_artifact_open(argv[1], NULL, &artifact, &why)) {
		fprintf(stderr, "%s: %s\n", argv[1], why.what);
		return 1;
	}
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	gcdc_matcher *matcher;
	uint32_t *mask = malloc(info.mask_words * sizeof *mask);
	if (!mask || gcdc_matcher_new(artifact, NULL, &matcher)) return 1;
	for (int i = 2;; i++) {
		if (gcdc_matcher_fill(matcher, mask, info.mask_words, NULL)) return 1;
		uint32_t allowed = 0;
		for (uint32_t t = 0; t < info.n_tokens; t++) allowed += mask[t / 32] >> t % 32 & 1;
		printf("%u of %u tokens\n", allowed, info.n_tokens);
		if (i >= argc) break;
		gcdc_status status = gcdc_matcher_accept(matcher, (uint32_t)strtoul(argv[i], NULL, 10));
		if (status) {
			printf("%s: %s\n", argv[i], gcdc_status_text(status));
			break;
		}
	}
	gcdc_matcher_free(matcher);
	gcdc_artifact_close(artifact);
	free(mask);
	return 0;
}
