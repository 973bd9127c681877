/* What the program, the tests and the example need of a device besides <gcdc/cuda.h>: memory, streams, graphs, time.
 * Implemented on CUDA (device.cu) and on the host (host.cpp), where memory is the host's, work is done at once, and a
 * graph is a list of launches. Engines have all of this already and do not use it. */
#ifndef GCDC_CUDA_CUDA_H
#define GCDC_CUDA_CUDA_H

#include "../include/gcdc/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Is this the host build? */
bool device_is_host(void);
/** A name for people of the device in use; "" when there is none. */
const char *device_name(void);
/** size bytes of device memory, 256-aligned; NULL: none left. */
void *device_alloc(size_t size);
void device_free(void *at);
/** Copies, in the stream's order; from and to host memory, which may be any. device_read waits for the stream. */
gcdc_status device_write(void *device, const void *host, size_t size, gcdc_cuda_stream stream);
gcdc_status device_read(void *host, const void *device, size_t size, gcdc_cuda_stream stream);
gcdc_status device_clear(void *device, int byte, size_t size, gcdc_cuda_stream stream);
/** From device to device: what speed is measured against. */
gcdc_status device_copy(void *to, const void *from, size_t size, gcdc_cuda_stream stream);

gcdc_status device_stream_new(gcdc_cuda_stream *stream);
void device_stream_free(gcdc_cuda_stream stream);
gcdc_status device_wait(gcdc_cuda_stream stream);

/** What is launched on the stream between begin and end is not done but kept. */
typedef struct device_graph device_graph;
bool device_is_captured(gcdc_cuda_stream stream);
gcdc_status device_capture_begin(gcdc_cuda_stream stream);
gcdc_status device_capture_end(gcdc_cuda_stream stream, device_graph **graph);
gcdc_status device_graph_run(device_graph *graph, gcdc_cuda_stream stream);
void device_graph_free(device_graph *graph);

/** Marks in a stream; the microseconds between two (waits for the second). On the host: of its clock. */
typedef struct device_mark device_mark;
device_mark *device_mark_new(void);
void device_mark_free(device_mark *mark);
gcdc_status device_mark_set(device_mark *mark, gcdc_cuda_stream stream);
double device_mark_us(device_mark *from, device_mark *to);
/** Bytes of the device's second-level cache and of its memory. */
size_t device_cache_size(void);
size_t device_memory_size(void);

#ifdef __cplusplus
}
#endif

#endif
