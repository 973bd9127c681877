// Launching kernels, device memory: by CUDA, or on the host at once.
//
// KERNEL(name, function, arguments, shared, warps, resident) makes a kernel of `void function(uint32_t block, const
// arguments &, shared &)`; `resident` blocks at a time have registers enough on a multiprocessor. LAUNCH(name, blocks, a, stream) runs it for blocks 0 .. blocks - 1; LOAD(name) brings it to the device
// before that, since the first launch would, which a stream that is being captured may not allow. On the host a launch
// on a stream that is being captured (lib/cuda/cuda.h) is kept for later, as CUDA does it.
#ifndef GCDC_CUDA_LAUNCH_CUH
#define GCDC_CUDA_LAUNCH_CUH

#include "../include/gcdc/cuda.h"

#ifdef __CUDACC__
#include <cuda_runtime.h>

// Notes the text for gcdc_cuda_error.
gcdc_status cuda_status(cudaError_t error);

#define KERNEL(name, function, arguments, shared, warps, resident)                                                     \
	static __global__ void __launch_bounds__((warps)*32, resident) name(const __grid_constant__ arguments a)           \
	{                                                                                                                  \
		__shared__ shared s;                                                                                           \
		function(blockIdx.x, a, s);                                                                                    \
	}                                                                                                                  \
	static gcdc_status name##_load(void)                                                                               \
	{                                                                                                                  \
		cudaFuncAttributes found;                                                                                      \
		return cuda_status(cudaFuncGetAttributes(&found, name));                                                       \
	}                                                                                                                  \
	static gcdc_status name##_launch(uint64_t blocks, const arguments &a, gcdc_cuda_stream stream)                     \
	{                                                                                                                  \
		if (!blocks) return GCDC_OK;                                                                                   \
		if (blocks > INT32_MAX) return GCDC_ERR_LIMIT;                                                                 \
		name<<<(uint32_t)blocks, (warps)*32, 0, stream>>>(a);                                                          \
		return cuda_status(cudaGetLastError());                                                                        \
	}
#else
#include <stdlib.h>

// Runs kernel(arguments) for each block now, or keeps it in the stream's graph.
typedef void host_kernel(uint32_t block, const void *arguments);
gcdc_status host_launch(host_kernel *kernel, uint32_t blocks, const void *arguments, size_t size,
                        gcdc_cuda_stream stream);

// A block's threads: the function's own loops, or fibers.
template <typename A, typename S, void (*F)(uint32_t, const A &, S &)>
static void run_block(uint32_t threads, uint32_t block, const void *a)
{
	S *s = (S *)malloc(sizeof *s);
	memset((void *)s, 0xA5, sizeof *s);  // what a block finds in shared storage is arbitrary
#ifdef GCDC_SIMT
	struct call {
		uint32_t block;
		const A *a;
		S *s;
	} c = {block, (const A *)a, s};
	simt_run(
		threads, [](void *x) { F(((call *)x)->block, *((call *)x)->a, *((call *)x)->s); }, &c);
#else
	(void)threads;
	F(block, *(const A *)a, *s);
#endif
	free(s);
}

#define KERNEL(name, function, arguments, shared, warps, resident)                                                     \
	static void name(uint32_t block, const void *a) { run_block<arguments, shared, function>((warps)*32, block, a); }  \
	static gcdc_status name##_load(void) { return GCDC_OK; }                                                           \
	static gcdc_status name##_launch(uint64_t blocks, const arguments &a, gcdc_cuda_stream stream)                     \
	{                                                                                                                  \
		if (!blocks) return GCDC_OK;                                                                                   \
		if (blocks > INT32_MAX) return GCDC_ERR_LIMIT;                                                                 \
		return host_launch(name, (uint32_t)blocks, &a, sizeof a, stream);                                              \
	}
#endif
#define LAUNCH(name, blocks, a, stream) name##_launch(blocks, a, stream)
#define LOAD(name) name##_load()

gcdc_status apply_load(void);
gcdc_status sample_load(void);

#endif
