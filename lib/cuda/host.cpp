// The host build: every kernel's logic compiled for the host, over host memory (libgcdc_cuda_host).
//
// In:  the other sources of this folder, kernels included, as C++.  Out: the same functions as libgcdc_cuda, with
// lib/cuda/cuda.h on the host: memory is malloc's, a stream does its work at once, a graph is a list of launches with
// their arguments.
#include "cuda.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "launch.cuh"

struct host_launch_record {
	host_launch_record *next;
	host_kernel *kernel;
	uint32_t blocks;
	alignas(16) char arguments[];
};
struct device_graph {
	host_launch_record *first, **end;
};
struct CUstream_st {
	device_graph *graph;
};  // NULL: nothing is being captured
struct device_mark {
	struct timespec at;
};

gcdc_status host_launch(host_kernel *kernel, uint32_t blocks, const void *arguments, size_t size,
                        gcdc_cuda_stream stream)
{
	if (stream && stream->graph) {
		host_launch_record *r = (host_launch_record *)malloc(sizeof *r + size);
		if (!r) return GCDC_ERR_MEMORY;
		r->next = nullptr;
		r->kernel = kernel;
		r->blocks = blocks;
		memcpy(r->arguments, arguments, size);
		*stream->graph->end = r;
		stream->graph->end = &r->next;
		return GCDC_OK;
	}
	for (uint32_t i = 0; i < blocks; i++) kernel(i, arguments);
	return GCDC_OK;
}

extern "C" {

bool gcdc_cuda_available(void) { return true; }
const char *gcdc_cuda_error(void) { return ""; }
bool device_is_host(void) { return true; }
#ifdef GCDC_SIMT
const char *device_name(void) { return "host, threads as fibers"; }
#else
const char *device_name(void) { return "host"; }
#endif
size_t device_cache_size(void) { return 1 << 20; }
size_t device_memory_size(void) { return 1 << 30; }

void *device_alloc(size_t size)
{
	void *at = nullptr;
	return posix_memalign(&at, 256, size ? size : 1) ? nullptr : at;
}
void device_free(void *at) { free(at); }
gcdc_status device_write(void *device, const void *host, size_t size, gcdc_cuda_stream)
{
	if (size) memcpy(device, host, size);
	return GCDC_OK;
}
gcdc_status device_read(void *host, const void *device, size_t size, gcdc_cuda_stream)
{
	if (size) memcpy(host, device, size);
	return GCDC_OK;
}
gcdc_status device_clear(void *device, int byte, size_t size, gcdc_cuda_stream)
{
	memset(device, byte, size);
	return GCDC_OK;
}
gcdc_status device_copy(void *to, const void *from, size_t size, gcdc_cuda_stream)
{
	memcpy(to, from, size);
	return GCDC_OK;
}

gcdc_status device_stream_new(gcdc_cuda_stream *stream)
{
	*stream = (gcdc_cuda_stream)calloc(1, sizeof **stream);
	return *stream ? GCDC_OK : GCDC_ERR_MEMORY;
}
void device_stream_free(gcdc_cuda_stream stream) { free(stream); }
gcdc_status device_wait(gcdc_cuda_stream) { return GCDC_OK; }

bool device_is_captured(gcdc_cuda_stream stream) { return stream && stream->graph; }
gcdc_status device_capture_begin(gcdc_cuda_stream stream)
{
	stream->graph = (device_graph *)calloc(1, sizeof *stream->graph);
	if (!stream->graph) return GCDC_ERR_MEMORY;
	stream->graph->end = &stream->graph->first;
	return GCDC_OK;
}
gcdc_status device_capture_end(gcdc_cuda_stream stream, device_graph **graph)
{
	*graph = stream->graph;
	stream->graph = nullptr;
	return GCDC_OK;
}
gcdc_status device_graph_run(device_graph *graph, gcdc_cuda_stream)
{
	for (host_launch_record *r = graph->first; r; r = r->next)
		for (uint32_t i = 0; i < r->blocks; i++) r->kernel(i, r->arguments);
	return GCDC_OK;
}
void device_graph_free(device_graph *graph)
{
	for (host_launch_record *r = graph ? graph->first : nullptr, *next; r; r = next) {
		next = r->next;
		free(r);
	}
	free(graph);
}

device_mark *device_mark_new(void) { return (device_mark *)calloc(1, sizeof(device_mark)); }
void device_mark_free(device_mark *mark) { free(mark); }
gcdc_status device_mark_set(device_mark *mark, gcdc_cuda_stream)
{
	clock_gettime(CLOCK_MONOTONIC, &mark->at);
	return GCDC_OK;
}
double device_mark_us(device_mark *from, device_mark *to)
{
	return (double)(to->at.tv_sec - from->at.tv_sec) * 1e6 + (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-3;
}
}

#ifdef GCDC_SIMT
#include "simt.cpp"
#endif
#include "apply.cu"
#include "sample.cu"
#include "arguments.cpp"
#include "batch.cpp"
#include "pack.cpp"
#include "table.cpp"
