// One artifact, many threads, each with matchers of its own: run under ThreadSanitizer. Each thread also compares what
// it sees with what one thread alone saw.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../corrupt/tiny_artifact.h"

#define THREADS 4
#define ROUNDS 300
#define STEPS 40

static gcdc_artifact *artifact;
static uint32_t expected[STEPS][3];

#define MUST(call)                                                                                                     \
	do {                                                                                                               \
		if ((call) != GCDC_OK) {                                                                                       \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call);                                                 \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)

static void walk(gcdc_matcher *m, uint32_t (*masks)[3])
{
	for (int i = 0; i < STEPS; i++) {
		MUST(gcdc_matcher_fill(m, masks[i], 3, NULL));
		MUST(gcdc_matcher_accept(m, i < STEPS / 2 ? 0 : i == STEPS / 2 ? 3 : 1));
	}
}

static void *work(void *unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		gcdc_matcher *m, *fork, *clone;
		uint32_t masks[STEPS][3];
		MUST(gcdc_matcher_new(artifact, NULL, &m));
		walk(m, masks);
		if (memcmp(masks, expected, sizeof masks) != 0) {
			fprintf(stderr, "a thread saw other masks\n");
			exit(1);
		}
		MUST(gcdc_matcher_fork(m, &fork));
		MUST(gcdc_matcher_rollback(fork, 10));
		MUST(gcdc_matcher_clone(fork, &clone));
		gcdc_matcher_free(m);
		gcdc_matcher_free(fork);
		gcdc_matcher_free(clone);
	}
	return NULL;
}

// A clone goes to another thread while the first goes on.
static void *use_clone(void *clone)
{
	for (int i = 0; i < 1000; i++) {
		MUST(gcdc_matcher_accept(clone, 0));
		if (i % 3 == 0) MUST(gcdc_matcher_rollback(clone, 2));
	}
	gcdc_matcher_free(clone);
	return NULL;
}

int main(void)
{
	struct tiny *t = tiny_parens();
	size_t len;
	uint8_t *bytes = tiny_encode(t, NULL, &len);
	MUST(gcdc_artifact_open_memory(bytes, len, NULL, &artifact, NULL));
	gcdc_matcher *m, *clone;
	MUST(gcdc_matcher_new(artifact, NULL, &m));
	walk(m, expected);
	pthread_t threads[THREADS], cloned;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL)) return 1;
	gcdc_matcher_reset(m);
	MUST(gcdc_matcher_accept(m, 0));
	MUST(gcdc_matcher_accept(m, 0));
	MUST(gcdc_matcher_clone(m, &clone));
	if (pthread_create(&cloned, NULL, use_clone, clone)) return 1;
	for (int i = 0; i < 1000; i++) MUST(gcdc_matcher_accept(m, 0));
	for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
	pthread_join(cloned, NULL);
	gcdc_matcher_free(m);
	gcdc_artifact_close(artifact);
	free(bytes);
	tiny_free(t);
	return 0;
}
