// gcdc bench --budget: masks and steps under budgets, beside those without.
#ifndef GCDC_CMD_BENCH_BUDGET_H
#define GCDC_CMD_BENCH_BUDGET_H

#include "bench_clock.h"
#include "bench_cuda.h"

struct budget_job {
	const char *command;  // for messages
	const gcdc_artifact *artifact;
	const struct bench_text *texts;
	uint32_t n_texts, replays;
	const struct bench_clock *clock;
	bool is_json;
};
// Prints the figures; returns an exit code.
int bench_budget(const struct budget_job *job);

#endif
