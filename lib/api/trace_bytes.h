// What an artifact's bytes hold, told to who watches (base/trace.h).
#ifndef GCDC_API_TRACE_BYTES_H
#define GCDC_API_TRACE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "../base/trace.h"

// bytes: as artifact_encode made them.
void trace_bytes(struct trace *t, const uint8_t *bytes, size_t len);

#endif
