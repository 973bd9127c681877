// Batches: sequences in device memory, set from matchers of the host.
//
// In:  a table, matchers.  Out: device memory with a sequence for each (device_batch.cuh); a matcher's readings,
// stacks, columns and mask copied there. Stacks that share a top on the host are readings of their own here. Cost:
// setting a sequence copies under 2 KB and its stacks.
#include "../include/gcdc/show.h"
#include "cuda.h"
#include "table.cuh"

#include <algorithm>
#include <stdlib.h>

#define MAX_DEPTH 65000u
#define MAX_LISTED 64u  // stacks of a reading of the host, of which some may be alike

static size_t aligned_size(size_t size) { return (size + 255) / 256 * 256; }

// Where the parts of n sequences lie; returns the size of all.
static size_t lay_out(const gcdc_cuda_batch_options *o, uint32_t max_depth, char *memory, struct device_batch *b)
{
	uint32_t n = o->n;
	size_t at = 0;
	b->n = n;
	b->max_height = max_depth + 1;
	b->stride = (b->max_height + 7) / 8 * 8;
	struct {
		void *to;
		size_t size;
	} parts[] = {{&b->statuses, n * sizeof *b->statuses},
	             {&b->done, n * sizeof *b->done},
	             {&b->sequences, n * sizeof *b->sequences},
	             {&b->stacks, sizeof *b->stacks * n * MAX_READINGS * b->stride},
	             {&b->columns, sizeof *b->columns * n * MAX_READINGS * MAX_COLUMNS},
	             {&b->costs, o->budgets ? sizeof *b->costs * n * MAX_READINGS * b->stride : 0}};
	for (auto &part : parts) {
		char *place = memory && part.size ? memory + at : nullptr;
		memcpy(part.to, &place, sizeof place);
		at += aligned_size(part.size);
	}
	return at;
}

static bool read_options(const gcdc_cuda_batch_options *o, uint32_t *max_depth)
{
	if (!o || !o->n || o->max_depth > MAX_DEPTH) return false;
	*max_depth = o->max_depth ? o->max_depth : GCDC_CUDA_DEFAULT_DEPTH;
	return true;
}

extern "C" size_t gcdc_cuda_batch_size(const gcdc_cuda_batch_options *o)
{
	uint32_t max_depth;
	struct device_batch b;
	return read_options(o, &max_depth) ? lay_out(o, max_depth, nullptr, &b) : 0;
}

extern "C" gcdc_status gcdc_cuda_batch_new(const gcdc_cuda_table *table, const gcdc_cuda_batch_options *o,
                                           gcdc_cuda_batch **batch)
{
	uint32_t max_depth;
	if (batch) *batch = nullptr;
	if (!table || !batch || !table->has_matcher || !read_options(o, &max_depth)) return GCDC_ERR_ARGUMENT;
	if (table->is_canonical || table->has_limits || table->has_uniques)
		return GCDC_ERR_UNSUPPORTED;  // the device knows nothing of it: its masks would allow too much
	if (table->n_lr_states > UINT16_MAX || table->max_readings > MAX_READINGS) return GCDC_ERR_UNSUPPORTED;
	if (o->budgets && !table->tables.has_steps) return GCDC_ERR_UNSUPPORTED;
	size_t size = gcdc_cuda_batch_size(o);
	if (o->memory && (o->size < size || (uintptr_t)o->memory % 256)) return GCDC_ERR_ARGUMENT;
	gcdc_cuda_batch *b = (gcdc_cuda_batch *)calloc(1, sizeof *b);
	if (!b) return GCDC_ERR_MEMORY;
	b->tables = table->tables;
	memcpy(b->hashes, table->hashes, sizeof b->hashes);
	b->is_own = !o->memory;
	b->memory = b->is_own ? device_alloc(size) : o->memory;
	gcdc_status status = b->memory ? GCDC_OK : gcdc_cuda_available() ? GCDC_ERR_MEMORY : GCDC_ERR_DEVICE;
	int32_t *statuses = (int32_t *)malloc(o->n * sizeof *statuses);
	if (!statuses) status = GCDC_ERR_MEMORY;
	if (!status) {
		lay_out(o, max_depth, (char *)b->memory, &b->device);
		std::fill_n(statuses, o->n, (int32_t)GCDC_ERR_ARGUMENT);
		// Nothing in a sequence is ever uninitialised.
		status = device_clear(b->memory, 0, size, nullptr);
		if (!status) status = device_write(b->device.statuses, statuses, o->n * sizeof *statuses, nullptr);
		if (!status) status = device_wait(nullptr);
	}
	free(statuses);
	if (status)
		gcdc_cuda_batch_free(b);
	else
		*batch = b;
	return status;
}

