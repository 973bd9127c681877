// Tables and batches as the host knows them.
#ifndef GCDC_CUDA_TABLE_CUH
#define GCDC_CUDA_TABLE_CUH

#include "device_batch.cuh"

struct gcdc_cuda_table {
	struct device_tables tables;  // addresses on the device
	void *memory;
	bool is_own;
	bool has_matcher;   // its sections are there
	bool has_limits;    // masks leave out what is too long: strings counted by number, tokens that are counted
	bool has_uniques;   // arrays whose items differ
	bool is_canonical;  // masks leave out what the tokenizer would not produce
	uint32_t n_lr_states, max_readings;
	uint64_t hashes[4];  // of grammar and vocabulary
};

struct gcdc_cuda_batch {
	struct device_batch device;
	struct device_tables tables;
	uint64_t hashes[4];
	void *memory;
	bool is_own;
};

#endif
