// Launching kernels, device memory: by CUDA, or on the host at once.
//
// KERNEL(name, function, arguments, shared, warps, resident) makes a kernel of `void function(uint32_t block, const
// arguments &, shared &)`; `resident` blocks at a time have registers enough on a multiprocessor. LAUNCH(name, blocks,
// a, stream) runs it for blocks 0 .. blocks - 1. TEAM_KERNEL: a team of blocks runs each `void function(uint32_t row,
// struct team &, const arguments &, shared &)` (device.cuh); LAUNCH_TEAMS says for how many rows. LOAD(name) brings a
// kernel to the device before that, since the first launch would, which a stream that is being captured may not allow.
// On the host a launch on a stream that is being captured (lib/cuda/cuda.h) is kept for later, as CUDA does it.
#ifndef GCDC_CUDA_LAUNCH_CUH
#define GCDC_CUDA_LAUNCH_CUH

#include "../include/gcdc/cuda.h"
#include "device.cuh"

#ifdef __CUDACC__
#include <cuda_runtime.h>

// Notes the text for gcdc_cuda_error.
gcdc_status cuda_status(cudaError_t error);
// Blocks of a team for each of so many rows, on the device in use: a power of two; 1 where blocks share no storage.
uint32_t team_size(uint64_t rows);

// As many blocks as a multiprocessor has threads for: 1024 of them on the oldest, 1536 or more on others.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MOST_THREADS 1024u
#else
#define MOST_THREADS 1536u
#endif
constexpr uint32_t resident_blocks(uint32_t warps, uint32_t wanted)
{
	return wanted * warps * 32 <= MOST_THREADS ? wanted : MOST_THREADS / (warps * 32);
}

#define LOAD_KERNEL(name)                                                                                              \
	static gcdc_status name##_load(void)                                                                               \
	{                                                                                                                  \
		cudaFuncAttributes found;                                                                                      \
		return cuda_status(cudaFuncGetAttributes(&found, name));                                                       \
	}

#define KERNEL(name, function, arguments, shared, warps, resident)                                                     \
	static __global__ void __launch_bounds__((warps)*32, resident_blocks(warps, resident))                             \
		name(const __grid_constant__ arguments a)                                                                      \
	{                                                                                                                  \
		__shared__ shared s;                                                                                           \
		function(blockIdx.x, a, s);                                                                                    \
	}                                                                                                                  \
	LOAD_KERNEL(name)                                                                                                  \
	static gcdc_status name##_launch(uint64_t blocks, const arguments &a, gcdc_cuda_stream stream)                     \
	{                                                                                                                  \
		if (!blocks) return GCDC_OK;                                                                                   \
		if (blocks > INT32_MAX) return GCDC_ERR_LIMIT;                                                                 \
		name<<<(uint32_t)blocks, (warps)*32, 0, stream>>>(a);                                                          \
		return cuda_status(cudaGetLastError());                                                                        \
	}
#define TEAM_KERNEL(name, function, arguments, shared, warps)                                                          \
	static __global__ void __launch_bounds__((warps)*32, 1) name(const __grid_constant__ arguments a, uint32_t size)   \
	{                                                                                                                  \
		__shared__ shared s;                                                                                           \
		struct team team = team_of(size);                                                                              \
		if (team.rank < team.size) function(blockIdx.x / size, team, a, s);                                            \
	}                                                                                                                  \
	LOAD_KERNEL(name)                                                                                                  \
	static gcdc_status name##_launch(uint64_t rows, const arguments &a, gcdc_cuda_stream stream)                       \
	{                                                                                                                  \
		uint32_t size = team_size(rows);                                                                               \
		if (!rows) return GCDC_OK;                                                                                     \
		if (rows * size > INT32_MAX) return GCDC_ERR_LIMIT;                                                            \
		cudaLaunchAttribute cluster = {};                                                                              \
		cluster.id = cudaLaunchAttributeClusterDimension;                                                              \
		cluster.val.clusterDim = {size, 1, 1};                                                                         \
		cudaLaunchConfig_t how = {};                                                                                   \
		how.gridDim = {(uint32_t)rows * size, 1, 1};                                                                   \
		how.blockDim = {(warps)*32, 1, 1};                                                                             \
		how.stream = stream;                                                                                           \
		how.attrs = &cluster;                                                                                          \
		how.numAttrs = size > 1;                                                                                       \
		return cuda_status(cudaLaunchKernelEx(&how, name, a, size));                                                   \
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
// A team's blocks: one by loops, TEAM_OF_FIBERS by fibers.
template <typename A, typename S, void (*F)(uint32_t, struct team &, const A &, S &)>
static void run_team(uint32_t threads, uint32_t row, const void *a)
{
#ifdef GCDC_SIMT
	const uint32_t SIZE = TEAM_OF_FIBERS;
#else
	const uint32_t SIZE = 1;
#endif
	S *s = (S *)malloc(SIZE * sizeof *s);
	memset((void *)s, 0xA5, SIZE * sizeof *s);
#ifdef GCDC_SIMT
	struct call {
		uint32_t row;
		const A *a;
		S *s;
	} c = {row, (const A *)a, s};
	simt_run_team(
		threads, SIZE,
		[](void *x) {
			struct call *call_of = (call *)x;
			struct team team = team_of(SIZE);
			F(call_of->row, team, *call_of->a, call_of->s[team.rank]);
		},
		&c);
#else
	(void)threads;
	struct team team = team_of(SIZE);
	F(row, team, *(const A *)a, *s);
#endif
	free(s);
}
#define TEAM_KERNEL(name, function, arguments, shared, warps)                                                          \
	static void name(uint32_t row, const void *a) { run_team<arguments, shared, function>((warps)*32, row, a); }       \
	static gcdc_status name##_load(void) { return GCDC_OK; }                                                           \
	static gcdc_status name##_launch(uint64_t rows, const arguments &a, gcdc_cuda_stream stream)                       \
	{                                                                                                                  \
		if (!rows) return GCDC_OK;                                                                                     \
		if (rows > INT32_MAX) return GCDC_ERR_LIMIT;                                                                   \
		return host_launch(name, (uint32_t)rows, &a, sizeof a, stream);                                                \
	}
#endif
#define LAUNCH(name, blocks, a, stream) name##_launch(blocks, a, stream)
#define LAUNCH_TEAMS(name, rows, a, stream) name##_launch(rows, a, stream)
#define LOAD(name) name##_load()

gcdc_status apply_load(void);
gcdc_status sample_load(void);

#endif