extern "C" void gcdc_cuda_batch_free(gcdc_cuda_batch *b)
{
	if (!b) return;
	if (b->is_own) device_free(b->memory);
	free(b);
}

extern "C" const int32_t *gcdc_cuda_batch_statuses(const gcdc_cuda_batch *b)
{
	return b ? b->device.statuses : nullptr;
}

template <typename T> static const T *section(const gcdc_artifact *a, uint32_t id)
{
	return (const T *)gcdc_artifact_section(a, id, nullptr);
}

// A sequence that is being set.
struct setting {
	gcdc_cuda_batch *batch;
	uint32_t i;
	struct sequence *s;
	gcdc_cuda_stream stream;
	uint16_t *stacks;           // those written so far, bottom first: max_height each
	uint32_t lex_state, first;  // of the host's reading; the first of ours that is one of its stacks
	uint32_t columns[MAX_COLUMNS], n_columns;
	struct device_tables tables;  // of the host, as far as counters and costs need them
	struct frame_cost *costs;     // room for those of a stack; NULL: there is no budget
	gcdc_status status;
};
// Of ours from the same reading of the host: frames that share no record can be alike all the same.
static bool is_known(const struct setting *x, const uint16_t *stack, uint32_t height)
{
	for (uint32_t k = x->first; k < x->s->n_readings; k++) {
		const uint16_t *other = x->stacks + (size_t)k * x->batch->device.max_height;
		if (x->s->reading[k].height == height && !memcmp(other, stack, height * sizeof *stack)) return true;
	}
	return false;
}

// One stack, top first, becomes a reading on the device.
static void copy_stack(void *context, const gcdc_shown_stack *shown)
{
	struct setting *x = (struct setting *)context;
	struct device_batch *to = &x->batch->device;
	uint32_t k = x->s->n_readings, height = shown->n;
	if (x->status) return;
	uint16_t *stack = x->stacks + (size_t)k * to->max_height;  // one more than MAX_READINGS has its place
	for (uint32_t j = 0; j < height; j++) stack[j] = (uint16_t)shown->lr_states[height - 1 - j];
	if (!shown->is_cut && is_known(x, stack, height)) return;
	if (shown->is_cut || k == MAX_READINGS) {
		x->status = GCDC_ERR_LIMIT;
		return;
	}
	x->s->reading[k] = {x->lex_state, k, height, x->n_columns};
	x->s->n_readings++;
	size_t buffer = (size_t)x->i * MAX_READINGS + k;
	x->status = device_write(to->stacks + buffer * to->stride, stack, height * sizeof *stack, x->stream);
	if (!x->status && x->n_columns)
		x->status =
			device_write(to->columns + buffer * MAX_COLUMNS, x->columns, x->n_columns * sizeof *x->columns, x->stream);
	if (!x->status && x->costs) {
		stack_costs(x->tables, stack, height, x->costs);
		x->status = device_write(to->costs + buffer * to->stride, x->costs, height * sizeof *x->costs, x->stream);
	}
}

// The budget, and what its costs are made of.
static gcdc_status copy_budget(struct setting *x, const gcdc_matcher *m)
{
	const gcdc_artifact *artifact = gcdc_matcher_artifact(m);
	x->s->left = gcdc_matcher_budget(m);
	x->s->eos = gcdc_matcher_budget_counts_eos(m);
	if (x->s->left == GCDC_NONE) return GCDC_OK;
	if (!x->batch->device.costs) return GCDC_ERR_UNSUPPORTED;
	x->tables.step_classes = section<struct artifact_step_class>(artifact, SECTION_STEP_CLASS);
	x->tables.step_pushes = section<struct artifact_step_push>(artifact, SECTION_STEP_PUSH);
	x->costs = (struct frame_cost *)malloc(x->batch->device.max_height * sizeof *x->costs);
	return x->costs ? GCDC_OK : GCDC_ERR_MEMORY;
}

