// lib/cuda/cuda.h on CUDA.
//
// In:  calls.  Out: the CUDA runtime's, its errors as one code with a text for this thread.
#include "cuda.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

static thread_local char last_error[256];

gcdc_status cuda_status(cudaError_t error);  // launch.cuh: kernels' launches use it, too
gcdc_status cuda_status(cudaError_t error)
{
	if (error == cudaSuccess) return GCDC_OK;
	snprintf(last_error, sizeof last_error, "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
	return error == cudaErrorMemoryAllocation ? GCDC_ERR_MEMORY : GCDC_ERR_DEVICE;
}

extern "C" const char *gcdc_cuda_error(void) { return last_error; }

extern "C" bool gcdc_cuda_available(void)
{
	int n = 0;
	return !cuda_status(cudaGetDeviceCount(&n)) && n > 0;
}

// Blocks of a team at most; every device with clusters takes 8.
#ifndef GCDC_CUDA_TEAM
#define GCDC_CUDA_TEAM 8u
#endif

uint32_t team_size(uint64_t rows);  // launch.cuh
uint32_t team_size(uint64_t rows)
{
	int device, major = 0, processors = 0;
	uint32_t size = 1;
	if (GCDC_CUDA_TEAM == 1 || cudaGetDevice(&device) != cudaSuccess) return 1;
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	// Blocks of a team are neighbours: of groups of processors some are left over that no team of four or more fits.
	for (uint64_t left_over = 0; major >= 9 && size < GCDC_CUDA_TEAM; size *= 2) {
		if (2 * size * rows + left_over > (uint64_t)processors) break;
		left_over = (uint64_t)processors / 8;
	}
	return size;
}

extern "C" bool device_is_host(void) { return false; }

static bool device_properties(cudaDeviceProp *p)
{
	int device;
	return !cuda_status(cudaGetDevice(&device)) && !cuda_status(cudaGetDeviceProperties(p, device));
}

extern "C" const char *device_name(void)
{
	static thread_local cudaDeviceProp p;
	return device_properties(&p) ? p.name : "";
}
extern "C" size_t device_cache_size(void)
{
	cudaDeviceProp p;
	return device_properties(&p) ? (size_t)p.l2CacheSize : 0;
}
extern "C" size_t device_memory_size(void)
{
	cudaDeviceProp p;
	return device_properties(&p) ? p.totalGlobalMem : 0;
}

extern "C" void *device_alloc(size_t size)
{
	void *at = nullptr;
	return cuda_status(cudaMalloc(&at, size ? size : 1)) ? nullptr : at;
}
extern "C" void device_free(void *at) { cuda_status(cudaFree(at)); }

extern "C" gcdc_status device_write(void *device, const void *host, size_t size, gcdc_cuda_stream stream)
{
	return cuda_status(cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream));
}
extern "C" gcdc_status device_read(void *host, const void *device, size_t size, gcdc_cuda_stream stream)
{
	gcdc_status status = cuda_status(cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream));
	return status ? status : device_wait(stream);
}
extern "C" gcdc_status device_clear(void *device, int byte, size_t size, gcdc_cuda_stream stream)
{
	return cuda_status(cudaMemsetAsync(device, byte, size, stream));
}
extern "C" gcdc_status device_copy(void *to, const void *from, size_t size, gcdc_cuda_stream stream)
{
	return cuda_status(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream));
}

extern "C" gcdc_status device_stream_new(gcdc_cuda_stream *stream)
{
	return cuda_status(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
}
extern "C" void device_stream_free(gcdc_cuda_stream stream) { cuda_status(cudaStreamDestroy(stream)); }
extern "C" gcdc_status device_wait(gcdc_cuda_stream stream) { return cuda_status(cudaStreamSynchronize(stream)); }

struct device_graph {
	cudaGraphExec_t exec;
};

extern "C" bool device_is_captured(gcdc_cuda_stream stream)
{
	cudaStreamCaptureStatus is = cudaStreamCaptureStatusNone;
	return cudaStreamIsCapturing(stream, &is) != cudaSuccess || is != cudaStreamCaptureStatusNone;
}
extern "C" gcdc_status device_capture_begin(gcdc_cuda_stream stream)
{
	return cuda_status(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}
extern "C" gcdc_status device_capture_end(gcdc_cuda_stream stream, device_graph **graph)
{
	*graph = nullptr;
	cudaGraph_t made = nullptr;
	gcdc_status status = cuda_status(cudaStreamEndCapture(stream, &made));
	if (status) return status;
	device_graph *g = (device_graph *)calloc(1, sizeof *g);
	status = g ? cuda_status(cudaGraphInstantiate(&g->exec, made, 0)) : GCDC_ERR_MEMORY;
	cudaGraphDestroy(made);
	if (status)
		free(g);
	else
		*graph = g;
	return status;
}
extern "C" gcdc_status device_graph_run(device_graph *graph, gcdc_cuda_stream stream)
{
	return cuda_status(cudaGraphLaunch(graph->exec, stream));
}
extern "C" void device_graph_free(device_graph *graph)
{
	if (graph) cuda_status(cudaGraphExecDestroy(graph->exec));
	free(graph);
}

struct device_mark {
	cudaEvent_t event;
};

extern "C" device_mark *device_mark_new(void)
{
	device_mark *m = (device_mark *)calloc(1, sizeof *m);
	if (m && cuda_status(cudaEventCreate(&m->event))) {
		free(m);
		m = nullptr;
	}
	return m;
}
extern "C" void device_mark_free(device_mark *m)
{
	if (m) cuda_status(cudaEventDestroy(m->event));
	free(m);
}
extern "C" gcdc_status device_mark_set(device_mark *m, gcdc_cuda_stream stream)
{
	return cuda_status(cudaEventRecord(m->event, stream));
}
extern "C" double device_mark_us(device_mark *from, device_mark *to)
{
	float ms = 0;
	if (cuda_status(cudaEventSynchronize(to->event)) || cuda_status(cudaEventElapsedTime(&ms, from->event, to->event)))
		return -1;
	return ms * 1000.0;
}
