// A GPU's threads on the host: for tests of what host loops cannot show.
//
// The host build runs a block's threads as loops, phase by phase. Here each thread is a fiber that runs a kernel's code
// as nvcc compiles it (GCDC_SIMT): shuffles, ballots and barriers are those of the device, and between two of them
// fibers run in a random order. A barrier that not all threads reach ends the program; a missing one gives wrong
// results sooner or later.
#ifndef GCDC_CUDA_SIMT_H
#define GCDC_CUDA_SIMT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// Runs body(context) as `threads` fibers of each of some blocks.
#define TEAM_OF_FIBERS 2u
void simt_run_team(uint32_t threads, uint32_t blocks, void (*body)(void *context), void *context);
static inline void simt_run(uint32_t threads, void (*body)(void *context), void *context)
{
	simt_run_team(threads, 1, body, context);
}
// The thread of its block, the block of its team.
uint32_t simt_thread(void);
uint32_t simt_block(void);
// Waits until all of the warp (the block, the team) wait likewise.
void simt_sync_warp(void);
void simt_sync_block(void);
void simt_sync_team(void);
// Each lane brings a value and gets that of lane `from` (from: of the warp). All lanes call it.
uint64_t simt_exchange(uint64_t value, uint32_t from);
uint32_t simt_ballot(bool value);

struct simt_index {
	struct x {
		operator uint32_t() const { return simt_thread(); }
	} x;
};
static const struct simt_index threadIdx = {};

static inline void __syncthreads() { simt_sync_block(); }
static inline void __syncwarp() { simt_sync_warp(); }
template <typename T> static inline T simt_shuffle(T value, uint32_t from)
{
	uint64_t bits = 0;
	static_assert(sizeof value <= sizeof bits, "a value of a lane");
	memcpy(&bits, &value, sizeof value);
	bits = simt_exchange(bits, from);
	memcpy(&value, &bits, sizeof value);
	return value;
}
template <typename T> static inline T __shfl_sync(uint32_t, T value, uint32_t lane)
{
	return simt_shuffle(value, lane % 32);
}
template <typename T> static inline T __shfl_xor_sync(uint32_t, T value, uint32_t mask)
{
	return simt_shuffle(value, (simt_thread() ^ mask) % 32);
}
template <typename T> static inline T __shfl_up_sync(uint32_t, T value, uint32_t n)
{
	uint32_t lane = simt_thread() % 32;
	return simt_shuffle(value, lane >= n ? lane - n : lane);
}
static inline uint32_t __ballot_sync(uint32_t, bool value) { return simt_ballot(value); }
static inline void __threadfence() {}

template <typename T> static inline T atomicOr(T *at, T value)
{
	T before = *at;
	*at |= value;
	return before;
}
template <typename T> static inline T atomicXor(T *at, T value)
{
	T before = *at;
	*at ^= value;
	return before;
}
template <typename T> static inline T atomicAdd(T *at, T value)
{
	T before = *at;
	*at += value;
	return before;
}
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __uint_as_float(uint32_t x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}
static inline uint32_t __float_as_uint(float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	return x;
}
static inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t shift)
{
	return (uint32_t)(((uint64_t)high << 32 | low) >> (shift & 31));
}
static inline int __popc(int x) { return __builtin_popcount((unsigned)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
struct uint4 {
	uint32_t x, y, z, w;
};
static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }

#endif
