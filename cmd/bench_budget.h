// gcdc bench --budget: masks and steps under budgets, beside those without.
#ifndef GCDC_CMD_BENCH_BUDGET_H
#define GCDC_CMD_BENCH_BUDGET_H

#include "bench_clock.h"
#include "bench_cuda.h"

// Prints the figures; returns an exit code.
int bench_budget(const char *me, const gcdc_artifact *artifact, const struct bench_text *texts, uint32_t n_texts,
                 const struct bench_clock *clock, uint32_t replays, bool is_json);

#endif
