// One source for two machines: blocks of threads on a GPU, or loops on the host.
//
// A kernel is a function of (block number, arguments, shared storage). It is written in phases: inside FOR_THREADS or
// FOR_LANES each thread does its part alone, between them threads exchange values (lanes<T>, per_thread<T>, shared
// storage). nvcc makes each thread run its own part; the host compiler makes loops over all threads of the block, one
// phase after the other. So the logic that runs on the GPU is the logic that the tests run without one; only the
// exchange itself (shuffles, barriers, atomics) is written twice, here.
// Floating point: exact operations only (device_fma and friends), so that both machines give the same bits.
#ifndef GCDC_CUDA_DEVICE_CUH
#define GCDC_CUDA_DEVICE_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

// ON_DEVICE: each thread is one. GCDC_SIMT: they are fibers of the host, for tests (simt.cuh).
#if defined(__CUDACC__) || defined(GCDC_SIMT)
#define ON_DEVICE
#endif
#ifdef GCDC_SIMT
#include "simt.cuh"
#endif

#define WARP 32u
#define FULL_WARP 0xffffffffu

#ifdef __CUDACC__
#define DEVICE static __device__ __forceinline__
#define DEVICE_METHOD __device__ __forceinline__
#define DEVICE_CALL static __device__ __noinline__  // not worth a copy in every caller
#define NO_UNROLL _Pragma("unroll 1")
#define UNROLL _Pragma("unroll")
#else
#define DEVICE [[maybe_unused]] static inline
#define DEVICE_METHOD inline
#define DEVICE_CALL [[maybe_unused]] static inline
#define NO_UNROLL
#define UNROLL
#endif

// ---- Threads of a block. A block has `warps` warps, a constant of its kernel.
#ifdef ON_DEVICE
// l: lane of this warp, w: warp of this block, t: thread of this block.
#define FOR_LANES(l) for (uint32_t l = threadIdx.x % WARP, once_##l = 1; once_##l; once_##l = 0)
#define FOR_WARPS(w, warps) for (uint32_t w = threadIdx.x / WARP, once_##w = 1; once_##w; once_##w = 0)
#define FOR_THREADS(t, warps) for (uint32_t t = threadIdx.x, once_##t = 1; once_##t; once_##t = 0)
#define ONE_THREAD if (threadIdx.x == 0)
DEVICE void sync_block() { __syncthreads(); }
DEVICE void sync_warp() { __syncwarp(); }
#else
#define FOR_LANES(l) for (uint32_t l = 0; l < WARP; l++)
#define FOR_WARPS(w, warps) for (uint32_t w = 0; w < (warps); w++)
#define FOR_THREADS(t, warps) for (uint32_t t = 0; t < (warps)*WARP; t++)
#define ONE_THREAD
DEVICE void sync_block() {}
DEVICE void sync_warp() {}
#endif

// ---- Teams: blocks that do one row together, at the same time, on neighbouring multiprocessors, and reach each
// other's shared storage (CUDA's clusters, from Hopper on). Elsewhere the first block does the row alone.
struct team {
	uint32_t rank, size;
};
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HAS_TEAMS
#endif
// Of this block. size: as the kernel was launched.
DEVICE struct team team_of(uint32_t size)
{
#if defined(HAS_TEAMS)
	return {blockIdx.x % size, size};
#elif defined(__CUDACC__)
	return {blockIdx.x % size, 1};
#elif defined(GCDC_SIMT)
	return {simt_block(), size};
#else
	return {0, size};
#endif
}
// All threads of the team's blocks wait for each other, and see what each other wrote.
DEVICE void sync_team(const struct team &t)
{
#if defined(HAS_TEAMS)
	if (t.size > 1) {
		asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
		return;
	}
#elif defined(GCDC_SIMT)
	if (t.size > 1) {
		simt_sync_team();
		return;
	}
#endif
	(void)t;
	sync_block();
}
// The shared storage of the team's first block.
template <typename S> DEVICE S &team_first(const struct team &t, S &s)
{
#if defined(HAS_TEAMS)
	uint64_t at = (uint64_t)(uintptr_t)&s;
	if (t.size > 1) asm("mapa.u64 %0, %1, 0;" : "=l"(at) : "l"(at));
	return *(S *)(uintptr_t)at;
#else
	return *(&s - t.rank);
#endif
}

// A value for each lane of a warp.
template <typename T> struct lanes {
#ifdef ON_DEVICE
	T own;
	DEVICE_METHOD T &operator[](uint32_t) { return own; }
	// Another lane's; all lanes ask at once.
	DEVICE_METHOD T get(uint32_t lane) const { return __shfl_sync(FULL_WARP, own, lane); }
#else
	T of[WARP];
	DEVICE_METHOD T &operator[](uint32_t lane) { return of[lane]; }
	DEVICE_METHOD T get(uint32_t lane) const { return of[lane]; }
#endif
};
// A value for each thread of a block.
template <typename T, uint32_t WARPS> struct per_thread {
#ifdef ON_DEVICE
	T own;
	DEVICE_METHOD T &operator[](uint32_t) { return own; }
#else
	T of[WARPS * WARP];
	DEVICE_METHOD T &operator[](uint32_t thread) { return of[thread]; }
#endif
};
// Bit l: lane l's value is not 0.
DEVICE uint32_t warp_ballot(lanes<uint32_t> &x)
{
#ifdef ON_DEVICE
	return __ballot_sync(FULL_WARP, x.own != 0);
#else
	uint32_t bits = 0;
	FOR_LANES(l) bits |= (uint32_t)(x[l] != 0) << l;
	return bits;
#endif
}

