// A table as the host knows it.
#ifndef GCDC_CUDA_TABLE_CUH
#define GCDC_CUDA_TABLE_CUH

#include "device_tables.cuh"
#include "launch.cuh"

struct gcdc_cuda_table {
	struct device_tables tables;   // addresses on the device
	void *memory;
	bool is_own;
	bool has_matcher;              // its sections are there, and the device's matcher can read this grammar
};

#endif
