// What the tests of lib/cuda share. Each is one program in two builds: with the host build of the kernels, and for a
// GPU, where it reports itself skipped (77) when there is none.
#ifndef GCDC_TESTS_CUDA_TESTING_H
#define GCDC_TESTS_CUDA_TESTING_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/cuda/cuda.h"
#include "../../lib/include/gcdc/cuda.h"
#include "../oracle/engine.h"
#include "../oracle/random.h"

#define SKIPPED 77

extern uint64_t failures;
#define FAIL(...)                                                                                                      \
	do {                                                                                                               \
		if (failures++ < 20) printf(__VA_ARGS__), printf("  (%s:%d)\n", __FILE__, __LINE__);                           \
	} while (0)
#define CHECK(condition, ...)                                                                                          \
	do {                                                                                                               \
		if (!(condition)) FAIL(__VA_ARGS__);                                                                           \
	} while (0)
// Also says what CUDA said.
#define MUST(call)                                                                                                     \
	do {                                                                                                               \
		gcdc_status must_status = (call);                                                                              \
		if (must_status) {                                                                                             \
			printf("%s: %s %s  (%s:%d)\n", #call, gcdc_status_text(must_status), gcdc_cuda_error(), __FILE__,          \
			       __LINE__);                                                                                          \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)

// Reads --seed and --rounds; exits with SKIPPED where there is no device.
struct testing {
	uint64_t seed, rounds;
};
struct testing testing_begin(int argc, char **argv, uint64_t rounds);
int testing_end(const char *what);

// Memory here and on the device.
struct twin {
	void *host, *device;
	size_t size;
};
struct twin twin_new(size_t size);
void twin_free(struct twin *t);
void twin_push(struct twin *t);  // host -> device
void twin_pull(struct twin *t);  // device -> host

// A grammar's file compiled for the built-in vocabulary, with `width` tokens when it is more than that has.
struct subject {
	struct grammar grammar;
	struct vocab vocab;
	struct engine engine;
	struct diag diag;
	gcdc_info info;
	gcdc_cuda_table *table;
};
void subject_open(struct subject *s, const char *grammar, uint32_t width);
void subject_close(struct subject *s);

#endif
