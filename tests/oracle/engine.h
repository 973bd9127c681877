// The code under test, as a few calls: grammar and vocabulary in, an opened artifact out, all in memory.
#ifndef GCDC_TESTS_ENGINE_H
#define GCDC_TESTS_ENGINE_H

#include "../../lib/include/gcdc/runtime.h"
#include "../../lib/vocab/vocab.h"
#include "../../lib/grammar/grammar.h"

struct engine {
	gcdc_artifact *artifact;
	uint8_t *bytes;
	size_t len;
	uint32_t n_kept;  // steps of texts in it
	bool is_total;    // it says that all that a mask allows has a price
};

enum engine_result {
	ENGINE_OK,
	ENGINE_REFUSED,  // the compiler says no; diag says why
	ENGINE_BROKEN,   // the compiler said yes, but its image does not encode or open: a bug
};

// What the tables are made to be sure of: less than they could be, so that the runtime has to step over tokens. The
// masks must be the same.
enum engine_sure { SURE_AS_COMPILED, SURE_OF_NOTHING };
extern enum engine_sure engine_sure;

// Tables for token budgets: 0 none, 1 aligned, 2 exact (enum compile_costs).
extern uint32_t engine_costs;
// Aligned ones as hard canonical modes have them.
extern bool engine_joined_costs;
// Lines up to this column have a price; 0: as many as gcdc prices.
extern uint32_t engine_max_column;
// Groups of tokens stay in the artifact, so that masks under budgets can be made of them, too.
extern bool engine_keep_groups;

// Random texts that are walked first: what their masks under budgets make is in the artifact, as of texts that are
// given to the compiler. 0: nothing is.
extern uint32_t engine_texts;

enum engine_result engine_compile(const struct grammar *g, const struct vocab *v, struct diag *d, struct engine *e);
void engine_release(struct engine *e);

static inline bool mask_bit(const uint32_t *mask, uint32_t t) { return mask[t / 32] >> (t % 32) & 1; }

#endif
