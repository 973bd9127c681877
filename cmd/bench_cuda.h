// bench --cuda: the same texts, masked and stepped on a GPU.
#ifndef GCDC_CMD_BENCH_CUDA_H
#define GCDC_CMD_BENCH_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gcdc/runtime.h"

struct bench_text {
	const uint32_t *tokens;
	size_t n;
};  // as cut, EOS last

// Prints the figures; returns an exit code.
int bench_cuda(const char *me, const gcdc_artifact *artifact, const struct bench_text *texts, uint32_t n_texts,
               uint32_t n_sequences, bool is_json);

#endif