// The stacks and columns of reading `from` of the host.
static gcdc_status copy_reading(struct setting *x, gcdc_matcher *m, uint32_t from)
{
	gcdc_shown_reading shown;
	gcdc_show_reading(m, from, &shown);
	x->lex_state = shown.lex_state;
	if (shown.counted)
		x->lex_state = x->batch->tables.n_lex_states + (shown.counted - 1) * x->tables.counters->n_states +
		               find_counted(x->tables, shown.lex_state);
	x->first = x->s->n_readings;
	x->n_columns = gcdc_matcher_columns(m, from, x->columns, MAX_COLUMNS, &x->s->column);
	if (x->n_columns > MAX_COLUMNS) return GCDC_ERR_LIMIT;
	std::reverse(x->columns, x->columns + x->n_columns);
	bool all;
	gcdc_status status =
		gcdc_show_stacks(m, from, gcdc_show_limits{MAX_LISTED, x->batch->device.max_height}, copy_stack, x, &all);
	if (!status) status = x->status;
	return status || all ? status : GCDC_ERR_LIMIT;
}

// *is_over: what the sequence's status is then, GCDC_TERMINATED.
static gcdc_status copy_matcher(gcdc_cuda_batch *b, uint32_t i, gcdc_matcher *m, struct sequence *s,
                                gcdc_cuda_stream stream, bool *is_over)
{
	uint32_t n_stops;
	gcdc_matcher_stop_tokens(m, &n_stops);
	if (n_stops) return GCDC_ERR_UNSUPPORTED;  // the device ends texts at EOS ids only
	s->is_terminated = gcdc_matcher_is_terminated(m);
	*is_over = s->is_terminated;
	if (*is_over) return GCDC_OK;
	gcdc_mask_sets mask;  // first: it drops readings that nothing can follow
	gcdc_status status = gcdc_matcher_mask_sets(m, &mask);
	*is_over = status == GCDC_TERMINATED;
	if (*is_over) status = GCDC_OK;
	if (status) return status;
	if (mask.n_sets > MAX_SETS || mask.n_tokens > MAX_EXTRA) return GCDC_ERR_LIMIT;
	s->n_sets = mask.n_sets;
	s->n_extra = mask.n_tokens;
	if (mask.n_sets) memcpy(s->numbers, mask.sets, mask.n_sets * sizeof *mask.sets);
	if (mask.n_tokens) memcpy(s->numbers + mask.n_sets, mask.tokens, mask.n_tokens * sizeof *mask.tokens);
	struct setting x = {};
	x.batch = b, x.i = i, x.s = s, x.stream = stream;
	x.tables.counters = section<struct artifact_counters>(gcdc_matcher_artifact(m), SECTION_COUNTERS);
	x.tables.counter_states = section<struct artifact_counted>(gcdc_matcher_artifact(m), SECTION_COUNTED);
	x.stacks = (uint16_t *)malloc((size_t)(MAX_READINGS + 1) * b->device.max_height * sizeof *x.stacks);
	if (!x.stacks) return GCDC_ERR_MEMORY;
	status = copy_budget(&x, m);
	uint32_t n = gcdc_matcher_reading(m, 0, nullptr, nullptr, 0, nullptr);
	for (uint32_t k = 0; k < n && !status; k++) status = copy_reading(&x, m, k);
	free(x.stacks);
	free(x.costs);
	return status;
}

extern "C" gcdc_status gcdc_cuda_batch_set(gcdc_cuda_batch *b, uint32_t i, gcdc_matcher *m, gcdc_cuda_stream stream)
{
	static const uint32_t nobody = 0;
	if (!b || i >= b->device.n || !m) return GCDC_ERR_ARGUMENT;
	if (device_is_captured(stream))
		return GCDC_ERR_ARGUMENT;  // a graph would copy from this function's stack when it is run
	gcdc_info info;
	gcdc_artifact_info(gcdc_matcher_artifact(m), &info);
	if (memcmp(info.grammar_hash, b->hashes, 16) || memcmp(info.vocab_hash, b->hashes + 2, 16))
		return GCDC_ERR_ARGUMENT;
	struct sequence s = {};
	bool is_over = false;
	gcdc_status status = copy_matcher(b, i, m, &s, stream, &is_over);
	int32_t kept = status ? status : is_over ? GCDC_TERMINATED : GCDC_OK;
	gcdc_status written = device_write(&b->device.sequences[i], &s, sizeof s, stream);
	if (!written) written = device_write(&b->device.statuses[i], &kept, sizeof kept, stream);
	if (!written)
		written =
			device_write(&b->device.done[i], &nobody, sizeof nobody, stream);  // a launch that broke off has left some
	return written ? written : status;
}
