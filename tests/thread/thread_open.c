// Artifacts opened by four threads at once, each with the help of others: run under ThreadSanitizer.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../corrupt/tiny_artifact.h"

#define THREADS 4
#define ROUNDS 100

static uint8_t *bytes;
static size_t len;

// Every other file has a byte that is another one, and is refused.
static void *work(void *unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		uint8_t *file = malloc(len);
		gcdc_artifact *a;
		gcdc_refusal why;
		memcpy(file, bytes, len);
		if (round % 2) file[len - 1 - (size_t)round] ^= 1;
		gcdc_status status =
			gcdc_artifact_open_memory(file, len, &(gcdc_open_options){.threads = 1 + (uint32_t)round % 4}, &a, &why);
		if (!status != !(round % 2)) {
			fprintf(stderr, "round %d: status %d\n", round, status);
			exit(1);
		}
		gcdc_artifact_close(a);
		free(file);
	}
	return NULL;
}

int main(void)
{
	struct tiny *t = tiny_parens();
	pthread_t threads[THREADS];
	bytes = tiny_encode(t, NULL, &len);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL)) return 1;
	for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
	free(bytes);
	tiny_free(t);
	return 0;
}