DEVICE uint64_t warp_sum(lanes<uint64_t> &x)
{
#ifdef ON_DEVICE
	uint64_t sum = x.own;
	for (uint32_t d = WARP / 2; d; d /= 2) sum += __shfl_xor_sync(FULL_WARP, sum, d);
	return sum;
#else
	uint64_t sum = 0;
	FOR_LANES(l) sum += x[l];
	return sum;
#endif
}
DEVICE uint64_t warp_max(lanes<uint64_t> &x)
{
#ifdef ON_DEVICE
	uint64_t most = x.own;
	for (uint32_t d = WARP / 2; d; d /= 2) {
		uint64_t other = __shfl_xor_sync(FULL_WARP, most, d);
		most = other > most ? other : most;
	}
	return most;
#else
	uint64_t most = 0;
	FOR_LANES(l) most = x[l] > most ? x[l] : most;
	return most;
#endif
}
// x becomes the sum of the lanes before it; the sum of all is returned.
DEVICE uint64_t warp_sums_before(lanes<uint64_t> &x)
{
#ifdef ON_DEVICE
	uint64_t sum = x.own;
	for (uint32_t d = 1; d < WARP; d *= 2) {
		uint64_t other = __shfl_up_sync(FULL_WARP, sum, d);
		sum += threadIdx.x % WARP >= d ? other : 0;
	}
	x.own = sum - x.own;
	return __shfl_sync(FULL_WARP, sum, WARP - 1);
#else
	uint64_t sum = 0;
	FOR_LANES(l)
	{
		uint64_t own = x[l];
		x[l] = sum;
		sum += own;
	}
	return sum;
#endif
}

// ---- Atomics on shared or global memory. On the host phases run one thread after the other.
DEVICE void atomic_or(uint32_t *at, uint32_t bits)
{
#ifdef ON_DEVICE
	atomicOr(at, bits);
#else
	*at |= bits;
#endif
}
DEVICE void atomic_xor(uint32_t *at, uint32_t bits)
{
#ifdef ON_DEVICE
	atomicXor(at, bits);
#else
	*at ^= bits;
#endif
}
DEVICE uint32_t atomic_add(uint32_t *at, uint32_t value)
{
#ifdef ON_DEVICE
	return atomicAdd(at, value);
#else
	uint32_t before = *at;
	*at += value;
	return before;
#endif
}
DEVICE void atomic_add(uint64_t *at, uint64_t value)
{
#ifdef ON_DEVICE
	atomicAdd((unsigned long long *)at, (unsigned long long)value);
#else
	*at += value;
#endif
}
// What this thread wrote is seen by blocks that see what it writes next.
DEVICE void fence()
{
#ifdef ON_DEVICE
	__threadfence();
#endif
}

// ---- Arithmetic that is the same everywhere: rounded to nearest once per operation, never contracted.
DEVICE float float_fma(float a, float b, float c)
{
#ifdef ON_DEVICE
	return __fmaf_rn(a, b, c);
#else
	return fmaf(a, b, c);
#endif
}
DEVICE float float_mul(float a, float b)
{
#ifdef ON_DEVICE
	return __fmul_rn(a, b);
#else
	return a * b;
#endif
}
DEVICE float float_sub(float a, float b)
{
#ifdef ON_DEVICE
	return __fsub_rn(a, b);
#else
	return a - b;
#endif
}
DEVICE float float_div(float a, float b)
{
#ifdef ON_DEVICE
	return __fdiv_rn(a, b);
#else
	return a / b;
#endif
}
DEVICE float float_of_bits(uint32_t bits)
{
#ifdef ON_DEVICE
	return __uint_as_float(bits);
#else
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
#endif
}
DEVICE uint32_t bits_of_float(float x)
{
#ifdef ON_DEVICE
	return __float_as_uint(x);
#else
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
#endif
}
// The low 32 bits of high:low >> shift, shift < 32.
DEVICE uint32_t funnel_shift(uint32_t low, uint32_t high, uint32_t shift)
{
#ifdef ON_DEVICE
	return __funnelshift_r(low, high, shift);
#else
	return shift ? low >> shift | high << (32 - shift) : low;
#endif
}
DEVICE uint32_t count_bits(uint32_t x)
{
#ifdef ON_DEVICE
	return (uint32_t)__popc((int)x);
#else
	return (uint32_t)__builtin_popcount(x);
#endif
}
// The lowest bit that is set; x is not 0.
DEVICE uint32_t lowest_bit(uint32_t x)
{
#ifdef ON_DEVICE
	return (uint32_t)__ffs((int)x) - 1;
#else
	return (uint32_t)__builtin_ctz(x);
#endif
}
template <typename T> DEVICE T min_of(T a, T b) { return a < b ? a : b; }
template <typename T> DEVICE T max_of(T a, T b) { return a > b ? a : b; }

#endif
